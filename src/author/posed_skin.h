/// A character's skin at moments of its clips.
#ifndef AUTHOR_POSED_SKIN_H
#define AUTHOR_POSED_SKIN_H

#include "base/arena.h"
#include "limber/anim.h"
#include "limber/asset.h"
#include "limber/skin.h"

typedef struct lmbi_posed_skin {
    const lmb_character *character; ///< outlives this
    lmb_deformer *deformer;
    lmb_transform *local;   ///< [joint_count]
    lmb_mat4 *model;        ///< [joint_count] model_from_joint
    uint32_t *weight_first; ///< [joint_count + 1]
    float *rest_weights, *weights;
    lmbi_arena arena; ///< of these arrays
} lmbi_posed_skin;

/// `out` is the caller's to free, and empty on failure. Errors: as lmb_deformer_create.
lmb_result lmbi_posed_skin_create(const lmb_character *character, const lmb_allocator *alloc,
                                  lmbi_posed_skin *out, lmb_error *error);
void lmbi_posed_skin_free(lmbi_posed_skin *skin);

/// Sets the joints; at rest with `clip` NULL.
void lmbi_posed_skin_pose(const lmbi_posed_skin *skin, const lmb_clip *clip, double time_s);
/// Deforms the meshes as the joints are. `jobs` may be NULL.
void lmbi_posed_skin_deform(const lmbi_posed_skin *skin, const lmb_jobs *jobs);

#endif
