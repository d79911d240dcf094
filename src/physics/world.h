/// The insides of a world of rigid bodies, and the small algebra of its solvers.
#ifndef PHYSICS_WORLD_H
#define PHYSICS_WORLD_H

#include "limber/physics.h"
#include "physics/ground.h"

/// A symmetric matrix.
typedef struct lmbi_sym3 {
    double xx, yy, zz, xy, xz, yz;
} lmbi_sym3;

typedef struct lmbi_rigid_body {
    lmbi_v3 x, v, w; ///< centre of mass, velocity, spin
    lmbi_q4 q;
    lmbi_v3 x0, v0, w0; ///< at the start of the sub-step
    lmbi_q4 q0;
    double unresolved_depth0;
    double inv_mass;             ///< 0 while it is carried
    lmbi_v3 inv_inertia;         ///< in its own axes; 0 while it is carried
    lmbi_sym3 inv_inertia_world; ///< the same in the world, at the start of the sub-step
    lmbi_v3 v_free, w_free;      ///< before constraints
    lmbi_v3 force, torque;
    double mass;
    lmbi_v3 inertia;
    double damping, spin_damping;
    bool was_placed;         ///< put here since the last step
    double unresolved_depth; ///< how deep in others it was then, less what it has come out since
    bool has_joints;         ///< has joints
    double slow_s;           ///< how long all that hangs together has been slow
    double brake_rate;       ///< a share a second, for it
    double mark_age_s;       ///< since when the mark below counts
    lmbi_v3 mark_x;          ///< where it was then
    lmbi_q4 mark_q;
    uint32_t island;                   ///< a parent in the forest of what hangs together
    double island_energy, island_mass; ///< of the whole, where the body is its root
    double island_allowed;             ///< the most that its kinetic energy may be
    double island_unconstrained;       ///< what it was before constraints
    lmbi_v3 island_v;                  ///< of its centre of mass
    bool asleep;
} lmbi_rigid_body;

typedef struct lmbi_rigid_shape {
    lmb_rigid_shape_kind kind;
    uint32_t body;         ///< body_count: the world
    lmbi_v3 local_ends[2]; ///< in the body: the ends of a capsule, or the centre twice
    lmbi_q4 rotation;
    double radius;
    lmbi_v3 half;
    double size; ///< the radius, or the least of half; 0 for a plane or a ground
    const lmb_ground *ground;
    double static_friction, dynamic_friction, restitution;
    lmbi_v3 ends[2];        ///< `local` in the world
    lmbi_q4 world_rotation; ///< of a box or plane in the world
    lmbi_v3 low, high;      ///< where it may come in this step
    const struct lmbi_rigid_shape
        *passing_ground;       ///< a ground that it came into from behind, else NULL
    lmbi_v3 passing_direction; ///< and the way through
} lmbi_rigid_shape;

typedef struct lmbi_joint {
    lmb_rigid_joint_kind kind;
    uint32_t a, b; ///< bodies
    lmbi_v3 anchors[2];
    lmbi_q4 frames[2];
    lmb_joint_limit limit;
    /// Sines and cosines of half angles that tell most rotations to be inside without an angle.
    double inside_cos2, low_sin, high_sin;
    bool has_fast_test;
    double compliance, min_distance, max_distance;
    double size; ///< of its bodies: by it a gap is large or small
    lmb_rigid_motor motor;
    lmbi_v3 anchor_lambda;  ///< of the anchors' correction in this sub-step, newton square seconds
    lmbi_v3 motor_lambda;   ///< the same of the motor, newton metre square seconds
    double work;            ///< of the motor in this sub-step, joules
    double limit_lambda;    ///< by the limit's wall in this sub-step, in the same unit
    lmbi_q4 wall_rotation;  ///< frame_0_from_frame_1 at the wall that was met last
    lmbi_v3 wall_normal;    ///< unit, away from it, in frame 0
    double wall_side;       ///< of a hinge, 1 or -1: the same about its axis
    double unresolved_rad;  ///< of the excess, what was out as bodies were put there and may stay
    double unresolved0_rad; ///< the same as the sub-step began
    lmbi_v3 deferred_gap; ///< of the anchors, and an excess, as a sub-step began that was then cut
    double deferred_rad;
} lmbi_joint;

typedef struct lmbi_pair {
    uint32_t a, b; ///< shapes
    /// of a ground: the facets that may be met in this step; LMBI_FACETS_OVERFLOW when there is no room
    /// for them, and the ground is asked in every sub-step
    uint32_t first_facet, facet_count;
} lmbi_pair;
#define LMBI_FACETS_OVERFLOW UINT32_MAX

/// b pushes a along `normal`.
typedef struct lmbi_contact {
    uint32_t a, b;            ///< bodies
    lmbi_v3 local_a, local_b; ///< in the bodies
    lmbi_v3 normal;
    double static_friction, dynamic_friction, restitution;
    double size;             ///< of the smaller shape, likewise
    double lambda;           ///< pushed along the normal in this sub-step, newton square seconds
    lmbi_v3 friction_lambda; ///< the same across it
    bool is_sliding;         ///< too fast for static friction
    lmbi_v3 ra, rb;
} lmbi_contact;

struct lmb_world {
    lmbi_rigid_body *bodies; ///< [body_count + 1]; the last is the world
    lmbi_rigid_shape *shapes;
    lmbi_joint *joints;
    uint32_t (*filtered)[2]; ///< sorted; of joints too
    uint32_t *order;         ///< shapes by the low end of their boxes along x
    lmbi_pair *pairs;
    lmbi_contact *contacts;
    lmbi_facet *facets; ///< in the world
    uint32_t body_count, shape_count, joint_count, filtered_count;
    uint32_t pair_count, pair_capacity, contact_count, contact_capacity;
    uint32_t facet_count, facet_capacity;
    uint32_t substeps, dropped;
    double
        deferred_fraction; ///< share of what was wrong as a sub-step began that its parts leave to later ones
    double work;           ///< of motors and forces since the world was made, joules
    double sleep_window_s; ///< since bodies were marked
    uint32_t sweeps;       ///< over the contacts, a sub-step: the corners of a box share its load
    uint32_t tick;         ///< sub-steps so far: sweeps alternate
    lmbi_v3 gravity;
    bool never_sleeps;
    bool has_limits;
    bool is_recovering; ///< no motors and no friction: nothing moves but out of what is wrong
    lmb_allocator allocator;
};

/// What is out of a limit or in another body when bodies are put somewhere is put right at least
/// this fast.
#define LMBI_RECOVERY_M_S 0.1
#define LMBI_RECOVERY_RAD_S 2.0
/// A ground does not push what passes it in directions that go with its way at least so far.
#define LMBI_PASSING_COS 0.5
/// Shapes this near, of the size of the smaller, count as a contact that may come to push: a face
/// that lies on another keeps its corners.
#define LMBI_CONTACT_MARGIN 0.02

// ---------------------------------------------------------------------------------------- algebra

static inline lmbi_v3 lmbi_rotate(lmbi_q4 q, lmbi_v3 v)
{
    const lmbi_v3 u = {q.x, q.y, q.z};
    const lmbi_v3 t = lmbi_v3_scale(lmbi_v3_cross(u, v), 2.0);
    return lmbi_v3_add(lmbi_v3_mad(v, t, q.w), lmbi_v3_cross(u, t));
}

static inline lmbi_v3 lmbi_unrotate(lmbi_q4 q, lmbi_v3 v)
{
    return lmbi_rotate(lmbi_q4_conjugate(q), v);
}

static inline lmbi_q4 lmbi_q4_mul(lmbi_q4 a, lmbi_q4 b)
{
    return lmbi_q4_make(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

/// q turned by the small rotation vector `by`, kept near unit length by one step of Newton's. More
/// than a radian at once is no correction: it is cut.
static inline lmbi_q4 lmbi_q4_integrate(lmbi_q4 q, lmbi_v3 by)
{
    const double size2 = lmbi_v3_dot(by, by);
    if (!(size2 <= 1.0)) {
        by = lmbi_v3_scale(by, 1.0 / sqrt(size2));
    }
    const lmbi_q4 d = lmbi_q4_mul(lmbi_q4_make(0.5 * by.x, 0.5 * by.y, 0.5 * by.z, 0), q);
    const lmbi_q4 sum = lmbi_q4_make(q.x + d.x, q.y + d.y, q.z + d.z, q.w + d.w);
    const double s = 1.5 - 0.5 * lmbi_q4_dot(sum, sum);
    return lmbi_q4_make(sum.x * s, sum.y * s, sum.z * s, sum.w * s);
}

static inline lmbi_q4 lmbi_q4_normalize(lmbi_q4 q)
{
    const double s = 1.0 / sqrt(lmbi_q4_dot(q, q));
    return lmbi_q4_make(q.x * s, q.y * s, q.z * s, q.w * s);
}

/// The vector v that lmbi_q4_integrate took a small rotation from: twice the tangent of half the angle, the
/// way round that is shorter.
static inline lmbi_v3 lmbi_rotation_vector(lmbi_q4 q)
{
    const double w = fabs(q.w) > 0.1 ? fabs(q.w) : 0.1, s = (q.w < 0.0 ? -2.0 : 2.0) / w;
    return lmbi_v3_make(s * q.x, s * q.y, s * q.z);
}

static inline lmbi_v3 lmbi_sym3_mul(lmbi_sym3 m, lmbi_v3 v)
{
    return lmbi_v3_make(m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                        m.xz * v.x + m.yz * v.y + m.zz * v.z);
}

static inline lmbi_sym3 lmbi_sym3_add(lmbi_sym3 a, lmbi_sym3 b)
{
    return (lmbi_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz,
                       a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// scale * m + add * identity
static inline lmbi_sym3 lmbi_sym3_affine(lmbi_sym3 m, double scale, double add)
{
    return (lmbi_sym3){m.xx * scale + add, m.yy * scale + add, m.zz * scale + add,
                       m.xy * scale,       m.xz * scale,       m.yz * scale};
}

/// Of a positive definite matrix, by cofactors; zero for one that is not.
static inline lmbi_sym3 lmbi_sym3_inverse(lmbi_sym3 m)
{
    const double a = m.yy * m.zz - m.yz * m.yz, b = m.xz * m.yz - m.xy * m.zz,
                 d = m.xy * m.yz - m.xz * m.yy;
    const double det = m.xx * a + m.xy * b + m.xz * d, s = det > 0.0 ? 1.0 / det : 0.0;
    return (lmbi_sym3){
        s * a, s * (m.xx * m.zz - m.xz * m.xz), s * (m.xx * m.yy - m.xy * m.xy), s * b,
        s * d, s * (m.xy * m.xz - m.xx * m.yz)};
}

/// R diag R^T
static inline lmbi_sym3 lmbi_sym3_rotated(lmbi_q4 q, lmbi_v3 diagonal)
{
    const lmbi_v3 x = lmbi_rotate(q, lmbi_v3_make(1, 0, 0)),
                  y = lmbi_rotate(q, lmbi_v3_make(0, 1, 0)), z = lmbi_v3_cross(x, y);
    const double i = diagonal.x, j = diagonal.y, k = diagonal.z;
    return (lmbi_sym3){i * x.x * x.x + j * y.x * y.x + k * z.x * z.x,
                       i * x.y * x.y + j * y.y * y.y + k * z.y * z.y,
                       i * x.z * x.z + j * y.z * y.z + k * z.z * z.z,
                       i * x.x * x.y + j * y.x * y.y + k * z.x * z.y,
                       i * x.x * x.z + j * y.x * y.z + k * z.x * z.z,
                       i * x.y * x.z + j * y.y * y.z + k * z.y * z.z};
}

/// How far a push of 1 along `n` at `r` moves the body's point along n: 1/m + (r x n) I^-1 (r x n).
static inline double lmbi_body_inverse_mass(const lmbi_rigid_body *b, lmbi_v3 r, lmbi_v3 n)
{
    const lmbi_v3 rn = lmbi_v3_cross(r, n);
    return b->inv_mass + lmbi_v3_dot(rn, lmbi_sym3_mul(b->inv_inertia_world, rn));
}

static inline void lmbi_body_correct(lmbi_rigid_body *b, lmbi_v3 r, lmbi_v3 p, double sign)
{
    b->x = lmbi_v3_mad(b->x, p, sign * b->inv_mass);
    b->q = lmbi_q4_integrate(
        b->q, lmbi_v3_scale(lmbi_sym3_mul(b->inv_inertia_world, lmbi_v3_cross(r, p)), sign));
}

/// The same of its velocity.
static inline void lmbi_body_apply_impulse(lmbi_rigid_body *b, lmbi_v3 r, lmbi_v3 p, double sign)
{
    b->v = lmbi_v3_mad(b->v, p, sign * b->inv_mass);
    b->w = lmbi_v3_mad(b->w, lmbi_sym3_mul(b->inv_inertia_world, lmbi_v3_cross(r, p)), sign);
}

static inline lmbi_v3 lmbi_body_point(const lmbi_rigid_body *b, lmbi_v3 local)
{
    return lmbi_v3_add(b->x, lmbi_rotate(b->q, local));
}

// ------------------------------------------------------------------------------------------ parts

void lmbi_world_find_pairs(lmb_world *world, double dt_s);
/// The box of a ground shape in the world; facets of its that meet a box of the world.
void lmbi_ground_bound(const lmbi_rigid_shape *ground, lmbi_v3 *low, lmbi_v3 *high);
void lmbi_world_find_facets(lmb_world *world, lmbi_pair *pair);
/// Once a sub-step, before contacts are found: whether what is in the ground came from behind.
void lmbi_ground_update_passing(lmb_world *world, const lmbi_pair *pair);
/// A shape and a ground, as lmbi_shapes_collide.
uint32_t lmbi_ground_collide(const lmb_world *world, const lmbi_pair *pair, lmbi_contact *out,
                             uint32_t most);
/// As many contacts as a shape has with one ground, at most.
enum { LMBI_GROUND_CONTACTS = 12 };
/// Shapes and contacts where the bodies are now.
void lmbi_world_update_shapes(lmb_world *world);
void lmbi_world_find_contacts(lmb_world *world);
/// Room left for contacts is `most`; returns how many there are.
uint32_t lmbi_shapes_collide(const lmb_world *world, const lmbi_rigid_shape *a,
                             const lmbi_rigid_shape *b, lmbi_contact *out, uint32_t most);
/// Returns the largest correction, of the size of the shape.
double lmbi_world_solve_contacts(lmb_world *world, double h);
void lmbi_world_find_initial_depths(lmb_world *world);
void lmbi_world_solve_velocities(lmb_world *world, double h);

void lmbi_joint_prepare(lmbi_joint *joint);
/// After its bodies were put somewhere: whatever is out of the limit was out before.
void lmbi_joint_reset(const lmb_world *world, lmbi_joint *joint);
/// Notes what is wrong with it, to be put right in parts.
void lmbi_joint_store_error(const lmb_world *world, lmbi_joint *joint);
/// Before the first solve of a sub-step.
void lmbi_joint_begin_substep(lmbi_joint *joint);
/// Motor and limit, each together with the anchors. Returns how far apart the anchors were, of the
/// joint's size.
double lmbi_joint_solve(lmb_world *world, lmbi_joint *joint, double h);
/// The anchors alone.
double lmbi_joint_solve_anchors(lmb_world *world, lmbi_joint *joint, double h);
double lmbi_joint_separation(const lmb_world *world, const lmbi_joint *joint);
double lmbi_joint_excess(const lmb_world *world, const lmbi_joint *joint);

/// All joints outward or inward. Returns the largest gap met.
double lmbi_world_sweep_joints(lmb_world *world, double h, bool outward,
                               double (*solve)(lmb_world *, lmbi_joint *, double));
/// Before the sub-steps of a step: part of what was wrong when bodies were put somewhere.
void lmbi_world_recover(lmb_world *world, double dt);

/// Kinetic energy of a body at these speeds.
static inline double lmbi_body_energy(const lmbi_rigid_body *b, lmbi_v3 v, lmbi_v3 w)
{
    const lmbi_v3 spin = lmbi_unrotate(b->q, w);
    return 0.5 * (b->mass * lmbi_v3_dot(v, v) + lmbi_v3_dot(spin, lmbi_v3_mul(b->inertia, spin)));
}

/// What hangs or lies together has one root, its first body.
void lmbi_world_find_islands(lmb_world *world);
uint32_t lmbi_island_of(lmb_world *world, uint32_t body);
/// After every sub-step: what motors and forces have done.
void lmbi_world_count_work(lmb_world *world, double h);
/// After a sub-step that did not settle, and its parts: takes away what kinetic energy constraints
/// have put in. After one that did (`settled`), only energy that neither gravity nor forces nor
/// motors account for.
void lmbi_world_remove_energy_gain(lmb_world *world, bool settled);
/// Work that the motor has done in this sub-step, joules.
double lmbi_joint_work(const lmb_world *world, const lmbi_joint *joint, double h);
/// Finds what hangs together, and how much of its speed it loses while it is slow.
void lmbi_world_damp_slow_islands(lmb_world *world, double dt_s);
/// Wakes what hangs together with a body that moves; puts to sleep what has been still.
void lmbi_world_wake(lmb_world *world);
void lmbi_world_sleep(lmb_world *world, double dt_s);

/// Shares s and t along p0 p1 and q0 q1 of the points nearest to each other; whether the two are as
/// good as parallel. (Ericson, Real-Time Collision Detection, 2005, 5.1.9.)
bool lmbi_segments_closest(lmbi_v3 p0, lmbi_v3 p1, lmbi_v3 q0, lmbi_v3 q1, double *s, double *t);

#endif
