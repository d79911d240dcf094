#include "anim/unpack_kernels.h"

#include "anim/mix.h"
#include "simd/rows.h"

typedef uint32_t bits __attribute__((vector_size(4 * LMBI_LANES)));

/// Blocks decoded at a time: sixteen lanes hold two blocks of eight.
enum { BLOCKS = LMBI_LANES > PACKED_LANES ? 2 : 1 };

// A value that all lanes of a block share.
#if LMBI_LANES == 16
typedef bits block_value;

static inline block_value block_values(const uint32_t of[BLOCKS])
{
    return (bits)_mm512_mask_set1_epi32(_mm512_set1_epi32((int32_t)of[0]), 0xff00, (int32_t)of[1]);
}

static inline bits load_rows(const uint32_t *const rows[BLOCKS])
{
    const __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)rows[0]));
    return (bits)_mm512_inserti64x4(low, _mm256_loadu_si256((const void *)rows[1]), 1);
}

/// One byte per lane, from two blocks.
static inline lmbi_wide_int load_bytes(const uint8_t *const from[BLOCKS])
{
    const __m128i low = _mm_loadl_epi64((const void *)from[0]),
                  high = _mm_loadl_epi64((const void *)from[1]);
    return (lmbi_wide_int)_mm512_cvtepu8_epi32(_mm_unpacklo_epi64(low, high));
}

static inline lmbi_wide_int load_halves(const uint8_t *const from[BLOCKS])
{
    const __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const void *)from[0]));
    return (lmbi_wide_int)_mm512_cvtepu16_epi32(
        _mm256_inserti128_si256(low, _mm_loadu_si128((const void *)from[1]), 1));
}
#else
typedef uint32_t block_value;

static inline block_value block_values(const uint32_t of[BLOCKS])
{
    return of[0];
}

static inline bits load_rows(const uint32_t *const rows[BLOCKS])
{
    bits v;
    memcpy(&v, rows[0], sizeof(v));
    return v;
}

static inline lmbi_wide_int load_bytes(const uint8_t *const from[BLOCKS])
{
    return lmbi_wide_int_from_u8(from[0]);
}

static inline lmbi_wide_int load_halves(const uint8_t *const from[BLOCKS])
{
    return lmbi_wide_int_from_u16((const uint16_t *)(const void *)from[0]);
}
#endif

/// Bit-packed numbers of the lanes of one block, or of two blocks, each with a width of its own.
typedef struct stream {
    const uint32_t *rows[BLOCKS];
    uint32_t width[BLOCKS], widest;
    block_value wide, mask;
} stream;

static inline void prepare_stream(stream *s)
{
    s->widest = s->width[0];
    if (BLOCKS == 2) {
        const int last = BLOCKS - 1;
        s->widest = s->width[last] > s->widest ? s->width[last] : s->widest;
        // A stream of width 0 has no rows: read the other block's instead.
        s->rows[0] = s->width[0] > 0 ? s->rows[0] : s->rows[last];
        s->rows[last] = s->width[last] > 0 ? s->rows[last] : s->rows[0];
    }
    s->wide = block_values(s->width);
    s->mask = ~(~(block_value){0} << s->wide);
}

/// 32 bits of every lane from number `index` on. Also reads the next row; streams end with a spare
/// one.
static inline bits load_window(const stream *s, uint32_t index)
{
    const uint32_t *first[BLOCKS], *second[BLOCKS];
    uint32_t shifts[BLOCKS];
    for (int i = 0; i < BLOCKS; ++i) {
        const uint32_t at = index * s->width[i];
        shifts[i] = at & 31u;
        first[i] = s->rows[i] + (size_t)(at >> 5) * PACKED_LANES;
        second[i] = first[i] + PACKED_LANES;
    }
    const block_value shift = block_values(shifts);
    return load_rows(first) >> shift | (load_rows(second) << 1) << (31u - shift);
}

static inline lmbi_wide to_float(bits v)
{
    return lmbi_wide_from_int((lmbi_wide_int)v);
}

/// Numbers `index` and `index + 1`. Up to 16 bits, one load holds both.
static inline void load_two(const stream *s, uint32_t index, lmbi_wide out[2])
{
    const bits first = load_window(s, index);
    const bits second = s->widest <= 16 ? first >> s->wide : load_window(s, index + 1);
    out[0] = to_float(first & s->mask);
    out[1] = to_float(second & s->mask);
}

/// Four successive numbers. Up to 8 bits, one load holds them.
static inline void load_four(const stream *s, uint32_t index, lmbi_wide out[4])
{
    if (s->widest > 8) {
        load_two(s, index, out);
        load_two(s, index + 2, out + 2);
        return;
    }
    const bits all = load_window(s, index), high = all >> 2 * s->wide;
    out[0] = to_float(all & s->mask);
    out[1] = to_float(all >> s->wide & s->mask);
    out[2] = to_float(high & s->mask);
    out[3] = to_float(high >> s->wide & s->mask);
}

static inline lmbi_wide load_steps(const uint8_t *const from[BLOCKS])
{
    return (lmbi_wide)(((bits)load_bytes(from) << 20) + (101u << 23));
}

/// packed_half_bits in every lane. Never -0, so that adding a stream of width 0 changes nothing.
static inline lmbi_wide load_bases(const uint8_t *const from[BLOCKS])
{
    const bits half = (bits)load_halves(from), body = half & 0x7fffu;
    const bits value = ((body << 13) + (112u << 23)) | (half & 0x8000u) << 16;
    return (lmbi_wide)(value & (bits)(body >= 0x400u));
}

typedef struct sample_position {
    uint32_t first; ///< sample
    uint32_t knot;  ///< index of the first of four coarse numbers
    uint32_t coarse_count;
    const packed_cubic *at[2]; ///< spline weights at the sample and at the next
} sample_position;

typedef struct pair {
    lmbi_wide v[2];
} pair;

/// Lanes of one or two blocks: the block words and the lane headers (packed.h).
typedef struct blocks {
    const uint32_t *words; ///< of the segment
    uint32_t word[BLOCKS];
    const uint8_t *lanes[BLOCKS];
    uint32_t lane; ///< the first
} blocks;

static inline void lane_bytes(const blocks *b, uint32_t at, const uint8_t *out[BLOCKS])
{
    for (int i = 0; i < BLOCKS; ++i) {
        out[i] = b->lanes[i] + at;
    }
}

static inline pair add_coarse(pair p, const blocks *b, const stream *s, const sample_position *at)
{
    const uint8_t *of_lanes[BLOCKS];
    lmbi_wide n[4];
    load_four(s, at->knot, n);
    lane_bytes(b, 24 + b->lane, of_lanes);
    const lmbi_wide step = load_steps(of_lanes);
    for (int i = 0; i < 2; ++i) {
        const float *w = at->at[i]->w;
        p.v[i] += step * ((n[0] * w[0] + n[1] * w[1]) + (n[2] * w[2] + n[3] * w[3]));
    }
    return p;
}

static inline pair add_fine(pair p, const blocks *b, const stream *s, const sample_position *at)
{
    const uint8_t *of_lanes[BLOCKS];
    lmbi_wide n[2];
    load_two(s, at->first, n);
    lane_bytes(b, 16 + b->lane, of_lanes);
    const lmbi_wide step = load_steps(of_lanes);
    p.v[0] += step * n[0];
    p.v[1] += step * n[1];
    return p;
}

static inline pair decode_lanes(const blocks *b, const sample_position *at)
{
    const uint8_t *of_lanes[BLOCKS];
    stream coarse, fine;
    for (int i = 0; i < BLOCKS; ++i) {
        coarse.width[i] = packed_coarse_bits(b->word[i]);
        coarse.rows[i] = b->words + packed_block_at(b->word[i]) + b->lane;
        fine.width[i] = packed_fine_bits(b->word[i]);
        fine.rows[i] =
            coarse.rows[i] + (size_t)packed_rows(at->coarse_count, coarse.width[i]) * PACKED_LANES;
    }
    prepare_stream(&fine);
    prepare_stream(&coarse);
    lane_bytes(b, 2 * b->lane, of_lanes);
    const lmbi_wide base = load_bases(of_lanes);
    pair p = {{base, base}};
    if (coarse.widest > 0) {
        p = add_coarse(p, b, &coarse, at);
    }
    return fine.widest > 0 ? add_fine(p, b, &fine, at) : p;
}

// A slot holds its values at both samples, so that one store writes a lane.
typedef float slot_pair[2];

#if LMBI_LANES == 1

static inline void store_slots(pair p, const uint8_t *const slot_bytes[BLOCKS], slot_pair *slots)
{
    slots[slot_bytes[0][0]][0] = p.v[0][0];
    slots[slot_bytes[0][0]][1] = p.v[1][0];
}

#else

typedef double doubles __attribute__((vector_size(4 * LMBI_LANES)));

static inline void store_slot(doubles two, int i, slot_pair *slot)
{
    const double both = two[i];
    memcpy(slot, &both, sizeof(both));
}

/// Stores four lanes; `low` and `high` hold two pairs each, from index `at`.
static inline void store_four_slots(doubles low, doubles high, int at, const uint8_t *slot_bytes,
                                    slot_pair *slots)
{
    store_slot(low, at, slots + slot_bytes[0]);
    store_slot(low, at + 1, slots + slot_bytes[1]);
    store_slot(high, at, slots + slot_bytes[2]);
    store_slot(high, at + 1, slots + slot_bytes[3]);
}

static inline void store_slots(pair p, const uint8_t *const slot_bytes[BLOCKS], slot_pair *slots)
{
    const doubles low = (doubles)LMBI_LOW_PAIRS(p.v[0], p.v[1]),
                  high = (doubles)LMBI_HIGH_PAIRS(p.v[0], p.v[1]);
    store_four_slots(low, high, 0, slot_bytes[0], slots);
#if LMBI_LANES >= 8
    store_four_slots(low, high, 2, slot_bytes[0] + 4, slots);
#endif
#if LMBI_LANES == 16
    store_four_slots(low, high, 4, slot_bytes[1], slots);
    store_four_slots(low, high, 6, slot_bytes[1] + 4, slots);
#endif
}

#endif

static inline void decode_segment(const uint32_t *words, const packed_position *when,
                                  slot_pair *slots)
{
    const uint32_t block_count = packed_block_count(words[0]), log2 = packed_coarse_log2(words[0]);
    const uint32_t first = when->first, within = first & ((1u << log2) - 1u);
    const sample_position at = {first,
                                first >> log2,
                                packed_coarse_count(when->intervals, log2),
                                {&lmbi_packed_cubics[within << (PACKED_COARSE_LOG2 - log2)],
                                 &lmbi_packed_cubics[(within + 1) << (PACKED_COARSE_LOG2 - log2)]}};
    const uint8_t *lanes = (const uint8_t *)(words + 1 + block_count);
    for (uint32_t first_block = 0; first_block < block_count; first_block += BLOCKS) {
        blocks b = {.words = words};
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            // With an odd number of blocks the last is decoded twice.
            const uint32_t block = first_block + i < block_count ? first_block + i : first_block;
            b.word[i] = words[1 + block];
            b.lanes[i] = lanes + (size_t)block * (PACKED_LANE_WORDS * 4);
        }
        for (b.lane = 0; b.lane < PACKED_LANES; b.lane += LMBI_LANES) {
            const uint8_t *slot_bytes[BLOCKS];
            lane_bytes(&b, 32 + b.lane, slot_bytes);
            store_slots(decode_lanes(&b, &at), slot_bytes, slots);
        }
    }
}

// --------------------------------------------------------------------------------------- rotations

/// Loads one slot of as many joints as there are lanes; sixteen lanes take two octets.
#if LMBI_LANES == 1
static inline pair load_slots(const slot_pair *const slots[BLOCKS])
{
    return (pair){{lmbi_wide_splat(slots[0][0][0]), lmbi_wide_splat(slots[0][0][1])}};
}
#else
static inline pair load_slots(const slot_pair *const slots[BLOCKS])
{
#if LMBI_LANES == 16
    const lmbi_wide a = lmbi_wide_load(slots[0][0]), b = lmbi_wide_load(slots[1][0]);
    return (pair){
        {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)}};
#else
    const lmbi_wide a = lmbi_wide_load(slots[0][0]), b = lmbi_wide_load(slots[0][LMBI_LANES / 2]);
#if LMBI_LANES == 8
    return (pair){{__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
                   __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)}};
#else
    return (pair){
        {__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)}};
#endif
#endif
}
#endif

/// lmbi_nlerp_weight with one fraction for all lanes, for the few wide rotations.
static inline lmbi_wide wide_nlerp_weight(float fraction, lmbi_wide m)
{
    const float x = fraction - 0.5f, y = x * x, edge = x * (y - 0.25f);
    lmbi_wide sum = lmbi_wide_splat(0);
    for (int k = LMBI_NLERP_ROWS; k-- > 0;) {
        const float *c = lmbi_nlerp_terms[k];
        sum = sum * m + (c[0] + y * (c[1] + y * (c[2] + y * c[3]))) * edge;
    }
    return fraction + m * sum;
}

/// Rotations between two samples. A quaternion is (2 p, 1 - s) / (1 + s) with s = p . p
/// (Shuster 1993, eq. 250); the weights of the two are multiplied crosswise by 1 + s instead of
/// dividing. 1 - cos of the arc between them is m = 2 |p1 - p0|^2 / ((1 + s0) (1 + s1)), which also
/// says which of q and -q lies nearer. With x = u - 1/2 the nlerp weight of constant angular speed
/// is tan(w x) / (2 tan(w / 2)) = x + (w^2 / 3) x (x^2 - 1/4) + ..., and w^2 = 2 m + m^2 / 3 + ...;
/// the w^4 term is approximated. Rotations over 0.65 radians use lmbi_nlerp_weight.
static inline void rotate_lanes(const slot_pair *const octets[BLOCKS], uint32_t lane,
                                float fraction, lmbi_wide q[4])
{
    const lmbi_wide one = lmbi_wide_splat(1), two = lmbi_wide_splat(2);
    lmbi_wide a[3], b[3], s0 = one, s1 = one, chord = {0};
    for (int i = 0; i < 3; ++i) {
        const slot_pair *slots[BLOCKS];
        for (int k = 0; k < BLOCKS; ++k) {
            slots[k] = octets[k] + 8 * i + lane;
        }
        const pair p = load_slots(slots);
        a[i] = p.v[0];
        b[i] = p.v[1];
        const lmbi_wide d = b[i] - a[i];
        s0 += a[i] * a[i];
        s1 += b[i] * b[i];
        chord += d * d;
    }
    const lmbi_wide m = (chord + chord) / (s0 * s1);
    const lmbi_wide_int is_opposite = (lmbi_wide_int)(m > one);
    const lmbi_wide arc = lmbi_wide_select(is_opposite, two - m, m);
    const float cubic = fraction * (fraction - 0.5f) * (fraction - 1.0f);
    lmbi_wide u = arc * (arc * 0.17777778f + 0.66666667f) * cubic + fraction;
    const lmbi_wide_int is_wide = (lmbi_wide_int)(arc > PACKED_WIDE_ROTATION);
    if (lmbi_wide_any(is_wide)) {
        u = lmbi_wide_select(is_wide, wide_nlerp_weight(fraction, arc), u);
    }
    const lmbi_wide of_a = (one - u) * s1;
    const lmbi_wide of_b = lmbi_wide_of_bits(lmbi_wide_bits(u * s0) ^ (is_opposite & INT32_MIN));
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

/// Stores the rotations of the first `count` lanes.
static inline void store_rotations(const uint16_t *joints, uint32_t count, const lmbi_wide q[4],
                                   lmb_transform *pose)
{
    static const uint16_t in_order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    if (count >= LMBI_LANES) {
        const lmbi_rows rows = {(uint8_t *)&pose->rotation, sizeof(*pose), joints};
        lmbi_scatter4(&rows, q[0], q[1], q[2], q[3]);
        return;
    }
    lmb_quat all[LMBI_LANES]; // extracting single lanes costs more than storing all
    const lmbi_rows rows = {(uint8_t *)all, sizeof(*all), in_order};
    lmbi_scatter4(&rows, q[0], q[1], q[2], q[3]);
    for (uint32_t lane = 0; lane < count; ++lane) {
        pose[joints[lane]].rotation = all[lane];
    }
}

/// Decodes one octet, or two where sixteen lanes take both and the next holds rotations too.
/// Returns how many.
static inline uint32_t decode_rotations(const packed_octet *octet, uint32_t left,
                                        const slot_pair *slots, float fraction, lmb_transform *pose)
{
    lmbi_wide q[4];
#if LMBI_LANES == 16
    const bool both = left > 1 && octet->count == 8 && octet[1].kind == PACKED_ROTATION;
    uint16_t joints[LMBI_LANES];
    memcpy(joints, octet->items, 8 * sizeof(joints[0]));
    memcpy(joints + 8, octet[both].items, 8 * sizeof(joints[0]));
    rotate_lanes((const slot_pair *const[]){slots, slots + (both ? PACKED_OCTET_SLOTS : 0)}, 0,
                 fraction, q);
    store_rotations(joints, both ? 8 + octet[1].count : octet->count, q, pose);
    return both ? 2 : 1;
#else
    (void)left;
    for (uint32_t lane = 0; lane < octet->count; lane += LMBI_LANES) {
        rotate_lanes(&slots, lane, fraction, q);
        store_rotations(octet->items + lane, octet->count - lane, q, pose);
    }
    return 1;
#endif
}

static inline float lerp_slot(const slot_pair *slot, float fraction)
{
    return (*slot)[0] + ((*slot)[1] - (*slot)[0]) * fraction;
}

/// Translations or scales, one joint at a time: few move.
static inline void decode_vectors(const packed_octet *octet, const slot_pair *slots, float fraction,
                                  lmb_transform *pose)
{
    for (uint32_t i = 0; i < octet->count; ++i) {
        lmb_transform *to = &pose[octet->items[i]];
        const lmb_vec3 xyz = {lerp_slot(slots + i, fraction), lerp_slot(slots + 8 + i, fraction),
                              lerp_slot(slots + 16 + i, fraction)};
        *(octet->kind == PACKED_SCALE ? &to->scale : &to->translation) = xyz;
    }
}

static void decode(const packed_bank *bank, const uint32_t *words, const packed_position *at,
                   lmb_transform *pose, packed_weights *weights)
{
    slot_pair slots[PACKED_SLOTS];
    memset(slots, 0, (size_t)bank->octet_count * PACKED_OCTET_SLOTS * sizeof(slots[0]));
    for (uint32_t f = 0; f < bank->fixed_count; ++f) {
        const uint32_t slot = bank->fixed[2 * f];
        memcpy(&slots[slot][0], &bank->fixed[2 * f + 1], sizeof(float));
        slots[slot][1] = slots[slot][0];
    }
    decode_segment(words, at, slots);
    for (uint32_t o = 0, done; o < bank->octet_count; o += done) {
        const packed_octet *octet = &bank->octets[o];
        const slot_pair *of_octet = (const slot_pair *)slots + (size_t)o * PACKED_OCTET_SLOTS;
        done = 1;
        if (octet->kind == PACKED_ROTATION) {
            done = decode_rotations(octet, bank->octet_count - o, of_octet, at->fraction, pose);
        } else if (octet->kind != PACKED_WEIGHT) {
            decode_vectors(octet, of_octet, at->fraction, pose);
        } else if (weights != NULL) {
            for (uint32_t i = 0; i < PACKED_OCTET_SLOTS; ++i) {
                weights->values[o][i] = lerp_slot(of_octet + i, at->fraction);
            }
        }
    }
}

const lmbi_unpack_kernels LMBI_TABLE(lmbi_unpack) = {decode};
