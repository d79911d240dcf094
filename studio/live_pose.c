/// Joints, clips, and the pose that they make.
#include "live.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Pages read poses and matrices as plain floats.
_Static_assert(sizeof(lmb_transform) == 10 * sizeof(float), "a transform is ten floats");
_Static_assert(sizeof(lmb_mat4) == 16 * sizeof(float), "a matrix is sixteen floats");

// ----------------------------------------------------------------------------------------- joints

EXPORT(limber_joint_count) uint32_t limber_joint_count(int handle)
{
    const live_character *live = live_find(handle);
    return live != NULL ? live->character->skeleton->joint_count : 0;
}

EXPORT(limber_joint_name) const char *limber_joint_name(int handle, uint32_t joint)
{
    const live_character *live = live_find_joint(handle, joint);
    return live != NULL ? live->character->skeleton->names[joint] : NULL;
}

EXPORT(limber_joint_parent) int32_t limber_joint_parent(int handle, uint32_t joint)
{
    const live_character *live = live_find_joint(handle, joint);
    return live != NULL ? live->character->skeleton->parents[joint] : LMB_NONE;
}

EXPORT(limber_joint_node) int32_t limber_joint_node(int handle, uint32_t joint)
{
    const live_character *live = live_find_joint(handle, joint);
    if (live == NULL) {
        return LMB_NONE;
    }
    return (int32_t)(live->in_file_order ? live->character->skeleton->source_index[joint] : joint);
}

EXPORT(limber_joint_find) int32_t limber_joint_find(int handle, const char *name)
{
    const live_character *live = live_find(handle);
    if (live == NULL) {
        return LMB_NONE;
    }
    int32_t joint = lmb_skeleton_find(live->character->skeleton, name);
    const lmb_human_bone bone = lmb_human_bone_find(name);
    lmb_joint_map map;
    lmb_error error = {0};
    if (joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT &&
        lmb_joint_map_of_character(live->character, NULL, &map, &error) == LMB_OK) {
        joint = map.bones[bone].joint;
    }
    if (joint == LMB_NONE) {
        (void)live_fail("there is no joint \"%s\"", name);
    }
    return joint;
}

// ------------------------------------------------------------------------------------------ clips

static live_character *find_clip(int handle, uint32_t clip)
{
    live_character *live = live_find(handle);
    if (live != NULL && clip >= live->character->clip_count) {
        (void)live_fail("there is no clip %u, there are %u", (unsigned)clip,
                        (unsigned)live->character->clip_count);
        return NULL;
    }
    return live;
}

EXPORT(limber_clip_count) uint32_t limber_clip_count(int handle)
{
    const live_character *live = live_find(handle);
    return live != NULL ? live->character->clip_count : 0;
}

EXPORT(limber_clip_name) const char *limber_clip_name(int handle, uint32_t clip)
{
    const live_character *live = find_clip(handle, clip);
    if (live == NULL) {
        return NULL;
    }
    const char *name = live->character->clips[clip]->name;
    return name != NULL ? name : "";
}

EXPORT(limber_clip_duration) double limber_clip_duration(int handle, uint32_t clip)
{
    const live_character *live = find_clip(handle, clip);
    return live != NULL ? (double)lmb_clip_duration_s(live->character->clips[clip]) : 0;
}

// ------------------------------------------------------------------------------------------- pose

static void update_model(live_character *live)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = live->character->skeleton,
                                               .local = live->shown,
                                               .model_from_joint = live->model});
    live->skin_due = true;
}

void live_show(live_character *live)
{
    const uint32_t joints = live->character->skeleton->joint_count;
    if (joints > 0) {
        memcpy(live->shown, live->pose, joints * sizeof *live->shown);
    }
    update_model(live);
}

EXPORT(limber_pose) const float *limber_pose(int handle)
{
    const live_character *live = live_find(handle);
    return live != NULL ? (const float *)live->pose : NULL;
}

bool live_transform(const float *ten, lmb_transform *out)
{
    for (int k = 0; k < 10; ++k) {
        if (!isfinite(ten[k])) {
            return false;
        }
    }
    memcpy(out, ten, sizeof *out);
    const lmb_quat q = out->rotation;
    const float length = lmb_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 1e-6f && length < 1e6f)) {
        return false;
    }
    out->rotation = (lmb_quat){q.x / length, q.y / length, q.z / length, q.w / length};
    return true;
}

EXPORT(limber_pose_set)
int limber_pose_set(int handle, uint32_t first, uint32_t count, const float *numbers)
{
    live_character *live = live_find(handle);
    const uint32_t joints = live != NULL ? live->character->skeleton->joint_count : 0;
    lmb_transform one;
    if (live == NULL) {
        return 0;
    }
    if (first > joints || count > joints - first) {
        return live_fail("joints %u to %u are not there, there are %u", (unsigned)first,
                         (unsigned)first + (unsigned)count, (unsigned)joints);
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (!live_transform(numbers + (size_t)10 * k, &one)) {
            return live_fail("joint %u: expected ten finite numbers and a rotation",
                             (unsigned)(first + k));
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        (void)live_transform(numbers + (size_t)10 * k, &live->pose[first + k]);
    }
    live_drag_end(live);
    live_show_driven(live, NULL);
    return 1;
}

static void set_rest(live_character *live)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    const uint32_t weights = live->weight_first[skeleton->joint_count];
    if (skeleton->joint_count > 0) {
        memcpy(live->pose, skeleton->rest, skeleton->joint_count * sizeof *live->pose);
    }
    if (weights > 0) {
        memcpy(live->weights, live->rest_weights, weights * sizeof *live->weights);
    }
}

EXPORT(limber_pose_rest) int limber_pose_rest(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    live_drag_end(live);
    set_rest(live);
    live_show_driven(live, NULL);
    return 1;
}

EXPORT(limber_pose_sample) int limber_pose_sample(int handle, uint32_t clip, double time_s)
{
    live_character *live = find_clip(handle, clip);
    if (live == NULL) {
        return 0;
    }
    if (!isfinite(time_s)) {
        return live_fail("the time is not finite");
    }
    live_drag_end(live);
    set_rest(live);
    lmb_sample(&(lmb_sample_job){.clip = live->character->clips[clip],
                                 .time_s = time_s,
                                 .joint_count = live->character->skeleton->joint_count,
                                 .pose = live->pose,
                                 .weight_first = live->weight_first,
                                 .weights = live->weights});
    live_show_driven(live, live->character->clips[clip]);
    return 1;
}

EXPORT(limber_pose_model) const float *limber_pose_model(int handle)
{
    const live_character *live = live_find(handle);
    return live != NULL ? (const float *)live->model : NULL;
}
