/// Points of a character that the user gives: --marker NAME=X,Y,Z and --chain NAME=X,Y,Z.
#include "cli/rig/rigging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_place(const char *text, float out[3])
{
    for (int k = 0; k < 3; ++k) {
        char *end;
        const double x = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : 0) || !isfinite((float)x)) {
            return false;
        }
        out[k] = (float)x;
        text = end + 1;
    }
    return true;
}

static cli_exit read_points(const cli_run *cli, const char *option, const cli_list *list,
                            lmb_joint_marker **out)
{
    lmb_joint_marker *markers = cli_resize(NULL, (size_t)list->count + 1, sizeof *markers);
    char *names = NULL;
    size_t room = 1;
    for (int k = 0; k < list->count; ++k) {
        room += strlen(list->items[k]) + 1;
    }
    names = cli_resize(NULL, room, 1);
    *out = markers;
    char *name = names;
    markers[0].name = names; // what free_points frees
    for (int k = 0; k < list->count; ++k) {
        const char *text = list->items[k], *equals = strchr(text, '=');
        float at[3];
        if (!equals || equals == text || !read_place(equals + 1, at)) {
            return cli_fail(cli, CLI_USAGE,
                            "--%s: expected NAME=X,Y,Z, such as leftWrist=0.6,1.2,0, found \"%s\"",
                            option, text);
        }
        const size_t length = (size_t)(equals - text);
        memcpy(name, text, length);
        name[length] = 0;
        markers[k] = (lmb_joint_marker){name, lmb_vec3_make(at[0], at[1], at[2])};
        name += length + 1;
    }
    return CLI_DONE;
}

static void free_points(lmb_joint_marker *markers)
{
    if (markers) {
        free((void *)(uintptr_t)markers[0].name);
    }
    free(markers);
}

static cli_exit read_template(const cli_run *cli, const cli_rig_opts *given,
                              lmb_body_template **out)
{
    cli_bytes bytes;
    lmb_error error = {0};
    if (given->skeleton || given->style) {
        return cli_fail(cli, CLI_USAGE, "--template does not go with --%s",
                        given->skeleton ? "skeleton" : "style");
    }
    const cli_exit code = cli_bytes_read(given->body_template, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_body_template_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    return result == LMB_OK ? CLI_DONE : cli_fail_file(given->body_template, &error);
}

cli_exit cli_rig_joints_read(const cli_run *cli, const cli_rig_opts *given, lmb_rig_opts *rig,
                             cli_rig_joints *out)
{
    const bool edits = given->chains.count > 0 || given->keep.count > 0 || given->drop.count > 0;
    if (cli_rig_from_file(given) && (edits || given->tail)) {
        return cli_fail(cli, CLI_USAGE,
                        "--chain, --tail, --keep and --drop do not go with a skeleton of a file");
    }
    cli_exit code = read_points(cli, "marker", &given->markers, &out->markers);
    if (code == CLI_DONE) {
        code = read_points(cli, "chain", &given->chains, &out->chains);
    }
    if (code == CLI_DONE && given->body_template) {
        code = read_template(cli, given, &out->body_template);
    }
    rig->embed.body_template = out->body_template;
    rig->embed.markers = out->markers;
    rig->embed.marker_count = (uint32_t)given->markers.count;
    rig->embed.chains = out->chains;
    rig->embed.chain_count = (uint32_t)given->chains.count;
    rig->embed.tail = given->tail;
    rig->keep = given->keep.items;
    rig->keep_count = (uint32_t)given->keep.count;
    rig->drop = given->drop.items;
    rig->drop_count = (uint32_t)given->drop.count;
    return code;
}

void cli_rig_joints_free(cli_rig_joints *joints)
{
    lmb_body_template_destroy(joints->body_template);
    free_points(joints->markers);
    free_points(joints->chains);
}
