/// Contacts: depth and friction as positions, restitution as velocities.
#include "physics/world.h"

/// Where the contact's points are now, as seen from the bodies' centres.
static void place(const lmb_world *world, lmbi_contact *c)
{
    c->ra = lmbi_rotate(world->bodies[c->a].q, c->at_a);
    c->rb = lmbi_rotate(world->bodies[c->b].q, c->at_b);
}

static lmbi_v3 was_at(const lmbi_rigid_body *b, lmbi_v3 local)
{
    return lmbi_v3_add(b->x0, lmbi_rotate(b->q0, local));
}

static void push(lmb_world *world, const lmbi_contact *c, lmbi_v3 p)
{
    lmbi_body_shift(&world->bodies[c->a], c->ra, p, 1.0);
    lmbi_body_shift(&world->bodies[c->b], c->rb, p, -1.0);
}

static double give(const lmb_world *world, const lmbi_contact *c, lmbi_v3 n)
{
    return lmbi_body_give(&world->bodies[c->a], c->ra, n) +
           lmbi_body_give(&world->bodies[c->b], c->rb, n);
}

/// Takes back what the points slipped since the sub-step began, as far as friction can: static
/// friction of what slips no faster than gravity alone makes it from rest. (One of several contacts
/// of a body cannot tell by its own share of the load whether all together hold.)
static void solve_slip(lmb_world *world, lmbi_contact *c, lmbi_v3 before, double slow)
{
    const lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const lmbi_v3 now = lmbi_v3_sub(lmbi_v3_add(a->x, c->ra), lmbi_v3_add(b->x, c->rb));
    const lmbi_v3 moved = lmbi_v3_sub(now, before);
    const lmbi_v3 slip = lmbi_v3_mad(moved, c->normal, -lmbi_v3_dot(moved, c->normal));
    const double size = lmbi_v3_length(slip);
    lmbi_v3 all = c->rubbed;
    if (size > 1e-12) {
        const lmbi_v3 t = lmbi_v3_scale(slip, 1.0 / size);
        c->slides = c->slides || !(size < slow);
        all = lmbi_v3_mad(all, t, -size / give(world, c, t));
    }
    const double most = (c->slides ? c->dynamic_friction : c->static_friction) * c->lambda;
    const double load = lmbi_v3_length(all);
    if (load > most) {
        all = lmbi_v3_scale(all, most / load);
    }
    push(world, c, lmbi_v3_sub(all, c->rubbed));
    c->rubbed = all;
}

/// Returns how far the contact was pushed, of its size.
static double solve(lmb_world *world, lmbi_contact *c, double h)
{
    const lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    place(world, c);
    const lmbi_v3 between = lmbi_v3_sub(lmbi_v3_add(a->x, c->ra), lmbi_v3_add(b->x, c->rb));
    const lmbi_v3 before = lmbi_v3_sub(was_at(a, c->at_a), was_at(b, c->at_b));
    const double depth = -lmbi_v3_dot(between, c->normal), was = -lmbi_v3_dot(before, c->normal);
    const double kept = lmbi_min(lmbi_max(0.0, was), lmbi_max(a->start_in, b->start_in));
    if (depth <= kept && !(c->lambda > 0.0)) {
        return 0.0;
    }
    const double w = give(world, c, c->normal);
    const double all = w > 0.0 ? lmbi_max(0.0, c->lambda + (depth - kept) / w) : 0.0;
    if (!(all > 0.0 || c->lambda > 0.0)) {
        return 0.0;
    }
    const double by = fabs(all - c->lambda) * w / c->size;
    push(world, c, lmbi_v3_scale(c->normal, all - c->lambda));
    c->lambda = all;
    place(world, c);
    if (!world->recovers && (c->static_friction > 0.0 || c->dynamic_friction > 0.0)) {
        const double slow = h * (2.0 * lmbi_v3_length(world->gravity) * h + 1e-3);
        solve_slip(world, c, before, slow);
    }
    return by;
}

/// There and back: a contact may take back what others have made too much.
double lmbi_world_solve_contacts(lmb_world *world, double h)
{
    const uint32_t n = world->contact_count;
    double worst = 0.0;
    for (uint32_t sweep = world->tick % 2; sweep < world->tick % 2 + world->sweeps; ++sweep) {
        for (uint32_t i = 0; i < n; ++i) {
            worst =
                lmbi_max(worst, solve(world, &world->contacts[sweep % 2 == 0 ? i : n - 1 - i], h));
        }
    }
    return worst;
}

void lmbi_world_find_starts(lmb_world *world)
{
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const lmbi_contact *c = &world->contacts[i];
        lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
        const double depth = lmbi_v3_dot(
            lmbi_v3_sub(lmbi_body_point(b, c->at_b), lmbi_body_point(a, c->at_a)), c->normal);
        a->start_in = a->is_fresh ? lmbi_max(a->start_in, depth) : a->start_in;
        b->start_in = b->is_fresh ? lmbi_max(b->start_in, depth) : b->start_in;
    }
}

static double approach(const lmbi_contact *c, lmbi_v3 va, lmbi_v3 wa, lmbi_v3 vb, lmbi_v3 wb)
{
    const lmbi_v3 pa = lmbi_v3_add(va, lmbi_v3_cross(wa, c->ra)),
                  pb = lmbi_v3_add(vb, lmbi_v3_cross(wb, c->rb));
    return lmbi_v3_dot(lmbi_v3_sub(pa, pb), c->normal);
}

/// Sets the speed along the normal to what restitution asks for; takes away what only came from
/// moving out of a depth.
static void bounce(lmb_world *world, lmbi_contact *c, double slow)
{
    lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const double now = approach(c, a->v, a->w, b->v, b->w),
                 before = approach(c, a->v_free, a->w_free, b->v_free, b->w_free);
    const double back = before < -slow ? -c->restitution * before : 0.0;
    const double goal = lmbi_max(back, lmbi_max(before, 0.0));
    const double w = give(world, c, c->normal);
    if ((now > goal || now < back) && w > 0.0) {
        const lmbi_v3 p = lmbi_v3_scale(c->normal, ((now > goal ? goal : back) - now) / w);
        lmbi_body_kick(a, c->ra, p, 1.0);
        lmbi_body_kick(b, c->rb, p, -1.0);
    }
}

/// Joints, solved last, may have dragged a contact that friction still had strength to hold: it
/// takes that speed away again, or heaps creep.
static void hold(lmb_world *world, const lmbi_contact *c, double h)
{
    lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
    const double friction = c->slides ? c->dynamic_friction : c->static_friction;
    const double left = (friction * c->lambda - lmbi_v3_length(c->rubbed)) / h;
    const lmbi_v3 pa = lmbi_v3_add(a->v, lmbi_v3_cross(a->w, c->ra)),
                  pb = lmbi_v3_add(b->v, lmbi_v3_cross(b->w, c->rb));
    const lmbi_v3 v = lmbi_v3_sub(pa, pb);
    const lmbi_v3 across = lmbi_v3_mad(v, c->normal, -lmbi_v3_dot(v, c->normal));
    const double speed = lmbi_v3_length(across);
    if (!(left > 0.0) || !(speed > 1e-9)) {
        return;
    }
    const lmbi_v3 t = lmbi_v3_scale(across, -1.0 / speed);
    const lmbi_v3 p = lmbi_v3_scale(t, lmbi_min(left, speed / give(world, c, t)));
    lmbi_body_kick(a, c->ra, p, 1.0);
    lmbi_body_kick(b, c->rb, p, -1.0);
}

/// Corners that strike together share the blow only after some rounds; figures of joints have their
/// own.
static void share_blow(lmb_world *world, double slow)
{
    enum { ROUNDS = 8 };
    const uint32_t n = world->contact_count;
    for (int round = 0; round < ROUNDS; ++round) {
        for (uint32_t i = 0; i < n; ++i) {
            lmbi_contact *c = &world->contacts[round % 2 == 0 ? n - 1 - i : i];
            if (c->lambda > 0.0 && !world->bodies[c->a].is_limb && !world->bodies[c->b].is_limb) {
                bounce(world, c, slow);
            }
        }
    }
}

void lmbi_world_bounce(lmb_world *world, double h)
{
    const double slow = 2.0 * lmbi_v3_length(world->gravity) * h;
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        lmbi_contact *c = &world->contacts[i];
        if (c->lambda > 0.0) {
            place(world, c);
            bounce(world, c, slow);
            hold(world, c, h);
        }
    }
    share_blow(world, slow);
}
