/// Weights from bones: for each point the best few bones and their shares (Le & Deng 2012, eq. 4 to
/// 6). Since weights sum to 1, the distance of a point from its place is the weighted sum of the
/// distances that its bones alone would leave, and the programme is the Gram matrix of these: small
/// numbers, where the usual one subtracts large ones.
#include <string.h>

#include "learn/learn.h"
#include "learn/simplex.h"

enum { WIDTH = LMBI_SIMPLEX_WIDTH, BLOCK = 32, LOCAL = 12 };
/// Bones with less smoothed weight are too far away.
static const double LEAST_SMOOTHED = 1e-5;

/// The bones that a point may follow.
typedef struct candidates {
    uint32_t count, bones[WIDTH];
} candidates;

static void offer(candidates *c, uint32_t bone)
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

static void offer_row(candidates *c, const lmbi_learn *p, uint32_t i)
{
    const size_t at = (size_t)i * p->influences;
    for (uint32_t k = 0; k < p->influences && p->row_weights[at + k] > 0; ++k) {
        offer(c, p->row_bones[at + k]);
    }
}

/// The bones that the smoothed weights have most of: no bone reaches far beyond what it moves.
static void offer_smoothed(candidates *c, const lmbi_learn *p, uint32_t i)
{
    const double *weights = p->smoothed + (size_t)i * p->opts.bone_count;
    uint32_t best[LOCAL], count = 0;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        if (!(weights[j] > LEAST_SMOOTHED)) {
            continue;
        }
        uint32_t at = count < LOCAL ? count++ : LOCAL;
        for (; at > 0 && weights[best[at - 1]] < weights[j]; --at) {
            if (at < LOCAL) {
                best[at] = best[at - 1];
            }
        }
        if (at < LOCAL) {
            best[at] = j;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        offer(c, best[k]);
    }
}

static void offer_around(candidates *c, const lmbi_learn *p, uint32_t i)
{
    for (uint32_t k = p->near_first[i]; k < p->near_first[i + 1]; ++k) {
        offer_row(c, p, p->near[k]);
    }
    for (uint32_t k = p->near_first[i]; k < p->near_first[i + 1]; ++k) {
        const uint32_t at = p->near[k];
        for (uint32_t l = p->near_first[at]; l < p->near_first[at + 1]; ++l) {
            offer_row(c, p, p->near[l]);
        }
    }
}

/// The point's own bones first. Then, where weights are smoothed, those near it; else all, or where
/// these are many those of the points within two edges.
static candidates gather(const lmbi_learn *p, uint32_t i)
{
    candidates c = {0};
    offer_row(&c, p, i);
    if (p->smoothed) {
        offer_smoothed(&c, p, i);
    } else if (p->bone_count > WIDTH) {
        offer_around(&c, p, i);
    } else {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            offer(&c, j);
        }
    }
    return c;
}

/// How far each candidate alone would leave the point, in the frames of one block.
static void leave(const lmbi_learn *p, uint32_t i, const candidates *c, size_t begin, size_t count,
                  double (*out)[3 * BLOCK])
{
    const size_t m = p->frame_count;
    const double *u = p->rest + 3 * (size_t)i;
    for (uint32_t k = 0; k < c->count; ++k) {
        for (size_t r = 0; r < 3; ++r) {
            const float *v = p->at + (3 * (size_t)i + r) * m + begin;
            const double *t = p->bones + ((size_t)c->bones[k] * 12 + 4 * r) * m + begin;
            double *d = out[k] + r * BLOCK;
            for (size_t f = 0; f < count; ++f) {
                d[f] = t[f] * u[0] + t[m + f] * u[1] + t[2 * m + f] * u[2] + t[3 * m + f] -
                       (double)v[f];
            }
            memset(d + count, 0, (BLOCK - count) * sizeof *d);
        }
    }
}

/// Four sums side by side: one alone would wait for itself.
static double dot(const double *a, const double *b)
{
    double s[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < 3 * BLOCK; k += 4) {
        for (size_t l = 0; l < 4; ++l) {
            s[l] += a[k + l] * b[k + l];
        }
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void build(const lmbi_learn *p, uint32_t i, const candidates *c, lmbi_simplex *s)
{
    double left[WIDTH][3 * BLOCK];
    const size_t m = p->frame_count;
    memset(s, 0, sizeof *s);
    s->count = c->count;
    for (size_t begin = 0; begin < m; begin += BLOCK) {
        leave(p, i, c, begin, m - begin < BLOCK ? m - begin : BLOCK, left);
        for (uint32_t a = 0; a < c->count; ++a) {
            for (uint32_t b = 0; b <= a; ++b) {
                s->h[a][b] += dot(left[a], left[b]) / (double)m;
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

/// The row with falling weights, the lower bone first among equals.
static void store(const lmbi_learn *p, uint32_t i, const candidates *c, const double *w)
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

/// The better of new bones and of the old ones with new shares; the old row where neither is
/// better.
static void solve_point(const lmbi_learn *p, uint32_t i)
{
    const candidates c = gather(p, i);
    lmbi_simplex s;
    build(p, i, &c, &s);
    double was[WIDTH] = {0}, fresh[WIDTH], kept[WIDTH];
    uint32_t open = 0;
    for (uint32_t k = 0; k < p->influences; ++k) {
        // Its own bones are the first candidates, in the order of the row.
        was[k] = p->row_weights[(size_t)i * p->influences + k];
        open |= was[k] > 0 ? 1u << k : 0;
    }
    const double old = lmbi_simplex_value(&s, was);
    memcpy(fresh, was, sizeof fresh);
    memcpy(kept, was, sizeof kept);
    const double fresh_value = lmbi_simplex_sparse(&s, p->influences, fresh);
    const double kept_value = lmbi_simplex_solve(&s, open, kept);
    const double *best = fresh_value < kept_value ? fresh : kept;
    store(p, i, &c, (fresh_value < kept_value ? fresh_value : kept_value) < old ? best : was);
}

static void solve_points(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        solve_point(context, (uint32_t)i);
    }
}

void lmbi_learn_weights(lmbi_learn *p)
{
    lmb_parallel_for(p->opts.jobs, p->point_count, 16, solve_points, p);
    uint32_t *bones = p->row_bones;
    double *weights = p->row_weights;
    p->row_bones = p->next_bones;
    p->row_weights = p->next_weights;
    p->next_bones = bones;
    p->next_weights = weights;
}
