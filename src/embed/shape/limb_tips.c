/// Limb tips are local maxima of the geodesic distance from the center, ranked by the persistence
/// of their branch: the merge tree of the superlevel sets (Edelsbrunner, Letscher, Zomorodian
/// 2002), found by one sweep with union-find.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

typedef struct farther {
    float value;
    uint32_t voxel;
} farther;

/// An integer key that rises as the value falls.
static uint32_t falling_key(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? bits : ~bits & 0x7fffffffu;
}

/// Stable radix sort, highest values first, since a comparison sort takes longer than the rest of
/// the sweep. The result ends up in *items.
static void sort_falling(farther **items, farther **other, uint32_t count)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    for (int pass = 0; pass < 3; ++pass) {
        uint32_t first[BUCKETS + 1] = {0};
        const int shift = BITS * pass;
        for (uint32_t k = 0; k < count; ++k) {
            ++first[(falling_key((*items)[k].value) >> shift & (BUCKETS - 1)) + 1];
        }
        for (int b = 0; b < BUCKETS; ++b) {
            first[b + 1] += first[b];
        }
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t b = falling_key((*items)[k].value) >> shift & (BUCKETS - 1);
            (*other)[first[b]++] = (*items)[k];
        }
        farther *swapped = *items;
        *items = *other;
        *other = swapped;
    }
}

static uint32_t root_of(uint32_t *up, uint32_t v)
{
    while (up[v] != v) {
        up[v] = up[up[v]];
        v = up[v];
    }
    return v;
}

static void list_offsets(const lmbi_grid *grid, ptrdiff_t out[26])
{
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            for (int di = -1; di <= 1; ++di) {
                if (di || dj || dk) {
                    out[n++] = ((ptrdiff_t)dk * grid->ny + dj) * grid->nx + di;
                }
            }
        }
    }
}

typedef struct sweep {
    const lmbi_voxel_body *body;
    /// [voxels] union-find parent, UINT32_MAX before the sweep reaches the voxel. A root is the tip
    /// of its branch
    uint32_t *up;
    float shortest; ///< in cells
    lmbi_tip *tips;
    uint32_t count;
} sweep;

/// Inserts by descending length and drops the shortest if the list is full.
static void keep_tip(sweep *s, uint32_t tip, uint32_t base)
{
    const lmbi_voxel_body *body = s->body;
    const float length = body->geodesic[tip] - body->geodesic[base];
    if (length < s->shortest) {
        return;
    }
    const float cell = body->grid.cell;
    const lmbi_tip t = {.voxel = tip,
                        .position = lmbi_grid_center(&body->grid, tip),
                        .base = lmbi_grid_center(&body->grid, base),
                        .geodesic = body->geodesic[tip] * cell,
                        .length = length * cell};
    uint32_t at = s->count < LMBI_MAX_TIPS ? s->count++ : LMBI_MAX_TIPS - 1;
    if (at == LMBI_MAX_TIPS - 1 && s->count == LMBI_MAX_TIPS && s->tips[at].length >= t.length) {
        return;
    }
    while (at > 0 && s->tips[at - 1].length < t.length) {
        s->tips[at] = s->tips[at - 1];
        --at;
    }
    s->tips[at] = t;
}

/// Merges two branches at `v`: the one with the lower maximum ends there. Returns the tip that
/// survives.
static uint32_t join_branches(sweep *s, uint32_t a, uint32_t b, uint32_t v)
{
    const float *field = s->body->geodesic;
    const bool a_farther = field[a] > field[b] || (!(field[a] < field[b]) && a < b);
    const uint32_t lives = a_farther ? a : b, ends = a_farther ? b : a;
    s->up[ends] = lives;
    if (ends != v) {
        keep_tip(s, ends, v);
    }
    return lives;
}

static void visit_voxel(sweep *s, const ptrdiff_t *around, uint32_t v)
{
    uint32_t own = v, *up = s->up;
    up[v] = v;
    for (int n = 0; n < 26; ++n) {
        // Safe without a test of bounds: the outermost layer of the grid is air.
        const uint32_t w = (uint32_t)((ptrdiff_t)v + around[n]);
        if (up[w] == UINT32_MAX || up[w] == own) {
            continue;
        }
        const uint32_t root = root_of(up, w);
        if (root != own) {
            own = join_branches(s, own, root, v);
        }
    }
}

static void measure_radius(const lmbi_voxel_body *body, lmbi_tip *tip)
{
    const float stop = (tip->geodesic - 0.6f * tip->length) / body->grid.cell;
    float deepest = 0;
    for (uint32_t v = tip->voxel; body->geodesic[v] > stop && body->previous[v] != v;
         v = body->previous[v]) {
        deepest = body->depth[v] > deepest ? body->depth[v] : deepest;
    }
    tip->radius = deepest * body->grid.cell;
}

/// Visits all solid voxels, the farthest first. The branch of the farthest ends at the center.
static lmb_result sweep_solid(sweep *s, lmb_error *error)
{
    const lmbi_voxel_body *body = s->body;
    const size_t voxels = lmbi_grid_count(&body->grid);
    farther *order = lmbi_alloc_unset(body->alloc, body->solid_count, sizeof *order),
            *other = lmbi_alloc_unset(body->alloc, body->solid_count, sizeof *other);
    s->up = lmbi_alloc_unset(body->alloc, voxels, sizeof(uint32_t));
    lmb_result result = order && other && s->up ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        for (size_t v = 0; v < voxels; ++v) {
            s->up[v] = UINT32_MAX;
        }
        uint32_t count = 0;
        for (uint32_t k = 0; k < body->solid_count; ++k) {
            if (body->geodesic[body->solid[k]] >= 0) {
                order[count++] = (farther){body->geodesic[body->solid[k]], body->solid[k]};
            }
        }
        ptrdiff_t around[26];
        list_offsets(&body->grid, around);
        sort_falling(&order, &other,
                     count); // of equal values the voxel of the lowest index comes first
        for (uint32_t k = 0; k < count; ++k) {
            visit_voxel(s, around, order[k].voxel);
        }
        if (count > 0) {
            keep_tip(s, order[0].voxel, body->center);
        }
    }
    lmbi_free(body->alloc, order);
    lmbi_free(body->alloc, other);
    lmbi_free(body->alloc, s->up);
    return result;
}

lmb_result lmbi_body_find_tips(const lmbi_voxel_body *body, float shortest, lmbi_tip *out,
                               uint32_t *out_count, lmb_error *error)
{
    sweep s = {.body = body, .shortest = shortest / body->grid.cell, .tips = out};
    const lmb_result result = sweep_solid(&s, error);
    for (uint32_t k = 0; k < s.count; ++k) {
        measure_radius(body, &out[k]);
    }
    *out_count = s.count;
    return result;
}
