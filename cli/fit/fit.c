/// `limber fit`: points over time to a motion of a character.
#include "cli/fit/fit.h"
#include "cli/animate/feet_compare.h"
#include "cli/files/markers.h"

#include <stdlib.h>
#include <string.h>

#include "cli/fit/fit.options.h"

typedef struct session {
    const fit_options *opts;
    lmb_character *character;
    lmb_markers *points;
    lmb_fit *fit;
    bool retargeted;
    uint32_t contact_count;
    lmb_feet_measure feet[2]; ///< of the subject, and of the character
} session;

// ---- what is read

static cli_exit read_motion(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *name, lmb_markers **out)
{
    lmb_character *character = NULL;
    uint32_t clip = 0;
    cli_exit code = cli_character_read(cli, path, opts, NULL, &character);
    if (code == CLI_DONE && character->clip_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected points over time, found a file without any",
                        path);
    }
    if (code == CLI_DONE && name != NULL) {
        code = cli_clip_find(cli, character, name, &clip);
    }
    if (code == CLI_DONE) {
        lmb_error error = {0};
        const lmb_result result = lmb_markers_of_clip(character, clip, 0, NULL, out, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit read_archive(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                             lmb_markers **out)
{
    lmb_error error = {0};
    const lmb_markers_read_opts how = {.unit_m = opts->unit_m, .up = opts->up};
    const lmb_result result =
        lmb_markers_read(LMB_FORMAT_NPZ, bytes.data, bytes.size, &how, NULL, out, &error);
    if (result != LMB_OK) {
        error.code = result;
        return cli_fail_file(path, &error);
    }
    return CLI_DONE;
}

/// Markers or joint positions from a file: C3D, TRC, a table, NumPy, or the joints of a motion.
/// `clip` is of a motion, NULL the first. Says what is wrong and returns 3 or 4.
static cli_exit read_recording(cli_run *cli, const char *path, const cli_read_opts *opts,
                               const char *clip, lmb_markers **out)
{
    cli_bytes bytes;
    cli_source source = {0};
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    source.format = cli_format_of(path, bytes);
    source.size = bytes.size;
    if (cli_format_is_markers(source.format)) {
        code = cli_markers_parse(cli, path, bytes, opts, &source, out);
    } else if ((source.format == CLI_NPZ || source.format == CLI_UNKNOWN) &&
               lmb_content_is(LMB_CONTENT_MARKERS, bytes.data, bytes.size)) {
        code = read_archive(path, bytes, opts, out);
    } else {
        code = read_motion(cli, path, opts, clip, out);
    }
    free(bytes.data);
    return code;
}

// ---- what is solved

static cli_exit solve_points(cli_run *cli, session *s)
{
    const fit_options *o = s->opts;
    const lmb_fit_opts how = {.kind = (lmb_fit_kind)o->kind,
                              .keep_lengths = o->keep_lengths,
                              .free = o->no_limits,
                              .smooth = (float)o->smooth,
                              .frame_rate = (float)o->rate,
                              .name = o->name,
                              .progress = cli->progress_or_null};
    lmb_error error = {0};
    const lmb_result result = lmb_fit_points(s->character, s->points, &how, NULL, &s->fit, &error);
    cli_progress_end(cli);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[1], result, &error);
}

/// The clip retargeted to the character's own bone lengths.
static cli_exit put_on_character(cli_run *cli, session *s)
{
    lmb_clip *clips[1] = {s->fit->clip}, *clip = NULL;
    const lmb_character source = {.skeleton = s->fit->subject, .clip_count = 1, .clips = clips};
    const lmb_retarget_opts how = {.no_lock_feet = s->opts->no_lock_feet};
    lmb_retarget_report report;
    lmb_error error = {0};
    const lmb_result result =
        lmb_retarget(s->character, &source, 0, &how, NULL, &clip, &report, &error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s is no humanoid: a motion of other lengths cannot be put on it; "
                        "--subject gives it the lengths that were recorded",
                        cli->inputs[0]);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    s->retargeted = true;
    s->contact_count = report.contact_count;
    return cli_clip_put_first(cli, &s->character, clip, false);
}

/// The character with the subject's skeleton.
static cli_exit become_subject(cli_run *cli, session *s)
{
    lmb_character def = *s->character, *out = NULL;
    lmb_error error = {0};
    def.skeleton = s->fit->subject;
    const lmb_result result = lmb_character_create(&def, NULL, &out, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    lmb_skeleton_destroy(s->character->skeleton);
    lmb_character_release(s->character);
    s->character = out;
    s->fit->subject = NULL;
    lmb_clip *clip = s->fit->clip;
    s->fit->clip = NULL;
    return cli_clip_put_first(cli, &s->character, clip, false);
}

static cli_exit apply_motion(cli_run *cli, session *s)
{
    const float scale = s->fit->scale;
    const bool same = scale > 0.998f && scale < 1.002f && s->fit->length_change < 0.005f;
    lmb_clip *clips[1] = {s->fit->clip};
    const lmb_character who = {.skeleton = s->fit->subject, .clip_count = 1, .clips = clips};
    const lmb_feet_source before = {.character = &who, .clip = clips[0]};
    lmb_feet_track tracks[2] = {{0}, {0}};
    cli_exit code = cli_feet_track_make(cli, &before, &tracks[0]);
    if (code == CLI_DONE) {
        code = s->opts->subject || same ? become_subject(cli, s) : put_on_character(cli, s);
    }
    if (code == CLI_DONE) {
        const lmb_feet_source after = {.character = s->character, .clip = s->character->clips[0]};
        code = cli_feet_track_make(cli, &after, &tracks[1]);
    }
    if (code != CLI_DONE) {
        lmb_feet_track_free(&tracks[0]);
        return code;
    }
    return cli_feet_compare_tracks(cli, tracks, s->opts->plot, s->feet);
}

// --------------------------------------------------------------------------------------- the report

static void say_points(const cli_run *cli, const session *s)
{
    const lmb_fit *fit = s->fit;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const lmb_fit_point *p = &fit->points[m];
        const char *name = s->points->names[m];
        if (p->joint < 0) {
            cli_detail(cli, name, "not used");
        } else {
            cli_detail(cli, name, "on %s%s, %.1f mm rms, %.1f mm at most, %u gaps, swapped in %u",
                       s->character->skeleton->names[p->joint], p->by_motion ? " by motion" : "",
                       1e3 * (double)p->rms_m, 1e3 * (double)p->most_m, (unsigned)p->gap_count,
                       (unsigned)p->swapped_frames);
        }
    }
}

/// Mean distance over a clip above which a point is on the wrong joint or the body is another one.
#define FAR_M 0.1f

static void warn_of_far_points(const cli_run *cli, const session *s)
{
    const lmb_fit *fit = s->fit;
    const lmb_fit_point *worst = NULL;
    uint32_t count = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const lmb_fit_point *p = &fit->points[m];
        if (p->joint >= 0 && p->rms_m > FAR_M) {
            ++count;
            worst = worst == NULL || p->rms_m > worst->rms_m ? p : worst;
        }
    }
    if (fit->mean_m > FAR_M) {
        cli_warn(cli, "the fit is %.0f cm off in the mean: this may be no such body's motion",
                 1e2 * (double)fit->mean_m);
    }
    if (worst != NULL) {
        cli_warn(cli, "%u points are over %.0f cm off, %s by %.0f cm: -v names them",
                 (unsigned)count, 1e2 * (double)FAR_M, s->points->names[worst - fit->points],
                 1e2 * (double)worst->rms_m);
    }
}

static void say_result(const cli_run *cli, const session *s)
{
    const lmb_fit *fit = s->fit;
    cli_say(cli, cli->inputs[1], "%u of %u points, %u frames at %g Hz, taken as %s",
            (unsigned)fit->used_count, (unsigned)fit->point_count, (unsigned)fit->frame_count,
            (double)fit->frame_rate, fit->kind == LMB_FIT_MARKERS ? "markers" : "positions");
    say_points(cli, s);
    cli_say(cli, "subject", "%.3f times the character, bones changed by up to %.1f%%",
            (double)fit->scale, 100 * (double)fit->length_change);
    cli_say(cli, "fit", "%.2f mm from the points in the mean, %.1f mm at most",
            1e3 * (double)fit->mean_m, 1e3 * (double)fit->most_m);
    warn_of_far_points(cli, s);
    if (fit->filled_frames > 0) {
        cli_say(cli, "gaps", "in %u frames some point was missing", (unsigned)fit->filled_frames);
    }
    if (fit->swap_count > 0) {
        cli_warn(cli, "labels changed places %u times and were put back; -v names them",
                 (unsigned)fit->swap_count);
    }
    if (s->retargeted) {
        cli_say(cli, cli->inputs[0], "motion put on its own lengths, %u contacts locked",
                (unsigned)s->contact_count);
    }
}

static void print_json(const cli_run *cli, const session *s)
{
    const lmb_fit *fit = s->fit;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "kind", fit->kind == LMB_FIT_MARKERS ? "markers" : "positions");
    cli_json_integer(&json, "frames", fit->frame_count);
    cli_json_number(&json, "rate_hz", fit->frame_rate);
    cli_json_number(&json, "scale", fit->scale);
    cli_json_number(&json, "length_change", fit->length_change);
    cli_json_number(&json, "mean_m", fit->mean_m);
    cli_json_number(&json, "most_m", fit->most_m);
    cli_json_integer(&json, "filled_frames", fit->filled_frames);
    cli_json_integer(&json, "limited_frames", fit->limited_frames);
    cli_json_integer(&json, "swaps", fit->swap_count);
    cli_json_bool(&json, "retargeted", s->retargeted);
    cli_feet_json(&json, s->feet);
    cli_json_begin(&json, "points", '[');
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const lmb_fit_point *p = &fit->points[m];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", s->points->names[m]);
        if (p->joint < 0) {
            cli_json_null(&json, "joint");
        } else {
            cli_json_text(&json, "joint", s->character->skeleton->names[p->joint]);
            cli_json_bool(&json, "by_motion", p->by_motion);
            cli_json_vec3(&json, "offset", p->offset);
            cli_json_number(&json, "rms_m", p->rms_m);
            cli_json_number(&json, "most_m", p->most_m);
            cli_json_integer(&json, "seen_frames", p->seen_frames);
            cli_json_integer(&json, "gaps", p->gap_count);
            cli_json_integer(&json, "swapped_frames", p->swapped_frames);
        }
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit run_fit(cli_run *cli, const void *given)
{
    session s = {.opts = given};
    cli_read_opts in;
    cli_exit code = cli_in_read(cli, &s.opts->in, &in);
    if (code == CLI_DONE && (s.opts->smooth < 0 || s.opts->rate < 0 || s.opts->rate > 10000)) {
        code = cli_fail(cli, CLI_USAGE, "--smooth and --rate take no such numbers");
    }
    if (code == CLI_DONE && s.opts->body != NULL) {
        return fit_body(cli, s.opts, &in);
    }
    if (code == CLI_DONE && (cli->input_count != 2 || cli_given(cli, "shapes"))) {
        code = cli_fail(cli, CLI_USAGE,
                        cli->input_count != 2 ? "expected CHARACTER and POINTS, or --body and scans"
                                              : "--shapes: expected --body too");
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], NULL, NULL, &s.character);
    }
    if (code == CLI_DONE && fit_is_keypoints(s.opts, cli->inputs[1])) {
        code = fit_keypoints(cli, s.opts, &s.character);
        lmb_character_destroy(s.character);
        return code;
    }
    if (code == CLI_DONE) {
        code = read_recording(cli, cli->inputs[1], &in, s.opts->clip, &s.points);
    }
    code = code == CLI_DONE ? solve_points(cli, &s) : code;
    code = code == CLI_DONE ? apply_motion(cli, &s) : code;
    if (code == CLI_DONE) {
        say_result(cli, &s);
        code = cli_character_write(cli, cli->output, "glb", s.character);
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, &s);
    }
    lmb_fit_destroy(s.fit);
    lmb_markers_destroy(s.points);
    lmb_character_destroy(s.character);
    return code;
}
