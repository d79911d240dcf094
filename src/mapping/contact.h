/// Contacts of feet with the ground.
#ifndef MAPPING_CONTACT_H
#define MAPPING_CONTACT_H

#include "base/arena.h"
#include "limber/math.h"

/// Lengths and speeds of feet are thresholds of a body with legs of this length, in metres.
#define LMBI_COMMON_LEG_M 0.85f

/// Length of a metre on a body with legs of this length, scaled to the common size.
static inline float lmbi_metre_on(float leg_length)
{
    return leg_length / LMBI_COMMON_LEG_M;
}

/// Hysteresis of a contact: it begins within the first bound of each pair and lasts within the
/// second.
typedef struct lmbi_contact_bounds {
    float height_on, height_off; ///< above the floor
    float speed_on, speed_off;
    float speed_hz; ///< speeds are measured over 1 / speed_hz s
} lmbi_contact_bounds;

/// Of clips, in leg lengths and leg lengths per second, for state machines and blending. Clips are
/// smooth, so the shortest time that is sampled serves.
static const lmbi_contact_bounds lmbi_contact_of_clips = {
    .height_on = 0.035f, .height_off = 0.06f, .speed_on = 0.35f, .speed_off = 0.6f, .speed_hz = 60};
/// Of poses as they come, in the same units. What comes next is not known, so the speed is that since
/// the frame before: it is noisier, and a foot that is released too early slides, so contacts last to a higher speed.
static const lmbi_contact_bounds lmbi_contact_of_frames = {
    .height_on = 0.035f, .height_off = 0.06f, .speed_on = 0.35f, .speed_off = 0.9f};
/// Of recordings, in metres and m/s on a body of common size. Heights are above a floor measured for
/// each step, so their bounds are lower; speed_on comes from the recording, this is its greatest.
/// Speeds over less than a thirtieth of a second are noisy, over more they miss heel strikes.
static const lmbi_contact_bounds lmbi_contact_of_recordings = {
    .height_on = 0.03f, .height_off = 0.04f, .speed_on = 0.35f, .speed_off = 1.1f, .speed_hz = 30};
/// Of the slow part of a dragged foot, in the same units.
static const lmbi_contact_bounds lmbi_contact_of_drags = {.height_on = 0.03f,
                                                          .height_off = 0.04f,
                                                          .speed_on = 0.12f,
                                                          .speed_off = 1.1f * 0.12f,
                                                          .speed_hz = 30};
/// Of a foot at rest at any height, as on a chair, in the same units.
static const lmbi_contact_bounds lmbi_contact_at_rest = {
    .height_on = 1e9f, .height_off = 1e9f, .speed_on = 0.04f, .speed_off = 0.06f, .speed_hz = 30};

/// Whether a point is in contact, given whether it was. Heights and speeds are in units of `scale`,
/// such as a leg's length.
static inline bool lmbi_contact_holds(const lmbi_contact_bounds *b, bool before, float height,
                                      float speed, float scale)
{
    return height <= (before ? b->height_off : b->height_on) * scale &&
           speed <= (before ? b->speed_off : b->speed_on) * scale;
}

/// Speed of a point at a frame of its path, in lengths of `metre` a second, as the bounds measure it:
/// central difference, one-sided at the ends.
float lmbi_contact_speed(const lmbi_contact_bounds *bounds, const lmb_vec3 *points,
                         uint32_t frame_count, uint32_t frame, float rate, float metre);

/// A run of frames in which a point is at rest.
typedef struct lmbi_foot_contact {
    uint32_t begin, end; ///< frames [begin, end)
    bool ground;         ///< on the floor; false if at rest in the air
    lmb_vec3 position;   ///< position at which the target's point is locked; set by the caller
} lmbi_foot_contact;

typedef struct lmbi_foot_contacts {
    lmbi_foot_contact *items;
    uint32_t count;
} lmbi_foot_contacts;

/// Finds the contacts of a point by its speed and its height above its own lowest positions, with
/// hysteresis and thresholds from the clip. `body_m` is the length of a metre on a body of common
/// size: speeds and heights scale with it. False when out of memory.
bool lmbi_contacts_find(const lmb_vec3 *points, uint32_t frame_count, float rate, float body_m,
                        lmbi_arena *arena, lmbi_foot_contacts *out);

/// Widens each contact by up to `reach` frames at either end while the point is less than `height`
/// above and beside its position at that end, so that it lands and lifts off vertically.
void lmbi_contacts_widen(const lmb_vec3 *points, uint32_t frame_count, uint32_t reach, float height,
                         lmbi_foot_contacts *contacts);

/// Adds contacts of a trembling toe, too fast to count otherwise: while its ankle is in contact and
/// the toe stays low and within a small radius. `contacts` are the toe's, with room for one a frame.
void lmbi_contacts_join(const lmb_vec3 *toes, const lmbi_foot_contacts *ankles, float rate,
                        float body_m, lmbi_foot_contacts *contacts);

#endif
