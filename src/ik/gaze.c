/// A gaze with memory. The state is a rotation vector from the pose's own gaze direction, in the
/// frame of the trunk. In that disc the path from one side to the other leads through the front,
/// never through the back of the head.
#include "limber/ik.h"
#include "math/quat_inline.h"
#include "math/spring.h"

typedef struct view {
    lmb_quat trunk;    ///< model from the frame of the state
    lmb_vec3 eye, ray; ///< model space
    float distance;
    lmb_vec3 rotation; ///< in the trunk: from the ray to the target
} view;

static float or_default(float given, float usual)
{
    return given > 0.0f ? given : usual;
}

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
    const float reach = or_default(job->reach_rad, 1.9f), angle = lmb_vec3_length(s->rotation);
    const float margin = or_default(job->margin_rad, 0.35f);
    const lmb_vec3 side = job->memory->side;
    if (angle > LMB_PI - margin && lmb_vec3_dot(side, side) > 0.0f) {
        return lmb_vec3_scale(side, reach / lmb_vec3_length(side));
    }
    return angle > reach ? lmb_vec3_scale(s->rotation, reach / angle) : s->rotation;
}

static void step_spring(const lmb_ik_gaze_job *job, lmb_vec3 goal)
{
    lmb_ik_gaze *m = job->memory;
    const float dt = job->dt_s, rate = 2 * LMB_PI * or_default(job->speed_hz, 1.5f),
                most = or_default(job->most_rad_s, 8.0f) * dt;
    lmb_vec3 off = lmb_vec3_sub(m->turn, goal);
    lmbi_spring_decay3(&off, &m->velocity, lmbi_spring_decay_make(rate, dt));
    lmb_vec3 step = lmb_vec3_sub(lmb_vec3_add(goal, off), m->turn);
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
    const view s = find_view(look);
    const lmb_vec3 wanted = choose_rotation(job, &s);
    if (job->dt_s > 0.0f) {
        job->memory->side = wanted;
        step_spring(job, wanted);
    }
    const lmb_vec3 rotation = lmbi_quat_rotate(s.trunk, job->memory->turn);
    const float angle = lmb_vec3_length(rotation);
    const lmb_quat whole = lmb_quat_axis_angle(
        lmb_vec3_normalize_or(rotation, lmb_vec3_make(0, 1, 0)), angle < LMB_PI ? angle : LMB_PI);
    lmb_ik_look_job aimed = *look;
    aimed.target = lmb_vec3_mad(s.eye, lmbi_quat_rotate(whole, s.ray), s.distance);
    const float left = lmb_ik_look(&aimed);
    const float short_of = lmb_vec3_length(lmb_vec3_sub(job->memory->turn, s.rotation));
    return left + short_of;
}
