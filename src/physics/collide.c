// VRMC_springBone 1.0, "Collision", and VRMC_springBone_extended_collider.
#include "physics/collide.h"

/// From the nearest point of the segment to p.
static lmb_vec3 from_segment(lmb_vec3 head, lmb_vec3 tail, lmb_vec3 p)
{
    const lmb_vec3 along = lmb_vec3_sub(tail, head), to = lmb_vec3_sub(p, head);
    const float dot = lmb_vec3_dot(along, to), length_squared = lmb_vec3_dot(along, along);
    if (dot <= 0) {
        return to;
    }
    return dot >= length_squared ? lmb_vec3_sub(p, tail)
                                 : lmb_vec3_mad(to, along, -(dot / length_squared));
}

/// A normal goes by the inverse transpose, so that it stays square to a plane that is scaled
/// unevenly.
static lmb_vec3 normal_in_world(const lmb_mat4 *world, lmb_vec3 normal)
{
    const float *m = world->m;
    const lmb_vec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    const lmb_vec3 yz = lmb_vec3_cross(y, z);
    lmb_vec3 n = lmb_vec3_scale(yz, normal.x);
    n = lmb_vec3_mad(n, lmb_vec3_cross(z, x), normal.y);
    n = lmb_vec3_mad(n, lmb_vec3_cross(x, y), normal.z);
    n = lmb_vec3_scale(n, lmb_vec3_dot(x, yz) < 0 ? -1.0f : 1.0f);
    return lmb_vec3_normalize_or(n, lmb_vec3_make(0, 1, 0));
}

float lmbi_spring_distance(const lmb_spring_collider *collider, const lmb_mat4 *world, lmb_vec3 p,
                           float radius, lmb_vec3 fallback, lmb_vec3 *direction)
{
    const lmb_vec3 offset = lmb_mat4_point(*world, collider->offset);
    if (collider->shape == LMB_SPRING_PLANE) {
        *direction = normal_in_world(world, collider->normal);
        return lmb_vec3_dot(lmb_vec3_sub(p, offset), *direction) - radius;
    }
    const lmb_vec3 tail =
        collider->shape == LMB_SPRING_CAPSULE ? lmb_mat4_point(*world, collider->tail) : offset;
    const lmb_vec3 away = from_segment(offset, tail, p);
    const float length = lmb_vec3_length(away);
    const float distance =
        collider->inside ? collider->radius - radius - length : length - radius - collider->radius;
    if (distance < 0) {
        *direction = lmb_vec3_normalize_or(away, fallback);
        if (collider->inside) {
            *direction = lmb_vec3_neg(*direction);
        }
    }
    return distance;
}
