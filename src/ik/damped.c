/// Damped least squares: dtheta = J^T (J J^T + lambda^2 I)^-1 e (Wampler 1986; Buss 2004, eq. 11),
/// the damping adapted as Marquardt does, limits kept by leaving out of J what they would undo.
#include "ik/damped_system.h"

#include <string.h>

#define MOST_TURN 1.0f ///< radians that a joint turns in one step, at most

static void shorten(const lmbi_ik_chain *chain)
{
    float most = 0.0f;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const float square = lmb_vec3_dot(chain->turns[k], chain->turns[k]);
        most = square > most ? square : most;
    }
    if (most > MOST_TURN * MOST_TURN) {
        const float s = MOST_TURN / sqrtf(most);
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            chain->turns[k] = lmb_vec3_scale(chain->turns[k], s);
            chain->moves[k] = lmb_vec3_scale(chain->moves[k], s);
        }
    }
}

static void all_freedoms(const lmbi_damped *d)
{
    const lmbi_ik_chain *chain = d->chain;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        d->freedoms[k] =
            (lmbi_damped_freedom){link->turns ? LMBI_FREE : LMBI_NONE, link->slides, {0, 0, 0}};
        if (lmbi_is_hinge(link)) {
            d->freedoms[k] = (lmbi_damped_freedom){LMBI_ONLY, link->slides,
                                                   lmbi_hinge_axis(chain, chain->now, k)};
        }
    }
}

static bool leave_out(lmbi_damped_freedom *f, lmb_vec3 normal)
{
    const lmb_vec3 left = lmbi_damped_project(f, normal);
    const float length = sqrtf(lmb_vec3_dot(left, left));
    if (f->kind == LMBI_NONE || !(length > 1e-3f)) {
        return false;
    }
    const lmb_vec3 axis = lmb_vec3_scale(left, 1.0f / length);
    f->axis = f->kind == LMBI_ALL_BUT ? lmb_vec3_cross(axis, f->axis) : axis;
    f->kind =
        f->kind == LMBI_FREE ? LMBI_ALL_BUT : (f->kind == LMBI_ALL_BUT ? LMBI_ONLY : LMBI_NONE);
    return true;
}

/// The rotations that the limit took off a link's step are left out of J from here on. True when
/// there were some.
static bool freeze_turns(const lmbi_damped *d, uint32_t k)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmbi_link *link = &chain->links[k];
    lmbi_damped_freedom *f = &d->freedoms[k];
    if (!link->turns || link->limit->kind == LMB_JOINT_FREE || f->kind == LMBI_NONE) {
        return false;
    }
    if (lmbi_is_hinge(link)) { // at its end already when that is where it stays
        const bool stays = lmb_quat_angle(chain->now[k].local, chain->trial[k].local) < 1e-3f;
        f->kind = stays ? LMBI_NONE : f->kind;
        return stays;
    }
    const lmb_quat rest =
        lmbi_turn_mul(lmbi_parent_turn(chain, chain->now, k), link->rest.rotation);
    const lmb_quat turned = lmbi_turn_mul(lmbi_turn_by(chain->turns[k]), chain->now[k].turn);
    const lmb_quat wanted = lmbi_turn_mul(lmb_quat_conjugate(rest), turned);
    const lmb_quat back = lmb_quat_conjugate(link->rest.rotation);
    const lmb_quat now = lmbi_turn_mul(back, chain->now[k].local);
    const lmb_quat got = lmbi_turn_mul(back, chain->trial[k].local);
    lmb_vec3 normals[2];
    const uint32_t count = lmbi_limit_normals(link->limit, now, wanted, got, normals);
    bool froze = false;
    for (uint32_t i = 0; i < count; ++i) {
        froze |= leave_out(f, lmbi_turn_vector(rest, normals[i]));
    }
    return froze;
}

static bool freeze_slides(const lmbi_damped *d, uint32_t k)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmb_quat frame = lmbi_parent_turn(chain, chain->now, k);
    const lmb_quat back = lmb_quat_conjugate(lmbi_turn_mul(frame, chain->links[k].rest.rotation));
    const lmb_vec3 offset = lmb_vec3_sub(chain->trial[k].offset, chain->now[k].offset);
    const lmb_vec3 wanted = lmbi_turn_vector(back, chain->moves[k]);
    const lmb_vec3 got = lmbi_turn_vector(back, lmbi_turn_vector(frame, offset));
    const float wants[3] = {wanted.x, wanted.y, wanted.z}, moved[3] = {got.x, got.y, got.z};
    const float least = 1e-6f * chain->reach;
    lmbi_damped_freedom *f = &d->freedoms[k];
    bool froze = false;
    for (int i = 0; i < 3; ++i) {
        if (f->slides >> i & 1 && fabsf(wants[i] - moved[i]) > least && fabsf(moved[i]) <= least) {
            f->slides = (uint8_t)(f->slides & ~(1u << i));
            froze = true;
        }
    }
    return froze;
}

void lmbi_damped_try(lmbi_damped *d, double damping, bool pulls)
{
    lmbi_ik_chain *chain = d->chain;
    all_freedoms(d);
    lmbi_damped_assemble(d);
    for (int round = 0; round < 4; ++round) {
        bool again = false;
        lmbi_damped_set_error(d, pulls);
        if (!lmbi_damped_solve(d, damping * d->trace / d->rows + 1e-12)) {
            memset(d->solution, 0, d->rows * sizeof(double));
        }
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            lmbi_damped_gather(d, k);
            if (pulls) {
                chain->turns[k] =
                    lmb_vec3_add(chain->turns[k], lmbi_damped_project(&d->freedoms[k], d->pull[k]));
            }
        }
        shorten(chain);
        lmbi_chain_step(chain, chain->now, chain->trial);
        for (uint32_t k = 0; chain->has_limits && round < 3 && k < chain->link_count; ++k) {
            if (chain->trial[k].held) {
                again |= freeze_turns(d, k);
                again |= freeze_slides(d, k);
            }
        }
        if (!again) {
            return;
        }
        lmbi_damped_assemble(d);
    }
}

void lmbi_solve_damped(lmbi_ik_chain *chain)
{
    lmbi_damped d = lmbi_damped_set_up(chain);
    double damping = 1e-3;
    float cost = lmbi_chain_measure(chain, chain->now);
    int fruitless = 0;
    bool over = d.block_count == 0 || lmbi_chain_is_met(chain);
    if (over) {
        lmbi_chain_tick(chain, cost);
    }
    while (!over && fruitless < 8) {
        lmbi_damped_try(&d, damping, false);
        const float after = lmbi_chain_measure(chain, chain->trial);
        fruitless = after < 0.98f * cost ? 0 : fruitless + 1;
        if (after < cost) {
            lmbi_chain_swap(chain);
            cost = after;
            damping = damping * 0.2 > 1e-6 ? damping * 0.2 : 1e-6;
        } else {
            lmbi_chain_measure(chain, chain->now);
            damping = damping * 8 < 1e6 ? damping * 8 : 1e6;
        }
        over = lmbi_chain_tick(chain, cost);
    }
}
