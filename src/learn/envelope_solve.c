/// The coefficients: ridge regression toward linear blending, a row of a vertex at a time.
#include <math.h>
#include <string.h>

#include "learn/envelope.h"
#include "linalg/linalg.h"

enum { TERMS = LMBI_ENVELOPE_TERMS };

/// In mean squares of the terms.
const double lmbi_envelope_ridges[LMBI_RIDGES] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

/// In sizes of the mesh: smaller terms show nothing, and would ask for large coefficients.
static const double LEAST_TERM = 0.01;

/// Normal equations of one row: of what the linear weights miss.
typedef struct equations {
    uint32_t count;             ///< of terms
    double gram[TERMS * TERMS]; ///< [count][count]
    double right[TERMS];
    double scale; ///< mean square of a term, over all frames and rows, and LEAST_TERM's
} equations;

static double missed(const lmbi_enveloping *e, uint32_t vertex, const double *terms, double goal)
{
    const double *linear = e->linear + (size_t)vertex * LMB_ENVELOPE_INFLUENCES;
    for (uint32_t k = 0; k < TERMS; ++k) {
        goal -= linear[k / 4] * terms[k];
    }
    return goal;
}

static void sum_equations(const lmbi_enveloping *e, uint32_t vertex, equations out[3])
{
    const uint32_t reference = e->bones[(size_t)vertex * LMB_ENVELOPE_INFLUENCES];
    const lmb_vec3 unit =
        lmb_mat4_vector(e->g.bound.joint_from_bind[reference], lmb_vec3_make(1, 0, 0));
    const double least = LEAST_TERM * e->g.p.size * (double)lmb_vec3_length(unit);
    double scale = least * least * e->g.def.frame_count;
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t f = 0; f < e->g.def.frame_count; ++f) {
        double terms[3][TERMS], goal[3];
        lmbi_envelope_terms(e, vertex, e->g.learned[f], terms, goal);
        for (int r = 0; r < 3; ++r) {
            const uint32_t n = out[r].count = 4u * e->counts[vertex];
            const double left = missed(e, vertex, terms[r], goal[r]);
            for (uint32_t a = 0; a < n; ++a) {
                out[r].right[a] += terms[r][a] * left;
                scale += terms[r][a] * terms[r][a] / (3.0 * n);
                for (uint32_t b = 0; b < n; ++b) {
                    out[r].gram[a * n + b] += terms[r][a] * terms[r][b];
                }
            }
        }
    }
    for (int r = 0; r < 3; ++r) {
        out[r].scale = scale;
    }
}

/// inverse[count][count] of the normal equations with a ridge, and the departures from the linear
/// weights.
static bool solve_row(const equations *q, double ridge, double *inverse, double *solution)
{
    double work[TERMS * TERMS];
    const uint32_t n = q->count;
    memcpy(work, q->gram, sizeof work);
    memset(inverse, 0, sizeof work);
    memset(solution, 0, TERMS * sizeof *solution);
    for (uint32_t a = 0; a < n; ++a) {
        work[a * n + a] += ridge * q->scale;
        inverse[a * n + a] = 1;
    }
    if (!(q->scale > 0) || lmbi_dense_solve(work, n, inverse, n, NULL) != LMB_OK) {
        return false;
    }
    for (uint32_t a = 0; a < n; ++a) {
        for (uint32_t b = 0; b < n; ++b) {
            solution[a] += inverse[a * n + b] * q->right[b];
        }
    }
    return true;
}

/// Squared errors of the frames, each left out once: a residual over 1 less its leverage.
static double left_out(const lmbi_enveloping *e, uint32_t vertex, int row, uint32_t n,
                       const double *inverse, const double *solution)
{
    double sum = 0;
    for (uint32_t f = 0; f < e->g.def.frame_count; ++f) {
        double terms[3][TERMS], goal[3], leverage = 0;
        lmbi_envelope_terms(e, vertex, e->g.learned[f], terms, goal);
        double off = missed(e, vertex, terms[row], goal[row]);
        for (uint32_t a = 0; a < n; ++a) {
            off -= solution[a] * terms[row][a];
            for (uint32_t b = 0; b < n; ++b) {
                leverage += terms[row][a] * inverse[a * n + b] * terms[row][b];
            }
        }
        off /= fmax(1 - leverage, 1e-6);
        sum += off * off;
    }
    return sum;
}

static void try_ridges(void *context, size_t begin, size_t end)
{
    const lmbi_enveloping *e = context;
    for (size_t v = begin; v < end; ++v) {
        equations q[3];
        double inverse[TERMS * TERMS], solution[TERMS];
        sum_equations(e, (uint32_t)v, q);
        for (size_t k = 0; k < LMBI_RIDGES; ++k) {
            for (int r = 0; r < 3; ++r) {
                solve_row(&q[r], lmbi_envelope_ridges[k], inverse, solution);
                e->left_out[v * LMBI_RIDGES + k] +=
                    left_out(e, (uint32_t)v, r, q[r].count, inverse, solution);
            }
        }
    }
}

static void solve_vertices(void *context, size_t begin, size_t end)
{
    const lmbi_enveloping *e = context;
    for (size_t v = begin; v < end; ++v) {
        equations q[3];
        double inverse[TERMS * TERMS], solution[TERMS];
        sum_equations(e, (uint32_t)v, q);
        for (size_t r = 0; r < 3; ++r) {
            solve_row(&q[r], lmbi_envelope_ridges[e->ridge], inverse, solution);
            for (size_t k = 0; k < TERMS; ++k) {
                e->coefficients[(3 * v + r) * TERMS + k] =
                    (float)(e->linear[v * LMB_ENVELOPE_INFLUENCES + k / 4] + solution[k]);
            }
        }
    }
}

void lmbi_envelope_solve(lmbi_enveloping *e)
{
    const size_t n = e->g.bound.vertex_count;
    double least = (double)INFINITY;
    lmb_parallel_for(e->g.opts.jobs, n, 16, try_ridges, e);
    for (uint32_t k = 0; k < LMBI_RIDGES; ++k) {
        double sum = 0;
        for (size_t v = 0; v < n; ++v) {
            sum += e->left_out[v * LMBI_RIDGES + k];
        }
        if (sum < least) {
            least = sum;
            e->ridge = k;
        }
    }
    lmb_parallel_for(e->g.opts.jobs, n, 16, solve_vertices, e);
}
