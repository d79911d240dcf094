#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void hex_of(const void *bytes, size_t size, char text[LMBI_SHA256_HEX])
{
    lmbi_sha256 hash;
    uint8_t digest[LMBI_SHA256_SIZE];
    lmbi_sha256_start(&hash);
    lmbi_sha256_add(&hash, bytes, size);
    lmbi_sha256_end(&hash, digest);
    lmbi_sha256_hex(digest, text);
}

/// The examples of FIPS 180-2 and of NIST's page of them.
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
         "lmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    char text[LMBI_SHA256_HEX];
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        hex_of(cases[k].message, strlen(cases[k].message), text);
        assert_string_equal(text, cases[k].digest);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    hex_of(million, 1000000, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/// However the bytes come in, and wherever the padding falls.
static void pieces_make_no_difference(void **state)
{
    (void)state;
    uint8_t bytes[300];
    char whole[LMBI_SHA256_HEX], pieces[LMBI_SHA256_HEX];
    uint8_t digest[LMBI_SHA256_SIZE];
    for (size_t k = 0; k < sizeof(bytes); ++k) {
        bytes[k] = (uint8_t)(k * 31 + 7);
    }
    for (size_t size = 0; size <= sizeof(bytes); ++size) {
        hex_of(bytes, size, whole);
        for (size_t step = 1; step < 140; step += 23) {
            lmbi_sha256 hash;
            lmbi_sha256_start(&hash);
            for (size_t at = 0; at < size; at += step) {
                lmbi_sha256_add(&hash, bytes + at, size - at < step ? size - at : step);
            }
            lmbi_sha256_end(&hash, digest);
            lmbi_sha256_hex(digest, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}

/// coreutils' sha256sum says the same, around every length at which the padding changes.
static void sha256sum_agrees(void **state)
{
    (void)state;
    for (size_t size = 0; size < 200; size += 7) {
        uint8_t bytes[200];
        char command[1100], mine[LMBI_SHA256_HEX], theirs[LMBI_SHA256_HEX] = {0};
        int length = sprintf(command, "printf %%b '");
        for (size_t k = 0; k < size; ++k) {
            bytes[k] = (uint8_t)(k * 5 + size);
            length += sprintf(command + length, "\\0%03o", bytes[k]);
        }
        sprintf(command + length, "' | sha256sum 2>/dev/null");
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        const size_t got = fread(theirs, 1, 64, pipe);
        if (pclose(pipe) != 0 || got != 64) {
            skip();
        }
        hex_of(bytes, size, mine);
        assert_string_equal(mine, theirs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(sha256sum_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
