// Body models against their formulas in double precision, at known poses, and as characters with a
// clip.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "failing_allocator.h"
#include "limber/anim.h"
#include "math/math.h"
#include "near.h"
#include "skin/body_model.h"
#include "skin/skin.h"

typedef struct scene {
    test_model made;
    lmb_body_model *model;
    lmb_body_skin *skin;
    double pose[TM_JOINTS][3], want[TM_VERTICES][3], joints[TM_JOINTS][3];
    lmb_quat rotations[TM_JOINTS];
    lmb_vec3 got[TM_VERTICES];
    lmb_mat4 world[TM_JOINTS];
} scene;

static scene *scene_new(lmb_pose_features features, const lmb_body_skin_opts *opts)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    test_model_make(&s->made, features);
    lmb_error error = {0};
    if (lmbi_body_model_create(&s->made.def, NULL, &s->model, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(lmb_body_skin_create(s->model, opts, NULL, &s->skin, NULL), LMB_OK);
    return s;
}

static void scene_free(scene *s)
{
    lmb_body_skin_destroy(s->skin);
    lmb_body_model_destroy(s->model);
    free(s);
}

static void random_pose(scene *s, lmb_random *random, float size)
{
    for (int j = 0; j < TM_JOINTS; ++j) {
        const lmb_vec3 r = tm_vec(random, size);
        s->pose[j][0] = (double)r.x, s->pose[j][1] = (double)r.y, s->pose[j][2] = (double)r.z;
        s->rotations[j] = lmbi_rotation_vector(r);
    }
}

static double farthest(const scene *s)
{
    double most = 0;
    for (int v = 0; v < TM_VERTICES; ++v) {
        const lmb_vec3 p = s->got[v];
        const double d[3] = {(double)p.x - s->want[v][0], (double)p.y - s->want[v][1],
                             (double)p.z - s->want[v][2]};
        most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return most;
}

static void check_formulas(lmb_pose_features features)
{
    scene *s = scene_new(features, NULL);
    lmb_random random = lmb_random_seed(4);
    for (int round = 0; round < 6; ++round) {
        float shape[TM_SHAPES];
        double wide[TM_SHAPES];
        for (int k = 0; k < TM_SHAPES; ++k) {
            shape[k] = lmb_random_range(&random, -2, 2);
            wide[k] = (double)shape[k];
        }
        const lmb_vec3 t = tm_vec(&random, 1);
        const double translation[3] = {(double)t.x, (double)t.y, (double)t.z};
        random_pose(s, &random, round == 5 ? 3.5f : 1.0f); // angles beyond half a turn too
        lmb_body_skin_shape(s->skin, shape, TM_SHAPES);
        lmb_body_evaluate(&(lmb_body_job){.skin = s->skin,
                                          .rotations = s->rotations,
                                          .translation = t,
                                          .out_positions = s->got,
                                          .model_from_joint = s->world,
                                          .simd = (lmb_simd)round});
        test_model_evaluate(s->model, wide, (const double(*)[3])s->pose, translation, s->want,
                            s->joints);
        near(farthest(s), 0, 1e-5);
        for (int j = 0; j < TM_JOINTS; ++j) {
            near((double)s->world[j].m[13], s->joints[j][1], 5e-6);
        }
    }
    scene_free(s);
}

static void smpl_follows_its_formulas(void **state)
{
    (void)state;
    check_formulas(LMB_FEATURES_MATRIX);
}

static void star_follows_its_formulas(void **state)
{
    (void)state;
    check_formulas(LMB_FEATURES_QUATERNION);
}

static void without_pose_and_shape_it_is_the_template(void **state)
{
    (void)state;
    for (int features = LMB_FEATURES_MATRIX; features <= LMB_FEATURES_QUATERNION; ++features) {
        scene *s = scene_new((lmb_pose_features)features, NULL);
        lmb_body_evaluate(&(lmb_body_job){.skin = s->skin, .out_positions = s->got});
        for (int v = 0; v < TM_VERTICES; ++v) {
            near((double)lmb_vec3_distance(s->got[v], s->made.positions[v]), 0, 1e-6);
        }
        // The root alone: v' = R (v - J0) + J0.
        const lmb_vec3 pelvis = lmbi_body_skin_joints(s->skin)[0];
        for (int j = 0; j < TM_JOINTS; ++j) {
            s->rotations[j] = lmb_quat_identity();
        }
        s->rotations[0] = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 1.3f);
        lmb_body_evaluate(
            &(lmb_body_job){.skin = s->skin, .rotations = s->rotations, .out_positions = s->got});
        for (int v = 0; v < TM_VERTICES; ++v) {
            const lmb_vec3 rotated =
                lmb_quat_rotate(s->rotations[0], lmb_vec3_sub(s->made.positions[v], pelvis));
            near((double)lmb_vec3_distance(s->got[v], lmb_vec3_add(rotated, pelvis)), 0, 2e-6);
        }
        scene_free(s);
    }
}

static void features_have_their_known_values(void **state)
{
    (void)state;
    const lmb_body_model smpl = {
        .joint_count = 2, .feature_count = 9, .features = LMB_FEATURES_MATRIX};
    const lmb_body_model star = {.joint_count = 2,
                                 .feature_count = 5,
                                 .features = LMB_FEATURES_QUATERNION,
                                 .feature_of_shape = true};
    const lmb_quat rotations[2] = {lmb_quat_identity(),
                                   lmbi_rotation_vector(lmb_vec3_make(0, 0, LMB_PI / 3))};
    float f[9];
    lmbi_body_features(&smpl, rotations, 0, f);
    near((double)f[0], -0.5, 1e-6); // (R - I)_00 at 60 degrees
    near((double)f[1], -sqrt(0.75), 1e-6);
    near((double)f[3], sqrt(0.75), 1e-6);
    near((double)f[8], 0, 0);
    lmbi_body_features(&star, rotations, 1.5f, f);
    near((double)f[2], 0.5, 1e-6);
    near((double)f[3], sqrt(0.75) - 1, 1e-6);
    near((double)f[4], 1.5, 0);
    // Three quarters of a turn: the half angle's cosine is negative, and STAR hears that.
    const lmb_quat far = lmbi_rotation_vector(lmb_vec3_make(LMB_PI * 1.5f, 0, 0));
    near((double)far.w, cos(0.75 * 3.14159265358979), 1e-6);
    const lmb_quat none = lmbi_rotation_vector(lmb_vec3_make(0, 0, 0));
    near((double)none.w, 1, 0);
}

static void smaller_storage_stays_close(void **state)
{
    (void)state;
    scene *s = scene_new(LMB_FEATURES_MATRIX, &(lmb_body_skin_opts){.shorts = true});
    lmb_random random = lmb_random_seed(9);
    const double none[TM_SHAPES] = {0}, still[3] = {0};
    random_pose(s, &random, 1);
    lmb_body_evaluate(
        &(lmb_body_job){.skin = s->skin, .rotations = s->rotations, .out_positions = s->got});
    test_model_evaluate(s->model, none, (const double(*)[3])s->pose, still, s->want, s->joints);
    near(farthest(s), 0, 5e-5);
    scene_free(s);
}

// ------------------------------------------------------------------------------------- characters

enum { FRAMES = 40 };

typedef struct recording {
    lmb_body_motion motion;
    lmb_vec3 rotations[FRAMES][TM_JOINTS], translations[FRAMES];
    float shape[TM_SHAPES];
} recording;

/// Smooth turns of all joints, few of them independent.
static void record(recording *r)
{
    lmb_random random = lmb_random_seed(21);
    lmb_vec3 ways[2][TM_JOINTS];
    for (int k = 0; k < 2 * TM_JOINTS; ++k) {
        (&ways[0][0])[k] = tm_vec(&random, 0.8f);
    }
    for (int f = 0; f < FRAMES; ++f) {
        const float a = lmb_sin(0.17f * (float)f), b = lmb_cos(0.31f * (float)f);
        for (int j = 0; j < TM_JOINTS; ++j) {
            r->rotations[f][j] = lmb_vec3_mad(lmb_vec3_scale(ways[0][j], a), ways[1][j], b);
        }
        r->translations[f] = lmb_vec3_make(0.05f * (float)f, 0.01f * b, a);
    }
    for (int k = 0; k < TM_SHAPES; ++k) {
        r->shape[k] = lmb_random_range(&random, -1, 1);
    }
    r->motion = (lmb_body_motion){.frame_count = FRAMES,
                                  .joint_count = TM_JOINTS,
                                  .shape_count = TM_SHAPES,
                                  .frame_rate = 60,
                                  .rotations = &r->rotations[0][0],
                                  .translations = r->translations,
                                  .shape = r->shape};
}

/// The character at a frame, played as any player would: sampled, posed, morphed, skinned.
static void play(const lmb_character *character, uint32_t frame, lmb_vec3 *out)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const lmb_mesh *mesh = character->meshes[0];
    lmb_transform local[TM_JOINTS + 1];
    lmb_mat4 world[TM_JOINTS + 1], palette[TM_JOINTS];
    uint32_t first[TM_JOINTS + 2];
    float *weights = calloc(mesh->target_count + 1, sizeof *weights);
    assert_non_null(weights);
    assert_int_equal(lmb_character_weights(character, first, weights), mesh->target_count);
    memcpy(local, skeleton->rest, sizeof local);
    lmb_sample(&(lmb_sample_job){.clip = character->clips[0],
                                 .time_s = frame / 60.0,
                                 .joint_count = TM_JOINTS + 1,
                                 .pose = local,
                                 .weight_first = first,
                                 .weights = weights});
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = local, .model_from_joint = world});
    lmb_skin_palette(character->skins[0], world, palette);
    lmb_morph(&(lmb_morph_job){.mesh = mesh, .weights = weights, .out_positions = out});
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(mesh, TM_JOINTS, NULL, &binding, NULL), LMB_OK);
    lmb_skin_linear(&(lmb_skin_job){
        .binding = binding, .model_from_bind = palette, .positions = out, .out_positions = out});
    lmb_binding_destroy(binding);
    free(weights);
}

static void check_character(lmb_pose_features features, float tolerance)
{
    scene *s = scene_new(features, NULL);
    static recording r;
    record(&r);
    const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -LMB_PI / 2);
    const lmb_body_character_opts opts = {
        .motion = &r.motion, .model_from_motion = rotation, .tolerance = tolerance};
    lmb_character *character = NULL;
    lmb_body_character_report report = {0};
    assert_int_equal(lmb_body_character_create(s->model, &opts, NULL, &character, &report, NULL),
                     LMB_OK);
    assert_int_equal(report.target_count, character->meshes[0]->target_count);
    assert_int_equal(report.joints_dropped, 0);
    const double allowed = tolerance < 0 ? 0 : tolerance > 0 ? (double)tolerance : 1e-4;
    assert_true((double)report.error <= allowed);
    // The motion has about a dozen dimensions; that many targets must be enough.
    assert_true(tolerance < 0
                    ? report.target_count == s->model->feature_count - s->model->feature_of_shape
                    : report.target_count <= 24 && report.target_count > 1);
    double shape[TM_SHAPES], most = 0;
    for (int k = 0; k < TM_SHAPES; ++k) {
        shape[k] = (double)r.shape[k];
    }
    for (uint32_t f = 0; f < FRAMES; f += 3) {
        const lmb_vec3 t = r.translations[f];
        const double translation[3] = {(double)t.x, (double)t.y, (double)t.z};
        for (int j = 0; j < TM_JOINTS; ++j) {
            const lmb_vec3 a = r.rotations[f][j];
            s->pose[j][0] = (double)a.x, s->pose[j][1] = (double)a.y, s->pose[j][2] = (double)a.z;
        }
        play(character, f, s->got);
        test_model_evaluate(s->model, shape, (const double(*)[3])s->pose, translation, s->want,
                            s->joints);
        for (int v = 0; v < TM_VERTICES; ++v) {
            const double y = s->want[v][1]; // +Z up becomes +Y up
            s->want[v][1] = s->want[v][2];
            s->want[v][2] = -y;
        }
        most = fmax(most, farthest(s));
    }
    // What skinning adds to the error is the stretch of its matrices, about 1.
    near(most, 0, allowed * 1.5 + 1e-5);
    lmb_character_destroy(character);
    scene_free(s);
}

static void characters_are_the_model_at_their_keys(void **state)
{
    (void)state;
    check_character(LMB_FEATURES_MATRIX, 0);
    check_character(LMB_FEATURES_MATRIX, -1);
    check_character(LMB_FEATURES_MATRIX, 0.002f);
    check_character(LMB_FEATURES_QUATERNION, 0);
    check_character(LMB_FEATURES_QUATERNION, -1);
}

static void a_motion_of_another_kind_shares_the_body(void **state)
{
    (void)state;
    scene *s = scene_new(LMB_FEATURES_MATRIX, NULL);
    static lmb_vec3 rotations[2 * 52], translations[2];
    rotations[22].x = 1; // SMPL-H's first finger, which is a hand here
    rotations[21].y = 0.5f;
    const lmb_body_motion motion = {
        .frame_count = 2, .joint_count = 52, .rotations = rotations, .translations = translations};
    lmb_character *character = NULL;
    lmb_body_character_report report = {0};
    assert_int_equal(lmb_body_character_create(s->model,
                                               &(lmb_body_character_opts){.motion = &motion}, NULL,
                                               &character, &report, NULL),
                     LMB_OK);
    assert_int_equal(report.joints_dropped, 30);
    assert_int_equal(character->clips[0]->channel_count, 1 + 22 + 1);
    near((double)character->clips[0]->frame_rate, 30, 0);
    lmb_character_destroy(character);
    scene_free(s);
}

static void at_rest_there_is_a_character_without_clip(void **state)
{
    (void)state;
    scene *s = scene_new(LMB_FEATURES_QUATERNION, NULL);
    lmb_character *character = NULL;
    assert_int_equal(lmb_body_character_create(s->model, NULL, NULL, &character, NULL, NULL),
                     LMB_OK);
    assert_int_equal(character->clip_count, 0);
    assert_int_equal(character->meshes[0]->target_count, 0);
    assert_int_equal(character->skeleton->joint_count, TM_JOINTS + 1);
    lmb_character_destroy(character);
    const lmb_body_motion none = {0};
    assert_int_equal(lmb_body_character_create(s->model,
                                               &(lmb_body_character_opts){.motion = &none}, NULL,
                                               &character, NULL, NULL),
                     LMB_ERROR_INVALID);
    scene_free(s);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    scene *s = scene_new(LMB_FEATURES_QUATERNION, NULL);
    static recording r;
    record(&r);
    r.motion.frame_count = 3;
    for (int calls = 0;; ++calls) {
        failing_allocator memory = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_character *character = NULL;
        const lmb_result got =
            lmb_body_character_create(s->model, &(lmb_body_character_opts){.motion = &r.motion},
                                      &alloc, &character, NULL, NULL);
        lmb_character_destroy(character);
        assert_int_equal(memory.held, 0);
        if (got == LMB_OK) {
            break;
        }
        assert_int_equal(got, LMB_ERROR_MEMORY);
    }
    scene_free(s);
}

static void a_refusal_says_where_and_what_was_found(void **state)
{
    (void)state;
    test_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    test_model_make(m, LMB_FEATURES_MATRIX);
    lmb_body_model def = m->def;
    uint32_t first[TM_JOINTS + 1];
    memcpy(first, def.regressor_first, sizeof first);
    def.regressor_first = first;
    first[2] = first[1] - 1; // row 1 ends before it begins
    lmb_body_model *model = NULL;
    lmb_error error = {0};
    char found[64];
    snprintf(found, sizeof found, "row 1 from entry %u to %u", first[1], first[2]);
    assert_int_equal(lmbi_body_model_create(&def, NULL, &model, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, found);
    free(m);
}

static void bad_models_are_refused(void **state)
{
    (void)state;
    test_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int k = 0; k < 7; ++k) {
        test_model_make(m, LMB_FEATURES_MATRIX);
        switch (k) {
        case 0:
            m->parents[3] = 3;
            break;
        case 1:
            m->parents[0] = 0;
            break;
        case 2:
            m->indices[7] = TM_VERTICES;
            break;
        case 3:
            m->regressor_vertices[7] = TM_VERTICES;
            break;
        case 4:
            m->influences[7].joint = TM_JOINTS;
            break;
        case 5:
            m->poses[206][3].y = NAN;
            break;
        default:
            m->def.feature_count = 206;
        }
        lmb_body_model *model = NULL;
        assert_int_equal(lmbi_body_model_create(&m->def, NULL, &model, NULL), LMB_ERROR_INVALID);
        assert_null(model);
    }
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smpl_follows_its_formulas),
        cmocka_unit_test(star_follows_its_formulas),
        cmocka_unit_test(without_pose_and_shape_it_is_the_template),
        cmocka_unit_test(features_have_their_known_values),
        cmocka_unit_test(smaller_storage_stays_close),
        cmocka_unit_test(characters_are_the_model_at_their_keys),
        cmocka_unit_test(a_motion_of_another_kind_shares_the_body),
        cmocka_unit_test(at_rest_there_is_a_character_without_clip),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(a_refusal_says_where_and_what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
