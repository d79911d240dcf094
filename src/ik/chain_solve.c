/// The one call for every chain solver: laying out, first bends, new starts, and writing back.
#include "ik/chain.h"

#include <string.h>

const char *lmb_ik_solver_name(lmb_ik_solver solver)
{
    static const char *const names[LMB_IK_SOLVER_COUNT] = {
        "auto", "ccd", "fabrik", "transpose", "pseudo-inverse", "damped", "selective"};
    return (unsigned)solver < LMB_IK_SOLVER_COUNT ? names[solver] : "unknown";
}

static size_t solver_work(const lmb_ik_chain_job *job, uint32_t links)
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
    const size_t work = solver_work(job, links), rest = lmbi_damped_work(links, job->end_count);
    return size + (work > rest ? work : rest);
}

// ------------------------------------------------------------------------------------------ bends

/// No joint can do anything about the errors in first order: the chain is straight toward its
/// targets, or folded on itself.
static bool is_locked(const lmbi_ik_chain *chain)
{
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_miss *miss = &chain->miss[e];
        const float way = sqrtf(lmb_vec3_dot(miss->way, miss->way));
        if (lmb_vec3_dot(miss->turn, miss->turn) > 1e-6f) {
            return false;
        }
        for (int32_t k = (int32_t)chain->ends[e].link; k >= 0; k = chain->links[k].parent) {
            const lmb_vec3 arm = lmb_vec3_sub(miss->place, chain->now[k].place);
            const lmb_vec3 can = lmb_vec3_cross(arm, miss->way);
            if (chain->links[k].slides ||
                sqrtf(lmb_vec3_dot(can, can)) > 1e-3f * way * chain->reach) {
                return false;
            }
        }
    }
    return true;
}

/// The middle of a hinge's range, where a bend of it goes.
static float hinge_way(const lmbi_link *link, lmb_quat local)
{
    const lmb_joint_limit *limit = link->limit;
    const lmb_quat turn = lmbi_turn_mul(lmb_quat_conjugate(link->rest.rotation), local);
    const lmb_vec3 now = lmbi_turn_log(turn);
    const float middle = 0.5f * (limit->twist_min_rad + limit->twist_max_rad);
    return lmb_vec3_dot(now, limit->axis) <= middle ? 1.0f : -1.0f;
}

/// Curls every joint by the same angle, about its hinge or about one axis across the chain.
static void bend(lmbi_ik_chain *chain, float angle)
{
    const lmb_vec3 along = lmb_vec3_sub(chain->miss[0].place, chain->now[0].place);
    const lmb_vec3 way = lmb_vec3_normalize_or(chain->miss[0].way, lmb_vec3_make(0, -1, 0));
    const lmb_vec3 across = lmb_vec3_any_perpendicular(lmb_vec3_normalize_or(along, way));
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        lmb_vec3 axis = across;
        if (lmbi_is_hinge(link)) {
            axis = lmb_vec3_scale(lmbi_hinge_axis(chain, chain->now, k),
                                  hinge_way(link, chain->now[k].local));
        }
        chain->turns[k] = lmb_vec3_scale(axis, link->turns ? angle : 0.0f);
    }
    lmbi_chain_step(chain, chain->now, chain->trial);
    lmbi_chain_swap(chain);
}

static void unlock(lmbi_ik_chain *chain)
{
    const float cost = lmbi_chain_measure(chain, chain->now);
    if (lmbi_chain_is_met(chain) || !is_locked(chain)) {
        return;
    }
    lmbi_chain_tick(chain, cost); // the pose that was given stays the best until something beats it
    --chain->iterations;
    bend(chain, 0.05f);
}

// ----------------------------------------------------------------------------------------- starts

static lmb_quat random_turn(lmb_random *random, float most_rad)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    const float z = lmb_random_range(random, -1, 1), angle = lmb_random_range(random, 0, most_rad);
    return lmb_quat_axis_angle(
        lmb_vec3_normalize_or(lmb_vec3_make(x, y, z), lmb_vec3_make(0, 1, 0)), angle);
}

/// A pose inside the limits, the same for the same number; what has no limit is turned from where
/// the job began.
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
                                    random_turn(&random, link->limit ? LMB_PI : 1.0f));
        }
    }
    lmbi_chain_hold(chain, chain->now);
}

/// The pose given first; then, where that ends short of targets that are in reach, others.
static uint32_t solve_anew(lmbi_ik_chain *chain)
{
    const uint32_t most = chain->job->max_starts ? chain->job->max_starts : 16;
    uint32_t starts = 0;
    bool in_reach = true;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        in_reach = in_reach && !chain->ends[e].is_brought;
    }
    for (;;) {
        unlock(chain);
        lmbi_solve_damped(chain);
        ++starts;
        lmbi_chain_measure(chain, chain->best);
        if (lmbi_chain_is_met(chain) || !in_reach || starts >= most ||
            chain->iterations >= chain->most) {
            return starts;
        }
        random_pose(chain, starts);
    }
}

// ------------------------------------------------------------------------------------------ write

static float length_of(lmb_vec3 v)
{
    return sqrtf(lmb_vec3_dot(v, v));
}

static bool is_at_limit(const lmbi_link *link, lmb_quat local)
{
    const lmb_quat turn = lmbi_turn_mul(lmb_quat_conjugate(link->rest.rotation), local);
    return link->limit && lmb_joint_limit_is_at(link->limit, turn, 1e-3f);
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
        if (link->slides || !link->turns) {
            local->translation = lmb_vec3_scale(chain->best[k].offset, 1.0f / link->scale);
        }
    }
    lmbi_chain_measure(chain, chain->best);
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const bool counts = chain->ends[e].weight > 0.0f;
        const float distance =
            counts ? lmb_vec3_distance(job->ends[e].target, chain->miss[e].place) : 0.0f;
        const float angle = length_of(chain->miss[e].turn);
        report.distance = distance > report.distance ? distance : report.distance;
        report.out_of_reach |= chain->ends[e].is_brought;
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

static uint32_t iterations_of(const lmb_ik_chain_job *job)
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
    chain.most = iterations_of(job);
    lmbi_chain_hold(&chain, chain.now);
    if (job->solver == LMB_IK_AUTO) {
        starts = solve_anew(&chain);
    } else {
        static void (*const solvers[LMB_IK_SOLVER_COUNT])(lmbi_ik_chain *) = {
            [LMB_IK_CCD] = lmbi_solve_ccd,
            [LMB_IK_FABRIK] = lmbi_solve_fabrik,
            [LMB_IK_TRANSPOSE] = lmbi_solve_jacobian,
            [LMB_IK_PSEUDO_INVERSE] = lmbi_solve_jacobian,
            [LMB_IK_DAMPED] = lmbi_solve_damped,
            [LMB_IK_SELECTIVE] = lmbi_solve_jacobian,
        };
        unlock(&chain);
        solvers[job->solver](&chain);
    }
    if (job->rest_share > 0.0f) {
        lmbi_solve_rest(&chain);
    }
    return write_back(&chain, starts);
}
