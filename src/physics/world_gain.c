/// Energy out of nothing: limbs that are wedged between limbs whose joints are at their limits may
/// have no place to go, and a solver that pushes them on in vain leaves speeds that nobody gave.
#include "physics/world.h"

static bool counts(const lmbi_rigid_body *b)
{
    return !b->asleep && b->inv_mass > 0.0;
}

/// As the sub-step began: the inertia of then, or a long body gains by the turn alone.
static double energy_before(const lmbi_rigid_body *b)
{
    lmbi_rigid_body was = *b;
    was.q = b->q0;
    return lmbi_body_energy(&was, b->v0, b->w0);
}

/// Work of the forces and torques that were given from outside.
static double work_of_forces(const lmbi_rigid_body *b)
{
    const lmbi_v3 way = lmbi_v3_sub(b->x, b->x0),
                  turn = lmbi_rotation_vector(lmbi_mul(b->q, lmbi_q4_conjugate(b->q0)));
    return lmbi_v3_dot(b->force, way) + lmbi_v3_dot(b->torque, turn);
}

static bool drives(const lmb_rigid_motor *m)
{
    return m->stiffness > 0.0f || lmb_vec3_dot(m->turning, m->turning) > 0.0f;
}

void lmbi_world_count_work(lmb_world *world, double h)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        world->work += counts(b) ? work_of_forces(b) : 0.0;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        joint->work = drives(&joint->motor) ? lmbi_max(0.0, lmbi_joint_work(world, joint, h)) : 0.0;
        world->work += joint->work;
    }
}

static void sum(lmb_world *world, bool settled)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->island_energy = b->island_free = b->island_before = b->island_mass = 0.0;
        b->island_v = lmbi_v3_make(0, 0, 0);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        if (counts(b)) {
            lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
            root->island_energy += lmbi_body_energy(b, b->v, b->w);
            root->island_free += energy_before(b) + work_of_forces(b) +
                                 b->mass * lmbi_v3_dot(world->gravity, lmbi_v3_sub(b->x, b->x0));
            root->island_before += lmbi_body_energy(b, b->v_free, b->w_free);
            root->island_v = lmbi_v3_mad(root->island_v, b->v, b->mass);
            root->island_mass += b->mass;
        }
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        const lmbi_joint *joint = &world->joints[i];
        world->bodies[lmbi_island_of(world, joint->b)].island_free += joint->work;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->island_free = settled ? b->island_free : lmbi_min(b->island_free, b->island_before);
        b->island_free = lmbi_max(0.0, b->island_free);
    }
}

/// A body that is carried does work on what it meets.
static bool is_any_carried(const lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        if (!(b->inv_mass > 0.0) && lmbi_v3_dot(b->v, b->v) + lmbi_v3_dot(b->w, b->w) > 0.0) {
            return true;
        }
    }
    return false;
}

/// All that moves relative to the centre of mass is slowed by one factor: momentum stays, and
/// joints that held together go on to, since what they ask of speeds is linear. Where the ground
/// has given the centre of mass more than there was, that is slowed too.
void lmbi_world_take_gain(lmb_world *world, bool settled)
{
    if (settled && is_any_carried(world)) {
        return;
    }
    lmbi_world_find_islands(world);
    sum(world, settled);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (!counts(b) || !(root->island_energy > root->island_free)) {
            continue;
        }
        const lmbi_v3 middle = lmbi_v3_scale(root->island_v, 1.0 / root->island_mass);
        const double whole = 0.5 * root->island_mass * lmbi_v3_dot(middle, middle);
        const double may = lmbi_max(0.0, root->island_free - whole),
                     share = sqrt(may / lmbi_max(root->island_energy - whole, 1e-30));
        const double all = whole > root->island_free ? sqrt(root->island_free / whole) : 1.0;
        b->v = lmbi_v3_lerp(lmbi_v3_scale(middle, all), b->v, lmbi_min(share, 1.0));
        b->w = lmbi_v3_scale(b->w, lmbi_min(share, 1.0));
    }
}
