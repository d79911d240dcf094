/// Characters at a time of a clip, for tests and benches.
#ifndef TESTS_POSED_H
#define TESTS_POSED_H

#include "limber/limber.h"

#include <stdlib.h>
#include <string.h>

/// Transforms of the joints in the model at a time of a clip.
static inline void test_pose_at(const lmb_skeleton *skeleton, const lmb_clip *clip, double time_s,
                                lmb_transform *pose)
{
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] >= 0) {
            pose[j] = lmb_transform_mul(pose[skeleton->parents[j]], pose[j]);
        }
    }
}

/// The joints' matrices in the model at a time of the first clip; at rest for a negative time. `local` receives the pose.
static inline void test_model_at(const lmb_character *c, double time_s, lmb_transform *local,
                                 lmb_mat4 *model)
{
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        local[j] = c->skeleton->rest[j];
    }
    if (time_s >= 0) {
        lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                     .time_s = time_s,
                                     .joint_count = c->skeleton->joint_count,
                                     .rest = c->skeleton->rest,
                                     .pose = local});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
}

/// The deformer shows the character at a time of a clip, or at rest without one.
static inline void test_deform_at(const lmb_character *c, const lmb_clip *clip, double time_s,
                                  lmb_deformer *deformer)
{
    const uint32_t n = c->skeleton->joint_count;
    lmb_transform *local = malloc(n * sizeof *local);
    lmb_mat4 *model = malloc(n * sizeof *model);
    uint32_t *first = malloc((n + 1) * sizeof *first);
    const uint32_t count = lmb_character_weights(c, first, NULL);
    float *rest = malloc((count + 1) * sizeof *rest),
          *weights = malloc((count + 1) * sizeof *weights);
    lmb_character_weights(c, first, rest);
    memcpy(local, c->skeleton->rest, n * sizeof *local);
    memcpy(weights, rest, count * sizeof *weights);
    if (clip) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = n,
                                     .rest = c->skeleton->rest,
                                     .pose = local,
                                     .weight_first = first,
                                     .rest_weights = rest,
                                     .weights = weights});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    lmb_deform(&(lmb_deform_job){.deformer = deformer,
                                 .model_from_joint = model,
                                 .weight_first = first,
                                 .weights = weights});
    free(local);
    free(model);
    free(first);
    free(rest);
    free(weights);
}

#endif
