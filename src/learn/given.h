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
/// number[joints] of each joint of the skeleton in a skin, LMB_NONE where the skin lacks it.
void lmbi_given_invert_skin(const lmb_skin *skin, uint32_t joints, int32_t *number);
/// Makes the new mesh of a skinned instance, whose vertices begin at `first_vertex` of all
/// instances'. number[joint_count of the skeleton] is scratch.
typedef lmb_result (*lmbi_given_copy)(void *context, uint32_t instance, uint32_t first_vertex,
                                      int32_t *number, const lmb_allocator *alloc, lmb_mesh **out,
                                      lmb_error *error);
/// Replaces the meshes of skinned instances in `*character`, or nothing.
lmb_result lmbi_given_replace(lmbi_given *f, lmbi_given_copy copy, void *context,
                              const lmb_allocator *alloc, lmb_character **character,
                              lmb_error *error);
/// Replaces the meshes of skinned instances in `*character` by ones with the solved rows, or nothing.
lmb_result lmbi_given_replace_meshes(lmbi_given *f, const lmb_allocator *alloc,
                                     lmb_character **character, lmb_error *error);

#endif
