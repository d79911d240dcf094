/// Forward and backward reaching (Aristidou & Lasenby 2011) on trees of joints.
///
/// The backward pass moves places alone: each joint goes to where its children, a bone's length
/// away, would have it; where several ends pull, to their weighted mean (the paper's sub-bases).
/// The forward pass turns joints, from the root down, the least that points their bones at those
/// places, and holds each in its limit before it places its children. So bones never stretch,
/// siblings stay rigid, and what comes out is a pose.
#include "ik/chain.h"

#include <string.h>

typedef struct node {
    lmb_vec3 wanted; ///< where the backward pass has it
    lmb_vec3 votes;  ///< weighted sum of what its children ask for
    float weight;    ///< of the votes; then of the node
    float bone;      ///< length of its offset
    int32_t first_child, next_sibling;
} node;

size_t lmbi_fabrik_work(uint32_t link_count, uint32_t end_count)
{
    return ((link_count * sizeof(node) + 15) & ~(size_t)15) + lmbi_ccd_work(end_count);
}

static float length_of(lmb_vec3 v)
{
    return sqrtf(lmb_vec3_dot(v, v));
}

static void set_up(const lmbi_ik_chain *chain, node *nodes)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        nodes[k] =
            (node){.bone = length_of(chain->now[k].offset), .first_child = -1, .next_sibling = -1};
    }
    for (uint32_t k = chain->link_count; k-- > 1;) {
        node *parent = &nodes[chain->links[k].parent];
        nodes[k].next_sibling = parent->first_child;
        parent->first_child = (int32_t)k;
    }
}

/// The place on the way from `anchor` to `toward` that is `length` from the anchor. Coincident
/// points stay as they are.
static lmb_vec3 reach(lmb_vec3 anchor, lmb_vec3 toward, float length)
{
    const lmb_vec3 way = lmb_vec3_sub(toward, anchor);
    const float distance = length_of(way);
    return distance > 1e-12f ? lmb_vec3_mad(anchor, way, length / distance) : toward;
}

static void vote(node *n, lmb_vec3 place, float weight)
{
    n->votes = lmb_vec3_mad(n->votes, place, weight);
    n->weight += weight;
}

/// What an end asks of its joint. With an orientation the joint's place follows from it; without,
/// the joint is pulled along.
static void vote_of_end(const lmbi_ik_chain *chain, const lmbi_end *end, node *nodes)
{
    const float length = length_of(end->offset);
    lmb_vec3 place = end->target;
    if (end->turn_weight > 0.0f) {
        place = lmb_vec3_sub(place, lmbi_turn_vector(end->rotation, end->offset));
    } else if (length > 0.0f) {
        place = reach(place, chain->now[end->link].place, length);
    }
    if (end->weight > 0.0f) {
        vote(&nodes[end->link], place, end->weight);
    }
}

static void backward(const lmbi_ik_chain *chain, node *nodes)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        nodes[k].votes = lmb_vec3_make(0, 0, 0);
        nodes[k].weight = 0.0f;
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        vote_of_end(chain, &chain->ends[e], nodes);
    }
    for (uint32_t k = chain->link_count; k-- > 0;) {
        node *n = &nodes[k];
        n->wanted =
            n->weight > 0.0f ? lmb_vec3_scale(n->votes, 1.0f / n->weight) : chain->now[k].place;
        if (k > 0 && n->weight > 0.0f) {
            const uint32_t parent = (uint32_t)chain->links[k].parent;
            vote(&nodes[parent], reach(n->wanted, chain->now[parent].place, n->bone), n->weight);
        }
    }
}

/// The orientation that an end asks of its joint, if one does.
static const lmbi_end *orienting_end(const lmbi_ik_chain *chain, uint32_t k)
{
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        if (chain->ends[e].link == k && chain->ends[e].turn_weight > 0.0f) {
            return &chain->ends[e];
        }
    }
    return NULL;
}

/// What a joint's bones and end points would have it turn by.
static lmbi_swing swing_of(const lmbi_ik_chain *chain, const node *nodes, uint32_t k)
{
    const lmb_quat turn = chain->now[k].turn;
    const lmb_vec3 place = chain->now[k].place;
    lmbi_swing swing = {.dot = 0};
    for (int32_t c = nodes[k].first_child; c >= 0; c = nodes[c].next_sibling) {
        const lmb_vec3 arm = lmbi_turn_vector(turn, chain->now[c].offset);
        lmbi_swing_add(&swing, arm, lmb_vec3_sub(nodes[c].wanted, place), nodes[c].weight);
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        if (end->link == k && lmb_vec3_dot(end->offset, end->offset) > 0.0f) {
            const lmb_vec3 arm = lmbi_turn_vector(turn, end->offset);
            lmbi_swing_add(&swing, arm, lmb_vec3_sub(end->target, place), end->weight);
        }
    }
    return swing;
}

/// Places a joint, turns it toward where its children shall be, and holds it in its limit.
static void settle(lmbi_ik_chain *chain, const node *nodes, uint32_t k)
{
    const lmbi_link *link = &chain->links[k];
    lmbi_link_state *s = &chain->now[k];
    const lmb_quat frame = lmbi_parent_turn(chain, chain->now, k);
    const lmb_vec3 from = link->parent < 0 ? chain->base : chain->now[link->parent].place;
    s->place = lmb_vec3_add(from, lmbi_turn_vector(frame, s->offset));
    const lmbi_end *oriented = orienting_end(chain, k);
    lmb_quat turned = oriented ? oriented->rotation : s->turn;
    if (oriented == NULL && link->turns && link->child_count > 0) {
        const lmbi_swing swing = swing_of(chain, nodes, k);
        if (lmbi_is_hinge(link)) { // its axis is where its frame has brought it, not where it was
            s->turn = lmbi_turn_mul(frame, s->local);
            const lmbi_swing hinged = swing_of(chain, nodes, k);
            const lmb_vec3 axis = lmbi_hinge_axis(chain, chain->now, k);
            turned =
                lmbi_turn_mul(lmb_quat_axis_angle(axis, lmbi_swing_angle(&hinged, axis)), s->turn);
        } else {
            const lmb_vec3 axis = lmbi_swing_axis(&swing);
            turned =
                lmbi_turn_mul(lmb_quat_axis_angle(axis, lmbi_swing_angle(&swing, axis)), s->turn);
        }
    }
    s->local = lmbi_turn_refine(lmbi_turn_mul(lmb_quat_conjugate(frame), turned));
    lmbi_chain_hold_link(chain, chain->now, k);
}

static bool is_plain(const lmbi_ik_chain *chain)
{
    return !chain->has_limits && chain->end_count == 1 && !(chain->ends[0].turn_weight > 0.0f) &&
           !(lmb_vec3_dot(chain->ends[0].offset, chain->ends[0].offset) > 0.0f);
}

/// One end, no limits: the places alone, and rotations when they are found. nodes[k].wanted is the
/// place of joint k.
static void solve_plain(lmbi_ik_chain *chain, node *nodes)
{
    const uint32_t last = chain->link_count - 1;
    const lmb_vec3 root = chain->now[0].place, target = chain->ends[0].target;
    for (uint32_t k = 0; k <= last; ++k) {
        nodes[k].wanted = chain->now[k].place;
    }
    for (bool over = false; !over;) {
        nodes[last].wanted = target;
        for (uint32_t k = last; k-- > 0;) {
            nodes[k].wanted = reach(nodes[k + 1].wanted, nodes[k].wanted, nodes[k + 1].bone);
        }
        nodes[0].wanted = root;
        for (uint32_t k = 0; k < last; ++k) {
            nodes[k + 1].wanted = reach(nodes[k].wanted, nodes[k + 1].wanted, nodes[k + 1].bone);
        }
        lmbi_miss *miss = &chain->miss[0];
        miss->place = nodes[last].wanted;
        miss->way = lmb_vec3_sub(target, miss->place);
        if (chain->job->trace && chain->iterations < chain->job->max_iterations) {
            chain->job->trace[chain->iterations] = length_of(miss->way);
        }
        over = ++chain->iterations >= chain->most || lmbi_chain_is_met(chain);
    }
    for (uint32_t k = 0; k <= last; ++k) {
        nodes[k].weight = 1.0f;
    }
    for (uint32_t k = 0; k <= last; ++k) {
        settle(chain, nodes, k);
    }
}

void lmbi_solve_fabrik(lmbi_ik_chain *chain)
{
    node *nodes = chain->work;
    float cost = lmbi_chain_measure(chain, chain->now);
    bool over = lmbi_chain_is_met(chain);
    set_up(chain, nodes);
    if (over) {
        lmbi_chain_tick(chain, cost);
        return;
    }
    if (is_plain(chain)) {
        solve_plain(chain, nodes);
        cost = lmbi_chain_measure(chain, chain->now);
        if (cost < chain->best_cost) {
            memcpy(chain->best, chain->now, chain->link_count * sizeof(*chain->now));
        }
        return;
    }
    // Limits can leave the forward pass where it was: a hinge sees its own bone, and nobody turns
    // what it hangs on. A sweep that looks at the ends themselves goes on from there.
    void *sweep = (uint8_t *)chain->work + ((chain->link_count * sizeof(node) + 15) & ~(size_t)15);
    while (!over) {
        const float before = cost;
        backward(chain, nodes);
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            settle(chain, nodes, k);
        }
        cost = lmbi_chain_measure(chain, chain->now);
        if (chain->has_limits && !(cost < 0.9f * before)) {
            lmbi_ccd_sweep(chain, sweep);
            cost = lmbi_chain_measure(chain, chain->now);
        }
        over = lmbi_chain_tick(chain, cost);
    }
}
