// What the glTF reader notes of files that the format forbids and that it reads all the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/gltf_text.h"

#define POSITIONS                                                                           \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'bufferViews':[{'buffer':0," \
    "'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':3"

/// Reads, and says whether a note has these words; `words` NULL: whether there is none at all.
static bool notes_say(const char *members, const char *words)
{
    static const float values[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
    test_gltf g = {0};
    lmb_notes notes = {0};
    lmb_error error;
    lmb_character *c = NULL;
    test_put(&g, values, sizeof values);
    assert_int_equal(test_gltf_try(&g, members, &c, &notes, &error), LMB_OK);
    lmb_character_destroy(c);
    bool said = words == NULL && notes.count == 0;
    for (uint32_t k = 0; words && k < notes.count; ++k) {
        said = said || strstr(notes.items[k].text, words) != NULL;
    }
    return said;
}

static void bounds_are_compared_with_what_is_there(void **state)
{
    (void)state;
    assert_true(notes_say(POSITIONS ",'min':[0,0,0],'max':[1,2,0]}]", NULL));
    assert_true(notes_say(POSITIONS ",'min':[0,0,0],'max':[1.0001,2,0]}]", NULL));
    assert_true(notes_say(POSITIONS "}]", "positions without bounds at /accessors/0"));
    assert_true(notes_say(POSITIONS ",'min':[0,0],'max':[1,2,0]}]", "positions without bounds"));
    assert_true(
        notes_say(POSITIONS ",'min':[0,0,0],'max':[1,2,9]}]", "positions with other bounds"));
    assert_true(
        notes_say(POSITIONS ",'min':[0,0,0],'max':[1,1,0]}]", "positions with other bounds"));
}

#define CLIP                                                                                     \
    "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':"            \
    "'translation'}}],'samplers':[{'input':0,'output':1}]}],'bufferViews':[{'buffer':0,"         \
    "'byteOffset':8,'byteLength':8},{'buffer':0,'byteLength':24}],'accessors':[{'bufferView':0," \
    "'componentType':5126,'type':'SCALAR','count':2"
#define VALUES "},{'bufferView':1,'componentType':5126,'type':'VEC3','count':2}]"

static void key_times_say_how_long_a_clip_is(void **state)
{
    (void)state;
    assert_true(notes_say(CLIP ",'min':[0],'max':[1]" VALUES, NULL));
    assert_true(notes_say(CLIP VALUES, "key times without bounds"));
    assert_true(notes_say(CLIP ",'min':[0],'max':[3]" VALUES, "key times with other bounds"));
}

/// A scene that lists a child shows its tree once, under its root; what it does not list comes last.
static void a_listed_child_is_shown_under_its_root(void **state)
{
    (void)state;
    test_gltf g = {0};
    lmb_character *c = NULL;
    lmb_error error;
    assert_int_equal(test_gltf_try(&g,
                                   "'nodes':[{'name':'other'},{'name':'child'},{'name':'root',"
                                   "'children':[1]}],'scene':0,'scenes':[{'nodes':[1,2]}]",
                                   &c, NULL, &error),
                     LMB_OK);
    assert_int_equal(c->skeleton->joint_count, 3);
    assert_string_equal(c->skeleton->names[0], "root");
    assert_string_equal(c->skeleton->names[1], "child");
    assert_int_equal(c->skeleton->parents[1], 0);
    assert_string_equal(c->skeleton->names[2], "other");
    lmb_character_destroy(c);
}

static void joints_stand_in_the_scene_below_their_root(void **state)
{
    (void)state;
#define NODES "'nodes':[{'children':[1]},{},{}],'scene':0,"
    assert_true(notes_say(NODES "'scenes':[{'nodes':[1,0]}]", "scene lists is a child"));
    assert_true(notes_say(NODES "'scenes':[{'nodes':[0]}],'skins':[{'joints':[0,1]}]", NULL));
    assert_true(
        notes_say(NODES "'scenes':[{'nodes':[2,0]}],'skins':[{'joints':[1],'skeleton':0}]", NULL));
    assert_true(notes_say(NODES "'scenes':[{'nodes':[0]}],'skins':[{'joints':[1,2]}]",
                          "joints outside the scene"));
    assert_true(notes_say(NODES "'scenes':[{'nodes':[0,2]}],'skins':[{'joints':[1,2],"
                                "'skeleton':0}]",
                          "skeleton that is not above its joints"));
    assert_true(notes_say(NODES "'scenes':[{'nodes':[0,2]}],'skins':[{'joints':[0,1],"
                                "'skeleton':1}]",
                          "skeleton that is not above its joints"));
    assert_true(notes_say("'nodes':[{},{}],'skins':[{'joints':[0,1]}]", NULL)); // no scene at all
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_compared_with_what_is_there),
        cmocka_unit_test(key_times_say_how_long_a_clip_is),
        cmocka_unit_test(a_listed_child_is_shown_under_its_root),
        cmocka_unit_test(joints_stand_in_the_scene_below_their_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
