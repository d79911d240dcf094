#include "rig/bind.h"

#include "base/error.h"
#include "rig/humanoid.h"

static float distance_to_bone(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b)
{
    const lmb_vec3 ab = lmb_vec3_sub(b, a);
    const float length2 = lmb_vec3_dot(ab, ab);
    float t = length2 > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, a), ab) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return lmb_vec3_distance(p, lmb_vec3_mad(a, ab, t));
}

/// Nearer bones pull with the fourth power of how much nearer they are.
static uint32_t row_of(const lmb_embedding *e, lmb_vec3 p, uint32_t influences, lmb_influence *row)
{
    uint32_t used = 0;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const float d = distance_to_bone(p, e->joints[j], lmbi_bone_end(e, j)) / e->height + 0.005f;
        const float d2 = d * d;
        const lmb_influence item = {j, 1e-8f / (d2 * d2)};
        uint32_t at = used;
        if (used == influences) {
            if (row[used - 1].weight >= item.weight) {
                continue;
            }
            at = used - 1;
        } else {
            ++used;
        }
        while (at > 0 && row[at - 1].weight < item.weight) {
            row[at] = row[at - 1];
            --at;
        }
        row[at] = item;
    }
    while (used > 1 && row[used - 1].weight < 0.02f * row[0].weight) {
        --used;
    }
    float total = 0;
    for (uint32_t k = 0; k < used; ++k) {
        total += row[k].weight;
    }
    for (uint32_t k = 0; k < used; ++k) {
        row[k].weight /= total;
    }
    return used;
}

lmb_result lmbi_bind_nearest(const lmb_embedding *embedding, const lmb_vec3 *positions, uint32_t count, uint32_t influences, lmbi_arena *arena,
                             lmb_influences *out, lmb_error *error)
{
    if (influences > embedding->joint_count) {
        influences = embedding->joint_count;
    }
    uint32_t *first = lmbi_arena_array(arena, (size_t)count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(arena, (size_t)count, influences * sizeof *items);
    if (!first || !items) {
        return lmbi_fail_memory(error);
    }
    uint32_t used = 0;
    for (uint32_t v = 0; v < count; ++v) {
        first[v] = used;
        used += row_of(embedding, positions[v], influences, items + used);
    }
    first[count] = used;
    *out = (lmb_influences){first, items};
    return LMB_OK;
}
