/// How far from each joint its skin is.
#include <string.h>

#include "limber/anim.h"

/// Where vertex v is at the most a morph target away, as a distance added to the base's.
static float morph_room(const lmb_mesh *mesh, uint32_t v)
{
    float room = 0;
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        if (mesh->targets[t].positions != NULL) {
            room += lmb_vec3_length(mesh->targets[t].positions[v]);
        }
    }
    return room;
}

static void reach_to(float *reach, lmb_vec3 point, float room)
{
    const float length = lmb_vec3_length(point) + room;
    *reach = length > *reach ? length : *reach;
}

static void reach_of_skin(const lmb_mesh *mesh, const lmb_skin *skin, float *reach)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const float room = morph_room(mesh, v);
        for (uint32_t i = mesh->influences.first[v]; i < mesh->influences.first[v + 1]; ++i) {
            const lmb_influence pull = mesh->influences.items[i];
            if (pull.weight > 0) {
                const lmb_vec3 p =
                    lmb_mat4_point(skin->joint_from_bind[pull.joint], mesh->positions[v]);
                reach_to(&reach[skin->joints[pull.joint]], p, room);
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
            reach_of_skin(mesh, character->skins[instance->skin], reach);
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            reach_to(&reach[instance->joint], mesh->positions[v], morph_room(mesh, v));
        }
    }
}
