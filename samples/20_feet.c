// A machine in a machine, played from compressed clips, with feet that stay where they stand: on
// the ground one stands, walks or runs; a jump leaves the ground and comes back to where it left.
//     build/samples/20_feet hero.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { CLIPS = 4, FRAMES = 60 * 10 };

static const char graph_text[] =
    "{\"limber\": \"state machine\","
    " \"parameters\": {\"speed\": {\"start\": 0, \"smooth\": 0.15}, \"jump\": \"trigger\"},"
    " \"states\": {"
    "   \"ground\": {\"states\": {\"stand\": {\"clip\": \"idle\"},"
    "     \"go\": {\"along\": \"speed\", \"clips\": {\"walk\": 1.35, \"run\": 3.2}}},"
    "     \"entry\": [{\"to\": \"go\", \"when\": \"speed > 0.3\"}],"
    "     \"transitions\": ["
    "       {\"from\": \"stand\", \"to\": \"go\", \"when\": \"speed > 0.3\", \"seconds\": 0.35},"
    "       {\"from\": \"go\", \"to\": \"stand\", \"when\": \"speed < 0.3\", \"seconds\": 0.35}]},"
    "   \"jump\": {\"clip\": \"jump\", \"play\": \"once\"}},"
    " \"transitions\": ["
    "   {\"from\": \"ground\", \"to\": \"jump\", \"when\": \"jump\", \"how\": \"spring\"},"
    "   {\"from\": \"jump\", \"to\": \"ground\", \"at\": 0.9, \"seconds\": 0.3}]}";

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

/// The made motions, put on the character and compressed.
static lmb_result make_clips(const lmb_character *hero, lmb_packed_clip *out[CLIPS],
                             lmb_error *error)
{
    static const lmb_motion_kind kinds[CLIPS] = {LMB_MOTION_IDLE, LMB_MOTION_WALK, LMB_MOTION_RUN,
                                                 LMB_MOTION_JUMP};
    lmb_result result = LMB_OK;
    for (int k = 0; k < CLIPS && result == LMB_OK; ++k) {
        lmb_character *motion = NULL;
        lmb_clip *clip = NULL;
        lmb_retarget_report report;
        result = lmb_motion_create(&(lmb_motion_opts){.kind = kinds[k]}, NULL, &motion, error);
        if (result == LMB_OK) {
            result = lmb_retarget(hero, motion, 0, NULL, NULL, &clip, &report, error);
        }
        if (result == LMB_OK) {
            result = lmb_packed_clip_create(hero->skeleton, clip, NULL, NULL, &out[k], error);
        }
        lmb_clip_destroy(clip);
        lmb_character_destroy(motion);
    }
    return result;
}

/// A leg by the joints of a human; without toes the ankle is what stays.
static lmb_foot_lock_leg leg_of(const lmb_skeleton *skeleton, const lmb_joint_map *map, int thigh)
{
    const int32_t toes = map->bones[thigh + 3].joint;
    return (lmb_foot_lock_leg){.upper = (uint32_t)map->bones[thigh].joint,
                               .lower = (uint32_t)map->bones[thigh + 1].joint,
                               .foot = (uint32_t)map->bones[thigh + 2].joint,
                               .ball = toes != LMB_NONE ? skeleton->rest[toes].translation
                                                        : lmb_vec3_make(0, 0, 0)};
}

static void play(lmb_machine *machine, const lmb_skeleton *skeleton, uint32_t hips,
                 const lmb_foot_lock_leg legs[2], lmb_transform *pose, lmb_mat4 *model)
{
    static const float speeds[] = {0, 1.35f, 1.35f, 3.2f, 3.2f, 3.2f, 1.35f, 1.35f, 0, 0};
    lmb_root_placement place = {{0, 0, 0}, 0};
    lmb_foot_lock_state holding = {0};
    for (int frame = 0; frame < FRAMES; ++frame) {
        lmb_root_placement moved;
        lmb_machine_set(machine, 0, speeds[frame / 60]);
        if (frame == 5 * 60) {
            lmb_machine_set(machine, 1, 1);
        }
        lmb_machine_step(machine, 1 / 60.0, pose, &moved);
        const lmb_machine_info info = lmb_machine_describe(machine);
        place = lmb_root_placement_mul(place, moved);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        const uint32_t held = lmb_ik_foot_lock(
            &(lmb_ik_foot_lock_job){.skeleton = skeleton,
                                    .local = pose,
                                    .model_from_joint = model,
                                    .hips = hips,
                                    .world_from_model = lmb_root_placement_transform(place),
                                    .leg_count = 2,
                                    .legs = legs,
                                    .planted = info.planted,
                                    .floors = info.floors,
                                    .dt_s = 1 / 60.0f,
                                    .state = &holding});
        if (frame % 60 == 59) {
            printf("%2d s: %-12s %.2f m on, %u feet held\n", frame / 60 + 1, info.states[0],
                   (double)place.position.z, held);
        }
    }
}

int main(int argc, char **argv)
{
    lmb_error error = {.expected = "a character", .found = "none"};
    lmb_file file;
    lmb_character *hero = NULL;
    lmb_packed_clip *clips[CLIPS] = {0};
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_joint_map map;
    if (argc != 2 || lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK) {
        return fail("20_feet HERO.glb", &error);
    }
    lmb_file_free(&file);
    if (make_clips(hero, clips, &error) != LMB_OK ||
        lmb_joint_map_make(hero->skeleton, NULL, &map, &error) != LMB_OK ||
        lmb_graph_read(graph_text, sizeof(graph_text) - 1, NULL, &graph, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    const lmb_skeleton *skeleton = hero->skeleton;
    const lmb_foot_lock_leg legs[2] = {leg_of(skeleton, &map, LMB_HUMAN_LEFT_UPPER_LEG),
                                       leg_of(skeleton, &map, LMB_HUMAN_RIGHT_UPPER_LEG)};
    const lmb_machine_foot feet[2] = {{legs[0].foot, legs[0].ball, legs[0].toes, legs[0].tip},
                                      {legs[1].foot, legs[1].ball, legs[1].toes, legs[1].tip}};
    const int32_t hips = map.bones[LMB_HUMAN_HIPS].joint;
    const lmb_machine_def def = {.graph = graph,
                                 .skeleton = skeleton,
                                 .packed = (const lmb_packed_clip *const *)clips,
                                 .packed_count = CLIPS,
                                 .root = hips,
                                 .left_foot = (int32_t)legs[0].foot,
                                 .right_foot = (int32_t)legs[1].foot,
                                 .foot_count = 2,
                                 .feet = feet};
    lmb_transform *pose = calloc(skeleton->joint_count, sizeof(*pose));
    lmb_mat4 *model = calloc(skeleton->joint_count, sizeof(*model));
    if (pose == NULL || model == NULL ||
        lmb_machine_create(&def, NULL, &machine, &error) != LMB_OK) {
        return fail("the machine", &error);
    }
    play(machine, skeleton, (uint32_t)hips, legs, pose, model);
    free(pose);
    free(model);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    for (int k = 0; k < CLIPS; ++k) {
        lmb_packed_clip_destroy(clips[k]);
    }
    lmb_character_destroy(hero);
    return 0;
}
