#include <string.h>

#include "base/alloc.h"
#include "io/common.h"

static lmb_result one_joint(const lmb_allocator *alloc, lmb_skeleton **out, lmb_error *error)
{
    int32_t parent = LMB_NONE;
    lmb_transform rest = lmb_transform_identity();
    const char *name = "mesh";
    const lmb_skeleton def = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    return lmb_skeleton_create(&def, alloc, out, error);
}

lmb_result lmbi_character_of_mesh(const lmb_mesh *mesh, const lmb_appearance *appearance,
                                  const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmb_mesh *made_mesh = NULL;
    lmb_skeleton *made_skeleton = NULL;
    lmb_appearance *made_appearance = NULL;
    lmb_result result = lmb_mesh_create(mesh, alloc, &made_mesh, error);
    if (result == LMB_OK) {
        result = one_joint(alloc, &made_skeleton, error);
    }
    if (result == LMB_OK && appearance) {
        result = lmb_appearance_create(appearance, alloc, &made_appearance, error);
    }
    if (result == LMB_OK) {
        lmb_instance instance = {.joint = 0, .mesh = 0, .skin = LMB_NONE};
        const lmb_character def = {.skeleton = made_skeleton,
                                   .appearance = made_appearance,
                                   .mesh_count = 1,
                                   .meshes = &made_mesh,
                                   .instance_count = 1,
                                   .instances = &instance};
        result = lmb_character_create(&def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_appearance_destroy(made_appearance);
        lmb_skeleton_destroy(made_skeleton);
        lmb_mesh_destroy(made_mesh);
    }
    return result;
}

void lmbi_character_parts_destroy(const lmb_character *def)
{
    lmb_skeleton_destroy(def->skeleton);
    lmb_appearance_destroy(def->appearance);
    for (uint32_t k = 0; k < def->mesh_count; ++k) {
        lmb_mesh_destroy(def->meshes[k]);
    }
    for (uint32_t k = 0; k < def->skin_count; ++k) {
        lmb_skin_destroy(def->skins[k]);
    }
    for (uint32_t k = 0; k < def->clip_count; ++k) {
        lmb_clip_destroy(def->clips[k]);
    }
}

lmb_mat4 *lmbi_rest_matrices(const lmb_skeleton *skeleton, const lmb_allocator *alloc)
{
    lmb_mat4 *matrices = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *matrices);
    if (matrices) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = matrices});
    }
    return matrices;
}

static void convert_channel(const lmb_channel *channel, bool root, float unit_m, lmb_axis up,
                            lmb_axis rest_up)
{
    const lmb_quat left = lmbi_axis_rotation(up);
    const lmb_quat right = lmb_quat_conjugate(lmbi_axis_rotation(rest_up));
    for (uint32_t f = 0; f < channel->key_count; ++f) {
        float *at = channel->values + (size_t)f * channel->width;
        if (channel->path == LMB_PATH_TRANSLATION) {
            lmb_vec3 t;
            memcpy(&t, at, sizeof t);
            t = lmb_vec3_scale(lmbi_axis_to_y(root ? up : rest_up, t), unit_m);
            memcpy(at, &t, sizeof t);
            continue;
        }
        lmb_quat q;
        memcpy(&q, at, sizeof q);
        q = root && up != rest_up ? lmb_quat_mul(left, lmb_quat_mul(q, right))
                                  : lmbi_axis_quat_to_y(rest_up, q);
        memcpy(at, &q, sizeof q);
    }
}

void lmbi_motion_convert(lmb_skeleton *skeleton, lmb_clip *clip, float unit_m, lmb_axis up,
                         lmb_axis rest_up)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        lmb_vec3 *offset = &skeleton->rest[j].translation;
        *offset = lmb_vec3_scale(lmbi_axis_to_y(rest_up, *offset), unit_m);
        skeleton->tips[j] = lmb_vec3_scale(lmbi_axis_to_y(rest_up, skeleton->tips[j]), unit_m);
        if (skeleton->limits) {
            lmb_joint_limit *limit = &skeleton->limits[j];
            limit->axis = lmbi_axis_to_y(rest_up, limit->axis);
            limit->side = lmbi_axis_to_y(rest_up, limit->side);
        }
    }
    for (uint32_t k = 0; k < clip->channel_count; ++k) {
        const lmb_channel *channel = &clip->channels[k];
        convert_channel(channel, skeleton->parents[channel->joint] < 0, unit_m, up, rest_up);
    }
}

lmb_result lmbi_motion_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmb_skeleton *made_skeleton = NULL;
    lmb_clip *made_clip = NULL;
    const bool has_clip = clip->channel_count > 0;
    lmb_result result = lmb_skeleton_create(skeleton, alloc, &made_skeleton, error);
    if (result == LMB_OK && has_clip) {
        result = lmb_clip_create(clip, alloc, &made_clip, error);
    }
    if (result == LMB_OK) {
        const lmb_character def = {
            .skeleton = made_skeleton, .clip_count = has_clip, .clips = &made_clip};
        result = lmb_character_create(&def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(made_clip);
        lmb_skeleton_destroy(made_skeleton);
    }
    return result;
}

lmb_channel *lmbi_clip_add_channel(lmb_clip *clip, const lmb_channel *like, lmbi_arena *arena)
{
    lmb_channel *channel = &clip->channels[clip->channel_count];
    *channel = *like;
    channel->values =
        lmbi_arena_array(arena, lmbi_size_mul(like->key_count, like->width), sizeof(float));
    clip->channel_count += channel->values != NULL;
    return channel->values != NULL ? channel : NULL;
}
