// Fewer and smoother weights, against what can be worked out by hand.
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
    {"root", {0, 0, 0}}, {"left", {-1, 0, 0}}, {"right", {1, 0, 0}}};
enum { JOINTS = 3, COLUMNS = 41, ROWS = 5 };

/// Squares of side 1, flat.
static void lay(sheet *s)
{
    memset(s, 0, sizeof *s);
    s->joint_count = JOINTS;
    s->joints = joints;
    s->vertex_count = COLUMNS * ROWS;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->positions[v] = (lmb_vec3){(float)(v % COLUMNS), (float)(v / COLUMNS), 0};
    }
    sheet_triangles(s, COLUMNS, ROWS);
}

static lmb_character *make(float (*weights)[JOINTS], const lmb_allocator *alloc)
{
    static sheet s;
    lay(&s);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        memcpy(s.weights[v], weights[v], JOINTS * sizeof(float));
    }
    return sheet_character(&s, alloc);
}

static void fill(float (*weights)[JOINTS], float root, float left, float right)
{
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        weights[v][0] = root;
        weights[v][1] = left;
        weights[v][2] = right;
    }
}

static void assert_row(const lmb_character *c, uint32_t v, float root, float left, float right)
{
    assert_true(fabsf(row_weight(c, v, 0) - root) < 1e-5f);
    assert_true(fabsf(row_weight(c, v, 1) - left) < 1e-5f);
    assert_true(fabsf(row_weight(c, v, 2) - right) < 1e-5f);
    assert_true(row_sum(c, v) == 1);
}

static void a_fraction_of_the_largest_is_the_least(void **state)
{
    (void)state;
    static float weights[COLUMNS * ROWS][JOINTS];
    fill(weights, 0.5f, 0.3f, 0.2f);
    lmb_character *c = make(weights, NULL);
    const lmb_weights_edit edit = {.op = LMB_WEIGHTS_PRUNE, .fraction = 0.5f};
    assert_int_equal(lmb_weights_apply(&c, &edit, NULL, NULL, NULL), LMB_OK);
    assert_row(c, 7, 0.625f, 0.375f, 0);
    const lmb_weights_edit wrong = {.op = LMB_WEIGHTS_PRUNE, .fraction = 1};
    assert_int_equal(lmb_weights_apply(&c, &wrong, NULL, NULL, NULL), LMB_ERROR_INVALID);
    lmb_character_destroy(c);
}

/// Left and right are two steps apart, over the root. Where the root's skin lies between theirs a
/// little of the one on the other is a leak; where they meet it is a seam.
static void far_joints_go_unless_their_skins_meet(void **state)
{
    (void)state;
    for (int meet = 0; meet < 2; ++meet) {
        static float weights[COLUMNS * ROWS][JOINTS];
        for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
            const uint32_t column = v % COLUMNS;
            const int strongest = column < 15 ? 1 : column < 25 && !meet ? 0 : 2;
            for (int j = 0; j < JOINTS; ++j) {
                weights[v][j] = j == strongest ? 0.6f : 0.2f;
            }
        }
        lmb_character *c = make(weights, NULL);
        const lmb_weights_edit edit = {.op = LMB_WEIGHTS_PRUNE, .hops = 1};
        assert_int_equal(lmb_weights_apply(&c, &edit, NULL, NULL, NULL), LMB_OK);
        if (meet) {
            assert_row(c, 3, 0.2f, 0.6f, 0.2f);
        } else {
            assert_row(c, 3, 0.25f, 0.75f, 0);
            assert_row(c, 20, 0.6f, 0.2f, 0.2f);
            assert_row(c, 38, 0.25f, 0, 0.75f);
        }
        lmb_character_destroy(c);
    }
}

/// In the pose only the right joint moves, by 1: left goes, though it is the heavier one, and what
/// the vertex then is off by is 0.2 / 0.7 - 0.2.
static void poses_tell_what_is_needed(void **state)
{
    (void)state;
    static float weights[COLUMNS * ROWS][JOINTS];
    fill(weights, 0.5f, 0.3f, 0.2f);
    lmb_character *c = make(weights, NULL);
    lmb_mat4 poses[2 * (JOINTS + 1)];
    for (int k = 0; k < 2; ++k) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = c->skeleton, .model_from_joint = poses + (size_t)k * (JOINTS + 1)});
    }
    poses[JOINTS + 1 + 2].m[13] += 1;
    lmb_weights_change change;
    const lmb_weights_edit edit = {
        .op = LMB_WEIGHTS_LIMIT, .influences = 2, .poses = poses, .pose_count = 2};
    assert_int_equal(lmb_weights_apply(&c, &edit, NULL, &change, NULL), LMB_OK);
    assert_row(c, 11, 0.5f / 0.7f, 0, 0.2f / 0.7f);
    assert_true(fabsf(change.moved_max - 0.0857143f) < 1e-5f);
    assert_true(fabsf(change.moved_mean - change.moved_max) < 1e-5f);
    assert_int_equal(change.most_after, 2);
    lmb_character_destroy(c);
}

/// A step from left to right, spread by 4 at once: on squares (1 + 4) 4 w - 4 (2 w + w- + w+) = 4 w0
/// falls by ((6 - sqrt(20)) / 4 = 0.381966 a column, and is symmetric about the step.
static void spreading_at_once_has_the_closed_form(void **state)
{
    (void)state;
    static float weights[COLUMNS * ROWS][JOINTS];
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        weights[v][v % COLUMNS < 20 ? 1 : 2] = 1;
    }
    lmb_character *c = make(weights, NULL);
    const lmb_weights_edit edit = {
        .op = LMB_WEIGHTS_SMOOTH, .spread = 4, .rounds = 1, .influences = 16};
    assert_int_equal(lmb_weights_apply(&c, &edit, NULL, NULL, NULL), LMB_OK);
    for (uint32_t row = 0; row < ROWS; ++row) {
        const uint32_t at = row * COLUMNS;
        for (uint32_t column = 20; column < 26; ++column) {
            const float here = row_weight(c, at + column, 1);
            assert_true(fabsf(row_weight(c, at + column + 1, 1) / here - 0.381966f) < 1e-4f);
            assert_true(fabsf(row_weight(c, at + 39 - column, 2) - here) < 1e-3f);
        }
        assert_true(row_sum(c, at + 22) == 1);
    }
    lmb_character_destroy(c);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    static float weights[COLUMNS * ROWS][JOINTS];
    fill(weights, 0.5f, 0.3f, 0.2f);
    lmb_mat4 pose[JOINTS + 1];
    for (int j = 0; j <= JOINTS; ++j) {
        pose[j] = lmb_mat4_identity();
    }
    const lmb_weights_edit edits[] = {
        {.op = LMB_WEIGHTS_PRUNE, .hops = 1},
        {.op = LMB_WEIGHTS_LIMIT, .influences = 2, .poses = pose, .pose_count = 1},
        {.op = LMB_WEIGHTS_SMOOTH, .spread = 2, .rounds = 1}};
    for (size_t e = 0; e < sizeof edits / sizeof edits[0]; ++e) {
        for (failing_run f = {0}; failing_next(&f);) {
            f.state.calls_left = 1000;
            lmb_character *c = make(weights, &f.alloc), *before = c;
            f.state.calls_left = f.calls;
            f.result = lmb_weights_apply(&c, &edits[e], &f.alloc, NULL, NULL);
            assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && c == before));
            lmb_character_destroy(c);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fraction_of_the_largest_is_the_least),
        cmocka_unit_test(far_joints_go_unless_their_skins_meet),
        cmocka_unit_test(poses_tell_what_is_needed),
        cmocka_unit_test(spreading_at_once_has_the_closed_form),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
