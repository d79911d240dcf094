/// The tree of joints between a root and the ends that have goals, laid out for the solvers in the
/// caller's scratch.
#ifndef IK_CHAIN_H
#define IK_CHAIN_H

#include "ik/turn.h"
#include "limber/ik.h"

#define LMBI_ENDS 64 ///< bits of lmbi_link.ends

/// A joint of the tree: what a solve does not change. Parents precede children; the root is link 0.
typedef struct lmbi_link {
    uint32_t joint;
    int32_t parent;       ///< link, or -1 for the root
    uint32_t child_count; ///< links and end points below
    bool turns;           ///< not fixed
    uint8_t slides;       ///< bits 1, 2, 4: the axes of the rest frame along which its box is open
    float scale;          ///< model units in a unit of its translation
    const lmb_joint_limit *limit; ///< NULL: free
    lmb_transform rest;           ///< translation in model units
    uint64_t ends;                ///< bit e: end e is on it or below
} lmbi_link;

typedef struct lmbi_link_state {
    lmb_quat turn;   ///< model_from_joint
    lmb_quat local;  ///< parent_from_joint
    lmb_vec3 place;  ///< model space
    lmb_vec3 offset; ///< from the parent joint, in its frame, in model units
    bool held;       ///< the limit took something off the last move
} lmbi_link_state;

typedef struct lmbi_end {
    uint32_t link;
    lmb_vec3 offset; ///< in the joint's frame, in model units
    lmb_vec3 target; ///< what is solved for: the goal's, brought into reach
    lmb_quat rotation;
    float weight;      ///< of distances
    float turn_weight; ///< of angles, in model units a radian; 0: no orientation
    bool is_brought;   ///< the goal itself lies out of reach
} lmbi_end;

/// Where an end is and what it lacks, model space.
typedef struct lmbi_miss {
    lmb_vec3 place;
    lmb_vec3 way;  ///< to the target
    lmb_vec3 turn; ///< rotation vector to the wanted orientation
} lmbi_miss;

typedef struct lmbi_ik_chain {
    const lmb_ik_chain_job *job;
    uint32_t link_count, end_count;
    lmbi_link *links;
    lmbi_end *ends;
    lmbi_link_state *now, *trial, *best; ///< [link_count]; swapped, not copied
    lmbi_miss *miss;                     ///< [end_count] of `now` or what was measured last
    lmb_vec3 *turns,
        *moves;     ///< [link_count] a step: rotation vectors and translations, model space
    void *work;     ///< what a solver needs of its own
    lmb_quat above; ///< model_from_joint of the root's parent
    lmb_vec3 base;  ///< its place
    float reach;    ///< longest way from the root to an end
    float tolerance, tolerance_rad;
    bool has_limits, slides;
    float best_cost;
    uint32_t iterations, most;
} lmbi_ik_chain;

/// Bytes for the chain itself, at least; `work` bytes come on top.
size_t lmbi_chain_size(const lmb_ik_chain_job *job, uint32_t *link_count);
/// Lays the chain out. False when the scratch is too small or the job names joints that are not on
/// one tree.
bool lmbi_chain_set_up(lmbi_ik_chain *chain, const lmb_ik_chain_job *job);
/// Turns and places from locals and offsets.
void lmbi_chain_forward(const lmbi_ik_chain *chain, lmbi_link_state *state);
/// One joint into its limit, and its turn and place from what is above it.
void lmbi_chain_hold_link(const lmbi_ik_chain *chain, lmbi_link_state *state, uint32_t link);
/// Every joint into its limit, then lmbi_chain_forward.
void lmbi_chain_hold(const lmbi_ik_chain *chain, lmbi_link_state *state);
/// `to` is `from` after the step in chain->turns and chain->moves, every joint back in its limit.
void lmbi_chain_step(const lmbi_ik_chain *chain, const lmbi_link_state *from, lmbi_link_state *to);
/// Fills chain->miss and returns the weighted sum of squares.
float lmbi_chain_measure(lmbi_ik_chain *chain, const lmbi_link_state *state);
/// Every end is within its tolerance, by chain->miss.
bool lmbi_chain_is_met(const lmbi_ik_chain *chain);
/// The largest distance and angle (as a distance by its weight) that is left, by chain->miss.
float lmbi_chain_worst(const lmbi_ik_chain *chain);
static inline void lmbi_chain_swap(lmbi_ik_chain *chain)
{
    lmbi_link_state *was = chain->now;
    chain->now = chain->trial;
    chain->trial = was;
}
/// A step is done: counts it, keeps the best pose. `now` must have been measured. True when the
/// solve is over.
bool lmbi_chain_tick(lmbi_ik_chain *chain, float cost);
/// The rotation of the frame that a link stands in, in the model.
static inline lmb_quat lmbi_parent_turn(const lmbi_ik_chain *chain, const lmbi_link_state *state,
                                        uint32_t link)
{
    const int32_t parent = chain->links[link].parent;
    return parent < 0 ? chain->above : state[parent].turn;
}
/// The unit axis of a hinge in the model.
static inline lmb_vec3 lmbi_hinge_axis(const lmbi_ik_chain *chain, const lmbi_link_state *state,
                                       uint32_t link)
{
    return lmbi_turn_vector(state[link].turn, chain->links[link].limit->axis);
}
static inline bool lmbi_is_hinge(const lmbi_link *link)
{
    return link->limit && link->limit->kind == LMB_JOINT_HINGE;
}

/// The rotation about one axis that brings arms nearest to where they shall point, summed arm by
/// arm.
typedef struct lmbi_swing {
    lmb_vec3 cross; ///< of arms with wishes
    float dot;      ///< of arms with wishes
    float outer[6]; ///< arms times wishes, symmetric part: xx yy zz xy xz yz
} lmbi_swing;

static inline void lmbi_swing_add(lmbi_swing *s, lmb_vec3 arm, lmb_vec3 wish, float weight)
{
    s->cross = lmb_vec3_mad(s->cross, lmb_vec3_cross(arm, wish), weight);
    s->dot += weight * lmb_vec3_dot(arm, wish);
    s->outer[0] += weight * arm.x * wish.x;
    s->outer[1] += weight * arm.y * wish.y;
    s->outer[2] += weight * arm.z * wish.z;
    s->outer[3] += weight * (arm.x * wish.y + arm.y * wish.x);
    s->outer[4] += weight * (arm.x * wish.z + arm.z * wish.x);
    s->outer[5] += weight * (arm.y * wish.z + arm.z * wish.y);
}
/// sum w |R a - t|^2 over the angle of R about unit n is least at atan2(n . sum w a x t, sum w (a .
/// t - (n . a)(n . t))).
float lmbi_swing_angle(const lmbi_swing *swing, lmb_vec3 axis);
/// The axis that the swing asks for: unit, or zero when nothing pulls.
lmb_vec3 lmbi_swing_axis(const lmbi_swing *swing);

/// Normals, in the rest frame, of the rotations that a ball's limit took off when it stood at it
/// and turned `wanted` into `got`; all since rest. Returns how many, at most 2.
uint32_t lmbi_limit_normals(const lmb_joint_limit *limit, lmb_quat now, lmb_quat wanted,
                            lmb_quat got, lmb_vec3 normals[2]);

void lmbi_solve_ccd(lmbi_ik_chain *chain);
/// One sweep of `now`, which must have been measured; `work` is lmbi_ccd_work bytes.
void lmbi_ccd_sweep(lmbi_ik_chain *chain, void *work);
void lmbi_solve_fabrik(lmbi_ik_chain *chain);
void lmbi_solve_jacobian(lmbi_ik_chain *chain);
void lmbi_solve_damped(lmbi_ik_chain *chain);
/// From the best pose, which meets the ends, toward the rest pose.
void lmbi_solve_rest(lmbi_ik_chain *chain);
/// Bytes of chain->work.
size_t lmbi_ccd_work(uint32_t end_count);
size_t lmbi_fabrik_work(uint32_t link_count, uint32_t end_count);
size_t lmbi_jacobian_work(uint32_t link_count, uint32_t end_count);
size_t lmbi_damped_work(uint32_t link_count, uint32_t end_count);

#endif
