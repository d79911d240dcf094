/// A character's meshes as one surface in the rest pose.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "rig/bind.h"
#include "rig/bind_pose.h"

static bool same_matrix(const lmb_mat4 *a, const lmb_mat4 *b)
{
    for (int i = 0; i < 16; ++i) {
        float size = i >= 12 ? 1 + fabsf(b->m[i]) : 1.0f; // relative for translations
        if (!(fabsf(a->m[i] - b->m[i]) <= 1e-4f * size)) {
            return false;
        }
    }
    return true;
}

/// The mean by weights, which a file may give any sum; without weights, the first matrix.
static lmb_mat4 blend_matrices(const lmb_influence *row, uint32_t count, const lmb_mat4 *palette)
{
    lmb_mat4 m = {{0}};
    float total = 0;
    for (uint32_t k = 0; k < count; ++k) {
        total += row[k].weight;
    }
    for (uint32_t k = 0; k < count && total > 0; ++k) {
        for (int i = 0; i < 16; ++i) {
            m.m[i] += row[k].weight / total * palette[row[k].joint].m[i];
        }
    }
    return total > 0 ? m : palette[0];
}

/// One matrix for a skin whose joints all have the same skinning matrix at rest. False if they
/// differ.
static bool find_single_matrix(const lmb_mesh *mesh, const lmb_skin *skin, const lmb_mat4 *palette,
                               lmb_mat4 *out)
{
    uint32_t total = mesh->influences.first ? mesh->influences.first[mesh->vertex_count] : 0;
    uint32_t first = total ? mesh->influences.items[0].joint : 0;
    for (uint32_t k = 0; k < total; ++k) {
        if (!same_matrix(&palette[mesh->influences.items[k].joint], &palette[first])) {
            return false;
        }
    }
    if (!skin->joint_count) {
        return false;
    }
    *out = palette[first];
    return true;
}

static lmb_result place_skinned(const lmb_character *c, const lmb_instance *instance,
                                const lmb_mat4 *model, lmbi_arena *arena,
                                lmbi_rest_matrices *matrices, lmb_error *error)
{
    const lmb_mesh *mesh = c->meshes[instance->mesh];
    const lmb_skin *skin = c->skins[instance->skin];
    lmb_mat4 *palette = lmbi_arena_array(arena, skin->joint_count, sizeof *palette);
    if (!palette) {
        return lmbi_fail_memory(error);
    }
    lmb_skin_palette(skin, model, palette);
    if (find_single_matrix(mesh, skin, palette, &matrices->model_from_mesh) ||
        !mesh->influences.first || !skin->joint_count) {
        return LMB_OK;
    }
    matrices->blended = lmbi_arena_array(arena, mesh->vertex_count, sizeof *matrices->blended);
    if (!matrices->blended) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t begin = mesh->influences.first[v];
        matrices->blended[v] = blend_matrices(mesh->influences.items + begin,
                                              mesh->influences.first[v + 1] - begin, palette);
    }
    return LMB_OK;
}

lmb_result lmbi_find_rest_matrices(const lmb_character *character, lmbi_arena *arena,
                                   lmbi_rest_matrices **out, lmb_error *error)
{
    lmb_mat4 *model = lmbi_arena_array(arena, character->skeleton->joint_count, sizeof *model);
    lmbi_rest_matrices *matrices =
        lmbi_arena_array(arena, character->instance_count, sizeof *matrices);
    if (!model || !matrices) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = character->skeleton, .model_from_joint = model});
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        matrices[i].model_from_mesh = model[instance->joint];
        if (instance->skin != LMB_NONE) {
            lmb_result result =
                place_skinned(character, instance, model, arena, &matrices[i], error);
            if (result != LMB_OK) {
                return result;
            }
        }
    }
    *out = matrices;
    return LMB_OK;
}

/// Triangle indices of a mesh: its own array if it has only triangles.
static bool triangles_of(const lmb_mesh *mesh, lmbi_arena *arena, const uint32_t **out,
                         uint32_t *out_count)
{
    bool whole = true;
    uint32_t covered = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        whole = whole && primitive->topology == LMB_TRIANGLES &&
                primitive->first_index == covered && primitive->index_count % 3 == 0;
        covered += primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 * 3 : 0;
    }
    *out = mesh->indices;
    *out_count = covered;
    if (whole) {
        return true;
    }
    uint32_t *copy = lmbi_arena_array(arena, covered, sizeof *copy), at = 0;
    for (uint32_t p = 0; copy && p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology == LMB_TRIANGLES) {
            uint32_t count = primitive->index_count / 3 * 3;
            memcpy(copy + at, mesh->indices + primitive->first_index, count * sizeof *copy);
            at += count;
        }
    }
    *out = copy;
    return copy != NULL;
}

static lmb_result build_surface(const lmb_character *c, const lmbi_rest_matrices *matrices,
                                lmbi_arena *arena, const lmb_allocator *alloc, lmb_surface **out,
                                lmb_error *error)
{
    lmb_surface_part *parts = lmbi_arena_array(arena, c->instance_count, sizeof *parts);
    if (!parts) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        parts[i] =
            (lmb_surface_part){.positions = mesh->positions, .vertex_count = mesh->vertex_count};
        if (matrices[i].blended) {
            lmb_vec3 *moved = lmbi_arena_array(arena, mesh->vertex_count, sizeof *moved);
            if (!moved) {
                return lmbi_fail_memory(error);
            }
            for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
                moved[v] = lmb_mat4_point(matrices[i].blended[v], mesh->positions[v]);
            }
            parts[i].positions = moved;
        } else {
            parts[i].model_from_part = matrices[i].model_from_mesh;
        }
        if (!triangles_of(mesh, arena, &parts[i].indices, &parts[i].index_count)) {
            return lmbi_fail_memory(error);
        }
    }
    return lmb_surface_create(parts, c->instance_count, NULL, alloc, out, error);
}

lmb_result lmb_character_surface(const lmb_character *character, const lmb_allocator *alloc,
                                 lmb_surface **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_rest_matrices *matrices;
    lmb_result result = lmbi_find_rest_matrices(character, &arena, &matrices, error);
    if (result == LMB_OK) {
        result = build_surface(character, matrices, &arena, alloc, out, error);
    }
    lmbi_arena_free(&arena);
    return result;
}

bool lmbi_is_posed(const lmb_character *c, const lmbi_rest_matrices *matrices)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (matrices[i].blended) {
            return true;
        }
    }
    return false;
}

/// Matrices at rest, and the bind pose where a skin deforms its mesh at rest; its model is NULL where none does, or where
/// there is no such pose.
static lmb_result find_bound(const lmb_character *character, lmbi_arena *arena,
                             lmbi_rest_matrices **matrices, lmbi_bind_pose *bind, lmb_error *error)
{
    bool found = false;
    lmb_result result = lmbi_find_rest_matrices(character, arena, matrices, error);
    if (result == LMB_OK && lmbi_is_posed(character, *matrices)) {
        result = lmbi_find_bind_pose(character, arena, bind, &found, error);
    }
    bind->model = found ? bind->model : NULL;
    return result;
}

lmb_result lmbi_bind_surface(const lmb_character *character, const lmb_allocator *alloc,
                             lmbi_arena *arena, lmb_surface **out, lmb_mat4 **out_model,
                             lmb_error *error)
{
    lmbi_rest_matrices *matrices;
    lmbi_bind_pose bind = {0};
    const lmb_result result = find_bound(character, arena, &matrices, &bind, error);
    *out_model = bind.model;
    for (uint32_t i = 0; bind.model && i < character->instance_count; ++i) {
        matrices[i] = (lmbi_rest_matrices){.model_from_mesh = bind.model_from_mesh[i]};
    }
    return result == LMB_OK ? build_surface(character, matrices, arena, alloc, out, error) : result;
}

lmb_result lmb_bind_pose(const lmb_character *character, const lmb_allocator *alloc,
                         lmb_mat4 *model_from_joint, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_rest_matrices *matrices;
    lmbi_bind_pose bind = {0};
    const lmb_result result = find_bound(character, &arena, &matrices, &bind, error);
    if (result == LMB_OK && bind.model) {
        memcpy(model_from_joint, bind.model, character->skeleton->joint_count * sizeof *bind.model);
    } else if (result == LMB_OK) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = character->skeleton,
                                                   .model_from_joint = model_from_joint});
    }
    lmbi_arena_free(&arena);
    return result;
}
