/// A mesh as what joints are found in: a solid of voxels, the ends and lines of its limbs, its mirror plane,
/// distances along its surface, and the slab that it stands on.
#ifndef EMBED_SHAPE_SHAPE_H
#define EMBED_SHAPE_SHAPE_H

#include "geometry/adjacency.h"
#include "geometry/volume.h"
#include "limber/base.h"
#include "limber/embed.h"
#include "limber/geometry.h"
#include "limber/math.h"
#include "math/scalar.h"

#include <math.h>

// ---- A frame of reference for measuring bodies: axes, origin and unit.

typedef struct lmbi_frame {
    lmb_vec3 axes[3]; ///< left, up, forward in the mesh's space
    lmb_vec3 origin;  ///< in the mesh's space
    float size;       ///< length of a unit in the mesh's unit
} lmbi_frame;

/// The mirror image across x = 0.
static inline lmb_vec3 lmbi_mirrored(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}
/// Coordinates along three axes.
static inline lmb_vec3 lmbi_along_axes(lmb_vec3 p, const lmb_vec3 axes[3])
{
    return lmb_vec3_make(lmb_vec3_dot(p, axes[0]), lmb_vec3_dot(p, axes[1]),
                         lmb_vec3_dot(p, axes[2]));
}
/// The point with these coordinates along three axes.
static inline lmb_vec3 lmbi_from_axes(lmb_vec3 p, const lmb_vec3 axes[3])
{
    return lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(axes[0], p.x), axes[1], p.y), axes[2], p.z);
}
static inline lmb_vec3 lmbi_frame_to(const lmbi_frame *f, lmb_vec3 p)
{
    return lmbi_along_axes(lmb_vec3_scale(lmb_vec3_sub(p, f->origin), 1 / f->size), f->axes);
}
static inline lmb_vec3 lmbi_frame_from(const lmbi_frame *f, lmb_vec3 p)
{
    return lmb_vec3_mad(f->origin, lmbi_from_axes(p, f->axes), f->size);
}

static inline float lmbi_longest_side(lmb_vec3 size)
{
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

/// Distance of p from the segment from a to b.
static inline float lmbi_segment_distance(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b)
{
    const lmb_vec3 along = lmb_vec3_sub(b, a);
    const float square = lmb_vec3_dot(along, along);
    const float t =
        square > 0 ? lmbi_saturatef(lmb_vec3_dot(lmb_vec3_sub(p, a), along) / square) : 0;
    return lmb_vec3_distance(p, lmb_vec3_mad(a, along, t));
}

// ---- A triangle soup: triangles without connectivity, and conversions to a welded surface.

/// Triangles in one frame; the arrays belong to the caller.
typedef struct lmbi_triangle_soup {
    const lmb_vec3 *positions;
    uint32_t position_count;
    const uint32_t *triangles;
    uint32_t triangle_count;
    bool closed; ///< known to be closed: every edge has an even number of triangles
} lmbi_triangle_soup;

/// Bounds of the triangles.
lmb_box lmbi_soup_bounds(const lmbi_triangle_soup *soup);
/// Bounds of the triangles along three axes.
lmb_box lmbi_soup_bounds_along(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3]);
/// Second moments of the surface about its centroid, each triangle weighted by its area; the lower triangle is set.
void lmbi_soup_moments(const lmbi_triangle_soup *soup, double out[3][3]);
/// The soup in a frame, with positions that belong to the caller, also on failure. Errors: MEMORY.
lmb_result lmbi_soup_in_frame(const lmbi_triangle_soup *soup, const lmbi_frame *frame,
                              const lmb_allocator *alloc, lmbi_triangle_soup *out,
                              lmb_vec3 **out_positions, lmb_error *error);

/// Welds vertices by position. *out is NULL on failure. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_surface(const lmbi_triangle_soup *soup, bool keep_degenerate,
                             const lmb_allocator *alloc, lmb_surface **out, lmb_error *error);
/// Sets `closed` where every edge has an even number of triangles. Such a surface has no holes, even where its
/// shells intersect. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_find_closed(lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                 lmb_error *error);

// ---- A mesh as a solid of voxels, with depths and geodesic distances from its center.

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

/// The part of a mesh in a box, without a center yet. The cuts at the sides of the box count as closed. On failure the
/// body is destroyed. Errors: INVALID for a mesh too flat or too small to enclose anything; MEMORY.
lmb_result lmbi_body_create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                               int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                               lmb_error *error);
/// Chooses the center, and computes the distances from it. Errors: MEMORY.
lmb_result lmbi_body_find_center(lmbi_voxel_body *body, lmb_error *error);
/// Fills `geodesic` and `previous` from body->center. Errors: MEMORY.
lmb_result lmbi_body_find_distances(lmbi_voxel_body *body, lmb_error *error);
void lmbi_body_destroy(lmbi_voxel_body *body);

/// The solid voxel nearest to p of those connected to the center.
uint32_t lmbi_body_nearest_voxel(const lmbi_voxel_body *body, lmb_vec3 p);

/// Whether the voxel at p, or one beside it, is solid.
bool lmbi_body_is_near(const lmbi_voxel_body *body, lmb_vec3 p);

/// Largest geodesic distance over largest depth: 1 for a ball, 1.7 for a cube, 7 for a human.
float lmbi_body_slimness(const lmbi_voxel_body *body);

/// The end of a limb: a local maximum of the geodesic distance.
typedef struct lmbi_tip {
    uint32_t voxel;
    lmb_vec3 position;
    lmb_vec3 base;  ///< where its branch joins one that reaches farther
    float geodesic; ///< distance to the center, in units of the frame
    float length;   ///< how far it protrudes: its geodesic distance minus that of `base`
    float radius;   ///< largest depth on the outer 60% of the branch
} lmbi_tip;

enum { LMBI_MAX_TIPS = 40 };

/// The limb tips with the longest branches, longest first: at most LMBI_MAX_TIPS, none shorter than
/// `shortest`. Errors: MEMORY.
lmb_result lmbi_body_find_tips(const lmbi_voxel_body *body, float shortest, lmbi_tip *out,
                               uint32_t *out_count, lmb_error *error);

// ---- The medial line of a limb and its cross-sections.

enum { LMBI_LIMB_SAMPLES = 160 };

/// From the tip to the center of the body, at equal steps.
typedef struct lmbi_limb_profile {
    uint32_t count;
    float step; ///< arc length between samples, in heights
    lmb_vec3 at[LMBI_LIMB_SAMPLES];
    float depth[LMBI_LIMB_SAMPLES]; ///< radius of the largest ball inside the solid there
} lmbi_limb_profile;

/// Paths to the center along deep voxels: [voxels] next voxel on the path. Errors: MEMORY.
lmb_result lmbi_medial_paths(const lmbi_voxel_body *body, uint32_t *out_previous, lmb_error *error);
/// The path from a tip, smoothed and resampled.
void lmbi_limb_trace(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t tip,
                     lmbi_limb_profile *out);
/// A limb along a polyline, the tip first.
void lmbi_limb_from_points(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                           lmbi_limb_profile *out);
lmb_vec3 lmbi_limb_point(const lmbi_limb_profile *limb, float arc);
/// The arc at which the limb from a tip ends: where it becomes 1.7 times as thick as its outer
/// half, at most the length of its branch.
float lmbi_limb_root(const lmbi_voxel_body *body, const lmbi_limb_profile *line,
                     const lmbi_tip *tip);

/// The arc in (low, high) where the line is farthest from the straight line between both; returns
/// that distance.
float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc);

/// The `count` sharpest bends of the line between two arcs, found by recursive subdivision; a
/// straight part is halved instead. In descending order: the first is nearest to `high`.
void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs);

// ---- The mirror plane of a body.

/// Refines a guess: rotates `normal` (unit, orthogonal to `up`) about `up` by up to 15 degrees and
/// shifts `offset` (of the plane along the normal, in the body's frame) to minimise the mean
/// difference of depths between both sides. Returns that difference in voxels, 0 to 3.
float lmbi_mirror_refine(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 *normal, float *offset);

/// A mirror plane: the points p with normal . p == offset.
typedef struct lmbi_mirror {
    lmb_vec3 normal; ///< unit, orthogonal to the up axis
    float offset;
    float miss; ///< mean difference of depths between both sides, in voxels, 0 to 3
} lmbi_mirror;

enum { LMBI_MIRRORS = 4 };

/// The planes with `up` in them that mirror the body best, the best first, and at last the one that
/// files usually have, across x, unless one of them is near it: a stride or a wave turns the others.
/// With `forward` (unit, or zero) only the plane that contains it. Returns their number.
uint32_t lmbi_mirror_scan(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 forward,
                          lmbi_mirror out[LMBI_MIRRORS]);

// ---- Axes along which a body is looked at: left, up and forward.

enum { LMBI_MOST_AXES = 12 };

/// Those along which a mesh may stand in its file: up as told, or along +Y and, if that is not what the file says, +Z; forward
/// as told or along each of the other axes, the usual one first. Returns their number.
uint32_t lmbi_standing_axes(const lmb_embed_opts *opts, lmb_vec3 out[LMBI_MOST_AXES][3]);
/// Those of the mirror planes of a body that mirror it best, with up as told or along each axis, the usual ones first; both
/// facings, unless forward is told. Returns their number.
uint32_t lmbi_mirror_axes(const lmbi_voxel_body *body, const lmb_embed_opts *opts,
                          lmb_vec3 out[LMBI_MOST_AXES][3]);
/// The logarithm of how often bodies stand along an axis: most as told, or along those that lmbi_standing_axes has.
float lmbi_up_prior(const lmb_embed_opts *opts, lmb_vec3 up);
/// The logarithm of how often files whose up axis is Y or Z have bodies that face this way: most face +Z, or -Y where Z is
/// up.
float lmbi_facing_prior(lmb_vec3 up, lmb_vec3 forward);

// ---- The main body of a mesh.

/// Writes the triangles of the main body into out_triangles [3 * triangle_count], in their order: those
/// of the largest connected piece and of what touches it, without flat pieces as wide as a figure.
/// With `plane` (of the body, in the mesh's space, or NULL) also those of long pieces on one side of
/// it that have a twin on the other, and without those that have none: *out_holds. Errors: MEMORY.
lmb_result lmbi_main_body_find(const lmbi_triangle_soup *soup, const lmbi_mirror *plane,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, bool *out_holds, lmb_error *error);

// ---- Slabs: flat bases that a figure stands on.

/// Marks in `out` [vertex_count] the vertices of slabs under the embedding: of pieces that are
/// slabs and lie below its lowest joint, or else of a slab that is connected with the body. Errors:
/// MEMORY.
lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error);

/// Writes the triangles above the slab that the body stands on into out_triangles [3 *
/// triangle_count], in their order, followed by triangles that close the holes of the cut; none if
/// there is no slab. Errors: MEMORY.
lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error);

// ---- A mesh as a solid in a frame, with the tips of its limbs.

typedef struct lmbi_body_shape {
    lmbi_frame frame;
    lmbi_triangle_soup soup; ///< in the frame
    lmb_vec3 *positions;     ///< of the soup; NULL where they belong to a voxel cache
    lmbi_voxel_body body;
    lmb_box box; ///< of the solid
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    uint32_t *paths; ///< [voxels] next voxel on a medial path to the center; NULL in a voxel cache
    const lmb_allocator *alloc;
} lmbi_body_shape;

/// Two sizes of voxels of one mesh. The first are coarse; the second, which the thresholds of creatures were set for,
/// leave the air under the body outside.
typedef enum lmbi_voxel_variant {
    LMBI_VOXELS_COARSE,
    LMBI_VOXELS_CREATURE,
    LMBI_VOXEL_VARIANTS,
} lmbi_voxel_variant;

/// A mesh in its own axes, with the origin at the middle of its bounds and the longest side 1. Each variant is computed
/// when it is first asked for; humans, other kinds and busts share them.
typedef struct lmbi_voxel_cache {
    const lmbi_triangle_soup *mesh;
    lmbi_frame frame;
    lmb_vec3 *positions;     ///< of `soup`
    lmbi_triangle_soup soup; ///< in the frame
    lmb_vec3 extent;         ///< in units of the frame
    float volume;            ///< of the solid, estimated, in cubic units of the frame
    lmbi_body_shape variant[LMBI_VOXEL_VARIANTS];
    struct lmbi_volume *seen; ///< the whole mesh along its own axes (volume.h), or NULL
    const lmb_allocator *alloc;
} lmbi_voxel_cache;

/// The mesh must outlive the cache. Errors: INVALID for no triangles or no extent; MEMORY.
lmb_result lmbi_voxel_cache_create(const lmbi_triangle_soup *mesh, const lmb_allocator *alloc,
                                   lmbi_voxel_cache *out, lmb_error *error);
void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache);
/// One variant, owned by the cache. Errors: MEMORY.
lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_body_shape **out, lmb_error *error);

/// The shape in other axes: `left` and `up` are orthogonal units. The plane left . p == offset, in the frame of the
/// cache, becomes x = 0, the lowest point y = 0. On failure it is destroyed. Errors: MEMORY.
lmb_result lmbi_body_shape_create_rotated(const lmbi_voxel_cache *cache, lmb_vec3 left, lmb_vec3 up,
                                          float offset, lmbi_body_shape *out, lmb_error *error);
void lmbi_body_shape_destroy(lmbi_body_shape *shape);

/// The medial line of a slender body between the two ends that are farthest apart along it. Distances and paths of the
/// shape are from one of them then. Errors: MEMORY.
lmb_result lmbi_body_line(lmbi_body_shape *shape, lmbi_limb_profile *out, lmb_error *error);

/// The tip nearest to p, or NULL.
const lmbi_tip *lmbi_nearest_tip(const lmbi_body_shape *shape, lmb_vec3 p);

#endif
