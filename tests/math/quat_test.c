#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/math.h"
#include "math/math.h"

static const float degree = LMB_PI / 180.0f;

static void assert_near(float a, float b, float tolerance)
{
    if (!(fabsf(a - b) <= tolerance)) {
        print_error("%.9g is not within %g of %.9g\n", (double)a, (double)tolerance, (double)b);
    }
    assert_true(fabsf(a - b) <= tolerance);
}

static lmb_quat random_rotation(lmb_random *random)
{
    const lmb_quat q = {lmb_random_range(random, -1, 1), lmb_random_range(random, -1, 1),
                        lmb_random_range(random, -1, 1), lmb_random_range(random, -1, 1)};
    return lmb_quat_normalize(q);
}

static void euler_known_answer(void **state)
{
    (void)state;
    // BVH channels Z10 X20 Y30: R (0,1,0) and R (0,0,1), computed by hand from the three matrices.
    const float angles[3] = {10 * degree, 20 * degree, 30 * degree};
    const lmb_quat q = lmb_quat_from_euler("zxy", angles);
    const lmb_vec3 y = lmb_quat_rotate(q, lmb_vec3_make(0, 1, 0)),
                   z = lmb_quat_rotate(q, lmb_vec3_make(0, 0, 1));
    assert_near(y.x, -0.163176f, 1e-6f);
    assert_near(y.y, 0.925417f, 1e-6f);
    assert_near(y.z, 0.342020f, 1e-6f);
    assert_near(z.x, 0.543838f, 1e-6f);
    assert_near(z.y, -0.204874f, 1e-6f);
    assert_near(z.z, 0.813798f, 1e-6f);
}

static void euler_round_trip(void **state)
{
    (void)state;
    static const char *orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    lmb_random random = lmb_random_seed(1);
    for (int i = 0; i < 6000; ++i) {
        const lmb_quat q = random_rotation(&random);
        float angles[3];
        lmbi_quat_to_euler(q, orders[i % 6], angles);
        assert_near(lmb_quat_angle(q, lmb_quat_from_euler(orders[i % 6], angles)), 0, 5e-6f);
    }
    for (int i = 0; i < 6; ++i) { // gimbal lock
        const float angles[3] = {0.3f, 0.5f * LMB_PI, 0.2f};
        const lmb_quat q = lmb_quat_from_euler(orders[i], angles);
        float back[3];
        lmbi_quat_to_euler(q, orders[i], back);
        assert_near(lmb_quat_angle(q, lmb_quat_from_euler(orders[i], back)), 0, 1e-3f);
    }
}

static void swing_and_twist(void **state)
{
    (void)state;
    // Rz(60) Rx(40): twist about x is 40 degrees, swing 60 about z.
    const lmb_quat q = lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 60 * degree),
                                    lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 40 * degree));
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(q, lmb_vec3_make(1, 0, 0), &swing, &twist);
    assert_near(2 * lmb_atan2(twist.x, twist.w), 40 * degree, 1e-6f);
    assert_near(2 * lmb_atan2(swing.z, swing.w), 60 * degree, 1e-6f);
}

static void slerp_and_nlerp(void **state)
{
    (void)state;
    const lmb_quat a = lmb_quat_identity(),
                   b = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 90 * degree);
    float worst = 0;
    for (int i = 0; i <= 1000; ++i) {
        const float t = (float)i / 1000.0f;
        assert_near(lmb_quat_angle(a, lmb_quat_slerp(a, b, t)), t * 90 * degree, 1e-6f);
        worst = fmaxf(worst, lmb_quat_angle(lmb_quat_slerp(a, b, t), lmbi_quat_nlerp(a, b, t)));
    }
    assert_near(worst / degree, 0.919f, 0.001f); // the known largest error of nlerp at 90 degrees
    const lmb_quat far = lmb_quat_make(-b.x, -b.y, -b.z, -b.w);
    assert_near(lmb_quat_angle(lmb_quat_slerp(a, far, 0.5f), lmb_quat_slerp(a, b, 0.5f)), 0, 1e-6f);
    // q and -q are one rotation: nlerp takes the shorter way, too, in unequal parts.
    assert_near(lmb_quat_angle(lmbi_quat_nlerp(a, far, 0.3f), lmbi_quat_nlerp(a, b, 0.3f)), 0,
                1e-6f);
    assert_true(lmb_quat_angle(a, lmbi_quat_nlerp(a, far, 0.3f)) < 30 * degree);
}

static void shortest_arc(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(2);
    for (int i = 0; i < 1000; ++i) {
        const lmb_vec3 from = lmb_quat_rotate(random_rotation(&random), lmb_vec3_make(0, 1, 0));
        const lmb_vec3 to = i % 10
                                ? lmb_quat_rotate(random_rotation(&random), lmb_vec3_make(0, 1, 0))
                                : lmb_vec3_neg(from);
        assert_near(lmb_vec3_distance(lmb_quat_rotate(lmb_quat_between(from, to), from), to), 0,
                    5e-6f);
    }
}

static void rotation_vectors_come_back(void **state)
{
    (void)state;
    const lmb_vec3 rotations[4] = {{0, 0, 0}, {1e-5f, 0, 0}, {0.3f, -1.2f, 0.4f}, {0, 0, 3.1f}};
    for (int k = 0; k < 4; ++k) {
        const lmb_vec3 back = lmbi_rotation_vector_of(lmbi_rotation_vector(rotations[k]));
        assert_true(lmb_vec3_length(lmb_vec3_sub(back, rotations[k])) < 2e-6f);
    }
    // A rotate by more than pi is the shorter one the other way.
    const lmb_vec3 far_round = lmbi_rotation_vector_of(lmbi_rotation_vector((lmb_vec3){4, 0, 0}));
    assert_true(fabsf(far_round.x - (4 - 2 * LMB_PI)) < 2e-6f);
    assert_true(lmbi_rotation_vector(lmb_vec3_make(4, 0, 0)).w < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_known_answer), cmocka_unit_test(euler_round_trip),
        cmocka_unit_test(swing_and_twist),    cmocka_unit_test(slerp_and_nlerp),
        cmocka_unit_test(shortest_arc),       cmocka_unit_test(rotation_vectors_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
