/// Eigenvalues, singular values and the nearest rotation of 3x3 matrices.
#include <math.h>

#include "linalg/linalg.h"

/// Cyclic Jacobi converges quadratically; symmetric 3x3 matrices need four or five rounds.
#define ROUNDS 12

static void swap_rows(double a[3][3], int i, int j)
{
    for (int k = 0; k < 3; ++k) {
        double t = a[i][k];
        a[i][k] = a[j][k];
        a[j][k] = t;
    }
}

static double determinant(double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/// Zeroes s[p][q] by a rotation in the plane of p and q (Golub, Van Loan, 8.5.2), and applies it to
/// the rows of v.
static void rotate(double s[3][3], double v[3][3], int p, int q)
{
    if (s[p][q] == 0) {
        return;
    }
    double tau = (s[q][q] - s[p][p]) / (2 * s[p][q]);
    double t = (tau >= 0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), sine = t * c;
    for (int k = 0; k < 3; ++k) {
        double x = s[k][p], y = s[k][q];
        s[k][p] = c * x - sine * y;
        s[k][q] = sine * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        double x = s[p][k], y = s[q][k];
        s[p][k] = c * x - sine * y;
        s[q][k] = sine * x + c * y;
        x = v[p][k], y = v[q][k];
        v[p][k] = c * x - sine * y;
        v[q][k] = sine * x + c * y;
    }
}

void lmbi_eigen3(const double a[3][3], double values[3], double vectors[3][3])
{
    double s[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s[i][j] = i >= j ? a[i][j] : a[j][i];
            vectors[i][j] = i == j ? 1 : 0;
        }
    }
    for (int round = 0; round < ROUNDS; ++round) {
        rotate(s, vectors, 0, 1);
        rotate(s, vectors, 0, 2);
        rotate(s, vectors, 1, 2);
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = s[i][i];
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 2 - pass; ++i) {
            if (values[i] < values[i + 1]) {
                double t = values[i];
                values[i] = values[i + 1];
                values[i + 1] = t;
                swap_rows(vectors, i, i + 1);
            }
        }
    }
    if (determinant(vectors) < 0) {
        for (int k = 0; k < 3; ++k) {
            vectors[2][k] = -vectors[2][k];
        }
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Scales to unit length; false if the vector is too short.
static bool normalize(double a[3], double least)
{
    double length = sqrt(dot(a, a));
    if (!(length > least)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        a[k] /= length;
    }
    return true;
}

/// A unit vector perpendicular to the unit vector a.
static void perpendicular(const double a[3], double out[3])
{
    double axis[3] = {0, 0, 0};
    axis[fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
         : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                              : 2] = 1;
    cross(a, axis, out);
    (void)normalize(out, 0);
}

/// Eigenvectors of a^T a give v; a v gives u s. The columns of u are orthogonalised in descending
/// order, so that a small or zero singular value does not spoil the rotation.
void lmbi_svd3(const double a[3][3], double u[3][3], double s[3], double v[3][3])
{
    double square[3][3], values[3], right[3][3], left[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            square[i][j] = a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j];
        }
    }
    lmbi_eigen3((const double(*)[3])square, values, right);
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) {
            left[c][i] = dot(a[i], right[c]);
        }
    }
    double largest = sqrt(values[0] > 0 ? values[0] : 0);
    if (!normalize(left[0], 0)) {
        left[0][0] = 1, left[0][1] = left[0][2] = 0;
    }
    double along = dot(left[0], left[1]);
    for (int k = 0; k < 3; ++k) {
        left[1][k] -= along * left[0][k];
    }
    if (!normalize(left[1], 1e-14 * largest)) {
        perpendicular(left[0], left[1]);
    }
    double third[3] = {left[2][0], left[2][1], left[2][2]}, first_image[3], second_image[3];
    cross(left[0], left[1], left[2]);
    for (int i = 0; i < 3; ++i) {
        first_image[i] = dot(a[i], right[0]);
        second_image[i] = dot(a[i], right[1]);
    }
    s[0] = dot(left[0], first_image);
    s[1] = dot(left[1], second_image);
    s[2] = dot(left[2], third);
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            u[i][c] = left[c][i];
            v[i][c] = right[c][i];
        }
    }
}

void lmbi_polar3(const double a[3][3], double rotation[3][3])
{
    double u[3][3], s[3], v[3][3];
    lmbi_svd3(a, u, s, v);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            rotation[i][j] = dot(u[i], v[j]);
        }
    }
}
