// Packets as the OSC and VMC pages give them, byte by byte, and frames that come early, late, torn
// and twice.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "io/stream/osc.h"
#include "io/stream/vmc.h"
#include "made_bodies.h"

static void is_written_byte_by_byte(void **state)
{
    (void)state;
    static const uint8_t expected[32] = "/VMC/Ext/Blend/Val\0\0,sf\0A\0\0\0\x3f\0\0\0";
    uint8_t bytes[64];
    lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
    lmbi_osc_write(&out, "/VMC/Ext/Blend/Val", "sf", "A", 0.5);
    assert_false(out.full);
    assert_int_equal(out.size, 32);
    assert_memory_equal(bytes, expected, 32);
    out = (lmbi_osc_out){.bytes = bytes, .capacity = 31};
    lmbi_osc_write(&out, "/VMC/Ext/Blend/Val", "sf", "A", 0.5);
    assert_true(out.full);
}

static void count_message(void *user, const lmbi_osc_message *message)
{
    *(int *)user += message->argument_count > 0 ? 100 : 1;
}

static lmb_result read(const void *bytes, size_t size, int *count)
{
    // An allocation of that very size, so that a sanitizer sees a read past it.
    uint8_t *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, bytes, size);
    const lmb_result result = lmbi_osc_read(exact, size, count_message, count, NULL);
    free(exact);
    return result;
}

static void malformed_packets_are_refused_whole(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {
        {"", 0},
        {"/ab", 3},
        {"/abc", 4}, // no end
        {"abc", 4},
        {"/a\0\0if\0\0", 8}, // no comma
        {"/a\0\0,f\0\0", 8}, // no argument
        {"/a\0\0,q\0\0\0\0\0\0", 12},
        {"/a\0\0,b\0\0\x7f\xff\xff\xff", 12},
        {"#bundle\0\0\0\0\0\0\0\0\1\0\0\0\x08/a\0\0", 24}, // an element past the end
        {"#bundle\0\0\0\0\0\0\0\0\1\0\0\0\4/a\0\0\0\0\0\5/b\0\0\0\0\0\0", 36}, // five bytes
        {"#bundle\0\0\0\0\0\0\0\0\1\0\0\0\4/a\0\0\0\0\0\4b\0\0", 32},          // the second is bad
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        int count = 0;
        assert_int_equal(read(bad[k].bytes, bad[k].size, &count), LMB_ERROR_MALFORMED);
        assert_int_equal(count, 0);
    }
    int count = 0;
    assert_int_equal(read("#bundle\0\0\0\0\0\0\0\0\1\0\0\0\4/a\0\0\0\0\0\4/b\0\0", 32, &count),
                     LMB_OK);
    assert_int_equal(count, 2);
    uint8_t deep[16 + 20 * 8] = {0};
    for (size_t k = 0; k <= 8; ++k) {
        memcpy(deep + 20 * k, "#bundle\0\0\0\0\0\0\0\0\1", 16);
        if (k < 8) {
            deep[20 * k + 19] = (uint8_t)(sizeof deep - 20 * (k + 1));
        }
    }
    assert_int_equal(read(deep, sizeof deep, &count), LMB_ERROR_MALFORMED);
}

/// A left arm raised forward, in Unity: Unity's X is to the right, its turns are left-handed.
static void unity_is_mirrored(void **state)
{
    (void)state;
    uint8_t bytes[256];
    lmbi_vmc *vmc = NULL;
    lmb_vmc_frame frame;
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
    lmbi_osc_bundle(&out);
    const double h = sqrt(0.5);
    // In Unity the left arm points along -X; a quarter turn about +Y takes -X to +Z: forward.
    lmbi_osc_write(&out, "/VMC/Ext/Bone/Pos", "sfffffff", "LeftUpperArm", -0.1, 0.5, 0.25, 0.0, h,
                   0.0, h);
    assert_int_equal(lmbi_vmc_receive(vmc, bytes, out.size, 1), 0);
    assert_int_equal(lmbi_vmc_flush(vmc, 1), 1);
    assert_true(lmbi_vmc_next(vmc, &frame));
    assert_true(frame.bones == UINT64_C(1) << LMB_HUMAN_LEFT_UPPER_ARM);
    const lmb_transform arm = frame.local[LMB_HUMAN_LEFT_UPPER_ARM];
    assert_true(fabsf(arm.translation.x - 0.1f) < 1e-6f);
    assert_true(fabsf(arm.translation.z - 0.25f) < 1e-6f);
    const lmb_vec3 forward = lmb_quat_rotate(arm.rotation, lmb_vec3_make(1, 0, 0));
    assert_true(forward.z > 0.999f);
    lmbi_vmc_destroy(vmc);
}

static lmb_vmc_frame still(double time)
{
    lmb_vmc_frame frame = {.time_s = time, .root = lmb_transform_identity()};
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        frame.local[bone] = lmb_transform_identity();
        frame.local[bone].translation = lmb_vec3_make((float)bone, (float)time, 0.5f);
        frame.bones |= UINT64_C(1) << bone;
    }
    return frame;
}

static uint32_t send(lmbi_vmc *vmc, double time, double now)
{
    uint8_t bytes[LMB_VMC_PACKET];
    const lmb_vmc_frame frame = still(time);
    const size_t size = lmb_vmc_write(&frame, bytes, sizeof bytes);
    assert_true(size > 0);
    return lmbi_vmc_receive(vmc, bytes, size, now);
}

static void every_frame_comes_through(void **state)
{
    (void)state;
    lmbi_vmc *vmc = NULL;
    lmb_vmc_frame frame;
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    uint32_t taken = 0;
    for (int k = 0; k < 100; ++k) {
        (void)send(vmc, 10 + k / 60.0, 1 + k / 60.0);
        while (lmbi_vmc_next(vmc, &frame)) {
            const lmb_vmc_frame sent = still(10 + taken / 60.0);
            assert_true(frame.bones == sent.bones);
            assert_true(fabs(frame.time_s - sent.time_s) < 1e-5);
            assert_memory_equal(frame.local, sent.local, 10 * sizeof(lmb_transform));
            ++taken;
        }
    }
    taken += lmbi_vmc_flush(vmc, 3);
    assert_int_equal(taken, 100);
    // One that comes too late, one that never came, and a sender that begins anew.
    (void)lmbi_vmc_next(vmc, &frame);
    (void)send(vmc, 10 + 50 / 60.0, 3);
    (void)send(vmc, 10 + 102 / 60.0, 3.1);
    (void)send(vmc, 0.5, 3.2);
    const lmbi_vmc_report report = lmbi_vmc_state(vmc);
    assert_int_equal(report.late, 1);
    assert_int_equal(report.missed, 2);
    assert_int_equal(report.restarts, 1);
    assert_int_equal(report.malformed, 0);
    lmbi_vmc_destroy(vmc);
}

static const char *const shape_names[3] = {"Joy", "Blink_L", "aa"};

static void send_shapes(lmbi_vmc *vmc, double time, const float *values, uint32_t count)
{
    uint8_t bytes[LMB_VMC_PACKET];
    lmb_vmc_frame frame = still(time);
    frame.shape_count = count;
    frame.shape_names = shape_names;
    for (uint32_t k = 0; k < count; ++k) {
        frame.shapes[k] = values[k];
    }
    (void)lmbi_vmc_receive(vmc, bytes, lmb_vmc_write(&frame, bytes, sizeof bytes), time);
}

static void send_one_shape(lmbi_vmc *vmc, double value)
{
    uint8_t bytes[64];
    lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
    lmbi_osc_write(&out, "/VMC/Ext/Blend/Val", "sf", "aa", value);
    (void)lmbi_vmc_receive(vmc, bytes, out.size, 1);
}

/// The bytes of the protocol, values that stay until told anew and count when they are applied.
static void blend_shapes_come_through(void **state)
{
    (void)state;
    static const uint8_t known[] = "/VMC/Ext/Blend/Val\0\0,sf\0A\0\0\0\x3f\0\0\0";
    uint8_t bytes[64];
    lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
    lmbi_osc_write(&out, "/VMC/Ext/Blend/Val", "sf", "A", 0.5);
    assert_int_equal(out.size, 32);
    assert_memory_equal(bytes, known, 32);
    lmbi_vmc *vmc = NULL;
    lmb_vmc_frame frame;
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    send_shapes(vmc, 1.0, (float[]){0.25f, 1}, 2);
    send_shapes(vmc, 1.1, (float[]){0.75f, 0, 0.5f}, 3);
    send_one_shape(vmc, 0.9);         // told, and never applied before the next frame ends
    send_one_shape(vmc, (double)NAN); // dropped
    send_shapes(vmc, 1.2, NULL, 0);
    (void)lmbi_vmc_flush(vmc, 2);
    assert_true(lmbi_vmc_next(vmc, &frame));
    assert_int_equal(frame.shape_count, 2);
    assert_true(lmbi_vmc_next(vmc, &frame));
    assert_int_equal(frame.shape_count, 3);
    assert_string_equal(frame.shape_names[1], "Blink_L");
    assert_float_equal(frame.shapes[0], 0.75f, 0);
    assert_float_equal(frame.shapes[2], 0.5f, 0);
    assert_true(lmbi_vmc_next(vmc, &frame));
    assert_float_equal(frame.shapes[0], 0.75f, 0);
    assert_float_equal(frame.shapes[2], 0.5f, 0);
    assert_int_equal(lmbi_vmc_state(vmc).ignored, 1);
    lmbi_vmc_destroy(vmc);
}

/// Packets that come up to 40 ms late, evenly played all the same.
static void jitter_is_evened_out(void **state)
{
    (void)state;
    lmbi_vmc *vmc = NULL;
    lmb_vmc_frame frame;
    lmb_random random = lmb_random_seed(3);
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    double shown = 0, now = 0;
    int sent = 0;
    for (int k = 0; k < 400; ++k) {
        // The next to come, and what is shown meanwhile every 5 ms.
        const double due = sent / 60.0 + (double)lmb_random_range(&random, 0, 0.02f);
        for (; now < due; now += 0.005) {
            if (now > 1 && lmbi_vmc_play(vmc, now, &frame)) {
                const double height = (double)frame.local[LMB_HUMAN_HIPS].translation.y - 100;
                if (shown > 0) {
                    assert_true(fabs(height - shown - 0.005) < 5e-4);
                }
                shown = height;
            }
        }
        (void)send(vmc, 100 + sent / 60.0, due);
        ++sent;
    }
    lmbi_vmc_destroy(vmc);
}

static void torn_packets_are_counted(void **state)
{
    (void)state;
    lmbi_vmc *vmc = NULL;
    uint8_t bytes[LMB_VMC_PACKET];
    const lmb_vmc_frame frame = still(1);
    const size_t size = lmb_vmc_write(&frame, bytes, sizeof bytes);
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    for (size_t cut = 0; cut < size; cut += 3) {
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, bytes, cut);
        (void)lmbi_vmc_receive(vmc, exact, cut, 1);
        free(exact);
    }
    const lmbi_vmc_report report = lmbi_vmc_state(vmc);
    assert_true(report.malformed > report.packets * 9 / 10);
    bytes[100] = 0xff;
    lmbi_vmc_destroy(vmc);
}

static void positions_that_are_no_numbers_are_ignored(void **state)
{
    (void)state;
    uint8_t bytes[256];
    lmbi_vmc *vmc = NULL;
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    static const double bad[3] = {(double)NAN, (double)INFINITY, 1e30};
    for (int k = 0; k < 3; ++k) {
        lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
        lmbi_osc_write(&out, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", bad[k], 0.0, 0.0, 0.0, 0.0,
                       0.0, 1.0);
        assert_int_equal(lmbi_vmc_receive(vmc, bytes, out.size, 1), 0);
    }
    lmbi_osc_out out = {.bytes = bytes, .capacity = sizeof bytes};
    lmbi_osc_write(&out, "/VMC/Ext/Bone/Pos", "sfffffff", "Hips", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                   0.0);
    (void)lmbi_vmc_receive(vmc, bytes, out.size, 1);
    assert_int_equal(lmbi_vmc_flush(vmc, 1), 0);
    assert_int_equal(lmbi_vmc_state(vmc).ignored, 4);
    lmbi_vmc_destroy(vmc);
}

/// Pose by pose comes out what the whole clip does.
static void live_is_what_retargeting_is(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WAVE),
                  *target = test_skeleton(&(test_shape){.arms_down_rad = 0.7f, .rolled = true});
    lmb_clip *clip = NULL;
    lmb_live *live = NULL;
    assert_int_equal(lmb_retarget(target, source, 0, &(lmb_retarget_opts){.no_lock_feet = true},
                                  NULL, &clip, NULL, NULL),
                     LMB_OK);
    assert_int_equal(lmb_live_create(target, source, NULL, NULL, &live, NULL), LMB_OK);
    const lmb_skeleton *from = source->skeleton, *to = target->skeleton;
    lmb_transform *pose = malloc(from->joint_count * sizeof *pose),
                  *got = malloc(to->joint_count * sizeof *got),
                  *want = malloc(to->joint_count * sizeof *want);
    for (int k = 0; k < 30; ++k) {
        const double t = k * 0.1;
        lmb_sample(&(lmb_sample_job){.clip = source->clips[0],
                                     .time_s = t,
                                     .joint_count = from->joint_count,
                                     .rest = from->rest,
                                     .pose = pose});
        lmb_live_step(live, pose, got);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = t,
                                     .joint_count = to->joint_count,
                                     .rest = to->rest,
                                     .pose = want});
        for (uint32_t j = 0; j < to->joint_count; ++j) {
            assert_true(lmb_quat_angle(got[j].rotation, want[j].rotation) < 2e-3f);
            assert_true(lmb_vec3_distance(got[j].translation, want[j].translation) < 0.02f);
        }
    }
    free(pose);
    free(got);
    free(want);
    lmb_live_destroy(live);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

/// Sent out by a body that rests in A-pose, received, and put back on a body in T-pose: the places
/// of the source.
static void there_and_back(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WAVE), *received = NULL;
    lmb_live *out = NULL;
    lmbi_vmc *vmc = NULL;
    lmb_vmc_frame frames[32] = {{0}};
    const lmb_skeleton *from = source->skeleton;
    lmb_transform *pose = malloc(from->joint_count * sizeof *pose),
                  *unused = malloc(from->joint_count * sizeof *unused);
    assert_int_equal(lmb_live_create(source, source, NULL, NULL, &out, NULL), LMB_OK);
    assert_int_equal(lmbi_vmc_create(0, NULL, &vmc, NULL), LMB_OK);
    uint32_t count = 0;
    for (int k = 0; k < 32; ++k) {
        uint8_t bytes[LMB_VMC_PACKET];
        lmb_vmc_frame frame = {.time_s = k / 32.0};
        lmb_sample(&(lmb_sample_job){.clip = source->clips[0],
                                     .time_s = k / 32.0,
                                     .joint_count = from->joint_count,
                                     .rest = from->rest,
                                     .pose = pose});
        lmb_live_step(out, pose, unused);
        lmb_live_frame(out, &frame);
        (void)lmbi_vmc_receive(vmc, bytes, lmb_vmc_write(&frame, bytes, sizeof bytes),
                               frame.time_s);
        while (lmbi_vmc_next(vmc, &frames[count])) {
            ++count;
        }
    }
    (void)lmbi_vmc_flush(vmc, 2);
    count += lmbi_vmc_next(vmc, &frames[count]);
    assert_int_equal(count, 32);
    assert_int_equal(lmb_vmc_character(frames, count, NULL, &received, NULL), LMB_OK);
    assert_int_equal(received->clips[0]->channels[0].key_count, 32);
    for (int k = 0; k < 32; ++k) {
        lmb_transform *a = test_pose(source, source->clips[0], k / 32.0),
                      *b = test_pose(received, received->clips[0], k / 32.0);
        for (uint32_t j = 0; j < from->joint_count; ++j) {
            const int32_t i = lmb_skeleton_find(received->skeleton, from->names[j]);
            assert_true(i < 0 || lmb_vec3_distance(a[j].translation, b[i].translation) < 1e-4f);
        }
        free(a);
        free(b);
    }
    free(pose);
    free(unused);
    lmbi_vmc_destroy(vmc);
    lmb_live_destroy(out);
    lmb_character_destroy(received);
    lmb_character_destroy(source);
}

static void nothing_is_no_recording(void **state)
{
    (void)state;
    lmb_character *out = NULL;
    lmb_vmc_frame frame = {.bones = 2};
    assert_int_equal(lmb_vmc_character(&frame, 0, NULL, &out, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmb_vmc_character(&frame, 1, NULL, &out, NULL), LMB_ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_written_byte_by_byte),
        cmocka_unit_test(malformed_packets_are_refused_whole),
        cmocka_unit_test(unity_is_mirrored),
        cmocka_unit_test(every_frame_comes_through),
        cmocka_unit_test(blend_shapes_come_through),
        cmocka_unit_test(jitter_is_evened_out),
        cmocka_unit_test(torn_packets_are_counted),
        cmocka_unit_test(positions_that_are_no_numbers_are_ignored),
        cmocka_unit_test(live_is_what_retargeting_is),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(nothing_is_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
