/// A skeleton of two levels and unequal limbs comes back, which takes merging and exchanging bones; and one whose
/// joint travels.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "learn/replayed.h"

enum { LIMBS = 3, BONES = 1 + 2 * LIMBS, AROUND = 10, RINGS = 21, LIMB_POINTS = AROUND * RINGS };

static const float SLIDE = 0.2f; // at most, of a trunk 2.2 long

typedef struct limb {
    float height, length, knee; ///< on the trunk; of the limb; fraction of the length
    lmb_vec3 along;
} limb;

static const limb limbs[LIMBS] = {{1.9f, 2.4f, 0.35f, {0.8f, 0.6f, 0}},
                                  {0.3f, 1.3f, 0.6f, {-1, 0, 0}},
                                  {1.2f, 0.7f, 0.5f, {0, 0, 1}}};

/// 0 before `at`, 1 after it, smoothly over `width`.
static float step_over(float x, float at, float width)
{
    float t = (x - at) / width + 0.5f;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

/// A tube whose axis begins at `start`.
static void add_tube(moving *m, uint32_t first, lmb_vec3 start, lmb_vec3 along, float length,
                     float radius)
{
    const lmb_quat to = lmb_quat_between(lmb_vec3_make(0, 1, 0), along);
    for (uint32_t v = 0; v < LIMB_POINTS; ++v) {
        const float angle = 2 * LMB_PI * (float)(v % AROUND) / AROUND;
        const lmb_vec3 at =
            lmb_vec3_make(radius * lmb_cos(angle), length * (float)(v / AROUND) / (RINGS - 1),
                          radius * lmb_sin(angle));
        m->rest[first + v] = lmb_vec3_add(start, lmb_quat_rotate(to, at));
    }
    for (uint32_t v = 0; v < LIMB_POINTS - AROUND; ++v) {
        const uint32_t next = v % AROUND == AROUND - 1 ? v + 1 - AROUND : v + 1;
        moving_quad(m, first + v, first + v + AROUND, first + next + AROUND, first + next);
    }
}

enum { NO_BONE = BONES };

/// A trunk along Y with limbs of two bones each: bone 1 + 2 k is the upper one of limb k. `slider` also travels
/// in its parent.
static moving make_sliding_body(uint32_t frames, uint64_t seed, uint32_t slider)
{
    moving m;
    lmb_random random = lmb_random_seed(seed);
    moving_make(&m, LIMB_POINTS * (1 + LIMBS), LIMB_POINTS * (1 + LIMBS) * 6, frames);
    m.bone_count = BONES;
    add_tube(&m, 0, lmb_vec3_make(0, 0, 0), lmb_vec3_make(0, 1, 0), 2.2f, 0.3f);
    for (uint32_t v = 0; v < LIMB_POINTS; ++v) {
        m.weights[v][0] = 1;
    }
    for (uint32_t k = 0; k < LIMBS; ++k) {
        const limb *l = &limbs[k];
        const uint32_t first = LIMB_POINTS * (1 + k), upper = 1 + 2 * k;
        m.joints[upper] = lmb_vec3_make(0, l->height, 0);
        m.joints[upper + 1] = lmb_vec3_mad(m.joints[upper], l->along, l->knee * l->length);
        add_tube(&m, first, lmb_vec3_mad(m.joints[upper], l->along, -0.1f * l->length), l->along,
                 1.1f * l->length, 0.12f * l->length);
        for (uint32_t v = 0; v < LIMB_POINTS; ++v) {
            const float at = 1.1f * (float)(v / AROUND) / (RINGS - 1) - 0.1f;
            const float hip = step_over(at, 0, 0.15f), knee = step_over(at, l->knee, 0.3f);
            m.weights[first + v][0] = 1 - hip;
            m.weights[first + v][upper] = hip - knee;
            m.weights[first + v][upper + 1] = knee;
        }
    }
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_transform at[BONES] = {lmb_transform_identity()};
        for (uint32_t j = 1; j < BONES; ++j) {
            const float angle = lmb_random_range(&random, -0.8f, 0.8f);
            const lmb_quat rotation = lmb_quat_axis_angle(moving_direction(&random), angle);
            at[j] = moving_turn(at[j % 2 ? 0 : j - 1], m.joints[j], rotation);
            if (j == slider) {
                const float way = lmb_random_range(&random, -SLIDE, SLIDE);
                at[j].translation = lmb_vec3_mad(at[j].translation, moving_direction(&random), way);
            }
        }
        moving_pose(&m, f, at);
    }
    return m;
}

static moving make_body(uint32_t frames, uint64_t seed)
{
    return make_sliding_body(frames, seed, NO_BONE);
}

/// Index of the true joint that the bone's joint is at, within 0.5 % of the trunk's length; 0: none.
static uint32_t true_joint(const moving *m, const lmb_learned *l, uint32_t bone)
{
    for (uint32_t k = 1; k < BONES; ++k) {
        if (lmb_vec3_distance(l->joints[bone], m->joints[k]) < 0.011f) {
            return k;
        }
    }
    return 0;
}

/// Every joint but the root's is another true one, and hangs where the true one hangs.
static void assert_tree(const moving *m, const lmb_learned *l)
{
    bool found[BONES] = {false};
    assert_int_equal(l->bone_count, BONES);
    assert_int_equal(l->parents[0], LMB_NONE); // the trunk, which all skin is nearest to
    for (uint32_t j = 1; j < BONES; ++j) {
        const uint32_t k = true_joint(m, l, j);
        assert_true(k > 0 && !found[k]);
        found[k] = true;
        if (k % 2 == 0) {
            assert_int_equal(true_joint(m, l, (uint32_t)l->parents[j]), k - 1);
        } else {
            assert_int_equal(l->parents[j], 0);
        }
    }
}

static void assert_comes_back(uint32_t frames, uint64_t seed)
{
    moving m = make_body(frames, seed);
    lmb_learn_report r;
    lmb_learned *l = moving_learn(&m, &(lmb_learn_opts){.bone_count = BONES}, &r);
    assert_true(r.rms_percent < 1e-3f);
    assert_tree(&m, l);
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// 0.01 % of the diagonal is missed without bones to spare, and 0.3 to 0.6 % where the wrong ones are merged.
static void unequal_limbs_come_back_by_merging(void **state)
{
    (void)state;
    assert_comes_back(12, 7);
}

/// Here the bones that are left by merging miss 0.1 % of the diagonal, until some are exchanged.
static void unequal_limbs_come_back_by_exchange(void **state)
{
    (void)state;
    assert_comes_back(9, 5);
}

static uint32_t count_translations(const lmb_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        count += clip->channels[c].path == LMB_PATH_TRANSLATION;
    }
    return count;
}

/// The character that is written has keys of translation of the root and one other, and shows the frames.
static void assert_plays(const moving *m, const lmb_learned *l)
{
    lmb_character *c = replayed_character(m, l);
    assert_int_equal(count_translations(c->clips[0]), 2);
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        assert_true(replayed_error(m, c, f) < 2e-3f);
    }
    lmb_character_destroy(c);
}

/// Bone 3 travels in the trunk: it is found, and it alone. Where all hold, 0.3 % of the diagonal is missed.
static void one_joint_slides(void **state)
{
    (void)state;
    enum { SLIDER = 3 };
    moving m = make_sliding_body(12, 7, SLIDER);
    lmb_learn_report r, held;
    lmb_learned *l = moving_learn(&m, &(lmb_learn_opts){.bone_count = BONES}, &r);
    lmb_learned *stiff = moving_learn(
        &m, &(lmb_learn_opts){.bone_count = BONES, .joints = LMB_LEARN_JOINTS_HOLD}, &held);
    assert_true(r.rms_percent < 0.02f && held.rms_percent > 0.2f);
    assert_int_equal(r.sliding_count, 1);
    assert_int_equal(held.sliding_count, 0);
    for (uint32_t j = 0; j < BONES; ++j) {
        const float far = lmb_vec3_distance(l->joints[j], m.joints[SLIDER]);
        assert_true(l->slides[j] == (j > 0 && far < SLIDE / 2));
        // in directions and by ways that are drawn evenly
        const float slide = l->slides[j] ? SLIDE / sqrtf(3) : 0;
        assert_float_equal(lmb_learned_slide(l, j), slide, 0.02f);
        assert_true(!stiff->slides[j] && lmb_learned_slide(stiff, j) < 2e-5f);
    }
    assert_plays(&m, l);
    lmb_learned_destroy(l);
    lmb_learned_destroy(stiff);
    moving_free(&m);
}

static void joints_that_may_be_nearer_than_free_bones_are_refused(void **state)
{
    (void)state;
    moving m = make_body(3, 7);
    const lmb_learn_def def = moving_def(&m);
    lmb_learned *l = NULL;
    lmb_learn_opts opts = {.bone_count = BONES, .joints_within = 0.9f};
    assert_int_equal(lmb_learn_skin(&def, &opts, NULL, &l, NULL, NULL), LMB_ERROR_INVALID);
    opts.joints_within = NAN;
    assert_int_equal(lmb_learn_skin(&def, &opts, NULL, &l, NULL, NULL), LMB_ERROR_INVALID);
    assert_null(l);
    moving_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_limbs_come_back_by_merging),
        cmocka_unit_test(unequal_limbs_come_back_by_exchange),
        cmocka_unit_test(one_joint_slides),
        cmocka_unit_test(joints_that_may_be_nearer_than_free_bones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
