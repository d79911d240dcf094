/// Characters at a time of a clip, for tests and benches.
#ifndef TESTS_POSED_H
#define TESTS_POSED_H

#include "limber/limber.h"

#include <stdlib.h>

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

#endif
