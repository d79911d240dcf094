// What is read, written and read again is equal: every rigged file and mesh of the shared data, as
// GLB and as text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "folder_loader.h"
#include "io/characters.h"

static lmb_character *read_with(const void *bytes, size_t size, char *beside)
{
    const lmb_loader loader = {test_folder_load, test_folder_release, beside};
    const lmb_gltf_read_opts opts = {.loader = &loader};
    lmb_character *character = NULL;
    lmb_error error = {0};
    if (lmb_gltf_read(bytes, size, &opts, NULL, &character, &error) != LMB_OK) {
        print_error("expected %s, found %s\n", error.expected, error.found);
    }
    return character;
}

/// Two trees of joints under one skin are written with one more node above them, as the format
/// demands.
static bool gains_a_root(const char *name)
{
    return strcmp(name, "Animation_Skin_07.gltf") == 0;
}

static void check_file(const char *path, const char *name, char *beside, bool text)
{
    const lmb_gltf_write_opts opts = {.text = text};
    test_file file = test_file_read(path);
    lmb_buffer first = {0}, second = {0};
    lmb_error error = {0};
    lmb_character *a = read_with(file.data, file.size, beside);
    assert_non_null(a);
    assert_int_equal(lmb_gltf_write(a, &opts, NULL, &first, &error), LMB_OK);
    lmb_character *b = read_with(first.data, first.size, beside);
    assert_non_null(b);
    const char *difference = gains_a_root(name) ? NULL : test_character_difference(a, b);
    // Joints outside every scene are put in one: that text alone may change.
    if (difference && !(strcmp(name, "Animation_Skin_03.gltf") == 0 &&
                        strcmp(difference, "the look's carried text") == 0)) {
        print_error("%s: %s\n", path, difference);
        fail();
    }
    assert_int_equal(lmb_gltf_write(b, &opts, NULL, &second, &error), LMB_OK);
    assert_same_bytes(&first, &second);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
    free(file.data);
}

static int check_folder(const char *relative, bool text)
{
    char beside[768];
    int count = 0;
    snprintf(beside, sizeof beside, "%s/data/%s",
             getenv("LIMBER_SHARED") ? getenv("LIMBER_SHARED") : "", relative);
    DIR *directory = opendir(beside);
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry;
         entry = readdir(directory)) {
        const char *extension = strrchr(entry->d_name, '.');
        if (extension && (strcmp(extension, ".glb") == 0 || strcmp(extension, ".gltf") == 0 ||
                          strcmp(extension, ".vrm") == 0)) {
            char path[1100];
            snprintf(path, sizeof path, "%s/%s", beside, entry->d_name);
            check_file(path, entry->d_name, beside, text);
            ++count;
        }
    }
    if (directory) {
        closedir(directory);
    }
    return count;
}

static const char *const folders[] = {
    "rigged/gltf", "rigged/gltf/asset-generator", "rigged/mesh2motion", "rigged/vrm",
    "meshes",      "skinning/sequences"};

static void check_all(bool text)
{
    int count = 0;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; ++k) {
        count += check_folder(folders[k], text);
    }
    if (count == 0) {
        skip();
    }
    assert_true(count >= 40);
}

static void glb_comes_back_equal(void **state)
{
    (void)state;
    check_all(false);
}

static void text_comes_back_equal(void **state)
{
    (void)state;
    check_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glb_comes_back_equal),
        cmocka_unit_test(text_comes_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
