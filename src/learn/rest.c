/// The rest shape from weights and bones: each point where its blended transforms bring it nearest to
/// its frames, a 3 x 3 least-squares problem (Kavan, Sloan, O'Sullivan 2010, section 4.3).
#include <math.h>
#include <string.h>

#include "learn/learn.h"
#include "linalg/linalg.h"

/// Weight of the previous position, as a fraction of the trace, where the bones leave it
/// undetermined.
static const double PREVIOUS_WEIGHT = 1e-6;

/// The blended transform of a point in a frame, [3][4].
static void blend(const lmbi_learn *p, size_t point, size_t frame, double out[12])
{
    const uint32_t *bones = p->row_bones + point * p->influences;
    const double *weights = p->row_weights + point * p->influences;
    memset(out, 0, 12 * sizeof *out);
    for (uint32_t k = 0; k < p->influences && weights[k] > 0; ++k) {
        for (uint32_t e = 0; e < 12; ++e) {
            out[e] += weights[k] * lmbi_learn_bone(p, bones[k], e)[frame];
        }
    }
}

/// Sums B^T B and B^T (v - t) over the frames, with B the linear part of the blended transform.
static void sum_equations(const lmbi_learn *p, size_t point, double a[9], double b[3])
{
    const size_t m = p->frame_count;
    memset(a, 0, 9 * sizeof *a);
    memset(b, 0, 3 * sizeof *b);
    for (size_t f = 0; f < m; ++f) {
        double t[12];
        blend(p, point, f, t);
        for (size_t r = 0; r < 3; ++r) {
            const double v = (double)p->positions[(3 * point + r) * m + f] - t[4 * r + 3];
            for (size_t c = 0; c < 3; ++c) {
                b[c] += t[4 * r + c] * v;
                for (size_t d = 0; d < 3; ++d) {
                    a[3 * c + d] += t[4 * r + c] * t[4 * r + d];
                }
            }
        }
    }
}

static void solve_points(void *context, size_t begin, size_t end)
{
    const lmbi_learn *p = context;
    for (size_t i = begin; i < end; ++i) {
        double a[9], b[3], *rest = p->rest + 3 * i;
        sum_equations(p, i, a, b);
        const double previous = PREVIOUS_WEIGHT * (a[0] + a[4] + a[8]);
        for (size_t c = 0; c < 3; ++c) {
            a[4 * c] += previous;
            b[c] += previous * rest[c];
        }
        if (lmbi_dense_solve(a, 3, b, 1, NULL) == LMB_OK) {
            memcpy(rest, b, sizeof b);
        }
    }
}

void lmbi_learn_solve_rest(lmbi_learn *p)
{
    lmb_parallel_for(p->opts.jobs, p->point_count, 64, solve_points, p);
}
