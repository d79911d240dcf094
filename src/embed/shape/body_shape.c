/// A mesh as a solid in a frame: in its own axes, where two sizes of voxels are kept, or with other ones.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"

#include <math.h>

/// Branches shorter than this, in units, are no limbs.
static const float SHORTEST = 0.02f;
/// Most solid voxels of one body. Thick bodies need no fine voxels; a human has 50 000.
static const float MOST_SOLID = 3e5f;
/// Voxels along the longest side for a first estimate of the volume.
static const float ROUGH = 48;

/// The size of voxels, in units, and the most of them.
static const struct {
    float cell, most;
} SIZES[LMBI_VOXEL_VARIANTS] = {
    [LMBI_VOXELS_COARSE] = {1.0f / 96, 2e6f},
    [LMBI_VOXELS_CREATURE] = {1.0f / 144, 1.2e6f},
};

/// `wanted`, or a larger size, so that a box of `extent` has at most `most` voxels and a solid of
/// `volume` not too many for the time of a search.
static float choose_cell_size(lmb_vec3 extent, float volume, float wanted, float most)
{
    const float thin = 0.05f;
    const float box = fmaxf(extent.x, thin) * fmaxf(extent.y, thin) * fmaxf(extent.z, thin);
    float cell = wanted;
    while (box > most * cell * cell * cell || volume > MOST_SOLID * cell * cell * cell) {
        cell *= 1.25f;
    }
    return cell;
}

void lmbi_body_shape_destroy(lmbi_body_shape *shape)
{
    lmbi_body_destroy(&shape->body);
    lmbi_free(shape->alloc, shape->positions);
    lmbi_free(shape->alloc, shape->paths);
    *shape = (lmbi_body_shape){.alloc = shape->alloc};
}

/// Voxelises the soup of a shape of this extent and volume, and finds the tips of its limbs.
static lmb_result find_solid(lmbi_body_shape *s, lmbi_voxel_variant size, lmb_vec3 extent,
                             float volume, lmb_error *error)
{
    const lmb_box box = lmbi_soup_bounds(&s->soup);
    const float cell = choose_cell_size(extent, volume, SIZES[size].cell, SIZES[size].most);
    // Open below, so that the air under a belly stays outside, unless the surface is closed.
    const int below = s->soup.closed ? LMB_OPEN_NOWHERE : -2;
    const int open = size == LMBI_VOXELS_COARSE ? 0 : below;
    lmb_result result = lmbi_body_create_in(&s->soup, box, cell, open, s->alloc, &s->body, error);
    if (result == LMB_OK) {
        result = lmbi_body_find_center(&s->body, error);
    }
    s->box = lmb_box_empty();
    for (uint32_t k = 0; k < s->body.solid_count; ++k) {
        s->box = lmb_box_add(s->box, s->body.at[k]);
    }
    return result == LMB_OK ? lmbi_body_find_tips(&s->body, SHORTEST, s->tips, &s->tip_count, error)
                            : result;
}

// ---- in the mesh's own axes

void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache)
{
    for (int variant = 0; variant < LMBI_VOXEL_VARIANTS; ++variant) {
        lmbi_body_shape_destroy(&cache->variant[variant]);
    }
    lmbi_free(cache->alloc, cache->positions);
    lmbi_free(cache->alloc, cache->seen);
    *cache = (lmbi_voxel_cache){.alloc = cache->alloc};
}

/// Estimates the volume by counting coarse voxels.
static lmb_result measure_volume(lmbi_voxel_cache *l, lmb_error *error)
{
    lmbi_grid grid;
    lmb_result result = lmbi_grid_around(lmbi_soup_bounds(&l->soup), 1 / ROUGH, 1, &grid, error);
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
    const lmb_box box = lmbi_soup_bounds(mesh);
    const lmb_vec3 extent = lmb_vec3_sub(box.high, box.low);
    l.frame.size = lmbi_longest_side(extent);
    if (mesh->triangle_count == 0 || !(l.frame.size > 0) || !isfinite(l.frame.size)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent",
                         "%u triangles of extent %g", mesh->triangle_count, (double)l.frame.size);
    }
    l.frame.origin = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    l.extent = lmb_vec3_scale(extent, 1 / l.frame.size);
    for (int variant = 0; variant < LMBI_VOXEL_VARIANTS; ++variant) {
        l.variant[variant] = (lmbi_body_shape){.body.alloc = alloc, .alloc = alloc};
    }
    lmb_result result = lmbi_soup_in_frame(mesh, &l.frame, alloc, &l.soup, &l.positions, error);
    if (result == LMB_OK) {
        result = measure_volume(&l, error);
    }
    if (result == LMB_OK) {
        *out = l;
    } else {
        lmbi_voxel_cache_destroy(&l);
    }
    return result;
}

lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_body_shape **out, lmb_error *error)
{
    lmbi_body_shape *s = &cache->variant[variant];
    lmb_result result = LMB_OK;
    if (!s->body.cells) {
        s->frame = cache->frame;
        s->soup = cache->soup;
        result = find_solid(s, variant, cache->extent, cache->volume, error);
        if (result != LMB_OK) {
            lmbi_body_destroy(&s->body);
        }
    }
    *out = s;
    return result;
}

// ---- in other axes

static lmb_result find_paths(lmbi_body_shape *s, lmb_error *error)
{
    s->paths = lmbi_alloc_array(s->alloc, lmbi_grid_count(&s->body.grid), sizeof(uint32_t));
    return s->paths ? lmbi_medial_paths(&s->body, s->paths, error) : lmbi_fail_memory(error);
}

/// The shape in a frame along whose axes the mesh has a box.
static lmb_result create_in_frame(const lmbi_voxel_cache *cache, const lmbi_frame *frame,
                                  const lmb_box *box, lmbi_body_shape *out, lmb_error *error)
{
    const lmb_vec3 extent = lmb_vec3_scale(lmb_vec3_sub(box->high, box->low), 1 / frame->size);
    const float grown = cache->frame.size / frame->size;
    *out = (lmbi_body_shape){.frame = *frame, .body.alloc = cache->alloc, .alloc = cache->alloc};
    lmb_result result =
        lmbi_soup_in_frame(cache->mesh, frame, cache->alloc, &out->soup, &out->positions, error);
    if (result == LMB_OK) {
        result = find_solid(out, LMBI_VOXELS_CREATURE, extent,
                            cache->volume * grown * grown * grown, error);
    }
    if (result == LMB_OK) {
        result = find_paths(out, error);
    }
    if (result != LMB_OK) {
        lmbi_body_shape_destroy(out);
    }
    return result;
}

lmb_result lmbi_body_shape_create_rotated(const lmbi_voxel_cache *cache, lmb_vec3 left, lmb_vec3 up,
                                          float offset, lmbi_body_shape *out, lmb_error *error)
{
    lmbi_frame f = {.axes = {left, up, lmb_vec3_cross(left, up)}, .size = cache->frame.size};
    const lmb_box box = lmbi_soup_bounds_along(cache->mesh, f.axes);
    const float x = lmb_vec3_dot(cache->frame.origin, left) + f.size * offset;
    f.origin = lmbi_from_axes(lmb_vec3_make(x, box.low.y, 0.5f * (box.low.z + box.high.z)), f.axes);
    return create_in_frame(cache, &f, &box, out, error);
}

const lmbi_tip *lmbi_nearest_tip(const lmbi_body_shape *v, lmb_vec3 p)
{
    const lmbi_tip *best = NULL;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        best = !best || lmb_vec3_distance(v->tips[t].position, p) <
                            lmb_vec3_distance(best->position, p)
                   ? &v->tips[t]
                   : best;
    }
    return best;
}
