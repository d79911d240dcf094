/// How soft the skin is: estimated from the distance to the bone, or painted.
#include "author/soft_tissue_bake.h"

#include "base/alloc.h"
#include "base/error.h"
#include "limber/mapping.h"

#include <math.h>
#include <string.h>

/// Least confidence of a joint map whose head, hands and feet are rigid.
#define HUMAN_CONFIDENCE 0.8f
/// Distance from the bone, as a fraction of the height, up to which skin is rigid, and the width of
/// the ramp to fully soft.
#define RIGID_DEPTH 0.025f
#define SOFT_RAMP 0.07f

lmb_result lmb_soft_tissue_joint_softness(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                          float *out, lmb_error *error)
{
    static const lmb_human_bone rigid[] = {LMB_HUMAN_HEAD, LMB_HUMAN_LEFT_HAND,
                                           LMB_HUMAN_RIGHT_HAND, LMB_HUMAN_LEFT_FOOT,
                                           LMB_HUMAN_RIGHT_FOOT};
    lmb_joint_map map;
    const lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    const bool human = map.confidence > HUMAN_CONFIDENCE;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        out[j] = parent >= 0 ? out[parent] : 1.0f;
        for (size_t k = 0; human && k < sizeof rigid / sizeof *rigid; ++k) {
            out[j] = map.bones[rigid[k]].joint == (int32_t)j ? 0.0f : out[j];
        }
    }
    return LMB_OK;
}

static float distance_to_bone(const lmbi_tissue_bake *b, uint32_t joint, lmb_vec3 p)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_vec3 from = lmb_mat4_translation(b->model[joint]);
    float nearest = lmb_vec3_distance(p, from);
    for (uint32_t j = joint + 1; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == (int32_t)joint) {
            const lmb_vec3 bone = lmb_vec3_sub(lmb_mat4_translation(b->model[j]), from);
            const float length2 = lmb_vec3_dot(bone, bone);
            const float u = length2 > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, from), bone) / length2 : 0;
            const lmb_vec3 on = lmb_vec3_mad(from, bone, fminf(fmaxf(u, 0), 1));
            nearest = fminf(nearest, lmb_vec3_distance(p, on));
        }
    }
    return nearest;
}

/// Mean softness of the joints that a vertex is weighted to.
static float softness_of_joints(const lmbi_tissue_bake *b, const lmbi_tissue_part *p, uint32_t v)
{
    const lmb_influences *rows = &p->from->influences;
    float sum = 0;
    for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
        sum += rows->items[i].weight * b->joint_softness[p->skin->joints[rows->items[i].joint]];
    }
    return sum;
}

/// Softness grows with the distance to the bone; painted values replace that. Vertices weighted to
/// two bones yield to keep volume.
static void set_vertices(const lmbi_tissue_bake *b, const lmbi_tissue_part *p, float height,
                         const float *painted, float *soft, float *give, uint32_t *region)
{
    const lmb_influences *rows = &p->from->influences;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        const float of_joints = softness_of_joints(b, p, v);
        if (painted != NULL) {
            soft[v] = fminf(of_joints * painted[v], 1);
        }
        if (rows->first[v] == rows->first[v + 1]) {
            continue;
        }
        const lmb_influence strongest = rows->items[rows->first[v]];
        const uint32_t joint = p->skin->joints[strongest.joint];
        if (painted == NULL) {
            const float depth = distance_to_bone(b, joint, p->skinned[v]) / height;
            const float u = fminf(fmaxf((depth - RIGID_DEPTH) / SOFT_RAMP, 0), 1);
            soft[v] = fminf(of_joints * u * u * (3 - 2 * u), 1);
        }
        give[v] = fminf(0.05f + 2 * (1 - strongest.weight), 1);
        region[v] = strongest.joint;
    }
}

static uint32_t copy_triangles(const lmb_mesh *mesh, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < mesh->primitive_count; ++k) {
        const lmb_primitive *primitive = &mesh->primitives[k];
        if (primitive->topology == LMB_TRIANGLES) {
            memcpy(out + count, mesh->indices + primitive->first_index,
                   primitive->index_count * sizeof *out);
            count += primitive->index_count;
        }
    }
    return count;
}

lmb_result lmbi_tissue_part_create(lmbi_tissue_bake *b, lmbi_tissue_part *p, float height,
                                   size_t first_vertex, const lmb_allocator *alloc,
                                   lmb_error *error)
{
    const uint32_t n = p->from->vertex_count;
    float *soft = lmbi_alloc_array(alloc, n, sizeof *soft);
    float *give = lmbi_alloc_array(alloc, n, sizeof *give);
    uint32_t *region = lmbi_alloc_array(alloc, n, sizeof *region);
    uint32_t *indices = lmbi_alloc_array(alloc, p->from->index_count, sizeof *indices);
    lmb_result result = LMB_ERROR_MEMORY;
    if (soft == NULL || give == NULL || region == NULL || indices == NULL) {
        lmbi_fail_memory(error);
    } else {
        const float *painted = b->opts->vertex_softness;
        set_vertices(b, p, height, painted != NULL ? painted + first_vertex : NULL, soft, give,
                     region);
        const lmb_soft_tissue_def def = {.vertex_count = n,
                                         .index_count = copy_triangles(p->from, indices),
                                         .rest = p->skinned,
                                         .indices = indices,
                                         .soft = soft,
                                         .give = give,
                                         .region = region,
                                         .region_count = p->skin->joint_count,
                                         .frequency_hz = b->opts->frequency_hz,
                                         .damping = b->opts->damping};
        result = lmb_soft_tissue_create(&def, alloc, &p->tissue, error);
    }
    lmbi_free(alloc, soft);
    lmbi_free(alloc, give);
    lmbi_free(alloc, region);
    lmbi_free(alloc, indices);
    return result;
}
