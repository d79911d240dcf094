#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/asset.h"

static const char *names[2] = {"LASI", "RASI"};

/// Two markers in three frames; the second is not seen in the middle one, where it has no number.
static lmb_vec3 positions[6] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {NAN, 0, 0}, {1, 1, 1}, {2, 2, 2}};
static uint8_t seen[6] = {1, 7, 1, 0, 1, 1};
static float residuals[6] = {0, 0.001f, 0, -1, 0, 0};

static lmb_markers two_markers(void)
{
    return (lmb_markers){.name = "walk",
                         .marker_count = 2,
                         .frame_count = 3,
                         .frame_rate = 100,
                         .first_frame = 12,
                         .names = names,
                         .positions = positions,
                         .seen = seen,
                         .residuals = residuals};
}

static void gaps_are_zero_and_the_rest_is_copied(void **state)
{
    (void)state;
    const lmb_markers def = two_markers();
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &markers, NULL), LMB_OK);
    const uint8_t said[6] = {1, 1, 1, 0, 1, 1};
    assert_memory_equal(markers->seen, said, 6);
    assert_memory_equal(&markers->positions[1], &positions[1], sizeof(lmb_vec3));
    const lmb_vec3 zero = {0, 0, 0};
    assert_memory_equal(&markers->positions[3], &zero, sizeof zero);
    assert_true(markers->residuals[3] == 0 && markers->residuals[1] == 0.001f);
    assert_string_equal(markers->names[1], "RASI");
    assert_int_equal(markers->first_frame, 12);
    assert_string_equal(markers->names[1], "RASI");
    lmb_markers_destroy(markers);
}

static void without_a_word_all_are_seen(void **state)
{
    (void)state;
    lmb_markers def = two_markers(), none = {0};
    def.seen = NULL;
    def.residuals = NULL;
    def.frame_count = 1;
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &markers, NULL), LMB_OK);
    assert_true(markers->seen[0] == 1 && markers->seen[1] == 1);
    assert_null(markers->residuals);
    lmb_markers_destroy(markers);
    assert_int_equal(lmb_markers_create(&none, NULL, &markers, NULL), LMB_OK);
    assert_null(markers->positions);
    lmb_markers_destroy(markers);
    lmb_markers_destroy(NULL);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    lmb_markers wrong[5] = {two_markers(), two_markers(), two_markers(), two_markers(),
                            two_markers()};
    lmb_vec3 lost[6] = {{0, INFINITY, 0}};
    float below[6] = {-0.5f};
    wrong[0].positions = lost;
    wrong[1].residuals = below;
    wrong[2].frame_rate = -1;
    wrong[3].frame_rate = NAN;
    wrong[4].marker_count = wrong[4].frame_count = 1u << 20;
    for (int k = 0; k < 5; ++k) {
        lmb_markers *markers = NULL;
        lmb_error error = {0};
        assert_int_equal(lmb_markers_create(&wrong[k], NULL, &markers, &error), LMB_ERROR_INVALID);
        assert_int_equal(error.code, LMB_ERROR_INVALID);
        assert_null(markers);
    }
}

static void memory_can_run_out(void **state)
{
    (void)state;
    failing_allocator none_left = {0};
    const lmb_allocator alloc = {failing_allocator_resize, &none_left};
    const lmb_markers def = two_markers();
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_create(&def, &alloc, &markers, NULL), LMB_ERROR_MEMORY);
    assert_null(markers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_zero_and_the_rest_is_copied),
        cmocka_unit_test(without_a_word_all_are_seen),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(memory_can_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
