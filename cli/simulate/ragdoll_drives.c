/// Bodies of `limber simulate --ragdoll` that fall freely, follow the clip or receive impulses.
#include "cli/simulate/ragdoll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The joint of that name or human bone; LMB_NONE with a message.
static int32_t find_joint(const cli_run *cli, const simulate_fall *f, const char *option,
                          const char *name, size_t length)
{
    char *text = cli_resize(NULL, length + 1, 1);
    memcpy(text, name, length);
    text[length] = 0;
    int32_t joint = lmb_skeleton_find(f->take.skeleton, text);
    const lmb_human_bone bone = lmb_human_bone_find(text);
    if (joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT && f->plan.is_human) {
        joint = f->plan.map.bones[bone].joint;
    }
    if (joint == LMB_NONE) {
        cli_fail(cli, CLI_USAGE, "--%s: the character has no joint and no humanoid bone \"%s\"",
                 option, text);
    }
    free(text);
    return joint;
}

/// The bone that moves the joint; else the first bone.
static uint32_t bone_of(const simulate_fall *f, int32_t joint)
{
    const int32_t bone = joint != LMB_NONE
                             ? lmb_ragdoll_set_find(f->plan.set, f->take.skeleton, (uint32_t)joint)
                             : LMB_NONE;
    return bone != LMB_NONE ? (uint32_t)bone : 0;
}

/// Whether the bone is for that joint or one below it.
static bool is_below(const simulate_fall *f, uint32_t bone, int32_t joint)
{
    int32_t j = (int32_t)f->plan.set->bones[bone].joint;
    while (j > joint) {
        j = f->take.skeleton->parents[j];
    }
    return j == joint;
}

static cli_exit read_strength(const cli_run *cli, simulate_fall *f, const char *text)
{
    const char *equals = strrchr(text, '='), *number = equals != NULL ? equals + 1 : text;
    char *end = NULL;
    const double hz = strtod(number, &end);
    if (end == number || *end != 0 || !(hz >= 0 && hz <= 100)) {
        return cli_fail(cli, CLI_USAGE, "--strength: expected [JOINT=]HZ of 0 to 100, found \"%s\"",
                        text);
    }
    int32_t joint = LMB_NONE;
    if (equals != NULL) {
        joint = find_joint(cli, f, "strength", text, (size_t)(equals - text));
        if (joint == LMB_NONE) {
            return CLI_USAGE;
        }
    }
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        if (joint == LMB_NONE || is_below(f, i, joint)) {
            f->drives[i].hz = (float)hz;
        }
    }
    return CLI_DONE;
}

static cli_exit read_only(const cli_run *cli, simulate_fall *f)
{
    const cli_list *only = &f->take.opts->only;
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        f->drives[i].carried = only->count > 0;
    }
    for (int k = 0; k < only->count; ++k) {
        const int32_t joint = find_joint(cli, f, "only", only->items[k], strlen(only->items[k]));
        if (joint == LMB_NONE) {
            return CLI_USAGE;
        }
        uint32_t loose = 0;
        for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
            if (is_below(f, i, joint)) {
                f->drives[i].carried = false;
                ++loose;
            }
        }
        if (loose == 0) {
            return cli_fail(cli, CLI_USAGE, "--only: nothing at or below \"%s\" has a body",
                            only->items[k]);
        }
    }
    return CLI_DONE;
}

static cli_exit read_push(const cli_run *cli, simulate_fall *f, const char *text,
                          simulate_push *out)
{
    const char *equals = strrchr(text, '='), *at = equals;
    float x[3] = {0, 0, 0};
    double time_s = f->take.opts->release_s;
    bool fine = equals != NULL;
    for (int k = 0; fine && k < 3; ++k) {
        char *end = NULL;
        const double value = strtod(at + 1, &end);
        fine = end != at + 1 && isfinite(value) && fabs(value) < 1e6 &&
               (k < 2 ? *end == ',' : *end == 0 || *end == '@');
        x[k] = (float)value;
        at = end;
    }
    if (fine && *at == '@') {
        char *end = NULL;
        time_s = strtod(at + 1, &end);
        fine = end != at + 1 && *end == 0 && time_s >= 0;
    }
    if (!fine) {
        return cli_fail(cli, CLI_USAGE, "--push: expected JOINT=X,Y,Z[@S], found \"%s\"", text);
    }
    const int32_t joint = find_joint(cli, f, "push", text, (size_t)(equals - text));
    *out = (simulate_push){bone_of(f, joint), lmb_vec3_make(x[0], x[1], x[2]), time_s};
    return joint == LMB_NONE ? CLI_USAGE : CLI_DONE;
}

cli_exit simulate_fall_drives(const cli_run *cli, simulate_fall *f)
{
    const cli_simulate_opts *opts = f->take.opts;
    f->drives = cli_resize(NULL, f->plan.set->bone_count, sizeof *f->drives);
    memset(f->drives, 0, f->plan.set->bone_count * sizeof *f->drives);
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        f->drives[i].hz = (float)opts->strength_hz;
    }
    cli_exit code = read_only(cli, f);
    for (int k = 0; code == CLI_DONE && k < opts->strengths.count; ++k) {
        code = read_strength(cli, f, opts->strengths.items[k]);
    }
    f->pushes = cli_resize(NULL, (size_t)opts->pushes.count + 1, sizeof *f->pushes);
    for (int k = 0; code == CLI_DONE && k < opts->pushes.count; ++k) {
        code = read_push(cli, f, opts->pushes.items[k], &f->pushes[f->push_count++]);
    }
    return code;
}

cli_exit simulate_fall_hits(const cli_run *cli, cli_simulate_opts *opts, double *last_s)
{
    double first_s = HUGE_VAL;
    *last_s = 0;
    const char **all =
        cli_resize(NULL, (size_t)opts->pushes.count + (size_t)opts->hits.count, sizeof *all);
    for (int k = 0; k < opts->pushes.count; ++k) {
        all[k] = opts->pushes.items[k];
    }
    for (int k = 0; k < opts->hits.count; ++k) {
        const char *at = strrchr(opts->hits.items[k], '@');
        char *end = NULL;
        const double time_s = at != NULL ? strtod(at + 1, &end) : -1;
        if (at == NULL || end == at + 1 || *end != 0 || !(time_s >= 0)) {
            free(all);
            return cli_fail(cli, CLI_USAGE, "--hit: expected JOINT=X,Y,Z@S, found \"%s\"",
                            opts->hits.items[k]);
        }
        first_s = fmin(first_s, time_s);
        *last_s = fmax(*last_s, time_s);
        all[opts->pushes.count + k] = opts->hits.items[k];
    }
    opts->pushes.items = all;
    opts->pushes.count += opts->hits.count;
    opts->release_s = cli_given(cli, "release") ? opts->release_s : first_s;
    return CLI_DONE;
}

void simulate_fall_stagger(const cli_run *cli, const lmb_ragdoll_stagger *stagger, double last_s,
                           cli_simulate_opts *opts)
{
    if (!cli_given(cli, "balance")) {
        opts->balance = (double)stagger->balance_hz;
    }
    if (!cli_given(cli, "strength")) {
        opts->strength_hz = (double)stagger->strength_hz;
    }
    if (!cli_given(cli, "recover") && opts->clip != NULL) {
        opts->recover_s = last_s + stagger->recover_s;
    }
}
