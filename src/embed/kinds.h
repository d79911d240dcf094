/// What each kind of creature implements: its cost for a stand hypothesis, and the placement of its
/// joints.
#ifndef EMBED_KINDS_H
#define EMBED_KINDS_H

#include "embed/creature/embedding_writer.h"
#include "embed/human/figure_embed.h"
#include "embed/input.h"

/// Cost of the hypothesis: 0 is a close fit, above 1 another kind. May swap front and back of the
/// stand. `given` is the user's forward direction in the frame of the shape, or zero.
float lmbi_quadruped_cost(const lmbi_body_shape *shape, lmb_vec3 given,
                          lmbi_stand_hypothesis *stand);
/// Places the joints in a shape that was rotated to the stand. Errors: MEMORY.
lmb_result lmbi_quadruped_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                                lmb_embedding *out, lmb_error *error);

/// A reptile on two legs, stand->pairs[0], with a tail. Errors: MEMORY.
lmb_result lmbi_biped_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                            lmb_embedding *out, lmb_error *error);

float lmbi_bird_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_bird_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                           lmb_embedding *out, lmb_error *error);

float lmbi_spider_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_spider_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                             lmb_embedding *out);

/// A hand has no mirror plane: the shape may have any axes.
float lmbi_hand_cost(const lmbi_body_shape *shape);
/// `stand`, in `frame`, is the orientation of the mesh, which the embedding keeps. Errors:
/// UNSUPPORTED, MEMORY.
lmb_result lmbi_hand_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                           const lmbi_frame *frame, lmb_embedding *out, lmb_error *error);

float lmbi_fish_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_fish_place(const lmbi_body_shape *shape, float height, lmb_embedding *out);

/// The longest medial path through the solid: in chain.h.
typedef struct lmbi_spine_line lmbi_spine_line;
float lmbi_snake_cost(const lmbi_body_shape *shape, const lmbi_spine_line *spine);
lmb_result lmbi_snake_place(const lmbi_body_shape *shape, float height,
                            const lmbi_spine_line *spine, lmb_embedding *out);

/// The number of limbs; without any there is nothing to place.
uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape);
lmb_result lmbi_generic_place(const lmbi_body_shape *shape, float height, lmb_embedding *out,
                              lmb_error *error);

/// The humanoid. `readings` are those of the whole mesh. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, lmb_embedding *out, lmb_error *error);
/// The readings of the coarse voxels of a cache. Errors: MEMORY.
lmb_result lmbi_readings_find(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                              lmbi_readings *out, lmb_error *error);

/// Both arms of the figure were guessed.
bool lmbi_arms_guessed(const lmb_embedding *human);
/// The feet of the figure were guessed.
bool lmbi_feet_guessed(const lmb_embedding *human);

/// Embeds the kind that the user gives, or the one that fits best. Markers that only a human has
/// imply a human. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);
/// Chest, neck and head of a bust that stands along +Y or +Z, as a generic skeleton. Errors:
/// UNSUPPORTED for other bodies, MEMORY.
lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);

#endif
