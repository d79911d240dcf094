/// First poses. Seen from one side a limb may point to the camera or away from it: many poses are
/// tried at moments a tenth of a second apart, and the chain of them is kept that moves least.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "retarget/lift.h"

enum { HEADINGS = 8, STANCES = 3, KEPT = 12, ARMS = 4, BASES = 3 };

#define BETWEEN 0.1f ///< seconds from moment to moment
#define ROUGH 0.003  ///< of the body's height in the picture: what keypoints may be off at first
#define SAME 0.04f   ///< metres in the mean: no other pose
#define USUAL_SPEED 1.2f ///< metres a second of a limb's point against the hips
#define LEAST_SEEN 6     ///< keypoints that a frame needs

typedef struct candidate {
    double cost;
    lmb_transform *pose;
    lmb_vec3 *points; ///< [LMB_KEYPOINT_COUNT] in the model
} candidate;

typedef struct moment {
    uint32_t frame, count;
    candidate items[KEPT];
    double best[KEPT]; ///< of the chain that ends here
    uint32_t from[KEPT];
} moment;

typedef struct search {
    lmbi_lifting *lift;
    moment *moments;
    uint32_t moment_count;
    lmb_transform *pose; ///< working pose
    lmb_vec3 *points;
} search;

static uint32_t count_seen(const lmbi_lifting *lift, uint32_t frame)
{
    uint32_t count = 0;
    for (int m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
        count += lift->sights[m].joint >= 0 &&
                 lift->confidence[(size_t)frame * LMB_KEYPOINT_COUNT + (size_t)m] > 0.05f;
    }
    return count;
}

/// The distance at which the longest-looking bones are as long as they look: foreshortened ones
/// seem farther.
static float first_depth(const lmbi_lifting *lift, uint32_t frame)
{
    static const uint8_t bones[][2] = {{LMB_KEYPOINT_LEFT_SHOULDER, LMB_KEYPOINT_LEFT_ELBOW},
                                       {LMB_KEYPOINT_RIGHT_SHOULDER, LMB_KEYPOINT_RIGHT_ELBOW},
                                       {LMB_KEYPOINT_LEFT_HIP, LMB_KEYPOINT_LEFT_KNEE},
                                       {LMB_KEYPOINT_RIGHT_HIP, LMB_KEYPOINT_RIGHT_KNEE},
                                       {LMB_KEYPOINT_LEFT_KNEE, LMB_KEYPOINT_LEFT_ANKLE},
                                       {LMB_KEYPOINT_RIGHT_KNEE, LMB_KEYPOINT_RIGHT_ANKLE},
                                       {LMB_KEYPOINT_LEFT_SHOULDER, LMB_KEYPOINT_LEFT_HIP},
                                       {LMB_KEYPOINT_RIGHT_SHOULDER, LMB_KEYPOINT_RIGHT_HIP}};
    const size_t row = (size_t)frame * LMB_KEYPOINT_COUNT;
    float nearest[2] = {INFINITY, INFINITY};
    for (size_t k = 0; k < sizeof bones / sizeof *bones; ++k) {
        const uint8_t a = bones[k][0], b = bones[k][1];
        const lmbi_sight *from = &lift->sights[a], *to = &lift->sights[b];
        if (from->joint < 0 || to->joint < 0 || !(lift->confidence[row + a] > 0.05f) ||
            !(lift->confidence[row + b] > 0.05f)) {
            continue;
        }
        const float x = lift->points[row + a].x - lift->points[row + b].x,
                    y = lift->points[row + a].y - lift->points[row + b].y;
        const float seen = lmb_sqrt(x * x + y * y),
                    real = lmb_vec3_distance(lift->subject.at[from->joint],
                                             lift->subject.at[to->joint]);
        const float depth = (float)lift->focal * real / fmaxf(seen, 1e-3f);
        if (depth < nearest[0]) {
            nearest[1] = nearest[0];
            nearest[0] = depth;
        } else if (depth < nearest[1]) {
            nearest[1] = depth;
        }
    }
    // The very nearest may be a slip of the detector.
    const float depth = nearest[1] < INFINITY ? nearest[1] : 3 * lift->subject.height;
    return fmaxf(depth, 0.3f * lift->subject.height);
}

static lmb_vec3 first_place(const lmbi_lifting *lift, uint32_t frame, float depth)
{
    const size_t row = (size_t)frame * LMB_KEYPOINT_COUNT;
    float x = 0, y = 0, count = 0;
    for (int pass = 0; pass < 2 && !(count > 0); ++pass) {
        for (int m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
            const bool hip = m == LMB_KEYPOINT_LEFT_HIP || m == LMB_KEYPOINT_RIGHT_HIP;
            if ((hip || pass > 0) && lift->confidence[row + (size_t)m] > 0.05f) {
                x += lift->points[row + (size_t)m].x;
                y += lift->points[row + (size_t)m].y;
                count += 1;
            }
        }
    }
    const float scale = count > 0 ? depth / ((float)lift->focal * count) : 0;
    return lmb_vec3_make(x * scale, -y * scale, -depth);
}

static void find_points(const lmbi_lifting *lift, const lmb_transform *pose, lmb_vec3 *points)
{
    lmbi_subject_model(&lift->subject, pose, lift->model);
    for (int m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
        const lmbi_sight *sight = &lift->sights[m];
        points[m] = sight->joint >= 0 ? lmb_mat4_point(lift->model[sight->joint], sight->offset)
                                      : lmb_vec3_make(0, 0, 0);
    }
}

/// Mean distance of limbs' points, the hips laid on each other.
static float apart(const lmbi_lifting *lift, const lmb_vec3 *a, const lmb_vec3 *b)
{
    const lmb_vec3 hips =
        lmb_vec3_sub(lmb_vec3_lerp(a[LMB_KEYPOINT_LEFT_HIP], a[LMB_KEYPOINT_RIGHT_HIP], 0.5f),
                     lmb_vec3_lerp(b[LMB_KEYPOINT_LEFT_HIP], b[LMB_KEYPOINT_RIGHT_HIP], 0.5f));
    float sum = 0, count = 0;
    for (int m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
        if (lift->sights[m].joint >= 0) {
            sum += lmb_vec3_length(lmb_vec3_sub(lmb_vec3_sub(a[m], b[m]), hips));
            count += 1;
        }
    }
    return count > 0 ? sum / count : 0;
}

/// Keeps the cheapest that differ, cheapest first.
static void keep(search *s, moment *at, double cost)
{
    find_points(s->lift, s->pose, s->points);
    for (uint32_t k = 0; k < at->count; ++k) {
        if (apart(s->lift, at->items[k].points, s->points) <
            SAME * s->lift->subject.height / 1.6f) {
            if (at->items[k].cost <= cost) {
                return;
            }
            const candidate freed = at->items[k];
            memmove(&at->items[k], &at->items[k + 1], (at->count - k - 1) * sizeof freed);
            at->items[--at->count] = freed;
            break;
        }
    }
    if (at->count == KEPT && at->items[KEPT - 1].cost <= cost) {
        return;
    }
    uint32_t place = at->count < KEPT ? at->count++ : KEPT - 1;
    const candidate taken = at->items[place];
    for (; place > 0 && at->items[place - 1].cost > cost; --place) {
        at->items[place] = at->items[place - 1];
    }
    at->items[place] = taken;
    at->items[place].cost = cost;
    memcpy(taken.pose, s->pose, s->lift->subject.count * sizeof *s->pose);
    memcpy(taken.points, s->points, LMB_KEYPOINT_COUNT * sizeof *s->points);
}

static bool settle(search *s, moment *at, uint32_t iterations)
{
    lmbi_arena scratch;
    lmbi_arena_init(&scratch, s->lift->arena->alloc);
    const lmbi_window window = {.first_frame = at->frame,
                                .step = 1,
                                .count = 1,
                                .iterations = iterations,
                                .poses = s->pose};
    const double cost = lmbi_lift_solve(s->lift, &window, &scratch);
    lmbi_arena_free(&scratch);
    if (cost >= 0) {
        keep(s, at, cost);
    }
    return cost >= 0;
}

/// The arms of the best poses again from before and behind the body: each on its own may point to
/// the camera or away.
static bool try_arms(search *s, moment *at)
{
    const lmbi_lifting *lift = s->lift;
    const uint32_t bases = at->count < BASES ? at->count : BASES;
    lmb_transform *base =
        lmbi_arena_array(lift->arena, (size_t)BASES * lift->subject.count, sizeof *base);
    if (base == NULL) {
        return false;
    }
    const size_t bytes = lift->subject.count * sizeof *base;
    for (uint32_t k = 0; k < bases; ++k) {
        memcpy(base + (size_t)k * lift->subject.count, at->items[k].pose, bytes);
    }
    for (uint32_t k = 0; k < bases; ++k) {
        for (int arms = 0; arms < ARMS; ++arms) {
            memcpy(s->pose, base + (size_t)k * lift->subject.count, bytes);
            lmbi_lift_arms(s->lift, arms & 1 ? 0.6f : -0.6f, arms & 2 ? 0.6f : -0.6f, s->pose);
            if (!settle(s, at, 12)) {
                return false;
            }
        }
    }
    return true;
}

static bool try_poses(search *s, moment *at)
{
    const float depth = first_depth(s->lift, at->frame);
    const lmb_vec3 place = first_place(s->lift, at->frame, depth);
    s->lift->noise = ROUGH * s->lift->focal * (double)(s->lift->subject.height / depth);
    for (int start = 0; start < HEADINGS * STANCES; ++start) {
        lmbi_lift_stance(s->lift, start / HEADINGS,
                         2 * LMB_PI * (float)(start % HEADINGS) / HEADINGS, s->pose);
        s->pose[s->lift->subject.root].translation = place;
        if (!settle(s, at, 20)) {
            return false;
        }
    }
    return try_arms(s, at);
}

static bool lay_out(search *s)
{
    lmbi_lifting *lift = s->lift;
    const uint32_t step = lift->rate * BETWEEN > 1 ? (uint32_t)(lift->rate * BETWEEN + 0.5f) : 1;
    const uint32_t most = lift->frame_count / step + 2;
    s->moments = lmbi_arena_array(lift->arena, most, sizeof *s->moments);
    s->pose = lmbi_arena_array(lift->arena, lift->subject.count, sizeof *s->pose);
    s->points = lmbi_arena_array(lift->arena, LMB_KEYPOINT_COUNT, sizeof *s->points);
    if (s->moments == NULL || s->pose == NULL || s->points == NULL) {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t f = 0; f < lift->frame_count && s->moment_count < most; ++f) {
        if (f < next || count_seen(lift, f) < LEAST_SEEN) {
            continue;
        }
        moment *at = &s->moments[s->moment_count++];
        at->frame = f;
        next = f + step;
        for (int k = 0; k < KEPT; ++k) {
            at->items[k].pose =
                lmbi_arena_array(lift->arena, lift->subject.count, sizeof(lmb_transform));
            at->items[k].points =
                lmbi_arena_array(lift->arena, LMB_KEYPOINT_COUNT, sizeof(lmb_vec3));
            if (at->items[k].pose == NULL || at->items[k].points == NULL) {
                return false;
            }
        }
    }
    return true;
}

/// What going from one pose to another in that time is worth against keypoints that are off.
static double leap(const search *s, const moment *a, uint32_t i, const moment *b, uint32_t j)
{
    const float time = (float)(b->frame - a->frame) / s->lift->rate;
    const double speed =
        (double)(apart(s->lift, a->items[i].points, b->items[j].points) / time / USUAL_SPEED) /
        (double)(s->lift->subject.height / 1.6f);
    return 40 * speed * speed;
}

/// Viterbi's chain (1967): the cheapest way through all moments.
static void chain(search *s, uint32_t *choice)
{
    for (uint32_t t = 0; t < s->moment_count; ++t) {
        moment *at = &s->moments[t];
        for (uint32_t j = 0; j < at->count; ++j) {
            at->best[j] = at->items[j].cost;
            if (t == 0) {
                continue;
            }
            const moment *before = at - 1;
            double best = (double)INFINITY;
            for (uint32_t i = 0; i < before->count; ++i) {
                const double cost = before->best[i] + leap(s, before, i, at, j);
                if (cost < best) {
                    best = cost;
                    at->from[j] = i;
                }
            }
            at->best[j] += best;
        }
    }
    const moment *last = &s->moments[s->moment_count - 1];
    uint32_t at = 0;
    for (uint32_t j = 1; j < last->count; ++j) {
        at = last->best[j] < last->best[at] ? j : at;
    }
    for (uint32_t t = s->moment_count; t-- > 0;) {
        choice[t] = at;
        at = s->moments[t].from[at];
    }
}

static void fill(search *s, const uint32_t *choice)
{
    lmbi_lifting *lift = s->lift;
    uint32_t t = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        while (t + 1 < s->moment_count && s->moments[t + 1].frame <= f) {
            ++t;
        }
        const moment *a = &s->moments[t], *b = t + 1 < s->moment_count ? a + 1 : a;
        const lmb_transform *from = a->items[choice[t]].pose,
                            *to = b->items[choice[b == a ? t : t + 1]].pose;
        const float u = f > a->frame && b->frame > a->frame
                            ? (float)(f - a->frame) / (float)(b->frame - a->frame)
                            : 0;
        lmb_transform *pose = lift->poses + (size_t)f * lift->subject.count;
        for (uint32_t j = 0; j < lift->subject.count; ++j) {
            pose[j] = from[j];
            pose[j].translation = lmb_vec3_lerp(from[j].translation, to[j].translation, u);
            pose[j].rotation = lmb_quat_slerp(from[j].rotation, to[j].rotation, u);
        }
    }
}

bool lmbi_lift_begin(lmbi_lifting *lift, lmb_result *result)
{
    search s = {.lift = lift};
    const double noise = lift->noise;
    const lmb_progress *progress = lift->opts->progress;
    *result = LMB_OK;
    if (!lay_out(&s)) {
        return false;
    }
    if (s.moment_count == 0) {
        *result = LMB_ERROR_INVALID;
        return true;
    }
    uint32_t *choice = lmbi_arena_array(lift->arena, s.moment_count, sizeof *choice);
    if (choice == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < s.moment_count; ++t) {
        if (!try_poses(&s, &s.moments[t])) {
            return false;
        }
        if (progress != NULL &&
            !progress->report(progress->user, "trying poses", (float)t / (float)s.moment_count)) {
            *result = LMB_ERROR_CANCELLED;
            return true;
        }
    }
    chain(&s, choice);
    fill(&s, choice);
    lift->noise = noise;
    return true;
}
