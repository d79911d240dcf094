/// Maps hips, spine, neck, head and face.
#include "mapping/mapper.h"

static int32_t joint_of(const lmbi_mapper *m, int bone)
{
    return m->map->bones[bone].joint;
}

static float leg_length(const lmbi_mapper *m)
{
    const int32_t a = joint_of(m, LMB_HUMAN_LEFT_UPPER_LEG),
                  b = joint_of(m, LMB_HUMAN_LEFT_LOWER_LEG), c = joint_of(m, LMB_HUMAN_LEFT_FOOT);
    if (a < 0 || b < 0 || c < 0) {
        return 0.0f;
    }
    return lmb_vec3_distance(m->positions[a], m->positions[b]) +
           lmb_vec3_distance(m->positions[b], m->positions[c]);
}

/// A joint named hips or pelvis: `from`, its nearest such ancestor, else the first in the skeleton.
static int32_t named_hips(const lmbi_mapper *m, int32_t from)
{
    for (int32_t j = from; j >= 0; j = m->skeleton->parents[j]) {
        if (m->names[j].part == PART_HIPS && lmbi_usable(m, (uint32_t)j)) {
            return j;
        }
    }
    for (uint32_t j = 0; j < m->count; ++j) {
        if (m->names[j].part == PART_HIPS && lmbi_usable(m, j)) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// Maps the legs' common ancestor, unless that is a root on the ground and another joint is named
/// hips.
static void map_hips(lmbi_mapper *m)
{
    const int32_t left = joint_of(m, LMB_HUMAN_LEFT_UPPER_LEG),
                  right = joint_of(m, LMB_HUMAN_RIGHT_UPPER_LEG);
    const int32_t above =
        left >= 0 && right >= 0 ? lmbi_common_ancestor(m->skeleton, left, right) : LMB_NONE;
    const int32_t named = named_hips(m, above);
    if (named < 0) {
        lmbi_map_set(m, LMB_HUMAN_HIPS, above, LMB_MAP_TOPOLOGY, 0.8f);
        return;
    }
    const bool over = above >= 0 && lmbi_is_under(m->skeleton, above, named);
    const bool near_by = above >= 0 && lmb_vec3_distance(m->positions[above], m->positions[named]) <
                                           0.5f * leg_length(m);
    if (over || above < 0 || !near_by) {
        lmbi_map_set(m, LMB_HUMAN_HIPS, named, LMB_MAP_NAME, 1.0f);
    } else {
        lmbi_map_set(m, LMB_HUMAN_HIPS, above, LMB_MAP_PLACE, 0.8f);
    }
}

/// The top of the chest: the joint that the arms branch off.
static int32_t chest_top(const lmbi_mapper *m)
{
    int32_t sides[2];
    for (int k = 0; k < 2; ++k) {
        const int first = k == 0 ? LMB_HUMAN_LEFT_SHOULDER : LMB_HUMAN_RIGHT_SHOULDER;
        sides[k] = joint_of(m, first) >= 0 ? joint_of(m, first) : joint_of(m, first + 1);
    }
    int32_t top = sides[0] >= 0 && sides[1] >= 0
                      ? lmbi_common_ancestor(m->skeleton, sides[0], sides[1])
                      : LMB_NONE;
    if (top >= 0 && m->names[top].part == PART_NECK && m->skeleton->parents[top] >= 0) {
        top = m->skeleton->parents[top]; // collars that hang from the neck
    }
    for (uint32_t j = 0; top < 0 && j < m->count; ++j) {
        if (m->names[j].part == PART_SPINE && m->names[j].side == 0 && lmbi_usable(m, j) &&
            (top < 0 || m->depth[j] > m->depth[top])) {
            top = (int32_t)j;
        }
    }
    return top;
}

static void map_spine(lmbi_mapper *m, int32_t top)
{
    const int32_t hips = joint_of(m, LMB_HUMAN_HIPS);
    if (top < 0 || hips < 0 || top == hips) {
        return;
    }
    const lmbi_path spine =
        lmbi_path_down(m->skeleton, lmbi_common_ancestor(m->skeleton, hips, top), top);
    const int n = spine.count;
    if (n == 0) {
        return;
    }
    const int at[3] = {0, n == 2 ? 1 : n / 2, n - 1};
    const int bones = n > 3 ? 3 : n;
    for (int s = 0; s < bones; ++s) {
        const int32_t joint = spine.joints[bones == 3 ? at[s] : s];
        const bool named = m->names[joint].part == PART_SPINE;
        lmbi_map_set(m, LMB_HUMAN_SPINE + s, joint, named ? LMB_MAP_NAME : LMB_MAP_TOPOLOGY,
                     named ? 1.0f : 0.7f);
    }
}

static float head_reach(const lmbi_mapper *m, int32_t joint)
{
    float high = -1e30f;
    for (uint32_t j = (uint32_t)joint; j < m->count; ++j) {
        if (lmbi_is_under(m->skeleton, (int32_t)j, joint) && m->positions[j].y > high) {
            high = m->positions[j].y;
        }
    }
    return high;
}

/// The child of the chest that reaches highest without leading to an arm.
static int32_t neck_by_shape(const lmbi_mapper *m, int32_t top)
{
    int32_t best = LMB_NONE;
    for (uint32_t j = 0; top >= 0 && j < m->count; ++j) {
        bool arm = false;
        for (int bone = LMB_HUMAN_LEFT_SHOULDER; bone <= LMB_HUMAN_RIGHT_HAND; ++bone) {
            arm = arm || lmbi_is_under(m->skeleton, joint_of(m, bone), (int32_t)j);
        }
        if (m->skeleton->parents[j] == top && !arm && !m->names[j].control &&
            (best < 0 || head_reach(m, (int32_t)j) > head_reach(m, best))) {
            best = (int32_t)j;
        }
    }
    return best;
}

static int32_t named_part(const lmbi_mapper *m, lmbi_name_part part, bool deepest, int32_t under)
{
    int32_t best = LMB_NONE;
    for (uint32_t j = 0; j < m->count; ++j) {
        if (m->names[j].part == part && m->names[j].side == 0 && lmbi_usable(m, j) &&
            (under < 0 || lmbi_is_under(m->skeleton, (int32_t)j, under)) &&
            (best < 0 || (deepest && m->depth[j] > m->depth[best]) ||
             (!deepest && m->depth[j] < m->depth[best]))) {
            best = (int32_t)j;
        }
    }
    return best;
}

/// Whether the bone above a joint is much longer than the one before it.
static bool is_long(const lmbi_mapper *m, int32_t joint)
{
    const int32_t parent = m->skeleton->parents[joint],
                  above = parent >= 0 ? m->skeleton->parents[parent] : LMB_NONE;
    return above >= 0 && lmb_vec3_distance(m->positions[joint], m->positions[parent]) >
                             1.4f * lmb_vec3_distance(m->positions[parent], m->positions[above]);
}

/// Without names: follows the neck upward until it branches or ends. The last joint before that is
/// the head.
static void map_head_by_shape(lmbi_mapper *m, int32_t top)
{
    int32_t neck = neck_by_shape(m, top), head = neck;
    for (uint32_t j = 0; head >= 0 && j < m->count; ++j) {
        // A leaf without a tip of its own, or with a long bone above it, is the top of the head.
        const bool tip = m->tips != NULL && lmb_vec3_distance(m->tips[j], m->positions[j]) > 0.0f;
        const bool ends = m->child_count[j] == 0 && (!tip || is_long(m, (int32_t)j));
        if (m->skeleton->parents[j] == head && m->child_count[head] == 1 && !ends) {
            head = (int32_t)j;
        }
    }
    if (head == neck && neck >= 0 && m->child_count[neck] >= 1) {
        for (uint32_t j = 0; j < m->count; ++j) {
            if (m->skeleton->parents[j] == neck &&
                (head == neck || m->positions[j].y > m->positions[head].y)) {
                head = (int32_t)j;
            }
        }
    }
    lmbi_map_set(m, LMB_HUMAN_HEAD, head, LMB_MAP_TOPOLOGY, 0.6f);
    lmbi_map_set(m, LMB_HUMAN_NECK, head == neck ? LMB_NONE : neck, LMB_MAP_TOPOLOGY, 0.6f);
}

static void map_head(lmbi_mapper *m, int32_t top)
{
    int32_t head = named_part(m, PART_HEAD, false, top);
    head = head < 0 ? named_part(m, PART_HEAD, false, LMB_NONE) : head;
    lmb_map_reason reason = LMB_MAP_NAME;
    if (head < 0) {
        const int32_t low = named_part(m, PART_NECK, false, LMB_NONE);
        head = named_part(m, PART_NECK, true, LMB_NONE);
        reason = LMB_MAP_PLACE;
        head = head == low ? LMB_NONE : head;
    }
    if (head < 0) {
        map_head_by_shape(m, top);
        return;
    }
    lmbi_map_set(m, LMB_HUMAN_HEAD, head, reason, reason == LMB_MAP_NAME ? 1.0f : 0.8f);
    const int32_t base = top >= 0 ? top : joint_of(m, LMB_HUMAN_HIPS);
    const lmbi_path neck = lmbi_path_down(
        m->skeleton, base >= 0 ? lmbi_common_ancestor(m->skeleton, base, head) : LMB_NONE, head);
    if (neck.count >= 2) {
        const bool named = m->names[neck.joints[0]].part == PART_NECK;
        lmbi_map_set(m, LMB_HUMAN_NECK, neck.joints[0], named ? LMB_MAP_NAME : LMB_MAP_TOPOLOGY,
                     named ? 1.0f : 0.7f);
    }
}

static void map_face(lmbi_mapper *m)
{
    const int32_t head = joint_of(m, LMB_HUMAN_HEAD);
    for (uint32_t j = 0; head >= 0 && j < m->count; ++j) {
        const lmbi_name *name = &m->names[j];
        int bone = LMB_HUMAN_BONE_COUNT;
        if (name->part == PART_EYE && name->side != 0) {
            bone = name->side > 0 ? LMB_HUMAN_LEFT_EYE : LMB_HUMAN_RIGHT_EYE;
        } else if (name->part == PART_JAW && name->side == 0) {
            bone = LMB_HUMAN_JAW;
        }
        // The deepest of several is kept: importers add a pivot above.
        if (bone < LMB_HUMAN_BONE_COUNT && lmbi_usable(m, j) &&
            lmbi_is_under(m->skeleton, (int32_t)j, head)) {
            lmbi_map_set(m, bone, (int32_t)j, LMB_MAP_NAME, 1.0f);
        }
    }
}

/// Takes the joint that the arms branch off for the hips, where named hips hang from it: it is the
/// whole trunk then, which would stay behind. Not a root on the ground.
static void widen_hips(lmbi_mapper *m, int32_t top)
{
    const int32_t hips = joint_of(m, LMB_HUMAN_HIPS);
    if (top >= 0 && hips >= 0 && top != hips && lmbi_is_under(m->skeleton, hips, top) &&
        lmb_vec3_distance(m->positions[top], m->positions[hips]) < leg_length(m)) {
        lmbi_map_set(m, LMB_HUMAN_HIPS, top, LMB_MAP_PLACE, 0.8f);
    }
}

/// Of hips that hang from hips, takes those from which the arms hang too: a rig may have hips for the
/// legs alone beside the spine.
static void join_hips(lmbi_mapper *m, int32_t top)
{
    const int32_t hips = joint_of(m, LMB_HUMAN_HIPS);
    const int32_t common =
        hips >= 0 && top >= 0 ? lmbi_common_ancestor(m->skeleton, hips, top) : LMB_NONE;
    if (common >= 0 && common != hips && m->names[common].part == PART_HIPS &&
        lmbi_usable(m, (uint32_t)common)) {
        lmbi_map_set(m, LMB_HUMAN_HIPS, common, LMB_MAP_NAME, 1.0f);
    }
}

/// Raises the top of the chest over spine bones above the joint that the arms branch off.
static int32_t raise_top(const lmbi_mapper *m, int32_t top)
{
    const int32_t head = named_part(m, PART_HEAD, false, top);
    if (top < 0 || head < 0) {
        return top;
    }
    const lmbi_path neck = lmbi_path_down(m->skeleton, top, head);
    for (int i = 0; i + 1 < neck.count && m->names[neck.joints[i]].part == PART_SPINE; ++i) {
        top = neck.joints[i];
    }
    return top;
}

void lmbi_map_trunk(lmbi_mapper *m)
{
    map_hips(m);
    const int32_t branch = chest_top(m), top = raise_top(m, branch);
    widen_hips(m, branch);
    join_hips(m, branch);
    map_spine(m, top);
    map_head(m, top);
    map_face(m);
}
