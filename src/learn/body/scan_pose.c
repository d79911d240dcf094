/// A body in a pose: rigid joints, linear blending, correctives (SMPL, Loper et al. 2015, equations 2 to 10).
#include "learn/body/scan_body.h"

#include <math.h>
#include <string.h>

#include "learn/body/matrix.h"
#include "linalg/linalg.h"

bool lmbi_scan_pose_init(const lmbi_scan_body *body, lmbi_arena *arena, lmbi_scan_pose *pose)
{
    *pose = (lmbi_scan_pose){
        .rotations = lmbi_arena_array(arena, body->joint_count, 9 * sizeof(double)),
        .global = lmbi_arena_array(arena, body->joint_count, 9 * sizeof(double)),
        .origins = lmbi_arena_array(arena, body->joint_count, 3 * sizeof(double)),
        .features = lmbi_arena_array(arena, body->feature_count, sizeof(double))};
    if (!pose->rotations || !pose->global || !pose->origins || !pose->features) {
        return false;
    }
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        for (int k = 0; k < 9; k += 4) {
            pose->rotations[9 * j + (uint32_t)k] = 1;
        }
    }
    return true;
}

/// The vector part and the scalar of the unit quaternion of a rotation, the scalar not negative (Shepperd 1978).
static void quaternion_of(const double *r, double out[4])
{
    const double square[4] = {1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                              1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8]};
    const double row[4][4] = {{square[0], r[1] + r[3], r[2] + r[6], r[7] - r[5]},
                              {r[1] + r[3], square[1], r[5] + r[7], r[2] - r[6]},
                              {r[2] + r[6], r[5] + r[7], square[2], r[3] - r[1]},
                              {r[7] - r[5], r[2] - r[6], r[3] - r[1], square[3]}};
    int best = 3;
    for (int k = 0; k < 3; ++k) {
        best = square[k] > square[best] ? k : best;
    }
    const double sign = row[best][3] < 0 ? -0.5 : 0.5;
    for (int k = 0; k < 4; ++k) {
        out[k] = sign * row[best][k] / sqrt(square[best]);
    }
}

static void fill_features(const lmbi_scan_body *body, lmbi_scan_pose *pose)
{
    for (uint32_t j = 1; body->features != LMB_FEATURES_NONE && j < body->joint_count; ++j) {
        const double *r = pose->rotations + 9 * (size_t)j;
        if (body->features == LMB_FEATURES_MATRIX) {
            double *out = pose->features + 9 * (size_t)(j - 1);
            for (int k = 0; k < 9; ++k) {
                out[k] = r[k] - (k % 4 == 0);
            }
        } else {
            double *out = pose->features + 4 * (size_t)(j - 1);
            quaternion_of(r, out);
            out[3] -= 1;
        }
    }
}

void lmbi_scan_pose_update(const lmbi_scan_body *body, const double *joints, lmbi_scan_pose *pose)
{
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        const int32_t parent = body->parents[j];
        double *global = pose->global + 9 * (size_t)j, *origin = pose->origins + 3 * (size_t)j;
        const double *local = pose->rotations + 9 * (size_t)j, *at = joints + 3 * (size_t)j;
        if (parent == LMB_NONE) {
            memcpy(global, local, 9 * sizeof *global);
            for (int k = 0; k < 3; ++k) {
                origin[k] = at[k] + pose->translation[k];
            }
            continue;
        }
        const double *above = pose->global + 9 * (size_t)parent;
        const double *from = joints + 3 * (size_t)parent;
        const double bone[3] = {at[0] - from[0], at[1] - from[1], at[2] - from[2]};
        lmbi_m3_mul(above, local, global);
        lmbi_m3_point(above, bone, origin);
        for (int k = 0; k < 3; ++k) {
            origin[k] += pose->origins[3 * (size_t)parent + (size_t)k];
        }
    }
    fill_features(body, pose);
}

lmbi_scan_blend lmbi_scan_vertex_blend(const lmbi_scan_body *body, const double *joints,
                                       const lmbi_scan_pose *pose, uint32_t vertex)
{
    lmbi_scan_blend out = {{0}, {0}};
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        const size_t j = body->row_joints[k];
        const double w = body->row_weights[k], *g = pose->global + 9 * j;
        double moved[3];
        lmbi_m3_point(g, joints + 3 * j, moved);
        for (int c = 0; c < 9; ++c) {
            out.blend[c] += w * g[c];
        }
        for (size_t c = 0; c < 3; ++c) {
            out.offset[c] += w * (pose->origins[3 * j + c] - moved[c]);
        }
    }
    return out;
}

void lmbi_scan_vertex_rest(const lmbi_scan_body *body, const double *rest,
                           const lmbi_scan_pose *pose, uint32_t vertex, double out[3])
{
    memcpy(out, rest + 3 * (size_t)vertex, 3 * sizeof *out);
    for (size_t c = 0; body->correctives != NULL && c < 3; ++c) {
        const double *row = body->correctives + (3 * (size_t)vertex + c) * body->feature_count;
        double sum = 0;
        for (uint32_t f = 0; f < body->feature_count; ++f) {
            sum += row[f] * pose->features[f];
        }
        out[c] += sum;
    }
}

double lmbi_scan_error(const lmbi_scan_body *body, const lmbi_scan_shape *shape,
                       const lmbi_scan_pose *pose, const lmbi_scan_target *target, double *worst)
{
    double sum = 0, count = 0;
    *worst = 0;
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        const double w = target->weights ? target->weights[v] : 1;
        if (!(w > 0)) {
            continue;
        }
        const lmbi_scan_blend b = lmbi_scan_vertex_blend(body, shape->joints, pose, v);
        const double goal[3] = {(double)target->positions[v].x, (double)target->positions[v].y,
                                (double)target->positions[v].z};
        double at[3], moved[3], off[3];
        lmbi_scan_vertex_rest(body, shape->rest, pose, v, at);
        lmbi_m3_point(b.blend, at, moved);
        for (int c = 0; c < 3; ++c) {
            off[c] = goal[c] - moved[c] - b.offset[c];
        }
        const double square = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
        *worst = fmax(*worst, square);
        sum += w * square;
        count += w;
    }
    return count > 0 ? sum / count : 0;
}

void lmbi_scan_regress_joints(const lmb_body_model *model, uint32_t joint_count,
                              const double *vertices, double *joints)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        double sum[3] = {0, 0, 0};
        for (uint32_t k = model->regressor_first[j]; k < model->regressor_first[j + 1]; ++k) {
            const double *at = vertices + 3 * (size_t)model->regressor_vertices[k];
            for (int c = 0; c < 3; ++c) {
                sum[c] += (double)model->regressor_weights[k] * at[c];
            }
        }
        memcpy(joints + 3 * (size_t)j, sum, sizeof sum);
    }
}

// ---- a start from any pose

/// Sums over the skin of a joint: points at rest, points of the target, and their products.
typedef struct skin_sums {
    double weight, rest[3], goal[3], cross[3][3], square[3][3];
} skin_sums;

static skin_sums sum_skin(const lmbi_scan_body *body, const lmbi_scan_shape *shape,
                          const lmbi_scan_target *target, uint32_t joint)
{
    skin_sums s = {0};
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        double w = 0;
        for (uint32_t k = body->row_first[v]; k < body->row_first[v + 1]; ++k) {
            w += body->row_joints[k] == joint ? body->row_weights[k] : 0;
        }
        if (!(w > 0)) {
            continue;
        }
        w *= target->weights ? w * target->weights[v]
                             : w; // skin that follows other joints too says less
        const double *rest = shape->rest + 3 * (size_t)v;
        const double goal[3] = {(double)target->positions[v].x, (double)target->positions[v].y,
                                (double)target->positions[v].z};
        s.weight += w;
        for (int r = 0; r < 3; ++r) {
            s.rest[r] += w * rest[r];
            s.goal[r] += w * goal[r];
            for (int c = 0; c < 3; ++c) {
                s.cross[r][c] += w * goal[r] * rest[c];
                s.square[r][c] += w * rest[r] * rest[c];
            }
        }
    }
    return s;
}

/// Skin whose second extent is smaller than this fraction of its first says nothing of the rotation about the first.
static const double LEAST_EXTENT = 1e-3;

/// The rotation of the skin about its centroid. False where it has too little extent.
static bool rotation_of(const skin_sums *s, double out[9])
{
    double cross[3][3], square[3][3], values[3], vectors[3][3], rotation[3][3];
    if (!(s->weight > 0)) {
        return false;
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            cross[r][c] = s->cross[r][c] - s->goal[r] * s->rest[c] / s->weight;
            square[r][c] = s->square[r][c] - s->rest[r] * s->rest[c] / s->weight;
        }
    }
    lmbi_eigen3((const double(*)[3])square, values, vectors);
    if (!(values[1] > LEAST_EXTENT * values[0]) || !(values[0] > 0)) {
        return false;
    }
    lmbi_polar3((const double(*)[3])cross, rotation);
    memcpy(out, rotation, sizeof rotation);
    return true;
}

void lmbi_scan_pose_start(const lmbi_scan_body *body, const lmbi_scan_shape *shape,
                          const lmbi_scan_target *target, lmbi_scan_pose *pose)
{
    double off[3] = {0, 0, 0}, total = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        const skin_sums s = sum_skin(body, shape, target, j);
        const int32_t parent = body->parents[j];
        double *global = pose->global + 9 * (size_t)j, *local = pose->rotations + 9 * (size_t)j;
        if (rotation_of(&s, global)) {
            if (parent == LMB_NONE) {
                memcpy(local, global, 9 * sizeof *local);
            } else {
                lmbi_m3_transpose_mul(pose->global + 9 * (size_t)parent, global, local);
            }
        } else if (parent != LMB_NONE) {
            memcpy(global, pose->global + 9 * (size_t)parent, 9 * sizeof *global);
        }
    }
    // The translation follows from where the skin of the joints comes to lie without one.
    memset(pose->translation, 0, sizeof pose->translation);
    lmbi_scan_pose_update(body, shape->joints, pose);
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        const lmbi_scan_blend b = lmbi_scan_vertex_blend(body, shape->joints, pose, v);
        double moved[3];
        lmbi_m3_point(b.blend, shape->rest + 3 * (size_t)v, moved);
        const float *at = &target->positions[v].x;
        const double w = target->weights ? target->weights[v] : 1;
        for (int c = 0; c < 3; ++c) {
            off[c] += w * ((double)at[c] - moved[c] - b.offset[c]);
        }
        total += w;
    }
    for (int c = 0; c < 3; ++c) {
        pose->translation[c] = total > 0 ? off[c] / total : 0;
    }
    lmbi_scan_pose_update(body, shape->joints, pose);
}
