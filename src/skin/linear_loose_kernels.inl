// Linear blend and rigid skinning of loose vertices. Each has joints of its own, so its matrix is
// blended on its own, all entries side by side; the matrices of as many vertices as there are lanes
// are then turned, and the rest is done a lane a vertex, as in blocks.
#define BLOCK_LANES 16
#define LMBI_BLEND_ALONE
#include "skin/linear_body.inl"

enum { PART = LMBI_LANES < 4 ? 4 : LMBI_LANES, PARTS = 16 / PART };

/// Some columns of a matrix, as many as a register holds. Lanes never meet.
typedef float part __attribute__((vector_size(4 * PART)));

typedef struct lane_matrices {
    _Alignas(64) float m[LMBI_LANES][16];
} lane_matrices;

// ---- blending

LMBI_WIDE const float *tidy_matrix(const lmbi_linear_pass *pass, uint16_t joint, float *tidy)
{
    const float *m = pass->palette[joint].m;
    if (pass->has_tiny) {
        lmbi_drop_tiny(m, tidy);
        return tidy;
    }
    return m;
}

/// The sum of w M of one vertex, from the least joint on.
LMBI_WIDE void blend_one(const lmbi_linear_pass *pass, const uint16_t *joints, const float *weights,
                         uint32_t width, float *out)
{
    part sum[PARTS] = {{0}};
    float tidy[16];
    for (uint32_t k = 0; k < width; ++k) {
        const float *m = tidy_matrix(pass, joints[k], tidy);
        for (int i = 0; i < PARTS; ++i) {
            part some;
            memcpy(&some, m + (ptrdiff_t)i * PART, sizeof(some));
            sum[i] += some * weights[k];
        }
    }
    memcpy(out, sum, sizeof(sum));
}

// ---- from a matrix a vertex to an entry a lane

#if LMBI_LANES == 1
LMBI_WIDE blended turn_matrices(const lane_matrices *of)
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
    // A masked load is a blend, and leaves the one port for shuffles alone.
    const __m512 a = _mm512_castps128_ps512((__m128)q[0]),
                 ab = _mm512_mask_broadcast_f32x4(a, 0x00f0, (__m128)q[1]),
                 abc = _mm512_mask_broadcast_f32x4(ab, 0x0f00, (__m128)q[2]);
    return (wide)_mm512_mask_broadcast_f32x4(abc, 0xf000, (__m128)q[3]);
#else
    return lmbi_join(q);
#endif
}

LMBI_WIDE wide3 turn_column(const lane_matrices *of, int c)
{
    const wide a = columns_of(of, 0, c), b = columns_of(of, 1, c), d = columns_of(of, 2, c),
               e = columns_of(of, 3, c);
    const wide xy0 = LMBI_LOW_PAIRS(a, b), xy1 = LMBI_LOW_PAIRS(d, e);
    return (wide3){LMBI_LOW_HALVES(xy0, xy1), LMBI_HIGH_HALVES(xy0, xy1),
                   LMBI_LOW_HALVES(LMBI_HIGH_PAIRS(a, b), LMBI_HIGH_PAIRS(d, e))};
}

LMBI_WIDE blended turn_matrices(const lane_matrices *of)
{
    return (blended){
        {turn_column(of, 0), turn_column(of, 1), turn_column(of, 2), turn_column(of, 3)}};
}
#endif

// ---- runs

/// The places of the lanes of a step among the loose vertices and in the chunk.
typedef struct places {
    uint16_t loose[LMBI_LANES], index[LMBI_LANES];
} places;

/// A step of fewer vertices than lanes repeats its last. Not inlined: it would be unrolled in each
/// kind of run.
static __attribute__((noinline)) void fill_places(const uint16_t *index, uint32_t count,
                                                  places *out)
{
    for (uint32_t lane = 0; lane < LMBI_LANES; ++lane) {
        const uint32_t at = lane < count ? lane : count - 1;
        out->loose[lane] = (uint16_t)at;
        out->index[lane] = index[at];
    }
}

/// `width` is a constant of 1 to 4, or 0 for any, or RIGID_WIDTH for all weight on the strongest
/// joint; so is `outputs`.
enum { RIGID_WIDTH = 5 };

LMBI_WIDE void blend_lanes(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t first,
                           uint32_t count, uint32_t width, lane_matrices *of)
{
    const lmb_binding *b = pass->binding;
    const uint32_t real_width = width > 0 && width != RIGID_WIDTH ? width : run->width;
    const size_t at = run->influence_first + (size_t)first * real_width;
    for (uint32_t lane = 0; lane < count; ++lane) {
        if (width == RIGID_WIDTH) {
            float tidy[16];
            const uint16_t joint = b->loose_strongest[run->first + first + lane];
            memcpy(of->m[lane], tidy_matrix(pass, joint, tidy), sizeof(of->m[lane]));
        } else {
            const size_t row = at + (size_t)lane * real_width;
            blend_one(pass, b->loose_joints + row, b->loose_weights + row, real_width, of->m[lane]);
        }
    }
    float last[16];
    memcpy(last, of->m[count - 1], sizeof(last));
    for (uint32_t lane = count; lane < LMBI_LANES; ++lane) {
        memcpy(of->m[lane], last, sizeof(last));
    }
}

LMBI_WIDE void run_width(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t width,
                         unsigned outputs)
{
    static const uint16_t in_order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint16_t *index = pass->binding->loose_index + run->first;
    lane_matrices of;
    places few;
    // A last step holds the vertex that it repeats: it reads before it writes.
    for (uint32_t i = 0; i < run->count; i += LMBI_LANES) {
        const uint32_t left = run->count - i, count = left < LMBI_LANES ? left : LMBI_LANES;
        vertices v = {index + i, (size_t)run->first + i, 0, in_order};
        if (count < LMBI_LANES) {
            fill_places(index + i, count, &few);
            v.index = few.index;
            v.loose = few.loose;
        }
        blend_lanes(pass, run, i, count, width, &of);
        const blended m = turn_matrices(&of);
        put_vertices(pass, &m, outputs, &v);
    }
}

LMBI_WIDE void run_outputs(const lmbi_linear_pass *pass, const lmbi_loose_run *run,
                           unsigned outputs)
{
    switch (run->width) {
    case 1:
        run_width(pass, run, 1, outputs);
        break;
    case 2:
        run_width(pass, run, 2, outputs);
        break;
    case 3:
        run_width(pass, run, 3, outputs);
        break;
    case 4:
        run_width(pass, run, 4, outputs);
        break;
    default:
        run_width(pass, run, 0, outputs);
        break;
    }
}

static void run_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    const unsigned outputs = outputs_of(pass, pass->binding->loose_normals);
    if (pass->rigid) {
        run_width(pass, run, RIGID_WIDTH, outputs);
        return;
    }
    switch (outputs) {
    case HAS_POSITIONS:
        run_outputs(pass, run, HAS_POSITIONS);
        break;
    case HAS_POSITIONS | HAS_NORMALS:
        run_outputs(pass, run, HAS_POSITIONS | HAS_NORMALS);
        break;
    default:
        run_outputs(pass, run, outputs);
        break;
    }
}

LMBI_ALSO_FUSED
const lmbi_loose_kernels LMBI_TABLE(lmbi_linear_loose) = {run_loose};
