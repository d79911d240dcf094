/// Toward the rest pose as far as the ends stay where they are: dtheta = J^+ e + (I - J^+ J) z
/// (Liegeois 1977), z the way to rest.
#include "ik/damped_system.h"

#include <string.h>

/// Fills d->pull with that share of the way to rest; returns the sum of the squared angles that are
/// left.
static float pull_to_rest(const lmbi_damped *d, float share)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmb_transform *rest = chain->job->rest ? chain->job->rest : chain->job->skeleton->rest;
    float sum = 0.0f;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmb_quat frame = lmbi_parent_turn(chain, chain->now, k);
        const lmb_quat wanted = lmbi_turn_mul(frame, rest[chain->links[k].joint].rotation);
        const lmb_quat turn = lmbi_turn_mul(wanted, lmb_quat_conjugate(chain->now[k].turn));
        const lmb_vec3 way = lmbi_turn_log(turn);
        d->pull[k] = lmb_vec3_scale(way, share);
        sum += lmb_vec3_dot(way, way);
    }
    return sum;
}

void lmbi_solve_rest(lmbi_ik_chain *chain)
{
    lmbi_damped d = lmbi_damped_set_up(chain);
    const float most = chain->job->rest_share < 1.0f ? chain->job->rest_share : 1.0f;
    float share = most;
    memcpy(chain->now, chain->best, chain->link_count * sizeof(*chain->now));
    lmbi_chain_measure(chain, chain->now);
    if (!lmbi_chain_is_met(chain)) {
        return;
    }
    float left = pull_to_rest(&d, share);
    while (chain->iterations < chain->most && share > 1e-3f * most) {
        lmbi_damped_try(&d, 1e-6, true);
        lmbi_chain_swap(chain);
        lmbi_chain_measure(chain, chain->now);
        const float after = pull_to_rest(&d, share);
        const bool better = lmbi_chain_is_met(chain) && after < left;
        const bool still = better && left - after < 1e-4f * left;
        ++chain->iterations;
        if (better) {
            left = after;
            share = 1.5f * share < most ? 1.5f * share : most;
        } else { // too far for first order
            lmbi_chain_swap(chain);
            lmbi_chain_measure(chain, chain->now);
            share *= 0.4f;
        }
        if (still) {
            break;
        }
        pull_to_rest(&d, share);
    }
    memcpy(chain->best, chain->now, chain->link_count * sizeof(*chain->now));
}
