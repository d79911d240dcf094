/// Ends of limbs on the surface, which are found even where a limb has sunk into the body.
#ifndef EMBED_SHAPE_SURFACE_TIPS_H
#define EMBED_SHAPE_SURFACE_TIPS_H

#include "embed/shape/surface_graph.h"

/// The tips with the longest branches of the distance from the center, longest first: at most
/// LMBI_TIP_LINES, none shorter than `shortest`. out[k].line is &lines[k]. Errors: MEMORY.
lmb_result lmbi_surface_find_tips(const lmbi_surface_graph *graph, const lmbi_voxel_body *body,
                                  float shortest, lmbi_tip *out, uint32_t *out_count,
                                  lmbi_tip_line *lines, lmb_error *error);

#endif
