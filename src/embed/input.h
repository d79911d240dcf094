/// The mesh to embed a skeleton in, and its main body without separate props and floors. The
/// voxelisations of both are cached and shared by all kinds.
#ifndef EMBED_INPUT_H
#define EMBED_INPUT_H

#include "embed/shape/voxel_cache.h"

typedef struct lmbi_embed_input {
    lmbi_triangle_soup soup;
    lmbi_voxel_cache whole;
    uint32_t *triangles;     ///< those of `body`
    lmbi_triangle_soup body; ///< the mesh of `main_body`
    lmbi_voxel_cache main_body;
    bool searched, has_main_body; ///< has_main_body: it differs from the whole
    const lmb_allocator *alloc;
} lmbi_embed_input;

/// `main_body` refers to `out`, which must not be moved. Errors: as lmbi_voxel_cache_create.
lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error);
void lmbi_embed_input_destroy(lmbi_embed_input *input);
/// The voxelisations of the main body: the largest piece of the surface and what touches it,
/// without flat pieces as wide as a figure. NULL where that is everything or nothing. Errors:
/// MEMORY.
lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, lmbi_voxel_cache **out,
                                      lmb_error *error);

#endif
