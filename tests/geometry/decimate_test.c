// Decimation: the count, the shape and the topology.
#include "geometry/closed.h"
#include "geometry/geometry.h"
#include "limber/geometry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

static float torus_value(const void *context, lmb_vec3 p)
{
    (void)context;
    const float q = sqrtf(p.x * p.x + p.z * p.z) - 1.0f;
    return sqrtf(q * q + p.y * p.y) - 0.3f;
}

static lmb_surface *torus(void)
{
    const lmbi_iso_job job = {.value = torus_value,
                              .step = 0.05f,
                              .rounds = 1,
                              .box = {{-1.4f, -0.4f, -1.4f}, {1.4f, 0.4f, 1.4f}}};
    lmb_surface *s = NULL;
    assert_int_equal(lmbi_iso_surface(&job, NULL, &s, NULL), LMB_OK);
    return s;
}

static void test_count_shape_and_hole_stay(void **state)
{
    (void)state;
    lmb_surface *fine = torus(), *coarse = NULL;
    const lmbi_decimate_opts opts = {.triangle_count = 1500};
    uint32_t *source = malloc(fine->vertex_count * sizeof *source);
    assert_int_equal(lmbi_surface_decimate(fine, &opts, NULL, &coarse, source, NULL), LMB_OK);
    assert_true(coarse->triangle_count <= 1500 && coarse->triangle_count >= 1498);
    assert_int_equal(shape_euler_of_closed(coarse), 0);
    const double volume = 2.0 * 3.14159265 * 3.14159265 * 0.09;
    assert_true(fabs(lmbi_surface_volume(coarse) / volume - 1.0) < 0.04);
    for (uint32_t v = 0; v < coarse->vertex_count; ++v) {
        assert_true(source[v] < fine->vertex_count);
        assert_true(v == 0 || source[v] > source[v - 1]);
        assert_true(fabsf(torus_value(NULL, coarse->positions[v])) < 0.03f);
        assert_true(lmb_vec3_distance(coarse->positions[v], fine->positions[source[v]]) < 0.5f);
    }
    free(source);
    lmb_surface_destroy(coarse);
    lmb_surface_destroy(fine);
}

static void test_sizes_steer_where_triangles_stay(void **state)
{
    (void)state;
    lmb_surface *fine = torus(), *coarse = NULL;
    float *sizes = malloc(fine->vertex_count * sizeof *sizes);
    for (uint32_t v = 0; v < fine->vertex_count; ++v) {
        sizes[v] = fine->positions[v].x > 0.0f ? 0.3f : 1.0f;
    }
    const lmbi_decimate_opts opts = {.triangle_count = 1500, .sizes = sizes};
    assert_int_equal(lmbi_surface_decimate(fine, &opts, NULL, &coarse, NULL, NULL), LMB_OK);
    uint32_t right = 0;
    for (uint32_t v = 0; v < coarse->vertex_count; ++v) {
        right += coarse->positions[v].x > 0.0f;
    }
    assert_true(right > 3 * (coarse->vertex_count - right));
    free(sizes);
    lmb_surface_destroy(coarse);
    lmb_surface_destroy(fine);
}

static void test_smallest_closed_surface_is_left_alone(void **state)
{
    (void)state;
    lmb_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const lmb_surface tetrahedron = {
        .vertex_count = 4, .positions = points, .triangle_count = 4, .triangles = triangles};
    const lmbi_decimate_opts opts = {.triangle_count = 1};
    lmb_surface *out = NULL;
    assert_int_equal(lmbi_surface_decimate(&tetrahedron, &opts, NULL, &out, NULL, NULL), LMB_OK);
    assert_int_equal(out->triangle_count, 4);
    lmb_surface_destroy(out);
    const lmb_surface open = {
        .vertex_count = 4, .positions = points, .triangle_count = 3, .triangles = triangles};
    assert_int_equal(lmbi_surface_decimate(&open, &opts, NULL, &out, NULL, NULL),
                     LMB_ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count_shape_and_hole_stay),
        cmocka_unit_test(test_sizes_steer_where_triangles_stay),
        cmocka_unit_test(test_smallest_closed_surface_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
