/// Foot locking for chains: paws, hooves and claws. Each leg's end follows the source's, scaled
/// about its rest position; contacts are locked. The body is lowered where a leg is too short, and
/// two-bone IK bends the leg at its two long bones; joints below them keep their local rotation.
#include "retarget/chains.h"
#include "retarget/feet.h"

#include <math.h>

#include "limber/ik.h"

#define LAND_S 0.035f   ///< contacts are widened by at most this time, to cover landing and lifting
#define LAND_M 0.03f    ///< and only while the foot is lower than this, metres
#define FADE_S 0.12f    ///< time over which a correction blends in and out
#define SINK_S 0.15f    ///< time over which the body is lowered and raised
#define SINK_MAX 0.15f  ///< most that the body is lowered, as a fraction of the leg's length
#define STRAIGHT 0.995f ///< longest reach, as a fraction of the leg's length
#define SOFT 0.004f     ///< soft-knee zone of the IK, as a fraction of the leg's length
#define FLATTEN 0.02f   ///< heights below this fraction of the leg are flattened as roll or strike
#define SNAP 0.10f      ///< contacts within this fraction of the leg are snapped to the floor
#define DRAG 0.15f      ///< most that a contact slides, as a fraction of the leg's length
#define STILL 1e-5f     ///< corrections below this fraction of the leg are skipped

typedef struct paw {
    const lmb_body_chain *to, *from;
    lmb_vec3 *path; ///< [frame] position before locking
    lmb_vec3 *offset;
    bool *locked;
    float floor; ///< height of the point when flat on the ground
    lmbi_foot_contacts contacts;
} paw;

typedef struct paw_state {
    lmbi_chain_transfer *t;
    paw paws[LMB_CHAIN_MAX];
    uint32_t frame_count;
    lmb_transform *model;
    lmb_vec3 *track;
    float *sink, *scratch;
} paw_state;

static const lmb_transform *source_pose(const lmbi_chain_transfer *t, uint32_t f)
{
    return t->motion->model + (size_t)f * t->source->count;
}

/// Drops contacts that slide too far, as in a walk in place whose treadmill velocity is unknown:
/// they are not locked.
static void drop_dragged(const paw_state *w, paw *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_foot_contact c = p->contacts.items[i];
        const lmb_vec3 a = p->path[c.begin], b = p->path[c.end - 1];
        const float x = b.x - a.x, z = b.z - a.z, most = DRAG * w->t->target->size;
        // Bad recordings drift: the longer the contact, the more slide is allowed.
        const float seconds = (float)(c.end - c.begin) / w->t->motion->rate;
        if (lmb_sqrt(x * x + z * z) <= most * (1.0f + seconds)) {
            p->contacts.items[kept++] = c;
        }
    }
    p->contacts.count = kept;
}

/// Finds the path of the source's paw, that of the target's, and the contacts.
static bool begin_paw(paw_state *w, paw *p, bool lock, lmbi_arena *arena)
{
    const lmbi_chain_transfer *t = w->t;
    const uint32_t n = w->frame_count;
    p->path = lmbi_arena_array(arena, n, sizeof *p->path);
    p->offset = lmbi_arena_array(arena, n, sizeof *p->offset);
    p->locked = lmbi_arena_array(arena, n, sizeof *p->locked);
    if (p->path == NULL || p->offset == NULL || p->locked == NULL) {
        return false;
    }
    const lmb_vec3 rest = lmbi_paw(t->source, p->from, t->source->reference),
                   goal = lmbi_paw(t->target, p->to, t->target->reference);
    for (uint32_t f = 0; f < n; ++f) {
        w->track[f] = lmbi_paw(t->source, p->from, source_pose(t, f));
        p->path[f] = lmbi_chain_map_point(t, f, w->track[f], rest, goal);
        w->scratch[f] = p->path[f].y;
    }
    // The floor is the body's own when cleaning a motion, else that of the rest pose.
    p->floor = t->same ? lmbi_quantile(w->scratch, n, 0.04f) : goal.y;
    if (!lock) {
        return true;
    }
    if (!lmbi_contacts_find(w->track, n, t->motion->rate, t->source->metre, arena, &p->contacts)) {
        return false;
    }
    lmbi_contacts_widen(w->track, n, (uint32_t)(LAND_S * t->motion->rate + 0.5f),
                        LAND_M * t->source->metre, &p->contacts);
    drop_dragged(w, p);
    return true;
}

static float lowest_height(const paw *p, lmbi_foot_contact c)
{
    float low = p->path[c.begin].y;
    for (uint32_t f = c.begin; f < c.end; ++f) {
        low = fminf(low, p->path[f].y);
    }
    return low;
}

static void lock_contacts(const paw_state *w, paw *p)
{
    const float size = w->t->target->size;
    for (uint32_t i = 0; i < p->contacts.count; ++i) {
        const lmbi_foot_contact c = p->contacts.items[i];
        const lmb_vec3 position = lmbi_contact_mean(p->path, c);
        const float low = lowest_height(p, c);
        const float ground = c.ground && fabsf(low - p->floor) < SNAP * size ? p->floor : low;
        for (uint32_t f = c.begin; f < c.end; ++f) {
            const lmb_vec3 goal = {position.x,
                                   ground + lmbi_flatten_height(p->path[f].y - low, FLATTEN * size),
                                   position.z};
            p->offset[f] = lmb_vec3_sub(goal, p->path[f]);
            p->locked[f] = true;
        }
    }
    lmbi_feet_fill_gaps(p->offset, p->locked, w->frame_count,
                        (uint32_t)(FADE_S * w->t->motion->rate) + 2);
}

/// Raises what would go below its floor. When cleaning a motion, its own penetration is kept.
static void clear_floor(const paw_state *w, paw *p)
{
    for (uint32_t f = 0; f < w->frame_count; ++f) {
        const float own = w->t->same ? fminf(0.0f, p->path[f].y - p->floor) : 0.0f;
        w->sink[f] = fmaxf(0.0f, p->floor + own - p->path[f].y - p->offset[f].y);
    }
    lmbi_feet_spread(w->sink, w->scratch, w->frame_count,
                     (uint32_t)(0.02f * w->t->motion->rate + 1.0f));
    for (uint32_t f = 0; f < w->frame_count; ++f) {
        p->offset[f].y += p->locked[f] ? 0.0f : w->sink[f];
    }
}

// --------------------------------------------------------------------------------------- the legs

static lmb_two_bone_points leg_points(const paw_state *w, const paw *p)
{
    const lmb_body_chain *c = p->to;
    return (lmb_two_bone_points){w->model[c->joints[c->upper]].translation,
                                 w->model[c->joints[c->lower]].translation,
                                 lmbi_paw(w->t->target, c, w->model)};
}

static float needed_sink(const lmb_two_bone_points *leg, lmb_vec3 goal)
{
    const float most = STRAIGHT * (lmb_vec3_distance(leg->start, leg->mid) +
                                   lmb_vec3_distance(leg->mid, leg->end));
    const float x = goal.x - leg->start.x, z = goal.z - leg->start.z, down = leg->start.y - goal.y;
    const float flat2 = x * x + z * z;
    if (flat2 + down * down <= most * most) {
        return 0.0f;
    }
    const float reach = flat2 < most * most ? lmb_sqrt(most * most - flat2) : 0.0f;
    return fminf(fmaxf(down - reach, 0.0f), SINK_MAX * most);
}

static lmb_vec3 goal_of(const paw *p, uint32_t f)
{
    return lmb_vec3_add(p->path[f], p->offset[f]);
}

static void lower_body(paw_state *w)
{
    lmbi_chain_transfer *t = w->t;
    for (uint32_t f = 0; f < w->frame_count; ++f) {
        w->sink[f] = 0.0f;
        lmbi_chain_pose(t, f, w->model);
        for (uint32_t k = 0; k < t->leg_count; ++k) {
            const lmb_two_bone_points leg = leg_points(w, &w->paws[k]);
            const float need = needed_sink(&leg, goal_of(&w->paws[k], f));
            w->sink[f] = w->paws[k].locked[f] ? fmaxf(w->sink[f], need) : w->sink[f];
        }
    }
    lmbi_feet_spread(w->sink, w->scratch, w->frame_count,
                     (uint32_t)(0.5f * SINK_S * t->motion->rate + 1.0f));
    for (uint32_t f = 0; f < w->frame_count; ++f) {
        if (w->sink[f] > 0.0f) {
            lmbi_chain_pose(t, f, w->model);
            const lmb_vec3 at = w->model[t->target->map.root].translation;
            lmbi_chain_set_root(t, f, lmb_vec3_make(at.x, at.y - w->sink[f], at.z));
        }
    }
}

/// The knee's bend axis in the reference pose, rotated with the thigh.
static lmb_vec3 knee_axis(const paw_state *w, const lmb_body_chain *c)
{
    const lmb_transform *rest = w->t->target->reference;
    const int32_t upper = c->joints[c->upper];
    const lmb_vec3 a = rest[upper].translation, b = rest[c->joints[c->lower]].translation,
                   e = lmbi_paw(w->t->target, c, rest);
    const lmb_vec3 zero = {0, 0, 0};
    const lmb_vec3 axis =
        lmb_vec3_normalize_or(lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(e, b)), zero);
    const lmb_quat rotation =
        lmb_quat_mul(w->model[upper].rotation, lmb_quat_conjugate(rest[upper].rotation));
    return lmb_quat_rotate(rotation, axis);
}

/// Sets a joint's model-space rotation and updates the pose below it.
static void set_rotation(paw_state *w, uint32_t f, int32_t joint, lmb_quat rotation)
{
    const lmbi_chain_transfer *t = w->t;
    const int32_t parent = t->target->skeleton->parents[joint];
    lmb_quat local = rotation;
    if (parent >= 0) {
        local = lmb_quat_mul(lmb_quat_conjugate(w->model[parent].rotation), rotation);
    }
    t->local[(size_t)f * t->target->count + (size_t)joint].rotation = lmb_quat_normalize(local);
    lmbi_chain_pose(t, f, w->model);
}

/// Bends a leg so that its paw reaches its goal. Returns the length of the correction.
static float solve_leg(paw_state *w, const paw *p, uint32_t f)
{
    const lmb_body_chain *c = p->to;
    const lmb_two_bone_points leg = leg_points(w, p);
    const lmb_vec3 goal = goal_of(p, f), none = {0, 0, 0};
    const float move = lmb_vec3_distance(goal, leg.end);
    if (c->upper == c->lower || move < STILL * w->t->target->size) {
        return 0.0f;
    }
    const int32_t upper = c->joints[c->upper], lower = c->joints[c->lower],
                  last = c->joints[c->count - 1];
    const lmb_quat foot = w->model[last].rotation, thigh = w->model[upper].rotation,
                   shin = w->model[lower].rotation;
    const bool on_joint =
        lmb_vec3_distance(leg.end, w->model[last].translation) < 1e-4f * w->t->target->size;
    const lmb_two_bone_rotation rotation =
        lmb_two_bone_solve(leg, goal, knee_axis(w, c), none, SOFT);
    set_rotation(w, f, upper, lmb_quat_mul(rotation.start, thigh));
    set_rotation(w, f, lower, lmb_quat_mul(lmb_quat_mul(rotation.start, rotation.mid), shin));
    if (on_joint && last != lower) {
        set_rotation(w, f, last, foot);
    }
    return lmb_vec3_length(p->offset[f]);
}

bool lmbi_paws_place(lmbi_chain_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction)
{
    const uint32_t n = t->motion->frame_count;
    paw_state *w = lmbi_arena_array(arena, 1, sizeof *w);
    *contact_count = 0;
    *largest_correction = 0.0f;
    if (w == NULL) {
        return false;
    }
    w->t = t;
    w->frame_count = n;
    w->model = lmbi_arena_array(arena, t->target->count, sizeof *w->model);
    w->track = lmbi_arena_array(arena, n, sizeof *w->track);
    w->sink = lmbi_arena_array(arena, n, sizeof *w->sink);
    w->scratch = lmbi_arena_array(arena, n, sizeof *w->scratch);
    if (w->model == NULL || w->track == NULL || w->sink == NULL || w->scratch == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < t->leg_count; ++k) {
        paw *p = &w->paws[k];
        p->to = t->legs[k].to;
        p->from = t->legs[k].from;
        if (!begin_paw(w, p, lock, arena)) {
            return false;
        }
        lock_contacts(w, p);
        clear_floor(w, p);
        *contact_count += p->contacts.count;
    }
    if (lock) {
        lower_body(w);
    }
    for (uint32_t f = 0; f < n; ++f) {
        lmbi_chain_pose(t, f, w->model);
        for (uint32_t k = 0; k < t->leg_count; ++k) {
            *largest_correction = fmaxf(*largest_correction, solve_leg(w, &w->paws[k], f));
        }
    }
    return true;
}

bool lmbi_paws_treadmill(const lmbi_chain_body *creature, const lmbi_motion *motion,
                         lmbi_arena *arena, lmb_vec3 *velocity)
{
    const lmb_vec3 *paths[LMB_CHAIN_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < creature->map.count; ++i) {
        const lmb_body_chain *leg = &creature->map.chains[i];
        if (leg->kind != LMB_CHAIN_LEG) {
            continue;
        }
        lmb_vec3 *path = lmbi_arena_array(arena, motion->frame_count, sizeof *path);
        if (path == NULL) {
            return false;
        }
        for (uint32_t f = 0; f < motion->frame_count; ++f) {
            path[f] = lmbi_paw(creature, leg, motion->model + (size_t)f * creature->count);
        }
        paths[count++] = path;
    }
    return lmbi_treadmill_of_paths(paths, count, motion, creature->map.root, creature->metre, arena,
                                   velocity);
}
