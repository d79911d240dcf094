// Known answers of writing: the container, weights, roots, scenes, extensions that name nodes;
// failing memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "io/characters.h"
#include "io/gltf_text.h"
#include "one_mesh.h"

typedef struct written {
    lmb_buffer file;
    lmbi_arena arena;
    lmbi_json *root;
    const uint8_t *buffer;
} written;

static uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static written write_glb(const lmb_character *c, const lmb_gltf_write_opts *opts)
{
    written w = {0};
    lmb_error error = {0};
    assert_int_equal(lmb_gltf_write(c, opts, NULL, &w.file, &error), LMB_OK);
    lmbi_arena_init(&w.arena, NULL);
    const uint32_t json_size = u32_at(w.file.data + 12);
    assert_int_equal(lmbi_json_read(&w.arena, w.file.data + 20, json_size, &w.root, &error),
                     LMB_OK);
    w.buffer = w.file.data + 28 + json_size;
    return w;
}

static void close_written(written *w)
{
    lmbi_arena_free(&w->arena);
    lmb_buffer_free(&w->file);
}

/// The value at a path such as "nodes/1/name".
static const lmbi_json *at(const written *w, const char *path)
{
    const lmbi_json *value = w->root;
    char part[64];
    while (value && *path) {
        const size_t length = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        path += length + (path[length] == '/');
        if (value->type == LMBI_JSON_ARRAY) {
            const lmbi_json *item = value->child;
            for (long k = strtol(part, NULL, 10); item && k > 0; --k) {
                item = item->next;
            }
            value = item;
        } else {
            value = lmbi_json_find(value, part);
        }
    }
    return value;
}

static uint32_t number_at(const written *w, const char *path)
{
    uint32_t value = UINT32_MAX;
    lmbi_json_u32(at(w, path), &value);
    return value;
}

static bool raw_is(const written *w, const char *path, const char *text)
{
    const lmbi_json *value = at(w, path);
    return value && value->size == strlen(text) && memcmp(value->at, text, value->size) == 0;
}

static const uint8_t *accessor_bytes(const written *w, uint32_t accessor)
{
    char path[64];
    snprintf(path, sizeof path, "accessors/%u/bufferView", accessor);
    const uint32_t view = number_at(w, path);
    snprintf(path, sizeof path, "bufferViews/%u/byteOffset", view);
    const lmbi_json *offset = at(w, path);
    snprintf(path, sizeof path, "accessors/%u/byteOffset", accessor);
    const lmbi_json *inner = at(w, path);
    uint32_t a = 0, b = 0;
    lmbi_json_u32(offset, &a);
    lmbi_json_u32(inner, &b);
    return w->buffer + a + b;
}

// -------------------------------------------------------------------------------------- characters

enum { VERTICES = 3, ROW = 6 };

/// One triangle whose vertices belong to up to six joints, under two roots when asked for.
static lmb_character *make_skinned(bool two_roots, uint32_t joint_count)
{
    static lmb_vec3 positions[VERTICES] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static uint32_t indices[3] = {0, 2, 1}, first[VERTICES + 1] = {0, 6, 7, 7};
    static lmb_influence items[7] = {{5, 0.3f},  {4, 0.25f}, {3, 0.2f}, {2, 0.15f},
                                     {1, 0.07f}, {0, 0.03f}, {2, 1}};
    static lmb_primitive primitive = {.index_count = 3,
                                      .vertex_count = 3,
                                      .attributes = LMB_HAS_INFLUENCES,
                                      .material = LMB_NONE};
    static int32_t parents[400];
    static lmb_transform rest[400];
    static const char *names[400];
    static uint32_t joints[400];
    static lmb_mat4 binds[400];
    for (uint32_t j = 0; j < joint_count; ++j) {
        parents[j] = j == 0 || (two_roots && j == 3) ? LMB_NONE : (int32_t)j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = 0.1f;
        names[j] = "joint";
        joints[j] = j;
        binds[j] = lmb_mat4_identity();
    }
    lmb_mesh mesh = {.vertex_count = VERTICES,
                     .positions = positions,
                     .index_count = 3,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &primitive};
    mesh.influences.first = first;
    mesh.influences.items = items;
    lmb_skeleton skeleton = {
        .joint_count = joint_count, .parents = parents, .rest = rest, .names = names};
    lmb_skin skin = {
        .joint_count = joint_count, .joints = joints, .joint_from_bind = binds, .root = LMB_NONE};
    const lmb_instance instance = {.joint = 0, .mesh = 0, .skin = 0};
    return one_mesh_create(&skeleton, &mesh, &skin, instance);
}

// ------------------------------------------------------------------------------------------- tests

static void the_container_is_whole(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6);
    written w = write_glb(c, NULL);
    const uint8_t *file = w.file.data;
    assert_memory_equal(file, "glTF\x02\0\0\0", 8);
    assert_int_equal(u32_at(file + 8), w.file.size);
    assert_memory_equal(file + 16, "JSON", 4);
    const uint32_t json_size = u32_at(file + 12);
    assert_int_equal(json_size % 4, 0);
    assert_memory_equal(file + 24 + json_size, "BIN\0", 4);
    assert_int_equal(u32_at(file + 20 + json_size) % 4, 0);
    assert_int_equal(28 + json_size + u32_at(file + 20 + json_size), w.file.size);
    assert_int_equal(number_at(&w, "buffers/0/byteLength"), u32_at(file + 20 + json_size));
    assert_true(raw_is(&w, "accessors/0/min", "[0,0,0]"));
    assert_true(raw_is(&w, "accessors/0/max", "[1,1,0]"));
    assert_int_equal(number_at(&w, "bufferViews/0/target"), 34962);
    close_written(&w);
    lmb_character_destroy(c);
}

static void all_influences_are_written_in_sets_of_four(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6);
    written w = write_glb(c, NULL);
    const uint8_t *joints0 =
        accessor_bytes(&w, number_at(&w, "meshes/0/primitives/0/attributes/JOINTS_0"));
    const uint8_t *joints1 =
        accessor_bytes(&w, number_at(&w, "meshes/0/primitives/0/attributes/JOINTS_1"));
    assert_null(at(&w, "meshes/0/primitives/0/attributes/JOINTS_2"));
    const uint8_t want0[12] = {5, 4, 3, 2, 2, 0, 0, 0, 0, 0, 0, 0}, want1[12] = {1, 0, 0, 0};
    assert_memory_equal(joints0, want0, 12);
    assert_memory_equal(joints1, want1, 12);
    float weights[12];
    memcpy(weights, accessor_bytes(&w, number_at(&w, "meshes/0/primitives/0/attributes/WEIGHTS_0")),
           sizeof weights);
    assert_float_equal(weights[0], 0.3f, 0);
    assert_float_equal(weights[4], 1, 0);
    assert_float_equal(weights[8], 1, 0); // a row without weights belongs to joint 0
    close_written(&w);
    lmb_character_destroy(c);
}

static void few_influences_sum_to_1(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6);
    const lmb_gltf_write_opts floats = {.max_influences = 3},
                              integers = {.max_influences = 3, .weights_u16 = true},
                              all = {.weights_u16 = true};
    written w = write_glb(c, &floats);
    float weights[4];
    memcpy(weights, accessor_bytes(&w, number_at(&w, "meshes/0/primitives/0/attributes/WEIGHTS_0")),
           sizeof weights);
    assert_float_equal(weights[0] + weights[1] + weights[2], 1, 1e-6);
    assert_float_equal(weights[0], 0.3f / 0.75f, 1e-6);
    assert_float_equal(weights[3], 0, 0);
    close_written(&w);
    w = write_glb(c, &integers);
    const uint8_t *bytes =
        accessor_bytes(&w, number_at(&w, "meshes/0/primitives/0/attributes/WEIGHTS_0"));
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += (uint32_t)bytes[2 * k] | (uint32_t)bytes[2 * k + 1] << 8;
    }
    assert_int_equal(sum, 65535);
    close_written(&w);
    w = write_glb(c, &all);
    sum = 0;
    for (uint32_t set = 0; set < 2; ++set) {
        bytes =
            accessor_bytes(&w, number_at(&w, set ? "meshes/0/primitives/0/attributes/WEIGHTS_1"
                                                 : "meshes/0/primitives/0/attributes/WEIGHTS_0"));
        for (int k = 0; k < 4; ++k) {
            sum += (uint32_t)bytes[2 * k] | (uint32_t)bytes[2 * k + 1] << 8;
        }
    }
    assert_int_equal(sum, 65535);
    close_written(&w);
    lmb_character_destroy(c);
}

static void many_joints_take_16_bits(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 300);
    c->meshes[0]->influences.items[6].joint = 299;
    written w = write_glb(c, NULL);
    const uint32_t joints = number_at(&w, "meshes/0/primitives/0/attributes/JOINTS_0");
    const uint8_t *bytes = accessor_bytes(&w, joints);
    assert_int_equal(bytes[8] | bytes[9] << 8, 299);
    close_written(&w);
    lmb_character_destroy(c);
}

static void two_trees_of_joints_get_a_common_root(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(true, 6);
    written w = write_glb(c, NULL);
    assert_int_equal(at(&w, "nodes")->count, 7);
    assert_true(raw_is(&w, "nodes/6", "{\"name\":\"root\",\"children\":[0,3]}"));
    assert_true(raw_is(&w, "scenes/0/nodes", "[6]"));
    close_written(&w);
    lmb_character_destroy(c);
}

static void a_second_mesh_on_a_joint_gets_its_own_node(void **state)
{
    (void)state;
    lmb_character *c =
        test_gltf_read(NULL, "'nodes':[{'name':'a','mesh':0,'children':[1]},{'name':'b'}],"
                             "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'accessors'"
                             ":[{'componentType':5126,'count':3,'type':'VEC3'}]");
    lmb_character def = *c, *twice = NULL;
    const lmb_instance instances[2] = {c->instances[0], {.joint = 0, .mesh = 0, .skin = LMB_NONE}};
    lmb_instance copies[2];
    memcpy(copies, instances, sizeof copies);
    def.instances = copies;
    def.instance_count = 2;
    assert_int_equal(lmb_character_create(&def, NULL, &twice, NULL), LMB_OK);
    lmb_character_release(c);
    written w = write_glb(twice, NULL);
    assert_int_equal(at(&w, "nodes")->count, 3);
    assert_true(raw_is(&w, "nodes/0/children", "[1,2]"));
    assert_int_equal(number_at(&w, "nodes/2/mesh"), 0);
    close_written(&w);
    lmb_character_destroy(twice);
}

#define VRM                                                                                        \
    "'extensionsUsed':['VRM','KHR_materials_unlit'],'extensions':{'VRM':{'humanoid':{'humanBones'" \
    ":[{'bone':'hips','node':2}]}}},"                                                              \
    "'scene':1,'scenes':[{'nodes':[]},{'name':'main','extras':{'x':1},'nodes':[1]}],"              \
    "'nodes':[{'name':'head'},{'name':'top','children':[2]},{'name':'hips','children':[0]}]"

static void nodes_and_scenes_keep_the_order_of_the_file(void **state)
{
    (void)state;
    lmb_character *c = test_gltf_read(NULL, VRM);
    assert_string_equal(c->skeleton->names[0], "top");
    written w = write_glb(c, NULL);
    assert_true(raw_is(&w, "nodes/2/name", "\"hips\""));
    assert_int_equal(number_at(&w, "extensions/VRM/humanoid/humanBones/0/node"), 2);
    assert_int_equal(number_at(&w, "scene"), 1);
    assert_true(raw_is(&w, "scenes/1", "{\"name\":\"main\",\"extras\":{\"x\":1},\"nodes\":[1]}"));
    close_written(&w);
    lmb_character_destroy(c);
}

static void a_new_skeleton_drops_what_names_old_nodes(void **state)
{
    (void)state;
    lmb_character *c = test_gltf_read(NULL, VRM);
    lmb_skeleton edited = *c->skeleton;
    edited.source_index = NULL;
    lmb_skeleton *old = c->skeleton, *made = NULL;
    assert_int_equal(lmb_skeleton_create(&edited, NULL, &made, NULL), LMB_OK);
    c->skeleton = made;
    written w = write_glb(c, NULL);
    assert_null(at(&w, "extensions"));
    assert_true(raw_is(&w, "extensionsUsed", "[\"KHR_materials_unlit\"]"));
    assert_true(raw_is(&w, "scenes", "[{\"name\":\"main\",\"extras\":{\"x\":1},\"nodes\":[0]}]"));
    close_written(&w);
    lmb_skeleton_destroy(old);
    lmb_character_destroy(c);
}

static void displacements_that_are_mostly_zero_are_sparse(void **state)
{
    (void)state;
    enum { COUNT = 90 };
    test_gltf g = {0};
    float positions[COUNT * 3] = {0}, moved[COUNT * 3] = {0};
    moved[3 * 70 + 1] = 0.5f;
    test_put(&g, positions, sizeof positions);
    test_put(&g, moved, sizeof moved);
    lmb_character *c =
        test_gltf_read(&g, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'"
                           "POSITION':1},{'POSITION':0}]}]}],'accessors':["
                           "{'bufferView':0,'componentType':5126,'count':90,'type':'VEC3'},{'"
                           "bufferView':1,'componentType':5126,'count':90,'type':'VEC3'}],"
                           "'bufferViews':[{'buffer':0,'byteLength':1080},{'buffer':0,'byteOffset':"
                           "1080,'byteLength':1080}]");
    written w = write_glb(c, NULL);
    char path[64];
    snprintf(path, sizeof path, "accessors/%u",
             number_at(&w, "meshes/0/primitives/0/targets/0/POSITION"));
    const lmbi_json *accessor = at(&w, path);
    assert_non_null(lmbi_json_find(accessor, "sparse"));
    assert_null(lmbi_json_find(accessor, "bufferView"));
    assert_true(w.file.size < 1080 + 1600);
    lmb_character *again = NULL;
    assert_int_equal(lmb_gltf_read(w.file.data, w.file.size, NULL, NULL, &again, NULL), LMB_OK);
    assert_null(test_whole_mesh_difference(c->meshes[0], again->meshes[0]));
    lmb_character_destroy(again);
    close_written(&w);
    lmb_character_destroy(c);
}

static void ticks_become_seconds_and_tangents_follow(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6);
    float ticks[2] = {0, 60}, values[18] = {0};
    values[6] = 0.25f; // the first out-tangent, per tick
    lmb_channel channel = {.joint = 2,
                           .path = LMB_PATH_TRANSLATION,
                           .interpolation = LMB_CUBIC,
                           .width = 3,
                           .key_count = 2,
                           .ticks = ticks,
                           .values = values};
    lmb_clip clip = {.name = "tick",
                     .ticks_per_s = 120,
                     .duration = 60,
                     .channel_count = 1,
                     .channels = &channel};
    lmb_clip *clips[1];
    assert_int_equal(lmb_clip_create(&clip, NULL, &clips[0], NULL), LMB_OK);
    lmb_character def = *c, *animated = NULL;
    def.clips = clips;
    def.clip_count = 1;
    assert_int_equal(lmb_character_create(&def, NULL, &animated, NULL), LMB_OK);
    lmb_character_release(c);
    written w = write_glb(animated, NULL);
    lmb_character *again = NULL;
    assert_int_equal(lmb_gltf_read(w.file.data, w.file.size, NULL, NULL, &again, NULL), LMB_OK);
    assert_float_equal(again->clips[0]->channels[0].ticks[1], 0.5f, 0);
    assert_float_equal(again->clips[0]->channels[0].values[6], 30, 0);
    assert_float_equal(lmb_clip_duration_s(again->clips[0]), 0.5f, 0);
    lmb_character_destroy(again);
    close_written(&w);
    lmb_character_destroy(animated);
}

static void names_of_pictures_become_uris(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6);
    lmb_image images[2] = {{.uri = "skins\\my face.png"},
                           {.bytes = (uint8_t *)(uintptr_t) "\xFF\xD8\xFF...", .byte_count = 6}};
    const lmb_appearance look = {.image_count = 2, .images = images};
    assert_int_equal(lmb_appearance_create(&look, NULL, &c->appearance, NULL), LMB_OK);
    written w = write_glb(c, NULL);
    assert_true(raw_is(&w, "images/0/uri", "\"skins/my%20face.png\""));
    assert_true(raw_is(&w, "images/1/mimeType", "\"image/jpeg\""));
    close_written(&w);
    lmb_character_destroy(c);
}

// --------------------------------------------------------------------------------------- no memory

typedef struct meter {
    int left;  ///< allocations that succeed
    long live; ///< bytes
} meter;

static void *meter_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    if (new_size > 0 && m->left-- <= 0) {
        return NULL;
    }
    m->live += (long)new_size - (long)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(true, 6);
    lmb_buffer file = {0};
    assert_int_equal(lmb_gltf_write(c, NULL, NULL, &file, NULL), LMB_OK);
    int reads = 0, writes = 0;
    for (int n = 0;; ++n) {
        meter m = {.left = n};
        const lmb_allocator alloc = {meter_resize, &m};
        lmb_character *out = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_gltf_read(file.data, file.size, NULL, &alloc, &out, &error);
        if (result == LMB_OK) {
            lmb_character_destroy(out);
        } else {
            assert_int_equal(result, LMB_ERROR_MEMORY);
            assert_null(out);
        }
        assert_int_equal(m.live, 0);
        reads = n;
        if (result == LMB_OK) {
            break;
        }
    }
    for (int n = 0;; ++n) {
        meter m = {.left = n};
        const lmb_allocator alloc = {meter_resize, &m};
        lmb_buffer out = {0};
        const lmb_result result = lmb_gltf_write(c, NULL, &alloc, &out, NULL);
        if (result != LMB_OK) {
            assert_int_equal(result, LMB_ERROR_MEMORY);
            assert_null(out.data);
        }
        lmb_buffer_free(&out);
        assert_int_equal(m.live, 0);
        writes = n;
        if (result == LMB_OK) {
            break;
        }
    }
    assert_true(reads > 10 && writes > 10);
    lmb_buffer_free(&file);
    lmb_character_destroy(c);
}

static void meshes_without_anything_to_draw_are_left_out(void **state)
{
    (void)state;
    lmb_character *c = make_skinned(false, 6), *again = NULL;
    c->meshes[0]->primitives[0].index_count = 0;
    lmb_buffer file = {0};
    assert_int_equal(lmb_gltf_write(c, NULL, NULL, &file, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_read(file.data, file.size, NULL, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again->mesh_count, c->mesh_count - 1);
    assert_int_equal(again->skeleton->joint_count, c->skeleton->joint_count);
    lmb_buffer_free(&file);
    lmb_character_destroy(again);
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_container_is_whole),
        cmocka_unit_test(all_influences_are_written_in_sets_of_four),
        cmocka_unit_test(few_influences_sum_to_1),
        cmocka_unit_test(many_joints_take_16_bits),
        cmocka_unit_test(two_trees_of_joints_get_a_common_root),
        cmocka_unit_test(a_second_mesh_on_a_joint_gets_its_own_node),
        cmocka_unit_test(nodes_and_scenes_keep_the_order_of_the_file),
        cmocka_unit_test(a_new_skeleton_drops_what_names_old_nodes),
        cmocka_unit_test(displacements_that_are_mostly_zero_are_sparse),
        cmocka_unit_test(ticks_become_seconds_and_tangents_follow),
        cmocka_unit_test(names_of_pictures_become_uris),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(meshes_without_anything_to_draw_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
