// Compresses the clips of a character, plays one, and tells what it cost.
//     build/samples/09_compressed_clip hero.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

/// The farthest that a joint is from where the keys put it, over the whole clip. (The bound is on
/// the skin: it is wider.)
static float worst_joint(const lmb_character *hero, const lmb_clip *clip,
                         const lmb_packed_clip *packed)
{
    const uint32_t joints = hero->skeleton->joint_count;
    lmb_transform *pose = calloc(joints, sizeof(*pose));
    lmb_mat4 *is = calloc(joints, sizeof(*is)), *should = calloc(joints, sizeof(*should));
    float worst = 0;
    for (int i = 0; pose && is && should && i <= 1000; ++i) {
        const double time_s = (double)packed->duration_s * i / 1000;
        lmb_packed_sample(&(lmb_packed_sample_job){.clip = packed, .time_s = time_s, .pose = pose});
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = hero->skeleton, .local = pose, .model_from_joint = is});
        lmb_clip_to_model(clip, hero->skeleton, time_s, pose, should);
        for (uint32_t j = 0; j < joints; ++j) {
            const float apart =
                lmb_vec3_distance(lmb_mat4_translation(is[j]), lmb_mat4_translation(should[j]));
            worst = apart > worst ? apart : worst;
        }
    }
    free(pose);
    free(is);
    free(should);
    return worst;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_file file;
    lmb_character *hero = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: 09_compressed_clip hero.glb\n");
        return 2;
    }
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    lmb_file_free(&file);

    // The bound is on the skin: how far it is from each joint.
    float *reach = calloc(hero->skeleton->joint_count, sizeof(*reach));
    if (reach == NULL) {
        return 1;
    }
    lmb_character_reach(hero, reach);
    const lmb_pack_opts opts = {.precision_m = 1e-4f, .reach_m = reach};
    for (uint32_t c = 0; c < hero->clip_count; ++c) {
        lmb_packed_clip *packed = NULL;
        if (lmb_packed_clip_create(hero->skeleton, hero->clips[c], &opts, NULL, &packed, &error) !=
            LMB_OK) {
            return fail("compressing", &error);
        }
        printf("%s: %u samples in %u bytes, within %.3f mm at the skin, joints within %.3f mm\n",
               packed->name != NULL ? packed->name : "clip", packed->sample_count,
               packed->word_count * 4, (double)packed->error_m * 1000,
               (double)worst_joint(hero, hero->clips[c], packed) * 1000);
        lmb_packed_clip_destroy(packed);
    }
    free(reach);
    lmb_character_destroy(hero);
    return 0;
}
