// Point caches of each kind give the same frames; counts that lie and numbers that are none are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/bytes.h"
#include "io/npz_maker.h"
#include "limber/io.h"

enum { FRAMES = 3, POINTS = 2, FLOATS = FRAMES * POINTS * 3, FILE_SIZE = 256 };

/// Position of a point: all of its numbers differ.
static float number_of(int k)
{
    return 0.5f * (float)(k + 1);
}

typedef struct file {
    uint8_t bytes[FILE_SIZE];
    size_t size;
} file;

static void put(file *f, uint32_t bits, bool big_endian)
{
    for (int k = 0; k < 4; ++k) {
        f->bytes[f->size++] = (uint8_t)(bits >> 8 * (big_endian ? 3 - k : k));
    }
}

static void put_floats(file *f, bool big_endian)
{
    for (int k = 0; k < FLOATS; ++k) {
        put(f, lmbi_bits_of_float(number_of(k)), big_endian);
    }
}

static file make_pc2(uint32_t version, uint32_t points, uint32_t frames)
{
    file f = {.size = 12};
    memcpy(f.bytes, "POINTCACHE2", 12);
    put(&f, version, false);
    put(&f, points, false);
    put(&f, 0, false);
    put(&f, lmbi_bits_of_float(1), false);
    put(&f, frames, false);
    put_floats(&f, false);
    return f;
}

static file make_mdd(void)
{
    file f = {0};
    put(&f, FRAMES, true);
    put(&f, POINTS, true);
    for (int k = 0; k < FRAMES; ++k) {
        put(&f, lmbi_bits_of_float(2 + 0.04f * (float)k), true);
    }
    put_floats(&f, true);
    return f;
}

static lmb_point_cache *read_good(const void *bytes, size_t size, const lmb_point_cache_opts *opts)
{
    lmb_point_cache *cache = NULL;
    lmb_error error = {0};
    assert_true(lmb_content_is(LMB_CONTENT_POINT_CACHE, bytes, size));
    if (lmb_point_cache_read(bytes, size, opts, NULL, &cache, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(cache->frame_count, FRAMES);
    assert_int_equal(cache->point_count, POINTS);
    return cache;
}

static void check_numbers(const lmb_point_cache *cache)
{
    for (int k = 0; k < FLOATS; ++k) {
        assert_float_equal((&cache->positions[0].x)[k], number_of(k), 0);
    }
}

static void pc2_is_read(void **state)
{
    (void)state;
    const file f = make_pc2(1, POINTS, FRAMES);
    lmb_point_cache *cache = read_good(f.bytes, f.size, NULL);
    check_numbers(cache);
    assert_float_equal(cache->rate_hz, 0, 0);
    lmb_point_cache_destroy(cache);
}

static void mdd_is_read_with_its_rate(void **state)
{
    (void)state;
    const file f = make_mdd();
    lmb_point_cache *cache = read_good(f.bytes, f.size, NULL);
    check_numbers(cache);
    assert_float_equal(cache->rate_hz, 25, 1e-3);
    lmb_point_cache_destroy(cache);
}

static void numpy_is_read(void **state)
{
    (void)state;
    float numbers[FLOATS];
    for (int k = 0; k < FLOATS; ++k) {
        numbers[k] = number_of(k);
    }
    npz_maker m = {0};
    const float other[2] = {1, 2};
    npz_maker_array(&m, "faces", "<f4", "(2,)", other, sizeof other);
    npz_maker_array(&m, "verts", "<f4", "(3, 2, 3)", numbers, sizeof numbers);
    npz_maker_end(&m);
    lmb_point_cache *cache = read_good(m.data, m.size, NULL);
    check_numbers(cache);
    lmb_point_cache_destroy(cache);
    free(m.data);
}

static void units_and_axes_are_converted(void **state)
{
    (void)state;
    const file f = make_pc2(1, POINTS, FRAMES);
    const lmb_point_cache_opts opts = {.unit_m = 0.01f, .up = LMB_AXIS_Z};
    lmb_point_cache *cache = read_good(f.bytes, f.size, &opts);
    // +Z up: x stays, z becomes y, y becomes -z.
    assert_float_equal(cache->positions[0].x, 0.01f * number_of(0), 1e-9);
    assert_float_equal(cache->positions[0].y, 0.01f * number_of(2), 1e-9);
    assert_float_equal(cache->positions[0].z, -0.01f * number_of(1), 1e-9);
    lmb_point_cache_destroy(cache);
}

static void refuse(file f, lmb_result code, size_t offset)
{
    lmb_point_cache *cache = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_point_cache_read(f.bytes, f.size, NULL, NULL, &cache, &error), code);
    assert_null(cache);
    assert_int_equal(error.offset, offset);
}

static void lies_are_refused_with_their_byte(void **state)
{
    (void)state;
    refuse(make_pc2(2, POINTS, FRAMES), LMB_ERROR_UNSUPPORTED, 12);
    refuse(make_pc2(1, 0, FRAMES), LMB_ERROR_MALFORMED, 16);
    refuse(make_pc2(1, POINTS, FRAMES + 1), LMB_ERROR_MALFORMED, 32);
    refuse(make_pc2(1, UINT32_MAX, UINT32_MAX), LMB_ERROR_MALFORMED, 32);
    file f = make_pc2(1, POINTS, FRAMES);
    memset(f.bytes + 32 + 12, 0xff, 4);
    refuse(f, LMB_ERROR_MALFORMED, 32 + 12);
    f = make_pc2(1, POINTS, FRAMES);
    f.size = 20;
    refuse(f, LMB_ERROR_MALFORMED, 20);
    f = make_mdd();
    f.size -= 1;
    assert_false(lmb_content_is(LMB_CONTENT_POINT_CACHE, f.bytes, f.size));
    refuse(f, LMB_ERROR_MALFORMED, 0);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    const file mdd = make_mdd();
    for (failing_run f = {.least = 2}; failing_next(&f);) {
        lmb_point_cache *cache = NULL;
        f.result = lmb_point_cache_read(mdd.bytes, mdd.size, NULL, &f.alloc, &cache, NULL);
        assert_true((cache != NULL) == (f.result == LMB_OK));
        lmb_point_cache_destroy(cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pc2_is_read),
        cmocka_unit_test(mdd_is_read_with_its_rate),
        cmocka_unit_test(numpy_is_read),
        cmocka_unit_test(units_and_axes_are_converted),
        cmocka_unit_test(lies_are_refused_with_their_byte),
        cmocka_unit_test(any_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
