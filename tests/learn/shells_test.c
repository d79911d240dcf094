/// Shells that share no vertex and move apart, 41 of them on 20 bones: bones have to be found across the
/// gaps, with weights that are drawn to those of neighbours as without. LIMBER_LONG: more seeds and frames.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "learn/shells.h"

enum { BONES = 20, ITERATIONS = 12 };

static float error_of(const moving *m, lmb_learn_skeleton skeleton, float smooth)
{
    const lmb_learn_opts opts = {.bone_count = BONES,
                                 .iterations = getenv("LIMBER_LONG") ? 0 : ITERATIONS,
                                 .smooth = smooth,
                                 .skeleton = skeleton};
    lmb_learn_report r;
    lmb_learned *l = moving_learn(m, &opts, &r);
    assert_int_equal(l->bone_count, BONES);
    lmb_learned_destroy(l);
    return r.rms_percent;
}

static void assert_is_shown(shells_motion motion, float most_percent)
{
    const bool is_long = getenv("LIMBER_LONG") != NULL;
    for (uint64_t seed = 1; seed <= (is_long ? 2 : 1); ++seed) {
        moving m = moving_shells(motion, seed, is_long ? 48 : 16);
        const float plain = error_of(&m, LMB_LEARN_FLAT, 0);
        const float smoothed = error_of(&m, LMB_LEARN_FLAT, 1e-4f);
        if (is_long) {
            print_message("motion %d, seed %d: %.3f %%, smoothed %.3f %%\n", motion, (int)seed,
                          (double)plain, (double)smoothed);
        }
        assert_true(plain < most_percent);
        assert_true(smoothed < most_percent);
        moving_free(&m);
    }
}

static void shells_that_part_are_shown(void **state)
{
    (void)state;
    assert_is_shown(SHELLS_PART, 0.52f);
}

static void shells_that_tumble_are_shown(void **state)
{
    (void)state;
    assert_is_shown(SHELLS_TUMBLE, 0.52f);
}

static void shells_that_ride_on_limbs_are_shown(void **state)
{
    (void)state;
    assert_is_shown(SHELLS_RIDE, getenv("LIMBER_LONG") ? 0.52f : 0.7f); // with few iterations
}

/// More bones than are candidates of a vertex at once: as many as shells show them exactly.
static void a_bone_for_every_shell_is_found(void **state)
{
    (void)state;
    moving m = moving_shells(SHELLS_TUMBLE, 4, 6);
    const lmb_learn_opts opts = {.bone_count = SHELLS, .smooth = 1e-4f, .skeleton = LMB_LEARN_FLAT};
    lmb_learn_report r;
    lmb_learned *l = moving_learn(&m, &opts, &r);
    assert_int_equal(l->bone_count, SHELLS);
    assert_true(r.rms_percent < 1e-3f);
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// As many bones as motions show them nearly exactly, which growing as many clusters does not find.
static void shells_that_share_motions_share_bones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        moving m = moving_shells(SHELLS_SHARE, seed, 6);
        const lmb_learn_opts opts = {
            .bone_count = SHELL_SHARED, .smooth = 1e-4f, .skeleton = LMB_LEARN_FLAT};
        lmb_learn_report r;
        lmb_learned *l = moving_learn(&m, &opts, &r);
        print_message("seed %d: %.4f %%\n", (int)seed, (double)r.rms_percent);
        assert_true(r.rms_percent < 0.05f); // 0.07 to 0.13 from as many clusters as bones
        lmb_learned_destroy(l);
        moving_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_that_part_are_shown),
        cmocka_unit_test(shells_that_tumble_are_shown),
        cmocka_unit_test(shells_that_ride_on_limbs_are_shown),
        cmocka_unit_test(a_bone_for_every_shell_is_found),
        cmocka_unit_test(shells_that_share_motions_share_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
