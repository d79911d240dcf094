/// Cyclic coordinate descent: joint by joint from the ends to the root, each turned to where the
/// ends below it come nearest to their targets. One joint's best turn is known in closed form for
/// any number of ends, so no turn ever makes matters worse.
#include "ik/chain.h"

/// Radians that a joint turns in a sweep: without this the last joints take all of it and the chain
/// knots.
#define MOST_TURN 0.8f

size_t lmbi_ccd_work(uint32_t end_count)
{
    return end_count * sizeof(lmb_quat) + 16;
}

float lmbi_swing_angle(const lmbi_swing *s, lmb_vec3 n)
{
    const float *o = s->outer;
    const float on = o[0] * n.x * n.x + o[1] * n.y * n.y + o[2] * n.z * n.z + o[3] * n.x * n.y +
                     o[4] * n.x * n.z + o[5] * n.y * n.z;
    const float sine = lmb_vec3_dot(n, s->cross), cosine = s->dot - on;
    return sine * sine + cosine * cosine > 0.0f ? lmb_atan2(sine, cosine) : 0.0f;
}

lmb_vec3 lmbi_swing_axis(const lmbi_swing *s)
{
    return lmb_vec3_normalize_or(s->cross, lmb_vec3_make(0, 0, 0));
}

/// Orientations count by the three axes of the frame: sum |R a - t|^2 over them is 4 (1 - cos
/// angle), near 2 angle^2.
static void add_orientation(lmbi_swing *swing, lmb_quat is, lmb_quat wanted, float weight)
{
    const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        lmbi_swing_add(swing, lmbi_turn_vector(is, axes[i]), lmbi_turn_vector(wanted, axes[i]),
                       0.5f * weight * weight);
    }
}

static lmbi_swing swing_of(const lmbi_ik_chain *chain, const lmb_quat *end_turns, uint32_t k)
{
    lmbi_swing swing = {.dot = 0};
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        if (chain->links[k].ends >> e & 1) {
            const lmb_vec3 arm = lmb_vec3_sub(chain->miss[e].place, chain->now[k].place);
            lmbi_swing_add(&swing, arm, lmb_vec3_sub(end->target, chain->now[k].place),
                           end->weight * end->weight);
            if (end->turn_weight > 0.0f) {
                add_orientation(&swing, end_turns[e], end->rotation, end->turn_weight);
            }
        }
    }
    return swing;
}

/// Turns one joint and takes the ends below along; the joints below follow when the sweep is over.
static void turn_link(lmbi_ik_chain *chain, lmb_quat *end_turns, uint32_t k)
{
    const lmbi_link *link = &chain->links[k];
    lmbi_link_state *s = &chain->now[k];
    if (!link->turns) {
        return;
    }
    const lmbi_swing swing = swing_of(chain, end_turns, k);
    const lmb_vec3 axis =
        lmbi_is_hinge(link) ? lmbi_hinge_axis(chain, chain->now, k) : lmbi_swing_axis(&swing);
    const float angle = lmbi_swing_angle(&swing, axis);
    const float held = angle > MOST_TURN ? MOST_TURN : (angle < -MOST_TURN ? -MOST_TURN : angle);
    const lmb_quat frame = lmbi_parent_turn(chain, chain->now, k), was = s->turn;
    const lmb_quat turned = lmbi_turn_mul(lmb_quat_axis_angle(axis, held), was);
    s->local = lmbi_turn_refine(lmbi_turn_mul(lmb_quat_conjugate(frame), turned));
    lmbi_chain_hold_link(chain, chain->now, k);
    const lmb_quat moved = lmbi_turn_mul(s->turn, lmb_quat_conjugate(was));
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        if (link->ends >> e & 1) {
            const lmb_vec3 arm = lmb_vec3_sub(chain->miss[e].place, s->place);
            chain->miss[e].place = lmb_vec3_add(s->place, lmbi_turn_vector(moved, arm));
            end_turns[e] = lmbi_turn_mul(moved, end_turns[e]);
        }
    }
}

void lmbi_ccd_sweep(lmbi_ik_chain *chain, void *work)
{
    lmb_quat *end_turns = work;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        end_turns[e] = chain->now[chain->ends[e].link].turn;
    }
    for (uint32_t k = chain->link_count; k-- > 0;) {
        turn_link(chain, end_turns, k);
    }
    lmbi_chain_forward(chain, chain->now);
}

void lmbi_solve_ccd(lmbi_ik_chain *chain)
{
    float cost = lmbi_chain_measure(chain, chain->now);
    bool over = lmbi_chain_is_met(chain);
    if (over) {
        lmbi_chain_tick(chain, cost);
    }
    while (!over) {
        lmbi_ccd_sweep(chain, chain->work);
        cost = lmbi_chain_measure(chain, chain->now);
        over = lmbi_chain_tick(chain, cost);
    }
}
