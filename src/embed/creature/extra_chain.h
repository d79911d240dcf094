/// Chains of joints along branches that no template has: hair, ears, tails, skirts, props.
#ifndef EMBED_CREATURE_EXTRA_CHAIN_H
#define EMBED_CREATURE_EXTRA_CHAIN_H

#include "embed/shape/voxel_cache.h"
#include "limber/embed.h"

/// Adds the chains that `opts` asks for to a finished embedding of the mesh of `cache`. Errors:
/// INVALID for a name that is empty, too long or taken, or a point that is not finite or far from
/// the mesh; UNSUPPORTED where no branch leaves the skeleton, or for too many joints; MEMORY.
lmb_result lmbi_extra_chains_add(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 lmb_embedding *e, lmb_error *error);

#endif
