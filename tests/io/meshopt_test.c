// Packed arrays: what meshoptimizer 1.3 wrote of arrays that are known, the specification's own example, and streams that are broken.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "io/bytes.h"
#include "io/meshopt.h"

// Twenty elements of 8 bytes: k² and 1000 - 137 k in 16 bits, k/4 as a float.
static const char version0[] =
    "a0070002060a0e12161a1e22262a2e32363aff0000003e42464a04800000000700eeeeeeeeeeeeeeeeee"
    "eeeeeeeeeeeeff000000eeeeeeee05044444511100000000000700ffff80804040404020202020202020"
    "ff0000002010101001380080007c0000000000000000000000000000000000000000000000000000e803"
    "00000000";
static const char version1[] =
    "a17b3a0002060a0e12161a1e22262a2e32363a3e42464a00111111111111111111111111111111111111"
    "1105155555555500000000000080804040404020202020202020201010100106007d0100000000000000"
    "000000000000000000e803000000000101";
static const lmbi_meshopt_array elements = {.count = 20, .stride = 8};

// The triangles of a grid of 5 by 4 vertices, and two that share nothing.
static const char triangles[] =
    "e1fe1e100e100e100ece1e160e150e140ece1e140e140e140effff0f0aff2a41e22effdd2e010b007687"
    "566778a9866589689801690000";
static const lmbi_meshopt_array corners = {
    .mode = LMBI_MESHOPT_TRIANGLES, .count = 78, .stride = 2};

static const char indices[] = "d100a11f04050405b88b119b1f00000000";
static const lmbi_meshopt_array numbers = {.mode = LMBI_MESHOPT_INDICES, .count = 8, .stride = 4};

typedef struct stream {
    uint8_t bytes[160];
    size_t size;
} stream;

static stream stream_of(const char *text)
{
    stream s = {.size = strlen(text) / 2};
    assert_true(s.size <= sizeof s.bytes);
    for (size_t k = 0; k < s.size; ++k) {
        s.bytes[k] = (uint8_t)(lmbi_hex_value(text[2 * k]) << 4 | lmbi_hex_value(text[2 * k + 1]));
    }
    return s;
}

static bool unpacks(const lmbi_meshopt_array *array, stream s, uint8_t *out)
{
    return lmbi_meshopt_unpack(array, s.bytes, s.size, out);
}

static void expect_elements(const char *text)
{
    uint8_t out[160];
    assert_true(unpacks(&elements, stream_of(text), out));
    for (int k = 0; k < 20; ++k) {
        assert_int_equal(lmbi_load_u16(out + 8 * k), k * k);
        assert_int_equal((int16_t)lmbi_load_u16(out + 8 * k + 2), 1000 - 137 * k);
        assert_true(lmbi_load_f32(out + 8 * k + 4) == (float)k / 4);
    }
}

static void attributes_of_both_versions(void **state)
{
    (void)state;
    expect_elements(version0);
    expect_elements(version1);
}

/// "-1 -4 -3 26 -91 0 -6 6 -4 -4 5 -5 1 -1 0 0" in the specification, in the first of four bytes.
static void the_example_of_the_specification(void **state)
{
    static const int deltas[16] = {-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0};
    static const uint8_t packed[] = {0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5};
    const lmbi_meshopt_array array = {.count = 16, .stride = 4};
    uint8_t data[1 + 1 + sizeof packed + 3 + 32] = {0xa0, 2}, out[64];
    (void)state;
    memcpy(data + 2, packed, sizeof packed);
    data[sizeof data - 4] = 100; // the baseline
    assert_true(lmbi_meshopt_unpack(&array, data, sizeof data, out));
    int value = 100;
    for (int k = 0; k < 16; ++k) {
        value += deltas[k];
        assert_int_equal(out[4 * k], (uint8_t)value);
        assert_int_equal(out[4 * k + 1], 0);
    }
}

/// In the sixteenth element only: one rotated by 31 bits onto the element before.
static void bits_of_the_difference_are_rotated(void **state)
{
    const lmbi_meshopt_array array = {.count = 16, .stride = 4};
    uint8_t data[1 + 1 + 16 + 24] = {0xa1, 2 << 2 | 2 << 4 | 2 << 6 | 3}, out[64];
    (void)state;
    data[2 + 15] = 3;
    data[sizeof data - 1] = 2 | 15 << 4;
    assert_true(lmbi_meshopt_unpack(&array, data, sizeof data, out));
    assert_int_equal(lmbi_load_u32(out + 56), 0);
    assert_int_equal(lmbi_load_u32(out + 60), 3u << 15);
    data[sizeof data - 1] = 3;
    assert_false(lmbi_meshopt_unpack(&array, data, sizeof data, out));
}

static void triangles_and_indices(void **state)
{
    static const uint16_t last[] = {18, 14, 19, 40, 7, 3000, 9, 8, 2};
    static const uint32_t wanted[] = {0, 1000, 1, 1001, 2, 1002, 70000, 3};
    uint8_t out[156], words[32];
    (void)state;
    assert_true(unpacks(&corners, stream_of(triangles), out));
    for (uint32_t k = 0; k < 12; ++k) { // a square of the grid has two triangles
        const uint32_t q = k / 4 * 5 + k % 4;
        uint32_t sum = 0;
        for (uint32_t c = 0; c < 6; ++c) {
            sum += lmbi_load_u16(out + 12 * k + 2 * c);
        }
        assert_int_equal(sum, q + 2 * (q + 1) + 2 * (q + 5) + q + 6);
    }
    for (uint32_t k = 0; k < 9; ++k) {
        assert_int_equal(lmbi_load_u16(out + 2 * (69 + k)), last[k]);
    }
    assert_true(unpacks(&numbers, stream_of(indices), words));
    for (uint32_t k = 0; k < 8; ++k) {
        assert_int_equal(lmbi_load_u32(words + 4 * k), wanted[k]);
    }
}

/// A stream of version 0 whose elements are all what is given: one group, no deltas.
static void unfilter(lmbi_meshopt_filter filter, const uint8_t *element, uint32_t stride,
                     uint8_t *out)
{
    uint8_t data[1 + 8 + 32] = {0xa0};
    const lmbi_meshopt_array array = {.count = 1, .stride = stride, .filter = filter};
    assert_true(lmbi_meshopt_is_valid(&array));
    memcpy(data + 1 + stride + 32 - stride, element, stride);
    assert_true(lmbi_meshopt_unpack(&array, data, 1 + stride + 32, out));
}

static void filters(void **state)
{
    (void)state;
    uint8_t out[8];
    unfilter(LMBI_MESHOPT_OCTAHEDRAL, (const uint8_t[]){0x7f, 0x49, 0x7f, 0x7f}, 4, out);
    assert_true(abs((int8_t)out[0] - 76) <= 1 && out[1] == 0); // .6, 0, -.8 in 127ths
    assert_true(abs((int8_t)out[2] + 102) <= 1 && out[3] == 0x7f);
    unfilter(LMBI_MESHOPT_QUATERNION,
             (const uint8_t[]){0x37, 0xf9, 0x00, 0x00, 0x00, 0x00, 0xff, 0x07}, 8, out);
    assert_true(abs((int16_t)lmbi_load_u16(out) + 19660) < 12); // -.6, 0, 0, .8
    assert_true(abs((int16_t)lmbi_load_u16(out + 6) - 26214) < 12);
    unfilter(LMBI_MESHOPT_EXPONENTIAL, (const uint8_t[]){0xc0, 0x5d, 0x00, 0xfd}, 4, out);
    assert_true(lmbi_load_f32(out) == 3000.0f);
    unfilter(LMBI_MESHOPT_EXPONENTIAL, (const uint8_t[]){0x00, 0xc0, 0xff, 0xf0}, 4, out);
    assert_true(lmbi_load_f32(out) == -0.25f);
    unfilter(LMBI_MESHOPT_COLOR, (const uint8_t[]){0x40, 0x7f, 0xc1, 0xff}, 4, out);
    assert_true(out[0] >= 254 && out[1] <= 1 && out[2] <= 1 && out[3] == 255); // red
    unfilter(LMBI_MESHOPT_COLOR, (const uint8_t[]){0x66, 0xcd, 0x00, 0xc0}, 4, out);
    assert_true(abs(out[0] - 51) <= 1 && abs(out[1] - 102) <= 1 && abs(out[2] - 153) <= 1);
}

static void expect_refused(const lmbi_meshopt_array *array, const char *text, size_t tail)
{
    const stream whole = stream_of(text);
    uint8_t out[160];
    for (size_t k = 0; k < whole.size; ++k) {
        uint8_t *part = malloc(k ? k : 1); // so that a sanitizer sees what is read behind it
        assert_non_null(part);
        memcpy(part, whole.bytes, k);
        assert_false(lmbi_meshopt_unpack(array, part, k, out));
        free(part);
    }
    stream other = whole;
    const size_t end = whole.size - tail;
    memcpy(other.bytes + end + 1, whole.bytes + end, tail);
    other.bytes[end] = 0;
    ++other.size;
    assert_false(unpacks(array, other, out));
    other = whole;
    other.bytes[0] ^= 0x10;
    assert_false(unpacks(array, other, out));
}

static void streams_that_are_cut_or_too_long(void **state)
{
    (void)state;
    expect_refused(&elements, version0, 32);
    expect_refused(&elements, version1, 24);
    expect_refused(&corners, triangles, 16);
    expect_refused(&numbers, indices, 4);
    // The first triangle on an edge, of which there is none yet.
    stream broken = stream_of(triangles);
    uint8_t out[156];
    broken.bytes[1] = 0x00;
    assert_false(unpacks(&corners, broken, out));
}

static void what_does_not_go_together(void **state)
{
    static const lmbi_meshopt_array bad[] = {
        {.stride = 6},
        {.stride = 260},
        {.stride = 0},
        {.stride = 12, .filter = LMBI_MESHOPT_OCTAHEDRAL},
        {.stride = 4, .filter = LMBI_MESHOPT_QUATERNION},
        {.mode = LMBI_MESHOPT_TRIANGLES, .stride = 2, .count = 4},
        {.mode = LMBI_MESHOPT_INDICES, .stride = 1},
        {.mode = LMBI_MESHOPT_INDICES, .stride = 4, .filter = LMBI_MESHOPT_COLOR},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_false(lmbi_meshopt_is_valid(&bad[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_of_both_versions),
        cmocka_unit_test(the_example_of_the_specification),
        cmocka_unit_test(bits_of_the_difference_are_rotated),
        cmocka_unit_test(triangles_and_indices),
        cmocka_unit_test(filters),
        cmocka_unit_test(streams_that_are_cut_or_too_long),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
