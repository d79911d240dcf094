#include "render/scene.h"

#include <math.h>

// half field of view: a portrait lens, with little perspective
static const float half_view = 0.5f * 28.0f * LMB_PI / 180.0f;

static lmb_vec3 corner_of(lmb_box box, int k)
{
    return lmb_vec3_make(k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                         k & 4 ? box.high.z : box.low.z);
}

lmbi_camera lmbi_camera_frame(lmb_box box, float yaw_rad, float pitch_rad, float width,
                              float height)
{
    const float cp = lmb_cos(pitch_rad), sp = lmb_sin(pitch_rad);
    lmbi_camera camera;
    camera.forward = lmb_vec3_make(-lmb_sin(yaw_rad) * cp, -sp, -lmb_cos(yaw_rad) * cp);
    camera.right = lmb_vec3_normalize_or(lmb_vec3_cross(camera.forward, lmb_vec3_make(0, 1, 0)),
                                         lmb_vec3_make(1, 0, 0));
    camera.up = lmb_vec3_cross(camera.right, camera.forward);
    camera.center_x = 0.5f * width;
    camera.center_y = 0.5f * height;
    const float slope = lmb_tan(half_view), margin = 0.92f;
    camera.focal = 0.5f * fminf(width, height) / slope;
    const lmb_vec3 center = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    float distance = 1e-6f;
    for (int k = 0; k < 8; ++k) { // moves back until every corner is inside the margin
        const lmb_vec3 d = lmb_vec3_sub(corner_of(box, k), center);
        const float x =
            fabsf(lmb_vec3_dot(d, camera.right)) * camera.focal / (margin * camera.center_x);
        const float y =
            fabsf(lmb_vec3_dot(d, camera.up)) * camera.focal / (margin * camera.center_y);
        distance = fmaxf(distance, fmaxf(x, y) - lmb_vec3_dot(d, camera.forward));
    }
    camera.eye = lmb_vec3_mad(center, camera.forward, -distance);
    camera.near_z = 1e-3f * distance;
    return camera;
}

lmb_vec3 lmbi_camera_project(const lmbi_camera *camera, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(p, camera->eye);
    const float z = lmb_vec3_dot(d, camera->forward);
    if (!(z > camera->near_z)) {
        return lmb_vec3_make(0, 0, -1);
    }
    const float scale = camera->focal / z;
    return lmb_vec3_make(camera->center_x + lmb_vec3_dot(d, camera->right) * scale,
                         camera->center_y - lmb_vec3_dot(d, camera->up) * scale, z);
}

lmb_vec3 lmbi_camera_ray(const lmbi_camera *camera, float x, float y)
{
    const lmb_vec3 across = lmb_vec3_scale(camera->right, (x - camera->center_x) / camera->focal);
    return lmb_vec3_add(lmb_vec3_mad(across, camera->up, (camera->center_y - y) / camera->focal),
                        camera->forward);
}
