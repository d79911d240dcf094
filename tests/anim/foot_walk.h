/// A machine stepped at 60 Hz with its feet locked to the ground.
#ifndef TESTS_ANIM_FOOT_WALK_H
#define TESTS_ANIM_FOOT_WALK_H

#include <string.h>

#include "limber/limber.h"

/// `lock` says the skeleton, pose, model matrices, hips, legs and state; feet are locked if `locks`.
/// Adds the step's root motion to *placement.
static inline lmb_machine_info foot_walk_step(lmb_machine *machine, int frame, bool locks,
                                              lmb_ik_foot_lock_job lock,
                                              lmb_root_placement *placement)
{
    lmb_root_placement moved;
    lmb_machine_step(machine, frame > 0 ? 1 / 60.0 : 0, lock.local, &moved);
    const lmb_machine_info info = lmb_machine_describe(machine);
    *placement = lmb_root_placement_mul(*placement, moved);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = lock.skeleton, .local = lock.local, .model_from_joint = lock.model_from_joint});
    if (locks) {
        lock.world_from_model = lmb_root_placement_transform(*placement);
        lock.planted = info.planted;
        lock.floors = info.floors;
        lock.dt_s = frame > 0 ? 1 / 60.0f : 0;
        lmb_ik_foot_lock(&lock);
    }
    return info;
}

#endif
