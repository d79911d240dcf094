/// limber weights: which vertices an edit is for.
#include "cli/weights/select.h"

#include <stdlib.h>
#include <string.h>

static cli_exit find_joint(const cli_run *cli, const lmb_skeleton *skeleton, const char *name,
                           uint32_t *out)
{
    const int32_t joint = cli_joint_named(skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "%s has no joint and no humanoid bone \"%s\"",
                        cli->inputs[1], name);
    }
    *out = (uint32_t)joint;
    return CLI_DONE;
}

/// A whole number that stands alone.
static bool read_number(const char *text, uint32_t *out)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == 0 && value < UINT32_MAX;
}

/// Instances whose mesh has that name, or whose number it is.
static cli_exit add_mesh(const cli_run *cli, const lmb_character *c, const char *text,
                         cli_selection *s)
{
    uint32_t number = 0, found = 0;
    const bool is_number = read_number(text, &number);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const char *name = c->meshes[c->instances[i].mesh]->name;
        if (name != NULL ? strcmp(name, text) == 0 || (is_number && i == number)
                         : is_number && i == number) {
            s->instances[s->where.instance_count++] = i;
            ++found;
        }
    }
    return found > 0 ? CLI_DONE
                     : cli_fail(cli, CLI_USAGE, "%s has no mesh \"%s\"", cli->inputs[1], text);
}

/// Exactly `count` numbers, with commas between.
static bool read_floats(const char *text, float *out, int count)
{
    for (int k = 0; k < count; ++k) {
        char *end = NULL;
        out[k] = strtof(text, &end);
        if (end == text || *end != (k + 1 < count ? ',' : 0) || !(out[k] - out[k] == 0)) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

static cli_exit read_region(const cli_run *cli, const cli_weights_where *opts, cli_selection *s)
{
    float n[6];
    if (opts->box != NULL) {
        if (!read_floats(opts->box, n, 6)) {
            return cli_fail(cli, CLI_USAGE, "--box: expected six numbers X,Y,Z,X,Y,Z, found \"%s\"",
                            opts->box);
        }
        const lmb_vec3 ends[2] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
        s->box = lmb_box_of(ends, 2);
        s->where.box = &s->box;
    }
    if (opts->sphere != NULL) {
        if (!read_floats(opts->sphere, n, 4) || !(n[3] > 0)) {
            return cli_fail(cli, CLI_USAGE,
                            "--sphere: expected X,Y,Z and a radius above 0, found \"%s\"",
                            opts->sphere);
        }
        s->where.center = lmb_vec3_make(n[0], n[1], n[2]);
        s->where.radius = n[3];
    }
    return CLI_DONE;
}

cli_exit cli_selection_read(const cli_run *cli, const cli_weights_where *opts,
                            const lmb_character *character, cli_selection *s)
{
    *s = (cli_selection){.where = {.above = (float)opts->above}};
    s->joints = cli_resize(NULL, (size_t)opts->joints.count + 1, sizeof *s->joints);
    s->pieces = cli_resize(NULL, (size_t)opts->pieces.count + 1, sizeof *s->pieces);
    s->instances =
        cli_resize(NULL, ((size_t)opts->meshes.count + 1) * (character->instance_count + 1),
                   sizeof *s->instances);
    s->where.joints = s->joints;
    s->where.pieces = s->pieces;
    s->where.instances = s->instances;
    if (!(opts->above >= 0 && opts->above < 1)) {
        return cli_fail(cli, CLI_USAGE, "--above takes 0 to less than 1, found %g", opts->above);
    }
    cli_exit code = read_region(cli, opts, s);
    for (int k = 0; k < opts->joints.count && code == CLI_DONE; ++k) {
        code = find_joint(cli, character->skeleton, opts->joints.items[k],
                          &s->joints[s->where.joint_count++]);
    }
    for (int k = 0; k < opts->meshes.count && code == CLI_DONE; ++k) {
        code = add_mesh(cli, character, opts->meshes.items[k], s);
    }
    for (int k = 0; k < opts->pieces.count && code == CLI_DONE; ++k) {
        if (!read_number(opts->pieces.items[k], &s->pieces[s->where.piece_count++])) {
            code = cli_fail(cli, CLI_USAGE,
                            "--piece: expected a number of weights pieces, found \"%s\"",
                            opts->pieces.items[k]);
        }
    }
    if (code == CLI_DONE && opts->to != NULL) {
        code = find_joint(cli, character->skeleton, opts->to, &s->to);
    }
    if (code == CLI_DONE && opts->from != NULL) {
        code = find_joint(cli, character->skeleton, opts->from, &s->from);
    }
    return code;
}

void cli_selection_end(cli_selection *s)
{
    free(s->joints);
    free(s->pieces);
    free(s->instances);
}
