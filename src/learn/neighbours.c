/// Which points are neighbours, and how much they have to do with each other.
#include <math.h>

#include "base/error.h"
#include "learn/prepare.h"

/// Edges that stretch by no more than this share of their mean length count alike.
static const double LEAST_STRETCH = 0.01;

static uint32_t corner(const lmbi_learn *p, uint32_t triangle, uint32_t k)
{
    return p->point_of[p->def->indices[3 * (size_t)triangle + k]];
}

/// Both directions of every edge of every triangle, repeated ones too.
static void fill(lmbi_learn *p, uint32_t *at)
{
    for (uint32_t t = 0; t < p->def->index_count / 3; ++t) {
        for (uint32_t k = 0; k < 6; ++k) {
            const uint32_t a = corner(p, t, k % 3), b = corner(p, t, (k + 1 + k / 3) % 3);
            if (a != b) {
                p->near[at[a]++] = b;
            }
        }
    }
}

/// Sorts the row of a point and drops repeated entries, moving it to `to`; returns its new end.
static uint32_t tidy(lmbi_learn *p, uint32_t first, uint32_t last, uint32_t to)
{
    const uint32_t begin = to;
    for (uint32_t k = first; k < last; ++k) {
        const uint32_t moving = p->near[k];
        uint32_t at = to;
        while (at > begin && p->near[at - 1] > moving) {
            --at;
        }
        if (at > begin && p->near[at - 1] == moving) {
            continue;
        }
        // What is written here was read before: rows only shrink.
        for (uint32_t j = to; j > at; --j) {
            p->near[j] = p->near[j - 1];
        }
        p->near[at] = moving;
        ++to;
    }
    return to;
}

static double length_at(const lmbi_learn *p, uint32_t a, uint32_t b, uint32_t frame)
{
    const size_t m = p->frame_count;
    const float *x = p->at + 3 * a * m + frame, *y = p->at + 3 * b * m + frame;
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

/// Root mean square over the frames of how far an edge is from its length at rest.
static double stretch(const lmbi_learn *p, uint32_t a, uint32_t b)
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
        for (uint32_t k = p->near_first[i]; k < p->near_first[i + 1]; ++k) {
            sum += rest_length(p, i, p->near[k]);
        }
    }
    return sum / p->near_first[p->point_count];
}

/// Weak where edges stretch: weights may jump there.
static void share(lmbi_learn *p)
{
    const double least = LEAST_STRETCH * mean_edge(p);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        double sum = 0;
        for (uint32_t k = p->near_first[i]; k < p->near_first[i + 1]; ++k) {
            p->near_share[k] = 1 / (stretch(p, i, p->near[k]) + least);
            sum += p->near_share[k];
        }
        for (uint32_t k = p->near_first[i]; k < p->near_first[i + 1]; ++k) {
            p->near_share[k] /= sum;
        }
    }
}

lmb_result lmbi_learn_neighbours(lmbi_learn *p, lmb_error *error)
{
    const uint32_t n = p->point_count;
    uint32_t *ends = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof *ends);
    p->near_first = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof *p->near_first);
    p->near = lmbi_arena_array(&p->arena, p->def->index_count, 2 * sizeof *p->near);
    p->near_share = lmbi_arena_array(&p->arena, p->def->index_count, 2 * sizeof *p->near_share);
    if (!ends || !p->near_first || !p->near || !p->near_share) {
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
    fill(p, ends); // now ends[i] is where the row of i ends
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; ++i) {
        to = tidy(p, i > 0 ? ends[i - 1] : 0, ends[i], to);
        p->near_first[i + 1] = to;
    }
    if (to == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "triangles with three different corners",
                         "none among %u", p->def->index_count / 3);
    }
    share(p);
    return LMB_OK;
}
