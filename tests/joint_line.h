/// Joints in one straight line, with room for a pose: what solvers of chains are tried on, in tests and
/// benches.
#ifndef TESTS_JOINT_LINE_H
#define TESTS_JOINT_LINE_H

#include <string.h>

#include "limber/asset.h"

enum { LINE_LINKS = 100, LINE_JOINTS = LINE_LINKS + 1 };

typedef struct joint_line {
    lmb_skeleton skeleton; ///< without limits: `limits` is there to be filled
    int32_t parents[LINE_JOINTS];
    lmb_transform rest[LINE_JOINTS], local[LINE_JOINTS];
    const char *names[LINE_JOINTS];
    lmb_joint_limit limits[LINE_JOINTS];
    lmb_mat4 model[LINE_JOINTS]; ///< of the pose `local`
    uint32_t links;
} joint_line;

static inline void joint_line_update(joint_line *l)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &l->skeleton, .local = l->local, .model_from_joint = l->model});
}

/// Joint 0 at the origin, every other by `link` from the one before.
static inline void joint_line_make(joint_line *l, uint32_t links, lmb_vec3 link)
{
    memset(l, 0, sizeof *l);
    l->links = links;
    for (uint32_t j = 0; j <= links; ++j) {
        l->parents[j] = (int32_t)j - 1;
        l->rest[j] = lmb_transform_identity();
        l->rest[j].translation = j > 0 ? link : l->rest[j].translation;
        l->local[j] = l->rest[j];
        l->names[j] = "link";
    }
    l->skeleton = (lmb_skeleton){
        .joint_count = links + 1, .parents = l->parents, .rest = l->rest, .names = l->names};
    joint_line_update(l);
}

#endif
