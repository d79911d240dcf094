/// Made motions and skeletons for the retargeting tests.
#ifndef TESTS_MADE_BODIES_H
#define TESTS_MADE_BODIES_H

#include "limber/limber.h"
#include "posed.h"

#include <stdlib.h>
#include <string.h>

/// Of the made skeleton; its fingers follow.
enum { TEST_BODY_JOINTS = 22 };

/// A made motion as it is, fingers and all.
static inline lmb_character *test_whole_motion(lmb_motion_kind kind)
{
    lmb_character *character = NULL;
    const lmb_motion_opts opts = {.kind = kind};
    return lmb_motion_create(&opts, NULL, &character, NULL) == LMB_OK ? character : NULL;
}

static inline lmb_clip *test_body_clip(const lmb_clip *clip)
{
    lmb_channel *channels = malloc(clip->channel_count * sizeof(*channels));
    lmb_clip def = *clip, *out = NULL;
    def.channels = channels;
    def.channel_count = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].joint < TEST_BODY_JOINTS) {
            channels[def.channel_count++] = clip->channels[c];
        }
    }
    (void)lmb_clip_create(&def, NULL, &out, NULL);
    free(channels);
    return out;
}

/// A made motion of the body's joints alone.
static inline lmb_character *test_motion(lmb_motion_kind kind)
{
    lmb_character *whole = test_whole_motion(kind), *out = NULL;
    lmb_skeleton joints = *whole->skeleton;
    joints.joint_count = TEST_BODY_JOINTS;
    lmb_clip *clips[1] = {test_body_clip(whole->clips[0])};
    lmb_character body = {.name = whole->name, .clip_count = 1, .clips = clips};
    if (lmb_skeleton_create(&joints, NULL, &body.skeleton, NULL) == LMB_OK) {
        (void)lmb_character_create(&body, NULL, &out, NULL);
    }
    lmb_character_destroy(whole);
    return out;
}

/// Model transforms of a clip at a time; free() them.
static inline lmb_transform *test_pose(const lmb_character *character, const lmb_clip *clip,
                                       double time_s)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_transform *pose = malloc(skeleton->joint_count * sizeof(*pose));
    test_pose_at(skeleton, clip, time_s, pose);
    return pose;
}

/// How a test skeleton differs from the made one.
typedef struct test_shape {
    float scale; ///< 0 counts as 1
    /// every joint's own axes rotated by a quarter about its bone and then some, positions as they
    /// are
    bool rolled;
    float arms_down_rad; ///< the rest pose's arms lowered
    int leave_out;       ///< a joint that is not there, its children hung to its parent; 0: none
    float knees_up;      ///< knees higher by this, hips and ankles where they are
    float legs_apart;    ///< each leg farther out by this
    float thighs_in;     ///< each thigh begins nearer to the middle by this, knees where they are
    float ankles_up;     ///< ankles higher by this, toes where they are
} test_shape;

/// The made skeleton's joints in the model, in the shape that is asked for, and how each joint's own
/// axes are rotated.
typedef struct test_joints {
    lmb_transform model[TEST_BODY_JOINTS];
    lmb_quat roll[TEST_BODY_JOINTS];
} test_joints;

static inline bool test_is_leg(const char *name)
{
    return strstr(name, "UpperLeg") != NULL || strstr(name, "LowerLeg") != NULL ||
           strstr(name, "Foot") != NULL || strstr(name, "Toes") != NULL;
}

static inline void test_shape_joints(const lmb_skeleton *from, const test_shape *shape,
                                     test_joints *out)
{
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        const int32_t parent = from->parents[j];
        out->model[j] =
            parent < 0 ? from->rest[j] : lmb_transform_mul(out->model[parent], from->rest[j]);
        const bool left = strcmp(from->names[j], "leftUpperArm") == 0,
                   right = strcmp(from->names[j], "rightUpperArm") == 0;
        if ((left || right) && shape->arms_down_rad != 0) {
            out->model[j].rotation = lmb_quat_axis_angle(
                lmb_vec3_make(0, 0, 1), left ? -shape->arms_down_rad : shape->arms_down_rad);
        }
        const lmb_vec3 axis = lmb_vec3_normalize_or(
            lmb_vec3_make((float)(j % 3) - 1.0f, 1.0f, (float)(j % 2)), lmb_vec3_make(1, 0, 0));
        out->roll[j] = shape->rolled ? lmb_quat_axis_angle(axis, 0.5f * LMB_PI * (float)(1 + j % 3))
                                     : lmb_quat_identity();
    }
    // Only now: a joint that moves must not take along what hangs below.
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        if (test_is_leg(from->names[j])) {
            lmb_vec3 *at = &out->model[j].translation;
            at->x += at->x > 0 ? shape->legs_apart : -shape->legs_apart;
            const float in = strstr(from->names[j], "UpperLeg") != NULL ? shape->thighs_in : 0;
            at->x -= at->x > 0 ? in : -in;
            at->y += strstr(from->names[j], "LowerLeg") != NULL ? shape->knees_up : 0;
            at->y += strstr(from->names[j], "Foot") != NULL ? shape->ankles_up : 0;
        }
    }
}

/// A joint in its parent's frame, LMB_NONE for the root.
static inline lmb_transform test_hang(const test_joints *joints, uint32_t j, int32_t parent,
                                      float scale)
{
    const lmb_transform *model = joints->model;
    const lmb_quat own = lmb_quat_mul(model[j].rotation, joints->roll[j]);
    const lmb_quat above = parent < 0 ? lmb_quat_identity()
                                      : lmb_quat_mul(model[parent].rotation, joints->roll[parent]);
    const lmb_vec3 at = parent < 0 ? model[j].translation
                                   : lmb_vec3_sub(model[j].translation, model[parent].translation);
    lmb_transform rest = lmb_transform_identity();
    rest.rotation = lmb_quat_mul(lmb_quat_conjugate(above), own);
    rest.translation = lmb_quat_rotate(lmb_quat_conjugate(above), lmb_vec3_scale(at, scale));
    return rest;
}

static inline lmb_character *test_skeleton(const test_shape *shape)
{
    lmb_character *made = test_motion(LMB_MOTION_WALK), *out = NULL;
    const lmb_skeleton *from = made->skeleton;
    test_joints joints;
    test_shape_joints(from, shape, &joints);
    lmb_transform rest[TEST_BODY_JOINTS];
    int32_t parents[TEST_BODY_JOINTS], index[TEST_BODY_JOINTS];
    const char *names[TEST_BODY_JOINTS];
    const float scale = shape->scale > 0 ? shape->scale : 1.0f;
    uint32_t count = 0;
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        int32_t parent = from->parents[j];
        index[j] = (int32_t)count;
        if (shape->leave_out > 0 && (int)j == shape->leave_out) {
            index[j] = index[parent];
            continue;
        }
        if (shape->leave_out > 0 && parent == shape->leave_out) {
            parent = from->parents[parent];
        }
        rest[count] = test_hang(&joints, j, parent, scale);
        parents[count] = parent < 0 ? LMB_NONE : index[parent];
        names[count++] = from->names[j];
    }
    const lmb_skeleton def = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    lmb_character character = {.name = "test"};
    if (lmb_skeleton_create(&def, NULL, &character.skeleton, NULL) == LMB_OK) {
        (void)lmb_character_create(&character, NULL, &out, NULL);
    }
    lmb_character_destroy(made);
    return out;
}

#endif
