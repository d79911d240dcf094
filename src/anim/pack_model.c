/// Poses of all samples of a segment at once, and how far two of them are apart in model space.
#include <math.h>
#include <string.h>

#include "anim/pack.h"

enum { MODEL_ROWS = 12 };

static float *local_row(const pack_pose_rows *rows, uint32_t joint, uint32_t field)
{
    return rows->local + ((size_t)joint * PACK_FIELDS + field) * PACK_STRIDE;
}

static float *model_row(const pack_pose_rows *rows, uint32_t joint, uint32_t row)
{
    return rows->model + ((size_t)joint * MODEL_ROWS + row) * PACK_STRIDE;
}

bool lmbi_pack_rows_create(const pack *p, lmbi_arena *arena, uint32_t count, pack_pose_rows *rows)
{
    const size_t joints = p->skeleton->joint_count;
    rows->count = (count + 7u) & ~7u; // whole groups of eight: rows past the last sample repeat it
    rows->local = lmbi_arena_array(arena, joints, PACK_FIELDS * PACK_STRIDE * sizeof(float));
    rows->model = lmbi_arena_array(arena, joints, MODEL_ROWS * PACK_STRIDE * sizeof(float));
    return rows->local != NULL && rows->model != NULL;
}

void lmbi_pack_rows_set(pack_pose_rows *rows, uint32_t joint_count, uint32_t sample,
                        const lmb_transform *pose)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        float fields[PACK_FIELDS];
        memcpy(fields, &pose[j], sizeof(fields));
        for (uint32_t f = 0; f < PACK_FIELDS; ++f) {
            local_row(rows, j, f)[sample] = fields[f];
        }
    }
}

/// The matrix of a rotation and a scale, three columns.
static void local_matrix(const pack_pose_rows *rows, uint32_t joint, uint32_t from, float m[9][8])
{
    const float *x = local_row(rows, joint, 3) + from, *y = local_row(rows, joint, 4) + from,
                *z = local_row(rows, joint, 5) + from, *w = local_row(rows, joint, 6) + from,
                *sx = local_row(rows, joint, 7) + from, *sy = local_row(rows, joint, 8) + from,
                *sz = local_row(rows, joint, 9) + from;
    for (uint32_t i = 0; i < 8; ++i) {
        const float x2 = x[i] + x[i], y2 = y[i] + y[i], z2 = z[i] + z[i];
        const float xx = x[i] * x2, yy = y[i] * y2, zz = z[i] * z2;
        const float xy = x[i] * y2, xz = x[i] * z2, yz = y[i] * z2;
        const float wx = w[i] * x2, wy = w[i] * y2, wz = w[i] * z2;
        m[0][i] = (1 - (yy + zz)) * sx[i];
        m[1][i] = (xy + wz) * sx[i];
        m[2][i] = (xz - wy) * sx[i];
        m[3][i] = (xy - wz) * sy[i];
        m[4][i] = (1 - (xx + zz)) * sy[i];
        m[5][i] = (yz + wx) * sy[i];
        m[6][i] = (xz + wy) * sz[i];
        m[7][i] = (yz - wx) * sz[i];
        m[8][i] = (1 - (xx + yy)) * sz[i];
    }
}

static void set_root(pack_pose_rows *rows, uint32_t joint, uint32_t from, float m[9][8],
                     const lmb_vec3 *origin)
{
    const float shift[3] = {origin->x, origin->y, origin->z};
    for (uint32_t r = 0; r < 9; ++r) {
        memcpy(model_row(rows, joint, r) + from, m[r], sizeof(m[r]));
    }
    for (uint32_t r = 0; r < 3; ++r) {
        const float *t = local_row(rows, joint, r) + from;
        float *to = model_row(rows, joint, 9 + r) + from;
        for (uint32_t i = 0; i < 8; ++i) {
            to[i] = t[i] - shift[r];
        }
    }
}

/// model_from_joint = model_from_parent * parent_from_joint.
static void set_child(pack_pose_rows *rows, uint32_t joint, uint32_t parent, uint32_t from,
                      float m[9][8])
{
    const float *tx = local_row(rows, joint, 0) + from, *ty = local_row(rows, joint, 1) + from,
                *tz = local_row(rows, joint, 2) + from;
    for (uint32_t r = 0; r < 3; ++r) {
        const float *a = model_row(rows, parent, r) + from,
                    *b = model_row(rows, parent, 3 + r) + from,
                    *c = model_row(rows, parent, 6 + r) + from,
                    *o = model_row(rows, parent, 9 + r) + from;
        for (uint32_t column = 0; column < 3; ++column) {
            float *to = model_row(rows, joint, 3 * column + r) + from;
            for (uint32_t i = 0; i < 8; ++i) {
                to[i] = a[i] * m[3 * column][i] + b[i] * m[3 * column + 1][i] +
                        c[i] * m[3 * column + 2][i];
            }
        }
        float *to = model_row(rows, joint, 9 + r) + from;
        for (uint32_t i = 0; i < 8; ++i) {
            to[i] = a[i] * tx[i] + b[i] * ty[i] + c[i] * tz[i] + o[i];
        }
    }
}

void lmbi_pack_rows_model(const pack *p, pack_pose_rows *rows, const lmb_vec3 *origin)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const int32_t parent = p->skeleton->parents[j];
        for (uint32_t from = 0; from < rows->count; from += 8) {
            float m[9][8];
            local_matrix(rows, j, from, m);
            if (parent == LMB_NONE) {
                set_root(rows, j, from, m, origin);
            } else {
                set_child(rows, j, (uint32_t)parent, from, m);
            }
        }
    }
}

void lmbi_pack_rows_rotation(pack_pose_rows *rows, uint32_t joint, const float *const parameters[3])
{
    const float *px = parameters[0], *py = parameters[1], *pz = parameters[2];
    float *x = local_row(rows, joint, 3), *y = local_row(rows, joint, 4),
          *z = local_row(rows, joint, 5), *w = local_row(rows, joint, 6);
    for (uint32_t i = 0; i < rows->count; ++i) {
        const float s = px[i] * px[i] + py[i] * py[i] + pz[i] * pz[i], inverse = 1 / (1 + s);
        x[i] = (px[i] + px[i]) * inverse;
        y[i] = (py[i] + py[i]) * inverse;
        z[i] = (pz[i] + pz[i]) * inverse;
        w[i] = (1 - s) * inverse;
    }
}

/// |d + D p| for the worst p in reach is at most |d| + reach |D|. The difference of two rotations
/// stretches two directions equally and the third not at all, so that |D| is the Frobenius norm
/// over sqrt(2); with scale it is at most the norm itself.
static float joint_error(const pack *p, const pack_pose_rows *is, const pack_pose_rows *should,
                         uint32_t joint)
{
    const float share = p->scales ? 1.0f : 0.5f, reach = p->reach[joint];
    float most = 0;
    for (uint32_t from = 0; from < is->count; from += 8) {
        float turn[8] = {0}, move[8] = {0};
        for (uint32_t r = 0; r < MODEL_ROWS; ++r) {
            const float *a = model_row(is, joint, r) + from,
                        *b = model_row(should, joint, r) + from;
            float *sum = r < 9 ? turn : move;
            for (uint32_t i = 0; i < 8; ++i) {
                const float d = a[i] - b[i];
                sum[i] += d * d;
            }
        }
        for (uint32_t i = 0; i < 8; ++i) {
            const float error = sqrtf(move[i]) + reach * sqrtf(turn[i] * share);
            most = error > most ? error : most;
        }
    }
    return most;
}

float lmbi_pack_rows_error(const pack *p, const pack_pose_rows *is, const pack_pose_rows *should,
                           float *errors)
{
    float most = 0;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        errors[j] = joint_error(p, is, should, j);
        most = errors[j] > most ? errors[j] : most;
    }
    return most;
}
