/// Degrees of freedom of a lift, their priors, and the landmark of each keypoint on the body.
#include <math.h>
#include <string.h>

#include "capture/lift.h"

// Standard deviations of a joint's angle from the mean pose, in radians, and of its acceleration.
// Limbs swing forward and back more than sideways and twist little, which distinguishes poses that
// project alike.
#define SWING_SPREAD 0.9
#define SIDE_SPREAD 0.25
#define TWIST_SPREAD 0.4
#define HINGE_SPREAD 1.2
#define TRUNK_SPREAD 0.08
#define CLAVICLE_SPREAD 0.08
#define TRUNK_ACCELERATION 16.0 ///< rad/s²
#define LIMB_ACCELERATION 30.0
#define HINGE_ACCELERATION 50.0
#define ROOT_ACCELERATION 8.0 ///< m/s²

static const struct {
    uint8_t keypoint, bone;
    float x, y, z; ///< metres on a body of 1.75 m in T-pose facing +Z
    float spread_m;
} landmark_table[] = {
    {LMB_KEYPOINT_NOSE, LMB_HUMAN_HEAD, 0, 0.06f, 0.11f, 0.03f},
    {LMB_KEYPOINT_LEFT_EYE, LMB_HUMAN_HEAD, 0.03f, 0.09f, 0.09f, 0.03f},
    {LMB_KEYPOINT_RIGHT_EYE, LMB_HUMAN_HEAD, -0.03f, 0.09f, 0.09f, 0.03f},
    {LMB_KEYPOINT_LEFT_EAR, LMB_HUMAN_HEAD, 0.075f, 0.07f, 0, 0.03f},
    {LMB_KEYPOINT_RIGHT_EAR, LMB_HUMAN_HEAD, -0.075f, 0.07f, 0, 0.03f},
    {LMB_KEYPOINT_LEFT_SHOULDER, LMB_HUMAN_LEFT_UPPER_ARM, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_SHOULDER, LMB_HUMAN_RIGHT_UPPER_ARM, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_ELBOW, LMB_HUMAN_LEFT_LOWER_ARM, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_ELBOW, LMB_HUMAN_RIGHT_LOWER_ARM, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_WRIST, LMB_HUMAN_LEFT_HAND, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_WRIST, LMB_HUMAN_RIGHT_HAND, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_HIP, LMB_HUMAN_LEFT_UPPER_LEG, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_HIP, LMB_HUMAN_RIGHT_UPPER_LEG, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_KNEE, LMB_HUMAN_LEFT_LOWER_LEG, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_KNEE, LMB_HUMAN_RIGHT_LOWER_LEG, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_ANKLE, LMB_HUMAN_LEFT_FOOT, 0, 0, 0, 0},
    {LMB_KEYPOINT_RIGHT_ANKLE, LMB_HUMAN_RIGHT_FOOT, 0, 0, 0, 0},
    {LMB_KEYPOINT_LEFT_TOES, LMB_HUMAN_LEFT_TOES, 0, 0, 0.04f, 0.02f},
    {LMB_KEYPOINT_RIGHT_TOES, LMB_HUMAN_RIGHT_TOES, 0, 0, 0.04f, 0.02f},
    {LMB_KEYPOINT_LEFT_HEEL, LMB_HUMAN_LEFT_FOOT, 0, -0.05f, -0.05f, 0.04f},
    {LMB_KEYPOINT_RIGHT_HEEL, LMB_HUMAN_RIGHT_FOOT, 0, -0.05f, -0.05f, 0.04f},
};

static lmb_vec3 in_joint_frame(const lmbi_lifting *lift, int32_t joint, lmb_vec3 at)
{
    lmb_mat4 joint_from_model;
    (void)lmb_mat4_inverse_affine(lift->model[joint], &joint_from_model);
    return lmb_mat4_point(joint_from_model, at);
}

static void plan_landmarks(lmbi_lifting *lift)
{
    const lmbi_fit_subject *s = &lift->subject;
    lmbi_subject_model(s, s->rest, lift->model);
    for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
        lift->landmarks[k].joint = LMB_NONE;
    }
    for (size_t k = 0; k < sizeof landmark_table / sizeof *landmark_table; ++k) {
        const int32_t joint = s->map.bones[landmark_table[k].bone].joint;
        if (joint >= 0) {
            const lmb_vec3 offset = {landmark_table[k].x, landmark_table[k].y, landmark_table[k].z};
            lift->landmarks[landmark_table[k].keypoint] = (lmbi_landmark){
                .joint = joint,
                .offset = in_joint_frame(
                    lift, joint, lmb_vec3_mad(s->positions[joint], offset, s->height / 1.6f)),
                .spread_m = landmark_table[k].spread_m};
        }
    }
    // Rigs without toe joints have a point of the foot instead.
    static const int feet[2][3] = {
        {LMB_KEYPOINT_LEFT_TOES, LMB_HUMAN_LEFT_TOES, LMB_HUMAN_LEFT_FOOT},
        {LMB_KEYPOINT_RIGHT_TOES, LMB_HUMAN_RIGHT_TOES, LMB_HUMAN_RIGHT_FOOT}};
    for (int f = 0; f < 2; ++f) {
        const int32_t foot = s->map.bones[feet[f][2]].joint;
        if (s->map.bones[feet[f][1]].joint < 0 && foot >= 0) {
            const lmb_vec3 toes = {0, -0.05f, 0.16f};
            lift->landmarks[feet[f][0]] = (lmbi_landmark){
                .joint = foot,
                .offset = in_joint_frame(lift, foot,
                                         lmb_vec3_mad(s->positions[foot], toes, s->height / 1.6f)),
                .spread_m = 0.04f};
        }
    }
}

static double trunk_spread(const lmbi_fit_subject *s, uint32_t joint)
{
    for (uint32_t k = 0; k < s->map.spine_count; ++k) {
        if (s->map.spine[k] == (int32_t)joint) {
            return TRUNK_SPREAD;
        }
    }
    for (uint32_t k = 0; k < s->map.neck_count; ++k) {
        if (s->map.neck[k] == (int32_t)joint) {
            return TRUNK_SPREAD;
        }
    }
    const lmb_bone_match *bones = s->map.bones;
    if (bones[LMB_HUMAN_LEFT_SHOULDER].joint == (int32_t)joint ||
        bones[LMB_HUMAN_RIGHT_SHOULDER].joint == (int32_t)joint) {
        return CLAVICLE_SPREAD;
    }
    if (bones[LMB_HUMAN_HEAD].joint == (int32_t)joint ||
        bones[LMB_HUMAN_LEFT_FOOT].joint == (int32_t)joint ||
        bones[LMB_HUMAN_RIGHT_FOOT].joint == (int32_t)joint) {
        return 2 * TRUNK_SPREAD;
    }
    return 0;
}

static void add_freedom(lmbi_lifting *lift, int32_t joint, lmb_vec3 axis, double spread,
                        double limit, bool is_trunk)
{
    const double step = limit / ((double)lift->rate * (double)lift->rate);
    lift->freedoms[lift->freedom_count++] =
        (lmbi_pose_freedom){.joint = joint,
                            .axis = axis,
                            .is_trunk = is_trunk,
                            .rest_weight = spread > 0 ? 1 / (spread * spread) : 0,
                            .smooth_weight = 1 / (step * step)};
}

/// Axis k of the model in the frame of the joint's parent. lift->model is the body at rest.
static lmb_vec3 model_axis(const lmbi_lifting *lift, uint32_t joint, int k)
{
    const lmb_vec3 axis = {k == 0, k == 1, k == 2};
    const int32_t parent = lift->subject.skeleton.parents[joint];
    lmb_mat4 parent_from_model;
    if (parent < 0 || !lmb_mat4_inverse_affine(lift->model[parent], &parent_from_model)) {
        return axis;
    }
    return lmb_vec3_normalize_or(lmb_mat4_vector(parent_from_model, axis), axis);
}

static void add_joint(lmbi_lifting *lift, uint32_t joint)
{
    static const double limb[3] = {SWING_SPREAD, TWIST_SPREAD, SIDE_SPREAD};
    const lmbi_fit_subject *s = &lift->subject;
    const lmb_joint_limit *limit = s->limits != NULL ? &s->limits[joint] : NULL;
    const double spread = joint == s->root ? 0 : trunk_spread(s, joint);
    lift->first_freedom[joint] = lift->freedom_count;
    if (limit != NULL && limit->kind == LMB_JOINT_HINGE) {
        add_freedom(lift, (int32_t)joint, lmb_quat_rotate(s->rest[joint].rotation, limit->axis),
                    HINGE_SPREAD, HINGE_ACCELERATION, false);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        add_freedom(lift, (int32_t)joint, model_axis(lift, joint, k),
                    joint == s->root ? 0
                    : spread > 0     ? spread
                                     : limb[k],
                    spread > 0 || joint == s->root ? TRUNK_ACCELERATION : LIMB_ACCELERATION,
                    spread > 0);
    }
}

/// Rotates a joint about an axis of the model at rest; lift->model is the body at rest.
static void rotate_joint(const lmbi_lifting *lift, lmb_transform *pose, int bone, lmb_vec3 axis,
                         float angle)
{
    const int32_t joint = lift->subject.map.bones[bone].joint;
    if (joint < 0) {
        return;
    }
    const int32_t parent = lift->subject.skeleton.parents[joint];
    lmb_mat4 parent_from_model = lmb_mat4_identity();
    if (parent >= 0) {
        (void)lmb_mat4_inverse_affine(lift->model[parent], &parent_from_model);
    }
    const lmb_vec3 local_axis =
        lmb_vec3_normalize_or(lmb_mat4_vector(parent_from_model, axis), axis);
    pose[joint].rotation =
        lmb_quat_mul(lmb_quat_axis_angle(local_axis, angle), pose[joint].rotation);
}

/// Sets the mean pose: arms hanging, knees and back slightly bent.
static void plan_mean_pose(lmbi_lifting *lift)
{
    static const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    const lmbi_fit_subject *s = &lift->subject;
    memcpy(lift->mean_pose, s->rest, s->count * sizeof *lift->mean_pose);
    lmbi_subject_model(s, s->rest, lift->model);
    // Skeletons rest straighter than people stand and walk.
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_SPINE, x, 0.07f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_LEFT_UPPER_ARM, z, -1.42f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_RIGHT_UPPER_ARM, z, 1.42f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_LEFT_UPPER_LEG, x, -0.1f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_RIGHT_UPPER_LEG, x, -0.1f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_LEFT_LOWER_LEG, x, 0.3f);
    rotate_joint(lift, lift->mean_pose, LMB_HUMAN_RIGHT_LOWER_LEG, x, 0.3f);
}

bool lmbi_lift_is_seen(const lmbi_lifting *lift, int keypoint)
{
    if (lift->landmarks[keypoint].joint < 0) {
        return false;
    }
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        if (lift->confidence[(size_t)f * LMB_KEYPOINT_COUNT + (size_t)keypoint] > 0.05f) {
            return true;
        }
    }
    return false;
}

bool lmbi_lift_plan(lmbi_lifting *lift)
{
    const lmbi_fit_subject *s = &lift->subject;
    uint8_t *moves = lmbi_arena_array(lift->arena, s->count, 1);
    lift->freedoms =
        lmbi_arena_array(lift->arena, 3 + 3 * (size_t)s->count, sizeof *lift->freedoms);
    lift->first_freedom = lmbi_arena_array(lift->arena, s->count, sizeof *lift->first_freedom);
    lift->mean_pose = lmbi_arena_array(lift->arena, s->count, sizeof *lift->mean_pose);
    if (moves == NULL || lift->mean_pose == NULL || lift->freedoms == NULL ||
        lift->first_freedom == NULL) {
        return false;
    }
    plan_landmarks(lift);
    for (int k = 0; k < LMB_KEYPOINT_COUNT; ++k) {
        const lmbi_landmark *landmark = &lift->landmarks[k];
        const bool at_joint = lmb_vec3_dot(landmark->offset, landmark->offset) < 1e-10f;
        int32_t j = lmbi_lift_is_seen(lift, k) ? landmark->joint : LMB_NONE;
        // A landmark at its joint does not move when that joint rotates.
        for (j = j >= 0 && at_joint ? s->skeleton.parents[j] : j; j >= (int32_t)s->root;
             j = s->skeleton.parents[j]) {
            moves[j] = 1;
        }
    }
    plan_mean_pose(lift);
    lmbi_subject_model(s, s->rest, lift->model);
    for (int k = 0; k < 3; ++k) {
        add_freedom(lift, LMB_NONE, lmb_vec3_make(k == 0, k == 1, k == 2), 0, ROOT_ACCELERATION,
                    false);
    }
    for (uint32_t j = 0; j < s->count; ++j) {
        lift->first_freedom[j] = UINT32_MAX;
        if (moves[j]) {
            add_joint(lift, j);
        }
    }
    return true;
}
