/// The floor under feet, and where they mostly stand on it.
#include "retarget/footwork.h"

#include <math.h>
#include <string.h>

#define FLOOR_S 0.4f ///< the floor is learnt from contacts about this near
#define EDGE_S 0.1f  ///< a foot rolls on and off within this
#define STANDS 0.1f  ///< of the frames: a point that stands less is not known to swing

/// The height that most contacts hold a point at. Where nothing is put on the floor, the lowest of
/// them is the floor.
void lmbi_feet_find_stand(lmbi_footwork *feet, lmbi_foot_point *p, bool lock)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        for (uint32_t f = p->contacts.items[i].begin;
             p->contacts.items[i].ground && f < p->contacts.items[i].end; ++f) {
            feet->scratch[count++] = lock ? p->hold[f].y : p->came[f].y;
        }
    }
    if (!lock && count > 0) {
        p->floor = lmbi_quantile(feet->scratch, count, 0.0f);
    }
    p->stand = count > 0 ? lmbi_quantile(feet->scratch, count, 0.25f) : p->floor;
    p->stands = (float)count >= STANDS * (float)feet->frame_count;
}

/// The lowest the point comes around a frame of a contact: where the floor is at that time. The
/// ends do not count, where a foot rolls and dips.
static float lowest(const lmbi_foot_point *p, lmbi_foot_contact c, uint32_t f, uint32_t reach,
                    uint32_t edge)
{
    const uint32_t third = (c.end - c.begin) / 3, ends = third < edge ? third : edge;
    const uint32_t first = c.begin + ends, last = c.end - 1 - ends,
                   in = f < first ? first : (f > last ? last : f);
    const uint32_t a = in > first + reach ? in - reach : first,
                   b = in + reach < last ? in + reach : last;
    float low = p->came[a].y;
    for (uint32_t i = a; i <= b; ++i) {
        low = fminf(low, p->came[i].y);
    }
    return low;
}

static void find_lows(lmbi_foot_point *p, uint32_t reach, uint32_t edge)
{
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_foot_contact c = p->contacts.items[i];
        for (uint32_t f = c.begin; f < c.end; ++f) {
            p->low[f] = lowest(p, c, f, reach, edge);
        }
    }
}

/// Recordings drift up and down by some centimetres: the hips follow the contacts slowly, so that
/// legs need not.
void lmbi_feet_level(lmbi_footwork *feet)
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
        // Toes tell the floor; an ankle rises and falls with the heel.
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
                feet->legs[k].points[p].came[f].y += shift;
                feet->legs[k].points[p].low[f] += shift;
            }
        }
    }
}
