// Spring bones, as VRMC_springBone 1.0 has them, in sub-steps of one length: the specification's
// step is a Verlet step without a correction for its length, so that its numbers mean something at
// one rate only.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "physics/springs_machine.h"

// --------------------------------------------------------------------------------------- colliders
//
// VRMC_springBone 1.0, "Collision", and VRMC_springBone_extended_collider.

/// From the nearest point of the segment to p.
static lmb_vec3 from_segment(lmb_vec3 head, lmb_vec3 tail, lmb_vec3 p)
{
    const lmb_vec3 along = lmb_vec3_sub(tail, head), to = lmb_vec3_sub(p, head);
    const float dot = lmb_vec3_dot(along, to), length_squared = lmb_vec3_dot(along, along);
    if (dot <= 0) {
        return to;
    }
    return dot >= length_squared ? lmb_vec3_sub(p, tail)
                                 : lmb_vec3_mad(to, along, -(dot / length_squared));
}

/// A normal goes by the inverse transpose, so that it stays square to a plane that is scaled
/// unevenly.
static lmb_vec3 normal_in_world(const lmb_mat4 *world, lmb_vec3 normal)
{
    const float *m = world->m;
    const lmb_vec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    const lmb_vec3 yz = lmb_vec3_cross(y, z);
    lmb_vec3 n = lmb_vec3_scale(yz, normal.x);
    n = lmb_vec3_mad(n, lmb_vec3_cross(z, x), normal.y);
    n = lmb_vec3_mad(n, lmb_vec3_cross(x, y), normal.z);
    n = lmb_vec3_scale(n, lmb_vec3_dot(x, yz) < 0 ? -1.0f : 1.0f);
    return lmb_vec3_normalize_or(n, lmb_vec3_make(0, 1, 0));
}

/// The distance from the ball of `radius` about p to the free side, negative inside, and the unit direction to it where it is negative.
static float spring_distance(const lmb_spring_collider *collider, const lmb_mat4 *world, lmb_vec3 p,
                             float radius, lmb_vec3 fallback, lmb_vec3 *direction)
{
    const lmb_vec3 offset = lmb_mat4_point(*world, collider->offset);
    if (collider->shape == LMB_SPRING_PLANE) {
        *direction = normal_in_world(world, collider->normal);
        return lmb_vec3_dot(lmb_vec3_sub(p, offset), *direction) - radius;
    }
    const lmb_vec3 tail =
        collider->shape == LMB_SPRING_CAPSULE ? lmb_mat4_point(*world, collider->tail) : offset;
    const lmb_vec3 away = from_segment(offset, tail, p);
    const float length = lmb_vec3_length(away);
    const float distance =
        collider->inside ? collider->radius - radius - length : length - radius - collider->radius;
    if (distance < 0) {
        *direction = lmb_vec3_normalize_or(away, fallback);
        if (collider->inside) {
            *direction = lmb_vec3_neg(*direction);
        }
    }
    return distance;
}

// ---------------------------------------------------------------------------------------- springs

/// One moment of one step.
typedef struct moment {
    lmb_springs *s;
    lmb_transform *local;
    lmb_mat4 root;
} moment;

/// A joint under its parent as it stands before the spring turns it.
typedef struct stand {
    lmb_mat4 parent, unturned;
    lmb_transform local;
    lmb_vec3 head, axis; ///< in the world; the axis is where stiffness pulls to
    float length;
} stand;

static lmb_mat4 parent_of(const moment *m, uint32_t joint)
{
    const int32_t parent = m->s->skeleton->parents[joint];
    return parent == LMB_NONE ? m->root : m->s->world[parent];
}

static stand stand_of(const moment *m, const lmbi_bob *b)
{
    const uint32_t j = b->spring->joint;
    stand st = {.parent = parent_of(m, j), .local = m->local[j]};
    if (!b->spring->follows_pose) {
        st.local.rotation = m->s->skeleton->rest[j].rotation;
    }
    st.unturned = lmb_mat4_mul(st.parent, lmb_mat4_from_transform(st.local));
    st.head = lmb_mat4_translation(st.unturned);
    const lmb_vec3 tail = lmb_mat4_vector(st.unturned, b->tail);
    st.length = lmb_vec3_length(tail);
    st.axis = lmb_vec3_normalize_or(tail, lmb_vec3_make(0, -1, 0));
    return st;
}

static lmb_vec3 at_length(const stand *st, lmb_vec3 tail)
{
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(tail, st->head), st->axis);
    return lmb_vec3_mad(st->head, way, st->length);
}

static lmb_vec3 kept_out(const lmb_springs *s, const lmb_spring_joint *spring, const stand *st,
                         lmb_vec3 tail)
{
    for (uint32_t r = 0; r < spring->reference_count; ++r) {
        const lmb_spring_collider *collider =
            &s->set->colliders[s->set->references[spring->first_reference + r]];
        lmb_vec3 out = {0, 0, 0};
        const float distance = spring_distance(collider, &s->world[collider->joint], tail,
                                               spring->hit_radius, st->axis, &out);
        if (distance < 0) {
            tail = at_length(st, lmb_vec3_mad(tail, out, -distance));
        }
    }
    return tail;
}

/// Turns the joint so that its tail is in the direction of `tail`.
static void turn(const moment *m, lmbi_bob *b, const stand *st, lmb_vec3 tail)
{
    lmb_mat4 joint_from_world;
    lmb_transform local = st->local;
    if (lmb_mat4_inverse_affine(st->unturned, &joint_from_world)) {
        const lmb_vec3 to = lmb_mat4_vector(joint_from_world, lmb_vec3_sub(tail, st->head));
        local.rotation = lmb_quat_mul(
            local.rotation, lmb_quat_between(b->axis, lmb_vec3_normalize_or(to, b->axis)));
    }
    b->rotation = local.rotation;
    m->s->world[b->spring->joint] = lmb_mat4_mul(st->parent, lmb_mat4_from_transform(local));
}

static lmb_mat4 world_from_center(const lmb_springs *s, const lmbi_bob *b)
{
    return b->spring->center == LMB_NONE ? lmb_mat4_identity() : s->world[b->spring->center];
}

static lmb_vec3 into_center(const lmb_springs *s, const lmbi_bob *b, lmb_vec3 p)
{
    lmb_mat4 center_from_world;
    if (b->spring->center == LMB_NONE ||
        !lmb_mat4_inverse_affine(s->world[b->spring->center], &center_from_world)) {
        return p;
    }
    return lmb_mat4_point(center_from_world, p);
}

/// A pass that measures turns nothing: it carries the turns of the last sub-step on.
typedef enum pass_kind { START, MEASURE, SUBSTEP, SHOW } pass_kind;

/// Where the tail goes, in the world.
static lmb_vec3 next_tail(const moment *m, lmbi_bob *b, const stand *st, pass_kind kind,
                          float ahead)
{
    const lmb_spring_joint *spring = b->spring;
    const float h = 1.0f / LMB_SPRINGS_HZ;
    const lmb_vec3 speed = lmb_vec3_sub(b->current, b->before);
    const float share = kind == SHOW ? ahead : 1.0f - spring->drag;
    lmb_vec3 tail = lmb_vec3_mad(b->current, speed, share);
    if (spring->center != LMB_NONE) {
        tail = lmb_mat4_point(world_from_center(m->s, b), tail);
    }
    if (kind == SUBSTEP) {
        tail = lmb_vec3_mad(tail, st->axis, spring->stiffness * h);
        tail = lmb_vec3_mad(tail, spring->gravity, spring->gravity_power * h);
    }
    return kept_out(m->s, spring, st, at_length(st, tail));
}

static void measure(const moment *m, lmbi_bob *b)
{
    lmb_transform local = m->local[b->spring->joint];
    local.rotation = b->held;
    const lmb_mat4 carried =
        lmb_mat4_mul(parent_of(m, b->spring->joint), lmb_mat4_from_transform(local));
    b->was = lmb_mat4_point(carried, b->tail);
    m->s->world[b->spring->joint] = carried;
}

static void swing(const moment *m, lmbi_bob *b, pass_kind kind, float ahead)
{
    if (kind == MEASURE) {
        measure(m, b);
        return;
    }
    stand st = stand_of(m, b);
    if (kind != START && m->s->set->length != LMB_SPRING_LENGTH_OF_BONE) {
        st.length = lmb_vec3_distance(st.head, b->was);
    }
    const lmb_vec3 tail = kind == START ? lmb_vec3_mad(st.head, st.axis, st.length)
                                        : next_tail(m, b, &st, kind, ahead);
    if (kind != SHOW) {
        const lmb_vec3 kept = into_center(m->s, b, tail);
        b->before = kind == START ? kept : b->current;
        b->current = kept;
    }
    turn(m, b, &st, tail);
    if (kind != SHOW) {
        b->held = b->rotation;
        b->was = lmb_mat4_point(m->s->world[b->spring->joint], b->tail);
    }
}

static void pass(const moment *m, pass_kind kind, float ahead)
{
    lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->mover_count; ++i) {
        const lmbi_mover *one = &s->movers[i];
        if (one->bob >= 0) {
            swing(m, &s->bobs[one->bob], kind, ahead);
        } else {
            s->world[one->joint] = lmb_mat4_mul(parent_of(m, one->joint),
                                                lmb_mat4_from_transform(m->local[one->joint]));
        }
    }
}

/// Anchors as they are `share` of the way from the last frame to this one.
static void carry(const moment *m, const lmb_mat4 *model, float share)
{
    lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        const lmb_mat4 now = model[s->anchors[i]];
        lmb_transform from, to;
        s->world[s->anchors[i]] = now;
        if (share >= 1.0f || memcmp(&now, &s->were[i], sizeof now) == 0) {
            continue;
        }
        lmb_mat4_decompose(s->were[i], &from);
        lmb_mat4_decompose(now, &to);
        s->world[s->anchors[i]] = lmb_mat4_from_transform(
            (lmb_transform){.translation = lmb_vec3_lerp(from.translation, to.translation, share),
                            .rotation = lmb_quat_slerp(from.rotation, to.rotation, share),
                            .scale = lmb_vec3_lerp(from.scale, to.scale, share)});
    }
}

static bool is_zero(const lmb_mat4 *m)
{
    for (int k = 0; k < 16; ++k) {
        if (m->m[k] != 0) {
            return false;
        }
    }
    return true;
}

/// Runs the sub-steps that fit. Returns the share of a sub-step that is left.
static float run_substeps(const moment *m, const lmb_mat4 *model, double dt_s)
{
    lmb_springs *s = m->s;
    const double h = 1.0 / LMB_SPRINGS_HZ, before_s = s->left_s;
    // A frame time such as 1/60 in float is a hair more or less than a sub-step: what is left may
    // go a hair below zero instead.
    const double slack = 1e-3 * h;
    s->left_s += fmin(dt_s, LMB_SPRINGS_MOST * h);
    for (int k = 1; s->left_s >= h - slack; ++k) {
        s->left_s -= h;
        const double share = (k * h - before_s) / dt_s;
        carry(m, model, s->left_s <= slack ? 1.0f : (float)fmin(share, 1.0));
        if (s->set->length == LMB_SPRING_LENGTH_CARRIED) {
            pass(m, MEASURE, 0);
        }
        pass(m, SUBSTEP, 0);
    }
    return s->left_s <= slack ? 0.0f : (float)(s->left_s / h);
}

static void show(const moment *m, lmb_mat4 *model)
{
    const lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        m->local[s->bobs[i].spring->joint].rotation = s->bobs[i].rotation;
    }
    for (uint32_t i = 0; i < s->below_count; ++i) {
        const uint32_t j = s->below[i];
        const int32_t parent = s->skeleton->parents[j];
        model[j] = lmb_mat4_mul(parent == LMB_NONE ? m->root : model[parent],
                                lmb_mat4_from_transform(m->local[j]));
    }
}

void lmb_springs_step(const lmb_springs_step_job *job)
{
    assert(job && job->springs && job->local && job->model_from_joint);
    assert(job->dt_s >= 0 && isfinite(job->dt_s));
    lmb_springs *s = job->springs;
    const moment m = {
        .s = s, .local = job->local, .root = is_zero(&job->root) ? lmb_mat4_identity() : job->root};
    if (!s->started) {
        carry(&m, job->model_from_joint, 1);
        pass(&m, START, 0);
        for (uint32_t i = 0; i < s->anchor_count; ++i) {
            s->were[i] = job->model_from_joint[s->anchors[i]];
        }
        s->left_s = 0;
        s->started = true;
    }
    const float ahead = run_substeps(&m, job->model_from_joint, (double)job->dt_s);
    carry(&m, job->model_from_joint, 1);
    if (ahead > 0 || job->dt_s <= 0) {
        pass(&m, SHOW, ahead);
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->were[i] = job->model_from_joint[s->anchors[i]];
    }
    show(&m, job->model_from_joint);
}

/// How deep the tail of a bob is in its colliders, at the distance that the bone has.
static float depth_of(const lmb_springs *s, const lmbi_bob *b)
{
    const lmb_spring_joint *spring = b->spring;
    const lmb_vec3 tail = lmb_mat4_point(s->world[spring->joint], b->tail);
    const lmb_vec3 axis = lmb_mat4_vector(s->world[spring->joint], b->axis);
    float deepest = 0;
    for (uint32_t r = 0; r < spring->reference_count; ++r) {
        const lmb_spring_collider *collider =
            &s->set->colliders[s->set->references[spring->first_reference + r]];
        lmb_vec3 out;
        deepest = fmaxf(deepest, -spring_distance(collider, &s->world[collider->joint], tail,
                                                  spring->hit_radius, axis, &out));
    }
    return deepest;
}

void lmb_springs_measure(const lmb_springs *s, lmb_springs_report *out)
{
    double kinetic = 0;
    *out = (lmb_springs_report){0};
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        const lmb_vec3 by = lmb_vec3_sub(s->bobs[i].current, s->bobs[i].before);
        kinetic += 0.5 * (double)lmb_vec3_dot(by, by) * LMB_SPRINGS_HZ * LMB_SPRINGS_HZ;
        out->penetration = fmaxf(out->penetration, depth_of(s, &s->bobs[i]));
    }
    out->kinetic = s->bob_count > 0 ? (float)(kinetic / s->bob_count) : 0;
}

void lmb_springs_reset(lmb_springs *springs)
{
    assert(springs);
    springs->started = false;
}

void lmb_springs_move(lmb_springs *s, lmb_mat4 by)
{
    assert(s);
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        lmbi_bob *b = &s->bobs[i];
        b->was = lmb_mat4_point(by, b->was);
        if (b->spring->center == LMB_NONE) {
            b->current = lmb_mat4_point(by, b->current);
            b->before = lmb_mat4_point(by, b->before);
        }
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->were[i] = lmb_mat4_mul(by, s->were[i]);
    }
}
