/// A body for the tests of full-body IK: the made motions' skeleton, without fingers, with human limits, random poses
/// inside them, and a solve that checks what every solve must keep.
#ifndef TESTS_IK_FULL_BODY_H
#define TESTS_IK_FULL_BODY_H

#include "limber/limber.h"
#include "made_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_JOINTS = 64 };

typedef struct test_body {
    lmb_character *owner;
    const lmb_skeleton *skeleton;
    uint32_t joint_count;
    lmb_joint_limit limits[TEST_JOINTS];
    float height;
    void *scratch;
    size_t scratch_size;
} test_body;

static inline lmb_body_part test_part(const char *name)
{
    static const struct {
        const char *word;
        lmb_body_part part;
    } parts[] = {{"hips", LMB_PART_HIPS},          {"spine", LMB_PART_SPINE},
                 {"hest", LMB_PART_SPINE},         {"neck", LMB_PART_NECK},
                 {"head", LMB_PART_NECK},          {"Shoulder", LMB_PART_SHOULDER},
                 {"UpperArm", LMB_PART_UPPER_ARM}, {"LowerArm", LMB_PART_LOWER_ARM},
                 {"Hand", LMB_PART_HAND},          {"UpperLeg", LMB_PART_UPPER_LEG},
                 {"LowerLeg", LMB_PART_LOWER_LEG}, {"Foot", LMB_PART_FOOT},
                 {"Toes", LMB_PART_TOES}};
    for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); ++k) {
        if (strstr(name, parts[k].word)) {
            return parts[k].part;
        }
    }
    return LMB_PART_OTHER;
}

static inline test_body test_body_make(void)
{
    test_body b = {.height = 1.75f};
    lmb_body_part parts[TEST_JOINTS];
    b.owner = test_motion(LMB_MOTION_WALK);
    if (b.owner == NULL) {
        abort();
    }
    b.skeleton = b.owner->skeleton;
    b.joint_count = b.skeleton->joint_count;
    for (uint32_t j = 0; j < b.joint_count; ++j) {
        parts[j] = test_part(b.skeleton->names[j]);
    }
    lmb_human_limits(b.skeleton, parts, lmb_vec3_make(0, 0, 1), b.limits);
    b.scratch_size = lmb_ik_full_body_scratch(b.joint_count, TEST_JOINTS);
    b.scratch = malloc(b.scratch_size);
    return b;
}

static inline void test_body_free(test_body *b)
{
    free(b->scratch);
    lmb_character_destroy(b->owner);
}

static inline uint32_t test_joint(const test_body *b, const char *name)
{
    const int32_t joint = lmb_skeleton_find(b->skeleton, name);
    if (joint < 0) {
        abort();
    }
    return (uint32_t)joint;
}

/// Three numbers, drawn one after the other: the order of arguments is the compiler's.
static inline lmb_vec3 test_vec3(lmb_random *random, float low, float high)
{
    lmb_vec3 v;
    v.x = lmb_random_range(random, low, high);
    v.y = lmb_random_range(random, low, high);
    v.z = lmb_random_range(random, low, high);
    return v;
}

/// Uniform in the ranges: a swing somewhere in the cone, a twist somewhere in its range.
static inline lmb_quat test_rotation(const lmb_joint_limit *limit, lmb_random *random)
{
    if (limit->kind == LMB_JOINT_FREE) {
        const lmb_vec3 v = test_vec3(random, -1, 1);
        const float angle = lmb_random_range(random, 0, 2);
        return lmb_quat_axis_angle(lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0)), angle);
    }
    const float rotated = lmb_random_range(random, limit->twist_min_rad, limit->twist_max_rad);
    const lmb_quat twist = lmb_quat_axis_angle(limit->axis, rotated);
    if (limit->kind == LMB_JOINT_HINGE) {
        return twist;
    }
    const float around = lmb_random_range(random, -LMB_PI, LMB_PI);
    const float fraction = lmb_random_unit(random);
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float x = lmb_cos(around) * fraction, y = lmb_sin(around) * fraction;
    const lmb_vec3 v = lmb_vec3_add(lmb_vec3_scale(limit->side, x * limit->swing_side_rad[x > 0]),
                                    lmb_vec3_scale(across, y * limit->swing_across_rad[y > 0]));
    return lmb_quat_mul(
        lmb_quat_axis_angle(lmb_vec3_normalize_or(v, limit->side), lmb_vec3_length(v)), twist);
}

static inline void test_pose_random(const test_body *b, lmb_random *random, lmb_transform *pose)
{
    memcpy(pose, b->skeleton->rest, b->joint_count * sizeof(*pose));
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        pose[j].rotation = lmb_quat_normalize(
            lmb_quat_mul(pose[j].rotation, test_rotation(&b->limits[j], random)));
    }
    pose[0].translation = lmb_vec3_add(pose[0].translation, test_vec3(random, -0.4f, 0.4f));
}

static inline void test_model(const test_body *b, const lmb_transform *pose, lmb_mat4 *model)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = b->skeleton, .local = pose, .model_from_joint = model});
}

/// A goal that is where the joint is in the pose of `model`.
static inline lmb_goal test_goal_at(uint32_t joint, const lmb_mat4 *model)
{
    return (lmb_goal){.joint = joint, .target = lmb_mat4_translation(model[joint])};
}

#endif
