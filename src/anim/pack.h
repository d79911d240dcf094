/// The encoder of compressed clips.
///
/// A channel is one animated number (slot). In each segment a channel's tolerance is its joint's
/// error budget, a fraction of the bound, divided by the joint's lever arm. Tolerances give bit
/// widths, widths give blocks of eight lanes, and the resulting error is measured in model space.
/// Budgets are then redistributed until the segment is small.
#ifndef ANIM_PACK_H
#define ANIM_PACK_H

#include "anim/packed.h"
#include "base/arena.h"
#include "limber/anim.h"

enum {
    PACK_SAMPLES = (1 << PACKED_SEGMENT_LOG2) + 1, ///< per segment
    PACK_COARSE = PACK_SAMPLES + 3,                ///< most spline coefficients per channel
    PACK_FIELDS = 10,     ///< floats per joint: translation, rotation, scale
    PACK_MODEL_ROWS = 12, ///< three columns and the origin
};

typedef enum pack_state {
    PACK_AT_REST = 0, ///< equal to the rest pose
    PACK_STILL,       ///< constant, but not the rest value
    PACK_MOVING,
    PACK_EXACT, ///< kept as keys
} pack_state;

typedef struct pack_channel {
    uint32_t bank, slot;
    packed_kind kind;
    uint32_t item;      ///< joint, or morph weight
    uint32_t component; ///< 0 to 2
} pack_channel;

typedef struct pack_bank {
    packed_bank layout;
    uint32_t first_channel, channel_count;
    uint32_t *fixed; ///< pairs, as packed_bank.fixed
} pack_bank;

/// State of the encoder for the whole clip.
typedef struct pack {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    float precision, weight_m;
    const float *reach; ///< [joint_count]
    /// [joint_count] farthest that a rotation of the joint moves a point, metres per radian
    float *lever_arms;
    double rate_hz;
    double duration_s;
    uint32_t sample_count, segment_count;
    float *times; ///< [sample_count] sample times where keys lie on no grid, or NULL

    uint32_t run_count, weight_count;
    uint32_t *run_joints, *run_widths;
    uint32_t *weight_first; ///< [joint_count + 1] for lmb_sample, of the clip's own weight runs

    uint8_t *states[3]; ///< [joint_count] pack_state of translation, rotation, scale, by lmb_path
    uint8_t *weight_states; ///< [weight_count]
    lmb_transform *still;   ///< [joint_count] values of tracks that do not move
    float *still_weights;
    bool scales; ///< some scale is not 1

    uint32_t channel_count;
    pack_channel *channels;
    uint32_t bank_count;
    pack_bank *banks;

    uint32_t exact_count;
    lmb_channel *exact; ///< channels kept as keys
    bool out_of_memory;
} pack;

/// A segment's encoded words, one array per bank.
typedef struct pack_segment {
    uint32_t **words;      ///< [bank_count], from the allocator
    uint32_t *word_counts; ///< [bank_count]
    float error;
    bool failed; ///< out of memory
} pack_segment;

// ---- pack_source.c, pack_rate.c: the source clip and its sample times

/// Samples the source at half-sample `half` (2 i is sample i). `weights` may be NULL.
void lmbi_pack_sample_source(const pack *p, uint32_t half, uint32_t *cursors, lmb_transform *pose,
                             float *weights);

/// Whether the channel has steps. Two keys much closer together than the channel's others are a
/// step too, since some programs write steps so.
bool lmbi_pack_is_stepped(const lmb_channel *channel);
/// Twice the chord between two rotations; close to the angle between them if that is small.
float lmbi_pack_rotation_distance(lmb_quat a, lmb_quat b);
/// Chooses the sample rate (`rate_hz`, or from the clip if 0) or the sample times, and the tracks
/// that stay keyed. False when out of memory.
bool lmbi_pack_choose_samples(pack *p, float rate_hz);

// ---- pack_source.c: analysis of the source

/// Chooses the rate, classifies the tracks, lays out banks and channels. False when out of memory.
bool lmbi_pack_analyse(pack *p, float rate_hz);

/// Builds octets, banks and channels of the moving tracks (pack_layout.c).
bool lmbi_pack_layout(pack *p);

// ---- pack_model.c: errors in model space

/// Rows of numbers over the samples of a segment: row r of joint j begins at
/// values[(j * rows + r) * PACK_STRIDE].
enum { PACK_STRIDE = 80 };
typedef struct pack_pose_rows {
    uint32_t count; ///< samples, at most PACK_STRIDE
    float *local;   ///< [joint_count][PACK_FIELDS][PACK_STRIDE]
    float *model;   ///< [joint_count][PACK_MODEL_ROWS][PACK_STRIDE]
} pack_pose_rows;

bool lmbi_pack_rows_create(const pack *p, lmbi_arena *arena, uint32_t count, pack_pose_rows *rows);
void lmbi_pack_rows_set(pack_pose_rows *rows, uint32_t joint_count, uint32_t sample,
                        const lmb_transform *pose);
/// Forward kinematics of all rows. `origin` is subtracted from the roots, so that characters far
/// from the origin lose no precision.
void lmbi_pack_rows_model(const pack *p, pack_pose_rows *rows, const lmb_vec3 *origin);
/// Quaternion rows of a joint from the rows of its three rotation parameters.
void lmbi_pack_rows_rotation(pack_pose_rows *rows, uint32_t joint,
                             const float *const parameters[3]);
/// Largest error over all samples, in metres, of a point within reach of a joint.
float lmbi_pack_joint_error(const pack *p, const pack_pose_rows *decoded,
                            const pack_pose_rows *original, uint32_t joint);
/// lmbi_pack_joint_error of every joint. Returns the largest.
float lmbi_pack_rows_error(const pack *p, const pack_pose_rows *decoded,
                           const pack_pose_rows *original, float *errors);

// ---- pack_fit.c: one channel

/// A channel of a segment while it is encoded.
typedef struct pack_track {
    const pack_channel *channel;
    uint32_t count; ///< samples
    float values[PACK_SAMPLES];
    float coarse_fit[PACK_COARSE];     ///< least-squares B-spline coefficients
    float fit_low, fit_high;           ///< range of the coefficients
    float residual_low, residual_high; ///< range of values minus spline
    float low, high;                   ///< range of values
    float metres_per_unit;             ///< farthest that one unit of the value moves a point
    // The chosen encoding:
    uint8_t coarse_bits, fine_bits;
    uint8_t coarse_step, fine_step;
    uint16_t base;
    uint32_t coarse[PACK_COARSE], fine[PACK_SAMPLES];
    float decoded[PACK_SAMPLES];
} pack_track;

/// Fits the spline with 2^log2 samples between coefficients; log2 0: no spline.
void lmbi_pack_fit_spline(pack_track *track, uint32_t log2);
/// Chooses bit widths that keep the track within `tolerance`, estimated from the ranges. Returns
/// the bits of the lane.
uint32_t lmbi_pack_choose_widths(pack_track *track, uint32_t log2, float tolerance);
/// Quantises with the block's widths.
void lmbi_pack_quantise(pack_track *track, uint32_t log2, uint32_t coarse_bits, uint32_t fine_bits);

// ---- pack_write.c: the words of a segment

/// Tracks in lane order, and the bit widths of each block of eight.
typedef struct pack_blocks {
    uint32_t log2;
    pack_track **tracks; ///< [track_count] of one bank
    uint32_t track_count;
    uint32_t block_count;
    uint8_t coarse_bits[PACKED_SLOTS / PACKED_LANES], fine_bits[PACKED_SLOTS / PACKED_LANES];
} pack_blocks;

uint32_t lmbi_pack_block_words(const pack_blocks *blocks, uint32_t intervals);
/// Fills `words`, as many as lmbi_pack_block_words says.
void lmbi_pack_write_segment(const pack_blocks *blocks, uint32_t intervals, uint32_t *words);
/// Writes the whole clip. NULL when out of memory.
uint32_t *lmbi_pack_write_clip(const pack *p, const pack_segment *segments, float error,
                               size_t *word_count);

#endif
