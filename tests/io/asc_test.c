// ESRI ASCII grids: keys, gaps, and what is refused where.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "limber/limber.h"

static lmb_result read(const char *text, lmb_height_field **out, lmb_error *error)
{
    return lmb_asc_read(text, strlen(text), NULL, out, error);
}

static void test_reads(void **state)
{
    (void)state;
    lmb_height_field *h = NULL;
    assert_int_equal(read("NCOLS 3\r\nnrows 2\nxllcorner 500000\nyllcorner 1e6\ncellsize 2.5\n"
                          "NODATA_value -9999\n1 2 3\n4.5 -9999 nan\n",
                          &h, NULL),
                     LMB_OK);
    assert_int_equal(h->columns, 3);
    assert_int_equal(h->rows, 2);
    assert_true(h->spacing[0] == 2.5f && h->spacing[1] == 2.5f);
    assert_true(h->heights[0] == 1 && h->heights[2] == 3 && h->heights[3] == 4.5f);
    assert_true(isnan(h->heights[4]) && isnan(h->heights[5]));
    lmb_height_field_destroy(h);
    // one line may hold any number of them, and cells need not be square
    assert_int_equal(read("ncols 2 nrows 2 dx 1 dy 3 0 1 2 3", &h, NULL), LMB_OK);
    assert_true(h->spacing[1] == 3 && h->heights[3] == 3);
    lmb_height_field_destroy(h);
}

typedef struct bad {
    const char *text;
    unsigned line;
    const char *expected;
} bad;

static void test_refuses(void **state)
{
    (void)state;
    static const bad all[] = {
        {"ncols 2\nnrows 2\ncellsize 1\n1 2\n3 x\n", 5, "a height"},
        {"ncols 2\nnrows 2\ncellsize 1\n1.25 2\n3\n", 6, "a height"},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4 5\n", 5, "the end"},
        {"ncols 2\nnrows two\n", 2, "a number"},
        {"ncols 2\nheight 3\n", 2, "ncols, nrows"},
        {"ncols 1\nnrows 2\ncellsize 1\n1 2\n", 4, "at least 2"},
        {"ncols 2\nnrows 2\n1 2 3 4\n", 3, "cellsize"},
        {"ncols 90000000\nnrows 90000000\ncellsize 1\n1 2 3 4\n", 4, "as many"},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2 3 1e39\n", 4, "a height"},
        {"", 1, ""},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lmb_height_field *h = NULL;
        lmb_error error = {0};
        assert_int_equal(read(all[k].text, &h, &error), LMB_ERROR_MALFORMED);
        assert_null(h);
        if (strstr(error.expected, all[k].expected) == NULL) {
            fail_msg("%d: expected %s, found %s", (int)k, error.expected, error.found);
        }
        if (k < 9) {
            assert_int_equal(error.line, all[k].line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
