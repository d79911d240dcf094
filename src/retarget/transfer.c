/// R_t = D A R_t,ref with D = R_s R_s,ref^-1: applies the source joint's rotation since the
/// reference pose to the target's joint.
#include "retarget/transfer.h"
#include "mapping/mapping.h"
#include "retarget/feet.h"
#include "retarget/sole.h"

#include "asset/tree.h"
#include "mapping/mapper.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

/// A hips' joint so far below those of the legs, in lengths of a leg, is a root on the ground.
#define ROOT_BELOW 0.5f
#define FLOOR_QUANTILE 0.04f ///< quantile of the feet's height taken as the floor: lower is noise
#define REST_BELOW 0.03f     ///< of the leg's length: toes below y = 0 that stand on no ground
#define REST_ABOVE 0.1f      ///< above it; thick soles are lower

// --------------------------------------------------------------------------------------- the plan

static bool drives(const lmbi_transfer *t, int bone)
{
    return lmbi_joint(t->source, bone) >= 0 && lmbi_joint(t->target, bone) >= 0;
}

static void plan_joint(lmbi_transfer *t, int32_t joint, lmbi_follow follow, int bone,
                       lmb_quat align)
{
    if (joint < 0 || t->driven_of[joint] >= 0) {
        return;
    }
    t->driven_of[joint] = 0;
    t->driven[t->driven_count++] = (lmbi_driven){
        .joint = (uint32_t)joint,
        .follow = follow,
        .bone = bone,
        .offset = lmb_quat_mul(align, t->target->reference[joint].rotation),
        .carrier = LMB_NONE,
    };
}

static bool in_chain(int bone)
{
    return bone >= LMB_HUMAN_SPINE && bone <= LMB_HUMAN_NECK;
}

static void sort_driven(lmbi_transfer *t)
{
    for (uint32_t i = 1; i < t->driven_count; ++i) {
        const lmbi_driven d = t->driven[i];
        uint32_t k = i;
        while (k > 0 && t->driven[k - 1].joint > d.joint) {
            t->driven[k] = t->driven[k - 1];
            --k;
        }
        t->driven[k] = d;
    }
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        t->driven_of[t->driven[i].joint] = (int32_t)i;
    }
}

/// The anatomical parent of a driven joint: the last of the spine for a shoulder, the thigh for a
/// shin.
static int32_t body_parent(const lmbi_transfer *t, const lmbi_driven *d)
{
    const lmb_joint_map *map = &t->target->map;
    if (d->follow != FOLLOW_BONE) {
        if (d->bone > 0) {
            return d->follow == FOLLOW_SPINE ? map->spine[d->bone - 1] : map->neck[d->bone - 1];
        }
        return d->follow == FOLLOW_NECK && map->spine_count > 0 ? map->spine[map->spine_count - 1]
                                                                : map->bones[LMB_HUMAN_HIPS].joint;
    }
    for (lmb_human_bone s = lmbi_human_bone_parent((lmb_human_bone)d->bone);
         s < LMB_HUMAN_BONE_COUNT; s = lmbi_human_bone_parent(s)) {
        if (s == LMB_HUMAN_NECK && map->neck_count > 0) {
            return map->neck[map->neck_count - 1];
        }
        if (in_chain((int)s) && map->spine_count > 0) {
            return map->spine[map->spine_count - 1];
        }
        if (map->bones[s].joint >= 0) {
            return map->bones[s].joint;
        }
    }
    return LMB_NONE;
}

/// Finds driven joints that do not descend from their anatomical parent, as feet of IK rigs under
/// the root: they need a translation as well as a rotation.
static void plan_carriers(lmbi_transfer *t)
{
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        lmbi_driven *d = &t->driven[i];
        const int32_t parent = body_parent(t, d);
        if (parent < 0 || t->driven_of[parent] < 0 ||
            lmbi_is_under(t->target->skeleton, (int32_t)d->joint, parent)) {
            continue;
        }
        d->carrier = t->driven_of[parent];
        d->carried = lmb_vec3_sub(t->target->reference[d->joint].translation,
                                  t->target->reference[parent].translation);
    }
}

/// Orders joints so that parents and carriers come first. Drops carriers that descend from the
/// joint they would carry.
static void plan_order(lmbi_transfer *t, bool *placed)
{
    const lmb_skeleton *skeleton = t->target->skeleton;
    uint32_t count = 0;
    while (count < t->target->count) {
        const uint32_t before = count;
        for (uint32_t j = 0; j < t->target->count; ++j) {
            const int32_t parent = skeleton->parents[j], i = t->driven_of[j];
            const int32_t carrier = i >= 0 ? t->driven[i].carrier : LMB_NONE;
            if (!placed[j] && (parent < 0 || placed[parent]) &&
                (carrier < 0 || placed[t->driven[carrier].joint])) {
                placed[j] = true;
                t->order[count++] = j;
            }
        }
        for (uint32_t i = 0; count == before && i < t->driven_count; ++i) {
            t->driven[i].carrier = placed[t->driven[i].joint] ? t->driven[i].carrier : LMB_NONE;
        }
    }
}

static void plan_driven(lmbi_transfer *t)
{
    const lmb_joint_map *map = &t->target->map;
    lmbi_align(t->source, t->target, t->align);
    for (uint32_t j = 0; j < t->target->count; ++j) {
        t->driven_of[j] = LMB_NONE;
    }
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (drives(t, bone)) {
            ++t->bone_count;
            if (!in_chain(bone)) {
                plan_joint(t, lmbi_joint(t->target, bone), FOLLOW_BONE, bone, t->align[bone]);
            }
        }
    }
    const bool has_spine = t->source->spine.count > 0;
    const bool has_neck = t->source->neck.count > 0 || lmbi_joint(t->source, LMB_HUMAN_HEAD) >= 0;
    for (uint32_t i = 0; i < map->spine_count && has_spine; ++i) {
        plan_joint(t, map->spine[i], FOLLOW_SPINE, (int)i, lmb_quat_identity());
    }
    for (uint32_t i = 0; i < map->neck_count && has_neck; ++i) {
        plan_joint(t, map->neck[i], FOLLOW_NECK, (int)i, lmb_quat_identity());
    }
    sort_driven(t);
    plan_carriers(t);
}

// -------------------------------------------------------------------------------------- one frame

static lmb_quat rotation_since_reference(const lmbi_transfer *t, const lmb_transform *pose,
                                         int32_t joint)
{
    return lmb_quat_mul(pose[joint].rotation,
                        lmb_quat_conjugate(t->source->reference[joint].rotation));
}

/// Corrects a limb's rotation so that its bone points at the source's next joint: keeps the shape
/// of rigs whose twist joints bend, or whose feet IK moves. A limb of one joint points at the foot or
/// the hand. Rotations that are exact stay unchanged.
static lmb_quat limb_rotation(const lmbi_transfer *t, const lmb_transform *pose, int bone,
                              lmb_quat rotation)
{
    const int after = lmbi_bone_toward(t->source, t->target, bone);
    if (bone >= LMB_HUMAN_LEFT_THUMB_METACARPAL || bone == LMB_HUMAN_LEFT_FOOT ||
        bone == LMB_HUMAN_RIGHT_FOOT || after == LMB_HUMAN_BONE_COUNT ||
        lmbi_joint(t->source, after) < 0) {
        return rotation;
    }
    lmb_vec3 rest;
    if (!lmbi_direction_toward(t->source, bone, after, &rest)) {
        return rotation;
    }
    const lmb_vec3 expected = lmb_quat_rotate(rotation, rest);
    const lmb_vec3 segment = lmb_vec3_sub(pose[lmbi_joint(t->source, after)].translation,
                                          pose[lmbi_joint(t->source, bone)].translation);
    const lmb_vec3 actual = lmb_vec3_normalize_or(segment, expected);
    if (lmb_vec3_length(lmb_vec3_cross(expected, actual)) < 1e-3f &&
        lmb_vec3_dot(expected, actual) > 0.0f) {
        return rotation;
    }
    return lmb_quat_mul(lmb_quat_between(expected, actual), rotation);
}

/// The source's rotation at a parameter along a chain: each joint's own where its bone ends,
/// slerped in between.
static lmb_quat chain_rotation(const lmbi_transfer *t, const lmb_transform *pose,
                               const lmbi_spine_chain *chain, lmb_quat below, float parameter)
{
    lmb_quat from = below;
    float from_at = 0.0f;
    for (uint32_t i = 0; i < chain->count; ++i) {
        const lmb_quat to = rotation_since_reference(t, pose, chain->joints[i]);
        if (parameter <= chain->at[i]) {
            const float span = chain->at[i] - from_at;
            return span > 1e-6f ? lmb_quat_slerp(from, to, (parameter - from_at) / span) : to;
        }
        from = to;
        from_at = chain->at[i];
    }
    return from;
}

static lmb_quat chain_end(const lmbi_transfer *t, const lmb_transform *pose,
                          const lmbi_spine_chain *chain, lmb_quat below)
{
    return chain->count > 0 ? rotation_since_reference(t, pose, chain->joints[chain->count - 1])
                            : below;
}

static lmb_quat driven_rotation(const lmbi_transfer *t, const lmb_transform *pose,
                                const lmbi_driven *d)
{
    if (d->follow == FOLLOW_BONE) {
        return limb_rotation(t, pose, d->bone,
                             rotation_since_reference(t, pose, lmbi_joint(t->source, d->bone)));
    }
    const bool spine = d->follow == FOLLOW_SPINE;
    const lmbi_spine_chain *from = spine ? &t->source->spine : &t->source->neck,
                           *to = spine ? &t->target->spine : &t->target->neck;
    if (from->count == to->count) {
        return rotation_since_reference(t, pose, from->joints[d->bone]);
    }
    lmb_quat below = rotation_since_reference(t, pose, lmbi_joint(t->source, LMB_HUMAN_HIPS));
    if (!spine) {
        below = chain_end(t, pose, &t->source->spine, below);
        if (from->count == 0) {
            const lmb_quat head =
                rotation_since_reference(t, pose, lmbi_joint(t->source, LMB_HUMAN_HEAD));
            return lmb_quat_slerp(below, head, (float)(d->bone + 1) / (float)(to->count + 1));
        }
    }
    return chain_rotation(t, pose, from, below, to->at[d->bone]);
}

// --------------------------------------------------------------------------------- hips and floor

/// Height of the lower toe. Toes, unlike ankles, are as low in a foot on its ball as in a flat one.
static float lowest_toe(const lmbi_humanoid *body, const lmb_transform *pose)
{
    static const int feet[2] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    float low = INFINITY;
    for (int k = 0; k < 2; ++k) {
        const int32_t joint = lmbi_joint(body, feet[k]);
        if (joint >= 0) {
            const lmb_vec3 toe = lmb_quat_rotate(pose[joint].rotation, lmbi_toe_of(body, feet[k]));
            low = fminf(low, pose[joint].translation.y + toe.y);
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (lmbi_single_limb_of(body, lmbi_upper_bones[k]) != NULL) {
            const lmb_transform leg = pose[lmbi_joint(body, lmbi_upper_bones[k])];
            const float skin = lmbi_sole_lowest(body->single[k].sole, leg.rotation);
            low = fminf(low, leg.translation.y + (isfinite(skin) ? skin : 0.0f));
        }
    }
    return low < INFINITY ? low : pose[lmbi_joint(body, LMB_HUMAN_LEFT_LOWER_LEG)].translation.y;
}

/// A low quantile of the feet's height over a motion.
static float motion_floor(const lmbi_transfer *t, const lmbi_humanoid *body,
                          const lmbi_motion *motion, float *lows, lmb_transform *scratch)
{
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        if (body == t->target) {
            lmbi_transfer_pose(t, f, scratch);
        }
        lows[f] =
            lowest_toe(body, body == t->target ? scratch : motion->model + (size_t)f * body->count);
    }
    return lmbi_quantile(lows, motion->frame_count, FLOOR_QUANTILE);
}

/// Height of a planted toe in the source: that of its reference pose. Some writers take the root of
/// the rest pose from a frame, in a crouch or a leap: where the toes of the rest pose lie off y = 0
/// and those of the motion nearer to it, the motion's own count.
static float source_floor(const lmbi_transfer *t, float motion_low)
{
    const float rest = lowest_toe(t->source, t->source->reference), leg = t->source->leg_length;
    const bool off = rest < -REST_BELOW * leg || rest > REST_ABOVE * leg;
    const bool astray = off && fabsf(motion_low) < fabsf(motion_low - rest);
    return t->source->lifted || astray ? motion_low : rest;
}

/// The hips' position, scaled; heights from the source's floor.
static lmb_vec3 hips_position(const lmbi_transfer *t, lmb_vec3 source)
{
    const lmb_vec3 from = lmbi_reference_at(t->source, LMB_HUMAN_HIPS),
                   to = lmbi_reference_at(t->target, LMB_HUMAN_HIPS);
    // A reference frame of a clip has an arbitrary position on the ground.
    const bool placed = t->source->reference_kind != LMB_REFERENCE_FRAME;
    const float x = placed ? to.x + t->scale * (source.x - from.x) : t->scale * source.x;
    const float z = placed ? to.z + t->scale * (source.z - from.z) : t->scale * source.z;
    return lmb_vec3_make(x, t->scale * source.y, z);
}

/// Shifts the hips so that the lowest feet are as far from the target's floor as the source's are
/// from its own. The shift is measured on the result, because legs of other proportions bent alike
/// reach higher or lower.
static bool stand_on_floor(lmbi_transfer *t, lmbi_arena *arena)
{
    const lmbi_motion *motion = t->motion;
    float *lows = lmbi_arena_array(arena, motion->frame_count, sizeof(*lows));
    lmb_transform *scratch = lmbi_arena_array(arena, t->target->count, sizeof(*scratch));
    if (lows == NULL || scratch == NULL) {
        return false;
    }
    const float source_low = motion_floor(t, t->source, motion, lows, scratch);
    const float target_low = motion_floor(t, t->target, motion, lows, scratch);
    t->source_floor = source_floor(t, source_low);
    t->target_floor = t->target->lifted ? t->scale * t->source_floor
                                        : lowest_toe(t->target, t->target->reference);
    t->low = t->target_floor + t->scale * (source_low - t->source_floor);
    t->rise = t->low - target_low;
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        t->hips[f].y += t->rise;
        lmbi_transfer_stand(t, f, scratch);
    }
    return true;
}

void lmbi_transfer_stand(lmbi_transfer *t, uint32_t frame, lmb_transform *model)
{
    const lmb_transform *source = t->motion->model + (size_t)frame * t->source->count;
    if (lmbi_single_limb_of(t->target, LMB_HUMAN_LEFT_UPPER_LEG) != NULL &&
        lmbi_single_limb_of(t->source, LMB_HUMAN_LEFT_UPPER_LEG) == NULL) {
        const float wanted =
            t->target_floor + t->scale * (lowest_toe(t->source, source) - t->source_floor);
        lmbi_transfer_pose(t, frame, model);
        t->hips[frame].y += wanted - lowest_toe(t->target, model);
    }
}

/// How far a joint moves that turns about a pivot.
static lmb_vec3 carried(lmb_quat turn, lmb_vec3 pivot)
{
    return lmb_vec3_sub(pivot, lmb_quat_rotate(turn, pivot));
}

void lmbi_transfer_frame(lmbi_transfer *t, uint32_t frame)
{
    const int32_t hips = lmbi_joint(t->source, LMB_HUMAN_HIPS);
    const lmb_transform *pose = t->motion->model + (size_t)frame * t->source->count;
    lmb_quat *rotations = t->rotations + (size_t)frame * t->driven_count;
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        rotations[i] = lmb_quat_normalize(
            lmb_quat_mul(driven_rotation(t, pose, &t->driven[i]), t->driven[i].offset));
    }
    const lmb_quat turn = rotation_since_reference(t, pose, hips);
    const lmb_vec3 source = lmb_vec3_sub(pose[hips].translation, carried(turn, t->source_pivot));
    t->hips[frame] = lmb_vec3_add(hips_position(t, source), carried(turn, t->target_pivot));
    t->hips[frame].y += t->rise;
}

/// From the hips' joint to where the body turns: zero, or up to the legs where that joint is a root on
/// the ground.
static lmb_vec3 pivot_of(const lmbi_humanoid *body)
{
    const lmb_vec3 hips = lmbi_reference_at(body, LMB_HUMAN_HIPS),
                   legs = lmb_vec3_lerp(lmbi_reference_at(body, LMB_HUMAN_LEFT_UPPER_LEG),
                                        lmbi_reference_at(body, LMB_HUMAN_RIGHT_UPPER_LEG), 0.5f);
    return lmb_vec3_make(0, legs.y - hips.y > ROOT_BELOW * body->leg_length ? legs.y - hips.y : 0,
                         0);
}

bool lmbi_transfer_make(const lmbi_humanoid *source, const lmbi_humanoid *target,
                        const lmbi_motion *motion, lmbi_arena *arena, lmbi_transfer *out)
{
    lmbi_transfer t = {.source = source,
                       .target = target,
                       .motion = motion,
                       .source_pivot = pivot_of(source),
                       .target_pivot = pivot_of(target)};
    t.driven = lmbi_arena_array(arena, target->count, sizeof(*t.driven));
    t.driven_of = lmbi_arena_array(arena, target->count, sizeof(*t.driven_of));
    t.order = lmbi_arena_array(arena, target->count, sizeof(*t.order));
    bool *placed = lmbi_arena_array(arena, target->count, sizeof(*placed));
    if (t.driven == NULL || t.driven_of == NULL || t.order == NULL || placed == NULL) {
        return false;
    }
    plan_driven(&t);
    plan_order(&t, placed);
    if (!lmbi_twists_plan(&t, arena)) {
        return false;
    }
    t.rotations =
        lmbi_arena_array(arena, (size_t)motion->frame_count * t.driven_count, sizeof(*t.rotations));
    t.hips = lmbi_arena_array(arena, motion->frame_count, sizeof(*t.hips));
    t.scale = source->leg_length > 0.0f && target->leg_length > 0.0f
                  ? target->leg_length / source->leg_length
                  : 1.0f;
    if (t.rotations == NULL || t.hips == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        lmbi_transfer_frame(&t, f);
    }
    if (!stand_on_floor(&t, arena)) {
        return false;
    }
    *out = t;
    return true;
}

void lmbi_transfer_pose(const lmbi_transfer *t, uint32_t frame, lmb_transform *model)
{
    const lmb_skeleton *skeleton = t->target->skeleton;
    const lmb_quat *rotations = t->rotations + (size_t)frame * t->driven_count;
    const int32_t hips = lmbi_joint(t->target, LMB_HUMAN_HIPS);
    for (uint32_t k = 0; k < t->target->count; ++k) {
        const uint32_t j = t->order[k];
        const int32_t parent = skeleton->parents[j];
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
        const int32_t i = t->driven_of[j];
        if (t->twist_of[j] >= 0) {
            model[j].rotation = lmbi_twist_rotation(t, &t->twists[t->twist_of[j]], rotations);
        }
        if (i < 0) {
            continue;
        }
        model[j].rotation = t->twist_of[j] >= 0 ? model[j].rotation : rotations[i];
        if ((int32_t)j == hips) {
            model[j].translation = t->hips[frame];
        } else if (t->driven[i].carrier >= 0) {
            const lmbi_driven *carrier = &t->driven[t->driven[i].carrier];
            const lmb_quat since_reference =
                lmb_quat_mul(rotations[t->driven[i].carrier],
                             lmb_quat_conjugate(t->target->reference[carrier->joint].rotation));
            model[j].translation =
                lmb_vec3_add(model[carrier->joint].translation,
                             lmb_quat_rotate(since_reference, t->driven[i].carried));
        }
    }
}
