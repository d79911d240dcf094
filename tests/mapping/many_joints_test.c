// Skeletons of a hundred thousand joints: siblings, chains and names are found in time that grows
// with their number, and twins are those that a search of all would find.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/limber.h"
#include "mapping/twins.h"

enum { MANY = 100000, NAME_SIZE = 16, FAMILY = 60, ROUNDS = 400 };

// ------------------------------------------------------------------------------------------- twins

/// Two families under a pair, of children on a coarse lattice: many are as near as others.
typedef struct cousins {
    lmb_skeleton skeleton;
    lmbi_skeleton_shape shape;
    int32_t parents[2 * FAMILY + 3];
    lmbi_shape_joint joints[2 * FAMILY + 3];
    uint32_t named[2 * FAMILY + 3];
    bool gone[2 * FAMILY + 3];
} cousins;

static float lattice(lmb_random *random)
{
    return 0.1f * (float)(int)lmb_random_range(random, -5, 6);
}

static void draw(cousins *c, lmb_random *random)
{
    const uint32_t count = 3 + (uint32_t)lmb_random_range(random, 0, 2 * FAMILY);
    memset(c, 0, sizeof *c);
    c->skeleton = (lmb_skeleton){.joint_count = count, .parents = c->parents};
    for (uint32_t j = 0; j < count; ++j) {
        c->parents[j] = j < 3 ? (int32_t)(j > 0) - 1 : 1 + (lmb_random_unit(random) < 0.5f);
        c->joints[j].middle = lmb_vec3_make(lattice(random), lattice(random), lattice(random));
        c->joints[j].below = (float)(int)lmb_random_range(random, 0, 5);
        c->joints[j].twin = lmb_random_unit(random) < 0.9f ? (int32_t)j : LMB_NONE;
        c->named[j] = lmb_random_unit(random) < 0.9f ? j : 0;
    }
    for (uint32_t j = count; j-- > 1;) {
        c->joints[j].sibling = c->joints[c->parents[j]].child;
        c->joints[c->parents[j]].child = j;
    }
    c->shape = (lmbi_skeleton_shape){
        .skeleton = &c->skeleton,
        .count = count,
        .joints = c->joints,
        .aside = lmb_random_unit(random) < 0.5f ? lmb_vec3_make(1, 0, 0) : lmb_vec3_make(0, 0, 1),
        .plane = 0.5f * lattice(random),
        .extent = 2.0f};
}

/// Every child is looked at: siblings within 0.15 of the extent and off the plane by 0.02, cousins
/// within 0.2, lengths alike to 0.6.
static int32_t search_all(const cousins *c, uint32_t j, uint32_t parent, bool siblings)
{
    const lmbi_skeleton_shape *s = &c->shape;
    const float side = lmbi_off_plane(s, c->joints[j].middle);
    const lmb_vec3 image = lmb_vec3_mad(c->joints[j].middle, s->aside, -2.0f * side);
    float nearest = (siblings ? 0.15f : 0.2f) * s->extent;
    int32_t best = LMB_NONE;
    for (uint32_t k = c->joints[parent].child; k != 0; k = c->joints[k].sibling) {
        const float d = lmb_vec3_distance(image, c->joints[k].middle), x = c->joints[j].below,
                    y = c->joints[k].below;
        const bool across =
            fabsf(side) > 0.02f * s->extent && side * lmbi_off_plane(s, c->joints[k].middle) < 0.0f;
        if (!c->gone[k] && c->joints[k].twin >= 0 && c->named[k] == k && d < nearest &&
            (!siblings || across) && fminf(x, y) >= 0.6f * fmaxf(x, y)) {
            nearest = d;
            best = (int32_t)k;
        }
    }
    return best;
}

static void twins_are_those_of_a_search_of_all(void **state)
{
    (void)state;
    static cousins c;
    lmb_random random = lmb_random_seed(5);
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        lmbi_arena arena;
        lmbi_twins twins;
        draw(&c, &random);
        lmbi_arena_init(&arena, NULL);
        assert_true(lmbi_twins_make(&c.shape, &arena, &twins));
        lmbi_twins_reset(&twins, c.named);
        for (uint32_t j = 3; j < c.shape.count; ++j) {
            const bool siblings = lmb_random_unit(&random) < 0.5f;
            const uint32_t own = (uint32_t)c.parents[j], parent = siblings ? own : 3 - own;
            lmbi_twins_remove(&twins, j);
            c.gone[j] = true;
            const int32_t twin = lmbi_twins_nearest(&twins, j, parent, siblings);
            assert_int_equal(twin, search_all(&c, j, parent, siblings));
            if (twin >= 0) {
                lmbi_twins_remove(&twins, (uint32_t)twin);
                c.gone[twin] = true;
                ++found;
            }
        }
        lmbi_arena_free(&arena);
    }
    assert_in_range(found, 2000, ROUNDS * FAMILY);
}

// ----------------------------------------------------------------------------------- many siblings

static char text[MANY][NAME_SIZE];

static lmb_skeleton *blank(uint32_t count)
{
    lmb_skeleton *s = calloc(1, sizeof *s);
    s->joint_count = count;
    s->parents = calloc(count, sizeof *s->parents);
    s->rest = calloc(count, sizeof *s->rest);
    s->names = calloc(count, sizeof *s->names);
    for (uint32_t j = 0; j < count; ++j) {
        s->parents[j] = (int32_t)j - 1;
        s->rest[j] = lmb_transform_identity();
        s->names[j] = text[j];
        snprintf(text[j], NAME_SIZE, "bone%u", (unsigned)j);
    }
    return s;
}

static void blank_free(lmb_skeleton *s)
{
    free(s->names);
    free(s->rest);
    free(s->parents);
    free(s);
}

/// Where the children of one joint are: all in one place off the middle, in two heaps of unlike
/// bones that mirror each other, or anywhere.
typedef enum layout { HEAP, UNLIKE, ANYWHERE, LAYOUTS } layout;

static lmb_vec3 position(layout kind, uint32_t j, lmb_random *random)
{
    if (kind == HEAP) {
        return lmb_vec3_make(0.3f, 1, 0);
    }
    if (kind == UNLIKE) {
        return lmb_vec3_make(j % 2 == 0 ? 0.3f : -0.3f, 1, 0);
    }
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, 0, 2);
    return lmb_vec3_make(x, y, lmb_random_range(random, -1, 1));
}

static void siblings_without_number_are_paired(void **state)
{
    (void)state;
    lmb_skeleton *s = blank(MANY);
    lmb_vec3 *tips = calloc(MANY, sizeof *tips);
    s->tips = tips;
    for (int kind = 0; kind < LAYOUTS; ++kind) {
        lmb_random random = lmb_random_seed(3);
        lmb_chain_map map;
        for (uint32_t j = 3; j < MANY; ++j) {
            s->parents[j] = 2;
            s->rest[j].translation = position((layout)kind, j, &random);
            tips[j].y = kind == UNLIKE && j % 2 == 0 ? 0.1f : 0.5f;
        }
        const lmb_result result = lmb_chain_map_find(s, NULL, &map, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_UNSUPPORTED);
    }
    free(tips);
    blank_free(s);
}

// -------------------------------------------------------------------------------------------- names

static void pairs_are_found_by_name_among_many(void **state)
{
    (void)state;
    lmb_skeleton *s = blank(MANY);
    uint32_t *pairs = calloc(MANY, sizeof *pairs);
    for (uint32_t j = 0; j < MANY; ++j) { // the right ones in the opposite order
        const uint32_t half = MANY / 2, number = j < half ? j : MANY - 1 - j;
        snprintf(text[j], NAME_SIZE, "%s%u", j < half ? "left" : "right", (unsigned)number);
    }
    lmb_mirror_pairs(s, pairs);
    for (uint32_t j = 0; j < MANY; ++j) {
        assert_int_equal(pairs[j], MANY - 1 - j);
    }
    free(pairs);
    blank_free(s);
}

static void a_long_chain_is_carried_over(void **state)
{
    (void)state;
    lmb_skeleton *s = blank(MANY);
    lmb_transform *poses = calloc(2 * (size_t)MANY, sizeof *poses);
    lmb_clip *clip = NULL, *out = NULL;
    lmb_retarget_report report;
    for (uint32_t j = 0; j < MANY; ++j) {
        s->rest[j].translation.y = 1e-4f;
        poses[j] = poses[MANY + j] = s->rest[j];
    }
    poses[MANY].translation.x = 0.5f;
    assert_int_equal(lmb_clip_from_poses(s, poses, 2, 10, "slide", NULL, &clip, NULL), LMB_OK);
    lmb_character character = {.skeleton = s, .clip_count = 1, .clips = &clip};
    const lmb_retarget_opts opts = {.method = LMB_RETARGET_CHAINS, .no_lock_feet = true};
    lmb_error error = {0};
    if (lmb_retarget(&character, &character, 0, &opts, NULL, &out, &report, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_true(report.by_chains);
    lmb_clip_destroy(out);
    lmb_clip_destroy(clip);
    free(poses);
    blank_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_are_those_of_a_search_of_all),
        cmocka_unit_test(siblings_without_number_are_paired),
        cmocka_unit_test(pairs_are_found_by_name_among_many),
        cmocka_unit_test(a_long_chain_is_carried_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
