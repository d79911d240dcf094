/// When does a point of a motion stand still: contacts of feet with the ground.
#ifndef MAPPING_CONTACT_H
#define MAPPING_CONTACT_H

#include "base/arena.h"
#include "limber/math.h"

/// A run of frames in which a point stands still.
typedef struct lmbi_foot_contact {
    uint32_t begin, end; ///< frames [begin, end)
    bool ground;         ///< on the floor, not resting in the air
    lmb_vec3 place;      ///< where the target's point is held; for the caller to set
} lmbi_foot_contact;

typedef struct lmbi_foot_contacts {
    lmbi_foot_contact *items;
    uint32_t count;
} lmbi_foot_contacts;

/// Runs of frames in which a point of the source stands still, by speed and height over its own
/// lowest, with hysteresis; thresholds adapt to the clip. `body_m` is the length of a metre on a
/// body of common size: speeds and heights scale with it.
/// False when out of memory.
bool lmbi_contacts_find(const lmb_vec3 *points, uint32_t frame_count, float rate, float body_m,
                        lmbi_arena *arena, lmbi_foot_contacts *out);

/// Lets each contact begin and end up to `reach` frames farther out, while the point is less than
/// `height` over and beside where it was at that end: it comes down on its place, and leaves it,
/// from above.
void lmbi_contacts_widen(const lmb_vec3 *points, uint32_t frame_count, uint32_t reach, float height,
                         lmbi_foot_contacts *contacts);

/// A toe that trembles faster than what stands, while its ankle stands and it stays low on one spot,
/// stands too: adds such contacts to those of the toe, which have room for one a frame.
void lmbi_contacts_join(const lmb_vec3 *toes, const lmbi_foot_contacts *ankles, float rate,
                        float body_m, lmbi_foot_contacts *contacts);

/// The value that `share` of the values lie below. Reorders them.
float lmbi_quantile(float *values, uint32_t count, float share);

#endif
