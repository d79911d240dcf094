/// Making a compressed clip. Everything here is private to the encoder.
///
/// A channel is one slot that moves. A segment's channels get a tolerance each, from their joint's
/// share of the bound and how far that joint throws a point; tolerances become widths, widths
/// become blocks of eight lanes, and the error of the whole is measured in model space. Shares are
/// then moved to where there is room, until the segment is small.
#ifndef ANIM_PACK_H
#define ANIM_PACK_H

#include "anim/packed.h"
#include "base/arena.h"
#include "limber/anim.h"

enum {
    PACK_SAMPLES = (1 << PACKED_SEGMENT_LOG2) + 1, ///< of a segment
    PACK_COARSE = PACK_SAMPLES + 3,                ///< coarse numbers at most
    PACK_FIELDS = 10,                              ///< of a joint: translation, rotation, scale
    PACK_MODEL_ROWS = 12,                          ///< three columns and the origin
};

typedef enum pack_state {
    PACK_AT_REST = 0, ///< as the skeleton has it
    PACK_STILL,       ///< one other value all along
    PACK_MOVING,
    PACK_EXACT, ///< kept as keys
} pack_state;

typedef struct pack_channel {
    uint32_t bank, slot;
    packed_kind kind;
    uint32_t item;      ///< joint, or weight
    uint32_t component; ///< 0 to 2
} pack_channel;

typedef struct pack_bank {
    packed_bank layout;
    uint32_t first_channel, channel_count;
    uint32_t *fixed; ///< pairs, as packed_bank.fixed
} pack_bank;

/// What holds for the whole clip.
typedef struct pack {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    float precision, weight_m;
    const float *reach; ///< [joint_count]
    /// [joint_count] the farthest that a turn of the joint can move a point, per radian
    float *lever_arms;
    double rate_hz;
    double duration_s;
    uint32_t sample_count, segment_count;
    float *times; ///< [sample_count] where keys lie on no grid, or NULL

    uint32_t run_count, weight_count;
    uint32_t *run_joints, *run_widths;
    uint32_t *weight_first; ///< [joint_count + 1] as lmb_sample wants it, of the clip's own runs

    uint8_t *states[3]; ///< [joint_count] pack_state of translation, rotation, scale, by lmb_path
    uint8_t *weight_states; ///< [weight_count]
    lmb_transform *still;   ///< [joint_count] of what does not move
    float *still_weights;
    bool scales; ///< some scale is not one

    uint32_t channel_count;
    pack_channel *channels;
    uint32_t bank_count;
    pack_bank *banks;

    uint32_t exact_count;
    lmb_channel *exact; ///< channels kept as keys
    bool out_of_memory;
} pack;

/// A segment's words, one array a bank, as they go into the file.
typedef struct pack_segment {
    uint32_t **words;      ///< [bank_count], from the allocator
    uint32_t *word_counts; ///< [bank_count]
    float error;
    bool failed; ///< out of memory
} pack_segment;

// ---- pack_truth.c, pack_rate.c: what the clip shows, and when

/// A pose of the source at half-sample `half` (2 i is sample i), morph weights too (or NULL).
void lmbi_pack_sample_source(const pack *p, uint32_t half, uint32_t *cursors, lmb_transform *pose,
                             float *weights);

/// Whether the channel steps.
/// Keys much nearer to each other than others of their channel are a step, too: some programs write
/// steps so.
bool lmbi_pack_is_stepped(const lmb_channel *channel);
/// Twice the chord between two rotations, near the angle where it is small.
float lmbi_pack_rotation_distance(lmb_quat a, lmb_quat b);
/// Sets the rate (`rate_hz`, or 0 for what the clip asks for) or the times of the samples, and which
/// tracks are kept as keys. False when memory is out.
bool lmbi_pack_choose_samples(pack *p, float rate_hz);

// ---- pack_source.c: what is to be compressed

/// Chooses the rate, finds what moves, lays out banks and channels. False when memory is out.
bool lmbi_pack_analyse(pack *p, float rate_hz);

/// Octets, banks and channels of what moves (pack_layout.c).
bool lmbi_pack_layout(pack *p);

// ---- pack_model.c: how far off

/// Rows of numbers over the samples of a segment: row r of joint j begins at values[(j * rows + r)
/// * PACK_STRIDE].
enum { PACK_STRIDE = 80 };
typedef struct pack_pose_rows {
    uint32_t count; ///< samples, at most PACK_STRIDE
    float *local;   ///< [joint_count][PACK_FIELDS][PACK_STRIDE]
    float *model;   ///< [joint_count][PACK_MODEL_ROWS][PACK_STRIDE]
} pack_pose_rows;

bool lmbi_pack_rows_create(const pack *p, lmbi_arena *arena, uint32_t count, pack_pose_rows *rows);
void lmbi_pack_rows_set(pack_pose_rows *rows, uint32_t joint_count, uint32_t sample,
                        const lmb_transform *pose);
/// From local to model space. Roots are moved by `origin`, so that what is far away is measured
/// where it is.
void lmbi_pack_rows_model(const pack *p, pack_pose_rows *rows, const lmb_vec3 *origin);
/// Rotation rows of a joint from rows of its three parameters.
void lmbi_pack_rows_rotation(pack_pose_rows *rows, uint32_t joint,
                             const float *const parameters[3]);
/// The largest distance, over all samples, of a point in reach of a joint from where it should be.
float lmbi_pack_joint_error(const pack *p, const pack_pose_rows *decoded,
                            const pack_pose_rows *original, uint32_t joint);
/// errors[joint]: the largest distance, over all samples, of a point in reach from where it should
/// be. Returns the largest.
float lmbi_pack_rows_error(const pack *p, const pack_pose_rows *decoded,
                           const pack_pose_rows *original, float *errors);

// ---- pack_fit.c: one channel

/// A channel of a segment on its way.
typedef struct pack_track {
    const pack_channel *channel;
    uint32_t count; ///< samples
    float values[PACK_SAMPLES];
    float coarse_fit[PACK_COARSE];     ///< least-squares B-spline, in the value's unit
    float fit_low, fit_high;           ///< of the coarse numbers
    float residual_low, residual_high; ///< of values minus fit
    float low, high;                   ///< of values
    float metres_per_unit;             ///< farthest that one unit of the value moves a point
    // What was chosen:
    uint8_t coarse_bits, fine_bits;
    uint8_t coarse_step, fine_step;
    uint16_t base;
    uint32_t coarse[PACK_COARSE], fine[PACK_SAMPLES];
    float decoded[PACK_SAMPLES];
} pack_track;

/// Fits the spline with 2^log2 samples between coarse numbers; log2 0 means none.
void lmbi_pack_fit_spline(pack_track *track, uint32_t log2);
/// Widths that keep the track within `tolerance` as far as ranges tell. Returns the bits of the
/// lane.
uint32_t lmbi_pack_choose_widths(pack_track *track, uint32_t log2, float tolerance);
/// Quantises with the widths that the block has.
void lmbi_pack_quantise(pack_track *track, uint32_t log2, uint32_t coarse_bits, uint32_t fine_bits);

// ---- pack_segment.c: one segment; pack_write.c: its words

void lmbi_pack_segment(const pack *p, uint32_t segment, pack_segment *out);

/// Tracks in the order of their lanes; widths of each block of eight.
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
/// The whole clip. NULL when memory is out.
uint32_t *lmbi_pack_write_clip(const pack *p, const pack_segment *segments, float error,
                               size_t *word_count);

#endif
