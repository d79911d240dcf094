/// The kinds of creature: what each makes of a way to stand, and where its joints go.
#ifndef EMBED_KINDS_H
#define EMBED_KINDS_H

#include "embed/creature/embedding_writer.h"
#include "embed/input.h"

/// 0: very like it; above 1: not of that kind. May exchange front and back of the stand; `told`
/// (zero: nothing) is where the creature looks, in the frame of the survey.
float lmbi_quadruped_cost(const lmbi_body_shape *shape, lmb_vec3 given,
                          lmbi_stand_hypothesis *stand);
/// Joints in a survey that was turned to the stand. Errors: MEMORY.
lmb_result lmbi_quadruped_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                                lmb_embedding *out, lmb_error *error);

float lmbi_bird_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_bird_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                           lmb_embedding *out, lmb_error *error);

float lmbi_spider_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_spider_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                             lmb_embedding *out);

/// Hands need no plane: the survey may lie in any axes.
float lmbi_hand_cost(const lmbi_body_shape *shape);
/// `stand`, in `frame`, is how the mesh lies. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_hand_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                           const lmbi_frame *frame, lmb_embedding *out, lmb_error *error);

float lmbi_fish_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand);
lmb_result lmbi_fish_place(const lmbi_body_shape *shape, float height, lmb_embedding *out);

/// The longest way through the solid: in chain.h.
typedef struct lmbi_spine_line lmbi_spine_line;
float lmbi_snake_cost(const lmbi_body_shape *shape, const lmbi_spine_line *spine);
lmb_result lmbi_snake_place(const lmbi_body_shape *shape, float height,
                            const lmbi_spine_line *spine, lmb_embedding *out);

/// How many limbs there are; without any there is nothing to place.
uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape);
lmb_result lmbi_generic_place(const lmbi_body_shape *shape, float height, lmb_embedding *out,
                              lmb_error *error);

/// The humanoid, which has a search of its own.
lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error);

/// The same for a figure whose sides are in different poses. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_asymmetric(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                 lmb_embedding *out, lmb_error *error);

/// The same for a figure that hangs, lies or stands on its head, along whichever axis of the mesh it
/// was not read along already; the surest one that is surer than `least`.
lmb_result lmbi_embed_lying(lmbi_embed_input *input, const lmb_embed_opts *opts, float least,
                            lmb_embedding *out, lmb_error *error);

/// Neither arm of the figure was seen.
bool lmbi_arms_guessed(const lmb_embedding *human);
/// Its feet were not seen.
bool lmbi_feet_guessed(const lmb_embedding *human);

/// The kind that is told or found, markers of humans alone telling it; its joints. Errors:
/// UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);
/// Chest, neck and head of a bust that stands along +Y or +Z, a generic skeleton. Errors:
/// UNSUPPORTED for other bodies, MEMORY.
lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);

#endif
