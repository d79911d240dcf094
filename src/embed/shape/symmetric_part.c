/// Removes voxels without a mirror image: swords, staffs, shields, bags. The mirror plane is the
/// one that best balances depth, which props hardly move since they are thin.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// How far from the exact mirror image a voxel's counterpart may lie, in units: bodies are never
/// quite symmetric.
static const float SLACK = 0.02f;
/// If less than LEAST_KEPT is symmetric the body has no mirror plane; if more than MOST_KEPT is,
/// there is nothing to remove.
static const float LEAST_KEPT = 0.6f, MOST_KEPT = 0.998f;

typedef struct plane {
    lmb_vec3 normal;
    float offset, miss;
} plane;

/// Mean position weighted by squared depth: props are thin and count little.
static lmb_vec3 deep_middle(const lmbi_voxel_body *body)
{
    double sum[3] = {0, 0, 0}, weights = 0;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = lmbi_grid_center(&body->grid, body->solid[s]);
        const double depth = (double)body->depth[body->solid[s]], weight = depth * depth;
        sum[0] += weight * (double)p.x;
        sum[1] += weight * (double)p.y;
        sum[2] += weight * (double)p.z;
        weights += weight;
    }
    const double per = 1 / fmax(weights, 1e-9);
    return lmb_vec3_make((float)(sum[0] * per), (float)(sum[1] * per), (float)(sum[2] * per));
}

static void try_plane(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 normal, lmb_vec3 middle,
                      plane *best)
{
    plane p = {.normal = normal, .offset = lmb_vec3_dot(middle, normal)};
    p.miss = lmbi_mirror_refine(body, up, &p.normal, &p.offset);
    *best = p.miss < best->miss ? p : *best;
}

/// The best mirror plane that contains an axis that files use as up; refined from x = 0 for an
/// upright body.
static plane find_plane(const lmbi_voxel_body *body, bool upright)
{
    const lmb_vec3 middle = deep_middle(body), y = {0, 1, 0}, z = {0, 0, 1}, x = {1, 0, 0};
    const float half = 0.70710678f;
    plane best = {.normal = x, .miss = INFINITY};
    if (upright) {
        try_plane(body, y, x, lmb_vec3_make(0, 0, 0), &best);
        return best;
    }
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 up = k == 0 ? y : z, front = k == 0 ? z : y;
        try_plane(body, up, x, middle, &best);
        try_plane(body, up, front, middle, &best);
        for (int s = -1; s <= 1; s += 2) {
            const lmb_vec3 between = {half, (float)s * half * front.y, (float)s * half * front.z};
            try_plane(body, up, between, middle, &best);
        }
    }
    return best;
}

static bool is_solid_at(const lmbi_voxel_body *body, lmb_vec3 p)
{
    return body->cells[lmbi_grid_voxel_at(&body->grid, p)] != 0;
}

/// Whether there is a solid voxel at the mirror image of a point, or close to it.
static bool has_counterpart(const lmbi_voxel_body *body, const plane *m, lmb_vec3 p)
{
    const lmb_vec3 image =
        lmb_vec3_mad(p, m->normal, -2 * (lmb_vec3_dot(p, m->normal) - m->offset));
    if (is_solid_at(body, image)) {
        return true;
    }
    for (int n = 0; n < 27; ++n) {
        const lmb_vec3 d = {(float)(n % 3 - 1), (float)(n / 3 % 3 - 1), (float)(n / 9 - 1)};
        if (is_solid_at(body, lmb_vec3_mad(image, d, SLACK))) {
            return true;
        }
    }
    return false;
}

lmb_result lmbi_body_keep_symmetric(const lmbi_voxel_body *body, bool upright, bool *out_less,
                                    lmbi_voxel_body *out, lmb_error *error)
{
    *out_less = false;
    const plane m = find_plane(body, upright);
    uint8_t *cells = lmbi_alloc_array(body->alloc, lmbi_grid_count(&body->grid), 1);
    if (!cells) {
        return lmbi_fail_memory(error);
    }
    memcpy(cells, body->cells, lmbi_grid_count(&body->grid));
    uint32_t kept = 0;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const uint32_t v = body->solid[s];
        cells[v] = has_counterpart(body, &m, lmbi_grid_center(&body->grid, v)) ? cells[v] : 0;
        kept += cells[v] != 0;
    }
    const float fraction = (float)kept / (float)body->solid_count;
    if (fraction < LEAST_KEPT || fraction > MOST_KEPT) {
        lmbi_free(body->alloc, cells);
        return LMB_OK;
    }
    lmb_result result = lmbi_body_create_from_cells(&body->grid, cells, body->alloc, out, error);
    result = result == LMB_OK ? lmbi_body_find_center(out, error) : result;
    *out_less = result == LMB_OK;
    return result;
}
