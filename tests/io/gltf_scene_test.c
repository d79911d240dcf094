// Known answers of reading nodes, skins, animations and what is only carried; and where errors are
// said to be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/gltf_text.h"

static void nodes_become_joints_with_parents_first(void **state)
{
    (void)state;
    lmb_character *c = test_gltf_read(
        NULL,
        "'scene':0,'scenes':[{'name':'stage','nodes':[2]}],'nodes':[{'name':'hand','translation':["
        "1,2,3]},"
        "{'name':'arm','children':[0],'scale':[2,2,2]},{'children':[1],'rotation':[0,0,1,0]}]");
    const lmb_skeleton *s = c->skeleton;
    assert_int_equal(s->joint_count, 3);
    const char *const names[3] = {"node_2", "arm", "hand"};
    for (int32_t j = 0; j < 3; ++j) {
        assert_string_equal(s->names[j], names[j]);
        assert_int_equal(s->parents[j], j - 1);
        assert_int_equal(s->source_index[j], 2 - j);
    }
    assert_float_equal(s->rest[0].rotation.z, 1, 0);
    assert_float_equal(s->rest[1].scale.y, 2, 0);
    assert_float_equal(s->rest[2].translation.z, 3, 0);
    assert_string_equal(c->name, "stage");
    lmb_character_destroy(c);
}

static void matrices_are_taken_apart(void **state)
{
    (void)state;
    // A quarter turn about +Z, scaled by 2, 3 and 4, moved to 5 6 7.
    lmb_character *c =
        test_gltf_read(NULL, "'nodes':[{'matrix':[0,2,0,0,-3,0,0,0,0,0,4,0,5,6,7,1]}]");
    const lmb_transform t = c->skeleton->rest[0];
    assert_float_equal(t.translation.y, 6, 1e-6);
    assert_float_equal(t.scale.x, 2, 1e-6);
    assert_float_equal(t.scale.y, 3, 1e-6);
    assert_float_equal(t.scale.z, 4, 1e-6);
    assert_float_equal(fabsf(t.rotation.z), 0.70710678f, 1e-6);
    assert_float_equal(t.rotation.z, t.rotation.w, 1e-6);
    lmb_character_destroy(c);
}

static void a_long_chain_does_not_recurse(void **state)
{
    (void)state;
    enum { LENGTH = 20000 };
    char *members = malloc(LENGTH * 24);
    size_t at = (size_t)sprintf(members, "'nodes':[{}");
    for (int k = 1; k < LENGTH; ++k) { // the deepest comes first
        at += (size_t)sprintf(members + at, ",{'children':[%d]}", k - 1);
    }
    sprintf(members + at, "]");
    lmb_character *c = test_gltf_read(NULL, members);
    assert_int_equal(c->skeleton->joint_count, LENGTH);
    assert_int_equal(c->skeleton->parents[LENGTH - 1], LENGTH - 2);
    assert_int_equal(c->skeleton->source_index[0], LENGTH - 1);
    lmb_character_destroy(c);
    free(members);
}

static void a_skin_without_matrices_has_identities(void **state)
{
    (void)state;
    lmb_character *c = test_gltf_read(
        NULL,
        "'nodes':[{'children':[1]},{},{}],'skins':[{'joints':[1,2],'skeleton':0,'extras':7}]");
    const lmb_skin *skin = c->skins[0];
    assert_true(skin->bind_was_missing);
    assert_int_equal(skin->joint_count, 2);
    assert_float_equal(skin->joint_from_bind[1].m[5], 1, 0);
    assert_int_equal(skin->root, 0);
    assert_string_equal(skin->carried, "{\"extras\":7}");
    lmb_character_destroy(c);
}

static void matrices_of_binds_end_in_0_0_0_1(void **state)
{
    (void)state;
    test_gltf g = {0};
    float matrix[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 4, 6, 8, 2};
    test_put(&g, matrix, sizeof matrix);
    lmb_character *c =
        test_gltf_read(&g, "'nodes':[{}],'skins':[{'joints':[0],'inverseBindMatrices':0}],"
                           "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'"
                           "MAT4'}],'bufferViews':[{'buffer':0,'byteLength':64}]");
    const lmb_mat4 *m = c->skins[0]->joint_from_bind;
    assert_float_equal(m->m[0], 1, 0);
    assert_float_equal(m->m[13], 3, 0);
    assert_float_equal(m->m[15], 1, 0);
    lmb_character_destroy(c);
}

#define VIEWS                                                                                     \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':2,'type':'SCALAR'},{'bufferView':" \
    "1,'componentType':5126,'count':6,'type':'VEC3'},"                                            \
    "{'bufferView':1,'componentType':5126,'count':2,'type':'VEC3'},{'bufferView':2,'"             \
    "componentType':5122,'normalized':true,'count':2,'type':'VEC4'},"                             \
    "{'bufferView':1,'componentType':5126,'count':4,'type':'SCALAR'},{'bufferView':0,'"           \
    "componentType':5126,'count':1,'type':'SCALAR'},"                                             \
    "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'}],"                             \
    "'bufferViews':[{'buffer':0,'byteLength':8},{'buffer':0,'byteOffset':8,'byteLength':72},{'"   \
    "buffer':0,'byteOffset':80,'byteLength':16}]"

static test_gltf clip_data(float second_time)
{
    test_gltf g = {0};
    const float times[2] = {0.5f, second_time};
    float values[18];
    for (int k = 0; k < 18; ++k) {
        values[k] = (float)k;
    }
    const int16_t rotations[8] = {0, 0, 0, 32767, 0, 0, 32767, 0};
    test_put(&g, times, sizeof times);
    test_put(&g, values, sizeof values);
    test_put(&g, rotations, sizeof rotations);
    return g;
}

static void animations_become_clips_in_seconds(void **state)
{
    (void)state;
    const test_gltf g = clip_data(2);
    lmb_character *c =
        test_gltf_read(&g, "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION'"
                           ":6},'targets':[{},{}]}]}],"
                           "'animations':[{'name':'wave','extras':{'a':1},'samplers':[{'input':0,'"
                           "output':1,'interpolation':'CUBICSPLINE'},"
                           "{'input':0,'output':3},{'input':0,'output':2,'interpolation':'STEP'},{'"
                           "input':0,'output':4},"
                           "{'input':5,'output':6,'interpolation':'CUBICSPLINE'}],"
                           "'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}},{'"
                           "sampler':1,'target':{'node':0,'path':'rotation'}},"
                           "{'sampler':2,'target':{'node':0,'path':'scale'}},{'sampler':3,'target':"
                           "{'node':0,'path':'weights'}},"
                           "{'sampler':0,'target':{'path':'scale'}},{'sampler':1,'target':{'node':"
                           "0,'path':'pointer'}},"
                           "{'sampler':1,'target':{'node':0,'path':'rotation'}}]},"
                           "{'samplers':[{'input':5,'output':6,'interpolation':'CUBICSPLINE'}],'"
                           "channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}]," VIEWS);
    const lmb_clip *clip = c->clips[0];
    assert_int_equal(clip->channel_count,
                     4); // one without a node, one without a path, one a second time
    assert_float_equal(lmb_clip_duration_s(clip), 2, 0);
    assert_string_equal(clip->name, "wave");
    assert_string_equal(clip->carried, "{\"extras\":{\"a\":1}}");
    assert_int_equal(clip->channels[0].interpolation, LMB_CUBIC);
    assert_float_equal(clip->channels[0].values[3], 3, 0); // the first value, after its in-tangent
    assert_int_equal(clip->channels[1].interpolation, LMB_LINEAR);
    assert_float_equal(clip->channels[1].values[6], 1, 0);
    assert_int_equal(clip->channels[2].interpolation, LMB_STEP);
    assert_int_equal(clip->channels[3].width, 2);
    assert_float_equal(clip->channels[3].values[3], 3, 0);
    // One cubic key is a constant.
    const lmb_channel *constant = &c->clips[1]->channels[0];
    assert_int_equal(constant->interpolation, LMB_STEP);
    assert_float_equal(constant->values[0], 3, 0);
    lmb_character_destroy(c);
}

static void equal_key_times_are_moved_apart(void **state)
{
    (void)state;
    const char *members = "'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':2}],'"
                          "channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}]}]," VIEWS;
    test_gltf g = clip_data(0.5f);
    lmb_character *c = test_gltf_read(&g, members);
    assert_true(c->clips[0]->channels[0].ticks[1] > c->clips[0]->channels[0].ticks[0]);
    lmb_character_destroy(c);
    g = clip_data(0.25f);
    lmb_error error;
    assert_int_equal(test_gltf_try(&g, members, &c, NULL, &error), LMB_ERROR_MALFORMED);
}

static void unknown_members_are_carried(void **state)
{
    (void)state;
    lmb_character *c = test_gltf_read(
        NULL, "'extensionsUsed':['KHR_lights_punctual','KHR_draco_mesh_compression','VRM'],"
              "'extensions':{'VRM':{'humanoid':{'humanBones':[{'bone':'hips','node':0}]}}},'extras'"
              ":[ 1 , 2 ],"
              "'cameras':[{'type':'perspective','perspective':{'yfov':1,'znear':0.1}}],"
              "'nodes':[{'camera':0,'extensions':{'KHR_lights_punctual':{'light':0},'EXT_mesh_gpu_"
              "instancing':{}}}],"
              "'materials':[{'name':'skin','extensions':{'KHR_materials_unlit':{}},'"
              "pbrMetallicRoughness':{'baseColorFactor':[1,0.5,0,1]}}],"
              "'samplers':[{'wrapS':33071}],'textures':[{'sampler':0,'source':0}],'images':[{'uri':"
              "'a%20b.png','name':'face'}]");
    const lmb_appearance *look = c->appearance;
    assert_string_equal(look->extensions_used, "[\"KHR_lights_punctual\",\"VRM\"]");
    assert_string_equal(
        look->carried,
        "{\"extensions\":{\"VRM\":{\"humanoid\":{\"humanBones\":[{\"bone\":\"hips\",\"node\":0}]}}}"
        ",\"extras\":[1,2],"
        "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":0.1}}]}");
    assert_string_equal(c->skeleton->carried[0],
                        "{\"camera\":0,\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}");
    assert_float_equal(look->materials[0].base_color.y, 0.5, 0);
    assert_string_equal(look->materials[0].gltf,
                        "{\"name\":\"skin\",\"extensions\":{\"KHR_materials_unlit\":{}},"
                        "\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0.5,0,1]}}");
    assert_string_equal(look->samplers[0], "{\"wrapS\":33071}");
    assert_int_equal(look->textures[0].image, 0);
    assert_string_equal(look->images[0].uri, "a%20b.png");
    lmb_character_destroy(c);
}

static bool load_picture(void *user, const char *name, lmb_bytes *out)
{
    *(int *)user += strcmp(name, "a b.png") == 0 ? 1 : 100;
    *out = (lmb_bytes){(const uint8_t *)"\x89PNG\r\n\x1A\n...", 11};
    return true;
}

static void the_loader_gets_decoded_names_below_the_folder_only(void **state)
{
    (void)state;
    const char *text =
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"a%20b.png\"},{\"uri\":\"../a "
        "b.png\"},{\"uri\":\"/a b.png\"},"
        "{\"uri\":\"x/%2e%2e/a b.png\"},{\"uri\":\"http://x/a b.png\"},{\"uri\":\"C:\\\\a "
        "b.png\"},{\"uri\":\"data:image/jpeg;base64,Zm9v\"}]}";
    int calls = 0;
    const lmb_loader loader = {load_picture, NULL, &calls};
    const lmb_gltf_read_opts opts = {.loader = &loader};
    lmb_character *c = NULL;
    assert_int_equal(lmb_gltf_read(text, strlen(text), &opts, NULL, &c, NULL), LMB_OK);
    assert_int_equal(calls, 1);
    assert_string_equal(c->appearance->images[0].mime, "image/png");
    assert_int_equal(c->appearance->images[0].byte_count, 11);
    assert_null(c->appearance->images[0].uri);
    assert_string_equal(c->appearance->images[1].uri, "../a b.png");
    assert_string_equal(c->appearance->images[6].mime, "image/jpeg");
    assert_memory_equal(c->appearance->images[6].bytes, "foo", 3);
    lmb_character_destroy(c);
}

static void errors_say_what_and_where(void **state)
{
    (void)state;
    const struct {
        const char *members;
        lmb_result result;
        const char *found; ///< the end of it
    } cases[] = {
        {"'nodes':[{'children':[0]}]", LMB_ERROR_MALFORMED, "a cycle at /nodes"},
        {"'nodes':[{'children':[1]},{'children':[0]}]", LMB_ERROR_MALFORMED, "a cycle at /nodes"},
        {"'nodes':[{'children':[2]},{'children':[2]},{}]", LMB_ERROR_MALFORMED,
         "2 at /nodes/1/children/0"},
        {"'nodes':[{'mesh':3}]", LMB_ERROR_MALFORMED, "3 at /nodes/0/mesh"},
        {"'nodes':[{'translation':[1,2]}]", LMB_ERROR_MALFORMED,
         "an array at /nodes/0/translation"},
        {"'nodes':[{'translation':[1,2,'x']}]", LMB_ERROR_MALFORMED,
         "\"x\" at /nodes/0/translation/2"},
        {"'nodes':{}", LMB_ERROR_MALFORMED, "an object at /nodes"},
        {"'skins':[{'joints':[]}]", LMB_ERROR_MALFORMED, "none at /skins/0/joints"},
        {"'accessors':[{'componentType':5124,'count':1,'type':'SCALAR'}]", LMB_ERROR_MALFORMED,
         "5124 at /accessors/0/componentType"},
        {"'meshes':[{'primitives':[]}]", LMB_ERROR_MALFORMED, "none at /meshes/0"},
        {"'materials':[{'normalTexture':{'index':0}}]", LMB_ERROR_MALFORMED,
         "0 at /materials/0/normalTexture/index"},
        {"'extensionsRequired':['KHR_draco_mesh_compression']", LMB_ERROR_UNSUPPORTED,
         "KHR_draco_mesh_compression at /extensionsRequired/0"},
        {"'extensionsRequired':['EXT_mesh_gpu_instancing']", LMB_ERROR_UNSUPPORTED,
         "EXT_mesh_gpu_instancing at /extensionsRequired/0"},
        {"'buffers':[{'byteLength':4,'uri':'x.bin'}]", LMB_ERROR_MALFORMED,
         "x.bin at /buffers/0/uri"},
        {"'buffers':[{'byteLength':9,'uri':'data:;base64,Zm9v'}]", LMB_ERROR_MALFORMED,
         "3 of 9 at /buffers/0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_character *c = NULL;
        lmb_error error;
        assert_int_equal(test_gltf_try(NULL, cases[k].members, &c, NULL, &error), cases[k].result);
        assert_string_equal(error.found, cases[k].found);
        assert_int_equal(error.line, 1);
        assert_true(error.column > 20);
        assert_null(c);
    }
}

static void glb_errors_say_the_byte(void **state)
{
    (void)state;
    uint8_t file[64] = "glTF\x02\0\0\0\x30\0\0\0\x1C\0\0\0JSON{\"asset\":{\"version\":\"2.x\"}} ";
    lmb_character *c = NULL;
    lmb_error error;
    assert_int_equal(lmb_gltf_read(file, 48, NULL, NULL, &c, &error), LMB_OK);
    lmb_character_destroy(c);
    c = NULL;
    file[20 + 21] = '3';
    assert_int_equal(lmb_gltf_read(file, 48, NULL, NULL, &c, &error), LMB_ERROR_UNSUPPORTED);
    assert_int_equal(error.offset, 20 + 20);
    assert_int_equal(error.line, 0);
    file[20 + 8] = '?';
    assert_int_equal(lmb_gltf_read(file, 48, NULL, NULL, &c, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(error.offset, 20 + 8);
    for (size_t size = 0; size < 48; ++size) {
        assert_int_not_equal(lmb_gltf_read(file, size, NULL, NULL, &c, &error), LMB_OK);
    }
    file[8] = 0x2F;
    assert_int_equal(lmb_gltf_read(file, 48, NULL, NULL, &c, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(error.offset, 12);
    assert_null(c);
}

/// An empty name is none: it would be left out on writing, and the joint have another name then.
static void joints_without_names_get_numbers(void **state)
{
    (void)state;
    lmb_character *character = test_gltf_read(
        NULL, "'nodes':[{'name':''},{},{'name':'hips'}],'scenes':[{'nodes':[0,1,2]}]");
    assert_string_equal(character->skeleton->names[0], "node_0");
    assert_string_equal(character->skeleton->names[1], "node_1");
    assert_string_equal(character->skeleton->names[2], "hips");
    lmb_character_destroy(character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_without_names_get_numbers),
        cmocka_unit_test(nodes_become_joints_with_parents_first),
        cmocka_unit_test(matrices_are_taken_apart),
        cmocka_unit_test(a_long_chain_does_not_recurse),
        cmocka_unit_test(a_skin_without_matrices_has_identities),
        cmocka_unit_test(matrices_of_binds_end_in_0_0_0_1),
        cmocka_unit_test(animations_become_clips_in_seconds),
        cmocka_unit_test(equal_key_times_are_moved_apart),
        cmocka_unit_test(unknown_members_are_carried),
        cmocka_unit_test(the_loader_gets_decoded_names_below_the_folder_only),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(glb_errors_say_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
