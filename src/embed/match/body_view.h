/// A body as it looks with an up axis, a mirror plane and a facing: measurements of the whole and
/// of its limb tips that templates compare.
#ifndef EMBED_MATCH_BODY_VIEW_H
#define EMBED_MATCH_BODY_VIEW_H

#include "embed/shape/voxel_body.h"

/// Measurements of one limb tip. Lengths are in gyration radii of the solid, so that a raised staff
/// or a long tail hardly changes them.
typedef enum lmbi_tip_feature {
    LMBI_TIP_HEIGHT,    ///< of the tip over the ground, as a fraction of the body's height
    LMBI_TIP_BASE,      ///< the same of the base of its branch
    LMBI_TIP_LENGTH,    ///< logarithm of the branch length
    LMBI_TIP_SIDE,      ///< distance from the mirror plane
    LMBI_TIP_FORE,      ///< how far the tip lies before the centroid
    LMBI_TIP_BASE_FORE, ///< the same of the base
    LMBI_TIP_RADIUS,    ///< logarithm of the largest radius
    LMBI_TIP_POINTS,    ///< how far the outer end of the branch points forward, as toes do
    LMBI_TIP_FEATURES,
} lmbi_tip_feature;

/// Measurements of two tips as the ends of a pair of limbs.
typedef enum lmbi_pair_feature {
    LMBI_PAIR_MIRROR,   ///< distance of one tip from the mirror image of the other
    LMBI_PAIR_GEODESIC, ///< difference of their geodesic distances from the center
    LMBI_PAIR_FEATURES,
} lmbi_pair_feature;

/// Measurements of the whole body.
typedef enum lmbi_body_feature {
    LMBI_BODY_TALL,      ///< logarithm of the standard deviation along up, in gyration radii
    LMBI_BODY_WIDE,      ///< the same along left
    LMBI_BODY_LONG,      ///< the same along forward
    LMBI_BODY_MASS,      ///< height of the centroid as a fraction of the height
    LMBI_BODY_ASYMMETRY, ///< mean difference of depths across the mirror plane, in voxels
    LMBI_BODY_SKEW_FORE, ///< skewness of the solid along forward
    LMBI_BODY_SKEW_UP,   ///< the same along up
    LMBI_BODY_SUPPORT,   ///< how far what touches the ground lies before the centroid
    LMBI_BODY_STANCE,    ///< standard deviation of what touches the ground, along forward
    LMBI_BODY_FEATURES,
} lmbi_body_feature;

/// Measurements of the whole body that only some templates compare. Voxels count by the square of
/// their depth, so that thin tails and ears hardly do.
typedef enum lmbi_own_feature {
    LMBI_OWN_SLIM,   ///< logarithm of the slimness of the solid
    LMBI_OWN_RISE,   ///< how far what is thick rises forward, as necks do
    LMBI_OWN_WEIGHT, ///< how far what is thick lies before the centroid
    LMBI_OWN_FEATURES,
} lmbi_own_feature;

enum { LMBI_VIEW_TIPS = 16 };

typedef struct lmbi_body_view {
    lmb_vec3 left, up, forward; ///< unit; left x up = forward
    float offset;               ///< of the mirror plane, along left
    float low, high;            ///< of the solid along up
    float radius;               ///< gyration radius of the solid
    float body[LMBI_BODY_FEATURES];
    float own[LMBI_OWN_FEATURES];
    uint32_t tip_count;
    float tips[LMBI_VIEW_TIPS][LMBI_TIP_FEATURES];
    lmb_vec3 at[LMBI_VIEW_TIPS]; ///< the tips in the axes of the view, the plane at x = 0
    float geodesic[LMBI_VIEW_TIPS];
    float side[LMBI_VIEW_TIPS]; ///< x of the middle of the path from the tip to the center
} lmbi_body_view;

/// Measures the body with a plane orthogonal to `left` at `offset`. `asymmetry` is the plane's
/// disagreement of depths. Of `tips` the first LMBI_VIEW_TIPS count.
void lmbi_body_view_measure(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                            lmb_vec3 left, lmb_vec3 up, float offset, float asymmetry,
                            lmbi_body_view *out);
/// The same view facing the other way.
void lmbi_body_view_reverse(const lmbi_body_view *view, lmbi_body_view *out);
/// Measures tips a and b as a pair.
void lmbi_body_view_pair(const lmbi_body_view *view, uint32_t a, uint32_t b,
                         float out[LMBI_PAIR_FEATURES]);

#endif
