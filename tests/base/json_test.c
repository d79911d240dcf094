#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "io/files.h"
#ifdef TEST_HAS_CJSON
#include <cjson/cJSON.h>
#endif

typedef struct document {
    lmbi_arena arena;
    lmbi_json *root;
    lmb_error error;
    lmb_result result;
    char *text; ///< exactly as long as it says, so that a sanitizer sees a read past the end
} document;

static document read_bytes(const char *text, size_t size)
{
    document d = {0};
    d.text = malloc(size ? size : 1);
    memcpy(d.text, text, size);
    lmbi_arena_init(&d.arena, NULL);
    d.result = lmbi_json_read(&d.arena, d.text, size, &d.root, &d.error);
    return d;
}

static document read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void close_document(document *d)
{
    lmbi_arena_free(&d->arena);
    free(d->text);
}

static void reads_every_kind_of_value(void **state)
{
    (void)state;
    document d = read_text(
        " { \"a\" : [ 1 , -2.5e3, \"x\", true,false ,null, {} , [] ] , \"b\":{\"c\":0} } ");
    assert_int_equal(d.result, LMB_OK);
    assert_int_equal(d.root->type, LMBI_JSON_OBJECT);
    const lmbi_json *a = lmbi_json_find(d.root, "a");
    assert_int_equal(a->count, 8);
    const lmbi_json_type types[] = {LMBI_JSON_NUMBER, LMBI_JSON_NUMBER, LMBI_JSON_STRING,
                                    LMBI_JSON_TRUE,   LMBI_JSON_FALSE,  LMBI_JSON_NULL,
                                    LMBI_JSON_OBJECT, LMBI_JSON_ARRAY};
    size_t k = 0;
    for (const lmbi_json *item = a->child; item; item = item->next) {
        assert_int_equal(item->type, types[k++]);
        assert_ptr_equal(item->parent, a);
    }
    double number = 0;
    assert_true(lmbi_json_number(a->child->next, &number));
    assert_true(number == -2500);
    assert_non_null(lmbi_json_find(lmbi_json_find(d.root, "b"), "c"));
    assert_null(lmbi_json_find(d.root, "c"));
    // Raw spans hold the value and nothing round it.
    assert_int_equal(lmbi_json_find(d.root, "b")->size, 7);
    close_document(&d);
}

static void resolves_escapes(void **state)
{
    (void)state;
    document d = read_text("[\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u4E2d\", "
                           "\"\\ud83d\\ude00\", \"\\ud83d!\", \"a\\u0000b\"]");
    const char *const want[] = {"a\"\\/\b\f\n\r\t", "\xC3\xA9\xE4\xB8\xAD", "\xF0\x9F\x98\x80",
                                "\xEF\xBF\xBD!",
                                ("a\xEF\xBF\xBD"
                                 "b")};
    assert_int_equal(d.result, LMB_OK);
    size_t k = 0;
    for (const lmbi_json *item = d.root->child; item; item = item->next) {
        assert_string_equal(lmbi_json_string(&d.arena, item), want[k++]);
    }
    close_document(&d);
}

static void whole_numbers_may_be_spelt_in_any_form(void **state)
{
    (void)state;
    document d = read_text("[3, 3.0, 30e-1, 4294967295, 4294967296, -1, 2.5, 1e300, \"3\"]");
    const bool whole[] = {true, true, true, true, false, false, false, false, false};
    size_t k = 0;
    for (const lmbi_json *item = d.root->child; item; item = item->next) {
        uint32_t value = 0;
        assert_int_equal(lmbi_json_u32(item, &value), whole[k]);
        assert_true(!whole[k] || value == (k < 3 ? 3u : UINT32_MAX));
        ++k;
    }
    close_document(&d);
}

static void says_where_it_went_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text;
        unsigned line, column;
    } cases[] = {
        {"", 1, 1},
        {"{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7},
        {"[1, 2", 1, 6},
        {"[1, 2}", 1, 6},
        {"[1, ]", 1, 5},
        {"{\"a\":1,}", 1, 8},
        {"{a:1}", 1, 2},
        {"[01]", 1, 3},
        {"[1.]", 1, 4},
        {"[.5]", 1, 2},
        {"[+1]", 1, 2},
        {"[NaN]", 1, 2},
        {"[nul]", 1, 2},
        {"\"a\nb\"", 1, 3},
        {"\"\\x\"", 1, 3},
        {"\"\\u12g4\"", 1, 6},
        {"\"\xFF\"", 1, 2},
        {"\"\xC0\xAF\"", 1, 2},
        {"\"\xED\xA0\x80\"", 1, 2},
        {"[1] 2", 1, 5},
        {"\"open", 1, 6},
        {"1e", 1, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        document d = read_text(cases[k].text);
        assert_int_equal(d.result, LMB_ERROR_MALFORMED);
        assert_int_equal(d.error.line, cases[k].line);
        assert_int_equal(d.error.column, cases[k].column);
        assert_null(d.root);
        close_document(&d);
    }
}

static void depth_is_limited_and_does_not_recurse(void **state)
{
    (void)state;
    enum { DEEP = 1 << 20 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    document d = read_bytes(text, DEEP);
    assert_int_equal(d.result, LMB_ERROR_MALFORMED);
    assert_int_equal(d.error.column, LMBI_JSON_DEPTH + 1);
    close_document(&d);
    memset(text + LMBI_JSON_DEPTH, ']', LMBI_JSON_DEPTH);
    d = read_bytes(text, (size_t)2 * LMBI_JSON_DEPTH);
    assert_int_equal(d.result, LMB_OK);
    close_document(&d);
    free(text);
}

static void the_last_of_equal_names_counts(void **state)
{
    (void)state;
    document d = read_text("{\"a\":1,\"b\":2,\"a\":3}");
    uint32_t value = 0;
    assert_true(lmbi_json_u32(lmbi_json_find(d.root, "a"), &value));
    assert_int_equal(value, 3);
    close_document(&d);
}

static void paths_lead_from_the_root(void **state)
{
    (void)state;
    document d = read_text("{\"meshes\":[0,{\"primitives\":[1,2,3]}]}");
    const lmbi_json *second =
        lmbi_json_find(lmbi_json_find(d.root, "meshes")->child->next, "primitives")->child->next;
    char path[64], narrow[16];
    lmbi_json_path(second, path, sizeof path);
    assert_string_equal(path, "/meshes/1/primitives/1");
    lmbi_json_path(d.root, path, sizeof path);
    assert_string_equal(path, "/");
    lmbi_json_path(second, narrow, sizeof narrow);
    assert_string_equal(narrow, ".../1");
    close_document(&d);
}

static void minifies_outside_strings_only(void **state)
{
    (void)state;
    const char *text = "{ \"a b\" :\t[ 1 ,\r\n \"c \\\" d\" ] , \"e\\\\\" : { } }";
    lmbi_text out;
    lmbi_text_init(&out, NULL);
    lmbi_json_minify(&out, text, strlen(text));
    const char *want = "{\"a b\":[1,\"c \\\" d\"],\"e\\\\\":{}}";
    assert_int_equal(out.size, strlen(want));
    assert_memory_equal(out.data, want, out.size);
    lmbi_text_free(&out);
}

static void writes_what_it_reads(void **state)
{
    (void)state;
    lmbi_text text;
    lmbi_text_init(&text, NULL);
    lmbi_json_out out = {.text = &text, .first = true};
    lmbi_json_open(&out, NULL, '{');
    lmbi_json_put_string(&out, "name", "tab\t quote\" \x01 caf\xC3\xA9 bad\xFF");
    lmbi_json_open(&out, "list", '[');
    lmbi_json_put_int(&out, NULL, -7);
    lmbi_json_put_float(&out, NULL, 0.1f);
    lmbi_json_put_bool(&out, NULL, true);
    lmbi_json_close(&out, ']');
    lmbi_json_put_members(&out, "{ \"x\": 1, \"y\": {} }");
    lmbi_json_put_members(&out, "{ }");
    lmbi_json_put_members(&out, NULL);
    lmbi_json_close(&out, '}');
    const char *want = "{\"name\":\"tab\\t quote\\\" \\u0001 caf\xC3\xA9 "
                       "bad\xEF\xBF\xBD\",\"list\":[-7,0.1,true],\"x\": 1, \"y\": {} }";
    assert_int_equal(text.size, strlen(want));
    assert_memory_equal(text.data, want, text.size);
    document d = read_bytes((const char *)text.data, text.size);
    assert_int_equal(d.result, LMB_OK);
    close_document(&d);
    lmbi_text_free(&text);
}

#ifdef TEST_HAS_CJSON

static bool same_value(lmbi_arena *arena, const lmbi_json *ours, const cJSON *theirs)
{
    double number = 0;
    switch (ours->type) {
    case LMBI_JSON_NULL:
        return cJSON_IsNull(theirs);
    case LMBI_JSON_TRUE:
        return cJSON_IsTrue(theirs);
    case LMBI_JSON_FALSE:
        return cJSON_IsFalse(theirs);
    case LMBI_JSON_STRING:
        return cJSON_IsString(theirs) &&
               strcmp(lmbi_json_string(arena, ours), theirs->valuestring) == 0;
    case LMBI_JSON_NUMBER:
        return lmbi_json_number(ours, &number) && cJSON_IsNumber(theirs) &&
               (float)number >= (float)theirs->valuedouble &&
               (float)number <= (float)theirs->valuedouble;
    default:
        break;
    }
    if (ours->type == LMBI_JSON_ARRAY ? !cJSON_IsArray(theirs) : !cJSON_IsObject(theirs)) {
        return false;
    }
    const cJSON *other = theirs->child;
    for (const lmbi_json *item = ours->child; item; item = item->next, other = other->next) {
        if (other == NULL || !same_value(arena, item, other)) {
            return false;
        }
        // cJSON resolves escapes in names; none of these files has any.
        if (item->key && (strlen(other->string) != item->key_size ||
                          memcmp(other->string, item->key, item->key_size) != 0)) {
            return false;
        }
    }
    return other == NULL;
}

static void agrees_with_cjson_on_real_files(void **state)
{
    (void)state;
    static const char *const files[] = {
        "rigged/gltf/SimpleSkin.gltf", "rigged/gltf/RiggedSimple.gltf",
        "rigged/gltf/MorphStressTest.gltf", "rigged/gltf/blender_parent_inverse_anim.gltf",
        "rigged/gltf/godot_LeftHandHumanoid.gltf"};
    int compared = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        test_file file = test_shared_read(files[k]);
        if (file.data == NULL) {
            continue;
        }
        document d = read_bytes(file.data, file.size);
        cJSON *theirs = cJSON_ParseWithLength(file.data, file.size);
        assert_int_equal(d.result, LMB_OK);
        assert_non_null(theirs);
        assert_true(same_value(&d.arena, d.root, theirs));
        ++compared;
        cJSON_Delete(theirs);
        close_document(&d);
        free(file.data);
    }
    if (compared == 0) {
        skip();
    }
}

static void accepts_what_cjson_accepts(void **state)
{
    (void)state;
    const char base[] = "{\"a\":[1,-2.5e3,\"x\\n\",true,false,null,{},[]],\"b\":{\"c\":0.5}}";
    lmb_random random = lmb_random_seed(11);
    int agreed = 0;
    for (int k = 0; k < 4000; ++k) {
        char text[sizeof base];
        memcpy(text, base, sizeof base);
        text[lmb_random_u32(&random) % (sizeof base - 1)] =
            "{}[]\",:0123eE.+-tfn x\\"[lmb_random_u32(&random) % 22];
        document d = read_bytes(text, sizeof base - 1);
        const char *end = NULL;
        cJSON *theirs = cJSON_ParseWithLengthOpts(text, sizeof base, &end, true);
        if (d.result ==
            LMB_OK) { // cJSON lets leading zeros and control characters pass; we pass no more
            assert_non_null(theirs);
            assert_true(same_value(&d.arena, d.root, theirs));
            ++agreed;
        }
        cJSON_Delete(theirs);
        close_document(&d);
    }
    assert_true(agreed > 300);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_value),
        cmocka_unit_test(resolves_escapes),
        cmocka_unit_test(whole_numbers_may_be_spelt_in_any_form),
        cmocka_unit_test(says_where_it_went_wrong),
        cmocka_unit_test(depth_is_limited_and_does_not_recurse),
        cmocka_unit_test(the_last_of_equal_names_counts),
        cmocka_unit_test(paths_lead_from_the_root),
        cmocka_unit_test(minifies_outside_strings_only),
        cmocka_unit_test(writes_what_it_reads),
#ifdef TEST_HAS_CJSON
        cmocka_unit_test(agrees_with_cjson_on_real_files),
        cmocka_unit_test(accepts_what_cjson_accepts),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
