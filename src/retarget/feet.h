/// Foot placement and locking, and the treadmill of walks in place.
#ifndef RETARGET_FEET_H
#define RETARGET_FEET_H

#include "mapping/contact.h"
#include "retarget/transfer.h"

/// Path [frame_count] of the target's ankle below the human bone `upper`. Heights lack a constant
/// that both ankles share. `toe` is the target's. False when out of memory.
bool lmbi_follow_ankle(const lmbi_transfer *t, int upper, lmb_vec3 toe, lmb_vec3 *path,
                       lmbi_arena *arena);
/// Position of the target's hips that scales the source's hip joints; its height lacks the same
/// constant.
lmb_vec3 lmbi_follow_hips(const lmbi_transfer *t, uint32_t frame);

/// Rewrites hips and legs of the result so that its feet follow the source's paths above the
/// ground; with `lock`, feet in contact are locked. False when out of memory.
bool lmbi_feet_place(lmbi_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction);

/// Treadmill velocity of a walk in place, from the velocities of standing feet: zero if the body
/// travels or the feet do not agree. False when out of memory.
bool lmbi_treadmill_find(const lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena,
                         lmb_vec3 *velocity);
/// The same for any feet: paths[path_count][frame_count]; `hips` is the joint that travels,
/// `body_m` a metre on a body of common size.
bool lmbi_treadmill_of_paths(const lmb_vec3 *const *paths, uint32_t path_count,
                             const lmbi_motion *motion, int32_t hips, float body_m,
                             lmbi_arena *arena, lmb_vec3 *velocity);
/// Displacement of the treadmill since the clip's first frame.
lmb_vec3 lmbi_treadmill_offset(const lmbi_motion *motion, lmb_vec3 velocity, uint32_t f);
/// Moves the body over the ground so that standing feet are at rest.
void lmbi_treadmill_undo(lmbi_motion *motion, lmb_vec3 velocity);
/// Removes that travel from the result.
void lmbi_treadmill_apply(const lmbi_transfer *t, lmb_vec3 velocity);

/// Mean position over a contact, weighted towards its middle.
lmb_vec3 lmbi_contact_mean(const lmb_vec3 *path, lmbi_foot_contact contact);
/// Flattens heights well below `scale` and keeps larger ones: heels strike and roll, so a contact
/// moves more freely vertically than along the ground.
static inline float lmbi_flatten_height(float height, float scale)
{
    return height > 0.0f ? height * height / (height + scale) : 0.0f;
}
/// Fills unknown frames by cubic Hermite curves from the values and slopes at both ends of a gap;
/// farther than `fade` frames from an end the value is zero.
void lmbi_feet_fill_gaps(lmb_vec3 *values, const bool *known, uint32_t count, uint32_t fade);
/// Maximum over a window of `reach` frames, then smoothed: never below the input, and without
/// jumps.
void lmbi_feet_spread(float *values, float *scratch, uint32_t count, uint32_t reach);

#endif
