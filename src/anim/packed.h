/// Format of a compressed clip, in memory and in a file: little-endian 32-bit words.
///
///     head     PACKED_HEAD_WORDS words, then the tables that it counts
///     bank     up to PACKED_OCTETS octets, with a stream of its own
///     octet    24 slots: the moving rotations (or translations, or scales) of eight joints, or 24
///              morph weights
///     segment  2^segment_log2 samples and the next one, as blocks of eight lanes; a lane is one
///              moving slot
///
/// A slot's value at a sample is
///     base + coarse_step * (cubic B-spline of the coarse numbers) + fine_step * (fine number).
/// The eight lanes of a block have the same bit widths and are interleaved word by word: number k
/// of width b begins at bit k * b of its lane, so one shift serves all lanes and access to any
/// sample costs the same. Rotations are modified Rodrigues parameters, p = (x, y, z) / (1 + w).
#ifndef ANIM_PACKED_H
#define ANIM_PACKED_H

#include "limber/anim.h"

enum {
    PACKED_VERSION = 1,
    PACKED_LANES = 8,
    PACKED_OCTETS = 10,      ///< per bank
    PACKED_OCTET_SLOTS = 24, ///< x, y, z of eight joints, eight x first
    PACKED_SLOTS = 256,      ///< per bank, including the one that unused lanes write to
    PACKED_NO_SLOT = 255,
    PACKED_SEGMENT_LOG2 = 6, ///< as the encoder writes; readers accept 2 to 10
    PACKED_FINE_BITS = 22,   ///< at most, so that numbers are exact in a float
    PACKED_COARSE_LOG2 = 5,  ///< at most: log2 of the samples between coarse numbers
    PACKED_NO_JOINT = 0xffff,
};

/// 1 - cos of half the rotation angle between samples (angle 0.65 radians) above which nlerp is
/// corrected by the longer series.
#define PACKED_WIDE_ROTATION 0.052f

typedef enum packed_kind {
    PACKED_ROTATION = 0,
    PACKED_TRANSLATION,
    PACKED_SCALE,
    PACKED_WEIGHT,
} packed_kind;

/// The eight joints of an octet, or the first of its 24 weights.
typedef struct packed_octet {
    packed_kind kind;
    uint32_t count; ///< joints, 1 to 8; or weights, 1 to 24
    uint16_t items[PACKED_OCTET_SLOTS];
} packed_octet;

typedef struct packed_bank {
    uint32_t octet_count;
    packed_octet octets[PACKED_OCTETS];
    uint32_t fixed_count;    ///< constant slots of moving tracks
    const uint32_t *fixed;   ///< [fixed_count] pairs of slot and bits of a float
    const uint32_t *offsets; ///< [segment_count + 1] in words from `words`
    const uint32_t *words;
} packed_bank;

/// Tables for playing a compressed clip; they point into the clip's words.
struct lmb_packed_tables {
    uint32_t bank_count;
    uint32_t segment_log2, segment_count;
    uint32_t sample_count;
    const float *times; ///< [sample_count] of samples at an uneven rate, or NULL
    packed_bank *banks;
    lmb_transform *still; ///< [joint_count] pose before moving tracks are written
    float *still_weights; ///< [weight_count]
};

// ------------------------------------------------------------------------------ a segment's words

/// Word 0 of a segment: block count, and log2 of the spacing of coarse numbers.
static inline uint32_t packed_block_count(uint32_t word)
{
    return word & 0xffffu;
}
static inline uint32_t packed_coarse_log2(uint32_t word)
{
    return word >> 16 & 7u;
}
/// One word per block: offset of its numbers in words of the segment, bit widths of the coarse and
/// fine numbers.
static inline uint32_t packed_block_at(uint32_t word)
{
    return word & 0x3fffffu;
}
static inline uint32_t packed_coarse_bits(uint32_t word)
{
    return word >> 22 & 31u;
}
static inline uint32_t packed_fine_bits(uint32_t word)
{
    return word >> 27;
}
/// Then ten words per block: eight bases (half floats), eight fine steps and eight coarse steps
/// (bytes, see packed_step_bits), eight slots (bytes).
enum { PACKED_LANE_WORDS = 10 };

/// Words per lane for `count` numbers of `bits` bits.
static inline uint32_t packed_rows(uint32_t count, uint32_t bits)
{
    return (count * bits + 31) / 32;
}
/// Coarse numbers for `intervals` samples: a uniform cubic B-spline has three coefficients more
/// than intervals.
static inline uint32_t packed_coarse_count(uint32_t intervals, uint32_t log2)
{
    return ((intervals + (1u << log2) - 1) >> log2) + 3;
}

/// Float bits of a step's byte: five bits of exponent from 2^-26, three of mantissa.
static inline uint32_t packed_step_bits(uint8_t byte)
{
    return ((uint32_t)byte << 20) + (101u << 23);
}

/// Float bits of a base, a half float whose denormals count as 0.
static inline uint32_t packed_half_bits(uint16_t half)
{
    const uint32_t body = half & 0x7fffu;
    return ((uint32_t)(half & 0x8000u) << 16) | (body < 0x400u ? 0 : (body << 13) + (112u << 23));
}

/// Cubic B-spline weights of four coarse numbers at n / 32 of an interval (de Boor 1978).
typedef struct packed_cubic {
    float w[4];
} packed_cubic;
extern const packed_cubic lmbi_packed_cubics[33];

// The head of a compressed clip.

enum { PACKED_HEAD_WORDS = 13 };

typedef struct packed_head {
    uint32_t version;
    uint32_t joint_count;
    uint32_t run_count; ///< runs of morph weights: the joints, then the widths
    uint32_t sample_count;
    uint32_t segment_log2, segment_count;
    float rate_hz, duration_s;
    float precision_m, error_m;
    uint32_t bank_count;
    /// constant tracks that differ from rest: kind and item, then 4, 3 or 1 floats
    uint32_t still_count;
    /// 0: uniform rate; else sample_count times in seconds, which follow the runs
    uint32_t time_count;
} packed_head;

#endif
