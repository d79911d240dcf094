/// Whether a skeleton reaches all of the body it is said to be in.
#ifndef EMBED_SHAPE_UNCOVERED_H
#define EMBED_SHAPE_UNCOVERED_H

#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

/// The share of the soup's surface, 0 to 1, that is farther from every bone than a fifth of the
/// soup's longest side: limbs without a joint, or a body beside the one that was read.
float lmbi_uncovered_fraction(const lmbi_triangle_soup *soup, const lmb_embedding *e);
/// Lowers e->overall, and says so in the summary, where more is out of reach than of bodies of its
/// kind that are read right.
void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e);

#endif
