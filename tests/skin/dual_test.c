// Dual quaternion skinning: dual_kernels, dual_half_kernels and dual_loose_kernels have the same
// bits with every instruction set; known answers; every vertex against the formula in double
// precision.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "mesh_fixture.h"
#include "near.h"

static lmb_skin_dual_job job_of(const fixture *f, shape *out, lmb_simd simd)
{
    return (lmb_skin_dual_job){.skin = {.binding = f->binding,
                                        .model_from_bind = f->rigid,
                                        .out_positions = out->positions,
                                        .out_normals = out->normals,
                                        .out_tangents = out->tangents,
                                        .simd = simd},
                               .rotations = f->rotations};
}

static void sets_have_the_same_bits(void **state)
{
    fixture *f = *state;
    const lmb_mesh *mesh = f->skinned->mesh;
    lmb_skin_dual_job job = job_of(f, f->want, LMB_SIMD_SCALAR);
    lmb_skin_dual(&job);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        if (!lmb_simd_runs((lmb_simd)set)) {
            continue;
        }
        job = job_of(f, f->got, (lmb_simd)set);
        lmb_skin_dual(&job);
        assert_memory_equal(f->got, f->want, sizeof(shape));
        memset(f->got, 0, sizeof(shape)); // in place, and positions alone
        memcpy(f->got->positions, mesh->positions, sizeof(f->got->positions));
        job.skin.positions = f->got->positions;
        job.skin.out_normals = NULL;
        job.skin.out_tangents = NULL;
        lmb_skin_dual(&job);
        assert_memory_equal(f->got->positions, f->want->positions, sizeof(f->want->positions));
    }
}

typedef struct dual {
    double r[4], d[4]; ///< x y z w
} dual;

/// The definition, term by term: normalise, drop what is parallel, rotate by r v conj(r), shift by
/// 2 d conj(r).
static void by_definition(const dual *sum, lmb_vec3 v, double out[3])
{
    double length = 0, parallel = 0, r[4], d[4], conjugate[4], rotated[4], shifted[4], half[4];
    for (int c = 0; c < 4; ++c) {
        length += sum->r[c] * sum->r[c];
        parallel += sum->r[c] * sum->d[c];
    }
    for (int c = 0; c < 4; ++c) {
        r[c] = sum->r[c] / sqrt(length);
        d[c] = (sum->d[c] - sum->r[c] * parallel / length) / sqrt(length);
        conjugate[c] = c < 3 ? -r[c] : r[c];
    }
    const double p[4] = {(double)v.x, (double)v.y, (double)v.z, 0};
    multiply(r, p, half);
    multiply(half, conjugate, rotated);
    multiply(d, conjugate, shifted);
    for (int c = 0; c < 3; ++c) {
        out[c] = rotated[c] + 2 * shifted[c];
    }
}

static dual dual_of(const fixture *f, uint32_t joint)
{
    const lmb_quat q = f->rotations[joint];
    const float *m = f->rigid[joint].m;
    const double t[4] = {0.5 * (double)m[12], 0.5 * (double)m[13], 0.5 * (double)m[14], 0};
    dual out = {{(double)q.x, (double)q.y, (double)q.z, (double)q.w}, {0}};
    multiply(t, out.r, out.d);
    return out;
}

static void equals_the_definition(void **state)
{
    fixture *f = *state;
    const lmb_influences *rows = &f->skinned->mesh->influences;
    const lmb_skin_dual_job job = job_of(f, f->got, LMB_SIMD_BEST);
    lmb_skin_dual(&job);
    uint32_t judged = 0;
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        dual sum = {{0}, {0}}, pivot = dual_of(f, 0);
        float most = 0;
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            if (rows->items[i].weight > most) {
                most = rows->items[i].weight;
                pivot = dual_of(f, rows->items[i].joint);
            }
        }
        double length = 0, least_side = 1;
        const bool empty = rows->first[v] == rows->first[v + 1];
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            const dual q = dual_of(f, rows->items[i].joint);
            double side = 0;
            for (int c = 0; c < 4; ++c) {
                side += q.r[c] * pivot.r[c];
            }
            least_side = fmin(least_side, fabs(side));
            const double w = (side < 0 ? -1 : 1) * (double)rows->items[i].weight;
            for (int c = 0; c < 4; ++c) {
                sum.r[c] += w * q.r[c];
                sum.d[c] += w * q.d[c];
            }
        }
        sum = empty ? pivot : sum;
        for (int c = 0; c < 4; ++c) {
            length += sum.r[c] * sum.r[c];
        }
        if (length < 0.05 || least_side < 1e-5) {
            continue; // nearly opposite: rounding decides
        }
        double want[3];
        by_definition(&sum, f->skinned->mesh->positions[v], want);
        near((double)f->got->positions[v].x, want[0], 1e-5);
        near((double)f->got->positions[v].y, want[1], 1e-5);
        near((double)f->got->positions[v].z, want[2], 1e-5);
        near((double)lmb_vec3_length(f->got->normals[v]), 1, 1e-6);
        ++judged;
    }
    assert_true(judged > MESH_VERTICES / 2);
}

// ---------------------------------------------------------------------------------- known answers

static double cylinder_after(const lmb_mesh *mesh, lmb_vec3 axis, double degrees, float sign,
                             lmb_vec3 *out)
{
    lmb_mat4 palette[2], rigid[2], stretch[2];
    lmb_quat rotations[2];
    lmb_binding *binding = NULL;
    cylinder_pose(axis, degrees, palette);
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                         .model_from_bind = palette,
                                         .rigid = rigid,
                                         .rotations = rotations,
                                         .stretch = stretch});
    rotations[1] = lmb_quat_make(sign * rotations[1].x, sign * rotations[1].y,
                                 sign * rotations[1].z, sign * rotations[1].w);
    assert_int_equal(lmb_binding_create(mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_skin_dual(&(lmb_skin_dual_job){
        .skin = {.binding = binding, .model_from_bind = rigid, .out_positions = out},
        .rotations = rotations});
    lmb_binding_destroy(binding);
    return cylinder_volume(mesh, out) / cylinder_volume(mesh, mesh->positions);
}

static void cylinder_volumes(void **state)
{
    (void)state;
    lmb_mesh *mesh = cylinder_create(false);
    lmb_vec3 *out = calloc(CYLINDER_VERTICES, sizeof(*out)),
             *other = calloc(CYLINDER_VERTICES, sizeof(*other));
    assert_true(out != NULL && other != NULL);
    const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    near(cylinder_after(mesh, z, 45, 1, out), 0.9999, 5e-5);
    near(cylinder_after(mesh, z, 90, 1, out), 0.9996, 5e-5);
    near(cylinder_after(mesh, z, 90, -1, other), 0.9996, 5e-5); // -q is the same rotation
    assert_memory_equal(out, other, CYLINDER_VERTICES * sizeof(*out));
    near(cylinder_after(mesh, z, 120, 1, out), 0.9993, 5e-5);
    near(cylinder_after(mesh, x, 90, 1, out), 0.9997, 5e-5);
    near(cylinder_least_radius(out), 1, 1e-5);
    near(cylinder_after(mesh, x, 180, 1, out), 0.9989, 5e-5);
    near(cylinder_least_radius(out), 1, 1e-5);
    free(out);
    free(other);
    lmb_mesh_destroy(mesh);
}

/// Half of a quarter turn about z that climbs by 2: an eighth of a turn that climbs by 1.
static void half_a_screw(void **state)
{
    (void)state;
    uint32_t first[] = {0, 2};
    lmb_influence items[] = {{0, 0.5f}, {1, 0.5f}};
    lmb_vec3 position = {1, 0, 0}, out;
    const lmb_mesh mesh = {.vertex_count = 1, .positions = &position, .influences = {first, items}};
    lmb_transform screw = lmb_transform_identity();
    screw.rotation = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, LMB_PI / 2);
    screw.translation.z = 2;
    const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(screw)};
    const lmb_quat rotations[] = {lmb_quat_identity(), screw.rotation};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_skin_dual(&(lmb_skin_dual_job){
        .skin = {.binding = binding, .model_from_bind = palette, .out_positions = &out},
        .rotations = rotations});
    near((double)out.x, sqrt(0.5), 1e-6);
    near((double)out.y, sqrt(0.5), 1e-6);
    near((double)out.z, 1, 1e-6);
    lmb_binding_destroy(binding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equals_the_definition, set_up, tear_down),
        cmocka_unit_test(cylinder_volumes),
        cmocka_unit_test(half_a_screw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
