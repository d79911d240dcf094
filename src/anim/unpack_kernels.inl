#include "anim/unpack_kernels.h"

#define LMBI_LANES_AT_MOST 8
#include "simd/wide.h"

typedef uint32_t bits __attribute__((vector_size(4 * LMBI_LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LMBI_LANES)));
typedef uint8_t bytes __attribute__((vector_size(LMBI_LANES)));

static inline bits load_bits(const uint32_t *from)
{
    bits v;
    memcpy(&v, from, sizeof(v));
    return v;
}

/// 32 bits of every lane's stream from bit `at` on. The row after the first is read too: streams
/// end in a spare one.
static inline bits window(const uint32_t *stream, uint32_t at)
{
    const uint32_t shift = at & 31u;
    const uint32_t *row = stream + (size_t)(at >> 5) * PACKED_LANES;
    return load_bits(row) >> shift | (load_bits(row + PACKED_LANES) << 1) << (31u - shift);
}

static inline lmbi_wide to_float(bits v)
{
    return lmbi_wide_from_int((lmbi_wide_int)v);
}

/// Numbers `index` and `index + 1` of `width` bits in every lane: one window holds both up to 16
/// bits.
static inline void numbers(const uint32_t *stream, uint32_t index, uint32_t width, lmbi_wide out[2])
{
    const uint32_t at = index * width, mask = (1u << width) - 1u;
    const bits first = window(stream, at);
    const bits second = width <= 16 ? first >> width : window(stream, at + width);
    out[0] = to_float(first & mask);
    out[1] = to_float(second & mask);
}

static inline lmbi_wide steps(const uint8_t *from)
{
    bytes b;
    memcpy(&b, from, sizeof(b));
    return (lmbi_wide)((__builtin_convertvector(b, bits) << 20) + (101u << 23));
}

/// packed_half_bits, in every lane.
static inline lmbi_wide bases(const uint16_t *from)
{
    halves h;
    memcpy(&h, from, sizeof(h));
    const bits half = __builtin_convertvector(h, bits), body = half & 0x7fffu;
    const bits value = ((body << 13) + (112u << 23)) & (bits)(body >= 0x400u);
    return (lmbi_wide)(value | (half & 0x8000u) << 16);
}

typedef struct place {
    uint32_t first;            ///< sample
    uint32_t knot;             ///< the first of four coarse numbers
    const packed_cubic *at[2]; ///< their weights at the sample and at the next
} place;

typedef struct pair {
    lmbi_wide v[2];
} pair;

static inline pair add_coarse(pair p, const uint32_t *stream, uint32_t width, const place *at,
                              lmbi_wide step)
{
    lmbi_wide n[4];
    numbers(stream, at->knot, width, n);
    numbers(stream, at->knot + 2, width, n + 2);
    for (int i = 0; i < 2; ++i) {
        const float *w = at->at[i]->w;
        p.v[i] += step * ((n[0] * w[0] + n[1] * w[1]) + (n[2] * w[2] + n[3] * w[3]));
    }
    return p;
}

static inline void decode_lanes(const uint32_t *stream, uint32_t coarse_bits, uint32_t fine_bits,
                                uint32_t fine_row, const uint8_t *lanes, uint32_t lane,
                                const place *at, float out[2][PACKED_LANES])
{
    const lmbi_wide base = bases((const uint16_t *)(const void *)lanes + lane);
    pair p = {{base, base}};
    if (coarse_bits > 0) {
        p = add_coarse(p, stream + lane, coarse_bits, at, steps(lanes + 24 + lane));
    }
    if (fine_bits > 0) {
        const uint32_t *fine = stream + (size_t)fine_row * PACKED_LANES + lane;
        const lmbi_wide step = steps(lanes + 16 + lane);
        lmbi_wide n[2];
        numbers(fine, at->first, fine_bits, n);
        p.v[0] += step * n[0];
        p.v[1] += step * n[1];
    }
    lmbi_wide_store(out[0] + lane, p.v[0]);
    lmbi_wide_store(out[1] + lane, p.v[1]);
}

static inline void segment(const uint32_t *words, uint32_t intervals, uint32_t first,
                           float slots[2][PACKED_SLOTS])
{
    const uint32_t block_count = packed_block_count(words[0]), log2 = packed_coarse_log2(words[0]);
    const uint32_t within = first & ((1u << log2) - 1u);
    const place at = {first,
                      first >> log2,
                      {&lmbi_packed_cubics[within << (PACKED_COARSE_LOG2 - log2)],
                       &lmbi_packed_cubics[(within + 1) << (PACKED_COARSE_LOG2 - log2)]}};
    const uint32_t coarse_count = packed_coarse_count(intervals, log2);
    const uint8_t *lanes = (const uint8_t *)(words + 1 + block_count);
    for (uint32_t b = 0; b < block_count; ++b, lanes += PACKED_LANE_WORDS * 4) {
        const uint32_t word = words[1 + b];
        const uint32_t coarse_bits = packed_coarse_bits(word), fine_bits = packed_fine_bits(word);
        float out[2][PACKED_LANES];
        for (uint32_t lane = 0; lane < PACKED_LANES; lane += LMBI_LANES) {
            decode_lanes(words + packed_block_at(word), coarse_bits, fine_bits,
                         packed_rows(coarse_count, coarse_bits), lanes, lane, &at, out);
        }
        for (uint32_t lane = 0; lane < PACKED_LANES; ++lane) {
            const uint32_t slot = lanes[32 + lane];
            slots[0][slot] = out[0][lane];
            slots[1][slot] = out[1][lane];
        }
    }
}

/// Eight rotations between two samples. A quaternion is (2 p, 1 - s) / (1 + s) with s = p . p
/// (Shuster 1993, eq. 250); the weights of the two are multiplied crosswise by 1 + s instead of
/// dividing. 1 - cos of the arc between them is m = 2 |p1 - p0|^2 / ((1 + s0) (1 + s1)), which also
/// says which of q and -q lies nearer. With x = u - 1/2 the share that makes nlerp turn evenly is
/// tan(w x) / (2 tan(w / 2)) = x + (w^2 / 3) x (x^2 - 1/4) + ..., and w^2 = 2 m + m^2 / 3 + ...;
/// the second term of the square bracket is taken where it counts most.
static inline void rotate_lanes(const float *from, const float *to, float share, uint32_t lane,
                                float *out)
{
    const lmbi_wide one = lmbi_wide_splat(1), two = lmbi_wide_splat(2);
    lmbi_wide a[3], b[3], s0 = one, s1 = one, chord = {0};
    for (int i = 0; i < 3; ++i) {
        a[i] = lmbi_wide_load(from + 8 * i + lane);
        b[i] = lmbi_wide_load(to + 8 * i + lane);
        const lmbi_wide d = b[i] - a[i];
        s0 += a[i] * a[i];
        s1 += b[i] * b[i];
        chord += d * d;
    }
    const lmbi_wide m = (chord + chord) / (s0 * s1);
    const lmbi_wide_int far = (lmbi_wide_int)(m > one);
    const lmbi_wide near = lmbi_wide_select(far, two - m, m);
    const float even = share * (share - 0.5f) * (share - 1.0f);
    const lmbi_wide u = near * (near * 0.17777778f + 0.66666667f) * even + share;
    const lmbi_wide of_a = (one - u) * s1;
    const lmbi_wide of_b = lmbi_wide_of_bits(lmbi_wide_bits(u * s0) ^ (far & INT32_MIN));
    lmbi_wide q[4], square = {0};
    for (int i = 0; i < 3; ++i) {
        const lmbi_wide half = a[i] * of_a + b[i] * of_b;
        q[i] = half + half;
        square += q[i] * q[i];
    }
    q[3] = (two - s0) * of_a + (two - s1) * of_b;
    square += q[3] * q[3];
    const lmbi_wide inverse = one / lmbi_wide_sqrt(square);
    for (int i = 0; i < 4; ++i) {
        lmbi_wide_store(out + PACKED_LANES * i + lane, q[i] * inverse);
    }
}

static inline void lines(const float *from, const float *to, float share, float *out)
{
    for (uint32_t i = 0; i < PACKED_OCTET_SLOTS; i += LMBI_LANES) {
        const lmbi_wide a = lmbi_wide_load(from + i), b = lmbi_wide_load(to + i);
        lmbi_wide_store(out + i, a + (b - a) * share);
    }
}

static void moment(const packed_bank *bank, const uint32_t *words, uint32_t intervals,
                   uint32_t first, float share, packed_moment *out)
{
    float slots[2][PACKED_SLOTS];
    const size_t used = (size_t)bank->octet_count * PACKED_OCTET_SLOTS * sizeof(float);
    memset(slots[0], 0, used);
    memset(slots[1], 0, used);
    for (uint32_t f = 0; f < bank->fixed_count; ++f) {
        const uint32_t slot = bank->fixed[2 * f];
        memcpy(&slots[0][slot], &bank->fixed[2 * f + 1], sizeof(float));
        slots[1][slot] = slots[0][slot];
    }
    segment(words, intervals, first, slots);
    for (uint32_t o = 0; o < bank->octet_count; ++o) {
        const float *from = slots[0] + (size_t)o * PACKED_OCTET_SLOTS;
        const float *to = slots[1] + (size_t)o * PACKED_OCTET_SLOTS;
        if (bank->octets[o].kind == PACKED_ROTATION) {
            for (uint32_t lane = 0; lane < PACKED_LANES; lane += LMBI_LANES) {
                rotate_lanes(from, to, share, lane, out->values[o]);
            }
        } else {
            lines(from, to, share, out->values[o]);
        }
    }
}

const lmbi_unpack_kernels LMBI_TABLE(lmbi_unpack) = {moment};
