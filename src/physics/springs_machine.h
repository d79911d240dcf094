/// State of the spring simulation: spring bones, and the order in which joints are updated.
#ifndef PHYSICS_SPRINGS_MACHINE_H
#define PHYSICS_SPRINGS_MACHINE_H

#include "limber/physics.h"

typedef struct lmbi_spring_bone {
    const lmb_spring_joint *spring;
    lmb_vec3 axis;            ///< unit, to the tail, in the joint's frame
    lmb_vec3 tail;            ///< in the joint's frame
    lmb_vec3 current, before; ///< the tail in the centre's space, at the last two sub-steps
    lmb_quat rotation,
        substep_rotation; ///< local rotation as displayed, and after the last sub-step
    lmb_vec3 tail_before; ///< last tail in the world, for lengths measured as three-vrm does
} lmbi_spring_bone;

/// A joint updated in every sub-step: one with a spring, or one between springs. bone: index, -1
/// for none.
typedef struct lmbi_mover {
    uint32_t joint;
    int32_t bone;
} lmbi_mover;

struct lmb_springs {
    const lmb_spring_set *set;
    const lmb_skeleton *skeleton;
    lmbi_spring_bone *bones;
    lmbi_mover *movers; ///< in order of dependency
    /// joints that springs, colliders or centres depend on and that no spring moves
    uint32_t *anchors;
    lmb_mat4 *anchors_before; ///< [anchor_count] in the frame before
    uint32_t *affected;       ///< joints with springs and all below, parents first
    lmb_mat4 *world;          ///< [joint_count] of anchors and movers in this sub-step
    uint32_t bone_count, mover_count, anchor_count, affected_count;
    double unused_s; ///< time not yet covered by sub-steps
    bool started;
    lmb_allocator allocator;
};

#endif
