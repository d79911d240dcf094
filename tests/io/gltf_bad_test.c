// The collected malformed glTF files, each with what its catalogue expects: "accept" must be read,
// "error" refused. What is read all the same stands here with the reason.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder_loader.h"
#include "io/files.h"

static const char *const read_on_purpose[] = {
    // Nothing is in doubt, and files in use do it.
    "accessor/float_normalized",
    "accessor/byteoffset_no_bufferview", // of 0
    "animation/empty_array",
    "animation/channel_duplicate_targets",
    "animation/channel_node_matrix",
    "animation/sampler_too_few_cubic_frames",
    "buffer_view/invalid_stride_too_big",
    "json/bom.gltf",
    "mesh/empty_array",
    "mesh/position_accessor_no_bounds",
    "node/empty_children_array",
    "scene/empty_nodes_array",
    // Put right, with a note.
    "scene/non_root_node.gltf",
    "glb/unaligned_chunk",
    "animation_data/quaternion_non_unit_values",
    "mesh_data/colors_non_clamped",
    "mesh_data/normals_tangents_non_unit",
    "node/rotation_non_unit",
    "node/weights_with_no_mesh",
    "mesh/morph_attribute_no_base",
    "mesh/invalid_attribute",
    "mesh/accessor_attribute_uint32",
    // The written bounds of data are not believed in the first place; data that nothing uses are
    // not looked at.
    "accessor_data/out_of_range",
    "accessor_data/invalid_elements_float",
    // Joints under several roots and outside the scene are wanted.
    "skin/no_common_root",
    // A channel or a weight that is no number is left out with a note; the rest of the file is good.
    "gltf/weights_nan",
    "gltf/anim_times_nan",
    "skin/no_joints_in_scene",
    // VRM's own rules are not glTF's.
    "made/vrm/",
};

/// Needs a file that was not collected with it.
static const char *const incomplete = "blender-io/00_no_scene.gltf";

static bool is_listed(const char *name)
{
    for (size_t k = 0; k < sizeof read_on_purpose / sizeof *read_on_purpose; ++k) {
        if (strstr(name, read_on_purpose[k])) {
            return true;
        }
    }
    return false;
}

/// NULL when the file behaves as expected.
static const char *fault_of(const char *name, const char *expected)
{
    char path[1024], folder[1024];
    snprintf(path, sizeof path, "%s/data/bad/%s", getenv("LIMBER_SHARED"), name);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    const test_file file = test_file_read(path);
    if (file.data == NULL) {
        return "is not there";
    }
    const lmb_loader loader = {test_folder_load, test_folder_release, folder};
    lmb_notes notes;
    const lmb_gltf_read_opts opts = {.loader = &loader, .notes = &notes};
    lmb_character *character = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_gltf_read(file.data, file.size, &opts, NULL, &character, &error);
    free(file.data);
    if (result == LMB_OK) {
        lmb_character_destroy(character);
        return strcmp(expected, "error") == 0 && !is_listed(name) ? "is read and should not be"
                                                                  : NULL;
    }
    if (character != NULL || error.code != result || error.found[0] == '\0') {
        return "has an error without words";
    }
    if (error.line == 0 && error.offset == 0 && file.size > 20) {
        return "has an error without a place";
    }
    if (strcmp(expected, "error") == 0 && is_listed(name)) {
        return "is refused, yet listed as read";
    }
    return strcmp(expected, "accept") == 0 && strcmp(name, incomplete) != 0
               ? "is not read and should be"
               : NULL;
}

/// The n-th cell of a table row, without blanks and backquotes.
static void cell_of(const char *row, int n, char *out, size_t size)
{
    for (; n > 0 && row; --n) {
        row = strchr(row, '|');
        row = row ? row + 1 : NULL;
    }
    row = row ? row + strspn(row, " `") : "";
    snprintf(out, size, "%.*s", (int)strcspn(row, "|`\n"), row);
    for (size_t end = strlen(out); end > 0 && out[end - 1] == ' '; --end) {
        out[end - 1] = '\0';
    }
}

static bool is_gltf(const char *name)
{
    const char *extension = strrchr(name, '.');
    return extension && (strcmp(extension, ".gltf") == 0 || strcmp(extension, ".glb") == 0 ||
                         strcmp(extension, ".vrm") == 0);
}

static void the_catalogue_is_met(void **state)
{
    (void)state;
    test_file catalogue = test_shared_read("README.md");
    if (catalogue.data == NULL) {
        skip();
    }
    catalogue.data = realloc(catalogue.data, catalogue.size + 1);
    catalogue.data[catalogue.size] = '\0';
    char *row = strstr(catalogue.data, "## Malformed");
    assert_non_null(row);
    char *next = strstr(row + 1, "\n## "); // other tables follow
    if (next != NULL) {
        *next = '\0';
    }
    int count = 0, faults = 0;
    for (; row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
        char name[256], expected[64];
        cell_of(row, 1, name, sizeof name);
        cell_of(row, 5, expected, sizeof expected);
        if (row[0] != '|' || !is_gltf(name)) {
            continue;
        }
        const char *fault = fault_of(name, expected);
        if (fault) {
            print_error("%s (%s) %s\n", name, expected, fault);
            ++faults;
        }
        ++count;
    }
    free(catalogue.data);
    assert_true(count > 200);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
