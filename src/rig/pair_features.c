#include "rig/pair_features.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/ownership.h"
#include "rig/rig.h"
#include "rig/touching_parts.h"

/// Heat of the softer and the sharper rows.
static const float SOFT = 0.5f, SHARP = 12;
/// Added to weights before their logarithm, and to lengths as a fraction of the size.
static const float LEAST_WEIGHT = 1e-3f, LEAST_LENGTH = 1e-3f;
/// Bounds of positions along bones, in lengths, and of ratios.
static const float MOST_ALONG = 3, MOST_RATIO = 8;

typedef struct lmbi_pair_joint {
    uint32_t above; ///< slot of the nearest joint above that has bones, or UINT32_MAX
    uint32_t children, depth;
} pair_joint;

static lmb_result solve_at(lmbi_heat *heat, float c, lmb_influence **rows, lmb_error *error)
{
    lmb_influence *kept = heat->rows;
    const float before = heat->opts.heat;
    heat->rows = lmbi_arena_array(&heat->arena, heat->surface->vertex_count,
                                  heat->row_width * sizeof *heat->rows);
    lmb_result result = heat->rows ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        heat->opts.heat = c;
        result = lmbi_heat_solve(heat, heat->around, error);
        heat->opts.heat = before;
    }
    if (result == LMB_OK) {
        lmbi_remove_touching_weights(heat);
    }
    *rows = heat->rows;
    heat->rows = kept;
    return result;
}

static uint32_t slot_of(const lmbi_heat *heat, uint32_t joint)
{
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        if (heat->joint_of_slot[s] == joint) {
            return s;
        }
    }
    return UINT32_MAX;
}

static void link_joints(lmbi_pairs *p)
{
    const lmbi_heat *heat = p->heat;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        pair_joint *j = &p->joints[s];
        int32_t up = heat->bones->parents ? heat->bones->parents[heat->joint_of_slot[s]] : LMB_NONE;
        j->above = UINT32_MAX;
        while (up != LMB_NONE && j->above == UINT32_MAX) {
            j->above = slot_of(heat, (uint32_t)up);
            up = heat->bones->parents[up];
        }
    }
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        for (uint32_t up = p->joints[s].above; up != UINT32_MAX; up = p->joints[up].above) {
            ++p->joints[s].depth;
        }
        if (p->joints[s].above != UINT32_MAX) {
            ++p->joints[p->joints[s].above].children;
        }
    }
}

static void measure_pieces(lmbi_pairs *p)
{
    const lmbi_heat *heat = p->heat;
    const uint32_t n = heat->surface->vertex_count;
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t piece = heat->piece_of_vertex[v];
        const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        p->piece_sizes[piece] += 1;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            p->piece_shares[(size_t)piece * heat->slot_count + row[k].joint] += row[k].weight;
        }
    }
    for (uint32_t q = 0; q < heat->piece_count; ++q) {
        const float count = p->piece_sizes[q] > 0 ? p->piece_sizes[q] : 1;
        for (uint32_t s = 0; s < heat->slot_count; ++s) {
            p->piece_shares[(size_t)q * heat->slot_count + s] /= count;
        }
        p->piece_sizes[q] = count / (float)n;
    }
}

lmb_result lmbi_pairs_solve(lmbi_heat *heat, lmbi_pairs *out, lmb_error *error)
{
    *out = (lmbi_pairs){.heat = heat};
    lmb_result result = solve_at(heat, SOFT, &out->soft, error);
    if (result == LMB_OK) {
        result = solve_at(heat, SHARP, &out->sharp, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const size_t pieces = (size_t)heat->piece_count * heat->slot_count;
    out->joints = lmbi_arena_array(&heat->arena, heat->slot_count, sizeof *out->joints);
    out->piece_shares = lmbi_arena_array(&heat->arena, pieces, sizeof *out->piece_shares);
    out->piece_sizes = lmbi_arena_array(&heat->arena, heat->piece_count, sizeof(float));
    if (!out->joints || !out->piece_shares || !out->piece_sizes) {
        return lmbi_fail_memory(error);
    }
    link_joints(out);
    measure_pieces(out);
    return LMB_OK;
}

// ------------------------------------------------------------------------------------- candidates

typedef struct candidate {
    uint32_t slot;
    float score;
} candidate;

typedef struct candidates {
    uint32_t count;
    candidate items[LMB_WEIGHT_CANDIDATES];
} candidates;

/// Adds a slot, or raises its score; the lowest goes where there is no room.
static void offer(candidates *c, uint32_t slot, float score)
{
    uint32_t at = 0;
    while (at < c->count && c->items[at].slot != slot) {
        ++at;
    }
    if (at < c->count) {
        if (!(score > c->items[at].score)) {
            return;
        }
    } else if (c->count < LMB_WEIGHT_CANDIDATES) {
        at = c->count++;
    } else if (score > c->items[c->count - 1].score) {
        at = c->count - 1;
    } else {
        return;
    }
    for (; at > 0 && (score > c->items[at - 1].score ||
                      (!(score < c->items[at - 1].score) && slot < c->items[at - 1].slot));
         --at) {
        c->items[at] = c->items[at - 1];
    }
    c->items[at] = (candidate){slot, score};
}

static void offer_row(candidates *c, const lmb_influence *row, uint32_t width)
{
    for (uint32_t k = 0; k < width && row[k].weight > LEAST_WEIGHT; ++k) {
        offer(c, row[k].joint, row[k].weight);
    }
}

static void find_candidates(const lmbi_pairs *p, uint32_t v, candidates *c)
{
    const lmbi_heat *heat = p->heat;
    const size_t row = (size_t)v * heat->row_width;
    lmbi_near near[LMBI_NEAR_BONES];
    c->count = 0;
    offer_row(c, heat->rows + row, heat->row_width);
    offer_row(c, p->soft + row, heat->row_width);
    offer_row(c, p->sharp + row, heat->row_width);
    const uint32_t strongest = heat->rows[row].joint, bones = lmbi_nearest_bones(heat, v, near);
    for (uint32_t k = 0; k < bones; ++k) {
        offer(c, heat->slot_of_bone[near[k].bone], LEAST_WEIGHT / (float)(2 + k));
    }
    if (p->joints[strongest].above != UINT32_MAX) {
        offer(c, p->joints[strongest].above, LEAST_WEIGHT);
    }
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        if (p->joints[s].above == strongest) {
            offer(c, s, 0.1f * LEAST_WEIGHT);
        }
    }
}

// --------------------------------------------------------------------------------------- features

static float weight_in(const lmb_influence *row, uint32_t width, uint32_t slot)
{
    for (uint32_t k = 0; k < width && row[k].weight > 0; ++k) {
        if (row[k].joint == slot) {
            return row[k].weight;
        }
    }
    return 0;
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/// Where a vertex lies to the nearest bone of a slot.
typedef struct pair_geometry {
    float counted, skin, along, radius, length, outward;
    float to_bone,
        to_axis; ///< cosines of the normal with the direction to the bone and with its axis
} pair_geometry;

static pair_geometry pair_geometry_of(const lmbi_pairs *p, uint32_t v, uint32_t slot)
{
    const lmbi_heat *heat = p->heat;
    const lmb_vec3 at = heat->surface->positions[v], normal = heat->normals[v], zero = {0, 0, 0};
    const lmb_vec3 middle = lmb_vec3_mad(at, normal, -heat->depths[v]);
    const float least = LEAST_LENGTH * heat->size;
    pair_geometry best = {.counted = INFINITY};
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const lmbi_bone_segment *bone = &heat->bones->items[b];
        lmb_vec3 nearest;
        if (heat->slot_of_bone[b] != slot) {
            continue;
        }
        const float counted =
            lmbi_reach_distance(heat, b, lmbi_bone_distance(bone, middle, &nearest)) *
            lmbi_claim(heat, slot, v);
        if (!(counted < best.counted)) {
            continue;
        }
        const lmb_vec3 axis = lmb_vec3_sub(bone->tail, bone->head),
                       to = lmb_vec3_sub(at, bone->head);
        const float length = lmb_vec3_length(axis);
        const lmb_vec3 unit = lmb_vec3_normalize_or(axis, zero);
        const float along = lmb_vec3_dot(to, unit);
        const lmb_vec3 off = lmb_vec3_mad(to, unit, -along);
        const lmb_vec3 root = heat->bones->items[0].head;
        const lmb_vec3 out = lmb_vec3_normalize_or(lmb_vec3_sub(bone->head, root), zero);
        const float long_enough = length > least ? length : least;
        const float skin = lmbi_bone_distance(bone, at, &nearest);
        const lmb_vec3 direction = lmb_vec3_normalize_or(lmb_vec3_sub(nearest, at), zero);
        best = (pair_geometry){
            .counted = counted,
            .skin = skin,
            .along = clamp(along / long_enough, -MOST_ALONG, MOST_ALONG),
            .radius = clamp(lmb_vec3_length(off) / long_enough, 0, MOST_RATIO),
            .length = length,
            .outward = clamp(lmb_vec3_dot(off, out) / long_enough, -MOST_ALONG, MOST_ALONG),
            .to_bone = lmb_vec3_dot(direction, normal),
            .to_axis = lmb_vec3_dot(unit, normal)};
    }
    return best;
}

/// What all candidates of a vertex share.
typedef struct vertex_facts {
    const lmb_influence *main, *soft, *sharp;
    uint32_t strongest, piece;
    float nearest, entropy, depth;
} vertex_facts;

static float entropy_of(const lmb_influence *row, uint32_t width)
{
    float sum = 0;
    for (uint32_t k = 0; k < width && row[k].weight > 0; ++k) {
        sum -= row[k].weight * lmb_log(row[k].weight);
    }
    return sum;
}

static void relatives_heat(const lmbi_pairs *p, const vertex_facts *f, uint32_t slot, float out[4])
{
    const uint32_t width = p->heat->row_width, above = p->joints[slot].above;
    out[0] = above != UINT32_MAX ? weight_in(f->main, width, above) : 0;
    out[1] = out[2] = out[3] = 0;
    for (uint32_t k = 0; k < width && f->main[k].weight > 0; ++k) {
        const uint32_t other = f->main[k].joint;
        if (p->joints[other].above == slot) {
            out[1] = f->main[k].weight > out[1] ? f->main[k].weight : out[1];
            out[2] += f->main[k].weight;
        } else if (other != slot && above != UINT32_MAX && p->joints[other].above == above) {
            out[3] += f->main[k].weight;
        }
    }
}

static void describe(const lmbi_pairs *p, const vertex_facts *f, uint32_t slot,
                     const pair_geometry *at, float *x)
{
    const lmbi_heat *heat = p->heat;
    const pair_joint *j = &p->joints[slot];
    const uint32_t width = heat->row_width;
    const float size = heat->size, least = LEAST_LENGTH * size;
    const float main = weight_in(f->main, width, slot), soft = weight_in(f->soft, width, slot),
                sharp = weight_in(f->sharp, width, slot);
    const float thick = f->depth > least ? f->depth : least;
    float kin[4];
    relatives_heat(p, f, slot, kin);
    const float values[LMB_WEIGHT_FEATURES] = {
        [LMB_WEIGHT_FEATURE_HEAT] = lmb_log(main + LEAST_WEIGHT),
        [LMB_WEIGHT_FEATURE_ALONG] = at->along,
        [LMB_WEIGHT_FEATURE_RADIUS] = at->radius,
        [LMB_WEIGHT_FEATURE_OUTWARD] = at->outward,
        main,
        soft,
        sharp,
        lmb_log(soft + LEAST_WEIGHT),
        lmb_log(sharp + LEAST_WEIGHT),
        lmb_log((at->counted + least) / (f->nearest + least)),
        clamp(at->counted / thick, 0, MOST_RATIO),
        clamp(at->skin / thick, 0, MOST_RATIO),
        lmb_log((at->skin + least) / size),
        clamp(at->along, 0, 1),
        lmb_log((at->length + least) / size),
        lmb_log(thick / size),
        at->to_bone,
        at->to_axis,
        j->children == 0 ? 1 : 0,
        lmb_log(1 + (float)j->children),
        lmb_log(1 + (float)j->depth),
        kin[0],
        kin[1],
        kin[2],
        kin[3],
        slot == f->strongest ? 1 : 0,
        p->joints[f->strongest].above == slot ? 1 : 0,
        j->above == f->strongest ? 1 : 0,
        p->piece_shares[(size_t)f->piece * heat->slot_count + slot],
        p->piece_sizes[f->piece],
        heat->piece_stiff[f->piece] ? 1 : 0,
        f->entropy,
        heat->own_piece[slot] == f->piece ? 1 : 0,
        lmb_log(heat->claims[slot]),
        lmb_log(heat->strengths[slot]),
    };
    memcpy(x, values, sizeof values);
}

uint32_t lmbi_pairs_of(const lmbi_pairs *pairs, uint32_t vertex, uint32_t *slots, float *features)
{
    const lmbi_heat *heat = pairs->heat;
    const size_t row = (size_t)vertex * heat->row_width;
    candidates c;
    pair_geometry geometry[LMB_WEIGHT_CANDIDATES];
    vertex_facts f = {.main = heat->rows + row,
                      .soft = pairs->soft + row,
                      .sharp = pairs->sharp + row,
                      .strongest = heat->rows[row].joint,
                      .piece = heat->piece_of_vertex[vertex],
                      .nearest = INFINITY,
                      .depth = heat->depths[vertex]};
    f.entropy = entropy_of(f.main, heat->row_width);
    find_candidates(pairs, vertex, &c);
    for (uint32_t k = 0; k < c.count; ++k) {
        geometry[k] = pair_geometry_of(pairs, vertex, c.items[k].slot);
        f.nearest = geometry[k].counted < f.nearest ? geometry[k].counted : f.nearest;
    }
    for (uint32_t k = 0; k < c.count; ++k) {
        slots[k] = c.items[k].slot;
        describe(pairs, &f, slots[k], &geometry[k], features + (size_t)k * LMB_WEIGHT_FEATURES);
    }
    return c.count;
}
