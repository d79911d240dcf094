/// Weights under bones that are given: a skinned character's own joints show frames of its mesh.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/bound.h"
#include "learn/learn.h"

enum { ROUNDS = 8 };
/// Stop when a round lowers the mean square error by less than this fraction.
static const double GAIN = 1e-3;

typedef struct fit {
    lmbi_bound bound;
    lmb_learn_weights_opts opts;
    lmb_learn_def def; ///< of the frames that are learned from
    lmbi_learn p;
    const lmb_vec3 **learned_frames; ///< [frame_count of def]
    uint32_t *learned;               ///< [frame_count of def] numbers of these frames
    lmb_influences before, after;    ///< rows of the bound's vertices over its bones
} fit;

static bool is_held_out(const fit *f, uint32_t frame)
{
    return f->opts.hold_out > 1 && frame % f->opts.hold_out == f->opts.hold_out - 1;
}

// ---- the problem

/// Frames of the bound's vertices.
static lmb_result gather_frames(fit *f, lmb_error *error)
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
        if (is_held_out(f, k)) {
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
static void set_bone(fit *f, uint32_t bone, uint32_t frame)
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
static lmb_result read_rows(fit *f, lmb_error *error)
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
static void set_row(fit *f, uint32_t vertex)
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

static lmb_result prepare(fit *f, lmb_error *error)
{
    lmb_result result = gather_frames(f, error);
    if (result == LMB_OK) {
        result = read_rows(f, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    f->p.def = &f->def;
    f->p.opts = (lmb_learn_opts){.bone_count = f->bound.bone_count,
                                 .influences = f->opts.influences,
                                 .smooth = f->opts.smooth,
                                 .skeleton = LMB_LEARN_FLAT,
                                 .jobs = f->opts.jobs,
                                 .progress = f->opts.progress};
    result = lmbi_learn_prepare(&f->p, error);
    if (result != LMB_OK) {
        return result;
    }
    f->p.bone_count = f->bound.bone_count;
    f->p.bones_given = true;
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

static lmb_result report_progress(const fit *f, uint32_t round, lmb_error *error)
{
    const lmb_progress *progress = f->opts.progress;
    return !progress || !progress->report ||
                   progress->report(progress->user, "weights", (float)round / ROUNDS)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

/// Rounds of smoothing and solving until they settle. Without smoothing a second round differs by
/// the bones that neighbours have found.
static lmb_result solve(fit *f, lmb_learn_weights_report *report, lmb_error *error)
{
    double before = (double)INFINITY;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const lmb_result result = report_progress(f, round, error);
        if (result != LMB_OK) {
            return result;
        }
        if (f->opts.smooth > 0) {
            lmbi_learn_smooth_weights(&f->p);
        }
        lmbi_learn_solve_weights(&f->p);
        ++report->iterations;
        const double now = lmbi_learn_measure_errors(&f->p);
        if (isfinite(before) && !(before - now > GAIN * before)) {
            break;
        }
        before = now;
    }
    return lmbi_learn_rows(&f->p, &f->bound.arena, &f->after) ? LMB_OK : lmbi_fail_memory(error);
}

// ---- errors, of what goes in and comes out

/// Sum over the vertices of the squared distance to a frame; `most` is raised to the largest.
static double square_error(const fit *f, const lmb_influences *rows, uint32_t frame,
                           const lmb_mat4 *motion, double *most)
{
    const lmbi_bound *b = &f->bound;
    double sum = 0;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        const lmb_vec3 goal = b->frames->frames[frame][b->frame_vertex[v]], u = b->rest[v];
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

/// Root mean squares over the learned and the held-out frames, in units of the scene.
static void measure(const fit *f, const lmb_influences *rows, lmb_mat4 *motion, double rms[2],
                    double *most)
{
    double sums[2] = {0, 0}, counts[2] = {0, 0}, unused = 0;
    for (uint32_t k = 0; k < f->bound.frames->frame_count; ++k) {
        const int out = is_held_out(f, k);
        for (uint32_t j = 0; j < f->bound.bone_count; ++j) {
            motion[j] = lmbi_bound_motion(&f->bound, k, j);
        }
        sums[out] += square_error(f, rows, k, motion, out ? &unused : most);
        counts[out] += f->bound.vertex_count;
    }
    for (int out = 0; out < 2; ++out) {
        rms[out] = counts[out] > 0 ? sqrt(sums[out] / counts[out]) : 0;
    }
}

static lmb_result fill_report(fit *f, lmb_learn_weights_report *report, lmb_error *error)
{
    lmb_mat4 *motion = lmbi_arena_array(&f->bound.arena, f->bound.bone_count, sizeof *motion);
    if (!motion) {
        return lmbi_fail_memory(error);
    }
    double before[2], after[2], most = 0, unused = 0, scale;
    measure(f, &f->before, motion, before, &unused);
    measure(f, &f->after, motion, after, &most);
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

// ---- the character

/// Joint of the skeleton to its number in a skin, LMB_NONE where the skin lacks it.
static void invert_skin(const lmb_skin *skin, uint32_t joints, int32_t *number)
{
    for (uint32_t j = 0; j < joints; ++j) {
        number[j] = LMB_NONE;
    }
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        number[skin->joints[k]] = (int32_t)k;
    }
}

/// The learned row of a vertex in the numbers of its skin; weights of joints that the skin lacks go
/// to the others. Returns its length.
static uint32_t write_row(const fit *f, uint32_t vertex, const int32_t *number, lmb_influence *out)
{
    uint32_t count = 0;
    float sum = 0;
    for (uint32_t k = f->after.first[vertex]; k < f->after.first[vertex + 1]; ++k) {
        const lmb_influence in = f->after.items[k];
        const int32_t joint = number[f->bound.joints[in.joint]];
        if (joint != LMB_NONE) {
            out[count++] = (lmb_influence){(uint32_t)joint, in.weight};
            sum += in.weight;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k].weight /= sum;
    }
    return count;
}

/// A copy of an instance's mesh with the learned rows; rows with no joint of the skin stay.
static lmb_result copy_mesh(fit *f, uint32_t instance, uint32_t first_vertex, int32_t *number,
                            const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error)
{
    const lmb_character *c = f->bound.character;
    lmb_mesh def = *c->meshes[c->instances[instance].mesh];
    const lmb_influences old = def.influences;
    uint32_t *first =
        lmbi_arena_array(&f->bound.arena, (size_t)def.vertex_count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(&f->bound.arena,
                                            (size_t)def.vertex_count * LMB_LEARN_INFLUENCES +
                                                old.first[def.vertex_count],
                                            sizeof *items);
    if (!first || !items) {
        return lmbi_fail_memory(error);
    }
    invert_skin(c->skins[c->instances[instance].skin], c->skeleton->joint_count, number);
    for (uint32_t v = 0; v < def.vertex_count; ++v) {
        uint32_t count =
            write_row(f, f->bound.vertex_of[first_vertex + v], number, items + first[v]);
        if (count == 0) {
            count = old.first[v + 1] - old.first[v];
            memcpy(items + first[v], old.items + old.first[v], count * sizeof *items);
        }
        first[v + 1] = first[v] + count;
    }
    def.influences = (lmb_influences){first, items};
    return lmb_mesh_create(&def, alloc, out, error);
}

/// Replaces the meshes of skinned instances in `*character`, or nothing.
static lmb_result replace_meshes(fit *f, const lmb_allocator *alloc, lmb_character **character,
                                 lmb_error *error)
{
    lmb_character *old = *character, *made = NULL;
    lmb_character def = *old;
    lmbi_arena *arena = &f->bound.arena;
    int32_t *number = lmbi_arena_array(arena, old->skeleton->joint_count, sizeof *number);
    def.meshes = lmbi_arena_array(arena, old->mesh_count, sizeof(lmb_mesh *));
    if (!number || !def.meshes) {
        return lmbi_fail_memory(error);
    }
    memcpy(def.meshes, old->meshes, old->mesh_count * sizeof(lmb_mesh *));
    lmb_result result = LMB_OK;
    for (uint32_t i = 0, first = 0; result == LMB_OK && i < old->instance_count; ++i) {
        const uint32_t m = old->instances[i].mesh, count = old->meshes[m]->vertex_count;
        // A mesh that several instances show gets the rows of the first.
        if (old->instances[i].skin != LMB_NONE && old->meshes[m]->influences.first &&
            def.meshes[m] == old->meshes[m]) {
            result = copy_mesh(f, i, first, number, alloc, &def.meshes[m], error);
        }
        first += count;
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&def, alloc, &made, error);
    }
    for (uint32_t m = 0; m < old->mesh_count; ++m) {
        if (def.meshes[m] != old->meshes[m]) {
            lmb_mesh_destroy(result == LMB_OK ? old->meshes[m] : def.meshes[m]);
        }
    }
    if (result == LMB_OK) {
        lmb_character_release(old);
        *character = made;
    }
    return result;
}

static lmb_result check(const lmb_learn_frames *frames, const lmb_learn_weights_opts *opts,
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
    fit f = {.opts = *opts};
    lmb_learn_weights_report made = {0};
    lmbi_arena_init(&f.p.arena, alloc);
    lmb_result result = check(frames, opts, error);
    const bool begun = result == LMB_OK;
    if (result == LMB_OK) {
        result = lmbi_bound_make(*character, frames, alloc, &f.bound, error);
    }
    if (result == LMB_OK) {
        result = prepare(&f, error);
    }
    if (result == LMB_OK) {
        result = solve(&f, &made, error);
    }
    if (result == LMB_OK) {
        result = fill_report(&f, &made, error);
    }
    if (result == LMB_OK) {
        result = replace_meshes(&f, alloc, character, error);
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
