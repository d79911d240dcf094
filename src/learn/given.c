/// Weights under bones that are given: a skinned character's own joints show frames of its mesh.
#include "learn/given.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { ROUNDS = 8 };
/// Stop when a round lowers the mean square error by less than this fraction.
static const double GAIN = 1e-3;

// ---- the problem

/// Frames of the bound's vertices.
static lmb_result gather_frames(lmbi_given *f, lmb_error *error)
{
    const lmb_learn_frames *from = f->bound.frames;
    lmbi_arena *arena = &f->bound.arena;
    const uint32_t n = f->bound.vertex_count;
    f->learned_frames = lmbi_arena_array(arena, from->frame_count, sizeof *f->learned_frames);
    f->learned = lmbi_arena_array(arena, from->frame_count, sizeof *f->learned);
    if (!f->learned_frames || !f->learned) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < from->frame_count; ++k) {
        if (lmbi_given_is_held_out(f, k)) {
            continue;
        }
        lmb_vec3 *frame = lmbi_arena_array(arena, n, sizeof *frame);
        if (!frame) {
            return lmbi_fail_memory(error);
        }
        for (uint32_t v = 0; v < n; ++v) {
            frame[v] = from->frames[k][f->bound.frame_vertex[v]];
        }
        f->learned[f->def.frame_count] = k;
        f->learned_frames[f->def.frame_count++] = frame;
    }
    f->def.vertex_count = n;
    f->def.rest = f->bound.rest;
    f->def.frames = f->learned_frames;
    f->def.indices = f->bound.indices;
    f->def.index_count = f->bound.index_count;
    return LMB_OK;
}

/// A bone's motion in the problem's normalised coordinates.
static void set_bone(lmbi_given *f, uint32_t bone, uint32_t frame)
{
    lmbi_learn *p = &f->p;
    const lmb_mat4 m = lmbi_bound_motion(&f->bound, f->learned[frame], bone);
    for (uint32_t r = 0; r < 3; ++r) {
        double t = (double)m.m[12 + r] - p->frame_centers[3 * (size_t)frame + r];
        for (uint32_t c = 0; c < 3; ++c) {
            const double value = (double)m.m[4 * c + r];
            lmbi_learn_bone(p, bone, 4 * r + c)[frame] = value;
            t += value * p->center[c];
        }
        lmbi_learn_bone(p, bone, 4 * r + 3)[frame] = t / p->size;
    }
}

/// Rows of the weights that are there, over the bones; joints that the file repeats are joined.
static lmb_result read_rows(lmbi_given *f, lmb_error *error)
{
    const lmbi_bound *b = &f->bound;
    size_t items = 0;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        const uint32_t *first = b->row_mesh[v]->influences.first + b->row_first[v];
        items += first[1] - first[0];
    }
    f->before.first =
        lmbi_arena_array(&f->bound.arena, (size_t)b->vertex_count + 1, sizeof(uint32_t));
    f->before.items = lmbi_arena_array(&f->bound.arena, items, sizeof(lmb_influence));
    if (!f->before.first || !f->before.items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0, at = 0; v < b->vertex_count; ++v) {
        const lmb_influences *in = &b->row_mesh[v]->influences;
        for (uint32_t k = in->first[b->row_first[v]]; k < in->first[b->row_first[v] + 1]; ++k) {
            const uint32_t joint = b->row_joints[v][in->items[k].joint];
            f->before.items[at++] =
                (lmb_influence){(uint32_t)b->bone_of[joint], in->items[k].weight};
        }
        f->before.first[v + 1] = at;
    }
    return LMB_OK;
}

/// The largest influences of a vertex as the row of its point, in falling order.
static void set_row(lmbi_given *f, uint32_t vertex)
{
    lmbi_learn *p = &f->p;
    const size_t point = p->point_of[vertex];
    uint32_t *bones = p->row_bones + point * p->influences, count = 0;
    double *weights = p->row_weights + point * p->influences, sum = 0;
    for (uint32_t k = f->before.first[vertex]; k < f->before.first[vertex + 1]; ++k) {
        const double w = (double)f->before.items[k].weight;
        uint32_t at = count < p->influences ? count++ : count;
        for (; at > 0 && weights[at - 1] < w; --at) {
            if (at < p->influences) {
                weights[at] = weights[at - 1];
                bones[at] = bones[at - 1];
            }
        }
        if (at < p->influences) {
            weights[at] = w;
            bones[at] = f->before.items[k].joint;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        sum += weights[k];
    }
    for (uint32_t k = 0; k < p->influences; ++k) {
        weights[k] = k < count && sum > 0 ? weights[k] / sum : k == 0 && !(sum > 0);
    }
}

lmb_result lmbi_given_prepare(lmbi_given *f, uint32_t spare, lmb_error *error)
{
    lmb_result result = gather_frames(f, error);
    if (result == LMB_OK) {
        result = read_rows(f, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    f->p.def = &f->def;
    f->p.opts = (lmb_learn_opts){.bone_count = f->bound.bone_count + spare,
                                 .influences = f->opts.influences,
                                 .smooth = f->opts.smooth,
                                 .skeleton = LMB_LEARN_FLAT,
                                 .jobs = f->opts.jobs,
                                 .progress = f->opts.progress};
    result = lmbi_learn_prepare(&f->p, error);
    if (result == LMB_OK) {
        result = lmbi_learn_allocate(&f->p, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    f->p.bone_count = f->bound.bone_count;
    f->p.seeks_everywhere = true;
    for (uint32_t j = 0; j < f->p.bone_count; ++j) {
        for (uint32_t k = 0; k < f->p.frame_count; ++k) {
            set_bone(f, j, k);
        }
    }
    for (uint32_t v = f->def.vertex_count; v-- > 0;) {
        set_row(f, v); // of the vertices of a point the first has the last word
    }
    return LMB_OK;
}

// ---- the solve

static lmb_result report_progress(const lmbi_given *f, uint32_t round, lmb_error *error)
{
    const lmb_progress *progress = f->opts.progress;
    return !progress || !progress->report ||
                   progress->report(progress->user, "weights", (float)round / ROUNDS)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

/// The rest shape as it was, or where it was moved.
static bool read_rest(lmbi_given *f)
{
    const lmbi_learn *p = &f->p;
    f->rest = f->bound.rest;
    if (!f->opts.move_rest) {
        return true;
    }
    f->rest = lmbi_arena_array(&f->bound.arena, f->bound.vertex_count, sizeof *f->rest);
    for (uint32_t v = 0; f->rest && v < f->bound.vertex_count; ++v) {
        const double *x = p->rest + 3 * (size_t)p->point_of[v];
        f->rest[v] = lmb_vec3_make((float)(p->center[0] + p->size * x[0]),
                                   (float)(p->center[1] + p->size * x[1]),
                                   (float)(p->center[2] + p->size * x[2]));
    }
    return f->rest != NULL;
}

/// Rounds of smoothing and solving until they settle. Without smoothing a second round differs by
/// the bones that neighbours have found.
lmb_result lmbi_given_solve(lmbi_given *f, uint32_t *iterations, lmb_error *error)
{
    double before = (double)INFINITY;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const lmb_result result = report_progress(f, round, error);
        if (result != LMB_OK) {
            return result;
        }
        if (f->opts.smooth_to_error && isfinite(before)) {
            f->p.opts.smooth = fminf(f->opts.smooth, (float)before);
        }
        if (f->opts.smooth > 0) {
            lmbi_learn_smooth_weights(&f->p);
        }
        lmbi_learn_solve_weights(&f->p);
        if (f->opts.move_rest) {
            lmbi_learn_solve_rest(&f->p);
        }
        ++*iterations;
        const double now = lmbi_learn_measure_errors(&f->p);
        if (isfinite(before) && !(before - now > GAIN * before)) {
            break;
        }
        before = now;
    }
    return LMB_OK;
}

// ---- errors, of what goes in and comes out

/// Sum over the vertices of the squared distance to a frame; `most` is raised to the largest.
static double square_error(const lmbi_given *f, const lmb_influences *rows, const lmb_vec3 *rest,
                           uint32_t frame, const lmb_mat4 *motion, double *most)
{
    const lmbi_bound *b = &f->bound;
    double sum = 0;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        const lmb_vec3 goal = b->frames->frames[frame][b->frame_vertex[v]], u = rest[v];
        const double x[3] = {(double)u.x, (double)u.y, (double)u.z};
        double d[3] = {-(double)goal.x, -(double)goal.y, -(double)goal.z};
        for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
            const float *m = motion[rows->items[k].joint].m;
            for (int r = 0; r < 3; ++r) {
                d[r] +=
                    (double)rows->items[k].weight * ((double)m[r] * x[0] + (double)m[4 + r] * x[1] +
                                                     (double)m[8 + r] * x[2] + (double)m[12 + r]);
            }
        }
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        sum += square;
        *most = fmax(*most, square);
    }
    return sum;
}

/// Root mean squares over the learned and the left-out frames, in units of the scene.
static void measure(const lmbi_given *f, const lmb_influences *rows, const lmb_vec3 *rest,
                    lmb_mat4 *motion, double rms[2], double *most)
{
    double sums[2] = {0, 0}, counts[2] = {0, 0}, unused = 0;
    for (uint32_t k = 0; k < f->bound.frames->frame_count; ++k) {
        const int out = lmbi_given_is_held_out(f, k);
        for (uint32_t j = 0; j < f->bound.bone_count; ++j) {
            motion[j] = lmbi_bound_motion(&f->bound, k, j);
        }
        sums[out] += square_error(f, rows, rest, k, motion, out ? &unused : most);
        counts[out] += f->bound.vertex_count;
    }
    for (int out = 0; out < 2; ++out) {
        rms[out] = counts[out] > 0 ? sqrt(sums[out] / counts[out]) : 0;
    }
}

static lmb_result read_result(lmbi_given *f, lmb_error *error)
{
    return lmbi_learn_rows(&f->p, &f->bound.arena, &f->after) && read_rest(f)
               ? LMB_OK
               : lmbi_fail_memory(error);
}

static lmb_result fill_report(lmbi_given *f, lmb_learn_weights_report *report, lmb_error *error)
{
    lmb_mat4 *motion = lmbi_arena_array(&f->bound.arena, f->bound.bone_count, sizeof *motion);
    if (!motion) {
        return lmbi_fail_memory(error);
    }
    double before[2], after[2], most = 0, unused = 0, scale;
    measure(f, &f->before, f->bound.rest, motion, before, &unused);
    measure(f, &f->after, f->rest, motion, after, &most);
    // Frames are in the scene's unit, which the bind shape need not be in: frame 0 has the size.
    const lmb_box box = lmb_box_of(f->def.frames[0], f->def.vertex_count);
    scale = 100 / (double)lmb_vec3_distance(box.low, box.high);
    report->joint_count = f->bound.bone_count;
    report->frame_count = f->def.frame_count;
    report->held_out_count = f->bound.frames->frame_count - f->def.frame_count;
    report->before_percent = (float)(scale * before[0]);
    report->before_held_out_percent = (float)(scale * before[1]);
    report->rms_percent = (float)(scale * after[0]);
    report->held_out_percent = (float)(scale * after[1]);
    report->rms = (float)after[0];
    report->max = (float)sqrt(most);
    return LMB_OK;
}

lmb_result lmbi_given_check(const lmb_learn_frames *frames, const lmb_learn_weights_opts *opts,
                            lmb_error *error)
{
    if (opts->influences > LMB_LEARN_INFLUENCES) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 16 influences", "%u", opts->influences);
    }
    return frames->frame_count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "frames to learn from", "none");
}

lmb_result lmb_learn_weights(lmb_character **character, const lmb_learn_frames *frames,
                             const lmb_learn_weights_opts *opts, const lmb_allocator *alloc,
                             lmb_learn_weights_report *report, lmb_error *error)
{
    lmbi_given f = {.opts = *opts};
    lmb_learn_weights_report made = {0};
    lmbi_arena_init(&f.p.arena, alloc);
    lmb_result result = lmbi_given_check(frames, opts, error);
    const bool begun = result == LMB_OK;
    if (result == LMB_OK) {
        result = lmbi_bound_make(*character, frames, alloc, &f.bound, error);
    }
    if (result == LMB_OK) {
        result = lmbi_given_prepare(&f, 0, error);
    }
    if (result == LMB_OK) {
        result = lmbi_given_solve(&f, &made.iterations, error);
    }
    if (result == LMB_OK) {
        result = read_result(&f, error);
    }
    if (result == LMB_OK) {
        result = fill_report(&f, &made, error);
    }
    if (result == LMB_OK) {
        result = lmbi_given_replace_meshes(&f, alloc, character, error);
    }
    if (begun) {
        lmbi_bound_free(&f.bound);
    }
    lmbi_arena_free(&f.p.arena);
    if (result == LMB_OK && report) {
        *report = made;
    }
    return result;
}
