/// Measures joints and the volume around them, and computes claims from that.
#include "rig/ownership.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/ownership_table.h"
#include "rig/rig.h"

/// Vertices looked at, of large surfaces.
enum { SAMPLES = 8192 };
/// Lengths and fractions of nothing, as a fraction of the size and of the surface.
static const float LEAST_LENGTH = 1e-3f, LEAST_SHARE = 1e-4f;
/// A joint has a piece of its own if that is smaller than this fraction of the size, and the joint
/// nearer to its centre than this fraction of the piece's diagonal.
static const float OWN_SIZE = 0.2f, OWN_CENTRE = 0.35f;
/// Joints nearer than this fraction of the size are at one position; a joint as near to its parent's
/// line to another child, as a fraction of that line's length, is a twist joint.
static const float SAME_PLACE = 2e-3f, TWIST = 0.1f;
/// Claims and strengths that are fitted stay within this factor. A joint with a piece of its own
/// claims by the other factor more there, and as much less elsewhere: next to nothing.
static const float MOST_CLAIM = 8, OWN_CLAIM = 4;

/// What is known of a slot's joint.
typedef struct owner {
    lmb_vec3 head;
    uint32_t above; ///< slot of the nearest joint above that has bones, or UINT32_MAX
    uint32_t children, leaves;
    bool known;
    float length;   ///< of its longest bone
    float fraction; ///< of the skin that is nearest to it
    double area;
} owner;

typedef struct measure {
    lmbi_heat *heat;
    owner *joints;
    lmbi_ownership *out;
} measure;

static void measure_bones(const measure *m)
{
    const lmbi_heat *heat = m->heat;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const lmbi_bone_segment *bone = &heat->bones->items[b];
        owner *j = &m->joints[heat->slot_of_bone[b]];
        const float length = lmb_vec3_distance(bone->head, bone->tail);
        if (!j->known || length > j->length) {
            *j = (owner){.head = bone->head, .length = length, .known = true};
        }
    }
}

/// Slot of a joint, UINT32_MAX where it has no bones.
static uint32_t slot_of(const lmbi_heat *heat, uint32_t joint)
{
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        if (heat->joint_of_slot[s] == joint) {
            return s;
        }
    }
    return UINT32_MAX;
}

static void link_joints(const measure *m)
{
    const lmbi_heat *heat = m->heat;
    const uint32_t n = heat->slot_count;
    for (uint32_t s = 0; s < n; ++s) {
        owner *j = &m->joints[s];
        int32_t up = heat->bones->parents ? heat->bones->parents[heat->joint_of_slot[s]] : LMB_NONE;
        j->above = UINT32_MAX;
        while (up != LMB_NONE && j->above == UINT32_MAX) {
            j->above = slot_of(heat, (uint32_t)up);
            up = heat->bones->parents[up];
        }
        if (j->above != UINT32_MAX) {
            ++m->joints[j->above].children;
        }
    }
    for (uint32_t s = 0; s < n; ++s) {
        const uint32_t up = m->joints[s].above;
        if (up != UINT32_MAX && m->joints[s].children == 0) {
            ++m->joints[up].leaves;
        }
    }
}

void lmbi_vertex_areas(const lmb_surface *s, float *areas)
{
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        const lmb_vec3 across =
            lmb_vec3_cross(lmb_vec3_sub(s->positions[c[1]], s->positions[c[0]]),
                           lmb_vec3_sub(s->positions[c[2]], s->positions[c[0]]));
        const float third = lmb_vec3_length(across) / 6;
        for (int k = 0; k < 3; ++k) {
            areas[c[k]] += third;
        }
    }
}

/// The fraction of the skin that is nearest to each joint.
static void measure_flesh(const measure *m, const float *areas)
{
    lmbi_heat *heat = m->heat;
    const uint32_t n = heat->surface->vertex_count, stride = 1 + n / SAMPLES;
    double total = 0;
    for (uint32_t v = 0; v < n; v += stride) {
        lmbi_near near[LMBI_NEAR_BONES];
        if (lmbi_nearest_bones(heat, v, near) == 0 || !(areas[v] > 0)) {
            continue;
        }
        owner *j = &m->joints[heat->slot_of_bone[near[0].bone]];
        j->area += (double)areas[v];
        total += (double)areas[v];
    }
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        m->joints[s].fraction = total > 0 ? (float)(m->joints[s].area / total) : 0;
    }
}

/// Whether a joint is one of several leaves of the joint above.
static bool is_crowded(const measure *m, uint32_t slot)
{
    const owner *j = &m->joints[slot];
    return j->children == 0 && j->above != UINT32_MAX && m->joints[j->above].leaves > 1;
}

/// The smallest piece that each of several leaves of a joint lies in the middle of: an eyeball.
static lmb_result find_own_pieces(const measure *m, lmb_error *error)
{
    const lmbi_heat *heat = m->heat;
    const lmb_surface *s = heat->surface;
    lmb_box *boxes = lmbi_alloc_array(heat->alloc, heat->piece_count, sizeof *boxes);
    if (!boxes) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        boxes[p] = lmb_box_empty();
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        boxes[heat->piece_of_vertex[v]] =
            lmb_box_add(boxes[heat->piece_of_vertex[v]], s->positions[v]);
    }
    for (uint32_t k = 0; k < heat->slot_count; ++k) {
        float best = OWN_SIZE * heat->size;
        m->out->own_piece[k] = UINT32_MAX;
        for (uint32_t p = 0; p < heat->piece_count && is_crowded(m, k); ++p) {
            const float size = lmb_vec3_distance(boxes[p].low, boxes[p].high);
            const lmb_vec3 centre = lmb_vec3_lerp(boxes[p].low, boxes[p].high, 0.5f);
            if (size < best && lmb_vec3_distance(centre, m->joints[k].head) < OWN_CENTRE * size) {
                best = size;
                m->out->own_piece[k] = p;
            }
        }
    }
    lmbi_free(heat->alloc, boxes);
    return LMB_OK;
}

static float log_ratio(float a, float b, float least)
{
    return lmb_log((a > least ? a : least) / (b > least ? b : least));
}

/// Whether the joint lies on its parent's bone to another child.
static bool is_twist(const measure *m, uint32_t slot)
{
    const owner *j = &m->joints[slot];
    if (j->above == UINT32_MAX) {
        return false;
    }
    for (uint32_t s = 0; s < m->heat->slot_count; ++s) {
        const owner *other = &m->joints[s];
        const lmbi_bone_segment bone = {.head = m->joints[j->above].head, .tail = other->head};
        lmb_vec3 at;
        const float length = lmb_vec3_distance(bone.head, bone.tail);
        if (s != slot && other->above == j->above &&
            lmb_vec3_distance(j->head, bone.head) < 0.95f * length &&
            lmbi_bone_distance(&bone, j->head, &at) < TWIST * length) {
            return true;
        }
    }
    return false;
}

static bool shares_place(const measure *m, uint32_t slot)
{
    for (uint32_t s = 0; s < m->heat->slot_count; ++s) {
        if (s != slot && lmb_vec3_distance(m->joints[s].head, m->joints[slot].head) <
                             SAME_PLACE * m->heat->size) {
            return true;
        }
    }
    return false;
}

static float skin_distance(const measure *m, lmb_vec3 p)
{
    const lmbi_closest c = lmbi_tree_closest(m->heat->tree, p, INFINITY);
    return c.triangle == UINT32_MAX ? 0 : lmb_vec3_distance(c.point, p);
}

/// All is zero for a joint that shares nothing: not one of several leaves of a joint nor their
/// parent, no twist joint, none at the position of another.
static void describe(const measure *m, uint32_t slot)
{
    const owner *j = &m->joints[slot];
    const owner *up = &m->joints[j->above == UINT32_MAX ? slot : j->above];
    const float size = m->heat->size, least = LEAST_LENGTH * size;
    const float crowd = is_crowded(m, slot) ? lmb_log((float)up->leaves) : 0;
    const float x[LMBI_JOINT_FEATURES] = {
        crowd,
        crowd * log_ratio(j->fraction, up->fraction, LEAST_SHARE),
        crowd > 0 ? crowd * log_ratio(skin_distance(m, j->head), size, least) : 0,
        crowd * log_ratio(j->length, up->length, least),
        is_twist(m, slot) ? 1 : 0,
        shares_place(m, slot) ? 1 : 0,
        j->leaves > 1 ? lmb_log((float)j->leaves) : 0,
    };
    memcpy(m->out->features + (size_t)slot * LMBI_JOINT_FEATURES, x, sizeof x);
}

lmb_result lmbi_ownership_measure(lmbi_heat *heat, lmbi_ownership *out, lmb_error *error)
{
    const uint32_t n = heat->slot_count;
    measure m = {.heat = heat, .out = out};
    float *areas = lmbi_alloc_array(heat->alloc, heat->surface->vertex_count, sizeof *areas);
    m.joints = lmbi_alloc_array(heat->alloc, n, sizeof *m.joints);
    out->features = lmbi_arena_array(&heat->arena, (size_t)n * LMBI_JOINT_FEATURES, sizeof(float));
    out->own_piece = lmbi_arena_array(&heat->arena, n, sizeof *out->own_piece);
    lmb_result result =
        areas && m.joints && out->features && out->own_piece ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        measure_bones(&m);
        link_joints(&m);
        lmbi_vertex_areas(heat->surface, areas);
        measure_flesh(&m, areas);
        result = find_own_pieces(&m, error);
    }
    for (uint32_t s = 0; s < n && result == LMB_OK; ++s) {
        describe(&m, s);
    }
    lmbi_free(heat->alloc, m.joints);
    lmbi_free(heat->alloc, areas);
    return result;
}

static float bounded_exp(float x)
{
    const float most = lmb_log(MOST_CLAIM);
    return lmb_exp(x < -most ? -most : x > most ? most : x);
}

static float dot(const float *a, const float *b)
{
    float sum = 0;
    for (uint32_t f = 0; f < LMBI_JOINT_FEATURES; ++f) {
        sum += a[f] * b[f];
    }
    return sum;
}

lmb_result lmbi_ownership_claim(lmbi_heat *heat, const float *coefficients, lmb_error *error)
{
    const float *c = coefficients ? coefficients : lmbi_ownership_table;
    lmbi_ownership made;
    const lmb_result result = lmbi_ownership_measure(heat, &made, error);
    if (result != LMB_OK) {
        return result;
    }
    heat->claims = lmbi_arena_array(&heat->arena, heat->slot_count, sizeof *heat->claims);
    heat->own_claims = lmbi_arena_array(&heat->arena, heat->slot_count, sizeof *heat->own_claims);
    heat->strengths = lmbi_arena_array(&heat->arena, heat->slot_count, sizeof *heat->strengths);
    if (!heat->claims || !heat->own_claims || !heat->strengths) {
        return lmbi_fail_memory(error);
    }
    heat->own_piece = made.own_piece;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        const float *x = made.features + (size_t)s * LMBI_JOINT_FEATURES;
        const float claim = bounded_exp(dot(c, x));
        heat->own_claims[s] = claim / OWN_CLAIM;
        heat->claims[s] = made.own_piece[s] == UINT32_MAX ? claim : claim * OWN_CLAIM;
        heat->strengths[s] = bounded_exp(dot(c + LMBI_JOINT_FEATURES, x));
    }
    return LMB_OK;
}

void lmbi_ownership_default(float coefficients[LMB_OWNERSHIP_COEFFICIENTS])
{
    memcpy(coefficients, lmbi_ownership_table, sizeof lmbi_ownership_table);
}
