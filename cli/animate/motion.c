#include "cli/animate/motion.h"
#include "cli/animate/made.h"
#include "os/paths.h"

#include <stdlib.h>
#include <string.h>

#include "limber/os.h"

// ------------------------------------------------------------------------------------- the motion

/// Reads the text; a human's motion is made at once, another body's needs the body.
static cli_exit find_made(cli_run *cli, const char *name, const cli_motion_opts *opts,
                          cli_motion *out)
{
    lmb_motion_sliders sliders;
    if (opts->clip != NULL) {
        return cli_fail(cli, CLI_USAGE,
                        "--clip is for a file, %s is made; ./%s is a file of that name", name,
                        name);
    }
    lmb_error error = {0};
    out->made = true;
    cli_exit code = cli_made_sliders(cli, opts, &sliders);
    if (code == CLI_DONE) {
        code = cli_made_read(cli, name, &out->text);
    }
    if (code != CLI_DONE || lmb_motion_describe(out->text).body != LMB_MOTION_HUMAN) {
        return code;
    }
    const lmb_result result =
        lmb_motion_perform(out->text, &sliders, NULL, &out->character, &error);
    if (result == LMB_ERROR_INVALID) {
        return cli_fail(cli, CLI_USAGE, "%s: expected %s, found %s", name, error.expected,
                        error.found);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, name, result, &error);
}

static cli_exit refuse_sliders(const cli_run *cli)
{
    static const char *const names[] = {"speed", "stride", "energy", "arm-space", "mirror"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (cli_given(cli, names[k])) {
            return cli_fail(cli, CLI_USAGE, "--%s is for made motions, not for a file", names[k]);
        }
    }
    return CLI_DONE;
}

static cli_exit find_file(cli_run *cli, const char *name, const cli_motion_opts *opts,
                          cli_motion *out)
{
    const cli_in_opts in = {.unit = opts->motion_unit,
                            .up = opts->motion_up,
                            .skeleton = opts->motion_skeleton,
                            .of = "motion-"};
    cli_read_opts read;
    cli_source source;
    cli_exit code = cli_in_read(cli, &in, &read);
    if (code == CLI_DONE) {
        code = refuse_sliders(cli);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, name, &read, &source, &out->character);
    }
    if (code == CLI_DONE && out->character->clip_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a motion, found a file without clips", name);
    }
    if (code == CLI_DONE && opts->clip != NULL) {
        code = cli_clip_find(cli, out->character, opts->clip, &out->clip);
    }
    return code;
}

/// A word without a folder or an extension, and no file of that name: most likely a made motion
/// misspelt.
static bool is_lost_word(const char *name)
{
    if (strpbrk(name, "./") != NULL || strcmp(name, "-") == 0) {
        return false;
    }
    return lmbi_path_kind_of(name) == LMB_PATH_NOTHING;
}

cli_exit cli_motion_start(cli_run *cli, const char *name, const cli_motion_opts *opts,
                          cli_motion *out)
{
    memset(out, 0, sizeof(*out));
    out->name = name;
    if (!cli_made_is(name) && is_lost_word(name)) {
        return cli_made_refuse(cli, name);
    }
    return cli_made_is(name) ? find_made(cli, name, opts, out) : find_file(cli, name, opts, out);
}

void cli_motion_end(cli_motion *motion)
{
    lmb_character_destroy(motion->character);
    lmb_motion_destroy(motion->text);
    motion->character = NULL;
    motion->text = NULL;
}

// --------------------------------------------------------------------------------------- the maps

/// The joint map found by names and shape, overridden by the map file.
static cli_exit make_map(cli_run *cli, const lmb_character *character, const char *section,
                         const char *path, const cli_bytes *file, lmb_joint_map *out)
{
    lmb_error error = {0};
    lmb_result result = lmb_joint_map_of_character(character, NULL, out, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the joint map", result, &error);
    }
    bool found = false;
    result = file->data == NULL
                 ? LMB_OK
                 : lmb_map_read(file->data, file->size, section,
                                &(lmb_map_section){.skeleton = character->skeleton, .joints = out},
                                NULL, &found, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

/// The chains found by shape and names, overridden by the map file; *given is set if it has any.
/// A body without chains gets an empty map.
static cli_exit make_chains(cli_run *cli, const lmb_skeleton *skeleton, const char *section,
                            const char *path, const cli_bytes *file, lmb_chain_map *out,
                            bool *given)
{
    lmb_error error = {0};
    lmb_result result = lmb_chain_map_find(skeleton, NULL, out, &error);
    *given = false;
    if (result == LMB_ERROR_UNSUPPORTED) {
        memset(out, 0, sizeof *out);
        out->front.z = 1;
        result = LMB_OK;
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the chains", result, &error);
    }
    result = file->data == NULL
                 ? LMB_OK
                 : lmb_map_read(file->data, file->size, section,
                                &(lmb_map_section){.skeleton = skeleton, .chains = out}, NULL,
                                given, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

static cli_exit save_map(cli_run *cli, const char *path, const lmb_character *character,
                         cli_motion *motion)
{
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    lmb_retarget_report *r = &motion->report.retarget;
    const lmb_map_section to = {.skeleton = character->skeleton,
                                .joints = r->by_chains ? NULL : &r->target_map,
                                .chains = r->by_chains ? &r->target_chains : NULL};
    const lmb_map_section from = {.skeleton = motion->character->skeleton,
                                  .joints = r->by_chains ? NULL : &r->source_map,
                                  .chains = r->by_chains ? &r->source_chains : NULL};
    const lmb_result result = lmb_map_write(&to, &from, NULL, &buffer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, path, result, &error);
    }
    const cli_exit code = cli_bytes_write(path, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return code;
}

// ------------------------------------------------------------------------------- on the character

static void say_map(const cli_run *cli, const char *name, const lmb_joint_map *map,
                    const lmb_skeleton *skeleton)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const lmb_bone_match *match = &map->bones[bone];
        if (match->joint >= 0) {
            cli_detail(cli, name, "%s is %s (by %s, %.2f)",
                       lmb_human_bone_name((lmb_human_bone)bone), skeleton->names[match->joint],
                       lmb_map_reason_name(match->reason), (double)match->confidence);
        }
    }
}

static void say_chains(const cli_run *cli, const char *name, const lmb_chain_map *map,
                       const lmb_skeleton *skeleton)
{
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *chain = &map->chains[i];
        char text[24];
        cli_detail(cli, name, "%s: %u joints, %s to %s", lmb_body_chain_name(chain, text),
                   (unsigned)chain->count, skeleton->names[chain->joints[0]],
                   skeleton->names[chain->joints[chain->count - 1]]);
    }
}

static void say_by_chains(const cli_run *cli, const cli_motion *motion, const char *character_name,
                          const lmb_character *character)
{
    const lmb_retarget_report *r = &motion->report.retarget;
    say_chains(cli, character_name, &r->target_chains, character->skeleton);
    say_chains(cli, motion->name, &r->source_chains, motion->character->skeleton);
    cli_say(cli, motion->name,
            "%u joints, %u frames at %g Hz, by chains: %u matched, %u contacts locked",
            (unsigned)motion->character->skeleton->joint_count, (unsigned)r->frame_count,
            (double)r->frame_rate, (unsigned)r->chain_count, (unsigned)r->contact_count);
    if (r->belt_speed > 0) {
        cli_say(cli, motion->name, "on the spot: feet stand on ground that goes by at %.2f units/s",
                (double)r->belt_speed);
    }
}

/// Warns of body parts without joints, which do not move, and of joints that do not descend from the
/// part above, which may separate from it.
static void warn_of_gaps(const cli_run *cli, const char *name, const lmb_joint_map *map,
                         const lmb_skeleton *skeleton)
{
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    const uint32_t count = lmb_joint_map_gaps(map, skeleton, gaps);
    char missing[400] = "";
    for (uint32_t k = 0; k < count; ++k) {
        const char *bone = lmb_human_bone_name(gaps[k].bone);
        const bool is_missing = gaps[k].apart_from == LMB_HUMAN_BONE_COUNT;
        if (is_missing && !gaps[k].beyond) {
            const size_t at = strlen(missing);
            snprintf(missing + at, sizeof missing - at, "%s%s", at > 0 ? ", " : "", bone);
        } else if (!is_missing) {
            const lmb_human_bone above = gaps[k].apart_from;
            cli_warn(cli, "%s: %s (%s) does not hang from %s (%s): they may come apart", name, bone,
                     skeleton->names[map->bones[gaps[k].bone].joint], lmb_human_bone_name(above),
                     skeleton->names[map->bones[above].joint]);
        }
    }
    if (missing[0] != 0) {
        cli_warn(cli, "%s has no joint for %s: what they would move stays as it is", name, missing);
    }
}

static void say_result(const cli_run *cli, const cli_motion *motion, const char *character_name,
                       const lmb_character *character)
{
    const lmb_retarget_report *r = &motion->report.retarget;
    if (r->by_chains) {
        say_by_chains(cli, motion, character_name, character);
        return;
    }
    say_map(cli, character_name, &r->target_map, character->skeleton);
    if (!motion->made) {
        say_map(cli, motion->name, &r->source_map, motion->character->skeleton);
    }
    char feet[64] = "feet as they come";
    if (r->contact_count > 0) {
        snprintf(feet, sizeof(feet), "feet: %u contacts locked", (unsigned)r->contact_count);
    }
    cli_say(cli, motion->name,
            "%u joints, %u frames at %g Hz, %u joints matched, confidence %.2f, %s",
            (unsigned)motion->character->skeleton->joint_count, (unsigned)r->frame_count,
            (double)r->frame_rate, (unsigned)r->bone_count, (double)r->source_map.confidence, feet);
    if (r->target_doubt != NULL) {
        cli_warn(cli, "%s may be no human: %s", character_name, r->target_doubt);
    }
    warn_of_gaps(cli, character_name, &r->target_map, character->skeleton);
    if (!motion->made) {
        warn_of_gaps(cli, motion->name, &r->source_map, motion->character->skeleton);
    }
    if (r->source_doubt != NULL) {
        cli_warn(cli, "%s may be no human's motion: %s", motion->name, r->source_doubt);
    }
    if (r->touching_frames > 0) {
        cli_say(cli, motion->name, "hands touch in %u frames, and are kept so",
                (unsigned)r->touching_frames);
    }
    if (r->expression_count + r->expressions_dropped > 0 || r->has_gaze) {
        cli_say(cli, motion->name, "face: %u expressions carried, %u that %s does not have%s",
                (unsigned)r->expression_count, (unsigned)r->expressions_dropped, character_name,
                r->has_gaze ? ", eyes follow its gaze" : "");
    }
    if (r->belt_speed > 0) {
        cli_say(cli, motion->name, "on the spot: feet stand on ground that goes by at %.2f units/s",
                (double)r->belt_speed);
    }
    if (r->dropped_frames > 0) {
        cli_say(cli, motion->name,
                "left out %u frames at %g Hz: a calibration pose that the motion jumps away from, "
                "or that fades into it",
                (unsigned)r->dropped_frames, (double)r->frame_rate);
    }
    if (r->source_reference == LMB_REFERENCE_FRAME) {
        cli_say(cli, motion->name, "its rest pose does not stand: frame %u was taken for it",
                (unsigned)r->source_reference_frame);
    }
}

static lmb_retarget_method method_of(const char *name)
{
    if (name == NULL) {
        return LMB_RETARGET_AUTO;
    }
    return strcmp(name, "chains") == 0 ? LMB_RETARGET_CHAINS : LMB_RETARGET_HUMAN;
}

/// Says how feet slide in the motion and in the new clip, and draws both for --plot.
static cli_exit compare_feet(cli_run *cli, const cli_motion *motion, const cli_motion_opts *opts,
                             const lmb_character *character)
{
    const lmb_retarget_report *r = &motion->report.retarget;
    lmb_feet_measure measures[2] = {motion->report.feet_before, motion->report.feet_after};
    const lmb_feet_source sources[2] = {
        {.character = motion->character,
         .clip = motion->character->clips[motion->clip],
         .map = r->by_chains ? NULL : &r->source_map,
         .chains = &r->source_chains,
         .begin_s = (double)r->dropped_frames / (double)r->frame_rate,
         .belt_speed = r->scale > 0 ? r->belt_speed / r->scale : 0},
        {.character = character,
         .clip = character->clips[0],
         .map = r->by_chains ? NULL : &r->target_map,
         .chains = &r->target_chains,
         .belt_speed = r->belt_speed}};
    if (opts->plot != NULL) {
        return cli_feet_compare(cli, sources, opts->plot, measures);
    }
    cli_feet_say(cli, measures);
    return CLI_DONE;
}

static cli_exit retarget(cli_run *cli, cli_motion *motion, const cli_motion_opts *opts,
                         const cli_bytes *map_file, lmb_character **character)
{
    lmb_joint_map target, source;
    lmb_chain_map target_chains, source_chains;
    bool given[2] = {false, false};
    cli_exit code = make_map(cli, *character, "character", opts->map, map_file, &target);
    if (code == CLI_DONE) {
        // A map file describes the motion file, not the skeleton of a generated motion.
        const cli_bytes none = {0};
        code = make_map(cli, motion->character, "motion", opts->map,
                        motion->made ? &none : map_file, &source);
    }
    if (code != CLI_DONE) {
        return code;
    }
    code = make_chains(cli, (*character)->skeleton, "character", opts->map, map_file,
                       &target_chains, &given[0]);
    if (code == CLI_DONE) {
        code = make_chains(cli, motion->character->skeleton, "motion", opts->map, map_file,
                           &source_chains, &given[1]);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_animate_opts how = {.rigging = LMB_ANIMATE_KEEP_RIG,
                                  .rig.embed.jobs = &cli->jobs,
                                  .keep_fingers = opts->keep_fingers,
                                  .retarget = {.method = method_of(opts->method),
                                               .target_chains = given[0] ? &target_chains : NULL,
                                               .source_chains = given[1] ? &source_chains : NULL,
                                               .target_map = &target,
                                               .source_map = &source,
                                               .no_lock_feet = opts->no_lock_feet,
                                               .free_hands = opts->free_hands,
                                               .in_place = opts->in_place && !motion->made,
                                               .frame_rate = (float)opts->rate,
                                               .name = opts->name}};
    lmb_error error = {0};
    const lmb_result result = lmb_animate(character, motion->character, motion->clip, &how,
                                          &motion->report, NULL, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, motion->name, result, &error);
    }
    if (motion->report.relaxed_finger_count > 0) {
        cli_detail(cli, "fingers", "%u joints hang half open: the motion has no such hand",
                   (unsigned)motion->report.relaxed_finger_count);
    }
    cli_carried_say(cli, motion->report.carried_count);
    if (motion->report.lift_m > 0) {
        cli_say(cli, "lifted", "by up to %.1f cm, to lie or kneel on its own skin",
                100 * (double)motion->report.lift_m);
    }
    if (motion->report.lower_m > 0) {
        cli_say(cli, "lowered", "by up to %.1f cm, to lie on the ground as the motion's body does",
                100 * (double)motion->report.lower_m);
    }
    return compare_feet(cli, motion, opts, *character);
}

cli_exit cli_motion_apply(cli_run *cli, cli_motion *motion, const cli_motion_opts *opts,
                          const char *character_name, lmb_character **character)
{
    cli_bytes map_file = {0};
    cli_exit code = CLI_DONE;
    if (opts->rate < 0 || opts->rate > 480) {
        return cli_fail(cli, CLI_USAGE, "--rate takes up to 480 frames a second, found %g",
                        opts->rate);
    }
    if (opts->method != NULL && strcmp(opts->method, "human") != 0 &&
        strcmp(opts->method, "chains") != 0) {
        return cli_fail(cli, CLI_USAGE, "--as takes human or chains, found %s", opts->method);
    }
    if (opts->map != NULL) {
        code = cli_bytes_read(opts->map, &map_file);
    }
    if (code == CLI_DONE) {
        code = retarget(cli, motion, opts, &map_file, character);
    }
    free(map_file.data);
    if (code == CLI_DONE) {
        cli_clearance_say(cli, character_name, &motion->report.clearance);
        say_result(cli, motion, character_name, *character);
    }
    if (code == CLI_DONE && opts->save_map != NULL) {
        code = save_map(cli, opts->save_map, *character, motion);
    }
    return code;
}

// ------------------------------------------------------------------------------------------- JSON

static const char *reference_name(lmb_reference_kind kind)
{
    static const char *const names[] = {"rest", "bind", "frame"};
    return names[kind];
}

static void json_doubt(cli_json *json, const char *doubt)
{
    if (doubt != NULL) {
        cli_json_text(json, "doubt", doubt);
    }
}

static void json_joint(cli_json *json, const char *key, const lmb_bone_match *match,
                       const lmb_skeleton *skeleton)
{
    cli_json_begin(json, key, '{');
    if (match->joint >= 0) {
        cli_json_text(json, "joint", skeleton->names[match->joint]);
    } else {
        cli_json_null(json, "joint");
    }
    cli_json_text(json, "reason", lmb_map_reason_name(match->reason));
    cli_json_number(json, "confidence", match->confidence);
    cli_json_end(json, '}');
}

static void json_chains(cli_json *json, const char *key, const lmb_chain_map *map,
                        const lmb_skeleton *skeleton)
{
    cli_json_begin(json, key, '{');
    for (uint32_t i = 0; i < map->count; ++i) {
        char text[24];
        cli_json_begin(json, lmb_body_chain_name(&map->chains[i], text), '[');
        for (uint32_t k = 0; k < map->chains[i].count; ++k) {
            cli_json_text(json, NULL, skeleton->names[map->chains[i].joints[k]]);
        }
        cli_json_end(json, ']');
    }
    cli_json_end(json, '}');
}

static void json_bones(cli_json *json, const lmb_retarget_report *r, const lmb_skeleton *from,
                       const lmb_skeleton *to)
{
    cli_json_begin(json, "slots", '{');
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (r->target_map.bones[bone].joint < 0 && r->source_map.bones[bone].joint < 0) {
            continue;
        }
        cli_json_begin(json, lmb_human_bone_name((lmb_human_bone)bone), '{');
        json_joint(json, "character", &r->target_map.bones[bone], to);
        json_joint(json, "motion", &r->source_map.bones[bone], from);
        cli_json_end(json, '}');
    }
    cli_json_end(json, '}');
}

void cli_motion_json(cli_json *json, const cli_motion *motion, const lmb_character *character)
{
    const lmb_retarget_report *r = &motion->report.retarget;
    cli_json_begin(json, "motion", '{');
    cli_json_text(json, "name", motion->name);
    cli_json_integer(json, "joints", motion->character->skeleton->joint_count);
    cli_json_integer(json, "frames", r->frame_count);
    cli_json_integer(json, "dropped_frames", r->dropped_frames);
    cli_json_number(json, "rate_hz", r->frame_rate);
    cli_json_number(json, "duration_s", motion->report.duration_s);
    cli_json_text(json, "reference", reference_name(r->source_reference));
    cli_json_number(json, "confidence", r->source_map.confidence);
    json_doubt(json, r->source_doubt);
    cli_json_end(json, '}');
    cli_json_begin(json, "character", '{');
    cli_json_integer(json, "joints", character->skeleton->joint_count);
    cli_json_text(json, "reference", reference_name(r->target_reference));
    cli_json_number(json, "confidence", r->target_map.confidence);
    json_doubt(json, r->target_doubt);
    cli_json_end(json, '}');
    cli_json_number(json, "scale", r->scale);
    cli_json_number(json, "belt_speed", r->belt_speed);
    cli_json_integer(json, "contacts", r->contact_count);
    cli_json_integer(json, "touching_frames", r->touching_frames);
    cli_json_number(json, "largest_correction", r->largest_correction);
    const lmb_feet_measure feet[2] = {motion->report.feet_before, motion->report.feet_after};
    cli_feet_json(json, feet);
    cli_clearance_json(json, &motion->report.clearance);
    if (motion->report.lift_m > 0) {
        cli_json_number(json, "lifted_m", motion->report.lift_m);
    }
    if (motion->report.lower_m > 0) {
        cli_json_number(json, "lowered_m", motion->report.lower_m);
    }
    cli_json_text(json, "way", r->by_chains ? "chains" : "human");
    if (r->by_chains) {
        cli_json_begin(json, "chains", '{');
        json_chains(json, "character", &r->target_chains, character->skeleton);
        json_chains(json, "motion", &r->source_chains, motion->character->skeleton);
        cli_json_end(json, '}');
        return;
    }
    json_bones(json, r, motion->character->skeleton, character->skeleton);
}
