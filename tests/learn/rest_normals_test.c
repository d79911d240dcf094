#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "learn/rest_normals.h"

enum { COUNT = 6 };

/// Two triangles with an edge in common, whose vertices there are split: normals turn with the surface at
/// their position, and keep the angle that they had to it.
static void normals_turn_with_the_surface(void **state)
{
    (void)state;
    const lmb_vec3 before[COUNT] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                    {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const uint32_t point_of[COUNT] = {0, 1, 2, 1, 3, 2};
    uint32_t indices[COUNT] = {0, 1, 2, 3, 4, 5};
    lmb_vec3 normals[COUNT], positions[COUNT];
    lmb_vec4 tangents[COUNT];
    const lmb_quat turn = lmb_quat_axis_angle(lmb_vec3_make(0.6f, 0.8f, 0), 0.7f); // across z
    for (int v = 0; v < COUNT; ++v) {
        positions[v] = lmb_quat_rotate(turn, before[v]);
        normals[v] = v < 3 ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, 0.6f, 0.8f);
        tangents[v] = (lmb_vec4){1, 0, 0, -1};
    }
    lmb_primitive part = {.topology = LMB_TRIANGLES, .index_count = COUNT, .vertex_count = COUNT};
    lmb_mesh mesh = {.vertex_count = COUNT,
                     .positions = positions,
                     .normals = normals,
                     .tangents = tangents,
                     .index_count = COUNT,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &part};
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    assert_true(lmbi_learn_turn_normals(&mesh, before, point_of, 4, &arena));
    for (int v = 0; v < COUNT; ++v) {
        const lmb_vec3 wanted = lmb_quat_rotate(turn, normals[v]);
        const lmb_vec3 along = lmb_quat_rotate(turn, lmb_vec3_make(1, 0, 0));
        const lmb_vec4 t = mesh.tangents[v];
        assert_true(lmb_vec3_distance(mesh.normals[v], wanted) < 1e-6f);
        assert_true(lmb_vec3_distance(lmb_vec3_make(t.x, t.y, t.z), along) < 1e-6f);
        assert_true(t.w < 0);
    }
    lmbi_arena_free(&arena);
}

/// Where the surface has no area before or after, normals stay.
static void normals_of_nothing_stay(void **state)
{
    (void)state;
    const lmb_vec3 before[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lmb_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, normals[3];
    uint32_t indices[3] = {0, 1, 2};
    lmb_primitive part = {.topology = LMB_TRIANGLES, .index_count = 3, .vertex_count = 3};
    lmb_mesh mesh = {.vertex_count = 3,
                     .positions = positions,
                     .normals = normals,
                     .index_count = 3,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &part};
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    for (int v = 0; v < 3; ++v) {
        normals[v] = lmb_vec3_make(0, 1, 0);
    }
    assert_true(lmbi_learn_turn_normals(&mesh, before, NULL, 3, &arena));
    for (int v = 0; v < 3; ++v) {
        assert_true(lmb_vec3_distance(mesh.normals[v], lmb_vec3_make(0, 1, 0)) < 1e-7f);
    }
    lmbi_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_turn_with_the_surface),
        cmocka_unit_test(normals_of_nothing_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
