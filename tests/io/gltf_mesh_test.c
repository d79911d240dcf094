// Known answers of reading meshes: every component type, sparse data, every mode, shared vertices,
// weights, morphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/gltf_text.h"

#define TRIANGLE "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"

static void component_types_become_floats(void **state)
{
    (void)state;
    const struct {
        int type;
        const char *normalized;
        uint8_t bytes[18]; ///< three vectors, tightly packed
        float want[3];     ///< the first
    } cases[] = {
        {5120, "true", {127, 0x80, 0x81}, {1, -1, -1}},
        {5120, "false", {127, 0x80, 1}, {127, -128, 1}},
        {5121, "true", {255, 0, 51}, {1, 0, 0.2f}},
        {5121, "false", {255, 0, 51}, {255, 0, 51}},
        {5122, "true", {0xFF, 0x7F, 0x00, 0x80, 0x01, 0x80}, {1, -1, -1}},
        {5122, "false", {0xFF, 0x7F, 0x00, 0x80, 0x02, 0x00}, {32767, -32768, 2}},
        {5123, "true", {0xFF, 0xFF, 0x00, 0x00, 0x33, 0x33}, {1, 0, 0.2f}},
        {5123, "false", {0xFF, 0xFF, 0x00, 0x00, 0x01, 0x01}, {65535, 0, 257}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        test_gltf g = {0};
        char members[512];
        test_put(&g, cases[k].bytes, 18);
        snprintf(members, sizeof members,
                 TRIANGLE "'accessors':[{'bufferView':0,'componentType':%d,'normalized':%s,'count':"
                          "3,'type':'VEC3'}],"
                          "'bufferViews':[{'buffer':0,'byteLength':18}],'extensionsUsed':['KHR_"
                          "mesh_quantization'],"
                          "'extensionsRequired':['KHR_mesh_quantization']",
                 cases[k].type, cases[k].normalized);
        lmb_character *c = test_gltf_read(&g, members);
        const lmb_vec3 p = c->meshes[0]->positions[0];
        assert_float_equal(p.x, cases[k].want[0], 0);
        assert_float_equal(p.y, cases[k].want[1], 0);
        assert_float_equal(p.z, cases[k].want[2], 1e-7);
        // The positions are floats now: nothing requires the extension any more.
        assert_null(c->appearance->extensions_used);
        assert_null(c->appearance->extensions_required);
        lmb_character_destroy(c);
    }
}

static void strides_and_offsets_are_followed(void **state)
{
    (void)state;
    test_gltf g = {0};
    float rows[3][5];
    for (int k = 0; k < 15; ++k) {
        rows[k / 5][k % 5] = (float)k;
    }
    test_put(&g, rows, sizeof rows);
    lmb_character *c = test_gltf_read(
        &g, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_1':1}}]}],'accessors':["
            "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
            "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC2'}],"
            "'bufferViews':[{'buffer':0,'byteLength':60,'byteStride':20}]");
    const lmb_mesh *m = c->meshes[0];
    assert_float_equal(m->positions[2].x, 10, 0);
    assert_float_equal(m->uvs[1][2].y, 14, 0);
    assert_null(m->uvs[0]);
    assert_int_equal(m->primitives[0].attributes, LMB_HAS_UV0 << 1);
    lmb_character_destroy(c);
}

static void sparse_accessors_replace_with_and_without_a_base(void **state)
{
    (void)state;
    for (int with_base = 0; with_base < 2; ++with_base) {
        test_gltf g = {0};
        char members[700];
        const float base[9] = {1, 1, 1, 2, 2, 2, 3, 3, 3}, values[6] = {7, 8, 9, 10, 11, 12};
        const uint8_t indices[2] = {0, 2};
        test_put(&g, base, sizeof base);
        test_put(&g, indices, sizeof indices);
        test_put(&g, values, sizeof values);
        snprintf(members, sizeof members,
                 TRIANGLE
                 "'accessors':[{%s'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,"
                 "'indices':{'bufferView':1,'componentType':5121},'values':{'bufferView':2}}}],"
                 "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'"
                 "byteLength':2},{'buffer':0,'byteOffset':40,'byteLength':24}]",
                 with_base ? "'bufferView':0," : "'byteOffset':0,");
        lmb_character *c = test_gltf_read(&g, members);
        const lmb_vec3 *p = c->meshes[0]->positions;
        assert_float_equal(p[0].z, 9, 0);
        assert_float_equal(p[1].x, (with_base ? 2 : 0), 0);
        assert_float_equal(p[2].x, 10, 0);
        lmb_character_destroy(c);
    }
}

/// Bytes of an index as sparse accessors store it; returns how many.
static size_t sparse_index_bytes(int type, uint32_t index, uint8_t out[4])
{
    for (int k = 0; k < 4; ++k) {
        out[k] = (uint8_t)(index >> 8 * k);
    }
    return type == 5121 ? 1 : type == 5123 ? 2 : 4;
}

/// Whether a triangle is read whose accessor of positions, or of corners, has two sparse elements.
static bool reads_sparse(bool corners, int type, uint32_t first, uint32_t second)
{
    test_gltf g = {0};
    char members[900];
    uint8_t indices[8] = {0};
    const float base[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, values[6] = {0, 0, 1, 0, 1, 1};
    const uint32_t corner_base[3] = {0, 1, 2}, corner_values[2] = {1, 2};
    const size_t size = sparse_index_bytes(type, first, indices);
    sparse_index_bytes(type, second, indices + size);
    test_put(&g, base, sizeof base);
    test_put(&g, corner_base, sizeof corner_base);
    test_put(&g, indices, sizeof indices);
    test_put(&g, corners ? (const void *)corner_values : values, corners ? 8 : 24);
    char sparse[200];
    snprintf(sparse, sizeof sparse,
             ",'sparse':{'count':2,'indices':{'bufferView':2,'componentType':%d},"
             "'values':{'bufferView':3}}",
             type);
    snprintf(members, sizeof members,
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],'accessors':["
             "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'%s},"
             "{'bufferView':1,'componentType':5125,'count':3,'type':'SCALAR'%s}],"
             "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,"
             "'byteLength':12},{'buffer':0,'byteOffset':48,'byteLength':8},"
             "{'buffer':0,'byteOffset':56,'byteLength':%d}]",
             corners ? "" : sparse, corners ? sparse : "", corners ? 8 : 24);
    lmb_character *c = NULL;
    lmb_error error;
    const lmb_result result = test_gltf_try(&g, members, &c, NULL, &error);
    if (result == LMB_OK) {
        lmb_character_destroy(c);
        return true;
    }
    assert_int_equal(result, LMB_ERROR_MALFORMED);
    assert_non_null(strstr(error.expected, "sparse indices that rise"));
    return false;
}

/// The element behind the last one is the first that an index must not name.
static void sparse_indices_rise_and_end_below_the_count(void **state)
{
    (void)state;
    static const int types[] = {5121, 5123, 5125};
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        for (int corners = 0; corners < 2; ++corners) {
            assert_true(reads_sparse(corners, types[t], 0, 2));
            assert_true(reads_sparse(corners, types[t], 1, 2));
            assert_false(reads_sparse(corners, types[t], 0, 3));
            assert_false(reads_sparse(corners, types[t], 2, 3));
            assert_false(reads_sparse(corners, types[t], 0, 255));
            assert_false(reads_sparse(corners, types[t], 3, 1));
            assert_false(reads_sparse(corners, types[t], 1, 1));
            assert_false(reads_sparse(corners, types[t], 2, 1));
        }
    }
    assert_false(reads_sparse(false, 5125, 0, 0xffffffff));
}

/// Parts of meshes that draw nothing are left out, with their vertices, in reading and in writing;
/// a mesh of nothing else is written nowhere, and the instances of others keep theirs.
static void parts_with_nothing_to_draw_are_left_out(void **state)
{
    (void)state;
    static const char *const bare[] = {"{'attributes':{'POSITION':2}}",
                                       "{'attributes':{'POSITION':0},'indices':3}",
                                       "{'mode':1,'attributes':{'POSITION':4}}"};
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t corners[3] = {0, 1, 2};
    for (size_t k = 0; k < sizeof bare / sizeof *bare; ++k) {
        test_gltf g = {0};
        char members[1400];
        lmb_notes notes = {0};
        lmb_error error;
        lmb_character *c = NULL, *again = NULL;
        lmb_buffer glb = {0};
        test_put(&g, positions, sizeof positions);
        test_put(&g, corners, sizeof corners);
        snprintf(members, sizeof members,
                 "'scene':0,'scenes':[{'nodes':[0,1,2]}],'nodes':[{'name':'none','mesh':0},{'name':"
                 "'body','mesh':1},{'name':'both','mesh':2}],'meshes':[{'primitives':[%s]},{"
                 "'primitives':[{'attributes':{'POSITION':0},'indices':1}]},{'primitives':[%s,{"
                 "'attributes':{'POSITION':0}}]}],'accessors':["
                 "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                 "{'bufferView':1,'componentType':5125,'count':3,'type':'SCALAR'},"
                 "{'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'},"
                 "{'bufferView':1,'componentType':5125,'count':2,'type':'SCALAR'},"
                 "{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}],"
                 "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,"
                 "'byteLength':12}]",
                 bare[k], bare[k]);
        assert_int_equal(test_gltf_try(&g, members, &c, &notes, &error), LMB_OK);
        assert_int_equal(c->meshes[0]->primitive_count, 0);
        assert_int_equal(c->meshes[0]->vertex_count, 0);
        assert_int_equal(c->meshes[2]->primitive_count, 1);
        assert_int_equal(c->meshes[2]->vertex_count, 3);
        assert_true(notes.count >= 2);
        assert_int_equal(lmb_gltf_write(c, NULL, NULL, &glb, &error), LMB_OK);
        assert_int_equal(lmb_gltf_read(glb.data, glb.size, NULL, NULL, &again, &error), LMB_OK);
        assert_int_equal(again->mesh_count, 2);
        assert_int_equal(again->instance_count, 2);
        for (uint32_t i = 0; i < 2; ++i) {
            const lmb_instance *instance = &again->instances[i];
            const char *name = again->skeleton->names[instance->joint];
            assert_string_equal(name, instance->mesh == 0 ? "body" : "both");
        }
        lmb_buffer_free(&glb);
        lmb_character_destroy(again);
        lmb_character_destroy(c);
    }
}

/// Numbers that are none: weights count as nothing, a channel is dropped and named; what nobody uses
/// is not looked at. Positions are refused as before.
static void numbers_that_are_none_cost_what_has_them(void **state)
{
    (void)state;
    const float nan = NAN, positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float weights[12] = {nan, nan, nan, nan, 0.5f, 0.5f, 0, 0, 1, INFINITY, 0, 0};
    const float times[2] = {0, 1}, good[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    const float bad[8] = {0, 0, 0, 1, 0, nan, 0, 1};
    const uint8_t joints[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    test_gltf g = {0};
    lmb_notes notes = {0};
    lmb_error error;
    lmb_character *c = NULL;
    test_put(&g, positions, sizeof positions);
    test_put(&g, weights, sizeof weights);
    test_put(&g, joints, sizeof joints);
    test_put(&g, times, sizeof times);
    test_put(&g, good, sizeof good);
    test_put(&g, bad, sizeof bad);
    static const char members[] =
        "'scene':0,'scenes':[{'nodes':[0,1,2]}],'nodes':[{'name':'a'},{'name':'b'},{'mesh':0,"
        "'skin':0}],'skins':[{'joints':[0,1]}],'meshes':[{'primitives':[{'attributes':{"
        "'POSITION':0,'WEIGHTS_0':1,'JOINTS_0':2}}]}],'animations':[{'name':'move','samplers':["
        "{'input':3,'output':4},{'input':3,'output':5},{'input':7,'output':4}],'channels':["
        "{'sampler':0,'target':{'node':0,'path':'rotation'}},{'sampler':1,'target':{'node':1,"
        "'path':'rotation'}},{'sampler':2,'target':{'node':2,'path':'rotation'}}]}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC4'},"
        "{'bufferView':2,'componentType':5121,'count':3,'type':'VEC4'},"
        "{'bufferView':3,'componentType':5126,'count':2,'type':'SCALAR'},"
        "{'bufferView':4,'componentType':5126,'count':2,'type':'VEC4'},"
        "{'bufferView':5,'componentType':5126,'count':2,'type':'VEC4'},"
        "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC4'},"
        "{'bufferView':1,'componentType':5126,'count':2,'type':'SCALAR'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':48},"
        "{'buffer':0,'byteOffset':84,'byteLength':12},{'buffer':0,'byteOffset':96,'byteLength':8},"
        "{'buffer':0,'byteOffset':104,'byteLength':32},{'buffer':0,'byteOffset':136,"
        "'byteLength':32}]";
    assert_int_equal(test_gltf_try(&g, members, &c, &notes, &error), LMB_OK);
    const lmb_influences *rows = &c->meshes[0]->influences;
    assert_int_equal(rows->first[1], 1); // a row of zeros belongs to its first joint
    assert_int_equal(rows->items[0].joint, 1);
    assert_int_equal(rows->first[2] - rows->first[1], 2);
    assert_float_equal(rows->items[rows->first[2]].weight, 1, 0);
    assert_int_equal(c->clips[0]->channel_count, 1);
    bool weights_named = false, first_named = false, second_named = false;
    for (uint32_t n = 0; n < notes.count && n < LMB_NOTE_MAX; ++n) {
        const char *text = notes.items[n].text;
        weights_named = weights_named || strstr(text, "weights that are no numbers");
        first_named = first_named || strstr(text, "dropped at /animations/0/channels/1");
        second_named = second_named || strstr(text, "dropped at /animations/0/channels/2");
    }
    assert_true(weights_named && first_named && second_named);
    lmb_character_destroy(c);
    memcpy(g.bytes, &nan, sizeof nan);
    assert_int_equal(test_gltf_try(&g, members, &c, NULL, &error), LMB_ERROR_MALFORMED);
}

static lmb_character *read_mode(int mode, uint32_t count, const char *indices)
{
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    test_gltf g = {0};
    char members[600];
    const uint8_t order[6] = {5, 4, 3, 2, 1, 0};
    test_put(&g, positions, sizeof positions);
    test_put(&g, order, sizeof order);
    snprintf(
        members, sizeof members,
        "'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0}%s}]}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':%u,'type':'VEC3'},{'bufferView':1,'"
        "componentType':5121,'count':6,'type':'SCALAR'}],"
        "'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':6}]",
        mode, indices, count);
    return test_gltf_read(&g, members);
}

static void every_mode_becomes_a_list(void **state)
{
    (void)state;
    const struct {
        int mode;
        uint32_t vertices;
        lmb_topology topology;
        uint32_t count, want[12];
    } cases[] = {
        {0, 3, LMB_POINTS, 3, {0, 1, 2}},
        {1, 5, LMB_LINES, 4, {0, 1, 2, 3}},
        {2, 3, LMB_LINES, 6, {0, 1, 1, 2, 2, 0}},
        {3, 4, LMB_LINES, 6, {0, 1, 1, 2, 2, 3}},
        {4, 5, LMB_TRIANGLES, 3, {0, 1, 2}},
        {5, 5, LMB_TRIANGLES, 9, {0, 1, 2, 1, 3, 2, 2, 3, 4}},
        {6, 5, LMB_TRIANGLES, 9, {1, 2, 0, 2, 3, 0, 3, 4, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_character *c = read_mode(cases[k].mode, cases[k].vertices, "");
        const lmb_mesh *m = c->meshes[0];
        assert_int_equal(m->primitives[0].topology, cases[k].topology);
        assert_int_equal(m->index_count, cases[k].count);
        assert_memory_equal(m->indices, cases[k].want, cases[k].count * sizeof(uint32_t));
        lmb_character_destroy(c);
    }
    lmb_character *c = read_mode(4, 6, ",'indices':1");
    const uint32_t want[6] = {5, 4, 3, 2, 1, 0};
    assert_memory_equal(c->meshes[0]->indices, want, sizeof want);
    lmb_character_destroy(c);
}

static void primitives_with_the_same_data_share_vertices(void **state)
{
    (void)state;
    test_gltf g = {0};
    const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    const uint16_t indices[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4};
    test_put(&g, positions, sizeof positions);
    test_put(&g, indices, sizeof indices);
    lmb_character *c = test_gltf_read(
        &g, "'meshes':[{'primitives':["
            "{'attributes':{'POSITION':0},'indices':2,'material':0},{'attributes':{'POSITION':1}},"
            "{'attributes':{'POSITION':0},'indices':3,'material':1}]}],'materials':[{},{}],'"
            "accessors':["
            "{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3'},"
            "{'bufferView':0,'byteOffset':36,'componentType':5126,'count':3,'type':'VEC3'},"
            "{'bufferView':1,'componentType':5123,'count':3,'type':'SCALAR'},"
            "{'bufferView':1,'byteOffset':6,'componentType':5123,'count':6,'type':'SCALAR'}],"
            "'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':"
            "18}]");
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->vertex_count,
                     6); // the second primitive's three are the last three of the first's
    assert_int_equal(m->primitives[2].first_vertex, 0);
    assert_int_equal(m->primitives[2].vertex_count, 6);
    assert_int_equal(m->primitives[1].first_vertex, 3);
    assert_int_equal(m->primitives[1].vertex_count, 3);
    const uint32_t want[12] = {0, 1, 2, 3, 4, 5, 1, 3, 2, 2, 3, 4};
    assert_int_equal(m->index_count, 12);
    assert_memory_equal(m->indices, want, sizeof want);
    assert_int_equal(m->primitives[1].material, LMB_NONE);
    lmb_character_destroy(c);
}

/// Three vertices with two sets: 16-bit joints and float weights, 8-bit joints and normalised
/// 16-bit weights.
static void sets_of_joints_become_clean_rows(void **state)
{
    (void)state;
    test_gltf g = {0};
    const float positions[9] = {0};
    const uint16_t joints0[12] = {300, 1, 2, 3, 1, 1, 2, 9, 0, 0, 0, 0};
    const float weights0[12] = {0.5f, 0.125f, 0.125f, 0, 2, 1, -1, 0, 0, 0, 0, 0};
    const uint8_t joints1[12] = {4, 5, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
    const uint16_t weights1[12] = {8192, 8191, 0, 0, 65535, 0, 0, 0, 0, 0, 0, 0};
    test_put(&g, positions, sizeof positions);
    test_put(&g, joints0, sizeof joints0);
    test_put(&g, weights0, sizeof weights0);
    test_put(&g, joints1, sizeof joints1);
    test_put(&g, weights1, sizeof weights1);
    lmb_character *c = NULL;
    lmb_notes notes = {0};
    lmb_error error;
    const char *members = "'meshes':[{'primitives':[{'attributes':{'WEIGHTS_1':4,'POSITION':0,'"
                          "JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3}}]}],'accessors':["
                          "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},{'"
                          "bufferView':1,'componentType':5123,'count':3,'type':'VEC4'},"
                          "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},{'"
                          "bufferView':3,'componentType':5121,'count':3,'type':'VEC4'},"
                          "{'bufferView':4,'componentType':5123,'normalized':true,'count':3,'type':"
                          "'VEC4'}],'bufferViews':["
                          "{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':"
                          "24},{'buffer':0,'byteOffset':60,'byteLength':48},"
                          "{'buffer':0,'byteOffset':108,'byteLength':12},{'buffer':0,'byteOffset':"
                          "120,'byteLength':24}]";
    assert_int_equal(test_gltf_try(&g, members, &c, &notes, &error), LMB_OK);
    const lmb_influences *rows = &c->meshes[0]->influences;
    const uint32_t first[4] = {0, 5, 7, 7};
    assert_memory_equal(rows->first, first, sizeof first);
    const uint32_t joints[7] = {300, 1, 2, 4, 5, 1, 7};
    const float weights[7] = {0.5f, 0.125f, 0.125f, 8192 / 65535.0f, 8191 / 65535.0f, 0.75f, 0.25f};
    bool in_order = true;
    double sum = 0;
    for (int k = 0; k < 7; ++k) {
        bool found = false;
        for (int i = k < 5 ? 0 : 5; i < (k < 5 ? 5 : 7); ++i) {
            found = found || (rows->items[i].joint == joints[k] &&
                              fabsf(rows->items[i].weight - weights[k]) < 1e-5f);
        }
        assert_true(found);
        in_order =
            in_order && (k == 0 || k == 5 || rows->items[k].weight <= rows->items[k - 1].weight);
        sum += (double)rows->items[k].weight;
    }
    assert_true(in_order);
    assert_true(fabs(sum - 2) < 1e-6);
    assert_true(notes.count >= 1);
    lmb_character_destroy(c);
}

static void morph_targets_have_names_and_weights(void **state)
{
    (void)state;
    test_gltf g = {0};
    const float vectors[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    test_put(&g, vectors, sizeof vectors);
    lmb_character *c = test_gltf_read(
        &g, "'nodes':[{'mesh':0,'weights':[0.25,0.5]}],'meshes':[{'name':'face','weights':[0,1],"
            "'extras':{'targetNames':['smile','blink'],'more':[1, 2]},"
            "'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':0},{'POSITION':1,'"
            "NORMAL':0}]}]}],"
            "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
            "{'componentType':5126,'count':3,'type':'VEC3'}],'bufferViews':[{'buffer':0,'"
            "byteLength':36}]");
    const lmb_mesh *m = c->meshes[0];
    assert_int_equal(m->target_count, 2);
    assert_string_equal(m->targets[0].name, "smile");
    assert_string_equal(m->targets[1].name, "blink");
    assert_float_equal(m->targets[0].positions[2].z, 9, 0);
    assert_float_equal(m->targets[1].positions[2].z, 0, 0);
    assert_float_equal(m->targets[1].normals[1].x, 4, 0);
    assert_float_equal(m->target_weights[1], 1, 0);
    assert_float_equal(c->instances[0].target_weights[0], 0.25, 0);
    assert_string_equal(m->carried, "{\"extras\":{\"more\":[1,2]}}");
    lmb_character_destroy(c);
}

static void directions_and_colors_are_put_right(void **state)
{
    (void)state;
    test_gltf g = {0};
    const float positions[9] = {0}, normals[9] = {0, 0, 2, 0, 0, 0, 0, 1, 0};
    const float tangents[12] = {3, 0, 0, -0.5f, 1, 0, 0, 1, 0, 0, 0, 0},
                colors[9] = {2, -1, 0.5f, 0, 0, 0, 1, 1, 1};
    test_put(&g, positions, sizeof positions);
    test_put(&g, normals, sizeof normals);
    test_put(&g, tangents, sizeof tangents);
    test_put(&g, colors, sizeof colors);
    lmb_character *c = test_gltf_read(
        &g,
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TANGENT':2,'COLOR_0':3}}]"
        "}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},{'bufferView':1,'"
        "componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},{'bufferView':3,'"
        "componentType':5126,'count':3,'type':'VEC3'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':36},"
        "{'buffer':0,'byteOffset':72,'byteLength':48},{'buffer':0,'byteOffset':120,'byteLength':36}"
        "]");
    const lmb_mesh *m = c->meshes[0];
    for (int k = 0; k < 3; ++k) {
        assert_float_equal(lmb_vec3_length(m->normals[k]), 1, 1e-6);
        assert_float_equal(fabsf(m->tangents[k].w), 1, 0);
    }
    assert_float_equal(m->tangents[0].x, 1, 1e-6);
    assert_float_equal(m->tangents[0].w, -1, 0);
    assert_float_equal(m->colors[0][0].x, 1, 0);
    assert_float_equal(m->colors[0][0].y, 0, 0);
    assert_float_equal(m->colors[0][0].w, 1, 0);
    lmb_character_destroy(c);
}

static void a_small_file_cannot_ask_for_much_memory(void **state)
{
    (void)state;
    lmb_character *c = NULL;
    lmb_error error;
    assert_int_equal(
        test_gltf_try(
            NULL, TRIANGLE "'accessors':[{'componentType':5126,'count':4000000000,'type':'VEC3'}]",
            &c, NULL, &error),
        LMB_ERROR_MALFORMED);
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(component_types_become_floats),
        cmocka_unit_test(strides_and_offsets_are_followed),
        cmocka_unit_test(sparse_accessors_replace_with_and_without_a_base),
        cmocka_unit_test(parts_with_nothing_to_draw_are_left_out),
        cmocka_unit_test(numbers_that_are_none_cost_what_has_them),
        cmocka_unit_test(sparse_indices_rise_and_end_below_the_count),
        cmocka_unit_test(every_mode_becomes_a_list),
        cmocka_unit_test(primitives_with_the_same_data_share_vertices),
        cmocka_unit_test(sets_of_joints_become_clean_rows),
        cmocka_unit_test(morph_targets_have_names_and_weights),
        cmocka_unit_test(directions_and_colors_are_put_right),
        cmocka_unit_test(a_small_file_cannot_ask_for_much_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
