// Joints that are edited and weights that stay, against what can be worked out by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

static const sheet_joint joints[] = {
    {"root", {0, 0, 0}}, {"left", {-4, 0, 0}}, {"right", {4, 0, 0}}};
enum { JOINTS = 3, COLUMNS = 17, ROWS = 5, VERTICES = COLUMNS * ROWS };

/// A sheet from x = -8 to 8 that was painted: no solver gives these.
static lmb_character *painted(const lmb_allocator *alloc)
{
    sheet *s = sheet_begin(COLUMNS, ROWS, joints, JOINTS);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const float x = (float)(v % COLUMNS) - 8, y = (float)(v / COLUMNS) - 2;
        s->positions[v] = (lmb_vec3){x, y, 0};
        s->weights[v][0] = 0.5f;
        s->weights[v][x < 0 ? 1 : 2] = 0.3f;
        s->weights[v][x < 0 ? 2 : 1] = 0.2f;
    }
    return sheet_character(s, alloc);
}

typedef struct joint {
    const char *name;
    int32_t parent;
    lmb_vec3 at; ///< from the parent
} joint;

static lmb_result bind_to(lmb_character **c, const joint *to, uint32_t count, uint32_t influences,
                          lmb_weights_report *report, const lmb_allocator *alloc)
{
    int32_t parents[SHEET_JOINTS];
    lmb_transform rest[SHEET_JOINTS];
    const char *names[SHEET_JOINTS];
    for (uint32_t j = 0; j < count; ++j) {
        parents[j] = to[j].parent;
        names[j] = to[j].name;
        rest[j] = lmb_transform_identity();
        rest[j].translation = to[j].at;
    }
    const lmb_skeleton skeleton = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    const lmb_bind_opts opts = {
        .skeleton = &skeleton,
        .keep_weights = true,
        .weights = {.method = LMB_WEIGHTS_NEAREST, .influences = influences}};
    return lmb_bind(c, &opts, report, alloc, NULL);
}

static void assert_own(const lmb_character *c, uint32_t v, uint32_t root, uint32_t left,
                       uint32_t right)
{
    const bool west = v % COLUMNS < 8;
    assert_true(row_weight(c, v, root) == 0.5f);
    assert_true(row_weight(c, v, left) == (west ? 0.3f : 0.2f));
    assert_true(row_weight(c, v, right) == (west ? 0.2f : 0.3f));
}

static void another_place_parent_and_order_keep_all(void **state)
{
    (void)state;
    const joint to[] = {
        {"root", LMB_NONE, {0, 1, 0}}, {"right", 0, {3, 0, 0}}, {"left", 1, {-7, 0, 0}}};
    lmb_character *c = painted(NULL);
    lmb_weights_report report;
    assert_int_equal(bind_to(&c, to, 3, 0, &report, NULL), LMB_OK);
    assert_int_equal(report.kept_joint_count, 3);
    assert_int_equal(report.new_joint_count + report.gone_joint_count, 0);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_own(c, v, 0, 2, 1);
        assert_true(lmb_vec3_distance(
                        c->meshes[0]->positions[v],
                        (lmb_vec3){(float)(v % COLUMNS) - 8, (float)(v / COLUMNS) - 2, 0}) == 0);
    }
    lmb_character_destroy(c);
}

static void what_goes_leaves_all_to_the_joint_above(void **state)
{
    (void)state;
    const joint to[] = {{"root", LMB_NONE, {0, 0, 0}}, {"right", 0, {4, 0, 0}}};
    lmb_character *c = painted(NULL);
    lmb_weights_report report;
    assert_int_equal(bind_to(&c, to, 2, 0, &report, NULL), LMB_OK);
    assert_int_equal(report.gone_joint_count, 1);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const bool west = v % COLUMNS < 8;
        assert_true(row_weight(c, v, 0) == 0.5f + (west ? 0.3f : 0.2f));
        assert_true(row_weight(c, v, 1) == (west ? 0.2f : 0.3f));
    }
    lmb_character_destroy(c);
}

/// The first joint's weight goes to the first one that is left.
static void a_root_that_goes_has_an_heir(void **state)
{
    (void)state;
    const joint to[] = {{"left", LMB_NONE, {-4, 0, 0}}, {"right", LMB_NONE, {4, 0, 0}}};
    lmb_character *c = painted(NULL);
    assert_int_equal(bind_to(&c, to, 2, 0, NULL, NULL), LMB_OK);
    assert_true(row_weight(c, 0, 0) == 0.5f + 0.3f);
    assert_true(row_weight(c, 0, 1) == 0.2f);
    lmb_character_destroy(c);
}

/// A joint at the end of `right`, at x = 7: what lies there goes with it, as far as it went with `right`; by the fourth
/// power of the distances to the bones, x from 4 to 7 and the point 7.
static void a_new_joint_takes_from_the_one_above_alone(void **state)
{
    (void)state;
    const joint to[] = {{"root", LMB_NONE, {0, 0, 0}},
                        {"left", 0, {-4, 0, 0}},
                        {"right", 0, {4, 0, 0}},
                        {"tip", 2, {3, 0, 0}}};
    lmb_character *c = painted(NULL);
    lmb_weights_report report;
    assert_int_equal(bind_to(&c, to, 4, 0, &report, NULL), LMB_OK);
    assert_int_equal(report.kept_joint_count, 3);
    assert_int_equal(report.new_joint_count, 1);
    float near = 0, far = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const bool west = v % COLUMNS < 8;
        const float x = (float)(v % COLUMNS) - 8, tip = row_weight(c, v, 3);
        assert_true(row_weight(c, v, 0) == 0.5f);
        assert_true(row_weight(c, v, 1) == (west ? 0.3f : 0.2f));
        assert_true(fabsf(row_weight(c, v, 2) + tip - (west ? 0.2f : 0.3f)) < 1e-7f);
        near += x >= 7 ? tip : 0;
        far += x <= 3 ? tip : 0;
    }
    assert_true(near > 0.3f * 10 * 0.45f);
    assert_true(far < 0.05f * near);
    lmb_character_destroy(c);
}

/// With room for three joints a row the new one is there in place of `right`, not in place of another.
static void rows_do_not_grow_beyond_the_limit(void **state)
{
    (void)state;
    const joint to[] = {{"root", LMB_NONE, {0, 0, 0}},
                        {"left", 0, {-4, 0, 0}},
                        {"right", 0, {4, 0, 0}},
                        {"tip", 2, {3, 0, 0}}};
    lmb_character *c = painted(NULL);
    assert_int_equal(bind_to(&c, to, 4, 3, NULL, NULL), LMB_OK);
    uint32_t taken = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const float whole = v % COLUMNS < 8 ? 0.2f : 0.3f;
        const lmb_influences *rows = &c->meshes[0]->influences;
        assert_int_equal(rows->first[v + 1] - rows->first[v], 3);
        assert_true(row_weight(c, v, 0) == 0.5f);
        assert_true(row_weight(c, v, 2) == whole || row_weight(c, v, 3) == whole);
        taken += row_weight(c, v, 3) == whole;
    }
    assert_true(taken >= ROWS && taken < VERTICES / 2);
    lmb_character_destroy(c);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    const joint to[] = {
        {"root", LMB_NONE, {0, 0, 0}}, {"right", 0, {4, 0, 0}}, {"tip", 1, {3, 0, 0}}};
    for (failing_run f = {.least = 10}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *c = painted(&f.alloc);
        const lmb_character *before = c;
        f.state.calls_left = f.calls;
        f.result = bind_to(&c, to, 3, 0, NULL, &f.alloc);
        assert_true(f.result == LMB_OK || c == before);
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_place_parent_and_order_keep_all),
        cmocka_unit_test(what_goes_leaves_all_to_the_joint_above),
        cmocka_unit_test(a_root_that_goes_has_an_heir),
        cmocka_unit_test(a_new_joint_takes_from_the_one_above_alone),
        cmocka_unit_test(rows_do_not_grow_beyond_the_limit),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
