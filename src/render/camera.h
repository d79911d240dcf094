/// A perspective camera that frames a box.
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "limber/math.h"

typedef struct lmbi_camera {
    lmb_vec3 eye;
    lmb_vec3 right, up, forward; ///< orthonormal, world space; forward is the viewing direction
    float focal;                 ///< samples per unit of slope
    float center_x, center_y;    ///< samples
    float near_z;
} lmbi_camera;

/// Orbits the box's centre at yaw and pitch, as close as keeps the whole box in width x height
/// samples.
lmbi_camera lmbi_camera_frame(lmb_box box, float yaw_rad, float pitch_rad, float width,
                              float height);
/// Sample coordinates in x and y, depth along forward in z.
lmb_vec3 lmbi_camera_project(const lmbi_camera *camera, lmb_vec3 p);
/// Ray direction through a sample, with unit component along forward.
lmb_vec3 lmbi_camera_ray(const lmbi_camera *camera, float x, float y);

#endif
