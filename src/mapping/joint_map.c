/// Maps the joints of a skeleton to human bones: the order of the search, gaps, the facing.
#include "base/error.h"
#include "limber/mapping.h"
#include "mapping/mapper.h"
#include "mapping/mapping.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- sides
// Correction of exchanged sides. A rig made as seen from the front may call the right hand left;
// its feet then point backward.

#define BACK 0.5f ///< least cosine of both feet to backward, with the shins turned down
#define DOWN 0.5f ///< least cosine of the legs to down
#define FOOT 0.1f ///< least length of a foot that points anywhere, in lengths of the shin

static lmb_vec3 direction(const lmbi_mapper *m, int from, int to)
{
    const lmb_bone_match *bones = m->map->bones;
    const lmb_vec3 zero = {0, 0, 0};
    return lmb_vec3_normalize_or(
        lmb_vec3_sub(m->positions[bones[to].joint], m->positions[bones[from].joint]), zero);
}

static bool has_legs(const lmbi_mapper *m)
{
    bool all = m->map->bones[LMB_HUMAN_HEAD].joint >= 0;
    for (int bone = LMB_HUMAN_LEFT_UPPER_LEG; bone <= LMB_HUMAN_RIGHT_TOES; ++bone) {
        all = all && m->map->bones[bone].joint >= 0;
    }
    return all;
}

/// Where the foot of a leg points if its shin is turned straight down: bent knees and toes that
/// stretch would point it anywhere. Zero if the foot has no length.
static lmb_vec3 foot_under(const lmbi_mapper *m, int thigh, lmb_vec3 up)
{
    const lmb_bone_match *bones = m->map->bones;
    const lmb_vec3 knee = m->positions[bones[thigh + 1].joint],
                   ankle = m->positions[bones[thigh + 2].joint],
                   toes = m->positions[bones[thigh + 3].joint];
    if (lmb_vec3_distance(ankle, toes) < FOOT * lmb_vec3_distance(knee, ankle)) {
        return lmb_vec3_make(0, 0, 0);
    }
    const lmb_quat turn = lmb_quat_between(direction(m, thigh + 1, thigh + 2), lmb_vec3_neg(up));
    return lmb_quat_rotate(turn, direction(m, thigh + 2, thigh + 3));
}

static bool is_mirrored(const lmbi_mapper *m)
{
    static const int thighs[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    const lmb_vec3 up = direction(m, LMB_HUMAN_HIPS, LMB_HUMAN_HEAD),
                   left = direction(m, LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_LEFT_UPPER_LEG),
                   forward = lmb_vec3_cross(left, up);
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 leg = direction(m, thighs[k], thighs[k] + 2);
        if (lmb_vec3_dot(leg, up) > -DOWN ||
            lmb_vec3_dot(foot_under(m, thighs[k], up), forward) > -BACK) {
            return false;
        }
    }
    return true;
}

/// Exchanges left and right if the feet of a standing body would point backward.
static void map_sides(lmbi_mapper *m)
{
    if (!has_legs(m) || !is_mirrored(m)) {
        return;
    }
    lmb_bone_match *bones = m->map->bones;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int other = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
        if (other > bone) {
            const lmb_bone_match kept = bones[bone];
            bones[bone] = bones[other];
            bones[other] = kept;
            bones[bone].reason = bones[bone].joint >= 0 ? LMB_MAP_PLACE : LMB_MAP_MISSING;
            bones[other].reason = kept.joint >= 0 ? LMB_MAP_PLACE : LMB_MAP_MISSING;
        }
    }
}

static int32_t joint_of(const lmb_joint_map *map, int bone)
{
    return map->bones[bone].joint;
}

static void chain_between(const lmb_skeleton *skeleton, int32_t above, int32_t last, int32_t *chain,
                          uint32_t *count)
{
    *count = 0;
    if (last < 0 || above < 0) {
        return;
    }
    const lmbi_path path =
        lmbi_path_down(skeleton, lmbi_common_ancestor(skeleton, above, last), last);
    for (int i = 0; i < path.count && *count < LMB_SPINE_MAX; ++i) {
        chain[(*count)++] = path.joints[i];
    }
}

/// The only joint of the limb that a bone lies beyond, or the bone itself.
static lmb_human_bone standing_for(const lmb_joint_map *map, lmb_human_bone bone)
{
    for (int k = 0; k < LMBI_UPPER_BONES; ++k) {
        const lmb_human_bone upper = (lmb_human_bone)lmbi_upper_bones[k];
        if (bone > upper && bone <= upper + 2 && lmbi_limb_is_single(map, upper)) {
            return upper;
        }
    }
    return bone;
}

void lmbi_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    int32_t top = LMB_NONE;
    for (int bone = LMB_HUMAN_SPINE; bone <= LMB_HUMAN_UPPER_CHEST; ++bone) {
        top = joint_of(map, bone) >= 0 ? joint_of(map, bone) : top;
    }
    chain_between(skeleton, joint_of(map, LMB_HUMAN_HIPS), top, map->spine, &map->spine_count);
    const int32_t base = top >= 0 ? top : joint_of(map, LMB_HUMAN_HIPS);
    const int32_t head = joint_of(map, LMB_HUMAN_HEAD);
    chain_between(skeleton, base, head >= 0 ? head : joint_of(map, LMB_HUMAN_NECK), map->neck,
                  &map->neck_count);
    if (head >= 0 && map->neck_count > 0) {
        --map->neck_count; // the head itself
    }
    float sum = 0.0f;
    for (size_t i = 0; i < LMBI_REQUIRED_COUNT; ++i) {
        sum += map->bones[standing_for(map, (lmb_human_bone)lmbi_required_bones[i])].confidence;
    }
    map->confidence = sum / LMBI_REQUIRED_COUNT;
}

/// Lowers the confidence of joints without a mirror image.
static void discount_one_sided(lmb_joint_map *map)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int other = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
        if (map->bones[bone].joint >= 0 && map->bones[other].joint < 0) {
            map->bones[bone].confidence *= 0.75f;
        }
    }
}

/// The only child of a joint, if it is a tip without a bone; else LMB_NONE.
static int32_t only_end(const lmbi_mapper *m, int32_t joint)
{
    for (uint32_t j = 0; j < m->count && joint >= 0 && m->child_count[joint] == 1; ++j) {
        if (m->skeleton->parents[j] == joint) {
            return m->names[j].end && m->child_count[j] == 0 ? (int32_t)j : LMB_NONE;
        }
    }
    return LMB_NONE;
}

/// Takes the ends of shins and forearms for feet and hands that a rig does not have: where feet are
/// controls of their own, ankles are there.
static void map_ends(lmbi_mapper *m)
{
    static const int limbs[2][2] = {{LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT},
                                    {LMB_HUMAN_LEFT_HAND, LMB_HUMAN_RIGHT_HAND}};
    for (int k = 0; k < 2; ++k) {
        int32_t ends[2];
        for (int side = 0; side < 2; ++side) {
            ends[side] = joint_of(m->map, limbs[k][side]) < 0
                             ? only_end(m, joint_of(m->map, limbs[k][side] - 1))
                             : LMB_NONE;
        }
        for (int side = 0; side < 2 && ends[0] >= 0 && ends[1] >= 0; ++side) {
            lmbi_map_set(m, limbs[k][side], ends[side], LMB_MAP_PLACE, 0.6f);
        }
    }
}

static bool begin_mapper(lmbi_mapper *m, lmbi_arena *arena)
{
    const lmb_skeleton *skeleton = m->skeleton;
    m->count = skeleton->joint_count;
    m->names = lmbi_arena_array(arena, m->count, sizeof(*m->names));
    m->positions = lmbi_arena_array(arena, m->count, sizeof(*m->positions));
    m->depth = lmbi_arena_array(arena, m->count, sizeof(*m->depth));
    m->child_count = lmbi_arena_array(arena, m->count, sizeof(*m->child_count));
    lmb_transform *model = lmbi_arena_array(arena, m->count, sizeof(*model));
    m->tips = skeleton->tips != NULL ? lmbi_arena_array(arena, m->count, sizeof(*m->tips)) : NULL;
    if ((skeleton->tips != NULL && m->tips == NULL) || m->names == NULL || m->positions == NULL ||
        m->depth == NULL || m->child_count == NULL || model == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < m->count; ++j) {
        const int32_t parent = skeleton->parents[j];
        m->names[j] =
            lmbi_name_read_below(skeleton->names[j], parent < 0 ? NULL : &m->names[parent]);
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
        m->positions[j] = model[j].translation;
        if (m->tips != NULL) {
            m->tips[j] = lmb_transform_point(model[j], skeleton->tips[j]);
        }
        m->depth[j] = parent < 0 ? 0 : m->depth[parent] + 1;
        if (parent >= 0) {
            ++m->child_count[parent];
        }
    }
    return true;
}

lmb_result lmb_joint_map_make(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                              lmb_joint_map *out, lmb_error *error)
{
    lmb_joint_map map;
    memset(&map, 0, sizeof(map));
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        map.bones[bone].joint = LMB_NONE;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_mapper m = {.skeleton = skeleton, .map = &map};
    if (!begin_mapper(&m, &arena)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    lmbi_map_limbs_by_name(&m);
    if (joint_of(&map, LMB_HUMAN_LEFT_UPPER_LEG) < 0 &&
        joint_of(&map, LMB_HUMAN_LEFT_UPPER_ARM) < 0) {
        lmbi_map_limbs_by_topology(&m);
    }
    map_ends(&m);
    lmbi_map_trunk(&m);
    lmbi_map_fingers(&m);
    map_sides(&m);
    lmbi_arena_free(&arena);
    discount_one_sided(&map);
    lmbi_joint_map_complete(&map, skeleton);
    *out = map;
    return LMB_OK;
}

// -------------------------------------------------------------------------------------------- gaps
// Required human bones that a joint map lacks.

const uint8_t lmbi_required_bones[LMBI_REQUIRED_COUNT] = {
    LMB_HUMAN_HIPS,
    LMB_HUMAN_SPINE,
    LMB_HUMAN_HEAD,
    LMB_HUMAN_LEFT_UPPER_LEG,
    LMB_HUMAN_LEFT_LOWER_LEG,
    LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_RIGHT_UPPER_LEG,
    LMB_HUMAN_RIGHT_LOWER_LEG,
    LMB_HUMAN_RIGHT_FOOT,
    LMB_HUMAN_LEFT_UPPER_ARM,
    LMB_HUMAN_LEFT_LOWER_ARM,
    LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_UPPER_ARM,
    LMB_HUMAN_RIGHT_LOWER_ARM,
    LMB_HUMAN_RIGHT_HAND,
};

static bool is_required(lmb_human_bone bone)
{
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        if (lmbi_required_bones[k] == bone) {
            return true;
        }
    }
    return false;
}

/// The nearest required ancestor that the map has; LMB_HUMAN_BONE_COUNT for the hips.
static lmb_human_bone found_above(const lmb_joint_map *map, lmb_human_bone bone)
{
    do {
        bone = lmbi_human_bone_parent(bone);
    } while (bone < LMB_HUMAN_BONE_COUNT && (!is_required(bone) || map->bones[bone].joint < 0));
    return bone;
}

uint32_t lmb_joint_map_gaps(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                            lmb_map_gap *out)
{
    uint32_t count = 0;
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        const lmb_human_bone bone = (lmb_human_bone)lmbi_required_bones[k];
        const int32_t joint = map->bones[bone].joint;
        const lmb_human_bone above = joint >= 0 ? found_above(map, bone) : LMB_HUMAN_BONE_COUNT;
        const bool apart = above < LMB_HUMAN_BONE_COUNT &&
                           !lmbi_is_under(skeleton, joint, map->bones[above].joint);
        if (joint < 0 || apart) {
            out[count++] = (lmb_map_gap){bone, above, standing_for(map, bone) != bone};
        }
    }
    return count;
}

bool lmbi_joint_map_is_guess(const lmb_joint_map *map)
{
    uint32_t found = 0;
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        const lmb_bone_match *match = &map->bones[lmbi_required_bones[k]];
        if (match->joint >= 0 && match->reason != LMB_MAP_TOPOLOGY) {
            return false;
        }
        found += match->joint >= 0;
    }
    return 2 * found < LMBI_REQUIRED_COUNT;
}

// ------------------------------------------------------------------------------------------ facing
// The facing direction of a humanoid at rest.

/// Facings within this angle of an axis, in radians, snap to it: hips and shoulders are rarely
/// exactly level and square.
#define NEAR_AXIS 0.3f

static lmb_vec3 rest_position(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t.translation;
}

/// Horizontal unit vector from the right joint of a pair to the left one; zero if one is missing.
static lmb_vec3 leftward(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                         lmb_human_bone left)
{
    const int32_t a = map->bones[left].joint, b = map->bones[lmb_human_bone_mirror(left)].joint;
    const lmb_vec3 zero = {0, 0, 0};
    if (a < 0 || b < 0) {
        return zero;
    }
    lmb_vec3 direction = lmb_vec3_sub(rest_position(skeleton, a), rest_position(skeleton, b));
    direction.y = 0;
    return lmb_vec3_normalize_or(direction, zero);
}

lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    const lmb_vec3 left = lmb_vec3_add(leftward(map, skeleton, LMB_HUMAN_LEFT_UPPER_LEG),
                                       leftward(map, skeleton, LMB_HUMAN_LEFT_UPPER_ARM));
    if (!(lmb_vec3_length(left) > 0.5f)) { // none, or legs and shoulders disagree
        return lmb_vec3_make(0, 0, 1);
    }
    const lmb_vec3 facing =
        lmb_vec3_normalize_or(lmb_vec3_make(-left.z, 0, left.x), lmb_vec3_make(0, 0, 1));
    const float near = lmb_cos(NEAR_AXIS);
    if (fabsf(facing.x) > near) {
        return lmb_vec3_make(facing.x > 0 ? 1.0f : -1.0f, 0, 0);
    }
    return fabsf(facing.z) > near ? lmb_vec3_make(0, 0, facing.z > 0 ? 1.0f : -1.0f) : facing;
}
