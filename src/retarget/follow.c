/// The way of an ankle: the source's own, scaled as the hips' path is. Turning joints alike puts a
/// foot elsewhere on a body of other proportions, and what stood still then slides; a scaled path
/// stands still wherever the source's does.
#include "retarget/feet.h"

#include <math.h>

#define HEADING_S 0.6f ///< a walking pelvis swings from side to side within twice this
#define TOE_S 0.03f    ///< ankle and toe take over from each other in this time
#define SLOW_M_S 0.1f  ///< what is slower stands
#define BROAD 0.6f     ///< of a foot from ankle to toe: it is so broad

/// Where the body heads, one frame after the other: the pelvis's front on the ground, averaged over
/// a stride.
static bool find_headings(const lmbi_transfer *t, lmb_vec3 *headings, lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count,
                   reach = (uint32_t)(HEADING_S * t->motion->rate + 1.0f);
    const int32_t hips = lmbi_joint(t->source, LMB_SLOT_HIPS);
    const lmb_quat stood = lmb_quat_conjugate(t->source->reference[hips].rotation);
    lmb_vec3 *sums = lmbi_arena_array(arena, (size_t)n + 1, sizeof(*sums));
    if (sums == NULL) {
        return false;
    }
    sums[0] = lmb_vec3_make(0, 0, 0);
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_quat now = t->motion->model[(size_t)f * t->source->count + (size_t)hips].rotation;
        lmb_vec3 front = lmb_quat_rotate(lmb_quat_mul(now, stood), lmb_vec3_make(0, 0, 1));
        front.y = 0.0f;
        sums[f + 1] = lmb_vec3_add(sums[f], front);
    }
    lmb_vec3 last = {0, 0, 1};
    for (uint32_t f = 0; f < n; ++f) {
        // as far to either side, so that an even turn is not bent at the ends
        uint32_t each = reach;
        each = f < each ? f : each;
        each = n - 1 - f < each ? n - 1 - f : each;
        last = lmb_vec3_normalize_or(lmb_vec3_sub(sums[f + each + 1], sums[f - each]), last);
        headings[f] = last;
    }
    return true;
}

static lmb_vec3 between_thighs(const lmbi_humanoid *body, const lmb_transform *pose)
{
    return lmb_vec3_lerp(pose[lmbi_joint(body, LMB_SLOT_LEFT_UPPER_LEG)].translation,
                         pose[lmbi_joint(body, LMB_SLOT_RIGHT_UPPER_LEG)].translation, 0.5f);
}

/// A place of the source, scaled about the middle between the thighs.
static lmb_vec3 place(const lmbi_transfer *t, lmb_vec3 p)
{
    const lmb_vec3 from = between_thighs(t->source, t->source->reference),
                   to = between_thighs(t->target, t->target->reference);
    // Where a frame was taken for a reference, its place on the ground means nothing.
    if (t->source->reference_kind == LMB_REFERENCE_FRAME) {
        return lmb_vec3_scale(p, t->scale);
    }
    return lmb_vec3_make(to.x + t->scale * (p.x - from.x), t->scale * p.y,
                         to.z + t->scale * (p.z - from.z));
}

/// How much farther to the left a thigh begins than the source's, scaled.
static float farther_left(const lmbi_transfer *t, int slot)
{
    const float to =
        lmbi_reference_at(t->target, slot).x - between_thighs(t->target, t->target->reference).x;
    const float from =
        lmbi_reference_at(t->source, slot).x - between_thighs(t->source, t->source->reference).x;
    return to - t->scale * from;
}

/// Where the ankles of a frame are to each other: how far the left one is to the left, and how far
/// the one is ahead of the other.
static void feet_apart(const lmbi_transfer *t, const lmb_transform *pose, lmb_vec3 front,
                       float *aside, float *ahead)
{
    const lmb_vec3 between =
        lmb_vec3_sub(pose[lmbi_joint(t->source, LMB_SLOT_LEFT_FOOT)].translation,
                     pose[lmbi_joint(t->source, LMB_SLOT_RIGHT_FOOT)].translation);
    *aside = t->scale * (between.x * front.z - between.z * front.x);
    *ahead = t->scale * fabsf(between.x * front.x + between.z * front.z);
}

/// How much each foot is to be farther out than hips that are narrower would have it: those of a
/// body whose thighs begin close together stay as far apart as the source's, or as they are broad.
static float kept_apart(const lmbi_transfer *t, const lmb_vec3 *headings, float toe_length)
{
    const float narrower = 0.5f * (farther_left(t, LMB_SLOT_LEFT_UPPER_LEG) -
                                   farther_left(t, LMB_SLOT_RIGHT_UPPER_LEG));
    const float stood = lmbi_reference_at(t->target, LMB_SLOT_LEFT_FOOT).x -
                        lmbi_reference_at(t->target, LMB_SLOT_RIGHT_FOOT).x;
    const float broad = fminf(BROAD * toe_length, 0.5f * stood);
    float nearest = broad - 2.0f * fminf(0.0f, narrower);
    for (uint32_t f = 0; f < t->motion->frame_count && narrower < 0.0f; ++f) {
        float aside, ahead;
        feet_apart(t, t->motion->model + (size_t)f * t->source->count, headings[f], &aside, &ahead);
        nearest = ahead < toe_length ? fminf(nearest, aside) : nearest;
    }
    const float least = fminf(nearest, broad);
    return fmaxf(0.0f, fminf(-narrower, 0.5f * (least - nearest) - narrower));
}

/// A turn less its part about the vertical.
static lmb_vec3 tilt(lmb_quat turn, lmb_vec3 v)
{
    const float length = lmb_sqrt(turn.y * turn.y + turn.w * turn.w);
    const lmb_quat about = length > 1e-6f ? lmb_quat_make(0, turn.y / length, 0, turn.w / length)
                                          : lmb_quat_identity();
    return lmb_vec3_sub(lmb_quat_rotate(turn, v), lmb_quat_rotate(about, v));
}

static float speed(const lmb_vec3 *points, uint32_t f, uint32_t count, float rate)
{
    const uint32_t a = f > 0 ? f - 1 : 0, b = f + 1 < count ? f + 1 : f;
    return b > a ? lmb_vec3_distance(points[a], points[b]) * rate / (float)(b - a) : 0.0f;
}

/// 1 where the foot turns about its toe, 0 where it stands flat, rolls over its heel or swings.
static void find_toe_shares(const lmb_vec3 *ankles, const lmb_vec3 *toes, uint32_t count,
                            float rate, float body_m, float *shares)
{
    const float slow = SLOW_M_S * body_m;
    for (uint32_t f = 0; f < count; ++f) {
        const float a = speed(ankles, f, count, rate), b = speed(toes, f, count, rate);
        const float x = 2.0f * a * a / (a * a + b * b + slow * slow) - 1.0f;
        shares[f] = x > 0.0f ? x * x * (3.0f - 2.0f * x) : 0.0f;
    }
}

static float mean_around(const float *values, uint32_t f, uint32_t count, uint32_t reach)
{
    float sum = 0.0f, total = 0.0f;
    for (uint32_t i = f > reach ? f - reach : 0; i <= f + reach && i < count; ++i) {
        sum += values[i];
        total += 1.0f;
    }
    return sum / total;
}

bool lmbi_follow_ankle(const lmbi_transfer *t, int upper, lmb_vec3 target_toe, lmb_vec3 *path,
                       lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count;
    const int32_t foot = lmbi_joint(t->source, upper + 2);
    const lmb_vec3 toe = lmbi_toe_of(t->source, upper + 2);
    // Feet of other lengths turn about their toes: the ankle goes a longer or a shorter way.
    const lmb_quat align = t->align[upper + 2];
    const lmb_vec3 to = lmb_quat_rotate(
        lmb_quat_mul(align, t->target->reference[lmbi_joint(t->target, upper + 2)].rotation),
        target_toe);
    const lmb_vec3 longer =
        lmb_vec3_mad(to, lmb_quat_rotate(t->source->reference[foot].rotation, toe), -t->scale);
    lmb_vec3 *headings = lmbi_arena_array(arena, n, sizeof(*headings)),
             *ankles = lmbi_arena_array(arena, n, sizeof(*ankles)),
             *toes = lmbi_arena_array(arena, n, sizeof(*toes));
    float *shares = lmbi_arena_array(arena, n, sizeof(*shares));
    if (headings == NULL || ankles == NULL || toes == NULL || shares == NULL ||
        !find_headings(t, headings, arena)) {
        return false;
    }
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_transform joint = t->motion->model[(size_t)f * t->source->count + (size_t)foot];
        ankles[f] = joint.translation;
        toes[f] = lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
    }
    const float kept = kept_apart(t, headings, lmb_vec3_length(target_toe)),
                apart = farther_left(t, upper) + (upper == LMB_SLOT_LEFT_UPPER_LEG ? kept : -kept);
    find_toe_shares(ankles, toes, n, t->motion->rate, t->source->leg_length / 0.85f, shares);
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_vec3 front = headings[f], left = {front.z, 0.0f, -front.x};
        const lmb_quat now = t->motion->model[(size_t)f * t->source->count + (size_t)foot].rotation;
        const lmb_quat turn =
            lmb_quat_mul(now, lmb_quat_conjugate(t->source->reference[foot].rotation));
        const float share = mean_around(shares, f, n, (uint32_t)(TOE_S * t->motion->rate));
        path[f] = lmb_vec3_mad(lmb_vec3_mad(place(t, ankles[f]), left, apart), tilt(turn, longer),
                               -share);
    }
    return true;
}

lmb_vec3 lmbi_follow_hips(const lmbi_transfer *t, uint32_t frame)
{
    const int32_t hips = lmbi_joint(t->target, LMB_SLOT_HIPS);
    const lmb_transform stood = t->target->reference[hips];
    const lmb_vec3 middle =
        lmb_vec3_sub(between_thighs(t->target, t->target->reference), stood.translation);
    const lmb_quat now = t->rotations[(size_t)frame * t->driven_count + (size_t)t->driven_of[hips]];
    const lmb_quat turn = lmb_quat_mul(now, lmb_quat_conjugate(stood.rotation));
    const lmb_vec3 at =
        place(t, between_thighs(t->source, t->motion->model + (size_t)frame * t->source->count));
    return lmb_vec3_sub(at, lmb_quat_rotate(turn, middle));
}
