/// The voxels of a figure that faces backward are those of the same figure that faces forward, after
/// half a turn about up: they are copied, and equal those that are made anew.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capsules.h"
#include "embed/shape/shape.h"

static const lmbi_frame FORWARD = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .size = 1},
                        BACKWARD = {.axes = {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, .size = 1};
static const lmb_vec3 EXTENT = {0.6f, 1.0f, 0.5f};

/// A trunk with one arm to its left and front, and one leg to its right: no symmetry at all.
static lmbi_triangle_soup make(capsules *s)
{
    s->point_count = s->triangle_count = 0;
    add_capsule(s, (lmb_vec3){0, -0.3f, 0}, (lmb_vec3){0.02f, 0.3f, 0.01f}, 0.12f, 0.1f);
    add_capsule(s, (lmb_vec3){0.05f, 0.25f, 0}, (lmb_vec3){0.4f, 0.1f, 0.3f}, 0.05f, 0.04f);
    add_capsule(s, (lmb_vec3){-0.07f, -0.3f, 0}, (lmb_vec3){-0.14f, -0.6f, 0.05f}, 0.06f, 0.05f);
    return (lmbi_triangle_soup){s->points, s->point_count, s->triangles, s->triangle_count, false};
}

static const lmbi_voxelisation *voxels_in(lmbi_voxel_cache *cache, const lmbi_frame *frame)
{
    lmbi_voxel_cache *upright;
    const lmbi_voxelisation *x;
    assert_int_equal(lmbi_voxel_cache_upright(cache, frame, EXTENT, 1.0f / 64, &upright, NULL),
                     LMB_OK);
    assert_int_equal(lmbi_voxel_cache_get(upright, LMBI_VOXELS_COARSE, &x, NULL), LMB_OK);
    assert_int_equal(lmbi_voxelisation_paths(&upright->variant[LMBI_VOXELS_COARSE], NULL), LMB_OK);
    return x;
}

static void assert_near(lmb_vec3 a, lmb_vec3 b)
{
    assert_true(lmb_vec3_distance(a, b) < 1e-5f);
}

/// How far the voxel that a path begins with lies from its end, along the path, in steps.
static uint32_t steps_to_center(const lmbi_voxelisation *x, const uint32_t *previous, uint32_t v)
{
    uint32_t steps = 0;
    for (; v != x->body.center && steps < 10000; v = previous[v]) {
        ++steps;
    }
    return steps;
}

static void a_copy_equals_what_is_made_anew(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    const lmbi_triangle_soup soup = make(s);
    lmbi_voxel_cache both, alone;
    assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &both, NULL), LMB_OK);
    assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &alone, NULL), LMB_OK);
    voxels_in(&both, &FORWARD);
    const lmbi_voxelisation *copy = voxels_in(&both, &BACKWARD),
                            *anew = voxels_in(&alone, &BACKWARD);
    assert_non_null(both.upright->reverse);
    assert_null(alone.upright->reverse);
    const size_t count = lmbi_grid_count(&anew->body.grid);
    assert_int_equal(lmbi_grid_count(&copy->body.grid), count);
    assert_near(copy->body.grid.low, anew->body.grid.low);
    assert_memory_equal(copy->body.cells, anew->body.cells, count);
    assert_memory_equal(copy->body.depth, anew->body.depth, count * sizeof(float));
    assert_int_equal(copy->body.solid_count, anew->body.solid_count);
    assert_memory_equal(copy->body.solid, anew->body.solid,
                        anew->body.solid_count * sizeof(uint32_t));
    assert_int_equal(copy->body.center, anew->body.center);
    assert_near(copy->body.centroid, anew->body.centroid);
    for (uint32_t k = 0; k < anew->body.solid_count; ++k) {
        const uint32_t v = anew->body.solid[k];
        assert_true(fabsf(copy->body.geodesic[v] - anew->body.geodesic[v]) < 1e-3f);
        assert_near(copy->body.at[k], anew->body.at[k]);
    }
    assert_int_equal(copy->tip_count, anew->tip_count);
    assert_true(anew->tip_count >= 3);
    for (uint32_t t = 0; t < 3; ++t) {
        const lmbi_tip *a = &copy->tips[t], *b = &anew->tips[t];
        assert_near(a->position, b->position);
        assert_near(a->position, lmbi_grid_center(&copy->body.grid, a->voxel));
        assert_true(lmb_vec3_distance(a->base, b->base) < 3.0f / 64);
        const uint32_t steps = steps_to_center(copy, copy->paths, a->voxel);
        assert_true(steps > 5 && steps < 200);
        assert_true(steps_to_center(copy, copy->body.previous, a->voxel) < 200);
    }
    lmbi_voxel_cache_destroy(&both);
    lmbi_voxel_cache_destroy(&alone);
    free(s);
}

static void another_plane_or_size_is_no_reverse(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    const lmbi_triangle_soup soup = make(s);
    lmbi_voxel_cache cache;
    assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &cache, NULL), LMB_OK);
    voxels_in(&cache, &FORWARD);
    lmbi_frame other = BACKWARD;
    other.origin.x = 0.01f;
    voxels_in(&cache, &other);
    assert_null(cache.upright->reverse);
    other = BACKWARD;
    other.size = 1.1f;
    voxels_in(&cache, &other);
    assert_null(cache.upright->reverse);
    lmbi_voxel_cache_destroy(&cache);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_equals_what_is_made_anew),
        cmocka_unit_test(another_plane_or_size_is_no_reverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
