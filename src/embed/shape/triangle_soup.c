#include "embed/shape/triangle_soup.h"

lmb_result lmbi_soup_surface(const lmbi_triangle_soup *soup, const lmb_surface_opts *opts,
                             const lmb_allocator *alloc, lmb_surface **out, lmb_error *error)
{
    const lmb_surface_part part = {.positions = soup->positions,
                                   .vertex_count = soup->position_count,
                                   .indices = soup->triangles,
                                   .index_count = 3 * soup->triangle_count};
    *out = NULL;
    return lmb_surface_create(&part, 1, opts, alloc, out, error);
}

lmb_result lmbi_soup_edges(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           lmb_surface **out, lmb_adjacency **out_edges, lmb_error *error)
{
    *out_edges = NULL;
    lmb_result result = lmbi_soup_surface(soup, NULL, alloc, out, error);
    if (result == LMB_OK && (*out)->triangle_count > 0) {
        result = lmb_adjacency_create(*out, alloc, out_edges, error);
    }
    if (result != LMB_OK) {
        lmb_surface_destroy(*out);
        *out = NULL;
    }
    return result;
}
