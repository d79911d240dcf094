/// Goals: their residuals, and the derivatives with respect to the joints' screws (b and c of
/// lmbi_screw_jacobian).
///
/// A point x under a joint that rotates about a through p moves by a x (x - p) = -[x] a + p x a, so
/// a residual that changes by m dx has c = m, b = -m [x].
#include "ik/full_body.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

float lmbi_goal_weight(const lmb_goal *goal)
{
    float weight = goal->weight > 0.0f ? goal->weight : 1.0f;
    for (uint32_t k = 0; k < goal->priority && k < 4; ++k) {
        weight *= 0.01f;
    }
    return weight;
}

bool lmbi_goal_is_finite(const lmb_goal *goal)
{
    const lmb_quat q = goal->rotation;
    const bool rotated = goal->kind != LMB_GOAL_ORIENTATION || lmb_quat_dot(q, q) > 0.0f;
    return lmb_vec3_is_finite(goal->target) && lmb_vec3_is_finite(goal->offset) &&
           lmb_vec3_is_finite(goal->base_offset) && lmb_vec3_is_finite(goal->axis) &&
           isfinite(goal->distance) && isfinite(goal->weight) && isfinite(lmb_quat_dot(q, q)) &&
           rotated;
}

// --------------------------------------------------------------------------------- small matrices

static void set_scaled(float *out, const float *m, float s)
{
    for (int k = 0; k < 9; ++k) {
        out[k] = m[k] * s;
    }
}

static void multiply(float *out, const float *a, const float *b)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}

/// s I + t a b'
static void set_dyad(float *out, float s, float t, lmb_vec3 a, lmb_vec3 b)
{
    const float x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = t * x[r] * y[c] + (r == c ? s : 0.0f);
        }
    }
}

/// -m [x], row by row, since m (x times a) = -(x times m) a.
static void set_lever(float *out, const float *m, lmb_vec3 x)
{
    for (int r = 0; r < 3; ++r) {
        const lmb_vec3 row = lmb_vec3_cross(x, lmb_vec3_make(m[3 * r], m[3 * r + 1], m[3 * r + 2]));
        out[3 * r] = row.x;
        out[3 * r + 1] = row.y;
        out[3 * r + 2] = row.z;
    }
}

static void set_point_jacobian(lmbi_screw_jacobian *jacobian, uint32_t node, const float *m,
                               lmb_vec3 x)
{
    jacobian->node = node;
    memcpy(jacobian->c, m, sizeof(jacobian->c));
    set_lever(jacobian->b, m, x);
}

static void store_vec3(float r[3], lmb_vec3 v)
{
    r[0] = v.x;
    r[1] = v.y;
    r[2] = v.z;
}

// ---------------------------------------------------------------------------------- what they see

static uint32_t node_at(const lmbi_body_solver *body, uint32_t joint)
{
    return (uint32_t)body->node_of[joint];
}

static lmb_vec3 point_of(const lmbi_body_solver *body, const lmbi_node_pose *frames, uint32_t joint,
                         lmb_vec3 offset)
{
    const lmbi_node_pose *f = &frames[node_at(body, joint)];
    return lmb_vec3_add(f->position, lmbi_quat_rotate(f->model, lmb_vec3_mul(f->scale, offset)));
}

static lmb_vec3 target_of(const lmbi_body_solver *body, const lmb_goal *goal)
{
    return lmb_vec3_sub(goal->target, body->origin);
}

static lmb_vec3 gaze_direction(const lmbi_body_solver *body, const lmb_goal *goal,
                               const lmbi_node_pose *frames)
{
    const lmb_vec3 axis = lmb_vec3_normalize_or(goal->axis, lmb_vec3_make(0, 0, 1));
    return lmbi_quat_rotate(frames[node_at(body, goal->joint)].model, axis);
}

typedef struct sight {
    lmb_vec3 eye, gaze, toward;
    float distance;
} sight;

static sight find_sight(const lmbi_body_solver *body, const lmb_goal *goal,
                        const lmbi_node_pose *frames)
{
    sight s = {.eye = point_of(body, frames, goal->joint, goal->offset),
               .gaze = gaze_direction(body, goal, frames)};
    const lmb_vec3 to_target = lmb_vec3_sub(target_of(body, goal), s.eye);
    s.distance = lmb_vec3_length(to_target);
    s.toward =
        s.distance > 1e-4f * body->reach ? lmb_vec3_scale(to_target, 1.0f / s.distance) : s.gaze;
    return s;
}

static lmb_vec3 normal_of(const lmb_goal *goal)
{
    return lmb_vec3_normalize_or(goal->axis, lmb_vec3_make(0, 1, 0));
}

float lmbi_goal_height(const lmbi_body_solver *body, const lmb_goal *goal,
                       const lmbi_node_pose *frames)
{
    const lmb_vec3 x = point_of(body, frames, goal->joint, goal->offset);
    return lmb_vec3_dot(normal_of(goal), lmb_vec3_sub(x, target_of(body, goal))) / body->reach;
}

/// Bend of a limb, relative to its base: the knee's offset from the line to the tip, and the
/// pole's.
typedef struct bend {
    lmb_vec3 along, knee, off,
        pole; ///< unit base to tip; base to knee; perpendicular parts of the knee and (unit) of the pole
    float length, pole_length, size; ///< lengths: base to tip; the pole's perpendicular part; `off`
    bool none; ///< undefined: the limb has no length, or the pole is parallel to it
} bend;

static bend find_bend(const lmbi_body_solver *body, const lmb_goal *goal,
                      const lmbi_node_pose *frames)
{
    const lmb_vec3 base = frames[node_at(body, goal->base)].position,
                   tip = frames[node_at(body, goal->tip)].position;
    bend b = {.knee = lmb_vec3_sub(point_of(body, frames, goal->joint, goal->offset), base)};
    const lmb_vec3 line = lmb_vec3_sub(tip, base),
                   pole = lmb_vec3_normalize_or(goal->target, lmb_vec3_make(0, 0, 0));
    b.length = lmb_vec3_length(line);
    b.none = !(b.length > 1e-4f * body->reach);
    b.along = lmb_vec3_scale(line, b.none ? 0.0f : 1.0f / b.length);
    b.off = lmb_vec3_mad(b.knee, b.along, -lmb_vec3_dot(b.along, b.knee));
    b.size = lmb_vec3_length(b.off);
    const lmb_vec3 across = lmb_vec3_mad(pole, b.along, -lmb_vec3_dot(b.along, pole));
    b.pole_length = lmb_vec3_length(across);
    b.none = b.none || !(b.pole_length > 1e-3f);
    b.pole = lmb_vec3_scale(across, b.none ? 0.0f : 1.0f / b.pole_length);
    return b;
}

static lmb_vec3 center_of_mass(const lmbi_body_solver *body, const lmbi_node_pose *frames)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t m = 0; m < body->mass_count; ++m) {
        const lmbi_mass *mass = &body->masses[m];
        const lmbi_node_pose *f = &frames[mass->node];
        const lmb_vec3 x = lmb_vec3_add(
            f->position, lmbi_quat_rotate(f->model, lmb_vec3_mul(f->scale, mass->offset)));
        sum = lmb_vec3_mad(sum, x, mass->fraction);
    }
    return sum;
}

static uint32_t mask_of(const lmb_goal *goal)
{
    return (goal->mask & 7u) != 0 ? goal->mask & 7u : 7u;
}

// -------------------------------------------------------------------------------------- residuals

static lmb_vec3 distance_residual(const lmbi_body_solver *body, const lmb_goal *goal,
                                  const lmbi_node_pose *frames, lmb_vec3 *unit)
{
    const lmb_vec3 x = point_of(body, frames, goal->joint, goal->offset),
                   y = point_of(body, frames, goal->base, goal->base_offset);
    const lmb_vec3 difference = lmb_vec3_sub(x, y);
    *unit = lmb_vec3_normalize_or(difference, lmb_vec3_make(1, 0, 0));
    if (!(goal->distance > 0.0f)) {
        return lmb_vec3_scale(difference, 1.0f / body->reach);
    }
    return lmb_vec3_make((lmb_vec3_length(difference) - goal->distance) / body->reach, 0, 0);
}

static lmb_vec3 mass_residual(const lmbi_body_solver *body, const lmb_goal *goal,
                              const lmbi_node_pose *frames)
{
    const lmb_vec3 off = lmb_vec3_scale(
        lmb_vec3_sub(center_of_mass(body, frames), target_of(body, goal)), 1.0f / body->reach);
    const uint32_t mask = mask_of(goal);
    return lmb_vec3_make((mask & 1u) != 0 ? off.x : 0, (mask & 2u) != 0 ? off.y : 0,
                         (mask & 4u) != 0 ? off.z : 0);
}

static lmb_vec3 residual(const lmbi_body_solver *body, const lmb_goal *goal,
                         const lmbi_node_pose *frames)
{
    lmb_vec3 unit;
    switch (goal->kind) {
    case LMB_GOAL_POSITION:
        return lmb_vec3_scale(
            lmb_vec3_sub(point_of(body, frames, goal->joint, goal->offset), target_of(body, goal)),
            1.0f / body->reach);
    case LMB_GOAL_ORIENTATION:
        return lmbi_rotation_log(
            lmbi_quat_mul(frames[node_at(body, goal->joint)].model,
                          lmb_quat_conjugate(lmb_quat_normalize(goal->rotation))));
    case LMB_GOAL_LOOK_AT: {
        const sight s = find_sight(body, goal, frames);
        return lmb_vec3_sub(s.gaze, s.toward);
    }
    case LMB_GOAL_POLE: {
        const bend b = find_bend(body, goal, frames);
        return b.none ? lmb_vec3_make(0, 0, 0)
                      : lmb_vec3_scale(lmb_vec3_mad(b.off, b.pole, -b.size), 1.0f / body->reach);
    }
    case LMB_GOAL_DISTANCE:
        return distance_residual(body, goal, frames, &unit);
    case LMB_GOAL_GROUND:
        return lmb_vec3_make(fminf(lmbi_goal_height(body, goal, frames), 0.0f), 0, 0);
    case LMB_GOAL_CENTER_OF_MASS:
        return mass_residual(body, goal, frames);
    }
    return lmb_vec3_make(0, 0, 0);
}

void lmbi_goal_residual(const lmbi_body_solver *body, const lmb_goal *goal,
                        const lmbi_node_pose *frames, float r[3])
{
    store_vec3(r, residual(body, goal, frames));
}

float lmbi_goal_error(const lmbi_body_solver *body, const lmb_goal *goal)
{
    const lmb_vec3 r = residual(body, goal, body->now);
    if (goal->kind == LMB_GOAL_ORIENTATION) {
        return lmb_vec3_length(r);
    }
    // The chord between two unit directions is twice the sine of half their angle.
    return goal->kind == LMB_GOAL_LOOK_AT ? 2.0f * lmbi_asin(0.5f * lmb_vec3_length(r))
                                          : lmb_vec3_length(r) * body->reach;
}

// ---------------------------------------------------------------------------------- linearisation

static void linearize_sight(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    const sight s = find_sight(body, goal, body->now);
    lmbi_screw_jacobian *jacobian = &out->jacobians[0];
    float m[9], rotated[9];
    const float near = s.distance > 1e-4f * body->reach ? 1.0f / s.distance : 0.0f;
    set_dyad(m, near, -near, s.toward, s.toward);
    set_point_jacobian(jacobian, node_at(body, goal->joint), m, s.eye);
    set_lever(rotated, identity, s.gaze);
    for (int k = 0; k < 9; ++k) {
        jacobian->b[k] += rotated[k];
    }
}

/// With e along the limb, k base to knee, o = (I - e e') k, s = |o| and u the pole's perpendicular
/// part, r = o - s u.
/// do = (I - e e') dk - ((e.k) I + e k') de and ds = w.do with w = o / s; u depends on e as o does.
static void linearize_pole(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    const bend b = find_bend(body, goal, body->now);
    if (b.none) {
        out->jacobian_count = 0;
        return;
    }
    const lmb_vec3 w = b.size > 1e-6f * body->reach ? lmb_vec3_scale(b.off, 1.0f / b.size) : b.pole;
    const lmb_vec3 pole = lmb_vec3_normalize_or(goal->target, lmb_vec3_make(0, 0, 0));
    const float s = 1.0f / body->reach;
    float square[9], outer[9], factor[9], knee[9], other[9], line[9], base[9], part[9];
    set_dyad(square, 1.0f, -1.0f, b.along, b.along);
    set_dyad(outer, s, -s, b.pole, w);
    multiply(knee, outer, square);
    set_dyad(factor, -lmb_vec3_dot(b.along, b.knee), -1.0f, b.along, b.knee);
    multiply(other, outer, factor);
    set_dyad(outer, s * b.size / b.pole_length, -s * b.size / b.pole_length, b.pole, b.pole);
    set_dyad(factor, lmb_vec3_dot(b.along, pole), 1.0f, b.along, pole);
    multiply(part, outer, factor);
    for (int k = 0; k < 9; ++k) {
        other[k] = (other[k] + part[k]) / b.length;
    }
    multiply(line, other, square);
    for (int k = 0; k < 9; ++k) {
        base[k] = -line[k] - knee[k];
    }
    out->jacobian_count = 3;
    set_point_jacobian(&out->jacobians[0], node_at(body, goal->joint), knee,
                       point_of(body, body->now, goal->joint, goal->offset));
    set_point_jacobian(&out->jacobians[1], node_at(body, goal->base), base,
                       body->now[node_at(body, goal->base)].position);
    set_point_jacobian(&out->jacobians[2], node_at(body, goal->tip), line,
                       body->now[node_at(body, goal->tip)].position);
}

static void linearize_distance(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    lmb_vec3 unit;
    float m[9], back[9];
    (void)distance_residual(body, goal, body->now, &unit);
    set_scaled(m, identity, 1.0f / body->reach);
    if (goal->distance > 0.0f) {
        set_dyad(m, 0.0f, 1.0f / body->reach, lmb_vec3_make(1, 0, 0), unit);
    }
    set_scaled(back, m, -1.0f);
    out->jacobian_count = 2;
    set_point_jacobian(&out->jacobians[0], node_at(body, goal->joint), m,
                       point_of(body, body->now, goal->joint, goal->offset));
    set_point_jacobian(&out->jacobians[1], node_at(body, goal->base), back,
                       point_of(body, body->now, goal->base, goal->base_offset));
}

/// Each node's contribution to the centre of mass and its derivative, summed from the leaves to the
/// root.
static void linearize_mass(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    const uint32_t mask = mask_of(goal);
    float m[9];
    for (int k = 0; k < 9; ++k) {
        m[k] = k % 4 == 0 && (mask >> (k / 4) & 1u) != 0 ? 1.0f / body->reach : 0.0f;
    }
    out->jacobian_count = 0;
    memset(body->center, 0, body->node_count * sizeof(*body->center));
    for (uint32_t i = 0; i < body->mass_count; ++i) {
        const lmbi_mass *mass = &body->masses[i];
        const lmbi_node_pose *f = &body->now[mass->node];
        lmbi_screw_jacobian one;
        set_point_jacobian(
            &one, mass->node, m,
            lmb_vec3_add(f->position,
                         lmbi_quat_rotate(f->model, lmb_vec3_mul(f->scale, mass->offset))));
        for (int k = 0; k < 9; ++k) {
            body->center[mass->node].b[k] += mass->fraction * one.b[k];
            body->center[mass->node].c[k] += mass->fraction * one.c[k];
        }
    }
    for (uint32_t n = body->node_count; n-- > 1;) {
        for (int k = 0; k < 9; ++k) {
            body->center[body->nodes[n].parent].b[k] += body->center[n].b[k];
            body->center[body->nodes[n].parent].c[k] += body->center[n].c[k];
        }
    }
}

static void linearize_point(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    const lmb_vec3 x = point_of(body, body->now, goal->joint, goal->offset);
    float m[9];
    set_scaled(m, identity, 1.0f / body->reach);
    if (goal->kind == LMB_GOAL_GROUND) {
        const float height = lmbi_goal_height(body, goal, body->now);
        const bool counts = height < 0.0f || body->use[goal - body->job->goals] == 2;
        out->r[0] = counts ? height : 0.0f;
        set_dyad(m, 0.0f, counts ? 1.0f / body->reach : 0.0f, lmb_vec3_make(1, 0, 0),
                 normal_of(goal));
    }
    set_point_jacobian(&out->jacobians[0], node_at(body, goal->joint), m, x);
}

void lmbi_goal_linearize(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out)
{
    lmbi_goal_residual(body, goal, body->now, out->r);
    out->jacobian_count = 1;
    switch (goal->kind) {
    case LMB_GOAL_POSITION:
    case LMB_GOAL_GROUND:
        linearize_point(body, goal, out);
        return;
    case LMB_GOAL_ORIENTATION:
        memset(&out->jacobians[0], 0, sizeof(out->jacobians[0]));
        out->jacobians[0].node = node_at(body, goal->joint);
        lmbi_log_jacobian(lmb_vec3_make(-out->r[0], -out->r[1], -out->r[2]), out->jacobians[0].b);
        return;
    case LMB_GOAL_LOOK_AT:
        linearize_sight(body, goal, out);
        return;
    case LMB_GOAL_POLE:
        linearize_pole(body, goal, out);
        return;
    case LMB_GOAL_DISTANCE:
        linearize_distance(body, goal, out);
        return;
    case LMB_GOAL_CENTER_OF_MASS:
        linearize_mass(body, goal, out);
        return;
    }
}

// ---------------------------------------------------------------------------------------- columns

static void add_product(const lmbi_screw_jacobian *jacobian, lmbi_screw s, float out[3])
{
    for (int r = 0; r < 3; ++r) {
        const float *b = jacobian->b + 3 * r, *c = jacobian->c + 3 * r;
        out[r] +=
            b[0] * s.a.x + b[1] * s.a.y + b[2] * s.a.z + c[0] * s.v.x + c[1] * s.v.y + c[2] * s.v.z;
    }
}

void lmbi_goal_derivative(const lmbi_body_solver *body, const lmb_goal *goal,
                          const lmbi_linear *linear, uint32_t node, lmbi_screw screw, float out[3])
{
    out[0] = out[1] = out[2] = 0.0f;
    if (goal->kind == LMB_GOAL_CENTER_OF_MASS) {
        add_product(&body->center[node], screw, out);
        return;
    }
    for (uint32_t k = 0; k < linear->jacobian_count; ++k) {
        if (lmbi_node_is_under(body, linear->jacobians[k].node, node)) {
            add_product(&linear->jacobians[k], screw, out);
        }
    }
}
