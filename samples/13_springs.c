// A pony tail of four joints on a head that turns: what a game does every frame after sampling its
// clips.
//     build/samples/13_springs
#include <stdio.h>
#include <string.h>

#include "limber/limber.h"

enum { JOINTS = 6, HEAD = 0 };

int main(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 1, 2, 3, 4};
    const char *names[JOINTS] = {"head", "tail1", "tail2", "tail3", "tail4", "tip"};
    lmb_transform rest[JOINTS], pose[JOINTS];
    lmb_mat4 model[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(0,
                                            j == 0   ? 1.6f
                                            : j == 1 ? 0.1f
                                                     : -0.06f,
                                            j == 1 ? -0.1f : 0);
    }
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};

    // Once: what springs, and the machine that remembers how it moves.
    lmb_spring_set *set = NULL;
    lmb_springs *springs = NULL;
    const lmb_spring_joint soft = lmb_spring_soft();
    if (lmb_spring_set_add_chain(NULL, &skeleton, 1, &soft, NULL, &set, NULL) != LMB_OK ||
        lmb_springs_create(set, &skeleton, NULL, &springs, NULL) != LMB_OK) {
        lmb_spring_set_destroy(set);
        return 1;
    }
    for (int frame = 0; frame <= 90; ++frame) {
        memcpy(pose, rest, sizeof pose);
        pose[HEAD].rotation =
            lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), lmb_sin(0.1f * (float)frame));
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = &skeleton, .local = pose, .model_from_joint = model});
        lmb_springs_step(&(lmb_springs_step_job){
            .springs = springs, .local = pose, .model_from_joint = model, .dt_s = 1.0f / 60});
        if (frame % 15 == 0) {
            const lmb_vec3 tip = lmb_mat4_translation(model[JOINTS - 1]);
            printf("%.2f s: the tip is at %.3f %.3f %.3f\n", (double)frame / 60, (double)tip.x,
                   (double)tip.y, (double)tip.z);
        }
    }
    lmb_springs_destroy(springs);
    lmb_spring_set_destroy(set);
    return 0;
}
