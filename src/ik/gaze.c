/// A gaze with memory. What it remembers is a rotation vector from where the pose looks, in the
/// frame of the trunk: in that flat disc the way from one side to the other leads through the
/// front, never through the back of the head.
#include "ik/turn.h"
#include "limber/ik.h"

typedef struct seen {
    lmb_quat trunk;    ///< model from the frame that the memory is in
    lmb_vec3 eye, ray; ///< model space
    float distance;
    lmb_vec3 turn; ///< in the trunk: from the ray to the target
} seen;

static float or_else(float given, float usual)
{
    return given > 0.0f ? given : usual;
}

static lmb_quat rotation_of(lmb_mat4 m)
{
    lmb_transform t;
    lmb_mat4_decompose(m, &t);
    return t.rotation;
}

static seen look_round(const lmb_ik_look_job *look)
{
    const uint32_t first = look->links[0].joint, last = look->links[look->link_count - 1].joint;
    const int32_t parent = look->skeleton->parents[first];
    const lmb_vec3 forward = lmb_vec3_normalize_or(look->forward, lmb_vec3_make(0, 0, 1));
    seen s = {.trunk = lmb_quat_identity()};
    if (parent != LMB_NONE) {
        s.trunk = rotation_of(look->model_from_joint[parent]);
    }
    s.eye = lmb_mat4_point(look->model_from_joint[last], look->offset);
    s.ray = lmbi_turn_vector(rotation_of(look->model_from_joint[last]), forward);
    const lmb_vec3 way = lmb_vec3_sub(look->target, s.eye);
    s.distance = lmb_vec3_length(way);
    const lmb_quat turn = lmbi_turn_between(s.ray, lmb_vec3_normalize_or(way, s.ray));
    s.turn = lmbi_turn_vector(lmb_quat_conjugate(s.trunk), lmbi_turn_log(turn));
    return s;
}

/// The turn to aim at: within reach, and on the side where it was while the target is about
/// straight behind.
static lmb_vec3 wanted_turn(const lmb_ik_gaze_job *job, const seen *s)
{
    const float reach = or_else(job->reach_rad, 1.9f), angle = lmb_vec3_length(s->turn);
    const float margin = or_else(job->margin_rad, 0.35f);
    const lmb_vec3 side = job->memory->side;
    if (angle > LMB_PI - margin && lmb_vec3_dot(side, side) > 0.0f) {
        return lmb_vec3_scale(side, reach / lmb_vec3_length(side));
    }
    return angle > reach ? lmb_vec3_scale(s->turn, reach / angle) : s->turn;
}

/// A critically damped spring, solved exactly: x'' + 2 w x' + w^2 (x - goal) = 0.
static void follow(const lmb_ik_gaze_job *job, lmb_vec3 goal)
{
    lmb_ik_gaze *m = job->memory;
    const float w = 2 * LMB_PI * or_else(job->speed_hz, 1.5f), dt = job->dt_s;
    const float fade = lmb_exp(-w * dt), most = or_else(job->most_rad_s, 8.0f) * dt;
    const lmb_vec3 off = lmb_vec3_sub(m->turn, goal);
    const lmb_vec3 push = lmb_vec3_mad(m->velocity, off, w);
    const lmb_vec3 next = lmb_vec3_mad(goal, lmb_vec3_mad(off, push, dt), fade);
    lmb_vec3 step = lmb_vec3_sub(next, m->turn);
    m->velocity = lmb_vec3_scale(lmb_vec3_mad(m->velocity, push, -w * dt), fade);
    const float length = lmb_vec3_length(step);
    if (length > most) {
        step = lmb_vec3_scale(step, most / length);
        m->velocity = lmb_vec3_scale(step, 1.0f / dt);
    }
    m->turn = lmb_vec3_add(m->turn, step);
}

float lmb_ik_gaze_step(const lmb_ik_gaze_job *job)
{
    const lmb_ik_look_job *look = &job->look;
    if (look->link_count == 0 || look->link_count > LMB_LOOK_LINKS ||
        !lmb_vec3_is_finite(look->target)) {
        return 0.0f;
    }
    const seen s = look_round(look);
    const lmb_vec3 wanted = wanted_turn(job, &s);
    if (job->dt_s > 0.0f) {
        job->memory->side = wanted;
        follow(job, wanted);
    }
    const lmb_vec3 turn = lmbi_turn_vector(s.trunk, job->memory->turn);
    const float angle = lmb_vec3_length(turn);
    const lmb_quat whole = lmb_quat_axis_angle(lmb_vec3_normalize_or(turn, lmb_vec3_make(0, 1, 0)),
                                               angle < LMB_PI ? angle : LMB_PI);
    lmb_ik_look_job aimed = *look;
    aimed.target = lmb_vec3_mad(s.eye, lmbi_turn_vector(whole, s.ray), s.distance);
    const float left = lmb_ik_look(&aimed);
    const float short_of = lmb_vec3_length(lmb_vec3_sub(job->memory->turn, s.turn));
    return left + short_of;
}
