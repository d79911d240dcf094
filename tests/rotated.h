/// A character rotated about the vertical, in the ways in which files have it rotated: what is done to
/// it must come out the same but for the yaw.
#ifndef TESTS_ROTATED_H
#define TESTS_ROTATED_H

#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

typedef enum test_yaw_kind {
    TEST_YAW_NODE = 0, ///< the root nodes are rotated; bind space and joints' frames stay
    /// everything is written in rotated axes, bind space too: joints that had no rotation have none
    TEST_YAW_SPACE,
    TEST_YAW_BIND, ///< bind space alone: nothing that is seen rotates
    TEST_TURNINGS
} test_yaw_kind;

typedef struct test_yaw {
    test_yaw_kind how;
    lmb_quat by;
} test_yaw;

/// Yaws 0 to 5: in both directions by 90 and by 180 degrees.
enum { TEST_TURNS = 2 * TEST_TURNINGS };
static inline test_yaw test_yaw_at(int index)
{
    const float angle = index % 2 == 0 ? 0.5f * LMB_PI : LMB_PI;
    return (test_yaw){(test_yaw_kind)(index / 2),
                      lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), angle)};
}

/// A point or direction of the model's space.
static inline lmb_vec3 test_rotated_vec3(test_yaw yaw, lmb_vec3 v)
{
    return yaw.how == TEST_YAW_BIND ? v : lmb_quat_rotate(yaw.by, v);
}

/// A rotation model_from_joint.
static inline lmb_quat test_rotated_quat(test_yaw yaw, lmb_quat q)
{
    const lmb_quat rotated = yaw.how == TEST_YAW_BIND ? q : lmb_quat_mul(yaw.by, q);
    return yaw.how == TEST_YAW_SPACE ? lmb_quat_mul(rotated, lmb_quat_conjugate(yaw.by)) : rotated;
}

/// A direction of a joint's own frame.
static inline lmb_vec3 test_rotated_axis(test_yaw yaw, lmb_vec3 v)
{
    return yaw.how == TEST_YAW_SPACE ? lmb_quat_rotate(yaw.by, v) : v;
}

/// A local transform. (Scale must be uniform.)
static inline lmb_transform test_rotated_local(test_yaw yaw, bool is_root, lmb_transform t)
{
    if (yaw.how == TEST_YAW_SPACE || (yaw.how == TEST_YAW_NODE && is_root)) {
        t.translation = lmb_quat_rotate(yaw.by, t.translation);
        t.rotation = test_rotated_quat(yaw, t.rotation);
    }
    return t;
}

static inline void test_rotated_pose(test_yaw yaw, const lmb_skeleton *skeleton,
                                     const lmb_transform *pose, lmb_transform *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        out[j] = test_rotated_local(yaw, skeleton->parents[j] == LMB_NONE, pose[j]);
    }
}

/// The limit of a joint, in its rest frame. (Boxes are not rotated.)
static inline lmb_joint_limit test_rotated_limit(test_yaw yaw, lmb_joint_limit limit)
{
    limit.axis = test_rotated_axis(yaw, limit.axis);
    limit.side = test_rotated_axis(yaw, limit.side);
    return limit;
}

static inline lmb_skeleton *test_rotated_skeleton(test_yaw yaw, const lmb_skeleton *skeleton)
{
    lmb_skeleton *out = NULL;
    if (lmb_skeleton_create(skeleton, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    test_rotated_pose(yaw, skeleton, skeleton->rest, out->rest);
    for (uint32_t j = 0; j < out->joint_count; ++j) {
        if (out->limits != NULL) {
            out->limits[j] = test_rotated_limit(yaw, out->limits[j]);
        }
        if (out->tips != NULL) {
            out->tips[j] = test_rotated_axis(yaw, out->tips[j]);
        }
    }
    return out;
}

static inline lmb_mesh *test_rotated_mesh(test_yaw yaw, const lmb_mesh *mesh)
{
    lmb_mesh *out = NULL;
    if (lmb_mesh_create(mesh, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    for (uint32_t v = 0; v < out->vertex_count && yaw.how != TEST_YAW_NODE; ++v) {
        out->positions[v] = lmb_quat_rotate(yaw.by, out->positions[v]);
        if (out->normals != NULL) {
            out->normals[v] = lmb_quat_rotate(yaw.by, out->normals[v]);
        }
    }
    for (uint32_t p = 0; p < out->primitive_count; ++p) {
        out->primitives[p].material = LMB_NONE; // looks are not copied
    }
    return out;
}

static inline lmb_skin *test_rotated_skin(test_yaw yaw, const lmb_skin *skin)
{
    lmb_skin *out = NULL;
    if (lmb_skin_create(skin, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    lmb_transform by = lmb_transform_identity(), back = lmb_transform_identity();
    by.rotation = yaw.how == TEST_YAW_SPACE ? yaw.by : by.rotation;
    back.rotation = yaw.how == TEST_YAW_NODE ? back.rotation : lmb_quat_conjugate(yaw.by);
    for (uint32_t k = 0; k < out->joint_count; ++k) {
        out->joint_from_bind[k] =
            lmb_mat4_mul(lmb_mat4_from_transform(by),
                         lmb_mat4_mul(out->joint_from_bind[k], lmb_mat4_from_transform(back)));
    }
    return out;
}

static inline lmb_clip *test_rotated_clip(test_yaw yaw, const lmb_skeleton *skeleton,
                                          const lmb_clip *clip)
{
    lmb_clip *out = NULL;
    if (lmb_clip_create(clip, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    for (uint32_t c = 0; c < out->channel_count; ++c) {
        const lmb_channel *channel = &out->channels[c];
        const bool is_root = skeleton->parents[channel->joint] == LMB_NONE;
        const uint32_t count = channel->key_count * (channel->interpolation == LMB_CUBIC ? 3 : 1);
        for (uint32_t k = 0; k < count; ++k) {
            float *v = channel->values + (size_t)k * channel->width;
            lmb_transform t = lmb_transform_identity();
            if (channel->path == LMB_PATH_TRANSLATION) {
                t.translation = lmb_vec3_make(v[0], v[1], v[2]);
                t = test_rotated_local(yaw, is_root, t);
                memcpy(v, &t.translation, sizeof t.translation);
            } else if (channel->path == LMB_PATH_ROTATION) {
                t.rotation = lmb_quat_make(v[0], v[1], v[2], v[3]);
                t = test_rotated_local(yaw, is_root, t);
                memcpy(v, &t.rotation, sizeof t.rotation);
            }
        }
    }
    return out;
}

/// The whole character, without its look. Freed with lmb_character_destroy.
static inline lmb_character *test_rotated_character(test_yaw yaw, const lmb_character *from)
{
    lmb_character def = *from, *out = NULL;
    def.appearance = NULL;
    def.skeleton = test_rotated_skeleton(yaw, from->skeleton);
    def.meshes = calloc((size_t)from->mesh_count + 1, sizeof(lmb_mesh *));
    def.skins = calloc((size_t)from->skin_count + 1, sizeof(lmb_skin *));
    def.clips = calloc((size_t)from->clip_count + 1, sizeof(lmb_clip *));
    for (uint32_t k = 0; k < from->mesh_count; ++k) {
        def.meshes[k] = test_rotated_mesh(yaw, from->meshes[k]);
    }
    for (uint32_t k = 0; k < from->skin_count; ++k) {
        def.skins[k] = test_rotated_skin(yaw, from->skins[k]);
    }
    for (uint32_t k = 0; k < from->clip_count; ++k) {
        def.clips[k] = test_rotated_clip(yaw, from->skeleton, from->clips[k]);
    }
    if (lmb_character_create(&def, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    free(def.meshes);
    free(def.skins);
    free(def.clips);
    return out;
}

/// How far a pose is from the rotated one of another, in model units, over all joints; and how far
/// apart rotations are, a radian counting as much as a unit.
static inline float test_rotated_apart(test_yaw yaw, const lmb_skeleton *skeleton,
                                       const lmb_transform *pose,
                                       const lmb_skeleton *rotated_skeleton,
                                       const lmb_transform *rotated_pose)
{
    const uint32_t n = skeleton->joint_count;
    lmb_mat4 *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    if (a == NULL || b == NULL) {
        abort();
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = a});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = rotated_skeleton, .local = rotated_pose, .model_from_joint = b});
    float worst = 0;
    for (uint32_t j = 0; j < n; ++j) {
        lmb_transform p, q;
        lmb_mat4_decompose(a[j], &p);
        lmb_mat4_decompose(b[j], &q);
        const float off = lmb_vec3_distance(test_rotated_vec3(yaw, p.translation), q.translation),
                    angle = lmb_quat_angle(test_rotated_quat(yaw, p.rotation), q.rotation);
        // Not fmaxf: what is not a number must show.
        worst = off <= worst ? worst : off;
        worst = angle <= worst ? worst : angle;
    }
    free(a);
    free(b);
    return worst;
}

#endif
