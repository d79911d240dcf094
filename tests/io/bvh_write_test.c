#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "io/bvh/bvh.h"
#include "io/euler.h"
#include "io/files.h"

/// Parses both texts and gives the largest difference of angles (degrees) and of positions; the
/// structure must be equal.
static void compare(const char *name, const void *a, size_t a_size, const void *b, size_t b_size,
                    double *angle, double *position)
{
    lmbi_bvh x = {0}, y = {0};
    assert_int_equal(lmbi_bvh_parse(&x, a, a_size, NULL), LMB_OK);
    assert_int_equal(lmbi_bvh_parse(&y, b, b_size, NULL), LMB_OK);
    assert_int_equal(x.joint_count, y.joint_count);
    assert_int_equal(x.frame_count, y.frame_count);
    assert_int_equal(x.channel_count, y.channel_count);
    assert_true(x.frame_time_s <= y.frame_time_s && x.frame_time_s >= y.frame_time_s);
    *angle = *position = 0;
    for (size_t j = 0; j < x.joint_count; ++j) {
        const lmbi_bvh_joint *p = &x.joints[j], *q = &y.joints[j];
        assert_string_equal(p->name, q->name);
        assert_string_equal(p->channels, q->channels);
        assert_int_equal(p->parent, q->parent);
        assert_true(lmb_vec3_distance(p->offset, q->offset) <=
                    1e-6f * (1 + lmb_vec3_length(p->offset)));
        for (size_t k = 0; p->channels[k]; ++k) {
            for (uint32_t f = 0; f < x.frame_count; ++f) {
                const size_t at = (size_t)f * x.channel_count + p->first_value + k;
                const double d = fabs((double)x.values[at] - (double)y.values[at]);
                double *worst = p->channels[k] >= 'x' ? angle : position;
                if (d > *worst) {
                    *worst = d;
                }
            }
        }
    }
    if (*angle > 1e-4) {
        print_error("%s: %g degrees\n", name, *angle);
    }
    lmbi_bvh_free(&x);
    lmbi_bvh_free(&y);
}

static void round_trip(const char *name, const void *bytes, size_t size, double tolerance)
{
    lmb_character *c = NULL;
    lmb_buffer out = {0};
    double angle = 0, position = 0;
    assert_int_equal(lmbi_bvh_read(bytes, size, NULL, NULL, &c, NULL), LMB_OK);
    assert_int_equal(lmbi_bvh_write(c, NULL, NULL, &out, NULL), LMB_OK);
    compare(name, bytes, size, out.data, out.size, &angle, &position);
    assert_true(angle <= tolerance);
    assert_true(position <= 2e-4);
    lmb_buffer_free(&out);
    lmb_character_destroy(c);
}

static void gives_the_shared_clips_back(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cmu_01_01",         "Boxing_Toes",
        "pybvh_xzy_24j",     "pybvh_xyz_60j_fingers",
        "makehuman_walk1",   "makehuman_tpose",
        "fair_zombie",       "rotation_first_root",
        "geno_bind",         "full_precision_frame_time",
        "xia_normal_walk",   "swagger_asfnames",
        "cmu_05_20_daz",     "brekel_kinect_body1",
        "elephant_idle1",    "sinusoidal_no_endsite",
        "mixamorig_55j_zyx",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[128];
        snprintf(path, sizeof path, "mocap/bvh/%s.bvh", names[i]);
        test_file file = test_shared_read(path);
        if (file.data == NULL) {
            skip();
        }
        round_trip(path, file.data, file.size, 1e-4);
        free(file.data);
    }
}

/// Every order, angles over all of the range, poles and wound-up turns among them, two roots, one-
/// and two-angle joints.
static void gives_any_angles_back(void **state)
{
    (void)state;
    static const char *const lists[] = {
        "Xrotation Yrotation Zrotation", "Xrotation Zrotation Yrotation",
        "Yrotation Xrotation Zrotation", "Yrotation Zrotation Xrotation",
        "Zrotation Xrotation Yrotation", "Zrotation Yrotation Xrotation"};
    char *text = malloc(200000);
    lmb_random random = lmb_random_seed(7);
    size_t used = (size_t)sprintf(text, "HIERARCHY\n");
    for (int i = 0; i < 6; ++i) {
        used += (size_t)sprintf(
            text + used,
            "ROOT r%d\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition %s Zposition Yposition\n"
            "JOINT one\n{\nOFFSET 1 2 3\nCHANNELS 1 Yrotation\n}\n"
            "JOINT two\n{\nOFFSET 4 5 6\nCHANNELS 2 Zrotation Yrotation\n}\n}\n",
            i, lists[i]);
    }
    used += (size_t)sprintf(text + used, "MOTION\nFrames: 200\nFrame Time: 0.01\n");
    for (int f = 0; f < 200; ++f) {
        for (int i = 0; i < 6; ++i) {
            // The first three roots keep to the principal range, some frames at its poles; the
            // others wind up.
            const float middle =
                f % 10 == 0 ? (f % 20 ? 90.0f : -90.0f) : lmb_random_range(&random, -90, 90);
            const float wind = i < 3 ? 0 : (float)f * 7;
            used += (size_t)sprintf(text + used, "1 %.4f %.4f %.4f 3 4 %.4f %.4f %.4f ",
                                    (double)(lmb_random_range(&random, -180, 180) + wind),
                                    (double)(i < 3 ? middle : middle + 45),
                                    (double)lmb_random_range(&random, -180, 180),
                                    (double)lmb_random_range(&random, -180, 180),
                                    (double)lmb_random_range(&random, -180, 180),
                                    (double)lmb_random_range(&random, -89, 89));
        }
        used += (size_t)sprintf(text + used, "\n");
    }
    // Wound up to 1580 degrees, neighbouring floats are 1.2e-4 apart.
    round_trip("made", text, used, 2e-4);
    free(text);
}

static void converts_to_other_units_and_axes(void **state)
{
    (void)state;
    const char text[] = "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 6 Xposition Yposition "
                        "Zposition Zrotation Yrotation Xrotation\n}\n"
                        "MOTION\nFrames: 1\nFrame Time: 1\n10 20 30 0 0 90\n";
    lmb_character *c = NULL;
    lmb_buffer out = {0};
    assert_int_equal(lmbi_bvh_read(text, sizeof text - 1,
                                   &(lmbi_bvh_read_opts){.unit_m = 0.01f, .up = LMB_AXIS_Y}, NULL,
                                   &c, NULL),
                     LMB_OK);
    assert_int_equal(lmbi_bvh_write(c, &(lmbi_bvh_write_opts){.unit_m = 0.1f, .up = LMB_AXIS_Z},
                                    NULL, &out, NULL),
                     LMB_OK);
    lmbi_bvh bvh = {0};
    assert_int_equal(lmbi_bvh_parse(&bvh, out.data, out.size, NULL), LMB_OK);
    const float expected[6] = {1, -3, 2, 0, 0, 90};
    for (int i = 0; i < 6; ++i) {
        assert_float_equal(bvh.values[i], expected[i], 1e-5);
    }
    assert_float_equal(bvh.joints[0].offset.z, 0.2f, 1e-6);
    lmbi_bvh_free(&bvh);
    lmb_buffer_free(&out);
    lmb_character_destroy(c);
}

/// A skeleton with rotated and scaled rest frames, siblings out of depth-first order, and a clip in
/// seconds.
static lmb_character *rotated_character(void)
{
    int32_t parents[4] = {-1, 0, 0, 1};
    lmb_transform rest[4];
    const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    for (int i = 0; i < 4; ++i) {
        rest[i] = lmb_transform_identity();
        rest[i].translation = lmb_vec3_make(0.1f * (float)i, 1, 0.2f);
        rest[i].rotation = lmb_quat_axis_angle(i % 2 ? x : z, 0.5f + (float)i);
    }
    rest[0].scale = lmb_vec3_make(2, 2, 2);
    const char *names[4] = {"hips", "left {leg}", "right leg", "left foot"};
    lmb_vec3 tips[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0.1f, 0}};
    const lmb_skeleton skeleton_def = {
        .joint_count = 4, .parents = parents, .rest = rest, .names = names, .tips = tips};
    float ticks[3] = {0, 0.5f, 1}, rotations[12], moves[9];
    for (int k = 0; k < 3; ++k) {
        const lmb_quat q = lmb_quat_mul(rest[1].rotation, lmb_quat_axis_angle(z, (float)k));
        memcpy(rotations + 4 * k, &q, sizeof q);
        const lmb_vec3 t = {(float)k, 2, 3};
        memcpy(moves + 3 * k, &t, sizeof t);
    }
    lmb_channel channels[2] = {{.joint = 1,
                                .path = LMB_PATH_ROTATION,
                                .width = 4,
                                .key_count = 3,
                                .ticks = ticks,
                                .values = rotations},
                               {.joint = 0,
                                .path = LMB_PATH_TRANSLATION,
                                .width = 3,
                                .key_count = 3,
                                .ticks = ticks,
                                .values = moves}};
    const lmb_clip clip_def = {
        .name = "m", .duration = 1, .channel_count = 2, .channels = channels};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_character *c = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton_def, NULL, &skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(&clip_def, NULL, &clip, NULL), LMB_OK);
    const lmb_character def = {.skeleton = skeleton, .clip_count = 1, .clips = &clip};
    assert_int_equal(lmb_character_create(&def, NULL, &c, NULL), LMB_OK);
    return c;
}

static lmb_vec3 joint_position(const lmb_character *c, uint32_t joint, const lmb_transform *local)
{
    lmb_mat4 model[8];
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    return lmb_mat4_translation(model[joint]);
}

static void keeps_the_positions_of_rotated_joints(void **state)
{
    (void)state;
    lmb_character *a = rotated_character(), *b = NULL;
    lmb_buffer out = {0};
    assert_int_equal(lmbi_bvh_write(a, &(lmbi_bvh_write_opts){.frame_rate = 4, .order = "yxz"},
                                    NULL, &out, NULL),
                     LMB_OK);
    assert_int_equal(lmbi_bvh_read(out.data, out.size,
                                   &(lmbi_bvh_read_opts){.unit_m = 0.01f, .up = LMB_AXIS_Y}, NULL,
                                   &b, NULL),
                     LMB_OK);
    assert_int_equal(b->clips[0]->channels[0].key_count, 5);
    // Depth first: hips, left leg, left foot, right leg.
    static const uint32_t position_in_b[4] = {0, 1, 3, 2};
    assert_string_equal(b->skeleton->names[1], "left _leg_");
    for (uint32_t j = 0; j < 4; ++j) {
        assert_true(lmb_vec3_distance(joint_position(a, j, NULL),
                                      joint_position(b, position_in_b[j], NULL)) < 1e-5f);
    }
    // At the second key, half a second in: frame 2 of 4 Hz.
    lmb_transform local_a[4], local_b[4];
    memcpy(local_a, a->skeleton->rest, sizeof local_a);
    memcpy(local_b, b->skeleton->rest, sizeof local_b);
    memcpy(&local_a[1].rotation, a->clips[0]->channels[0].values + 4, sizeof(lmb_quat));
    memcpy(&local_a[0].translation, a->clips[0]->channels[1].values + 3, sizeof(lmb_vec3));
    for (uint32_t i = 0; i < b->clips[0]->channel_count; ++i) {
        const lmb_channel *channel = &b->clips[0]->channels[i];
        void *to = channel->path == LMB_PATH_ROTATION
                       ? (void *)&local_b[channel->joint].rotation
                       : (void *)&local_b[channel->joint].translation;
        memcpy(to, channel->values + 2 * channel->width, channel->width * sizeof(float));
    }
    for (uint32_t j = 0; j < 4; ++j) {
        assert_true(lmb_vec3_distance(joint_position(a, j, local_a),
                                      joint_position(b, position_in_b[j], local_b)) < 2e-5f);
    }
    lmb_buffer_free(&out);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
}

/// A node beside the joints, where a mesh hangs, would be a second root.
static void leaves_out_nodes_that_no_skin_needs(void **state)
{
    (void)state;
    lmb_character *c = rotated_character(), *again = NULL;
    uint32_t joints[2] = {1, 2};
    lmb_mat4 matrices[2] = {lmb_mat4_identity(), lmb_mat4_identity()};
    const lmb_skin def = {
        .joint_count = 2, .joints = joints, .joint_from_bind = matrices, .root = LMB_NONE};
    lmb_skin *skin = NULL;
    assert_int_equal(lmb_skin_create(&def, NULL, &skin, NULL), LMB_OK);
    lmb_character skinned = *c;
    skinned.skin_count = 1;
    skinned.skins = &skin;
    lmb_buffer out = {0};
    assert_int_equal(lmbi_bvh_write(&skinned, NULL, NULL, &out, NULL), LMB_OK);
    assert_int_equal(lmbi_bvh_read(out.data, out.size, NULL, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again->skeleton->joint_count, 3); // not the left foot
    assert_int_equal(lmb_skeleton_find(again->skeleton, "left foot"), LMB_NONE);
    lmb_buffer_free(&out);
    lmb_skin_destroy(skin);
    lmb_character_destroy(again);
    lmb_character_destroy(c);
}

static void refuses_what_it_cannot_write(void **state)
{
    (void)state;
    lmb_character *c = rotated_character();
    lmb_buffer out = {0};
    lmb_error error;
    assert_int_equal(lmbi_bvh_write(c, &(lmbi_bvh_write_opts){.clip = 1}, NULL, &out, &error),
                     LMB_ERROR_INVALID);
    assert_string_equal(error.found, "clip 1 of 1");
    assert_int_equal(lmbi_bvh_write(c, &(lmbi_bvh_write_opts){.order = "xyy"}, NULL, &out, &error),
                     LMB_ERROR_INVALID);
    assert_null(out.data);
    lmb_character_destroy(c);
}

/// Following angles never jumps, whatever the rotation does.
static void follows_angles_without_jumps(void **state)
{
    (void)state;
    double angles[3] = {0, 0, 0}, before[3] = {0, 0, 0};
    for (int f = 0; f < 2000; ++f) {
        const float t = (float)f * 0.01f;
        const float rotations[3] = {t * 2, 1.2f * lmb_sin(t), t * -1.5f};
        const lmb_quat q = lmb_quat_from_euler("zxy", rotations);
        lmbi_euler_degrees(q, "zxy", 3, true, angles);
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(angles[i] - before[i]) < 3);
            assert_float_equal((float)angles[i], rotations[i] * 57.2957795f, 0.01);
            before[i] = angles[i];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_shared_clips_back),
        cmocka_unit_test(gives_any_angles_back),
        cmocka_unit_test(converts_to_other_units_and_axes),
        cmocka_unit_test(keeps_the_positions_of_rotated_joints),
        cmocka_unit_test(leaves_out_nodes_that_no_skin_needs),
        cmocka_unit_test(refuses_what_it_cannot_write),
        cmocka_unit_test(follows_angles_without_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
