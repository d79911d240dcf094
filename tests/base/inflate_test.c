// Inflate against streams written by hand and by other programs; against zlib, where it is there,
// on every block type, on streams cut off and on streams with bytes changed: the same data, and the
// same verdict.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/inflate.h"
#ifdef TEST_HAS_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

static void checksums_have_their_published_values(void **state)
{
    (void)state;
    const uint8_t *digits = (const uint8_t *)"123456789";
    assert_int_equal(lmbi_crc32(0, digits, 9), 0xcbf43926);
    assert_int_equal(lmbi_crc32(lmbi_crc32(0, digits, 4), digits + 4, 5), 0xcbf43926);
    assert_int_equal(lmbi_adler32(1, (const uint8_t *)"Wikipedia", 9), 0x11e60398);
    uint8_t ones[100000];
    memset(ones, 255, sizeof ones);
    uint32_t a = 1, b = 0;
    for (size_t k = 0; k < sizeof ones; ++k) {
        a = (a + 255) % 65521;
        b = (b + a) % 65521;
    }
    assert_int_equal(lmbi_adler32(1, ones, sizeof ones), b << 16 | a);
    a = 1, b = 0;
    for (uint32_t k = 0; k < 100; ++k) { // of any length: eights, and what is left
        ones[k] = (uint8_t)(k * 89 + 7);
        a += ones[k];
        b += a;
        assert_int_equal(lmbi_adler32(1, ones, k + 1), (b % 65521) << 16 | a);
    }
}

static void expect(const uint8_t *in, size_t in_size, const char *text)
{
    uint8_t out[64];
    lmbi_inflated done = {0};
    lmb_error error = {0};
    if (lmbi_inflate(in, in_size, out, strlen(text), &done, &error) != LMB_OK) {
        fail_msg("byte %zu: expected %s, found %s", error.offset, error.expected, error.found);
    }
    assert_int_equal(done.out_size, strlen(text));
    assert_memory_equal(out, text, done.out_size);
    for (size_t cut = 0; cut < done.in_used; ++cut) {
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, in, cut);
        assert_int_equal(lmbi_inflate(exact, cut, out, sizeof out, &done, &error),
                         LMB_ERROR_MALFORMED);
        free(exact);
    }
}

static void reads_streams_written_by_hand(void **state)
{
    (void)state;
    static const uint8_t stored[] = {1, 5, 0, 0xfa, 0xff, 'h', 'e', 'l', 'l', 'o', 99};
    expect(stored, sizeof stored, "hello");
    static const uint8_t empty[] = {3, 0};
    expect(empty, sizeof empty, "");
    // Fixed codes: "aa", then 6 bytes from one back.
    static const uint8_t run[] = {0x4b, 0x4c, 0x84, 0x00, 0x00};
    expect(run, sizeof run, "aaaaaaaa");
    static const uint8_t hello[] = {0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0x01};
    expect(hello, sizeof hello, "hello hello hello hello");
}

static void refuses(const uint8_t *in, size_t size, lmb_result want, const char *expected)
{
    uint8_t out[64];
    lmbi_inflated done = {0};
    lmb_error error = {0};
    assert_int_equal(lmbi_inflate_zlib(in, size, out, sizeof out, &done, &error), want);
    assert_string_equal(error.expected, expected);
}

static void names_what_is_wrong(void **state)
{
    (void)state;
    static const uint8_t good[] = {0x78, 0x9c, 0x4b, 0x4c, 0x84, 0x00,
                                   0x00, 0x0d, 0xac, 0x03, 0x09};
    uint8_t out[64];
    lmbi_inflated done = {0};
    assert_int_equal(lmbi_inflate_zlib(good, sizeof good, out, 64, &done, NULL), LMB_OK);
    assert_int_equal(done.in_used, sizeof good);
    assert_int_equal(done.out_size, 8);
    lmb_error error = {0};
    assert_int_equal(lmbi_inflate_zlib(good, sizeof good, out, 7, &done, &error),
                     LMB_ERROR_MALFORMED);
    assert_string_equal(error.expected, "no more data than the file says");
    uint8_t bad[sizeof good];
    memcpy(bad, good, sizeof good);
    bad[10] ^= 1;
    refuses(bad, sizeof bad, LMB_ERROR_MALFORMED, "the Adler-32 of the data");
    refuses(good, 9, LMB_ERROR_MALFORMED, "the 4 bytes of an Adler-32");
    refuses(good, 4, LMB_ERROR_MALFORMED, "more compressed data");
    refuses((const uint8_t *)"\x78\x9d", 2, LMB_ERROR_MALFORMED, "the two bytes of a zlib stream");
    refuses((const uint8_t *)"\x78\xbb\1\1\1\1", 6, LMB_ERROR_UNSUPPORTED,
            "a zlib stream by itself");
    refuses((const uint8_t *)"\x78\x9c\x07", 3, LMB_ERROR_MALFORMED, "a block of type 0, 1 or 2");
    refuses((const uint8_t *)"\x78\x9c\x4b\x04\x12\x00", 6, LMB_ERROR_MALFORMED,
            "a distance back into the data");
    refuses((const uint8_t *)"\x78\x9c\x01\x05\x00\xfb\xff", 7, LMB_ERROR_MALFORMED,
            "a stored block's length twice");
}

#ifdef TEST_HAS_ZLIB

static uint32_t rolled = 1;
static uint32_t roll(void)
{
    rolled = rolled * 1664525u + 1013904223u;
    return rolled >> 8;
}

/// Text-like, float-like, random, and long runs: what makes short and long codes, near and far
/// matches.
static void make_data(uint8_t *data, size_t size, int kind)
{
    for (size_t k = 0; k < size; ++k) {
        const uint32_t r = roll();
        switch (kind) {
        case 0:
            data[k] = (uint8_t)("etaoin shrdlu"[r % 13]);
            break;
        case 1:
            data[k] = (uint8_t)r;
            break;
        case 2:
            data[k] = k > 40000 && r % 8 ? data[k - 32768] : (uint8_t)(r % 5 ? 0 : r);
            break;
        case 3:
            data[k] = (uint8_t)(k / 1000);
            break;
        default: // few symbols that are very frequent and many that are rare: words of 15 bits
            data[k] = (uint8_t)(r & 1 ? 0 : r & 2 ? 1 : r & 4 ? 2 : r & 0xf8 ? 3 + r % 4 : r >> 9);
        }
    }
}

static size_t deflated(const uint8_t *data, size_t size, int level, int strategy, uint8_t *out,
                       size_t capacity)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15, 1 + (int)(roll() % 9), strategy),
                     Z_OK);
    z.next_in = data;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static void reads_what_zlib_writes(void **state)
{
    (void)state;
    enum { MOST = 300000 };
    uint8_t *data = malloc(MOST), *packed = malloc(2 * MOST), *out = malloc(MOST + 1);
    assert_true(data && packed && out);
    static const size_t sizes[] = {0, 1, 2, 3, 257, 300, 1000, 33000, 65536, MOST};
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE,
                                     Z_FIXED};
    for (int kind = 0; kind < 5; ++kind) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            make_data(data, sizes[s], kind);
            for (int level = 0; level <= 9; level += 3) {
                const int strategy = strategies[roll() % 5];
                const size_t n = deflated(data, sizes[s], level, strategy, packed, 2 * MOST);
                lmbi_inflated done = {0};
                out[sizes[s]] = 77;
                assert_int_equal(lmbi_inflate_zlib(packed, n, out, sizes[s], &done, NULL), LMB_OK);
                assert_int_equal(done.out_size, sizes[s]);
                assert_int_equal(done.in_used, n);
                assert_memory_equal(out, data, sizes[s]);
                assert_int_equal(out[sizes[s]], 77);
            }
        }
    }
    free(data);
    free(packed);
    free(out);
}

/// zlib's verdict on a bare stream, all at once.
static bool zlib_reads(const uint8_t *in, size_t size, uint8_t *out, size_t capacity, size_t *used,
                       size_t *made)
{
    z_stream z = {0};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    z.next_in = in;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    const int verdict = inflate(&z, Z_FINISH);
    *used = z.total_in;
    *made = z.total_out;
    inflateEnd(&z);
    return verdict == Z_STREAM_END;
}

static void agrees_with_zlib_on_damaged_streams(void **state)
{
    (void)state;
    enum { SIZE = 3000, ROOM = 40000 };
    uint8_t data[SIZE], packed[2 * SIZE], *ours = malloc(ROOM), *theirs = malloc(ROOM);
    assert_true(ours && theirs);
    int good = 0, bad = 0;
    for (int round = 0; round < 6000; ++round) {
        const size_t size = 1 + roll() % SIZE;
        make_data(data, size, round % 5);
        const size_t n = deflated(data, size, 1 + round % 9,
                                  round % 7 ? Z_DEFAULT_STRATEGY : Z_FIXED, packed, sizeof packed) -
                         6; // without header and Adler-32
        uint8_t *in = malloc(n);
        assert_non_null(in);
        memcpy(in, packed + 2, n);
        for (uint32_t k = roll() % 4; k > 0; --k) {
            // Headers of blocks are where most can go wrong.
            in[roll() % (roll() % 2 ? n : n < 60 ? n : 60)] ^= (uint8_t)(1u << roll() % 8);
        }
        const size_t cut = roll() % 5 ? n : roll() % (n + 1);
        lmbi_inflated done = {0};
        size_t used = 0, made = 0;
        memset(ours, 0, ROOM);
        memset(theirs, 0, ROOM);
        const bool is_good = zlib_reads(in, cut, theirs, ROOM, &used, &made);
        const lmb_result result = lmbi_inflate(in, cut, ours, ROOM, &done, NULL);
        assert_int_equal(result == LMB_OK, is_good);
        if (is_good) {
            assert_int_equal(done.in_used, used);
            assert_int_equal(done.out_size, made);
            assert_memory_equal(ours, theirs, made);
        }
        good += is_good;
        bad += !is_good;
        free(in);
    }
    assert_true(good > 500 && bad > 500);
    free(ours);
    free(theirs);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_have_their_published_values),
        cmocka_unit_test(reads_streams_written_by_hand),
        cmocka_unit_test(names_what_is_wrong),
#ifdef TEST_HAS_ZLIB
        cmocka_unit_test(reads_what_zlib_writes),
        cmocka_unit_test(agrees_with_zlib_on_damaged_streams),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
