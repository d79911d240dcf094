// Idle, walk and run on one character, blended by its speed and crossfaded, as a game plays them:
// one call a frame.
//     build/samples/10_blend hero.glb out.glb
// What was played is written as a clip, so that it can be looked at.
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { CLIPS = 4, FRAMES = 60 * 12 };

// The speed picks the mixture of walk and run; standing and waving are states of their own.
static const char graph_text[] =
    "{\"limber\": \"state machine\","
    " \"parameters\": {\"speed\": {\"start\": 0, \"smooth\": 0.2}, \"greet\": \"trigger\"},"
    " \"states\": {\"stand\": {\"clip\": \"idle\"},"
    "   \"go\": {\"along\": \"speed\", \"clips\": {\"walk\": 1.35, \"run\": 3.2}},"
    "   \"greet\": {\"clip\": \"wave\", \"play\": \"once\"}},"
    " \"transitions\": ["
    "   {\"from\": \"stand\", \"to\": \"go\", \"when\": \"speed > 0.3\", \"seconds\": 0.35},"
    "   {\"from\": \"go\", \"to\": \"stand\", \"when\": \"speed < 0.3\", \"seconds\": 0.35},"
    "   {\"from\": \"stand\", \"to\": \"greet\", \"when\": \"greet\", \"how\": \"spring\"},"
    "   {\"from\": \"greet\", \"to\": \"stand\", \"at\": 0.9, \"seconds\": 0.35}]}";

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

/// The made motions, put on the character.
static lmb_result make_clips(const lmb_character *hero, lmb_clip *clips[CLIPS], lmb_error *error)
{
    static const lmb_motion_kind kinds[CLIPS] = {LMB_MOTION_IDLE, LMB_MOTION_WALK, LMB_MOTION_RUN,
                                                 LMB_MOTION_WAVE};
    lmb_result result = LMB_OK;
    for (int k = 0; k < CLIPS && result == LMB_OK; ++k) {
        lmb_character *motion = NULL;
        lmb_retarget_report report;
        result = lmb_motion_create(&(lmb_motion_opts){.kind = kinds[k]}, NULL, &motion, error);
        if (result == LMB_OK) {
            result = lmb_retarget(hero, motion, 0, NULL, NULL, &clips[k], &report, error);
        }
        lmb_character_destroy(motion);
    }
    return result;
}

/// What the player's stick says, second by second.
static float wanted_speed(double time_s)
{
    static const float speeds[] = {0, 0, 1.35f, 1.35f, 3.2f, 3.2f, 2.2f, 1.35f, 0, 0, 0, 0};
    return speeds[(int)time_s];
}

static void play(lmb_machine *machine, const lmb_graph *graph, const lmb_skeleton *skeleton,
                 uint32_t root, lmb_transform *poses)
{
    const uint32_t speed = (uint32_t)lmb_graph_parameter_find(graph, "speed");
    const uint32_t greet = (uint32_t)lmb_graph_parameter_find(graph, "greet");
    lmb_root_placement place = {{0, 0, 0}, 0}; // where the character stands in the world
    for (int frame = 0; frame < FRAMES; ++frame) {
        lmb_transform *pose = poses + (size_t)frame * skeleton->joint_count;
        lmb_root_placement moved;
        lmb_machine_set(machine, speed, wanted_speed(frame / 60.0));
        if (frame == 9 * 60) {
            lmb_machine_set(machine, greet, 1);
        }
        lmb_machine_step(machine, 1 / 60.0, pose, &moved);
        place = lmb_root_placement_mul(place, moved);
        lmb_pose_apply_root(skeleton, root, place, pose);
        if (frame % 60 == 59) {
            const lmb_machine_info info = lmb_machine_describe(machine);
            printf("%2d s: %-5s speed %.2f, %.2f m on\n", frame / 60 + 1, info.states[0],
                   (double)info.parameters[speed], (double)place.position.z);
        }
    }
}

/// The character with the clip alone.
static int write(lmb_character *hero, lmb_clip *clip, const char *path, lmb_error *error)
{
    lmb_character def = *hero, *out = NULL;
    lmb_buffer buffer = {0};
    def.clip_count = 1;
    def.clips = &clip;
    lmb_result result = lmb_character_create(&def, NULL, &out, error);
    if (result == LMB_OK) {
        result = lmb_gltf_write(out, NULL, NULL, &buffer, error);
        lmb_character_release(out);
    }
    if (result == LMB_OK) {
        result = lmb_file_write(path, buffer.data, buffer.size, error);
    }
    lmb_buffer_free(&buffer);
    return result == LMB_OK ? 0 : fail(path, error);
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_file file;
    lmb_character *hero = NULL;
    lmb_clip *clips[CLIPS] = {0}, *played = NULL;
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_joint_map map;
    if (argc != 3) {
        fputs("usage: 10_blend HERO.glb OUT.glb\n", stderr);
        return 2;
    }
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    lmb_file_free(&file);
    if (make_clips(hero, clips, &error) != LMB_OK ||
        lmb_joint_map_make(hero->skeleton, NULL, &map, &error) != LMB_OK ||
        lmb_graph_read(graph_text, sizeof(graph_text) - 1, NULL, &graph, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    const int32_t hips = map.bones[LMB_HUMAN_HIPS].joint;
    const lmb_machine_def def = {graph,
                                 hero->skeleton,
                                 (const lmb_clip *const *)clips,
                                 CLIPS,
                                 hips,
                                 map.bones[LMB_HUMAN_LEFT_FOOT].joint,
                                 map.bones[LMB_HUMAN_RIGHT_FOOT].joint};
    lmb_transform *poses = calloc((size_t)FRAMES * hero->skeleton->joint_count, sizeof(*poses));
    if (poses == NULL || lmb_machine_create(&def, NULL, &machine, &error) != LMB_OK) {
        return fail("the machine", &error);
    }
    play(machine, graph, hero->skeleton, (uint32_t)hips, poses);
    int code = 1;
    if (lmb_clip_from_poses(hero->skeleton, poses, FRAMES, 60, "played", NULL, &played, &error) ==
        LMB_OK) {
        code = write(hero, played, argv[2], &error);
    }
    free(poses);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    for (int k = 0; k < CLIPS; ++k) {
        lmb_clip_destroy(clips[k]);
    }
    lmb_clip_destroy(played);
    lmb_character_destroy(hero);
    return code;
}
