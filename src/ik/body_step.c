/// One damped step: solved for, cut to what joints may turn, and solved again for the joints that
/// their limits stopped (an active set).
#include "ik/full_body.h"

#include <math.h>

#define LARGEST 1.2f ///< radians of one joint in one step
#define STILL 1e-5f  ///< radians: a step this small is none
#define LOST 1e-4f   ///< radians: a joint that loses more of its turn ran into its limit

enum { ROUNDS = 3 };

/// The damping falls with the cost (Sugihara 2011): far from the goals steps are short, near them
/// they are Gauss-Newton's.
static void damp(lmbi_body_solver *body, float lambda, float cost)
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
static void limit_step(lmbi_body_solver *body)
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

float lmbi_body_predicted(const lmbi_body_solver *body)
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
static uint32_t turn_joints(lmbi_body_solver *body)
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
static uint32_t keep_hits(lmbi_body_solver *body)
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

static void place_root(lmbi_body_solver *body)
{
    body->trial[0].place = body->now[0].place;
    if (body->place < body->freedom_count) {
        const float *d = body->step + body->place;
        body->trial[0].place = lmb_vec3_add(body->now[0].place, lmb_vec3_make(d[0], d[1], d[2]));
        lmbi_body_hold_root(body);
    }
}

bool lmbi_body_find_step(lmbi_body_solver *body, float lambda, float cost)
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

bool lmbi_body_is_still(const lmbi_body_solver *body)
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
