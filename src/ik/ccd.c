/// Cyclic coordinate descent: each joint, from the ends to the root, is rotated so that the ends
/// below it come as near as possible to their targets. The best rotation of one joint is known in
/// closed form for any number of ends, so no step raises the error.
#include "ik/chain.h"

/// Largest rotation of a joint in one sweep, in radians. Without it the last joints take all of the
/// rotation and the chain knots.
#define MAX_ROTATION 0.8f

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

/// An orientation adds its three axes: sum |R a - t|^2 over them is 4 (1 - cos angle), near 2
/// angle^2.
static void add_orientation(lmbi_swing *swing, lmb_quat is, lmb_quat wanted, float weight)
{
    const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        lmbi_swing_add(swing, lmbi_quat_rotate(is, axes[i]), lmbi_quat_rotate(wanted, axes[i]),
                       0.5f * weight * weight);
    }
}

static lmbi_swing sum_swing(const lmbi_ik_chain *chain, const lmb_quat *end_rotations, uint32_t k)
{
    lmbi_swing swing = {.dot = 0};
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        if (chain->links[k].ends >> e & 1) {
            const lmb_vec3 arm = lmb_vec3_sub(chain->errors[e].position, chain->now[k].position);
            lmbi_swing_add(&swing, arm, lmb_vec3_sub(end->target, chain->now[k].position),
                           end->weight * end->weight);
            if (end->turn_weight > 0.0f) {
                add_orientation(&swing, end_rotations[e], end->rotation, end->turn_weight);
            }
        }
    }
    return swing;
}

/// Rotates one joint and moves the ends below it. The joints below are updated after the sweep.
static void rotate_link(lmbi_ik_chain *chain, lmb_quat *end_rotations, uint32_t k)
{
    const lmbi_link *link = &chain->links[k];
    lmbi_link_state *s = &chain->now[k];
    if (!link->rotates) {
        return;
    }
    const lmbi_swing swing = sum_swing(chain, end_rotations, k);
    const lmb_vec3 axis =
        lmbi_is_hinge(link) ? lmbi_hinge_axis(chain, chain->now, k) : lmbi_swing_axis(&swing);
    const float angle = lmbi_swing_angle(&swing, axis);
    const float clamped =
        angle > MAX_ROTATION ? MAX_ROTATION : (angle < -MAX_ROTATION ? -MAX_ROTATION : angle);
    const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k), was = s->rotation;
    const lmb_quat rotated = lmbi_quat_mul(lmb_quat_axis_angle(axis, clamped), was);
    s->local = lmbi_quat_renormalize(lmbi_quat_mul(lmb_quat_conjugate(frame), rotated));
    lmbi_chain_clamp_link(chain, chain->now, k);
    const lmb_quat moved = lmbi_quat_mul(s->rotation, lmb_quat_conjugate(was));
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        if (link->ends >> e & 1) {
            const lmb_vec3 arm = lmb_vec3_sub(chain->errors[e].position, s->position);
            chain->errors[e].position = lmb_vec3_add(s->position, lmbi_quat_rotate(moved, arm));
            end_rotations[e] = lmbi_quat_mul(moved, end_rotations[e]);
        }
    }
}

void lmbi_ccd_sweep(lmbi_ik_chain *chain, void *work)
{
    lmb_quat *end_rotations = work;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        end_rotations[e] = chain->now[chain->ends[e].link].rotation;
    }
    for (uint32_t k = chain->link_count; k-- > 0;) {
        rotate_link(chain, end_rotations, k);
    }
    lmbi_chain_forward(chain, chain->now);
}

void lmbi_solve_ccd(lmbi_ik_chain *chain)
{
    float cost = lmbi_chain_measure_errors(chain, chain->now);
    bool over = lmbi_chain_is_met(chain);
    if (over) {
        lmbi_chain_count_iteration(chain, cost);
    }
    while (!over) {
        lmbi_ccd_sweep(chain, chain->work);
        cost = lmbi_chain_measure_errors(chain, chain->now);
        over = lmbi_chain_count_iteration(chain, cost);
    }
}
