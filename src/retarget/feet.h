/// Feet that stand still in the source stand still in the result.
#ifndef RETARGET_FEET_H
#define RETARGET_FEET_H

#include "retarget/transfer.h"

/// A run of frames in which a point stands still.
typedef struct lmbi_contact {
    uint32_t begin, end; ///< frames [begin, end)
    bool ground;         ///< on the floor, not resting in the air
    lmb_vec3 place;      ///< where the target's point is held; for the caller to set
} lmbi_contact;

typedef struct lmbi_contacts {
    lmbi_contact *items;
    uint32_t count;
} lmbi_contacts;

/// Runs of frames in which a point of the source stands still, by speed and height over its own lowest, with hysteresis; thresholds
/// adapt to the clip. `body_m` is the length of a metre on a body of common size: speeds and heights scale with it.
/// False when out of memory.
bool lmbi_contacts_find(const lmb_vec3 *points, uint32_t frame_count, float rate, float body_m, lmbi_arena *arena, lmbi_contacts *out);

/// Rewrites hips and legs of the result so that feet in contact hold still and none goes under the ground.
/// False when out of memory.
bool lmbi_feet_lock(lmbi_transfer *t, lmbi_arena *arena, uint32_t *contact_count, float *largest_correction);

/// The value that `share` of the values lie below. Reorders them.
float lmbi_quantile(float *values, uint32_t count, float share);

#endif
