// The chunks of a GLB: which orders and sizes are read, and where the others are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <limber/all.h>

typedef struct chunk {
    const char *type; ///< 4 bytes
    const char *text; ///< a multiple of 4 characters
} chunk;

static const char json_text[] = "{\"asset\":{\"version\":\"2.0\"}} ";
static const chunk json = {"JSON", json_text}, bin = {"BIN\0", "12345678"}, odd = {"ABCD", "1234"};

static size_t put_u32(uint8_t *at, size_t value)
{
    for (int b = 0; b < 4; ++b) {
        at[b] = (uint8_t)(value >> 8 * b);
    }
    return 4;
}

static size_t make_glb(uint8_t *file, const chunk *chunks, size_t count)
{
    size_t size = 12;
    for (size_t k = 0; k < count; ++k) {
        const size_t length = strlen(chunks[k].text);
        size += put_u32(file + size, length);
        memcpy(file + size, chunks[k].type, 4);
        memcpy(file + size + 4, chunks[k].text, length);
        size += 4 + length;
    }
    memcpy(file, "glTF", 4);
    put_u32(file + 4, 2);
    put_u32(file + 8, size);
    return size;
}

/// The byte where the file is refused; 0 when it is read.
static size_t refused_at(const uint8_t *file, size_t size)
{
    lmb_error error = {0};
    lmb_character *c = NULL;
    const lmb_result result = lmb_read(LMB_FORMAT_GLTF, file, size, NULL, NULL, &c, &error);
    lmb_character_destroy(c);
    assert_int_equal(c == NULL, result != LMB_OK);
    return result == LMB_OK ? 0 : error.offset;
}

static void chunks_come_in_one_order(void **state)
{
    (void)state;
    const size_t first = 12 + 8 + sizeof json_text - 1; // where the second chunk starts
    const struct {
        chunk chunks[3];
        size_t count, refused;
    } rows[] = {
        {{json}, 1, 0},
        {{json, bin}, 2, 0},
        {{json, odd}, 2, 0},
        {{json, bin, odd}, 3, 0},
        {{json, bin, bin}, 3, first + 16 + 4},
        {{json, bin, json}, 3, first + 16 + 4},
        {{json, odd, bin}, 3, first + 12 + 4},
        {{bin, json}, 2, 16},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        uint8_t file[256];
        const size_t size = make_glb(file, rows[k].chunks, rows[k].count);
        assert_int_equal(refused_at(file, size), rows[k].refused);
    }
}

static void chunks_end_in_the_file(void **state)
{
    (void)state;
    const chunk chunks[] = {json, bin, odd};
    uint8_t file[256];
    const size_t second = 12 + 8 + sizeof json_text - 1, third = second + 16;
    const size_t size = make_glb(file, chunks, 3);
    assert_int_equal(refused_at(file, size), 0);
    put_u32(file + third, 8); // longer than what is left
    assert_int_equal(refused_at(file, size), third);
    put_u32(file + third, 3); // the next one begins where it ends
    assert_int_equal(refused_at(file, size), third + 11);
    put_u32(file + 8, size - 1);
    assert_int_equal(refused_at(file, size), 0);
    put_u32(file + third, 4);
    put_u32(file + 8, size - 5); // a header cut off
    assert_int_equal(refused_at(file, size), third);
    put_u32(file + 8, size + 1);
    assert_int_equal(refused_at(file, size), 8);
    put_u32(file + 8, size);
    put_u32(file + 4, 1);
    assert_int_equal(refused_at(file, size), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_in_one_order),
        cmocka_unit_test(chunks_end_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
