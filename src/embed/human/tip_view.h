/// The tips of a solid as seen with one axis taken as up, and planes that may halve it.
#ifndef EMBED_HUMAN_TIP_VIEW_H
#define EMBED_HUMAN_TIP_VIEW_H

#include "embed/human/pose_hypothesis.h"

/// Lengths in heights of the body.
typedef struct lmbi_seen_tip {
    lmb_vec3 flat; ///< position without its part along up
    float height, base_height, reach, length;
} lmbi_seen_tip;

typedef struct lmbi_stance_view {
    const lmbi_voxel_body *body;
    lmb_vec3 up;
    float low, size;
    lmb_vec3 center_flat;
    float center_height;
    /// the mirror plane is known: at right angles to `side`, through the origin
    bool mirrored;
    lmb_vec3 side;
    uint32_t count;
    lmbi_seen_tip tips[LMBI_MAX_TIPS];
} lmbi_stance_view;

lmbi_stance_view lmbi_stance_look(const lmbi_voxel_body *body, const lmbi_tip *tips,
                                  uint32_t tip_count, lmb_vec3 up);

/// A mirror plane: unit normal and a point of it, in heights.
typedef struct lmbi_stance_plane {
    lmb_vec3 normal, middle;
} lmbi_stance_plane;

/// The plane that two pairs of tips suggest.
lmbi_stance_plane lmbi_plane_between(const lmbi_stance_view *v, const uint32_t foot[2],
                                     const uint32_t hand[2]);
float lmbi_plane_across(const lmbi_stance_plane *m, lmb_vec3 p);
/// How high the solid reaches on a plane, in heights.
float lmbi_plane_top(const lmbi_stance_view *v, const lmbi_stance_plane *m);

/// How far two tips lie before the middle along `axis`, in heights.
float lmbi_reach_along(const lmbi_stance_view *v, uint32_t a, uint32_t b, lmb_vec3 axis);
/// The higher end of the branches of two tips.
float lmbi_base_of(const lmbi_stance_view *v, const uint32_t hand[2]);
/// Length of the longest tip that is no part of the figure.
float lmbi_spare_length(const lmbi_stance_view *v, const lmbi_stance *s);

/// A figure of these tips, with costs of 0. `head` may be -1.
lmbi_stance lmbi_stance_of(const lmbi_stance_view *v, const lmbi_stance_plane *m,
                           const uint32_t foot[2], const uint32_t hand[2], int32_t head);

static inline lmb_vec3 lmbi_flat(lmb_vec3 p, lmb_vec3 up)
{
    return lmb_vec3_mad(p, up, -lmb_vec3_dot(p, up));
}

static inline float lmbi_over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

#endif
