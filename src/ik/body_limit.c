/// Joint limits in a solve: steps are cut back to the limit, and a joint that stands at its limit
/// loses, for one step, the directions that would push it further out; along the limit it still
/// slides.
#include "ik/full_body.h"

#include <math.h>

#define BEND 0.4f    ///< radians
#define NUDGE 0.15f  ///< radians
#define MARGIN 1e-3f ///< radians
#define SLACK 2e-4f  ///< radians: a joint this near stands at its limit

/// At least asin(x), for x in [0, 1].
static float asin_above(float x)
{
    return x + 0.571f * x * x * x;
}

/// Inside by more than rounding and a little, found without trigonometry; false says nothing.
static bool is_well_inside(const lmb_joint_limit *limit, lmb_quat turn)
{
    const float sign = turn.w < 0.0f ? -1.0f : 1.0f;
    const float along = turn.x * limit->axis.x + turn.y * limit->axis.y + turn.z * limit->axis.z;
    const float inverse = 1.0f / lmb_sqrt(turn.w * turn.w + along * along + 1e-20f),
                p = sign * along * inverse;
    const lmb_quat back = {-p * limit->axis.x, -p * limit->axis.y, -p * limit->axis.z,
                           sign * turn.w * inverse};
    const float most = 2.0f * asin_above(fabsf(p)) + MARGIN, least = 2.0f * fabsf(p) - MARGIN;
    if (!((p < 0.0f ? -most : least) > limit->twist_min_rad &&
          (p < 0.0f ? -least : most) < limit->twist_max_rad)) {
        return false;
    }
    const lmb_quat s = lmbi_quat_times(turn, back);
    const lmb_vec3 v = {sign * s.x, sign * s.y, sign * s.z};
    const float x = lmb_sqrt(lmb_vec3_dot(v, v));
    if (limit->kind == LMB_JOINT_HINGE) {
        return x < 1e-6f;
    }
    const float swing = 2.0f * asin_above(x) + MARGIN;
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
        is_well_inside(node->limit, lmbi_quat_times(lmb_quat_conjugate(rest.rotation), local))) {
        return local;
    }
    node->near = true;
    lmb_transform t = rest;
    t.rotation = local;
    return lmb_joint_limit_apply(node->limit, rest, t).rotation;
}

// ------------------------------------------------------------------------------ where limits stop

typedef struct stops {
    uint32_t count;
    lmb_vec3 out[2]; ///< unit, in the joint's own frame: no turn may go along it
} stops;

static void add_stop(stops *s, lmb_vec3 out)
{
    const float length = lmb_vec3_length(out);
    if (length > 1e-6f) {
        s->out[s->count++] = lmb_vec3_scale(out, 1.0f / length);
    }
}

/// -1 at the lower end of a range on the circle, 1 at the upper, else 0.
static float end_of(float angle, float low, float high)
{
    const float below = angle - low, above = angle - high, turn = 2.0f * LMB_PI;
    if (high - low >= turn) {
        return 0.0f;
    }
    const float to_low = fabsf(below - turn * floorf(below / turn + 0.5f)),
                to_high = fabsf(above - turn * floorf(above / turn + 0.5f));
    if (to_high < SLACK) {
        return 1.0f;
    }
    return to_low < SLACK ? -1.0f : 0.0f;
}

/// The gradient of the cone's level at a swing, and in `off` how far inside the swing is; zero for
/// a cone that is no limit.
static lmb_vec3 cone_gradient(const lmb_joint_limit *limit, lmb_vec3 swing, float *off)
{
    const float angle = lmb_vec3_length(swing);
    *off = 1.0f;
    if (!(lmb_vec3_dot(limit->side, limit->side) > 0.0f)) {
        *off = limit->swing_rad - angle;
        return swing;
    }
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float u = lmb_vec3_dot(swing, limit->side), v = lmb_vec3_dot(swing, across);
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[v > 0.0f];
    if (a < 1e-3f || b < 1e-3f) {
        return lmb_vec3_make(0, 0, 0);
    }
    const float x = u / (a * a), y = v / (b * b), level = u * x + v * y;
    *off = (1.0f - level) / (2.0f * lmb_sqrt(x * x + y * y) + 1e-12f);
    return lmb_vec3_add(lmb_vec3_scale(limit->side, x), lmb_vec3_scale(across, y));
}

/// With q = s t, s a swing by the vector w = h u and t a twist about a: a small turn d in the
/// joint's frame is d' = t d t^-1 after the swing. It twists by n.d', n = a + tan(h / 2) (a x u),
/// and what is left of it, d' - a (n.d'), changes w by the inverse of the right Jacobian of the
/// exponential.
static void ball_stops(const lmb_joint_limit *limit, lmb_quat turn, stops *out)
{
    lmb_quat swing, twist;
    lmb_quat_swing_twist(turn, limit->axis, &swing, &twist);
    const lmb_vec3 w = lmbi_turn_log(swing), a = limit->axis;
    const float h = lmb_vec3_length(w), sine = lmb_sin(0.5f * h), cosine = lmb_cos(0.5f * h);
    const lmb_vec3 u = h > 1e-6f ? lmb_vec3_scale(w, 1.0f / h) : lmb_vec3_make(0, 0, 0);
    const lmb_vec3 n =
        lmb_vec3_mad(a, lmb_vec3_cross(a, u), sine / (cosine > 1e-3f ? cosine : 1e-3f));
    const lmb_quat back = lmb_quat_conjugate(twist);
    const float end =
        end_of(lmb_vec3_dot(lmbi_turn_log(twist), a), limit->twist_min_rad, limit->twist_max_rad);
    if (fabsf(end) > 0.0f) {
        add_stop(out, lmbi_quat_turned(back, lmb_vec3_scale(n, end)));
    }
    float off, m[9];
    const lmb_vec3 level = cone_gradient(limit, w, &off);
    if (off < SLACK) {
        lmbi_log_jacobian(w, m);
        lmb_vec3 g = {m[0] * level.x + m[3] * level.y + m[6] * level.z,
                      m[1] * level.x + m[4] * level.y + m[7] * level.z,
                      m[2] * level.x + m[5] * level.y + m[8] * level.z};
        g = lmb_vec3_mad(g, n, -lmb_vec3_dot(a, g));
        add_stop(out, lmbi_quat_turned(back, g));
    }
}

static stops stops_at(const lmbi_body_solver *body, const lmbi_node *node, lmb_quat local)
{
    stops out = {0};
    const lmb_quat rest = body->job->skeleton->rest[node->joint].rotation,
                   turn = lmbi_quat_times(lmb_quat_conjugate(rest), local);
    if (node->limit->kind == LMB_JOINT_BALL) {
        ball_stops(node->limit, turn, &out);
    } else if (node->limit->kind == LMB_JOINT_HINGE) {
        const float end = end_of(lmb_vec3_dot(lmbi_turn_log(turn), node->limit->axis),
                                 node->limit->twist_min_rad, node->limit->twist_max_rad);
        if (fabsf(end) > 0.0f) {
            add_stop(&out, lmb_vec3_scale(node->limit->axis, end));
        }
    }
    return out;
}

/// Takes out of a turn what goes against the stops; returns those that it goes against, square to
/// each other.
static stops against(stops s, lmb_vec3 turn, float least)
{
    stops out = {0};
    for (uint32_t round = 0; round < s.count; ++round) {
        float most = least;
        uint32_t which = s.count;
        for (uint32_t k = 0; k < s.count; ++k) {
            const float push = lmb_vec3_dot(s.out[k], turn);
            which = push > most ? k : which;
            most = push > most ? push : most;
        }
        if (which == s.count) {
            break;
        }
        lmb_vec3 stop = s.out[which];
        if (out.count > 0) {
            stop = lmb_vec3_mad(stop, out.out[0], -lmb_vec3_dot(stop, out.out[0]));
        }
        add_stop(&out, stop);
        if (out.count > round) {
            turn = lmb_vec3_mad(turn, out.out[round], -lmb_vec3_dot(turn, out.out[round]));
        }
    }
    return out;
}

static lmb_vec3 downhill(const lmbi_body_solver *body, const lmbi_node *node)
{
    lmb_vec3 turn = {0, 0, 0};
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        turn = lmb_vec3_mad(turn, body->axes[i], -body->gradient[i]);
    }
    return turn;
}

void lmbi_body_forbid(lmbi_body_solver *body, uint32_t n, lmb_vec3 stop)
{
    const lmbi_node *node = &body->nodes[n];
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        body->axes[i] = lmb_vec3_mad(body->axes[i], stop, -lmb_vec3_dot(body->axes[i], stop));
    }
    lmbi_body_screws(body, n);
}

static void hold_node(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    const stops held =
        against(stops_at(body, node, body->now[n].local), downhill(body, node), 0.0f);
    node->held = held.count > 0;
    for (uint32_t k = 0; k < held.count; ++k) {
        lmbi_body_forbid(body, n, held.out[k]);
    }
}

void lmbi_body_hold(lmbi_body_solver *body)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        node->held = false;
        if (node->near && node->freedom_count > 0) {
            hold_node(body, n);
        }
    }
}

/// The stops are those at the end of the trial's turn, carried back to where it began: exp(d + e)
/// is about exp(d) exp(e - d x e / 2).
void lmbi_body_keep_hit(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    stops s = stops_at(body, node, body->trial[n].local);
    for (uint32_t k = 0; k < s.count; ++k) {
        s.out[k] = lmb_vec3_mad(s.out[k], lmb_vec3_cross(node->done, s.out[k]), 0.5f);
    }
    s = against(s, node->lost, 0.0f);
    lmb_vec3 settled = {0, 0, 0};
    for (uint32_t k = 0; k < s.count; ++k) {
        settled = lmb_vec3_mad(settled, s.out[k],
                               lmb_vec3_dot(s.out[k], lmb_vec3_sub(node->done, node->kept)));
    }
    lmbi_body_keep(body, n, settled);
    node->held = node->renewed = true;
    for (uint32_t k = 0; k < s.count; ++k) {
        lmbi_body_forbid(body, n, s.out[k]);
    }
}

/// A hinge that stands at an end of its range, bent inward.
static bool unlock_hinge(lmbi_body_solver *body, uint32_t n)
{
    lmbi_node *node = &body->nodes[n];
    const float range = node->limit->twist_max_rad - node->limit->twist_min_rad,
                bend = BEND < 0.3f * range ? BEND : 0.3f * range;
    for (int side = 0; side < 2; ++side) {
        const lmb_quat turn = lmb_quat_axis_angle(node->limit->axis, side == 0 ? bend : -bend);
        const lmb_quat out = lmbi_node_clamp(
            body, node, lmb_quat_normalize(lmbi_quat_times(body->now[n].local, turn)));
        if (lmb_quat_angle(out, body->now[n].local) < 0.5f * bend) {
            body->trial[n].local =
                lmb_quat_normalize(lmbi_quat_times(body->now[n].local, lmb_quat_conjugate(turn)));
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
            const lmb_vec3 turn =
                lmb_vec3_scale(lmb_vec3_any_perpendicular(bone), above % 2 == 0 ? NUDGE : -NUDGE);
            const lmb_quat local = lmbi_quat_times(body->now[above].local, lmbi_turn_exp(turn));
            body->trial[above].local =
                lmbi_node_clamp(body, &body->nodes[above], lmb_quat_normalize(local));
        }
    }
    lmbi_body_frames(body, body->trial);
}

void lmbi_body_middle(lmbi_body_solver *body, float share, float stray, lmb_random *random)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        lmb_quat local = body->job->skeleton->rest[node->joint].rotation;
        body->trial[n] = body->now[n];
        if (node->freedom_count == 1) {
            const float angle = node->limit->twist_min_rad +
                                share * (node->limit->twist_max_rad - node->limit->twist_min_rad);
            local = lmbi_quat_times(local, lmb_quat_axis_angle(node->limit->axis, angle));
        } else if (stray > 0.0f) {
            const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1),
                        z = lmb_random_range(random, -1, 1);
            const lmb_vec3 axis =
                lmb_vec3_normalize_or(lmb_vec3_make(x, y, z), lmb_vec3_make(1, 0, 0));
            local = lmbi_quat_times(local, lmb_quat_axis_angle(axis, stray));
        }
        body->trial[n].local =
            n == 0 ? body->now[n].local : lmbi_node_clamp(body, node, lmb_quat_normalize(local));
    }
    lmbi_body_frames(body, body->trial);
}
