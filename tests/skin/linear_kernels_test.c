// linear_kernels and linear_half_kernels: the same bits with every instruction set, for any stride,
// whichever way the inputs come in and whatever outputs are wanted.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mesh_fixture.h"
#include "skin/binding.h"

static lmb_skin_job job_of(const fixture *f, shape *out)
{
    return (lmb_skin_job){.binding = f->binding,
                          .model_from_bind = f->skinned->palette,
                          .out_positions = out->positions,
                          .out_normals = out->normals,
                          .out_tangents = out->tangents};
}

static void skin(const lmb_skin_job *job, bool rigid)
{
    if (rigid) {
        lmb_skin_rigid(job);
    } else {
        lmb_skin_linear(job);
    }
}

/// What is compared means something only if all kinds of runs are there.
static void the_mesh_has_runs_of_all_kinds(void **state)
{
    const fixture *f = *state;
    uint32_t full = 0, half = 0, widths = 0;
    for (uint32_t r = 0; r < f->binding->run_count; ++r) {
        const lmbi_skin_run *run = &f->binding->runs[r];
        full += run->count > 8;
        half += run->count <= 8;
        widths |= 1u << run->width;
    }
    assert_true(full > 50 && half > 50 && f->binding->loose_count > 100);
    assert_int_equal(widths & 0x5e, 0x5e); // 1, 2, 3, 4 and 6
    assert_true(f->binding->chunk_count == 2);
}

static void sets_have_the_same_bits(void **state)
{
    fixture *f = *state;
    for (int rigid = 0; rigid < 2; ++rigid) {
        lmb_skin_job job = job_of(f, f->want);
        job.simd = LMB_SIMD_SCALAR;
        skin(&job, rigid == 1);
        for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
            if (!lmb_simd_runs((lmb_simd)set)) {
                continue;
            }
            for (unsigned outputs = 1; outputs < 8; ++outputs) {
                memset(f->got, 0, sizeof(shape));
                job = job_of(f, f->got);
                job.simd = (lmb_simd)set;
                job.out_positions = outputs & 1 ? f->got->positions : NULL;
                job.out_normals = outputs & 2 ? f->got->normals : NULL;
                job.out_tangents = outputs & 4 ? f->got->tangents : NULL;
                skin(&job, rigid == 1);
                assert_same_outputs(f->got, f->want, outputs);
            }
        }
    }
}

static void given_inputs_equal_compiled_ones(void **state)
{
    fixture *f = *state;
    const lmb_mesh *mesh = f->skinned->mesh;
    for (int rigid = 0; rigid < 2; ++rigid) {
        lmb_skin_job job = job_of(f, f->want);
        skin(&job, rigid == 1);
        for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
            // In place: what one step writes must not be what another reads.
            memcpy(f->got->positions, mesh->positions, sizeof(f->got->positions));
            memcpy(f->got->normals, mesh->normals, sizeof(f->got->normals));
            memcpy(f->got->tangents, mesh->tangents, sizeof(f->got->tangents));
            job = job_of(f, f->got);
            job.simd = (lmb_simd)set;
            job.positions = f->got->positions;
            job.normals = f->got->normals;
            job.tangents = f->got->tangents;
            skin(&job, rigid == 1);
            assert_memory_equal(f->got, f->want, sizeof(shape));
        }
    }
}

typedef struct vertex {
    uint16_t before[6];
    lmb_vec3 position;
    uint32_t color;
    lmb_vec4 tangent;
    lmb_vec3 normal;
    float after;
} vertex;

static void strides_leave_the_rest_alone(void **state)
{
    fixture *f = *state;
    lmb_skin_job job = job_of(f, f->want);
    skin(&job, false);
    vertex *buffer = malloc(MESH_VERTICES * sizeof(*buffer));
    assert_non_null(buffer);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        memset(buffer, 0x5a, MESH_VERTICES * sizeof(*buffer));
        job = job_of(f, f->got);
        job.out_positions = &buffer->position;
        job.out_normals = &buffer->normal;
        job.out_tangents = &buffer->tangent;
        job.position_stride = job.normal_stride = job.tangent_stride = sizeof(vertex);
        job.simd = (lmb_simd)set;
        skin(&job, false);
        for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
            vertex want;
            memset(&want, 0x5a, sizeof(want));
            want.position = f->want->positions[v];
            want.normal = f->want->normals[v];
            want.tangent = f->want->tangents[v];
            assert_memory_equal(&buffer[v], &want, sizeof(want));
        }
    }
    free(buffer);
}

/// Matrices with entries that would give denormals: the bits are those of matrices with zeros in
/// their place.
static void tiny_entries_count_as_zero(void **state)
{
    fixture *f = *state;
    lmb_mat4 tiny[MESH_JOINTS];
    lmb_random random = lmb_random_seed(7);
    memcpy(tiny, f->skinned->palette, sizeof(tiny));
    for (int j = 0; j < MESH_JOINTS; ++j) {
        const int e = (int)(lmb_random_u32(&random) % 11);
        tiny[j].m[e % 4 == 3 ? 0 : e] = lmb_random_range(&random, -1e-13f, 1e-13f);
        tiny[j].m[12 + j % 3] = 1e-37f;
    }
    lmb_skin_job job = job_of(f, f->got);
    job.model_from_bind = tiny;
    skin(&job, false);
    for (int j = 0; j < MESH_JOINTS; ++j) {
        for (int e = 0; e < 15; ++e) {
            tiny[j].m[e] = fabsf(tiny[j].m[e]) < 1e-12f ? 0.0f : tiny[j].m[e];
        }
    }
    job = job_of(f, f->want);
    job.model_from_bind = tiny;
    job.simd = LMB_SIMD_SCALAR;
    skin(&job, false);
    assert_memory_equal(f->got, f->want, sizeof(shape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_mesh_has_runs_of_all_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(given_inputs_equal_compiled_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strides_leave_the_rest_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tiny_entries_count_as_zero, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
