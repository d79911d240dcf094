/// Levenberg-Marquardt over a whole skeleton (Marquardt 1963; the damping follows the gain of each
/// step).
#include "ik/full_body.h"

#include <math.h>

#define START 0.5f  ///< damping at first, against the cost
#define LEAST 1e-3f ///< damping never falls further
#define MOST 1e7f
#define FAR 0.1f    ///< of the reach, or radians
#define STUCK 0.02f ///< of the reach

enum { OTHERS = 12 };

static void accept(lmbi_body_solver *body)
{
    lmbi_node_pose *const old = body->now;
    body->now = body->trial;
    body->trial = old;
}

// --------------------------------------------------------------------------------------- the loop

typedef struct search {
    float lambda, cost, worst, tolerance;
    uint32_t iterations, most;
    bool soft, done;
} search;

static void linearize(lmbi_body_solver *body)
{
    lmbi_body_gather(body);
    lmbi_body_axes(body);
    lmbi_body_gradient(body);
    lmbi_body_hold(body);
    lmbi_body_normal(body);
}

/// One trial. True when it was better.
static bool advance(lmbi_body_solver *body, search *s)
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
    const float hope = lmbi_body_predicted(body);
    float worst;
    const float cost = lmbi_body_cost(body, body->trial, &worst), saved = s->cost - cost;
    if (!(saved > 0.0f)) {
        s->lambda *= 5.0f;
        s->done = hope < 1e-6f * s->cost;
        return false;
    }
    s->lambda = saved > 0.75f * hope ? fmaxf(0.3f * s->lambda, LEAST)
                                     : (saved < 0.25f * hope ? 2.0f * s->lambda : s->lambda);
    s->done =
        saved < 1e-4f * s->cost || (worst <= s->tolerance && (!s->soft || saved < 0.05f * s->cost));
    s->cost = cost;
    s->worst = worst;
    accept(body);
    return true;
}

static void descend(lmbi_body_solver *body, search *s)
{
    while (!s->done && s->iterations < s->most && s->lambda < MOST) {
        linearize(body);
        (void)advance(body, s);
    }
}

/// Far from the goals the pose that was given may be a bad place to start from.
static void start_better(lmbi_body_solver *body, search *s)
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
            accept(body);
            s->done = s->worst <= s->tolerance && !s->soft;
            return;
        }
    }
    if (lmbi_body_unlock(body)) {
        s->cost = lmbi_body_cost(body, body->trial, &s->worst);
        accept(body);
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
        job->local[job->root].translation = lmbi_root_local(body, body->now[0].place);
    }
}

/// Joints that their limits stopped in the last step.
static uint32_t count_limited(const lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    uint32_t count = 0;
    for (uint32_t j = 0; job->limited != NULL && j < job->skeleton->joint_count; ++j) {
        job->limited[j] = 0;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        count += body->nodes[n].held ? 1 : 0;
        if (job->limited != NULL) {
            job->limited[body->nodes[n].joint] = body->nodes[n].held;
        }
    }
    return count;
}

/// A goal that the body misses lies nearer to the root than what shall be there.
static bool is_wanted_in(const lmbi_body_solver *body, float tolerance)
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
            lmb_vec3_sub(lmb_vec3_mad(target, off, body->reach), body->now[0].place);
        if (lmb_vec3_length(off) > tolerance &&
            lmb_vec3_dot(off, end) > 0.5f * lmb_vec3_length(off) * lmb_vec3_length(end)) {
            return true;
        }
    }
    return false;
}

/// Once more from another start; kept when it is clearly better.
static void try_again(lmbi_body_solver *body, search *s)
{
    const search before = *s;
    accept(body);
    s->cost = lmbi_body_cost(body, body->now, &s->worst);
    s->lambda = START;
    s->done = false;
    descend(body, s);
    if (s->cost < 0.9f * before.cost) {
        write_pose(body);
        return;
    }
    s->cost = before.cost;
    s->worst = before.worst;
    lmbi_body_start(body);
}

/// At a saddle every step is nought, and a body that came from afar may be caught at its limits.
static void try_others(lmbi_body_solver *body, search *s, bool is_far)
{
    if (s->worst > STUCK && s->iterations <= 2 && is_wanted_in(body, s->tolerance)) {
        lmbi_body_nudge(body);
        try_again(body, s);
    }
    lmb_random random = lmb_random_seed(1);
    for (int k = 0; is_far && k < OTHERS; ++k) {
        if (s->worst <= s->tolerance || s->iterations >= s->most) {
            break;
        }
        lmbi_body_middle(body, k % 2 == 0 ? 0.5f : 0.2f, k < 2 ? 0.0f : 0.6f, &random);
        try_again(body, s);
    }
}

lmb_ik_full_body_report lmb_ik_full_body(const lmb_ik_full_body_job *job)
{
    lmbi_body_solver body;
    lmbi_body_plan(&body, job);
    search s = {.lambda = START, .tolerance = job->tolerance > 0.0f ? job->tolerance : 1e-4f};
    s.most = job->max_iterations > 0 ? job->max_iterations : 15;
    s.soft = job->rest_weight > 0.0f || (job->previous != NULL && job->smooth_weight > 0.0f);
    s.cost = lmbi_body_cost(&body, body.now, &s.worst);
    s.done = body.freedom_count == 0 || (s.worst <= s.tolerance && !s.soft);
    const bool is_far = s.worst > FAR;
    start_better(&body, &s);
    descend(&body, &s);
    write_pose(&body);
    try_others(&body, &s, is_far);
    for (uint32_t g = 0; job->residuals != NULL && g < job->goal_count; ++g) {
        job->residuals[g] = body.use[g] ? lmbi_goal_left(&body, &job->goals[g]) : 0.0f;
    }
    return (lmb_ik_full_body_report){
        .iterations = s.iterations,
        .freedoms = body.freedom_count,
        .limits_hit = count_limited(&body),
        .met = s.worst <= s.tolerance,
        .cost = s.cost,
    };
}
