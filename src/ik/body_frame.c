/// Rotation vectors, forward kinematics, axes and screws.
#include "asset/asset.h"
#include "ik/full_body.h"

#include <math.h>
#include <string.h>

lmb_vec3 lmbi_rotation_log(lmb_quat q)
{
    const lmb_vec3 v = lmb_vec3_make(q.x, q.y, q.z);
    const float sine = lmb_vec3_length(v), sign = q.w < 0.0f ? -1.0f : 1.0f;
    // The limit of 2 atan(s / w) / s at s = 0 is 2 / w.
    const float scale =
        sine > 1e-4f ? 2.0f * lmb_atan2(sine, sign * q.w) / sine : 2.0f / (sign * q.w);
    return lmb_vec3_scale(v, sign * scale);
}

lmb_quat lmbi_rotation_exp(lmb_vec3 v)
{
    const float half2 = 0.25f * lmb_vec3_dot(v, v);
    if (half2 < 0.01f) {
        // sin(x) / x and cos(x) to x^6: exact to rounding for x < 0.1.
        const float s = 0.5f * (1.0f - half2 * (1.0f / 6.0f - half2 * (1.0f / 120.0f)));
        const float w = 1.0f - half2 * (0.5f - half2 * (1.0f / 24.0f - half2 * (1.0f / 720.0f)));
        return lmb_quat_make(v.x * s, v.y * s, v.z * s, w);
    }
    const float half = lmb_sqrt(half2), s = 0.5f * lmb_sin(half) / half;
    return lmb_quat_make(v.x * s, v.y * s, v.z * s, lmb_cos(half));
}

lmb_vec3 lmbi_rotation_from(lmb_quat reference, lmb_quat q)
{
    return lmbi_rotation_log(lmbi_quat_mul(lmb_quat_conjugate(reference), q));
}

/// I + [r] / 2 + (1 / t^2 - cot(t / 2) / 2t) [r]^2, t = |r|.
void lmbi_log_jacobian(lmb_vec3 r, float out[9])
{
    const float t2 = lmb_vec3_dot(r, r), t = lmb_sqrt(t2);
    // 1/12 + t^2/720 for small angles, where the difference cancels.
    const float c = t < 0.3f ? 1.0f / 12.0f + t2 * (1.0f / 720.0f + t2 / 30240.0f)
                             : 1.0f / t2 - lmb_cos(0.5f * t) / (2.0f * t * lmb_sin(0.5f * t));
    const float x = r.x, y = r.y, z = r.z;
    const float m[9] = {
        1.0f - c * (y * y + z * z), c * x * y - 0.5f * z,       c * x * z + 0.5f * y,
        c * x * y + 0.5f * z,       1.0f - c * (x * x + z * z), c * y * z - 0.5f * x,
        c * x * z - 0.5f * y,       c * y * z + 0.5f * x,       1.0f - c * (x * x + y * y),
    };
    memcpy(out, m, sizeof(m));
}

void lmbi_body_frames(const lmbi_body_solver *body, lmbi_node_pose *frames)
{
    const lmb_transform *local = body->job->local;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        lmbi_node_pose *f = &frames[n];
        if (n == 0) {
            f->model =
                lmb_quat_normalize(lmbi_quat_mul(body->model_from_parent.rotation, f->local));
            f->scale = lmb_vec3_mul(body->model_from_parent.scale, local[node->joint].scale);
            continue;
        }
        const lmbi_node_pose *parent = &frames[node->parent];
        f->model = lmb_quat_normalize(lmbi_quat_mul(parent->model, f->local));
        f->position = lmb_vec3_add(
            parent->position,
            lmbi_quat_rotate(parent->model,
                             lmb_vec3_mul(parent->scale, local[node->joint].translation)));
        f->scale = lmb_vec3_mul(parent->scale, local[node->joint].scale);
    }
}

void lmbi_body_axes(lmbi_body_solver *body)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        lmb_vec3 *axes = body->axes + node->freedom;
        if (node->freedom_count == 1) {
            axes[0] = node->limit->axis;
        } else if (node->freedom_count == 3) {
            axes[0] = lmb_vec3_make(1, 0, 0);
            axes[1] = lmb_vec3_make(0, 1, 0);
            axes[2] = lmb_vec3_make(0, 0, 1);
        }
        lmbi_body_screws(body, n);
    }
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        const float unit[5] = {0, 0, 1, 0, 0};
        const uint32_t k = i - body->root_freedom;
        body->screws[i] = (lmbi_screw){{0, 0, 0}, {unit[2 - k], unit[3 - k], unit[4 - k]}};
    }
}

void lmbi_body_screws(lmbi_body_solver *body, uint32_t n)
{
    const lmbi_node *node = &body->nodes[n];
    const lmbi_node_pose *f = &body->now[n];
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        const lmb_vec3 a = lmbi_quat_rotate(f->model, body->axes[i]);
        body->screws[i] = (lmbi_screw){a, lmb_vec3_cross(f->position, a)};
    }
}

lmb_vec3 lmbi_root_local(const lmbi_body_solver *body, lmb_vec3 position)
{
    const lmb_vec3 offset = lmb_vec3_sub(lmb_vec3_add(body->origin, position),
                                         body->model_from_parent.translation),
                   scale = body->model_from_parent.scale;
    const lmb_vec3 back =
        lmbi_quat_rotate(lmb_quat_conjugate(body->model_from_parent.rotation), offset);
    if (!(fabsf(scale.x * scale.y * scale.z) > 0.0f)) {
        return body->job->local[body->job->root].translation;
    }
    return lmb_vec3_make(back.x / scale.x, back.y / scale.y, back.z / scale.z);
}

void lmbi_body_clamp_root(lmbi_body_solver *body)
{
    const lmbi_node *node = &body->nodes[0];
    if (node->limit == NULL || !node->limit->has_box) {
        return;
    }
    lmb_transform local = lmb_transform_identity();
    local.translation = lmbi_root_local(body, body->trial[0].position);
    local = lmbi_joint_limit_apply(node->limit, body->job->skeleton->rest[node->joint], local);
    body->trial[0].position =
        lmb_vec3_sub(lmb_transform_point(body->model_from_parent, local.translation), body->origin);
}

lmb_vec3 lmbi_root_offset(const lmbi_body_solver *body, const lmbi_node_pose *frames)
{
    const lmb_vec3 before = lmb_transform_point(body->model_from_parent,
                                                body->job->previous[body->job->root].translation);
    return lmb_vec3_scale(lmb_vec3_sub(frames[0].position, lmb_vec3_sub(before, body->origin)),
                          1.0f / body->reach);
}
