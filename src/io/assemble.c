#include "base/alloc.h"
#include "io/parts.h"
#include "io/share.h"

static lmb_result one_joint(const lmb_allocator *alloc, lmb_skeleton **out, lmb_error *error)
{
    int32_t parent = LMB_NONE;
    lmb_transform rest = lmb_transform_identity();
    const char *name = "mesh";
    const lmb_skeleton def = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    return lmb_skeleton_create(&def, alloc, out, error);
}

lmb_result lmbi_character_of_mesh(const lmb_mesh *mesh, const lmb_appearance *look,
                                  const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmb_mesh *made_mesh = NULL;
    lmb_skeleton *made_skeleton = NULL;
    lmb_appearance *made_look = NULL;
    lmb_result result = lmb_mesh_create(mesh, alloc, &made_mesh, error);
    if (result == LMB_OK) {
        result = one_joint(alloc, &made_skeleton, error);
    }
    if (result == LMB_OK && look) {
        result = lmb_appearance_create(look, alloc, &made_look, error);
    }
    if (result == LMB_OK) {
        lmb_instance instance = {.joint = 0, .mesh = 0, .skin = LMB_NONE};
        const lmb_character def = {.skeleton = made_skeleton,
                                   .appearance = made_look,
                                   .mesh_count = 1,
                                   .meshes = &made_mesh,
                                   .instance_count = 1,
                                   .instances = &instance};
        result = lmb_character_create(&def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_appearance_destroy(made_look);
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

float lmbi_linear_from_srgb(float value)
{
    if (value <= 0.04045f) {
        return value / 12.92f;
    }
    return lmb_exp(2.4f * lmb_log((value + 0.055f) / 1.055f));
}

float lmbi_srgb_from_linear(float value)
{
    if (value <= 0.0031308f) {
        return value * 12.92f;
    }
    return 1.055f * lmb_exp(lmb_log(value) / 2.4f) - 0.055f;
}
