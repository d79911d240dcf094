// Forward kinematics of a segment and its error, one sample per lane.
#include "anim/pack_kernels.h"

#include "simd/wide.h"

static inline float *model_row(const pack_pose_rows *rows, uint32_t joint, uint32_t row)
{
    return rows->model + ((size_t)joint * PACK_MODEL_ROWS + row) * PACK_STRIDE;
}

LMBI_WIDE lmbi_wide local_at(const pack_pose_rows *rows, uint32_t joint, uint32_t field,
                             uint32_t from)
{
    return lmbi_wide_load(lmbi_pack_local_row(rows, joint, field) + from);
}

/// The 3x3 matrix of rotation and scale, by columns.
LMBI_WIDE void local_matrix(const pack_pose_rows *rows, uint32_t joint, uint32_t from,
                            lmbi_wide m[9])
{
    const lmbi_wide x = local_at(rows, joint, 3, from), y = local_at(rows, joint, 4, from),
                    z = local_at(rows, joint, 5, from), w = local_at(rows, joint, 6, from),
                    sx = local_at(rows, joint, 7, from), sy = local_at(rows, joint, 8, from),
                    sz = local_at(rows, joint, 9, from);
    const lmbi_wide x2 = x + x, y2 = y + y, z2 = z + z;
    const lmbi_wide xx = x * x2, yy = y * y2, zz = z * z2;
    const lmbi_wide xy = x * y2, xz = x * z2, yz = y * z2;
    const lmbi_wide wx = w * x2, wy = w * y2, wz = w * z2;
    m[0] = (1 - (yy + zz)) * sx;
    m[1] = (xy + wz) * sx;
    m[2] = (xz - wy) * sx;
    m[3] = (xy - wz) * sy;
    m[4] = (1 - (xx + zz)) * sy;
    m[5] = (yz + wx) * sy;
    m[6] = (xz + wy) * sz;
    m[7] = (yz - wx) * sz;
    m[8] = (1 - (xx + yy)) * sz;
}

LMBI_WIDE void set_root(const pack_pose_rows *rows, uint32_t joint, uint32_t from,
                        const lmbi_wide m[9], const lmb_vec3 *origin)
{
    const float shift[3] = {origin->x, origin->y, origin->z};
    for (uint32_t r = 0; r < 9; ++r) {
        lmbi_wide_store(model_row(rows, joint, r) + from, m[r]);
    }
    for (uint32_t r = 0; r < 3; ++r) {
        lmbi_wide_store(model_row(rows, joint, 9 + r) + from,
                        local_at(rows, joint, r, from) - shift[r]);
    }
}

/// model_from_joint = model_from_parent * parent_from_joint.
LMBI_WIDE void set_child(const pack_pose_rows *rows, uint32_t joint, uint32_t parent, uint32_t from,
                         const lmbi_wide m[9])
{
    const lmbi_wide tx = local_at(rows, joint, 0, from), ty = local_at(rows, joint, 1, from),
                    tz = local_at(rows, joint, 2, from);
    for (uint32_t r = 0; r < 3; ++r) {
        const lmbi_wide a = lmbi_wide_load(model_row(rows, parent, r) + from),
                        b = lmbi_wide_load(model_row(rows, parent, 3 + r) + from),
                        c = lmbi_wide_load(model_row(rows, parent, 6 + r) + from),
                        o = lmbi_wide_load(model_row(rows, parent, 9 + r) + from);
        for (uint32_t column = 0; column < 3; ++column) {
            lmbi_wide_store(model_row(rows, joint, 3 * column + r) + from,
                            a * m[3 * column] + b * m[3 * column + 1] + c * m[3 * column + 2]);
        }
        lmbi_wide_store(model_row(rows, joint, 9 + r) + from, a * tx + b * ty + c * tz + o);
    }
}

static void compute_model_rows(const pack_pose_rows *rows, uint32_t joint, int32_t parent,
                               const lmb_vec3 *origin)
{
    for (uint32_t from = 0; from < rows->count; from += LMBI_LANES) {
        lmbi_wide m[9];
        local_matrix(rows, joint, from, m);
        if (parent == LMB_NONE) {
            set_root(rows, joint, from, m, origin);
        } else {
            set_child(rows, joint, (uint32_t)parent, from, m);
        }
    }
}

static float largest_joint_error(const pack_pose_rows *decoded, const pack_pose_rows *original,
                                 uint32_t joint, float reach, float fraction)
{
    lmbi_wide most = lmbi_wide_splat(0);
    for (uint32_t from = 0; from < decoded->count; from += LMBI_LANES) {
        lmbi_wide rotation2 = lmbi_wide_splat(0), translation2 = lmbi_wide_splat(0);
        for (uint32_t r = 0; r < PACK_MODEL_ROWS; ++r) {
            const lmbi_wide d = lmbi_wide_load(model_row(decoded, joint, r) + from) -
                                lmbi_wide_load(model_row(original, joint, r) + from);
            *(r < 9 ? &rotation2 : &translation2) += d * d;
        }
        most = lmbi_wide_max(
            lmbi_wide_sqrt(translation2) + reach * lmbi_wide_sqrt(rotation2 * fraction), most);
    }
    float largest = 0;
    for (int lane = 0; lane < LMBI_LANES; ++lane) {
        largest = most[lane] > largest ? most[lane] : largest;
    }
    return largest;
}

const lmbi_pack_kernels LMBI_TABLE(lmbi_pack) = {compute_model_rows, largest_joint_error};
