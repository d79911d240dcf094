/// Weights from bones: for each point the best few bones and their weights (Le & Deng 2012, eq. 4
/// to 6). Since weights sum to 1, a point's error is the weighted sum of the errors of its bones
/// alone, and the quadratic form is the Gram matrix of these: small numbers, where the usual form
/// subtracts large ones.
#include <string.h>

#include "learn/learn.h"
#include "learn/simplex.h"

enum {
    WIDTH = LMBI_SIMPLEX_WIDTH,
    BLOCK = 32,
    ALONE = 12, ///< most candidates by the error of a bone alone
};

/// Candidate bones of a point.
typedef struct candidates {
    uint32_t count, bones[WIDTH];
} candidates;

static void add_candidate(candidates *c, uint32_t bone)
{
    for (uint32_t k = 0; k < c->count; ++k) {
        if (c->bones[k] == bone) {
            return;
        }
    }
    if (c->count < WIDTH) {
        c->bones[c->count++] = bone;
    }
}

static void add_row(candidates *c, const lmbi_learn *p, uint32_t i)
{
    const size_t at = (size_t)i * p->influences;
    for (uint32_t k = 0; k < p->influences && p->row_weights[at + k] > 0; ++k) {
        add_candidate(c, p->row_bones[at + k]);
    }
}

static void add_nearby(candidates *c, const lmbi_learn *p, uint32_t i)
{
    for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
        add_row(c, p, p->neighbours[k]);
    }
    for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
        const uint32_t at = p->neighbours[k];
        for (uint32_t l = p->neighbour_first[at]; l < p->neighbour_first[at + 1]; ++l) {
            add_row(c, p, p->neighbours[l]);
        }
    }
}

/// Adds the bones that alone come nearest to the point's frames.
static void add_nearest_alone(candidates *c, const lmbi_learn *p, uint32_t i)
{
    double errors[ALONE];
    uint32_t best[ALONE], count = 0;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        const double error = lmbi_learn_bone_error(p, i, j);
        uint32_t at = count < ALONE ? count++ : ALONE;
        for (; at > 0 && errors[at - 1] > error; --at) {
            if (at < ALONE) {
                errors[at] = errors[at - 1];
                best[at] = best[at - 1];
            }
        }
        if (at < ALONE) {
            errors[at] = error;
            best[at] = j;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        add_candidate(c, best[k]);
    }
}

/// The point's own bones first. Then those of the points within two edges, and when it is their turn
/// others, which may be far away: all, or where they are too many those that fit alone.
static candidates find_candidates(const lmbi_learn *p, uint32_t i)
{
    candidates c = {0};
    add_row(&c, p, i);
    if (p->seeks_everywhere && p->bone_count <= WIDTH) {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            add_candidate(&c, j);
        }
        return c;
    }
    if (p->seeks_everywhere) {
        add_nearest_alone(&c, p, i);
    }
    add_nearby(&c, p, i);
    return c;
}

/// Errors of each candidate bone alone, for one block of frames, padded by zeros to a multiple of four.
/// Returns how many numbers of each.
static size_t compute_residuals(const lmbi_learn *p, uint32_t i, const candidates *c, size_t begin,
                                size_t count, double (*out)[3 * BLOCK + 4])
{
    const size_t m = p->frame_count;
    const double *u = p->rest + 3 * (size_t)i;
    for (uint32_t k = 0; k < c->count; ++k) {
        for (size_t r = 0; r < 3; ++r) {
            const float *v = p->positions + (3 * (size_t)i + r) * m + begin;
            const double *t = p->bones + ((size_t)c->bones[k] * 12 + 4 * r) * m + begin;
            double *d = out[k] + r * count;
            for (size_t f = 0; f < count; ++f) {
                d[f] = t[f] * u[0] + t[m + f] * u[1] + t[2 * m + f] * u[2] + t[3 * m + f] -
                       (double)v[f];
            }
        }
        memset(out[k] + 3 * count, 0, 3 * sizeof(double));
    }
    return (3 * count + 3) / 4 * 4;
}

/// Four independent sums, to hide the latency of the additions.
static double dot(const double *a, const double *b, size_t count)
{
    double s[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < count; k += 4) {
        for (size_t l = 0; l < 4; ++l) {
            s[l] += a[k + l] * b[k + l];
        }
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void build_program(const lmbi_learn *p, uint32_t i, const candidates *c, lmbi_simplex *s)
{
    double residuals[WIDTH][3 * BLOCK + 4];
    const size_t m = p->frame_count;
    memset(s, 0, sizeof *s);
    s->count = c->count;
    for (size_t begin = 0; begin < m; begin += BLOCK) {
        const size_t frames = m - begin < BLOCK ? m - begin : BLOCK;
        const size_t count = compute_residuals(p, i, c, begin, frames, residuals);
        for (uint32_t a = 0; a < c->count; ++a) {
            for (uint32_t b = 0; b <= a; ++b) {
                s->h[a][b] += dot(residuals[a], residuals[b], count) / (double)m;
            }
        }
    }
    const double smooth = (double)p->opts.smooth;
    for (uint32_t a = 0; a < c->count; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            s->h[b][a] = s->h[a][b];
        }
        s->h[a][a] += smooth;
        s->g[a] =
            smooth > 0 ? smooth * p->smoothed[(size_t)i * p->opts.bone_count + c->bones[a]] : 0;
    }
}

/// Stores the row by falling weight, the lower bone first among equals.
static void store_row(const lmbi_learn *p, uint32_t i, const candidates *c, const double *w)
{
    uint32_t *bones = p->next_bones + (size_t)i * p->influences, count = 0;
    double *weights = p->next_weights + (size_t)i * p->influences;
    for (uint32_t k = 0; k < c->count; ++k) {
        if (!(w[k] > 0)) {
            continue;
        }
        uint32_t at = count++;
        for (; at > 0 && (weights[at - 1] < w[k] ||
                          (!(weights[at - 1] > w[k]) && bones[at - 1] > c->bones[k]));
             --at) {
            weights[at] = weights[at - 1];
            bones[at] = bones[at - 1];
        }
        weights[at] = w[k];
        bones[at] = c->bones[k];
    }
    for (; count < p->influences; ++count) {
        weights[count] = 0;
        bones[count] = 0;
    }
}

void lmbi_learn_solve_point(const lmbi_learn *p, uint32_t i)
{
    const candidates c = find_candidates(p, i);
    lmbi_simplex s;
    build_program(p, i, &c, &s);
    double was[WIDTH] = {0}, fresh[WIDTH], kept[WIDTH];
    uint32_t open = 0;
    for (uint32_t k = 0; k < p->influences; ++k) {
        // The row's own bones are the first candidates, in order.
        was[k] = p->row_weights[(size_t)i * p->influences + k];
        open |= was[k] > 0 ? 1u << k : 0;
    }
    const double old = lmbi_simplex_value(&s, was);
    memcpy(fresh, was, sizeof fresh);
    memcpy(kept, was, sizeof kept);
    const double fresh_value = lmbi_simplex_sparse(&s, p->influences, fresh);
    const double kept_value = lmbi_simplex_solve(&s, open, kept);
    const double *best = fresh_value < kept_value ? fresh : kept;
    store_row(p, i, &c, (fresh_value < kept_value ? fresh_value : kept_value) < old ? best : was);
}

static void solve_points(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        lmbi_learn_solve_point(context, (uint32_t)i);
    }
}

void lmbi_learn_solve_weights(lmbi_learn *p)
{
    lmb_parallel_for(p->opts.jobs, p->point_count, 16, solve_points, p);
    uint32_t *bones = p->row_bones;
    double *weights = p->row_weights;
    p->row_bones = p->next_bones;
    p->row_weights = p->next_weights;
    p->next_bones = bones;
    p->next_weights = weights;
}

void lmbi_learn_cost_without(const lmbi_learn *p, uint32_t i, double *costs)
{
    const candidates c = find_candidates(p, i);
    const double *row = p->row_weights + (size_t)i * p->influences;
    double w[WIDTH] = {0};
    lmbi_simplex s;
    build_program(p, i, &c, &s);
    memcpy(w, row, p->influences * sizeof *w); // the row's own bones are the first candidates
    const double own = lmbi_simplex_value(&s, w);
    for (uint32_t k = 0; k < p->influences; ++k) {
        costs[k] = 0;
        if (row[k] > 0) {
            memset(w, 0, sizeof w);
            memcpy(w, row, p->influences * sizeof *w);
            w[k] = 0;
            costs[k] = lmbi_simplex_solve(&s, ~(1u << k), w) - own;
        }
    }
}
