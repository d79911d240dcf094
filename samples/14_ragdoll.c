// A made human whose walk is cut short: bodies fitted to its skin take over its speed and fall.
//     build/samples/14_ragdoll
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

static bool walk_on(const lmb_character *hero, lmb_clip **walk)
{
    lmb_character *motion = NULL;
    lmb_retarget_report report;
    const lmb_motion_opts opts = {.kind = LMB_MOTION_WALK};
    bool fine = lmb_motion_create(&opts, NULL, &motion, NULL) == LMB_OK;
    fine = fine && lmb_retarget(hero, motion, 0, &(lmb_retarget_opts){0}, NULL, walk, &report,
                                NULL) == LMB_OK;
    lmb_character_destroy(motion);
    return fine;
}

static void sample(const lmb_skeleton *skeleton, const lmb_clip *clip, int frame,
                   lmb_transform *pose)
{
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    lmb_sample(&(lmb_sample_job){
        .clip = clip, .time_s = frame / 60.0, .joint_count = skeleton->joint_count, .pose = pose});
}

static void fall(lmb_ragdoll *ragdoll, const lmb_skeleton *skeleton, const lmb_clip *walk,
                 lmb_transform *pose, lmb_transform *before, lmb_mat4 *model)
{
    enum { LETS_GO = 40, END = 240 };
    for (int frame = 0; frame <= END; ++frame) {
        sample(skeleton, walk, frame, pose); // as every frame of a game
        if (frame == LETS_GO) {
            sample(skeleton, walk, frame - 1, before);
            lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
                .ragdoll = ragdoll, .local = pose, .before = before, .dt_s = 1.0f / 60});
        }
        if (frame >= LETS_GO) { // the pose becomes that of the bodies
            lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = ragdoll,
                                                     .local = pose,
                                                     .model_from_joint = model,
                                                     .dt_s = 1.0f / 60,
                                                     .weight = 1});
            lmb_world_report r;
            lmb_world_measure(lmb_ragdoll_world(ragdoll), &r);
            if (frame % 40 == 0) {
                printf("%.2f s: %6.1f J, joints %.3f mm apart, %.3f mm deep, %u of 16 asleep\n",
                       frame / 60.0, r.kinetic, 1e3 * (double)r.separation,
                       1e3 * (double)r.penetration, (unsigned)r.asleep_count);
            }
        }
    }
}

int main(void)
{
    lmb_made_body *hero = NULL;
    lmb_clip *walk = NULL;
    lmb_ragdoll *ragdoll = NULL;
    const lmb_made_body_opts made = {.rigged = true, .whole = true, .triangle_count = 4000};
    if (lmb_made_body_create(&made, NULL, &hero, NULL) != LMB_OK ||
        !walk_on(hero->character, &walk)) {
        return 1;
    }
    // Once: bodies, limits and friction for the joints of a body that fall apart from each other.
    const lmb_skeleton *skeleton = hero->character->skeleton;
    const size_t n = skeleton->joint_count;
    lmb_transform *pose = calloc(2 * n, sizeof *pose);
    lmb_mat4 *model = calloc(n, sizeof *model);
    lmb_ragdoll_plan plan = {0};
    bool fine =
        pose && model && lmb_ragdoll_plan_make(hero->character, 0, NULL, &plan, NULL) == LMB_OK;
    const lmb_rigid_shape ground = {.kind = LMB_RIGID_PLANE,
                                    .body = LMB_NONE,
                                    .offset = {0, fine ? plan.set->box.low.y : 0, 0},
                                    .static_friction = 0.8f,
                                    .dynamic_friction = 0.65f};
    plan.scene.shapes = &ground;
    plan.scene.shape_count = 1;
    fine =
        fine && lmb_ragdoll_create(plan.set, skeleton, &plan.scene, NULL, &ragdoll, NULL) == LMB_OK;
    if (fine) {
        fall(ragdoll, skeleton, walk, pose, pose + n, model);
    }
    lmb_ragdoll_destroy(ragdoll);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_clip_destroy(walk);
    lmb_made_body_destroy(hero);
    free(pose);
    free(model);
    return fine ? 0 : 1;
}
