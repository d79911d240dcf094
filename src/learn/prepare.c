/// Checks the definition and allocates the problem.
#include <math.h>

#include "base/error.h"
#include "learn/learn.h"

/// So many bones for each that is kept.
enum { SPARE = 2 };

static lmb_result check_shape(const lmb_vec3 *shape, uint32_t count, const char *what, uint32_t k,
                              lmb_error *error)
{
    for (uint32_t v = 0; v < count; ++v) {
        if (!lmb_vec3_is_finite(shape[v])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                             "vertex %u of %s %u at (%g, %g, %g)", v, what, k, (double)shape[v].x,
                             (double)shape[v].y, (double)shape[v].z);
        }
    }
    return LMB_OK;
}

static lmb_result check_options(const lmb_learn_def *def, const lmb_learn_opts *opts,
                                lmb_error *error)
{
    if (opts->bone_count < 1 || opts->bone_count > LMB_LEARN_BONES) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "1 to 512 bones", "%u", opts->bone_count);
    }
    if (opts->influences > LMB_LEARN_INFLUENCES) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 16 influences", "%u", opts->influences);
    }
    if (!(opts->error_percent >= 0) || !isfinite(opts->error_percent)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an error of 0 or more percent", "%g",
                         (double)opts->error_percent);
    }
    if (!(opts->smooth >= 0) || !isfinite(opts->smooth)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a smoothness of 0 or more", "%g",
                         (double)opts->smooth);
    }
    if (opts->skeleton != LMB_LEARN_FLAT &&
        (opts->motion != LMB_LEARN_RIGID || opts->move_rest || opts->norm > 2)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a flat skeleton for bones that stretch, a rest shape that moves or a "
                         "norm above 2",
                         "a hierarchy");
    }
    if (opts->joints_within != 0 && !(opts->joints_within >= 1)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "joints within 1 or more times free bones", "%g",
                         (double)opts->joints_within);
    }
    if (opts->norm > 16 || opts->norm % 2 != 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an even norm up to 16", "%u", opts->norm);
    }
    if (def->vertex_count < opts->bone_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at least as many vertices as bones",
                         "%u vertices for %u bones", def->vertex_count, opts->bone_count);
    }
    return LMB_OK;
}

static lmb_result check_shapes(const lmb_learn_def *def, lmb_error *error)
{
    if (def->frame_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames to learn from", "none");
    }
    if (def->index_count < 3 || def->index_count % 3 != 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "triangles", "%u indices", def->index_count);
    }
    for (uint32_t i = 0; i < def->index_count; ++i) {
        if (def->indices[i] >= def->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices below the number of vertices",
                             "index %u of %u vertices", def->indices[i], def->vertex_count);
        }
    }
    lmb_result result = check_shape(def->rest, def->vertex_count, "rest shape", 0, error);
    for (uint32_t k = 0; result == LMB_OK && k < def->frame_count; ++k) {
        result = check_shape(def->frames[k], def->vertex_count, "frame", k, error);
    }
    return result;
}

/// True when any frame differs from the rest shape by more than rounding.
static bool is_moving(const lmb_learn_def *def, double size)
{
    for (uint32_t k = 0; k < def->frame_count; ++k) {
        for (uint32_t v = 0; v < def->vertex_count; ++v) {
            const lmb_vec3 d = lmb_vec3_sub(def->frames[k][v], def->rest[v]);
            if ((double)lmb_vec3_length(d) > 1e-6 * size) {
                return true;
            }
        }
    }
    return false;
}

lmb_result lmbi_learn_allocate(lmbi_learn *p, lmb_error *error)
{
    const size_t n = p->point_count, capacity = p->opts.bone_count, m = p->frame_count;
    p->influences = p->opts.influences ? p->opts.influences : 4;
    p->bones = lmbi_arena_array(&p->arena, capacity * 12, m * sizeof *p->bones);
    p->row_bones = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->row_bones);
    p->row_weights = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->row_weights);
    p->next_bones = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->next_bones);
    p->next_weights = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->next_weights);
    p->point_errors = lmbi_arena_array(&p->arena, n, sizeof *p->point_errors);
    p->list_first = lmbi_arena_array(&p->arena, capacity + 1, sizeof *p->list_first);
    p->list_points = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->list_points);
    p->list_weights = lmbi_arena_array(&p->arena, n, p->influences * sizeof *p->list_weights);
    const bool weighs = p->opts.norm > 2;
    if (weighs) {
        p->importance = lmbi_arena_array(&p->arena, n, sizeof *p->importance);
    }
    for (size_t i = 0; p->importance && i < n; ++i) {
        p->importance[i] = 1;
    }
    if (p->opts.smooth > 0) {
        p->smoothed = lmbi_arena_array(&p->arena, n, capacity * sizeof *p->smoothed);
        p->smoothing = lmbi_arena_array(&p->arena, n, capacity * sizeof *p->smoothing);
    }
    const bool smooth =
        ((p->smoothed && p->smoothing) || !(p->opts.smooth > 0)) && (p->importance || !weighs);
    return p->bones && p->row_bones && p->row_weights && p->next_bones && p->next_weights &&
                   p->point_errors && p->list_first && p->list_points && p->list_weights && smooth
               ? LMB_OK
               : lmbi_fail_memory(error);
}

/// Of more bones than are asked for those are kept that are missed most.
static void choose_capacity(lmbi_learn *p)
{
    uint32_t capacity = p->opts.bone_count;
    p->target_count = capacity;
    if (capacity > 1) {
        capacity *= SPARE;
        capacity = capacity < LMB_LEARN_BONES ? capacity : LMB_LEARN_BONES;
        capacity = capacity < p->point_count ? capacity : p->point_count;
    }
    p->opts.bone_count = capacity;
}

lmb_result lmbi_learn_prepare(lmbi_learn *p, lmb_error *error)
{
    lmb_result result = check_options(p->def, &p->opts, error);
    if (result == LMB_OK) {
        result = check_shapes(p->def, error);
    }
    if (result == LMB_OK) {
        result = lmbi_learn_points(p, error);
    }
    if (result == LMB_OK && !is_moving(p->def, p->size)) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "frames that differ from the rest shape",
                           "%u that are all the rest shape", p->frame_count);
    }
    if (result == LMB_OK && p->point_count < p->opts.bone_count) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "at least as many vertices as bones",
                           "%u places for %u bones", p->point_count, p->opts.bone_count);
    }
    if (result == LMB_OK) {
        choose_capacity(p);
        result = lmbi_learn_neighbours(p, error);
    }
    return result;
}
