#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rows.h"

enum { COLUMNS = 9, ROWS = 7, SHEET = COLUMNS * ROWS };

/// A wavy sheet across x = shift, symmetric; `rough` moves the vertices of the right side along it,
/// off their mirror images.
static void lay_sheet(sheet *s, float shift, float rough)
{
    lmb_random random = lmb_random_seed(5);
    for (uint32_t r = 0; r < ROWS; ++r) {
        for (uint32_t c = 0; c < COLUMNS; ++c) {
            float x = ((float)c - 4) * 0.25f, y = (float)r * 0.25f;
            if (c < 4 && c > 0 && r > 0 && r < ROWS - 1) {
                x += rough * (lmb_random_unit(&random) - 0.5f);
                y += rough * (lmb_random_unit(&random) - 0.5f);
            }
            s->positions[r * COLUMNS + c] = (lmb_vec3){x + shift, y, 0.3f * x * x + 0.1f * y};
        }
    }
    s->vertex_count = SHEET;
    sheet_triangles(s, COLUMNS, ROWS);
}

static const sheet_joint joints[] = {{"spine", {0, 0, 0}},        {"arm.L", {0.6f, 0.5f, 0}},
                                     {"arm.R", {-0.6f, 0.5f, 0}}, {"finger.L", {1, 0.5f, 0}},
                                     {"finger.R", {-1, 0.5f, 0}}, {"head", {0, 1.5f, 0}}};
enum { SPINE, ARM_L, ARM_R, FINGER_L, FINGER_R, HEAD, JOINTS };

/// Different fields left and right.
static void paint(sheet *s, float shift)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        float *w = s->weights[v], x = s->positions[v].x - shift, y = s->positions[v].y;
        float a = fminf(1, fabsf(x));
        w[x > 0 ? ARM_L : ARM_R] = x > 0 ? a * 0.7f : a;
        w[x > 0 ? FINGER_L : FINGER_R] = x > 0 ? a * 0.3f : 0;
        w[x > 0 ? HEAD : SPINE] = (1 - a) * y / 1.5f;
        w[SPINE] += (1 - a) * (1 - y / 1.5f);
    }
}

static lmb_character *make(float shift, float rough, const lmb_allocator *alloc)
{
    sheet s = {.joint_count = JOINTS, .joints = joints, .shift = shift};
    lay_sheet(&s, shift, rough);
    paint(&s, shift);
    return sheet_character(&s, alloc);
}

static uint32_t swapped(uint32_t joint)
{
    static const uint32_t other[JOINTS] = {SPINE, ARM_R, ARM_L, FINGER_R, FINGER_L, HEAD};
    return other[joint];
}

static void one_side_becomes_the_other(void **state)
{
    (void)state;
    for (int side = LMB_MIRROR_FROM_LEFT; side <= LMB_MIRROR_FROM_RIGHT; ++side) {
        for (int shifted = 0; shifted < 2; ++shifted) {
            lmb_character *c = make(shifted ? 2.5f : 0, 0, NULL),
                          *before = make(shifted ? 2.5f : 0, 0, NULL);
            lmb_mirror_report r;
            lmb_mirror_opts opts = {.side = (lmb_mirror_side)side};
            assert_int_equal(lmb_weights_mirror(&c, &opts, NULL, &r, NULL), LMB_OK);
            assert_true(fabsf(r.normal.x - 1) < 1e-5f &&
                        fabsf(r.offset - (shifted ? 2.5f : 0)) < 1e-4f);
            assert_int_equal(r.copied_count, 4 * ROWS);
            assert_int_equal(r.seam_count, ROWS);
            assert_int_equal(r.alone_count, 0);
            assert_int_equal(r.pair_count, 2);
            assert_int_equal(r.lone_joint_count, 0);
            for (uint32_t v = 0; v < SHEET; ++v) {
                uint32_t column = v % COLUMNS, image = v - column + COLUMNS - 1 - column;
                bool kept = side == LMB_MIRROR_FROM_LEFT ? column > 4 : column < 4;
                for (uint32_t j = 0; j < JOINTS; ++j) {
                    float now = row_weight(c, v, j);
                    assert_true(fabsf(now - row_weight(c, image, swapped(j))) < 1e-5f);
                    assert_true(!kept || fabsf(now - row_weight(before, v, j)) < 1e-6f);
                }
                assert_true(row_sum(c, v) == 1);
            }
            lmb_character_destroy(c);
            lmb_character_destroy(before);
        }
    }
}

static void a_second_time_changes_nothing(void **state)
{
    (void)state;
    lmb_character *c = make(0, 0.1f, NULL), *once;
    assert_int_equal(lmb_weights_mirror(&c, NULL, NULL, NULL, NULL), LMB_OK);
    once = make(0, 0.1f, NULL);
    assert_int_equal(lmb_weights_mirror(&once, NULL, NULL, NULL, NULL), LMB_OK);
    assert_int_equal(lmb_weights_mirror(&once, NULL, NULL, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < SHEET; ++v) {
        for (uint32_t j = 0; j < JOINTS; ++j) {
            assert_true(fabsf(row_weight(c, v, j) - row_weight(once, v, j)) < 3e-7f);
        }
    }
    lmb_character_destroy(c);
    lmb_character_destroy(once);
}

/// On a mesh that is not symmetric, rows are what brute force in double finds at the nearest point
/// of the other side.
static void rough_meshes_take_the_nearest_point(void **state)
{
    (void)state;
    lmb_character *before = make(0, 0.1f, NULL), *c = make(0, 0.1f, NULL);
    assert_int_equal(lmb_weights_mirror(&c, &(lmb_mirror_opts){.influences = 16}, NULL, NULL, NULL),
                     LMB_OK);
    const lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = 0; v < SHEET; ++v) {
        if (v % COLUMNS >= 4) {
            continue;
        }
        lmb_vec3 p = mesh->positions[v];
        nearest_point n = find_nearest(mesh, (lmb_vec3){-p.x, p.y, p.z});
        if (n.corners[0] % COLUMNS <= 4 || n.corners[1] % COLUMNS <= 4 ||
            n.corners[2] % COLUMNS <= 4) {
            continue; // touches the seam, whose rows were averaged first
        }
        for (uint32_t j = 0; j < JOINTS; ++j) {
            double expected = 0;
            for (int k = 0; k < 3; ++k) {
                expected += n.fractions[k] * (double)row_weight(before, n.corners[k], swapped(j));
            }
            assert_true(fabs((double)row_weight(c, v, j) - expected) < 1e-4);
        }
    }
    lmb_character_destroy(c);
    lmb_character_destroy(before);
}

/// The right half is a zigzag: nothing to take weights from.
static void crooked_characters_are_refused(void **state)
{
    (void)state;
    sheet s = {.joint_count = JOINTS, .joints = joints};
    lay_sheet(&s, 0, 0);
    paint(&s, 0);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        if (s.positions[v].x < -0.1f) {
            s.positions[v].z += v & 1 ? 2.0f : -2.0f;
        }
    }
    lmb_character *c = sheet_character(&s, NULL);
    lmb_error error;
    assert_int_equal(lmb_weights_mirror(&c, NULL, NULL, NULL, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "28 of 30 vertices, 14 of them at spine"));
    lmb_character_destroy(c);
}

static void bad_partners_are_refused(void **state)
{
    (void)state;
    lmb_character *c = make(0, 0, NULL), *before = c;
    int32_t right_of[JOINTS + 1];
    for (int j = 0; j <= JOINTS; ++j) {
        right_of[j] = LMB_NONE;
    }
    right_of[ARM_L] = 400;
    lmb_error error = {0};
    assert_int_equal(
        lmb_weights_mirror(&c, &(lmb_mirror_opts){.right_of = right_of}, NULL, NULL, &error),
        LMB_ERROR_INVALID);
    assert_ptr_equal(c, before);
    lmb_character_destroy(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (failing_run f = {0}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *c = make(0, 0, &f.alloc), *before = c;
        f.state.calls_left = f.calls;
        f.result = lmb_weights_mirror(&c, NULL, &f.alloc, NULL, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && c == before));
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_side_becomes_the_other),
        cmocka_unit_test(a_second_time_changes_nothing),
        cmocka_unit_test(rough_meshes_take_the_nearest_point),
        cmocka_unit_test(crooked_characters_are_refused),
        cmocka_unit_test(bad_partners_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
