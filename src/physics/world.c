/// Creation of a rigid-body world, its state between steps, and its report.
#include "physics/world.h"
#include "physics/physics.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

// ------------------------------------------------------------------------------------- validation

static bool is_zero(lmb_quat q)
{
    return !(lmb_quat_dot(q, q) > 0.0f);
}

static lmb_quat or_identity(lmb_quat q)
{
    return is_zero(q) ? lmb_quat_identity() : lmb_quat_normalize(q);
}

/// False for NaN.
static bool is_finite_nonnegative(float x)
{
    return x >= 0.0f && x < 3e38f;
}

static bool is_rotation(lmb_quat q)
{
    const float d = lmb_quat_dot(q, q);
    return !(d > 0.0f || d < 0.0f) ? d <= 0.0f : fabsf(d - 1.0f) < 1e-2f;
}

static lmb_result check_body(const lmb_rigid_body *b, uint32_t i, lmb_error *error)
{
    const bool has_mass = b->mass > 0.0f;
    if (!is_finite_nonnegative(b->mass) || !is_finite_nonnegative(b->damping) ||
        !is_finite_nonnegative(b->spin_damping) || !lmb_vec3_is_finite(b->position) ||
        !lmb_vec3_is_finite(b->velocity) || !lmb_vec3_is_finite(b->spin) ||
        !is_rotation(b->rotation)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "finite numbers, a mass and damping from 0 and a unit rotation",
                         "body %u of mass %g, damping %g and %g, rotation of length %g",
                         (unsigned)i, (double)b->mass, (double)b->damping, (double)b->spin_damping,
                         (double)lmb_sqrt(lmb_quat_dot(b->rotation, b->rotation)));
    }
    if (has_mass && !(b->inertia.x > 0.0f && b->inertia.y > 0.0f && b->inertia.z > 0.0f &&
                      lmb_vec3_is_finite(b->inertia))) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an inertia above 0", "body %u with %g, %g, %g",
                         (unsigned)i, (double)b->inertia.x, (double)b->inertia.y,
                         (double)b->inertia.z);
    }
    return LMB_OK;
}

static lmb_result check_shape(const lmb_world_def *def, uint32_t i, lmb_error *error)
{
    const lmb_rigid_shape *s = &def->shapes[i];
    const bool is_round = s->kind == LMB_RIGID_SPHERE || s->kind == LMB_RIGID_CAPSULE;
    const bool fine =
        s->kind <= LMB_RIGID_GROUND && s->body >= LMB_NONE && s->body < (int32_t)def->body_count &&
        lmb_vec3_is_finite(s->offset) && is_rotation(s->rotation) &&
        is_finite_nonnegative(s->static_friction) && is_finite_nonnegative(s->dynamic_friction) &&
        is_finite_nonnegative(s->restitution) && s->restitution <= 1.0f &&
        (!is_round || (is_finite_nonnegative(s->radius) && s->radius > 0.0f)) &&
        (s->kind != LMB_RIGID_CAPSULE || is_finite_nonnegative(s->half.y)) &&
        (s->kind != LMB_RIGID_BOX ||
         (s->half.x > 0 && s->half.y > 0 && s->half.z > 0 && lmb_vec3_is_finite(s->half))) &&
        (s->kind < LMB_RIGID_PLANE || s->body == LMB_NONE) &&
        (s->kind != LMB_RIGID_GROUND || s->ground != NULL);
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID,
                            "a shape with its body in range, sizes above 0, friction and "
                            "restitution from 0",
                            "shape %u of kind %d on body %d of %u, radius %g, half %g, %g, %g, "
                            "friction %g and %g, restitution %g",
                            (unsigned)i, (int)s->kind, (int)s->body, (unsigned)def->body_count,
                            (double)s->radius, (double)s->half.x, (double)s->half.y,
                            (double)s->half.z, (double)s->static_friction,
                            (double)s->dynamic_friction, (double)s->restitution);
}

static lmb_result check_joint(const lmb_world_def *def, uint32_t i, lmb_error *error)
{
    const lmb_rigid_joint *j = &def->joints[i];
    const int32_t count = (int32_t)def->body_count;
    const lmb_joint_limit *l = &j->limit;
    const bool can_rotate = l->kind == LMB_JOINT_HINGE || l->kind == LMB_JOINT_BALL;
    const bool fine = (j->kind == LMB_RIGID_POINT || j->kind == LMB_RIGID_DISTANCE) &&
                      j->bodies[0] >= LMB_NONE && j->bodies[0] < count && j->bodies[1] >= 0 &&
                      j->bodies[1] < count && j->bodies[0] != j->bodies[1] &&
                      lmb_vec3_is_finite(j->anchors[0]) && lmb_vec3_is_finite(j->anchors[1]) &&
                      is_rotation(j->frames[0]) && is_rotation(j->frames[1]) &&
                      is_finite_nonnegative(j->compliance) && l->kind <= LMB_JOINT_BALL &&
                      (!can_rotate || (fabsf(lmb_vec3_length(l->axis) - 1.0f) < 1e-3f &&
                                       l->twist_min_rad <= l->twist_max_rad)) &&
                      (j->kind != LMB_RIGID_DISTANCE ||
                       (is_finite_nonnegative(j->least_m) && j->least_m <= j->most_m)) &&
                      is_rotation(j->motor.target) && is_finite_nonnegative(j->motor.stiffness) &&
                      is_finite_nonnegative(j->motor.damping) &&
                      is_finite_nonnegative(j->motor.most_torque);
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID,
                            "a joint of two bodies in range with a unit axis and ranges in order",
                            "joint %u of kind %d between %d and %d of %u, axis of length %g, %g to "
                            "%g rad, %g to %g m",
                            (unsigned)i, (int)j->kind, (int)j->bodies[0], (int)j->bodies[1],
                            (unsigned)def->body_count, (double)lmb_vec3_length(l->axis),
                            (double)l->twist_min_rad, (double)l->twist_max_rad, (double)j->least_m,
                            (double)j->most_m);
}

static lmb_result check(const lmb_world_def *def, lmb_error *error)
{
    lmb_result result = LMB_OK;
    if (def->body_count > (1u << 20) || def->shape_count > (1u << 20) ||
        def->joint_count > (1u << 20) || def->filtered_count > (1u << 20) ||
        def->substeps > 10000 || def->pair_capacity > (1u << 24) ||
        !lmb_vec3_is_finite(def->gravity)) {
        return lmbi_fail(
            error, LMB_ERROR_INVALID,
            "finite gravity, at most 1048576 of each, 10000 sub-steps, 16777216 pairs",
            "%u bodies, %u shapes, %u joints, %u filtered pairs, %u sub-steps, %u pairs",
            (unsigned)def->body_count, (unsigned)def->shape_count, (unsigned)def->joint_count,
            (unsigned)def->filtered_count, (unsigned)def->substeps, (unsigned)def->pair_capacity);
    }
    for (uint32_t i = 0; i < def->body_count && result == LMB_OK; ++i) {
        result = check_body(&def->bodies[i], i, error);
    }
    for (uint32_t i = 0; i < def->shape_count && result == LMB_OK; ++i) {
        result = check_shape(def, i, error);
    }
    for (uint32_t i = 0; i < def->joint_count && result == LMB_OK; ++i) {
        result = check_joint(def, i, error);
    }
    for (uint32_t i = 0; i < def->filtered_count && result == LMB_OK; ++i) {
        if (def->filtered[i][0] >= def->body_count || def->filtered[i][1] >= def->body_count) {
            result = lmbi_fail(error, LMB_ERROR_INVALID, "two bodies in range",
                               "bodies %u and %u of %u in filtered pair %u",
                               (unsigned)def->filtered[i][0], (unsigned)def->filtered[i][1],
                               (unsigned)def->body_count, (unsigned)i);
        }
    }
    return result;
}

// --------------------------------------------------------------------------------------- creation

static lmbi_v3 inverse_or_zero(lmbi_v3 v, bool has_mass)
{
    return has_mass ? lmbi_v3_make(1.0 / v.x, 1.0 / v.y, 1.0 / v.z) : lmbi_v3_make(0, 0, 0);
}

static void add_bodies(lmb_world *w, const lmb_world_def *def)
{
    for (uint32_t i = 0; i < w->body_count; ++i) {
        const lmb_rigid_body *d = &def->bodies[i];
        const bool has_mass = d->mass > 0.0f;
        const lmbi_v3 inertia = lmbi_v3_of(d->inertia);
        w->bodies[i] =
            (lmbi_rigid_body){.x = lmbi_v3_of(d->position),
                              .q = lmbi_q4_normalize(lmbi_q4_of(or_identity(d->rotation))),
                              .v = lmbi_v3_of(d->velocity),
                              .w = lmbi_v3_of(d->spin),
                              .was_placed = true,
                              .mass = (double)d->mass,
                              .inertia = inertia,
                              .inv_mass = has_mass ? 1.0 / (double)d->mass : 0.0,
                              .inv_inertia = inverse_or_zero(inertia, has_mass),
                              .damping = (double)d->damping,
                              .spin_damping = (double)d->spin_damping};
    }
    for (uint32_t i = 0; i < w->body_count; ++i) {
        w->bodies[i].x0 = w->bodies[i].x;
        w->bodies[i].q0 = w->bodies[i].q;
    }
    w->bodies[w->body_count] = (lmbi_rigid_body){.q = {0, 0, 0, 1}, .q0 = {0, 0, 0, 1}};
}

static double size_of(const lmb_rigid_shape *d)
{
    return d->kind <= LMB_RIGID_CAPSULE ? (double)d->radius
           : d->kind == LMB_RIGID_BOX   ? (double)fminf(fminf(d->half.x, d->half.y), d->half.z)
                                        : 0.0;
}

static void add_shapes(lmb_world *w, const lmb_world_def *def)
{
    for (uint32_t i = 0; i < w->shape_count; ++i) {
        const lmb_rigid_shape *d = &def->shapes[i];
        const lmbi_q4 rotation = lmbi_q4_normalize(lmbi_q4_of(or_identity(d->rotation)));
        const double reach = d->kind == LMB_RIGID_CAPSULE ? (double)d->half.y : 0.0;
        const lmbi_v3 along = lmbi_q4_rotate(rotation, lmbi_v3_make(0, reach, 0)),
                      offset = lmbi_v3_of(d->offset);
        w->shapes[i] = (lmbi_rigid_shape){
            .kind = d->kind,
            .body = d->body == LMB_NONE ? w->body_count : (uint32_t)d->body,
            .local_ends = {lmbi_v3_sub(offset, along), lmbi_v3_add(offset, along)},
            .rotation = rotation,
            .radius = d->kind <= LMB_RIGID_CAPSULE ? (double)d->radius : 0.0,
            .half = lmbi_v3_of(d->half),
            .size = size_of(d),
            .ground = d->ground,
            .static_friction = (double)d->static_friction,
            .dynamic_friction = (double)d->dynamic_friction,
            .restitution = (double)d->restitution};
        w->order[i] = i;
    }
}

static void add_joints(lmb_world *w, const lmb_world_def *def)
{
    for (uint32_t i = 0; i < w->joint_count; ++i) {
        const lmb_rigid_joint *d = &def->joints[i];
        w->joints[i] =
            (lmbi_joint){.kind = d->kind,
                         .a = d->bodies[0] == LMB_NONE ? w->body_count : (uint32_t)d->bodies[0],
                         .b = (uint32_t)d->bodies[1],
                         .anchors = {lmbi_v3_of(d->anchors[0]), lmbi_v3_of(d->anchors[1])},
                         .frames = {lmbi_q4_normalize(lmbi_q4_of(or_identity(d->frames[0]))),
                                    lmbi_q4_normalize(lmbi_q4_of(or_identity(d->frames[1])))},
                         .limit = d->limit,
                         .compliance = (double)d->compliance,
                         .min_distance = (double)d->least_m,
                         .max_distance = (double)d->most_m,
                         .motor = d->motor};
        w->joints[i].motor.target = or_identity(d->motor.target);
        w->joints[i].size = lmbi_max(lmbi_v3_length(w->joints[i].anchors[0]) +
                                         lmbi_v3_length(w->joints[i].anchors[1]),
                                     1e-9);
        w->bodies[w->joints[i].a].has_joints = w->bodies[w->joints[i].b].has_joints = true;
        w->has_limits = w->has_limits || d->limit.kind != LMB_JOINT_FREE;
        lmbi_joint_prepare(&w->joints[i]);
        lmbi_joint_reset(w, &w->joints[i]);
        if (!d->bodies_meet) {
            w->filtered[w->filtered_count][0] = w->joints[i].a;
            w->filtered[w->filtered_count++][1] = w->joints[i].b;
        }
    }
}

static int compare_pairs(const uint32_t a[2], const uint32_t b[2])
{
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void sift_down(uint32_t (*items)[2], size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && compare_pairs(items[child], items[child + 1]) < 0;
        if (compare_pairs(items[root], items[child]) >= 0) {
            return;
        }
        const uint32_t swapped[2] = {items[root][0], items[root][1]};
        memcpy(items[root], items[child], sizeof swapped);
        memcpy(items[child], swapped, sizeof swapped);
    }
}

/// Puts the smaller body of each pair first, then heap sorts the pairs.
static void sort_filtered(lmb_world *w)
{
    for (uint32_t i = 0; i < w->filtered_count; ++i) {
        uint32_t *pair = w->filtered[i];
        if (pair[0] > pair[1]) {
            const uint32_t first = pair[1];
            pair[1] = pair[0];
            pair[0] = first;
        }
    }
    for (size_t i = w->filtered_count / 2; i-- > 0;) {
        sift_down(w->filtered, i, w->filtered_count);
    }
    for (size_t left = w->filtered_count; left-- > 1;) {
        const uint32_t swapped[2] = {w->filtered[0][0], w->filtered[0][1]};
        memcpy(w->filtered[0], w->filtered[left], sizeof swapped);
        memcpy(w->filtered[left], swapped, sizeof swapped);
        sift_down(w->filtered, 0, left);
    }
}

/// Capacity for ground facets per shape and step, on average.
enum { FACETS_PER_SHAPE = 64 };

/// Number of pairs of a body's shape and a ground.
static uint64_t count_ground_pairs(const lmb_world_def *def)
{
    uint64_t grounds = 0, carried = 0;
    for (uint32_t i = 0; i < def->shape_count; ++i) {
        grounds += def->shapes[i].kind == LMB_RIGID_GROUND;
        carried += def->shapes[i].body != LMB_NONE;
    }
    return grounds * carried;
}

static void choose_capacities(lmb_world *w, const lmb_world_def *def)
{
    const uint64_t n = w->shape_count, all_pairs = n < 2 ? 0 : n * (n - 1) / 2,
                   default_count = 16 * n;
    w->pair_capacity = def->pair_capacity
                           ? def->pair_capacity
                           : (uint32_t)(all_pairs < default_count ? all_pairs : default_count);
    uint32_t per_pair = 2;
    for (uint32_t i = 0; i < def->shape_count; ++i) {
        per_pair = def->shapes[i].kind == LMB_RIGID_BOX ? 8 : per_pair;
    }
    w->contact_capacity = per_pair * w->pair_capacity;
    w->sweeps = per_pair > 2 ? 6 : 2;
    const uint64_t on_ground = count_ground_pairs(def);
    if (on_ground > 0) {
        const uint64_t wanted = LMBI_GROUND_CONTACTS * on_ground;
        w->contact_capacity += (uint32_t)(wanted < (1u << 24) ? wanted : 1u << 24);
        w->facet_capacity =
            (uint32_t)(FACETS_PER_SHAPE * (on_ground < (1u << 14) ? on_ground : 1u << 14));
    }
}

static bool allocate(lmb_world *w, const lmb_world_def *def, const lmb_allocator *alloc)
{
    w->bodies = lmbi_alloc_array(alloc, (size_t)w->body_count + 1, sizeof *w->bodies);
    w->shapes = lmbi_alloc_array(alloc, w->shape_count, sizeof *w->shapes);
    w->joints = lmbi_alloc_array(alloc, w->joint_count, sizeof *w->joints);
    w->filtered =
        lmbi_alloc_array(alloc, (size_t)w->joint_count + def->filtered_count, sizeof *w->filtered);
    w->order = lmbi_alloc_array(alloc, w->shape_count, sizeof *w->order);
    w->pairs = lmbi_alloc_array(alloc, w->pair_capacity, sizeof *w->pairs);
    w->contacts = lmbi_alloc_array(alloc, w->contact_capacity, sizeof *w->contacts);
    w->facets = lmbi_alloc_array(alloc, w->facet_capacity, sizeof *w->facets);
    return w->bodies && w->shapes && w->joints && w->filtered && w->order && w->pairs &&
           w->contacts && w->facets;
}

lmb_result lmb_world_create(const lmb_world_def *def, const lmb_allocator *alloc, lmb_world **out,
                            lmb_error *error)
{
    assert(def && out);
    const lmb_result result = check(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_world *w = lmbi_alloc(alloc, sizeof *w);
    if (!w) {
        return lmbi_fail_memory(error);
    }
    *w = (lmb_world){.body_count = def->body_count,
                     .shape_count = def->shape_count,
                     .joint_count = def->joint_count,
                     .substeps = def->substeps ? def->substeps : LMB_WORLD_SUBSTEPS,
                     .gravity = lmbi_v3_of(def->gravity),
                     .never_sleeps = def->never_sleeps,
                     .allocator = alloc ? *alloc : (lmb_allocator){0}};
    choose_capacities(w, def);
    if (!allocate(w, def, alloc)) {
        lmb_world_destroy(w);
        return lmbi_fail_memory(error);
    }
    add_bodies(w, def);
    add_shapes(w, def);
    add_joints(w, def);
    for (uint32_t i = 0; i < def->filtered_count; ++i) {
        memcpy(w->filtered[w->filtered_count++], def->filtered[i], sizeof *w->filtered);
    }
    sort_filtered(w);
    *out = w;
    return LMB_OK;
}

void lmb_world_destroy(lmb_world *w)
{
    if (w) {
        const lmb_allocator alloc = w->allocator;
        void *const blocks[] = {w->bodies,   w->shapes, w->joints, w->filtered, w->order, w->pairs,
                                w->contacts, w->facets, w};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
            lmbi_free(&alloc, blocks[i]);
        }
    }
}

// ---------------------------------------------------------------------------- state between steps

static lmbi_rigid_body *wake_body(lmb_world *world, uint32_t body)
{
    assert(body < world->body_count);
    lmbi_rigid_body *b = &world->bodies[body];
    b->asleep = false;
    b->mark_age_s = 0;
    return b;
}

lmb_rigid_state lmb_world_state(const lmb_world *world, uint32_t body)
{
    assert(body < world->body_count);
    const lmbi_rigid_body *b = &world->bodies[body];
    return (lmb_rigid_state){lmbi_v3_single(b->x), lmbi_q4_single(b->q), lmbi_v3_single(b->v),
                             lmbi_v3_single(b->w), b->asleep};
}

void lmb_world_set_state(lmb_world *world, uint32_t body, const lmb_rigid_state *state)
{
    lmbi_rigid_body *b = wake_body(world, body);
    b->x = lmbi_v3_of(state->position);
    b->q = lmbi_q4_normalize(lmbi_q4_of(or_identity(state->rotation)));
    b->v = lmbi_v3_of(state->velocity);
    b->w = lmbi_v3_of(state->spin);
    b->x0 = b->x;
    b->q0 = b->q;
    b->was_placed = true;
    b->unresolved_depth = 0.0;
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        lmbi_joint *joint = &world->joints[i];
        if (joint->a == body || joint->b == body) {
            lmbi_joint_reset(world, joint);
        }
    }
}

void lmbi_world_carry(lmb_world *world, uint32_t body, lmb_vec3 position, lmb_quat rotation,
                      float dt_s)
{
    lmbi_rigid_body *b = wake_body(world, body);
    const lmbi_q4 goal = lmbi_q4_normalize(lmbi_q4_of(or_identity(rotation)));
    const lmb_quat by = lmbi_q4_single(lmbi_q4_mul(goal, lmbi_q4_conjugate(b->q)));
    const lmb_quat near = by.w < 0.0f ? lmb_quat_make(-by.x, -by.y, -by.z, -by.w) : by;
    const lmb_vec3 v = {near.x, near.y, near.z};
    const float s = lmb_vec3_length(v), angle = 2.0f * lmb_atan2(s, near.w);
    const double rate = 1.0 / (double)dt_s;
    b->v = lmbi_v3_scale(lmbi_v3_sub(lmbi_v3_of(position), b->x), rate);
    b->w = lmbi_v3_scale(lmbi_v3_of(v), s > 0.0f ? (double)(angle / s) * rate : 0.0);
}

void lmbi_world_set_moving(lmb_world *world, uint32_t body, bool moves)
{
    lmbi_rigid_body *b = wake_body(world, body);
    const bool has_mass = moves && b->mass > 0.0;
    b->inv_mass = has_mass ? 1.0 / b->mass : 0.0;
    b->inv_inertia = inverse_or_zero(b->inertia, has_mass);
    if (!moves) {
        b->v = b->w = lmbi_v3_make(0, 0, 0);
    }
}

void lmbi_world_force(lmb_world *world, uint32_t body, lmb_vec3 force, lmb_vec3 torque)
{
    lmbi_rigid_body *b = wake_body(world, body);
    b->force = lmbi_v3_add(b->force, lmbi_v3_of(force));
    b->torque = lmbi_v3_add(b->torque, lmbi_v3_of(torque));
}

void lmb_world_push(lmb_world *world, uint32_t body, lmb_vec3 impulse, lmb_vec3 point)
{
    lmbi_rigid_body *b = wake_body(world, body);
    b->inv_inertia_world = lmbi_sym3_rotated(b->q, b->inv_inertia);
    lmbi_body_apply_impulse(b, lmbi_v3_sub(lmbi_v3_of(point), b->x), lmbi_v3_of(impulse), 1.0);
}

void lmbi_world_set_motor(lmb_world *world, uint32_t joint, const lmb_rigid_motor *motor)
{
    assert(joint < world->joint_count);
    world->joints[joint].motor = *motor;
    world->joints[joint].motor.target = or_identity(motor->target);
}

// ----------------------------------------------------------------------------------------- report

static bool is_finite(lmbi_v3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z) < 1e30;
}

static void measure_bodies(const lmb_world *world, lmb_world_report *out)
{
    for (uint32_t i = 0; i < world->body_count; ++i) {
        const lmbi_rigid_body *b = &world->bodies[i];
        out->kinetic += lmbi_body_energy(b, b->v, b->w);
        out->potential -= b->mass * lmbi_v3_dot(world->gravity, b->x);
        out->asleep_count += b->asleep;
        out->finite = out->finite && is_finite(b->x) && is_finite(b->v) && is_finite(b->w) &&
                      lmbi_q4_dot(b->q, b->q) < 2.0;
    }
}

void lmb_world_measure(lmb_world *world, lmb_world_report *out)
{
    double separation = 0, excess = 0, depth = 0;
    *out = (lmb_world_report){.work = world->work, .finite = true};
    measure_bodies(world, out);
    for (uint32_t i = 0; i < world->joint_count; ++i) {
        separation = lmbi_max(separation, lmbi_joint_separation(world, &world->joints[i]));
        excess = lmbi_max(excess, lmbi_joint_excess(world, &world->joints[i]));
    }
    lmbi_world_update_shapes(world);
    lmbi_world_find_contacts(world);
    for (uint32_t i = 0; i < world->contact_count; ++i) {
        const double in = lmbi_contact_depth(world, &world->contacts[i]);
        depth = lmbi_max(depth, in);
        out->contact_count += in >= 0.0;
    }
    out->separation = (float)separation;
    out->excess_rad = (float)excess;
    out->penetration = (float)depth;
    out->dropped = world->dropped;
}

/// A capsule is a cylinder and two half balls moved outward (parallel axis theorem).
void lmb_rigid_shape_mass(const lmb_rigid_shape *shape, float density, float *mass,
                          lmb_vec3 *inertia)
{
    const float r = shape->radius, r2 = r * r, ball = density * 4.0f / 3.0f * LMB_PI * r2 * r;
    if (shape->kind == LMB_RIGID_BOX) {
        const lmb_vec3 h = shape->half;
        *mass = density * 8.0f * h.x * h.y * h.z;
        *inertia = lmb_vec3_scale(
            lmb_vec3_make(h.y * h.y + h.z * h.z, h.x * h.x + h.z * h.z, h.x * h.x + h.y * h.y),
            *mass / 3.0f);
        return;
    }
    const float l = shape->kind == LMB_RIGID_CAPSULE ? 2.0f * shape->half.y : 0.0f;
    const float tube = density * LMB_PI * r2 * l;
    const float along = 0.5f * tube * r2 + 0.4f * ball * r2;
    const float across =
        tube * (l * l / 12.0f + 0.25f * r2) + ball * (0.4f * r2 + 0.25f * l * l + 0.375f * l * r);
    *mass = tube + ball;
    *inertia = lmb_vec3_make(across, along, across);
}
