/// A mesh in the frame of an upright figure: x to its left, y up, z forward, one unit tall, feet at
/// y = 0, mirror plane at x = 0.
#ifndef EMBED_HUMAN_FIGURE_H
#define EMBED_HUMAN_FIGURE_H

#include "embed/human/landmarks.h"
#include "embed/match/search.h"
#include "embed/shape/voxel_cache.h"

/// An arm that has no tip; its guessed joints are among the landmarks.
typedef struct lmbi_arm_guess {
    bool made, missing; ///< missing: there is only a stump
    lmb_vec3 hand_tip;
} lmbi_arm_guess;

/// Which tips are hands, feet and head.
typedef struct lmbi_figure_pose {
    uint32_t foot[2], hand[2]; ///< index in the tips; [0] is the left one
    int32_t head;              ///< index in the tips, or -1 if the top of the trunk is no tip
    bool armless;              ///< no tips qualify as hands: `hand` repeats the feet
    bool footless;             ///< no tips qualify as feet: `foot` repeats the hands
    bool asymmetric;           ///< left and right limbs are in different poses
} lmbi_figure_pose;

typedef struct lmbi_figure {
    lmbi_frame frame;          ///< one unit is the height
    lmbi_triangle_soup soup;   ///< in the figure's space, as all that follows; the cache owns it
    lmbi_voxelisation *voxels; ///< the cache's
    lmbi_voxel_body body;      ///< of the voxels
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmbi_figure_pose pose;
    lmbi_landmarks landmarks; ///< in the figure's space
    lmbi_arm_guess guess[2];
    bool traced;                              ///< limbs have lines of their own
    lmbi_tip_line hand_line[2], foot_line[2]; ///< in the figure's space
    lmb_vec3 middle;                          ///< the centroid of the reading's voxels there
    const lmb_allocator *alloc;
} lmbi_figure;

/// A mesh in the pose of a reading of a variant's voxels: limbs end at the tips nearest to the
/// reading's, and an arm or the legs without tips are guessed. The cache must outlive it. Errors:
/// UNSUPPORTED if limbs cannot be guessed; MEMORY. `landmarks` are in the mesh's space, or NULL.
lmb_result lmbi_figure_from_reading(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                    const lmbi_reading *reading, const lmbi_landmarks *landmarks,
                                    lmbi_figure *out, lmb_error *error);
/// Fills frame, middle, and the lines of the limbs: traced is false if one has none.
void lmbi_figure_trace(const lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                       const lmbi_reading *reading, lmbi_figure *figure);

/// Fills an UNSUPPORTED error with what the shape looks like and what would be needed, and returns
/// the code.
lmb_result lmbi_refuse_figure(const lmbi_figure *figure, lmb_error *error);

// ---- limbs without tips: arms fused with the sides of the body or missing, legs under a robe

/// For a figure known by its feet and its head alone. A tip that can only be a hand becomes one.
/// For an arm without a tip, the figure's landmarks get shoulder, elbow and wrist: along the outer
/// edge of the body, or in the stump of a missing arm. `figure->guess` says which. False where no
/// arms can be.
bool lmbi_hidden_arms(lmbi_figure *figure);

/// For a figure without feet, as in a robe down to the ground: adds two tips on the ground as feet.
void lmbi_hidden_legs(lmbi_figure *figure);

#endif
