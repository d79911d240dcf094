/// A mesh as a solid of voxels: those that its surface touches and encloses, or those whose centers it
/// encloses.
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

bool lmbi_body_is_near(const lmbi_voxel_body *body, lmb_vec3 p, int reach)
{
    const int side = 2 * reach + 1;
    bool found = false;
    for (int n = 0; n < side * side * side && !found; ++n) {
        const lmb_vec3 step = {(float)(n % side - reach), (float)(n / side % side - reach),
                               (float)(n / side / side - reach)};
        const lmb_vec3 at = lmb_vec3_mad(p, step, body->grid.cell);
        found = body->cells[lmbi_grid_voxel_at(&body->grid, at)] != 0;
    }
    return found;
}

// ---- columns and slices

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

// ---- by centers

/// Crossings of the surface with the rows of voxels along one axis. Positions are in cells, with
/// voxel centers at integers.
typedef struct rows {
    const lmbi_grid *grid;
    int axis;
    int32_t size[3];
    ptrdiff_t stride[3];
    /// [voxels] at the first voxel behind a crossing: entries minus exits
    int16_t *balance;
    uint8_t *any; ///< [rows] whether a row has crossings
} rows;

typedef struct corner {
    double along, u, v;
} corner;

static corner in_cells(const rows *r, lmb_vec3 p)
{
    const double scale = 1 / (double)r->grid->cell;
    const double x[3] = {((double)p.x - (double)r->grid->low.x) * scale - 0.5,
                         ((double)p.y - (double)r->grid->low.y) * scale - 0.5,
                         ((double)p.z - (double)r->grid->low.z) * scale - 0.5};
    return (corner){x[r->axis], x[(r->axis + 1) % 3], x[(r->axis + 2) % 3]};
}

/// Twice the signed area of the triangle (a, b, (u, v)). Its absolute value is the same from both
/// triangles at an edge.
static double edge_area(corner a, corner b, double u, double v)
{
    const bool swap = a.u > b.u || (!(a.u < b.u) && a.v > b.v);
    const corner p = swap ? b : a, q = swap ? a : b;
    const double area = (q.u - p.u) * (v - p.v) - (q.v - p.v) * (u - p.u);
    return swap ? -area : area;
}

static int32_t clamp_row(double x, int32_t size)
{
    return x < 0 ? 0 : x > (double)(size - 1) ? size - 1 : (int32_t)x;
}

/// The first voxel of a row.
static ptrdiff_t row_start(const rows *r, int32_t i, int32_t j)
{
    return (ptrdiff_t)i * r->stride[1] + (ptrdiff_t)j * r->stride[2];
}

static void cross_row(rows *r, const corner c[3], int32_t i, int32_t j)
{
    // Rows are slightly off the voxel centers, so that vertices of modelled meshes do not lie on a
    // row.
    const double u = (double)i + 1.37e-4, v = (double)j + 2.71e-4;
    const double a = edge_area(c[1], c[2], u, v), b = edge_area(c[2], c[0], u, v),
                 d = edge_area(c[0], c[1], u, v), sum = a + b + d;
    const bool left = a >= 0 && b >= 0 && d >= 0, right = a < 0 && b < 0 && d < 0;
    if ((!left && !right) || !(sum > 0 || sum < 0)) {
        return;
    }
    const double at = ceil((a * c[0].along + b * c[1].along + d * c[2].along) / sum);
    int16_t *balance = &r->balance[row_start(r, i, j) + clamp_row(at, r->size[0]) * r->stride[0]];
    *balance = (int16_t)(*balance + (left ? 1 : -1));
    r->any[(size_t)j * (size_t)r->size[1] + (size_t)i] = 1;
}

static void cross_triangle(rows *r, const lmb_vec3 p[3])
{
    const corner c[3] = {in_cells(r, p[0]), in_cells(r, p[1]), in_cells(r, p[2])};
    const double low_u = fmin(c[0].u, fmin(c[1].u, c[2].u)),
                 high_u = fmax(c[0].u, fmax(c[1].u, c[2].u)),
                 low_v = fmin(c[0].v, fmin(c[1].v, c[2].v)),
                 high_v = fmax(c[0].v, fmax(c[1].v, c[2].v));
    if (!(high_u >= 0 && high_v >= 0 && low_u < r->size[1] && low_v < r->size[2])) {
        return;
    }
    const int32_t from_u = clamp_row(floor(low_u), r->size[1]),
                  to_u = clamp_row(high_u, r->size[1]),
                  from_v = clamp_row(floor(low_v), r->size[2]),
                  to_v = clamp_row(high_v, r->size[2]);
    for (int32_t j = from_v; j <= to_v; ++j) {
        for (int32_t i = from_u; i <= to_u; ++i) {
            cross_row(r, c, i, j);
        }
    }
}

/// Votes start with three axes against every voxel. Takes the vote of one axis back where its row is
/// open or inconsistent, which abstains, and turns it where the voxel is inside: behind more entries
/// than exits, or of a row with more of one than the other, behind an odd number. Clears the row.
static void vote_row(const rows *r, ptrdiff_t start, int8_t *votes)
{
    int32_t total = 0, inside = 0;
    for (int32_t n = 0; n < r->size[0]; ++n) {
        total += r->balance[start + n * r->stride[0]];
    }
    const bool abstains = total % 2 != 0;
    for (int32_t n = 0; n < r->size[0]; ++n) {
        const ptrdiff_t voxel = start + n * r->stride[0];
        inside += r->balance[voxel];
        r->balance[voxel] = 0;
        const bool in = total == 0 ? inside != 0 : inside % 2 != 0;
        votes[voxel] = (int8_t)(votes[voxel] + (abstains ? 1 : in ? 2 : 0));
    }
}

static void vote_axis(rows *r, const lmbi_triangle_soup *soup, int8_t *votes)
{
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        const uint32_t *k = soup->triangles + 3 * (size_t)t;
        const lmb_vec3 p[3] = {soup->positions[k[0]], soup->positions[k[1]], soup->positions[k[2]]};
        cross_triangle(r, p);
    }
    for (int32_t j = 0; j < r->size[2]; ++j) {
        for (int32_t i = 0; i < r->size[1]; ++i) {
            uint8_t *any = &r->any[(size_t)j * (size_t)r->size[1] + (size_t)i];
            if (*any) {
                vote_row(r, row_start(r, i, j), votes);
            }
            *any = 0;
        }
    }
}

static void set_axis(rows *r, int axis)
{
    const int32_t size[3] = {r->grid->nx, r->grid->ny, r->grid->nz};
    const ptrdiff_t stride[3] = {1, r->grid->nx, (ptrdiff_t)r->grid->nx * r->grid->ny};
    r->axis = axis;
    for (int k = 0; k < 3; ++k) {
        r->size[k] = size[(axis + k) % 3];
        r->stride[k] = stride[(axis + k) % 3];
    }
}

static lmb_result trim_to_centers(const lmbi_voxel_body *body, const lmbi_triangle_soup *soup,
                                  lmb_error *error)
{
    const lmb_allocator *alloc = body->alloc;
    const size_t count = lmbi_grid_count(&body->grid);
    rows r = {.grid = &body->grid};
    r.balance = lmbi_alloc_array(alloc, count, sizeof *r.balance);
    r.any = lmbi_alloc_array(alloc, count, 1); // more than any axis has rows
    int8_t *votes = lmbi_alloc_array(alloc, count, sizeof *votes);
    const bool made = r.balance && r.any && votes;
    if (made) {
        memset(votes, -3, count);
        for (int axis = 0; axis < 3; ++axis) {
            set_axis(&r, axis);
            vote_axis(&r, soup, votes);
        }
        for (size_t v = 0; v < count; ++v) {
            // A voxel that the fill found inside becomes outside only if all three axes agree.
            const int against = body->cells[v] == LMB_VOXEL_INSIDE ? -3 : -1;
            body->cells[v] = votes[v] <= against ? LMB_VOXEL_OUTSIDE : body->cells[v];
        }
    }
    lmbi_free(alloc, r.balance);
    lmbi_free(alloc, r.any);
    lmbi_free(alloc, votes);
    return made ? LMB_OK : lmbi_fail_memory(error);
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

static lmb_result create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell, int open_axis,
                            bool trimmed, const lmb_allocator *alloc, lmbi_voxel_body *out,
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
    if (result == LMB_OK && trimmed) {
        result = trim_to_centers(out, soup, error);
    }
    if (result == LMB_OK) {
        result = connect_pieces(out, error);
    }
    if (result != LMB_OK) {
        lmbi_body_destroy(out);
    }
    return result;
}

lmb_result lmbi_body_create_in(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                               int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                               lmb_error *error)
{
    return create_in(soup, box, cell, open_axis, false, alloc, out, error);
}

lmb_result lmbi_body_create_trimmed(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                                    int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                                    lmb_error *error)
{
    return create_in(soup, box, cell, open_axis, true, alloc, out, error);
}
