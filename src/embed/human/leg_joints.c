#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include <math.h>

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
    const float usual = USUAL_HIP * shoulder;
    const float together = joined_above(w, shoulder, 0.85f),
                touch = joined_above(w, shoulder, 0.1f);
    w->crotch = together;
    w->crotch_clear = together > 0.06f;
    if (!w->crotch_clear || (touch > 0.03f && is_hem(w, shoulder, touch, together))) {
        w->hidden_legs = true;
        w->crotch = usual;
    }
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
