/// Levenberg-Marquardt over a whole skeleton (Marquardt 1963; the damping follows the gain of each
/// step).
#include "ik/full_body.h"

#include <math.h>

#define START 0.5f  ///< damping at first, against the cost
#define LEAST 1e-3f ///< damping never falls further
#define MOST 1e7f
#define FAR 0.1f     ///< of the reach, or radians
#define STUCK 0.02f  ///< of the reach
#define LARGEST 1.2f ///< radians of one joint in one step
#define STILL 1e-5f  ///< radians: a step this small is none
#define LOST 1e-4f   ///< radians: a joint that loses more of its turn ran into its limit

enum { ROUNDS = 3, OTHERS = 12 };

bool lmbi_is_any(const float r[3])
{
    return r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > 0.0f;
}

lmb_vec3 lmbi_root_moved(const lmbi_body *body, const lmbi_frame *frames)
{
    const lmb_vec3 before =
        lmb_transform_point(body->above, body->job->previous[body->job->root].translation);
    return lmb_vec3_scale(lmb_vec3_sub(frames[0].place, lmb_vec3_sub(before, body->origin)),
                          1.0f / body->reach);
}

// --------------------------------------------------------------------------------------- the cost

static float soft_cost(const lmbi_body *body, const lmbi_frame *frames)
{
    const lmb_ik_full_body_job *job = body->job;
    const lmb_transform *rest = job->rest != NULL ? job->rest : job->skeleton->rest;
    const bool smooth = job->previous != NULL && job->smooth_weight > 0.0f;
    float sum = 0.0f;
    for (uint32_t n = 0; n < body->node_count && (smooth || job->rest_weight > 0.0f); ++n) {
        const lmbi_node *node = &body->nodes[n];
        if (job->rest_weight > 0.0f && node->freedom_count > 0) {
            const lmb_vec3 r = lmbi_turn_from(rest[node->joint].rotation, frames[n].local);
            sum += job->rest_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
        if (smooth && node->freedom_count > 0) {
            const lmb_vec3 r = lmbi_turn_from(job->previous[node->joint].rotation, frames[n].local);
            sum += job->smooth_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
    }
    if (smooth && !job->pinned) {
        const lmb_vec3 r = lmbi_root_moved(body, frames);
        sum += job->smooth_weight * lmb_vec3_dot(r, r);
    }
    return sum;
}

/// The weighted sum of squares, and the largest error of a goal, in the units of the solver.
static float cost_of(const lmbi_body *body, const lmbi_frame *frames, float *worst)
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
    return sum + soft_cost(body, frames);
}

// --------------------------------------------------------------------------------------- the step

/// The damping falls with the cost (Sugihara 2011): far from the goals steps are short, near them
/// they are Gauss-Newton's.
static void damp(lmbi_body *body, float lambda, float cost)
{
    float mean = 0.0f;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        mean += body->row[i][i - body->begin[i]];
    }
    const float much = lambda * cost + 1e-6f * mean / (float)body->freedom_count;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            body->damping[i] = much * node->stiffness;
        }
    }
    for (uint32_t i = body->place; i < body->freedom_count; ++i) {
        body->damping[i] = much / (body->reach * body->reach);
    }
}

/// Cuts the whole step back to the largest turn allowed.
static void limit_step(lmbi_body *body)
{
    float largest = LARGEST;
    for (uint32_t i = 0; i < body->place; ++i) {
        const float size = fabsf(body->step[i]);
        largest = size > largest ? size : largest;
    }
    for (uint32_t i = 0; largest > LARGEST && i < body->freedom_count; ++i) {
        body->step[i] *= LARGEST / largest;
    }
}

/// What the linear model says the step saves: -2 g d - d' H d, and d' (H + D) d = -g d for a whole
/// step.
static float predicted(const lmbi_body *body)
{
    float sum = body->kept_saving;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        const float d = body->step[i];
        sum += -body->gradient[i] * d + body->damping[i] * d * d;
    }
    return sum;
}

/// Turns every joint by the step, as far as its limit lets it. Returns how many ran into theirs
/// anew.
static uint32_t turn_joints(lmbi_body *body)
{
    uint32_t hit = 0;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        lmb_vec3 turn = node->kept;
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            turn = lmb_vec3_mad(turn, body->axes[i], body->step[i]);
        }
        const lmb_quat wanted =
            lmb_quat_normalize(lmbi_quat_times(body->now[n].local, lmbi_turn_exp(turn)));
        body->trial[n].local = lmbi_node_clamp(body, node, wanted);
        node->hit = false;
        if (node->near && node->freedom_count > 0) {
            const lmb_quat q = body->trial[n].local,
                           off = lmb_quat_make(q.x - wanted.x, q.y - wanted.y, q.z - wanted.z,
                                               q.w - wanted.w);
            node->hit = 4.0f * lmb_quat_dot(off, off) > LOST * LOST;
        }
        if (node->hit) {
            node->done = lmbi_turn_from(body->now[n].local, body->trial[n].local);
            node->lost = lmb_vec3_sub(turn, node->done);
            ++hit;
        }
    }
    return hit;
}

/// Turns that limits cut back are settled as they are there, to solve again for what is left
/// without them. Returns the first degree of freedom that this changes.
static uint32_t keep_hits(lmbi_body *body)
{
    uint32_t first = body->freedom_count;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        if (node->hit) {
            lmbi_body_keep_hit(body, n);
            first = node->freedom < first ? node->freedom : first;
        }
    }
    return first;
}

static void place_root(lmbi_body *body)
{
    body->trial[0].place = body->now[0].place;
    if (body->place < body->freedom_count) {
        const float *d = body->step + body->place;
        body->trial[0].place = lmb_vec3_add(body->now[0].place, lmb_vec3_make(d[0], d[1], d[2]));
        lmbi_body_hold_root(body);
    }
}

static void accept(lmbi_body *body)
{
    lmbi_frame *const old = body->now;
    body->now = body->trial;
    body->trial = old;
}

// --------------------------------------------------------------------------------------- the loop

typedef struct search {
    float lambda, cost, worst, tolerance;
    uint32_t iterations, most;
    bool soft, done;
} search;

static void linearize(lmbi_body *body)
{
    lmbi_body_gather(body);
    lmbi_body_axes(body);
    lmbi_body_gradient(body);
    lmbi_body_hold(body);
    lmbi_body_normal(body);
}

/// Solves for a step. Joints that it takes out of their limits stop there, and the others make up
/// for it: a few rounds of an active set.
/// False when the matrix is not positive definite.
static bool find_step(lmbi_body *body, float lambda, float cost)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        body->nodes[n].kept = lmb_vec3_make(0, 0, 0);
    }
    body->kept_saving = 0.0f;
    damp(body, lambda, cost);
    uint32_t from = 0;
    for (int round = 0;; ++round) {
        if (!lmbi_skyline_factor(body, body->damping, from)) {
            return false;
        }
        lmbi_skyline_solve(body);
        limit_step(body);
        const uint32_t hit = turn_joints(body);
        place_root(body);
        lmbi_body_frames(body, body->trial);
        if (round == ROUNDS) {
            return true;
        }
        from = keep_hits(body);
        if (lmbi_body_land(body) > 0) {
            lmbi_body_normal(body);
            from = 0;
        } else if (hit > 0) {
            lmbi_body_renew(body);
        } else {
            return true;
        }
    }
}

static bool is_still(const lmbi_body *body)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        const float size = fabsf(body->step[i]) / (i < body->place ? 1.0f : body->reach);
        largest = size > largest ? size : largest;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const float size = lmb_vec3_dot(body->nodes[n].kept, body->nodes[n].kept);
        largest = size > largest * largest ? lmb_sqrt(size) : largest;
    }
    return largest < STILL;
}

/// One trial. True when it was better.
static bool advance(lmbi_body *body, search *s)
{
    ++s->iterations;
    if (!find_step(body, s->lambda, s->cost)) {
        s->lambda = s->lambda * 10.0f + 1e-6f;
        return false;
    }
    if (is_still(body)) {
        s->done = true;
        return false;
    }
    const float hope = predicted(body);
    float worst;
    const float cost = cost_of(body, body->trial, &worst), saved = s->cost - cost;
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

static void descend(lmbi_body *body, search *s)
{
    while (!s->done && s->iterations < s->most && s->lambda < MOST) {
        linearize(body);
        (void)advance(body, s);
    }
}

/// Far from the goals the pose that was given may be a bad place to start from.
static void start_better(lmbi_body *body, search *s)
{
    float worst;
    if (s->done || s->worst < FAR) {
        return;
    }
    if (lmbi_body_seed(body)) {
        const float cost = cost_of(body, body->trial, &worst);
        if (cost < 0.25f * s->cost) {
            s->cost = cost;
            s->worst = worst;
            accept(body);
            s->done = s->worst <= s->tolerance && !s->soft;
            return;
        }
    }
    if (lmbi_body_unlock(body)) {
        s->cost = cost_of(body, body->trial, &s->worst);
        accept(body);
    }
}

// ------------------------------------------------------------------------------------- in and out

static void write_pose(const lmbi_body *body)
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
static uint32_t count_limited(const lmbi_body *body)
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
static bool is_wanted_in(const lmbi_body *body, float tolerance)
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
static void try_again(lmbi_body *body, search *s)
{
    const search before = *s;
    accept(body);
    s->cost = cost_of(body, body->now, &s->worst);
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
static void try_others(lmbi_body *body, search *s, bool is_far)
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
    lmbi_body body;
    lmbi_body_plan(&body, job);
    search s = {.lambda = START, .tolerance = job->tolerance > 0.0f ? job->tolerance : 1e-4f};
    s.most = job->max_iterations > 0 ? job->max_iterations : 15;
    s.soft = job->rest_weight > 0.0f || (job->previous != NULL && job->smooth_weight > 0.0f);
    s.cost = cost_of(&body, body.now, &s.worst);
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
