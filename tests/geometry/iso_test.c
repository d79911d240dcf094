// Surfaces of fields: closed, manifold and outward whatever the field, and the right size for
// fields with a known answer.
#include "geometry/closed.h"
#include "geometry/geometry.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

typedef struct {
    lmb_vec3 a, b;
    float r;
} capsule;

static float capsule_value(const void *context, lmb_vec3 p)
{
    const capsule *c = context;
    const lmb_vec3 ab = lmb_vec3_sub(c->b, c->a), ap = lmb_vec3_sub(p, c->a);
    const float length2 = lmb_vec3_dot(ab, ab);
    float t = length2 > 0.0f ? lmb_vec3_dot(ap, ab) / length2 : 0.0f;
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    return lmb_vec3_length(lmb_vec3_mad(ap, ab, -t)) - c->r;
}

static float torus_value(const void *context, lmb_vec3 p)
{
    (void)context;
    const float q = sqrtf(p.x * p.x + p.z * p.z) - 1.0f;
    return sqrtf(q * q + p.y * p.y) - 0.3f;
}

// A field that no lattice resolves: signs at random.
static float noise_value(const void *context, lmb_vec3 p)
{
    (void)context;
    uint32_t h = (uint32_t)(int32_t)floorf(p.x * 64.0f) * 73856093u ^
                 (uint32_t)(int32_t)floorf(p.y * 64.0f) * 19349663u ^
                 (uint32_t)(int32_t)floorf(p.z * 64.0f) * 83492791u;
    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return (h ^ h >> 16) & 1 ? 0.1f : -0.1f;
}

static lmbi_iso_job job_of(float (*value)(const void *, lmb_vec3), const void *context, float half,
                           float step)
{
    const lmbi_iso_job job = {.value = value,
                              .context = context,
                              .step = step,
                              .rounds = 3,
                              .box = {{-half, -half, -half}, {half, half, half}}};
    return job;
}

static lmb_surface *surface_of(const lmbi_iso_job *job)
{
    lmb_surface *s = NULL;
    assert_int_equal(lmbi_iso_surface(job, NULL, &s, NULL), LMB_OK);
    return s;
}

static void test_sphere_has_its_volume_and_area(void **state)
{
    (void)state;
    const capsule ball = {{0.01f, 0.02f, 0.03f}, {0.01f, 0.02f, 0.03f}, 0.5f};
    const lmbi_iso_job job = job_of(capsule_value, &ball, 0.6f, 0.05f);
    lmb_surface *s = surface_of(&job);
    assert_int_equal(shape_euler_of_closed(s), 2);
    const double volume = 4.0 / 3.0 * 3.14159265 * 0.125, area = 4.0 * 3.14159265 * 0.25;
    assert_true(fabs(lmbi_surface_volume(s) / volume - 1.0) < 0.01);
    float *areas = malloc(s->triangle_count * sizeof *areas);
    assert_true(fabs(lmbi_surface_areas(s, areas) / area - 1.0) < 0.01);
    free(areas);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        assert_true(fabsf(capsule_value(&ball, s->positions[v])) < 1e-4f);
    }
    lmb_surface_destroy(s);
}

static void test_triangles_are_well_shaped(void **state)
{
    (void)state;
    const capsule c = {{-0.3f, -0.2f, 0.1f}, {0.4f, 0.3f, -0.1f}, 0.25f};
    const lmbi_iso_job job = job_of(capsule_value, &c, 0.8f, 0.04f);
    lmb_surface *s = surface_of(&job);
    uint32_t thin = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *i = &s->triangles[3 * (size_t)t];
        const lmb_vec3 p = s->positions[i[0]], q = s->positions[i[1]], r = s->positions[i[2]];
        const float a = lmb_vec3_distance(p, q), b = lmb_vec3_distance(q, r),
                    d = lmb_vec3_distance(r, p);
        const float area =
            0.5f * lmb_vec3_length(lmb_vec3_cross(lmb_vec3_sub(q, p), lmb_vec3_sub(r, p)));
        const float quality = 6.9282f * area / (a * a + b * b + d * d); // 1 for an equilateral one
        thin += quality < 0.3f;
    }
    assert_true(thin * 50 < s->triangle_count);
    lmb_surface_destroy(s);
}

static void test_torus_has_a_hole(void **state)
{
    (void)state;
    const lmbi_iso_job job = job_of(torus_value, NULL, 1.4f, 0.08f);
    lmb_surface *s = surface_of(&job);
    assert_int_equal(shape_euler_of_closed(s), 0);
    assert_true(lmbi_surface_volume(s) > 0.0);
    lmb_surface_destroy(s);
}

static void test_noise_is_manifold(void **state)
{
    (void)state;
    lmbi_iso_job job = job_of(noise_value, NULL, 0.3f, 1.0f / 64.0f);
    job.rounds = 0;
    job.slope = 1e6f;
    lmb_surface *s = surface_of(&job);
    assert_true(s->triangle_count > 10000);
    shape_euler_of_closed(s);
    lmb_surface_destroy(s);
}

static void test_shape_cut_by_the_box_closes(void **state)
{
    (void)state;
    const capsule bar = {{-9, 0, 0}, {9, 0, 0}, 0.2f};
    lmbi_iso_job job = job_of(capsule_value, &bar, 0.5f, 0.05f);
    job.rounds = 0;
    lmb_surface *s = surface_of(&job);
    assert_int_equal(shape_euler_of_closed(s), 2);
    lmb_surface_destroy(s);
}

static void test_bad_jobs_are_refused(void **state)
{
    (void)state;
    const capsule ball = {{0, 0, 0}, {0, 0, 0}, 0.5f};
    lmb_surface *s = NULL;
    lmbi_iso_job job = job_of(capsule_value, &ball, 0.6f, 0.0f);
    assert_int_equal(lmbi_iso_surface(&job, NULL, &s, NULL), LMB_ERROR_INVALID);
    job.step = 1e-5f;
    assert_int_equal(lmbi_iso_surface(&job, NULL, &s, NULL), LMB_ERROR_INVALID);
    job.step = 0.1f;
    job.box.high.x = -1.0f;
    assert_int_equal(lmbi_iso_surface(&job, NULL, &s, NULL), LMB_ERROR_INVALID);
    assert_null(s);
}

static void test_empty_field_gives_an_empty_surface(void **state)
{
    (void)state;
    const capsule far_off = {{9, 9, 9}, {9, 9, 9}, 0.5f};
    const lmbi_iso_job job = job_of(capsule_value, &far_off, 0.6f, 0.1f);
    lmb_surface *s = surface_of(&job);
    assert_int_equal(s->triangle_count, 0);
    lmb_surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_has_its_volume_and_area),
        cmocka_unit_test(test_triangles_are_well_shaped),
        cmocka_unit_test(test_torus_has_a_hole),
        cmocka_unit_test(test_noise_is_manifold),
        cmocka_unit_test(test_shape_cut_by_the_box_closes),
        cmocka_unit_test(test_bad_jobs_are_refused),
        cmocka_unit_test(test_empty_field_gives_an_empty_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
