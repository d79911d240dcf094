// JOINTS_n and WEIGHTS_n to sparse rows: no joint twice, no zero, descending weights that sum to 1.
#include <math.h>

#include "io/common.h"
#include "io/gltf/mesh.h"

enum { ROW_MAX = 4 * LMBI_GLTF_JOINT_SETS };

/// Adds to the row, or to the joint's weight where it has an entry. Skips weights of 0 and below.
static uint32_t add_to_row(lmb_influence *row, uint32_t count, uint32_t joint, float weight)
{
    if (!(weight > 0)) {
        return count;
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (row[k].joint == joint) {
            row[k].weight += weight;
            return count;
        }
    }
    row[count].joint = joint;
    row[count].weight = weight;
    return count + 1;
}

/// Leaves sums within rounding of 1 as they are, so that written weights read back to the bit.
/// False when the sum was off by more than 0.02, which quantisation does not explain.
static bool normalize_row(lmb_influence *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += (double)row[k].weight;
    }
    if (fabs(sum - 1.0) <= 2e-7 * count) {
        return true;
    }
    for (uint32_t k = 0; k < count; ++k) {
        row[k].weight = (float)((double)row[k].weight / sum);
    }
    return count == 0 || fabs(sum - 1.0) <= 0.02;
}

/// Joints and weights of all sets, vertex by vertex.
static bool decode_sets(lmbi_gltf *g, const lmbi_gltf_vertices *v, uint32_t **joints,
                        float **weights)
{
    const size_t width = 4 * (size_t)v->joint_sets;
    if (!lmbi_gltf_spend(g, v->attributes, (size_t)v->count * width, 2 * sizeof(float))) {
        return false;
    }
    *joints = lmbi_gltf_array(g, v->count, width * sizeof **joints);
    *weights = lmbi_gltf_array(g, v->count, width * sizeof **weights);
    bool fine = *joints && *weights;
    for (uint32_t k = 0; fine && k < v->joint_sets; ++k) {
        fine = lmbi_gltf_decode_u32(g, v->joints[k], *joints + 4 * k, width) &&
               lmbi_gltf_decode_weights(g, v->weights[k], *weights + 4 * k, width);
    }
    return fine;
}

/// Fast path for the usual row: one set, descending weights of sum 1, no joint twice. It is copied
/// unchanged; false for any other row.
static bool read_clean_row(const uint32_t *joints, const float *weights, lmb_influence *row,
                           uint32_t *count)
{
    uint32_t n = 0;
    double sum = 0;
    for (; n < 4 && weights[n] > 0; ++n) {
        row[n] = (lmb_influence){joints[n], weights[n]};
        sum += (double)weights[n];
    }
    bool clean = n > 0 && fabs(sum - 1.0) <= 2e-7 * n;
    for (uint32_t k = n; k < 4; ++k) {
        clean = clean && !(weights[k] > 0);
    }
    for (uint32_t k = 1; k < n; ++k) {
        clean = clean && lmbi_influence_is_before(row[k - 1], row[k]);
        for (uint32_t i = 0; i < k; ++i) {
            clean = clean && row[i].joint != row[k].joint;
        }
    }
    *count = n;
    return clean;
}

/// A row from any data: merged, normalised and sorted. *scaled and *empty become true when the
/// weights did not sum to 1, or none was above 0.
static uint32_t make_row(const uint32_t *joints, const float *weights, size_t width,
                         lmb_influence *out, bool *scaled, bool *empty)
{
    lmb_influence row[ROW_MAX];
    uint32_t count = 0;
    for (size_t k = 0; k < width; ++k) {
        count = add_to_row(row, count, joints[k], weights[k]);
    }
    *empty = *empty || (count == 0 && width > 0);
    if (count == 0 && width > 0 && joints[0] != 0) {
        // Viewers let such a vertex follow its first joint. An empty row already means joint 0.
        count = add_to_row(row, 0, joints[0], 1);
    }
    *scaled = !normalize_row(row, count) || *scaled;
    lmbi_influences_sort(row, count);
    while (count > 0 && row[count - 1].weight == 0) {
        --count; // scaling may round a tiny weight to 0
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k] = row[k];
    }
    return count;
}

bool lmbi_gltf_influences_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, uint32_t skip,
                                 lmb_influences *out, uint32_t *used)
{
    uint32_t *joints = NULL;
    float *weights = NULL;
    if (v->joint_sets > 0 && !decode_sets(g, v, &joints, &weights)) {
        return false;
    }
    const size_t width = 4 * (size_t)v->joint_sets;
    bool scaled = false, empty = false;
    for (uint32_t i = skip; i < v->count; ++i) {
        uint32_t count = 0;
        if (width != 4 ||
            !read_clean_row(joints + 4 * i, weights + 4 * i, out->items + *used, &count)) {
            count = make_row(joints + i * width, weights + i * width, width, out->items + *used,
                             &scaled, &empty);
        }
        *used += count;
        out->first[v->first + i + 1] = *used;
    }
    if (scaled) {
        lmbi_gltf_note(g, v->attributes, "skin weights that did not sum to 1 were scaled");
    }
    if (empty) {
        lmbi_gltf_note(g, v->attributes, "vertices without skin weight follow their first joint");
    }
    return true;
}
