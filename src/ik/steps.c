/// One step of the Jacobian family from a dense Jacobian, in double precision.
#include <math.h>
#include <string.h>

#include "limber/ik.h"

/// J = U diag(sigma) V^T: `u` [rows][rows] with columns u_i, `v` [rows][columns] with rows v_i
/// (zero where sigma is).
typedef struct svd {
    double *u, *v, *sigma;
} svd;

size_t lmb_ik_step_scratch(uint32_t rows, uint32_t columns)
{
    const size_t r = rows, n = columns;
    return (2 * r * r + 3 * r + r * n + 2 * n) * sizeof(double);
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Jacobi rotation that makes rows p and q of `v` orthogonal. True when they were not.
static bool orthogonalise_rows(const svd *s, size_t p, size_t q, size_t rows, size_t columns)
{
    double *vp = s->v + p * columns, *vq = s->v + q * columns;
    const double pp = dot(vp, vp, columns), qq = dot(vq, vq, columns), pq = dot(vp, vq, columns);
    if (!(fabs(pq) > 1e-15 * sqrt(pp * qq))) {
        return false;
    }
    const double zeta = (qq - pp) / (2 * pq),
                 t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), z = c * t;
    for (size_t i = 0; i < columns; ++i) {
        const double a = vp[i], b = vq[i];
        vp[i] = c * a - z * b;
        vq[i] = z * a + c * b;
    }
    for (size_t i = 0; i < rows; ++i) {
        const double a = s->u[i * rows + p], b = s->u[i * rows + q];
        s->u[i * rows + p] = c * a - z * b;
        s->u[i * rows + q] = z * a + c * b;
    }
    return true;
}

/// One-sided Jacobi rotations (Hestenes 1958) of the rows of J.
static void decompose(const lmb_ik_step_job *job, const svd *s)
{
    const size_t rows = job->rows, columns = job->columns;
    memcpy(s->v, job->jacobian, rows * columns * sizeof(double));
    memset(s->u, 0, rows * rows * sizeof(double));
    for (size_t i = 0; i < rows; ++i) {
        s->u[i * rows + i] = 1;
    }
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 40; ++sweep) {
        rotated = false;
        for (size_t p = 0; p + 1 < rows; ++p) {
            for (size_t q = p + 1; q < rows; ++q) {
                rotated |= orthogonalise_rows(s, p, q, rows, columns);
            }
        }
    }
    for (size_t i = 0; i < rows; ++i) {
        double *v = s->v + i * columns;
        s->sigma[i] = sqrt(dot(v, v, columns));
        for (size_t j = 0; s->sigma[i] > 0 && j < columns; ++j) {
            v[j] /= s->sigma[i];
        }
    }
}

/// u_i . error
static double project_error(const lmb_ik_step_job *job, const svd *s, size_t i, const double *error)
{
    double sum = 0;
    for (size_t r = 0; r < job->rows; ++r) {
        sum += s->u[r * job->rows + i] * error[r];
    }
    return sum;
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    }
    return most;
}

/// e - J z, so that the step is J^+ (e - J z) + z = J^+ e + (I - J^+ J) z.
static void subtract_preferred(const lmb_ik_step_job *job, double *error)
{
    for (size_t r = 0; r < job->rows; ++r) {
        const double *row = job->jacobian + r * job->columns;
        error[r] = job->error[r] - (job->preferred ? dot(row, job->preferred, job->columns) : 0);
    }
}

static void add_preferred(const lmb_ik_step_job *job)
{
    for (size_t j = 0; job->preferred && j < job->columns; ++j) {
        job->step[j] += job->preferred[j];
    }
}

/// J^T e scaled by <e, J J^T e> / |J J^T e|^2, which is the best of that direction in first order.
static void step_transpose(const lmb_ik_step_job *job, double *image)
{
    const size_t n = job->columns;
    memset(job->step, 0, n * sizeof(double));
    for (size_t r = 0; r < job->rows; ++r) {
        for (size_t j = 0; j < n; ++j) {
            job->step[j] += job->jacobian[r * n + j] * job->error[r];
        }
    }
    for (size_t r = 0; r < job->rows; ++r) {
        image[r] = dot(job->jacobian + r * n, job->step, n);
    }
    const double square = dot(image, image, job->rows), by = dot(job->error, image, job->rows);
    for (size_t j = 0; j < n; ++j) {
        job->step[j] *= square > 0 ? by / square : 0;
    }
}

/// sum of v_i f(sigma_i) (u_i . e): f = 1 / sigma above the cutoff, or sigma / (sigma^2 +
/// lambda^2).
static void step_inverse(const lmb_ik_step_job *job, const svd *s, double *error)
{
    const double cutoff = (job->cutoff > 0 ? job->cutoff : 1e-3) * largest(s->sigma, job->rows);
    const double square = job->solver == LMB_IK_DAMPED ? job->damping * job->damping : 0;
    subtract_preferred(job, error);
    memset(job->step, 0, job->columns * sizeof(double));
    for (size_t i = 0; i < job->rows; ++i) {
        const double sigma = s->sigma[i];
        if (!(sigma > 0) || (job->solver != LMB_IK_DAMPED && sigma < cutoff)) {
            continue;
        }
        const double amount = project_error(job, s, i, error) * sigma / (sigma * sigma + square);
        for (size_t j = 0; j < job->columns; ++j) {
            job->step[j] += amount * s->v[i * job->columns + j];
        }
    }
    add_preferred(job);
}

/// Length of one end's rows in a column.
static double block_length(const double *first, size_t stride, size_t rows)
{
    double sum = 0;
    for (size_t r = 0; r < rows; ++r) {
        sum += first[r * stride] * first[r * stride];
    }
    return sqrt(sum);
}

static void clamp_largest(double *values, size_t count, double most)
{
    const double is = largest(values, count);
    for (size_t j = 0; is > most && j < count; ++j) {
        values[j] *= most / is;
    }
}

/// Buss & Kim 2005, section 5: the error that singular value i stands for, over the movement of the
/// ends that its step would cause; at most 1.
static double selective_gain(const lmb_ik_step_job *job, const svd *s, size_t i)
{
    const size_t block = job->block ? job->block : 3, n = job->columns;
    double should = 0, would = 0;
    for (size_t r = 0; r < job->rows; r += block) {
        const size_t rows = r + block <= job->rows ? block : job->rows - r;
        should += block_length(s->u + r * job->rows + i, job->rows, rows);
        for (size_t j = 0; j < n; ++j) {
            would += fabs(s->v[i * n + j]) * block_length(job->jacobian + r * n + j, n, rows);
        }
    }
    would /= s->sigma[i];
    return should < would ? should / would : 1;
}

static void step_selective(const lmb_ik_step_job *job, const svd *s, double *part)
{
    const double most = job->most_turn > 0 ? job->most_turn : 0.785398163397448,
                 floor = 1e-9 * largest(s->sigma, job->rows);
    memset(job->step, 0, job->columns * sizeof(double));
    for (size_t i = 0; i < job->rows; ++i) {
        if (!(s->sigma[i] > floor)) {
            continue;
        }
        const double amount = project_error(job, s, i, job->error) / s->sigma[i];
        for (size_t j = 0; j < job->columns; ++j) {
            part[j] = amount * s->v[i * job->columns + j];
        }
        clamp_largest(part, job->columns, most * selective_gain(job, s, i));
        for (size_t j = 0; j < job->columns; ++j) {
            job->step[j] += part[j];
        }
    }
    clamp_largest(job->step, job->columns, most);
}

void lmb_ik_step(const lmb_ik_step_job *job)
{
    double *at = job->scratch;
    const size_t rows = job->rows, columns = job->columns;
    double *row = at, *column = at + rows;
    if (job->solver == LMB_IK_TRANSPOSE) {
        step_transpose(job, row);
        return;
    }
    const svd s = {column + columns, column + columns + rows * rows,
                   column + columns + rows * rows + rows * columns};
    decompose(job, &s);
    if (job->solver == LMB_IK_SELECTIVE) {
        step_selective(job, &s, column);
    } else {
        step_inverse(job, &s, row);
    }
}
