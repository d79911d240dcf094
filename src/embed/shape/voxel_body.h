/// The solid that the rigger works on: a mesh as voxels, with depths and distances from its middle.
#ifndef EMBED_SHAPE_VOXEL_BODY_H
#define EMBED_SHAPE_VOXEL_BODY_H

#include "embed/shape/triangle_soup.h"
#include "geometry/volume.h"
#include "limber/base.h"
#include "limber/geometry.h"
#include "limber/math.h"

typedef struct lmbi_voxel_body {
    lmb_grid grid;
    uint8_t *cells;
    float *depth;    ///< [voxels] distance to the air, in cells
    uint32_t *solid; ///< the voxels that are not air, rising
    lmb_vec3 *at;    ///< [solid_count] their centres
    uint32_t solid_count;
    uint32_t center; ///< the voxel that stands for the middle of the body
    lmb_vec3 centroid;
    float *geodesic;    ///< [voxels] geodesic distance from center, in cells; negative in the air
    uint32_t *previous; ///< [voxels] next voxel on the way to center
    const lmb_allocator *alloc;
} lmbi_voxel_body;

/// Errors: INVALID for a mesh too flat or too small to hold anything; MEMORY.
lmb_result lmbi_body_create(const lmbi_triangle_soup *soup, float cell, int open_axis,
                            const lmb_allocator *alloc, lmbi_voxel_body *out, lmb_error *error);
/// The same for what lies in a box, without a center yet; what the box cuts open counts as closed.
lmb_result lmbi_body_create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                               int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                               lmb_error *error);
/// Marks the voxels that hold surface, and leaves the outermost layer free.
void lmbi_body_mark_surface(const lmb_grid *grid, const lmbi_triangle_soup *soup, uint8_t *cells);
/// The same from voxels that are told already; `cells` becomes the body's own, on failure it is
/// freed.
lmb_result lmbi_body_create_from_cells(const lmb_grid *grid, uint8_t *cells,
                                       const lmb_allocator *alloc, lmbi_voxel_body *out,
                                       lmb_error *error);
/// A body as lmbi_body_create_in makes it, without a center yet, from such voxels. Errors: INVALID
/// for nothing that could be filled; MEMORY.
lmb_result lmbi_body_create_trimmed(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                                    int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                                    lmb_error *error);
/// Finds the middle of a body without a center, and measures. Errors: MEMORY; the body is destroyed
/// then.
lmb_result lmbi_body_find_center(lmbi_voxel_body *body, lmb_error *error);
/// Fills reach and previous from body->center. Errors: MEMORY.
lmb_result lmbi_body_find_distances(lmbi_voxel_body *body, lmb_error *error);
/// The same body with limbs cut loose that touch it: between places next to each other whose ways
/// from the middle, each through the deepest flesh there is, differ in length by more than `limit`.
/// Nothing is made, and *out_parted false, where there is no such place. Errors: MEMORY.
lmb_result lmbi_body_split_limbs(const lmbi_voxel_body *body, float limit, bool *out_parted,
                                 lmbi_voxel_body *out, lmb_error *error);
/// Turns a body with a center by half about y: what it shows of the mesh in the frame that looks the
/// other way. Errors: MEMORY; the body may only be destroyed then.
lmb_result lmbi_body_rotate_half_turn(lmbi_voxel_body *body, lmb_error *error);
void lmbi_body_destroy(lmbi_voxel_body *body);

/// The solid voxel nearest to p of those connected to the center.
uint32_t lmbi_body_nearest_voxel(const lmbi_voxel_body *body, lmb_vec3 p);

/// The farthest way from the middle over the deepest place: 1 for a ball, 1.7 for a cube, 7 for a
/// human.
float lmbi_body_slimness(const lmbi_voxel_body *body);

/// Where a limb ends: a place farther from the middle than all around it.
typedef struct lmbi_tip {
    uint32_t voxel;
    lmb_vec3 position;
    lmb_vec3 base;  ///< where its branch meets another one that reaches farther
    float geodesic; ///< geodesic distance to the middle, in units of the frame
    float length;   ///< how far it sticks out: reach minus the reach of base
    float radius;   ///< largest depth on the outer 60% of the branch
} lmbi_tip;

/// Turns a tip as lmbi_body_rotate_half_turn turns its body; `grid`: the body's, turned or not
/// yet, its size is the same.
void lmbi_tip_rotate_half_turn(const lmb_grid *grid, lmbi_tip *tip);

enum { LMBI_MAX_TIPS = 40 };

/// The tips with the longest branches, longest first, at most LMBI_MAX_TIPS of them, none shorter
/// than `shortest`. Errors: MEMORY.
lmb_result lmbi_body_find_tips(const lmbi_voxel_body *body, float shortest, lmbi_tip *out,
                               uint32_t *out_count, lmb_error *error);

/// The lowest points of the solid along `up`, longest branch first, none shorter than `shortest`:
/// where legs meet the ground. `base` is where the branch meets another one, `length` how far a
/// point rises before it meets a lower one. Errors: MEMORY.
lmb_result lmbi_body_find_feet(const lmbi_voxel_body *body, lmb_vec3 up, float shortest,
                               lmbi_tip *out, uint32_t *out_count, lmb_error *error);

// ---- slices

/// The depth-weighted middle of the solid at one height between two distances from the mirror plane
/// (x0 < x1); false where there is air.
bool lmbi_slice_center(const lmbi_voxel_body *body, float y, float x0, float x1, lmb_vec3 *out);
/// The middle of the solid about a guess, at its height: what is farther than two radii counts
/// nothing (two steps of a mean shift). The guess itself in the air.
lmb_vec3 lmbi_slice_near(const lmbi_voxel_body *body, lmb_vec3 guess, float radius);
/// The largest depth over z at a column of the grid, in heights.
float lmbi_column_depth(const lmbi_voxel_body *body, float x, float y);

#endif
