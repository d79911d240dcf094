/// Two pairs of small networks: one moves the joints of arms and legs that were placed in voxels, in heights; the other
/// places those of limbs whose lines run through rings of the surface. They are fitted by tools/fit-limbs.mjs and
/// tools/fit-rings.mjs on the limbs that bench/embed_fit.c and bench/ring_rows.h write.
#include "embed/body_joint.h"
#include "embed/human/human.h"

#include <assert.h>
#include <math.h>

// ---- a network with one hidden layer, as tools/small-net.mjs fits it: out = W2 tanh(W1 x + b1) + b2, where x is how
// many scales an input is from its mean

enum { HIDDEN = 16, MOST_INPUTS = 128 };

typedef struct small_network {
    int inputs, outputs;       ///< at most MOST_INPUTS inputs
    const float *mean, *scale; ///< [inputs]
    const float *hidden;       ///< [HIDDEN][inputs]
    const float *hidden_bias;  ///< [HIDDEN]
    const float *out;          ///< [outputs][HIDDEN]
    const float *out_bias;     ///< [outputs]
} small_network;

/// Of a table whose arrays are dimensioned for that many.
#define SMALL_NETWORK(inputs, outputs, n)                                                      \
    {                                                                                          \
        inputs, outputs, (n)->mean, (n)->scale, (n)->hidden[0], (n)->hidden_bias, (n)->out[0], \
            (n)->out_bias                                                                      \
    }

/// Inputs are at most this many scales from their mean.
static const float MOST = 4;

static float tanh_of(float x)
{
    const float e = lmb_exp(2 * fminf(fmaxf(x, -10), 10));
    return (e - 1) / (e + 1);
}

/// Fills out [outputs]. Returns how strange the inputs are: the root of the mean square of x.
static float run_network(const small_network *n, const float *inputs, float *out)
{
    float x[MOST_INPUTS], hidden[HIDDEN], square = 0;
    assert(n->inputs <= MOST_INPUTS);
    for (int k = 0; k < n->inputs; ++k) {
        x[k] = fminf(fmaxf((inputs[k] - n->mean[k]) / n->scale[k], -MOST), MOST);
        square += x[k] * x[k];
    }
    for (int h = 0; h < HIDDEN; ++h) {
        float sum = n->hidden_bias[h];
        for (int k = 0; k < n->inputs; ++k) {
            sum += n->hidden[h * n->inputs + k] * x[k];
        }
        hidden[h] = tanh_of(sum);
    }
    for (int m = 0; m < n->outputs; ++m) {
        out[m] = n->out_bias[m];
        for (int h = 0; h < HIDDEN; ++h) {
            out[m] += n->out[m * HIDDEN + h] * hidden[h];
        }
    }
    return lmb_sqrt(square / (float)n->inputs);
}

/// Writes the coordinates of a point, of which x is mirrored by `sign`, and steps on.
static void put_point(lmb_vec3 p, float sign, float **out)
{
    *(*out)++ = sign * p.x;
    *(*out)++ = p.y;
    *(*out)++ = p.z;
}

// ---- joints that were placed in voxels

enum { POINTS = 12, HEIGHTS = 8, MOVED = 9 };

typedef struct refining {
    float mean[LMBI_LIMB_LOOK], scale[LMBI_LIMB_LOOK];
    float hidden[HIDDEN][LMBI_LIMB_LOOK], hidden_bias[HIDDEN];
    float out[MOVED][HIDDEN], out_bias[MOVED];
} refining;

static const refining REFINING[2] = {
#include "embed/human/limb_rows.inl"
};

/// Moves up to LEAST_MOVE are not followed, those from SURE_MOVE in full, at most by FARTHEST; in
/// heights. Chosen on families that were left out: tools/fit-limbs.mjs --folds.
static const float LEAST_MOVE = 0.03f, SURE_MOVE = 0.07f, FARTHEST = 0.25f;

/// The share of an ankle's move that the toe joint follows; the rest is the toe tip's, which stays.
static const float TOES_FOLLOW = 0.38f;

static int first_joint(int limb, int side)
{
    return limb == 0 ? LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS
                     : LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
}

static float sample_at(const lmbi_limb_profile *line, const float *values, float arc)
{
    const float at = arc / fmaxf(line->step, 1e-6f);
    const uint32_t last = line->count - 1, n = at < (float)last ? (uint32_t)at : last;
    const float t = n < last ? at - (float)n : 0;
    return values[n] + t * (values[n < last ? n + 1 : n] - values[n]);
}

static void put_line(const lmbi_limb_profile *line, float sign, float **out)
{
    const float total = line->step * (float)(line->count - 1);
    for (int k = 0; k < POINTS; ++k) {
        const float arc = total * (float)k / (POINTS - 1);
        put_point(lmbi_limb_point(line, arc), sign, out);
        *(*out)++ = sample_at(line, line->depth, arc);
        *(*out)++ = fminf(lmb_sqrt(sample_at(line, line->area, arc)), 0.4f);
    }
    *(*out)++ = total;
}

/// How far the solid extends from the mirror plane at a height.
static float half_width(const lmbi_voxel_body *body, float sign, float y)
{
    const float step = 0.5f * body->grid.cell, far = 0.4f;
    float x = 0;
    while (x < far && lmbi_column_depth(body, sign * x, y) > 0) {
        x += step;
    }
    return x;
}

static void put_trunk(const lmbi_figure_parts *w, float sign, float **out)
{
    const lmbi_voxel_body *body = &w->f->body;
    for (int k = 0; k < HEIGHTS; ++k) {
        const float y = 0.24f + 0.1f * (float)k;
        *(*out)++ = half_width(body, sign, y);
        *(*out)++ = lmbi_column_depth(body, 0, y);
    }
    *(*out)++ = w->crown;
    *(*out)++ = w->neck;
    *(*out)++ = w->crotch;
    *(*out)++ = w->neck_clear;
    *(*out)++ = w->crotch_clear;
    *(*out)++ = w->hidden_legs;
}

void lmbi_limb_look(const lmbi_figure_parts *w, const lmbi_human_joints *placed, int limb, int side,
                    float out[LMBI_LIMB_LOOK])
{
    const float sign = side == 0 ? 1.0f : -1.0f;
    const lmb_vec3 *own = placed->at + first_joint(limb, side),
                   *twin = placed->at + first_joint(limb, 1 - side),
                   *other = placed->at + first_joint(1 - limb, side);
    const lmbi_limb_profile *line = limb == 0 ? &w->arms[side].line : &w->legs[side].line,
                            *across = limb == 0 ? &w->arms[1 - side].line : &w->legs[1 - side].line;
    float *to = out;
    for (int k = 0; k < 3; ++k) {
        put_point(own[k], sign, &to);
    }
    for (int k = 0; k < 3; ++k) {
        put_point(twin[k], -sign, &to);
    }
    put_point(across->at[0], -sign, &to);
    put_point(other[0], sign, &to);
    put_line(line, sign, &to);
    put_trunk(w, sign, &to);
    *to++ = limb == 0 ? w->arms[side].root_arc : 0;
    *to++ = limb == 0 ? w->arms[side].radius : w->legs[side].splay;
    *to++ = limb == 0 ? w->arms[side].clear : 0.0f;
    *to++ = limb == 0 ? w->arms[side].narrow : 0.0f;
}

/// The moves of the three joints, on the side whose x is positive.
static void find_moves(const refining *n, const float *look, float moves[MOVED])
{
    const small_network net = SMALL_NETWORK(LMBI_LIMB_LOOK, MOVED, n);
    (void)run_network(&net, look, moves);
}

/// The share of a move that is followed: what is placed well enough stays.
static float followed(float far)
{
    return fminf(fmaxf((far - LEAST_MOVE) / (SURE_MOVE - LEAST_MOVE), 0), 1);
}

void lmbi_refine_limbs(const lmbi_figure_parts *w, lmbi_human_joints *placed)
{
    placed->moved = 0;
    for (int limb = 0; limb < 2; ++limb) {
        for (int side = 0; side < 2; ++side) {
            lmbi_limb_look(w, placed, limb, side, placed->look[limb][side]);
        }
    }
    for (int limb = 0; limb < 2 && w->f->landmarks.count == 0; ++limb) {
        for (int side = 0; side < 2; ++side) {
            const float sign = side == 0 ? 1.0f : -1.0f;
            const int first = first_joint(limb, side);
            float moves[MOVED];
            find_moves(&REFINING[limb], placed->look[limb][side], moves);
            for (int k = 0; k < 3; ++k) {
                const lmb_vec3 by =
                    lmb_vec3_make(sign * moves[3 * k], moves[3 * k + 1], moves[3 * k + 2]);
                const float far = lmb_vec3_length(by);
                const float whole = followed(far) * (far > FARTHEST ? FARTHEST / far : 1);
                placed->moved = fmaxf(placed->moved, far);
                if (!w->landmarks.joint[first + k].set) {
                    placed->at[first + k] = lmb_vec3_mad(placed->at[first + k], by, whole);
                }
                if (limb == 1 && k == 2 && !w->landmarks.joint[first + 3].set) {
                    lmb_vec3 *toes = &placed->at[first + 3];
                    toes->x += TOES_FOLLOW * whole * by.x;
                    toes->z += TOES_FOLLOW * whole * by.z;
                }
            }
        }
    }
}

// ---- joints on rings of the surface

typedef struct placing {
    float mean[LMBI_RING_LOOK], scale[LMBI_RING_LOOK];
    float hidden[HIDDEN][LMBI_RING_LOOK], hidden_bias[HIDDEN];
    float out[LMBI_RING_OUT][HIDDEN], out_bias[LMBI_RING_OUT];
} placing;

static const placing PLACING[2] = {
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
        put_point(lmbi_tip_line_point(line, total * (float)k / (PLACES - 1)), sign, &to);
    }
    put_point(lmbi_tip_line_point(twin, twin->fork), -sign, &to);
    put_point(lmbi_tip_line_point(other, other->fork), sign, &to);
    *to++ = f->middle.y;
    *to++ = f->middle.z;
}

/// Returns how strange the look is.
static float run_placing(const placing *n, const float *look, float out[LMBI_RING_OUT])
{
    const small_network net = SMALL_NETWORK(LMBI_RING_LOOK, LMBI_RING_OUT, n);
    return run_network(&net, look, out);
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
    out->strange = fmaxf(out->strange, run_placing(&PLACING[limb], look, y));
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
