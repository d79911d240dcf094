/// Fitting of a skeleton to recorded points.
#ifndef CAPTURE_FIT_H
#define CAPTURE_FIT_H

#include "base/arena.h"
#include "limber/capture.h"
#include "limber/ik.h"
#include "retarget/body.h"

/// The recorded person: the character's joints in an upright rest pose, in metres, without scale,
/// and with nothing above the root. Local rotations below the root are the character's own.
typedef struct lmbi_fit_subject {
    const lmb_character *character;
    lmb_joint_map map;
    bool humanoid;
    uint32_t count, root;    ///< joints; the joint that carries the body: hips
    lmb_skeleton skeleton;   ///< the character's, except that `rest` is the array below
    lmb_transform *rest;     ///< [count] local reference pose with the subject's bone lengths
    lmb_transform *original; ///< [count] the same with the character's bone lengths
    lmb_joint_limit *limits; ///< [count], or NULL: none
    lmb_joint_limit *hinges; ///< [count] hinges with a wide range and no other limits; or NULL
    lmb_vec3 *positions;     ///< [count] positions of the joints in `original`
    /// [count] metres per unit of the joint's translation in the character
    float *unit_m;
    lmb_transform root_parent; ///< model_from_parent of the root in the character
    float height;              ///< extent of `positions` along Y
} lmbi_fit_subject;

/// A non-humanoid stands in its rest pose, with only its skeleton's own limits. `root` is used for
/// it alone.
lmb_result lmbi_subject_make(const lmb_character *character, const lmb_joint_map *map, bool free,
                             uint32_t root, const lmb_allocator *alloc, lmbi_arena *arena,
                             lmbi_fit_subject *out, lmb_error *error);
/// Lets forearms twist about their length in `hinges`: markers on them pronate with the hand.
void lmbi_subject_twist_forearms(lmbi_fit_subject *s);
/// Model matrices of a local pose of the subject.
void lmbi_subject_model(const lmbi_fit_subject *subject, const lmb_transform *local,
                        lmb_mat4 *model);
/// The root's transform under its parent in the character.
lmb_transform lmbi_subject_root(const lmbi_fit_subject *subject, const lmb_transform *local);
/// Creates the character's skeleton with the subject's lengths. INVALID, MEMORY.
lmb_result lmbi_subject_skeleton(const lmbi_fit_subject *subject, const lmb_allocator *alloc,
                                 lmbi_arena *arena, lmb_skeleton **out, lmb_error *error);

/// The joint that a recorded point is attached to.
typedef struct lmbi_attachment {
    int32_t joint;   ///< LMB_NONE: not used
    lmb_vec3 offset; ///< in the joint's frame
    bool by_motion, trunk;
    /// the offset is estimated: of a marker, or of a joint whose position differs among rigs
    bool loose;
    bool exact; ///< the joint has the point's name
} lmbi_attachment;

typedef struct lmbi_fitting {
    lmbi_fit_subject subject;
    lmb_fit_kind kind;
    const lmb_fit_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena *arena;
    const char *const *names;
    uint32_t point_count, frame_count;
    float rate;
    lmb_vec3 *points;             ///< [frame_count][point_count], with swapped labels restored
    uint8_t *seen;                ///< [frame_count][point_count]
    lmbi_attachment *attachments; ///< [point_count]
    uint32_t *swapped;            ///< [point_count] frames in which its label was swapped
    uint32_t swap_count;
    uint8_t *active;      ///< [subject.count] joints from the root to those with points
    float scale;          ///< size of the subject over that of the character
    lmb_transform *poses; ///< [frame_count][subject.count]
    uint32_t limited_frames;
    const lmb_joint_limit *limits; ///< limits of the present solves: one of the subject's two
    // scratch memory of a solve
    lmb_goal *goals;
    lmb_mat4 *model;
    void *scratch;
    size_t scratch_size;
} lmbi_fitting;

/// Attaches each point to a joint by its name, with an offset in the reference pose; decides
/// `kind`.
lmb_result lmbi_fit_attach(lmbi_fitting *fit, lmb_error *error);
/// Restores labels that are swapped between two frames, and counts them. False without memory.
bool lmbi_fit_unswap_labels(lmbi_fitting *fit);
/// Estimates the subject's size from the points of the trunk.
void lmbi_fit_estimate_size(lmbi_fitting *fit);
/// Rotates and moves the root of `local` so that the trunk is near its points. False where fewer
/// than three of them are seen.
bool lmbi_fit_align_root(const lmbi_fitting *fit, uint32_t frame, lmb_transform *local);
/// Solves one frame, starting from the pose in `local`. `previous`, if not NULL, attracts it
/// weakly. `extra` goals are in fit->goals already; those of the points follow.
lmb_ik_full_body_report lmbi_fit_solve(lmbi_fitting *fit, uint32_t frame, lmb_transform *local,
                                       const lmb_transform *previous, float pull,
                                       uint32_t iterations, uint32_t extra);
/// Position of point m in a pose.
static inline lmb_vec3 lmbi_fit_point_at(const lmbi_fitting *fit, const lmb_mat4 *model, uint32_t m)
{
    return lmb_mat4_point(model[fit->attachments[m].joint], fit->attachments[m].offset);
}
/// Estimates bone lengths and marker offsets on frames that differ. CANCELLED, MEMORY.
lmb_result lmbi_fit_calibrate(lmbi_fitting *fit, lmb_error *error);
/// Attaches points with unknown names to the joint relative to which they move least.
bool lmbi_fit_attach_unnamed(lmbi_fitting *fit, const uint32_t *frames, uint32_t frame_count,
                             const lmb_transform *poses);
/// Solves every frame. CANCELLED, MEMORY.
lmb_result lmbi_fit_frames(lmbi_fitting *fit, lmb_error *error);

// Quantities that are constant over a recording: bone lengths, and offsets of markers.

typedef enum lmbi_constant_kind {
    CONSTANT_LENGTHS,  ///< one factor on the bone lengths of a group of joints
    CONSTANT_POSITION, ///< a joint's position in its parent's frame: three numbers
    CONSTANT_OFFSET,   ///< a marker's position in its joint's frame: three numbers
} lmbi_constant_kind;

typedef struct lmbi_constant {
    lmbi_constant_kind kind;
    uint32_t subject; ///< group, joint or marker
    uint32_t column;
    lmb_vec3 initial; ///< initial position or offset
} lmbi_constant;

typedef struct lmbi_calibration {
    lmbi_fitting *fit;
    uint32_t *frames, frame_count; ///< frames used for the calibration
    lmb_transform *poses;          ///< [frame_count][joints]
    lmbi_constant *constants;
    uint32_t constant_count, columns;
    int32_t *group_of;    ///< [joints] or LMB_NONE
    int32_t *position_of; ///< [joints] index in constants or LMB_NONE
    int32_t *offset_of;   ///< [points]
    double *factor;       ///< [groups] present over initial length
    uint32_t group_count;
    uint32_t dof_count;      ///< degrees of freedom of a pose
    uint32_t *dof_of;        ///< [joints] first column of the joint's rotation
    lmb_vec3 *initial;       ///< [joints] initial translations
    float error_scale;       ///< metres beyond which a point counts less (Geman and McClure)
    double noise;            ///< present standard deviation of the points, metres
    double squares, weights; ///< sums over all points
    // the normal equations: of poses (a), mixed (b), of constants (c)
    double *a, *b, *c, *x, *rhs, *row_pose, *row_constant;
    uint32_t *entries; ///< [dof_count + columns] of the row under way, where it is not zero
} lmbi_calibration;

/// One Gauss-Newton step on the constants, with the poses eliminated. `largest` gets the largest
/// change in metres. False where the equations are singular.
bool lmbi_calibration_step(lmbi_calibration *cal, float *largest);

// Usual position of a marker by its name.

typedef struct lmbi_marker_guess {
    int segment; ///< bone whose joint it moves with
    int near;    ///< bone whose joint it is offset from
    /// offset from that joint, metres, on a body of 1.75 m in T-pose facing +Z
    lmb_vec3 offset;
} lmbi_marker_guess;

/// Guesses a marker's position from its name: those of Vicon's Plug-in Gait, CMU's 41, Helen Hayes
/// as in Cortex and OpenSim, Qualisys' animation and movement analysis sets, OptiTrack's, and plain
/// words with a side ("LtElbow", "LeftWristOut"). False for an unknown name.
bool lmbi_marker_name_read(const char *name, lmbi_marker_guess *out);

#endif
