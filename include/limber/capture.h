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
    LMB_FIT_AUTO = 0,  ///< joints or markers, whichever more of the names mean
    LMB_FIT_POSITIONS, ///< positions of joints
    LMB_FIT_MARKERS,   ///< markers on the skin, at unknown offsets from the joints
} lmb_fit_kind;

typedef struct lmb_fit_opts {
    lmb_fit_kind kind;
    const lmb_joint_map *map; ///< of the character; NULL: found
    /// [marker_count] the joint of each point, LMB_NONE for none; NULL: by names
    const int32_t *joints;
    bool keep_lengths; ///< the subject has the character's bone lengths up to one scale
    bool keep_size;    ///< the subject has the character's bone lengths unscaled
    bool free;         ///< joints have no limits
    /// weight of smoothness between neighbouring frames, against points of weight 1; 0 counts as
    /// 1e-4. Larger is smoother and farther from the points
    float smooth;
    float frame_rate; ///< used if the recording has none; 0 counts as 30
    const char *name; ///< of the clip; NULL: that of the points, or "fit"
    const lmb_progress *progress;
} lmb_fit_opts;

/// How one point of the recording was fitted.
typedef struct lmb_fit_point {
    int32_t joint;   ///< that it is attached to; LMB_NONE: it was not used
    lmb_vec3 offset; ///< from the joint, in its frame, metres
    bool by_motion;  ///< attached by its motion, since its name is unknown
    /// root mean square and largest distance to the fit where it was seen, metres
    float rms_m, most_m;
    uint32_t seen_frames, gap_count;
    uint32_t swapped_frames; ///< in which its label was swapped with another point's
} lmb_fit_point;

/// A recording as joint angles. The subject has the character's joints, with the same names and
/// order, and the recorded person's bone lengths; the clip belongs to it.
typedef struct lmb_fit {
    lmb_fit_kind kind;
    lmb_skeleton *subject;
    lmb_clip *clip; ///< rotations of joints, and translation of the hips
    uint32_t point_count, used_count;
    lmb_fit_point *points; ///< [point_count]
    uint32_t frame_count;
    float frame_rate;
    float scale;             ///< size of the subject over that of the character
    float length_change;     ///< largest change of a bone's length beyond `scale`, as a fraction
    float mean_m, most_m;    ///< mean and largest distance of the points to the fit, metres
    uint32_t filled_frames;  ///< frames in which some used point was missing
    uint32_t swap_count;     ///< swapped pairs of labels that were restored
    uint32_t limited_frames; ///< frames in which a joint is at its limit
    lmb_allocator allocator;
} lmb_fit;

/// Fits the character's skeleton to points over time: joint positions, or markers on the skin.
///
/// Bone lengths and marker offsets (in their joints' frames) are estimated on up to 40 frames that
/// differ most, by Gauss-Newton over these and the poses, with the poses eliminated frame by frame
/// (Schur complement). Then lmb_ik_full_body solves every frame from the one before, and twice more
/// between its neighbours, which makes twist and hidden limbs smooth. Elbows and knees of a
/// humanoid are hinges. Joints without points stay in the character's reference pose.
/// Errors: INVALID for no frames; UNSUPPORTED when the names of fewer than three points are known
/// to be on the trunk (named in `found`); CANCELLED; MEMORY.
LMB_API lmb_result lmb_fit_points(const lmb_character *character, const lmb_markers *points,
                                  const lmb_fit_opts *opts, const lmb_allocator *alloc,
                                  lmb_fit **out, lmb_error *error);
LMB_API void lmb_fit_destroy(lmb_fit *fit);

// -------------------------------------------------------------------------------------- keypoints

/// Points of a body in a picture, as detectors name them.
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

/// Layout of the file that was read.
typedef enum lmb_keypoint_layout {
    LMB_KEYPOINTS_OPENPOSE_25 = 0, ///< OpenPose, BODY_25
    LMB_KEYPOINTS_OPENPOSE_18,     ///< OpenPose, COCO
    LMB_KEYPOINTS_COCO_17,
    LMB_KEYPOINTS_MEDIAPIPE_33,
} lmb_keypoint_layout;

/// One person in one camera's pictures over time.
typedef struct lmb_keypoints {
    uint32_t frame_count;
    float frame_rate; ///< Hz; 0 when unknown
    lmb_keypoint_layout layout;
    const char *layout_name; ///< "OpenPose BODY_25"; static
    float width, height;     ///< of the picture, pixels; 0 when unknown
    lmb_vec2 *points;        ///< [frame_count][LMB_KEYPOINT_COUNT] pixels, x right, y down
    float *confidence;       ///< [frame_count][LMB_KEYPOINT_COUNT] 0 (not seen) to 1
    lmb_allocator allocator;
} lmb_keypoints;

typedef struct lmb_keypoints_opts {
    /// of the picture, pixels, for files with fractions of it (MediaPipe); 0: as the file says
    float width, height;
    float frame_rate; ///< Hz; 0: as the file says
} lmb_keypoints_opts;

/// Reads JSON as detectors write it: a frame of OpenPose ("people": [{"pose_keypoints_2d": […]}]),
/// a list of such frames or one after the other; a list of COCO's annotations ("keypoints": […17 x
/// 3…], "image_id"), or an object that holds them; lists of 33 landmarks {"x", "y", "visibility"}
/// of MediaPipe, or objects that hold such lists. Of several people in a frame, the one with the
/// highest total confidence is read. Errors: MALFORMED with line and column, also for a file
/// without keypoints; INVALID for landmarks without the size of the picture; MEMORY.
LMB_API lmb_result lmb_keypoints_read(const void *bytes, size_t size,
                                      const lmb_keypoints_opts *opts, const lmb_allocator *alloc,
                                      lmb_keypoints **out, lmb_error *error);
LMB_API void lmb_keypoints_destroy(lmb_keypoints *keypoints);
/// Concatenates files of one or more frames each. Errors: INVALID for different layouts; MEMORY.
LMB_API lmb_result lmb_keypoints_join(const lmb_keypoints *const *list, uint32_t count,
                                      const lmb_allocator *alloc, lmb_keypoints **out,
                                      lmb_error *error);

typedef struct lmb_lift_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    /// of the camera, pixels; 0: a field of view of 55 degrees over the picture's longer side
    float focal_px;
    float noise_px;   ///< standard deviation of the keypoints; 0: measured from their jitter
    float frame_rate; ///< used if the keypoints have none; 0 counts as 30
    bool no_contacts; ///< feet are not locked to one floor
    const char *name; ///< of the clip; NULL: "lifted"
    const lmb_progress *progress;
} lmb_lift_opts;

typedef struct lmb_lift {
    lmb_clip *clip; ///< of the character
    uint32_t frame_count, unseen_frames;
    uint32_t exchanged_frames; ///< in which left and right were swapped back
    float frame_rate;          ///< of the clip: that of the keypoints, or less
    float focal_px, noise_px;
    float error_px;  ///< root mean square reprojection error
    float depth_m;   ///< mean distance of the hips from the camera
    lmb_vec3 camera; ///< position in the clip's space; it looks along -Z, level
    uint32_t contact_count;
    lmb_allocator allocator;
} lmb_lift;

/// Lifts keypoints of one level camera to a motion of the character: poses whose joints project to
/// the keypoints, with the character's bone lengths, human joint limits, smooth rotations, and feet
/// planted on one floor (SMPLify, Bogo et al. 2016, over time).
///
/// Each bone may point towards the camera or away from it (Taylor 2000). These signs are chosen at
/// samples a tenth of a second apart, by dynamic programming over accelerations, a prior over human
/// poses, and feet of which one is planted; then all frames are solved together by
/// Levenberg-Marquardt. Where the keypoints' noise is below two millimetres on the body, depths
/// along the rays are solved as well: bones are mirrored in depth over intervals wherever that
/// costs less, and the better of both motions is kept. Left and right that a detector exchanged in
/// less than half of the frames are swapped back; where many points jump at once, nothing is
/// smoothed. One camera cannot tell size from distance: the character's size decides.
/// Errors: UNSUPPORTED for a character that is not a humanoid; INVALID where neither hips nor
/// shoulders are seen; CANCELLED; MEMORY.
LMB_API lmb_result lmb_lift_keypoints(const lmb_character *character,
                                      const lmb_keypoints *keypoints, const lmb_lift_opts *opts,
                                      const lmb_allocator *alloc, lmb_lift **out, lmb_error *error);
LMB_API void lmb_lift_destroy(lmb_lift *lift);

// --------------------------------------------------------------------------------------- clean-up

typedef struct lmb_clean_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    bool keep_spikes, keep_gaps, keep_feet;
    float smooth_hz;    ///< cut-off frequency of the smoothing; 0: none
    bool trim;          ///< trims to the part that moves
    bool loop;          ///< trims to the part that loops best, and closes it
    float loop_least_s; ///< least length of the loop; 0 counts as 0.5
    bool mirror;
    const char *name; ///< of the result; NULL: the clip's own
} lmb_clean_opts;

typedef struct lmb_clean_report {
    uint32_t frame_count;
    float frame_rate;
    uint32_t spike_count;   ///< joint values that jumped away and back
    uint32_t gap_frames;    ///< frames in which the whole body paused between moving frames
    uint32_t contact_count; ///< times that a foot was locked
    bool feet_held;         ///< false without legs, and with keep_feet
    bool by_chains;         ///< not a humanoid: the feet are the ends of the legs of `chains`
    lmb_chain_map chains;
    float largest_correction; ///< of a foot's position, metres
    double begin_s, end_s;    ///< the part of the clip that was kept
} lmb_clean_report;

/// Cleans a clip of a character, in this order. Interpolates over spikes (up to three frames of one
/// joint that jump away and back) and gaps (identical frames while the body moves, up to half a
/// second). Smooths with a Gaussian, the same forwards and backwards. Locks planted feet as
/// lmb_retarget of the character onto itself does, hence after smoothing. Trims, loops, mirrors. A
/// character that is not a humanoid has the ends of its legs locked, by chains.
/// The clip has linear keys at its own rate (with locked feet, at lmb_retarget's). Scales and morph
/// weights are left out.
/// Errors: INVALID when there is no such clip, or it has no duration; MEMORY.
LMB_API lmb_result lmb_clean_clip(const lmb_character *character, uint32_t clip,
                                  const lmb_clean_opts *opts, const lmb_allocator *alloc,
                                  lmb_clip **out, lmb_clean_report *report, lmb_error *error);

// -------------------------------------------------------------------------------- pose by pose

/// Retargets a motion pose by pose, as it arrives: rotations and the path of hips or root as
/// lmb_retarget, as humanoids or by chains, without locking feet.
typedef struct lmb_live lmb_live;

/// `source` is the moving character, standing in its reference pose or with that as its first
/// clip's first pose. Only the skeleton of `target` is kept by reference and must outlive this.
/// Errors: UNSUPPORTED when one of the two is not a humanoid and they have no chains in common;
/// MEMORY.
LMB_API lmb_result lmb_live_create(const lmb_character *target, const lmb_character *source,
                                   const lmb_retarget_opts *opts, const lmb_allocator *alloc,
                                   lmb_live **out, lmb_error *error);
LMB_API void lmb_live_destroy(lmb_live *live);
/// `source` has the source's joint count, `target` the target's; both parent_from_joint. Allocates
/// nothing.
LMB_API void lmb_live_step(lmb_live *live, const lmb_transform *source, lmb_transform *target);
/// The target's pose of the last step as a VMC frame: rotations relative to a T-pose, whatever the
/// target's rest pose. For a target retargeted by chains they are relative to its rest pose, for
/// the human bones that it has. `time_s` and `arrived_s` are not set.
LMB_API void lmb_live_frame(const lmb_live *live, lmb_vmc_frame *out);

// --------------------------------------------------------------------------------- VRM animations

typedef struct lmb_vrma_write_opts {
    const lmb_joint_map *map; ///< of the character; NULL: found
    float frame_rate;         ///< Hz; 0: the clip's own, or 30
} lmb_vrma_write_opts;

/// Writes a clip as a VRM animation (.vrma: a GLB with VRMC_vrm_animation 1.0): the humanoid in
/// T-pose with bones named and ordered by bone, rotations of the bones, the path of the hips,
/// expressions, and a look-at if the clip rotates the eyes. Other joints, meshes, scale, and
/// translations of bones other than the hips are left out.
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

/// Converts a clip to poses of SMPL's skeleton, +Z up as in AMASS, shape coefficients 0: retargeted
/// to the average body of lmb_body_motion_character, without locking feet. Errors: those of
/// lmb_retarget and lmb_body_motion_character.
LMB_API lmb_result lmb_body_motion_of_clip(const lmb_character *character, uint32_t clip,
                                           const lmb_body_motion_opts *opts,
                                           const lmb_allocator *alloc, lmb_body_motion **out,
                                           lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
