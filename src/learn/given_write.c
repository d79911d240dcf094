/// The solved rows in the meshes of the character.
#include <string.h>

#include "base/error.h"
#include "learn/given.h"
#include "learn/rest_normals.h"

/// Joint of the skeleton to its number in a skin, LMB_NONE where the skin lacks it.
void lmbi_given_invert_skin(const lmb_skin *skin, uint32_t joints, int32_t *number)
{
    for (uint32_t j = 0; j < joints; ++j) {
        number[j] = LMB_NONE;
    }
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        number[skin->joints[k]] = (int32_t)k;
    }
}

/// The learned row of a vertex in the numbers of its skin; weights of joints that the skin lacks go
/// to the others. Returns its length.
static uint32_t write_row(const lmbi_given *f, uint32_t vertex, const int32_t *number,
                          lmb_influence *out)
{
    uint32_t count = 0;
    float sum = 0;
    for (uint32_t k = f->after.first[vertex]; k < f->after.first[vertex + 1]; ++k) {
        const lmb_influence in = f->after.items[k];
        const int32_t joint = number[f->bound.joints[in.joint]];
        if (joint != LMB_NONE) {
            out[count++] = (lmb_influence){(uint32_t)joint, in.weight};
            sum += in.weight;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k].weight /= sum;
    }
    return count;
}

/// A copy of an instance's mesh with the learned rows; rows with no joint of the skin stay.
static lmb_result copy_mesh(void *context, uint32_t instance, uint32_t first_vertex,
                            int32_t *number, const lmb_allocator *alloc, lmb_mesh **out,
                            lmb_error *error)
{
    lmbi_given *f = context;
    const lmb_character *c = f->bound.character;
    lmb_mesh def = *c->meshes[c->instances[instance].mesh];
    const lmb_influences old = def.influences;
    uint32_t *first =
        lmbi_arena_array(&f->bound.arena, (size_t)def.vertex_count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(&f->bound.arena,
                                            (size_t)def.vertex_count * LMB_LEARN_INFLUENCES +
                                                old.first[def.vertex_count],
                                            sizeof *items);
    if (!first || !items) {
        return lmbi_fail_memory(error);
    }
    lmbi_given_invert_skin(c->skins[c->instances[instance].skin], c->skeleton->joint_count, number);
    for (uint32_t v = 0; v < def.vertex_count; ++v) {
        uint32_t count =
            write_row(f, f->bound.vertex_of[first_vertex + v], number, items + first[v]);
        if (count == 0) {
            count = old.first[v + 1] - old.first[v];
            memcpy(items + first[v], old.items + old.first[v], count * sizeof *items);
        }
        first[v + 1] = first[v] + count;
    }
    def.influences = (lmb_influences){first, items};
    def.envelope = NULL; // of other weights
    if (f->opts.move_rest) {
        const lmb_vec3 *before = def.positions;
        def.positions = lmbi_arena_array(&f->bound.arena, def.vertex_count, sizeof(lmb_vec3));
        if (!def.positions) {
            return lmbi_fail_memory(error);
        }
        for (uint32_t v = 0; v < def.vertex_count; ++v) {
            def.positions[v] = lmbi_bound_to_mesh(&f->bound, (uint32_t)c->instances[instance].skin,
                                                  f->rest[f->bound.vertex_of[first_vertex + v]]);
        }
        if (!lmbi_learn_turn_normals(&def, before, f->bound.vertex_of + first_vertex,
                                     f->bound.vertex_count, &f->bound.arena)) {
            return lmbi_fail_memory(error);
        }
    }
    return lmb_mesh_create(&def, alloc, out, error);
}

lmb_result lmbi_given_replace(lmbi_given *f, lmbi_given_copy copy, void *context,
                              const lmb_allocator *alloc, lmb_character **character,
                              lmb_error *error)
{
    lmb_character *old = *character, *made = NULL;
    lmb_character def = *old;
    lmbi_arena *arena = &f->bound.arena;
    int32_t *number = lmbi_arena_array(arena, old->skeleton->joint_count, sizeof *number);
    def.meshes = lmbi_arena_array(arena, old->mesh_count, sizeof(lmb_mesh *));
    if (!number || !def.meshes) {
        return lmbi_fail_memory(error);
    }
    memcpy(def.meshes, old->meshes, old->mesh_count * sizeof(lmb_mesh *));
    lmb_result result = LMB_OK;
    for (uint32_t i = 0, first = 0; result == LMB_OK && i < old->instance_count; ++i) {
        const uint32_t m = old->instances[i].mesh, count = old->meshes[m]->vertex_count;
        // A mesh that several instances show gets the rows of the first.
        if (old->instances[i].skin != LMB_NONE && old->meshes[m]->influences.first &&
            def.meshes[m] == old->meshes[m]) {
            result = copy(context, i, first, number, alloc, &def.meshes[m], error);
        }
        first += count;
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&def, alloc, &made, error);
    }
    for (uint32_t m = 0; m < old->mesh_count; ++m) {
        if (def.meshes[m] != old->meshes[m]) {
            lmb_mesh_destroy(result == LMB_OK ? old->meshes[m] : def.meshes[m]);
        }
    }
    if (result == LMB_OK) {
        lmb_character_release(old);
        *character = made;
    }
    return result;
}

lmb_result lmbi_given_replace_meshes(lmbi_given *f, const lmb_allocator *alloc,
                                     lmb_character **character, lmb_error *error)
{
    return lmbi_given_replace(f, copy_mesh, f, alloc, character, error);
}
