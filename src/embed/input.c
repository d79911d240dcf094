/// The mesh to embed a skeleton in, without the slab it stands on, and its main body.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"

static lmb_result create_cache(lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                               lmbi_voxel_cache *out, lmb_error *error)
{
    const lmb_result result = lmbi_soup_find_closed(soup, alloc, error);
    return result == LMB_OK ? lmbi_voxel_cache_create(soup, alloc, out, error) : result;
}

lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error)
{
    *out = (lmbi_embed_input){
        .soup = *soup, .whole.alloc = alloc, .main_body.alloc = alloc, .alloc = alloc};
    out->above = lmbi_alloc_array(alloc, soup->triangle_count, 3 * sizeof *out->above);
    uint32_t count = 0;
    lmb_result result = out->above ? lmbi_slab_strip(soup, alloc, out->above, &count, error)
                                   : lmbi_fail_memory(error);
    if (count > 0) {
        out->soup.triangles = out->above;
        out->soup.triangle_count = count;
    }
    return result == LMB_OK ? create_cache(&out->soup, alloc, &out->whole, error) : result;
}

void lmbi_embed_input_destroy(lmbi_embed_input *input)
{
    lmbi_voxel_cache_destroy(&input->whole);
    lmbi_voxel_cache_destroy(&input->main_body);
    lmbi_volume_network_destroy(input->humans.network);
    lmbi_volume_network_destroy(input->animals);
    lmbi_free(input->alloc, input->above);
    lmbi_free(input->alloc, input->kept);
}

static lmb_result find_main_body(lmbi_embed_input *s, const lmbi_mirror *plane, lmb_error *error)
{
    const uint32_t all = s->soup.triangle_count;
    s->kept = lmbi_alloc_array(s->alloc, all, 3 * sizeof *s->kept);
    if (!s->kept) {
        return lmbi_fail_memory(error);
    }
    s->body = s->soup;
    s->body.triangles = s->kept;
    lmb_result result = lmbi_main_body_find(&s->soup, plane, s->alloc, s->kept,
                                            &s->body.triangle_count, &s->holds, error);
    if (result == LMB_OK && s->body.triangle_count > 0 && s->body.triangle_count < all) {
        result = create_cache(&s->body, s->alloc, &s->main_body, error);
        s->has_main_body = result == LMB_OK;
    }
    return result;
}

lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, const lmbi_mirror *plane,
                                      lmbi_voxel_cache **out, lmb_error *error)
{
    const lmb_result result = input->searched ? LMB_OK : find_main_body(input, plane, error);
    input->searched = result == LMB_OK;
    *out = result == LMB_OK && input->has_main_body ? &input->main_body : NULL;
    return result;
}
