#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/files.h"
#include "io/surface/surface.h"
#include "io/text_faults.h"

static lmb_character *read_text(const char *text)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    const lmb_result result = lmbi_obj_read(text, strlen(text), NULL, NULL, &character, &error);
    if (result != LMB_OK) {
        print_error("%u:%u expected %s, found %s\n", error.line, error.column, error.expected,
                    error.found);
    }
    assert_int_equal(result, LMB_OK);
    return character;
}

static void splits_corners_and_maps_back(void **state)
{
    (void)state;
    lmb_character *c =
        read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 9 9 9\nv 0 1 0\n"
                  "vt 0 0\nvt 1 0\nvt 1 .25\nvt 0.5 0.5\nvn 0 0 1\nvn 0 1 0\n"
                  "f 1/1/1 2/2/1 3/3/1\nf 1/1/1 3/4/1 5/1/2\nf -5/1/1 -1/1/2 3/3/1\n");
    const lmb_mesh *m = c->meshes[0];
    // Position 4 is used by no face and stays; position 3 appears with two UVs.
    assert_int_equal(m->vertex_count, 6);
    const uint32_t source[6] = {0, 1, 2, 3, 4, 2};
    assert_memory_equal(m->source_position, source, sizeof source);
    const uint32_t indices[9] = {0, 1, 2, 0, 5, 4, 0, 4, 2};
    assert_memory_equal(m->indices, indices, sizeof indices);
    assert_float_equal(m->uvs[0][2].y, 0.75f, 0);
    assert_float_equal(m->uvs[0][5].x, 0.5f, 0);
    assert_float_equal(m->normals[4].y, 1, 0);
    assert_int_equal(m->polygon_count, 0);
    lmb_character_destroy(c);
}

static void reads_every_spelling(void **state)
{
    (void)state;
    lmb_character *c = read_text(
        "\xef\xbb\xbf# comment\r\n\tv  1e-5\t+2 -.5 1.0 \r\nv 1 2 3 # end\rv 0 \\\r\n 0 1\r\n\r\n"
        "s off\ncstype bezier\no thing\nusemtl red brick\nf 1// 2// \\\n 3//");
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->vertex_count, 3);
    assert_float_equal(m->positions[0].x, 1e-5f, 0);
    assert_float_equal(m->positions[0].z, -0.5f, 0);
    assert_float_equal(m->positions[2].z, 1, 0);
    assert_int_equal(m->index_count, 3);
    assert_string_equal(m->primitives[0].name, "thing");
    assert_string_equal(c->appearance->materials[0].name, "red brick");
    assert_null(m->normals);
    lmb_character_destroy(c);
}

static void makes_a_primitive_of_every_run(void **state)
{
    (void)state;
    lmb_character *c = read_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\n"
        "g a\nusemtl m\nf 1 2 3\ng a\nf 2 4 3\nusemtl n\nf 1 2 3\ng b c\nf 1/1 2/1 3/1\nf 1 2 3\n"
        "l 1 2 4\np 1 2 3\n");
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->primitive_count, 6);
    assert_int_equal(m->primitives[0].index_count, 6);
    assert_int_equal(m->primitives[1].material, 1);
    assert_string_equal(m->primitives[2].name, "b c");
    assert_int_equal(m->primitives[2].attributes, LMB_HAS_UV0);
    assert_int_equal(m->primitives[3].attributes, 0);
    assert_int_equal(m->primitives[4].topology, LMB_LINES);
    assert_int_equal(m->primitives[4].index_count, 4);
    assert_int_equal(m->primitives[5].topology, LMB_POINTS);
    lmb_character_destroy(c);
}

/// Texture coordinates and normals that a face names in vain are left out, of its part alone.
static void leaves_out_attributes_that_are_not_there(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                               "g a\nf 1/1/1 2/2/1 3/3/1\n"
                               "g b\nf 1/1/1 2/2/1 3/4/1\nf 1/1/1 2/2/1 3/3/1\n"
                               "g c\nf 1/1/-1 2/2/-9 3/3/-1\n"
                               "g d\nf 1/-1 2/-4 3/-7777777777\n"
                               "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\n";
    lmb_notes notes;
    const lmbi_obj_read_opts opts = {.notes = &notes};
    lmb_character *c = NULL;
    assert_int_equal(lmbi_obj_read(text, sizeof text - 1, &opts, NULL, &c, NULL), LMB_OK);
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->primitive_count, 4);
    assert_int_equal(m->primitives[0].attributes, LMB_HAS_UV0 | LMB_HAS_NORMALS);
    assert_int_equal(m->primitives[1].attributes, LMB_HAS_NORMALS);
    assert_int_equal(m->primitives[2].attributes, LMB_HAS_UV0);
    assert_int_equal(m->primitives[3].attributes, 0);
    assert_int_equal(notes.count, 3);
    assert_int_equal(notes.items[0].line, 7);
    lmb_character_destroy(c);
}

/// Area of the triangles in the plane z = 0; every one must be counter-clockwise.
static double covered(const lmb_mesh *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->index_count; i += 3) {
        const lmb_vec3 a = m->positions[m->indices[i]], b = m->positions[m->indices[i + 1]],
                       c = m->positions[m->indices[i + 2]];
        const double twice = (double)((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
        assert_true(twice >= 0);
        sum += twice / 2;
    }
    return sum;
}

static void cuts_concave_polygons(void **state)
{
    (void)state;
    // An L: its area is 3 of a square of 4; a fan from corner 1 would fold over.
    lmb_character *c =
        read_text("v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4 5 6\n");
    assert_int_equal(c->meshes[0]->index_count, 12);
    assert_int_equal(c->meshes[0]->polygon_count, 1);
    assert_float_equal((float)covered(c->meshes[0]), 3, 1e-6);
    lmb_character_destroy(c);
    // An arrowhead quad.
    c = read_text("v 0 0 0\nv 2 -1 0\nv 0 2 0\nv -2 -1 0\nf 1 2 3 4\n");
    assert_float_equal((float)covered(c->meshes[0]), 4, 1e-6);
    lmb_character_destroy(c);
    // A comb of many teeth.
    char text[20000];
    size_t used = 0;
    for (int i = 0; i < 200; ++i) {
        used += (size_t)sprintf(text + used, "v %d %d 0\n", 200 - i, i % 2 ? 1 : 10);
    }
    used += (size_t)sprintf(text + used, "v 1 0 0\nv 200 0 0\nf");
    for (int i = 1; i <= 202; ++i) {
        used += (size_t)sprintf(text + used, " %d", i);
    }
    c = read_text(text);
    double area = 0;
    const lmb_mesh *m = c->meshes[0];
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        const lmb_vec3 p = m->positions[i], q = m->positions[(i + 1) % m->vertex_count];
        area += (double)(p.x * q.y - p.y * q.x) / 2;
    }
    assert_float_equal((float)covered(m), (float)area, 1e-3);
    lmb_character_destroy(c);
}

static void reads_colours_as_srgb(void **state)
{
    (void)state;
    lmb_character *c = read_text("v 0 0 0 1 0.5 0\nv 1 0 0 0 nan 0\nv 0 1 0\nf 1 2 3\n");
    const lmb_mesh *m = c->meshes[0];
    assert_float_equal(m->colors[0][0].y, 0.21404114f, 1e-6);
    assert_float_equal(m->colors[0][1].y, 1, 1e-6);
    assert_float_equal(m->colors[0][2].x, 1, 1e-6);
    assert_true((m->primitives[0].attributes & LMB_HAS_COLOR0) != 0);
    lmb_character_destroy(c);
}

static bool load_mtl(void *user, const char *name, lmb_bytes *out)
{
    static const char mtl[] = "newmtl skin\nKd 0.25 0.5 1\nd 0.5\nmap_Kd -s 1 1 1 -o 0 0 "
                              "pictures/1 skin.png\nnewmtl unused\nKd 1 1 1\n";
    (void)user;
    *out = (lmb_bytes){(const uint8_t *)mtl, sizeof mtl - 1};
    return strcmp(name, "my body.mtl") == 0;
}

static void takes_materials_from_the_loader(void **state)
{
    (void)state;
    const char text[] = "mtllib my body.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl skin\nf 1 2 3\n";
    const lmb_loader loader = {.load = load_mtl};
    lmb_character *c = NULL;
    assert_int_equal(lmbi_obj_read(text, sizeof text - 1, &(lmbi_obj_read_opts){.loader = &loader},
                                   NULL, &c, NULL),
                     LMB_OK);
    assert_int_equal(c->appearance->material_count, 1);
    assert_float_equal(c->appearance->materials[0].base_color.y, 0.5f, 0);
    assert_float_equal(c->appearance->materials[0].base_color.w, 0.5f, 0);
    assert_true(c->appearance->materials[0].alpha_blend);
    assert_string_equal(c->appearance->images[0].uri, "pictures/1 skin.png");
    lmb_character_destroy(c);
}

static bool load_buffer(void *user, const char *name, lmb_bytes *out)
{
    (void)name;
    const lmb_buffer *buffer = user;
    *out = (lmb_bytes){buffer->data, buffer->size};
    return true;
}

static void writes_materials_that_read_back(void **state)
{
    (void)state;
    const char text[] = "mtllib my body.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl skin\nf 1 2 3\n";
    const lmb_loader first = {.load = load_mtl};
    lmb_character *a = NULL, *b = NULL;
    lmb_buffer obj = {0}, mtl = {0};
    assert_int_equal(lmbi_obj_read(text, sizeof text - 1, &(lmbi_obj_read_opts){.loader = &first},
                                   NULL, &a, NULL),
                     LMB_OK);
    assert_int_equal(
        lmbi_obj_write(a, &(lmbi_obj_write_opts){.material_library = "b.mtl"}, NULL, &obj, NULL),
        LMB_OK);
    assert_int_equal(lmbi_mtl_write(a->appearance, NULL, &mtl, NULL), LMB_OK);
    const lmb_loader second = {.load = load_buffer, .user = &mtl};
    assert_int_equal(
        lmbi_obj_read(obj.data, obj.size, &(lmbi_obj_read_opts){.loader = &second}, NULL, &b, NULL),
        LMB_OK);
    const lmb_material *m = &a->appearance->materials[0], *n = &b->appearance->materials[0];
    assert_string_equal(m->name, n->name);
    assert_memory_equal(&m->base_color, &n->base_color, sizeof m->base_color);
    assert_string_equal(a->appearance->images[0].uri, b->appearance->images[0].uri);
    lmb_buffer_free(&obj);
    lmb_buffer_free(&mtl);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
}

static lmb_result read_plain(const char *text, lmb_character **out, lmb_error *error)
{
    return lmbi_obj_read(text, strlen(text), NULL, NULL, out, error);
}

static void says_where_it_went_wrong(void **state)
{
    (void)state;
    static const text_fault faults[] = {
        {"v 0 0 0\nv 1 0 x\n", "\"x\"", 2, 7},
        {"v 0 0\n", "the end of the line", 1, 6},
        {"v 0 0 0\nf 1 1 2\nv\xc3\xa9 1\n", "\"2\"", 2, 7},
        {"# \xc3\xa9\nv 0 0 0\r\n\r\nf 1 \\\n 1 7\n", "\"7\"", 5, 4},
        {"v 0 0 0\nf 1 1 0\n", "\"0\"", 2, 7},
        {"v 0 0 0\nf 1 1 -2\n", "\"-2\"", 2, 7},
        {"v 0 0 0\nf 1/1 1/1 2/1\n", "\"2/1\"", 2, 11},
        {"v 0 0 0\nf 1/-1x 1 1\n", "\"x\"", 2, 7},
        {"v 0 nan 0\n", "\"nan\"", 1, 5},
        {"v 0 0 1e39\n", "\"1e39\"", 1, 7},
        {"v 0 0 0\nf 1 1 1.5\n", "\".5\"", 2, 8},
        {"", "an empty file", 1, 1},
        {"hello\n", "the end of the file", 2, 1},
    };
    text_faults_are_found(read_plain, faults, sizeof faults / sizeof *faults);
}

static void converts_units_and_axes(void **state)
{
    (void)state;
    const char text[] = "v 100 200 300\nvn 0 0 1\nf 1//1 1//1 1//1\n";
    lmb_character *c = NULL;
    const lmbi_obj_read_opts opts = {.unit_m = 0.01f, .up = LMB_AXIS_Z};
    assert_int_equal(lmbi_obj_read(text, sizeof text - 1, &opts, NULL, &c, NULL), LMB_OK);
    assert_float_equal(c->meshes[0]->positions[0].y, 3, 1e-6);
    assert_float_equal(c->meshes[0]->positions[0].z, -2, 1e-6);
    assert_float_equal(c->meshes[0]->normals[0].y, 1, 0);
    lmb_character_destroy(c);
}

/// What is written reads back equal; the second text is the first.
static void round_trip(const char *name, const void *bytes, size_t size)
{
    lmb_character *a = NULL, *b = NULL;
    lmb_buffer first = {0}, second = {0};
    assert_int_equal(lmbi_obj_read(bytes, size, NULL, NULL, &a, NULL), LMB_OK);
    assert_int_equal(lmbi_obj_write(a, NULL, NULL, &first, NULL), LMB_OK);
    assert_int_equal(lmbi_obj_read(first.data, first.size, NULL, NULL, &b, NULL), LMB_OK);
    const char *difference = test_mesh_difference(a->meshes[0], b->meshes[0]);
    if (difference) {
        print_error("%s: %s\n", name, difference);
    }
    assert_null(difference);
    assert_int_equal(lmbi_obj_write(b, NULL, NULL, &second, NULL), LMB_OK);
    assert_same_bytes(&first, &second);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
}

static void writes_what_it_read(void **state)
{
    (void)state;
    const char text[] = "v 0 0 0\nv 1.1 0 0\nv 1.23456789 1 0\nv 9 9 9\nv 0 1 1e-20\nvt .1 .9\nvt "
                        ".3 .7\nvn 0 0 1\nvn 0 3 0\n"
                        "g a\nusemtl m\nf 1/1/1 2/1/1 3/2/1 5/2/2\ng\nf 1//2 2//2 3//2\nusemtl\nf "
                        "1 2 3 4 5\nf 3 2 1\nl 1 2 3\np 4\n";
    round_trip("text", text, sizeof text - 1);
}

static void reads_and_writes_the_shared_meshes(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint32_t positions, polygons;
    } meshes[] = {
        {"human_man", 6890, 0},   {"hand_closed", 7993, 0},    {"armadillo", 14587, 0},
        {"spot_quads", 188, 180}, {"penguin_quads", 201, 221}, {"suzanne", 507, 500},
        {"beast", 32311, 32364},  {"horse_quad", 2400, 2398},  {"makehuman_base", 19158, 18486},
        {"wuson", 2117, 0},       {"spider", 762, 0},          {"rabbit", 644, 678},
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        char path[128];
        snprintf(path, sizeof path, "meshes/%s.obj", meshes[i].path);
        test_file file = test_shared_read(path);
        if (file.data == NULL) {
            skip();
        }
        lmb_character *c = NULL;
        assert_int_equal(lmbi_obj_read(file.data, file.size, NULL, NULL, &c, NULL), LMB_OK);
        const lmb_mesh *m = c->meshes[0];
        uint32_t positions = m->vertex_count;
        while (m->source_position && positions > 0 &&
               m->source_position[positions - 1] != positions - 1) {
            --positions;
        }
        assert_int_equal(positions, meshes[i].positions);
        assert_int_equal(m->polygon_count, meshes[i].polygons);
        lmb_character_destroy(c);
        round_trip(path, file.data, file.size);
        free(file.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_corners_and_maps_back),
        cmocka_unit_test(reads_every_spelling),
        cmocka_unit_test(makes_a_primitive_of_every_run),
        cmocka_unit_test(leaves_out_attributes_that_are_not_there),
        cmocka_unit_test(cuts_concave_polygons),
        cmocka_unit_test(reads_colours_as_srgb),
        cmocka_unit_test(takes_materials_from_the_loader),
        cmocka_unit_test(writes_materials_that_read_back),
        cmocka_unit_test(says_where_it_went_wrong),
        cmocka_unit_test(converts_units_and_axes),
        cmocka_unit_test(writes_what_it_read),
        cmocka_unit_test(reads_and_writes_the_shared_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
