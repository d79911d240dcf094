#include "cli/animate/made.h"

#include <stdlib.h>
#include <string.h>

#define DEGREE (3.14159265358979 / 180)

const lmb_motion_file *cli_made_find(const char *name)
{
    size_t count = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    for (size_t k = 0; k < count; ++k) {
        if (strcmp(files[k].name, name) == 0) {
            return &files[k];
        }
    }
    return NULL;
}

const lmb_motion_file *cli_made_find_for(const char *name, lmb_motion_body body)
{
    char text[100];
    snprintf(text, sizeof text, "%s-%.60s", lmb_motion_body_name(body), name);
    return cli_made_find(text);
}

/// Of that name, or else the first animal's: `bark` is `quadruped-bark`.
static const lmb_motion_file *find_any(const char *name)
{
    const lmb_motion_file *found = cli_made_find(name);
    for (int body = LMB_MOTION_QUADRUPED; found == NULL && body < LMB_MOTION_BODIES; ++body) {
        found = cli_made_find_for(name, (lmb_motion_body)body);
    }
    return found;
}

static bool is_motion_path(const char *name)
{
    static const char extension[] = ".motion";
    const size_t length = strlen(name);
    return length > sizeof extension - 1 &&
           strcmp(name + length - (sizeof extension - 1), extension) == 0;
}

bool cli_made_is(const char *name)
{
    return is_motion_path(name) || find_any(name) != NULL;
}

cli_exit cli_made_read(const cli_run *cli, const char *name, lmb_motion **out)
{
    const lmb_motion_file *file = find_any(name);
    cli_bytes bytes = {0};
    lmb_error error = {0};
    if (file == NULL) {
        const cli_exit code = cli_bytes_read(name, &bytes);
        if (code != CLI_DONE) {
            return code;
        }
    }
    const lmb_result result = file != NULL
                                  ? lmb_motion_read(file->text, file->size, NULL, out, &error)
                                  : lmb_motion_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    if (result == LMB_ERROR_MALFORMED) {
        return cli_fail_file(name, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, name, result, &error);
}

// ---------------------------------------------------------------------------------------- refusals

cli_exit cli_made_refuse(const cli_run *cli, const char *name)
{
    size_t count = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    const char **names = cli_resize(NULL, count + 1, sizeof *names);
    for (size_t k = 0; k < count; ++k) {
        names[k] = files[k].name;
    }
    const char *nearest = cli_nearest(name, names, count);
    free(names);
    return cli_fail(cli, CLI_USAGE,
                    "%s: neither a file nor a made motion%s%s%s; `limber motions` lists the made "
                    "ones",
                    name, nearest ? "; did you mean " : "", nearest ? nearest : "",
                    nearest ? "?" : "");
}

static bool is_made_for(const lmb_motion_file *file, lmb_motion_body body)
{
    lmb_motion *motion = NULL;
    const bool is_made = lmb_motion_read(file->text, file->size, NULL, &motion, NULL) == LMB_OK &&
                         lmb_motion_describe(motion).body == body;
    lmb_motion_destroy(motion);
    return is_made;
}

/// The names of a body's motions that begin with `prefix`, with commas, as many as fit.
static void list_fitting(lmb_motion_body body, const char *prefix, char *out, size_t size)
{
    size_t count = 0, used = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    out[0] = 0;
    for (size_t k = 0; k < count; ++k) {
        const char *name = files[k].name;
        if (strncmp(name, prefix, strlen(prefix)) == 0 && is_made_for(&files[k], body) &&
            used + strlen(name) + 3 < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        }
    }
}

cli_exit cli_made_refuse_body(const cli_run *cli, const char *name, lmb_motion_body found)
{
    char fitting[1200];
    list_fitting(found, name, fitting, sizeof fitting);
    if (fitting[0] == 0) {
        list_fitting(found, "", fitting, sizeof fitting);
    }
    return cli_fail(
        cli, CLI_UNSUPPORTED, "not supported: %s on %s, which is a %s; made for a %s are %s", name,
        cli->inputs[0], lmb_motion_body_name(found), lmb_motion_body_name(found), fitting);
}

cli_exit cli_made_require_clip(const cli_run *cli, const cli_motion *motion)
{
    return motion->character != NULL
               ? CLI_DONE
               : cli_fail(cli, CLI_UNSUPPORTED,
                          "not supported: %s is made on an animal's own skeleton; `limber animate` "
                          "does that",
                          motion->name);
}

// ----------------------------------------------------------------------------------------- sliders

cli_exit cli_made_sliders(const cli_run *cli, const cli_motion_opts *opts, lmb_motion_sliders *out)
{
    static const struct {
        const char *name;
        size_t field;
        double low, high;
    } ranges[] = {{"speed", offsetof(cli_motion_opts, speed), 0.01, 40},
                  {"stride", offsetof(cli_motion_opts, stride), 0.3, 2},
                  {"energy", offsetof(cli_motion_opts, energy), 0.01, 2},
                  {"arm-space", offsetof(cli_motion_opts, arm_space), -45, 45}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; ++k) {
        const double value = *(const double *)(const void *)((const char *)opts + ranges[k].field);
        if (cli_given(cli, ranges[k].name) &&
            !(value >= ranges[k].low && value <= ranges[k].high)) {
            return cli_fail(cli, CLI_USAGE, "--%s takes %g to %g, found %g", ranges[k].name,
                            ranges[k].low, ranges[k].high, value);
        }
    }
    *out = (lmb_motion_sliders){.speed = (float)opts->speed,
                                .stride = (float)opts->stride,
                                .energy = (float)opts->energy,
                                .arm_space_rad = (float)(opts->arm_space * DEGREE),
                                .mirror = opts->mirror,
                                .in_place = opts->in_place};
    return CLI_DONE;
}
