/// Path of an ankle: the source's, scaled like the hips' path. Equal joint rotations would put feet
/// elsewhere on a body of other proportions, and contacts would slide; a scaled path is at rest
/// wherever the source's is.
#include "retarget/feet.h"

#include <math.h>

#define HEADING_S 0.6f ///< half window of the heading filter, seconds: half a stride
#define TOE_S 0.03f    ///< half window over which the pivot moves between ankle and toe, seconds
#define SLOW_M_S 0.1f  ///< slower points are at rest, m/s
#define BROAD 0.6f     ///< width of a foot, as a fraction of its length from ankle to toe

/// The heading of each frame: the pelvis's forward direction on the ground, averaged over a stride.
static bool find_headings(const lmbi_transfer *t, lmb_vec3 *headings, lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count,
                   reach = (uint32_t)(HEADING_S * t->motion->rate + 1.0f);
    const int32_t hips = lmbi_joint(t->source, LMB_HUMAN_HIPS);
    const lmb_quat rest = lmb_quat_conjugate(t->source->reference[hips].rotation);
    lmb_vec3 *sums = lmbi_arena_array(arena, (size_t)n + 1, sizeof(*sums));
    if (sums == NULL) {
        return false;
    }
    sums[0] = lmb_vec3_make(0, 0, 0);
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_quat now = t->motion->model[(size_t)f * t->source->count + (size_t)hips].rotation;
        lmb_vec3 front = lmb_quat_rotate(lmb_quat_mul(now, rest), lmb_vec3_make(0, 0, 1));
        front.y = 0.0f;
        sums[f + 1] = lmb_vec3_add(sums[f], front);
    }
    lmb_vec3 last = {0, 0, 1};
    for (uint32_t f = 0; f < n; ++f) {
        // The window is symmetric, so that a steady rotation is not biased at the ends.
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
    return lmb_vec3_lerp(pose[lmbi_joint(body, LMB_HUMAN_LEFT_UPPER_LEG)].translation,
                         pose[lmbi_joint(body, LMB_HUMAN_RIGHT_UPPER_LEG)].translation, 0.5f);
}

/// A point of the source, scaled about the midpoint of the hip joints.
static lmb_vec3 scale_point(const lmbi_transfer *t, lmb_vec3 p)
{
    const lmb_vec3 from = between_thighs(t->source, t->source->reference),
                   to = between_thighs(t->target, t->target->reference);
    // A reference frame of a clip has an arbitrary position on the ground.
    if (t->source->reference_kind == LMB_REFERENCE_FRAME) {
        return lmb_vec3_scale(p, t->scale);
    }
    return lmb_vec3_make(to.x + t->scale * (p.x - from.x), t->scale * p.y,
                         to.z + t->scale * (p.z - from.z));
}

/// Lateral offset of a hip joint against the source's, scaled.
static float hip_offset(const lmbi_transfer *t, int bone)
{
    const float to =
        lmbi_reference_at(t->target, bone).x - between_thighs(t->target, t->target->reference).x;
    const float from =
        lmbi_reference_at(t->source, bone).x - between_thighs(t->source, t->source->reference).x;
    return to - t->scale * from;
}

/// Distance between the ankles of a frame: sideways, positive with the left one on the left, and
/// along the heading.
static void measure_foot_distance(const lmbi_transfer *t, const lmb_transform *pose, lmb_vec3 front,
                                  float *aside, float *ahead)
{
    const lmb_vec3 between =
        lmb_vec3_sub(pose[lmbi_joint(t->source, LMB_HUMAN_LEFT_FOOT)].translation,
                     pose[lmbi_joint(t->source, LMB_HUMAN_RIGHT_FOOT)].translation);
    *aside = t->scale * (between.x * front.z - between.z * front.x);
    *ahead = t->scale * fabsf(between.x * front.x + between.z * front.z);
}

/// Lateral offset that narrower hips give back to each foot, so that the feet stay as far apart as
/// the source's, or at least a foot's width.
static float foot_spread(const lmbi_transfer *t, const lmb_vec3 *headings, float toe_length)
{
    const float narrower =
        0.5f * (hip_offset(t, LMB_HUMAN_LEFT_UPPER_LEG) - hip_offset(t, LMB_HUMAN_RIGHT_UPPER_LEG));
    const float rest = lmbi_reference_at(t->target, LMB_HUMAN_LEFT_FOOT).x -
                       lmbi_reference_at(t->target, LMB_HUMAN_RIGHT_FOOT).x;
    const float broad = fminf(BROAD * toe_length, 0.5f * rest);
    float nearest = broad - 2.0f * fminf(0.0f, narrower);
    for (uint32_t f = 0; f < t->motion->frame_count && narrower < 0.0f; ++f) {
        float aside, ahead;
        measure_foot_distance(t, t->motion->model + (size_t)f * t->source->count, headings[f],
                              &aside, &ahead);
        nearest = ahead < toe_length ? fminf(nearest, aside) : nearest;
    }
    const float least = fminf(nearest, broad);
    return fmaxf(0.0f, fminf(-narrower, 0.5f * (least - nearest) - narrower));
}

/// Difference of a vector rotated by a rotation and by the rotation's yaw about the vertical alone.
static lmb_vec3 swing_difference(lmb_quat rotation, lmb_vec3 v)
{
    const float length = lmb_sqrt(rotation.y * rotation.y + rotation.w * rotation.w);
    const lmb_quat about = length > 1e-6f
                               ? lmb_quat_make(0, rotation.y / length, 0, rotation.w / length)
                               : lmb_quat_identity();
    return lmb_vec3_sub(lmb_quat_rotate(rotation, v), lmb_quat_rotate(about, v));
}

static float speed(const lmb_vec3 *points, uint32_t f, uint32_t count, float rate)
{
    const uint32_t a = f > 0 ? f - 1 : 0, b = f + 1 < count ? f + 1 : f;
    return b > a ? lmb_vec3_distance(points[a], points[b]) * rate / (float)(b - a) : 0.0f;
}

/// Weight 1 where the foot pivots about its toe, 0 where it is flat, rolls over its heel or swings.
static void find_toe_weights(const lmb_vec3 *ankles, const lmb_vec3 *toes, uint32_t count,
                             float rate, float body_m, float *weights)
{
    const float slow = SLOW_M_S * body_m;
    for (uint32_t f = 0; f < count; ++f) {
        const float a = speed(ankles, f, count, rate), b = speed(toes, f, count, rate);
        const float x = 2.0f * a * a / (a * a + b * b + slow * slow) - 1.0f;
        weights[f] = x > 0.0f ? x * x * (3.0f - 2.0f * x) : 0.0f;
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
    // Feet of other lengths pivot about their toes, so the ankle's arc scales with the foot.
    const lmb_quat align = t->align[upper + 2];
    const lmb_vec3 to = lmb_quat_rotate(
        lmb_quat_mul(align, t->target->reference[lmbi_joint(t->target, upper + 2)].rotation),
        target_toe);
    const lmb_vec3 longer =
        lmb_vec3_mad(to, lmb_quat_rotate(t->source->reference[foot].rotation, toe), -t->scale);
    lmb_vec3 *headings = lmbi_arena_array(arena, n, sizeof(*headings)),
             *ankles = lmbi_arena_array(arena, n, sizeof(*ankles)),
             *toes = lmbi_arena_array(arena, n, sizeof(*toes));
    float *weights = lmbi_arena_array(arena, n, sizeof(*weights));
    if (headings == NULL || ankles == NULL || toes == NULL || weights == NULL ||
        !find_headings(t, headings, arena)) {
        return false;
    }
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_transform joint = t->motion->model[(size_t)f * t->source->count + (size_t)foot];
        ankles[f] = joint.translation;
        toes[f] = lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
    }
    const float kept = foot_spread(t, headings, lmb_vec3_length(target_toe)),
                apart = hip_offset(t, upper) + (upper == LMB_HUMAN_LEFT_UPPER_LEG ? kept : -kept);
    find_toe_weights(ankles, toes, n, t->motion->rate, t->source->leg_length / 0.85f, weights);
    for (uint32_t f = 0; f < n; ++f) {
        const lmb_vec3 front = headings[f], left = {front.z, 0.0f, -front.x};
        const lmb_quat now = t->motion->model[(size_t)f * t->source->count + (size_t)foot].rotation;
        const lmb_quat rotation =
            lmb_quat_mul(now, lmb_quat_conjugate(t->source->reference[foot].rotation));
        const float weight = mean_around(weights, f, n, (uint32_t)(TOE_S * t->motion->rate));
        path[f] = lmb_vec3_mad(lmb_vec3_mad(scale_point(t, ankles[f]), left, apart),
                               swing_difference(rotation, longer), -weight);
    }
    return true;
}

lmb_vec3 lmbi_follow_hips(const lmbi_transfer *t, uint32_t frame)
{
    const int32_t hips = lmbi_joint(t->target, LMB_HUMAN_HIPS);
    const lmb_transform rest = t->target->reference[hips];
    const lmb_vec3 middle =
        lmb_vec3_sub(between_thighs(t->target, t->target->reference), rest.translation);
    const lmb_quat now = t->rotations[(size_t)frame * t->driven_count + (size_t)t->driven_of[hips]];
    const lmb_quat rotation = lmb_quat_mul(now, lmb_quat_conjugate(rest.rotation));
    const lmb_vec3 at = scale_point(
        t, between_thighs(t->source, t->motion->model + (size_t)frame * t->source->count));
    return lmb_vec3_sub(at, lmb_quat_rotate(rotation, middle));
}
