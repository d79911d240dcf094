/// The linear system of one step of a tree's fit, frame by frame.
#ifndef LEARN_TREE_SYSTEM_H
#define LEARN_TREE_SYSTEM_H

#include "learn/tree.h"

enum {
    LMBI_TREE_GROUPS = 8, ///< of frames, each with a matrix of its own
};

/// Cost of a joint that slides, in squared distances of all that hangs on it: what the frames do not
/// determine stays where the parent carries it.
static const double LMBI_TREE_HOLD = 1e-3;

/// The problem of one fit: what is common to its frames, and the state.
typedef struct lmbi_tree_solver {
    lmbi_learn *p;
    lmbi_learn_tree *tree;
    lmbi_tree_moments moments;
    uint32_t bones, width, unknowns, joint_unknowns; ///< P, 4 P, 3 P + 3 S, 3 P - 3
    uint32_t shift_count; ///< S: of the root, then of each joint that slides
    uint32_t *shift_of; ///< [shift_count] the bone whose joint it moves, with all that hangs on it
    double damping;
    /// [bone][3][width] sums of y_j z^T, with y_ij = the arm of bone j about its joint
    double *half;
    double *arms;      ///< [bone][bone][3][3] sums of y_j y_l^T
    double *rotations; ///< [frame][bone][3][3]
    /// [frame][shift_count][3] where the root's joint is, and how far others are from where their parents
    /// carry them
    double *shifts;
    double *next_rotations, *next_shifts, *joints, *step;
    double *matrices, *rights; ///< [GROUPS] for the joints
    double *costs;             ///< [frame] half the sum of squares, less a constant
    size_t room_size;          ///< doubles of a worker's room
} lmbi_tree_solver;

/// One frame being solved.
typedef struct lmbi_tree_frame {
    double *q, *residuals; ///< [3][width]
    double *h;             ///< [unknowns][unknowns] lower triangle
    double *g;             ///< [unknowns]
    double *joint;         ///< [joint_unknowns][unknowns] columns of H between frame and joints
    double *joint_g;       ///< [joint_unknowns]
} lmbi_tree_frame;

static inline const double *lmbi_tree_rotation(const lmbi_tree_solver *s, size_t frame,
                                               uint32_t bone)
{
    return s->rotations + 9 * (frame * s->bones + bone);
}
static inline double *lmbi_tree_shift(const lmbi_tree_solver *s, size_t frame, uint32_t k)
{
    return s->shifts + 3 * (frame * s->shift_count + k);
}
static inline bool lmbi_tree_slides(const lmbi_tree_solver *s, uint32_t bone)
{
    return s->tree->slides[bone];
}
/// Sum of the squared weights of what moves with a joint.
static inline double lmbi_tree_mass(const lmbi_tree_solver *s, uint32_t bone)
{
    return s->moments.products[(4 * (size_t)bone + 3) * (s->width + 1)];
}
/// Allocates, reads the bones and sums over the points. False if there is no memory.
bool lmbi_tree_begin(lmbi_tree_solver *s, lmbi_learn *p, lmbi_learn_tree *tree, lmbi_arena *arena);
/// Fills the arms from the sums and the joints.
void lmbi_tree_find_arms(const lmbi_tree_solver *s);
/// The room of the worker of a frame.
lmbi_tree_frame lmbi_tree_frame_room(const lmbi_tree_solver *s, size_t frame);
/// Fills q and the sums of residuals r z^T; returns half the sum of squares, less a constant, and the costs of
/// the joints that slide.
double lmbi_tree_find_residuals(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w);
/// Fills g and h of the rotations and the shifts. Needs the residuals.
void lmbi_tree_assemble(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w);
/// The frame's system with h factored (L L^T) and L^-1 g in the place of g.
void lmbi_tree_factor(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w);
/// Derivative of the position of bone j's subtree by its joint: R of the parent minus R of the bone; 0 where
/// it slides, so that its joint stays.
void lmbi_tree_joint_derivative(const lmbi_tree_solver *s, size_t f, uint32_t j, double out[9]);
/// Columns of h between the frame's unknowns and what moves the subtree of bone l by d, and the gradient by it.
void lmbi_tree_assemble_mover(const lmbi_tree_solver *s, size_t f, uint32_t l, const double d[9],
                              const lmbi_tree_frame *w);

#endif
