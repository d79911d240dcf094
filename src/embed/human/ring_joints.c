/// Two small networks, fitted by tools/fit-rings.mjs on the lines that bench/ring_rows.h writes.
#include "embed/human/ring_joints.h"
#include "embed/body_joint.h"
#include "embed/human/small_network.h"

#include <math.h>

typedef struct network {
    float mean[LMBI_RING_LOOK], scale[LMBI_RING_LOOK];
    float hidden[LMBI_NETWORK_HIDDEN][LMBI_RING_LOOK], hidden_bias[LMBI_NETWORK_HIDDEN];
    float out[LMBI_RING_OUT][LMBI_NETWORK_HIDDEN], out_bias[LMBI_RING_OUT];
} network;

static const network NETWORKS[2] = {
#include "embed/human/ring_rows.inl"
};

/// Points of a line where radius, bend and place are measured.
enum { RADII = 24, BENDS = 14, PLACES = 10 };

static const lmbi_tip_line *line_of(const lmbi_figure *f, int limb, int side)
{
    return limb == 0 ? &f->hand_line[side] : &f->foot_line[side];
}

static float radius_at(const lmbi_tip_line *line, float fraction)
{
    const float at = fraction * (LMBI_TIP_LINE - 1);
    const uint32_t n = at < LMBI_TIP_LINE - 2 ? (uint32_t)at : LMBI_TIP_LINE - 2;
    return line->radius[n] + (at - (float)n) * (line->radius[n + 1] - line->radius[n]);
}

/// The sine of the angle by which the line turns at an arc.
static float bend_at(const lmbi_tip_line *line, float arc, float reach)
{
    const lmb_vec3 p = lmbi_tip_line_point(line, arc - reach), q = lmbi_tip_line_point(line, arc),
                   r = lmbi_tip_line_point(line, arc + reach), zero = {0, 0, 0};
    const lmb_vec3 in = lmb_vec3_normalize_or(lmb_vec3_sub(q, p), zero),
                   on = lmb_vec3_normalize_or(lmb_vec3_sub(r, q), zero);
    return lmb_vec3_length(lmb_vec3_cross(in, on));
}

void lmbi_ring_look(const lmbi_figure *f, int limb, int side, float out[LMBI_RING_LOOK])
{
    const float sign = side == 0 ? 1.0f : -1.0f;
    const lmbi_tip_line *line = line_of(f, limb, side), *twin = line_of(f, limb, 1 - side),
                        *other = line_of(f, 1 - limb, side);
    const float total = line->step * (LMBI_TIP_LINE - 1), per = 1 / fmaxf(total, 1e-6f);
    float *to = out;
    *to++ = total;
    *to++ = line->fork * per;
    *to++ = twin->fork * per;
    *to++ = other->fork * per;
    for (int k = 0; k < RADII; ++k) {
        *to++ = fminf(radius_at(line, ((float)k + 0.5f) / RADII) * per, 0.6f);
    }
    for (int k = 0; k < BENDS; ++k) {
        *to++ = bend_at(line, total * (0.1f + 0.8f * (float)k / (BENDS - 1)), 0.08f * total);
    }
    for (int k = 0; k < PLACES; ++k) {
        lmbi_put_point(lmbi_tip_line_point(line, total * (float)k / (PLACES - 1)), sign, &to);
    }
    lmbi_put_point(lmbi_tip_line_point(twin, twin->fork), -sign, &to);
    lmbi_put_point(lmbi_tip_line_point(other, other->fork), sign, &to);
    *to++ = f->middle.y;
    *to++ = f->middle.z;
}

/// Returns how strange the look is.
static float run_network(const network *n, const float *look, float out[LMBI_RING_OUT])
{
    return lmbi_small_network_run(&(lmbi_small_network){.inputs = LMBI_RING_LOOK,
                                                        .outputs = LMBI_RING_OUT,
                                                        .mean = n->mean,
                                                        .scale = n->scale,
                                                        .hidden = n->hidden[0],
                                                        .hidden_bias = n->hidden_bias,
                                                        .out = n->out[0],
                                                        .out_bias = n->out_bias},
                                  look, out);
}

static void place_limb(const lmbi_figure *f, int limb, int side, lmbi_human_joints *out)
{
    static const char *const reasons[2][3] = {
        {"where the surface of the arm opens", "a usual share of the surface of the arm",
         "a usual share of the surface before the hand"},
        {"where the surface of the leg opens", "a usual share of the surface of the leg",
         "a usual share of the surface above the foot"}};
    const lmbi_tip_line *line = line_of(f, limb, side);
    const float total = line->step * (LMBI_TIP_LINE - 1), sign = side == 0 ? 1.0f : -1.0f;
    const int first = limb == 0 ? LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS
                                : LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
    float look[LMBI_RING_LOOK], y[LMBI_RING_OUT];
    lmbi_ring_look(f, limb, side, look);
    out->strange = fmaxf(out->strange, run_network(&NETWORKS[limb], look, y));
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 at = lmbi_tip_line_point(line, y[4 * k] * total);
        out->at[first + k] =
            lmb_vec3_add(at, lmb_vec3_make(sign * y[4 * k + 1], y[4 * k + 2], y[4 * k + 3]));
        out->confidence[first + k] = 0.8f;
        out->reason[first + k] = reasons[limb][k];
    }
}

void lmbi_place_ring_limbs(const lmbi_figure *f, lmbi_human_joints *out)
{
    out->strange = 0;
    for (int limb = 0; limb < 2; ++limb) {
        for (int side = 0; side < 2; ++side) {
            place_limb(f, limb, side, out);
        }
    }
    for (int side = 0; side < 2; ++side) {
        out->hand_tip[side] = f->hand_line[side].at[0];
    }
}
