/// Writes the words of a compressed clip.
#include <string.h>

#include "anim/pack.h"
#include "anim/packed.h"
#include "base/alloc.h"
#include "math/scalar.h"

// -------------------------------------------------------------------------------------- a segment

static uint32_t block_rows(const pack_blocks *blocks, uint32_t b, uint32_t intervals)
{
    const uint32_t coarse = packed_coarse_count(intervals, blocks->log2);
    return packed_rows(coarse, blocks->coarse_bits[b]) +
           packed_rows(intervals + 1, blocks->fine_bits[b]);
}

uint32_t lmbi_pack_block_words(const pack_blocks *blocks, uint32_t intervals)
{
    uint32_t words = 1 + blocks->block_count * (1 + PACKED_LANE_WORDS);
    for (uint32_t b = 0; b < blocks->block_count; ++b) {
        words += block_rows(blocks, b, intervals) * PACKED_LANES;
    }
    return words;
}

/// Writes number `index` of a lane's stream.
static void write_number(uint32_t *stream, uint32_t index, uint32_t bits, uint32_t value)
{
    const uint32_t at = index * bits, shift = at & 31u;
    uint32_t *row = stream + (size_t)(at >> 5) * PACKED_LANES;
    row[0] |= value << shift;
    if (shift + bits > 32) {
        row[PACKED_LANES] |= value >> (32 - shift);
    }
}

static void write_lane(const pack_track *t, const pack_blocks *blocks, uint32_t b,
                       uint32_t intervals, uint32_t *stream)
{
    const uint32_t coarse_bits = blocks->coarse_bits[b], fine_bits = blocks->fine_bits[b];
    const uint32_t n = packed_coarse_count(intervals, blocks->log2);
    for (uint32_t k = 0; coarse_bits > 0 && k < n; ++k) {
        write_number(stream, k, coarse_bits, t->coarse[k]);
    }
    uint32_t *fine = stream + (size_t)packed_rows(n, coarse_bits) * PACKED_LANES;
    for (uint32_t i = 0; fine_bits > 0 && i <= intervals; ++i) {
        write_number(fine, i, fine_bits, t->fine[i]);
    }
}

static void write_lane_head(const pack_track *t, uint32_t lane, uint8_t *head)
{
    head[2 * lane] = (uint8_t)t->base;
    head[2 * lane + 1] = (uint8_t)(t->base >> 8);
    head[16 + lane] = t->fine_step;
    head[24 + lane] = t->coarse_step;
    head[32 + lane] = (uint8_t)t->channel->slot;
}

void lmbi_pack_write_segment(const pack_blocks *blocks, uint32_t intervals, uint32_t *words)
{
    const uint32_t count = blocks->block_count;
    memset(words, 0, lmbi_pack_block_words(blocks, intervals) * sizeof(uint32_t));
    words[0] = count | blocks->log2 << 16;
    uint32_t at = 1 + count * (1 + PACKED_LANE_WORDS);
    for (uint32_t b = 0; b < count; ++b) {
        words[1 + b] =
            at | (uint32_t)blocks->coarse_bits[b] << 22 | (uint32_t)blocks->fine_bits[b] << 27;
        uint8_t *head = (uint8_t *)(words + 1 + count + (size_t)b * PACKED_LANE_WORDS);
        memset(head + 32, PACKED_NO_SLOT, PACKED_LANES);
        for (uint32_t lane = 0; lane < PACKED_LANES; ++lane) {
            const uint32_t t = b * PACKED_LANES + lane;
            if (t < blocks->track_count) {
                write_lane_head(blocks->tracks[t], lane, head);
                write_lane(blocks->tracks[t], blocks, b, intervals, words + at + lane);
            }
        }
        at += block_rows(blocks, b, intervals) * PACKED_LANES;
    }
}

// --------------------------------------------------------------------------------------- the clip

/// Appends words; with NULL for `words` it only counts.
typedef struct writer {
    uint32_t *words;
    size_t count;
} writer;

static void write_word(writer *w, uint32_t word)
{
    if (w->words != NULL) {
        w->words[w->count] = word;
    }
    ++w->count;
}

static void write_float(writer *w, float value)
{
    write_word(w, lmbi_bits_of_float(value));
}

static void write_words(writer *w, const uint32_t *words, size_t count)
{
    if (w->words != NULL && count > 0) {
        memcpy(w->words + w->count, words, count * sizeof(uint32_t));
    }
    w->count += count;
}

static void write_still_tracks(writer *w, const pack *p)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        float fields[PACK_FIELDS];
        memcpy(fields, &p->still[j], sizeof(fields));
        for (uint32_t path = 0; path < 3; ++path) {
            static const uint32_t first[3] = {0, 3, 7}, width[3] = {3, 4, 3};
            static const uint32_t kinds[3] = {PACKED_TRANSLATION, PACKED_ROTATION, PACKED_SCALE};
            if (p->states[path][j] == PACK_STILL) {
                write_word(w, j | kinds[path] << 24);
                for (uint32_t i = 0; i < width[path]; ++i) {
                    write_float(w, fields[first[path] + i]);
                }
            }
        }
    }
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        if (p->weight_states[i] == PACK_STILL) {
            write_word(w, i | (uint32_t)PACKED_WEIGHT << 24);
            write_float(w, p->still_weights[i]);
        }
    }
}

static uint32_t count_still_tracks(const pack *p)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        for (uint32_t path = 0; path < 3; ++path) {
            count += p->states[path][j] == PACK_STILL;
        }
    }
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        count += p->weight_states[i] == PACK_STILL;
    }
    return count;
}

static void write_octet(writer *w, const packed_octet *octet)
{
    write_word(w, (uint32_t)octet->kind | octet->count << 8);
    const uint32_t items = octet->kind == PACKED_WEIGHT ? 1 : octet->count;
    for (uint32_t i = 0; i < items; i += 2) {
        write_word(w, octet->items[i] | (i + 1 < items ? (uint32_t)octet->items[i + 1] << 16 : 0));
    }
}

static void write_bank(writer *w, const pack *p, const pack_segment *segments, uint32_t b)
{
    const pack_bank *bank = &p->banks[b];
    write_word(w, bank->layout.octet_count);
    for (uint32_t o = 0; o < bank->layout.octet_count; ++o) {
        write_octet(w, &bank->layout.octets[o]);
    }
    write_word(w, bank->layout.fixed_count);
    write_words(w, bank->fixed, (size_t)bank->layout.fixed_count * 2);
    uint32_t offset = 0;
    for (uint32_t s = 0; s <= p->segment_count; ++s) {
        write_word(w, offset);
        offset += s < p->segment_count ? segments[s].word_counts[b] : 0;
    }
    for (uint32_t s = 0; s < p->segment_count; ++s) {
        write_words(w, segments[s].words[b], segments[s].word_counts[b]);
    }
    // Spare row: decoding reads past the last number.
    for (uint32_t i = 0; i < PACKED_LANES; ++i) {
        write_word(w, 0);
    }
}

static void write_clip(writer *w, const pack *p, const pack_segment *segments, float error)
{
    const uint32_t head[] = {PACKED_VERSION,  p->skeleton->joint_count, p->run_count,
                             p->sample_count, PACKED_SEGMENT_LOG2,      p->segment_count};
    write_words(w, head, sizeof(head) / sizeof(head[0]));
    write_float(w, (float)p->rate_hz);
    write_float(w, (float)p->duration_s);
    write_float(w, p->precision);
    write_float(w, error);
    write_word(w, p->bank_count);
    write_word(w, count_still_tracks(p));
    write_word(w, p->times != NULL ? p->sample_count : 0);
    write_words(w, p->run_joints, p->run_count);
    write_words(w, p->run_widths, p->run_count);
    for (uint32_t i = 0; p->times != NULL && i < p->sample_count; ++i) {
        write_float(w, p->times[i]);
    }
    write_still_tracks(w, p);
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        write_bank(w, p, segments, b);
    }
}

uint32_t *lmbi_pack_write_clip(const pack *p, const pack_segment *segments, float error,
                               size_t *word_count)
{
    writer w = {NULL, 0};
    write_clip(&w, p, segments, error);
    uint32_t *words = lmbi_alloc_array(p->alloc, w.count, sizeof(uint32_t));
    if (words != NULL) {
        w = (writer){words, 0};
        write_clip(&w, p, segments, error);
        *word_count = w.count;
    }
    return words;
}
