/// A body model ready to pose, at one shape.
#ifndef SKIN_BODY_SKIN_H
#define SKIN_BODY_SKIN_H

#include "skin/morph_stream.h"

struct lmb_body_skin {
    const lmb_body_model *model;
    lmb_binding *binding;
    lmbi_morph_stream correctives; ///< one stream target per pose direction
    lmb_vec3 *shaped, *joints;
    float second_shape;
    /// scratch for the current pose:
    float *features;
    lmb_mat4 *model_from_joint, *model_from_bind;
    lmb_allocator allocator;
};

#endif
