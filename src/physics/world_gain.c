/// Energy out of nothing: limbs that are wedged between limbs whose joints are at their limits may
/// have no place to go, and a solver that pushes them on in vain leaves speeds that nobody gave.
#include "physics/world.h"

static double energy(const lmbi_body *b, lmbi_v3 v, lmbi_v3 w)
{
    const lmbi_v3 spin = lmbi_unrotate(b->q, w);
    return 0.5 * (b->mass * lmbi_v3_dot(v, v) + lmbi_v3_dot(spin, lmbi_v3_mul(b->inertia, spin)));
}

static bool counts(const lmbi_body *b)
{
    return !b->asleep && b->inv_mass > 0.0;
}

static void sum(lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        b->island_energy = b->island_free = b->island_mass = 0.0;
        b->island_v = lmbi_v3_make(0, 0, 0);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_body *b = &world->bodies[i];
        if (counts(b)) {
            lmbi_body *root = &world->bodies[lmbi_island_of(world, i)];
            root->island_energy += energy(b, b->v, b->w);
            root->island_free += energy(b, b->v_free, b->w_free);
            root->island_v = lmbi_v3_mad(root->island_v, b->v, b->mass);
            root->island_mass += b->mass;
        }
    }
}

/// All that moves relative to the centre of mass is slowed by one factor: momentum stays, and
/// joints that held together go on to, since what they ask of speeds is linear.
void lmbi_world_take_gain(lmb_world *world)
{
    lmbi_world_find_islands(world);
    sum(world);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_body *b = &world->bodies[i];
        const lmbi_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (!counts(b) || !(root->island_energy > root->island_free)) {
            continue;
        }
        const lmbi_v3 middle = lmbi_v3_scale(root->island_v, 1.0 / root->island_mass);
        const double whole = 0.5 * root->island_mass * lmbi_v3_dot(middle, middle);
        const double may = lmbi_max(0.0, root->island_free - whole),
                     share = sqrt(may / lmbi_max(root->island_energy - whole, 1e-30));
        b->v = lmbi_v3_lerp(middle, b->v, lmbi_min(share, 1.0));
        b->w = lmbi_v3_scale(b->w, lmbi_min(share, 1.0));
    }
}
