/// Retargeting by chains: the order of the steps.
#include "retarget/chains.h"
#include "retarget/feet.h"

#include "base/error.h"
#include "limber/anim.h"

static void restore_travel(const lmbi_chain_transfer *t, lmb_vec3 treadmill, bool in_place,
                           lmb_transform *model)
{
    const lmb_vec3 zero = {0, 0, 0};
    const bool moves = lmb_vec3_distance(treadmill, zero) > 0.0f;
    const lmb_vec3 rest = t->target->reference[t->target->map.root].translation;
    for (uint32_t f = 0; f < t->motion->frame_count && (moves || in_place); ++f) {
        lmbi_chain_pose(t, f, model);
        lmb_vec3 at = lmb_vec3_mad(model[t->target->map.root].translation,
                                   lmbi_treadmill_offset(t->motion, treadmill, f), t->scale);
        at.x = in_place ? rest.x : at.x;
        at.z = in_place ? rest.z : at.z;
        lmbi_chain_set_root(t, f, at);
    }
}

static void fill_report(lmb_retarget_report *report, const lmbi_chain_transfer *t,
                        lmb_vec3 treadmill)
{
    const lmb_vec3 zero = {0, 0, 0};
    for (int bone = 0; bone < LMB_SLOT_COUNT; ++bone) {
        report->source_map.slots[bone].joint = report->target_map.slots[bone].joint = LMB_NONE;
    }
    report->by_chains = true;
    report->source_chains = t->source->map;
    report->target_chains = t->target->map;
    report->chain_count = t->chain_count;
    report->frame_count = t->motion->kept;
    report->loops = t->motion->lead > 0;
    report->dropped_frames = t->motion->dropped;
    report->frame_rate = t->motion->rate;
    report->scale = t->scale;
    report->belt_speed = lmb_vec3_distance(treadmill, zero) * t->scale;
}

lmb_result lmbi_retarget_chains(const lmbi_retarget_call *call, lmb_clip **out, lmb_error *error)
{
    const lmb_retarget_opts *opts = call->opts;
    lmbi_arena *arena = call->arena;
    const lmb_skeleton *own = call->source->skeleton, *skeleton = call->target->skeleton;
    const lmb_clip *played = call->source->clips[call->clip];
    lmbi_motion motion;
    lmbi_chain_body from, to;
    lmbi_chain_transfer t;
    lmb_result code = lmbi_motion_sample(call->source, call->clip, opts->frame_rate,
                                         !opts->no_lock_feet, arena, &motion, error);
    if (code == LMB_OK) {
        code = lmbi_creature_make(own, opts->source_chains, "the motion", call->alloc, arena, &from,
                                  error);
    }
    if (code == LMB_OK) {
        code = lmbi_creature_make(skeleton,
                                  call->same && opts->target_chains == NULL ? opts->source_chains
                                                                            : opts->target_chains,
                                  "the character", call->alloc, arena, &to, error);
    }
    if (code != LMB_OK) {
        return code;
    }
    lmb_vec3 treadmill = {0, 0, 0};
    lmb_transform *model = lmbi_arena_array(arena, to.count, sizeof *model);
    if (model == NULL ||
        !lmbi_motion_unroll(&motion, from.map.root, from.size + from.trunk, arena) ||
        (!opts->no_lock_feet && !lmbi_paws_treadmill(&from, &motion, arena, &treadmill))) {
        return lmbi_fail_memory(error);
    }
    lmbi_treadmill_undo(&motion, treadmill);
    code = lmbi_chain_transfer_make(&from, &to, &motion, played, call->same, arena, &t, error);
    if (code != LMB_OK) {
        return code;
    }
    fill_report(call->report, &t, treadmill);
    if (!lmbi_paws_place(&t, !opts->no_lock_feet, arena, &call->report->contact_count,
                         &call->report->largest_correction)) {
        return lmbi_fail_memory(error);
    }
    restore_travel(&t, treadmill, opts->in_place, model);
    return lmb_clip_from_poses(skeleton, t.local + (size_t)motion.lead * to.count, motion.kept,
                               motion.rate, opts->name != NULL ? opts->name : played->name,
                               call->alloc, out, error);
}
