#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/bvh/bvh.h"
#include "io/files.h"

#define HEAD                                                                             \
    "# made\r\n:version 1.10\n:name x\n:units\n  mass 1.0\n  length 0.45\n  angle deg\n" \
    ":documentation\n   words :and more\n:root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n" \
    "  position 0 0 0\n  orientation 0 0 0\n:bonedata\n"
#define FEMUR                                                                                    \
    "  begin\n id 2\n name lfemur\n direction .34202 -.939693 0\n length 2\n axis 0 0 -20 XYZ\n" \
    " dof rx ry rz\n limits (-160.0 20.0)\n (-70 70)\n (-inf inf)\n end\n"
#define TIBIA                                                                          \
    "  begin\n name ltibia\n direction 0 -1 0\n length 3\n axis 0 0 90 XYZ\n dof rx\n" \
    " limits (-10.0 170.0)\n end\n"
#define TREE ":hierarchy\n begin\n lfemur ltibia\n root lfemur\n end\n"

static lmb_character *read_texts(const char *asf, const char *amc, const lmb_asf_read_opts *opts)
{
    lmb_character *c = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_asf_read(asf, strlen(asf), amc, amc ? strlen(amc) : 0, opts, NULL, &c, &error);
    if (result != LMB_OK) {
        print_error("%u:%u expected %s, found %s\n", error.line, error.column, error.expected,
                    error.found);
    }
    assert_int_equal(result, LMB_OK);
    return c;
}

static void pose_at(const lmb_character *c, uint32_t frame, lmb_mat4 *model)
{
    lmb_transform *local = malloc(c->skeleton->joint_count * sizeof *local);
    memcpy(local, c->skeleton->rest, c->skeleton->joint_count * sizeof *local);
    for (uint32_t i = 0; i < c->clips[0]->channel_count; ++i) {
        const lmb_channel *channel = &c->clips[0]->channels[i];
        void *to = channel->path == LMB_PATH_ROTATION ? (void *)&local[channel->joint].rotation
                                                      : (void *)&local[channel->joint].translation;
        memcpy(to, channel->values + (size_t)frame * channel->width,
               channel->width * sizeof(float));
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    free(local);
}

/// Axis (0, 0, -20), rx 10 ry 20 rz 30: C M C^-1 times the direction, multiplied out apart from
/// this code.
static void rotates_in_the_bones_own_frame(void **state)
{
    (void)state;
    const lmb_asf_read_opts opts = {.unit_m = 1, .up = LMB_AXIS_Y};
    lmb_character *c =
        read_texts(HEAD FEMUR TIBIA TREE,
                   ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 0 0 0\nlfemur 10 20 30\nltibia 0\n"
                   "2\nroot 1 2 3 0 0 0\nlfemur 0 0 0\nltibia 0\n",
                   &opts);
    assert_int_equal(c->skeleton->joint_count, 3);
    const int32_t tibia = lmb_skeleton_find(c->skeleton, "ltibia");
    lmb_mat4 model[3];
    pose_at(c, 0, model);
    lmb_vec3 p = lmb_vec3_sub(lmb_mat4_translation(model[tibia]), lmb_mat4_translation(model[0]));
    assert_float_equal(p.x / 2, .681043f, 1e-5);
    assert_float_equal(p.y / 2, -.645959f, 1e-5);
    assert_float_equal(p.z / 2, -.344846f, 1e-5);
    pose_at(c, 1, model);
    p = lmb_vec3_sub(lmb_mat4_translation(model[tibia]), lmb_mat4_translation(model[0]));
    assert_float_equal(p.x / 2, .34202f, 1e-5);
    assert_float_equal(model[0].m[13], 2, 0);
    assert_float_equal(c->clips[0]->frame_rate, 120, 0);
    // The knee rotates about the x axis of its own frame, which is rotated by 90 degrees about z:
    // the model's y.
    const lmb_joint_limit *knee = &c->skeleton->limits[tibia];
    assert_int_equal(knee->kind, LMB_JOINT_HINGE);
    assert_float_equal(knee->axis.y, 1, 1e-6);
    assert_float_equal(knee->twist_max_rad, 170 * 0.0174533f, 1e-5);
    assert_float_equal(c->skeleton->tips[tibia].y, -3, 0);
    lmb_character_destroy(c);
}

static void says_where_it_went_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *asf, *amc, *found;
    } cases[] = {
        {"", NULL, "an empty file"},
        {"hello", NULL, "\"hello\""},
        {HEAD FEMUR TIBIA, NULL, "the end of the file"},
        {HEAD FEMUR FEMUR TREE, NULL, "\"lfemur\""},
        {HEAD FEMUR TREE, NULL, "\"ltibia\""},
        {HEAD FEMUR TIBIA ":hierarchy\n begin\n root lfemur\n lfemur lfemur\n end\n", NULL,
         "\"lfemur\""},
        {HEAD "begin\nname a\ndirection 0 nan 0\nend\n" TREE, NULL, "\"nan\""},
        {HEAD "begin\nname a\ndof rx rw\nend\n" TREE, NULL, "\"rw\""},
        {HEAD "begin\nname a\n", NULL, "the end of the file"},
        {HEAD FEMUR TIBIA TREE, "1\nlfemur 1\nltibia 1\n2\n", "the end of the line"},
        {HEAD FEMUR TIBIA TREE, "1\nlfemur 1 2 3 4\n2\n", "\"4\""},
        {HEAD FEMUR TIBIA TREE, "1\nrfemur 1 2 3\n2\n", "\"rfemur\""},
        {HEAD FEMUR TIBIA TREE, "1\nlfemur 1 2 3\n2\n", "\"2\""},
        {HEAD FEMUR TIBIA TREE, "1\nlfemur 1 2 inf\n2\n", "\"inf\""},
        {HEAD FEMUR TIBIA TREE, "lfemur 1 2 3\n", "\"lfemur\""},
        {HEAD FEMUR TIBIA TREE, ":DEGREES\n", "the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lmb_character *c = NULL;
        lmb_error error = {0};
        const char *amc = cases[i].amc;
        assert_int_equal(lmb_asf_read(cases[i].asf, strlen(cases[i].asf), amc,
                                      amc ? strlen(amc) : 0, NULL, NULL, &c, &error),
                         LMB_ERROR_MALFORMED);
        assert_string_equal(error.found, cases[i].found);
        assert_true(error.line > 0 && error.column > 0);
    }
    lmb_character *c = NULL;
    const char cycle[] =
        HEAD FEMUR TIBIA ":hierarchy\n begin\n lfemur ltibia\n ltibia lfemur\n end\n";
    assert_int_equal(lmb_asf_read(cycle, sizeof cycle - 1, NULL, 0, NULL, NULL, &c, NULL),
                     LMB_ERROR_INVALID);
}

static void keeps_whole_frames(void **state)
{
    (void)state;
    lmb_notes notes;
    const lmb_asf_read_opts opts = {.notes = &notes};
    const char *frames =
        "1\nroot 0 0 0 0 0 0\nlfemur 1 2 3\nltibia 4\n9\nroot 0 0 0 0 0 0\nltibia 4\nlfemur 1 2 3\n"
        "10\nroot 0 0 0 0 0 0\nlfemur 1 2";
    lmb_character *c = read_texts(HEAD FEMUR TIBIA TREE, frames, &opts);
    assert_int_equal(c->clips[0]->channels[0].key_count, 2);
    assert_int_equal(notes.count, 2);
    lmb_character_destroy(c);
    c = read_texts(HEAD FEMUR TIBIA TREE, NULL, &opts);
    assert_int_equal(c->clip_count, 0);
    lmb_character_destroy(c);
}

/// The same take as somebody else's conversion to BVH, frame for frame: that one's frame 0 is an
/// added T-pose, and it lost the length of the thorax, so arms and head are measured from where the
/// neck begins.
static void agrees_with_the_same_take_as_bvh(void **state)
{
    (void)state;
    static const struct {
        const char *bone, *joint;
        bool from_neck;
    } pairs[] = {
        {"root", "Hips", false},          {"lfemur", "LeftUpLeg", false},
        {"ltibia", "LeftLeg", false},     {"lfoot", "LeftFoot", false},
        {"ltoes", "LeftToeBase", false},  {"rtibia", "RightLeg", false},
        {"rtoes", "RightToeBase", false}, {"upperback", "Spine", false},
        {"thorax", "Spine1", false},      {"lhumerus", "LeftArm", true},
        {"lradius", "LeftForeArm", true}, {"lwrist", "LeftHand", true},
        {"rhumerus", "RightArm", true},   {"rradius", "RightForeArm", true},
        {"rwrist", "RightHand", true},    {"head", "Head", true},
    };
    test_file asf = test_shared_read("mocap/asf_amc/01.asf"),
              amc = test_shared_read("mocap/asf_amc/01_01.amc");
    test_file bvh = test_shared_read("mocap/bvh/cmu_01_01.bvh");
    if (asf.data == NULL || amc.data == NULL || bvh.data == NULL) {
        skip();
    }
    lmb_character *a = NULL, *b = NULL;
    assert_int_equal(lmb_asf_read(asf.data, asf.size, amc.data, amc.size, NULL, NULL, &a, NULL),
                     LMB_OK);
    assert_int_equal(lmbi_bvh_read(bvh.data, bvh.size, NULL, NULL, &b, NULL), LMB_OK);
    assert_int_equal(a->clips[0]->channels[0].key_count, 2751);
    lmb_mat4 in_a[64], in_b[64];
    float worst = 0;
    for (uint32_t frame = 0; frame < 2751; frame += 125) {
        pose_at(a, frame, in_a);
        pose_at(b, frame + 1, in_b);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
            const int32_t ja = lmb_skeleton_find(a->skeleton, pairs[i].bone);
            const int32_t jb = lmb_skeleton_find(b->skeleton, pairs[i].joint);
            assert_true(ja >= 0 && jb >= 0);
            lmb_vec3 in_one = lmb_mat4_translation(in_a[ja]),
                     in_other = lmb_mat4_translation(in_b[jb]);
            if (pairs[i].from_neck) {
                const int32_t neck_a = lmb_skeleton_find(a->skeleton, "lowerneck");
                const int32_t neck_b = lmb_skeleton_find(b->skeleton, "Neck");
                in_one = lmb_vec3_sub(in_one, lmb_mat4_translation(in_a[neck_a]));
                in_other = lmb_vec3_sub(in_other, lmb_mat4_translation(in_b[neck_b]));
            }
            const float d = lmb_vec3_distance(in_one, in_other);
            if (d > worst) {
                worst = d;
            }
        }
    }
    print_message("the farthest joint is %.4f mm off\n", 1000 * (double)worst);
    assert_true(worst < 0.001f);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
    free(asf.data);
    free(amc.data);
    free(bvh.data);
}

static void meets_the_catalogue(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int accept; ///< 1 must read, 0 must not, -1 either
    } cases[] = {
        {"hierarchy_cycle.asf", 0},     {"hierarchy_unknown_bone.asf", 0},
        {"hierarchy_missing.asf", 0},   {"direction_nan.asf", 0},
        {"direction_zero.asf", -1},     {"length_negative.asf", -1},
        {"duplicate_bone.asf", 0},      {"dof_unknown.asf", 0},
        {"truncated.asf", 0},           {"control_ok.amc", 1},
        {"short_row.amc", 0},           {"unknown_bone.amc", -1},
        {"frame_numbers_jump.amc", -1}, {"nan.amc", 0},
        {"truncated.amc", -1},
    };
    test_file skeleton = test_shared_read("mocap/asf_amc/01.asf");
    if (skeleton.data == NULL) {
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[128];
        snprintf(path, sizeof path, "bad/made/asf_amc/%s", cases[i].name);
        test_file file = test_shared_read(path);
        const bool is_motion = strstr(path, ".amc") != NULL;
        lmb_character *c = NULL;
        const lmb_result result =
            is_motion ? lmb_asf_read(skeleton.data, skeleton.size, file.data, file.size, NULL, NULL,
                                     &c, NULL)
                      : lmb_asf_read(file.data, file.size, NULL, 0, NULL, NULL, &c, NULL);
        if (cases[i].accept >= 0 && (result == LMB_OK) != (cases[i].accept == 1)) {
            print_error("%s: %s\n", cases[i].name, lmb_result_name(result));
            fail();
        }
        if (result == LMB_OK) {
            lmb_character_destroy(c);
        }
        free(file.data);
    }
    free(skeleton.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotates_in_the_bones_own_frame),
        cmocka_unit_test(says_where_it_went_wrong),
        cmocka_unit_test(keeps_whole_frames),
        cmocka_unit_test(agrees_with_the_same_take_as_bvh),
        cmocka_unit_test(meets_the_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
