/// The built-in motions by name.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/scalar.h"
#include "procedural/gait.h"
#include "procedural/motion_play.h"
#include "procedural/procedural.h"

// ---------------------------------------------------------------------------------------- gestures
// Idle, wave and jump of the generated humanoid.

/// Loop durations, seconds.
#define IDLE_S 8.0f
#define WAVE_S 3.6f
#define JUMP_S 2.4f
#define GRAVITY 9.81f

static float cosine_wave(float time_s, float period_s, float at)
{
    return lmb_cos(2.0f * LMB_PI * (time_s / period_s - at));
}

/// Fullness of the chest, 0 to 1. Inhaling takes two fifths of a breath.
static float breath(float phase)
{
    return phase < 0.4f ? 0.5f - 0.5f * lmb_cos(LMB_PI * phase / 0.4f)
                        : 0.5f + 0.5f * lmb_cos(LMB_PI * (phase - 0.4f) / 0.6f);
}

lmbi_figure_state lmbi_figure_breathe(float time_s, float period_s)
{
    lmbi_figure_state figure = lmbi_figure_stand();
    const float inhaled = breath(2.0f * time_s / period_s - floorf(2.0f * time_s / period_s));
    const float side = cosine_wave(time_s, period_s, 0.25f),
                back = cosine_wave(2.0f * time_s, period_s, 0.1f);
    figure.hips.x += 0.016f * side;
    figure.hips.z += 0.005f * back;
    figure.hips.y -= 0.001f + 0.002f * side * side;
    figure.pelvis = lmb_quat_mul(lmbi_rotation_y(1.5f * side), lmbi_rotation_z(1.6f * side));
    figure.chest = lmb_quat_mul(
        lmbi_rotation_y(-1.0f * side),
        lmb_quat_mul(lmbi_rotation_z(-0.8f * side), lmbi_rotation_x(1.0f - 2.0f * inhaled)));
    figure.head = lmb_quat_mul(lmbi_rotation_y(3.0f * cosine_wave(time_s, period_s, 0.4f)),
                               lmbi_rotation_x(1.0f + 0.8f * back));
    for (int k = 0; k < 2; ++k) {
        const float s = k == 0 ? 1.0f : -1.0f;
        figure.shoulder[k] = lmbi_rotation_z(s * 1.6f * inhaled);
        lmbi_figure_arm(&figure, k, lmb_quat_mul(figure.chest, lmbi_rotation_z(s * 0.6f * inhaled)),
                        76.0f, 2.0f + 1.0f * back, 14.0f + 1.5f * inhaled, 5.0f);
    }
    return figure;
}

static lmbi_figure_state idle_at(float time_s)
{
    return lmbi_figure_breathe(time_s, IDLE_S);
}

static lmbi_figure_state wave_at(float time_s)
{
    lmbi_figure_state figure = lmbi_figure_breathe(time_s, WAVE_S);
    // The arm rises, waves three times and sinks.
    const float up =
        lmbi_smoothstepf(time_s / 0.7f) * (1.0f - lmbi_smoothstepf((time_s - 2.7f) / 0.8f));
    const float swing_weight = lmbi_smoothstepf((time_s - 0.5f) / 0.3f) *
                               (1.0f - lmbi_smoothstepf((time_s - 2.4f) / 0.4f));
    const float swing = swing_weight * lmb_sin(2.0f * LMB_PI * (time_s - 0.5f) * 1.55f);
    // Right arm: sideways and slightly forward; forearm up, palm forward.
    const lmb_quat upper = lmb_quat_mul(lmbi_rotation_y(22.0f), lmbi_rotation_z(-8.0f));
    const lmb_quat fore =
        lmb_quat_mul(lmbi_rotation_z(-68.0f + 20.0f * swing),
                     lmb_quat_mul(lmbi_rotation_y(8.0f), lmbi_rotation_x(-75.0f)));
    const lmb_quat hand = lmb_quat_mul(lmbi_rotation_z(12.0f * swing), fore);
    figure.upper_arm[1] =
        lmb_quat_slerp(figure.upper_arm[1], lmb_quat_mul(figure.chest, upper), up);
    figure.lower_arm[1] = lmb_quat_slerp(figure.lower_arm[1], lmb_quat_mul(figure.chest, fore), up);
    figure.hand[1] = lmb_quat_slerp(figure.hand[1], lmb_quat_mul(figure.chest, hand), up);
    figure.shoulder[1] = lmb_quat_slerp(figure.shoulder[1], lmbi_rotation_z(-8.0f), up);
    figure.head = lmb_quat_mul(
        lmb_quat_mul(lmbi_rotation_y(-5.0f * up), lmbi_rotation_z(-4.0f * up)), figure.head);
    figure.curl[1] *= 1.0f - 0.85f * up;
    figure.hips.x += 0.012f * up;
    return figure;
}

// ------------------------------------------------------------------------------------------- jump

#define CROUCH_S 0.55f
#define TAKEOFF_S 0.82f
#define FLIGHT_S 0.48f ///< of 0.28 m = g t² / 8
#define LAND_S (TAKEOFF_S + FLIGHT_S)
#define SINK_S (LAND_S + 0.24f)
#define REST_S (SINK_S + 0.62f)
#define TAKEOFF_HEIGHT 0.070f ///< hip height above standing at take-off

/// Hip height above standing.
static float jump_height(float t)
{
    const float takeoff_speed = 0.5f * GRAVITY * FLIGHT_S;
    if (t < CROUCH_S) {
        return lmbi_hermite(0, 0, -0.27f, 0, CROUCH_S, t / CROUCH_S);
    }
    if (t < TAKEOFF_S) {
        return lmbi_hermite(-0.27f, 0, TAKEOFF_HEIGHT, takeoff_speed, TAKEOFF_S - CROUCH_S,
                            (t - CROUCH_S) / (TAKEOFF_S - CROUCH_S));
    }
    if (t < LAND_S) {
        const float u = t - TAKEOFF_S;
        return TAKEOFF_HEIGHT + takeoff_speed * u - 0.5f * GRAVITY * u * u;
    }
    if (t < SINK_S) {
        return lmbi_hermite(TAKEOFF_HEIGHT, -takeoff_speed, -0.20f, 0, SINK_S - LAND_S,
                            (t - LAND_S) / (SINK_S - LAND_S));
    }
    return t < REST_S
               ? lmbi_hermite(-0.20f, 0, 0, 0, REST_S - SINK_S, (t - SINK_S) / (REST_S - SINK_S))
               : 0.0f;
}

/// Pitch of the feet, toes up positive: heels rise before take-off, feet hang in the air, toes
/// touch down first.
static float jump_pitch(float t)
{
    const float rise = lmbi_smoothstepf((t - 0.68f) / (TAKEOFF_S - 0.68f)),
                hang = lmbi_smoothstepf((t - TAKEOFF_S - 0.1f) / (FLIGHT_S - 0.1f));
    const float down = lmbi_smoothstepf((t - LAND_S) / 0.09f);
    return -48.0f * rise * (1.0f - 0.45f * hang) * (1.0f - down);
}

static lmbi_figure_state jump_at(float time_s)
{
    lmbi_figure_state figure = lmbi_figure_stand();
    const float height = jump_height(time_s), crouch = fmaxf(0.0f, -height) / 0.27f;
    const bool flying = time_s > TAKEOFF_S && time_s < LAND_S;
    // In the air the legs tuck slightly and stretch for the landing.
    const float u = flying ? (time_s - TAKEOFF_S) / FLIGHT_S : 0.0f,
                tuck = 0.10f * 16.0f * u * u * (1.0f - u) * (1.0f - u);
    const float foot_height = flying ? height - TAKEOFF_HEIGHT + tuck : 0.0f;
    figure.hips.y += height;
    figure.hips.z -= 0.10f * crouch;
    figure.pelvis = lmbi_rotation_x(26.0f * crouch);
    figure.chest = lmbi_rotation_x(36.0f * crouch);
    figure.head = lmbi_rotation_x(10.0f * crouch - 6.0f * tuck / 0.1f);
    // Arms swing back in the crouch and up in the jump.
    const float up = lmbi_smoothstepf((time_s - 0.50f) / 0.36f) *
                     (1.0f - lmbi_smoothstepf((time_s - LAND_S + 0.12f) / 0.55f));
    const float back =
        lmbi_smoothstepf(time_s / CROUCH_S) * (1.0f - lmbi_smoothstepf((time_s - 0.50f) / 0.3f));
    for (int k = 0; k < 2; ++k) {
        const float s = k == 0 ? 1.0f : -1.0f;
        lmbi_figure_arm(&figure, k, figure.chest, 76.0f - 6.0f * up,
                        2.0f - 50.0f * back + 130.0f * up, 14.0f + 26.0f * up, 5.0f * (1.0f - up));
        lmbi_figure_foot(
            &figure, k,
            lmb_vec3_make(s * 0.115f, FIGURE_TOE_HEIGHT + foot_height, FIGURE_TOE_FORWARD),
            jump_pitch(time_s), s * 9.0f);
    }
    return figure;
}

lmbi_figure_state lmbi_figure_wave(float u)
{
    return wave_at(u * WAVE_S);
}

lmbi_figure_state lmbi_figure_jump(float u)
{
    return jump_at(u * JUMP_S);
}

// ----------------------------------------------------------------------------------------- motions

static const char *const names[LMB_MOTION_COUNT] = {"walk", "run", "idle", "wave", "jump"};

const char *lmbi_motion_name(lmb_motion_kind kind)
{
    return (unsigned)kind < LMB_MOTION_COUNT ? names[kind] : "";
}

lmb_motion_kind lmb_motion_find(const char *name)
{
    int kind = 0;
    while (kind < LMB_MOTION_COUNT && strcmp(names[kind], name) != 0) {
        ++kind;
    }
    return (lmb_motion_kind)kind;
}

typedef struct motion_plan {
    lmb_motion_kind kind;
    lmbi_gait gait;
    bool in_place;
    uint32_t frame_count;
    float length_s;
} motion_plan;

/// Hands are closed while running.
static lmbi_figure_state gait_frame(const motion_plan *p, uint32_t frame)
{
    lmbi_figure_state figure = lmbi_gait_frame(&p->gait, frame, p->in_place);
    figure.curl[0] = figure.curl[1] =
        p->kind == LMB_MOTION_RUN ? LMBI_RUNNING_CURL : FIGURE_CURL_AT_EASE;
    return figure;
}

static lmbi_figure_state make_frame(const void *context, uint32_t frame)
{
    const motion_plan *p = context;
    // The last frame repeats the first one exactly: the same time, without rounding differences.
    const float time_s = p->length_s * (float)(frame % p->frame_count) / (float)p->frame_count;
    switch (p->kind) {
    case LMB_MOTION_IDLE:
        return idle_at(time_s);
    case LMB_MOTION_WAVE:
        return wave_at(time_s);
    case LMB_MOTION_JUMP:
        return jump_at(time_s);
    default:
        return gait_frame(p, frame);
    }
}

static lmb_result check_opts(const lmb_motion_opts *opts, float speed, float rate, lmb_error *error)
{
    const bool run = opts->kind == LMB_MOTION_RUN;
    if ((unsigned)opts->kind >= LMB_MOTION_COUNT) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a motion that there is", "number %d",
                         (int)opts->kind);
    }
    if (!(rate >= 12.0f && rate <= 480.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "12 to 480 frames a second", "%g", (double)rate);
    }
    if (opts->kind <= LMB_MOTION_RUN &&
        !(speed >= (run ? 2.0f : 0.6f) && speed <= (run ? 6.0f : 2.1f))) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         run ? "a run of 2 to 6 m/s" : "a walk of 0.6 to 2.1 m/s", "%g",
                         (double)speed);
    }
    return LMB_OK;
}

lmb_result lmb_motion_create(const lmb_motion_opts *opts, const lmb_allocator *alloc,
                             lmb_character **out, lmb_error *error)
{
    static const float lengths[LMB_MOTION_COUNT] = {0, 0, IDLE_S, WAVE_S, JUMP_S};
    const bool run = opts->kind == LMB_MOTION_RUN;
    const float speed = opts->speed_m_s != 0.0f ? opts->speed_m_s : (run ? 3.2f : 1.35f);
    const float rate = opts->frame_rate != 0.0f ? opts->frame_rate : 60.0f;
    const lmb_result result = check_opts(opts, speed, rate, error);
    if (result != LMB_OK) {
        return result;
    }
    motion_plan p = {.kind = opts->kind, .in_place = opts->in_place};
    if (opts->kind <= LMB_MOTION_RUN) {
        const lmbi_gait_style *style = lmbi_gait_style_of(run ? LMB_GAIT_RUN : LMB_GAIT_WALK, 2);
        lmbi_gait_init_figure(&p.gait, style);
        lmbi_gait_set_speed(&p.gait, style, speed, rate);
        p.frame_count = p.gait.frame_count;
    } else {
        p.frame_count = (uint32_t)floorf(lengths[opts->kind] * rate + 0.5f);
    }
    p.length_s = opts->kind <= LMB_MOTION_RUN ? (float)p.frame_count / rate : lengths[opts->kind];
    return lmbi_figure_character(names[opts->kind], make_frame, &p, p.frame_count, rate, alloc, out,
                                 error);
}
