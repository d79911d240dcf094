#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static lmb_result check_skinned_mesh(const lmb_mesh *mesh, const lmb_skin *skin, uint32_t instance,
                                     lmb_error *error)
{
    const uint32_t count = mesh->influences.first ? mesh->influences.first[mesh->vertex_count] : 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (mesh->influences.items[i].joint >= skin->joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "influences of joints in the skin",
                             "instance %u: influence %u is of joint %u of %u", instance, i,
                             mesh->influences.items[i].joint, skin->joint_count);
        }
    }
    for (uint32_t v = 0; mesh->envelope && v < mesh->vertex_count; ++v) {
        const float *joints = &mesh->envelope[v].x;
        for (int k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
            if (!(joints[k] < (float)skin->joint_count)) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "an envelope of joints in the skin",
                                 "instance %u: vertex %u follows joint %g of %u", instance, v,
                                 (double)joints[k], skin->joint_count);
            }
        }
    }
    return LMB_OK;
}

static lmb_result check_instance(const lmb_character *def, uint32_t i, lmb_error *error)
{
    const lmb_instance *instance = &def->instances[i];
    const bool skin_holds = instance->skin >= LMB_NONE && instance->skin < (int32_t)def->skin_count;
    if (instance->joint >= def->skeleton->joint_count || instance->mesh >= def->mesh_count ||
        !skin_holds) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "instances of a node, a mesh and a skin that exist",
                         "instance %u: node %u, mesh %u, skin %d", i, instance->joint,
                         instance->mesh, instance->skin);
    }
    if (instance->skin == LMB_NONE) {
        return LMB_OK;
    }
    return check_skinned_mesh(def->meshes[instance->mesh], def->skins[instance->skin], i, error);
}

static lmb_result check_skins(const lmb_character *def, lmb_error *error)
{
    for (uint32_t s = 0; s < def->skin_count; ++s) {
        for (uint32_t k = 0; k < def->skins[s]->joint_count; ++k) {
            if (def->skins[s]->joints[k] >= def->skeleton->joint_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "skins of joints that exist",
                                 "skin %u: joint %u is node %u", s, k, def->skins[s]->joints[k]);
            }
        }
    }
    return LMB_OK;
}

static lmb_result check_clips(const lmb_character *def, lmb_error *error)
{
    for (uint32_t c = 0; c < def->clip_count; ++c) {
        for (uint32_t k = 0; k < def->clips[c]->channel_count; ++k) {
            if (def->clips[c]->channels[k].joint >= def->skeleton->joint_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "channels of joints that exist",
                                 "clip %u: channel %u moves node %u", c, k,
                                 def->clips[c]->channels[k].joint);
            }
        }
    }
    return LMB_OK;
}

static lmb_result check_materials(const lmb_character *def, lmb_error *error)
{
    const int32_t count = def->appearance ? (int32_t)def->appearance->material_count : 0;
    for (uint32_t m = 0; m < def->mesh_count; ++m) {
        for (uint32_t p = 0; p < def->meshes[m]->primitive_count; ++p) {
            const int32_t material = def->meshes[m]->primitives[p].material;
            if (material < LMB_NONE || material >= count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "primitives with materials that exist",
                                 "mesh %u, primitive %u: material %d", m, p, material);
            }
        }
    }
    return LMB_OK;
}

static lmb_result check_character(const lmb_character *def, lmb_error *error)
{
    if (def->skeleton == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a skeleton", "none");
    }
    lmb_result result = check_skins(def, error);
    for (uint32_t i = 0; result == LMB_OK && i < def->instance_count; ++i) {
        result = check_instance(def, i, error);
    }
    if (result == LMB_OK) {
        result = check_clips(def, error);
    }
    return result == LMB_OK ? check_materials(def, error) : result;
}

static void *copy_character(lmbi_block *block, const void *definition)
{
    const lmb_character *def = definition;
    lmb_character copy = *def;
    lmb_character *character = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.meshes = lmbi_block_array(block, def->meshes, def->mesh_count, sizeof *def->meshes);
    copy.skins = lmbi_block_array(block, def->skins, def->skin_count, sizeof *def->skins);
    copy.clips = lmbi_block_array(block, def->clips, def->clip_count, sizeof *def->clips);
    copy.instances =
        lmbi_block_array(block, def->instances, def->instance_count, sizeof *def->instances);
    for (uint32_t i = 0; i < def->instance_count; ++i) {
        const uint32_t target_count = def->meshes[def->instances[i].mesh]->target_count;
        float *weights =
            lmbi_block_array(block, def->instances[i].target_weights, target_count, sizeof(float));
        if (copy.instances) {
            copy.instances[i].target_weights = weights;
        }
    }
    if (character) {
        *character = copy;
    }
    return character;
}

lmb_result lmb_character_create(const lmb_character *def, const lmb_allocator *alloc,
                                lmb_character **out, lmb_error *error)
{
    const lmb_result result = check_character(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_character *character = lmbi_block_build(copy_character, def, alloc);
    if (character == NULL) {
        return lmbi_fail_memory(error);
    }
    character->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = character;
    return LMB_OK;
}

void lmb_character_release(lmb_character *character)
{
    if (character) {
        lmbi_free_own(&character->allocator, character);
    }
}

void lmb_character_destroy(lmb_character *character)
{
    if (character == NULL) {
        return;
    }
    lmb_skeleton_destroy(character->skeleton);
    lmb_appearance_destroy(character->appearance);
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        lmb_mesh_destroy(character->meshes[m]);
    }
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        lmb_skin_destroy(character->skins[s]);
    }
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        lmb_clip_destroy(character->clips[c]);
    }
    lmb_character_release(character);
}
