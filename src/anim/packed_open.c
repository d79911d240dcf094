/// Validates the words of a compressed clip once, so that playing it cannot fail, and builds the
/// tables for playing.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/packed.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "math/scalar.h"

/// Reads forward. A read past the end returns a zero and sets `overrun`.
typedef struct cursor {
    const uint32_t *words;
    size_t at, count;
    bool overrun;
} cursor;

static const uint32_t *read_words(cursor *c, size_t count)
{
    static const uint32_t none[1];
    if (c->overrun || count > c->count - c->at) {
        c->overrun = true;
        return none;
    }
    const uint32_t *words = c->words + c->at;
    c->at += count;
    return words;
}

static uint32_t read_word(cursor *c)
{
    return *read_words(c, 1);
}

static lmb_result malformed(const cursor *c, const char *expected, lmb_error *error)
{
    if (c->overrun || c->at == 0) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, c->at * 4, expected,
                              "the end of the clip");
    }
    return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, c->at * 4, expected, "0x%08x",
                          c->words[c->at - 1]);
}

// ------------------------------------------------------------------------------------------- head

static bool head_is_valid(const packed_head *head)
{
    return head->joint_count <= PACKED_NO_JOINT && head->sample_count >= 1 &&
           head->segment_log2 >= 2 && head->segment_log2 <= 10 &&
           head->segment_count ==
               (head->sample_count - 1 + (1u << head->segment_log2) - 1) >> head->segment_log2 &&
           head->rate_hz > 0 && isfinite(head->rate_hz) && head->duration_s >= 0 &&
           isfinite(head->duration_s) && isfinite(head->precision_m) && isfinite(head->error_m);
}

static void read_head(cursor *c, packed_head *head)
{
    const uint32_t *w = read_words(c, PACKED_HEAD_WORDS);
    if (c->overrun) {
        return;
    }
    *head = (packed_head){.version = w[0],
                          .joint_count = w[1],
                          .run_count = w[2],
                          .sample_count = w[3],
                          .segment_log2 = w[4],
                          .segment_count = w[5],
                          .rate_hz = lmbi_float_of_bits(w[6]),
                          .duration_s = lmbi_float_of_bits(w[7]),
                          .precision_m = lmbi_float_of_bits(w[8]),
                          .error_m = lmbi_float_of_bits(w[9]),
                          .bank_count = w[10],
                          .still_count = w[11],
                          .time_count = w[12]};
}

// ------------------------------------------------------------------------------ what stands still

static bool set_still_field(lmb_transform *pose, uint32_t kind, const float v[4])
{
    const lmb_vec3 xyz = {v[0], v[1], v[2]};
    if (kind == PACKED_ROTATION) {
        pose->rotation = lmb_quat_make(v[0], v[1], v[2], v[3]);
    } else if (kind == PACKED_TRANSLATION) {
        pose->translation = xyz;
    } else if (kind == PACKED_SCALE) {
        pose->scale = xyz;
    }
    return kind <= PACKED_WEIGHT;
}

static bool read_still_track(cursor *c, const packed_head *head, uint32_t weight_count,
                             lmb_transform *pose, float *weights)
{
    const uint32_t word = read_word(c), item = word & 0xffffffu, kind = word >> 24;
    const uint32_t width = kind == PACKED_ROTATION ? 4 : (kind == PACKED_WEIGHT ? 1 : 3);
    const uint32_t *bits = read_words(c, width);
    float v[4] = {0};
    for (uint32_t i = 0; !c->overrun && i < width; ++i) {
        v[i] = lmbi_float_of_bits(bits[i]);
        if (!isfinite(v[i])) {
            return false;
        }
    }
    if (c->overrun || kind > PACKED_WEIGHT ||
        item >= (kind == PACKED_WEIGHT ? weight_count : head->joint_count)) {
        return false;
    }
    if (kind == PACKED_WEIGHT) {
        weights[item] = v[0];
        return true;
    }
    return set_still_field(&pose[item], kind, v);
}

// ------------------------------------------------------------------------------------------ banks

/// An octet: a word with kind and count, then the items, two per word; of weights only the first.
static bool read_octet(cursor *c, const packed_head *head, uint32_t weight_count,
                       packed_octet *octet)
{
    const uint32_t word = read_word(c), kind = word & 0xffu, count = word >> 8 & 0xffu;
    if (kind > PACKED_WEIGHT || count == 0 ||
        count > (kind == PACKED_WEIGHT ? PACKED_OCTET_SLOTS : PACKED_LANES)) {
        return false;
    }
    octet->kind = (packed_kind)kind;
    octet->count = count;
    const uint32_t items = kind == PACKED_WEIGHT ? 1 : count;
    const uint32_t *from = read_words(c, (items + 1) / 2);
    for (uint32_t i = 0; !c->overrun && i < items; ++i) {
        octet->items[i] = (uint16_t)(from[i / 2] >> 16 * (i & 1));
        if (kind == PACKED_WEIGHT ? octet->items[i] + count > weight_count
                                  : octet->items[i] >= head->joint_count) {
            return false;
        }
    }
    return !c->overrun;
}

static bool block_is_valid(const uint32_t *segment, size_t word_count, uint32_t intervals,
                           uint32_t index, const packed_bank *bank)
{
    const uint32_t count = packed_block_count(segment[0]), word = segment[1 + index];
    const uint32_t at = packed_block_at(word), coarse = packed_coarse_bits(word),
                   fine = packed_fine_bits(word);
    if (coarse > PACKED_FINE_BITS || fine > PACKED_FINE_BITS) {
        return false;
    }
    const uint32_t coarse_count = packed_coarse_count(intervals, packed_coarse_log2(segment[0]));
    // Decoding reads one row past the numbers: the next block's or segment's, or the spare row at
    // the end of the bank.
    const size_t rows =
        (size_t)packed_rows(coarse_count, coarse) + packed_rows(intervals + 1, fine);
    if (at < 1 + count * (1 + PACKED_LANE_WORDS) || at > word_count ||
        rows * PACKED_LANES > word_count - at) {
        return false;
    }
    const uint8_t *lanes =
        (const uint8_t *)(segment + 1 + count + (size_t)index * PACKED_LANE_WORDS);
    for (uint32_t lane = 0; lane < PACKED_LANES; ++lane) {
        uint16_t half;
        memcpy(&half, lanes + 2 * lane, sizeof(half));
        const uint32_t slot = lanes[32 + lane];
        const float base = fabsf(lmbi_float_of_bits(packed_half_bits(half)));
        const float most =
            base +
            (float)((1u << fine) - 1) * lmbi_float_of_bits(packed_step_bits(lanes[16 + lane])) +
            (float)((1u << coarse) - 1) * lmbi_float_of_bits(packed_step_bits(lanes[24 + lane]));
        const bool is_slot =
            slot == PACKED_NO_SLOT || slot < bank->octet_count * PACKED_OCTET_SLOTS;
        const bool is_rotation = is_slot && slot != PACKED_NO_SLOT &&
                                 bank->octets[slot / PACKED_OCTET_SLOTS].kind == PACKED_ROTATION;
        // Fourth powers of the rotation parameters must stay finite.
        if (!is_slot || (half & 0x7c00u) == 0x7c00u || (is_rotation && !(most < 256))) {
            return false;
        }
    }
    return true;
}

static bool segment_is_valid(const packed_bank *bank, const packed_head *head, uint32_t s)
{
    const uint32_t begin = bank->offsets[s], end = bank->offsets[s + 1];
    const uint32_t *segment = bank->words + begin;
    const size_t count = end - begin;
    const uint32_t full = 1u << head->segment_log2;
    const uint32_t left = head->sample_count - 1 - (s << head->segment_log2);
    const uint32_t intervals = left < full ? left : full;
    const uint32_t blocks = packed_block_count(segment[0]);
    if (packed_coarse_log2(segment[0]) > PACKED_COARSE_LOG2 || segment[0] >> 19 != 0 ||
        blocks > PACKED_SLOTS / PACKED_LANES ||
        1 + (size_t)blocks * (1 + PACKED_LANE_WORDS) > count) {
        return false;
    }
    for (uint32_t b = 0; b < blocks; ++b) {
        if (!block_is_valid(segment, count, intervals, b, bank)) {
            return false;
        }
    }
    return true;
}

static bool read_bank(cursor *c, const packed_head *head, uint32_t weight_count, packed_bank *bank)
{
    bank->octet_count = read_word(c);
    if (bank->octet_count > PACKED_OCTETS) {
        return false;
    }
    for (uint32_t o = 0; o < bank->octet_count; ++o) {
        if (!read_octet(c, head, weight_count, &bank->octets[o])) {
            return false;
        }
    }
    bank->fixed_count = read_word(c);
    bank->fixed = read_words(c, lmbi_size_mul(bank->fixed_count, 2));
    for (uint32_t f = 0; !c->overrun && f < bank->fixed_count; ++f) {
        if (bank->fixed[2 * f] >= bank->octet_count * PACKED_OCTET_SLOTS ||
            !(fabsf(lmbi_float_of_bits(bank->fixed[2 * f + 1])) < 1e12f)) {
            return false;
        }
    }
    bank->offsets = read_words(c, (size_t)head->segment_count + 1);
    const uint32_t words = c->overrun ? 0 : bank->offsets[head->segment_count];
    bank->words = read_words(c, (size_t)words + PACKED_LANES);
    for (uint32_t s = 0; !c->overrun && s < head->segment_count; ++s) {
        if (bank->offsets[s] >= bank->offsets[s + 1] || bank->offsets[s + 1] > words ||
            !segment_is_valid(bank, head, s)) {
            return false;
        }
    }
    return !c->overrun;
}

// --------------------------------------------------------------------------------------- the clip

/// The validated parts of a clip, before they are copied into one block.
typedef struct parts {
    packed_head head;
    const char *name;
    const uint32_t *words;
    size_t word_count;
    uint32_t weight_count;
    const uint32_t *run_joints, *run_widths;
    packed_bank *banks;
    lmb_transform *still;
    float *still_weights;
    const uint32_t *times;
} parts;

static bool times_rise(const parts *p, const cursor *c)
{
    const uint32_t count = p->head.time_count;
    if (c->overrun || (count != 0 && count != p->head.sample_count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const float before = i > 0 ? lmbi_float_of_bits(p->times[i - 1]) : -1,
                    at = lmbi_float_of_bits(p->times[i]);
        if (!(at > before) || !(at <= p->head.duration_s)) {
            return false;
        }
    }
    return true;
}

static lmb_result read_weight_runs(cursor *c, parts *p, lmb_error *error)
{
    const packed_head *head = &p->head;
    p->run_joints = read_words(c, head->run_count);
    p->run_widths = read_words(c, head->run_count);
    uint64_t weights = 0;
    for (uint32_t r = 0; !c->overrun && r < head->run_count; ++r) {
        weights += p->run_widths[r];
        if (p->run_joints[r] >= head->joint_count) {
            return lmbi_fail_byte(error, LMB_ERROR_MALFORMED,
                                  (PACKED_HEAD_WORDS + (size_t)r) * sizeof(uint32_t),
                                  "a joint of the skeleton for a run of morph weights",
                                  "joint %u of %u", p->run_joints[r], head->joint_count);
        }
    }
    if (c->overrun || weights > PACKED_NO_JOINT) {
        return malformed(c, "the runs of morph weights", error);
    }
    p->weight_count = (uint32_t)weights;
    return LMB_OK;
}

static lmb_result read_parts(lmbi_arena *arena, const lmb_skeleton *skeleton, parts *p,
                             lmb_error *error)
{
    cursor c = {p->words, 0, p->word_count, false};
    packed_head *head = &p->head;
    read_head(&c, head);
    if (!c.overrun && head->version > PACKED_VERSION) {
        return lmbi_fail_byte(error, LMB_ERROR_UNSUPPORTED, 0, "a compressed clip of version 1",
                              "version %u", head->version);
    }
    if (c.overrun || !head_is_valid(head)) {
        return malformed(&c, "the head of a compressed clip", error);
    }
    if (head->joint_count != skeleton->joint_count) {
        return lmbi_fail_byte(
            error, LMB_ERROR_MALFORMED, sizeof(uint32_t), "as many joints as the skeleton has",
            "%u joints, the skeleton has %u", head->joint_count, skeleton->joint_count);
    }
    const lmb_result runs = read_weight_runs(&c, p, error);
    if (runs != LMB_OK) {
        return runs;
    }
    p->times = read_words(&c, head->time_count);
    if (!times_rise(p, &c)) {
        return malformed(&c, "times that rise", error);
    }
    p->still = lmbi_arena_array(arena, head->joint_count, sizeof(lmb_transform));
    p->still_weights = lmbi_arena_array(arena, p->weight_count, sizeof(float));
    const bool plausible = head->bank_count <= p->word_count;
    p->banks = lmbi_arena_array(arena, plausible ? head->bank_count : 0, sizeof(packed_bank));
    if (p->still == NULL || p->still_weights == NULL || p->banks == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(p->still, skeleton->rest, head->joint_count * sizeof(lmb_transform));
    for (uint32_t k = 0; k < head->still_count; ++k) {
        if (!read_still_track(&c, head, p->weight_count, p->still, p->still_weights)) {
            return malformed(&c, "the value of a track that stands still", error);
        }
    }
    for (uint32_t b = 0; plausible && b < head->bank_count; ++b) {
        if (!read_bank(&c, head, p->weight_count, &p->banks[b])) {
            return malformed(&c, "a bank of tracks that move", error);
        }
    }
    return plausible && c.at == c.count ? LMB_OK : malformed(&c, "the end of the clip", error);
}

static const uint32_t *rebase(const uint32_t *at, const parts *p, const uint32_t *words)
{
    return words + (at - p->words);
}

static void *copy_parts(lmbi_block *block, const void *def)
{
    const parts *p = def;
    const packed_head *head = &p->head;
    lmb_packed_clip clip = {.joint_count = head->joint_count,
                            .duration_s = head->duration_s,
                            .rate_hz = head->rate_hz,
                            .sample_count = head->sample_count,
                            .precision_m = head->precision_m,
                            .error_m = head->error_m,
                            .weight_run_count = head->run_count,
                            .word_count = (uint32_t)p->word_count};
    lmb_packed_clip *out = lmbi_block_array(block, &clip, 1, sizeof(clip));
    struct lmb_packed_tables tables = {.bank_count = head->bank_count,
                                       .segment_log2 = head->segment_log2,
                                       .segment_count = head->segment_count,
                                       .sample_count = head->sample_count};
    tables.banks = lmbi_block_array(block, p->banks, head->bank_count, sizeof(packed_bank));
    tables.still = lmbi_block_array(block, p->still, head->joint_count, sizeof(lmb_transform));
    tables.still_weights =
        lmbi_block_array(block, p->still_weights, p->weight_count, sizeof(float));
    const uint32_t *words = lmbi_block_array(block, p->words, p->word_count, sizeof(uint32_t));
    const char *name = lmbi_block_string(block, p->name);
    if (words != NULL) {
        tables.times =
            head->time_count > 0 ? (const float *)(const void *)rebase(p->times, p, words) : NULL;
        for (uint32_t b = 0; b < head->bank_count; ++b) {
            tables.banks[b].fixed = rebase(p->banks[b].fixed, p, words);
            tables.banks[b].offsets = rebase(p->banks[b].offsets, p, words);
            tables.banks[b].words = rebase(p->banks[b].words, p, words);
        }
    }
    const struct lmb_packed_tables *copied_tables =
        lmbi_block_array(block, &tables, 1, sizeof(tables));
    if (out != NULL) {
        out->name = name;
        out->words = words;
        out->weight_joints = rebase(p->run_joints, p, words);
        out->weight_widths = rebase(p->run_widths, p, words);
        out->tables = copied_tables;
    }
    return out;
}

lmb_result lmbi_packed_clip_open(const lmb_skeleton *skeleton, const char *name,
                                 const uint32_t *words, size_t word_count, const lmb_clip *exact,
                                 const lmb_allocator *alloc, lmb_packed_clip **out,
                                 lmb_error *error)
{
    parts p = {.name = name, .words = words, .word_count = word_count};
    if (word_count > UINT32_MAX / 8) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a compressed clip below 2 GiB", "%zu words",
                         word_count);
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_result result = read_parts(&arena, skeleton, &p, error);
    lmb_packed_clip *clip = NULL;
    if (result == LMB_OK) {
        clip = lmbi_block_build(copy_parts, &p, alloc);
        result = clip != NULL ? LMB_OK : lmbi_fail_memory(error);
    }
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        return result;
    }
    clip->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    if (exact != NULL) {
        result = lmb_clip_create(exact, alloc, &clip->exact, error);
    }
    if (result != LMB_OK) {
        lmb_packed_clip_destroy(clip);
        return result;
    }
    *out = clip;
    return LMB_OK;
}

void lmb_packed_clip_destroy(lmb_packed_clip *clip)
{
    if (clip != NULL) {
        lmb_clip_destroy(clip->exact);
        const lmb_allocator allocator = clip->allocator;
        lmbi_free(&allocator, clip);
    }
}

uint64_t lmb_packed_clip_bytes(const lmb_packed_clip *clip)
{
    uint64_t words = clip->word_count;
    for (uint32_t c = 0; clip->exact != NULL && c < clip->exact->channel_count; ++c) {
        const lmb_channel *channel = &clip->exact->channels[c];
        const uint64_t values = channel->interpolation == LMB_CUBIC ? 3 : 1;
        words += channel->key_count * (1 + channel->width * values);
    }
    return words * sizeof(uint32_t);
}
