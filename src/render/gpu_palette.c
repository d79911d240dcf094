// Palettes as the shaders read them: three rows a joint, or a dual quaternion, or that and a stretch.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "limber/linalg.h"
#include "render/gpu.h"

/// T = D S: a rigid motion after a stretch. Rows and columns as T has them.
typedef struct parts {
    lmb_mat4 rigid;
    lmb_mat4 stretch;
} parts;

static void put_rows(const lmb_mat4 *a, lmb_vec4 out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = (lmb_vec4){a->m[r], a->m[4 + r], a->m[8 + r], a->m[12 + r]};
    }
}

static lmb_vec3 column(const lmb_mat4 *a, int c)
{
    return lmb_vec3_make(a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]);
}

static void put_translation(lmb_mat4 *a, lmb_vec3 t)
{
    a->m[12] = t.x;
    a->m[13] = t.y;
    a->m[14] = t.z;
}

/// Whether the linear part turns and does nothing else, to the precision that a product of rotations keeps.
static bool is_rotation(const lmb_mat4 *a)
{
    const lmb_vec3 x = column(a, 0), y = column(a, 1), z = column(a, 2);
    const float off[] = {lmb_vec3_dot(x, x) - 1, lmb_vec3_dot(y, y) - 1, lmb_vec3_dot(z, z) - 1,
                         lmb_vec3_dot(x, y),     lmb_vec3_dot(y, z),     lmb_vec3_dot(z, x)};
    for (int i = 0; i < 6; ++i) {
        if (!(fabsf(off[i]) < 1e-5f)) {
            return false;
        }
    }
    return lmb_vec3_dot(lmb_vec3_cross(x, y), z) > 0;
}

/// Polar decomposition about the point that the stretch leaves in place, the joint's origin at bind. A mirrored matrix
/// keeps a rotation by giving the factor -1 to the stretch (Kavan et al. 2008).
static parts split(const lmb_mat4 *t, lmb_vec3 origin)
{
    parts p = {*t, lmb_mat4_identity()};
    if (is_rotation(t)) {
        return p;
    }
    const lmb_vec3 x = column(t, 0), y = column(t, 1), z = column(t, 2);
    const double sign = lmb_vec3_dot(lmb_vec3_cross(x, y), z) < 0 ? -1 : 1;
    double a[3][3], r[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[i][j] = sign * (double)t->m[4 * j + i];
        }
    }
    lmb_polar3((const double(*)[3])a, r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            p.rigid.m[4 * j + i] = (float)r[i][j];
            p.stretch.m[4 * j + i] =
                (float)(sign * (r[0][i] * a[0][j] + r[1][i] * a[1][j] + r[2][i] * a[2][j]));
        }
    }
    const lmb_vec3 moved = lmb_mat4_point(*t, origin);
    const lmb_vec3 turned = lmb_mat4_vector(p.rigid, origin);
    const lmb_vec3 stretched = lmb_mat4_vector(p.stretch, origin);
    put_translation(&p.rigid, lmb_vec3_sub(moved, turned));
    put_translation(&p.stretch, lmb_vec3_sub(origin, stretched));
    return p;
}

/// q of the rotation and e = 1/2 t q of the motion (Kavan et al. 2008).
static void put_dual(const lmb_mat4 *rigid, lmb_vec4 out[2])
{
    const lmb_quat q = lmb_quat_normalize(
        lmb_quat_from_axes(column(rigid, 0), column(rigid, 1), column(rigid, 2)));
    const lmb_vec3 t = lmb_mat4_translation(*rigid);
    const lmb_vec3 axis = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 e = lmb_vec3_scale(lmb_vec3_mad(lmb_vec3_cross(t, axis), t, q.w), 0.5f);
    out[0] = (lmb_vec4){q.x, q.y, q.z, q.w};
    out[1] = (lmb_vec4){e.x, e.y, e.z, -0.5f * lmb_vec3_dot(t, axis)};
}

static void put_joint(const lmb_gpu_palette_job *job, uint32_t j, lmb_vec4 *out)
{
    const lmb_mat4 *matrix = &job->model_from_bind[j];
    if (job->skin->method == LMB_GPU_LINEAR) {
        put_rows(matrix, out);
        return;
    }
    const lmb_vec3 origin = job->bind_origins != NULL ? job->bind_origins[j] : (lmb_vec3){0, 0, 0};
    const parts p = split(matrix, origin);
    put_dual(&p.rigid, out);
    if (job->skin->method == LMB_GPU_DUAL_SCALE) {
        put_rows(&p.stretch, out + 2);
    }
}

void lmb_gpu_palette(const lmb_gpu_palette_job *job)
{
    const lmb_gpu_skin *skin = job->skin;
    assert(lmb_gpu_check(skin, NULL) == LMB_OK);
    const size_t each = lmbi_gpu_joint_texels(skin);
    for (uint32_t j = 0; j < skin->joint_count; ++j) {
        put_joint(job, j, job->out + j * each);
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
