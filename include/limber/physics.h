/// Motion that follows from bodies rather than from keys: springs for hair, tails, ears, skirts and
/// ropes.
#ifndef LIMBER_PHYSICS_H
#define LIMBER_PHYSICS_H

#include "limber/asset.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------- what springs

typedef enum lmb_spring_shape {
    LMB_SPRING_SPHERE = 0,
    LMB_SPRING_CAPSULE,
    LMB_SPRING_PLANE,
} lmb_spring_shape;

/// What the ends of springs stay out of, carried by a joint and in its frame. Radii are not scaled
/// with it.
typedef struct lmb_spring_collider {
    uint32_t joint;
    lmb_spring_shape shape;
    bool inside; ///< spheres and capsules: ends stay in
    lmb_vec3 offset;
    lmb_vec3 tail;   ///< the other end of a capsule
    lmb_vec3 normal; ///< of a plane, to the free side; not zero
    float radius;    ///< metres, not negative
} lmb_spring_collider;

/// One joint that swings, as VRMC_springBone 1.0 has it: its rotation follows a point, the tail.
typedef struct lmb_spring_joint {
    uint32_t joint;
    int32_t tail; ///< a joint below that is the tail; LMB_NONE: `tail_offset` is
    /// in the joint's own frame, metres; zero (or a tail at the joint itself): the joint does not
    /// swing
    lmb_vec3 tail_offset;
    float stiffness;     ///< pull to the rest direction, metres a second a sub-step; not negative
    float gravity_power; ///< metres a second a sub-step along `gravity`
    lmb_vec3 gravity;    ///< direction, of the world
    float drag;          ///< share of the speed that a sub-step takes, 0 to 1
    float hit_radius;    ///< of the tail, metres; not negative
    int32_t center;      ///< the joint relative to which inertia is felt; LMB_NONE: the world
    /// the stiffness pulls to the local pose that a step is given instead of to the rest pose
    bool follows_pose;
    uint32_t first_reference, reference_count; ///< its colliders, in this order
} lmb_spring_joint;

/// Everything that swings on one skeleton. No joint is there twice.
typedef struct lmb_spring_set {
    uint32_t joint_count, collider_count, reference_count;
    lmb_spring_joint *joints;
    lmb_spring_collider *colliders;
    uint32_t *references; ///< [reference_count] in `colliders`
    lmb_allocator allocator;
} lmb_spring_set;

/// Errors: INVALID for an index out of range, a tail that is not below its joint, a joint named
/// twice, numbers out of their ranges; MEMORY.
LMB_API lmb_result lmb_spring_set_create(const lmb_spring_set *def, const lmb_skeleton *skeleton,
                                         const lmb_allocator *alloc, lmb_spring_set **out,
                                         lmb_error *error);
LMB_API void lmb_spring_set_destroy(lmb_spring_set *set);

/// The springs that a character's file names: VRMC_springBone 1.0 with
/// VRMC_springBone_extended_collider, else the secondaryAnimation of VRM 0.x. A set without joints
/// where there are none. A joint of two springs belongs to the first. Errors: MALFORMED with the
/// place in the extension as a JSON pointer; MEMORY.
LMB_API lmb_result lmb_spring_set_read(const lmb_character *character, const lmb_allocator *alloc,
                                       lmb_spring_set **out, lmb_error *error);

/// Numbers of a soft chain: stiffness 1, drag 0.4, gravity 0.1 down, following the pose.
LMB_API lmb_spring_joint lmb_spring_soft(void);
/// The joints of `set` (NULL: none), and `joint` and everything below it, with the numbers of
/// `like`; those that the set has already stay as they are. A joint's tail is its first child; that
/// of a last joint is its tip, or up to 7 cm on in the direction that it lies from its parent.
/// Destroys nothing. Errors as lmb_spring_set_create.
LMB_API lmb_result lmb_spring_set_add_chain(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                                            uint32_t joint, const lmb_spring_joint *like,
                                            const lmb_allocator *alloc, lmb_spring_set **out,
                                            lmb_error *error);

// ---------------------------------------------------------------------------------- how it swings

/// Sub-steps a second. A step runs as many as its time holds and keeps the rest for the next,
/// whatever the frame rate.
#define LMB_SPRINGS_HZ 60
/// At most so many sub-steps a step; a longer pause is cut.
#define LMB_SPRINGS_MOST 12

typedef struct lmb_springs lmb_springs;

/// Set and skeleton must outlive the machine. Errors: MEMORY.
LMB_API lmb_result lmb_springs_create(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                                      const lmb_allocator *alloc, lmb_springs **out,
                                      lmb_error *error);
LMB_API void lmb_springs_destroy(lmb_springs *springs);

/// One frame, after sampling and before skinning; no allocation. The first step after create or
/// reset begins at rest under the pose given.
/// Within a frame of several sub-steps what carries the springs is interpolated from the frame
/// before.
typedef struct lmb_springs_step_job {
    lmb_springs *springs;
    /// [joint_count] the frame's pose; rotations of the springs' joints are replaced
    lmb_transform *local;
    /// above the roots, as in lmb_pose_to_model; all zero counts as identity
    lmb_mat4 root;
    /// [joint_count] of `local`, with `root`; brought up to date below the springs
    lmb_mat4 *model_from_joint;
    float dt_s; ///< since the step before, not negative
} lmb_springs_step_job;
LMB_API void lmb_springs_step(const lmb_springs_step_job *job);

/// Forgets all motion: after a cut or a teleport.
LMB_API void lmb_springs_reset(lmb_springs *springs);
/// A teleport that keeps the motion: everything has been moved by `by`, rotation and translation,
/// in the space of model_from_joint.
LMB_API void lmb_springs_move(lmb_springs *springs, lmb_mat4 by);

#ifdef __cplusplus
}
#endif
#endif
