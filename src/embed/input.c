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

lmb_result lmbi_subject_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                               lmbi_subject *out, lmb_error *error)
{
    *out = (lmbi_subject){.soup = *soup, .alone.alloc = alloc, .alloc = alloc};
    const lmb_result result = find_closed(&out->soup, alloc, error);
    return result == LMB_OK ? lmbi_looks_create(&out->soup, alloc, &out->whole, error) : result;
}

void lmbi_subject_destroy(lmbi_subject *subject)
{
    uint32_t *triangles = subject->triangles;
    lmbi_looks_destroy(&subject->whole);
    lmbi_looks_destroy(&subject->alone);
    lmbi_free(subject->alloc, triangles);
    *subject = (lmbi_subject){.alloc = subject->alloc};
}

static lmb_result part(lmbi_subject *s, lmb_error *error)
{
    const uint32_t all = s->soup.triangle_count;
    s->triangles = lmbi_alloc_array(s->alloc, all, 3 * sizeof *s->triangles);
    if (!s->triangles) {
        return lmbi_fail_memory(error);
    }
    s->body = s->soup;
    s->body.triangles = s->triangles;
    lmb_result result =
        lmbi_body_alone(&s->soup, s->alloc, s->triangles, &s->body.triangle_count, error);
    if (result == LMB_OK && s->body.triangle_count > 0 && s->body.triangle_count < all) {
        result = find_closed(&s->body, s->alloc, error);
        result =
            result == LMB_OK ? lmbi_looks_create(&s->body, s->alloc, &s->alone, error) : result;
        s->less = result == LMB_OK;
    }
    return result;
}

lmb_result lmbi_subject_alone(lmbi_subject *subject, lmbi_looks **out, lmb_error *error)
{
    *out = NULL;
    lmb_result result = LMB_OK;
    if (!subject->parted) {
        result = part(subject, error);
        subject->parted = result == LMB_OK;
    }
    if (result == LMB_OK && subject->less) {
        *out = &subject->alone;
    }
    return result;
}
