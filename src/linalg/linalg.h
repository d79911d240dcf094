/// Linear algebra: the sparse symmetric positive definite solve, and the eigenvalues, singular
/// values and polar factor of 3x3 matrices.
/// Double precision, the same bits on every machine and for any number of workers.
#ifndef LINALG_LINALG_H
#define LINALG_LINALG_H

#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

// ----------------------------------------------------------------------------------------- sparse

/// A symmetric matrix by its lower triangle, diagonal included, in compressed columns: the entries
/// of column j are values[first[j] .. first[j + 1]) in the ascending rows rows[...], with
/// rows[first[j]] == j.
typedef struct lmbi_sparse {
    uint32_t size;
    uint32_t *first; ///< [size + 1]
    uint32_t *rows;
    double *values;
} lmbi_sparse;

/// y = A x, for `count` vectors, [count][size] each.
void lmbi_sparse_multiply(const lmbi_sparse *matrix, const double *x, uint32_t count, double *y);

/// A fill-reducing elimination order: out_order[k] is the column eliminated k-th (approximate
/// minimum degree, Amestoy, Davis, Duff 1996).
/// Errors: MEMORY; INVALID when the matrix breaks the rules above.
lmb_result lmbi_sparse_order(const lmbi_sparse *matrix, const lmb_allocator *alloc,
                             uint32_t *out_order, lmb_error *error);

/// P A P^T = L L^T, for repeated solves.
typedef struct lmbi_factor lmbi_factor;

typedef struct lmbi_factor_opts {
    /// limit of the factor's entries in bytes, beyond which it fails with MEMORY; 0: none
    size_t memory_limit;
} lmbi_factor_opts;

/// Orders and factors. `opts` and `alloc` may be NULL; the matrix may be destroyed afterwards.
/// Errors: INVALID when the matrix breaks the rules of lmbi_sparse or is not positive definite (the
/// message names the column); MEMORY.
lmb_result lmbi_factor_create(const lmbi_sparse *matrix, const lmbi_factor_opts *opts,
                              const lmb_allocator *alloc, lmbi_factor **out, lmb_error *error);
void lmbi_factor_destroy(lmbi_factor *factor);
/// Entries of L, without the diagonal.
size_t lmbi_factor_entry_count(const lmbi_factor *factor);
/// Solves A x = b for `count` right-hand sides in place: x holds b, [count][size], and receives the
/// solutions.
/// Errors: MEMORY.
lmb_result lmbi_factor_solve(const lmbi_factor *factor, double *x, uint32_t count,
                             const lmb_jobs *jobs, lmb_error *error);

// ------------------------------------------------------------------------------------------ dense

/// Solves A x = b for `count` right-hand sides by LU with partial pivoting. a[size][size] by rows
/// is overwritten; b[size][count] (the right-hand sides are its columns) receives the solutions.
/// Errors: INVALID when a pivot is below 1e-14 times the greatest entry of its column, or not
/// finite; b is then partly overwritten.
lmb_result lmbi_dense_solve(double *a, uint32_t size, double *b, uint32_t count, lmb_error *error);
/// Eigenvalues, descending, and eigenvectors of the symmetric a[size][size], of which the lower
/// triangle is read: vectors[k][...] is the unit vector of values[k]. Householder's reduction and
/// the implicit QL method (Martin, Reinsch, Wilkinson 1968). `vectors` may not be `a`. Errors:
/// INVALID when it does not converge, which finite input always does; MEMORY.
lmb_result lmbi_dense_eigen(const double *a, uint32_t size, double *values, double *vectors,
                            const lmb_allocator *alloc, lmb_error *error);

// ------------------------------------------------------------------------------------ small dense

/// Eigenvalues, descending, and unit eigenvectors (vectors[k] belongs to values[k], right-handed)
/// of the symmetric matrix whose rows are a[0..2]; only the lower triangle is read. Cyclic Jacobi
/// rotations.
void lmbi_eigen3(const double a[3][3], double values[3], double vectors[3][3]);
/// a = u diag(s) v^T with rotations u and v (determinant +1), s[0] >= s[1] >= |s[2]|; s[2] has the
/// sign of det a.
/// Matrices are [row][column].
void lmbi_svd3(const double a[3][3], double u[3][3], double s[3], double v[3][3]);
/// The rotation nearest to a in the Frobenius norm: u v^T of lmbi_svd3.
void lmbi_polar3(const double a[3][3], double rotation[3][3]);

#endif
