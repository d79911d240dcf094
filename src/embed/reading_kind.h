/// What the readings of a body say about its kind.
#ifndef EMBED_READING_KIND_H
#define EMBED_READING_KIND_H

#include "embed/kinds.h"

lmb_skeleton_kind lmbi_reading_kind(const lmbi_reading *reading);
/// The best reading of a kind, or NULL.
const lmbi_reading *lmbi_reading_best(const lmbi_readings *readings, lmb_skeleton_kind kind);
/// How much the score of the best reading of a kind exceeds that of the best one of other kinds;
/// negative if another is better.
float lmbi_reading_margin(const lmbi_readings *readings, lmb_skeleton_kind kind);
/// A quadruped or biped that stands as its best reading says, in `coarse` voxels; it costs less the
/// larger the margin is. False if no reading shows its legs.
bool lmbi_reading_stand(const lmbi_readings *readings, const lmbi_voxelisation *coarse,
                        lmb_skeleton_kind kind, lmbi_kind_hypothesis *out);

/// A quadruped whose best reading faces the other way is in doubt: its tail may be its head.
void lmbi_doubt_facing(const lmbi_readings *readings, lmb_embedding *e);
/// Names the best reading of another kind, and how to choose it, in the summary of an unsure one.
void lmbi_name_next_best(const lmbi_readings *readings, const lmb_embed_opts *opts,
                         lmb_embedding *e);

#endif
