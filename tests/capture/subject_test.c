// The person that points are fitted to: limits with some room past straight.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/fit.h"
#include "made_bodies.h"

/// Hinges get room past straight and not past their bend, in `hinges` three times as much.
static void hinges_have_room_past_straight(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_WALK);
    const uint32_t n = c->skeleton->joint_count;
    lmb_joint_map map;
    lmbi_fit_subject subject;
    lmbi_arena arena;
    lmb_joint_limit *human = calloc(n, sizeof *human);
    assert_non_null(human);
    lmbi_arena_init(&arena, NULL);
    assert_int_equal(lmb_joint_map_make(c->skeleton, NULL, &map, NULL), LMB_OK);
    assert_int_equal(lmbi_subject_make(c, &map, false, 0, NULL, &arena, &subject, NULL), LMB_OK);
    assert_int_equal(lmb_joint_map_limits(&map, &subject.skeleton, NULL, human, NULL), LMB_OK);
    int count = 0;
    for (uint32_t j = 0; j < n; ++j) {
        if (human[j].kind != LMB_JOINT_HINGE) {
            continue;
        }
        const lmb_joint_limit *got[2] = {&subject.limits[j], &subject.hinges[j]};
        const float room = human[j].twist_min_rad - got[0]->twist_min_rad;
        assert_true(room > 0.01f);
        assert_true(fabsf(human[j].twist_min_rad - got[1]->twist_min_rad - 3 * room) < 1e-5f);
        for (int k = 0; k < 2; ++k) {
            assert_true(fabsf(got[k]->twist_max_rad - human[j].twist_max_rad) < 1e-6f);
        }
        ++count;
    }
    assert_int_equal(count, 4);
    free(human);
    lmbi_arena_free(&arena);
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hinges_have_room_past_straight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
