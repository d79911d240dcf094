// Bounded biharmonic weights of a problem that bench/peers/igl_bbw.cpp solved and wrote: bbw_bench
// FILE [CONVERGED]. Processor seconds of one thread, best of three; the error of rows, scaled to
// sum 1, is the sum of the differences to the weights in CONVERGED (libigl's after many rounds), or
// to our own after 3000 rounds of every handle by itself.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limber/limber.h"
#include "rig/biharmonic.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

enum { ROUNDS = 3 };

typedef struct problem {
    uint32_t nodes, entries, fixed, handles;
    lmbi_sparse laplacian;
    double *masses, *weights;
    lmbi_biharmonic_constraint *constraints;
    uint32_t constraint_count;
} problem;

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *take(FILE *file, size_t count, size_t size)
{
    void *block = malloc(count * size);
    if (!block || fread(block, size, count, file) != count) {
        fprintf(stderr, "the file ends too early\n");
        exit(1);
    }
    return block;
}

static void read_problem(const char *path, problem *p)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    uint32_t *head = take(file, 4, sizeof *head);
    *p = (problem){.nodes = head[0], .entries = head[1], .fixed = head[2], .handles = head[3]};
    free(head);
    p->laplacian.size = p->nodes;
    p->laplacian.first = take(file, (size_t)p->nodes + 1, sizeof(uint32_t));
    p->laplacian.rows = take(file, p->entries, sizeof(uint32_t));
    p->laplacian.values = take(file, p->entries, sizeof(double));
    p->masses = take(file, p->nodes, sizeof(double));
    uint32_t *fixed = take(file, p->fixed, sizeof *fixed);
    double *shares = take(file, (size_t)p->fixed * p->handles, sizeof *shares);
    p->weights = take(file, (size_t)p->nodes * p->handles, sizeof *p->weights);
    fclose(file);
    p->constraints = malloc((size_t)p->fixed * p->handles * sizeof *p->constraints);
    for (uint32_t i = 0; p->constraints && i < p->fixed; ++i) {
        for (uint32_t j = 0; j < p->handles; ++j) {
            const double weight = shares[(size_t)i * p->handles + j];
            if (weight > 0) {
                p->constraints[p->constraint_count++] =
                    (lmbi_biharmonic_constraint){fixed[i], j, weight};
            }
        }
    }
    free(fixed);
    free(shares);
}

static lmbi_biharmonic_report solve(const problem *p, double tolerance, uint32_t rounds,
                                    bool ungrouped, float *out)
{
    const lmbi_biharmonic job = {.laplacian = &p->laplacian,
                                 .masses = p->masses,
                                 .constraints = p->constraints,
                                 .constraint_count = p->constraint_count,
                                 .handle_count = p->handles,
                                 .tolerance = tolerance,
                                 .most_rounds = rounds,
                                 .ungrouped = ungrouped};
    lmbi_biharmonic_report report;
    lmb_error error;
    if (lmbi_biharmonic_solve(&job, NULL, out, &report, &error) != LMB_OK) {
        fprintf(stderr, "%s\n", error.found);
        exit(1);
    }
    return report;
}

/// Mean and greatest difference of rows that are scaled to sum 1.
static void compare(const problem *p, const double *a, const double *b, double *mean, double *most)
{
    *mean = *most = 0;
    for (uint32_t v = 0; v < p->nodes; ++v) {
        double sum_a = 0, sum_b = 0, off = 0;
        for (uint32_t j = 0; j < p->handles; ++j) {
            sum_a += a[(size_t)v * p->handles + j];
            sum_b += b[(size_t)v * p->handles + j];
        }
        for (uint32_t j = 0; j < p->handles; ++j) {
            off +=
                fabs(a[(size_t)v * p->handles + j] / sum_a - b[(size_t)v * p->handles + j] / sum_b);
        }
        *mean += off / p->nodes;
        *most = off > *most ? off : *most;
    }
}

static double *widen(const problem *p, const float *w)
{
    double *out = malloc((size_t)p->nodes * p->handles * sizeof *out);
    for (size_t k = 0; out && k < (size_t)p->nodes * p->handles; ++k) {
        out[k] = (double)w[k];
    }
    return out;
}

static void measure(const problem *p, double tolerance, const double *converged, const float *own,
                    bool first)
{
    float *w = malloc((size_t)p->nodes * p->handles * sizeof *w);
    lmbi_biharmonic_report report = {0};
    double best = 1e9, mean, most, own_mean, own_most, low = 1, high = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        const double begin = cpu_s();
        report = solve(p, tolerance, 0, false, w);
        best = cpu_s() - begin < best ? cpu_s() - begin : best;
    }
    double *wide = widen(p, w), *own_wide = widen(p, own);
    for (size_t k = 0; k < (size_t)p->nodes * p->handles; ++k) {
        low = wide[k] < low ? wide[k] : low;
        high = wide[k] > high ? wide[k] : high;
    }
    compare(p, wide, converged, &mean, &most);
    compare(p, wide, own_wide, &own_mean, &own_most);
    printf("%s    {\"tolerance\": %g, \"seconds\": %.3f, \"rounds\": %u, \"groups\": %u, "
           "\"entries\": %zu, \"rowErrorToLibigl\": %.5f, \"most\": %.4f, "
           "\"rowErrorToOwnConverged\": %.5f, \"ownMost\": %.4f, \"low\": %g, \"high\": %g}",
           first ? "" : ",\n", tolerance, best, report.rounds, report.group_count,
           report.entry_count, mean, most, own_mean, own_most, low, high);
    fflush(stdout);
    free(w);
    free(wide);
    free(own_wide);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "bbw_bench FILE [CONVERGED]: files of igl_bbw\n");
        return 2;
    }
    problem p, converged;
    read_problem(argv[1], &p);
    read_problem(argc > 2 ? argv[2] : argv[1], &converged);
    float *own = malloc((size_t)p.nodes * p.handles * sizeof *own);
    (void)solve(&p, 1e-6, 1500, true, own);
    double mean, most;
    compare(&p, p.weights, converged.weights, &mean, &most);
    printf("{\n  \"bench\": \"bbw\", \"build\": \"%s\", \"nodes\": %u, \"handles\": %u, "
           "\"libiglRowError\": %.5f, \"libiglMost\": %.4f,\n  \"results\": [\n",
           LMBI_BUILD, p.nodes, p.handles, mean, most);
    static const double tolerances[] = {1e-3, 5e-4, 3e-4, 1e-4};
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; ++k) {
        measure(&p, tolerances[k], converged.weights, own, k == 0);
    }
    printf("\n  ]\n}\n");
    return 0;
}
