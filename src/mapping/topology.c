/// Finds the humanoid in a skeleton without meaningful names, by symmetry and the positions of
/// ends.
///
/// Of several trees (some files have cameras beside the body) the largest is searched. Its ends are
/// paired across the plane of symmetry: the lowest pair is the feet, the widest pair that branches
/// off higher up is the hands. limb_cut.c splits legs and arms.
#include "mapping/mapper.h"

#include <math.h>

#define JOINTS_MAX \
    4096 ///< the search is quadratic: larger skeletons are no humanoids and would take seconds

typedef struct pair {
    int32_t a, b;
} pair;

/// Distance of b from a's mirror image across the plane with normal `axis` (0 x, 2 z) at `middle`.
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

typedef struct search {
    lmbi_mapper *m;
    int32_t root; ///< of the largest tree
    lmb_box box;
    float size, middle;
    int axis;
} search;

/// The mirror image of `joint`; LMB_NONE if no joint is near it.
static int32_t mirror_of(const search *s, uint32_t joint, int axis, float middle, float tolerance)
{
    const lmbi_mapper *m = s->m;
    int32_t best = LMB_NONE;
    float nearest = tolerance;
    for (uint32_t j = 0; j < m->count; ++j) {
        const float d = mirror_distance(m->positions[joint], m->positions[j], axis, middle);
        if (j != joint && m->child_count[j] == m->child_count[joint] &&
            m->depth[j] == m->depth[joint] && d < nearest &&
            lmbi_is_under(m->skeleton, (int32_t)j, s->root)) {
            best = (int32_t)j;
            nearest = d;
        }
    }
    return best;
}

static bool is_end(const lmbi_mapper *m, uint32_t joint)
{
    return m->child_count[joint] == 0;
}

/// The pair of ends with the greatest score: with `hands` wide and not below the hips, else low.
static pair best_ends(const search *s, bool hands, pair feet)
{
    pair best = {LMB_NONE, LMB_NONE};
    float best_score = -1e30f;
    const int32_t hips =
        feet.a >= 0 ? lmbi_common_ancestor(s->m->skeleton, feet.a, feet.b) : LMB_NONE;
    for (uint32_t j = 0; j < s->m->count; ++j) {
        const float side = across(s->m->positions[j], s->axis, s->middle);
        if (!is_end(s->m, j) || side < 0.02f * s->size ||
            !lmbi_is_under(s->m->skeleton, (int32_t)j, s->root)) {
            continue;
        }
        const int32_t other = mirror_of(s, j, s->axis, s->middle, 0.06f * s->size);
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

static void set_bone(lmbi_mapper *m, int bone, const lmbi_path *path, int i)
{
    if (i >= 0 && i < path->count) {
        lmbi_map_set(m, bone, path->joints[i], LMB_MAP_TOPOLOGY, 0.6f);
    }
}

static void map_limb(lmbi_mapper *m, const lmbi_path *path, lmbi_limb_cut cut, bool arm,
                     int first_bone)
{
    if (arm) {
        set_bone(m, first_bone, path, cut.upper - 1);
        set_bone(m, first_bone + 1, path, cut.upper);
        set_bone(m, first_bone + 2, path, cut.lower);
        set_bone(m, first_bone + 3, path, cut.end);
    } else {
        set_bone(m, first_bone, path, cut.upper);
        set_bone(m, first_bone + 1, path, cut.lower);
        set_bone(m, first_bone + 2, path, cut.end);
        set_bone(m, first_bone + 3, path, cut.end + 1);
    }
}

/// Forward distance, up to its sign: along z for a plane with normal x, along x for one with normal
/// z.
static float to_front(const search *s, lmb_vec3 from, lmb_vec3 to)
{
    return s->axis == 0 ? to.z - from.z : to.x - from.x;
}

/// Forward sign of a limb: toes point forward; without toes, knees bend forward and elbows
/// backward.
static float forward_of_limb(const search *s, const lmbi_path *path, lmbi_limb_cut cut, bool arm)
{
    const lmb_vec3 *at = s->m->positions;
    const int32_t upper = path->joints[cut.upper], lower = path->joints[cut.lower],
                  end = path->joints[cut.end], last = path->joints[path->count - 1];
    const float length = lmb_vec3_distance(at[upper], at[lower]);
    lmb_vec3 toe = at[last];
    if (last == end && s->m->tips != NULL) {
        toe = s->m->tips[end];
    }
    const float foot = arm ? 0.0f : to_front(s, at[end], toe);
    if (fabsf(foot) > 0.1f * length) {
        return foot;
    }
    const float bend = to_front(s, lmb_vec3_lerp(at[upper], at[end], 0.5f), at[lower]);
    return 0.2f * (arm ? -bend : bend);
}

typedef struct limbs {
    lmbi_path path[2];
    lmbi_limb_cut cut[2];
    bool found;
} limbs;

static limbs cut_limbs(const search *s, pair ends, bool arm)
{
    limbs l = {.found = ends.a >= 0};
    for (int k = 0; k < 2 && l.found; ++k) {
        const int32_t meet = lmbi_common_ancestor(s->m->skeleton, ends.a, ends.b);
        l.path[k] = lmbi_path_down(s->m->skeleton, meet, k == 0 ? ends.a : ends.b);
        l.found = lmbi_limb_cut_find(s->m, &l.path[k], arm, &l.cut[k]);
    }
    return l;
}

/// Whether the limbs on the positive side of the plane are the left ones: facing +Z, left is +X;
/// facing +X, left is -Z. The default is +Z.
static bool positive_is_left(const search *s, const limbs *legs, const limbs *arms)
{
    float forward = 0.0f;
    for (int k = 0; k < 2; ++k) {
        forward += forward_of_limb(s, &legs->path[k], legs->cut[k], false);
        forward += arms->found ? forward_of_limb(s, &arms->path[k], arms->cut[k], true) : 0.0f;
    }
    return s->axis == 0 ? forward >= 0.0f : forward < 0.0f;
}

static float count_mirrored(const search *s, int axis, float middle)
{
    float score = 0.0f;
    for (uint32_t j = 0; j < s->m->count; ++j) {
        const bool in = lmbi_is_under(s->m->skeleton, (int32_t)j, s->root);
        score += in && mirror_of(s, j, axis, middle, 0.03f * s->size) >= 0 ? 1.0f : 0.0f;
    }
    return score;
}

/// Position of the symmetry plane: the first joint with three children is taken to lie in it.
static float middle_of(const search *s, int axis)
{
    const lmbi_mapper *m = s->m;
    uint32_t best = (uint32_t)s->root;
    for (uint32_t j = best; j < m->count; ++j) {
        if (m->child_count[j] >= 3 && lmbi_is_under(m->skeleton, (int32_t)j, s->root)) {
            best = j;
            break;
        }
    }
    return axis == 0 ? m->positions[best].x : m->positions[best].z;
}

/// The root of the tree with the most joints, and their number.
static int32_t largest_tree(const lmbi_mapper *m, uint32_t *count)
{
    int32_t best = LMB_NONE;
    *count = 0;
    for (uint32_t j = 0; j < m->count; ++j) {
        uint32_t joints = 0;
        for (uint32_t i = j; i < m->count && m->depth[j] == 0; ++i) {
            joints += lmbi_is_under(m->skeleton, (int32_t)i, (int32_t)j) ? 1 : 0;
        }
        if (joints > *count) {
            best = (int32_t)j;
            *count = joints;
        }
    }
    return best;
}

static bool begin_search(search *s, lmbi_mapper *m)
{
    uint32_t joints = 0;
    *s = (search){.m = m, .box = lmb_box_empty()};
    if (m->count > JOINTS_MAX) {
        return false;
    }
    s->root = largest_tree(m, &joints);
    for (uint32_t j = 0; j < m->count && joints >= 8; ++j) {
        if (lmbi_is_under(m->skeleton, (int32_t)j, s->root)) {
            s->box = lmb_box_add(s->box, m->positions[j]);
        }
    }
    s->size = joints >= 8 ? lmb_vec3_distance(s->box.low, s->box.high) : 0.0f;
    if (!(s->size > 0.0f)) {
        return false;
    }
    s->axis =
        count_mirrored(s, 0, middle_of(s, 0)) >= count_mirrored(s, 2, middle_of(s, 2)) ? 0 : 2;
    s->middle = middle_of(s, s->axis);
    return true;
}

void lmbi_map_limbs_by_topology(lmbi_mapper *m)
{
    const pair none = {LMB_NONE, LMB_NONE};
    search s;
    if (!begin_search(&s, m)) {
        return;
    }
    const pair feet = best_ends(&s, false, none);
    if (feet.a < 0) {
        return;
    }
    const limbs legs = cut_limbs(&s, feet, false),
                arms = cut_limbs(&s, best_ends(&s, true, feet), true);
    if (!legs.found) {
        return;
    }
    // Both pairs were found from the positive side of the plane.
    const int left = positive_is_left(&s, &legs, &arms) ? 0 : 1;
    for (int k = 0; k < 2; ++k) {
        map_limb(m, &legs.path[k], legs.cut[k], false,
                 k == left ? LMB_HUMAN_LEFT_UPPER_LEG : LMB_HUMAN_RIGHT_UPPER_LEG);
        if (arms.found) {
            map_limb(m, &arms.path[k], arms.cut[k], true,
                     k == left ? LMB_HUMAN_LEFT_SHOULDER : LMB_HUMAN_RIGHT_SHOULDER);
        }
    }
}
