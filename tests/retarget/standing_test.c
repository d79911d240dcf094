/// Whether a reference pose stands on its ground: the skin says so where there is one, since joints of thick feet lie
/// far above their soles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "retarget/body.h"
#include "retarget/skinned_joints.h"

static const float RAISED = 0.4f;

/// The made skeleton above the ground, with a triangle of skin at the left foot at that height.
static lmb_character *raised(float skin_y)
{
    static const char *const foot[] = {"leftFoot"};
    lmb_character *bare = test_skeleton(&(test_shape){0});
    bare->skeleton->rest[0].translation.y += RAISED;
    skinned made = skinned_begin(bare->skeleton, 1, foot, 3);
    for (int v = 0; v < 3; ++v) {
        made.points[v] = lmb_vec3_make(v == 1 ? 0.1f : 0, skin_y, v == 2 ? 0.1f : 0);
    }
    lmb_character *out = skinned_create(bare->skeleton, &made);
    lmb_character_destroy(bare);
    return out;
}

static bool is_lifted(const lmb_character *character)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    lmbi_humanoid body;
    assert_int_equal(lmbi_body_make(character, NULL, NULL, "the body", NULL, &arena, &body, NULL),
                     LMB_OK);
    lmbi_arena_free(&arena);
    return body.lifted;
}

static void the_skin_stands(void **state)
{
    (void)state;
    lmb_character *bare = test_skeleton(&(test_shape){0}), *thick = raised(0),
                  *floating = raised(RAISED);
    assert_false(is_lifted(bare));
    bare->skeleton->rest[0].translation.y += RAISED;
    assert_true(is_lifted(bare));
    assert_false(is_lifted(thick));
    assert_true(is_lifted(floating));
    lmb_character_destroy(bare);
    lmb_character_destroy(thick);
    lmb_character_destroy(floating);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
