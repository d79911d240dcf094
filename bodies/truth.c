// True skin weights: a vertex belongs to the bones of the lumps that it lies on or near.
#include "bodies/truth.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void number_joints(const lmbi_plan *plan, lmbi_truth *truth)
{
    truth->joint_count = 0;
    for (uint32_t b = 0; b < plan->bone_count; ++b) {
        const lmbi_bone *bone = &plan->bones[b];
        if (bone->present || bone->parent == LMB_NONE) {
            truth->bone_of[truth->joint_count] = (int)b;
            truth->joint_of[b] = (int)truth->joint_count++;
        } else {
            truth->joint_of[b] = truth->joint_of[bone->parent];
        }
    }
}

// Distributes `weight` among the bones along the lump.
static void add_lump_weight(const lmbi_lump *l, lmb_vec3 p, float weight, const int *joint_of,
                            float *weights)
{
    if (l->bone_count < 2) {
        weights[joint_of[l->bones[0]]] += weight;
        return;
    }
    const float t =
        lmb_vec3_dot(lmb_vec3_sub(p, l->origin), l->axis) / (l->length > 0.0f ? l->length : 1.0f);
    uint32_t k = 0;
    while (k + 2 < l->bone_count && t > l->bone_at[k + 1]) {
        ++k;
    }
    const float span = l->bone_at[k + 1] - l->bone_at[k];
    float u = span > 0.0f ? (t - l->bone_at[k]) / span : 0.5f;
    u = u < 0.0f ? 0.0f : u > 1.0f ? 1.0f : u;
    weights[joint_of[l->bones[k]]] += weight * (1.0f - u);
    weights[joint_of[l->bones[k + 1]]] += weight * u;
}

static void compute_weights(const lmbi_plan *plan, const lmbi_implicit *field, const int *joint_of,
                            lmb_vec3 p, float *weights)
{
    uint32_t count;
    const uint16_t *near = lmbi_implicit_near(field, p, &count);
    float nearest = 1e9f;
    for (uint32_t i = 0; i < count; ++i) {
        const lmbi_lump *l = &field->lumps[near[i]];
        const float d = l->carve ? 1e9f : lmbi_lump_distance(l, p);
        nearest = d < nearest ? d : nearest;
    }
    const float falloff = plan->weight_falloff;
    for (uint32_t i = 0; i < count; ++i) {
        const lmbi_lump *l = &field->lumps[near[i]];
        const float d = l->carve ? 1e9f : lmbi_lump_distance(l, p) - nearest;
        // Neighbouring fingers are nearer than the falloff distance: fine parts use a shorter one.
        const float reach = falloff * l->detail * l->detail;
        if (d < reach) {
            const float s = 1.0f - d / reach;
            add_lump_weight(l, p, s * s, joint_of, weights);
        }
    }
}

// Keeps the largest weights, lower joints first among equals, and normalises them.
static uint32_t write_row(const float *weights, uint32_t joint_count, lmb_influence *row)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < joint_count; ++j) {
        if (!(weights[j] > 0.0f)) {
            continue;
        }
        uint32_t at = count < LMBI_TRUTH_INFLUENCES ? count++ : LMBI_TRUTH_INFLUENCES;
        while (at > 0 && row[at - 1].weight < weights[j]) {
            if (at < LMBI_TRUTH_INFLUENCES) {
                row[at] = row[at - 1];
            }
            --at;
        }
        if (at < LMBI_TRUTH_INFLUENCES) {
            row[at].joint = j;
            row[at].weight = weights[j];
        }
    }
    float sum = 0.0f;
    for (uint32_t k = 0; k < count; ++k) {
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < count; ++k) {
        row[k].weight /= sum;
    }
    while (count > 1 && row[count - 1].weight < 1e-4f) {
        row[0].weight += row[--count].weight;
    }
    return count;
}

lmb_result lmbi_truth_make(const lmbi_plan *plan, const lmbi_body_mesh *mesh, lmbi_truth *truth,
                           lmb_error *error)
{
    const uint32_t n = mesh->surface.vertex_count;
    memset(truth, 0, sizeof *truth);
    number_joints(plan, truth);
    truth->first = lmbi_alloc_array(plan->alloc, (size_t)n + 1, sizeof *truth->first);
    truth->items =
        lmbi_alloc_array(plan->alloc, (size_t)n * LMBI_TRUTH_INFLUENCES, sizeof *truth->items);
    if (truth->first == NULL || truth->items == NULL) {
        lmbi_truth_free(plan, truth);
        return lmbi_fail_memory(error);
    }
    uint32_t used = 0;
    for (uint32_t v = 0; v < n; ++v) {
        float weights[LMBI_BONES] = {0};
        const unsigned shell = mesh->shell[v];
        if (shell >= LMBI_EYE_SHELL) {
            weights[truth->joint_of[plan->eyes[shell - LMBI_EYE_SHELL].bone]] = 1.0f;
        } else {
            compute_weights(plan, &plan->shells[shell].field, truth->joint_of,
                            mesh->surface.positions[v], weights);
        }
        truth->first[v] = used;
        used += write_row(weights, truth->joint_count, truth->items + used);
    }
    truth->first[n] = used;
    return LMB_OK;
}

void lmbi_truth_free(const lmbi_plan *plan, lmbi_truth *truth)
{
    lmbi_free(plan->alloc, truth->first);
    lmbi_free(plan->alloc, truth->items);
    truth->first = NULL;
    truth->items = NULL;
}
