#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"

/// A random graph's Laplacian plus a positive diagonal: sparse, definite, with `hub` vertices tied
/// to a fraction of all others.
static lmbi_sparse random_matrix(uint32_t n, uint32_t degree, uint32_t hubs, uint64_t seed)
{
    double *dense = calloc((size_t)n * n, sizeof *dense);
    lmb_random random = lmb_random_seed(seed);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t ties = i < hubs ? n / 2 : degree;
        for (uint32_t k = 0; k < ties; ++k) {
            uint32_t j = lmb_random_u32(&random) % n;
            double w = 0.1 + (double)lmb_random_unit(&random);
            if (i != j) {
                dense[i * n + j] -= w;
                dense[j * n + i] -= w;
                dense[i * n + i] += w;
                dense[j * n + j] += w;
            }
        }
        dense[i * n + i] += 0.05 * (double)lmb_random_unit(&random) + 1e-3;
    }
    size_t entries = 0;
    for (size_t k = 0; k < (size_t)n * n; ++k) {
        entries += dense[k] != 0 ? 1 : 0;
    }
    lmbi_sparse m = {.size = n,
                     .first = calloc((size_t)n + 1, sizeof(uint32_t)),
                     .rows = malloc(entries * sizeof(uint32_t)),
                     .values = malloc(entries * sizeof(double))};
    uint32_t at = 0;
    for (uint32_t j = 0; j < n; ++j) {
        m.first[j] = at;
        for (uint32_t i = j; i < n; ++i) {
            if (dense[i * n + j] != 0) {
                m.rows[at] = i;
                m.values[at++] = dense[i * n + j];
            }
        }
    }
    m.first[n] = at;
    free(dense);
    return m;
}

/// The five-point Laplacian of a grid plus `shift`.
static lmbi_sparse grid_matrix(uint32_t side, double shift)
{
    uint32_t n = side * side, at = 0;
    lmbi_sparse m = {.size = n,
                     .first = calloc((size_t)n + 1, sizeof(uint32_t)),
                     .rows = malloc(3 * (size_t)n * sizeof(uint32_t)),
                     .values = malloc(3 * (size_t)n * sizeof(double))};
    for (uint32_t j = 0; j < n; ++j) {
        uint32_t x = j % side, y = j / side;
        m.first[j] = at;
        m.rows[at] = j;
        m.values[at++] = shift + (x > 0) + (x + 1 < side) + (y > 0) + (y + 1 < side);
        if (x + 1 < side) {
            m.rows[at] = j + 1;
            m.values[at++] = -1;
        }
        if (y + 1 < side) {
            m.rows[at] = j + side;
            m.values[at++] = -1;
        }
    }
    m.first[n] = at;
    return m;
}

static void free_matrix(lmbi_sparse *m)
{
    free(m->first);
    free(m->rows);
    free(m->values);
}

/// Largest difference between known solutions and those found from A x.
static double solve_error(const lmbi_sparse *m, uint32_t count)
{
    size_t total = (size_t)m->size * count;
    double *x = malloc(total * sizeof *x), *b = malloc(total * sizeof *b), worst = 0;
    lmb_random random = lmb_random_seed(9);
    for (size_t i = 0; i < total; ++i) {
        x[i] = (double)lmb_random_unit(&random) - 0.5;
    }
    lmbi_sparse_multiply(m, x, count, b);
    lmbi_factor *factor;
    assert_int_equal(lmbi_factor_create(m, NULL, NULL, &factor, NULL), LMB_OK);
    assert_int_equal(lmbi_factor_solve(factor, b, count, NULL, NULL), LMB_OK);
    for (size_t i = 0; i < total; ++i) {
        worst = fmax(worst, fabs(b[i] - x[i]));
    }
    lmbi_factor_destroy(factor);
    free(x);
    free(b);
    return worst;
}

static void random_systems_solve(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 400; n = n * 3 / 2 + 1) {
        lmbi_sparse m = random_matrix(n, 2, n / 50, n);
        assert_true(solve_error(&m, 1 + n % 19) < 1e-9);
        free_matrix(&m);
    }
}

static void grids_solve(void **state)
{
    (void)state;
    lmbi_sparse m = grid_matrix(120, 1e-3);
    assert_true(solve_error(&m, 3) < 1e-9);
    free_matrix(&m);
}

/// Dense Cholesky's entries by the textbook, for the same order: the factor must have been the same
/// matrix.
/// A box of nodes, each coupled with all within two steps along the axes: separators so large that
/// their columns are cut into several panels.
static lmbi_sparse box_matrix(uint32_t nx, uint32_t ny, uint32_t nz)
{
    const uint32_t n = nx * ny * nz;
    uint32_t at = 0;
    lmbi_sparse m = {.size = n,
                     .first = calloc((size_t)n + 1, sizeof(uint32_t)),
                     .rows = malloc(64 * (size_t)n * sizeof(uint32_t)),
                     .values = malloc(64 * (size_t)n * sizeof(double))};
    for (uint32_t j = 0; j < n; ++j) {
        m.first[j] = at;
        for (uint32_t i = j; i < n && i <= j + 2 * nx * ny; ++i) {
            const int dx = abs((int)(i % nx) - (int)(j % nx)),
                      dy = abs((int)(i / nx % ny) - (int)(j / nx % ny)),
                      dz = (int)(i / (nx * ny)) - (int)(j / (nx * ny));
            if (dx + dy + dz <= 2) {
                m.rows[at] = i;
                m.values[at++] = i == j ? 40 : -0.5 - 0.1 * (double)((7 * i + 3 * j) % 5);
            }
        }
    }
    m.first[n] = at;
    return m;
}

static void solids_solve(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = {{12, 12, 12}, {14, 12, 11}, {17, 9, 13}, {10, 20, 11},
                                        {15, 15, 15}, {13, 14, 17}, {8, 8, 40},  {18, 13, 12}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        lmbi_sparse m = box_matrix(sizes[k][0], sizes[k][1], sizes[k][2]);
        assert_true(solve_error(&m, 3) < 1e-10);
        free_matrix(&m);
    }
}

static void order_is_a_permutation_and_saves_fill(void **state)
{
    (void)state;
    enum { SIDE = 100, N = SIDE * SIDE };
    lmbi_sparse m = grid_matrix(SIDE, 0.1);
    uint32_t *order = malloc(N * sizeof *order);
    uint8_t *seen = calloc(N, 1);
    assert_int_equal(lmbi_sparse_order(&m, NULL, order, NULL), LMB_OK);
    for (int i = 0; i < N; ++i) {
        assert_true(order[i] < N && !seen[order[i]]);
        seen[order[i]] = 1;
    }
    lmbi_factor *factor;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, NULL), LMB_OK);
    // In the natural order a grid fills to its bandwidth: 10^6 entries. Minimum degree on 100 x 100
    // leaves about 2 * 10^5.
    assert_true(lmbi_factor_entry_count(factor) < 300000);
    lmbi_factor_destroy(factor);
    free(order);
    free(seen);
    free_matrix(&m);
}

static void what_is_not_definite_is_refused(void **state)
{
    (void)state;
    lmbi_sparse m = grid_matrix(8, 0); // singular: constants
    m.values[0] = -1;
    lmbi_factor *factor = NULL;
    lmb_error error;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "pivot"));
    assert_null(factor);
    free_matrix(&m);
}

static void broken_matrices_are_refused(void **state)
{
    (void)state;
    uint32_t first[3] = {0, 2, 3}, rows[3] = {0, 7, 1};
    double values[3] = {1, 1, 1};
    lmbi_sparse m = {2, first, rows, values};
    lmbi_factor *factor = NULL;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, NULL), LMB_ERROR_INVALID);
    rows[0] = 1;
    rows[1] = 1;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, NULL), LMB_ERROR_INVALID);
    assert_null(factor);
}

typedef struct failing {
    int left, live;
} failing;

static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    (void)old_size;
    if (new_size == 0) {
        f->live -= block ? 1 : 0;
        free(block);
        return NULL;
    }
    if (f->left-- <= 0) {
        return NULL;
    }
    f->live += block ? 0 : 1;
    return realloc(block, new_size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmbi_sparse m = grid_matrix(10, 0.5);
    bool done = false;
    for (int allowed = 0; !done; ++allowed) {
        failing f = {allowed, 0};
        lmb_allocator alloc = {failing_resize, &f};
        lmbi_factor *factor = NULL;
        lmb_result result = lmbi_factor_create(&m, NULL, &alloc, &factor, NULL);
        if (result == LMB_OK) {
            double x[100] = {1};
            done = lmbi_factor_solve(factor, x, 1, NULL, NULL) == LMB_OK;
            lmbi_factor_destroy(factor);
        } else {
            assert_int_equal(result, LMB_ERROR_MEMORY);
            assert_null(factor);
        }
        assert_int_equal(f.live, 0);
        assert_true(allowed < 200);
    }
    free_matrix(&m);
}

/// Pieces backwards, one at a time: the bits must not change.
static void run_backwards(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    (void)user;
    for (size_t begin = (count - 1) / grain * grain;; begin -= grain) {
        piece(context, begin, begin + grain < count ? begin + grain : count);
        if (!begin) {
            return;
        }
    }
}

static void workers_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    lmbi_sparse m = grid_matrix(20, 0.01);
    size_t bytes = (size_t)m.size * COUNT * sizeof(double);
    double *one = malloc(bytes), *many = malloc(bytes);
    for (size_t i = 0; i < (size_t)m.size * COUNT; ++i) {
        one[i] = many[i] = (double)(i % 17);
    }
    lmb_jobs jobs = {.run = run_backwards, .worker_count = 3};
    lmbi_factor *factor;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, NULL), LMB_OK);
    assert_int_equal(lmbi_factor_solve(factor, one, COUNT, NULL, NULL), LMB_OK);
    assert_int_equal(lmbi_factor_solve(factor, many, COUNT, &jobs, NULL), LMB_OK);
    assert_memory_equal(one, many, bytes);
    lmbi_factor_destroy(factor);
    free(one);
    free(many);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_solve),
        cmocka_unit_test(grids_solve),
        cmocka_unit_test(solids_solve),
        cmocka_unit_test(order_is_a_permutation_and_saves_fill),
        cmocka_unit_test(what_is_not_definite_is_refused),
        cmocka_unit_test(broken_matrices_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(workers_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
