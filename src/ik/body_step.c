/// One damped step: solve, apply, and solve again without the directions that limits blocked (an
/// active set).
#include "ik/full_body.h"

#include <math.h>

#define MAX_ROTATION 1.2f ///< radians, largest rotation of a joint in one step
#define NEGLIGIBLE 1e-5f  ///< radians: a smaller step counts as zero
#define MIN_CLAMP 1e-4f   ///< radians: a joint that is clamped by more has hit its limit

enum { ROUNDS = 3 };

/// Damping proportional to the cost (Sugihara 2011): short steps far from the goals, Gauss-Newton
/// steps near them.
static void set_damping(lmbi_body_solver *body, float lambda, float cost)
{
    float mean = 0.0f;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        mean += body->row[i][i - body->begin[i]];
    }
    const float damping = lambda * cost + 1e-6f * mean / (float)body->freedom_count;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            body->damping[i] = damping * node->stiffness;
        }
    }
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        body->damping[i] = damping / (body->reach * body->reach);
    }
}

/// Scales the whole step down to the largest rotation allowed.
static void scale_step(lmbi_body_solver *body)
{
    float largest = MAX_ROTATION;
    for (uint32_t i = 0; i < body->root_freedom; ++i) {
        const float size = fabsf(body->step[i]);
        largest = size > largest ? size : largest;
    }
    for (uint32_t i = 0; largest > MAX_ROTATION && i < body->freedom_count; ++i) {
        body->step[i] *= MAX_ROTATION / largest;
    }
}

float lmbi_body_predict_saving(const lmbi_body_solver *body)
{
    float sum = body->committed_saving;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        const float d = body->step[i];
        sum += -body->gradient[i] * d + body->damping[i] * d * d;
    }
    return sum;
}

/// Applies the step to every joint and clamps it to its limit. Returns how many hit their limits.
static uint32_t apply_step(lmbi_body_solver *body)
{
    uint32_t hit = 0;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        lmb_vec3 rotation = node->committed;
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            rotation = lmb_vec3_mad(rotation, body->axes[i], body->step[i]);
        }
        const lmb_quat wanted =
            lmb_quat_normalize(lmbi_quat_mul(body->now[n].local, lmbi_rotation_exp(rotation)));
        body->trial[n].local = lmbi_node_clamp(body, node, wanted);
        node->hit = false;
        if (node->near && node->freedom_count > 0) {
            const lmb_quat q = body->trial[n].local,
                           off = lmb_quat_make(q.x - wanted.x, q.y - wanted.y, q.z - wanted.z,
                                               q.w - wanted.w);
            node->hit = 4.0f * lmb_quat_dot(off, off) > MIN_CLAMP * MIN_CLAMP;
        }
        if (node->hit) {
            node->applied = lmbi_rotation_from(body->now[n].local, body->trial[n].local);
            node->rejected = lmb_vec3_sub(rotation, node->applied);
            ++hit;
        }
    }
    return hit;
}

/// Commits the clamped rotations, so that the next solve compensates for what was cut off. Returns
/// the first degree of freedom whose axes changed.
static uint32_t commit_clamped(lmbi_body_solver *body)
{
    uint32_t first = body->freedom_count;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        if (node->hit) {
            lmbi_body_commit_clamped(body, n);
            first = node->freedom < first ? node->freedom : first;
        }
    }
    return first;
}

static void move_root(lmbi_body_solver *body)
{
    body->trial[0].position = body->now[0].position;
    if (body->root_freedom < body->freedom_count) {
        const float *d = body->step + body->root_freedom;
        body->trial[0].position =
            lmb_vec3_add(body->now[0].position, lmb_vec3_make(d[0], d[1], d[2]));
        lmbi_body_clamp_root(body);
    }
}

bool lmbi_body_find_step(lmbi_body_solver *body, float lambda, float cost)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        body->nodes[n].committed = lmb_vec3_make(0, 0, 0);
    }
    body->committed_saving = 0.0f;
    set_damping(body, lambda, cost);
    uint32_t from = 0;
    for (int round = 0;; ++round) {
        if (!lmbi_skyline_factor(body, body->damping, from)) {
            return false;
        }
        lmbi_skyline_solve(body);
        scale_step(body);
        const uint32_t hit = apply_step(body);
        move_root(body);
        lmbi_body_frames(body, body->trial);
        if (round == ROUNDS) {
            return true;
        }
        from = commit_clamped(body);
        if (lmbi_body_activate_grounds(body) > 0) {
            lmbi_body_build_normal(body);
            from = 0;
        } else if (hit > 0) {
            lmbi_body_update_normal(body);
        } else {
            return true;
        }
    }
}

bool lmbi_body_is_still(const lmbi_body_solver *body)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        const float size = fabsf(body->step[i]) / (i < body->root_freedom ? 1.0f : body->reach);
        largest = size > largest ? size : largest;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const float size = lmb_vec3_dot(body->nodes[n].committed, body->nodes[n].committed);
        largest = size > largest * largest ? lmb_sqrt(size) : largest;
    }
    return largest < NEGLIGIBLE;
}
