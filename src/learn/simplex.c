/// Least squares on the simplex by an active set (after Lawson, Hanson 1974), and its sparse
/// variant.
#include "learn/simplex.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = LMBI_SIMPLEX_WIDTH,
    TRIED = 3, ///< removals tried for each entry that has to go
};
/// Added to the diagonal, as a fraction of its mean, because bones that move alike make h singular.
static const double RIDGE = 1e-11;
/// Least improvement of the gradient for an entry to enter, as a fraction of the scale of h.
static const double SLACK = 1e-13;

static double scale_of(const lmbi_simplex *s)
{
    double trace = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        trace += s->h[i][i] + fabs(s->g[i]);
    }
    return trace / s->count + 1e-300;
}

double lmbi_simplex_value(const lmbi_simplex *s, const double *w)
{
    double value = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        double row = -2 * s->g[i];
        for (uint32_t j = 0; w[i] > 0 && j < s->count; ++j) {
            row += s->h[i][j] * w[j];
        }
        value += w[i] * row;
    }
    return value;
}

/// Entries that are not fixed at 0.
typedef struct passive {
    uint32_t count, at[WIDTH];
} passive;

static void factorise(const lmbi_simplex *s, const passive *set, double ridge,
                      double l[WIDTH][WIDTH])
{
    for (uint32_t i = 0; i < set->count; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            double sum = s->h[set->at[i]][set->at[j]] + (i == j ? ridge : 0);
            for (uint32_t k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = i == j ? sqrt(sum > ridge ? sum : ridge) : sum / l[j][j];
        }
    }
}

static void solve_factored(const passive *set, double l[WIDTH][WIDTH], double *x)
{
    for (uint32_t i = 0; i < set->count; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for (uint32_t i = set->count; i-- > 0;) {
        for (uint32_t k = i + 1; k < set->count; ++k) {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
}

/// The minimum over the set with sum 1, without sign constraints: h z = g + mu.
static void solve_equal(const lmbi_simplex *s, const passive *set, double ridge, double *z)
{
    double l[WIDTH][WIDTH], ones[WIDTH], sum = 0, weight = 0;
    factorise(s, set, ridge, l);
    for (uint32_t i = 0; i < set->count; ++i) {
        z[i] = s->g[set->at[i]];
        ones[i] = 1;
    }
    solve_factored(set, l, z);
    solve_factored(set, l, ones);
    for (uint32_t i = 0; i < set->count; ++i) {
        sum += z[i];
        weight += ones[i];
    }
    for (uint32_t i = 0; i < set->count; ++i) {
        z[i] += ones[i] * (1 - sum) / weight;
    }
}

/// Moves w toward z until the first entry reaches 0, and removes zero entries from the set. True
/// when z is reached.
static bool move_toward(passive *set, const double *z, double *w)
{
    double fraction = 1;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < set->count; ++i) {
        const double now = w[set->at[i]];
        if (!(z[i] > 0) && now - z[i] > 0 && now / (now - z[i]) < fraction) {
            fraction = now / (now - z[i]);
            first = i;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        double *now = &w[set->at[i]];
        *now += fraction * (z[i] - *now);
        if (i == first || !(*now > 0)) {
            *now = 0;
        } else {
            set->at[kept++] = set->at[i];
        }
    }
    const bool reached = first == UINT32_MAX && kept == set->count;
    set->count = kept;
    return reached;
}

static double half_gradient(const lmbi_simplex *s, const passive *set, uint32_t i, const double *w)
{
    double sum = -s->g[i];
    for (uint32_t k = 0; k < set->count; ++k) {
        sum += s->h[i][set->at[k]] * w[set->at[k]];
    }
    return sum;
}

/// The open zero entry that lowers f most, or UINT32_MAX at the minimum.
static uint32_t find_entering(const lmbi_simplex *s, uint32_t open, const passive *set,
                              const double *w, double slack)
{
    double level = 0, best = 0;
    uint32_t at = UINT32_MAX;
    for (uint32_t k = 0; k < set->count; ++k) {
        level += w[set->at[k]] * half_gradient(s, set, set->at[k], w);
        open &= ~(1u << set->at[k]);
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        const double gain = open >> i & 1 ? level - half_gradient(s, set, i, w) : 0;
        if (gain > slack && gain > best) {
            best = gain;
            at = i;
        }
    }
    return at;
}

static uint32_t best_alone(const lmbi_simplex *s, uint32_t open)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->count; ++i) {
        if ((open >> i & 1) &&
            (best == UINT32_MAX || s->h[i][i] - 2 * s->g[i] < s->h[best][best] - 2 * s->g[best])) {
            best = i;
        }
    }
    return best;
}

/// The open entries of w, scaled to sum 1, or the best single entry.
static passive initial_set(const lmbi_simplex *s, uint32_t open, double *w)
{
    passive set = {0};
    double sum = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        w[i] = open >> i & 1 ? w[i] : 0;
        sum += w[i];
    }
    if (!(sum > 0)) {
        w[best_alone(s, open)] = sum = 1;
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        w[i] /= sum;
        if (w[i] > 0) {
            set.at[set.count++] = i;
        }
    }
    return set;
}

/// The minimum over the entries of a set, which may shrink.
static void minimise_over_set(const lmbi_simplex *s, passive *set, double ridge, double *w)
{
    double z[WIDTH];
    do {
        solve_equal(s, set, ridge, z);
    } while (!move_toward(set, z, w) && set->count > 1);
}

double lmbi_simplex_solve(const lmbi_simplex *s, uint32_t open, double *w)
{
    const double scale = scale_of(s);
    passive set = initial_set(s, open, w);
    minimise_over_set(s, &set, RIDGE * scale, w);
    // Rounding could make an entry enter and leave forever; three rounds per entry suffice.
    for (uint32_t round = 0; round < 3 * s->count; ++round) {
        const uint32_t next = find_entering(s, open, &set, w, SLACK * scale);
        if (next == UINT32_MAX) {
            break;
        }
        set.at[set.count++] = next;
        minimise_over_set(s, &set, RIDGE * scale, w);
    }
    return lmbi_simplex_value(s, w);
}

static uint32_t support(const lmbi_simplex *s, const double *w, uint32_t *out_count)
{
    uint32_t open = 0;
    *out_count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (w[i] > 0) {
            open |= 1u << i;
            ++*out_count;
        }
    }
    return open;
}

/// The entries of `open` whose removal is likely to cost least: those with the smallest w_i^2 h_ii,
/// what the entry contributes by itself (Le & Deng 2012, eq. 5). Returns how many.
static uint32_t find_weakest(const lmbi_simplex *s, uint32_t open, const double *w,
                             uint32_t weakest[TRIED])
{
    double costs[TRIED];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (!(open >> i & 1)) {
            continue;
        }
        const double cost = w[i] * w[i] * s->h[i][i];
        uint32_t at = count < TRIED ? count++ : TRIED;
        for (; at > 0 && costs[at - 1] > cost; --at) {
            if (at < TRIED) {
                costs[at] = costs[at - 1];
                weakest[at] = weakest[at - 1];
            }
        }
        if (at < TRIED) {
            costs[at] = cost;
            weakest[at] = i;
        }
    }
    return count;
}

double lmbi_simplex_sparse(const lmbi_simplex *s, uint32_t most, double *w)
{
    double value = lmbi_simplex_solve(s, UINT32_MAX, w), best[WIDTH], tried[WIDTH];
    uint32_t count, open = support(s, w, &count);
    while (count > most) {
        uint32_t weakest[TRIED];
        const uint32_t tries = find_weakest(s, open, w, weakest);
        value = (double)INFINITY;
        for (uint32_t k = 0; k < tries; ++k) {
            memcpy(tried, w, s->count * sizeof *tried);
            const double without = lmbi_simplex_solve(s, open & ~(1u << weakest[k]), tried);
            if (without < value) {
                value = without;
                memcpy(best, tried, s->count * sizeof *best);
            }
        }
        memcpy(w, best, s->count * sizeof *w);
        open = support(s, w, &count);
    }
    return value;
}
