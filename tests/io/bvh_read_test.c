#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/bvh/bvh.h"
#include "io/files.h"
#include "io/text_faults.h"

#define HEAD                                                                                       \
    "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n " \
    "{\n  OFFSET 0 1 0\n }\n}\n"

static lmb_result try_read(const char *text, const lmbi_bvh_read_opts *opts, lmb_character **out,
                           lmb_error *error)
{
    // An exact copy without a terminator: reading past the end is then seen by a sanitizer.
    const size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    const lmb_result result = lmbi_bvh_read(copy, size, opts, NULL, out, error);
    free(copy);
    return result;
}

static lmb_character *read_with(const char *text, const lmbi_bvh_read_opts *opts)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    const lmb_result result = try_read(text, opts, &character, &error);
    if (result != LMB_OK) {
        print_error("%u:%u expected %s, found %s\n", error.line, error.column, error.expected,
                    error.found);
    }
    assert_int_equal(result, LMB_OK);
    return character;
}

static lmb_quat rotation_key(const lmb_character *c, uint32_t joint, uint32_t key)
{
    for (uint32_t i = 0; c->clip_count && i < c->clips[0]->channel_count; ++i) {
        const lmb_channel *channel = &c->clips[0]->channels[i];
        if (channel->joint == joint && channel->path == LMB_PATH_ROTATION) {
            const float *q = channel->values + 4 * key;
            return lmb_quat_make(q[0], q[1], q[2], q[3]);
        }
    }
    fail();
    return lmb_quat_identity();
}

static const lmb_channel *translation_of(const lmb_character *c, uint32_t joint)
{
    for (uint32_t i = 0; c->clip_count && i < c->clips[0]->channel_count; ++i) {
        const lmb_channel *channel = &c->clips[0]->channels[i];
        if (channel->joint == joint && channel->path == LMB_PATH_TRANSLATION) {
            return channel;
        }
    }
    return NULL;
}

static void assert_vec3(lmb_vec3 v, double x, double y, double z, double near)
{
    assert_float_equal(v.x, (float)x, near);
    assert_float_equal(v.y, (float)y, near);
    assert_float_equal(v.z, (float)z, near);
}

/// Z10 X20 Y30: R = Rz Rx Ry, multiplied out by hand.
static void rotates_in_listed_order(void **state)
{
    (void)state;
    const lmbi_bvh_read_opts opts = {.unit_m = 1, .up = LMB_AXIS_Y};
    lmb_character *c = read_with(HEAD "MOTION\nFrames: 1\nFrame Time: 0.04\n10 20 30\n", &opts);
    const lmb_quat q = rotation_key(c, 0, 0);
    assert_vec3(lmb_quat_rotate(q, lmb_vec3_make(0, 1, 0)), -.163176, .925417, .342020, 1e-6);
    assert_vec3(lmb_quat_rotate(q, lmb_vec3_make(0, 0, 1)), .543838, -.204874, .813798, 1e-6);
    assert_vec3(c->skeleton->tips[0], 0, 1, 0, 0);
    assert_float_equal(c->clips[0]->ticks_per_s, 25, 1e-5);
    lmb_character_destroy(c);
}

static void reads_odd_spellings(void **state)
{
    (void)state;
    const char text[] = "\xef\xbb\xbfhierarchy\r\nRoot Bip01 Pelvis.x:end\t{\rOffset\t1e0 +2.0  "
                        "-.5\r\nCHANNELS 4 zROTATION Yposition XROTATION yRotation\n"
                        "JOINT End Effector\n{\nOFFSET 0\n 3 0\nCHANNELS 1 Xrotation\nend   site "
                        "{OFFSET 0 0 1}\nend SITE\n{\n}\n}}"
                        "\nJOINT"; // a second root must say ROOT
    lmb_character *c = NULL;
    lmb_error error = {0};
    assert_int_equal(try_read(text, NULL, &c, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "\"JOINT\"");
    char good[1024];
    snprintf(good, sizeof good, "%.*s%s", (int)(sizeof text - 6), text,
             "ROOT two\n{\nOFFSET 0 0 0\n}\nmotion\n\nFRAMES   2\nframe  time   .0083333  \n\n1 2 "
             "3 4 5\n\n1e1 -2E-1 0 0 90");
    lmb_bvh_info info;
    const lmbi_bvh_read_opts opts = {.unit_m = 1, .up = LMB_AXIS_Y, .info = &info};
    c = read_with(good, &opts);
    assert_int_equal(info.joint_count, 3);
    assert_int_equal(info.root_count, 2);
    assert_int_equal(info.end_site_count, 2);
    assert_int_equal(info.channel_count, 5);
    assert_int_equal(info.frame_count, 2);
    assert_float_equal((float)info.frame_time_s, 0.0083333f, 1e-9);
    assert_string_equal(c->skeleton->names[0], "Bip01 Pelvis.x:end");
    assert_string_equal(c->skeleton->names[1], "End Effector");
    // Only Y is animated: X and Z stay the offset's.
    const lmb_channel *t = translation_of(c, 0);
    assert_non_null(t);
    assert_vec3(lmb_vec3_make(t->values[3], t->values[4], t->values[5]), 1, -.2, -.5, 1e-7);
    assert_vec3(lmb_quat_rotate(rotation_key(c, 1, 1), lmb_vec3_make(0, 1, 0)), 0, 0, 1, 1e-6);
    lmb_character_destroy(c);
}

#define SIX                                                                                     \
    "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 6 Zrotation Yrotation Xrotation Xposition " \
    "Yposition Zposition\n"                                                                     \
    " JOINT b\n {\n  OFFSET 0 10 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation "      \
    "Xrotation Yrotation\n }\n}\n"                                                              \
    "MOTION\nFrames: 2\nFrame Time: 0.1\n"

static void tells_replacing_from_adding_positions(void **state)
{
    (void)state;
    lmb_bvh_info info;
    lmbi_bvh_read_opts opts = {.unit_m = 1, .up = LMB_AXIS_Y, .info = &info};
    lmb_character *c =
        read_with(SIX "0 0 0 5 6 7 0 11 0 0 0 0\n0 0 90 5 6 7 0 12 0 0 0 0\n", &opts);
    assert_false(info.positions_add);
    assert_float_equal(translation_of(c, 1)->values[4], 12, 0);
    assert_float_equal(translation_of(c, 0)->values[2], 7, 0);
    assert_vec3(lmb_quat_rotate(rotation_key(c, 0, 1), lmb_vec3_make(0, 1, 0)), 0, 0, 1, 1e-6);
    lmb_character_destroy(c);
    c = read_with(SIX "0 0 0 5 6 7 0 0.1 0 0 0 0\n0 0 90 5 6 7 0 0 0.2 0 0 0\n", &opts);
    assert_true(info.positions_add);
    assert_float_equal(translation_of(c, 1)->values[1], 10.1f, 1e-6);
    assert_float_equal(translation_of(c, 0)->values[2], 7, 0);
    lmb_character_destroy(c);
    // A position that repeats the offset is no channel, unless asked for.
    c = read_with(SIX "0 0 0 5 6 7 0 10 0 0 0 0\n0 0 90 5 6 7 0 10 0 0 0 0\n", &opts);
    assert_null(translation_of(c, 1));
    lmb_character_destroy(c);
    opts.keep_channels = true;
    c = read_with(SIX "0 0 0 5 6 7 0 10 0 0 0 0\n0 0 90 5 6 7 0 10 0 0 0 0\n", &opts);
    assert_non_null(translation_of(c, 1));
    lmb_character_destroy(c);
}

#define ROWS_10 "0 0 0\n0 0 1\n0 0 2\n0 0 3\n0 0 4\n0 0 5\n0 0 6\n0 0 7\n0 0 8\n0 0 9\n"
#define ROWS_11 ROWS_10 "0 0 10\n"

static void keeps_the_frames_that_are_there(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        uint32_t frames, notes;
    } cases[] = {
        {"Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6\n7 8 9", 3, 0},
        {"Frames: 2\nFrame Time: 1\n1 2 3\n4 5 6\n7 8 9\n", 3, 1},
        {"Frames: 5\nFrame Time: 1\n1 2 3\n4 5 6\n", 2, 1},
        {"Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6\n7 8", 2, 2},
        {"Frames: 2\nFrame Time: 1\n1 2 3 4 5 6\n", 2, 0},
        {"Frames: 2\nFrame Time: 1\n1 2\n3\n4 5\n6\n", 2, 0},
        {"Frames: 0\nFrame Time: 1\n", 0, 0},
        {"Frame Time: 0\nFrames: 1\n1 2 3\n\n\x1a", 1, 1},
        {"Frames: 2\nFrame Time: 1\n1 2 3\n4 5 6e-", 1, 2},
        // A second between the frames of a motion is a placeholder; between poses it is not.
        {"Frames: 11\nFrame Time: 1\n" ROWS_11, 11, 1},
        {"Frames: 11\nFrame Time: 0.4\n" ROWS_11, 11, 0},
        {"Frames: 10\nFrame Time: 1\n" ROWS_10, 10, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "%sMOTION\n%s", HEAD, cases[i].rows);
        lmb_bvh_info info;
        lmb_character *c = read_with(text, &(lmbi_bvh_read_opts){.info = &info});
        assert_int_equal(info.frame_count, cases[i].frames);
        assert_int_equal(info.notes.count, cases[i].notes);
        assert_int_equal(c->clip_count, cases[i].frames ? 1 : 0);
        lmb_character_destroy(c);
    }
}

static lmb_result read_plain(const char *text, lmb_character **out, lmb_error *error)
{
    return try_read(text, NULL, out, error);
}

static void says_where_it_went_wrong(void **state)
{
    (void)state;
    static const text_fault faults[] = {
        {"", "an empty file", 1, 1},
        {"HIERARCHY\nROOT a\n{\n OFFSET 1 2\n}", "\"}\"", 5, 1},
        {"HIERARCHY\nROOT \xc3\xa4\xc3\xb6 { OFFSET 1 nan 2\n}", "\"nan\"", 2, 20},
        {"HIERARCHY\nROOT a\n{\n CHANNELS 3 Xrotation Yrotation\n}", "\"}\"", 5, 1},
        {"HIERARCHY\nROOT a\n{\n CHANNELS 7 Xrotation Yrotation\n}", "\"7\"", 4, 11},
        {"HIERARCHY\nROOT a\n{\n", "the end of the file", 4, 1},
        {"HIERARCHY\nROOT a\n{\n}\n", "the end of the file", 5, 1},
        {HEAD "MOTION\nFrames: 1e12\nFrame Time: 1\n", "\"1e12\"", 12, 9},
        {HEAD "MOTION\nFrames: 1\nFrame Time: -1\n", "\"-1\"", 13, 13},
        {HEAD "MOTION\nFrames: 1\n1 2 3\n", "\"1\"", 13, 1},
        {HEAD "MOTION\nFrames: 2\nFrame Time: 1\n1 2 3\n1 2\n1 2 3\n", "2", 15, 4},
        {HEAD "MOTION\nFrames: 2\nFrame Time: 1\n1 2 3\n1 2 3 4\n", "4", 15, 7},
        {HEAD "MOTION\nFrames: 1\nFrame Time: 1\n1 2,5 3\n", "\"2,5\"", 14, 3},
        {HEAD "MOTION\nFrames: 1\nFrame Time: 1\n1 inf 3\n", "\"inf\"", 14, 3},
    };
    text_faults_are_found(read_plain, faults, sizeof faults / sizeof *faults);
}

static void reads_decimal_commas_when_asked(void **state)
{
    (void)state;
    lmb_character *c =
        read_with("HIERARCHY\nROOT a\n{\nOFFSET 0,5 1 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: "
                  "1\nFrame Time: 0,04\n9,0e1\n",
                  &(lmbi_bvh_read_opts){.decimal_comma = true, .unit_m = 1, .up = LMB_AXIS_Y});
    assert_float_equal(c->skeleton->rest[0].translation.x, 0.5f, 0);
    assert_float_equal(c->clips[0]->frame_rate, 25, 1e-5);
    assert_vec3(lmb_quat_rotate(rotation_key(c, 0, 0), lmb_vec3_make(0, 1, 0)), 0, 0, 1, 1e-6);
    lmb_character_destroy(c);
}

/// A body of two legs and a head, upright along the third axis, facing -Y, in the given units.
static lmb_character *read_body(double scale, lmb_bvh_info *info)
{
    char text[4096];
    const double s = scale;
    snprintf(text, sizeof text,
             "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
             "Zrotation Xrotation Yrotation\n"
             "JOINT LeftUpLeg\n{\nOFFSET %g 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
             "LeftLeg\n{\nOFFSET 0 0 %g\nJOINT LeftFoot\n{\nOFFSET 0 0 %g\n}\n}\n}\n"
             "JOINT RightUpLeg\n{\nOFFSET %g 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT "
             "RightLeg\n{\nOFFSET 0 0 %g\nJOINT RightFoot\n{\nOFFSET 0 0 %g\n}\n}\n}\n"
             "JOINT Spine\n{\nOFFSET 0 0 %g\nJOINT Head\n{\nOFFSET 0 0 "
             "%g\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n"
             "0 0 %g 0 0 0 0 0 0 0 0 0\n1 0 %g 90 0 0 0 0 0 0 0 0\n",
             .1 * s, -.42 * s, -.41 * s, -.1 * s, -.42 * s, -.41 * s, .3 * s, .3 * s, .9 * s,
             .9 * s);
    return read_with(text, &(lmbi_bvh_read_opts){.info = info});
}

static void guesses_unit_and_up(void **state)
{
    (void)state;
    static const double units[] = {1, 100, 1000, 10, 39.37, 17.7165, 3.28};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        lmb_bvh_info info;
        lmb_character *c = read_body(units[i], &info);
        assert_float_equal(info.unit_m * (float)units[i], 1, 0.001);
        assert_int_equal(info.up, LMB_AXIS_Z);
        assert_true(info.unit_guessed && info.up_guessed);
        assert_float_equal(translation_of(c, 0)->values[1], 0.9f, 1e-3);
        lmb_motion_guess guess;
        assert_int_equal(lmb_motion_guess_make(c->skeleton, c->clips[0], NULL, &guess, NULL),
                         LMB_OK);
        assert_int_equal(guess.up, LMB_AXIS_Y);
        assert_true(guess.humanoid);
        assert_float_equal(guess.body_height, 0.83f / 0.491f, 1e-2);
        assert_vec3(guess.facing, 0, 0, 1, 1e-5);
        // Turned by 90 degrees about the vertical, it faces +X.
        assert_vec3(lmb_quat_rotate(rotation_key(c, 0, 1), lmb_vec3_make(0, 0, 1)), 1, 0, 0, 1e-5);
        lmb_character_destroy(c);
    }
}

/// Legs in the spellings of the usual tools; the second name of a pair of feet is SMPL's ankle
/// above the foot.
static void finds_legs_by_many_names(void **state)
{
    (void)state;
    static const char *const legs[][4] = {
        {"mixamorig:%sUpLeg", "mixamorig:%sLeg", "mixamorig:%sFoot", "Left"},
        {"%s_Hip", "%s_Knee", "%s_Ankle", "L"},
        {"Bip01 %s Thigh", "Bip01 %s Calf", "Bip01 %s Foot", "L"},
        {"%sfemur", "%stibia", "%sfoot", "l"},
        {"thigh.%s", "shin.%s", "foot.%s", "L"},
        {"thigh_%s", "calf_%s", "foot_%s", "l"},
        {"J_Bip_%s_UpperLeg", "J_Bip_%s_LowerLeg", "J_Bip_%s_Foot", "L"},
        {"%sHip", "%sKnee", "%sAnkle", "Left"},
        {"%sThigh", "%sShin", "%sFoot", "l"},
    };
    for (size_t i = 0; i < sizeof legs / sizeof *legs; ++i) {
        char text[2048], names[6][64];
        for (int k = 0; k < 6; ++k) {
            const char *left = legs[i][3];
            const char *right = strcmp(left, "Left") == 0 ? "Right" : *left == 'l' ? "r" : "R";
            snprintf(names[k], sizeof names[k], legs[i][k % 3], k < 3 ? left : right);
        }
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT Pelvis\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
            "JOINT %s\n{\nOFFSET 9 0 0\nJOINT %s\n{\nOFFSET 0 -42 0\nJOINT %s\n{\nOFFSET 0 -41 "
            "0\nJOINT %s\n{\nOFFSET 0 -5 9\n}\n}\n}\n}\n"
            "JOINT %s\n{\nOFFSET -9 0 0\nJOINT %s\n{\nOFFSET 0 -42 0\nJOINT %s\n{\nOFFSET 0 -41 "
            "0\n}\n}\n}\n"
            "JOINT Head\n{\nOFFSET 0 60 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0 0 0\n",
            names[0], names[1], names[2], i == 1 ? "L_Foot" : "L_Toe", names[3], names[4],
            names[5]);
        lmb_character *c = read_with(text, NULL);
        lmb_motion_guess guess;
        assert_int_equal(lmb_motion_guess_make(c->skeleton, c->clips[0], NULL, &guess, NULL),
                         LMB_OK);
        if (!guess.humanoid) {
            print_error("%s\n", names[0]);
        }
        assert_true(guess.humanoid);
        assert_float_equal(guess.body_height, 0.83f / 0.491f, 1e-3);
        assert_vec3(guess.facing, 0, 0, 1, 1e-6);
        lmb_character_destroy(c);
    }
}

/// The worst hierarchy for a reader that recurses or looks names up one by one.
static void reads_ten_thousand_nested_joints(void **state)
{
    (void)state;
    const int depth = 10000;
    char *text = malloc((size_t)depth * 80);
    size_t used = (size_t)sprintf(text, "HIERARCHY\nROOT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n");
    for (int i = 1; i < depth; ++i) {
        used +=
            (size_t)sprintf(text + used, "JOINT j\n{\nOFFSET 0 0.001 0\nCHANNELS 1 Xrotation\n");
    }
    memset(text + used, '}', (size_t)depth);
    used += (size_t)depth;
    used += (size_t)sprintf(text + used, "\nMOTION\nFrames: 1\nFrame Time: 1\n");
    for (int i = 1; i < depth; ++i) {
        used += (size_t)sprintf(text + used, "0 ");
    }
    lmb_character *c = NULL;
    assert_int_equal(lmbi_bvh_read(text, used, NULL, NULL, &c, NULL), LMB_OK);
    assert_int_equal(c->skeleton->joint_count, depth);
    lmb_character_destroy(c);
    free(text);
}

// What files of the shared data hold.
static const struct {
    const char *name;
    uint32_t joints, frames;
    float rate, unit_m;
    lmb_axis up;
} shared_clips[] = {
    {"cmu_01_01", 31, 2752, 120, 0.0564f, LMB_AXIS_Y},
    {"Boxing_Toes", 21, 3070, 100, 0.01f, LMB_AXIS_Y},
    {"cmu_12_01_walk", 31, 524, 120, 0.0564f, LMB_AXIS_Y},
    {"pybvh_xzy_24j", 24, 75, 30, 0.0254f, LMB_AXIS_Z},
    {"pybvh_xyz_60j_fingers", 60, 100, 120, 0, LMB_AXIS_Z},
    {"pybvh_standard_skeleton", 24, 1, 120, 0.0254f, LMB_AXIS_Z},
    {"rotation_first_root", 4, 4, 25, 0, LMB_AXIS_Y},
    {"full_precision_frame_time", 2, 3, 23.976f, 0, LMB_AXIS_Y},
    {"mixamorig_55j_zyx", 55, 69, 30, 0.01f, LMB_AXIS_Y},
    {"cmu_jumping_jacks", 31, 125, 30, 0.0564f, LMB_AXIS_Y},
    {"fair_jumping", 27, 654, 119.9f, 0, LMB_AXIS_Z},
    {"fair_zombie", 27, 779, 30, 0, LMB_AXIS_Z},
    {"crab_dance", 56, 384, 30, 1, LMB_AXIS_Y},
    {"elephant_idle1", 40, 201, 30, 1, LMB_AXIS_Y},
    {"mixamo_walk_in_circle", 65, 753, 60, 0.01f, LMB_AXIS_Y},
    {"xia_normal_walk", 31, 360, 120, 0.0564f, LMB_AXIS_Y},
    {"makehuman_walk1", 75, 14, 24, 0.1f, LMB_AXIS_Z},
    {"makehuman_tpose", 173, 1, 24, 0.1f, LMB_AXIS_Z},
    {"makehuman_face_poseunits", 163, 60, 24, 0.1f, LMB_AXIS_Z},
    {"cmu_05_20_motionbuilder", 31, 1096, 120, 0.0564f, LMB_AXIS_Y},
    {"cmu_05_20_daz", 43, 1096, 120, 0.01f, LMB_AXIS_Y},
    {"brekel_kinect_body1", 49, 120, 30, 0.01f, LMB_AXIS_Y},
    {"walk_cycle_6ch", 19, 42, 24, 0.01f, LMB_AXIS_Y},
    {"B_test_yxz", 23, 1300, 40, 0.01f, LMB_AXIS_Y},
    {"bvhtoolbox_walk01", 19, 101, 24, 0.01f, LMB_AXIS_Y},
    {"wspr_walk_cmu", 31, 344, 120, 0.0564f, LMB_AXIS_Y},
    {"cmu_10_03_soccer_daz", 43, 363, 120, 0.01f, LMB_AXIS_Y},
    {"swagger_asfnames", 22, 581, 120, 0.01f, LMB_AXIS_Y},
    {"geno_bind", 75, 2, 60, 0.01f, LMB_AXIS_Y},
    {"sinusoidal_no_endsite", 4, 120, 60, 0, LMB_AXIS_Y},
    {"footskate_comp3d1_raw", 31, 48, 30, 0.0564f, LMB_AXIS_Y},
    {"xia_angry_13", 31, 140, 120, 0.0564f, LMB_AXIS_Y},
};

static void reads_the_shared_clips(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shared_clips / sizeof *shared_clips; ++i) {
        char path[128];
        snprintf(path, sizeof path, "mocap/bvh/%s.bvh", shared_clips[i].name);
        test_file file = test_shared_read(path);
        if (file.data == NULL) {
            skip();
        }
        lmb_character *c = NULL;
        lmb_bvh_info info;
        assert_int_equal(lmbi_bvh_read(file.data, file.size, &(lmbi_bvh_read_opts){.info = &info},
                                       NULL, &c, NULL),
                         LMB_OK);
        assert_int_equal(info.joint_count, shared_clips[i].joints);
        assert_int_equal(info.frame_count, shared_clips[i].frames);
        assert_float_equal(c->clips[0]->frame_rate, shared_clips[i].rate,
                           0.01f * shared_clips[i].rate);
        assert_int_equal(info.up, shared_clips[i].up);
        if (shared_clips[i].unit_m > 0) {
            assert_float_equal(info.unit_m, shared_clips[i].unit_m, 1e-4);
        }
        lmb_character_destroy(c);
        free(file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotates_in_listed_order),
        cmocka_unit_test(reads_odd_spellings),
        cmocka_unit_test(tells_replacing_from_adding_positions),
        cmocka_unit_test(keeps_the_frames_that_are_there),
        cmocka_unit_test(says_where_it_went_wrong),
        cmocka_unit_test(reads_decimal_commas_when_asked),
        cmocka_unit_test(guesses_unit_and_up),
        cmocka_unit_test(finds_legs_by_many_names),
        cmocka_unit_test(reads_ten_thousand_nested_joints),
        cmocka_unit_test(reads_the_shared_clips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
