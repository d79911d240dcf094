/// A character that is steered: what it plays, where it walks, how it falls and gets up.
#ifndef LIMBER_STUDIO_LIVE_PLAY_H
#define LIMBER_STUDIO_LIVE_PLAY_H

#include "live.h"

enum { COURSE_POINTS = 10 };

/// A ramp up, a landing and stairs down, ahead of where the character begins; level around.
typedef struct live_course {
    float floor;                     ///< height of the level
    float half_width;                ///< 0: there is no course
    float profile[COURSE_POINTS][2]; ///< z and height over the floor, z never falling
    lmb_ground *ground;              ///< the strip, for bodies that fall; NULL: there is none
} live_course;

/// A course for a body of 1.75 m times `scale`, over a level at course->floor. False, with an error,
/// when memory ends.
bool live_course_start(live_course *course, float scale);
void live_course_end(live_course *course);
/// For lmb_ik_plant; `user` is a live_course.
bool live_course_at(void *user, lmb_vec3 point, float *height, lmb_vec3 *normal);

/// Joints that a clip moves beside the hips and not below them.
typedef struct live_loose {
    uint32_t count;
    uint32_t *joints; ///< none hangs below another
} live_loose;

/// False, with an error, when memory ends.
bool live_loose_find(const lmb_skeleton *skeleton, const lmb_clip *clip, uint32_t hips,
                     live_loose *out);
void live_loose_free(live_loose *loose);
/// A copy of the clip in which they are without the motion of the hips, which a machine takes from
/// those alone. False, with an error, when that fails.
bool live_loose_hold(const live_loose *loose, const lmb_skeleton *skeleton, uint32_t hips,
                     const lmb_clip *clip, lmb_clip **out);

/// Bodies that take over from the pose, and the clip that brings the character up again.
typedef struct live_fall {
    lmb_ragdoll_set *set;
    lmb_ragdoll *ragdoll;
    lmb_rigid_shape shapes[2];
    uint32_t bone_count;
    float time_s; ///< since it fell, or since it began to get up
    lmb_get_up choice;
} live_fall;

typedef struct live_play {
    int phase; ///< LIMBER_PLAY_…
    live_course course;
    lmb_graph *graph;
    lmb_machine *machine;
    const lmb_clip **clips; ///< the character's own list goes with a clip that is kept
    live_loose loose;
    uint32_t held_count;
    lmb_clip *held[4]; ///< in `clips` in place of those of the character: loose joints are held
    float walk_speed, run_speed; ///< of the clips, m/s; run: 0 without one
    lmb_root_placement root;
    float heading_rad; ///< where it is steered to: clips sway about it
    uint32_t hips;
    lmb_vec3 ahead;   ///< +Z of the scene in the frame of the hips, at rest
    float facing_rad; ///< heading of the rest pose
    uint32_t foot_count;
    lmb_plant_foot feet[2];
    lmb_plant_state planting;
    lmb_transform *shown, *before,
        *target; ///< [joint_count] last two poses; where a transition leads
    lmb_mat4 *model;
    lmb_transition *transition;
    bool in_transition;
    const lmb_clip *get_up;
    live_fall fall;
} live_play;

/// Makes the bodies; false, with an error, when that fails.
bool live_fall_start(live_character *live);
void live_fall_step(live_character *live, float dt_s);
/// Begins to get up, by the clip where there is one.
bool live_rise_start(live_character *live);
/// True while it gets up.
bool live_rise_step(live_character *live, float dt_s);
void live_fall_end(live_fall *fall);

/// Moves the roots of a pose.
void live_move_roots(const lmb_skeleton *skeleton, lmb_transform by, lmb_transform *pose);

#endif
