// Strokes as text paint what the same calls of the painter paint, and errors point into the text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

enum { A, B, C, COLUMNS = 21, ROWS = 21 };

/// A square sheet of two metres, every row (0.6, 0.3, 0.1).
static lmb_character *make_sheet(void)
{
    static const sheet_joint joints[] = {
        {"root", {0, 0, 0}}, {"upper arm.l", {0.5f, 0, 0}}, {"upper arm.r", {-0.5f, 0, 0}}};
    sheet *s = sheet_begin(COLUMNS, ROWS, joints, 3);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->positions[v] =
            lmb_vec3_make((float)(v % COLUMNS) * 0.1f - 1, (float)(v / COLUMNS) * 0.1f - 1, 0);
        s->weights[v][A] = 0.6f;
        s->weights[v][B] = 0.3f;
        s->weights[v][C] = 0.1f;
    }
    return sheet_character(s, NULL);
}

static lmb_result paint(lmb_character **c, const char *text, lmb_paint_report *report,
                        lmb_error *error)
{
    return lmb_weights_paint(c, text, strlen(text), NULL, report, error);
}

static void assert_same_weights(const lmb_character *a, const lmb_character *b)
{
    const lmb_mesh *x = a->meshes[0], *y = b->meshes[0];
    assert_int_equal(x->vertex_count, y->vertex_count);
    assert_memory_equal(x->influences.first, y->influences.first,
                        (x->vertex_count + 1) * sizeof *x->influences.first);
    assert_memory_equal(x->influences.items, y->influences.items,
                        x->influences.first[x->vertex_count] * sizeof *x->influences.items);
}

static void dab(lmb_painter *p, lmb_brush brush, float x, float y)
{
    brush.at = lmb_vec3_make(x, y, 0);
    assert_int_equal(lmb_painter_dab(p, &brush, NULL), LMB_OK);
}

/// The strokes of text_paints_as_calls_do; how many vertices they changed.
static uint32_t paint_by_calls(lmb_character **c)
{
    const lmb_painter_opts opts = {.influences = 3, .normal = {1, 0, 0}};
    lmb_painter *p = NULL;
    assert_int_equal(lmb_painter_create(*c, &opts, NULL, &p, NULL), LMB_OK);
    lmb_brush brush = {.op = LMB_BRUSH_REPLACE,
                       .joint = B,
                       .radius = 0.35f,
                       .value = 0.9f,
                       .falloff = LMB_FALLOFF_LINEAR,
                       .both_sides = true};
    dab(p, brush, 0.5f, 0.25f);
    brush.strength = 0.5f;
    dab(p, brush, 0.6f, 0.25f);
    uint32_t changed = lmb_painter_end_stroke(p);
    lmb_painter_lock(p, A, true);
    brush.op = LMB_BRUSH_GRADIENT;
    brush.both_sides = false;
    brush.straight = true;
    brush.strength = 0.75f;
    brush.to = lmb_vec3_make(0.5f, 1, 0);
    brush.to_value = 0.125f;
    dab(p, brush, -0.5f, -0.5f);
    changed += lmb_painter_end_stroke(p);
    lmb_painter_lock(p, A, false);
    brush.op = LMB_BRUSH_SMOOTH;
    dab(p, brush, 0, 0);
    changed += lmb_painter_end_stroke(p);
    assert_int_equal(lmb_painter_store(p, c, NULL), LMB_OK);
    lmb_painter_destroy(p);
    return changed;
}

static void text_paints_as_calls_do(void **state)
{
    (void)state;
    static const char text[] = "limber-strokes 1\n"
                               "# the left arm\n"
                               "influences 3\n"
                               "joint upper arm.l\n"
                               "brush replace\n"
                               "radius 0.35\n"
                               "value 0.9\n"
                               "falloff linear\n"
                               "both-sides yes\n"
                               "stroke\n"
                               "  at 0.5 0.25 0\n"
                               "  at 0.6 0.25 0 0.5\n"
                               "stroke\n"
                               "lock root\n"
                               "brush gradient\n"
                               "both-sides no\n"
                               "straight yes\n"
                               "strength 0.75\n"
                               "to 0.5 1 0 0.125\n"
                               "at -0.5 -0.5 0\r\n"
                               "unlock 0\n"
                               "brush smooth\n"
                               "at 0 0 0\n";
    lmb_character *c = make_sheet(), *want = make_sheet();
    lmb_paint_report report;
    assert_int_equal(paint(&c, text, &report, NULL), LMB_OK);

    const uint32_t changed = paint_by_calls(&want);
    assert_same_weights(c, want);
    assert_int_equal(report.stroke_count, 3);
    assert_int_equal(report.dab_count, 4);
    assert_int_equal(report.changed_count, changed);
    assert_true(changed > 20);
    lmb_character_destroy(c);
    lmb_character_destroy(want);
}

static void errors_point_into_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
        uint32_t line, column;
    } bad[] = {
        {"", "limber-strokes 1", 1, 1},
        {"limber-strokes 2\n", "limber-strokes 1", 1, 1},
        {"limber-strokes 1\n", "a point to paint at", 2, 1},
        {"limber-strokes 1\nstroke\n\n", "a point to paint at", 4, 1},
        {"limber-strokes 1\n dab 0 0 0\n", "at, stroke", 2, 2},
        {"limber-strokes 1\njoint nobody here\n", "a joint", 2, 7},
        {"limber-strokes 1\njoint head\n", "a joint", 2, 7},
        {"limber-strokes 1\njoint 4\n", "a joint", 2, 7},
        {"limber-strokes 1\njoint 40000000000\n", "a joint", 2, 7},
        {"limber-strokes 1\nradius 0\n", "a radius", 2, 8},
        {"limber-strokes 1\nradius nan\n", "a radius", 2, 8},
        {"limber-strokes 1\nstrength 1.5\n", "a strength", 2, 10},
        {"limber-strokes 1\nbrush spray\n", "add, replace", 2, 7},
        {"limber-strokes 1\nfalloff none\n", "smooth, linear", 2, 9},
        {"limber-strokes 1\nboth-sides 1\n", "yes or no", 2, 12},
        {"limber-strokes 1\nvalue 1 2\n", "the end of the line", 2, 9},
        {"limber-strokes 1\nplane 0 0 0 1\n", "a normal", 2, 7},
        {"limber-strokes 1\ninfluences 17\n", "1 to 16", 2, 12},
        {"limber-strokes 1\nradius 1\nat 0 0 0\n", "a line with the joint", 3, 4},
        {"limber-strokes 1\njoint root\nat 0 0 0\n", "a line with the radius", 3, 4},
        {"limber-strokes 1\njoint root\nradius 1\nat 0 0\n", "three coordinates", 4, 7},
        {"limber-strokes 1\njoint root\nradius 1\nat 0 0 0\nplane 1 0 0 0\n", "a normal", 5, 7},
        {"limber-strokes 1\njoint root\nradius 1\nat 0 0 0\ninfluences 4\n", "1 to 16", 5, 12},
    };
    lmb_character *c = make_sheet(), *before = make_sheet();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        lmb_error error = {0};
        assert_int_equal(paint(&c, bad[k].text, NULL, &error), LMB_ERROR_MALFORMED);
        if (error.line != bad[k].line || error.column != bad[k].column ||
            strncmp(error.expected, bad[k].expected, strlen(bad[k].expected)) != 0) {
            fail_msg("text %zu: %u:%u: expected %s", k, error.line, error.column, error.expected);
        }
    }
    assert_same_weights(c, before);
    lmb_character_destroy(c);
    lmb_character_destroy(before);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    static const char text[] = "limber-strokes 1\njoint root\nradius 0.2\nat 0 0 0\n";
    lmb_character *before = make_sheet();
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_character *c = make_sheet();
        f.result = lmb_weights_paint(&c, text, sizeof text - 1, &f.alloc, NULL, NULL);
        if (f.result != LMB_OK) {
            assert_same_weights(c, before);
        }
        lmb_character_destroy(c);
    }
    lmb_character_destroy(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_paints_as_calls_do),
        cmocka_unit_test(errors_point_into_the_text),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
