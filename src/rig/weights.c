/// Weights for a surface: checks, the method, and rows of the requested size.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "rig/heat.h"
#include "rig/ownership.h"
#include "rig/rig.h"
#include "rig/touching_parts.h"
#include "rig/triangle_soup.h"
#include "rig/weights_rows.h"

/// 2 sin(45 degrees / 2): displacement of a point rotated by 45 degrees, per distance from the
/// axis.
static const float ROTATION_SHIFT = 0.76536686f;

static lmb_weights_opts with_defaults(const lmb_weights_opts *opts)
{
    lmb_weights_opts o = {0};
    if (opts) {
        o = *opts;
    }
    o.heat = o.heat > 0 ? o.heat : 2.5f;
    o.influences = o.influences ? o.influences : 4;
    o.least = o.least > 0 ? o.least : 0.04f;
    o.falloff = o.falloff > 0 ? o.falloff : 1.0f;
    return o;
}

static lmb_result check(const lmb_surface *surface, const lmbi_bones *bones,
                        const lmb_weights_opts *opts, lmb_error *error)
{
    if (bones->count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at least one bone", "none");
    }
    if (opts->method == LMB_WEIGHTS_LEARNED && !opts->model) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a model for learned weights", "none");
    }
    if (!(opts->falloff <= 1)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a falloff of at most 1", "%g",
                         (double)opts->falloff);
    }
    if (!(opts->heat < INFINITY) || !(opts->least < 1.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a finite heat and a least weight below 1",
                         "%g, %g", (double)opts->heat, (double)opts->least);
    }
    for (uint32_t b = 0; b < bones->count; ++b) {
        if (!lmb_vec3_is_finite(bones->items[b].head) ||
            !lmb_vec3_is_finite(bones->items[b].tail)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite bones",
                             "bone %u from %g, %g, %g to %g, %g, %g", b,
                             (double)bones->items[b].head.x, (double)bones->items[b].head.y,
                             (double)bones->items[b].head.z, (double)bones->items[b].tail.x,
                             (double)bones->items[b].tail.y, (double)bones->items[b].tail.z);
        }
        if (bones->parents && bones->items[b].joint >= bones->joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints of the skeleton", "joint %u of %u",
                             bones->items[b].joint, bones->joint_count);
        }
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        if (!lmb_vec3_is_finite(surface->positions[v])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite vertices", "vertex %u at %g, %g, %g",
                             v, (double)surface->positions[v].x, (double)surface->positions[v].y,
                             (double)surface->positions[v].z);
        }
    }
    return LMB_OK;
}

static uint32_t nearest_slot(const lmbi_heat *heat, lmb_vec3 p)
{
    float best = INFINITY;
    uint32_t slot = 0;
    lmb_vec3 at;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const float d = lmbi_bone_distance(&heat->bones->items[b], p, &at);
        slot = d < best ? heat->slot_of_bone[b] : slot;
        best = d < best ? d : best;
    }
    return slot;
}

/// Gives each row that the method left empty the nearest joint.
static void fill_empty_rows(lmbi_heat *heat)
{
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        if (!(row[0].weight > 0)) {
            row[0] = (lmb_influence){nearest_slot(heat, heat->surface->positions[v]), 1.0f};
        }
    }
}

static lmb_result solve_on_surface(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error)
{
    lmb_result result = lmbi_heat_sources(heat, error);
    if (result == LMB_OK) {
        result = heat->opts.method == LMB_WEIGHTS_NEAREST ? lmbi_heat_nearest(heat, error)
                                                          : lmbi_heat_solve(heat, around, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_remove_touching_weights(heat);
    fill_empty_rows(heat);
    if (!heat->opts.soft) {
        result = lmbi_rigid_pieces(heat, error);
    }
    result = result == LMB_OK ? lmbi_heat_inherit(heat, error) : result;
    return result == LMB_OK ? lmbi_heat_close_seams(heat, error) : result;
}

static bool goes_through_volume(const lmbi_heat *heat)
{
    return heat->opts.method == LMB_WEIGHTS_VOXEL || heat->opts.method == LMB_WEIGHTS_BBW;
}

/// Solves in the volume, then restores the `stiff` rows of rigid pieces.
static lmb_result solve_in_volume(lmbi_heat *heat, const lmb_influence *stiff, lmb_error *error)
{
    const lmb_result result = heat->opts.method == LMB_WEIGHTS_VOXEL
                                  ? lmbi_voxel_weights(heat, error)
                                  : lmbi_bbw_weights(heat, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_remove_touching_weights(heat);
    fill_empty_rows(heat);
    const size_t width = heat->row_width;
    for (size_t v = 0; stiff && v < heat->surface->vertex_count; ++v) {
        if (heat->piece_stiff[heat->piece_of_vertex[v]]) {
            memcpy(heat->rows + v * width, stiff + v * width, width * sizeof *stiff);
        }
    }
    return LMB_OK;
}

/// Lets the model correct heat's rows, and treats pieces as those of heat.
static lmb_result solve_by_model(lmbi_heat *heat, lmb_error *error)
{
    lmb_result result = lmbi_learned_weights(heat, error);
    if (result == LMB_OK && !heat->opts.soft) {
        heat->report.rigid_count = 0;
        result = lmbi_rigid_pieces(heat, error);
    }
    result = result == LMB_OK ? lmbi_heat_inherit(heat, error) : result;
    return result == LMB_OK ? lmbi_heat_close_seams(heat, error) : result;
}

static lmb_influence *new_rows(lmbi_heat *heat)
{
    return lmbi_arena_array(&heat->arena, heat->surface->vertex_count,
                            heat->row_width * sizeof(lmb_influence));
}

/// Volume methods connect pieces that touch. Heat keeps them separate, so it runs first to find
/// which pieces are rigid or attached; the volume is used for the others.
static lmb_result solve_by_method(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error)
{
    const bool volume = goes_through_volume(heat);
    const lmb_influence *stiff = NULL;
    lmb_result result = LMB_OK;
    if (!volume || (heat->piece_count > 1 && !heat->opts.soft)) {
        result = solve_on_surface(heat, around, error);
    }
    if (result == LMB_OK && volume && heat->piece_count > 1 && !heat->opts.soft) {
        stiff = heat->rows;
        heat->rows = new_rows(heat);
        result = heat->rows ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK && heat->opts.method == LMB_WEIGHTS_LEARNED) {
        return solve_by_model(heat, error);
    }
    return result == LMB_OK && volume ? solve_in_volume(heat, stiff, error) : result;
}

static lmb_result solve(lmbi_heat *heat, lmb_error *error)
{
    lmb_result result = lmbi_heat_prepare(heat, error);
    if (result == LMB_OK) {
        result = lmbi_ownership_claim(heat, heat->opts.ownership, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    heat->rows = new_rows(heat);
    return heat->rows ? solve_by_method(heat, heat->around, error) : lmbi_fail_memory(error);
}

/// Prunes a row to as many joints as are wanted: subtracts `least`, or the largest weight that does not fit if that is
/// more, from every weight, and scales the rest to sum 1. Weights thus reach 0 before they end, and
/// the selection does not jump between vertices. Returns how many remain.
static uint32_t prune_row(const lmbi_heat *heat, const lmb_influence *row, lmb_influence *out)
{
    uint32_t most =
                 heat->opts.influences < heat->row_width ? heat->opts.influences : heat->row_width,
             count = 0;
    float off = most < heat->row_width && row[most].weight > heat->opts.least ? row[most].weight
                                                                              : heat->opts.least;
    if (!(row[0].weight - off >
          0.01f * row[0].weight)) { // nearly equal weights: subtracting would leave none
        off = 0;
    }
    for (; count < most && row[count].weight > off; ++count) {
        out[count] = (lmb_influence){row[count].joint, row[count].weight - off};
    }
    lmbi_row_normalize(out, count);
    return count;
}

/// Weight that pruning took from a vertex, and a bound of how far that moves it.
static void measure_loss(lmbi_heat *heat, const lmb_vec3 *head_of_slot, uint32_t v,
                         const lmb_influence *out, uint32_t count, double *lost_sum,
                         double *shift_sum)
{
    const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
    float lost = 0, shift = 0;
    for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
        float left = 0;
        for (uint32_t i = 0; i < count; ++i) {
            left = out[i].joint == row[k].joint ? out[i].weight : left;
        }
        float less = row[k].weight > left ? row[k].weight - left : 0;
        lost += less;
        shift += less * ROTATION_SHIFT *
                 lmb_vec3_distance(heat->surface->positions[v], head_of_slot[row[k].joint]);
    }
    *lost_sum += (double)lost;
    *shift_sum += (double)shift;
    heat->report.lost_max = lost > heat->report.lost_max ? lost : heat->report.lost_max;
    heat->report.shift_max = shift > heat->report.shift_max ? shift : heat->report.shift_max;
}

/// Fills the report's losses. Returns the total number of influences kept, or 0 when out of memory.
static size_t measure_losses(lmbi_heat *heat)
{
    lmb_vec3 *heads = lmbi_arena_array(&heat->arena, heat->slot_count, sizeof *heads);
    uint8_t *used = lmbi_arena_array(&heat->arena, heat->slot_count, 1);
    if (!heads || !used) {
        return 0;
    }
    for (uint32_t b = heat->bones->count; b-- > 0;) {
        heads[heat->slot_of_bone[b]] = heat->bones->items[b].head;
    }
    size_t total = 0;
    double lost = 0, shift = 0;
    uint32_t n = heat->surface->vertex_count;
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        lmb_influence out[LMBI_WIDEST];
        uint32_t kept = prune_row(heat, row, out);
        total += kept;
        measure_loss(heat, heads, v, out, kept, &lost, &shift);
        for (uint32_t k = 0; k < kept; ++k) {
            used[out[k].joint] = 1;
        }
    }
    heat->report.vertex_count = n;
    heat->report.joint_count = heat->slot_count;
    heat->report.height = heat->size;
    heat->report.lost_mean = n ? (float)(lost / n) : 0.0f;
    heat->report.shift_mean = n ? (float)(shift / n) : 0.0f;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        heat->report.idle_joint_count += used[s] ? 0 : 1;
    }
    return total;
}

static void lay_out(lmbi_block *block, uint32_t n, const uint32_t *first,
                    const lmb_influence *items, lmb_weights *to)
{
    to->influences.first = lmbi_block_array(block, first, (size_t)n + 1, sizeof *first);
    to->influences.items = lmbi_block_array(block, items, first[n], sizeof *items);
}

static lmb_result pack_rows(const uint32_t *first, const lmb_influence *items, uint32_t n,
                            const lmb_allocator *alloc, lmb_weights **out, lmb_error *error)
{
    lmb_weights def = {.vertex_count = n}, measured;
    if (alloc) {
        def.allocator = *alloc;
    }
    lmbi_block block = {0};
    (void)lmbi_block_array(&block, &def, 1, sizeof def);
    lay_out(&block, n, first, items, &measured);
    uint8_t *base = block.overflow ? NULL : lmbi_alloc(alloc, block.used);
    if (!base) {
        return lmbi_fail_memory(error);
    }
    block = (lmbi_block){.base = base};
    lmb_weights *weights = lmbi_block_array(&block, &def, 1, sizeof def);
    lay_out(&block, n, first, items, weights);
    *out = weights;
    return LMB_OK;
}

static lmb_result finish(lmbi_heat *heat, lmb_weights **out, lmb_error *error)
{
    uint32_t n = heat->surface->vertex_count, at = 0;
    size_t total = measure_losses(heat);
    uint32_t *first = lmbi_arena_array(&heat->arena, (size_t)n + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(&heat->arena, total, sizeof *items);
    if ((n && !total) || total > UINT32_MAX || !first || !items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        lmb_influence kept_row[LMBI_WIDEST];
        uint32_t kept = prune_row(heat, row, kept_row);
        first[v] = at;
        for (uint32_t k = 0; k < kept; ++k) {
            items[at++] =
                (lmb_influence){heat->joint_of_slot[kept_row[k].joint], kept_row[k].weight};
        }
    }
    first[n] = at;
    return pack_rows(first, items, n, heat->alloc, out, error);
}

/// Weights of a surface, without welding.
static lmb_result create_weights(const lmb_surface *surface, const lmbi_bones *bones,
                                 const lmb_weights_opts *opts, bool triangle_soup,
                                 const lmb_allocator *alloc, lmb_weights **out,
                                 lmb_weights_report *report, lmb_error *error)
{
    lmbi_heat heat = {.surface = surface,
                      .bones = bones,
                      .opts = *opts,
                      .alloc = alloc,
                      .triangle_soup = triangle_soup};
    lmbi_arena_init(&heat.arena, alloc);
    lmb_result result = solve(&heat, error);
    if (result == LMB_OK) {
        result = finish(&heat, out, error);
    }
    *report = heat.report;
    lmbi_heat_end(&heat);
    return result;
}

/// Weights of the original vertices, from those of the welded surface.
static lmb_result spread_to_vertices(const lmb_weights *welded, const uint32_t *vertex_of,
                                     uint32_t count, const lmb_allocator *alloc, lmb_weights **out,
                                     lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_influences rows;
    lmb_result result = lmbi_rows_unweld(welded, vertex_of, count, &arena, &rows, error);
    if (result == LMB_OK) {
        result = pack_rows(rows.first, rows.items, count, alloc, out, error);
    }
    lmbi_arena_free(&arena);
    return result;
}

/// The options for a triangle soup: if it is still disconnected once welded, heat does not flow, and
/// the volume method is used.
static lmb_weights_opts soup_opts(lmb_weights_opts opts, lmbi_triangle_soup_kind kind)
{
    opts.soft = true; // fragments are not rigid parts
    if (opts.method == LMB_WEIGHTS_LEARNED) {
        opts.method = LMB_WEIGHTS_HEAT; // models learn from surfaces that hang together
    }
    if (kind == LMBI_TRIANGLE_SOUP_LOOSE && opts.method == LMB_WEIGHTS_HEAT) {
        opts.method = LMB_WEIGHTS_VOXEL;
    }
    return opts;
}

/// Weights of a triangle soup: solved on the welded surface.
static lmb_result create_for_soup(const lmb_surface *welded, uint32_t vertex_count,
                                  const lmbi_bones *bones, const lmb_weights_opts *opts,
                                  const lmb_allocator *alloc, lmb_weights **out,
                                  lmb_weights_report *report, lmb_error *error)
{
    lmb_weights *weights = NULL;
    lmb_result result = create_weights(welded, bones, opts, true, alloc, &weights, report, error);
    if (result == LMB_OK) {
        result = spread_to_vertices(weights, welded->vertex_of, vertex_count, alloc, out, error);
        lmb_weights_destroy(weights);
        report->triangle_soup_count = vertex_count;
    }
    return result;
}

lmb_result lmbi_weights_create(const lmb_surface *surface, const lmbi_bones *bones,
                               const lmb_weights_opts *opts, const lmb_allocator *alloc,
                               lmb_weights **out, lmb_weights_report *report, lmb_error *error)
{
    const lmb_weights_opts complete = with_defaults(opts);
    lmb_weights_report made = {0};
    lmb_surface *welded = NULL;
    lmbi_triangle_soup_kind kind;
    lmb_result result = check(surface, bones, &complete, error);
    if (result == LMB_OK) {
        result = lmbi_triangle_soup_weld(surface, alloc, &kind, &welded, error);
    }
    if (result == LMB_OK && welded) {
        const lmb_weights_opts opts_of_soup = soup_opts(complete, kind);
        result = create_for_soup(welded, surface->vertex_count, bones, &opts_of_soup, alloc, out,
                                 &made, error);
    } else if (result == LMB_OK) {
        result = create_weights(surface, bones, &complete, false, alloc, out, &made, error);
    }
    lmb_surface_destroy(welded);
    if (result == LMB_OK && report) {
        *report = made;
    }
    return result;
}

void lmb_weights_destroy(lmb_weights *weights)
{
    if (weights) {
        lmb_allocator alloc = weights->allocator;
        lmbi_free(&alloc, weights);
    }
}
