/// Foot locking (after Kovar, Schreiner and Gleicher 2002). Contacts are found for the source's
/// ankle and toe (mapping/contact.c). The target's points are locked at their mean positions, a
/// foot length apart (feet_lock.c): both for a flat foot, the toe alone while the heel rises.
/// Between locks the foot follows the source's path, plus a correction that is continuous in
/// position and velocity (feet_goal.c), and clears the ground (feet_swing.c). The hips are lowered
/// where a leg is too short, and two-bone IK solves the legs (feet_reach.c).
#include "retarget/feet_state.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"

// --------------------------------------------------------------------------------------- the floor
// Floor levelling, and the height at which feet usually stand.

#define FLOOR_S 0.4f       ///< width of the falloff over which contacts set the floor, seconds
#define EDGE_S 0.1f        ///< time at each end of a contact in which a foot rolls, seconds
#define STANCE_FRAMES 0.1f ///< fraction of frames below which a point's stance height is unreliable

/// The lower quartile of a point's locked heights. Without locking, the lowest one is the floor.
static void find_stance_height(lmbi_feet_state *feet, lmbi_foot_point *p, bool lock)
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
static void level_floor(lmbi_feet_state *feet)
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

// ------------------------------------------------------------------------------------ placing feet

#define LAND_S 0.035f ///< contacts are widened by at most this time, to cover landing and lifting
#define LAND_M 0.03f  ///< and only while the point is lower than this, metres
/// highest ankle over the foot's pivot, as a fraction of the pivot's distance ahead
#define ROLLS 0.55f
#define SAME_POSITION 3e-5f  ///< position tolerance, as a fraction of the leg's length
#define FLOOR_QUANTILE 0.04f ///< quantile of a foot's height taken as the floor: lower is noise
#define GROUND_SNAP 0.10f    ///< of the leg's length

/// Length of a metre on the body scaled to a common size.
static float metre_of(const lmbi_humanoid *body)
{
    const float height = lmbi_joint(body, LMB_HUMAN_HEAD) >= 0
                             ? lmbi_reference_at(body, LMB_HUMAN_HEAD).y -
                                   lmbi_reference_at(body, LMB_HUMAN_LEFT_FOOT).y
                             : 0.0f;
    return fmaxf(lmbi_metre_on(body->leg_length), height / 1.5f);
}

static bool begin_point(lmbi_foot_point *p, uint32_t frames, lmbi_arena *arena)
{
    p->path = lmbi_arena_array(arena, frames, sizeof(*p->path));
    p->lock_position = lmbi_arena_array(arena, frames, sizeof(*p->lock_position));
    p->locked = lmbi_arena_array(arena, frames, sizeof(*p->locked));
    p->low = lmbi_arena_array(arena, frames, sizeof(*p->low));
    p->clearance = lmbi_arena_array(arena, frames, sizeof(*p->clearance));
    return p->path != NULL && p->lock_position != NULL && p->locked != NULL && p->low != NULL &&
           p->clearance != NULL;
}

/// Contacts of one point of the source along its path.
static bool find_contacts_of(lmbi_feet_state *feet, lmbi_foot_point *p, const lmb_vec3 *track,
                             bool lock, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    const float body_m = lmbi_metre_on(t->source->leg_length);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        feet->scratch[f] = track[f].y;
    }
    const float floor_height = lmbi_quantile(feet->scratch, feet->frame_count, FLOOR_QUANTILE);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        p->clearance[f] = lock ? 0.0f : fminf(0.0f, t->scale * (track[f].y - floor_height));
    }
    if (!lmbi_contacts_find(track, feet->frame_count, t->motion->rate, body_m, arena,
                            &p->contacts)) {
        return false;
    }
    lmbi_contacts_widen(track, feet->frame_count, (uint32_t)(LAND_S * t->motion->rate + 0.5f),
                        LAND_M * body_m, &p->contacts);
    return true;
}

/// Contacts of the source's ankle and toe.
static bool find_contacts(lmbi_feet_state *feet, lmbi_foot_limb *leg, bool lock, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    const int foot = leg->bone + 2;
    const lmb_vec3 toe = lmbi_toe_of(t->source, foot);
    lmb_vec3 *tracks[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        tracks[k] = lmbi_arena_array(arena, feet->frame_count, sizeof(**tracks));
        if (tracks[k] == NULL) {
            return false;
        }
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            const lmb_transform joint =
                t->motion
                    ->model[(size_t)f * t->source->count + (size_t)lmbi_joint(t->source, foot)];
            tracks[k][f] =
                k == ANKLE ? joint.translation
                           : lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
        }
        if (!find_contacts_of(feet, &leg->points[k], tracks[k], lock, arena)) {
            return false;
        }
    }
    lmbi_contacts_join(tracks[TOE], &leg->points[ANKLE].contacts, t->motion->rate,
                       lmbi_metre_on(t->source->leg_length), &leg->points[TOE].contacts);
    if (leg->is_steep) {
        lmbi_feet_trim_toes(feet, leg);
    }
    return true;
}

/// Moves the ankles along the source's paths and the hips with them, at the height that puts the
/// lowest feet as far from the floor as the source's are from its own.
static bool follow_source(lmbi_feet_state *feet, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    for (int k = 0; k < 2; ++k) {
        lmbi_foot_limb *leg = &feet->legs[k];
        lmb_vec3 *ankles = leg->points[ANKLE].path;
        if (!lmbi_follow_ankle(t, leg->bone, leg->toe, ankles, arena)) {
            return false;
        }
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            const lmb_quat rotation = t->rotations[(size_t)f * t->driven_count + (size_t)leg->foot];
            leg->points[TOE].path[f] = lmb_vec3_add(ankles[f], lmb_quat_rotate(rotation, leg->toe));
        }
    }
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        feet->scratch[f] =
            fminf(feet->legs[0].points[TOE].path[f].y, feet->legs[1].points[TOE].path[f].y);
    }
    const float rise = t->low - lmbi_quantile(feet->scratch, feet->frame_count, FLOOR_QUANTILE);
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        t->hips[f] = lmb_vec3_add(lmbi_follow_hips(t, f), lmb_vec3_make(0, rise, 0));
        for (int k = 0; k < 2 * POINTS; ++k) {
            feet->legs[k / POINTS].points[k % POINTS].path[f].y += rise;
        }
    }
    return true;
}

/// Heights of the points when the foot is flat: those of the reference pose, above the floor.
static void find_flat_heights(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const lmbi_humanoid *body = feet->t->target;
    const int foot = leg->bone + 2;
    const float ankle = lmbi_reference_at(body, foot).y;
    const float toe =
        ankle + lmb_quat_rotate(body->reference[lmbi_joint(body, foot)].rotation, leg->toe).y;
    leg->points[ANKLE].floor = feet->t->target_floor + ankle - toe;
    leg->points[TOE].floor = feet->t->target_floor;
}

/// Whether rotations alone bring the feet to their goals, as between bodies of one proportion.
static bool matches_goals(const lmbi_feet_state *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        for (int k = 0; k < 2; ++k) {
            const lmbi_foot_limb *leg = &feet->legs[k];
            if (lmb_vec3_distance(lmbi_feet_ankle(feet, leg), leg->points[ANKLE].path[f]) >
                SAME_POSITION * leg->length) {
                return false;
            }
        }
    }
    return true;
}

/// The pivot of a steep foot without a toe joint, moved ahead so that toes do not go below the
/// ground.
static lmb_vec3 move_pivot_ahead(const lmbi_humanoid *body, int foot, lmb_vec3 toe)
{
    const lmb_quat rest = body->reference[lmbi_joint(body, foot)].rotation;
    lmb_vec3 ahead = lmb_quat_rotate(rest, toe);
    const float along = lmb_sqrt(ahead.x * ahead.x + ahead.z * ahead.z);
    if (along <= 0.0f || -ahead.y <= ROLLS * along) {
        return toe;
    }
    const float more = -ahead.y / (ROLLS * along);
    ahead = lmb_vec3_make(ahead.x * more, ahead.y, ahead.z * more);
    return lmb_quat_rotate(lmb_quat_conjugate(rest), ahead);
}

static bool begin_leg(lmbi_feet_state *feet, lmbi_foot_limb *leg, int bone, bool lock,
                      lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    const lmbi_humanoid *body = t->target;
    const uint32_t n = feet->frame_count;
    leg->bone = bone;
    leg->upper = lmbi_driven_slot(t, bone);
    leg->lower = lmbi_driven_slot(t, bone + 1);
    leg->foot = lmbi_driven_slot(t, bone + 2);
    leg->toes = lmbi_driven_slot(t, bone + 3);
    leg->toe = lmbi_toe_of(body, bone + 2);
    leg->is_steep = lock && lmbi_foot_is_steep(body, bone + 2, leg->toe);
    if (!leg->is_steep && lmbi_joint(body, bone + 3) < 0) {
        leg->toe = move_pivot_ahead(body, bone + 2, leg->toe);
    }
    leg->toe_length = lmb_vec3_length(leg->toe);
    leg->length =
        lmb_vec3_distance(lmbi_reference_at(body, bone), lmbi_reference_at(body, bone + 1)) +
        lmb_vec3_distance(lmbi_reference_at(body, bone + 1), lmbi_reference_at(body, bone + 2));
    leg->offset = lmbi_arena_array(arena, n, sizeof(*leg->offset));
    leg->rotation = lmbi_arena_array(arena, n, sizeof(*leg->rotation));
    leg->lift = lmbi_arena_array(arena, n, sizeof(*leg->lift));
    leg->raise = lmbi_arena_array(arena, n, sizeof(*leg->raise));
    leg->scratch_depth = lmbi_arena_array(arena, n, sizeof(*leg->scratch_depth));
    find_flat_heights(feet, leg);
    return leg->offset != NULL && leg->rotation != NULL && leg->lift != NULL &&
           leg->raise != NULL && leg->scratch_depth != NULL &&
           begin_point(&leg->points[ANKLE], n, arena) && begin_point(&leg->points[TOE], n, arena) &&
           find_contacts(feet, leg, lock, arena);
}

static bool has_legs(const lmbi_transfer *t)
{
    static const int bones[] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    for (int k = 0; k < 2; ++k) {
        for (int s = 0; s < 3; ++s) {
            if (lmbi_joint(t->source, bones[k] + s) < 0 || lmbi_driven_slot(t, bones[k] + s) < 0) {
                return false;
            }
        }
    }
    return t->source->leg_length > 0.0f && t->target->leg_length > 0.0f;
}

static bool begin_feet(lmbi_feet_state *feet, lmbi_transfer *t, bool lock, lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count;
    feet->t = t;
    feet->frame_count = n;
    feet->body_m = metre_of(t->target);
    feet->snap = GROUND_SNAP * t->target->leg_length;
    feet->model = lmbi_arena_array(arena, t->target->count, sizeof(*feet->model));
    feet->sink = lmbi_arena_array(arena, n, sizeof(*feet->sink));
    feet->scratch = lmbi_arena_array(arena, n, sizeof(*feet->scratch));
    feet->scratch_lift = lmbi_arena_array(arena, n, sizeof(*feet->scratch_lift));
    feet->known = lmbi_arena_array(arena, n, sizeof(*feet->known));
    return feet->model != NULL && feet->sink != NULL && feet->scratch != NULL &&
           feet->scratch_lift != NULL && feet->known != NULL &&
           begin_leg(feet, &feet->legs[0], LMB_HUMAN_LEFT_UPPER_LEG, lock, arena) &&
           begin_leg(feet, &feet->legs[1], LMB_HUMAN_RIGHT_UPPER_LEG, lock, arena);
}

/// Goals of both feet: contacts become locks, locks become ankle goals, and swings clear the
/// ground.
static bool find_goals(lmbi_feet_state *feet, bool lock, lmbi_arena *arena, uint32_t *contact_count)
{
    for (int k = 0; k < 2; ++k) {
        lmbi_foot_limb *leg = &feet->legs[k];
        if (lock) {
            lmbi_feet_lock(feet, leg);
            lmbi_feet_find_goals(feet, leg);
        }
        for (int p = 0; p < POINTS; ++p) {
            *contact_count += lock ? leg->points[p].contacts.count : 0;
            find_stance_height(feet, &leg->points[p], lock);
        }
        if (!lmbi_feet_find_lifts(feet, leg, arena)) {
            return false;
        }
        if (lock) {
            lmbi_feet_raise_soles(feet, leg);
        }
    }
    return true;
}

bool lmbi_feet_place(lmbi_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction)
{
    lmbi_feet_state feet;
    memset(&feet, 0, sizeof(feet));
    *contact_count = 0;
    *largest_correction = 0.0f;
    if (!has_legs(t)) {
        return true;
    }
    if (!begin_feet(&feet, t, lock, arena) || !follow_source(&feet, arena)) {
        return false;
    }
    if (lock && !lmbi_feet_measure_soles(&feet, arena)) {
        return false;
    }
    if (lock) {
        level_floor(&feet);
    } else if (matches_goals(&feet)) {
        return true;
    }
    if (!find_goals(&feet, lock, arena, contact_count)) {
        return false;
    }
    memset(feet.sink, 0, feet.frame_count * sizeof(*feet.sink));
    if (lock) {
        lmbi_feet_find_sink(&feet);
    }
    for (uint32_t f = 0; f < feet.frame_count; ++f) {
        t->hips[f].y -= feet.sink[f];
        lmbi_transfer_pose(t, f, feet.model);
        for (int k = 0; k < 2; ++k) {
            *largest_correction =
                fmaxf(*largest_correction, lmbi_feet_solve_leg(&feet, &feet.legs[k], f));
        }
    }
    return true;
}
