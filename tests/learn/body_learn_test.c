// Body models learned from registered scans, and fitted to scans: a made population comes back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "made_population.h"

enum { MOST_SCANS = 96 };

typedef struct scans {
    made_population *m;
    lmb_vec3 (*positions)[MP_VERTICES];
    const lmb_vec3 *rows[MOST_SCANS];
    uint32_t person_of[MOST_SCANS];
    lmb_learn_body_def def;
} scans;

static scans *scans_make(uint32_t people, uint32_t poses, bool corrected)
{
    scans *s = calloc(1, sizeof *s);
    const uint32_t count = people * poses;
    s->m = made_population_make(corrected);
    s->positions = calloc(count, sizeof *s->positions);
    for (uint32_t k = 0; k < count; ++k) {
        made_population_scan(s->m, k / poses, k % poses, s->positions[k]);
        s->rows[k] = s->positions[k];
        s->person_of[k] = 7 * (k / poses);
    }
    s->def = (lmb_learn_body_def){.vertex_count = MP_VERTICES,
                                  .index_count = s->m->truth.index_count,
                                  .joint_count = MP_JOINTS,
                                  .scan_count = count,
                                  .rest = s->m->positions,
                                  .indices = s->m->indices,
                                  .joints = s->m->joints,
                                  .parents = s->m->parents,
                                  .names = s->m->names,
                                  .influences = {s->m->first, s->m->items},
                                  .scans = s->rows,
                                  .person_of = s->person_of};
    return s;
}

static void scans_free(scans *s)
{
    free(s->positions);
    free(s->m);
    free(s);
}

/// People and poses that were held out, in fractions of the height; LIMBER_LONG: with correctives too.
static void a_made_population_comes_back(void **state)
{
    (void)state;
    static const struct {
        bool corrected;
        float learned, held_out;
    } cases[] = {{false, 2.5e-5f, 1e-4f}, {true, 4e-5f, 1e-4f}};
    const int count = getenv("LIMBER_LONG") ? 2 : 1;
    for (int k = 0; k < count; ++k) {
        scans *s = scans_make(12, 6, cases[k].corrected);
        lmb_body_model *model = NULL;
        lmb_learn_body_report report;
        const lmb_learn_body_opts opts = {.shape_count = MP_SHAPES,
                                          .features = cases[k].corrected ? LMB_FEATURES_MATRIX
                                                                         : LMB_FEATURES_NONE,
                                          .hold_out = 6,
                                          .iterations = 14};
        assert_int_equal(lmb_learn_body(&s->def, &opts, NULL, &model, &report, NULL), LMB_OK);
        assert_int_equal(report.person_count, 10);
        assert_int_equal(report.scan_count, 60);
        assert_int_equal(report.held_out_count, 12);
        assert_int_equal(report.shape_count, MP_SHAPES);
        print_message("%.2g of the height learned, %.2g held out, %u rounds\n",
                      (double)(report.rms_m / report.height_m),
                      (double)(report.held_out_rms_m / report.height_m), report.iterations);
        assert_true(report.rms_m < cases[k].learned * report.height_m);
        assert_true(report.held_out_rms_m < cases[k].held_out * report.height_m);
        lmb_body_model_destroy(model);
        scans_free(s);
    }
}

/// Correctives belong to the joints that skin follows: what those of others move is noise.
static void a_knee_does_not_move_an_elbow(void **state)
{
    (void)state;
    scans *s = scans_make(10, 4, true);
    lmb_body_model *model = NULL;
    const lmb_learn_body_opts opts = {.shape_count = MP_SHAPES,
                                      .features = LMB_FEATURES_MATRIX,
                                      .keep_weights = true,
                                      .iterations = 7};
    assert_int_equal(lmb_learn_body(&s->def, &opts, NULL, &model, NULL, NULL), LMB_OK);
    double near = 0, far = 0;
    for (uint32_t f = 0; f < MP_FEATURES; ++f) {
        const uint32_t joint = 1 + f / 9;
        for (uint32_t v = 0; v < MP_VERTICES; ++v) {
            const lmb_influence *row = s->m->items + 2 * v;
            const lmb_vec3 d = model->pose_directions[(size_t)f * MP_VERTICES + v];
            const bool has = joint == row[0].joint || joint == row[1].joint;
            *(has ? &near : &far) += (double)lmb_vec3_dot(d, d);
        }
    }
    print_message("%.2g of the correctives are of joints that skin does not follow\n", far / near);
    assert_true(far < 1e-6 * near);
    lmb_body_model_destroy(model);
    scans_free(s);
}

/// Root mean square distance from a scan of the model's vertices in a frame of the motion.
static double distance_of(const made_population *m, const lmb_body_motion *motion, uint32_t frame,
                          const lmb_vec3 *scan)
{
    static lmb_vec3 fitted[MP_VERTICES];
    lmb_body_skin *skin = NULL;
    lmb_quat rotations[MP_JOINTS];
    for (uint32_t j = 0; j < MP_JOINTS; ++j) {
        const lmb_vec3 v = motion->rotations[frame * MP_JOINTS + j];
        rotations[j] =
            lmb_quat_axis_angle(lmb_vec3_normalize_or(v, (lmb_vec3){1, 0, 0}), lmb_vec3_length(v));
    }
    assert_int_equal(lmb_body_skin_create(&m->truth, NULL, NULL, &skin, NULL), LMB_OK);
    lmb_body_skin_shape(skin, motion->shape, motion->shape_count);
    lmb_body_evaluate(&(lmb_body_job){.skin = skin,
                                      .rotations = rotations,
                                      .translation = motion->translations[frame],
                                      .out_positions = fitted});
    lmb_body_skin_destroy(skin);
    double sum = 0;
    for (int v = 0; v < MP_VERTICES; ++v) {
        const lmb_vec3 off = lmb_vec3_sub(fitted[v], scan[v]);
        sum += (double)lmb_vec3_dot(off, off) / MP_VERTICES;
    }
    return sqrt(sum);
}

/// Two people as one: the report is that of the one shape they get.
static void scans_of_one_person_share_a_shape(void **state)
{
    (void)state;
    made_population *m = made_population_make(true);
    static lmb_vec3 positions[2][MP_VERTICES];
    lmb_body_scan all[2];
    for (uint32_t k = 0; k < 2; ++k) {
        made_population_scan(m, 5 + k, k + 1, positions[k]);
        all[k] = (lmb_body_scan){
            .vertex_count = MP_VERTICES, .positions = positions[k], .registered = true};
    }
    lmb_body_motion *motion = NULL;
    lmb_fit_body_report report;
    assert_int_equal(lmb_fit_body(&m->truth, all, 2, NULL, NULL, &motion, &report, NULL), LMB_OK);
    const double first = distance_of(m, motion, 0, positions[0]);
    const double second = distance_of(m, motion, 1, positions[1]);
    assert_true(first > 1e-3 && second > 1e-3);
    assert_true(fabs(sqrt((first * first + second * second) / 2) - (double)report.rms_m) < 1e-5);
    assert_int_equal(report.worst_scan, second > first);
    lmb_body_motion_destroy(motion);
    free(m);
}

/// Where the model is right, pose and shape are exact.
static void a_registered_scan_is_met(void **state)
{
    (void)state;
    made_population *m = made_population_make(true);
    static lmb_vec3 positions[3][MP_VERTICES];
    lmb_body_scan all[3];
    for (uint32_t k = 0; k < 3; ++k) {
        made_population_scan(m, 5, k + 1, positions[k]);
        all[k] = (lmb_body_scan){
            .vertex_count = MP_VERTICES, .positions = positions[k], .registered = true};
    }
    lmb_body_motion *motion = NULL;
    lmb_fit_body_report report;
    assert_int_equal(lmb_fit_body(&m->truth, all, 3, NULL, NULL, &motion, &report, NULL), LMB_OK);
    assert_true(report.max_m < 1e-5f);
    assert_int_equal(motion->frame_count, 3);
    assert_int_equal(motion->shape_count, MP_SHAPES);
    float shape[MP_SHAPES];
    made_population_shape(5, shape);
    for (int k = 0; k < MP_SHAPES; ++k) {
        assert_true(fabsf(motion->shape[k] - shape[k]) < 1e-3f);
    }
    lmb_body_motion_destroy(motion);
    free(m);
}

/// A scan of other vertices: the surface of a person in smaller triangles, turned about the vertical.
static void a_scan_of_other_vertices_is_met(void **state)
{
    (void)state;
    made_population *m = made_population_make(false);
    static lmb_vec3 positions[MP_VERTICES];
    made_population_stand(m, 3, 2.1f, positions);
    const uint32_t count = m->truth.index_count;
    lmb_vec3 *points = calloc(2 * count, sizeof *points);
    uint32_t *indices = calloc(4 * count, sizeof *indices);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t first = k / 3 * 3, corner = k % 3;
        const lmb_vec3 a = positions[m->indices[k]],
                       b = positions[m->indices[first + (corner + 1) % 3]];
        points[2 * k] = a;
        points[2 * k + 1] = lmb_vec3_lerp(a, b, 0.5f);
        // The corner and the middles of its edges; the three middles.
        const uint32_t made[3] = {2 * k, 2 * k + 1, 2 * (first + (corner + 2) % 3) + 1};
        memcpy(indices + 4 * first + 3 * corner, made, sizeof made);
        indices[4 * first + 9 + corner] = 2 * k + 1;
    }
    const lmb_body_scan scan = {.vertex_count = 2 * count,
                                .index_count = 4 * count,
                                .positions = points,
                                .indices = indices};
    lmb_body_motion *motion = NULL;
    lmb_fit_body_report report;
    assert_int_equal(lmb_fit_body(&m->truth, &scan, 1, NULL, NULL, &motion, &report, NULL), LMB_OK);
    print_message("%.4f m rms, %.4f m at most\n", (double)report.rms_m, (double)report.max_m);
    assert_true(report.rms_m < 0.006f);
    // Not only the surface: the vertices are about where they belong.
    const double off = distance_of(m, motion, 0, positions);
    print_message("vertices %.4f m rms\n", off);
    assert_true(off < 0.03);
    lmb_body_motion_destroy(motion);
    free(points);
    free(indices);
    free(m);
}

static void what_is_no_population_is_refused(void **state)
{
    (void)state;
    scans *s = scans_make(2, 1, false);
    lmb_body_model *model = NULL;
    lmb_error error = {0};
    lmb_learn_body_def bad = s->def;
    bad.scan_count = 0;
    assert_int_equal(lmb_learn_body(&bad, NULL, NULL, &model, NULL, &error), LMB_ERROR_INVALID);
    s->positions[1][4].y = NAN;
    assert_int_equal(lmb_learn_body(&s->def, NULL, NULL, &model, NULL, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "vertex 4 of scan 1");
    s->positions[1][4].y = 0;
    s->m->parents[3] = 5;
    assert_int_equal(lmb_learn_body(&s->def, NULL, NULL, &model, NULL, &error), LMB_ERROR_INVALID);
    s->m->parents[3] = 2;
    const lmb_learn_body_opts none_left = {.hold_out = 1};
    assert_int_equal(lmb_learn_body(&s->def, &none_left, NULL, &model, NULL, &error), LMB_OK);
    lmb_body_model_destroy(model);
    const lmb_body_scan other = {
        .vertex_count = 3, .positions = s->positions[0], .registered = true};
    lmb_body_motion *motion = NULL;
    assert_int_equal(lmb_fit_body(&s->m->truth, &other, 1, NULL, NULL, &motion, NULL, &error),
                     LMB_ERROR_INVALID);
    assert_null(motion);
    scans_free(s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scans *s = scans_make(2, 2, true);
    const lmb_learn_body_opts opts = {.features = LMB_FEATURES_QUATERNION, .iterations = 4};
    lmb_result result = LMB_ERROR_MEMORY;
    for (int k = 0; result != LMB_OK; ++k) {
        failing_allocator failing = {.calls_left = k};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_body_model *model = NULL;
        result = lmb_learn_body(&s->def, &opts, &alloc, &model, NULL, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_true((model != NULL) == (result == LMB_OK));
        lmb_body_model_destroy(model);
        assert_int_equal(failing.held, 0);
        k += k / 4;
    }
    scans_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_population_comes_back),
        cmocka_unit_test(a_knee_does_not_move_an_elbow),
        cmocka_unit_test(a_registered_scan_is_met),
        cmocka_unit_test(scans_of_one_person_share_a_shape),
        cmocka_unit_test(a_scan_of_other_vertices_is_met),
        cmocka_unit_test(what_is_no_population_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
