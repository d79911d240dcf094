/// A gaze distributed over several joints, without and with memory.
#include "asset/asset.h"
#include "limber/ik.h"
#include "math/math.h"
#include "math/quat_inline.h"
#include "math/scalar.h"
#include "math/spring.h"

/// Current state of a link, model space.
typedef struct gaze_link {
    lmb_quat frame; ///< rotation of the parent
    lmb_quat rotation;
    lmb_vec3 position;
} gaze_link;

typedef struct gaze {
    const lmb_ik_look_job *job;
    gaze_link links[LMB_LOOK_LINKS];
    lmb_quat given[LMB_LOOK_LINKS], local[LMB_LOOK_LINKS];
    lmb_vec3 eye, ray; ///< model space
} gaze;

static lmb_quat rotation_of(const lmb_ik_look_job *job, int32_t joint)
{
    lmb_transform t = lmb_transform_identity();
    if (joint != LMB_NONE) {
        lmb_mat4_decompose(job->model_from_joint[joint], &t);
    }
    return t.rotation;
}

static void read_links(gaze *g, const lmb_ik_look_job *job)
{
    g->job = job;
    for (uint32_t i = 0; i < job->link_count; ++i) {
        const uint32_t joint = job->links[i].joint;
        g->given[i] = g->local[i] = job->local[joint].rotation;
        g->links[i].frame = rotation_of(job, job->skeleton->parents[joint]);
        g->links[i].rotation = lmbi_quat_mul(g->links[i].frame, g->given[i]);
        g->links[i].position = lmb_mat4_translation(job->model_from_joint[joint]);
    }
    const uint32_t last = job->links[job->link_count - 1].joint;
    const lmb_vec3 forward = lmb_vec3_normalize_or(job->forward, lmb_vec3_make(0, 0, 1));
    g->eye = lmb_mat4_point(job->model_from_joint[last], job->offset);
    g->ray = lmbi_quat_rotate(g->links[job->link_count - 1].rotation, forward);
}

/// Rotation about a link's position that puts the ray on the target, as in aim.c.
static lmb_quat rotation_to_target(const gaze *g, uint32_t i)
{
    const lmb_vec3 arm = lmb_vec3_sub(g->eye, g->links[i].position),
                   to_target = lmb_vec3_sub(g->job->target, g->links[i].position);
    const float along = lmb_vec3_dot(arm, g->ray), square = lmb_vec3_dot(to_target, to_target);
    const float under = along * along - lmb_vec3_dot(arm, arm) + square;
    const lmb_vec3 point = lmb_vec3_mad(arm, g->ray, (under > 0.0f ? sqrtf(under) : 0.0f) - along);
    return lmbi_quat_between(lmb_vec3_normalize_or(point, g->ray),
                             lmb_vec3_normalize_or(to_target, g->ray));
}

/// Clamps a rotation's angle to `most`.
static lmb_quat clamp_angle(lmb_quat q, float most)
{
    const lmb_vec3 v = lmbi_quat_rotation_vector(q);
    const float angle = sqrtf(lmb_vec3_dot(v, v));
    return angle > most ? lmb_quat_axis_angle(lmb_vec3_scale(v, 1.0f / angle), most) : q;
}

static const lmb_joint_limit *limit_of(const lmb_ik_look_job *job, uint32_t joint)
{
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits ? job->limits : job->skeleton->limits);
    return limits ? &limits[joint] : NULL;
}

/// Rotates a link by `fraction` of the missing rotation, within its cone and limit, and moves
/// everything below.
static void rotate_link(gaze *g, uint32_t i, float fraction)
{
    const lmb_ik_look_job *job = g->job;
    const lmb_ik_look_link *link = &job->links[i];
    const lmb_vec3 missing =
        lmb_vec3_scale(lmbi_quat_rotation_vector(rotation_to_target(g, i)), fraction);
    const float angle = sqrtf(lmb_vec3_dot(missing, missing));
    const lmb_quat part =
        lmb_quat_axis_angle(lmb_vec3_normalize_or(missing, lmb_vec3_make(0, 1, 0)), angle);
    lmb_quat local = lmbi_quat_mul(lmb_quat_conjugate(g->links[i].frame),
                                   lmbi_quat_mul(part, g->links[i].rotation));
    if (link->cone_rad > 0.0f) {
        const lmb_quat since = lmbi_quat_mul(local, lmb_quat_conjugate(g->given[i]));
        local = lmbi_quat_mul(clamp_angle(since, link->cone_rad), g->given[i]);
    }
    const lmb_joint_limit *limit = limit_of(job, link->joint);
    if (limit) {
        const lmb_quat rest = job->skeleton->rest[link->joint].rotation;
        local = lmbi_quat_mul(
            rest, lmbi_joint_limit_clamp(limit, lmbi_quat_mul(lmb_quat_conjugate(rest), local)));
    }
    g->local[i] = lmb_quat_normalize(local);
    const lmb_quat rotation = lmbi_quat_mul(g->links[i].frame, g->local[i]);
    const lmb_quat moved = lmbi_quat_mul(rotation, lmb_quat_conjugate(g->links[i].rotation));
    const lmb_vec3 position = g->links[i].position;
    g->links[i].rotation = rotation;
    for (uint32_t k = i + 1; k < job->link_count; ++k) {
        g->links[k].frame = lmbi_quat_mul(moved, g->links[k].frame);
        g->links[k].rotation = lmbi_quat_mul(moved, g->links[k].rotation);
        g->links[k].position = lmb_vec3_add(
            position, lmbi_quat_rotate(moved, lmb_vec3_sub(g->links[k].position, position)));
    }
    g->eye = lmb_vec3_add(position, lmbi_quat_rotate(moved, lmb_vec3_sub(g->eye, position)));
    g->ray = lmb_vec3_normalize_or(lmbi_quat_rotate(moved, g->ray), g->ray);
}

static float remaining_angle(const gaze *g)
{
    const lmb_vec3 to_target = lmb_vec3_normalize_or(lmb_vec3_sub(g->job->target, g->eye), g->ray);
    const lmb_vec3 across = lmb_vec3_cross(g->ray, to_target);
    return lmb_atan2(sqrtf(lmb_vec3_dot(across, across)), lmb_vec3_dot(g->ray, to_target));
}

/// One pass from the trunk to the eye. Each link takes its weight's fraction of the weight not yet
/// used.
static void sweep(gaze *g)
{
    float left = 0.0f;
    for (uint32_t i = 0; i < g->job->link_count; ++i) {
        left += g->job->links[i].weight;
    }
    for (uint32_t i = 0; i < g->job->link_count; ++i) {
        const float weight = g->job->links[i].weight;
        if (weight > 0.0f) {
            rotate_link(g, i, weight < left ? weight / left : 1.0f);
        }
        left -= weight;
    }
}

float lmb_ik_look(const lmb_ik_look_job *job)
{
    gaze g;
    if (job->link_count == 0 || job->link_count > LMB_LOOK_LINKS ||
        !lmb_vec3_is_finite(job->target)) {
        return 0.0f;
    }
    read_links(&g, job);
    for (int pass = 0; pass < 4; ++pass) {
        sweep(&g);
        if (remaining_angle(&g) < 1e-4f) {
            break;
        }
    }
    const float weight = job->weight < 0.0f ? 0.0f : (job->weight > 1.0f ? 1.0f : job->weight);
    for (uint32_t i = 0; i < job->link_count; ++i) {
        lmb_quat *rotation = &job->local[job->links[i].joint].rotation;
        *rotation = weight >= 1.0f ? g.local[i] : lmbi_quat_nlerp(*rotation, g.local[i], weight);
    }
    return remaining_angle(&g);
}

// ------------------------------------------------------------------------------ a gaze with memory
// The state is a rotation vector from the pose's own gaze direction, in the
// frame of the trunk. In that disc the path from one side to the other leads through the front,
// never through the back of the head.

typedef struct view {
    lmb_quat trunk;    ///< model from the frame of the state
    lmb_vec3 eye, ray; ///< model space
    float distance;
    lmb_vec3 rotation; ///< in the trunk: from the ray to the target
} view;

static view find_view(const lmb_ik_look_job *look)
{
    const uint32_t first = look->links[0].joint, last = look->links[look->link_count - 1].joint;
    const int32_t parent = look->skeleton->parents[first];
    const lmb_vec3 forward = lmb_vec3_normalize_or(look->forward, lmb_vec3_make(0, 0, 1));
    view s = {.trunk = lmb_quat_identity()};
    if (parent != LMB_NONE) {
        s.trunk = lmbi_mat4_rotation(look->model_from_joint[parent]);
    }
    s.eye = lmb_mat4_point(look->model_from_joint[last], look->offset);
    s.ray = lmbi_quat_rotate(lmbi_mat4_rotation(look->model_from_joint[last]), forward);
    const lmb_vec3 to_target = lmb_vec3_sub(look->target, s.eye);
    s.distance = lmb_vec3_length(to_target);
    const lmb_quat rotation = lmbi_quat_between(s.ray, lmb_vec3_normalize_or(to_target, s.ray));
    s.rotation = lmbi_quat_rotate(lmb_quat_conjugate(s.trunk), lmbi_quat_rotation_vector(rotation));
    return s;
}

/// The rotation to aim at, clamped to the reach. While the target is nearly straight behind, it
/// stays on the previous side.
static lmb_vec3 choose_rotation(const lmb_ik_gaze_job *job, const view *s)
{
    const float reach = lmbi_or_default(job->reach_rad, 1.9f), angle = lmb_vec3_length(s->rotation);
    const float margin = lmbi_or_default(job->margin_rad, 0.35f);
    const lmb_vec3 side = job->memory->side;
    if (angle > LMB_PI - margin && lmb_vec3_dot(side, side) > 0.0f) {
        return lmb_vec3_scale(side, reach / lmb_vec3_length(side));
    }
    return angle > reach ? lmb_vec3_scale(s->rotation, reach / angle) : s->rotation;
}

static void step_spring(const lmb_ik_gaze_job *job, lmb_vec3 goal)
{
    lmb_ik_gaze *m = job->memory;
    const float dt = job->dt_s, rate = 2 * LMB_PI * lmbi_or_default(job->speed_hz, 1.5f),
                most = lmbi_or_default(job->most_rad_s, 8.0f) * dt;
    lmb_vec3 off = lmb_vec3_sub(m->rotation, goal);
    lmbi_spring_decay3(&off, &m->velocity, lmbi_spring_decay_make(rate, dt));
    lmb_vec3 step = lmb_vec3_sub(lmb_vec3_add(goal, off), m->rotation);
    const float length = lmb_vec3_length(step);
    if (length > most) {
        step = lmb_vec3_scale(step, most / length);
        m->velocity = lmb_vec3_scale(step, 1.0f / dt);
    }
    m->rotation = lmb_vec3_add(m->rotation, step);
}

float lmb_ik_gaze_step(const lmb_ik_gaze_job *job)
{
    const lmb_ik_look_job *look = &job->look;
    if (look->link_count == 0 || look->link_count > LMB_LOOK_LINKS ||
        !lmb_vec3_is_finite(look->target)) {
        return 0.0f;
    }
    const view s = find_view(look);
    const lmb_vec3 wanted = choose_rotation(job, &s);
    if (job->dt_s > 0.0f) {
        job->memory->side = wanted;
        step_spring(job, wanted);
    }
    const lmb_vec3 rotation = lmbi_quat_rotate(s.trunk, job->memory->rotation);
    const float angle = lmb_vec3_length(rotation);
    const lmb_quat whole = lmb_quat_axis_angle(
        lmb_vec3_normalize_or(rotation, lmb_vec3_make(0, 1, 0)), angle < LMB_PI ? angle : LMB_PI);
    lmb_ik_look_job aimed = *look;
    aimed.target = lmb_vec3_mad(s.eye, lmbi_quat_rotate(whole, s.ray), s.distance);
    const float left = lmb_ik_look(&aimed);
    const float short_of = lmb_vec3_length(lmb_vec3_sub(job->memory->rotation, s.rotation));
    return left + short_of;
}
