// Feet while motions are mixed and give way to each other, held by what the clips say of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/cast.h"
#include "anim/pops.h"
#include "foot_walk.h"
#include "limber/limber.h"

enum { JOINTS = 64, FRAMES = 600 };

static lmb_machine_foot foot_of(const lmb_foot_lock_leg *leg)
{
    return (lmb_machine_foot){leg->foot, leg->ball, leg->toes, leg->tip};
}

/// A machine of all motions, on the cast's two feet.
static lmb_machine *make_machine(const cast *c, const lmb_graph *graph)
{
    const lmb_machine_foot feet[2] = {foot_of(&c->legs[0]), foot_of(&c->legs[1])};
    const lmb_machine_def def = {.graph = graph,
                                 .skeleton = c->skeleton,
                                 .clips = c->clips,
                                 .clip_count = LMB_MOTION_COUNT,
                                 .root = (int32_t)c->hips,
                                 .left_foot = (int32_t)c->legs[0].foot,
                                 .right_foot = (int32_t)c->legs[1].foot,
                                 .foot_count = 2,
                                 .feet = feet};
    lmb_machine *machine = NULL;
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, NULL), LMB_OK);
    return machine;
}

/// One frame of a cast that walks by a machine.
static lmb_machine_info walk_frame(const cast *c, lmb_machine *machine, int frame, bool holds,
                                   lmb_foot_lock_state *state, lmb_mat4 *model,
                                   lmb_root_placement *position)
{
    lmb_transform pose[JOINTS];
    return foot_walk_step(machine, frame, holds,
                          (lmb_ik_foot_lock_job){.skeleton = c->skeleton,
                                                 .local = pose,
                                                 .model_from_joint = model,
                                                 .hips = c->hips,
                                                 .leg_count = 2,
                                                 .legs = c->legs,
                                                 .state = state},
                          position);
}

typedef struct played {
    lmb_vec3 joints[FRAMES][JOINTS]; ///< world
    lmb_vec3 balls[2][FRAMES];
    bool stands[2][FRAMES];
    float floor; ///< where balls are lowest
} played;

static lmb_graph *read_graph(const char *how)
{
    char text[900];
    lmb_graph *graph = NULL;
    snprintf(
        text, sizeof(text),
        "{\"limber\": \"state machine\", \"parameters\": {\"go\": 0}, \"states\": {\"idle\": "
        "{\"clip\": \"idle\"}, \"walk\": {\"clip\": \"walk\"}, \"run\": {\"clip\": \"run\"}}, "
        "\"transitions\": [{\"from\": \"*\", \"to\": \"walk\", \"when\": \"go == 1\", "
        "\"seconds\": 0.4, \"how\": \"%s\"}, {\"from\": \"*\", \"to\": \"run\", \"when\": \"go "
        "== 2\", \"seconds\": 0.4, \"how\": \"%s\", \"sync\": true}, {\"from\": \"*\", \"to\": "
        "\"idle\", \"when\": \"go == 0\", \"seconds\": 0.4, \"how\": \"%s\"}]}",
        how, how, how);
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, NULL), LMB_OK);
    return graph;
}

/// Stands, walks from 1 s on, runs from 4 s on, stands again from 7 s on.
static void play(const cast *c, const char *how, bool holds, played *out)
{
    lmb_graph *graph = read_graph(how);
    lmb_machine *machine = make_machine(c, graph);
    lmb_foot_lock_state state = {0};
    lmb_root_placement position = {{0, 0, 0}, 0};
    for (int f = 0; f < FRAMES; ++f) {
        lmb_mat4 model[JOINTS];
        lmb_machine_set(machine, 0, f < 60 ? 0 : (f < 240 ? 1 : (f < 420 ? 2 : 0)));
        const lmb_machine_info info = walk_frame(c, machine, f, holds, &state, model, &position);
        for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
            out->joints[f][j] = lmb_transform_point(lmb_root_placement_transform(position),
                                                    lmb_mat4_translation(model[j]));
        }
        for (int k = 0; k < 2; ++k) {
            const lmb_vec3 ball = lmb_mat4_point(model[c->legs[k].foot], c->legs[k].ball);
            out->balls[k][f] = lmb_transform_point(lmb_root_placement_transform(position), ball);
            out->stands[k][f] = info.planted[k] > 0.6f;
            out->floor = f == 0 && k == 0 ? info.floors[0] : fminf(out->floor, info.floors[2 * k]);
        }
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
}

static double slide_of(const lmb_vec3 *ball, int f)
{
    return 60 * hypot((double)(ball[f].x - ball[f - 1].x), (double)(ball[f].z - ball[f - 1].z));
}

/// In how many frames a foot whose clips have stood for 0.15 s, in which it comes to rest, moves
/// along the ground, no more than 1 cm over where balls stand, by more than 2 cm/s; and the mean
/// speed over all frames in which it is so low.
static int count_slides(const played *p, int from, int to, double *mean, int *all)
{
    int slides = 0;
    double sum = 0;
    *all = 0;
    for (int k = 0; k < 2; ++k) {
        for (int f = from, stood = 0; f < to; ++f) {
            stood = p->stands[k][f] ? stood + 1 : 0;
            if (stood > 9 && p->balls[k][f].y < p->floor + 0.01f) {
                const double slide = slide_of(p->balls[k], f);
                slides += slide > 0.02;
                sum += slide;
                ++*all;
            }
        }
    }
    *mean = sum / *all;
    return slides;
}

/// What stands stays, and what is still on its way when it is said to stand steps there: of a runner
/// who is to stop at once, too.
static void standing_feet_stay(void **state)
{
    (void)state;
    cast c = make_cast();
    static played loose, held;
    static const char *const transitions[] = {"crossfade", "spring", "quintic", "dead"};
    for (int w = 0; w < 4; ++w) {
        play(&c, transitions[w], false, &loose);
        play(&c, transitions[w], true, &held);
        for (int part = 0; part < 2; ++part) {
            const int from = part == 0 ? 8 : 420, to = part == 0 ? 420 : FRAMES;
            int all;
            double loose_mean, held_mean;
            const int loose_slides = count_slides(&loose, from, to, &loose_mean, &all),
                      held_slides = count_slides(&held, from, to, &held_mean, &all);
            print_message("%s: %.4f m/s, %d slides; %.4f m/s, %d slides of %d\n", transitions[w],
                          loose_mean, loose_slides, held_mean, held_slides, all);
            assert_true(loose_slides > 5);
            assert_true(held_slides <= fmax(4, 0.2 * loose_slides));
        }
    }
    end_cast(&c);
}

/// By how much velocities change at a frame: the mean over all joints but fingers.
static double change_at(const cast *c, const played *p, int f)
{
    double sum = 0;
    int count = 0;
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        if (is_finger(c->skeleton, j)) {
            continue;
        }
        const lmb_vec3 bend =
            lmb_vec3_add(lmb_vec3_sub(p->joints[f][j], lmb_vec3_scale(p->joints[f - 1][j], 2)),
                         p->joints[f - 2][j]);
        sum += (double)lmb_vec3_length(bend);
        ++count;
    }
    return sum / count;
}

/// Holding makes no pops: nowhere in the walk's transition do velocities change more than 2.5 times
/// as much as in its median frame, and where it begins and ends no more than twice.
static void holding_does_not_pop(void **state)
{
    (void)state;
    cast c = make_cast();
    static played held;
    static const char *const transitions[] = {"crossfade", "spring", "quintic", "dead"};
    for (int w = 0; w < 4; ++w) {
        double walk[100];
        play(&c, transitions[w], true, &held);
        for (int k = 0; k < 100; ++k) {
            walk[k] = change_at(&c, &held, 120 + k);
        }
        qsort(walk, 100, sizeof(double), rising);
        for (int f = 58; f < 92; ++f) {
            const bool at_an_end = f < 64 || f > 82;
            const double change = change_at(&c, &held, f);
            if (change > (at_an_end ? 2 : 2.5) * walk[50]) {
                fail_msg("%s: frame %d changes %.2f times as much as the median", transitions[w], f,
                         change / walk[50]);
            }
        }
    }
    end_cast(&c);
}

/// How far anything of the feet comes under what it may, in mixtures of walking and running.
static float deepest(const cast *c, bool holds)
{
    static const char text[] =
        "{\"limber\": \"state machine\", \"parameters\": {\"speed\": 0}, \"states\": {\"go\": "
        "{\"along\": \"speed\", \"clips\": {\"idle\": 0, \"walk\": 1, \"run\": 2}}}}";
    lmb_graph *graph = NULL;
    lmb_foot_lock_state state = {0};
    lmb_root_placement position = {{0, 0, 0}, 0};
    float most = 0;
    assert_int_equal(lmb_graph_read(text, sizeof(text) - 1, NULL, &graph, NULL), LMB_OK);
    lmb_machine *machine = make_machine(c, graph);
    for (int f = 0; f < FRAMES; ++f) {
        lmb_mat4 model[JOINTS];
        lmb_machine_set(machine, 0, 2 * (float)f / FRAMES);
        const lmb_machine_info info = walk_frame(c, machine, f, holds, &state, model, &position);
        for (int k = 0; k < 2; ++k) {
            const lmb_foot_lock_leg *leg = &c->legs[k];
            const float ball = info.floors[2 * k] - lmb_mat4_point(model[leg->foot], leg->ball).y,
                        tip = info.floors[2 * k + 1] - lmb_mat4_point(model[leg->toes], leg->tip).y;
            most = fmaxf(most, fmaxf(ball, tip));
        }
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    return most;
}

/// In a mixture legs are straighter than in what is mixed, and toes rotate less.
static void toes_stay_above_the_ground(void **state)
{
    (void)state;
    cast c = make_cast();
    const float loose = deepest(&c, false), held = deepest(&c, true);
    print_message("%.1f mm under the ground, held %.1f\n", 1000 * (double)loose,
                  1000 * (double)held);
    assert_true(loose > 0.005f);
    assert_true(held < 0.15f * loose);
    end_cast(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standing_feet_stay),
        cmocka_unit_test(holding_does_not_pop),
        cmocka_unit_test(toes_stay_above_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
