/// Inverse kinematics: two-bone limbs in closed form, aiming, gazes, chains, whole bodies, feet on
/// uneven ground.
///
/// Jobs rewrite a local pose. They read model_from_joint, which must belong to that pose on entry,
/// and leave it unchanged unless they say otherwise: run lmb_pose_to_model again before the next
/// job that reads the same joints. Scale above a chain must be uniform.
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

/// Rotations, in the space of the points, that take a limb to its goal: first rotate everything
/// below the mid joint by `mid` about the mid joint, then everything below the start joint by
/// `start` about the start joint.
typedef struct lmb_two_bone_rotation {
    lmb_quat start, mid;
    float reach; ///< goal distance / limb length; above 1 the goal is out of reach
} lmb_two_bone_rotation;

/// Solves by the law of cosines in the limb's own bend plane (interior angle cos g = (a^2 + b^2 -
/// d^2) / 2ab).
/// `hinge` is the axis that positive rotations bend the mid joint about. It decides for a limb that
/// is nearly straight or bent the wrong way. Zero: the limb's own plane, and +X for a straight
/// limb.
/// `pole` is the direction that the mid joint should point to; zero keeps the limb's own bend
/// plane, rotated by the shortest arc.
/// `soft` in [0, 1): fraction of the length over which full extension is approached smoothly; 0:
/// none.
/// Never gives NaN: a goal at the start joint folds the limb, bones of zero length rotate nothing.
LMB_API lmb_two_bone_rotation lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal,
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
    /// additional rotation of the limb about the line from its start to the target
    float twist_rad;
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
} lmb_ik_two_bone_job;

/// Returns goal distance / limb length: above 1 the end stops short.
///
/// The joints it rotates stay within their limits. The limb rolls about the line to the target as
/// little as that takes, away from `pole` and `twist_rad` if necessary; where no roll helps, the
/// end stops as near to the target as possible.
LMB_API float lmb_ik_two_bone(const lmb_ik_two_bone_job *job);

// ----------------------------------------------------------------------------------------- aiming

/// Rotates one joint until the ray from `offset` along `forward` meets the target: a head that
/// looks, a gun that points.
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
    /// [joint_count]; NULL: those of the skeleton. The target has priority over the roll
    const lmb_joint_limit *limits;
    bool free; ///< no limits at all
} lmb_ik_aim_job;

/// False when the target is closer than the offset ray can get to the joint, or beyond the joint's
/// limit; the joint is then rotated as near as possible.
LMB_API bool lmb_ik_aim(const lmb_ik_aim_job *job);

// ---------------------------------------------------------------------------------------- looking

#define LMB_LOOK_LINKS 16

/// One joint of a gaze: chest, neck, head, eye.
typedef struct lmb_ik_look_link {
    uint32_t joint;
    float weight;   ///< weight of its part of the rotation, relative to the other links
    float cone_rad; ///< largest rotation from the given pose; 0: unlimited
} lmb_ik_look_link;

/// Rotates a chain of joints together until the ray of the last meets the target. The rotation is
/// divided by weight. What one link cannot take, for its cone or its limit, goes to the links below
/// it and then to those above.
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

/// Returns the angle in radians between the ray and the target, seen from the ray's start, for a
/// weight of 1.
LMB_API float lmb_ik_look(const lmb_ik_look_job *job);

/// State of a gaze between frames. Zeroed: it starts at the pose's own gaze direction.
typedef struct lmb_ik_gaze {
    lmb_vec3 rotation; ///< vector, from the pose's own gaze, in the trunk's frame
    lmb_vec3 velocity; ///< of rotation, radians per second
    lmb_vec3 side;     ///< the rotation that was wanted last
} lmb_ik_gaze;

/// A gaze that follows its target smoothly. A target that passes behind the head is followed up to
/// the reach; once it is clearly on the other side, the gaze swings round the front.
typedef struct lmb_ik_gaze_job {
    lmb_ik_look_job look; ///< the pose without the gaze, this frame's target
    lmb_ik_gaze *memory;
    /// since the last frame; 0 or less: the gaze keeps its rotation in the trunk's frame
    float dt_s;
    float reach_rad;  ///< largest rotation from the pose's own gaze, below pi; 0: 1.9
    float margin_rad; ///< how far beyond straight behind a target must be to change sides; 0: 0.35
    float speed_hz;   ///< frequency of the critically damped spring; 0: 1.5
    float most_rad_s; ///< largest angular velocity; 0: 8
} lmb_ik_gaze_job;

/// Returns the remaining error in radians: what the joints cannot take plus the spring's lag.
LMB_API float lmb_ik_gaze_step(const lmb_ik_gaze_job *job);

// ------------------------------------------------------------------------ many limbs side by side

/// Arrays of coordinates, one entry per limb. Every array has room for count rounded up to a
/// multiple of 16; entries beyond count are read and written but have no meaning.
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
    lmb_lanes4 start_rotation, mid_rotation; ///< written: as lmb_two_bone_rotation
    float *reach;                            ///< written, or NULL
    lmb_simd simd;                           ///< leave at zero
} lmb_two_bone_batch_job;

LMB_API void lmb_two_bone_batch(const lmb_two_bone_batch_job *job);

/// Aims `count` joints with the same ray, each at its own target; as lmb_ik_aim with a weight of 1.
typedef struct lmb_aim_batch_job {
    size_t count;
    lmb_lanes3 position;                ///< read: the joint's position
    lmb_lanes4 rotation;                ///< read: the joint's rotation, unit, in the same space
    lmb_lanes3 target;                  ///< read: in that space
    lmb_vec3 forward, offset, up, pole; ///< as in lmb_ik_aim_job, the same for all
    lmb_lanes4 rotated;                 ///< written: its new rotation
    lmb_simd simd;                      ///< leave at zero
} lmb_aim_batch_job;

LMB_API void lmb_aim_batch(const lmb_aim_batch_job *job);

// ------------------------------------------------------------------------------- chains and trees

typedef enum lmb_ik_solver {
    /// damped least squares, restarted from other poses where it stalls
    LMB_IK_AUTO = 0,
    LMB_IK_CCD, ///< cyclic coordinate descent (Wang & Chen 1991), any number of ends
    /// forward and backward reaching (Aristidou & Lasenby 2011), rotations and limits included
    LMB_IK_FABRIK,
    LMB_IK_TRANSPOSE,      ///< Jacobian transpose
    LMB_IK_PSEUDO_INVERSE, ///< by singular values, small ones cut off
    LMB_IK_DAMPED,         ///< damped least squares with adaptive damping
    LMB_IK_SELECTIVE,      ///< selectively damped least squares (Buss & Kim 2005)
} lmb_ik_solver;
enum { LMB_IK_SOLVER_COUNT = 7 };

/// Where one end of a chain goes.
typedef struct lmb_ik_end {
    uint32_t joint;
    lmb_vec3 offset;   ///< joint space: the point that should be at the target
    lmb_vec3 target;   ///< model space
    float weight;      ///< relative to the other ends; 0 counts as 1
    bool orient;       ///< the joint's orientation is a goal as well
    lmb_quat rotation; ///< model_from_joint that is wanted, unit
    /// model units that a radian of error counts as; 0: a quarter of the chain's length
    float rotation_weight;
} lmb_ik_end;

/// Rotates the joints from `root` down to the ends so that the ends reach their targets. It starts
/// from the given pose, so last frame's pose is a warm start, and stays close to it.
///
/// A target out of reach is approached with an almost straight chain. Chains that are straight
/// toward their target are bent a little first. Ends whose targets are not finite are ignored.
/// Joints stay within their limits. Joints with a box (lmb_joint_limit) slide in it under the
/// Jacobian solvers; all others keep their bone lengths.
typedef struct lmb_ik_chain_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count], rewritten from `root` to the ends
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    lmb_ik_solver solver;
    uint32_t root;      ///< first joint that rotates: above every end, or an end itself
    uint32_t end_count; ///< 1 to 64
    const lmb_ik_end *ends;
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
    float tolerance;               ///< model units; 0: 1e-4 of the chain's length
    float tolerance_rad;           ///< of orientations; 0: 1e-3
    /// 0: 400 for LMB_IK_AUTO in all, 20 for CCD and FABRIK, 1000 for LMB_IK_TRANSPOSE, else 100
    uint32_t max_iterations;
    /// LMB_IK_AUTO: most poses to start from; 0: 16; 1: only the given one
    uint32_t max_starts;
    /// Once the ends are reached, moves toward `rest` in the null space of the Jacobian, by this
    /// fraction of the remaining rotation per iteration, up to 1; 0: none.
    float rest_fraction;
    const lmb_transform *rest; ///< [joint_count]; NULL: that of the skeleton
    void *scratch;             ///< lmb_ik_chain_scratch bytes, aligned to 16
    size_t scratch_size;
    float *distances; ///< [end_count] out: model units left to each target; or NULL
    float *angles;    ///< [end_count] out: radians left; or NULL
    /// [max_iterations] out: largest remaining distance after each iteration; or NULL. Needs
    /// max_iterations
    float *trace;
} lmb_ik_chain_job;

typedef struct lmb_ik_chain_report {
    bool reached; ///< every end is within the tolerances
    /// some target is farther away than the chain is long, or nearer than it can fold
    bool out_of_reach;
    float distance;      ///< the largest that remains
    uint32_t iterations; ///< sweeps or steps taken
    uint32_t starts;     ///< poses started from
    uint32_t limits_hit; ///< joints at their limit
} lmb_ik_chain_report;

/// Bytes of scratch for this job. Reads only skeleton, root, ends and solver.
LMB_API size_t lmb_ik_chain_scratch(const lmb_ik_chain_job *job);
/// With too little scratch, or ends that are not below the root, nothing is done and `reached` is
/// false.
LMB_API lmb_ik_chain_report lmb_ik_chain(const lmb_ik_chain_job *job);

// ---------------------------------------------------------------------- one step, from a Jacobian

/// One step of a Jacobian solver for any Jacobian: robots, other parametrisations, teaching.
typedef struct lmb_ik_step_job {
    /// LMB_IK_TRANSPOSE, LMB_IK_PSEUDO_INVERSE, LMB_IK_DAMPED or LMB_IK_SELECTIVE
    lmb_ik_solver solver;
    uint32_t rows, columns;
    const double *jacobian; ///< [rows][columns] d(end) / d(freedom)
    const double *error;    ///< [rows] target minus end
    /// [columns] preferred step, taken in the null space of the Jacobian; or NULL
    const double *preferred;
    double damping; ///< lambda of LMB_IK_DAMPED
    /// singular values below this fraction of the largest are cut off by the pseudo-inverse; 0:
    /// 1e-3
    double cutoff;
    double most_turn; ///< gamma_max of LMB_IK_SELECTIVE; 0: pi / 4
    uint32_t block;   ///< rows of one end, for LMB_IK_SELECTIVE; 0: 3
    double *step;     ///< [columns] out
    void *scratch;    ///< lmb_ik_step_scratch bytes, aligned to 8
} lmb_ik_step_job;

/// Bytes of scratch for a step.
LMB_API size_t lmb_ik_step_scratch(uint32_t rows, uint32_t columns);
LMB_API void lmb_ik_step(const lmb_ik_step_job *job);

// ------------------------------------------------------------------------- limits of a human body

/// Part of the human body that a joint belongs to. The chain from hips to chest is spine; neck and
/// head are neck.
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

/// Limits of a human body in the frames of a skeleton's rest pose, which stands upright (+Y) and
/// faces the horizontal direction `facing` (zero: +Z; lmb_joint_map_facing finds it): knees bend
/// away from it, elbows toward it. Rest poses from T-pose to hanging arms are compensated for.
/// `parts` and `limits` have joint_count entries.
LMB_API void lmb_human_limits(const lmb_skeleton *skeleton, const lmb_body_part *parts,
                              lmb_vec3 facing, lmb_joint_limit *limits);

// -------------------------------------------------------------------------------------- full body

/// Kind of a goal. Lengths are in model units, and everything is in model space unless it says
/// "joint frame".
typedef enum lmb_goal_kind {
    LMB_GOAL_POSITION = 0, ///< the point `offset` of `joint` is at `target`
    LMB_GOAL_ORIENTATION,  ///< `joint` has the model rotation `rotation`
    LMB_GOAL_LOOK_AT,      ///< the ray from `offset` along `axis` of `joint` meets `target`
    /// `joint` (a knee) lies on the side of the line from `base` to `tip` that the direction
    /// `target` points to
    LMB_GOAL_POLE,
    /// the points of `joint` and `base` are `distance` apart; at 0 they touch
    LMB_GOAL_DISTANCE,
    /// the point of `joint` is not below the plane through `target` with the normal `axis`; zero:
    /// +Y
    LMB_GOAL_GROUND,
    /// the centre of mass of everything below the root is at `target`, in the axes of `mask`
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
    /// 0 counts as 1. Weight of the squared error, with lengths as fractions of the body's reach
    /// and angles in radians
    float weight;
    uint32_t priority; ///< each level counts a hundredth of the one before: 0 before 1 before 2
    uint32_t mask;     ///< LMB_GOAL_CENTER_OF_MASS: bits 1, 2, 4 for x, y, z; 0 counts as all
} lmb_goal;

/// Moves a whole skeleton to many goals at once: Levenberg-Marquardt over every degree of freedom
/// that a goal depends on.
///
/// It changes the rotations of the joints from `root` down to those of the goals, and the root's
/// position, until the weighted sum of squared errors is least. Bones keep their lengths. Start it
/// from last frame's pose: it converges to a nearby solution.
/// Joints stay within their limits. Conflicting or unreachable goals are met in the least-squares
/// sense.
/// Scale above the goals must be uniform. Goals that are not finite are ignored.
typedef struct lmb_ik_full_body_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;          ///< [joint_count] the pose to start from, rewritten
    uint32_t root;                 ///< the top joint that moves: hips. Goals are on it and below it
    bool pinned;                   ///< the root keeps its position but can rotate
    const lmb_joint_limit *limits; ///< [joint_count]; NULL: those of the skeleton
    bool free;                     ///< no limits at all
    uint32_t goal_count;
    const lmb_goal *goals; ///< [goal_count]
    /// Weight of a soft pull on every moving joint toward `rest`, relative to goals of weight 1; 0:
    /// none. Up to about 1e-6 the ends stay on their goals.
    float rest_weight;
    /// [joint_count] the pose that rest_weight pulls to; NULL: that of the skeleton
    const lmb_transform *rest;
    float smooth_weight;
    /// [joint_count] the pose that smooth_weight pulls to: last frame's. NULL: none
    const lmb_transform *previous;
    /// [joint_count] resistance of a joint to rotation; NULL: all 1. 0 counts as 1
    const float *stiffness;
    /// [joint_count] for the centre of mass; NULL: every bone's mass is proportional to its length
    const float *masses;
    /// [joint_count] joint frame; NULL: at the joint. Only with `masses`
    const lmb_vec3 *mass_centers;
    uint32_t max_iterations; ///< 0 counts as 15
    /// a goal is met within this fraction of the reach, or radians; 0 counts as 1e-4
    float tolerance;
    /// lmb_ik_full_body_job_scratch bytes, or lmb_ik_full_body_scratch, aligned to 16
    void *scratch;
    size_t scratch_size;
    /// [goal_count] out: remaining error of every goal, in model units or radians; or NULL
    float *residuals;
    /// [joint_count] out: 1 where a joint is blocked by its limit, else 0; or NULL
    uint8_t *limited;
} lmb_ik_full_body_job;

typedef struct lmb_ik_full_body_report {
    uint32_t iterations; ///< linear systems solved
    uint32_t freedoms;   ///< degrees of freedom that were solved for
    uint32_t limits_hit; ///< joints blocked by their limits at the end
    bool met;            ///< every goal is within the tolerance
    float cost;          ///< weighted sum of squared errors at the end
} lmb_ik_full_body_report;

/// Bytes of scratch for any solve with so many joints and goals: 36 for every pair of joints.
/// SIZE_MAX on overflow.
LMB_API size_t lmb_ik_full_body_scratch(uint32_t joint_count, uint32_t goal_count);
/// Bytes of scratch for this job: 36 for every pair of the joints between root and goals, which are
/// few in a large skeleton. Reads only skeleton, root and goals (their kinds and joints). SIZE_MAX
/// on overflow.
LMB_API size_t lmb_ik_full_body_job_scratch(const lmb_ik_full_body_job *job);
LMB_API lmb_ik_full_body_report lmb_ik_full_body(const lmb_ik_full_body_job *job);

// ----------------------------------------------------------------------------- feet on the ground

/// Ground height under a point, a function of the caller's. (lmb_ground of physics.h is a collision
/// shape instead: triangles or heights that bodies rest on.)
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
/// A ground that reads the grid, which must outlive it; there is none beyond the grid.
LMB_API lmb_ik_ground lmb_ik_ground_of_grid(lmb_ik_height_grid *grid);

enum { LMB_PLANT_FEET = 8 };

typedef struct lmb_plant_foot {
    uint32_t upper, lower, foot;    ///< joints: hip, knee, ankle
    lmb_vec3 toe;                   ///< the ball of the foot in the frame of `foot`
    float ankle_height, toe_height; ///< of ankle and ball over the ground when the foot stands flat
    /// the knee's bending axis in its own frame, as for lmb_ik_two_bone; may be zero
    lmb_vec3 hinge;
} lmb_plant_foot;

typedef struct lmb_plant_spring {
    float x, v;
} lmb_plant_spring;

typedef struct lmb_plant_foot_state {
    bool on_toe, on_heel, landed, locked;
    lmb_vec3 ankle, toe, velocity; ///< in the animation, last frame
    lmb_vec3 lock, normal;
    lmb_plant_spring lift, slide[3], tilt[3];
} lmb_plant_foot_state;

/// State of planting between frames; zero at first, and after a cut.
typedef struct lmb_plant_state {
    bool begun;
    lmb_plant_spring hips, drop;
    lmb_plant_foot_state feet[LMB_PLANT_FEET];
} lmb_plant_state;

/// Puts an animation made on flat ground onto ramps, stairs and hills. Feet follow the ground below
/// them, stand on it without sliding or sinking, and tilt with it by up to 35 degrees. The hips
/// drop for the lower foot, no further than a leg needs.
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
/// Returns how far the hips were raised.
LMB_API float lmb_ik_plant(const lmb_ik_plant_job *job);

/// A leg whose foot is locked while it stands.
typedef struct lmb_foot_lock_leg {
    uint32_t upper, lower, foot; ///< joints: hip, knee, ankle
    /// the locked point in the frame of `foot`: the ball, since heels rise over it; zero: the ankle
    lmb_vec3 ball;
    lmb_vec3 hinge; ///< as lmb_plant_foot has it
    uint32_t toes;  ///< the toes' joint; 0: the foot is one piece, and the tip is in its frame
    lmb_vec3 tip;   ///< end of the toes, in their frame
} lmb_foot_lock_leg;

typedef struct lmb_foot_lock_foot_state {
    bool begun, locked;
    /// was released for being too far off, and is returning to where it may be locked
    bool returns;
    lmb_vec3 position;     ///< world: position it is locked at
    lmb_vec3 ease;         ///< remaining offset from there
    lmb_vec3 shown;        ///< world: where the ball was last
    lmb_vec3 off, speed;   ///< of the ball from the animation, and its rate of change
    lmb_plant_spring rise; ///< lift out of the ground
    lmb_plant_spring lift; ///< lift over the ground while it steps to where it will stand
} lmb_foot_lock_foot_state;

/// State of holding between frames; zero at first, and after a cut.
typedef struct lmb_foot_lock_state {
    lmb_plant_spring drop; ///< of the hips
    lmb_foot_lock_foot_state feet[LMB_PLANT_FEET];
} lmb_foot_lock_state;

/// Keeps standing feet from sliding where motions are blended. While a foot is said to stand, its
/// ball stays in one place on the ground; foot heights stay the animation's, and the hips drop
/// where a locked leg would be too short. Velocities are continuous at both ends: critically damped
/// springs. Where floors are given, no part of a foot goes below them, and a foot that is said to
/// stand while it still moves takes a step: the faster it moves, the higher it is lifted.
typedef struct lmb_ik_foot_lock_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;       ///< [joint_count] rewritten: hips' translation, legs, ankles
    lmb_mat4 *model_from_joint; ///< [joint_count] of that pose on entry, of the new one on return
    uint32_t hips;
    /// the character's rotation and translation in the world, for poses without root motion. All
    /// zero counts as identity
    lmb_transform world_from_model;
    uint32_t leg_count; ///< up to LMB_PLANT_FEET
    const lmb_foot_lock_leg *legs;
    /// [leg_count] 0 to 1, weight of the blend in which the foot stands: lmb_machine_feet
    const float *planted;
    /// [leg_count][2] or NULL: lowest heights of the ball and the tip, model space:
    /// lmb_machine_feet
    const float *floors;
    float dt_s; ///< since the last frame
    lmb_foot_lock_state *state;
} lmb_ik_foot_lock_job;
/// Returns how many feet are locked.
LMB_API uint32_t lmb_ik_foot_lock(const lmb_ik_foot_lock_job *job);

#ifdef __cplusplus
}
#endif
#endif
