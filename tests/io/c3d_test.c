// C3D: files built here in the numbers of every machine, whole and broken; what is written reads
// back; figures of collected files.
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

static lmb_markers *read_made(const c3d_maker *c, lmb_markers_info *info)
{
    // A copy of its size, so that a sanitizer sees a read past the end.
    uint8_t *bytes = malloc(c->size);
    memcpy(bytes, c->bytes, c->size);
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    const lmb_markers_read_opts opts = {.info = info};
    if (lmbi_c3d_read(bytes, c->size, &opts, NULL, &markers, &error) != LMB_OK) {
        fail_msg("byte %zu: expected %s, found %s", error.offset, error.expected, error.found);
    }
    free(bytes);
    return markers;
}

static void expect_error(const c3d_maker *c, lmb_result code, size_t offset)
{
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    assert_int_equal(lmbi_c3d_read(c->bytes, c->size, NULL, NULL, &markers, &error), code);
    assert_int_equal(error.offset, offset);
    assert_null(markers);
}

static void near(lmb_vec3 p, float x, float y, float z)
{
    if (fabsf(p.x - x) > 1e-6f || fabsf(p.y - y) > 1e-6f || fabsf(p.z - z) > 1e-6f) {
        fail_msg("%g %g %g is not %g %g %g", (double)p.x, (double)p.y, (double)p.z, (double)x,
                 (double)y, (double)z);
    }
}

/// Two markers, two frames, millimetres, +Z up: head above foot, unseen in the second frame.
static void make_small(c3d_maker *c, int machine, bool integers)
{
    c3d_begin(c, machine);
    c3d_head(c, 2, 7, 8, integers ? 0.5 : -0.5, 100);
    c3d_group(c, 1, "POINT");
    c3d_texts(c, 1, "UNITS", 0, "mm", 1);
    c3d_texts(c, 1, "Y_SCREEN", 0, "+Z", 1);
    c3d_texts(c, 1, "LABELS", 5, "P1   P2 \0 ", 2);
    c3d_frames(c);
    for (int f = 0; f < 2; ++f) {
        if (integers) {
            c3d_integer_point(c, 200, -300 - f, 3500, 0x0304);
            c3d_integer_point(c, 2, 4, 6, f == 0 ? 0 : -1);
        } else {
            c3d_float_point(c, 100, -150 - 0.5 * f, 1750, 0x0304);
            c3d_float_point(c, 1, 2, 3, f == 0 ? 0 : -1);
        }
    }
}

static void numbers_of_every_machine(void **state)
{
    (void)state;
    static const char *const names[3][2] = {{"Intel floats", "Intel integers"},
                                            {"DEC floats", "DEC integers"},
                                            {"MIPS floats", "MIPS integers"}};
    for (int machine = INTEL; machine <= MIPS; ++machine) {
        for (int integers = 0; integers < 2; ++integers) {
            static c3d_maker c;
            lmb_markers_info info;
            make_small(&c, machine, integers == 1);
            lmb_markers *m = read_made(&c, &info);
            assert_string_equal(info.encoding, names[machine - INTEL][integers]);
            assert_int_equal(m->marker_count, 2);
            assert_int_equal(m->frame_count, 2);
            assert_int_equal(m->first_frame, 7);
            assert_true(m->frame_rate == 100);
            assert_string_equal(m->names[0], "P1");
            assert_string_equal(m->names[1], "P2");
            // x, z up, -y: +Z up becomes +Y up.
            near(m->positions[0], 0.1f, 1.75f, 0.15f);
            near(m->positions[1], 0.001f, 0.003f, -0.002f);
            near(m->positions[2], 0.1f, 1.75f, 0.1505f);
            assert_true(m->seen[0] && m->seen[1] && m->seen[2] && !m->seen[3]);
            // Residual 4 of 0.5 mm each; cameras 3 are not asked for.
            assert_true(fabsf(m->residuals[0] - 0.002f) < 1e-9f);
            assert_int_equal(info.gap_count, 1);
            assert_true(info.up == LMB_AXIS_Z && !info.up_guessed && !info.unit_guessed);
            lmb_markers_destroy(m);
        }
    }
}

static void an_axis_may_lack_its_sign(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lmb_axis up;
    } rows[] = {{"Z", LMB_AXIS_Z}, {"+Y", LMB_AXIS_Y}, {"-Z", LMB_AXIS_NEGATIVE_Z}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        static c3d_maker c;
        lmb_markers_info info;
        c3d_begin(&c, INTEL);
        c3d_head(&c, 1, 1, 1, -1, 50);
        c3d_group(&c, 1, "POINT");
        c3d_texts(&c, 1, "LABELS", 2, "P1", 1);
        c3d_texts(&c, 1, "Y_SCREEN", 0, rows[k].text, 1);
        c3d_frames(&c);
        c3d_float_point(&c, 1, 2, 3, 0);
        lmb_markers_destroy(read_made(&c, &info));
        assert_int_equal(info.up, rows[k].up);
    }
}

static void labels_tell_up_before_the_file_does(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    c3d_begin(&c, INTEL);
    c3d_head(&c, 4, 1, 1, -1, 50);
    c3d_group(&c, 1, "POINT");
    c3d_texts(&c, 1, "LABELS", 6, "S:LFHDS:LANKS:LTOES:LKNE", 4);
    c3d_texts(&c, 1, "Y_SCREEN", 0, "+Z", 1);
    c3d_frames(&c);
    c3d_float_point(&c, 1, 1.7, 0, 0);
    c3d_float_point(&c, 1, 0.1, 0, 0);
    c3d_float_point(&c, 1, 0.02, 0.2, 0);
    c3d_float_point(&c, 1, 0.5, 0, 0);
    lmb_markers *m = read_made(&c, &info);
    assert_true(info.up == LMB_AXIS_Y && info.up_guessed);
    assert_int_equal(info.notes.count, 1);
    assert_true(info.unit_guessed && info.unit_m == 1);
    near(m->positions[0], 1, 1.7f, 0);
    lmb_markers_destroy(m);
}

static void model_outputs_and_long_lists(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    c3d_begin(&c, INTEL);
    c3d_head(&c, 4, 1, 1, -1, 50);
    // The group is named after its parameters.
    c3d_texts(&c, 3, "LABELS", 4, "A   KneeB   ", 3);
    c3d_texts(&c, 3, "LABELS2", 1, " ", 1);
    c3d_texts(&c, 3, "ANGLES", 5, "Knee None ", 2);
    c3d_texts(&c, 3, "UNITS", 0, "cm", 1);
    c3d_group(&c, 3, "point");
    c3d_frames(&c);
    for (int k = 0; k < 4; ++k) {
        c3d_float_point(&c, 10 * k + 10, 1, 1, 0);
    }
    lmb_markers *m = read_made(&c, &info);
    assert_int_equal(m->marker_count, 3);
    assert_int_equal(info.other_count, 1);
    assert_string_equal(m->names[1], "B");
    assert_string_equal(m->names[2], "marker 4");
    near(m->positions[2], 0.4f, 0.01f, -0.01f);
    lmb_markers_destroy(m);
}

/// Plug-in Gait writes its outputs among the points. With lists that name them, with a list that only
/// its units tell, and with no list at all, what is left are the markers.
static void outputs_of_models_are_no_markers(void **state)
{
    (void)state;
    static const char labels[] = "LASI            RASI            LKNE            "
                                 "LHipAngles      Ann:LKneeMoment LFEO            "
                                 "LFEA            LFEL            LFEP            "
                                 "CentreOfMass    *12             PELO            "
                                 "OddOutput       Ann:LTOE        ";
    enum { COUNT = 14 };
    for (int listed = 0; listed < 2; ++listed) {
        static c3d_maker c;
        lmb_markers_info info;
        c3d_begin(&c, INTEL);
        c3d_head(&c, COUNT, 1, 1, -1, 100);
        c3d_texts(&c, 3, "LABELS", 16, labels, COUNT);
        c3d_texts(&c, 3, "UNITS", 0, "mm", 1);
        if (listed) {
            c3d_texts(&c, 3, "ANGLES", 16, "Ann:LHipAngles  ", 1);
            c3d_texts(&c, 3, "ODDITIES", 16, "OddOutput       ", 1);
            c3d_texts(&c, 3, "ODDITIE_UNITS", 0, "Nmm/kg", 1);
        }
        c3d_group(&c, 3, "POINT");
        c3d_frames(&c);
        for (int k = 0; k < COUNT; ++k) {
            c3d_float_point(&c, k, 1, 1, 0);
        }
        lmb_markers *m = read_made(&c, &info);
        static const char *const kept[] = {"LASI", "RASI", "LKNE", "PELO", "OddOutput", "Ann:LTOE"};
        assert_int_equal(m->marker_count, listed ? 5 : 6);
        for (uint32_t k = 0, at = 0; k < 6; ++k) {
            if (!listed || k != 4) {
                assert_string_equal(m->names[at++], kept[k]);
            }
        }
        assert_int_equal(info.other_count, listed ? 9 : 8);
        assert_int_equal(info.notes.count, 1);
        assert_non_null(strstr(info.notes.items[0].text, "the first is LHipAngles"));
        lmb_markers_destroy(m);
    }
}

/// One frame of so many points, with labels of `width` letters each.
static lmb_markers *read_labelled(c3d_maker *c, unsigned count, unsigned width, const char *labels,
                                  lmb_markers_info *info)
{
    c3d_begin(c, INTEL);
    c3d_head(c, count, 1, 1, -1, 100);
    c3d_texts(c, 3, "LABELS", width, labels, count);
    c3d_texts(c, 3, "UNITS", 0, "mm", 1);
    c3d_group(c, 3, "POINT");
    c3d_frames(c);
    for (unsigned k = 0; k < count; ++k) {
        c3d_float_point(c, k, 1, 1, 0);
    }
    return read_made(c, info);
}

/// Labels of a fixed width may hold a zero, then what is left of an older label.
static void labels_end_at_a_zero(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    lmb_markers *m = read_labelled(&c, 3, 12,
                                   "LASI\0ngles  "
                                   "KneeAngles\0x"
                                   "RASI\0       ",
                                   &info);
    assert_int_equal(info.other_count, 1);
    assert_int_equal(m->marker_count, 2);
    assert_string_equal(m->names[0], "LASI");
    assert_string_equal(m->names[1], "RASI");
    lmb_markers_destroy(m);
}

/// A take without any label has only unlabelled trajectories: they are its markers.
static void unlabelled_takes_keep_what_they_have(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    lmb_markers *m = read_labelled(&c, 3, 4, "*1  *2  *3  ", &info);
    assert_int_equal(m->marker_count, 3);
    assert_int_equal(info.other_count, 0);
    lmb_markers_destroy(m);
}

static void frames_beyond_65535(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    c3d_begin(&c, INTEL);
    c3d_head(&c, 1, 1, 65535, -1, 50);
    c3d_group(&c, 5, "TRIAL");
    c3d_words(&c, 5, "ACTUAL_START_FIELD", (const unsigned[]){2, 1}, 2);
    c3d_words(&c, 5, "ACTUAL_END_FIELD", (const unsigned[]){4, 1}, 2);
    c3d_frames(&c);
    for (int f = 0; f < 3; ++f) {
        c3d_float_point(&c, 1, 2, 3 + f, 0);
    }
    lmb_markers *m = read_made(&c, &info);
    assert_int_equal(m->frame_count, 3);
    assert_int_equal(m->first_frame, 65538);
    assert_int_equal(info.declared_frames, 3);
    assert_string_equal(m->names[0], "marker 1");
    lmb_markers_destroy(m);
    c.size -= 20; // a frame and a bit less
    m = read_made(&c, &info);
    assert_int_equal(m->frame_count, 1);
    assert_int_equal(info.notes.count, 1);
    lmb_markers_destroy(m);
}

static void zeros_far_from_home_are_gaps(void **state)
{
    (void)state;
    static c3d_maker c;
    lmb_markers_info info;
    c3d_begin(&c, INTEL);
    c3d_head(&c, 3, 1, 4, -1, 50);
    c3d_group(&c, 1, "POINT");
    c3d_texts(&c, 1, "UNITS", 0, "m", 1);
    c3d_frames(&c);
    for (int f = 0; f < 4; ++f) {
        const bool lost = f == 1 || f == 2;
        c3d_float_point(&c, lost ? 0 : 1, 0, 0, 0);     // jumps there and back: a gap
        c3d_float_point(&c, 0.01 * (f - 1.0), 0, 0, 0); // walks through the origin
        c3d_float_point(&c, 0, 0, 0, 0);                // is never seen
    }
    lmb_markers *m = read_made(&c, &info);
    const uint8_t seen[12] = {1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0};
    assert_memory_equal(m->seen, seen, 12);
    lmb_markers_destroy(m);
}

static void wrong_files_name_the_position(void **state)
{
    (void)state;
    static c3d_maker c, good;
    make_small(&good, INTEL, false);
    c = good;
    c.bytes[1] = 81;
    expect_error(&c, LMB_ERROR_MALFORMED, 1);
    c = good;
    c.bytes[0] = 99;
    expect_error(&c, LMB_ERROR_MALFORMED, 0);
    c = good;
    c3d_put_u16(&c, 16, 4000);
    expect_error(&c, LMB_ERROR_MALFORMED, 16);
    c = good;
    c3d_put_u16(&c, 2, 0);
    expect_error(&c, LMB_ERROR_UNSUPPORTED, 2);
    c = good;
    c3d_put_u16(&c, 2, 65535);
    expect_error(&c, LMB_ERROR_MALFORMED, c.size);
    c = good;
    c3d_put_float(&c, 12, 0);
    expect_error(&c, LMB_ERROR_MALFORMED, 12);
    c = good;
    c.size = 700;
    expect_error(&c, LMB_ERROR_MALFORMED, 0);
    c = good;
    c.bytes[512 + 4 + 2 + 5 + 3 + 2 + 5 + 2] = 3; // the type of UNITS
    expect_error(&c, LMB_ERROR_MALFORMED, 512 + 4 + 2 + 5 + 3 + 2 + 5 + 2);
    for (size_t size = 0; size < good.size; size += 7) {
        lmb_markers *m = NULL;
        lmb_error error = {0};
        if (lmbi_c3d_read(good.bytes, size, NULL, NULL, &m, &error) == LMB_OK) {
            lmb_markers_destroy(m);
        }
    }
}

/// The last parameter's offset may lead into the frames or out of the file.
static void last_offsets_may_lead_astray(void **state)
{
    (void)state;
    static const unsigned offsets[] = {600, 20000};
    for (int machine = INTEL; machine <= MIPS; ++machine) {
        for (size_t k = 0; k < 2; ++k) {
            static c3d_maker c;
            lmb_markers_info info;
            make_small(&c, machine, true);
            size_t at = 512;
            while (memcmp(c.bytes + at, "LABELS", 6) != 0) {
                ++at;
            }
            c3d_put_u16(&c, at + 6, offsets[k]);
            lmb_markers *m = read_made(&c, &info);
            assert_int_equal(m->marker_count, 2);
            assert_string_equal(m->names[1], "P2");
            assert_int_equal(info.notes.count, 1);
            lmb_markers_destroy(m);
        }
    }
}

static lmb_markers *make_set(uint32_t markers, uint32_t frames, int32_t first)
{
    const size_t count = (size_t)markers * frames;
    lmb_markers def = {.marker_count = markers,
                       .frame_count = frames,
                       .frame_rate = 119.88f,
                       .first_frame = first};
    const char **names = malloc(markers * sizeof *names);
    char(*texts)[16] = malloc(markers * sizeof *texts);
    def.positions = malloc(count * sizeof *def.positions);
    def.seen = malloc(count);
    def.residuals = malloc(count * sizeof *def.residuals);
    for (uint32_t m = 0; m < markers; ++m) {
        snprintf(texts[m], sizeof texts[m], "M%u", m);
        names[m] = texts[m];
    }
    lmb_random random = lmb_random_seed(4);
    for (size_t k = 0; k < count; ++k) {
        def.positions[k] =
            (lmb_vec3){lmb_random_range(&random, -2, 2), lmb_random_range(&random, 0.1f, 2),
                       lmb_random_range(&random, -2, 2)};
        def.seen[k] = lmb_random_unit(&random) < 0.9f;
        def.residuals[k] = lmb_random_range(&random, 0, 0.003f);
    }
    def.names = names;
    lmb_markers *made = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &made, NULL), LMB_OK);
    free(names);
    free(texts);
    free(def.positions);
    free(def.seen);
    free(def.residuals);
    return made;
}

/// A parameter whose name reaches into the frames is the last, wherever its offset leads.
static void the_frames_end_the_parameters(void **state)
{
    (void)state;
    static const char filler[] = "................................................................"
                                 "................................................................";
    static c3d_maker c;
    lmb_markers_info info;
    c3d_begin(&c, INTEL);
    c3d_head(&c, 2, 1, 1, -1, 100);
    c3d_group(&c, 1, "POINT");
    c3d_texts(&c, 1, "UNITS", 0, "mm", 1);
    while (c.size < 1022) {
        const size_t left = 1022 - c.size - 9, size = left > 120 ? 100 : left;
        c3d_texts(&c, 1, "F", 0, filler + sizeof filler - 1 - size, 1);
    }
    c3d_texts(&c, 1, "LABELS", 5, "P1   P2   ", 2);
    c3d_put_u16(&c, 1030, 60000);
    c3d_frames(&c);
    for (int k = 0; k < 4; ++k) {
        c3d_float_point(&c, 1, 2, 3, 0);
    }
    c3d_put_u16(&c, 16, 3);
    lmb_markers *m = read_made(&c, &info);
    bool told = false;
    for (uint32_t n = 0; n < info.notes.count; ++n) {
        told = told || strstr(info.notes.items[n].text, "LABELS leads beyond") != NULL;
    }
    assert_true(told);
    lmb_markers_destroy(m);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const struct {
        uint32_t markers, frames;
        int32_t first;
        lmb_axis up;
    } cases[] = {{1, 1, 1, LMB_AXIS_AUTO},
                 {300, 4, 12, LMB_AXIS_Y},
                 {2, 66000, 1, LMB_AXIS_NEGATIVE_X},
                 {2, 3, 0, LMB_AXIS_Y}}; // frames are counted from 1 at the least
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_markers *set = make_set(cases[k].markers, cases[k].frames, cases[k].first);
        const lmb_markers_write_opts opts = {.up = cases[k].up};
        lmb_buffer file = {0};
        assert_int_equal(lmbi_c3d_write(set, &opts, NULL, &file, NULL), LMB_OK);
        lmb_markers *again = NULL;
        assert_int_equal(lmbi_c3d_read(file.data, file.size, NULL, NULL, &again, NULL), LMB_OK);
        assert_int_equal(again->marker_count, set->marker_count);
        assert_int_equal(again->frame_count, set->frame_count);
        assert_int_equal(again->first_frame, set->first_frame > 0 ? set->first_frame : 1);
        assert_true(fabsf(again->frame_rate - set->frame_rate) < 1e-5f);
        const size_t count = (size_t)set->marker_count * set->frame_count;
        assert_memory_equal(again->seen, set->seen, count);
        for (size_t i = 0; i < count; ++i) {
            const lmb_vec3 p = set->positions[i];
            near(again->positions[i], p.x, p.y, p.z);
            if (set->residuals[i] > 0) {
                assert_true(fabsf(again->residuals[i] - set->residuals[i]) <= 0.003f / 255);
            }
        }
        for (uint32_t m = 0; m < set->marker_count; ++m) {
            assert_string_equal(again->names[m], set->names[m]);
        }
        lmb_markers_destroy(again);
        lmb_markers_destroy(set);
        lmb_buffer_free(&file);
    }
}

static void units_without_a_name_are_refused(void **state)
{
    (void)state;
    lmb_markers *set = make_set(1, 1, 1);
    lmb_buffer file = {0};
    lmb_error error = {0};
    const lmb_markers_write_opts opts = {.unit_m = 0.7f};
    assert_int_equal(lmbi_c3d_write(set, &opts, NULL, &file, &error), LMB_ERROR_UNSUPPORTED);
    assert_int_equal(lmbi_trc_write(set, &opts, NULL, &file, &error), LMB_ERROR_UNSUPPORTED);
    assert_null(file.data);
    lmb_markers_destroy(set);
}

/// 1e36 m are more millimetres than a float holds.
static void numbers_beyond_the_unit_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        lmb_markers *set = make_set(2, 2, 1);
        lmb_buffer file = {0};
        lmb_error error = {0};
        const lmb_markers_write_opts metres = {.unit_m = 1};
        assert_non_null(set->residuals);
        *(k == 0 ? &set->positions[3].y : &set->residuals[3]) = 1e36f;
        assert_int_equal(lmbi_c3d_write(set, NULL, NULL, &file, &error), LMB_ERROR_UNSUPPORTED);
        assert_string_equal(error.found, "1e+36 m in units of 0.001 m");
        assert_int_equal(lmbi_trc_write(set, NULL, NULL, &file, &error), LMB_ERROR_UNSUPPORTED);
        assert_null(file.data);
        assert_int_equal(lmbi_c3d_write(set, &metres, NULL, &file, &error), LMB_OK);
        lmb_buffer_free(&file);
        lmb_markers_destroy(set);
    }
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    static c3d_maker c;
    make_small(&c, DEC, false);
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmb_markers *m = NULL;
        lmb_buffer file = {0};
        f.result = lmbi_c3d_read(c.bytes, c.size, NULL, &f.alloc, &m, NULL);
        f.result = f.result == LMB_OK ? lmbi_c3d_write(m, NULL, &f.alloc, &file, NULL) : f.result;
        lmb_buffer_free(&file);
        lmb_markers_destroy(m);
    }
}

/// Counts and first positions (the file's own units and axes) as a program of a few lines read them
/// from the bytes.
static void collected_files(void **state)
{
    (void)state;
    const struct {
        const char *path;
        uint32_t markers, frames, gaps;
        lmb_axis up;
        lmb_vec3 first; ///< millimetres or metres
        float unit;
    } files[] = {
        {"mocap/c3d/ActorE_TPose.c3d",
         49,
         63,
         0,
         LMB_AXIS_Z,
         {-1824.873291f, 5.912900f, 961.171265f},
         0.001f},
        {"mocap/c3d/vicon_Sample_Static.c3d",
         35,
         275,
         0,
         LMB_AXIS_Z,
         {174.574921f, 324.513031f, 1728.943970f},
         0.001f},
        {"mocap/c3d/Static_trial.c3d",
         39,
         498,
         0,
         LMB_AXIS_Z,
         {-580.046814f, 320.304321f, 1435.987183f},
         0.001f},
        {"mocap/c3d/walkingOptiTrack.c3d", 12, 3361, 2996, LMB_AXIS_Z, {0, 0, 0}, 0},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        test_file file = test_shared_read(files[k].path);
        if (file.data == NULL) {
            skip();
        }
        lmb_markers_info info;
        const lmb_markers_read_opts opts = {.info = &info};
        lmb_markers *m = NULL;
        assert_int_equal(lmbi_c3d_read(file.data, file.size, &opts, NULL, &m, NULL), LMB_OK);
        assert_int_equal(m->marker_count, files[k].markers);
        assert_int_equal(m->frame_count, files[k].frames);
        assert_int_equal(info.gap_count, files[k].gaps);
        assert_true(info.up == files[k].up);
        if (files[k].unit > 0) {
            const lmb_vec3 p = files[k].first;
            const float unit = files[k].unit;
            near(m->positions[0], p.x * unit, p.z * unit, -p.y * unit);
        }
        lmb_markers_destroy(m);
        free(file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_machine),
        cmocka_unit_test(an_axis_may_lack_its_sign),
        cmocka_unit_test(labels_tell_up_before_the_file_does),
        cmocka_unit_test(model_outputs_and_long_lists),
        cmocka_unit_test(outputs_of_models_are_no_markers),
        cmocka_unit_test(labels_end_at_a_zero),
        cmocka_unit_test(unlabelled_takes_keep_what_they_have),
        cmocka_unit_test(frames_beyond_65535),
        cmocka_unit_test(zeros_far_from_home_are_gaps),
        cmocka_unit_test(wrong_files_name_the_position),
        cmocka_unit_test(last_offsets_may_lead_astray),
        cmocka_unit_test(the_frames_end_the_parameters),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(units_without_a_name_are_refused),
        cmocka_unit_test(numbers_beyond_the_unit_are_refused),
        cmocka_unit_test(every_allocation_can_fail),
        cmocka_unit_test(collected_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
