/// Where eyes and head look: eyes leap, the head comes after and the eyes turn back against it.
#include <math.h>

#include "limber/procedural.h"
#include "procedural/curve.h"

#define DEGREE (LMB_PI / 180.0f)
#define LEAST_LEAP (3.0f * DEGREE) ///< what is nearer is followed smoothly
#define HEAD_HZ 1.34               ///< half of a step in 0.2 s, critically damped
#define ROUND_THE_BACK (20.0f * DEGREE)
#define BLINK_CLOSE_S 0.1f
#define BLINK_S 0.25f

static float or_else(float value, float otherwise)
{
    return value > 0.0f ? value : otherwise;
}

static float limited(float x, float most)
{
    return x < -most ? -most : (x > most ? most : x);
}

/// Yaw to the left and pitch up of a direction. What went round the back stays on its side until it
/// is well past the middle.
static void aim_at(const lmb_gaze *gaze, lmb_vec3 direction, float out[2])
{
    const float flat = lmb_sqrt(direction.x * direction.x + direction.z * direction.z);
    float yaw = flat > 0.0f ? lmb_atan2(direction.x, direction.z) : gaze->aim[0];
    if (gaze->started && yaw - gaze->aim[0] > LMB_PI &&
        yaw - 2.0f * LMB_PI > -LMB_PI - ROUND_THE_BACK) {
        yaw -= 2.0f * LMB_PI;
    } else if (gaze->started && gaze->aim[0] - yaw > LMB_PI &&
               yaw + 2.0f * LMB_PI < LMB_PI + ROUND_THE_BACK) {
        yaw += 2.0f * LMB_PI;
    }
    out[0] = yaw;
    out[1] = flat > 0.0f || fabsf(direction.y) > 0.0f ? lmb_atan2(direction.y, flat) : gaze->aim[1];
}

/// Duration of a leap by its size: 21 ms and 2.2 ms a degree (Carpenter 1988).
static float leap_s(float angle)
{
    return 0.021f + 0.0022f * angle / DEGREE;
}

static void move_eyes(lmb_gaze *gaze, const float goal[2], float dt)
{
    const float x = goal[0] - gaze->eyes[0], y = goal[1] - gaze->eyes[1];
    const float away = lmb_sqrt(x * x + y * y);
    if (gaze->leap_left_s <= 0.0f && away > LEAST_LEAP) {
        gaze->leap_s = gaze->leap_left_s = leap_s(away);
        gaze->from[0] = gaze->eyes[0];
        gaze->from[1] = gaze->eyes[1];
        gaze->blink_s = away > 30.0f * DEGREE && gaze->blink_s <= 0.0f ? BLINK_S : gaze->blink_s;
    }
    gaze->leap_left_s = fmaxf(gaze->leap_left_s - dt, 0.0f);
    const float u = gaze->leap_s > 0.0f ? 1.0f - gaze->leap_left_s / gaze->leap_s : 1.0f;
    const float share = u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
    for (int k = 0; k < 2; ++k) {
        gaze->eyes[k] =
            gaze->leap_left_s > 0.0f ? gaze->from[k] + (goal[k] - gaze->from[k]) * share : goal[k];
    }
}

/// Blinks come as they like, 16 a minute, and with large leaps.
static float blink(lmb_gaze *gaze, float dt)
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
    const float since = BLINK_S - gaze->blink_s;
    gaze->blink_s -= dt;
    return since < BLINK_CLOSE_S ? lmbi_smooth(since / BLINK_CLOSE_S)
                                 : lmbi_smooth((BLINK_S - since) / (BLINK_S - BLINK_CLOSE_S));
}

static void start(lmb_gaze *gaze)
{
    gaze->random = lmb_random_seed(gaze->seed);
    gaze->next_blink_s = 4.0f * lmb_random_unit(&gaze->random);
    gaze->started = true;
}

lmb_gaze_turn lmb_gaze_step(lmb_gaze *gaze, lmb_vec3 direction, float dt_s)
{
    const float head_most[2] = {or_else(gaze->head_rad[0], 60.0f * DEGREE),
                                or_else(gaze->head_rad[1], 40.0f * DEGREE)};
    const float eye_most[2] = {or_else(gaze->eye_rad[0], 35.0f * DEGREE),
                               or_else(gaze->eye_rad[1], 25.0f * DEGREE)};
    lmb_gaze_turn out = {0};
    float goal[2], aim[2];
    aim_at(gaze, direction, aim);
    if (!gaze->started) {
        start(gaze);
    }
    for (int k = 0; k < 2; ++k) {
        gaze->aim[k] = aim[k];
        goal[k] = limited(aim[k], head_most[k] + eye_most[k]);
    }
    move_eyes(gaze, goal, dt_s);
    for (int k = 0; k < 2; ++k) {
        // The head takes two thirds, and what the eyes cannot.
        const float left = goal[k] - limited(goal[k], eye_most[k]);
        const float wanted = fabsf(left) > fabsf(goal[k]) / 1.5f ? left : goal[k] / 1.5f;
        out.head_rad[k] = (float)lmb_follow(&gaze->head[k], (double)limited(wanted, head_most[k]),
                                            HEAD_HZ, 1, (double)dt_s);
        out.eye_rad[k] = limited(gaze->eyes[k] - out.head_rad[k], eye_most[k]);
    }
    out.blink = blink(gaze, dt_s);
    return out;
}
