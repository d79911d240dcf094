/// Vertices by the joints that they follow.
#include <string.h>

#include "learn/body/population.h"

enum { WIDTH = LMBI_POPULATION_INFLUENCES };

bool lmbi_corrective_groups_init(lmbi_corrective_groups *g, const lmbi_population *p,
                                 lmbi_arena *arena)
{
    g->most = LMBI_POPULATION_GROUPS * p->body.joint_count;
    g->of = lmbi_arena_array(arena, p->body.vertex_count, sizeof *g->of);
    g->counts = lmbi_arena_array(arena, g->most, sizeof *g->counts);
    g->joints = lmbi_arena_array(arena, g->most, WIDTH * sizeof *g->joints);
    return g->of && g->counts && g->joints;
}

/// The joints that the vertex follows, `most` of those that it follows most, in order.
static uint32_t list_joints(const lmbi_scan_body *b, uint32_t vertex, uint32_t most,
                            uint32_t joints[WIDTH])
{
    double weights[WIDTH];
    uint32_t count = 0;
    for (uint32_t k = b->row_first[vertex]; k < b->row_first[vertex + 1]; ++k) {
        const double w = b->row_weights[k];
        uint32_t at = count < most ? count++ : most;
        for (; w > 0 && at > 0 && weights[at - 1] < w; --at) {
            if (at < most) {
                weights[at] = weights[at - 1];
                joints[at] = joints[at - 1];
            }
        }
        if (w > 0 && at < most) {
            weights[at] = w;
            joints[at] = b->row_joints[k];
        } else if (!(w > 0) && at < most) {
            --count;
        }
    }
    for (uint32_t k = 1; k < count; ++k) {
        const uint32_t joint = joints[k];
        uint32_t at = k;
        for (; at > 0 && joints[at - 1] > joint; --at) {
            joints[at] = joints[at - 1];
        }
        joints[at] = joint;
    }
    return count;
}

/// The group of these joints, which may be a new one; `most` where there is no room.
static uint32_t find_group(lmbi_corrective_groups *g, const uint32_t *joints, uint32_t count)
{
    uint32_t k = 0;
    while (k < g->count && (g->counts[k] != count ||
                            memcmp(g->joints + WIDTH * k, joints, count * sizeof *joints) != 0)) {
        ++k;
    }
    if (k == g->count && g->count < g->most) {
        g->counts[g->count] = count;
        memcpy(g->joints + WIDTH * g->count++, joints, count * sizeof *joints);
    }
    return k;
}

void lmbi_corrective_groups_find(lmbi_corrective_groups *g, const lmbi_population *p)
{
    // With one joint each there are no more groups than joints.
    for (uint32_t most = WIDTH; most > 0; --most) {
        uint32_t v = 0;
        g->count = 0;
        for (; v < p->body.vertex_count; ++v) {
            uint32_t joints[WIDTH];
            const uint32_t count = list_joints(&p->body, v, most, joints);
            g->of[v] = find_group(g, joints, count);
            if (g->of[v] == g->most) {
                break;
            }
        }
        if (v == p->body.vertex_count) {
            return;
        }
    }
}
