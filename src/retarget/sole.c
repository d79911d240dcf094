#include "retarget/sole.h"

#include <math.h>

#include "asset/tree.h"
#include "math/math.h"
#include "math/scalar.h"

enum { RINGS = 5, AROUND = 8 };

/// Directions that point down or aside: ring 0 is straight down, the last one nearly level.
static lmb_vec3 direction_of(uint32_t index)
{
    const float slope = (float)(index / AROUND) * (0.47f * LMB_PI / (RINGS - 1)),
                angle = (float)(index % AROUND) * (2.0f * LMB_PI / AROUND);
    const float flat = lmb_sin(slope);
    return lmb_vec3_make(flat * lmb_cos(angle), -lmb_cos(slope), flat * lmb_sin(angle));
}

void lmbi_sole_find(const lmbi_humanoid *body, const lmb_vec3 *points, const int32_t *joints,
                    uint32_t count, int32_t joint, int32_t without, lmbi_sole *out)
{
    lmb_vec3 directions[LMBI_SOLE_POINTS];
    float farthest[LMBI_SOLE_POINTS];
    uint32_t chosen[LMBI_SOLE_POINTS];
    out->count = 0;
    for (uint32_t d = 0; d < LMBI_SOLE_POINTS; ++d) {
        directions[d] = direction_of(d);
        farthest[d] = -INFINITY;
        chosen[d] = UINT32_MAX;
    }
    for (uint32_t v = 0; v < count; ++v) {
        if (!lmbi_is_under(body->skeleton, joints[v], joint) ||
            (without != LMB_NONE && lmbi_is_under(body->skeleton, joints[v], without))) {
            continue;
        }
        for (uint32_t d = 0; d < LMBI_SOLE_POINTS; ++d) {
            const float along = lmb_vec3_dot(points[v], directions[d]);
            if (along > farthest[d]) {
                farthest[d] = along;
                chosen[d] = v;
            }
        }
    }
    const lmb_transform at = body->reference[joint];
    for (uint32_t d = 0; d < LMBI_SOLE_POINTS && chosen[d] != UINT32_MAX; ++d) {
        out->points[out->count++] = lmb_quat_rotate(
            lmb_quat_conjugate(at.rotation), lmb_vec3_sub(points[chosen[d]], at.translation));
    }
}

float lmbi_sole_lowest(const lmbi_sole *sole, lmb_quat rotation)
{
    float low = INFINITY;
    for (uint32_t k = 0; k < sole->count; ++k) {
        low = fminf(low, lmb_quat_rotate(rotation, sole->points[k]).y);
    }
    return low;
}
