// How far the weights of every method are from what artists painted, on their
// own skeletons: weights_bench DATA [METHOD [--why]]. With --why, where the
// differences come from: which joint a place was painted to, which one it was
// given, and how much of the mean that is. DATA is a folder that holds
// rigged/gltf, rigged/fbx and so on, as tests name it by LIMBER_SHARED/data.
// For each character the mean over its skinned vertices of the sum of the
// differences to the painted row (0 to 2), and processor seconds of one thread.
// Joints that carry weight in the file are those that deform; meshes are taken
// as they are.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "painted.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

static const char *const files[] = {
    "rigged/fbx/Geno.fbx",
    "rigged/fbx/ozz_arnaud.fbx",
    "rigged/gltf/CesiumMan.glb",
    "rigged/ufbx/maya_kenney_character_7700_binary.fbx",
    "rigged/gltf/kaykit_Knight.glb",
    "rigged/gltf/robot_quaternius.glb",
    "rigged/gltf/greenman.glb",
    "rigged/gltf/Fox.glb",
    "rigged/gltf/babylon_riggedMesh.glb",
    "rigged/gltf/godot_enemy.glb",
    "rigged/vrm/cool_loops.vrm",
    "rigged/gltf/godot_LeftHandHumanoid.gltf",
    "rigged/gltf/webxr_hand_left.glb",
};
static const char *const methods[] = {"heat", "nearest", "voxel", "bbw"};
enum { FILES = sizeof files / sizeof *files, METHODS = sizeof methods / sizeof *methods };

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void find_deforming(const lmb_character *c, uint8_t *deforms)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const uint32_t count = is_skinned(c, i) ? mesh->influences.first[mesh->vertex_count] : 0;
        for (uint32_t k = 0; k < count; ++k) {
            deforms[c->skins[c->instances[i].skin]->joints[mesh->influences.items[k].joint]] = 1;
        }
    }
}

/// The painted row minus the given one, by joint.
static void row_difference(const lmb_character *c, uint32_t instance, uint32_t v,
                           const lmb_weights *w, uint32_t at, float *row)
{
    const lmb_mesh *mesh = c->meshes[c->instances[instance].mesh];
    const uint32_t *joints = c->skins[c->instances[instance].skin]->joints;
    memset(row, 0, c->skeleton->joint_count * sizeof *row);
    for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
        row[joints[mesh->influences.items[k].joint]] += mesh->influences.items[k].weight;
    }
    for (uint32_t k = w->influences.first[at]; k < w->influences.first[at + 1]; ++k) {
        row[w->influences.items[k].joint] -= w->influences.items[k].weight;
    }
}

/// Adds to moved[painted][given] the weight that went from one to the other,
/// twice as it differs in both; what left several joints for several others is
/// shared out.
static double add_moved(const float *row, uint32_t joints, double *moved)
{
    double gone = 0, sum = 0;
    for (uint32_t j = 0; j < joints; ++j) {
        gone += row[j] > 0 ? (double)row[j] : 0;
        sum += fabs((double)row[j]);
    }
    for (uint32_t j = 0; moved && j < joints; ++j) {
        for (uint32_t k = 0; row[j] > 0 && k < joints; ++k) {
            moved[(size_t)j * joints + k] += row[k] < 0 ? -2 * (double)(row[j] * row[k]) / gone : 0;
        }
    }
    return sum;
}

/// Mean difference of rows. `moved`: [joint][joint], or NULL; divided by the
/// number of vertices.
static double difference(const lmb_character *c, const lmb_surface *s, const lmb_weights *w,
                         double *moved)
{
    const uint32_t joints = c->skeleton->joint_count;
    float *row = malloc(joints * sizeof *row);
    double sum = 0, count = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const uint32_t vertices = c->meshes[c->instances[i].mesh]->vertex_count;
        for (uint32_t v = 0; is_skinned(c, i) && v < vertices; ++v) {
            row_difference(c, i, v, w, s->vertex_of[first + v], row);
            sum += add_moved(row, joints, moved);
            count += 1;
        }
        first += vertices;
    }
    for (size_t k = 0; moved && count > 0 && k < (size_t)joints * joints; ++k) {
        moved[k] /= count;
    }
    free(row);
    return count > 0 ? sum / count : 0;
}

/// The largest of what moved.
static void print_moved(const lmb_skeleton *skeleton, double *moved)
{
    enum { SHOWN = 12 };
    const uint32_t joints = skeleton->joint_count;
    printf(", \"moved\": [");
    for (int n = 0; n < SHOWN; ++n) {
        size_t most = 0;
        for (size_t k = 0; k < (size_t)joints * joints; ++k) {
            most = moved[k] > moved[most] ? k : most;
        }
        printf("%s\n      {\"painted\": \"%s\", \"given\": \"%s\", \"part\": %.4f}",
               n > 0 ? "," : "", skeleton->names[most / joints], skeleton->names[most % joints],
               moved[most]);
        moved[most] = 0;
    }
    printf("]");
}

/// Prints one character's line; adds to the sums of each method.
static void measure(const lmb_character *c, const char *name, int only, bool why,
                    double sums[METHODS], bool first)
{
    lmb_surface *s;
    lmb_tree *tree;
    lmb_bones *bones;
    uint8_t *deforms = calloc(c->skeleton->joint_count, 1);
    find_deforming(c, deforms);
    if (lmb_character_surface(c, NULL, &s, NULL) != LMB_OK ||
        lmb_tree_create(s, NULL, &tree, NULL) != LMB_OK) {
        abort();
    }
    const lmb_bones_def def = {
        .skeleton = c->skeleton, .deforms = deforms, .surface = s, .tree = tree};
    if (lmb_bones_create(&def, NULL, &bones, NULL) != LMB_OK) {
        abort();
    }
    printf("%s    {\"file\": \"%s\", \"vertices\": %u, \"bones\": %u", first ? "" : ",\n", name,
           s->vertex_count, bones->count);
    for (int m = 0; m < METHODS; ++m) {
        if (only >= 0 && m != only) {
            continue;
        }
        const lmb_weights_opts opts = {.method = (lmb_rig_weights)m};
        lmb_weights *w;
        lmb_error error = {0};
        const double begin = cpu_s();
        if (lmb_weights_create(s, bones, &opts, NULL, &w, NULL, &error) != LMB_OK) {
            fprintf(stderr, "%s: expected %s, found %s\n", name, error.expected, error.found);
            exit(1);
        }
        const size_t pairs = (size_t)c->skeleton->joint_count * c->skeleton->joint_count;
        double *moved = why ? calloc(pairs, sizeof *moved) : NULL;
        const double took = cpu_s() - begin, off = difference(c, s, w, moved);
        sums[m] += off;
        printf(", \"%s\": %.3f, \"%s_s\": %.3f", methods[m], off, methods[m], took);
        if (moved) {
            print_moved(c->skeleton, moved);
        }
        free(moved);
        lmb_weights_destroy(w);
    }
    printf("}");
    fflush(stdout);
    lmb_bones_destroy(bones);
    lmb_tree_destroy(tree);
    lmb_surface_destroy(s);
    free(deforms);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "weights_bench DATA [heat|nearest|voxel|bbw [--why]]\n");
        return 2;
    }
    int only = -1, count = 0;
    for (int m = 0; argc > 2 && m < METHODS; ++m) {
        only = strcmp(argv[2], methods[m]) == 0 ? m : only;
    }
    const bool why = argc > 3 && strcmp(argv[3], "--why") == 0;
    double sums[METHODS] = {0};
    printf("{\n  \"bench\": \"weights\", \"build\": \"%s\",\n  \"results\": [\n", LMBI_BUILD);
    for (int f = 0; f < FILES; ++f) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", argv[1], files[f]);
        lmb_character *c = read_character(path);
        if (c) {
            measure(c, strrchr(files[f], '/') + 1, only, why, sums, count == 0);
            ++count;
        }
        lmb_character_destroy(c);
    }
    printf("\n  ]");
    for (int m = 0; m < METHODS && count > 0; ++m) {
        if (only < 0 || m == only) {
            printf(",\n  \"%s_mean\": %.3f", methods[m], sums[m] / count);
        }
    }
    printf("\n}\n");
    return 0;
}
