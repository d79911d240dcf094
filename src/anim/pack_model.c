/// Poses of all samples of a segment, and their difference in model space.
#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "anim/pack.h"
#include "anim/pack_kernels.h"
#include "base/alloc.h"

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
            lmbi_pack_local_row(rows, j, f)[sample] = fields[f];
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
    float *x = lmbi_pack_local_row(rows, joint, 3), *y = lmbi_pack_local_row(rows, joint, 4),
          *z = lmbi_pack_local_row(rows, joint, 5), *w = lmbi_pack_local_row(rows, joint, 6);
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

// --------------------------------------------------------------------------- samples of the source
// The source clip at the half samples of the packer, and measures of rotations and steps.

static double half_sample_time(const pack *p, uint32_t half)
{
    if (p->times == NULL) {
        return (double)half / (2 * p->rate_hz);
    }
    const double at = (double)p->times[half / 2];
    return (half & 1u) == 0 ? at : at + ((double)p->times[half / 2 + 1] - at) * 0.5;
}

void lmbi_pack_sample_source(const pack *p, uint32_t half, uint32_t *cursors, lmb_transform *pose,
                             float *weights)
{
    lmb_sample(&(lmb_sample_job){.clip = p->clip,
                                 .time_s = fmin(half_sample_time(p, half), p->duration_s),
                                 .joint_count = p->skeleton->joint_count,
                                 .rest = p->skeleton->rest,
                                 .pose = pose,
                                 .weight_first = weights != NULL ? p->weight_first : NULL,
                                 .weights = weights,
                                 .cursors = cursors});
    // The decoder returns unit rotations, so compare with normalised ones.
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        pose[j].rotation = lmbi_quat_unit(pose[j].rotation, lmb_quat_identity());
    }
}

bool lmbi_pack_is_stepped(const lmb_channel *channel)
{
    const uint32_t last = channel->key_count - 1;
    const float step_gap =
        last > 0 ? 0.01f * (channel->ticks[last] - channel->ticks[0]) / (float)last : 0.0f;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        if (!(channel->ticks[k] - channel->ticks[k - 1] > step_gap)) {
            return true;
        }
    }
    return channel->interpolation == LMB_STEP && channel->key_count > 1;
}

float lmbi_pack_rotation_distance(lmb_quat a, lmb_quat b)
{
    const float sign = lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f;
    const float x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z,
                w = a.w - sign * b.w;
    return 2 * sqrtf(x * x + y * y + z * z + w * w);
}
