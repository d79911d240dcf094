/// Compresses the pose correctives of a recorded motion into a few morph targets.
#ifndef SKIN_BODY_CORRECTIVES_H
#define SKIN_BODY_CORRECTIVES_H

#include "base/arena.h"
#include "limber/jobs.h"
#include "limber/skin.h"
#include "skin/morph_set.h"

/// For each frame f, sum of weights[f][t] * targets[t] approximates sum of features[f][k] *
/// pose_directions[k] within `error`.
typedef struct lmbi_correctives {
    uint32_t count;
    lmb_vec3 *targets; ///< [count][vertex_count]
    float *weights;    ///< [frame_count][count]
    float error;       ///< greatest displacement error over all frames, in metres
} lmbi_correctives;

/// features[frame_count][feature_count]. A negative tolerance keeps one target for each feature
/// that is used. The arrays are allocated in the arena. Errors: MEMORY.
lmb_result lmbi_correctives_build(const lmb_body_model *model, const float *features,
                                  uint32_t frame_count, float tolerance, const lmb_jobs *jobs,
                                  lmbi_arena *arena, lmbi_correctives *out, lmb_error *error);

// A body model ready to pose, at one shape.

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
