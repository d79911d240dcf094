/// Parts of deformers and body models.
#ifndef SKIN_SKIN_H
#define SKIN_SKIN_H

#include <stddef.h>
#include <stdint.h>

#include "limber/skin.h"

uint32_t lmbi_binding_vertex_count(const lmb_binding *binding);

/// Number of influences over all vertices, to which the cost of a frame is proportional.
size_t lmbi_mush_influence_count(const lmb_mush *mush);

/// The shaped body at rest, [vertex_count], and its joints, [joint_count].
const lmb_vec3 *lmbi_body_skin_vertices(const lmb_body_skin *skin);
const lmb_vec3 *lmbi_body_skin_joints(const lmb_body_skin *skin);

/// Computes out[feature_count], the factors of the pose directions. `rotations` [joint_count] may
/// be NULL; `second_shape` is shape coefficient 1, which STAR uses as a feature.
void lmbi_body_features(const lmb_body_model *model, const lmb_quat *rotations, float second_shape,
                        float *out);

// ---- Array offsets and strides of a skinning job.

/// NULL stays NULL.
static inline const uint8_t *lmbi_input_at(const uint8_t *array, size_t vertex, size_t size)
{
    return array != NULL ? array + vertex * size : NULL;
}

static inline uint8_t *lmbi_output_at(uint8_t *array, size_t vertex, size_t stride)
{
    return array != NULL ? array + vertex * stride : NULL;
}

static inline size_t lmbi_stride_or(uint32_t stride, size_t tight)
{
    return stride != 0 ? stride : tight;
}

// ---- Palettes

/// The common scale of the joints, such as 0.01 for a mesh bound in centimetres under joints in
/// metres: the median of theirs, which a few stretched joints do not change; 1 within single
/// precision. Splitting is correct only without it: divide the palette by it (lmbi_skin_unscale),
/// split, deform, and multiply the output positions by it.
float lmbi_skin_scale(const lmb_mat4 *model_from_bind, uint32_t joint_count);
/// Divides the linear parts and the translations by `scale`.
void lmbi_skin_unscale(float scale, lmb_mat4 *model_from_bind, uint32_t joint_count);

#endif
