/// A ragdoll in its world: bodies placed from a pose, motors that follow the frame's pose, and the
/// pose read back from the bodies.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/physics.h"
#include "physics/physics.h"

typedef struct limb {
    lmb_quat body_from_joint;  ///< rotation only, at rest
    lmb_vec3 joint_in_body;    ///< the joint in the body's frame
    lmb_vec3 body_in_joint;    ///< the body in the joint's frame, scale included
    lmb_vec3 anchor;           ///< the joint in the parent body's frame
    lmb_quat parent_from_rest; ///< the joint's rest frame in the parent body's frame
    float gravity_torque; ///< maximum gravity torque about the joint of all bodies it supports, N m
    float inertia;        ///< about the joint, of all bodies it supports, kg m^2
    lmb_quat target;      ///< motor target of the frame before
    bool has_target;
    bool is_loose; ///< its joint hangs from no joint of the parent bone, and gets its position too
    lmb_ragdoll_drive drive;
} limb;

enum { OTHER = -1, BETWEEN = -2 };

struct lmb_ragdoll {
    const lmb_ragdoll_set *set;
    const lmb_skeleton *skeleton;
    lmb_world *world;
    limb *limbs;
    /// [joint_count] index of the bone, OTHER, or BETWEEN a bone and its parent bone
    int32_t *role;
    int32_t *below;      ///< [joint_count] for a BETWEEN joint: the bone below it
    lmb_quat *rotations; ///< [joint_count] rotations of model_from_joint in the frame's pose
    lmb_mat4 *model;     ///< [joint_count] of the frame's pose
    lmb_vec3 gravity;
    float joint_friction, mass, balance_hz, balance_most;
    lmb_allocator allocator;
};

// --------------------------------------------------------------------------------------- creation

static void find_rotations(const lmb_skeleton *skeleton, const lmb_transform *local, lmb_quat root,
                           lmb_quat *rotations)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        rotations[j] = lmb_quat_normalize(
            lmb_quat_mul(parent == LMB_NONE ? root : rotations[parent], local[j].rotation));
    }
}

static void find_roles(lmb_ragdoll *r)
{
    for (uint32_t j = 0; j < r->skeleton->joint_count; ++j) {
        r->role[j] = OTHER;
    }
    for (uint32_t i = 0; i < r->set->bone_count; ++i) {
        r->role[r->set->bones[i].joint] = (int32_t)i;
    }
    for (uint32_t i = 1; i < r->set->bone_count; ++i) {
        const int32_t top = (int32_t)r->set->bones[r->set->bones[i].parent].joint;
        int32_t j = r->skeleton->parents[r->set->bones[i].joint];
        int32_t above = j; // none between, if the parent bone is no ancestor of the joint
        while (above != LMB_NONE && above != top) {
            above = r->skeleton->parents[above];
        }
        r->limbs[i].is_loose = above == LMB_NONE;
        for (; above != LMB_NONE && j != top && r->role[j] == OTHER; j = r->skeleton->parents[j]) {
            r->role[j] = BETWEEN;
            r->below[j] = (int32_t)i;
        }
    }
}

static lmb_vec3 body_from_model_point(lmb_transform model_from_body, lmb_vec3 p)
{
    return lmb_quat_rotate(lmb_quat_conjugate(model_from_body.rotation),
                           lmb_vec3_sub(p, model_from_body.translation));
}

static void init_limbs(lmb_ragdoll *r)
{
    const lmb_ragdoll_set *set = r->set;
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = r->skeleton, .model_from_joint = r->model});
    find_rotations(r->skeleton, r->skeleton->rest, lmb_quat_identity(), r->rotations);
    for (uint32_t i = 0; i < set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &set->bones[i];
        const lmb_transform body = b->model_from_body,
                            above = set->bones[b->parent == LMB_NONE ? (int32_t)i : b->parent]
                                        .model_from_body;
        const lmb_vec3 at = lmb_mat4_translation(r->model[b->joint]);
        lmb_mat4 joint_from_model;
        lmb_mat4_inverse_affine(r->model[b->joint], &joint_from_model);
        r->limbs[i] =
            (limb){.body_from_joint =
                       lmb_quat_mul(lmb_quat_conjugate(body.rotation), r->rotations[b->joint]),
                   .joint_in_body = body_from_model_point(body, at),
                   .body_in_joint = lmb_mat4_point(joint_from_model, body.translation),
                   .anchor = body_from_model_point(above, at),
                   .parent_from_rest =
                       lmb_quat_mul(lmb_quat_conjugate(above.rotation), r->rotations[b->joint]),
                   .is_loose = r->limbs[i].is_loose};
        r->mass += b->mass;
    }
    for (uint32_t i = set->bone_count;
         i-- > 0;) { // every body, about its own joint and those above
        const lmb_ragdoll_bone *b = &set->bones[i];
        for (int32_t k = (int32_t)i; k != LMB_NONE; k = set->bones[k].parent) {
            const float d = lmb_vec3_distance(b->model_from_body.translation,
                                              lmb_mat4_translation(r->model[set->bones[k].joint]));
            r->limbs[k].inertia += b->inertia.x + b->mass * d * d;
            r->limbs[k].gravity_torque += 9.81f * b->mass * d;
        }
    }
}

static bool allocate(lmb_ragdoll *r, const lmb_allocator *alloc)
{
    const size_t n = r->skeleton->joint_count;
    r->limbs = lmbi_alloc_array(alloc, r->set->bone_count, sizeof *r->limbs);
    r->role = lmbi_alloc_array(alloc, n, sizeof *r->role);
    r->below = lmbi_alloc_array(alloc, n, sizeof *r->below);
    r->rotations = lmbi_alloc_array(alloc, n, sizeof *r->rotations);
    r->model = lmbi_alloc_array(alloc, n, sizeof *r->model);
    return r->limbs && r->role && r->below && r->rotations && r->model;
}

/// Definitions from which the world is created.
typedef struct world_parts {
    lmb_rigid_body *bodies;
    lmb_rigid_shape *shapes;
    lmb_rigid_joint *joints;
} world_parts;

/// Dry joint friction: a stiff damper that nearly stops slow motion, with its torque clamped.
static lmb_rigid_motor friction_motor(const lmb_ragdoll *r, const limb *l)
{
    const float dry = r->joint_friction * l->gravity_torque;
    return (lmb_rigid_motor){.damping = dry > 0.0f ? 200.0f * l->inertia : 0.0f,
                             .most_torque = dry};
}

static void describe_bone(const lmb_ragdoll *r, const lmb_ragdoll_scene *scene, uint32_t i,
                          world_parts *p)
{
    const lmb_ragdoll_bone *b = &r->set->bones[i];
    const limb *l = &r->limbs[i];
    p->bodies[i] = (lmb_rigid_body){.position = b->model_from_body.translation,
                                    .rotation = b->model_from_body.rotation,
                                    .mass = b->mass,
                                    .inertia = b->inertia,
                                    .damping = 0.05f};
    p->shapes[i] = (lmb_rigid_shape){.kind = LMB_RIGID_CAPSULE,
                                     .body = (int32_t)i,
                                     .radius = b->radius,
                                     .half = {0, b->half, 0},
                                     .static_friction = scene->friction,
                                     .dynamic_friction = 0.8f * scene->friction};
    if (i > 0) {
        p->joints[i - 1] = (lmb_rigid_joint){.bodies = {b->parent, (int32_t)i},
                                             .anchors = {l->anchor, l->joint_in_body},
                                             .frames = {lmb_quat_normalize(l->parent_from_rest),
                                                        lmb_quat_normalize(l->body_from_joint)},
                                             .limit = b->limit,
                                             .motor = friction_motor(r, l)};
    }
}

static lmb_result make_world(lmb_ragdoll *r, const lmb_ragdoll_scene *scene,
                             const lmb_allocator *alloc, lmb_error *error)
{
    const uint32_t n = r->set->bone_count;
    world_parts p = {lmbi_alloc_array(alloc, n, sizeof *p.bodies),
                     lmbi_alloc_array(alloc, (size_t)n + scene->shape_count, sizeof *p.shapes),
                     lmbi_alloc_array(alloc, n, sizeof *p.joints)};
    lmb_result result = LMB_ERROR_MEMORY;
    if (p.bodies && p.shapes && p.joints) {
        for (uint32_t i = 0; i < n; ++i) {
            describe_bone(r, scene, i, &p);
        }
        if (scene->shape_count > 0) {
            memcpy(p.shapes + n, scene->shapes, scene->shape_count * sizeof *p.shapes);
        }
        const lmb_world_def def = {.body_count = n,
                                   .bodies = p.bodies,
                                   .shape_count = n + scene->shape_count,
                                   .shapes = p.shapes,
                                   .joint_count = n - 1,
                                   .joints = p.joints,
                                   .filtered_count = r->set->filtered_count,
                                   .filtered = (const uint32_t(*)[2])r->set->filtered,
                                   .gravity = scene->gravity,
                                   .substeps = scene->substeps,
                                   .never_sleeps = scene->never_sleeps};
        result = lmb_world_create(&def, alloc, &r->world, error);
    } else {
        lmbi_fail_memory(error);
    }
    lmbi_free(alloc, p.bodies);
    lmbi_free(alloc, p.shapes);
    lmbi_free(alloc, p.joints);
    return result;
}

lmb_result lmb_ragdoll_create(const lmb_ragdoll_set *set, const lmb_skeleton *skeleton,
                              const lmb_ragdoll_scene *scene, const lmb_allocator *alloc,
                              lmb_ragdoll **out, lmb_error *error)
{
    assert(set && set->bone_count > 0 && skeleton && out);
    static const lmb_ragdoll_scene empty = {0};
    scene = scene ? scene : &empty;
    lmb_ragdoll *r = lmbi_alloc(alloc, sizeof *r);
    if (!r) {
        return lmbi_fail_memory(error);
    }
    *r = (lmb_ragdoll){.set = set,
                       .skeleton = skeleton,
                       .gravity = scene->gravity,
                       .joint_friction = scene->joint_friction,
                       .allocator = alloc ? *alloc : (lmb_allocator){0}};
    if (!allocate(r, alloc)) {
        lmb_ragdoll_destroy(r);
        return lmbi_fail_memory(error);
    }
    find_roles(r);
    init_limbs(r);
    const lmb_result result = make_world(r, scene, alloc, error);
    if (result != LMB_OK) {
        lmb_ragdoll_destroy(r);
        return result;
    }
    *out = r;
    return LMB_OK;
}

void lmb_ragdoll_destroy(lmb_ragdoll *r)
{
    if (r) {
        const lmb_allocator alloc = r->allocator;
        lmb_world_destroy(r->world);
        void *const blocks[] = {r->limbs, r->role, r->below, r->rotations, r->model, r};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
            lmbi_free(&alloc, blocks[i]);
        }
    }
}

lmb_world *lmb_ragdoll_world(lmb_ragdoll *ragdoll)
{
    return ragdoll->world;
}

void lmb_ragdoll_set_balance(lmb_ragdoll *ragdoll, float hz, float most_weights)
{
    ragdoll->balance_hz = hz;
    ragdoll->balance_most = most_weights;
}

void lmb_ragdoll_set_drive(lmb_ragdoll *ragdoll, uint32_t bone, const lmb_ragdoll_drive *drive)
{
    assert(bone < ragdoll->set->bone_count);
    limb *l = &ragdoll->limbs[bone];
    if (l->drive.carried != drive->carried) {
        lmbi_world_set_moving(ragdoll->world, bone, !drive->carried);
    }
    l->drive = *drive;
}

// -------------------------------------------------------------------------------- poses to bodies

static lmb_mat4 root_or_identity(const lmb_mat4 *root)
{
    for (int k = 0; k < 16; ++k) {
        if (root->m[k] < 0 || root->m[k] > 0) {
            return *root;
        }
    }
    return lmb_mat4_identity();
}

/// Sets model matrices and rotations from a pose.
static void set_target_pose(lmb_ragdoll *r, const lmb_transform *local, const lmb_mat4 *root)
{
    lmb_transform top;
    lmb_mat4_decompose(*root, &top);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = r->skeleton, .local = local, .root = *root, .model_from_joint = r->model});
    find_rotations(r->skeleton, local, top.rotation, r->rotations);
}

/// State of a bone's body in the current target pose.
static lmb_rigid_state target_state(const lmb_ragdoll *r, uint32_t bone)
{
    const uint32_t joint = r->set->bones[bone].joint;
    const limb *l = &r->limbs[bone];
    return (lmb_rigid_state){.position = lmb_mat4_point(r->model[joint], l->body_in_joint),
                             .rotation = lmb_quat_normalize(lmb_quat_mul(
                                 r->rotations[joint], lmb_quat_conjugate(l->body_from_joint)))};
}

/// The same, translated so that its joint meets the parent body's current position.
static lmb_rigid_state attached_state(const lmb_ragdoll *r, uint32_t bone)
{
    lmb_rigid_state s = target_state(r, bone);
    const int32_t parent = r->set->bones[bone].parent;
    if (parent != LMB_NONE && !r->limbs[bone].drive.carried) {
        const lmb_rigid_state above = lmb_world_state(r->world, (uint32_t)parent);
        const limb *l = &r->limbs[bone];
        const lmb_vec3 at =
            lmb_vec3_add(above.position, lmb_quat_rotate(above.rotation, l->anchor));
        s.position = lmb_vec3_sub(at, lmb_quat_rotate(s.rotation, l->joint_in_body));
    }
    return s;
}

static lmb_vec3 angular_velocity(lmb_quat from, lmb_quat to, float dt_s)
{
    lmb_quat delta = lmb_quat_mul(to, lmb_quat_conjugate(from));
    delta = delta.w < 0 ? lmb_quat_make(-delta.x, -delta.y, -delta.z, -delta.w) : delta;
    const lmb_vec3 v = {delta.x, delta.y, delta.z};
    const float s = lmb_vec3_length(v);
    return s > 0 ? lmb_vec3_scale(v, 2.0f * lmb_atan2(s, delta.w) / (s * dt_s)) : v;
}

void lmb_ragdoll_set_pose(const lmb_ragdoll_set_pose_job *job)
{
    lmb_ragdoll *r = job->ragdoll;
    const lmb_mat4 root = root_or_identity(&job->root);
    const bool moved = job->before && job->dt_s > 0.0f;
    // The first round sets the bodies to the previous pose; the second takes velocities from the
    // difference.
    for (int round = moved ? 0 : 1; round < 2; ++round) {
        set_target_pose(r, round == 0 ? job->before : job->local, &root);
        for (uint32_t i = 0; i < r->set->bone_count; ++i) {
            const lmb_rigid_state before = lmb_world_state(r->world, i);
            lmb_rigid_state now = attached_state(r, i);
            if (round == 1 && moved) {
                now.velocity =
                    lmb_vec3_scale(lmb_vec3_sub(now.position, before.position), 1.0f / job->dt_s);
                now.spin = angular_velocity(before.rotation, now.rotation, job->dt_s);
            }
            lmb_world_set_state(r->world, i, &now);
            r->limbs[i].has_target = false;
        }
    }
}

// ---------------------------------------------------------------------------------------- driving

static void set_joint_motor(lmb_ragdoll *r, uint32_t bone, float dt_s)
{
    limb *l = &r->limbs[bone];
    const int32_t parent = r->set->bones[bone].parent;
    const float rate = 2.0f * LMB_PI * l->drive.hz;
    lmb_rigid_motor motor = friction_motor(r, l);
    if (l->drive.hz > 0.0f) {
        motor = (lmb_rigid_motor){.damping = 2.0f * rate * l->inertia,
                                  .stiffness = rate * rate * l->inertia,
                                  .most_torque = l->drive.most_torque};
    }
    if (l->drive.hz > 0.0f) {
        const lmb_quat above = target_state(r, (uint32_t)parent).rotation,
                       own = target_state(r, bone).rotation;
        motor.target = lmb_quat_normalize(
            lmb_quat_mul(lmb_quat_conjugate(lmb_quat_mul(above, l->parent_from_rest)),
                         lmb_quat_mul(own, l->body_from_joint)));
        if (l->has_target) {
            motor.angular_velocity = angular_velocity(l->target, motor.target, dt_s);
        }
        l->target = motor.target;
    }
    l->has_target = l->drive.hz > 0.0f;
    lmbi_world_set_motor(r->world, bone - 1, &motor);
}

/// Critically damped spring force and torque that pull the first body to its target.
static void apply_balance_force(lmb_ragdoll *r, float dt_s)
{
    const lmb_rigid_state now = lmb_world_state(r->world, 0), target = target_state(r, 0);
    // The frequency is limited by the frame rate.
    const float rate = fminf(2.0f * LMB_PI * r->balance_hz, 0.5f / dt_s);
    const float max_force = r->balance_most * r->mass * lmb_vec3_length(r->gravity);
    lmb_vec3 force = lmb_vec3_scale(lmb_vec3_sub(target.position, now.position), rate * rate);
    force = lmb_vec3_scale(lmb_vec3_mad(force, now.velocity, -2.0f * rate), r->mass);
    force = lmb_vec3_mad(force, r->gravity, -r->mass);
    const float size = lmb_vec3_length(force);
    if (size > max_force) {
        force = lmb_vec3_scale(force, max_force / size);
    }
    lmb_vec3 torque =
        lmb_vec3_scale(angular_velocity(now.rotation, target.rotation, 1), rate * rate);
    torque = lmb_vec3_scale(lmb_vec3_mad(torque, now.spin, -2.0f * rate), r->limbs[0].inertia);
    const float torque_size = lmb_vec3_length(torque);
    const float max_torque = 0.25f * max_force * (r->set->box.high.y - r->set->box.low.y);
    if (torque_size > max_torque) {
        torque = lmb_vec3_scale(torque, max_torque / torque_size);
    }
    lmbi_world_force(r->world, 0, force, torque);
}

static void apply_drives(lmb_ragdoll *r, float dt_s)
{
    for (uint32_t i = 0; i < r->set->bone_count; ++i) {
        if (r->limbs[i].drive.carried) {
            const lmb_rigid_state target = target_state(r, i);
            lmbi_world_carry(r->world, i, target.position, target.rotation, dt_s);
        } else if (i > 0) {
            set_joint_motor(r, i, dt_s);
        }
    }
    if (r->balance_hz > 0.0f && !r->limbs[0].drive.carried) {
        apply_balance_force(r, dt_s);
    }
}

// -------------------------------------------------------------------------------- bodies to poses

static bool is_simulated(const lmb_ragdoll *r, int32_t bone)
{
    return !r->limbs[bone].drive.carried;
}

/// The first body sets the character's position, loose ones that of their own joints.
static void write_position(const lmb_ragdoll_step_job *job, uint32_t joint, int32_t bone,
                           const lmb_mat4 *above)
{
    const lmb_ragdoll *r = job->ragdoll;
    const lmb_rigid_state s = lmb_world_state(r->world, (uint32_t)bone);
    const lmb_vec3 at =
        lmb_vec3_add(s.position, lmb_quat_rotate(s.rotation, r->limbs[bone].joint_in_body));
    lmb_mat4 parent_from_model;
    if (lmb_mat4_inverse_affine(*above, &parent_from_model)) {
        job->local[joint].translation = lmb_vec3_lerp(
            job->local[joint].translation, lmb_mat4_point(parent_from_model, at), job->weight);
    }
}

static void write_bone_rotation(const lmb_ragdoll_step_job *job, uint32_t joint, int32_t bone,
                                lmb_quat above)
{
    const lmb_ragdoll *r = job->ragdoll;
    const lmb_quat rotation = lmb_quat_mul(lmb_world_state(r->world, (uint32_t)bone).rotation,
                                           r->limbs[bone].body_from_joint);
    const lmb_quat local = lmb_quat_mul(lmb_quat_conjugate(above), rotation);
    job->local[joint].rotation =
        lmb_quat_slerp(job->local[joint].rotation, lmb_quat_normalize(local), job->weight);
}

static void write_between(const lmb_ragdoll_step_job *job, uint32_t joint)
{
    const lmb_transform rest = job->ragdoll->skeleton->rest[joint];
    lmb_transform *local = &job->local[joint];
    local->rotation = lmb_quat_slerp(local->rotation, rest.rotation, job->weight);
    local->translation = lmb_vec3_lerp(local->translation, rest.translation, job->weight);
}

static void write_pose(const lmb_ragdoll_step_job *job, const lmb_mat4 *root)
{
    const lmb_ragdoll *r = job->ragdoll;
    lmb_transform top;
    lmb_mat4_decompose(*root, &top);
    for (uint32_t j = 0; j < r->skeleton->joint_count; ++j) {
        const int32_t parent = r->skeleton->parents[j], role = r->role[j];
        const lmb_mat4 *above = parent == LMB_NONE ? root : &job->model_from_joint[parent];
        const lmb_quat rotation = parent == LMB_NONE ? top.rotation : r->rotations[parent];
        if (role >= 0 && is_simulated(r, role)) {
            write_bone_rotation(job, j, role, rotation);
            if (role == 0 || r->limbs[role].is_loose) {
                write_position(job, j, role, above);
            }
        } else if (role == BETWEEN && is_simulated(r, r->below[j])) {
            write_between(job, j);
        }
        job->model_from_joint[j] = lmb_mat4_mul(*above, lmb_mat4_from_transform(job->local[j]));
        r->rotations[j] = lmb_quat_normalize(lmb_quat_mul(rotation, job->local[j].rotation));
    }
}

void lmb_ragdoll_step(const lmb_ragdoll_step_job *job)
{
    lmb_ragdoll *r = job->ragdoll;
    const lmb_mat4 root = root_or_identity(&job->root);
    if (job->dt_s > 0.0f) {
        set_target_pose(r, job->local, &root);
        apply_drives(r, job->dt_s);
        lmb_world_step(r->world, job->dt_s);
    }
    write_pose(job, &root);
}
