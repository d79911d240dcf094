#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/render.h"

enum { SIDE = 200, RINGS = 48, SECTORS = 96 };

static lmb_vec3 positions[(RINGS + 1) * SECTORS];
static uint32_t indices[RINGS * SECTORS * 6];

/// A unit sphere about the origin.
static lmb_render_surface sphere(void)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r <= RINGS; ++r) {
        for (uint32_t s = 0; s < SECTORS; ++s) {
            const float a = LMB_PI * (float)r / RINGS, b = 2 * LMB_PI * (float)s / SECTORS;
            positions[r * SECTORS + s] =
                lmb_vec3_make(lmb_sin(a) * lmb_cos(b), lmb_cos(a), lmb_sin(a) * lmb_sin(b));
        }
    }
    for (uint32_t r = 0; r < RINGS; ++r) {
        for (uint32_t s = 0; s < SECTORS; ++s) {
            const uint32_t a = r * SECTORS + s, b = r * SECTORS + (s + 1) % SECTORS;
            const uint32_t quad[6] = {a, b, a + SECTORS, b, b + SECTORS, a + SECTORS};
            memcpy(&indices[count], quad, sizeof quad);
            count += 6;
        }
    }
    return (lmb_render_surface){.vertex_count = (RINGS + 1) * SECTORS,
                                .positions = positions,
                                .index_count = count,
                                .indices = indices};
}

static uint8_t pixels[4 * SIDE * SIDE], again[4 * SIDE * SIDE];

static lmb_render_job sphere_job(const lmb_render_surface *surface, uint8_t *rgba)
{
    return (lmb_render_job){.surface_count = 1,
                            .surfaces = surface,
                            .no_ground = true,
                            .clear = true,
                            .pitch_rad = 1e-4f,
                            .picture = {SIDE, SIDE, rgba}};
}

static void silhouette_has_the_area_of_the_sphere(void **state)
{
    (void)state;
    const lmb_render_surface surface = sphere();
    const lmb_render_job job = sphere_job(&surface, pixels);
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    double covered = 0, left = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        covered += pixels[4 * i + 3] / 255.0;
        left += i % SIDE < SIDE / 2 ? pixels[4 * i + 3] / 255.0 : 0;
    }
    // The camera frames the box [-1,1]^3, whose near face fills 92% of half the width; a sphere at
    // distance d covers the slope 1/sqrt(d^2 - 1).
    const double slope = tan(14 * 3.14159265358979 / 180), d = 1 + 1 / (0.92 * slope);
    const double radius = 0.5 * SIDE / slope / sqrt(d * d - 1);
    assert_true(fabs(covered / (3.14159265358979 * radius * radius) - 1) < 0.01);
    assert_true(fabs(left / covered - 0.5) < 0.01);
}

static void light_comes_from_above(void **state)
{
    (void)state;
    const lmb_render_surface surface = sphere();
    const lmb_render_job job = sphere_job(&surface, pixels);
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    const uint8_t *top = &pixels[4 * ((SIDE / 4) * SIDE + SIDE / 2)],
                  *bottom = &pixels[4 * ((3 * SIDE / 4) * SIDE + SIDE / 2)];
    assert_true(top[0] > bottom[0] + 30);
}

/// Runs the pieces backwards: a runner with another order of work.
static void run_backwards(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    (void)user;
    for (size_t k = (count + grain - 1) / grain; k > 0; --k) {
        const size_t begin = (k - 1) * grain;
        piece(context, begin, begin + grain < count ? begin + grain : count);
    }
}

static void workers_do_not_change_a_bit(void **state)
{
    (void)state;
    const lmb_render_surface surface = sphere();
    const lmb_render_bone bone = {.head = {0, -0.5f, 0}, .tail = {0, 0.5f, 0}};
    const lmb_jobs jobs = {run_backwards, NULL, 2};
    lmb_render_job job = sphere_job(&surface, pixels);
    job.no_ground = false;
    job.clear = false;
    job.ground_y = -1;
    job.bones = &bone;
    job.bone_count = 1;
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    job.jobs = &jobs;
    job.picture.rgba = again;
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    assert_memory_equal(pixels, again, sizeof pixels);
}

/// Pixels of floor, outside the sphere itself, that the sphere makes darker.
static void floor_is_darker_in_the_shadow(void **state)
{
    (void)state;
    static uint8_t cover[4 * SIDE * SIDE];
    const lmb_render_surface surface = sphere();
    lmb_render_job job = sphere_job(&surface, cover);
    job.pitch_rad = 0.7f;
    job.frame = (lmb_box){{-3, -1, -3}, {3, 1, 3}};
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    job.no_ground = job.clear = false;
    job.ground_y = -1;
    job.picture.rgba = pixels;
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    job.surface_count = 0;
    job.picture.rgba = again;
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    int shadowed = 0, covered = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        covered += cover[4 * i + 3] == 255;
        shadowed += cover[4 * i + 3] == 0 && pixels[4 * i] + 40 < again[4 * i];
    }
    assert_true(covered > 500);
    assert_true(shadowed > covered / 4 && shadowed < covered);
}

/// Left half red, right half blue, wrapped once round the sphere: the front shows the seam between
/// them.
static void texture_lies_where_its_coordinates_say(void **state)
{
    (void)state;
    static lmb_vec2 uvs[(RINGS + 1) * SECTORS];
    static uint8_t two[8] = {255, 0, 0, 255, 0, 0, 255, 255};
    const lmb_picture texture = {2, 1, two};
    lmb_render_surface surface = sphere();
    for (uint32_t v = 0; v < surface.vertex_count; ++v) {
        uvs[v] = (lmb_vec2){positions[v].x < 0 ? 0.25f : 0.75f, 0.5f};
    }
    surface.uvs = uvs;
    surface.texture = &texture;
    surface.color = (lmb_vec4){1, 1, 1, 1};
    const lmb_render_job job = sphere_job(&surface, pixels);
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    const uint8_t *left = &pixels[4 * ((SIDE / 2) * SIDE + SIDE / 3)],
                  *right = &pixels[4 * ((SIDE / 2) * SIDE + 2 * SIDE / 3)];
    assert_true(left[0] > 2 * left[2] && right[2] > 2 * right[0]);
}

static void bad_jobs_are_refused(void **state)
{
    (void)state;
    lmb_render_surface surface = sphere();
    lmb_render_job job = sphere_job(&surface, pixels);
    lmb_error error;
    surface.vertex_count = 10;
    assert_int_equal(lmb_render(&job, &error), LMB_ERROR_INVALID);
    job.surface_count = 0;
    job.picture.width = 0;
    assert_int_equal(lmb_render(&job, &error), LMB_ERROR_INVALID);
}

static void an_empty_scene_is_a_picture(void **state)
{
    (void)state;
    const lmb_render_job job = {.picture = {SIDE, SIDE, pixels}};
    assert_int_equal(lmb_render(&job, NULL), LMB_OK);
    assert_int_equal(pixels[3], 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silhouette_has_the_area_of_the_sphere),
        cmocka_unit_test(light_comes_from_above),
        cmocka_unit_test(workers_do_not_change_a_bit),
        cmocka_unit_test(floor_is_darker_in_the_shadow),
        cmocka_unit_test(texture_lies_where_its_coordinates_say),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(an_empty_scene_is_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
