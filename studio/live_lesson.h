/// What the page's lesson asks the library, one small question a call: numbers in plain arrays in, numbers out. Each
/// fails as the calls of live_exports.h do. Calls that begin something keep one of its kind at a time; it ends with the
/// next begin, and when the character is closed.
#ifndef LIMBER_STUDIO_LIVE_LESSON_H
#define LIMBER_STUDIO_LIVE_LESSON_H

#include <stdint.h>

// ---- numbers alone: live_lesson.c

enum {
    LIMBER_CURVE_LINEAR = 0,
    LIMBER_CURVE_STEP,
    LIMBER_CURVE_CUBIC,   ///< tangents that do not overshoot
    LIMBER_CURVE_CATMULL, ///< tangents along the neighbours: Kochanek and Bartels with all at 0
};
enum { LIMBER_LESSON_MOST = 64 }; ///< keys, joints of an arm, examples

/// The value of a keyed curve at `sample_count` times: `keys` are [key_count] times and values, rising in time. 1 done.
int limber_lesson_curve(int kind, uint32_t key_count, const float *keys, uint32_t sample_count,
                        const float *times, float *values);
/// Between two unit quaternions x y z w at `t`: by slerp, or entry by entry, which leaves the length below 1. 1 done.
int limber_lesson_turn(const float *from, const float *to, float t, int slerp, float *out);
/// Forward kinematics: `local` are [count][10] as limber_pose, `model` gets [count][16]. Parents precede children,
/// -1 for a root. 1 done.
int limber_lesson_forward(uint32_t count, const int32_t *parents, const float *local, float *model);

/// One sweep after the other of CCD or FABRIK (an lmb_ik_solver) on an arm in the plane: bone k is `lengths`[k] long
/// and rotated by `angles`[k] against the one before. `limits`: NULL, or [count] pairs, least and most. Rewrites the
/// angles. Returns what is left to the target; -1 when the call fails.
float limber_lesson_reach(int solver, uint32_t count, const float *lengths, const float *limits,
                          float x, float y, uint32_t sweeps, float *angles);
/// One step of a Jacobian solver (an lmb_ik_solver): `jacobian` is [rows][columns], `error` [rows], `step` gets
/// [columns]. 1 done.
int limber_lesson_step(int solver, uint32_t rows, uint32_t columns, const double *jacobian,
                       const double *error, double damping, double *step);

/// Blend shapes: `shapes` are [1 + target_count][point_count][3], the first at rest; weights are [1 + target_count] of
/// whole shapes that are divided by their sum, or, with `relative`, of differences from the first, whose own is not
/// read. 1 done.
int limber_lesson_shapes(uint32_t point_count, uint32_t target_count, const float *shapes,
                         const float *weights, int relative, float *out);
/// Pose-space weights of examples at `example_count` angles of a hinge, for the angle that it has; `kernel` is an
/// lmb_kernel. 1 done.
int limber_lesson_pose_space(int kernel, float radius_rad, int normalized, uint32_t example_count,
                             const float *angles, float angle, float *out);

// ---- heat: live_lesson_heat.c

/// Heat on a mesh at rest from the bones of a joint, as bone heat weights have it (Baran and Popovic 2007), at first
/// cold. Each step solves (A + t (L + A H)) w' = A w + t A H p for `seconds` t. 1 done.
int limber_lesson_heat_begin(int handle, uint32_t mesh, uint32_t joint, float seconds);
/// [vertex_count] the mesh's heat, from 0 to 1.
const float *limber_lesson_heat_step(int handle);

// ---- a character that moves: live_lesson_motion.c

/// The vertices of a mesh by an lmb_skin_method, as limber_skin.
const float *limber_lesson_skin(int handle, uint32_t mesh, int method);
/// Sets the pose to two clips at their times: the second's weight is `weight`, or, with `additive`, what it differs by
/// from its own first frame is added with that weight. 1 done.
int limber_lesson_blend(int handle, uint32_t clip, double time_s, uint32_t other,
                        double other_time_s, float weight, int additive);

/// A gait of this body: `numbers` are speed (m/s), and factors of lift, width, bounce, arm swing, and the fraction that
/// the hips sink by; 0 for what is usual. Returns the seconds of a cycle; 0 when the call fails.
float limber_lesson_gait_begin(int handle, const float *numbers);
/// Sets the pose. 1 done.
int limber_lesson_gait_pose(int handle, double time_s);

/// From the pose on the body falls onto the ground of its rest pose. Returns how many bones it has; -1 when the call
/// fails. A joint `hz` above 0 holds the pose like a muscle.
int32_t limber_lesson_fall_begin(int handle, float hz);
/// One frame: limber_pose is what it fell to. Returns the energy of its movement in joules; -1 when the call fails.
float limber_lesson_fall_step(int handle, float seconds);
/// A blow to the bone of a joint, in newton seconds. 1 done.
int limber_lesson_fall_push(int handle, uint32_t joint, float x, float y, float z);

// ---- a body with a shape: live_lesson_body.c

enum { LIMBER_BODY_SHAPES = 5 }; ///< height, girth, legs, arms, shoulders

/// Makes of the first mesh of a human, standing in a T-pose, a body model as SMPL is one: a template, a direction for each of
/// LIMBER_BODY_SHAPES, joints as weighted means of vertices, and correctives that answer to R - I of elbows and knees,
/// fitted to two bends each. Returns how many joints it has; 0 when the call fails.
uint32_t limber_lesson_body_begin(int handle);
/// The vertices for these coefficients, the pose being that of the character; `correctives` 0: without them.
const float *limber_lesson_body_skin(int handle, const float *shape, int correctives);
/// [joint_count][3] where the model's joints were then.
const float *limber_lesson_body_joints(int handle);

#endif
