/// Recovery from placement: penetration and limit excess that bodies were placed with are corrected
/// by moves that give no velocity, a part in every step. Velocities derived from such moves, as
/// XPBD derives them from all others, would fling limbs that a clip poses beyond their limits.
#include "physics/world_joint.h"

/// Rate such that nothing is deeper than 5 mm half a second after a release. A quarter of that time
/// is for depth alone: 2 m, a body's height, shrink to 5 mm in it (ln 400 / 0.125 s). The rest is
/// for wedged limbs that come free one after another. (The long run of tests/physics/release_test.c fails at half.)
#define RATE_1_S 48.0
/// A wedged tree of bodies needs many rounds, as corrections travel one neighbour per round. (The
/// same run fails at half.)
enum { ROUNDS = 96, LAST_ROUNDS = 16 };
/// Rounds end below this joint gap and contact correction, both relative.
#define GAP_TOLERANCE 1e-4
#define DEPTH_TOLERANCE 1e-5

static bool has_unresolved(const lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        if (!world->bodies[i].asleep && world->bodies[i].unresolved_depth > 0.0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        const lmbi_joint *j = &world->joints[i];
        if (j->unresolved_rad > 0.0 && (lmbi_body_is_moving(&world->bodies[j->a]) ||
                                        lmbi_body_is_moving(&world->bodies[j->b]))) {
            return true;
        }
    }
    return false;
}

/// Error that may remain after this step: decays exponentially, and at least at the rate `least`.
static double reduced(double left, double least, double dt)
{
    const double x = RATE_1_S * dt,
                 grown = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0)); // about exp x
    return lmbi_max(0.0, lmbi_min(left - dt * least, left / grown));
}

static void begin_recovery(lmb_world *world, double dt)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->x0 = b->x;
        b->q0 = b->q;
        b->inv_inertia_world = lmbi_sym3_rotated(b->q, b->inv_inertia);
        b->unresolved_depth0 = b->unresolved_depth;
        b->unresolved_depth =
            b->asleep ? b->unresolved_depth : reduced(b->unresolved_depth, LMBI_RECOVERY_M_S, dt);
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        lmbi_joint_begin_substep(joint);
        joint->unresolved_rad = reduced(joint->unresolved_rad, LMBI_RECOVERY_RAD_S, dt);
    }
}

/// Solves contacts and joints as in a sub-step; anchors last.
static void solve_recovery(lmb_world *world, double dt)
{
    lmbi_world_update_shapes(world);
    lmbi_world_find_contacts(world);
    double gap = 1.0, correction = 1.0;
    for (uint32_t k = 0; k < ROUNDS && (gap > GAP_TOLERANCE || correction > DEPTH_TOLERANCE); ++k) {
        correction = lmbi_world_solve_contacts(world, dt);
        gap = lmbi_world_sweep_joints(world, dt, k % 2 == 0, lmbi_joint_solve);
    }
    for (uint32_t k = 0; k < LAST_ROUNDS && gap > GAP_TOLERANCE; ++k) {
        gap = lmbi_world_sweep_joints(world, dt, k % 2 == 0, lmbi_joint_solve_anchors);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].q = lmbi_q4_normalize(world->bodies[i].q);
    }
}

/// Stores the errors that remain, for the next step.
static void store_unresolved(lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->unresolved_depth = b->asleep ? b->unresolved_depth0 : 0.0;
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const lmbi_contact *c = &world->contacts[i];
        lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
        const double depth = lmbi_contact_depth(world, c);
        a->unresolved_depth = lmbi_max(a->unresolved_depth, lmbi_min(depth, a->unresolved_depth0));
        b->unresolved_depth = lmbi_max(b->unresolved_depth, lmbi_min(depth, b->unresolved_depth0));
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        joint->unresolved_rad =
            lmbi_min(joint->unresolved0_rad, lmbi_joint_raw_excess(world, joint));
    }
}

/// Kinetic and potential energy before the moves; velocities have not changed.
static double energy_before(const lmb_world *world, const lmbi_rigid_body *b)
{
    lmbi_rigid_body start = *b;
    start.q = b->q0;
    return lmbi_body_energy(&start, b->v, b->w) - b->mass * lmbi_v3_dot(world->gravity, b->x0);
}

/// Takes the energy that the moves have added, by lifting or by rotating inertia at the same spin,
/// from the velocities, as far as they have any.
static void remove_energy_gain(lmb_world *world)
{
    lmbi_world_find_islands(world);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].island_energy = world->bodies[i].island_allowed = 0.0;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (lmbi_body_is_moving(b)) {
            root->island_energy += lmbi_body_energy(b, b->v, b->w);
            root->island_allowed +=
                energy_before(world, b) + b->mass * lmbi_v3_dot(world->gravity, b->x);
        }
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        const double energy = root->island_energy, allowed = lmbi_max(0.0, root->island_allowed);
        if (lmbi_body_is_moving(b) && energy > allowed) {
            b->v = lmbi_v3_scale(b->v, sqrt(allowed / energy));
            b->w = lmbi_v3_scale(b->w, sqrt(allowed / energy));
        }
    }
}

void lmbi_world_recover(lmb_world *world, double dt)
{
    if (!has_unresolved(world)) {
        return;
    }
    world->is_recovering = true;
    begin_recovery(world, dt);
    solve_recovery(world, dt);
    store_unresolved(world);
    remove_energy_gain(world);
    world->is_recovering = false;
}
