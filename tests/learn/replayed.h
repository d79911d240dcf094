/// What a learned rig shows as the character that is written of it.
#ifndef TESTS_LEARN_REPLAYED_H
#define TESTS_LEARN_REPLAYED_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "learn/moving.h"

/// The mesh at a frame of the clip that was written, against the frame itself.
static inline float replayed_error(const moving *m, const lmb_character *c, uint32_t frame)
{
    const lmb_skeleton *s = c->skeleton;
    lmb_transform local[2 * MOVING_BONES + 1];
    lmb_mat4 model[2 * MOVING_BONES + 1], palette[MOVING_BONES];
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        local[j] = s->rest[j];
    }
    for (uint32_t k = 0; k < c->clips[0]->channel_count; ++k) {
        const lmb_channel *ch = &c->clips[0]->channels[k];
        const float *v = ch->values + (size_t)frame * ch->width;
        lmb_transform *t = &local[ch->joint];
        if (ch->path == LMB_PATH_ROTATION) {
            t->rotation = lmb_quat_make(v[0], v[1], v[2], v[3]);
        } else {
            *(ch->path == LMB_PATH_SCALE ? &t->scale : &t->translation) =
                lmb_vec3_make(v[0], v[1], v[2]);
        }
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = s, .local = local, .model_from_joint = model});
    lmb_skin_palette(c->skins[0], model, palette);
    float worst = 0;
    const lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lmb_vec3 sum = {0, 0, 0};
        for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
            const lmb_influence in = mesh->influences.items[k];
            sum =
                lmb_vec3_mad(sum, lmb_mat4_point(palette[in.joint], mesh->positions[v]), in.weight);
        }
        worst = fmaxf(worst, lmb_vec3_distance(sum, m->frames[frame][v]));
    }
    return worst;
}

static inline lmb_character *replayed_still(const moving *m)
{
    lmb_primitive part = {
        .index_count = m->index_count, .vertex_count = m->vertex_count, .material = LMB_NONE};
    const lmb_mesh mesh_def = {.name = "boxes",
                               .vertex_count = m->vertex_count,
                               .positions = m->rest,
                               .index_count = m->index_count,
                               .indices = m->indices,
                               .primitive_count = 1,
                               .primitives = &part};
    int32_t parent = LMB_NONE;
    lmb_transform rest = lmb_transform_identity();
    const char *name = "root";
    const lmb_skeleton skeleton_def = {
        .joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    lmb_mesh *mesh = NULL;
    lmb_skeleton *skeleton = NULL;
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = LMB_NONE};
    lmb_character *still = NULL;
    lmb_error error = {0};
    if (lmb_mesh_create(&mesh_def, NULL, &mesh, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(lmb_skeleton_create(&skeleton_def, NULL, &skeleton, NULL), LMB_OK);
    const lmb_character def = {.skeleton = skeleton,
                               .mesh_count = 1,
                               .meshes = &mesh,
                               .instance_count = 1,
                               .instances = &instance};
    if (lmb_character_create(&def, NULL, &still, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return still;
}

/// The mesh with the rig; the caller destroys it.
static inline lmb_character *replayed_character(const moving *m, const lmb_learned *l)
{
    lmb_character *still = replayed_still(m), *made = NULL;
    lmb_error error = {0};
    if (lmb_learn_character(l, still, NULL, NULL, &made, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    lmb_character_destroy(still);
    return made;
}

#endif
