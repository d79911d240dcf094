/// A mesh in the frame of an upright figure: x to its left, y up, z forward, one unit tall, feet at
/// y = 0, mirror plane at x = 0.
#ifndef EMBED_HUMAN_FIGURE_H
#define EMBED_HUMAN_FIGURE_H

#include "embed/human/pose_hypothesis.h"
#include "embed/match/search.h"
#include "embed/shape/voxel_cache.h"

/// An arm that has no tip; its guessed joints are among the landmarks.
typedef struct lmbi_arm_guess {
    bool made, missing; ///< missing: there is only a stump
    lmb_vec3 hand_tip;
} lmbi_arm_guess;

typedef struct lmbi_figure {
    lmbi_frame frame;    ///< one unit is the height
    lmb_vec3 *positions; ///< [soup position_count] in the figure's space
    lmbi_triangle_soup soup;
    lmbi_voxel_body body; ///< in the figure's space
    uint32_t *paths;      ///< of lmbi_medial_paths; NULL before they are needed
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmbi_pose_hypothesis pose; ///< in the figure's space
    lmbi_landmarks landmarks;  ///< in the figure's space
    lmbi_arm_guess guess[2];
    bool borrowed; ///< positions, body and paths belong to another figure
    const lmb_allocator *alloc;
} lmbi_figure;

typedef struct lmbi_figure_opts {
    lmbi_pose_opts pose;
    const lmbi_landmarks *landmarks; ///< in the mesh's space, or NULL
} lmbi_figure_opts;

/// `cache` is in the mesh's own axes. Errors:
/// UNSUPPORTED if the mesh does not look like a standing figure; MEMORY.
lmb_result lmbi_figure_create(lmbi_voxel_cache *cache, const lmbi_figure_opts *opts,
                              lmbi_figure *out, lmb_error *error);
/// The same in the pose of a reading of a variant's voxels: limbs end at the tips nearest to the
/// reading's, and an arm or the legs without tips are guessed. If `alike`, another figure of that
/// variant or NULL, has the same frame its voxels are borrowed: it must outlive the result. Errors:
/// UNSUPPORTED if limbs cannot be guessed; MEMORY.
lmb_result lmbi_figure_from_reading(const lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                    const lmbi_reading *reading, const lmbi_figure *alike,
                                    lmbi_figure *out, lmb_error *error);
void lmbi_figure_destroy(lmbi_figure *figure);

// ---- the parts of the work

/// The frame of an upright figure in this pose, one unit tall, and its extent in the mesh's units.
/// With a symmetric part, a staff beside the body does not add to its height.
lmbi_frame lmbi_upright_frame(const lmbi_voxel_cache *cache, const lmbi_pose_hypothesis *pose,
                              lmbi_voxel_variant variant, lmb_vec3 *extent);
/// Moves the voxels of a variant from the cache to the figure, and destroys the cache.
void lmbi_figure_take_voxels(lmbi_voxel_cache *cache, lmbi_voxel_variant variant, lmbi_figure *f);

/// Fills an UNSUPPORTED error with what the shape looks like and what would be needed, and returns
/// the code.
lmb_result lmbi_refuse_figure(const lmbi_figure *figure, lmb_error *error);

/// Whether four or more tips are on the ground in the file's own vertical although the figure's up
/// axis is another one: an animal on its legs, mistaken for a figure that stands on its tail or
/// nose.
bool lmbi_on_all_fours(const lmbi_figure *figure);
/// The number of tips on the ground, including the feet.
uint32_t lmbi_ground_ends(const lmbi_figure *figure);

#endif
