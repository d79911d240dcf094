#include "rig/biharmonic_energy.h"

#include <string.h>

#include "base/error.h"

enum { RINGS = 2 };
/// Smaller weights are treated as converging to 0.
static const float LEAST = 0.002f;

/// Grows a domain by one ring; constrained nodes stop the growth.
static void grow(const lmbi_energy *e, const uint8_t *from, uint8_t *to)
{
    for (uint32_t i = 0; i < e->free_count; ++i) {
        const uint32_t node = e->node_of[i];
        uint8_t in = from[i];
        for (uint32_t k = e->first[node]; !in && k < e->first[node + 1]; ++k) {
            const uint32_t other = e->free_of[e->columns[k]];
            in = other != UINT32_MAX && from[other];
        }
        to[i] = in;
    }
}

static void find_domain(const lmbi_energy *e, const float *weights, uint8_t *domain, uint8_t *room)
{
    for (uint32_t i = 0; i < e->free_count; ++i) {
        domain[i] = weights[i] > LEAST;
    }
    for (int ring = 0; ring < RINGS; ++ring) {
        grow(e, domain, room);
        memcpy(domain, room, e->free_count);
    }
}

static bool meet(const uint8_t *a, const uint8_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (a[i] & b[i]) {
            return true;
        }
    }
    return false;
}

/// Greedy colouring: each handle joins the first group whose union of domains (`taken`) it does not
/// overlap.
static void colour(lmbi_groups *g, uint32_t handles, uint32_t nodes, bool ungrouped, uint8_t *taken)
{
    for (uint32_t h = 0; h < handles; ++h) {
        const uint8_t *mine = g->domains + (size_t)h * nodes;
        uint32_t group = ungrouped ? g->count : 0;
        while (group < g->count && meet(mine, taken + (size_t)group * nodes, nodes)) {
            ++group;
        }
        g->group_of[h] = group;
        g->count += group == g->count ? 1 : 0;
        for (uint32_t i = 0; i < nodes; ++i) {
            taken[(size_t)group * nodes + i] |= mine[i];
        }
    }
}

lmb_result lmbi_groups_create(const lmbi_energy *energy, const float *weights,
                              uint32_t handle_count, bool ungrouped, lmbi_arena *arena,
                              lmbi_groups *out, lmb_error *error)
{
    const size_t n = energy->free_count;
    lmbi_groups g = {.domains = lmbi_arena_array(arena, n, handle_count),
                     .group_of = lmbi_arena_array(arena, handle_count, sizeof(uint32_t))};
    uint8_t *room = lmbi_arena_array(arena, n, 1);
    uint8_t *taken = lmbi_arena_array(arena, n, handle_count);
    if (!g.domains || !g.group_of || !room || !taken) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t h = 0; h < handle_count; ++h) {
        find_domain(energy, weights + h * n, g.domains + h * n, room);
    }
    colour(&g, handle_count, energy->free_count, ungrouped, taken);
    *out = g;
    return LMB_OK;
}

void lmbi_groups_label(const lmbi_groups *groups, const lmbi_energy *energy, uint32_t handle_count,
                       uint32_t group, uint32_t *out_handle, uint32_t *queue)
{
    const uint32_t n = energy->free_count;
    uint32_t count = 0;
    memset(out_handle, 0xFF, n * sizeof *out_handle);
    for (uint32_t h = 0; h < handle_count; ++h) {
        for (uint32_t i = 0; groups->group_of[h] == group && i < n; ++i) {
            if (groups->domains[(size_t)h * n + i]) {
                out_handle[i] = h;
                queue[count++] = i;
            }
        }
    }
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t node = energy->node_of[queue[at]];
        for (uint32_t k = energy->first[node]; k < energy->first[node + 1]; ++k) {
            const uint32_t i = energy->free_of[energy->columns[k]];
            if (i != UINT32_MAX && out_handle[i] == UINT32_MAX) {
                out_handle[i] = out_handle[queue[at]];
                queue[count++] = i;
            }
        }
    }
}
