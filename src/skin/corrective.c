#include <math.h>

#include "limber/skin.h"
#include "linalg/linalg.h"

/// The blended matrix of one vertex in double precision: linear part by rows, and translation.
static void blend(const lmb_corrective_job *job, uint32_t v, double linear[3][3], double shift[3])
{
    const lmb_influences *rows = &job->mesh->influences;
    const lmb_influence alone = {0, 1.0f};
    const uint32_t size = rows->first[v + 1] - rows->first[v];
    for (int r = 0; r < 3; ++r) {
        shift[r] = linear[r][0] = linear[r][1] = linear[r][2] = 0;
    }
    for (uint32_t k = 0; k < (size > 0 ? size : 1); ++k) {
        const lmb_influence item = size > 0 ? rows->items[rows->first[v] + k] : alone;
        const float *m = job->model_from_bind[item.joint].m;
        const double w = (double)item.weight;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                linear[r][c] += w * (double)m[4 * c + r];
            }
            shift[r] += w * (double)m[12 + r];
        }
    }
}

/// The smallest d with M d = b. If M is nearly singular, the solution is damped in all directions
/// (Tikhonov).
static lmb_vec3 solve(double linear[3][3], const double b[3])
{
    double u[3][3], s[3], v[3][3], out[3] = {0, 0, 0};
    lmbi_svd3((const double(*)[3])linear, u, s, v);
    const double damping = fabs(s[2]) < 0.05 ? 1e-3 : 0;
    for (int k = 0; k < 3; ++k) {
        const double along = u[0][k] * b[0] + u[1][k] * b[1] + u[2][k] * b[2];
        const double bottom = s[k] * s[k] + damping;
        for (int r = 0; r < 3 && bottom > 0; ++r) {
            out[r] += v[r][k] * along * s[k] / bottom;
        }
    }
    return lmb_vec3_make((float)out[0], (float)out[1], (float)out[2]);
}

void lmb_corrective(const lmb_corrective_job *job)
{
    const lmb_vec3 *rest = job->positions != NULL ? job->positions : job->mesh->positions;
    for (uint32_t v = 0; v < job->mesh->vertex_count; ++v) {
        double linear[3][3], shift[3], b[3];
        blend(job, v, linear, shift);
        const double p[3] = {(double)rest[v].x, (double)rest[v].y, (double)rest[v].z};
        const double want[3] = {(double)job->sculpted[v].x, (double)job->sculpted[v].y,
                                (double)job->sculpted[v].z};
        for (int r = 0; r < 3; ++r) {
            b[r] = want[r] -
                   (linear[r][0] * p[0] + linear[r][1] * p[1] + linear[r][2] * p[2] + shift[r]);
        }
        job->out_displacements[v] = solve(linear, b);
    }
}
