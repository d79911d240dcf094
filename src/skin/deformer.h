/// What a deformer keeps of a character between frames.
#ifndef SKIN_DEFORMER_H
#define SKIN_DEFORMER_H

#include "limber/skin.h"

/// One instance's part of a deformer.
typedef struct lmbi_deformed_part {
    lmb_morph_set *morphs; ///< NULL when the mesh has no targets
    lmb_binding *binding;  ///< NULL when the instance has no skin
    lmb_centers *centers;  ///< of lmb_deformer_prepare, or NULL
    lmb_vec3 *stretched;   ///< the centres as a palette that stretches moves them, with centers
    lmb_mush *mush[LMB_MUSH_V5 + 1]; ///< a variant each, of lmb_deformer_prepare, or NULL
    lmb_delta_mush *delta;           ///< of lmb_deformer_prepare, or NULL, with the rest:
    void *scratch;
    lmb_vec3 *rest, *rest_normals; ///< what was skinned
    lmb_vec4 *rest_tangents;
    lmb_gradients *gradients; ///< of lmb_deformer_prepare, or NULL
    lmb_vec3 *pivots;         ///< of lmb_deformer_prepare, or NULL
    lmb_vec3 *positions, *normals;
    lmb_vec4 *tangents;
} lmbi_deformed_part;

struct lmb_deformer {
    const lmb_character *character;
    lmbi_deformed_part *parts; ///< [instance_count]
    lmb_mat4 *palette;         ///< of the largest skin, as the rest
    lmb_mat4 *rigid, *stretch;
    lmb_quat *rotations;
    lmb_vec3 *origins;
    lmb_allocator allocator;
};

/// The variant of direct delta mush that a method is; v0 for the others.
lmb_mush_variant lmbi_mush_variant_of(lmb_skin_method method);
/// Frees what lmb_deformer_prepare has found for a part.
void lmbi_deformed_part_forget(lmbi_deformed_part *part, const lmb_allocator *alloc);

#endif
