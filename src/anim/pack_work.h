/// What the files that pack one segment share.
#ifndef ANIM_PACK_WORK_H
#define ANIM_PACK_WORK_H

#include "anim/pack.h"
#include "base/arena.h"

/// What is made of one segment on the way.
typedef struct pack_work {
    const pack *p;
    lmbi_arena arena;
    uint32_t segment, intervals;
    lmb_transform
        *source;    ///< [2 * intervals + 1][joint_count] samples and the middles between them
    float *weights; ///< [2 * intervals + 1][weight_count]
    lmb_vec3 origin;
    pack_pose_rows original[2], decoded; ///< at samples; in the middles
    pack_track *tracks;                  ///< [channel_count]
    pack_track **order;                  ///< [channel_count] lanes, bank by bank
    pack_blocks *blocks;                 ///< [bank_count]
    float *budgets, *best_budgets; ///< [joint_count] of the bound, for one channel of the joint
    float *errors;                 ///< [joint_count]
    float *parameters;             ///< three rows
    bool *dirty;                   ///< [joint_count] joints whose model rows are to be made again
    pack_segment *out;
} pack_work;

/// The pose at a half-sample of the segment.
lmb_transform *lmbi_pack_source_pose(const pack_work *w, uint32_t half);
/// False when there is no memory.
bool lmbi_pack_alloc(pack_work *w);
/// What compression leaves alone: still tracks as they will be played, exact ones as they are.
void lmbi_pack_set_static(const pack_work *w, const lmb_transform *source, lmb_transform *pose);
/// Fills truth, weights and rows. False when there is no memory.
bool lmbi_pack_load_source(pack_work *w);
/// The values of a track whose channel is set.
void lmbi_pack_load_track(const pack_work *w, pack_track *track);

/// log2 of the spacing of coarse numbers that makes the segment small.
uint32_t lmbi_pack_choose_spacing(pack_work *w);
/// Widths and blocks for the shares as they are.
void lmbi_pack_assign_widths(pack_work *w);
/// Quantises with the blocks as they are. Returns the error at the samples, in metres.
float lmbi_pack_measure_error(pack_work *w);
/// Takes the decoded tracks of one joint and kind, which follow each other from `first`, into the
/// rows; returns how many there are.
uint32_t lmbi_pack_decode_joint(pack_work *w, uint32_t first);

/// Finds shares within the bound whose segment is small.
void lmbi_pack_search_budgets(pack_work *w);
void lmbi_pack_scale_budgets(pack_work *w, float factor);

/// Writes the words, and mends the shares until what is played is within the bound. False when
/// there is no memory.
bool lmbi_pack_write_verified(pack_work *w);

#endif
