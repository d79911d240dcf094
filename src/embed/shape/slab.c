#include "embed/shape/shape.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/// Fractions of the longest side of the whole: a slab is thinner than THIN, wider than WIDE, and
/// lies within AT_END of an end.
static const float THIN = 0.15f, WIDE = 0.2f, AT_END = 0.02f;
/// A slab is FLAT times as wide as thick, and fills FILLED of its box; a disc fills 0.79.
static const float FLAT = 2, FILLED = 0.45f;

static float component(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

bool lmbi_piece_is_slab(const lmbi_slab_piece *piece, lmb_box whole, int axis)
{
    const lmb_vec3 e = lmb_vec3_sub(piece->box.high, piece->box.low),
                   all = lmb_vec3_sub(whole.high, whole.low);
    const float size = fmaxf(all.x, fmaxf(all.y, all.z)), thick = component(e, axis),
                wide = fminf(component(e, (axis + 1) % 3), component(e, (axis + 2) % 3));
    const bool at_end =
        component(piece->box.low, axis) <= component(whole.low, axis) + AT_END * size ||
        component(piece->box.high, axis) >= component(whole.high, axis) - AT_END * size;
    const double box = (double)e.x * (double)e.y * (double)e.z;
    const bool filled = !(thick > 0.01f * size) || fabs(piece->volume) > (double)FILLED * box;
    return at_end && thick < THIN * size && wide > WIDE * size && wide > FLAT * thick && filled;
}

typedef struct slab_finder {
    const lmb_surface *surface;
    lmb_vec3 axes[3], origin;
    uint32_t *piece_of, piece_count;
    lmbi_slab_piece *pieces;
    lmb_box whole;
} slab_finder;

static lmb_vec3 in_axes(const slab_finder *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(p, f->origin);
    return lmb_vec3_make(lmb_vec3_dot(d, f->axes[0]), lmb_vec3_dot(d, f->axes[1]),
                         lmb_vec3_dot(d, f->axes[2]));
}

static void measure_pieces(slab_finder *f)
{
    const lmb_surface *s = f->surface;
    f->whole = lmb_box_empty();
    for (uint32_t k = 0; k < f->piece_count; ++k) {
        f->pieces[k].box = lmb_box_empty();
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        lmbi_slab_piece *piece = &f->pieces[f->piece_of[c[0]]];
        lmb_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = in_axes(f, s->positions[c[k]]);
            piece->box = lmb_box_add(piece->box, p[k]);
            f->whole = lmb_box_add(f->whole, p[k]);
        }
        piece->volume += (double)lmb_vec3_dot(p[0], lmb_vec3_cross(p[1], p[2])) / 6;
    }
}

static lmb_result find_pieces(slab_finder *f, const lmb_allocator *alloc, lmb_error *error)
{
    f->piece_of = lmbi_alloc_array(alloc, f->surface->vertex_count, sizeof *f->piece_of);
    const lmb_result result =
        f->piece_of ? lmb_surface_components(f->surface, alloc, f->piece_of, &f->piece_count, error)
                    : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    f->pieces = lmbi_alloc_array(alloc, f->piece_count, sizeof *f->pieces);
    if (!f->pieces) {
        return lmbi_fail_memory(error);
    }
    measure_pieces(f);
    return LMB_OK;
}

// --------------------------------------------------------------------------- under an embedding

/// The height of the lowest joint.
static float lowest_joint(const slab_finder *f, const lmb_embedding *e)
{
    float lowest = INFINITY;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        lowest = fminf(lowest, in_axes(f, e->joints[j]).y);
    }
    return lowest;
}

static void mark_separate_slabs(const slab_finder *f, float lowest, uint8_t *out,
                                uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t v = 0; v < f->surface->vertex_count; ++v) {
        const lmbi_slab_piece *piece = &f->pieces[f->piece_of[v]];
        out[v] = piece->box.high.y < lowest && lmbi_piece_is_slab(piece, f->whole, 1);
        *out_count += out[v];
    }
}

/// Marks the vertices of a slab that is connected with the body.
static void mark_fused_slab(const slab_finder *f, float lowest, uint8_t *out, uint32_t *out_count)
{
    const lmb_surface *s = f->surface;
    lmbi_fused_slab_job job = {.positions = s->positions,
                               .triangles = s->triangles,
                               .triangle_count = s->triangle_count,
                               .axes = {f->axes[0], f->axes[1], f->axes[2]}};
    lmbi_fused_slab slab;
    job.bounds = lmbi_fused_slab_bounds(&job);
    if (!lmbi_fused_slab_find(&job, 1, false, &slab) ||
        -slab.face - lmb_vec3_dot(f->origin, f->axes[1]) > lowest) {
        return;
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        out[v] = lmb_vec3_dot(s->positions[v], slab.out) > slab.face;
        *out_count += out[v];
    }
}

lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error)
{
    slab_finder f = {.surface = surface,
                     .axes = {embedding->left, embedding->up, embedding->forward},
                     .origin = embedding->ground};
    const lmb_result result = find_pieces(&f, alloc, error);
    if (result == LMB_OK) {
        const float lowest = lowest_joint(&f, embedding);
        mark_separate_slabs(&f, lowest, out, out_count);
        if (*out_count == 0) {
            mark_fused_slab(&f, lowest, out, out_count);
        }
    }
    lmbi_free(alloc, f.pieces);
    lmbi_free(alloc, f.piece_of);
    return result;
}

// --------------------------------------------------------------------------- before an embedding

static bool box_covers(lmb_box box, lmb_vec3 p, int axis)
{
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return component(box.low, b) <= component(p, b) && component(p, b) <= component(box.high, b) &&
           component(box.low, c) <= component(p, c) && component(p, c) <= component(box.high, c);
}

/// Marks the axes along which each piece is a slab, and finds the box of the other pieces; false if
/// that is less than half of the whole.
static bool mark_plates(const slab_finder *f, uint8_t *plates, lmb_box *rest)
{
    bool any = false;
    *rest = lmb_box_empty();
    for (uint32_t k = 0; k < f->piece_count; ++k) {
        for (int axis = 0; axis < 3 && f->pieces[k].box.low.x <= f->pieces[k].box.high.x; ++axis) {
            plates[k] |= lmbi_piece_is_slab(&f->pieces[k], f->whole, axis) ? 1u << axis : 0;
        }
        if (!plates[k] && f->pieces[k].box.low.x <= f->pieces[k].box.high.x) {
            *rest = lmb_box_add(lmb_box_add(*rest, f->pieces[k].box.low), f->pieces[k].box.high);
        }
        any = any || plates[k];
    }
    const lmb_vec3 all = lmb_vec3_sub(f->whole.high, f->whole.low),
                   left = lmb_vec3_sub(rest->high, rest->low);
    return any && rest->low.x <= rest->high.x &&
           fmaxf(left.x, fmaxf(left.y, left.z)) > 0.5f * fmaxf(all.x, fmaxf(all.y, all.z));
}

/// A slab counts only if it lies under or over the middle of the rest.
static bool is_under_body(const slab_finder *f, uint32_t piece, const uint8_t *plates, lmb_box rest)
{
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(rest.low, rest.high), 0.5f);
    bool covered = false;
    for (int axis = 0; axis < 3; ++axis) {
        covered = covered ||
                  ((plates[piece] & 1u << axis) && box_covers(f->pieces[piece].box, middle, axis));
    }
    return covered;
}

static lmb_result strip_separate_slabs(slab_finder *f, const lmbi_triangle_soup *soup,
                                       const lmb_allocator *alloc, uint32_t *out_triangles,
                                       uint32_t *out_count, lmb_error *error)
{
    lmb_result result = find_pieces(f, alloc, error);
    uint8_t *plates = NULL;
    if (result == LMB_OK) {
        plates = lmbi_alloc_array(alloc, f->piece_count, 1);
        result = plates ? LMB_OK : lmbi_fail_memory(error);
    }
    lmb_box rest;
    const bool found = result == LMB_OK && mark_plates(f, plates, &rest);
    for (uint32_t t = 0; found && t < soup->triangle_count; ++t) {
        const uint32_t *corner = soup->triangles + 3 * (size_t)t;
        if (!is_under_body(f, f->piece_of[f->surface->vertex_of[corner[0]]], plates, rest)) {
            memcpy(out_triangles + 3 * (size_t)(*out_count)++, corner, 3 * sizeof *corner);
        }
    }
    lmbi_free(alloc, plates);
    lmbi_free(alloc, f->pieces);
    lmbi_free(alloc, f->piece_of);
    return result;
}

lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error)
{
    const lmb_surface_opts opts = {.keep_degenerate = true};
    lmb_surface *surface = NULL;
    *out_count = 0;
    lmb_result result = lmbi_soup_surface(soup, &opts, alloc, &surface, error);
    if (result == LMB_OK) {
        slab_finder f = {.surface = surface, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        result = strip_separate_slabs(&f, soup, alloc, out_triangles, out_count, error);
    }
    const bool unchanged = *out_count == 0 || *out_count == soup->triangle_count;
    if (result == LMB_OK && unchanged) {
        result = lmbi_fused_slab_cut(soup, surface, alloc, out_triangles, out_count, error);
    }
    lmb_surface_destroy(surface);
    return result;
}
