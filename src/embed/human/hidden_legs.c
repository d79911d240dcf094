#include "embed/human/hidden_legs.h"
#include "geometry/volume.h"

#include <math.h>

/// What a figure costs whose legs are not seen.
static const float HIDDEN = 0.25f;
/// Half the distance between ankles, in heights, and no more than this share of the robe's width.
static const float HALF_STRIDE = 0.06f, SHARE = 0.5f;
/// The height over the ground where the robe is measured.
static const float HEM = 0.03f;

/// How far the solid reaches to both sides of x = 0 at the hem, and its middle along z.
static float measure_hem(const lmbi_voxel_body *body, float *middle)
{
    float low = 0, high = 0;
    double z = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const lmb_vec3 p = lmb_grid_center(&body->grid, body->solid[k]);
        if (p.y < HEM) {
            low = fminf(low, p.x);
            high = fmaxf(high, p.x);
            z += (double)p.z;
            ++count;
        }
    }
    *middle = count > 0 ? (float)(z / count) : 0;
    return fminf(-low, high);
}

/// The solid voxel nearest to a place.
static uint32_t nearest(const lmbi_voxel_body *body, lmb_vec3 p)
{
    uint32_t best = body->center;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const uint32_t v = body->solid[k];
        if (body->geodesic[v] >= 0 &&
            lmb_vec3_distance(lmb_grid_center(&body->grid, v), p) <
                lmb_vec3_distance(lmb_grid_center(&body->grid, best), p)) {
            best = v;
        }
    }
    return best;
}

void lmbi_hidden_legs(lmbi_figure *f)
{
    const lmbi_voxel_body *body = &f->body;
    float z;
    const float wide = measure_hem(body, &z), x = fminf(HALF_STRIDE, SHARE * wide);
    if (f->tip_count + 2 > LMBI_MAX_TIPS) {
        f->tip_count = LMBI_MAX_TIPS - 2; // the shortest go; hands are among the longest
    }
    for (uint32_t side = 0; side < 2; ++side) {
        const uint32_t v = nearest(body, lmb_vec3_make(side == 0 ? x : -x, 0.5f * HEM, z));
        const lmb_vec3 at = lmb_grid_center(&body->grid, v);
        const float reach = body->geodesic[v] * body->grid.cell;
        f->pose.foot[side] = f->tip_count;
        f->tips[f->tip_count++] = (lmbi_tip){
            .voxel = v, .position = at, .base = {0, 0.5f, 0}, .geodesic = reach, .length = reach};
    }
    f->pose.cost = HIDDEN + f->pose.hand_cost + f->pose.head_cost;
}
