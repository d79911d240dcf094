/// What each kind of body implements: how it is told from others, and where its joints lie.
#ifndef EMBED_KINDS_H
#define EMBED_KINDS_H

#include "embed/creature/body_shape.h"
#include "embed/creature/embedding_writer.h"
#include "embed/human/figure_embed.h"
#include "embed/input.h"
#include "embed/shape/mirror_plane.h"

/// Cost of the shape as a hand, in any axes: 0 is a close fit, above 1 another kind.
float lmbi_hand_cost(const lmbi_body_shape *shape);
/// `mesh` is the shape in the mesh's own axes. The embedding keeps these, with the plane as its
/// mirror plane. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_hand_place(const lmbi_body_shape *shape, const lmbi_body_shape *mesh,
                           const lmbi_mirror *plane, lmb_vec3 up, lmb_embedding *out,
                           lmb_error *error);

/// The number of limbs; without any there is nothing to place.
uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape);
lmb_result lmbi_generic_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error);

/// The humanoid. `readings` are those of the whole mesh. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, lmb_embedding *out, lmb_error *error);
/// The readings of the coarse voxels of a cache; one of a wanted creature is
/// among them. Errors: MEMORY.
lmb_result lmbi_readings_find(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                              lmbi_readings *out, lmb_error *error);

/// Embeds the kind that the user gives, or the one that fits best. Markers that only a human has
/// imply a human. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);
/// Chest, neck and head of a bust that stands along +Y or +Z, as a generic skeleton. Errors:
/// UNSUPPORTED for other bodies, MEMORY.
lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);

#endif
