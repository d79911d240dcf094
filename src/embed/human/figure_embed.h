/// A humanoid read from looks at a mesh.
#ifndef EMBED_HUMAN_FIGURE_EMBED_H
#define EMBED_HUMAN_FIGURE_EMBED_H

#include "embed/human/landmarks.h"
#include "embed/shape/voxel_cache.h"
#include "limber/embed.h"

/// Readings that cost more are no humanoids.
#define LMBI_FIGURE_MAX_COST 0.75f

/// The joints, with fingers where there are five on both hands; only where the figure is surer than
/// `least`. Errors: UNSUPPORTED for no figure, or a less sure one; MEMORY.
lmb_result lmbi_figure_embed(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                             const lmbi_landmarks *landmarks, float least, lmb_embedding *out,
                             lmb_error *error);

#endif
