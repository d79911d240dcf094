/// Solver of contacts: penetration and friction as position corrections, restitution as impulses.
#include "physics/world.h"

/// Arms of the contact points about the bodies' centres.
static void update_arms(const lmb_world *world, lmbi_contact *c)
{
    c->ra = lmbi_q4_rotate(world->bodies[c->a].q, c->local_a);
    c->rb = lmbi_q4_rotate(world->bodies[c->b].q, c->local_b);
}

static lmbi_v3 start_position(const lmbi_rigid_body *b, lmbi_v3 local)
{
    return lmbi_v3_add(b->x0, lmbi_q4_rotate(b->q0, local));
}

static void apply_correction(lmb_world *world, const lmbi_contact *c, lmbi_v3 p)
{
    lmbi_body_correct(&world->bodies[c->a], c->ra, p, 1.0);
    lmbi_body_correct(&world->bodies[c->b], c->rb, p, -1.0);
}

static double inverse_mass(const lmb_world *world, const lmbi_contact *c, lmbi_v3 n)
{
    return lmbi_body_inverse_mass(&world->bodies[c->a], c->ra, n) +
           lmbi_body_inverse_mass(&world->bodies[c->b], c->rb, n);
}

/// Corrects the tangential slip since the start of the sub-step, bounded by friction. Friction is
/// static while a contact slips no faster than gravity alone would move it from rest: one of a
/// body's several contacts cannot tell by its own load whether all of them together hold.
static void solve_friction(lmb_world *world, lmbi_contact *c, lmbi_v3 before, double slow_slip)
{
    const lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const lmbi_v3 now = lmbi_v3_sub(lmbi_v3_add(a->x, c->ra), lmbi_v3_add(b->x, c->rb));
    const lmbi_v3 moved = lmbi_v3_sub(now, before);
    const lmbi_v3 slip = lmbi_v3_mad(moved, c->normal, -lmbi_v3_dot(moved, c->normal));
    const double size = lmbi_v3_length(slip);
    lmbi_v3 total = c->friction_lambda;
    if (size > 1e-12) {
        const lmbi_v3 t = lmbi_v3_scale(slip, 1.0 / size);
        c->is_sliding = c->is_sliding || !(size < slow_slip);
        total = lmbi_v3_mad(total, t, -size / inverse_mass(world, c, t));
    }
    const double most = (c->is_sliding ? c->dynamic_friction : c->static_friction) * c->lambda;
    const double load = lmbi_v3_length(total);
    if (load > most) {
        total = lmbi_v3_scale(total, most / load);
    }
    apply_correction(world, c, lmbi_v3_sub(total, c->friction_lambda));
    c->friction_lambda = total;
}

/// Returns the position correction, relative to the contact's size.
static double solve_contact(lmb_world *world, lmbi_contact *c, double h)
{
    const lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    update_arms(world, c);
    const lmbi_v3 between = lmbi_v3_sub(lmbi_v3_add(a->x, c->ra), lmbi_v3_add(b->x, c->rb));
    const lmbi_v3 before =
        lmbi_v3_sub(start_position(a, c->local_a), start_position(b, c->local_b));
    const double depth = -lmbi_v3_dot(between, c->normal),
                 depth_before = -lmbi_v3_dot(before, c->normal);
    const double allowed_depth =
        lmbi_min(lmbi_max(0.0, depth_before), lmbi_max(a->unresolved_depth, b->unresolved_depth));
    if (depth <= allowed_depth && !(c->lambda > 0.0)) {
        return 0.0;
    }
    const double w = inverse_mass(world, c, c->normal);
    const double total = w > 0.0 ? lmbi_max(0.0, c->lambda + (depth - allowed_depth) / w) : 0.0;
    if (!(total > 0.0 || c->lambda > 0.0)) {
        return 0.0;
    }
    const double correction = fabs(total - c->lambda) * w / c->size;
    apply_correction(world, c, lmbi_v3_scale(c->normal, total - c->lambda));
    c->lambda = total;
    update_arms(world, c);
    if (!world->is_recovering && (c->static_friction > 0.0 || c->dynamic_friction > 0.0)) {
        const double slow_slip = h * (2.0 * lmbi_v3_length(world->gravity) * h + 1e-3);
        solve_friction(world, c, before, slow_slip);
    }
    return correction;
}

/// Forward and backward Gauss-Seidel sweeps alternate: a contact may undo overshoot of others.
double lmbi_world_solve_contacts(lmb_world *world, double h)
{
    const uint32_t n = world->contact_count;
    double worst = 0.0;
    for (uint32_t sweep = world->tick % 2; sweep < world->tick % 2 + world->sweeps; ++sweep) {
        for (uint32_t i = 0; i < n; ++i) {
            worst = lmbi_max(
                worst, solve_contact(world, &world->contacts[sweep % 2 == 0 ? i : n - 1 - i], h));
        }
    }
    return worst;
}

void lmbi_world_find_initial_depths(lmb_world *world)
{
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const lmbi_contact *c = &world->contacts[i];
        lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
        const double depth = lmbi_contact_depth(world, c);
        a->unresolved_depth =
            a->was_placed ? lmbi_max(a->unresolved_depth, depth) : a->unresolved_depth;
        b->unresolved_depth =
            b->was_placed ? lmbi_max(b->unresolved_depth, depth) : b->unresolved_depth;
    }
}

static double normal_velocity(const lmbi_contact *c, lmbi_v3 va, lmbi_v3 wa, lmbi_v3 vb, lmbi_v3 wb)
{
    const lmbi_v3 pa = lmbi_v3_add(va, lmbi_v3_cross(wa, c->ra)),
                  pb = lmbi_v3_add(vb, lmbi_v3_cross(wb, c->rb));
    return lmbi_v3_dot(lmbi_v3_sub(pa, pb), c->normal);
}

/// Sets the normal velocity to what restitution asks for, and removes velocity that only comes from
/// correcting penetration.
static void solve_restitution(lmb_world *world, lmbi_contact *c, double slow_slip)
{
    lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const double now = normal_velocity(c, a->v, a->w, b->v, b->w),
                 before = normal_velocity(c, a->v_free, a->w_free, b->v_free, b->w_free);
    const double back = before < -slow_slip ? -c->restitution * before : 0.0;
    const double goal = lmbi_max(back, lmbi_max(before, 0.0));
    const double w = inverse_mass(world, c, c->normal);
    if ((now > goal || now < back) && w > 0.0) {
        const lmbi_v3 p = lmbi_v3_scale(c->normal, ((now > goal ? goal : back) - now) / w);
        lmbi_body_apply_impulse(a, c->ra, p, 1.0);
        lmbi_body_apply_impulse(b, c->rb, p, -1.0);
    }
}

/// Joints are solved last and can move a contact that friction would have held. Applies the
/// remaining friction as an impulse, or stacks creep.
static void apply_static_friction(lmb_world *world, const lmbi_contact *c, double h)
{
    lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const double friction = c->is_sliding ? c->dynamic_friction : c->static_friction;
    const double friction_left = (friction * c->lambda - lmbi_v3_length(c->friction_lambda)) / h;
    const lmbi_v3 pa = lmbi_v3_add(a->v, lmbi_v3_cross(a->w, c->ra)),
                  pb = lmbi_v3_add(b->v, lmbi_v3_cross(b->w, c->rb));
    const lmbi_v3 v = lmbi_v3_sub(pa, pb);
    const lmbi_v3 tangential = lmbi_v3_mad(v, c->normal, -lmbi_v3_dot(v, c->normal));
    const double speed = lmbi_v3_length(tangential);
    if (!(friction_left > 0.0) || !(speed > 1e-9)) {
        return;
    }
    const lmbi_v3 t = lmbi_v3_scale(tangential, -1.0 / speed);
    const lmbi_v3 p = lmbi_v3_scale(t, lmbi_min(friction_left, speed / inverse_mass(world, c, t)));
    lmbi_body_apply_impulse(a, c->ra, p, 1.0);
    lmbi_body_apply_impulse(b, c->rb, p, -1.0);
}

/// The impulse of corners that hit at once is distributed only after some rounds. Bodies with joints are left
/// out: joints distribute their impulses.
static void repeat_restitution(lmb_world *world, double slow_slip)
{
    enum { ROUNDS = 8 };
    const uint32_t n = world->contact_count;
    for (int round = 0; round < ROUNDS; ++round) {
        for (uint32_t i = 0; i < n; ++i) {
            lmbi_contact *c = &world->contacts[round % 2 == 0 ? n - 1 - i : i];
            if (c->lambda > 0.0 && !world->bodies[c->a].has_joints &&
                !world->bodies[c->b].has_joints) {
                solve_restitution(world, c, slow_slip);
            }
        }
    }
}

void lmbi_world_solve_velocities(lmb_world *world, double h)
{
    const double slow_slip = 2.0 * lmbi_v3_length(world->gravity) * h;
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        lmbi_contact *c = &world->contacts[i];
        if (c->lambda > 0.0) {
            update_arms(world, c);
            solve_restitution(world, c, slow_slip);
            apply_static_friction(world, c, h);
        }
    }
    repeat_restitution(world, slow_slip);
}
