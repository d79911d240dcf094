/// Affine bones as joints of files, which rotate and scale but do not shear.
#ifndef LEARN_STRETCH_H
#define LEARN_STRETCH_H

#include "limber/math.h"

/// model_from_joint = outer * inner: `outer` translates, rotates and scales, `inner` only rotates.
typedef struct lmbi_stretch {
    lmb_transform outer;
    lmb_quat inner;
} lmbi_stretch;

/// The singular value decomposition U S V^T of the linear part, outer = (t, U, S), inner = V^T. Its
/// axes may be reordered and reversed: of the 24 ways the one nearest to `before` (of the frame
/// before, or NULL) is taken, so that keys can be interpolated. A reflection gives a negative scale.
lmbi_stretch lmbi_stretch_of(lmb_mat4 model_from_joint, const lmbi_stretch *before);

#endif
