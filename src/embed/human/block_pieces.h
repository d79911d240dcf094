/// The pieces of a mesh as boxes, told apart even where their faces share corners and edges.
#ifndef EMBED_HUMAN_BLOCK_PIECES_H
#define EMBED_HUMAN_BLOCK_PIECES_H

#include "embed/shape/voxel_body.h"
#include "limber/math.h"

enum { LMBI_BLOCKS = 96 };

/// The largest boxes, largest first; one that lies mostly in another is part of it. More than
/// LMBI_BLOCKS pieces of any size: none. Errors: MEMORY.
lmb_result lmbi_block_pieces(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                             lmb_box out[LMBI_BLOCKS], uint32_t *out_count, lmb_error *error);

#endif
