/// What the lesson asks of numbers alone: curves, rotations, forward and inverse kinematics, shapes.
#include "live_lesson.h"
#include "live.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool all_finite(const float *numbers, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        if (!isfinite(numbers[k])) {
            return live_fail("number %zu is not finite", k);
        }
    }
    return true;
}

static bool is_count(const char *what, uint32_t count, uint32_t least)
{
    return (count >= least && count <= LIMBER_LESSON_MOST) ||
           live_fail("expected %u to %u %s, found %u", (unsigned)least,
                     (unsigned)LIMBER_LESSON_MOST, what, (unsigned)count);
}

// ------------------------------------------------------------------------------------------ keys

/// A clip of one joint whose height is the curve.
static lmb_clip *clip_of_keys(int kind, uint32_t count, const float *keys)
{
    float ticks[LIMBER_LESSON_MOST], values[3 * LIMBER_LESSON_MOST] = {0};
    for (uint32_t k = 0; k < count; ++k) {
        ticks[k] = keys[2 * k];
        values[3 * k + 1] = keys[2 * k + 1];
    }
    lmb_channel channel = {.path = LMB_PATH_TRANSLATION,
                           .interpolation = kind == LIMBER_CURVE_STEP ? LMB_STEP : LMB_LINEAR,
                           .width = 3,
                           .key_count = count,
                           .ticks = ticks,
                           .values = values};
    const lmb_clip def = {.duration = ticks[count - 1], .channel_count = 1, .channels = &channel};
    lmb_error error = {0};
    lmb_clip *clip = NULL, *smooth = NULL;
    if (lmb_clip_create(&def, NULL, &clip, &error) != LMB_OK) {
        (void)live_fail_call("the keys", &error);
        return NULL;
    }
    if (kind == LIMBER_CURVE_LINEAR || kind == LIMBER_CURVE_STEP) {
        return clip;
    }
    const lmb_smooth_opts opts = {.kind = kind == LIMBER_CURVE_CUBIC ? LMB_TANGENTS_MONOTONE
                                                                     : LMB_TANGENTS_TCB};
    if (lmb_clip_apply(clip, &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH, .tangents = opts}, NULL,
                       &smooth, &error) != LMB_OK) {
        (void)live_fail_call("the keys", &error);
    }
    lmb_clip_destroy(clip);
    return smooth;
}

EXPORT(limber_lesson_curve)
int limber_lesson_curve(int kind, uint32_t key_count, const float *keys, uint32_t sample_count,
                        const float *times, float *values)
{
    if (kind < LIMBER_CURVE_LINEAR || kind > LIMBER_CURVE_CATMULL) {
        return live_fail("there is no curve %d", kind);
    }
    if (!is_count("keys", key_count, 1) || !all_finite(keys, 2 * (size_t)key_count) ||
        !all_finite(times, sample_count)) {
        return 0;
    }
    lmb_clip *clip = clip_of_keys(kind, key_count, keys);
    if (clip == NULL) {
        return 0;
    }
    for (uint32_t k = 0; k < sample_count; ++k) {
        lmb_transform pose;
        lmb_sample(&(lmb_sample_job){
            .clip = clip, .time_s = (double)times[k], .joint_count = 1, .pose = &pose});
        values[k] = pose.translation.y;
    }
    lmb_clip_destroy(clip);
    return 1;
}

EXPORT(limber_lesson_turn)
int limber_lesson_turn(const float *from, const float *to, float t, int slerp, float *out)
{
    if (!all_finite(from, 4) || !all_finite(to, 4) || !all_finite(&t, 1)) {
        return 0;
    }
    const lmb_quat a = {from[0], from[1], from[2], from[3]}, b = {to[0], to[1], to[2], to[3]};
    lmb_quat q = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z),
                  a.w + t * (b.w - a.w)};
    if (slerp) {
        q = lmb_quat_slerp(a, b, t);
    }
    memcpy(out, &q, sizeof q);
    return 1;
}

// ----------------------------------------------------------------------------- forward kinematics

EXPORT(limber_lesson_forward)
int limber_lesson_forward(uint32_t count, const int32_t *parents, const float *local, float *model)
{
    int32_t own[LIMBER_LESSON_MOST];
    lmb_transform rest[LIMBER_LESSON_MOST];
    const char *names[LIMBER_LESSON_MOST];
    if (!is_count("joints", count, 1) || !all_finite(local, 10 * (size_t)count)) {
        return 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        own[k] = parents[k];
        names[k] = "";
        memcpy(&rest[k], local + (size_t)10 * k, sizeof rest[k]);
    }
    const lmb_skeleton def = {.joint_count = count, .parents = own, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    lmb_error error = {0};
    if (lmb_skeleton_create(&def, NULL, &skeleton, &error) != LMB_OK) {
        return live_fail_call("the joints", &error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton,
                                               .model_from_joint = (lmb_mat4 *)(void *)model});
    lmb_skeleton_destroy(skeleton);
    return 1;
}

// ----------------------------------------------------------------------------- inverse kinematics

typedef struct arm {
    uint32_t joint_count; ///< one more than bones
    int32_t parents[LIMBER_LESSON_MOST + 1];
    lmb_transform rest[LIMBER_LESSON_MOST + 1];
    lmb_joint_limit limits[LIMBER_LESSON_MOST + 1];
    const char *names[LIMBER_LESSON_MOST + 1];
} arm;

static lmb_quat rotated(float angle)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angle);
}

/// Hinges about z, each at the end of the bone before, at rest along x.
static void arm_make(arm *a, uint32_t bones, const float *lengths, const float *limits)
{
    a->joint_count = bones + 1;
    for (uint32_t k = 0; k <= bones; ++k) {
        const bool limited = limits != NULL && k < bones;
        a->parents[k] = (int32_t)k - 1;
        a->names[k] = "";
        a->rest[k] = (lmb_transform){.translation = {k > 0 ? lengths[k - 1] : 0, 0, 0},
                                     .rotation = {0, 0, 0, 1},
                                     .scale = {1, 1, 1}};
        a->limits[k] = (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                         .axis = {0, 0, 1},
                                         .twist_min_rad = limited ? limits[2 * k] : -4,
                                         .twist_max_rad = limited ? limits[2 * k + 1] : 4};
    }
}

/// The sweeps; how much is left, or -1.
static float arm_solve(const lmb_skeleton *skeleton, int solver, lmb_vec3 target, uint32_t sweeps,
                       lmb_transform *pose)
{
    lmb_mat4 model[LIMBER_LESSON_MOST + 1];
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    const lmb_ik_end end = {.joint = skeleton->joint_count - 1, .target = target};
    lmb_ik_chain_job job = {.skeleton = skeleton,
                            .local = pose,
                            .model_from_joint = model,
                            .solver = (lmb_ik_solver)solver,
                            .end_count = 1,
                            .ends = &end,
                            .max_iterations = sweeps,
                            .max_starts = 1};
    job.scratch_size = lmb_ik_chain_scratch(&job);
    job.scratch = live_room(job.scratch_size, 1);
    if (job.scratch == NULL) {
        return -1;
    }
    const float left = lmb_ik_chain(&job).distance;
    free(job.scratch);
    return left;
}

EXPORT(limber_lesson_reach)
float limber_lesson_reach(int solver, uint32_t count, const float *lengths, const float *limits,
                          float x, float y, uint32_t sweeps, float *angles)
{
    arm a;
    lmb_skeleton *skeleton = NULL;
    lmb_error error = {0};
    if ((solver != LMB_IK_CCD && solver != LMB_IK_FABRIK) || sweeps == 0) {
        (void)live_fail("expected CCD or FABRIK and at least one sweep");
        return -1;
    }
    if (!is_count("bones", count, 1) || !all_finite(lengths, count) || !all_finite(angles, count) ||
        !all_finite(&x, 1) || !all_finite(&y, 1) ||
        (limits != NULL && !all_finite(limits, 2 * (size_t)count))) {
        return -1;
    }
    arm_make(&a, count, lengths, limits);
    const lmb_skeleton def = {.joint_count = a.joint_count,
                              .parents = a.parents,
                              .rest = a.rest,
                              .names = a.names,
                              .limits = a.limits};
    if (lmb_skeleton_create(&def, NULL, &skeleton, &error) != LMB_OK) {
        (void)live_fail_call("the arm", &error);
        return -1;
    }
    for (uint32_t k = 0; k < count; ++k) {
        a.rest[k].rotation = rotated(angles[k]);
    }
    const float left = arm_solve(skeleton, solver, lmb_vec3_make(x, y, 0), sweeps, a.rest);
    for (uint32_t k = 0; left >= 0 && k < count; ++k) {
        angles[k] = 2 * lmb_atan2(a.rest[k].rotation.z, a.rest[k].rotation.w);
    }
    lmb_skeleton_destroy(skeleton);
    return left;
}

EXPORT(limber_lesson_step)
int limber_lesson_step(int solver, uint32_t rows, uint32_t columns, const double *jacobian,
                       const double *error, double damping, double *step)
{
    if (solver < LMB_IK_TRANSPOSE || solver > LMB_IK_SELECTIVE) {
        return live_fail("solver %d does not step by a Jacobian", solver);
    }
    if (!is_count("rows", rows, 1) || !is_count("columns", columns, 1)) {
        return 0;
    }
    for (uint32_t k = 0; k < rows * columns; ++k) {
        if (!isfinite(jacobian[k]) || !isfinite(error[k / columns])) {
            return live_fail("the Jacobian or the error is not finite");
        }
    }
    if (!(damping >= 0 && isfinite(damping))) {
        return live_fail("expected damping that is not negative");
    }
    void *scratch = live_room(lmb_ik_step_scratch(rows, columns), 1);
    if (scratch == NULL) {
        return 0;
    }
    lmb_ik_step(&(lmb_ik_step_job){.solver = (lmb_ik_solver)solver,
                                   .rows = rows,
                                   .columns = columns,
                                   .jacobian = jacobian,
                                   .error = error,
                                   .damping = damping,
                                   .block = rows,
                                   .step = step,
                                   .scratch = scratch});
    free(scratch);
    return 1;
}

// ----------------------------------------------------------------------------------------- shapes

/// [target_count] displacements from the first shape.
static bool make_targets(const lmb_mesh *mesh, uint32_t count, const lmb_vec3 *shapes,
                         lmb_morph_target *targets)
{
    const size_t points = mesh->vertex_count;
    for (uint32_t t = 0; t < count; ++t) {
        targets[t] = (lmb_morph_target){.positions = live_room(points, sizeof(lmb_vec3))};
        if (targets[t].positions == NULL) {
            return false;
        }
        lmb_morph_difference(
            &(lmb_morph_difference_job){.mesh = mesh,
                                        .positions = shapes + (size_t)(t + 1) * points,
                                        .out_positions = targets[t].positions});
    }
    return true;
}

EXPORT(limber_lesson_shapes)
int limber_lesson_shapes(uint32_t point_count, uint32_t target_count, const float *shapes,
                         const float *weights, int relative, float *out)
{
    lmb_morph_target targets[LIMBER_LESSON_MOST] = {0};
    float own[LIMBER_LESSON_MOST];
    if (!is_count("shapes beside the first", target_count, 1) || point_count > 1u << 20) {
        return point_count > 1u << 20 ? live_fail("expected at most 1048576 points") : 0;
    }
    if (!all_finite(shapes, 3 * (size_t)point_count * (target_count + 1)) ||
        !all_finite(weights + (relative ? 1 : 0), target_count + (relative ? 0 : 1))) {
        return 0;
    }
    lmb_vec3 *points;
    memcpy(&points, &shapes, sizeof points); // a mesh that is only read
    lmb_mesh mesh = {.vertex_count = point_count, .positions = points};
    const bool made = make_targets(&mesh, target_count, points, targets);
    if (made) {
        mesh.target_count = target_count;
        mesh.targets = targets;
        memcpy(own, weights + 1, target_count * sizeof *own);
        if (!relative) {
            lmb_morph_absolute(weights, target_count, own);
        }
        lmb_morph(&(lmb_morph_job){
            .mesh = &mesh, .weights = own, .out_positions = (lmb_vec3 *)(void *)out});
    }
    for (uint32_t t = 0; t < target_count; ++t) {
        free(targets[t].positions);
    }
    return made;
}

EXPORT(limber_lesson_pose_space)
int limber_lesson_pose_space(int kernel, float radius_rad, int normalized, uint32_t example_count,
                             const float *angles, float angle, float *out)
{
    lmb_quat rotations[LIMBER_LESSON_MOST];
    const lmb_pose_driver driver = {.part = LMB_DRIVER_ROTATION};
    lmb_pose_space *space = NULL;
    lmb_error error = {0};
    if (kernel < LMB_KERNEL_GAUSSIAN || kernel > LMB_KERNEL_INVERSE_MULTIQUADRIC) {
        return live_fail("there is no kernel %d", kernel);
    }
    if (!is_count("examples", example_count, 1) || !all_finite(angles, example_count) ||
        !all_finite(&angle, 1) || !all_finite(&radius_rad, 1)) {
        return 0;
    }
    for (uint32_t k = 0; k < example_count; ++k) {
        rotations[k] = rotated(angles[k]);
    }
    const lmb_pose_space_def def = {.driver_count = 1,
                                    .example_count = example_count,
                                    .drivers = &driver,
                                    .rotations = rotations,
                                    .width = example_count,
                                    .kernel = (lmb_kernel)kernel,
                                    .radius_rad = radius_rad,
                                    .normalized = normalized != 0};
    if (lmb_pose_space_create(&def, NULL, &space, &error) != LMB_OK) {
        return live_fail_call("the examples", &error);
    }
    const lmb_transform pose = {.rotation = rotated(angle), .scale = {1, 1, 1}};
    lmb_pose_space_evaluate(
        &(lmb_pose_space_job){.space = space, .local = &pose, .out_values = out});
    lmb_pose_space_destroy(space);
    return 1;
}
