#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/adjacency.h"
#include "geometry/laplacian.h"
#include "geometry/shapes.h"

static lmbi_laplacian *laplacian_of(const lmb_surface *surface)
{
    lmbi_adjacency *adjacency;
    lmbi_laplacian *laplacian;
    assert_int_equal(lmbi_adjacency_create(surface, NULL, &adjacency, NULL), LMB_OK);
    assert_int_equal(lmbi_laplacian_create(surface, adjacency, NULL, &laplacian, NULL), LMB_OK);
    lmbi_adjacency_destroy(adjacency);
    return laplacian;
}

/// z and x are eigenfunctions of the sphere with eigenvalue l (l + 1) = 2: L z = 2 A z.
static void sphere_harmonics_have_their_eigenvalue(void **state)
{
    (void)state;
    shape made = shape_sphere(96, 48);
    lmb_surface *s = shape_surface(&made);
    lmbi_laplacian *l = laplacian_of(s);
    double *x = malloc(2 * s->vertex_count * sizeof *x), *y = x + s->vertex_count, energy = 0,
           mass = 0, area = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        x[v] = (double)s->positions[v].z;
    }
    lmbi_sparse_multiply(&l->matrix, x, 1, y);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        energy += x[v] * y[v];
        mass += x[v] * x[v] * l->areas[v];
        area += l->areas[v];
    }
    assert_true(fabs(energy / mass - 2) < 0.01);
    assert_true(fabs(area / (4 * 3.14159265358979) - 1) < 0.01);
    free(x);
    lmbi_laplacian_destroy(l);
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// Needles, crowded edges and dust: every row sums to zero and every tie pulls the right way.
static void bad_triangles_leave_an_m_matrix(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(6);
    shape made = {.point_count = 300, .triangle_count = 900};
    made.points = malloc(made.point_count * sizeof *made.points);
    made.triangles = malloc(3 * (size_t)made.triangle_count * sizeof *made.triangles);
    for (uint32_t i = 0; i < made.point_count; ++i) {
        float flat = i % 3 ? 1.0f : 1e-20f;
        made.points[i] = lmb_vec3_make(lmb_random_unit(&random), flat * lmb_random_unit(&random),
                                       1e-12f * lmb_random_unit(&random));
    }
    for (uint32_t i = 0; i < 3 * made.triangle_count; ++i) {
        made.triangles[i] = lmb_random_u32(&random) % made.point_count;
    }
    lmb_surface *s = shape_surface(&made);
    lmbi_laplacian *l = laplacian_of(s);
    double *ones = malloc(2 * s->vertex_count * sizeof *ones), *sums = ones + s->vertex_count;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        ones[v] = 1;
    }
    lmbi_sparse_multiply(&l->matrix, ones, 1, sums);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        assert_true(fabs(sums[v]) <= 1e-9 * (1 + l->matrix.values[l->matrix.first[v]]));
        for (uint32_t k = l->matrix.first[v] + 1; k < l->matrix.first[v + 1]; ++k) {
            assert_true(l->matrix.values[k] < 0 && l->matrix.values[k] > -1e6);
        }
    }
    free(ones);
    lmbi_laplacian_destroy(l);
    lmb_surface_destroy(s);
    shape_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_harmonics_have_their_eigenvalue),
        cmocka_unit_test(bad_triangles_leave_an_m_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
