/// Shared by the parts of the full-body solver: the moving joints, the linearised goals and the
/// normal equations.
///
/// Positions are relative to the root's initial position, so that a body far from the origin loses
/// no precision.
#ifndef IK_FULL_BODY_H
#define IK_FULL_BODY_H

#include "limber/ik.h"
#include "math/quat_inline.h"

/// A joint that moves. Nodes are in joint order: parents first, node 0 is the root.
typedef struct lmbi_node {
    uint32_t joint;
    int32_t parent;         ///< node index, LMB_NONE for the root
    uint32_t freedom_count; ///< 3; 1 for a hinge; 0 for a fixed joint
    uint32_t freedom;       ///< index of its first degree of freedom
    /// first degree of freedom of its subtree, whose range is first .. freedom + freedom_count
    uint32_t first;
    bool near;              ///< the last clamp was at the limit or close to it
    bool at_limit;          ///< a limit blocked some direction in this step
    bool hit, axes_changed; ///< the trial was clamped; its axes changed since the matrix was built
    lmb_vec3 applied, rejected; ///< rotation vectors: the clamped step, and what the clamp removed
    lmb_vec3 committed; ///< committed part of the trial's rotation vector, in the joint's frame
    const lmb_joint_limit *limit; ///< NULL: no limit
    float stiffness;
    float path_length; ///< bone length from the root
} lmbi_node;

/// Local and model rotation, position, and the scale inherited by the children.
typedef struct lmbi_node_pose {
    lmb_quat local, model;
    lmb_vec3 position, scale;
} lmbi_node_pose;

/// Twist of a rotation about `a` through the joint's position p: v = p x a. For the root's
/// translation a is 0 and v is the direction.
typedef struct lmbi_screw {
    lmb_vec3 a, v;
} lmbi_screw;

/// Derivative of a goal's residual for all screws at or above a node: dr = b a + c v. Row-major.
typedef struct lmbi_screw_jacobian {
    uint32_t node;
    float b[9], c[9];
} lmbi_screw_jacobian;

enum { LMBI_GOAL_NODES = 3 };

typedef struct lmbi_linear {
    float r[3];
    /// 1: one node's derivative, so the goal adds to the composite inertias
    uint32_t jacobian_count;
    lmbi_screw_jacobian jacobians[LMBI_GOAL_NODES];
} lmbi_linear;

/// Gauss-Newton terms of everything below a node, in screw space: H = s' G s, with G = [bb bc; bc'
/// cc], g = s' h.
typedef struct lmbi_inertia {
    float bb[9], bc[9], cc[9], h[6], pad[3];
} lmbi_inertia;

/// Point mass attached to a node.
typedef struct lmbi_mass {
    uint32_t node;
    lmb_vec3 offset;
    float fraction; ///< of the total mass
} lmbi_mass;

typedef struct lmbi_body_solver {
    const lmb_ik_full_body_job *job;
    uint32_t node_count, freedom_count;
    /// first of the root's three translation freedoms, which come last; freedom_count when pinned
    uint32_t root_freedom;
    lmbi_node *nodes;
    int32_t *node_of;                ///< [joint_count] node index or LMB_NONE
    uint32_t *cursor;                ///< [node_count] scratch while freedoms are numbered
    lmbi_node_pose *now, *trial;     ///< [node_count]
    lmb_transform model_from_parent; ///< of the root
    lmb_vec3 origin;
    float reach;   ///< unit of length
    bool is_tree;  ///< every goal depends on one node and there is no rest or smoothness term
    bool has_mass; ///< some goal constrains the centre of mass
    uint32_t mass_count;
    lmbi_mass *masses;
    int32_t *seeds; ///< [node_count] position goal of the node's joint, or LMB_NONE
    /// [freedom_count] in the joint's frame, with the directions that limits block removed
    lmb_vec3 *axes;
    lmbi_screw *screws;          ///< [freedom_count]
    lmbi_inertia *inertias;      ///< [node_count]
    lmbi_screw_jacobian *center; ///< [node_count] derivative of the centre of mass, with has_mass
    lmbi_linear *linears;        ///< [goal_count]
    /// [goal_count] 0: ignored; 1: used; 2: a ground goal that the step would violate, active
    uint8_t *use;
    bool has_ground;
    float *momenta; ///< [freedom_count][6] G s of each freedom
    float *rows; ///< [3 * freedom_count] Jacobian columns of one goal that depends on several nodes
    float *gradient, *step;    ///< [freedom_count]
    float *damping;            ///< [freedom_count]
    uint32_t *begin;           ///< [freedom_count] first column of each matrix row
    float **row, **factor_row; ///< [freedom_count] entry (i, j) is row[i][j - begin[i]]
    size_t entry_count;
    float *matrix, *factor; ///< [entry_count] lower triangle, row by row from begin[i] to i
    float committed_saving; ///< cost saved by the committed rotations, in the linear model
} lmbi_body_solver;

/// Lays the solver out in the job's scratch.
void lmbi_body_set_up(lmbi_body_solver *body, const lmb_ik_full_body_job *job);
/// Reads the job's pose and clamps it to the limits.
void lmbi_body_read_pose(lmbi_body_solver *body);
/// Forward kinematics: model rotations and positions from local rotations and the root's position.
void lmbi_body_frames(const lmbi_body_solver *body, lmbi_node_pose *frames);

float lmbi_goal_weight(const lmb_goal *goal);
bool lmbi_goal_is_finite(const lmb_goal *goal);
/// The residual in solver units: fractions of the reach, radians.
void lmbi_goal_residual(const lmbi_body_solver *body, const lmb_goal *goal,
                        const lmbi_node_pose *frames, float r[3]);
/// The residual and its derivative at body->now. A centre-of-mass goal fills body->center.
void lmbi_goal_linearize(const lmbi_body_solver *body, const lmb_goal *goal, lmbi_linear *out);
/// Remaining error of a goal, in model units or radians.
float lmbi_goal_error(const lmbi_body_solver *body, const lmb_goal *goal);
/// Derivative of r along a screw of a node. Reference for the assembly of the normal equations.
void lmbi_goal_derivative(const lmbi_body_solver *body, const lmb_goal *goal,
                          const lmbi_linear *linear, uint32_t node, lmbi_screw screw, float out[3]);

/// Resets the joint axes to the free ones, without projection on the limits.
void lmbi_body_axes(lmbi_body_solver *body);
/// Screws of one node from its axes. Those of the root's translation are set by lmbi_body_axes.
void lmbi_body_screws(lmbi_body_solver *body, uint32_t node);
/// Removes from the axes the directions that would push a joint at its limit further out.
void lmbi_body_project_axes(lmbi_body_solver *body);
/// Removes one direction (unit, in the joint's frame) from the joint's axes.
void lmbi_body_remove_direction(lmbi_body_solver *body, uint32_t node, lmb_vec3 normal);
/// Commits what the limit left of the trial's rotation and removes the blocked directions from the
/// axes.
void lmbi_body_commit_clamped(lmbi_body_solver *body, uint32_t node);
/// The nearest local rotation inside the limit.
lmb_quat lmbi_node_clamp(const lmbi_body_solver *body, lmbi_node *node, lmb_quat local);

/// Linearises the goals and sums the inertias, for free axes.
void lmbi_body_linearize(lmbi_body_solver *body);
/// The gradient for the current axes.
void lmbi_body_gradient(lmbi_body_solver *body);
/// Gradient and matrix for the current axes.
void lmbi_body_build_normal(lmbi_body_solver *body);
/// Updates gradient and matrix after lmbi_body_commit_clamped: only nodes whose axes changed.
void lmbi_body_update_normal(lmbi_body_solver *body);
/// Activates the ground goals that the trial violates. Returns how many.
uint32_t lmbi_body_activate_grounds(lmbi_body_solver *body);
/// Signed height of a goal's point over its ground plane, as a fraction of the reach.
float lmbi_goal_height(const lmbi_body_solver *body, const lmb_goal *goal,
                       const lmbi_node_pose *frames);
/// Commits a rotation of one joint: in the linear model the residuals change as if it were applied.
void lmbi_body_commit(lmbi_body_solver *body, uint32_t node, lmb_vec3 rotation);
/// Offset of the root from its position in the previous pose, as a fraction of the reach.
lmb_vec3 lmbi_root_offset(const lmbi_body_solver *body, const lmbi_node_pose *frames);
/// log(reference^-1 q), a rotation vector.
lmb_vec3 lmbi_rotation_from(lmb_quat reference, lmb_quat q);
/// d log(r exp(x)) / dx at x = 0, row-major; with -r the same for exp(x) on the left.
void lmbi_log_jacobian(lmb_vec3 r, float out[9]);
lmb_vec3 lmbi_rotation_log(lmb_quat q);
lmb_quat lmbi_rotation_exp(lmb_vec3 v);

/// Skyline Cholesky of matrix + diagonal; rows before `from` are kept from the last call. False
/// when it is not positive definite.
bool lmbi_skyline_factor(lmbi_body_solver *body, const float *diagonal, uint32_t from);
/// Solves for step = -(matrix + diagonal)^-1 gradient.
void lmbi_skyline_solve(const lmbi_body_solver *body);

/// Solves for a step and applies it to body->trial. Joints that it takes past their limits are
/// clamped and the others are solved for again. False when the matrix is not positive definite.
bool lmbi_body_find_step(lmbi_body_solver *body, float lambda, float cost);
/// Decrease that the linear model predicts for the step: -2 g d - d' H d, which is -g d + d' D d
/// for an uncut step, where (H + D) d = -g.
float lmbi_body_predict_saving(const lmbi_body_solver *body);
/// True when the step is below the visible threshold.
bool lmbi_body_is_still(const lmbi_body_solver *body);

/// Writes an initial guess to body->trial. False where no two neighbouring joints have position
/// goals.
bool lmbi_body_seed(lmbi_body_solver *body);
/// Bends hinges at an end of their range inward, in body->trial: a straight limb has no gradient
/// toward a goal that lies along it.
bool lmbi_body_unlock(lmbi_body_solver *body);
/// Bends every joint a little, in body->trial, to leave a saddle where a goal lies along a straight
/// limb.
void lmbi_body_nudge(lmbi_body_solver *body);
/// Writes to body->trial the rest pose with hinges at `fraction` of their ranges and the other
/// joints rotated by `spread_rad` about random axes. The root keeps its pose.
void lmbi_body_mid_range(lmbi_body_solver *body, float fraction, float spread_rad,
                         lmb_random *random);
/// Clamps the root's position in body->trial to its box.
void lmbi_body_clamp_root(lmbi_body_solver *body);
/// The root's position in its parent's frame.
lmb_vec3 lmbi_root_local(const lmbi_body_solver *body, lmb_vec3 position);
/// The weighted sum of squares of a pose, and the largest goal error, in solver units.
float lmbi_body_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames, float *worst);

/// Whether a node is `ancestor` or below it. Parents precede their children.
static inline bool lmbi_node_is_under(const lmbi_body_solver *body, uint32_t node,
                                      uint32_t ancestor)
{
    int32_t n = (int32_t)node;
    while (n > (int32_t)ancestor) {
        n = body->nodes[n].parent;
    }
    return n == (int32_t)ancestor;
}

#endif
