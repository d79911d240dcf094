// Bodies for surfaces: known volumes and moments, shapes that are what the surface is, pieces of
// what is no box, and a table that stands on its legs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"

enum { MOST = 4000 };

static lmb_vec3 points[MOST];
static uint32_t corners[6 * MOST];
static uint32_t point_count, corner_count;

static void clear(void)
{
    point_count = corner_count = 0;
}

/// A box, rotated about the origin.
static void add_box(lmb_vec3 at, lmb_vec3 half, lmb_quat rotation)
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; ++f) {
        const uint32_t q[6] = {faces[f][0], faces[f][1], faces[f][2],
                               faces[f][0], faces[f][2], faces[f][3]};
        for (int k = 0; k < 6; ++k) {
            corners[corner_count++] = point_count + q[k];
        }
    }
    for (int k = 0; k < 8; ++k) {
        const lmb_vec3 p = {at.x + (k & 1 ? half.x : -half.x), at.y + (k & 2 ? half.y : -half.y),
                            at.z + (k & 4 ? half.z : -half.z)};
        points[point_count++] = lmb_quat_rotate(rotation, p);
    }
}

/// A ball, drawn out along y by `straight` either way.
static void add_ball(lmb_vec3 at, float radius, float straight)
{
    enum { ROUND = 32, DOWN = 17 };
    for (uint32_t i = 0; i < DOWN; ++i) {
        const float down = LMB_PI * (float)i / (DOWN - 1);
        for (uint32_t k = 0; k < ROUND; ++k) {
            const float rotation = 2 * LMB_PI * (float)k / ROUND;
            const lmb_vec3 p = {radius * lmb_sin(down) * lmb_cos(rotation),
                                radius * lmb_cos(down) + (i <= DOWN / 2 ? straight : -straight),
                                radius * lmb_sin(down) * lmb_sin(rotation)};
            points[point_count + i * ROUND + k] = lmb_vec3_add(at, p);
            if (i + 1 < DOWN) {
                const uint32_t a = point_count + i * ROUND + k,
                               b = point_count + i * ROUND + (k + 1) % ROUND;
                const uint32_t six[6] = {a, b + ROUND, a + ROUND, a, b, b + ROUND};
                memcpy(corners + corner_count, six, sizeof six);
                corner_count += 6;
            }
        }
    }
    point_count += ROUND * DOWN;
}

static lmb_rigid_fit fitted(const lmb_rigid_fit_opts *opts)
{
    const lmb_ground_mesh mesh = {points, point_count, corners, corner_count};
    lmb_rigid_fit fit;
    lmb_error error = {0};
    if (lmb_rigid_fit_mesh(&mesh, opts, NULL, &fit, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return fit;
}

/// A turned box off the origin: its volume, its moments in order, one box.
static void test_box(void **state)
{
    (void)state;
    const lmb_quat rotation = lmb_quat_axis_angle(
        lmb_vec3_normalize_or(lmb_vec3_make(1, 2, 3), lmb_vec3_make(0, 1, 0)), 0.8f);
    const lmb_vec3 at = {0.4f, 1, -0.2f}, half = {0.5f, 0.3f, 0.1f};
    clear();
    add_box(at, half, rotation);
    const lmb_rigid_fit fit = fitted(&(lmb_rigid_fit_opts){.density = 500});
    const double mass = 500 * 8 * 0.5 * 0.3 * 0.1;
    near((double)fit.body.mass, mass, 1e-3);
    near((double)lmb_vec3_distance(fit.body.position, lmb_quat_rotate(rotation, at)), 0, 1e-6);
    near((double)fit.body.inertia.x, mass / 3 * (0.3 * 0.3 + 0.1 * 0.1), 1e-3);
    near((double)fit.body.inertia.y, mass / 3 * (0.5 * 0.5 + 0.1 * 0.1), 1e-3);
    near((double)fit.body.inertia.z, mass / 3 * (0.5 * 0.5 + 0.3 * 0.3), 1e-3);
    assert_int_equal(fit.shape_count, 1);
    assert_int_equal(fit.shapes[0].kind, LMB_RIGID_BOX);
    near((double)fit.fill, 1, 1e-3);
    assert_true(fit.is_closed);
}

/// Round things are round, to what their facets leave.
static void test_round(void **state)
{
    (void)state;
    clear();
    add_ball(lmb_vec3_make(1, 2, 3), 0.3f, 0);
    lmb_rigid_fit fit = fitted(NULL);
    assert_int_equal(fit.shape_count, 1);
    assert_int_equal(fit.shapes[0].kind, LMB_RIGID_SPHERE);
    near((double)fit.shapes[0].radius, 0.3, 2e-3);
    near((double)fit.volume, 4.0 / 3 * 3.14159265 * 0.027, 2e-3);
    near((double)fit.body.inertia.x / (double)fit.body.mass, 0.4 * 0.09, 6e-4);
    clear();
    add_ball(lmb_vec3_make(1, 2, 3), 0.2f, 0.3f);
    fit = fitted(&(lmb_rigid_fit_opts){.mass = 3});
    assert_int_equal(fit.shape_count, 1);
    assert_int_equal(fit.shapes[0].kind, LMB_RIGID_CAPSULE);
    near((double)fit.shapes[0].radius, 0.2, 2e-3);
    near((double)fit.shapes[0].half.y, 0.3, 2e-3);
    near((double)fit.body.mass, 3, 1e-5);
    lmb_vec3 along = lmb_quat_rotate(lmb_quat_mul(fit.body.rotation, fit.shapes[0].rotation),
                                     lmb_vec3_make(0, 1, 0));
    near((double)fabsf(along.y), 1, 1e-5);
    float mass;
    lmb_vec3 inertia; // of the same capsule, about y
    lmb_rigid_shape_mass(&fit.shapes[0], 3 / fit.volume, &mass, &inertia);
    near((double)fit.body.inertia.x, (double)inertia.y, 3e-3);
    near((double)fit.body.inertia.z, (double)inertia.x, 8e-3);
}

static void lay_table(void)
{
    const lmb_quat same = lmb_quat_identity();
    clear();
    add_box(lmb_vec3_make(0, 0.725f, 0), lmb_vec3_make(0.6f, 0.025f, 0.4f), same);
    for (int k = 0; k < 4; ++k) {
        add_box(lmb_vec3_make(k & 1 ? 0.55f : -0.55f, 0.35f, k & 2 ? 0.35f : -0.35f),
                lmb_vec3_make(0.03f, 0.35f, 0.03f), same);
    }
}

/// A table of five boxes is five pieces that fill it, and stands.
static void test_table(void **state)
{
    (void)state;
    lay_table();
    const lmb_rigid_fit fit = fitted(NULL);
    assert_true(fit.is_closed);
    near((double)fit.volume, 1.2 * 0.05 * 0.8 + 4 * 0.06 * 0.06 * 0.7, 1e-5);
    assert_int_equal(fit.shape_count, 5);
    assert_true(fit.fill > 0.85f && fit.fill < 1.01f);
    lmb_rigid_shape shapes[LMB_RIGID_SHAPES + 1];
    for (uint32_t k = 0; k < fit.shape_count; ++k) {
        shapes[k] = fit.shapes[k];
        shapes[k].static_friction = shapes[k].dynamic_friction = 0.7f;
    }
    shapes[fit.shape_count] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE,
                                                .body = LMB_NONE,
                                                .static_friction = 0.7f,
                                                .dynamic_friction = 0.7f};
    lmb_rigid_body body = fit.body;
    body.position.y += 0.7f; // all its legs strike at once, and it does not tip
    const lmb_world_def def = {.body_count = 1,
                               .bodies = &body,
                               .shape_count = fit.shape_count + 1,
                               .shapes = shapes,
                               .gravity = {0, -9.81f, 0}};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    for (int f = 0; f < 180; ++f) {
        lmb_world_step(world, 1.0f / 60);
    }
    const lmb_rigid_state s = lmb_world_state(world, 0);
    assert_true(s.asleep);
    near((double)s.position.y, (double)fit.body.position.y, 3e-3);
    near((double)lmb_quat_angle(s.rotation, fit.body.rotation), 0, 5e-3);
    lmb_world_destroy(world);
}

/// Inside out, open, flat: still a body of some mass and inertia.
static void test_odd(void **state)
{
    (void)state;
    clear();
    add_box(lmb_vec3_make(0, 0, 0), lmb_vec3_make(0.5f, 0.3f, 0.1f), lmb_quat_identity());
    for (uint32_t t = 0; t < corner_count; t += 3) {
        const uint32_t kept = corners[t];
        corners[t] = corners[t + 1];
        corners[t + 1] = kept;
    }
    lmb_rigid_fit fit = fitted(NULL);
    near((double)fit.volume, 8 * 0.5 * 0.3 * 0.1, 1e-6);
    corner_count -= 6; // without a side
    fit = fitted(NULL);
    assert_false(fit.is_closed);
    assert_true(fit.body.mass > 0 && fit.body.inertia.x > 0);
    corner_count = 6; // a single side
    fit = fitted(NULL);
    assert_true(fit.body.mass > 0 && fit.body.inertia.x > 0 && fit.body.inertia.y > 0 &&
                fit.body.inertia.z > 0);
    assert_int_equal(fit.shapes[0].kind, LMB_RIGID_BOX);
}

static void test_refused(void **state)
{
    (void)state;
    lay_table();
    lmb_rigid_fit fit;
    lmb_ground_mesh mesh = {points, point_count, corners, 0};
    assert_int_equal(lmb_rigid_fit_mesh(&mesh, NULL, NULL, &fit, NULL), LMB_ERROR_INVALID);
    mesh.index_count = corner_count;
    mesh.vertex_count = 5;
    assert_int_equal(lmb_rigid_fit_mesh(&mesh, NULL, NULL, &fit, NULL), LMB_ERROR_INVALID);
    mesh.vertex_count = point_count;
    points[7].y = NAN;
    assert_int_equal(lmb_rigid_fit_mesh(&mesh, NULL, NULL, &fit, NULL), LMB_ERROR_INVALID);
    lay_table();
    for (int calls = 0; calls < 3; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        const lmb_result result = lmb_rigid_fit_mesh(&mesh, NULL, &alloc, &fit, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box), cmocka_unit_test(test_round),   cmocka_unit_test(test_table),
        cmocka_unit_test(test_odd), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
