/// Meshes that follow a skeleton: morph targets, then skinning.
///
/// Jobs for one mesh, with the caller's arrays, for a runtime; and the deformer, which owns its memory and does a whole
/// character at once: what a viewer shows. Results have the same bits for any number of workers.
#ifndef LIMBER_SKIN_H
#define LIMBER_SKIN_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------------------------------- morphs

/// p' = p + sum of weights[t] * target[t], for positions, normals (made unit again) and tangents.
typedef struct lmb_morph_job {
    const lmb_mesh *mesh;
    const float *weights;    ///< [mesh->target_count]; NULL: the mesh's own, or zeros
    lmb_vec3 *out_positions; ///< [vertex_count]
    lmb_vec3 *out_normals;   ///< or NULL; written when the mesh has normals
    lmb_vec4 *out_tangents;  ///< or NULL; written when the mesh has tangents
    const lmb_jobs *jobs;
} lmb_morph_job;
LMB_API void lmb_morph(const lmb_morph_job *job);

// ------------------------------------------------------------------------------------------------- skinning

/// A mesh's rows of influences, compiled into the layout that the skinning jobs read.
typedef struct lmb_binding lmb_binding;

/// Copies mesh->influences. Any number of influences a vertex; a row without any follows joint 0 of the skin.
/// Errors: INVALID when the mesh has no influences, or one names a joint at or beyond `joint_count`; UNSUPPORTED for more
/// than 65536 joints; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_binding_create(const lmb_mesh *mesh, uint32_t joint_count,
                                      const lmb_allocator *alloc, lmb_binding **out,
                                      lmb_error *error);
LMB_API void lmb_binding_destroy(lmb_binding *binding);
LMB_API uint32_t lmb_binding_vertex_count(const lmb_binding *binding);
/// The most influences that a vertex has.
LMB_API uint32_t lmb_binding_influences(const lmb_binding *binding);

/// One mesh at one pose. An input may be its own output. Outputs that are NULL, or whose input is NULL, are not written.
typedef struct lmb_skin_job {
    const lmb_binding *binding;
    const lmb_mat4 *model_from_bind; ///< [joint_count] of lmb_skin_palette; affine
    const lmb_vec3 *positions;       ///< [vertex_count] in bind space, morphed already
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
    lmb_vec3 *out_positions; ///< [vertex_count] in model space
    lmb_vec3 *out_normals;   ///< unit
    lmb_vec4 *out_tangents;  ///< unit and at right angles to the normal where there are normals
    const lmb_jobs *jobs;
} lmb_skin_job;

/// Linear blend skinning: v' = (sum of w_j T_j) v. Normals go by the cofactors of the blended matrix, which is right under
/// uneven scale and mirroring; the gradient of the weights is left out.
LMB_API void lmb_skin_linear(const lmb_skin_job *job);
/// Rigid skinning: every vertex follows the joint that pulls it most.
LMB_API void lmb_skin_rigid(const lmb_skin_job *job);

// ---------------------------------------------------------------------------------------- whole characters

typedef enum lmb_skin_method {
    LMB_SKIN_LINEAR = 0,
    LMB_SKIN_RIGID,
} lmb_skin_method;

/// A character's meshes at a pose: bindings and output arrays, kept between frames.
typedef struct lmb_deformer lmb_deformer;

/// The character must outlive the deformer. Errors: UNSUPPORTED as lmb_binding_create; MEMORY.
LMB_API lmb_result lmb_deformer_create(const lmb_character *character, const lmb_allocator *alloc,
                                       lmb_deformer **out, lmb_error *error);
LMB_API void lmb_deformer_destroy(lmb_deformer *deformer);

typedef struct lmb_deform_job {
    lmb_deformer *deformer;
    const lmb_mat4 *model_from_joint; ///< [joint_count of the skeleton] of lmb_pose_to_model
    /// Morph weights and their layout, of lmb_character_weights and lmb_sample. Both NULL: at rest.
    const uint32_t *weight_first;
    const float *weights;
    lmb_skin_method method;
    bool positions_only; ///< leave normals and tangents alone
    const lmb_jobs *jobs;
} lmb_deform_job;
/// Deforms every instance: morphs first, then the skin, in the space that model_from_joint leads to. A mesh without a skin
/// moves with its joint; one with a skin does not (glTF 2.0, 3.7.3.3).
LMB_API void lmb_deform(const lmb_deform_job *job);

/// One instance as the last lmb_deform left it. Arrays are NULL where the mesh has none.
typedef struct lmb_deformed {
    uint32_t vertex_count;
    const lmb_vec3 *positions;
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
} lmb_deformed;
LMB_API lmb_deformed lmb_deformer_instance(const lmb_deformer *deformer, uint32_t instance);
/// Bounds of all instances; empty when there are none.
LMB_API lmb_box lmb_deformer_box(const lmb_deformer *deformer);

#ifdef __cplusplus
}
#endif
#endif
