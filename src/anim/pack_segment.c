/// One segment: from its samples to its words.
#include <math.h>
#include <string.h>

#include "anim/pack.h"
#include "anim/pack_kernels.h"
#include "anim/packed_sample.h"
#include "anim/unpack_kernels.h"
#include "base/alloc.h"

enum { ROUNDS = 14, MENDS = 16 };

typedef struct work {
    const pack *p;
    lmbi_arena arena;
    uint32_t segment, intervals;
    lmb_transform *truth; ///< [2 * intervals + 1][joint_count] samples and the middles between them
    float *weights;       ///< [2 * intervals + 1][weight_count]
    lmb_vec3 origin;
    pack_pose_rows should[2], is; ///< at samples; in the middles
    pack_track *tracks;           ///< [channel_count]
    pack_track **order;           ///< [channel_count] lanes, bank by bank
    pack_blocks *blocks;          ///< [bank_count]
    float *shares, *best_shares;  ///< [joint_count] of the bound, for one channel of the joint
    float *errors;                ///< [joint_count]
    float *parameters;            ///< three rows
    bool *marks;                  ///< [joint_count] joints whose model rows are to be made again
    pack_segment *out;
} work;

// ---------------------------------------------------------------------------------------- samples

static lmb_transform *truth_at(const work *w, uint32_t half)
{
    return w->truth + (size_t)half * w->p->skeleton->joint_count;
}

static bool make_room(work *w)
{
    const pack *p = w->p;
    const size_t joints = p->skeleton->joint_count, moments = 2 * (size_t)w->intervals + 1;
    lmbi_arena *a = &w->arena;
    w->truth = lmbi_arena_array(a, lmbi_size_mul(moments, joints), sizeof(lmb_transform));
    w->weights = lmbi_arena_array(a, lmbi_size_mul(moments, p->weight_count), sizeof(float));
    w->tracks = lmbi_arena_array(a, p->channel_count, sizeof(pack_track));
    w->order = lmbi_arena_array(a, p->channel_count, sizeof(pack_track *));
    w->blocks = lmbi_arena_array(a, p->bank_count, sizeof(pack_blocks));
    w->shares = lmbi_arena_array(a, joints, sizeof(float));
    w->best_shares = lmbi_arena_array(a, joints, sizeof(float));
    w->errors = lmbi_arena_array(a, joints, sizeof(float));
    w->parameters = lmbi_arena_array(a, 3 * PACK_STRIDE, sizeof(float));
    w->marks = lmbi_arena_array(a, joints, sizeof(bool));
    w->out->words = lmbi_alloc_array(p->alloc, p->bank_count, sizeof(uint32_t *));
    w->out->word_counts = lmbi_alloc_array(p->alloc, p->bank_count, sizeof(uint32_t));
    return w->truth && w->weights && w->tracks && w->order && w->blocks && w->shares &&
           w->best_shares && w->errors && w->parameters && w->marks && w->out->words &&
           w->out->word_counts && lmbi_pack_rows_create(p, a, w->intervals + 1, &w->should[0]) &&
           lmbi_pack_rows_create(p, a, w->intervals, &w->should[1]) &&
           lmbi_pack_rows_create(p, a, w->intervals + 1, &w->is);
}

/// Rows past the last sample repeat it.
static void set_rows(const work *w, pack_pose_rows *rows, const lmb_transform *const *poses,
                     uint32_t count)
{
    for (uint32_t i = 0; i < rows->count; ++i) {
        lmbi_pack_rows_set(rows, w->p->skeleton->joint_count, i, poses[i < count ? i : count - 1]);
    }
}

/// What compression leaves alone: still tracks as they will be played, exact ones as they are.
static void set_unmoved(const work *w, const lmb_transform *truth, lmb_transform *pose)
{
    const pack *p = w->p;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        pose[j] = p->still[j];
        if (p->states[0][j] == PACK_EXACT) {
            pose[j].translation = truth[j].translation;
        }
        if (p->states[1][j] == PACK_EXACT) {
            pose[j].rotation = truth[j].rotation;
        }
        if (p->states[2][j] == PACK_EXACT) {
            pose[j].scale = truth[j].scale;
        }
    }
}

static bool load(work *w)
{
    const pack *p = w->p;
    const uint32_t joints = p->skeleton->joint_count;
    uint32_t *cursors = lmbi_arena_array(&w->arena, p->clip->channel_count, sizeof(uint32_t));
    lmb_transform *pose = lmbi_arena_array(&w->arena, joints, sizeof(lmb_transform));
    if (cursors == NULL || pose == NULL) {
        return false;
    }
    const uint32_t first = 2 * (w->segment << PACKED_SEGMENT_LOG2);
    for (uint32_t half = 0; half <= 2 * w->intervals; ++half) {
        lmbi_pack_truth(p, first + half, cursors, truth_at(w, half),
                        w->weights + (size_t)half * p->weight_count);
    }
    const lmb_transform *poses[PACK_STRIDE];
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        poses[i] = truth_at(w, 2 * i);
    }
    set_rows(w, &w->should[0], poses, w->intervals + 1);
    for (uint32_t i = 0; i < w->intervals; ++i) {
        poses[i] = truth_at(w, 2 * i + 1);
    }
    set_rows(w, &w->should[1], poses, w->intervals);
    for (uint32_t i = 0; i < w->is.count; ++i) {
        set_unmoved(w, truth_at(w, 2 * (i < w->intervals ? i : w->intervals)), pose);
        lmbi_pack_rows_set(&w->is, joints, i, pose);
    }
    w->origin = joints > 0 ? truth_at(w, 0)[0].translation : lmb_vec3_make(0, 0, 0);
    lmbi_pack_rows_model(p, &w->should[0], &w->origin);
    lmbi_pack_rows_model(p, &w->should[1], &w->origin);
    return true;
}

// ----------------------------------------------------------------------------------------- tracks

/// Rotations of a joint over the segment, each on the side of the one before; if that winds too
/// far, each on the side of identity.
static void unwind(const work *w, uint32_t joint, lmb_quat *q)
{
    float least = 1;
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        q[i] = truth_at(w, 2 * i)[joint].rotation;
        const bool flip = i == 0 ? q[i].w < 0 : lmb_quat_dot(q[i], q[i - 1]) < 0;
        q[i] = flip ? lmb_quat_make(-q[i].x, -q[i].y, -q[i].z, -q[i].w) : q[i];
        least = fminf(least, q[i].w);
    }
    for (uint32_t i = 0; least < -0.7f && i <= w->intervals; ++i) {
        q[i] = q[i].w < 0 ? lmb_quat_make(-q[i].x, -q[i].y, -q[i].z, -q[i].w) : q[i];
    }
}

static void load_rotation(const work *w, pack_track *track)
{
    lmb_quat q[PACK_SAMPLES];
    unwind(w, track->channel->item, q);
    float least = 100;
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        q[i] = lmb_quat_normalize(q[i]);
        const float of[3] = {q[i].x, q[i].y, q[i].z};
        track->values[i] = of[track->channel->component] / (1 + q[i].w);
        least = fminf(least, (1 - q[i].w) / (1 + q[i].w));
    }
    // An angle is 4 atan |p|: parameters count for less the farther they are out.
    const float far = fmaxf(w->p->throws[track->channel->item], w->p->precision);
    track->throws = 4 * far / (1 + least);
}

static void load_track(const work *w, pack_track *track)
{
    const pack *p = w->p;
    const pack_channel *channel = track->channel;
    track->count = w->intervals + 1;
    if (channel->kind == PACKED_ROTATION) {
        load_rotation(w, track);
        return;
    }
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        if (channel->kind == PACKED_WEIGHT) {
            track->values[i] = w->weights[2 * (size_t)i * p->weight_count + channel->item];
        } else {
            const lmb_transform *t = &truth_at(w, 2 * i)[channel->item];
            const lmb_vec3 v = channel->kind == PACKED_SCALE ? t->scale : t->translation;
            const float of[3] = {v.x, v.y, v.z};
            track->values[i] = of[channel->component];
        }
    }
    track->throws = channel->kind == PACKED_WEIGHT  ? p->weight_m
                    : channel->kind == PACKED_SCALE ? fmaxf(p->throws[channel->item], p->precision)
                                                    : 1.0f;
}

static float tolerance_of(const work *w, const pack_track *track)
{
    // A weight is measured by itself, with a little left for the roundings on the way.
    const float share =
        track->channel->kind == PACKED_WEIGHT ? 0.95f : w->shares[track->channel->item];
    return share * w->p->precision / track->throws;
}

/// The spacing of coarse numbers that makes the segment small; none when that gains too little for
/// the time it costs.
static uint32_t choose_spacing(work *w)
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
            lmbi_pack_fit(&w->tracks[c], log2);
            bits += (float)lmbi_pack_widths(&w->tracks[c], log2, tolerance_of(w, &w->tracks[c]));
        }
        if (i == 0 || bits < least * (best == 0 ? 0.95f : 1.0f)) {
            least = bits;
            best = log2;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------- blocks

static bool goes_before(const pack_track *a, const pack_track *b)
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
        for (; at > 0 && goes_before(track, tracks[at - 1]); --at) {
            tracks[at] = tracks[at - 1];
        }
        tracks[at] = track;
    }
}

/// Lanes of like widths side by side; each block as wide as its widest.
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

/// Channels of one joint and kind follow each other; returns how many of them there are.
static uint32_t set_joint(work *w, uint32_t first)
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
        float *row = other->kind == PACKED_ROTATION
                         ? w->parameters + (size_t)other->component * PACK_STRIDE
                         : w->is.local + ((size_t)other->item * PACK_FIELDS + field) * PACK_STRIDE;
        set_row(row, w->is.count, &w->tracks[c]);
    }
    if (channel->kind == PACKED_ROTATION) {
        lmbi_pack_rows_rotation(&w->is, channel->item, rows);
    }
    return count;
}

/// Widths and blocks for the shares as they are.
static void assign(work *w)
{
    for (uint32_t c = 0; c < w->p->channel_count; ++c) {
        lmbi_pack_widths(&w->tracks[c], w->blocks[0].log2, tolerance_of(w, &w->tracks[c]));
    }
    for (uint32_t b = 0; b < w->p->bank_count; ++b) {
        form_blocks(&w->blocks[b]);
    }
}

/// Quantises with the blocks as they are, and measures at the samples. Returns the error.
static float measure(work *w)
{
    const pack *p = w->p;
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        quantise_bank(&w->blocks[b]);
    }
    for (uint32_t c = 0; c < p->channel_count;) {
        if (w->tracks[c].channel->kind == PACKED_WEIGHT) {
            ++c;
        } else {
            c += set_joint(w, c);
        }
    }
    lmbi_pack_rows_model(p, &w->is, &w->origin);
    return lmbi_pack_rows_error(p, &w->is, &w->should[0], w->errors);
}

static float evaluate(work *w)
{
    assign(w);
    return measure(w);
}

static uint32_t size_of(const work *w)
{
    uint32_t words = 0;
    for (uint32_t b = 0; b < w->p->bank_count; ++b) {
        words += lmbi_pack_block_words(&w->blocks[b], w->intervals);
    }
    return words;
}

// -------------------------------------------------------------------------------------- searching

/// Where a joint and all that hangs on it is well within the bound, it gets more of it; where
/// something is over, less.
static void move_shares(work *w)
{
    const lmb_skeleton *skeleton = w->p->skeleton;
    for (uint32_t j = skeleton->joint_count; j-- > 0;) {
        const int32_t parent = skeleton->parents[j];
        if (parent != LMB_NONE) {
            w->errors[parent] = fmaxf(w->errors[parent], w->errors[j]);
        }
        const float room = 0.98f * w->p->precision / fmaxf(w->errors[j], 1e-12f);
        const float factor = sqrtf(fmaxf(0.36f, fminf(room, 2.5f)));
        w->shares[j] = fmaxf(1e-4f, fminf(w->shares[j] * factor, 4.0f));
    }
}

static void scale_shares(work *w, float factor)
{
    for (uint32_t j = 0; j < w->p->skeleton->joint_count; ++j) {
        w->shares[j] *= factor;
    }
}

/// Morph weights are measured by themselves: their blocks keep their widths.
static bool has_weights(const pack_blocks *blocks, uint32_t b)
{
    bool found = false;
    for (uint32_t t = b * PACKED_LANES; t < blocks->track_count && t < (b + 1) * PACKED_LANES;
         ++t) {
        found |= blocks->tracks[t]->channel->kind == PACKED_WEIGHT;
    }
    return found;
}

/// Quantises the tracks of one block again, and marks the joints that they move.
static void change_block(work *w, pack_blocks *blocks, uint32_t b)
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
        set_joint(w, first);
        w->marks[channel->item] = true;
    }
}

/// Whether the marked joints and what hangs on them are within the bound. Those that were looked at
/// and are lose their mark.
static bool marked_hold(work *w)
{
    const pack *p = w->p;
    const lmb_skeleton *skeleton = p->skeleton;
    const uint32_t joints = skeleton->joint_count;
    for (uint32_t j = 0; j < joints; ++j) {
        const int32_t parent = skeleton->parents[j];
        w->marks[j] |= parent != LMB_NONE && w->marks[parent];
    }
    for (uint32_t j = 0; j < joints; ++j) {
        if (w->marks[j]) {
            lmbi_pack_pick(LMB_SIMD_BEST)->model(&w->is, j, skeleton->parents[j], &w->origin);
            if (lmbi_pack_joint_error(p, &w->is, &w->should[0], j) > p->precision) {
                return false;
            }
        }
    }
    memset(w->marks, 0, joints);
    return true;
}

/// Takes a bit from every block that can spare one. Only what hangs on the joints of a block is
/// measured: the rest is within the bound as it was.
static void trim(work *w)
{
    memset(w->marks, 0, w->p->skeleton->joint_count);
    for (uint32_t k = 0; k < w->p->bank_count; ++k) {
        pack_blocks *blocks = &w->blocks[k];
        for (uint32_t b = 0; b < blocks->block_count; ++b) {
            uint8_t *bits =
                blocks->fine_bits[b] > 0 ? &blocks->fine_bits[b] : &blocks->coarse_bits[b];
            if (*bits == 0 || has_weights(blocks, b)) {
                continue;
            }
            --*bits;
            change_block(w, blocks, b);
            if (!marked_hold(w)) {
                ++*bits;
                change_block(w, blocks, b);
            }
        }
    }
}

static void search(work *w)
{
    const size_t bytes = w->p->skeleton->joint_count * sizeof(float);
    uint32_t best = UINT32_MAX;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const float error = evaluate(w);
        const uint32_t size = size_of(w);
        if (error <= w->p->precision && size < best) {
            best = size;
            memcpy(w->best_shares, w->shares, bytes);
        }
        move_shares(w);
    }
    if (best != UINT32_MAX) {
        memcpy(w->shares, w->best_shares, bytes);
    }
    float error = evaluate(w);
    for (uint32_t round = 0; round < ROUNDS && error > w->p->precision; ++round) {
        scale_shares(w, 0.8f);
        error = evaluate(w);
    }
    if (error <= w->p->precision) {
        trim(w);
    }
}

// ---------------------------------------------------------------------------------------- writing

static bool write_words(work *w)
{
    const pack *p = w->p;
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        const uint32_t count = lmbi_pack_block_words(&w->blocks[b], w->intervals);
        lmbi_free(p->alloc, w->out->words[b]);
        // With the row that decoding reads past the end.
        w->out->words[b] = lmbi_alloc_array(p->alloc, count + PACKED_LANES, sizeof(uint32_t));
        if (w->out->words[b] == NULL) {
            return false;
        }
        w->out->word_counts[b] = count;
        lmbi_pack_write_segment(&w->blocks[b], w->intervals, w->out->words[b]);
    }
    return true;
}

/// Morph weights of a bank, as the clip numbers them.
static void take_weights(const packed_bank *bank, const packed_moment *moment, float *weights)
{
    for (uint32_t o = 0; o < bank->octet_count; ++o) {
        const packed_octet *octet = &bank->octets[o];
        for (uint32_t i = 0; octet->kind == PACKED_WEIGHT && i < octet->count; ++i) {
            weights[octet->items[0] + i] = moment->values[o][i];
        }
    }
}

/// The pose that playing gives at half-sample `half` of the segment, as the decoder decodes it.
/// Returns the largest error of a weight, in metres.
static float play(const work *w, uint32_t half, lmb_transform *pose, float *weights)
{
    const pack *p = w->p;
    uint32_t first = half / 2;
    float share = (half & 1) != 0 ? 0.5f : 0.0f, most = 0;
    if (first == w->intervals) {
        --first;
        share = 1;
    }
    const packed_between between = {w->intervals, first, share};
    set_unmoved(w, truth_at(w, half), pose);
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        packed_bank bank = p->banks[b].layout;
        bank.fixed = p->banks[b].fixed;
        packed_moment moment;
        lmbi_unpack_pick(LMB_SIMD_BEST)
            ->play(&bank, w->out->words[b], &between, pose, p->weight_count > 0 ? &moment : NULL);
        take_weights(&bank, &moment, weights);
    }
    for (uint32_t i = 0; i < p->weight_count; ++i) {
        const float should = w->weights[(size_t)half * p->weight_count + i];
        const float is = p->weight_states[i] == PACK_MOVING ? weights[i] : p->still_weights[i];
        most = fmaxf(most, fabsf(is - should) * p->weight_m);
    }
    return most;
}

/// The error of what was written, at samples and between them.
static void verify(work *w, lmb_transform *pose, float *weights, float errors[2])
{
    const pack *p = w->p;
    pack_pose_rows *is = &w->is;
    for (uint32_t middle = 0; middle < 2; ++middle) {
        float most = 0;
        const uint32_t count = w->intervals + 1 - middle;
        is->count = w->should[middle].count;
        for (uint32_t i = 0; i < is->count; ++i) {
            const uint32_t at = 2 * (i < count ? i : count - 1) + middle;
            most = fmaxf(most, play(w, at, pose, weights));
            lmbi_pack_rows_set(is, p->skeleton->joint_count, i, pose);
        }
        lmbi_pack_rows_model(p, is, &w->origin);
        errors[middle] = fmaxf(most, lmbi_pack_rows_error(p, is, &w->should[middle], w->errors));
    }
    is->count = w->should[0].count;
}

/// Playing writes joints that move over the rows of those that do not.
static void restore_unmoved(work *w, lmb_transform *pose)
{
    for (uint32_t i = 0; i < w->is.count; ++i) {
        set_unmoved(w, truth_at(w, 2 * (i < w->intervals ? i : w->intervals)), pose);
        lmbi_pack_rows_set(&w->is, w->p->skeleton->joint_count, i, pose);
    }
}

static bool finish(work *w)
{
    const pack *p = w->p;
    lmb_transform *pose =
        lmbi_arena_array(&w->arena, p->skeleton->joint_count, sizeof(lmb_transform));
    float *weights = lmbi_arena_array(&w->arena, p->weight_count, sizeof(float));
    if (pose == NULL || weights == NULL) {
        return false;
    }
    for (uint32_t mend = 0; mend < MENDS; ++mend) {
        measure(w);
        if (!write_words(w)) {
            return false;
        }
        float errors[2];
        verify(w, pose, weights, errors);
        w->out->error = fmaxf(errors[0], errors[1]);
        // Where samples hold well and middles do not, the rate is too low: wider numbers would not
        // help.
        if (w->out->error <= p->precision || errors[0] < 0.5f * p->precision) {
            break;
        }
        restore_unmoved(w, pose);
        scale_shares(w, mend < MENDS / 2 ? 0.95f : 0.7f);
        assign(w);
    }
    return true;
}

static bool pack_it(work *w)
{
    const pack *p = w->p;
    if (!make_room(w) || !load(w)) {
        return false;
    }
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        w->shares[j] = 0.3f;
    }
    for (uint32_t c = 0; c < p->channel_count; ++c) {
        w->tracks[c].channel = &p->channels[c];
        w->order[c] = &w->tracks[c];
        load_track(w, &w->tracks[c]);
    }
    const uint32_t log2 = choose_spacing(w);
    for (uint32_t c = 0; c < p->channel_count; ++c) {
        lmbi_pack_fit(&w->tracks[c], log2);
    }
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        w->blocks[b] = (pack_blocks){.log2 = log2,
                                     .tracks = w->order + p->banks[b].first_channel,
                                     .track_count = p->banks[b].channel_count};
    }
    if (p->bank_count > 0) {
        search(w);
    }
    return finish(w);
}

void lmbi_pack_segment(const pack *p, uint32_t segment, pack_segment *out)
{
    const uint32_t left = p->sample_count - 1 - (segment << PACKED_SEGMENT_LOG2);
    work w = {.p = p,
              .segment = segment,
              .intervals = left < PACK_SAMPLES - 1 ? left : PACK_SAMPLES - 1,
              .out = out};
    lmbi_arena_init(&w.arena, p->alloc);
    out->failed = !pack_it(&w);
    lmbi_arena_free(&w.arena);
}
