/// The memory of springs: bones that swing and the order in which joints follow from each other.
#ifndef PHYSICS_SPRINGS_MACHINE_H
#define PHYSICS_SPRINGS_MACHINE_H

#include "limber/physics.h"

typedef struct lmbi_spring_bone {
    const lmb_spring_joint *spring;
    lmb_vec3 axis;            ///< unit, to the tail, in the joint's frame
    lmb_vec3 tail;            ///< in the joint's frame
    lmb_vec3 current, before; ///< the tail in the centre's space, at the last two sub-steps
    lmb_quat rotation, substep_rotation; ///< of the joint in its parent, as shown and XX
    lmb_vec3 tail_before; ///< in the world: where a length that is measured is measured to
} lmbi_spring_bone;

/// A joint whose place changes in a sub-step: a spring's, or one between springs.
typedef struct lmbi_mover {
    uint32_t joint;
    int32_t bone;
} lmbi_mover;

struct lmb_springs {
    const lmb_spring_set *set;
    const lmb_skeleton *skeleton;
    lmbi_spring_bone *bones;
    lmbi_mover *movers; ///< in the order in which they depend on each other
    uint32_t *anchors;  ///< joints that carry springs, colliders and centres and are moved by none
    lmb_mat4 *anchors_before; ///< [anchor_count] in the frame before
    uint32_t *affected;       ///< every joint at or affected a spring's, parents first
    lmb_mat4 *world;          ///< [joint_count] of anchors and movers in this sub-step
    uint32_t bone_count, mover_count, anchor_count, affected_count;
    double unused_s; ///< time that no sub-step has used yet
    bool started;
    lmb_allocator allocator;
};

#endif
