/// Every rigged file of the shared data, bound to its own joints at three sizes: no vertex without
/// weight, whatever the unit; and how far that is from what artists painted.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "folder_loader.h"
#include "geometry/tree.h"
#include "limber/io.h"
#include "limber/os.h"
#include "limber/rig.h"
#include "rig/rig.h"

static const char *const folders[] = {"gltf", "gltf/asset-generator", "mesh2motion", "vrm"};

static lmb_character *read_character(char *folder, const char *name)
{
    lmb_bytes bytes;
    if (!test_folder_load(folder, name, &bytes)) {
        return NULL;
    }
    const lmb_loader loader = {test_folder_load, test_folder_release, folder};
    lmb_character *character = NULL;
    const lmb_gltf_read_opts opts = {.loader = &loader};
    const lmb_result result = lmb_gltf_read(bytes.data, bytes.size, &opts, NULL, &character, NULL);
    test_folder_release(folder, bytes);
    return result == LMB_OK ? character : NULL;
}

/// Joints that carry weight; false when nothing is skinned.
static bool find_deforming(const lmb_character *c, uint8_t *deforms)
{
    bool any = false;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const uint32_t count = c->instances[i].skin != LMB_NONE && mesh->influences.first
                                   ? mesh->influences.first[mesh->vertex_count]
                                   : 0;
        for (uint32_t k = 0; k < count; ++k) {
            deforms[c->skins[c->instances[i].skin]->joints[mesh->influences.items[k].joint]] = 1;
            any = true;
        }
    }
    return any;
}

static void scale_by(lmb_surface *s, lmbi_bones *b, float scale)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->positions[v] = lmb_vec3_scale(s->positions[v], scale);
    }
    for (uint32_t k = 0; k < b->count; ++k) {
        b->items[k].head = lmb_vec3_scale(b->items[k].head, scale);
        b->items[k].tail = lmb_vec3_scale(b->items[k].tail, scale);
    }
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        b->positions[j] = lmb_vec3_scale(b->positions[j], scale);
    }
}

static void assert_complete(const lmb_weights *w)
{
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        const uint32_t begin = w->influences.first[v], end = w->influences.first[v + 1];
        float sum = 0;
        for (uint32_t k = begin; k < end; ++k) {
            assert_true(w->influences.items[k].weight > 0);
            sum += w->influences.items[k].weight;
        }
        assert_true(end > begin && end - begin <= 4 && sum == 1);
    }
}

/// Mean over the skinned vertices of the sum of |theirs - ours|: 0 to 2.
static double difference(const lmb_character *c, const lmb_surface *s, const lmb_weights *w,
                         float *row)
{
    double sum = 0, count = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const bool skinned = c->instances[i].skin != LMB_NONE && mesh->influences.first;
        for (uint32_t v = 0; skinned && v < mesh->vertex_count; ++v) {
            const uint32_t *joints = c->skins[c->instances[i].skin]->joints,
                           at = s->vertex_of[first + v];
            memset(row, 0, c->skeleton->joint_count * sizeof *row);
            for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
                row[joints[mesh->influences.items[k].joint]] += mesh->influences.items[k].weight;
            }
            for (uint32_t k = w->influences.first[at]; k < w->influences.first[at + 1]; ++k) {
                row[w->influences.items[k].joint] -= w->influences.items[k].weight;
            }
            for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
                sum += fabs((double)row[j]);
            }
            count += 1;
        }
        first += mesh->vertex_count;
    }
    return count > 0 ? sum / count : 0;
}

/// What the methods of the volume are tried on: they take longer, the fuller the solid the more.
static const char *const for_volume[] = {"Fox.glb", "SimpleSkin.gltf", "Animation_Skin_03.gltf"};

static bool is_for_volume(const char *name)
{
    size_t k = 0;
    while (k < sizeof for_volume / sizeof *for_volume && strcmp(name, for_volume[k]) != 0) {
        ++k;
    }
    return k < sizeof for_volume / sizeof *for_volume;
}

static void bind_in_the_volume(const lmb_surface *s, const lmbi_bones *bones,
                               lmb_rig_weights method)
{
    lmb_weights *w;
    const lmb_weights_opts opts = {.method = method};
    assert_int_equal(lmbi_weights_create(s, bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    assert_complete(w);
    lmb_weights_destroy(w);
}

static void bind_at_three_sizes(const lmb_character *c, const uint8_t *deforms, const char *name)
{
    lmb_surface *s;
    lmbi_tree *tree;
    lmbi_bones *bones;
    assert_int_equal(lmb_character_surface(c, NULL, &s, NULL), LMB_OK);
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    const lmbi_bones_def def = {
        .skeleton = c->skeleton, .deforms = deforms, .surface = s, .tree = tree};
    assert_int_equal(lmbi_bones_create(&def, NULL, &bones, NULL), LMB_OK);
    if (is_for_volume(name)) {
        bind_in_the_volume(s, bones, LMB_WEIGHTS_VOXEL);
        bind_in_the_volume(s, bones, LMB_WEIGHTS_BBW);
    }
    float *row = malloc(c->skeleton->joint_count * sizeof *row);
    double of_size[3];
    for (int k = 0; k < 3; ++k) {
        lmb_weights *w;
        lmb_weights_report report;
        assert_int_equal(lmbi_weights_create(s, bones, NULL, NULL, &w, &report, NULL), LMB_OK);
        assert_complete(w);
        of_size[k] = difference(c, s, w, row);
        lmb_weights_destroy(w);
        scale_by(s, bones, k == 0 ? 0.01f : 10000.0f);
    }
    print_message("%-34s L1 %.3f %.3f %.3f\n", name, of_size[0], of_size[1], of_size[2]);
    // A ray along an edge may pass on either side of it by rounding: one vertex of a dozen is much,
    // of a body nothing.
    assert_true(s->vertex_count < 90 ||
                fabs(of_size[1] - of_size[0]) + fabs(of_size[2] - of_size[0]) < 0.005);
    free(row);
    lmbi_bones_destroy(bones);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
}

static uint32_t try_folder(const char *path)
{
    char folder[900];
    uint32_t tried = 0;
    snprintf(folder, sizeof folder, "%s", path);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot ||
            (strcmp(dot, ".glb") != 0 && strcmp(dot, ".gltf") != 0 && strcmp(dot, ".vrm") != 0)) {
            continue;
        }
        lmb_character *c = read_character(folder, entry->d_name);
        if (!c) {
            continue;
        }
        uint8_t *deforms = calloc(c->skeleton->joint_count, 1);
        if (find_deforming(c, deforms)) {
            bind_at_three_sizes(c, deforms, entry->d_name);
            ++tried;
        }
        free(deforms);
        lmb_character_destroy(c);
    }
    if (dir) {
        closedir(dir);
    }
    return tried;
}

static void every_rigged_file_gets_complete_weights(void **state)
{
    (void)state;
    const char *shared = getenv("LIMBER_SHARED");
    uint32_t tried = 0;
    for (size_t k = 0; shared && k < sizeof folders / sizeof *folders; ++k) {
        char path[800];
        snprintf(path, sizeof path, "%s/data/rigged/%s", shared, folders[k]);
        tried += try_folder(path);
    }
    if (tried == 0) {
        skip();
    }
    assert_true(tried >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rigged_file_gets_complete_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
