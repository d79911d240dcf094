/// Rows indexed by bone, and their errors.
#include <string.h>

#include "learn/learn.h"

void lmbi_learn_index_rows(lmbi_learn *p)
{
    const size_t entries = (size_t)p->point_count * p->influences;
    memset(p->list_first, 0, ((size_t)p->opts.bone_count + 1) * sizeof *p->list_first);
    for (size_t k = 0; k < entries; ++k) {
        p->list_first[p->row_bones[k] + 1] += p->row_weights[k] > 0;
    }
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        p->list_first[j + 1] += p->list_first[j];
    }
    for (size_t k = 0; k < entries; ++k) {
        if (p->row_weights[k] > 0) {
            const uint32_t at = p->list_first[p->row_bones[k]]++;
            p->list_points[at] = (uint32_t)(k / p->influences);
            p->list_weights[at] = p->row_weights[k];
        }
    }
    for (uint32_t j = p->bone_count; j > 0; --j) {
        p->list_first[j] = p->list_first[j - 1];
    }
    p->list_first[0] = 0;
}

double lmbi_learn_bone_error(const lmbi_learn *p, uint32_t point, uint32_t bone)
{
    const size_t m = p->frame_count;
    const double *u = p->rest + 3 * (size_t)point;
    double square = 0;
    for (size_t r = 0; r < 3; ++r) {
        const float *v = p->positions + (3 * (size_t)point + r) * m;
        const double *t = p->bones + ((size_t)bone * 12 + 4 * r) * m;
        for (size_t f = 0; f < m; ++f) {
            const double d =
                t[f] * u[0] + t[m + f] * u[1] + t[2 * m + f] * u[2] + t[3 * m + f] - (double)v[f];
            square += d * d;
        }
    }
    return square / (double)m;
}

/// Adds a bone's weighted contribution to one coordinate to out[frame].
static void add_moved(const lmbi_learn *p, const double *u, uint32_t bone, size_t row,
                      double weight, double *out, size_t begin, size_t count)
{
    const size_t m = p->frame_count;
    const double *t = p->bones + ((size_t)bone * 12 + 4 * row) * m + begin;
    for (size_t f = 0; f < count; ++f) {
        out[f] += weight * (t[f] * u[0] + t[m + f] * u[1] + t[2 * m + f] * u[2] + t[3 * m + f]);
    }
}

static double point_error(const lmbi_learn *p, uint32_t i)
{
    enum { BLOCK = 64 };
    const size_t m = p->frame_count;
    const uint32_t *bones = p->row_bones + (size_t)i * p->influences;
    const double *weights = p->row_weights + (size_t)i * p->influences;
    double square = 0, moved[BLOCK];
    for (size_t r = 0; r < 3; ++r) {
        const float *v = p->positions + (3 * (size_t)i + r) * m;
        for (size_t begin = 0; begin < m; begin += BLOCK) {
            const size_t count = m - begin < BLOCK ? m - begin : BLOCK;
            memset(moved, 0, sizeof moved);
            for (uint32_t k = 0; k < p->influences && weights[k] > 0; ++k) {
                add_moved(p, p->rest + 3 * (size_t)i, bones[k], r, weights[k], moved, begin, count);
            }
            for (size_t f = 0; f < count; ++f) {
                const double d = moved[f] - (double)v[begin + f];
                square += d * d;
            }
        }
    }
    return square / (double)m;
}

static void measure_points(void *context, size_t begin, size_t end)
{
    lmbi_learn *p = context;
    for (size_t i = begin; i < end; ++i) {
        p->point_errors[i] = point_error(p, (uint32_t)i);
    }
}

double lmbi_learn_measure_errors(lmbi_learn *p)
{
    lmb_parallel_for(p->opts.jobs, p->point_count, 64, measure_points, p);
    double sum = 0;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        sum += p->point_errors[i];
    }
    return sum / p->point_count;
}
