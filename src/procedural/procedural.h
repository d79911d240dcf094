/// Parts of gaits, idling and getting up.
#ifndef PROCEDURAL_PROCEDURAL_H
#define PROCEDURAL_PROCEDURAL_H

#include "limber/procedural.h"

/// Whether a leg's foot is on the ground at that time.
bool lmbi_gait_is_on_ground(const lmb_gait *gait, uint32_t leg, double time_s);

/// A number in [0, 1) for each whole number and seed.
double lmbi_hash_unit(double x, uint32_t seed);

/// Whether it drives any morph weight.
bool lmbi_drivers_has_weights(const lmb_drivers *drivers);

/// `turn`: rotation of the hips from the rest pose (which stands and faces +Z). `heading`:
/// horizontal unit direction that the body will face after getting up: ahead while it is upright or
/// on its side, towards its feet when supine, towards its head when prone; zero if there is none.
lmb_lying lmbi_lying_of(lmb_quat turn, lmb_vec3 *heading);

#endif
