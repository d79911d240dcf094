/// Local search over mirrored bones. A bone of known length has two positions in depth, and no
/// small step leads from one to the other, so a bone that starts on the wrong side stays there.
/// Between two samples at which it lies across the view it is mirrored, the depths around it are
/// solved again, and the cheaper of both solutions is kept.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/lift_trail.h"

/// fraction of its length: a bone may change sides where it is less deep
#define CROSSING_DEPTH 0.5f
#define LEAST_DEPTH 0.03f ///< metres: a bone that is never deeper looks the same when mirrored
#define AROUND_S 0.25f    ///< seconds on either side that are solved again with a flip
#define PRIOR_S 0.15      ///< seconds between independent evaluations of the pose prior
#define ROUNDS 4
#define GAIN 3.0 ///< cost that a flip must save
/// A flip is abandoned when after a few steps it costs HOPELESS_FACTOR times as much, plus
/// HOPELESS_OFFSET.
#define HOPELESS_FACTOR 1.5
#define HOPELESS_OFFSET 20.0
#define RELAXATIONS 10
#define UPRIGHT_COS 0.9877f ///< cosine of 9 degrees: within that the body itself leans
#define LYING_COS 0.8192f   ///< cosine of 35 degrees: beyond that the body lies
#define MOST_BEND 0.04f     ///< metres that the trunk may be longer or shorter than at rest
/// initial tolerance of bone lengths, times the final one, when all samples are solved
#define LOOSE_FACTOR 2.0
#define FLIP_TOLERANCE 0.03 ///< tolerance of bone lengths right after a flip, metres

enum { HIPS = LMBI_LIMBS, SHOULDERS, TRUNK };

/// A limb's bones, or a line across the body, mirrored over some samples.
typedef struct flip {
    int limb;
    bool upper, lower;
    uint32_t begin, end; ///< samples
} flip;

typedef struct search {
    lmbi_trail *t;
    float (*depth)[LMBI_TRAIL_POINTS], (*trial)[LMBI_TRAIL_POINTS];
    double tolerance;
    uint32_t kept;
    int round;
} search;

/// The other end of a point's bone. The left end of a line across the body is attached to its right
/// end.
static int parent_of(int point)
{
    return point == LMBI_SHOULDER || point == LMBI_HIP ? point + 1 : point - 2;
}

static lmb_vec3 point_at(const search *s, float (*depth)[LMBI_TRAIL_POINTS], uint32_t m, int p)
{
    return lmb_vec3_scale(s->t->rays[m][p], depth[m][p]);
}

// ----------------------------------------------------------------------------------------- costs

/// Cost of the pose prior over samples.
static double prior_cost(const search *s, float (*depth)[LMBI_TRAIL_POINTS], uint32_t begin,
                         uint32_t end)
{
    double sum = 0;
    for (uint32_t m = begin; m < end; ++m) {
        lmb_vec3 points[LMBI_TRAIL_POINTS];
        for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
            points[p] = point_at(s, depth, m, p);
        }
        sum += (double)lmbi_trail_prior(s->t, m, points);
    }
    return sum * fmin((double)s->t->step / ((double)s->t->lift->rate * PRIOR_S), 1);
}

static double solve_depths(const search *s, float (*depth)[LMBI_TRAIL_POINTS], uint32_t begin,
                           uint32_t end, double tolerance, uint32_t iterations)
{
    lmbi_arena scratch;
    lmbi_arena_init(&scratch, s->t->lift->arena->alloc);
    const lmbi_depths job = {.begin = begin,
                             .count = end - begin,
                             .fixed = {begin > 0 ? 2 : 0, end < s->t->count ? 2 : 0},
                             .iterations = iterations,
                             .tolerance = tolerance,
                             .depth = depth + begin};
    const double cost = lmbi_lift_depths(s->t, &job, &scratch);
    lmbi_arena_free(&scratch);
    return cost;
}

// ---------------------------------------------------------------------------------------- flipping

/// Puts the bone's end at its length from its parent, on the same side of it as before or on the
/// other one.
static void place_bone_end(const search *s, uint32_t m, int p, bool flipped)
{
    const int from = parent_of(p);
    const bool farther = (s->depth[m][p] > s->depth[m][from]) != flipped;
    lmb_vec3 ends[2];
    lmbi_trail_intersect(s->t->rays[m][p], point_at(s, s->trial, m, from), s->t->length[p], ends);
    s->trial[m][p] = -ends[farther].z;
}

static void mirror_line(const search *s, const flip *f, uint32_t m, int line)
{
    s->trial[m][line] = s->depth[m][line + 1];
    s->trial[m][line + 1] = s->depth[m][line];
    for (int side = 0; side < 2; ++side) {
        place_bone_end(s, m, line + 2 + side, f->upper);
        place_bone_end(s, m, line + 4 + side, f->lower);
    }
}

static void apply_flip(const search *s, const flip *f, uint32_t m)
{
    if (f->limb == HIPS || f->limb == TRUNK) {
        mirror_line(s, f, m, LMBI_HIP);
    }
    if (f->limb == SHOULDERS || f->limb == TRUNK) {
        mirror_line(s, f, m, LMBI_SHOULDER);
    }
    if (f->limb < LMBI_LIMBS) {
        place_bone_end(s, m, lmbi_limb_root(f->limb) + 2, f->upper);
        place_bone_end(s, m, lmbi_limb_root(f->limb) + 4, f->lower);
    }
}

static lmb_result try_flip(search *s, const flip *f)
{
    const lmbi_trail *t = s->t;
    const uint32_t around = (uint32_t)(AROUND_S * t->lift->rate / (float)t->step) + 3;
    const uint32_t begin = f->begin > around ? f->begin - around : 0,
                   end = f->end + around < t->count ? f->end + around : t->count;
    const size_t bytes = (end - begin) * sizeof *s->depth;
    const double before = solve_depths(s, s->depth, begin, end, s->tolerance, 0);
    memcpy(s->trial + begin, s->depth + begin, bytes);
    for (uint32_t m = f->begin; m < f->end; ++m) {
        apply_flip(s, f, m);
    }
    double after = solve_depths(s, s->trial, begin, end, FLIP_TOLERANCE, 4);
    after = after < 0 ? after : solve_depths(s, s->trial, begin, end, s->tolerance, 4);
    if (after >= 0 && after < HOPELESS_FACTOR * before + HOPELESS_OFFSET) {
        after = solve_depths(s, s->trial, begin, end, s->tolerance, 12);
    }
    if (before < 0 || after < 0) {
        return LMB_ERROR_MEMORY;
    }
    if (after + prior_cost(s, s->trial, begin, end) <
        before + prior_cost(s, s->depth, begin, end) - GAIN) {
        memcpy(s->depth + begin, s->trial + begin, bytes);
        ++s->kept;
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------- proposals

static float bone_depth(const search *s, uint32_t m, int point)
{
    return s->depth[m][point] - s->depth[m][parent_of(point)];
}

/// End of the interval from `begin` in which a bone cannot have changed sides.
static uint32_t interval_end(const search *s, int point, uint32_t begin)
{
    for (uint32_t m = begin + 1; m + 1 < s->t->count; ++m) {
        const float before = bone_depth(s, m - 1, point), now = bone_depth(s, m, point),
                    after = bone_depth(s, m + 1, point);
        const bool least = fabsf(now) <= fabsf(before) && fabsf(now) < fabsf(after);
        if (now * before < 0 || (least && fabsf(now) < CROSSING_DEPTH * s->t->length[point]) ||
            s->t->cuts[m]) {
            return m;
        }
    }
    return s->t->count;
}

static lmb_result try_interval(search *s, int point, flip f, uint32_t begin, uint32_t end)
{
    float deepest = 0;
    for (uint32_t m = begin; m < end; ++m) {
        deepest = fmaxf(deepest, fabsf(bone_depth(s, m, point)));
    }
    f.begin = begin;
    f.end = end;
    return deepest > LEAST_DEPTH ? try_flip(s, &f) : LMB_OK;
}

/// Tries the flip over each interval in which the point's bone keeps its side, and over all
/// samples. The trunk, which may be mirrored for long, is also tried from the first sample and to
/// the last.
static lmb_result try_intervals(search *s, int point, flip f)
{
    const uint32_t count = s->t->count;
    const bool first = s->round == 0 && f.upper == f.lower;
    lmb_result result = LMB_OK;
    for (uint32_t end, begin = 0; result == LMB_OK && begin < count; begin = end) {
        end = interval_end(s, point, begin);
        result = try_interval(s, point, f, begin, end);
        if (result == LMB_OK && first && f.limb == TRUNK && begin > 0) {
            result = try_interval(s, point, f, 0, begin);
        }
        if (result == LMB_OK && first && f.limb == TRUNK && begin > 0) {
            result = try_interval(s, point, f, begin, count);
        }
    }
    return result == LMB_OK && first ? try_interval(s, point, f, 0, count) : result;
}

static lmb_result try_limb(search *s, int limb)
{
    const int mid = lmbi_limb_root(limb) + 2, end = mid + 2;
    lmb_result result = LMB_OK;
    if (s->t->seen[mid]) {
        result = try_intervals(s, mid, (flip){.limb = limb, .upper = true, .lower = true});
    }
    if (result == LMB_OK && s->t->seen[mid]) {
        result = try_intervals(s, mid, (flip){.limb = limb, .upper = true});
    }
    if (result == LMB_OK && s->t->seen[end]) {
        result = try_intervals(s, end, (flip){.limb = limb, .lower = true});
    }
    return result;
}

static lmb_result try_line(search *s, int line)
{
    const int point = line == SHOULDERS ? LMBI_SHOULDER : LMBI_HIP;
    lmb_result result = try_intervals(s, point, (flip){.limb = line});
    if (result == LMB_OK) {
        result = try_intervals(s, point, (flip){.limb = line, .upper = true, .lower = true});
    }
    return result;
}

static lmb_result try_all(search *s)
{
    lmb_result result = try_line(s, TRUNK);
    if (result == LMB_OK) {
        result = try_line(s, HIPS);
    }
    if (result == LMB_OK) {
        result = try_line(s, SHOULDERS);
    }
    for (int limb = 0; result == LMB_OK && limb < LMBI_LIMBS; ++limb) {
        result = try_limb(s, limb);
    }
    return result;
}

/// Up direction in camera space: the mean direction of the body where the camera looks up or down,
/// otherwise the vertical.
static void measure_up(const search *s)
{
    static const lmb_vec3 y = {0, 1, 0};
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t m = 0; m < s->t->count; ++m) {
        const lmb_vec3 top = lmb_vec3_lerp(point_at(s, s->depth, m, LMBI_SHOULDER),
                                           point_at(s, s->depth, m, LMBI_SHOULDER + 1), 0.5f),
                       foot = lmb_vec3_lerp(point_at(s, s->depth, m, LMBI_ANKLE),
                                            point_at(s, s->depth, m, LMBI_ANKLE + 1), 0.5f);
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(lmb_vec3_sub(top, foot), y));
    }
    sum = lmb_vec3_normalize_or(sum, y);
    const bool leans = sum.y > LYING_COS && sum.y < UPRIGHT_COS;
    s->t->up = leans && s->t->seen[LMBI_ANKLE] && s->t->seen[LMBI_ANKLE + 1] ? sum : y;
}

/// Mean difference of each shoulder to hip distance from its length at rest.
static void measure_trunk(const search *s)
{
    lmbi_trail *t = s->t;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
            const int hip = LMBI_HIP + b;
            float sum = 0;
            for (uint32_t m = 0; m < t->count; ++m) {
                sum +=
                    lmb_vec3_distance(point_at(s, s->depth, m, a), point_at(s, s->depth, m, hip));
            }
            sum = sum / (float)t->count - lmb_vec3_distance(t->rest[a], t->rest[hip]);
            t->trunk[a][b] = fminf(fmaxf(sum, -MOST_BEND), MOST_BEND);
        }
    }
}

/// Solves all samples while the shape of the trunk is estimated.
static bool relax_all(const search *s)
{
    bool done = true;
    for (int k = 0; done && k < RELAXATIONS; ++k) {
        measure_trunk(s);
        measure_up(s);
        done = solve_depths(s, s->depth, 0, s->t->count, s->tolerance, 5) >= 0;
    }
    return done;
}

/// Solves all samples, with bone lengths loose at first.
static bool solve_all(const search *s)
{
    for (double now = LOOSE_FACTOR * s->tolerance; now > 1.5 * s->tolerance; now /= 3) {
        if (solve_depths(s, s->depth, 0, s->t->count, now, 15) < 0) {
            return false;
        }
    }
    return solve_depths(s, s->depth, 0, s->t->count, s->tolerance, 30) >= 0 && relax_all(s);
}

lmb_result lmbi_lift_flips(lmbi_trail *trail, double tolerance)
{
    lmbi_arena *arena = trail->lift->arena;
    search s = {.t = trail, .tolerance = tolerance};
    s.depth = lmbi_arena_array(arena, trail->count, sizeof *s.depth);
    s.trial = lmbi_arena_array(arena, trail->count, sizeof *s.trial);
    if (s.depth == NULL || s.trial == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < trail->count; ++m) {
        for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
            s.depth[m][p] = -trail->points[m][p].z;
        }
    }
    lmb_result result = solve_all(&s) ? LMB_OK : LMB_ERROR_MEMORY;
    s.kept = 1;
    for (; result == LMB_OK && s.kept > 0 && s.round < ROUNDS; ++s.round) {
        s.kept = 0;
        result = try_all(&s);
        if (result == LMB_OK && s.kept > 0 && !relax_all(&s)) {
            result = LMB_ERROR_MEMORY;
        }
    }
    trail->has_depths = true;
    for (uint32_t m = 0; m < trail->count; ++m) {
        for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
            trail->points[m][p] = point_at(&s, s.depth, m, p);
        }
        trail->depth[m] = 0.5f * (s.depth[m][LMBI_HIP] + s.depth[m][LMBI_HIP + 1]);
    }
    return result;
}
