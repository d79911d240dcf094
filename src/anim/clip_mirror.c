#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/frames.h"
#include "base/error.h"
#include "limber/anim.h"

/// model_from_joint of every joint, without shear.
static void to_model(const lmb_skeleton *skeleton, const lmb_transform *local, lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] = parent == LMB_NONE ? local[j] : lmb_transform_mul(model[parent], local[j]);
    }
}

static lmb_vec3 mirror_vec3(lmb_vec3 v)
{
    return lmb_vec3_make(-v.x, v.y, v.z);
}

static lmb_vec3 divide(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.x / b.x, a.y / b.y, a.z / b.z);
}

/// S R S with S = diag(-1, 1, 1), the mirrored rotation.
static lmb_quat mirror_quat(lmb_quat q)
{
    return lmb_quat_make(q.x, -q.y, -q.z, q.w);
}

/// Offset of joint k from its rest position, in model-space axes.
static lmb_vec3 rest_offset(const lmb_skeleton *skeleton, const lmb_transform *local,
                            const lmb_transform *model, uint32_t k)
{
    const lmb_vec3 offset_local = lmb_vec3_sub(local[k].translation, skeleton->rest[k].translation);
    const int32_t parent = skeleton->parents[k];
    return parent == LMB_NONE ? offset_local
                              : lmb_quat_rotate(model[parent].rotation,
                                                lmb_vec3_mul(model[parent].scale, offset_local));
}

/// `model` and `rest_model` are model_from_joint of `local` and of the rest pose. `mirrored` is
/// scratch.
static void mirror_pose(const lmb_skeleton *skeleton, const uint32_t *pairs,
                        const lmb_transform *rest_model, const lmb_transform *local,
                        const lmb_transform *model, lmb_transform *mirrored, lmb_transform *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const uint32_t k = pairs[j];
        const int32_t parent = skeleton->parents[j];
        const lmb_transform parent_model =
            parent == LMB_NONE ? lmb_transform_identity() : mirrored[parent];
        const lmb_quat rotation_from_rest =
            lmb_quat_mul(model[k].rotation, lmb_quat_conjugate(rest_model[k].rotation));
        const lmb_quat rotation =
            lmb_quat_mul(mirror_quat(rotation_from_rest), rest_model[j].rotation);
        const lmb_vec3 offset = mirror_vec3(rest_offset(skeleton, local, model, k));
        const lmb_vec3 offset_local = divide(
            lmb_quat_rotate(lmb_quat_conjugate(parent_model.rotation), offset), parent_model.scale);
        out[j].translation = lmb_vec3_add(skeleton->rest[j].translation, offset_local);
        out[j].rotation =
            lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(parent_model.rotation), rotation));
        out[j].scale =
            lmb_vec3_mul(skeleton->rest[j].scale, divide(local[k].scale, skeleton->rest[k].scale));
        mirrored[j] = parent == LMB_NONE ? out[j] : lmb_transform_mul(parent_model, out[j]);
    }
}

static lmb_result mirror_frames(lmbi_arena *arena, const lmbi_frames *frames,
                                const lmb_skeleton *skeleton, const uint32_t *pairs,
                                lmb_error *error)
{
    const uint32_t joints = skeleton->joint_count;
    lmb_transform *scratch = lmbi_arena_array(arena, 4 * (size_t)joints, sizeof(*scratch));
    if (scratch == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_transform *rest_model = scratch, *model = scratch + joints, *mirrored = model + joints,
                  *local = mirrored + joints;
    to_model(skeleton, skeleton->rest, rest_model);
    for (uint32_t f = 0; f < frames->frame_count; ++f) {
        memcpy(local, lmbi_frames_pose(frames, f), joints * sizeof(*local));
        to_model(skeleton, local, model);
        mirror_pose(skeleton, pairs, rest_model, local, model, mirrored,
                    lmbi_frames_pose(frames, f));
    }
    return LMB_OK;
}

lmb_result lmbi_clip_mirror(const lmb_clip *clip, const lmb_skeleton *skeleton,
                            const uint32_t *pairs, float rate_hz, const lmb_allocator *alloc,
                            lmb_clip **out, lmb_error *error)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (pairs[j] >= skeleton->joint_count || pairs[pairs[j]] != j) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "pairs of joints that are each other's",
                             "joint %u paired with %u of %u joints", j, pairs[j],
                             skeleton->joint_count);
        }
    }
    lmbi_arena arena;
    lmbi_frames frames;
    lmbi_arena_init(&arena, alloc);
    lmb_result result = lmbi_frames_read(&arena, clip, skeleton, rate_hz, &frames, error);
    if (result == LMB_OK) {
        result = mirror_frames(&arena, &frames, skeleton, pairs, error);
    }
    if (result == LMB_OK) {
        result = lmbi_frames_write(&frames, clip, skeleton, alloc, out, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
