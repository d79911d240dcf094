/// Poses of all samples of a segment, and their difference in model space.
#include <math.h>
#include <string.h>

#include "anim/pack.h"
#include "anim/pack_kernels.h"

static float *local_row(const pack_pose_rows *rows, uint32_t joint, uint32_t field)
{
    return rows->local + ((size_t)joint * PACK_FIELDS + field) * PACK_STRIDE;
}

bool lmbi_pack_rows_create(const pack *p, lmbi_arena *arena, uint32_t count, pack_pose_rows *rows)
{
    const size_t joints = p->skeleton->joint_count;
    rows->count = (count + 15u) & ~15u; // rounded up to whole lanes
    rows->local = lmbi_arena_array(arena, joints, PACK_FIELDS * PACK_STRIDE * sizeof(float));
    rows->model = lmbi_arena_array(arena, joints, PACK_MODEL_ROWS * PACK_STRIDE * sizeof(float));
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

void lmbi_pack_rows_model(const pack *p, pack_pose_rows *rows, const lmb_vec3 *origin)
{
    const lmbi_pack_kernels *kernels = lmbi_pack_pick(LMB_SIMD_BEST);
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        kernels->model(rows, j, p->skeleton->parents[j], origin);
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

/// |d + D p| <= |d| + reach |D| for any p within reach. The difference of two rotations has two
/// equal singular values and one of 0, so the spectral norm |D| is the Frobenius norm over sqrt(2);
/// with scale it is at most the Frobenius norm.
float lmbi_pack_joint_error(const pack *p, const pack_pose_rows *decoded,
                            const pack_pose_rows *original, uint32_t joint)
{
    return lmbi_pack_pick(LMB_SIMD_BEST)
        ->error(decoded, original, joint, p->reach[joint], p->scales ? 1.0f : 0.5f);
}

float lmbi_pack_rows_error(const pack *p, const pack_pose_rows *decoded,
                           const pack_pose_rows *original, float *errors)
{
    float most = 0;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        errors[j] = lmbi_pack_joint_error(p, decoded, original, j);
        most = errors[j] > most ? errors[j] : most;
    }
    return most;
}
