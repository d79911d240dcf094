/// Distance from each joint to its farthest skin.
#include <string.h>

#include "limber/anim.h"

/// Upper bound of the distance that morph targets move vertex v.
static float max_morph_offset(const lmb_mesh *mesh, uint32_t v)
{
    float morph_offset = 0;
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        if (mesh->targets[t].positions != NULL) {
            morph_offset += lmb_vec3_length(mesh->targets[t].positions[v]);
        }
    }
    return morph_offset;
}

static void extend_reach(float *reach, lmb_vec3 point, float morph_offset)
{
    const float length = lmb_vec3_length(point) + morph_offset;
    *reach = length > *reach ? length : *reach;
}

static void extend_reach_by_skin(const lmb_mesh *mesh, const lmb_skin *skin, float *reach)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const float morph_offset = max_morph_offset(mesh, v);
        for (uint32_t i = mesh->influences.first[v]; i < mesh->influences.first[v + 1]; ++i) {
            const lmb_influence influence = mesh->influences.items[i];
            if (influence.weight > 0) {
                const lmb_vec3 p =
                    lmb_mat4_point(skin->joint_from_bind[influence.joint], mesh->positions[v]);
                extend_reach(&reach[skin->joints[influence.joint]], p, morph_offset);
            }
        }
    }
}

void lmb_character_reach(const lmb_character *character, float *reach)
{
    memset(reach, 0, character->skeleton->joint_count * sizeof(float));
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const lmb_mesh *mesh = character->meshes[instance->mesh];
        if (instance->skin != LMB_NONE && mesh->influences.first != NULL) {
            extend_reach_by_skin(mesh, character->skins[instance->skin], reach);
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            extend_reach(&reach[instance->joint], mesh->positions[v], max_morph_offset(mesh, v));
        }
    }
}
