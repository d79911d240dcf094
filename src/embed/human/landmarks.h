/// Landmarks: points of a figure that the user gives by name.
#ifndef EMBED_HUMAN_LANDMARKS_H
#define EMBED_HUMAN_LANDMARKS_H

#include "embed/body_joint.h"
#include "embed/shape/frame.h"
#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

typedef struct lmbi_landmark_point {
    bool set;
    lmb_vec3 at;
} lmbi_landmark_point;

/// The landmarks of a humanoid.
typedef struct lmbi_landmarks {
    uint32_t count; ///< number of points that are set
    lmbi_landmark_point joint[LMBI_BODY_JOINTS];
    lmbi_landmark_point chin, groin;
} lmbi_landmarks;

/// The markers of the joints, chin and groin of a humanoid, in the mesh's space.
lmbi_landmarks lmbi_landmarks_read(const lmb_joint_marker *markers, uint32_t count);
/// Whether some name is one that only a humanoid has ("chin", "leftKnee").
bool lmbi_landmarks_are_human(const lmb_joint_marker *markers, uint32_t count);
lmbi_landmarks lmbi_landmarks_in_frame(const lmbi_landmarks *landmarks, const lmbi_frame *frame);

/// Sets `up` (the nearest axis of the frame, unless given) from the heights of landmarks, and
/// `forward` from left and right ones. Each stays as it is if the landmarks do not determine it.
void lmbi_landmarks_axes(const lmbi_landmarks *landmarks, lmb_vec3 *up, lmb_vec3 *forward);

/// The tips at the ends of marked limbs, LMB_NONE where a limb has no landmark.
typedef struct lmbi_landmark_tips {
    int32_t hand[2], foot[2]; ///< left, right
} lmbi_landmark_tips;
/// Matches limb ends with tips. May reorder tips, and adds one where a marked limb ends in none.
/// `up` may be zero.
lmbi_landmark_tips lmbi_landmarks_match_tips(const lmbi_landmarks *landmarks,
                                             const lmbi_voxel_body *body, lmb_vec3 up,
                                             lmbi_tip *tips, uint32_t *tip_count);
/// Whether both arms and both legs have landmarks, so that the mesh is accepted as a figure
/// whatever its shape.
bool lmbi_landmarks_on_all_limbs(const lmbi_landmarks *landmarks);

/// In a figure's space: copies a landmark of one side to the other if both limbs are in the same
/// pose, as `alike` tells for arms and legs.
void lmbi_landmarks_mirror(lmbi_landmarks *landmarks, const bool alike[2]);

/// Moves joints exactly to their markers. Errors: INVALID for a name that the skeleton does not
/// have.
lmb_result lmbi_markers_apply(const lmb_joint_marker *markers, uint32_t count,
                              lmb_embedding *embedding, lmb_error *error);

// ---- figures of blocks: toys whose arms touch the trunk and whose legs touch each other along whole
// faces, so that their solid has no separate limbs

/// Landmarks on the limbs of the figure that the pieces of the mesh form, in the mesh's space: a
/// trunk, a head above it, legs below and arms beside it, each of one piece or more. `up` may be
/// zero. *out_found is false if they form none. Errors: MEMORY.
lmb_result lmbi_block_figure_find(const lmbi_triangle_soup *soup, lmb_vec3 up,
                                  const lmb_allocator *alloc, bool *out_found, lmbi_landmarks *out,
                                  lmb_error *error);

#endif
