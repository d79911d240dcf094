/// Motion of a foot over its cycle.
///
/// In stance a foot rolls about its heel until the sole is down, stays flat, then rolls about its
/// toe joint until it lifts off. The point it rolls about is fixed by the time of the strike alone,
/// so a planted foot cannot slide. The swing is a smooth path from lift-off to the next strike.
#include <math.h>

#include "math/double.h"
#include "procedural/gait.h"

static float fractional_part(float phase)
{
    return phase - floorf(phase);
}

// ----------------------------------------------------------------------------- in the foot's frame

/// Approaches the bound of the roll over the toes smoothly, from 0.8 of it on.
static float bound_roll(const lmbi_gait_foot *foot, float pitch)
{
    const float bound = foot->roll, linear = 0.8f * bound;
    if (!(bound > 0.0f) || pitch >= -linear) {
        return pitch;
    }
    const float x = (-pitch - linear) / (bound - linear);
    return -linear - (bound - linear) * x / (1.0f + x);
}

/// Pitch of the foot. The keys are made for one duty factor; time is stretched before and after it.
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
    return bound_roll(foot, lmbi_cycle_sample(st->pitch, st->pitch_count, fractional_part(key)));
}

/// Position of the toe joint in stance.
static lmb_vec3 stance_toe(const lmbi_gait_foot *foot, float pitch)
{
    const lmb_vec3 toe = {0, foot->toe_height, foot->toe_forward};
    if (pitch <= 0.0f || !foot->heel) {
        return toe; // flat, or rolling about the toe joint
    }
    const lmb_vec3 heel = {0, 0, -foot->heel_back};
    return lmb_vec3_add(heel, lmb_quat_rotate(lmbi_rotation_x(-pitch), lmb_vec3_sub(toe, heel)));
}

/// Position of the toe joint in swing, relative to evenly moving ground: cubic Hermite pieces that
/// match the roll's velocities at both ends.
static lmb_vec3 swing_toe(const lmbi_gait *gait, const lmbi_gait_foot *foot, float phase)
{
    const float duty = gait->duty, step = 1e-3f, span = 1.0f - duty, x = (phase - duty) / span;
    const lmb_vec3 from = stance_toe(foot, pitch_at(gait, foot, duty)),
                   to = stance_toe(foot, pitch_at(gait, foot, 1.0f));
    const lmb_vec3 landing =
        lmb_vec3_scale(lmb_vec3_sub(stance_toe(foot, pitch_at(gait, foot, step)), to), 1.0f / step);
    const float distance = to.z + gait->stride - from.z,
                rise = gait->style->lift * gait->leg_scale * gait->lift;
    if (rise <= 0.0f) {
        // The toe joint leaves the ground at once and stays low; it rises with the pitch before the
        // heel strike.
        const float clearance =
            0.022f * gait->leg_scale * gait->lift * 16.0f * x * x * (1.0f - x) * (1.0f - x);
        return lmb_vec3_make(
            0, lmbi_hermite(from.y, 0.15f * gait->leg_scale, to.y, landing.y, span, x) + clearance,
            lmbi_hermite(from.z, 0.0f, from.z + distance, landing.z, span, x));
    }
    const float peak = gait->style->lift_back, middle = from.z + 0.40f * distance,
                v = 1.75f * distance / span;
    if (x < peak) {
        return lmb_vec3_make(
            0, lmbi_hermite(from.y, 0.6f * gait->leg_scale, rise, 0.0f, peak * span, x / peak),
            lmbi_hermite(from.z, 0.0f, middle, v, peak * span, x / peak));
    }
    const float rest = (1.0f - peak) * span, u = (x - peak) / (1.0f - peak);
    return lmb_vec3_make(0, lmbi_hermite(rise, 0.0f, to.y, landing.y, rest, u),
                         lmbi_hermite(middle, v, from.z + distance, landing.z, rest, u));
}

// ----------------------------------------------------------------------------------- on the ground

lmb_vec3 lmbi_gait_path(const lmbi_gait *gait, double time_s, float *heading)
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

/// Frame of a foot for the stance that begins `strike` cycles after the leg's first.
static lmb_transform stance_frame(const lmbi_gait *gait, const lmbi_gait_leg *leg, double strike)
{
    lmb_transform frame = lmb_transform_identity();
    float heading = 0;
    const double at = (strike + (double)leg->offset) * (double)gait->period_s +
                      (double)(gait->reach / gait->speed);
    const lmb_vec3 body = lmbi_gait_path(gait, at, &heading);
    const float s = leg->lateral < 0.0f ? -1.0f : 1.0f;
    const lmb_quat heading_rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), heading);
    lmb_vec3 position = lmb_vec3_add(
        body, lmb_quat_rotate(heading_rotation, lmb_vec3_make(leg->lateral, 0, leg->forward)));
    position.y = position.z * lmb_tan(gait->slope);
    // Parallel to the slope, which rises along the initial heading.
    const lmb_quat tilt = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -gait->slope);
    frame.translation = position;
    frame.rotation = lmb_quat_mul(lmb_quat_mul(tilt, heading_rotation),
                                  lmbi_rotation_y(s * gait->style->toe_out));
    return frame;
}

/// Position of the toe joint in the gait's space: in its frame, or between two frames in swing.
static lmb_vec3 toe_position(const lmbi_gait *gait, const lmbi_gait_leg *leg, double strike,
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
    const float fraction = (toe.z - from.z) / (to.z + gait->stride - from.z);
    const lmb_vec3 up = lmb_quat_rotate(frame->rotation, lmb_vec3_make(0, 1, 0));
    const lmb_vec3 line =
        lmb_vec3_lerp(lmb_transform_point(*frame, from), lmb_transform_point(next, to), fraction);
    frame->rotation = lmb_quat_slerp(frame->rotation, next.rotation,
                                     lmbi_smoothstepf((phase - gait->duty) / (1.0f - gait->duty)));
    return lmb_vec3_mad(line, up, toe.y - (from.y + (to.y - from.y) * fraction));
}

bool lmbi_gait_stands(const lmbi_gait *gait, uint32_t leg, double cycles)
{
    const double leg_cycles = cycles - (double)gait->legs[leg].offset;
    return leg_cycles - floor(leg_cycles + 1e-6) <= (double)gait->duty;
}

/// Depth of heel, ball or tip of a swinging foot below the ground.
static float depth_below_ground(const lmbi_gait *gait, const lmbi_figure_state *figure,
                                uint32_t index, lmb_vec3 ground)
{
    const lmbi_gait_foot *foot = &gait->legs[index].foot;
    const lmb_vec3 up = {0, lmb_cos(gait->slope), -lmb_sin(gait->slope)};
    const lmb_quat to_rest = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), foot->yaw);
    const lmb_quat foot_rotation = lmb_quat_mul(figure->foot[index], to_rest),
                   toes = lmb_quat_mul(figure->toes[index], to_rest);
    const lmb_vec3 ankle = lmb_vec3_sub(figure->ankle[index], ground);
    const lmb_vec3 ball =
        lmb_vec3_add(ankle, lmb_quat_rotate(foot_rotation,
                                            lmb_vec3_make(0, foot->toe_height - foot->ankle_height,
                                                          foot->toe_forward)));
    // The back of a paw moves with the toes, the heel of a foot with the ankle.
    const bool paw = foot->rolls && !foot->heel;
    const lmb_vec3 back =
        paw ? lmb_vec3_make(0, -foot->toe_height, -foot->heel_back - foot->toe_forward)
            : lmb_vec3_make(0, -foot->ankle_height, -foot->heel_back);
    const lmb_vec3 heel =
        lmb_vec3_add(paw ? ball : ankle, lmb_quat_rotate(paw ? toes : foot_rotation, back));
    const lmb_vec3 under = {0, -foot->toe_height, 0},
                   end = {0, -foot->toe_height, foot->tip + foot->toe_extent};
    float low = lmb_vec3_dot(lmb_vec3_add(ball, lmb_quat_rotate(foot_rotation, under)), up);
    low = fminf(low, lmb_vec3_dot(lmb_vec3_add(ball, lmb_quat_rotate(toes, end)), up));
    return fmaxf(0.0f, -fminf(low, lmb_vec3_dot(heel, up)));
}

void lmbi_gait_pose_foot(const lmbi_gait *gait, lmbi_figure_state *figure, uint32_t index,
                         double cycles)
{
    const lmbi_gait_leg *leg = &gait->legs[index];
    const lmbi_gait_foot *foot = &leg->foot;
    const double leg_cycles = cycles - (double)leg->offset, strike = floor(leg_cycles + 1e-6);
    const float phase = leg_cycles - strike > 0 ? (float)(leg_cycles - strike) : 0.0f;
    const float pitch = pitch_at(gait, foot, phase);
    lmb_transform frame;
    const lmb_vec3 toe = toe_position(gait, leg, strike, phase, &frame);
    const lmb_quat foot_rotation = lmb_quat_mul(frame.rotation, lmbi_rotation_x(-pitch));
    const lmb_vec3 to_ankle = {0, foot->ankle_height - foot->toe_height, -foot->toe_forward};
    const lmb_quat from_rest = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -foot->yaw);
    const lmb_quat flat = lmb_quat_mul(frame.rotation, from_rest);
    figure->ankle[index] = lmb_vec3_add(toe, lmb_quat_rotate(foot_rotation, to_ankle));
    figure->foot[index] = lmb_quat_mul(foot_rotation, from_rest);
    // The toes lie flat while the heel is up, and always for feet that do not strike with the heel.
    figure->toes[index] = pitch < 0.0f || !foot->heel ? flat : figure->foot[index];
    figure->knee[index] = lmb_quat_rotate(frame.rotation, lmb_vec3_make(0, 0, leg->knee));
    if (phase > gait->duty) {
        // Toes straighten as the foot swings.
        const float x = (phase - gait->duty) / (1.0f - gait->duty);
        const float straight_weight =
            lmbi_smoothstepf(4.0f * x) * (foot->heel ? 1.0f : lmbi_smoothstepf(4.0f * (1.0f - x)));
        figure->toes[index] =
            lmb_quat_slerp(figure->toes[index], figure->foot[index], straight_weight);
        const lmb_vec3 up = {0, lmb_cos(gait->slope), -lmb_sin(gait->slope)};
        figure->ankle[index] = lmb_vec3_mad(
            figure->ankle[index], up, depth_below_ground(gait, figure, index, frame.translation));
    }
}
