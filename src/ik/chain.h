/// The tree of joints between a root and the ends with goals, laid out in the caller's scratch.
#ifndef IK_CHAIN_H
#define IK_CHAIN_H

#include "limber/ik.h"
#include "math/quat_inline.h"

#define LMBI_ENDS 64 ///< bits of lmbi_link.ends

/// Constant data of a joint in the tree. Parents precede children; link 0 is the root.
typedef struct lmbi_link {
    uint32_t joint;
    int32_t parent;       ///< link index, -1 for the root
    uint32_t child_count; ///< links and end points attached to it
    bool rotates;         ///< not a fixed joint
    uint8_t slides; ///< bits 1, 2, 4: axes of the rest frame along which its box has an extent
    float scale;    ///< model units per unit of its translation
    const lmb_joint_limit *limit; ///< NULL: no limit
    lmb_transform rest;           ///< translation in model units
    uint64_t ends;                ///< bit e: end e is on this link or below
} lmbi_link;

typedef struct lmbi_link_state {
    lmb_quat rotation; ///< model_from_joint
    lmb_quat local;    ///< parent_from_joint
    lmb_vec3 position; ///< model space
    lmb_vec3 offset;   ///< from the parent joint, in its frame, in model units
    bool clamped;      ///< the limit clamped the last step
} lmbi_link_state;

typedef struct lmbi_end {
    uint32_t link;
    lmb_vec3 offset; ///< in the joint's frame, in model units
    lmb_vec3 target; ///< the goal's target, moved into reach
    lmb_quat rotation;
    float weight;         ///< of the distance
    float turn_weight;    ///< of the angle, in model units per radian; 0: no orientation goal
    bool is_out_of_reach; ///< the goal is out of reach
} lmbi_end;

/// Position and remaining error of an end, in model space.
typedef struct lmbi_end_error {
    lmb_vec3 position;
    lmb_vec3 to_target; ///< to the target
    lmb_vec3 rotation;  ///< rotation vector to the goal's orientation
} lmbi_end_error;

typedef struct lmbi_ik_chain {
    const lmb_ik_chain_job *job;
    uint32_t link_count, end_count;
    lmbi_link *links;
    lmbi_end *ends;
    lmbi_link_state *now, *trial, *best; ///< [link_count]; swapped, not copied
    lmbi_end_error *errors;              ///< [end_count] of the state measured last
    lmb_vec3 *rotations,
        *moves; ///< [link_count] the step: rotation vectors and translations, model space
    void *work; ///< the solver's own scratch
    lmb_quat base_rotation; ///< model_from_joint of the root's parent
    lmb_vec3 base_position; ///< position of the root's parent
    float reach;            ///< longest path from the root to an end
    float tolerance, tolerance_rad;
    bool has_limits, slides;
    float best_cost;
    uint32_t iterations, max_iterations;
} lmbi_ik_chain;

/// Bytes of the chain itself, without `work`.
size_t lmbi_chain_size(const lmb_ik_chain_job *job, uint32_t *link_count);
/// Lays the chain out. False when the scratch is too small or an end is not below the root.
bool lmbi_chain_set_up(lmbi_ik_chain *chain, const lmb_ik_chain_job *job);
/// Forward kinematics: rotations and positions from local rotations and offsets.
void lmbi_chain_forward(const lmbi_ik_chain *chain, lmbi_link_state *state);
/// Clamps one joint to its limit and updates its rotation and position.
void lmbi_chain_clamp_link(const lmbi_ik_chain *chain, lmbi_link_state *state, uint32_t link);
/// Clamps every joint to its limit and updates all rotations and positions.
void lmbi_chain_clamp(const lmbi_ik_chain *chain, lmbi_link_state *state);
/// Applies the step in chain->rotations and chain->moves to `from` and clamps every joint.
void lmbi_chain_step(const lmbi_ik_chain *chain, const lmbi_link_state *from, lmbi_link_state *to);
/// Fills chain->miss and returns the weighted sum of squares.
float lmbi_chain_measure_errors(lmbi_ik_chain *chain, const lmbi_link_state *state);
/// True when every end in chain->miss is within its tolerance.
bool lmbi_chain_is_met(const lmbi_ik_chain *chain);
/// The largest distance in chain->miss.
float lmbi_chain_worst(const lmbi_ik_chain *chain);
static inline void lmbi_chain_swap(lmbi_ik_chain *chain)
{
    lmbi_link_state *was = chain->now;
    chain->now = chain->trial;
    chain->trial = was;
}
/// Counts an iteration and keeps the best pose. `now` must have been measured. True when the solve
/// is over.
bool lmbi_chain_count_iteration(lmbi_ik_chain *chain, float cost);
/// Model rotation of the frame that a link's local rotation is relative to.
static inline lmb_quat lmbi_parent_rotation(const lmbi_ik_chain *chain,
                                            const lmbi_link_state *state, uint32_t link)
{
    const int32_t parent = chain->links[link].parent;
    return parent < 0 ? chain->base_rotation : state[parent].rotation;
}
/// Unit axis of a hinge in model space.
static inline lmb_vec3 lmbi_hinge_axis(const lmbi_ik_chain *chain, const lmbi_link_state *state,
                                       uint32_t link)
{
    return lmbi_quat_rotate(state[link].rotation, chain->links[link].limit->axis);
}
static inline bool lmbi_is_hinge(const lmbi_link *link)
{
    return link->limit && link->limit->kind == LMB_JOINT_HINGE;
}

/// Sums for the rotation about one axis that brings weighted arms nearest to their targets.
typedef struct lmbi_swing {
    lmb_vec3 cross; ///< of arms and targets
    float dot;      ///< of arms and targets
    float outer[6]; ///< arms times targets, symmetric part: xx yy zz xy xz yz
} lmbi_swing;

static inline void lmbi_swing_add(lmbi_swing *s, lmb_vec3 arm, lmb_vec3 target, float weight)
{
    s->cross = lmb_vec3_mad(s->cross, lmb_vec3_cross(arm, target), weight);
    s->dot += weight * lmb_vec3_dot(arm, target);
    s->outer[0] += weight * arm.x * target.x;
    s->outer[1] += weight * arm.y * target.y;
    s->outer[2] += weight * arm.z * target.z;
    s->outer[3] += weight * (arm.x * target.y + arm.y * target.x);
    s->outer[4] += weight * (arm.x * target.z + arm.z * target.x);
    s->outer[5] += weight * (arm.y * target.z + arm.z * target.y);
}
/// sum w |R a - t|^2 over the angle of R about unit n is least at atan2(n . sum w a x t, sum w (a .
/// t - (n . a)(n . t))).
float lmbi_swing_angle(const lmbi_swing *swing, lmb_vec3 axis);
/// The rotation axis with the steepest descent, unit; zero at a stationary point.
lmb_vec3 lmbi_swing_axis(const lmbi_swing *swing);

void lmbi_solve_ccd(lmbi_ik_chain *chain);
/// One sweep over `now`, which must have been measured; `work` has lmbi_ccd_work bytes.
void lmbi_ccd_sweep(lmbi_ik_chain *chain, void *work);
void lmbi_solve_fabrik(lmbi_ik_chain *chain);
void lmbi_solve_jacobian(lmbi_ik_chain *chain);
void lmbi_solve_damped(lmbi_ik_chain *chain);
/// Bytes of chain->work.
size_t lmbi_ccd_work(uint32_t end_count);
size_t lmbi_fabrik_work(uint32_t link_count, uint32_t end_count);
size_t lmbi_jacobian_work(uint32_t link_count, uint32_t end_count);
size_t lmbi_damped_work(uint32_t link_count, uint32_t end_count);

// The dense Jacobian of a chain's ends.

/// A hinge has one column, a ball three (the model axes), a joint with a box one for each open
/// axis.
uint32_t lmbi_jacobian_columns(const lmbi_ik_chain *chain);
/// Three rows for each end's position, then three for its orientation if it has a weight.
uint32_t lmbi_jacobian_rows(const lmbi_ik_chain *chain);
/// Fills the weighted Jacobian [rows][columns] and error [rows] of `now`, which must have been
/// measured.
void lmbi_jacobian_fill(const lmbi_ik_chain *chain, double *jacobian, double *error);
/// Converts a step [columns] to chain->rotations and chain->moves.
void lmbi_jacobian_apply(const lmbi_ik_chain *chain, const double *step);

#endif
