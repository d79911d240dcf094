#include "embed/shape/fused_slab_cut.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/fused_slab.h"

#include <math.h>
#include <string.h>

static float longest_side(lmb_box box)
{
    const lmb_vec3 side = lmb_vec3_sub(box.high, box.low);
    return fmaxf(side.x, fmaxf(side.y, side.z));
}

/// The box of the corners of what is not in a slab; of everything where there is none.
static lmb_box box_beside(const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        for (size_t k = 0; k < 3 && !(slab && lmbi_fused_slab_holds(job, slab, t)); ++k) {
            box = lmb_box_add(box, job->positions[job->triangles[3 * (size_t)t + k]]);
        }
    }
    return box;
}

/// A slab with most of the whole on it or under it.
static bool find_slab(const lmbi_fused_slab_job *job, lmbi_fused_slab *out)
{
    const float most = 0.5f;
    for (int end = 0; end < 6; ++end) {
        if (lmbi_fused_slab_find(job, end / 2, end % 2 == 1, out) &&
            longest_side(box_beside(job, out)) > most * longest_side(box_beside(job, NULL))) {
            return true;
        }
    }
    return false;
}

typedef struct cut {
    const lmbi_triangle_soup *soup;
    const lmb_surface *surface;
    lmb_adjacency *edges;
    uint8_t *gone;    ///< [triangle_count] in the slab
    uint32_t *joined; ///< [vertex_count] a vertex of the same rim, itself in the end
    uint32_t *corner; ///< [vertex_count] a vertex of the soup at the same place
} cut;

static uint32_t rim_of(const cut *c, uint32_t v)
{
    while (c->joined[v] != v) {
        v = c->joined[v] = c->joined[c->joined[v]];
    }
    return v;
}

/// Whether the cut runs along an edge.
static bool is_rim(const cut *c, uint32_t edge)
{
    bool stays = false, goes = false;
    for (uint32_t k = c->edges->edge_first[edge]; k < c->edges->edge_first[edge + 1]; ++k) {
        const bool gone = c->gone[c->edges->edge_triangles[k]] != 0;
        stays = stays || !gone;
        goes = goes || gone;
    }
    return stays && goes;
}

/// False where there are none: what is a piece by itself is no plate, or was seen as one.
static bool join_rims(cut *c)
{
    bool any = false;
    for (uint32_t v = 0; v < c->surface->vertex_count; ++v) {
        c->joined[v] = v;
    }
    for (uint32_t e = 0; e < c->edges->edge_count; ++e) {
        if (is_rim(c, e)) {
            const uint32_t a = rim_of(c, c->edges->edges[2 * (size_t)e]),
                           b = rim_of(c, c->edges->edges[2 * (size_t)e + 1]);
            c->joined[a > b ? a : b] = a > b ? b : a;
            any = true;
        }
    }
    return any;
}

/// A fan over each rim. What is left of a slab's room is more than enough, but for soups without
/// sense.
static void add_lids(const cut *c, uint32_t *out, uint32_t *count)
{
    for (uint32_t e = 0; e < c->edges->edge_count && *count < c->surface->triangle_count; ++e) {
        const uint32_t a = c->edges->edges[2 * (size_t)e], b = c->edges->edges[2 * (size_t)e + 1];
        if (is_rim(c, e) && rim_of(c, a) != a && rim_of(c, b) != b) {
            const uint32_t lid[3] = {c->corner[rim_of(c, a)], c->corner[a], c->corner[b]};
            memcpy(out + 3 * (size_t)(*count)++, lid, sizeof lid);
        }
    }
}

static void keep_rest(cut *c, const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                      uint32_t *out, uint32_t *count)
{
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        const uint32_t *from = c->soup->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            c->corner[job->triangles[3 * (size_t)t + (size_t)k]] = from[k];
        }
        c->gone[t] = lmbi_fused_slab_holds(job, slab, t);
        if (!c->gone[t]) {
            memcpy(out + 3 * (size_t)(*count)++, from, 3 * sizeof *from);
        }
    }
}

static lmb_result cut_off(cut *c, const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                          const lmb_allocator *alloc, uint32_t *out, uint32_t *count,
                          lmb_error *error)
{
    const lmb_surface *s = c->surface;
    lmb_result result = lmb_adjacency_create(s, alloc, &c->edges, error);
    if (result == LMB_OK) {
        c->gone = lmbi_alloc_array(alloc, s->triangle_count, 1);
        c->joined = lmbi_alloc_array(alloc, s->vertex_count, sizeof *c->joined);
        c->corner = lmbi_alloc_array(alloc, s->vertex_count, sizeof *c->corner);
        result = c->gone && c->joined && c->corner ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        keep_rest(c, job, slab, out, count);
        if (join_rims(c)) {
            add_lids(c, out, count);
        } else {
            *count = 0;
        }
    }
    lmbi_free(alloc, c->corner);
    lmbi_free(alloc, c->joined);
    lmbi_free(alloc, c->gone);
    lmb_adjacency_destroy(c->edges);
    return result;
}

lmb_result lmbi_fused_slab_cut(const lmbi_triangle_soup *soup, const lmb_surface *surface,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, lmb_error *error)
{
    lmbi_fused_slab_job job = {.positions = surface->positions,
                               .triangles = surface->triangles,
                               .triangle_count = surface->triangle_count,
                               .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    cut c = {.soup = soup, .surface = surface};
    lmbi_fused_slab slab;
    job.bounds = lmbi_fused_slab_bounds(&job);
    *out_count = 0;
    return find_slab(&job, &slab) ? cut_off(&c, &job, &slab, alloc, out_triangles, out_count, error)
                                  : LMB_OK;
}
