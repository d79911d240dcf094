/// A character turned about the vertical, in the ways in which files have it turned: what is done to
/// it must come out the same but for the turn.
#ifndef TESTS_TURNED_H
#define TESTS_TURNED_H

#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

typedef enum test_turning {
    TEST_TURN_NODE = 0, ///< the root nodes are turned; bind space and joints' frames stay
    /// everything is written in turned axes, bind space too: joints that had no rotation have none
    TEST_TURN_SPACE,
    TEST_TURN_BIND, ///< bind space alone: nothing that is seen turns
    TEST_TURNINGS
} test_turning;

typedef struct test_yaw {
    test_turning how;
    lmb_quat by;
} test_yaw;

/// Turns 0 to 5: each way by 90 and by 180 degrees.
enum { TEST_TURNS = 2 * TEST_TURNINGS };
static inline test_yaw test_yaw_at(int index)
{
    const float angle = index % 2 == 0 ? 0.5f * LMB_PI : LMB_PI;
    return (test_yaw){(test_turning)(index / 2),
                      lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), angle)};
}

/// A point or direction of the model's space.
static inline lmb_vec3 test_turned_vec3(test_yaw turn, lmb_vec3 v)
{
    return turn.how == TEST_TURN_BIND ? v : lmb_quat_rotate(turn.by, v);
}

/// A rotation model_from_joint.
static inline lmb_quat test_turned_quat(test_yaw turn, lmb_quat q)
{
    const lmb_quat turned = turn.how == TEST_TURN_BIND ? q : lmb_quat_mul(turn.by, q);
    return turn.how == TEST_TURN_SPACE ? lmb_quat_mul(turned, lmb_quat_conjugate(turn.by)) : turned;
}

/// A direction of a joint's own frame.
static inline lmb_vec3 test_turned_axis(test_yaw turn, lmb_vec3 v)
{
    return turn.how == TEST_TURN_SPACE ? lmb_quat_rotate(turn.by, v) : v;
}

/// A local transform. (Scale must be uniform.)
static inline lmb_transform test_turned_local(test_yaw turn, bool is_root, lmb_transform t)
{
    if (turn.how == TEST_TURN_SPACE || (turn.how == TEST_TURN_NODE && is_root)) {
        t.translation = lmb_quat_rotate(turn.by, t.translation);
        t.rotation = test_turned_quat(turn, t.rotation);
    }
    return t;
}

static inline void test_turned_pose(test_yaw turn, const lmb_skeleton *skeleton,
                                    const lmb_transform *pose, lmb_transform *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        out[j] = test_turned_local(turn, skeleton->parents[j] == LMB_NONE, pose[j]);
    }
}

/// The limit of a joint, in its rest frame. (Boxes are not turned.)
static inline lmb_joint_limit test_turned_limit(test_yaw turn, lmb_joint_limit limit)
{
    limit.axis = test_turned_axis(turn, limit.axis);
    limit.side = test_turned_axis(turn, limit.side);
    return limit;
}

static inline lmb_skeleton *test_turned_skeleton(test_yaw turn, const lmb_skeleton *skeleton)
{
    lmb_skeleton *out = NULL;
    if (lmb_skeleton_create(skeleton, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    test_turned_pose(turn, skeleton, skeleton->rest, out->rest);
    for (uint32_t j = 0; j < out->joint_count; ++j) {
        if (out->limits != NULL) {
            out->limits[j] = test_turned_limit(turn, out->limits[j]);
        }
        if (out->tips != NULL) {
            out->tips[j] = test_turned_axis(turn, out->tips[j]);
        }
    }
    return out;
}

static inline lmb_mesh *test_turned_mesh(test_yaw turn, const lmb_mesh *mesh)
{
    lmb_mesh *out = NULL;
    if (lmb_mesh_create(mesh, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    for (uint32_t v = 0; v < out->vertex_count && turn.how != TEST_TURN_NODE; ++v) {
        out->positions[v] = lmb_quat_rotate(turn.by, out->positions[v]);
        if (out->normals != NULL) {
            out->normals[v] = lmb_quat_rotate(turn.by, out->normals[v]);
        }
    }
    for (uint32_t p = 0; p < out->primitive_count; ++p) {
        out->primitives[p].material = LMB_NONE; // looks are not copied
    }
    return out;
}

static inline lmb_skin *test_turned_skin(test_yaw turn, const lmb_skin *skin)
{
    lmb_skin *out = NULL;
    if (lmb_skin_create(skin, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    lmb_transform by = lmb_transform_identity(), back = lmb_transform_identity();
    by.rotation = turn.how == TEST_TURN_SPACE ? turn.by : by.rotation;
    back.rotation = turn.how == TEST_TURN_NODE ? back.rotation : lmb_quat_conjugate(turn.by);
    for (uint32_t k = 0; k < out->joint_count; ++k) {
        out->joint_from_bind[k] =
            lmb_mat4_mul(lmb_mat4_from_transform(by),
                         lmb_mat4_mul(out->joint_from_bind[k], lmb_mat4_from_transform(back)));
    }
    return out;
}

static inline lmb_clip *test_turned_clip(test_yaw turn, const lmb_skeleton *skeleton,
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
                t = test_turned_local(turn, is_root, t);
                memcpy(v, &t.translation, sizeof t.translation);
            } else if (channel->path == LMB_PATH_ROTATION) {
                t.rotation = lmb_quat_make(v[0], v[1], v[2], v[3]);
                t = test_turned_local(turn, is_root, t);
                memcpy(v, &t.rotation, sizeof t.rotation);
            }
        }
    }
    return out;
}

/// The whole character, without its look. Freed with lmb_character_destroy.
static inline lmb_character *test_turned_character(test_yaw turn, const lmb_character *from)
{
    lmb_character def = *from, *out = NULL;
    def.appearance = NULL;
    def.skeleton = test_turned_skeleton(turn, from->skeleton);
    def.meshes = calloc((size_t)from->mesh_count + 1, sizeof(lmb_mesh *));
    def.skins = calloc((size_t)from->skin_count + 1, sizeof(lmb_skin *));
    def.clips = calloc((size_t)from->clip_count + 1, sizeof(lmb_clip *));
    for (uint32_t k = 0; k < from->mesh_count; ++k) {
        def.meshes[k] = test_turned_mesh(turn, from->meshes[k]);
    }
    for (uint32_t k = 0; k < from->skin_count; ++k) {
        def.skins[k] = test_turned_skin(turn, from->skins[k]);
    }
    for (uint32_t k = 0; k < from->clip_count; ++k) {
        def.clips[k] = test_turned_clip(turn, from->skeleton, from->clips[k]);
    }
    if (lmb_character_create(&def, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    free(def.meshes);
    free(def.skins);
    free(def.clips);
    return out;
}

/// How far a pose is from the turned one of another, in model units, over all joints; and how far
/// apart rotations are, a radian counting as much as a unit.
static inline float test_turned_apart(test_yaw turn, const lmb_skeleton *skeleton,
                                      const lmb_transform *pose,
                                      const lmb_skeleton *turned_skeleton,
                                      const lmb_transform *turned_pose)
{
    const uint32_t n = skeleton->joint_count;
    lmb_mat4 *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    if (a == NULL || b == NULL) {
        abort();
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = a});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = turned_skeleton, .local = turned_pose, .model_from_joint = b});
    float worst = 0;
    for (uint32_t j = 0; j < n; ++j) {
        lmb_transform p, q;
        lmb_mat4_decompose(a[j], &p);
        lmb_mat4_decompose(b[j], &q);
        const float off = lmb_vec3_distance(test_turned_vec3(turn, p.translation), q.translation),
                    angle = lmb_quat_angle(test_turned_quat(turn, p.rotation), q.rotation);
        // Not fmaxf: what is not a number must show.
        worst = off <= worst ? worst : off;
        worst = angle <= worst ? worst : angle;
    }
    free(a);
    free(b);
    return worst;
}

#endif
