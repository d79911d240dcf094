/// The mirror symmetry of a skeleton: which joints lie in the middle plane, and which are mirror
/// images. Found from the root down, so that legs in mid-stride still match: siblings are paired by
/// the centroids of their subtrees, and joints below a pair in the same manner.
#include "mapping/twins.h"

#include <math.h>

/// Joints without a twin this close to the plane are trunk, of the extent. A body without pairs, such
/// as a snake that lies in curves, has no plane.
#define IN_MIDDLE 0.06f

static void measure_joints(lmbi_skeleton_shape *s, lmb_transform *model)
{
    const lmb_skeleton *skeleton = s->skeleton;
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
        s->at[j] = s->joints[j].middle = model[j].translation;
        s->joints[j].tip =
            skeleton->tips != NULL ? lmb_transform_point(model[j], skeleton->tips[j]) : s->at[j];
        s->joints[j].name =
            lmbi_name_read_below(skeleton->names[j], parent < 0 ? NULL : &s->joints[parent].name);
        s->joints[j].size = 1;
        if (parent >= 0) {
            ++s->joints[parent].children;
        }
    }
    for (uint32_t j = s->count; j-- > 0;) {
        const int32_t parent = skeleton->parents[j];
        if (s->joints[j].children == 0) {
            s->joints[j].below = lmb_vec3_distance(s->at[j], s->joints[j].tip);
        }
        s->joints[j].middle = lmb_vec3_scale(s->joints[j].middle, 1.0f / (float)s->joints[j].size);
        if (parent >= 0) {
            s->joints[j].sibling = s->joints[parent].child;
            s->joints[parent].child = j;
            s->joints[parent].middle = lmb_vec3_mad(s->joints[parent].middle, s->joints[j].middle,
                                                    (float)s->joints[j].size);
            s->joints[parent].size += s->joints[j].size;
            s->joints[parent].below =
                fmaxf(s->joints[parent].below,
                      s->joints[j].below + lmb_vec3_distance(s->at[j], s->at[parent]));
        }
    }
}

bool lmbi_shape_is_end(const lmbi_skeleton_shape *s, uint32_t joint)
{
    const int32_t parent = s->skeleton->parents[joint];
    return s->joints[joint].children == 0 && parent >= 0 &&
           lmb_vec3_distance(s->joints[joint].tip, s->at[parent]) > 0.0f;
}

int32_t lmbi_shape_down(const lmbi_skeleton_shape *s, int32_t joint)
{
    int32_t best = LMB_NONE;
    float longest = 0.0f;
    for (uint32_t j = s->joints[joint].child; j != 0; j = s->joints[j].sibling) {
        const float length = s->joints[j].below + lmb_vec3_distance(s->at[j], s->at[joint]);
        if (length > longest) {
            longest = length;
            best = (int32_t)j;
        }
    }
    return best;
}

/// Finds the tree with the most joints and the box of its ends. within[count] is scratch.
static void measure_bounds(lmbi_skeleton_shape *s, bool *within)
{
    lmb_box box = lmb_box_empty();
    s->root = 0;
    for (uint32_t j = 0; j < s->count; ++j) {
        if (s->skeleton->parents[j] < 0 && s->joints[j].size > s->joints[s->root].size) {
            s->root = (int32_t)j;
        }
    }
    for (uint32_t j = (uint32_t)s->root; j < s->count; ++j) {
        const int32_t parent = s->skeleton->parents[j];
        within[j] = parent < 0 ? (int32_t)j == s->root : parent >= s->root && within[parent];
        s->joints[j].twin = within[j] && !s->joints[j].name.handle ? (int32_t)j : LMB_NONE;
        if (s->joints[j].twin >= 0 && lmbi_shape_is_end(s, j)) {
            box = lmb_box_add(lmb_box_add(box, s->joints[j].tip), s->at[j]);
        }
    }
    const bool any = box.high.y >= box.low.y;
    s->extent = any ? lmb_vec3_distance(box.low, box.high) : 0.0f;
    s->ground = any ? box.low.y : 0.0f;
    s->height = any ? box.high.y - box.low.y : 0.0f;
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    s->aside = !any || size.x <= size.z ? lmb_vec3_make(1, 0, 0) : lmb_vec3_make(0, 0, 1);
}

// --------------------------------------------------------------------------------------- the twins

/// The twin of j among the children of `parent`, or LMB_NONE: by name, else the nearest unnamed
/// one. `seen` marks joints that are paired already.
static int32_t find_twin(const lmbi_skeleton_shape *s, const lmbi_twins *twins,
                         const uint32_t *named, const bool *seen, uint32_t j, int32_t parent,
                         bool siblings)
{
    const uint32_t name = named[j];
    if (name != j && s->skeleton->parents[name] == parent && !seen[name] &&
        s->joints[name].twin >= 0) {
        return (int32_t)name;
    }
    return siblings && name != j ? LMB_NONE
                                 : lmbi_twins_nearest(twins, j, (uint32_t)parent, siblings);
}

/// Pairs twins from the root down; a branch without one is trunk within `middle` of the plane.
/// Returns how many joints have one.
static uint32_t pair_twins(lmbi_skeleton_shape *s, lmbi_twins *twins, const uint32_t *named,
                           bool *seen, float middle)
{
    uint32_t paired = 0;
    lmbi_twins_reset(twins, named);
    for (uint32_t j = 0; j < s->count; ++j) {
        seen[j] = false;
    }
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = s->skeleton->parents[j];
        if (s->joints[j].twin < 0 || seen[j]) {
            continue;
        }
        seen[j] = true;
        lmbi_twins_remove(twins, j);
        const int32_t other = parent < 0 ? LMB_NONE : s->joints[parent].twin;
        if (parent < 0) {
            continue;
        }
        const bool siblings = other == parent;
        const int32_t twin =
            other < 0 ? LMB_NONE : find_twin(s, twins, named, seen, j, other, siblings);
        if (twin >= 0) {
            s->joints[j].twin = twin;
            s->joints[twin].twin = (int32_t)j;
            seen[twin] = true;
            lmbi_twins_remove(twins, (uint32_t)twin);
            paired += 2;
        } else if (!siblings || (s->joints[parent].children > 1 &&
                                 fabsf(lmbi_off_plane(s, s->at[j])) > middle)) {
            s->joints[j].twin = LMB_NONE;
        }
    }
    return paired;
}

/// Position of the middle plane: the mean of the joints paired by name, else the first joint at
/// which the tree branches.
static float find_plane(const lmbi_skeleton_shape *s, const uint32_t *named)
{
    float sum = 0.0f, total = 0.0f;
    int32_t fork = s->root;
    for (uint32_t j = 0; j < s->count; ++j) {
        if (s->joints[j].twin >= 0 && named[j] != j) {
            sum += lmb_vec3_dot(s->at[j], s->aside);
            total += 1.0f;
        }
        if (fork == s->root && s->joints[j].twin >= 0 && s->joints[j].children > 1 &&
            (int32_t)j != s->root) {
            fork = (int32_t)j;
        }
    }
    return total > 0.0f ? sum / total : lmb_vec3_dot(s->at[fork], s->aside);
}

/// Positive if pairs by name lie apart along X, negative if along Z, 0 without any.
static float named_aside(const lmbi_skeleton_shape *s, const uint32_t *named)
{
    float sum = 0.0f;
    for (uint32_t j = 0; j < s->count; ++j) {
        const lmb_vec3 d = lmb_vec3_sub(s->at[j], s->at[named[j]]);
        sum += s->joints[j].twin >= 0 ? fabsf(d.x) - fabsf(d.z) : 0.0f;
    }
    return sum;
}

bool lmbi_shape_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_skeleton_shape *out)
{
    lmbi_skeleton_shape s = {.skeleton = skeleton, .count = skeleton->joint_count};
    lmb_transform *model = lmbi_arena_array(arena, s.count, sizeof *model);
    uint32_t *named = lmbi_arena_array(arena, s.count, sizeof *named);
    bool *seen = lmbi_arena_array(arena, s.count, sizeof *seen);
    int32_t *body = lmbi_arena_array(arena, s.count, sizeof *body);
    lmbi_twins twins;
    s.at = lmbi_arena_array(arena, s.count, sizeof *s.at);
    s.joints = lmbi_arena_array(arena, s.count, sizeof *s.joints);
    if (arena->failed) {
        return false;
    }
    measure_joints(&s, model);
    if (!lmbi_twins_make(&s, arena, &twins)) {
        return false;
    }
    measure_bounds(&s, seen);
    lmb_mirror_pairs(skeleton, named);
    const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1}, shorter = s.aside;
    const float by_name = named_aside(&s, named);
    for (uint32_t j = 0; j < s.count; ++j) {
        body[j] = s.joints[j].twin;
    }
    uint32_t most = 0;
    lmb_vec3 best = shorter;
    for (int k = 0; k < 3; ++k) {
        // Tries both axes, then repeats the better one to keep its result.
        s.aside = k == 2 ? best : (k == 0 ? x : z);
        s.aside = by_name != 0.0f ? (by_name > 0.0f ? x : z) : s.aside;
        for (uint32_t j = 0; j < s.count; ++j) {
            s.joints[j].twin = body[j];
        }
        s.plane = find_plane(&s, named);
        const float middle = k == 2 && most == 0 ? INFINITY : IN_MIDDLE * s.extent;
        const uint32_t paired = pair_twins(&s, &twins, named, seen, middle);
        if (k < 2 && paired > most) {
            most = paired;
            best = s.aside;
        }
    }
    *out = s;
    return true;
}
