/// Searches the error budgets that make a segment small.
#include <math.h>
#include <string.h>

#include "anim/pack_kernels.h"
#include "anim/pack_work.h"

enum { ROUNDS = 14 };

static float quantise_and_measure(pack_work *w)
{
    lmbi_pack_assign_widths(w);
    return lmbi_pack_measure_error(w);
}

static uint32_t packed_size(const pack_work *w)
{
    uint32_t words = 0;
    for (uint32_t b = 0; b < w->p->bank_count; ++b) {
        words += lmbi_pack_block_words(&w->blocks[b], w->intervals);
    }
    return words;
}

/// Raises the budget of joints whose subtree is well within the bound; lowers it where the subtree
/// exceeds the bound.
static void redistribute_budgets(pack_work *w)
{
    const lmb_skeleton *skeleton = w->p->skeleton;
    for (uint32_t j = skeleton->joint_count; j-- > 0;) {
        const int32_t parent = skeleton->parents[j];
        if (parent != LMB_NONE) {
            w->errors[parent] = fmaxf(w->errors[parent], w->errors[j]);
        }
        const float headroom = 0.98f * w->p->precision / fmaxf(w->errors[j], 1e-12f);
        const float factor = sqrtf(fmaxf(0.36f, fminf(headroom, 2.5f)));
        w->budgets[j] = fmaxf(1e-4f, fminf(w->budgets[j] * factor, 4.0f));
    }
}

void lmbi_pack_scale_budgets(pack_work *w, float factor)
{
    for (uint32_t j = 0; j < w->p->skeleton->joint_count; ++j) {
        w->budgets[j] *= factor;
    }
}

/// Whether a block has morph weights. Those are measured separately, so its widths stay.
static bool has_weights(const pack_blocks *blocks, uint32_t b)
{
    bool found = false;
    for (uint32_t t = b * PACKED_LANES; t < blocks->track_count && t < (b + 1) * PACKED_LANES;
         ++t) {
        found |= blocks->tracks[t]->channel->kind == PACKED_WEIGHT;
    }
    return found;
}

/// Quantises a block again and marks the joints that it moves as dirty.
static void requantise_block(pack_work *w, pack_blocks *blocks, uint32_t b)
{
    for (uint32_t t = b * PACKED_LANES; t < blocks->track_count && t < (b + 1) * PACKED_LANES;
         ++t) {
        lmbi_pack_quantise(blocks->tracks[t], blocks->log2, blocks->coarse_bits[b],
                           blocks->fine_bits[b]);
    }
    for (uint32_t t = b * PACKED_LANES; t < blocks->track_count && t < (b + 1) * PACKED_LANES;
         ++t) {
        const pack_channel *channel = blocks->tracks[t]->channel;
        uint32_t first = (uint32_t)(blocks->tracks[t] - w->tracks);
        while (first > 0 && w->tracks[first - 1].channel->kind == channel->kind &&
               w->tracks[first - 1].channel->item == channel->item) {
            --first;
        }
        lmbi_pack_decode_joint(w, first);
        w->dirty[channel->item] = true;
    }
}

/// Whether the dirty joints and their subtrees are within the bound. If so, they are clean again.
static bool dirty_joints_within_bound(pack_work *w)
{
    const pack *p = w->p;
    const lmb_skeleton *skeleton = p->skeleton;
    const uint32_t joints = skeleton->joint_count;
    for (uint32_t j = 0; j < joints; ++j) {
        const int32_t parent = skeleton->parents[j];
        w->dirty[j] |= parent != LMB_NONE && w->dirty[parent];
    }
    for (uint32_t j = 0; j < joints; ++j) {
        if (w->dirty[j]) {
            lmbi_pack_pick(LMB_SIMD_BEST)->model(&w->decoded, j, skeleton->parents[j], &w->origin);
            if (lmbi_pack_joint_error(p, &w->decoded, &w->original[0], j) > p->precision) {
                return false;
            }
        }
    }
    memset(w->dirty, 0, joints);
    return true;
}

/// Removes one bit from every block that stays within the bound without it. Only the subtrees of
/// the block's joints are measured, since the rest does not change.
static void trim_block_widths(pack_work *w)
{
    memset(w->dirty, 0, w->p->skeleton->joint_count);
    for (uint32_t k = 0; k < w->p->bank_count; ++k) {
        pack_blocks *blocks = &w->blocks[k];
        for (uint32_t b = 0; b < blocks->block_count; ++b) {
            uint8_t *bits =
                blocks->fine_bits[b] > 0 ? &blocks->fine_bits[b] : &blocks->coarse_bits[b];
            if (*bits == 0 || has_weights(blocks, b)) {
                continue;
            }
            --*bits;
            requantise_block(w, blocks, b);
            if (!dirty_joints_within_bound(w)) {
                ++*bits;
                requantise_block(w, blocks, b);
            }
        }
    }
}

void lmbi_pack_search_budgets(pack_work *w)
{
    const size_t bytes = w->p->skeleton->joint_count * sizeof(float);
    uint32_t best = UINT32_MAX;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const float error = quantise_and_measure(w);
        const uint32_t size = packed_size(w);
        if (error <= w->p->precision && size < best) {
            best = size;
            memcpy(w->best_budgets, w->budgets, bytes);
        }
        redistribute_budgets(w);
    }
    if (best != UINT32_MAX) {
        memcpy(w->budgets, w->best_budgets, bytes);
    }
    float error = quantise_and_measure(w);
    for (uint32_t round = 0; round < ROUNDS && error > w->p->precision; ++round) {
        lmbi_pack_scale_budgets(w, 0.8f);
        error = quantise_and_measure(w);
    }
    if (error <= w->p->precision) {
        trim_block_widths(w);
    }
}
