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

/// `rotation`: of the hips from the rest pose (which stands and faces +Z). `heading`:
/// horizontal unit direction that the body will face after getting up: ahead while it is upright or
/// on its side, towards its feet when supine, towards its head when prone; zero if there is none.
lmb_lying lmbi_lying_of(lmb_quat rotation, lmb_vec3 *heading);

// ---- Smooth curves through keys.

typedef struct lmbi_key {
    float at, value;
} lmbi_key;

/// Monotone cubic through the keys of a cycle of length 1, `at` ascending in [0, 1) (Fritsch and
/// Carlson 1980): flat between equal keys, without overshoot, periodic.
float lmbi_cycle_sample(const lmbi_key *keys, int count, float phase);
/// Cubic Hermite over a time `span`, x in [0, 1], velocities per unit of time.
float lmbi_hermite(float p0, float v0, float p1, float v1, float span, float x);

/// Range of speeds of a gait for legs of that length (hip to ankle), m/s. False when bodies with so
/// many legs do not have it.
bool lmbi_gait_range(lmb_gait_kind kind, uint32_t leg_count, float leg_m, float range[2]);

/// "walk", "run", "idle", "wave", "jump". A static string.
const char *lmbi_motion_name(lmb_motion_kind kind);

/// Measures heels, tips and ground of a body whose joints are known. Errors: MEMORY.
lmb_result lmbi_gait_body_fit(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_gait_body *body, lmb_error *error);

#endif
