/// Joints of legs, trunk and head.
#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>

// ---- legs

/// Height of the hips over that of the shoulders, for hidden legs (Drillis, Contini 1966: 0.53 /
/// 0.82).
static const float USUAL_HIP = 0.65f;

/// Depth between the legs at one height as a fraction of the legs' own: 0 if they are apart, 1 in
/// the trunk.
static float joined_fraction(const lmbi_figure_parts *w, float y)
{
    const lmbi_voxel_body *body = &w->f->body;
    const float cell = body->grid.cell;
    float peak[2] = {0, 0}, at[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const float sign = side == 0 ? 1.0f : -1.0f, splay = fmaxf(w->legs[side].splay, 0.02f);
        for (float x = 0.4f * splay; x < 1.6f * splay; x += cell) {
            const float d = lmbi_column_depth(body, sign * x, y);
            if (d > peak[side]) {
                peak[side] = d;
                at[side] = sign * x;
            }
        }
    }
    float valley = 1;
    for (float x = at[1]; x <= at[0]; x += cell) {
        valley = fminf(valley, lmbi_column_depth(body, x, y));
    }
    const float low = fminf(peak[0], peak[1]);
    return low > 0 ? valley / low : 0;
}

/// Area of the whole slice at one height.
static float slice_area(const lmbi_voxel_body *body, float y)
{
    const lmbi_grid *g = &body->grid;
    const int32_t j = (int32_t)((y - g->low.y) / g->cell);
    uint32_t count = 0;
    for (int32_t k = 0; k < g->nz; ++k) {
        for (int32_t i = 0; i < g->nx; ++i) {
            count += body->cells[lmbi_grid_index(g, i, j, k)] != 0;
        }
    }
    return (float)count * g->cell * g->cell;
}

/// The height above which that fraction stays over `limit`; negative if there is none below
/// `highest`.
static float joined_above(const lmbi_figure_parts *w, float highest, float limit)
{
    const float cell = w->f->body.grid.cell, lasting = 0.05f;
    float start = -1, before = 0;
    for (float y = 0.03f; y < highest; y += cell) {
        const float now = joined_fraction(w, y);
        if (now <= limit) {
            start = -1;
        } else if (start < 0) {
            // Interpolate where the fraction crosses the limit.
            start = y - cell * fminf(1, (now - limit) / fmaxf(now - before, 1e-3f));
        } else if (y - start > lasting) {
            return start;
        }
        before = now;
    }
    return -1;
}

/// Whether the legs vanish in a skirt or a robe at the height `touch`, which is too low for hips.
/// Either the slice widens at once; or it is wide below the usual hips and narrow again at the
/// waist; or it widens under a head of adult proportions. Stocky figures have short legs and
/// bellies, but larger heads.
static bool is_hem(const lmbi_figure_parts *w, float shoulder, float touch, float together)
{
    const lmbi_voxel_body *body = &w->f->body;
    const float usual = USUAL_HIP * shoulder, waist = usual + 0.085f * shoulder;
    const float below = slice_area(body, touch - 0.02f), at_once = slice_area(body, touch + 0.02f);
    float widest = 0;
    for (float y = touch; y < usual; y += body->grid.cell) {
        widest = fmaxf(widest, slice_area(body, y));
    }
    const bool sudden = at_once > 2.5f * below && together < usual - 0.06f,
               low = together < 0.75f * usual && widest > 2.2f * below,
               flares = widest > 1.6f * slice_area(body, waist);
    return shoulder > 0.6f && (sudden || (low && (flares || shoulder > 0.72f)));
}

void lmbi_find_crotch(lmbi_figure_parts *w, float shoulder)
{
    const float together = joined_above(w, shoulder, 0.85f),
                touch = joined_above(w, shoulder, 0.1f);
    w->crotch_clear = together > 0.06f;
    w->hidden_legs = !w->crotch_clear || (touch > 0.03f && is_hem(w, shoulder, touch, together));
    w->crotch = w->hidden_legs ? USUAL_HIP * shoulder : together;
    if (w->landmarks.groin.set) {
        w->crotch = w->landmarks.groin.at.y;
        w->crotch_clear = true;
    }
}

/// The middle of a leg at one height.
static lmb_vec3 leg_center(const lmbi_figure_parts *w, int side, float y)
{
    const float splay = fmaxf(w->legs[side].splay, 0.02f), near = 0.25f * splay, far = 1.6f * splay;
    lmb_vec3 p = lmb_vec3_make(side == 0 ? splay : -splay, y, 0);
    const lmbi_landmark_point *knee =
        &w->landmarks.joint[LMBI_LEFT_LOWER_LEG + side * LMBI_LEG_JOINTS];
    if (knee->set) {
        const float usual_radius = 0.045f;
        return lmbi_slice_near(&w->f->body, lmb_vec3_make(knee->at.x, y, knee->at.z), usual_radius);
    }
    lmbi_slice_center(&w->f->body, y, side == 0 ? near : -far, side == 0 ? far : -near, &p);
    return p;
}

/// The front end of the foot under an ankle: its largest z, at the middle of its front half.
static lmb_vec3 toe_tip(const lmbi_figure_parts *w, lmb_vec3 ankle)
{
    const lmbi_voxel_body *body = &w->f->body;
    const float wide = fmaxf(0.09f, 0.8f * fabsf(ankle.x)), long_foot = 0.25f;
    float front = ankle.z;
    for (int pass = 0; pass < 2; ++pass) {
        double sum = 0, x = 0, y = 0;
        for (uint32_t s = 0; s < body->solid_count; ++s) {
            const lmb_vec3 p = body->at[s];
            if (p.y > ankle.y || fabsf(p.x - ankle.x) > wide || p.x * ankle.x < 0 ||
                fabsf(p.z - ankle.z) > long_foot) {
                continue;
            }
            if (pass == 0) {
                front = fmaxf(front, p.z + 0.5f * body->grid.cell);
            } else if (p.z > 0.5f * (ankle.z + front)) {
                sum += 1;
                x += (double)p.x;
                y += (double)p.y;
            }
        }
        if (pass == 1 && sum > 0) {
            return lmb_vec3_make((float)(x / sum), (float)(y / sum), front);
        }
    }
    return lmb_vec3_make(ankle.x, 0.4f * ankle.y, ankle.z + 0.02f);
}

void lmbi_place_toes(const lmbi_figure_parts *w, int side, lmbi_human_joints *out)
{
    lmb_vec3 *at = out->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
    const lmb_vec3 tip = toe_tip(w, at[2]);
    out->toe_tip[side] = tip;
    at[3] = lmb_vec3_lerp(at[2], tip, 0.62f);
    at[3].y = fminf(0.016f, 0.4f * at[2].y);
}

void lmbi_place_leg(const lmbi_figure_parts *w, int side, lmbi_human_joints *out)
{
    const int first = LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
    const lmbi_landmark_point *landmarks = w->landmarks.joint + first;
    lmb_vec3 *at = out->at + first;
    const float hip = w->crotch + 0.004f,
                ankle = landmarks[2].set ? landmarks[2].at.y : fminf(0.05f, 0.3f * hip),
                knee = landmarks[1].set ? landmarks[1].at.y : ankle + 0.5f * (hip - ankle);
    const lmb_vec3 thigh = leg_center(w, side, w->hidden_legs ? 0.6f * hip : 0.85f * w->crotch);
    at[1] = landmarks[1].set ? landmarks[1].at : leg_center(w, side, knee);
    const float rise = (hip - knee) / fmaxf(thigh.y - knee, 0.01f);
    at[0] = lmb_vec3_lerp(at[1], thigh, fminf(rise, 2));
    at[0].x = thigh.x + 0.6f * (at[0].x - thigh.x);
    at[0].z = thigh.z;
    at[0].y = hip;
    at[2] = leg_center(w, side, ankle + 0.035f);
    at[2].y = ankle;
    at[2] = landmarks[2].set ? landmarks[2].at : at[2];
    lmbi_place_toes(w, side, out);
    const float sure = !w->crotch_clear ? 0.4f : w->hidden_legs ? 0.7f : 0.95f;
    for (int k = 0; k < LMBI_LEG_JOINTS; ++k) {
        out->confidence[first + k] = k < 2 || !w->crotch_clear ? sure : 0.95f;
    }
    out->reason[first] = !w->crotch_clear ? "the legs do not part; a usual fraction of the height"
                         : w->hidden_legs ? "hidden in a skirt; a usual fraction of the height"
                                          : "where the legs join";
    out->reason[first + 1] = "halfway down the leg";
    out->reason[first + 2] = "above the foot";
    out->reason[first + 3] = "before the end of the foot";
}

// ---- neck, trunk and facing

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
