/// A character's own joints as bones, in the pose that its meshes were bound in.
#include <string.h>

#include "base/error.h"
#include "geometry/tree.h"
#include "rig/bind_pose.h"
#include "rig/weights_rows.h"

void lmbi_character_deforming(const lmb_character *character, uint8_t *deforms)
{
    memset(deforms, 0, character->skeleton->joint_count);
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        if (!lmbi_is_skinned(character, i)) {
            continue;
        }
        const lmb_mesh *mesh = character->meshes[character->instances[i].mesh];
        const lmb_skin *skin = character->skins[character->instances[i].skin];
        for (uint32_t k = 0; k < mesh->influences.first[mesh->vertex_count]; ++k) {
            if (mesh->influences.items[k].weight > 0) {
                deforms[skin->joints[mesh->influences.items[k].joint]] = 1;
            }
        }
    }
}

/// Marks the joints that the character's meshes follow.
static const uint8_t *find_deforming(const lmb_character *character, lmbi_arena *arena)
{
    uint8_t *deforms = lmbi_arena_array(arena, character->skeleton->joint_count, 1);
    if (deforms) {
        lmbi_character_deforming(character, deforms);
    }
    return deforms;
}

lmb_result lmbi_require_triangles(const lmb_surface *surface, lmb_error *error)
{
    return surface->triangle_count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with triangles",
                           "a file without a surface");
}

static lmb_result own_bones(const lmb_character *character, const uint8_t *deforms,
                            lmbi_arena *arena, const lmb_allocator *alloc, lmb_surface **surface,
                            lmbi_bones **out, lmb_error *error)
{
    lmbi_tree *tree = NULL;
    lmbi_bones_def def = {.skeleton = character->skeleton};
    lmb_mat4 *model = NULL;
    def.deforms = deforms ? deforms : find_deforming(character, arena);
    lmb_result result = def.deforms
                            ? lmbi_bind_surface(character, alloc, arena, surface, &model, error)
                            : lmbi_fail_memory(error);
    result = result == LMB_OK ? lmbi_require_triangles(*surface, error) : result;
    if (result == LMB_OK) {
        result = lmbi_tree_create(*surface, alloc, &tree, error);
    }
    if (result == LMB_OK) {
        def.model_from_joint = model;
        def.surface = *surface;
        def.tree = tree;
        result = lmbi_bones_create(&def, alloc, out, error);
    }
    lmbi_tree_destroy(tree);
    return result;
}

lmb_result lmbi_own_bones(const lmb_character *character, const uint8_t *deforms,
                          const lmb_allocator *alloc, lmb_surface **out_surface, lmbi_bones **out,
                          lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const lmb_result result = own_bones(character, deforms, &arena, alloc, &surface, out, error);
    lmbi_arena_free(&arena);
    if (result == LMB_OK) {
        *out_surface = surface;
    } else {
        lmb_surface_destroy(surface);
    }
    return result;
}
