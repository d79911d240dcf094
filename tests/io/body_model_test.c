// Body models and their motions as archives: the layout of the released files, and what is refused
// of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/npz_maker.h"
#include "limber/io.h"

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6)) {
        fail_msg("got %.9g, expected %.9g", got, want);
    }
}

enum { VERTICES = 5, JOINTS = 3, SHAPES = 2 };

/// What a test leaves out or makes wrong.
typedef struct fault {
    const char *array, *type, *shape;
} fault;

/// A model of 5 vertices and 3 joints, with 9 or 4 features a joint, arrays in the types of the
/// released files.
static npz_maker make_model(int per_joint, int extra, const fault *wrong)
{
    npz_maker maker = {0};
    const int features = per_joint * (JOINTS - 1) + extra;
    double template[VERTICES * 3], shapes[VERTICES * 3 * SHAPES], poses[VERTICES * 3 * 40];
    double weights[VERTICES * JOINTS] = {0}, regressor[JOINTS * VERTICES] = {0};
    const uint32_t faces[6] = {0, 1, 2, 2, 3, 4}, tree[2 * JOINTS] = {4294967295u, 0, 1, 0, 1, 2};
    for (int k = 0; k < VERTICES * 3; ++k) {
        template[k] = k;
        for (int s = 0; s < SHAPES; ++s) {
            shapes[k * SHAPES + s] = 100 * s + k;
        }
        for (int f = 0; f < features; ++f) {
            poses[k * features + f] = 1000 * f + k;
        }
    }
    for (int v = 0; v < VERTICES; ++v) {
        weights[v * JOINTS] = 0.25;
        weights[v * JOINTS + 2] = 0.75;
    }
    for (int j = 0; j < JOINTS; ++j) {
        regressor[j * VERTICES + j] = 0.5;
        regressor[j * VERTICES + j + 1] = 0.5;
    }
    char pose_shape[32];
    snprintf(pose_shape, sizeof pose_shape, "(5, 3, %d)", features);
    const struct {
        const char *name, *type, *shape;
        const void *data;
        size_t size;
    } arrays[] = {
        {"v_template", "<f8", "(5, 3)", template, sizeof template},
        {"f", "<u4", "(2, 3)", faces, sizeof faces},
        {"kintree_table", "<u4", "(2, 3)", tree, sizeof tree},
        {"weights", "<f8", "(5, 3)", weights, sizeof weights},
        {"J_regressor", "<f8", "(3, 5)", regressor, sizeof regressor},
        {"shapedirs", "<f8", "(5, 3, 2)", shapes, sizeof shapes},
        {"posedirs", "<f8", pose_shape, poses, sizeof(double) * 15 * (size_t)features},
        {"bs_style", "|S3", "()", "lbs", 3},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        const bool is_wrong = wrong != NULL && strcmp(wrong->array, arrays[k].name) == 0;
        if (!is_wrong) {
            npz_maker_array(&maker, arrays[k].name, arrays[k].type, arrays[k].shape, arrays[k].data,
                            arrays[k].size);
        } else if (wrong->type != NULL) {
            npz_maker_array(&maker, arrays[k].name, wrong->type, wrong->shape, arrays[k].data,
                            arrays[k].size);
        }
    }
    npz_maker_end(&maker);
    return maker;
}

static void smpl_is_read(void **state)
{
    (void)state;
    npz_maker made = make_model(9, 0, NULL);
    lmb_body_model *m = NULL;
    lmb_error error = {0};
    if (lmb_body_model_read(made.data, made.size, NULL, &m, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(m->vertex_count, VERTICES);
    assert_int_equal(m->joint_count, JOINTS);
    assert_int_equal(m->index_count, 6);
    assert_int_equal(m->shape_count, SHAPES);
    assert_int_equal(m->feature_count, 18);
    assert_int_equal(m->features, LMB_FEATURES_MATRIX);
    assert_false(m->feature_of_shape);
    assert_int_equal(m->parents[0], LMB_NONE);
    assert_int_equal(m->parents[2], 1);
    assert_string_equal(m->names[1], "joint1");
    near((double)m->positions[4].z, 14);
    near((double)m->shape_directions[VERTICES + 2].y, 107);
    near((double)m->pose_directions[17 * VERTICES + 3].x, 17009);
    assert_int_equal(m->influences.first[VERTICES], 2 * VERTICES);
    assert_int_equal(m->influences.items[0].joint, 2); // the heavier first
    near((double)m->influences.items[0].weight, 0.75);
    assert_int_equal(m->regressor_first[JOINTS], 2 * JOINTS);
    assert_int_equal(m->regressor_vertices[5], 3);
    assert_int_equal(m->indices[5], 4);
    lmb_body_model_destroy(m);
    free(made.data);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        npz_maker made = make_model(k == 0 ? 9 : 4, k, NULL);
        lmb_body_model *m = NULL, *back = NULL;
        lmb_buffer bytes = {0}, again = {0};
        assert_int_equal(lmb_body_model_read(made.data, made.size, NULL, &m, NULL), LMB_OK);
        m->names[1] = "left knee";
        m->names[2] = "\xc3\xa9l\xc3\xa8ve"; // not ASCII
        assert_int_equal(lmb_body_model_write(m, NULL, &bytes, NULL), LMB_OK);
        assert_int_equal(lmb_body_model_read(bytes.data, bytes.size, NULL, &back, NULL), LMB_OK);
        assert_string_equal(back->names[1], "left knee");
        assert_string_equal(back->names[2], "??l??ve");
        assert_int_equal(back->features, m->features);
        assert_int_equal(back->feature_of_shape, m->feature_of_shape);
        assert_memory_equal(back->positions, m->positions, VERTICES * sizeof(lmb_vec3));
        assert_memory_equal(back->shape_directions, m->shape_directions,
                            SHAPES * VERTICES * sizeof(lmb_vec3));
        assert_memory_equal(back->pose_directions, m->pose_directions,
                            (size_t)m->feature_count * VERTICES * sizeof(lmb_vec3));
        assert_memory_equal(back->parents, m->parents, JOINTS * sizeof(int32_t));
        assert_memory_equal(back->indices, m->indices, 6 * sizeof(uint32_t));
        assert_memory_equal(back->influences.items, m->influences.items,
                            2 * VERTICES * sizeof(lmb_influence));
        assert_memory_equal(back->regressor_weights, m->regressor_weights,
                            2 * JOINTS * sizeof(float));
        assert_int_equal(lmb_body_model_write(back, NULL, &again, NULL), LMB_OK);
        assert_int_equal(again.size, bytes.size);
        lmb_buffer_free(&bytes);
        lmb_buffer_free(&again);
        lmb_body_model_destroy(back);
        lmb_body_model_destroy(m);
        free(made.data);
    }
}

static void writing_may_run_out_of_memory(void **state)
{
    (void)state;
    npz_maker made = make_model(9, 0, NULL);
    lmb_body_model *m = NULL;
    assert_int_equal(lmb_body_model_read(made.data, made.size, NULL, &m, NULL), LMB_OK);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_buffer bytes = {0};
        f.result = lmb_body_model_write(m, &f.alloc, &bytes, NULL);
        lmb_buffer_free(&bytes);
    }
    lmb_body_model_destroy(m);
    free(made.data);
}

static void star_is_known_by_its_features(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; ++extra) {
        npz_maker made = make_model(4, extra, NULL);
        lmb_body_model *m = NULL;
        assert_int_equal(lmb_body_model_read(made.data, made.size, NULL, &m, NULL), LMB_OK);
        assert_int_equal(m->features, LMB_FEATURES_QUATERNION);
        assert_int_equal(m->feature_of_shape, extra);
        assert_int_equal(m->feature_count, 8 + extra);
        lmb_body_model_destroy(m);
        free(made.data);
    }
    const fault none = {"posedirs", NULL, NULL};
    npz_maker made = make_model(9, 0, &none);
    lmb_body_model *m = NULL;
    assert_int_equal(lmb_body_model_read(made.data, made.size, NULL, &m, NULL), LMB_OK);
    assert_int_equal(m->feature_count, 0);
    lmb_body_model_destroy(m);
    free(made.data);
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    const struct {
        fault wrong;
        lmb_result result;
        const char *expected;
    } cases[] = {
        {{"v_template", NULL, NULL}, LMB_ERROR_MALFORMED, "an array v_template"},
        {{"weights", NULL, NULL}, LMB_ERROR_MALFORMED, "an array weights"},
        {{"J_regressor", "|O", "()"}, LMB_ERROR_UNSUPPORTED, "J_regressor as plain numbers"},
        {{"v_template", "<f8", "(3, 5)"},
         LMB_ERROR_MALFORMED,
         "v_template of a shape that fits the other arrays"},
        {{"v_template", "<f8", "(15,)"},
         LMB_ERROR_MALFORMED,
         "v_template as numbers in 2 dimensions"},
        {{"weights", "<f8", "(3, 5)"},
         LMB_ERROR_MALFORMED,
         "weights of a shape that fits the other arrays"},
        {{"J_regressor", "<f8", "(5, 3)"},
         LMB_ERROR_MALFORMED,
         "J_regressor of a shape that fits the other arrays"},
        {{"posedirs", "<f8", "(5, 3, 17)"},
         LMB_ERROR_MALFORMED,
         "posedirs of a shape that fits the other arrays"},
        {{"shapedirs", "<f8", "(5, 2, 3)"},
         LMB_ERROR_MALFORMED,
         "shapedirs of a shape that fits the other arrays"},
        {{"kintree_table", "<u4", "(3, 2)"},
         LMB_ERROR_MALFORMED,
         "kintree_table of a shape that fits the other arrays"},
        {{"f", "<f4", "(2, 3)"},
         LMB_OK,
         ""}, // as floats, the bits of small integers are nearly 0: still vertices
        {{"f", "<i2", "(4, 3)"}, LMB_OK, ""},
        {{"f", "<f8", "(1, 3)"}, LMB_OK, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        npz_maker made = make_model(9, 0, &cases[k].wrong);
        lmb_body_model *m = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_body_model_read(made.data, made.size, NULL, &m, &error);
        assert_int_equal(result, cases[k].result);
        assert_string_equal(error.expected, cases[k].expected);
        assert_true((m != NULL) == (result == LMB_OK));
        lmb_body_model_destroy(m);
        free(made.data);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    npz_maker made = make_model(4, 1, NULL);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_body_model *m = NULL;
        f.result = lmb_body_model_read(made.data, made.size, &f.alloc, &m, NULL);
        lmb_body_model_destroy(m);
    }
    free(made.data);
}

// ---------------------------------------------------------------------------------------- motions

static lmb_body_motion *read_motion(npz_maker *made, lmb_result want)
{
    lmb_body_motion *motion = NULL;
    lmb_error error = {0};
    npz_maker_end(made);
    const lmb_result got = lmb_body_motion_read(made->data, made->size, NULL, &motion, &error);
    if (got != want) {
        fail_msg("result %d: expected %s, found %s", (int)got, error.expected, error.found);
    }
    free(made->data);
    return motion;
}

static void amass_is_read(void **state)
{
    (void)state;
    double poses[2 * 12], trans[6] = {1, 2, 3, 4, 5, 6}, betas[3] = {0.5, -1, 2}, rate = 120;
    for (int k = 0; k < 24; ++k) {
        poses[k] = k / 10.0;
    }
    npz_maker made = {0};
    npz_maker_array(&made, "poses", "<f8", "(2, 12)", poses, sizeof poses);
    npz_maker_array(&made, "trans", "<f8", "(2, 3)", trans, sizeof trans);
    npz_maker_array(&made, "betas", "<f8", "(3,)", betas, sizeof betas);
    npz_maker_array(&made, "mocap_framerate", "<f8", "()", &rate, sizeof rate);
    npz_maker_array(&made, "gender", "<U4", "()", "m\0\0\0a\0\0\0l\0\0\0e\0\0", 16);
    lmb_body_motion *motion = read_motion(&made, LMB_OK);
    assert_int_equal(motion->frame_count, 2);
    assert_int_equal(motion->joint_count, 4);
    assert_int_equal(motion->shape_count, 3);
    near((double)motion->frame_rate, 120);
    near((double)motion->rotations[4 + 3].z, 2.3);
    near((double)motion->translations[1].y, 5);
    near((double)motion->shape[2], 2);
    lmb_body_motion_destroy(motion);
}

static void other_spellings_are_read(void **state)
{
    (void)state;
    const float numbers[24] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                               12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    npz_maker made = {0};
    npz_maker_array(&made, "pose_body", "<f4", "(2, 6)", numbers, 48);
    npz_maker_array(&made, "root_orient", "<f4", "(2, 3)", numbers + 12, 24);
    npz_maker_array(&made, "pose_hand", "<f4", "(2, 3)", numbers + 18, 24);
    lmb_body_motion *motion = read_motion(&made, LMB_OK);
    assert_int_equal(motion->joint_count, 4);
    near((double)motion->rotations[0].x, 12);
    near((double)motion->rotations[1].x, 0);
    near((double)motion->rotations[2].z, 5);
    near((double)motion->rotations[3].y, 19);
    near((double)motion->rotations[4].x, 15);
    lmb_body_motion_destroy(motion);
    npz_maker three = {0};
    npz_maker_array(&three, "poses", "<f4", "(2, 4, 3)", numbers, 96);
    motion = read_motion(&three, LMB_OK);
    assert_int_equal(motion->joint_count, 4);
    lmb_body_motion_destroy(motion);
    npz_maker one = {0};
    npz_maker_array(&one, "pose", "<f4", "(24,)", numbers, 96);
    motion = read_motion(&one, LMB_OK);
    assert_int_equal(motion->frame_count, 1);
    assert_int_equal(motion->joint_count, 8);
    lmb_body_motion_destroy(motion);
}

static void bad_motions_are_refused(void **state)
{
    (void)state;
    const float numbers[24] = {0}, nan[3] = {NAN, 0, 0};
    npz_maker none = {0}, ragged = {0}, trans = {0}, bad = {0}, empty = {0};
    npz_maker_array(&none, "other", "<f4", "(2, 6)", numbers, 48);
    assert_null(read_motion(&none, LMB_ERROR_MALFORMED));
    npz_maker_array(&ragged, "poses", "<f4", "(3, 8)", numbers, 96);
    assert_null(read_motion(&ragged, LMB_ERROR_MALFORMED));
    npz_maker_array(&trans, "poses", "<f4", "(2, 6)", numbers, 48);
    npz_maker_array(&trans, "trans", "<f4", "(3, 3)", numbers, 36);
    assert_null(read_motion(&trans, LMB_ERROR_MALFORMED));
    npz_maker_array(&bad, "poses", "<f4", "(1, 3)", nan, 12);
    assert_null(read_motion(&bad, LMB_ERROR_INVALID));
    npz_maker_array(&empty, "poses", "<f4", "(0, 3)", numbers, 0);
    assert_null(read_motion(&empty, LMB_ERROR_MALFORMED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smpl_is_read),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(writing_may_run_out_of_memory),
        cmocka_unit_test(star_is_known_by_its_features),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(amass_is_read),
        cmocka_unit_test(other_spellings_are_read),
        cmocka_unit_test(bad_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
