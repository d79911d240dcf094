// Fits how joints claim flesh (src/rig/ownership_table.h) from painted
// characters, and says what it is worth on families that are left out:
// ownership_fit [--table OUT] [--rounds N] [--folds 0|1] [--tuned FILE] DIR|FILE...
// See tools/fit-ownership. The loss is the mean over the families of the mean
// L1 of their files after a whole solve, plus a price for every unit of a
// coefficient; it is lowered by a search along the coefficients in turn, whose
// steps grow after a gain and halve without.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "painted.h"
#include "rig/bind_pose.h"
#include "rig/ownership.h"
#include "rig/rig.h"

enum { N = LMBI_OWNERSHIP, MOST_FAMILIES = 64 };
static const double PRICE = 0.0005;
static const float FIRST_STEP = 0.6f, LEAST_STEP = 0.05f, LARGEST = 3;

/// A character ready to be bound.
typedef struct example {
    lmb_character *character;
    lmb_surface *surface;
    lmbi_bones *bones;
    uint32_t family;
    bool affected; // by some coefficient
    double l1;     // without any
    const bench_row *row;
} example;

static bool read_example(const bench_row *row, example *out)
{
    out->row = row;
    out->character = read_character(row->path);
    return out->character &&
           lmbi_own_bones(out->character, NULL, NULL, &out->surface, &out->bones, NULL) == LMB_OK;
}

static double l1_of(const example *e, const float *coefficients)
{
    lmb_weights *weights = NULL;
    lmb_weights_score s = {0};
    const lmb_weights_opts opts = {.ownership = coefficients};
    if (lmbi_weights_create(e->surface, e->bones, &opts, NULL, &weights, NULL, NULL) != LMB_OK ||
        lmb_weights_compare(e->character, e->surface, weights, NULL, &s, NULL, NULL) != LMB_OK) {
        abort();
    }
    lmb_weights_destroy(weights);
    return (double)s.l1_mean;
}

/// Whether any coefficient changes anything: else the solve is the same each time.
static bool is_affected(const example *e)
{
    lmbi_heat heat = {.surface = e->surface, .bones = e->bones, .opts = {.influences = 4}};
    lmbi_ownership made;
    bool any = false;
    lmbi_arena_init(&heat.arena, NULL);
    if (lmbi_heat_prepare(&heat, NULL) != LMB_OK ||
        lmbi_ownership_measure(&heat, &made, NULL) != LMB_OK) {
        abort();
    }
    for (uint32_t k = 0; k < heat.slot_count * LMBI_JOINT_FEATURES; ++k) {
        any = any || made.features[k] < 0 || made.features[k] > 0;
    }
    lmbi_heat_end(&heat);
    return any;
}

/// Mean over the families of the mean over their files, without one of them.
static double loss_of(const example *examples, uint32_t count, uint32_t without, const float *c)
{
    double sums[MOST_FAMILIES] = {0}, loss = 0;
    uint32_t counts[MOST_FAMILIES] = {0}, families = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (examples[k].family != without) {
            sums[examples[k].family] +=
                examples[k].affected ? l1_of(&examples[k], c) : examples[k].l1;
            ++counts[examples[k].family];
        }
    }
    for (uint32_t f = 0; f < MOST_FAMILIES; ++f) {
        loss += counts[f] ? sums[f] / counts[f] : 0;
        families += counts[f] ? 1 : 0;
    }
    loss /= families ? families : 1;
    for (int f = 0; f < N; ++f) {
        loss += PRICE * fabs((double)c[f]);
    }
    return loss;
}

/// Tries a step along one coefficient, both ways.
static bool try_step(const example *examples, uint32_t count, uint32_t without, int f, float *c,
                     float *step, double *best)
{
    const float from = c[f];
    for (int k = 0; k < 2; ++k) {
        c[f] = from + (k ? -*step : *step);
        if (fabsf(c[f]) < 1e-6f) {
            c[f] = 0;
        }
        const double loss =
            fabsf(c[f]) > LARGEST ? (double)INFINITY : loss_of(examples, count, without, c);
        if (loss < *best - 1e-5) {
            *best = loss;
            *step *= k ? -1.5f : 1.5f; // the same way again next time
            return true;
        }
    }
    c[f] = from;
    *step *= 0.5f;
    return false;
}

static void search(const example *examples, uint32_t count, uint32_t without, int rounds, float *c)
{
    float steps[N];
    double best = loss_of(examples, count, without, c);
    fprintf(stderr, "begins at %.4f\n", best);
    for (int f = 0; f < N; ++f) {
        steps[f] = FIRST_STEP;
    }
    for (int r = 0; r < rounds; ++r) {
        const double before = best;
        for (int f = 0; f < N; ++f) {
            if (fabsf(steps[f]) >= LEAST_STEP) {
                (void)try_step(examples, count, without, f, c, &steps[f], &best);
            }
        }
        fprintf(stderr, "round %d: %.4f\n", r, best);
        if (before - best < 1e-5 && r > 2) {
            return;
        }
    }
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
        fprintf(out, "    %.4ff,\n", (double)c[f]);
    }
    fprintf(out, "};\n\n#endif\n");
    fclose(out);
}

/// Files listed apart are families of their own.
static uint32_t family_of(const example *examples, uint32_t count, const bench_row *row,
                          uint32_t *families)
{
    for (uint32_t k = 0; k < count && strcmp(row->family, "single files") != 0; ++k) {
        if (strcmp(examples[k].row->family, row->family) == 0) {
            return examples[k].family;
        }
    }
    return *families < MOST_FAMILIES - 1 ? (*families)++ : MOST_FAMILIES - 1;
}

static void print_fold(const example *examples, uint32_t count, uint32_t fold, const float *left,
                       const float *all, double *sums)
{
    static const float none[N] = {0};
    for (uint32_t k = 0; k < count; ++k) {
        if (examples[k].family == fold) {
            const double l1[3] = {l1_of(&examples[k], none), l1_of(&examples[k], left),
                                  l1_of(&examples[k], all)};
            printf("%-36.36s %-22.22s %.3f %.3f %.3f\n", examples[k].row->name,
                   examples[k].row->family, l1[0], l1[1], l1[2]);
            fflush(stdout);
            for (int i = 0; i < 3; ++i) {
                sums[i] += l1[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    const char *table = NULL, *tuned = NULL, *families_list = NULL;
    int rounds = 5, at = 1;
    bool folds = true;
    bench_set set = {0};
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        table = strcmp(argv[at], "--table") == 0 ? argv[at + 1] : table;
        tuned = strcmp(argv[at], "--tuned") == 0 ? argv[at + 1] : tuned;
        families_list = strcmp(argv[at], "--families") == 0 ? argv[at + 1] : families_list;
        rounds = strcmp(argv[at], "--rounds") == 0 ? (int)strtol(argv[at + 1], NULL, 10) : rounds;
        folds = strcmp(argv[at], "--folds") == 0 ? argv[at + 1][0] == '1' : folds;
    }
    for (; at < argc; ++at) {
        bench_set_add(&set, argv[at], families_list);
        bench_set_tuned(&set, argv[at], tuned);
    }
    example *examples = calloc(set.count ? set.count : 1, sizeof *examples);
    uint32_t count = 0, families = 0;
    for (uint32_t k = 0; examples && k < set.count; ++k) {
        if (read_example(&set.rows[k], &examples[count])) {
            static const float none[N] = {0};
            examples[count].family = family_of(examples, count, &set.rows[k], &families);
            examples[count].affected = is_affected(&examples[count]);
            examples[count].l1 = l1_of(&examples[count], none);
            fprintf(stderr, "%s %s\n", set.rows[k].name,
                    examples[count].affected ? "affected" : "");
            ++count;
        }
    }
    float all[N] = {0};
    search(examples, count, UINT32_MAX, rounds, all);
    if (table) {
        write_table(table, all);
    }
    double sums[3] = {0};
    printf("%-36s %-22s none  left-out  all\n", "file", "family");
    for (uint32_t f = 0; f < families; ++f) {
        float left[N];
        memcpy(left, all, sizeof left);
        bool touched = false;
        for (uint32_t k = 0; k < count; ++k) {
            touched = touched ||
                      (examples[k].family == f && examples[k].affected && !examples[k].row->tuned);
        }
        if (folds && touched) {
            memset(left, 0, sizeof left);
            search(examples, count, f, rounds, left);
        }
        print_fold(examples, count, f, left, all, sums);
    }
    printf("mean of files: none %.3f, left out %.3f, all %.3f\n", sums[0] / count, sums[1] / count,
           sums[2] / count);
    return 0;
}
