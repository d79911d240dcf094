#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>

/// The top of the solid on the mirror plane. It is the top of everything except in an asymmetric
/// pose, which may raise a hand.
static float find_crown(const lmbi_figure_parts *w)
{
    float y = 1;
    while (w->f->pose.asymmetric && y > 0.5f && !(lmbi_column_depth(&w->f->body, 0, y) > 0)) {
        y -= w->f->body.grid.cell;
    }
    return y;
}

/// The neck is the narrowest place of the column between the shoulders and the middle of the head.
void lmbi_find_neck(lmbi_figure_parts *w, float shoulder)
{
    const lmbi_voxel_body *body = &w->f->body;
    const float cell = body->grid.cell, low = shoulder - 0.04f;
    w->crown = find_crown(w);
    const float high = 0.95f * w->crown;
    float thin = 1, at = shoulder;
    for (float y = low; y < high; y += cell) {
        const float d = lmbi_column_depth(body, 0, y);
        if (d < thin && y < 0.92f * w->crown) {
            thin = d;
            at = y;
        }
    }
    float below = 0, above = 0, head_at = 0;
    for (float y = low - 0.15f; y < at; y += cell) {
        below = fmaxf(below, lmbi_column_depth(body, 0, y));
    }
    for (float y = at; y < w->crown; y += cell) {
        const float d = lmbi_column_depth(body, 0, y);
        if (d > above) {
            above = d;
            head_at = y;
        }
    }
    w->neck_clear = thin < 0.85f * below && thin < 0.85f * above && head_at > at;
    // The middle of the narrow stretch varies less than its narrowest voxel.
    double sum = 0, sy = 0;
    for (float y = at - 0.05f; y < at + 0.05f; y += cell) {
        const float d = lmbi_column_depth(body, 0, y);
        const double weight = fmax(0, (double)(1.15f * thin - d));
        sum += weight;
        sy += weight * (double)y;
    }
    w->neck = sum > 0 ? (float)(sy / sum) : at;
    if (w->landmarks.chin.set) {
        const float below_chin = 0.012f;
        w->neck = w->landmarks.chin.at.y - below_chin;
        w->neck_clear = true;
    }
}

static float height_of(const lmbi_landmark_point *landmark, float otherwise)
{
    return landmark->set ? landmark->at.y : otherwise;
}

static lmb_vec3 on_trunk(const lmbi_figure_parts *w, float y)
{
    lmb_vec3 p = lmb_vec3_make(0, y, 0);
    lmbi_slice_center(&w->f->body, y, -0.03f, 0.03f, &p);
    p.x = 0;
    return p;
}

void lmbi_place_trunk(const lmbi_figure_parts *w, lmbi_human_joints *out)
{
    lmb_vec3 *at = out->at;
    const float shoulder = 0.5f * (at[LMBI_LEFT_UPPER_ARM].y + at[LMBI_RIGHT_UPPER_ARM].y);
    const lmbi_landmark_point *landmarks = w->landmarks.joint;
    const float hips =
        height_of(&landmarks[LMBI_HIPS],
                  0.5f * (at[LMBI_LEFT_UPPER_LEG].y + at[LMBI_RIGHT_UPPER_LEG].y) + 0.025f);
    const float neck = height_of(
        &landmarks[LMBI_NECK], fminf(w->neck_clear ? w->neck - 0.034f : shoulder + 0.038f, 0.96f));
    const float head = height_of(
        &landmarks[LMBI_HEAD], fminf(w->neck_clear ? w->neck + 0.012f : shoulder + 0.082f, 0.975f));
    at[LMBI_HIPS] = on_trunk(w, hips);
    const float fractions[3] = {0.21f, 0.45f, 0.69f};
    for (int k = 0; k < 3; ++k) {
        const float y = hips + fractions[k] * (neck - hips);
        at[LMBI_SPINE + k] = on_trunk(w, y);
        // The spine runs behind the middle of the trunk, most of all at the chest.
        at[LMBI_SPINE + k].z -= (k == 1 ? 0.2f : 0.12f) * lmbi_column_depth(&w->f->body, 0, y);
    }
    at[LMBI_NECK] = on_trunk(w, neck);
    at[LMBI_HEAD] = on_trunk(w, head);
    // The head joint is above the neck; the face in front of it shifts the center of the slice.
    at[LMBI_HEAD].z = at[LMBI_NECK].z + 0.35f * (at[LMBI_HEAD].z - at[LMBI_NECK].z);
    out->head_top = lmb_vec3_make(0, w->crown, at[LMBI_HEAD].z);
    for (int j = LMBI_HIPS; j <= LMBI_UPPER_CHEST; ++j) {
        out->confidence[j] = w->crotch_clear ? 0.9f : 0.5f;
        out->reason[j] = "a usual fraction of the trunk";
    }
    for (int j = LMBI_NECK; j <= LMBI_HEAD; ++j) {
        out->confidence[j] = w->neck_clear ? 0.95f : 0.7f;
        out->reason[j] = w->neck_clear ? "the narrowest place under the head"
                                       : "no neck visible; a usual distance above the shoulders";
    }
    for (int side = 0; side < 2; ++side) {
        const int first = LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
        const lmb_vec3 arm = at[first + 1];
        at[first] = lmb_vec3_make(0.22f * arm.x, shoulder + 0.005f,
                                  0.5f * (at[LMBI_UPPER_CHEST].z + arm.z));
        out->confidence[first] = out->confidence[first + 1];
        out->reason[first] = "between the breastbone and the shoulder";
    }
}

// ---- front and back: toes and knees point forward, elbows back

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
