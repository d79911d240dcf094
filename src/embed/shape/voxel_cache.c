#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

/// Limb tips shorter than this, in units, are noise.
static const float SHORTEST = 0.02f;

/// Most solid voxels of one body. Thick bodies need no fine voxels; a human has 50 000.
static const float MOST_SOLID = 3e5f;
/// Voxels along the longest side for a first estimate of the volume.
static const float ROUGH = 48;

float lmbi_choose_cell_size(lmb_vec3 extent, float volume, float wanted, float most)
{
    const float thin = 0.05f;
    const float box = fmaxf(extent.x, thin) * fmaxf(extent.y, thin) * fmaxf(extent.z, thin);
    float cell = wanted;
    while (box > most * cell * cell * cell || volume > MOST_SOLID * cell * cell * cell) {
        cell *= 1.25f;
    }
    return cell;
}

int lmbi_open_axis_below(const lmbi_triangle_soup *soup)
{
    return soup->closed ? LMB_OPEN_NOWHERE : -2;
}

void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache)
{
    for (int variant = 0; variant < LMBI_VOXEL_VARIANTS; ++variant) {
        lmbi_body_destroy(&cache->variant[variant].body);
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
    result = lmbi_voxels_fill(&grid, 0, cells, l->alloc, error);
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

static lmb_result create_body(lmbi_voxel_cache *l, lmbi_voxel_variant variant,
                              lmbi_voxelisation *out, lmb_error *error)
{
    const int open = variant == LMBI_VOXELS_CREATURE ? lmbi_open_axis_below(&l->soup) : 0;
    const lmb_result result =
        lmbi_body_create(&l->soup, l->cells[variant], open, l->alloc, &out->body, error);
    return result == LMB_OK
               ? lmbi_body_find_tips(&out->body, SHORTEST, out->tips, &out->tip_count, error)
               : result;
}

lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_voxelisation **out, lmb_error *error)
{
    lmbi_voxelisation *entry = &cache->variant[variant];
    if (!entry->made) {
        const lmb_result result = create_body(cache, variant, entry, error);
        if (result != LMB_OK) {
            lmbi_body_destroy(&entry->body);
            return result;
        }
        entry->made = true;
    }
    *out = entry;
    return LMB_OK;
}
