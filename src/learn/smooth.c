/// Weights diffused along the surface: (1 + L)^-1 w with a Laplacian L that is weak where edges
/// stretch (Dem Bones). The neighbours' weights sum to 1, so each Jacobi iteration halves the
/// error.
#include <string.h>

#include "learn/learn.h"

enum { ROUNDS = 16 };

static void diffuse(void *context, size_t begin, size_t end)
{
    const lmbi_learn *p = context;
    const size_t width = p->opts.bone_count;
    for (size_t i = begin; i < end; ++i) {
        double *to = p->smoothing + i * width;
        memset(to, 0, width * sizeof *to);
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            const double *from = p->smoothed + (size_t)p->neighbours[k] * width;
            for (uint32_t j = 0; j < p->bone_count; ++j) {
                to[j] += 0.5 * p->neighbour_weights[k] * from[j];
            }
        }
        const double own = p->neighbour_first[i] < p->neighbour_first[i + 1] ? 0.5 : 1;
        for (uint32_t k = 0; k < p->influences; ++k) {
            to[p->row_bones[i * p->influences + k]] += own * p->row_weights[i * p->influences + k];
        }
    }
}

void lmbi_learn_smooth_weights(lmbi_learn *p)
{
    const size_t width = p->opts.bone_count;
    memset(p->smoothed, 0, p->point_count * width * sizeof *p->smoothed);
    for (size_t i = 0; i < p->point_count; ++i) {
        for (uint32_t k = 0; k < p->influences; ++k) {
            p->smoothed[i * width + p->row_bones[i * p->influences + k]] +=
                p->row_weights[i * p->influences + k];
        }
    }
    for (int round = 0; round < ROUNDS; ++round) {
        lmb_parallel_for(p->opts.jobs, p->point_count, 64, diffuse, p);
        double *smoothed = p->smoothing;
        p->smoothing = p->smoothed;
        p->smoothed = smoothed;
    }
}
