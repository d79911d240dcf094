/// The limb tips relative to a candidate up axis, and mirror planes that they suggest.
#ifndef EMBED_HUMAN_TIP_VIEW_H
#define EMBED_HUMAN_TIP_VIEW_H

#include "embed/cost.h"
#include "embed/human/pose_hypothesis.h"

/// Lengths in heights of the body.
typedef struct lmbi_viewed_tip {
    lmb_vec3 flat; ///< position without its component along up
    float height, base_height, geodesic, length;
} lmbi_viewed_tip;

typedef struct lmbi_tip_view {
    const lmbi_voxel_body *body;
    lmb_vec3 up;
    float low, size;
    lmb_vec3 center_flat;
    float center_height;
    /// the mirror plane is known: orthogonal to `side`, through the origin
    bool mirrored;
    lmb_vec3 side;
    uint32_t count;
    lmbi_viewed_tip tips[LMBI_MAX_TIPS];
} lmbi_tip_view;

lmbi_tip_view lmbi_tip_view_make(const lmbi_voxel_body *body, const lmbi_tip *tips,
                                 uint32_t tip_count, lmb_vec3 up);

/// A mirror plane: unit normal and a point of it, in heights.
typedef struct lmbi_body_mirror {
    lmb_vec3 normal, middle;
} lmbi_body_mirror;

/// The mirror plane that two pairs of tips suggest.
lmbi_body_mirror lmbi_body_mirror_between(const lmbi_tip_view *v, const uint32_t foot[2],
                                          const uint32_t hand[2]);
float lmbi_body_mirror_distance(const lmbi_body_mirror *m, lmb_vec3 p);
/// How high the solid extends on a plane, in heights.
float lmbi_body_mirror_top(const lmbi_tip_view *v, const lmbi_body_mirror *m);

/// Mean offset of two tips from the center along `axis`, in heights.
float lmbi_pair_offset_along(const lmbi_tip_view *v, uint32_t a, uint32_t b, lmb_vec3 axis);
/// Length of the longest tip that is no part of the figure.
float lmbi_unused_tip_length(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s);

/// How far toes lie before shins along `axis`, both sides added, in heights.
float lmbi_toes_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                     lmb_vec3 axis);
/// Above 0 where the body faces along `axis`: a sum of hints in heights.
float lmbi_facing_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                       lmb_vec3 axis);

/// A hypothesis with these tips and costs of 0. `head` may be -1.
lmbi_pose_hypothesis lmbi_pose_hypothesis_make(const lmbi_tip_view *v, const lmbi_body_mirror *m,
                                               const uint32_t foot[2], const uint32_t hand[2],
                                               int32_t head);

static inline lmb_vec3 lmbi_horizontal_part(lmb_vec3 p, lmb_vec3 up)
{
    return lmb_vec3_mad(p, up, -lmb_vec3_dot(p, up));
}

#endif
