/// Levenberg-Marquardt over a whole skeleton (Marquardt 1963). The damping follows the gain ratio
/// of each step.
#include "ik/full_body.h"

#include <math.h>

// ---------------------------------------------------------------------------------------- the cost
// The cost: weighted sum of squares of the goals, the rest term and the smoothness term.

static float pose_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames)
{
    const lmb_ik_full_body_job *job = body->job;
    const lmb_transform *rest = job->rest != NULL ? job->rest : job->skeleton->rest;
    const bool smooth = job->previous != NULL && job->smooth_weight > 0.0f;
    float sum = 0.0f;
    for (uint32_t n = 0; n < body->node_count && (smooth || job->rest_weight > 0.0f); ++n) {
        const lmbi_node *node = &body->nodes[n];
        if (job->rest_weight > 0.0f && node->freedom_count > 0) {
            const lmb_vec3 r = lmbi_rotation_from(rest[node->joint].rotation, frames[n].local);
            sum += job->rest_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
        if (smooth && node->freedom_count > 0) {
            const lmb_vec3 r =
                lmbi_rotation_from(job->previous[node->joint].rotation, frames[n].local);
            sum += job->smooth_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
    }
    if (smooth && !job->pinned) {
        const lmb_vec3 r = lmbi_root_offset(body, frames);
        sum += job->smooth_weight * lmb_vec3_dot(r, r);
    }
    return sum;
}

float lmbi_body_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames, float *worst)
{
    const lmb_ik_full_body_job *job = body->job;
    float sum = 0.0f, largest = 0.0f;
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        if (body->use[g]) {
            float r[3];
            lmbi_goal_residual(body, &job->goals[g], frames, r);
            const float square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            sum += lmbi_goal_weight(&job->goals[g]) * square;
            largest = square > largest ? square : largest;
        }
    }
    *worst = lmb_sqrt(largest);
    return sum + pose_cost(body, frames);
}

// -------------------------------------------------------------------------------------- the solver

#define INITIAL_DAMPING 0.5f ///< initial damping, as a factor of the cost
#define MIN_DAMPING 1e-3f    ///< lower bound of the damping
#define MAX_DAMPING 1e7f
#define FAR 0.1f    ///< fraction of the reach, or radians
#define STUCK 0.02f ///< fraction of the reach

enum { RESTARTS = 12 };

static void accept_trial(lmbi_body_solver *body)
{
    lmbi_node_pose *const old = body->now;
    body->now = body->trial;
    body->trial = old;
}

// --------------------------------------------------------------------------------------- the loop

typedef struct search {
    float lambda, cost, worst, tolerance;
    uint32_t iterations, max_iterations;
    bool soft, done;
} search;

static void linearize(lmbi_body_solver *body)
{
    lmbi_body_linearize(body);
    lmbi_body_axes(body);
    lmbi_body_gradient(body);
    lmbi_body_project_axes(body);
    lmbi_body_build_normal(body);
}

/// Tries one step. True when the cost fell.
static bool try_step(lmbi_body_solver *body, search *s)
{
    ++s->iterations;
    if (!lmbi_body_find_step(body, s->lambda, s->cost)) {
        s->lambda = s->lambda * 10.0f + 1e-6f;
        return false;
    }
    if (lmbi_body_is_still(body)) {
        s->done = true;
        return false;
    }
    const float predicted = lmbi_body_predict_saving(body);
    float worst;
    const float cost = lmbi_body_cost(body, body->trial, &worst), saved = s->cost - cost;
    if (!(saved > 0.0f)) {
        s->lambda *= 5.0f;
        s->done = predicted < 1e-6f * s->cost;
        return false;
    }
    s->lambda = saved > 0.75f * predicted
                    ? fmaxf(0.3f * s->lambda, MIN_DAMPING)
                    : (saved < 0.25f * predicted ? 2.0f * s->lambda : s->lambda);
    s->done =
        saved < 1e-4f * s->cost || (worst <= s->tolerance && (!s->soft || saved < 0.05f * s->cost));
    s->cost = cost;
    s->worst = worst;
    accept_trial(body);
    return true;
}

static void descend(lmbi_body_solver *body, search *s)
{
    while (!s->done && s->iterations < s->max_iterations && s->lambda < MAX_DAMPING) {
        linearize(body);
        (void)try_step(body, s);
    }
}

/// Far from the goals, tries a better initial pose than the given one.
static void improve_start(lmbi_body_solver *body, search *s)
{
    float worst;
    if (s->done || s->worst < FAR) {
        return;
    }
    if (lmbi_body_seed(body)) {
        const float cost = lmbi_body_cost(body, body->trial, &worst);
        if (cost < 0.25f * s->cost) {
            s->cost = cost;
            s->worst = worst;
            accept_trial(body);
            s->done = s->worst <= s->tolerance && !s->soft;
            return;
        }
    }
    if (lmbi_body_unlock(body)) {
        s->cost = lmbi_body_cost(body, body->trial, &s->worst);
        accept_trial(body);
    }
}

// ------------------------------------------------------------------------------------- in and out

static void write_pose(const lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        job->local[body->nodes[n].joint].rotation = body->now[n].local;
    }
    if (!job->pinned) {
        job->local[job->root].translation = lmbi_root_local(body, body->now[0].position);
    }
}

/// Joints that a limit blocked in the last step.
static uint32_t count_limited(const lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    uint32_t count = 0;
    for (uint32_t j = 0; job->limited != NULL && j < job->skeleton->joint_count; ++j) {
        job->limited[j] = 0;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        count += body->nodes[n].at_limit ? 1 : 0;
        if (job->limited != NULL) {
            job->limited[body->nodes[n].joint] = body->nodes[n].at_limit;
        }
    }
    return count;
}

/// True when a missed goal lies closer to the root than its joint: the limb has to fold.
static bool must_fold(const lmbi_body_solver *body, float tolerance)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        float r[3];
        if (!body->use[g] || job->goals[g].kind != LMB_GOAL_POSITION) {
            continue;
        }
        lmbi_goal_residual(body, &job->goals[g], body->now, r);
        const lmb_vec3 off = lmb_vec3_make(r[0], r[1], r[2]),
                       target = lmb_vec3_sub(job->goals[g].target, body->origin);
        const lmb_vec3 end =
            lmb_vec3_sub(lmb_vec3_mad(target, off, body->reach), body->now[0].position);
        if (lmb_vec3_length(off) > tolerance &&
            lmb_vec3_dot(off, end) > 0.5f * lmb_vec3_length(off) * lmb_vec3_length(end)) {
            return true;
        }
    }
    return false;
}

/// Solves again from body->trial; keeps the result when the cost falls by more than 10%.
static void restart(lmbi_body_solver *body, search *s)
{
    const search before = *s;
    accept_trial(body);
    s->cost = lmbi_body_cost(body, body->now, &s->worst);
    s->lambda = INITIAL_DAMPING;
    s->done = false;
    descend(body, s);
    if (s->cost < 0.9f * before.cost) {
        write_pose(body);
        return;
    }
    s->cost = before.cost;
    s->worst = before.worst;
    lmbi_body_read_pose(body);
}

/// Restarts where the first descent failed: a nudge off a saddle, where every step is zero, and
/// mid-range poses for a body that started far away and may be caught at its limits.
static void try_restarts(lmbi_body_solver *body, search *s, bool is_far)
{
    if (s->worst > STUCK && s->iterations <= 2 && must_fold(body, s->tolerance)) {
        lmbi_body_nudge(body);
        restart(body, s);
    }
    lmb_random random = lmb_random_seed(1);
    for (int k = 0; is_far && k < RESTARTS; ++k) {
        if (s->worst <= s->tolerance || s->iterations >= s->max_iterations) {
            break;
        }
        lmbi_body_mid_range(body, k % 2 == 0 ? 0.5f : 0.2f, k < 2 ? 0.0f : 0.6f, &random);
        restart(body, s);
    }
}

lmb_ik_full_body_report lmb_ik_full_body(const lmb_ik_full_body_job *job)
{
    lmbi_body_solver body;
    lmbi_body_set_up(&body, job);
    search s = {.lambda = INITIAL_DAMPING,
                .tolerance = job->tolerance > 0.0f ? job->tolerance : 1e-4f};
    s.max_iterations = job->max_iterations > 0 ? job->max_iterations : 15;
    s.soft = job->rest_weight > 0.0f || (job->previous != NULL && job->smooth_weight > 0.0f);
    s.cost = lmbi_body_cost(&body, body.now, &s.worst);
    s.done = body.freedom_count == 0 || (s.worst <= s.tolerance && !s.soft);
    const bool is_far = s.worst > FAR;
    improve_start(&body, &s);
    descend(&body, &s);
    write_pose(&body);
    try_restarts(&body, &s, is_far);
    for (uint32_t g = 0; job->residuals != NULL && g < job->goal_count; ++g) {
        job->residuals[g] = body.use[g] ? lmbi_goal_error(&body, &job->goals[g]) : 0.0f;
    }
    return (lmb_ik_full_body_report){
        .iterations = s.iterations,
        .freedoms = body.freedom_count,
        .limits_hit = count_limited(&body),
        .met = s.worst <= s.tolerance,
        .cost = s.cost,
    };
}
