// NumPy archives: files that NumPy wrote (tests/io/numpy, made by its savez, savez_compressed and
// save), and archives built here, whole and broken.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/files.h"
#include "io/npz.h"
#include "io/npz_maker.h"

static test_file fixture(const char *name)
{
    char path[1024];
    const char *source = getenv("LIMBER_SOURCE");
    snprintf(path, sizeof path, "%s/tests/io/numpy/%s", source ? source : "../..", name);
    test_file file = test_file_read(path);
    assert_non_null(file.data);
    return file;
}

static lmbi_npz *read_fixture(const char *name)
{
    test_file file = fixture(name);
    lmbi_npz *npz = NULL;
    lmb_error error = {0};
    if (lmbi_npz_read(file.data, file.size, NULL, &npz, &error) != LMB_OK) {
        fail_msg("%s: byte %zu: expected %s, found %s", name, error.offset, error.expected,
                 error.found);
    }
    free(file.data);
    return npz;
}

/// The numbers that the fixtures were made of.
static double value(const char *name, size_t k)
{
    const double v = (double)(k * 37 % 101) - 50;
    const char kind = name[strlen(name) - 2];
    return kind == 'o' ? (v > 0) : kind == 'f' ? v / 4 : kind == 'u' ? v + 50 : v;
}

static void check_array(const lmbi_npz_array *array)
{
    assert_non_null(array);
    assert_true(lmbi_npz_is_numeric(array));
    assert_int_equal(array->dimension_count, 3);
    assert_int_equal(array->shape[0], 2);
    assert_int_equal(array->shape[2], 4);
    assert_int_equal(array->count, 24);
    float floats[24];
    lmbi_npz_floats(array, floats);
    for (size_t k = 0; k < 24; ++k) {
        const double want = value(array->name, k);
        if (fabs(lmbi_npz_number(array, k) - want) > 0 || fabs((double)floats[k] - want) > 0) {
            fail_msg("%s[%zu] is %g, not %g", array->name, k, lmbi_npz_number(array, k), want);
        }
    }
}

static void reads_every_type_that_numpy_writes(void **state)
{
    (void)state;
    lmbi_npz *npz = read_fixture("packed.npz");
    assert_int_equal(npz->array_count, 24);
    int checked = 0;
    for (uint32_t a = 0; a < npz->array_count; ++a) {
        const char *name = npz->arrays[a].name;
        if (name[1] == '_') {
            check_array(&npz->arrays[a]);
            assert_int_equal(npz->arrays[a].column_major, name[0] == 'f');
            ++checked;
        }
    }
    assert_int_equal(checked, 17);
    const lmbi_npz_array *flags = lmbi_npz_find(npz, "bool");
    assert_int_equal(flags->type, LMBI_NUMBER_BOOL);
    for (size_t k = 0; k < 24; ++k) {
        assert_true((lmbi_npz_number(flags, k) > 0) == (k * 37 % 101 > 50));
    }
    const lmbi_npz_array *scalar = lmbi_npz_find(npz, "scalar");
    assert_int_equal(scalar->dimension_count, 0);
    assert_int_equal(scalar->count, 1);
    assert_true(fabs(lmbi_npz_number(scalar, 0) - 120) <= 0);
    const lmbi_npz_array *text = lmbi_npz_find(npz, "text"), *bytes = lmbi_npz_find(npz, "bytes");
    assert_int_equal(text->type, LMBI_NUMBER_TEXT);
    assert_int_equal(text->item_size, 16);
    assert_memory_equal(text->data, "m\0\0\0a\0\0\0l\0\0\0e\0\0", 16);
    assert_int_equal(bytes->type, LMBI_NUMBER_BYTES);
    assert_memory_equal(bytes->data, "neutral", 7);
    assert_int_equal(lmbi_npz_find(npz, "object")->type, LMBI_NUMBER_OBJECT);
    assert_null(lmbi_npz_find(npz, "object")->data);
    assert_int_equal(lmbi_npz_find(npz, "record")->type, LMBI_NUMBER_OTHER);
    assert_int_equal(lmbi_npz_find(npz, "empty")->count, 0);
    assert_null(lmbi_npz_find(npz, "other"));
    lmbi_npz_destroy(npz);
}

static void reads_stored_archives_and_single_arrays(void **state)
{
    (void)state;
    lmbi_npz *npz = read_fixture("stored.npz");
    assert_int_equal(npz->array_count, 4);
    check_array(lmbi_npz_find(npz, "c_lf4"));
    check_array(lmbi_npz_find(npz, "f_f8"));
    lmbi_npz_destroy(npz);
    npz = read_fixture("single.npy");
    assert_int_equal(npz->array_count, 1);
    assert_string_equal(npz->arrays[0].name, "");
    assert_int_equal(npz->arrays[0].count, 24);
    assert_true(fabs(lmbi_npz_number(&npz->arrays[0], 5) - value("u4", 5)) <= 0);
    lmbi_npz_destroy(npz);
}

static void reads_half_floats(void **state)
{
    (void)state;
    const uint16_t bits[] = {0, 0x3c00, 0xc000, 0x0001, 0x03ff, 0x0400, 0x7bff, 0xfc00, 0x3555};
    const double want[] = {0,
                           1,
                           -2,
                           ldexp(1, -24),
                           ldexp(1023, -24),
                           ldexp(1, -14),
                           65504,
                           (double)-INFINITY,
                           1365.0 / 4096};
    lmbi_npz_array array = {
        .type = LMBI_NUMBER_FLOAT, .item_size = 2, .count = 9, .data = (const uint8_t *)bits};
    for (size_t k = 0; k < 9; ++k) {
        assert_true(lmbi_npz_number(&array, k) >= want[k] && lmbi_npz_number(&array, k) <= want[k]);
    }
}

static lmb_result read_made(const npz_maker *made, lmbi_npz **out, lmb_error *error)
{
    uint8_t *exact = malloc(made->size);
    assert_non_null(exact);
    memcpy(exact, made->data, made->size);
    const lmb_result result = lmbi_npz_read(exact, made->size, NULL, out, error);
    free(exact);
    return result;
}

static void reads_zip64_and_what_was_put_before(void **state)
{
    (void)state;
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    for (int prefix = 0; prefix < 2; ++prefix) {
        for (int wide = 0; wide < 2; ++wide) {
            npz_maker maker = {.zip64 = wide == 1};
            if (prefix == 1) {
                npz_maker_bytes(&maker, "#!/bin/prefix\n", 14);
                maker.base = 14;
            }
            npz_maker_array(&maker, "a", "<f4", "(2, 3)", numbers, sizeof numbers);
            npz_maker_array(&maker, "b", "<f4", "(6,)", numbers, sizeof numbers);
            npz_maker_end(&maker);
            lmbi_npz *npz = NULL;
            lmb_error error = {0};
            if (read_made(&maker, &npz, &error) != LMB_OK) {
                fail_msg("byte %zu: expected %s, found %s", error.offset, error.expected,
                         error.found);
            }
            assert_int_equal(npz->array_count, 2);
            assert_true(fabs(lmbi_npz_number(lmbi_npz_find(npz, "b"), 5) - 6) <= 0);
            lmbi_npz_destroy(npz);
            free(maker.data);
        }
    }
}

static void refuse(const char *type, const char *shape, size_t size, const char *expected)
{
    static const uint8_t bytes[64] = {0};
    npz_maker maker = {0};
    lmbi_npz *npz = NULL;
    lmb_error error = {0};
    npz_maker_array(&maker, "a", type, shape, bytes, size);
    npz_maker_end(&maker);
    assert_int_equal(read_made(&maker, &npz, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.expected, expected);
    assert_null(npz);
    free(maker.data);
}

static void counts_that_lie_are_refused(void **state)
{
    (void)state;
    refuse("<f4", "(3, 2)", 20, "as many bytes as the shape says");
    refuse("<f4", "(4611686018427387904, 16)", 64, "as many bytes as the shape says");
    refuse("<f4", "(9223372036854775807, 9223372036854775807)", 64,
           "as many bytes as the shape says");
    refuse("<f4", "(99999999999999999999999,)", 64, "a header with descr, fortran_order and shape");
    refuse("<f4", "(2, 3", 24, "a header with descr, fortran_order and shape");
    refuse("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", 4, "a header with descr, fortran_order and shape");
    refuse("<U9999999999", "(1,)", 4, "a header with descr, fortran_order and shape");
    refuse("<f4x", "(1,)", 4, "a header with descr, fortran_order and shape");
}

/// Every byte of an archive changed, and the archive cut at every byte: an error, or an archive;
/// never a crash.
static void damaged_archives_are_errors(void **state)
{
    (void)state;
    static const char *const names[] = {"stored.npz", "single.npy"};
    for (int f = 0; f < 2; ++f) {
        test_file file = fixture(names[f]);
        int refused = 0;
        for (size_t k = 0; k < 2 * file.size; ++k) {
            const size_t size = k < file.size ? k : file.size;
            uint8_t *bytes = malloc(size + 1);
            assert_non_null(bytes);
            memcpy(bytes, file.data, size);
            if (k >= file.size) {
                bytes[k - file.size] ^= (uint8_t)(1u << k % 8);
            }
            lmbi_npz *npz = NULL;
            lmb_error error = {0};
            if (lmbi_npz_read(bytes, size, NULL, &npz, &error) == LMB_OK) {
                lmbi_npz_destroy(npz);
            } else {
                assert_null(npz);
                assert_true(error.expected[0] != 0);
                ++refused;
            }
            free(bytes);
        }
        assert_true(refused > (int)file.size);
        free(file.data);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    test_file file = fixture("packed.npz");
    for (failing_run f = {0}; failing_next(&f);) {
        lmbi_npz *npz = NULL;
        f.result = lmbi_npz_read(file.data, file.size, &f.alloc, &npz, NULL);
        lmbi_npz_destroy(npz);
    }
    free(file.data);
}

/// Members that lie on each other unpack to any size: the directory names one of them many times.
static void members_do_not_share_their_bytes(void **state)
{
    (void)state;
    static const uint8_t zeros[4000];
    npz_maker maker = {0};
    npz_maker_array(&maker, "poses", "|u1", "(4000,)", zeros, sizeof zeros);
    for (int k = 1; k < 20; ++k) {
        maker.members[k] = maker.members[0];
        snprintf(maker.members[k].name, sizeof maker.members[k].name, "more%d.npy", k);
    }
    maker.count = 20;
    npz_maker_end(&maker);
    lmbi_npz *npz = NULL;
    lmb_error error;
    assert_int_equal(read_made(&maker, &npz, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.expected, "members that lie side by side");
    free(maker.data);
}

/// Arrays that are not asked for may be broken, and are not unpacked.
static void only_what_is_asked_for_is_read(void **state)
{
    (void)state;
    static const char *const names[] = {"poses", "trans", "poses"};
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    npz_maker maker = {0};
    npz_maker_array(&maker, "other", "<f4", "(6,)", numbers, sizeof numbers);
    npz_maker_array(&maker, "poses", "<f4", "(2, 3)", numbers, sizeof numbers);
    npz_maker_array(&maker, "poses", "<f4", "(6,)", numbers, sizeof numbers);
    maker.members[0].crc ^= 1;
    npz_maker_end(&maker);
    lmbi_npz *npz = NULL;
    lmb_error error;
    assert_int_equal(read_made(&maker, &npz, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(lmbi_npz_read_named(maker.data, maker.size, names, 3, NULL, &npz, &error),
                     LMB_OK);
    assert_int_equal(npz->array_count, 1);
    assert_int_equal(lmbi_npz_find(npz, "poses")->dimension_count, 2);
    assert_null(lmbi_npz_find(npz, "other"));
    lmbi_npz_destroy(npz);
    free(maker.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type_that_numpy_writes),
        cmocka_unit_test(reads_stored_archives_and_single_arrays),
        cmocka_unit_test(reads_half_floats),
        cmocka_unit_test(reads_zip64_and_what_was_put_before),
        cmocka_unit_test(counts_that_lie_are_refused),
        cmocka_unit_test(damaged_archives_are_errors),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(members_do_not_share_their_bytes),
        cmocka_unit_test(only_what_is_asked_for_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
