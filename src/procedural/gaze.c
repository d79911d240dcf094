/// Gaze: eyes make saccades, the head follows and the eyes counter-rotate.
#include <math.h>

#include "limber/procedural.h"
#include "procedural/curve.h"

#define DEGREE (LMB_PI / 180.0f)
#define MIN_SACCADE (3.0f * DEGREE) ///< smaller changes are followed smoothly
#define HEAD_HZ 1.34                ///< reaches half of a step in 0.2 s, critically damped
#define BACK_HYSTERESIS (20.0f * DEGREE)
#define BLINK_CLOSE_S 0.1f
#define BLINK_S 0.25f

static float value_or(float value, float fallback)
{
    return value > 0.0f ? value : fallback;
}

static float clamp_symmetric(float x, float limit)
{
    return x < -limit ? -limit : (x > limit ? limit : x);
}

/// Yaw (to the left) and pitch (up) of a direction. A target that passes behind the back stays on
/// its side until it is 20 degrees past the middle.
static void direction_to_angles(const lmb_gaze *gaze, lmb_vec3 direction, float out[2])
{
    const float flat = lmb_sqrt(direction.x * direction.x + direction.z * direction.z);
    float yaw = flat > 0.0f ? lmb_atan2(direction.x, direction.z) : gaze->aim[0];
    if (gaze->started && yaw - gaze->aim[0] > LMB_PI &&
        yaw - 2.0f * LMB_PI > -LMB_PI - BACK_HYSTERESIS) {
        yaw -= 2.0f * LMB_PI;
    } else if (gaze->started && gaze->aim[0] - yaw > LMB_PI &&
               yaw + 2.0f * LMB_PI < LMB_PI + BACK_HYSTERESIS) {
        yaw += 2.0f * LMB_PI;
    }
    out[0] = yaw;
    out[1] = flat > 0.0f || fabsf(direction.y) > 0.0f ? lmb_atan2(direction.y, flat) : gaze->aim[1];
}

/// Duration of a saccade: 21 ms and 2.2 ms per degree (Carpenter 1988).
static float saccade_duration(float angle)
{
    return 0.021f + 0.0022f * angle / DEGREE;
}

static void move_eyes(lmb_gaze *gaze, const float goal[2], float dt)
{
    const float x = goal[0] - gaze->eyes[0], y = goal[1] - gaze->eyes[1];
    const float angle_left = lmb_sqrt(x * x + y * y);
    if (gaze->leap_left_s <= 0.0f && angle_left > MIN_SACCADE) {
        gaze->leap_s = gaze->leap_left_s = saccade_duration(angle_left);
        gaze->from[0] = gaze->eyes[0];
        gaze->from[1] = gaze->eyes[1];
        gaze->blink_s =
            angle_left > 30.0f * DEGREE && gaze->blink_s <= 0.0f ? BLINK_S : gaze->blink_s;
    }
    gaze->leap_left_s = fmaxf(gaze->leap_left_s - dt, 0.0f);
    const float u = gaze->leap_s > 0.0f ? 1.0f - gaze->leap_left_s / gaze->leap_s : 1.0f;
    const float progress = u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
    for (int k = 0; k < 2; ++k) {
        gaze->eyes[k] = gaze->leap_left_s > 0.0f
                            ? gaze->from[k] + (goal[k] - gaze->from[k]) * progress
                            : goal[k];
    }
}

/// Blinks come at random, 16 a minute, and with large saccades.
static float step_blink(lmb_gaze *gaze, float dt)
{
    if (gaze->blink_s <= 0.0f) {
        gaze->next_blink_s -= dt;
        if (gaze->next_blink_s <= 0.0f) {
            gaze->blink_s = BLINK_S;
            gaze->next_blink_s =
                -3.75f * lmb_log(fmaxf(lmb_random_unit(&gaze->random), 1e-6f)) + BLINK_S;
        }
        return 0.0f;
    }
    const float elapsed = BLINK_S - gaze->blink_s;
    gaze->blink_s -= dt;
    return elapsed < BLINK_CLOSE_S
               ? lmbi_smoothstep(elapsed / BLINK_CLOSE_S)
               : lmbi_smoothstep((BLINK_S - elapsed) / (BLINK_S - BLINK_CLOSE_S));
}

static void start_gaze(lmb_gaze *gaze)
{
    gaze->random = lmb_random_seed(gaze->seed);
    gaze->next_blink_s = 4.0f * lmb_random_unit(&gaze->random);
    gaze->started = true;
}

lmb_gaze_rotation lmb_gaze_step(lmb_gaze *gaze, lmb_vec3 direction, float dt_s)
{
    const float head_limit[2] = {value_or(gaze->head_rad[0], 60.0f * DEGREE),
                                 value_or(gaze->head_rad[1], 40.0f * DEGREE)};
    const float eye_limit[2] = {value_or(gaze->eye_rad[0], 35.0f * DEGREE),
                                value_or(gaze->eye_rad[1], 25.0f * DEGREE)};
    lmb_gaze_rotation out = {0};
    float goal[2], aim[2];
    direction_to_angles(gaze, direction, aim);
    if (!gaze->started) {
        start_gaze(gaze);
    }
    for (int k = 0; k < 2; ++k) {
        gaze->aim[k] = aim[k];
        goal[k] = clamp_symmetric(aim[k], head_limit[k] + eye_limit[k]);
    }
    move_eyes(gaze, goal, dt_s);
    for (int k = 0; k < 2; ++k) {
        // The head takes two thirds of the angle, or what exceeds the eyes' range if that is more.
        const float excess = goal[k] - clamp_symmetric(goal[k], eye_limit[k]);
        const float head_goal = fabsf(excess) > fabsf(goal[k]) / 1.5f ? excess : goal[k] / 1.5f;
        out.head_rad[k] =
            (float)lmb_follow(&gaze->head[k], (double)clamp_symmetric(head_goal, head_limit[k]),
                              HEAD_HZ, 1, (double)dt_s);
        out.eye_rad[k] = clamp_symmetric(gaze->eyes[k] - out.head_rad[k], eye_limit[k]);
    }
    out.blink = step_blink(gaze, dt_s);
    return out;
}
