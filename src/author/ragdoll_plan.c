/// Decides what a ragdoll of a character is made of: joints with bodies, limits, masses, friction.
#include "author/author.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/author.h"
#include "limber/mapping.h"
#include "limber/retarget.h"
#include "mapping/mapping.h"

/// Least confidence of a joint map whose joints get a human's bodies and limits.
#define HUMAN_CONFIDENCE 0.7f
/// Animals have hips and head too; a human's head is higher by this fraction of the joints' height.
#define HEAD_ABOVE_HIPS 0.2f
/// Adult whose mass other heights are scaled from.
#define HUMAN_MASS_KG 70.0f
#define HUMAN_HEIGHT_M 1.75f

const lmb_human_bone lmbi_ragdoll_bones[LMBI_RAGDOLL_BONES] = {
    LMB_HUMAN_HIPS,       LMB_HUMAN_SPINE,           LMB_HUMAN_CHEST,
    LMB_HUMAN_HEAD,       LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,
    LMB_HUMAN_LEFT_FOOT,  LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG,
    LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,
    LMB_HUMAN_LEFT_HAND,  LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM,
    LMB_HUMAN_RIGHT_HAND,
};

typedef struct body_joints {
    uint32_t count, joints[LMBI_RAGDOLL_BONES];
    int32_t parents[LMBI_RAGDOLL_BONES];
} body_joints;

static bool has_body(lmb_human_bone bone)
{
    bool has = false;
    for (size_t k = 0; k < LMBI_RAGDOLL_BONES; ++k) {
        has = has || lmbi_ragdoll_bones[k] == bone;
    }
    return has;
}

/// The joint that a human's bone hangs from, of those with a body.
static int32_t joint_above(const lmb_joint_map *map, lmb_human_bone bone)
{
    bone = lmbi_human_bone_parent(bone);
    while (bone < LMB_HUMAN_BONE_COUNT && !(has_body(bone) && map->bones[bone].joint >= 0)) {
        bone = lmbi_human_bone_parent(bone);
    }
    return bone < LMB_HUMAN_BONE_COUNT ? map->bones[bone].joint : LMB_NONE;
}

/// The joints that get a body of their own, of those that are mapped. Joints between them move with
/// the one above.
static body_joints choose_joints(const lmb_joint_map *map)
{
    body_joints chosen = {0};
    for (size_t k = 0; k < LMBI_RAGDOLL_BONES; ++k) {
        const int32_t joint = map->bones[lmbi_ragdoll_bones[k]].joint;
        if (joint != LMB_NONE) {
            chosen.parents[chosen.count] = joint_above(map, lmbi_ragdoll_bones[k]);
            chosen.joints[chosen.count++] = (uint32_t)joint;
        }
    }
    return chosen;
}

static lmb_result stands(const lmb_skeleton *skeleton, const lmb_joint_map *map,
                         const lmb_allocator *alloc, bool *out, lmb_error *error)
{
    const int32_t hips = map->bones[LMB_HUMAN_HIPS].joint, head = map->bones[LMB_HUMAN_HEAD].joint;
    *out = false;
    if (hips == LMB_NONE || head == LMB_NONE) {
        return LMB_OK;
    }
    lmb_mat4 *model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *model);
    if (model == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(model[j]));
    }
    *out = model[head].m[13] - model[hips].m[13] > HEAD_ABOVE_HIPS * (box.high.y - box.low.y);
    lmbi_free(alloc, model);
    return LMB_OK;
}

/// Bodies of the joints of `want`, with the mass that its height gives a human where none is asked.
static lmb_result make_set(const lmb_character *character, lmb_ragdoll_opts want, bool scale_mass,
                           const lmb_allocator *alloc, lmb_ragdoll_set **out, lmb_error *error)
{
    const lmb_result result = lmb_ragdoll_set_make(character, &want, alloc, out, error);
    if (result != LMB_OK || !scale_mass) {
        return result;
    }
    const float ratio = ((*out)->box.high.y - (*out)->box.low.y) / HUMAN_HEIGHT_M;
    lmb_ragdoll_set_destroy(*out);
    *out = NULL;
    want.mass = HUMAN_MASS_KG * ratio * ratio * ratio;
    return lmb_ragdoll_set_make(character, &want, alloc, out, error);
}

static lmb_result make_human_set(const lmb_character *character, const lmb_joint_map *map,
                                 float mass, const lmb_allocator *alloc, lmb_ragdoll_set **out,
                                 lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const body_joints chosen = choose_joints(map);
    lmb_ragdoll_opts want = {.joints = chosen.joints,
                             .joint_count = chosen.count,
                             .parents = chosen.parents,
                             .mass = mass};
    lmb_joint_limit *limits = NULL;
    lmb_result result = LMB_OK;
    if (skeleton->limits == NULL) {
        limits = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *limits);
        result = limits != NULL ? lmb_joint_map_limits(map, skeleton, alloc, limits, error)
                                : lmbi_fail_memory(error);
        want.limits = limits;
    }
    if (result == LMB_OK) {
        result = make_set(character, want, !(mass > 0), alloc, out, error);
    }
    lmbi_free(alloc, limits);
    return result;
}

lmb_result lmb_ragdoll_plan_make(const lmb_character *character, float mass,
                                 const lmb_allocator *alloc, lmb_ragdoll_plan *out,
                                 lmb_error *error)
{
    lmb_ragdoll_plan plan = {
        .scene = {.gravity = {0, -9.81f, 0}, .friction = 0.8f, .joint_friction = 0.15f},
        .stagger = {.strength_hz = 4, .balance_hz = 3, .recover_s = 1.2}};
    lmb_result result = lmb_joint_map_make(character->skeleton, alloc, &plan.map, error);
    if (result == LMB_OK && plan.map.confidence > HUMAN_CONFIDENCE) {
        result = stands(character->skeleton, &plan.map, alloc, &plan.is_human, error);
    }
    if (result == LMB_OK) {
        result = plan.is_human ? make_human_set(character, &plan.map, mass, alloc, &plan.set, error)
                               : make_set(character, (lmb_ragdoll_opts){.mass = mass}, false, alloc,
                                          &plan.set, error);
    }
    *out = result == LMB_OK ? plan : (lmb_ragdoll_plan){0};
    return result;
}
