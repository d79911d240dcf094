#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "geometry/shapes.h"
#include "geometry/volume.h"

typedef struct volume {
    lmbi_grid grid;
    uint8_t *cells;
} volume;

static volume volume_of(const shape *s, float cell, int open_axis)
{
    volume v;
    assert_int_equal(
        lmbi_grid_around(lmb_box_of(s->points, s->point_count), cell, 2, &v.grid, NULL), LMB_OK);
    v.cells = calloc(lmbi_grid_count(&v.grid), 1);
    lmbi_voxels_mark(&v.grid, s->points, s->triangles, s->triangle_count, v.cells);
    assert_int_equal(lmbi_voxels_fill(&v.grid, open_axis, v.cells, NULL, NULL), LMB_OK);
    return v;
}

static size_t solid_count(const volume *v)
{
    size_t n = 0;
    for (size_t k = 0; k < lmbi_grid_count(&v->grid); ++k) {
        n += v->cells[k] != LMB_VOXEL_OUTSIDE;
    }
    return n;
}

static void random_field_has_brute_force_distances(void **state)
{
    (void)state;
    const lmbi_grid grid = {{0, 0, 0}, 1, 13, 9, 11};
    const size_t count = lmbi_grid_count(&grid);
    uint8_t *cells = malloc(count);
    float *distance = malloc(count * sizeof *distance);
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lmb_random random = lmb_random_seed(seed);
        for (size_t v = 0; v < count; ++v) {
            cells[v] = lmb_random_unit(&random) < 0.9f + 0.005f * (float)seed;
        }
        cells[seed] = 0;
        assert_int_equal(lmbi_distance_transform(&grid, cells, distance, NULL, NULL), LMB_OK);
        for (size_t v = 0; v < count; ++v) {
            float best = 1e9f;
            for (size_t w = 0; w < count; ++w) {
                if (!cells[w]) {
                    best = fminf(best, lmb_vec3_distance(lmbi_grid_center(&grid, v),
                                                         lmbi_grid_center(&grid, w)));
                }
            }
            assert_true(fabsf(distance[v] - best) < 1e-4f);
        }
    }
    free(cells);
    free(distance);
}

/// The solid of a closed sphere has its volume, give or take the voxels of the surface; a torus
/// keeps its hole.
static void closed_surfaces_are_filled(void **state)
{
    (void)state;
    shape ball = shape_sphere(48, 24);
    volume v = volume_of(&ball, 0.05f, 0);
    const double found = (double)solid_count(&v) * 0.05 * 0.05 * 0.05,
                 wanted = 4.0 / 3 * 3.14159265;
    assert_true(found > wanted && found < 1.15 * wanted);
    assert_int_equal(v.cells[lmbi_grid_voxel_at(&v.grid, lmb_vec3_make(0, 0, 0))],
                     LMB_VOXEL_INSIDE);
    free(v.cells);
    shape_free(&ball);
}

/// A twentieth of the triangles gone and a fifth turned over: the same solid but for a few voxels.
static void holes_and_flips_do_not_empty_a_solid(void **state)
{
    (void)state;
    shape ball = shape_sphere(48, 24);
    volume whole = volume_of(&ball, 0.05f, 0);
    lmb_random random = lmb_random_seed(5);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < ball.triangle_count; ++t) {
        const bool gone = lmb_random_unit(&random) < 0.05f,
                   rotated = lmb_random_unit(&random) < 0.2f;
        if (!gone) {
            const uint32_t a = ball.triangles[3 * t], b = ball.triangles[3 * t + 1],
                           c = ball.triangles[3 * t + 2];
            ball.triangles[3 * kept] = a;
            ball.triangles[3 * kept + 1] = rotated ? c : b;
            ball.triangles[3 * kept + 2] = rotated ? b : c;
            ++kept;
        }
    }
    ball.triangle_count = kept;
    volume torn = volume_of(&ball, 0.05f, 0);
    const size_t a = solid_count(&whole), b = solid_count(&torn);
    assert_true(b > a - a / 50 && b <= a);
    free(whole.cells);
    free(torn.cells);
    shape_free(&ball);
}

/// The air under a tube that is open below stays outside when below is named, and is filled when it
/// is not; without sight it stays outside all the same.
static void an_open_side_may_stay_open(void **state)
{
    (void)state;
    shape tube = shape_tube(20, 32, 1, -2, 2); // along x, both ends open
    lmb_vec3 lid[4] = {{2, -1, -1}, {2, 1, -1}, {2, 1, 1}, {2, -1, 1}};
    tube.points = realloc(tube.points, (tube.point_count + 4) * sizeof *tube.points);
    tube.triangles =
        realloc(tube.triangles, 3 * ((size_t)tube.triangle_count + 2) * sizeof *tube.triangles);
    memcpy(tube.points + tube.point_count, lid, sizeof lid);
    const uint32_t n = tube.point_count, quad[6] = {n, n + 1, n + 2, n, n + 2, n + 3};
    memcpy(tube.triangles + 3 * (size_t)tube.triangle_count, quad, sizeof quad);
    tube.point_count += 4;
    tube.triangle_count += 2;
    volume filled = volume_of(&tube, 0.1f, 0), open = volume_of(&tube, 0.1f, -1);
    const lmb_vec3 middle = {0, 0, 0};
    assert_int_equal(filled.cells[lmbi_grid_voxel_at(&filled.grid, middle)], LMB_VOXEL_INSIDE);
    assert_int_equal(open.cells[lmbi_grid_voxel_at(&open.grid, middle)], LMB_VOXEL_OUTSIDE);
    volume flooded = volume_of(&tube, 0.1f, LMB_OPEN_NOWHERE);
    assert_int_equal(flooded.cells[lmbi_grid_voxel_at(&flooded.grid, middle)], LMB_VOXEL_OUTSIDE);
    free(filled.cells);
    free(open.cells);
    free(flooded.cells);
    shape_free(&tube);
}

static void pieces_are_joined_by_the_shortest_bridges(void **state)
{
    (void)state;
    const lmbi_grid grid = {{0, 0, 0}, 1, 20, 7, 7};
    uint8_t *cells = calloc(lmbi_grid_count(&grid), 1);
    float *distance = malloc(lmbi_grid_count(&grid) * sizeof *distance);
    // three rods in one line, gaps of 2 and 3, and a crumb far from all
    for (int32_t i = 1; i < 19; ++i) {
        cells[lmbi_grid_index(&grid, i, 3, 3)] = !(i == 6 || i == 7 || (i >= 12 && i <= 14));
    }
    cells[lmbi_grid_index(&grid, 16, 6, 6)] = 1;
    assert_int_equal(lmbi_voxels_connect(&grid, 3, 1.5f, cells, NULL, NULL), LMB_OK);
    for (int32_t i = 1; i < 19; ++i) {
        assert_true(cells[lmbi_grid_index(&grid, i, 3, 3)]);
    }
    assert_false(cells[lmbi_grid_index(&grid, 16, 6, 6)]);
    const uint32_t seed = (uint32_t)lmbi_grid_index(&grid, 1, 3, 3);
    uint32_t *previous = malloc(lmbi_grid_count(&grid) * sizeof *previous);
    const lmbi_geodesic_job job = {.grid = &grid,
                                   .cells = cells,
                                   .seeds = &seed,
                                   .seed_count = 1,
                                   .out_distance = distance,
                                   .out_previous = previous};
    assert_int_equal(lmbi_geodesic(&job, NULL, NULL), LMB_OK);
    assert_true(fabsf(distance[lmbi_grid_index(&grid, 18, 3, 3)] - 17) < 1e-4f);
    assert_int_equal(previous[seed], seed);
    assert_int_equal(previous[lmbi_grid_index(&grid, 18, 3, 3)], lmbi_grid_index(&grid, 17, 3, 3));
    assert_true(distance[lmbi_grid_index(&grid, 1, 6, 6)] < 0);
    free(cells);
    free(distance);
    free(previous);
}

static void fields_are_interpolated(void **state)
{
    (void)state;
    const lmbi_grid grid = {{-1, 0, 2}, 0.5f, 4, 5, 6};
    float field[4 * 5 * 6];
    for (size_t v = 0; v < lmbi_grid_count(&grid); ++v) {
        const lmb_vec3 p = lmbi_grid_center(&grid, v);
        field[v] = 2 * p.x - 3 * p.y + p.z;
    }
    const lmb_vec3 p = {-0.2f, 1.1f, 3.3f};
    assert_true(fabsf(lmbi_field_sample(&grid, field, p) - (2 * p.x - 3 * p.y + p.z)) < 1e-5f);
}

static void impossible_grids_are_refused(void **state)
{
    (void)state;
    lmbi_grid grid;
    const lmb_box box = {{0, 0, 0}, {1, 1, 1}};
    assert_int_equal(lmbi_grid_around(box, 1e-6f, 1, &grid, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_grid_around(box, 0, 1, &grid, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_grid_around(lmb_box_empty(), 0.1f, 1, &grid, NULL), LMB_ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_field_has_brute_force_distances),
        cmocka_unit_test(closed_surfaces_are_filled),
        cmocka_unit_test(holes_and_flips_do_not_empty_a_solid),
        cmocka_unit_test(an_open_side_may_stay_open),
        cmocka_unit_test(pieces_are_joined_by_the_shortest_bridges),
        cmocka_unit_test(fields_are_interpolated),
        cmocka_unit_test(impossible_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
