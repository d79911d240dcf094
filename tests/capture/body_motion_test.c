// Poses of SMPL without a model: on an average body, out of any clip, and as an archive.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/bytes.h"
#include "io/files.h"
#include "io/npz.h"
#include "marker_named.h"

static const float quarter = LMB_PI / 2;

static void near(lmb_vec3 p, float x, float y, float z)
{
    if (fabsf(p.x - x) > 2e-5f || fabsf(p.y - y) > 2e-5f || fabsf(p.z - z) > 2e-5f) {
        fail_msg("%g %g %g is not %g %g %g", (double)p.x, (double)p.y, (double)p.z, (double)x,
                 (double)y, (double)z);
    }
}

static lmb_vec3 rotations[2 * 55], translations[2];
static float shape[3] = {0.5f, -1, 0.25f};

/// Two frames of somebody who stands along +Z, as AMASS has it; in the second the left elbow (18)
/// bends forward, and the body turns to its left.
static lmb_body_motion make_motion(uint32_t joint_count)
{
    memset(rotations, 0, sizeof rotations);
    rotations[0] = lmb_vec3_make(quarter, 0, 0);
    // About z first in the world: Rz(90) Rx(90), a third of a turn about (1 1 1).
    const float third = 2 * LMB_PI / 3 / sqrtf(3);
    rotations[joint_count] = lmb_vec3_make(third, third, third);
    rotations[joint_count + 18] = lmb_vec3_make(0, -quarter, 0);
    translations[0] = lmb_vec3_make(0.1f, 0.2f, 0.9f);
    translations[1] = lmb_vec3_make(0.1f, -0.8f, 0.9f);
    return (lmb_body_motion){.frame_count = 2,
                             .joint_count = joint_count,
                             .shape_count = 3,
                             .frame_rate = 59.94f,
                             .rotations = rotations,
                             .translations = translations,
                             .shape = shape};
}

static lmb_vec3 position_of(const lmb_character *c, const char *name, uint32_t frame)
{
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_of_clip(c, 0, 0, NULL, &markers, NULL), LMB_OK);
    const int32_t joint = marker_named(markers, name);
    assert_true(joint >= 0 && markers->frame_count == 2);
    const lmb_vec3 p = markers->positions[frame * markers->marker_count + (uint32_t)joint];
    lmb_markers_destroy(markers);
    return p;
}

static void a_motion_stands_up_on_an_average_body(void **state)
{
    (void)state;
    const uint32_t counts[4] = {22, 24, 52, 55};
    for (int k = 0; k < 4; ++k) {
        const lmb_body_motion motion = make_motion(counts[k]);
        assert_int_equal(lmb_body_motion_up(&motion), LMB_AXIS_Z);
        lmb_character *c = NULL;
        assert_int_equal(lmb_body_motion_character(&motion, NULL, NULL, &c, NULL), LMB_OK);
        assert_int_equal(c->skeleton->joint_count, counts[k]);
        const lmb_vec3 pelvis = position_of(c, "pelvis", 0),
                       wrist = position_of(c, "left_wrist", 0);
        // Translation and the pelvis' place, (0.1 -0.03 0.93) with +Z up.
        near(pelvis, 0.1f, 0.93f, 0.03f);
        // A T-pose that faces +Z: the arm is 0.564 long, from 0.185 beside and 0.46 above.
        near(wrist, 0.1f + 0.749f, 0.93f + 0.46f, 0.03f);
        // Turned to the left it faces +X, and its left is -Z; the forearm, 0.248, points forward.
        const lmb_vec3 elbow = position_of(c, "left_elbow", 1);
        near(elbow, 0.1f, 0.93f + 0.46f, 1.03f - 0.501f);
        near(position_of(c, "left_wrist", 1), elbow.x + 0.248f, elbow.y, elbow.z);
        lmb_character_destroy(c);
    }
}

static void fingers_hang_in_chains(void **state)
{
    (void)state;
    const lmb_body_motion motion = make_motion(52);
    lmb_character *c = NULL;
    assert_int_equal(lmb_body_motion_character(&motion, NULL, NULL, &c, NULL), LMB_OK);
    static const char *const chain[] = {"right_wrist", "right_thumb1", "right_thumb2",
                                        "right_thumb3"};
    for (int k = 1; k < 4; ++k) {
        const int32_t joint = lmb_skeleton_find(c->skeleton, chain[k]);
        assert_true(joint >= 0);
        assert_int_equal(c->skeleton->parents[joint], lmb_skeleton_find(c->skeleton, chain[k - 1]));
    }
    lmb_character_destroy(c);
}

static void other_bodies_are_refused(void **state)
{
    (void)state;
    lmb_body_motion motion = make_motion(52);
    lmb_character *c = NULL;
    lmb_error error = {0};
    motion.joint_count = 30;
    assert_int_equal(lmb_body_motion_character(&motion, NULL, NULL, &c, &error),
                     LMB_ERROR_UNSUPPORTED);
    motion.joint_count = 24;
    motion.frame_count = 0;
    assert_int_equal(lmb_body_motion_character(&motion, NULL, NULL, &c, &error), LMB_ERROR_INVALID);
    assert_null(c);
}

static void feet_far_from_the_ground_are_put_on_it(void **state)
{
    (void)state;
    const lmb_body_motion motion = make_motion(24);
    translations[0].z = translations[1].z = -0.1f;
    lmb_notes notes = {0};
    const lmb_body_motion_character_opts opts = {.notes = &notes};
    lmb_character *c = NULL;
    assert_int_equal(lmb_body_motion_character(&motion, &opts, NULL, &c, NULL), LMB_OK);
    assert_int_equal(notes.count, 1);
    assert_true(fabsf(position_of(c, "left_foot", 0).y - 0.02f) < 1e-5f);
    lmb_character_destroy(c);
}

static void archives_read_back(void **state)
{
    (void)state;
    const lmb_body_motion motion = make_motion(52);
    lmb_buffer file = {0};
    assert_int_equal(lmb_body_motion_write(&motion, NULL, &file, NULL), LMB_OK);
    lmb_body_motion *again = NULL;
    lmbi_npz *npz = NULL;
    assert_int_equal(lmb_body_motion_read(file.data, file.size, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again->joint_count, 52);
    assert_true(again->frame_rate == 59.94f);
    assert_memory_equal(again->rotations, rotations, 2 * 52 * sizeof *rotations);
    assert_memory_equal(again->translations, translations, sizeof translations);
    assert_memory_equal(again->shape, shape, sizeof shape);
    assert_int_equal(lmbi_npz_read(file.data, file.size, NULL, &npz, NULL), LMB_OK);
    const lmbi_npz_array *gender = lmbi_npz_find(npz, "gender");
    assert_true(gender->type == LMBI_NUMBER_TEXT && gender->item_size == 28);
    assert_int_equal(lmbi_npz_find(npz, "poses")->shape[1], 156);
    // The directory of a zip ends where its 22 last bytes begin (APPNOTE 4.3.16).
    const uint8_t *end = file.data + file.size - 22;
    assert_int_equal(lmbi_load_u32(end + 16) + lmbi_load_u32(end + 12), file.size - 22);
    assert_int_equal(lmbi_load_u32(file.data + lmbi_load_u32(end + 16)), 0x02014b50);
    lmbi_npz_destroy(npz);
    lmb_body_motion_destroy(again);
    lmb_buffer_free(&file);
}

/// A clip of SMPL's own skeleton in T-pose is what it was, but for the size of the body.
static void a_clip_becomes_poses_and_comes_back(void **state)
{
    (void)state;
    const lmb_body_motion motion = make_motion(24);
    lmb_character *c = NULL, *back = NULL;
    lmb_body_motion *out = NULL;
    assert_int_equal(lmb_body_motion_character(&motion, NULL, NULL, &c, NULL), LMB_OK);
    const lmb_body_motion_opts opts = {.joint_count = 24};
    assert_int_equal(lmb_body_motion_of_clip(c, 0, &opts, NULL, &out, NULL), LMB_OK);
    assert_int_equal(out->frame_count, 2);
    assert_int_equal(lmb_body_motion_up(out), LMB_AXIS_Z);
    for (int j = 0; j < 2 * 24; ++j) {
        near(out->rotations[j], rotations[j].x, rotations[j].y, rotations[j].z);
    }
    near(out->translations[1], 0.1f, -0.8f, 0.9f);
    assert_int_equal(lmb_body_motion_character(out, NULL, NULL, &back, NULL), LMB_OK);
    const lmb_vec3 hand = position_of(c, "left_hand", 1);
    near(position_of(back, "left_hand", 1), hand.x, hand.y, hand.z);
    lmb_character_destroy(back);
    lmb_character_destroy(c);
    lmb_body_motion_destroy(out);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    const lmb_body_motion motion = make_motion(24);
    for (int calls = 0;; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_character *c = NULL;
        lmb_body_motion *out = NULL;
        lmb_buffer file = {0};
        const bool done = lmb_body_motion_character(&motion, NULL, &alloc, &c, NULL) == LMB_OK &&
                          lmb_body_motion_of_clip(c, 0, NULL, &alloc, &out, NULL) == LMB_OK &&
                          lmb_body_motion_write(out, &alloc, &file, NULL) == LMB_OK;
        lmb_character_destroy(c);
        lmb_body_motion_destroy(out);
        lmb_buffer_free(&file);
        assert_int_equal(failing.held, 0);
        if (done) {
            return;
        }
        assert_true(calls < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_stands_up_on_an_average_body),
        cmocka_unit_test(fingers_hang_in_chains),
        cmocka_unit_test(other_bodies_are_refused),
        cmocka_unit_test(feet_far_from_the_ground_are_put_on_it),
        cmocka_unit_test(archives_read_back),
        cmocka_unit_test(a_clip_becomes_poses_and_comes_back),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
