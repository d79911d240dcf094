/// Positions at which contacts lock ankle and toe, a foot length apart.
#include "retarget/feet_state.h"

#include <math.h>

#include "math/scalar.h"

#define SAME_M 0.04f   ///< contacts this close are locked at one position, metres
#define BRIDGE_S 0.12f ///< shorter gaps between them are bridged
#define BRIEF 0.3f     ///< overlaps below this fraction of both contacts are cut
#define FLATTEN 0.02f  ///< heights below this fraction of the leg are flattened as roll or strike
#define FLATTEN_INSIDE 5.0f ///< factor on FLATTEN well inside a contact
#define EDGE_S 0.15f        ///< time from a contact's ends over which that factor grows

lmb_vec3 lmbi_contact_mean(const lmb_vec3 *path, lmbi_foot_contact c)
{
    lmb_vec3 sum = {0, 0, 0};
    float total = 0.0f;
    const float length = (float)(c.end - c.begin);
    for (uint32_t f = c.begin; f < c.end; ++f) {
        const float x = ((float)(f - c.begin) + 0.5f) / length;
        const float weight = x * (1.0f - x) + 0.02f;
        sum = lmb_vec3_mad(sum, path[f], weight);
        total += weight;
    }
    return lmb_vec3_scale(sum, 1.0f / total);
}

static float ground_distance(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_sqrt((a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z));
}

/// Ends the first contact where the second begins, if they overlap only briefly: then one point
/// lets go while the other lands elsewhere, and they are no common stance.
static void split_brief_overlap(lmbi_foot_contact *a, lmbi_foot_contact *b)
{
    lmbi_foot_contact *first = a->begin <= b->begin ? a : b, *second = first == a ? b : a;
    const uint32_t common = first->end < second->end ? first->end - second->begin : 0;
    if (first->end > second->begin && common > 0 &&
        (float)common < BRIEF * (float)(first->end - first->begin) &&
        (float)common < BRIEF * (float)(second->end - second->begin)) {
        first->end = second->begin;
    }
}

static void split_brief_overlaps(lmbi_foot_limb *leg)
{
    lmbi_foot_contacts *ankles = &leg->points[ANKLE].contacts, *toes = &leg->points[TOE].contacts;
    uint32_t first = 0;
    for (uint32_t i = 0; i < ankles->count; ++i) {
        while (first < toes->count && toes->items[first].end <= ankles->items[i].begin) {
            ++first;
        }
        for (uint32_t k = first; k < toes->count && toes->items[k].begin < ankles->items[i].end;
             ++k) {
            split_brief_overlap(&ankles->items[i], &toes->items[k]);
        }
    }
}

/// Contacts [first, last) of ankle and toe that overlap in time: one stance of the foot.
typedef struct stance {
    uint32_t first[POINTS], last[POINTS];
} stance;

/// The stance that begins where the one before ended. False when there is none.
static bool next_stance(const lmbi_foot_limb *leg, stance *s)
{
    uint32_t end = 0;
    for (int k = 0; k < POINTS; ++k) {
        s->first[k] = s->last[k];
    }
    for (bool any = false, grows = true; grows;) {
        int pick = -1;
        for (int k = 0; k < POINTS; ++k) {
            const lmbi_foot_contacts *c = &leg->points[k].contacts;
            if (s->last[k] < c->count && (!any || c->items[s->last[k]].begin < end) &&
                (pick < 0 || c->items[s->last[k]].begin <
                                 leg->points[pick].contacts.items[s->last[pick]].begin)) {
                pick = k;
            }
        }
        grows = pick >= 0;
        if (grows) {
            const lmbi_foot_contact c = leg->points[pick].contacts.items[s->last[pick]++];
            end = any && end > c.end ? end : c.end;
            any = true;
        }
    }
    return s->first[0] < s->last[0] || s->first[1] < s->last[1];
}

/// Locks all contacts of a point in one stance at their mean, if they are close to each other.
static void merge_positions(lmbi_foot_point *p, uint32_t first, uint32_t last, float same,
                            uint32_t bridge)
{
    lmb_vec3 sum = {0, 0, 0};
    float total = 0.0f;
    for (uint32_t i = first; i < last; ++i) {
        lmbi_foot_contact *c = &p->contacts.items[i];
        c->position = lmbi_contact_mean(p->path, *c);
        const float weight = (float)(c->end - c->begin);
        sum = lmb_vec3_mad(sum, c->position, weight);
        total += weight;
    }
    const lmb_vec3 mean = lmb_vec3_scale(sum, total > 0.0f ? 1.0f / total : 0.0f);
    for (uint32_t i = first; i < last; ++i) {
        if (ground_distance(p->contacts.items[i].position, mean) > same) {
            return;
        }
    }
    for (uint32_t i = first; i < last; ++i) {
        lmbi_foot_contact *c = &p->contacts.items[i];
        c->position = mean;
        if (i + 1 < last && p->contacts.items[i + 1].begin - c->end <= bridge) {
            c->end = p->contacts.items[i + 1].begin;
        }
    }
}

static bool is_one_position(const lmbi_foot_point *p, uint32_t first, uint32_t last)
{
    const lmbi_foot_contact *c = p->contacts.items;
    bool one = true;
    for (uint32_t i = first + 1; i < last; ++i) {
        one =
            one && c[i].position.x == c[first].position.x && c[i].position.z == c[first].position.z;
    }
    return one;
}

/// Heights at which a point is locked: on the floor, and well inside a contact almost constant.
static void find_heights(lmbi_foot_point *p, float snap, float flatten, float edge)
{
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_foot_contact c = p->contacts.items[i];
        for (uint32_t f = c.begin; f < c.end; ++f) {
            const uint32_t in = f - c.begin < c.end - 1 - f ? f - c.begin : c.end - 1 - f;
            const float over = p->low[f] - p->floor, inside = lmbi_smoothstepf((float)in / edge);
            const bool on_floor = (c.ground && over < snap) || over < 0.0f;
            p->lock_position[f].y =
                (on_floor ? p->floor : p->low[f]) +
                lmbi_flatten_height(p->path[f].y - p->low[f],
                                    flatten * (1.0f + (FLATTEN_INSIDE - 1.0f) * inside));
            p->locked[f] = true;
        }
    }
}

/// Horizontal length of the foot, averaged over the frames in which both points are locked, the
/// lowest weighted most; 0 if there are none.
static float length_on_ground(const lmbi_foot_limb *leg, uint32_t begin, uint32_t end)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    float sum = 0.0f, total = 0.0f;
    for (uint32_t f = begin; f < end; ++f) {
        if (a->locked[f] && t->locked[f]) {
            const float over = fmaxf(a->lock_position[f].y - a->floor,
                                     t->lock_position[f].y - t->floor),
                        x = fmaxf(0.0f, over) / (0.05f * leg->toe_length),
                        w = 1.0f / (1.0f + x * x);
            sum += w * (a->lock_position[f].y - t->lock_position[f].y);
            total += w;
        }
    }
    const float drop = total > 0.0f ? sum / total : leg->toe_length, length = leg->toe_length;
    return lmb_sqrt(fmaxf(0.0f, length * length - drop * drop));
}

/// Moves `p` by `weight` of the correction and `q` by the rest, so that they lie `length` apart on
/// the ground.
static void set_distance(lmb_vec3 *p, lmb_vec3 *q, float length, float weight)
{
    const float now = ground_distance(*p, *q);
    if (now <= 0.0f || length <= 0.0f) {
        return;
    }
    const lmb_vec3 d = {(p->x - q->x) / now, 0.0f, (p->z - q->z) / now};
    *p = lmb_vec3_mad(*p, d, weight * (length - now));
    *q = lmb_vec3_mad(*q, d, (weight - 1.0f) * (length - now));
}

/// Sets the distance of ankle and toe: both yield by half if each is locked at one position; if only
/// one of them is, the other yields.
static void fit_foot_length(lmbi_foot_limb *leg, const stance *s, const bool one[POINTS])
{
    lmbi_foot_contact *ankles = leg->points[ANKLE].contacts.items,
                      *toes = leg->points[TOE].contacts.items;
    const uint32_t a0 = s->first[ANKLE], a1 = s->last[ANKLE], t0 = s->first[TOE], t1 = s->last[TOE];
    if (a0 == a1 || t0 == t1) {
        return;
    }
    if (one[ANKLE] && one[TOE]) {
        lmb_vec3 a = ankles[a0].position, b = toes[t0].position;
        const uint32_t end =
            ankles[a1 - 1].end < toes[t1 - 1].end ? ankles[a1 - 1].end : toes[t1 - 1].end;
        set_distance(&a, &b, length_on_ground(leg, ankles[a0].begin, end), 0.5f);
        for (uint32_t i = a0; i < a1; ++i) {
            ankles[i].position = a;
        }
        for (uint32_t i = t0; i < t1; ++i) {
            toes[i].position = b;
        }
        return;
    }
    for (uint32_t i = a0; i < a1 && one[TOE]; ++i) {
        set_distance(&ankles[i].position, &toes[t0].position,
                     length_on_ground(leg, ankles[i].begin, ankles[i].end), 1.0f);
    }
    for (uint32_t i = t0; i < t1 && one[ANKLE] && !one[TOE]; ++i) {
        set_distance(&toes[i].position, &ankles[a0].position,
                     length_on_ground(leg, toes[i].begin, toes[i].end), 1.0f);
    }
}

void lmbi_feet_lock(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const uint32_t bridge = (uint32_t)(BRIDGE_S * feet->t->motion->rate);
    split_brief_overlaps(leg);
    for (stance s = {{0, 0}, {0, 0}}; next_stance(leg, &s);) {
        for (int k = 0; k < POINTS; ++k) {
            merge_positions(&leg->points[k], s.first[k], s.last[k], SAME_M * feet->body_m, bridge);
        }
    }
    for (int k = 0; k < POINTS; ++k) {
        // A higher ankle is that of a foot on its toes: it is not snapped to the floor.
        find_heights(&leg->points[k], k == ANKLE ? 0.6f * feet->snap : feet->snap,
                     leg->is_steep ? 1e6f * leg->length : FLATTEN * feet->t->target->leg_length,
                     EDGE_S * feet->t->motion->rate + 1.0f);
    }
    for (stance s = {{0, 0}, {0, 0}}; next_stance(leg, &s);) {
        bool one[POINTS];
        for (int k = 0; k < POINTS; ++k) {
            one[k] = is_one_position(&leg->points[k], s.first[k], s.last[k]);
        }
        fit_foot_length(leg, &s, one);
    }
    for (int k = 0; k < POINTS; ++k) {
        const lmbi_foot_point *p = &leg->points[k];
        for (uint32_t i = 0; i < p->contacts.count; ++i) {
            const lmbi_foot_contact c = p->contacts.items[i];
            for (uint32_t f = c.begin; f < c.end; ++f) {
                p->lock_position[f].x = c.position.x;
                p->lock_position[f].z = c.position.z;
            }
        }
    }
}
