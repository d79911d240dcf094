// Soft tissue: nothing moves at rest, a bent cylinder keeps its volume, a vertex swings at its frequency,
// frame rates agree, bad definitions are refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/physics.h"
#include "skin/cylinder.h"

static cylinder_buffers tube;
static lmb_vec3 skinned[CYLINDER_VERTICES], out[CYLINDER_VERTICES];
static float give[CYLINDER_VERTICES];

/// The cylinder bent by an angle about z at the middle of its bones, by linear blending.
static void bend(float angle, lmb_vec3 *to)
{
    const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angle);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        lmb_vec3 sum = {0, 0, 0};
        for (uint32_t i = tube.first[v]; i < tube.first[v + 1]; ++i) {
            const lmb_vec3 p = tube.positions[v];
            sum = lmb_vec3_mad(sum, tube.items[i].joint == 0 ? p : lmb_quat_rotate(q, p),
                               tube.items[i].weight);
        }
        to[v] = sum;
    }
}

/// Signed volume, in double.
static double volume(const lmb_vec3 *at)
{
    double sum = 0;
    for (uint32_t t = 0; t < CYLINDER_TRIANGLES; ++t) {
        double p[3][3];
        for (int k = 0; k < 3; ++k) {
            const lmb_vec3 v = at[tube.indices[3 * t + (uint32_t)k]];
            p[k][0] = (double)v.x;
            p[k][1] = (double)v.y;
            p[k][2] = (double)v.z;
        }
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
               p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6;
}

static int make_tube(void **state)
{
    (void)state;
    cylinder_place(&tube);
    cylinder_weigh(&tube, false);
    cylinder_triangulate(&tube);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        // Where both bones pull alike it gives most.
        give[v] = tube.first[v + 1] - tube.first[v] > 1
                      ? fminf(1, 0.05f + 2 * (1 - tube.items[tube.first[v]].weight))
                      : 0.05f;
    }
    return 0;
}

static lmb_soft_tissue *make(lmb_soft_tissue_def def)
{
    lmb_soft_tissue *tissue = NULL;
    lmb_error error = {0};
    def.vertex_count = CYLINDER_VERTICES;
    def.index_count = 3 * CYLINDER_TRIANGLES;
    def.rest = tube.positions;
    def.indices = tube.indices;
    if (lmb_soft_tissue_create(&def, NULL, &tissue, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return tissue;
}

static void step(lmb_soft_tissue *tissue, const lmb_vec3 *targets, float dt)
{
    lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){
        .tissue = tissue, .targets = targets, .dt_s = dt, .positions = out});
}

static uint32_t halves[CYLINDER_VERTICES];

static void nothing_moves_at_rest(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        halves[v] = tube.positions[v].x > 0.03f;
    }
    const lmb_soft_tissue_def defs[] = {
        {.region_count = 1},
        {.region = halves, .region_count = 2, .give = give, .frequency_hz = 9}};
    for (int k = 0; k < 2; ++k) {
        lmb_soft_tissue *tissue = make(defs[k]);
        for (int f = 0; f < 120; ++f) {
            step(tissue, tube.positions, f % 3 == 0 ? 1.0f / 30 : 1.0f / 144);
            for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
                const lmb_vec3 d = lmb_vec3_sub(out[v], tube.positions[v]);
                assert_false(d.x < 0 || d.x > 0 || d.y < 0 || d.y > 0 || d.z < 0 || d.z > 0);
            }
        }
        lmb_soft_tissue_destroy(tissue);
    }
}

/// 120 degrees: linear blending keeps 93.7% of the volume (lit: a known answer), soft tissue over 99%.
static void a_bend_keeps_its_volume(void **state)
{
    (void)state;
    const double rest = volume(tube.positions);
    bend(120 * LMB_PI / 180, skinned);
    printf("linear %.4f\n", volume(skinned) / rest);
    assert_true(fabs(volume(skinned) / rest - 0.937) < 0.002);
    const lmb_soft_tissue_def defs[] = {
        {.region_count = 1, .give = give},
        {.region = halves, .region_count = 2, .give = give, .frequency_hz = 6, .damping = 1}};
    for (int k = 0; k < 2; ++k) {
        lmb_soft_tissue *tissue = make(defs[k]);
        double least = 2;
        for (int f = 0; f <= 120; ++f) {
            bend(fminf((float)f / 40, 1) * 120 * LMB_PI / 180, skinned);
            step(tissue, skinned, f > 0 ? 1.0f / 60 : 0);
            least = fmin(least, volume(out) / rest);
        }
        float far = 0;
        for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
            far = fmaxf(far, lmb_vec3_distance(out[v], skinned[v]));
        }
        printf("tissue %.4f, at least %.4f, moved %.3f\n", volume(out) / rest, least, (double)far);
        assert_true(volume(out) / rest > 0.99 && volume(out) / rest < 1.01 && least > 0.985);
        assert_true(far < 0.5f);
        lmb_soft_tissue_destroy(tissue);
    }
}

/// A tube that stops: without edges to hold it and with little damping it swings at its frequency.
static void it_swings_at_its_frequency(void **state)
{
    (void)state;
    lmb_soft_tissue *tissue = make((lmb_soft_tissue_def){.frequency_hz = 2, .damping = 0.02f});
    memcpy(skinned, tube.positions, sizeof skinned);
    step(tissue, skinned, 0);
    step(tissue, skinned, 1.0f / 60);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        skinned[v].y += 0.1f;
    }
    float before = -0.1f, crossings[4];
    int count = 0;
    step(tissue, skinned, 1e-4f);
    for (int f = 0; f < 960 && count < 4; ++f) {
        step(tissue, skinned, 1.0f / 480);
        const float now = out[100].y - skinned[100].y;
        if ((now < 0) != (before < 0)) {
            crossings[count++] = ((float)f + before / (before - now)) / 480;
        }
        before = now;
    }
    assert_int_equal(count, 4);
    const float period = crossings[3] - crossings[1];
    printf("period %.4f\n", (double)period);
    assert_true(fabsf(period - 0.5f) < 0.01f);
    lmb_soft_tissue_destroy(tissue);
}

static void it_comes_back(void **state)
{
    (void)state;
    lmb_soft_tissue *tissue = make((lmb_soft_tissue_def){.region_count = 1, .give = give});
    for (int f = 0; f < 600; ++f) {
        bend(f < 60 ? 2 * lmb_sin(0.2f * (float)f) : 0, skinned);
        step(tissue, skinned, 1.0f / 60);
    }
    float far = 0;
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        far = fmaxf(far, lmb_vec3_distance(out[v], tube.positions[v]));
    }
    printf("back within %g\n", (double)far);
    assert_true(far < 1e-3f);
    // A cut does not throw it.
    bend(2, skinned);
    lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){
        .tissue = tissue, .targets = skinned, .positions = out, .restart = true});
    assert_memory_equal(out, skinned, sizeof out);
    lmb_soft_tissue_destroy(tissue);
}

/// Very stiff, very soft (and driven at its own period), long frames, a target that jumps far.
static void nothing_explodes(void **state)
{
    (void)state;
    static const float hz[] = {0.2f, 4, 1000};
    for (int k = 0; k < 3; ++k) {
        lmb_soft_tissue *tissue = make((lmb_soft_tissue_def){
            .region_count = 1, .frequency_hz = hz[k], .stretch_hz = k == 2 ? 1e6f : 0});
        for (int f = 0; f < 200; ++f) {
            bend(f % 20 == 0 ? 2.5f : 0, skinned);
            for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
                skinned[v].x += f % 50 < 25 ? 0 : 30;
            }
            step(tissue, skinned, f % 7 == 0 ? 0.5f : 1.0f / 60);
            float far = 0;
            for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
                assert_true(lmb_vec3_is_finite(out[v]));
                far = fmaxf(far, lmb_vec3_length(out[v]));
            }
            if (far > 60)
                fail_msg("%d frame %d: %g away", k, f, (double)far);
        }
        lmb_soft_tissue_destroy(tissue);
    }
}

/// Rigid turns go by arcs: a vertex that lags behind a turning joint stays at its distance.
static void drag_follows_arcs(void **state)
{
    (void)state;
    lmb_mat4 now[2] = {lmb_mat4_identity(), lmb_mat4_identity()}, before[2];
    lmb_soft_tissue_motion motions[2];
    lmb_soft_tissue_drag_job job = {.vertex_count = CYLINDER_VERTICES,
                                    .joint_count = 2,
                                    .bind = tube.positions,
                                    .influences = &(lmb_influences){tube.first, tube.items},
                                    .palette = now,
                                    .before = before,
                                    .dt_s = 1.0f / 60,
                                    .lag_s = 0.08f,
                                    .motions = motions,
                                    .positions = out};
    memcpy(before, now, sizeof now);
    lmb_soft_tissue_drag(&job);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        assert_true(lmb_vec3_distance(out[v], tube.positions[v]) < 1e-6f);
    }
    lmb_transform rotation = lmb_transform_identity();
    rotation.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 3.0f / 60); // 3 rad/s
    now[1] = lmb_mat4_from_transform(rotation);
    lmb_soft_tissue_drag(&job);
    const uint32_t end = CYLINDER_SIDE_VERTICES + 1; // the middle of the cap, at x = 4
    const float angle = lmb_atan2(out[end].y, out[end].x);
    assert_true(fabsf(lmb_vec3_length(out[end]) - 4) < 1e-4f);
    assert_true(fabsf(angle - (3.0f / 60 - 3 * 0.08f)) < 2e-3f);
    assert_true(lmb_vec3_distance(out[0], tube.positions[0]) < 1e-6f); // of the joint that stands
}

/// Every triangle is a region of its own: creation does not read all triangles for each.
static void many_regions_are_created(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    static lmb_vec3 rest[3 * COUNT];
    static uint32_t indices[3 * COUNT], region[3 * COUNT];
    for (uint32_t v = 0; v < 3 * COUNT; ++v) {
        const float x = (float)(v / 3);
        rest[v] = lmb_vec3_make(x + (v % 3 == 1 ? 0.5f : 0), v % 3 == 2 ? 0.5f : 0, 0);
        indices[v] = v;
        region[v] = COUNT - 1 - v / 3;
    }
    const lmb_soft_tissue_def def = {.vertex_count = 3 * COUNT,
                                     .index_count = 3 * COUNT,
                                     .rest = rest,
                                     .indices = indices,
                                     .region = region,
                                     .region_count = COUNT};
    lmb_soft_tissue *tissue = NULL;
    lmb_soft_tissue_report report;
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &tissue, NULL), LMB_OK);
    lmb_soft_tissue_measure(tissue, &report);
    assert_int_equal(report.particle_count, 3 * COUNT);
    assert_int_equal(report.edge_count, 3 * COUNT);
    assert_int_equal(report.region_count, COUNT);
    lmb_soft_tissue_destroy(tissue);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    uint32_t indices[] = {0, 1, 9};
    lmb_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    float soft[3] = {0, 0.5f, 2};
    lmb_soft_tissue *tissue = NULL;
    lmb_soft_tissue_def def = {
        .vertex_count = 3, .index_count = 3, .rest = points, .indices = indices, .region_count = 1};
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &tissue, NULL), LMB_ERROR_INVALID);
    indices[2] = 2;
    def.soft = soft;
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &tissue, NULL), LMB_ERROR_INVALID);
    soft[2] = 1;
    def.region_count = 2;
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &tissue, NULL), LMB_ERROR_INVALID);
    def.region_count = 1;
    def.damping = NAN;
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &tissue, NULL), LMB_ERROR_INVALID);
    def.damping = 0;
    int calls = 0;
    for (; tissue == NULL; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        const lmb_result result = lmb_soft_tissue_create(&def, &alloc, &tissue, NULL);
        assert_int_equal(result, tissue != NULL ? LMB_OK : LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, tissue != NULL ? 1 : 0);
        if (tissue != NULL) {
            lmb_soft_tissue_step(
                &(lmb_soft_tissue_step_job){.tissue = tissue, .targets = points, .positions = out});
            lmb_soft_tissue_destroy(tissue);
            assert_int_equal(failing.held, 0);
        }
    }
    assert_true(calls > 1);
}

static bool is_on_side(uint32_t v)
{
    return fabsf(tube.positions[v].x) < 3.5f;
}

/// At the targets nothing turns by a bit; a surface that is rotated as a whole turns its normals;
/// one that is sheared has the normals of the sheared.
static void normals_follow_the_surface(void **state)
{
    (void)state;
    static lmb_vec3 normals[CYLINDER_VERTICES], moved[CYLINDER_VERTICES], got[CYLINDER_VERTICES];
    lmb_soft_tissue *tissue = make((lmb_soft_tissue_def){.region_count = 1});
    const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0.6f, 0, 0.8f), 0.7f);
    lmb_soft_tissue_normals_job job = {.tissue = tissue,
                                       .targets = tube.positions,
                                       .positions = tube.positions,
                                       .normals = normals,
                                       .out = got};
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        normals[v] = tube.normals[v];
        moved[v] = lmb_quat_rotate(rotation, tube.positions[v]);
    }
    lmb_soft_tissue_normals(&job);
    assert_memory_equal(got, normals, sizeof got);
    job.positions = moved;
    lmb_soft_tissue_normals(&job);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        assert_true(!is_on_side(v) ||
                    lmb_vec3_distance(got[v], lmb_quat_rotate(rotation, normals[v])) < 0.02f);
        moved[v] = tube.positions[v];
        moved[v].y += 0.4f * tube.positions[v].x;
    }
    lmb_soft_tissue_normals(&job);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const lmb_vec3 n = normals[v];
        const lmb_vec3 want =
            lmb_vec3_normalize_or(lmb_vec3_make(n.x - 0.4f * n.y, n.y, n.z), normals[v]);
        assert_true(!is_on_side(v) || lmb_vec3_distance(got[v], want) < 0.05f);
    }
    lmb_soft_tissue_destroy(tissue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_at_rest),
        cmocka_unit_test(normals_follow_the_surface),
        cmocka_unit_test(a_bend_keeps_its_volume),
        cmocka_unit_test(it_swings_at_its_frequency),
        cmocka_unit_test(it_comes_back),
        cmocka_unit_test(nothing_explodes),
        cmocka_unit_test(drag_follows_arcs),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(many_regions_are_created),
    };
    return cmocka_run_group_tests(tests, make_tube, NULL);
}
