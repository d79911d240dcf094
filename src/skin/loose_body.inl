// Matrix blending of loose vertices. Each vertex has its own joints, so its matrix is blended
// alone, with the matrix entries in the lanes. The matrices of as many vertices as there are lanes
// are then transposed, and the rest runs one vertex per lane, as in blocks. Include after
// linear_body.inl.

enum { PART = LMBI_LANES < 4 ? 4 : LMBI_LANES, PARTS = 16 / PART };

/// As many columns of a matrix as fit in a register.
typedef float part __attribute__((vector_size(4 * PART)));

typedef struct lane_matrices {
    _Alignas(64) float m[LMBI_LANES][16];
} lane_matrices;

// ---- blending

LMBI_WIDE const float *clean_matrix(const lmbi_linear_pass *pass, uint16_t joint, float *cleaned)
{
    const float *m = pass->palette[joint].m;
    if (pass->has_tiny) {
        lmbi_drop_tiny(m, cleaned);
        return cleaned;
    }
    return m;
}

LMBI_WIDE void load_parts(const lmbi_linear_pass *pass, uint16_t joint, part *out)
{
    float cleaned[16];
    const float *m = clean_matrix(pass, joint, cleaned);
    for (int i = 0; i < PARTS; ++i) {
        memcpy(&out[i], m + (ptrdiff_t)i * PART, sizeof(out[i]));
    }
}

/// Sum of w M of one vertex, by ascending joint. As in a block, M_last + sum of w (M - M_last) if
/// the joints are few and the weights sum to 1.
LMBI_WIDE void blend_one(const lmbi_linear_pass *pass, const uint16_t *joints, const float *weights,
                         uint32_t width, bool is_whole, float *out)
{
    const bool is_from_last = is_whole && width <= LMBI_SKIN_FEW;
    part last[PARTS] = {{0}}, sum[PARTS], m[PARTS];
    if (is_from_last) {
        load_parts(pass, joints[width - 1], last);
    }
    for (int i = 0; i < PARTS; ++i) {
        sum[i] = last[i];
    }
    for (uint32_t k = 0; k + is_from_last < width; ++k) {
        load_parts(pass, joints[k], m);
        for (int i = 0; i < PARTS; ++i) {
            sum[i] += (m[i] - last[i]) * weights[k];
        }
    }
    memcpy(out, sum, sizeof(sum));
}

// ---- transposition from one matrix per vertex to one entry per register

#if LMBI_LANES == 1
LMBI_WIDE blended transpose_matrices(const lane_matrices *of)
{
    const float *m = of->m[0];
    blended out;
    for (int c = 0; c < 4; ++c) {
        out.c[c] = (wide3){{m[4 * c]}, {m[4 * c + 1]}, {m[4 * c + 2]}};
    }
    return out;
}
#else
/// Column c of the matrices first, first + 4, first + 8, …
LMBI_WIDE wide columns_of(const lane_matrices *of, int first, int c)
{
    lmbi_quad q[LMBI_LANES / 4];
    for (int i = 0; i < LMBI_LANES / 4; ++i) {
        memcpy(&q[i], of->m[first + 4 * i] + (ptrdiff_t)4 * c, sizeof(q[i]));
    }
#if LMBI_LANES == 16
    // A masked load is a blend and leaves the only shuffle port free.
    const __m512 a = _mm512_castps128_ps512((__m128)q[0]),
                 ab = _mm512_mask_broadcast_f32x4(a, 0x00f0, (__m128)q[1]),
                 abc = _mm512_mask_broadcast_f32x4(ab, 0x0f00, (__m128)q[2]);
    return (wide)_mm512_mask_broadcast_f32x4(abc, 0xf000, (__m128)q[3]);
#else
    return lmbi_join(q);
#endif
}

LMBI_WIDE wide3 transpose_column(const lane_matrices *of, int c)
{
    const wide a = columns_of(of, 0, c), b = columns_of(of, 1, c), d = columns_of(of, 2, c),
               e = columns_of(of, 3, c);
    const wide xy0 = LMBI_LOW_PAIRS(a, b), xy1 = LMBI_LOW_PAIRS(d, e);
    return (wide3){LMBI_LOW_HALVES(xy0, xy1), LMBI_HIGH_HALVES(xy0, xy1),
                   LMBI_LOW_HALVES(LMBI_HIGH_PAIRS(a, b), LMBI_HIGH_PAIRS(d, e))};
}

LMBI_WIDE blended transpose_matrices(const lane_matrices *of)
{
    return (blended){{transpose_column(of, 0), transpose_column(of, 1), transpose_column(of, 2),
                      transpose_column(of, 3)}};
}
#endif

/// `width` is a constant of 1 to 4, 0 for any, or RIGID_WIDTH for rigid skinning; `outputs` is a
/// constant, too.
enum { RIGID_WIDTH = 5 };

LMBI_WIDE void blend_lanes(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t first,
                           uint32_t count, uint32_t width, lane_matrices *of)
{
    const lmb_binding *b = pass->binding;
    const uint32_t real_width = width > 0 && width != RIGID_WIDTH ? width : run->width;
    const size_t at = run->influence_first + (size_t)first * real_width;
    for (uint32_t lane = 0; lane < count; ++lane) {
        if (width == RIGID_WIDTH) {
            float cleaned[16];
            const uint16_t joint = b->loose_strongest[run->first + first + lane];
            memcpy(of->m[lane], clean_matrix(pass, joint, cleaned), sizeof(of->m[lane]));
        } else {
            const size_t row = at + (size_t)lane * real_width;
            blend_one(pass, b->loose_joints + row, b->loose_weights + row, real_width,
                      run->is_whole, of->m[lane]);
        }
    }
    float last[16];
    memcpy(last, of->m[count - 1], sizeof(last));
    for (uint32_t lane = count; lane < LMBI_LANES; ++lane) {
        memcpy(of->m[lane], last, sizeof(last));
    }
}
