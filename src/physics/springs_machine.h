/// The memory of springs: bobs that swing and the order in which joints follow from each other.
#ifndef PHYSICS_SPRINGS_MACHINE_H
#define PHYSICS_SPRINGS_MACHINE_H

#include "limber/physics.h"

typedef struct lmbi_bob {
    const lmb_spring_joint *spring;
    lmb_vec3 axis;            ///< unit, to the tail, in the joint's frame
    lmb_vec3 tail;            ///< in the joint's frame
    lmb_vec3 current, before; ///< the tail in the centre's space, at the last two sub-steps
    lmb_quat rotation, held;  ///< of the joint in its parent, as shown and XX
    lmb_vec3 was;             ///< in the world: where a length that is measured is measured to
} lmbi_bob;

/// A joint whose place changes in a sub-step: a spring's, or one between springs.
typedef struct lmbi_mover {
    uint32_t joint;
    int32_t bob;
} lmbi_mover;

struct lmb_springs {
    const lmb_spring_set *set;
    const lmb_skeleton *skeleton;
    lmbi_bob *bobs;
    lmbi_mover *movers; ///< in the order in which they depend on each other
    uint32_t *anchors;  ///< joints that carry springs, colliders and centres and are moved by none
    lmb_mat4 *were;     ///< [anchor_count] in the frame before
    uint32_t *below;    ///< every joint at or below a spring's, parents first
    lmb_mat4 *world;    ///< [joint_count] of anchors and movers in this sub-step
    uint32_t bob_count, mover_count, anchor_count, below_count;
    double left_s; ///< time that no sub-step has used yet
    bool started;
    lmb_allocator allocator;
};

#endif
