/// Tells front from back in a figure with placed joints: toes and knees point forward, elbows back.
#include "embed/body_joint.h"
#include "embed/cost.h"
#include "embed/human/human_joints.h"
#include "geometry/volume.h"

#include <math.h>

/// How much farther the foot extends before the ankle than behind it, in heights.
static float toe_hint(const lmbi_figure_parts *w, const lmbi_human_joints *placed, int side)
{
    const lmbi_voxel_body *body = &w->f->body;
    const lmbi_grid *g = &body->grid;
    const lmb_vec3 ankle = placed->at[LMBI_LEFT_FOOT + side * LMBI_LEG_JOINTS],
                   knee = placed->at[LMBI_LEFT_LOWER_LEG + side * LMBI_LEG_JOINTS];
    const float wide = fmaxf(0.8f * fabsf(ankle.x), 0.03f);
    // The ankle is under the thinnest slice of the shank, whatever the shape of the trousers.
    float thin = 1e9f;
    lmb_vec3 shank = ankle;
    for (float y = 0.7f * ankle.y; y < ankle.y + 0.5f * (knee.y - ankle.y); y += g->cell) {
        lmb_vec3 p;
        float area = 0;
        for (float x = ankle.x - wide; x < ankle.x + wide; x += g->cell) {
            area += lmbi_column_depth(body, x, y);
        }
        if (area < thin && lmbi_slice_center(body, y, ankle.x - wide, ankle.x + wide, &p)) {
            thin = area;
            shank = p;
        }
    }
    float front = -1e9f, back = 1e9f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = body->at[s];
        if (p.y < ankle.y && fabsf(p.x - ankle.x) < wide && fabsf(p.z - shank.z) < 0.25f) {
            front = fmaxf(front, p.z);
            back = fminf(back, p.z);
        }
    }
    return front > back ? (front - shank.z) - (shank.z - back) : 0;
}

/// How far the middle joint lies before the line between the outer two.
static float forward_bend(const lmb_vec3 *at)
{
    const lmb_vec3 axis = lmb_vec3_sub(at[2], at[0]);
    const float length2 = fmaxf(lmb_vec3_dot(axis, axis), 1e-9f);
    const float t = lmb_vec3_dot(lmb_vec3_sub(at[1], at[0]), axis) / length2;
    return at[1].z - (at[0].z + t * axis.z);
}

float lmbi_facing_of_joints(const lmbi_figure_parts *w, const lmbi_human_joints *placed)
{
    float toes = 0, knees = 0, elbows = 0, hands = 0;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 *arm = placed->at + LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS,
                       *leg = placed->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
        toes += 0.5f * toe_hint(w, placed, side);
        knees += 0.5f * forward_bend(leg);
        elbows -= 0.5f * forward_bend(arm + 1);
        hands += 0.5f * (placed->hand_tip[side].z - arm[1].z);
    }
    const float sum = lmbi_clamp_signed(toes / 0.04f) + 0.25f * lmbi_clamp_signed(knees / 0.015f) +
                      0.3f * lmbi_clamp_signed(elbows / 0.012f) +
                      0.3f * lmbi_clamp_signed(hands / 0.08f);
    return lmbi_clamp_signed(sum);
}
