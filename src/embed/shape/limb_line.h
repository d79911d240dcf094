/// The medial line of a limb and its cross-sections.
#ifndef EMBED_SHAPE_LIMB_LINE_H
#define EMBED_SHAPE_LIMB_LINE_H

#include "embed/human/figure.h"

enum { LMBI_LIMB_SAMPLES = 160 };

/// From the tip to the center of the body, at equal steps.
typedef struct lmbi_limb_profile {
    uint32_t count;
    float step; ///< arc length between samples, in heights
    lmb_vec3 at[LMBI_LIMB_SAMPLES];
    float depth[LMBI_LIMB_SAMPLES]; ///< radius of the largest ball inside the solid there
    /// of the cross-section perpendicular to the line, in square heights
    float area[LMBI_LIMB_SAMPLES];
} lmbi_limb_profile;

/// Paths to the center along deep voxels: [voxels] next voxel on the path. Errors: MEMORY.
lmb_result lmbi_medial_paths(const lmbi_voxel_body *body, uint32_t *out_previous, lmb_error *error);
/// The path from a tip, smoothed and resampled. Areas are left at 0.
void lmbi_limb_trace(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t tip,
                     lmbi_limb_profile *out);
/// A limb straight through the given points, the tip first, and from the last one along `previous`
/// to the center.
void lmbi_limb_trace_through(const lmbi_voxel_body *body, const uint32_t *previous,
                             const lmb_vec3 *through, uint32_t count, lmbi_limb_profile *out);
/// A limb along a polyline, the tip first. Areas are left at 0.
void lmbi_limb_from_points(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                           lmbi_limb_profile *out);
/// The arc of the sample nearest to a point.
float lmbi_limb_arc(const lmbi_limb_profile *limb, lmb_vec3 p);
/// Direction along the limb, away from the tip.
lmb_vec3 lmbi_limb_direction(const lmbi_limb_profile *limb, uint32_t sample);
lmb_vec3 lmbi_limb_point(const lmbi_limb_profile *limb, float arc);
/// Area of the cross-section through p perpendicular to `normal`: the component that contains p, no
/// farther from it than `reach`. Its centroid goes to `out_center`, which may be NULL. `scratch`
/// has room for LMBI_SECTION_CELLS * LMBI_SECTION_CELLS bytes.
float lmbi_section_area(const lmbi_voxel_body *body, lmb_vec3 p, lmb_vec3 normal, float reach,
                        uint8_t *scratch, lmb_vec3 *out_center);
enum { LMBI_SECTION_CELLS = 97 };

/// Sorts in ascending order, for medians of areas.
void lmbi_sort_floats(float *values, uint32_t count);

#endif
