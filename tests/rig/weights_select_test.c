// Which vertices an edit of weights is for, and the weight that assign gives a joint.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

enum { VERTICES = 8, ROOT = 0, NEAR = 1, FAR = 2, JOINTS = 3 };

static const float painted[VERTICES][JOINTS] = {
    {1, 0, 0}, {0.5f, 0.5f, 0},      {0, 1, 0},       {0.25f, 0.75f, 0},
    {0, 0, 1}, {0.25f, 0.25f, 0.5f}, {0, 0.5f, 0.5f}, {0, 0, 1}};

/// Two squares, vertices 0 to 3 at x from 0 to 1 and 4 to 7 at x from 3 to 4.
static lmb_character *make_squares(const lmb_allocator *alloc)
{
    static const sheet_joint joints[] = {{"root", {0}}, {"near", {1, 0, 0}}, {"far", {3, 0, 0}}};
    static const uint32_t square[6] = {0, 1, 2, 1, 3, 2};
    static sheet s;
    memset(&s, 0, sizeof s);
    s.vertex_count = VERTICES;
    s.joint_count = JOINTS;
    s.joints = joints;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        s.positions[v] = lmb_vec3_make((float)(v % 2 + 3 * (v / 4)), (float)(v / 2 % 2), 0);
        memcpy(s.weights[v], painted[v], sizeof painted[v]);
    }
    for (uint32_t k = 0; k < 12; ++k) {
        s.indices[s.index_count++] = square[k % 6] + 4 * (k / 6);
    }
    return sheet_character(&s, alloc);
}

/// Bit v of the result: the row of vertex v has changed.
static unsigned changed_by(const lmb_weights_selection *where)
{
    lmb_character *c = make_squares(NULL);
    const lmb_weights_edit edit = {
        .op = LMB_WEIGHTS_ASSIGN, .where = *where, .joint = ROOT, .value = 0.125f};
    lmb_weights_change change = {0};
    assert_int_equal(lmb_weights_apply(&c, &edit, NULL, &change, NULL), LMB_OK);
    unsigned changed = 0, count = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        bool same = true;
        for (uint32_t j = 0; j < JOINTS; ++j) {
            const float now = row_weight(c, v, j);
            same = same && memcmp(&now, &painted[v][j], sizeof now) == 0;
        }
        changed |= same ? 0 : 1u << v;
        count += same ? 0 : 1;
    }
    // Vertex 0 follows the root alone, which has no one to give to.
    assert_int_equal(change.changed_count, count);
    assert_int_equal(change.vertex_count, VERTICES);
    lmb_character_destroy(c);
    return changed;
}

static void an_edit_is_for_what_is_selected(void **state)
{
    (void)state;
    static const uint32_t far[] = {FAR}, both[] = {NEAR, FAR}, second[] = {1}, only[] = {0};
    const lmb_box low = {{-1, -1, -1}, {5, 0.5f, 1}}, edge = {{1, 0, 0}, {3, 1, 0}};
    assert_int_equal(changed_by(&(lmb_weights_selection){0}), 0xfe);
    assert_int_equal(changed_by(&(lmb_weights_selection){.joints = far, .joint_count = 1}), 0xf0);
    assert_int_equal(
        changed_by(&(lmb_weights_selection){.joints = far, .joint_count = 1, .above = 0.5f}), 0x90);
    assert_int_equal(
        changed_by(&(lmb_weights_selection){.joints = both, .joint_count = 2, .above = 0.4f}),
        0xfe);
    assert_int_equal(changed_by(&(lmb_weights_selection){.pieces = second, .piece_count = 1}),
                     0xf0);
    assert_int_equal(changed_by(&(lmb_weights_selection){.instances = only, .instance_count = 1}),
                     0xfe);
    assert_int_equal(changed_by(&(lmb_weights_selection){.box = &low}), 0x32);
    assert_int_equal(changed_by(&(lmb_weights_selection){.box = &edge}), 0x5a);
    assert_int_equal(changed_by(&(lmb_weights_selection){.center = {4, 0, 0}, .radius = 1}), 0xb0);
    // All that is given has to hold.
    assert_int_equal(changed_by(&(lmb_weights_selection){
                         .box = &low, .joints = far, .joint_count = 1, .above = 0.5f}),
                     0x10);
}

static void expect_row(const lmb_character *c, uint32_t vertex, const float row[JOINTS])
{
    for (uint32_t j = 0; j < JOINTS; ++j) {
        assert_true(fabsf(row_weight(c, vertex, j) - row[j]) < 1e-6f);
    }
}

static lmb_character *apply(const lmb_weights_edit *edit)
{
    lmb_character *c = make_squares(NULL);
    assert_int_equal(lmb_weights_apply(&c, edit, NULL, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_true(row_sum(c, v) == 1);
    }
    return c;
}

static lmb_character *assign(uint32_t joint, lmb_weights_assign how, float value,
                             uint32_t influences)
{
    return apply(&(lmb_weights_edit){.op = LMB_WEIGHTS_ASSIGN,
                                     .joint = joint,
                                     .assign = how,
                                     .value = value,
                                     .influences = influences});
}

/// Vertex 5 follows the joints by a quarter, a quarter and a half; vertex 4 the far one alone.
static void a_joint_gets_its_weight_and_the_others_share_the_rest(void **state)
{
    (void)state;
    static const struct {
        lmb_weights_assign how;
        float value;
        float shared[JOINTS], alone[JOINTS];
    } rows[] = {
        {LMB_ASSIGN_SET, 0.25f, {0.375f, 0.375f, 0.25f}, {0.75f, 0, 0.25f}},
        {LMB_ASSIGN_SET, 0, {0.5f, 0.5f, 0}, {1, 0, 0}},
        {LMB_ASSIGN_SET, 7, {0, 0, 1}, {0, 0, 1}},
        {LMB_ASSIGN_ADD, 0.25f, {0.125f, 0.125f, 0.75f}, {0, 0, 1}},
        {LMB_ASSIGN_ADD, -0.25f, {0.375f, 0.375f, 0.25f}, {0.25f, 0, 0.75f}},
        {LMB_ASSIGN_SCALE, 0.5f, {0.375f, 0.375f, 0.25f}, {0.5f, 0, 0.5f}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        lmb_character *c = assign(FAR, rows[k].how, rows[k].value, 0);
        expect_row(c, 5, rows[k].shared);
        expect_row(c, 4, rows[k].alone); // the root is the parent of all
        lmb_character_destroy(c);
    }
    lmb_character *c = assign(ROOT, LMB_ASSIGN_SET, 0.25f, 0);
    expect_row(c, 0, (const float[JOINTS]){1, 0, 0}); // no other joint, and no ancestor
    lmb_character_destroy(c);
}

static void long_rows_lose_their_smallest_weights(void **state)
{
    (void)state;
    lmb_character *c = assign(ROOT, LMB_ASSIGN_SET, 0.1f, 2);
    expect_row(c, 5, (const float[JOINTS]){0.1f, 0, 0.9f});
    lmb_character_destroy(c);
    c = assign(ROOT, LMB_ASSIGN_SET, 0.75f, 1);
    expect_row(c, 5, (const float[JOINTS]){1, 0, 0});
    lmb_character_destroy(c);
}

static lmb_character *move(uint32_t from, uint32_t to, float value, uint32_t influences)
{
    return apply(&(lmb_weights_edit){.op = LMB_WEIGHTS_MOVE,
                                     .from = from,
                                     .joint = to,
                                     .value = value,
                                     .influences = influences});
}

static void a_joint_gets_what_another_one_gives(void **state)
{
    (void)state;
    lmb_character *c = move(FAR, ROOT, 1, 0);
    expect_row(c, 4, (const float[JOINTS]){1, 0, 0});
    expect_row(c, 5, (const float[JOINTS]){0.75f, 0.25f, 0});
    expect_row(c, 6, (const float[JOINTS]){0.5f, 0.5f, 0});
    for (uint32_t v = 0; v < 4; ++v) { // nothing to give
        expect_row(c, v, painted[v]);
    }
    lmb_character_destroy(c);
    c = move(NEAR, FAR, 0.5f, 0);
    expect_row(c, 2, (const float[JOINTS]){0, 0.5f, 0.5f});
    expect_row(c, 5, (const float[JOINTS]){0.25f, 0.125f, 0.625f});
    lmb_character_destroy(c);
    c = move(FAR, ROOT, 0.5f, 2); // 0.5, 0.25 and 0.25, of which two stay
    assert_true(row_weight(c, 5, ROOT) > 0.6f && row_weight(c, 5, ROOT) < 0.7f);
    lmb_character_destroy(c);
}

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    static const uint32_t nine[] = {9};
    const lmb_weights_edit wrong[] = {
        {.where = {.joints = nine, .joint_count = 1}},
        {.where = {.pieces = nine, .piece_count = 1}},
        {.where = {.instances = nine, .instance_count = 1}},
        {.where = {.above = 1}},
        {.where = {.above = -0.1f}},
        {.where = {.center = {9, 9, 9}, .radius = 1}},
        {.op = LMB_WEIGHTS_ASSIGN, .joint = 9},
        {.op = LMB_WEIGHTS_ASSIGN, .joint = JOINTS, .value = 1}, // the node, which no skin has
        {.op = LMB_WEIGHTS_ASSIGN, .value = INFINITY},
        {.op = LMB_WEIGHTS_MOVE, .joint = 9, .value = 1},
        {.op = LMB_WEIGHTS_MOVE, .from = 9, .value = 1},
        {.op = LMB_WEIGHTS_MOVE, .from = NEAR, .joint = NEAR, .value = 1},
        {.op = LMB_WEIGHTS_MOVE, .from = NEAR, .joint = FAR, .value = 1.5f},
        {.op = LMB_WEIGHTS_MOVE, .from = NEAR, .joint = JOINTS, .value = 1},
    };
    lmb_character *c = make_squares(NULL), *before = c;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        assert_int_equal(lmb_weights_apply(&c, &wrong[k], NULL, NULL, NULL), LMB_ERROR_INVALID);
        assert_ptr_equal(c, before);
    }
    lmb_character_destroy(c);
}

static void every_operation_keeps_to_the_selection(void **state)
{
    (void)state;
    static const uint32_t second[] = {1};
    for (int op = LMB_WEIGHTS_PRUNE; op <= LMB_WEIGHTS_MOVE; ++op) {
        lmb_character *c = make_squares(NULL);
        const lmb_weights_edit edit = {.op = (lmb_weights_op)op,
                                       .where = {.pieces = second, .piece_count = 1},
                                       .least = 0.3f,
                                       .influences = 1,
                                       .from = FAR,
                                       .joint = NEAR,
                                       .value = 0.75f};
        assert_int_equal(lmb_weights_apply(&c, &edit, NULL, NULL, NULL), LMB_OK);
        for (uint32_t v = 0; v < 4; ++v) {
            expect_row(c, v, painted[v]);
        }
        assert_true(fabsf(row_weight(c, 5, FAR) - painted[5][FAR]) > 0.1f);
        lmb_character_destroy(c);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const uint32_t one[] = {1};
    for (failing_run f = {.least = 4}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *c = make_squares(&f.alloc), *before = c;
        f.state.calls_left = f.calls;
        f.result = lmb_weights_apply(
            &c,
            &(lmb_weights_edit){
                .op = LMB_WEIGHTS_ASSIGN,
                .where = {.joints = one, .joint_count = 1, .pieces = one, .piece_count = 1},
                .joint = NEAR,
                .value = 1},
            &f.alloc, NULL, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && c == before));
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_is_for_what_is_selected),
        cmocka_unit_test(a_joint_gets_its_weight_and_the_others_share_the_rest),
        cmocka_unit_test(a_joint_gets_what_another_one_gives),
        cmocka_unit_test(long_rows_lose_their_smallest_weights),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(every_operation_keeps_to_the_selection),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
