#include "embed/input.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/alone.h"
#include "embed/shape/triangle_soup.h"

/// Whether every edge has an even number of triangles: nothing gets in, wherever shells cross.
static lmb_result find_closed(lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                              lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmb_adjacency *edges = NULL;
    const lmb_result result = lmbi_soup_edges(soup, alloc, &surface, &edges, error);
    soup->closed = edges != NULL;
    for (uint32_t e = 0; soup->closed && e < edges->edge_count; ++e) {
        soup->closed = (edges->edge_first[e + 1] - edges->edge_first[e]) % 2 == 0;
    }
    lmb_adjacency_destroy(edges);
    lmb_surface_destroy(surface);
    return result;
}

lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error)
{
    *out = (lmbi_embed_input){.soup = *soup, .main_body.alloc = alloc, .alloc = alloc};
    const lmb_result result = find_closed(&out->soup, alloc, error);
    return result == LMB_OK ? lmbi_voxel_cache_create(&out->soup, alloc, &out->whole, error)
                            : result;
}

void lmbi_embed_input_destroy(lmbi_embed_input *input)
{
    uint32_t *triangles = input->triangles;
    lmbi_voxel_cache_destroy(&input->whole);
    lmbi_voxel_cache_destroy(&input->main_body);
    lmbi_free(input->alloc, triangles);
    *input = (lmbi_embed_input){.alloc = input->alloc};
}

static lmb_result find_main_body(lmbi_embed_input *s, lmb_error *error)
{
    const uint32_t all = s->soup.triangle_count;
    s->triangles = lmbi_alloc_array(s->alloc, all, 3 * sizeof *s->triangles);
    if (!s->triangles) {
        return lmbi_fail_memory(error);
    }
    s->body = s->soup;
    s->body.triangles = s->triangles;
    lmb_result result =
        lmbi_extract_main_body(&s->soup, s->alloc, s->triangles, &s->body.triangle_count, error);
    if (result == LMB_OK && s->body.triangle_count > 0 && s->body.triangle_count < all) {
        result = find_closed(&s->body, s->alloc, error);
        result = result == LMB_OK
                     ? lmbi_voxel_cache_create(&s->body, s->alloc, &s->main_body, error)
                     : result;
        s->has_main_body = result == LMB_OK;
    }
    return result;
}

lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, lmbi_voxel_cache **out,
                                      lmb_error *error)
{
    *out = NULL;
    lmb_result result = LMB_OK;
    if (!input->searched) {
        result = find_main_body(input, error);
        input->searched = result == LMB_OK;
    }
    if (result == LMB_OK && input->has_main_body) {
        *out = &input->main_body;
    }
    return result;
}
