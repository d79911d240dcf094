#include <string.h>

#include "base/error.h"
#include "rig/weigh_spread.h"

lmb_result lmbi_weigh_spread(const lmb_weights *weights, const uint32_t *vertex_of, uint32_t count,
                             lmbi_arena *arena, lmb_influences *out, lmb_error *error)
{
    const uint32_t *from = weights->influences.first;
    size_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        total += from[vertex_of[i] + 1] - from[vertex_of[i]];
    }
    uint32_t *first = lmbi_arena_array(arena, (size_t)count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(arena, total, sizeof *items);
    if (total > UINT32_MAX || !first || !items) {
        return lmbi_fail_memory(error);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t begin = from[vertex_of[i]], size = from[vertex_of[i] + 1] - begin;
        first[i] = at;
        memcpy(items + at, weights->influences.items + begin, size * sizeof *items);
        at += size;
    }
    first[count] = at;
    *out = (lmb_influences){first, items};
    return LMB_OK;
}
