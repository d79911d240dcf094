#include "rig/mirror.h"

#include <math.h>

enum { SAMPLES = 3000 };

typedef struct sample {
    lmb_vec3 at;
    float depth;
} sample;

typedef struct mirror_search {
    const lmbi_body *body;
    lmb_vec3 side, front; ///< side: the guessed normal
    sample samples[SAMPLES];
    uint32_t count;
    double weights; ///< of all samples
} mirror_search;

static lmb_vec3 normal_at(const mirror_search *s, float angle_rad)
{
    return lmb_vec3_mad(lmb_vec3_scale(s->side, lmb_cos(angle_rad)), s->front, lmb_sin(angle_rad));
}

/// Places of the solid; shallower ones say little.
static void take_samples(mirror_search *s)
{
    const float shallow = 1.5f;
    const lmbi_body *body = s->body;
    const uint32_t stride = 1 + body->solid_count / SAMPLES;
    for (uint32_t k = 0; k < body->solid_count; k += stride) {
        const float depth = body->depth[body->solid[k]];
        if (!(depth < shallow)) {
            s->samples[s->count++] = (sample){body->at[k], depth};
            s->weights += (double)depth;
        }
    }
}

/// How much depths differ from those at their mirror images; deep places count more, and none
/// counts more than a limit, so that a bag or a raised arm does not bend the plane. Anything above
/// `enough` where it is more than that.
static float disagreement(const mirror_search *s, float angle_rad, float offset, float enough)
{
    const lmbi_body *body = s->body;
    const lmb_vec3 n = normal_at(s, angle_rad);
    const float limit = 3;
    const double most = (double)enough * s->weights * 1.0001;
    double sum = 0;
    for (uint32_t k = 0; k < s->count && !(sum > most); ++k) {
        const lmb_vec3 p = s->samples[k].at;
        const float depth = s->samples[k].depth;
        const lmb_vec3 image = lmb_vec3_mad(p, n, -2 * (lmb_vec3_dot(p, n) - offset));
        const float off = fabsf(depth - lmb_field_sample(&body->grid, body->depth, image));
        sum += (double)(depth * (off < limit ? off : limit));
    }
    return s->weights > 0 ? (float)(sum / s->weights) : 0;
}

/// Least of a parabola through (-1, a), (0, b), (1, c), b the lowest.
static float parabola(float a, float b, float c)
{
    const float bend = a - 2 * b + c;
    return bend > 1e-9f ? fminf(0.5f, fmaxf(-0.5f, 0.5f * (a - c) / bend)) : 0;
}

float lmbi_mirror_refine(const lmbi_body *body, lmb_vec3 up, lmb_vec3 *normal, float *offset)
{
    mirror_search s;
    s.body = body;
    s.side = *normal;
    s.front = lmb_vec3_cross(*normal, up);
    s.count = 0;
    s.weights = 0;
    take_samples(&s);
    const float degree = LMB_PI / 180;
    float angle = 0, at = *offset, turn = 5 * degree, move = 2 * body->grid.cell;
    const float all = 4; // more than there can be
    float best = disagreement(&s, angle, at, all);
    // The first round tries every pair, the later ones halve the steps about the best.
    for (int round = 0; round < 5; ++round) {
        const int reach = round == 0 ? 3 : 1;
        const float angle0 = angle, at0 = at;
        for (int a = -reach; a <= reach; ++a) {
            for (int o = -reach; o <= reach; ++o) {
                if (a == 0 && o == 0) {
                    continue; // the best so far
                }
                const float value =
                    disagreement(&s, angle0 + (float)a * turn, at0 + (float)o * move, best);
                if (value < best) {
                    best = value;
                    angle = angle0 + (float)a * turn;
                    at = at0 + (float)o * move;
                }
            }
        }
        turn *= 0.5f;
        move *= 0.5f;
    }
    turn = 2 * degree;
    move = body->grid.cell;
    angle += turn * parabola(disagreement(&s, angle - turn, at, all), best,
                             disagreement(&s, angle + turn, at, all));
    at += move * parabola(disagreement(&s, angle, at - move, all), best,
                          disagreement(&s, angle, at + move, all));
    *normal = normal_at(&s, angle);
    *offset = at;
    return best;
}
