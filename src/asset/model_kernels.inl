// Many poses to model space. A lane is a character, so lanes are independent and a joint's product
// overlaps with those of the other lanes. Sums are in lmb_mat4_mul's order, for the same bits.
#include "asset/model_kernels.h"

#include "simd/wide.h"

#if LMBI_LANES > 1

#include "asset/model_lanes.h"

LMBI_WIDE void load_matrices(const lmb_mat4 *from, size_t stride, lanes_mat *out)
{
    const lmbi_lane_rows rows = {(const uint8_t *)from, stride * sizeof(*from)};
    for (size_t column = 0; column < 4; ++column) {
        lmbi_wide v[4];
        load_four(&rows, 4 * column, v);
        out->m[3 * column] = v[0];
        out->m[3 * column + 1] = v[1];
        out->m[3 * column + 2] = v[2];
    }
}

/// b = a * b, both affine.
LMBI_WIDE void multiply_lanes(const lanes_mat *a, lanes_mat *b)
{
    for (int column = 0; column < 4; ++column) {
        lmbi_wide *e = b->m + 3 * column, sums[3];
        for (int row = 0; row < 3; ++row) {
            const lmbi_wide d = a->m[9 + row];
            sums[row] = a->m[row] * e[0] + a->m[3 + row] * e[1] + a->m[6 + row] * e[2] +
                        (column < 3 ? d * 0.0f : d);
        }
        e[0] = sums[0];
        e[1] = sums[1];
        e[2] = sums[2];
    }
}

LMBI_WIDE void store_palette(const lanes_mat *model_from_joint, const lmb_mat4 *joint_from_bind,
                             size_t stride, lmb_mat4 *to)
{
    lanes_mat m;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 3; ++row) {
            m.m[3 * column + row] = lmbi_wide_splat(joint_from_bind->m[4 * column + row]);
        }
    }
    multiply_lanes(model_from_joint, &m);
    store_matrices(&m, stride, to);
}

static void many(const lmb_pose_to_model_job *job)
{
    const uint32_t count = job->skeleton->joint_count;
    const lmb_mat4 *roots = job->roots;
    lanes_mat before = {0}; // the previous joint's, which usually is the parent
    for (uint32_t j = 0; j < count; ++j) {
        const int32_t parent = job->skeleton->parents[j];
        lanes_mat m;
        load_transforms(job->local + j, count, &m);
        if (parent != LMB_NONE && (uint32_t)parent + 1 != j) {
            load_matrices(job->model_from_joint + parent, count, &before);
        } else if (parent == LMB_NONE && roots != NULL) {
            load_matrices(roots, 1, &before);
        }
        if (parent != LMB_NONE || roots != NULL) {
            multiply_lanes(&before, &m);
        }
        store_matrices(&m, count, job->model_from_joint + j);
        if (job->model_from_bind != NULL) {
            store_palette(&m, &job->joint_from_bind[j], count, job->model_from_bind + j);
        }
        before = m;
    }
}

#else

#define many NULL

#endif

const lmbi_model_kernels LMBI_TABLE(lmbi_model) = {LMBI_LANES, many};
