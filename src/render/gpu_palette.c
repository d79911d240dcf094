// Palettes for the shaders: per joint three matrix rows, or a dual quaternion, or a dual quaternion
// and the rows of its stretch.
#include <assert.h>

#include "limber/skin.h"
#include "render/gpu.h"

static void write_rows(const lmb_mat4 *a, lmb_vec4 out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = (lmb_vec4){a->m[r], a->m[4 + r], a->m[8 + r], a->m[12 + r]};
    }
}

/// Rotation q and dual part e = 1/2 t q of a rigid transform (Kavan et al. 2008).
static void write_dual(lmb_quat q, lmb_vec3 t, lmb_vec4 out[2])
{
    const lmb_vec3 axis = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 e = lmb_vec3_scale(lmb_vec3_mad(lmb_vec3_cross(t, axis), t, q.w), 0.5f);
    out[0] = (lmb_vec4){q.x, q.y, q.z, q.w};
    out[1] = (lmb_vec4){e.x, e.y, e.z, -0.5f * lmb_vec3_dot(t, axis)};
}

/// The common scale of all joints goes into the stretch; the rigid transform is that of the palette
/// without it.
static void write_joint(const lmb_gpu_palette_job *job, uint32_t j, float scale, lmb_vec4 *out)
{
    if (job->skin->method == LMB_GPU_LINEAR) {
        write_rows(&job->model_from_bind[j], out);
        return;
    }
    lmb_mat4 palette = job->model_from_bind[j], rigid, stretch;
    lmb_quat rotation;
    if (scale != 1) {
        lmb_skin_unscale(scale, &palette, 1);
    }
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 1,
                                         .model_from_bind = &palette,
                                         .origins = job->origins != NULL ? &job->origins[j] : NULL,
                                         .rigid = &rigid,
                                         .rotations = &rotation,
                                         .stretch = &stretch});
    // scale D S = D' scale S, where D' has the translation of D times scale.
    write_dual(rotation, lmb_vec3_scale(lmb_mat4_translation(rigid), scale), out);
    if (job->skin->method == LMB_GPU_DUAL_SCALE) {
        if (scale != 1) {
            lmb_skin_unscale(1 / scale, &stretch, 1);
        }
        write_rows(&stretch, out + 2);
    }
}

void lmb_gpu_palette(const lmb_gpu_palette_job *job)
{
    const lmb_gpu_skin *skin = job->skin;
    assert(lmb_gpu_check(skin, NULL) == LMB_OK);
    const size_t each = lmbi_gpu_joint_texels(skin);
    const float scale = skin->method == LMB_GPU_DUAL_SCALE
                            ? lmb_skin_scale(job->model_from_bind, skin->joint_count)
                            : 1;
    for (uint32_t j = 0; j < skin->joint_count; ++j) {
        write_joint(job, j, scale, job->out + j * each);
    }
    lmb_vec4 *weights = job->out + skin->joint_count * each;
    for (uint32_t t = 0; skin->morphs && t < skin->target_count; t += 4) {
        float four[4] = {0};
        for (uint32_t k = 0; job->morph_weights != NULL && k < 4 && t + k < skin->target_count;
             ++k) {
            four[k] = job->morph_weights[t + k];
        }
        *weights++ = (lmb_vec4){four[0], four[1], four[2], four[3]};
    }
}
