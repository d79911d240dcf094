/// The skeleton that is fitted: standing upright at rest, so that limits and offsets mean the same
/// on every character.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit.h"

/// Knees and elbows of people, and of the skeletons that captured motions come on, go a little past
/// straight.
#define PRONATES 1.75f ///< radians either way: a forearm's skin turns with the hand
#define CARRY 0.03f    ///< an elbow that twists hardly bends aside
#define OVEREXTENDED 0.17f

static bool is_below(const lmb_skeleton *skeleton, uint32_t joint, uint32_t root)
{
    int32_t j = (int32_t)joint;
    while (j > (int32_t)root) {
        j = skeleton->parents[j];
    }
    return j == (int32_t)root;
}

/// Where the joints stand, as turns and places alone: local transforms without scale, and none
/// above the root.
static void take_pose(lmbi_fit_subject *s, const lmb_transform *model)
{
    const lmb_skeleton *from = s->character->skeleton;
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = from->parents[j];
        s->rest[j] = lmb_transform_identity();
        s->units[j] = parent < 0 ? 1.0f : fabsf(model[parent].scale.x);
        s->units[j] = s->units[j] > 0 ? s->units[j] : 1.0f;
        if (!is_below(from, j, s->root)) {
            continue;
        }
        s->rest[j].rotation = model[j].rotation;
        s->rest[j].translation = model[j].translation;
        if (j != s->root) {
            const lmb_quat back = lmb_quat_conjugate(model[parent].rotation);
            s->rest[j].rotation = lmb_quat_normalize(lmb_quat_mul(back, model[j].rotation));
            s->rest[j].translation = lmb_quat_rotate(
                back, lmb_vec3_sub(model[j].translation, model[parent].translation));
        }
    }
}

static void rest_model(const lmb_skeleton *skeleton, lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
    }
}

static void measure(lmbi_fit_subject *s)
{
    float low = INFINITY, high = -INFINITY;
    lmb_transform *model = s->first; // overwritten below, before anyone reads it
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = s->skeleton.parents[j];
        model[j] = parent < 0 ? s->rest[j] : lmb_transform_mul(model[parent], s->rest[j]);
        s->at[j] = model[j].translation;
        low = fminf(low, s->at[j].y);
        high = fmaxf(high, s->at[j].y);
    }
    s->height = high > low ? high - low : 1.0f;
    memcpy(s->first, s->rest, s->count * sizeof *s->first);
}

/// A hinge past straight, by the end of its range that is nearer to it.
static lmb_joint_limit widened(lmb_joint_limit limit, float by_rad)
{
    if (limit.kind == LMB_JOINT_HINGE && fabsf(limit.twist_min_rad) < limit.twist_max_rad) {
        limit.twist_min_rad -= by_rad;
    } else if (limit.kind == LMB_JOINT_HINGE) {
        limit.twist_max_rad += by_rad;
    }
    return limit;
}

static lmb_result take_limits(lmbi_fit_subject *s, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmb_error *error)
{
    if (!s->humanoid) {
        s->limits = s->hinges = s->skeleton.limits;
        return LMB_OK;
    }
    s->limits = lmbi_arena_array(arena, s->count, sizeof *s->limits);
    s->hinges = lmbi_arena_array(arena, s->count, sizeof *s->hinges);
    if (s->limits == NULL || s->hinges == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = lmb_joint_map_limits(&s->map, &s->skeleton, alloc, s->limits, error);
    for (uint32_t j = 0; result == LMB_OK && j < s->count; ++j) {
        s->limits[j] = widened(s->limits[j], OVEREXTENDED);
        s->hinges[j] = (lmb_joint_limit){.kind = LMB_JOINT_FREE};
        if (s->limits[j].kind == LMB_JOINT_HINGE || s->limits[j].kind == LMB_JOINT_FIXED) {
            s->hinges[j] = widened(s->limits[j], 2 * OVEREXTENDED);
        }
    }
    return result;
}

void lmbi_subject_twist_forearms(lmbi_fit_subject *s)
{
    static const int slots[2] = {LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_RIGHT_LOWER_ARM};
    for (int k = 0; k < 2 && s->humanoid; ++k) {
        const int32_t elbow = s->map.slots[slots[k]].joint, hand = s->map.slots[slots[k] + 1].joint;
        if (elbow < 0 || hand < 0 || s->skeleton.parents[hand] != elbow ||
            s->hinges[elbow].kind != LMB_JOINT_HINGE) {
            continue;
        }
        const lmb_joint_limit was = s->hinges[elbow];
        const lmb_vec3 bone = s->rest[hand].translation,
                       across = lmb_vec3_mad(bone, was.axis, -lmb_vec3_dot(bone, was.axis));
        if (lmb_vec3_length(across) < 0.5f * lmb_vec3_length(bone)) {
            continue;
        }
        s->hinges[elbow] = (lmb_joint_limit){
            .kind = LMB_JOINT_BALL,
            .axis = lmb_vec3_normalize_or(across, was.axis),
            .side = was.axis,
            .swing_side_rad = {fmaxf(0.0f, -was.twist_min_rad), fmaxf(0.0f, was.twist_max_rad)},
            .swing_across_rad = {CARRY, CARRY},
            .twist_min_rad = -PRONATES,
            .twist_max_rad = PRONATES};
    }
}

static bool make_room(lmbi_fit_subject *s, lmbi_arena *arena)
{
    s->rest = lmbi_arena_array(arena, s->count, sizeof *s->rest);
    s->first = lmbi_arena_array(arena, s->count, sizeof *s->first);
    s->at = lmbi_arena_array(arena, s->count, sizeof *s->at);
    s->units = lmbi_arena_array(arena, s->count, sizeof *s->units);
    return s->rest != NULL && s->first != NULL && s->at != NULL && s->units != NULL;
}

lmb_result lmbi_subject_make(const lmb_character *character, const lmb_joint_map *map, bool free,
                             uint32_t root, const lmb_allocator *alloc, lmbi_arena *arena,
                             lmbi_fit_subject *out, lmb_error *error)
{
    lmbi_fit_subject s = {.character = character, .count = character->skeleton->joint_count};
    s.skeleton = *character->skeleton;
    lmb_transform *model = lmbi_arena_array(arena, s.count, sizeof *model);
    lmbi_humanoid body;
    lmb_error refusal = {0};
    if (!make_room(&s, arena) || model == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_result made =
        lmbi_body_make(character, map, NULL, "a character", alloc, arena, &body, &refusal);
    if (made == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    s.map = body.map;
    s.humanoid = made == LMB_OK;
    s.root = s.humanoid ? (uint32_t)body.map.slots[LMB_SLOT_HIPS].joint : root;
    rest_model(character->skeleton, model);
    const int32_t above = character->skeleton->parents[s.root];
    s.above = above < 0 ? lmb_transform_identity() : model[above];
    take_pose(&s, s.humanoid ? body.reference : model);
    s.skeleton.rest = s.rest;
    measure(&s);
    const lmb_result result = free ? LMB_OK : take_limits(&s, alloc, arena, error);
    *out = s;
    return result;
}

void lmbi_subject_model(const lmbi_fit_subject *subject, const lmb_transform *local,
                        lmb_mat4 *model)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &subject->skeleton, .local = local, .model_from_joint = model});
}

lmb_transform lmbi_subject_root(const lmbi_fit_subject *subject, const lmb_transform *local)
{
    const lmb_transform *root = &local[subject->root], *above = &subject->above;
    const lmb_quat back = lmb_quat_conjugate(above->rotation);
    const lmb_vec3 way = lmb_quat_rotate(back, lmb_vec3_sub(root->translation, above->translation));
    const lmb_vec3 s = above->scale;
    return (lmb_transform){
        .translation = {s.x != 0 ? way.x / s.x : way.x, s.y != 0 ? way.y / s.y : way.y,
                        s.z != 0 ? way.z / s.z : way.z},
        .rotation = lmb_quat_normalize(lmb_quat_mul(back, root->rotation)),
        .scale = subject->character->skeleton->rest[subject->root].scale,
    };
}

lmb_result lmbi_subject_skeleton(const lmbi_fit_subject *subject, const lmb_allocator *alloc,
                                 lmbi_arena *arena, lmb_skeleton **out, lmb_error *error)
{
    lmb_skeleton def = *subject->character->skeleton;
    lmb_transform *rest = lmbi_arena_array(arena, subject->count, sizeof *rest);
    if (rest == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(rest, def.rest, subject->count * sizeof *rest);
    for (uint32_t j = subject->root + 1; j < subject->count; ++j) {
        const lmb_vec3 now = subject->rest[j].translation, was = subject->first[j].translation;
        if (memcmp(&now, &was, sizeof now) != 0) {
            rest[j].translation = lmb_vec3_scale(now, 1 / subject->units[j]);
        }
    }
    def.rest = rest;
    return lmb_skeleton_create(&def, alloc, out, error);
}
