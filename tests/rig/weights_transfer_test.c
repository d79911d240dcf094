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
enum { JOINTS = 3 };

/// A wavy sheet of size 2; from column `lifted` on it is raised out of reach.
static void lay(sheet *s, uint32_t columns, uint32_t rows, uint32_t lifted)
{
    memset(s, 0, sizeof *s);
    s->joint_count = JOINTS;
    s->joints = joints;
    s->vertex_count = columns * rows;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        float x = 2 * (float)(v % columns) / (float)(columns - 1) - 1;
        float y = 2 * (float)(v / columns) / (float)(rows - 1) - 1;
        s->positions[v] = (lmb_vec3){x, y, 0.2f * x * y + (v % columns >= lifted ? 1.0f : 0.0f)};
    }
    sheet_triangles(s, columns, rows);
}

static void paint(sheet *s, bool constant)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        float x = 0.5f + 0.5f * s->positions[v].x, y = 0.5f + 0.5f * s->positions[v].y;
        s->weights[v][0] = constant ? 0.3f : (1 - x) * y;
        s->weights[v][1] = constant ? 0.7f : (1 - x) * (1 - y);
        s->weights[v][2] = constant ? 0 : x;
    }
}

static lmb_character *make(uint32_t columns, uint32_t lifted, int painted,
                           const lmb_allocator *alloc)
{
    static sheet s;
    lay(&s, columns, columns, lifted);
    if (painted) {
        paint(&s, painted == 2);
    } else {
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            s.weights[v][0] = 1;
        }
    }
    return sheet_character(&s, alloc);
}

static void a_constant_stays_constant(void **state)
{
    (void)state;
    lmb_character *from = make(9, 99, 2, NULL), *to = make(21, 12, 0, NULL);
    lmb_transfer_report r;
    assert_int_equal(lmb_weights_transfer(&to, from, NULL, NULL, &r, NULL), LMB_OK);
    assert_int_equal(r.vertex_count, 21 * 21);
    assert_true(r.matched_count > 100 && r.filled_count > 100);
    assert_int_equal(r.matched_count + r.filled_count + r.nearest_count, r.vertex_count);
    for (uint32_t v = 0; v < r.vertex_count; ++v) {
        assert_true(fabsf(row_weight(to, v, 0) - 0.3f) < 1e-6f);
        assert_true(fabsf(row_weight(to, v, 1) - 0.7f) < 1e-6f);
        assert_true(row_sum(to, v) == 1);
    }
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

/// A band of a long strip stands off. Left of it all follows the left joint, right of it the right
/// one: in between the row bends least, 3 t^2 - 2 t^3, where a soap film would go straight and
/// break at both ends.
static void a_gap_is_bridged_by_the_cubic(void **state)
{
    (void)state;
    enum { COLUMNS = 201, ROWS = 5 };
    static sheet s;
    lmb_character *both[2];
    for (int k = 0; k < 2; ++k) {
        memset(&s, 0, sizeof s);
        s.joint_count = JOINTS;
        s.joints = joints;
        s.vertex_count = COLUMNS * ROWS;
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            const uint32_t column = v % COLUMNS;
            const float x = (float)column / (COLUMNS - 1) * 2 - 1, y = 0.01f * (float)(v / COLUMNS);
            const bool off = column > 90 && column < 110;
            // it is displaced by its index in the source, so that the target is plain
            s.positions[v] = (lmb_vec3){x, y, k == 0 && off ? 5.0f : 0.0f};
            s.weights[v][column < 100 ? 1 : 2] = 1;
        }
        sheet_triangles(&s, COLUMNS, ROWS);
        both[k] = sheet_character(&s, NULL);
    }
    const lmb_transfer_opts opts = {.distance_fraction = 0.004f, .influences = 2};
    lmb_transfer_report r;
    assert_int_equal(lmb_weights_transfer(&both[1], both[0], &opts, NULL, &r, NULL), LMB_OK);
    assert_true(r.filled_count > 15 * ROWS);
    const lmb_mesh *mesh = both[1]->meshes[0];
    double low = 1, high = 0;
    for (uint32_t column = 93; column <= 107; ++column) {
        const uint32_t v = 2 * COLUMNS + column;
        double right = 0;
        for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
            const uint32_t joint = both[1]->skins[0]->joints[mesh->influences.items[k].joint];
            right += joint == 2 ? (double)mesh->influences.items[k].weight : 0;
        }
        const double t = ((double)column - 90.5) / 19, cubic = t * t * (3 - 2 * t);
        low = right - cubic < low ? right - cubic : low;
        high = right - cubic > high ? right - cubic : high;
    }
    assert_true(low > -0.04 && high < 0.04);
    lmb_character_destroy(both[0]);
    lmb_character_destroy(both[1]);
}

static void onto_itself_is_identity(void **state)
{
    (void)state;
    lmb_character *from = make(9, 99, 1, NULL), *to = make(9, 99, 0, NULL);
    lmb_transfer_report r;
    assert_int_equal(lmb_weights_transfer(&to, from, NULL, NULL, &r, NULL), LMB_OK);
    assert_int_equal(r.matched_count, 81);
    for (uint32_t v = 0; v < 81; ++v) {
        for (uint32_t j = 0; j < JOINTS; ++j) {
            assert_true(fabsf(row_weight(to, v, j) - row_weight(from, v, j)) < 1e-6f);
        }
    }
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

/// Onto finer and coarser sheets, against brute force in double.
static void other_meshes_take_the_nearest_point(void **state)
{
    (void)state;
    const uint32_t sizes[] = {5, 14, 25};
    for (int k = 0; k < 3; ++k) {
        lmb_character *from = make(9, 99, 1, NULL), *to = make(sizes[k], 99, 0, NULL);
        lmb_transfer_report r;
        assert_int_equal(lmb_weights_transfer(&to, from, NULL, NULL, &r, NULL), LMB_OK);
        assert_int_equal(r.matched_count, r.vertex_count);
        for (uint32_t v = 0; v < r.vertex_count; ++v) {
            nearest_point n = find_nearest(from->meshes[0], to->meshes[0]->positions[v]);
            for (uint32_t j = 0; j < JOINTS; ++j) {
                double expected = 0;
                for (int i = 0; i < 3; ++i) {
                    expected += n.fractions[i] * (double)row_weight(from, n.corners[i], j);
                }
                assert_true(fabs((double)row_weight(to, v, j) - expected) < 1e-4);
            }
        }
        lmb_character_destroy(from);
        lmb_character_destroy(to);
    }
}

static void a_bare_mesh_gets_the_skeleton(void **state)
{
    (void)state;
    static sheet s;
    lay(&s, 12, 12, 99);
    s.bare = true;
    lmb_character *from = make(9, 99, 1, NULL), *to = sheet_character(&s, NULL);
    lmb_transfer_report r;
    assert_int_equal(lmb_weights_transfer(&to, from, NULL, NULL, &r, NULL), LMB_OK);
    assert_true(r.bound);
    assert_true(lmb_skeleton_find(to->skeleton, "right") != LMB_NONE);
    for (uint32_t v = 0; v < r.vertex_count; ++v) {
        float x = 0.5f + 0.5f * to->meshes[0]->positions[v].x;
        assert_true(row_sum(to, v) == 1 && fabsf(row_weight(to, v, 2) - x) < 1e-2f);
    }
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

/// Cloth seen from inside: its normals look away from the body's.
static void opposite_normals_match_when_asked(void **state)
{
    (void)state;
    static sheet s;
    lay(&s, 12, 12, 99);
    for (uint32_t k = 0; k < s.index_count; k += 3) {
        const uint32_t corner = s.indices[k];
        s.indices[k] = s.indices[k + 1];
        s.indices[k + 1] = corner;
    }
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        s.weights[v][0] = 1;
    }
    lmb_character *from = make(9, 99, 1, NULL), *to = sheet_character(&s, NULL);
    lmb_transfer_opts opts = {0};
    lmb_transfer_report r;
    assert_int_equal(lmb_weights_transfer(&to, from, &opts, NULL, NULL, NULL), LMB_ERROR_INVALID);
    opts.two_sided = true;
    assert_int_equal(lmb_weights_transfer(&to, from, &opts, NULL, &r, NULL), LMB_OK);
    assert_int_equal(r.matched_count, r.vertex_count);
    for (uint32_t v = 0; v < r.vertex_count; ++v) {
        const float x = 0.5f + 0.5f * to->meshes[0]->positions[v].x;
        assert_true(row_sum(to, v) == 1 && fabsf(row_weight(to, v, 2) - x) < 1e-2f);
    }
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

/// A fold whose slopes match nothing, right beside a painted step: softening lowers the step and
/// leaves what is far away.
static void filled_borders_are_softened_when_asked(void **state)
{
    (void)state;
    enum { SIDE = 41, STEP = 25, FOLD = 26 };
    float jump[2], far[2];
    for (int soft = 0; soft < 2; ++soft) {
        static sheet s;
        lay(&s, SIDE, SIDE, 99);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            s.weights[v][v % SIDE < STEP ? 1 : 2] = 1;
        }
        lmb_character *from = sheet_character(&s, NULL);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            s.positions[v].z += v % SIDE == FOLD ? 0.12f : 0;
        }
        lmb_character *to = sheet_character(&s, NULL);
        const lmb_transfer_opts opts = {
            .influences = 2, .angle_rad = 0.1f, .rounds = soft ? 10 : 0};
        lmb_transfer_report r;
        assert_int_equal(lmb_weights_transfer(&to, from, &opts, NULL, &r, NULL), LMB_OK);
        assert_true(r.filled_count >= SIDE);
        jump[soft] = far[soft] = 0;
        for (uint32_t column = STEP - 4; column < STEP + 4; ++column) {
            const uint32_t v = SIDE / 2 * SIDE + column;
            assert_true(row_sum(to, v) == 1);
            jump[soft] = fmaxf(jump[soft], fabsf(row_weight(to, v + 1, 1) - row_weight(to, v, 1)));
        }
        for (uint32_t v = 0; v < SIDE * SIDE; ++v) {
            far[soft] += v % SIDE < STEP - 4 ? row_weight(to, v, 1) : 0;
        }
        lmb_character_destroy(from);
        lmb_character_destroy(to);
    }
    assert_true(jump[1] < 0.7f * jump[0]);
    assert_true(fabsf(far[1] - far[0]) < 1e-3f);
}

static void what_lies_elsewhere_is_refused(void **state)
{
    (void)state;
    lmb_character *from = make(9, 0, 1, NULL), *to = make(9, 99, 0, NULL), *before = to;
    lmb_error error = {0};
    assert_int_equal(lmb_weights_transfer(&to, from, NULL, NULL, NULL, &error), LMB_ERROR_INVALID);
    assert_ptr_equal(to, before);
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmb_character *from = make(5, 99, 1, NULL);
    for (failing_run f = {0}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *to = make(6, 4, 0, &f.alloc), *before = to;
        f.state.calls_left = f.calls;
        f.result = lmb_weights_transfer(&to, from, NULL, &f.alloc, NULL, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && to == before));
        lmb_character_destroy(to);
    }
    lmb_character_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_stays_constant),
        cmocka_unit_test(a_gap_is_bridged_by_the_cubic),
        cmocka_unit_test(onto_itself_is_identity),
        cmocka_unit_test(other_meshes_take_the_nearest_point),
        cmocka_unit_test(a_bare_mesh_gets_the_skeleton),
        cmocka_unit_test(opposite_normals_match_when_asked),
        cmocka_unit_test(filled_borders_are_softened_when_asked),
        cmocka_unit_test(what_lies_elsewhere_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
