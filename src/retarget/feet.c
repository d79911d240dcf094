/// Foot locking (after Kovar, Schreiner and Gleicher 2002): a foot in contact is held at the mean
/// of where it came out, on the ground;
/// the correction fades in and out around the contact; the hips sink where a leg is too short;
/// two-bone IK does the rest.
///
/// Ankle and toe are held on their own: both hold a flat foot, the toe alone holds the ball while
/// the heel rises.
#include "retarget/feet.h"

#include "limber/ik.h"

#include <math.h>
#include <string.h>

#define FADE_S 0.12f       ///< a correction takes this long to come and go
#define SINK_S 0.15f       ///< hips sink and rise over about this long
#define LAND_S 0.025f      ///< a foot comes down on its place, and leaves it, in this time
#define FLOOR_S 0.4f       ///< the floor is learnt from contacts about this near
#define SOFT 0.004f        ///< share of the leg over which it straightens softly
#define STRAIGHT 0.9965f   ///< of the leg's length: further is out of reach
#define EDGE_S 0.2f        ///< the hips do not sink for a contact that begins or ends within this
#define ALIKE 3e-5f        ///< of the leg
#define STANDS 0.1f        ///< of the frames: a point that stands less is not known to swing
#define SINK_MAX 0.15f     ///< of the leg
#define FLOOR_SHARE 0.04f  ///< of the frames have a foot lower than the floor: noise
#define GROUND_SNAP 0.10f  ///< of the leg
#define GIVE 0.02f         ///< of the leg
#define CLEARANCE_M 0.033f ///< swinging feet clear the ground by this on a body of common size
#define GLIDE_S 0.8f       ///< what is low and fast for longer glides on purpose

enum { ANKLE = 0, TOE = 1, POINTS = 2 };

/// One of the four points over time.
typedef struct point {
    lmb_vec3 *came;   ///< where it came out
    lmb_vec3 *offset; ///< to where it shall be, faded
    float *held;      ///< 1 in contact, fading to 0
    float *low;       ///< in contact: where the floor under it came out
    /// how far the source's point may have gone under its floor, scaled; at most 0
    float *clearance;
    lmbi_contacts contacts;
    float floor; ///< height when planted
    bool stands; ///< often enough to tell its swings
    /// height where it mostly stands, which steps or a tilted floor may put higher
    float stand;
} point;

typedef struct limb {
    int32_t upper, lower, foot; ///< driven joints
    int slot;                   ///< of the upper leg
    lmb_vec3 toe;               ///< in the foot joint's frame, model lengths
    point points[POINTS];
    float length;
} limb;

typedef struct footwork {
    lmbi_transfer *t;
    lmb_transform *model; ///< scratch of one frame
    limb legs[2];
    float *sink; ///< [frame] how far the hips are lowered
    float *scratch;
    uint32_t frame_count;
    float body_m; ///< a metre on a body of common size, in units of the target
    float snap;   ///< contacts further from the floor than this are on a step of their own
} footwork;

static float smooth(float x)
{
    return x <= 0.0f ? 0.0f : (x >= 1.0f ? 1.0f : x * x * (3.0f - 2.0f * x));
}

static float clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

// ------------------------------------------------------------------------------------- the points

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

static bool point_begin(point *p, uint32_t frames, lmbi_arena *arena)
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
static bool find_contacts(footwork *feet, limb *leg, lmbi_arena *arena)
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
        point *p = &leg->points[k];
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

static lmb_vec3 ankle_of(const footwork *feet, const limb *leg)
{
    return feet->model[feet->t->driven[leg->foot].joint].translation;
}

/// Lets the ankles go the source's way, the hips above them, the lowest feet as far from the floor
/// as the source's from its own.
static bool follow(footwork *feet, lmbi_arena *arena)
{
    const lmbi_transfer *t = feet->t;
    for (int k = 0; k < 2; ++k) {
        limb *leg = &feet->legs[k];
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
static void find_planted(footwork *feet, limb *leg)
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
static bool alike(const footwork *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        for (int k = 0; k < 2; ++k) {
            const limb *leg = &feet->legs[k];
            if (lmb_vec3_distance(ankle_of(feet, leg), leg->points[ANKLE].came[f]) >
                ALIKE * leg->length) {
                return false;
            }
        }
    }
    return true;
}

// -------------------------------------------------------------------------------------- the floor

/// The height that most contacts hold a point at. Where nothing is put on the floor, the lowest of
/// them is the floor.
static void find_stand(footwork *feet, point *p, bool lock)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        for (uint32_t f = p->contacts.items[i].begin;
             p->contacts.items[i].ground && f < p->contacts.items[i].end; ++f) {
            feet->scratch[count++] = p->came[f].y + p->offset[f].y;
        }
    }
    if (!lock && count > 0) {
        p->floor = lmbi_quantile(feet->scratch, count, 0.0f);
    }
    p->stand = count > 0 ? lmbi_quantile(feet->scratch, count, 0.25f) : p->floor;
    p->stands = (float)count >= STANDS * (float)feet->frame_count;
}

/// The lowest the point comes around a frame of a contact: where the floor is at that time.
static float lowest(const point *p, lmbi_contact c, uint32_t f, uint32_t reach)
{
    const uint32_t a = f > c.begin + reach ? f - reach : c.begin,
                   b = f + reach < c.end ? f + reach : c.end - 1;
    float low = p->came[a].y;
    for (uint32_t i = a; i <= b; ++i) {
        low = fminf(low, p->came[i].y);
    }
    return low;
}

static void find_lows(point *p, uint32_t reach)
{
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_contact c = p->contacts.items[i];
        for (uint32_t f = c.begin; f < c.end; ++f) {
            p->low[f] = lowest(p, c, f, reach);
        }
    }
}

/// Recordings drift up and down by some centimetres: the hips follow the contacts slowly, so that
/// legs need not.
static void level_floor(footwork *feet)
{
    float *error = feet->scratch, *weight = feet->sink;
    const float reach = FLOOR_S * feet->t->motion->rate;
    const uint32_t window = (uint32_t)(0.75f * reach);
    memset(error, 0, feet->frame_count * sizeof(*error));
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        weight[f] = 0.0f;
    }
    for (int k = 0; k < 2; ++k) {
        find_lows(&feet->legs[k].points[ANKLE], window);
        find_lows(&feet->legs[k].points[TOE], window);
        // Toes tell the floor where there are any; an ankle rises and falls with the heel.
        const point *p = &feet->legs[k].points[feet->t->toes ? TOE : ANKLE];
        for (uint32_t i = 0; i < p->contacts.count; ++i) {
            const lmbi_contact c = p->contacts.items[i];
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

// -------------------------------------------------------------------------------- the corrections

/// Where a contact holds its point: the mean of where it came out, weighted to the middle of the
/// contact.
static lmb_vec3 contact_place(const point *p, lmbi_contact c)
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
static void place_contacts(limb *leg)
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

/// Up and down a point moves more freely than along the ground, since heels strike and roll: small
/// heights go to nothing, large ones stay.
static float settled(float height, float give)
{
    return height * height / (height + give);
}

/// Offsets inside the contacts; outside, the offset at the edge fades over FADE_S, or over the gap
/// to the next contact.
static void fill_offsets(point *p, uint32_t frame_count, uint32_t fade, float snap, float give)
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
            const float w = 1.0f - smooth((float)k / (float)(after + 1));
            const uint32_t f = c.end - 1 + k;
            p->offset[f] = lmb_vec3_mad(p->offset[f], p->offset[c.end - 1], w);
            p->held[f] = fminf(1.0f, p->held[f] + w);
        }
        const uint32_t gap = c.begin - before;
        const uint32_t ahead = gap < fade ? gap : fade;
        for (uint32_t k = 1; k <= ahead; ++k) {
            const float w = 1.0f - smooth((float)k / (float)(ahead + 1));
            const uint32_t f = c.begin - k;
            p->offset[f] = lmb_vec3_mad(p->offset[f], p->offset[c.begin], w);
            p->held[f] = fminf(1.0f, p->held[f] + w);
        }
    }
}

/// Where ankle and toe of a foot shall be in a frame.
typedef struct goal {
    lmb_vec3 ankle;
    lmb_quat turn; ///< of the foot, in model space
    float held;
} goal;

static goal frame_goal(const limb *leg, uint32_t f)
{
    const point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    // A point that is not held goes along with the one that is.
    lmb_vec3 ankle =
        lmb_vec3_add(a->came[f], lmb_vec3_mad(a->offset[f], t->offset[f], 1.0f - a->held[f]));
    lmb_vec3 toe =
        lmb_vec3_add(t->came[f], lmb_vec3_mad(t->offset[f], a->offset[f], 1.0f - t->held[f]));
    // What goes along may not be taken under the ground by the other.
    ankle.y = fmaxf(ankle.y, fminf(a->came[f].y, a->floor + a->clearance[f]));
    toe.y = fmaxf(toe.y, fminf(t->came[f].y, t->floor + t->clearance[f]));
    const lmb_vec3 was = lmb_vec3_sub(t->came[f], a->came[f]), shall = lmb_vec3_sub(toe, ankle);
    const lmb_vec3 forward = {0, 0, 1};
    goal g = {.ankle = ankle, .turn = lmb_quat_identity()};
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

/// How far a point that swings by has to be above its planted height: feet on other legs scuff
/// sooner.
static float swing_clearance(const footwork *feet, const point *p, uint32_t f)
{
    const uint32_t a = f > 0 ? f - 1 : 0, b = f + 1 < feet->frame_count ? f + 1 : f;
    const float x = p->came[b].x - p->came[a].x, z = p->came[b].z - p->came[a].z;
    const float seconds = (float)(b - a) / feet->t->motion->rate;
    const float speed = b > a ? lmb_sqrt(x * x + z * z) / (seconds * feet->body_m) : 0.0f;
    return CLEARANCE_M * feet->body_m * smooth((speed - 0.25f) / 0.5f);
}

/// What glides along the ground for long is meant to: skates, a moonwalk.
static void allow_glides(const footwork *feet, const point *p, float *clearance)
{
    const uint32_t most = (uint32_t)(GLIDE_S * feet->t->motion->rate + 1.0f);
    uint32_t begin = 0;
    for (uint32_t f = 0; f <= feet->frame_count; ++f) {
        const bool low = f < feet->frame_count &&
                         clearance[f] > 0.5f * CLEARANCE_M * feet->body_m &&
                         p->came[f].y < p->stand + 0.5f * CLEARANCE_M * feet->body_m;
        if (low) {
            continue;
        }
        for (uint32_t i = begin; f - begin > most && i < f; ++i) {
            clearance[i] = 0.0f;
        }
        begin = f + 1;
    }
}

/// How far a foot has to rise so that neither point goes further under the ground than the source
/// did, and swings clear of it.
static float needed_lift(const limb *leg, uint32_t f, const goal *g, float clear_ankle,
                         float clear_toe)
{
    const point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    const lmb_vec3 was = lmb_vec3_sub(t->came[f], a->came[f]);
    const float toe = g->ankle.y + lmb_quat_rotate(g->turn, was).y;
    const float low_toe = clear_toe > 0.0f ? t->stand + clear_toe : t->floor + t->clearance[f];
    const float low_ankle =
        clear_ankle > 0.0f ? a->stand + clear_ankle : a->floor + a->clearance[f];
    return fmaxf(0.0f, fmaxf(low_toe - toe, low_ankle - g->ankle.y));
}

// --------------------------------------------------------------------------------------- the hips

/// How far the hips have to sink for a goal to come within reach.
static float needed_sink(const limb *leg, lmb_vec3 hip, lmb_vec3 ankle)
{
    const float most = STRAIGHT * leg->length;
    const float x = ankle.x - hip.x, z = ankle.z - hip.z, down = hip.y - ankle.y;
    const float flat2 = x * x + z * z;
    if (flat2 + down * down <= most * most) {
        return 0.0f;
    }
    const float reach = flat2 < most * most ? lmb_sqrt(most * most - flat2) : 0.0f;
    return clampf(down - reach, 0.0f, SINK_MAX * leg->length);
}

/// The greatest value within reach of each frame, then smoothed: never less than was needed, never
/// a jump.
static void spread(float *values, float *scratch, uint32_t count, uint32_t reach)
{
    for (uint32_t f = 0; f < count; ++f) {
        const uint32_t a = f > reach ? f - reach : 0, b = f + reach < count ? f + reach : count - 1;
        scratch[f] = 0.0f;
        for (uint32_t i = a; i <= b; ++i) {
            scratch[f] = fmaxf(scratch[f], values[i]);
        }
    }
    for (uint32_t f = 0; f < count; ++f) {
        float sum = 0.0f, total = 0.0f;
        for (int32_t d = -(int32_t)reach; d <= (int32_t)reach; ++d) {
            const int64_t i = (int64_t)f + d;
            const float x = (float)d / (float)(reach + 1), w = (1.0f - x * x) * (1.0f - x * x);
            // Beyond the ends the last value holds.
            const int64_t at = i < 0 ? 0 : (i >= (int64_t)count ? (int64_t)count - 1 : i);
            sum += w * scratch[at];
            total += w;
        }
        values[f] = sum / total;
    }
}

/// 0 at the edges of a contact, 1 well inside: a heel that is about to rise asks for no lower hips.
static float inside(const limb *leg, uint32_t f, float edge)
{
    float most = 0.0f;
    for (int p = 0; p < POINTS; ++p) {
        const lmbi_contacts *contacts = &leg->points[p].contacts;
        for (uint32_t i = 0; i < contacts->count && contacts->items[i].begin <= f; ++i) {
            const lmbi_contact c = contacts->items[i];
            if (f < c.end) {
                const uint32_t near_edge = f - c.begin < c.end - f ? f - c.begin : c.end - f;
                most = fmaxf(most, smooth((float)near_edge / edge));
            }
        }
    }
    return most;
}

static void find_sink(footwork *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        feet->sink[f] = 0.0f;
        for (int k = 0; k < 2; ++k) {
            const limb *leg = &feet->legs[k];
            const goal g = frame_goal(leg, f);
            if (g.held > 0.0f) {
                const lmb_vec3 hip = feet->model[feet->t->driven[leg->upper].joint].translation;
                feet->sink[f] =
                    fmaxf(feet->sink[f], inside(leg, f, EDGE_S * feet->t->motion->rate) *
                                             needed_sink(leg, hip, g.ankle));
            }
        }
    }
    spread(feet->sink, feet->scratch, feet->frame_count,
           (uint32_t)(0.5f * SINK_S * feet->t->motion->rate + 1.0f));
}

// ----------------------------------------------------------------------------------------- the IK

static float solve_leg(footwork *feet, const limb *leg, uint32_t f, float lift)
{
    lmbi_transfer *t = feet->t;
    goal g = frame_goal(leg, f);
    g.ankle.y += lift;
    // The turns alone are exact where bodies are alike.
    if (g.held <= 0.0f && lmb_vec3_distance(g.ankle, ankle_of(feet, leg)) < 1e-5f * leg->length) {
        return 0.0f;
    }
    const lmb_transform *upper = &feet->model[t->driven[leg->upper].joint],
                        *lower = &feet->model[t->driven[leg->lower].joint];
    const lmb_two_bone_points bones = {upper->translation, lower->translation, ankle_of(feet, leg)};
    // A straight knee bends forward: about the joint's own left, as it stands in the reference
    // pose.
    const lmb_quat stood = t->target->reference[t->driven[leg->lower].joint].rotation;
    const lmb_quat turned = lmb_quat_mul(lower->rotation, lmb_quat_conjugate(stood));
    const lmb_vec3 hinge = lmb_quat_rotate(turned, lmb_vec3_make(1, 0, 0)), none = {0, 0, 0};
    const lmb_two_bone_turn turn = lmb_two_bone_solve(bones, g.ankle, hinge, none, SOFT * g.held);
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    rotations[leg->upper] = lmb_quat_normalize(lmb_quat_mul(turn.start, rotations[leg->upper]));
    rotations[leg->lower] =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_mul(turn.start, turn.mid), rotations[leg->lower]));
    rotations[leg->foot] = lmb_quat_normalize(lmb_quat_mul(g.turn, rotations[leg->foot]));
    return lmb_vec3_distance(g.ankle, leg->points[ANKLE].came[f]);
}

/// 1 away from contacts, 0 a few frames inside one: a foot that stands already comes down the last
/// centimetres, and rises before it swings.
static float free_share(const limb *leg, uint32_t f, uint32_t frame_count, uint32_t ramp)
{
    for (uint32_t k = 0; k <= ramp; ++k) {
        bool before = f < k, after = f + k >= frame_count;
        for (int p = 0; p < POINTS; ++p) {
            const float *held = leg->points[p].held;
            before = before || held[f - k] >= 1.0f;
            after = after || held[f + k] >= 1.0f;
        }
        if (!before || !after) {
            return 1.0f - smooth((float)k / (float)(ramp + 1));
        }
    }
    return 0.0f;
}

static bool find_lifts(footwork *feet, const limb *leg, float *lift, lmbi_arena *arena)
{
    const uint32_t n = feet->frame_count;
    float *clear[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        clear[k] = lmbi_arena_array(arena, n, sizeof(float));
        if (clear[k] == NULL) {
            return false;
        }
        for (uint32_t f = 0; f < n; ++f) {
            clear[k][f] = leg->points[k].stands ? swing_clearance(feet, &leg->points[k], f) : 0.0f;
        }
        allow_glides(feet, &leg->points[k], clear[k]);
    }
    for (uint32_t f = 0; f < n; ++f) {
        const goal g = frame_goal(leg, f);
        lift[f] = needed_lift(leg, f, &g, clear[ANKLE][f], clear[TOE][f]);
    }
    spread(lift, feet->scratch, n, (uint32_t)(0.02f * feet->t->motion->rate + 1.0f));
    const uint32_t ramp = (uint32_t)(LAND_S * feet->t->motion->rate);
    for (uint32_t f = 0; f < n; ++f) {
        lift[f] *= free_share(leg, f, n, ramp);
    }
    return true;
}

static bool leg_begin(footwork *feet, limb *leg, int slot, lmbi_arena *arena)
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

static bool feet_begin(footwork *feet, lmbi_transfer *t, lmbi_arena *arena)
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
    footwork feet;
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
        level_floor(&feet);
    } else if (alike(&feet)) {
        return true;
    }
    const uint32_t fade = (uint32_t)(FADE_S * t->motion->rate + 1.0f);
    for (int k = 0; k < 2; ++k) {
        place_contacts(&feet.legs[k]);
        for (int p = 0; p < POINTS && lock; ++p) {
            // An ankle that stands higher than a flat foot's stands on its toes.
            const float snap = p == ANKLE ? 0.6f * feet.snap : feet.snap;
            fill_offsets(&feet.legs[k].points[p], feet.frame_count, fade, snap,
                         GIVE * t->target->leg_length);
            *contact_count += feet.legs[k].points[p].contacts.count;
        }
        for (int p = 0; p < POINTS; ++p) {
            find_stand(&feet, &feet.legs[k].points[p], lock);
        }
        if (!find_lifts(&feet, &feet.legs[k], lifts[k], arena)) {
            return false;
        }
    }
    memset(feet.sink, 0, feet.frame_count * sizeof(*feet.sink));
    if (lock) {
        find_sink(&feet);
    }
    for (uint32_t f = 0; f < feet.frame_count; ++f) {
        t->hips[f].y -= feet.sink[f];
        lmbi_transfer_pose(t, f, feet.model);
        for (int k = 0; k < 2; ++k) {
            *largest_correction =
                fmaxf(*largest_correction, solve_leg(&feet, &feet.legs[k], f, lifts[k][f]));
        }
    }
    return true;
}
