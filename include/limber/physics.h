/// Simulated motion: springs for hair, tails, ears, skirts and ropes; rigid bodies; ragdolls; soft
/// tissue.
#ifndef LIMBER_PHYSICS_H
#define LIMBER_PHYSICS_H

#include "limber/asset.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ spring sets

typedef enum lmb_spring_shape {
    LMB_SPRING_SPHERE = 0,
    LMB_SPRING_CAPSULE,
    LMB_SPRING_PLANE,
} lmb_spring_shape;

/// A collider that tails of springs stay out of, in its joint's frame. Radii do not scale with the
/// joint.
typedef struct lmb_spring_collider {
    uint32_t joint;
    lmb_spring_shape shape;
    bool inside; ///< spheres and capsules: tails stay inside
    lmb_vec3 offset;
    lmb_vec3 tail;   ///< other end of a capsule's axis
    lmb_vec3 normal; ///< of a plane, pointing to the free side; not zero
    float radius;    ///< metres, not negative
} lmb_spring_collider;

/// A spring bone as in VRMC_springBone 1.0: the joint's rotation follows a simulated point, the
/// tail.
typedef struct lmb_spring_joint {
    uint32_t joint;
    int32_t tail; ///< a descendant joint that is the tail; LMB_NONE: use `tail_offset`
    /// in the joint's frame, metres; if zero (or the tail is at the joint) the joint does not swing
    lmb_vec3 tail_offset;
    float stiffness;     ///< pull to the rest direction, m/s per sub-step; not negative
    float gravity_power; ///< m/s per sub-step along `gravity`
    lmb_vec3 gravity;    ///< direction in the world
    float drag;          ///< fraction of the velocity removed per sub-step, 0 to 1
    float hit_radius;    ///< of the tail, metres; not negative
    int32_t center;      ///< joint relative to which inertia acts; LMB_NONE: the world
    /// stiffness pulls to the animated local pose instead of the rest pose
    bool follows_pose;
    uint32_t first_reference, reference_count; ///< its colliders, tested in this order
} lmb_spring_joint;

/// Which length a spring keeps between joint and tail. The specification uses the bone's length;
/// three-vrm (3.5) measures to where the tail's node was, before joints above it rotated in the
/// same step: lengths then pulsate, the more the faster it swings.
typedef enum lmb_spring_length {
    LMB_SPRING_LENGTH_OF_BONE = 0,
    /// three-vrm in its documented loop mixer.update, vrm.update, render: tails where the last step
    /// left them
    LMB_SPRING_LENGTH_LEFT,
    /// three-vrm with scene.updateMatrixWorld before: the same, moved with the springs' parents
    LMB_SPRING_LENGTH_CARRIED,
} lmb_spring_length;

/// All springs of one skeleton; at most one per joint.
typedef struct lmb_spring_set {
    uint32_t joint_count, collider_count, reference_count;
    lmb_spring_joint *joints;
    lmb_spring_collider *colliders;
    uint32_t *references;     ///< [reference_count] indices into `colliders`
    lmb_spring_length length; ///< may also be set after create
    lmb_allocator allocator;
} lmb_spring_set;

/// Errors: INVALID for an index out of range, a tail that is not below its joint, a joint given
/// twice, a number out of range; MEMORY.
LMB_API lmb_result lmb_spring_set_create(const lmb_spring_set *def, const lmb_skeleton *skeleton,
                                         const lmb_allocator *alloc, lmb_spring_set **out,
                                         lmb_error *error);
LMB_API void lmb_spring_set_destroy(lmb_spring_set *set);

/// Springs from a character's file: VRMC_springBone 1.0 with VRMC_springBone_extended_collider,
/// else secondaryAnimation of VRM 0.x; an empty set if there are none. A joint named by two springs
/// belongs to the first. Errors: MALFORMED with the JSON pointer into the extension; MEMORY.
LMB_API lmb_result lmb_spring_set_read(const lmb_character *character, const lmb_allocator *alloc,
                                       lmb_spring_set **out, lmb_error *error);

/// Parameters of a soft chain: stiffness 1, drag 0.4, gravity 0.1 down, following the pose.
LMB_API lmb_spring_joint lmb_spring_soft(void);
/// Copies `set` (NULL: empty) and adds `joint` and all joints below with the parameters of `like`;
/// joints already in the set keep theirs. A joint's tail is its first child; a leaf's is its tip,
/// or up to 7 cm on in the direction from its parent. Destroys nothing. Errors as
/// lmb_spring_set_create.
LMB_API lmb_result lmb_spring_set_add_chain(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                                            uint32_t joint, const lmb_spring_joint *like,
                                            const lmb_allocator *alloc, lmb_spring_set **out,
                                            lmb_error *error);

// ---------------------------------------------------------------------------------------- springs

/// Sub-steps per second, at any frame rate. A step runs as many as fit and keeps the remaining time
/// for the next.
#define LMB_SPRINGS_HZ 60
/// Maximum sub-steps per step; longer pauses are clamped.
#define LMB_SPRINGS_MOST 12

typedef struct lmb_springs lmb_springs;

/// Set and skeleton must outlive the machine. Errors: MEMORY.
LMB_API lmb_result lmb_springs_create(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                                      const lmb_allocator *alloc, lmb_springs **out,
                                      lmb_error *error);
LMB_API void lmb_springs_destroy(lmb_springs *springs);

/// One frame, after sampling and before skinning; no allocation. The first step after create or
/// reset starts at rest in the given pose. Within a frame of several sub-steps the parents' motion
/// is interpolated from the frame before.
typedef struct lmb_springs_step_job {
    lmb_springs *springs;
    /// [joint_count] the frame's pose; rotations of spring joints are replaced
    lmb_transform *local;
    /// transform above the roots, as in lmb_pose_to_model; all zero counts as identity
    lmb_mat4 root;
    /// [joint_count] model matrices of `local` with `root`; updated at and below the springs
    lmb_mat4 *model_from_joint;
    float dt_s;   ///< since the step before, not negative
    bool restart; ///< clears all motion first, after a cut or teleport
    /// a teleport since the step before that keeps the motion: the rigid transform that all of the
    /// model was moved by, in the space of model_from_joint; or NULL
    const lmb_mat4 *moved;
} lmb_springs_step_job;
LMB_API void lmb_springs_step(const lmb_springs_step_job *job);

/// State of the springs as last displayed.
typedef struct lmb_springs_report {
    float kinetic;     ///< J/kg, of tails of equal mass, over the last sub-step
    float penetration; ///< maximum depth of a tail in its own colliders, metres
} lmb_springs_report;
LMB_API void lmb_springs_measure(const lmb_springs *springs, lmb_springs_report *out);

// ----------------------------------------------------------------------------------- rigid bodies
//
// Extended position-based dynamics in sub-steps: Mueller, Macklin, Chentanez, Jeschke and Kim,
// "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020. Each joint solves
// its anchors' three equations at once (their equation 2 along three axes). Joints are swept
// forward and backward, in double precision.

typedef enum lmb_rigid_shape_kind {
    LMB_RIGID_SPHERE = 0,
    LMB_RIGID_CAPSULE, ///< along y: the centres of its ends are 2 half.y apart
    LMB_RIGID_BOX,
    LMB_RIGID_PLANE,  ///< y = 0 of its frame, free above; of the world only
    LMB_RIGID_GROUND, ///< a lmb_ground; of the world only
} lmb_rigid_shape_kind;

/// Static triangle mesh or height field that bodies collide with. Immutable; may be shared by
/// worlds.
typedef struct lmb_ground lmb_ground;

/// Triangles are counter-clockwise from the free side. Vertices closer than a millionth of the
/// mesh's size are merged.
typedef struct lmb_ground_mesh {
    const lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *indices; ///< in threes
    uint32_t index_count;
} lmb_ground_mesh;

/// A ground of a mesh or of a height field, the other being NULL; all below a field is solid. Copies.
/// Errors: INVALID for an index out of range or a position that is not finite, and as
/// lmb_height_field_create; MEMORY.
LMB_API lmb_result lmb_ground_create(const lmb_ground_mesh *mesh, const lmb_height_field *heights,
                                     const lmb_allocator *alloc, lmb_ground **out,
                                     lmb_error *error);
LMB_API void lmb_ground_destroy(lmb_ground *ground);
/// Nearest point of the ground straight below a point, in the ground's frame, and its upward
/// normal. False if there is none.
LMB_API bool lmb_ground_below(const lmb_ground *ground, lmb_vec3 from, lmb_vec3 *at,
                              lmb_vec3 *normal);

/// A collision shape. A pair's friction is the geometric mean of the two, its restitution the
/// greater.
typedef struct lmb_rigid_shape {
    lmb_rigid_shape_kind kind;
    int32_t body; ///< body it is attached to; LMB_NONE: the world
    lmb_vec3 offset;
    lmb_quat rotation; ///< all zero counts as identity
    float radius;      ///< of a sphere or capsule, metres
    lmb_vec3 half;     ///< half extents of a box; half.y: half the straight part of a capsule
    float static_friction, dynamic_friction; ///< not negative
    float restitution;                       ///< 0 to 1
    const lmb_ground *ground;                ///< for LMB_RIGID_GROUND; must outlive the world
} lmb_rigid_shape;

/// The body's axes are its principal axes of inertia.
typedef struct lmb_rigid_body {
    lmb_vec3 position;           ///< of the centre of mass
    lmb_quat rotation;           ///< all zero counts as identity
    lmb_vec3 velocity;           ///< m/s
    lmb_vec3 spin;               ///< angular velocity in the world, rad/s
    float mass;                  ///< kilograms; 0: kinematic, no force moves it
    lmb_vec3 inertia;            ///< principal moments, kg m^2; above 0 if mass is
    float damping, spin_damping; ///< decay rates, 1/s; not negative
} lmb_rigid_body;

typedef enum lmb_rigid_joint_kind {
    /// the two anchors coincide; `limit` constrains rotation: ball, hinge, fixed or free
    LMB_RIGID_POINT = 0,
    LMB_RIGID_DISTANCE, ///< the anchors stay `least_m` to `most_m` apart
} lmb_rigid_joint_kind;

/// Spring and damper that rotates body 1 toward `target`, integrated implicitly: any stiffness is
/// stable.
typedef struct lmb_rigid_motor {
    lmb_quat target;           ///< frame_0_from_frame_1; all zero counts as identity
    lmb_vec3 angular_velocity; ///< angular velocity of the target in frame 0, rad/s: not damped
    float stiffness;           ///< N m/rad; 0: damper only
    float damping;             ///< N m s/rad
    float most_torque;         ///< N m; 0: unbounded
} lmb_rigid_motor;

typedef struct lmb_rigid_joint {
    lmb_rigid_joint_kind kind;
    int32_t bodies[2];     ///< the first may be LMB_NONE for the world
    lmb_vec3 anchors[2];   ///< in each body's frame
    lmb_quat frames[2];    ///< body_from_joint, all zero counts as identity
    lmb_joint_limit limit; ///< of frame_0_from_frame_1; its box is ignored
    float compliance;      ///< of the anchors, m/N
    float least_m, most_m;
    lmb_rigid_motor motor;
    bool bodies_meet; ///< the two bodies' shapes collide with each other
} lmb_rigid_joint;

typedef struct lmb_world_def {
    uint32_t body_count, shape_count, joint_count, filtered_count;
    const lmb_rigid_body *bodies;
    const lmb_rigid_shape *shapes;
    const lmb_rigid_joint *joints; ///< converges best ordered from root to leaves
    /// [filtered_count] collision filter: pairs of bodies that do not collide
    const uint32_t (*filtered)[2];
    lmb_vec3 gravity;  ///< m/s^2; 0 by default
    uint32_t substeps; ///< per step; 0: LMB_WORLD_SUBSTEPS
    /// maximum pairs of shapes near each other; 0: 16 per shape, or all pairs if fewer
    uint32_t pair_capacity;
    bool never_sleeps;
} lmb_world_def;

#define LMB_WORLD_SUBSTEPS 20

typedef struct lmb_world lmb_world;

/// Copies the definition. Errors: INVALID for an index or number out of range, a plane or ground
/// attached to a body; MEMORY.
LMB_API lmb_result lmb_world_create(const lmb_world_def *def, const lmb_allocator *alloc,
                                    lmb_world **out, lmb_error *error);
LMB_API void lmb_world_destroy(lmb_world *world);

/// Advances by dt_s (above 0; clamped to 1/15 s). No allocation. Deterministic: the same calls give
/// the same bits. Results depend on dt_s.
LMB_API void lmb_world_step(lmb_world *world, float dt_s);

typedef struct lmb_rigid_state {
    lmb_vec3 position;
    lmb_quat rotation;
    lmb_vec3 velocity, spin;
    bool asleep;
} lmb_rigid_state;
LMB_API lmb_rigid_state lmb_world_state(const lmb_world *world, uint32_t body);
/// Teleports a body and wakes it; `asleep` is ignored.
LMB_API void lmb_world_set_state(lmb_world *world, uint32_t body, const lmb_rigid_state *state);
/// Applies an impulse (N s) at a point of the world, at once.
LMB_API void lmb_world_push(lmb_world *world, uint32_t body, lmb_vec3 impulse, lmb_vec3 point);

/// Energies and constraint errors of the current state.
typedef struct lmb_world_report {
    double kinetic, potential; ///< joules; the potential is 0 at the origin
    /// work of forces and positive work of motors since creation, joules
    double work;
    float separation;  ///< maximum anchor gap of all joints, metres
    float excess_rad;  ///< maximum excess of a joint over its limit
    float penetration; ///< the deepest contact, metres
    uint32_t contact_count, asleep_count;
    uint32_t dropped; ///< pairs and contacts dropped for lack of capacity since creation
    bool finite;      ///< no NaN and no infinity
} lmb_world_report;
/// Overwrites the world's contact buffer, and changes nothing else.
LMB_API void lmb_world_measure(lmb_world *world, lmb_world_report *out);

/// Mass and principal moments of a sphere, capsule or box about its own centre.
LMB_API void lmb_rigid_shape_mass(const lmb_rigid_shape *shape, float density, float *mass,
                                  lmb_vec3 *inertia);

enum { LMB_RIGID_SHAPES = 16 };

typedef struct lmb_rigid_fit_opts {
    float density;        ///< kg/m^3; 0: 985, about that of water
    float mass;           ///< kilograms; 0: from the density
    uint32_t most_shapes; ///< 0: 8; at most LMB_RIGID_SHAPES
} lmb_rigid_fit_opts;

/// A rigid body fitted to a surface: boxes, capsules and spheres around its points; mass properties
/// of the enclosed volume or, if the surface is open, of the boxes around its parts.
typedef struct lmb_rigid_fit {
    lmb_rigid_body body; ///< at rest at the surface's position
    uint32_t shape_count;
    lmb_rigid_shape shapes[LMB_RIGID_SHAPES]; ///< of body 0; friction and restitution are 0
    float volume;                             ///< m^3
    float fill; ///< volume of the surface over that of the shapes; 1 if open
    bool is_closed;
} lmb_rigid_fit;

/// Cuts the surface by planes while that makes the shapes around its parts smaller. Errors: INVALID
/// for an index out of range, a position that is not finite, a mesh without size; MEMORY.
LMB_API lmb_result lmb_rigid_fit_mesh(const lmb_ground_mesh *mesh, const lmb_rigid_fit_opts *opts,
                                      const lmb_allocator *alloc, lmb_rigid_fit *out,
                                      lmb_error *error);

// --------------------------------------------------------------------------------------- ragdolls

/// The body of a joint, with the skin that moves with it.
typedef struct lmb_ragdoll_bone {
    uint32_t joint;
    int32_t parent; ///< parent bone, < own index; LMB_NONE for the first
    /// model space at rest: the capsule's centre and axes, y along it; scale 1
    lmb_transform model_from_body;
    float radius, half; ///< half the distance between the centres of the capsule's ends
    float mass;
    lmb_vec3 inertia;
    lmb_joint_limit limit; ///< in the joint's rest frame, as a skeleton's
    uint32_t vertex_count; ///< vertices mostly weighted to the bone
    float coverage;        ///< fraction of those within 1.15 radii of its axis
} lmb_ragdoll_bone;

typedef struct lmb_ragdoll_set {
    uint32_t bone_count, filtered_count;
    lmb_ragdoll_bone *bones;
    uint32_t (*filtered)[2]; ///< [filtered_count] collision filter: bones that touch at rest
    lmb_box box;             ///< of the character at rest
    lmb_allocator allocator;
} lmb_ragdoll_set;

typedef struct lmb_ragdoll_opts {
    /// joints that get bodies, at least one; NULL: those that much of the skin is weighted to
    const uint32_t *joints;
    uint32_t joint_count;
    /// [joint_count] for each of `joints` the one of them that it hangs from, LMB_NONE for the first
    /// bone, as feet that are controls hang from shins; NULL: the nearest joint above, or where there
    /// is none the one of the body whose skin is nearest
    const int32_t *parents;
    /// [joint_count of the skeleton], such as from lmb_human_limits; NULL: the skeleton's own. Free
    /// joints get a cone of 35 degrees about the bone and 20 degrees of twist either way
    const lmb_joint_limit *limits;
    float mass;          ///< total, kilograms; 0: 985 kg/m^3 in the capsules
    uint32_t most_bones; ///< if joints are chosen; 0: 24
} lmb_ragdoll_opts;

/// Fits capsules to the skin at rest and sets masses, limits and the collision filter. Skin of a
/// joint without a body belongs to the nearest joint above that has one; without a skin, capsules
/// are an eighth as thick as the bones are long. No bone weighs less than a tenth of its parent.
/// Errors: INVALID for a joint out of range or given twice, for parents that are none of the joints
/// or hang in a circle, for a character without skin or bones; MEMORY.
LMB_API lmb_result lmb_ragdoll_set_make(const lmb_character *character,
                                        const lmb_ragdoll_opts *opts, const lmb_allocator *alloc,
                                        lmb_ragdoll_set **out, lmb_error *error);
LMB_API void lmb_ragdoll_set_destroy(lmb_ragdoll_set *set);
/// Bone that moves a joint: its own, or that of the nearest joint above that has one; LMB_NONE
/// where none above has.
LMB_API int32_t lmb_ragdoll_set_find(const lmb_ragdoll_set *set, const lmb_skeleton *skeleton,
                                     uint32_t joint);

/// Surroundings of a ragdoll. All zero: none, without gravity.
typedef struct lmb_ragdoll_scene {
    lmb_vec3 gravity;
    const lmb_rigid_shape *shapes; ///< static shapes: `body` is LMB_NONE
    uint32_t shape_count;
    uint32_t substeps; ///< 0: LMB_WORLD_SUBSTEPS
    float friction;    ///< static friction of the bones; dynamic friction is 0.8 of it
    /// dry friction in the joints, as a fraction of the maximum gravity torque of all they support:
    /// 0.1 is a limp body, 0 has none
    float joint_friction;
    bool never_sleeps;
} lmb_ragdoll_scene;

typedef struct lmb_ragdoll lmb_ragdoll;

/// Creates the bodies at rest. Body k of its world is bone k, and joint k - 1 connects bone k to
/// its parent. Set and skeleton must outlive the ragdoll. Errors: as lmb_world_create.
LMB_API lmb_result lmb_ragdoll_create(const lmb_ragdoll_set *set, const lmb_skeleton *skeleton,
                                      const lmb_ragdoll_scene *scene, const lmb_allocator *alloc,
                                      lmb_ragdoll **out, lmb_error *error);
LMB_API void lmb_ragdoll_destroy(lmb_ragdoll *ragdoll);
/// For impulses and measuring. Do not step it.
LMB_API lmb_world *lmb_ragdoll_world(lmb_ragdoll *ragdoll);

/// How a bone follows the pose. Zero: it falls.
typedef struct lmb_ragdoll_drive {
    bool carried; ///< kinematic: follows the pose exactly, and pushes what it hits
    /// motor frequency: critically damped spring toward the pose, scaled to the inertia of all the
    /// joint supports; 2 to 6 for a conscious body. 0: no motor
    float hz;
    float most_torque; ///< N m; 0: unbounded
} lmb_ragdoll_drive;
LMB_API void lmb_ragdoll_set_drive(lmb_ragdoll *ragdoll, uint32_t bone,
                                   const lmb_ragdoll_drive *drive);
/// External force that pulls the first bone to the pose at frequency hz; 0: none. At most
/// `most_weights` times the total weight.
LMB_API void lmb_ragdoll_set_balance(lmb_ragdoll *ragdoll, float hz, float most_weights);

/// Places the bodies in a pose, with the velocities from `before` (NULL: none) dt_s ago. Joints are
/// kept together from the first bone outward, so stretch in the pose is ignored.
typedef struct lmb_ragdoll_set_pose_job {
    lmb_ragdoll *ragdoll;
    const lmb_transform *local, *before; ///< [joint_count]
    lmb_mat4 root;                       ///< as in lmb_pose_to_model; all zero counts as identity
    float dt_s;
} lmb_ragdoll_set_pose_job;
LMB_API void lmb_ragdoll_set_pose(const lmb_ragdoll_set_pose_job *job);

/// One frame, after sampling and before skinning; no allocation.
typedef struct lmb_ragdoll_step_job {
    lmb_ragdoll *ragdoll;
    /// [joint_count] in: the frame's pose, target of the drives; out: simulated bones as the bodies
    /// are, joints between bones at rest
    lmb_transform *local;
    lmb_mat4 root;
    lmb_mat4 *model_from_joint; ///< [joint_count] out, of the resulting `local`
    float dt_s;                 ///< 0: no step, only reads the bodies
    float weight; ///< weight of the bodies in the resulting pose; 1: all, 0: the frame's pose
} lmb_ragdoll_step_job;
LMB_API void lmb_ragdoll_step(const lmb_ragdoll_step_job *job);

// ------------------------------------------------------------------------------------ soft tissue

/// Soft tissue: skin that lags, swings and keeps its volume over the skinned mesh. Particles are
/// the vertices, merged by position. A spring holds each to its skinned position, edges hold their
/// skinned length, regions their volume at rest (XPBD: Macklin et al. 2016; volumes: Müller et al.
/// 2007).
typedef struct lmb_soft_tissue_def {
    uint32_t vertex_count, index_count;
    /// [vertex_count] the skin at rest, by the same deformer as the targets: then a character at
    /// rest does not move at all
    const lmb_vec3 *rest;
    const uint32_t *indices; ///< [index_count] triangles, counter-clockwise from outside
    /// [vertex_count] 0: nearly rigid, 1: swings at frequency_hz; between, at frequency_hz / soft, at most
    /// 50 times frequency_hz. NULL: 1
    const float *soft;
    /// [vertex_count] weight with which a vertex moves to keep its region's volume, 0 to 1; NULL: 1
    const float *give;
    const uint32_t *region; ///< [vertex_count] below region_count; NULL: one region
    uint32_t region_count;  ///< 0: no volume is kept; at most 1 with a NULL region
    float frequency_hz;     ///< of the softest skin; 0 counts as 4
    float damping;          ///< 1: no swing; 0 counts as 0.25
    float stretch_hz;       ///< of edges; 0 counts as 30
} lmb_soft_tissue_def;

typedef struct lmb_soft_tissue lmb_soft_tissue;

/// Open regions are closed by a fan about the centre of each boundary loop. Errors: INVALID for
/// indices, regions or numbers out of range; MEMORY.
LMB_API lmb_result lmb_soft_tissue_create(const lmb_soft_tissue_def *def,
                                          const lmb_allocator *alloc, lmb_soft_tissue **out,
                                          lmb_error *error);
LMB_API void lmb_soft_tissue_destroy(lmb_soft_tissue *tissue);
/// State of the soft tissue after the last step.
typedef struct lmb_soft_tissue_report {
    uint32_t particle_count, edge_count, region_count;
    float kinetic;  ///< J/kg, of particles of equal mass
    float offset_m; ///< maximum distance of a particle from its skinned position
    float volume;   ///< sum of the regions' volume errors over the sum of their volumes at rest
    float stretch;  ///< root mean square of the edges' relative length errors
} lmb_soft_tissue_report;
LMB_API void lmb_soft_tissue_measure(lmb_soft_tissue *tissue, lmb_soft_tissue_report *out);

/// One frame, after skinning; no allocation. Runs in sub-steps of at most 1/120 s, with targets
/// interpolated linearly from the step before. Longer pauses are clamped to 0.1 s.
typedef struct lmb_soft_tissue_step_job {
    lmb_soft_tissue *tissue;
    const lmb_vec3 *targets; ///< [vertex_count] the skinned positions, world or model space
    float dt_s;              ///< since the step before, not negative; 0: outputs the current state
    lmb_vec3 *positions;     ///< [vertex_count] out; may be `targets`
    /// clears all motion first, after a cut: this step starts at its targets, and the next with
    /// their velocity
    bool restart;
} lmb_soft_tissue_step_job;
LMB_API void lmb_soft_tissue_step(const lmb_soft_tissue_step_job *job);

/// Rotates the skin's normals as the surface of the last step is rotated against the targets, so
/// that shading keeps creases and seams. Unit in, unit out; no allocation.
typedef struct lmb_soft_tissue_normals_job {
    lmb_soft_tissue *tissue;
    const lmb_vec3 *targets, *positions; ///< [vertex_count] of the last step
    const lmb_vec3 *normals;             ///< [vertex_count] of the skin at `targets`
    lmb_vec3 *out;                       ///< [vertex_count] may be `normals`
} lmb_soft_tissue_normals_job;
LMB_API void lmb_soft_tissue_normals(const lmb_soft_tissue_normals_job *job);

/// Motion of a joint: angular velocity `axis` (rad/s), position and velocity.
typedef struct lmb_soft_tissue_motion {
    lmb_vec3 axis, at, speed;
} lmb_soft_tissue_motion;

/// Stateless soft tissue: each vertex lags behind its joints, along the arcs on which they move
/// (after Rohmer et al., Velocity Skinning, 2021).
typedef struct lmb_soft_tissue_drag_job {
    uint32_t vertex_count, joint_count;
    const lmb_vec3 *bind;             ///< [vertex_count] before skinning
    const lmb_influences *influences; ///< rows over the joints of the palettes
    const lmb_mat4 *palette, *before; ///< [joint_count] model_from_bind, now and dt_s ago
    float dt_s;                       ///< positive
    float lag_s;                      ///< lag of a vertex of softness 1
    const float *soft;                ///< [vertex_count], NULL: 1
    lmb_soft_tissue_motion *motions;  ///< [joint_count] scratch
    lmb_vec3 *positions;              ///< [vertex_count] out
} lmb_soft_tissue_drag_job;
/// Linear blend skinning where no joint moves.
LMB_API void lmb_soft_tissue_drag(const lmb_soft_tissue_drag_job *job);

#ifdef __cplusplus
}
#endif
#endif
