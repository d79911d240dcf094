/// Initial guess for a body far from position goals on many joints, as after motion capture: from
/// the root down, each joint is rotated until the bones to its children point at their goals
/// (Kabsch 1976 for several children).
#include "ik/full_body.h"

#include "linalg/linalg.h"

/// Goal position of a node's joint, if it has one.
static bool goal_position(const lmbi_body_solver *body, uint32_t node, lmb_vec3 *out)
{
    const int32_t g = body->seeds[node];
    if (g != LMB_NONE) {
        *out = lmb_vec3_sub(body->job->goals[g].target, body->origin);
    }
    return g != LMB_NONE;
}

static void find_goal_positions(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        body->seeds[n] = LMB_NONE;
    }
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        const lmb_goal *goal = &job->goals[g];
        if (body->use[g] && goal->kind == LMB_GOAL_POSITION &&
            !(lmb_vec3_dot(goal->offset, goal->offset) > 0.0f)) {
            body->seeds[body->node_of[goal->joint]] = (int32_t)g;
        }
    }
}

/// Sums wanted * now^T over the bones to the children. `now` and `wanted` receive the last bone.
static uint32_t sum_bones(const lmbi_body_solver *body, uint32_t n, double sum[3][3], lmb_vec3 *now,
                          lmb_vec3 *wanted)
{
    const lmb_vec3 here = body->trial[n].position;
    uint32_t count = 0;
    for (uint32_t c = n + 1; c < body->node_count; ++c) {
        lmb_vec3 there;
        if (body->nodes[c].parent != (int32_t)n || !goal_position(body, c, &there)) {
            continue;
        }
        const lmb_vec3 a = lmb_vec3_sub(body->trial[c].position, here),
                       b = lmb_vec3_sub(there, here);
        const float x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
        for (int k = 0; k < 9; ++k) {
            sum[k / 3][k % 3] += (double)(y[k / 3] * x[k % 3]);
        }
        *now = a;
        *wanted = b;
        ++count;
    }
    return count;
}

static lmb_quat nearest_rotation(double sum[3][3])
{
    double r[3][3];
    lmbi_polar3((const double(*)[3])sum, r);
    lmb_vec3 axes[3];
    for (int k = 0; k < 3; ++k) {
        axes[k] = lmb_vec3_make((float)r[0][k], (float)r[1][k], (float)r[2][k]);
    }
    return lmb_quat_from_axes(axes[0], axes[1], axes[2]);
}

/// Roll about the bone that lets the next joint, if it is a hinge, bend toward its own child's
/// goal.
static lmb_quat find_hinge_roll(const lmbi_body_solver *body, uint32_t n, lmb_quat rotation,
                                lmb_vec3 bone)
{
    for (uint32_t c = n + 1; c < body->node_count; ++c) {
        const lmbi_node *next = &body->nodes[c];
        lmb_vec3 there, after;
        if (next->parent != (int32_t)n || next->freedom_count != 1 ||
            !goal_position(body, c, &there)) {
            continue;
        }
        for (uint32_t k = c + 1; k < body->node_count; ++k) {
            if (body->nodes[k].parent == (int32_t)c && goal_position(body, k, &after)) {
                const lmb_quat model = lmbi_quat_mul(rotation, body->trial[c].model);
                const lmb_vec3 along = lmb_vec3_normalize_or(bone, lmb_vec3_make(0, 1, 0));
                const lmb_vec3 bends = lmb_vec3_cross(lmbi_quat_rotate(model, next->limit->axis),
                                                      along),
                               direction = lmb_vec3_sub(after, there);
                const lmb_vec3 a = lmb_vec3_mad(bends, along, -lmb_vec3_dot(bends, along)),
                               b = lmb_vec3_mad(direction, along, -lmb_vec3_dot(direction, along));
                const float sine = lmb_vec3_dot(along, lmb_vec3_cross(a, b)),
                            cosine = lmb_vec3_dot(a, b);
                if (sine * sine + cosine * cosine > 1e-6f * lmb_vec3_dot(direction, direction)) {
                    return lmb_quat_axis_angle(along, lmb_atan2(sine, cosine));
                }
            }
        }
    }
    return lmb_quat_identity();
}

static void aim_node(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    double sum[3][3] = {{0}};
    lmb_vec3 now, wanted;
    const uint32_t count = node->freedom_count > 0 ? sum_bones(body, n, sum, &now, &wanted) : 0;
    if (count == 0) {
        return;
    }
    lmb_quat rotation = nearest_rotation(sum);
    if (count == 1) {
        const lmb_vec3 to = lmb_vec3_normalize_or(wanted, lmb_vec3_make(0, 1, 0));
        rotation = lmb_quat_between(lmb_vec3_normalize_or(now, to), to);
        rotation = lmbi_quat_mul(find_hinge_roll(body, n, rotation, to), rotation);
    }
    const lmb_quat above =
        lmbi_quat_mul(body->trial[n].model, lmb_quat_conjugate(body->trial[n].local));
    const lmb_quat local =
        lmbi_quat_mul(lmb_quat_conjugate(above), lmbi_quat_mul(rotation, body->trial[n].model));
    body->trial[n].local = lmbi_node_clamp(body, node, lmb_quat_normalize(local));
    lmbi_body_frames(body, body->trial);
}

bool lmbi_body_seed(lmbi_body_solver *body)
{
    uint32_t count = 0;
    find_goal_positions(body);
    for (uint32_t n = 0; n < body->node_count; ++n) {
        body->trial[n] = body->now[n];
        count += body->nodes[n].parent != LMB_NONE && body->seeds[n] != LMB_NONE &&
                         body->seeds[body->nodes[n].parent] != LMB_NONE
                     ? 1
                     : 0;
    }
    if (count == 0) {
        return false;
    }
    lmb_vec3 position;
    if (!body->job->pinned && goal_position(body, 0, &position)) {
        body->trial[0].position = position;
    }
    lmbi_body_frames(body, body->trial);
    for (uint32_t n = 0; n < body->node_count; ++n) {
        aim_node(body, n);
    }
    return true;
}
