/// The pose correctives of a recorded motion, as few morph targets.
#ifndef SKIN_BODY_CORRECTIVES_H
#define SKIN_BODY_CORRECTIVES_H

#include "base/arena.h"
#include "limber/jobs.h"
#include "limber/skin.h"

/// sum of weights[f][t] * targets[t] is the sum of features[f][k] * pose_directions[k], up to
/// `error`.
typedef struct lmbi_correctives {
    uint32_t count;
    lmb_vec3 *targets; ///< [count][vertex_count]
    float *weights;    ///< [frame_count][count]
    float error;       ///< greatest distance at the frames
} lmbi_correctives;

/// features[frame_count][feature_count]. A negative tolerance takes the features that occur as they
/// are. The arrays lie in the arena.
/// Errors: MEMORY.
lmb_result lmbi_correctives_build(const lmb_body_model *model, const float *features,
                                  uint32_t frame_count, float tolerance, const lmb_jobs *jobs,
                                  lmbi_arena *arena, lmbi_correctives *out, lmb_error *error);

#endif
