#include <math.h>

#include "limber/math.h"

float lmb_vec3_length(lmb_vec3 a)
{
    return sqrtf(lmb_vec3_dot(a, a));
}

float lmb_vec3_distance(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_length(lmb_vec3_sub(a, b));
}

bool lmb_vec3_is_finite(lmb_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

lmb_vec3 lmb_vec3_normalize_or(lmb_vec3 a, lmb_vec3 fallback)
{
    // Scale by the largest component first, so that squares of tiny and huge vectors stay within
    // float's range.
    const float largest = fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
    if (!(largest > 0) || !lmb_vec3_is_finite(a)) {
        return fallback;
    }
    const lmb_vec3 b = lmb_vec3_make(a.x / largest, a.y / largest, a.z / largest);
    const float length = lmb_vec3_length(b);
    return lmb_vec3_make(b.x / length, b.y / length, b.z / length);
}

lmb_vec3 lmb_vec3_any_perpendicular(lmb_vec3 a)
{
    const float x = fabsf(a.x), y = fabsf(a.y), z = fabsf(a.z);
    lmb_vec3 other = lmb_vec3_make(0, 0, 1);
    if (x <= y && x <= z) {
        other = lmb_vec3_make(1, 0, 0);
    } else if (y <= z) {
        other = lmb_vec3_make(0, 1, 0);
    }
    return lmb_vec3_normalize_or(lmb_vec3_cross(a, other), lmb_vec3_make(1, 0, 0));
}

lmb_box lmb_box_empty(void)
{
    const lmb_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return box;
}

/// Faster than fminf and fmaxf, which are calls; like them it ignores a NaN.
lmb_box lmb_box_add(lmb_box box, lmb_vec3 p)
{
    box.low.x = p.x < box.low.x ? p.x : box.low.x;
    box.low.y = p.y < box.low.y ? p.y : box.low.y;
    box.low.z = p.z < box.low.z ? p.z : box.low.z;
    box.high.x = p.x > box.high.x ? p.x : box.high.x;
    box.high.y = p.y > box.high.y ? p.y : box.high.y;
    box.high.z = p.z > box.high.z ? p.z : box.high.z;
    return box;
}

lmb_box lmb_box_of(const lmb_vec3 *points, size_t count)
{
    lmb_box box = lmb_box_empty();
    for (size_t i = 0; i < count; ++i) {
        box = lmb_box_add(box, points[i]);
    }
    return box;
}
