/// Fits joint angles to points over time.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "capture/fit.h"
#include "limber/anim.h"

/// Root of a non-humanoid: the lowest common ancestor of all joints with points.
static uint32_t find_common_root(const lmb_skeleton *skeleton, const lmb_markers *points,
                                 const lmb_fit_opts *opts)
{
    int32_t root = LMB_NONE;
    bool any = false;
    for (uint32_t m = 0; m < points->marker_count; ++m) {
        int32_t a =
            opts->joints != NULL ? opts->joints[m] : lmb_skeleton_find(skeleton, points->names[m]);
        if (a < 0 || a >= (int32_t)skeleton->joint_count) {
            continue;
        }
        while (any && a != root && a >= 0 && root >= 0) {
            if (a > root) {
                a = skeleton->parents[a];
            } else {
                root = skeleton->parents[root];
            }
        }
        root = any ? (a == root ? root : 0) : a;
        any = true;
    }
    return root > 0 ? (uint32_t)root : 0;
}

static bool allocate_arrays(lmbi_fitting *fit)
{
    lmbi_arena *arena = fit->arena;
    const size_t n = (size_t)fit->frame_count * fit->point_count, joints = fit->subject.count;
    fit->points = lmbi_arena_array(arena, n, sizeof *fit->points);
    fit->seen = lmbi_arena_array(arena, n, 1);
    fit->attachments = lmbi_arena_array(arena, fit->point_count, sizeof *fit->attachments);
    fit->swapped = lmbi_arena_array(arena, fit->point_count, sizeof *fit->swapped);
    fit->active = lmbi_arena_array(arena, joints, 1);
    fit->poses = lmbi_arena_array(arena, fit->frame_count * joints, sizeof *fit->poses);
    fit->goals = lmbi_arena_array(arena, (size_t)2 * fit->point_count, sizeof *fit->goals);
    fit->model = lmbi_arena_array(arena, joints, sizeof *fit->model);
    fit->scratch_size = lmb_ik_full_body_scratch(fit->subject.count, 2 * fit->point_count);
    fit->scratch = lmbi_arena_array(arena, fit->scratch_size, 1);
    return fit->points && fit->seen && fit->attachments && fit->swapped && fit->active &&
           fit->poses && fit->goals && fit->model && fit->scratch;
}

static void copy_points(lmbi_fitting *fit, const lmb_markers *points)
{
    const size_t n = (size_t)fit->frame_count * fit->point_count;
    for (size_t k = 0; k < n; ++k) {
        fit->points[k] = points->positions[k];
        fit->seen[k] = points->seen == NULL || points->seen[k] != 0;
    }
}

// ------------------------------------------------------------------------------------- the result

/// Converts the subject's poses to the character: the root under its own parent, other joints'
/// translations at rest.
static void convert_poses(const lmbi_fitting *fit, const lmb_skeleton *subject)
{
    const lmbi_fit_subject *s = &fit->subject;
    for (uint32_t f = 0; f < fit->frame_count; ++f) {
        lmb_transform *pose = fit->poses + (size_t)f * s->count;
        const lmb_transform root = lmbi_subject_root(s, pose);
        for (uint32_t j = 0; j < s->count; ++j) {
            int32_t a = (int32_t)j;
            while (a > (int32_t)s->root) {
                a = s->skeleton.parents[a];
            }
            const lmb_quat rotation = pose[j].rotation;
            pose[j] = subject->rest[j];
            pose[j].rotation = a == (int32_t)s->root ? rotation : pose[j].rotation;
        }
        pose[s->root] = root;
    }
}

static void measure_frame_error(const lmbi_fitting *fit, uint32_t frame, lmb_fit *out, double *sum,
                                double *squares, uint64_t *count)
{
    bool complete = true;
    lmbi_subject_model(&fit->subject, fit->poses + (size_t)frame * fit->subject.count, fit->model);
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        lmb_fit_point *point = &out->points[m];
        const size_t at = (size_t)frame * fit->point_count + m;
        if (fit->attachments[m].joint < 0 || !fit->seen[at]) {
            const bool gap_begins = frame == 0 || fit->seen[at - fit->point_count];
            point->gap_count += gap_begins && !fit->seen[at];
            complete = complete && fit->attachments[m].joint < 0;
            continue;
        }
        const float d = lmb_vec3_distance(lmbi_fit_point_at(fit, fit->model, m), fit->points[at]);
        point->seen_frames += 1;
        point->most_m = fmaxf(point->most_m, d);
        squares[m] += (double)d * (double)d;
        *sum += (double)d;
        *count += 1;
        out->most_m = fmaxf(out->most_m, d);
    }
    out->filled_frames += !complete;
}

static bool measure_errors(const lmbi_fitting *fit, lmb_fit *out)
{
    double *squares = lmbi_arena_array(fit->arena, fit->point_count, sizeof *squares), sum = 0;
    uint64_t count = 0;
    if (squares == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const lmbi_attachment *attachment = &fit->attachments[m];
        out->points[m] = (lmb_fit_point){.joint = attachment->joint,
                                         .offset = attachment->offset,
                                         .by_motion = attachment->by_motion,
                                         .swapped_frames = fit->swapped[m]};
        out->used_count += attachment->joint >= 0;
    }
    for (uint32_t f = 0; f < fit->frame_count; ++f) {
        measure_frame_error(fit, f, out, &sum, squares, &count);
    }
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const uint32_t seen = out->points[m].seen_frames;
        out->points[m].rms_m = seen > 0 ? lmb_sqrt((float)(squares[m] / seen)) : 0;
    }
    out->mean_m = count > 0 ? (float)(sum / (double)count) : 0;
    return true;
}

/// Scale of the subject's bones relative to the character, and the largest other change of a
/// length.
static void measure_scale(const lmbi_fitting *fit, lmb_fit *out)
{
    const lmbi_fit_subject *s = &fit->subject;
    float original = 0, fitted = 0;
    for (uint32_t j = s->root + 1; j < s->count; ++j) {
        if (fit->active[j]) {
            original += lmb_vec3_length(s->original[j].translation);
            fitted += lmb_vec3_length(s->rest[j].translation);
        }
    }
    out->scale = original > 0 ? fitted / original : 1;
    for (uint32_t j = s->root + 1; j < s->count; ++j) {
        const float length = lmb_vec3_length(s->original[j].translation);
        if (fit->active[j] && length > 0.01f * s->height) {
            const float change =
                lmb_vec3_length(s->rest[j].translation) / (length * out->scale) - 1;
            out->length_change = fmaxf(out->length_change, fabsf(change));
        }
    }
}

static lmb_result write_result(lmbi_fitting *fit, const char *name, lmb_fit *out, lmb_error *error)
{
    if (!measure_errors(fit, out)) {
        return lmbi_fail_memory(error);
    }
    out->kind = fit->kind;
    out->point_count = fit->point_count;
    out->frame_count = fit->frame_count;
    out->frame_rate = fit->rate;
    out->swap_count = fit->swap_count;
    out->limited_frames = fit->limited_frames;
    measure_scale(fit, out);
    lmb_result result =
        lmbi_subject_skeleton(&fit->subject, fit->alloc, fit->arena, &out->subject, error);
    if (result == LMB_OK) {
        convert_poses(fit, out->subject);
        result = lmb_clip_from_poses(out->subject, fit->poses, fit->frame_count, fit->rate, name,
                                     fit->alloc, &out->clip, error);
    }
    return result;
}

static lmb_result fit_recording(lmbi_fitting *fit, const lmb_markers *points, lmb_fit *out,
                                lmb_error *error)
{
    const lmb_fit_opts *opts = fit->opts;
    const lmb_skeleton *skeleton = fit->subject.character->skeleton;
    lmb_result result = lmbi_subject_make(fit->subject.character, opts->map, opts->free,
                                          find_common_root(skeleton, points, opts), fit->alloc,
                                          fit->arena, &fit->subject, error);
    if (result == LMB_OK && !allocate_arrays(fit)) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        copy_points(fit, points);
        result = lmbi_fit_attach(fit, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_fit_estimate_size(fit);
    if (fit->kind == LMB_FIT_MARKERS && !lmbi_fit_unswap_labels(fit)) {
        return lmbi_fail_memory(error);
    }
    result = lmbi_fit_calibrate(fit, error);
    result = result == LMB_OK ? lmbi_fit_frames(fit, error) : result;
    const char *name = opts->name != NULL ? opts->name : points->name;
    return result == LMB_OK ? write_result(fit, name != NULL ? name : "fit", out, error) : result;
}

lmb_result lmb_fit_points(const lmb_character *character, const lmb_markers *points,
                          const lmb_fit_opts *opts, const lmb_allocator *alloc, lmb_fit **out,
                          lmb_error *error)
{
    const lmb_fit_opts none = {0};
    if (points->frame_count == 0 || points->marker_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "points over time", "%u points in %u frames",
                         (unsigned)points->marker_count, (unsigned)points->frame_count);
    }
    lmb_fit *made = lmbi_alloc(alloc, sizeof *made);
    lmb_fit_point *list = lmbi_alloc_array(alloc, points->marker_count, sizeof *list);
    if (made == NULL || list == NULL) {
        lmbi_free(alloc, made);
        lmbi_free(alloc, list);
        return lmbi_fail_memory(error);
    }
    made->points = list;
    made->allocator = alloc ? *alloc : (lmb_allocator){0};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_fitting fit = {.opts = opts ? opts : &none,
                        .alloc = alloc,
                        .arena = &arena,
                        .names = points->names,
                        .point_count = points->marker_count,
                        .frame_count = points->frame_count,
                        .subject = {.character = character}};
    fit.rate = points->frame_rate > 0     ? points->frame_rate
               : fit.opts->frame_rate > 0 ? fit.opts->frame_rate
                                          : 30;
    const lmb_result result = fit_recording(&fit, points, made, error);
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        lmb_fit_destroy(made);
        return result;
    }
    *out = made;
    return LMB_OK;
}

void lmb_fit_destroy(lmb_fit *fit)
{
    if (fit != NULL) {
        const lmb_allocator alloc = fit->allocator;
        lmb_skeleton_destroy(fit->subject);
        lmb_clip_destroy(fit->clip);
        lmbi_free(&alloc, fit->points);
        lmbi_free(&alloc, fit);
    }
}
