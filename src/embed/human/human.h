/// The human: its figure in a mesh, the joints in that, how plausible they are, and the choice among candidates.
#ifndef EMBED_HUMAN_HUMAN_H
#define EMBED_HUMAN_HUMAN_H

#include "embed/body_joint.h"
#include "embed/match/match.h"
#include "embed/shape/shape.h"
#include "limber/embed.h"

// ---- Landmarks: points of a figure that the user gives by name.

typedef struct lmbi_landmark_point {
    bool set;
    lmb_vec3 at;
} lmbi_landmark_point;

/// The landmarks of a humanoid.
typedef struct lmbi_landmarks {
    uint32_t count; ///< number of points that are set
    bool seen;      ///< by a network, which may see the figure from behind, not told by the user
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

// ---- A mesh in the frame of an upright figure: x to its left, y up, z forward, one unit tall, feet at
// y = 0, mirror plane at x = 0.

/// Which tips are hands, feet and head.
typedef struct lmbi_figure_pose {
    uint32_t foot[2], hand[2]; ///< index in the tips; [0] is the left one
    int32_t head;              ///< index in the tips, or -1 if the top of the trunk is no tip
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
    const lmb_allocator *alloc;
} lmbi_figure;

/// A mesh in the pose of a reading of its coarse voxels, in which all limbs end at tips: limbs of the figure end at the
/// nearest of its own. The cache must outlive it. Errors: UNSUPPORTED for a reading without a limb; MEMORY. `landmarks`
/// are in the mesh's space, or NULL.
lmb_result lmbi_figure_from_reading(lmbi_voxel_cache *cache, const lmbi_reading *reading,
                                    const lmbi_landmarks *landmarks, lmbi_figure *out,
                                    lmb_error *error);

// ---- Places the joints of a humanoid inside a figure.

/// index distance from a left joint to its right twin
enum { LMBI_ARM_JOINTS = 4, LMBI_LEG_JOINTS = 4 };

/// Number of measurements that the network of a limb sees: limb_networks.c.
enum { LMBI_LIMB_LOOK = 111 };

typedef struct lmbi_human_joints {
    lmb_vec3 at[LMBI_BODY_JOINTS];        ///< in the figure's space
    float confidence[LMBI_BODY_JOINTS];   ///< 0 to 1
    const char *reason[LMBI_BODY_JOINTS]; ///< a static phrase: what the position is based on
    lmb_vec3 head_top, hand_tip[2], toe_tip[2];
    float facing; ///< -1 to 1: below 0 the figure faces backward
    bool crotch_clear, neck_clear, arm_clear[2];
    float crotch;
    float moved;                      ///< farthest that the networks of limbs want to move a joint
    float look[2][2][LMBI_LIMB_LOOK]; ///< arms and legs, left and right, before they were refined
} lmbi_human_joints;

/// Fills the paths of the figure's voxels. Errors: MEMORY.
lmb_result lmbi_place_human_joints(lmbi_figure *figure, lmbi_human_joints *out, lmb_error *error);

// ---- the parts of the work

typedef struct lmbi_arm {
    lmbi_limb_profile line; ///< from the fingers to the center of the body
    lmb_vec3 root;          ///< where the limb leaves the trunk
    float root_arc;         ///< the same as an arc
    float shoulder_arc;     ///< arc of the shoulder, on the line of the upper arm beyond the root
    float elbow_arc, wrist_arc;
    bool narrow;  ///< the wrist is clearly narrower than the palm
    float radius; ///< of a typical cross-section, assumed round
    bool clear;   ///< the area of the cross-section jumps at the root
} lmbi_arm;

typedef struct lmbi_leg {
    lmbi_limb_profile line; ///< from the toes to the center of the body
    float splay;            ///< largest distance from the mirror plane
} lmbi_leg;

typedef struct lmbi_figure_parts {
    const lmbi_figure *f;
    lmbi_arm arms[2]; ///< left, right
    lmbi_leg legs[2];
    float crotch;      ///< height where the legs join
    bool crotch_clear; ///< they are apart below it
    /// crotch is derived from the shoulders, because a skirt hides it or the legs do not part
    bool hidden_legs;
    lmbi_landmarks landmarks; ///< in the figure's space, copied to the other side where mirrored
    float crown;              ///< height of the top of the head: below 1 under a raised hand
    float neck;               ///< height of the narrowest place between shoulders and head
    bool neck_clear;
} lmbi_figure_parts;

void lmbi_find_arm_root(const lmbi_voxel_body *body, lmbi_arm *arm);
/// Removes a held blade or stick from the line of an arm whose root is known.
void lmbi_drop_held_object(lmbi_arm *arm);
void lmbi_place_arm(lmbi_figure_parts *work, int side, lmbi_human_joints *out);
void lmbi_find_crotch(lmbi_figure_parts *work, float shoulder);
void lmbi_place_leg(const lmbi_figure_parts *work, int side, lmbi_human_joints *out);
/// The joint and the end of the toes, before a placed ankle.
void lmbi_place_toes(const lmbi_figure_parts *work, int side, lmbi_human_joints *out);
void lmbi_find_neck(lmbi_figure_parts *work, float shoulder);
void lmbi_place_trunk(const lmbi_figure_parts *work, lmbi_human_joints *out);
/// Sum of hints from toes, knees, elbows and hands: lmbi_human_joints.facing.
float lmbi_facing_of_joints(const lmbi_figure_parts *work, const lmbi_human_joints *placed);

// ---- networks that move the placed joints of limbs to where those of bodies with known joints are that look
// alike

/// Measures what the network of a limb sees, of the side whose x is mirrored to be positive:
/// joints [0..8] first, as placed. `limb` is 0 for an arm, 1 for a leg.
void lmbi_limb_look(const lmbi_figure_parts *work, const lmbi_human_joints *placed, int limb,
                    int side, float out[LMBI_LIMB_LOOK]);
/// Moves the joints of the limbs, unless the user gave landmarks. Fills
/// placed->look and placed->moved.
void lmbi_refine_limbs(const lmbi_figure_parts *work, lmbi_human_joints *placed);

// ---- a network that sees the whole body as a volume

enum {
    LMBI_VOLUME_SIDE = 32,
    LMBI_VOLUME_VOXELS = LMBI_VOLUME_SIDE * LMBI_VOLUME_SIDE * LMBI_VOLUME_SIDE
};

/// A mesh in a cube of voxels, of which its longest side takes 30.
typedef struct lmbi_volume {
    lmb_vec3 low;                      ///< the cube's corner, along the axes
    float cell;                        ///< side of a voxel
    uint8_t solid[LMBI_VOLUME_VOXELS]; ///< [z][y][x] how much of it is solid, 0 to 8
} lmbi_volume;

/// The mesh along three axes. Errors: INVALID for a mesh without an extent; MEMORY.
lmb_result lmbi_volume_of(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3],
                          const lmb_allocator *alloc, lmbi_volume *out, lmb_error *error);

/// Upper arm, forearm, hand, thigh, shin and foot: left arm, right arm, left leg, right leg.
enum { LMBI_LIMB_JOINTS = 12 };

/// The joints of the limbs as seen in a volume.
typedef struct lmbi_seen_limbs {
    lmb_vec3 at[LMBI_LIMB_JOINTS];  ///< in the mesh's space
    float chance[LMBI_LIMB_JOINTS]; ///< that the joint is near, 0 to 1
    float sure;                     ///< their mean
} lmbi_seen_limbs;

/// The body joint of each of them.
extern const int lmbi_limb_joints[LMBI_LIMB_JOINTS];

/// Sees the mesh along the axes of a human that stands or sits in it: left, up, forward, orthonormal. Errors: INVALID for
/// a mesh without an extent; MEMORY.
lmb_result lmbi_see_limbs(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3],
                          const lmb_allocator *alloc, lmbi_seen_limbs *out, lmb_error *error);

// ---- the figure whose limbs a network sees, before the search

typedef struct lmbi_seen_figure {
    lmb_vec3 axes[3];         ///< left, up and forward, along which it is seen
    lmbi_seen_limbs limbs[2]; ///< from the front and, where that is not told, from behind
    float chance;             ///< that all limb joints are right, but for their sides
    float facing;             ///< the chance that the front is the front, and so of the sides
} lmbi_seen_figure;

/// Sees the mesh along axes and, if `both`, from behind. Errors: INVALID for a mesh without an extent; MEMORY.
lmb_result lmbi_see_figure(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], bool both,
                           const lmb_allocator *alloc, lmbi_seen_figure *out, lmb_error *error);
/// Sees the mesh as it stands in its file, with up and forward as told, or else up along +Y and, if that is not what
/// the file says, +Z, and forward along each of the other axes: the surest of these. Errors: as lmbi_see_figure.
lmb_result lmbi_see_standing(const lmbi_triangle_soup *soup, const lmb_embed_opts *opts,
                             const lmb_allocator *alloc, lmbi_seen_figure *out, lmb_error *error);
/// Whether limbs that are seen are those of body joints in the mesh's space, of a body of that height.
bool lmbi_seen_agrees(const lmbi_seen_limbs *seen, const lmb_vec3 joints[LMBI_BODY_JOINTS],
                      float height);

/// Of a figure that is seen in the mesh of a cache: puts the joints of an arm that is missing into its stump, with
/// lmbi_arm_missing as reason, gives hanging arms lmbi_arm_hidden from which to the trunk all is solid, and ends hands where
/// they would run into the trunk.
void lmbi_rate_seen_arms(const lmbi_voxel_cache *cache, lmb_embedding *e);
extern const char lmbi_arm_hidden[], lmbi_arm_missing[];

// ---- How plausible placed joints are as those of a human in this solid.

typedef enum lmbi_clue {
    LMBI_CLUE_PLAN,      ///< score of the best human reading less that of the best other one
    LMBI_CLUE_AXES,      ///< score of the best reading with these axes less that of the best human
    LMBI_CLUE_OUTSIDE,   ///< fraction of the bones' length that is outside the solid
    LMBI_CLUE_CROSSED,   ///< how far limbs' roots reach across the mirror plane, in heights
    LMBI_CLUE_UNEVEN,    ///< mean distance of left shoulder and hip from images of the right ones
    LMBI_CLUE_UNCOVERED, ///< fraction of the solid far from every bone
    LMBI_CLUE_NO_CROTCH, ///< the legs do not part
    LMBI_CLUE_NO_NECK,   ///< no narrow place below the head
    LMBI_CLUE_NO_ARMPIT, ///< number of arms without a clear root
    LMBI_CLUE_BACKWARD,  ///< hints that the figure faces the other way, 0 to 1
    LMBI_CLUE_FACING,    ///< hints that it faces this way, 0 to 1
    LMBI_CLUE_LEAN,      ///< how far the neck lies before or behind the hips, in heights
    LMBI_CLUE_UPRIGHT,   ///< how far knees or ankles are above hips, or hips above shoulders
    LMBI_CLUE_SCORE,     ///< score of the best reading as a human
    LMBI_CLUE_OWN,       ///< score of the own reading less that
    LMBI_CLUE_LENGTHS,   ///< mean difference of the logarithms of left and right bones' lengths
    LMBI_CLUE_MOVED,     ///< farthest that the network of limbs wants to move a joint, in heights
    /// Logarithms of lengths over that of the trunk. From here on a clue tells by how far it is from
    /// its usual value.
    LMBI_CLUE_ARM,
    LMBI_CLUE_LEG,
    LMBI_CLUE_SHOULDER, ///< half the distance between the shoulders
    LMBI_CLUE_HIP,      ///< half the distance between the hips, over that between the shoulders
    LMBI_CLUE_FOREARM,  ///< over the upper arm
    LMBI_CLUE_SHANK,    ///< over the thigh
    LMBI_CLUE_NECK,     ///< height of the neck above the shoulders; no logarithm
    LMBI_CLUE_HEAD,     ///< height of the crown above the neck
    LMBI_CLUES,
    LMBI_CLUE_PROPORTIONS = LMBI_CLUE_ARM,
} lmbi_clue;

/// Measures the joints. `readings` are those of the body in its own frame, the best first; `own` is
/// the score of the reading that they were placed by, in whatever voxels.
void lmbi_human_clues(const lmbi_figure *figure, const lmbi_human_joints *joints,
                      const lmbi_reading *readings, uint32_t reading_count, float own,
                      float out[LMBI_CLUES]);
/// The logarithm of the odds that every limb joint is right.
float lmbi_human_odds(const float clues[LMBI_CLUES]);

// ---- Embeds a humanoid, given voxelisations of a mesh.

/// The readings of the coarse voxels of a cache, the best first.
typedef struct lmbi_readings {
    uint32_t count;
    lmbi_reading list[LMBI_READINGS];
    /// the best score as a human, in other voxels too: of any, and of one that stands along +Y
    float figure, upright_figure;
    /// a human that does not stand along +Y says nothing against other readings
    bool upright;
    bool through; ///< a body of the user's template is one slender line
    /// LMBI_READING_SPARE of usual readings as the template that was given
    float given_spare;
    const lmbi_seen_figure *seen; ///< or NULL
    bool confirmed;               ///< what is seen is the figure that the search found
} lmbi_readings;

/// Raises the scores of figures to that of a reading as a human that was placed.
void lmbi_readings_add_figure(lmbi_readings *readings, const lmbi_reading *human);
/// Forgets the figures, as before any: none could be placed.
void lmbi_readings_forget_figures(lmbi_readings *readings);

/// One way to see the body as a human: its figure and its joints.
typedef struct lmbi_human_candidate {
    lmbi_figure figure;
    lmbi_human_joints placed;
    float clues[LMBI_CLUES];
    float chance; ///< that all limb joints are right
    /// the logarithm of its odds, of how usual its axes are, and of the odds of what is seen where that is the same: the
    /// highest is chosen
    float rank;
    bool given;   ///< the facing was given
    float facing; ///< the chance that it looks this way, beside the best that looks the other way
} lmbi_human_candidate;

enum { LMBI_HUMAN_CANDIDATES = 4 };

/// The best readings of a human that have all limbs, up to one that is surely right, or with `all` (for fitting) every one.
/// With `landmarks` (NULL: none) limbs end where these say. Their voxels are the cache's. Adds figures to the readings.
/// Errors: MEMORY.
lmb_result lmbi_human_candidates(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 const lmbi_landmarks *landmarks, lmbi_readings *readings, bool all,
                                 lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES], uint32_t *count,
                                 lmb_error *error);
/// The candidate of the highest rank of one at least.
uint32_t lmbi_human_best(const lmbi_human_candidate *list, uint32_t count);

/// The most likely candidate, without fingers; where landmarks are on all limbs, however unlikely. The
/// cache must outlive *out_best. Errors: UNSUPPORTED for no figure; MEMORY.
lmb_result lmbi_human_embed_readings(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                     const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                     lmb_embedding *out, lmbi_human_candidate *out_best,
                                     lmb_error *error);

/// Of two readings that exclude each other one at most is right: the chance of the first beside the second.
float lmbi_chance_beside(float chance, float other);

/// Adds fingers to the embedding of a candidate if both hands have five. Errors: MEMORY.
lmb_result lmbi_human_add_fingers(const lmbi_human_candidate *candidate, lmb_embedding *out,
                                  lmb_error *error);

#endif
