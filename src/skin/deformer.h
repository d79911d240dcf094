/// State of a deformer between frames.
#ifndef SKIN_DEFORMER_H
#define SKIN_DEFORMER_H

#include "limber/skin.h"

/// Buffers of one instance; those that lmb_deformer_prepare makes are NULL until then.
typedef struct lmbi_deformed_part {
    lmb_morph_set *morphs;           ///< NULL if the mesh has no targets
    lmb_binding *binding;            ///< NULL if the instance has no skin
    lmb_centers *centers;            ///< of lmb_deformer_prepare
    lmb_vec3 *stretched;             ///< with `centers`: centres moved by the stretch palette
    lmb_mush *mush[LMB_MUSH_V5 + 1]; ///< of lmb_deformer_prepare, by variant
    lmb_delta_mush *delta;           ///< of lmb_deformer_prepare, with:
    void *scratch;
    lmb_vec3 *rest, *rest_normals; ///< input of the skinning
    lmb_vec4 *rest_tangents;
    lmb_gradients *gradients;    ///< of lmb_deformer_prepare
    lmb_vec3 *pivots;            ///< of lmb_deformer_prepare
    lmb_envelope_skin *envelope; ///< of lmb_deformer_prepare, with:
    float *envelope_weights;     ///< [target_count] scratch
    lmb_vec3 *positions, *normals;
    lmb_vec4 *tangents;
} lmbi_deformed_part;

struct lmb_deformer {
    const lmb_character *character;
    lmbi_deformed_part *parts; ///< [instance_count]
    lmb_mat4 *palette;         ///< sized for the largest skin, like the rest
    lmb_mat4 *rigid, *stretch;
    lmb_quat *rotations;
    lmb_vec3 *origins;
    lmb_allocator allocator;
};

/// The direct delta mush variant of a method; LMB_MUSH_V0 for other methods.
lmb_mush_variant lmbi_mush_variant_of(lmb_skin_method method);
/// Frees what lmb_deformer_prepare made for a part.
void lmbi_deformed_part_release(lmbi_deformed_part *part, const lmb_allocator *alloc);

#endif
