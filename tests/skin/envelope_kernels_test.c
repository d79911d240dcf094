// envelope_kernels: the definition of multi-weight enveloping in double precision; the same bits
// with every instruction set, in place and by ranges.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/os.h"
#include "limber/skin.h"

enum {
    VERTICES = 20011, ///< two chunks, the last block of each partly full
    JOINTS = 40,
    NORMALS = 1,
    TANGENTS = 2,
};

typedef struct shape {
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_vec4 tangents[VERTICES];
} shape;

typedef struct fixture {
    shape rest, want, got;
    lmb_vec4 envelope[LMB_ENVELOPE_SETS * VERTICES];
    lmb_mat4 joint_from_bind[JOINTS], model_from_bind[JOINTS];
    lmb_mesh mesh;
    lmb_skin skin;
    lmb_envelope_skin *compiled;
} fixture;

static lmb_vec3 random_point(lmb_random *random)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    return lmb_vec3_make(x, y, lmb_random_range(random, -1, 1));
}

/// Rotated about any axis, moved, scaled unevenly, some mirrored.
static lmb_mat4 random_transform(lmb_random *random, uint32_t j)
{
    lmb_transform t = {random_point(random), {0, 0, 0, 1}, {1, 1, 1}};
    const lmb_vec3 axis = lmb_vec3_normalize_or(random_point(random), lmb_vec3_make(1, 0, 0));
    t.rotation = lmb_quat_axis_angle(axis, lmb_random_range(random, -3, 3));
    t.scale.y = lmb_random_range(random, 0.7f, 1.5f);
    t.scale.z = j % 7 == 3 ? -1.0f : 1.0f;
    return lmb_mat4_from_transform(t);
}

/// Patches of 61 vertices that follow the same one to four joints, where every third vertex lacks
/// the last of them, then a vertex with joints of its own.
static void make_envelope(fixture *f, lmb_random *random)
{
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const uint32_t patch = v / 62;
        const bool is_lonely = v % 62 == 61;
        const uint32_t start = is_lonely ? lmb_random_u32(random) : patch * 5;
        const uint32_t count = 1 + patch % 4, used = v % 3 == 0 && count > 1 ? count - 1 : count;
        for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
            (&f->envelope[v].x)[k] = k < used ? (float)((start + 11 * k) % JOINTS) : 0;
            for (uint32_t i = 0; i < 12 && k < used; ++i) {
                (&f->envelope[(1 + 3 * k + i / 4) * VERTICES + v].x)[i % 4] =
                    1 / (float)used + lmb_random_range(random, -0.2f, 0.2f);
            }
        }
    }
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    lmb_random random = lmb_random_seed(22);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        f->rest.positions[v] = random_point(&random);
        f->rest.normals[v] = lmb_vec3_normalize_or(random_point(&random), lmb_vec3_make(0, 1, 0));
        const lmb_vec3 t = lmb_vec3_mad(lmb_vec3_any_perpendicular(f->rest.normals[v]),
                                        f->rest.normals[v], 0.3f); // as files may have it
        f->rest.tangents[v] = (lmb_vec4){t.x, t.y, t.z, v % 2 ? 1.0f : -1.0f};
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        f->joint_from_bind[j] = random_transform(&random, j);
        f->model_from_bind[j] = lmb_mat4_mul(random_transform(&random, j), f->joint_from_bind[j]);
    }
    make_envelope(f, &random);
    f->mesh = (lmb_mesh){.vertex_count = VERTICES,
                         .positions = f->rest.positions,
                         .normals = f->rest.normals,
                         .tangents = f->rest.tangents,
                         .envelope = f->envelope};
    f->skin = (lmb_skin){.joint_count = JOINTS, .joint_from_bind = f->joint_from_bind};
    assert_int_equal(lmb_envelope_skin_create(&f->mesh, &f->skin, NULL, &f->compiled, NULL),
                     LMB_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lmb_envelope_skin_destroy(f->compiled);
    free(f);
    return 0;
}

static void run(const fixture *f, shape *out, lmb_simd set, unsigned outputs, const lmb_jobs *jobs)
{
    lmb_skin_envelope(
        &(lmb_skin_envelope_job){.envelope = f->compiled,
                                 .model_from_bind = f->model_from_bind,
                                 .out_positions = out->positions,
                                 .out_normals = outputs & NORMALS ? out->normals : NULL,
                                 .out_tangents = outputs & TANGENTS ? out->tangents : NULL,
                                 .jobs = jobs,
                                 .simd = set});
}

// ------------------------------------------------------------------- the definition, in doubles

typedef struct affine {
    double m[3][4];
} affine;

static affine affine_of(const lmb_mat4 *from)
{
    affine a;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            a.m[r][c] = (double)from->m[4 * c + r];
        }
    }
    return a;
}

static affine product(affine a, affine b)
{
    affine out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            out.m[r][c] = c == 3 ? a.m[r][3] : 0;
            for (int i = 0; i < 3; ++i) {
                out.m[r][c] += a.m[r][i] * b.m[i][c];
            }
        }
    }
    return out;
}

static void apply(const affine *a, const double v[3], double w, double out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = a->m[r][0] * v[0] + a->m[r][1] * v[1] + a->m[r][2] * v[2] + a->m[r][3] * w;
    }
}

/// By Gauss-Jordan elimination with pivots.
static affine inverse(affine a)
{
    affine b = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    for (int c = 0; c < 3; ++c) {
        int best = c;
        for (int r = c + 1; r < 3; ++r) {
            best = fabs(a.m[r][c]) > fabs(a.m[best][c]) ? r : best;
        }
        for (int k = 0; k < 4; ++k) {
            double swap = a.m[c][k];
            a.m[c][k] = a.m[best][k];
            a.m[best][k] = swap;
            swap = b.m[c][k];
            b.m[c][k] = b.m[best][k];
            b.m[best][k] = swap;
        }
        const double pivot = a.m[c][c];
        for (int k = 0; k < 4; ++k) {
            a.m[c][k] /= pivot;
            b.m[c][k] /= pivot;
        }
        for (int r = 0; r < 3; ++r) {
            const double factor = a.m[r][c];
            for (int k = 0; k < 4 && r != c; ++k) {
                a.m[r][k] -= factor * a.m[c][k];
                b.m[r][k] -= factor * b.m[c][k];
            }
        }
    }
    // [A | t] was brought to [I | A^-1 t], [I | 0] to [A^-1 | 0]: the inverse moves by -A^-1 t.
    for (int r = 0; r < 3; ++r) {
        b.m[r][3] = -a.m[r][3];
    }
    return b;
}

/// The affine transform of a vertex: G_f (sum of w_jrc (G_f^-1 G_j B_j B_f^-1)_rc) B_f.
static affine by_definition(const fixture *f, uint32_t v)
{
    const float *joints = &f->envelope[v].x;
    const uint32_t first = (uint32_t)joints[0];
    const affine rest = affine_of(&f->joint_from_bind[first]);
    const affine bind_from_first = inverse(rest);
    const affine posed = product(affine_of(&f->model_from_bind[first]), bind_from_first);
    const affine first_from_model = inverse(posed);
    affine sum = {{{0}}};
    for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
        const affine moved =
            product(affine_of(&f->model_from_bind[(uint32_t)joints[k]]), bind_from_first);
        const affine seen = product(first_from_model, moved);
        for (int i = 0; i < 12; ++i) {
            const float *w = &f->envelope[(1 + 3 * k + (uint32_t)i / 4) * VERTICES + v].x;
            sum.m[i / 4][i % 4] += (double)w[i % 4] * seen.m[i / 4][i % 4];
        }
    }
    return product(posed, product(sum, rest));
}

static double determinant_of(const affine *a)
{
    const double(*m)[4] = a->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// How thin the transform makes a unit ball, of its volume: what rounding of normals is divided by.
static double thinness_of(const affine *a)
{
    double square = 0;
    for (int i = 0; i < 9; ++i) {
        square += a->m[i / 3][i % 3] * a->m[i / 3][i % 3];
    }
    return fabs(determinant_of(a)) / pow(square, 1.5);
}

static void assert_near(lmb_vec3 got, const double want[3], double tolerance)
{
    const double x = (double)got.x - want[0], y = (double)got.y - want[1],
                 z = (double)got.z - want[2];
    assert_true(sqrt(x * x + y * y + z * z) < tolerance);
}

static void make_unit(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
}

/// Normals by the inverse transpose; tangents by the transform, without what lies along the normal.
static void expected_directions(const fixture *f, const affine *a, uint32_t v, double normal[3],
                                double tangent[3])
{
    const affine b = inverse(*a);
    const lmb_vec3 n = f->rest.normals[v];
    const lmb_vec4 t = f->rest.tangents[v];
    for (int r = 0; r < 3; ++r) {
        normal[r] = b.m[0][r] * (double)n.x + b.m[1][r] * (double)n.y + b.m[2][r] * (double)n.z;
    }
    make_unit(normal);
    apply(a, (double[3]){(double)t.x, (double)t.y, (double)t.z}, 0, tangent);
    const double along = tangent[0] * normal[0] + tangent[1] * normal[1] + tangent[2] * normal[2];
    for (int r = 0; r < 3; ++r) {
        tangent[r] -= along * normal[r];
    }
    make_unit(tangent);
}

/// Coordinates lie within 10, of which float has 6e-7 a rounding: 1e-5 is a dozen of them. Normals
/// and tangents lose what the transform flattens.
static void jobs_are_the_definition(void **state)
{
    fixture *f = *state;
    run(f, &f->got, LMB_SIMD_BEST, NORMALS | TANGENTS, NULL);
    uint32_t mirrored = 0, judged = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const affine a = by_definition(f, v);
        const lmb_vec3 p = f->rest.positions[v];
        double want[3], normal[3], tangent[3];
        apply(&a, (double[3]){(double)p.x, (double)p.y, (double)p.z}, 1, want);
        assert_near(f->got.positions[v], want, 1e-5);
        const double thinness = thinness_of(&a);
        if (thinness < 1e-3) {
            continue;
        }
        ++judged;
        expected_directions(f, &a, v, normal, tangent);
        const lmb_vec4 t = f->got.tangents[v];
        assert_near(f->got.normals[v], normal, 2e-6 / thinness);
        assert_near(lmb_vec3_make(t.x, t.y, t.z), tangent, 2e-6 / thinness);
        const double sign = determinant_of(&a) < 0 ? -1 : 1;
        assert_true((double)(t.w * f->rest.tangents[v].w) * sign > 0);
        mirrored += sign < 0;
    }
    assert_true(judged > VERTICES * 9 / 10);
    assert_true(mirrored > VERTICES / 100);
}

// ------------------------------------------------------------------------------------- equal bits

static void assert_equal_bits(const fixture *f, unsigned outputs)
{
    assert_memory_equal(f->got.positions, f->want.positions, sizeof(f->want.positions));
    if (outputs & NORMALS) {
        assert_memory_equal(f->got.normals, f->want.normals, sizeof(f->want.normals));
    }
    if (outputs & TANGENTS) {
        assert_memory_equal(f->got.tangents, f->want.tangents, sizeof(f->want.tangents));
    }
}

static void sets_have_the_same_bits(void **state)
{
    fixture *f = *state;
    run(f, &f->want, LMB_SIMD_SCALAR, NORMALS | TANGENTS, NULL);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        for (unsigned outputs = 0; outputs < 4 && lmb_simd_runs((lmb_simd)set); ++outputs) {
            memset(&f->got, 0, sizeof(shape));
            run(f, &f->got, (lmb_simd)set, outputs, NULL);
            assert_equal_bits(f, outputs);
        }
    }
}

static void ranges_have_the_same_bits(void **state)
{
    fixture *f = *state;
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    run(f, &f->want, LMB_SIMD_BEST, NORMALS | TANGENTS, NULL);
    run(f, &f->got, LMB_SIMD_BEST, NORMALS | TANGENTS, lmb_pool_jobs(pool));
    assert_equal_bits(f, NORMALS | TANGENTS);
    lmb_pool_destroy(pool);
}

static void inputs_may_be_given_and_in_place(void **state)
{
    fixture *f = *state;
    run(f, &f->want, LMB_SIMD_BEST, NORMALS | TANGENTS, NULL);
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        f->got = f->rest;
        lmb_skin_envelope(&(lmb_skin_envelope_job){.envelope = f->compiled,
                                                   .model_from_bind = f->model_from_bind,
                                                   .positions = f->got.positions,
                                                   .normals = f->got.normals,
                                                   .tangents = f->got.tangents,
                                                   .out_positions = f->got.positions,
                                                   .out_normals = f->got.normals,
                                                   .out_tangents = f->got.tangents,
                                                   .simd = (lmb_simd)set});
        assert_equal_bits(f, NORMALS | TANGENTS);
    }
}

/// Products and sums fused, where that is asked for: within the tolerance of the definition.
static void fused_sums_are_close(void **state)
{
    fixture *f = *state;
    run(f, &f->want, LMB_SIMD_BEST, 0, NULL);
    run(f, &f->got, LMB_SIMD_FAST, 0, NULL);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_true(lmb_vec3_distance(f->got.positions[v], f->want.positions[v]) < 1e-5f);
    }
}

/// Flattened to a sheet, which has no inverse either.
static void a_joint_scaled_to_nothing_keeps_its_vertices(void **state)
{
    fixture *f = *state;
    const lmb_mat4 posed = {{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1}};
    const lmb_vec3 at = {3, 4, 5};
    // Its own axes, so that the joint's linear part is exactly the sheet.
    f->joint_from_bind[10] = lmb_mat4_identity();
    f->model_from_bind[10] = posed;
    lmb_envelope_skin_destroy(f->compiled);
    assert_int_equal(lmb_envelope_skin_create(&f->mesh, &f->skin, NULL, &f->compiled, NULL),
                     LMB_OK);
    run(f, &f->got, LMB_SIMD_BEST, NORMALS, NULL);
    uint32_t count = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_true(lmb_vec3_is_finite(f->got.positions[v]));
        assert_true(lmb_vec3_is_finite(f->got.normals[v]));
        if ((uint32_t)f->envelope[v].x == 10) {
            assert_true(lmb_vec3_distance(f->got.positions[v], at) < 1e-6f);
            ++count;
        }
    }
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_are_the_definition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sets_have_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_have_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_may_be_given_and_in_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fused_sums_are_close, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_joint_scaled_to_nothing_keeps_its_vertices, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
