/// Private types of the rigid-body world, and the small algebra of its solvers.
#ifndef PHYSICS_WORLD_H
#define PHYSICS_WORLD_H

#include "limber/physics.h"
#include "math/double.h"

// Triangles of a ground with their neighbours' normals, for collision tests.

/// A triangle of the ground.
typedef struct lmbi_facet {
    lmbi_v3 p[3];
    lmbi_v3 n;      ///< unit, to the free side
    lmbi_v3 out[3]; ///< unit, in the plane, outward across the edge p[k] p[k + 1]
    /// The neighbour's normal is cos n + sin out: contact normals may lean out over the edge as far
    /// as that. Flat and concave edges have 1 and 0; border edges -1 and 0.
    double cos[3], sin[3];
} lmbi_facet;

/// Visits the triangles whose boxes overlap `box`, in the ground's frame, until a visit returns
/// false.
bool lmbi_ground_visit(const lmb_ground *ground, lmb_box box,
                       bool (*visit)(void *user, uint32_t triangle), void *user);
/// Facet in the ground's frame. False if it has no area.
bool lmbi_ground_facet(const lmb_ground *ground, uint32_t triangle, lmbi_facet *out);
lmb_box lmbi_ground_box(const lmb_ground *ground);
/// Whether all below is solid: true for height fields.
bool lmbi_ground_is_solid(const lmb_ground *ground);

/// Symmetric 3x3 matrix.
typedef struct lmbi_sym3 {
    double xx, yy, zz, xy, xz, yz;
} lmbi_sym3;

typedef struct lmbi_rigid_body {
    lmbi_v3 x, v, w; ///< centre of mass, velocity, angular velocity
    lmbi_q4 q;
    lmbi_v3 x0, v0, w0; ///< at the start of the sub-step
    lmbi_q4 q0;
    double unresolved_depth0;
    double inv_mass;             ///< 0 while kinematic
    lmbi_v3 inv_inertia;         ///< principal, in body axes; 0 while kinematic
    lmbi_sym3 inv_inertia_world; ///< the same in world axes, at the start of the sub-step
    lmbi_v3 v_free, w_free;      ///< predicted, before constraints
    lmbi_v3 force, torque;
    double mass;
    lmbi_v3 inertia;
    double damping, spin_damping;
    bool was_placed;         ///< position set by the user since the last step
    double unresolved_depth; ///< metres of the penetration it was placed with that remain
    bool has_joints;
    double slow_s;       ///< time for which its island has been slow
    double slow_damping; ///< damping of slow islands, 1/s
    double mark_age_s;   ///< age of the reference pose below
    lmbi_v3 mark_x;      ///< reference pose, for the mean motion that decides sleep
    lmbi_q4 mark_q;
    uint32_t island;                   ///< union-find parent; the root is the island's first body
    double island_energy, island_mass; ///< sums over the island, in its root
    double island_allowed;             ///< upper bound of the island's kinetic energy
    double island_unconstrained;       ///< kinetic energy before constraints
    lmbi_v3 island_v;                  ///< momentum, kg m/s
    bool asleep;
} lmbi_rigid_body;

typedef struct lmbi_rigid_shape {
    lmb_rigid_shape_kind kind;
    uint32_t body;         ///< body_count stands for the world
    lmbi_v3 local_ends[2]; ///< body frame: ends of a capsule's axis, or the centre twice
    lmbi_q4 rotation;
    double radius;
    lmbi_v3 half;
    double size; ///< radius, or smallest half extent; 0 for a plane or ground
    const lmb_ground *ground;
    double static_friction, dynamic_friction, restitution;
    lmbi_v3 ends[2];        ///< `local_ends` in the world
    lmbi_q4 world_rotation; ///< world_from_shape, of a box, plane or ground
    lmbi_v3 low, high;      ///< bounds of its motion in this step
    /// ground mesh it entered from behind, else NULL
    const struct lmbi_rigid_shape *passing_ground;
    lmbi_v3 passing_direction; ///< normal of the facet it passes
} lmbi_rigid_shape;

typedef struct lmbi_joint {
    lmb_rigid_joint_kind kind;
    uint32_t a, b; ///< bodies
    lmbi_v3 anchors[2];
    lmbi_q4 frames[2];
    lmb_joint_limit limit;
    /// Cosine squared and sines of half angles: decide for most rotations that they are within the
    /// limit, without computing an angle.
    double inside_cos2, low_sin, high_sin;
    bool has_fast_test;
    double compliance, min_distance, max_distance;
    double size; ///< sum of the anchors' distances: gaps are measured relative to it
    lmb_rigid_motor motor;
    lmbi_v3 anchor_lambda;  ///< of the anchors, accumulated over the sub-step, N s^2
    lmbi_v3 motor_lambda;   ///< of the motor, N m s^2
    double work;            ///< by the motor in this sub-step, joules
    double limit_lambda;    ///< of the limit, N m s^2
    lmbi_q4 limit_rotation; ///< frame_0_from_frame_1 at the last contact with the limit
    lmbi_v3 limit_normal;   ///< unit rotation axis away from the limit, in frame 0
    double limit_side;      ///< of a hinge, 1 or -1: direction away from the limit
    double unresolved_rad;  ///< excess that the bodies were placed with and that remains
    double unresolved0_rad; ///< the same at the start of the sub-step
    lmbi_v3 deferred_gap;   ///< anchor gap and excess at the start of a sub-step that is subdivided
    double deferred_rad;
} lmbi_joint;

typedef struct lmbi_pair {
    uint32_t a, b; ///< shapes
    /// Of a ground: facets in the bounds of this step. LMBI_FACETS_OVERFLOW: they did not fit, and
    /// every sub-step queries the ground.
    uint32_t first_facet, facet_count;
} lmbi_pair;
#define LMBI_FACETS_OVERFLOW UINT32_MAX

/// `normal` points from b to a.
typedef struct lmbi_contact {
    uint32_t a, b;            ///< bodies
    lmbi_v3 local_a, local_b; ///< contact points in the body frames
    lmbi_v3 normal;
    double static_friction, dynamic_friction, restitution;
    double size;             ///< of the smaller shape
    double lambda;           ///< normal, accumulated over the sub-step, N s^2
    lmbi_v3 friction_lambda; ///< tangential, likewise
    bool is_sliding;         ///< dynamic friction applies
    lmbi_v3 ra, rb;
} lmbi_contact;

struct lmb_world {
    lmbi_rigid_body *bodies; ///< [body_count + 1]; the last stands for the world
    lmbi_rigid_shape *shapes;
    lmbi_joint *joints;
    uint32_t (*filtered)[2]; ///< collision filter: sorted pairs of bodies, jointed ones included
    uint32_t *order;         ///< shapes sorted by low.x of their bounds
    lmbi_pair *pairs;
    lmbi_contact *contacts;
    lmbi_facet *facets; ///< in the world
    uint32_t body_count, shape_count, joint_count, filtered_count;
    uint32_t pair_count, pair_capacity, contact_count, contact_capacity;
    uint32_t facet_count, facet_capacity;
    uint32_t substeps, dropped;
    /// of a subdivided sub-step's initial error, the fraction left to later parts
    double deferred_fraction;
    double work;           ///< by motors and forces since creation, joules
    double sleep_window_s; ///< time since the reference poses were taken
    uint32_t sweeps;       ///< contact sweeps per solve; boxes need more, as corners share the load
    uint32_t tick;         ///< sub-steps so far; its parity alternates the sweep direction
    lmbi_v3 gravity;
    bool never_sleeps;
    bool has_limits;
    bool is_recovering; ///< position-only recovery: motors and friction are off
    lmb_allocator allocator;
};

/// Minimum rate at which the limit excess or penetration that bodies were placed with is corrected.
#define LMBI_RECOVERY_M_S 0.1
#define LMBI_RECOVERY_RAD_S 2.0
/// Contacts whose normal's dot product with the passing direction exceeds this are dropped, so that
/// a shape inside a mesh leaves through its front.
#define LMBI_PASSING_COS 0.5
/// Contacts are created within this distance, relative to the smaller shape's size, so that a face
/// resting on another keeps all its corners.
#define LMBI_CONTACT_MARGIN 0.02

// ---------------------------------------------------------------------------------------- algebra

/// q rotated by the small rotation vector `by`, kept near unit length by one Newton step. Rotations
/// above 1 rad are clamped: no valid correction is that large.
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

/// Inverse of lmbi_q4_integrate: twice the tangent of half the angle, along the axis, by the
/// shorter rotation.
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

/// Inverse of a positive definite matrix by cofactors; zero if it is not positive definite.
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
    const lmbi_v3 x = lmbi_q4_rotate(q, lmbi_v3_make(1, 0, 0)),
                  y = lmbi_q4_rotate(q, lmbi_v3_make(0, 1, 0)), z = lmbi_v3_cross(x, y);
    const double i = diagonal.x, j = diagonal.y, k = diagonal.z;
    return (lmbi_sym3){i * x.x * x.x + j * y.x * y.x + k * z.x * z.x,
                       i * x.y * x.y + j * y.y * y.y + k * z.y * z.y,
                       i * x.z * x.z + j * y.z * y.z + k * z.z * z.z,
                       i * x.x * x.y + j * y.x * y.y + k * z.x * z.y,
                       i * x.x * x.z + j * y.x * y.z + k * z.x * z.z,
                       i * x.y * x.z + j * y.y * y.z + k * z.y * z.z};
}

/// Awake, and not kinematic.
static inline bool lmbi_body_is_moving(const lmbi_rigid_body *b)
{
    return !b->asleep && b->inv_mass > 0.0;
}

/// Effective inverse mass at arm `r` along unit `n`: 1/m + (r x n) I^-1 (r x n).
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

/// Applies the impulse sign * p at arm `r` to the velocities.
static inline void lmbi_body_apply_impulse(lmbi_rigid_body *b, lmbi_v3 r, lmbi_v3 p, double sign)
{
    b->v = lmbi_v3_mad(b->v, p, sign * b->inv_mass);
    b->w = lmbi_v3_mad(b->w, lmbi_sym3_mul(b->inv_inertia_world, lmbi_v3_cross(r, p)), sign);
}

static inline lmbi_v3 lmbi_body_point(const lmbi_rigid_body *b, lmbi_v3 local)
{
    return lmbi_v3_add(b->x, lmbi_q4_rotate(b->q, local));
}

/// Depth of a contact at the bodies' current positions, below 0 while they are apart.
static inline double lmbi_contact_depth(const lmb_world *world, const lmbi_contact *c)
{
    const lmbi_v3 a = lmbi_body_point(&world->bodies[c->a], c->local_a),
                  b = lmbi_body_point(&world->bodies[c->b], c->local_b);
    return lmbi_v3_dot(lmbi_v3_sub(b, a), c->normal);
}

/// Half extents of the axis-aligned box around a box rotated by q.
static inline lmbi_v3 lmbi_rotated_half_extents(lmbi_q4 q, lmbi_v3 half)
{
    const lmbi_v3 x = lmbi_q4_rotate(q, lmbi_v3_make(half.x, 0, 0)),
                  y = lmbi_q4_rotate(q, lmbi_v3_make(0, half.y, 0)),
                  z = lmbi_q4_rotate(q, lmbi_v3_make(0, 0, half.z));
    return lmbi_v3_make(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                        fabs(x.z) + fabs(y.z) + fabs(z.z));
}

// ------------------------------------------------------------------------------------------ steps

void lmbi_world_find_pairs(lmb_world *world, double dt_s);
/// World bounds of a ground shape.
void lmbi_ground_bound(const lmbi_rigid_shape *ground, lmbi_v3 *low, lmbi_v3 *high);
void lmbi_world_find_facets(lmb_world *world, lmbi_pair *pair);
/// Decides whether the pair's shape, if inside the ground mesh, entered it from behind. Once a
/// sub-step, before contacts are found.
void lmbi_ground_update_passing(lmb_world *world, const lmbi_pair *pair);
/// lmbi_shapes_collide for a shape and a ground.
uint32_t lmbi_ground_collide(const lmb_world *world, const lmbi_pair *pair, lmbi_contact *out,
                             uint32_t most);
/// Maximum contacts between a shape and one ground.
enum { LMBI_GROUND_CONTACTS = 12 };
/// Shapes and contacts at the bodies' current positions.
void lmbi_world_update_shapes(lmb_world *world);
void lmbi_world_find_contacts(lmb_world *world);
/// Writes at most `most` contacts and returns their number.
uint32_t lmbi_shapes_collide(const lmb_world *world, const lmbi_rigid_shape *a,
                             const lmbi_rigid_shape *b, lmbi_contact *out, uint32_t most);
/// Returns the largest position correction, relative to the contact's size.
double lmbi_world_solve_contacts(lmb_world *world, double h);
void lmbi_world_find_initial_depths(lmb_world *world);
void lmbi_world_solve_velocities(lmb_world *world, double h);

void lmbi_joint_prepare(lmbi_joint *joint);
/// After the user has placed its bodies: the current excess counts as unresolved.
void lmbi_joint_reset(const lmb_world *world, lmbi_joint *joint);
/// Stores gap and excess, to be corrected over the parts of a subdivided sub-step.
void lmbi_joint_store_error(const lmb_world *world, lmbi_joint *joint);
/// Clears the accumulated corrections. Before the first solve of a sub-step.
void lmbi_joint_begin_substep(lmbi_joint *joint);
/// Solves motor and limit, each coupled with the anchors. Returns the anchors' gap before, relative
/// to the joint's size.
double lmbi_joint_solve(lmb_world *world, lmbi_joint *joint, double h);
/// Solves only the anchors.
double lmbi_joint_solve_anchors(lmb_world *world, lmbi_joint *joint, double h);
double lmbi_joint_separation(const lmb_world *world, const lmbi_joint *joint);
double lmbi_joint_excess(const lmb_world *world, const lmbi_joint *joint);

/// Applies `solve` to all joints, in order (outward) or reversed. Returns the largest gap.
double lmbi_world_sweep_joints(lmb_world *world, double h, bool outward,
                               double (*solve)(lmb_world *, lmbi_joint *, double));
/// Corrects part of the penetration and excess that bodies were placed with. Before the sub-steps.
void lmbi_world_recover(lmb_world *world, double dt);

/// Kinetic energy of a body at velocities v and w.
static inline double lmbi_body_energy(const lmbi_rigid_body *b, lmbi_v3 v, lmbi_v3 w)
{
    const lmbi_v3 spin = lmbi_q4_unrotate(b->q, w);
    return 0.5 * (b->mass * lmbi_v3_dot(v, v) + lmbi_v3_dot(spin, lmbi_v3_mul(b->inertia, spin)));
}

/// Union-find over joints and pairs: bodies that are jointed or near share an island.
void lmbi_world_find_islands(lmb_world *world);
uint32_t lmbi_island_of(lmb_world *world, uint32_t body);
/// After every sub-step: adds the work of motors and forces.
void lmbi_world_count_work(lmb_world *world, double h);
/// Removes kinetic energy that constraints have added. After a converged sub-step (`settled`), only
/// energy that neither gravity, forces nor motors account for.
void lmbi_world_remove_energy_gain(lmb_world *world, bool settled);
/// Work of the motor in this sub-step, joules.
double lmbi_joint_work(const lmb_world *world, const lmbi_joint *joint, double h);
/// Finds islands and sets the damping of slow ones.
void lmbi_world_damp_slow_islands(lmb_world *world, double dt_s);
/// Wakes islands that have an awake body or touch a moving kinematic one.
void lmbi_world_wake(lmb_world *world);
void lmbi_world_sleep(lmb_world *world, double dt_s);

/// Closest points of two segments, as fractions s of p0 p1 and t of q0 q1. Returns whether the
/// segments are nearly parallel. (Ericson, Real-Time Collision Detection, 2005, 5.1.9.)
bool lmbi_segments_closest(lmbi_v3 p0, lmbi_v3 p1, lmbi_v3 q0, lmbi_v3 q1, double *s, double *t);

#endif
