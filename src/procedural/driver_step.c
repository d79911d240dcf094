/// Runs one frame of a driver program: channels from the pose, instructions, channels to the pose.
#include <math.h>
#include <string.h>

#include "math/double.h"
#include "math/math.h"
#include "procedural/driver.h"

enum { ROTATIONS = 7u << 3 };

// -------------------------------------------------------------------------------------- the pose

static void read_joint(lmb_drivers *drivers, const lmbi_driver_joint *entry,
                       const lmb_transform *local)
{
    const lmb_transform rest = drivers->character->skeleton->rest[entry->joint];
    const lmb_transform now = local[entry->joint];
    double *slot = drivers->slots + entry->first;
    const lmb_quat rest_inverse = lmb_quat_conjugate(rest.rotation);
    const lmb_vec3 offset =
        lmb_quat_rotate(rest_inverse, lmb_vec3_sub(now.translation, rest.translation));
    const float from[3] = {rest.scale.x, rest.scale.y, rest.scale.z};
    const float to[3] = {now.scale.x, now.scale.y, now.scale.z};
    float zyx[3];
    lmbi_quat_to_euler(lmb_quat_mul(rest_inverse, now.rotation), "zyx", zyx);
    slot[0] = (double)offset.x;
    slot[1] = (double)offset.y;
    slot[2] = (double)offset.z;
    for (int k = 0; k < 3; ++k) {
        slot[3 + k] = (double)zyx[2 - k];
        slot[6 + k] = fabsf(from[k]) > 0 ? (double)(to[k] / from[k]) : 1;
    }
}

/// Rz(z) Ry(y) Rx(x); the angles may be many revolutions.
static lmb_quat rotation_from_angles(const double angles[3])
{
    double c[3], s[3];
    for (int k = 0; k < 3; ++k) {
        const double half = 0.5 * fmod(angles[k], 4 * 3.14159265358979323846);
        c[k] = lmbi_cos(half);
        s[k] = lmbi_sin(half);
    }
    return lmb_quat_normalize(lmb_quat_make((float)(s[0] * c[1] * c[2] - c[0] * s[1] * s[2]),
                                            (float)(c[0] * s[1] * c[2] + s[0] * c[1] * s[2]),
                                            (float)(c[0] * c[1] * s[2] - s[0] * s[1] * c[2]),
                                            (float)(c[0] * c[1] * c[2] + s[0] * s[1] * s[2])));
}

static void write_joint(const lmb_drivers *drivers, const lmbi_driver_joint *entry,
                        lmb_transform *local)
{
    const lmb_transform rest = drivers->character->skeleton->rest[entry->joint];
    const double *slot = drivers->slots + entry->first;
    lmb_transform *now = &local[entry->joint];
    if (entry->driven & 7u) {
        const lmb_vec3 offset = lmb_vec3_make((float)slot[0], (float)slot[1], (float)slot[2]);
        now->translation = lmb_vec3_add(rest.translation, lmb_quat_rotate(rest.rotation, offset));
    }
    if (entry->driven & ROTATIONS) {
        now->rotation =
            lmb_quat_normalize(lmb_quat_mul(rest.rotation, rotation_from_angles(slot + 3)));
    }
    if (entry->driven >> 6) {
        now->scale =
            lmb_vec3_mul(rest.scale, lmb_vec3_make((float)slot[6], (float)slot[7], (float)slot[8]));
    }
}

// --------------------------------------------------------------------- operations with state

static double step_spring(double *memory, const double *a, double dt)
{
    lmb_follower f = {memory[0], memory[1], memory[2], memory[3] > 0};
    if (!isfinite(a[0]) || !isfinite(a[1]) || !isfinite(a[2])) {
        return (double)NAN;
    }
    lmb_follow(&f, a[0], a[1], a[2], dt);
    memory[0] = f.value;
    memory[1] = f.speed;
    memory[2] = f.target;
    memory[3] = 1;
    return f.value;
}

/// Halves the distance to x every `a[1]` seconds.
static double step_lag(double *memory, const double *a, double dt)
{
    if (!isfinite(a[0])) {
        return (double)NAN;
    }
    const double decay = a[1] > 0 ? lmbi_exp(-0.69314718055994530942 * dt / a[1]) : 0;
    memory[0] = memory[3] > 0 ? a[0] + (memory[0] - a[0]) * decay : a[0];
    memory[3] = 1;
    return memory[0];
}

/// Trapezoidal rule: linear inputs are integrated exactly at any frame rate.
static double step_integral(double *memory, double x, double dt)
{
    if (!isfinite(x)) {
        return (double)NAN;
    }
    memory[0] += memory[3] > 0 ? 0.5 * (x + memory[1]) * dt : 0;
    memory[1] = x;
    memory[3] = 1;
    return memory[0];
}

static double step_with_state(const lmbi_driver_instruction *i, double *memory, const double *a,
                              double dt)
{
    double *m = memory + i->slot;
    switch (i->op) {
    case OP_SPRING:
        return step_spring(m, a, dt);
    case OP_LAG:
        return step_lag(m, a, dt);
    case OP_INTEGRATE:
        return step_integral(m, a[0], dt);
    default: { // OP_PHASE
        const double x = step_integral(m, a[0], dt);
        m[0] -= floor(m[0]);
        return x - floor(x);
    }
    }
}

// ------------------------------------------------------------------------------------ the machine

static void store_slot(lmb_drivers *drivers, uint32_t slot, double value)
{
    if (isfinite(value)) {
        drivers->slots[slot] = value;
        drivers->last_finite[slot] = value;
    } else if (isfinite(drivers->last_finite[slot])) {
        drivers->slots[slot] = drivers->last_finite[slot];
    }
}

static void run_program(lmb_drivers *drivers)
{
    double stack[LMBI_DRIVER_STACK], *top = stack;
    double *slots = drivers->slots;
    for (uint32_t at = 0; at < drivers->code_count; ++at) { // without code there is no array
        const lmbi_driver_instruction *i = &drivers->code[at];
        switch (i->op) {
        case OP_NUMBER:
            *top++ = i->number;
            break;
        case OP_LOAD:
        case OP_POSE:
            *top++ = slots[i->slot];
            break;
        case OP_STORE:
            store_slot(drivers, i->slot, *--top);
            break;
        case OP_ADD:
            --top;
            top[-1] += top[0];
            break;
        case OP_SUB:
            --top;
            top[-1] -= top[0];
            break;
        case OP_MUL:
            --top;
            top[-1] *= top[0];
            break;
        default:
            top -= i->arity;
            *top = i->op < OP_SPRING
                       ? lmbi_driver_apply((lmbi_driver_op)i->op, top)
                       : step_with_state(i, drivers->memory, top, slots[LMBI_DRIVER_DT]);
            ++top;
        }
    }
}

void lmb_drivers_step(const lmb_drivers_step_job *job)
{
    lmb_drivers *drivers = job->drivers;
    if (job->restart) {
        lmbi_drivers_restart(drivers);
    }
    drivers->slots[LMBI_DRIVER_T] = job->time_s;
    drivers->slots[LMBI_DRIVER_DT] = job->dt_s;
    for (uint32_t k = 0; k < drivers->joint_count; ++k) {
        read_joint(drivers, &drivers->joints[k], job->local);
    }
    for (uint32_t k = 0; k < drivers->morph_count; ++k) {
        const lmbi_driver_morph *m = &drivers->morphs[k];
        drivers->slots[m->slot] =
            job->weights != NULL ? (double)job->weights[drivers->weight_indices[m->first]] : 0;
    }
    run_program(drivers);
    for (uint32_t k = 0; k < drivers->joint_count; ++k) {
        write_joint(drivers, &drivers->joints[k], job->local);
    }
    for (uint32_t k = 0; k < drivers->morph_count; ++k) {
        const lmbi_driver_morph *m = &drivers->morphs[k];
        for (uint32_t n = 0; n < m->count && m->driven && job->weights != NULL; ++n) {
            job->weights[drivers->weight_indices[m->first + n]] = (float)drivers->slots[m->slot];
        }
    }
}
