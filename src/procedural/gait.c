/// Parameters of each gait, and the motion of trunk and arms.
///
/// Angles over the cycle of a human follow gait biomechanics (Perry 1992; Winter 1991), the order
/// of an animal's feet Hildebrand (1965); phase 0 is the strike of the first foot.
#include "procedural/gait.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81f

static const lmbi_key walk_pitch[] = {{0.0f, 19},   {0.09f, 0},   {0.28f, 0},   {0.42f, -18},
                                      {0.50f, -34}, {0.60f, -62}, {0.64f, -67}, {0.75f, -26},
                                      {0.86f, 4},   {0.95f, 18}};
static const lmbi_key run_pitch[] = {{0.0f, 7},     {0.05f, 0},   {0.15f, 0},   {0.26f, -24},
                                     {0.355f, -50}, {0.48f, -84}, {0.62f, -76}, {0.78f, -22},
                                     {0.90f, 8},    {0.96f, 10}};
/// Of the bone above the paw: it leans back at strike, and over the paw as the body passes.
static const lmbi_key paw_pitch[] = {{0.0f, 10},   {0.12f, 0},   {0.22f, 0},
                                     {0.40f, -10}, {0.50f, -17}, {0.58f, -44},
                                     {0.70f, -44}, {0.84f, -6},  {0.94f, 10}};

static const lmbi_gait_style walk_style = {
    .pitch = walk_pitch,
    .pitch_count = 10,
    .pitch_duty = 0.61f,
    .duty = {0.61f, 0.61f},
    .froude = {0.20f, 0.74f},
    .stride = 2.55f,
    .offset = {0.0f, 0.5f},
    .width = 0.055f,
    .toe_out = 6.0f,
    .bob = 0.016f,
    .bob_phase = 0.27f,
    .ahead = 0.22f,
    .sway = 0.020f,
    .yaw = 5.0f,
    .list = 3.5f,
    .lean = 3.0f,
    .chest_yaw = 6.0f,
    .arm_swing = 21.0f,
    .arm_middle = 3.0f,
    .elbow = 16.0f,
    .elbow_swing = 11.0f,
    .arm_down = 80.0f,
    .across = 12.0f,
    .height = {0.84f, 1.1f},
};
static const lmbi_gait_style run_style = {
    .pitch = run_pitch,
    .pitch_count = 10,
    .pitch_duty = 0.355f,
    .duty = {0.355f, 0.355f},
    .froude = {0.69f, 2.1f},
    .stride = 2.5f,
    .offset = {0.0f, 0.5f},
    .width = 0.035f,
    .toe_out = 4.0f,
    .bob = 0.036f,
    .bob_phase = 0.43f,
    .ahead = 0.12f,
    .sway = 0.008f,
    .yaw = 8.0f,
    .list = 4.0f,
    .lean = 9.0f,
    .chest_yaw = 12.0f,
    .arm_swing = 36.0f,
    .arm_middle = -6.0f,
    .elbow = 88.0f,
    .elbow_swing = 16.0f,
    .arm_down = 74.0f,
    .across = 24.0f,
    .lift = 0.285f,
    .lift_back = 0.42f,
    .height = {0.78f, 1.1f},
};
/// Four legs: left and right behind, then left and right in front.
static const lmbi_gait_style amble_style = {
    .pitch = paw_pitch,
    .pitch_count = 9,
    .pitch_duty = 0.5f,
    .duty = {0.68f, 0.56f},
    .froude = {0.12f, 0.80f},
    .stride = 2.05f,
    .offset = {0.0f, 0.5f, 0.25f, 0.75f},
    .width = 0.85f,
    .bob = 0.006f,
    .bob_phase = 0.1f,
    .sway = 0.010f,
    .yaw = 2.0f,
    .list = 2.0f,
    .chest_yaw = 3.0f,
    .lift = 0.07f,
    .lift_back = 0.45f,
    .height = {0.86f, 0.99f},
};
static const lmbi_gait_style trot_style = {
    .pitch = paw_pitch,
    .pitch_count = 9,
    .pitch_duty = 0.5f,
    .duty = {0.46f, 0.34f},
    .froude = {0.55f, 1.70f},
    .stride = 2.05f,
    .offset = {0.0f, 0.5f, 0.5f, 0.0f},
    .width = 0.70f,
    .bob = 0.018f,
    .bob_phase = 0.0f,
    .yaw = 1.5f,
    .list = 1.5f,
    .chest_yaw = 1.5f,
    .lift = 0.12f,
    .lift_back = 0.45f,
    .height = {0.84f, 0.98f},
};
static const lmbi_gait_style gallop_style = {
    .pitch = paw_pitch,
    .pitch_count = 9,
    .pitch_duty = 0.5f,
    .duty = {0.30f, 0.20f},
    .froude = {1.20f, 3.60f},
    .stride = 2.15f,
    .offset = {0.0f, 0.10f, 0.45f, 0.55f},
    .width = 0.60f,
    .bob = 0.012f,
    .bob_phase = 0.3f,
    .rock = 4.0f,
    .rock_phase = 0.55f,
    .flex = 9.0f,
    .lift = 0.16f,
    .lift_back = 0.45f,
    .height = {0.78f, 0.97f},
};

/// Six legs: two alternating tripods (Hughes 1952), pairs left and right from behind to the front.
/// At a walk one tripod touches down before the other lifts off.
static const lmbi_gait_style tripod_style = {
    .duty = {0.62f, 0.54f},
    .froude = {0.06f, 0.45f},
    .stride = 1.5f,
    .offset = {0.0f, 0.5f, 0.5f, 0.0f, 0.0f, 0.5f},
    .width = 1.0f,
    .bob = 0.006f,
    .yaw = 1.5f,
    .lift = 0.10f,
    .lift_back = 0.45f,
    .height = {0.80f, 1.0f},
};
static const lmbi_gait_style tripod_run_style = {
    .duty = {0.50f, 0.42f},
    .froude = {0.30f, 0.60f},
    .stride = 1.5f,
    .offset = {0.0f, 0.5f, 0.5f, 0.0f, 0.0f, 0.5f},
    .width = 1.0f,
    .bob = 0.010f,
    .yaw = 2.0f,
    .lift = 0.12f,
    .lift_back = 0.45f,
    .height = {0.78f, 1.0f},
};
/// Eight legs: a ripple from behind to the front on each side, the sides half a cycle apart; at a
/// run the lag grows to two alternating sets of four (Wilson 1967).
static const lmbi_gait_style ripple_style = {
    .duty = {0.70f, 0.62f},
    .froude = {0.06f, 0.45f},
    .stride = 1.5f,
    .offset = {0.0f, 0.5f, 0.3f, 0.8f, 0.6f, 0.1f, 0.9f, 0.4f},
    .width = 1.0f,
    .bob = 0.004f,
    .yaw = 1.0f,
    .lift = 0.10f,
    .lift_back = 0.45f,
    .height = {0.80f, 1.0f},
};
static const lmbi_gait_style tetrapod_style = {
    .duty = {0.52f, 0.44f},
    .froude = {0.30f, 0.60f},
    .stride = 1.5f,
    .offset = {0.0f, 0.5f, 0.45f, 0.95f, 0.9f, 0.4f, 0.35f, 0.85f},
    .width = 1.0f,
    .bob = 0.008f,
    .yaw = 1.0f,
    .lift = 0.12f,
    .lift_back = 0.45f,
    .height = {0.78f, 1.0f},
};

const lmbi_gait_style *lmbi_gait_style_of(lmb_gait_kind kind, uint32_t leg_count)
{
    static const lmbi_gait_style *const two[] = {&walk_style, NULL, &run_style};
    static const lmbi_gait_style *const four[] = {&amble_style, &trot_style, &gallop_style};
    static const lmbi_gait_style *const six[] = {&tripod_style, NULL, &tripod_run_style};
    static const lmbi_gait_style *const eight[] = {&ripple_style, NULL, &tetrapod_style};
    static const lmbi_gait_style *const *const by_pairs[] = {two, four, six, eight};
    const uint32_t pairs = leg_count / 2;
    return (unsigned)kind >= LMB_GAIT_COUNT || pairs < 1 || pairs > 4 ? NULL
                                                                      : by_pairs[pairs - 1][kind];
}

void lmbi_gait_speeds(const lmbi_gait_style *style, float leg, float range[2])
{
    range[0] = style->froude[0] * lmb_sqrt(GRAVITY * leg);
    range[1] = style->froude[1] * lmb_sqrt(GRAVITY * leg);
}

// ------------------------------------------------------------------------------------------- trunk

static float cosine_wave(double cycles, float at)
{
    const double phase = cycles - (double)at;
    return lmb_cos(2.0f * LMB_PI * (float)(phase - floor(phase)));
}

/// Roll into the turn (60 percent of the balanced bank), and pitch for the slope, relative to the
/// heading.
static lmb_quat body_tilt(const lmbi_gait *gait, float heading)
{
    const float bank = -0.6f * lmb_atan2(gait->speed * gait->turn, GRAVITY) * 180.0f / LMB_PI;
    const float degrees = gait->slope * 180.0f / LMB_PI;
    const float up = degrees * lmb_cos(heading), side = degrees * lmb_sin(heading);
    // A body of four or more legs is parallel to the slope; one of two stands upright and leans a
    // little uphill.
    const bool follows_slope = gait->leg_count > 2;
    const lmb_quat pitch = lmbi_rotation_x(follows_slope ? -up : 0.35f * up);
    return lmb_quat_mul(lmbi_rotation_z(bank + (follows_slope ? side : 0.0f)), pitch);
}

static void set_trunk(const lmbi_gait *gait, lmbi_figure_state *figure, double cycles)
{
    const lmbi_gait_style *st = gait->style;
    float heading = 0;
    const lmb_vec3 position = lmbi_gait_path(gait, cycles * (double)gait->period_s, &heading);
    const lmb_quat heading_rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), heading);
    const lmb_quat body = lmb_quat_mul(heading_rotation, body_tilt(gait, heading));
    const float size = gait->leg_scale * gait->bounce, bobs = st->rock > 0.0f ? 1.0f : 2.0f;
    const float bob = st->bob * size * cosine_wave((double)bobs * cycles, bobs * st->bob_phase);
    const lmb_vec3 sway = {st->sway * size * cosine_wave(cycles, 0.5f * gait->duty),
                           gait->height + bob, 0};
    figure->hips = lmb_vec3_add(position, lmb_quat_rotate(heading_rotation, sway));
    // The left hip is forward at the left heel strike, and up while the left leg carries.
    const float yaw = -st->yaw * gait->hips * cosine_wave(cycles, 0.0f),
                list = st->list * gait->hips * cosine_wave(cycles, 0.16f);
    const float lean = st->lean + gait->lean;
    const float nod = gait->leg_count > 2 ? 0.0f : 1.2f * cosine_wave(2.0 * cycles, 0.1f);
    const float rock = st->rock * cosine_wave(cycles, st->rock_phase),
                flex = st->flex * cosine_wave(cycles, st->rock_phase + 0.25f);
    const float counter_yaw = st->chest_yaw * gait->hips * cosine_wave(cycles, 0.03f);
    figure->pelvis = lmb_quat_mul(
        lmb_quat_mul(body, lmbi_rotation_y(yaw)),
        lmb_quat_mul(lmbi_rotation_z(list), lmbi_rotation_x(0.6f * lean + nod + rock - flex)));
    figure->chest = lmb_quat_mul(lmb_quat_mul(body, lmbi_rotation_y(counter_yaw)),
                                 lmb_quat_mul(lmbi_rotation_z(-0.35f * list),
                                              lmbi_rotation_x(lean - 0.4f * nod + rock + flex)));
    figure->head =
        lmb_quat_mul(heading_rotation, lmb_quat_mul(lmbi_rotation_y(0.15f * counter_yaw),
                                                    lmbi_rotation_x(0.25f * st->lean + gait->nod)));
}

static void set_arm(const lmbi_gait *gait, lmbi_figure_state *figure, int side, double cycles)
{
    const lmbi_gait_style *st = gait->style;
    const float s = side == 0 ? 1.0f : -1.0f;
    // Opposite to the leg of its side, slightly delayed.
    const double leg_cycles = cycles - (side == 0 ? 0.0 : 0.5);
    const float swing = -gait->swing * cosine_wave(leg_cycles, 0.04f),
                delayed = -gait->swing * cosine_wave(leg_cycles, 0.08f);
    figure->shoulder[side] = lmbi_rotation_y(-s * 3.0f * swing);
    const lmb_quat body = lmb_quat_mul(figure->chest, figure->shoulder[side]);
    lmbi_figure_arm(figure, side, body, st->arm_down, st->arm_middle + st->arm_swing * swing,
                    st->elbow + st->elbow_swing * delayed, st->across);
}

lmbi_figure_state lmbi_gait_at(const lmbi_gait *gait, double cycles)
{
    lmbi_figure_state figure = lmbi_figure_stand();
    set_trunk(gait, &figure, cycles);
    for (int side = 0; side < 2; ++side) {
        set_arm(gait, &figure, side, cycles);
    }
    for (uint32_t leg = 0; leg < gait->leg_count; ++leg) {
        lmbi_gait_pose_foot(gait, &figure, leg, cycles);
    }
    return figure;
}

/// Raises the hips as far as the legs allow: no planted foot of the cycle is farther than
/// LMBI_GAIT_REACH.
static void raise_hips(lmbi_gait *gait)
{
    float height = gait->max_height;
    gait->height = 0.0f;
    for (uint32_t f = 0; f < gait->frame_count; ++f) {
        const lmbi_figure_state figure = lmbi_gait_at(gait, (double)f / (double)gait->frame_count);
        for (uint32_t k = 0; k < gait->leg_count; ++k) {
            const lmbi_gait_leg *leg = &gait->legs[k];
            if (!lmbi_gait_stands(gait, k, (double)f / (double)gait->frame_count)) {
                continue;
            }
            const lmb_quat carrier = leg->front ? figure.chest : figure.pelvis;
            const lmb_vec3 hip = lmb_vec3_add(figure.hips, lmb_quat_rotate(carrier, leg->hip));
            const float x = figure.ankle[k].x - hip.x, z = figure.ankle[k].z - hip.z;
            const float reach = LMBI_GAIT_REACH * leg->length,
                        drop_squared = reach * reach - x * x - z * z;
            // `hip` was computed with a hip height of 0.
            height = fminf(height, figure.ankle[k].y + lmb_sqrt(fmaxf(drop_squared, 0.0f)) - hip.y);
        }
    }
    gait->height = height;
}

void lmbi_gait_init_figure(lmbi_gait *gait, const lmbi_gait_style *style)
{
    memset(gait, 0, sizeof(*gait));
    gait->leg_count = 2;
    gait->leg_scale = gait->bounce = gait->swing = gait->lift = gait->stride_factor = gait->hips =
        1.0f;
    gait->max_height = FIGURE_HIP_HEIGHT;
    for (int side = 0; side < 2; ++side) {
        const float s = side == 0 ? 1.0f : -1.0f;
        gait->legs[side] = (lmbi_gait_leg){.foot = {.ankle_height = FIGURE_ANKLE_HEIGHT,
                                                    .toe_height = FIGURE_TOE_HEIGHT,
                                                    .toe_forward = FIGURE_TOE_FORWARD,
                                                    .heel_back = FIGURE_HEEL_BACK,
                                                    .tip = 0.065f,
                                                    .heel = true,
                                                    .rolls = true},
                                           .length = FIGURE_LEG,
                                           .hip = {s * FIGURE_HIP_WIDTH, 0, 0},
                                           .lateral = s * style->width,
                                           .knee = 1.0f};
    }
}

void lmbi_gait_set_speed(lmbi_gait *gait, const lmbi_gait_style *style, float speed, float rate)
{
    const float leg = FIGURE_LEG * gait->leg_scale, froude = speed * speed / (GRAVITY * leg);
    const float relative = lmb_sqrt(froude);
    float u = (relative - style->froude[0]) / (style->froude[1] - style->froude[0]);
    u = fminf(fmaxf(u, 0.0f), 1.0f);
    gait->style = style;
    gait->speed = speed;
    gait->duty = style->duty[0] + u * (style->duty[1] - style->duty[0]);
    const float stride =
        gait->stride_factor * style->stride * leg * lmb_exp(0.3f * lmb_log(froude));
    const float frames = floorf(stride / speed * rate + 0.5f);
    // Fast steps of small legs need fewer frames.
    const float least_frames = gait->leg_count > 4 ? 4.0f : 8.0f;
    gait->frame_count = (uint32_t)fmaxf(frames, least_frames);
    gait->period_s = (float)gait->frame_count / rate;
    gait->stride = speed * gait->period_s;
    gait->reach = (style->ahead > 0.0f ? style->ahead : 0.5f * gait->duty) * gait->stride;
    for (uint32_t k = 0; k < gait->leg_count; ++k) {
        gait->legs[k].offset = style->offset[k];
    }
    raise_hips(gait);
}

lmbi_figure_state lmbi_gait_frame(const lmbi_gait *gait, uint32_t frame, bool in_place)
{
    // The last frame repeats the first one exactly: the phase is computed from k, without rounding
    // differences.
    const uint32_t k = frame % gait->frame_count;
    lmbi_figure_state figure = lmbi_gait_at(gait, (double)k / (double)gait->frame_count);
    const float offset = gait->stride * (float)(frame / gait->frame_count) -
                         (in_place ? gait->stride * (float)frame / (float)gait->frame_count : 0.0f);
    figure.hips.z += offset;
    figure.ankle[0].z += offset;
    figure.ankle[1].z += offset;
    return figure;
}
