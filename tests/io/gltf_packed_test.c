// glTF whose views or meshes are compressed: what is found, and each fault with its place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/gltf_text.h"

// Indices 0 1 2 of 16 bits, as meshoptimizer has them.
static const uint8_t packed[] = {0xd1, 0, 4, 4, 0, 0, 0, 0};
static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

/// A triangle whose indices are packed as `view` says.
static const char *with_view(const char *view)
{
    static char text[1000];
    snprintf(
        text, sizeof text,
        "'bufferViews':[{'buffer':0,'byteOffset':8,'byteLength':36},{'buffer':1,'byteLength':6,"
        "'extensions':{'EXT_meshopt_compression':{%s}}}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],"
        "'max':[1,1,0]},{'bufferView':1,'componentType':5123,'count':3,'type':'SCALAR'}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
        "'extensionsUsed':['EXT_meshopt_compression'],'extensionsRequired':['EXT_meshopt_"
        "compression']",
        view);
    return text;
}

/// The text with a second buffer that only stands for what is unpacked.
static lmb_result read_packed(const char *view, lmb_character **out, lmb_error *error)
{
    test_gltf g = {0};
    test_put(&g, packed, sizeof packed);
    test_put(&g, positions, sizeof positions);
    char *text = test_gltf_text(&g, with_view(view));
    const size_t size = strlen(text);
    char *more = malloc(size + 100);
    // Behind the first buffer: "}]}" ends it, the list and the file.
    snprintf(more, size + 100,
             "%.*s},{\"byteLength\":6,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":"
             "true}}}]}",
             (int)(size - 3), text);
    const lmb_result result = lmb_gltf_read(more, strlen(more), NULL, NULL, out, error);
    free(text);
    free(more);
    return result;
}

static const char right[] = "'buffer':0,'byteLength':8,'byteStride':2,'count':3,'mode':'INDICES'";

static void a_packed_view_is_read(void **state)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    (void)state;
    assert_int_equal(read_packed(right, &character, &error), LMB_OK);
    const lmb_mesh *mesh = character->meshes[0];
    assert_int_equal(mesh->index_count, 3);
    for (uint32_t k = 0; k < 3; ++k) {
        assert_int_equal(mesh->indices[k], k);
    }
    assert_null(character->appearance->extensions_required);
    lmb_character_destroy(character);
}

static void faults_of_a_packed_view(void **state)
{
    static const struct {
        const char *view, *expected, *found;
    } cases[] = {
        {"'buffer':0,'byteLength':8,'byteStride':2,'count':3,'mode':'ZIP'",
         "ATTRIBUTES, TRIANGLES or INDICES", "\"ZIP\""},
        {"'buffer':0,'byteLength':8,'byteStride':2,'count':3,'mode':'INDICES','filter':'BLUR'",
         "NONE, OCTAHEDRAL", "\"BLUR\""},
        {"'buffer':0,'byteLength':8,'byteStride':3,'count':2,'mode':'INDICES'",
         "a count and stride that", "2 elements of 3 bytes"},
        {"'buffer':0,'byteLength':8,'byteStride':2,'count':4,'mode':'INDICES'",
         "as many bytes as the view has", "4 elements of 2 bytes for 6"},
        {"'buffer':0,'byteLength':99,'byteStride':2,'count':3,'mode':'INDICES'",
         "packed bytes inside their buffer", "99 bytes at byte 0 of a buffer of 44"},
        {"'buffer':0,'byteOffset':4294967295,'byteLength':2,'byteStride':2,'count':3,'mode':'"
         "INDICES'",
         "packed bytes inside their buffer", "2 bytes at byte 4294967295"},
        {"'buffer':7,'byteLength':8,'byteStride':2,'count':3,'mode':'INDICES'", "an index below 2",
         "7"},
        {"'buffer':0,'byteLength':7,'byteStride':2,'count':3,'mode':'INDICES'",
         "bytes that unpack to the whole view", "a stream that does not"},
        {"'buffer':1,'byteLength':6,'byteStride':2,'count':3,'mode':'INDICES'",
         "a buffer with bytes", "none"},
        {"'buffer':0,'byteLength':8,'count':3,'mode':'INDICES'", "byteStride", ""},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_character *character = NULL;
        lmb_error error = {0};
        assert_int_equal(read_packed(cases[k].view, &character, &error), LMB_ERROR_MALFORMED);
        assert_non_null(strstr(error.expected, cases[k].expected));
        assert_non_null(strstr(error.found, cases[k].found));
    }
}

// ------------------------------------------------------------------------------------------- Draco

/// Stands for a decoder: positions, UVs and corners of one triangle, or a complaint.
static const char *decode(void *user, const void *bytes, size_t size, uint32_t vertex_count,
                          uint32_t *indices, uint32_t index_count, const lmb_draco_array *arrays,
                          uint32_t array_count)
{
    const char *complaint = user;
    assert_int_equal(size, 8);
    assert_memory_equal(bytes, packed, sizeof packed);
    assert_int_equal(vertex_count, 3);
    assert_int_equal(index_count, 3);
    assert_int_equal(array_count, 2);
    assert_int_equal(arrays[0].id, 4);
    assert_int_equal(arrays[0].type, LMB_DRACO_F32);
    assert_int_equal(arrays[0].components, 3);
    assert_int_equal(arrays[1].type, LMB_DRACO_U8);
    for (uint32_t k = 0; k < 3; ++k) {
        indices[k] = 2 - k;
    }
    memcpy(arrays[0].out, positions, sizeof positions);
    memset(arrays[1].out, 255, 6);
    return complaint;
}

static lmb_result read_compressed(const char *primitive, char *complaint, bool lend,
                                  lmb_character **out, lmb_error *error)
{
    const lmb_draco_decoder decoder = {complaint, decode};
    const lmb_gltf_read_opts opts = {.draco = lend ? &decoder : NULL};
    test_gltf g = {0};
    char members[1200];
    test_put(&g, packed, sizeof packed);
    snprintf(
        members, sizeof members,
        "'bufferViews':[{'buffer':0,'byteLength':8}],"
        "'accessors':[{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
        "{'componentType':5121,'normalized':true,'count':3,'type':'VEC2'},"
        "{'componentType':5121,'count':3,'type':'SCALAR'}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1}%s}]}],"
        "'extensionsUsed':['KHR_draco_mesh_compression'],"
        "'extensionsRequired':['KHR_draco_mesh_compression']",
        primitive);
    char *text = test_gltf_text(&g, members);
    const lmb_result result = lmb_gltf_read(text, strlen(text), &opts, NULL, out, error);
    free(text);
    return result;
}

static const char compressed[] =
    ",'indices':2,'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"
    "'attributes':{'POSITION':4,'TEXCOORD_0':2}}}";

static void a_decoder_fills_the_accessors(void **state)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    (void)state;
    assert_int_equal(read_compressed(compressed, NULL, true, &character, &error), LMB_OK);
    const lmb_mesh *mesh = character->meshes[0];
    assert_int_equal(mesh->vertex_count, 3);
    assert_int_equal(mesh->index_count, 3);
    assert_int_equal(mesh->indices[0], 2);
    assert_true(mesh->positions[1].x == 1.0f && mesh->positions[2].y == 1.0f);
    assert_true(mesh->uvs[0][2].y == 1.0f);
    assert_null(character->appearance->extensions_required);
    lmb_character_destroy(character);
}

static void faults_of_a_compressed_mesh(void **state)
{
    lmb_character *character = NULL;
    lmb_error error = {0};
    static char complaint[] = "no triangle";
    (void)state;
    assert_int_equal(read_compressed(compressed, NULL, false, &character, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "KHR_draco_mesh_compression"));
    assert_int_equal(read_compressed(compressed, complaint, true, &character, &error),
                     LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.found, "no triangle at /meshes/0/primitives/0/"));
    assert_int_equal(read_compressed(",'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"
                                     "'attributes':{'POSITION':4,'TEXCOORD_0':2}}}",
                                     NULL, true, &character, &error),
                     LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "indices"));
    assert_int_equal(
        read_compressed(",'indices':2,'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"
                        "'attributes':{'POSITION':4,'NORMAL':2}}}",
                        NULL, true, &character, &error),
        LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "an attribute that the primitive has"));
    assert_int_equal(
        read_compressed(",'indices':2,'extensions':{'KHR_draco_mesh_compression':{'bufferView':3,"
                        "'attributes':{'POSITION':4,'TEXCOORD_0':2}}}",
                        NULL, true, &character, &error),
        LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "an index below 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_view_is_read),
        cmocka_unit_test(faults_of_a_packed_view),
        cmocka_unit_test(a_decoder_fills_the_accessors),
        cmocka_unit_test(faults_of_a_compressed_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
