/// Shared by the files that pack one segment.
#ifndef ANIM_PACK_WORK_H
#define ANIM_PACK_WORK_H

#include "anim/pack.h"
#include "base/arena.h"

/// Working state of one segment.
typedef struct pack_work {
    const pack *p;
    lmbi_arena arena;
    uint32_t segment, intervals;
    lmb_transform *source; ///< [2 * intervals + 1][joint_count] at samples and midway between
    float *weights;        ///< [2 * intervals + 1][weight_count]
    lmb_vec3 origin;
    pack_pose_rows original[2], decoded; ///< at samples; midway between
    pack_track *tracks;                  ///< [channel_count]
    pack_track **order;                  ///< [channel_count] lanes, bank by bank
    pack_blocks *blocks;                 ///< [bank_count]
    float *budgets,
        *best_budgets; ///< [joint_count] fraction of the bound for a channel of the joint
    float *errors;     ///< [joint_count]
    float *parameters; ///< three rows
    bool *dirty;       ///< [joint_count] joints whose model rows have to be recomputed
    pack_segment *out;
} pack_work;

/// The source pose at a half-sample of the segment.
lmb_transform *lmbi_pack_source_pose(const pack_work *w, uint32_t half);
/// False when there is no memory.
bool lmbi_pack_alloc(pack_work *w);
/// Sets the tracks that are not compressed: constant ones as decoded, keyed ones as in the source.
void lmbi_pack_set_static(const pack_work *w, const lmb_transform *source, lmb_transform *pose);
/// Fills source, weights and rows. False when out of memory.
bool lmbi_pack_load_source(pack_work *w);
/// Loads the values of a track whose channel is set.
void lmbi_pack_load_track(const pack_work *w, pack_track *track);

/// log2 of the spline spacing with the fewest bits, 0 for no spline.
uint32_t lmbi_pack_choose_spacing(pack_work *w);
/// Assigns widths and blocks for the current budgets.
void lmbi_pack_assign_widths(pack_work *w);
/// Quantises with the current blocks. Returns the error at the samples, in metres.
float lmbi_pack_measure_error(pack_work *w);
/// Copies the decoded tracks of one joint and kind, which are consecutive from `first`, into the
/// rows. Returns their count.
uint32_t lmbi_pack_decode_joint(pack_work *w, uint32_t first);

/// Searches budgets that keep the segment within the bound and small.
void lmbi_pack_search_budgets(pack_work *w);
void lmbi_pack_scale_budgets(pack_work *w, float factor);

/// Writes the words and lowers the budgets until the decoded result is within the bound. False when
/// out of memory.
bool lmbi_pack_write_verified(pack_work *w);

#endif
