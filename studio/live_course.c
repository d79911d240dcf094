/// The ground that a steered character walks on.
#include "live_play.h"

#include <math.h>

// Metres for a body of 1.75 m: up a ramp of 11 degrees, along a landing, down three steps.
static const float outline[COURSE_POINTS][2] = {
    {2.0f, 0},      {4.6f, 0.51f}, {6.0f, 0.51f}, {6.0f, 0.34f}, {6.35f, 0.34f},
    {6.35f, 0.17f}, {6.7f, 0.17f}, {6.7f, 0},     {6.7f, 0},     {6.7f, 0},
};

/// The strip as triangles that are free above, ahead and behind.
static bool make_ground(live_course *course)
{
    lmb_vec3 positions[2 * COURSE_POINTS];
    uint32_t indices[6 * (COURSE_POINTS - 1)];
    for (uint32_t k = 0; k < COURSE_POINTS; ++k) {
        const float z = course->profile[k][0], y = course->floor + course->profile[k][1];
        positions[2 * k] = lmb_vec3_make(-course->half_width, y, z);
        positions[2 * k + 1] = lmb_vec3_make(course->half_width, y, z);
    }
    for (uint32_t k = 0; k + 1 < COURSE_POINTS; ++k) {
        const uint32_t a = 2 * k, corners[6] = {a, a + 2, a + 1, a + 1, a + 2, a + 3};
        for (int c = 0; c < 6; ++c) {
            indices[6 * k + (uint32_t)c] = corners[c];
        }
    }
    const lmb_ground_mesh mesh = {positions, 2 * COURSE_POINTS, indices, 6 * (COURSE_POINTS - 1)};
    lmb_error error = {0};
    return lmb_ground_create(&mesh, NULL, NULL, &course->ground, &error) == LMB_OK ||
           live_fail_call("the ground", &error);
}

bool live_course_start(live_course *course, float scale)
{
    course->half_width = 1.2f * scale;
    for (int k = 0; k < COURSE_POINTS; ++k) {
        course->profile[k][0] = scale * outline[k][0];
        course->profile[k][1] = scale * outline[k][1];
    }
    return make_ground(course);
}

void live_course_end(live_course *course)
{
    lmb_ground_destroy(course->ground);
    course->ground = NULL;
}

bool live_course_at(void *user, lmb_vec3 point, float *height, lmb_vec3 *normal)
{
    const live_course *course = user;
    *height = course->floor;
    *normal = lmb_vec3_make(0, 1, 0);
    for (int k = 0; k + 1 < COURSE_POINTS && fabsf(point.x) < course->half_width; ++k) {
        const float *from = course->profile[k], *to = course->profile[k + 1];
        const float run = to[0] - from[0];
        if (run > 0 && point.z >= from[0] && point.z < to[0]) {
            const float slope = (to[1] - from[1]) / run;
            *height = course->floor + from[1] + slope * (point.z - from[0]);
            *normal = lmb_vec3_normalize_or(lmb_vec3_make(0, 1, -slope), *normal);
        }
    }
    return true;
}
