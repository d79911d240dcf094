/// The cost: weighted sum of squares of the goals, the rest term and the smoothness term.
#include "ik/full_body.h"

static float pose_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames)
{
    const lmb_ik_full_body_job *job = body->job;
    const lmb_transform *rest = job->rest != NULL ? job->rest : job->skeleton->rest;
    const bool smooth = job->previous != NULL && job->smooth_weight > 0.0f;
    float sum = 0.0f;
    for (uint32_t n = 0; n < body->node_count && (smooth || job->rest_weight > 0.0f); ++n) {
        const lmbi_node *node = &body->nodes[n];
        if (job->rest_weight > 0.0f && node->freedom_count > 0) {
            const lmb_vec3 r = lmbi_rotation_from(rest[node->joint].rotation, frames[n].local);
            sum += job->rest_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
        if (smooth && node->freedom_count > 0) {
            const lmb_vec3 r =
                lmbi_rotation_from(job->previous[node->joint].rotation, frames[n].local);
            sum += job->smooth_weight * node->stiffness * lmb_vec3_dot(r, r);
        }
    }
    if (smooth && !job->pinned) {
        const lmb_vec3 r = lmbi_root_offset(body, frames);
        sum += job->smooth_weight * lmb_vec3_dot(r, r);
    }
    return sum;
}

float lmbi_body_cost(const lmbi_body_solver *body, const lmbi_node_pose *frames, float *worst)
{
    const lmb_ik_full_body_job *job = body->job;
    float sum = 0.0f, largest = 0.0f;
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        if (body->use[g]) {
            float r[3];
            lmbi_goal_residual(body, &job->goals[g], frames, r);
            const float square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            sum += lmbi_goal_weight(&job->goals[g]) * square;
            largest = square > largest ? square : largest;
        }
    }
    *worst = lmb_sqrt(largest);
    return sum + pose_cost(body, frames);
}
