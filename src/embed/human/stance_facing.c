#include "embed/human/stance_facing.h"

#include <math.h>

float lmbi_toes_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                     lmb_vec3 axis)
{
    const lmbi_voxel_body *body = v->body;
    float sum = 0;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 tip = tips[s->foot[side]].position;
        double toes = 0, shin = 0;
        uint32_t toe_count = 0, shin_count = 0;
        const float nearby = 0.14f * v->size;
        for (uint32_t k = 0; k < body->solid_count; ++k) {
            const lmb_vec3 p = body->at[k];
            const float h = (lmb_vec3_dot(p, v->up) - v->low) / v->size;
            if (h > 0.22f || fabsf(lmb_vec3_dot(lmb_vec3_sub(p, tip), s->left)) > 0.5f * nearby ||
                fabsf(lmb_vec3_dot(lmb_vec3_sub(p, tip), axis)) > 2 * nearby) {
                continue;
            }
            if (h < 0.05f) {
                toes += (double)lmb_vec3_dot(p, axis);
                ++toe_count;
            } else if (h > 0.09f) {
                shin += (double)lmb_vec3_dot(p, axis);
                ++shin_count;
            }
        }
        if (toe_count && shin_count) {
            sum += (float)(toes / toe_count - shin / shin_count) / v->size;
        }
    }
    return sum;
}

/// Toes lie before shins, feet end in toes, arms reach forward.
float lmbi_facing_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                       lmb_vec3 axis)
{
    return lmbi_toes_hint(v, s, tips, axis) +
           0.1f * lmbi_pair_offset_along(v, s->hand[0], s->hand[1], axis);
}
