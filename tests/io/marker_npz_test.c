// Points over time in NumPy archives: their arrays, names and rates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limber/io.h"
#include "npz_maker.h"

enum { FRAMES = 2, POINTS = 11 };

/// Reads FRAMES frames of POINTS points, with what `add` puts beside them.
static lmb_markers *read_points(const char *array, void (*add)(npz_maker *))
{
    static float points[FRAMES * POINTS * 3];
    npz_maker made = {0};
    for (int k = 0; k < FRAMES * POINTS * 3; ++k) {
        points[k] = 0.01f * (float)k;
    }
    npz_maker_array(&made, array, "<f4", "(2, 11, 3)", points, sizeof points);
    if (add) {
        add(&made);
    }
    npz_maker_end(&made);
    lmb_markers *out = NULL;
    const lmb_markers_read_opts opts = {.unit_m = 1, .up = LMB_AXIS_Y};
    assert_int_equal(
        lmb_markers_read(LMB_FORMAT_NPZ, made.data, made.size, &opts, NULL, &out, NULL), LMB_OK);
    free(made.data);
    assert_int_equal(out->marker_count, POINTS);
    assert_int_equal(out->frame_count, FRAMES);
    for (int k = 0; k < FRAMES * POINTS; ++k) {
        assert_memory_equal(&out->positions[k], &points[3 * k], sizeof(lmb_vec3));
    }
    return out;
}

static void points_without_names_are_numbered_from_one(void **state)
{
    (void)state;
    lmb_markers *m = read_points("positions", NULL);
    assert_string_equal(m->names[0], "point 1");
    assert_string_equal(m->names[8], "point 9");
    assert_string_equal(m->names[9], "point 10");
    lmb_markers_destroy(m);
}

static void add_names(npz_maker *made)
{
    char names[POINTS][4];
    for (int k = 0; k < POINTS; ++k) {
        memcpy(names[k], "m_a\0", 4);
        names[k][2] = (char)('a' + k);
    }
    const double rate = 50;
    npz_maker_array(made, "labels", "|S4", "(11,)", names, sizeof names);
    npz_maker_array(made, "fps", "<f8", "()", &rate, sizeof rate);
}

static void names_and_rates_are_read(void **state)
{
    (void)state;
    lmb_markers *m = read_points("keypoints3d", add_names);
    assert_string_equal(m->names[0], "m_a");
    assert_string_equal(m->names[10], "m_k");
    assert_true(m->frame_rate == 50);
    lmb_markers_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_without_names_are_numbered_from_one),
        cmocka_unit_test(names_and_rates_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
