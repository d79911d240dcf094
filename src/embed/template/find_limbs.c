/// The limbs of a skeleton that end at tips of a solid or where it does.
#include "embed/template/template.h"

#include <math.h>
#include <string.h>

/// How near an end of the solid the end of a limb lies, in longest sides; and how far at most a tip of it lies from its last
/// bones. Heels are farther than toes.
static const float NEAR = 0.09f, AT_END = 0.15f, OF_LIMB = 0.15f;
typedef struct finder {
    const lmb_embedding *e;
    const lmbi_joint_relations *of;
    const lmbi_body_shape *coarse, *shape; ///< shape: in the axes of the embedding
    uint32_t tip_count;
} finder;

void lmbi_find_joint_relations(const lmb_embedding *e, lmbi_joint_relations *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        out->twin[j] = LMB_NONE;
    }
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        for (uint32_t k = 0; k < e->joint_count && strncmp(e->names[j], "left", 4) == 0; ++k) {
            if (strncmp(e->names[k], "right", 5) == 0 &&
                strcmp(e->names[j] + 4, e->names[k] + 5) == 0) {
                out->twin[j] = (int32_t)k;
                out->twin[k] = (int32_t)j;
                out->is_right[k] = true;
            }
        }
        if (e->parents[j] != LMB_NONE) {
            ++out->children[e->parents[j]];
        }
    }
}

/// Distance of a point from the last two bones of a limb.
static float far_from_limb(const lmb_embedding *e, int32_t leaf, lmb_vec3 p)
{
    const int32_t parent = e->parents[leaf];
    const float last = lmbi_segment_distance(p, e->joints[leaf], e->tips[leaf]);
    return parent == LMB_NONE
               ? last
               : fminf(last, lmbi_segment_distance(p, e->joints[parent], e->joints[leaf]));
}

/// The limb, by its last joint, that a tip is of; LMB_NONE if it is of none.
static int32_t limb_of(const finder *m, const lmbi_tip *tip)
{
    const lmb_vec3 p = lmbi_frame_from(&m->coarse->frame, tip->position);
    float least = OF_LIMB * m->coarse->frame.size;
    int32_t best = LMB_NONE;
    for (int32_t j = 1; j < (int32_t)m->e->joint_count; ++j) {
        const float far = m->of->children[j] > 0 ? least : far_from_limb(m->e, j, p);
        best = far < least ? j : best;
        least = fminf(far, least);
    }
    return best;
}

/// Of the tips of a limb the nearest to its end, or LMB_NONE.
static int32_t find_tip(const finder *m, int32_t leaf)
{
    const lmb_vec3 end = lmbi_frame_to(&m->coarse->frame, m->e->tips[leaf]);
    float least = 1e30f;
    int32_t best = LMB_NONE;
    for (uint32_t t = 0; t < m->tip_count; ++t) {
        const lmbi_tip *tip = &m->coarse->tips[t];
        const float far = lmb_vec3_distance(tip->position, end);
        if (far < least && limb_of(m, tip) == leaf) {
            least = far;
            best = (int32_t)t;
        }
    }
    return best;
}

static lmbi_limb measure_limb(const finder *m, int32_t leaf)
{
    lmbi_limb own = {.leaves = {leaf, m->of->twin[leaf]}, .tips = {LMB_NONE, LMB_NONE}};
    const lmb_box box = m->shape->box;
    const lmb_vec3 end = lmbi_frame_to(&m->shape->frame, m->e->tips[leaf]);
    for (int side = 0; side < 2 && own.leaves[side] != LMB_NONE; ++side) {
        own.tips[side] = find_tip(m, own.leaves[side]);
        const float length =
            own.tips[side] == LMB_NONE ? 0 : m->coarse->tips[own.tips[side]].length;
        own.length = fmaxf(own.length, length);
    }
    const bool alone = own.leaves[1] == LMB_NONE && fabsf(end.x) < AT_END,
               far = alone && own.tips[0] != LMB_NONE &&
                     lmb_vec3_distance(
                         lmbi_frame_from(&m->coarse->frame, m->coarse->tips[own.tips[0]].position),
                         m->e->tips[leaf]) > NEAR * m->coarse->frame.size;
    own.tips[0] = far ? LMB_NONE : own.tips[0];
    const bool front = alone && box.high.z - end.z < AT_END,
               back = alone && end.z - box.low.z < AT_END && own.tips[0] == LMB_NONE;
    own.end = front ? 1 : back ? -1 : 0;
    return own;
}

uint32_t lmbi_find_limbs(const lmb_embedding *e, const lmbi_joint_relations *relations,
                         const lmbi_body_shape *coarse, uint32_t tip_count,
                         const lmbi_body_shape *shape, lmbi_limb out[LMBI_TEMPLATE_CHAINS])
{
    const finder m = {e, relations, coarse, shape, tip_count};
    uint32_t count = 0;
    for (int32_t j = 0; j < (int32_t)m.e->joint_count; ++j) {
        if (m.of->children[j] > 0 || m.of->is_right[j] || j == 0) {
            continue;
        }
        const lmbi_limb own = measure_limb(&m, j);
        if (own.end == 0 && own.tips[0] == LMB_NONE && own.tips[1] == LMB_NONE) {
            continue;
        }
        uint32_t at = count < LMBI_TEMPLATE_CHAINS ? count++ : LMBI_TEMPLATE_CHAINS;
        for (; at > 0 && out[at - 1].length < own.length; --at) {
            if (at < LMBI_TEMPLATE_CHAINS) {
                out[at] = out[at - 1];
            }
        }
        if (at < LMBI_TEMPLATE_CHAINS) {
            out[at] = own;
        }
    }
    return count;
}
