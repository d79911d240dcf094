#include "learn/ranker.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/math.h"

enum { H = LMBI_RANKER_HIDDEN, MOST = LMBI_RANKER_MOST_CANDIDATES, TERMS = LMBI_RANKER_TERMS };
/// Fraction of the log loss in the loss.
static const float LOG_LOSS = 0.15f;

/// The parts of a network, in the order that they are stored.
typedef struct parts {
    size_t mean, scale;     ///< [features] of the standardised features
    size_t first, first0;   ///< [features][H], [H]
    size_t second, second0; ///< [3][H][H]: of the candidate, the mean and the most; [H]
    size_t last;            ///< [H]
    size_t prior;           ///< factor of the prior
    size_t table;           ///< [kinds][TERMS]
    size_t size;
} parts;

static parts parts_of(const lmbi_ranker_shape *s)
{
    parts p = {.mean = 0, .scale = s->features, .first = 2 * (size_t)s->features};
    p.first0 = p.first + (size_t)s->features * H;
    p.second = p.first0 + H;
    p.second0 = p.second + 3 * (size_t)H * H;
    p.last = p.second0 + H;
    p.prior = p.last + H;
    p.table = p.prior + 1;
    p.size = p.table + (size_t)s->kinds * TERMS;
    return p;
}

uint32_t lmbi_ranker_size(const lmbi_ranker_shape *shape)
{
    return (uint32_t)parts_of(shape).size;
}

/// What a pass through the network leaves.
typedef struct activations {
    float x[MOST][LMBI_RANKER_MOST_FEATURES]; ///< standardised
    float a[MOST][H], mean[H], most[H], b[MOST][H];
    uint32_t which[H]; ///< the candidate with the most
    float shares[MOST];
} activations;

static void softmax(const float *logits, uint32_t count, float *shares)
{
    float most = logits[0], sum = 0;
    for (uint32_t k = 1; k < count; ++k) {
        most = logits[k] > most ? logits[k] : most;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const float off = logits[k] - most;
        shares[k] = off < -60 ? 0 : lmb_exp(off);
        sum += shares[k];
    }
    for (uint32_t k = 0; k < count; ++k) {
        shares[k] /= sum;
    }
}

/// out[H] += in[count] times weights[count][H].
static void add_product(const float *in, uint32_t count, const float *weights, float *out)
{
    for (uint32_t i = 0; i < count; ++i) {
        const float x = in[i];
        for (uint32_t h = 0; h < H; ++h) {
            out[h] += x * weights[i * H + h];
        }
    }
}

static void first_layer(const lmbi_ranker_shape *s, const parts *p, const float *w,
                        const lmbi_ranker_group *g, activations *act)
{
    for (uint32_t h = 0; h < H; ++h) {
        act->mean[h] = 0;
        act->most[h] = -1;
        act->which[h] = 0;
    }
    for (uint32_t k = 0; k < g->count; ++k) {
        const float *x = g->features + (size_t)k * s->features;
        memcpy(act->a[k], w + p->first0, sizeof act->a[k]);
        for (uint32_t f = 0; f < s->features; ++f) {
            act->x[k][f] = (x[f] - w[p->mean + f]) * w[p->scale + f];
        }
        add_product(act->x[k], s->features, w + p->first, act->a[k]);
        for (uint32_t h = 0; h < H; ++h) {
            act->a[k][h] = act->a[k][h] > 0 ? act->a[k][h] : 0;
            act->mean[h] += act->a[k][h] / (float)g->count;
            if (act->a[k][h] > act->most[h]) {
                act->most[h] = act->a[k][h];
                act->which[h] = k;
            }
        }
    }
}

static void forward(const lmbi_ranker_shape *s, const float *w, const lmbi_ranker_group *g,
                    activations *act)
{
    const parts p = parts_of(s);
    float shared[H], logits[MOST];
    first_layer(s, &p, w, g, act);
    memcpy(shared, w + p.second0, sizeof shared);
    add_product(act->mean, H, w + p.second + (size_t)H * H, shared);
    add_product(act->most, H, w + p.second + 2 * (size_t)H * H, shared);
    for (uint32_t k = 0; k < g->count; ++k) {
        memcpy(act->b[k], shared, sizeof shared);
        add_product(act->a[k], H, w + p.second, act->b[k]);
        logits[k] = w[p.prior] * g->priors[k];
        for (uint32_t h = 0; h < H; ++h) {
            act->b[k][h] = act->b[k][h] > 0 ? act->b[k][h] : 0;
            logits[k] += act->b[k][h] * w[p.last + h];
        }
        for (uint32_t t = 0; g->kinds[k] < s->kinds && t < TERMS; ++t) {
            logits[k] +=
                w[p.table + (size_t)g->kinds[k] * TERMS + t] * g->terms[(size_t)k * TERMS + t];
        }
    }
    softmax(logits, g->count, act->shares);
}

void lmbi_ranker_apply(const lmbi_ranker_shape *shape, const float *network,
                       const lmbi_ranker_group *group, float *shares)
{
    activations act;
    forward(shape, network, group, &act);
    memcpy(shares, act.shares, group->count * sizeof *shares);
}

/// Derivative of the loss by the logits.
static float loss_of(const float *shares, const float *targets, uint32_t count, float *by_logit)
{
    float loss = 0, mean = 0, sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const float off = shares[k] - targets[k];
        by_logit[k] = off > 0 ? 1.0f : off < 0 ? -1.0f : 0.0f;
        loss += fabsf(off);
        mean += by_logit[k] * shares[k];
        sum += targets[k];
    }
    for (uint32_t k = 0; k < count; ++k) {
        loss -= LOG_LOSS * targets[k] * lmb_log(shares[k] > 1e-6f ? shares[k] : 1e-6f);
        by_logit[k] = shares[k] * (by_logit[k] - mean) + LOG_LOSS * (sum * shares[k] - targets[k]);
    }
    return loss;
}

/// out[count] += weights[count][H] times d[H]; gradient[count][H] += in[count] d[H].
static void back_product(const float *in, uint32_t count, const float *weights, const float *d,
                         float *out, float *gradient)
{
    for (uint32_t i = 0; i < count; ++i) {
        float sum = 0;
        for (uint32_t h = 0; h < H; ++h) {
            gradient[i * H + h] += in[i] * d[h];
        }
        for (uint32_t h = 0; out && h < H; ++h) {
            sum += weights[i * H + h] * d[h];
        }
        if (out) {
            out[i] += sum;
        }
    }
}

static void back_table(const lmbi_ranker_shape *s, const parts *p, const lmbi_ranker_group *g,
                       const float *by_logit, float *gradient)
{
    for (uint32_t k = 0; k < g->count; ++k) {
        gradient[p->prior] += by_logit[k] * g->priors[k];
        for (uint32_t t = 0; g->kinds[k] < s->kinds && t < TERMS; ++t) {
            gradient[p->table + (size_t)g->kinds[k] * TERMS + t] +=
                by_logit[k] * g->terms[(size_t)k * TERMS + t];
        }
    }
}

float lmbi_ranker_gradient(const lmbi_ranker_shape *s, const float *w, const lmbi_ranker_group *g,
                           const float *targets, float *gradient)
{
    const parts p = parts_of(s);
    activations act;
    float by_logit[MOST], da[MOST][H] = {{0}}, shared[H] = {0}, dmean[H] = {0}, dmost[H] = {0};
    forward(s, w, g, &act);
    const float loss = loss_of(act.shares, targets, g->count, by_logit);
    back_table(s, &p, g, by_logit, gradient);
    for (uint32_t k = 0; k < g->count; ++k) {
        float db[H];
        for (uint32_t h = 0; h < H; ++h) {
            gradient[p.last + h] += by_logit[k] * act.b[k][h];
            db[h] = act.b[k][h] > 0 ? by_logit[k] * w[p.last + h] : 0;
            shared[h] += db[h];
        }
        back_product(act.a[k], H, w + p.second, db, da[k], gradient + p.second);
    }
    for (uint32_t h = 0; h < H; ++h) {
        gradient[p.second0 + h] += shared[h];
    }
    const size_t block = (size_t)H * H;
    back_product(act.mean, H, w + p.second + block, shared, dmean, gradient + p.second + block);
    back_product(act.most, H, w + p.second + 2 * block, shared, dmost,
                 gradient + p.second + 2 * block);
    for (uint32_t k = 0; k < g->count; ++k) {
        for (uint32_t h = 0; h < H; ++h) {
            da[k][h] += dmean[h] / (float)g->count + (act.which[h] == k ? dmost[h] : 0);
            da[k][h] = act.a[k][h] > 0 ? da[k][h] : 0;
            gradient[p.first0 + h] += da[k][h];
        }
        back_product(act.x[k], s->features, w + p.first, da[k], NULL, gradient + p.first);
    }
    return loss;
}
