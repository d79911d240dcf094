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

/// Runs of frames in which a point of the source stands still, by speed and height over its own
/// lowest, with hysteresis; thresholds adapt to the clip. `body_m` is the length of a metre on a
/// body of common size: speeds and heights scale with it.
/// False when out of memory.
bool lmbi_contacts_find(const lmb_vec3 *points, uint32_t frame_count, float rate, float body_m,
                        lmbi_arena *arena, lmbi_contacts *out);

/// Lets each contact begin and end up to `reach` frames farther out, while the point is less than
/// `height` over and beside where it was at that end: it comes down on its place, and leaves it,
/// from above.
void lmbi_contacts_widen(const lmb_vec3 *points, uint32_t frame_count, uint32_t reach, float height,
                         lmbi_contacts *contacts);

/// A toe that trembles faster than what stands, while its ankle stands and it stays low on one spot,
/// stands too: adds such contacts to those of the toe, which have room for one a frame.
void lmbi_contacts_join(const lmb_vec3 *toes, const lmbi_contacts *ankles, float rate, float body_m,
                        lmbi_contacts *contacts);

/// The toe as a point in the foot joint's frame: the toe joint, or the tip of the foot, or a guess
/// in front of the ankle.
lmb_vec3 lmbi_toe_of(const lmbi_body *body, int foot);
/// The way of the target's ankle below the slot `upper`, [frame_count], heights but for a constant
/// that both ankles share.
/// `toe` is the target's. False when out of memory.
bool lmbi_follow_ankle(const lmbi_transfer *t, int upper, lmb_vec3 toe, lmb_vec3 *path,
                       lmbi_arena *arena);
/// Where the target's hips are for its thighs to begin where the source's do, scaled; its height
/// but for the same constant.
lmb_vec3 lmbi_follow_hips(const lmbi_transfer *t, uint32_t frame);

/// Rewrites hips and legs of the result so that its feet go the source's way and none goes under
/// the ground; with `lock`, feet in contact hold still. False when out of memory.
bool lmbi_feet_place(lmbi_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction);

/// How fast the ground goes by under feet that walk on the spot: the velocity of what stands, zero
/// where the body travels or nothing stands alike. False when out of memory.
bool lmbi_belt_find(const lmbi_body *body, const lmbi_motion *motion, lmbi_arena *arena,
                    lmb_vec3 *velocity);
/// The same of any feet: paths[path_count][frame_count], the joint that travels, and a metre on a
/// body of common size.
bool lmbi_belt_of_paths(const lmb_vec3 *const *paths, uint32_t path_count,
                        const lmbi_motion *motion, int32_t hips, float body_m, lmbi_arena *arena,
                        lmb_vec3 *velocity);
/// How far the ground has gone by since the clip began.
lmb_vec3 lmbi_belt_way(const lmbi_motion *motion, lmb_vec3 velocity, uint32_t f);
/// Lets the motion travel over ground that stands.
void lmbi_belt_stop(lmbi_motion *motion, lmb_vec3 velocity);
/// Takes the travel out of the result again.
void lmbi_belt_start(const lmbi_transfer *t, lmb_vec3 velocity);

/// Fills the frames that are not known from the values and slopes at both ends of a gap; farther from
/// an end than `fade` frames the value is zero.
void lmbi_feet_fill_gaps(lmb_vec3 *values, const bool *known, uint32_t count, uint32_t fade);
/// The greatest value within reach of each frame, then smoothed: never less than was needed, never
/// a jump.
void lmbi_feet_spread(float *values, float *scratch, uint32_t count, uint32_t reach);

/// The value that `share` of the values lie below. Reorders them.
float lmbi_quantile(float *values, uint32_t count, float share);

#endif
