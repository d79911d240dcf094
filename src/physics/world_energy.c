/// Removal of energy that constraints create: limbs wedged between limbs at their joint limits may
/// have no feasible position, and the solver's futile corrections then become velocities.
#include "physics/world.h"

/// Kinetic energy at the start of the sub-step, with the inertia in its rotation then: a long body
/// gains energy by rotating alone.
static double energy_before(const lmbi_rigid_body *b)
{
    lmbi_rigid_body start = *b;
    start.q = b->q0;
    return lmbi_body_energy(&start, b->v0, b->w0);
}

/// Work of external forces and torques in this sub-step.
static double work_of_forces(const lmbi_rigid_body *b)
{
    const lmbi_v3 translation = lmbi_v3_sub(b->x, b->x0),
                  rotation = lmbi_rotation_vector(lmbi_q4_mul(b->q, lmbi_q4_conjugate(b->q0)));
    return lmbi_v3_dot(b->force, translation) + lmbi_v3_dot(b->torque, rotation);
}

static bool is_driven(const lmb_rigid_motor *m)
{
    return m->stiffness > 0.0f || lmb_vec3_dot(m->angular_velocity, m->angular_velocity) > 0.0f;
}

void lmbi_world_count_work(lmb_world *world, double h)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        world->work += lmbi_body_is_moving(b) ? work_of_forces(b) : 0.0;
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        joint->work =
            is_driven(&joint->motor) ? lmbi_max(0.0, lmbi_joint_work(world, joint, h)) : 0.0;
        world->work += joint->work;
    }
}

static void sum_island_energies(lmb_world *world, bool settled)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->island_energy = b->island_allowed = b->island_unconstrained = b->island_mass = 0.0;
        b->island_v = lmbi_v3_make(0, 0, 0);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        if (lmbi_body_is_moving(b)) {
            lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
            root->island_energy += lmbi_body_energy(b, b->v, b->w);
            root->island_allowed += energy_before(b) + work_of_forces(b) +
                                    b->mass * lmbi_v3_dot(world->gravity, lmbi_v3_sub(b->x, b->x0));
            root->island_unconstrained += lmbi_body_energy(b, b->v_free, b->w_free);
            root->island_v = lmbi_v3_mad(root->island_v, b->v, b->mass);
            root->island_mass += b->mass;
        }
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        const lmbi_joint *joint = &world->joints[i];
        world->bodies[lmbi_island_of(world, joint->b)].island_allowed += joint->work;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->island_allowed =
            settled ? b->island_allowed : lmbi_min(b->island_allowed, b->island_unconstrained);
        b->island_allowed = lmbi_max(0.0, b->island_allowed);
    }
}

/// A moving kinematic body does work on what it touches.
static bool has_moving_kinematic(const lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        if (!(b->inv_mass > 0.0) && lmbi_v3_dot(b->v, b->v) + lmbi_v3_dot(b->w, b->w) > 0.0) {
            return true;
        }
    }
    return false;
}

/// Scales velocities relative to the centre of mass by one factor: momentum stays, and joints stay
/// satisfied as their velocity constraints are linear. Where the ground has given the centre of
/// mass itself more than the bound, its velocity is scaled too.
void lmbi_world_remove_energy_gain(lmb_world *world, bool settled)
{
    if (settled && has_moving_kinematic(world)) {
        return;
    }
    lmbi_world_find_islands(world);
    sum_island_energies(world, settled);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (!lmbi_body_is_moving(b) || !(root->island_energy > root->island_allowed)) {
            continue;
        }
        const lmbi_v3 com_velocity = lmbi_v3_scale(root->island_v, 1.0 / root->island_mass);
        const double com_energy = 0.5 * root->island_mass * lmbi_v3_dot(com_velocity, com_velocity);
        const double allowed = lmbi_max(0.0, root->island_allowed - com_energy),
                     relative_scale =
                         sqrt(allowed / lmbi_max(root->island_energy - com_energy, 1e-30));
        const double whole_scale =
            com_energy > root->island_allowed ? sqrt(root->island_allowed / com_energy) : 1.0;
        b->v = lmbi_v3_lerp(lmbi_v3_scale(com_velocity, whole_scale), b->v,
                            lmbi_min(relative_scale, 1.0));
        b->w = lmbi_v3_scale(b->w, lmbi_min(relative_scale, 1.0));
    }
}
