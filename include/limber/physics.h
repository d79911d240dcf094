/// Motion that follows from bodies rather than from keys: springs for hair, tails, ears, skirts and
/// ropes; rigid bodies; characters that fall.
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

/// How long the way from a joint to its tail is taken to be. The specification has the bone's
/// length; three-vrm (3.5) measures to where the tail's node stood, which joints that turned above
/// it in the same step have left behind: lengths then pulsate, the more the faster it swings.
typedef enum lmb_spring_length {
    LMB_SPRING_LENGTH_OF_BONE = 0,
    /// three-vrm in its documented loop, mixer.update, vrm.update, render: where the last step left
    /// it
    LMB_SPRING_LENGTH_LEFT,
    /// three-vrm where scene.updateMatrixWorld comes before: the same, carried on by what carries
    /// the springs
    LMB_SPRING_LENGTH_CARRIED,
} lmb_spring_length;

/// Everything that swings on one skeleton. No joint is there twice.
typedef struct lmb_spring_set {
    uint32_t joint_count, collider_count, reference_count;
    lmb_spring_joint *joints;
    lmb_spring_collider *colliders;
    uint32_t *references;     ///< [reference_count] in `colliders`
    lmb_spring_length length; ///< may be set after create too
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

/// How springs are as last shown.
typedef struct lmb_springs_report {
    float kinetic;     ///< joules a kilogram, of tails of one mass, over the last sub-step
    float penetration; ///< the deepest that a tail is in a collider of its own, metres
} lmb_springs_report;
LMB_API void lmb_springs_measure(const lmb_springs *springs, lmb_springs_report *out);

/// Forgets all motion: after a cut or a teleport.
LMB_API void lmb_springs_reset(lmb_springs *springs);
/// A teleport that keeps the motion: everything has been moved by `by`, rotation and translation,
/// in the space of model_from_joint.
LMB_API void lmb_springs_move(lmb_springs *springs, lmb_mat4 by);

// ----------------------------------------------------------------------------------- rigid bodies
//
// Extended position-based dynamics in sub-steps: Mueller, Macklin, Chentanez, Jeschke and Kim,
// "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020. Joints hold their
// points by the whole three by three system (their equation 2 along three axes at once) and are
// swept from the first to the last and back, in double precision.

typedef enum lmb_rigid_shape_kind {
    LMB_RIGID_SPHERE = 0,
    LMB_RIGID_CAPSULE, ///< about y: the way between its ends' centres is twice half.y
    LMB_RIGID_BOX,
    LMB_RIGID_PLANE,  ///< y = 0 of its frame, free above; of the world only
    LMB_RIGID_GROUND, ///< triangles or heights; of the world only
} lmb_rigid_shape_kind;

/// Triangles, or a field of heights, that bodies rest on and bump into; it does not change and may
/// be in many worlds at once.
typedef struct lmb_ground lmb_ground;

/// Free on the side from which triangles are counter-clockwise. Corners within a millionth of the
/// whole are one.
typedef struct lmb_ground_mesh {
    const lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *indices; ///< in threes
    uint32_t index_count;
} lmb_ground_mesh;

/// Copies. Errors: INVALID for an index out of range or a position that is not finite; MEMORY.
LMB_API lmb_result lmb_ground_of_mesh(const lmb_ground_mesh *mesh, const lmb_allocator *alloc,
                                      lmb_ground **out, lmb_error *error);
/// Copies; all below a field is solid. Errors as lmb_heights_create.
LMB_API lmb_result lmb_ground_of_heights(const lmb_heights *heights, const lmb_allocator *alloc,
                                         lmb_ground **out, lmb_error *error);
LMB_API void lmb_ground_destroy(lmb_ground *ground);
/// The first of the ground straight below a point of its frame, and its normal, upward. False where
/// there is none.
LMB_API bool lmb_ground_below(const lmb_ground *ground, lmb_vec3 from, lmb_vec3 *at,
                              lmb_vec3 *normal);

/// What meets other shapes. Friction of a pair is the geometric mean of the two, restitution the
/// greater.
typedef struct lmb_rigid_shape {
    lmb_rigid_shape_kind kind;
    int32_t body; ///< that carries it; LMB_NONE: the world
    lmb_vec3 offset;
    lmb_quat rotation; ///< all zero counts as identity
    float radius;      ///< of a sphere or capsule, metres
    lmb_vec3 half;     ///< half the sides of a box; half.y: half the straight part of a capsule
    float static_friction, dynamic_friction; ///< not negative
    float restitution;                       ///< 0 to 1
    const lmb_ground *ground;                ///< of a ground; must outlive the world
} lmb_rigid_shape;

/// The axes are principal: the tensor of inertia is diagonal in them.
typedef struct lmb_rigid_body {
    lmb_vec3 position;           ///< of the centre of mass
    lmb_quat rotation;           ///< all zero counts as identity
    lmb_vec3 velocity;           ///< metres a second
    lmb_vec3 spin;               ///< radians a second, in the world
    float mass;                  ///< kilograms; 0: moves as it is told, and nothing pushes it
    lmb_vec3 inertia;            ///< kilogram square metres; above 0 where there is mass
    float damping, spin_damping; ///< shares a second, not negative
} lmb_rigid_body;

typedef enum lmb_rigid_joint_kind {
    /// the two anchors meet; `limit` says what may turn: a ball, a hinge, nothing (fixed), or all
    LMB_RIGID_POINT = 0,
    LMB_RIGID_DISTANCE, ///< the anchors are from `least_m` to `most_m` apart
} lmb_rigid_joint_kind;

/// A spring and damper that turns body 1 toward `target`, as an implicit step of both, so that any
/// stiffness is stable.
typedef struct lmb_rigid_motor {
    lmb_quat target;   ///< frame_0_from_frame_1; all zero counts as identity
    lmb_vec3 turning;  ///< how the target turns in frame 0, radians a second: not damped
    float stiffness;   ///< newton metres a radian; 0: a damper alone
    float damping;     ///< newton metre seconds a radian
    float most_torque; ///< newton metres; 0: no bound
} lmb_rigid_motor;

typedef struct lmb_rigid_joint {
    lmb_rigid_joint_kind kind;
    int32_t bodies[2];     ///< the first may be LMB_NONE, the world
    lmb_vec3 anchors[2];   ///< in each body's frame
    lmb_quat frames[2];    ///< body_from_joint, all zero counts as identity
    lmb_joint_limit limit; ///< of frame_0_from_frame_1; its box is not looked at
    float compliance;      ///< of the anchors, metres a newton
    float least_m, most_m;
    lmb_rigid_motor motor;
    bool bodies_meet; ///< shapes of the two bodies meet each other
} lmb_rigid_joint;

typedef struct lmb_world_def {
    uint32_t body_count, shape_count, joint_count, apart_count;
    const lmb_rigid_body *bodies;
    const lmb_rigid_shape *shapes;
    const lmb_rigid_joint *joints; ///< best from the root of a figure outward
    const uint32_t (*apart)[2];    ///< [apart_count] pairs of bodies whose shapes do not meet
    lmb_vec3 gravity;              ///< metres a second squared; not downward by itself
    uint32_t substeps;             ///< a step; 0: LMB_WORLD_SUBSTEPS
    /// pairs of shapes that may be near each other at once; 0: 16 a shape, or all there are
    uint32_t pair_capacity;
    bool never_sleeps;
} lmb_world_def;

#define LMB_WORLD_SUBSTEPS 20

typedef struct lmb_world lmb_world;

/// Copies the definition. Errors: INVALID for an index out of range, numbers out of theirs, a plane
/// or a ground that a body carries; MEMORY.
LMB_API lmb_result lmb_world_create(const lmb_world_def *def, const lmb_allocator *alloc,
                                    lmb_world **out, lmb_error *error);
LMB_API void lmb_world_destroy(lmb_world *world);

/// Goes on by dt_s (above 0; longer than 1/15 s is cut). No allocation. The same calls give the
/// same bits; another dt_s is another simulation.
LMB_API void lmb_world_step(lmb_world *world, float dt_s);

typedef struct lmb_rigid_state {
    lmb_vec3 position;
    lmb_quat rotation;
    lmb_vec3 velocity, spin;
    bool asleep;
} lmb_rigid_state;
LMB_API lmb_rigid_state lmb_world_state(const lmb_world *world, uint32_t body);
/// A teleport: wakes the body (`asleep` is not looked at).
LMB_API void lmb_world_set_state(lmb_world *world, uint32_t body, const lmb_rigid_state *state);
/// Carries a body without mass there within the next step, by its velocity and spin.
LMB_API void lmb_world_carry(lmb_world *world, uint32_t body, lmb_vec3 position, lmb_quat rotation,
                             float dt_s);
/// Makes a body one without mass and stops what moved it (false), or gives it its mass back (true).
LMB_API void lmb_world_set_moving(lmb_world *world, uint32_t body, bool moves);
/// Newtons and newton metres in the world, through the whole of the next step; they add up.
LMB_API void lmb_world_force(lmb_world *world, uint32_t body, lmb_vec3 force, lmb_vec3 torque);
/// Newton seconds at a point of the world, at once.
LMB_API void lmb_world_push(lmb_world *world, uint32_t body, lmb_vec3 impulse, lmb_vec3 point);
LMB_API void lmb_world_set_motor(lmb_world *world, uint32_t joint, const lmb_rigid_motor *motor);

/// How well the world holds together now.
typedef struct lmb_world_report {
    double kinetic, potential; ///< joules; the potential is 0 at the origin
    /// that forces have done and motors have put in since the world was made, joules; what motors
    /// take is not in it
    double work;
    float separation;  ///< the worst of all joints, metres
    float excess_rad;  ///< the farthest that a joint is out of its limit
    float penetration; ///< the deepest contact, metres
    uint32_t contact_count, asleep_count;
    uint32_t dropped; ///< pairs and contacts without room since the world was made
    bool finite;      ///< every number is one
} lmb_world_report;
/// Uses the world's room for contacts, and changes nothing.
LMB_API void lmb_world_measure(lmb_world *world, lmb_world_report *out);

/// Mass and principal moments of a sphere, capsule or box about its own centre.
LMB_API void lmb_rigid_shape_mass(const lmb_rigid_shape *shape, float density, float *mass,
                                  lmb_vec3 *inertia);

enum { LMB_RIGID_SHAPES = 16 };

typedef struct lmb_rigid_fit_opts {
    float density;        ///< kilograms a cubic metre; 0: 985, about that of water
    float mass;           ///< kilograms; 0: by the density
    uint32_t most_shapes; ///< 0: 8; at most LMB_RIGID_SHAPES
} lmb_rigid_fit_opts;

/// A body that stands for a surface: boxes, capsules and spheres around its points, mass and
/// principal moments of what the surface encloses, or, where it is open, of boxes around its parts.
typedef struct lmb_rigid_fit {
    lmb_rigid_body body; ///< at rest where the surface is
    uint32_t shape_count;
    lmb_rigid_shape shapes[LMB_RIGID_SHAPES]; ///< of body 0; friction and restitution of 0
    float volume;                             ///< cubic metres
    float fill;                               ///< the surface's volume over the shapes'; open: 1
    bool is_closed;
} lmb_rigid_fit;

/// The surface is cut by planes while that makes the shapes around its parts smaller. Errors:
/// INVALID for an index out of range, a position that is not finite, nothing of any size; MEMORY.
LMB_API lmb_result lmb_rigid_fit_mesh(const lmb_ground_mesh *mesh, const lmb_rigid_fit_opts *opts,
                                      const lmb_allocator *alloc, lmb_rigid_fit *out,
                                      lmb_error *error);

// --------------------------------------------------------------------------------------- ragdolls

/// A body that stands for a joint of a skeleton and the skin that goes with it.
typedef struct lmb_ragdoll_bone {
    uint32_t joint;
    int32_t parent; ///< bone, < own index; LMB_NONE for the first
    /// in the model at rest: the capsule's middle and axes, y along it; scale 1
    lmb_transform model_from_body;
    float radius, half; ///< half the way between the centres of the capsule's ends
    float mass;
    lmb_vec3 inertia;
    lmb_joint_limit limit; ///< in the joint's rest frame, as a skeleton's
    uint32_t vertex_count; ///< of the skin that is mostly its own
    float coverage;        ///< share of those within 1.15 radii of its axis
} lmb_ragdoll_bone;

typedef struct lmb_ragdoll_set {
    uint32_t bone_count, apart_count;
    lmb_ragdoll_bone *bones;
    uint32_t (*apart)[2]; ///< bones that touch at rest, and so never meet
    lmb_box box;          ///< of the character at rest
    lmb_allocator allocator;
} lmb_ragdoll_set;

typedef struct lmb_ragdoll_opts {
    /// that have bodies, at least one; NULL: those that much of the skin goes with
    const uint32_t *joints;
    uint32_t joint_count;
    /// [joint_count of the skeleton], such as lmb_human_limits gives; NULL: the skeleton's own.
    /// Where a joint is free: a cone of 35 degrees about its bone and 20 of twist either way
    const lmb_joint_limit *limits;
    float mass;          ///< of the whole, kilograms; 0: 985 kg/m3 in the capsules
    uint32_t most_bones; ///< when joints are chosen; 0: 24
} lmb_ragdoll_opts;

/// Capsules fitted to the skin at rest, masses, limits, and what may not meet. The skin of a joint
/// without a body goes with the nearest above that has one; without a skin, capsules are an eighth
/// as thick as the bones are long. No bone weighs less than a tenth of the one that carries it.
/// Errors: INVALID for a joint out of range or named twice, for a character with nothing to stand
/// for; MEMORY.
LMB_API lmb_result lmb_ragdoll_set_make(const lmb_character *character,
                                        const lmb_ragdoll_opts *opts, const lmb_allocator *alloc,
                                        lmb_ragdoll_set **out, lmb_error *error);
LMB_API void lmb_ragdoll_set_destroy(lmb_ragdoll_set *set);
/// The bone that stands for a joint, or LMB_NONE.
LMB_API int32_t lmb_ragdoll_set_find(const lmb_ragdoll_set *set, uint32_t joint);

/// What it falls in. All zero: nothing, without gravity.
typedef struct lmb_ragdoll_scene {
    lmb_vec3 gravity;
    const lmb_rigid_shape *shapes; ///< of the world: `body` is LMB_NONE
    uint32_t shape_count;
    uint32_t substeps; ///< 0: LMB_WORLD_SUBSTEPS
    float friction;    ///< of the bones, static; dynamic is 0.8 of it
    /// dry friction in the joints, as a share of the torque that the earth's gravity has at most on
    /// what hangs on them: 0.1 is a limp body, 0 hangs loose
    float joint_friction;
    bool never_sleeps;
} lmb_ragdoll_scene;

typedef struct lmb_ragdoll lmb_ragdoll;

/// Bodies at rest. Body and joint k of its world are bone k (joint 0 is not there: joint k - 1 is
/// the one that carries bone k). Set and skeleton must outlive the machine. Errors: as
/// lmb_world_create.
LMB_API lmb_result lmb_ragdoll_create(const lmb_ragdoll_set *set, const lmb_skeleton *skeleton,
                                      const lmb_ragdoll_scene *scene, const lmb_allocator *alloc,
                                      lmb_ragdoll **out, lmb_error *error);
LMB_API void lmb_ragdoll_destroy(lmb_ragdoll *ragdoll);
/// To push, to measure. Do not step it.
LMB_API lmb_world *lmb_ragdoll_world(lmb_ragdoll *ragdoll);

/// How a bone moves. Zero: it falls.
typedef struct lmb_ragdoll_drive {
    bool carried; ///< goes exactly where the pose says, and pushes what it meets
    /// how fast the joint turns back to the pose, as the frequency of a critically damped spring
    /// that bears all that hangs on it; 2 to 6 is a body that is awake. 0: not at all
    float hz;
    float most_torque; ///< newton metres; 0: no bound
} lmb_ragdoll_drive;
LMB_API void lmb_ragdoll_set_drive(lmb_ragdoll *ragdoll, uint32_t bone,
                                   const lmb_ragdoll_drive *drive);
/// An outer hand that takes the first bone after the pose, 0: none. It pulls with at most
/// `most_weights` times the weight of all.
LMB_API void lmb_ragdoll_set_balance(lmb_ragdoll *ragdoll, float hz, float most_weights);

/// Puts the bodies where a pose has them, with the speed they have from `before` (NULL: none) dt_s
/// ago. Joints hold from the first bone outward: what the pose stretches is not kept.
typedef struct lmb_ragdoll_place_job {
    lmb_ragdoll *ragdoll;
    const lmb_transform *local, *before; ///< [joint_count]
    lmb_mat4 root;                       ///< as in lmb_pose_to_model; all zero counts as identity
    float dt_s;
} lmb_ragdoll_place_job;
LMB_API void lmb_ragdoll_place(const lmb_ragdoll_place_job *job);

/// One frame, after sampling and before skinning; no allocation.
typedef struct lmb_ragdoll_step_job {
    lmb_ragdoll *ragdoll;
    /// [joint_count] in: the frame's pose, that drives lead to; out: the bones that are not carried
    /// as the bodies have them, and joints between bones at rest
    lmb_transform *local;
    lmb_mat4 root;
    lmb_mat4 *model_from_joint; ///< [joint_count], of `local` as it comes out
    float dt_s;                 ///< 0: only shows
    float share; ///< of the pose that comes out, the bodies' part; 1: all, 0: the frame's pose
} lmb_ragdoll_step_job;
LMB_API void lmb_ragdoll_step(const lmb_ragdoll_step_job *job);

// ------------------------------------------------------------------------------------------ flesh

/// Skin that lags, swings and keeps its volume over the skin that follows the joints. Particles are
/// the vertices, those of one place being one; each is held to where the skin has it by a spring,
/// edges hold the length that the skin gives them, regions the volume that they have at rest (XPBD:
/// Macklin et al. 2016; volumes: Müller et al. 2007).
typedef struct lmb_flesh_def {
    uint32_t vertex_count, index_count;
    /// [vertex_count] the skin at rest, by the same deformer that makes the targets: what is there
    /// then does not move at all
    const lmb_vec3 *rest;
    const uint32_t *indices; ///< [index_count] triangles, counter-clockwise from outside
    /// [vertex_count] 0: as on bone, 1: swings at frequency_hz; between, at frequency_hz / soft up
    /// to 50 times it. NULL: 1
    const float *soft;
    /// [vertex_count] how much a vertex moves to keep the volume of its region, 0 to 1; NULL: 1
    const float *give;
    const uint32_t *region; ///< [vertex_count] below region_count; NULL: one region
    uint32_t region_count;  ///< 0: volumes are left alone; with a NULL region 1
    float frequency_hz;     ///< of the softest skin; 0 counts as 4
    float damping;          ///< 1: no swing; 0 counts as 0.25
    float stretch_hz;       ///< of edges; 0 counts as 30
} lmb_flesh_def;

typedef struct lmb_flesh lmb_flesh;

/// Regions that are open, by an edge of the mesh or of their own, are closed by a fan about the
/// middle of each edge loop. Errors: INVALID for indices, regions or numbers out of range; MEMORY.
LMB_API lmb_result lmb_flesh_create(const lmb_flesh_def *def, const lmb_allocator *alloc,
                                    lmb_flesh **out, lmb_error *error);
LMB_API void lmb_flesh_destroy(lmb_flesh *flesh);
/// Forgets all motion: after a cut. The next step begins at its targets, and the one after it with
/// their speed.
LMB_API void lmb_flesh_reset(lmb_flesh *flesh);
/// Particles, edges and regions, for reports.
LMB_API void lmb_flesh_counts(const lmb_flesh *flesh, uint32_t counts[3]);

/// How the flesh is after the last step.
typedef struct lmb_flesh_report {
    float kinetic;  ///< joules a kilogram, of particles of one mass
    float offset_m; ///< the farthest that a particle is from the skin
    float volume;   ///< how far regions are from their volumes at rest, all together, as a share
    float stretch;  ///< root mean square of edges' lengths against the skin's, as shares
} lmb_flesh_report;
LMB_API void lmb_flesh_measure(lmb_flesh *flesh, lmb_flesh_report *out);

/// One frame, after skinning; no allocation. It runs in sub-steps of at most 1/120 s; the targets
/// move evenly from those of the step before. A pause of more than 0.1 s counts as that.
typedef struct lmb_flesh_step_job {
    lmb_flesh *flesh;
    const lmb_vec3 *targets; ///< [vertex_count] the skinned positions, world or model space
    float dt_s;              ///< since the step before, not negative; 0: where it is, once more
    lmb_vec3 *positions;     ///< [vertex_count] out; may be `targets`
} lmb_flesh_step_job;
LMB_API void lmb_flesh_step(const lmb_flesh_step_job *job);

/// The skin's normals, turned as the surface of the last step is turned against the targets:
/// shading keeps its creases and seams. Unit in, unit out; no allocation.
typedef struct lmb_flesh_normals_job {
    lmb_flesh *flesh;
    const lmb_vec3 *targets, *positions; ///< [vertex_count] of the last step
    const lmb_vec3 *normals;             ///< [vertex_count] of the skin at `targets`
    lmb_vec3 *out;                       ///< [vertex_count] may be `normals`
} lmb_flesh_normals_job;
LMB_API void lmb_flesh_normals(const lmb_flesh_normals_job *job);

/// How a joint moves: about `axis`, in radians a second, and where it is and how fast.
typedef struct lmb_flesh_motion {
    lmb_vec3 axis, at, speed;
} lmb_flesh_motion;

/// The flesh that remembers nothing: each vertex lags behind the joints that carry it, along the
/// arcs that they move on (after Rohmer et al., Velocity Skinning, 2021).
typedef struct lmb_flesh_drag_job {
    uint32_t vertex_count, joint_count;
    const lmb_vec3 *bind;             ///< [vertex_count] before skinning
    const lmb_influences *influences; ///< rows over the joints of the palettes
    const lmb_mat4 *palette, *before; ///< [joint_count] model_from_bind, now and dt_s ago
    float dt_s;                       ///< positive
    float lag_s;                      ///< how far a vertex of softness 1 lags
    const float *soft;                ///< [vertex_count], NULL: 1
    lmb_flesh_motion *motions;        ///< [joint_count] scratch
    lmb_vec3 *positions;              ///< [vertex_count] out
} lmb_flesh_drag_job;
/// Where no joint moves it is linear blend skinning.
LMB_API void lmb_flesh_drag(const lmb_flesh_drag_job *job);

#ifdef __cplusplus
}
#endif
#endif
