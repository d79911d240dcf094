#include "anim/unpack_kernels.h"

#define LMBI_LANES_AT_MOST 8
#include "simd/rows.h"

typedef uint32_t bits __attribute__((vector_size(4 * LMBI_LANES)));

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

/// Four numbers in a row: one window holds them up to 8 bits.
static inline void four_numbers(const uint32_t *stream, uint32_t index, uint32_t width,
                                lmbi_wide out[4])
{
    if (width > 8) {
        numbers(stream, index, width, out);
        numbers(stream, index + 2, width, out + 2);
        return;
    }
    const uint32_t mask = (1u << width) - 1u;
    const bits all = window(stream, index * width), high = all >> 2 * width;
    out[0] = to_float(all & mask);
    out[1] = to_float(all >> width & mask);
    out[2] = to_float(high & mask);
    out[3] = to_float(high >> width & mask);
}

static inline lmbi_wide steps(const uint8_t *from)
{
    return (lmbi_wide)(((bits)lmbi_wide_int_from_u8(from) << 20) + (101u << 23));
}

/// packed_half_bits, in every lane.
static inline lmbi_wide bases(const uint16_t *from)
{
    const bits half = (bits)lmbi_wide_int_from_u16(from), body = half & 0x7fffu;
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
    four_numbers(stream, at->knot, width, n);
    for (int i = 0; i < 2; ++i) {
        const float *w = at->at[i]->w;
        p.v[i] += step * ((n[0] * w[0] + n[1] * w[1]) + (n[2] * w[2] + n[3] * w[3]));
    }
    return p;
}

static inline pair decode_lanes(const uint32_t *stream, uint32_t coarse_bits, uint32_t fine_bits,
                                uint32_t fine_row, const uint8_t *lanes, uint32_t lane,
                                const place *at)
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
    return p;
}

// A slot holds its values at both samples side by side, so that one store puts a lane there.
typedef float slot_pair[2];

#if LMBI_LANES == 1

static inline void put_slots(pair p, const uint8_t *places, slot_pair *slots)
{
    slots[places[0]][0] = p.v[0][0];
    slots[places[0]][1] = p.v[1][0];
}

static inline pair take_slots(const slot_pair *slots)
{
    return (pair){{lmbi_wide_splat(slots[0][0]), lmbi_wide_splat(slots[0][1])}};
}

#else

typedef double doubles __attribute__((vector_size(4 * LMBI_LANES)));

static inline void put_slot(doubles two, int i, slot_pair *slot)
{
    const double both = two[i];
    memcpy(slot, &both, sizeof(both));
}

static inline void put_slots(pair p, const uint8_t *places, slot_pair *slots)
{
    const doubles low = (doubles)LMBI_LOW_PAIRS(p.v[0], p.v[1]),
                  high = (doubles)LMBI_HIGH_PAIRS(p.v[0], p.v[1]);
#if LMBI_LANES == 8
    put_slot(low, 2, slots + places[4]);
    put_slot(low, 3, slots + places[5]);
    put_slot(high, 2, slots + places[6]);
    put_slot(high, 3, slots + places[7]);
#endif
    put_slot(low, 0, slots + places[0]);
    put_slot(low, 1, slots + places[1]);
    put_slot(high, 0, slots + places[2]);
    put_slot(high, 1, slots + places[3]);
}

static inline pair take_slots(const slot_pair *slots)
{
    const lmbi_wide a = lmbi_wide_load(slots[0]), b = lmbi_wide_load(slots[LMBI_LANES / 2]);
#if LMBI_LANES == 4
    return (pair){
        {__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)}};
#else
    return (pair){{__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
                   __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)}};
#endif
}

#endif

static inline void segment(const uint32_t *words, const packed_between *when, slot_pair *slots)
{
    const uint32_t block_count = packed_block_count(words[0]), log2 = packed_coarse_log2(words[0]);
    const uint32_t first = when->first, within = first & ((1u << log2) - 1u);
    const place at = {first,
                      first >> log2,
                      {&lmbi_packed_cubics[within << (PACKED_COARSE_LOG2 - log2)],
                       &lmbi_packed_cubics[(within + 1) << (PACKED_COARSE_LOG2 - log2)]}};
    const uint32_t coarse_count = packed_coarse_count(when->intervals, log2);
    const uint8_t *lanes = (const uint8_t *)(words + 1 + block_count);
    for (uint32_t b = 0; b < block_count; ++b, lanes += PACKED_LANE_WORDS * 4) {
        const uint32_t word = words[1 + b];
        const uint32_t coarse_bits = packed_coarse_bits(word), fine_bits = packed_fine_bits(word);
        const uint32_t fine_row = packed_rows(coarse_count, coarse_bits);
        for (uint32_t lane = 0; lane < PACKED_LANES; lane += LMBI_LANES) {
            put_slots(decode_lanes(words + packed_block_at(word), coarse_bits, fine_bits, fine_row,
                                   lanes, lane, &at),
                      lanes + 32 + lane, slots);
        }
    }
}

/// Eight rotations between two samples. A quaternion is (2 p, 1 - s) / (1 + s) with s = p . p
/// (Shuster 1993, eq. 250); the weights of the two are multiplied crosswise by 1 + s instead of
/// dividing. 1 - cos of the arc between them is m = 2 |p1 - p0|^2 / ((1 + s0) (1 + s1)), which also
/// says which of q and -q lies nearer. With x = u - 1/2 the share that makes nlerp turn evenly is
/// tan(w x) / (2 tan(w / 2)) = x + (w^2 / 3) x (x^2 - 1/4) + ..., and w^2 = 2 m + m^2 / 3 + ...;
/// the second term of the square bracket is taken where it counts most.
static inline void rotate_lanes(const slot_pair *slots, float share, lmbi_wide q[4])
{
    const lmbi_wide one = lmbi_wide_splat(1), two = lmbi_wide_splat(2);
    lmbi_wide a[3], b[3], s0 = one, s1 = one, chord = {0};
    for (int i = 0; i < 3; ++i) {
        const pair p = take_slots(slots + 8 * i);
        a[i] = p.v[0];
        b[i] = p.v[1];
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
    lmbi_wide square = {0};
    for (int i = 0; i < 3; ++i) {
        const lmbi_wide half = a[i] * of_a + b[i] * of_b;
        q[i] = half + half;
        square += q[i] * q[i];
    }
    q[3] = (two - s0) * of_a + (two - s1) * of_b;
    square += q[3] * q[3];
    const lmbi_wide inverse = one / lmbi_wide_sqrt(square);
    for (int i = 0; i < 4; ++i) {
        q[i] = q[i] * inverse;
    }
}

/// The rotations of the first `count` lanes, or of all.
static inline void put_rotations(const uint16_t *joints, uint32_t count, const lmbi_wide q[4],
                                 lmb_transform *pose)
{
    static const uint16_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (count >= LMBI_LANES) {
        const lmbi_rows rows = {(uint8_t *)&pose->rotation, sizeof(*pose), joints};
        lmbi_scatter4(&rows, q[0], q[1], q[2], q[3]);
        return;
    }
    lmb_quat all[LMBI_LANES]; // lanes one by one would cost more than all of them at once
    const lmbi_rows rows = {(uint8_t *)all, sizeof(*all), in_order};
    lmbi_scatter4(&rows, q[0], q[1], q[2], q[3]);
    for (uint32_t lane = 0; lane < count; ++lane) {
        pose[joints[lane]].rotation = all[lane];
    }
}

static inline void turn(const packed_octet *octet, const slot_pair *slots, float share,
                        lmb_transform *pose)
{
    for (uint32_t lane = 0; lane < octet->count; lane += LMBI_LANES) {
        lmbi_wide q[4];
        rotate_lanes(slots + lane, share, q);
        put_rotations(octet->items + lane, octet->count - lane, q, pose);
    }
}

static inline float line(const slot_pair *slot, float share)
{
    return (*slot)[0] + ((*slot)[1] - (*slot)[0]) * share;
}

/// Translations or scales: few move, so they go one by one.
static inline void move(const packed_octet *octet, const slot_pair *slots, float share,
                        lmb_transform *pose)
{
    for (uint32_t i = 0; i < octet->count; ++i) {
        lmb_transform *to = &pose[octet->items[i]];
        const lmb_vec3 xyz = {line(slots + i, share), line(slots + 8 + i, share),
                              line(slots + 16 + i, share)};
        *(octet->kind == PACKED_SCALE ? &to->scale : &to->translation) = xyz;
    }
}

static void play(const packed_bank *bank, const uint32_t *words, const packed_between *at,
                 lmb_transform *pose, packed_moment *weights)
{
    slot_pair slots[PACKED_SLOTS];
    memset(slots, 0, (size_t)bank->octet_count * PACKED_OCTET_SLOTS * sizeof(slots[0]));
    for (uint32_t f = 0; f < bank->fixed_count; ++f) {
        const uint32_t slot = bank->fixed[2 * f];
        memcpy(&slots[slot][0], &bank->fixed[2 * f + 1], sizeof(float));
        slots[slot][1] = slots[slot][0];
    }
    segment(words, at, slots);
    for (uint32_t o = 0; o < bank->octet_count; ++o) {
        const packed_octet *octet = &bank->octets[o];
        const slot_pair *of_octet = (const slot_pair *)slots + (size_t)o * PACKED_OCTET_SLOTS;
        if (octet->kind == PACKED_ROTATION) {
            turn(octet, of_octet, at->share, pose);
        } else if (octet->kind != PACKED_WEIGHT) {
            move(octet, of_octet, at->share, pose);
        }
        for (uint32_t i = 0; weights != NULL && i < PACKED_OCTET_SLOTS; ++i) {
            weights->values[o][i] = line(of_octet + i, at->share);
        }
    }
}

const lmbi_unpack_kernels LMBI_TABLE(lmbi_unpack) = {play};
