/// Recorded motion: markers and positions fitted to a character, keypoints of one camera lifted, clips cleaned, streams
/// retargeted pose by pose, motion written as VRM animations and SMPL poses.
#ifndef LIMBER_CAPTURE_H
#define LIMBER_CAPTURE_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/io.h"
#include "limber/mapping.h"
#include "limber/retarget.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- fitting

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

#ifdef __cplusplus
}
#endif
#endif
