/// A skinned character's weights as the unknowns of a learning problem: its own joints are the bones.
#ifndef LEARN_GIVEN_H
#define LEARN_GIVEN_H

#include "learn/bound.h"
#include "learn/learn.h"

typedef struct lmbi_given {
    lmbi_bound bound;
    lmb_learn_weights_opts opts;
    lmb_learn_def def; ///< of the frames that are learned from
    lmbi_learn p;
    const lmb_vec3 **learned_frames; ///< [frame_count of def]
    uint32_t *learned;               ///< [frame_count of def] numbers of these frames
    lmb_influences before, after;    ///< rows of the bound's vertices over its bones
    lmb_vec3 *rest;                  ///< [vertex_count of the bound] after the solve
} lmbi_given;

static inline bool lmbi_given_is_held_out(const lmbi_given *f, uint32_t frame)
{
    return f->opts.hold_out > 1 && frame % f->opts.hold_out == f->opts.hold_out - 1;
}

lmb_result lmbi_given_check(const lmb_learn_frames *frames, const lmb_learn_weights_opts *opts,
                            lmb_error *error);
/// Fills the problem from the bound: motions of its bones, and rows as they are. Room is left for
/// `spare` bones more.
lmb_result lmbi_given_prepare(lmbi_given *f, uint32_t spare, lmb_error *error);
/// Solves for weights, and the bind shape where the options ask for it, until they settle.
lmb_result lmbi_given_solve(lmbi_given *f, uint32_t *iterations, lmb_error *error);
/// Replaces the meshes of skinned instances in `*character` by ones with the solved rows, or nothing.
lmb_result lmbi_given_replace_meshes(lmbi_given *f, const lmb_allocator *alloc,
                                     lmb_character **character, lmb_error *error);

#endif
