/// Spring bones of VRMC_springBone 1.0, at a fixed sub-step: the specification's Verlet step does
/// not correct for its length, so its parameters hold at one rate only.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "physics/springs_machine.h"

// -------------------------------------------------------------------------------------- colliders
//
// VRMC_springBone 1.0, "Collision", and VRMC_springBone_extended_collider.

/// Vector from the nearest point of the segment to p.
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

/// Transforms a normal by the inverse transpose, as the matrix may scale unevenly.
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

/// Signed distance of the ball of `radius` about p from the collider, negative inside. `*direction`
/// is the unit way out, set only if negative; `fallback` serves on the collider's axis.
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

/// What every function of a step needs.
typedef struct step_context {
    lmb_springs *s;
    lmb_transform *local;
    lmb_mat4 root;
} step_context;

/// A spring joint before the spring rotates it.
typedef struct unsprung_joint {
    lmb_mat4 parent, unrotated;
    lmb_transform local;
    lmb_vec3 head, axis; ///< in the world; stiffness pulls to the axis
    float length;
} unsprung_joint;

static lmb_mat4 parent_of(const step_context *c, uint32_t joint)
{
    const int32_t parent = c->s->skeleton->parents[joint];
    return parent == LMB_NONE ? c->root : c->s->world[parent];
}

static unsprung_joint unsprung_of(const step_context *c, const lmbi_spring_bone *b)
{
    const uint32_t j = b->spring->joint;
    unsprung_joint st = {.parent = parent_of(c, j), .local = c->local[j]};
    if (!b->spring->follows_pose) {
        st.local.rotation = c->s->skeleton->rest[j].rotation;
    }
    st.unrotated = lmb_mat4_mul(st.parent, lmb_mat4_from_transform(st.local));
    st.head = lmb_mat4_translation(st.unrotated);
    const lmb_vec3 tail = lmb_mat4_vector(st.unrotated, b->tail);
    st.length = lmb_vec3_length(tail);
    st.axis = lmb_vec3_normalize_or(tail, lmb_vec3_make(0, -1, 0));
    return st;
}

static lmb_vec3 at_bone_length(const unsprung_joint *st, lmb_vec3 tail)
{
    const lmb_vec3 direction = lmb_vec3_normalize_or(lmb_vec3_sub(tail, st->head), st->axis);
    return lmb_vec3_mad(st->head, direction, st->length);
}

static lmb_vec3 push_out_of_colliders(const lmb_springs *s, const lmb_spring_joint *spring,
                                      const unsprung_joint *st, lmb_vec3 tail)
{
    for (uint32_t r = 0; r < spring->reference_count; ++r) {
        const lmb_spring_collider *collider =
            &s->set->colliders[s->set->references[spring->first_reference + r]];
        lmb_vec3 out = {0, 0, 0};
        const float distance = spring_distance(collider, &s->world[collider->joint], tail,
                                               spring->hit_radius, st->axis, &out);
        if (distance < 0) {
            tail = at_bone_length(st, lmb_vec3_mad(tail, out, -distance));
        }
    }
    return tail;
}

/// Rotates the joint so that it points to `tail`.
static void aim_joint(const step_context *c, lmbi_spring_bone *b, const unsprung_joint *st,
                      lmb_vec3 tail)
{
    lmb_mat4 joint_from_world;
    lmb_transform local = st->local;
    if (lmb_mat4_inverse_affine(st->unrotated, &joint_from_world)) {
        const lmb_vec3 to = lmb_mat4_vector(joint_from_world, lmb_vec3_sub(tail, st->head));
        local.rotation = lmb_quat_mul(
            local.rotation, lmb_quat_between(b->axis, lmb_vec3_normalize_or(to, b->axis)));
    }
    b->rotation = local.rotation;
    c->s->world[b->spring->joint] = lmb_mat4_mul(st->parent, lmb_mat4_from_transform(local));
}

static lmb_mat4 world_from_center(const lmb_springs *s, const lmbi_spring_bone *b)
{
    return b->spring->center == LMB_NONE ? lmb_mat4_identity() : s->world[b->spring->center];
}

static lmb_vec3 point_in_center(const lmb_springs *s, const lmbi_spring_bone *b, lmb_vec3 p)
{
    lmb_mat4 center_from_world;
    if (b->spring->center == LMB_NONE ||
        !lmb_mat4_inverse_affine(s->world[b->spring->center], &center_from_world)) {
        return p;
    }
    return lmb_mat4_point(center_from_world, p);
}

/// MEASURE keeps the rotations of the last sub-step, and only moves the tails with their parents.
typedef enum pass_kind { START, MEASURE, SUBSTEP, DISPLAY } pass_kind;

/// Verlet step of the tail, in the world.
static lmb_vec3 next_tail(const step_context *c, lmbi_spring_bone *b, const unsprung_joint *st,
                          pass_kind kind, float ahead)
{
    const lmb_spring_joint *spring = b->spring;
    const float h = 1.0f / LMB_SPRINGS_HZ;
    const lmb_vec3 displacement = lmb_vec3_sub(b->current, b->before);
    const float fraction = kind == DISPLAY ? ahead : 1.0f - spring->drag;
    lmb_vec3 tail = lmb_vec3_mad(b->current, displacement, fraction);
    if (spring->center != LMB_NONE) {
        tail = lmb_mat4_point(world_from_center(c->s, b), tail);
    }
    if (kind == SUBSTEP) {
        tail = lmb_vec3_mad(tail, st->axis, spring->stiffness * h);
        tail = lmb_vec3_mad(tail, spring->gravity, spring->gravity_power * h);
    }
    return push_out_of_colliders(c->s, spring, st, at_bone_length(st, tail));
}

static void carry_tail(const step_context *c, lmbi_spring_bone *b)
{
    lmb_transform local = c->local[b->spring->joint];
    local.rotation = b->substep_rotation;
    const lmb_mat4 world_from_joint =
        lmb_mat4_mul(parent_of(c, b->spring->joint), lmb_mat4_from_transform(local));
    b->tail_before = lmb_mat4_point(world_from_joint, b->tail);
    c->s->world[b->spring->joint] = world_from_joint;
}

static void update_bone(const step_context *c, lmbi_spring_bone *b, pass_kind kind, float ahead)
{
    if (kind == MEASURE) {
        carry_tail(c, b);
        return;
    }
    unsprung_joint st = unsprung_of(c, b);
    if (kind != START && c->s->set->length != LMB_SPRING_LENGTH_OF_BONE) {
        st.length = lmb_vec3_distance(st.head, b->tail_before);
    }
    const lmb_vec3 tail = kind == START ? lmb_vec3_mad(st.head, st.axis, st.length)
                                        : next_tail(c, b, &st, kind, ahead);
    if (kind != DISPLAY) {
        const lmb_vec3 in_center = point_in_center(c->s, b, tail);
        b->before = kind == START ? in_center : b->current;
        b->current = in_center;
    }
    aim_joint(c, b, &st, tail);
    if (kind != DISPLAY) {
        b->substep_rotation = b->rotation;
        b->tail_before = lmb_mat4_point(c->s->world[b->spring->joint], b->tail);
    }
}

static void update_all(const step_context *c, pass_kind kind, float ahead)
{
    lmb_springs *s = c->s;
    for (uint32_t i = 0; i < s->mover_count; ++i) {
        const lmbi_mover *one = &s->movers[i];
        if (one->bone >= 0) {
            update_bone(c, &s->bones[one->bone], kind, ahead);
        } else {
            s->world[one->joint] = lmb_mat4_mul(parent_of(c, one->joint),
                                                lmb_mat4_from_transform(c->local[one->joint]));
        }
    }
}

/// Interpolates the anchors at `fraction` between the last frame and this one.
static void interpolate_anchors(const step_context *c, const lmb_mat4 *model, float fraction)
{
    lmb_springs *s = c->s;
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        const lmb_mat4 now = model[s->anchors[i]];
        lmb_transform from, to;
        s->world[s->anchors[i]] = now;
        if (fraction >= 1.0f || memcmp(&now, &s->anchors_before[i], sizeof now) == 0) {
            continue;
        }
        lmb_mat4_decompose(s->anchors_before[i], &from);
        lmb_mat4_decompose(now, &to);
        s->world[s->anchors[i]] = lmb_mat4_from_transform((lmb_transform){
            .translation = lmb_vec3_lerp(from.translation, to.translation, fraction),
            .rotation = lmb_quat_slerp(from.rotation, to.rotation, fraction),
            .scale = lmb_vec3_lerp(from.scale, to.scale, fraction)});
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

/// Runs the sub-steps that fit. Returns the fraction of a sub-step that is left over.
static float run_substeps(const step_context *c, const lmb_mat4 *model, double dt_s)
{
    lmb_springs *s = c->s;
    const double h = 1.0 / LMB_SPRINGS_HZ, before_s = s->unused_s;
    // 1/60 in float differs slightly from a sub-step: the remaining time may go slightly below
    // zero.
    const double slack = 1e-3 * h;
    s->unused_s += fmin(dt_s, LMB_SPRINGS_MOST * h);
    for (int k = 1; s->unused_s >= h - slack; ++k) {
        s->unused_s -= h;
        const double fraction = (k * h - before_s) / dt_s;
        interpolate_anchors(c, model, s->unused_s <= slack ? 1.0f : (float)fmin(fraction, 1.0));
        if (s->set->length == LMB_SPRING_LENGTH_CARRIED) {
            update_all(c, MEASURE, 0);
        }
        update_all(c, SUBSTEP, 0);
    }
    return s->unused_s <= slack ? 0.0f : (float)(s->unused_s / h);
}

static void write_pose(const step_context *c, lmb_mat4 *model)
{
    const lmb_springs *s = c->s;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        c->local[s->bones[i].spring->joint].rotation = s->bones[i].rotation;
    }
    for (uint32_t i = 0; i < s->affected_count; ++i) {
        const uint32_t j = s->affected[i];
        const int32_t parent = s->skeleton->parents[j];
        model[j] = lmb_mat4_mul(parent == LMB_NONE ? c->root : model[parent],
                                lmb_mat4_from_transform(c->local[j]));
    }
}

/// Transforms the state rigidly.
static void move_state(lmb_springs *s, lmb_mat4 by)
{
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        lmbi_spring_bone *b = &s->bones[i];
        b->tail_before = lmb_mat4_point(by, b->tail_before);
        if (b->spring->center == LMB_NONE) {
            b->current = lmb_mat4_point(by, b->current);
            b->before = lmb_mat4_point(by, b->before);
        }
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->anchors_before[i] = lmb_mat4_mul(by, s->anchors_before[i]);
    }
}

void lmb_springs_step(const lmb_springs_step_job *job)
{
    assert(job && job->springs && job->local && job->model_from_joint);
    assert(job->dt_s >= 0 && isfinite(job->dt_s));
    lmb_springs *s = job->springs;
    const step_context c = {
        .s = s, .local = job->local, .root = is_zero(&job->root) ? lmb_mat4_identity() : job->root};
    if (job->moved != NULL) {
        move_state(s, *job->moved);
    }
    if (!s->started || job->restart) {
        interpolate_anchors(&c, job->model_from_joint, 1);
        update_all(&c, START, 0);
        for (uint32_t i = 0; i < s->anchor_count; ++i) {
            s->anchors_before[i] = job->model_from_joint[s->anchors[i]];
        }
        s->unused_s = 0;
        s->started = true;
    }
    const float ahead = run_substeps(&c, job->model_from_joint, (double)job->dt_s);
    interpolate_anchors(&c, job->model_from_joint, 1);
    if (ahead > 0 || job->dt_s <= 0) {
        update_all(&c, DISPLAY, ahead);
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->anchors_before[i] = job->model_from_joint[s->anchors[i]];
    }
    write_pose(&c, job->model_from_joint);
}

/// Maximum penetration of a bone's tail into its colliders.
static float depth_of(const lmb_springs *s, const lmbi_spring_bone *b)
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
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const lmb_vec3 by = lmb_vec3_sub(s->bones[i].current, s->bones[i].before);
        kinetic += 0.5 * (double)lmb_vec3_dot(by, by) * LMB_SPRINGS_HZ * LMB_SPRINGS_HZ;
        out->penetration = fmaxf(out->penetration, depth_of(s, &s->bones[i]));
    }
    out->kinetic = s->bone_count > 0 ? (float)(kinetic / s->bone_count) : 0;
}
