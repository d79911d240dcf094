/// The fitted skeleton, in an upright rest pose so that limits and offsets mean the same on every
/// character.
#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "base/error.h"
#include "capture/fit.h"

#define PRONATION_RAD 1.75f     ///< either way: a forearm's skin rotates with the hand
#define CARRY_RAD 0.03f         ///< a twisting elbow hardly bends sideways
#define OVEREXTENSION_RAD 0.17f ///< that knees and elbows of recordings bend past straight

/// Local transforms of a pose, without scale and with nothing above the root.
static void set_rest(lmbi_fit_subject *s, const lmb_transform *model)
{
    const lmb_skeleton *from = s->character->skeleton;
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = from->parents[j];
        s->rest[j] = lmb_transform_identity();
        s->unit_m[j] = parent < 0 ? 1.0f : fabsf(model[parent].scale.x);
        s->unit_m[j] = s->unit_m[j] > 0 ? s->unit_m[j] : 1.0f;
        if (!lmbi_is_under(from, (int32_t)j, (int32_t)s->root)) {
            continue;
        }
        s->rest[j].rotation = model[j].rotation;
        s->rest[j].translation = model[j].translation;
        if (j != s->root) {
            const lmb_quat inverse = lmb_quat_conjugate(model[parent].rotation);
            s->rest[j].rotation = lmb_quat_normalize(lmb_quat_mul(inverse, model[j].rotation));
            s->rest[j].translation = lmb_quat_rotate(
                inverse, lmb_vec3_sub(model[j].translation, model[parent].translation));
        }
    }
}

static void measure_height(lmbi_fit_subject *s)
{
    float low = INFINITY, high = -INFINITY;
    lmb_transform *model = s->original; // scratch, overwritten below
    for (uint32_t j = 0; j < s->count; ++j) {
        const int32_t parent = s->skeleton.parents[j];
        model[j] = parent < 0 ? s->rest[j] : lmb_transform_mul(model[parent], s->rest[j]);
        s->positions[j] = model[j].translation;
        low = fminf(low, s->positions[j].y);
        high = fmaxf(high, s->positions[j].y);
    }
    s->height = high > low ? high - low : 1.0f;
    memcpy(s->original, s->rest, s->count * sizeof *s->original);
}

/// Extends a human's hinge past straight, which is the lower end of its range.
static lmb_joint_limit widen_hinge(lmb_joint_limit limit, float by_rad)
{
    limit.twist_min_rad -= limit.kind == LMB_JOINT_HINGE ? by_rad : 0;
    return limit;
}

static lmb_result set_limits(lmbi_fit_subject *s, const lmb_allocator *alloc, lmbi_arena *arena,
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
        s->limits[j] = widen_hinge(s->limits[j], OVEREXTENSION_RAD);
        s->hinges[j] = (lmb_joint_limit){.kind = LMB_JOINT_FREE};
        if (s->limits[j].kind == LMB_JOINT_HINGE || s->limits[j].kind == LMB_JOINT_FIXED) {
            s->hinges[j] = widen_hinge(s->limits[j], 2 * OVEREXTENSION_RAD);
        }
    }
    return result;
}

void lmbi_subject_twist_forearms(lmbi_fit_subject *s)
{
    static const int bones[2] = {LMB_HUMAN_LEFT_LOWER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM};
    for (int k = 0; k < 2 && s->humanoid; ++k) {
        const int32_t elbow = s->map.bones[bones[k]].joint, hand = s->map.bones[bones[k] + 1].joint;
        if (elbow < 0 || hand < 0 || s->skeleton.parents[hand] != elbow ||
            s->hinges[elbow].kind != LMB_JOINT_HINGE) {
            continue;
        }
        const lmb_joint_limit hinge = s->hinges[elbow];
        const lmb_vec3 bone = s->rest[hand].translation,
                       across = lmb_vec3_mad(bone, hinge.axis, -lmb_vec3_dot(bone, hinge.axis));
        if (lmb_vec3_length(across) < 0.5f * lmb_vec3_length(bone)) {
            continue;
        }
        s->hinges[elbow] = (lmb_joint_limit){
            .kind = LMB_JOINT_BALL,
            .axis = lmb_vec3_normalize_or(across, hinge.axis),
            .side = hinge.axis,
            .swing_side_rad = {fmaxf(0.0f, -hinge.twist_min_rad), fmaxf(0.0f, hinge.twist_max_rad)},
            .swing_across_rad = {CARRY_RAD, CARRY_RAD},
            .twist_min_rad = -PRONATION_RAD,
            .twist_max_rad = PRONATION_RAD};
    }
}

static bool allocate_arrays(lmbi_fit_subject *s, lmbi_arena *arena)
{
    s->rest = lmbi_arena_array(arena, s->count, sizeof *s->rest);
    s->original = lmbi_arena_array(arena, s->count, sizeof *s->original);
    s->positions = lmbi_arena_array(arena, s->count, sizeof *s->positions);
    s->unit_m = lmbi_arena_array(arena, s->count, sizeof *s->unit_m);
    return s->rest != NULL && s->original != NULL && s->positions != NULL && s->unit_m != NULL;
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
    if (!allocate_arrays(&s, arena) || model == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_result made =
        lmbi_body_make(character, map, NULL, "a character", alloc, arena, &body, &refusal);
    if (made == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    s.map = body.map;
    s.humanoid = made == LMB_OK;
    s.root = s.humanoid ? (uint32_t)body.map.bones[LMB_HUMAN_HIPS].joint : root;
    lmbi_rest_model(character->skeleton, model);
    const int32_t above = character->skeleton->parents[s.root];
    s.root_parent = above < 0 ? lmb_transform_identity() : model[above];
    set_rest(&s, s.humanoid ? body.reference : model);
    s.skeleton.rest = s.rest;
    measure_height(&s);
    const lmb_result result = free ? LMB_OK : set_limits(&s, alloc, arena, error);
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
    return lmbi_local_of(&subject->root_parent, &local[subject->root],
                         subject->character->skeleton->rest[subject->root].scale);
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
        const lmb_vec3 now = subject->rest[j].translation,
                       original = subject->original[j].translation;
        if (memcmp(&now, &original, sizeof now) != 0) {
            rest[j].translation = lmb_vec3_scale(now, 1 / subject->unit_m[j]);
        }
    }
    def.rest = rest;
    return lmb_skeleton_create(&def, alloc, out, error);
}
