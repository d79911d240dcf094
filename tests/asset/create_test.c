#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "limber/asset.h"
#include "one_mesh.h"
#include "tally_allocator.h"

static lmb_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static uint32_t corner_indices[3] = {0, 1, 2};
static uint32_t row_first[4] = {0, 1, 2, 3};
static lmb_influence rows[3] = {{0, 1}, {0, 1}, {0, 1}};
static lmb_primitive whole = {
    .index_count = 3, .vertex_count = 3, .material = LMB_NONE, .carried = "{}"};

static lmb_mesh triangle(void)
{
    return (lmb_mesh){.name = "triangle",
                      .vertex_count = 3,
                      .positions = corners,
                      .index_count = 3,
                      .indices = corner_indices,
                      .primitive_count = 1,
                      .primitives = &whole,
                      .influences = {row_first, rows}};
}

static void mesh_is_a_deep_copy(void **state)
{
    (void)state;
    tally counts = {0};
    const lmb_allocator alloc = {tally_resize, &counts};
    const lmb_mesh def = triangle();
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, &alloc, &mesh, NULL), LMB_OK);
    assert_int_equal(counts.calls, 1);
    assert_ptr_not_equal(mesh->positions, corners);
    assert_memory_equal(mesh->positions, corners, sizeof corners);
    assert_memory_equal(mesh->influences.items, rows, sizeof rows);
    assert_string_equal(mesh->primitives[0].carried, "{}");
    lmb_mesh_destroy(mesh);
    assert_int_equal(counts.held, 0);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    lmb_mesh *mesh = NULL;
    lmb_error error;
    uint32_t far_indices[3] = {0, 1, 3};
    lmb_mesh def = triangle();
    def.indices = far_indices;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, &error), LMB_ERROR_INVALID);
    lmb_influence negative[3] = {{0, 1}, {0, -1}, {0, 1}};
    def = triangle();
    def.influences.items = negative;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, &error), LMB_ERROR_INVALID);
    int32_t parents[2] = {1, LMB_NONE};
    lmb_transform rest[2] = {lmb_transform_identity(), lmb_transform_identity()};
    const char *names[2] = {"child", "parent"};
    const lmb_skeleton upside_down = {
        .joint_count = 2, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&upside_down, NULL, &skeleton, &error), LMB_ERROR_INVALID);
    float ticks[2] = {1, 0}, values[6] = {0};
    lmb_channel channel = {.width = 3, .key_count = 2, .ticks = ticks, .values = values};
    const lmb_clip backwards = {.channel_count = 1, .channels = &channel};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&backwards, NULL, &clip, &error), LMB_ERROR_INVALID);
    assert_null(mesh);
    assert_null(skeleton);
    assert_null(clip);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    tally counts = {.fail_at = 1};
    const lmb_allocator alloc = {tally_resize, &counts};
    const lmb_mesh def = triangle();
    lmb_mesh *mesh = NULL;
    lmb_error error;
    assert_int_equal(lmb_mesh_create(&def, &alloc, &mesh, &error), LMB_ERROR_MEMORY);
    assert_null(mesh);
    assert_int_equal(error.code, LMB_ERROR_MEMORY);
    assert_int_equal(counts.held, 0);
}

static void sorting_puts_parents_first(void **state)
{
    (void)state;
    const int32_t shuffled[6] = {3, 0, LMB_NONE, 2, 3, LMB_NONE};
    uint32_t order[6], position[6];
    assert_int_equal(lmbi_joints_sort(shuffled, 6, order, NULL, NULL), LMB_OK);
    for (uint32_t k = 0; k < 6; ++k) {
        position[order[k]] = k;
    }
    for (uint32_t j = 0; j < 6; ++j) {
        assert_true(shuffled[j] == LMB_NONE || position[shuffled[j]] < position[j]);
    }
    const int32_t cycle[3] = {1, 2, 0};
    assert_int_equal(lmbi_joints_sort(cycle, 3, order, NULL, NULL), LMB_ERROR_INVALID);
    const int32_t outside[2] = {LMB_NONE, 7};
    assert_int_equal(lmbi_joints_sort(outside, 2, order, NULL, NULL), LMB_ERROR_INVALID);
}

static void character_checks_its_parts(void **state)
{
    (void)state;
    tally counts = {0};
    const lmb_allocator alloc = {tally_resize, &counts};
    int32_t parents[1] = {LMB_NONE};
    lmb_transform rest[1] = {lmb_transform_identity()};
    const char *names[1] = {"root"};
    const lmb_skeleton skeleton_def = {
        .joint_count = 1, .parents = parents, .rest = rest, .names = names};
    uint32_t joints[1] = {0};
    lmb_mat4 bind[1] = {lmb_mat4_identity()};
    const lmb_skin skin_def = {
        .joint_count = 1, .joints = joints, .joint_from_bind = bind, .root = LMB_NONE};
    const lmb_mesh mesh_def = triangle();
    lmb_skeleton *skeleton = NULL;
    lmb_mesh *mesh = NULL;
    lmb_skin *skin = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton_def, &alloc, &skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_mesh_create(&mesh_def, &alloc, &mesh, NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(&skin_def, &alloc, &skin, NULL), LMB_OK);
    lmb_instance instance = {.joint = 0, .mesh = 1, .skin = 0};
    lmb_character def = one_mesh(skeleton, &mesh, &skin, &instance);
    def.name = "hero";
    lmb_character *hero = NULL;
    lmb_error error;
    assert_int_equal(lmb_character_create(&def, &alloc, &hero, &error), LMB_ERROR_INVALID);
    instance.mesh = 0;
    assert_int_equal(lmb_character_create(&def, &alloc, &hero, &error), LMB_OK);
    assert_string_equal(hero->name, "hero");
    lmb_character_destroy(hero);
    assert_int_equal(counts.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_a_deep_copy),        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(every_allocation_can_fail),  cmocka_unit_test(sorting_puts_parents_first),
        cmocka_unit_test(character_checks_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
