/// Where limbs end, and their lines. Tips are local maxima of the geodesic distance from the center,
/// ranked by the persistence of their branch: the merge tree of the superlevel sets (Edelsbrunner,
/// Letscher, Zomorodian 2002), found by one sweep with union-find.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/union_find.h"
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
    uint32_t at = s->count < LMBI_MAX_TIPS ? s->count++ : LMBI_MAX_TIPS;
    for (; at > 0 && s->tips[at - 1].length < t.length; --at) {
        if (at < LMBI_MAX_TIPS) {
            s->tips[at] = s->tips[at - 1];
        }
    }
    if (at < LMBI_MAX_TIPS) {
        s->tips[at] = t;
    }
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

/// Joins a voxel with the branches around it. These are in the grid: its outermost layer is air.
static void visit_voxel(sweep *s, uint32_t v)
{
    const lmbi_grid *g = &s->body->grid;
    uint32_t own = v, *up = s->up;
    up[v] = v;
    for (int n = 0; n < 27; ++n) {
        const ptrdiff_t step =
            ((ptrdiff_t)(n / 9 - 1) * g->ny + (n / 3 % 3 - 1)) * g->nx + n % 3 - 1;
        const uint32_t w = (uint32_t)((ptrdiff_t)v + step);
        if (up[w] == UINT32_MAX || up[w] == own) {
            continue;
        }
        const uint32_t root = lmbi_union_root(up, w);
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

/// Visits all solid voxels, the farthest first, of equal ones that of the lowest index. The branch of the
/// farthest ends at the center.
static void sweep_solid(sweep *s, farther *order, farther *other)
{
    const lmbi_voxel_body *body = s->body;
    uint32_t count = 0;
    memset(s->up, 0xff, lmbi_grid_count(&body->grid) * sizeof *s->up);
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const uint32_t v = body->solid[k];
        if (body->geodesic[v] >= 0) {
            order[count++] = (farther){body->geodesic[v], v};
        }
    }
    sort_falling(&order, &other, count);
    for (uint32_t k = 0; k < count; ++k) {
        visit_voxel(s, order[k].voxel);
    }
    if (count > 0) {
        keep_tip(s, order[0].voxel, body->center);
    }
}

lmb_result lmbi_body_find_tips(const lmbi_voxel_body *body, float shortest, lmbi_tip *out,
                               uint32_t *out_count, lmb_error *error)
{
    sweep s = {.body = body, .shortest = shortest / body->grid.cell, .tips = out};
    farther *order = lmbi_alloc_unset(body->alloc, body->solid_count, sizeof *order),
            *other = lmbi_alloc_unset(body->alloc, body->solid_count, sizeof *other);
    s.up = lmbi_alloc_unset(body->alloc, lmbi_grid_count(&body->grid), sizeof *s.up);
    const bool made = order && other && s.up;
    if (made) {
        sweep_solid(&s, order, other);
    }
    lmbi_free(body->alloc, order);
    lmbi_free(body->alloc, other);
    lmbi_free(body->alloc, s.up);
    for (uint32_t k = 0; k < s.count; ++k) {
        measure_radius(body, &out[k]);
    }
    *out_count = s.count;
    return made ? LMB_OK : lmbi_fail_memory(error);
}

// ---- lines

lmb_result lmbi_medial_paths(const lmbi_voxel_body *body, uint32_t *out_previous, lmb_error *error)
{
    const size_t voxels = lmbi_grid_count(&body->grid);
    float *slowness = lmbi_alloc_unset(body->alloc, voxels, sizeof(float));
    float *distance = lmbi_alloc_unset(body->alloc, voxels, sizeof(float));
    const bool made = slowness && distance;
    for (uint32_t s = 0; made && s < body->solid_count; ++s) {
        const uint32_t v = body->solid[s];
        const float d = body->depth[v] + 0.3f;
        slowness[v] = 100.0f / (d * d);
    }
    const lmbi_geodesic_job job = {.grid = &body->grid,
                                   .cells = body->cells,
                                   .slowness = slowness,
                                   .seeds = &body->center,
                                   .seed_count = 1,
                                   .out_distance = distance,
                                   .out_previous = out_previous};
    const lmb_result result =
        made ? lmbi_geodesic(&job, body->alloc, error) : lmbi_fail_memory(error);
    lmbi_free(body->alloc, slowness);
    lmbi_free(body->alloc, distance);
    return result;
}

enum { MAX_STEPS = 2048 };

static void smooth_line(lmb_vec3 *p, uint32_t count, int rounds)
{
    for (int r = 0; r < rounds; ++r) {
        lmb_vec3 before = p[0];
        for (uint32_t k = 1; k + 1 < count; ++k) {
            const lmb_vec3 here = p[k];
            const lmb_vec3 ends = lmb_vec3_lerp(before, p[k + 1], 0.5f);
            p[k] = lmb_vec3_lerp(here, ends, 0.5f);
            before = here;
        }
    }
}

static void resample_line(const lmb_vec3 *p, uint32_t count, float total, lmbi_limb_profile *out)
{
    out->count = LMBI_LIMB_SAMPLES;
    out->step = total / (float)(LMBI_LIMB_SAMPLES - 1);
    float before = 0;
    uint32_t k = 0;
    for (uint32_t n = 0; n < out->count; ++n) {
        const float arc = out->step * (float)n;
        float length = k + 1 < count ? lmb_vec3_distance(p[k], p[k + 1]) : 0;
        while (k + 2 < count && before + length < arc) {
            before += length;
            ++k;
            length = lmb_vec3_distance(p[k], p[k + 1]);
        }
        const float t = length > 0 ? fminf(1, (arc - before) / length) : 0;
        out->at[n] = k + 1 < count ? lmb_vec3_lerp(p[k], p[k + 1], t) : p[k];
    }
}

void lmbi_limb_from_points(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                           lmbi_limb_profile *out)
{
    float total = 0;
    for (uint32_t k = 1; k < count; ++k) {
        total += lmb_vec3_distance(p[k - 1], p[k]);
    }
    memset(out, 0, sizeof *out);
    resample_line(p, count, total, out);
    for (uint32_t n = 0; n < out->count; ++n) {
        out->depth[n] = lmbi_field_sample(&body->grid, body->depth, out->at[n]) * body->grid.cell;
    }
}

void lmbi_limb_trace(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t tip,
                     lmbi_limb_profile *out)
{
    lmb_vec3 p[MAX_STEPS];
    uint32_t count = 0, v = tip, before;
    do {
        p[count++] = lmbi_grid_center(&body->grid, v);
        before = v;
        v = previous[v];
    } while (v != before && count < MAX_STEPS);
    smooth_line(p, count, 12);
    lmbi_limb_from_points(body, p, count, out);
}

lmb_vec3 lmbi_limb_point(const lmbi_limb_profile *limb, float arc)
{
    const float x = fminf(fmaxf(arc / fmaxf(limb->step, 1e-6f), 0), (float)(limb->count - 1));
    const uint32_t k = (uint32_t)x < limb->count - 1 ? (uint32_t)x : limb->count - 2;
    return lmb_vec3_lerp(limb->at[k], limb->at[k + 1], x - (float)k);
}

float lmbi_limb_root(const lmbi_voxel_body *body, const lmbi_limb_profile *line,
                     const lmbi_tip *tip)
{
    const bool own = tip->length < 0.8f * tip->geodesic;
    const float most = own ? 1.25f * tip->length : 0.9f * tip->geodesic;
    const uint32_t last = (uint32_t)fminf(most / fmaxf(line->step, 1e-6f), (float)line->count - 1);
    float thick = 0;
    for (uint32_t k = 1; k <= last / 2; ++k) {
        thick += line->depth[k] / (float)(last / 2);
    }
    uint32_t root = last / 2;
    while (root < last && line->depth[root] < 1.7f * thick + 0.5f * body->grid.cell) {
        ++root;
    }
    return (float)root * line->step;
}

float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc)
{
    const lmb_vec3 a = lmbi_limb_point(line, low), b = lmbi_limb_point(line, high);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    float best = 0;
    *out_arc = 0.5f * (low + high);
    const float edge = 0.08f * (high - low);
    for (float arc = low + edge; arc < high - edge; arc += 0.5f * fmaxf(line->step, 1e-5f)) {
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(line, arc), a);
        const float off = lmb_vec3_length(lmb_vec3_mad(d, along, -lmb_vec3_dot(d, along)));
        if (off > best) {
            best = off;
            *out_arc = arc;
        }
    }
    return best;
}

static void insert_arc(float *arcs, uint32_t count, float arc)
{
    uint32_t at = count;
    while (at > 0 && arcs[at - 1] < arc) {
        arcs[at] = arcs[at - 1];
        --at;
    }
    arcs[at] = arc;
}

void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs)
{
    const float straight = 0.035f * (high - low);
    for (uint32_t n = 0; n < count; ++n) {
        float most = straight, longest = 0, at = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            float arc;
            const float off = lmbi_limb_bend(line, end, top, &arc);
            if (off > most) {
                most = off;
                at = arc;
            } else if (!(most > straight) && top - end > longest) {
                longest = top - end;
                at = 0.5f * (top + end);
            }
        }
        insert_arc(out_arcs, n, at);
    }
}
