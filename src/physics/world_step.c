/// One step of a world: sub-steps of prediction, positions, velocities; what sleeps.
#include <assert.h>

#include "physics/world.h"

/// Above this speed a body would turn more than half a radian in a usual sub-step.
#define MOST_SPIN 500.0
#define MOST_SPEED 1000.0
/// Energy a kilogram of the mean motion over a time, below which bodies fall asleep.
#define STILL_J_KG 3e-4
#define STILL_S 0.5
/// What is slower than this, as a whole, is braked by a share a second: a heap would creep for
/// long.
#define SLOW_J_KG 5e-4
#define BRAKE 4.0
/// Slower than this what has joints is braked the more the longer it has been: limbs that lie on
/// limbs slump for seconds.
#define CALM_J_KG 1e-2
/// What is faster than this at any moment is not at rest, wherever it comes back to.
#define LIVELY_J_KG 1e-2
/// Few sub-steps need more than one round; the hardest blow of a thousand went 6 mm into the ground
/// with 8 of each, a limit gave way by 12 degrees, and heaps trembled for longer.
enum { LIMITED_ROUNDS = 32, LOOSE_ROUNDS = 16, LAST_ROUNDS = 8 };
/// Rounds of a sub-step end when no joint was further apart and no contact pushed further, of their
/// sizes.
#define FINE_GAP 1e-3
#define FINE_DEPTH 0.02

static lmbi_v3 at_most(lmbi_v3 v, double length)
{
    const double d = lmbi_v3_dot(v, v);
    return d > length * length ? lmbi_v3_scale(v, length / sqrt(d)) : v;
}

/// The torque-free turn of w x I w, implicitly and in the body's axes, so that a long body that
/// spins fast gains no energy: one step of Newton's (Catto, GDC 2015).
static lmbi_v3 without_gyration(const lmbi_body *b, double h)
{
    const lmbi_v3 w = lmbi_unrotate(b->q, b->w), i = b->inertia;
    const lmbi_v3 l = lmbi_v3_mul(i, w), f = lmbi_v3_scale(lmbi_v3_cross(w, l), h);
    // J = I + h (skew(w) I - skew(I w)), rows
    const lmbi_v3 r0 = {i.x, h * (-w.z * i.y + l.z), h * (w.y * i.z - l.y)},
                  r1 = {h * (w.z * i.x - l.z), i.y, h * (-w.x * i.z + l.x)},
                  r2 = {h * (-w.y * i.x + l.y), h * (w.x * i.y - l.x), i.z};
    const lmbi_v3 c0 = lmbi_v3_cross(r1, r2), c1 = lmbi_v3_cross(r2, r0),
                  c2 = lmbi_v3_cross(r0, r1);
    const double det = lmbi_v3_dot(r0, c0);
    if (!(det > 0.0)) {
        return b->w;
    }
    const lmbi_v3 d =
        lmbi_v3_add(lmbi_v3_scale(c0, f.x), lmbi_v3_mad(lmbi_v3_scale(c1, f.y), c2, f.z));
    return lmbi_rotate(b->q, lmbi_v3_mad(w, d, -1.0 / det));
}

static void predict(lmb_world *world, double h)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        if (b->asleep) {
            continue;
        }
        b->start_in = lmbi_max(0.0, b->start_in - h * LMBI_RECOVERY_M_S);
        b->x0 = b->x;
        b->q0 = b->q;
        b->inv_world = lmbi_sym3_turned(b->q, b->inv_inertia);
        if (b->inv_mass > 0.0) {
            const double v_rate = b->damping + b->brake, w_rate = b->spin_damping + b->brake;
            const lmbi_v3 v = lmbi_v3_scale(b->v, 1.0 / (1.0 + h * v_rate)),
                          w = lmbi_v3_scale(without_gyration(b, h), 1.0 / (1.0 + h * w_rate));
            b->v = lmbi_v3_mad(lmbi_v3_mad(v, world->gravity, h), b->force, h * b->inv_mass);
            b->v = at_most(b->v, MOST_SPEED);
            b->w = at_most(lmbi_v3_mad(w, lmbi_sym3_mul(b->inv_world, b->torque), h), MOST_SPIN);
        }
        b->v_free = b->v;
        b->w_free = b->w;
        b->x = lmbi_v3_mad(b->x, b->v, h);
        b->q = lmbi_unit(lmbi_turn(b->q, lmbi_v3_scale(b->w, h)));
    }
}

static bool rests(const lmb_world *world, uint32_t a, uint32_t b)
{
    const lmbi_body *p = &world->bodies[a], *q = &world->bodies[b];
    return (p->asleep || !(p->inv_mass > 0.0)) && (q->asleep || !(q->inv_mass > 0.0));
}

/// All of them outward or inward. Returns the largest gap met.
static double sweep(lmb_world *world, double h, bool outward,
                    double (*solve)(lmb_world *, lmbi_joint *, double))
{
    double worst = 0.0;
    for (uint32_t k = 0; k < world->joint_count; ++k) {
        lmbi_joint *joint = &world->joints[outward ? k : world->joint_count - 1 - k];
        if (!rests(world, joint->a, joint->b)) {
            worst = lmbi_max(worst, solve(world, joint, h));
        }
    }
    return worst;
}

/// Contacts and joints by turns, joints last, outward and inward by turns so that an error travels
/// along a whole limb; again while a blow has not gone through the body. Where limits and contacts
/// leave no place, limits give, and then contacts.
static void solve_positions(lmb_world *world, double h)
{
    bool outward = world->tick % 2 == 0;
    for (int k = 0; k < LIMITED_ROUNDS; ++k) {
        outward = !outward;
        const double pushed = lmbi_world_solve_contacts(world, h);
        const double gap = sweep(world, h, outward, lmbi_joint_solve);
        if (gap < FINE_GAP && pushed < FINE_DEPTH) {
            return;
        }
    }
    for (int k = 0; k < LOOSE_ROUNDS + LAST_ROUNDS; ++k) {
        outward = !outward;
        const bool last = k >= LOOSE_ROUNDS; // anchors alone
        const double pushed = last ? 0.0 : lmbi_world_solve_contacts(world, h);
        const double gap = sweep(world, h, outward, lmbi_joint_close);
        if (gap < (last ? 3.0 * FINE_GAP : FINE_GAP) && pushed < FINE_DEPTH) {
            return;
        }
    }
}

static void find_velocities(lmb_world *world, double h)
{
    const double rate = 1.0 / h;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        if (!b->asleep && b->inv_mass > 0.0) {
            b->q = lmbi_unit(b->q);
            b->v = lmbi_v3_scale(lmbi_v3_sub(b->x, b->x0), rate);
            b->w =
                lmbi_v3_scale(lmbi_rotation_vector(lmbi_mul(b->q, lmbi_q4_conjugate(b->q0))), rate);
        }
    }
}

static void substep(lmb_world *world, double h)
{
    ++world->tick;
    predict(world, h);
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint_begin(&world->joints[i], h);
    }
    sweep(world, h, world->tick % 2 == 0, lmbi_joint_solve);
    lmbi_world_place_shapes(world);
    lmbi_world_find_contacts(world);
    solve_positions(world, h);
    find_velocities(world, h);
    lmbi_world_bounce(world, h);
}

/// How deep in others bodies are that were put where they are since the last step.
static void find_starts(lmb_world *world)
{
    bool any = false;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        any = any || world->bodies[i].is_fresh;
    }
    if (any) {
        lmbi_world_find_contacts(world);
        lmbi_world_find_starts(world);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].is_fresh = false;
    }
}

void lmb_world_step(lmb_world *world, float dt_s)
{
    assert(dt_s > 0.0f);
    const double dt = lmbi_min((double)dt_s, 1.0 / 15.0), h = dt / (double)world->substeps;
    lmbi_world_find_pairs(world, dt);
    if (!world->never_sleeps) {
        lmbi_world_wake(world);
        lmbi_world_brake(world, dt);
    }
    find_starts(world);
    for (uint32_t k = 0; k < world->substeps; ++k) {
        substep(world, h);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].force = world->bodies[i].torque = lmbi_v3_make(0, 0, 0);
    }
    if (!world->never_sleeps) {
        lmbi_world_sleep(world, dt);
    }
}

// ------------------------------------------------------------------------------------------ sleep

static uint32_t island_of(lmb_world *world, uint32_t body)
{
    lmbi_body *b = world->bodies;
    while (b[body].island != body) {
        body = b[body].island = b[b[body].island].island;
    }
    return body;
}

static void join(lmb_world *world, uint32_t a, uint32_t b)
{
    if (world->bodies[a].inv_mass > 0.0 && world->bodies[b].inv_mass > 0.0) {
        const uint32_t p = island_of(world, a), q = island_of(world, b);
        world->bodies[p > q ? p : q].island = p > q ? q : p;
    }
}

static void find_islands(lmb_world *world)
{
    for (uint32_t i = 0; i <= world->body_count; ++i) {
        world->bodies[i].island = i;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        join(world, world->joints[i].a, world->joints[i].b);
    }
    for (uint32_t i = 0; i < world->pair_count; ++i) {
        join(world, world->shapes[world->pairs[i].a].body, world->shapes[world->pairs[i].b].body);
    }
}

static bool moves(const lmbi_body *b)
{
    return 0.5 * lmbi_v3_dot(b->v, b->v) > STILL_J_KG ||
           0.5 * lmbi_v3_dot(b->w, b->w) > 30.0 * STILL_J_KG;
}

/// What is carried wakes what it is near while it moves.
static void wake_by_carried(lmb_world *world, uint32_t a, uint32_t b)
{
    const lmbi_body *p = &world->bodies[a];
    lmbi_body *q = &world->bodies[b];
    if (!(p->inv_mass > 0.0) && moves(p) && q->asleep) {
        q->asleep = false;
        q->marked_s = 0;
    }
}

void lmbi_world_wake(lmb_world *world)
{
    uint32_t asleep = 0;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        asleep += world->bodies[i].asleep;
    }
    if (asleep == 0) {
        return;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        wake_by_carried(world, world->joints[i].a, world->joints[i].b);
        wake_by_carried(world, world->joints[i].b, world->joints[i].a);
    }
    for (uint32_t i = 0; i < world->pair_count; ++i) {
        const uint32_t a = world->shapes[world->pairs[i].a].body,
                       b = world->shapes[world->pairs[i].b].body;
        wake_by_carried(world, a, b);
        wake_by_carried(world, b, a);
    }
    find_islands(world);
    // The root of an island is its first body: one that is awake marks it there, and it passes on.
    for (uint32_t i = world->body_count; i-- > 0;) {
        lmbi_body *b = &world->bodies[i], *root = &world->bodies[island_of(world, i)];
        if (!b->asleep && b->inv_mass > 0.0) {
            root->asleep = false;
        }
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        if (b->asleep && !world->bodies[island_of(world, i)].asleep) {
            b->asleep = false;
            b->marked_s = 0;
        }
    }
}

static double kinetic(const lmbi_body *b)
{
    const lmbi_v3 w = lmbi_unrotate(b->q, b->w);
    return 0.5 * (b->mass * lmbi_v3_dot(b->v, b->v) + lmbi_v3_dot(w, lmbi_v3_mul(b->inertia, w)));
}

static void sum_islands(lmb_world *world, double (*energy)(const lmbi_body *))
{
    lmbi_body *bodies = world->bodies;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        bodies[i].island_energy = bodies[i].island_mass = 0.0;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *root = &bodies[island_of(world, i)];
        root->island_energy += energy(&bodies[i]);
        root->island_mass += bodies[i].mass;
    }
}

void lmbi_world_brake(lmb_world *world, double dt_s)
{
    find_islands(world);
    sum_islands(world, kinetic);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        const lmbi_body *root = &world->bodies[island_of(world, i)];
        b->marked_s =
            root->island_energy > LIVELY_J_KG * root->island_mass ? 0.0 : b->marked_s + dt_s;
        const double energy = root->island_energy, mass = root->island_mass;
        const bool calm_now = b->is_limb && !b->asleep && energy <= CALM_J_KG * mass;
        b->calm_s = calm_now ? b->calm_s + dt_s : 0.0;
        const double calm = 5.0 * b->calm_s * b->calm_s * b->calm_s;
        b->brake = BRAKE * lmbi_max(energy <= SLOW_J_KG * mass ? 1.0 : 0.0, calm);
    }
}

/// The energy of the mean motion since the mark: what trembles in place has none.
static double drift(const lmbi_body *b)
{
    lmbi_body mean = *b;
    mean.v = lmbi_v3_scale(lmbi_v3_sub(b->x, b->mark_x), 1.0 / STILL_S);
    mean.w = lmbi_v3_scale(lmbi_rotation_vector(lmbi_mul(b->q, lmbi_q4_conjugate(b->mark_q))),
                           1.0 / STILL_S);
    return b->marked_s < STILL_S - 1e-6 ? HUGE_VAL : kinetic(&mean);
}

/// What hangs or lies together sleeps together: its energy a kilogram counts, as a whole.
void lmbi_world_sleep(lmb_world *world, double dt_s)
{
    world->window_s += dt_s;
    if (world->window_s < STILL_S - 1e-6) {
        return;
    }
    world->window_s = 0.0;
    sum_islands(world, drift);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        const lmbi_body *root = &world->bodies[island_of(world, i)];
        if (b->inv_mass > 0.0 && root->island_energy <= STILL_J_KG * root->island_mass) {
            b->asleep = true;
            b->v = b->w = lmbi_v3_make(0, 0, 0);
        }
        b->mark_x = b->x;
        b->mark_q = b->q;
        b->marked_s = 0.0;
    }
}
