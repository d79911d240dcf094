// One pose to model space: first the matrices of all joints, a joint per lane, then the products
// from parent to child, with the columns of one matrix across the lanes. Sums are in lmb_mat4_mul's
// order, for the same bits.
#include "asset/model_kernels.h"

// Sixteen lanes are no faster here: each product depends on the previous one.
#define LMBI_LANES_AT_MOST 8
#include "simd/wide.h"

#if LMBI_LANES > 1

#include "asset/model_lanes.h"

#if LMBI_LANES == 16
#define EACH(v, k)                                                                             \
    __builtin_shufflevector(v, v, k, k, k, k, k + 4, k + 4, k + 4, k + 4, k + 8, k + 8, k + 8, \
                            k + 8, k + 12, k + 12, k + 12, k + 12)
#elif LMBI_LANES == 8
#define EACH(v, k) __builtin_shufflevector(v, v, k, k, k, k, k + 4, k + 4, k + 4, k + 4)
#else
#define EACH(v, k) __builtin_shufflevector(v, v, k, k, k, k)
#endif

/// A matrix, and each of its columns repeated in every group of four lanes.
typedef struct parts {
    lmbi_wide of[16 / LMBI_LANES];
} parts;

typedef struct columns {
    lmbi_wide of[4];
} columns;

LMBI_WIDE columns columns_at(const lmb_mat4 *a)
{
    columns out;
    for (size_t k = 0; k < 4; ++k) {
#if LMBI_LANES == 16
        out.of[k] = (lmbi_wide)_mm512_broadcast_f32x4(_mm_loadu_ps(a->m + 4 * k));
#elif LMBI_LANES == 8
        out.of[k] = (lmbi_wide)_mm256_broadcast_ps((const __m128 *)(const void *)(a->m + 4 * k));
#else
        out.of[k] = lmbi_wide_load(a->m + 4 * k);
#endif
    }
    return out;
}

/// The same from registers, so that the previous joint's sums do not go through memory.
LMBI_WIDE columns columns_of(const parts *a)
{
#if LMBI_LANES == 16
#define QUARTER(k)                                                                                 \
    __builtin_shufflevector(a->of[0], a->of[0], k, k + 1, k + 2, k + 3, k, k + 1, k + 2, k + 3, k, \
                            k + 1, k + 2, k + 3, k, k + 1, k + 2, k + 3)
    return (columns){{QUARTER(0), QUARTER(4), QUARTER(8), QUARTER(12)}};
#undef QUARTER
#elif LMBI_LANES == 8
#define LOW(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3)
#define HIGH(v) __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7)
    return (columns){{LOW(a->of[0]), HIGH(a->of[0]), LOW(a->of[1]), HIGH(a->of[1])}};
#undef LOW
#undef HIGH
#else
    return (columns){{a->of[0], a->of[1], a->of[2], a->of[3]}};
#endif
}

LMBI_WIDE parts parts_at(const lmb_mat4 *a)
{
    parts out;
    for (size_t k = 0; k < 16 / LMBI_LANES; ++k) {
        out.of[k] = lmbi_wide_load(a->m + k * LMBI_LANES);
    }
    return out;
}

LMBI_WIDE parts multiply(const columns *parent, const parts *local)
{
    parts out;
    for (size_t k = 0; k < 16 / LMBI_LANES; ++k) {
        const lmbi_wide e = local->of[k];
        out.of[k] = parent->of[0] * EACH(e, 0) + parent->of[1] * EACH(e, 1) +
                    parent->of[2] * EACH(e, 2) + parent->of[3] * EACH(e, 3);
    }
    return out;
}

LMBI_WIDE void make_matrices(const lmb_transform *local, uint32_t count, lmb_mat4 *out)
{
    uint32_t first = 0;
    lanes_mat m;
    for (; first + LMBI_LANES <= count; first += LMBI_LANES) {
        load_transforms(local + first, 1, &m);
        store_matrices(&m, 1, out + first);
    }
    if (first < count && count >= LMBI_LANES) {
        load_transforms(local + count - LMBI_LANES, 1, &m); // overlaps the joints before
        store_matrices(&m, 1, out + count - LMBI_LANES);
        first = count;
    }
    for (; first < count; ++first) {
        out[first] = lmb_mat4_from_transform(local[first]);
    }
}

static void one(const lmb_skeleton *skeleton, const lmb_transform *local, const lmb_mat4 *root,
                lmb_mat4 *model_from_joint)
{
    make_matrices(local, skeleton->joint_count, model_from_joint);
    parts before = {{lmbi_wide_splat(0)}};
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        parts m = parts_at(&model_from_joint[j]);
        if (parent != LMB_NONE || root != NULL) {
            const columns above = parent == LMB_NONE ? columns_at(root)
                                  : (uint32_t)parent + 1 == j
                                      ? columns_of(&before)
                                      : columns_at(&model_from_joint[parent]);
            m = multiply(&above, &m);
            for (size_t k = 0; k < 16 / LMBI_LANES; ++k) {
                lmbi_wide_store(model_from_joint[j].m + k * LMBI_LANES, m.of[k]);
            }
        }
        before = m;
    }
}

#else

static void one(const lmb_skeleton *skeleton, const lmb_transform *local, const lmb_mat4 *root,
                lmb_mat4 *model_from_joint)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        const lmb_mat4 *above = parent != LMB_NONE ? &model_from_joint[parent] : root;
        const lmb_mat4 m = lmb_mat4_from_transform(local[j]);
        model_from_joint[j] = above != NULL ? lmb_mat4_mul(*above, m) : m;
    }
}

#endif

const lmbi_model_one_kernels LMBI_TABLE(lmbi_model_one) = {one};
