/// Motion of one skeleton on another: which joint is which, rest poses aligned, sizes matched, feet
/// kept on the ground.
#ifndef LIMBER_RETARGET_H
#define LIMBER_RETARGET_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/io.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------ slots

/// The joints of a humanoid, as VRM 1.0 names them.
typedef enum lmb_slot {
    LMB_SLOT_HIPS = 0,
    LMB_SLOT_SPINE,
    LMB_SLOT_CHEST,
    LMB_SLOT_UPPER_CHEST,
    LMB_SLOT_NECK,
    LMB_SLOT_HEAD,
    LMB_SLOT_LEFT_EYE,
    LMB_SLOT_RIGHT_EYE,
    LMB_SLOT_JAW,
    LMB_SLOT_LEFT_UPPER_LEG,
    LMB_SLOT_LEFT_LOWER_LEG,
    LMB_SLOT_LEFT_FOOT,
    LMB_SLOT_LEFT_TOES,
    LMB_SLOT_RIGHT_UPPER_LEG,
    LMB_SLOT_RIGHT_LOWER_LEG,
    LMB_SLOT_RIGHT_FOOT,
    LMB_SLOT_RIGHT_TOES,
    LMB_SLOT_LEFT_SHOULDER,
    LMB_SLOT_LEFT_UPPER_ARM,
    LMB_SLOT_LEFT_LOWER_ARM,
    LMB_SLOT_LEFT_HAND,
    LMB_SLOT_RIGHT_SHOULDER,
    LMB_SLOT_RIGHT_UPPER_ARM,
    LMB_SLOT_RIGHT_LOWER_ARM,
    LMB_SLOT_RIGHT_HAND,
    /// then proximal, distal; index proximal, intermediate, distal; middle; ring; little
    LMB_SLOT_LEFT_THUMB_METACARPAL,
    LMB_SLOT_RIGHT_THUMB_METACARPAL = LMB_SLOT_LEFT_THUMB_METACARPAL + 15,
    LMB_SLOT_COUNT = LMB_SLOT_RIGHT_THUMB_METACARPAL + 15,
} lmb_slot;

/// "leftUpperArm". A static string.
LMB_API const char *lmb_slot_name(lmb_slot slot);
/// LMB_SLOT_COUNT when there is none of that name (exact spelling).
LMB_API lmb_slot lmb_slot_find(const char *name);
/// The slot above, as VRM has them ("leftUpperArm" under "leftShoulder"); LMB_SLOT_COUNT for the
/// hips.
LMB_API lmb_slot lmb_slot_parent(lmb_slot slot);
/// The same slot on the other side; itself in the middle.
LMB_API lmb_slot lmb_slot_mirror(lmb_slot slot);

// ---------------------------------------------------------------------------------------- mapping

/// Why a joint was taken for a slot.
typedef enum lmb_map_reason {
    LMB_MAP_MISSING = 0, ///< there is none
    LMB_MAP_NAME,        ///< its name says so
    LMB_MAP_PLACE,       ///< its name could mean this or another; its place in the chain decided
    /// its name says nothing: the shape of the tree and of the rest pose decided
    LMB_MAP_TOPOLOGY,
    LMB_MAP_GIVEN, ///< a map that was read, or the caller, said so
} lmb_map_reason;

/// "name", "place", "topology", "given", "missing".
LMB_API const char *lmb_map_reason_name(lmb_map_reason reason);

#define LMB_SPINE_MAX 24

typedef struct lmb_slot_match {
    int32_t joint; ///< in the skeleton, or LMB_NONE
    lmb_map_reason reason;
    float confidence; ///< [0, 1]
} lmb_slot_match;

/// A skeleton's joints as a humanoid's.
typedef struct lmb_joint_map {
    lmb_slot_match slots[LMB_SLOT_COUNT];
    /// Every joint from above the hips to the top of the chest, and from there to below the head:
    /// more or fewer than the slots.
    uint32_t spine_count, neck_count;
    int32_t spine[LMB_SPINE_MAX], neck[LMB_SPINE_MAX];
    /// mean over the slots that a humanoid must have (VRM: 15), 0 for the missing ones
    float confidence;
} lmb_joint_map;

/// Finds the humanoid in a skeleton: by the names of every convention known (Mixamo, CMU, LAFAN1,
/// Biped, Rigify, Unreal, VRM, Daz, Maya, SMPL, Acclaim, MMD and mixtures), ambiguous ones resolved
/// by their place in the chain, and where names say nothing, by the shape of the tree and of the
/// rest pose. Slots that are not there are LMB_NONE: look at the confidence.
/// Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_make(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_joint_map *out, lmb_error *error);

/// The humanoid that the file itself names (VRM 1.0 and 0.x, VRM animations: what is carried in
/// character->look), all slots given and no others; where it names none, lmb_joint_map_make.
/// Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_of_character(const lmb_character *character,
                                              const lmb_allocator *alloc, lmb_joint_map *out,
                                              lmb_error *error);

/// Fills the spine and neck chains of a map whose slots were set by hand, and its confidence.
LMB_API void lmb_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton);

/// A part of a humanoid with which a motion cannot be shown as it is.
typedef struct lmb_map_gap {
    lmb_slot slot;
    /// Above it in the body, where its joint does not descend from that one's (arms that hang from
    /// IK controls); LMB_SLOT_COUNT where the slot has no joint at all.
    lmb_slot apart_from;
} lmb_map_gap;

/// The gaps of a map among the 15 slots that VRM asks of every humanoid, from the hips down and out.
/// Returns how many there are; `out` has room for LMB_SLOT_COUNT.
LMB_API uint32_t lmb_joint_map_gaps(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                    lmb_map_gap *out);
/// Whether nothing but shape speaks for a humanoid (no name, no map), and for less than half of what
/// one must have: any tree with two like branches is that much.
LMB_API bool lmb_joint_map_is_guess(const lmb_joint_map *map);

/// Names of joints by slot, kept in a JSON file: {"limber": "joint map", "character": {"hips":
/// "Hips", …}, "motion": {…}}.
/// Reads one section ("character" or "motion") over `map`: a name sets the slot, null empties it, a
/// slot that is not there stays as it was. `found` tells whether the section was there. Errors:
/// MALFORMED with line and column, also for a joint or slot that does not exist; MEMORY.
LMB_API lmb_result lmb_joint_map_read(const void *bytes, size_t size, const char *section,
                                      const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_joint_map *map, bool *found, lmb_error *error);
/// Writes both sections; either map may be NULL.
LMB_API lmb_result lmb_joint_map_write(const lmb_joint_map *character,
                                       const lmb_skeleton *character_skeleton,
                                       const lmb_joint_map *motion,
                                       const lmb_skeleton *motion_skeleton,
                                       const lmb_allocator *alloc, lmb_buffer *out,
                                       lmb_error *error);

// ----------------------------------------------------------------------------------------- chains

/// What a chain of joints is of a body, whatever the animal.
typedef enum lmb_chain_kind {
    LMB_CHAIN_SPINE = 0, ///< hips to chest; of what has no limbs, the tail's end to the head
    LMB_CHAIN_NECK,      ///< above the chest to the head
    LMB_CHAIN_TAIL,      ///< from behind the hips to its end
    LMB_CHAIN_LEG,       ///< ends on the ground
    LMB_CHAIN_ARM,       ///< arms, wings, large fins: ends in the air
} lmb_chain_kind;

#define LMB_CHAIN_JOINTS 96
#define LMB_CHAIN_MAX 24

typedef struct lmb_chain {
    lmb_chain_kind kind;
    int side;      ///< +1 left, -1 right, 0 in the middle
    uint32_t pair; ///< of legs and of arms: 0 is the pair at the back
    uint32_t count;
    int32_t joints[LMB_CHAIN_JOINTS]; ///< from the trunk outwards
    /// of limbs: places in `joints` of the three joints that the two long bones lie between (hip,
    /// knee and ankle); a shoulder blade is before them, feet and toes behind
    uint32_t upper, lower, end;
} lmb_chain;

/// A skeleton's joints as chains.
typedef struct lmb_chain_map {
    uint32_t count;
    lmb_chain chains[LMB_CHAIN_MAX];
    int32_t root; ///< the joint that all chains hang from
    /// the way from the tail to the head, or from the heels to the toes: one of +-X, +-Z
    lmb_vec3 front;
} lmb_chain_map;

/// Writes "spine", "neck", "tail", "leftLeg1", "rightArm1" and returns it: pairs count from 1, at
/// the back.
LMB_API const char *lmb_chain_name(const lmb_chain *chain, char text[24]);

/// Finds the chains of any body by symmetry and shape: what is paired across the middle plane is a
/// limb, a leg where it ends near the ground; what is not is trunk, neck, head and tail. Names help
/// where they say left, head or tail. Fingers, ears and faces are in no chain.
/// Errors: UNSUPPORTED for a skeleton without even a spine of three joints; MEMORY.
LMB_API lmb_result lmb_chain_map_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_chain_map *out, lmb_error *error);

/// Chains in a joint map file: a section may have "chains": {"spine": ["Hips", "Spine"], "tail":
/// null, …}. A list sets the chain, null leaves it out, a chain that is not there stays as it was.
/// Errors: MALFORMED with line and column, also for joints that do not exist, are named twice or do
/// not hang together; MEMORY.
LMB_API lmb_result lmb_chain_map_read(const void *bytes, size_t size, const char *section,
                                      const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_chain_map *map, bool *found, lmb_error *error);
/// Writes both sections; either map may be NULL.
LMB_API lmb_result lmb_chain_map_write(const lmb_chain_map *character,
                                       const lmb_skeleton *character_skeleton,
                                       const lmb_chain_map *motion,
                                       const lmb_skeleton *motion_skeleton,
                                       const lmb_allocator *alloc, lmb_buffer *out,
                                       lmb_error *error);

// ------------------------------------------------------------------------------------ retargeting

/// What a rest pose was aligned by.
typedef enum lmb_reference_kind {
    LMB_REFERENCE_REST = 0, ///< the skeleton's rest pose stands upright
    LMB_REFERENCE_BIND,     ///< the pose that the skin was bound in does
    LMB_REFERENCE_FRAME,    ///< neither: a frame of the clip was taken
} lmb_reference_kind;

/// What bodies are seen as.
typedef enum lmb_retarget_way {
    LMB_RETARGET_AUTO = 0, ///< as humans, unless neither has a humanoid, or it is doubtful
    LMB_RETARGET_HUMAN,
    LMB_RETARGET_CHAINS, ///< by spine, neck, tail, legs and arms, whatever they are
} lmb_retarget_way;

typedef struct lmb_retarget_opts {
    lmb_retarget_way way;
    const lmb_joint_map *target_map;                    ///< NULL: found
    const lmb_joint_map *source_map;                    ///< NULL: found
    const lmb_chain_map *target_chains, *source_chains; ///< NULL: found
    bool no_lock_feet;                                  ///< leave the feet as they come out
    bool free_hands;                                    ///< leave the hands as they come out
    bool in_place; ///< the hips stay above their place on the ground
    /// of the result; 0: the source's own, twice that below 45 Hz when feet are locked
    float frame_rate;
    const char *name; ///< of the result; NULL: the source clip's
} lmb_retarget_opts;

typedef struct lmb_retarget_report {
    bool by_chains; ///< then the chain maps tell which joint is which, else the joint maps
    lmb_joint_map target_map, source_map;
    lmb_chain_map target_chains, source_chains;
    uint32_t chain_count; ///< chains of the target that follow one of the source's
    lmb_reference_kind target_reference, source_reference;
    /// why the one or the other may be no human, whatever its joints are called: a static string,
    /// or NULL
    const char *target_doubt, *source_doubt;
    uint32_t source_reference_frame; ///< with LMB_REFERENCE_FRAME
    uint32_t slot_count;             ///< slots that both have
    uint32_t frame_count;
    /// at the beginning: a calibration pose that the motion jumps away from
    uint32_t dropped_frames;
    bool loops; ///< the motion's last frame is its first: the result closes as well
    float frame_rate;
    float scale; ///< length of the target's legs over the source's
    /// of the ground under a walk on the spot, in model units of the target a second; feet stand
    /// still on it. 0 where the body travels
    float belt_speed;
    uint32_t touching_frames; ///< in which a hand touches the other, the body or the floor
    uint32_t contact_count;   ///< times a foot was found to stand still and held
    float largest_correction; ///< how far a foot was moved to hold it, in model units of the target
    uint32_t expression_count;    ///< expressions of the face that were carried over
    uint32_t expressions_dropped; ///< and those that the target does not have
    bool has_gaze;                ///< the eyes follow a VRM animation's look-at
} lmb_retarget_report;

/// Puts a clip of `source` on the skeleton of `target`.
///
/// World rotations are carried over relative to a reference pose that both are seen to stand in:
/// R_t = R_s R_s,ref^-1 A R_t,ref, with A the least rotation of the target's bone onto the source's
/// (arms, legs, fingers; the feet's yaw alone, so that soles stay flat).
/// Spines and necks of different lengths share out the turn along the chain. The hips' path is
/// scaled by the length of the legs.
/// Feet that stand still in the source are then held still by two-bone IK, with blended corrections
/// and hips lowered where a leg cannot reach. Palms that touch each other, trunk, head, thighs,
/// arms or the floor are put where they do so on the target, by two-bone IK of the arms. The clip
/// has rotations for the mapped joints and the hips' translation (and that of joints which do not
/// hang from the joint they follow). Expressions go over by their names (lmb_face_put), a VRM
/// animation's gaze onto the eyes. The clip is made for target->skeleton; add it to the character
/// to use it. Errors: INVALID when there is no such clip; UNSUPPORTED when one of the two has no
/// humanoid, named in `found`; MEMORY.
LMB_API lmb_result lmb_retarget(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts,
                                const lmb_allocator *alloc, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error);

// --------------------------------------------------------------------------------- VRM animations

typedef struct lmb_vrma_write_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    float frame_rate;         ///< Hz; 0: the clip's own, or 30
} lmb_vrma_write_opts;

/// Writes a clip as a VRM animation (.vrma: a GLB with VRMC_vrm_animation 1.0): the humanoid alone,
/// in T-pose, bones named and ordered by slot, turns of the bones and the path of the hips, and what
/// the clip does with the face: expressions, and a look-at where it turns the eyes. Joints that are
/// no slots, meshes, scale, and where bones are moved in their parents, are not kept.
/// Errors: INVALID when there is no such clip or it is longer than 10 million frames; UNSUPPORTED
/// when there is no humanoid, named in `found`; MEMORY.
LMB_API lmb_result lmb_vrma_write(const lmb_character *character, uint32_t clip,
                                  const lmb_vrma_write_opts *opts, const lmb_allocator *alloc,
                                  lmb_buffer *out, lmb_error *error);

// ---------------------------------------------------------------------------------- body motions

typedef struct lmb_body_motion_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    uint32_t joint_count;     ///< 22 or 24 of SMPL, 52 of SMPL-H, 55 of SMPL-X; 0: 52
    float frame_rate;         ///< Hz; 0: the clip's own
} lmb_body_motion_opts;

/// A clip as poses of SMPL's skeleton, +Z up as AMASS has them, shape coefficients 0: retargeted to
/// the average body of lmb_body_motion_character, without holding feet. Errors: those of
/// lmb_retarget and lmb_body_motion_character.
LMB_API lmb_result lmb_body_motion_of_clip(const lmb_character *character, uint32_t clip,
                                           const lmb_body_motion_opts *opts,
                                           const lmb_allocator *alloc, lmb_body_motion **out,
                                           lmb_error *error);

// --------------------------------------------------------------------------------------- clean-up

typedef struct lmb_clean_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    bool keep_spikes, keep_gaps, keep_feet;
    float smooth_hz;    ///< movement faster than this is smoothed away; 0: none
    bool trim;          ///< to the part that moves
    bool loop;          ///< to the part that closes best, closed
    float loop_least_s; ///< which is at least so long; 0 counts as 0.5
    bool mirror;
    const char *name; ///< of the result; NULL: the clip's own
} lmb_clean_opts;

typedef struct lmb_clean_report {
    uint32_t frame_count;
    float frame_rate;
    uint32_t spike_count; ///< values of joints that jumped away and back
    uint32_t gap_frames;  ///< frames in which the whole body stood while it moved before and after
    uint32_t contact_count; ///< times a foot was held
    bool feet_held;         ///< false for what has no legs, and with keep_feet
    bool by_chains;         ///< no humanoid: the feet are the ends of the legs of `chains`
    lmb_chain_map chains;
    float largest_correction; ///< of a foot, metres
    double begin_s, end_s;    ///< the part of the clip that is left
} lmb_clean_report;

/// Cleans a clip of a character, in this order: spikes (up to three frames of one joint that jump
/// away and back) and gaps (frames that repeat while the body moves, up to half a second) are
/// bridged; then smoothing (a Gaussian, the same forwards and back); feet that stand are held (as
/// lmb_retarget of the character onto itself does, so after smoothing); trimming, looping,
/// mirroring. What is no humanoid has the ends of its legs held, by chains.
/// The clip has linear keys at its own rate (or, where feet are held, at what lmb_retarget takes).
/// Scales and morph weights are left out.
/// Errors: INVALID when there is no such clip, or it does not last; MEMORY.
LMB_API lmb_result lmb_clean_clip(const lmb_character *character, uint32_t clip,
                                  const lmb_clean_opts *opts, const lmb_allocator *alloc,
                                  lmb_clip **out, lmb_clean_report *report, lmb_error *error);

// ---------------------------------------------------------------------------------------- fitting

/// Where a humanoid faces at rest, by which of its legs and arms are the left ones: level and unit.
/// What is within 17 degrees of an axis is the axis; +Z where nothing tells.
LMB_API lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton);

/// What the limits of a humanoid's joints are, from what the map says they are of a body:
/// lmb_human_limits for the slots, the spine and the neck, and the facing that the map tells.
/// limits[joint_count]. Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_limits(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                        const lmb_allocator *alloc, lmb_joint_limit *limits,
                                        lmb_error *error);

/// What the points of a recording are.
typedef enum lmb_fit_kind {
    LMB_FIT_AUTO = 0,  ///< as the names say: more of joints or more of markers
    LMB_FIT_POSITIONS, ///< the places of joints
    LMB_FIT_MARKERS,   ///< stuck to the skin, at unknown places beside the joints
} lmb_fit_kind;
/// "auto", "positions", "markers". A static string.
LMB_API const char *lmb_fit_kind_name(lmb_fit_kind kind);

typedef struct lmb_fit_opts {
    lmb_fit_kind kind;
    const lmb_joint_map *map; ///< of the character; NULL: found
    /// [marker_count] the joint that each point is at or stuck to, LMB_NONE for none; NULL: by
    /// names
    const int32_t *joints;
    bool keep_lengths; ///< the subject's bones are the character's, all scaled alike at most
    bool keep_size;    ///< not even that: the subject is the character
    bool free;         ///< no limits of joints
    /// how much neighbouring frames pull on each other, against points of weight 1; 0 counts as
    /// 1e-4. Larger is smoother and farther from the points
    float smooth;
    float frame_rate; ///< for a recording that does not say; 0 counts as 30
    const char *name; ///< of the clip; NULL: that of the points, or "fit"
    const lmb_progress *progress;
} lmb_fit_opts;

/// What became of one point of the recording.
typedef struct lmb_fit_point {
    int32_t joint;       ///< that it is at or moves with; LMB_NONE: it was not used
    lmb_vec3 offset;     ///< from there, in the joint's frame of the subject, metres
    bool by_motion;      ///< the name said nothing, but it moves with that joint
    float rms_m, most_m; ///< how far the fit is from it where it was seen
    uint32_t seen_frames, gap_count;
    uint32_t swapped_frames; ///< in which it was found to carry another point's label
} lmb_fit_point;

/// A recording as joint angles. The subject has the character's joints, named and ordered alike,
/// with bones as long as those of who was recorded; the clip belongs to it.
typedef struct lmb_fit {
    lmb_fit_kind kind;
    lmb_skeleton *subject;
    lmb_clip *clip; ///< rotations of the joints that move, translation of the hips
    uint32_t point_count, used_count;
    lmb_fit_point *points; ///< [point_count]
    uint32_t frame_count;
    float frame_rate;
    float scale;             ///< height of the subject's bones over the character's
    float length_change;     ///< the largest change of a bone's length beyond that, as a share
    float mean_m, most_m;    ///< distance of the points from their places on the fit
    uint32_t filled_frames;  ///< frames in which some used point was missing
    uint32_t swap_count;     ///< times that two labels were found exchanged, and put back
    uint32_t limited_frames; ///< frames in which some joint stands at its limit
    lmb_allocator allocator;
} lmb_fit;

/// Fits the character's skeleton to points over time: joint positions, or markers on the skin.
///
/// Lengths of bones, and where markers sit (offsets in their joints' frames), are estimated on some
/// sixty frames as different as can be, by Gauss-Newton over these and the poses, the poses
/// eliminated frame by frame (Schur complement). Then every frame is solved by lmb_ik_full_body
/// from the one before, and once more between its neighbours, which carries twist and hidden limbs
/// smoothly. Elbows and knees are hinges where the joints are known as a human's.
/// Joints that no point tells about stay at the character's reference pose.
/// Errors: INVALID for no frames; UNSUPPORTED when fewer than three points of the trunk can be told
/// by their names (named in `found`); CANCELLED; MEMORY.
LMB_API lmb_result lmb_fit_points(const lmb_character *character, const lmb_markers *points,
                                  const lmb_fit_opts *opts, const lmb_allocator *alloc,
                                  lmb_fit **out, lmb_error *error);
LMB_API void lmb_fit_destroy(lmb_fit *fit);

// -------------------------------------------------------------------------------------- keypoints

/// Points of a body in a picture, by the names that detectors share.
typedef enum lmb_keypoint {
    LMB_KEYPOINT_NOSE = 0,
    LMB_KEYPOINT_LEFT_EYE,
    LMB_KEYPOINT_RIGHT_EYE,
    LMB_KEYPOINT_LEFT_EAR,
    LMB_KEYPOINT_RIGHT_EAR,
    LMB_KEYPOINT_NECK,
    LMB_KEYPOINT_LEFT_SHOULDER,
    LMB_KEYPOINT_RIGHT_SHOULDER,
    LMB_KEYPOINT_LEFT_ELBOW,
    LMB_KEYPOINT_RIGHT_ELBOW,
    LMB_KEYPOINT_LEFT_WRIST,
    LMB_KEYPOINT_RIGHT_WRIST,
    LMB_KEYPOINT_MID_HIP,
    LMB_KEYPOINT_LEFT_HIP,
    LMB_KEYPOINT_RIGHT_HIP,
    LMB_KEYPOINT_LEFT_KNEE,
    LMB_KEYPOINT_RIGHT_KNEE,
    LMB_KEYPOINT_LEFT_ANKLE,
    LMB_KEYPOINT_RIGHT_ANKLE,
    LMB_KEYPOINT_LEFT_TOES,
    LMB_KEYPOINT_RIGHT_TOES,
    LMB_KEYPOINT_LEFT_HEEL,
    LMB_KEYPOINT_RIGHT_HEEL,
    LMB_KEYPOINT_COUNT,
} lmb_keypoint;
/// "left shoulder". A static string.
LMB_API const char *lmb_keypoint_name(lmb_keypoint keypoint);

/// Whose file it was.
typedef enum lmb_keypoint_layout {
    LMB_KEYPOINTS_OPENPOSE_25 = 0, ///< OpenPose, BODY_25
    LMB_KEYPOINTS_OPENPOSE_18,     ///< OpenPose, COCO
    LMB_KEYPOINTS_COCO_17,
    LMB_KEYPOINTS_MEDIAPIPE_33,
} lmb_keypoint_layout;
/// "OpenPose BODY_25". A static string.
LMB_API const char *lmb_keypoint_layout_name(lmb_keypoint_layout layout);

/// One person in one camera's pictures over time.
typedef struct lmb_keypoints {
    uint32_t frame_count;
    float frame_rate; ///< Hz; 0 when unknown
    lmb_keypoint_layout layout;
    float width, height; ///< of the picture, pixels; 0 when unknown
    lmb_vec2 *points;    ///< [frame_count][LMB_KEYPOINT_COUNT] pixels, x right, y down
    float *confidence;   ///< [frame_count][LMB_KEYPOINT_COUNT] 0: not seen, to 1
    lmb_allocator allocator;
} lmb_keypoints;

typedef struct lmb_keypoints_opts {
    float width, height; ///< of the picture, for files of shares of it (MediaPipe); 0: as they say
    float frame_rate;    ///< Hz; 0: as the file says
} lmb_keypoints_opts;

/// Reads JSON as detectors write it: a frame of OpenPose ("people": [{"pose_keypoints_2d": […]}]),
/// a list of such frames or one after the other; a list of COCO's annotations ("keypoints": […17 x
/// 3…], "image_id"), or an object that holds them; lists of 33 landmarks {"x", "y", "visibility"}
/// as MediaPipe gives them, or objects that hold such lists. Of several people in a frame the one
/// that is seen best. Errors: MALFORMED with line and column, also for a file without keypoints;
/// INVALID for landmarks without the size of the picture; MEMORY.
LMB_API lmb_result lmb_keypoints_read(const void *bytes, size_t size,
                                      const lmb_keypoints_opts *opts, const lmb_allocator *alloc,
                                      lmb_keypoints **out, lmb_error *error);
LMB_API void lmb_keypoints_destroy(lmb_keypoints *keypoints);
/// The frames of one after those of the other: files of one frame each. Errors: INVALID for other
/// layouts; MEMORY.
LMB_API lmb_result lmb_keypoints_join(const lmb_keypoints *const *list, uint32_t count,
                                      const lmb_allocator *alloc, lmb_keypoints **out,
                                      lmb_error *error);

typedef struct lmb_lift_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    /// of the camera, in pixels; 0: that of a field of view of 55 degrees across the picture's
    /// longer side
    float focal_px;
    float noise_px;   ///< of the keypoints; 0: measured by how they tremble
    float frame_rate; ///< for keypoints that do not say; 0 counts as 30
    bool no_contacts; ///< feet need not stand still on one floor
    const char *name; ///< of the clip; NULL: "lifted"
    const lmb_progress *progress;
} lmb_lift_opts;

typedef struct lmb_lift {
    lmb_clip *clip; ///< of the character
    uint32_t frame_count, unseen_frames;
    uint32_t exchanged_frames; ///< whose left and right were put back
    float frame_rate;          ///< of the clip: the keypoints', or less
    float focal_px, noise_px;
    float error_px;  ///< root mean square of the fit against the keypoints
    float depth_m;   ///< of the hips from the camera, in the mean
    lmb_vec3 camera; ///< where it is in the clip's space; it looks along -Z, level
    uint32_t contact_count;
    lmb_allocator allocator;
} lmb_lift;

/// Lifts keypoints of one level camera to a motion of the character: the poses whose joints project
/// to the keypoints, with the character's bone lengths, a human's limits, turns that change slowly,
/// and feet that stand still on one floor (SMPLify, Bogo et al. 2016, over time).
///
/// Each bone may point to the camera or away from it (Taylor 2000): signs are settled over time, at
/// moments a tenth of a second apart, by dynamic programming over second differences, a human's
/// habits, and feet of which one stands still; then all frames are solved together by
/// Levenberg-Marquardt. Where keypoints tremble by less than two millimetres on the body, depths
/// along the rays are solved as well, bones mirrored in depth for a while each wherever that is
/// better, and the better of both motions kept. Sides that a detector exchanged for less than half
/// of the frames are put back; where many points leap at once, nothing is smoothed. One camera
/// cannot tell size from distance: the character's size decides.
/// Errors: UNSUPPORTED for a character that is no humanoid; INVALID where neither hips nor
/// shoulders are seen; CANCELLED; MEMORY.
LMB_API lmb_result lmb_lift_keypoints(const lmb_character *character,
                                      const lmb_keypoints *keypoints, const lmb_lift_opts *opts,
                                      const lmb_allocator *alloc, lmb_lift **out, lmb_error *error);
LMB_API void lmb_lift_destroy(lmb_lift *lift);

// ------------------------------------------------------------------------------------------- live

/// One argument of an OSC message, by its type letter: i c r m in `whole`, h t in `whole`, f d in
/// `real`, s S b in `text` (size bytes; s and S end with a zero that does not count), T F N I
/// alone.
typedef struct lmb_osc_argument {
    char type;
    int64_t whole;
    double real;
    const char *text;
    uint32_t size;
} lmb_osc_argument;

#define LMB_OSC_ARGUMENTS 16

typedef struct lmb_osc_message {
    const char *address; ///< "/VMC/Ext/Bone/Pos"
    /// the first LMB_OSC_ARGUMENTS of them; further ones are checked and passed over
    uint32_t argument_count;
    lmb_osc_argument arguments[LMB_OSC_ARGUMENTS];
} lmb_osc_message;

typedef void (*lmb_osc_each)(void *user, const lmb_osc_message *message);

/// Reads a packet of Open Sound Control 1.0: a message, or a bundle of messages and bundles (eight
/// deep at most). The whole packet is checked before `each` is called for the first message, in
/// order. Texts point into the packet. Allocates nothing.
/// Errors: MALFORMED with the byte.
LMB_API lmb_result lmb_osc_read(const void *bytes, size_t size, lmb_osc_each each, void *user,
                                lmb_error *error);

/// A packet being written into the caller's bytes.
typedef struct lmb_osc_out {
    uint8_t *bytes;
    size_t capacity, size;
    bool full; ///< something did not fit: what was written is no packet
} lmb_osc_out;

/// Begins a bundle that is to be played at once.
LMB_API void lmb_osc_bundle(lmb_osc_out *out);
/// Adds a message to the bundle, or alone to an empty packet: `types` of the letters i, f and s,
/// then its arguments: int, double (written as a float), const char *.
LMB_API void lmb_osc_put(lmb_osc_out *out, const char *address, const char *types, ...);

#define LMB_VMC_SHAPES 128
#define LMB_VMC_PACKET 20480 ///< bytes that hold every frame as a packet

/// What a VMC performer sends of one moment (Virtual Motion Capture protocol): bones of a humanoid
/// against their parents, T-pose being no turn. In metres, +Y up, facing +Z: Unity's left-handed
/// axes are mirrored.
typedef struct lmb_vmc_frame {
    double time_s;      ///< the sender's clock; of senders that have none, when it arrived
    double arrived_s;   ///< the receiver's clock
    uint64_t bones;     ///< bit of every slot that was sent
    lmb_transform root; ///< where the model stands
    lmb_transform local[LMB_SLOT_COUNT];
    uint32_t shape_count; ///< blend shapes that were told so far, in the order of their coming
    const char *const *shape_names; ///< [shape_count] they belong to whoever made the frame
    float shapes[LMB_VMC_SHAPES];   ///< 0 to 1 as a rule
} lmb_vmc_frame;

typedef struct lmb_vmc_report {
    uint64_t packets, malformed; ///< malformed ones were dropped whole
    uint64_t messages, ignored;  ///< ignored: of other addresses, or not as the protocol has them
    uint64_t frames, late;       ///< late: behind one that had come before
    uint64_t missed;             ///< frames of the sender's beat that never came, as far as told
    uint64_t restarts;           ///< times that the sender's clock began anew
} lmb_vmc_report;

/// Puts packets together to frames, and holds the newest so that they play evenly. Blend shapes
/// (Blend/Val) count from when they are applied (Blend/Apply) or, of senders that never do, at
/// once, and stay until they are told anew; what comes after the bones of a frame is the next
/// one's. Names of blend shapes live as long as this does.
typedef struct lmb_vmc lmb_vmc;

typedef struct lmb_vmc_opts {
    /// how long after the fastest packets playing lags, so that slower ones still come in time; 0
    /// counts as 0.05
    double delay_s;
} lmb_vmc_opts;

LMB_API lmb_result lmb_vmc_create(const lmb_vmc_opts *opts, const lmb_allocator *alloc,
                                  lmb_vmc **out, lmb_error *error);
LMB_API void lmb_vmc_destroy(lmb_vmc *vmc);
/// Takes a packet as it came. Returns how many frames it completed. A frame is complete when the
/// bundle ends that brought as many bones as the frame before had, when the sender's clock goes on,
/// or when a bone comes again.
LMB_API uint32_t lmb_vmc_receive(lmb_vmc *vmc, const void *bytes, size_t size, double now_s);
/// Completes what has come of a frame: at the end.
LMB_API uint32_t lmb_vmc_flush(lmb_vmc *vmc, double now_s);
/// The oldest frame that was not yet taken, false when there is none. Up to 64 wait; beyond that
/// the oldest are lost (and counted as missed).
LMB_API bool lmb_vmc_take(lmb_vmc *vmc, lmb_vmc_frame *out);
/// What is to be shown at a time of the receiver's clock: between the frames of that time less the
/// delay; the newest where none has come since. False before the first.
LMB_API bool lmb_vmc_play(const lmb_vmc *vmc, double now_s, lmb_vmc_frame *out);
LMB_API lmb_vmc_report lmb_vmc_state(const lmb_vmc *vmc);

/// A frame as a VMC packet, one bundle: OK, T, Root/Pos, Blend/Val, Blend/Apply, Bone/Pos. Returns
/// its size, 0 when it does not fit: LMB_VMC_PACKET bytes hold every frame whose blend shapes have
/// names of at most 63 bytes.
LMB_API size_t lmb_vmc_write(const lmb_vmc_frame *frame, void *bytes, size_t capacity);
/// Who moves in a recording, and how: a character of the slots that were sent, as they are named,
/// under "root", with one clip that has every frame as a key at its own time, the first at 0;
/// frames that do not go forward in time are left out. Bones whose places were not sent take those
/// of a body of 1.75 m. Errors: INVALID for no frames, or none with hips; MEMORY.
LMB_API lmb_result lmb_vmc_character(const lmb_vmc_frame *frames, uint32_t count,
                                     const lmb_allocator *alloc, lmb_character **out,
                                     lmb_error *error);

/// The frame as a pose of such a character: bones that were not sent keep what `local` holds, the
/// joints that no bone is called after too. local[skeleton->joint_count].
LMB_API void lmb_vmc_pose(const lmb_vmc_frame *frame, const lmb_skeleton *skeleton,
                          lmb_transform *local);

// ------------------------------------------------------------------------------------------ faces

/// A pull on one morph target: of the instance on `joint`, as lmb_character_weights counts.
typedef struct lmb_expression_bind {
    uint32_t joint, target;
    float weight; ///< of the target when the expression is fully there
} lmb_expression_bind;

/// What an expression does to others while it is there.
typedef enum lmb_expression_override {
    LMB_OVERRIDE_NONE = 0,
    LMB_OVERRIDE_BLOCK, ///< they are not there at all
    LMB_OVERRIDE_BLEND, ///< they are there the less, the more it is
} lmb_expression_override;

typedef struct lmb_expression {
    const char *name; ///< VRM 1.0's of its presets ("happy", "blinkLeft"), else the file's
    bool is_preset;   ///< one of VRM 1.0's
    bool is_target;   ///< no expression of a VRM: all morph targets of that name
    bool is_binary;   ///< there or not, from one half on
    /// of the presets of speech, of the lids and of looking, but those of its own kind
    lmb_expression_override override_mouth, override_blink, override_look;
    uint32_t bind_count;
    lmb_expression_bind *binds;
} lmb_expression;

/// From the size of an angle to how far eyes turn (radians) or an expression is there.
typedef struct lmb_gaze_range {
    float input_max_rad, output;
} lmb_gaze_range;

/// What a character's face can do: the expressions of a VRM 0.x or 1.0 and, behind them, its morph
/// targets by name; how its eyes follow a gaze.
typedef struct lmb_face {
    uint32_t expression_count;
    lmb_expression *expressions;
    int32_t eyes[2]; ///< joints, left and right, or LMB_NONE
    float facing;    ///< +1: along +z; -1: along -z, as VRM 0.x has it
    bool gaze_by_expression;
    lmb_gaze_range gaze_in, gaze_out, gaze_down, gaze_up; ///< of an eye towards the nose, …
    lmb_allocator allocator;
} lmb_face;

/// Errors: MEMORY.
LMB_API lmb_result lmb_face_create(const lmb_character *character, const lmb_allocator *alloc,
                                   lmb_face **out, lmb_error *error);
LMB_API void lmb_face_destroy(lmb_face *face);
/// The expression of that name: case does not count, and VRM 0.x's names ("Joy", "Blink_L", "A")
/// mean VRM 1.0's. LMB_NONE for none.
LMB_API int32_t lmb_face_find(const lmb_face *face, const char *name);

/// Expressions over time, and a gaze.
typedef struct lmb_face_motion {
    uint32_t track_count, key_count;
    const char **names; ///< [track_count] of expressions
    float *times_s;     ///< [key_count] rising
    float *values;      ///< [key_count][track_count] 0 to 1
    bool is_step;       ///< values hold until the next key
    /// [key_count] radians since straight ahead: x to the body's left, y up; NULL: no gaze
    lmb_vec2 *gaze;
    lmb_allocator allocator;
} lmb_face_motion;

/// What a clip does with the face: the expressions and the gaze of a VRM animation; of others the
/// morph weights as expressions (least squares over those of a VRM, before these override each
/// other; what they do not explain, as targets by name). `out` gets NULL when it does nothing. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_clip(const lmb_character *character, uint32_t clip,
                                           const lmb_allocator *alloc, lmb_face_motion **out,
                                           lmb_error *error);
/// The blend shapes of a VMC recording; times as lmb_vmc_character has them. NULL when there are
/// none. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_vmc(const lmb_vmc_frame *frames, uint32_t count,
                                          const lmb_allocator *alloc, lmb_face_motion **out,
                                          lmb_error *error);
LMB_API void lmb_face_motion_destroy(lmb_face_motion *motion);
/// The tracks at a time: values[track_count]. Before the first key and after the last these hold.
LMB_API void lmb_face_motion_at(const lmb_face_motion *motion, double time_s, float *values);

typedef struct lmb_face_report {
    uint32_t matched;   ///< tracks that the face has an expression for
    uint32_t unmatched; ///< and those that it does not
    bool has_gaze;      ///< the eyes or the expressions of looking follow
} lmb_face_report;

/// A copy of a clip of the character, with its morph weights and eyes moved by the face motion,
/// whose time 0 is the clip's `shift_s`. Weights add up, each expression's value clamped to [0, 1]
/// and overridden by others (VRMC_vrm 1.0). Channels of the same weights and eyes give way. Errors: MEMORY.
LMB_API lmb_result lmb_face_put(const lmb_character *character, const lmb_face *face,
                                const lmb_face_motion *motion, double shift_s, const lmb_clip *clip,
                                const lmb_allocator *alloc, lmb_clip **out, lmb_face_report *report,
                                lmb_error *error);
/// The weights of one moment: values[track_count] of the tracks' names onto
/// weights[lmb_character_weights], which is left as it is where no track reaches.
LMB_API void lmb_face_weights(const lmb_face *face, const char *const *names, const float *values,
                              uint32_t track_count, const uint32_t *weight_first, float *weights);

// -------------------------------------------------------------------------------- pose by pose

/// Retargets a motion pose by pose, as it comes: rotations and the path of hips or root as
/// lmb_retarget has them, as humans or by chains, feet as they come.
typedef struct lmb_live lmb_live;

/// `source` is who moves, standing in its reference pose or with it as its first clip's; neither
/// character is kept hold of but for the skeleton of `target`, which must stay. Errors: UNSUPPORTED
/// when one of the two has no humanoid and they have no chains in common either; MEMORY.
LMB_API lmb_result lmb_live_create(const lmb_character *target, const lmb_character *source,
                                   const lmb_retarget_opts *opts, const lmb_allocator *alloc,
                                   lmb_live **out, lmb_error *error);
LMB_API void lmb_live_destroy(lmb_live *live);
/// `source` has the source's joint count, `target` the target's; both parent_from_joint. Allocates
/// nothing.
LMB_API void lmb_live_step(lmb_live *live, const lmb_transform *source, lmb_transform *target);
/// The target's pose of the last step as a VMC frame: turns since a T-pose, however the target
/// rests; of a target that goes by chains, turns since its rest pose of what it has of a human's
/// bones. `time_s` and `arrived_s` are left alone.
LMB_API void lmb_live_frame(const lmb_live *live, lmb_vmc_frame *out);

#ifdef __cplusplus
}
#endif
#endif
