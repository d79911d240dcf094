/// BVH streams: binary and text frames and a hierarchy, whole, cut anywhere, and among garbage.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/bvh/stream.h"
#include "io/files.h"

enum { BONES = 59, FRAME_MAX = 64 + 4 * 6 * (BONES + 1) };

#define STICK                                                                                      \
    "HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation " \
    "Xrotation Yrotation\n JOINT knee\n {\n  OFFSET 0 -50 0\n  CHANNELS 3 Zrotation Xrotation "    \
    "Yrotation\n  End Site\n  {\n   OFFSET 0 -50 0\n  }\n }\n}\nMOTION\nFrames: 99999999\nFrame "  \
    "Time: 0.01\n"

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value);
    put16(at + 2, value >> 16);
}

/// What a suit sends: version 1.1 counts frames, 1.0 does not.
static size_t write_frame(uint8_t *out, bool newer, uint32_t count, const float *values,
                          uint32_t avatar, uint32_t frame)
{
    memset(out, 0, 64);
    put16(out, 0xddff);
    out[4] = newer;
    out[5] = 1;
    if (newer) {
        put16(out + 6, count);
        put32(out + 10, avatar);
        put32(out + 46, frame);
    } else {
        put32(out + 6, count);
        put32(out + 18, avatar);
    }
    put16(out + 62, 0xeeff);
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        put32(out + 64 + 4 * k, bits);
    }
    return 64 + 4 * (size_t)count;
}

/// The numbers of frame f: the hips walk along z, the right knee bends.
static uint32_t suit_values(uint32_t f, bool positions, bool reference, float *v)
{
    uint32_t n = 0;
    for (int k = 0; k < 6 && reference; ++k) {
        v[n++] = 7;
    }
    for (int bone = 0; bone < BONES; ++bone) {
        if (positions || bone == 0) {
            v[n++] = bone == 0 ? 1.0f : 0.5f * (float)bone;
            v[n++] = bone == 0 ? 90.0f : -10;
            v[n++] = bone == 0 ? (float)f : 0;
        }
        v[n++] = bone == 0 ? 30.0f : 0;
        v[n++] = bone == 2 ? (float)f : 0;
        v[n++] = bone == 0 ? 10.0f : 0;
    }
    return n;
}

static lmbi_bvh_stream *make(const lmb_receiver_opts *opts)
{
    lmbi_bvh_stream *stream = NULL;
    assert_int_equal(lmbi_bvh_stream_create(opts, NULL, &stream, NULL), LMB_OK);
    return stream;
}

static lmb_character *take(lmbi_bvh_stream *stream)
{
    lmb_character *character = NULL;
    assert_int_equal(lmbi_bvh_stream_character(stream, NULL, &character, NULL), LMB_OK);
    return character;
}

static lmb_transform joint_at(const lmb_character *c, const char *name, double time_s)
{
    lmb_transform pose[64];
    const int32_t joint = lmb_skeleton_find(c->skeleton, name);
    assert_true(joint >= 0);
    lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                 .time_s = time_s,
                                 .joint_count = c->skeleton->joint_count,
                                 .rest = c->skeleton->rest,
                                 .pose = pose});
    return pose[joint];
}

/// R = Ry Rx Rz, the order that suits send.
static lmb_quat suit_rotation(float y, float x, float z)
{
    const float rad = 3.14159265f / 180;
    const lmb_quat qy = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), y * rad);
    const lmb_quat qx = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), x * rad);
    const lmb_quat qz = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), z * rad);
    return lmb_quat_mul(qy, lmb_quat_mul(qx, qz));
}

static void assert_rotation(lmb_quat got, lmb_quat wanted)
{
    assert_true(fabsf(lmb_quat_dot(got, wanted)) > 1 - 1e-5f);
}

static void check_suit(lmbi_bvh_stream *stream, uint32_t frames, bool positions)
{
    lmb_character *c = take(stream);
    assert_int_equal(c->skeleton->joint_count, BONES);
    assert_int_equal(c->clips[0]->channels[0].key_count, frames);
    const double last = (double)lmb_clip_duration_s(c->clips[0]);
    const lmb_transform hips = joint_at(c, "Hips", last), knee = joint_at(c, "RightLeg", last);
    assert_float_equal(hips.translation.x, 0.01, 1e-6);
    assert_float_equal(hips.translation.y, 0.9, 1e-5);
    assert_float_equal(hips.translation.z, 0.01f * (float)(frames - 1), 1e-5);
    assert_rotation(hips.rotation, suit_rotation(30, 0, 10));
    assert_rotation(knee.rotation, suit_rotation(0, (float)(frames - 1), 0));
    if (positions) {
        assert_float_equal(knee.translation.x, 0.01, 1e-6);
        assert_float_equal(c->skeleton->rest[1].translation.x, 0.005, 1e-6);
    } else {
        assert_float_equal(knee.translation.y, -0.43, 1e-5);
    }
    lmb_character_destroy(c);
}

/// All layouts of both versions, in pieces of a prime length.
static void test_binary(void **state)
{
    (void)state;
    static uint8_t bytes[20 * FRAME_MAX];
    for (int kind = 0; kind < 8; ++kind) {
        const bool newer = kind & 1, positions = kind & 2, reference = kind & 4;
        lmbi_bvh_stream *stream = make(NULL);
        size_t size = 0;
        for (uint32_t f = 0; f < 20; ++f) {
            float values[6 * (BONES + 1)];
            const uint32_t count = suit_values(f, positions, reference, values);
            size += write_frame(bytes + size, newer, count, values, 3, 1000 + f);
        }
        uint32_t frames = 0;
        for (size_t at = 0; at < size; at += 37) {
            const size_t left = size - at < 37 ? size - at : 37;
            frames +=
                lmbi_bvh_stream_receive(stream, bytes + at, left, (double)at / (double)size, false);
        }
        assert_int_equal(frames, 20);
        assert_int_equal(lmbi_bvh_stream_state(stream).malformed, 0);
        check_suit(stream, 20, positions);
        lmbi_bvh_stream_destroy(stream);
    }
}

/// Frames that are missing, late, of someone else, and a sender that begins anew.
static void test_count(void **state)
{
    (void)state;
    static const uint32_t counts[] = {500, 501, 504, 503, 505, 7, 8};
    uint8_t bytes[FRAME_MAX];
    float values[6 * (BONES + 1)];
    const uint32_t count = suit_values(0, true, false, values);
    lmbi_bvh_stream *stream = make(&(lmb_receiver_opts){.frame_rate = 100});
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        size_t size = write_frame(bytes, true, count, values, 3, counts[k]);
        lmbi_bvh_stream_receive(stream, bytes, size, 0.01 * (double)k, true);
        size = write_frame(bytes, true, count, values, 4, counts[k]);
        lmbi_bvh_stream_receive(stream, bytes, size, 0.01 * (double)k, true);
    }
    const lmbi_bvh_stream_report r = lmbi_bvh_stream_state(stream);
    assert_int_equal(r.frames, 6);
    assert_int_equal(r.ignored, 7);
    assert_int_equal(r.missed, 2);
    assert_int_equal(r.late, 1);
    assert_int_equal(r.restarts, 1);
    lmb_character *c = take(stream);
    static const float ticks[] = {0, 1, 4, 5, 6, 7};
    for (int k = 0; k < 6; ++k) {
        assert_float_equal(c->clips[0]->channels[0].ticks[k], ticks[k], 0);
    }
    assert_float_equal(lmb_clip_duration_s(c->clips[0]), 0.07, 1e-6);
    lmb_character_destroy(c);
    lmbi_bvh_stream_destroy(stream);
}

/// Text frames with an avatar before them, ended by "||", and garbage between that counts once.
static void test_text_frames(void **state)
{
    (void)state;
    static char text[64 * 1024];
    size_t size = 0;
    for (uint32_t f = 0; f < 12; ++f) {
        float values[6 * (BONES + 1)];
        const uint32_t count = suit_values(f, false, false, values);
        size += (size_t)sprintf(text + size, "0 CHAR00 ");
        for (uint32_t k = 0; k < count; ++k) {
            size += (size_t)sprintf(text + size, "%g ", (double)values[k]);
        }
        size +=
            (size_t)sprintf(text + size, "||%s", f == 5 ? "what is this\n1 2 nonsense 3||" : "");
    }
    lmbi_bvh_stream *stream = make(NULL);
    for (size_t k = 0; k < size; ++k) {
        lmbi_bvh_stream_receive(stream, text + k, 1, 0.01 * (double)k, false);
    }
    assert_int_equal(lmbi_bvh_stream_state(stream).frames, 12);
    assert_int_equal(lmbi_bvh_stream_state(stream).malformed, 1);
    check_suit(stream, 12, false);
    lmbi_bvh_stream_destroy(stream);
}

/// A BVH file that goes on for ever; a bad row is left out.
static void test_hierarchy(void **state)
{
    (void)state;
    static const char rows[] = STICK "0 95 0 0 0 0 10 0 0\n0 95 1 0 0 0 20 0 0\n0 95 oops\n"
                                     "0 95 2 0 0 0 30 0 0\r\n" STICK "0 95 3 0 0 0 40 0 0\n1 2 3\n";
    for (size_t piece = 1; piece < sizeof rows; piece += 11) {
        lmbi_bvh_stream *stream = make(NULL);
        for (size_t at = 0; at + 1 < sizeof rows; at += piece) {
            const size_t left = sizeof rows - 1 - at;
            lmbi_bvh_stream_receive(stream, rows + at, left < piece ? left : piece, 0, false);
        }
        const lmbi_bvh_stream_report r = lmbi_bvh_stream_state(stream);
        assert_int_equal(r.frames, 4);
        assert_int_equal(r.malformed, 2);
        assert_int_equal(r.ignored, 1);
        assert_float_equal(lmbi_bvh_stream_rate(stream), 100, 1e-9);
        lmb_character *c = take(stream);
        assert_float_equal(lmb_clip_duration_s(c->clips[0]), 0.03, 1e-6);
        const lmb_quat rotation = joint_at(c, "knee", 0.02).rotation;
        assert_float_equal((double)fabsf(rotation.z), 0.258819, 1e-5);
        lmb_character_destroy(c);
        lmbi_bvh_stream_destroy(stream);
    }
}

/// A skeleton given in advance defines the channels, whatever the bones of the stream have.
static void test_given_skeleton(void **state)
{
    (void)state;
    static const char own[] = "0 95 1 0 0 0 20 0 0\n0 95 2 0 0 0 40 0 0\n";
    static const char positions[] = "0 95 1 0 0 0 0 -50 0 20 0 0\n0 95 2 0 0 0 0 -50 0 40 0 0\n";
    for (int kind = 0; kind < 2; ++kind) {
        const char *text = kind == 0 ? own : positions;
        lmbi_bvh_stream *stream = make(&(lmb_receiver_opts){
            .skeleton = STICK, .skeleton_size = strlen(STICK), .order = "zxy", .unit_m = 0.01f});
        assert_int_equal(lmbi_bvh_stream_receive(stream, text, strlen(text), 0, true), 2);
        lmb_character *c = take(stream);
        assert_float_equal((double)fabsf(joint_at(c, "knee", 1).rotation.z), 0.342020, 1e-5);
        assert_float_equal(joint_at(c, "hips", 1).translation.z, 0.02, 1e-6);
        lmb_character_destroy(c);
        lmbi_bvh_stream_destroy(stream);
    }
    lmbi_bvh_stream *none = NULL;
    lmb_error error = {0};
    const lmb_receiver_opts bad = {.skeleton = "HIERARCHY\nROOT", .skeleton_size = 14};
    assert_int_equal(lmbi_bvh_stream_create(&bad, NULL, &none, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(
        lmbi_bvh_stream_create(&(lmb_receiver_opts){.order = "xxz"}, NULL, &none, &error),
        LMB_ERROR_INVALID);
    assert_null(none);
}

/// Garbage of every kind leaves nothing behind, and the next frame is read.
static void test_garbage(void **state)
{
    (void)state;
    uint8_t bytes[FRAME_MAX];
    float values[6 * (BONES + 1)];
    const uint32_t count = suit_values(0, true, false, values);
    lmbi_bvh_stream *stream = make(NULL);
    const size_t size = write_frame(bytes, true, count, values, 0, 5);
    lmbi_bvh_stream_receive(stream, "\xff\xdd short", 8, 0, true);
    lmbi_bvh_stream_receive(stream, bytes, size - 1, 0, true);
    lmbi_bvh_stream_receive(stream, "HIER", 4, 0, true);
    bytes[62] = 0;
    lmbi_bvh_stream_receive(stream, bytes, size, 0, true);
    bytes[62] = 0xff;
    values[3] = (float)NAN;
    (void)write_frame(bytes, true, count, values, 0, 6);
    lmbi_bvh_stream_receive(stream, bytes, size, 0, true);
    (void)write_frame(bytes, true, count - 1, values, 0, 6);
    lmbi_bvh_stream_receive(stream, bytes, size - 4, 0, true);
    assert_int_equal(lmbi_bvh_stream_state(stream).malformed, 6);
    assert_int_equal(lmbi_bvh_stream_state(stream).frames, 0);
    lmb_character *none = NULL;
    assert_int_equal(lmbi_bvh_stream_character(stream, NULL, &none, NULL), LMB_ERROR_INVALID);
    values[3] = 30;
    (void)write_frame(bytes, true, count, values, 0, 7);
    assert_int_equal(lmbi_bvh_stream_receive(stream, bytes, size, 0, true), 1);
    lmbi_bvh_stream_destroy(stream);
}

/// Frames that come unevenly are shown evenly: 100 a second, each up to 30 ms late.
static void test_play(void **state)
{
    (void)state;
    static const double late_ms[] = {0, 12, 30, 3, 25, 0, 17, 8};
    uint8_t bytes[FRAME_MAX];
    float values[6 * (BONES + 1)];
    lmb_transform pose[BONES];
    lmbi_bvh_stream *stream = make(&(lmb_receiver_opts){.frame_rate = 100});
    assert_false(lmbi_bvh_stream_pose(stream, 0, pose));
    double arrived = 0;
    for (uint32_t f = 0; f < 60; ++f) {
        const uint32_t count = suit_values(f, true, false, values);
        const size_t size = write_frame(bytes, true, count, values, 0, f);
        const double came = 0.01 * f + 1e-3 * late_ms[f % 8];
        arrived = came > arrived ? came : arrived;
        lmbi_bvh_stream_receive(stream, bytes, size, arrived, true);
        if (f == 0) {
            lmb_character_destroy(take(stream));
        }
        // What is shown is 50 ms old, however late the last frame came.
        if (f > 16) {
            const double shown = arrived - 0.05;
            assert_true(lmbi_bvh_stream_pose(stream, arrived, pose));
            assert_float_equal((double)pose[0].translation.z, shown, 1e-5);
        }
    }
    lmbi_bvh_stream_destroy(stream);
}

/// As a character has it, so does a pose.
static void test_pose(void **state)
{
    (void)state;
    static const char text[] = STICK "3 4 95 10 20 30 40 5 6\n";
    lmb_transform pose[2];
    lmbi_bvh_stream *stream =
        make(&(lmb_receiver_opts){.up = LMB_AXIS_Z, .unit_m = 0.01f, .delay_s = 1e-6});
    assert_int_equal(lmbi_bvh_stream_receive(stream, text, sizeof text - 1, 0, true), 1);
    lmb_character *c = take(stream);
    assert_true(lmbi_bvh_stream_pose(stream, 1, pose));
    for (uint32_t j = 0; j < 2; ++j) {
        const lmb_transform wanted = joint_at(c, c->skeleton->names[j], 0);
        assert_rotation(pose[j].rotation, wanted.rotation);
        assert_true(lmb_vec3_distance(pose[j].translation, wanted.translation) < 1e-6f);
    }
    lmb_character_destroy(c);
    lmbi_bvh_stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),         cmocka_unit_test(test_count),
        cmocka_unit_test(test_text_frames),    cmocka_unit_test(test_hierarchy),
        cmocka_unit_test(test_given_skeleton), cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_play),           cmocka_unit_test(test_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
