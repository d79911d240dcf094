// Spring joints a second on one core: 64 ropes of 16 joints on one carrier that sways, each meeting
// a sphere and a capsule, or nothing; frames of 1/60 s. JSON on stdout.
//     springs_bench [--quick]
#include <stdio.h>
#include <string.h>

#include "limber/os.h"
#include "limber/physics.h"

enum {
    ROPES = 64,
    LINKS = 16,
    JOINTS = 1 + ROPES * (LINKS + 1),
    SPRINGS = ROPES * LINKS,
    ROUNDS = 9
};

static int32_t parents[JOINTS];
static lmb_transform rest[JOINTS], local[JOINTS];
static lmb_mat4 model[JOINTS];
static lmb_spring_joint joints[SPRINGS];

static void lay_out(void)
{
    uint32_t at = 1, spring = 0;
    parents[0] = LMB_NONE;
    rest[0] = lmb_transform_identity();
    for (int r = 0; r < ROPES; ++r) {
        for (int k = 0; k <= LINKS; ++k, ++at) {
            parents[at] = k == 0 ? 0 : (int32_t)at - 1;
            rest[at] = lmb_transform_identity();
            rest[at].translation =
                lmb_vec3_make(k == 0 ? 0.02f * (float)r : 0, k == 0 ? 0 : -0.05f, 0);
            if (k < LINKS) {
                joints[spring++] = (lmb_spring_joint){.joint = at,
                                                      .tail = (int32_t)at + 1,
                                                      .center = LMB_NONE,
                                                      .stiffness = 1,
                                                      .drag = 0.4f,
                                                      .gravity = {0, -1, 0},
                                                      .gravity_power = 0.3f,
                                                      .hit_radius = 0.01f};
            }
        }
    }
}

static void run_frames(const lmb_skeleton *skeleton, lmb_springs *springs, int frames)
{
    for (int f = 0; f < frames; ++f) {
        memcpy(local, rest, sizeof local);
        local[0].translation.x = 0.2f * lmb_sin(0.05f * (float)f);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = local, .model_from_joint = model});
        lmb_springs_step(&(lmb_springs_step_job){
            .springs = springs, .local = local, .model_from_joint = model, .dt_s = 1.0f / 60});
    }
}

/// The best of a few rounds, with forward kinematics of the whole skeleton in it.
static double joints_a_second(const lmb_skeleton *skeleton, uint32_t colliders, int frames)
{
    lmb_spring_collider shapes[2] = {
        {.shape = LMB_SPRING_SPHERE, .offset = {0.6f, -0.3f, 0}, .radius = 0.2f},
        {.shape = LMB_SPRING_CAPSULE,
         .offset = {0, -0.6f, 0.05f},
         .tail = {1.3f, -0.6f, 0.05f},
         .radius = 0.08f}};
    uint32_t references[2] = {0, 1};
    for (int i = 0; i < SPRINGS; ++i) {
        joints[i].reference_count = colliders;
    }
    const lmb_spring_set def = {.joint_count = SPRINGS,
                                .joints = joints,
                                .collider_count = colliders,
                                .colliders = shapes,
                                .reference_count = colliders,
                                .references = references};
    lmb_spring_set *set = NULL;
    lmb_springs *springs = NULL;
    double best = 0;
    if (lmb_spring_set_create(&def, skeleton, NULL, &set, NULL) == LMB_OK &&
        lmb_springs_create(set, skeleton, NULL, &springs, NULL) == LMB_OK) {
        for (int round = 0; round < ROUNDS; ++round) {
            const double start = lmb_clock_s();
            run_frames(skeleton, springs, frames);
            const double rate = (double)SPRINGS * frames / (lmb_clock_s() - start);
            best = rate > best ? rate : best;
        }
    }
    lmb_springs_destroy(springs);
    lmb_spring_set_destroy(set);
    return best;
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 20 : 300;
    lay_out();
    const lmb_skeleton skeleton = {.joint_count = JOINTS, .parents = parents, .rest = rest};
    const double free_rate = joints_a_second(&skeleton, 0, frames);
    const double met_rate = joints_a_second(&skeleton, 2, frames);
    printf("{\n  \"bench\": \"springs\",\n  \"spring_joints\": %d,\n  \"frames\": %d,\n"
           "  \"joints_per_second\": %.0f,\n  \"joints_per_second_two_colliders\": %.0f\n}\n",
           SPRINGS, frames, free_rate, met_rate);
    return free_rate > 0 && met_rate > 0 ? 0 : 1;
}
