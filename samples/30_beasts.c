// One animal's walk on another, by chains: whatever both have of spine, neck, tail, legs and arms.
// What was found is printed, and the clip's feet are said to stand.
//     build/samples/30_beasts
#include <stdio.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

/// A made dog that trots, two seconds at 60 Hz.
static lmb_result make_dog(lmb_made_body **body, lmb_clip **clip, lmb_error *error)
{
    enum { FRAMES = 120, JOINTS = 64 };
    static lmb_transform poses[FRAMES * JOINTS];
    const lmb_made_body_opts opts = {
        .kind = LMB_MADE_QUADRUPED, .seed = 2, .triangle_count = 2000, .rigged = true};
    lmb_gait_body legs;
    lmb_gait *gait = NULL;
    lmb_result result = lmb_made_body_create(&opts, NULL, body, error);
    if (result == LMB_OK) {
        result = lmb_gait_body_find((*body)->character, NULL, &legs, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const lmb_skeleton *skeleton = (*body)->character->skeleton;
    result = lmb_gait_create(skeleton, &legs, &(lmb_gait_opts){.kind = LMB_GAIT_TROT}, NULL, &gait,
                             error);
    for (int f = 0; f < FRAMES && result == LMB_OK && skeleton->joint_count <= JOINTS; ++f) {
        lmb_gait_pose(gait, f / 60.0, poses + (size_t)f * skeleton->joint_count);
    }
    if (result == LMB_OK) {
        result = lmb_clip_from_poses(skeleton, poses, FRAMES, 60, "trot", NULL, clip, error);
    }
    lmb_gait_destroy(gait);
    return result;
}

static void print_chains(const char *who, const lmb_chain_map *map, const lmb_skeleton *skeleton)
{
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *chain = &map->chains[i];
        char name[24];
        printf("%s: %-10s %s to %s\n", who, lmb_body_chain_name(chain, name),
               skeleton->names[chain->joints[0]], skeleton->names[chain->joints[chain->count - 1]]);
    }
}

int main(void)
{
    lmb_error error;
    lmb_made_body *dog = NULL, *calf = NULL;
    lmb_clip *trot = NULL, *clip = NULL;
    lmb_retarget_report report;
    const lmb_made_body_opts other = {
        .kind = LMB_MADE_QUADRUPED, .seed = 7, .triangle_count = 2000, .rigged = true};
    if (make_dog(&dog, &trot, &error) || lmb_made_body_create(&other, NULL, &calf, &error)) {
        return fail("the bodies", &error);
    }
    lmb_character trotting = *dog->character;
    trotting.clip_count = 1;
    trotting.clips = &trot;
    if (lmb_retarget(calf->character, &trotting, 0, NULL, NULL, &clip, &report, &error)) {
        return fail("the trot", &error);
    }
    print_chains("dog", &report.source_chains, dog->character->skeleton);
    print_chains("calf", &report.target_chains, calf->character->skeleton);
    printf("%u chains in common, %u frames, %u times a paw was held, by up to %.3f m\n",
           (unsigned)report.chain_count, (unsigned)report.frame_count,
           (unsigned)report.contact_count, (double)report.largest_correction);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(trot);
    lmb_made_body_destroy(calf);
    lmb_made_body_destroy(dog);
    return 0;
}
