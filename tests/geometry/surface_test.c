#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "box_part.h"
#include "geometry/adjacency.h"
#include "geometry/geometry.h"
#include "geometry/shapes.h"
#include "geometry/surface_math.h"
#include "geometry/surface_sample.h"

static void equal_positions_weld_and_minus_zero_is_zero(void **state)
{
    (void)state;
    lmb_vec3 points[5] = {{0, 1, 2}, {3, 0, 0}, {-0.0f, 1, 2}, {3, -0.0f, 0}, {3, 0, 1e-30f}};
    uint32_t numbers[5], count;
    assert_int_equal(lmbi_weld(points, 5, 0, NULL, numbers, &count, NULL), LMB_OK);
    assert_int_equal(count, 3);
    uint32_t expected[5] = {0, 1, 0, 1, 2};
    assert_memory_equal(numbers, expected, sizeof expected);
}

static void weld_refuses_what_is_not_finite(void **state)
{
    (void)state;
    lmb_vec3 points[1] = {{0, NAN, 0}};
    uint32_t number = 7, count = 7;
    assert_int_equal(lmbi_weld(points, 1, 0, NULL, &number, &count, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_weld(points, 0, -1, NULL, &number, &count, NULL), LMB_ERROR_INVALID);
    assert_int_equal(count, 7);
}

/// Against the rule itself, by brute force: a point joins the earliest kept point in reach.
static void tolerance_agrees_with_brute_force(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    lmb_vec3 points[COUNT];
    uint32_t numbers[COUNT], kept[COUNT], kept_count = 0, count;
    lmb_random random = lmb_random_seed(5);
    for (int i = 0; i < COUNT; ++i) {
        points[i] = lmb_vec3_make(lmb_random_unit(&random) - 0.5f, lmb_random_unit(&random) - 0.5f,
                                  0.1f * lmb_random_unit(&random));
    }
    assert_int_equal(lmbi_weld(points, COUNT, 0.05f, NULL, numbers, &count, NULL), LMB_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t n = 0;
        while (n < kept_count && lmb_vec3_distance(points[kept[n]], points[i]) > 0.05f) {
            ++n;
        }
        if (n == kept_count) {
            kept[kept_count++] = i;
        }
        assert_int_equal(numbers[i], n);
    }
    assert_int_equal(count, kept_count);
    assert_true(count > 50 && count < 500);
}

static void sphere_is_closed_and_round(void **state)
{
    (void)state;
    shape s = shape_sphere(64, 32);
    lmb_surface *surface = shape_surface(&s);
    // Two poles and 31 rings of 64; the quads at the poles leave one triangle each.
    assert_int_equal(surface->vertex_count, 2 + 31 * 64);
    assert_int_equal(surface->triangle_count, 2 * 64 * 31);
    lmbi_adjacency *adjacency;
    assert_int_equal(lmbi_adjacency_create(surface, NULL, &adjacency, NULL), LMB_OK);
    assert_int_equal(adjacency->border_count, 0);
    assert_int_equal(adjacency->crowded_count, 0);
    // Euler: V - E + F = 2.
    assert_int_equal(surface->vertex_count + surface->triangle_count - adjacency->edge_count, 2);
    float *areas = malloc(surface->triangle_count * sizeof *areas);
    assert_true(fabs(lmbi_surface_areas(surface, areas) / (4 * 3.14159265358979) - 1) < 0.01);
    assert_true(fabs(lmbi_surface_volume(surface) / (4.0 / 3 * 3.14159265358979) - 1) < 0.01);
    lmb_vec3 *normals = malloc(surface->vertex_count * sizeof *normals);
    lmbi_surface_vertex_normals(surface, normals);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        assert_true(lmb_vec3_dot(normals[v], surface->positions[v]) > 0.9999f);
    }
    free(areas);
    free(normals);
    lmbi_adjacency_destroy(adjacency);
    lmb_surface_destroy(surface);
    shape_free(&s);
}

static void adjacency_agrees_with_the_triangles(void **state)
{
    (void)state;
    // Three sheets on the edge 0-1, one lone triangle, one vertex without any, one repeated and one
    // collapsed triangle.
    lmb_vec3 points[9] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1},
                          {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {9, 9, 9}};
    uint32_t indices[18] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 5, 6, 7, 7, 5, 6, 2, 2, 3};
    lmb_surface_part part = {
        .positions = points, .vertex_count = 9, .indices = indices, .index_count = 18};
    lmb_surface *surface;
    assert_int_equal(lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL), LMB_OK);
    assert_int_equal(surface->triangle_count, 4);
    lmbi_adjacency *a;
    assert_int_equal(lmbi_adjacency_create(surface, NULL, &a, NULL), LMB_OK);
    assert_int_equal(a->edge_count, 10);
    assert_int_equal(a->crowded_count, 1);
    assert_int_equal(a->border_count, 9);
    assert_int_equal(a->edge_first[1] - a->edge_first[0], 3); // edge 0-1 comes first
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t e = a->corner_edge[3 * t + k], v = surface->triangles[3 * t + k],
                     w = surface->triangles[3 * t + (k + 1) % 3];
            assert_int_equal(a->edges[2 * e], v < w ? v : w);
            assert_int_equal(a->edges[2 * e + 1], v < w ? w : v);
        }
    }
    uint32_t component[9], count;
    assert_int_equal(lmb_surface_components(surface, NULL, component, &count, NULL), LMB_OK);
    uint32_t expected[9] = {0, 0, 0, 0, 0, 1, 1, 1, 2};
    assert_int_equal(count, 3);
    assert_memory_equal(component, expected, sizeof expected);
    lmbi_adjacency_destroy(a);
    lmb_surface_destroy(surface);
}

static void parts_are_placed_and_traced_back(void **state)
{
    (void)state;
    lmb_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t indices[3] = {0, 1, 2};
    lmb_surface_part parts[2] = {
        {.positions = points, .vertex_count = 3, .indices = indices, .index_count = 3},
        {.positions = points, .vertex_count = 3, .indices = indices, .index_count = 3}};
    lmb_transform shift = lmb_transform_identity();
    shift.translation.x = 1;
    parts[1].model_from_part = lmb_mat4_from_transform(shift);
    lmb_surface *surface;
    assert_int_equal(lmb_surface_create(parts, 2, NULL, NULL, &surface, NULL), LMB_OK);
    uint32_t expected[6] = {0, 1, 2, 1, 3, 4};
    assert_int_equal(surface->part_vertex_count, 6);
    assert_memory_equal(surface->vertex_of, expected, sizeof expected);
    assert_true(surface->positions[3].x == 2);
    uint32_t wrong[3] = {0, 1, 3};
    parts[1].indices = wrong;
    lmb_surface *none = NULL;
    assert_int_equal(lmb_surface_create(parts, 2, NULL, NULL, &none, NULL), LMB_ERROR_INVALID);
    assert_null(none);
    lmb_surface_destroy(surface);
}

static uint32_t count_welded(const lmb_surface_part *parts, uint32_t count, uint32_t *pieces)
{
    lmb_surface *s = NULL;
    uint32_t piece_of[2 * BOX_POINTS];
    assert_int_equal(lmb_surface_create(parts, count, NULL, NULL, &s, NULL), LMB_OK);
    assert_true(s->vertex_count <= 2 * BOX_POINTS);
    assert_int_equal(lmb_surface_components(s, NULL, piece_of, pieces, NULL), LMB_OK);
    uint32_t next = 0;
    for (uint32_t v = 0; v < s->part_vertex_count; ++v) {
        assert_true(s->vertex_of[v] <= next); // ascending in the order of first appearance
        next += s->vertex_of[v] == next;
    }
    assert_int_equal(next, s->vertex_count);
    const uint32_t vertices = s->vertex_count;
    lmb_surface_destroy(s);
    return vertices;
}

static void move_corners(lmb_vec3 points[2 * BOX_POINTS], const lmb_vec3 from[2],
                         const lmb_vec3 to[2])
{
    for (uint32_t v = 0; v < 2 * BOX_POINTS; ++v) {
        const uint32_t box = v / BOX_POINTS;
        points[v] = lmb_vec3_distance(points[v], from[box]) > 0 ? points[v] : to[box];
    }
}

/// Two boxes share a face: as parts they stay two; with a dent, without a lid, or in the same place,
/// they are one.
static void convex_parts_stay_apart(void **state)
{
    (void)state;
    lmb_vec3 points[2 * BOX_POINTS];
    uint32_t indices[2 * BOX_INDICES], pieces = 0;
    lmb_surface_part boxes[2] = {
        box_part(lmb_vec3_make(0, 0, 0), lmb_vec3_make(1, 1, 1), points, indices),
        box_part(lmb_vec3_make(1, 0, 0), lmb_vec3_make(2, 1, 1), points + BOX_POINTS,
                 indices + BOX_INDICES)};
    assert_int_equal(count_welded(boxes, 2, &pieces), 16);
    assert_int_equal(pieces, 2);
    const lmb_vec3 corners[2] = {{0, 0, 0}, {2, 0, 0}},
                   dents[2] = {{0.8f, 0.8f, 0.8f}, {1.2f, 0.8f, 0.8f}};
    move_corners(points, corners, dents);
    assert_int_equal(count_welded(boxes, 2, &pieces), 12);
    assert_int_equal(pieces, 1);
    move_corners(points, dents, corners);
    boxes[1].index_count -= 6; // open
    boxes[0].index_count -= 6;
    assert_int_equal(count_welded(boxes, 2, &pieces), 12);
    assert_int_equal(pieces, 1);
    const lmb_surface_part twice[2] = {boxes[0], boxes[0]};
    assert_int_equal(count_welded(twice, 2, &pieces), 8);
}

static void samples_lie_on_the_surface_evenly(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    shape s = shape_sphere(32, 16);
    lmb_surface *surface = shape_surface(&s);
    lmbi_sample_point *samples = malloc(COUNT * sizeof *samples);
    lmb_random random = lmb_random_seed(1);
    assert_int_equal(lmbi_surface_sample(surface, COUNT, &random, NULL, samples, NULL), LMB_OK);
    double high = 0, mean = 0;
    for (int i = 0; i < COUNT; ++i) {
        float r = lmb_vec3_length(samples[i].position);
        assert_true(r > 0.97f && r < 1.0001f);
        high += samples[i].position.z > 0.5f ? 1 : 0;
        mean += (double)samples[i].position.x;
    }
    // Archimedes: a quarter of a sphere's area lies above z = 1/2.
    assert_true(fabs(high / COUNT - 0.25) < 0.01);
    assert_true(fabs(mean / COUNT) < 0.02);
    free(samples);
    lmb_surface_destroy(surface);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_positions_weld_and_minus_zero_is_zero),
        cmocka_unit_test(weld_refuses_what_is_not_finite),
        cmocka_unit_test(tolerance_agrees_with_brute_force),
        cmocka_unit_test(sphere_is_closed_and_round),
        cmocka_unit_test(adjacency_agrees_with_the_triangles),
        cmocka_unit_test(parts_are_placed_and_traced_back),
        cmocka_unit_test(convex_parts_stay_apart),
        cmocka_unit_test(samples_lie_on_the_surface_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
