/// The middle line of a limb and its cross-sections.
#ifndef EMBED_SHAPE_LIMB_LINE_H
#define EMBED_SHAPE_LIMB_LINE_H

#include "embed/human/figure.h"

enum { LMBI_LIMB_SAMPLES = 160 };

/// From the tip to the middle of the body, at equal steps.
typedef struct lmbi_limb_profile {
    uint32_t count;
    float step; ///< arc length between samples, in heights
    lmb_vec3 at[LMBI_LIMB_SAMPLES];
    float depth[LMBI_LIMB_SAMPLES]; ///< radius of the largest ball there
    /// of the cross-section at right angles to the line, in square heights
    float area[LMBI_LIMB_SAMPLES];
} lmbi_limb_profile;

/// Paths to the middle that keep to the deep: [voxels] next voxel on the way. Errors: MEMORY.
lmb_result lmbi_medial_paths(const lmbi_voxel_body *body, uint32_t *out_previous, lmb_error *error);
/// The path from a tip, smoothed and resampled. Cross-sections are left at 0.
void lmbi_limb_trace(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t tip,
                     lmbi_limb_profile *out);
/// A limb straight through the points, the tip first, and on from the last one as the ways lead.
void lmbi_limb_trace_through(const lmbi_voxel_body *body, const uint32_t *previous,
                             const lmb_vec3 *through, uint32_t count, lmbi_limb_profile *out);
/// A limb along a line of points, the tip first. Cross-sections are left at 0.
void lmbi_limb_from_points(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                           lmbi_limb_profile *out);
/// The arc of the sample nearest to a point.
float lmbi_limb_arc(const lmbi_limb_profile *limb, lmb_vec3 p);
/// Direction along the limb, away from the tip.
lmb_vec3 lmbi_limb_direction(const lmbi_limb_profile *limb, uint32_t sample);
lmb_vec3 lmbi_limb_point(const lmbi_limb_profile *limb, float arc);
/// Area of the piece of the solid that the plane through p cuts and that holds p, no farther than
/// `reach`. `out_center` may be NULL.
/// `scratch` has room for LMBI_SECTION_CELLS * LMBI_SECTION_CELLS bytes.
float lmbi_section_area(const lmbi_voxel_body *body, lmb_vec3 p, lmb_vec3 normal, float reach,
                        uint8_t *scratch, lmb_vec3 *out_center);
enum { LMBI_SECTION_CELLS = 97 };

/// Sorts rising, for medians of areas along a limb.
void lmbi_sort_floats(float *values, uint32_t count);

#endif
