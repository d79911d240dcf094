#include <math.h>
#include <stdio.h>

#include "io/skinned/iqm.h"

static lmb_transform transform_of(const float v[10])
{
    return (lmb_transform){lmb_vec3_make(v[0], v[1], v[2]),
                           lmb_quat_normalize(lmb_quat_make(v[3], v[4], v[5], v[6])),
                           lmb_vec3_make(v[7], v[8], v[9])};
}

static bool are_finite(const float v[10])
{
    bool fine = true;
    for (int k = 0; k < 10; ++k) {
        fine = fine && isfinite(v[k]);
    }
    return fine && v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6] > 1e-12f;
}

static bool make_joints(lmbi_iqm *q, uint32_t count)
{
    lmbi_skinned *model = &q->model;
    model->joint_count = count;
    model->parents = lmbi_arena_array(&model->arena, count, sizeof(int32_t));
    model->rest = lmbi_arena_array(&model->arena, count, sizeof(lmb_transform));
    model->names = lmbi_arena_array(&model->arena, count, sizeof(char *));
    return model->parents != NULL && model->rest != NULL && model->names != NULL;
}

static lmb_result read_parent(lmbi_iqm *q, const uint8_t *at, uint32_t j)
{
    const int64_t parent = (int32_t)lmbi_load_u32(at);
    if (parent < -1 || parent >= (int64_t)j) {
        return lmbi_iqm_fail(q, at, "a parent before its child, or -1", parent);
    }
    q->model.parents[j] = (int32_t)parent;
    return LMB_OK;
}

static lmb_result read_joint(lmbi_iqm *q, const uint8_t *at, uint32_t j)
{
    float v[10];
    for (int k = 0; k < 10; ++k) {
        v[k] = lmbi_load_f32(at + 8 + 4 * k);
    }
    if (!are_finite(v)) {
        return lmbi_iqm_fail(q, at + 8, "a finite joint with a rotation", j);
    }
    q->model.rest[j] = transform_of(v);
    q->model.names[j] = lmbi_iqm_text(q, lmbi_load_u32(at));
    return q->model.names[j] != NULL ? read_parent(q, at + 4, j) : lmbi_fail_memory(q->error);
}

// ------------------------------------------------------------------------------------------ poses

/// Checks that a frame has as many channels as the masks of all joints select, of ten for each.
static lmb_result check_channels(lmbi_iqm *q)
{
    uint64_t count = 0;
    for (uint32_t j = 0; j < q->poses.count; ++j) {
        for (uint32_t mask = lmbi_load_u32(q->poses.at + 88 * (size_t)j + 4) & 1023; mask != 0;
             mask &= mask - 1) {
            ++count;
        }
    }
    return count <= q->channel_count
               ? LMB_OK
               : lmbi_iqm_fail(q, q->bytes + 96, "as many channels as the poses use",
                               q->channel_count);
}

/// Reads one frame of every joint: offset, plus scale times the frame's number where the mask
/// selects the channel.
static lmb_result read_frame(lmbi_iqm *q, uint32_t frame, lmb_transform *out)
{
    const uint8_t *data = q->frames + 2 * (size_t)frame * q->channel_count;
    for (uint32_t j = 0; j < q->poses.count; ++j) {
        const uint8_t *at = q->poses.at + 88 * (size_t)j;
        const uint32_t mask = lmbi_load_u32(at + 4);
        float v[10];
        for (uint32_t k = 0; k < 10; ++k) {
            v[k] = lmbi_load_f32(at + 8 + 4 * k);
            if (mask & 1u << k) {
                const float number = (float)lmbi_load_u16(data);
                v[k] += number * lmbi_load_f32(at + 48 + 4 * k);
                data += 2;
            }
        }
        if (!are_finite(v)) {
            return lmbi_iqm_fail(q, at, "a finite pose with a rotation", j);
        }
        out[j] = transform_of(v);
    }
    return LMB_OK;
}

static lmb_result read_anim(lmbi_iqm *q, const uint8_t *at, lmbi_skinned_clip *clip)
{
    const uint32_t first = lmbi_load_u32(at + 4), count = lmbi_load_u32(at + 8);
    const float rate = lmbi_load_f32(at + 12);
    if (first > q->frame_count || count > q->frame_count - first) {
        return lmbi_iqm_fail(q, at + 4, "frames that there are", first);
    }
    clip->name = lmbi_iqm_text(q, lmbi_load_u32(at));
    clip->frame_rate = rate > 0 && rate < 1e6f ? rate : 30;
    clip->poses =
        lmbi_arena_array(&q->model.arena, (size_t)count * q->poses.count, sizeof *clip->poses);
    if (clip->name == NULL || clip->poses == NULL) {
        return lmbi_fail_memory(q->error);
    }
    if (!(rate > 0 && rate < 1e6f)) {
        lmbi_note(q->notes, 0, "clip %.60s has no frame rate: 30 Hz was taken", clip->name);
    }
    lmb_result result = LMB_OK;
    for (uint32_t f = 0; f < count && result == LMB_OK; ++f) {
        result = read_frame(q, first + f, clip->poses + (size_t)f * q->poses.count);
        clip->frame_count = f + 1;
    }
    return result;
}

/// Limits the total of the clips' frames: clips may share frames, but a small file must not ask for
/// many.
static lmb_result check_frames(lmbi_iqm *q)
{
    uint64_t frames = 0;
    for (uint32_t a = 0; a < q->anims.count; ++a) {
        frames += lmbi_load_u32(q->anims.at + 20 * (size_t)a + 8);
    }
    return frames * q->poses.count <= 4 * (uint64_t)q->size + 65536
               ? LMB_OK
               : lmbi_iqm_fail(q, q->bytes + 84, "animations of the frames that there are",
                               q->anims.count);
}

static lmb_result read_anims(lmbi_iqm *q)
{
    lmb_result result = check_channels(q);
    if (result == LMB_OK) {
        result = check_frames(q);
    }
    q->model.clips = lmbi_arena_array(&q->model.arena, q->anims.count, sizeof *q->model.clips);
    if (result == LMB_OK && q->model.clips == NULL) {
        result = lmbi_fail_memory(q->error);
    }
    for (uint32_t a = 0; a < q->anims.count && result == LMB_OK; ++a) {
        lmbi_skinned_clip *clip = &q->model.clips[q->model.clip_count];
        result = read_anim(q, q->anims.at + 20 * (size_t)a, clip);
        q->model.clip_count += clip->frame_count > 0;
    }
    return result;
}

/// For a file with poses but no joints: the first frame becomes the rest pose.
static lmb_result joints_of_poses(lmbi_iqm *q)
{
    if (!make_joints(q, q->poses.count)) {
        return lmbi_fail_memory(q->error);
    }
    lmb_result result = check_channels(q);
    for (uint32_t j = 0; j < q->poses.count && result == LMB_OK; ++j) {
        char name[24];
        const int length = snprintf(name, sizeof name, "joint %u", j);
        q->model.rest[j] = lmb_transform_identity();
        q->model.names[j] = lmbi_arena_string(&q->model.arena, name, (size_t)length);
        result = q->model.names[j] != NULL ? read_parent(q, q->poses.at + 88 * (size_t)j, j)
                                           : lmbi_fail_memory(q->error);
    }
    return result == LMB_OK && q->frame_count > 0 ? read_frame(q, 0, q->model.rest) : result;
}

static lmb_result read_joints(lmbi_iqm *q)
{
    if (q->poses.count > 0 && q->joints.count > 0 && q->poses.count != q->joints.count) {
        return lmbi_iqm_fail(q, q->bytes + 76, "as many poses as joints", q->poses.count);
    }
    if (q->joints.count == 0) {
        return joints_of_poses(q);
    }
    if (!make_joints(q, q->joints.count)) {
        return lmbi_fail_memory(q->error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t j = 0; j < q->joints.count && result == LMB_OK; ++j) {
        result = read_joint(q, q->joints.at + 48 * (size_t)j, j);
    }
    // Poses repeat the joints' parents, and these must agree.
    for (uint32_t j = 0; j < q->poses.count && result == LMB_OK; ++j) {
        const uint8_t *at = q->poses.at + 88 * (size_t)j;
        if ((int32_t)lmbi_load_u32(at) != q->model.parents[j]) {
            result =
                lmbi_iqm_fail(q, at, "the parent that the joint has", (int32_t)lmbi_load_u32(at));
        }
    }
    return result;
}

lmb_result lmbi_iqm_read_motion(lmbi_iqm *q)
{
    const lmb_result result = read_joints(q);
    return result == LMB_OK && q->poses.count > 0 ? read_anims(q) : result;
}
