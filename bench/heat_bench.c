// Bone heat on a figure of five limbs with 54 bones, at 5 000 to 500 000 vertices: heat_bench [HOW
// MANY OF THE SIZES] Processor seconds of one thread, best of three, by stage; a copy of as many
// bytes as the factor has beside it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "geometry/tree.h"
#include "limber/limber.h"
#include "rig/rig.h"

enum { LIMBS = 5, BONES_A_LIMB = 10, ROUNDS = 3 };

static const lmb_vec3 limbs[LIMBS] = {
    {0, 0, 1}, {0.95f, 0, 0.31f}, {-0.95f, 0, 0.31f}, {0.45f, 0, -0.89f}, {-0.45f, 0, -0.89f}};

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static lmb_vec3 on_figure(float u, float v)
{
    const float longitude = u * 2 * LMB_PI, z = -lmb_cos(v * LMB_PI),
                ring = v <= 0 || v >= 1 ? 0 : lmb_sin(v * LMB_PI);
    const lmb_vec3 way = {ring * lmb_cos(longitude), ring * lmb_sin(longitude), z};
    float radius = 0.35f;
    for (int i = 0; i < LIMBS; ++i) {
        radius += lmb_exp(24 * (lmb_vec3_dot(way, limbs[i]) - 1));
    }
    return lmb_vec3_scale(way, radius);
}

static lmb_surface *make_figure(uint32_t vertex_count)
{
    uint32_t rows = (uint32_t)lmb_sqrt((float)vertex_count / 2), columns = 2 * rows,
             count = (columns + 1) * (rows + 1);
    lmb_vec3 *points = malloc(count * sizeof *points);
    uint32_t *indices = malloc(6 * (size_t)columns * rows * sizeof *indices), at = 0;
    for (uint32_t j = 0; j <= rows; ++j) {
        for (uint32_t i = 0; i <= columns; ++i) {
            points[j * (columns + 1) + i] =
                on_figure(i == columns ? 0 : (float)i / (float)columns, (float)j / (float)rows);
        }
    }
    for (uint32_t j = 0; j < rows; ++j) {
        for (uint32_t i = 0; i < columns; ++i) {
            const uint32_t a = j * (columns + 1) + i, c = a + columns + 1;
            const uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
            memcpy(indices + at, quad, sizeof quad);
            at += 6;
        }
    }
    const lmb_surface_part part = {
        .positions = points, .vertex_count = count, .indices = indices, .index_count = at};
    lmb_surface *surface = NULL;
    if (lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL) != LMB_OK) {
        abort();
    }
    free(points);
    free(indices);
    return surface;
}

static void make_bones(lmbi_bone_segment items[LIMBS * BONES_A_LIMB + 4])
{
    for (uint32_t i = 0; i < LIMBS * BONES_A_LIMB; ++i) {
        const float from = 0.15f + 0.11f * (float)(i % BONES_A_LIMB), to = from + 0.11f;
        const lmb_vec3 limb = limbs[i / BONES_A_LIMB];
        items[i] = (lmbi_bone_segment){lmb_vec3_scale(limb, from), lmb_vec3_scale(limb, to), i};
    }
    for (uint32_t i = 0; i < 4; ++i) {
        items[LIMBS * BONES_A_LIMB + i] = (lmbi_bone_segment){
            {0, 0, 0}, lmb_vec3_scale(limbs[i + 1], 0.15f), LIMBS * BONES_A_LIMB + i};
    }
}

static double copy_s(size_t bytes)
{
    char *from = calloc(bytes, 1), *to = malloc(bytes);
    double best = 1e9;
    for (int i = 0; i < ROUNDS && from && to; ++i) {
        const double begin = cpu_s();
        memcpy(to, from, bytes);
        const double took = cpu_s() - begin;
        best = took < best ? took : best;
    }
    free(from);
    free(to);
    return best;
}

static void measure(const char *name, const lmb_surface *surface, const lmbi_bones *bones,
                    bool first)
{
    double best = 1e9, tree_best = 1e9;
    lmb_weights_report report = {0};
    for (int i = 0; i < ROUNDS; ++i) {
        double begin = cpu_s();
        lmbi_tree *tree = NULL;
        lmb_weights *weights = NULL;
        if (lmbi_tree_create(surface, NULL, &tree, NULL) != LMB_OK) {
            abort();
        }
        tree_best = cpu_s() - begin < tree_best ? cpu_s() - begin : tree_best;
        lmbi_tree_destroy(tree);
        begin = cpu_s();
        if (lmbi_weights_create(surface, bones, NULL, NULL, &weights, &report, NULL) != LMB_OK) {
            abort();
        }
        best = cpu_s() - begin < best ? cpu_s() - begin : best;
        lmb_weights_destroy(weights);
    }
    printf("%s    {\"mesh\": \"%s\", \"vertices\": %u, \"triangles\": %u, \"joints\": %u, "
           "\"heat_s\": %.4f, \"tree_s\": %.4f, \"factor_entries\": %zu, "
           "\"copy_factor_s\": %.5f}",
           first ? "" : ",\n", name, surface->vertex_count, surface->triangle_count,
           report.joint_count, best, tree_best, report.entry_count,
           copy_s(report.entry_count * sizeof(double)));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argv;
    static const uint32_t sizes[] = {5000, 10000, 20000, 43000, 100000, 500000};
    static lmbi_bone_segment items[LIMBS * BONES_A_LIMB + 4];
    const lmbi_bones bones = {.count = LIMBS * BONES_A_LIMB + 4, .items = items};
    const uint32_t count =
        argc > 1 ? (uint32_t)atoi(argv[1]) : (uint32_t)(sizeof sizes / sizeof *sizes);
    make_bones(items);
    printf("{\n  \"bench\": \"heat\", \"build\": \"%s\",\n  \"results\": [\n", LMBI_BUILD);
    for (uint32_t k = 0; k < count && k < sizeof sizes / sizeof *sizes; ++k) {
        lmb_surface *surface = make_figure(sizes[k]);
        measure("figure", surface, &bones, k == 0);
        lmb_surface_destroy(surface);
    }
    printf("\n  ]\n}\n");
    return 0;
}
