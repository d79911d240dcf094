#include "rig/solid.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"

static const double MOST_VOXELS = 6e6;
/// Most samples per bone; even the shortest has one.
enum { MOST_STEPS = 4096 };

static lmb_result choose_grid(const lmb_surface *surface, uint32_t across, lmbi_grid *out,
                              lmb_error *error)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * surface->triangle_count; ++c) {
        box = lmb_box_add(box, surface->positions[surface->triangles[c]]);
    }
    const lmb_vec3 d = lmb_vec3_sub(box.high, box.low);
    const float size = fmaxf(d.x, fmaxf(d.y, d.z));
    if (surface->triangle_count == 0 || !(size > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent", "%u triangles",
                         surface->triangle_count);
    }
    double cell = (double)size / across;
    for (;; cell *= 1.1) {
        const double voxels =
            ((double)d.x / cell + 3) * ((double)d.y / cell + 3) * ((double)d.z / cell + 3);
        if (voxels <= MOST_VOXELS) {
            break;
        }
    }
    return lmbi_grid_around(box, (float)cell, 1, out, error);
}

static lmb_result fill(const lmb_surface *surface, const lmbi_grid *grid, uint8_t *cells,
                       const lmb_allocator *alloc, lmb_error *error)
{
    lmbi_voxels_mark(grid, surface->positions, surface->triangles, surface->triangle_count, cells);
    const lmb_result result = lmbi_voxels_fill(grid, 0, cells, alloc, error);
    return result == LMB_OK ? lmbi_voxels_connect(grid, 0, 0, cells, alloc, error) : result;
}

static uint32_t count_solid(const uint8_t *cells, size_t all)
{
    uint32_t count = 0;
    for (size_t v = 0; v < all; ++v) {
        count += cells[v] != 0;
    }
    return count;
}

/// Voxelises at the finest allowed resolution. The caller frees the cells.
static lmb_result make_cells(const lmb_surface *surface, uint32_t across, uint32_t most,
                             const lmb_allocator *alloc, uint8_t **out, lmbi_solid *solid,
                             lmb_error *error)
{
    for (;; across = across * 3 / 4) {
        lmb_result result = choose_grid(surface, across, &solid->grid, error);
        if (result != LMB_OK) {
            return result;
        }
        const size_t all = lmbi_grid_count(&solid->grid);
        uint8_t *cells = lmbi_alloc_array(alloc, all, 1);
        result = cells ? fill(surface, &solid->grid, cells, alloc, error) : lmbi_fail_memory(error);
        solid->count = result == LMB_OK ? count_solid(cells, all) : 0;
        if (result == LMB_OK && (solid->count <= most || across < 16)) {
            *out = cells;
            return LMB_OK;
        }
        lmbi_free(alloc, cells);
        if (result != LMB_OK) {
            return result;
        }
    }
}

lmb_result lmbi_solid_create(const lmb_surface *surface, uint32_t across, uint32_t most,
                             lmbi_arena *arena, lmbi_solid *out, lmb_error *error)
{
    lmbi_solid solid = {0};
    uint8_t *cells = NULL;
    const lmb_result result =
        make_cells(surface, across, most, arena->alloc, &cells, &solid, error);
    if (result != LMB_OK) {
        return result;
    }
    const size_t all = lmbi_grid_count(&solid.grid);
    uint32_t at = 0;
    solid.number = lmbi_arena_array(arena, all, sizeof *solid.number);
    solid.voxels = lmbi_arena_array(arena, solid.count, sizeof *solid.voxels);
    for (size_t v = 0; solid.number && solid.voxels && v < all; ++v) {
        solid.number[v] = cells[v] ? at : UINT32_MAX;
        if (cells[v]) {
            solid.voxels[at++] = (uint32_t)v;
        }
    }
    lmbi_free(arena->alloc, cells);
    *out = solid;
    return solid.number && solid.voxels ? LMB_OK : lmbi_fail_memory(error);
}

static bool in_grid(const lmbi_grid *g, lmb_vec3 p)
{
    const lmb_vec3 at = lmb_vec3_scale(lmb_vec3_sub(p, g->low), 1 / g->cell);
    return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < (float)g->nx && at.y < (float)g->ny &&
           at.z < (float)g->nz;
}

static uint32_t steps_of(const lmbi_solid *solid, const lmbi_bone_segment *bone, float step)
{
    const float length = lmb_vec3_distance(bone->head, bone->tail) / (step * solid->grid.cell);
    return length >= MOST_STEPS ? MOST_STEPS : 1 + (uint32_t)length;
}

static uint32_t nearest_to_bone(const lmbi_solid *solid, const lmbi_bone_segment *bone)
{
    float best = INFINITY;
    uint32_t which = UINT32_MAX;
    lmb_vec3 at;
    for (uint32_t v = 0; v < solid->count; ++v) {
        const float d =
            lmbi_bone_distance(bone, lmbi_grid_center(&solid->grid, solid->voxels[v]), &at);
        if (d < best) {
            best = d;
            which = v;
        }
    }
    return which;
}

lmb_result lmbi_solid_bones(const lmbi_solid *solid, const lmbi_heat *heat, float step,
                            lmbi_arena *arena, lmbi_bone_voxel **out, uint32_t *out_count,
                            lmb_error *error)
{
    size_t room = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        room += steps_of(solid, &heat->bones->items[b], step);
    }
    lmbi_bone_voxel *list = lmbi_arena_array(arena, room, sizeof *list);
    if (!list || room > UINT32_MAX) {
        return lmbi_fail_memory(error);
    }
    uint32_t count = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const lmbi_bone_segment *bone = &heat->bones->items[b];
        const uint32_t steps = steps_of(solid, bone, step), before = count;
        for (uint32_t k = 0; k < steps; ++k) {
            const lmb_vec3 p =
                lmb_vec3_lerp(bone->head, bone->tail, ((float)k + 0.5f) / (float)steps);
            const uint32_t v = in_grid(&solid->grid, p)
                                   ? solid->number[lmbi_grid_voxel_at(&solid->grid, p)]
                                   : UINT32_MAX;
            if (v != UINT32_MAX) {
                list[count++] = (lmbi_bone_voxel){v, heat->slot_of_bone[b]};
            }
        }
        if (count == before && solid->count > 0) {
            list[count++] = (lmbi_bone_voxel){nearest_to_bone(solid, bone), heat->slot_of_bone[b]};
        }
    }
    *out = list;
    *out_count = count;
    return LMB_OK;
}

uint32_t lmbi_solid_at(const lmbi_solid *solid, lmb_vec3 point)
{
    const lmbi_grid *g = &solid->grid;
    const size_t own = lmbi_grid_voxel_at(g, point);
    if (solid->number[own] != UINT32_MAX) {
        return solid->number[own];
    }
    const int32_t i = (int32_t)(own % (size_t)g->nx), j = (int32_t)(own / (size_t)g->nx) % g->ny,
                  k = (int32_t)(own / ((size_t)g->nx * (size_t)g->ny));
    float best = INFINITY;
    uint32_t which = UINT32_MAX;
    for (int n = 0; n < 27; ++n) {
        const int32_t a = i + n % 3 - 1, b = j + n / 3 % 3 - 1, c = k + n / 9 - 1;
        if (a < 0 || b < 0 || c < 0 || a >= g->nx || b >= g->ny || c >= g->nz) {
            continue;
        }
        const size_t v = lmbi_grid_index(g, a, b, c);
        const float d = lmb_vec3_distance(lmbi_grid_center(g, v), point);
        if (solid->number[v] != UINT32_MAX && d < best) {
            best = d;
            which = solid->number[v];
        }
    }
    return which;
}
