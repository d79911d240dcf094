#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/rig.h"
#include "rig/rows.h"

enum { JOINTS = 6, VERTICES = 4 };

/// A strip of two triangles along x, joints one metre apart along it; vertex 0 follows five joints,
/// vertex 3 none.
static lmb_character *make_character(const lmb_allocator *alloc)
{
    static const float weights[5] = {0.5f, 0.3f, 0.15f, 0.04f, 0.01f};
    int32_t parents[JOINTS + 1];
    lmb_transform rest[JOINTS + 1];
    const char *names[JOINTS + 1];
    lmb_mat4 inverse[JOINTS];
    uint32_t joints[JOINTS];
    for (int j = 0; j <= JOINTS; ++j) {
        parents[j] = LMB_NONE;
        rest[j] = lmb_transform_identity();
        rest[j].translation.x = j < JOINTS ? (float)j : 0;
        names[j] = "joint";
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        joints[j] = j;
        inverse[j] = lmb_mat4_identity();
        inverse[j].m[12] = -(float)j;
    }
    lmb_vec3 positions[VERTICES] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};
    uint32_t indices[6] = {0, 2, 1, 1, 2, 3}, first[VERTICES + 1] = {0, 5, 6, 8, 8};
    lmb_influence items[8];
    for (uint32_t k = 0; k < 5; ++k) {
        items[k] = (lmb_influence){k, weights[k]};
    }
    items[5] = (lmb_influence){0, 1};
    items[6] = (lmb_influence){1, 0.75f};
    items[7] = (lmb_influence){5, 0.25f};
    lmb_primitive primitive = {.index_count = 6,
                               .vertex_count = VERTICES,
                               .attributes = LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    lmb_mesh mesh = {.vertex_count = VERTICES,
                     .positions = positions,
                     .index_count = 6,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &primitive,
                     .influences = {first, items}};
    lmb_skeleton skeleton = {
        .joint_count = JOINTS + 1, .parents = parents, .rest = rest, .names = names};
    lmb_skin skin = {
        .joint_count = JOINTS, .joints = joints, .joint_from_bind = inverse, .root = LMB_NONE};
    lmb_instance instance = {.joint = JOINTS, .mesh = 0, .skin = 0};
    lmb_mesh *made_mesh;
    lmb_skeleton *made_skeleton;
    lmb_skin *made_skin;
    assert_int_equal(lmb_mesh_create(&mesh, alloc, &made_mesh, NULL), LMB_OK);
    assert_int_equal(lmb_skeleton_create(&skeleton, alloc, &made_skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(&skin, alloc, &made_skin, NULL), LMB_OK);
    lmb_character def = {.skeleton = made_skeleton,
                         .mesh_count = 1,
                         .skin_count = 1,
                         .instance_count = 1,
                         .meshes = &made_mesh,
                         .skins = &made_skin,
                         .instances = &instance};
    lmb_character *character;
    assert_int_equal(lmb_character_create(&def, alloc, &character, NULL), LMB_OK);
    return character;
}

static lmb_weights_change apply(lmb_character **c, lmb_weights_edit edit)
{
    lmb_weights_change change;
    assert_int_equal(lmb_weights_apply(c, &edit, NULL, &change, NULL), LMB_OK);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        float sum = 0;
        for (uint32_t j = 0; j < JOINTS; ++j) {
            sum += row_weight(*c, v, j);
        }
        assert_true(sum == 1);
    }
    return change;
}

static void pruning_gives_the_known_row(void **state)
{
    (void)state;
    lmb_character *c = make_character(NULL);
    lmb_weights_change change =
        apply(&c, (lmb_weights_edit){.op = LMB_WEIGHTS_PRUNE, .least = 0.02f});
    const float expected[5] = {0.5f / 0.99f, 0.3f / 0.99f, 0.15f / 0.99f, 0.04f / 0.99f, 0};
    for (uint32_t j = 0; j < 5; ++j) {
        assert_true(fabsf(row_weight(c, 0, j) - expected[j]) < 1e-6f);
    }
    assert_int_equal(change.most_before, 5);
    assert_int_equal(change.most_after, 4);
    assert_true(fabsf(change.lost_max - 0.01f) < 1e-6f);
    // The dropped joint stands 4 m away: 0.01 * 2 sin(22.5 degrees) * 4 m.
    assert_true(fabsf(change.shift_max - 0.0306147f) < 1e-5f);
    lmb_character_destroy(c);
}

static void empty_rows_are_filled_from_the_nearest(void **state)
{
    (void)state;
    lmb_character *c = make_character(NULL);
    lmb_weights_audit audit;
    assert_int_equal(lmb_weights_check(c, NULL, &audit, NULL), LMB_OK);
    assert_int_equal(audit.empty_count, 1);
    assert_int_equal(audit.most, 5);
    assert_int_equal(audit.joint_count, 6);
    lmb_weights_change change = apply(&c, (lmb_weights_edit){.op = LMB_WEIGHTS_NORMALIZE});
    assert_int_equal(change.empty_count, 1);
    assert_true(row_weight(c, 3, 0) == 1 ||
                row_weight(c, 3, 1) == 0.75f); // vertices 1 and 2 are as near
    assert_int_equal(lmb_weights_check(c, NULL, &audit, NULL), LMB_OK);
    assert_int_equal(audit.empty_count, 0);
    lmb_character_destroy(c);
}

/// Joint 4 has little weight but the longest lever; by weight alone joint 2 would stay before it.
static void the_limit_keeps_what_moves_the_vertex(void **state)
{
    (void)state;
    lmb_character *c = make_character(NULL);
    apply(&c, (lmb_weights_edit){.op = LMB_WEIGHTS_LIMIT, .influences = 2});
    // Pulls, lever in metres plus a twentieth of the size: 0.5 * 0.07, 0.3 * 1.07, 0.15 * 2.07,
    // 0.04 * 3.07, 0.01 * 4.07.
    assert_true(row_weight(c, 0, 1) > 0 && row_weight(c, 0, 2) > 0 && row_weight(c, 0, 0) == 0);
    lmb_character_destroy(c);
}

static void smoothing_goes_to_the_mean_and_keeps_a_constant(void **state)
{
    (void)state;
    lmb_character *c = make_character(NULL);
    apply(&c,
          (lmb_weights_edit){.op = LMB_WEIGHTS_SMOOTH, .rounds = 1, .amount = 1, .influences = 16});
    // Vertex 0's neighbours are 1 and 2: half of joint 0 alone, half of joints 1 and 5.
    assert_true(fabsf(row_weight(c, 0, 0) - 0.5f) < 1e-6f &&
                fabsf(row_weight(c, 0, 1) - 0.375f) < 1e-6f &&
                fabsf(row_weight(c, 0, 5) - 0.125f) < 1e-6f);
    apply(&c, (lmb_weights_edit){.op = LMB_WEIGHTS_SMOOTH, .rounds = 400, .influences = 16});
    lmb_weights_change change =
        apply(&c, (lmb_weights_edit){.op = LMB_WEIGHTS_SMOOTH, .rounds = 50, .influences = 16});
    (void)change;
    for (uint32_t j = 0; j < JOINTS; ++j) {
        assert_true(fabsf(row_weight(c, 0, j) - row_weight(c, 3, j)) < 1e-4f);
    }
    lmb_character_destroy(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int op = LMB_WEIGHTS_NORMALIZE; op <= LMB_WEIGHTS_SMOOTH; ++op) {
        for (failing_run f = {0}; failing_next(&f);) {
            f.state.calls_left = 1000;
            lmb_character *c = make_character(&f.alloc), *before = c;
            f.state.calls_left = f.calls;
            f.result = lmb_weights_apply(&c, &(lmb_weights_edit){.op = (lmb_weights_op)op},
                                         &f.alloc, NULL, NULL);
            assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && c == before));
            lmb_character_destroy(c);
        }
    }
}

/// The same for binding: the character stays what it was.
static void binding_may_run_out_of_memory(void **state)
{
    (void)state;
    for (failing_run f = {0}; failing_next(&f);) {
        f.state.calls_left = 1000;
        lmb_character *c = make_character(&f.alloc), *before = c, *from = make_character(NULL);
        f.state.calls_left = f.calls;
        f.result = lmb_bind(&c, &(lmb_bind_opts){.skeleton = from->skeleton}, NULL, &f.alloc, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && c == before));
        if (f.result == LMB_OK) {
            assert_int_equal(c->skeleton->joint_count, JOINTS + 2);
            assert_true(row_weight(c, 0, 0) > 0.3f);
        }
        lmb_character_destroy(c);
        lmb_character_destroy(from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruning_gives_the_known_row),
        cmocka_unit_test(empty_rows_are_filled_from_the_nearest),
        cmocka_unit_test(the_limit_keeps_what_moves_the_vertex),
        cmocka_unit_test(smoothing_goes_to_the_mean_and_keeps_a_constant),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(binding_may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
