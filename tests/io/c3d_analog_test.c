// What a C3D holds beside points: analog channels and events, in the numbers of every machine; what
// is written reads back, and events survive a glTF file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/c3d_maker.h"
#include "io/files.h"
#include "io/mocap/markers.h"

enum { FRAMES = 3, CHANNELS = 2, SAMPLES = 2 };

/// The raw number of a sample: signed ones go below zero, unsigned ones above 32767.
static double raw_sample(int f, int s, int c, bool is_unsigned)
{
    return (is_unsigned ? 40000 : -100) + 100 * f + 10 * s + c;
}

static void put_frames(c3d_maker *c, bool integers, bool is_unsigned)
{
    for (int f = 0; f < FRAMES; ++f) {
        if (integers) {
            c3d_integer_point(c, 100, 200, 1750 + f, 0);
        } else {
            c3d_float_point(c, 100, 200, 1750 + f, 0);
        }
        for (int s = 0; s < SAMPLES; ++s) {
            for (int k = 0; k < CHANNELS; ++k) {
                const double raw = raw_sample(f, s, k, is_unsigned);
                if (integers) {
                    c3d_put_u16(c, c->size, (unsigned)(int)raw & 0xffff);
                } else {
                    c3d_put_float(c, c->size, raw);
                }
                c->size += integers ? 2 : 4;
            }
        }
    }
}

/// One marker, two channels with two samples a frame, two events; the first frame is number 101.
static void make(c3d_maker *c, int machine, bool integers, bool is_unsigned)
{
    static const double scales[2] = {0.5, -2}, general = 0.1, times[4] = {0, 1.25, 1, 0.5};
    c3d_begin(c, machine);
    c3d_head(c, 1, 101, 103, integers ? 1 : -1, 100);
    c3d_put_u16(c, 4, CHANNELS * SAMPLES);
    c3d_put_u16(c, 18, SAMPLES);
    c3d_group(c, 1, "POINT");
    c3d_texts(c, 1, "UNITS", 0, "mm", 1);
    c3d_texts(c, 1, "LABELS", 1, "P", 1);
    c3d_group(c, 2, "ANALOG");
    c3d_words(c, 2, "USED", (const unsigned[]){CHANNELS}, 1);
    c3d_texts(c, 2, "LABELS", 3, "Fz ", 1); // the second has none
    c3d_texts(c, 2, "UNITS", 2, "N V ", 2);
    c3d_reals(c, 2, "SCALE", scales, 2, 0);
    c3d_reals(c, 2, "GEN_SCALE", &general, 1, 0);
    c3d_words(c, 2, "OFFSET", (const unsigned[]){20, is_unsigned ? 33000 : 65535}, 2);
    if (is_unsigned) {
        c3d_texts(c, 2, "FORMAT", 0, "UNSIGNED", 1);
    }
    c3d_group(c, 3, "EVENT");
    c3d_words(c, 3, "USED", (const unsigned[]){2}, 1);
    c3d_texts(c, 3, "LABELS", 11, "Foot StrikeFoot Off   ", 2);
    c3d_texts(c, 3, "CONTEXTS", 5, "Left Right", 2);
    c3d_reals(c, 3, "TIMES", times, 2, 2);
    c3d_frames(c);
    put_frames(c, integers, is_unsigned);
}

static lmb_markers *read_bytes(const void *data, size_t size)
{
    uint8_t *bytes = malloc(size);
    memcpy(bytes, data, size);
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    if (lmbi_c3d_read(bytes, size, NULL, NULL, &markers, &error) != LMB_OK) {
        fail_msg("byte %zu: expected %s, found %s", error.offset, error.expected, error.found);
    }
    free(bytes);
    return markers;
}

static void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-4 * (1 + fabs(wanted)))) {
        fail_msg("%g is not %g", value, wanted);
    }
}

static void check(const lmb_markers *m, bool is_unsigned)
{
    static const double scales[2] = {0.05, -0.2};
    const double offsets[2] = {20, is_unsigned ? 33000 : -1};
    assert_int_equal(m->analog_count, CHANNELS);
    assert_int_equal(m->analog_per_frame, SAMPLES);
    assert_string_equal(m->analog_names[0], "Fz");
    assert_string_equal(m->analog_names[1], "channel 2");
    assert_string_equal(m->analog_units[1], "V");
    for (int k = 0; k < FRAMES * SAMPLES * CHANNELS; ++k) {
        const int c = k % CHANNELS, s = k / CHANNELS % SAMPLES, f = k / CHANNELS / SAMPLES;
        const double raw = raw_sample(f, s, c, is_unsigned);
        assert_near((double)m->analog[k], (raw - offsets[c]) * scales[c]);
    }
    assert_int_equal(m->event_count, 2);
    assert_string_equal(m->events[0].name, "Foot Strike");
    assert_string_equal(m->events[1].context, "Right");
    assert_near((double)m->events[0].time_s, 0.25); // frame 101 is a second after frame 1
    assert_near((double)m->events[1].time_s, 59.5);
    assert_near((double)m->positions[2].y, 1.752);
}

static lmb_markers *write_and_read(const lmb_markers *markers)
{
    lmb_buffer buffer = {0};
    assert_int_equal(lmbi_c3d_write(markers, NULL, NULL, &buffer, NULL), LMB_OK);
    lmb_markers *again = read_bytes(buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return again;
}

static void every_machine_and_back(void **state)
{
    (void)state;
    for (int machine = INTEL; machine <= MIPS; ++machine) {
        for (int kind = 0; kind < 3; ++kind) {
            c3d_maker c;
            make(&c, machine, kind > 0, kind == 2);
            lmb_markers *markers = read_bytes(c.bytes, c.size);
            check(markers, kind == 2);
            lmb_markers *again = write_and_read(markers);
            check(again, kind == 2);
            lmb_markers_destroy(again);
            lmb_markers_destroy(markers);
        }
    }
}

static void older_files_have_events_in_the_header(void **state)
{
    (void)state;
    for (int machine = INTEL; machine <= MIPS; ++machine) {
        c3d_maker c;
        c3d_begin(&c, machine);
        c3d_head(&c, 1, 1, 2, -1, 100);
        c3d_put_u16(&c, 2 * 149, 12345);
        c3d_put_u16(&c, 2 * 150, 2);
        c3d_put_float(&c, 2 * 152, 0.25);
        c3d_put_float(&c, 2 * 152 + 4, 0.5);
        memcpy(c.bytes + 2 * 198, "RHS LTO\0", 8);
        c3d_group(&c, 1, "POINT");
        c3d_frames(&c);
        c3d_float_point(&c, 1, 2, 3, 0);
        c3d_float_point(&c, 1, 2, 3, 0);
        lmb_markers *markers = read_bytes(c.bytes, c.size);
        assert_int_equal(markers->event_count, 2);
        assert_string_equal(markers->events[0].name, "RHS");
        assert_string_equal(markers->events[1].name, "LTO");
        assert_near((double)markers->events[1].time_s, 0.5);
        lmb_markers_destroy(markers);
    }
}

/// Analog words that no parameter explains, and channels that do not divide them.
static void what_is_not_explained_is_noted(void **state)
{
    (void)state;
    for (unsigned used = 0; used <= 3; used += 3) {
        c3d_maker c;
        make(&c, INTEL, false, false);
        uint8_t *at = c.bytes + 512;
        while (memcmp(at, "ANALOG", 6) != 0) {
            ++at;
        }
        while (memcmp(at, "USED", 4) != 0) {
            ++at;
        }
        at[4 + 5] = (uint8_t)used;
        lmb_markers_info info = {.gap_count = 0};
        lmb_markers *markers = NULL;
        const lmb_markers_read_opts opts = {.info = &info};
        assert_int_equal(lmbi_c3d_read(c.bytes, c.size, &opts, NULL, &markers, NULL), LMB_OK);
        assert_int_equal(markers->analog_count, 0);
        assert_true(info.notes.count > 0 && strstr(info.notes.items[0].text, "analog") != NULL);
        lmb_markers_destroy(markers);
    }
}

static void events_survive_a_gltf_file(void **state)
{
    (void)state;
    c3d_maker c;
    make(&c, INTEL, false, false);
    lmb_markers *markers = read_bytes(c.bytes, c.size), *again = NULL;
    lmb_character *made = NULL, *back = NULL;
    lmb_buffer glb = {0};
    assert_int_equal(lmb_markers_character(markers, NULL, &made, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_write(made, NULL, NULL, &glb, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_read(glb.data, glb.size, NULL, NULL, &back, NULL), LMB_OK);
    assert_int_equal(lmb_markers_of_clip(back, 0, 0, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again->event_count, 2);
    assert_string_equal(again->events[0].name, "Foot Strike");
    assert_string_equal(again->events[0].context, "Left");
    assert_near((double)again->events[1].time_s, 59.5);
    lmb_buffer_free(&glb);
    lmb_markers_destroy(again);
    lmb_markers_destroy(markers);
    lmb_character_destroy(made);
    lmb_character_destroy(back);
}

static void too_much_for_the_format_is_refused(void **state)
{
    (void)state;
    lmb_marker_event events[256];
    lmb_vec3 position = {0, 0, 0};
    const char *name = "P";
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    for (int k = 0; k < 256; ++k) {
        events[k] = (lmb_marker_event){"a", "", 0};
    }
    const lmb_markers def = {.marker_count = 1,
                             .frame_count = 1,
                             .names = &name,
                             .positions = &position,
                             .event_count = 256,
                             .events = events};
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &markers, NULL), LMB_OK);
    assert_int_equal(lmbi_c3d_write(markers, NULL, NULL, &buffer, &error), LMB_ERROR_UNSUPPORTED);
    lmb_markers_destroy(markers);
    events[3].time_s = (float)INFINITY;
    assert_int_equal(lmb_markers_create(&def, NULL, &markers, &error), LMB_ERROR_INVALID);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    c3d_maker c;
    make(&c, INTEL, false, false);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_markers *markers = NULL;
        f.result = lmbi_c3d_read(c.bytes, c.size, NULL, &f.alloc, &markers, NULL);
        lmb_markers_destroy(markers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_and_back),
        cmocka_unit_test(older_files_have_events_in_the_header),
        cmocka_unit_test(what_is_not_explained_is_noted),
        cmocka_unit_test(events_survive_a_gltf_file),
        cmocka_unit_test(too_much_for_the_format_is_refused),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
