// Large meshes keep weights in 16 bits. What comes out is within the bound of binding.h of what
// floats give: 3 * 2^-17 of the way between where two of a vertex' joints take it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/skin.h"
#include "skin/binding.h"

enum { COUNT = LMBI_SKIN_LARGE + 500, JOINTS = 40, WIDEST = 6 };

typedef struct large {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_mat4 palette[JOINTS];
    lmb_quat rotations[JOINTS];
    lmb_vec3 *out, *other;
} large;

static lmb_vec3 point(lmb_random *random)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    return lmb_vec3_make(x, y, lmb_random_range(random, -1, 1));
}

/// Weights from all but 1 to all but nothing.
static void fill_row(lmb_random *random, uint32_t v, uint32_t width, lmb_influence *row)
{
    float sum = 0;
    for (uint32_t k = 0; k < width; ++k) {
        row[k].joint = (v / 300 + (v % 1013 == 7 ? 11 : 3) * k) % JOINTS;
        row[k].weight = lmb_random_unit(random) * (v % 5 == 0 && k > 0 ? 1e-5f : 1) + 1e-6f;
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < width; ++k) {
        row[k].weight /= sum;
    }
}

static int set_up(void **state)
{
    large *s = calloc(1, sizeof(*s));
    lmb_vec3 *positions = calloc(COUNT, sizeof(*positions));
    uint32_t *first = calloc(COUNT + 1, sizeof(*first));
    lmb_influence *items = calloc((size_t)COUNT * WIDEST, sizeof(*items));
    assert_true(s != NULL && positions != NULL && first != NULL && items != NULL);
    s->out = calloc(COUNT, sizeof(*s->out));
    s->other = calloc(COUNT, sizeof(*s->other));
    assert_true(s->out != NULL && s->other != NULL);
    lmb_random random = lmb_random_seed(5);
    for (uint32_t v = 0; v < COUNT; ++v) {
        // patches of one width, and a vertex here and there that is like no other
        const uint32_t width = v % 1013 == 7 ? 3 : 1 + v / 300 % WIDEST;
        positions[v] = point(&random);
        fill_row(&random, v, width, items + first[v]);
        first[v + 1] = first[v] + width;
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        lmb_transform t = lmb_transform_identity();
        t.translation = point(&random);
        t.rotation = lmb_quat_axis_angle(
            lmb_vec3_normalize_or(point(&random), lmb_vec3_make(1, 0, 0)), 0.04f * (float)j);
        s->palette[j] = lmb_mat4_from_transform(t);
        s->rotations[j] = t.rotation;
    }
    const lmb_mesh def = {
        .vertex_count = COUNT, .positions = positions, .influences = {first, items}};
    assert_int_equal(lmb_mesh_create(&def, NULL, &s->mesh, NULL), LMB_OK);
    assert_int_equal(lmb_binding_create(s->mesh, JOINTS, NULL, &s->binding, NULL), LMB_OK);
    free(positions);
    free(first);
    free(items);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    large *s = *state;
    lmb_binding_destroy(s->binding);
    lmb_mesh_destroy(s->mesh);
    free(s->out);
    free(s->other);
    free(s);
    return 0;
}

/// Where joint j takes a vertex.
static void taken(const large *s, uint32_t v, uint32_t j, double out[3])
{
    const float *m = s->palette[j].m;
    const lmb_vec3 p = s->mesh->positions[v];
    for (int c = 0; c < 3; ++c) {
        out[c] = (double)m[c] * (double)p.x + (double)m[4 + c] * (double)p.y +
                 (double)m[8 + c] * (double)p.z + (double)m[12 + c];
    }
}

static double apart(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/// How far a vertex is from where its weights in double precision take it, in ways between its
/// joints.
static double fraction_off(const large *s, uint32_t v, uint32_t *width)
{
    const lmb_influence *row = s->mesh->influences.items + s->mesh->influences.first[v];
    const lmb_vec3 got = s->out[v];
    const double at[3] = {(double)got.x, (double)got.y, (double)got.z};
    double want[3] = {0}, places[WIDEST][3], sum = 0, way = 0;
    *width = s->mesh->influences.first[v + 1] - s->mesh->influences.first[v];
    for (uint32_t k = 0; k < *width; ++k) {
        taken(s, v, row[k].joint, places[k]);
        sum += (double)row[k].weight;
        for (uint32_t i = 0; i < k; ++i) {
            way = fmax(way, apart(places[i], places[k]));
        }
    }
    for (uint32_t k = 0; k < *width; ++k) {
        for (int c = 0; c < 3; ++c) {
            want[c] += (double)row[k].weight / sum * places[k][c];
        }
    }
    const double rounding = 2e-6; // of single precision
    return fmax(apart(at, want) - rounding, 0) / fmax(way, 1e-3);
}

static void the_bound_holds(void **state)
{
    large *s = *state;
    assert_non_null(s->binding->shorts);
    assert_true(s->binding->loose_count > 10);
    lmb_skin_linear(&(lmb_skin_job){
        .binding = s->binding, .model_from_bind = s->palette, .out_positions = s->out});
    double worst = 0, wide = 0;
    for (uint32_t v = 0; v < COUNT; ++v) {
        uint32_t width;
        const double fraction = fraction_off(s, v, &width);
        worst = width <= LMBI_SKIN_SHORT_WIDTH ? fmax(worst, fraction) : worst;
        wide = width > LMBI_SKIN_SHORT_WIDTH ? fmax(wide, fraction) : wide;
    }
    assert_true(worst <= 3 * 0x1p-17);
    assert_true(worst > 0x1p-19); // they are indeed shorts
    assert_true(wide < 1e-6);     // and those are not
}

/// At rest nothing is off, whatever the weights.
static void a_mesh_at_rest_stays_there(void **state)
{
    large *s = *state;
    lmb_mat4 still[JOINTS];
    for (uint32_t j = 0; j < JOINTS; ++j) {
        still[j] = lmb_mat4_identity();
    }
    lmb_skin_linear(
        &(lmb_skin_job){.binding = s->binding, .model_from_bind = still, .out_positions = s->out});
    for (uint32_t v = 0; v < COUNT; ++v) {
        assert_true(lmb_vec3_distance(s->out[v], s->mesh->positions[v]) < 1e-6f);
    }
}

static void deform(const large *s, int method, lmb_simd simd, lmb_vec3 *out)
{
    const lmb_skin_job job = {.binding = s->binding,
                              .model_from_bind = s->palette,
                              .positions = s->mesh->positions,
                              .out_positions = out,
                              .simd = simd};
    switch (method) {
    case 0:
        lmb_skin_linear(&job);
        break;
    case 1:
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = s->rotations});
        break;
    default:
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = job, .rotations = s->rotations, .centers = s->mesh->positions});
        break;
    }
}

static void sets_have_the_same_bits(void **state)
{
    large *s = *state;
    for (int method = 0; method < 3; ++method) {
        deform(s, method, LMB_SIMD_SCALAR, s->other);
        for (int set = 0; set < LMB_SIMD_FAST; ++set) {
            if (lmb_simd_runs((lmb_simd)set)) {
                deform(s, method, (lmb_simd)set, s->out);
                assert_memory_equal(s->out, s->other, COUNT * sizeof(*s->out));
            }
        }
    }
}

/// Dual quaternions with shares go row by row, and read the same weights.
static void rows_are_the_same_weights(void **state)
{
    large *s = *state;
    float *fractions = calloc(COUNT, sizeof(*fractions));
    assert_non_null(fractions);
    deform(s, 0, LMB_SIMD_BEST, s->other);
    lmb_skin_dual(&(lmb_skin_dual_job){.skin = {.binding = s->binding,
                                                .model_from_bind = s->palette,
                                                .positions = s->mesh->positions,
                                                .out_positions = s->out},
                                       .rotations = s->rotations,
                                       .dual_weights = fractions});
    for (uint32_t v = 0; v < COUNT; ++v) {
        assert_true(lmb_vec3_distance(s->out[v], s->other[v]) < 2e-6f);
    }
    free(fractions);
}

/// A character is baked as exactly as its file says.
static void deformers_keep_floats(void **state)
{
    large *s = *state;
    lmb_binding *binding = NULL;
    assert_int_equal(lmbi_binding_create(s->mesh, JOINTS, false, NULL, &binding, NULL), LMB_OK);
    assert_null(binding->shorts);
    lmb_binding_destroy(binding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_holds),         cmocka_unit_test(a_mesh_at_rest_stays_there),
        cmocka_unit_test(sets_have_the_same_bits), cmocka_unit_test(rows_are_the_same_weights),
        cmocka_unit_test(deformers_keep_floats),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
