/// Moves toward the rest pose in the null space of the ends: dtheta = J^+ e + (I - J^+ J) z
/// (Liegeois 1977), z the rotations to rest.
#include "ik/damped_system.h"

#include <string.h>

/// Sets d->pull to that fraction of the rotations to rest. Returns the sum of their squared angles.
static float set_pull(const lmbi_damped *d, float fraction)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmb_transform *rest = chain->job->rest ? chain->job->rest : chain->job->skeleton->rest;
    float sum = 0.0f;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k);
        const lmb_quat wanted = lmbi_quat_mul(frame, rest[chain->links[k].joint].rotation);
        const lmb_quat rotation = lmbi_quat_mul(wanted, lmb_quat_conjugate(chain->now[k].rotation));
        const lmb_vec3 to_rest = lmbi_quat_rotation_vector(rotation);
        d->pull[k] = lmb_vec3_scale(to_rest, fraction);
        sum += lmb_vec3_dot(to_rest, to_rest);
    }
    return sum;
}

void lmbi_approach_rest(lmbi_ik_chain *chain)
{
    lmbi_damped d = lmbi_damped_set_up(chain);
    const float most = chain->job->rest_fraction < 1.0f ? chain->job->rest_fraction : 1.0f;
    float fraction = most;
    memcpy(chain->now, chain->best, chain->link_count * sizeof(*chain->now));
    lmbi_chain_measure_errors(chain, chain->now);
    if (!lmbi_chain_is_met(chain)) {
        return;
    }
    float distance = set_pull(&d, fraction);
    while (chain->iterations < chain->max_iterations && fraction > 1e-3f * most) {
        lmbi_damped_step(&d, 1e-6, true);
        lmbi_chain_swap(chain);
        lmbi_chain_measure_errors(chain, chain->now);
        const float after = set_pull(&d, fraction);
        const bool better = lmbi_chain_is_met(chain) && after < distance;
        const bool still = better && distance - after < 1e-4f * distance;
        ++chain->iterations;
        if (better) {
            distance = after;
            fraction = 1.5f * fraction < most ? 1.5f * fraction : most;
        } else { // outside the linear range
            lmbi_chain_swap(chain);
            lmbi_chain_measure_errors(chain, chain->now);
            fraction *= 0.4f;
        }
        if (still) {
            break;
        }
        set_pull(&d, fraction);
    }
    memcpy(chain->best, chain->now, chain->link_count * sizeof(*chain->now));
}
