/// What a user knows of a figure: points of it, by name.
#ifndef EMBED_HUMAN_LANDMARKS_H
#define EMBED_HUMAN_LANDMARKS_H

#include "embed/shape/frame.h"
#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

typedef struct lmbi_landmark_point {
    bool set;
    lmb_vec3 at;
} lmbi_landmark_point;

/// The points of a humanoid that were marked.
typedef struct lmbi_landmarks {
    uint32_t count; ///< of those that are set
    lmbi_landmark_point joint[LMB_BODY_JOINTS];
    lmbi_landmark_point chin, groin;
} lmbi_landmarks;

/// The landmarks and body joints of a humanoid among the markers, in the mesh's space.
lmbi_landmarks lmbi_landmarks_read(const lmb_marker *markers, uint32_t count);
/// Some name is one of a humanoid alone ("chin", "leftKnee").
bool lmbi_landmarks_are_human(const lmb_marker *markers, uint32_t count);
lmbi_landmarks lmbi_landmarks_in_frame(const lmbi_landmarks *landmarks, const lmbi_frame *frame);

/// Which way is up by what lies above what (along the nearest axis of the frame), and where the
/// figure looks by what is left; each zero where the marks do not tell. `up` may be known already.
void lmbi_landmarks_axes(const lmbi_landmarks *landmarks, lmb_vec3 *up, lmb_vec3 *forward);

/// What the marks say of the tips: which of them end a marked limb. LMB_NONE where nothing is
/// marked.
typedef struct lmbi_landmark_tips {
    int32_t hand[2], foot[2]; ///< left, right
} lmbi_landmark_tips;
/// May exchange tips, and add one where a marked limb ends in none. `up` may be zero.
lmbi_landmark_tips lmbi_landmarks_match_tips(const lmbi_landmarks *landmarks,
                                             const lmbi_voxel_body *body, lmb_vec3 up,
                                             lmbi_tip *tips, uint32_t *tip_count);
/// Both arms and both legs are marked: there is a figure, whatever it looks like.
bool lmbi_landmarks_on_all_limbs(const lmbi_landmarks *landmarks);

/// In a figure's space: a point marked on one side alone holds for its mirror image where the limbs
/// of both sides are in one pose, as `alike` tells for arms and legs.
void lmbi_landmarks_mirror(lmbi_landmarks *landmarks, const bool alike[2]);

/// Puts joints exactly where the markers are, as the user gave them, whatever was found.
/// Errors: INVALID for a name that the skeleton does not have.
lmb_result lmbi_markers_apply(const lmb_marker *markers, uint32_t count, lmb_embedding *embedding,
                              lmb_error *error);

#endif
