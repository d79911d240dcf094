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
/// The minimum over the entries of which `open` has a bit. w[count] holds where to begin, 0 or
/// more, anywhere when nothing open is above 0, and receives the minimum. Returns f(w).
double lmbi_simplex_solve(const lmbi_simplex *s, uint32_t open, double *w);
/// The same over all entries with at most `most` weights above 0: one after another is taken away, each time the one
/// that is missed least.
double lmbi_simplex_sparse(const lmbi_simplex *s, uint32_t most, double *w);

#endif
