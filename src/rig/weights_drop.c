/// Drops weights: those below a threshold, and those of joints too far away.
#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/error.h"
#include "rig/weights_edit.h"

/// 2 sin(45 degrees / 2): displacement of a point rotated by 45 degrees, per distance from the
/// axis.
static const float ROTATION_SHIFT = 0.76536686f;
static const uint32_t FAR = UINT32_MAX;

static float sum_of(const lmb_influence *row)
{
    float sum = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        sum += row[k].weight;
    }
    return sum;
}

void lmbi_edit_scale(lmb_influence *row)
{
    const float sum = sum_of(row);
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        row[k].weight /= sum;
    }
}

void lmbi_edit_drop(lmbi_editor *e, uint32_t v, const bool keep[LMBI_ROW_WIDTH])
{
    lmb_influence *row = lmbi_edit_row(e, v);
    float lost = 0, shift = 0;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH; ++k) {
        lmb_influence item = row[k];
        row[k] = (lmb_influence){0, 0};
        if (!(item.weight > 0)) {
            continue;
        }
        if (keep[k]) {
            row[kept++] = item;
        } else {
            lost += item.weight;
            shift += item.weight * ROTATION_SHIFT *
                     lmb_vec3_distance(lmbi_edit_place(e, v), e->joints[item.joint]);
        }
    }
    lmbi_edit_scale(row);
    e->lost += (double)lost;
    e->change.lost_max = lost > e->change.lost_max ? lost : e->change.lost_max;
    e->change.shift_max = shift > e->change.shift_max ? shift : e->change.shift_max;
}

// ---- joints that are too far away

/// Pairs of joints whose regions are adjacent: the strongest joints of the two ends of an edge.
typedef struct borders {
    uint8_t *meet; ///< [joint_count][joint_count]
    uint32_t joint_count;
} borders;

static lmb_result find_borders(lmbi_editor *e, borders *b, lmb_error *error)
{
    const lmb_surface *s = e->surface;
    b->joint_count = e->table.character->skeleton->joint_count;
    uint32_t *strongest = lmbi_arena_array(&e->arena, s->vertex_count, sizeof *strongest);
    b->meet = lmbi_arena_array(&e->arena, (size_t)b->joint_count * b->joint_count, 1);
    if (!strongest || !b->meet) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        strongest[v] = FAR;
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        const lmb_influence *row = lmbi_edit_row(e, v);
        if (row[0].weight > 0) {
            strongest[s->vertex_of[v]] = row[0].joint;
        }
    }
    for (uint32_t k = 0; k < 3 * s->triangle_count; ++k) {
        const uint32_t next = k % 3 == 2 ? k - 2 : k + 1;
        const uint32_t a = strongest[s->triangles[k]], c = strongest[s->triangles[next]];
        if (a != FAR && c != FAR) {
            b->meet[(size_t)a * b->joint_count + c] = b->meet[(size_t)c * b->joint_count + a] = 1;
        }
    }
    return LMB_OK;
}

/// Bones between two joints in the hierarchy; FAR in different trees.
static uint32_t steps_between(const lmb_skeleton *s, uint32_t a, uint32_t b)
{
    uint32_t da = lmbi_joint_depth(s->parents, a), db = lmbi_joint_depth(s->parents, b), steps = 0;
    while (a != b) {
        uint32_t *deeper = da >= db ? &a : &b, *depth = da >= db ? &da : &db;
        if (s->parents[*deeper] == LMB_NONE) {
            return FAR;
        }
        *deeper = (uint32_t)s->parents[*deeper];
        *depth -= 1;
        ++steps;
    }
    return steps;
}

static void prune(lmbi_editor *e, uint32_t v, const borders *b)
{
    const lmb_influence *row = lmbi_edit_row(e, v);
    const float least = fmaxf(e->edit.least, e->edit.fraction * row[0].weight);
    bool keep[LMBI_ROW_WIDTH] = {true};
    for (uint32_t k = 1; k < LMBI_ROW_WIDTH; ++k) {
        keep[k] = row[k].weight >= least;
        if (b && keep[k]) {
            const bool meet = b->meet[(size_t)row[0].joint * b->joint_count + row[k].joint];
            keep[k] = meet || steps_between(e->table.character->skeleton, row[0].joint,
                                            row[k].joint) <= e->edit.hops;
        }
    }
    lmbi_edit_drop(e, v, keep);
}

lmb_result lmbi_edit_prune(lmbi_editor *e, lmb_error *error)
{
    borders b;
    const lmb_result result = e->edit.hops ? find_borders(e, &b, error) : LMB_OK;
    for (uint32_t v = 0; result == LMB_OK && v < e->table.count; ++v) {
        if (lmbi_edit_is_for(e, v)) {
            prune(e, v, e->edit.hops ? &b : NULL);
        }
    }
    return result;
}
