/// A mesh as a solid of voxels, with depths and geodesic distances from its center.
#ifndef EMBED_SHAPE_VOXEL_BODY_H
#define EMBED_SHAPE_VOXEL_BODY_H

#include "embed/shape/triangle_soup.h"
#include "geometry/volume.h"
#include "limber/base.h"
#include "limber/geometry.h"
#include "limber/math.h"

typedef struct lmbi_voxel_body {
    lmbi_grid grid;
    uint8_t *cells;
    float *depth;    ///< [voxels] distance to the air, in cells
    uint32_t *solid; ///< the voxels that are not air, by rising index
    lmb_vec3 *at;    ///< [solid_count] their centres
    uint32_t solid_count;
    uint32_t center; ///< the voxel that the geodesic distances start from
    lmb_vec3 centroid;
    float *geodesic;    ///< [voxels] geodesic distance from center, in cells; negative in the air
    uint32_t *previous; ///< [voxels] next voxel on the path to center
    const lmb_allocator *alloc;
} lmbi_voxel_body;

/// Errors: INVALID for a mesh too flat or too small to enclose anything; MEMORY.
lmb_result lmbi_body_create(const lmbi_triangle_soup *soup, float cell, int open_axis,
                            const lmb_allocator *alloc, lmbi_voxel_body *out, lmb_error *error);
/// The same for the part of the mesh in a box, without a center yet. The cuts at the sides of the
/// box count as closed.
lmb_result lmbi_body_create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                               int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                               lmb_error *error);
/// Marks the voxels that contain surface, and keeps the outermost layer free.
void lmbi_body_mark_surface(const lmbi_grid *grid, const lmbi_triangle_soup *soup, uint8_t *cells);
/// The same from voxels that are classified already. The body takes ownership of `cells`, also on
/// failure.
lmb_result lmbi_body_create_from_cells(const lmbi_grid *grid, uint8_t *cells,
                                       const lmb_allocator *alloc, lmbi_voxel_body *out,
                                       lmb_error *error);
/// The same as lmbi_body_create_in, but a voxel is solid if its center lies inside the triangles,
/// not if the surface touches it. So parts that are one voxel apart stay separate, where
/// lmbi_body_create_in needs two or three. Errors: INVALID if nothing could be filled; MEMORY.
lmb_result lmbi_body_create_trimmed(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                                    int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                                    lmb_error *error);
/// A body that has a center, in axes that are rotated by half a turn about y. Errors: MEMORY.
lmb_result lmbi_body_create_turned(const lmbi_voxel_body *body, lmbi_voxel_body *out,
                                   lmb_error *error);
/// Paths to the center in the voxels of a body, in the turned axes: both [voxels].
void lmbi_paths_turn(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t *out);
/// The index of a voxel in the turned axes.
static inline uint32_t lmbi_voxel_turned(const lmbi_grid *grid, uint32_t voxel)
{
    const uint32_t nx = (uint32_t)grid->nx, ny = (uint32_t)grid->ny, row = voxel / nx,
                   i = voxel - row * nx, k = row / ny, j = row - k * ny;
    return (((uint32_t)grid->nz - 1 - k) * ny + j) * nx + (nx - 1 - i);
}
/// Chooses the center of a body without one, and computes the distances from it. Errors: MEMORY;
/// then the body is destroyed.
lmb_result lmbi_body_find_center(lmbi_voxel_body *body, lmb_error *error);
/// Fills `geodesic` and `previous` from body->center. Errors: MEMORY.
lmb_result lmbi_body_find_distances(lmbi_voxel_body *body, lmb_error *error);
void lmbi_body_destroy(lmbi_voxel_body *body);

/// The solid voxel nearest to p of those connected to the center.
uint32_t lmbi_body_nearest_voxel(const lmbi_voxel_body *body, lmb_vec3 p);

/// Largest geodesic distance over largest depth: 1 for a ball, 1.7 for a cube, 7 for a human.
float lmbi_body_slimness(const lmbi_voxel_body *body);

enum { LMBI_TIP_LINE = 64, LMBI_TIP_LINES = 12 };

/// The middle of a limb by rings of its surface, from its tip inward as far as to the center.
typedef struct lmbi_tip_line {
    float step; ///< distance along the surface between points
    float fork; ///< the same from the tip to where the branch meets the first other limb
    lmb_vec3 at[LMBI_TIP_LINE];
    float radius[LMBI_TIP_LINE];
} lmbi_tip_line;

lmb_vec3 lmbi_tip_line_point(const lmbi_tip_line *line, float arc);

/// The end of a limb: a local maximum of the geodesic distance.
typedef struct lmbi_tip {
    uint32_t voxel;
    lmb_vec3 position;
    lmb_vec3 base;             ///< where its branch joins one that reaches farther
    float geodesic;            ///< distance to the center, in units of the frame
    float length;              ///< how far it protrudes: its geodesic distance minus that of `base`
    float radius;              ///< largest depth on the outer 60% of the branch
    const lmbi_tip_line *line; ///< of a limb that was found on the surface; NULL: along `previous`
} lmbi_tip;

enum { LMBI_MAX_TIPS = 40 };

/// The limb tips with the longest branches, longest first: at most LMBI_MAX_TIPS, none shorter than
/// `shortest`. Errors: MEMORY.
lmb_result lmbi_body_find_tips(const lmbi_voxel_body *body, float shortest, lmbi_tip *out,
                               uint32_t *out_count, lmb_error *error);

// ---- slices

/// The depth-weighted center of the slice at height y between x0 and x1 (x0 < x1); false where
/// there is air.
bool lmbi_slice_center(const lmbi_voxel_body *body, float y, float x0, float x1, lmb_vec3 *out);
/// The center of the slice near a guess, by two steps of mean shift that ignore what is farther
/// than two radii. The guess itself where there is air.
lmb_vec3 lmbi_slice_near(const lmbi_voxel_body *body, lmb_vec3 guess, float radius);
/// The largest depth over all z at (x, y), in units of the frame.
float lmbi_column_depth(const lmbi_voxel_body *body, float x, float y);

#endif
