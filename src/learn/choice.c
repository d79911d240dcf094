#include "learn/choice.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/math.h"
#include "linalg/linalg.h"

enum { STEPS = 40, HALVINGS = 20 };
/// A step that gains less than this fraction of the loss is the last.
static const double ENOUGH = 1e-9;

typedef struct fitting {
    const lmbi_choices *choices;
    double total;            ///< of the weights
    double *at, *next;       ///< [feature_count] coefficients
    double *gradient, *mean; ///< [feature_count]
    double *hessian, *work;  ///< [feature_count][feature_count]
} fitting;

/// Probabilities of a group's alternatives; returns the log loss.
static double group_loss(const lmbi_choices *c, const double *at, uint32_t group, double *p,
                         uint32_t room)
{
    const uint32_t begin = c->first[group], count = c->first[group + 1] - begin;
    double most = -(double)INFINITY, sum = 0, loss = 0;
    for (uint32_t k = 0; k < count && k < room; ++k) {
        const float *x = c->features + (size_t)(begin + k) * c->feature_count;
        p[k] = 0;
        for (uint32_t f = 0; f < c->feature_count; ++f) {
            p[k] += at[f] * (double)x[f];
        }
        most = p[k] > most ? p[k] : most;
    }
    for (uint32_t k = 0; k < count && k < room; ++k) {
        const double from_most = p[k] - most;
        p[k] = from_most < -80 ? 0 : (double)lmb_exp((float)from_most);
        sum += p[k];
        loss -= (double)c->shares[begin + k] * from_most;
    }
    for (uint32_t k = 0; k < count && k < room; ++k) {
        p[k] /= sum;
    }
    return loss + (double)lmb_log((float)sum);
}

enum { MOST_ALTERNATIVES = 64 };

static double penalty_of(const lmbi_choices *c, const double *at)
{
    double sum = 0;
    for (uint32_t f = 0; f < c->feature_count; ++f) {
        const double off = at[f] - (c->towards ? (double)c->towards[f] : 0);
        sum += off * off;
    }
    return (double)c->penalty * sum;
}

static double loss_at(const fitting *f, const double *at)
{
    double p[MOST_ALTERNATIVES], loss = 0;
    for (uint32_t g = 0; g < f->choices->group_count; ++g) {
        if (f->choices->weights[g] > 0) {
            loss += (double)f->choices->weights[g] *
                    group_loss(f->choices, at, g, p, MOST_ALTERNATIVES);
        }
    }
    return loss / f->total + penalty_of(f->choices, at);
}

/// Adds a group's gradient, E_p[x] - E_shares[x], and Hessian, Cov_p[x].
static void add_group(fitting *f, uint32_t group, const double *p)
{
    const lmbi_choices *c = f->choices;
    const uint32_t n = c->feature_count, begin = c->first[group];
    const uint32_t count = c->first[group + 1] - begin;
    const double weight = (double)c->weights[group] / f->total;
    memset(f->mean, 0, n * sizeof *f->mean);
    for (uint32_t k = 0; k < count; ++k) {
        const float *x = c->features + (size_t)(begin + k) * n;
        const double off = p[k] - (double)c->shares[begin + k];
        for (uint32_t i = 0; i < n; ++i) {
            f->mean[i] += p[k] * (double)x[i];
            f->gradient[i] += weight * off * (double)x[i];
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        const float *x = c->features + (size_t)(begin + k) * n;
        for (uint32_t i = 0; p[k] > 1e-7 && i < n; ++i) {
            const double from_mean = weight * p[k] * ((double)x[i] - f->mean[i]);
            for (uint32_t j = 0; j <= i; ++j) {
                f->hessian[i * n + j] += from_mean * ((double)x[j] - f->mean[j]);
            }
        }
    }
}

static void differentiate(fitting *f)
{
    const lmbi_choices *c = f->choices;
    const uint32_t n = c->feature_count;
    double p[MOST_ALTERNATIVES];
    memset(f->hessian, 0, (size_t)n * n * sizeof *f->hessian);
    for (uint32_t i = 0; i < n; ++i) {
        const double off = f->at[i] - (c->towards ? (double)c->towards[i] : 0);
        f->gradient[i] = 2 * (double)c->penalty * off;
        f->hessian[i * n + i] = 2 * (double)c->penalty + 1e-9;
    }
    for (uint32_t g = 0; g < c->group_count; ++g) {
        if (c->weights[g] > 0) {
            group_loss(c, f->at, g, p, MOST_ALTERNATIVES);
            add_group(f, g, p);
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            f->hessian[j * n + i] = f->hessian[i * n + j];
        }
    }
}

static lmb_result descend(fitting *f, double *loss, lmb_error *error)
{
    const uint32_t n = f->choices->feature_count;
    double now = loss_at(f, f->at);
    for (int step = 0; step < STEPS; ++step) {
        differentiate(f);
        memcpy(f->work, f->hessian, (size_t)n * n * sizeof *f->work);
        memcpy(f->mean, f->gradient, n * sizeof *f->mean);
        const lmb_result result = lmbi_dense_solve(f->work, n, f->mean, 1, error);
        if (result != LMB_OK) {
            return result;
        }
        double length = 1, then = now;
        bool better = false;
        for (int k = 0; k < HALVINGS && !better; ++k, length *= 0.5) {
            for (uint32_t i = 0; i < n; ++i) {
                f->next[i] = f->at[i] - length * f->mean[i];
            }
            then = loss_at(f, f->next);
            better = then < now;
        }
        if (!better) {
            break;
        }
        memcpy(f->at, f->next, n * sizeof *f->at);
        const double gained = now - then;
        now = then;
        if (gained < ENOUGH * now) {
            break;
        }
    }
    *loss = now;
    return LMB_OK;
}

static lmb_result check(const lmbi_choices *c, lmb_error *error)
{
    for (uint32_t g = 0; g < c->group_count; ++g) {
        if (c->first[g + 1] - c->first[g] > MOST_ALTERNATIVES) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "at most 64 alternatives", "%u",
                             c->first[g + 1] - c->first[g]);
        }
    }
    const size_t numbers = (size_t)c->first[c->group_count] * c->feature_count;
    for (size_t k = 0; k < numbers; ++k) {
        if (!isfinite(c->features[k])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite features", "%g",
                             (double)c->features[k]);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_choices_fit(const lmbi_choices *choices, const lmb_allocator *alloc, float *out,
                            double *loss, lmb_error *error)
{
    const size_t n = choices->feature_count;
    fitting f = {.choices = choices};
    double *block = lmbi_alloc_array(alloc, 4 * n + 2 * n * n, sizeof *block), least = 0;
    lmb_result result = block ? check(choices, error) : lmbi_fail_memory(error);
    for (uint32_t g = 0; result == LMB_OK && g < choices->group_count; ++g) {
        f.total += (double)choices->weights[g];
    }
    if (result == LMB_OK) {
        f.total = f.total > 0 ? f.total : 1;
        f.at = block;
        f.next = block + n;
        f.gradient = block + 2 * n;
        f.mean = block + 3 * n;
        f.hessian = block + 4 * n;
        f.work = f.hessian + n * n;
        for (size_t i = 0; i < n; ++i) {
            f.at[i] = choices->towards ? (double)choices->towards[i] : 0;
        }
        result = descend(&f, &least, error);
    }
    for (size_t i = 0; result == LMB_OK && i < n; ++i) {
        out[i] = (float)f.at[i];
    }
    if (result == LMB_OK && loss) {
        *loss = least;
    }
    lmbi_free(alloc, block);
    return result;
}
