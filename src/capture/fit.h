/// A recording of points being fitted with a skeleton.
#ifndef CAPTURE_FIT_H
#define CAPTURE_FIT_H

#include "base/arena.h"
#include "limber/capture.h"
#include "limber/ik.h"
#include "retarget/body.h"

/// Who was recorded: the character's joints at rest in an upright pose, in metres, without scale,
/// and with nothing above the joint that carries the body. Local rotations below that joint are the
/// character's own.
typedef struct lmbi_fit_subject {
    const lmb_character *character;
    lmb_joint_map map;
    bool humanoid;
    uint32_t count, root;    ///< joints; the one that carries the body: hips
    lmb_skeleton skeleton;   ///< the character's but for `rest`, which is the array below
    lmb_transform *rest;     ///< [count] local, of the reference pose, with the subject's lengths
    lmb_transform *first;    ///< [count] the same with the character's lengths
    lmb_joint_limit *limits; ///< [count], or NULL: none
    lmb_joint_limit *hinges; ///< [count] hinges that hardly end, and no other limits; or NULL
    lmb_vec3 *at;            ///< [count] where the joints of `first` are
    float *units;            ///< [count] metres a unit of the character's translation of the joint
    lmb_transform above;     ///< model_from_parent of the root, in the character
    float height;            ///< extent of those along Y
} lmbi_fit_subject;

/// Joints that are no human's stand as they rest, without limits but the skeleton's own. `root` is
/// taken for those alone.
lmb_result lmbi_subject_make(const lmb_character *character, const lmb_joint_map *map, bool free,
                             uint32_t root, const lmb_allocator *alloc, lmbi_arena *arena,
                             lmbi_fit_subject *out, lmb_error *error);
/// Lets forearms twist between elbow and hand in `hinges`: markers on them pronate with the hand.
void lmbi_subject_twist_forearms(lmbi_fit_subject *s);
/// Model matrices of a local pose of the subject.
void lmbi_subject_model(const lmbi_fit_subject *subject, const lmb_transform *local,
                        lmb_mat4 *model);
/// The pose as the character has it: the root under its own parent.
lmb_transform lmbi_subject_root(const lmbi_fit_subject *subject, const lmb_transform *local);
/// The character's skeleton with the subject's lengths. INVALID, MEMORY.
lmb_result lmbi_subject_skeleton(const lmbi_fit_subject *subject, const lmb_allocator *alloc,
                                 lmbi_arena *arena, lmb_skeleton **out, lmb_error *error);

/// Where a point sits on the body.
typedef struct lmbi_place {
    int32_t joint;   ///< LMB_NONE: not used
    lmb_vec3 offset; ///< joint frame
    bool by_motion, trunk;
    bool loose; ///< the offset is to be found: a marker, or a joint that rigs place as they like
    bool exact; ///< the joint of that very name
} lmbi_place;

typedef struct lmbi_fitting {
    lmbi_fit_subject subject;
    lmb_fit_kind kind;
    const lmb_fit_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena *arena;
    const char *const *names;
    uint32_t point_count, frame_count;
    float rate;
    lmb_vec3 *points;   ///< [frame_count][point_count], labels put right
    uint8_t *seen;      ///< [frame_count][point_count]
    lmbi_place *places; ///< [point_count]
    uint32_t *swapped;  ///< [point_count] frames in which its label was another's
    uint32_t swap_count;
    uint8_t *active;      ///< [subject.count] joints from the root to those with points
    float scale;          ///< of the whole subject against the character
    lmb_transform *poses; ///< [frame_count][subject.count]
    uint32_t limited_frames;
    const lmb_joint_limit *limits; ///< what solves hold to at present: one of the subject's two
    // working memory of a solve
    lmb_goal *goals;
    lmb_mat4 *model;
    void *scratch;
    size_t scratch_size;
} lmbi_fitting;

/// Which joint each point belongs to, and where beside it in the reference pose; decides `kind`.
lmb_result lmbi_fit_attach(lmbi_fitting *fit, lmb_error *error);
/// Labels that change places between two frames are put back, and counted. False without memory.
bool lmbi_fit_unswap(lmbi_fitting *fit);
/// A first size of the subject from the points of the trunk.
void lmbi_fit_size(lmbi_fitting *fit);
/// Turns and places the root of `local` so that the points of the trunk come near. False where too
/// few are seen.
bool lmbi_fit_stand(const lmbi_fitting *fit, uint32_t frame, lmb_transform *local);
/// One frame, from the pose in `local`. `previous`, where not NULL, pulls softly; `extra` goals
/// stand in fit->goals already, those of the points come after.
lmb_ik_full_body_report lmbi_fit_solve(lmbi_fitting *fit, uint32_t frame, lmb_transform *local,
                                       const lmb_transform *previous, float pull,
                                       uint32_t iterations, uint32_t extra);
/// Where point m is on a pose.
static inline lmb_vec3 lmbi_fit_point_at(const lmbi_fitting *fit, const lmb_mat4 *model, uint32_t m)
{
    return lmb_mat4_point(model[fit->places[m].joint], fit->places[m].offset);
}
/// Lengths of bones and offsets of markers, on frames that differ. CANCELLED, MEMORY.
lmb_result lmbi_fit_calibrate(lmbi_fitting *fit, lmb_error *error);
/// Points without a name that says anything are hung to the joint that they keep still against.
bool lmbi_fit_adopt(lmbi_fitting *fit, const uint32_t *frames, uint32_t frame_count,
                    const lmb_transform *poses);
/// Every frame. CANCELLED, MEMORY.
lmb_result lmbi_fit_frames(lmbi_fitting *fit, lmb_error *error);

#endif
