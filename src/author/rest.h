/// A figure's rest pose: the turns that bring its limbs there, and its mesh turned along.
#ifndef AUTHOR_REST_H
#define AUTHOR_REST_H

#include "limber/author.h"

/// What each joint does on the way to the rest pose, in the space of the embedding.
typedef struct lmbi_rest {
    lmb_quat turn[LMB_EMBEDDING_JOINTS];  ///< of the joint and what it carries
    lmb_vec3 place[LMB_EMBEDDING_JOINTS]; ///< where the joint goes
    float largest_rad;                    ///< of the bones that were brought somewhere
    uint32_t turned_count;                ///< bones that turn by more than a degree
} lmbi_rest;

/// The turns for a humanoid that stands. Errors: UNSUPPORTED for other kinds and for a figure that
/// sits, whose trousers would be torn.
lmb_result lmbi_rest_find(const lmb_embedding *embedding, lmb_rest_pose pose, lmbi_rest *out,
                          lmb_error *error);
/// The embedding in its rest pose.
void lmbi_rest_move(const lmbi_rest *rest, lmb_embedding *embedding);
/// Turns a bound mesh, its positions, normals, tangents and morphs, with the joints that its rows
/// name, by dual quaternion blending (Kavan et al. 2008, algorithm 1). `before` is the embedding
/// that it was bound to; `model_from_mesh` how the mesh lies in its space.
void lmbi_rest_mesh(const lmbi_rest *rest, const lmb_embedding *before, lmb_mat4 model_from_mesh,
                    lmb_mesh *mesh);
/// How many triangles have an edge that became more than three times as long, and longer by `least`:
/// flesh that joins limbs which the turns took apart. `before` is where the vertices were, in the
/// space of the embedding.
uint32_t lmbi_rest_stretched(const lmb_vec3 *before, lmb_mat4 model_from_mesh, const lmb_mesh *mesh,
                             float least);

#endif
