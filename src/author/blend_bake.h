/// Shared by the steps that bake a blend of clips to a clip: the character and the frames.
#ifndef AUTHOR_BLEND_BAKE_H
#define AUTHOR_BLEND_BAKE_H

#include "anim/anim.h"
#include "base/arena.h"
#include "limber/author.h"

typedef struct lmbi_blend_bake {
    const lmb_character *character;
    const lmb_blend_bake_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena arena; ///< of all that lasts until the end of the bake
    double rate_hz;
    lmb_stance stance;
    uint32_t weight_count;  ///< morph weights of the character
    uint32_t *weight_first; ///< as lmb_character_weights has it
    float *rest_weights;
    uint32_t frame_count;
    lmb_transform *poses;      ///< [frame_count][joint_count]
    float *weights;            ///< [frame_count][weight_count]
    lmbi_foot_state *contacts; ///< [frame_count]
    bool is_as_recorded;       ///< one clip alone, whose feet are not corrected
} lmbi_blend_bake;

/// Allocates the frames. Errors: INVALID for more than 3600 s; MEMORY.
lmb_result lmbi_blend_frames_create(lmbi_blend_bake *bake, double seconds, lmb_error *error);
/// Pins planted feet by inverse kinematics. *out counts the frames with a pinned foot. Errors:
/// MEMORY.
lmb_result lmbi_blend_frames_hold(lmbi_blend_bake *bake, uint32_t *out, lmb_error *error);
/// The clip of the frames, morph weights with it. Errors: MEMORY.
lmb_result lmbi_blend_frames_clip(lmbi_blend_bake *bake, lmb_clip **out, lmb_error *error);

/// The frames of bake->opts->layers. Errors: as lmb_blend_bake.
lmb_result lmbi_blend_layers_play(lmbi_blend_bake *bake, lmb_error *error);

#endif
