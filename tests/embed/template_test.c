/// Templates of a user: a body with a known answer, templates made of bodies and read again, bodies of
/// other kinds, texts with faults, and how much bodies of a kind differ.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/template_spreads.h"
#include "bodies/bodies.h"
#include "embed/capsules.h"
#include "embed/template/template.h"
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

static const char SLUG[] = "limber-template 2 # a slug\n"
                           "name slug\n"
                           "\n"
                           "chain feelers pair needed\n"
                           "  height 0.95 0.1   # of the tips, of the body's height\n"
                           "  forward 1.5 0.6   # before the middle, in sizes of the body\n"
                           "  points-forward 0.8 0.3\n"
                           "  unlike 0 0.2\n"
                           "chain tail single\n"
                           "  height 0.15\n"
                           "  forward -1.5 0.6\n"
                           "\n"
                           "joint foot between center 2 feelers 1 sure 0.9\n"
                           "joint tail on tail at 0.45 under foot\n"
                           "joint Feeler on feelers at 0.3 under foot\n"
                           "joint FeelerEnd on feelers at 0.6 bend 0.2 under Feeler hinge\n";

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
    const char *at = strstr(SLUG, "at 0.6 bend 0.2");
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s under Feeler\n", (int)(at - SLUG), SLUG, row);
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
    const float alone = bend_error("at 0.45"), drawn = bend_error("at 0.45 bend 0.2"),
                far = bend_error("at 0.45 bend 0.02");
    assert_true(alone > 0.1f);
    assert_true(drawn < 0.5f * alone);
    assert_true(far > 0.9f * alone);
}

// ---- templates of bodies

/// What a template of one body gives for it and for the next one, off what networks see, in percent of the longest side: the
/// means over all joints, and the worst.
static const struct {
    lmb_made_body_kind made;
    lmb_skeleton_kind kind;
    float own, own_worst, next, next_worst;
} KINDS[] = {{LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED, 2, 6, 6, 20},
             {LMB_MADE_BIRD, LMB_SKELETON_BIRD, 2, 6, 6, 20},
             {LMB_MADE_FISH, LMB_SKELETON_FISH, 2, 6, 6, 20},
             {LMB_MADE_SNAKE, LMB_SKELETON_SNAKE, 1, 2, 6, 20},
             {LMB_MADE_SPIDER, LMB_SKELETON_SPIDER, 2, 6, 6, 20},
             {LMB_MADE_BIPED, LMB_SKELETON_BIPED, 2, 6, 6, 20}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static lmb_made_body *make(lmb_made_body_kind kind, uint64_t seed)
{
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = seed, .triangle_count = 4000, .whole = true};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmb_result embed(const lmb_made_body *b, const lmb_embed_opts *opts, lmb_embedding *out,
                        lmb_error *error)
{
    const lmb_mesh *m = b->character->meshes[0];
    return lmb_embed(m->positions, m->vertex_count, m->indices, m->index_count / 3, opts, NULL, out,
                     error);
}

/// The template of a body as it is seen, written and read.
static lmb_body_template *template_of(const lmb_made_body *b, const lmb_embedding *seen)
{
    const lmb_mesh *m = b->character->meshes[0];
    lmb_body_template *first = NULL, *second = NULL;
    lmb_buffer text = {0}, same = {0};
    lmb_error error = {0};
    assert_int_equal(lmb_body_template_of_body(m->positions, m->vertex_count, m->indices,
                                               m->index_count / 3, seen, NULL, &first, NULL),
                     LMB_OK);
    assert_int_equal(lmb_body_template_write(first, NULL, &text, NULL), LMB_OK);
    if (lmb_body_template_read(text.data, text.size, NULL, &second, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    assert_int_equal(lmb_body_template_write(second, NULL, &same, NULL), LMB_OK);
    assert_int_equal(text.size, same.size);
    assert_memory_equal(text.data, same.data, text.size);
    lmb_buffer_free(&text);
    lmb_buffer_free(&same);
    lmb_body_template_destroy(first);
    return second;
}

/// Embeds by a template, and compares joints with those that are seen.
static void check_joints(const lmb_made_body *b, const lmb_embedding *seen,
                         const lmb_body_template *t, float most, float worst)
{
    lmb_embedding given;
    lmb_error error = {0};
    if (embed(b, &(lmb_embed_opts){.body_template = t}, &given, &error) != LMB_OK) {
        fail_msg("a %s: %s", lmb_skeleton_kind_name(seen->kind), error.found);
    }
    const lmb_mesh *m = b->character->meshes[0];
    const lmb_box box = lmb_box_of(m->positions, m->vertex_count);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    const float longest = fmaxf(size.x, fmaxf(size.y, size.z));
    float sum = 0, largest = 0;
    uint32_t common = 0;
    for (uint32_t j = 0; j < given.joint_count; ++j) {
        for (uint32_t k = 0; k < seen->joint_count; ++k) {
            if (strcmp(given.names[j], seen->names[k]) == 0) {
                const float off =
                    100 * lmb_vec3_distance(given.joints[j], seen->joints[k]) / longest;
                sum += off;
                largest = fmaxf(largest, off);
                ++common;
            }
        }
    }
    assert_int_equal(given.kind, seen->kind);
    assert_true(lmb_vec3_dot(given.forward, seen->forward) > 0.95f);
    assert_true(10 * common > 7 * seen->joint_count);
    if (sum > most * (float)common || largest > worst) {
        fail_msg("a %s: off by %.2f %%, at worst %.2f", lmb_skeleton_kind_name(seen->kind),
                 (double)(sum / (float)common), (double)largest);
    }
}

/// The next made body of a kind with as many joints: spiders have eight legs or six.
static lmb_made_body *make_like(lmb_made_body_kind kind, uint64_t seed, uint32_t joints,
                                lmb_embedding *seen)
{
    lmb_made_body *b = make(kind, ++seed);
    assert_int_equal(embed(b, NULL, seen, NULL), LMB_OK);
    while (seen->joint_count != joints) {
        lmb_made_body_destroy(b);
        b = make(kind, ++seed);
        assert_int_equal(embed(b, NULL, seen, NULL), LMB_OK);
    }
    return b;
}

static void a_template_of_a_body_reads_it_and_its_like(void **state)
{
    (void)state;
    enum { SEED = 100 };
    for (int k = 0; k < KIND_COUNT; ++k) {
        lmb_embedding seen, other;
        lmb_made_body *own = make(KINDS[k].made, SEED);
        assert_int_equal(embed(own, NULL, &seen, NULL), LMB_OK);
        lmb_made_body *next = make_like(KINDS[k].made, SEED, seen.joint_count, &other);
        assert_int_equal(seen.kind, KINDS[k].kind);
        assert_int_equal(other.kind, KINDS[k].kind);
        lmb_body_template *t = template_of(own, &seen);
        check_joints(own, &seen, t, KINDS[k].own, KINDS[k].own_worst);
        check_joints(next, &other, t, KINDS[k].next, KINDS[k].next_worst);
        lmb_body_template_destroy(t);
        lmb_made_body_destroy(own);
        lmb_made_body_destroy(next);
    }
}

static void another_kind_is_refused_and_named(void **state)
{
    (void)state;
    lmb_made_body *bodies[KIND_COUNT];
    lmb_embedding seen[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        bodies[k] = make(KINDS[k].made, 7);
        assert_int_equal(embed(bodies[k], NULL, &seen[k], NULL), LMB_OK);
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        const int other = (k + 1) % KIND_COUNT;
        lmb_body_template *t = template_of(bodies[k], &seen[k]);
        lmb_embedding e;
        lmb_error error = {0};
        assert_int_equal(embed(bodies[other], &(lmb_embed_opts){.body_template = t}, &e, &error),
                         LMB_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.found, lmb_skeleton_kind_name(KINDS[other].kind)));
        assert_non_null(strstr(error.expected, "template"));
        lmb_body_template_destroy(t);
    }
    for (int k = 0; k < KIND_COUNT; ++k) {
        lmb_made_body_destroy(bodies[k]);
    }
}

static void a_human_has_no_template_and_is_none(void **state)
{
    (void)state;
    lmb_made_body *b = make(LMB_MADE_HUMANOID, 7);
    const lmb_mesh *m = b->character->meshes[0];
    lmb_body_template *t = NULL;
    lmb_embedding e;
    lmb_error error = {0};
    assert_int_equal(embed(b, NULL, &e, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_of_body(m->positions, m->vertex_count, m->indices,
                                               m->index_count / 3, &e, NULL, &t, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_null(t);
    assert_non_null(strstr(error.found, "human"));
    t = read_text(SLUG);
    assert_int_equal(embed(b, &(lmb_embed_opts){.body_template = t}, &e, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "human"));
    lmb_body_template_destroy(t);
    lmb_made_body_destroy(b);
}

// ---- how much bodies differ

/// Whether spreads are those of a part of the bodies that they were fitted on, as far as so few tell.
static bool are_near(const differences *d, const float *spreads, int count)
{
    const float least = 0.65f, most = 1.5f;
    bool all = true;
    for (int f = 0; f < count; ++f) {
        const float here = spread_of(&d[f]);
        if (!(here > least * spreads[f] && here < most * spreads[f])) {
            print_error("feature %d: %.3f, here %.3f\n", f, (double)spreads[f], (double)here);
            all = false;
        }
    }
    return all;
}

/// A spread that is halved, or once and a half as large, is none of theirs.
static void standard_spreads_are_those_of_made_bodies(void **state)
{
    (void)state;
    enum { PAIRS = 4 };
    static spread_tallies tallies;
    const lmbi_template_standards *s = &lmbi_template_standard;
    for (int kind = 0; kind < SPREAD_KINDS; ++kind) {
        for (uint32_t p = 0; p < PAIRS; ++p) {
            lmb_body_template *a, *b;
            lmb_made_body *first = make_with_template(kind, SPREAD_FIRST_SEED + 2 * p, &a),
                          *second = make_with_template(kind, SPREAD_FIRST_SEED + 2 * p + 1, &b);
            if (a && b) {
                add_bodies(a, b, &tallies);
            }
            lmb_body_template_destroy(a);
            lmb_body_template_destroy(b);
            lmb_made_body_destroy(first);
            lmb_made_body_destroy(second);
        }
    }
    const bool tips = are_near(tallies.tip, s->tip, LMBI_TIP_FEATURES),
               pairs = are_near(tallies.pair, s->pair, LMBI_PAIR_FEATURES),
               body = are_near(tallies.body, s->body, LMBI_BODY_FEATURES);
    assert_true(tips && pairs && body);
}

// ---- faults

#define HEAD "limber-template 2\n"
#define CHAIN HEAD "chain legs pair\n"
#define JOINT CHAIN "joint body between center 1\n"

static const struct {
    const char *text, *expected, *found;
    unsigned line, column;
} FAULTS[] = {
    {"", "limber-template 2", "end", 1, 1},
    {"limber-template 1\n", "the version", "1", 1, 17},
    {HEAD, "a chain", "end", 2, 1},
    {HEAD "colour red\n", "name, kind", "colour", 2, 1},
    {HEAD "kind human\n", "quadruped", "human", 2, 6},
    {HEAD "name a/b\n", "a name", "a/b", 2, 6},
    {HEAD "chain wings double\n", "single or pair", "double", 2, 13},
    {HEAD "chain under pair\n", "no word of", "under", 2, 7},
    {CHAIN "chain legs pair\n", "no chain has", "legs", 3, 7},
    {CHAIN " height\n", "the mean", "end", 3, 8},
    {CHAIN " height 0.1 0\n", "the spread", "0", 3, 13},
    {CHAIN " height nan 1\n", "the mean", "nan", 3, 9},
    {CHAIN " length -1 1\n", "a ratio", "-1", 3, 9},
    {CHAIN " height 0.1 0.1 0.1\n", "the end of the line", "0.1", 3, 17},
    {CHAIN " weight 1 1\n", "a measurement of a chain", "weight", 3, 2},
    {HEAD "body\n height 1 1\n", "a measurement of the body", "height", 3, 2},
    {CHAIN, "a joint", "end", 3, 1},
    {CHAIN "joint body on legs at 0\n", "a first joint", "body", 3, 7},
    {CHAIN "joint body\n", "on and a chain", "end", 3, 11},
    {CHAIN "joint body on fore\n", "a chain that was given", "fore", 3, 15},
    {CHAIN "joint body on legs\n", "at, and a fraction", "end", 3, 19},
    {CHAIN "joint body between knees 1\n", "center or a chain", "knees", 3, 20},
    {CHAIN "joint body between center\n", "a weight", "end", 3, 26},
    {JOINT "joint Foot on legs at 0\n", "under", "end", 4, 24},
    {JOINT "joint Foot on legs at 0 under hips\n", "a joint above", "hips", 4, 31},
    {JOINT "joint body between center 1 under body\n", "that no joint has", "body", 4, 7},
    {JOINT "joint F on legs at 0 under body\njoint leftF between center 1 under body\n",
     "that no joint has", "leftF", 5, 7},
    {JOINT "joint F on legs at 0 under body\njoint a between center 1 under F\n", "a joint above",
     "F", 5, 32},
    {JOINT "joint F on legs at 1.5 under body\n", "a fraction", "1.5", 4, 20},
    {JOINT "joint F on legs at 0.5 bend 0 under body\n", "the spread", "0", 4, 29},
    {JOINT "joint F on legs at 0.5 opens\n", "aside, pair", "opens", 4, 24},
    {JOINT "joint F on legs at 0.5 aside 1 2\n", "three numbers", "end", 4, 33},
    {JOINT "chain fore pair\n", "chains come before", "chain", 4, 1},
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

/// Numbers at the ends of their ranges stay in them.
static void what_is_written_can_be_read(void **state)
{
    (void)state;
    lmb_body_template *t = read_text(
        HEAD "chain legs pair\n length 1000 0.001\n radius 0 1000\nchain head single front\n"
             "joint body between center 0.001 head 1000 aside 100 -100 0\n"
             "joint Leg on legs at 1 bend 0.001 under body sure 0\n");
    lmb_body_template *second = NULL;
    lmb_buffer text = {0};
    assert_int_equal(lmb_body_template_write(t, NULL, &text, NULL), LMB_OK);
    assert_int_equal(lmb_body_template_read(text.data, text.size, NULL, &second, NULL), LMB_OK);
    assert_int_equal(second->joint_count, 2);
    assert_true(second->chains[1].end == 1 && second->joints[1].paired);
    lmb_buffer_free(&text);
    lmb_body_template_destroy(t);
    lmb_body_template_destroy(second);
}

static void too_many_joints_are_refused(void **state)
{
    (void)state;
    char text[8192] = JOINT;
    size_t size = strlen(text);
    for (int k = 1; k < LMBI_TEMPLATE_JOINTS + 1; ++k) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "joint b%d between center 1 under body\n", k);
    }
    lmb_body_template *t = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_body_template_read(text, size, NULL, &t, &error), LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "128 joints"));
}

static void memory_may_run_out(void **state)
{
    (void)state;
    lmb_made_body *b = make(LMB_MADE_FISH, 7);
    const lmb_mesh *m = b->character->meshes[0];
    lmb_embedding seen;
    lmb_result result = LMB_ERROR_MEMORY;
    assert_int_equal(embed(b, NULL, &seen, NULL), LMB_OK);
    for (int allowed = 0; result != LMB_OK; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_body_template *t = NULL, *made = NULL;
        lmb_buffer text = {0};
        result = lmb_body_template_read(SLUG, strlen(SLUG), &alloc, &t, NULL);
        if (result == LMB_OK) {
            result = lmb_body_template_of_body(m->positions, m->vertex_count, m->indices,
                                               m->index_count / 3, &seen, &alloc, &made, NULL);
        }
        if (result == LMB_OK) {
            result = lmb_body_template_write(made, &alloc, &text, NULL);
        }
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        lmb_buffer_free(&text);
        lmb_body_template_destroy(t);
        lmb_body_template_destroy(made);
        assert_int_equal(memory.held, 0);
        assert_true(allowed < 500);
    }
    lmb_made_body_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_no_built_in_kind_has_its_joints),
        cmocka_unit_test(a_mark_draws_a_joint),
        cmocka_unit_test(a_template_of_a_body_reads_it_and_its_like),
        cmocka_unit_test(another_kind_is_refused_and_named),
        cmocka_unit_test(a_human_has_no_template_and_is_none),
        cmocka_unit_test(standard_spreads_are_those_of_made_bodies),
        cmocka_unit_test(faults_are_told_with_their_place),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(too_many_joints_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
