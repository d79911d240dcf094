/// A skinned character as a learning problem: its vertices where they are bound, and its joints as
/// bones.
#ifndef LEARN_BOUND_H
#define LEARN_BOUND_H

#include "base/arena.h"
#include "limber/learn.h"

/// Vertices of skinned instances alone, numbered without gaps; positions are in the space in which
/// the first skin binds, in the scene's unit.
typedef struct lmbi_bound {
    const lmb_character *character;
    const lmb_learn_frames *frames;
    lmbi_arena arena;
    uint32_t vertex_count;
    uint32_t *vertex_of;    ///< [vertices of all instances] or UINT32_MAX where there is no skin
    uint32_t *frame_vertex; ///< [vertex_count] in `frames`
    lmb_vec3 *rest;         ///< [vertex_count]
    uint32_t *indices;      ///< triangles
    uint32_t index_count;
    uint32_t bone_count;
    uint32_t *joints;            ///< [bone_count] joint of the skeleton
    int32_t *bone_of;            ///< [joint_count of the skeleton], LMB_NONE for none
    lmb_mat4 *joint_from_bind;   ///< [bone_count]
    lmb_mat4 *bind_from_mesh;    ///< [skin_count] from the space of a skin to that of the first
    uint32_t *row_first;         ///< [vertex_count] row of the mesh that has the vertex's weights
    const lmb_mesh **row_mesh;   ///< [vertex_count]
    const uint32_t **row_joints; ///< [vertex_count] joints of the skin of that row
} lmbi_bound;

/// Errors: those of lmb_learn_weights.
lmb_result lmbi_bound_make(const lmb_character *character, const lmb_learn_frames *frames,
                           const lmb_allocator *alloc, lmbi_bound *out, lmb_error *error);
void lmbi_bound_free(lmbi_bound *bound);

/// model_from_bind of a bone in a frame.
lmb_mat4 lmbi_bound_motion(const lmbi_bound *bound, uint32_t frame, uint32_t bone);

#endif
