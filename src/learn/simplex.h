/// Least squares on the simplex: the weights of one point.
#ifndef LEARN_SIMPLEX_H
#define LEARN_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

enum { LMBI_SIMPLEX_WIDTH = 24 };

/// f(w) = w^T h w - 2 g^T w over w >= 0 with sum 1; h is [count][LMBI_SIMPLEX_WIDTH], symmetric and
/// positive semi-definite, count from 1 to LMBI_SIMPLEX_WIDTH.
typedef struct lmbi_simplex {
    uint32_t count;
    double h[LMBI_SIMPLEX_WIDTH][LMBI_SIMPLEX_WIDTH], g[LMBI_SIMPLEX_WIDTH];
} lmbi_simplex;

double lmbi_simplex_value(const lmbi_simplex *s, const double *w);
/// The minimum over the entries with a bit in `open`. w[count] holds the initial guess, 0 or more
/// (anything when all open entries are 0), and receives the minimum. Returns f(w).
double lmbi_simplex_solve(const lmbi_simplex *s, uint32_t open, double *w);
/// The same over all entries with at most `most` positive weights: entries are removed one at a
/// time, each time the one whose removal costs least of the three that contribute least.
double lmbi_simplex_sparse(const lmbi_simplex *s, uint32_t most, double *w);

#endif
