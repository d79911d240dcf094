/// A skeleton as a humanoid: bone directions, chains and lengths.
#include "retarget/body.h"
#include "base/error.h"
#include "mapping/mapping.h"

#include <math.h>
#include <string.h>

#define TOE_LEAST 0.08f ///< least length of a foot, as a fraction of the leg
#define TOE_AHEAD 0.15f ///< length of an estimated foot, as a fraction of the leg

bool lmbi_same_skeleton(const lmb_skeleton *a, const lmb_skeleton *b)
{
    return a == b || (a->joint_count == b->joint_count &&
                      memcmp(a->rest, b->rest, a->joint_count * sizeof(*a->rest)) == 0 &&
                      memcmp(a->parents, b->parents, a->joint_count * sizeof(*a->parents)) == 0);
}

lmb_vec3 lmbi_local_point(const lmb_transform *joint, lmb_vec3 p)
{
    const lmb_vec3 v =
        lmb_quat_rotate(lmb_quat_conjugate(joint->rotation), lmb_vec3_sub(p, joint->translation));
    const lmb_vec3 s = joint->scale;
    return lmb_vec3_make(s.x != 0.0f ? v.x / s.x : v.x, s.y != 0.0f ? v.y / s.y : v.y,
                         s.z != 0.0f ? v.z / s.z : v.z);
}

int lmbi_bone_after(int bone)
{
    switch (bone) {
    case LMB_HUMAN_LEFT_UPPER_LEG:
    case LMB_HUMAN_LEFT_LOWER_LEG:
    case LMB_HUMAN_LEFT_FOOT:
    case LMB_HUMAN_RIGHT_UPPER_LEG:
    case LMB_HUMAN_RIGHT_LOWER_LEG:
    case LMB_HUMAN_RIGHT_FOOT:
    case LMB_HUMAN_LEFT_UPPER_ARM:
    case LMB_HUMAN_LEFT_LOWER_ARM:
    case LMB_HUMAN_RIGHT_UPPER_ARM:
    case LMB_HUMAN_RIGHT_LOWER_ARM:
        return bone + 1;
    default:
        break;
    }
    if (bone >= LMB_HUMAN_LEFT_THUMB_METACARPAL &&
        (bone - LMB_HUMAN_LEFT_THUMB_METACARPAL) % 3 != 2) {
        return bone + 1;
    }
    return LMB_HUMAN_BONE_COUNT;
}

/// The centroid of the knuckles.
static bool find_knuckles(const lmbi_humanoid *body, int hand, lmb_vec3 *out)
{
    const int thumb = hand == LMB_HUMAN_LEFT_HAND ? LMB_HUMAN_LEFT_THUMB_METACARPAL
                                                  : LMB_HUMAN_RIGHT_THUMB_METACARPAL;
    lmb_vec3 sum = {0, 0, 0};
    float count = 0.0f;
    for (int finger = 1; finger < 5; ++finger) {
        if (lmbi_joint(body, thumb + 3 * finger) >= 0) {
            sum = lmb_vec3_add(sum, lmbi_reference_at(body, thumb + 3 * finger));
            count += 1.0f;
        }
    }
    *out = lmb_vec3_scale(sum, count > 0.0f ? 1.0f / count : 0.0f);
    return count > 0.0f;
}

/// The end of a bone without a child human bone: the farthest child joint, else the joint's tip.
static bool find_joint_end(const lmbi_humanoid *body, int32_t joint, lmb_vec3 *out)
{
    const lmb_skeleton *skeleton = body->skeleton;
    float furthest = 0.0f;
    for (uint32_t j = (uint32_t)joint + 1; j < body->count; ++j) {
        const float d =
            lmb_vec3_distance(body->reference[j].translation, body->reference[joint].translation);
        if (skeleton->parents[j] == joint && d > furthest) {
            furthest = d;
            *out = body->reference[j].translation;
        }
    }
    if (furthest == 0.0f && skeleton->tips != NULL &&
        lmb_vec3_length(skeleton->tips[joint]) > 0.0f) {
        *out = lmb_transform_point(body->reference[joint], skeleton->tips[joint]);
        furthest = lmb_vec3_length(skeleton->tips[joint]);
    }
    return furthest > 0.0f;
}

bool lmbi_bone_direction(const lmbi_humanoid *body, int bone, lmb_vec3 *out)
{
    const int32_t joint = lmbi_joint(body, bone);
    if (joint < 0) {
        return false;
    }
    const int after = lmbi_bone_after(bone);
    const lmbi_single_limb *single = lmbi_single_limb_of(body, bone);
    lmb_vec3 end;
    if (single != NULL) {
        end = single->end;
    } else if (after < LMB_HUMAN_BONE_COUNT && lmbi_joint(body, after) >= 0) {
        end = lmbi_reference_at(body, after);
    } else if ((bone == LMB_HUMAN_LEFT_HAND || bone == LMB_HUMAN_RIGHT_HAND) &&
               find_knuckles(body, bone, &end)) {
        ;
    } else if (!find_joint_end(body, joint, &end)) {
        return false;
    }
    const lmb_vec3 segment = lmb_vec3_sub(end, body->reference[joint].translation);
    const float length = lmb_vec3_length(segment);
    if (!(length > 1e-6f * (body->leg_length + body->trunk_length)) || !(length > 0.0f)) {
        return false;
    }
    *out = lmb_vec3_scale(segment, 1.0f / length);
    return true;
}

lmb_vec3 lmbi_toe_of(const lmbi_humanoid *body, int foot)
{
    const lmb_transform ankle = body->reference[lmbi_joint(body, foot)];
    const lmb_vec3 front = {0, 0, 1};
    const float least = TOE_LEAST * body->leg_length;
    lmb_vec3 direction, toe = {0, 0, 0};
    if (lmbi_joint(body, foot + 1) >= 0) {
        toe = lmb_vec3_sub(lmbi_reference_at(body, foot + 1), ankle.translation);
    } else if (lmbi_bone_direction(body, foot, &direction) && fabsf(direction.y) < 0.9f) {
        toe = lmb_vec3_scale(direction, 0.17f * body->leg_length);
    } else {
        // Only the ground gives the ankle's height, if the body stands on it.
        const float high =
            body->lifted ? 0.06f * body->leg_length : fmaxf(0.0f, ankle.translation.y);
        toe.y = -fminf(high, 0.06f * body->leg_length);
    }
    const float along = lmb_sqrt(toe.x * toe.x + toe.z * toe.z);
    if (along < least) {
        // A joint straight below the ankle is no pivot for the foot.
        const lmb_vec3 ahead =
            along > 0.25f * least ? lmb_vec3_make(toe.x / along, 0, toe.z / along) : front;
        toe = lmb_vec3_make(TOE_AHEAD * body->leg_length * ahead.x, toe.y,
                            TOE_AHEAD * body->leg_length * ahead.z);
    }
    return lmb_quat_rotate(lmb_quat_conjugate(ankle.rotation), toe);
}

static float bone_distance(const lmbi_humanoid *body, int a, int b)
{
    return lmbi_joint(body, a) < 0 || lmbi_joint(body, b) < 0
               ? 0.0f
               : lmb_vec3_distance(lmbi_reference_at(body, a), lmbi_reference_at(body, b));
}

static float leg_length(const lmbi_humanoid *body, int upper)
{
    const lmbi_single_limb *single = lmbi_single_limb_of(body, upper);
    return single != NULL
               ? lmb_vec3_distance(single->end, lmbi_reference_at(body, upper))
               : bone_distance(body, upper, upper + 1) + bone_distance(body, upper + 1, upper + 2);
}

static void measure_lengths(lmbi_humanoid *body)
{
    const float left = leg_length(body, LMB_HUMAN_LEFT_UPPER_LEG),
                right = leg_length(body, LMB_HUMAN_RIGHT_UPPER_LEG);
    body->leg_length = left > 0.0f && right > 0.0f ? 0.5f * (left + right) : left + right;
    const int top = lmbi_joint(body, LMB_HUMAN_HEAD) >= 0 ? LMB_HUMAN_HEAD : LMB_HUMAN_NECK;
    body->trunk_length = bone_distance(body, LMB_HUMAN_HIPS, top);
}

/// Arc-length parameter in (0, 1] of the end of each joint's bone along the chain.
static void measure_chain(const lmbi_humanoid *body, int32_t below, const int32_t *joints,
                          uint32_t count, int32_t after, lmbi_spine_chain *out)
{
    float length = 0.0f;
    out->count = count;
    lmb_vec3 from = body->reference[count > 0 ? joints[0] : below].translation;
    for (uint32_t i = 0; i < count; ++i) {
        const bool last = i + 1 == count;
        const int32_t next = last ? after : joints[i + 1];
        const lmb_vec3 to = next >= 0 ? body->reference[next].translation : from;
        length += lmb_vec3_distance(from, to);
        out->joints[i] = joints[i];
        out->at[i] = length;
        from = to;
    }
    for (uint32_t i = 0; i < count; ++i) {
        out->at[i] = length > 0.0f ? out->at[i] / length : (float)(i + 1) / (float)count;
    }
    if (count > 0) {
        out->at[count - 1] = 1.0f;
    }
}

static void measure_chains(lmbi_humanoid *body)
{
    const lmb_joint_map *map = &body->map;
    const int32_t hips = lmbi_joint(body, LMB_HUMAN_HIPS), head = lmbi_joint(body, LMB_HUMAN_HEAD);
    const int32_t after = map->neck_count > 0 ? map->neck[0] : head;
    measure_chain(body, hips, map->spine, map->spine_count, after, &body->spine);
    measure_chain(body, hips, map->neck, map->neck_count, head, &body->neck);
}

static lmb_result require_humanoid(const lmbi_humanoid *body, const char *what, lmb_error *error)
{
    static const int needed[] = {LMB_HUMAN_HIPS, LMB_HUMAN_LEFT_UPPER_LEG,
                                 LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_LEFT_LOWER_LEG,
                                 LMB_HUMAN_RIGHT_LOWER_LEG};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i) {
        const bool is_shin =
            needed[i] == LMB_HUMAN_LEFT_LOWER_LEG || needed[i] == LMB_HUMAN_RIGHT_LOWER_LEG;
        if (lmbi_joint(body, needed[i]) < 0 &&
            !(is_shin && lmbi_limb_is_single(&body->map, LMB_HUMAN_LEFT_UPPER_LEG))) {
            return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a humanoid skeleton",
                             "%s without %s among its %u joints", what,
                             lmb_human_bone_name((lmb_human_bone)needed[i]), (unsigned)body->count);
        }
    }
    if (lmbi_joint_map_is_guess(&body->map)) {
        return lmbi_fail(
            error, LMB_ERROR_UNSUPPORTED, "a humanoid skeleton",
            "%s of %u joints without known names, less than half of a humanoid by shape", what,
            (unsigned)body->count);
    }
    return LMB_OK;
}

lmb_result lmbi_body_make(const lmb_character *character, const lmb_joint_map *map,
                          const lmbi_motion *motion, const char *what, const lmb_allocator *alloc,
                          lmbi_arena *arena, lmbi_humanoid *out, lmb_error *error)
{
    memset(out, 0, sizeof(*out));
    out->character = character;
    out->skeleton = character->skeleton;
    out->count = character->skeleton->joint_count;
    if (map != NULL) {
        out->map = *map;
    } else {
        const lmb_result result = lmb_joint_map_of_character(character, alloc, &out->map, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    const lmb_result humanoid = require_humanoid(out, what, error);
    if (humanoid != LMB_OK) {
        return humanoid;
    }
    out->reference = lmbi_arena_array(arena, out->count, sizeof(*out->reference));
    if (out->reference == NULL || !lmbi_reference_choose(out, motion, arena) ||
        !lmbi_single_limbs_find(out, arena)) {
        return lmbi_fail_memory(error);
    }
    measure_lengths(out);
    measure_chains(out);
    return LMB_OK;
}
