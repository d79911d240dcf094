/// Small networks that move the joints of arms and legs that were placed in voxels, in heights, fitted by
/// tools/fit-limbs.mjs on the limbs that bench/embed_fit.c writes.
#include "embed/body_joint.h"
#include "embed/human/human.h"

#include <math.h>

/// A network with one hidden layer, as tools/small-net.mjs fits it: out = W2 tanh(W1 x + b1) + b2, where x is how many
/// scales an input is from its mean.
enum { HIDDEN = 16, POINTS = 12, HEIGHTS = 8, MOVED = 9 };

typedef struct refining {
    float mean[LMBI_LIMB_LOOK], scale[LMBI_LIMB_LOOK];
    float hidden[HIDDEN][LMBI_LIMB_LOOK], hidden_bias[HIDDEN];
    float out[MOVED][HIDDEN], out_bias[MOVED];
} refining;

static const refining REFINING[2] = {
#include "embed/human/limb_rows.inl"
};

/// Inputs are at most this many scales from their mean.
static const float MOST = 4;

static float tanh_of(float x)
{
    const float e = lmb_exp(2 * fminf(fmaxf(x, -10), 10));
    return (e - 1) / (e + 1);
}

/// The moves of the three joints, on the side whose x is positive.
static void find_moves(const refining *n, const float look[LMBI_LIMB_LOOK], float moves[MOVED])
{
    float x[LMBI_LIMB_LOOK], hidden[HIDDEN];
    for (int k = 0; k < LMBI_LIMB_LOOK; ++k) {
        x[k] = fminf(fmaxf((look[k] - n->mean[k]) / n->scale[k], -MOST), MOST);
    }
    for (int h = 0; h < HIDDEN; ++h) {
        float sum = n->hidden_bias[h];
        for (int k = 0; k < LMBI_LIMB_LOOK; ++k) {
            sum += n->hidden[h][k] * x[k];
        }
        hidden[h] = tanh_of(sum);
    }
    for (int m = 0; m < MOVED; ++m) {
        moves[m] = n->out_bias[m];
        for (int h = 0; h < HIDDEN; ++h) {
            moves[m] += n->out[m][h] * hidden[h];
        }
    }
}

/// Writes the coordinates of a point, of which x is mirrored by `sign`, and steps on.
static void put_point(lmb_vec3 p, float sign, float **out)
{
    *(*out)++ = sign * p.x;
    *(*out)++ = p.y;
    *(*out)++ = p.z;
}

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
