#include <assert.h>
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/mix.h"
#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/anim.h"
#include "math/spring.h"

/// Offset of one joint from the target and its rate; for DEAD and FROZEN only the source's
/// velocity.
typedef struct offset {
    lmb_vec3 translation, translation_v; ///< metres, metres/s
    lmb_vec3 rotation, rotation_v; ///< rotation vectors in the parent's frame: radians, radians/s
    lmb_vec3 scale, scale_v;
} offset;

struct lmb_transition {
    uint32_t joint_count;
    lmb_transition_kind kind;
    bool under_way;
    float time_s, duration_s, half_life_s;
    offset *offsets;
    lmb_transform *from; ///< the source's last pose, for DEAD and FROZEN
    lmb_allocator allocator;
};

/// A transition and its arrays in one block.
static void *lay_out(lmbi_block *block, const void *def)
{
    const lmb_transition *from = def;
    lmb_transition *made = lmbi_block_array(block, from, 1, sizeof *from), measured;
    lmb_transition *t = made ? made : &measured;
    t->offsets = lmbi_block_zeros(block, from->joint_count, sizeof *t->offsets);
    t->from = lmbi_block_zeros(block, from->joint_count, sizeof *t->from);
    return made;
}

lmb_result lmb_transition_create(uint32_t joint_count, const lmb_allocator *alloc,
                                 lmb_transition **out, lmb_error *error)
{
    const lmb_transition def = {.joint_count = joint_count,
                                .allocator = alloc ? *alloc : (lmb_allocator){0}};
    lmb_transition *t = lmbi_block_build(lay_out, &def, alloc);
    if (t == NULL) {
        return lmbi_fail_memory(error);
    }
    *out = t;
    return LMB_OK;
}

void lmb_transition_destroy(lmb_transition *t)
{
    if (t != NULL) {
        lmbi_free_own(&t->allocator, t);
    }
}

// ------------------------------------------------------------------------------------------ start

static lmb_vec3 per_second(lmb_vec3 now, lmb_vec3 before, float dt_s)
{
    return dt_s > 0 ? lmb_vec3_scale(lmb_vec3_sub(now, before), 1 / dt_s) : lmb_vec3_make(0, 0, 0);
}

/// The pose dt_s before `now`, interpolated towards `before`, which is before_s before `now`.
static lmb_transform rescale_history(lmb_transform now, lmb_transform before, float before_s,
                                     float dt_s)
{
    if (!(before_s > 0) || before_s == dt_s) {
        return before;
    }
    const float fraction = dt_s / before_s;
    const lmb_quat back = lmb_quat_mul(before.rotation, lmb_quat_conjugate(now.rotation));
    lmb_transform out;
    out.translation = lmb_vec3_lerp(now.translation, before.translation, fraction);
    out.scale = lmb_vec3_lerp(now.scale, before.scale, fraction);
    out.rotation =
        lmb_quat_mul(lmbi_quat_exp(lmb_vec3_scale(lmbi_quat_log(back), fraction)), now.rotation);
    return out;
}

/// Rate of the rotation vector from `before` to `now`. Where the vector jumps at an angle of pi,
/// the rate of the relative rotation instead.
static lmb_vec3 rotation_rate(lmb_quat now, lmb_quat before, float dt_s)
{
    const lmb_vec3 rate = per_second(lmbi_quat_log(now), lmbi_quat_log(before), dt_s);
    if (lmb_vec3_length(rate) * dt_s < 1) {
        return rate;
    }
    const lmb_vec3 between = lmbi_quat_log(lmb_quat_mul(now, lmb_quat_conjugate(before)));
    return per_second(between, lmb_vec3_make(0, 0, 0), dt_s);
}

/// Offset of a from the target b, and its rate.
static offset offset_of(lmb_transform a, lmb_transform a_before, lmb_transform b,
                        lmb_transform b_before, float dt_s)
{
    offset o;
    o.translation = lmb_vec3_sub(a.translation, b.translation);
    o.translation_v =
        per_second(o.translation, lmb_vec3_sub(a_before.translation, b_before.translation), dt_s);
    o.scale = lmb_vec3_sub(a.scale, b.scale);
    o.scale_v = per_second(o.scale, lmb_vec3_sub(a_before.scale, b_before.scale), dt_s);
    const lmb_quat now = lmb_quat_mul(a.rotation, lmb_quat_conjugate(b.rotation));
    const lmb_quat before = lmb_quat_mul(a_before.rotation, lmb_quat_conjugate(b_before.rotation));
    o.rotation = lmbi_quat_log(now);
    o.rotation_v = rotation_rate(now, before, dt_s);
    return o;
}

static offset velocity_of(lmb_transform a, lmb_transform a_before, float dt_s)
{
    offset o = {0};
    o.translation_v = per_second(a.translation, a_before.translation, dt_s);
    o.scale_v = per_second(a.scale, a_before.scale, dt_s);
    o.rotation_v = rotation_rate(lmb_quat_mul(a.rotation, lmb_quat_conjugate(a_before.rotation)),
                                 lmb_quat_identity(), dt_s);
    return o;
}

void lmb_transition_start(lmb_transition *t, const lmb_transition_start_job *job)
{
    t->kind = job->kind;
    t->under_way = true;
    t->time_s = 0;
    t->duration_s = job->duration_s > 0 ? job->duration_s : 0.3f;
    t->half_life_s = job->half_life_s > 0 ? job->half_life_s : 0.1f;
    const bool decays = t->kind == LMB_TRANSITION_SPRING || t->kind == LMB_TRANSITION_QUINTIC;
    assert(job->from != NULL && (!decays || job->to != NULL));
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        const lmb_transform from = job->from[j];
        const lmb_transform from_before =
            job->from_before != NULL
                ? rescale_history(from, job->from_before[j], job->from_dt_s, job->dt_s)
                : from;
        t->from[j] = from;
        if (decays) {
            const lmb_transform to = job->to[j];
            t->offsets[j] = offset_of(from, from_before, to,
                                      job->to_before != NULL ? job->to_before[j] : to, job->dt_s);
        } else {
            t->offsets[j] = velocity_of(from, from_before, job->dt_s);
        }
    }
}

// ------------------------------------------------------------------------------------------- step

/// Quintic from x0, v0 to rest at 0 at time t1, with no initial acceleration, s = t / t1:
/// x0 (1 - 10 s^3 + 15 s^4 - 6 s^5) + v0 t1 (s - 6 s^3 + 8 s^4 - 3 s^5). Where v0
/// would carry x past 0 before t1, t1 is shortened as Bollo does, so that x does not overshoot.
static lmb_vec3 quintic_at(lmb_vec3 x0, lmb_vec3 v0, float end_s, float time_s)
{
    const float towards = -lmb_vec3_dot(x0, v0);
    float t1 = end_s;
    if (towards * end_s > 5 * lmb_vec3_dot(x0, x0)) {
        t1 = 5 * lmb_vec3_dot(x0, x0) / towards;
    }
    if (!(time_s < t1)) {
        return lmb_vec3_make(0, 0, 0);
    }
    const float s = time_s / t1, s3 = s * s * s;
    const float at_x = 1 + s3 * (-10 + s * (15 - 6 * s));
    const float at_v = t1 * (s + s3 * (-6 + s * (8 - 3 * s)));
    return lmb_vec3_mad(lmb_vec3_scale(x0, at_x), v0, at_v);
}

static void add_offset(lmb_transform *pose, lmb_vec3 translation, lmb_vec3 rotation, lmb_vec3 scale)
{
    pose->translation = lmb_vec3_add(pose->translation, translation);
    pose->rotation = lmb_quat_normalize(lmb_quat_mul(lmbi_quat_exp(rotation), pose->rotation));
    pose->scale = lmb_vec3_add(pose->scale, scale);
}

static bool step_spring(lmb_transition *t, float dt_s, lmb_transform *pose)
{
    const lmbi_spring_decay d = lmbi_spring_decay_make(lmbi_spring_rate(t->half_life_s), dt_s);
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        offset *o = &t->offsets[j];
        lmbi_spring_decay3(&o->translation, &o->translation_v, d);
        lmbi_spring_decay3(&o->rotation, &o->rotation_v, d);
        lmbi_spring_decay3(&o->scale, &o->scale_v, d);
        add_offset(&pose[j], o->translation, o->rotation, o->scale);
    }
    return t->time_s < 20 * t->half_life_s; // 2e-11 of the offset is left
}

static bool step_quintic(lmb_transition *t, lmb_transform *pose)
{
    const float end = t->duration_s, time = t->time_s;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        const offset *o = &t->offsets[j];
        add_offset(&pose[j], quintic_at(o->translation, o->translation_v, end, time),
                   quintic_at(o->rotation, o->rotation_v, end, time),
                   quintic_at(o->scale, o->scale_v, end, time));
    }
    return time < end;
}

/// The source moved by the integral of its decaying velocity.
static lmb_transform extrapolate(lmb_transform from, const offset *o, float seconds)
{
    add_offset(&from, lmb_vec3_scale(o->translation_v, seconds),
               lmb_vec3_scale(o->rotation_v, seconds), lmb_vec3_scale(o->scale_v, seconds));
    return from;
}

static bool step_crossfade(lmb_transition *t, lmb_transform *pose)
{
    const float s = fminf(t->time_s / t->duration_s, 1);
    const float weight = s * s * s * (10 + s * (-15 + 6 * s));
    // The integral of 2^(-t / half_life).
    const float rate = 0.69314718f / t->half_life_s;
    const float seconds =
        t->kind == LMB_TRANSITION_DEAD ? (1 - lmb_exp(-rate * t->time_s)) / rate : 0;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        const lmb_transform source =
            seconds > 0 ? extrapolate(t->from[j], &t->offsets[j], seconds) : t->from[j];
        pose[j] = lmbi_transform_mix(source, pose[j], weight);
    }
    return s < 1;
}

bool lmb_transition_step(lmb_transition *t, float dt_s, lmb_transform *pose)
{
    if (!t->under_way) {
        return false;
    }
    t->time_s += dt_s;
    if (t->kind == LMB_TRANSITION_SPRING) {
        t->under_way = step_spring(t, dt_s, pose);
    } else if (t->kind == LMB_TRANSITION_QUINTIC) {
        t->under_way = step_quintic(t, pose);
    } else {
        t->under_way = step_crossfade(t, pose);
    }
    return t->under_way;
}

// -------------------------------------------------------------------------------------- one number

/// Bollo, Inertialization: High-Performance Animation Transitions in Gears of War (2018).
lmbi_quintic lmbi_quintic_make(double x0, double v0, double end_s)
{
    // Solved for x0 >= 0; a negative offset is mirrored.
    const double sign = x0 < 0 ? -1 : 1, x = x0 * sign, v = fmin(v0 * sign, 0);
    double t1 = end_s;
    if (v < 0) {
        t1 = fmin(t1, -5 * x / v);
    }
    lmbi_quintic q = {0};
    if (!(t1 > 0)) {
        return q;
    }
    const double t2 = t1 * t1, t3 = t2 * t1;
    const double a0 = fmax(0, (-8 * v * t1 - 20 * x) / t2);
    q.a = -sign * (a0 * t2 + 6 * v * t1 + 12 * x) / (2 * t3 * t2);
    q.b = sign * (3 * a0 * t2 + 16 * v * t1 + 30 * x) / (2 * t2 * t2);
    q.c = -sign * (3 * a0 * t2 + 12 * v * t1 + 20 * x) / (2 * t3);
    q.a0 = sign * a0;
    q.v0 = sign * v;
    q.x0 = x0;
    q.end_s = t1;
    return q;
}

double lmbi_quintic_at(const lmbi_quintic *q, double t)
{
    if (t >= q->end_s) {
        return 0;
    }
    return ((((q->a * t + q->b) * t + q->c) * t + 0.5 * q->a0) * t + q->v0) * t + q->x0;
}

void lmbi_spring_step(double *x, double *v, double half_life_s, double dt_s)
{
    const double y = 2 * 0.69314718055994531 / half_life_s;
    const double j = *v + *x * y, factor = (double)lmb_exp((float)(-y * dt_s));
    *x = factor * (*x + j * dt_s);
    *v = factor * (*v - j * y * dt_s);
}
