/// Floor levelling, and the height at which feet usually stand.
#include "retarget/feet_state.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"

#define FLOOR_S 0.4f       ///< width of the falloff over which contacts set the floor, seconds
#define EDGE_S 0.1f        ///< time at each end of a contact in which a foot rolls, seconds
#define STANCE_FRAMES 0.1f ///< fraction of frames below which a point's stance height is unreliable

/// The lower quartile of a point's locked heights. Without locking, the lowest one is the floor.
void lmbi_feet_find_stance_height(lmbi_feet_state *feet, lmbi_foot_point *p, bool lock)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        for (uint32_t f = p->contacts.items[i].begin;
             p->contacts.items[i].ground && f < p->contacts.items[i].end; ++f) {
            feet->scratch[count++] = lock ? p->lock_position[f].y : p->path[f].y;
        }
    }
    if (!lock && count > 0) {
        p->floor = lmbi_quantile(feet->scratch, count, 0.0f);
    }
    p->stance_height = count > 0 ? lmbi_quantile(feet->scratch, count, 0.25f) : p->floor;
    p->has_stance = (float)count >= STANCE_FRAMES * (float)feet->frame_count;
}

/// The lowest height of a point near a frame of its contact: the floor at that time. Both ends of
/// the contact are excluded, because a foot rolls and dips there.
static float lowest_height(const lmbi_foot_point *p, lmbi_foot_contact c, uint32_t f,
                           uint32_t reach, uint32_t edge)
{
    const uint32_t third = (c.end - c.begin) / 3, ends = third < edge ? third : edge;
    const uint32_t first = c.begin + ends, last = c.end - 1 - ends,
                   in = f < first ? first : (f > last ? last : f);
    const uint32_t a = in > first + reach ? in - reach : first,
                   b = in + reach < last ? in + reach : last;
    float low = p->path[a].y;
    for (uint32_t i = a; i <= b; ++i) {
        low = fminf(low, p->path[i].y);
    }
    return low;
}

static void find_lows(lmbi_foot_point *p, uint32_t reach, uint32_t edge)
{
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_foot_contact c = p->contacts.items[i];
        for (uint32_t f = c.begin; f < c.end; ++f) {
            p->low[f] = lowest_height(p, c, f, reach, edge);
        }
    }
}

/// Recordings drift vertically by centimetres: shifts the hips by a smooth mean of the contacts'
/// height errors, so that legs need no correction.
void lmbi_feet_level(lmbi_feet_state *feet)
{
    float *error = feet->scratch, *weight = feet->sink;
    const float reach = FLOOR_S * feet->t->motion->rate;
    const uint32_t window = (uint32_t)(0.75f * reach),
                   edge = (uint32_t)(EDGE_S * feet->t->motion->rate);
    memset(error, 0, feet->frame_count * sizeof(*error));
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        weight[f] = 0.0f;
    }
    for (int k = 0; k < 2; ++k) {
        find_lows(&feet->legs[k].points[ANKLE], window, edge);
        find_lows(&feet->legs[k].points[TOE], window, edge);
        // Only toes measure the floor; an ankle moves with the heel.
        const lmbi_foot_point *p = &feet->legs[k].points[TOE];
        for (uint32_t i = 0; i < p->contacts.count; ++i) {
            const lmbi_foot_contact c = p->contacts.items[i];
            for (uint32_t f = 0; f < feet->frame_count && c.ground; ++f) {
                const uint32_t in = f < c.begin ? c.begin : (f >= c.end ? c.end - 1 : f);
                const float x = (float)(f > in ? f - in : in - f) / reach,
                            w = 1.0f / (1.0f + x * x * x * x);
                const float e = p->floor - p->low[in];
                if (fabsf(e) <= feet->snap) {
                    error[f] += w * e;
                    weight[f] += w;
                }
            }
        }
    }
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        const float shift = weight[f] > 0.0f ? error[f] / weight[f] : 0.0f;
        feet->t->hips[f].y += shift;
        for (int k = 0; k < 2; ++k) {
            for (int p = 0; p < POINTS; ++p) {
                feet->legs[k].points[p].path[f].y += shift;
                feet->legs[k].points[p].low[f] += shift;
            }
        }
    }
}
