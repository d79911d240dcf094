#include <math.h>
#include <string.h>

#include "limber/asset.h"

static bool is_zero(const lmb_mat4 *a)
{
    for (int i = 0; i < 16; ++i) {
        if (a->m[i] < 0 || a->m[i] > 0) {
            return false;
        }
    }
    return true;
}

#if defined(LMBI_FORCE_SCALAR)
static inline void multiply(const lmb_mat4 *parent, const lmb_transform *local, lmb_mat4 *out)
{
    *out = lmb_mat4_mul(*parent, lmb_mat4_from_transform(*local));
}
#else
typedef float quad __attribute__((vector_size(16)));
#define PICK(v, a, b, c) __builtin_shufflevector(v, v, a, b, c, 3)
#define EACH(v, lane) __builtin_shufflevector(v, v, lane, lane, lane, lane)

static inline quad load(const float *from)
{
    quad v;
    memcpy(&v, from, sizeof(v));
    return v;
}

/// The product of lmb_mat4_mul and lmb_mat4_from_transform, sum for sum, four rows at a time.
static inline void multiply(const lmb_mat4 *parent, const lmb_transform *local, lmb_mat4 *out)
{
    // A transform is ten floats: translation, rotation, scale.
    const quad t = load(&local->translation.x), q = load(&local->rotation.x), q2 = q + q;
    const quad ws = load(&local->rotation.w), s = PICK(ws, 1, 2, 3);
    const quad one = {1, 1, 1, 1};
    // yy + zz, xx + zz, xx + yy; then xy, yz, xz and wz, wx, wy.
    const quad square = PICK(q, 1, 0, 0) * PICK(q2, 1, 0, 0) + PICK(q, 2, 2, 1) * PICK(q2, 2, 2, 1);
    const quad cross = PICK(q, 0, 1, 0) * PICK(q2, 1, 2, 2), turn = EACH(q, 3) * PICK(q2, 2, 0, 1);
    const quad diagonal = (one - square) * s, plus = (cross + turn) * s;
    const quad minus = (cross - turn) * PICK(s, 1, 2, 0);
    const quad a = load(parent->m), b = load(parent->m + 4), c = load(parent->m + 8),
               d = load(parent->m + 12);
    const quad nothing = d * 0.0f; // as lmb_mat4_mul adds it: the sign of a zero is the same
    const quad columns[4] = {
        a * EACH(diagonal, 0) + b * EACH(plus, 0) + c * EACH(minus, 2) + nothing,
        a * EACH(minus, 0) + b * EACH(diagonal, 1) + c * EACH(plus, 1) + nothing,
        a * EACH(plus, 2) + b * EACH(minus, 1) + c * EACH(diagonal, 2) + nothing,
        a * EACH(t, 0) + b * EACH(t, 1) + c * EACH(t, 2) + d,
    };
    memcpy(out->m, columns, sizeof(columns));
}
#endif

void lmb_pose_to_model(const lmb_pose_to_model_job *job)
{
    const lmb_skeleton *skeleton = job->skeleton;
    const lmb_transform *local = job->local ? job->local : skeleton->rest;
    const bool has_root = !is_zero(&job->root);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        if (parent != LMB_NONE) {
            multiply(&job->model_from_joint[parent], &local[j], &job->model_from_joint[j]);
        } else if (has_root) {
            multiply(&job->root, &local[j], &job->model_from_joint[j]);
        } else {
            job->model_from_joint[j] = lmb_mat4_from_transform(local[j]);
        }
    }
}

void lmb_pose_limit(const lmb_skeleton *skeleton, lmb_transform *local)
{
    for (uint32_t j = 0; skeleton->limits && j < skeleton->joint_count; ++j) {
        local[j] = lmb_joint_limit_apply(&skeleton->limits[j], skeleton->rest[j], local[j]);
    }
}
