/// An animal's skeleton as motions move it.
#ifndef PROCEDURAL_MOTION_ANIMAL_H
#define PROCEDURAL_MOTION_ANIMAL_H

#include "limber/mapping.h"
#include "procedural/motion_play.h"

typedef struct lmbi_animal {
    const lmb_skeleton *skeleton;
    const lmb_allocator *alloc;
    lmb_chain_map map;
    lmb_transform facing; ///< rotates the model so that the body faces +Z
    lmb_transform *rest;  ///< [joint_count] model_from_joint at rest, facing +Z
    lmb_transform *model; ///< [joint_count] of the frame's pose
    lmb_quat *own;        ///< [joint_count] rotations in body axes, carried by the parent
    float unit;           ///< what lengths are fractions of, in model units
    uint32_t last_pair;   ///< of legs, from behind
    int32_t jaw;
} lmbi_animal;

/// Errors: UNSUPPORTED for another kind of body; MEMORY.
lmb_result lmbi_animal_start(const lmb_skeleton *skeleton, const lmb_motion *motion,
                             const lmb_allocator *alloc, lmbi_animal *animal, lmb_error *error);
void lmbi_animal_end(lmbi_animal *animal);

typedef struct lmbi_animal_frame {
    const lmb_motion *motion;
    const lmbi_motion_moment *moment;
    const lmbi_motion_values *values;
    lmb_vec3 travel; ///< model units, in body axes
    bool mirror;
} lmbi_animal_frame;
/// Changes `local`, the rest pose or a gait's.
void lmbi_animal_pose(lmbi_animal *animal, const lmbi_animal_frame *frame, lmb_transform *local);

#endif
