// State machines, root motion, strides and events.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "anim/cast.h"
#include "anim/pops.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"
#include "procedural/procedural.h"

// ----------------------------------------------------------------------------------------- events

static void expect_events(lmb_timer *timer, double dt, bool first, const char *want)
{
    static const double times[] = {0, 0.25, 0.5, 1};
    uint32_t fired[32];
    char got[40] = "";
    const uint32_t count = lmb_timer_step_events(timer, dt, times, 4, first, fired, 32);
    for (uint32_t k = 0; k < count; ++k) {
        got[k] = (char)('a' + fired[k]);
        got[k + 1] = 0;
    }
    assert_string_equal(got, want);
}

static void events_fire_once(void **state)
{
    (void)state;
    lmb_timer loop = {.duration_s = 1, .mode = LMB_PLAY_LOOP};
    expect_events(&loop, 0.25, true, "ab");
    expect_events(&loop, 0.25, false, "c");
    expect_events(&loop, 0.25, false, "");
    expect_events(&loop, 0.25, false, "da"); // the end and the beginning are one moment
    expect_events(&loop, 2.5, false, "bcdabcdabc");
    loop.speed = -1;
    expect_events(&loop, 0.25, false, "b");
    expect_events(&loop, 0.25, false, "a");
    expect_events(&loop, 1.125, false, "dcbad");
    lmb_timer once = {.duration_s = 1, .mode = LMB_PLAY_CLAMP};
    expect_events(&once, 0.3, true, "ab");
    expect_events(&once, 5, false, "cd");
    expect_events(&once, 5, false, "");
    lmb_timer pong = {.duration_s = 1, .mode = LMB_PLAY_PING_PONG};
    expect_events(&pong, 0.75, true, "abc");
    expect_events(&pong, 0.5, false, "d");
    expect_events(&pong, 0.5, false, "cb");
    expect_events(&pong, 0.5, false, "ab");
    expect_events(&pong, 2, false, "cdcbab");
}

/// Any steps give the events of one big one, each as often.
static void events_do_not_depend_on_steps(void **state)
{
    (void)state;
    static const double times[] = {0, 0.1, 0.77, 1.3};
    lmb_random random = lmb_random_seed(4);
    for (int mode = LMB_PLAY_LOOP; mode <= LMB_PLAY_PING_PONG; ++mode) {
        for (int backwards = 0; backwards < 2; ++backwards) {
            lmb_timer timer = {.duration_s = 1.3,
                               .mode = (lmb_play_mode)mode,
                               .speed = backwards ? -1 : 1,
                               .time_s = 0.4};
            uint32_t fired[64], counts[4] = {0};
            double total = 0;
            while (total < 130) {
                const double dt = (double)lmb_random_range(&random, 0, total < 60 ? 0.05f : 4);
                const uint32_t n = lmb_timer_step_events(&timer, dt, times, 4, false, fired, 64);
                for (uint32_t k = 0; k < n; ++k) {
                    ++counts[fired[k]];
                }
                total += dt;
            }
            for (int e = 0; e < 4; ++e) {
                // A loop passes each time once in 1.3 s; to and fro passes its inside twice in 2.6
                // s, its ends once.
                const bool is_end = e == 0 || e == 3;
                const double want =
                    mode == LMB_PLAY_PING_PONG && is_end ? total / 2.6 : total / 1.3;
                near(counts[e], want, 2);
            }
        }
    }
}

// ------------------------------------------------------------------------------------- characters

// ------------------------------------------------------------------------------------ root motion

/// A quarter of a circle of radius 2 round (2, 0, 0), turning right, in one second.
static lmb_character *circle_walker(void)
{
    enum { KEYS = 31 };
    static float ticks[KEYS], positions[KEYS][3], rotations[KEYS][4];
    int32_t parents[] = {LMB_NONE, 0};
    const char *names[] = {"armature", "hips"};
    lmb_transform rest[] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[0].rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -LMB_PI / 2);
    rest[1].translation = lmb_vec3_make(0, 0, 1);
    for (int k = 0; k < KEYS; ++k) {
        const float a = (float)k / (KEYS - 1) * LMB_PI / 2;
        ticks[k] = (float)k / (KEYS - 1);
        // In the armature's frame z is up and -y is forward.
        positions[k][0] = 2 - 2 * lmb_cos(a);
        positions[k][1] = -2 * lmb_sin(a);
        positions[k][2] = 1 + 0.05f * lmb_sin(8 * a);
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), a);
        memcpy(rotations[k], &q, sizeof(q));
    }
    lmb_channel channels[] = {
        {1, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, KEYS, ticks, &positions[0][0]},
        {1, LMB_PATH_ROTATION, LMB_LINEAR, 4, KEYS, ticks, &rotations[0][0]}};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_character *out = NULL;
    assert_int_equal(
        lmb_skeleton_create(
            &(lmb_skeleton){.joint_count = 2, .parents = parents, .names = names, .rest = rest},
            NULL, &skeleton, NULL),
        LMB_OK);
    assert_int_equal(lmb_clip_create(&(lmb_clip){.name = "circle",
                                                 .ticks_per_s = 1,
                                                 .duration = 1,
                                                 .channel_count = 2,
                                                 .channels = channels},
                                     NULL, &clip, NULL),
                     LMB_OK);
    assert_int_equal(lmb_character_create(
                         &(lmb_character){.skeleton = skeleton, .clip_count = 1, .clips = &clip},
                         NULL, &out, NULL),
                     LMB_OK);
    return out;
}

static void circle_returns(void **state)
{
    (void)state;
    lmb_character *walker = circle_walker();
    for (int even = 0; even < 2; ++even) {
        lmb_root_track *track = NULL;
        assert_int_equal(lmb_root_track_create(walker->clips[0], walker->skeleton,
                                               &(lmb_root_opts){.joint = 1, .even = even}, NULL,
                                               &track, NULL),
                         LMB_OK);
        // Four loops in steps of any length lead back, having turned once.
        lmb_root_placement placement = {{0, 0, 0}, 0};
        for (int k = 0; k < 400; ++k) {
            placement = lmb_root_placement_mul(
                placement, lmb_root_track_between(track, k * 0.01, (k + 1) * 0.01, LMB_PLAY_LOOP));
        }
        near((double)lmb_vec3_length(placement.position), 0, 1e-4);
        near(fabs((double)placement.yaw_rad), 2 * 3.14159265358979, 1e-4);
        placement = lmb_root_track_between(track, 0.25, 4.25, LMB_PLAY_LOOP);
        near((double)lmb_vec3_length(placement.position), 0, 1e-4);
        // Half-way round the quarter, the position on the circle.
        placement = lmb_root_track_between(track, 0, 0.5, LMB_PLAY_LOOP);
        near((double)placement.position.x, 2 - 2 * cos(3.14159265358979 / 4), 1e-3);
        near((double)placement.position.z, 2 * sin(3.14159265358979 / 4), 1e-3);
        // And back again.
        placement =
            lmb_root_placement_mul(placement, lmb_root_track_between(track, 0.5, 0, LMB_PLAY_LOOP));
        near((double)lmb_vec3_length(placement.position), 0, 1e-6);
        lmb_root_track_destroy(track);
    }
    lmb_character_destroy(walker);
}

/// A machine says where its clip has the root, a clip that begins turned away from rest too.
static void machine_begins_where_its_clip_does(void **state)
{
    (void)state;
    static const char text[] =
        "{\"limber\": \"state machine\", \"states\": {\"a\": {\"clip\": \"circle\"}}}";
    lmb_character *walker = circle_walker();
    // Turned by a quarter about z, which is up in the armature's frame, and 3 m aside.
    lmb_clip *clip = walker->clips[0];
    const lmb_quat quarter = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.5f * LMB_PI);
    for (uint32_t k = 0; k < clip->channels[0].key_count; ++k) {
        float *p = clip->channels[0].values + 3 * k, *q = clip->channels[1].values + 4 * k;
        const lmb_vec3 at = lmb_quat_rotate(quarter, lmb_vec3_make(p[0] + 3, p[1], p[2]));
        const lmb_quat rotation = lmb_quat_mul(quarter, lmb_quat_make(q[0], q[1], q[2], q[3]));
        memcpy(p, &at, sizeof at);
        memcpy(q, &rotation, sizeof rotation);
    }
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_root_track *track = NULL;
    lmb_transform pose[2], want[2];
    assert_int_equal(lmb_graph_read(text, sizeof text - 1, NULL, &graph, NULL), LMB_OK);
    const lmb_machine_def def = {.graph = graph,
                                 .skeleton = walker->skeleton,
                                 .clips = (const lmb_clip *const *)walker->clips,
                                 .clip_count = 1,
                                 .root = 1,
                                 .left_foot = LMB_NONE,
                                 .right_foot = LMB_NONE};
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, NULL), LMB_OK);
    assert_int_equal(lmb_root_track_create(clip, walker->skeleton,
                                           &(lmb_root_opts){.joint = 1, .even = true}, NULL, &track,
                                           NULL),
                     LMB_OK);
    lmb_machine_step(machine, 0, pose, NULL);
    const lmb_root_placement at = lmb_machine_describe(machine).root,
                             there = lmbi_root_track_at(track, 0);
    near((double)at.yaw_rad, (double)there.yaw_rad, 1e-6);
    assert_true(fabsf(at.yaw_rad) > 1);
    assert_true(lmb_vec3_distance(at.position, there.position) < 1e-6f);
    // Put back there, the pose is the clip's.
    lmb_pose_apply_root(walker->skeleton, 1, at, pose);
    lmb_sample(&(lmb_sample_job){
        .clip = clip, .joint_count = 2, .rest = walker->skeleton->rest, .pose = want});
    assert_true(lmb_vec3_distance(pose[1].translation, want[1].translation) < 1e-5f);
    assert_true(lmb_quat_angle(pose[1].rotation, want[1].rotation) < 1e-3f);
    lmb_root_track_destroy(track);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    lmb_character_destroy(walker);
}

static void root_taken_and_put_back(void **state)
{
    (void)state;
    lmb_character *walker = circle_walker();
    lmb_root_track *track = NULL;
    assert_int_equal(lmb_root_track_create(walker->clips[0], walker->skeleton,
                                           &(lmb_root_opts){.joint = 1}, NULL, &track, NULL),
                     LMB_OK);
    for (int k = 0; k <= 20; ++k) {
        lmb_transform pose[2], first[2];
        lmb_mat4 model[2];
        lmb_sample(&(lmb_sample_job){.clip = walker->clips[0],
                                     .time_s = k / 20.0,
                                     .joint_count = 2,
                                     .rest = walker->skeleton->rest,
                                     .pose = pose});
        memcpy(first, pose, sizeof(pose));
        const lmb_root_placement root = lmbi_root_track_at(track, k / 20.0);
        lmbi_pose_extract_root(walker->skeleton, 1, root, pose);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = walker->skeleton, .local = pose, .model_from_joint = model});
        const lmb_vec3 at = lmb_mat4_translation(model[1]);
        near((double)at.x, 0, 1e-3);
        near((double)at.z, 0, 1e-3);
        near((double)lmb_quat_angle(pose[1].rotation, lmb_quat_identity()), 0, 2e-3);
        near((double)at.y, (double)first[1].translation.z, 1e-6); // height stays
        lmb_pose_apply_root(walker->skeleton, 1, root, pose);
        near((double)lmb_vec3_distance(pose[1].translation, first[1].translation), 0, 5e-6);
        near((double)fabsf(lmb_quat_dot(pose[1].rotation, first[1].rotation)), 1, 1e-6);
    }
    lmb_root_track_destroy(track);
    lmb_character_destroy(walker);
}

static void strides_are_found(void **state)
{
    (void)state;
    cast c = make_cast();
    for (int k = 0; k < LMB_MOTION_COUNT; ++k) {
        const bool is_stride = k == LMB_MOTION_WALK || k == LMB_MOTION_RUN;
        lmbi_stride *stride = NULL;
        assert_int_equal(lmbi_stride_create(c.clips[k], c.skeleton, NULL, c.legs[0].foot,
                                            c.legs[1].foot, NULL, &stride, NULL),
                         LMB_OK);
        assert_int_equal(stride->mark_count, is_stride ? 2 : 0);
        if (is_stride) {
            const double d = stride->duration_s;
            near(lmbi_stride_interval(stride, 0), d / 2, 0.02 * d);
            near(lmbi_stride_time(stride, 2) - lmbi_stride_time(stride, 0), d, 1e-9);
            for (double phase = 0; phase < 6; phase += 0.13) {
                const double off =
                    lmbi_stride_phase(stride, lmbi_stride_time(stride, phase)) - phase;
                near(off - 2 * round(off / 2), 0, 1e-6);
            }
        }
        lmbi_stride_destroy(stride);
    }
    end_cast(&c);
}

// --------------------------------------------------------------------------------------- machines

static const char walker_json[] =
    "{\"limber\": \"state machine\",\n"
    " \"parameters\": {\"speed\": 0, \"jump\": \"trigger\", \"armed\": false},\n"
    " \"events\": {\"walk\": {\"step\": [0.1, 0.6]}, \"jump\": {\"land\": 1.5}},\n"
    " \"start\": \"idle\",\n"
    " \"states\": {\n"
    "  \"idle\": {\"clip\": \"idle\"},\n"
    "  \"move\": {\"along\": \"speed\", \"clips\": {\"walk\": 1.35, \"run\": 3.2}},\n"
    "  \"jump\": {\"clip\": \"jump\", \"play\": \"once\"}},\n"
    " \"transitions\": [\n"
    "  {\"from\": \"idle\", \"to\": \"move\", \"when\": \"speed > 0.2\", \"seconds\": 0.4, "
    "\"how\": \"HOW\"},\n"
    "  {\"from\": \"move\", \"to\": \"idle\", \"when\": \"not (speed > 0.2)\", \"seconds\": 0.4, "
    "\"how\": \"HOW\", \"interrupt\": \"any\"},\n"
    "  {\"from\": \"*\", \"to\": \"jump\", \"when\": \"jump\", \"seconds\": 0.2, \"how\": "
    "\"HOW\"},\n"
    "  {\"from\": \"jump\", \"to\": \"idle\", \"at\": 0.9, \"seconds\": 0.2, \"how\": \"HOW\"}],\n"
    " \"layers\": [{\"mask\": {\"rightShoulder\": 1}, \"feather\": 1, \"states\": {\n"
    "   \"nothing\": {}, \"wave\": {\"clip\": \"wave\", \"play\": \"once\"}}, \"transitions\": [\n"
    "   {\"from\": \"nothing\", \"to\": \"wave\", \"when\": \"armed\", \"seconds\": 0.3},\n"
    "   {\"from\": \"wave\", \"to\": \"nothing\", \"when\": \"not armed\", \"seconds\": 0.3}]}]}";

static lmb_graph *read_graph(const char *how)
{
    char text[4096] = "";
    const char *at = walker_json;
    for (const char *next; (next = strstr(at, "HOW")) != NULL; at = next + 3) {
        strncat(text, at, (size_t)(next - at));
        strcat(text, how);
    }
    strcat(text, at);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_read(text, strlen(text), NULL, &graph, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return graph;
}

static lmb_machine *make_machine(const cast *c, const lmb_graph *graph, const lmb_allocator *alloc,
                                 lmb_result *result)
{
    lmb_machine *machine = NULL;
    const lmb_machine_def def = {graph,
                                 c->skeleton,
                                 c->clips,
                                 LMB_MOTION_COUNT,
                                 (int32_t)c->hips,
                                 (int32_t)c->legs[0].foot,
                                 (int32_t)c->legs[1].foot};
    *result = lmb_machine_create(&def, alloc, &machine, NULL);
    return machine;
}

static void set(lmb_machine *machine, const lmb_graph *graph, const char *name, float value)
{
    const int32_t k = lmb_graph_parameter_find(graph, name);
    assert_true(k >= 0);
    lmb_machine_set(machine, (uint32_t)k, value);
}

/// Plays a script at 60 Hz and writes what state it was in, a letter a tenth of a second; capital
/// during a crossfade.
typedef struct play {
    char trace[200];
    lmb_root_placement placement;
    uint32_t steps, lands;
    lmb_vec3 *hips;     ///< of each frame, or NULL
    lmb_transform *all; ///< [frames][joints], or NULL
} play;

static void run_script(const cast *c, const lmb_graph *graph, lmb_machine *machine, uint32_t frames,
                       play *out)
{
    lmb_transform pose[64];
    for (uint32_t f = 0; f < frames; ++f) {
        if (f == 60 || f == 240 || f == 480) {
            set(machine, graph, "speed", f == 60 ? 1.35f : (f == 240 ? 3.2f : 0));
        }
        if (f == 360) {
            set(machine, graph, "jump", 1);
        }
        if (f == 90 || f == 200) {
            set(machine, graph, "armed", f == 90);
        }
        lmb_root_placement moved;
        lmb_machine_step(machine, f > 0 ? 1 / 60.0 : 0, pose, &moved);
        out->placement = lmb_root_placement_mul(out->placement, moved);
        uint32_t count = 0;
        const lmb_machine_event *events = lmb_machine_describe(machine).events;
        count = lmb_machine_describe(machine).event_count;
        for (uint32_t k = 0; k < count; ++k) {
            out->steps += strcmp(events[k].name, "step") == 0;
            out->lands += strcmp(events[k].name, "land") == 0;
        }
        if (f % 6 == 0 && f / 6 < sizeof(out->trace) - 1) {
            const char *next = lmb_machine_describe(machine).next_states[0];
            out->trace[f / 6] =
                next != NULL ? (char)(next[0] - 32) : lmb_machine_describe(machine).states[0][0];
        }
        if (out->all != NULL) {
            lmb_pose_apply_root(c->skeleton, c->hips, out->placement, pose);
            memcpy(out->all + (size_t)f * c->skeleton->joint_count, pose,
                   c->skeleton->joint_count * sizeof(*pose));
        }
    }
}

static void golden_trace(void **state)
{
    (void)state;
    cast c = make_cast();
    lmb_graph *graph = read_graph("crossfade");
    lmb_result result;
    lmb_machine *machine = make_machine(&c, graph, NULL, &result);
    assert_int_equal(result, LMB_OK);
    play p = {0};
    run_script(&c, graph, machine, 720, &p);
    // At 1 s it walks, at 6 s it jumps, at 90% of the 2.4 s of the jump it stands, since the speed
    // is 0 since 8 s.
    assert_string_equal(p.trace, "iiiiiiiiiiMMMMmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmJJjjj"
                                 "jjjjjjjjjjjjjjjjjIIiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii");
    assert_int_equal(p.lands, 1);
    assert_int_equal(p.steps,
                     5); // in three seconds of 1.35 m/s, the first of them lost to standing
    assert_true((double)p.placement.position.z > 8 && (double)p.placement.position.z < 12);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
}

/// Events of a clip are not limited in number; those of one step are, to the first 32.
static void many_events(void **state)
{
    (void)state;
    enum { EVENTS = 100 };
    char text[2000];
    int length =
        snprintf(text, sizeof text,
                 "{\"limber\": \"state machine\", \"states\": {\"a\": {\"clip\": \"walk\", "
                 "\"play\": \"once\"}}, \"events\": {\"walk\": {\"tick\": [");
    for (int k = 0; k < EVENTS; ++k) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%g", k > 0 ? ", " : "",
                           0.005 * k);
    }
    snprintf(text + length, sizeof text - (size_t)length, "]}}}");
    for (int steps = 1; steps <= 50; steps += 49) {
        cast c = make_cast();
        lmb_graph *graph = NULL;
        lmb_result result;
        lmb_transform pose[64];
        assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, NULL), LMB_OK);
        lmb_machine *machine = make_machine(&c, graph, NULL, &result);
        assert_int_equal(result, LMB_OK);
        uint32_t total = 0;
        for (int k = 0; k < steps; ++k) {
            uint32_t count = 0;
            lmb_machine_step(machine, 0.5 / steps, pose, NULL);
            count = lmb_machine_describe(machine).event_count;
            total += count;
        }
        assert_int_equal(total, steps == 1 ? 32 : EVENTS);
        lmb_machine_destroy(machine);
        lmb_graph_destroy(graph);
        end_cast(&c);
    }
}

static void same_bits_every_time(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char *const transitions[] = {"crossfade", "spring", "quintic", "dead", "frozen"};
    enum { FRAMES = 600 };
    lmb_transform *all[2];
    for (int w = 0; w < 5; ++w) {
        lmb_graph *graph = read_graph(transitions[w]);
        failing_allocator counting = {1000000, 0};
        const lmb_allocator alloc = {failing_allocator_resize, &counting};
        for (int k = 0; k < 2; ++k) {
            lmb_result result;
            lmb_machine *machine = make_machine(&c, graph, &alloc, &result);
            play p = {.all = all[k] =
                          calloc(FRAMES * c.skeleton->joint_count, sizeof(lmb_transform))};
            const int left = counting.calls_left;
            run_script(&c, graph, machine, FRAMES, &p);
            assert_int_equal(counting.calls_left, left); // no allocation in the frame
            lmb_machine_destroy(machine);
        }
        assert_int_equal(counting.held, 0);
        assert_memory_equal(all[0], all[1],
                            FRAMES * c.skeleton->joint_count * sizeof(lmb_transform));
        free(all[0]);
        free(all[1]);
        lmb_graph_destroy(graph);
    }
    end_cast(&c);
}

/// By how much velocities change in each frame: the mean over all joints but fingers, in model
/// space.
static void velocity_changes(const cast *c, const lmb_transform *all, uint32_t frames, double *out)
{
    const uint32_t joints = c->skeleton->joint_count;
    lmb_mat4 model[3][64];
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton,
                                                   .local = all + (size_t)f * joints,
                                                   .model_from_joint = model[f % 3]});
        double sum = 0, count = 0;
        for (uint32_t j = 0; j < joints && f >= 2; ++j) {
            const lmb_vec3 p2 = lmb_mat4_translation(model[f % 3][j]),
                           p1 = lmb_mat4_translation(model[(f + 2) % 3][j]),
                           p0 = lmb_mat4_translation(model[(f + 1) % 3][j]);
            if (!is_finger(c->skeleton, j)) {
                sum += (double)lmb_vec3_length(
                    lmb_vec3_add(lmb_vec3_sub(p2, lmb_vec3_scale(p1, 2)), p0));
                ++count;
            }
        }
        out[f] = count > 0 ? sum / count : 0;
    }
}

/// Where a transition begins and where it ends, velocities change no more than twice as much as
/// they do in the median frame of the walk, and not much more in between: that is where one leg
/// catches up with the other motion's.
static void no_visible_pop(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char *const transitions[] = {"crossfade", "spring", "quintic", "dead"};
    enum { FRAMES = 340 };
    for (int w = 0; w < 4; ++w) {
        lmb_graph *graph = read_graph(transitions[w]);
        lmb_result result;
        lmb_machine *machine = make_machine(&c, graph, NULL, &result);
        play p = {.all = calloc(FRAMES * c.skeleton->joint_count, sizeof(lmb_transform))};
        run_script(&c, graph, machine, FRAMES, &p);
        double changes[FRAMES], walk[100];
        velocity_changes(&c, p.all, FRAMES, changes);
        memcpy(walk, changes + 110, sizeof(walk));
        qsort(walk, 100, sizeof(double), rising);
        const double own = walk[50];
        for (uint32_t f = 60; f < 88; ++f) {
            const bool at_an_end = f < 64 || f > 81;
            assert_true(changes[f] <= (at_an_end ? 2 : 2.5) * own);
        }
        free(p.all);
        lmb_machine_destroy(machine);
        lmb_graph_destroy(graph);
    }
    end_cast(&c);
}

/// A state of one clip shows the clip, to the bit, and the root's way is the clip's.
static void alone_is_the_clip(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char text[] = "{\"limber\": \"state machine\", \"states\": {\"s\": {\"clip\": "
                               "\"jump\", \"play\": \"once\"}}}";
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_read(text, sizeof(text) - 1, NULL, &graph, NULL), LMB_OK);
    lmb_machine *machine = NULL;
    const lmb_machine_def def = {graph,    c.skeleton, c.clips, LMB_MOTION_COUNT,
                                 LMB_NONE, LMB_NONE,   LMB_NONE};
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, NULL), LMB_OK);
    for (int f = 0; f < 100; ++f) {
        lmb_transform pose[64], want[64];
        lmb_machine_step(machine, f > 0 ? 1 / 32.0 : 0, pose, NULL);
        lmb_sample(&(lmb_sample_job){.clip = c.clips[LMB_MOTION_JUMP],
                                     .time_s = f / 32.0,
                                     .joint_count = c.skeleton->joint_count,
                                     .rest = c.skeleton->rest,
                                     .pose = want});
        assert_memory_equal(pose, want, c.skeleton->joint_count * sizeof(*pose));
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
}

// ----------------------------------------------------------------------------------------- graphs

static bool holds(const char *condition)
{
    char text[600];
    snprintf(
        text, sizeof(text),
        "{\"limber\": \"state machine\", \"parameters\": {\"x\": 2, \"y\": -1.5, \"on\": true, "
        "\"off\": false}, \"states\": {\"a\": {}, \"b\": {}},"
        "\"transitions\": [{\"from\": \"a\", \"to\": \"b\", \"when\": \"%s\", \"seconds\": 0}]}",
        condition);
    cast c = make_cast();
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_result result;
    lmb_transform pose[64];
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, NULL), LMB_OK);
    machine = make_machine(&c, graph, NULL, &result);
    lmb_machine_step(machine, 0.1, pose, NULL);
    assert_memory_equal(pose, c.skeleton->rest, c.skeleton->joint_count * sizeof(*pose));
    const bool went = lmb_machine_describe(machine).states[0][0] == 'b';
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
    return went;
}

static void conditions(void **state)
{
    (void)state;
    assert_true(holds("x > 1.5 and y < 0"));
    assert_true(holds("x == 2 and y != 2 and x >= 2 and x <= 2"));
    assert_false(holds("x < 2 or y > 0"));
    assert_true(holds("off or on and x > 1"));
    assert_false(holds("(off or on) and x > 3"));
    assert_true(holds("not off and not (off or x == 3)"));
    assert_true(holds("not not on"));
    assert_true(holds("-1.5 == y and on == true and false == off"));
}

static void expect_refused(const char *members, unsigned column, const char *expected)
{
    char text[900];
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    snprintf(text, sizeof(text), "{\"limber\": \"state machine\",\n%s}", members);
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(error.line, 2);
    if (error.column != column || strstr(error.expected, expected) == NULL) {
        fail_msg("%s: column %u, expected %s, found %s", members, error.column, error.expected,
                 error.found);
    }
}

static void bad_graphs(void **state)
{
    (void)state;
    expect_refused("\"states\": {}", 11, "at least one");
    expect_refused("\"states\": {\"a\": {\"clip\": 3}}", 26, "name of a clip");
    expect_refused("\"states\": {\"a\": {\"clop\": 3}}", 26, "clip");
    expect_refused("\"states\": {\"a\": {}}, \"start\": \"b\"", 31, "name of a state");
    expect_refused("\"states\": {\"a\": {}, \"a\": {}}", 26, "all different");
    expect_refused("\"states\": {\"a\": {\"along\": \"v\", \"clips\": {\"w\": 1}}}", 27,
                   "parameter");
    expect_refused("\"parameters\": {\"v\": 1}, \"states\": {\"a\": {\"along\": \"v\", \"clips\": "
                   "{\"w\": 1, \"x\": 1}}}",
                   65, "apart");
    expect_refused("\"states\": {\"a\": {}}, \"transitions\": [{\"from\": \"a\", \"to\": \"a\"}]",
                   38, "when");
    expect_refused("\"states\": {\"a\": {}}, \"transitions\": [{\"from\": \"a\", \"to\": \"a\", "
                   "\"when\": \"v >\"}]",
                   71, "condition");
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_read("{}", 2, NULL, &graph, NULL), LMB_ERROR_MALFORMED);
}

static void clips_and_joints_must_be_there(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char *const texts[] = {
        "{\"limber\": \"state machine\", \"states\": {\"a\": {\"clip\": \"swim\"}}}",
        "{\"limber\": \"state machine\", \"states\": {\"a\": {\"clip\": \"walk\"}}, \"layers\": "
        "[{\"mask\": {\"tail\": 1}, \"states\": {\"b\": {}}}]}"};
    for (int k = 0; k < 2; ++k) {
        lmb_graph *graph = NULL;
        lmb_machine *machine = NULL;
        lmb_error error = {0};
        assert_int_equal(lmb_graph_read(texts[k], strlen(texts[k]), NULL, &graph, NULL), LMB_OK);
        const lmb_machine_def def = {graph,    c.skeleton, c.clips, LMB_MOTION_COUNT,
                                     LMB_NONE, LMB_NONE,   LMB_NONE};
        assert_int_equal(lmb_machine_create(&def, NULL, &machine, &error), LMB_ERROR_INVALID);
        assert_non_null(strstr(error.found, k == 0 ? "swim" : "tail"));
        lmb_graph_destroy(graph);
    }
    end_cast(&c);
}

static void out_of_memory(void **state)
{
    (void)state;
    cast c = make_cast();
    bool done = false;
    for (int n = 0; !done; ++n) {
        failing_allocator failing = {n, 0};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_graph *graph = NULL;
        lmb_result result = lmb_graph_read(walker_json, 0, &alloc, &graph, NULL);
        assert_int_not_equal(result, LMB_OK);
        char text[sizeof(walker_json)];
        memcpy(text, walker_json, sizeof(text));
        for (char *at; (at = strstr(text, "\"HOW\"")) != NULL;) {
            memcpy(at, "null ", 5);
        }
        for (char *at; (at = strstr(text, ", \"how\": null ")) != NULL;) {
            memset(at, ' ', 14);
        }
        result = lmb_graph_read(text, strlen(text), &alloc, &graph, NULL);
        if (result == LMB_OK) {
            lmb_machine *machine = make_machine(&c, graph, &alloc, &result);
            done = result == LMB_OK;
            lmb_machine_destroy(machine);
            lmb_graph_destroy(graph);
        }
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, 0);
        assert_true(n < 1000);
    }
    end_cast(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_fire_once),
        cmocka_unit_test(events_do_not_depend_on_steps),
        cmocka_unit_test(circle_returns),
        cmocka_unit_test(machine_begins_where_its_clip_does),
        cmocka_unit_test(root_taken_and_put_back),
        cmocka_unit_test(strides_are_found),
        cmocka_unit_test(golden_trace),
        cmocka_unit_test(many_events),
        cmocka_unit_test(same_bits_every_time),
        cmocka_unit_test(no_visible_pop),
        cmocka_unit_test(alone_is_the_clip),
        cmocka_unit_test(conditions),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(clips_and_joints_must_be_there),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
