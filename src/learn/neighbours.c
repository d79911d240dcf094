/// Neighbours of each point and their weights.
#include <math.h>

#include "base/error.h"
#include "learn/learn.h"

/// Added to the stretch of an edge, as a fraction of the mean edge length: less stretch than this
/// hardly changes a weight.
static const double LEAST_STRETCH = 0.01;

static uint32_t corner(const lmbi_learn *p, uint32_t triangle, uint32_t k)
{
    return p->point_of[p->def->indices[3 * (size_t)triangle + k]];
}

/// Stores both directions of every edge of every triangle, with duplicates.
static void fill_neighbours(lmbi_learn *p, uint32_t *at)
{
    for (uint32_t t = 0; t < p->def->index_count / 3; ++t) {
        for (uint32_t k = 0; k < 6; ++k) {
            const uint32_t a = corner(p, t, k % 3), b = corner(p, t, (k + 1 + k / 3) % 3);
            if (a != b) {
                p->neighbours[at[a]++] = b;
            }
        }
    }
}

/// Sorts the row of a point, removes duplicates and moves it to `to`; returns its new end.
static uint32_t sort_unique(lmbi_learn *p, uint32_t first, uint32_t last, uint32_t to)
{
    const uint32_t begin = to;
    for (uint32_t k = first; k < last; ++k) {
        const uint32_t moving = p->neighbours[k];
        uint32_t at = to;
        while (at > begin && p->neighbours[at - 1] > moving) {
            --at;
        }
        if (at > begin && p->neighbours[at - 1] == moving) {
            continue;
        }
        // Safe in place: rows only shrink, so this was read before.
        for (uint32_t j = to; j > at; --j) {
            p->neighbours[j] = p->neighbours[j - 1];
        }
        p->neighbours[at] = moving;
        ++to;
    }
    return to;
}

static double length_at(const lmbi_learn *p, uint32_t a, uint32_t b, uint32_t frame)
{
    const size_t m = p->frame_count;
    const float *x = p->positions + 3 * a * m + frame, *y = p->positions + 3 * b * m + frame;
    double square = 0;
    for (size_t c = 0; c < 3; ++c) {
        const double d = (double)x[c * m] - (double)y[c * m];
        square += d * d;
    }
    return sqrt(square);
}

static double rest_length(const lmbi_learn *p, uint32_t a, uint32_t b)
{
    double square = 0;
    for (size_t c = 0; c < 3; ++c) {
        const double d = p->rest[3 * (size_t)a + c] - p->rest[3 * (size_t)b + c];
        square += d * d;
    }
    return sqrt(square);
}

/// Root mean square over the frames of an edge's difference from its rest length.
static double measure_stretch(const lmbi_learn *p, uint32_t a, uint32_t b)
{
    const double rest = rest_length(p, a, b);
    double square = 0;
    for (uint32_t k = 0; k < p->frame_count; ++k) {
        const double d = length_at(p, a, b, k) - rest;
        square += d * d;
    }
    return sqrt(square / p->frame_count);
}

static double mean_edge(const lmbi_learn *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            sum += rest_length(p, i, p->neighbours[k]);
        }
    }
    return sum / p->neighbour_first[p->point_count];
}

/// Sets the weights, small where edges stretch, since skinning weights may jump there.
static void set_weights(lmbi_learn *p)
{
    const double least = LEAST_STRETCH * mean_edge(p);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        double sum = 0;
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            p->neighbour_weights[k] = 1 / (measure_stretch(p, i, p->neighbours[k]) + least);
            sum += p->neighbour_weights[k];
        }
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            p->neighbour_weights[k] /= sum;
        }
    }
}

lmb_result lmbi_learn_neighbours(lmbi_learn *p, lmb_error *error)
{
    const uint32_t n = p->point_count;
    uint32_t *ends = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof *ends);
    p->neighbour_first = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof *p->neighbour_first);
    p->neighbours = lmbi_arena_array(&p->arena, p->def->index_count, 2 * sizeof *p->neighbours);
    p->neighbour_weights =
        lmbi_arena_array(&p->arena, p->def->index_count, 2 * sizeof *p->neighbour_weights);
    if (!ends || !p->neighbour_first || !p->neighbours || !p->neighbour_weights) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t t = 0; t < p->def->index_count / 3; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = corner(p, t, k);
            ends[a + 1] += a != corner(p, t, (k + 1) % 3) ? 1 : 0;
            ends[a + 1] += a != corner(p, t, (k + 2) % 3) ? 1 : 0;
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        ends[i + 1] += ends[i];
    }
    fill_neighbours(p, ends); // afterwards ends[i] is the end of row i
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; ++i) {
        to = sort_unique(p, i > 0 ? ends[i - 1] : 0, ends[i], to);
        p->neighbour_first[i + 1] = to;
    }
    if (to == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "triangles with three different corners",
                         "none among %u", p->def->index_count / 3);
    }
    set_weights(p);
    return LMB_OK;
}
