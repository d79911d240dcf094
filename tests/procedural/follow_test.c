// Followers, noise, wandering: closed forms, statistics, and the same whatever the frame rate.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "limber/procedural.h"

static const double pi = 3.14159265358979323846;

/// From 1 at rest to 0: e^(-z w t) (cos d t + z w / d sin d t), lit Ogata; by steps of any length.
static void a_step_is_the_closed_form(void **state)
{
    (void)state;
    static const double dampings[] = {0, 0.1, 0.5, 0.999999, 1, 1.000001, 3};
    static const int rates[] = {7, 30, 60, 144, 1000};
    for (int z = 0; z < 7; ++z) {
        for (int r = 0; r < 5; ++r) {
            lmb_follower f = {.value = 1, .started = true};
            const double w = 2 * pi * 1.5, a = dampings[z] * w, d2 = w * w - a * a;
            for (int k = 1; k <= 2 * rates[r]; ++k) {
                const double t = (double)k / rates[r];
                const double x = lmb_follow(&f, 0, 1.5, dampings[z], 1.0 / rates[r]);
                double wanted;
                if (fabs(d2) < 1e-3) {
                    wanted = exp(-a * t) * (1 + a * t);
                } else if (d2 > 0) {
                    wanted = exp(-a * t) * (cos(sqrt(d2) * t) + a / sqrt(d2) * sin(sqrt(d2) * t));
                } else {
                    const double q = sqrt(-d2);
                    wanted = ((q + a) * exp((q - a) * t) + (q - a) * exp((-q - a) * t)) / (2 * q);
                }
                assert_true(fabs(x - wanted) < 2e-6);
            }
        }
    }
}

static void the_overshoot_is_known(void **state)
{
    (void)state;
    lmb_follower f = {.value = 1, .started = true};
    double lowest = 1;
    for (int k = 0; k < 10000; ++k) {
        const double x = lmb_follow(&f, 0, 1, 0.1, 1e-4);
        lowest = x < lowest ? x : lowest;
    }
    assert_true(fabs(lowest + 0.7292) < 1e-4);
}

/// A target that goes by straight pieces is followed alike at 30, 60 and 144 frames a second.
static void rates_agree(void **state)
{
    (void)state;
    static const int rates[] = {30, 60, 144};
    double at[3][4];
    for (int r = 0; r < 3; ++r) {
        lmb_follower f = {0};
        for (int k = 0; k <= 2 * rates[r]; ++k) {
            const double t = (double)k / rates[r];
            const double target = t < 0.5 ? 0 : (t < 1 ? 2 * (t - 0.5) : 1);
            lmb_follow(&f, target, 3, 0.3, k > 0 ? 1.0 / rates[r] : 0);
            if (2 * k % rates[r] == 0) {
                at[r][2 * k / rates[r] > 3 ? 3 : 2 * k / rates[r]] = f.value;
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        assert_true(fabs(at[0][k] - at[1][k]) < 1e-9 && fabs(at[0][k] - at[2][k]) < 1e-9);
    }
}

static void rotations_arrive(void **state)
{
    (void)state;
    lmb_follower f[4] = {{0}}, p[3] = {{0}};
    const lmb_quat from = lmb_quat_identity(),
                   to = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 2.0f);
    lmb_follow_rotation(f, from, 2, 1, 0);
    lmb_follow3(p, lmb_vec3_make(1, 2, 3), 2, 1, 0);
    lmb_quat q = from;
    lmb_vec3 v = {0};
    for (int k = 0; k < 240; ++k) {
        // The sign of a quaternion means nothing.
        q = lmb_follow_rotation(f, k % 2 ? to : lmb_quat_make(-to.x, -to.y, -to.z, -to.w), 2, 1,
                                0.01);
        v = lmb_follow3(p, lmb_vec3_make(0, 5, 3), 2, 1, 0.01);
        assert_true(fabsf(lmb_quat_dot(q, q) - 1) < 1e-5f);
        assert_true(lmb_quat_angle(q, from) < 2.001f);
    }
    assert_true(lmb_quat_angle(q, to) < 1e-3f);
    assert_true(lmb_vec3_distance(v, lmb_vec3_make(0, 5, 3)) < 1e-4f);
}

static void noise_is_smooth_and_even(void **state)
{
    (void)state;
    double sum = 0, most = 0, squares = 0, other = 0;
    for (int k = -50; k < 50; ++k) {
        assert_true(fabs(lmb_noise(k, 1, 3)) < 1e-12);
    }
    for (int k = 0; k < 100000; ++k) {
        const double x = k * 0.013 - 300, n = lmb_noise(x, 1, 3), h = 1e-3;
        const double slope = (lmb_noise(x + h, 1, 3) - n) / h,
                     curve = (lmb_noise(x + h, 1, 3) - 2 * n + lmb_noise(x - h, 1, 3)) / (h * h);
        most = fabs(n) > most ? fabs(n) : most;
        assert_true(fabs(slope) < 8 && fabs(curve) < 60);
        sum += n;
        squares += n * n;
        other += n * lmb_noise(x, 1, 4);
        assert_true(fabs(lmb_noise(x, 4, 3)) <= 1);
    }
    assert_true(most > 0.7 && most <= 1 && fabs(sum) < 2000);
    assert_true(squares > 4000 && fabs(other) < 0.1 * squares);
    assert_true(fabs(lmb_noise(1e300, 1, 1)) < 1e-12 && lmb_noise((double)NAN, 1, 1) < 1);
    assert_true(fabs(lmb_breath(0)) < 1e-12 && fabs(lmb_breath(0.4) - 1) < 1e-12);
    assert_true(fabs(lmb_breath(0.9999999)) < 1e-9);
}

/// The long-run deviation is `spread` at any frame rate.
static void wandering_keeps_its_spread(void **state)
{
    (void)state;
    static const double steps[] = {1.0 / 30, 1.0 / 144, 2};
    for (int s = 0; s < 3; ++s) {
        lmb_wander w = {.seed = 11};
        double squares = 0;
        const int count = 400000;
        for (int k = 0; k < count; ++k) {
            const double x = lmb_wander_step(&w, 5, 0.3, steps[s]);
            squares += x * x;
        }
        assert_true(fabs(sqrt(squares / count) - 0.3) < 0.02 * 0.3);
    }
}

static void an_oscillator_does_not_jump(void **state)
{
    (void)state;
    lmb_oscillator o = {0};
    double before = 0;
    for (int k = 0; k < 600; ++k) {
        const double hz = 1 + 0.01 * k, phase = lmb_oscillator_step(&o, hz, 1.0 / 60);
        const double moved = phase - before + (phase < before ? 1 : 0);
        assert_true(fabs(moved - hz / 60) < 1e-9 && phase >= 0 && phase < 1);
        before = phase;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_closed_form),
        cmocka_unit_test(the_overshoot_is_known),
        cmocka_unit_test(rates_agree),
        cmocka_unit_test(rotations_arrive),
        cmocka_unit_test(noise_is_smooth_and_even),
        cmocka_unit_test(wandering_keeps_its_spread),
        cmocka_unit_test(an_oscillator_does_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
