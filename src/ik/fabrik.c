/// Forward and backward reaching (Aristidou & Lasenby 2011) on trees of joints.
///
/// The backward pass moves positions only: each joint goes to a bone's length from its child's new
/// position, or to the weighted mean over several children (the paper's sub-bases). The forward
/// pass rotates joints from the root down, by the least rotation that points their bones at those
/// positions, and clamps each to its limit before its children are placed. Bones therefore never
/// stretch, siblings stay rigid, and the result is a pose.
#include "ik/chain.h"

#include <string.h>

typedef struct node {
    lmb_vec3 wanted; ///< position found by the backward pass
    lmb_vec3 votes;  ///< weighted sum of the positions that children and ends ask for
    float weight;    ///< of the votes, then of the node
    float bone;      ///< length of its offset
    int32_t first_child, next_sibling;
} node;

size_t lmbi_fabrik_work(uint32_t link_count, uint32_t end_count)
{
    return ((link_count * sizeof(node) + 15) & ~(size_t)15) + lmbi_ccd_work(end_count);
}

static void build_nodes(const lmbi_ik_chain *chain, node *nodes)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        nodes[k] = (node){
            .bone = lmbi_vec3_length(chain->now[k].offset), .first_child = -1, .next_sibling = -1};
    }
    for (uint32_t k = chain->link_count; k-- > 1;) {
        node *parent = &nodes[chain->links[k].parent];
        nodes[k].next_sibling = parent->first_child;
        parent->first_child = (int32_t)k;
    }
}

/// The point at `length` from `anchor` in the direction of `toward`. Coincident points stay as they
/// are.
static lmb_vec3 point_toward(lmb_vec3 anchor, lmb_vec3 toward, float length)
{
    const lmb_vec3 direction = lmb_vec3_sub(toward, anchor);
    const float distance = lmbi_vec3_length(direction);
    return distance > 1e-12f ? lmb_vec3_mad(anchor, direction, length / distance) : toward;
}

static void add_vote(node *n, lmb_vec3 position, float weight)
{
    n->votes = lmb_vec3_mad(n->votes, position, weight);
    n->weight += weight;
}

/// Position that an end asks of its joint. An orientation goal determines it; without one the joint
/// is dragged along.
static void add_end_vote(const lmbi_ik_chain *chain, const lmbi_end *end, node *nodes)
{
    const float length = lmbi_vec3_length(end->offset);
    lmb_vec3 position = end->target;
    if (end->turn_weight > 0.0f) {
        position = lmb_vec3_sub(position, lmbi_quat_rotate(end->rotation, end->offset));
    } else if (length > 0.0f) {
        position = point_toward(position, chain->now[end->link].position, length);
    }
    if (end->weight > 0.0f) {
        add_vote(&nodes[end->link], position, end->weight);
    }
}

static void run_backward_pass(const lmbi_ik_chain *chain, node *nodes)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        nodes[k].votes = lmb_vec3_make(0, 0, 0);
        nodes[k].weight = 0.0f;
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        add_end_vote(chain, &chain->ends[e], nodes);
    }
    for (uint32_t k = chain->link_count; k-- > 0;) {
        node *n = &nodes[k];
        n->wanted =
            n->weight > 0.0f ? lmb_vec3_scale(n->votes, 1.0f / n->weight) : chain->now[k].position;
        if (k > 0 && n->weight > 0.0f) {
            const uint32_t parent = (uint32_t)chain->links[k].parent;
            add_vote(&nodes[parent], point_toward(n->wanted, chain->now[parent].position, n->bone),
                     n->weight);
        }
    }
}

/// The orientation goal on a joint, or NULL.
static const lmbi_end *orienting_end(const lmbi_ik_chain *chain, uint32_t k)
{
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        if (chain->ends[e].link == k && chain->ends[e].turn_weight > 0.0f) {
            return &chain->ends[e];
        }
    }
    return NULL;
}

/// The rotation that a joint's bones and end points ask for.
static lmbi_swing sum_swing(const lmbi_ik_chain *chain, const node *nodes, uint32_t k)
{
    const lmb_quat rotation = chain->now[k].rotation;
    const lmb_vec3 position = chain->now[k].position;
    lmbi_swing swing = {.dot = 0};
    for (int32_t c = nodes[k].first_child; c >= 0; c = nodes[c].next_sibling) {
        const lmb_vec3 arm = lmbi_quat_rotate(rotation, chain->now[c].offset);
        lmbi_swing_add(&swing, arm, lmb_vec3_sub(nodes[c].wanted, position), nodes[c].weight);
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        if (end->link == k && lmb_vec3_dot(end->offset, end->offset) > 0.0f) {
            const lmb_vec3 arm = lmbi_quat_rotate(rotation, end->offset);
            lmbi_swing_add(&swing, arm, lmb_vec3_sub(end->target, position), end->weight);
        }
    }
    return swing;
}

/// Moves a joint, rotates it toward its children's wanted positions and clamps it to its limit.
static void place_link(lmbi_ik_chain *chain, const node *nodes, uint32_t k)
{
    const lmbi_link *link = &chain->links[k];
    lmbi_link_state *s = &chain->now[k];
    const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k);
    const lmb_vec3 from =
        link->parent < 0 ? chain->base_position : chain->now[link->parent].position;
    s->position = lmb_vec3_add(from, lmbi_quat_rotate(frame, s->offset));
    const lmbi_end *oriented = orienting_end(chain, k);
    lmb_quat rotated = oriented ? oriented->rotation : s->rotation;
    if (oriented == NULL && link->rotates && link->child_count > 0) {
        const lmbi_swing swing = sum_swing(chain, nodes, k);
        if (lmbi_is_hinge(link)) { // the axis as moved by the parent
            s->rotation = lmbi_quat_mul(frame, s->local);
            const lmbi_swing hinged = sum_swing(chain, nodes, k);
            const lmb_vec3 axis = lmbi_hinge_axis(chain, chain->now, k);
            rotated = lmbi_quat_mul(lmb_quat_axis_angle(axis, lmbi_swing_angle(&hinged, axis)),
                                    s->rotation);
        } else {
            const lmb_vec3 axis = lmbi_swing_axis(&swing);
            rotated = lmbi_quat_mul(lmb_quat_axis_angle(axis, lmbi_swing_angle(&swing, axis)),
                                    s->rotation);
        }
    }
    s->local = lmbi_quat_renormalize(lmbi_quat_mul(lmb_quat_conjugate(frame), rotated));
    lmbi_chain_clamp_link(chain, chain->now, k);
}

static bool is_plain(const lmbi_ik_chain *chain)
{
    return !chain->has_limits && chain->end_count == 1 && !(chain->ends[0].turn_weight > 0.0f) &&
           !(lmb_vec3_dot(chain->ends[0].offset, chain->ends[0].offset) > 0.0f);
}

/// One end without limits: positions only, rotations at the end. nodes[k].wanted is the position of
/// joint k.
static void solve_plain(lmbi_ik_chain *chain, node *nodes)
{
    const uint32_t last = chain->link_count - 1;
    const lmb_vec3 root = chain->now[0].position, target = chain->ends[0].target;
    for (uint32_t k = 0; k <= last; ++k) {
        nodes[k].wanted = chain->now[k].position;
    }
    for (bool over = false; !over;) {
        nodes[last].wanted = target;
        for (uint32_t k = last; k-- > 0;) {
            nodes[k].wanted = point_toward(nodes[k + 1].wanted, nodes[k].wanted, nodes[k + 1].bone);
        }
        nodes[0].wanted = root;
        for (uint32_t k = 0; k < last; ++k) {
            nodes[k + 1].wanted =
                point_toward(nodes[k].wanted, nodes[k + 1].wanted, nodes[k + 1].bone);
        }
        lmbi_end_error *error = &chain->errors[0];
        error->position = nodes[last].wanted;
        error->to_target = lmb_vec3_sub(target, error->position);
        if (chain->job->trace && chain->iterations < chain->job->max_iterations) {
            chain->job->trace[chain->iterations] = lmbi_vec3_length(error->to_target);
        }
        over = ++chain->iterations >= chain->max_iterations || lmbi_chain_is_met(chain);
    }
    for (uint32_t k = 0; k <= last; ++k) {
        nodes[k].weight = 1.0f;
    }
    for (uint32_t k = 0; k <= last; ++k) {
        place_link(chain, nodes, k);
    }
}

void lmbi_solve_fabrik(lmbi_ik_chain *chain)
{
    node *nodes = chain->work;
    float cost = lmbi_chain_measure_errors(chain, chain->now);
    bool over = lmbi_chain_is_met(chain);
    build_nodes(chain, nodes);
    if (over) {
        lmbi_chain_count_iteration(chain, cost);
        return;
    }
    if (is_plain(chain)) {
        solve_plain(chain, nodes);
        cost = lmbi_chain_measure_errors(chain, chain->now);
        if (cost < chain->best_cost) {
            memcpy(chain->best, chain->now, chain->link_count * sizeof(*chain->now));
        }
        return;
    }
    // With limits the forward pass can stall: a hinge only sees its own bone, and no joint above it
    // rotates to help. A CCD sweep, which measures the ends themselves, continues from there.
    void *sweep = (uint8_t *)chain->work + ((chain->link_count * sizeof(node) + 15) & ~(size_t)15);
    while (!over) {
        const float before = cost;
        run_backward_pass(chain, nodes);
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            place_link(chain, nodes, k);
        }
        cost = lmbi_chain_measure_errors(chain, chain->now);
        if (chain->has_limits && !(cost < 0.9f * before)) {
            lmbi_ccd_sweep(chain, sweep);
            cost = lmbi_chain_measure_errors(chain, chain->now);
        }
        over = lmbi_chain_count_iteration(chain, cost);
    }
}
