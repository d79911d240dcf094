// Machines in machines, machines that play compressed clips, and morph weights in machines.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "failing_allocator.h"
#include "limber/limber.h"

enum { CLIPS = 5, JOINTS = 2, WEIGHTS = 3, KEYS = 31 };

/// Clips "a" to "e" of one second: the joint swings by an amount of the clip's own, and the weights
/// of joint 1 rise from 0.1 (k + 1) by 0.3 a second.
typedef struct cast {
    lmb_skeleton *skeleton;
    lmb_clip *clips[CLIPS];
    lmb_packed_clip *packed[CLIPS];
    uint32_t first[JOINTS + 1];
    float rest[WEIGHTS];
} cast;

static lmb_clip *make_clip(int index)
{
    static float ticks[KEYS], rotations[KEYS][4], weights[KEYS][WEIGHTS];
    const char name[2] = {(char)('a' + index), 0};
    for (int k = 0; k < KEYS; ++k) {
        const float t = (float)k / (KEYS - 1);
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0),
                                               0.2f * (float)(index + 1) * lmb_sin(6.2831853f * t));
        ticks[k] = t;
        memcpy(rotations[k], &q, sizeof(q));
        for (int i = 0; i < WEIGHTS; ++i) {
            weights[k][i] = 0.1f * (float)(index + 1) + 0.3f * t;
        }
    }
    lmb_channel channels[] = {
        {1, LMB_PATH_ROTATION, LMB_LINEAR, 4, KEYS, ticks, &rotations[0][0]},
        {1, LMB_PATH_WEIGHTS, LMB_LINEAR, WEIGHTS, KEYS, ticks, &weights[0][0]}};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&(lmb_clip){.name = name,
                                                 .ticks_per_s = 1,
                                                 .duration = 1,
                                                 .frame_rate = 30,
                                                 .channel_count = 2,
                                                 .channels = channels},
                                     NULL, &clip, NULL),
                     LMB_OK);
    return clip;
}

static cast make_cast(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0};
    const char *names[JOINTS] = {"hips", "arm"};
    lmb_transform rest[JOINTS] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[1].translation.y = 1;
    cast c = {.first = {0, 0, WEIGHTS}, .rest = {0.5f, 0.25f, 0}};
    assert_int_equal(lmb_skeleton_create(&(lmb_skeleton){.joint_count = JOINTS,
                                                         .parents = parents,
                                                         .names = names,
                                                         .rest = rest},
                                         NULL, &c.skeleton, NULL),
                     LMB_OK);
    for (int k = 0; k < CLIPS; ++k) {
        c.clips[k] = make_clip(k);
        assert_int_equal(
            lmb_packed_clip_create(c.skeleton, c.clips[k], NULL, NULL, &c.packed[k], NULL), LMB_OK);
    }
    return c;
}

static void end_cast(cast *c)
{
    for (int k = 0; k < CLIPS; ++k) {
        lmb_clip_destroy(c->clips[k]);
        lmb_packed_clip_destroy(c->packed[k]);
    }
    lmb_skeleton_destroy(c->skeleton);
}

static lmb_graph *read_graph(const char *members)
{
    char text[4096];
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    snprintf(text, sizeof(text), "{\"limber\": \"state machine\", %s}", members);
    if (lmb_graph_read(text, strlen(text), NULL, &graph, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return graph;
}

static lmb_machine_def def_of(const cast *c, const lmb_graph *graph)
{
    return (lmb_machine_def){.graph = graph,
                             .skeleton = c->skeleton,
                             .clips = (const lmb_clip *const *)c->clips,
                             .clip_count = CLIPS,
                             .root = LMB_NONE,
                             .left_foot = LMB_NONE,
                             .right_foot = LMB_NONE,
                             .weight_first = c->first,
                             .rest_weights = c->rest};
}

static lmb_machine *make(const lmb_machine_def *def)
{
    lmb_machine *machine = NULL;
    lmb_error error = {0};
    if (lmb_machine_create(def, NULL, &machine, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return machine;
}

// ----------------------------------------------------------------------------------- sub-machines

/// On the ground one stands or walks; a hit of three parts can be broken off at any of them; in the
/// air there is a machine in the machine.
static const char nested[] =
    "\"parameters\": {\"speed\": 0, \"hit\": \"trigger\", \"jump\": \"trigger\", \"high\": false, "
    "\"die\": \"trigger\"},"
    "\"states\": {"
    " \"ground\": {\"start\": \"stand\", \"states\": {\"walk\": {\"clip\": \"b\"}, \"stand\": "
    "{\"clip\": \"a\"}},"
    "  \"entry\": [{\"to\": \"walk\", \"when\": \"speed > 0\"}],"
    "  \"transitions\": [{\"from\": \"stand\", \"to\": \"walk\", \"when\": \"speed > 0\", "
    "\"seconds\": 0},"
    "   {\"from\": \"walk\", \"to\": \"stand\", \"when\": \"speed <= 0\", \"seconds\": 0}]},"
    " \"combo\": {\"states\": {\"one\": {\"clip\": \"c\", \"play\": \"once\"}, \"two\": {\"clip\": "
    "\"d\", \"play\": \"once\"}},"
    "  \"transitions\": [{\"from\": \"one\", \"to\": \"two\", \"when\": \"hit\", \"at\": 0.5, "
    "\"seconds\": 0},"
    "   {\"from\": \"*\", \"to\": \"exit\", \"at\": 1}]},"
    " \"air\": {\"states\": {\"up\": {\"clip\": \"e\"}, \"spin\": {\"states\": {\"left\": {}, "
    "\"right\": {}}, \"start\": \"right\", \"transitions\": [{\"from\": \"right\", \"to\": "
    "\"exit\", \"when\": \"hit\"}]}},"
    "  \"entry\": [{\"to\": \"spin\", \"when\": \"high\"}],"
    "  \"transitions\": [{\"from\": \"spin\", \"to\": \"exit\", \"at\": \"exit\"}, {\"from\": "
    "\"up\", \"to\": \"exit\", \"when\": \"hit\"}]},"
    " \"dead\": {}},"
    "\"transitions\": ["
    " {\"from\": \"ground\", \"to\": \"combo\", \"when\": \"hit\", \"seconds\": 0},"
    " {\"from\": \"combo\", \"to\": \"ground\", \"at\": \"exit\", \"seconds\": 0},"
    " {\"from\": \"*\", \"to\": \"dead\", \"when\": \"die\", \"seconds\": 0},"
    " {\"from\": \"ground/walk\", \"to\": \"air\", \"when\": \"jump\", \"seconds\": 0},"
    " {\"from\": \"air\", \"to\": \"ground\", \"at\": \"exit\", \"when\": \"not high\", "
    "\"seconds\": 0},"
    " {\"from\": \"air\", \"to\": \"ground/stand\", \"at\": \"exit\", \"seconds\": 0}]";

typedef struct scripted {
    const char *set;
    float value;
    double dt_s;
    const char *state;
} scripted;

static void nested_trace(void **state)
{
    (void)state;
    static const scripted script[] = {
        {NULL, 0, 0, "ground/stand"},
        {"speed", 1, 0.1, "ground/walk"},
        {"hit", 1, 0.1, "combo/one"}, // from any state of the machine
        {"hit", 1, 0.3, "combo/one"}, // half of it has not passed: the trigger waits
        {NULL, 0, 0.3, "combo/one"},  // passes the half in this step
        {NULL, 0, 0.1, "combo/two"},
        {NULL, 0, 0.9, "combo/two"},
        {NULL, 0, 0.1, "ground/walk"}, // left at its end, and entered by speed
        {"speed", 0, 0.1, "ground/stand"},
        {"jump", 1, 0.1, "ground/stand"}, // only a walk leads into the air
        {"speed", 1, 0.1, "ground/walk"},
        {NULL, 0, 0.1, "air/up"},
        {"hit", 1, 0.1, "ground/walk"}, // through the first exit that holds
        {"high", 1, 0.1, "ground/walk"},
        {"jump", 1, 0.1, "air/spin/right"}, // an entry into the machine in the machine
        {"hit", 1, 0.1, "ground/stand"},    // out of two machines in one step
        {"die", 1, 0.1, "dead"},
        {"speed", 1, 0.1, "dead"},
    };
    cast c = make_cast();
    lmb_graph *graph = read_graph(nested);
    const lmb_machine_def def = def_of(&c, graph);
    lmb_machine *machine = make(&def);
    lmb_transform pose[JOINTS];
    for (size_t k = 0; k < sizeof(script) / sizeof(*script); ++k) {
        if (script[k].set != NULL) {
            const int32_t p = lmb_graph_parameter_find(graph, script[k].set);
            lmb_machine_set(machine, (uint32_t)p, script[k].value);
        }
        lmb_machine_step(machine, script[k].dt_s, pose, NULL);
        // A crossfade of no length has arrived by the end of its step.
        assert_null(lmb_machine_describe(machine).next_states[0]);
        if (strcmp(lmb_machine_describe(machine).states[0], script[k].state) != 0) {
            fail_msg("step %zu: %s, expected %s", k, lmb_machine_describe(machine).states[0],
                     script[k].state);
        }
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
}

static void expect_refused(const char *members, const char *expected)
{
    char text[2000];
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    snprintf(text, sizeof(text), "{\"limber\": \"state machine\",\n%s}", members);
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(error.line, 2);
    if (strstr(error.expected, expected) == NULL) {
        fail_msg("%s: expected %s, found %s", members, error.expected, error.found);
    }
}

static void bad_machines(void **state)
{
    (void)state;
    expect_refused("\"states\": {\"m\": {\"states\": {}}}", "at least one");
    expect_refused("\"states\": {\"m\": {\"clip\": \"a\", \"states\": {\"x\": {}}}}", "states");
    expect_refused("\"states\": {\"m\": {\"states\": {\"exit\": {}}}}", "another name");
    expect_refused("\"states\": {\"m\": {\"states\": {\"x\": {}}}, \"m/x\": {}}", "all different");
    expect_refused("\"states\": {\"m\": {\"states\": {\"x\": {}}, \"start\": \"m\"}}",
                   "name of a state");
    expect_refused("\"states\": {\"m\": {\"states\": {\"x\": {}}, \"entry\": [{\"to\": \"x\"}]}}",
                   "\"when\"");
    expect_refused("\"states\": {\"m\": {\"states\": {\"x\": {}}}, \"n\": {}}, \"transitions\": "
                   "[{\"from\": \"n\", \"to\": \"m\", \"at\": \"exit\"}]",
                   "can be left");
    expect_refused("\"states\": {\"n\": {}}, \"transitions\": "
                   "[{\"from\": \"n\", \"to\": \"exit\", \"at\": 1}]",
                   "name of a state");
    expect_refused("\"states\": {\"m\": {\"states\": {\"x\": {}}, \"transitions\": [{\"from\": "
                   "\"x\", \"to\": \"exit\", \"at\": 1, \"seconds\": 1}]}}",
                   "from");
    char deep[1000] = "\"states\": {\"x\": {}}";
    for (int k = 0; k < 9; ++k) {
        char outer[1000];
        snprintf(outer, sizeof(outer), "\"states\": {\"m\": {%.900s}}", deep);
        memcpy(deep, outer, sizeof(deep));
    }
    expect_refused(deep, "8 deep");
}

// --------------------------------------------------------------------------------------- weights

static void expect_weight(const lmb_machine *machine, double want, double tolerance)
{
    const float *weights = lmb_machine_describe(machine).weights;
    for (int i = 0; i < WEIGHTS; ++i) {
        if (!(fabs((double)weights[i] - want) <= tolerance)) {
            fail_msg("weight %d is %.9g, expected %.9g", i, (double)weights[i], want);
        }
    }
}

static void weights_are_mixed(void **state)
{
    (void)state;
    cast c = make_cast();
    lmb_graph *graph = read_graph(
        "\"parameters\": {\"x\": 0.25, \"go\": false}, \"states\": {\"s\": {\"along\": \"x\", "
        "\"clips\": {\"a\": 0, \"c\": 1}, \"sync\": false}, \"e\": {\"clip\": \"e\"}},"
        "\"transitions\": [{\"from\": \"s\", \"to\": \"e\", \"when\": \"go\", \"curve\": "
        "\"linear\", \"seconds\": 1}]");
    const lmb_machine_def def = def_of(&c, graph);
    lmb_machine *machine = make(&def);
    lmb_transform pose[JOINTS];
    lmb_machine_step(machine, 0, pose, NULL);
    expect_weight(machine, 0.75 * 0.1 + 0.25 * 0.3, 1e-6);
    lmb_machine_set(machine, 1, 1);
    lmb_machine_step(machine, 0.25, pose, NULL); // a quarter of the crossfade, both at 0.25 s
    expect_weight(machine, 0.75 * (0.15 + 0.075) + 0.25 * (0.5 + 0.075), 1e-6);
    lmb_machine_step(machine, 0.5, pose, NULL);
    expect_weight(machine, 0.25 * (0.15 + 0.225) + 0.75 * (0.5 + 0.225), 1e-6);
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
}

static void weights_do_not_pop(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char *const transitions[] = {"spring", "quintic", "dead"};
    for (int w = 0; w < 3; ++w) {
        char members[500];
        snprintf(members, sizeof(members),
                 "\"parameters\": {\"go\": false}, \"states\": {\"a\": {\"clip\": \"a\"}, \"e\": "
                 "{\"clip\": \"e\"}}, \"transitions\": [{\"from\": \"a\", \"to\": \"e\", "
                 "\"when\": \"go\", \"how\": \"%s\", \"seconds\": 0.3}]",
                 transitions[w]);
        lmb_graph *graph = read_graph(members);
        const lmb_machine_def def = def_of(&c, graph);
        lmb_machine *machine = make(&def);
        lmb_transform pose[JOINTS];
        double last = 0, before = 0;
        for (int f = 0; f < 100; ++f) {
            lmb_machine_set(machine, 0, f >= 30);
            lmb_machine_step(machine, f > 0 ? 1 / 120.0 : 0, pose, NULL);
            const double now = (double)lmb_machine_describe(machine).weights[0];
            // 0.4 apart, gone with a half-life of 0.1 s: 0.4 y^2 dt^2 is the most that a step adds.
            if (f >= 2) {
                assert_true(fabs(now - 2 * last + before) <
                            0.4 * 13.9 * 13.9 / (120.0 * 120) + 1e-5);
            }
            before = last;
            last = now;
        }
        expect_weight(machine, 0.5 + 0.3 * 69 / 120, 0.01);
        lmb_machine_destroy(machine);
        lmb_graph_destroy(graph);
    }
    end_cast(&c);
}

static void weights_of_layers(void **state)
{
    (void)state;
    cast c = make_cast();
    static const char *const layers[] = {
        "{\"weight\": 0.5, \"states\": {\"e\": {\"clip\": \"e\"}}}",
        "{\"mask\": {\"arm\": 0.5}, \"states\": {\"e\": {\"clip\": \"e\"}}}",
        "{\"additive\": true, \"reference\": \"c\", \"states\": {\"e\": {\"clip\": \"e\"}}}"};
    static const double want[] = {0.3, 0.3, 0.1 + (0.5 - 0.3)};
    for (int k = 0; k < 3; ++k) {
        char members[300];
        snprintf(members, sizeof(members),
                 "\"states\": {\"a\": {\"clip\": \"a\"}}, \"layers\": [%s]", layers[k]);
        lmb_graph *graph = read_graph(members);
        const lmb_machine_def def = def_of(&c, graph);
        lmb_machine *machine = make(&def);
        lmb_transform pose[JOINTS];
        lmb_machine_step(machine, 0, pose, NULL);
        expect_weight(machine, want[k], 1e-6);
        lmb_machine_destroy(machine);
        lmb_graph_destroy(graph);
    }
    // Nothing plays: at rest.
    lmb_graph *graph = read_graph("\"states\": {\"none\": {}}");
    const lmb_machine_def def = def_of(&c, graph);
    lmb_machine *machine = make(&def);
    lmb_transform pose[JOINTS];
    lmb_machine_step(machine, 1, pose, NULL);
    assert_memory_equal(lmb_machine_describe(machine).weights, c.rest, sizeof(c.rest));
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    end_cast(&c);
}

// ------------------------------------------------------------------------------- compressed clips

static void compressed_clips_play(void **state)
{
    (void)state;
    cast c = make_cast();
    lmb_graph *graph =
        read_graph("\"parameters\": {\"go\": false}, \"states\": {\"b\": {\"clip\": \"b\"}, \"d\": "
                   "{\"clip\": \"d\"}}, \"transitions\": [{\"from\": \"b\", \"to\": \"d\", "
                   "\"when\": \"go\", \"seconds\": 0.5}]");
    lmb_machine_def def = def_of(&c, graph);
    lmb_machine *keys = make(&def);
    def.clips = NULL;
    def.clip_count = 0;
    def.packed = (const lmb_packed_clip *const *)c.packed;
    def.packed_count = CLIPS;
    lmb_machine *packed = make(&def);
    for (int f = 0; f < 150; ++f) {
        lmb_transform got[JOINTS], want[JOINTS], alone[JOINTS];
        lmb_machine_set(keys, 0, f >= 60);
        lmb_machine_set(packed, 0, f >= 60);
        lmb_machine_step(keys, 1 / 90.0, want, NULL);
        lmb_machine_step(packed, 1 / 90.0, got, NULL);
        assert_string_equal(lmb_machine_describe(keys).states[0],
                            lmb_machine_describe(packed).states[0]);
        for (int j = 0; j < JOINTS; ++j) { // a tenth of a millimetre at 3 cm
            assert_true(lmb_quat_angle(got[j].rotation, want[j].rotation) < 0.004f);
        }
        // A tenth of a millimetre where a weight of 1 moves 0.1 m.
        expect_weight(packed, (double)lmb_machine_describe(keys).weights[0], 1.1e-3);
        if (f < 60) {
            lmb_packed_sample(&(lmb_packed_sample_job){.clip = c.packed[1],
                                                       .time_s = (f + 1) / 90.0,
                                                       .mode = LMB_PLAY_LOOP,
                                                       .pose = alone});
            assert_true(lmb_quat_angle(got[1].rotation, alone[1].rotation) < 1e-6f);
        }
    }
    lmb_machine_destroy(keys);
    lmb_machine_destroy(packed);
    // A clip of another skeleton is refused by name.
    lmb_packed_clip other = *c.packed[1];
    const lmb_packed_clip *others[2] = {&other, c.packed[3]};
    lmb_machine *machine = NULL;
    lmb_error error = {0};
    other.joint_count = 3;
    def.packed = others;
    def.packed_count = 2;
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "\"b\" of 3"));
    lmb_graph_destroy(graph);
    end_cast(&c);
}

static void out_of_memory(void **state)
{
    (void)state;
    cast c = make_cast();
    char text[sizeof(nested) + 64];
    snprintf(text, sizeof(text), "{\"limber\": \"state machine\", %s}", nested);
    bool done = false;
    for (int n = 0; !done; ++n) {
        failing_allocator failing = {n, 0};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_graph *graph = NULL;
        lmb_result result = lmb_graph_read(text, strlen(text), &alloc, &graph, NULL);
        if (result == LMB_OK) {
            lmb_machine_def def = def_of(&c, graph);
            lmb_machine *machine = NULL;
            def.clip_count = 2; // the others compressed
            def.packed = (const lmb_packed_clip *const *)c.packed;
            def.packed_count = CLIPS;
            result = lmb_machine_create(&def, &alloc, &machine, NULL);
            done = result == LMB_OK;
            if (done) {
                lmb_transform pose[JOINTS];
                const int left = failing.calls_left;
                for (int f = 0; f < 20; ++f) {
                    lmb_machine_set(machine, (uint32_t)f % 5, (float)(f % 3));
                    lmb_machine_step(machine, 0.1, pose, NULL);
                }
                assert_int_equal(failing.calls_left, left);
            }
            lmb_machine_destroy(machine);
            lmb_graph_destroy(graph);
        }
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, 0);
        assert_true(n < 2000);
    }
    end_cast(&c);
}

// --------------------------------------------------------------------------------------- contacts

/// A point that stands from 0.25 s to 0.5 s and moves along otherwise.
static void contacts_are_found(void **state)
{
    (void)state;
    cast c = make_cast();
    float ticks[] = {0, 0.25f, 0.5f, 1}, positions[] = {-1, 0.4f, 0, 0, 0, 0, 0, 0, 0, 2, 0.4f, 0};
    lmb_channel channel = {0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, 4, ticks, positions};
    lmb_clip *clip = NULL;
    lmbi_clip_contacts *contacts = NULL;
    assert_int_equal(
        lmb_clip_create(
            &(lmb_clip){.ticks_per_s = 1, .duration = 1, .channel_count = 1, .channels = &channel},
            NULL, &clip, NULL),
        LMB_OK);
    assert_int_equal(lmbi_clip_contacts_create(clip, c.skeleton, 0, (lmb_vec3){0, 0, 0}, false,
                                               NULL, &contacts, NULL),
                     LMB_OK);
    assert_true(lmbi_clip_contacts_at(contacts, 0.1) <= 0 &&
                lmbi_clip_contacts_at(contacts, 0.23) <= 0);
    assert_true(lmbi_clip_contacts_at(contacts, 0.27) >= 1 &&
                lmbi_clip_contacts_at(contacts, 0.49) >= 1);
    assert_true(lmbi_clip_contacts_at(contacts, 0.53) <= 0 &&
                lmbi_clip_contacts_at(contacts, 7) <= 0);
    lmbi_clip_contacts_destroy(contacts);
    lmb_error error;
    assert_int_equal(lmbi_clip_contacts_create(clip, c.skeleton, 9, (lmb_vec3){0, 0, 0}, false,
                                               NULL, &contacts, &error),
                     LMB_ERROR_INVALID);
    lmb_clip_destroy(clip);
    end_cast(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_trace),       cmocka_unit_test(bad_machines),
        cmocka_unit_test(weights_are_mixed),  cmocka_unit_test(weights_do_not_pop),
        cmocka_unit_test(weights_of_layers),  cmocka_unit_test(compressed_clips_play),
        cmocka_unit_test(contacts_are_found), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
