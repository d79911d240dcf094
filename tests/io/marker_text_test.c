// Markers as text (TRC, tables), and between markers and characters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/files.h"
#include "io/mocap/markers.h"

typedef lmb_result (*read_fn)(const void *, size_t, const lmb_markers_read_opts *,
                              const lmb_allocator *, lmb_markers **, lmb_error *);

static lmb_markers *read_with(read_fn read, const char *text, lmb_markers_info *info)
{
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    char *copy = malloc(strlen(text) + 1);
    memcpy(copy, text, strlen(text));
    const lmb_markers_read_opts opts = {.info = info};
    if (read(copy, strlen(text), &opts, NULL, &markers, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    free(copy);
    return markers;
}

static void expect_error(read_fn read, const char *text, unsigned line, unsigned column)
{
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    assert_int_equal(read(text, strlen(text), NULL, NULL, &markers, &error), LMB_ERROR_MALFORMED);
    if (error.line != line || error.column != column) {
        fail_msg("%u:%u, not %u:%u: expected %s, found %s", error.line, error.column, line, column,
                 error.expected, error.found);
    }
    assert_null(markers);
}

static void near(lmb_vec3 p, float x, float y, float z)
{
    assert_true(fabsf(p.x - x) < 1e-6f && fabsf(p.y - y) < 1e-6f && fabsf(p.z - z) < 1e-6f);
}

#define HEAD                                                                                \
    "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n" \
    "50.00\t50.00\t  3\t2\tmm\nFrame#\tTime\tA\t\t\tS:B\t\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"

static void trc_with_gaps(void **state)
{
    (void)state;
    lmb_markers_info info;
    lmb_markers *m = read_with(lmbi_trc_read,
                               HEAD "4\t0.00\t100\t200\t-300\t1\t2\t3\t\n"
                                    "5\t0.02\t101\t200\t-300\t\t\t\r\n"
                                    "6\t0.04\t102\t200\t-3e2\n",
                               &info);
    assert_int_equal(m->marker_count, 2);
    assert_int_equal(m->frame_count, 3);
    assert_int_equal(m->first_frame, 4);
    assert_true(m->frame_rate == 50);
    assert_string_equal(m->names[1], "S:B");
    near(m->positions[0], 0.1f, 0.2f, -0.3f);
    near(m->positions[4], 0.102f, 0.2f, -0.3f);
    assert_true(m->seen[1] && !m->seen[3] && !m->seen[5]);
    assert_int_equal(info.gap_count, 2);
    assert_int_equal(info.notes.count, 0);
    assert_string_equal(info.encoding, "tabs");
    lmb_markers_destroy(m);
}

static void trc_with_commas_and_less_than_it_says(void **state)
{
    (void)state;
    lmb_markers_info info;
    lmb_markers *m = read_with(lmbi_trc_read,
                               "PathFileType,4,(X/Y/Z),x\nDataRate,NumFrames,NumMarkers,Units\n"
                               "0,9,1,cm\nFrame#,Time,A,,,\n,,X1,Y1,Z1\n,,,,\n"
                               "1,0.0,1,2,3\n2,0.1,1,2,4\n3,0.2,1",
                               &info);
    assert_int_equal(m->frame_count, 2);
    assert_true(fabsf(m->frame_rate - 10) < 1e-4f); // by its times
    near(m->positions[1], 0.01f, 0.02f, 0.04f);
    assert_int_equal(info.notes.count, 2); // fewer frames, and the last one cut off
    lmb_markers_destroy(m);
}

/// Blanks after the first word, two tabs between values, positions that no label names.
static void trc_of_careless_writers(void **state)
{
    (void)state;
    lmb_markers_info info;
    lmb_markers *m =
        read_with(lmbi_trc_read,
                  "PathFileType  4\t(X/Y/Z) a.trc\n"
                  "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
                  "50.0\t\t50.0\t\t2\t\t1\t\tcm\nFrame#\tTime\tA\t\t\n\t\tX1\tY1\tZ1\n\n"
                  "1\t0.00\t1\t2\t3\t\t\t\t7\t8\t9\t\n"
                  "2\t0.02\t1\t2\t4\t4\t5\t6\t\n",
                  &info);
    assert_int_equal(m->marker_count, 1);
    assert_int_equal(m->frame_count, 2);
    assert_true(m->frame_rate == 50);
    near(m->positions[1], 0.01f, 0.02f, 0.04f);
    assert_int_equal(info.notes.count, 1);
    assert_non_null(strstr(info.notes.items[0].text, "2 positions"));
    lmb_markers_destroy(m);
}

static void wrong_trc_names_the_position(void **state)
{
    (void)state;
    expect_error(lmbi_trc_read, "", 1, 1);
    expect_error(lmbi_trc_read, "PathType\t4\n", 1, 1);
    expect_error(lmbi_trc_read, HEAD, 7, 1);
    expect_error(lmbi_trc_read, HEAD "1\t0\t1\tx\t3\n", 7, 7);
    expect_error(lmbi_trc_read, HEAD "1\t0\t1\t2\n2\t0\t1\t2\t3\n", 7, 8);
    expect_error(lmbi_trc_read, HEAD "1\t0\t1\t2\t3\t1\t2\t3\t4\n", 7, 17);
    expect_error(lmbi_trc_read, "PathFileType\t4\na\tb\n1\t2\nNothing\tTime\n", 4, 1);
    expect_error(lmbi_trc_read, "PathFileType\t4\na\tb\n1\t2\nFrame#\tTime\n1\t2\n", 5, 1);
}

static void tables_in_any_order(void **state)
{
    (void)state;
    lmb_markers_info info;
    lmb_markers *m = read_with(lmbi_marker_csv_read,
                               "time;A_Y;A_X;quality;A_Z;\"B.x\";B.y;B.z\n"
                               "0;2;1;good;3;4;5;6\n0.25;2;1;bad;3;;nan;\n",
                               &info);
    assert_int_equal(m->marker_count, 2);
    assert_string_equal(m->names[0], "A");
    assert_string_equal(m->names[1], "B");
    assert_true(m->frame_rate == 4);
    near(m->positions[0], 1, 2, 3);
    near(m->positions[1], 4, 5, 6);
    assert_true(!m->seen[3] && info.gap_count == 1);
    lmb_markers_destroy(m);
    expect_error(lmbi_marker_csv_read, "a,b,c\n1,2,3\n", 1, 1);
    expect_error(lmbi_marker_csv_read, "A x,A y\n1,2\n", 1, 1);
    expect_error(lmbi_marker_csv_read, "A x,A y,A z,A x\n1,2,3,4\n", 1, 1);
    expect_error(lmbi_marker_csv_read, "A x,A y,A z\n", 2, 1);
    expect_error(lmbi_marker_csv_read, "A x,A y,A z\n1,2,three\n", 2, 5);
}

/// A file of short rows must not take memory without end.
static void rows_of_nothing_are_refused(void **state)
{
    (void)state;
    enum { NAMES = 5000, ROWS = 5000 };
    char *text = malloc(NAMES * 32 + ROWS * 2 + 1);
    size_t at = 0;
    for (int k = 0; k < NAMES; ++k) {
        at += (size_t)sprintf(text + at, "%sm%d x,m%d y,m%d z", k > 0 ? "," : "", k, k, k);
    }
    text[at++] = '\n';
    for (int k = 0; k < ROWS; ++k) {
        memcpy(text + at, ",\n", 2);
        at += 2;
    }
    text[at] = 0;
    lmb_markers *m = NULL;
    lmb_error error = {0};
    assert_int_equal(lmbi_marker_csv_read(text, at, NULL, NULL, &m, &error), LMB_ERROR_MALFORMED);
    free(text);
}

static lmb_markers *small_set(void)
{
    static const char *names[2] = {"A,1", "B"};
    static lmb_vec3 positions[6] = {
        {0.1f, 1.23456789f, -2}, {1, 2, 3}, {0.3f, 1, 1}, {0, 0, 0}, {5, 1, 1}, {7, 7, 7}};
    static uint8_t seen[6] = {1, 1, 1, 0, 1, 1};
    const lmb_markers def = {.name = "set",
                             .marker_count = 2,
                             .frame_count = 3,
                             .frame_rate = 59.94f,
                             .first_frame = 10,
                             .names = names,
                             .positions = positions,
                             .seen = seen};
    lmb_markers *m = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &m, NULL), LMB_OK);
    return m;
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    lmb_markers *set = small_set();
    for (int k = 0; k < 4; ++k) {
        const lmb_markers_write_opts opts = {.up = k == 1 ? LMB_AXIS_Z : LMB_AXIS_AUTO};
        lmb_markers_read_opts in = {.up = opts.up};
        lmb_buffer file = {0};
        lmb_markers *again = NULL;
        if (k < 2) {
            assert_int_equal(lmbi_trc_write(set, &opts, NULL, &file, NULL), LMB_OK);
            assert_int_equal(lmbi_trc_read(file.data, file.size, &in, NULL, &again, NULL), LMB_OK);
        } else {
            assert_int_equal(lmbi_marker_csv_write(set, &opts, NULL, &file, NULL), LMB_OK);
            assert_int_equal(lmbi_marker_csv_read(file.data, file.size, &in, NULL, &again, NULL),
                             LMB_OK);
        }
        assert_memory_equal(again->seen, set->seen, 6);
        assert_int_equal(again->first_frame, 10);
        assert_true(fabsf(again->frame_rate - 59.94f) < 1e-3f);
        assert_string_equal(again->names[0], "A_1");
        for (int i = 0; i < 6; ++i) {
            near(again->positions[i], set->positions[i].x, set->positions[i].y,
                 set->positions[i].z);
        }
        lmb_markers_destroy(again);
        lmb_buffer_free(&file);
    }
    lmb_markers_destroy(set);
}

static void markers_become_joints_and_come_back(void **state)
{
    (void)state;
    lmb_markers *set = small_set(), *again = NULL;
    lmb_character *character = NULL;
    assert_int_equal(lmb_markers_character(set, NULL, &character, NULL), LMB_OK);
    assert_int_equal(character->skeleton->joint_count, 2);
    assert_int_equal(lmb_markers_of_clip(character, 0, 0, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again->frame_count, 3);
    for (int i = 0; i < 6; ++i) {
        const lmb_vec3 p = set->positions[i];
        if (i == 3) {
            near(again->positions[i], 4, 4.5f, 5); // half way across its gap
        } else {
            near(again->positions[i], p.x, p.y, p.z);
        }
    }
    assert_int_equal(lmb_markers_of_clip(character, 1, 0, NULL, &again, NULL), LMB_ERROR_INVALID);
    lmb_markers_destroy(again);
    lmb_markers_destroy(set);
    lmb_character_destroy(character);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    lmb_markers *set = small_set();
    for (int calls = 0;; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_buffer trc = {0}, csv = {0}, angles = {0};
        lmb_markers *a = NULL, *b = NULL, *c = NULL;
        lmb_character *character = NULL;
        const bool done =
            lmbi_trc_write(set, NULL, &alloc, &trc, NULL) == LMB_OK &&
            lmbi_trc_read(trc.data, trc.size, NULL, &alloc, &a, NULL) == LMB_OK &&
            lmbi_marker_csv_write(a, NULL, &alloc, &csv, NULL) == LMB_OK &&
            lmbi_marker_csv_read(csv.data, csv.size, NULL, &alloc, &b, NULL) == LMB_OK &&
            lmb_markers_character(b, &alloc, &character, NULL) == LMB_OK &&
            lmb_markers_of_clip(character, 0, 0, &alloc, &c, NULL) == LMB_OK &&
            lmb_angles_csv_write(character, 0, NULL, 0, &alloc, &angles, NULL) == LMB_OK;
        lmb_buffer_free(&trc);
        lmb_buffer_free(&csv);
        lmb_buffer_free(&angles);
        lmb_markers_destroy(a);
        lmb_markers_destroy(b);
        lmb_markers_destroy(c);
        lmb_character_destroy(character);
        assert_int_equal(failing.held, 0);
        if (done) {
            break;
        }
        assert_true(calls < 1000);
    }
    lmb_markers_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trc_with_gaps),
        cmocka_unit_test(trc_with_commas_and_less_than_it_says),
        cmocka_unit_test(trc_of_careless_writers),
        cmocka_unit_test(wrong_trc_names_the_position),
        cmocka_unit_test(tables_in_any_order),
        cmocka_unit_test(rows_of_nothing_are_refused),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(markers_become_joints_and_come_back),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
