// Shapes that meet: known distances and inertias, inclines, exchanges, heaps, sleep.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/limber.h"
#include "near.h"
#include "physics/world.h"

enum { MOST = 64 };

static const float frame_s = 1.0f / 60;

typedef struct scene {
    lmb_rigid_body bodies[MOST];
    lmb_rigid_shape shapes[MOST];
    uint32_t body_count, shape_count;
    lmb_world *world;
    lmb_world_report report;
} scene;

static void add_shape(scene *s, lmb_rigid_shape shape, float friction, float restitution)
{
    shape.static_friction = shape.dynamic_friction = friction;
    shape.restitution = restitution;
    s->shapes[s->shape_count++] = shape;
}

static void add_body(scene *s, lmb_rigid_shape shape, lmb_vec3 at, lmb_quat rotation,
                     float friction)
{
    lmb_rigid_body b = {.position = at, .rotation = rotation};
    lmb_rigid_shape_mass(&shape, 1000, &b.mass, &b.inertia);
    shape.body = (int32_t)s->body_count;
    s->bodies[s->body_count++] = b;
    add_shape(s, shape, friction, 0);
}

static void add_ground(scene *s, float friction)
{
    add_shape(s, (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE}, friction, 0);
}

static void start(scene *s, lmb_vec3 gravity)
{
    const lmb_world_def def = {.body_count = s->body_count,
                               .bodies = s->bodies,
                               .shape_count = s->shape_count,
                               .shapes = s->shapes,
                               .gravity = gravity};
    lmb_error error = {0};
    if (lmb_world_create(&def, NULL, &s->world, &error) != LMB_OK) {
        fail_msg("%s: %s", error.expected, error.found);
    }
}

static void run(scene *s, int frames)
{
    for (int f = 0; f < frames; ++f) {
        lmb_world_step(s->world, frame_s);
    }
    lmb_world_measure(s->world, &s->report);
    assert_true(s->report.finite);
}

static const lmb_vec3 down = {0, -9.81f, 0};
static const lmb_quat level = {0, 0, 0, 1};

static lmb_rigid_shape sphere(float r)
{
    return (lmb_rigid_shape){.kind = LMB_RIGID_SPHERE, .radius = r};
}

static lmb_rigid_shape capsule(float r, float half)
{
    return (lmb_rigid_shape){.kind = LMB_RIGID_CAPSULE, .radius = r, .half = {0, half, 0}};
}

static lmb_rigid_shape box(float x, float y, float z)
{
    return (lmb_rigid_shape){.kind = LMB_RIGID_BOX, .half = {x, y, z}};
}

static void segments(const double p[12], double want, double want_s, double want_t)
{
    double s, t;
    const lmbi_v3 a = {p[0], p[1], p[2]}, b = {p[3], p[4], p[5]}, c = {p[6], p[7], p[8]},
                  d = {p[9], p[10], p[11]};
    lmbi_segments_closest(a, b, c, d, &s, &t);
    near(lmbi_v3_length(lmbi_v3_sub(lmbi_v3_lerp(a, b, s), lmbi_v3_lerp(c, d, t))), want, 1e-12);
    if (want_s >= 0) {
        near(s, want_s, 1e-12);
        near(t, want_t, 1e-12);
    }
}

static void test_segments(void **state)
{
    (void)state;
    segments((const double[12]){0, 0, 0, 1, 0, 0, .5, 1, 0, .5, 2, 0}, 1, 0.5, 0);
    segments((const double[12]){-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0}, 0, 0.5, 0.5);
    segments((const double[12]){0, 0, 0, 1, 0, 0, 0.2, .3, 0, 0.8, .3, 0}, 0.3, -1, 0);
    segments((const double[12]){0, 0, 0, 0, 0, 0, 3, 4, 0, 3, 4, 0}, 5, 0, 0);
    segments((const double[12]){0, 0, 0, 1, 0, 0, 2, 1, 0, 2, 2, 0}, 1.4142135623730951, 1, 0);
}

/// Against points sampled along both.
static void test_segments_against_samples(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    for (int k = 0; k < 200; ++k) {
        lmbi_v3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = lmbi_v3_make((double)lmb_random_range(&random, -1, 1),
                                (double)lmb_random_range(&random, -1, 1),
                                (double)lmb_random_range(&random, -1, 1));
        }
        double s, t, best = 1e9;
        lmbi_segments_closest(p[0], p[1], p[2], p[3], &s, &t);
        const double got =
            lmbi_v3_length(lmbi_v3_sub(lmbi_v3_lerp(p[0], p[1], s), lmbi_v3_lerp(p[2], p[3], t)));
        for (int i = 0; i <= 100; ++i) {
            for (int j = 0; j <= 100; ++j) {
                best = fmin(best, lmbi_v3_length(lmbi_v3_sub(lmbi_v3_lerp(p[0], p[1], 0.01 * i),
                                                             lmbi_v3_lerp(p[2], p[3], 0.01 * j))));
            }
        }
        assert_true(got <= best + 1e-12 && got > best - 0.03);
    }
}

/// A capsule without a straight part is a ball; a long one against a sum over thin discs.
static void test_mass(void **state)
{
    (void)state;
    float mass;
    lmb_vec3 i;
    const lmb_rigid_shape round = capsule(0.1f, 0), ball = sphere(0.1f), tube = capsule(0.1f, 0.3f);
    lmb_rigid_shape_mass(&round, 1000, &mass, &i);
    near((double)mass, 1000 * 4.0 / 3 * 3.14159265358979 * 0.001, 1e-5);
    near((double)i.x, 0.4 * (double)mass * 0.01, 1e-8);
    near((double)i.y, (double)i.x, 1e-8);
    float other;
    lmb_rigid_shape_mass(&ball, 1000, &other, &i);
    near((double)other, (double)mass, 1e-6);
    lmb_rigid_shape_mass(&tube, 1000, &mass, &i);
    double m = 0, along = 0, across = 0;
    const int discs = 100000;
    for (int k = 0; k < discs; ++k) {
        const double dy = 0.8 / discs, y = -0.4 + (k + 0.5) * dy, out = fmax(0, fabs(y) - 0.3),
                     r2 = 0.01 - out * out, dm = 1000 * 3.14159265358979 * r2 * dy;
        m += dm;
        along += 0.5 * dm * r2;
        across += dm * (0.25 * r2 + y * y);
    }
    near((double)mass, m, 1e-4 * m);
    near((double)i.y, along, 1e-4 * along);
    near((double)i.x, across, 1e-4 * across);
}

/// Two equal balls, restitution 1: the moving one stops, the other goes on as fast.
static void test_spheres_exchange(void **state)
{
    (void)state;
    scene s = {0};
    add_body(&s, sphere(0.1f), lmb_vec3_make(0, 0, 0), level, 0);
    add_body(&s, sphere(0.1f), lmb_vec3_make(0.5f, 0, 0), level, 0);
    s.shapes[0].restitution = 1;
    s.bodies[0].velocity.x = 2;
    start(&s, lmb_vec3_make(0, 0, 0));
    run(&s, 30);
    near((double)lmb_world_state(s.world, 0).velocity.x, 0, 1e-6);
    near((double)lmb_world_state(s.world, 1).velocity.x, 2, 1e-6);
    lmb_world_destroy(s.world);
}

static void test_bounce(void **state)
{
    (void)state;
    scene s = {0};
    add_ground(&s, 0.5f);
    add_body(&s, sphere(0.1f), lmb_vec3_make(0, 1.1f, 0), level, 0.5f);
    s.shapes[0].restitution = 0.5f;
    start(&s, down);
    float top = 0;
    for (int f = 0; f < 120; ++f) {
        lmb_world_step(s.world, frame_s);
        const lmb_rigid_state b = lmb_world_state(s.world, 0);
        assert_true(b.position.y > 0.1f - 1e-4f);
        top = f > 30 ? fmaxf(top, b.position.y - 0.1f) : 0;
    }
    near((double)top, 0.25, 0.01); // e^2 of the height
    lmb_world_destroy(s.world);
}

/// Slides if and only if tan(angle) > mu: boxes, with four corners to share the load.
static void test_incline(void **state)
{
    (void)state;
    static const float slopes[] = {0.3f, 0.48f, 0.52f, 0.8f};
    for (int k = 0; k < 4; ++k) {
        const float angle = lmb_atan2(slopes[k], 1);
        scene s = {0};
        const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angle);
        add_shape(
            &s, (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE, .rotation = rotation},
            0.5f, 0);
        add_body(&s, box(0.2f, 0.1f, 0.2f), lmb_quat_rotate(rotation, lmb_vec3_make(0, 0.1f, 0)),
                 rotation, 0.5f);
        start(&s, down);
        run(&s, 120);
        const float gone = lmb_vec3_length(lmb_world_state(s.world, 0).position);
        if (slopes[k] < 0.5f) {
            near((double)gone, 0.1, 0.005);
        } else { // g (sin - mu cos) t^2 / 2
            const double want =
                0.5 * 9.81 * 4 * ((double)lmb_sin(angle) - 0.5 * (double)lmb_cos(angle));
            near((double)gone, hypot(want, 0.1), 0.004 * 0.5 * 9.81 * 4);
        }
        lmb_world_destroy(s.world);
    }
}

/// A ball rolls down without slipping: a = (5/7) g sin.
static void test_rolling(void **state)
{
    (void)state;
    scene s = {0};
    const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.3f);
    add_shape(&s,
              (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE, .rotation = rotation}, 1,
              0);
    add_body(&s, sphere(0.1f), lmb_quat_rotate(rotation, lmb_vec3_make(0, 0.1f, 0)), rotation, 1);
    start(&s, down);
    run(&s, 60);
    const double travel =
        (double)lmb_vec3_distance(lmb_world_state(s.world, 0).position, s.bodies[0].position);
    near(travel, 0.5 * 5.0 / 7 * 9.81 * (double)lmb_sin(0.3f), 0.02);
    lmb_world_destroy(s.world);
}

static void test_static_beats_dynamic(void **state)
{
    (void)state;
    for (int pushed = 0; pushed < 2; ++pushed) {
        scene s = {0};
        const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.35f); // tan 0.365
        add_shape(
            &s, (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE, .rotation = rotation},
            0.25f, 0);
        add_body(&s, box(0.2f, 0.1f, 0.2f), lmb_quat_rotate(rotation, lmb_vec3_make(0, 0.1f, 0)),
                 rotation, 0.25f);
        s.shapes[0].static_friction = s.shapes[1].static_friction = 0.5f;
        s.bodies[0].velocity =
            lmb_quat_rotate(rotation, lmb_vec3_make(pushed ? -1.0f : 0.0f, 0, 0));
        start(&s, down);
        run(&s, 120);
        const float gone =
            lmb_vec3_distance(lmb_world_state(s.world, 0).position, s.bodies[0].position);
        assert_true(pushed ? gone > 3 : gone < 0.01f);
        lmb_world_destroy(s.world);
    }
}

/// Shapes of all kinds dropped on each other lie still and asleep within 5 s, apart and above the
/// ground.
static void test_heap_rests(void **state)
{
    (void)state;
    scene s = {0};
    add_ground(&s, 0.7f);
    lmb_random random = lmb_random_seed(5);
    for (int k = 0; k < 24; ++k) {
        const lmb_vec3 at = {lmb_random_range(&random, -0.4f, 0.4f), 0.5f + 0.35f * (float)k,
                             lmb_random_range(&random, -0.4f, 0.4f)};
        const lmb_quat rotation = lmb_quat_normalize(
            lmb_quat_make(lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1),
                          lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1)));
        add_body(&s,
                 k % 3 == 0 ? box(0.12f, 0.1f, 0.15f)
                            : (k % 3 == 1 ? capsule(0.08f, 0.15f) : sphere(0.1f)),
                 at, rotation, 0.7f);
        s.bodies[k].spin_damping = 1; // balls on a plane roll for ever
        s.bodies[k].damping = 0.5f;
    }
    start(&s, down);
    run(&s, 480);
    assert_int_equal(s.report.dropped, 0);
    if (!(s.report.penetration < 5e-3f)) {
        fail_msg("%.3g m deep", (double)s.report.penetration);
    }
    for (uint32_t k = 0; k < s.body_count; ++k) {
        assert_true(lmb_world_state(s.world, k).position.y > 0.07f);
    }
    if (!(s.report.kinetic < 0.05)) {
        fail_msg("%.3g J", s.report.kinetic);
    }
    lmb_world_destroy(s.world);
}

static void test_tower_stands_and_wakes(void **state)
{
    (void)state;
    scene s = {0};
    add_ground(&s, 0.8f);
    for (int k = 0; k < 6; ++k) {
        add_body(&s, box(0.2f, 0.1f, 0.2f), lmb_vec3_make(0, 0.1f + 0.2f * (float)k, 0), level,
                 0.8f);
    }
    add_body(&s, sphere(0.15f), lmb_vec3_make(5, 0.5f, 0), level, 0.8f);
    start(&s, down);
    run(&s, 240);
    for (uint32_t k = 0; k < 6; ++k) {
        const lmb_rigid_state b = lmb_world_state(s.world, k);
        near((double)b.position.y, 0.1 + 0.2 * k, 2e-3);
        near((double)b.position.x, 0, 5e-3);
        assert_true(b.asleep);
    }
    lmb_rigid_state ball = lmb_world_state(s.world, 6);
    ball.position = lmb_vec3_make(2, 0.7f, 0);
    ball.velocity = lmb_vec3_make(-12, 1, 0);
    lmb_world_set_state(s.world, 6, &ball);
    run(&s, 60);
    assert_true(fabsf(lmb_world_state(s.world, 5).position.x) > 0.05f);
    lmb_world_destroy(s.world);
}

/// Each kind rests at its own height on each kind of floor.
static void test_pairs_of_kinds(void **state)
{
    (void)state;
    const lmb_rigid_shape kinds[] = {sphere(0.1f), capsule(0.1f, 0.2f), box(0.1f, 0.1f, 0.1f)};
    const lmb_quat side = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1.5707963f);
    for (int floor = 0; floor < 2; ++floor) {
        for (int k = 0; k < 3; ++k) {
            scene s = {0};
            if (floor == 0) {
                add_ground(&s, 0.5f);
            } else {
                lmb_rigid_shape slab = box(2, 0.5f, 2);
                slab.body = LMB_NONE;
                slab.offset.y = -0.5f;
                add_shape(&s, slab, 0.5f, 0);
            }
            add_body(&s, kinds[k], lmb_vec3_make(0, 0.2f, 0), side, 0.5f);
            start(&s, down);
            run(&s, 120);
            near((double)lmb_world_state(s.world, 0).position.y, 0.1, 1e-3);
            near((double)s.report.penetration, 0, 1e-3);
            lmb_world_destroy(s.world);
        }
    }
}

static void test_capsules_lie_on_capsules(void **state)
{
    (void)state;
    scene s = {0};
    add_ground(&s, 1);
    const lmb_quat side = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1.5707963f);
    for (int k = 0; k < 2; ++k) { // two logs side by side, one across in the furrow
        add_body(&s, capsule(0.1f, 0.3f), lmb_vec3_make(0, 0.1f, k ? 0.1f : -0.1f), side, 1);
    }
    add_body(&s, capsule(0.1f, 0.3f), lmb_vec3_make(0, 0.4f, 0), side, 1);
    s.bodies[0].mass = s.bodies[1].mass = 0; // held
    start(&s, down);
    run(&s, 180);
    near((double)lmb_world_state(s.world, 2).position.y, 0.1 + 0.17320508, 2e-3);
    lmb_world_destroy(s.world);
}

static void test_joined_and_apart_do_not_meet(void **state)
{
    (void)state;
    scene s = {0};
    add_body(&s, sphere(0.2f), lmb_vec3_make(0, 0, 0), level, 0);
    add_body(&s, sphere(0.2f), lmb_vec3_make(0.1f, 0, 0), level, 0);
    add_body(&s, sphere(0.2f), lmb_vec3_make(0.2f, 0, 0), level, 0);
    const uint32_t apart[][2] = {{2, 0}};
    const lmb_rigid_joint joints[] = {
        {.bodies = {0, 1}, .anchors = {{0.05f, 0, 0}, {-0.05f, 0, 0}}},
        {.bodies = {1, 2}, .anchors = {{0.05f, 0, 0}, {-0.05f, 0, 0}}}};
    lmb_world_def def = {.body_count = 3,
                         .bodies = s.bodies,
                         .shape_count = 3,
                         .shapes = s.shapes,
                         .joint_count = 2,
                         .joints = joints,
                         .filtered_count = 1,
                         .filtered = apart};
    for (uint32_t k = 0; k < 2; ++k) {
        def.filtered_count = 1 - k;
        assert_int_equal(lmb_world_create(&def, NULL, &s.world, NULL), LMB_OK);
        run(&s, 10);
        assert_int_equal(s.report.contact_count > 0, k);
        lmb_world_destroy(s.world);
    }
}

static void test_full_room_is_reported(void **state)
{
    (void)state;
    scene s = {0};
    for (int k = 0; k < 4; ++k) {
        add_body(&s, sphere(0.2f), lmb_vec3_make(0.1f * (float)k, 0, 0), level, 0);
    }
    const lmb_world_def def = {.body_count = 4,
                               .bodies = s.bodies,
                               .shape_count = 4,
                               .shapes = s.shapes,
                               .pair_capacity = 2};
    assert_int_equal(lmb_world_create(&def, NULL, &s.world, NULL), LMB_OK);
    run(&s, 1);
    assert_true(s.report.dropped > 0);
    lmb_world_destroy(s.world);
}

/// A ball whose middle is inside a box comes out of the side that is nearest.
static void test_out_of_the_nearest_side(void **state)
{
    (void)state;
    for (int side = 0; side < 6; ++side) {
        static const float halves[3] = {0.5f, 0.4f, 0.6f};
        const int k = side / 2;
        const float sign = side % 2 == 0 ? 1.0f : -1.0f;
        float at[3] = {0.05f, -0.04f, 0.06f};
        at[k] = sign * (halves[k] - 0.05f);
        const lmb_rigid_body ball = {
            .position = {at[0], at[1], at[2]}, .mass = 1, .inertia = {0.01f, 0.01f, 0.01f}};
        const lmb_rigid_shape shapes[2] = {
            {.kind = LMB_RIGID_BOX, .body = LMB_NONE, .half = {0.5f, 0.4f, 0.6f}},
            {.kind = LMB_RIGID_SPHERE, .body = 0, .radius = 0.1f}};
        const lmb_world_def def = {.body_count = 1,
                                   .bodies = &ball,
                                   .shape_count = 2,
                                   .shapes = shapes,
                                   .never_sleeps = true};
        lmb_world *world = NULL;
        assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
        for (int f = 0; f < 60; ++f) {
            lmb_world_step(world, 1.0f / 60);
        }
        const lmb_rigid_state s = lmb_world_state(world, 0);
        const float now[3] = {s.position.x, s.position.y, s.position.z};
        for (int i = 0; i < 3; ++i) {
            const float want = i == k ? sign * (halves[k] + 0.1f) : at[i];
            if (!(fabsf(now[i] - want) < 2e-3f)) {
                fail_msg("side %d: %g %g %g", side, (double)now[0], (double)now[1], (double)now[2]);
            }
        }
        assert_true(lmb_vec3_length(s.velocity) < 1e-3f);
        lmb_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_the_nearest_side),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_segments_against_samples),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_spheres_exchange),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_static_beats_dynamic),
        cmocka_unit_test(test_heap_rests),
        cmocka_unit_test(test_tower_stands_and_wakes),
        cmocka_unit_test(test_pairs_of_kinds),
        cmocka_unit_test(test_capsules_lie_on_capsules),
        cmocka_unit_test(test_joined_and_apart_do_not_meet),
        cmocka_unit_test(test_full_room_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
