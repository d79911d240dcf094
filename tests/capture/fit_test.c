// Points over time whose joint angles are known: the joints of clips, and markers stuck to them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture/recordings.h"
#include "io/bvh/bvh.h"
#include "io/files.h"
#include "marker_named.h"

static lmb_fit *fit(const lmb_character *character, const lmb_markers *points,
                    const lmb_fit_opts *opts)
{
    lmb_fit *out = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_fit_points(character, points, opts, NULL, &out, &error);
    if (result != LMB_OK) {
        fail_msg("%s: expected %s, found %s", lmb_result_name(result), error.expected, error.found);
    }
    return out;
}

static lmb_character *captured(const char *path)
{
    lmb_character *out = NULL;
    test_file file = test_shared_read(path);
    if (file.data == NULL) {
        skip();
    }
    assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &out, NULL), LMB_OK);
    free(file.data);
    return out;
}

/// Fits the points of `truth` to its own body, whose joints must be this near, in the mean and at worst.
static lmb_fit *fit_within(const lmb_character *truth, const lmb_markers *points, float rate,
                           const lmb_fit_opts *opts, double most_mean, double most_worst)
{
    lmb_fit *found = fit(truth, points, opts);
    double mean, worst;
    test_compare(found->subject, found->clip, truth, rate, &mean, &worst);
    assert_true(mean < most_mean && worst < most_worst);
    return found;
}

static void own_joints_come_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *truth = test_motion((lmb_motion_kind)kind);
        lmb_markers *points = test_record_joints(truth, 60);
        lmb_fit_destroy(fit_within(truth, points, 60, &(lmb_fit_opts){.free = true}, 2e-5, 3e-4));
        // The jump bends knees and ankles farther than people do.
        lmb_fit *found = fit_within(truth, points, 60, NULL, 2e-3, 3e-2);
        assert_int_equal(found->kind, LMB_FIT_POSITIONS);
        assert_int_equal(found->used_count, points->marker_count);
        assert_true(fabsf(found->scale - 1) < 1e-3f && found->length_change < 2e-3f);
        lmb_fit_destroy(found);
        lmb_markers_destroy(points);
        lmb_character_destroy(truth);
    }
}

/// The bones of a body of other proportions are found from its joints' places.
static void lengths_are_found(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *other = test_skeleton(&(test_shape){.scale = 1.3f, .knees_up = 0.05f});
    lmb_markers *points = test_record_joints(source, 60);
    lmb_fit *found = fit(other, points, NULL);
    double mean, worst;
    test_compare(found->subject, found->clip, source, 60, &mean, &worst);
    assert_true(mean < 1e-3 && worst < 1e-2);
    assert_true(fabsf(found->scale - 1 / 1.3f) < 0.01f);
    for (uint32_t j = 1; j < source->skeleton->joint_count; ++j) {
        const int32_t k = lmb_skeleton_find(found->subject, source->skeleton->names[j]);
        const float was = lmb_vec3_length(source->skeleton->rest[j].translation),
                    now = lmb_vec3_length(found->subject->rest[k].translation);
        assert_true(fabsf(now - was) < 0.01f * was + 1e-4f);
    }
    lmb_fit_destroy(found);
    lmb_markers_destroy(points);
    lmb_character_destroy(other);
    lmb_character_destroy(source);
}

/// Captured motions: places within a hundredth of a millimetre in the mean where joints may bend as
/// they did.
static void captured_joints_come_back(void **state)
{
    (void)state;
    lmb_character *truth = captured("mocap/bvh/cmu_12_01_walk.bvh");
    lmb_markers *points = test_record_joints(truth, 120);
    lmb_fit_destroy(fit_within(truth, points, 120, &(lmb_fit_opts){.free = true}, 2e-5, 1e-3));
    lmb_fit_destroy(fit_within(truth, points, 120, NULL, 1e-3, 3e-2));
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

/// A hand that is not seen for a third of a second comes through smoothly.
static void gaps_are_filled(void **state)
{
    (void)state;
    lmb_character *truth = test_motion(LMB_MOTION_WAVE);
    lmb_markers *points = test_record_joints(truth, 60);
    const int32_t hand = marker_named(points, "rightHand");
    for (uint32_t f = 20; f < 40 && f < points->frame_count; ++f) {
        points->seen[f * points->marker_count + (uint32_t)hand] = 0;
    }
    lmb_fit *found = fit(truth, points, NULL);
    double mean, worst;
    test_compare(found->subject, found->clip, truth, 60, &mean, &worst);
    assert_int_equal(found->filled_frames, 20);
    assert_int_equal(found->points[hand].gap_count, 1);
    assert_true(mean < 5e-3 && worst < 0.25);
    lmb_fit_destroy(found);
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

/// Mean distance of one joint of the fit from the truth's, metres.
static double joint_error(const lmb_fit *found, const lmb_character *truth, float rate,
                          const char *name)
{
    const lmb_character shown = {.skeleton = found->subject};
    const int32_t j = lmb_skeleton_find(found->subject, name);
    double sum = 0;
    for (uint32_t f = 0; f < found->frame_count; ++f) {
        lmb_transform *a = test_pose(&shown, found->clip, (double)f / (double)rate),
                      *b = test_pose(truth, truth->clips[0], (double)f / (double)rate);
        sum += (double)lmb_vec3_distance(a[j].translation, b[j].translation);
        free(a);
        free(b);
    }
    return sum / found->frame_count;
}

/// Markers stuck to a captured walk, centimetres off their usual places: what the motion tells
/// (joint centres that bend, lengths between them) is found; where a pelvis begins is a convention.
static void stuck_markers_are_found(void **state)
{
    (void)state;
    static const char *const joints[] = {"LeftUpLeg", "LeftLeg",   "LeftFoot", "RightUpLeg",
                                         "RightLeg",  "RightFoot", "LeftArm",  "RightArm"};
    lmb_character *truth = captured("mocap/bvh/cmu_12_01_walk.bvh");
    test_marker list[64];
    uint32_t count;
    for (int noisy = 0; noisy < 2; ++noisy) {
        // Uniform in +-1.73 mm: a standard deviation of a millimetre.
        lmb_markers *points = test_record_markers(truth, 120, noisy ? 1.73e-3f : 0, list, &count);
        lmb_fit *found = fit(truth, points, NULL);
        assert_int_equal(found->kind, LMB_FIT_MARKERS);
        assert_int_equal(found->used_count, count);
        assert_int_equal(found->swap_count, 0);
        assert_true(found->mean_m < (noisy ? 2e-3f : 2e-4f));
        for (size_t k = 0; k < sizeof joints / sizeof *joints; ++k) {
            assert_true(joint_error(found, truth, 120, joints[k]) < (noisy ? 8e-3 : 1e-3));
        }
        for (size_t k = 1; k < 3; ++k) {
            const int32_t j = lmb_skeleton_find(truth->skeleton, joints[k]);
            const float was = lmb_vec3_length(truth->skeleton->rest[j].translation);
            assert_true(fabsf(lmb_vec3_length(found->subject->rest[j].translation) - was) <
                        0.01f * was);
        }
        // The markers that no table knows were hung to the joints that they move with.
        const int32_t a = marker_named(points, "cluster A");
        assert_true(found->points[a].by_motion);
        assert_string_equal(truth->skeleton->names[found->points[a].joint], "LeftLeg");
        lmb_fit_destroy(found);
        lmb_markers_destroy(points);
    }
    lmb_character_destroy(truth);
}

static void exchange(lmb_markers *points, const char *a, const char *b, uint32_t begin,
                     uint32_t end)
{
    const uint32_t n = points->marker_count;
    const int32_t i = marker_named(points, a), k = marker_named(points, b);
    for (uint32_t f = begin; f < end; ++f) {
        const lmb_vec3 p = points->positions[f * n + (uint32_t)i];
        points->positions[f * n + (uint32_t)i] = points->positions[f * n + (uint32_t)k];
        points->positions[f * n + (uint32_t)k] = p;
    }
}

static void swapped_labels_are_noticed(void **state)
{
    (void)state;
    lmb_character *truth = captured("mocap/bvh/cmu_12_01_walk.bvh");
    test_marker list[64];
    uint32_t count;
    lmb_markers *points = test_record_markers(truth, 120, 0, list, &count);
    exchange(points, "LWRA", "LWRB", 100, 160);
    exchange(points, "LKNE", "RKNE", 200, 230);
    lmb_fit *found = fit(truth, points, NULL);
    assert_int_equal(found->swap_count, 4);
    assert_int_equal(found->points[marker_named(points, "LWRA")].swapped_frames, 60);
    assert_int_equal(found->points[marker_named(points, "RKNE")].swapped_frames, 30);
    assert_int_equal(found->points[marker_named(points, "LASI")].swapped_frames, 0);
    assert_true(found->mean_m < 2e-4f);
    lmb_fit_destroy(found);
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

static void nothing_to_go_by_is_refused(void **state)
{
    (void)state;
    lmb_character *truth = test_motion(LMB_MOTION_WALK);
    const test_marker list[] = {{"blob 1", "leftHand", {0, 0, 0}}, {"blob 2", "head", {0, 0, 0}}};
    lmb_markers *points = test_record(truth, list, 2, 60, 0);
    lmb_fit *found = NULL;
    lmb_error error;
    assert_int_equal(lmb_fit_points(truth, points, NULL, NULL, &found, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_null(found);
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

typedef struct budget {
    size_t left;
} budget;

static void *limited(void *user, void *block, size_t old_size, size_t new_size)
{
    budget *b = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (b->left == 0) {
        return NULL;
    }
    --b->left;
    return realloc(block, new_size);
}

static void memory_may_end(void **state)
{
    (void)state;
    lmb_character *truth = test_motion(LMB_MOTION_IDLE);
    lmb_markers *points = test_record_joints(truth, 5);
    lmb_result result = LMB_ERROR_MEMORY;
    size_t allowed = 0;
    while (result != LMB_OK && allowed < 400) {
        budget b = {allowed++};
        const lmb_allocator alloc = {limited, &b};
        lmb_fit *found = NULL;
        result = lmb_fit_points(truth, points, NULL, &alloc, &found, NULL);
        assert_true(result == LMB_OK || (result == LMB_ERROR_MEMORY && found == NULL));
        b.left = SIZE_MAX;
        lmb_fit_destroy(found);
    }
    assert_int_equal(result, LMB_OK);
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_joints_come_back),        cmocka_unit_test(lengths_are_found),
        cmocka_unit_test(captured_joints_come_back),   cmocka_unit_test(gaps_are_filled),
        cmocka_unit_test(stuck_markers_are_found),     cmocka_unit_test(swapped_labels_are_noticed),
        cmocka_unit_test(nothing_to_go_by_is_refused), cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
