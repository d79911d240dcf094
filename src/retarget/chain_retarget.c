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
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        report->source_map.bones[bone].joint = report->target_map.bones[bone].joint = LMB_NONE;
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

lmb_result lmbi_retarget_chains(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts, bool same,
                                const lmb_allocator *alloc, lmbi_arena *arena, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error)
{
    lmbi_motion motion;
    lmbi_chain_body from, to;
    lmbi_chain_transfer t;
    lmb_result code = lmbi_motion_sample(source, clip, opts->frame_rate, !opts->no_lock_feet, arena,
                                         &motion, error);
    if (code == LMB_OK) {
        code = lmbi_creature_make(source->skeleton, opts->source_chains, "the motion", alloc, arena,
                                  &from, error);
    }
    if (code == LMB_OK) {
        code = lmbi_creature_make(target->skeleton,
                                  same && opts->target_chains == NULL ? opts->source_chains
                                                                      : opts->target_chains,
                                  "the character", alloc, arena, &to, error);
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
    code =
        lmbi_chain_transfer_make(&from, &to, &motion, source->clips[clip], same, arena, &t, error);
    if (code != LMB_OK) {
        return code;
    }
    fill_report(report, &t, treadmill);
    if (!lmbi_paws_place(&t, !opts->no_lock_feet, arena, &report->contact_count,
                         &report->largest_correction)) {
        return lmbi_fail_memory(error);
    }
    restore_travel(&t, treadmill, opts->in_place, model);
    return lmb_clip_from_poses(
        target->skeleton, t.local + (size_t)motion.lead * to.count, motion.kept, motion.rate,
        opts->name != NULL ? opts->name : source->clips[clip]->name, alloc, out, error);
}
