#include "rig/bind_keep.h"

#include <string.h>

#include "base/error.h"
#include "rig/weights_rows.h"

// ---- joints

static uint32_t joint_up(const lmb_skeleton *s, uint32_t joint)
{
    return s->parents[joint] == LMB_NONE ? UINT32_MAX : (uint32_t)s->parents[joint];
}

/// The joint of `from` with the name of one of `to`, that no other has; none: UINT32_MAX.
static uint32_t same_name(const lmb_skeleton *from, const uint32_t *twin_of, const char *name)
{
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        if (twin_of[j] == UINT32_MAX && strcmp(from->names[j], name) == 0) {
            return j;
        }
    }
    return UINT32_MAX;
}

/// The nearest joint, this one or above it, that is marked.
static uint32_t marked_up(const lmb_skeleton *s, uint32_t joint, const uint8_t *marks)
{
    while (joint != UINT32_MAX && !marks[joint]) {
        joint = joint_up(s, joint);
    }
    return joint;
}

/// Marks joints that have weight.
static void mark_weighted(const lmb_character *c, uint8_t *marks)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const uint32_t count =
            lmbi_is_skinned(c, i) ? mesh->influences.first[mesh->vertex_count] : 0;
        for (uint32_t k = 0; k < count; ++k) {
            marks[c->skins[c->instances[i].skin]->joints[mesh->influences.items[k].joint]] = 1;
        }
    }
}

lmb_result lmbi_kept_joints_find(const lmb_character *character, const lmb_skeleton *to,
                                 const uint8_t *deforms, lmbi_arena *arena, lmbi_kept_joints *out,
                                 lmb_error *error)
{
    const lmb_skeleton *from = character->skeleton;
    uint32_t *twin_of = lmbi_arena_array(arena, from->joint_count, sizeof *twin_of);
    uint8_t *old = lmbi_arena_array(arena, to->joint_count, 1); // deforms, and was there
    uint8_t *bent = lmbi_arena_array(arena, to->joint_count, 1);
    uint8_t *weighted = lmbi_arena_array(arena, from->joint_count, 1);
    *out = (lmbi_kept_joints){
        .heir_of = lmbi_arena_array(arena, from->joint_count, sizeof *out->heir_of),
        .giver_of = lmbi_arena_array(arena, to->joint_count, sizeof *out->giver_of)};
    if (!twin_of || !old || !bent || !weighted || !out->heir_of || !out->giver_of) {
        return lmbi_fail_memory(error);
    }
    memset(twin_of, 0xff, from->joint_count * sizeof *twin_of);
    memset(weighted, 0, from->joint_count);
    uint32_t first = UINT32_MAX;
    for (uint32_t j = 0; j < to->joint_count; ++j) {
        const uint32_t twin = same_name(from, twin_of, to->names[j]);
        bent[j] = !deforms || deforms[j];
        old[j] = bent[j] && twin != UINT32_MAX;
        first = bent[j] && first == UINT32_MAX ? j : first;
        out->kept_count += old[j];
        out->new_count += bent[j] && !old[j];
        if (twin != UINT32_MAX) {
            twin_of[twin] = j;
        }
        out->giver_of[j] = bent[j] ? marked_up(to, j, old) : UINT32_MAX; // parents come first
    }
    if (first == UINT32_MAX) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a joint that deforms", "none");
    }
    mark_weighted(character, weighted);
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        out->gone_count += weighted[j] && twin_of[j] == UINT32_MAX;
        out->heir_of[j] = UINT32_MAX;
        for (uint32_t up = j; up != UINT32_MAX && out->heir_of[j] == UINT32_MAX;
             up = joint_up(from, up)) {
            out->heir_of[j] = marked_up(to, twin_of[up], bent);
        }
        out->heir_of[j] = out->heir_of[j] == UINT32_MAX ? first : out->heir_of[j];
    }
    return LMB_OK;
}

// ---- rows

typedef struct row {
    lmb_influence *items;
    uint32_t count;
} row;

static void row_add(row *r, uint32_t joint, float weight)
{
    uint32_t k = 0;
    while (k < r->count && r->items[k].joint != joint) {
        ++k;
    }
    if (k == r->count) {
        r->items[r->count++] = (lmb_influence){joint, 0};
    }
    r->items[k].weight += weight;
}

/// Puts larger weights first.
static void row_sort(const row *r)
{
    for (uint32_t k = 1; k < r->count; ++k) {
        const lmb_influence item = r->items[k];
        uint32_t at = k;
        for (; at > 0 && r->items[at - 1].weight < item.weight; --at) {
            r->items[at] = r->items[at - 1];
        }
        r->items[at] = item;
    }
}

/// Shares a weight between its joint and new ones that take from it, as a solved row has them, of
/// which the `most` largest count.
static void share(const uint32_t *giver_of, lmb_influence from, const lmb_influence *solved,
                  uint32_t solved_count, uint32_t most, row *out)
{
    float sum = 0, left = from.weight;
    uint32_t count = 0, largest = from.joint;
    for (uint32_t s = 0; s < solved_count && count < most; ++s) {
        if (giver_of[solved[s].joint] == from.joint) {
            largest = count++ == 0 ? solved[s].joint : largest;
            sum += solved[s].weight;
        }
    }
    for (uint32_t s = 0; s < solved_count && count > 0; ++s) {
        if (giver_of[solved[s].joint] == from.joint) {
            const float part = from.weight * (solved[s].weight / sum);
            if (solved[s].joint != largest && part > 0) {
                row_add(out, solved[s].joint, part);
                left -= part;
            }
            --count;
        }
    }
    row_add(out, largest, left);
}

/// A vertex's row with each joint's weight where it goes.
static void inherit(const lmb_character *c, uint32_t instance, uint32_t v, const uint32_t *heir_of,
                    row *out)
{
    const lmb_influences *rows = &c->meshes[c->instances[instance].mesh]->influences;
    out->count = 0;
    if (!lmbi_is_skinned(c, instance)) {
        row_add(out, heir_of[c->instances[instance].joint], 1);
        return;
    }
    const uint32_t *joints = c->skins[c->instances[instance].skin]->joints;
    for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
        row_add(out, heir_of[joints[rows->items[k].joint]], rows->items[k].weight);
    }
}

lmb_result lmbi_kept_rows(const lmb_character *c, const lmbi_kept_joints *joints,
                          const lmb_influences *solved, uint32_t influences, lmbi_arena *arena,
                          lmb_influences *out, lmb_error *error)
{
    size_t vertices = 0, entries = 0, longest = 1;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const bool skinned = lmbi_is_skinned(c, i);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            const uint32_t n =
                skinned ? mesh->influences.first[v + 1] - mesh->influences.first[v] : 1;
            longest = n > longest ? n : longest;
            entries += n;
        }
        vertices += mesh->vertex_count;
    }
    entries += solved ? solved->first[vertices] : 0;
    row own = {.items = lmbi_arena_array(arena, longest, sizeof *own.items)};
    *out = (lmb_influences){lmbi_arena_array(arena, vertices + 1, sizeof *out->first),
                            lmbi_arena_array(arena, entries, sizeof *out->items)};
    if (!own.items || !out->first || !out->items) {
        return lmbi_fail_memory(error);
    }
    uint32_t at = 0, vertex = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        for (uint32_t v = 0; v < c->meshes[c->instances[i].mesh]->vertex_count; ++v, ++vertex) {
            const uint32_t from = solved ? solved->first[vertex] : 0;
            row made = {.items = out->items + at};
            inherit(c, i, v, joints->heir_of, &own);
            for (uint32_t k = 0; k < own.count; ++k) {
                const uint32_t others = made.count + own.count - k - 1;
                share(joints->giver_of, own.items[k], solved ? solved->items + from : NULL,
                      solved ? solved->first[vertex + 1] - from : 0,
                      influences > others ? influences - others : 1, &made);
            }
            row_sort(&made);
            out->first[vertex] = at;
            at += made.count;
        }
    }
    out->first[vertices] = at;
    return LMB_OK;
}
