/// `limber fit` of keypoints: what a detector saw in one camera's pictures.
#include "cli/animate/feet_compare.h"
#include "cli/fit/fit.h"
#include "os/paths.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "limber/os.h"

static bool is_json(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".json") == 0 || strcasecmp(dot, ".jsonl") == 0);
}

bool fit_is_keypoints(const fit_options *opts, const char *path)
{
    return opts->kind == FIT_KEYPOINTS ||
           (opts->kind == 0 && (is_json(path) || lmbi_path_kind_of(path) == LMB_PATH_FOLDER));
}

static cli_exit read_size(const cli_run *cli, const fit_options *opts, lmb_keypoints_opts *out)
{
    *out = (lmb_keypoints_opts){.frame_rate = (float)opts->rate};
    if (opts->image != NULL) {
        char *end = NULL;
        const double width = strtod(opts->image, &end);
        const double height = *end == 'x' ? strtod(end + 1, &end) : 0;
        if (!(width >= 1 && width < 1e6 && height >= 1 && height < 1e6) || *end != 0) {
            return cli_fail(cli, CLI_USAGE,
                            "--image: expected WxH, such as 1920x1080, found "
                            "\"%s\"",
                            opts->image);
        }
        out->width = (float)width;
        out->height = (float)height;
    }
    return CLI_DONE;
}

static cli_exit read_file(cli_run *cli, const char *path, const lmb_keypoints_opts *opts,
                          lmb_keypoints **out)
{
    cli_bytes bytes;
    lmb_error error = {0};
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_keypoints_read(bytes.data, bytes.size, opts, NULL, out, &error);
    free(bytes.data);
    if (result == LMB_ERROR_INVALID) {
        return cli_fail(cli, CLI_USAGE, "%s: %s; --image WxH gives the size of the picture", path,
                        error.found);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

/// Whether a file holds no person: OpenPose writes one for every frame.
static bool is_empty_frame(const char *path)
{
    cli_bytes bytes;
    if (cli_bytes_read(path, &bytes) != CLI_DONE) {
        return false;
    }
    bool empty = false;
    static const char word[] = "\"people\"";
    for (size_t k = 0; k + sizeof word < bytes.size && !empty; ++k) {
        if (memcmp(bytes.data + k, word, sizeof word - 1) == 0) {
            size_t at = k + sizeof word - 1;
            while (at < bytes.size && strchr(" \t\r\n:[", bytes.data[at]) != NULL) {
                ++at;
            }
            empty = at < bytes.size && bytes.data[at] == ']';
        }
    }
    free(bytes.data);
    return empty;
}

static lmb_keypoints *nobody(const lmb_keypoints *like)
{
    static lmb_vec2 points[LMB_KEYPOINT_COUNT];
    static float confidence[LMB_KEYPOINT_COUNT];
    static lmb_keypoints frame;
    frame = (lmb_keypoints){.frame_count = 1,
                            .layout = like != NULL ? like->layout : LMB_KEYPOINTS_OPENPOSE_25,
                            .points = points,
                            .confidence = confidence};
    return &frame;
}

/// The names of the folder's .json files move to the front. Returns how many there are.
static size_t keep_json(lmbi_folder *folder)
{
    size_t kept = 0;
    for (size_t k = 0; k < folder->count; ++k) {
        char *name = folder->names[k];
        if (is_json(name)) {
            folder->names[k] = folder->names[kept];
            folder->names[kept++] = name;
        }
    }
    return kept;
}

/// The files of a folder by name, one frame each as a rule.
static cli_exit read_folder(cli_run *cli, const char *path, const lmb_keypoints_opts *opts,
                            lmb_keypoints **out)
{
    lmbi_folder folder = {0};
    (void)lmbi_folder_list(path, &folder, NULL);
    const int count = (int)keep_json(&folder);
    if (count == 0) {
        lmbi_folder_free(&folder);
        return cli_fail(cli, CLI_INPUT, "%s: expected a folder of .json files, found none", path);
    }
    lmb_keypoints **list = cli_resize(NULL, (size_t)count, sizeof *list), *last = NULL;
    cli_exit code = CLI_DONE;
    memset(list, 0, (size_t)count * sizeof(lmb_keypoints *));
    for (int k = 0; k < count && code == CLI_DONE; ++k) {
        const size_t size = strlen(path) + strlen(folder.names[k]) + 2;
        char *name = cli_resize(NULL, size, 1);
        snprintf(name, size, "%s/%s", path, folder.names[k]);
        if (is_empty_frame(name)) {
            list[k] = NULL;
        } else {
            code = read_file(cli, name, opts, &list[k]);
            last = list[k] != NULL ? list[k] : last;
        }
        free(name);
    }
    const lmb_keypoints **frames = cli_resize(NULL, (size_t)count, sizeof *frames);
    for (int k = 0; k < count; ++k) {
        frames[k] = list[k] != NULL ? list[k] : nobody(last);
    }
    lmb_error error = {0};
    if (code == CLI_DONE &&
        lmb_keypoints_join(frames, (uint32_t)count, NULL, out, &error) != LMB_OK) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected %s, found %s", path, error.expected,
                        error.found);
    }
    if (code == CLI_DONE && opts->frame_rate > 0) {
        (*out)->frame_rate = opts->frame_rate;
    }
    for (int k = 0; k < count; ++k) {
        lmb_keypoints_destroy(list[k]);
    }
    free(frames);
    free(list);
    lmbi_folder_free(&folder);
    return code;
}

static void say_result(const cli_run *cli, const lmb_keypoints *keypoints, const lmb_lift *lift)
{
    cli_say(cli, cli->inputs[1], "%u frames, %s, keypoints tremble by %.1f px",
            (unsigned)keypoints->frame_count, keypoints->layout_name, (double)lift->noise_px);
    cli_say(cli, "lifted", "%u frames at %g Hz, %.1f px from the keypoints, %u contacts",
            (unsigned)lift->frame_count, (double)lift->frame_rate, (double)lift->error_px,
            (unsigned)lift->contact_count);
    cli_say(cli, "camera", "%.2f m away, taken to be level, focal length %.0f px, %.2f m high",
            (double)lift->depth_m, (double)lift->focal_px, (double)lift->camera.y);
    if (lift->exchanged_frames > 0) {
        cli_warn(cli, "left and right put back in %u frames", (unsigned)lift->exchanged_frames);
    }
    if (lift->unseen_frames > 0) {
        cli_warn(cli, "nobody is seen in %u frames: the motion goes on smoothly there",
                 (unsigned)lift->unseen_frames);
    }
}

static void print_json(const cli_run *cli, const lmb_keypoints *keypoints, const lmb_lift *lift)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "kind", "keypoints");
    cli_json_text(&json, "layout", keypoints->layout_name);
    cli_json_integer(&json, "frames", lift->frame_count);
    cli_json_integer(&json, "unseen_frames", lift->unseen_frames);
    cli_json_integer(&json, "exchanged_frames", lift->exchanged_frames);
    cli_json_number(&json, "rate_hz", lift->frame_rate);
    cli_json_number(&json, "focal_px", lift->focal_px);
    cli_json_number(&json, "noise_px", lift->noise_px);
    cli_json_number(&json, "error_px", lift->error_px);
    cli_json_number(&json, "depth_m", lift->depth_m);
    cli_json_vec3(&json, "camera", lift->camera);
    cli_json_integer(&json, "contacts", lift->contact_count);
    cli_json_end(&json, '}');
}

cli_exit fit_keypoints(cli_run *cli, const fit_options *opts, lmb_character **character)
{
    lmb_keypoints_opts how;
    lmb_keypoints *keypoints = NULL;
    lmb_lift *lift = NULL;
    cli_exit code = read_size(cli, opts, &how);
    if (code == CLI_DONE) {
        code = lmbi_path_kind_of(cli->inputs[1]) == LMB_PATH_FOLDER
                   ? read_folder(cli, cli->inputs[1], &how, &keypoints)
                   : read_file(cli, cli->inputs[1], &how, &keypoints);
    }
    if (code == CLI_DONE) {
        const lmb_lift_opts lifting = {.focal_px = (float)opts->focal,
                                       .name = opts->name,
                                       .no_contacts = opts->no_lock_feet,
                                       .progress = cli->progress_or_null};
        lmb_error error = {0};
        const lmb_result result =
            lmb_lift_keypoints(*character, keypoints, &lifting, NULL, &lift, &error);
        cli_progress_end(cli);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    if (code == CLI_DONE) {
        lmb_clip *clip = lift->clip;
        lift->clip = NULL;
        code = cli_clip_put_first(cli, character, clip, false);
    }
    if (code == CLI_DONE && opts->plot != NULL) {
        // There is no earlier clip to compare with: both curves are the lifted motion.
        const lmb_feet_source side = {.character = *character, .clip = (*character)->clips[0]};
        const lmb_feet_source sides[2] = {side, side};
        lmb_feet_measure measures[2];
        code = cli_feet_compare(cli, sides, opts->plot, measures);
    }
    if (code == CLI_DONE) {
        say_result(cli, keypoints, lift);
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, keypoints, lift);
    }
    lmb_lift_destroy(lift);
    lmb_keypoints_destroy(keypoints);
    return code;
}
