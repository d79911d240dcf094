/// Bit widths and blocks for the error budgets of a segment, and the resulting error.
#include <string.h>

#include "anim/pack_work.h"

static float tolerance_of(const pack_work *w, const pack_track *track)
{
    // A morph weight has the whole bound, less 5% for rounding.
    const float fraction =
        track->channel->kind == PACKED_WEIGHT ? 0.95f : w->budgets[track->channel->item];
    return fraction * w->p->precision / track->metres_per_unit;
}

/// The spline spacing with the fewest bits; no spline if one saves under 5%, not worth its time.
uint32_t lmbi_pack_choose_spacing(pack_work *w)
{
    const uint32_t candidates[] = {0, 2, 3, 4, 5};
    float least = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); ++i) {
        const uint32_t log2 = candidates[i];
        if (log2 > 0 && w->intervals < 2u << log2) {
            continue;
        }
        float bits = 0;
        for (uint32_t c = 0; c < w->p->channel_count; ++c) {
            lmbi_pack_fit_spline(&w->tracks[c], log2);
            bits +=
                (float)lmbi_pack_choose_widths(&w->tracks[c], log2, tolerance_of(w, &w->tracks[c]));
        }
        if (i == 0 || bits < least * (best == 0 ? 0.95f : 1.0f)) {
            least = bits;
            best = log2;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------- blocks

static bool is_wider(const pack_track *a, const pack_track *b)
{
    if (a->fine_bits != b->fine_bits) {
        return a->fine_bits > b->fine_bits;
    }
    if (a->coarse_bits != b->coarse_bits) {
        return a->coarse_bits > b->coarse_bits;
    }
    return a < b;
}

static void sort_tracks(pack_track **tracks, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        pack_track *track = tracks[i];
        uint32_t at = i;
        for (; at > 0 && is_wider(track, tracks[at - 1]); --at) {
            tracks[at] = tracks[at - 1];
        }
        tracks[at] = track;
    }
}

/// Sorts lanes by width. A block is as wide as its widest lane.
static void form_blocks(pack_blocks *blocks)
{
    sort_tracks(blocks->tracks, blocks->track_count);
    blocks->block_count = (blocks->track_count + PACKED_LANES - 1) / PACKED_LANES;
    for (uint32_t b = 0; b < blocks->block_count; ++b) {
        blocks->coarse_bits[b] = blocks->fine_bits[b] = 0;
        for (uint32_t t = b * PACKED_LANES; t < blocks->track_count && t < (b + 1) * PACKED_LANES;
             ++t) {
            const pack_track *track = blocks->tracks[t];
            blocks->coarse_bits[b] = track->coarse_bits > blocks->coarse_bits[b]
                                         ? track->coarse_bits
                                         : blocks->coarse_bits[b];
            blocks->fine_bits[b] =
                track->fine_bits > blocks->fine_bits[b] ? track->fine_bits : blocks->fine_bits[b];
        }
    }
}

static void quantise_bank(const pack_blocks *blocks)
{
    for (uint32_t t = 0; t < blocks->track_count; ++t) {
        const uint32_t b = t / PACKED_LANES;
        lmbi_pack_quantise(blocks->tracks[t], blocks->log2, blocks->coarse_bits[b],
                           blocks->fine_bits[b]);
    }
}

// -------------------------------------------------------------------------------------- measuring

static void set_row(float *row, uint32_t row_count, const pack_track *track)
{
    for (uint32_t i = 0; i < row_count; ++i) {
        row[i] = track->decoded[i < track->count ? i : track->count - 1];
    }
}

uint32_t lmbi_pack_decode_joint(pack_work *w, uint32_t first)
{
    const pack *p = w->p;
    const pack_channel *channel = w->tracks[first].channel;
    const float *rows[3] = {w->parameters, w->parameters + PACK_STRIDE,
                            w->parameters + 2 * PACK_STRIDE};
    uint32_t count = 0;
    if (channel->kind == PACKED_ROTATION) {
        memset(w->parameters, 0, 3 * PACK_STRIDE * sizeof(float));
    }
    for (uint32_t c = first; c < p->channel_count; ++c, ++count) {
        const pack_channel *other = w->tracks[c].channel;
        if (other->kind != channel->kind || other->item != channel->item) {
            break;
        }
        const uint32_t field = (other->kind == PACKED_SCALE ? 7 : 0) + other->component;
        float *row =
            other->kind == PACKED_ROTATION
                ? w->parameters + (size_t)other->component * PACK_STRIDE
                : w->decoded.local + ((size_t)other->item * PACK_FIELDS + field) * PACK_STRIDE;
        set_row(row, w->decoded.count, &w->tracks[c]);
    }
    if (channel->kind == PACKED_ROTATION) {
        lmbi_pack_rows_rotation(&w->decoded, channel->item, rows);
    }
    return count;
}

void lmbi_pack_assign_widths(pack_work *w)
{
    for (uint32_t c = 0; c < w->p->channel_count; ++c) {
        lmbi_pack_choose_widths(&w->tracks[c], w->blocks[0].log2, tolerance_of(w, &w->tracks[c]));
    }
    for (uint32_t b = 0; b < w->p->bank_count; ++b) {
        form_blocks(&w->blocks[b]);
    }
}

float lmbi_pack_measure_error(pack_work *w)
{
    const pack *p = w->p;
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        quantise_bank(&w->blocks[b]);
    }
    for (uint32_t c = 0; c < p->channel_count;) {
        if (w->tracks[c].channel->kind == PACKED_WEIGHT) {
            ++c;
        } else {
            c += lmbi_pack_decode_joint(w, c);
        }
    }
    lmbi_pack_rows_model(p, &w->decoded, &w->origin);
    return lmbi_pack_rows_error(p, &w->decoded, &w->original[0], w->errors);
}
