/// Retargets pose by pose: the transfer is set up once and applied to each frame.
#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/capture.h"
#include "mapping/mapping.h"
#include "retarget/chains.h"
#include "retarget/feet.h"
#include "retarget/transfer.h"

struct lmb_live {
    lmb_allocator alloc;
    lmbi_arena arena;
    lmb_character source, target; ///< a copy of the source's skeleton; the caller's target skeleton
    lmbi_humanoid from, to;
    lmbi_motion motion; ///< one frame
    lmbi_transfer transfer;
    /// retargeted by the chains below; `to` then has the human bones that the target has
    bool by_chains;
    lmbi_chain_body from_chains, to_chains;
    lmbi_chain_transfer chains;
    lmb_transform *model; ///< [target joints] of the last step
    /// rotation of each of the target's bones from its reference pose to a T-pose
    lmb_quat to_t_pose[LMB_HUMAN_BONE_COUNT];
};

static void to_model(const lmb_skeleton *skeleton, const lmb_transform *local, lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] = parent < 0 ? local[j] : lmb_transform_mul(model[parent], local[j]);
    }
}

/// Aligns a T-pose body with the target's bones to find the rotations from the target's reference
/// pose.
static lmb_result align_t_pose(lmb_live *live, lmb_error *error)
{
    lmb_vmc_frame frame = {.bones = 0};
    lmb_character *upright = NULL;
    lmbi_humanoid body;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        frame.local[bone] = lmb_transform_identity();
        frame.bones |= lmbi_joint(&live->to, bone) >= 0 ? UINT64_C(1) << bone : 0;
    }
    frame.root = lmb_transform_identity();
    lmb_result code = lmb_vmc_character(&frame, 1, &live->alloc, &upright, error);
    if (code == LMB_OK) {
        code = lmbi_body_make(upright, NULL, NULL, "a T-pose", &live->alloc, &live->arena, &body,
                              error);
    }
    if (code == LMB_OK) {
        lmbi_align(&body, &live->to, live->to_t_pose);
    }
    lmb_character_destroy(upright);
    return code;
}

/// Allocates one frame of the source, in the pose `reference`.
static bool allocate_frame(lmb_live *live, const lmb_transform *reference)
{
    const uint32_t count = live->source.skeleton->joint_count;
    live->motion = (lmbi_motion){.skeleton = live->source.skeleton, .frame_count = 1, .kept = 1};
    live->motion.model = lmbi_arena_array(&live->arena, count, sizeof *live->motion.model);
    live->model =
        lmbi_arena_array(&live->arena, live->target.skeleton->joint_count, sizeof *live->model);
    if (live->motion.model == NULL || live->model == NULL) {
        return false;
    }
    memcpy(live->motion.model, reference, count * sizeof *live->motion.model);
    return true;
}

/// Finds the human bones of a target retargeted by chains, for its VMC frames. Its rest pose counts
/// as a T-pose.
static lmb_result find_bones(lmb_live *live, const lmb_character *target,
                             const lmb_retarget_opts *opts, lmb_error *error)
{
    lmb_result code = LMB_OK;
    if (opts->target_map != NULL) {
        live->to.map = *opts->target_map;
    } else {
        code = lmb_joint_map_of_character(target, &live->alloc, &live->to.map, error);
    }
    live->to.reference = live->to_chains.reference;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        live->to_t_pose[bone] = lmb_quat_identity();
    }
    return code;
}

static lmb_result setup_chains(lmb_live *live, const lmb_character *target,
                               const lmb_retarget_opts *opts, lmb_error *error)
{
    lmb_result code = lmbi_creature_make(live->source.skeleton, opts->source_chains, "the motion",
                                         &live->alloc, &live->arena, &live->from_chains, error);
    if (code == LMB_OK) {
        code = lmbi_creature_make(target->skeleton, opts->target_chains, "the character",
                                  &live->alloc, &live->arena, &live->to_chains, error);
    }
    if (code == LMB_OK) {
        code = allocate_frame(live, live->from_chains.reference)
                   ? find_bones(live, target, opts, error)
                   : lmbi_fail_memory(error);
    }
    return code == LMB_OK
               ? lmbi_chain_transfer_make(&live->from_chains, &live->to_chains, &live->motion, NULL,
                                          false, &live->arena, &live->chains, error)
               : code;
}

static lmb_result setup_human(lmb_live *live, const lmb_character *target,
                              const lmb_retarget_opts *opts, lmb_error *error)
{
    lmb_result code = lmbi_body_make(&live->source, opts->source_map, NULL, "the motion",
                                     &live->alloc, &live->arena, &live->from, error);
    if (code == LMB_OK) {
        code = lmbi_body_make(target, opts->target_map, NULL, "the character", &live->alloc,
                              &live->arena, &live->to, error);
    }
    if (code == LMB_OK) {
        code = align_t_pose(live, error);
    }
    if (code != LMB_OK) {
        return code;
    }
    live->to.character = &live->target;
    if (!allocate_frame(live, live->from.reference)) {
        return lmbi_fail_memory(error);
    }
    return lmbi_transfer_make(&live->from, &live->to, &live->motion, &live->arena, &live->transfer)
               ? LMB_OK
               : lmbi_fail_memory(error);
}

static lmb_result setup(lmb_live *live, const lmb_character *target, const lmb_character *source,
                        const lmb_retarget_opts *opts, lmb_error *error)
{
    lmbi_retarget_choice choice;
    lmb_result code =
        lmb_skeleton_create(source->skeleton, &live->alloc, &live->source.skeleton, error);
    if (code == LMB_OK) {
        live->target.skeleton = target->skeleton;
        code = lmbi_retarget_choose(target, source, LMB_NONE, opts, &live->alloc, &live->arena,
                                    &choice, error);
    }
    if (code != LMB_OK) {
        return code;
    }
    live->by_chains = !choice.human;
    code = choice.human ? setup_human(live, target, opts, error)
                        : setup_chains(live, target, opts, error);
    if (code == LMB_ERROR_UNSUPPORTED && !choice.human && !choice.sure) {
        live->by_chains = false;
        code = setup_human(live, target, opts, error);
    }
    return code;
}

lmb_result lmb_live_create(const lmb_character *target, const lmb_character *source,
                           const lmb_retarget_opts *opts, const lmb_allocator *alloc,
                           lmb_live **out, lmb_error *error)
{
    static const lmb_retarget_opts none = {0};
    lmb_live *live = lmbi_alloc(alloc, sizeof *live);
    if (live == NULL) {
        return lmbi_fail_memory(error);
    }
    live->alloc = alloc ? *alloc : (lmb_allocator){0};
    lmbi_arena_init(&live->arena, &live->alloc);
    const lmb_result code = setup(live, target, source, opts ? opts : &none, error);
    if (code != LMB_OK) {
        lmb_live_destroy(live);
        return code;
    }
    *out = live;
    return LMB_OK;
}

void lmb_live_destroy(lmb_live *live)
{
    if (live != NULL) {
        const lmb_allocator alloc = live->alloc;
        lmb_skeleton_destroy(live->source.skeleton);
        lmbi_arena_free(&live->arena);
        lmbi_free(&alloc, live);
    }
}

static void step_chains(lmb_live *live, lmb_transform *target)
{
    lmbi_chain_transfer *t = &live->chains;
    lmbi_chain_face(t, 0);
    lmbi_chain_carry(t, 0, live->model);
    lmbi_chain_pose(t, 0, live->model);
    memcpy(target, t->local, live->to_chains.count * sizeof *target);
}

void lmb_live_step(lmb_live *live, const lmb_transform *source, lmb_transform *target)
{
    const lmbi_transfer *t = &live->transfer;
    const lmb_skeleton *skeleton = live->target.skeleton;
    const lmb_transform identity = lmb_transform_identity();
    to_model(live->source.skeleton, source, live->motion.model);
    if (live->by_chains) {
        step_chains(live, target);
        return;
    }
    const int32_t hips = lmbi_joint(&live->to, LMB_HUMAN_HIPS);
    lmbi_transfer_frame(&live->transfer, 0);
    lmbi_transfer_stand(&live->transfer, 0, live->model);
    lmbi_transfer_pose(t, 0, live->model);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t i = t->driven_of[j], parent = skeleton->parents[j];
        target[j] = skeleton->rest[j];
        if (i < 0) {
            continue;
        }
        const lmb_transform local = lmbi_local_of(parent < 0 ? &identity : &live->model[parent],
                                                  &live->model[j], skeleton->rest[j].scale);
        target[j].rotation = local.rotation;
        if ((int32_t)j == hips || t->driven[i].carrier >= 0) {
            target[j].translation = local.translation;
        }
    }
}

/// The nearest ancestor bone that the target has, or LMB_HUMAN_BONE_COUNT.
static int bone_above(const lmbi_humanoid *body, int bone)
{
    int above = (int)lmbi_human_bone_parent((lmb_human_bone)bone);
    while (above < LMB_HUMAN_BONE_COUNT && lmbi_joint(body, above) < 0) {
        above = (int)lmbi_human_bone_parent((lmb_human_bone)above);
    }
    return above;
}

/// Model transform of a bone's joint, with its rotation relative to a T-pose.
static lmb_transform relative_to_t_pose(const lmb_live *live, int bone)
{
    const int32_t joint = lmbi_joint(&live->to, bone);
    const lmb_quat rotation = lmb_quat_mul(live->model[joint].rotation,
                                           lmb_quat_conjugate(live->to.reference[joint].rotation));
    return (lmb_transform){
        .translation = live->model[joint].translation,
        .rotation = lmb_quat_mul(rotation, lmb_quat_conjugate(live->to_t_pose[bone])),
        .scale = {1, 1, 1},
    };
}

void lmb_live_frame(const lmb_live *live, lmb_vmc_frame *out)
{
    out->bones = 0;
    out->root = lmb_transform_identity();
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (lmbi_joint(&live->to, bone) < 0) {
            continue;
        }
        const int above = bone_above(&live->to, bone);
        const lmb_transform identity = lmb_transform_identity(),
                            own = relative_to_t_pose(live, bone);
        const lmb_transform parent =
            above < LMB_HUMAN_BONE_COUNT ? relative_to_t_pose(live, above) : identity;
        out->local[bone] = lmbi_local_of(&parent, &own, lmb_vec3_make(1, 1, 1));
        out->bones |= UINT64_C(1) << bone;
    }
}
