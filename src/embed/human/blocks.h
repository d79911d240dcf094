/// Figures of blocks: toys whose arms touch the trunk and whose legs touch each other along whole
/// faces. Their solid has no separate limbs, but the pieces of the mesh are separate.
#ifndef EMBED_HUMAN_BLOCKS_H
#define EMBED_HUMAN_BLOCKS_H

#include "embed/human/landmarks.h"

/// Landmarks on the limbs of the figure that the pieces of the mesh form, in the mesh's space: a
/// trunk, a head above it, legs below and arms beside it, each of one piece or more. `up` may be
/// zero. *out_found is false if they form none. Errors: MEMORY.
lmb_result lmbi_block_figure_find(const lmbi_triangle_soup *soup, lmb_vec3 up,
                                  const lmb_allocator *alloc, bool *out_found, lmbi_landmarks *out,
                                  lmb_error *error);

#endif
