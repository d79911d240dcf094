// Keeps two joints a vertex, those that the character's own clip needs: what is off in any of twenty
// of its poses is told.
//     build/samples/26_few_weights animated.glb few.glb
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "character_file.h"

enum { POSES = 20, KEPT = 2 };

/// [POSES][joint_count]: where the joints are, from the clip's start to its end.
static lmb_mat4 *poses_of(const lmb_character *character, const lmb_clip *clip)
{
    const uint32_t joints = character->skeleton->joint_count;
    lmb_transform *local = malloc(joints * sizeof *local);
    lmb_mat4 *poses = malloc(POSES * joints * sizeof *poses);
    for (uint32_t k = 0; local && poses && k < POSES; ++k) {
        memcpy(local, character->skeleton->rest, joints * sizeof *local);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)lmb_clip_duration_s(clip) * k / (POSES - 1),
                                     .joint_count = joints,
                                     .pose = local});
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = character->skeleton,
                                                   .local = local,
                                                   .model_from_joint = poses + k * joints});
    }
    free(local);
    return poses;
}

int main(int argc, char **argv)
{
    lmb_character *character = argc == 3 ? read_character(argv[1]) : NULL;
    if (!character || character->clip_count == 0) {
        fprintf(stderr, "26_few_weights ANIMATED.glb OUT.glb\n");
        lmb_character_destroy(character);
        return 2;
    }
    lmb_mat4 *poses = poses_of(character, character->clips[0]);
    const lmb_weights_edit edit = {
        .op = LMB_WEIGHTS_LIMIT, .influences = KEPT, .poses = poses, .pose_count = POSES};
    lmb_weights_change change;
    lmb_error error = {0};
    const bool done =
        poses && lmb_weights_apply(&character, &edit, NULL, &change, &error) == LMB_OK;
    if (done) {
        printf("%u of %u vertices changed, %u joints a vertex before, %u now\n",
               change.changed_count, change.vertex_count, change.most_before, change.most_after);
        printf("in %d poses of %s off by %.2f mm on average, %.2f mm at most\n", POSES,
               character->clips[0]->name, 1000 * (double)change.moved_mean,
               1000 * (double)change.moved_max);
    }
    const bool written = done && write_character(character, argv[2]);
    if (!written) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
    }
    free(poses);
    lmb_character_destroy(character);
    return written ? 0 : 1;
}
