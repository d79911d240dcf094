/// What the readings of a body say about its kind.
#ifndef EMBED_READING_KIND_H
#define EMBED_READING_KIND_H

#include "embed/kinds.h"

/// GENERIC for a reading by a user's template.
lmb_skeleton_kind lmbi_reading_kind(const lmbi_reading *reading);
/// The chains, as bits, that a built-in plan cannot be without, and those of which one has to be
/// seen on both sides.
void lmbi_plan_chains(lmbi_body_plan plan, uint32_t *out_needed, uint32_t *out_both);
/// Whether the reading shows every chain that its plan cannot be without. `given` is the user's
/// template, or NULL.
bool lmbi_reading_is_whole(const lmbi_reading *reading, const lmb_body_template *given);
/// The best reading of a kind, or NULL.
const lmbi_reading *lmbi_reading_best(const lmbi_readings *readings, lmb_skeleton_kind kind);
/// How much the score of the best reading of a kind exceeds that of the best one of other kinds;
/// negative if another is better.
float lmbi_reading_margin(const lmbi_readings *readings, lmb_skeleton_kind kind);
/// The clues of a reading of the list. Differences of scores are at most 10 either way, also where
/// there is nothing to compare with.
void lmbi_reading_clues(const lmbi_readings *readings, const lmbi_reading *reading,
                        float out[LMBI_READING_CLUES]);
/// The probability that a reading as an animal is right: its kind, or also its up and its facing.
float lmbi_reading_chance(const lmbi_readings *readings, const lmbi_reading *reading,
                          bool facing_counts);

/// Names the best reading of another kind, and how to choose it, in the summary of an unsure one.
void lmbi_name_next_best(const lmbi_readings *readings, const lmb_embed_opts *opts,
                         lmb_embedding *e);

#endif
