/// Lifts keypoints of one camera to a motion.
#include "capture/lift.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"
#include "math/scalar.h"
#include "retarget/feet.h"

#define MAX_RATE 62.0f         ///< Hz; faster recordings are averaged
#define MIN_NOISE 0.03         ///< pixels: the least that single precision resolves
#define HALF_VIEW_TAN 0.52057f ///< tangent of half of 55 degrees

// ---------------------------------------------------------------------------------- the keypoints

/// Standard deviation of the keypoint noise in pixels. Sixth differences of a body's smooth path
/// nearly vanish, and those of noise of variance s² have variance 924 s². Takes their median.
static double measure_noise(const lmb_keypoints *k, lmbi_arena *arena)
{
    static const float binomial[7] = {1, -6, 15, -20, 15, -6, 1};
    const size_t n = (size_t)k->frame_count * LMB_KEYPOINT_COUNT;
    float *values = lmbi_arena_array(arena, 2 * n + 1, sizeof *values);
    uint32_t count = 0;
    for (size_t i = 6 * LMB_KEYPOINT_COUNT; values != NULL && i < n; ++i) {
        float x = 0, y = 0;
        bool seen = true;
        for (size_t d = 0; d < 7; ++d) {
            const size_t at = i - d * LMB_KEYPOINT_COUNT;
            seen = seen && k->confidence[at] > 0.05f;
            x += binomial[d] * k->points[at].x;
            y += binomial[d] * k->points[at].y;
        }
        if (seen) {
            values[count++] = fabsf(x);
            values[count++] = fabsf(y);
        }
    }
    // The median of |x| of a normal variable is 0.6745 of its deviation; 30.3974 is the root of
    // 924.
    return values == NULL || count < 16
               ? 3.0
               : (double)lmbi_quantile(values, count, 0.5f) / (0.6745 * 30.3974);
}

/// Averages groups of frames, weighted by confidence, relative to the picture's centre.
static bool average_keypoints(lmbi_lifting *lift, const lmb_keypoints *k, uint32_t group,
                              lmb_vec2 center)
{
    lift->frame_count = (k->frame_count + group - 1) / group;
    const size_t n = (size_t)lift->frame_count * LMB_KEYPOINT_COUNT;
    lift->points = lmbi_arena_array(lift->arena, n, sizeof *lift->points);
    lift->confidence = lmbi_arena_array(lift->arena, n, sizeof *lift->confidence);
    if (lift->points == NULL || lift->confidence == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < k->frame_count; ++f) {
        for (uint32_t m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
            const size_t from = (size_t)f * LMB_KEYPOINT_COUNT + m,
                         to = (size_t)(f / group) * LMB_KEYPOINT_COUNT + m;
            const float c = k->confidence[from] > 0.05f ? k->confidence[from] : 0;
            lift->points[to].x += c * (k->points[from].x - center.x);
            lift->points[to].y += c * (k->points[from].y - center.y);
            lift->confidence[to] += c;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        const float c = lift->confidence[i];
        if (c > 0) {
            lift->points[i].x /= c;
            lift->points[i].y /= c;
            lift->confidence[i] = fminf(c / (float)group, 1);
        }
    }
    return true;
}

/// Half of the picture's size; where it is unknown, half of the keypoints' extent.
static lmb_vec2 half_size(const lmb_keypoints *k)
{
    if (k->width > 0 && k->height > 0) {
        return (lmb_vec2){0.5f * k->width, 0.5f * k->height};
    }
    float x = 1, y = 1;
    for (size_t i = 0; i < (size_t)k->frame_count * LMB_KEYPOINT_COUNT; ++i) {
        if (k->confidence[i] > 0.05f) {
            x = fmaxf(x, k->points[i].x);
            y = fmaxf(y, k->points[i].y);
        }
    }
    return (lmb_vec2){0.5f * x, 0.5f * y};
}

static bool prepare(lmbi_lifting *lift, const lmb_keypoints *k)
{
    const lmb_lift_opts *o = lift->opts;
    const float rate = k->frame_rate > 0 ? k->frame_rate : o->frame_rate > 0 ? o->frame_rate : 30;
    const uint32_t group = rate > MAX_RATE ? (uint32_t)(rate / MAX_RATE) + 1 : 1;
    const lmb_vec2 center = half_size(k);
    lift->rate = rate / (float)group;
    lift->focal =
        o->focal_px > 0 ? (double)o->focal_px : (double)(fmaxf(center.x, center.y) / HALF_VIEW_TAN);
    lift->noise = o->noise_px > 0 ? (double)o->noise_px : measure_noise(k, lift->arena);
    lift->noise = fmax(lift->noise / sqrt((double)group), MIN_NOISE);
    return average_keypoints(lift, k, group, center);
}

// --------------------------------------------------------------------------------------- contacts

static lmb_vec3 landmark_position(const lmbi_lifting *lift, uint32_t frame, int32_t joint,
                                  lmb_vec3 offset)
{
    lmbi_subject_model(&lift->subject, lift->poses + (size_t)frame * lift->subject.count,
                       lift->model);
    return lmb_mat4_point(lift->model[joint], offset);
}

static bool add_planted_points(lmbi_lifting *lift, int keypoint, lmb_vec3 *path, float *heights,
                               uint32_t *height_count)
{
    const lmbi_landmark *landmark = &lift->landmarks[keypoint];
    lmbi_foot_contacts found;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        path[f] = landmark_position(lift, f, landmark->joint, landmark->offset);
    }
    if (!lmbi_contacts_find(path, lift->frame_count, lift->rate, lift->subject.height / 1.6f,
                            lift->arena, &found)) {
        return false;
    }
    for (uint32_t c = 0; c < found.count; ++c) {
        const lmbi_foot_contact *run = &found.items[c];
        if (!run->ground) {
            continue;
        }
        lmb_vec3 sum = {0, 0, 0};
        for (uint32_t f = run->begin; f < run->end; ++f) {
            sum = lmb_vec3_add(sum, path[f]);
        }
        const lmb_vec3 mean = lmb_vec3_scale(sum, 1 / (float)(run->end - run->begin));
        heights[(*height_count)++] = mean.y;
        lift->planted[lift->planted_count++] = (lmbi_planted_point){.begin = run->begin,
                                                                    .end = run->end,
                                                                    .joint = landmark->joint,
                                                                    .offset = landmark->offset,
                                                                    .position = mean};
    }
    return true;
}

/// Plants the toes of both feet on one floor: the median height of their contacts.
bool lmbi_lift_contacts(lmbi_lifting *lift, float *floor_height)
{
    static const int feet[2] = {LMB_KEYPOINT_LEFT_TOES, LMB_KEYPOINT_RIGHT_TOES};
    const size_t n = 2 * ((size_t)lift->frame_count + 1);
    lmb_vec3 *path = lmbi_arena_array(lift->arena, lift->frame_count, sizeof *path);
    float *heights = lmbi_arena_array(lift->arena, n, sizeof *heights);
    uint32_t count = 0;
    lift->planted = lmbi_arena_array(lift->arena, n, sizeof *lift->planted);
    lift->planted_count = 0;
    if (path == NULL || heights == NULL || lift->planted == NULL) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        if (lmbi_lift_is_seen(lift, feet[k]) &&
            !add_planted_points(lift, feet[k], path, heights, &count)) {
            return false;
        }
    }
    if (count > 0) {
        *floor_height = lmbi_quantile(heights, count, 0.5f);
        for (uint32_t c = 0; c < lift->planted_count; ++c) {
            lift->planted[c].position.y = *floor_height;
        }
    }
    return true;
}

/// Lowest height of the toes.
static float lowest_foot(const lmbi_lifting *lift)
{
    static const int feet[2] = {LMB_KEYPOINT_LEFT_TOES, LMB_KEYPOINT_RIGHT_TOES};
    float low = INFINITY;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        for (int k = 0; k < 2; ++k) {
            const lmbi_landmark *landmark = &lift->landmarks[feet[k]];
            if (landmark->joint >= 0) {
                low = fminf(low, landmark_position(lift, f, landmark->joint, landmark->offset).y);
            }
        }
    }
    return low < INFINITY ? low : 0;
}

// --------------------------------------------------------------------------------------- the lift

static void fill_report(const lmbi_lifting *lift, lmb_lift *out)
{
    double sum = 0, depth = 0;
    uint64_t count = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        const lmb_transform *pose = lift->poses + (size_t)f * lift->subject.count;
        uint32_t seen = 0;
        lmbi_subject_model(&lift->subject, pose, lift->model);
        depth -= (double)pose[lift->subject.root].translation.z;
        for (uint32_t m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
            const lmbi_landmark *landmark = &lift->landmarks[m];
            const size_t at = (size_t)f * LMB_KEYPOINT_COUNT + m;
            double u, v;
            if (landmark->joint < 0 || !(lift->confidence[at] > 0.05f)) {
                continue;
            }
            ++seen;
            if (landmark->spread_m < 0.01f &&
                lmbi_lift_project(
                    lift, lmb_mat4_point(lift->model[landmark->joint], landmark->offset), &u, &v)) {
                const double x = (double)lift->points[at].x - u, y = (double)lift->points[at].y - v;
                sum += x * x + y * y;
                ++count;
            }
        }
        out->unseen_frames += seen == 0;
    }
    out->error_px = count > 0 ? lmb_sqrt((float)(sum / (double)count)) : 0;
    out->depth_m = (float)(depth / lift->frame_count);
    out->frame_count = lift->frame_count;
    out->exchanged_frames = lift->exchanged_frames;
    out->frame_rate = lift->rate;
    out->focal_px = (float)lift->focal;
    out->noise_px = (float)lift->noise;
    out->contact_count = lift->planted_count;
}

/// Moves the motion so that the floor is y = 0 and the first pose is above the origin, and makes it
/// a clip.
static lmb_result make_clip(lmbi_lifting *lift, float floor_height, const lmb_allocator *alloc,
                            lmb_lift *out, lmb_error *error)
{
    const lmbi_fit_subject *s = &lift->subject;
    const lmb_skeleton *skeleton = s->character->skeleton;
    const lmb_vec3 first = lift->poses[s->root].translation;
    out->camera = lmb_vec3_make(-first.x, -floor_height, -first.z);
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        lmb_transform *pose = lift->poses + (size_t)f * s->count;
        pose[s->root].translation = lmb_vec3_add(pose[s->root].translation, out->camera);
        const lmb_transform root = lmbi_subject_root(s, pose);
        for (uint32_t j = 0; j < s->count; ++j) {
            const lmb_quat rotation = pose[j].rotation;
            pose[j] = skeleton->rest[j];
            pose[j].rotation =
                lift->first_freedom[j] != UINT32_MAX ? rotation : skeleton->rest[j].rotation;
        }
        pose[s->root] = root;
    }
    const char *name = lift->opts->name != NULL ? lift->opts->name : "lifted";
    return lmb_clip_from_poses(skeleton, lift->poses, lift->frame_count, lift->rate, name, alloc,
                               &out->clip, error);
}

static lmb_result fail_search(lmb_result result, lmb_error *error)
{
    return result == LMB_ERROR_MEMORY ? lmbi_fail_memory(error)
           : result == LMB_ERROR_INVALID
               ? lmbi_fail(error, result, "frames that show a person", "neither hips nor shoulders")
               : lmbi_fail(error, result, "to go on", "a stop");
}

static lmb_result find_motion(lmbi_lifting *lift, float *floor_height)
{
    lift->poses = lmbi_arena_array(lift->arena, (size_t)lift->frame_count * lift->subject.count,
                                   sizeof *lift->poses);
    lift->model = lmbi_arena_array(lift->arena, lift->subject.count, sizeof *lift->model);
    if (lift->poses == NULL || lift->model == NULL || !lmbi_lift_plan(lift) ||
        !lmbi_lift_track(lift)) {
        return LMB_ERROR_MEMORY;
    }
    lmb_result result = lmbi_lift_find_poses(lift);
    if (result == LMB_OK) {
        *floor_height = lowest_foot(lift);
    }
    if (result == LMB_OK && !lift->opts->no_contacts) {
        if (!lmbi_lift_contacts(lift, floor_height)) {
            return LMB_ERROR_MEMORY;
        }
        if (lift->planted_count > 0) {
            double cost;
            result = lmbi_lift_anneal(lift, lift->poses, lift->frame_count, 1, lift->noise, &cost);
        }
    }
    return result;
}

static lmb_result lift_keypoints(lmbi_lifting *lift, const lmb_character *character,
                                 const lmb_keypoints *k, const lmb_allocator *alloc, lmb_lift *out,
                                 lmb_error *error)
{
    float floor_height = 0;
    lmb_result result = lmbi_subject_make(character, lift->opts->map, false, 0, alloc, lift->arena,
                                          &lift->subject, error);
    if (result == LMB_OK && !lift->subject.humanoid) {
        result =
            lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a humanoid", "a character that is not one");
    }
    if (result != LMB_OK) {
        return result;
    }
    result = prepare(lift, k) ? find_motion(lift, &floor_height) : LMB_ERROR_MEMORY;
    if (result != LMB_OK) {
        return fail_search(result, error);
    }
    fill_report(lift, out);
    return make_clip(lift, floor_height, alloc, out, error);
}

lmb_result lmb_lift_keypoints(const lmb_character *character, const lmb_keypoints *keypoints,
                              const lmb_lift_opts *opts, const lmb_allocator *alloc, lmb_lift **out,
                              lmb_error *error)
{
    static const lmb_lift_opts none = {0};
    if (keypoints->frame_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames of keypoints", "none");
    }
    lmb_lift *made = lmbi_alloc(alloc, sizeof *made);
    if (made == NULL) {
        return lmbi_fail_memory(error);
    }
    made->allocator = alloc ? *alloc : (lmb_allocator){0};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_lifting lift = {.arena = &arena, .opts = opts != NULL ? opts : &none};
    const lmb_result result = lift_keypoints(&lift, character, keypoints, alloc, made, error);
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        lmb_lift_destroy(made);
        return result;
    }
    *out = made;
    return LMB_OK;
}

void lmb_lift_destroy(lmb_lift *lift)
{
    if (lift != NULL) {
        const lmb_allocator alloc = lift->allocator;
        lmb_clip_destroy(lift->clip);
        lmbi_free(&alloc, lift);
    }
}
