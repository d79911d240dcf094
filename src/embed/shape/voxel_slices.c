#include "embed/shape/voxel_body.h"
#include "geometry/volume.h"

static int32_t column_at(float x, float low, float cell, int32_t count)
{
    const int32_t i = (int32_t)((x - low) / cell);
    return x < low ? 0 : i >= count ? count - 1 : i;
}

float lmbi_column_depth(const lmbi_voxel_body *body, float x, float y)
{
    const lmbi_grid *g = &body->grid;
    const int32_t i = column_at(x, g->low.x, g->cell, g->nx),
                  j = column_at(y, g->low.y, g->cell, g->ny);
    float deepest = 0;
    for (int32_t k = 0; k < g->nz; ++k) {
        const float d = body->depth[lmbi_grid_index(g, i, j, k)];
        deepest = d > deepest ? d : deepest;
    }
    return deepest * g->cell;
}

bool lmbi_slice_center(const lmbi_voxel_body *body, float y, float x0, float x1, lmb_vec3 *out)
{
    const lmbi_grid *g = &body->grid;
    const int32_t j = column_at(y, g->low.y, g->cell, g->ny);
    const int32_t i0 = column_at(x0, g->low.x, g->cell, g->nx),
                  i1 = column_at(x1, g->low.x, g->cell, g->nx);
    // Weighted by the cube of depth, so that the center varies smoothly with the shape and thin
    // cloth and straps count little.
    double sum = 0, sx = 0, sz = 0;
    for (int32_t i = i0; i <= i1; ++i) {
        for (int32_t k = 0; k < g->nz; ++k) {
            const float d = body->depth[lmbi_grid_index(g, i, j, k)];
            const double weight = (double)(d * d * d);
            sum += weight;
            sx += weight * (double)(g->low.x + g->cell * ((float)i + 0.5f));
            sz += weight * (double)(g->low.z + g->cell * ((float)k + 0.5f));
        }
    }
    if (!(sum > 0)) {
        return false;
    }
    *out = lmb_vec3_make((float)(sx / sum), y, (float)(sz / sum));
    return true;
}

lmb_vec3 lmbi_slice_near(const lmbi_voxel_body *body, lmb_vec3 guess, float radius)
{
    const lmbi_grid *g = &body->grid;
    const int32_t j = column_at(guess.y, g->low.y, g->cell, g->ny);
    for (int round = 0; round < 2; ++round) {
        double sum = 0, sx = 0, sz = 0;
        for (int32_t k = 0; k < g->nz; ++k) {
            for (int32_t i = 0; i < g->nx; ++i) {
                const float x = g->low.x + g->cell * ((float)i + 0.5f) - guess.x,
                            z = g->low.z + g->cell * ((float)k + 0.5f) - guess.z;
                const float near = 1 - (x * x + z * z) / (4 * radius * radius);
                if (near > 0 && body->cells[lmbi_grid_index(g, i, j, k)]) {
                    const double weight = (double)(near * near * near);
                    sum += weight;
                    sx += weight * (double)x;
                    sz += weight * (double)z;
                }
            }
        }
        guess.x += sum > 0 ? (float)(sx / sum) : 0;
        guess.z += sum > 0 ? (float)(sz / sum) : 0;
    }
    return guess;
}
