/// Sleeping and waking of islands, and damping of slow ones.
#include "physics/world.h"

/// Energy per kilogram of the mean motion over STILL_S, below which an island falls asleep.
#define STILL_J_KG 3e-4
#define STILL_S 0.5
/// Islands below this energy per kilogram are damped, or heaps creep for long.
#define SLOW_J_KG 5e-4
#define SLOW_DAMPING_1_S 4.0
/// Bodies with joints below this energy per kilogram are damped more the longer they are slow:
/// limbs that lie on limbs slump for seconds.
#define CALM_J_KG 2e-2
/// An island above this energy per kilogram is not at rest, even if its mean motion is small.
#define LIVELY_J_KG 1e-2

uint32_t lmbi_island_of(lmb_world *world, uint32_t body)
{
    lmbi_rigid_body *b = world->bodies;
    while (b[body].island != body) {
        body = b[body].island = b[b[body].island].island;
    }
    return body;
}

static void join_islands(lmb_world *world, uint32_t a, uint32_t b)
{
    if (world->bodies[a].inv_mass > 0.0 && world->bodies[b].inv_mass > 0.0) {
        const uint32_t p = lmbi_island_of(world, a), q = lmbi_island_of(world, b);
        world->bodies[p > q ? p : q].island = p > q ? q : p;
    }
}

void lmbi_world_find_islands(lmb_world *world)
{
    for (uint32_t i = 0; i <= world->body_count; ++i) {
        world->bodies[i].island = i;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        join_islands(world, world->joints[i].a, world->joints[i].b);
    }
    for (uint32_t i = 0; i < world->pair_count; ++i) {
        join_islands(world, world->shapes[world->pairs[i].a].body,
                     world->shapes[world->pairs[i].b].body);
    }
}

static bool is_moving(const lmbi_rigid_body *b)
{
    return 0.5 * lmbi_v3_dot(b->v, b->v) > STILL_J_KG ||
           0.5 * lmbi_v3_dot(b->w, b->w) > 30.0 * STILL_J_KG;
}

/// A moving kinematic body wakes bodies near it.
static void wake_by_kinematic(lmb_world *world, uint32_t a, uint32_t b)
{
    const lmbi_rigid_body *p = &world->bodies[a];
    lmbi_rigid_body *q = &world->bodies[b];
    if (!(p->inv_mass > 0.0) && is_moving(p) && q->asleep) {
        q->asleep = false;
        q->mark_age_s = 0;
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
        wake_by_kinematic(world, world->joints[i].a, world->joints[i].b);
        wake_by_kinematic(world, world->joints[i].b, world->joints[i].a);
    }
    for (uint32_t i = 0; i < world->pair_count; ++i) {
        const uint32_t a = world->shapes[world->pairs[i].a].body,
                       b = world->shapes[world->pairs[i].b].body;
        wake_by_kinematic(world, a, b);
        wake_by_kinematic(world, b, a);
    }
    lmbi_world_find_islands(world);
    // An island's root is its first body: an awake body wakes the root, and the root then wakes all
    // others.
    for (uint32_t i = world->body_count; i-- > 0;) {
        lmbi_rigid_body *b = &world->bodies[i], *root = &world->bodies[lmbi_island_of(world, i)];
        if (!b->asleep && b->inv_mass > 0.0) {
            root->asleep = false;
        }
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        if (b->asleep && !world->bodies[lmbi_island_of(world, i)].asleep) {
            b->asleep = false;
            b->mark_age_s = 0;
        }
    }
}

static double kinetic(const lmbi_rigid_body *b)
{
    return lmbi_body_energy(b, b->v, b->w);
}

static void sum_islands(lmb_world *world, double (*energy)(const lmbi_rigid_body *))
{
    lmbi_rigid_body *bodies = world->bodies;
    for (uint32_t i = 0; i < world->body_count; ++i) {
        bodies[i].island_energy = bodies[i].island_mass = 0.0;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *root = &bodies[lmbi_island_of(world, i)];
        root->island_energy += energy(&bodies[i]);
        root->island_mass += bodies[i].mass;
    }
}

void lmbi_world_damp_slow_islands(lmb_world *world, double dt_s)
{
    lmbi_world_find_islands(world);
    sum_islands(world, kinetic);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        b->mark_age_s =
            root->island_energy > LIVELY_J_KG * root->island_mass ? 0.0 : b->mark_age_s + dt_s;
        const double energy = root->island_energy, mass = root->island_mass;
        const bool calm_now = b->has_joints && !b->asleep && energy <= CALM_J_KG * mass;
        b->slow_s = calm_now ? b->slow_s + dt_s : 0.0;
        const double calm = 10.0 * b->slow_s * b->slow_s * b->slow_s;
        b->slow_damping = SLOW_DAMPING_1_S * lmbi_max(energy <= SLOW_J_KG * mass ? 1.0 : 0.0, calm);
    }
}

/// Kinetic energy of the mean motion since the reference pose: trembling in place has none.
static double mean_motion_energy(const lmbi_rigid_body *b)
{
    lmbi_rigid_body mean = *b;
    mean.v = lmbi_v3_scale(lmbi_v3_sub(b->x, b->mark_x), 1.0 / STILL_S);
    mean.w = lmbi_v3_scale(lmbi_rotation_vector(lmbi_q4_mul(b->q, lmbi_q4_conjugate(b->mark_q))),
                           1.0 / STILL_S);
    return b->mark_age_s < STILL_S - 1e-6 ? HUGE_VAL : kinetic(&mean);
}

/// An island sleeps as a whole, by its energy per kilogram.
void lmbi_world_sleep(lmb_world *world, double dt_s)
{
    world->sleep_window_s += dt_s;
    if (world->sleep_window_s < STILL_S - 1e-6) {
        return;
    }
    world->sleep_window_s = 0.0;
    sum_islands(world, mean_motion_energy);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (b->inv_mass > 0.0 && root->island_energy <= STILL_J_KG * root->island_mass) {
            b->asleep = true;
            b->v = b->w = lmbi_v3_make(0, 0, 0);
        }
        b->mark_x = b->x;
        b->mark_q = b->q;
        b->mark_age_s = 0.0;
    }
}
