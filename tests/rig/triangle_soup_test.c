/// A tube broken into loose triangles, each displaced a little, or more.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/shapes.h"
#include "limber/rig.h"
#include "rig/rig.h"
#include "rig/weight_of.h"

static const lmbi_bone_segment halves[2] = {{{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {4, 0, 0}, 1}};

/// Every corner a vertex of its own, each coordinate off by `jitter` at most.
static shape broken(const shape *whole, float jitter)
{
    shape s = {.point_count = 3 * whole->triangle_count, .triangle_count = whole->triangle_count};
    s.points = malloc(s.point_count * sizeof *s.points);
    s.triangles = malloc(s.point_count * sizeof *s.triangles);
    lmb_random random = lmb_random_seed(5);
    for (uint32_t k = 0; k < s.point_count; ++k) {
        const lmb_vec3 off = {lmb_random_range(&random, -jitter, jitter),
                              lmb_random_range(&random, -jitter, jitter),
                              lmb_random_range(&random, -jitter, jitter)};
        s.points[k] = lmb_vec3_add(whole->points[whole->triangles[k]], off);
        s.triangles[k] = k;
    }
    return s;
}

static lmb_weights *bind(const lmb_surface *s, lmb_weights_report *report)
{
    lmbi_bone_segment items[2] = {halves[0], halves[1]};
    const lmbi_bones bones = {.count = 2, .items = items};
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, report, NULL), LMB_OK);
    assert_int_equal(w->vertex_count, s->vertex_count);
    return w;
}

/// Mean and largest difference of the triangle soup's weights to those of the whole.
static void compare(float jitter, double *mean, double *most, lmb_weights_report *report)
{
    shape tube = shape_tube(80, 24, 1, -4, 4), triangles = broken(&tube, jitter);
    lmb_surface *s = shape_surface(&tube), *loose = shape_surface(&triangles);
    lmb_weights_report whole;
    lmb_weights *a = bind(s, &whole), *b = bind(loose, report);
    assert_int_equal(whole.triangle_soup_count, 0);
    *mean = *most = 0;
    for (uint32_t k = 0; k < triangles.point_count; ++k) {
        const uint32_t v = s->vertex_of[tube.triangles[k]], u = loose->vertex_of[k];
        const double off = fabs((double)weight_of(a, v, 0) - (double)weight_of(b, u, 0));
        *mean += off / triangles.point_count;
        *most = off > *most ? off : *most;
    }
    lmb_weights_destroy(a);
    lmb_weights_destroy(b);
    lmb_surface_destroy(s);
    lmb_surface_destroy(loose);
    shape_free(&tube);
    shape_free(&triangles);
}

static void crumbs_follow_as_the_whole_does(void **state)
{
    (void)state;
    double mean, most;
    lmb_weights_report report;
    compare(0.01f, &mean, &most, &report); // an edge is 0.1 along and 0.26 around
    assert_true(report.triangle_soup_count > 0);
    assert_int_equal(report.rigid_count, 0);
    assert_true(mean < 0.01 && most < 0.1);
}

/// What stays loose even so is carried by what it lies on, and is no armour of one joint.
static void loose_crumbs_are_carried_along(void **state)
{
    (void)state;
    double mean, most;
    lmb_weights_report report;
    compare(0.06f, &mean, &most, &report);
    assert_true(report.triangle_soup_count > 0 && report.inherited_count > 0);
    assert_int_equal(report.rigid_count, 0);
    assert_true(mean < 0.03 && most < 0.5);
}

/// Flakes with nothing between them: there is no path along the surface, so the path is through the
/// volume.
static void flakes_get_weights_through_the_volume(void **state)
{
    (void)state;
    shape flakes = {.point_count = 24, .triangle_count = 8};
    flakes.points = malloc(24 * sizeof *flakes.points);
    flakes.triangles = malloc(24 * sizeof *flakes.triangles);
    for (uint32_t k = 0; k < 24; ++k) {
        const float x = (float)(k / 3) - 3.5f, angle = 2 * LMB_PI * (float)(k % 3) / 3;
        flakes.points[k] = lmb_vec3_make(x, lmb_cos(angle), lmb_sin(angle));
        flakes.triangles[k] = k;
    }
    lmb_surface *s = shape_surface(&flakes);
    lmb_weights_report report;
    lmb_weights *w = bind(s, &report);
    assert_int_equal(report.triangle_soup_count, 24);
    for (uint32_t k = 0; k < 24; ++k) {
        const uint32_t own = k < 12 ? 0 : 1;
        assert_true(weight_of(w, s->vertex_of[k], own) > 0.5f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&flakes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crumbs_follow_as_the_whole_does),
        cmocka_unit_test(loose_crumbs_are_carried_along),
        cmocka_unit_test(flakes_get_weights_through_the_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
