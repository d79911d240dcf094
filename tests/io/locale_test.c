// What is written is the same whatever locale the host has set: one with decimal commas is made here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "io/bvh/bvh.h"
#include "io/files.h"
#include "io/mocap/markers.h"
#include "io/surface/surface.h"

static char folder[] = "/tmp/limber-locale-XXXXXX";

/// The host's own de_DE, or one that localedef makes. Skips where there is neither.
static void set_commas(void)
{
    char command[300];
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        snprintf(command, sizeof command,
                 "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/said 2>&1", folder,
                 folder);
        const int made = system(command);
        setenv("LOCPATH", folder, 1);
        if (made != 0 || setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
            skip();
        }
    }
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); // else nothing is tested
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

typedef struct outputs {
    lmb_buffer trc, csv, angles, bvh, obj, gltf, c3d;
    lmb_error error;
} outputs;

static const char bvh[] =
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0.125 90.5 0.25\n\tCHANNELS 6 Xposition Yposition Zposition "
    "Zrotation Xrotation Yrotation\n\tEnd Site\n\t{\n\t\tOFFSET 0 10.75 0\n\t}\n}\nMOTION\n"
    "Frames: 3\nFrame Time: 0.0083333\n0.5 90.25 1.125 10.5 -3.75 0.001\n0.25 91.5 1.5 11.25 -3.5 "
    "0.002\n1.75 92.125 1.25 12.5 -3.25 1e-7\n";
static const char obj[] = "v 0.5 0.25 1.125\nv 1.5 0 1e-3\nv 0 1.75 -2.5\nf 1 2 3\n";

static void write_all(outputs *out)
{
    lmb_character *c = NULL, *mesh = NULL;
    lmb_markers *m = NULL;
    memset(out, 0, sizeof *out);
    assert_int_equal(lmbi_bvh_read(bvh, sizeof bvh - 1, NULL, NULL, &c, NULL), LMB_OK);
    assert_int_equal(lmbi_obj_read(obj, sizeof obj - 1, NULL, NULL, &mesh, NULL), LMB_OK);
    assert_int_equal(lmb_markers_of_clip(c, 0, 0, NULL, &m, NULL), LMB_OK);
    assert_int_equal(lmbi_trc_write(m, NULL, NULL, &out->trc, NULL), LMB_OK);
    assert_int_equal(lmbi_marker_csv_write(m, NULL, NULL, &out->csv, NULL), LMB_OK);
    assert_int_equal(lmbi_c3d_write(m, NULL, NULL, &out->c3d, NULL), LMB_OK);
    assert_int_equal(lmb_angles_csv_write(c, 0, NULL, 0, NULL, &out->angles, NULL), LMB_OK);
    assert_int_equal(lmbi_bvh_write(c, NULL, NULL, &out->bvh, NULL), LMB_OK);
    assert_int_equal(lmbi_obj_write(mesh, NULL, NULL, &out->obj, NULL), LMB_OK);
    assert_int_equal(
        lmb_gltf_write(c, &(lmb_gltf_write_opts){.text = true}, NULL, &out->gltf, NULL), LMB_OK);
    (void)lmbi_fail(&out->error, LMB_ERROR_INVALID, "a number", "%g of %.3f", 1.5, 0.25);
    lmb_markers_destroy(m);
    lmb_character_destroy(c);
    lmb_character_destroy(mesh);
}

static void assert_same(const lmb_buffer *a, const lmb_buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static void writers_write_points(void **state)
{
    (void)state;
    outputs plain, commas;
    setlocale(LC_ALL, "C");
    write_all(&plain);
    set_commas();
    write_all(&commas);
    lmb_buffer *const a = &plain.trc, *const b = &commas.trc;
    for (size_t k = 0; k < offsetof(outputs, error) / sizeof(lmb_buffer); ++k) {
        assert_same(&a[k], &b[k]);
        lmb_buffer_free(&a[k]);
        lmb_buffer_free(&b[k]);
    }
    assert_string_equal(commas.error.found, "1.5 of 0.250");
    assert_string_equal(plain.error.found, commas.error.found);
}

/// Beside printf in the locale of C, for everything that the library's formats use.
static void formats_are_those_of_printf(void **state)
{
    (void)state;
    static const double values[] = {0, -0.0, 1.5, -2.25, 1e-7, 123456789.125, 1e300, 3.0e38, 0.1};
    char want[800], got[800];
    setlocale(LC_ALL, "C");
#define SAME(...)                                                            \
    do {                                                                     \
        const int wanted = snprintf(want, sizeof want, __VA_ARGS__);         \
        assert_int_equal(lmbi_format(got, sizeof got, __VA_ARGS__), wanted); \
        assert_string_equal(got, want);                                      \
    } while (0)
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
        SAME("%g %.3g %.*g %f %.6f|%8.2f|%-9.1e|%+g", values[k], values[k], 9, values[k], values[k],
             values[k], values[k], values[k], values[k]);
    }
    SAME("%g %g %g", (double)INFINITY, (double)-INFINITY, (double)NAN);
    SAME("%d %u %lld %llu %zu %zd %ld %lu %hd %hhu %x %02X %#x %o %c%%", -3, 7u, -5ll, 9ull,
         (size_t)11, (ptrdiff_t)-4, -6l, 8ul, (short)-2, (unsigned char)200, 255u, 10u, 16u, 8u,
         'a');
    SAME("%s|%.2s|%.*s|%6s|%-6s|", "whole", "part", 3, "stars", "in", "out");
    SAME("%s%d", "", 0);
    char small[6];
    assert_int_equal(lmbi_format(small, sizeof small, "%s %d", "abc", 123), 7);
    assert_string_equal(small, "abc 1");
    assert_int_equal(lmbi_format(NULL, 0, "%s %d %g", "abc", 123, 1.5), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(writers_write_points),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
