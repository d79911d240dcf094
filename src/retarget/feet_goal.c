/// From locks to goals: continuous ankle offsets and foot rotations.
#include "math/math.h"
#include "retarget/feet_state.h"

#include <math.h>

#include "math/scalar.h"

#define FADE_S 0.12f     ///< time over which an offset blends in and out
#define FASTEST_M_S 0.6f ///< fastest change of a correction, m/s on a body of common size
#define ROLL_S 0.1f      ///< time over which a rotation blends within a stance
#define MOST_TILTED 0.5f ///< a flat foot is levelled if it is tilted across by less, sine
#define EVEN_M 0.004f    ///< heights this close count as level, metres

/// Cubic Hermite curve from (a, slope a) to (b, slope b), at x of n steps.
static lmb_vec3 hermite(lmb_vec3 a, lmb_vec3 slope_a, lmb_vec3 b, lmb_vec3 slope_b, float x,
                        float n)
{
    const float t = x / n, t2 = t * t, t3 = t2 * t;
    lmb_vec3 p = lmb_vec3_scale(a, 2.0f * t3 - 3.0f * t2 + 1.0f);
    p = lmb_vec3_mad(p, slope_a, n * (t3 - 2.0f * t2 + t));
    p = lmb_vec3_mad(p, b, 3.0f * t2 - 2.0f * t3);
    return lmb_vec3_mad(p, slope_b, n * (t3 - t2));
}

/// Fills unknown frames [begin, end) from the values and slopes at both ends; far from an end the
/// value is zero.
static void fill_gap(lmb_vec3 *values, const bool *known, uint32_t begin, uint32_t end,
                     uint32_t count, uint32_t fade)
{
    const lmb_vec3 zero = {0, 0, 0};
    const bool left = begin > 0, right = end < count;
    lmb_vec3 a = zero, b = zero, slope_a = zero, slope_b = zero;
    if (left) {
        a = values[begin - 1];
        slope_a = begin > 1 && known[begin - 2] ? lmb_vec3_sub(a, values[begin - 2]) : zero;
    }
    if (right) {
        b = values[end];
        slope_b = end + 1 < count && known[end + 1] ? lmb_vec3_sub(values[end + 1], b) : zero;
    }
    const uint32_t n = end - begin + 1;
    const bool whole = left && right && n <= 2 * fade;
    for (uint32_t f = begin; f < end; ++f) {
        const uint32_t x = f - begin + 1;
        values[f] = zero;
        if (whole) {
            values[f] = hermite(a, slope_a, b, slope_b, (float)x, (float)n);
        } else if (left && x < fade) {
            values[f] = hermite(a, slope_a, zero, zero, (float)x, (float)fade);
        } else if (right && n - x < fade) {
            values[f] = hermite(zero, zero, b, slope_b, (float)(fade - (n - x)), (float)fade);
        }
    }
}

void lmbi_feet_fill_gaps(lmb_vec3 *values, const bool *known, uint32_t count, uint32_t fade)
{
    for (uint32_t f = 0; f < count;) {
        uint32_t end = f;
        while (end < count && !known[end]) {
            ++end;
        }
        if (end > f) {
            fill_gap(values, known, f, end, count, fade);
        }
        f = end + 1;
    }
}

static bool locked_in_place(const lmbi_foot_point *p, uint32_t f, uint32_t g)
{
    return p->locked[f] && p->locked[g] && p->lock_position[f].x == p->lock_position[g].x &&
           p->lock_position[f].z == p->lock_position[g].z;
}

/// Change of the correction between two locked frames: 0 where ankle or toe stays locked in place,
/// or where the foot keeps its offset.
static float correction_change(const lmbi_foot_limb *leg, uint32_t f, uint32_t g)
{
    if (locked_in_place(&leg->points[ANKLE], f, g) || locked_in_place(&leg->points[TOE], f, g)) {
        return 0.0f;
    }
    const float moved =
        lmb_vec3_distance(lmbi_foot_ankle_goal(leg, f), lmbi_foot_ankle_goal(leg, g));
    return fminf(moved, lmb_vec3_distance(leg->offset[f], leg->offset[g]));
}

/// The end of the run of known frames from `f` whose correction changes slowly.
static uint32_t run_end(const lmbi_foot_limb *leg, const bool *known, uint32_t f, uint32_t count,
                        float fastest)
{
    while (f + 1 < count && known[f + 1] && correction_change(leg, f, f + 1) <= fastest) {
        ++f;
    }
    return f + 1;
}

static uint32_t next_known(const bool *known, uint32_t f, uint32_t count)
{
    while (f < count && !known[f]) {
        ++f;
    }
    return f;
}

/// Shortens the locks on both sides of a fast change, until the correction changes by at most
/// `fastest` a frame. No lock loses more than a third at an end.
static void widen_gaps(const lmbi_foot_limb *leg, bool *known, uint32_t count, float fastest)
{
    uint32_t begin = next_known(known, 0, count);
    while (begin < count) {
        const uint32_t end = run_end(leg, known, begin, count, fastest),
                       next = next_known(known, end, count);
        if (next >= count) {
            return;
        }
        const float steps =
            correction_change(leg, end - 1, next) / fastest - (float)(next - end + 1);
        const uint32_t next_end = run_end(leg, known, next, count, fastest),
                       each = steps > 0.0f ? (uint32_t)(0.5f * steps) + 1 : 0,
                       left = lmbi_min_count((end - begin) / 3, each),
                       right = lmbi_min_count((next_end - next) / 3, each);
        for (uint32_t f = end - left; f < next + right; ++f) {
            known[f] = false;
        }
        begin = next + right;
    }
}

/// Model-space rotation of a foot, corrected.
static lmb_quat foot_rotation(const lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f)
{
    const size_t at = (size_t)f * feet->t->driven_count + (size_t)leg->foot;
    return lmb_quat_mul(lmbi_rotation_vector(leg->rotation[f]), feet->t->rotations[at]);
}

static lmb_vec3 foot_direction(const lmbi_foot_limb *leg, uint32_t f)
{
    const lmb_vec3 bone =
        lmb_quat_rotate(lmbi_rotation_vector(leg->rotation[f]), lmbi_foot_bone(leg, f));
    return lmb_vec3_normalize_or(bone, lmb_vec3_make(0, 0, 1));
}

/// The left of the foot in the reference pose, level there, as it is now.
static lmb_vec3 across_sole(const lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f)
{
    const lmb_quat rest = feet->t->target->reference[feet->t->driven[leg->foot].joint].rotation;
    const lmb_quat since = lmb_quat_mul(foot_rotation(feet, leg, f), lmb_quat_conjugate(rest));
    return lmb_quat_rotate(since, lmb_vec3_make(1, 0, 0));
}

/// Rotation about the length of a foot that levels its sole across; 0 for one that stands on its
/// edge or lies on its instep.
static float leveling_roll(const lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f)
{
    const lmb_vec3 along = foot_direction(leg, f), across = across_sole(feet, leg, f);
    const float up = lmb_vec3_cross(along, across).y;
    return fabsf(across.y) < MOST_TILTED && up > 0.0f ? lmb_atan2(-across.y, up) : 0.0f;
}

static void roll_foot(lmbi_foot_limb *leg, uint32_t f, float angle)
{
    const lmb_vec3 roll = lmb_vec3_scale(foot_direction(leg, f), angle);
    leg->rotation[f] = lmbi_rotation_vector_of(
        lmb_quat_mul(lmbi_rotation_vector(roll), lmbi_rotation_vector(leg->rotation[f])));
}

/// Gives a flat foot one roll in frames [begin, end), in which both points are locked, and levels
/// it: captures whose ankles do not roll tilt the foot with its shin.
static void steady_rolls(lmbi_feet_state *feet, lmbi_foot_limb *leg, uint32_t begin, uint32_t end)
{
    const lmb_quat back = lmb_quat_conjugate(foot_rotation(feet, leg, begin));
    float mean = 0.0f, level = 0.0f;
    for (uint32_t f = begin; f < end; ++f) {
        const lmb_quat relative = lmb_quat_mul(foot_rotation(feet, leg, f), back);
        feet->scratch[f] = lmb_vec3_dot(lmbi_rotation_vector_of(relative), foot_direction(leg, f));
        mean += feet->scratch[f] / (float)(end - begin);
        level += leveling_roll(feet, leg, f) / (float)(end - begin);
    }
    for (uint32_t f = begin; f < end; ++f) {
        roll_foot(leg, f, mean - feet->scratch[f] + level);
    }
}

/// Steadies every run of frames in which both points are locked at one position.
static void steady_stances(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    for (uint32_t end = 0, f = 0; f < feet->frame_count; f = end) {
        end = f + 1;
        while (end < feet->frame_count && feet->known[f] && feet->known[end] &&
               locked_in_place(a, f, end) && locked_in_place(t, f, end)) {
            ++end;
        }
        if (feet->known[f]) {
            steady_rolls(feet, leg, f, end);
        }
    }
}

/// A foot locked at both points points from one to the other.
static void find_rotations(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    const lmb_vec3 forward = {0, 0, 1};
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        feet->known[f] = a->locked[f] && t->locked[f];
        if (feet->known[f]) {
            leg->rotation[f] = lmbi_rotation_vector_of(lmb_quat_between(
                lmb_vec3_normalize_or(lmbi_foot_bone(leg, f), forward),
                lmb_vec3_normalize_or(lmb_vec3_sub(t->lock_position[f], a->lock_position[f]),
                                      forward)));
        }
    }
    steady_stances(feet, leg);
    lmbi_feet_fill_gaps(leg->rotation, feet->known, feet->frame_count,
                        (uint32_t)(ROLL_S * feet->t->motion->rate) + 2);
}

/// Pitches the foot so that its bone rises by at least `least` and at most `most`.
static void pitch_foot(lmbi_foot_limb *leg, uint32_t f, float least, float most)
{
    const lmb_quat rotation = lmbi_rotation_vector(leg->rotation[f]);
    const lmb_vec3 bone = lmb_quat_rotate(rotation, lmbi_foot_bone(leg, f));
    const float rise = fmaxf(least, fminf(most, bone.y)), length = leg->toe_length;
    const float flat = lmb_sqrt(bone.x * bone.x + bone.z * bone.z);
    if (rise == bone.y || fabsf(rise) >= length || flat <= 1e-3f * length) {
        return;
    }
    const float stretch = lmb_sqrt(length * length - rise * rise) / flat;
    const lmb_vec3 goal = {stretch * bone.x, rise, stretch * bone.z};
    const lmb_quat more = lmb_quat_between(lmb_vec3_scale(bone, 1.0f / lmb_vec3_length(bone)),
                                           lmb_vec3_scale(goal, 1.0f / length));
    leg->rotation[f] = lmbi_rotation_vector_of(lmb_quat_mul(more, rotation));
}

/// Position of the ankle of a rotated foot whose toe is locked.
static lmb_vec3 ankle_by_toe(const lmbi_foot_limb *leg, uint32_t f)
{
    const lmb_vec3 bone =
        lmb_quat_rotate(lmbi_rotation_vector(leg->rotation[f]), lmbi_foot_bone(leg, f));
    return lmb_vec3_sub(leg->points[TOE].lock_position[f], bone);
}

/// Weight of the toe against the ankle as the anchor: a foot on its heel, or rising over its toes,
/// is shorter along the ground than a flat one, and the end on the floor stays where it is.
static float toe_weight(const lmbi_foot_limb *leg, uint32_t f, float even)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    if (!a->locked[f] || !t->locked[f]) {
        return t->locked[f] ? 1.0f : 0.0f;
    }
    const float ankle = fmaxf(0.0f, a->lock_position[f].y - a->floor),
                toe = fmaxf(0.0f, t->lock_position[f].y - t->floor);
    const float x = (ankle - toe) / (ankle + toe + 2.0f * even);
    return lmbi_smoothstepf(0.5f + 0.7f * x);
}

void lmbi_feet_find_goals(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    find_rotations(feet, leg);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        feet->known[f] = a->locked[f] || t->locked[f];
        if (!feet->known[f]) {
            continue;
        }
        // The free point stays above the ground.
        if (!a->locked[f]) {
            pitch_foot(leg, f, -leg->toe_length,
                       t->lock_position[f].y - a->floor - a->clearance[f]);
        } else if (!t->locked[f]) {
            pitch_foot(leg, f, t->floor + t->clearance[f] - a->lock_position[f].y, leg->toe_length);
        }
        const float weight = toe_weight(leg, f, EVEN_M * feet->body_m);
        const lmb_vec3 ankle = lmb_vec3_lerp(a->lock_position[f], ankle_by_toe(leg, f), weight);
        leg->offset[f] = lmb_vec3_sub(ankle, a->path[f]);
    }
    if (leg->is_steep) {
        lmbi_feet_add_vertical_steps(feet, leg);
    }
    widen_gaps(leg, feet->known, feet->frame_count,
               FASTEST_M_S * feet->body_m / feet->t->motion->rate);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        leg->points[ANKLE].locked[f] = leg->points[ANKLE].locked[f] && feet->known[f];
        leg->points[TOE].locked[f] = leg->points[TOE].locked[f] && feet->known[f];
    }
    const uint32_t fade = (uint32_t)(FADE_S * feet->t->motion->rate) + 2;
    lmbi_feet_fill_gaps(leg->offset, feet->known, feet->frame_count, fade);
    lmbi_feet_fill_gaps(leg->rotation, feet->known, feet->frame_count, fade);
}
