/// Shared by the steps that bake soft tissue: the skinned meshes of a character while they are
/// simulated.
#ifndef AUTHOR_SOFT_TISSUE_BAKE_H
#define AUTHOR_SOFT_TISSUE_BAKE_H

#include "base/arena.h"
#include "limber/author.h"

/// One skinned mesh.
typedef struct lmbi_tissue_part {
    uint32_t instance, mesh;
    const lmb_mesh *from;
    const lmb_skin *skin;
    lmb_soft_tissue *tissue;
    lmb_mat4 *palette;
    lmb_mat4 *blend;          ///< [vertex_count] of the last step: model from bind
    lmb_vec3 *skinned;        ///< [vertex_count]
    lmb_vec3 *simulated;      ///< [vertex_count]
    lmb_vec3 *targets;        ///< [frame_count][vertex_count] offsets in the bind pose
    lmb_vec3 *normals;        ///< [vertex_count] skinned; NULL for a mesh without
    lmb_vec3 *normal_targets; ///< [frame_count][vertex_count] as `targets`
} lmbi_tissue_part;

typedef struct lmbi_tissue_bake {
    const lmb_character *character;
    const lmb_soft_tissue_bake_opts *opts;
    lmbi_arena arena;
    uint32_t part_count;
    lmbi_tissue_part *parts;
    lmb_transform *poses;  ///< [frame_count][joint_count]
    lmb_mat4 *model;       ///< [joint_count] of the last pose sampled
    float *joint_softness; ///< [joint_count]
    float farthest_m;
} lmbi_tissue_bake;

/// Creates the soft tissue of a part whose `skinned` is at rest, in a character of that height.
/// `first_vertex` is the number of vertices of the parts before.
lmb_result lmbi_tissue_part_create(lmbi_tissue_bake *bake, lmbi_tissue_part *part, float height,
                                   size_t first_vertex, const lmb_allocator *alloc,
                                   lmb_error *error);
/// The clip of the poses and of the weights of the new targets.
lmb_result lmbi_tissue_make_clip(lmbi_tissue_bake *bake, const lmb_allocator *alloc, lmb_clip **out,
                                 lmb_error *error);
/// A part's mesh with a morph target for each frame behind its own.
lmb_result lmbi_tissue_make_mesh(lmbi_tissue_bake *bake, const lmbi_tissue_part *part,
                                 const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error);

#endif
