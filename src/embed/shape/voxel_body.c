/// A mesh as a solid of voxels: those that its surface touches and encloses.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

void lmbi_body_destroy(lmbi_voxel_body *body)
{
    lmbi_free(body->alloc, body->cells);
    lmbi_free(body->alloc, body->depth);
    lmbi_free(body->alloc, body->solid);
    lmbi_free(body->alloc, body->at);
    lmbi_free(body->alloc, body->geodesic);
    lmbi_free(body->alloc, body->previous);
    *body = (lmbi_voxel_body){.alloc = body->alloc};
}

/// The flood fill from outside needs a free layer to start from.
static void clear_border(const lmbi_grid *g, uint8_t *cells)
{
    for (int32_t k = 0; k < g->nz; ++k) {
        for (int32_t j = 0; j < g->ny; ++j) {
            if (k == 0 || j == 0 || k == g->nz - 1 || j == g->ny - 1) {
                memset(cells + lmbi_grid_index(g, 0, j, k), 0, (size_t)g->nx);
            }
            cells[lmbi_grid_index(g, 0, j, k)] = cells[lmbi_grid_index(g, g->nx - 1, j, k)] = 0;
        }
    }
}

static lmb_result fill_solid(const lmbi_voxel_body *body, const lmbi_triangle_soup *soup,
                             int open_axis, lmb_error *error)
{
    lmbi_voxels_mark(&body->grid, soup->positions, soup->triangles, soup->triangle_count,
                     body->cells);
    clear_border(&body->grid, body->cells);
    return lmbi_voxels_fill(&body->grid, open_axis, body->cells, body->alloc, error);
}

static lmb_result list_solid(lmbi_voxel_body *body, lmb_error *error)
{
    const size_t count = lmbi_grid_count(&body->grid);
    uint32_t n = 0;
    for (size_t v = 0; v < count; ++v) {
        n += body->cells[v] != 0;
    }
    if (n == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with solid voxels", "none");
    }
    body->solid = lmbi_alloc_array(body->alloc, n, sizeof(uint32_t));
    body->at = lmbi_alloc_array(body->alloc, n, sizeof *body->at);
    if (!body->solid || !body->at) {
        return lmbi_fail_memory(error);
    }
    double sum[3] = {0, 0, 0};
    for (size_t v = 0; v < count; ++v) {
        if (body->cells[v]) {
            const lmb_vec3 p = lmbi_grid_center(&body->grid, v);
            sum[0] += (double)p.x;
            sum[1] += (double)p.y;
            sum[2] += (double)p.z;
            body->at[body->solid_count] = p;
            body->solid[body->solid_count++] = (uint32_t)v;
        }
    }
    body->centroid = lmb_vec3_make((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
    return LMB_OK;
}

/// Chooses a deep voxel near the centroid; the score still works where the centroid lies in the
/// air.
static void choose_center(lmbi_voxel_body *body)
{
    float best = -1e30f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const uint32_t v = body->solid[s];
        const float away = lmb_vec3_distance(body->at[s], body->centroid) / body->grid.cell;
        const float score = body->depth[v] - 2.0f * away;
        if (score > best) {
            best = score;
            body->center = v;
        }
    }
}

lmb_result lmbi_body_find_distances(lmbi_voxel_body *body, lmb_error *error)
{
    const lmbi_geodesic_job job = {.grid = &body->grid,
                                   .cells = body->cells,
                                   .seeds = &body->center,
                                   .seed_count = 1,
                                   .out_distance = body->geodesic,
                                   .out_previous = body->previous};
    return lmbi_geodesic(&job, body->alloc, error);
}

lmb_result lmbi_body_find_center(lmbi_voxel_body *body, lmb_error *error)
{
    choose_center(body);
    const lmb_result result = lmbi_body_find_distances(body, error);
    if (result != LMB_OK) {
        lmbi_body_destroy(body);
    }
    return result;
}

float lmbi_body_slimness(const lmbi_voxel_body *body)
{
    float far = 0, deep = 0;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        far = fmaxf(far, body->geodesic[body->solid[k]]);
        deep = fmaxf(deep, body->depth[body->solid[k]]);
    }
    return far / fmaxf(deep, 0.5f);
}

uint32_t lmbi_body_nearest_voxel(const lmbi_voxel_body *body, lmb_vec3 p)
{
    uint32_t best = body->center;
    float least = 1e30f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float d = lmb_vec3_distance(body->at[s], p);
        if (d < least && body->geodesic[body->solid[s]] >= 0) {
            least = d;
            best = body->solid[s];
        }
    }
    return best;
}

bool lmbi_body_is_near(const lmbi_voxel_body *body, lmb_vec3 p)
{
    bool found = false;
    for (int n = 0; n < 27 && !found; ++n) {
        const lmb_vec3 step = {(float)(n % 3 - 1), (float)(n / 3 % 3 - 1), (float)(n / 9 - 1)};
        const lmb_vec3 at = lmb_vec3_mad(p, step, body->grid.cell);
        found = body->cells[lmbi_grid_voxel_at(&body->grid, at)] != 0;
    }
    return found;
}

// ---- creating

static lmb_result allocate(lmbi_voxel_body *body, lmb_error *error)
{
    const size_t count = lmbi_grid_count(&body->grid);
    body->cells = lmbi_alloc_array(body->alloc, count, 1);
    body->depth = lmbi_alloc_unset(body->alloc, count, sizeof(float));
    body->geodesic = lmbi_alloc_unset(body->alloc, count, sizeof(float));
    body->previous = lmbi_alloc_array(body->alloc, count, sizeof(uint32_t));
    return body->cells && body->depth && body->geodesic && body->previous ? LMB_OK
                                                                          : lmbi_fail_memory(error);
}

/// Connects the separate pieces to one solid and computes depths and the list of solid voxels.
static lmb_result connect_pieces(lmbi_voxel_body *body, lmb_error *error)
{
    lmb_result result = lmbi_voxels_connect(&body->grid, 24, 4.0f, body->cells, body->alloc, error);
    if (result == LMB_OK) {
        result = lmbi_distance_transform(&body->grid, body->cells, body->depth, body->alloc, error);
    }
    return result == LMB_OK ? list_solid(body, error) : result;
}

lmb_result lmbi_body_create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                               int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                               lmb_error *error)
{
    *out = (lmbi_voxel_body){.alloc = alloc};
    lmb_result result = lmbi_grid_around(box, cell, 2, &out->grid, error);
    if (result == LMB_OK) {
        result = allocate(out, error);
    }
    if (result == LMB_OK) {
        result = fill_solid(out, soup, open_axis, error);
    }
    if (result == LMB_OK) {
        result = connect_pieces(out, error);
    }
    if (result != LMB_OK) {
        lmbi_body_destroy(out);
    }
    return result;
}
