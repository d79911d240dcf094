/// A humanoid's rest pose: the rotations that bring its limbs there, applied to joints and mesh.
#ifndef AUTHOR_REST_H
#define AUTHOR_REST_H

#include "limber/author.h"

/// Motion of each joint into the rest pose, in the space of the embedding.
typedef struct lmbi_rest {
    lmb_quat rotation[LMB_EMBEDDING_JOINTS]; ///< of the joint and its subtree
    lmb_vec3 position[LMB_EMBEDDING_JOINTS]; ///< new position of the joint
    float largest_rad;                       ///< largest rotation of an aligned bone
    uint32_t turned_count;                   ///< bones rotated by more than a degree
} lmbi_rest;

/// Finds the rotations for a standing humanoid. Errors: UNSUPPORTED for other kinds and for a
/// sitting figure, whose trousers would tear.
lmb_result lmbi_rest_find(const lmb_embedding *embedding, lmb_rest_pose pose, lmbi_rest *out,
                          lmb_error *error);
/// Moves the embedding into its rest pose.
void lmbi_rest_move(const lmbi_rest *rest, lmb_embedding *embedding);
/// Deforms a bound mesh (positions, normals, tangents, morph targets) by its weights, with dual
/// quaternion blending (Kavan et al. 2008, algorithm 1). `before` is the embedding that it was
/// bound to; `model_from_mesh` the mesh's transform to its space.
void lmbi_rest_mesh(const lmbi_rest *rest, const lmb_embedding *before, lmb_mat4 model_from_mesh,
                    lmb_mesh *mesh);
/// Counts triangles with an edge more than three times as long as before, and longer by `least`:
/// volume that connects limbs moved apart. `before` holds the old positions, in the space of the
/// embedding.
uint32_t lmbi_rest_stretched(const lmb_vec3 *before, lmb_mat4 model_from_mesh, const lmb_mesh *mesh,
                             float least);

#endif
