/// Idle, wave, jump.
#include "procedural/gesture.h"
#include "procedural/curve.h"

#include <math.h>

#define GRAVITY 9.81f

static float cycle(float time_s, float period_s, float at)
{
    return lmb_cos(2.0f * LMB_PI * (time_s / period_s - at));
}

/// Inhaling takes two fifths of a breath: 0 empty, 1 full.
static float breath(float phase)
{
    return phase < 0.4f ? 0.5f - 0.5f * lmb_cos(LMB_PI * phase / 0.4f)
                        : 0.5f + 0.5f * lmb_cos(LMB_PI * (phase - 0.4f) / 0.6f);
}

/// Standing with weight that wanders from leg to leg and a chest that breathes. Feet stay where
/// they are.
static lmbi_figure_state stand_at(float time_s, float period_s)
{
    lmbi_figure_state figure = lmbi_figure_stand();
    const float in = breath(2.0f * time_s / period_s - floorf(2.0f * time_s / period_s));
    const float side = cycle(time_s, period_s, 0.25f), back = cycle(2.0f * time_s, period_s, 0.1f);
    figure.hips.x += 0.016f * side;
    figure.hips.z += 0.005f * back;
    figure.hips.y -= 0.001f + 0.002f * side * side;
    figure.pelvis = lmb_quat_mul(lmbi_turn_y(1.5f * side), lmbi_turn_z(1.6f * side));
    figure.chest =
        lmb_quat_mul(lmbi_turn_y(-1.0f * side),
                     lmb_quat_mul(lmbi_turn_z(-0.8f * side), lmbi_turn_x(1.0f - 2.0f * in)));
    figure.head = lmb_quat_mul(lmbi_turn_y(3.0f * cycle(time_s, period_s, 0.4f)),
                               lmbi_turn_x(1.0f + 0.8f * back));
    for (int k = 0; k < 2; ++k) {
        const float s = k == 0 ? 1.0f : -1.0f;
        figure.shoulder[k] = lmbi_turn_z(s * 1.6f * in);
        lmbi_figure_arm(&figure, k, lmb_quat_mul(figure.chest, lmbi_turn_z(s * 0.6f * in)), 76.0f,
                        2.0f + 1.0f * back, 14.0f + 1.5f * in, 5.0f);
    }
    return figure;
}

lmbi_figure_state lmbi_idle_at(float time_s)
{
    return stand_at(time_s, IDLE_S);
}

lmbi_figure_state lmbi_wave_at(float time_s)
{
    lmbi_figure_state figure = stand_at(time_s, WAVE_S);
    // Up, three times to and fro, down.
    const float up = lmbi_smooth(time_s / 0.7f) * (1.0f - lmbi_smooth((time_s - 2.7f) / 0.8f));
    const float swinging =
        lmbi_smooth((time_s - 0.5f) / 0.3f) * (1.0f - lmbi_smooth((time_s - 2.4f) / 0.4f));
    const float to_and_fro = swinging * lmb_sin(2.0f * LMB_PI * (time_s - 0.5f) * 1.55f);
    // The right arm: out to the side, a little forward; the forearm up, palm forward.
    const lmb_quat upper = lmb_quat_mul(lmbi_turn_y(22.0f), lmbi_turn_z(-8.0f));
    const lmb_quat fore = lmb_quat_mul(lmbi_turn_z(-68.0f + 20.0f * to_and_fro),
                                       lmb_quat_mul(lmbi_turn_y(8.0f), lmbi_turn_x(-75.0f)));
    const lmb_quat hand = lmb_quat_mul(lmbi_turn_z(12.0f * to_and_fro), fore);
    figure.upper_arm[1] =
        lmb_quat_slerp(figure.upper_arm[1], lmb_quat_mul(figure.chest, upper), up);
    figure.lower_arm[1] = lmb_quat_slerp(figure.lower_arm[1], lmb_quat_mul(figure.chest, fore), up);
    figure.hand[1] = lmb_quat_slerp(figure.hand[1], lmb_quat_mul(figure.chest, hand), up);
    figure.shoulder[1] = lmb_quat_slerp(figure.shoulder[1], lmbi_turn_z(-8.0f), up);
    figure.head =
        lmb_quat_mul(lmb_quat_mul(lmbi_turn_y(-5.0f * up), lmbi_turn_z(-4.0f * up)), figure.head);
    figure.curl[1] *= 1.0f - 0.85f * up;
    figure.hips.x += 0.012f * up;
    return figure;
}

// ------------------------------------------------------------------------------------------- jump

#define CROUCH_S 0.55f
#define LEAVE_S 0.82f
#define FLIGHT_S 0.48f ///< a rise of g t^2 / 8 = 0.28 m
#define LAND_S (LEAVE_S + FLIGHT_S)
#define SINK_S (LAND_S + 0.24f)
#define STILL_S (SINK_S + 0.62f)
#define ON_TOES 0.070f ///< hips above standing as the toes leave

/// Height of the hips over standing.
static float jump_height(float t)
{
    const float leave = 0.5f * GRAVITY * FLIGHT_S;
    if (t < CROUCH_S) {
        return lmbi_hermite(0, 0, -0.27f, 0, CROUCH_S, t / CROUCH_S);
    }
    if (t < LEAVE_S) {
        return lmbi_hermite(-0.27f, 0, ON_TOES, leave, LEAVE_S - CROUCH_S,
                            (t - CROUCH_S) / (LEAVE_S - CROUCH_S));
    }
    if (t < LAND_S) {
        const float u = t - LEAVE_S;
        return ON_TOES + leave * u - 0.5f * GRAVITY * u * u;
    }
    if (t < SINK_S) {
        return lmbi_hermite(ON_TOES, -leave, -0.20f, 0, SINK_S - LAND_S,
                            (t - LAND_S) / (SINK_S - LAND_S));
    }
    return t < STILL_S
               ? lmbi_hermite(-0.20f, 0, 0, 0, STILL_S - SINK_S, (t - SINK_S) / (STILL_S - SINK_S))
               : 0.0f;
}

/// Toes up positive: heels rise before the feet leave, feet hang, toes touch first.
static float jump_pitch(float t)
{
    const float rise = lmbi_smooth((t - 0.68f) / (LEAVE_S - 0.68f)),
                settle = lmbi_smooth((t - LEAVE_S - 0.1f) / (FLIGHT_S - 0.1f));
    const float down = lmbi_smooth((t - LAND_S) / 0.09f);
    return -48.0f * rise * (1.0f - 0.45f * settle) * (1.0f - down);
}

lmbi_figure_state lmbi_jump_at(float time_s)
{
    lmbi_figure_state figure = lmbi_figure_stand();
    const float height = jump_height(time_s), crouch = fmaxf(0.0f, -height) / 0.27f;
    const bool flying = time_s > LEAVE_S && time_s < LAND_S;
    // In the air the legs tuck a little and stretch again for the ground.
    const float u = flying ? (time_s - LEAVE_S) / FLIGHT_S : 0.0f,
                tuck = 0.10f * 16.0f * u * u * (1.0f - u) * (1.0f - u);
    const float off = flying ? height - ON_TOES + tuck : 0.0f;
    figure.hips.y += height;
    figure.hips.z -= 0.10f * crouch;
    figure.pelvis = lmbi_turn_x(26.0f * crouch);
    figure.chest = lmbi_turn_x(36.0f * crouch);
    figure.head = lmbi_turn_x(10.0f * crouch - 6.0f * tuck / 0.1f);
    // Arms swing back with the crouch and up with the leap.
    const float up = lmbi_smooth((time_s - 0.50f) / 0.36f) *
                     (1.0f - lmbi_smooth((time_s - LAND_S + 0.12f) / 0.55f));
    const float back =
        lmbi_smooth(time_s / CROUCH_S) * (1.0f - lmbi_smooth((time_s - 0.50f) / 0.3f));
    for (int k = 0; k < 2; ++k) {
        const float s = k == 0 ? 1.0f : -1.0f;
        lmbi_figure_arm(&figure, k, figure.chest, 76.0f - 6.0f * up,
                        2.0f - 50.0f * back + 130.0f * up, 14.0f + 26.0f * up, 5.0f * (1.0f - up));
        lmbi_figure_foot(&figure, k,
                         lmb_vec3_make(s * 0.115f, FIGURE_TOE_HEIGHT + off, FIGURE_TOE_FORWARD),
                         jump_pitch(time_s), s * 9.0f);
    }
    return figure;
}
