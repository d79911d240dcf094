// How well weights come over where nothing matches: transfer_bench DATA. DATA is a folder that
// holds rigged/gltf and so on, as tests name it by LIMBER_SHARED/data. Painted characters are blown
// up in twelve places, a fiftieth of the diagonal high, as puffed sleeves stand off an arm, and
// take their own weights over. Where they stand off, the mean sum of differences to the painted row
// (0 to 2): filled in, and from the closest point however far it is; and processor seconds of one
// thread.
#include <math.h>
#include <time.h>

#include "geometry/surface_math.h"
#include "painted.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

static const char *const files[] = {
    "rigged/fbx/Geno.fbx",
    "rigged/fbx/ozz_arnaud.fbx",
    "rigged/gltf/CesiumMan.glb",
    "rigged/gltf/kaykit_Knight.glb",
    "rigged/gltf/greenman.glb",
    "rigged/gltf/Fox.glb",
    "rigged/vrm/cool_loops.vrm",
    "rigged/gltf/godot_LeftHandHumanoid.gltf",
    "rigged/gltf/webxr_hand_left.glb",
};
enum { FILES = sizeof files / sizeof *files, PLACES = 12 };
/// As shares of the diagonal: the radius of a place, its height, and what matches no more.
static const float WIDE = 0.06f, HIGH = 0.02f, OFF = 0.01f;

/// Blows the vertices of a mesh up around PLACES of them; off[v]: how far each went.
static void blow_up(lmb_mesh *mesh, float *off)
{
    const lmb_surface_part part = {.positions = mesh->positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = mesh->indices,
                                   .index_count = mesh->index_count};
    lmb_surface *s;
    if (lmb_surface_create(&part, 1, NULL, NULL, &s, NULL) != LMB_OK) {
        abort();
    }
    lmb_vec3 *normals = malloc(s->vertex_count * sizeof *normals);
    lmbi_surface_vertex_normals(s, normals);
    const lmb_box box = lmb_box_of(s->positions, s->vertex_count);
    const float diagonal = lmb_vec3_distance(box.low, box.high);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float share = 0;
        for (uint32_t k = 0; k < PLACES; ++k) {
            const uint32_t at = (uint32_t)((uint64_t)k * s->vertex_count / PLACES);
            const float t =
                lmb_vec3_distance(s->positions[at], mesh->positions[v]) / (WIDE * diagonal);
            share = t < 1 && 1 - t * t > share ? 1 - t * t : share;
        }
        off[v] = share * HIGH / OFF;
        mesh->positions[v] =
            lmb_vec3_mad(mesh->positions[v], normals[s->vertex_of[v]], share * HIGH * diagonal);
    }
    free(normals);
    lmb_surface_destroy(s);
}

/// Sum of the differences of two rows of meshes with the same skin.
static double difference(const lmb_mesh *a, const lmb_mesh *b, uint32_t v)
{
    double sum = 0;
    for (uint32_t k = a->influences.first[v]; k < a->influences.first[v + 1]; ++k) {
        double other = 0;
        for (uint32_t i = b->influences.first[v]; i < b->influences.first[v + 1]; ++i) {
            other += b->influences.items[i].joint == a->influences.items[k].joint
                         ? (double)b->influences.items[i].weight
                         : 0;
        }
        sum += fabs((double)a->influences.items[k].weight - other);
        sum -= other; // what b has beside a's joints is 1 less the others
    }
    return sum + 1;
}

static double mean_off(const lmb_character *a, const lmb_character *b, float *const *off)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < a->instance_count; ++i) {
        const uint32_t m = a->instances[i].mesh;
        for (uint32_t v = 0; is_skinned(a, i) && v < a->meshes[m]->vertex_count; ++v) {
            if (off[m][v] > 1) {
                sum += difference(a->meshes[m], b->meshes[m], v);
                count += 1;
            }
        }
    }
    return count > 0 ? sum / count : 0;
}

static double run(const char *path, const lmb_character *painted, bool nearest, double *took)
{
    lmb_character *blown = read_character(path);
    float **off = calloc(blown->mesh_count, sizeof *off);
    for (uint32_t m = 0; m < blown->mesh_count; ++m) {
        off[m] = calloc(blown->meshes[m]->vertex_count, sizeof **off);
        blow_up(blown->meshes[m], off[m]);
    }
    const lmb_transfer_opts opts = {.distance_fraction = nearest ? 10.0f : OFF,
                                    .angle_rad = nearest ? LMB_PI : 0};
    const clock_t begin = clock();
    if (lmb_weights_transfer(&blown, painted, &opts, NULL, NULL, NULL) != LMB_OK) {
        abort();
    }
    *took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const double mean = mean_off(painted, blown, off);
    for (uint32_t m = 0; m < blown->mesh_count; ++m) {
        free(off[m]);
    }
    free(off);
    lmb_character_destroy(blown);
    return mean;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "transfer_bench DATA\n");
        return 2;
    }
    double filled_sum = 0, nearest_sum = 0;
    int count = 0;
    printf("{\n  \"bench\": \"transfer\", \"build\": \"%s\",\n  \"results\": [", LMBI_BUILD);
    for (int f = 0; f < FILES; ++f) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", argv[1], files[f]);
        lmb_character *painted = read_character(path);
        if (painted) {
            double took, skip;
            const double filled = run(path, painted, false, &took),
                         nearest = run(path, painted, true, &skip);
            printf("%s\n    {\"file\": \"%s\", \"filled\": %.4f, \"closest\": %.4f, "
                   "\"filled_s\": %.3f}",
                   count > 0 ? "," : "", strrchr(files[f], '/') + 1, filled, nearest, took);
            filled_sum += filled;
            nearest_sum += nearest;
            ++count;
        }
        lmb_character_destroy(painted);
    }
    const double all = count > 0 ? count : 1;
    printf("\n  ],\n  \"filled_mean\": %.4f,\n  \"closest_mean\": %.4f\n}\n", filled_sum / all,
           nearest_sum / all);
    return 0;
}
