/// Feet that stand still in the source stand still in the result.
#ifndef RETARGET_FEET_H
#define RETARGET_FEET_H

#include "mapping/contact.h"
#include "retarget/transfer.h"

/// The toe as a point in the foot joint's frame: the toe joint, or the tip of the foot, or a guess
/// in front of the ankle.
lmb_vec3 lmbi_toe_of(const lmbi_humanoid *body, int foot);
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
bool lmbi_belt_find(const lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena,
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

#endif
