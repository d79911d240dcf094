/// Walking and running.
///
/// A foot's stance is a roll: about the heel until the sole is down, flat, then about the toe joint
/// until it leaves. The points it rolls about do not move, so a planted foot cannot slide. Its
/// swing is a smooth path from where the roll left it to where the next begins.
/// Angles over the cycle follow gait biomechanics (Perry 1992; Winter 1991); 0 is the heel strike
/// of the left foot.
#include "procedural/gait.h"
#include "procedural/curve.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81f
#define REACH 0.995f ///< of the leg: knees never lock

/// What differs between walk and run. Angles in degrees, lengths in metres, phases in cycles.
typedef struct lmbi_gait_style {
    const lmbi_key *pitch; ///< of the foot, toes up
    int pitch_count;
    float width; ///< of a foot from the middle line
    float toe_out;
    float bob, bob_phase; ///< the hips' rise and fall, highest at this phase of the half cycle
    float ahead;          ///< of a stride: how far before the hips the foot comes down
    float sway, yaw, list, lean;
    float chest_yaw;
    float arm_swing, arm_middle, elbow, elbow_swing, arm_down, across;
    /// of the ankle in the middle of the swing, and where that is between the ends
    float lift, lift_back;
} style;

static const lmbi_key walk_pitch[] = {{0.0f, 19},   {0.09f, 0},   {0.28f, 0},   {0.42f, -18},
                                      {0.50f, -34}, {0.60f, -62}, {0.64f, -67}, {0.75f, -26},
                                      {0.86f, 4},   {0.95f, 18}};
static const lmbi_key run_pitch[] = {{0.0f, 7},     {0.05f, 0},   {0.15f, 0},   {0.26f, -24},
                                     {0.355f, -50}, {0.48f, -84}, {0.62f, -76}, {0.78f, -22},
                                     {0.90f, 8},    {0.96f, 10}};

static const style walk_style = {
    .pitch = walk_pitch,
    .pitch_count = 10,
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
    .lift = 0.0f,
    .lift_back = 0.0f,
};
static const style run_style = {
    .pitch = run_pitch,
    .pitch_count = 10,
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
    .lift = 0.37f,
    .lift_back = 0.42f,
};

// --------------------------------------------------------------------------------------- one foot

static float wrap(float phase)
{
    return phase - floorf(phase);
}

static float pitch_at(const lmbi_gait *gait, float phase)
{
    return lmbi_cycle_at(gait->style->pitch, gait->style->pitch_count, wrap(phase));
}

/// The toe joint of a foot in stance, at `phase` in [0, duty], in a frame whose origin lies on the
/// ground below the ankle of the flat foot, the foot pointing to +z.
static lmb_vec3 stance_toe(float pitch)
{
    const lmb_vec3 toe = {0, FIGURE_TOE_HEIGHT, FIGURE_TOE_FORWARD};
    if (pitch <= 0.0f) {
        return toe; // flat, or rolling about the toe joint
    }
    const lmb_vec3 heel = {0, 0, -FIGURE_HEEL_BACK};
    return lmb_vec3_add(heel, lmb_quat_rotate(lmbi_turn_x(-pitch), lmb_vec3_sub(toe, heel)));
}

/// A foot while it swings: Hermite pieces that leave and arrive with the velocities of the roll.
static lmb_vec3 swing_toe(const lmbi_gait *gait, float phase)
{
    const float duty = gait->duty, step = 1e-3f, span = 1.0f - duty, x = (phase - duty) / span;
    const lmb_vec3 from = stance_toe(pitch_at(gait, duty)), to = stance_toe(pitch_at(gait, 1.0f));
    const lmb_vec3 landing =
        lmb_vec3_scale(lmb_vec3_sub(stance_toe(pitch_at(gait, step)), to), 1.0f / step);
    const float ahead = gait->stride;
    const float slow = landing.y * 1.0f;
    if (gait->style->lift <= 0.0f) {
        // The toe joint leaves the ground at once and stays low; it rises with the pitch before the
        // heel strikes.
        const float clear = 0.022f * 16.0f * x * x * (1.0f - x) * (1.0f - x);
        return lmb_vec3_make(0, lmbi_hermite(from.y, 0.15f, to.y, slow, span, x) + clear,
                             lmbi_hermite(from.z, 0.0f, to.z + ahead, landing.z, span, x));
    }
    const float cut = gait->style->lift_back, middle_z = from.z + 0.40f * (to.z + ahead - from.z);
    const float middle_v = 1.75f * (to.z + ahead - from.z) / span,
                lift = gait->style->lift - FIGURE_ANKLE_HEIGHT;
    if (x < cut) {
        return lmb_vec3_make(0, lmbi_hermite(from.y, 0.6f, lift, 0.0f, cut * span, x / cut),
                             lmbi_hermite(from.z, 0.0f, middle_z, middle_v, cut * span, x / cut));
    }
    const float rest = (1.0f - cut) * span, u = (x - cut) / (1.0f - cut);
    return lmb_vec3_make(0, lmbi_hermite(lift, 0.0f, to.y, slow, rest, u),
                         lmbi_hermite(middle_z, middle_v, to.z + ahead, landing.z, rest, u));
}

/// Turns a foot's frame to the world: out by its angle, beside the middle line, `along` the way.
static lmb_vec3 place_foot(const lmbi_gait *gait, float s, lmb_vec3 toe, float along)
{
    const lmb_quat out = lmbi_turn_y(s * gait->style->toe_out);
    const lmb_vec3 turned = lmb_quat_rotate(out, lmb_vec3_make(toe.x, toe.y, FIGURE_TOE_FORWARD));
    return lmb_vec3_make(s * gait->style->width + turned.x, toe.y,
                         turned.z + (toe.z - FIGURE_TOE_FORWARD) + along);
}

static void set_foot(const lmbi_gait *gait, lmbi_figure *figure, int side, float cycles)
{
    const float s = side == 0 ? 1.0f : -1.0f;
    const float own = cycles - (side == 0 ? 0.0f : 0.5f), strike = floorf(own + 1e-6f),
                phase = own - strike > 0.0f ? own - strike : 0.0f;
    const float pitch = pitch_at(gait, phase);
    const lmb_vec3 toe = phase <= gait->duty ? stance_toe(pitch) : swing_toe(gait, phase);
    // At heel strike the ankle is this far before the hips: the stance passes below them in its
    // middle.
    const float ahead = gait->stride * (strike + (side == 0 ? 0.0f : 0.5f)) + gait->reach;
    lmbi_figure_foot(figure, side, place_foot(gait, s, toe, ahead), pitch,
                     s * gait->style->toe_out);
    if (phase > gait->duty) {
        // Toes straighten as the foot swings.
        const float x = lmbi_smooth((phase - gait->duty) / (0.25f * (1.0f - gait->duty)));
        figure->toes[side] = lmb_quat_slerp(figure->toes[side], figure->foot[side], x);
    }
}

// --------------------------------------------------------------------------------------- the body

static float wave(float cycles, float at)
{
    return lmb_cos(2.0f * LMB_PI * wrap(cycles - at));
}

static void set_trunk(const lmbi_gait *gait, lmbi_figure *figure, float cycles)
{
    const style *st = gait->style;
    const float bob = st->bob * wave(2.0f * cycles, 2.0f * st->bob_phase);
    figure->hips = lmb_vec3_make(st->sway * wave(cycles, 0.5f * gait->duty), gait->height + bob,
                                 gait->stride * cycles);
    // Left hip forward at the left heel strike; left hip up while the left leg carries.
    const float yaw = -st->yaw * wave(cycles, 0.0f), list = st->list * wave(cycles, 0.16f);
    const float nod = 1.2f * wave(2.0f * cycles, 0.1f);
    figure->pelvis = lmb_quat_mul(
        lmbi_turn_y(yaw), lmb_quat_mul(lmbi_turn_z(list), lmbi_turn_x(0.6f * st->lean + nod)));
    const float against = st->chest_yaw * wave(cycles, 0.03f);
    figure->chest =
        lmb_quat_mul(lmbi_turn_y(against),
                     lmb_quat_mul(lmbi_turn_z(-0.35f * list), lmbi_turn_x(st->lean - 0.4f * nod)));
    figure->head = lmb_quat_mul(lmbi_turn_y(0.15f * against), lmbi_turn_x(0.25f * st->lean));
}

static void set_arm(const lmbi_gait *gait, lmbi_figure *figure, int side, float cycles)
{
    const style *st = gait->style;
    const float s = side == 0 ? 1.0f : -1.0f;
    // Against the leg of its own side, a little late.
    const float swing = -wave(cycles - (side == 0 ? 0.0f : 0.5f), 0.04f);
    const float late = -wave(cycles - (side == 0 ? 0.0f : 0.5f), 0.08f);
    figure->shoulder[side] = lmbi_turn_y(-s * 3.0f * swing);
    const lmb_quat body = lmb_quat_mul(figure->chest, figure->shoulder[side]);
    lmbi_figure_arm(figure, side, body, st->arm_down, st->arm_middle + st->arm_swing * swing,
                    st->elbow + st->elbow_swing * late, st->across);
}

static lmbi_figure gait_at(const lmbi_gait *gait, float cycles)
{
    lmbi_figure figure = lmbi_figure_stand();
    set_trunk(gait, &figure, cycles);
    for (int side = 0; side < 2; ++side) {
        set_arm(gait, &figure, side, cycles);
        set_foot(gait, &figure, side, cycles);
    }
    return figure;
}

/// The hips as high as the legs allow: over a whole cycle no foot on the ground is further than
/// REACH.
static void find_height(lmbi_gait *gait)
{
    float height = FIGURE_HIP_HEIGHT;
    gait->height = 0.0f;
    for (uint32_t f = 0; f < gait->frame_count; ++f) {
        const float cycles = (float)f / (float)gait->frame_count;
        const lmbi_figure figure = gait_at(gait, cycles);
        for (int side = 0; side < 2; ++side) {
            const float s = side == 0 ? 1.0f : -1.0f;
            const lmb_vec3 across =
                lmb_quat_rotate(figure.pelvis, lmb_vec3_make(s * FIGURE_HIP_WIDTH, 0, 0));
            const lmb_vec3 hip = lmb_vec3_add(figure.hips, across);
            const float x = figure.ankle[side].x - hip.x, z = figure.ankle[side].z - hip.z;
            const float reach = REACH * FIGURE_LEG, down = reach * reach - x * x - z * z;
            // `hip` is what the bob and the list make of a height of 0.
            height = fminf(height, figure.ankle[side].y + lmb_sqrt(fmaxf(down, 0.0f)) - hip.y);
        }
    }
    gait->height = height;
}

void lmbi_gait_begin(lmbi_gait *gait, bool run, float speed, float rate)
{
    const float froude = speed * speed / (GRAVITY * FIGURE_LEG);
    memset(gait, 0, sizeof(*gait));
    gait->style = run ? &run_style : &walk_style;
    const float stride = (run ? 2.5f : 2.55f) * FIGURE_LEG * lmb_exp(0.3f * lmb_log(froude));
    const float frames = floorf(stride / speed * rate + 0.5f);
    gait->frame_count = frames < 8.0f ? 8 : (uint32_t)frames;
    gait->stride = speed * (float)gait->frame_count / rate;
    // The curves of the foot's pitch are made for these duties.
    gait->duty = run ? 0.355f : 0.61f;
    gait->reach = gait->style->ahead * gait->stride;
    find_height(gait);
}

lmbi_figure lmbi_gait_frame(const lmbi_gait *gait, uint32_t frame, bool in_place)
{
    const uint32_t k = frame % gait->frame_count;
    lmbi_figure figure = gait_at(gait, (float)k / (float)gait->frame_count);
    const float way = gait->stride * (float)(frame / gait->frame_count) -
                      (in_place ? gait->stride * (float)frame / (float)gait->frame_count : 0.0f);
    figure.hips.z += way;
    figure.ankle[0].z += way;
    figure.ankle[1].z += way;
    return figure;
}
