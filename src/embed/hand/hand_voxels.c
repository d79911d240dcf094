#include "embed/hand/hand.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"

#include <math.h>
#include <string.h>

/// The part of the hand's frame that is voxelised: spread or curled fingers and part of the forearm
/// fit in.
static const lmb_box ROOM = {{-0.75f, -0.55f, -0.6f}, {0.75f, 1.3f, 0.6f}};
/// Shorter branches are no fingers.
static const float SHORTEST = 0.1f;

/// The triangles that reach into ROOM, in the hand's frame.
typedef struct hand_mesh {
    lmbi_triangle_soup soup;
    lmb_vec3 *positions;
    uint32_t *triangles;
    lmb_box box;
} hand_mesh;

static bool are_disjoint(lmb_box a, lmb_box b)
{
    return a.high.x < b.low.x || a.low.x > b.high.x || a.high.y < b.low.y || a.low.y > b.high.y ||
           a.high.z < b.low.z || a.low.z > b.high.z;
}

static lmb_box overlap(lmb_box a, lmb_box b)
{
    return (lmb_box){
        lmb_vec3_make(fmaxf(a.low.x, b.low.x), fmaxf(a.low.y, b.low.y), fmaxf(a.low.z, b.low.z)),
        lmb_vec3_make(fminf(a.high.x, b.high.x), fminf(a.high.y, b.high.y),
                      fminf(a.high.z, b.high.z))};
}

/// Copies corners triangle by triangle, since most of a figure's positions are elsewhere.
static lmb_result copy_triangles(const lmbi_triangle_soup *all, const lmbi_frame *frame,
                                 const lmb_allocator *alloc, hand_mesh *out, lmb_error *error)
{
    size_t count = 0, capacity = 0;
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < all->triangle_count; ++t) {
        const uint32_t *corner = all->triangles + 3 * (size_t)t;
        const lmb_vec3 p[3] = {lmbi_frame_to(frame, all->positions[corner[0]]),
                               lmbi_frame_to(frame, all->positions[corner[1]]),
                               lmbi_frame_to(frame, all->positions[corner[2]])};
        const lmb_box bounds = lmb_box_of(p, 3);
        if (are_disjoint(bounds, ROOM)) {
            continue;
        }
        void *items = out->positions;
        const bool room = lmbi_grow(alloc, &items, &capacity, count + 3, sizeof *out->positions);
        out->positions = items;
        if (!room) {
            return lmbi_fail_memory(error);
        }
        memcpy(out->positions + count, p, sizeof p);
        count += 3;
        box = lmb_box_add(lmb_box_add(box, bounds.low), bounds.high);
    }
    out->triangles = lmbi_alloc_array(alloc, count, sizeof *out->triangles);
    if (!out->triangles) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t c = 0; c < count; ++c) {
        out->triangles[c] = c;
    }
    out->soup = (lmbi_triangle_soup){.positions = out->positions,
                                     .position_count = (uint32_t)count,
                                     .triangles = out->triangles,
                                     .triangle_count = (uint32_t)count / 3};
    // A hand is flat: the smaller box saves voxels.
    out->box = overlap(box, ROOM);
    return LMB_OK;
}

/// Makes the wrist the center from which distances are measured.
static lmb_result measure_from_wrist(lmbi_voxel_body *body, lmb_error *error)
{
    float nearest = 1e9f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float d =
            lmb_vec3_length(body->at[s]) - 0.5f * body->depth[body->solid[s]] * body->grid.cell;
        if (d < nearest) {
            nearest = d;
            body->center = body->solid[s];
        }
    }
    return lmbi_body_find_distances(body, error);
}

static lmb_result create_body(const hand_mesh *p, float cell, lmbi_hand_voxels *voxels,
                              lmb_error *error)
{
    lmb_result result =
        lmbi_body_create_trimmed(&p->soup, p->box, cell, 0, voxels->alloc, &voxels->body, error);
    if (result == LMB_ERROR_INVALID) {
        voxels->empty = true; // nothing was solid
        return LMB_OK;
    }
    if (result == LMB_OK) {
        result = measure_from_wrist(&voxels->body, error);
    }
    return result == LMB_OK ? lmbi_body_find_tips(&voxels->body, SHORTEST, voxels->tips,
                                                  &voxels->tip_count, error)
                            : result;
}

lmb_result lmbi_hand_voxels_create(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                                   float cells, const lmb_allocator *alloc, lmbi_hand_voxels *out,
                                   lmb_error *error)
{
    lmbi_hand_voxels voxels = {.alloc = alloc, .body.alloc = alloc};
    voxels.frame =
        (lmbi_frame){.axes = {palm->across, palm->along, lmb_vec3_cross(palm->across, palm->along)},
                     .origin = palm->wrist,
                     .size = palm->length};
    hand_mesh p = {0};
    lmb_result result = copy_triangles(soup, &voxels.frame, alloc, &p, error);
    voxels.empty = result == LMB_OK && p.soup.triangle_count == 0;
    if (result == LMB_OK && !voxels.empty) {
        result = create_body(&p, 1 / cells, &voxels, error);
    }
    voxels.corners = p.positions;
    voxels.corner_count = p.soup.position_count;
    lmbi_free(alloc, p.triangles);
    if (result != LMB_OK) {
        lmbi_hand_voxels_destroy(&voxels);
        return result;
    }
    *out = voxels;
    return LMB_OK;
}

lmb_result lmbi_hand_voxels_find_paths(lmbi_hand_voxels *voxels, lmb_error *error)
{
    voxels->paths =
        lmbi_alloc_array(voxels->alloc, lmbi_grid_count(&voxels->body.grid), sizeof *voxels->paths);
    return voxels->paths ? lmbi_medial_paths(&voxels->body, voxels->paths, error)
                         : lmbi_fail_memory(error);
}

void lmbi_hand_voxels_destroy(lmbi_hand_voxels *voxels)
{
    lmbi_body_destroy(&voxels->body);
    lmbi_free(voxels->alloc, voxels->paths);
    lmbi_free(voxels->alloc, voxels->corners);
    *voxels = (lmbi_hand_voxels){.alloc = voxels->alloc, .body.alloc = voxels->alloc};
}
