// Loops of edges around a made cylinder, of quads cut one way, the other way, and both by turns.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

enum { AROUND = 12, RINGS = 9, VERTICES = AROUND * RINGS, ARM = 1, LEFT = 2, RIGHT = 3 };

/// Rings one over the other, 0.2 m apart, open at both ends: vertex ring * AROUND + k. `cut` 0 and 1 are the ways of a
/// diagonal, 2 is both by turns.
static lmb_character *cylinder(int cut, const lmb_allocator *alloc)
{
    static const sheet_joint joints[] = {{"root", {0, 0, 0}},
                                         {"arm", {0, 1, 0}},
                                         {"leftHand", {0.3f, 1, 0}},
                                         {"rightHand", {-0.3f, 1, 0}}};
    sheet *s = sheet_begin(AROUND, RINGS, joints, 4);
    s->index_count = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const float angle = 2 * LMB_PI * (float)(v % AROUND) / AROUND;
        s->positions[v] =
            (lmb_vec3){0.3f * cosf(angle), 0.2f * (float)(v / AROUND), 0.3f * sinf(angle)};
        s->weights[v][0] = 0.75f;
        s->weights[v][ARM] = 0.25f;
    }
    for (uint32_t q = 0; q < AROUND * (RINGS - 1); ++q) {
        const uint32_t r = q / AROUND, k = q % AROUND, next = (k + 1) % AROUND;
        const uint32_t a = r * AROUND + k, b = r * AROUND + next, c = a + AROUND, d = b + AROUND;
        const uint32_t ways[2][6] = {{a, c, b, b, c, d}, {a, c, d, a, d, b}};
        memcpy(s->indices + s->index_count, ways[cut == 2 ? (r + k) % 2 : (uint32_t)cut],
               sizeof ways[0]);
        s->index_count += 6;
    }
    return sheet_character(s, alloc);
}

/// Painted with a line each of these; where the arm has the weight that is filled in, else what it had.
static void assert_filled(int cut, const char *lines, bool (*holds)(uint32_t ring, uint32_t k))
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "limber-strokes 1\njoint arm\nbrush replace\nvalue 1\n%s\nfill\n", lines);
    lmb_character *c = cylinder(cut, NULL);
    assert_int_equal(lmb_weights_paint(&c, text, strlen(text), NULL, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const float wanted = holds(v / AROUND, v % AROUND) ? 1 : 0.25f;
        if (fabsf(row_weight(c, v, ARM) - wanted) > 1e-6f) {
            fail_msg("cut %d, %s: vertex %u of ring %u has %g, expected %g", cut, lines, v % AROUND,
                     v / AROUND, (double)row_weight(c, v, ARM), (double)wanted);
        }
    }
    lmb_character_destroy(c);
}

static bool fourth_ring(uint32_t ring, uint32_t k)
{
    (void)k;
    return ring == 4;
}

static bool three_rings(uint32_t ring, uint32_t k)
{
    (void)k;
    return ring >= 3 && ring <= 5;
}

static bool first_ring(uint32_t ring, uint32_t k)
{
    (void)k;
    return ring == 0;
}

static bool first_column(uint32_t ring, uint32_t k)
{
    (void)ring;
    return k == 0;
}

static bool a_cross(uint32_t ring, uint32_t k)
{
    return ring == 4 || k == 0;
}

static bool none(uint32_t ring, uint32_t k)
{
    (void)ring;
    (void)k;
    return false;
}

static void loops_are_rings_and_columns(void **state)
{
    (void)state;
    for (int cut = 0; cut < 3; ++cut) {
        // between the first two vertices of ring 4
        const char *ring = "loop 0.28 0.81 0.08";
        assert_filled(cut, ring, fourth_ring);
        assert_filled(cut, "loop 0.28 0.79 0.08", fourth_ring);
        assert_filled(cut, "loop 0.3 0.9 0.001", first_column);
        assert_filled(cut, "loop 0.28 0.01 0.08", first_ring);
        assert_filled(cut, "loop 0.28 0.81 0.08\nloop 0.3 0.9 0.001", a_cross);
        assert_filled(cut, "loop 0.28 0.81 0.08\ngrow 1", three_rings);
        assert_filled(cut, "loop 0.28 0.81 0.08\ngrow 2\ngrow -1", three_rings);
        assert_filled(cut, "loop 0.28 0.81 0.08\ngrow -1", none);
        assert_filled(cut, "loop 0.28 0.01 0.08\nnone\nloop 0.28 0.81 0.08", fourth_ring);
    }
}

/// The other side is filled for the partner of the joint; so is the middle where it was chosen.
static void both_sides_are_filled(void **state)
{
    (void)state;
    // the column at +X, then the one at +Z, in the middle
    static const char text[] =
        "limber-strokes 1\njoint leftHand\nbrush replace\nvalue 1\nboth-sides yes\n"
        "loop 0.3 0.9 0.001\nfill\nnone\nloop 0.001 0.9 0.3\nvalue 0.5\nfill\n";
    lmb_character *c = cylinder(0, NULL);
    assert_int_equal(lmb_weights_paint(&c, text, strlen(text), NULL, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const uint32_t k = v % AROUND;
        const float left = k == 0 ? 1 : k == 3 ? 0.25f : 0, right = k == 6 ? 1 : k == 3 ? 0.5f : 0;
        assert_float_equal(row_weight(c, v, LEFT), left, 1e-6f);
        assert_float_equal(row_weight(c, v, RIGHT), right, 1e-6f);
    }
    lmb_character_destroy(c);
}

/// A fill is a stroke, and its smoothing reaches beyond what is chosen for what it takes.
static void fills_are_undone_and_smooth(void **state)
{
    (void)state;
    lmb_character *c = cylinder(0, NULL);
    lmb_painter *p = NULL;
    const lmb_influence *row = NULL;
    lmb_brush brush = {.op = LMB_BRUSH_REPLACE, .joint = ARM, .value = 1};
    assert_int_equal(lmb_painter_create(c, NULL, NULL, &p, NULL), LMB_OK);
    assert_null(lmb_painter_chosen(p));
    assert_int_equal(lmb_painter_choose_loop(p, (lmb_vec3){0.28f, 0.81f, 0.08f}, NULL), LMB_OK);
    assert_int_equal(lmb_painter_fill(p, &brush, NULL), LMB_OK);
    assert_int_equal(lmb_painter_end_stroke(p), AROUND);
    brush.op = LMB_BRUSH_SMOOTH;
    assert_int_equal(lmb_painter_fill(p, &brush, NULL), LMB_OK);
    assert_int_equal(lmb_painter_end_stroke(p), AROUND);
    (void)lmb_painter_row(p, lmb_painter_surface(p)->vertex_of[4 * AROUND], &row);
    assert_true(row[0].weight < 0.9f);
    assert_true(lmb_painter_undo(p) && lmb_painter_undo(p));
    (void)lmb_painter_row(p, lmb_painter_surface(p)->vertex_of[4 * AROUND], &row);
    assert_true(row[0].joint == 0 && row[0].weight == 0.75f);
    lmb_painter_destroy(p);
    lmb_character_destroy(c);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "limber-strokes 1\njoint arm\nfill\n", "limber-strokes 1\nloop 0 1 0\nfill\n",
        "limber-strokes 1\njoint arm\nloop 0 1\nfill\n",
        "limber-strokes 1\njoint arm\nloop 0 1 0\ngrow\nfill\n", "limber-strokes 1\nloop 0 1 0\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        lmb_character *c = cylinder(0, NULL);
        lmb_error error = {0};
        assert_int_equal(lmb_weights_paint(&c, texts[k], strlen(texts[k]), NULL, NULL, &error),
                         LMB_ERROR_MALFORMED);
        lmb_character_destroy(c);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (failing_run f = {0}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *c = cylinder(2, &f.alloc);
        lmb_painter *p = NULL;
        assert_int_equal(lmb_painter_create(c, NULL, &f.alloc, &p, NULL), LMB_OK);
        f.state.calls_left = f.calls;
        const lmb_brush brush = {.joint = ARM, .value = 1};
        f.result = lmb_painter_choose_loop(p, (lmb_vec3){0.28f, 0.81f, 0.08f}, NULL);
        f.result = f.result == LMB_OK ? lmb_painter_fill(p, &brush, NULL) : f.result;
        lmb_painter_destroy(p);
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_rings_and_columns), cmocka_unit_test(both_sides_are_filled),
        cmocka_unit_test(fills_are_undone_and_smooth), cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
