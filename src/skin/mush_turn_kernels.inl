// Direct delta mush of blocks of sixteen vertices, variant v2: rotations blended as quaternions.
// One vertex per lane.
#include "skin/mush_lanes.inl"

/// Rotation of a vertex's neighbourhood (not normalised), and its new position.
typedef struct motion {
    wide u[4]; ///< x y z w
    wide3 position;
} motion;

LMBI_WIDE wide add_row(const float *m, int r, wide3 center, wide weight)
{
    return m[r] * center.x + m[4 + r] * center.y + m[8 + r] * center.z + m[12 + r] * weight;
}

/// Starts from the transform of the block's first joint, then adds the other joints by the
/// difference of their transforms to the first. Rotations are flipped into the hemisphere of the
/// first, the block's strongest joint.
LMBI_WIDE motion blend(const lmbi_mush_pass *pass, size_t b, uint32_t offset, wide3 center)
{
    const lmb_mush *mush = pass->mush;
    const lmbi_mush_block *block = &mush->blocks[b];
    const uint16_t *joints = mush->joints + block->joint_first;
    const float *from = mush->items + lmbi_mush_item_offset(mush, b) + offset;
    const float *first = pass->palette[joints[0]].m;
    const lmb_quat q = pass->rotations[joints[0]];
    const wide one = lmbi_wide_splat(1);
    motion sum = {
        {lmbi_wide_splat(q.x), lmbi_wide_splat(q.y), lmbi_wide_splat(q.z), lmbi_wide_splat(q.w)},
        {add_row(first, 0, center, one), add_row(first, 1, center, one),
         add_row(first, 2, center, one)}};
    for (uint32_t k = 1; k < block->joint_count; ++k) {
        const float *m = pass->palette[joints[k]].m;
        const lmb_quat t = pass->rotations[joints[k]];
        const float sign = lmb_quat_dot(t, q) < 0 ? -1.0f : 1.0f;
        const float difference[4] = {t.x * sign - q.x, t.y * sign - q.y, t.z * sign - q.z,
                                     t.w * sign - q.w};
        float other[16];
        for (int e = 0; e < 16; ++e) {
            other[e] = m[e] - first[e];
        }
        const wide weight = lmbi_wide_load(from);
        const wide3 moved = load3(from + LMBI_MUSH_LANES);
        for (int i = 0; i < 4; ++i) {
            sum.u[i] += weight * difference[i];
        }
        sum.position.x += add_row(other, 0, moved, weight);
        sum.position.y += add_row(other, 1, moved, weight);
        sum.position.z += add_row(other, 2, moved, weight);
        from += LMBI_MUSH_V2_FLOATS * LMBI_MUSH_LANES;
    }
    return sum;
}

/// Identity where opposite rotations cancel.
LMBI_WIDE matrix rotation_of(const wide u[4])
{
    const wide square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
    const wide s =
        lmbi_wide_select((lmbi_wide_int)(square > 1e-20f), 2.0f / square, lmbi_wide_splat(0));
    const wide x = u[0] * s, y = u[1] * s, z = u[2] * s;
    const wide wx = u[3] * x, wy = u[3] * y, wz = u[3] * z;
    const wide xx = u[0] * x, xy = u[0] * y, xz = u[0] * z, yy = u[1] * y, yz = u[1] * z,
               zz = u[2] * z;
    return (matrix){{{1.0f - (yy + zz), xy - wz, xz + wy},
                     {xy + wz, 1.0f - (xx + zz), yz - wx},
                     {xz - wy, yz + wx, 1.0f - (xx + yy)}}};
}

static void rotate_blocks(const lmbi_mush_pass *pass, uint32_t block_begin, uint32_t block_end)
{
    const lmb_mush *mush = pass->mush;
    for (uint32_t b = block_begin; b < block_end; ++b) {
        const lmbi_mush_block *block = &mush->blocks[b];
        // Padding lanes repeat a vertex of the same step, which is read before any is written.
        for (uint32_t lane = 0; lane < block->count; lane += LMBI_LANES) {
            if (block->joint_count == 1) {
                store_rigid(pass, b, lane);
                continue;
            }
            const size_t at3 = (size_t)b * 3 * LMBI_MUSH_LANES + lane;
            const size_t at4 = (size_t)b * 4 * LMBI_MUSH_LANES + lane;
            const uint16_t *index = mush->index + (size_t)b * LMBI_MUSH_LANES + lane;
            const wide3 center = load3(mush->smoothed + at3);
            const motion m = blend(pass, b, lane, center);
            const matrix r = rotation_of(m.u);
            store_positions(pass, &r, center, m.position, index, at3);
            store_directions(pass, &r, index, at3, at4);
        }
    }
}

LMBI_ALSO_FUSED
const lmbi_mush_kernels LMBI_TABLE(lmbi_mush_turn) = {rotate_blocks};
