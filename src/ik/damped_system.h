/// The normal equations of damped least squares, accumulated joint by joint.
#ifndef IK_DAMPED_SYSTEM_H
#define IK_DAMPED_SYSTEM_H

#include "ik/chain.h"

/// Rotations that a joint has left: all, all but those about unit `axis`, only those about it,
/// none.
typedef enum lmbi_freedom_kind {
    LMBI_FREEDOM_ALL = 0,
    LMBI_FREEDOM_ACROSS_AXIS,
    LMBI_FREEDOM_ABOUT_AXIS,
    LMBI_FREEDOM_NONE
} lmbi_freedom_kind;

typedef struct lmbi_damped_freedom {
    lmbi_freedom_kind kind;
    uint8_t slides; ///< bits of the rest frame's axes along which it can slide
    lmb_vec3 axis;
} lmbi_damped_freedom;

/// Three rows of the system: the position or the orientation of an end.
typedef struct lmbi_damped_rows {
    uint32_t end;
    bool is_rotation;
    float weight;
} lmbi_damped_rows;

typedef struct lmbi_damped {
    lmbi_ik_chain *chain;
    lmbi_damped_freedom *freedoms;     ///< [link_count]
    lmbi_damped_rows *blocks;          ///< [block_count]
    lmb_vec3 *arms;                    ///< [block_count] from the current joint to each end
    lmb_vec3 *pull;                    ///< [link_count] desired null-space step, rotation vectors
    double *matrix;                    ///< [rows][rows], lower triangle
    double *error, *solution, *pivots; ///< [rows]
    uint32_t block_count, rows;
    double trace;
} lmbi_damped;

/// Lays the system out in chain->work.
lmbi_damped lmbi_damped_set_up(lmbi_ik_chain *chain);
/// J J^T of `now` under the freedoms, and its trace. The chain must have been measured.
void lmbi_damped_assemble(lmbi_damped *d);
/// The weighted errors, less what the null-space step z adds to them: e - J z.
void lmbi_damped_set_error(const lmbi_damped *d, bool pulls);
/// (J J^T + damping I) solution = error. False when it is not positive definite.
bool lmbi_damped_solve(const lmbi_damped *d, double damping);
/// J^T solution of one joint, written to chain->rotations and chain->moves.
void lmbi_damped_gather(const lmbi_damped *d, uint32_t k);
/// Lets every joint move as its kind allows, whatever limits have frozen.
void lmbi_damped_unfreeze(const lmbi_damped *d);
/// Projects a rotation vector on the joint's freedom.
lmb_vec3 lmbi_damped_project(const lmbi_damped_freedom *f, lmb_vec3 v);
/// Steps from `now` to `trial`. `damping` is a factor of the mean diagonal; `pulls` adds d->pull in
/// the null space. Directions that limits clamp are removed and the step is solved for again.
void lmbi_damped_step(lmbi_damped *d, double damping, bool pulls);

#endif
