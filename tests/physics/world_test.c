// Rigid bodies and joints: pendulums, an anchor that gives, a motor, limits, and double precision.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"
#include "physics/physics.h"

static const float frame_s = 1.0f / 60;
static const lmb_vec3 down = {0, -9.81f, 0};

/// Links of a chain along +X from the origin, each a uniform rod of 1 kg.
typedef struct chain {
    lmb_rigid_body bodies[8];
    lmb_rigid_joint joints[8];
    lmb_world *world;
    uint32_t count;
} chain;

static void chain_start(chain *c, uint32_t count, float length, float rotation, uint32_t substeps)
{
    memset(c, 0, sizeof *c);
    c->count = count;
    const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), rotation);
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_vec3 half = {0.5f * length, 0, 0};
        const float across = length * length / 12;
        c->bodies[i] = (lmb_rigid_body){
            .position = lmb_quat_rotate(q, lmb_vec3_make(((float)i + 0.5f) * length, 0, 0)),
            .rotation = q,
            .mass = 1,
            .inertia = {0.01f * across, across, across}};
        c->joints[i] = (lmb_rigid_joint){
            .bodies = {(int32_t)i - 1, (int32_t)i},
            .anchors = {i > 0 ? half : lmb_vec3_make(0, 0, 0), lmb_vec3_neg(half)},
            .limit = {.kind = LMB_JOINT_HINGE,
                      .axis = {0, 0, 1},
                      .twist_min_rad = -10,
                      .twist_max_rad = 10}};
    }
    const lmb_world_def def = {.body_count = count,
                               .bodies = c->bodies,
                               .joint_count = count,
                               .joints = c->joints,
                               .gravity = down,
                               .substeps = substeps,
                               .never_sleeps = true};
    lmb_error error = {0};
    if (lmb_world_create(&def, NULL, &c->world, &error) != LMB_OK) {
        fail_msg("%s: %s", error.expected, error.found);
    }
}

static float angle_of(const chain *c, uint32_t i)
{
    const lmb_vec3 x =
        lmb_quat_rotate(lmb_world_state(c->world, i).rotation, lmb_vec3_make(1, 0, 0));
    return lmb_atan2(x.y, x.x);
}

/// The mean time between falling passes through straight down, after the first.
static double period(chain *c, int frames)
{
    double first = 0, last = 0, before = 0;
    int passes = 0;
    for (int k = 0; k <= frames; ++k) {
        const double now = (double)angle_of(c, 0) + 1.5707963267948966;
        if (k > 0 && before > 0 && now <= 0) {
            last = ((double)k - 1 + before / (before - now)) / 60;
            first = passes++ == 0 ? last : first;
        }
        before = now;
        lmb_world_step(c->world, frame_s);
    }
    return (last - first) / (passes - 1);
}

/// A uniform rod of 1 m at 0.05 rad: 2 pi sqrt(2 L / 3 g) (1 + 0.05^2 / 16) = 1.63795 s.
static void test_rod_pendulum(void **state)
{
    (void)state;
    chain c;
    chain_start(&c, 1, 1, -1.5707963f + 0.05f, 20);
    lmb_world_report start, end;
    lmb_world_measure(c.world, &start);
    near(period(&c, 600), 1.63795, 6e-4);
    lmb_world_measure(c.world, &end);
    const double bottom = -0.5 * 9.81, was = start.potential + start.kinetic - bottom;
    const double left = (end.potential + end.kinetic - bottom) / was;
    // The method damps: a fraction of 0.126 in 10 s with 20 sub-steps.
    near(1 - left, 0.126, 0.02);
    assert_true(end.separation < 1e-5f);
    lmb_world_destroy(c.world);
}

static void test_more_substeps_lose_less(void **state)
{
    (void)state;
    double lost[2];
    for (int k = 0; k < 2; ++k) {
        chain c;
        chain_start(&c, 1, 1, -1.5707963f + 0.3f, k == 0 ? 10 : 20);
        lmb_world_report start, end;
        lmb_world_measure(c.world, &start);
        for (int f = 0; f < 300; ++f) {
            lmb_world_step(c.world, frame_s);
        }
        lmb_world_measure(c.world, &end);
        lost[k] = start.potential + start.kinetic - end.potential - end.kinetic;
        lmb_world_destroy(c.world);
    }
    assert_true(lost[1] > 0);
    near(lost[0] / lost[1], 2, 0.25);
}

/// Two rods in double precision, by Lagrange's equations and Runge and Kutta's fourth order.
typedef struct two_rods {
    double a[4]; ///< angles from straight down, and their rates
} two_rods;

static two_rods rates(two_rods s)
{
    const double g = 9.81, d = s.a[0] - s.a[1], w0 = s.a[2], w1 = s.a[3];
    // (4/3) a0" + (1/2) cos d a1" = -(1/2) sin d w1^2 - (3/2) g sin a0   (m = L = 1)
    // (1/2) cos d a0" + (1/3) a1" =  (1/2) sin d w0^2 - (1/2) g sin a1
    const double m00 = 4.0 / 3, m01 = 0.5 * cos(d), m11 = 1.0 / 3;
    const double f0 = -0.5 * sin(d) * w1 * w1 - 1.5 * g * sin(s.a[0]);
    const double f1 = 0.5 * sin(d) * w0 * w0 - 0.5 * g * sin(s.a[1]);
    const double det = m00 * m11 - m01 * m01;
    return (two_rods){{w0, w1, (m11 * f0 - m01 * f1) / det, (m00 * f1 - m01 * f0) / det}};
}

static two_rods ahead(two_rods s, two_rods by, double h)
{
    for (int k = 0; k < 4; ++k) {
        s.a[k] += h * by.a[k];
    }
    return s;
}

static two_rods runge_kutta(two_rods s, double h)
{
    const two_rods k0 = rates(s), k1 = rates(ahead(s, k0, h / 2)), k2 = rates(ahead(s, k1, h / 2)),
                   k3 = rates(ahead(s, k2, h));
    for (int k = 0; k < 4; ++k) {
        s.a[k] += h / 6 * (k0.a[k] + 2 * k1.a[k] + 2 * k2.a[k] + k3.a[k]);
    }
    return s;
}

static void test_double_pendulum_against_double(void **state)
{
    (void)state;
    double worst[3] = {0};
    static const uint32_t substeps[3] = {20, 80, 320};
    for (int k = 0; k < 3; ++k) {
        chain c;
        chain_start(&c, 2, 1, 0, substeps[k]);
        two_rods truth = {{1.5707963267948966, 1.5707963267948966, 0, 0}};
        for (int f = 0; f < 60; ++f) { // released level, for a second
            lmb_world_step(c.world, frame_s);
            for (int i = 0; i < 100; ++i) {
                truth = runge_kutta(truth, 1.0 / 6000);
            }
            for (uint32_t i = 0; i < 2; ++i) {
                const double got = (double)angle_of(&c, i) + 1.5707963267948966;
                worst[k] = fmax(worst[k], fabs(remainder(got - truth.a[i], 6.283185307179586)));
            }
        }
        lmb_world_destroy(c.world);
    }
    // First order: the error falls with the sub-step, and is small.
    assert_true(worst[0] < 0.06);
    assert_true(worst[1] < 0.35 * worst[0]);
    assert_true(worst[2] < 0.01);
}

static void test_chain_only_loses_energy(void **state)
{
    (void)state;
    chain c;
    chain_start(&c, 8, 0.25f, 0, 20);
    lmb_world_report r;
    lmb_world_measure(c.world, &r);
    const double start = r.kinetic + r.potential;
    double before = start;
    float separation = 0;
    for (int f = 0; f < 600; ++f) {
        lmb_world_step(c.world, frame_s);
        lmb_world_measure(c.world, &r);
        assert_true(r.finite);
        assert_true(r.kinetic + r.potential < before + 0.02 * fabs(start - -8 * 9.81));
        before = r.kinetic + r.potential;
        separation = fmaxf(separation, r.separation);
    }
    assert_true(before < start);
    assert_true(separation < 1e-3f * 2);
    lmb_world_destroy(c.world);
}

/// 1 kg on an anchor of 0.01 m/N hangs 0.0981 m low.
static void test_compliant_anchor(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        const lmb_rigid_body body = {.mass = 1, .inertia = {1, 1, 1}, .damping = 4};
        const lmb_rigid_joint joint = {.kind = kind ? LMB_RIGID_DISTANCE : LMB_RIGID_POINT,
                                       .bodies = {LMB_NONE, 0},
                                       .anchors = {{0, kind ? 1.0f : 0.0f, 0}, {0, 0, 0}},
                                       .most_m = 1,
                                       .compliance = 0.01f};
        const lmb_world_def def = {.body_count = 1,
                                   .bodies = &body,
                                   .joint_count = 1,
                                   .joints = &joint,
                                   .gravity = down,
                                   .never_sleeps = true};
        lmb_world *world = NULL;
        assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
        for (int f = 0; f < 600; ++f) {
            lmb_world_step(world, frame_s);
        }
        near((double)lmb_world_state(world, 0).position.y, -0.0981, 2e-6);
        lmb_world_destroy(world);
    }
}

/// A motor of k N m/rad that holds a level arm: it sags by m g L / 2 / k.
static void test_motor_holds_and_reaches(void **state)
{
    (void)state;
    static const float stiffness[] = {200, 1000, 50000};
    for (int k = 0; k < 3; ++k) {
        chain c;
        chain_start(&c, 1, 0.6f, 0, 20);
        lmbi_world_set_motor(
            c.world, 0,
            &(lmb_rigid_motor){.stiffness = stiffness[k], .damping = 0.05f * stiffness[k]});
        for (int f = 0; f < 300; ++f) {
            lmb_world_step(c.world, frame_s);
        }
        const double sag = 9.81 * 0.3 / (double)stiffness[k];
        near((double)-angle_of(&c, 0), sag, 0.02 * sag + 1e-6);
        lmbi_world_set_motor(
            c.world, 0,
            &(lmb_rigid_motor){.target = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1.2f),
                               .stiffness = stiffness[k],
                               .damping = 0.05f * stiffness[k]});
        for (int f = 0; f < 300; ++f) {
            lmb_world_step(c.world, frame_s);
        }
        near((double)angle_of(&c, 0), 1.2, sag);
        lmb_world_destroy(c.world);
    }
}

static void test_motor_torque_is_bounded(void **state)
{
    (void)state;
    chain c;
    chain_start(&c, 1, 0.6f, 0, 20);
    // The arm's weight asks for 2.943 N m: 2.9 lets it fall, 3 holds it.
    for (int k = 0; k < 2; ++k) {
        lmbi_world_set_motor(
            c.world, 0,
            &(lmb_rigid_motor){.stiffness = 500, .damping = 20, .most_torque = k ? 2.9f : 3.0f});
        for (int f = 0; f < 240; ++f) {
            lmb_world_step(c.world, frame_s);
        }
        assert_true(k ? angle_of(&c, 0) < -0.05f : angle_of(&c, 0) > -0.01f);
    }
    lmb_world_destroy(c.world);
}

/// A limb thrown about stays in its cone, twist or hinge.
static void test_limits(void **state)
{
    (void)state;
    const lmb_joint_limit limits[] = {
        {.kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = -0.4f, .twist_max_rad = 1},
        {.kind = LMB_JOINT_BALL,
         .axis = {1, 0, 0},
         .swing_rad = 0.6f,
         .twist_min_rad = -0.5f,
         .twist_max_rad = 0.3f},
        {.kind = LMB_JOINT_BALL,
         .axis = {1, 0, 0},
         .side = {0, 0, 1},
         .swing_side_rad = {0.3f, 1.2f},
         .swing_across_rad = {0.5f, 0.1f},
         .twist_min_rad = -7,
         .twist_max_rad = 7},
        {.kind = LMB_JOINT_FIXED},
    };
    for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k) {
        const lmb_rigid_body body = {
            .position = {0.2f, 0, 0}, .mass = 2, .inertia = {0.002f, 0.03f, 0.03f}};
        const lmb_rigid_joint joint = {
            .bodies = {LMB_NONE, 0}, .anchors = {{0, 0, 0}, {-0.2f, 0, 0}}, .limit = limits[k]};
        const lmb_world_def def = {.body_count = 1,
                                   .bodies = &body,
                                   .joint_count = 1,
                                   .joints = &joint,
                                   .gravity = down,
                                   .never_sleeps = true};
        lmb_world *world = NULL;
        assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
        lmb_random random = lmb_random_seed(7 + k);
        float worst = 0, apart = 0, swung = 0;
        for (int f = 0; f < 1200; ++f) {
            if (f % 60 == 0) {
                const lmb_vec3 push = {lmb_random_range(&random, -6, 6),
                                       lmb_random_range(&random, -6, 6),
                                       lmb_random_range(&random, -6, 6)};
                lmb_world_push(world, 0, push, lmb_vec3_make(0.4f, 0.02f, 0));
            }
            lmb_world_step(world, frame_s);
            lmb_world_report r;
            lmb_world_measure(world, &r);
            assert_true(r.finite);
            const lmb_transform rest = lmb_transform_identity();
            lmb_transform now = rest;
            now.rotation = lmb_world_state(world, 0).rotation;
            const float excess = lmbi_joint_limit_excess(&limits[k], rest, now, NULL);
            near((double)r.excess_rad, (double)excess, 2e-3);
            worst = fmaxf(worst, excess);
            apart = fmaxf(apart, r.separation);
            swung = fmaxf(swung, lmb_quat_angle(now.rotation, rest.rotation));
        }
        if (!(worst < 0.03f && apart < 1e-4f)) {
            fail_msg("limit %d: %.3g rad out, %.3g m apart", (int)k, (double)worst, (double)apart);
        }
        assert_true(limits[k].kind == LMB_JOINT_FIXED || swung > 0.25f);
        lmb_world_destroy(world);
    }
}

enum { LINKS = 14 };

/// A chain of capsules with narrow limits, over a plane.
static lmb_world *make_chain(lmb_vec3 at, lmb_quat rotation, lmb_vec3 velocity)
{
    lmb_rigid_body bodies[LINKS] = {0};
    lmb_rigid_shape shapes[LINKS + 1] = {0};
    lmb_rigid_joint joints[LINKS - 1] = {0};
    for (int k = 0; k < LINKS; ++k) {
        const lmb_vec3 along = {0, 0.25f * (float)k, 0};
        shapes[k] = (lmb_rigid_shape){.kind = LMB_RIGID_CAPSULE,
                                      .body = k,
                                      .radius = 0.06f,
                                      .half = {0, 0.06f, 0},
                                      .static_friction = 0.7f,
                                      .dynamic_friction = 0.7f};
        bodies[k] = (lmb_rigid_body){.position = lmb_vec3_add(at, lmb_quat_rotate(rotation, along)),
                                     .rotation = rotation,
                                     .velocity = velocity};
        lmb_rigid_shape_mass(&shapes[k], 1000, &bodies[k].mass, &bodies[k].inertia);
        if (k > 0) {
            joints[k - 1] =
                (lmb_rigid_joint){.bodies = {k - 1, k},
                                  .anchors = {{0, 0.125f, 0}, {0, -0.125f, 0}},
                                  .limit = {.kind = k % 2 ? LMB_JOINT_BALL : LMB_JOINT_HINGE,
                                            .axis = {k % 2 ? 0.0f : 1.0f, k % 2 ? 1.0f : 0.0f, 0},
                                            .swing_rad = 0.3f,
                                            .twist_min_rad = -0.2f,
                                            .twist_max_rad = 0.3f}};
        }
    }
    shapes[LINKS] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE,
                                      .body = LMB_NONE,
                                      .static_friction = 0.7f,
                                      .dynamic_friction = 0.7f};
    const lmb_world_def def = {.body_count = LINKS,
                               .bodies = bodies,
                               .shape_count = LINKS + 1,
                               .shapes = shapes,
                               .joint_count = LINKS - 1,
                               .joints = joints,
                               .gravity = down};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    return world;
}

/// A chain that strikes the ground at 20 m/s, end first or flat: its limits hold against the blow.
static void test_limits_hold_in_a_blow(void **state)
{
    (void)state;
    float worst = 0, apart = 0, deep = 0;
    for (uint64_t k = 0; k < 12; ++k) {
        lmb_random random = lmb_random_seed(k);
        const lmb_vec3 axis = {lmb_random_range(&random, -1, 1), 0,
                               lmb_random_range(&random, -1, 1)};
        const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_normalize_or(axis, axis),
                                                      lmb_random_range(&random, 0, LMB_PI));
        lmb_world *world =
            make_chain(lmb_vec3_make(0, 4, 0), rotation, lmb_vec3_make(2, -20, (float)(k % 3)));
        for (int f = 0; f < 60; ++f) {
            lmb_world_report r;
            lmb_world_step(world, frame_s);
            lmb_world_measure(world, &r);
            assert_true(r.finite);
            worst = fmaxf(worst, r.excess_rad);
            apart = fmaxf(apart, r.separation);
            deep = fmaxf(deep, r.penetration);
        }
        lmb_world_destroy(world);
    }
    if (!(worst < 0.02f && apart < 5e-4f && deep < 1e-3f)) {
        fail_msg("%.3g rad past a limit, %.3g m apart, %.3g m deep", (double)worst, (double)apart,
                 (double)deep);
    }
}

/// Out of its limit from the start: it comes back slowly.
static void test_bad_start_does_not_explode(void **state)
{
    (void)state;
    const lmb_rigid_body body = {.position = {0.2f, 0, 0}, .mass = 2, .inertia = {1, 1, 1}};
    const lmb_rigid_joint joint = {
        .bodies = {LMB_NONE, 0},
        .anchors = {{0, 0, 0}, {-0.2f, 0, 0}},
        .limit = {
            .kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = 1, .twist_max_rad = 2}};
    const lmb_world_def def = {
        .body_count = 1, .bodies = &body, .joint_count = 1, .joints = &joint};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    lmb_world_report r;
    for (int f = 0; f < 120; ++f) {
        lmb_world_step(world, frame_s);
        assert_true(lmb_vec3_length(lmb_world_state(world, 0).spin) < 3.0f);
    }
    lmb_world_measure(world, &r);
    assert_true(r.excess_rad < 0.01f);
    lmb_world_destroy(world);
}

/// A long body that spins about its long axis, far out of its cone: as it is swung back at the same
/// spin, its axis leaves that of the spin, about which it then has forty times the inertia. The
/// energy stays.
static void test_bad_start_gains_no_energy_from_inertia(void **state)
{
    (void)state;
    const lmb_quat swung = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1.4f);
    const lmb_rigid_body body = {.rotation = swung,
                                 .mass = 1,
                                 .inertia = {0.01f, 0.4f, 0.4f},
                                 .spin = lmb_quat_rotate(swung, lmb_vec3_make(20, 0, 0))};
    const lmb_rigid_joint joint = {.bodies = {LMB_NONE, 0},
                                   .limit = {.kind = LMB_JOINT_BALL,
                                             .axis = {1, 0, 0},
                                             .swing_rad = 0.1f,
                                             .twist_min_rad = -7,
                                             .twist_max_rad = 7}};
    const lmb_world_def def = {
        .body_count = 1, .bodies = &body, .joint_count = 1, .joints = &joint, .never_sleeps = true};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    lmb_world_report r;
    lmb_world_measure(world, &r);
    const double energy = r.kinetic;
    assert_true(energy > 1 && r.excess_rad > 1.2f);
    for (int f = 0; f < 60; ++f) {
        lmb_world_step(world, frame_s);
        lmb_world_measure(world, &r);
        if (!(r.kinetic < 1.001 * energy)) {
            fail_msg("frame %d: %g J, at the start %g J", f, r.kinetic, energy);
        }
    }
    assert_true(r.excess_rad < 0.01f);
    lmb_world_destroy(world);
}

/// A column of rods, its foot deep in the ground: that all of it has to rise travels up the joints,
/// one a round. It comes out in one piece, without speed.
static void test_long_column_rises_in_one_piece(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    const float length = 0.1f, deep = 0.1f;
    lmb_rigid_body bodies[COUNT];
    lmb_rigid_joint joints[COUNT - 1];
    lmb_rigid_shape shapes[COUNT + 1];
    for (int32_t i = 0; i < COUNT; ++i) {
        bodies[i] = (lmb_rigid_body){.position = {0, ((float)i + 0.5f) * length - deep, 0},
                                     .mass = 1,
                                     .inertia = {1e-3f, 1e-4f, 1e-3f}};
        shapes[i] = (lmb_rigid_shape){
            .kind = LMB_RIGID_CAPSULE, .body = i, .radius = 0.02f, .half = {0, 0.03f, 0}};
        if (i > 0) {
            joints[i - 1] =
                (lmb_rigid_joint){.bodies = {i - 1, i},
                                  .anchors = {{0, 0.5f * length, 0}, {0, -0.5f * length, 0}},
                                  .limit = {.kind = LMB_JOINT_FIXED}};
        }
    }
    shapes[COUNT] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE};
    const lmb_world_def def = {.body_count = COUNT,
                               .bodies = bodies,
                               .joint_count = COUNT - 1,
                               .joints = joints,
                               .shape_count = COUNT + 1,
                               .shapes = shapes,
                               .never_sleeps = true};
    lmb_world *world = NULL;
    lmb_error error = {0};
    if (lmb_world_create(&def, NULL, &world, &error) != LMB_OK) {
        fail_msg("%s: %s", error.expected, error.found);
    }
    for (int f = 1; f <= 30; ++f) {
        lmb_world_report r;
        lmb_world_step(world, frame_s);
        lmb_world_measure(world, &r);
        assert_true(r.separation < 3e-4f && r.kinetic < 1e-6);
        // Half as many rounds leave 2.7 mm in the ninth frame.
        if (f >= 9 && !(r.penetration < 2e-3f)) {
            fail_msg("frame %d: %g m in the ground", f, (double)r.penetration);
        }
    }
    lmb_world_destroy(world);
}

/// A long body that spins about its short axis, and one that tumbles about the middle one: angular
/// momentum stays, and no energy comes in.
static void test_free_spin(void **state)
{
    (void)state;
    const lmb_vec3 spins[] = {{0, 20, 0}, {0.02f, 0.02f, 15}, {10, 12, 9}};
    for (int k = 0; k < 3; ++k) {
        const lmb_rigid_body body = {.mass = 1, .inertia = {0.01f, 0.08f, 0.05f}, .spin = spins[k]};
        const lmb_world_def def = {.body_count = 1, .bodies = &body, .never_sleeps = true};
        lmb_world *world = NULL;
        assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
        lmb_world_report r;
        lmb_world_measure(world, &r);
        const double energy = r.kinetic;
        for (int f = 0; f < 300; ++f) {
            lmb_world_step(world, frame_s);
            lmb_world_measure(world, &r);
            assert_true(r.kinetic < 1.001 * energy);
        }
        assert_true(r.kinetic > 0.5 * energy);
        lmb_world_destroy(world);
    }
}

/// Euler's equations of a free body, I w' = (I w) x w in its own axes, by Runge and Kutta's method
/// in small steps; returns w in the world at the end.
static lmb_vec3 tumbled(const double inertia[3], double w[3], double time_s)
{
    enum { STEPS = 20000 };
    const double h = time_s / STEPS;
    double q[4] = {0, 0, 0, 1};
    for (int n = 0; n < STEPS; ++n) {
        double k[4][7] = {{0}};
        static const double at[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; ++s) {
            double u[3], p[4];
            for (int i = 0; i < 4; ++i) {
                p[i] = q[i] + (s > 0 ? at[s] * h * k[s - 1][3 + i] : 0);
                if (i < 3) {
                    u[i] = w[i] + (s > 0 ? at[s] * h * k[s - 1][i] : 0);
                }
            }
            for (int i = 0; i < 3; ++i) {
                const int a = (i + 1) % 3, b = (i + 2) % 3;
                k[s][i] = (inertia[a] - inertia[b]) * u[a] * u[b] / inertia[i];
            }
            k[s][3] = 0.5 * (p[3] * u[0] + p[1] * u[2] - p[2] * u[1]);
            k[s][4] = 0.5 * (p[3] * u[1] + p[2] * u[0] - p[0] * u[2]);
            k[s][5] = 0.5 * (p[3] * u[2] + p[0] * u[1] - p[1] * u[0]);
            k[s][6] = -0.5 * (p[0] * u[0] + p[1] * u[1] + p[2] * u[2]);
        }
        for (int i = 0; i < 4; ++i) {
            q[i] += h / 6 * (k[0][3 + i] + 2 * k[1][3 + i] + 2 * k[2][3 + i] + k[3][3 + i]);
            if (i < 3) {
                w[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
            }
        }
    }
    const lmb_quat rotation =
        lmb_quat_normalize(lmb_quat_make((float)q[0], (float)q[1], (float)q[2], (float)q[3]));
    return lmb_quat_rotate(rotation, lmb_vec3_make((float)w[0], (float)w[1], (float)w[2]));
}

/// A free body that spins about none of its axes tumbles, as Euler's equations say.
static void test_free_tumble(void **state)
{
    (void)state;
    const lmb_rigid_body body = {.spin = {6, 0.5f, 3}, .mass = 1, .inertia = {0.02f, 0.05f, 0.04f}};
    const lmb_world_def def = {
        .body_count = 1, .bodies = &body, .substeps = 200, .never_sleeps = true};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    const double inertia[3] = {0.02, 0.05, 0.04};
    for (int f = 1; f <= 60; ++f) {
        lmb_world_step(world, frame_s);
        if (f % 15 == 0) {
            double w[3] = {6, 0.5, 3};
            const lmb_vec3 want = tumbled(inertia, w, f / 60.0),
                           got = lmb_world_state(world, 0).spin;
            if (!(lmb_vec3_distance(got, want) < 0.03f * lmb_vec3_length(want))) {
                fail_msg("frame %d: %g %g %g, expected %g %g %g", f, (double)got.x, (double)got.y,
                         (double)got.z, (double)want.x, (double)want.y, (double)want.z);
            }
        }
    }
    lmb_world_destroy(world);
}

static void test_carried_and_freed(void **state)
{
    (void)state;
    chain c;
    chain_start(&c, 2, 0.5f, -1.5707963f, 20);
    lmbi_world_set_moving(c.world, 0, false);
    for (int f = 1; f <= 60; ++f) {
        lmbi_world_carry(
            c.world, 0, lmb_vec3_make(0, -0.25f, 0),
            lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), -1.5707963f + 0.01f * (float)f), frame_s);
        lmb_world_step(c.world, frame_s);
        near((double)angle_of(&c, 0), -1.5707963 + 0.01 * f, 2e-4);
    }
    lmbi_world_set_moving(c.world, 0, true);
    for (int f = 0; f < 60; ++f) {
        lmb_world_step(c.world, frame_s);
    }
    lmb_world_report r;
    lmb_world_measure(c.world, &r);
    assert_true(r.separation < 1e-4f);
    lmb_world_destroy(c.world);
}

static void test_same_bits(void **state)
{
    (void)state;
    lmb_rigid_state end[2];
    for (int k = 0; k < 2; ++k) {
        chain c;
        chain_start(&c, 8, 0.25f, 0.3f, 20);
        for (int f = 0; f < 200; ++f) {
            lmb_world_step(c.world, frame_s);
        }
        memset(&end[k], 0, sizeof end[k]);
        end[k] = lmb_world_state(c.world, 7);
        lmb_world_destroy(c.world);
    }
    assert_memory_equal(&end[0].position, &end[1].position, sizeof end[0].position);
    assert_memory_equal(&end[0].rotation, &end[1].rotation, sizeof end[0].rotation);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    const lmb_rigid_body good = {.mass = 1, .inertia = {1, 1, 1}};
    lmb_rigid_body bodies[4] = {good, good, good, good};
    bodies[0].mass = -1;
    bodies[1].inertia.y = 0;
    bodies[2].position.x = NAN;
    bodies[3].rotation.w = 3;
    for (int k = 0; k < 4; ++k) {
        lmb_world *world = NULL;
        const lmb_world_def def = {.body_count = 1, .bodies = &bodies[k]};
        assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_ERROR_INVALID);
    }
    const lmb_rigid_shape shapes[] = {
        {.kind = LMB_RIGID_SPHERE, .radius = 0},
        {.kind = LMB_RIGID_SPHERE, .radius = 1, .body = 1},
        {.kind = LMB_RIGID_CAPSULE, .radius = 1, .half = {0, -1, 0}},
        {.kind = LMB_RIGID_BOX, .half = {1, 0, 1}},
        {.kind = LMB_RIGID_PLANE, .body = 0},
        {.kind = LMB_RIGID_GROUND, .body = LMB_NONE},
        {.kind = LMB_RIGID_SPHERE, .radius = 1, .static_friction = -1},
        {.kind = LMB_RIGID_SPHERE, .radius = 1, .restitution = 2},
        {.kind = (lmb_rigid_shape_kind)99, .radius = 1},
    };
    lmb_error error = {0};
    lmb_world *world = NULL;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        const lmb_world_def def = {
            .body_count = 1, .bodies = &good, .shape_count = 1, .shapes = &shapes[k]};
        assert_int_equal(lmb_world_create(&def, NULL, &world, &error), LMB_ERROR_INVALID);
    }
    const lmb_rigid_joint joints[] = {
        {.bodies = {0, 0}},
        {.bodies = {LMB_NONE, LMB_NONE}},
        {.bodies = {LMB_NONE, 2}},
        {.bodies = {LMB_NONE, 0}, .compliance = -1},
        {.bodies = {LMB_NONE, 0}, .limit = {.kind = LMB_JOINT_HINGE}},
        {.bodies = {LMB_NONE, 0}, .kind = LMB_RIGID_DISTANCE, .least_m = 2, .most_m = 1},
    };
    for (size_t k = 0; k < sizeof joints / sizeof *joints; ++k) {
        const lmb_world_def def = {
            .body_count = 1, .bodies = &good, .joint_count = 1, .joints = &joints[k]};
        assert_int_equal(lmb_world_create(&def, NULL, &world, &error), LMB_ERROR_INVALID);
    }
    assert_null(world);
}

static void test_memory(void **state)
{
    (void)state;
    const lmb_rigid_body body = {.mass = 1, .inertia = {1, 1, 1}};
    const lmb_rigid_shape shape = {.kind = LMB_RIGID_SPHERE, .radius = 1};
    const lmb_world_def def = {
        .body_count = 1, .bodies = &body, .shape_count = 1, .shapes = &shape};
    for (failing_run f = {.least = 5}; failing_next(&f);) {
        lmb_world *world = NULL;
        f.result = lmb_world_create(&def, &f.alloc, &world, NULL);
        assert_true((world != NULL) == (f.result == LMB_OK));
        if (f.result == LMB_OK) {
            const int left = f.state.calls_left;
            lmb_world_step(world, frame_s);
            assert_int_equal(f.state.calls_left, left);
            lmb_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_pendulum),
        cmocka_unit_test(test_more_substeps_lose_less),
        cmocka_unit_test(test_double_pendulum_against_double),
        cmocka_unit_test(test_chain_only_loses_energy),
        cmocka_unit_test(test_compliant_anchor),
        cmocka_unit_test(test_motor_holds_and_reaches),
        cmocka_unit_test(test_motor_torque_is_bounded),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_limits_hold_in_a_blow),
        cmocka_unit_test(test_bad_start_does_not_explode),
        cmocka_unit_test(test_bad_start_gains_no_energy_from_inertia),
        cmocka_unit_test(test_long_column_rises_in_one_piece),
        cmocka_unit_test(test_free_spin),
        cmocka_unit_test(test_free_tumble),
        cmocka_unit_test(test_carried_and_freed),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
