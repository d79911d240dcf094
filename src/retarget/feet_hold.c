/// Contacts as goals: where a foot is held, and how it comes and goes.
#include "retarget/footwork.h"

#include <math.h>

/// Where a contact holds its point: the mean of where it came out, weighted to the middle of the
/// contact.
static lmb_vec3 contact_place(const lmbi_foot_point *p, lmbi_contact c)
{
    lmb_vec3 sum = {0, 0, 0};
    float total = 0.0f;
    const float length = (float)(c.end - c.begin);
    for (uint32_t f = c.begin; f < c.end; ++f) {
        const float x = ((float)(f - c.begin) + 0.5f) / length;
        const float weight = x * (1.0f - x) + 0.02f;
        sum = lmb_vec3_mad(sum, p->came[f], weight);
        total += weight;
    }
    lmb_vec3 place = lmb_vec3_scale(sum, 1.0f / total);
    return place;
}

static uint32_t overlap(lmbi_contact a, lmbi_contact b)
{
    const uint32_t begin = a.begin > b.begin ? a.begin : b.begin,
                   end = a.end < b.end ? a.end : b.end;
    return end > begin ? end - begin : 0;
}

/// Places of all contacts of a leg. A flat foot is as long as it is: where ankle and toe are held
/// at a time, their places are moved along the foot, half the error each, until they are as far
/// apart as the joints.
void lmbi_feet_place_contacts(lmbi_foot_limb *leg)
{
    lmbi_contacts *ankles = &leg->points[ANKLE].contacts, *toes = &leg->points[TOE].contacts;
    for (int k = 0; k < POINTS; ++k) {
        lmbi_contacts *contacts = &leg->points[k].contacts;
        for (uint32_t i = 0; i < contacts->count; ++i) {
            contacts->items[i].place = contact_place(&leg->points[k], contacts->items[i]);
        }
    }
    const float drop = leg->points[ANKLE].floor - leg->points[TOE].floor,
                length = lmb_vec3_length(leg->toe);
    const float flat = lmb_sqrt(fmaxf(0.0f, length * length - drop * drop));
    uint32_t next = 0;
    for (uint32_t i = 0; i < toes->count; ++i) {
        // Both lists rise: each ankle contact is paired once, with the first toe contact that it
        // overlaps.
        while (next < ankles->count && ankles->items[next].end <= toes->items[i].begin) {
            ++next;
        }
        if (next >= ankles->count || overlap(ankles->items[next], toes->items[i]) == 0) {
            continue;
        }
        lmb_vec3 *a = &ankles->items[next].place, *b = &toes->items[i].place;
        const lmb_vec3 d = {b->x - a->x, 0.0f, b->z - a->z};
        const float now = lmb_vec3_length(d);
        if (fabsf(flat - now) < 0.25f * length) {
            const float half = 0.5f * (flat - now) / now;
            *a = lmb_vec3_mad(*a, d, -half);
            *b = lmb_vec3_mad(*b, d, half);
        }
        ++next;
    }
}

/// Up and down a lmbi_foot_point moves more freely than along the ground, since heels strike and roll: small
/// heights go to nothing, large ones stay.
static float settled(float height, float give)
{
    return height * height / (height + give);
}

/// Offsets inside the contacts; outside, the offset at the edge fades over FADE_S, or over the gap
/// to the next contact.
void lmbi_feet_hold(lmbi_foot_point *p, uint32_t frame_count, uint32_t fade, float snap, float give)
{
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_contact c = p->contacts.items[i];
        for (uint32_t f = c.begin; f < c.end; ++f) {
            const float height = settled(p->came[f].y - p->low[f], give);
            const float over = p->low[f] - p->floor;
            const bool on_floor = c.ground && over < snap;
            p->offset[f] = lmb_vec3_sub(c.place, p->came[f]);
            p->offset[f].y =
                (on_floor || over < 0.0f ? p->floor : p->low[f]) + height - p->came[f].y;
            p->held[f] = 1.0f;
        }
    }
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_contact c = p->contacts.items[i];
        const uint32_t next =
            i + 1 < p->contacts.count ? p->contacts.items[i + 1].begin : frame_count + fade;
        const uint32_t before = i > 0 ? p->contacts.items[i - 1].end : 0;
        const uint32_t after = next - c.end < fade ? next - c.end : fade;
        for (uint32_t k = 1; k <= after && c.end - 1 + k < frame_count && k < next - c.end + 1;
             ++k) {
            const float w = 1.0f - lmbi_smooth((float)k / (float)(after + 1));
            const uint32_t f = c.end - 1 + k;
            p->offset[f] = lmb_vec3_mad(p->offset[f], p->offset[c.end - 1], w);
            p->held[f] = fminf(1.0f, p->held[f] + w);
        }
        const uint32_t gap = c.begin - before;
        const uint32_t ahead = gap < fade ? gap : fade;
        for (uint32_t k = 1; k <= ahead; ++k) {
            const float w = 1.0f - lmbi_smooth((float)k / (float)(ahead + 1));
            const uint32_t f = c.begin - k;
            p->offset[f] = lmb_vec3_mad(p->offset[f], p->offset[c.begin], w);
            p->held[f] = fminf(1.0f, p->held[f] + w);
        }
    }
}

lmbi_foot_goal lmbi_feet_goal(const lmbi_foot_limb *leg, uint32_t f)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    // A lmbi_foot_point that is not held goes along with the one that is.
    lmb_vec3 ankle =
        lmb_vec3_add(a->came[f], lmb_vec3_mad(a->offset[f], t->offset[f], 1.0f - a->held[f]));
    lmb_vec3 toe =
        lmb_vec3_add(t->came[f], lmb_vec3_mad(t->offset[f], a->offset[f], 1.0f - t->held[f]));
    // What goes along may not be taken under the ground by the other.
    ankle.y = fmaxf(ankle.y, fminf(a->came[f].y, a->floor + a->clearance[f]));
    toe.y = fmaxf(toe.y, fminf(t->came[f].y, t->floor + t->clearance[f]));
    const lmb_vec3 was = lmb_vec3_sub(t->came[f], a->came[f]), shall = lmb_vec3_sub(toe, ankle);
    const lmb_vec3 forward = {0, 0, 1};
    lmbi_foot_goal g = {.ankle = ankle, .turn = lmb_quat_identity()};
    g.held = fmaxf(a->held[f], t->held[f]);
    if (g.held <= 0.0f) {
        return g;
    }
    g.turn = lmb_quat_between(lmb_vec3_normalize_or(was, forward),
                              lmb_vec3_normalize_or(shall, forward));
    const lmb_vec3 by_toe = lmb_vec3_sub(toe, lmb_quat_rotate(g.turn, was));
    // The ankle leads while it is held; as it lets go, the toe takes over.
    const float rest = (1.0f - a->held[f]) * t->held[f];
    const float toe_share = rest > 0.0f ? rest / (rest + a->held[f]) : 0.0f;
    g.ankle = lmb_vec3_lerp(ankle, by_toe, toe_share);
    return g;
}
