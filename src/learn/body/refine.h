/// Poses, shapes, joints, correctives and weights of a population at once, by Gauss and Newton's method. With a vertex'
/// columns c (its mean position, how the shapes move it, its correctives) and a scan's row x (1, the person's
/// coefficients, the pose's features), the vertex at rest is x c, and
///   cost = sum over scans and vertices |scan - sum over joints k of w_k (G_k (x c - J_k) + o_k)|^2 + priors,
/// with joints J linear in the coefficients too.
#ifndef LEARN_BODY_REFINE_H
#define LEARN_BODY_REFINE_H

#include "learn/body/population.h"

/// All unknowns lie in one vector: poses [scan][3 joints + 3] (rotations about axes of the model, translation),
/// then the parts that begin at the offsets below.
typedef struct lmbi_refinement {
    lmbi_population *p;
    size_t pose_size, shape_count, feature_count;
    size_t space; ///< 1 + shapes: columns that make a person
    size_t basis; ///< and with the correctives
    size_t room;  ///< weights of a vertex; 0 where they stay
    size_t coefficients, joints, vertices, weights, size; ///< offsets of [person][shapes],
    ///< [space][joint][3], [vertex][3][basis], [vertex][room], and the end

    double pose_cost, weight_cost; ///< of squared half angles, and of squared changes of weights
    lmbi_corrective_groups groups; ///< of vertices
    double *costs;                 ///< [group][basis] of squared columns of its vertices
    double *first_weights;         ///< [vertex][room] in the definition

    // The state's, by scans
    double *rows;   ///< [scan][basis]
    double *rests;  ///< [scan][vertex][3] rest positions with correctives
    double *fields; ///< [scan][vertex][3] residuals, or what a change of the unknowns makes of them
    double *forces; ///< [scan][vertex][3] fields brought back to rest
    /// [scan][joint] rotation, origin and rest position of a joint: changes, or the pulls at them
    double (*moves)[3][3];
    double *turns;             ///< [scan][features] changes of features, or pulls at them
    double *coefficient_pulls; ///< [scan][shapes]

    // The preconditioner
    double *pose_factors;   ///< [scan][pose_size][pose_size]
    double *joint_scales;   ///< [space][joint]
    double *column_factors; ///< [group][basis][basis] of its vertices
    double *weight_factors; ///< [vertex][room][room]

    double *vectors[5];      ///< [size] see lmbi_refinement_step
    double *kept;            ///< the state before a step
    uint32_t first_scan;     ///< of a batch
    uint32_t gradient_steps; ///< conjugate gradients of the next step: how far it may go
} lmbi_refinement;

bool lmbi_refinement_init(lmbi_refinement *r, lmbi_population *p, lmbi_arena *arena);
/// Lowers the cost by one step, where it can: false.
bool lmbi_refinement_step(lmbi_refinement *r);

/// fields = residuals; also what else belongs to the state. Returns the cost.
double lmbi_refinement_measure(lmbi_refinement *r);
/// out = -gradient / 2 of the cost, from the residuals in `fields`, which it leaves.
void lmbi_refinement_descent(lmbi_refinement *r, double *out);
/// out = (J^T J + priors) u; spoils `fields`.
void lmbi_refinement_multiply(lmbi_refinement *r, const double *u, double *out);
/// Weights of a vertex sum to 1, and those that are 0 stay: makes a change of them such.
void lmbi_refinement_balance(const lmbi_refinement *r, size_t vertex, double *change);
/// Where joint k of the vertex' row alone would take it in a scan.
void lmbi_refinement_candidate(const lmbi_refinement *r, size_t scan, size_t vertex, size_t k,
                               double out[3]);

/// Prepares the preconditioner for the state.
void lmbi_refinement_condition(lmbi_refinement *r);
/// to = about (J^T J + priors)^-1 from
void lmbi_refinement_precondition(const lmbi_refinement *r, const double *from, double *to);

#endif
