// A clock whose hands are driven by a program of six lines, the second hand with an overshoot:
// motion as a function of time, baked to a clip.
//     build/samples/15_drivers clock.glb
#include <stdio.h>
#include <string.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { HANDS = 3, JOINTS = 1 + HANDS, FPS = 30, SECONDS = 12, FRAMES = SECONDS * FPS + 1 };

static const char program[] =
    "param start = 3 * 3600        # three o'clock\n"
    "let now = start + t\n"
    "let u = fract(now)            # a tick: off at once, past its place, back\n"
    "second.rz = -6deg * (floor(now) - 1 + (1 - exp(-18 * u) * cos(30 * u)))\n"
    "minute.rz = -tau * now / 3600 # clockwise, seen from the front\n"
    "hour.rz = -tau * now / 43200\n";

/// A hand: a flat diamond from the middle up, `length` long, a little before the one below it.
static lmb_mesh *make_hand(const char *name, float length, float width)
{
    lmb_vec3 positions[4] = {{0, -0.1f, 0}, {width, 0, 0}, {0, length, 0}, {-width, 0, 0}};
    uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    lmb_primitive primitive = {.index_count = 6, .vertex_count = 4, .material = LMB_NONE};
    lmb_mesh *mesh = NULL;
    lmb_mesh_create(&(lmb_mesh){.name = name,
                                .vertex_count = 4,
                                .positions = positions,
                                .index_count = 6,
                                .indices = indices,
                                .primitive_count = 1,
                                .primitives = &primitive},
                    NULL, &mesh, NULL);
    return mesh;
}

static lmb_character *make_clock(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 0, 0};
    const char *names[JOINTS] = {"clock", "hour", "minute", "second"};
    lmb_transform rest[JOINTS];
    lmb_mesh *meshes[HANDS] = {make_hand("hour", 0.55f, 0.06f), make_hand("minute", 0.85f, 0.04f),
                               make_hand("second", 0.9f, 0.015f)};
    lmb_instance instances[HANDS] = {
        {1, 0, LMB_NONE, NULL}, {2, 1, LMB_NONE, NULL}, {3, 2, LMB_NONE, NULL}};
    lmb_skeleton *skeleton = NULL;
    lmb_character *out = NULL;
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.z = 0.01f * (float)j;
    }
    lmb_skeleton_create(
        &(lmb_skeleton){.joint_count = JOINTS, .parents = parents, .names = names, .rest = rest},
        NULL, &skeleton, NULL);
    lmb_character_create(&(lmb_character){.name = "clock",
                                          .skeleton = skeleton,
                                          .mesh_count = HANDS,
                                          .meshes = meshes,
                                          .instance_count = HANDS,
                                          .instances = instances},
                         NULL, &out, NULL);
    return out;
}

static double degrees(lmb_quat q)
{
    return (double)(2 * lmb_atan2(q.z, q.w) * 180 / LMB_PI);
}

/// What a game does every frame: the pose from somewhere, then the drivers on it.
static void run(lmb_drivers *drivers, const lmb_skeleton *skeleton, lmb_transform *poses)
{
    for (int f = 0; f < FRAMES; ++f) {
        lmb_transform *pose = poses + (size_t)f * JOINTS;
        memcpy(pose, skeleton->rest, JOINTS * sizeof *pose);
        lmb_drivers_step(&(lmb_drivers_step_job){.drivers = drivers,
                                                 .time_s = (double)f / FPS,
                                                 .dt_s = f > 0 ? 1.0 / FPS : 0,
                                                 .local = pose});
        if (f % 90 == 89) {
            printf("%5.2f s: hour %8.3f, minute %7.3f, second %8.3f degrees\n", (double)f / FPS,
                   degrees(pose[1].rotation), degrees(pose[2].rotation), degrees(pose[3].rotation));
        }
    }
}

int main(int argc, char **argv)
{
    static lmb_transform poses[FRAMES * JOINTS];
    lmb_character *clock = make_clock(), *playing = NULL;
    lmb_drivers *drivers = NULL;
    lmb_clip *clip = NULL;
    lmb_buffer glb = {0};
    lmb_error error = {0};
    if (argc != 2 ||
        lmb_drivers_create(program, strlen(program), clock, NULL, &drivers, &error) != LMB_OK) {
        fprintf(stderr, "line %u, column %u: expected %s, found %s\n", error.line, error.column,
                error.expected, error.found);
        return 2;
    }
    run(drivers, clock->skeleton, poses);
    lmb_result result =
        lmb_clip_from_poses(clock->skeleton, poses, FRAMES, FPS, "ticking", NULL, &clip, &error);
    lmb_character def = *clock;
    def.clip_count = 1;
    def.clips = &clip;
    result = result == LMB_OK ? lmb_character_create(&def, NULL, &playing, &error) : result;
    result = result == LMB_OK ? lmb_gltf_write(playing, NULL, NULL, &glb, &error) : result;
    result = result == LMB_OK ? lmb_file_write(argv[1], glb.data, glb.size, &error) : result;
    lmb_buffer_free(&glb);
    lmb_drivers_destroy(drivers);
    lmb_character_release(clock); // its parts are the playing one's
    lmb_character_destroy(playing);
    return result == LMB_OK ? 0 : 1;
}
