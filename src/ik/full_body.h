/// What the parts of the full-body solver share: the moving joints, the goals made linear, the
/// normal equations.
///
/// Places are relative to where the root was at first, so that a body far from the origin loses no
/// precision.
#ifndef IK_FULL_BODY_H
#define IK_FULL_BODY_H

#include "limber/ik.h"

/// A joint that moves. Nodes are in the order of the joints: parents first, node 0 is the root.
typedef struct lmbi_node {
    uint32_t joint;
    int32_t parent;         ///< node, LMB_NONE for the root
    uint32_t freedom_count; ///< 3, 1 for a hinge, 0 for a fixed joint
    uint32_t freedom;       ///< its first degree of freedom
    /// the first degree of freedom of its subtree, which is first .. freedom + freedom_count
    uint32_t first;
    bool near;           ///< the last clamp was at the limit or close to it
    bool held;           ///< the limit stopped it in this step
    bool hit, renewed;   ///< the trial ran into it; its axes changed since the matrix was made
    lmb_vec3 done, lost; ///< what it made of its turn, what the limit took
    lmb_vec3 kept;       ///< the part of the trial's turn that is settled, in the joint's own frame
    const lmb_joint_limit *limit; ///< NULL: free
    float stiffness;
    float way; ///< along the bones from the root
} lmbi_node;

/// Where a node is: rotation local and in the model, place, and the scale of what hangs from it.
typedef struct lmbi_node_pose {
    lmb_quat local, model;
    lmb_vec3 place, scale;
} lmbi_node_pose;

/// A twist: the joint turns about `a` through its place p, v = p x a. For the root's translation a
/// is 0 and v the direction.
/// What it does to a goal is b a + c v.
typedef struct lmbi_screw {
    lmb_vec3 a, v;
} lmbi_screw;

/// How the residual changes with all screws above one node. Row-major.
typedef struct lmbi_pull {
    uint32_t node;
    float b[9], c[9];
} lmbi_pull;

enum { LMBI_PULLS = 3 };

typedef struct lmbi_linear {
    float r[3];
    uint32_t pull_count; ///< 1: the goal's part of the normal equations follows the tree
    lmbi_pull pulls[LMBI_PULLS];
} lmbi_linear;

/// Gauss-Newton terms of everything below a node, in the space of screws: H = s' G s, with G = [bb
/// bc; bc' cc], g = s' h.
typedef struct lmbi_inertia {
    float bb[9], bc[9], cc[9], h[6], pad[3];
} lmbi_inertia;

/// A mass at a point of a node.
typedef struct lmbi_mass {
    uint32_t node;
    lmb_vec3 offset;
    float share; ///< of the whole
} lmbi_mass;

typedef struct lmbi_body_solver {
    const lmb_ik_full_body_job *job;
    uint32_t node_count, freedom_count;
    /// freedom of the root's translation, the last three; freedom_count when it is pinned
    uint32_t place;
    lmbi_node *nodes;
    int32_t *node_of;            ///< [joint_count] or LMB_NONE
    uint32_t *cursor;            ///< [node_count] of the plan
    lmbi_node_pose *now, *trial; ///< [node_count]
    lmb_transform above;         ///< model_from_parent of the root
    lmb_vec3 origin;
    float reach;   ///< the unit of lengths
    bool is_tree;  ///< every goal follows the tree and nothing pulls softly
    bool has_mass; ///< a goal asks for the centre of mass
    uint32_t mass_count;
    lmbi_mass *masses;
    int32_t
        *seeds; ///< [node_count] the goal that says where the node's joint is to be, or LMB_NONE
    lmb_vec3 *axes;     ///< [freedom_count] in the joint's own frame, what limits forbid taken out
    lmbi_screw *screws; ///< [freedom_count]
    lmbi_inertia *inertias; ///< [node_count]
    lmbi_pull *center;      ///< [node_count] of the centre of mass, with has_mass
    lmbi_linear *linears;   ///< [goal_count]
    /// [goal_count] 0: passed over; 2: a ground that the step would go under, to be stood on
    uint8_t *use;
    bool has_ground;
    float *momenta;            ///< [freedom_count][6] G s, for the matrix
    float *rows;               ///< [3 * freedom_count] of one goal that does not follow the tree
    float *gradient, *step;    ///< [freedom_count]
    float *damping;            ///< [freedom_count]
    uint32_t *begin;           ///< [freedom_count] first column of a row of the matrix
    float **row, **factor_row; ///< [freedom_count] entry (i, j) is row[i][j - begin[i]]
    size_t entry_count;
    float *matrix, *factor; ///< [entry_count] lower triangle, row by row from begin[i] to i
    float kept_saving;      ///< what settled turns save of the cost, in the linear model
} lmbi_body_solver;

// The products of the inner loops, here so that they are inlined: of few operations.

static inline lmb_quat lmbi_quat_times(lmb_quat a, lmb_quat b)
{
    return lmb_quat_make(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                         a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

static inline lmb_vec3 lmbi_quat_turned(lmb_quat q, lmb_vec3 v)
{
    const lmb_vec3 u = {q.x, q.y, q.z}, t = lmb_vec3_scale(lmb_vec3_cross(u, v), 2.0f);
    return lmb_vec3_add(lmb_vec3_mad(v, t, q.w), lmb_vec3_cross(u, t));
}

/// Lays the body out in the job's scratch.
void lmbi_body_plan(lmbi_body_solver *body, const lmb_ik_full_body_job *job);
/// Frames of the job's pose, brought inside the limits.
void lmbi_body_start(lmbi_body_solver *body);
/// Model rotations and places from the local rotations and the root's place.
void lmbi_body_frames(const lmbi_body_solver *body, lmbi_node_pose *frames);

float lmbi_goal_weight(const lmb_goal *goal);
bool lmbi_goal_is_finite(const lmb_goal *goal);
/// The residual in units of the solver: shares of the reach, radians.
void lmbi_goal_residual(const lmbi_body_solver *body, const lmb_goal *goal,
                        const lmbi_node_pose *frames, float r[3]);
/// The residual and how it changes at body->now. The centre of mass fills body->center.
void lmbi_goal_linearize(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out);
/// What is left of a goal, in model units or radians.
float lmbi_goal_left(const lmbi_body_solver *body, const lmb_goal *goal);
/// How r changes with a screw of a node; what the assembly of the normal equations stands for.
void lmbi_goal_change(const lmbi_body_solver *body, const lmb_goal *goal, const lmbi_linear *linear,
                      uint32_t node, lmbi_screw screw, float out[3]);

/// The joint's axes without what its limit forbids.
void lmbi_body_axes(lmbi_body_solver *body);
/// Screws of one node from its axes; with node 0 also those of the root's translation.
void lmbi_body_screws(lmbi_body_solver *body, uint32_t node);
/// Takes out of the axes what would push a joint that stands at its limit further out.
void lmbi_body_hold(lmbi_body_solver *body);
/// Takes one direction (unit, in the joint's own frame) out of the joint's axes.
void lmbi_body_forbid(lmbi_body_solver *body, uint32_t node, lmb_vec3 stop);
/// Settles what a limit left of the trial's turn, and takes the directions that it stops out of the
/// axes.
void lmbi_body_keep_hit(lmbi_body_solver *body, uint32_t node);
/// The nearest local rotation inside the limit.
lmb_quat lmbi_node_clamp(const lmbi_body_solver *body, lmbi_node *node, lmb_quat local);

/// Goals made linear, inertias and the gradient, for free axes.
void lmbi_body_gather(lmbi_body_solver *body);
/// The gradient for the axes as they are.
void lmbi_body_gradient(lmbi_body_solver *body);
/// Gradient and matrix for the axes as they are.
void lmbi_body_normal(lmbi_body_solver *body);
/// The same where few joints were given other axes and settled turns: what does not change is left.
void lmbi_body_renew(lmbi_body_solver *body);
/// Grounds that the trial goes under join the normal equations. Returns how many.
uint32_t lmbi_body_land(lmbi_body_solver *body);
/// Height over the ground of a goal, in shares of the reach.
float lmbi_goal_height(const lmbi_body_solver *body, const lmb_goal *goal,
                       const lmbi_node_pose *frames);
/// Settles a turn of one joint: the goals below it see it, in the linear model, as if it were made.
void lmbi_body_keep(lmbi_body_solver *body, uint32_t node, lmb_vec3 turn);
/// How far the root is from where it was in the previous pose, in shares of the reach.
lmb_vec3 lmbi_root_moved(const lmbi_body_solver *body, const lmbi_node_pose *frames);
/// log(reference^-1 q): how far a joint is turned from a reference.
lmb_vec3 lmbi_turn_from(lmb_quat reference, lmb_quat q);
/// d log(r exp(x)) / dx at x = 0, row-major; with -r the same for exp(x) on the left.
void lmbi_log_jacobian(lmb_vec3 r, float out[9]);
lmb_vec3 lmbi_turn_log(lmb_quat q);
lmb_quat lmbi_turn_exp(lmb_vec3 v);

/// Cholesky of matrix + diagonal in the skyline; rows before `from` stand as they are. False when
/// it is not positive definite.
bool lmbi_skyline_factor(lmbi_body_solver *body, const float *diagonal, uint32_t from);
/// Solves for step = -(matrix + diagonal)^-1 gradient.
void lmbi_skyline_solve(const lmbi_body_solver *body);

/// The weighted sum of squares of a pose, and the largest error of a goal, in units of the solver.
float lmbi_body_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames, float *worst);
/// Solves for a step and makes it in body->trial. Joints that it takes out of their limits stop
/// there, and the others make up for it. False when the matrix is not positive definite.
bool lmbi_body_find_step(lmbi_body_solver *body, float lambda, float cost);
/// What the linear model says the step saves: -2 g d - d' H d, and d' (H + D) d = -g d for a whole
/// step.
float lmbi_body_predicted(const lmbi_body_solver *body);
/// The step moves nothing that could be seen.
bool lmbi_body_is_still(const lmbi_body_solver *body);

/// Writes a first guess to body->trial. False where goals do not sit close enough to make one.
bool lmbi_body_seed(lmbi_body_solver *body);
/// Bends, in body->trial, hinges that stand at an end of their range a little inward, where a
/// straight limb cannot feel its goal.
bool lmbi_body_unlock(lmbi_body_solver *body);
/// Bends every joint a little, in body->trial: a straight limb does not feel a goal that lies along
/// it.
void lmbi_body_nudge(lmbi_body_solver *body);
/// The rest pose with hinges bent to a share of their ranges, in body->trial, and the other joints
/// `stray` radians off it, about axes of chance; the root stays.
void lmbi_body_middle(lmbi_body_solver *body, float share, float stray, lmb_random *random);
/// The root's place in body->trial, held in its box.
void lmbi_body_hold_root(lmbi_body_solver *body);
/// A place of the root in its parent's frame.
lmb_vec3 lmbi_root_local(const lmbi_body_solver *body, lmb_vec3 place);

#endif
