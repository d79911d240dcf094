// A creature on four legs goes from walking to trotting, and what stands stays where it stands: its
// legs are found by shape, its gaits made, mixed by a machine, and its feet held.
//     build/samples/25_legs
#include <stdio.h>
#include <stdlib.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

enum { FRAMES = 60 * 6, LEGS = LMB_GAIT_LEGS };

static const char graph_text[] =
    "{\"limber\": \"state machine\", \"parameters\": {\"haste\": 0},"
    " \"states\": {\"go\": {\"along\": \"haste\", \"clips\": {\"walk\": 0, \"trot\": 1}}}}";

/// One cycle of a gait as a clip.
static lmb_clip *gait_clip(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                           lmb_gait_kind kind)
{
    lmb_gait *gait = NULL;
    lmb_clip *clip = NULL;
    if (lmb_gait_create(skeleton, body, &(lmb_gait_opts){.kind = kind}, NULL, &gait, NULL) !=
        LMB_OK) {
        return NULL;
    }
    const uint32_t joints = skeleton->joint_count, frames = lmb_gait_describe(gait).frame_count + 1;
    lmb_transform *poses = calloc((size_t)frames * joints, sizeof(*poses));
    for (uint32_t f = 0; poses != NULL && f < frames; ++f) {
        lmb_gait_pose(gait, f / 60.0, poses + (size_t)f * joints);
    }
    if (poses != NULL) {
        lmb_clip_from_poses(skeleton, poses, frames, 60, lmb_gait_name(kind), NULL, &clip, NULL);
    }
    free(poses);
    lmb_gait_destroy(gait);
    return clip;
}

/// Hip, knee and ankle of each leg; what stands is the ball of the foot, in the ankle's frame.
static void find_feet(const lmb_skeleton *skeleton, const lmb_gait_body *body, lmb_mat4 *model,
                      lmb_foot_lock_leg *legs, lmb_machine_foot *feet)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        const lmb_gait_leg *leg = &body->legs[k];
        const lmb_vec3 ball = leg->toes > 0 ? lmb_mat4_translation(model[leg->toes]) : leg->tip;
        lmb_mat4 ankle_from_model;
        (void)lmb_mat4_inverse_affine(model[leg->ankle], &ankle_from_model);
        const lmb_vec3 in_ankle = lmb_mat4_point(ankle_from_model, ball);
        legs[k] = (lmb_foot_lock_leg){
            .upper = leg->hip, .lower = leg->knee, .foot = leg->ankle, .ball = in_ankle};
        feet[k] = (lmb_machine_foot){.joint = leg->ankle, .ball = in_ankle};
    }
}

static void play(lmb_machine *machine, const lmb_skeleton *skeleton, const lmb_gait_body *body,
                 const lmb_foot_lock_leg *legs, lmb_transform *pose, lmb_mat4 *model)
{
    lmb_foot_lock_state holding = {0};
    lmb_root_placement place = {{0, 0, 0}, 0}, moved;
    uint32_t held = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        lmb_machine_set(machine, 0, (float)frame / FRAMES);
        lmb_machine_step(machine, 1 / 60.0, pose, &moved);
        const lmb_machine_info info = lmb_machine_describe(machine);
        place = lmb_root_placement_mul(place, moved);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        held += lmb_ik_foot_lock(
            &(lmb_ik_foot_lock_job){.skeleton = skeleton,
                                    .local = pose,
                                    .model_from_joint = model,
                                    .hips = body->hips,
                                    .world_from_model = lmb_root_placement_transform(place),
                                    .leg_count = body->leg_count,
                                    .legs = legs,
                                    .planted = info.planted,
                                    .floors = info.floors,
                                    .dt_s = 1 / 60.0f,
                                    .state = &holding});
        if (frame % 60 == 59) {
            printf("%d s: %.2f m on, %.1f of %u feet held\n", frame / 60 + 1,
                   (double)place.position.z, held / 60.0, body->leg_count);
            held = 0;
        }
    }
}

int main(void)
{
    lmb_made_body *creature = NULL;
    lmb_gait_body body;
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_error error = {.expected = "a creature", .found = "none"};
    const lmb_made_body_opts opts = {
        .kind = LMB_MADE_QUADRUPED, .seed = 3, .whole = true, .rigged = true};
    if (lmb_made_body_create(&opts, NULL, &creature, &error) != LMB_OK ||
        lmb_gait_body_find(creature->character, NULL, &body, &error) != LMB_OK ||
        lmb_graph_read(graph_text, sizeof(graph_text) - 1, NULL, &graph, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    const lmb_skeleton *skeleton = creature->character->skeleton;
    lmb_transform *pose = calloc(skeleton->joint_count, sizeof(*pose));
    lmb_mat4 *model = calloc(skeleton->joint_count, sizeof(*model));
    lmb_clip *clips[2] = {gait_clip(skeleton, &body, LMB_GAIT_WALK),
                          gait_clip(skeleton, &body, LMB_GAIT_TROT)};
    if (pose == NULL || model == NULL || clips[0] == NULL || clips[1] == NULL) {
        return 1;
    }
    lmb_foot_lock_leg legs[LEGS];
    lmb_machine_foot feet[LEGS];
    find_feet(skeleton, &body, model, legs, feet);
    const lmb_machine_def def = {.graph = graph,
                                 .skeleton = skeleton,
                                 .clips = (const lmb_clip *const *)clips,
                                 .clip_count = 2,
                                 .root = (int32_t)body.hips,
                                 .left_foot = (int32_t)body.legs[0].ankle,
                                 .right_foot = (int32_t)body.legs[1].ankle,
                                 .foot_count = body.leg_count,
                                 .feet = feet};
    if (lmb_machine_create(&def, NULL, &machine, &error) != LMB_OK) {
        return 1;
    }
    play(machine, skeleton, &body, legs, pose, model);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_made_body_destroy(creature);
    free(pose);
    free(model);
    return 0;
}
