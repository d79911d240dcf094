/// A motion on a character: rigged where needed, retargeted, measured.
#include "author/author.h"
#include "limber/author.h"

#include "base/alloc.h"
#include "base/error.h"

// ---- rigging

static lmb_result rig_if_needed(lmb_character **character, const lmb_animate_opts *opts,
                                lmb_animate_report *report, const lmb_allocator *alloc,
                                lmb_error *error)
{
    lmb_joint_map map;
    if (opts->rigging == LMB_ANIMATE_KEEP_RIG) {
        return LMB_OK;
    }
    const lmb_result result = lmb_joint_map_make((*character)->skeleton, alloc, &map, error);
    if (result != LMB_OK ||
        (opts->rigging == LMB_ANIMATE_RIG_IF_NEEDED && lmb_character_is_rigged(*character, &map))) {
        return result;
    }
    report->is_rigged = true;
    return lmb_rig_for_motion(character, &opts->rig, LMB_SKELETON_AUTO, &report->rig, alloc, error);
}

// ---- the motion

/// Puts the clip in front of the character's own, which takes it over.
static lmb_result insert_first_clip(lmb_character **character, lmb_clip *clip,
                                    const lmb_allocator *alloc, lmb_error *error)
{
    lmb_character *old = *character, def = *old;
    def.clip_count = old->clip_count + 1;
    def.clips = lmbi_alloc_array(alloc, def.clip_count, sizeof *def.clips);
    if (!def.clips) {
        return lmbi_fail_memory(error);
    }
    def.clips[0] = clip;
    for (uint32_t i = 1; i < def.clip_count; ++i) {
        def.clips[i] = old->clips[i - 1];
    }
    const lmb_result result = lmb_character_create(&def, alloc, character, error);
    lmbi_free(alloc, def.clips);
    if (result == LMB_OK) {
        lmb_character_release(old);
    }
    return result;
}

static lmb_result measure_feet(const lmb_feet_source *source, const lmb_allocator *alloc,
                               lmb_feet_measure *out, lmb_error *error)
{
    lmb_feet_track track;
    const lmb_result result = lmb_feet_track_make(source, alloc, &track, error);
    if (result == LMB_OK) {
        *out = track.measure;
        lmb_feet_track_free(&track);
    }
    return result;
}

/// The motion on its own skeleton.
static lmb_feet_source source_of(const lmb_retarget_report *r, const lmb_character *motion,
                                 const lmb_clip *motion_clip)
{
    return (lmb_feet_source){.character = motion,
                             .clip = motion_clip,
                             .map = r->by_chains ? NULL : &r->source_map,
                             .chains = &r->source_chains,
                             .begin_s = (double)r->dropped_frames / (double)r->frame_rate,
                             .belt_speed = r->scale > 0 ? r->belt_speed / r->scale : 0};
}

static lmb_result measure_result(const lmb_character *character, const lmb_clip *clip,
                                 const lmb_feet_source *motion, const lmb_jobs *jobs,
                                 const lmb_allocator *alloc, lmb_animate_report *report,
                                 lmb_error *error)
{
    const lmb_retarget_report *r = &report->retarget;
    const lmb_feet_source made = {.character = character,
                                  .clip = clip,
                                  .map = r->by_chains ? NULL : &r->target_map,
                                  .chains = &r->target_chains,
                                  .belt_speed = r->belt_speed};
    report->duration_s = lmb_clip_duration_s(clip);
    lmb_result result = measure_feet(motion, alloc, &report->feet_before, error);
    if (result == LMB_OK) {
        result = measure_feet(&made, alloc, &report->feet_after, error);
    }
    return result == LMB_OK
               ? lmbi_clearance_measure(character, clip, jobs, alloc, &report->clearance, error)
               : result;
}

/// What hangs beside the body comes along.
static lmb_result carry_loose(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_animate_report *report, lmb_clip **clip, lmb_error *error)
{
    const lmb_retarget_report *r = &report->retarget;
    int32_t joints[LMB_BODY_JOINTS];
    const uint32_t count = r->by_chains ? lmb_body_joints(NULL, &r->target_chains, joints)
                                        : lmb_body_joints(&r->target_map, NULL, joints);
    return lmb_clip_carry(character, joints, count, alloc, clip, &report->carried_count, error);
}

static lmb_result settle_body(const lmb_character *character, const lmb_feet_source *motion,
                              const lmb_jobs *jobs, const lmb_allocator *alloc,
                              lmb_animate_report *report, lmb_clip **clip, lmb_error *error)
{
    lmbi_settled settled;
    const lmb_result result = lmbi_settle(character, &report->retarget.target_map, motion, jobs,
                                          alloc, clip, &settled, error);
    report->lift_m = settled.lift_m;
    report->lower_m = settled.lower_m;
    return result;
}

lmb_result lmb_animate(lmb_character **character, const lmb_character *motion, uint32_t clip,
                       const lmb_animate_opts *opts, lmb_animate_report *out_report,
                       const lmb_allocator *alloc, lmb_error *error)
{
    static const lmb_animate_opts defaults = {0};
    lmb_animate_report own_report, *report = out_report ? out_report : &own_report;
    lmb_clip *made = NULL;
    opts = opts ? opts : &defaults;
    *report = (lmb_animate_report){0};
    lmb_result result = rig_if_needed(character, opts, report, alloc, error);
    if (result == LMB_OK) {
        result = lmb_retarget(*character, motion, clip, &opts->retarget, alloc, &made,
                              &report->retarget, error);
    }
    if (result == LMB_OK && report->is_rigged && report->rig.embedding.kind != LMB_SKELETON_HUMAN &&
        !report->retarget.by_chains) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a humanoid, or the motion of an animal",
                           "%s, and a human's motion",
                           lmb_skeleton_kind_name(report->rig.embedding.kind));
    }
    if (result == LMB_OK && !opts->keep_fingers) {
        result = lmbi_relax_fingers(*character, &report->retarget, alloc, &made,
                                    &report->relaxed_finger_count, error);
    }
    if (result == LMB_OK) {
        result = carry_loose(*character, alloc, report, &made, error);
    }
    if (result == LMB_OK && !report->retarget.by_chains) {
        const lmb_feet_source source = source_of(&report->retarget, motion, motion->clips[clip]);
        result =
            settle_body(*character, &source, opts->rig.embed.jobs, alloc, report, &made, error);
    }
    if (result == LMB_OK) {
        const lmb_feet_source source = source_of(&report->retarget, motion, motion->clips[clip]);
        result =
            measure_result(*character, made, &source, opts->rig.embed.jobs, alloc, report, error);
    }
    if (result == LMB_OK) {
        result = insert_first_clip(character, made, alloc, error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(made);
    }
    return result;
}
