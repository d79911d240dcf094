// Ropes: slack they pull nothing, taut they hold their length, and a rod between two bodies keeps
// its own.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/limber.h"

static const float frame_s = 1.0f / 60;
static const lmb_vec3 down = {0, -9.81f, 0};

static lmb_world *world_of(const lmb_rigid_body *bodies, uint32_t count, lmb_rigid_joint joint,
                           lmb_vec3 gravity)
{
    const lmb_world_def def = {.body_count = count,
                               .bodies = bodies,
                               .joint_count = 1,
                               .joints = &joint,
                               .gravity = gravity,
                               .never_sleeps = true};
    lmb_world *world = NULL;
    assert_int_equal(lmb_world_create(&def, NULL, &world, NULL), LMB_OK);
    return world;
}

static lmb_rigid_joint rope(int32_t from, int32_t to, float least, float most)
{
    return (lmb_rigid_joint){
        .kind = LMB_RIGID_DISTANCE, .bodies = {from, to}, .least_m = least, .most_m = most};
}

/// Half a metre under its hook, on a rope of one metre: 0.319 s of free fall, then it hangs.
static void test_falls_until_taut(void **state)
{
    (void)state;
    const lmb_rigid_body body = {.position = {0, -0.5f, 0}, .mass = 2, .inertia = {1, 1, 1}};
    lmb_world *world = world_of(&body, 1, rope(LMB_NONE, 0, 0, 1), down);
    for (int f = 1; f <= 240; ++f) {
        lmb_world_step(world, frame_s);
        const float t = (float)f * frame_s, y = lmb_world_state(world, 0).position.y;
        if (t < 0.31f) { // a sub-step is 0.8 ms: half of one is missing or too much
            assert_float_equal(y, -0.5f - 0.5f * 9.81f * t * t, 2e-3f);
        }
        assert_true(y > -1.0005f);
    }
    assert_float_equal(lmb_world_state(world, 0).position.y, -1, 5e-4f);
    lmb_world_destroy(world);
}

/// Let go level with its hook on a taut rope: never farther than it, and below it at the speed of
/// a fall from there, sqrt(2 g l), less what sub-steps lose.
static void test_swings_on_its_circle(void **state)
{
    (void)state;
    const lmb_rigid_body body = {.position = {1, 0, 0}, .mass = 1, .inertia = {1, 1, 1}};
    lmb_world *world = world_of(&body, 1, rope(LMB_NONE, 0, 0, 1), down);
    float fastest = 0;
    for (int f = 0; f < 60; ++f) {
        lmb_world_step(world, frame_s);
        const lmb_rigid_state at = lmb_world_state(world, 0);
        assert_true(lmb_vec3_length(at.position) < 1.0005f);
        fastest = fmaxf(fastest, lmb_vec3_length(at.velocity));
    }
    assert_float_equal(fastest, 4.4294f, 0.03f);
    lmb_world_destroy(world);
}

/// A rod between a light and a heavy body, thrown: its length stays, and so does what their mass
/// moves at together.
static void test_rod_keeps_length_and_momentum(void **state)
{
    (void)state;
    const lmb_rigid_body bodies[2] = {
        {.position = {0, 0, 0}, .velocity = {0, 3, 0}, .mass = 1, .inertia = {1, 1, 1}},
        {.position = {0.7f, 0, 0}, .mass = 3, .inertia = {1, 1, 1}}};
    lmb_world *world = world_of(bodies, 2, rope(0, 1, 0.7f, 0.7f), lmb_vec3_make(0, 0, 0));
    for (int f = 0; f < 120; ++f) {
        lmb_world_step(world, frame_s);
        const lmb_rigid_state a = lmb_world_state(world, 0), b = lmb_world_state(world, 1);
        assert_float_equal(lmb_vec3_distance(a.position, b.position), 0.7f, 5e-4f);
        assert_float_equal(a.velocity.y + 3 * b.velocity.y, 3, 1e-3f);
    }
    lmb_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_until_taut),
        cmocka_unit_test(test_swings_on_its_circle),
        cmocka_unit_test(test_rod_keeps_length_and_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
