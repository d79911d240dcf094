// A character in a page's hands, the same calls on two machines: natively this writes what they
// return to stdout, in WebAssembly it leaves it in memory. live_test.mjs compares the two, byte for
// byte.
#include "output.h"
#include "studio/export.h"
#include "studio/live_exports.h"
#include "studio/live_lesson.h"

#include "limber/limber.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_int(int32_t x)
{
    put(&x, sizeof x);
}

/// Everything that shows the pose.
static void put_pose(int h)
{
    put(limber_pose(h), limber_joint_count(h) * 10 * sizeof(float));
    put(limber_pose_model(h), limber_joint_count(h) * 16 * sizeof(float));
    put_int(limber_driven(h));
    for (uint32_t m = 0; m < limber_mesh_count(h); ++m) {
        put(limber_mesh_weights(h, m), limber_mesh_target_count(h, m) * sizeof(float));
        const size_t size = limber_mesh_vertex_count(h, m) * 3 * sizeof(float);
        put(limber_skin(h, m), size);
        const float *normals = limber_skin_normals(h, m);
        if (normals) {
            put(normals, size);
        }
    }
}

/// A clip of three keys, each way between them, and sides put on each other.
static void keys(int h)
{
    const uint32_t joints = limber_joint_count(h), size = joints * 10;
    float *poses = malloc(3 * size * sizeof *poses);
    const float times[3] = {0, 0.25f, 1};
    for (int k = 0; poses != NULL && k < 3; ++k) {
        limber_pose_sample(h, 0, k * 0.2);
        put_int(limber_pose_mirror(h, k));
        memcpy(poses + (size_t)k * size, limber_pose(h), size * sizeof *poses);
    }
    for (int k = LIMBER_KEYS_LINEAR; poses != NULL && k <= LIMBER_KEYS_SMOOTH; ++k) {
        put_int(limber_clip_of_keys(h, k - 1 < 0 ? -1 : 0, "keys", 3, times, poses, k));
        put_int(limber_pose_sample(h, 0, 0.6));
        put(limber_pose(h), size * sizeof *poses);
    }
    const float velocities[6] = {1, -2, 0.5f, -3, 0, 1};
    put_int(limber_clip_slope(h, 0, 0, 0.25, velocities));
    put_int(limber_pose_sample(h, 0, 0.3));
    put(limber_pose(h), size * sizeof *poses);
    put_int((int32_t)limber_clip_count(h));
    free(poses);
}

/// Steered over the course, let fall, and up again.
static void steer(int h)
{
    put_int(limber_play_begin(h, NULL, "walk", NULL));
    for (int k = 0; k < 600; ++k) {
        if (k == 300 || k == 450) {
            put_int(limber_play_fall(h));
        }
        const float *pose = limber_play_step(h, 1.0f / 60, k < 250 ? 1 : 0.5f, k < 40 ? 0.5f : 0);
        if (pose != NULL && k % 10 == 0) {
            put(pose, limber_joint_count(h) * 10 * sizeof(float));
        }
        put_int(limber_play_phase(h));
    }
    put_int(limber_play_end(h));
}

/// Every method of skinning at the pose as it is.
static void put_methods(int h)
{
    for (int method = LIMBER_SKIN_LINEAR; method <= LIMBER_SKIN_RIGID; ++method) {
        put_int(limber_deform(h, method, limber_pose(h)));
        for (uint32_t m = 0; m < limber_mesh_count(h); ++m) {
            const float *positions = limber_deformed(h, m);
            if (positions) {
                put(positions, limber_mesh_vertex_count(h, m) * 3 * sizeof(float));
            }
        }
    }
}

static void play(int h)
{
    for (uint32_t c = 0; c < limber_clip_count(h); ++c) {
        for (int k = -1; k < 12; ++k) {
            put_int(limber_pose_sample(h, c, k * limber_clip_duration(h, c) / 10));
            put_pose(h);
        }
        put_methods(h);
    }
}

/// Pulls a joint round a circle about where it is at rest.
static void drag(int h, uint32_t joint, int mode)
{
    limber_pose_rest(h);
    const float *at = limber_pose_model(h) + (size_t)16 * joint + 12;
    const float x = at[0], y = at[1], z = at[2];
    for (int k = 0; k < 6; ++k) {
        static const float circle[6][2] = {{0.1f, 0},     {0.05f, 0.1f},   {-0.05f, 0.1f},
                                           {-0.1f, 0.0f}, {-0.05f, -0.1f}, {0.3f, -0.6f}};
        put_float(limber_drag(h, joint, x + circle[k][0], y + circle[k][1], z + 0.05f, mode));
    }
    put_pose(h);
}

static void paint(int h, uint32_t joint)
{
    limber_pose_rest(h);
    const float *at = limber_pose_model(h) + (size_t)16 * joint + 12;
    const float x = at[0], y = at[1], z = at[2];
    put_int(limber_paint_begin(h));
    for (int op = 0; op < 5; ++op) {
        put_int(limber_paint_stroke(h, op, joint, x, y, z, 0.1f, 0.7f, 0.8f,
                                    op % 2 ? LIMBER_BRUSH_BOTH_SIDES : 0));
        put_int(limber_paint_end(h));
    }
    put_int(limber_paint_falloff(h, LIMBER_FALLOFF_GAUSSIAN));
    put_int(limber_paint_falloff(h, LIMBER_FALLOFF_GAUSSIAN + 1));
    put_int(limber_paint_loop(h, x, y, z));
    put_int(limber_paint_grow(h, 2));
    for (uint32_t m = 0; m < limber_mesh_count(h); ++m) {
        const float *chosen = limber_paint_chosen(h, m);
        put_int(chosen != NULL);
        if (chosen != NULL) {
            put(chosen, limber_mesh_vertex_count(h, m) * sizeof(float));
        }
    }
    put_int(limber_paint_fill(h, LIMBER_BRUSH_ADD, joint, 0.5f, 0.3f, LIMBER_BRUSH_BOTH_SIDES));
    put_int(limber_paint_fill(h, 5, joint, 0.5f, 0.3f, 0));
    put_int(limber_paint_end(h));
    put_int(limber_paint_none(h));
    put_int(limber_paint_undo(h));
    put_int(limber_paint_lock(h, joint, 1));
    put_int(limber_paint_stroke(h, LIMBER_BRUSH_REPLACE, joint, x, y, z, 0.2f, 1, 0, 0));
    put_int(limber_paint_end(h));
    for (uint32_t m = 0; m < limber_mesh_count(h); ++m) {
        put(limber_joint_weights(h, m, joint), limber_mesh_vertex_count(h, m) * sizeof(float));
        for (uint32_t v = 0; v < limber_mesh_vertex_count(h, m); v += 97) {
            const float *row = limber_vertex_row(h, m, v);
            put(row, row != NULL ? (1 + 2 * (size_t)row[0]) * sizeof(float) : 0);
        }
        put_int(limber_vertex_row(h, m, limber_mesh_vertex_count(h, m)) == NULL);
    }
    put_pose(h);
}

static void swing(int h, uint32_t joint)
{
    put_int(limber_springs_add(h, joint));
    for (int k = 0; k < 20; ++k) {
        if (limber_clip_count(h) > 0) {
            limber_pose_sample(h, 0, k / 30.0);
        }
        put(limber_springs_step(h, 1.0f / 30), limber_joint_count(h) * 10 * sizeof(float));
    }
    put_pose(h);
    put_int(limber_springs_end(h));
}

/// What the lesson asks of numbers alone.
static void reckon(void)
{
    static const float keys[] = {0, 1, 1, 8, 2, 8, 3, 3}, times[] = {-1, 0.3f, 1, 1.7f, 2.5f, 4};
    static const float lengths[] = {0.4f, 0.35f, 0.25f}, limits[] = {-2, 2, 0, 2.5f, -1, 1};
    static const int32_t parents[] = {-1, 0, 1};
    static const double jacobian[] = {-0.5, -0.3, -0.1, 0.8, 0.4, 0.2}, left[] = {0.2, -0.1};
    static const float shapes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 2, 1, 0, 3},
                       weights[] = {1, 2, 1}, examples[] = {0, 0.7f, 1.5f};
    float out[48], local[30];
    double step[3];
    for (int kind = 0; kind <= LIMBER_CURVE_CATMULL; ++kind) {
        put_int(limber_lesson_curve(kind, 4, keys, 6, times, out));
        put(out, 6 * sizeof *out);
    }
    for (int slerp = 0; slerp < 2; ++slerp) {
        put_int(limber_lesson_turn((float[]){0, 0, 0, 1}, (float[]){0, 0.6f, 0, 0.8f}, 0.3f, slerp,
                                   out));
        put(out, 4 * sizeof *out);
    }
    for (int k = 0; k < 3; ++k) {
        const float joint[] = {1, (float)k, 0, 0, 0, 0.6f, 0.8f, 1, 1, 1};
        memcpy(local + 10 * k, joint, sizeof joint);
    }
    put_int(limber_lesson_forward(3, parents, local, out));
    put(out, 48 * sizeof *out);
    for (int solver = 1; solver <= 6; ++solver) {
        float angles[] = {0.3f, 0.4f, 0.1f};
        put_float(limber_lesson_reach(solver, 3, lengths, solver == 1 ? limits : NULL, 0.3f, 0.4f,
                                      2, angles));
        put(angles, sizeof angles);
        put_int(limber_lesson_step(solver, 2, 3, jacobian, left, 0.1, step));
        put(step, solver > 2 ? sizeof step : 0);
    }
    for (int relative = 0; relative < 2; ++relative) {
        put_int(limber_lesson_shapes(2, 2, shapes, weights, relative, out));
        put(out, 6 * sizeof *out);
    }
    put_int(limber_lesson_pose_space(0, 0.5f, 1, 3, examples, 0.4f, out));
    put(out, 3 * sizeof *out);
}

/// What it asks of a character; -1 and 0 where that cannot be done with this one.
static void teach(int h, uint32_t joint)
{
    static const float shape[LIMBER_BODY_SHAPES] = {1, -0.5f, 2, 0.3f, -1}, usual[6] = {0};
    for (int method = 0; method < 12; ++method) {
        const float *skin = limber_lesson_skin(h, 0, method);
        put_int(skin != NULL);
        put(skin, skin ? limber_mesh_vertex_count(h, 0) * 3 * sizeof(float) : 0);
    }
    put_int(limber_lesson_heat_begin(h, 0, joint, 0.001f));
    for (int k = 0; k < 4; ++k) {
        const float *heat = limber_lesson_heat_step(h);
        put(heat, heat ? limber_mesh_vertex_count(h, 0) * sizeof(float) : 0);
    }
    put_int(limber_lesson_blend(h, 0, 0.2, limber_clip_count(h) - 1, 0.4, 0.3f, 0));
    put_int(limber_lesson_blend(h, 0, 0.2, limber_clip_count(h) - 1, 0.4, 0.3f, 1));
    put_float(limber_lesson_gait_begin(h, usual));
    put_int(limber_lesson_gait_pose(h, 0.3));
    put_pose(h);
    put_int(limber_lesson_fall_begin(h, 0) >= 0);
    put_int(limber_lesson_fall_push(h, joint, 3, 0, 1));
    for (int k = 0; k < 10; ++k) {
        put_float(limber_lesson_fall_step(h, 1.0f / 60));
    }
    put_pose(h);
    put_int((int32_t)limber_lesson_body_begin(h));
    const float *body = limber_lesson_body_skin(h, shape, 1);
    put(body, body ? limber_mesh_vertex_count(h, 0) * 3 * sizeof(float) : 0);
}

static uint32_t below(lmb_random *random, uint32_t count)
{
    return lmb_random_u32(random) % count;
}

static float any_number(lmb_random *random)
{
    static const float odd[] = {0, -0.0f, 1, -1, 1e-30f, 1e-6f, 1e6f, 1e30f, -1e30f, 3.4e38f};
    const uint32_t k = below(random, 24);
    if (k < sizeof odd / sizeof *odd) {
        return odd[k];
    }
    return k == 22 ? NAN : k == 23 ? INFINITY : lmb_random_range(random, -2, 2);
}

/// Sometimes one that is not there.
static uint32_t any_index(lmb_random *random, uint32_t count)
{
    const uint32_t k = below(random, 16);
    return k == 0 ? UINT32_MAX : k == 1 ? count : below(random, count + 1);
}

static void set_any_pose(lmb_random *random, int h, uint32_t joints)
{
    float numbers[20];
    for (int k = 0; k < 20; ++k) {
        numbers[k] = any_number(random);
    }
    const uint32_t first = any_index(random, joints);
    put_int(limber_pose_set(h, first, below(random, 3), numbers));
}

static void call_any(lmb_random *random, int h, uint32_t joints)
{
    const float x = any_number(random), y = any_number(random), z = any_number(random),
                a = any_number(random), b = any_number(random), c = any_number(random);
    const uint32_t joint = any_index(random, joints),
                   mesh = any_index(random, limber_mesh_count(h));
    const int small = (int)below(random, 8) - 1;
    switch (below(random, 17)) {
    case 0:
        set_any_pose(random, h, joints);
        break;
    case 1:
        put_int(limber_pose_sample(h, mesh, (double)x));
        break;
    case 2:
        put_int(limber_pin(h, joint, small > 2));
        break;
    case 3:
    case 4:
    case 5:
        put_int(limber_drag(h, joint, x, y, z, small) >= 0);
        break;
    case 6:
    case 7:
        put_int(limber_paint_stroke(h, small, joint, x, y, z, a, b, c, small));
        break;
    case 8:
        put_int(limber_vertex_row(h, mesh, joint) != NULL);
        put_int(limber_paint_end(h));
        break;
    case 9:
        put_int(small > 2 ? limber_paint_undo(h) : limber_paint_redo(h));
        break;
    case 10:
        put_int(limber_springs_add(h, joint));
        break;
    case 11:
        put_int(limber_springs_step(h, x) != NULL);
        break;
    case 12:
        put_int(limber_joint_weights(h, mesh, joint) != NULL);
        break;
    case 13:
        put_int(limber_skin(h, mesh) != NULL);
        break;
    case 14:
        put_int(limber_mesh_rest(h, mesh) != NULL);
        break;
    case 15:
        put_int(limber_play_step(h, x, y, z) != NULL);
        put_int(small > 4 ? limber_play_fall(h) : limber_play_jump(h));
        break;
    default:
        put_int(small > 3 ? limber_springs_end(h) : limber_clip_keep(h, "any"));
    }
}

/// Calls as they come, with numbers that are none, and in any order: they fail or are done.
static void scramble(int h)
{
    lmb_random random = lmb_random_seed(3);
    const uint32_t joints = limber_joint_count(h);
    for (int k = 0; k < 1500; ++k) {
        if (k % 50 == 0) {
            put_int(limber_pose_rest(h));
        }
        if (k % 200 == 0) {
            put_int(limber_play_begin(h, NULL, "walk", NULL));
        }
        call_any(&random, h, joints);
    }
}

/// 0 when the file cannot be opened.
static int run(const char *path)
{
    const int h = limber_character_open(path);
    if (h == 0) {
        return 0;
    }
    reckon();
    put_pose(h);
    play(h);
    steer(h);
    keys(h);
    const uint32_t joints = limber_joint_count(h);
    for (uint32_t k = 1; k <= 4; ++k) {
        const uint32_t joint = k * (joints - 1) / 4;
        drag(h, joint, k % 2 ? LIMBER_DRAG_BODY : LIMBER_DRAG_AUTO);
        paint(h, joint);
    }
    const int32_t hand = limber_joint_find(h, "leftHand");
    if (hand >= 0) {
        drag(h, (uint32_t)hand, LIMBER_DRAG_AUTO);
        drag(h, (uint32_t)hand, LIMBER_DRAG_BODY);
        drag(h, (uint32_t)limber_joint_find(h, "leftLowerArm"), LIMBER_DRAG_POLE);
    }
    swing(h, joints - 1);
    teach(h, joints / 2);
    scramble(h);
    limber_character_close(h);
    return 1;
}

#ifdef __wasm__
size_t live_run(const char *path);
const uint8_t *live_output(void);

EXPORT(live_run) size_t live_run(const char *path)
{
    output_size = 0;
    return run(path) ? output_size : 0;
}
EXPORT(live_output) const uint8_t *live_output(void)
{
    return output;
}
#else
int main(int argc, char **argv)
{
    if (argc != 2 || !run(argv[1])) {
        fprintf(stderr, "usage: live CHARACTER; %s\n", limber_error());
        return 2;
    }
    return output_print();
}
#endif
