/// Embeds a humanoid, given voxelisations of a mesh.
#ifndef EMBED_HUMAN_FIGURE_EMBED_H
#define EMBED_HUMAN_FIGURE_EMBED_H

#include "embed/human/landmarks.h"
#include "embed/shape/voxel_cache.h"
#include "limber/embed.h"

/// Figures that cost more are no humanoids.
#define LMBI_FIGURE_MAX_COST 0.75f

/// The joints, with fingers if both hands have five. Only a figure with more confidence than
/// `least` is accepted. Errors: UNSUPPORTED for no such figure; MEMORY.
lmb_result lmbi_figure_embed(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                             const lmbi_landmarks *landmarks, float least, lmb_embedding *out,
                             lmb_error *error);

#endif
