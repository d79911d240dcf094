/// Samples keypoint tracks at even times and estimates the distance of the body.
#include "capture/lift_trail.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "retarget/feet.h"

#define WINDOW_S 0.5f ///< window over which the distance changes little, seconds
/// fraction of the time for which a leg is straight and parallel to the picture
#define STRAIGHT_FRACTION 0.05f
/// bias to larger distances, so that bones parallel to the picture are long enough to reach their
/// rays
#define MARGIN 1.005f
#define REACH 0.2f ///< fraction of the height: farthest that a limb reaches towards the camera

static const uint8_t keypoints[LMBI_TRAIL_POINTS] = {
    LMB_KEYPOINT_LEFT_SHOULDER, LMB_KEYPOINT_RIGHT_SHOULDER, LMB_KEYPOINT_LEFT_ELBOW,
    LMB_KEYPOINT_RIGHT_ELBOW,   LMB_KEYPOINT_LEFT_WRIST,     LMB_KEYPOINT_RIGHT_WRIST,
    LMB_KEYPOINT_LEFT_HIP,      LMB_KEYPOINT_RIGHT_HIP,      LMB_KEYPOINT_LEFT_KNEE,
    LMB_KEYPOINT_RIGHT_KNEE,    LMB_KEYPOINT_LEFT_ANKLE,     LMB_KEYPOINT_RIGHT_ANKLE};

lmb_keypoint lmbi_trail_keypoint(int point)
{
    return (lmb_keypoint)keypoints[point];
}

/// Position of the point's joint at rest. False where the character has none.
static bool rest_point(const lmbi_lifting *lift, int point, lmb_vec3 *at)
{
    const lmbi_landmark *landmark = &lift->landmarks[keypoints[point]];
    if (landmark->joint >= 0) {
        *at = lift->subject.positions[landmark->joint];
    }
    return landmark->joint >= 0;
}

static lmb_vec3 rest_middle(const lmbi_lifting *lift, int pair)
{
    lmb_vec3 left = {0, 0, 0}, right = {0, 0, 0};
    (void)rest_point(lift, pair, &left);
    (void)rest_point(lift, pair + 1, &right);
    return lmb_vec3_lerp(left, right, 0.5f);
}

static void measure_bones(lmbi_trail *t)
{
    for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
        lmb_vec3 at = {0, 0, 0}, from = {0, 0, 0};
        const bool root = p < LMBI_ELBOW || (p >= LMBI_HIP && p < LMBI_KNEE);
        const bool shown = rest_point(t->lift, p, &at);
        if (!shown || !rest_point(t->lift, root ? p ^ 1 : p - 2, &from)) {
            t->seen[p] = false;
        }
        t->rest[p] = at;
        t->length[p] = lmb_vec3_distance(at, from);
    }
}

/// Ray of a point in the smoothed track at a frame, or near it. False where nothing shows it.
static bool track_at(const lmbi_lifting *lift, int point, uint32_t frame, uint32_t step,
                     lmb_vec3 *ray)
{
    for (uint32_t off = 0; off <= step / 2; ++off) {
        for (int side = 0; side < (off > 0 ? 2 : 1); ++side) {
            const uint32_t f = side == 0 ? frame + off : frame - off;
            const size_t at = (size_t)f * LMB_KEYPOINT_COUNT + keypoints[point];
            if ((side == 1 && off > frame) || f >= lift->frame_count ||
                !(lift->confidence[at] > 0.05f)) {
                continue;
            }
            const float scale = 1 / (float)lift->focal;
            *ray = lmb_vec3_make(scale * lift->tracks[at].x, -scale * lift->tracks[at].y, -1);
            return true;
        }
    }
    return false;
}

/// Interpolates a point's ray over samples that do not show it.
static void interpolate_hidden_rays(lmbi_trail *t, int point, const uint8_t *shown)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t m = 0; m < t->count; ++m) {
        if (!shown[m]) {
            continue;
        }
        for (uint32_t k = last == UINT32_MAX ? 0 : last + 1; k < m; ++k) {
            const float u = last == UINT32_MAX ? 1 : (float)(k - last) / (float)(m - last);
            const lmb_vec3 before = t->rays[last == UINT32_MAX ? m : last][point];
            t->rays[k][point] = lmb_vec3_lerp(before, t->rays[m][point], u);
        }
        last = m;
    }
    for (uint32_t k = last + 1; last != UINT32_MAX && k < t->count; ++k) {
        t->rays[k][point] = t->rays[last][point];
    }
    t->seen[point] = last != UINT32_MAX;
}

static float projected_distance(const lmbi_trail *t, uint32_t m, int a, int b)
{
    const lmb_vec3 d = lmb_vec3_sub(t->rays[m][a], t->rays[m][b]);
    return lmb_sqrt(d.x * d.x + d.y * d.y);
}

/// Guesses hips below shoulders where only shoulders are seen, or the other way round.
static void guess_unseen_pair(lmbi_trail *t, int pair, int from)
{
    const float drop = rest_middle(t->lift, pair).y - rest_middle(t->lift, from).y; // metres
    float widest = 1e-6f;
    for (uint32_t m = 0; m < t->count; ++m) {
        widest = fmaxf(widest, projected_distance(t, m, from, from + 1));
    }
    const float scale = t->length[from] > 0 ? widest / t->length[from] : 0;
    for (uint32_t m = 0; m < t->count; ++m) {
        for (int side = 0; side < 2; ++side) {
            t->rays[m][pair + side] = t->rays[m][from + side];
            t->rays[m][pair + side].y += drop * scale;
        }
    }
    t->seen[pair] = t->seen[pair + 1] = true;
}

/// Distance from the apparent length of the trunk, limited so that no bone has to be longer than it
/// is.
static float depth_at(const lmbi_trail *t, uint32_t m, float trunk)
{
    const lmb_vec3 a = lmb_vec3_lerp(t->rays[m][0], t->rays[m][1], 0.5f),
                   b = lmb_vec3_lerp(t->rays[m][LMBI_HIP], t->rays[m][LMBI_HIP + 1], 0.5f);
    const lmb_vec3 d = lmb_vec3_sub(a, b);
    float depth = trunk / fmaxf(lmb_sqrt(d.x * d.x + d.y * d.y), 1e-4f);
    for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
        const bool root = p < LMBI_ELBOW || (p >= LMBI_HIP && p < LMBI_KNEE);
        if (!root && t->seen[p] && t->seen[p - 2]) {
            const float bone = t->length[p] / fmaxf(projected_distance(t, m, p, p - 2), 1e-4f);
            depth = fminf(depth, bone + REACH * t->lift->subject.height);
        }
    }
    return fmaxf(depth, 0.3f * t->lift->subject.height);
}

/// Correction factor of the depth, from legs: now and then each is straight and parallel to the
/// picture, and a leg's length is better known than that of the trunk.
static float depth_factor(const lmbi_trail *t, const float *depth, float *ratios)
{
    uint32_t count = 0;
    for (int side = 0; side < 2; ++side) {
        const int hip = LMBI_HIP + side, knee = LMBI_KNEE + side, ankle = LMBI_ANKLE + side;
        for (uint32_t m = 0; t->seen[hip] && t->seen[knee] && t->seen[ankle] && m < t->count; ++m) {
            // The hip is at least `gap` from the ankle's ray, and no farther than the leg is long.
            const lmb_vec3 a = t->rays[m][hip], b = t->rays[m][ankle];
            const float gap = lmb_vec3_length(lmb_vec3_cross(a, b)) / lmb_vec3_length(b) * depth[m];
            ratios[count++] = (t->length[knee] + t->length[ankle]) / fmaxf(gap, 1e-4f);
        }
    }
    const float factor = count > 0 ? lmbi_quantile(ratios, count, STRAIGHT_FRACTION) : 1;
    return fminf(fmaxf(factor, 0.9f), 1.03f);
}

static bool estimate_depth(lmbi_trail *t, lmbi_arena *arena)
{
    const float trunk =
        lmb_vec3_distance(rest_middle(t->lift, LMBI_SHOULDER), rest_middle(t->lift, LMBI_HIP));
    const uint32_t half = (uint32_t)(0.5f * WINDOW_S * t->lift->rate / (float)t->step) + 1;
    float *raw = lmbi_arena_array(arena, t->count, sizeof *raw),
          *ratios = lmbi_arena_array(arena, 2 * (size_t)t->count, sizeof *ratios),
          *near = lmbi_arena_array(arena, 2 * (size_t)half + 1, sizeof *near);
    if (raw == NULL || ratios == NULL || near == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        raw[m] = depth_at(t, m, trunk);
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        // Windows are symmetric at the ends too, or a walk towards the camera would bend there.
        uint32_t reach = m < half ? m : half;
        reach = t->count - 1 - m < reach ? t->count - 1 - m : reach;
        float sum = 0;
        for (uint32_t k = m - reach; k <= m + reach; ++k) {
            near[k - (m - reach)] = raw[k];
        }
        const float middle = lmbi_quantile(near, 2 * reach + 1, 0.5f);
        for (uint32_t k = m - reach; k <= m + reach; ++k) {
            sum += fminf(fmaxf(raw[k], 0.95f * middle), 1.05f * middle);
        }
        t->depth[m] = sum / (float)(2 * reach + 1);
    }
    const float factor = MARGIN * depth_factor(t, t->depth, ratios);
    for (uint32_t m = 0; m < t->count; ++m) {
        t->depth[m] *= factor;
    }
    return true;
}

lmb_result lmbi_trail_make(lmbi_lifting *lift, uint32_t step, lmbi_trail *trail)
{
    lmbi_trail t = {
        .lift = lift, .up = {0, 1, 0}, .step = step, .count = (lift->frame_count - 1) / step + 1};
    uint8_t *shown = lmbi_arena_array(lift->arena, t.count, 1);
    t.cuts = lmbi_arena_array(lift->arena, (size_t)t.count + 1, 1);
    t.rays = lmbi_arena_array(lift->arena, t.count, sizeof *t.rays);
    t.points = lmbi_arena_array(lift->arena, t.count, sizeof *t.points);
    t.depth = lmbi_arena_array(lift->arena, t.count, sizeof *t.depth);
    if (shown == NULL || t.cuts == NULL || t.rays == NULL || t.points == NULL || t.depth == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
        for (uint32_t m = 0; m < t.count; ++m) {
            shown[m] = track_at(lift, p, m * step, step, &t.rays[m][p]);
        }
        interpolate_hidden_rays(&t, p, shown);
    }
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        t.cuts[(f + step - 1) / step] |= lift->cuts[f];
    }
    measure_bones(&t);
    const bool hips = t.seen[LMBI_HIP] && t.seen[LMBI_HIP + 1], shoulders = t.seen[0] && t.seen[1];
    if (!hips && !shoulders) {
        return LMB_ERROR_INVALID;
    }
    if (!hips || !shoulders) {
        guess_unseen_pair(&t, hips ? LMBI_SHOULDER : LMBI_HIP, hips ? LMBI_HIP : LMBI_SHOULDER);
    }
    if (!estimate_depth(&t, lift->arena)) {
        return LMB_ERROR_MEMORY;
    }
    lift->depth = lmbi_arena_array(lift->arena, lift->frame_count, sizeof *lift->depth);
    if (lift->depth == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        const uint32_t m = f / step, next = m + 1 < t.count ? m + 1 : m;
        const float u = (float)(f - m * step) / (float)step;
        lift->depth[f] = t.depth[m] + u * (t.depth[next] - t.depth[m]);
    }
    *trail = t;
    return LMB_OK;
}
