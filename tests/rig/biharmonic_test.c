#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig/biharmonic.h"

enum { MOST = 800 };

/// Nodes of a row, a plate or a box at distances of 1 / (nx - 1), joined along the axes.
typedef struct box {
    uint32_t n;
    uint32_t first[MOST + 1], rows[4 * MOST];
    double values[4 * MOST], masses[MOST];
    uint8_t hinged[MOST];
    lmbi_sparse laplacian;
} box;

static void make_box(box *b, uint32_t nx, uint32_t ny)
{
    const double h = 1.0 / (nx - 1);
    uint32_t at = 0;
    b->n = nx * ny;
    for (uint32_t j = 0; j < b->n; ++j) {
        const uint32_t x = j % nx, y = j / nx;
        const double degree = (x > 0) + (x + 1 < nx) + (y > 0) + (y + 1 < ny);
        b->first[j] = at;
        b->rows[at] = j;
        b->values[at++] = degree / (h * h);
        if (x + 1 < nx) {
            b->rows[at] = j + 1;
            b->values[at++] = -1 / (h * h);
        }
        if (y + 1 < ny) {
            b->rows[at] = j + nx;
            b->values[at++] = -1 / (h * h);
        }
        b->masses[j] = 1;
        b->hinged[j] = 0;
    }
    b->first[b->n] = at;
    b->laplacian = (lmbi_sparse){b->n, b->first, b->rows, b->values};
}

static lmbi_biharmonic problem_of(const box *b, const lmbi_biharmonic_constraint *constraints,
                                  uint32_t constraint_count, uint32_t handle_count)
{
    return (lmbi_biharmonic){.laplacian = &b->laplacian,
                             .masses = b->masses,
                             .hinged = b->hinged,
                             .constraints = constraints,
                             .constraint_count = constraint_count,
                             .handle_count = handle_count,
                             .tolerance = 1e-6,
                             .most_rounds = 5000};
}

/// A rod fixed at both ends and in the middle: w = 1 - 1.5 s + 0.5 s^3 of the end, s twice the distance,
/// and nothing beyond the middle, where the unbounded weight would be negative.
static void a_rod_bends_as_a_cubic(void **state)
{
    (void)state;
    static box b;
    static float w[3 * MOST];
    make_box(&b, 129, 1);
    b.hinged[0] = b.hinged[128] = 1;
    const lmbi_biharmonic_constraint constraints[3] = {{0, 0, 1}, {64, 1, 1}, {128, 2, 1}};
    const lmbi_biharmonic p = problem_of(&b, constraints, 3, 3);
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, w, NULL, NULL), LMB_OK);
    assert_true(fabsf(w[3 * 32] - 0.3125f) < 1e-3f && fabsf(w[3 * 32 + 1] - 0.6875f) < 1e-3f);
    for (uint32_t i = 0; i < 129; ++i) {
        const double s = i < 64 ? (double)i / 64 : 1;
        assert_true(fabs((double)w[3 * i] - (1 - 1.5 * s + 0.5 * s * s * s)) < 2e-3);
        assert_true(w[3 * i] >= 0 && w[3 * i] <= 1);
        assert_true(fabsf(w[3 * i] + w[3 * i + 1] + w[3 * i + 2] - 1) < 3e-3f);
        assert_true(fabsf(w[3 * i] - w[3 * (128 - i) + 2]) < 1e-4f);
    }
}

/// x^T Q: L L with the masses of a box, all 1, by dense products.
static void dense_energy(const box *b, double *q)
{
    double *l = calloc((size_t)b->n * b->n, sizeof *l);
    for (uint32_t j = 0; j < b->n; ++j) {
        for (uint32_t k = b->first[j]; k < b->first[j + 1]; ++k) {
            l[b->rows[k] * b->n + j] = l[j * b->n + b->rows[k]] = b->values[k];
        }
    }
    for (uint32_t i = 0; i < b->n; ++i) {
        for (uint32_t j = 0; j < b->n; ++j) {
            double sum = 0;
            for (uint32_t k = 0; k < b->n; ++k) {
                sum += l[i * b->n + k] * l[k * b->n + j];
            }
            q[i * b->n + j] = sum;
        }
    }
    free(l);
}

/// The bounded minimum by projected over-relaxation, node by node, to the last digits.
static void relax(const box *b, const double *q, const uint8_t *fixed, double *w)
{
    for (int round = 0; round < 200000; ++round) {
        double most = 0;
        for (uint32_t i = 0; i < b->n; ++i) {
            if (fixed[i]) {
                continue;
            }
            double sum = 0;
            for (uint32_t k = 0; k < b->n; ++k) {
                sum += q[i * b->n + k] * w[k];
            }
            double to = w[i] - 1.6 * sum / q[i * b->n + i];
            to = to < 0 ? 0 : to > 1 ? 1 : to;
            most = fmax(most, fabs(to - w[i]));
            w[i] = to;
        }
        if (most < 1e-10) {
            return;
        }
    }
}

static void a_plate_agrees_with_relaxation(void **state)
{
    (void)state;
    static box b;
    static float w[4 * MOST];
    make_box(&b, 13, 9);
    const lmbi_biharmonic_constraint constraints[] = {{28, 0, 1},  {29, 0, 1},   {10, 1, 1},
                                                      {114, 2, 1}, {88, 3, 0.5}, {88, 0, 0.5}};
    const lmbi_biharmonic p = problem_of(&b, constraints, 6, 4);
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, w, NULL, NULL), LMB_OK);
    double *q = malloc((size_t)b.n * b.n * sizeof *q), x[MOST];
    dense_energy(&b, q);
    for (uint32_t h = 0; h < 4; ++h) {
        uint8_t fixed[MOST] = {0};
        memset(x, 0, sizeof x);
        for (size_t k = 0; k < 6; ++k) {
            fixed[constraints[k].node] = 1;
            x[constraints[k].node] += constraints[k].handle == h ? constraints[k].weight : 0;
        }
        relax(&b, q, fixed, x);
        for (uint32_t i = 0; i < b.n; ++i) {
            assert_true(fabs(x[i] - (double)w[4 * i + h]) < 2e-3);
        }
    }
    free(q);
}

/// A long strip with many handles: those far ungrouped are solved for together, and nothing changes.
static void groups_change_nothing(void **state)
{
    (void)state;
    static box b;
    static float together[12 * MOST], ungrouped[12 * MOST];
    make_box(&b, 145, 5);
    lmbi_biharmonic_constraint constraints[12];
    for (uint32_t h = 0; h < 12; ++h) {
        constraints[h] = (lmbi_biharmonic_constraint){145 * 2 + 6 + 12 * h, h, 1};
    }
    lmbi_biharmonic p = problem_of(&b, constraints, 12, 12);
    lmbi_biharmonic_report report;
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, together, &report, NULL), LMB_OK);
    assert_true(report.group_count < 8);
    p.ungrouped = true;
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, ungrouped, &report, NULL), LMB_OK);
    assert_int_equal(report.group_count, 12);
    double sum = 0;
    for (uint32_t k = 0; k < 12 * b.n; ++k) {
        sum += fabs((double)(together[k] - ungrouped[k]));
    }
    assert_true(sum / b.n < 2e-3);
}

static bool stop_at_half(void *user, const char *stage, float fraction)
{
    (void)user;
    (void)stage;
    return fraction < 0.5f;
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    static box b;
    static float w[2 * MOST];
    make_box(&b, 20, 20);
    const lmbi_biharmonic_constraint constraints[] = {{0, 0, 1}, {399, 1, 1}};
    const lmb_progress progress = {.report = stop_at_half};
    lmbi_biharmonic p = problem_of(&b, constraints, 2, 2);
    p.progress = &progress;
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, w, NULL, NULL), LMB_ERROR_CANCELLED);
}

static void what_no_handle_reaches_has_none(void **state)
{
    (void)state;
    static box b;
    static float w[2 * MOST];
    make_box(&b, 21, 1);
    for (uint32_t k = b.first[10]; k < b.first[11]; ++k) { // cut behind node 10
        b.values[k] = b.rows[k] == 11 ? 0 : b.values[k] / 2;
    }
    b.values[b.first[11]] /= 2;
    uint32_t to = b.first[10] + 1; // and drop the entry
    for (uint32_t k = b.first[11]; k < b.first[21]; ++k) {
        b.rows[to] = b.rows[k];
        b.values[to++] = b.values[k];
    }
    for (uint32_t j = 11; j <= 21; ++j) {
        --b.first[j];
    }
    const lmbi_biharmonic_constraint constraints[] = {{0, 0, 1}, {8, 1, 1}};
    const lmbi_biharmonic p = problem_of(&b, constraints, 2, 2);
    assert_int_equal(lmbi_biharmonic_solve(&p, NULL, w, NULL, NULL), LMB_OK);
    for (uint32_t i = 0; i < 21; ++i) {
        const float sum = w[2 * i] + w[2 * i + 1];
        assert_true(i > 10 ? sum == 0 : sum > 0.9f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_bends_as_a_cubic),
        cmocka_unit_test(a_plate_agrees_with_relaxation),
        cmocka_unit_test(groups_change_nothing),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(what_no_handle_reaches_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
