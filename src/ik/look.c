/// A gaze shared by several joints.
#include "ik/turn.h"
#include "limber/ik.h"

/// A link as it stands, model space.
typedef struct gaze_link {
    lmb_quat frame; ///< of the parent
    lmb_quat turn;
    lmb_vec3 place;
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

static void set_up(gaze *g, const lmb_ik_look_job *job)
{
    g->job = job;
    for (uint32_t i = 0; i < job->link_count; ++i) {
        const uint32_t joint = job->links[i].joint;
        g->given[i] = g->local[i] = job->local[joint].rotation;
        g->links[i].frame = rotation_of(job, job->skeleton->parents[joint]);
        g->links[i].turn = lmbi_turn_mul(g->links[i].frame, g->given[i]);
        g->links[i].place = lmb_mat4_translation(job->model_from_joint[joint]);
    }
    const uint32_t last = job->links[job->link_count - 1].joint;
    const lmb_vec3 forward = lmb_vec3_normalize_or(job->forward, lmb_vec3_make(0, 0, 1));
    g->eye = lmb_mat4_point(job->model_from_joint[last], job->offset);
    g->ray = lmbi_turn_vector(g->links[job->link_count - 1].turn, forward);
}

/// The turn about a link's place that puts the ray on the target, as aim.c.
static lmb_quat whole_turn(const gaze *g, uint32_t i)
{
    const lmb_vec3 arm = lmb_vec3_sub(g->eye, g->links[i].place),
                   way = lmb_vec3_sub(g->job->target, g->links[i].place);
    const float along = lmb_vec3_dot(arm, g->ray), square = lmb_vec3_dot(way, way);
    const float under = along * along - lmb_vec3_dot(arm, arm) + square;
    const lmb_vec3 point = lmb_vec3_mad(arm, g->ray, (under > 0.0f ? sqrtf(under) : 0.0f) - along);
    return lmbi_turn_between(lmb_vec3_normalize_or(point, g->ray),
                             lmb_vec3_normalize_or(way, g->ray));
}

/// At most `most` of a rotation.
static lmb_quat shorten(lmb_quat q, float most)
{
    const lmb_vec3 v = lmbi_turn_log(q);
    const float angle = sqrtf(lmb_vec3_dot(v, v));
    return angle > most ? lmb_quat_axis_angle(lmb_vec3_scale(v, 1.0f / angle), most) : q;
}

static const lmb_joint_limit *limit_of(const lmb_ik_look_job *job, uint32_t joint)
{
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits ? job->limits : job->skeleton->limits);
    return limits ? &limits[joint] : NULL;
}

/// Turns a link by a share of what is missing, as far as it can, and takes what is below along.
static void turn_link(gaze *g, uint32_t i, float share)
{
    const lmb_ik_look_job *job = g->job;
    const lmb_ik_look_link *link = &job->links[i];
    const lmb_vec3 missing = lmb_vec3_scale(lmbi_turn_log(whole_turn(g, i)), share);
    const float angle = sqrtf(lmb_vec3_dot(missing, missing));
    const lmb_quat part =
        lmb_quat_axis_angle(lmb_vec3_normalize_or(missing, lmb_vec3_make(0, 1, 0)), angle);
    lmb_quat local =
        lmbi_turn_mul(lmb_quat_conjugate(g->links[i].frame), lmbi_turn_mul(part, g->links[i].turn));
    if (link->cone_rad > 0.0f) {
        const lmb_quat since = lmbi_turn_mul(local, lmb_quat_conjugate(g->given[i]));
        local = lmbi_turn_mul(shorten(since, link->cone_rad), g->given[i]);
    }
    const lmb_joint_limit *limit = limit_of(job, link->joint);
    if (limit) {
        const lmb_quat rest = job->skeleton->rest[link->joint].rotation;
        local = lmbi_turn_mul(
            rest, lmb_joint_limit_turn(limit, lmbi_turn_mul(lmb_quat_conjugate(rest), local)));
    }
    g->local[i] = lmb_quat_normalize(local);
    const lmb_quat turn = lmbi_turn_mul(g->links[i].frame, g->local[i]);
    const lmb_quat moved = lmbi_turn_mul(turn, lmb_quat_conjugate(g->links[i].turn));
    const lmb_vec3 place = g->links[i].place;
    g->links[i].turn = turn;
    for (uint32_t k = i + 1; k < job->link_count; ++k) {
        g->links[k].frame = lmbi_turn_mul(moved, g->links[k].frame);
        g->links[k].turn = lmbi_turn_mul(moved, g->links[k].turn);
        g->links[k].place =
            lmb_vec3_add(place, lmbi_turn_vector(moved, lmb_vec3_sub(g->links[k].place, place)));
    }
    g->eye = lmb_vec3_add(place, lmbi_turn_vector(moved, lmb_vec3_sub(g->eye, place)));
    g->ray = lmb_vec3_normalize_or(lmbi_turn_vector(moved, g->ray), g->ray);
}

static float left_angle(const gaze *g)
{
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(g->job->target, g->eye), g->ray);
    const lmb_vec3 across = lmb_vec3_cross(g->ray, way);
    return lmb_atan2(sqrtf(lmb_vec3_dot(across, across)), lmb_vec3_dot(g->ray, way));
}

/// One pass from the trunk to the eye: of n links that are left, one takes its weight in theirs.
static void sweep(gaze *g)
{
    float left = 0.0f;
    for (uint32_t i = 0; i < g->job->link_count; ++i) {
        left += g->job->links[i].weight;
    }
    for (uint32_t i = 0; i < g->job->link_count; ++i) {
        const float weight = g->job->links[i].weight;
        if (weight > 0.0f) {
            turn_link(g, i, weight < left ? weight / left : 1.0f);
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
    set_up(&g, job);
    for (int pass = 0; pass < 4; ++pass) {
        sweep(&g);
        if (left_angle(&g) < 1e-4f) {
            break;
        }
    }
    const float weight = job->weight < 0.0f ? 0.0f : (job->weight > 1.0f ? 1.0f : job->weight);
    for (uint32_t i = 0; i < job->link_count; ++i) {
        lmb_quat *rotation = &job->local[job->links[i].joint].rotation;
        *rotation = weight >= 1.0f ? g.local[i] : lmb_quat_nlerp(*rotation, g.local[i], weight);
    }
    return left_angle(&g);
}
