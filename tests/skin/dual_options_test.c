// Dual quaternions as an evaluation vertex by vertex in double; their known answers, and their
// options.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/skin.h"
#include "mesh_fixture.h"
#include "near.h"

static lmb_skin_dual_job job_of(const fixture *f, shape *out, unsigned outputs)
{
    return (lmb_skin_dual_job){.skin = {.binding = f->binding,
                                        .model_from_bind = f->rigid,
                                        .out_positions = outputs & 1 ? out->positions : NULL,
                                        .out_normals = outputs & 2 ? out->normals : NULL,
                                        .out_tangents = outputs & 4 ? out->tangents : NULL},
                               .rotations = f->rotations};
}

static lmb_skin_dual_job in_place(const fixture *f)
{
    const lmb_mesh *mesh = f->skinned->mesh;
    memcpy(f->got->positions, mesh->positions, sizeof(f->got->positions));
    memcpy(f->got->normals, mesh->normals, sizeof(f->got->normals));
    memcpy(f->got->tangents, mesh->tangents, sizeof(f->got->tangents));
    lmb_skin_dual_job job = job_of(f, f->got, 7);
    job.skin.positions = f->got->positions;
    job.skin.normals = f->got->normals;
    job.skin.tangents = f->got->tangents;
    return job;
}

// -------------------------------------------------------------------------------------- in double

/// b v b* + 2 e b*, b the unit rotation and e the dual part of the blend.
static void dual_in_double(const fixture *f, uint32_t v, double out[3])
{
    const lmb_influences *rows = &f->skinned->mesh->influences;
    const lmb_vec3 p = f->skinned->mesh->positions[v];
    const uint32_t begin = rows->first[v], end = rows->first[v + 1];
    double b[4] = {0}, e[4] = {0};
    uint32_t pivot = begin;
    for (uint32_t i = begin; i < end; ++i) {
        const lmb_influence *x = &rows->items[i], *y = &rows->items[pivot];
        const bool stronger =
            x->weight > y->weight || (!(x->weight < y->weight) && x->joint < y->joint);
        pivot = stronger ? i : pivot;
    }
    for (uint32_t i = begin; i < end; ++i) {
        const lmb_influence item = rows->items[i];
        const lmb_quat r = f->rotations[item.joint];
        const double sign = lmb_quat_dot(r, f->rotations[rows->items[pivot].joint]) < 0 ? -1 : 1;
        const double q[4] = {(double)r.x, (double)r.y, (double)r.z, (double)r.w};
        const float *m = f->rigid[item.joint].m;
        const double t[4] = {(double)m[12] / 2, (double)m[13] / 2, (double)m[14] / 2, 0};
        double shift[4];
        multiply(t, q, shift);
        for (int k = 0; k < 4; ++k) {
            b[k] += sign * (double)item.weight * q[k];
            e[k] += sign * (double)item.weight * shift[k];
        }
    }
    const double size = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    const double at[4] = {(double)p.x, (double)p.y, (double)p.z, 0};
    double back[4], rotated[4], twice[4], shift[4];
    for (int k = 0; k < 4; ++k) {
        b[k] /= size;
        e[k] /= size;
        back[k] = k < 3 ? -b[k] : b[k];
    }
    multiply(b, at, rotated);
    multiply(rotated, back, twice);
    multiply(e, back, shift);
    for (int k = 0; k < 3; ++k) {
        out[k] = twice[k] + 2 * shift[k];
    }
}

static void equals_double(void **state)
{
    fixture *f = *state;
    const lmb_influences *rows = &f->skinned->mesh->influences;
    const lmb_skin_dual_job job = job_of(f, f->want, 1);
    lmb_skin_dual(&job);
    uint32_t compared = 0;
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        double sum = 0, want[3];
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            sum += (double)rows->items[i].weight;
        }
        if (fabs(sum - 1) > 1e-4) {
            continue; // a row without joints, or one that does not sum to 1
        }
        dual_in_double(f, v, want);
        const lmb_vec3 got = f->want->positions[v];
        near((double)got.x, want[0], 3e-5);
        near((double)got.y, want[1], 3e-5);
        near((double)got.z, want[2], 3e-5);
        ++compared;
    }
    assert_true(compared > MESH_VERTICES / 2);
}

// ---------------------------------------------------------------------------------- known answers

/// Two joints half and half: one still, one turned a quarter about z and moved by 2 z, with either
/// sign of its quaternion.
static void a_screw_is_halved(void **state)
{
    (void)state;
    uint32_t first[] = {0, 2, 4, 6, 8, 10};
    lmb_influence items[10];
    lmb_vec3 positions[5], out[5];
    for (int v = 0; v < 5; ++v) {
        positions[v] = lmb_vec3_make(1, 0, 0);
        items[2 * v] = (lmb_influence){0, 0.5f};
        items[2 * v + 1] = (lmb_influence){1, 0.5f};
    }
    const lmb_mesh mesh = {.vertex_count = 5, .positions = positions, .influences = {first, items}};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_transform t = lmb_transform_identity();
    t.rotation = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, LMB_PI / 2);
    t.translation = lmb_vec3_make(0, 0, 2);
    const lmb_mat4 rigid[] = {lmb_mat4_identity(), lmb_mat4_from_transform(t)};
    lmb_quat q[] = {lmb_quat_identity(), t.rotation};
    for (int sign = 0; sign < 2; ++sign) {
        lmb_skin_dual(&(lmb_skin_dual_job){
            .skin = {.binding = binding, .model_from_bind = rigid, .out_positions = out},
            .rotations = q});
        near((double)out[3].x, sqrt(0.5), 1e-6);
        near((double)out[3].y, sqrt(0.5), 1e-6);
        near((double)out[3].z, 1, 1e-6);
        q[1] = (lmb_quat){-q[1].x, -q[1].y, -q[1].z, -q[1].w};
    }
    lmb_binding_destroy(binding);
}

static void options(void **state)
{
    fixture *f = *state;
    float *fractions = calloc(MESH_VERTICES, sizeof(*fractions));
    lmb_vec3 *pivots = calloc(MESH_VERTICES, sizeof(*pivots));
    assert_true(fractions != NULL && pivots != NULL);
    // Shares of 0 are linear blending.
    lmb_skin_dual_job job = in_place(f);
    job.dual_weights = fractions;
    lmb_skin_dual(&job);
    lmb_skin_linear(&(lmb_skin_job){
        .binding = f->binding, .model_from_bind = f->rigid, .out_positions = f->want->positions});
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        near((double)lmb_vec3_distance(f->got->positions[v], f->want->positions[v]), 0, 1e-5);
        fractions[v] = 1;
    }
    // Shares of 1 are dual quaternions.
    job = in_place(f);
    job.dual_weights = fractions;
    lmb_skin_dual(&job);
    const lmb_skin_dual_job plain = job_of(f, f->want, 7);
    lmb_skin_dual(&plain);
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        near((double)lmb_vec3_distance(f->got->positions[v], f->want->positions[v]), 0, 3e-5);
    }
    // With the whole fix no vertex is farther from where its strongest joint carries its pivot than
    // it is at rest.
    job = in_place(f);
    job.pivots = pivots;
    job.bulge_fix = 1;
    lmb_skin_dual(&job);
    const lmb_influences *rows = &f->skinned->mesh->influences;
    uint32_t held = 0;
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        if (rows->first[v + 1] - rows->first[v] >= 2 &&
            rows->items[rows->first[v]].weight > rows->items[rows->first[v] + 1].weight) {
            const lmb_vec3 now = lmb_mat4_translation(f->rigid[rows->items[rows->first[v]].joint]);
            const double rest = (double)lmb_vec3_length(f->skinned->mesh->positions[v]);
            const double have = (double)lmb_vec3_distance(f->got->positions[v], now);
            assert_true(have <= rest + 1e-5);
            held += (double)lmb_vec3_distance(f->want->positions[v], now) > rest + 1e-3;
        }
    }
    assert_true(held > 100);
    free(fractions);
    free(pivots);
}

/// Two bones along x, the second from x = 1 on.
static void pivots_lie_on_bones(void **state)
{
    (void)state;
    int32_t parents[] = {LMB_NONE, 0};
    uint32_t joints[] = {0, 1}, first[] = {0, 1, 2, 3};
    lmb_mat4 binds[] = {lmb_mat4_identity(), lmb_mat4_identity()};
    binds[1].m[12] = -1;
    lmb_influence items[] = {{0, 1}, {0, 1}, {1, 1}};
    lmb_vec3 positions[] = {{0.25f, 1, 0}, {3, 1, 0}, {3, 1, 0}}, out[3];
    const lmb_skeleton skeleton = {.joint_count = 2, .parents = parents};
    const lmb_skin skin = {.joint_count = 2, .joints = joints, .joint_from_bind = binds};
    const lmb_mesh mesh = {.vertex_count = 3, .positions = positions, .influences = {first, items}};
    assert_int_equal(lmb_skin_pivots(&skin, &skeleton, &mesh, NULL, out, NULL), LMB_OK);
    near((double)out[0].x, 0.25, 1e-6);
    near((double)out[0].y, 0, 1e-6);
    near((double)out[1].x, 1, 1e-6);
    near((double)out[2].x, 1, 1e-6);
}

/// Tangents that are not unit come out unit, as normals do, with options or without.
static void directions_come_out_unit(void **state)
{
    const fixture *f = *state;
    lmb_skin_dual_job job = in_place(f);
    const uint32_t n = f->skinned->mesh->vertex_count;
    float *fractions = calloc(n, sizeof *fractions);
    assert_non_null(fractions);
    for (uint32_t v = 0; v < n; ++v) {
        fractions[v] = 0.5f;
        lmb_vec4 *t = &f->got->tangents[v];
        *t = (lmb_vec4){3 * t->x, 3 * t->y, 3 * t->z, t->w};
        f->got->normals[v] = lmb_vec3_scale(f->got->normals[v], 0.25f);
    }
    job.dual_weights = fractions;
    lmb_skin_dual(&job);
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_vec4 t = f->got->tangents[v];
        near((double)(t.x * t.x + t.y * t.y + t.z * t.z), 1, 1e-5);
        near((double)lmb_vec3_length(f->got->normals[v]), 1, 1e-5);
    }
    free(fractions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_double, set_up, tear_down),
        cmocka_unit_test(a_screw_is_halved),
        cmocka_unit_test_setup_teardown(options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(directions_come_out_unit, set_up, tear_down),
        cmocka_unit_test(pivots_lie_on_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
