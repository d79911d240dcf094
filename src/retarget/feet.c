/// Foot locking (after Kovar, Schreiner and Gleicher 2002): a foot in contact is held at the mean
/// of where it came out, on the ground;
/// the correction fades in and out around the contact; the hips sink where a leg is too short;
/// two-bone IK does the rest.
///
/// Ankle and toe are held on their own: both hold a flat foot, the toe alone holds the ball while
/// the heel rises.
#include "retarget/footwork.h"

#include <math.h>
#include <string.h>

#define FADE_S 0.12f      ///< a correction takes this long to come and go
#define ALIKE 3e-5f       ///< of the leg
#define FLOOR_SHARE 0.04f ///< of the frames have a foot lower than the floor: noise
#define GROUND_SNAP 0.10f ///< of the leg
#define GIVE 0.02f        ///< of the leg

lmb_vec3 lmbi_toe_of(const lmbi_body *body, int foot)
{
    const lmb_transform ankle = body->reference[lmbi_joint(body, foot)];
    lmb_vec3 direction, toe;
    if (lmbi_joint(body, foot + 1) >= 0) {
        toe = lmb_vec3_sub(lmbi_reference_at(body, foot + 1), ankle.translation);
    } else if (lmbi_bone_direction(body, foot, &direction) && fabsf(direction.y) < 0.9f) {
        toe = lmb_vec3_scale(direction, 0.17f * body->leg_length);
    } else {
        toe = lmb_vec3_make(0.0f, -0.06f * body->leg_length, 0.15f * body->leg_length);
    }
    return lmb_quat_rotate(lmb_quat_conjugate(ankle.rotation), toe);
}

/// A metre on a body of common size.
static float metre_of(const lmbi_body *body)
{
    const float height = lmbi_joint(body, LMB_SLOT_HEAD) >= 0
                             ? lmbi_reference_at(body, LMB_SLOT_HEAD).y -
                                   lmbi_reference_at(body, LMB_SLOT_LEFT_FOOT).y
                             : 0.0f;
    return fmaxf(body->leg_length / 0.85f, height / 1.5f);
}

static bool point_begin(lmbi_foot_point *p, uint32_t frames, lmbi_arena *arena)
{
    p->came = lmbi_arena_array(arena, frames, sizeof(*p->came));
    p->offset = lmbi_arena_array(arena, frames, sizeof(*p->offset));
    p->held = lmbi_arena_array(arena, frames, sizeof(*p->held));
    p->low = lmbi_arena_array(arena, frames, sizeof(*p->low));
    p->clearance = lmbi_arena_array(arena, frames, sizeof(*p->clearance));
    return p->came != NULL && p->offset != NULL && p->held != NULL && p->low != NULL &&
           p->clearance != NULL;
}

/// The source's ankle and toe over time, into scratch arrays, and their contacts.
static bool find_contacts(lmbi_footwork *feet, lmbi_foot_limb *leg, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    const int foot = leg->slot + 2;
    const lmb_vec3 toe = lmbi_toe_of(t->source, foot);
    const float body_m = t->source->leg_length / 0.85f;
    lmb_vec3 *track = lmbi_arena_array(arena, feet->frame_count, sizeof(*track));
    if (track == NULL) {
        return false;
    }
    for (int k = 0; k < POINTS; ++k) {
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            const lmb_transform joint =
                t->motion
                    ->model[(size_t)f * t->source->count + (size_t)lmbi_joint(t->source, foot)];
            track[f] = k == ANKLE
                           ? joint.translation
                           : lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
            feet->scratch[f] = track[f].y;
        }
        lmbi_foot_point *p = &leg->points[k];
        const float floor_height = lmbi_quantile(feet->scratch, feet->frame_count, 0.04f);
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            p->clearance[f] = fminf(0.0f, t->scale * (track[f].y - floor_height));
        }
        if (!lmbi_contacts_find(track, feet->frame_count, t->motion->rate, body_m, arena,
                                &p->contacts)) {
            return false;
        }
    }
    return true;
}

/// Lets the ankles go the source's way, the hips above them, the lowest feet as far from the floor
/// as the source's from its own.
static bool follow(lmbi_footwork *feet, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    for (int k = 0; k < 2; ++k) {
        lmbi_foot_limb *leg = &feet->legs[k];
        lmb_vec3 *ankles = leg->points[ANKLE].came;
        if (!lmbi_follow_ankle(t, leg->slot, leg->toe, ankles, arena)) {
            return false;
        }
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            const lmb_quat turn = t->rotations[(size_t)f * t->driven_count + (size_t)leg->foot];
            leg->points[TOE].came[f] = lmb_vec3_add(ankles[f], lmb_quat_rotate(turn, leg->toe));
        }
    }
    const int low = t->toes ? TOE : ANKLE;
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        feet->scratch[f] =
            fminf(feet->legs[0].points[low].came[f].y, feet->legs[1].points[low].came[f].y);
    }
    const float rise = t->low - lmbi_quantile(feet->scratch, feet->frame_count, FLOOR_SHARE);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        t->hips[f] = lmb_vec3_add(lmbi_follow_hips(t, f), lmb_vec3_make(0, rise, 0));
        for (int k = 0; k < 2 * POINTS; ++k) {
            feet->legs[k / POINTS].points[k % POINTS].came[f].y += rise;
        }
    }
    return true;
}

/// Planted heights: those of the reference pose, whose soles are flat, over the floor.
static void find_planted(lmbi_footwork *feet, lmbi_foot_limb *leg)
{
    const lmbi_body *body = feet->t->target;
    const int foot = leg->slot + 2;
    const float ankle = lmbi_reference_at(body, foot).y;
    const float toe =
        ankle + lmb_quat_rotate(body->reference[lmbi_joint(body, foot)].rotation, leg->toe).y;
    const float joint = feet->t->toes ? toe : ankle;
    leg->points[ANKLE].floor = feet->t->target_floor + ankle - joint;
    leg->points[TOE].floor = feet->t->target_floor + toe - joint;
}

/// The turns alone bring the feet to where they shall be: a body of the source's proportions.
static bool alike(const lmbi_footwork *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        for (int k = 0; k < 2; ++k) {
            const lmbi_foot_limb *leg = &feet->legs[k];
            if (lmb_vec3_distance(lmbi_feet_ankle(feet, leg), leg->points[ANKLE].came[f]) >
                ALIKE * leg->length) {
                return false;
            }
        }
    }
    return true;
}

static bool leg_begin(lmbi_footwork *feet, lmbi_foot_limb *leg, int slot, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    const lmbi_body *body = t->target;
    leg->slot = slot;
    leg->upper = lmbi_driven_slot(t, slot);
    leg->lower = lmbi_driven_slot(t, slot + 1);
    leg->foot = lmbi_driven_slot(t, slot + 2);
    leg->toe = lmbi_toe_of(body, slot + 2);
    leg->length =
        lmb_vec3_distance(lmbi_reference_at(body, slot), lmbi_reference_at(body, slot + 1)) +
        lmb_vec3_distance(lmbi_reference_at(body, slot + 1), lmbi_reference_at(body, slot + 2));
    find_planted(feet, leg);
    return point_begin(&leg->points[ANKLE], feet->frame_count, arena) &&
           point_begin(&leg->points[TOE], feet->frame_count, arena) &&
           find_contacts(feet, leg, arena);
}

static bool has_legs(const lmbi_transfer *t)
{
    static const int slots[] = {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_RIGHT_UPPER_LEG};
    for (int k = 0; k < 2; ++k) {
        for (int s = 0; s < 3; ++s) {
            if (lmbi_joint(t->source, slots[k] + s) < 0 || lmbi_driven_slot(t, slots[k] + s) < 0) {
                return false;
            }
        }
    }
    return t->source->leg_length > 0.0f && t->target->leg_length > 0.0f;
}

static bool feet_begin(lmbi_footwork *feet, lmbi_transfer *t, lmbi_arena *arena)
{
    feet->t = t;
    feet->frame_count = t->motion->frame_count;
    feet->body_m = metre_of(t->target);
    feet->snap = GROUND_SNAP * t->target->leg_length;
    feet->model = lmbi_arena_array(arena, t->target->count, sizeof(*feet->model));
    feet->sink = lmbi_arena_array(arena, feet->frame_count, sizeof(*feet->sink));
    feet->scratch = lmbi_arena_array(arena, feet->frame_count, sizeof(*feet->scratch));
    return feet->model != NULL && feet->sink != NULL && feet->scratch != NULL &&
           leg_begin(feet, &feet->legs[0], LMB_SLOT_LEFT_UPPER_LEG, arena) &&
           leg_begin(feet, &feet->legs[1], LMB_SLOT_RIGHT_UPPER_LEG, arena);
}

bool lmbi_feet_place(lmbi_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction)
{
    lmbi_footwork feet;
    memset(&feet, 0, sizeof(feet));
    *contact_count = 0;
    *largest_correction = 0.0f;
    if (!has_legs(t)) {
        return true;
    }
    float *lifts[2] = {lmbi_arena_array(arena, t->motion->frame_count, sizeof(float)),
                       lmbi_arena_array(arena, t->motion->frame_count, sizeof(float))};
    if (lifts[0] == NULL || lifts[1] == NULL || !feet_begin(&feet, t, arena)) {
        return false;
    }
    if (!follow(&feet, arena)) {
        return false;
    }
    if (lock) {
        lmbi_feet_level(&feet);
    } else if (alike(&feet)) {
        return true;
    }
    const uint32_t fade = (uint32_t)(FADE_S * t->motion->rate + 1.0f);
    for (int k = 0; k < 2; ++k) {
        lmbi_feet_place_contacts(&feet.legs[k]);
        for (int p = 0; p < POINTS && lock; ++p) {
            // An ankle that stands higher than a flat foot's stands on its toes.
            const float snap = p == ANKLE ? 0.6f * feet.snap : feet.snap;
            lmbi_feet_hold(&feet.legs[k].points[p], feet.frame_count, fade, snap,
                           GIVE * t->target->leg_length);
            *contact_count += feet.legs[k].points[p].contacts.count;
        }
        for (int p = 0; p < POINTS; ++p) {
            lmbi_feet_find_stand(&feet, &feet.legs[k].points[p], lock);
        }
        if (!lmbi_feet_find_lifts(&feet, &feet.legs[k], lifts[k], arena)) {
            return false;
        }
    }
    memset(feet.sink, 0, feet.frame_count * sizeof(*feet.sink));
    if (lock) {
        lmbi_feet_find_sink(&feet);
    }
    for (uint32_t f = 0; f < feet.frame_count; ++f) {
        t->hips[f].y -= feet.sink[f];
        lmbi_transfer_pose(t, f, feet.model);
        for (int k = 0; k < 2; ++k) {
            *largest_correction = fmaxf(*largest_correction,
                                        lmbi_feet_solve_leg(&feet, &feet.legs[k], f, lifts[k][f]));
        }
    }
    return true;
}
