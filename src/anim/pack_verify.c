/// Writes a segment and decodes it again, lowering the budgets until the result is within the
/// bound.
#include <math.h>

#include "anim/pack_work.h"
#include "anim/unpack_kernels.h"
#include "base/alloc.h"

enum { MAX_ATTEMPTS = 16 };

static bool write_words(pack_work *w)
{
    const pack *p = w->p;
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        const uint32_t count = lmbi_pack_block_words(&w->blocks[b], w->intervals);
        lmbi_free(p->alloc, w->out->words[b]);
        // One spare row: decoding reads past the end.
        w->out->words[b] = lmbi_alloc_array(p->alloc, count + PACKED_LANES, sizeof(uint32_t));
        if (w->out->words[b] == NULL) {
            return false;
        }
        w->out->word_counts[b] = count;
        lmbi_pack_write_segment(&w->blocks[b], w->intervals, w->out->words[b]);
    }
    return true;
}

/// Copies a bank's morph weights to their indices in the clip.
static void gather_weights(const packed_bank *bank, const packed_weights *bank_weights,
                           float *weights)
{
    for (uint32_t o = 0; o < bank->octet_count; ++o) {
        const packed_octet *octet = &bank->octets[o];
        for (uint32_t i = 0; octet->kind == PACKED_WEIGHT && i < octet->count; ++i) {
            weights[octet->items[0] + i] = bank_weights->values[o][i];
        }
    }
}

/// Decodes the pose at half-sample `half` of the segment. Returns the largest error of a morph
/// weight, in metres.
static float decode_pose(const pack_work *w, uint32_t half, lmb_transform *pose, float *weights)
{
    const pack *p = w->p;
    uint32_t first = half / 2;
    float fraction = (half & 1) != 0 ? 0.5f : 0.0f, most = 0;
    if (first == w->intervals) {
        --first;
        fraction = 1;
    }
    const packed_position position = {w->intervals, first, fraction};
    lmbi_pack_set_static(w, lmbi_pack_source_pose(w, half), pose);
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        packed_bank bank = p->banks[b].layout;
        bank.fixed = p->banks[b].fixed;
        packed_weights bank_weights;
        lmbi_unpack_pick(LMB_SIMD_BEST)
            ->decode(&bank, w->out->words[b], &position, pose,
                     p->weight_count > 0 ? &bank_weights : NULL);
        gather_weights(&bank, &bank_weights, weights);
    }
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        const float original = w->weights[(size_t)half * p->weight_count + i];
        const float decoded = p->weight_states[i] == PACK_MOVING ? weights[i] : p->still_weights[i];
        most = fmaxf(most, fabsf(decoded - original) * p->weight_m);
    }
    return most;
}

/// Errors of the written words: [0] at the samples, [1] midway between them.
static void measure_written_error(pack_work *w, lmb_transform *pose, float *weights,
                                  float errors[2])
{
    const pack *p = w->p;
    pack_pose_rows *decoded = &w->decoded;
    for (uint32_t midpoint = 0; midpoint < 2; ++midpoint) {
        float most = 0;
        const uint32_t count = w->intervals + 1 - midpoint;
        decoded->count = w->original[midpoint].count;
        for (uint32_t i = 0; i < decoded->count; ++i) {
            const uint32_t at = 2 * (i < count ? i : count - 1) + midpoint;
            most = fmaxf(most, decode_pose(w, at, pose, weights));
            lmbi_pack_rows_set(decoded, p->skeleton->joint_count, i, pose);
        }
        lmbi_pack_rows_model(p, decoded, &w->origin);
        errors[midpoint] =
            fmaxf(most, lmbi_pack_rows_error(p, decoded, &w->original[midpoint], w->errors));
    }
    decoded->count = w->original[0].count;
}

/// Restores the rows of static tracks, which decoding overwrote.
static void restore_static(pack_work *w, lmb_transform *pose)
{
    for (uint32_t i = 0; i < w->decoded.count; ++i) {
        lmbi_pack_set_static(w, lmbi_pack_source_pose(w, 2 * (i < w->intervals ? i : w->intervals)),
                             pose);
        lmbi_pack_rows_set(&w->decoded, w->p->skeleton->joint_count, i, pose);
    }
}

bool lmbi_pack_write_verified(pack_work *w)
{
    const pack *p = w->p;
    lmb_transform *pose =
        lmbi_arena_array(&w->arena, p->skeleton->joint_count, sizeof(lmb_transform));
    float *weights = lmbi_arena_array(&w->arena, p->weight_count, sizeof(float));
    if (pose == NULL || weights == NULL) {
        return false;
    }
    for (uint32_t attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
        lmbi_pack_measure_error(w);
        if (!write_words(w)) {
            return false;
        }
        float errors[2];
        measure_written_error(w, pose, weights, errors);
        w->out->error = fmaxf(errors[0], errors[1]);
        // Errors only between samples come from too low a rate: wider numbers would not help.
        if (w->out->error <= p->precision || errors[0] < 0.5f * p->precision) {
            break;
        }
        restore_static(w, pose);
        lmbi_pack_scale_budgets(w, attempt < MAX_ATTEMPTS / 2 ? 0.95f : 0.7f);
        lmbi_pack_assign_widths(w);
    }
    return true;
}
