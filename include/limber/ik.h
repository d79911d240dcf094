/// Poses by goals: two-bone chains in closed form, aiming, whole bodies, feet on uneven ground.
///
/// Jobs rewrite a local pose. They read model_from_joint, which must belong to that pose on entry,
/// and leave it as it was: run lmb_pose_to_model again before the next job that looks at the same
/// joints. Scale above a chain must be uniform.
#ifndef LIMBER_IK_H
#define LIMBER_IK_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/math.h"
#include "limber/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------------- two bones

/// Three points of a limb: hip, knee, ankle; or shoulder, elbow, wrist.
typedef struct lmb_two_bone_points {
    lmb_vec3 start, mid, end;
} lmb_two_bone_points;

/// The rotations, in the space of the points, that take a limb to its goal: turn everything below
/// the mid joint by `mid` about the mid joint first, then everything below the start joint by
/// `start` about the start joint.
typedef struct lmb_two_bone_turn {
    lmb_quat start, mid;
    float reach; ///< distance of the goal over the length of the limb; above 1 it cannot be reached
} lmb_two_bone_turn;

/// The law of cosines on the limb's own bend plane (interior angle cos g = (a^2 + b^2 - d^2) /
/// 2ab).
/// `hinge` is the axis that a positive turn bends the mid joint about: it decides for a limb that
/// is nearly straight, or bent the wrong way. Zero: the limb's own plane whatever it is, and +X for
/// a straight one.
/// `pole` is the direction that the mid joint should point to; zero keeps the limb's own bend
/// plane, turned by the shortest arc.
/// `soft` in [0, 1): the share of the length over which full extension is approached smoothly; 0:
/// none.
/// Never gives NaN: a goal at the start joint folds the limb, bones of no length turn nothing.
LMB_API lmb_two_bone_turn lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal,
                                             lmb_vec3 hinge, lmb_vec3 pole, float soft);

/// Moves the end of a chain of three joints to a goal.
typedef struct lmb_ik_two_bone_job {
    const lmb_skeleton *skeleton;
    /// [joint_count] parent_from_joint, rewritten at chain[0] and chain[1], and at chain[2] with
    /// keep_end
    lmb_transform *local;
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    /// start, mid, end; each an ancestor of the next, others may lie between
    uint32_t chain[3];
    lmb_vec3 target; ///< model space: where the end joint goes
    /// model space direction that the mid joint points to; zero: keep the bend plane
    lmb_vec3 pole;
    /// the mid joint's bending axis in its own space, as for lmb_two_bone_solve; may be zero
    lmb_vec3 hinge;
    float soft;   ///< in [0, 1); 0.03 keeps knees from popping
    float weight; ///< in [0, 1]: 0 leaves the pose, 1 reaches the goal
    /// the end joint keeps its orientation in the model: a foot stays flat
    bool keep_end;
    /// turns the limb that much further about the line from its start to the target
    float twist_rad;
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
} lmb_ik_two_bone_job;

/// Returns the distance of the goal over the length of the limb: above 1 the end stops short.
///
/// No joint of the three that it turns ends out of its limit. The limb rolls about the line to the
/// target as little as that takes, away from `pole` and `twist_rad` where it must; where no roll
/// helps the end stops where it comes nearest.
LMB_API float lmb_ik_two_bone(const lmb_ik_two_bone_job *job);

// ----------------------------------------------------------------------------------------- aiming

/// Turns one joint until the ray from `offset` along `forward` meets the target: a head that looks,
/// a gun that points.
typedef struct lmb_ik_aim_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count], rewritten at `joint`
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    uint32_t joint;
    lmb_vec3 target;  ///< model space
    lmb_vec3 forward; ///< joint space, need not be unit; zero counts as +Z
    lmb_vec3 offset;  ///< joint space: where the ray starts (an eye, a muzzle)
    lmb_vec3 up;      ///< joint space; with pole, keeps the roll. Zero: no roll control
    lmb_vec3 pole;    ///< model space direction that `up` leans to; zero: no roll control
    float weight;     ///< in [0, 1]
    /// [joint_count]; NULL: those of the skeleton. The target comes before the roll
    const lmb_joint_limit *limits;
    bool free; ///< no limits at all
} lmb_ik_aim_job;

/// False when the target lies inside the circle that the offset ray can never touch, or beyond the
/// joint's limit; the joint is then turned as near as it gets.
LMB_API bool lmb_ik_aim(const lmb_ik_aim_job *job);

// ---------------------------------------------------------------------------------------- looking

#define LMB_LOOK_LINKS 16

/// One joint of a gaze: chest, neck, head, eye.
typedef struct lmb_ik_look_link {
    uint32_t joint;
    float weight;   ///< its share of the turn, against the others
    float cone_rad; ///< how far it turns from the pose given, at most; 0: as far as it takes
} lmb_ik_look_link;

/// Turns a chain of joints together until the ray of the last meets the target. Each takes its
/// share; what one cannot take, for its cone or its limit, those below it take, and then those
/// above it.
typedef struct lmb_ik_look_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count], rewritten at the links
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    uint32_t link_count;              ///< up to LMB_LOOK_LINKS
    /// from the trunk to the eye, each below the one before; others may lie between
    const lmb_ik_look_link *links;
    lmb_vec3 target;               ///< model space
    lmb_vec3 forward;              ///< in the last joint's space; zero counts as +Z
    lmb_vec3 offset;               ///< in the last joint's space: where the ray starts
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
    float weight;                  ///< in [0, 1]
} lmb_ik_look_job;

/// Returns the angle, in radians, between the ray and the target, as seen from where the ray
/// starts, with the weight at 1.
LMB_API float lmb_ik_look(const lmb_ik_look_job *job);

/// What a gaze remembers from frame to frame. Zeroed: it begins where the pose looks.
typedef struct lmb_ik_gaze {
    lmb_vec3 turn;     ///< from where the pose looks, axis times radians, in the frame of the trunk
    lmb_vec3 velocity; ///< of turn, a second
    lmb_vec3 side;     ///< the turn it was last asked for
} lmb_ik_gaze;

/// A gaze that goes to its target in time, and never jumps: a target that passes behind the head is
/// followed as far as the gaze reaches, and then round the front, once it is clearly on the other
/// side.
typedef struct lmb_ik_gaze_job {
    lmb_ik_look_job look; ///< the pose without the gaze, this frame's target
    lmb_ik_gaze *memory;
    float dt_s;       ///< since the last frame; 0 or less: the gaze stays as it is in the trunk
    float reach_rad;  ///< how far it turns from where the pose looks, below pi; 0: 1.9
    float margin_rad; ///< how far beyond straight behind a target must go to change sides; 0: 0.35
    float speed_hz;   ///< of the critically damped spring that it follows by; 0: 1.5
    float most_rad_s; ///< it never turns faster; 0: 8
} lmb_ik_gaze_job;

/// Returns what is left of the way in radians: what the joints cannot take, and what the spring has
/// still to go.
LMB_API float lmb_ik_gaze_step(const lmb_ik_gaze_job *job);

// ------------------------------------------------------------------------ many limbs side by side

/// Arrays of coordinates, one entry a limb. Every array has room for count rounded up to a multiple
/// of 16: what lies beyond count is read and written, and means nothing.
typedef struct lmb_lanes3 {
    float *x, *y, *z;
} lmb_lanes3;
typedef struct lmb_lanes4 {
    float *x, *y, *z, *w;
} lmb_lanes4;

/// lmb_two_bone_solve for `count` limbs at once, each in a space of its own: a crowd's legs.
typedef struct lmb_two_bone_batch_job {
    size_t count;
    lmb_lanes3 start, mid, end, goal; ///< read
    lmb_lanes3 hinge;                 ///< read; x NULL: common_hinge for all
    lmb_lanes3 pole;                  ///< read; x NULL: common_pole for all
    lmb_vec3 common_hinge, common_pole;
    float soft;
    lmb_lanes4 start_turn, mid_turn; ///< written: as lmb_two_bone_turn
    float *reach;                    ///< written, or NULL
    lmb_simd simd;                   ///< leave at zero
} lmb_two_bone_batch_job;

LMB_API void lmb_two_bone_batch(const lmb_two_bone_batch_job *job);

/// Turns `count` joints of one make, each until its ray meets its target; as lmb_ik_aim with a
/// weight of 1.
typedef struct lmb_aim_batch_job {
    size_t count;
    lmb_lanes3 place;                   ///< read: where the joint is
    lmb_lanes4 turn;                    ///< read: its rotation, unit, in the space of its place
    lmb_lanes3 target;                  ///< read: in that space
    lmb_vec3 forward, offset, up, pole; ///< as in lmb_ik_aim_job, the same for all
    lmb_lanes4 turned;                  ///< written: its new rotation
    lmb_simd simd;                      ///< leave at zero
} lmb_aim_batch_job;

LMB_API void lmb_aim_batch(const lmb_aim_batch_job *job);

// ------------------------------------------------------------------------------- chains and trees

typedef enum lmb_ik_solver {
    /// damped least squares, begun anew from other poses where that stalls
    LMB_IK_AUTO = 0,
    LMB_IK_CCD, ///< cyclic coordinate descent (Wang & Chen 1991), any number of ends
    /// forward and backward reaching (Aristidou & Lasenby 2011), rotations and limits included
    LMB_IK_FABRIK,
    LMB_IK_TRANSPOSE,      ///< Jacobian transpose
    LMB_IK_PSEUDO_INVERSE, ///< by singular values, small ones left out
    LMB_IK_DAMPED,         ///< damped least squares, the damping adapted step by step
    LMB_IK_SELECTIVE,      ///< selectively damped least squares (Buss & Kim 2005)
} lmb_ik_solver;
enum { LMB_IK_SOLVER_COUNT = 7 };

/// "auto", "ccd", "fabrik", "transpose", "pseudo-inverse", "damped", "selective"; "unknown".
LMB_API const char *lmb_ik_solver_name(lmb_ik_solver solver);

/// Where one end of a chain goes.
typedef struct lmb_ik_end {
    uint32_t joint;
    lmb_vec3 offset;   ///< joint space: the point that is to meet the target
    lmb_vec3 target;   ///< model space
    float weight;      ///< against the other ends; 0 counts as 1
    bool orient;       ///< the joint's orientation counts as well
    lmb_quat rotation; ///< model_from_joint that is wanted then, unit
    /// what a radian counts for, in model units; 0: a quarter of the chain's length
    float turn_weight;
} lmb_ik_end;

/// Turns the joints from `root` down to the ends, so that the ends come to their targets. It starts
/// from the pose that is given, so last frame's pose is a warm start, and goes no further from it
/// than it has to.
///
/// A target out of reach is brought into it: the chain stretches toward it, almost straight. Chains
/// that are straight toward their target are bent a little first. Targets that are not finite leave
/// their ends alone. No joint ends out of its limit. Joints with a box (lmb_joint_limit) slide in
/// it under the Jacobian solvers; the others keep their bones' lengths.
typedef struct lmb_ik_chain_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count], rewritten from `root` to the ends
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    lmb_ik_solver solver;
    uint32_t root;      ///< the first joint that turns: above every end, or an end itself
    uint32_t end_count; ///< 1 to 64
    const lmb_ik_end *ends;
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
    float tolerance;               ///< model units; 0: 1e-4 of the chain's length
    float tolerance_rad;           ///< of orientations; 0: 1e-3
    /// in all; 0: 20 for CCD and FABRIK, 100 for the others, 1000 for LMB_IK_TRANSPOSE
    uint32_t max_iterations;
    /// LMB_IK_AUTO: poses that it may begin from; 0: 16; 1 never leaves the one given
    uint32_t max_starts;
    /// Once the ends are there: pulls toward `rest` as far as they stay (the null space of the
    /// Jacobian), by this share of the way an iteration, up to 1; 0: not.
    float rest_share;
    const lmb_transform *rest; ///< [joint_count]; NULL: that of the skeleton
    void *scratch;             ///< lmb_ik_chain_scratch bytes, aligned to 16
    size_t scratch_size;
    float *distances; ///< [end_count] out: model units left to each target; or NULL
    float *angles;    ///< [end_count] out: radians left; or NULL
    /// [max_iterations] out: largest distance left after each iteration; or NULL. Needs
    /// max_iterations
    float *trace;
} lmb_ik_chain_job;

typedef struct lmb_ik_chain_report {
    bool reached; ///< every end is within the tolerances
    /// some target lies farther than the chain is long, or nearer than it can fold
    bool out_of_reach;
    float distance;      ///< the largest that is left
    uint32_t iterations; ///< sweeps or steps that were made
    uint32_t starts;     ///< poses that were begun from
    uint32_t limits_hit; ///< joints that stand at their limit
} lmb_ik_chain_report;

/// Bytes of scratch for this job. Reads skeleton, root, ends and solver alone.
LMB_API size_t lmb_ik_chain_scratch(const lmb_ik_chain_job *job);
/// With scratch that is too small, or ends that are not below the root, nothing is done and
/// `reached` is false.
LMB_API lmb_ik_chain_report lmb_ik_chain(const lmb_ik_chain_job *job);

// ---------------------------------------------------------------------- one step, from a Jacobian

/// The step that a solver of the Jacobian family takes, for any Jacobian: robots, other
/// parametrisations, lessons.
typedef struct lmb_ik_step_job {
    /// LMB_IK_TRANSPOSE, LMB_IK_PSEUDO_INVERSE, LMB_IK_DAMPED or LMB_IK_SELECTIVE
    lmb_ik_solver solver;
    uint32_t rows, columns;
    const double *jacobian; ///< [rows][columns] d(end) / d(freedom)
    const double *error;    ///< [rows] target less end
    /// [columns] a step that is taken as far as it leaves the ends alone (null space); or NULL
    const double *preferred;
    double damping; ///< lambda of LMB_IK_DAMPED
    /// singular values below this share of the largest are left out of the pseudo-inverse; 0: 1e-3
    double cutoff;
    double most_turn; ///< gamma_max of LMB_IK_SELECTIVE; 0: pi / 4
    uint32_t block;   ///< rows of one end, for LMB_IK_SELECTIVE; 0: 3
    double *step;     ///< [columns] out
    void *scratch;    ///< lmb_ik_step_scratch bytes, aligned to 8
} lmb_ik_step_job;

LMB_API size_t lmb_ik_step_scratch(uint32_t rows, uint32_t columns);
LMB_API void lmb_ik_step(const lmb_ik_step_job *job);

// ------------------------------------------------------------------------- limits of a human body

/// What a joint is of a human body. The chain from hips to chest is spine; neck and head are neck.
typedef enum lmb_body_part {
    LMB_PART_OTHER = 0, ///< no limit: props, hair, twist joints
    LMB_PART_HIPS,      ///< no limit
    LMB_PART_SPINE,
    LMB_PART_NECK,
    LMB_PART_SHOULDER, ///< the collarbone
    LMB_PART_UPPER_ARM,
    LMB_PART_LOWER_ARM, ///< a hinge: never past 150 degrees, never back
    LMB_PART_HAND,
    LMB_PART_THUMB,  ///< each of its joints
    LMB_PART_FINGER, ///< each joint of the others
    LMB_PART_UPPER_LEG,
    LMB_PART_LOWER_LEG, ///< a hinge, as the lower arm
    LMB_PART_FOOT,
    LMB_PART_TOES,
} lmb_body_part;

/// The limits of a human body in the frames of a skeleton's own rest pose, which stands upright
/// (+Y) and faces the level direction `facing` (zero: +Z; lmb_joint_map_facing finds it): knees bend
/// away from it, elbows toward it. How the arms rest, between T-pose and hanging, is allowed for.
/// `parts` and `limits` have joint_count entries.
LMB_API void lmb_human_limits(const lmb_skeleton *skeleton, const lmb_body_part *parts,
                              lmb_vec3 facing, lmb_joint_limit *limits);

// -------------------------------------------------------------------------------------- full body

/// What a goal asks for. Lengths are in model units, everything is in model space unless it says
/// "joint frame".
typedef enum lmb_goal_kind {
    LMB_GOAL_POSITION = 0, ///< the point `offset` of `joint` is at `target`
    LMB_GOAL_ORIENTATION,  ///< `joint` is turned as `rotation` says
    LMB_GOAL_LOOK_AT,      ///< the ray from `offset` along `axis` of `joint` meets `target`
    /// `joint` (a knee) lies on that side of the line from `base` to `tip` that the direction
    /// `target` points to
    LMB_GOAL_POLE,
    /// the points of `joint` and `base` are `distance` apart; at 0 they touch
    LMB_GOAL_DISTANCE,
    /// the point of `joint` is not under the plane through `target` with the normal `axis`; zero:
    /// +Y
    LMB_GOAL_GROUND,
    /// of everything under the root is at `target`, as far as the axes say that `mask` names
    LMB_GOAL_CENTER_OF_MASS,
} lmb_goal_kind;

typedef struct lmb_goal {
    lmb_goal_kind kind;
    uint32_t joint;
    uint32_t base, tip;   ///< further joints, for LMB_GOAL_POLE and LMB_GOAL_DISTANCE
    lmb_vec3 offset;      ///< a point in the frame of `joint`
    lmb_vec3 base_offset; ///< LMB_GOAL_DISTANCE: a point in the frame of `base`
    /// LMB_GOAL_LOOK_AT: joint frame, zero counts as +Z; LMB_GOAL_GROUND: the normal
    lmb_vec3 axis;
    lmb_vec3 target;
    lmb_quat rotation; ///< LMB_GOAL_ORIENTATION: model_from_joint, unit
    float distance;
    /// 0 counts as 1; of the squared error, lengths in shares of the body's reach, angles in
    /// radians
    float weight;
    uint32_t priority; ///< each step back counts for a hundredth: 0 before 1 before 2
    uint32_t mask;     ///< LMB_GOAL_CENTER_OF_MASS: bits 1, 2, 4 for x, y, z; 0 counts as all
} lmb_goal;

/// Moves a whole skeleton to many goals at once: Levenberg-Marquardt over every degree of freedom
/// that a goal depends on.
///
/// The rotations of the joints from `root` down to those of the goals, and the place of the root,
/// are changed until the weighted sum of squared errors is least; bones keep their lengths. Start
/// it from the last frame's pose: it goes the shortest way from there.
/// No joint ends out of its limit, and goals that contradict each other or lie out of reach are met
/// as nearly as can be.
/// Scale above the goals must be uniform. Goals that are not finite are passed over.
typedef struct lmb_ik_full_body_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;          ///< [joint_count] the pose to start from, rewritten
    uint32_t root;                 ///< the top joint that moves: hips. Goals are on it and below it
    bool pinned;                   ///< the root keeps its place; it turns all the same
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
    uint32_t goal_count;
    const lmb_goal *goals; ///< [goal_count]
    /// What pulls softly on every joint that moves, against goals of weight 1; 0: nothing. Around
    /// 1e-6 ends stay where they shall be.
    float rest_weight;
    /// [joint_count] the pose that rest_weight pulls to; NULL: that of the skeleton
    const lmb_transform *rest;
    float smooth_weight;
    /// [joint_count] the pose that smooth_weight pulls to: last frame's. NULL: none
    const lmb_transform *previous;
    /// [joint_count] how unwillingly a joint turns; NULL: all 1. 0 counts as 1
    const float *stiffness;
    /// [joint_count] for the centre of mass; NULL: every bone weighs as it is long
    const float *masses;
    /// [joint_count] joint frame; NULL: at the joint. Only with `masses`
    const lmb_vec3 *mass_centers;
    uint32_t max_iterations; ///< 0 counts as 15
    /// a goal is met within this share of the reach, or radians; 0 counts as 1e-4
    float tolerance;
    /// lmb_ik_full_body_job_scratch bytes, or lmb_ik_full_body_scratch, aligned to 16
    void *scratch;
    size_t scratch_size;
    /// [goal_count] out: what is left of every goal, in model units or radians; or NULL
    float *residuals;
    /// [joint_count] out: 1 where a joint stands at its limit and was held by it, else 0; or NULL
    uint8_t *limited;
} lmb_ik_full_body_job;

typedef struct lmb_ik_full_body_report {
    uint32_t iterations; ///< linear systems solved
    uint32_t freedoms;   ///< degrees of freedom that were solved for
    uint32_t limits_hit; ///< joints held by their limits in the end
    bool met;            ///< every goal is within the tolerance
    float cost;          ///< weighted sum of squared errors in the end
} lmb_ik_full_body_report;

/// Bytes of scratch that any solve needs with so many joints and goals: 36 for every pair of
/// joints. SIZE_MAX where that is more than an address can count.
LMB_API size_t lmb_ik_full_body_scratch(uint32_t joint_count, uint32_t goal_count);
/// Bytes of scratch for this job: 36 for every pair of the joints between root and goals, which are
/// few in a large skeleton. Reads skeleton, root and goals alone (of these the kinds and the
/// joints). SIZE_MAX as above.
LMB_API size_t lmb_ik_full_body_job_scratch(const lmb_ik_full_body_job *job);
LMB_API lmb_ik_full_body_report lmb_ik_full_body(const lmb_ik_full_body_job *job);

// ----------------------------------------------------------------------------- feet on the ground

/// Where the ground is under a point: a function of the caller's. (lmb_ground of physics.h is
/// another thing, triangles or heights that bodies rest on.)
typedef struct lmb_ik_ground {
    /// Height and unit normal (+Y up) at the x and z of `point`; false where there is none, which
    /// counts as flat.
    bool (*at)(void *user, lmb_vec3 point, float *height, lmb_vec3 *normal);
    void *user;
} lmb_ik_ground;

/// Heights on a grid, bilinear between.
typedef struct lmb_ik_height_grid {
    uint32_t columns, rows; ///< along x and z, 2 or more each
    float x, z, cell;       ///< of the first height; the distance between neighbours
    const float *heights;   ///< [rows][columns]
} lmb_ik_height_grid;
/// A ground that reads the grid, which must outlive it; beyond the grid there is none.
LMB_API lmb_ik_ground lmb_ik_ground_of_grid(lmb_ik_height_grid *grid);

enum { LMB_PLANT_FEET = 8 };

typedef struct lmb_plant_foot {
    uint32_t upper, lower, foot;    ///< joints: hip, knee, ankle
    lmb_vec3 toe;                   ///< the ball of the foot in the frame of `foot`
    float ankle_height, toe_height; ///< of both over the ground when the foot stands flat
    /// the knee's bending axis in its own frame, as for lmb_ik_two_bone; may be zero
    lmb_vec3 hinge;
} lmb_plant_foot;

typedef struct lmb_plant_spring {
    float x, v;
} lmb_plant_spring;

typedef struct lmb_plant_foot_state {
    bool on_toe, on_heel, landed, locked;
    lmb_vec3 ankle, toe, velocity; ///< as the animation had them last
    lmb_vec3 lock, normal;
    lmb_plant_spring lift, slide[3], tilt[3];
} lmb_plant_foot_state;

/// What planting remembers between frames; zero at first, and after a cut.
typedef struct lmb_plant_state {
    bool begun;
    lmb_plant_spring hips, drop;
    lmb_plant_foot_state feet[LMB_PLANT_FEET];
} lmb_plant_state;

/// Puts an animation made on flat ground onto ramps, stairs and hills: feet follow the ground under
/// them, stand on it without sliding or sinking in, tilt with it by up to 35 degrees; the hips come
/// down for the lower foot, and no further than a leg needs.
typedef struct lmb_ik_plant_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;       ///< [joint_count] rewritten: hips' translation, legs, ankles
    lmb_mat4 *model_from_joint; ///< [joint_count] of that pose on entry, of the new one on return
    uint32_t hips;
    uint32_t foot_count; ///< up to LMB_PLANT_FEET
    const lmb_plant_foot *feet;
    lmb_ik_ground ground;
    float flat; ///< height of the ground that the animation was made on
    float dt_s; ///< since the last frame
    lmb_plant_state *state;
} lmb_ik_plant_job;
/// Returns how far the hips were moved up.
LMB_API float lmb_ik_plant(const lmb_ik_plant_job *job);

/// A leg whose foot is held where it stands.
typedef struct lmb_hold_leg {
    uint32_t upper, lower, foot; ///< joints: hip, knee, ankle
    /// what stays, in the frame of `foot`: the ball, since heels come up over it; zero: the ankle
    lmb_vec3 ball;
    lmb_vec3 hinge; ///< as lmb_plant_foot has it
    uint32_t toes; ///< the joint of the toes; 0: the foot is one piece, and the tip is in its frame
    lmb_vec3 tip;  ///< the end of the toes, in their frame
} lmb_hold_leg;

typedef struct lmb_hold_foot_state {
    bool begun, held;
    bool returns;   ///< was held until it was too far off, and is on its way to where it may stand
    lmb_vec3 place; ///< world: where it is held
    lmb_vec3 ease;  ///< what it is still off from there
    lmb_vec3 shown; ///< world: where the ball was last
    lmb_vec3 off, speed; ///< of the ball from where the animation has it, and how fast that changes
    lmb_plant_spring rise; ///< out of the ground
    lmb_plant_spring lift; ///< over the ground, on its way to where it is to stand
} lmb_hold_foot_state;

/// What holding remembers between frames; zero at first, and after a cut.
typedef struct lmb_hold_state {
    lmb_plant_spring drop; ///< of the hips
    lmb_hold_foot_state feet[LMB_PLANT_FEET];
} lmb_hold_state;

/// Keeps standing feet from sliding where motions are mixed or one gives way to another: while a
/// foot is said to stand, its ball stays at one place of the ground; heights of feet stay the
/// animation's, and hips come down where a leg that is held would be too short. Where it begins and
/// ends, velocities go on unbroken: critically damped springs. Where floors are known, nothing of a
/// foot goes below them, and a foot that is said to stand while it is still on its way steps: it is
/// lifted, the higher the faster it goes.
typedef struct lmb_ik_hold_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;       ///< [joint_count] rewritten: hips' translation, legs, ankles
    lmb_mat4 *model_from_joint; ///< [joint_count] of that pose on entry, of the new one on return
    uint32_t hips;
    /// where the character stands, a turn and a move: for poses whose root's motion was taken out.
    /// All zero counts as identity
    lmb_transform world_from_model;
    uint32_t leg_count; ///< up to LMB_PLANT_FEET
    const lmb_hold_leg *legs;
    const float
        *planted; ///< [leg_count] 0 to 1, how much of the motion stands: lmb_machine_planted
    /// [leg_count][2] or NULL: how low the ball and the tip may come, model space: lmb_machine_floors
    const float *floors;
    float dt_s; ///< since the last frame
    lmb_hold_state *state;
} lmb_ik_hold_job;
/// Returns how many feet are held.
LMB_API uint32_t lmb_ik_hold(const lmb_ik_hold_job *job);

#ifdef __cplusplus
}
#endif
#endif
