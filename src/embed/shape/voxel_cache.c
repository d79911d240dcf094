#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

/// Limb tips shorter than this, in units, are noise.
static const float SHORTEST = 0.02f;

/// Most solid voxels of one body. A search measures ten to twenty solids at about a third of a
/// microsecond per voxel, and thick bodies need no fine voxels; this keeps it below about two
/// seconds. A human has 50 000.
static const float MOST_SOLID = 3e5f, MOST_SOLID_UPRIGHT = 2.2e5f;
/// Voxels along the longest side for a first estimate of the volume.
static const float ROUGH = 48;

static float choose_cell(lmb_vec3 extent, float volume, float wanted, float most, float most_solid)
{
    const float thin = 0.05f;
    const float box = fmaxf(extent.x, thin) * fmaxf(extent.y, thin) * fmaxf(extent.z, thin);
    float cell = wanted;
    while (box > most * cell * cell * cell || volume > most_solid * cell * cell * cell) {
        cell *= 1.25f;
    }
    return cell;
}

float lmbi_choose_cell_size(lmb_vec3 extent, float volume, float wanted, float most)
{
    return choose_cell(extent, volume, wanted, most, MOST_SOLID);
}

int lmbi_open_axis_below(const lmbi_triangle_soup *soup)
{
    return soup->closed ? LMB_OPEN_NOWHERE : -2;
}

void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache)
{
    for (int variant = 0; variant < LMBI_VOXEL_VARIANTS; ++variant) {
        lmbi_body_destroy(&cache->variant[variant].body);
        lmbi_free(cache->alloc, cache->variant[variant].paths);
    }
    for (lmbi_voxel_cache *own = cache->upright, *next; own; own = next) {
        next = own->next;
        lmbi_voxel_cache_destroy(own);
        lmbi_free(cache->alloc, own);
    }
    lmbi_free(cache->alloc, cache->positions);
    *cache = (lmbi_voxel_cache){.alloc = cache->alloc};
}

/// Transforms the mesh to the frame.
static lmb_result transform_positions(lmbi_voxel_cache *l, lmb_error *error)
{
    for (int variant = 0; variant < LMBI_VOXEL_VARIANTS; ++variant) {
        l->variant[variant].body.alloc = l->alloc;
    }
    l->positions = lmbi_alloc_array(l->alloc, l->mesh->position_count, sizeof(lmb_vec3));
    if (!l->positions) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < l->mesh->position_count; ++p) {
        l->positions[p] = lmbi_frame_to(&l->frame, l->mesh->positions[p]);
    }
    l->soup = *l->mesh;
    l->soup.positions = l->positions;
    return LMB_OK;
}

/// Estimates the volume by counting coarse voxels.
static lmb_result measure_volume(lmbi_voxel_cache *l, lmb_error *error)
{
    const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lmbi_grid grid;
    lmb_result result =
        lmbi_grid_around(lmbi_soup_bounds_along(&l->soup, axes), 1 / ROUGH, 1, &grid, error);
    if (result != LMB_OK) {
        return result;
    }
    const size_t count = lmbi_grid_count(&grid);
    uint8_t *cells = lmbi_alloc_array(l->alloc, count, 1);
    if (!cells) {
        return lmbi_fail_memory(error);
    }
    lmbi_voxels_mark(&grid, l->soup.positions, l->soup.triangles, l->soup.triangle_count, cells);
    result = lmbi_voxels_fill(&grid, l->open_axis, cells, l->alloc, error);
    size_t solid = 0;
    for (size_t v = 0; v < count; ++v) {
        solid += cells[v] != 0;
    }
    l->volume = (float)solid / (ROUGH * ROUGH * ROUGH);
    lmbi_free(l->alloc, cells);
    return result;
}

lmb_result lmbi_voxel_cache_create(const lmbi_triangle_soup *mesh, const lmb_allocator *alloc,
                                   lmbi_voxel_cache *out, lmb_error *error)
{
    lmbi_voxel_cache l = {
        .mesh = mesh, .frame.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .alloc = alloc};
    const lmb_box box = lmbi_soup_bounds_along(mesh, l.frame.axes);
    const lmb_vec3 extent = lmb_vec3_sub(box.high, box.low);
    l.frame.size = lmbi_longest_side(extent);
    if (mesh->triangle_count == 0 || !(l.frame.size > 0) || !isfinite(l.frame.size)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent",
                         "%u triangles of extent %g", mesh->triangle_count, (double)l.frame.size);
    }
    l.frame.origin = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    lmb_result result = transform_positions(&l, error);
    if (result == LMB_OK) {
        result = measure_volume(&l, error);
    }
    if (result != LMB_OK) {
        lmbi_voxel_cache_destroy(&l);
        return result;
    }
    const lmb_vec3 sides = lmb_vec3_scale(extent, 1 / l.frame.size);
    l.cells[LMBI_VOXELS_COARSE] = lmbi_choose_cell_size(sides, l.volume, 1.0f / 96, 2e6f);
    l.cells[LMBI_VOXELS_CREATURE] = lmbi_choose_cell_size(sides, l.volume, 1.0f / 144, 1.2e6f);
    *out = l;
    return LMB_OK;
}

/// Whether `b` is `a`, or is it after half a turn about up.
static bool same_frame(const lmbi_frame *a, const lmbi_frame *b, bool turned)
{
    bool same = a->size - b->size == 0 && lmb_vec3_distance(a->origin, b->origin) <= 0;
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 axis = turned && k != 1 ? lmb_vec3_neg(b->axes[k]) : b->axes[k];
        same = same && lmb_vec3_distance(a->axes[k], axis) <= 0;
    }
    return same;
}

static lmbi_voxel_cache *find_upright(const lmbi_voxel_cache *from, const lmbi_frame *frame,
                                      float cell, bool turned)
{
    lmbi_voxel_cache *own = from->upright;
    while (own && !(same_frame(&own->frame, frame, turned) && own->wanted_cell - cell == 0)) {
        own = own->next;
    }
    return own;
}

/// Adds a cache in the frame of an upright figure.
static lmb_result add_upright(lmbi_voxel_cache *from, const lmbi_frame *frame, lmb_vec3 extent,
                              float cell, lmb_error *error)
{
    lmbi_voxel_cache *l = lmbi_alloc(from->alloc, sizeof *l);
    if (!l) {
        return lmbi_fail_memory(error);
    }
    const lmb_vec3 sides = lmb_vec3_scale(extent, 1 / frame->size);
    const float grown = from->frame.size / frame->size;
    *l = (lmbi_voxel_cache){.mesh = from->mesh,
                            .frame = *frame,
                            .volume = from->volume * grown * grown * grown,
                            .open_axis = -2,
                            .wanted_cell = cell,
                            .from = from,
                            .reverse = find_upright(from, frame, cell, true),
                            .alloc = from->alloc};
    l->cells[LMBI_VOXELS_COARSE] = choose_cell(sides, l->volume, cell, 2e6f, MOST_SOLID_UPRIGHT);
    const lmb_result result = transform_positions(l, error);
    if (result != LMB_OK) {
        lmbi_voxel_cache_destroy(l);
        lmbi_free(from->alloc, l);
        return result;
    }
    l->next = from->upright;
    from->upright = l;
    return LMB_OK;
}

lmb_result lmbi_voxel_cache_upright(lmbi_voxel_cache *from, const lmbi_frame *frame,
                                    lmb_vec3 extent, float cell, lmbi_voxel_cache **out,
                                    lmb_error *error)
{
    lmbi_voxel_cache *own = find_upright(from, frame, cell, false);
    const lmb_result result = own ? LMB_OK : add_upright(from, frame, extent, cell, error);
    *out = own ? own : from->upright;
    return result;
}

static lmb_result create_body(lmbi_voxel_cache *l, lmbi_voxel_variant variant,
                              lmbi_voxelisation *out, lmb_error *error)
{
    const int open =
        variant == LMBI_VOXELS_CREATURE ? lmbi_open_axis_below(&l->soup) : l->open_axis;
    const lmb_result result =
        lmbi_body_create(&l->soup, l->cells[variant], open, l->alloc, &out->body, error);
    return result == LMB_OK
               ? lmbi_body_find_tips(&out->body, SHORTEST, out->tips, &out->tip_count, error)
               : result;
}

static lmb_vec3 half_turn(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, -p.z);
}

static lmb_result turn_paths(const lmbi_voxelisation *from, lmbi_voxelisation *out,
                             lmb_error *error)
{
    const lmbi_voxel_body *body = &from->body;
    out->paths = lmbi_alloc_array(body->alloc, lmbi_grid_count(&body->grid), sizeof *out->paths);
    if (!out->paths) {
        return lmbi_fail_memory(error);
    }
    lmbi_paths_turn(body, from->paths, out->paths);
    return LMB_OK;
}

/// The body, tips and paths of the same figure that faces backward, where these are known.
static lmb_result create_turned(const lmbi_voxel_cache *l, lmbi_voxel_variant variant,
                                lmbi_voxelisation *out, lmb_error *error)
{
    const lmbi_voxelisation *from = &l->reverse->variant[variant];
    const lmb_result result = lmbi_body_create_turned(&from->body, &out->body, error);
    for (uint32_t t = 0; t < from->tip_count && result == LMB_OK; ++t) {
        lmbi_tip *tip = &out->tips[t];
        *tip = from->tips[t];
        tip->voxel = lmbi_voxel_turned(&from->body.grid, tip->voxel);
        tip->position = half_turn(tip->position);
        tip->base = half_turn(tip->base);
    }
    out->tip_count = from->tip_count;
    if (result == LMB_OK && from->paths) {
        return turn_paths(from, out, error);
    }
    return result;
}

lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_voxelisation **out, lmb_error *error)
{
    lmbi_voxelisation *entry = &cache->variant[variant];
    if (!entry->made) {
        const bool turned = cache->reverse && cache->reverse->variant[variant].made;
        const lmb_result result = turned ? create_turned(cache, variant, entry, error)
                                         : create_body(cache, variant, entry, error);
        if (result != LMB_OK) {
            lmbi_body_destroy(&entry->body);
            return result;
        }
        entry->made = true;
    }
    *out = entry;
    return LMB_OK;
}

lmb_result lmbi_voxelisation_paths(lmbi_voxelisation *x, lmb_error *error)
{
    const lmb_allocator *alloc = x->body.alloc;
    uint32_t *paths =
        x->paths ? NULL : lmbi_alloc_array(alloc, lmbi_grid_count(&x->body.grid), sizeof *paths);
    if (x->paths || !paths) {
        return x->paths ? LMB_OK : lmbi_fail_memory(error);
    }
    const lmb_result result = lmbi_medial_paths(&x->body, paths, error);
    if (result != LMB_OK) {
        lmbi_free(alloc, paths);
        return result;
    }
    x->paths = paths;
    return LMB_OK;
}
