#include "base/alloc.h"
#include "io/skinned/skinned.h"
#include "io/skinned/skinned_parts.h"

/// Falling weights, then rising joints: a total order, so that rows come out the same everywhere.
static bool comes_before(lmb_influence a, lmb_influence b)
{
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

/// Merges weights of one joint and drops those that pull nothing. Returns how many are left.
static uint32_t merge_row(lmb_influence *row, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t at = 0;
        while (at < kept && row[at].joint != row[k].joint) {
            ++at;
        }
        if (at < kept) {
            row[at].weight += row[k].weight;
        } else if (row[k].weight > 0) {
            row[kept++] = row[k];
        }
    }
    return kept;
}

static void finish_row(lmb_influence *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_influence item = row[i];
        uint32_t at = i;
        for (; at > 0 && comes_before(item, row[at - 1]); --at) {
            row[at] = row[at - 1];
        }
        row[at] = item;
        sum += (double)item.weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        row[i].weight = (float)((double)row[i].weight / sum);
    }
}

void lmbi_skinned_clean_rows(lmb_influences *rows, uint32_t vertex_count)
{
    uint32_t filled = 0;
    for (uint32_t v = 0, begin = 0; v < vertex_count; ++v) {
        const uint32_t end = rows->first[v + 1];
        const uint32_t kept = merge_row(rows->items + begin, end - begin);
        for (uint32_t k = 0; k < kept; ++k) {
            rows->items[filled + k] = rows->items[begin + k];
        }
        finish_row(rows->items + filled, kept);
        filled += kept;
        begin = end;
        rows->first[v + 1] = filled;
    }
}
