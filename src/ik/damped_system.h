/// The normal equations of damped least squares, summed joint by joint.
#ifndef IK_DAMPED_SYSTEM_H
#define IK_DAMPED_SYSTEM_H

#include "ik/chain.h"

/// What is left of a joint's three rotations: all, all but those about `axis` (square to what is
/// left), only those about it, none.
typedef enum lmbi_freedom_kind {
    LMBI_FREE = 0,
    LMBI_ALL_BUT,
    LMBI_ONLY,
    LMBI_NONE
} lmbi_freedom_kind;

typedef struct lmbi_damped_freedom {
    lmbi_freedom_kind kind;
    uint8_t slides; ///< bits of the axes of the rest frame that it can still slide along
    lmb_vec3 axis;
} lmbi_damped_freedom;

/// Three rows of the system: the position of an end, or its orientation.
typedef struct lmbi_damped_rows {
    uint32_t end;
    bool is_turn;
    float weight;
} lmbi_damped_rows;

typedef struct lmbi_damped {
    lmbi_ik_chain *chain;
    lmbi_damped_freedom *freedoms;     ///< [link_count]
    lmbi_damped_rows *blocks;          ///< [block_count]
    lmb_vec3 *arms;                    ///< [block_count] of one joint: from it to the end
    lmb_vec3 *pull;                    ///< [link_count] what the null space shall do
    double *matrix;                    ///< [rows][rows], lower triangle
    double *error, *solution, *pivots; ///< [rows]
    uint32_t block_count, rows;
    double trace;
} lmbi_damped;

/// Lays the system out in chain->work.
lmbi_damped lmbi_damped_set_up(lmbi_ik_chain *chain);
/// J J^T of `now` under the freedoms, and its trace. The chain must have been measured.
void lmbi_damped_assemble(lmbi_damped *d);
/// The errors that are left, weighted, less what the null space's own wish would add to them: e - J
/// z.
void lmbi_damped_set_error(const lmbi_damped *d, bool pulls);
/// (J J^T + damping I) solution = error. False when it is not definite.
bool lmbi_damped_solve(const lmbi_damped *d, double damping);
/// J^T solution of one joint, to chain->turns and chain->moves.
void lmbi_damped_gather(const lmbi_damped *d, uint32_t k);
/// What a joint's freedom leaves of a rotation.
lmb_vec3 lmbi_damped_project(const lmbi_damped_freedom *f, lmb_vec3 v);
/// A step from `now` to `trial`, damped by that share of the mean of the diagonal; `pulls`: with
/// d->pull in the null space.
/// Limits that take something off it are met by solving again without what they took off.
void lmbi_damped_try(lmbi_damped *d, double damping, bool pulls);

#endif
