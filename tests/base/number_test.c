#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/scan.h"

static double read_all(const char *text)
{
    double value = -12345;
    const char *end = text + strlen(text);
    assert_ptr_equal(lmbi_number_read(text, end, &value), end);
    return value;
}

static void reads_what_files_hold(void **state)
{
    (void)state;
    static const char *texts[] = {
        "0",     "-0.5", "+3",  ".0083333", "7.62852e-016", "1e5",         "123456789.125",
        "-1E+3", "3.",   "0.1", "1e-45",    "3.4028235e38", "0000012.5000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_true((float)read_all(texts[i]) == strtof(texts[i], NULL));
    }
    assert_true(isnan(read_all("nan")) && isinf(read_all("-Inf")) && isinf(read_all("INFINITY")));
    assert_true(isinf(read_all("1e999999999999")) && read_all("1e-999999999999") == 0);
}

static void stops_where_the_number_stops(void **state)
{
    (void)state;
    double value = 0;
    const char *text = "12abc";
    assert_ptr_equal(lmbi_number_read(text, text + 5, &value), text + 2);
    // the end is not read past
    assert_ptr_equal(lmbi_number_read(text, text + 1, &value), text + 1);
    text = "3e";
    assert_ptr_equal(lmbi_number_read(text, text + 2, &value), text + 1);
    static const char *none[] = {"", "-", ".", "e5", "abc", "+."};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        assert_ptr_equal(lmbi_number_read(none[i], none[i] + strlen(none[i]), &value), none[i]);
    }
}

/// Up to fifteen digits, a point anywhere among them, at the end of the bytes or before more of
/// them: the double that strtod gives, whichever way they are read.
static void plain_decimals_are_exact(void **state)
{
    (void)state;
    static const char *const after[] = {"", " ", " 12345678 ", "\n-0.5", ",", "                "};
    lmb_random random = lmb_random_seed(6);
    for (int i = 0; i < 200000; ++i) {
        char text[64];
        const int digits = 1 + (int)(lmb_random_unit(&random) * 15),
                  point = (int)(lmb_random_unit(&random) * (float)(digits + 1));
        int length = 0;
        for (int k = 0; k < digits; ++k) {
            if (k == point) {
                text[length++] = '.';
            }
            // Runs of zeros as often as other digits.
            const float unit = lmb_random_unit(&random);
            text[length++] = unit < 0.3f ? '0' : (char)('0' + (int)(10 * lmb_random_unit(&random)));
        }
        strcpy(text + length, after[i % 6]);
        double value = 0;
        char *end;
        const double expected = strtod(text, &end);
        assert_ptr_equal(lmbi_number_read(text, text + strlen(text), &value), end);
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void floats_survive_writing(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    char text[32];
    for (int i = 0; i < 200000; ++i) {
        const uint32_t bits = lmb_random_u32(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        const size_t length = lmbi_float_write(text, value);
        assert_int_equal(length, strlen(text));
        if (isfinite(value)) {
            assert_true((float)read_all(text) == value && strtof(text, NULL) == value);
        }
    }
    lmbi_float_write(text, -0.0f);
    assert_string_equal(text, "0");
    lmbi_float_write(text, 0.1f);
    assert_string_equal(text, "0.1");
}

static void scanner_knows_its_position(void **state)
{
    (void)state;
    const char text[] = "v 1 2\r\n\tf  x\rlast";
    lmbi_scan scan;
    lmbi_scan_init(&scan, text, sizeof text - 1);
    assert_true(lmbi_word_is(lmbi_scan_word(&scan), "V"));
    double value = 0;
    assert_true(lmbi_scan_number(&scan, &value) && lmbi_scan_number(&scan, &value) && value == 2);
    assert_true(lmbi_scan_line_end(&scan));
    lmbi_scan_next_line(&scan);
    lmbi_scan_word(&scan);
    lmb_error error;
    assert_int_equal(lmbi_scan_fail(&scan, &error, "a number"), LMB_ERROR_MALFORMED);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 5);
    assert_string_equal(error.found, "\"x\"");
    lmbi_scan_next_line(&scan);
    assert_true(lmbi_word_is_exact(lmbi_scan_word(&scan), "last") && lmbi_scan_done(&scan) &&
                scan.line == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_files_hold),
        cmocka_unit_test(stops_where_the_number_stops),
        cmocka_unit_test(plain_decimals_are_exact),
        cmocka_unit_test(floats_survive_writing),
        cmocka_unit_test(scanner_knows_its_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
