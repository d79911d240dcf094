/// Joint limits in a solve. Steps are clamped to the limit. A joint at its limit loses, for one
/// step, the directions that lead further out; it still slides along the limit.
#include "asset/asset.h"
#include "ik/full_body.h"
#include "math/math.h"

#include <math.h>

#define BEND 0.4f      ///< radians that a straight hinge is bent
#define NUDGE 0.15f    ///< radians that a ball joint is rotated off a saddle
#define MARGIN 1e-3f   ///< radians
#define AT_LIMIT 2e-4f ///< radians: a joint this close is at its limit

/// Upper bound of asin(x) for x in [0, 1].
static float asin_upper_bound(float x)
{
    return x + 0.571f * x * x * x;
}

/// Conservative test without trigonometry: true only if the rotation is inside by more than MARGIN.
static bool is_well_inside(const lmb_joint_limit *limit, lmb_quat rotation)
{
    const float sign = rotation.w < 0.0f ? -1.0f : 1.0f;
    const float along =
        rotation.x * limit->axis.x + rotation.y * limit->axis.y + rotation.z * limit->axis.z;
    const float inverse = 1.0f / lmb_sqrt(rotation.w * rotation.w + along * along + 1e-20f),
                p = sign * along * inverse;
    const lmb_quat back = {-p * limit->axis.x, -p * limit->axis.y, -p * limit->axis.z,
                           sign * rotation.w * inverse};
    const float most = 2.0f * asin_upper_bound(fabsf(p)) + MARGIN, least = 2.0f * fabsf(p) - MARGIN;
    if (!((p < 0.0f ? -most : least) > limit->twist_min_rad &&
          (p < 0.0f ? -least : most) < limit->twist_max_rad)) {
        return false;
    }
    const lmb_quat s = lmbi_quat_mul(rotation, back);
    const lmb_vec3 v = {sign * s.x, sign * s.y, sign * s.z};
    const float x = lmb_sqrt(lmb_vec3_dot(v, v));
    if (limit->kind == LMB_JOINT_HINGE) {
        return x < 1e-6f;
    }
    const float swing = 2.0f * asin_upper_bound(x) + MARGIN;
    if (!(lmb_vec3_dot(limit->side, limit->side) > 0.0f)) {
        return swing < limit->swing_rad;
    }
    const float scale = swing / (x + 1e-20f), u = scale * lmb_vec3_dot(v, limit->side),
                w = scale * lmb_vec3_dot(v, lmb_vec3_cross(limit->axis, limit->side));
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[w > 0.0f];
    return u * u * b * b + w * w * a * a < a * a * b * b;
}

lmb_quat lmbi_node_clamp(const lmbi_body_solver *body, lmbi_node *node, lmb_quat local)
{
    node->near = false;
    if (node->limit == NULL || node->limit->kind == LMB_JOINT_FREE) {
        return local;
    }
    const lmb_transform rest = body->job->skeleton->rest[node->joint];
    if (node->freedom_count > 0 &&
        is_well_inside(node->limit, lmbi_quat_mul(lmb_quat_conjugate(rest.rotation), local))) {
        return local;
    }
    node->near = true;
    lmb_transform t = rest;
    t.rotation = local;
    return lmbi_joint_limit_apply(node->limit, rest, t).rotation;
}

// ------------------------------------------------------------------------------ where limits stop

typedef struct limit_normals {
    uint32_t count;
    /// unit, outward, in the joint's frame; rotations along them are blocked
    lmb_vec3 normal[2];
} limit_normals;

static void add_normal(limit_normals *s, lmb_vec3 out)
{
    const float length = lmb_vec3_length(out);
    if (length > 1e-6f) {
        s->normal[s->count++] = lmb_vec3_scale(out, 1.0f / length);
    }
}

/// -1 at the lower end of a range on the circle, 1 at the upper end, 0 between.
static float range_end(float angle, float low, float high)
{
    const float below = angle - low, above = angle - high, full_turn = 2.0f * LMB_PI;
    if (high - low >= full_turn) {
        return 0.0f;
    }
    const float to_low = fabsf(below - full_turn * floorf(below / full_turn + 0.5f)),
                to_high = fabsf(above - full_turn * floorf(above / full_turn + 0.5f));
    if (to_high < AT_LIMIT) {
        return 1.0f;
    }
    return to_low < AT_LIMIT ? -1.0f : 0.0f;
}

/// Gradient of the cone's level function at a swing; `inside` receives the distance to the rim. Zero for a
/// cone too narrow to have a gradient.
static lmb_vec3 cone_gradient(const lmb_joint_limit *limit, lmb_vec3 swing, float *inside)
{
    const float angle = lmb_vec3_length(swing);
    *inside = 1.0f;
    if (!(lmb_vec3_dot(limit->side, limit->side) > 0.0f)) {
        *inside = limit->swing_rad - angle;
        return swing;
    }
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float u = lmb_vec3_dot(swing, limit->side), v = lmb_vec3_dot(swing, across);
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[v > 0.0f];
    if (a < 1e-3f || b < 1e-3f) {
        return lmb_vec3_make(0, 0, 0);
    }
    const float x = u / (a * a), y = v / (b * b), level = u * x + v * y;
    *inside = (1.0f - level) / (2.0f * lmb_sqrt(x * x + y * y) + 1e-12f);
    return lmb_vec3_add(lmb_vec3_scale(limit->side, x), lmb_vec3_scale(across, y));
}

/// Limit normals of a ball joint. With q = s t, s a swing by the vector w = h u and t a twist about
/// a, a small rotation d in the joint's frame is d' = t d t^-1 after the swing. It twists by n.d',
/// n = a + tan(h / 2) (a x u); the rest, d' - a (n.d'), changes w by the inverse of the right
/// Jacobian of the exponential.
static void ball_normals(const lmb_joint_limit *limit, lmb_quat rotation, limit_normals *out)
{
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(rotation, limit->axis, &swing, &twist);
    const lmb_vec3 w = lmbi_rotation_log(swing), a = limit->axis;
    const float h = lmb_vec3_length(w), sine = lmb_sin(0.5f * h), cosine = lmb_cos(0.5f * h);
    const lmb_vec3 u = h > 1e-6f ? lmb_vec3_scale(w, 1.0f / h) : lmb_vec3_make(0, 0, 0);
    const lmb_vec3 n =
        lmb_vec3_mad(a, lmb_vec3_cross(a, u), sine / (cosine > 1e-3f ? cosine : 1e-3f));
    const lmb_quat back = lmb_quat_conjugate(twist);
    const float end = range_end(lmb_vec3_dot(lmbi_rotation_log(twist), a), limit->twist_min_rad,
                                limit->twist_max_rad);
    if (fabsf(end) > 0.0f) {
        add_normal(out, lmbi_quat_rotate(back, lmb_vec3_scale(n, end)));
    }
    float inside, m[9];
    const lmb_vec3 level = cone_gradient(limit, w, &inside);
    if (inside < AT_LIMIT) {
        lmbi_log_jacobian(w, m);
        lmb_vec3 g = {m[0] * level.x + m[3] * level.y + m[6] * level.z,
                      m[1] * level.x + m[4] * level.y + m[7] * level.z,
                      m[2] * level.x + m[5] * level.y + m[8] * level.z};
        g = lmb_vec3_mad(g, n, -lmb_vec3_dot(a, g));
        add_normal(out, lmbi_quat_rotate(back, g));
    }
}

static limit_normals normals_at(const lmbi_body_solver *body, const lmbi_node *node, lmb_quat local)
{
    limit_normals out = {0};
    const lmb_quat rest = body->job->skeleton->rest[node->joint].rotation,
                   rotation = lmbi_quat_mul(lmb_quat_conjugate(rest), local);
    if (node->limit->kind == LMB_JOINT_BALL) {
        ball_normals(node->limit, rotation, &out);
    } else if (node->limit->kind == LMB_JOINT_HINGE) {
        const float end = range_end(lmb_vec3_dot(lmbi_rotation_log(rotation), node->limit->axis),
                                    node->limit->twist_min_rad, node->limit->twist_max_rad);
        if (fabsf(end) > 0.0f) {
            add_normal(&out, lmb_vec3_scale(node->limit->axis, end));
        }
    }
    return out;
}

/// Orthonormalised normals that the rotation violates by more than `least`, the most violated
/// first.
static limit_normals violated_normals(limit_normals s, lmb_vec3 rotation, float least)
{
    limit_normals out = {0};
    for (uint32_t round = 0; round < s.count; ++round) {
        float most = least;
        uint32_t which = s.count;
        for (uint32_t k = 0; k < s.count; ++k) {
            const float violation = lmb_vec3_dot(s.normal[k], rotation);
            which = violation > most ? k : which;
            most = violation > most ? violation : most;
        }
        if (which == s.count) {
            break;
        }
        lmb_vec3 normal = s.normal[which];
        if (out.count > 0) {
            normal = lmb_vec3_mad(normal, out.normal[0], -lmb_vec3_dot(normal, out.normal[0]));
        }
        add_normal(&out, normal);
        if (out.count > round) {
            rotation = lmb_vec3_mad(rotation, out.normal[round],
                                    -lmb_vec3_dot(rotation, out.normal[round]));
        }
    }
    return out;
}

static lmb_vec3 descent_rotation(const lmbi_body_solver *body, const lmbi_node *node)
{
    lmb_vec3 rotation = {0, 0, 0};
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        rotation = lmb_vec3_mad(rotation, body->axes[i], -body->gradient[i]);
    }
    return rotation;
}

void lmbi_body_remove_direction(lmbi_body_solver *body, uint32_t n, lmb_vec3 normal)
{
    const lmbi_node *node = &body->nodes[n];
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        body->axes[i] = lmb_vec3_mad(body->axes[i], normal, -lmb_vec3_dot(body->axes[i], normal));
    }
    lmbi_body_screws(body, n);
}

static void project_node(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    const limit_normals blocked = violated_normals(normals_at(body, node, body->now[n].local),
                                                   descent_rotation(body, node), 0.0f);
    node->at_limit = blocked.count > 0;
    for (uint32_t k = 0; k < blocked.count; ++k) {
        lmbi_body_remove_direction(body, n, blocked.normal[k]);
    }
}

void lmbi_body_project_axes(lmbi_body_solver *body)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        node->at_limit = false;
        if (node->near && node->freedom_count > 0) {
            project_node(body, n);
        }
    }
}

/// The normals are those at the end of the trial's rotation, carried back to its start: exp(d + e)
/// is about exp(d) exp(e - d x e / 2).
void lmbi_body_commit_clamped(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    limit_normals s = normals_at(body, node, body->trial[n].local);
    for (uint32_t k = 0; k < s.count; ++k) {
        s.normal[k] = lmb_vec3_mad(s.normal[k], lmb_vec3_cross(node->applied, s.normal[k]), 0.5f);
    }
    s = violated_normals(s, node->rejected, 0.0f);
    lmb_vec3 committed = {0, 0, 0};
    for (uint32_t k = 0; k < s.count; ++k) {
        committed =
            lmb_vec3_mad(committed, s.normal[k],
                         lmb_vec3_dot(s.normal[k], lmb_vec3_sub(node->applied, node->committed)));
    }
    lmbi_body_commit(body, n, committed);
    node->at_limit = node->axes_changed = true;
    for (uint32_t k = 0; k < s.count; ++k) {
        lmbi_body_remove_direction(body, n, s.normal[k]);
    }
}

/// Bends a hinge that is at an end of its range inward.
static bool unlock_hinge(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    const float range = node->limit->twist_max_rad - node->limit->twist_min_rad,
                bend = BEND < 0.3f * range ? BEND : 0.3f * range;
    for (int side = 0; side < 2; ++side) {
        const lmb_quat rotation = lmb_quat_axis_angle(node->limit->axis, side == 0 ? bend : -bend);
        const lmb_quat out = lmbi_node_clamp(
            body, node, lmb_quat_normalize(lmbi_quat_mul(body->now[n].local, rotation)));
        if (lmb_quat_angle(out, body->now[n].local) < 0.5f * bend) {
            body->trial[n].local =
                lmb_quat_normalize(lmbi_quat_mul(body->now[n].local, lmb_quat_conjugate(rotation)));
            return true;
        }
    }
    return false;
}

bool lmbi_body_unlock(lmbi_body_solver *body)
{
    bool any = false;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        body->trial[n] = body->now[n];
        any = (body->nodes[n].freedom_count == 1 && unlock_hinge(body, n)) || any;
    }
    lmbi_body_frames(body, body->trial);
    return any;
}

void lmbi_body_nudge(lmbi_body_solver *body)
{
    (void)lmbi_body_unlock(body);
    for (uint32_t n = 1; n < body->node_count; ++n) {
        const uint32_t above = (uint32_t)body->nodes[n].parent;
        const lmb_vec3 bone = lmb_vec3_normalize_or(
            body->job->local[body->nodes[n].joint].translation, lmb_vec3_make(0, 1, 0));
        if (body->nodes[above].freedom_count == 3) {
            const lmb_vec3 rotation =
                lmb_vec3_scale(lmb_vec3_any_perpendicular(bone), above % 2 == 0 ? NUDGE : -NUDGE);
            const lmb_quat local =
                lmbi_quat_mul(body->now[above].local, lmbi_rotation_exp(rotation));
            body->trial[above].local =
                lmbi_node_clamp(body, &body->nodes[above], lmb_quat_normalize(local));
        }
    }
    lmbi_body_frames(body, body->trial);
}

void lmbi_body_mid_range(lmbi_body_solver *body, float fraction, float spread_rad,
                         lmb_random *random)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        lmb_quat local = body->job->skeleton->rest[node->joint].rotation;
        body->trial[n] = body->now[n];
        if (node->freedom_count == 1) {
            const float angle =
                node->limit->twist_min_rad +
                fraction * (node->limit->twist_max_rad - node->limit->twist_min_rad);
            local = lmbi_quat_mul(local, lmb_quat_axis_angle(node->limit->axis, angle));
        } else if (spread_rad > 0.0f) {
            const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1),
                        z = lmb_random_range(random, -1, 1);
            const lmb_vec3 axis =
                lmb_vec3_normalize_or(lmb_vec3_make(x, y, z), lmb_vec3_make(1, 0, 0));
            local = lmbi_quat_mul(local, lmb_quat_axis_angle(axis, spread_rad));
        }
        body->trial[n].local =
            n == 0 ? body->now[n].local : lmbi_node_clamp(body, node, lmb_quat_normalize(local));
    }
    lmbi_body_frames(body, body->trial);
}
