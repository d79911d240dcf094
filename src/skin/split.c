/// Splits a skinning palette into rigid transforms and stretches.
#include <math.h>

#include "limber/skin.h"
#include "linalg/linalg.h"

/// Tolerance of columns about unit length and right angles: products of rotations in single
/// precision are within it.
static const float RIGID_TOLERANCE = 1e-5f;

static lmb_vec3 column(const lmb_mat4 *a, int c)
{
    return lmb_vec3_make(a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]);
}

static bool is_rotation(lmb_vec3 x, lmb_vec3 y, lmb_vec3 z)
{
    const float departures[] = {
        lmb_vec3_dot(x, x) - 1, lmb_vec3_dot(y, y) - 1, lmb_vec3_dot(z, z) - 1,
        lmb_vec3_dot(x, y),     lmb_vec3_dot(y, z),     lmb_vec3_dot(z, x),
    };
    for (int i = 0; i < 6; ++i) {
        if (!(fabsf(departures[i]) <= RIGID_TOLERANCE)) {
            return false;
        }
    }
    return lmb_vec3_dot(x, lmb_vec3_cross(y, z)) > 0;
}

static double mirror_sign(const lmb_mat4 *a)
{
    return lmb_vec3_dot(column(a, 0), lmb_vec3_cross(column(a, 1), column(a, 2))) < 0 ? -1 : 1;
}

/// The linear part M = R P by polar decomposition, det R = +1. A reflection goes to P as the factor
/// -1, which commutes with every rotation; the nearest rotation alone would flip an arbitrary axis
/// of each joint.
static void polar(const lmb_mat4 *matrix, double sign, double r[3][3], double p[3][3])
{
    double m[3][3], unmirrored[3][3];
    for (int row = 0; row < 3; ++row) {
        for (int c = 0; c < 3; ++c) {
            m[row][c] = (double)matrix->m[4 * c + row];
            unmirrored[row][c] = sign * m[row][c];
        }
    }
    lmbi_polar3((const double(*)[3])unmirrored, r);
    for (int row = 0; row < 3; ++row) {
        for (int c = 0; c < 3; ++c) {
            p[row][c] = r[0][row] * m[0][c] + r[1][row] * m[1][c] + r[2][row] * m[2][c];
        }
    }
}

/// D = [R, T(o) - R s o] and S x = s o + P (x - o), so that D S = T; s = -1 for a reflection, else
/// 1. A skin that is mirrored as a whole thus deforms to its mirror image.
static void split_joint(const lmb_skin_split_job *job, uint32_t j)
{
    const lmb_mat4 *matrix = &job->model_from_bind[j];
    const lmb_vec3 o = job->origins != NULL ? job->origins[j] : lmb_vec3_make(0, 0, 0);
    const double at[3] = {(double)o.x, (double)o.y, (double)o.z};
    const double sign = mirror_sign(matrix);
    double r[3][3], p[3][3];
    polar(matrix, sign, r, p);
    lmb_mat4 rigid = lmb_mat4_identity(), stretch = rigid;
    for (int row = 0; row < 3; ++row) {
        double moved = (double)matrix->m[12 + row], kept = sign * at[row];
        for (int c = 0; c < 3; ++c) {
            rigid.m[4 * c + row] = (float)r[row][c];
            stretch.m[4 * c + row] = (float)p[row][c];
            moved += ((double)matrix->m[4 * c + row] - sign * r[row][c]) * at[c];
            kept -= p[row][c] * at[c];
        }
        rigid.m[12 + row] = (float)moved;
        stretch.m[12 + row] = (float)kept;
    }
    job->rigid[j] = rigid;
    job->stretch[j] = stretch;
}

bool lmb_skin_split(const lmb_skin_split_job *job)
{
    bool stretches = false;
    for (uint32_t j = 0; j < job->joint_count; ++j) {
        const lmb_mat4 *matrix = &job->model_from_bind[j];
        if (is_rotation(column(matrix, 0), column(matrix, 1), column(matrix, 2))) {
            job->rigid[j] = *matrix;
            job->stretch[j] = lmb_mat4_identity();
        } else {
            stretches = true;
            split_joint(job, j);
        }
        const lmb_mat4 *rigid = &job->rigid[j];
        job->rotations[j] = lmb_quat_normalize(
            lmb_quat_from_axes(column(rigid, 0), column(rigid, 1), column(rigid, 2)));
    }
    return stretches;
}

void lmb_skin_origins(const lmb_skin *skin, lmb_vec3 *origins)
{
    for (uint32_t j = 0; j < skin->joint_count; ++j) {
        lmb_mat4 bind_from_joint;
        lmb_mat4_inverse_affine(skin->joint_from_bind[j], &bind_from_joint);
        origins[j] = lmb_mat4_translation(bind_from_joint);
    }
}
