/// Whether a reference pose stands on its ground: the skin says so where there is one, since joints of thick feet lie
/// far above their soles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "one_mesh.h"
#include "retarget/body.h"

static const float RAISED = 0.4f;

/// The made skeleton above the ground, with a triangle of skin at the left foot at that height.
static lmb_character *raised(float skin_y)
{
    lmb_character *bare = test_skeleton(&(test_shape){0});
    bare->skeleton->rest[0].translation.y += RAISED;
    uint32_t foot = (uint32_t)lmb_skeleton_find(bare->skeleton, "leftFoot");
    lmb_mat4 joint_from_bind = lmb_mat4_identity();
    lmb_vec3 at = {0, 0, 0};
    for (int32_t j = (int32_t)foot; j >= 0; j = bare->skeleton->parents[j]) {
        at = lmb_transform_point(bare->skeleton->rest[j], at);
    }
    joint_from_bind.m[12] = -at.x;
    joint_from_bind.m[13] = -at.y;
    joint_from_bind.m[14] = -at.z;
    lmb_vec3 positions[3] = {{0, skin_y, 0}, {0.1f, skin_y, 0}, {0, skin_y, 0.1f}};
    uint32_t triangles[3] = {0, 1, 2}, first[4] = {0, 1, 2, 3};
    lmb_influence items[3] = {{0, 1}, {0, 1}, {0, 1}};
    const lmb_mesh mesh = {.vertex_count = 3,
                           .positions = positions,
                           .index_count = 3,
                           .indices = triangles,
                           .influences = {first, items}};
    const lmb_skin skin = {
        .joint_count = 1, .joints = &foot, .joint_from_bind = &joint_from_bind, .root = LMB_NONE};
    lmb_character *out = one_mesh_create(bare->skeleton, &mesh, &skin, (lmb_instance){0});
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
