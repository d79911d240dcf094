#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/files.h"
#include "io/surface/surface.h"

typedef lmb_result mesh_reader(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                               const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

static lmb_character *read_bytes(mesh_reader *reader, const void *bytes, size_t size)
{
    lmb_character *c = NULL;
    lmb_error error = {0};
    const lmb_result result = reader(bytes, size, NULL, NULL, &c, &error);
    if (result != LMB_OK) {
        print_error("%u:%u @%zu expected %s, found %s\n", error.line, error.column, error.offset,
                    error.expected, error.found);
    }
    assert_int_equal(result, LMB_OK);
    return c;
}

static void assert_error(mesh_reader *reader, const void *bytes, size_t size, unsigned line,
                         unsigned column, size_t offset)
{
    lmb_character *c = NULL;
    lmb_error error = {0};
    assert_int_equal(reader(bytes, size, NULL, NULL, &c, &error), LMB_ERROR_MALFORMED);
    assert_null(c);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_int_equal(error.offset, offset);
}

static const char ply_text[] =
    "ply\r\nformat ascii 1.0\r\ncomment made\r\nelement thing 2\r\nproperty list uchar int list\r\n"
    "element vertex 5\r\nproperty uchar red\r\nproperty double x\r\nproperty float y\r\n"
    "property float z\r\nproperty uchar green\r\nproperty uchar blue\r\nproperty float nx\r\n"
    "property float ny\r\nproperty float nz\r\nproperty float s\r\nproperty float t\r\n"
    "property int extra\r\nelement face 2\r\nproperty uchar flags\r\n"
    "property list uchar uint vertex_index\r\nend_header\r\n2 1 2\r\n0\r\n"
    "255 0 0 0 0 128 0 0 1 .25 .25 7\r\n255 1 0 0 0 128 0 0 1 0 0 7\r\n255 1 1 0 0 128 0 0 1 0 0 "
    "7\r\n"
    "255 0 1 0 0 128 0 0 1 0 0 7\r\n0 9 9 9 0 0 0 0 1 0 0 7\r\n1 4 0 1 2 3\r\n1 3 0 2 3";

static void check_ply(const lmb_character *c)
{
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->vertex_count, 5);
    assert_int_equal(m->polygon_count, 2);
    assert_int_equal(m->index_count, 9);
    assert_null(m->source_position);
    assert_float_equal(m->positions[2].y, 1, 0);
    assert_float_equal(m->normals[0].z, 1, 0);
    assert_float_equal(m->uvs[0][0].y, 0.75f, 0);
    assert_float_equal(m->colors[0][0].x, 1, 1e-6);
    assert_float_equal(m->colors[0][0].z, 0.21586f, 1e-5);
    assert_int_equal(m->primitives[0].attributes, LMB_HAS_NORMALS | LMB_HAS_UV0 | LMB_HAS_COLOR0);
}

static void reads_ply_text(void **state)
{
    (void)state;
    lmb_character *c = read_bytes(lmbi_ply_read, ply_text, sizeof ply_text - 1);
    check_ply(c);
    lmb_character_destroy(c);
}

static void writes_ply_both_ways(void **state)
{
    (void)state;
    lmb_character *c = read_bytes(lmbi_ply_read, ply_text, sizeof ply_text - 1);
    for (int ascii = 0; ascii < 2; ++ascii) {
        lmb_buffer out = {0};
        assert_int_equal(
            lmbi_ply_write(c, &(lmbi_mesh_write_opts){.ascii = ascii}, NULL, &out, NULL), LMB_OK);
        lmb_character *again = read_bytes(lmbi_ply_read, out.data, out.size);
        check_ply(again);
        assert_null(test_mesh_difference(c->meshes[0], again->meshes[0]));
        lmb_character_destroy(again);
        lmb_buffer_free(&out);
    }
    lmb_character_destroy(c);
}

/// A triangle of shorts, by hand, in either byte order; the data begins with the byte of a line
/// feed.
static size_t make_binary(uint8_t *out, bool big)
{
    const size_t header =
        (size_t)sprintf((char *)out,
                        "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty short x\n"
                        "property short y\nproperty int8 z\nelement tristrips 1\n"
                        "property list int int vertex_indices\nend_header\n",
                        big ? "big" : "little");
    static const int16_t xy[6] = {10, 0, -5, 300, 7, 8};
    uint8_t *at = out + header;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) {
            const uint16_t v = (uint16_t)xy[2 * i + k];
            *at++ = (uint8_t)(big ? v >> 8 : v);
            *at++ = (uint8_t)(big ? v : v >> 8);
        }
        *at++ = (uint8_t)(256 - i);
    }
    static const int32_t strip[9] = {8, 0, 1, 2, -1, 2, 1, 0, 1};
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 4; ++k) {
            *at++ = (uint8_t)((uint32_t)strip[i] >> (8 * (big ? 3 - k : k)));
        }
    }
    return (size_t)(at - out);
}

static void reads_ply_binary_of_both_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; ++big) {
        uint8_t bytes[512];
        const size_t size = make_binary(bytes, big);
        lmb_character *c = read_bytes(lmbi_ply_read, bytes, size);
        const lmb_mesh *m = c->meshes[0];
        assert_float_equal(m->positions[1].x, -5, 0);
        assert_float_equal(m->positions[1].y, 300, 0);
        assert_float_equal(m->positions[2].z, -2, 0);
        // Two strips: 0 1 2, and 2 1 0 whose last triangle 1 0 1 is degenerate.
        assert_int_equal(m->index_count, 6);
        assert_int_equal(m->indices[3], 2);
        lmb_character_destroy(c);
        assert_error(lmbi_ply_read, bytes, size - 1, 0, 0, size - 4);
        bytes[size - (big ? 1 : 4)] = 77;
        assert_error(lmbi_ply_read, bytes, size, 0, 0, size - 4);
    }
}

static void says_where_a_ply_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
    } cases[] = {
        {"plyx\n", 1, 1},
        {"ply\nformat text 1.0\n", 2, 8},
        {"ply\nelement vertex 3\n", 2, 1},
        {"ply\nformat ascii 1.0\nelement vertex 1e99\n", 3, 16},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int a\n", 4, 15},
        {"ply\nformat ascii 1.0\nelement vertex 1000\nproperty float x\nproperty float y\nproperty "
         "float z\nend_header\n",
         3, 9},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
         "float z\nend_header\n0 1 nan\n",
         8, 5},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
         "float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 1 2\n3 0 0 1\n",
         11, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_error(lmbi_ply_read, cases[i].text, strlen(cases[i].text), cases[i].line,
                     cases[i].column, 0);
    }
}

static void reads_off(void **state)
{
    (void)state;
    static const char *const same[] = {
        "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n",
        ("# c\n  OFF4 2\n# c\n0 0 0 # c\n\n1 0 0\r\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n"
         "3 0 1 2 0.5 0.5 0.5 1"),
        "4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0\n1 2 3\n3 0 1 2\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
        lmb_character *c = read_bytes(lmbi_off_read, same[i], strlen(same[i]));
        assert_int_equal(c->meshes[0]->vertex_count, 4);
        assert_int_equal(c->meshes[0]->polygon_count, 2);
        lmb_character_destroy(c);
    }
    const char rich[] = "STCNOFF 3 1 0\n0 0 0 0 0 1 1 0.5 0 1 .5 .25\n1 0 0 0 0 1 1 1 1 1 0 0\n0 1 "
                        "0 0 0 1 1 1 1 1 0 0\n3 0 1 2\n";
    lmb_character *c = read_bytes(lmbi_off_read, rich, sizeof rich - 1);
    assert_float_equal(c->meshes[0]->normals[0].z, 1, 0);
    assert_float_equal(c->meshes[0]->uvs[0][0].y, 0.75f, 0);
    assert_float_equal(c->meshes[0]->colors[0][0].y, 0.214041f, 1e-5);
    lmb_character_destroy(c);
    assert_error(lmbi_off_read, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 36, 6, 7, 0);
    lmb_error error;
    assert_int_equal(lmbi_off_read("OFF BINARY\n", 11, NULL, NULL, &c, &error),
                     LMB_ERROR_UNSUPPORTED);
}

static void put_float(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    for (int i = 0; i < 4; ++i) {
        at[i] = (uint8_t)(bits >> (8 * i));
    }
}

static void reads_ply_rows_of_more_values_than_named(void **state)
{
    (void)state;
    static const char head[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                               "property float y\nproperty float z\nelement face 1\n"
                               "property list uchar int vertex_indices\nend_header\n";
    static const char *const rows[] = {
        "0 0 0 0.5 0.5 0.5\n1 0 0 7 7 7\n\n0 1 0 8 8 8\n3 0 1 2 9\n", // further values on lines
        "0 0 0 1 0 0\n0 1 0\n3 0 1 2\n",                              // two vertices on a line
        "0 0\n0 1\n0 0 0 1\n0 3\n0 1 2\n",                            // rows of parts of lines
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[400];
        (void)snprintf(text, sizeof text, "%s%s", head, rows[i]);
        lmb_character *c = read_bytes(lmbi_ply_read, text, strlen(text));
        assert_int_equal(c->meshes[0]->vertex_count, 3);
        assert_int_equal(c->meshes[0]->index_count, 3);
        assert_true(c->meshes[0]->positions[1].x == 1 && c->meshes[0]->positions[2].y == 1);
        lmb_character_destroy(c);
    }
}

static void reads_careless_stl(void **state)
{
    (void)state;
    static const char text[] =
        "made by hand\n\n# on a Sunday\nsolid square\nfacet normal 0 0 1\nouter loop\nvertex 0 0 "
        "0\n"
        "vertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    lmb_character *c = read_bytes(lmbi_stl_read, text, sizeof text - 1);
    assert_int_equal(c->meshes[0]->vertex_count, 4);
    assert_int_equal(c->meshes[0]->index_count, 6);
    assert_string_equal(c->meshes[0]->primitives[0].name, "square");
    lmb_character_destroy(c);

    static const char two[] = "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n";
    assert_error(lmbi_stl_read, two, sizeof two - 1, 6, 1, 0);
}

static void reads_stl_of_both_kinds(void **state)
{
    (void)state;
    const char text[] = "solid two words\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   "
                        "vertex 1 0 0\n   vertex 0 1e0 0\n"
                        "  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 0 1 "
                        "-0\n   vertex 1 0 0\n   vertex 1 1 0\n"
                        "  endloop\n endfacet\nendsolid two words\n";
    lmb_character *c = read_bytes(lmbi_stl_read, text, sizeof text - 1);
    assert_int_equal(c->meshes[0]->vertex_count, 4);
    assert_string_equal(c->meshes[0]->primitives[0].name, "two words");
    lmb_character_destroy(c);
    assert_error(lmbi_stl_read, text, (size_t)(strstr(text, "-0") - text), 11, 15, 0);

    // A binary file whose header says solid, as some writers do.
    uint8_t binary[84 + 100] = "solid but binary";
    static const float corners[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, -0.0f, 1, 0, 0, 1, 1, 0};
    binary[80] = 2;
    for (size_t i = 0; i < 18; ++i) {
        put_float(binary + 84 + 50 * (i / 9) + 12 + 4 * (i % 9), corners[i]);
    }
    c = read_bytes(lmbi_stl_read, binary, sizeof binary);
    assert_int_equal(c->meshes[0]->vertex_count, 4);
    assert_int_equal(c->meshes[0]->index_count, 6);
    lmb_character_destroy(c);
    binary[0] = 'x';
    assert_error(lmbi_stl_read, binary, sizeof binary - 1, 0, 0, 80);
    put_float(binary + 84 + 12, (float)(1e300 * 10));
    assert_error(lmbi_stl_read, binary, sizeof binary, 0, 0, 96);
}

static void reads_the_shared_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        mesh_reader *reader;
        uint32_t vertices, triangles;
    } meshes[] = {
        {"meshes/knight.off", lmbi_off_read, 502, 1000},
        {"meshes/fertility.off", lmbi_off_read, 4494, 9000},
        {"skinning/kinematics/knight.ply", lmbi_ply_read, 2002, 4000},
        {"skinning/kinematics/robot-arm.ply", lmbi_ply_read, 4646, 9268},
        {"bad/made/ply/big_endian_control_ok.ply", lmbi_ply_read, 3, 1},
        {"bad/trimesh/whitespace.off", lmbi_off_read, 8, 12},
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        test_file file = test_shared_read(meshes[i].path);
        if (file.data == NULL) {
            skip();
        }
        lmb_character *c = read_bytes(meshes[i].reader, file.data, file.size);
        assert_int_equal(c->meshes[0]->vertex_count, meshes[i].vertices);
        assert_int_equal(c->meshes[0]->index_count, 3 * meshes[i].triangles);
        lmb_character_destroy(c);
        free(file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ply_text),
        cmocka_unit_test(writes_ply_both_ways),
        cmocka_unit_test(reads_ply_binary_of_both_orders),
        cmocka_unit_test(says_where_a_ply_is_wrong),
        cmocka_unit_test(reads_off),
        cmocka_unit_test(reads_ply_rows_of_more_values_than_named),
        cmocka_unit_test(reads_stl_of_both_kinds),
        cmocka_unit_test(reads_careless_stl),
        cmocka_unit_test(reads_the_shared_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
