#include "rig/symmetry.h"
#include "geometry/tree.h"
#include "linalg/linalg.h"

#include <math.h>

typedef struct fit {
    const lmb_surface *surface;
    const lmbi_tree *tree;
    float reach; ///< largest distance from an image to the surface
    uint32_t stride;
} fit;

static const uint32_t SAMPLES = 1000;

/// Mean distance from the mirror images of some vertices to the surface.
static double mean_error(const fit *f, lmbi_mirror_plane plane)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < f->surface->vertex_count; v += f->stride, ++count) {
        lmb_vec3 image = lmbi_plane_image(plane, f->surface->positions[v]);
        lmbi_closest c = lmbi_tree_closest(f->tree, image, f->reach);
        sum += (double)(c.triangle == UINT32_MAX ? f->reach : c.distance);
    }
    return count ? sum / count : 0;
}

typedef struct moments {
    double count, p[3], q[3], pq[3][3];
} moments;

static moments sum_moments(const fit *f, lmbi_mirror_plane plane)
{
    moments m = {0};
    for (uint32_t v = 0; v < f->surface->vertex_count; v += f->stride) {
        lmb_vec3 p = f->surface->positions[v];
        lmbi_closest c = lmbi_tree_closest(f->tree, lmbi_plane_image(plane, p), f->reach);
        if (c.triangle == UINT32_MAX) {
            continue;
        }
        const double a[3] = {(double)p.x, (double)p.y, (double)p.z};
        const double b[3] = {(double)c.point.x, (double)c.point.y, (double)c.point.z};
        m.count += 1;
        for (int i = 0; i < 3; ++i) {
            m.p[i] += a[i];
            m.q[i] += b[i];
            for (int j = 0; j < 3; ++j) {
                m.pq[i][j] += a[i] * b[j];
            }
        }
    }
    return m;
}

/// The least-squares reflection of points p to their partners q: about the means, the unit n that
/// minimises n^T (sum of p q^T) n, and the offset halfway between the means.
static lmbi_mirror_plane best_plane(const moments *m, lmbi_mirror_plane before)
{
    double a[3][3], values[3], vectors[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            double cross = m->pq[i][j] - m->p[i] * m->q[j] / m->count;
            double other = m->pq[j][i] - m->p[j] * m->q[i] / m->count;
            a[i][j] = a[j][i] = 0.5 * (cross + other);
        }
    }
    lmbi_eigen3((const double(*)[3])a, values, vectors);
    const double *n = vectors[2];
    lmbi_mirror_plane plane = {{(float)n[0], (float)n[1], (float)n[2]}, 0};
    double offset = 0;
    for (int i = 0; i < 3; ++i) {
        offset += n[i] * 0.5 * (m->p[i] + m->q[i]) / m->count;
    }
    plane.offset = (float)offset;
    if (lmb_vec3_dot(plane.normal, before.normal) < 0) {
        plane = (lmbi_mirror_plane){lmb_vec3_neg(plane.normal), -plane.offset};
    }
    return plane;
}

/// Iterated closest points, while the error falls.
static lmbi_mirror_plane refine(const fit *f, lmbi_mirror_plane plane, double *error)
{
    enum { ROUNDS = 12 };
    for (int round = 0; round < ROUNDS; ++round) {
        moments m = sum_moments(f, plane);
        if (m.count < 4) {
            break;
        }
        lmbi_mirror_plane next = best_plane(&m, plane);
        double now = mean_error(f, next);
        if (!(now < *error * 0.999)) {
            break;
        }
        plane = next;
        *error = now;
    }
    return plane;
}

lmbi_mirror_plane lmbi_symmetry_find(const lmb_surface *surface, const lmbi_tree *tree,
                                     float diagonal, const lmbi_mirror_plane *guesses,
                                     uint32_t guess_count)
{
    const fit f = {surface, tree, 0.05f * diagonal, 1 + surface->vertex_count / SAMPLES};
    const lmb_vec3 x = {1, 0, 0};
    lmbi_mirror_plane best = {guess_count && guesses[0].normal.x < 0 ? lmb_vec3_neg(x) : x, 0};
    // The plane x = 0 wins unless another one's error is less by a ten-thousandth of the size.
    double least = mean_error(&f, best) - 1e-4 * (double)diagonal;
    for (uint32_t k = 0; k < guess_count; ++k) {
        double error = mean_error(&f, guesses[k]);
        lmbi_mirror_plane plane = refine(&f, guesses[k], &error);
        if (error < least) {
            least = error;
            best = plane;
        }
    }
    return best;
}
