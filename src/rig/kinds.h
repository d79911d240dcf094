/// The kinds of creature: what each makes of a way to stand, and where its joints go.
#ifndef RIG_KINDS_H
#define RIG_KINDS_H

#include "rig/creature.h"

/// 0: very like it; above 1: not of that kind. May exchange front and back of the stand; `told`
/// (zero: nothing) is where the creature looks, in the frame of the survey.
float lmbi_quadruped_cost(const lmbi_survey *survey, lmb_vec3 told, lmbi_stand *stand);
/// Joints in a survey that was turned to the stand. Errors: MEMORY.
lmb_result lmbi_quadruped_place(const lmbi_survey *survey, const lmbi_stand *stand,
                                lmb_embedding *out, lmb_error *error);

/// The humanoid, which has a search of its own.
lmb_result lmbi_embed_human(const lmbi_soup *soup, const lmb_embed_opts *opts,
                            const lmb_allocator *alloc, lmb_embedding *out, lmb_error *error);

#endif
