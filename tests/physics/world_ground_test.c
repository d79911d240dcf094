// Bodies on meshes and fields of heights: what a plane's answer is, no bump at inner edges, edges
// that stand out, and the two kinds of ground against each other.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"

// Feet (ik.h) and bodies (physics.h) each have a ground; one given for the other must not compile.
_Static_assert(_Generic((lmb_ik_ground *)0, lmb_ground * : 0, default : 1),
               "two grounds of one type");

static const float frame_s = 1.0f / 60;
static const float gravity = 9.81f;

// -------------------------------------------------------------------------------------- the ground

enum { SIDE = 25 };

static lmb_vec3 points[SIDE * SIDE];
static uint32_t faces[6 * (SIDE - 1) * (SIDE - 1)];

/// A square of `size` metres about the origin whose inner corners are moved about within it.
static void lay_grid(float size, float jitter)
{
    lmb_random random = lmb_random_seed(11);
    uint32_t count = 0;
    for (uint32_t k = 0; k < SIDE * SIDE; ++k) {
        const uint32_t i = k % SIDE, j = k / SIDE;
        const bool inner = i > 0 && j > 0 && i + 1 < SIDE && j + 1 < SIDE;
        const float cell = size / (SIDE - 1), by = inner ? jitter * cell : 0;
        points[k] =
            lmb_vec3_make((float)i * cell - 0.5f * size + lmb_random_range(&random, -by, by), 0,
                          (float)j * cell - 0.5f * size + lmb_random_range(&random, -by, by));
        if (i + 1 < SIDE && j + 1 < SIDE) {
            const uint32_t six[6] = {k, k + SIDE, k + SIDE + 1, k, k + SIDE + 1, k + 1};
            memcpy(faces + count, six, sizeof six);
            count += 6;
        }
    }
}

static lmb_ground *mesh_of(const lmb_vec3 *p, uint32_t vertices, const uint32_t *indices,
                           uint32_t index_count)
{
    lmb_ground *ground = NULL;
    const lmb_ground_mesh mesh = {p, vertices, indices, index_count};
    assert_int_equal(lmb_ground_create(&mesh, NULL, NULL, &ground, NULL), LMB_OK);
    return ground;
}

static lmb_ground *grid_mesh(void)
{
    return mesh_of(points, SIDE * SIDE, faces, sizeof faces / sizeof *faces);
}

// --------------------------------------------------------------------------------------- one body

typedef struct trial {
    lmb_rigid_shape shape, floor;
    float friction, restitution;
    lmb_vec3 at, velocity;
    lmb_quat rotation;
    lmb_vec3 gravity;
    lmb_world *world;
    lmb_world_report report;
} trial;

static void begin(trial *t)
{
    lmb_rigid_body body = {.position = t->at, .rotation = t->rotation, .velocity = t->velocity};
    lmb_rigid_shape_mass(&t->shape, 1000, &body.mass, &body.inertia);
    lmb_rigid_shape shapes[2] = {t->shape, t->floor};
    for (int k = 0; k < 2; ++k) {
        shapes[k].static_friction = shapes[k].dynamic_friction = t->friction;
        shapes[k].restitution = t->restitution;
    }
    const lmb_world_def def = {.body_count = 1,
                               .bodies = &body,
                               .shape_count = 2,
                               .shapes = shapes,
                               .gravity = t->gravity};
    assert_int_equal(lmb_world_create(&def, NULL, &t->world, NULL), LMB_OK);
}

static lmb_rigid_state run(trial *t, int frames)
{
    for (int f = 0; f < frames; ++f) {
        lmb_world_step(t->world, frame_s);
    }
    lmb_world_measure(t->world, &t->report);
    assert_true(t->report.finite);
    return lmb_world_state(t->world, 0);
}

static lmb_rigid_state outcome(trial t, int frames)
{
    begin(&t);
    const lmb_rigid_state s = run(&t, frames);
    lmb_world_destroy(t.world);
    return s;
}

static lmb_world_report placed(trial t)
{
    begin(&t);
    lmb_world_step(t.world, 1e-6f);
    lmb_world_measure(t.world, &t.report);
    lmb_world_destroy(t.world);
    return t.report;
}

static const lmb_rigid_shape shapes[] = {
    {.kind = LMB_RIGID_SPHERE, .radius = 0.2f},
    {.kind = LMB_RIGID_CAPSULE, .radius = 0.1f, .half = {0, 0.3f, 0}},
    {.kind = LMB_RIGID_BOX, .half = {0.3f, 0.15f, 0.2f}},
};
static const float heights_of[] = {0.2f, 0.1f, 0.15f};

static lmb_quat about_z(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), degrees * LMB_PI / 180);
}

static lmb_rigid_shape flat(const lmb_ground *ground, lmb_quat rotation)
{
    return ground
               ? (lmb_rigid_shape){.kind = LMB_RIGID_GROUND,
                                   .body = LMB_NONE,
                                   .ground = ground,
                                   .rotation = rotation}
               : (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE, .rotation = rotation};
}

/// A shape laid a little above a slope, lying along it.
static trial on_slope(int k, const lmb_ground *ground, float degrees, float friction)
{
    const lmb_quat tilt = about_z(degrees);
    trial t = {.shape = shapes[k],
               .floor = flat(ground, tilt),
               .friction = friction,
               .at = lmb_quat_rotate(tilt, lmb_vec3_make(0.11f, heights_of[k] + 0.002f, 0.07f)),
               .rotation = tilt,
               .gravity = {0, -gravity, 0}};
    if (k == 1) { // across the slope, so that it does not roll
        t.rotation = lmb_quat_mul(tilt, about_z(90));
    }
    return t;
}

static void test_rests_as_on_a_plane(void **state)
{
    (void)state;
    lay_grid(4, 0.3f);
    lmb_ground *ground = grid_mesh();
    for (int k = 1; k < 3; ++k) {
        const lmb_rigid_state plane = outcome(on_slope(k, NULL, 20, 0.9f), 90),
                              mesh = outcome(on_slope(k, ground, 20, 0.9f), 90);
        near((double)lmb_vec3_distance(plane.position, mesh.position), 0, 5e-4);
        near((double)lmb_quat_angle(plane.rotation, mesh.rotation), 0, 2e-3);
        near((double)lmb_vec3_length(mesh.velocity), 0, 1e-3);
    }
    lmb_ground_destroy(ground);
}

/// tan 20 degrees is 0.364: less friction lets go, and then it goes by g (sin - mu cos).
static void test_slides_as_friction_lets_it(void **state)
{
    (void)state;
    lay_grid(8, 0.3f);
    lmb_ground *ground = grid_mesh();
    const double angle = 20 * (double)LMB_PI / 180;
    for (int k = 1; k < 3; ++k) {
        for (int m = 0; m < 2; ++m) {
            const float friction = m == 0 ? 0.40f : 0.25f;
            trial t = on_slope(k, ground, 20, friction);
            begin(&t);
            const lmb_vec3 from = run(&t, 20).position; // it has come down
            const double speed = (double)lmb_vec3_length(run(&t, 0).velocity);
            const lmb_vec3 to = run(&t, 48).position;
            const double a = (double)gravity * (sin(angle) - (double)friction * cos(angle)),
                         travel = m == 0 ? 0 : speed * 0.8 + 0.5 * a * 0.64;
            near((double)lmb_vec3_distance(from, to), travel, m == 0 ? 2e-3 : 0.02 * travel + 2e-3);
            lmb_world_destroy(t.world);
        }
    }
    lmb_ground_destroy(ground);
}

/// Sliding without friction over a floor of many triangles, nothing but the direction changes.
static void test_inner_edges_do_not_trip(void **state)
{
    (void)state;
    lay_grid(12, 0.4f);
    lmb_ground *ground = grid_mesh();
    for (int k = 0; k < 3; ++k) {
        for (int direction = 0; direction < 6; ++direction) {
            const float angle = 0.37f + (float)direction;
            trial t = {.shape = shapes[k],
                       .floor = flat(ground, lmb_quat_identity()),
                       .velocity = {5 * lmb_cos(angle), 0, 5 * lmb_sin(angle)},
                       .at = {0.013f, heights_of[k], 0.017f},
                       .rotation = about_z(k == 1 ? 90 : 0),
                       .gravity = {0, -gravity, 0}};
            begin(&t);
            for (int f = 0; f < 60; ++f) {
                const lmb_rigid_state s = run(&t, 1);
                near((double)s.position.y, (double)heights_of[k], 2e-4);
                near((double)lmb_vec3_distance(s.velocity, t.velocity), 0, 5e-3);
                near((double)lmb_vec3_length(s.spin), 0, 0.02);
            }
            lmb_world_destroy(t.world);
        }
    }
    lmb_ground_destroy(ground);
}

static void test_bounces(void **state)
{
    (void)state;
    lay_grid(4, 0.3f);
    lmb_ground *ground = grid_mesh();
    trial t = {.shape = shapes[0],
               .floor = flat(ground, lmb_quat_identity()),
               .restitution = 0.8f,
               .at = {0.11f, 1.2f, 0.07f},
               .gravity = {0, -gravity, 0}};
    begin(&t);
    float highest = 0;
    for (int f = 0; f < 70; ++f) {
        const lmb_rigid_state s = run(&t, 1);
        highest = f > 30 ? fmaxf(highest, s.position.y) : 0;
    }
    near((double)highest, 0.2 + 0.64, 0.02);
    lmb_world_destroy(t.world);
    lmb_ground_destroy(ground);
}

// ------------------------------------------------------------------------------ edges and thickness

/// A roof of 30 degrees along z, ridge at y = 0.
static lmb_ground *roof(void)
{
    const float drop = 2 * lmb_tan(30 * LMB_PI / 180);
    const lmb_vec3 p[] = {{0, 0, -2},     {0, 0, 2},      {-2, -drop, -2},
                          {-2, -drop, 2}, {2, -drop, -2}, {2, -drop, 2}};
    const uint32_t f[] = {0, 2, 3, 0, 3, 1, 0, 1, 5, 0, 5, 4};
    return mesh_of(p, 6, f, 12);
}

/// A beam lies across a ridge; a ball at it keeps its distance on every side.
static void test_ridge(void **state)
{
    (void)state;
    lmb_ground *ground = roof();
    trial beam = {.shape = shapes[1],
                  .floor = flat(ground, lmb_quat_identity()),
                  .friction = 1,
                  .at = {0, 0.1f, 0.1f},
                  .rotation = about_z(90),
                  .gravity = {0, -gravity, 0}};
    const lmb_rigid_state s = outcome(beam, 30);
    near((double)s.position.y, 0.1, 5e-4);
    for (int k = 0; k <= 12; ++k) { // deepest where it goes straight into the ridge
        const float lean = (-60 + 10 * (float)k) * LMB_PI / 180;
        const lmb_vec3 axis = {lmb_sin(lean), lmb_cos(lean), 0};
        trial ball = {.shape = shapes[0],
                      .floor = flat(ground, lmb_quat_identity()),
                      .at = lmb_vec3_scale(axis, 0.19f)};
        const double over = fmax(0, fabs((double)lean) - (double)LMB_PI / 6);
        near((double)placed(ball).penetration, 0.2 - 0.19 * cos(over), 1e-5);
    }
    lmb_ground_destroy(ground);
}

/// One sheet stops what is fast; what comes from behind goes through as if it were not there, slow
/// or fast, turning or not.
static void test_sheet(void **state)
{
    (void)state;
    lay_grid(4, 0.3f);
    lmb_ground *ground = grid_mesh();
    for (int k = 0; k < 3; ++k) {
        trial t = {.shape = shapes[k],
                   .floor = flat(ground, lmb_quat_identity()),
                   .at = {0.3f, 3, 0.1f},
                   .velocity = {0, -60, 0}};
        assert_true(outcome(t, 30).position.y > 0);
        for (int direction = 0; direction < 3; ++direction) {
            static const float speeds[] = {10, 1, 0.4f};
            const float y0 = -0.6f - 0.05f * (float)k;
            t.at.y = y0;
            t.velocity = lmb_vec3_make(0.2f * (float)direction, speeds[direction], 0);
            t.rotation = about_z(40 * (float)direction);
            const int frames = (int)(2.4f * 60 / speeds[direction]);
            const lmb_rigid_state s = outcome(t, frames);
            near((double)s.position.y, (double)(y0 + speeds[direction] * (float)frames * frame_s),
                 1e-4);
            near((double)lmb_vec3_length(s.spin), 0, 1e-5);
        }
    }
    lmb_ground_destroy(ground);
}

/// And what has gone through stands on it when it comes back.
static void test_sheet_from_both_sides(void **state)
{
    (void)state;
    lay_grid(4, 0.3f);
    lmb_ground *ground = grid_mesh();
    trial t = {.shape = shapes[0],
               .floor = flat(ground, lmb_quat_identity()),
               .at = {0.3f, -0.5f, 0.1f},
               .velocity = {0, 6, 0},
               .friction = 1,
               .gravity = {0, -gravity, 0}};
    near((double)outcome(t, 180).position.y, (double)shapes[0].radius, 1e-3);
    lmb_ground_destroy(ground);
}

// -------------------------------------------------------------------------------- the two kinds

static float hills(float x, float z)
{
    const float bowl = 0.12f * ((x - 3) * (x - 3) + (z - 3) * (z - 3));
    return 0.3f * lmb_sin(1.3f * x) * lmb_cos(1.1f * z) + 0.1f * lmb_sin(5 * x + 2 * z) + bowl;
}

/// A field and the mesh of its cells, at the same place.
static void make_both(lmb_ground **field, lmb_ground **mesh)
{
    lay_grid(6, 0);
    float heights[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) {
        heights[k] = hills(points[k].x + 3, points[k].z + 3);
        points[k] = lmb_vec3_make((float)(k % SIDE) * 0.25f, heights[k], (float)(k / SIDE) * 0.25f);
    }
    const lmb_height_field def = {
        .columns = SIDE, .rows = SIDE, .spacing = {0.25f, 0.25f}, .heights = heights};
    assert_int_equal(lmb_ground_create(NULL, &def, NULL, field, NULL), LMB_OK);
    *mesh = grid_mesh();
}

static void test_field_is_its_mesh(void **state)
{
    (void)state;
    lmb_ground *both[2];
    make_both(&both[0], &both[1]);
    lmb_random random = lmb_random_seed(5);
    int touching = 0;
    for (int k = 0; k < 300; ++k) {
        lmb_world_report reports[2];
        trial t = {.shape = shapes[k % 3]};
        t.at = lmb_vec3_make(lmb_random_range(&random, 0.5f, 5.5f), 0,
                             lmb_random_range(&random, 0.5f, 5.5f));
        const lmb_vec3 axis = lmb_vec3_normalize_or(
            lmb_vec3_make(lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1), 0.3f),
            lmb_vec3_make(1, 0, 0));
        t.rotation = lmb_quat_axis_angle(axis, lmb_random_range(&random, 0, 3));
        t.at.y = hills(t.at.x, t.at.z) + heights_of[k % 3] + lmb_random_range(&random, 0.1f, 0.25f);
        for (int kind = 0; kind < 2; ++kind) {
            t.floor = flat(both[kind], lmb_quat_identity());
            reports[kind] = placed(t);
        }
        assert_int_equal(reports[0].contact_count, reports[1].contact_count);
        near((double)reports[0].penetration, (double)reports[1].penetration, 1e-6);
        touching += reports[0].contact_count > 0;
    }
    assert_true(touching > 100);
    lmb_ground_destroy(both[0]);
    lmb_ground_destroy(both[1]);
}

/// Things dropped on hills come to rest on them.
static void test_rest_on_hills(void **state)
{
    (void)state;
    lmb_ground *both[2];
    make_both(&both[0], &both[1]);
    for (int k = 0; k < 12; ++k) {
        const int kind = k % 2, what = k % 3;
        trial t = {.shape = shapes[what],
                   .floor = flat(both[kind], lmb_quat_identity()),
                   .friction = 0.8f,
                   .at = {1.5f + 0.25f * (float)k, 1.2f, 1.7f + 0.2f * (float)k},
                   .rotation = about_z(20 * (float)k),
                   .gravity = {0, -gravity, 0}};
        begin(&t);
        for (int f = 0; f < 240; ++f) {
            run(&t, 1);
            assert_true(t.report.penetration < 5e-3f);
        }
        const lmb_vec3 at = run(&t, 0).position;
        lmb_vec3 below, normal;
        assert_true(lmb_ground_below(both[kind], lmb_vec3_make(at.x, 10, at.z), &below, &normal));
        assert_true(at.y > below.y + 0.8f * heights_of[what] && at.y < below.y + 0.5f);
        lmb_world_destroy(t.world);
    }
    lmb_ground_destroy(both[0]);
    lmb_ground_destroy(both[1]);
}

static void test_below(void **state)
{
    (void)state;
    lmb_ground *both[2];
    make_both(&both[0], &both[1]);
    for (int k = 0; k < 100; ++k) {
        lmb_vec3 at[2], normal[2];
        const lmb_vec3 from = {0.05f + 0.059f * (float)k, 3, 5.9f - 0.0571f * (float)k};
        for (int kind = 0; kind < 2; ++kind) {
            assert_true(lmb_ground_below(both[kind], from, &at[kind], &normal[kind]));
        }
        near((double)at[0].y, (double)at[1].y, 1e-5);
        near((double)lmb_vec3_distance(normal[0], normal[1]), 0, 1e-3);
    }
    lmb_vec3 at, normal;
    assert_false(lmb_ground_below(both[0], lmb_vec3_make(-1, 3, 1), &at, &normal));
    assert_false(lmb_ground_below(both[1], lmb_vec3_make(-1, 3, 1), &at, &normal));
    assert_false(lmb_ground_below(both[0], lmb_vec3_make(1, -3, 1), &at, &normal));
    lmb_ground_destroy(both[0]);
    lmb_ground_destroy(both[1]);
}

static void test_bad_grounds(void **state)
{
    (void)state;
    const lmb_vec3 p[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, NAN}};
    const uint32_t fine[] = {0, 1, 1}, past[] = {0, 1, 7}, odd[] = {0, 1, 2};
    lmb_ground *ground = NULL;
    lmb_ground_mesh mesh = {p, 2, past, 3};
    assert_int_equal(lmb_ground_create(&mesh, NULL, NULL, &ground, NULL), LMB_ERROR_INVALID);
    mesh = (lmb_ground_mesh){p, 3, odd, 3};
    assert_int_equal(lmb_ground_create(&mesh, NULL, NULL, &ground, NULL), LMB_ERROR_INVALID);
    float heights[4] = {0, INFINITY, 0, 0};
    lmb_height_field def = {.columns = 2, .rows = 2, .spacing = {1, 1}, .heights = heights};
    assert_int_equal(lmb_ground_create(NULL, &def, NULL, &ground, NULL), LMB_ERROR_INVALID);
    def.rows = 1;
    assert_int_equal(lmb_ground_create(NULL, &def, NULL, &ground, NULL), LMB_ERROR_INVALID);
    assert_null(ground);
    mesh = (lmb_ground_mesh){p, 2, fine, 3}; // nothing to stand on, and nothing wrong
    assert_int_equal(lmb_ground_create(&mesh, NULL, NULL, &ground, NULL), LMB_OK);
    trial t = {.shape = shapes[0], .floor = flat(ground, lmb_quat_identity()), .at = {0, 1, 0}};
    near((double)outcome(t, 5).position.y, 1, 1e-6);
    lmb_ground_destroy(ground);
}

static void test_memory(void **state)
{
    (void)state;
    lay_grid(1, 0);
    const lmb_ground_mesh mesh = {points, SIDE * SIDE, faces, sizeof faces / sizeof *faces};
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_ground *ground = NULL;
        f.result = lmb_ground_create(&mesh, NULL, &f.alloc, &ground, NULL);
        lmb_ground_destroy(ground);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests_as_on_a_plane),
        cmocka_unit_test(test_slides_as_friction_lets_it),
        cmocka_unit_test(test_inner_edges_do_not_trip),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_sheet_from_both_sides),
        cmocka_unit_test(test_field_is_its_mesh),
        cmocka_unit_test(test_rest_on_hills),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_bad_grounds),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
