#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "io/base64.h"
#include "limber/base.h"

// RFC 4648, chapter 10.
static const char *const plain[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
static const char *const coded[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};

static void encodes_the_vectors_of_the_rfc(void **state)
{
    (void)state;
    for (size_t k = 0; k < 7; ++k) {
        lmbi_text text;
        lmbi_text_init(&text, NULL);
        lmbi_base64_encode(&text, (const uint8_t *)plain[k], strlen(plain[k]));
        assert_false(text.failed);
        assert_int_equal(text.size, strlen(coded[k]));
        assert_memory_equal(text.data ? (const char *)text.data : "", coded[k], text.size);
        lmbi_text_free(&text);
    }
}

static void decodes_with_and_without_padding(void **state)
{
    (void)state;
    for (size_t k = 0; k < 7; ++k) {
        uint8_t out[16];
        size_t size = 0, bad = 0;
        assert_true(lmbi_base64_decode(coded[k], strlen(coded[k]), out, &size, &bad));
        assert_int_equal(size, strlen(plain[k]));
        assert_memory_equal(out, plain[k], size);
        assert_true(lmbi_base64_decode(coded[k], strcspn(coded[k], "="), out, &size, &bad));
        assert_int_equal(size, strlen(plain[k]));
    }
}

static void names_the_character_that_does_not_belong(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t bad;
    } cases[] = {{"Zm9-", 3}, {"Z=9v", 1}, {"Zm9vY", 5}, {"Zm 9", 2}, {"Zm9v====", 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        uint8_t out[16];
        size_t size = 0, bad = 99;
        assert_false(lmbi_base64_decode(cases[k].text, strlen(cases[k].text), out, &size, &bad));
        assert_int_equal(bad, cases[k].bad);
    }
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(7);
    for (size_t size = 0; size < 200; ++size) {
        uint8_t bytes[200], back[256];
        for (size_t k = 0; k < size; ++k) {
            bytes[k] = (uint8_t)lmb_random_u32(&random);
        }
        lmbi_text text;
        lmbi_text_init(&text, NULL);
        lmbi_base64_encode(&text, bytes, size);
        size_t back_size = 0, bad = 0;
        assert_true(lmbi_base64_bound(text.size) <= sizeof back);
        assert_true(lmbi_base64_decode(text.data ? (const char *)text.data : "", text.size, back,
                                       &back_size, &bad));
        assert_int_equal(back_size, size);
        assert_memory_equal(back, bytes, size);
        lmbi_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_the_vectors_of_the_rfc),
        cmocka_unit_test(decodes_with_and_without_padding),
        cmocka_unit_test(names_the_character_that_does_not_belong),
        cmocka_unit_test(any_bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
