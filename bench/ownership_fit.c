// Fits how joints claim flesh (src/rig/ownership_table.h) from painted
// characters, and says what it is worth on families that were left out:
// ownership_fit [--table OUT] [--tuned FILE] [--penalty P] DIR|FILE...
// See tools/fit-ownership. Each family counts as the square root of the number
// of its files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "learn/choice.h"
#include "painted.h"
#include "rig/ownership_sample.h"

enum { VERTICES = 800, N = LMBI_OWNERSHIP_FEATURES };
static const float NONE[N] = {-1};

typedef struct examples {
    uint32_t *first, *family;
    float *features, *shares, *weights;
    uint32_t count, pairs;
} examples;

static void *grown(void *block, size_t count, size_t size)
{
    void *to = realloc(block, (count ? count : 1) * size);
    if (!to) {
        abort();
    }
    return to;
}

/// The painted weight of a joint on the first vertex of a welded one.
static float painted_weight(const lmb_character *c, const lmb_surface *s, const uint32_t *vertex,
                            uint32_t welded, uint32_t joint)
{
    (void)s;
    uint32_t v = vertex[welded];
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        if (v >= mesh->vertex_count) {
            v -= mesh->vertex_count;
            continue;
        }
        float sum = 0, all = 0;
        for (uint32_t k = is_skinned(c, i) ? mesh->influences.first[v] : 0;
             is_skinned(c, i) && k < mesh->influences.first[v + 1]; ++k) {
            const lmb_influence *in = &mesh->influences.items[k];
            all += in->weight;
            sum += c->skins[c->instances[i].skin]->joints[in->joint] == joint ? in->weight : 0;
        }
        return all > 0 ? sum / all : 0;
    }
    return 0;
}

static void add_examples(examples *e, const lmb_character *c, const lmb_surface *s,
                         const lmbi_ownership_samples *got, uint32_t family)
{
    uint32_t *vertex = grown(NULL, s->vertex_count, sizeof *vertex);
    for (uint32_t v = s->part_vertex_count; v-- > 0;) {
        vertex[s->vertex_of[v]] = v;
    }
    e->first = grown(e->first, e->count + got->vertex_count + 1, sizeof *e->first);
    e->family = grown(e->family, e->count + got->vertex_count, sizeof *e->family);
    e->weights = grown(e->weights, e->count + got->vertex_count, sizeof *e->weights);
    e->features = grown(e->features, (size_t)(e->pairs + got->pair_count) * N, sizeof(float));
    e->shares = grown(e->shares, e->pairs + got->pair_count, sizeof *e->shares);
    e->first[0] = 0;
    double total = 0;
    for (uint32_t k = 0; k < got->vertex_count; ++k) {
        total += 1;
    }
    for (uint32_t k = 0; k < got->vertex_count; ++k) {
        float sum = 0;
        const uint32_t begin = e->pairs;
        for (uint32_t p = got->first[k]; p < got->first[k + 1]; ++p) {
            memcpy(e->features + (size_t)e->pairs * N, got->features + (size_t)p * N,
                   N * sizeof(float));
            e->shares[e->pairs] = painted_weight(c, s, vertex, got->vertices[k], got->joints[p]);
            sum += e->shares[e->pairs++];
        }
        for (uint32_t p = begin; p < e->pairs; ++p) {
            e->shares[p] /= sum > 0 ? sum : 1;
        }
        e->weights[e->count] = sum > 0.5f ? (float)(1 / total) : 0;
        e->family[e->count++] = family;
        e->first[e->count] = e->pairs;
    }
    free(vertex);
}

static void read_examples(examples *e, const char *path, uint32_t family)
{
    lmb_character *c = read_character(path);
    lmb_surface *s = NULL;
    lmb_tree *tree = NULL;
    lmb_bones *bones = NULL;
    lmbi_arena arena;
    lmbi_ownership_samples got;
    if (!c) {
        return;
    }
    lmbi_arena_init(&arena, NULL);
    uint8_t *deforms = grown(NULL, c->skeleton->joint_count, 1);
    lmb_character_deforming(c, deforms);
    if (lmb_character_surface(c, NULL, &s, NULL) == LMB_OK &&
        lmb_tree_create(s, NULL, &tree, NULL) == LMB_OK) {
        const lmb_bones_def def = {
            .skeleton = c->skeleton, .deforms = deforms, .surface = s, .tree = tree};
        if (lmb_bones_create(&def, NULL, &bones, NULL) == LMB_OK &&
            lmbi_ownership_sample(s, bones, VERTICES, &arena, &got, NULL) == LMB_OK) {
            add_examples(e, c, s, &got, family);
        }
    }
    lmb_bones_destroy(bones);
    lmb_tree_destroy(tree);
    lmb_surface_destroy(s);
    free(deforms);
    lmbi_arena_free(&arena);
    lmb_character_destroy(c);
}

static double score(const char *path, const float *coefficients)
{
    lmb_character *c = read_character(path);
    lmb_surface *surface = NULL;
    lmb_weights *weights = NULL;
    lmb_weights_score s = {.l1_mean = -1};
    const lmb_weights_opts opts = {.ownership = coefficients};
    if (c && lmb_weights_again(c, &opts, NULL, &surface, &weights, NULL) == LMB_OK) {
        (void)lmb_weights_compare(c, surface, weights, NULL, &s, NULL, NULL);
    }
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    lmb_character_destroy(c);
    return (double)s.l1_mean;
}

/// Fits all families but one (UINT32_MAX: all).
static void fit(const examples *e, uint32_t without, const double *by_family, float penalty,
                float *out)
{
    float *weights = grown(NULL, e->count, sizeof *weights);
    for (uint32_t k = 0; k < e->count; ++k) {
        weights[k] =
            e->family[k] == without ? 0 : e->weights[k] * (float)by_family[e->family[k]];
    }
    const lmbi_choices choices = {.group_count = e->count,
                                  .feature_count = N,
                                  .first = e->first,
                                  .features = e->features,
                                  .shares = e->shares,
                                  .weights = weights,
                                  .penalty = penalty};
    double loss = 0;
    if (lmbi_choices_fit(&choices, NULL, out, &loss, NULL) != LMB_OK) {
        abort();
    }
    fprintf(stderr, "loss %.4f\n", loss);
    free(weights);
}

static void write_table(const char *path, const float *c)
{
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(5);
    }
    fprintf(out, "/// Made by tools/fit-ownership; not edited by hand.\n#ifndef "
                 "RIG_OWNERSHIP_TABLE_H\n#define RIG_OWNERSHIP_TABLE_H\n\n");
    fprintf(out, "static const float lmbi_ownership_table[%d] = {\n", N);
    for (int f = 0; f < N; ++f) {
        fprintf(out, "    %.5gf,\n", (double)c[f]);
    }
    fprintf(out, "};\n\n#endif\n");
    fclose(out);
}

int main(int argc, char **argv)
{
    const char *table = NULL, *tuned = NULL;
    float penalty = 1e-3f;
    bench_set set = {0};
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        table = strcmp(argv[at], "--table") == 0 ? argv[at + 1] : table;
        tuned = strcmp(argv[at], "--tuned") == 0 ? argv[at + 1] : tuned;
        penalty = strcmp(argv[at], "--penalty") == 0 ? strtof(argv[at + 1], NULL) : penalty;
    }
    for (; at < argc; ++at) {
        bench_set_add(&set, argv[at], NULL);
        bench_set_tuned(&set, argv[at], tuned);
    }
    uint32_t *family = grown(NULL, set.count, sizeof *family);
    double *by_family = grown(NULL, set.count, sizeof *by_family);
    examples e = {0};
    for (uint32_t k = 0; k < set.count; ++k) {
        family[k] = k;
        by_family[k] = 0;
        for (uint32_t i = 0; i < k && strcmp(set.rows[k].family, "single files") != 0; ++i) {
            family[k] = strcmp(set.rows[i].family, set.rows[k].family) == 0 ? family[i] : family[k];
        }
        by_family[family[k]] += 1;
        read_examples(&e, set.rows[k].path, family[k]);
    }
    for (uint32_t k = 0; k < set.count; ++k) {
        by_family[k] = by_family[k] > 0 ? 1 / sqrt(by_family[k]) : 0;
    }
    fprintf(stderr, "%u vertices, %u pairs\n", e.count, e.pairs);
    float all[N], left[N];
    fit(&e, UINT32_MAX, by_family, penalty, all);
    double sums[3] = {0}, tuned_sums[3] = {0};
    uint32_t counts[2] = {0};
    printf("%-36s %-22s none  left-out  all\n", "file", "family");
    for (uint32_t f = 0; f < set.count; ++f) {
        bool fitted = false;
        for (uint32_t k = 0; k < set.count; ++k) {
            if (family[k] != f) {
                continue;
            }
            if (!fitted) {
                fit(&e, f, by_family, penalty, left);
                fitted = true;
            }
            const double l1[3] = {score(set.rows[k].path, NONE), score(set.rows[k].path, left),
                                  score(set.rows[k].path, all)};
            if (l1[0] < 0) {
                continue;
            }
            printf("%-36.36s %-22.22s %.3f %.3f %.3f\n", set.rows[k].name, set.rows[k].family,
                   l1[0], l1[1], l1[2]);
            fflush(stdout);
            for (int i = 0; i < 3; ++i) {
                *(set.rows[k].tuned ? &tuned_sums[i] : &sums[i]) += l1[i];
            }
            ++counts[set.rows[k].tuned ? 1 : 0];
        }
    }
    for (int i = 0; i < 3; ++i) {
        printf("%s: tuned %.3f, others %.3f\n", i == 0 ? "none" : i == 1 ? "left out" : "all",
               tuned_sums[i] / (counts[1] ? counts[1] : 1), sums[i] / (counts[0] ? counts[0] : 1));
    }
    for (int f = 0; f < N; ++f) {
        fprintf(stderr, "%d %.3f\n", f, (double)all[f]);
    }
    if (table) {
        write_table(table, all);
    }
    return 0;
}
