/// Triangles without connectivity: bounds and moments, in a frame, as a welded surface.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/adjacency.h"

lmb_box lmbi_soup_bounds(const lmbi_triangle_soup *soup)
{
    const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return lmbi_soup_bounds_along(soup, axes);
}

lmb_box lmbi_soup_bounds_along(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3])
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        const lmb_vec3 p = soup->positions[soup->triangles[c]];
        box = lmb_box_add(box, lmbi_along_axes(p, axes));
    }
    return box;
}

lmb_result lmbi_soup_surface(const lmbi_triangle_soup *soup, bool keep_degenerate,
                             const lmb_allocator *alloc, lmb_surface **out, lmb_error *error)
{
    const lmb_surface_opts opts = {.keep_degenerate = keep_degenerate};
    const lmb_surface_part part = {.positions = soup->positions,
                                   .vertex_count = soup->position_count,
                                   .indices = soup->triangles,
                                   .index_count = 3 * soup->triangle_count};
    *out = NULL;
    return lmb_surface_create(&part, 1, &opts, alloc, out, error);
}

lmb_result lmbi_soup_find_closed(lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                 lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_adjacency *edges = NULL;
    lmb_result result = lmbi_soup_surface(soup, false, alloc, &surface, error);
    if (result == LMB_OK && surface->triangle_count > 0) {
        result = lmbi_adjacency_create(surface, alloc, &edges, error);
    }
    soup->closed = edges != NULL;
    for (uint32_t e = 0; soup->closed && e < edges->edge_count; ++e) {
        soup->closed = (edges->edge_first[e + 1] - edges->edge_first[e]) % 2 == 0;
    }
    lmbi_adjacency_destroy(edges);
    lmb_surface_destroy(surface);
    return result;
}

lmb_result lmbi_soup_in_frame(const lmbi_triangle_soup *soup, const lmbi_frame *frame,
                              const lmb_allocator *alloc, lmbi_triangle_soup *out,
                              lmb_vec3 **out_positions, lmb_error *error)
{
    lmb_vec3 *positions = lmbi_alloc_unset(alloc, soup->position_count, sizeof *positions);
    for (uint32_t p = 0; positions && p < soup->position_count; ++p) {
        positions[p] = lmbi_frame_to(frame, soup->positions[p]);
    }
    *out = *soup;
    out->positions = *out_positions = positions;
    return positions ? LMB_OK : lmbi_fail_memory(error);
}

void lmbi_soup_moments(const lmbi_triangle_soup *soup, double out[3][3])
{
    // Integral of x_i x_j over a triangle: its corners plus nine times its centroid, over 12.
    static const double share[4] = {1, 1, 1, 9};
    double area = 0, middle[3] = {0, 0, 0}, square[3][3] = {{0}};
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        double p[4][3];
        lmb_vec3 corner[3];
        for (size_t k = 0; k < 3; ++k) {
            corner[k] = soup->positions[soup->triangles[3 * (size_t)t + k]];
            p[k][0] = (double)corner[k].x;
            p[k][1] = (double)corner[k].y;
            p[k][2] = (double)corner[k].z;
        }
        const double w =
            0.5 * (double)lmb_vec3_length(lmb_vec3_cross(lmb_vec3_sub(corner[1], corner[0]),
                                                         lmb_vec3_sub(corner[2], corner[0])));
        area += w;
        for (int i = 0; i < 3; ++i) {
            p[3][i] = (p[0][i] + p[1][i] + p[2][i]) / 3;
            middle[i] += w * p[3][i];
            for (int j = 0; j <= i; ++j) {
                double sum = 0;
                for (int k = 0; k < 4; ++k) {
                    sum += share[k] * p[k][i] * p[k][j];
                }
                square[i][j] += w / 12 * sum;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            out[i][j] = area > 0 ? square[i][j] / area - middle[i] / area * (middle[j] / area) : 0;
        }
    }
}
