/// Templates of a user: a made body with a known answer, built-in kinds written out and read again,
/// bodies of other kinds, and texts with faults.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/capsules.h"
#include "embed/creature/creature.h"
#include "failing_allocator.h"
#include "limber/author.h"

// ---- a body of no built-in kind

/// A slug: a long foot, two feelers that rise forward and bend, and a thin tail.
static const lmb_vec3 SNOUT = {0, 0.2f, 0.5f}, RUMP = {0, 0.2f, -0.5f}, TAIL = {0, 0.12f, -1.1f},
                      FEELER = {0.08f, 0.28f, 0.45f}, BEND = {0.3f, 0.8f, 0.5f},
                      END = {0.35f, 0.85f, 1.1f};

static capsules *make_slug(void)
{
    capsules *s = capsules_create();
    add_capsule(s, RUMP, SNOUT, 0.2f, 0.18f);
    add_capsule(s, RUMP, TAIL, 0.1f, 0.04f);
    for (int side = 0; side < 2; ++side) {
        const float sign = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 p[3] = {{sign * FEELER.x, FEELER.y, FEELER.z},
                               {sign * BEND.x, BEND.y, BEND.z},
                               {sign * END.x, END.y, END.z}};
        add_capsule(s, p[0], p[1], 0.05f, 0.05f);
        add_capsule(s, p[1], p[2], 0.05f, 0.03f);
    }
    return s;
}

static const char SLUG[] = "limber-template 1 # a slug\n"
                           "name slug\n"
                           "\n"
                           "chain upper pair needed both\n"
                           "  seen 0.05 0.15 0.8\n"
                           "  height 0.95 0.1   # of the tips, of the body's height\n"
                           "  forward 1.5 0.6   # before the middle, in sizes of the body\n"
                           "  points-forward 0.8 0.3\n"
                           "  unlike 0 0.2\n"
                           "chain tail single\n"
                           "  seen 0.2 0.8\n"
                           "  height 0.15 0.1\n"
                           "  forward -1.5 0.6\n"
                           "\n"
                           "joint foot on head sure 0.9\n"
                           "  all mid-low 0.5 mid-high 0.5\n"
                           "joint tail on tail under foot\n"
                           "  at 0\n"
                           "joint Feeler on upper under foot\n"
                           "  at 0\n"
                           "joint FeelerEnd on upper under Feeler hinge\n"
                           "  at 0.5 0.2 bend\n";

static lmb_body_template *read_text(const char *text)
{
    lmb_body_template *t = NULL;
    lmb_error error = {0};
    if (lmb_body_template_read(text, strlen(text), NULL, &t, &error) != LMB_OK) {
        print_error("%u:%u: expected %s, found %s\n", error.line, error.column, error.expected,
                    error.found);
        fail();
    }
    return t;
}

static lmb_vec3 joint_at(const lmb_embedding *e, const char *name)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        if (strcmp(e->names[j], name) == 0) {
            return e->joints[j];
        }
    }
    print_error("no joint %s\n", name);
    fail();
    return SNOUT;
}

static void a_body_of_no_built_in_kind_has_its_joints(void **state)
{
    (void)state;
    capsules *s = make_slug();
    lmb_body_template *t = read_text(SLUG);
    const lmb_embed_opts opts = {.body_template = t};
    lmb_embedding e;
    assert_int_equal(lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, &opts,
                               NULL, &e, NULL),
                     LMB_OK);
    const float size = 2.2f;
    assert_int_equal(e.joint_count, 6);
    assert_int_equal(e.kind, LMB_SKELETON_GENERIC);
    assert_true(e.forward.z > 0.99f && e.up.y > 0.99f);
    const lmb_vec3 bend = joint_at(&e, "leftFeelerEnd"), root = joint_at(&e, "rightFeeler");
    assert_true(lmb_vec3_distance(bend, BEND) < 0.03f * size);
    assert_true(lmb_vec3_distance(root, lmb_vec3_make(-FEELER.x, FEELER.y, FEELER.z)) <
                0.06f * size);
    assert_true(lmb_vec3_distance(joint_at(&e, "tail"), RUMP) < 0.08f * size);
    assert_true(lmb_vec3_distance(joint_at(&e, "foot"), lmb_vec3_make(0, 0.2f, 0)) < 0.15f * size);
    lmb_body_template_destroy(t);
    free(s);
}

/// How far the joint at the bend is off, where its row says `row` instead.
static float bend_error(const char *row)
{
    char text[sizeof SLUG + 64];
    const char *at = strstr(SLUG, "  at 0.5 0.2 bend");
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s\n", (int)(at - SLUG), SLUG, row);
    capsules *s = make_slug();
    lmb_body_template *t = read_text(text);
    lmb_embedding e;
    assert_int_equal(lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count,
                               &(lmb_embed_opts){.body_template = t}, NULL, &e, NULL),
                     LMB_OK);
    lmb_body_template_destroy(t);
    free(s);
    return lmb_vec3_distance(joint_at(&e, "leftFeelerEnd"), BEND);
}

/// A bend near the fraction draws the joint to it, one many spreads away does not.
static void a_mark_draws_a_joint(void **state)
{
    (void)state;
    const float alone = bend_error("  at 0.3"), drawn = bend_error("  at 0.3 0.2 bend"),
                far = bend_error("  at 0.3 0.02 bend");
    assert_true(alone > 0.1f);
    assert_true(drawn < 0.5f * alone);
    assert_true(far > 0.9f * alone);
}

// ---- built-in kinds

static const struct {
    lmb_made_body_kind made;
    lmb_skeleton_kind kind;
} KINDS[] = {{LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED},
             {LMB_MADE_BIRD, LMB_SKELETON_BIRD},
             {LMB_MADE_FISH, LMB_SKELETON_FISH},
             {LMB_MADE_SNAKE, LMB_SKELETON_SNAKE},
             {LMB_MADE_SPIDER, LMB_SKELETON_SPIDER}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static lmb_made_body *make(lmb_made_body_kind kind)
{
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = 7, .triangle_count = 4000, .rigged = true, .whole = true};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

/// The template of a kind, written and read.
static lmb_body_template *again(lmb_skeleton_kind kind)
{
    lmb_body_template *first = NULL, *second = NULL;
    lmb_buffer text = {0}, same = {0};
    assert_int_equal(lmb_body_template_of_kind(kind, NULL, &first, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_write(first, NULL, &text, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_read(text.data, text.size, NULL, &second, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_write(second, NULL, &same, NULL), LMB_OK);
    assert_int_equal(text.size, same.size);
    lmb_buffer_free(&text);
    lmb_buffer_free(&same);
    lmb_body_template_destroy(first);
    return second;
}

static lmb_result embed(const lmb_made_body *b, const lmb_embed_opts *opts, lmb_embedding *out,
                        lmb_error *error)
{
    const lmb_mesh *m = b->character->meshes[0];
    return lmb_embed(m->positions, m->vertex_count, m->indices, m->index_count / 3, opts, NULL, out,
                     error);
}

/// Joints lie where the rows have them along the chains, the built-in kind's where a network sees them: near each other.
static void a_built_in_kind_as_text_gives_a_like_skeleton(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        lmb_made_body *b = make(KINDS[k].made);
        lmb_body_template *t = again(KINDS[k].kind);
        lmb_embedding built_in, given;
        float off = 0;
        uint32_t common = 0;
        assert_int_equal(embed(b, &(lmb_embed_opts){.kind = KINDS[k].kind}, &built_in, NULL),
                         LMB_OK);
        assert_int_equal(embed(b, &(lmb_embed_opts){.body_template = t}, &given, NULL), LMB_OK);
        assert_int_equal(given.kind, KINDS[k].kind);
        assert_true(lmb_vec3_dot(given.forward, built_in.forward) > 0.95f);
        for (uint32_t j = 0; j < given.joint_count; ++j) {
            for (uint32_t o = 0; o < built_in.joint_count; ++o) {
                if (strcmp(given.names[j], built_in.names[o]) == 0) {
                    off += lmb_vec3_distance(given.joints[j], built_in.joints[o]);
                    ++common;
                }
            }
        }
        const lmb_box box =
            lmb_box_of(b->character->meshes[0]->positions, b->character->meshes[0]->vertex_count);
        assert_true(2 * common > given.joint_count);
        assert_true(off / (float)common < 0.05f * lmb_vec3_distance(box.low, box.high));
        lmb_body_template_destroy(t);
        lmb_made_body_destroy(b);
    }
}

static void a_built_in_kind_keeps_the_chains_that_it_needs(void **state)
{
    (void)state;
    const uint32_t legs = 1u << LMBI_CHAIN_LEGS, fore = 1u << LMBI_CHAIN_FORE;
    lmb_body_template *quadruped = again(LMB_SKELETON_QUADRUPED), *bird = again(LMB_SKELETON_BIRD),
                      *fish = again(LMB_SKELETON_FISH), *snake = again(LMB_SKELETON_SNAKE);
    assert_int_equal(quadruped->rows.needed, legs | fore);
    assert_int_equal(quadruped->rows.both, 0);
    assert_int_equal(bird->rows.needed, 0);
    assert_int_equal(bird->rows.both, legs | fore);
    assert_true(fish->rows.lines.back_fin && !fish->rows.lines.through);
    assert_true(snake->rows.lines.through && !snake->rows.lines.back_fin);
    lmb_body_template_destroy(quadruped);
    lmb_body_template_destroy(bird);
    lmb_body_template_destroy(fish);
    lmb_body_template_destroy(snake);
}

static void another_kind_is_refused_and_named(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        const int other = (k + 1) % KIND_COUNT;
        lmb_made_body *b = make(KINDS[other].made);
        lmb_body_template *t = again(KINDS[k].kind);
        lmb_embedding e;
        lmb_error error = {0};
        const lmb_result result = embed(b, &(lmb_embed_opts){.body_template = t}, &e, &error);
        assert_int_equal(result, LMB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.found, lmb_skeleton_kind_name(KINDS[other].kind)));
        assert_non_null(strstr(error.expected, "template"));
        lmb_body_template_destroy(t);
        lmb_made_body_destroy(b);
    }
    lmb_body_template *none = NULL;
    assert_int_equal(lmb_body_template_of_kind(LMB_SKELETON_HUMAN, NULL, &none, NULL),
                     LMB_ERROR_UNSUPPORTED);
}

// ---- faults

#define HEAD "limber-template 1\n"
#define CHAIN HEAD "chain legs pair\n"
#define JOINT CHAIN "joint body on head\n all centroid 1\n"

static const struct {
    const char *text, *expected, *found;
    unsigned line, column;
} FAULTS[] = {
    {"", "limber-template 1", "end", 1, 1},
    {"limber-template 2\n", "limber-template 1", "limber-template", 1, 1},
    {HEAD, "a chain", "end", 2, 1},
    {HEAD "colour red\n", "name, kind", "colour", 2, 1},
    {HEAD "kind human\n", "quadruped", "human", 2, 6},
    {HEAD "name a/b\n", "a name", "a/b", 2, 6},
    {HEAD "chain wings pair\n", "legs, fore", "wings", 2, 7},
    {HEAD "chain head pair\n", "single", "pair", 2, 12},
    {CHAIN "chain legs pair\n", "not given yet", "legs", 3, 7},
    {CHAIN " height 0.1\n", "the spread", "end", 3, 12},
    {CHAIN " height 0.1 0\n", "the spread", "0", 3, 13},
    {CHAIN " height nan 1\n", "the mean", "nan", 3, 9},
    {CHAIN " length -1 1\n", "a ratio", "-1", 3, 9},
    {CHAIN " height 0.1 0.1 0.1\n", "the end of the line", "0.1", 3, 17},
    {CHAIN " weight 1 1\n", "a measurement of a chain", "weight", 3, 2},
    {CHAIN " seen 0.1 0.1\n", "a probability", "end", 3, 14},
    {HEAD "body\n height 1 1\n", "a measurement of the body", "height", 3, 2},
    {CHAIN, "a joint", "end", 3, 1},
    {CHAIN "joint body on legs\n", "head or tail", "body", 3, 7},
    {CHAIN "joint body\n", "on, and a chain", "end", 3, 11},
    {CHAIN "joint body on fore\n", "a chain that was given", "fore", 3, 15},
    {CHAIN "joint body on head\njoint b on head\n", "a line behind it", "body", 3, 7},
    {JOINT "joint Foot on legs\n", "under", "end", 5, 19},
    {JOINT "joint Foot on legs under hips\n", "a joint above", "hips", 5, 26},
    {JOINT "joint body on head under body\n", "that no joint has", "body", 5, 7},
    {JOINT "joint leftFoot on legs under body\n", "left or right", "leftFoot", 5, 7},
    {JOINT "joint F on legs under body\n at 1.5\n", "a fraction", "1.5", 6, 5},
    {JOINT "joint F on legs under body\n at 0.5 0.1 opens\n", "bend or narrow", "opens", 6, 13},
    {JOINT "joint F on legs under body\n x knee 1\n", "an anchor", "knee", 6, 4},
    {JOINT "joint F on legs under body\n x root\n", "a weight", "end", 6, 8},
    {JOINT " at 0.5\n", "another line of x", "at", 5, 2},
    {JOINT "chain fore pair\n", "chains come before", "chain", 5, 1},
};

static void faults_are_told_with_their_place(void **state)
{
    (void)state;
    bool all = true;
    for (size_t k = 0; k < sizeof FAULTS / sizeof *FAULTS; ++k) {
        lmb_body_template *t = NULL;
        lmb_error error = {0};
        const lmb_result result =
            lmb_body_template_read(FAULTS[k].text, strlen(FAULTS[k].text), NULL, &t, &error);
        const bool right = result == LMB_ERROR_MALFORMED && !t && error.line == FAULTS[k].line &&
                           error.column == FAULTS[k].column &&
                           strstr(error.expected, FAULTS[k].expected) &&
                           strstr(error.found, FAULTS[k].found);
        if (!right) {
            print_error("%zu: %d at %u:%u: expected %s, found %s\n", k, (int)result, error.line,
                        error.column, error.expected, error.found);
        }
        all = all && right;
    }
    assert_true(all);
}

/// Weights that are all 0 leave a line all the same, and numbers at the ends of their ranges stay
/// in them.
static void what_is_written_can_be_read(void **state)
{
    (void)state;
    lmb_body_template *t = read_text(HEAD "common 0.0001\nchain legs pair\n seen 1 0.0001 1\n"
                                          " length 1000 0.001\n length 0 1000\n"
                                          "joint body on head\n all centroid 0\n");
    lmb_body_template *second = NULL;
    lmb_buffer text = {0};
    assert_int_equal(lmb_body_template_write(t, NULL, &text, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_read(text.data, text.size, NULL, &second, NULL), LMB_OK);
    assert_int_equal(second->rows.count, 1);
    assert_true(second->joints[0].weights != LMB_NONE);
    lmb_buffer_free(&text);
    lmb_body_template_destroy(t);
    lmb_body_template_destroy(second);
}

static void too_many_joints_are_refused(void **state)
{
    (void)state;
    char text[8192] = JOINT;
    size_t size = strlen(text);
    for (int k = 1; k < LMBI_MOST_ROWS + 1; ++k) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "joint b%d on head under body\n at 0.5\n", k);
    }
    lmb_body_template *t = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_body_template_read(text, size, NULL, &t, &error), LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "48 joints"));
}

static void memory_may_run_out(void **state)
{
    (void)state;
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result != LMB_OK; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_body_template *t = NULL, *kind = NULL;
        lmb_buffer text = {0};
        result = lmb_body_template_read(SLUG, strlen(SLUG), &alloc, &t, NULL);
        if (result == LMB_OK) {
            result = lmb_body_template_of_kind(LMB_SKELETON_FISH, &alloc, &kind, NULL);
        }
        if (result == LMB_OK) {
            result = lmb_body_template_write(kind, &alloc, &text, NULL);
        }
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        lmb_buffer_free(&text);
        lmb_body_template_destroy(t);
        lmb_body_template_destroy(kind);
        assert_int_equal(memory.held, 0);
        assert_true(allowed < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_no_built_in_kind_has_its_joints),
        cmocka_unit_test(a_mark_draws_a_joint),
        cmocka_unit_test(a_built_in_kind_as_text_gives_a_like_skeleton),
        cmocka_unit_test(a_built_in_kind_keeps_the_chains_that_it_needs),
        cmocka_unit_test(another_kind_is_refused_and_named),
        cmocka_unit_test(faults_are_told_with_their_place),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(too_many_joints_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
