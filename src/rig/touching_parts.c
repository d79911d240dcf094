#include "rig/touching_parts.h"
#include "geometry/tree_nodes.h"

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/heat_near.h"
#include "rig/rig.h"

#include <math.h>

/// Two bones are far apart if the distance along the skeleton exceeds the straight one by this
/// factor.
static const float FAR = 2;
/// A vertex is in a crease if the ball touching it from outside has a smaller radius than this
/// fraction of the straight distance.
static const float CREASE = 0.5f;
/// Parameters of the ball query; see heat_middle.c.
static const float NOTHING = 1e-3f, SLACK = 0.2f, FLAT = 0.1f;
/// Samples along the chains; and the most slots for which pairs of slots are tabulated.
enum { PROBES = 8, MOST_SLOTS = 1024 };

/// The lowest common ancestor, which may be one of the two; LMB_NONE without one.
static int32_t common_ancestor(const lmbi_bones *bones, uint32_t a, uint32_t b)
{
    uint32_t da = lmbi_joint_depth(bones->parents, a), db = lmbi_joint_depth(bones->parents, b);
    int32_t p = (int32_t)a, q = (int32_t)b;
    while (p != q && p != LMB_NONE && q != LMB_NONE) {
        const bool first = da >= db;
        p = first ? bones->parents[p] : p;
        q = first ? q : bones->parents[q];
        da -= first ? 1 : 0;
        db -= first ? 0 : 1;
    }
    return p == q ? p : LMB_NONE;
}

/// Length of the chain from a point on the joint's bone up to its first joint below `top`, which is
/// stored in `end`.
static float measure_chain(const lmbi_bones *bones, uint32_t joint, lmb_vec3 on, int32_t top,
                           lmb_vec3 *end)
{
    float path = lmb_vec3_distance(on, bones->positions[joint]);
    uint32_t j = joint;
    for (; bones->parents[j] != top; j = (uint32_t)bones->parents[j]) {
        path += lmb_vec3_distance(bones->positions[j], bones->positions[bones->parents[j]]);
    }
    *end = bones->positions[j];
    return path;
}

float lmbi_skeleton_distance(const lmbi_bones *bones, uint32_t a, lmb_vec3 on_a, uint32_t b,
                             lmb_vec3 on_b)
{
    const int32_t top = bones->parents && a != b ? common_ancestor(bones, a, b) : LMB_NONE;
    lmb_vec3 end;
    if (top == LMB_NONE) {
        return 0;
    }
    if (top == (int32_t)a) {
        const float path = measure_chain(bones, b, on_b, top, &end);
        return path + lmb_vec3_distance(end, on_a);
    }
    if (top == (int32_t)b) {
        const float path = measure_chain(bones, a, on_a, top, &end);
        return path + lmb_vec3_distance(end, on_b);
    }
    return measure_chain(bones, a, on_a, top, &end) + measure_chain(bones, b, on_b, top, &end);
}

/// The point at arc length `path` from a point on the joint's bone toward the chain's first joint
/// below `top`.
static lmb_vec3 point_along(const lmbi_bones *bones, uint32_t joint, lmb_vec3 on, int32_t top,
                            float path)
{
    lmb_vec3 from = on;
    for (uint32_t j = joint;; j = (uint32_t)bones->parents[j]) {
        const float length = lmb_vec3_distance(from, bones->positions[j]);
        if (path <= length || bones->parents[j] == top) {
            return length > 0 ? lmb_vec3_lerp(from, bones->positions[j], fminf(path / length, 1))
                              : from;
        }
        path -= length;
        from = bones->positions[j];
    }
}

/// Whether the surface separates the two chains anywhere below their common joint. Two thighs in a
/// skirt or two fingers in the palm are not separated.
static bool are_separated_by_surface(const lmbi_heat *heat, uint32_t v, uint32_t a, lmb_vec3 on_a,
                                     uint32_t b, lmb_vec3 on_b)
{
    const lmbi_bones *bones = heat->bones;
    const int32_t top = common_ancestor(bones, a, b);
    lmb_vec3 end = on_a; // never read; initialised for compilers that cannot tell
    const float length_a = top == (int32_t)a ? 0 : measure_chain(bones, a, on_a, top, &end),
                length_b = top == (int32_t)b ? 0 : measure_chain(bones, b, on_b, top, &end);
    for (int k = 1; k <= PROBES; ++k) {
        const float along = (float)k / (PROBES + 1);
        const lmb_vec3 from = top == (int32_t)a
                                  ? lmb_vec3_lerp(on_a, end, along)
                                  : point_along(bones, a, on_a, top, along * length_a);
        const lmb_vec3 to = top == (int32_t)b ? lmb_vec3_lerp(on_b, end, along)
                                              : point_along(bones, b, on_b, top, along * length_b);
        const lmbi_ray ray = {.origin = from,
                              .direction = lmb_vec3_sub(to, from),
                              .t_max = 1,
                              .groups = heat->piece_count > 1 ? heat->piece_of_triangle : NULL,
                              .group = heat->piece_of_vertex[v]};
        if (lmb_vec3_distance(from, to) > NOTHING * heat->size &&
            lmbi_tree_hit_any(heat->tree, &ray)) {
            return true;
        }
    }
    return false;
}

static lmb_vec3 nearest_bone_point(const lmbi_heat *heat, uint32_t slot, lmb_vec3 p)
{
    lmb_vec3 best = p, at;
    float least = INFINITY;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        if (heat->slot_of_bone[b] == slot) {
            const float d = lmbi_bone_distance(&heat->bones->items[b], p, &at);
            best = d < least ? at : best;
            least = d < least ? d : least;
        }
    }
    return best;
}

/// Radius, at most `most`, of the largest ball that touches vertex v from outside.
static float outer_ball_radius(const lmbi_heat *heat, uint32_t v, float most)
{
    const lmb_vec3 normal = heat->normals[v];
    if (!(lmb_vec3_dot(normal, normal) > 0.5f) || !(most > 0)) {
        return most;
    }
    const lmbi_inner_ball_job job = {.point = heat->surface->positions[v],
                                     .inward = normal,
                                     .radius = most,
                                     .nothing = NOTHING * heat->size,
                                     .slack = SLACK,
                                     .flat = FLAT,
                                     .groups =
                                         heat->piece_count > 1 ? heat->piece_of_triangle : NULL,
                                     .group = heat->piece_of_vertex[v]};
    return lmbi_tree_inner_ball(heat->tree, &job);
}

/// Finds the bones' points nearest to vertex v. True if the distance along the skeleton between
/// them is far.
static bool are_far(const lmbi_heat *heat, uint32_t v, const uint32_t joints[2],
                    const uint32_t slots[2], lmb_vec3 on[2])
{
    for (int k = 0; k < 2; ++k) {
        on[k] = nearest_bone_point(heat, slots[k], heat->surface->positions[v]);
    }
    return lmbi_skeleton_distance(heat->bones, joints[0], on[0], joints[1], on[1]) >
           FAR * lmb_vec3_distance(on[0], on[1]);
}

bool lmbi_only_touches(const lmbi_heat *heat, uint32_t v, uint32_t slot_a, uint32_t slot_b)
{
    const uint32_t slots[2] = {slot_a, slot_b},
                   joints[2] = {heat->joint_of_slot[slot_a], heat->joint_of_slot[slot_b]};
    lmb_vec3 on[2];
    if (!are_far(heat, v, joints, slots, on)) {
        return false;
    }
    const float straight = lmb_vec3_distance(on[0], on[1]);
    return outer_ball_radius(heat, v, straight) < CREASE * straight &&
           are_separated_by_surface(heat, v, joints[0], on[0], joints[1], on[1]);
}

/// An edge of the Laplacian between vertices heated by bones that are far apart.
typedef struct far_edge {
    uint32_t column, entry; ///< in the Laplacian
    uint32_t pair;          ///< index into votes
} far_edge;

typedef struct parting {
    const lmbi_heat *heat;
    lmbi_sparse *laplacian;
    far_edge *edges;
    size_t count, capacity;
    int32_t *votes; ///< [slot_count][slot_count] touching edges minus connected ones
} parting;

static bool record_edge(parting *p, uint32_t column, uint32_t entry)
{
    const lmbi_heat *heat = p->heat;
    const uint32_t ends[2] = {column, p->laplacian->rows[entry]};
    uint32_t a = heat->sources[ends[0]].joints[0], b = heat->sources[ends[1]].joints[0];
    if (a > b) {
        const uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    const uint32_t slots[2] = {a, b}, joints[2] = {heat->joint_of_slot[a], heat->joint_of_slot[b]};
    lmb_vec3 on[2];
    if (a == b || !are_far(heat, ends[0], joints, slots, on)) {
        return true;
    }
    void *items = p->edges;
    const bool room = lmbi_grow(heat->alloc, &items, &p->capacity, p->count + 1, sizeof *p->edges);
    p->edges = items;
    if (room) {
        const bool touch =
            lmbi_only_touches(heat, ends[0], a, b) || lmbi_only_touches(heat, ends[1], a, b);
        p->edges[p->count++] = (far_edge){column, entry, a * heat->slot_count + b};
        p->votes[a * heat->slot_count + b] += touch ? 1 : -1;
    }
    return room;
}

/// Cuts the edges of each pair of slots where most of them only touch. One uncut edge would conduct
/// the heat, so a pair is cut entirely or not at all.
static void cut_touching_edges(parting *p)
{
    lmbi_sparse *m = p->laplacian;
    for (size_t k = 0; k < p->count; ++k) {
        const far_edge *e = &p->edges[k];
        if (p->votes[e->pair] > 0) {
            const double w = m->values[e->entry]; // negative
            m->values[e->entry] = 0;
            m->values[m->first[e->column]] += w;
            m->values[m->first[m->rows[e->entry]]] += w;
        }
    }
}

lmb_result lmbi_cut_touching_parts(const lmbi_heat *heat, lmbi_sparse *laplacian, lmb_error *error)
{
    if (!heat->bones->parents || heat->slot_count > MOST_SLOTS) {
        return LMB_OK;
    }
    parting p = {.heat = heat, .laplacian = laplacian};
    p.votes =
        lmbi_alloc_array(heat->alloc, (size_t)heat->slot_count * heat->slot_count, sizeof *p.votes);
    bool room = p.votes != NULL;
    for (uint32_t j = 0; room && j < laplacian->size; ++j) {
        for (uint32_t k = laplacian->first[j] + 1; room && k < laplacian->first[j + 1]; ++k) {
            room = record_edge(&p, j, k);
        }
    }
    if (room) {
        cut_touching_edges(&p);
    }
    lmbi_free(heat->alloc, p.edges);
    lmbi_free(heat->alloc, p.votes);
    return room ? LMB_OK : lmbi_fail_memory(error);
}

/// Removes from each row the joints whose volume only touches that of the vertex.
static void remove_touching_joints(void *context, size_t begin, size_t end)
{
    lmbi_heat *heat = context;
    for (size_t v = begin; v < end; ++v) {
        lmb_influence *row = heat->rows + v * heat->row_width;
        lmbi_near near[LMBI_NEAR_BONES];
        if (!(row[0].weight > 0) || lmbi_nearest_bones(heat, (uint32_t)v, near) == 0) {
            continue;
        }
        const uint32_t own = heat->slot_of_bone[near[0].bone];
        bool has_own = false;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            has_own = has_own || row[k].joint == own;
        }
        uint32_t kept = 0;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            const lmb_influence item = row[k];
            const bool goes = has_own && item.joint != own &&
                              lmbi_only_touches(heat, (uint32_t)v, own, item.joint);
            row[k].weight = 0;
            if (!goes) {
                row[kept++] = item;
            }
        }
    }
}

void lmbi_remove_touching_weights(lmbi_heat *heat)
{
    if (heat->bones->parents && heat->opts.method != LMB_WEIGHTS_HEAT) {
        lmb_parallel_for(heat->opts.jobs, heat->surface->vertex_count, 256, remove_touching_joints,
                         heat);
    }
}
