/// Chains of joints along branches that the skeleton does not have.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/stickman.h"

static const lmb_vec3 tail_root = {0, 1, -0.1f}, tail_end = {0, 0.75f, -0.75f};
static const lmb_vec3 hair_end = {0.3f, 1.95f, -0.12f};

/// A figure with a tail behind and a lock of hair up on its left.
static capsules *make_tailed_stickman(void)
{
    capsules *s = make_stickman();
    add_capsule(s, tail_root, tail_end, 0.05f, 0.03f);
    add_capsule(s, lmb_vec3_make(0.04f, 1.72f, 0), hair_end, 0.035f, 0.025f);
    return s;
}

static uint32_t count_named(const lmb_embedding *e, const char *stem, uint32_t *out_first)
{
    uint32_t count = 0;
    for (uint32_t j = e->joint_count; j-- > 0;) {
        if (strncmp(e->names[j], stem, strlen(stem)) == 0) {
            *out_first = j;
            ++count;
        }
    }
    return count;
}

static float distance_to_line(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b)
{
    const lmb_vec3 d = lmb_vec3_sub(b, a);
    const float t = lmb_vec3_dot(lmb_vec3_sub(p, a), d) / lmb_vec3_dot(d, d);
    return lmb_vec3_distance(p, lmb_vec3_mad(a, d, fminf(fmaxf(t, 0), 1)));
}

static void a_tail_and_hair_get_joints_on_their_lines(void **state)
{
    (void)state;
    capsules *s = make_tailed_stickman();
    const lmb_joint_marker hair = {"hair", hair_end};
    const lmb_embed_opts opts = {
        .kind = LMB_SKELETON_HUMAN, .chains = &hair, .chain_count = 1, .tail = true};
    lmb_embedding e;
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    uint32_t tail = 0, lock = 0;
    const uint32_t tails = count_named(&e, "tail", &tail), locks = count_named(&e, "hair", &lock);
    assert_true(tails >= 2 && locks >= 2);
    assert_int_equal(e.parents[tail], LMBI_HIPS);
    assert_string_equal(e.names[e.parents[lock]], "head");
    for (uint32_t k = 0; k < tails; ++k) {
        assert_true(distance_to_line(e.joints[tail + k], tail_root, tail_end) < 0.06f);
    }
    assert_true(lmb_vec3_distance(e.tips[tail + tails - 1], tail_end) < 0.06f);
    assert_true(lmb_vec3_distance(e.tips[lock + locks - 1], hair_end) < 0.06f);
    free(s);
}

static void chains_that_cannot_be_are_refused(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    const struct {
        lmb_joint_marker chain;
        bool tail;
        lmb_result result;
    } wrong[] = {
        {{"hair", {3, 3, 3}}, false, LMB_ERROR_INVALID},            // far from the mesh
        {{"hair", {NAN, 0, 0}}, false, LMB_ERROR_INVALID},          // not a point
        {{"", {0, 1.79f, 0}}, false, LMB_ERROR_INVALID},            // no name
        {{"belt", {0.05f, 1.2f, 0}}, false, LMB_ERROR_UNSUPPORTED}, // amid the trunk
        {{NULL, {0, 0, 0}}, true, LMB_ERROR_UNSUPPORTED},           // no tail
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        const lmb_embed_opts opts = {.kind = LMB_SKELETON_HUMAN,
                                     .chains = &wrong[k].chain,
                                     .chain_count = wrong[k].chain.name != NULL,
                                     .tail = wrong[k].tail};
        lmb_embedding e;
        lmb_error error = {0};
        assert_int_equal(embed(s, &opts, &e, &error), wrong[k].result);
        assert_true(error.expected[0] && error.found[0]);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tail_and_hair_get_joints_on_their_lines),
        cmocka_unit_test(chains_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
