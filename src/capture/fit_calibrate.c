/// The calibration loop: solves poses with fixed constants, then the constants with the poses
/// eliminated.
#include "capture/fit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define FRAMES 40u      ///< frames used
#define CANDIDATES 300u ///< frames that these are chosen from
#define ROUNDS 20
#define FIXED_NOISE_ROUNDS 8 ///< rounds after which the noise is measured from the residuals
#define MIN_NOISE 2e-4       ///< metres, least noise
#define MAX_NOISE 1e-2       ///< metres, largest noise
#define CONVERGED 2e-5f      ///< metres, change below which the calibration has converged

// ----------------------------------------------------------------------------- choice of frames

static uint32_t count_seen(const lmbi_fitting *fit, uint32_t frame)
{
    uint32_t seen = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        seen += fit->attachments[m].joint >= 0 && fit->seen[(size_t)frame * fit->point_count + m];
    }
    return seen;
}

/// Mean square distance between two frames' points relative to their centroids.
static float difference(const lmbi_fitting *fit, uint32_t f, uint32_t g)
{
    const size_t a = (size_t)f * fit->point_count, b = (size_t)g * fit->point_count;
    lmb_vec3 mean = {0, 0, 0};
    float sum = 0, count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t m = 0; m < fit->point_count; ++m) {
            if (fit->attachments[m].joint >= 0 && fit->seen[a + m] && fit->seen[b + m]) {
                const lmb_vec3 d = lmb_vec3_sub(fit->points[a + m], fit->points[b + m]);
                if (pass == 0) {
                    mean = lmb_vec3_add(mean, d);
                    count += 1;
                } else {
                    const lmb_vec3 e = lmb_vec3_sub(d, mean);
                    sum += lmb_vec3_dot(e, e);
                }
            }
        }
        mean = lmb_vec3_scale(mean, pass == 0 && count > 0 ? 1 / count : 1);
    }
    return count > 0 ? sum / count : 0;
}

/// Chooses the frame that shows most points, then repeatedly the frame that differs most from those
/// chosen (farthest point sampling).
static bool choose_frames(lmbi_calibration *cal)
{
    const lmbi_fitting *fit = cal->fit;
    const uint32_t n = fit->frame_count < CANDIDATES ? fit->frame_count : CANDIDATES;
    float *distance = lmbi_arena_array(fit->arena, n, sizeof *distance);
    cal->frames = lmbi_arena_array(fit->arena, FRAMES, sizeof *cal->frames);
    if (distance == NULL || cal->frames == NULL) {
        return false;
    }
    uint32_t best = 0, most_seen = 0;
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t seen = count_seen(fit, (uint32_t)((uint64_t)k * fit->frame_count / n));
        best = seen > most_seen ? k : best;
        most_seen = seen > most_seen ? seen : most_seen;
        distance[k] = 5 * seen >= 4 * most_seen ? INFINITY : -1;
    }
    while (cal->frame_count < FRAMES && distance[best] > 0) {
        const uint32_t frame = (uint32_t)((uint64_t)best * fit->frame_count / n);
        cal->frames[cal->frame_count++] = frame;
        distance[best] = -1;
        uint32_t next = best;
        for (uint32_t k = 0; k < n; ++k) {
            if (distance[k] >= 0) {
                const float d =
                    difference(fit, (uint32_t)((uint64_t)k * fit->frame_count / n), frame);
                distance[k] = fminf(distance[k], d);
                next = distance[k] > distance[next] ? k : next;
            }
        }
        best = next;
    }
    return true;
}

// -------------------------------------------------------------------------------------- unknowns

/// Group of joints that share one length factor: both sides of a limb, the spine, the neck. Every
/// other joint is its own group.
static uint32_t group_key(const lmbi_fitting *fit, uint32_t joint)
{
    const lmb_joint_map *map = &fit->subject.map;
    for (uint32_t k = 0; k < map->spine_count; ++k) {
        if (map->spine[k] == (int32_t)joint) {
            return LMB_HUMAN_SPINE;
        }
    }
    for (uint32_t k = 0; k < map->neck_count; ++k) {
        if (map->neck[k] == (int32_t)joint) {
            return LMB_HUMAN_NECK;
        }
    }
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (map->bones[bone].joint == (int32_t)joint) {
            const int other = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
            return (uint32_t)(bone < other ? bone : other);
        }
    }
    return LMB_HUMAN_BONE_COUNT + joint;
}

static void add_constant(lmbi_calibration *cal, lmbi_constant_kind kind, uint32_t subject,
                         lmb_vec3 first)
{
    cal->constants[cal->constant_count++] =
        (lmbi_constant){.kind = kind, .subject = subject, .column = cal->columns, .initial = first};
    cal->columns += kind == CONSTANT_LENGTHS ? 1 : 3;
}

/// Whether the joint's position in its parent is a free unknown instead of a scaled one: for joints
/// that a point is named after, and where limbs begin, which rigs of one height place differently.
static bool has_free_position(const lmbi_fitting *fit, uint32_t joint)
{
    static const uint8_t first[] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG,
                                    LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_RIGHT_UPPER_ARM};
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->attachments[m].joint != (int32_t)joint || fit->attachments[m].loose) {
            continue;
        }
        for (size_t k = 0; k < sizeof first; ++k) {
            if (fit->attachments[m].exact ||
                fit->subject.map.bones[first[k]].joint == (int32_t)joint) {
                return true;
            }
        }
    }
    return false;
}

static void add_lengths(lmbi_calibration *cal, uint32_t *keys)
{
    const lmbi_fitting *fit = cal->fit;
    for (uint32_t j = fit->subject.root + 1; j < fit->subject.count; ++j) {
        const lmb_vec3 t = fit->subject.rest[j].translation;
        if (!fit->active[j] || !(lmb_vec3_dot(t, t) > 0)) {
            continue;
        }
        if (!fit->opts->keep_lengths && has_free_position(fit, j)) {
            cal->position_of[j] = (int32_t)cal->constant_count;
            add_constant(cal, CONSTANT_POSITION, j, t);
            continue;
        }
        const uint32_t key = fit->opts->keep_lengths ? 0 : group_key(fit, j);
        uint32_t g = 0;
        while (g < cal->group_count && keys[g] != key) {
            ++g;
        }
        if (g == cal->group_count) {
            keys[cal->group_count] = key;
            cal->factor[cal->group_count++] = 1;
            add_constant(cal, CONSTANT_LENGTHS, g, t);
        }
        cal->group_of[j] = (int32_t)g;
    }
}

static bool list_unknowns(lmbi_calibration *cal)
{
    lmbi_fitting *fit = cal->fit;
    const uint32_t joints = fit->subject.count, points = fit->point_count;
    lmbi_arena *arena = fit->arena;
    cal->constants = lmbi_arena_array(arena, (size_t)joints + points, sizeof *cal->constants);
    cal->group_of = lmbi_arena_array(arena, joints, sizeof *cal->group_of);
    cal->position_of = lmbi_arena_array(arena, joints, sizeof *cal->position_of);
    cal->offset_of = lmbi_arena_array(arena, points, sizeof *cal->offset_of);
    cal->factor = lmbi_arena_array(arena, joints, sizeof *cal->factor);
    cal->dof_of = lmbi_arena_array(arena, joints, sizeof *cal->dof_of);
    cal->initial = lmbi_arena_array(arena, joints, sizeof *cal->initial);
    uint32_t *keys = lmbi_arena_array(arena, joints, sizeof *keys);
    if (!cal->constants || !cal->group_of || !cal->position_of || !cal->offset_of || !cal->factor ||
        !cal->dof_of || !cal->initial || !keys) {
        return false;
    }
    cal->dof_count = 3;
    for (uint32_t j = 0; j < joints; ++j) {
        cal->group_of[j] = cal->position_of[j] = LMB_NONE;
        cal->initial[j] = fit->subject.rest[j].translation;
        cal->dof_of[j] = cal->dof_count;
        cal->dof_count += fit->active[j] ? 3 : 0;
    }
    if (!fit->opts->keep_size) {
        add_lengths(cal, keys);
    }
    for (uint32_t m = 0; m < points; ++m) {
        const bool unknown = fit->attachments[m].loose && fit->attachments[m].joint >= 0;
        cal->offset_of[m] = unknown ? (int32_t)cal->constant_count : LMB_NONE;
        if (unknown) {
            add_constant(cal, CONSTANT_OFFSET, m, fit->attachments[m].offset);
        }
    }
    return true;
}

static bool allocate_arrays(lmbi_calibration *cal)
{
    lmbi_arena *arena = cal->fit->arena;
    const size_t n = cal->dof_count, g = cal->columns;
    cal->a = lmbi_arena_array(arena, n * n, sizeof(double));
    cal->b = lmbi_arena_array(arena, n * (g + 1), sizeof(double));
    cal->x = lmbi_arena_array(arena, n * (g + 1), sizeof(double));
    cal->c = lmbi_arena_array(arena, g * g, sizeof(double));
    cal->rhs = lmbi_arena_array(arena, g, sizeof(double));
    cal->row_pose = lmbi_arena_array(arena, 3 * n, sizeof(double));
    cal->row_constant = lmbi_arena_array(arena, 3 * g, sizeof(double));
    cal->entries = lmbi_arena_array(arena, n + g, sizeof(uint32_t));
    cal->poses = lmbi_arena_array(arena, (size_t)cal->frame_count * cal->fit->subject.count,
                                  sizeof *cal->poses);
    return cal->a && cal->b && cal->x && cal->c && cal->rhs && cal->row_pose && cal->row_constant &&
           cal->entries && cal->poses;
}

// --------------------------------------------------------------------------------------- the loop

static void pose_frames(lmbi_calibration *cal, bool first)
{
    lmbi_fitting *fit = cal->fit;
    const uint32_t n = fit->subject.count;
    for (uint32_t k = 0; k < cal->frame_count; ++k) {
        lmb_transform *local = cal->poses + (size_t)k * n;
        if (first) {
            memcpy(local, fit->subject.rest, n * sizeof *local);
            (void)lmbi_fit_align_root(fit, cal->frames[k], local);
        }
        for (uint32_t j = fit->subject.root + 1; j < n; ++j) {
            local[j].translation = fit->subject.rest[j].translation;
        }
        lmbi_fit_solve(fit, cal->frames[k], local, NULL, 0, first ? 60 : 15, 0);
    }
}

/// Small noise at first, so that the priors do not hold the constants back; then the noise that the
/// residuals show.
static void set_noise(lmbi_calibration *cal, int round)
{
    if (round < FIXED_NOISE_ROUNDS) {
        cal->noise = round < 2 ? 5e-3 : 5e-4;
    } else if (round == FIXED_NOISE_ROUNDS && cal->weights > 0) {
        cal->noise = fmax(MIN_NOISE, fmin(MAX_NOISE, sqrt(cal->squares / cal->weights)));
    }
}

static lmb_result iterate_calibration(lmbi_calibration *cal, lmb_error *error)
{
    const lmb_progress *progress = cal->fit->opts->progress;
    for (int round = 0; round < ROUNDS; ++round) {
        // The scale of outliers shrinks: wrong labels and loose cloth count less and less.
        cal->error_scale = fmaxf(0.3f / (float)(1 + round), 0.05f) * cal->fit->subject.height;
        set_noise(cal, round);
        pose_frames(cal, round == 0);
        float largest = 0;
        if (cal->columns == 0 || !lmbi_calibration_step(cal, &largest) ||
            (round > FIXED_NOISE_ROUNDS && largest < CONVERGED)) {
            break;
        }
        if (progress != NULL &&
            !progress->report(progress->user, "measuring", (float)round / (float)ROUNDS)) {
            return lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a stop");
        }
    }
    pose_frames(cal, false);
    return LMB_OK;
}

static lmb_result calibrate_once(lmbi_fitting *fit, bool attach_unnamed, bool *attached,
                                 lmb_error *error)
{
    lmbi_calibration cal = {.fit = fit};
    if (!choose_frames(&cal) || !list_unknowns(&cal) || !allocate_arrays(&cal)) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = iterate_calibration(&cal, error);
    if (result == LMB_OK && attach_unnamed) {
        *attached = lmbi_fit_attach_unnamed(fit, cal.frames, cal.frame_count, cal.poses);
    }
    return result;
}

lmb_result lmbi_fit_calibrate(lmbi_fitting *fit, lmb_error *error)
{
    bool attached = false;
    fit->limits = fit->subject.hinges;
    lmb_result result = calibrate_once(fit, fit->kind == LMB_FIT_MARKERS, &attached, error);
    if (result == LMB_OK && attached) {
        result = calibrate_once(fit, false, &attached, error);
    }
    // Markers determine the rotation of every segment, while its rest pose is known to a few
    // degrees only: cone limits would bias it.
    fit->limits = fit->kind == LMB_FIT_MARKERS ? fit->subject.hinges : fit->subject.limits;
    return result;
}
