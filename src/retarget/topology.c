/// The humanoid in a skeleton whose names say nothing: by symmetry and by where the limbs end.
///
/// Every joint and every end of the tree is looked for across the plane of symmetry. The lowest
/// pair of ends is the feet, the widest pair that branches off higher up is the hands. Legs and
/// arms are then cut where the long bones are.
#include "retarget/mapper.h"

#include <math.h>

#define JOINTS_MAX \
    4096 ///< the search looks at pairs: beyond this it is no humanoid, and would take seconds
#define LONG_BONE 0.15f ///< a thigh or shin is longer than this share of the leg

typedef struct pair {
    int32_t a, b;
} pair;

/// How far b is from a's mirror image across the plane with normal `axis` (0 x, 2 z) through the
/// middle.
static float mirror_distance(lmb_vec3 a, lmb_vec3 b, int axis, float middle)
{
    if (axis == 0) {
        a.x = 2.0f * middle - a.x;
    } else {
        a.z = 2.0f * middle - a.z;
    }
    return lmb_vec3_distance(a, b);
}

static float across(lmb_vec3 p, int axis, float middle)
{
    return (axis == 0 ? p.x : p.z) - middle;
}

/// The joint that mirrors `joint`, at least `apart` away from the plane; LMB_NONE when nothing is
/// near its image.
static int32_t mirror_of(const lmbi_mapper *m, uint32_t joint, int axis, float middle,
                         float tolerance)
{
    int32_t best = LMB_NONE;
    for (uint32_t j = 0; j < m->count; ++j) {
        const float d = mirror_distance(m->positions[joint], m->positions[j], axis, middle);
        if (j != joint && m->child_count[j] == m->child_count[joint] &&
            m->depth[j] == m->depth[joint] && d < tolerance &&
            (best < 0 ||
             d < mirror_distance(m->positions[joint], m->positions[best], axis, middle))) {
            best = (int32_t)j;
        }
    }
    return best;
}

typedef struct search {
    lmbi_mapper *m;
    lmb_box box;
    float size, middle;
    int axis;
} search;

static bool is_end(const lmbi_mapper *m, uint32_t joint)
{
    return m->child_count[joint] == 0;
}

/// The pair of ends with the greatest score; `hands`: wide and not below `hips`; else low.
static pair best_ends(const search *s, bool hands, pair feet)
{
    pair best = {LMB_NONE, LMB_NONE};
    float best_score = -1e30f;
    const int32_t hips =
        feet.a >= 0 ? lmbi_common_ancestor(s->m->skeleton, feet.a, feet.b) : LMB_NONE;
    for (uint32_t j = 0; j < s->m->count; ++j) {
        const float side = across(s->m->positions[j], s->axis, s->middle);
        if (!is_end(s->m, j) || side < 0.02f * s->size) {
            continue;
        }
        const int32_t other = mirror_of(s->m, j, s->axis, s->middle, 0.06f * s->size);
        if (other < 0) {
            continue;
        }
        const int32_t meet = lmbi_common_ancestor(s->m->skeleton, (int32_t)j, other);
        const float height = s->m->positions[j].y - s->box.low.y;
        const float length = (float)(s->m->depth[j] - (meet >= 0 ? s->m->depth[meet] : 0));
        const bool elsewhere =
            !hands || (meet != hips && !lmbi_is_under(s->m->skeleton, hips, meet) && meet >= 0);
        const float score =
            hands ? side / s->size + 0.02f * length : -height / s->size + 0.02f * length;
        if (elsewhere && length >= 3.0f && score > best_score) {
            best_score = score;
            best.a = (int32_t)j;
            best.b = other;
        }
    }
    return best;
}

static float bone_length(const lmbi_mapper *m, const lmbi_path *path, int i)
{
    return lmb_vec3_distance(m->positions[path->joints[i]], m->positions[path->joints[i + 1]]);
}

/// Cuts a limb: `upper` begins the first long bone, `end` ends the last, `lower` is nearest to half
/// way between.
static bool cut_limb(const lmbi_mapper *m, const lmbi_path *path, bool arm, int *upper, int *lower,
                     int *end)
{
    float total = 0.0f, longest = 0.0f;
    for (int i = 0; i + 1 < path->count; ++i) {
        const float length = bone_length(m, path, i);
        total += length;
        longest = length > longest ? length : longest;
    }
    const float limit = fmaxf(LONG_BONE * total, 0.45f * longest);
    *upper = -1;
    *end = -1;
    for (int i = 0; i + 1 < path->count; ++i) {
        if (bone_length(m, path, i) >= limit) {
            // A collar bone is long too, but what follows it is longer: an arm has two bones after
            // it.
            *upper = *upper < 0 ? i : *upper;
            *end = i + 1;
        }
    }
    if (*upper < 0 || *end - *upper < 2) {
        return false;
    }
    float along = 0.0f, full = 0.0f, nearest = 1e30f;
    if (arm && *end - *upper >= 3 &&
        bone_length(m, path, *upper) < 0.75f * bone_length(m, path, *upper + 1)) {
        ++*upper;
    }
    for (int i = *upper; i < *end; ++i) {
        full += bone_length(m, path, i);
    }
    for (int i = *upper; i < *end; ++i) {
        if (i > *upper && fabsf(along - 0.5f * full) < nearest) {
            nearest = fabsf(along - 0.5f * full);
            *lower = i;
        }
        along += bone_length(m, path, i);
    }
    return true;
}

static void set(lmbi_mapper *m, int slot, const lmbi_path *path, int i)
{
    if (i >= 0 && i < path->count) {
        lmbi_map_set(m, slot, path->joints[i], LMB_MAP_TOPOLOGY, 0.6f);
    }
}

static void map_limb(lmbi_mapper *m, int32_t end, int32_t meet, bool arm, int first_slot)
{
    const lmbi_path path = lmbi_path_down(m->skeleton, meet, end);
    int upper = -1, lower = -1, last = -1;
    if (!cut_limb(m, &path, arm, &upper, &lower, &last)) {
        return;
    }
    if (arm) {
        set(m, first_slot, &path, upper - 1);
        set(m, first_slot + 1, &path, upper);
        set(m, first_slot + 2, &path, lower);
        set(m, first_slot + 3, &path, last);
    } else {
        set(m, first_slot, &path, upper);
        set(m, first_slot + 1, &path, lower);
        set(m, first_slot + 2, &path, last);
        set(m, first_slot + 3, &path, last + 1);
    }
}

/// +1 when `feet.a` is the left one: toes point forward, and forward x up is right.
static int left_sign(const search *s, pair feet)
{
    float forward = 0.0f; // along z for axis x, along x for axis z
    const int32_t ends[2] = {feet.a, feet.b};
    for (int k = 0; k < 2; ++k) {
        int32_t ankle = ends[k];
        while (s->m->skeleton->parents[ankle] >= 0 &&
               s->m->positions[ankle].y - s->box.low.y < 0.12f * s->size) {
            ankle = s->m->skeleton->parents[ankle];
        }
        const lmb_vec3 d = lmb_vec3_sub(s->m->positions[ends[k]], s->m->positions[ankle]);
        forward += s->axis == 0 ? d.z : d.x;
    }
    const float a = across(s->m->positions[feet.a], s->axis, s->middle);
    // Facing +z, left is +x; facing +x, left is -z.
    const bool positive_is_left = s->axis == 0 ? forward >= 0.0f : forward < 0.0f;
    return (a > 0.0f) == positive_is_left ? 1 : -1;
}

static float symmetry(const search *s, int axis, float middle)
{
    float score = 0.0f;
    for (uint32_t j = 0; j < s->m->count; ++j) {
        score += mirror_of(s->m, j, axis, middle, 0.03f * s->size) >= 0 ? 1.0f : 0.0f;
    }
    return score;
}

static float middle_of(const lmbi_mapper *m, int axis)
{
    // The trunk is where the tree's branches meet: the root that has the most below it lies in the
    // plane.
    uint32_t best = 0;
    for (uint32_t j = 0; j < m->count; ++j) {
        if (m->child_count[j] >= 3) {
            best = j;
            break;
        }
    }
    return axis == 0 ? m->positions[best].x : m->positions[best].z;
}

void lmbi_map_limbs_by_topology(lmbi_mapper *m)
{
    search s = {.m = m, .box = lmb_box_of(m->positions, m->count)};
    s.size = lmb_vec3_distance(s.box.low, s.box.high);
    if (m->count < 8 || m->count > JOINTS_MAX || !(s.size > 0.0f)) {
        return;
    }
    s.axis = symmetry(&s, 0, middle_of(m, 0)) >= symmetry(&s, 2, middle_of(m, 2)) ? 0 : 2;
    s.middle = middle_of(m, s.axis);
    const pair none = {LMB_NONE, LMB_NONE};
    const pair feet = best_ends(&s, false, none);
    if (feet.a < 0) {
        return;
    }
    const pair hands = best_ends(&s, true, feet);
    const bool a_is_left = left_sign(&s, feet) > 0;
    const int32_t leg_meet = lmbi_common_ancestor(m->skeleton, feet.a, feet.b);
    map_limb(m, a_is_left ? feet.a : feet.b, leg_meet, false, LMB_SLOT_LEFT_UPPER_LEG);
    map_limb(m, a_is_left ? feet.b : feet.a, leg_meet, false, LMB_SLOT_RIGHT_UPPER_LEG);
    if (hands.a >= 0) {
        // Both pairs were found from the positive side of the plane.
        const int32_t arm_meet = lmbi_common_ancestor(m->skeleton, hands.a, hands.b);
        map_limb(m, a_is_left ? hands.a : hands.b, arm_meet, true, LMB_SLOT_LEFT_SHOULDER);
        map_limb(m, a_is_left ? hands.b : hands.a, arm_meet, true, LMB_SLOT_RIGHT_SHOULDER);
    }
}
