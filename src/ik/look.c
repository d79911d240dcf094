/// A gaze distributed over several joints.
#include "ik/quat_inline.h"
#include "limber/ik.h"

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
            rest, lmb_joint_limit_clamp(limit, lmbi_quat_mul(lmb_quat_conjugate(rest), local)));
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
        *rotation = weight >= 1.0f ? g.local[i] : lmb_quat_nlerp(*rotation, g.local[i], weight);
    }
    return remaining_angle(&g);
}
