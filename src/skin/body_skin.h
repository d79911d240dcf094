/// A body model ready to pose, at one shape.
#ifndef SKIN_BODY_SKIN_H
#define SKIN_BODY_SKIN_H

#include "skin/morph_stream.h"

struct lmb_body_skin {
    const lmb_body_model *model;
    lmb_binding *binding;
    lmbi_morph_stream correctives; ///< pose directions
    lmb_vec3 *shaped, *joints;
    float second_shape;
    float *features; ///< of the pose in work, as are:
    lmb_mat4 *model_from_joint, *model_from_bind;
    lmb_allocator allocator;
};

#endif
