#include "posed.h"

#include <stdlib.h>
#include <string.h>

#include "limber/anim.h"

void cli_posed_start(cli_posed *posed, const lmb_character *character)
{
    const uint32_t joint_count = character->skeleton->joint_count;
    posed->character = character;
    posed->local = cli_resize(NULL, joint_count, sizeof *posed->local);
    posed->model_from_joint = cli_resize(NULL, joint_count, sizeof *posed->model_from_joint);
    posed->positions = cli_resize(NULL, character->instance_count, sizeof *posed->positions);
    posed->normals = cli_resize(NULL, character->instance_count, sizeof *posed->normals);
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_mesh *mesh = character->meshes[character->instances[i].mesh];
        posed->positions[i] = cli_resize(NULL, mesh->vertex_count, sizeof(lmb_vec3));
        posed->normals[i] = mesh->normals ? cli_resize(NULL, mesh->vertex_count, sizeof(lmb_vec3)) : NULL;
    }
}

void cli_posed_end(cli_posed *posed)
{
    for (uint32_t i = 0; i < posed->character->instance_count; ++i) {
        free(posed->positions[i]);
        free(posed->normals[i]);
    }
    free(posed->positions);
    free(posed->normals);
    free(posed->local);
    free(posed->model_from_joint);
    memset(posed, 0, sizeof *posed);
}

static lmb_vec3 blend_point(const lmb_mesh *mesh, const lmb_mat4 *palette, uint32_t v, lmb_vec3 p, float w)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t i = mesh->influences.first[v]; i < mesh->influences.first[v + 1]; ++i) {
        const lmb_influence influence = mesh->influences.items[i];
        const lmb_mat4 m = palette[influence.joint];
        const lmb_vec3 moved = w > 0 ? lmb_mat4_point(m, p) : lmb_mat4_vector(m, p);
        sum = lmb_vec3_mad(sum, moved, influence.weight);
    }
    return sum;
}

static void skin_instance(cli_posed *posed, uint32_t i, const lmb_mat4 *palette)
{
    const lmb_mesh *mesh = posed->character->meshes[posed->character->instances[i].mesh];
    const lmb_mat4 world = posed->model_from_joint[posed->character->instances[i].joint];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const bool skinned = palette && mesh->influences.first;
        posed->positions[i][v] = skinned ? blend_point(mesh, palette, v, mesh->positions[v], 1) : lmb_mat4_point(world, mesh->positions[v]);
        if (posed->normals[i]) {
            const lmb_vec3 n = skinned ? blend_point(mesh, palette, v, mesh->normals[v], 0) : lmb_mat4_vector(world, mesh->normals[v]);
            posed->normals[i][v] = lmb_vec3_normalize_or(n, lmb_vec3_make(0, 1, 0));
        }
        posed->box = lmb_box_add(posed->box, posed->positions[i][v]);
    }
}

void cli_posed_at(cli_posed *posed, const cli_run *cli, const lmb_clip *clip, double time_s)
{
    (void)cli;
    const lmb_character *character = posed->character;
    const lmb_skeleton *skeleton = character->skeleton;
    memcpy(posed->local, skeleton->rest, skeleton->joint_count * sizeof *posed->local);
    if (clip) {
        lmb_sample(&(lmb_sample_job){.clip = clip, .time_s = time_s, .joint_count = skeleton->joint_count, .pose = posed->local});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .local = posed->local, .model_from_joint = posed->model_from_joint});
    posed->box = lmb_box_empty();
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const int32_t skin = character->instances[i].skin;
        lmb_mat4 *palette = NULL;
        if (skin != LMB_NONE) {
            palette = cli_resize(NULL, character->skins[skin]->joint_count, sizeof *palette);
            lmb_skin_palette(character->skins[skin], posed->model_from_joint, palette);
        }
        skin_instance(posed, i, palette);
        free(palette);
    }
    for (uint32_t j = 0; character->instance_count == 0 && j < skeleton->joint_count; ++j) {
        posed->box = lmb_box_add(posed->box, lmb_mat4_translation(posed->model_from_joint[j]));
    }
}
