// center_kernels, center_half_kernels and center_loose_kernels: the same bits with every
// instruction set, for any stride, with inputs given or as compiled, and as an evaluation vertex by
// vertex in double.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "limber/skin.h"
#include "mesh_fixture.h"

/// Centres of chance: what is compared needs no better ones.
static lmb_vec3 random_centers[MESH_VERTICES];

static int set_up_centers(void **state)
{
    lmb_random random = lmb_random_seed(7);
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        random_centers[v] = random_point(&random);
    }
    return set_up(state);
}

static void run_job(const fixture *f, const lmb_skin_job *skin)
{
    lmb_skin_job job = *skin;
    job.binding = f->binding;
    job.model_from_bind = f->rigid;
    lmb_skin_center(
        &(lmb_skin_center_job){.skin = job, .rotations = f->rotations, .centers = random_centers});
}

static void run(const fixture *f, shape *out, lmb_simd set, unsigned outputs)
{
    run_job(f, &(lmb_skin_job){.out_positions = outputs & 1 ? out->positions : NULL,
                               .out_normals = outputs & 2 ? out->normals : NULL,
                               .out_tangents = outputs & 4 ? out->tangents : NULL,
                               .simd = set});
}

/// The paper's formulas in double, with the joint that pulls most as the pivot of the signs.
static void center_in_double(const fixture *f, uint32_t v, double out[3])
{
    const lmb_influences *rows = &f->skinned->mesh->influences;
    double q[4] = {0}, at[3] = {0}, sum = 0, u[3], t[3], s[3];
    const lmb_vec3 p = f->skinned->mesh->positions[v], c = random_centers[v];
    const uint32_t begin = rows->first[v], end = rows->first[v + 1];
    uint32_t pivot = begin;
    for (uint32_t i = begin; i < end; ++i) {
        const lmb_influence *a = &rows->items[i], *b = &rows->items[pivot];
        const bool stronger =
            a->weight > b->weight || (!(a->weight < b->weight) && a->joint < b->joint);
        pivot = stronger ? i : pivot;
    }
    for (uint32_t i = begin; i < end; ++i) {
        const lmb_influence *item = &rows->items[i];
        const lmb_quat r = f->rotations[item->joint];
        const double w = (double)item->weight;
        const double sign = lmb_quat_dot(r, f->rotations[rows->items[pivot].joint]) < 0 ? -1 : 1;
        q[0] += sign * w * (double)r.x, q[1] += sign * w * (double)r.y;
        q[2] += sign * w * (double)r.z, q[3] += sign * w * (double)r.w;
        const float *m = f->rigid[item->joint].m;
        for (int k = 0; k < 3; ++k) {
            at[k] += w * ((double)m[k] * (double)c.x + (double)m[4 + k] * (double)c.y +
                          (double)m[8 + k] * (double)c.z + (double)m[12 + k]);
        }
        sum += w;
    }
    assert_true(sum > 0);
    const double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double arm[3] = {(double)p.x - (double)c.x, (double)p.y - (double)c.y,
                           (double)p.z - (double)c.z};
    for (int k = 0; k < 3; ++k) {
        u[k] = q[k];
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        t[k] = u[i] * arm[j] - u[j] * arm[i] + q[3] * arm[k];
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        s[k] = u[i] * t[j] - u[j] * t[i];
        out[k] = arm[k] + 2 / size * s[k] + at[k];
    }
}

static void equals_double(void **state)
{
    fixture *f = *state;
    run(f, f->want, LMB_SIMD_BEST, 1);
    uint32_t compared = 0;
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        const lmb_influences *rows = &f->skinned->mesh->influences;
        double sum = 0, want[3];
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            sum += (double)rows->items[i].weight;
        }
        if (fabs(sum - 1) > 1e-4) {
            continue; // a row without joints, or one that does not sum to 1
        }
        center_in_double(f, v, want);
        const lmb_vec3 got = f->want->positions[v];
        const double distance = fabs((double)got.x - want[0]) + fabs((double)got.y - want[1]) +
                                fabs((double)got.z - want[2]);
        // Rotations that all but cancel leave few digits.
        if (distance > 2e-5) {
            fail_msg("vertex %u: %g apart", v, distance);
        }
        ++compared;
    }
    assert_true(compared > MESH_VERTICES / 2);
}

static void sets_have_the_same_bits(void **state)
{
    fixture *f = *state;
    run(f, f->want, LMB_SIMD_SCALAR, 7);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        for (unsigned outputs = 1; outputs < 8 && lmb_simd_runs((lmb_simd)set); ++outputs) {
            memset(f->got, 0, sizeof(shape));
            run(f, f->got, (lmb_simd)set, outputs);
            assert_same_outputs(f->got, f->want, outputs);
        }
    }
}

static void inputs_may_be_given_and_in_place(void **state)
{
    fixture *f = *state;
    const lmb_mesh *mesh = f->skinned->mesh;
    run(f, f->want, LMB_SIMD_BEST, 7);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        memcpy(f->got->positions, mesh->positions, sizeof(f->got->positions));
        memcpy(f->got->normals, mesh->normals, sizeof(f->got->normals));
        memcpy(f->got->tangents, mesh->tangents, sizeof(f->got->tangents));
        run_job(f, &(lmb_skin_job){.positions = f->got->positions,
                                   .normals = f->got->normals,
                                   .tangents = f->got->tangents,
                                   .out_positions = f->got->positions,
                                   .out_normals = f->got->normals,
                                   .out_tangents = f->got->tangents,
                                   .simd = (lmb_simd)set});
        assert_memory_equal(f->got, f->want, sizeof(shape));
    }
}

static void outputs_may_have_a_stride(void **state)
{
    fixture *f = *state;
    run(f, f->want, LMB_SIMD_BEST, 7);
    strided_vertex *buffer = calloc(MESH_VERTICES, sizeof(*buffer));
    assert_non_null(buffer);
    run_job(f, &(lmb_skin_job){.out_positions = &buffer->position,
                               .out_normals = &buffer->normal,
                               .out_tangents = &buffer->tangent,
                               .position_stride = sizeof(strided_vertex),
                               .normal_stride = sizeof(strided_vertex),
                               .tangent_stride = sizeof(strided_vertex)});
    assert_same_strided(buffer, f->want);
    free(buffer);
}

static void centers_may_be_kept(void **state)
{
    fixture *f = *state;
    run(f, f->want, LMB_SIMD_SCALAR, 7);
    lmb_centers centers = {.vertex_count = MESH_VERTICES - 1, .positions = random_centers};
    assert_int_equal(lmb_binding_keep_centers(f->binding, &centers, NULL), LMB_ERROR_INVALID);
    centers.vertex_count = MESH_VERTICES;
    assert_int_equal(lmb_binding_keep_centers(f->binding, &centers, NULL), LMB_OK);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        memset(f->got, 0, sizeof(shape));
        const lmb_skin_job job = {.binding = f->binding,
                                  .model_from_bind = f->rigid,
                                  .out_positions = f->got->positions,
                                  .out_normals = f->got->normals,
                                  .out_tangents = f->got->tangents,
                                  .simd = (lmb_simd)set};
        lmb_skin_center(&(lmb_skin_center_job){.skin = job, .rotations = f->rotations});
        assert_memory_equal(f->got, f->want, sizeof(shape));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_double, set_up_centers, tear_down),
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up_centers, tear_down),
        cmocka_unit_test_setup_teardown(inputs_may_be_given_and_in_place, set_up_centers,
                                        tear_down),
        cmocka_unit_test_setup_teardown(centers_may_be_kept, set_up_centers, tear_down),
        cmocka_unit_test_setup_teardown(outputs_may_have_a_stride, set_up_centers, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
