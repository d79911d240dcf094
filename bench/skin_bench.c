// Linear blend skinning on one core, for 1 to 8 influences a vertex and meshes from cache to memory, beside a copy
// that touches as many bytes. JSON on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/os.h"
#include "limber/skin.h"

enum { JOINTS = 64, ROUNDS = 7 };

typedef struct scene {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_mat4 palette[JOINTS];
    lmb_vec3 *positions, *normals;
} scene;

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("skin_bench: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

/// Neighbouring vertices share joints, as on a body: each run of 200 vertices has its own set.
static void fill_row(lmb_random *random, uint32_t v, uint32_t width, lmb_influence *row)
{
    float sum = 0;
    for (uint32_t k = 0; k < width; ++k) {
        row[k].joint = (v / 200 + 5 * k) % JOINTS;
        row[k].weight = lmb_random_range(random, 0.5f, 1.0f) / (float)(k + 1);
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < width; ++k) {
        row[k].weight /= sum;
    }
}

static void scene_start(scene *s, uint32_t vertex_count, uint32_t width)
{
    lmb_random random = lmb_random_seed(1);
    lmb_vec3 *positions = allocate(vertex_count, sizeof(*positions)),
             *normals = allocate(vertex_count, sizeof(*normals));
    uint32_t *first = allocate((size_t)vertex_count + 1, sizeof(*first));
    lmb_influence *items = allocate((size_t)vertex_count * width, sizeof(*items));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        positions[v] = lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random),
                                     lmb_random_unit(&random));
        normals[v] = lmb_vec3_normalize_or(positions[v], lmb_vec3_make(0, 1, 0));
        fill_row(&random, v, width, items + (size_t)v * width);
        first[v + 1] = (v + 1) * width;
    }
    const lmb_mesh def = {.vertex_count = vertex_count,
                          .positions = positions,
                          .normals = normals,
                          .influences = {first, items}};
    if (lmb_mesh_create(&def, NULL, &s->mesh, NULL) != LMB_OK ||
        lmb_binding_create(s->mesh, JOINTS, NULL, &s->binding, NULL) != LMB_OK) {
        exit(1);
    }
    for (int j = 0; j < JOINTS; ++j) {
        lmb_transform t = lmb_transform_identity();
        t.translation = lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random), 0);
        t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), lmb_random_range(&random, -2, 2));
        s->palette[j] = lmb_mat4_from_transform(t);
    }
    s->positions = allocate(vertex_count, sizeof(lmb_vec3));
    s->normals = allocate(vertex_count, sizeof(lmb_vec3));
    free(positions);
    free(normals);
    free(first);
    free(items);
}

static void scene_end(scene *s)
{
    lmb_binding_destroy(s->binding);
    lmb_mesh_destroy(s->mesh);
    free(s->positions);
    free(s->normals);
}

static void skin(const scene *s, bool normals)
{
    lmb_skin_linear(&(lmb_skin_job){
        .binding = s->binding,
        .model_from_bind = s->palette,
        .positions = s->mesh->positions,
        .normals = normals ? s->mesh->normals : NULL,
        .out_positions = s->positions,
        .out_normals = s->normals,
    });
}

/// The best of several rounds, in seconds a call.
static double time_skin(const scene *s, bool normals, int calls)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begun = lmb_clock_s();
        for (int i = 0; i < calls; ++i) {
            skin(s, normals);
        }
        const double took = (lmb_clock_s() - begun) / calls;
        best = took < best ? took : best;
    }
    return best;
}

static double time_copy(size_t bytes, int calls)
{
    uint8_t *from = allocate(bytes, 1), *to = allocate(bytes, 1);
    memset(from, 1, bytes);
    double best = 1e9;
    volatile uint8_t seen = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begun = lmb_clock_s();
        for (int i = 0; i < calls; ++i) {
            memcpy(to, from, bytes);
            seen = (uint8_t)(seen + to[bytes / 2]);
        }
        const double took = (lmb_clock_s() - begun) / calls;
        best = took < best ? took : best;
    }
    free(from);
    free(to);
    return best;
}

static void measure(uint32_t vertex_count, uint32_t width, bool normals, bool is_last)
{
    scene s;
    scene_start(&s, vertex_count, width);
    const int calls = (int)(400000 / vertex_count) + 1;
    const double skin_s = time_skin(&s, normals, calls);
    // A vertex reads its position, normal and row and writes position and normal; a copy of half as many bytes reads
    // one half and writes the other.
    const size_t touched = (normals ? 48 : 24) + width * (sizeof(uint16_t) + sizeof(float));
    const double copy_s = time_copy(vertex_count * touched / 2, calls);
    printf("    {\"vertices\": %u, \"influences\": %u, \"normals\": %s, "
           "\"million_vertices_per_s\": %.1f, \"share_of_copy\": %.3f}%s\n",
           vertex_count, width, normals ? "true" : "false", vertex_count / skin_s * 1e-6,
           copy_s / skin_s, is_last ? "" : ",");
    scene_end(&s);
}

int main(void)
{
    static const uint32_t sizes[] = {2000, 20000, 200000, 1000000};
    static const uint32_t widths[] = {1, 2, 3, 4, 8};
    printf("{\n  \"bench\": \"skin\", \"build\": \"%s\", \"cores_used\": 1,\n  \"runs\": [\n",
           LMBI_BUILD);
    for (int normals = 0; normals < 2; ++normals) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
            for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); ++k) {
                measure(sizes[i], widths[k], normals == 1, normals == 1 && i == 3 && k == 4);
            }
        }
    }
    puts("  ]\n}");
    return 0;
}
