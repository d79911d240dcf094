/// lmb_ik_chain: set-up, initial bend of straight chains, restarts and write-back.
#include "ik/chain.h"
#include "ik/ik.h"

#include <string.h>

#include "asset/asset.h"
#include "ik/damped_system.h"

// ---------------------------------------------------------------------------- toward the rest pose
// Moves toward the rest pose in the null space of the ends: dtheta = J^+ e + (I - J^+ J) z
// (Liegeois 1977), z the rotations to rest.

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

/// From the best pose, which reaches the ends, toward the rest pose.
static void approach_rest(lmbi_ik_chain *chain)
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

const char *lmbi_ik_solver_name(lmb_ik_solver solver)
{
    static const char *const names[LMB_IK_SOLVER_COUNT] = {
        "auto", "ccd", "fabrik", "transpose", "pseudo-inverse", "damped", "selective"};
    return (unsigned)solver < LMB_IK_SOLVER_COUNT ? names[solver] : "unknown";
}

static size_t solver_scratch(const lmb_ik_chain_job *job, uint32_t links)
{
    switch (job->solver) {
    case LMB_IK_CCD:
        return lmbi_ccd_work(job->end_count);
    case LMB_IK_FABRIK:
        return lmbi_fabrik_work(links, job->end_count);
    case LMB_IK_TRANSPOSE:
    case LMB_IK_PSEUDO_INVERSE:
    case LMB_IK_SELECTIVE:
        return lmbi_jacobian_work(links, job->end_count);
    default:
        return lmbi_damped_work(links, job->end_count);
    }
}

size_t lmb_ik_chain_scratch(const lmb_ik_chain_job *job)
{
    uint32_t links;
    const size_t size = lmbi_chain_size(job, &links);
    const size_t work = solver_scratch(job, links), rest = lmbi_damped_work(links, job->end_count);
    return size + (work > rest ? work : rest);
}

// ------------------------------------------------------------------------------------------ bends

/// True when all first-order errors vanish: the chain is straight toward its targets or folded on
/// itself.
static bool is_singular(const lmbi_ik_chain *chain)
{
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end_error *error = &chain->errors[e];
        const float distance = sqrtf(lmb_vec3_dot(error->to_target, error->to_target));
        if (lmb_vec3_dot(error->rotation, error->rotation) > 1e-6f) {
            return false;
        }
        for (int32_t k = (int32_t)chain->ends[e].link; k >= 0; k = chain->links[k].parent) {
            const lmb_vec3 arm = lmb_vec3_sub(error->position, chain->now[k].position);
            const lmb_vec3 moment = lmb_vec3_cross(arm, error->to_target);
            if (chain->links[k].slides ||
                sqrtf(lmb_vec3_dot(moment, moment)) > 1e-3f * distance * chain->reach) {
                return false;
            }
        }
    }
    return true;
}

/// Sign of a hinge's rotation toward the middle of its range.
static float hinge_direction(const lmbi_link *link, lmb_quat local)
{
    const lmb_joint_limit *limit = link->limit;
    const lmb_quat rotation = lmbi_quat_mul(lmb_quat_conjugate(link->rest.rotation), local);
    const lmb_vec3 now = lmbi_quat_rotation_vector(rotation);
    const float middle = 0.5f * (limit->twist_min_rad + limit->twist_max_rad);
    return lmb_vec3_dot(now, limit->axis) <= middle ? 1.0f : -1.0f;
}

/// Rotates every joint by the same angle, about its hinge axis or a common axis perpendicular to
/// the chain.
static void bend(lmbi_ik_chain *chain, float angle)
{
    const lmb_vec3 along = lmb_vec3_sub(chain->errors[0].position, chain->now[0].position);
    const lmb_vec3 to_target =
        lmb_vec3_normalize_or(chain->errors[0].to_target, lmb_vec3_make(0, -1, 0));
    const lmb_vec3 across = lmb_vec3_any_perpendicular(lmb_vec3_normalize_or(along, to_target));
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        lmb_vec3 axis = across;
        if (lmbi_is_hinge(link)) {
            axis = lmb_vec3_scale(lmbi_hinge_axis(chain, chain->now, k),
                                  hinge_direction(link, chain->now[k].local));
        }
        chain->rotations[k] = lmb_vec3_scale(axis, link->rotates ? angle : 0.0f);
    }
    lmbi_chain_step(chain, chain->now, chain->trial);
    lmbi_chain_swap(chain);
}

static void bend_if_singular(lmbi_ik_chain *chain)
{
    const float cost = lmbi_chain_measure_errors(chain, chain->now);
    if (lmbi_chain_is_met(chain) || !is_singular(chain)) {
        return;
    }
    lmbi_chain_count_iteration(chain,
                               cost); // the given pose is the best until a lower cost is found
    --chain->iterations;
    bend(chain, 0.05f);
}

// ----------------------------------------------------------------------------------------- starts

static lmb_quat random_rotation(lmb_random *random, float most_rad)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    const float z = lmb_random_range(random, -1, 1), angle = lmb_random_range(random, 0, most_rad);
    return lmb_quat_axis_angle(
        lmb_vec3_normalize_or(lmb_vec3_make(x, y, z), lmb_vec3_make(0, 1, 0)), angle);
}

/// A random pose inside the limits, determined by `number`. Joints without limits vary about the
/// given pose.
static void random_pose(lmbi_ik_chain *chain, uint32_t number)
{
    lmb_random random = lmb_random_seed(number);
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        const lmb_quat from = chain->job->local[link->joint].rotation;
        lmbi_link_state *s = &chain->now[k];
        if (lmbi_is_hinge(link)) {
            const float angle =
                lmb_random_range(&random, link->limit->twist_min_rad, link->limit->twist_max_rad);
            s->local =
                lmb_quat_mul(link->rest.rotation, lmb_quat_axis_angle(link->limit->axis, angle));
        } else {
            s->local = lmb_quat_mul(link->limit ? link->rest.rotation : from,
                                    random_rotation(&random, link->limit ? LMB_PI : 1.0f));
        }
    }
    lmbi_chain_clamp(chain, chain->now);
}

/// Solves from the given pose, then from random ones while reachable targets are missed. Returns
/// the number of starts.
static uint32_t solve_with_restarts(lmbi_ik_chain *chain)
{
    const uint32_t most = chain->job->max_starts ? chain->job->max_starts : 16;
    uint32_t starts = 0;
    bool in_reach = true;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        in_reach = in_reach && !chain->ends[e].is_out_of_reach;
    }
    for (;;) {
        bend_if_singular(chain);
        lmbi_solve_damped(chain);
        ++starts;
        lmbi_chain_measure_errors(chain, chain->best);
        if (lmbi_chain_is_met(chain) || !in_reach || starts >= most ||
            chain->iterations >= chain->max_iterations) {
            return starts;
        }
        random_pose(chain, starts);
    }
}

// ------------------------------------------------------------------------------------------ write

static bool is_at_limit(const lmbi_link *link, lmb_quat local)
{
    const lmb_quat rotation = lmbi_quat_mul(lmb_quat_conjugate(link->rest.rotation), local);
    return link->limit && lmb_joint_limit_is_at(link->limit, rotation, 1e-3f);
}

static lmb_ik_chain_report write_back(lmbi_ik_chain *chain, uint32_t starts)
{
    const lmb_ik_chain_job *job = chain->job;
    lmb_ik_chain_report report = {
        .reached = true, .iterations = chain->iterations, .starts = starts};
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        lmb_transform *local = &job->local[link->joint];
        local->rotation = chain->best[k].local;
        report.limits_hit += is_at_limit(link, chain->best[k].local);
        if (link->slides || !link->rotates) {
            local->translation = lmb_vec3_scale(chain->best[k].offset, 1.0f / link->scale);
        }
    }
    lmbi_chain_measure_errors(chain, chain->best);
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const bool counts = chain->ends[e].weight > 0.0f;
        const float distance =
            counts ? lmb_vec3_distance(job->ends[e].target, chain->errors[e].position) : 0.0f;
        const float angle = lmbi_vec3_length(chain->errors[e].rotation);
        report.distance = distance > report.distance ? distance : report.distance;
        report.out_of_reach |= chain->ends[e].is_out_of_reach;
        report.reached &= counts && distance <= chain->tolerance && angle <= chain->tolerance_rad;
        if (job->distances) {
            job->distances[e] = distance;
        }
        if (job->angles) {
            job->angles[e] = angle;
        }
    }
    return report;
}

static uint32_t max_iterations_of(const lmb_ik_chain_job *job)
{
    if (job->max_iterations > 0) {
        return job->max_iterations;
    }
    if (job->solver == LMB_IK_TRANSPOSE) {
        return 1000;
    }
    if (job->solver == LMB_IK_AUTO) {
        return 400;
    }
    return job->solver == LMB_IK_CCD || job->solver == LMB_IK_FABRIK ? 20 : 100;
}

lmb_ik_chain_report lmb_ik_chain(const lmb_ik_chain_job *job)
{
    lmbi_ik_chain chain;
    uint32_t starts = 1;
    if (job->scratch_size < lmb_ik_chain_scratch(job) || !lmbi_chain_set_up(&chain, job)) {
        return (lmb_ik_chain_report){0};
    }
    chain.max_iterations = max_iterations_of(job);
    lmbi_chain_clamp(&chain, chain.now);
    if (job->solver == LMB_IK_AUTO) {
        starts = solve_with_restarts(&chain);
    } else {
        static void (*const solvers[LMB_IK_SOLVER_COUNT])(lmbi_ik_chain *) = {
            [LMB_IK_CCD] = lmbi_solve_ccd,
            [LMB_IK_FABRIK] = lmbi_solve_fabrik,
            [LMB_IK_TRANSPOSE] = lmbi_solve_jacobian,
            [LMB_IK_PSEUDO_INVERSE] = lmbi_solve_jacobian,
            [LMB_IK_DAMPED] = lmbi_solve_damped,
            [LMB_IK_SELECTIVE] = lmbi_solve_jacobian,
        };
        bend_if_singular(&chain);
        solvers[job->solver](&chain);
    }
    if (job->rest_fraction > 0.0f) {
        approach_rest(&chain);
    }
    return write_back(&chain, starts);
}
