/// What is out of a limit or in another body when bodies are put somewhere: put right by moves that
/// give no speed, a part in every step. Speeds taken from such moves (as those of XPBD are from
/// all others) would fling limbs that a clip holds past what their joints can do.
#include "physics/world_joint.h"

/// Half a second after a release nothing may be deeper than 5 mm. A quarter of that time is for depth
/// alone: two metres, a body's height, shrink to 5 mm in it (ln 400 / 0.125 s). The rest is for limbs
/// that are wedged and come out one after another. (tests/physics/release_test.c fails at half.)
#define RATE_1_S 48.0
/// A tree of bodies that is wedged needs many rounds, as what one limb gives reaches another only by
/// way of its neighbours. (The same test fails at half.)
enum { ROUNDS = 96, LAST_ROUNDS = 16 };
/// As in a sub-step: rounds end when no joint was further apart and no contact pushed further.
#define FINE_GAP 1e-4
#define FINE_DEPTH 1e-5

static bool may_move(const lmbi_rigid_body *b)
{
    return !b->asleep && b->inv_mass > 0.0;
}

static bool is_wrong(const lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        if (!world->bodies[i].asleep && world->bodies[i].start_in > 0.0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        const lmbi_joint *j = &world->joints[i];
        if (j->left_rad > 0.0 &&
            (may_move(&world->bodies[j->a]) || may_move(&world->bodies[j->b]))) {
            return true;
        }
    }
    return false;
}

/// What may be left of it after this step: it goes as fast as it is large, and at least so fast.
static double less(double left, double least, double dt)
{
    const double x = RATE_1_S * dt,
                 grown = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0)); // near exp x
    return lmbi_max(0.0, lmbi_min(left - dt * least, left / grown));
}

static void begin(lmb_world *world, double dt)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->x0 = b->x;
        b->q0 = b->q;
        b->inv_world = lmbi_sym3_turned(b->q, b->inv_inertia);
        b->start_in0 = b->start_in;
        b->start_in = b->asleep ? b->start_in : less(b->start_in, LMBI_RECOVERY_M_S, dt);
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        lmbi_joint_begin(joint);
        joint->left_rad = less(joint->left_rad, LMBI_RECOVERY_RAD_S, dt);
    }
}

/// As contacts and joints go in a sub-step; anchors have the last word.
static void move(lmb_world *world, double dt)
{
    lmbi_world_place_shapes(world);
    lmbi_world_find_contacts(world);
    double gap = 1.0, pushed = 1.0;
    for (uint32_t k = 0; k < ROUNDS && (gap > FINE_GAP || pushed > FINE_DEPTH); ++k) {
        pushed = lmbi_world_solve_contacts(world, dt);
        gap = lmbi_world_sweep(world, dt, k % 2 == 0, lmbi_joint_solve);
    }
    for (uint32_t k = 0; k < LAST_ROUNDS && gap > FINE_GAP; ++k) {
        gap = lmbi_world_sweep(world, dt, k % 2 == 0, lmbi_joint_close);
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].q = lmbi_unit(world->bodies[i].q);
    }
}

/// What could not be put right may stay until the next step.
static void note_left(lmb_world *world)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        b->start_in = b->asleep ? b->start_in0 : 0.0;
    }
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const lmbi_contact *c = &world->contacts[i];
        lmbi_rigid_body *a = &world->bodies[c->a], *b = &world->bodies[c->b];
        const double depth = lmbi_v3_dot(
            lmbi_v3_sub(lmbi_body_point(b, c->at_b), lmbi_body_point(a, c->at_a)), c->normal);
        a->start_in = lmbi_max(a->start_in, lmbi_min(depth, a->start_in0));
        b->start_in = lmbi_max(b->start_in, lmbi_min(depth, b->start_in0));
    }
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        joint->left_rad = lmbi_min(joint->left0_rad, lmbi_joint_out(world, joint));
    }
}

/// Kinetic energy and height's as the moves began; their speeds are the same.
static double energy_before(const lmb_world *world, const lmbi_rigid_body *b)
{
    lmbi_rigid_body was = *b;
    was.q = b->q0;
    return lmbi_body_energy(&was, b->v, b->w) - b->mass * lmbi_v3_dot(world->gravity, b->x0);
}

/// What the moves have lifted, or turned so that the same spin holds more, is taken from the motion:
/// energy does not grow as long as there is any.
static void pay(lmb_world *world)
{
    lmbi_world_find_islands(world);
    for (uint32_t i = 0; i < world->body_count; ++i) {
        world->bodies[i].island_energy = world->bodies[i].island_free = 0.0;
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        if (may_move(b)) {
            root->island_energy += lmbi_body_energy(b, b->v, b->w);
            root->island_free +=
                energy_before(world, b) + b->mass * lmbi_v3_dot(world->gravity, b->x);
        }
    }
    for (uint32_t i = 0; i < world->body_count; ++i) {
        lmbi_rigid_body *b = &world->bodies[i];
        const lmbi_rigid_body *root = &world->bodies[lmbi_island_of(world, i)];
        const double has = root->island_energy, may = lmbi_max(0.0, root->island_free);
        if (may_move(b) && has > may) {
            b->v = lmbi_v3_scale(b->v, sqrt(may / has));
            b->w = lmbi_v3_scale(b->w, sqrt(may / has));
        }
    }
}

void lmbi_world_recover(lmb_world *world, double dt)
{
    if (!is_wrong(world)) {
        return;
    }
    world->recovers = true;
    begin(world, dt);
    move(world, dt);
    note_left(world);
    pay(world);
    world->recovers = false;
}
