/// Whether an embedded skeleton reaches all of the body.
#ifndef EMBED_SHAPE_UNCOVERED_H
#define EMBED_SHAPE_UNCOVERED_H

#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

/// The fraction of the soup's surface, 0 to 1, that is farther from every bone than a fifth of the
/// soup's longest side. It is large where limbs have no joints, or where a second body stands
/// beside the embedded one.
float lmbi_uncovered_fraction(const lmbi_triangle_soup *soup, const lmb_embedding *e);
/// Lowers e->overall, and says so in the summary, if the uncovered fraction is larger than in
/// correct embeddings of its kind.
void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e);

#endif
