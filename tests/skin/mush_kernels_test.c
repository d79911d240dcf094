// mush_kernels and mush_turn_kernels: the same bits with every instruction set, for any stride,
// with inputs given or as compiled.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "limber/skin.h"

typedef struct shape {
    lmb_vec3 positions[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
    lmb_vec4 tangents[CYLINDER_VERTICES];
} shape;

typedef struct fixture {
    lmb_mesh *mesh;
    lmb_mush *mush;
    lmb_mat4 palette[2];
    lmb_quat rotations[2];
    shape *want, *got;
} fixture;

static int set_up(void **state, lmb_mush_variant variant)
{
    const lmb_mush_opts opts = {.variant = variant};
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->mesh = cylinder_create(false);
    f->want = calloc(1, sizeof(shape));
    f->got = calloc(1, sizeof(shape));
    assert_true(f->mesh != NULL && f->want != NULL && f->got != NULL);
    assert_int_equal(lmb_mush_create(f->mesh, &opts, NULL, NULL, &f->mush, NULL), LMB_OK);
    *state = f;
    return 0;
}

static int set_up_v0(void **state)
{
    return set_up(state, LMB_MUSH_V0);
}

static int set_up_v2(void **state)
{
    return set_up(state, LMB_MUSH_V2);
}

static void pose(fixture *f, lmb_vec3 axis, double degrees)
{
    lmb_mat4 palette[2], stretch[2];
    cylinder_pose(axis, degrees, palette);
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                         .model_from_bind = palette,
                                         .rigid = f->palette,
                                         .rotations = f->rotations,
                                         .stretch = stretch});
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lmb_mush_destroy(f->mush);
    lmb_mesh_destroy(f->mesh);
    free(f->want);
    free(f->got);
    free(f);
    return 0;
}

static void run(const fixture *f, shape *out, lmb_simd set, unsigned outputs)
{
    lmb_skin_mush(
        &(lmb_skin_mush_job){.skin = {.model_from_bind = f->palette,
                                      .out_positions = outputs & 1 ? out->positions : NULL,
                                      .out_normals = outputs & 2 ? out->normals : NULL,
                                      .out_tangents = outputs & 4 ? out->tangents : NULL,
                                      .simd = set},
                             .mush = f->mush,
                             .rotations = f->rotations});
}

/// A bend; a twist to where the answer is all but open, with mirrored neighbourhoods; and half a
/// turn.
static void sets_have_the_same_bits(void **state)
{
    fixture *f = *state;
    const lmb_vec3 axes[] = {{0, 0, 1}, {1, 0, 0}, {0.8f, 0, 0.6f}, {1, 0, 0}};
    const double degrees[] = {110, 179.9, 150, 180};
    for (int k = 0; k < 4; ++k) {
        pose(f, axes[k], degrees[k]);
        run(f, f->want, LMB_SIMD_SCALAR, 7);
        for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
            assert_true(lmb_vec3_is_finite(f->want->positions[v]));
            assert_true(lmb_vec3_length(f->want->positions[v]) < 6);
        }
        for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
            for (unsigned outputs = 1; outputs < 8 && lmb_simd_runs((lmb_simd)set); ++outputs) {
                memset(f->got, 0, sizeof(shape));
                run(f, f->got, (lmb_simd)set, outputs);
                if (outputs & 1) {
                    assert_memory_equal(f->got->positions, f->want->positions,
                                        sizeof(f->want->positions));
                }
                if (outputs & 2) {
                    assert_memory_equal(f->got->normals, f->want->normals,
                                        sizeof(f->want->normals));
                }
                if (outputs & 4) {
                    assert_memory_equal(f->got->tangents, f->want->tangents,
                                        sizeof(f->want->tangents));
                }
            }
        }
    }
}

static void inputs_may_be_given_and_in_place(void **state)
{
    fixture *f = *state;
    pose(f, (lmb_vec3){0, 0, 1}, 70);
    run(f, f->want, LMB_SIMD_BEST, 7);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        memcpy(f->got->positions, f->mesh->positions, sizeof(f->got->positions));
        memcpy(f->got->normals, f->mesh->normals, sizeof(f->got->normals));
        memcpy(f->got->tangents, f->mesh->tangents, sizeof(f->got->tangents));
        lmb_skin_mush(&(lmb_skin_mush_job){.skin = {.model_from_bind = f->palette,
                                                    .positions = f->got->positions,
                                                    .normals = f->got->normals,
                                                    .tangents = f->got->tangents,
                                                    .out_positions = f->got->positions,
                                                    .out_normals = f->got->normals,
                                                    .out_tangents = f->got->tangents,
                                                    .simd = (lmb_simd)set},
                                           .mush = f->mush,
                                           .rotations = f->rotations});
        assert_memory_equal(f->got, f->want, sizeof(shape));
    }
}

typedef struct vertex {
    float before;
    lmb_vec3 position;
    lmb_vec4 tangent;
    lmb_vec3 normal;
} vertex;

static void outputs_may_have_a_stride(void **state)
{
    fixture *f = *state;
    pose(f, (lmb_vec3){0, 0, 1}, 70);
    run(f, f->want, LMB_SIMD_BEST, 7);
    vertex *buffer = calloc(CYLINDER_VERTICES, sizeof(*buffer));
    assert_non_null(buffer);
    lmb_skin_mush(&(lmb_skin_mush_job){.skin = {.model_from_bind = f->palette,
                                                .out_positions = &buffer->position,
                                                .out_normals = &buffer->normal,
                                                .out_tangents = &buffer->tangent,
                                                .position_stride = sizeof(vertex),
                                                .normal_stride = sizeof(vertex),
                                                .tangent_stride = sizeof(vertex)},
                                       .mush = f->mush,
                                       .rotations = f->rotations});
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        assert_false(buffer[v].before > 0 || buffer[v].before < 0);
        assert_memory_equal(&buffer[v].position, &f->want->positions[v], sizeof(lmb_vec3));
        assert_memory_equal(&buffer[v].normal, &f->want->normals[v], sizeof(lmb_vec3));
        assert_memory_equal(&buffer[v].tangent, &f->want->tangents[v], sizeof(lmb_vec4));
    }
    free(buffer);
}

/// A strip whose pairs of vertices follow one joint and the other in turn: were its only block
/// sorted by joints, its first vertices and its last would stand as if all followed each other.
static void neighbours_may_follow_other_joints(void **state)
{
    fixture *f = *state;
    enum { COUNT = 16 };
    const lmb_mush_opts opts = {.passes = 1, .lambda = 0.01f, .kappa = 0.01f};
    lmb_vec3 positions[COUNT], want[COUNT], got[COUNT];
    uint32_t first[COUNT + 1] = {0}, indices[3 * (COUNT - 2)];
    lmb_influence items[COUNT];
    for (uint32_t v = 0; v < COUNT; ++v) {
        positions[v] = lmb_vec3_make((float)(v / 2), (float)(v % 2), 0);
        items[v] = (lmb_influence){v / 2 % 2, 1};
        first[v + 1] = v + 1;
    }
    for (uint32_t t = 0; t < COUNT - 2; ++t) {
        indices[3 * t] = t;
        indices[3 * t + 1] = t + 1 + t % 2;
        indices[3 * t + 2] = t + 2 - t % 2;
    }
    lmb_primitive primitive = {.index_count = 3 * (COUNT - 2), .vertex_count = COUNT};
    const lmb_mesh mesh = {.vertex_count = COUNT,
                           .positions = positions,
                           .index_count = 3 * (COUNT - 2),
                           .indices = indices,
                           .primitive_count = 1,
                           .primitives = &primitive,
                           .influences = {first, items}};
    lmb_mush *mush = NULL;
    assert_int_equal(lmb_mush_create(&mesh, &opts, NULL, NULL, &mush, NULL), LMB_OK);
    pose(f, (lmb_vec3){0, 0, 1}, 70);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        for (int k = 0; k < 2 && lmb_simd_runs((lmb_simd)set); ++k) {
            lmb_skin_mush(
                &(lmb_skin_mush_job){.skin = {.model_from_bind = f->palette,
                                              .out_positions = k == 0 ? want : got,
                                              .simd = k == 0 ? LMB_SIMD_SCALAR : (lmb_simd)set},
                                     .mush = mush,
                                     .rotations = f->rotations});
        }
        assert_memory_equal(got, want, sizeof(want));
    }
    lmb_mush_destroy(mush);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up_v0, tear_down),
        cmocka_unit_test_setup_teardown(inputs_may_be_given_and_in_place, set_up_v0, tear_down),
        cmocka_unit_test_setup_teardown(neighbours_may_follow_other_joints, set_up_v0, tear_down),
        cmocka_unit_test_setup_teardown(outputs_may_have_a_stride, set_up_v0, tear_down),
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up_v2, tear_down),
        cmocka_unit_test_setup_teardown(inputs_may_be_given_and_in_place, set_up_v2, tear_down),
        cmocka_unit_test_setup_teardown(outputs_may_have_a_stride, set_up_v2, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
