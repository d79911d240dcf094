#include "embed/body_joint.h"
#include "embed/human/human.h"

#include "geometry/volume.h"

#include <math.h>

/// Lengths as fractions of the shoulder's height (Drillis, Contini 1966: 0.818 of the stature;
/// upper arm 0.186, forearm 0.146, hand 0.108).
static const float UPPER_ARM = 0.227f, FOREARM = 0.178f, HAND = 0.11f;
/// Fractions of height: from the narrowest place of the neck down to the shoulders, and from the
/// edge of an arm to its middle.
static const float BELOW_NECK = 0.085f, HALF_ARM = 0.045f;

enum { ROWS = 256 };

typedef struct outline {
    float neck, shoulder; ///< heights above the ground
} outline;

/// The edge of the solid at one height: the largest |x| on a side.
static float edge_at(const lmbi_voxel_body *body, int side, float y)
{
    const lmbi_grid *g = &body->grid;
    const float sign = side == 0 ? 1.0f : -1.0f;
    float x = sign * (side == 0 ? g->low.x + g->cell * (float)g->nx : g->low.x);
    while (x > 0 && lmbi_column_depth(body, sign * x, y) <= 0) {
        x -= 0.5f * g->cell;
    }
    return fmaxf(x, 0);
}

/// Finds the neck, the narrowest height between chest and crown. False if it is not much narrower
/// than the chest.
static bool find_outline(const lmbi_voxel_body *body, outline *out)
{
    float narrow = 1e30f, wide = 0;
    out->neck = 0;
    for (float y = 0.55f; y < 0.94f; y += body->grid.cell) {
        const float w = edge_at(body, 0, y) + edge_at(body, 1, y);
        if (w < narrow) {
            narrow = w;
            out->neck = y;
        }
    }
    out->shoulder = out->neck * (1 - BELOW_NECK);
    for (float y = out->shoulder - 0.1f; y < out->shoulder; y += body->grid.cell) {
        wide = fmaxf(wide, edge_at(body, 0, y) + edge_at(body, 1, y));
    }
    return wide > 1.35f * narrow;
}

/// The middle of the strip of the solid along the edge at a height.
static lmb_vec3 center_along_edge(const lmbi_voxel_body *body, int side, float y, float half)
{
    const float sign = side == 0 ? 1.0f : -1.0f, edge = edge_at(body, side, y);
    const float x0 = sign * fmaxf(edge - 2 * half, 0), x1 = sign * edge;
    lmb_vec3 p = lmb_vec3_make(sign * fmaxf(edge - half, 0), y, 0);
    lmbi_slice_center(body, y, fminf(x0, x1), fmaxf(x0, x1), &p);
    return p;
}

static void set_landmark(lmbi_figure *f, uint32_t joint, lmb_vec3 at)
{
    f->landmarks.joint[joint] = (lmbi_landmark_point){.set = true, .at = at};
}

static lmb_vec3 shoulder_of(const lmbi_voxel_body *body, const outline *o, int side)
{
    const float below = 0.05f;
    const lmb_vec3 arm = center_along_edge(body, side, o->shoulder - below, HALF_ARM * o->shoulder);
    return lmb_vec3_make(arm.x, o->shoulder, arm.z);
}

/// Places shoulder, elbow, wrist and the end of the hand along the edge, at usual lengths.
static void follow_edge(lmbi_figure *f, const outline *o, int side)
{
    const lmbi_voxel_body *body = &f->body;
    const uint32_t first = LMBI_LEFT_UPPER_ARM + (uint32_t)side * LMBI_ARM_JOINTS;
    const float u = o->shoulder;
    const float arcs[3] = {UPPER_ARM * u, (UPPER_ARM + FOREARM) * u,
                           (UPPER_ARM + FOREARM + HAND) * u};
    lmb_vec3 before = shoulder_of(body, o, side), found[3];
    set_landmark(f, first, before);
    float length = 0;
    uint32_t next = 0;
    for (float y = u - body->grid.cell; y > 0.1f && next < 3; y -= body->grid.cell) {
        // The edge jumps where an arm ends or a hip begins, so limit its slope to one to one.
        lmb_vec3 p = center_along_edge(body, side, y, HALF_ARM * u);
        p.x = fminf(fmaxf(p.x, before.x - body->grid.cell), before.x + body->grid.cell);
        p.z = fminf(fmaxf(p.z, before.z - body->grid.cell), before.z + body->grid.cell);
        length += lmb_vec3_distance(p, before);
        before = p;
        while (next < 3 && length >= arcs[next]) {
            found[next++] = p;
        }
    }
    while (next < 3) {
        found[next++] = before;
    }
    set_landmark(f, first + 1, found[0]);
    set_landmark(f, first + 2, found[1]);
    f->guess[side] = (lmbi_arm_guess){.made = true, .hand_tip = found[2]};
}

/// Places the joints of a missing arm in its stump, close together.
static void fill_stump(lmbi_figure *f, lmb_vec3 shoulder, int side)
{
    const uint32_t first = LMBI_LEFT_UPPER_ARM + (uint32_t)side * LMBI_ARM_JOINTS;
    const float sign = side == 0 ? 1.0f : -1.0f, step = 0.012f;
    for (uint32_t k = 0; k < 3; ++k) {
        set_landmark(f, first + k,
                     lmb_vec3_mad(shoulder, lmb_vec3_make(sign, -1, 0), step * (float)k));
    }
    f->guess[side] =
        (lmbi_arm_guess){.made = true,
                         .missing = true,
                         .hand_tip = lmb_vec3_mad(shoulder, lmb_vec3_make(sign, -1, 0), step * 3)};
}

/// Whether an arm hangs along the body: a waist would be narrower than the shoulders.
static bool arm_hangs(const lmbi_voxel_body *body, const outline *o, int side)
{
    const float elbow = o->shoulder * (1 - 0.8f * UPPER_ARM), below = 0.02f, slack = 0.015f;
    return edge_at(body, side, elbow) > edge_at(body, side, o->shoulder - below) - slack;
}

/// The tip on a side that protrudes as an arm does, or -1.
static int32_t free_arm(const lmbi_figure *f, int side)
{
    const float sign = side == 0 ? 1.0f : -1.0f;
    int32_t best = -1;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        const lmbi_tip *tip = &f->tips[t];
        const bool used =
            t == f->pose.foot[0] || t == f->pose.foot[1] || (int32_t)t == f->pose.head;
        if (!used && sign * tip->position.x > 0.12f && tip->length > 0.15f &&
            tip->position.y > 0.25f && tip->base.y > 0.45f &&
            (best < 0 || tip->length > f->tips[best].length)) {
            best = (int32_t)t;
        }
    }
    return best;
}

/// The height where the legs part: the base of the foot whose branch ends there.
static float crotch_of(const lmbi_figure *f)
{
    const lmbi_tip *a = &f->tips[f->pose.foot[0]], *b = &f->tips[f->pose.foot[1]];
    return a->length < b->length ? a->base.y : b->base.y;
}

bool lmbi_hidden_arms(lmbi_figure *f)
{
    const float shortest_leg = 0.2f; // the flukes of a tail part lower
    outline o;
    const int32_t free[2] = {free_arm(f, 0), free_arm(f, 1)};
    if (!find_outline(&f->body, &o) || (free[0] >= 0 && free[1] >= 0) ||
        crotch_of(f) < shortest_leg) {
        return false;
    }
    for (int side = 0; side < 2; ++side) {
        if (free[side] >= 0) {
            f->pose.hand[side] = (uint32_t)free[side];
        } else if (arm_hangs(&f->body, &o, side)) {
            follow_edge(f, &o, side);
        } else {
            fill_stump(f, shoulder_of(&f->body, &o, side), side);
        }
    }
    return true;
}
