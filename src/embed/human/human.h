/// The human: its joints as a network sees them in the whole body, points that the user gives, and the skeleton of both.
#ifndef EMBED_HUMAN_HUMAN_H
#define EMBED_HUMAN_HUMAN_H

#include "embed/shape/shape.h"
#include "embed/volume/volume.h"
#include "limber/embed.h"
#include "mapping/body_joint.h"

// ---- Joints as a network sees them in the whole body.

/// What is seen: the joints of the limbs, which are upper arm, forearm, hand, thigh, shin and foot of the left arm, the
/// right arm, the left leg and the right leg; then those beside them.
typedef enum lmbi_seen_joint {
    LMBI_LIMB_JOINTS = 12,
    LMBI_SEEN_HIPS = LMBI_LIMB_JOINTS,
    LMBI_SEEN_SPINE, ///< the middle of the spine, from hips to neck
    LMBI_SEEN_NECK,
    LMBI_SEEN_HEAD,
    LMBI_SEEN_CROWN, ///< the top of the head
    LMBI_SEEN_LEFT_HAND_END,
    LMBI_SEEN_RIGHT_HAND_END,
    LMBI_SEEN_LEFT_TOE_END,
    LMBI_SEEN_RIGHT_TOE_END,
    LMBI_SEEN_JOINTS,
} lmbi_seen_joint;

/// The joints as seen in a volume.
typedef struct lmbi_seen_joints {
    lmb_vec3 at[LMBI_SEEN_JOINTS];  ///< in the mesh's space
    float chance[LMBI_SEEN_JOINTS]; ///< that the joint is near, 0 to 1
    float sure;                     ///< the mean of those of the limbs
    float least;                    ///< the mean of the three least sure joints of the limbs
} lmbi_seen_joints;

/// The body joint of each joint of the limbs.
extern const int lmbi_limb_joints[LMBI_LIMB_JOINTS];
/// The same joint of the other side, which is itself in the middle.
int lmbi_other_seen_joint(int joint);

/// A look at the mesh of a cache, which must outlive it, along the axes of a human that stands or sits in it: left, up,
/// forward, orthonormal. Where the figure is small beside what it holds, or what lies about, it is looked at closer. *out is
/// NULL on failure. Errors: INVALID for a mesh without an extent; MEMORY.
typedef struct lmbi_sight lmbi_sight;
lmb_result lmbi_sight_create(lmbi_volume_network *network, lmbi_voxel_cache *body,
                             const lmb_vec3 axes[3], lmbi_sight **out, lmbi_seen_joints *joints,
                             lmb_error *error);
/// Looks once more, from a little to the left, the right, above and below: the joints are where all looks together tell
/// them. Once for each sight: what was told straight is part of the mean afterwards. Errors: MEMORY.
lmb_result lmbi_sight_look_beside(lmbi_sight *s, lmbi_seen_joints *joints, lmb_error *error);
void lmbi_sight_destroy(lmbi_sight *s);

// ---- A figure: the joints that are seen along the likeliest axes.

typedef struct lmbi_seen_figure {
    lmb_vec3 axes[3];      ///< left, up and forward
    lmbi_seen_joints seen; ///< from the front
    lmbi_voxel_cache
        *body;    ///< of the mesh that was looked at, which may be without what one hand holds
    float chance; ///< that all limb joints are right, but for their sides
    float facing; ///< the chance that the front is the front, and so of the sides
} lmbi_seen_figure;

/// The network that sees humans, and the axes that meshes were looked along.
enum { LMBI_MOST_LOOKS = 4 * LMBI_MOST_AXES };

typedef struct lmbi_human_looks {
    lmbi_volume_network *network;
    uint32_t count;
    struct {
        const lmbi_voxel_cache *body;
        lmb_vec3 up, forward; ///< or backward
    } list[LMBI_MOST_LOOKS];
} lmbi_human_looks;

/// Whether a figure is so likely that nothing else needs to be looked at but the mesh without what it holds.
bool lmbi_seen_clearly(const lmbi_seen_figure *seen);
/// The plane between left and right through the middle of shoulders and hips.
lmbi_mirror lmbi_plane_of_figure(const lmbi_seen_figure *seen);
/// Sees the mesh of a cache as it stands in its file, with up and forward as told, or else up along +Y and, if that is not
/// what the file says, +Z, and forward along each of the other axes. Until one is likely; keeps the likeliest of these and
/// `best`, whose chance is below 0 where nothing was seen yet. Errors: INVALID for a mesh without an extent; MEMORY.
lmb_result lmbi_see_standing(lmbi_human_looks *looks, lmbi_voxel_cache *body,
                             const lmb_embed_opts *opts, lmbi_seen_figure *best, lmb_error *error);
/// The same along the mirror planes of the mesh, unless what was seen is clear; with the up axis of what is likely.
lmb_result lmbi_see_along_mirrors(lmbi_human_looks *looks, lmbi_voxel_cache *body,
                                  const lmb_embed_opts *opts, lmbi_seen_figure *best,
                                  lmb_error *error);

// ---- Landmarks: points of a figure that the user gives by name.

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
/// Whether both arms and both legs have landmarks, so that the mesh is accepted as a figure whatever its shape.
bool lmbi_landmarks_on_all_limbs(const lmbi_landmarks *landmarks);
lmbi_landmarks lmbi_landmarks_in_frame(const lmbi_landmarks *landmarks, const lmbi_frame *frame);

/// Sets `up` (the nearest axis of the frame, unless given) from the heights of landmarks, and `forward` from left and
/// right ones. Each stays as it is if the landmarks do not determine it.
void lmbi_landmarks_axes(const lmbi_landmarks *landmarks, lmb_vec3 *up, lmb_vec3 *forward);

/// In a figure's space: copies landmarks of one side to the other where the joints of both limbs are mirror images, and
/// moves the joints of limbs to their landmarks; a joint between two moves along.
void lmbi_landmarks_move(lmbi_landmarks *landmarks, lmb_vec3 joints[LMBI_BODY_JOINTS]);

/// Moves joints exactly to their markers. Errors: INVALID for a name that the skeleton does not have.
lmb_result lmbi_markers_apply(const lmb_joint_marker *markers, uint32_t count,
                              lmb_embedding *embedding, lmb_error *error);

// ---- All joints of a figure.

/// Index distance from a left joint to its right twin.
enum { LMBI_ARM_JOINTS = 4, LMBI_LEG_JOINTS = 4 };

/// The skeleton of a figure without fingers. `landmarks` are in the mesh's space.
/// Errors: MEMORY.
lmb_result lmbi_place_human(const lmbi_seen_figure *figure, const lmbi_landmarks *landmarks,
                            lmb_embedding *out, lmb_error *error);

/// Moves joints of the limbs to where the rigid pieces of their two bones meet, if on both sides most of these lie along one
/// bone each, as pieces of machines, dolls and toys do and clothes do not; `met` says which. The soup and the joints, placed
/// so far as the network sees them, are in the frame of a figure. Errors: MEMORY.
lmb_result lmbi_joints_to_pieces(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                 lmb_vec3 at[LMBI_BODY_JOINTS], bool met[LMBI_LIMB_JOINTS],
                                 lmb_error *error);
extern const char lmbi_pieces_meet[]; ///< the reason of such a joint

/// Puts the joints of an arm that is missing into its stump, with lmbi_arm_missing as reason, and gives hanging arms
/// lmbi_arm_hidden from which to the trunk all is solid.
void lmbi_rate_seen_arms(const lmbi_voxel_cache *cache, lmb_embedding *e);
/// Ends hands without fingers where they would run into the trunk, which is thicker than the forearm.
void lmbi_end_hands(const lmbi_voxel_cache *cache, lmb_embedding *e);
extern const char lmbi_arm_hidden[], lmbi_arm_missing[];

#endif
