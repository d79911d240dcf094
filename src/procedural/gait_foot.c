/// Where a foot is during its cycle.
///
/// A foot's stance is a roll: about the heel until the sole is down, flat, then about the toe joint
/// until it leaves. The points it rolls about do not move, so a planted foot cannot slide: where it
/// stands follows from when it struck, and from nothing that happens after. Its swing is a smooth
/// path from where the roll left it to where the next begins.
#include <math.h>

#include "math/real.h"
#include "procedural/gait.h"

static float wrap(float phase)
{
    return phase - floorf(phase);
}

// ----------------------------------------------------------------------------- in the foot's frame

/// Rolling over the toes comes to its bound smoothly: from 0.8 of it on ever slower.
static float held_back(const lmbi_gait_foot *foot, float pitch)
{
    const float most = foot->roll, free = 0.8f * most;
    if (!(most > 0.0f) || pitch >= -free) {
        return pitch;
    }
    const float x = (-pitch - free) / (most - free);
    return -free - (most - free) * x / (1.0f + x);
}

/// The keys are made for one duty; time is stretched on both sides of it.
static float pitch_at(const lmbi_gait *gait, const lmbi_gait_foot *foot, float phase)
{
    const lmbi_gait_style *st = gait->style;
    const float at = st->pitch_duty, duty = gait->duty;
    if (foot->stiff) {
        return 0.0f;
    }
    if (!foot->rolls) {
        const float x = phase <= duty ? 0.0f : (phase - duty) / (1.0f - duty);
        return -40.0f * 16.0f * x * x * (1.0f - x) * (1.0f - x);
    }
    const float key =
        phase < duty ? phase * at / duty : at + (phase - duty) * (1.0f - at) / (1.0f - duty);
    return held_back(foot, lmbi_cycle_at(st->pitch, st->pitch_count, wrap(key)));
}

/// The toe joint of a foot in stance.
static lmb_vec3 stance_toe(const lmbi_gait_foot *foot, float pitch)
{
    const lmb_vec3 toe = {0, foot->toe_height, foot->toe_forward};
    if (pitch <= 0.0f || !foot->heel) {
        return toe; // flat, or rolling about the toe joint
    }
    const lmb_vec3 heel = {0, 0, -foot->heel_back};
    return lmb_vec3_add(heel, lmb_quat_rotate(lmbi_turn_x(-pitch), lmb_vec3_sub(toe, heel)));
}

/// The toe joint while it swings, as if the ground went by evenly: Hermite pieces that leave and
/// arrive with the velocities of the roll.
static lmb_vec3 swing_toe(const lmbi_gait *gait, const lmbi_gait_foot *foot, float phase)
{
    const float duty = gait->duty, step = 1e-3f, span = 1.0f - duty, x = (phase - duty) / span;
    const lmb_vec3 from = stance_toe(foot, pitch_at(gait, foot, duty)),
                   to = stance_toe(foot, pitch_at(gait, foot, 1.0f));
    const lmb_vec3 landing =
        lmb_vec3_scale(lmb_vec3_sub(stance_toe(foot, pitch_at(gait, foot, step)), to), 1.0f / step);
    const float ahead = to.z + gait->stride - from.z,
                rise = gait->style->lift * gait->unit * gait->lift;
    if (rise <= 0.0f) {
        // The toe joint leaves the ground at once and stays low; it rises with the pitch before the
        // heel strikes.
        const float clear =
            0.022f * gait->unit * gait->lift * 16.0f * x * x * (1.0f - x) * (1.0f - x);
        return lmb_vec3_make(
            0, lmbi_hermite(from.y, 0.15f * gait->unit, to.y, landing.y, span, x) + clear,
            lmbi_hermite(from.z, 0.0f, from.z + ahead, landing.z, span, x));
    }
    const float cut = gait->style->lift_back, middle = from.z + 0.40f * ahead,
                v = 1.75f * ahead / span;
    if (x < cut) {
        return lmb_vec3_make(
            0, lmbi_hermite(from.y, 0.6f * gait->unit, rise, 0.0f, cut * span, x / cut),
            lmbi_hermite(from.z, 0.0f, middle, v, cut * span, x / cut));
    }
    const float rest = (1.0f - cut) * span, u = (x - cut) / (1.0f - cut);
    return lmb_vec3_make(0, lmbi_hermite(rise, 0.0f, to.y, landing.y, rest, u),
                         lmbi_hermite(middle, v, from.z + ahead, landing.z, rest, u));
}

// ----------------------------------------------------------------------------------- on the ground

lmb_vec3 lmbi_gait_way(const lmbi_gait *gait, double time_s, float *heading)
{
    const double v = (double)gait->speed * lmbi_cos((double)gait->slope), w = (double)gait->turn,
                 a = w * time_s;
    double x = 0, z = v * time_s;
    if (fabs(w) > 1e-6) {
        const double half = lmbi_sin(0.5 * a);
        x = v / w * 2 * half * half;
        z = v / w * lmbi_sin(a);
    }
    *heading = (float)a;
    return lmb_vec3_make((float)x, (float)z * lmb_tan(gait->slope), (float)z);
}

/// A foot's frame for the stance that begins `strike` cycles after the leg's first.
static lmb_transform stance_frame(const lmbi_gait *gait, const lmbi_gait_leg *leg, double strike)
{
    lmb_transform frame = lmb_transform_identity();
    float heading = 0;
    const double at = (strike + (double)leg->offset) * (double)gait->period_s +
                      (double)(gait->reach / gait->speed);
    const lmb_vec3 body = lmbi_gait_way(gait, at, &heading);
    const float s = leg->aside < 0.0f ? -1.0f : 1.0f;
    const lmb_quat turned = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), heading);
    lmb_vec3 place =
        lmb_vec3_add(body, lmb_quat_rotate(turned, lmb_vec3_make(leg->aside, 0, leg->along)));
    place.y = place.z * lmb_tan(gait->slope);
    // Flat on the slope, which rises to where the body began to go.
    const lmb_quat tilt = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -gait->slope);
    frame.translation = place;
    frame.rotation =
        lmb_quat_mul(lmb_quat_mul(tilt, turned), lmbi_turn_y(s * gait->style->toe_out));
    return frame;
}

/// The toe joint in the world: in its frame, or on the way from one frame to the next.
static lmb_vec3 place_toe(const lmbi_gait *gait, const lmbi_gait_leg *leg, double strike,
                          float phase, lmb_transform *frame)
{
    const lmbi_gait_foot *foot = &leg->foot;
    *frame = stance_frame(gait, leg, strike);
    if (phase <= gait->duty) {
        return lmb_transform_point(*frame, stance_toe(foot, pitch_at(gait, foot, phase)));
    }
    const lmb_transform next = stance_frame(gait, leg, strike + 1);
    const lmb_vec3 from = stance_toe(foot, pitch_at(gait, foot, gait->duty)),
                   to = stance_toe(foot, pitch_at(gait, foot, 1.0f));
    const lmb_vec3 toe = swing_toe(gait, foot, phase);
    const float share = (toe.z - from.z) / (to.z + gait->stride - from.z);
    const lmb_vec3 up = lmb_quat_rotate(frame->rotation, lmb_vec3_make(0, 1, 0));
    const lmb_vec3 line =
        lmb_vec3_lerp(lmb_transform_point(*frame, from), lmb_transform_point(next, to), share);
    frame->rotation = lmb_quat_slerp(frame->rotation, next.rotation,
                                     lmbi_smooth((phase - gait->duty) / (1.0f - gait->duty)));
    return lmb_vec3_mad(line, up, toe.y - (from.y + (to.y - from.y) * share));
}

bool lmbi_gait_stands(const lmbi_gait *gait, uint32_t leg, double cycles)
{
    const double own = cycles - (double)gait->legs[leg].offset;
    return own - floor(own + 1e-6) <= (double)gait->duty;
}

/// How deep heel, ball or tip of a swinging foot would be under the ground.
static float sunk(const lmbi_gait *gait, const lmbi_figure_state *figure, uint32_t index,
                  lmb_vec3 ground)
{
    const lmbi_gait_foot *foot = &gait->legs[index].foot;
    const lmb_vec3 up = {0, lmb_cos(gait->slope), -lmb_sin(gait->slope)};
    const lmb_quat to_rest = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), foot->yaw);
    const lmb_quat turn = lmb_quat_mul(figure->foot[index], to_rest),
                   toes = lmb_quat_mul(figure->toes[index], to_rest);
    const lmb_vec3 ankle = lmb_vec3_sub(figure->ankle[index], ground);
    const lmb_vec3 ball = lmb_vec3_add(
        ankle, lmb_quat_rotate(turn, lmb_vec3_make(0, foot->toe_height - foot->ankle_height,
                                                   foot->toe_forward)));
    // The back of a paw moves with the toes, that of a foot with the ankle.
    const bool paw = foot->rolls && !foot->heel;
    const lmb_vec3 back =
        paw ? lmb_vec3_make(0, -foot->toe_height, -foot->heel_back - foot->toe_forward)
            : lmb_vec3_make(0, -foot->ankle_height, -foot->heel_back);
    const lmb_vec3 heel =
        lmb_vec3_add(paw ? ball : ankle, lmb_quat_rotate(paw ? toes : turn, back));
    const lmb_vec3 under = {0, -foot->toe_height, 0},
                   end = {0, -foot->toe_height, foot->tip + foot->beyond};
    float low = lmb_vec3_dot(lmb_vec3_add(ball, lmb_quat_rotate(turn, under)), up);
    low = fminf(low, lmb_vec3_dot(lmb_vec3_add(ball, lmb_quat_rotate(toes, end)), up));
    return fmaxf(0.0f, -fminf(low, lmb_vec3_dot(heel, up)));
}

void lmbi_gait_step(const lmbi_gait *gait, lmbi_figure_state *figure, uint32_t index, double cycles)
{
    const lmbi_gait_leg *leg = &gait->legs[index];
    const lmbi_gait_foot *foot = &leg->foot;
    const double own = cycles - (double)leg->offset, strike = floor(own + 1e-6);
    const float phase = own - strike > 0 ? (float)(own - strike) : 0.0f;
    const float pitch = pitch_at(gait, foot, phase);
    lmb_transform frame;
    const lmb_vec3 toe = place_toe(gait, leg, strike, phase, &frame);
    const lmb_quat turn = lmb_quat_mul(frame.rotation, lmbi_turn_x(-pitch));
    const lmb_vec3 to_ankle = {0, foot->ankle_height - foot->toe_height, -foot->toe_forward};
    const lmb_quat from_rest = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -foot->yaw);
    const lmb_quat flat = lmb_quat_mul(frame.rotation, from_rest);
    figure->ankle[index] = lmb_vec3_add(toe, lmb_quat_rotate(turn, to_ankle));
    figure->foot[index] = lmb_quat_mul(turn, from_rest);
    // The toes lie flat when the heel is up, and for feet that never roll over the heel.
    figure->toes[index] = pitch < 0.0f || !foot->heel ? flat : figure->foot[index];
    figure->knee[index] = lmb_quat_rotate(frame.rotation, lmb_vec3_make(0, 0, leg->knee));
    if (phase > gait->duty) {
        // Toes straighten as the foot swings.
        const float x = (phase - gait->duty) / (1.0f - gait->duty);
        const float loose =
            lmbi_smooth(4.0f * x) * (foot->heel ? 1.0f : lmbi_smooth(4.0f * (1.0f - x)));
        figure->toes[index] = lmb_quat_slerp(figure->toes[index], figure->foot[index], loose);
        const lmb_vec3 up = {0, lmb_cos(gait->slope), -lmb_sin(gait->slope)};
        figure->ankle[index] =
            lmb_vec3_mad(figure->ankle[index], up, sunk(gait, figure, index, frame.translation));
    }
}
