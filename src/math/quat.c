#include <math.h>

#include "limber/math.h"
#include "math/math.h"
#include "math/quat_inline.h"

lmb_quat lmb_quat_mul(lmb_quat a, lmb_quat b)
{
    return lmbi_quat_mul(a, b);
}

lmb_vec3 lmb_quat_rotate(lmb_quat q, lmb_vec3 v)
{
    return lmbi_quat_rotate(q, v);
}

lmb_quat lmb_quat_normalize(lmb_quat q)
{
    const float length = sqrtf(lmb_quat_dot(q, q));
    if (!(length > 0) || !isfinite(length)) {
        return lmb_quat_identity();
    }
    return lmb_quat_make(q.x / length, q.y / length, q.z / length, q.w / length);
}

lmb_quat lmb_quat_axis_angle(lmb_vec3 axis, float angle_rad)
{
    const float s = lmb_sin(0.5f * angle_rad);
    return lmb_quat_make(axis.x * s, axis.y * s, axis.z * s, lmb_cos(0.5f * angle_rad));
}

lmb_quat lmb_quat_between(lmb_vec3 from, lmb_vec3 to)
{
    const float d = lmb_vec3_dot(from, to);
    if (d < -0.999999f) {
        const lmb_vec3 axis = lmb_vec3_any_perpendicular(from);
        return lmb_quat_make(axis.x, axis.y, axis.z, 0);
    }
    const lmb_vec3 c = lmb_vec3_cross(from, to);
    return lmb_quat_normalize(lmb_quat_make(c.x, c.y, c.z, 1.0f + d));
}

static lmb_quat blend(lmb_quat a, lmb_quat b, float wa, float wb)
{
    return lmb_quat_make(a.x * wa + b.x * wb, a.y * wa + b.y * wb, a.z * wa + b.z * wb,
                         a.w * wa + b.w * wb);
}

lmb_quat lmbi_quat_nlerp(lmb_quat a, lmb_quat b, float t)
{
    const float sign = lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f;
    return lmb_quat_normalize(blend(a, b, 1.0f - t, t * sign));
}

lmb_quat lmb_quat_slerp(lmb_quat a, lmb_quat b, float t)
{
    const float dot = lmb_quat_dot(a, b);
    const float sign = dot < 0 ? -1.0f : 1.0f;
    const float c = fabsf(dot);
    if (c > 0.9999995f) {
        // For tiny angles the sines below cancel, and linear interpolation is exact enough.
        return lmbi_quat_nlerp(a, b, t);
    }
    // The angle from both its cosine and the chord: acos alone loses half its digits near 0.
    const lmb_quat d = blend(b, a, sign, -c);
    const float s = sqrtf(lmb_quat_dot(d, d));
    const float angle = lmb_atan2(s, c);
    const float wa = lmb_sin((1.0f - t) * angle) / s, wb = lmb_sin(t * angle) / s;
    return lmb_quat_normalize(blend(a, b, wa, wb * sign));
}

void lmbi_quat_swing_twist(lmb_quat q, lmb_vec3 axis, lmb_quat *swing, lmb_quat *twist)
{
    const float along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    // For a half turn about a perpendicular axis the twist is undefined; normalize then gives the
    // identity.
    *twist = lmb_quat_normalize(lmb_quat_make(axis.x * along, axis.y * along, axis.z * along, q.w));
    *swing = lmb_quat_mul(q, lmb_quat_conjugate(*twist));
}

lmb_quat lmbi_rotation_vector(lmb_vec3 vector)
{
    // Rotations by more than pi keep w < 0: STAR's pose features depend on the quaternion's sign.
    const float angle = lmb_vec3_length(vector);
    if (!(angle > 1e-8f)) {
        return lmb_quat_make(vector.x / 2, vector.y / 2, vector.z / 2, 1);
    }
    const float s = lmb_sin(angle / 2) / angle;
    return lmb_quat_make(vector.x * s, vector.y * s, vector.z * s, lmb_cos(angle / 2));
}

lmb_vec3 lmbi_rotation_vector_of(lmb_quat q)
{
    const float sign = q.w < 0 ? -1.0f : 1.0f;
    const lmb_vec3 v = lmb_vec3_make(q.x * sign, q.y * sign, q.z * sign);
    const float length = lmb_vec3_length(v);
    const float angle = 2 * lmb_atan2(length, q.w * sign);
    return lmb_vec3_scale(v, length > 1e-8f ? angle / length : 2.0f);
}

float lmb_quat_angle(lmb_quat a, lmb_quat b)
{
    const lmb_quat d = lmb_quat_mul(lmb_quat_conjugate(a), b);
    return 2.0f * lmb_atan2(sqrtf(d.x * d.x + d.y * d.y + d.z * d.z), fabsf(d.w));
}

lmb_quat lmb_quat_from_axes(lmb_vec3 x, lmb_vec3 y, lmb_vec3 z)
{
    const float trace = x.x + y.y + z.z;
    lmb_quat q;
    if (trace >= x.x && trace >= y.y && trace >= z.z) {
        q = lmb_quat_make(y.z - z.y, z.x - x.z, x.y - y.x, 1.0f + trace);
    } else if (x.x >= y.y && x.x >= z.z) {
        q = lmb_quat_make(1.0f + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y);
    } else if (y.y >= z.z) {
        q = lmb_quat_make(x.y + y.x, 1.0f - x.x + y.y - z.z, y.z + z.y, z.x - x.z);
    } else {
        q = lmb_quat_make(z.x + x.z, y.z + z.y, 1.0f - x.x - y.y + z.z, x.y - y.x);
    }
    return lmb_quat_normalize(q);
}

static lmb_vec3 axis_of(char letter)
{
    return lmb_vec3_make(letter == 'x' ? 1.0f : 0.0f, letter == 'y' ? 1.0f : 0.0f,
                         letter == 'z' ? 1.0f : 0.0f);
}

lmb_quat lmb_quat_from_euler(const char order[3], const float angles_rad[3])
{
    lmb_quat q = lmb_quat_axis_angle(axis_of(order[0]), angles_rad[0]);
    q = lmb_quat_mul(q, lmb_quat_axis_angle(axis_of(order[1]), angles_rad[1]));
    return lmb_quat_mul(q, lmb_quat_axis_angle(axis_of(order[2]), angles_rad[2]));
}

static float component(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

void lmbi_quat_to_euler(lmb_quat q, const char order[3], float angles_rad[3])
{
    const int i = order[0] - 'x', j = order[1] - 'x', k = order[2] - 'x';
    const float parity = (j - i + 3) % 3 == 1 ? 1.0f : -1.0f; // even permutations: xyz yzx zxy
    const lmb_vec3 column_k = lmb_quat_rotate(q, axis_of(order[2]));
    const lmb_vec3 column_j = lmb_quat_rotate(q, axis_of(order[1]));
    const lmb_vec3 column_i = lmb_quat_rotate(q, axis_of(order[0]));
    // R = Ri(a) Rj(b) Rk(c): element (i,k) = parity sin b, (j,k) = -parity sin a cos b, (k,k) = cos
    // a cos b.
    const float jk = component(column_k, j), kk = component(column_k, k);
    const float cos_b = sqrtf(jk * jk + kk * kk);
    angles_rad[1] = lmb_atan2(parity * component(column_k, i), cos_b);
    if (cos_b > 1e-6f) {
        angles_rad[0] = lmb_atan2(-parity * jk, kk);
        angles_rad[2] = lmb_atan2(-parity * component(column_j, i), component(column_i, i));
    } else { // gimbal lock: only the sum of the outer angles is known; the last is set to 0
        angles_rad[0] = lmb_atan2(parity * component(column_j, k), component(column_j, j));
        angles_rad[2] = 0;
    }
}
