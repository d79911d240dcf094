/// What is to be rigged: the mesh as it was given, and its body without what lies about it. Both
/// are looked at once, for all kinds.
#ifndef EMBED_INPUT_H
#define EMBED_INPUT_H

#include "embed/shape/voxel_cache.h"

typedef struct lmbi_embed_input {
    lmbi_triangle_soup soup;
    lmbi_voxel_cache whole;
    uint32_t *triangles;     ///< of `body`
    lmbi_triangle_soup body; ///< what `alone` looks at
    lmbi_voxel_cache main_body;
    bool searched, has_main_body; ///< less: `alone` is there
    const lmb_allocator *alloc;
} lmbi_embed_input;

/// `out` must stay where it is. Errors: as lmbi_voxel_cache_create.
lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error);
void lmbi_embed_input_destroy(lmbi_embed_input *input);
/// The body without what lies about it (lmbi_extract_main_body); NULL where that is all or nothing.
/// Errors: MEMORY.
lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, lmbi_voxel_cache **out,
                                      lmb_error *error);

#endif
