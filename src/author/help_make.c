/// A character with helper joints: skeleton, skins and meshes.
#include <string.h>

#include "author/helping.h"
#include "base/error.h"
#include "base/format.h"

// ---- skeleton

/// A copy of an array with room for the helpers; NULL stays NULL, and sets `*failed` if there is no
/// memory.
static void *widen(lmbi_help *h, const void *from, size_t size, bool *failed)
{
    if (!from) {
        return NULL;
    }
    void *to =
        lmbi_arena_array(&h->c.arena, (size_t)h->joint_count + h->helpers->helper_count, size);
    *failed = *failed || !to;
    return to ? memcpy(to, from, h->joint_count * size) : NULL;
}

static uint32_t next_source_index(const lmb_skeleton *s)
{
    uint32_t next = 0;
    for (uint32_t j = 0; s->source_index && j < s->joint_count; ++j) {
        next = s->source_index[j] >= next ? s->source_index[j] + 1 : next;
    }
    return next;
}

/// "helper_000" and on, after those that are there.
static const char *name_helper(lmbi_help *h, uint32_t *number)
{
    char name[24];
    do {
        lmbi_format(name, sizeof name, "helper_%03u", (*number)++);
    } while (lmb_skeleton_find(h->c.character->skeleton, name) != LMB_NONE);
    return lmbi_arena_string(&h->c.arena, name, strlen(name));
}

static lmb_result make_skeleton(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_skeleton def = *h->c.character->skeleton;
    bool failed = false;
    uint32_t source = next_source_index(&def), number = 0;
    def.parents = widen(h, def.parents, sizeof *def.parents, &failed);
    def.rest = widen(h, def.rest, sizeof *def.rest, &failed);
    def.names = widen(h, def.names, sizeof *def.names, &failed);
    def.limits = widen(h, def.limits, sizeof *def.limits, &failed);
    def.tips = widen(h, def.tips, sizeof *def.tips, &failed);
    def.source_index = widen(h, def.source_index, sizeof *def.source_index, &failed);
    def.carried = widen(h, def.carried, sizeof *def.carried, &failed);
    for (uint32_t k = 0; !failed && k < h->helpers->helper_count; ++k) {
        const uint32_t j = def.joint_count++;
        def.parents[j] = (int32_t)h->helpers->parents[k];
        def.rest[j] = lmb_transform_identity();
        def.rest[j].translation = h->helpers->offsets[k];
        def.names[j] = name_helper(h, &number);
        failed = !def.names[j];
        if (def.source_index) {
            def.source_index[j] = source++;
        }
    }
    return failed ? lmbi_fail_memory(error)
                  : lmb_skeleton_create(&def, alloc, &h->def.skeleton, error);
}

// ---- skins

/// Adds the helpers whose parents a skin binds, each where its parent was bound.
static lmb_result make_skin(lmbi_help *h, uint32_t skin, const lmb_allocator *alloc,
                            lmb_error *error)
{
    lmb_skin def = *h->c.character->skins[skin];
    const uint32_t old = def.joint_count;
    const size_t room = (size_t)old + h->helpers->helper_count;
    uint32_t *joints = lmbi_arena_array(&h->c.arena, room, sizeof *joints);
    lmb_mat4 *bind = lmbi_arena_array(&h->c.arena, room, sizeof *bind);
    if (!joints || !bind) {
        return lmbi_fail_memory(error);
    }
    memcpy(joints, def.joints, old * sizeof *joints);
    memcpy(bind, def.joint_from_bind, old * sizeof *bind);
    for (uint32_t k = 0; k < h->helpers->helper_count; ++k) {
        for (uint32_t n = 0; n < old; ++n) {
            if (joints[n] != h->helpers->parents[k]) {
                continue;
            }
            lmb_transform helper_from_parent = lmb_transform_identity();
            helper_from_parent.translation = lmb_vec3_neg(h->helpers->offsets[k]);
            joints[def.joint_count] = h->joint_count + k;
            bind[def.joint_count++] =
                lmb_mat4_mul(lmb_mat4_from_transform(helper_from_parent), bind[n]);
            break;
        }
    }
    def.joints = joints;
    def.joint_from_bind = bind;
    return lmb_skin_create(&def, alloc, &h->def.skins[skin], error);
}

// ---- meshes

/// The learned row of a vertex in the numbers of its skin; weights of joints that the skin lacks go
/// to the others. Returns its length.
static uint32_t write_row(const lmbi_help *h, uint32_t vertex, const int32_t *number,
                          lmb_influence *out)
{
    const lmb_influences *rows = &h->helpers->influences;
    uint32_t count = 0;
    float sum = 0;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        const int32_t joint = number[rows->items[k].joint];
        if (joint != LMB_NONE) {
            out[count++] = (lmb_influence){(uint32_t)joint, rows->items[k].weight};
            sum += rows->items[k].weight;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k].weight /= sum;
    }
    return count;
}

/// A copy of an instance's mesh with the learned rows; rows with no joint of the skin stay.
static lmb_result make_mesh(lmbi_help *h, uint32_t instance, int32_t *number,
                            const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_instance *in = &h->def.instances[instance];
    lmb_mesh def = *lmbi_correct_mesh(&h->c, instance);
    const lmb_influences old = def.influences;
    const lmb_skin *skin = h->def.skins[in->skin];
    const uint32_t joints = h->def.skeleton->joint_count, at = h->c.first_vertex[instance];
    uint32_t *first = lmbi_arena_array(&h->c.arena, (size_t)def.vertex_count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(
        &h->c.arena, (size_t)def.vertex_count * LMB_LEARN_INFLUENCES + old.first[def.vertex_count],
        sizeof *items);
    if (!first || !items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < joints; ++j) {
        number[j] = LMB_NONE;
    }
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        number[skin->joints[k]] = (int32_t)k;
    }
    for (uint32_t v = 0; v < def.vertex_count; ++v) {
        uint32_t count = write_row(h, at + v, number, items + first[v]);
        if (count == 0) {
            count = old.first[v + 1] - old.first[v];
            memcpy(items + first[v], old.items + old.first[v], count * sizeof *items);
        }
        first[v + 1] = first[v] + count;
    }
    def.influences = (lmb_influences){first, items};
    return lmb_mesh_create(&def, alloc, &h->def.meshes[in->mesh], error);
}

static lmb_result make_meshes(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_character *old = h->c.character;
    int32_t *number = lmbi_arena_array(&h->c.arena, h->def.skeleton->joint_count, sizeof *number);
    lmb_result result = number ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t i = 0; result == LMB_OK && i < old->instance_count; ++i) {
        const uint32_t m = old->instances[i].mesh;
        // A mesh that several instances show gets the rows of the first.
        if (lmbi_correct_is_skinned(&h->c, i) && h->def.meshes[m] == old->meshes[m]) {
            result = make_mesh(h, i, number, alloc, error);
        }
    }
    return result;
}

lmb_result lmbi_help_make(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_character *old = h->c.character;
    h->def = *old;
    h->def.meshes = lmbi_arena_array(&h->c.arena, old->mesh_count, sizeof(lmb_mesh *));
    h->def.skins = lmbi_arena_array(&h->c.arena, old->skin_count, sizeof(lmb_skin *));
    h->def.clips = lmbi_arena_array(&h->c.arena, old->clip_count, sizeof(lmb_clip *));
    if (!h->def.meshes || !h->def.skins || !h->def.clips) {
        h->def = *old;
        return lmbi_fail_memory(error);
    }
    memcpy(h->def.meshes, old->meshes, old->mesh_count * sizeof(lmb_mesh *));
    memcpy(h->def.skins, old->skins, old->skin_count * sizeof(lmb_skin *));
    memcpy(h->def.clips, old->clips, old->clip_count * sizeof(lmb_clip *));
    lmb_result result = make_skeleton(h, alloc, error);
    for (uint32_t s = 0; result == LMB_OK && s < old->skin_count; ++s) {
        result = make_skin(h, s, alloc, error);
    }
    return result == LMB_OK ? make_meshes(h, alloc, error) : result;
}
