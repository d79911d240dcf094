#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

enum { A, B, C, COLUMNS = 21, ROWS = 21 };

static const sheet_joint joints[] = {
    {"root", {0, 0, 0}}, {"arm.l", {0.5f, 0, 0}}, {"arm.r", {-0.5f, 0, 0}}};

/// A square sheet of two metres in x and y, every row (0.6, 0.3, 0.1); with `fold` its right half
/// stands a little behind the left one, as the two sides of a hand.
static lmb_character *make_sheet(bool fold)
{
    sheet *s = sheet_begin(COLUMNS, ROWS, joints, 3);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const float x = (float)(v % COLUMNS) * 0.1f - 1, y = (float)(v / COLUMNS) * 0.1f - 1;
        s->positions[v] = fold && x > 0 ? lmb_vec3_make(-x, y, -0.1f) : lmb_vec3_make(x, y, 0);
        s->weights[v][A] = 0.6f;
        s->weights[v][B] = 0.3f;
        s->weights[v][C] = 0.1f;
    }
    return sheet_character(s, NULL);
}

static lmb_painter *make_painter(const lmb_character *c)
{
    const lmb_painter_opts opts = {.normal = {1, 0, 0}};
    lmb_painter *p = NULL;
    assert_int_equal(lmb_painter_create(c, &opts, NULL, &p, NULL), LMB_OK);
    return p;
}

static uint32_t vertex_at(const lmb_painter *p, float x, float y, float z)
{
    const lmb_surface *s = lmb_painter_surface(p);
    uint32_t best = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const lmb_vec3 at = {x, y, z};
        best = lmb_vec3_distance(s->positions[v], at) < lmb_vec3_distance(s->positions[best], at)
                   ? v
                   : best;
    }
    return best;
}

static float weight(const lmb_painter *p, uint32_t v, uint32_t joint)
{
    const lmb_influence *row;
    const uint32_t count = lmb_painter_row(p, v, &row);
    for (uint32_t k = 0; k < count; ++k) {
        if (row[k].joint == joint) {
            return row[k].weight;
        }
    }
    return 0;
}

static void assert_weights(const lmb_painter *p, uint32_t v, float a, float b, float c)
{
    assert_true(fabsf(weight(p, v, A) - a) < 1e-6f);
    assert_true(fabsf(weight(p, v, B) - b) < 1e-6f);
    assert_true(fabsf(weight(p, v, C) - c) < 1e-6f);
}

/// The row (A .6, B .3, C .1), C locked: A to 0.8 leaves B 0.1; A to 1 leaves B nothing.
static void locked_joints_keep_their_weight(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    lmb_painter *p = make_painter(c);
    const uint32_t v = vertex_at(p, 0, 0, 0);
    lmb_brush brush = {.op = LMB_BRUSH_REPLACE,
                       .joint = A,
                       .radius = 0.05f,
                       .value = 0.8f,
                       .falloff = LMB_FALLOFF_CONSTANT};
    lmb_painter_lock(p, C, true);
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_weights(p, v, 0.8f, 0.1f, 0.1f);
    brush.value = 1;
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_weights(p, v, 0.9f, 0, 0.1f);
    brush.value = 0.5f; // nobody is left but A itself, which is the root
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_weights(p, v, 0.9f, 0, 0.1f);
    brush.joint = C; // locked
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_weights(p, v, 0.9f, 0, 0.1f);
    brush.joint = B; // and what B loses its parent A takes
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_weights(p, v, 0.4f, 0.5f, 0.1f);
    assert_int_equal(lmb_painter_end_stroke(p), 1);
    assert_true(lmb_painter_undo(p));
    assert_weights(p, v, 0.6f, 0.3f, 0.1f);
    assert_true(lmb_painter_redo(p) && !lmb_painter_redo(p));
    assert_weights(p, v, 0.4f, 0.5f, 0.1f);
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void operations_do_what_they_say(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    lmb_painter *p = make_painter(c);
    const uint32_t v = vertex_at(p, 0, 0, 0), beside = vertex_at(p, 0.1f, 0, 0);
    lmb_brush brush = {.op = LMB_BRUSH_ADD, .joint = B, .radius = 0.4f, .value = 0.2f};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(fabsf(weight(p, v, B) - 0.5f) < 1e-6f);
    const float t = 0.25f, falloff = 1 - t * t * (3 - 2 * t); // one edge of 0.1 away
    assert_true(fabsf(weight(p, beside, B) - (0.3f + 0.2f * falloff)) < 1e-5f);
    assert_true(lmb_painter_undo(p));
    brush.op = LMB_BRUSH_SCALE;
    brush.strength = 0.5f;
    brush.value = 0;
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(fabsf(weight(p, v, B) - 0.15f) < 1e-6f);
    assert_true(fabsf(weight(p, v, A) / weight(p, v, C) - 6) < 1e-4f);
    (void)lmb_painter_end_stroke(p);
    brush = (lmb_brush){.op = LMB_BRUSH_SMOOTH, .radius = 0.05f, .falloff = LMB_FALLOFF_CONSTANT};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(weight(p, v, B) > 0.155f && weight(p, v, B) < 0.25f);
    assert_true(lmb_painter_undo(p) && lmb_painter_undo(p) && !lmb_painter_undo(p));
    brush = (lmb_brush){.op = LMB_BRUSH_GRADIENT,
                        .joint = C,
                        .at = {-0.5f, 0, 0},
                        .radius = 9,
                        .to = {0.5f, 0, 0},
                        .to_value = 1,
                        .falloff = LMB_FALLOFF_CONSTANT};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(fabsf(weight(p, v, C) - 0.5f) < 1e-5f);
    assert_true(fabsf(weight(p, vertex_at(p, 0.3f, 0.7f, 0), C) - 0.8f) < 1e-5f);
    assert_true(weight(p, vertex_at(p, 0.9f, 0, 0), C) > 0.9999f);
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void a_brush_keeps_to_its_side_of_a_fold(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(true);
    lmb_painter *p = make_painter(c);
    const uint32_t front = vertex_at(p, -0.9f, 0, 0), back = vertex_at(p, -0.9f, 0, -0.1f);
    for (int straight = 0; straight < 2; ++straight) {
        const lmb_brush brush = {.op = LMB_BRUSH_REPLACE,
                                 .joint = B,
                                 .at = {-0.9f, 0, 0.01f},
                                 .radius = 0.3f,
                                 .value = 1,
                                 .straight = straight,
                                 .falloff = LMB_FALLOFF_CONSTANT};
        assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
        assert_true(weight(p, front, B) > 0.9999f);
        assert_weights(p, back, 0.6f, 0.3f, 0.1f);
        assert_true(lmb_painter_undo(p));
    }
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void both_sides_get_their_own_joint(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    lmb_painter *p = make_painter(c);
    const uint32_t left = vertex_at(p, 0.6f, 0, 0), right = vertex_at(p, -0.6f, 0, 0);
    lmb_brush brush = {.op = LMB_BRUSH_REPLACE,
                       .joint = B,
                       .at = {0.6f, 0, 0},
                       .radius = 0.3f,
                       .value = 0.7f,
                       .both_sides = true};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(fabsf(weight(p, left, B) - 0.7f) < 1e-6f);
    assert_true(fabsf(weight(p, right, C) - 0.7f) < 1e-6f);
    assert_true(lmb_painter_undo(p));
    assert_weights(p, right, 0.6f, 0.3f, 0.1f);
    brush.both_sides = false;
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    brush = (lmb_brush){.op = LMB_BRUSH_MIRROR,
                        .at = {-0.6f, 0, 0},
                        .radius = 0.3f,
                        .falloff = LMB_FALLOFF_CONSTANT};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_true(fabsf(weight(p, right, C) - 0.7f) < 1e-6f);
    assert_true(fabsf(weight(p, right, B) - weight(p, left, C)) < 1e-6f);
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void copy_rows(const lmb_painter *p, lmb_influence *out)
{
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        const lmb_influence *row;
        const uint32_t count = lmb_painter_row(p, v, &row);
        memset(out + 16 * (size_t)v, 0, 16 * sizeof *out);
        memcpy(out + 16 * (size_t)v, row, count * sizeof *row);
    }
}

/// Ten thousand strokes of all kinds: rows sum to 1, locked joints keep theirs, and all of it can
/// be taken back to the byte.
static void random_strokes_keep_the_sums(void **state)
{
    (void)state;
    static lmb_influence before[16 * COLUMNS * ROWS], after[16 * COLUMNS * ROWS];
    lmb_character *c = make_sheet(false);
    lmb_painter *p = make_painter(c);
    lmb_random r = lmb_random_seed(5);
    copy_rows(p, before);
    uint32_t strokes = 0;
    for (int k = 0; k < 10000; ++k) {
        const lmb_brush brush = {
            .op = (lmb_brush_op)(lmb_random_u32(&r) % 6),
            .joint = lmb_random_u32(&r) % 3,
            .at = {2 * lmb_random_unit(&r) - 1, 2 * lmb_random_unit(&r) - 1, 0},
            .to = {2 * lmb_random_unit(&r) - 1, 2 * lmb_random_unit(&r) - 1, 0},
            .radius = 0.05f + 0.4f * lmb_random_unit(&r),
            .strength = lmb_random_unit(&r),
            .value = 3 * lmb_random_unit(&r) - 1,
            .to_value = lmb_random_unit(&r),
            .falloff = (lmb_brush_falloff)(lmb_random_u32(&r) % 4),
            .straight = lmb_random_u32(&r) & 1,
            .both_sides = (lmb_random_u32(&r) & 3) == 0};
        lmb_painter_lock(p, C, (k / 100) & 1);
        assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
        if (lmb_random_u32(&r) % 3 == 0) {
            (void)lmb_painter_end_stroke(p);
            ++strokes;
        }
    }
    (void)lmb_painter_end_stroke(p);
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        const float sum = weight(p, v, A) + weight(p, v, B) + weight(p, v, C);
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
    assert_true(strokes > 3000);
    while (lmb_painter_undo(p)) {
    }
    copy_rows(p, after);
    assert_memory_equal(before, after, sizeof before);
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void the_character_gets_the_rows(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    lmb_painter *p = make_painter(c);
    const lmb_brush brush = {.op = LMB_BRUSH_REPLACE, .joint = B, .radius = 0.25f, .value = 0.9f};
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
    assert_int_equal(lmb_painter_store(p, &c, NULL), LMB_OK);
    const uint32_t middle = (ROWS / 2) * COLUMNS + COLUMNS / 2;
    assert_true(fabsf(row_weight(c, middle, B) - 0.9f) < 1e-6f);
    assert_true(fabsf(row_weight(c, 0, B) - 0.3f) < 1e-6f);
    for (uint32_t v = 0; v < COLUMNS * ROWS; ++v) {
        assert_true(row_sum(c, v) == 1);
    }
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void bad_brushes_are_refused(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    lmb_painter *p = NULL;
    assert_int_equal(lmb_painter_create(c, NULL, NULL, &p, NULL), LMB_OK);
    const lmb_brush bad[] = {{.joint = 99, .radius = 1},
                             {.radius = 0},
                             {.radius = 1, .strength = 2},
                             {.radius = 1, .strength = -1},
                             {.radius = 1, .value = NAN},
                             {.radius = 1, .at = {INFINITY, 0, 0}},
                             {.op = LMB_BRUSH_GRADIENT, .radius = 1, .at = {0, 1e20f, 0}},
                             {.op = LMB_BRUSH_MIRROR, .radius = 1},
                             {.radius = 1, .both_sides = true}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(lmb_painter_dab(p, &bad[k], NULL), LMB_ERROR_INVALID);
    }
    assert_false(lmb_painter_undo(p));
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    lmb_character *c = make_sheet(false);
    const lmb_painter_opts opts = {.normal = {1, 0, 0}};
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_painter *p = NULL;
        f.result = lmb_painter_create(c, &opts, &f.alloc, &p, NULL);
        const lmb_brush brush = {.radius = 0.5f, .value = 0.3f, .joint = B};
        if (f.result == LMB_OK) {
            f.result = lmb_painter_dab(p, &brush, NULL);
            lmb_painter_destroy(p);
        }
    }
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locked_joints_keep_their_weight),
        cmocka_unit_test(operations_do_what_they_say),
        cmocka_unit_test(a_brush_keeps_to_its_side_of_a_fold),
        cmocka_unit_test(both_sides_get_their_own_joint),
        cmocka_unit_test(random_strokes_keep_the_sums),
        cmocka_unit_test(the_character_gets_the_rows),
        cmocka_unit_test(bad_brushes_are_refused),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
