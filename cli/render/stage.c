#include "cli/render/stage.h"
#include "cli/plot.h"

#include <stdlib.h>
#include <string.h>

/// The decoded base colour texture of a material, or NULL.
static const lmb_picture *material_texture(const lmb_appearance *look, const cli_textures *textures,
                                           int32_t material)
{
    if (material == LMB_NONE || look->materials[material].base_color_texture == LMB_NONE) {
        return NULL;
    }
    const int32_t image = look->textures[look->materials[material].base_color_texture].image;
    return image == LMB_NONE || textures->pictures[image].rgba == NULL ? NULL
                                                                       : &textures->pictures[image];
}

/// Zero, the renderer's own colour, where there is no material or its texture cannot be shown.
static lmb_vec4 material_color(const lmb_appearance *look, const cli_textures *textures,
                               int32_t material)
{
    if (material == LMB_NONE || (look->materials[material].base_color_texture != LMB_NONE &&
                                 material_texture(look, textures, material) == NULL)) {
        return (lmb_vec4){0, 0, 0, 0};
    }
    const lmb_vec4 c = look->materials[material].base_color;
    return (lmb_vec4){c.x, c.y, c.z, 1};
}

static lmb_vec4 *weight_colors(const lmb_character *character, const lmb_instance *instance,
                               int32_t joint)
{
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    lmb_vec4 *colors = cli_resize(NULL, mesh->vertex_count, sizeof *colors);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float weight = 0;
        const bool skinned = instance->skin != LMB_NONE && mesh->influences.first;
        for (uint32_t i = skinned ? mesh->influences.first[v] : 0;
             skinned && i < mesh->influences.first[v + 1]; ++i) {
            const lmb_influence influence = mesh->influences.items[i];
            weight += (int32_t)character->skins[instance->skin]->joints[influence.joint] == joint
                          ? influence.weight
                          : 0;
        }
        colors[v] = cli_weight_color(weight);
    }
    return colors;
}

static lmb_render_surface surface_of(const cli_stage *s, const cli_posed *posed,
                                     const cli_textures *textures, uint32_t i,
                                     const lmb_primitive *primitive)
{
    const lmb_mesh *mesh = posed->character->meshes[posed->character->instances[i].mesh];
    const lmb_deformed deformed = lmb_deformer_instance(posed->deformer, i);
    lmb_render_surface surface = {
        .vertex_count = mesh->vertex_count,
        .positions = deformed.positions,
        .normals = primitive->attributes & LMB_HAS_NORMALS ? deformed.normals : NULL,
        .index_count = primitive->index_count,
        .indices = mesh->indices + primitive->first_index,
    };
    if (s->colors[i]) { // weight colours replace all others
        surface.colors = s->colors[i];
        surface.color = (lmb_vec4){1, 1, 1, 1};
        return surface;
    }
    surface.colors = primitive->attributes & LMB_HAS_COLOR0 ? mesh->colors[0] : NULL;
    surface.color = material_color(posed->character->appearance, textures, primitive->material);
    if (surface.colors && primitive->material == LMB_NONE) {
        surface.color = (lmb_vec4){1, 1, 1, 1};
    }
    surface.uvs = primitive->attributes & LMB_HAS_UV0 ? mesh->uvs[0] : NULL;
    surface.texture = material_texture(posed->character->appearance, textures, primitive->material);
    return surface;
}

static void add_instance(cli_stage *s, const cli_posed *posed, const cli_textures *textures,
                         int32_t weight_joint, uint32_t i)
{
    const lmb_character *character = posed->character;
    const lmb_instance *instance = &character->instances[i];
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    if (weight_joint != LMB_NONE) {
        s->colors[i] = weight_colors(character, instance, weight_joint);
    }
    for (uint32_t k = 0; k < mesh->primitive_count; ++k) {
        const lmb_primitive *primitive = &mesh->primitives[k];
        if (primitive->topology != LMB_TRIANGLES) {
            continue;
        }
        s->surfaces[s->surface_count++] = surface_of(s, posed, textures, i, primitive);
    }
}

static bool in_a_skin(const lmb_character *character, uint32_t joint)
{
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        for (uint32_t k = 0; k < character->skins[s]->joint_count; ++k) {
            if (character->skins[s]->joints[k] == joint) {
                return true;
            }
        }
    }
    return character->skin_count == 0;
}

static void add_bones(cli_stage *s, const cli_posed *posed)
{
    const lmb_character *character = posed->character;
    const lmb_skeleton *skeleton = character->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_vec3 here = lmb_mat4_translation(posed->model_from_joint[j]);
        const int32_t parent = skeleton->parents[j];
        if (!in_a_skin(character, j)) {
            continue;
        }
        const bool hangs = parent != LMB_NONE && in_a_skin(character, (uint32_t)parent);
        const lmb_vec3 head = hangs ? lmb_mat4_translation(posed->model_from_joint[parent]) : here;
        s->bones[s->bone_count++] = (lmb_render_bone){.head = head, .tail = here};
        s->bones[s->bone_count++] = (lmb_render_bone){
            .head = here,
            .tail = skeleton->tips ? lmb_mat4_point(posed->model_from_joint[j], skeleton->tips[j])
                                   : here};
    }
}

void cli_stage_start(cli_stage *s, const cli_posed *posed, const cli_textures *textures,
                     int32_t weight_joint, bool bones)
{
    const lmb_character *character = posed->character;
    memset(s, 0, sizeof *s);
    s->instance_count = character->instance_count;
    uint32_t primitive_count = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        primitive_count += character->meshes[character->instances[i].mesh]->primitive_count;
    }
    s->surfaces = cli_resize(NULL, primitive_count, sizeof *s->surfaces);
    s->bones = cli_resize(NULL, 2 * (size_t)character->skeleton->joint_count, sizeof *s->bones);
    s->colors = cli_resize(NULL, character->instance_count, sizeof *s->colors);
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        s->colors[i] = NULL;
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        add_instance(s, posed, textures, weight_joint, i);
    }
    if (bones || character->instance_count == 0) {
        add_bones(s, posed);
    }
}

void cli_stage_end(cli_stage *s)
{
    for (uint32_t i = 0; i < s->instance_count; ++i) {
        free(s->colors[i]);
    }
    free(s->colors);
    free(s->surfaces);
    free(s->bones);
}
