#include "cli/blend/blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------- schedule

/// NAME, NAME=VALUE, NAME=VALUE@SECONDS.
static cli_exit read_setting(const cli_run *cli, const lmb_graph *graph, const char *text,
                             lmb_machine_setting *out)
{
    char name[128];
    const size_t length = strcspn(text, "=@");
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    const int32_t found = lmb_graph_parameter_find(graph, name);
    const char *at = text + length;
    char *end = NULL;
    double value = 1, time_s = 0;
    if (*at == '=') {
        ++at;
        const bool is_true = strncmp(at, "true", 4) == 0, is_false = strncmp(at, "false", 5) == 0;
        value = is_true || is_false ? (double)is_true : strtod(at, &end);
        at = is_true ? at + 4 : (is_false ? at + 5 : (end == at ? "?" : end));
    }
    if (*at == '@') {
        time_s = strtod(at + 1, &end);
        at = end == at + 1 ? "?" : end;
    }
    if (found == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--set %s: the machine has no parameter \"%s\"", text,
                        name);
    }
    if (*at != 0 || !isfinite(value) || !(time_s >= 0)) {
        return cli_fail(cli, CLI_USAGE, "--set %s: expected NAME, NAME=VALUE or NAME=VALUE@SECONDS",
                        text);
    }
    *out = (lmb_machine_setting){(uint32_t)found, (float)value, time_s};
    return CLI_DONE;
}

// -------------------------------------------------------------------------------------- messages

typedef struct narrator {
    const cli_run *cli;
    const char *last; ///< the state that was said last
} narrator;

/// The state that the step from `from_s` to `time_s` began with, and the events that it passed.
static void say_step(void *user, const lmb_machine_info *info, double from_s, double time_s)
{
    narrator *n = user;
    const char *state = info->next_states[0] != NULL ? info->next_states[0] : info->states[0];
    if (state != n->last) {
        cli_say(n->cli, n->last == NULL ? "states" : "", "%.2f s: %s", from_s, state);
        n->last = state;
    }
    for (uint32_t k = 0; k < info->event_count; ++k) {
        cli_detail(n->cli, "event", "%.3f s: %s, of %s", time_s, info->events[k].name,
                   info->events[k].clip);
    }
}

// ------------------------------------------------------------------------------------------ clips

/// Clips by the names that a graph has for them.
typedef struct named_clips {
    lmb_clip *keys;
    lmb_packed_clip *packed;
    const lmb_clip **key_list;
    const lmb_packed_clip **packed_list;
    uint32_t key_count, packed_count;
} named_clips;

/// They are found as --layer finds them; those of a .limb file are played compressed.
static cli_exit find_clips(blend_stage *stage, const lmb_graph *graph, named_clips *out)
{
    uint32_t count = 0;
    while (lmb_graph_clip(graph, count) != NULL) {
        ++count;
    }
    cli_exit code = CLI_DONE;
    out->keys = cli_resize(NULL, (size_t)count + 1, sizeof(*out->keys));
    out->packed = cli_resize(NULL, (size_t)count + 1, sizeof(*out->packed));
    out->key_list = cli_resize(NULL, (size_t)count + 1, sizeof(*out->key_list));
    out->packed_list = cli_resize(NULL, (size_t)count + 1, sizeof(*out->packed_list));
    for (uint32_t k = 0; k < count && code == CLI_DONE; ++k) {
        const char *name = lmb_graph_clip(graph, k);
        const lmb_clip *clip = NULL;
        const lmb_packed_clip *packed = NULL;
        code = blend_stage_packed(stage, name, &packed);
        if (code == CLI_DONE && packed != NULL) {
            out->packed[out->packed_count] = *packed;
            out->packed[out->packed_count].name = name;
            out->packed_list[out->packed_count] = &out->packed[out->packed_count];
            ++out->packed_count;
            continue;
        }
        code = code == CLI_DONE ? blend_stage_clip(stage, name, &clip) : code;
        if (code == CLI_DONE) {
            out->keys[out->key_count] = *clip;
            out->keys[out->key_count].name = name;
            out->key_list[out->key_count] = &out->keys[out->key_count];
            ++out->key_count;
        }
    }
    return code;
}

static void end_clips(named_clips *clips)
{
    free(clips->keys);
    free(clips->packed);
    free(clips->key_list);
    free(clips->packed_list);
}

static cli_exit play_machine(blend_stage *stage, const blend_options *opts, const lmb_graph *graph,
                             double seconds, const lmb_machine_setting *settings, int setting_count,
                             lmb_clip **out)
{
    named_clips clips = {0};
    narrator says = {.cli = stage->cli};
    cli_exit code = find_clips(stage, graph, &clips);
    if (code == CLI_DONE) {
        const lmb_blend_machine machine = {.graph = graph,
                                           .clips = clips.key_list,
                                           .clip_count = clips.key_count,
                                           .packed = clips.packed_list,
                                           .packed_count = clips.packed_count,
                                           .settings = settings,
                                           .setting_count = (uint32_t)setting_count,
                                           .on_step = say_step,
                                           .user = &says};
        // A sequence of clips without a length has one frame; 0 would mean the default.
        const lmb_blend_bake_opts bake = {.machine = &machine, .seconds = fmax(seconds, 1e-9)};
        code = blend_bake(stage, opts, bake, out);
    }
    end_clips(&clips);
    return code;
}

// --------------------------------------------------------------------------------------- machines

static cli_exit run_file(blend_stage *stage, const blend_options *opts, lmb_clip **out)
{
    cli_bytes bytes;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    cli_exit code = cli_bytes_read(opts->machine, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    if (lmb_graph_read(bytes.data, bytes.size, NULL, &graph, &error) != LMB_OK) {
        code = cli_fail_file(opts->machine, &error);
    }
    lmb_machine_setting *settings =
        cli_resize(NULL, (size_t)opts->set.count + 1, sizeof(*settings));
    for (int k = 0; k < opts->set.count && code == CLI_DONE; ++k) {
        code = read_setting(stage->cli, graph, opts->set.items[k], &settings[k]);
    }
    if (code == CLI_DONE) {
        code = play_machine(stage, opts, graph, opts->seconds > 0 ? opts->seconds : 10, settings,
                            opts->set.count, out);
    }
    free(settings);
    lmb_graph_destroy(graph);
    free(bytes.data);
    return code;
}

// --------------------------------------------------------------------------------------- sequence

/// A sequence is a machine with one state a clip and one parameter, which is set to the number of
/// the next.
typedef struct sequence {
    char *text; ///< the graph, as JSON
    size_t size;
    int count;
    lmb_machine_setting *settings;
    const char **names;
    double seconds;
} sequence;

static void append(sequence *s, const char *text)
{
    const size_t length = strlen(text);
    s->text = cli_resize(s->text, s->size + length + 1, 1);
    memcpy(s->text + s->size, text, length + 1);
    s->size += length;
}

/// A JSON string, after a number where there is one: a clip may come twice.
static void append_string(sequence *s, int number, const char *text)
{
    char prefix[16];
    snprintf(prefix, sizeof(prefix), number > 0 ? "\"%d " : "\"", number);
    append(s, prefix);
    for (; *text != 0; ++text) {
        char escaped[8];
        snprintf(escaped, sizeof(escaped),
                 *text == '"' || *text == '\\' || (unsigned char)*text < 0x20 ? "\\u%04x" : "%c",
                 (unsigned char)*text);
        append(s, escaped);
    }
    append(s, "\"");
}

/// "CLIP:SECONDS", where CLIP may hold colons of its own.
static cli_exit read_part(blend_stage *stage, char *part, double *seconds, bool *once,
                          const char **name, const lmb_clip **clip)
{
    char *colon = strrchr(part, ':'), *end = NULL;
    *once = true;
    *name = part;
    if (colon != NULL) {
        const double given = strtod(colon + 1, &end);
        if (end != colon + 1 && *end == 0 && given > 0 && given <= 3600) {
            *colon = 0;
            *seconds = given;
            *once = false;
        }
    }
    const cli_exit code = blend_stage_clip(stage, part, clip);
    if (code == CLI_DONE && *once) {
        *seconds = (double)lmb_clip_duration_s(*clip);
    }
    return code;
}

static cli_exit add_part(blend_stage *stage, const blend_options *opts, char *part, bool last,
                         sequence *s)
{
    char line[200];
    const char *name = NULL;
    double seconds = 0;
    bool once = false;
    const lmb_clip *clip = NULL;
    const cli_exit code = read_part(stage, part, &seconds, &once, &name, &clip);
    if (code != CLI_DONE) {
        return code;
    }
    append(s, s->count > 0 ? ", " : "");
    append_string(s, s->count + 1, name);
    snprintf(line, sizeof(line),
             ": {\"play\": \"%s\", \"sync\": %s, \"clip\": ", once ? "once" : "loop",
             opts->no_sync ? "false" : "true");
    append(s, line);
    append_string(s, 0, name);
    append(s, "}");
    // A state that plays once leaves early enough for the crossfade to end with it.
    s->seconds += once && !last ? fmax(seconds - opts->crossfade, 0) : seconds;
    s->settings = cli_resize(s->settings, (size_t)s->count + 1, sizeof(lmb_machine_setting));
    s->settings[s->count] = (lmb_machine_setting){0, (float)(s->count + 1), s->seconds};
    s->names = cli_resize(s->names, (size_t)s->count + 1, sizeof(char *));
    s->names[s->count] = name;
    ++s->count;
    return CLI_DONE;
}

static void add_transitions(const blend_options *opts, sequence *s)
{
    static const char *const names[] = {"crossfade", "spring", "quintic", "dead", "frozen"};
    append(s, "}, \"transitions\": [");
    for (int k = 0; k + 1 < s->count; ++k) {
        char line[300];
        snprintf(line, sizeof(line),
                 ", \"when\": \"part > %d\", \"seconds\": %.9g, \"how\": \"%s\", \"sync\": %s, "
                 "\"interrupt\": \"target\"}",
                 k, opts->crossfade, names[opts->how], opts->no_sync ? "false" : "true");
        append(s, k > 0 ? ", {\"from\": " : "{\"from\": ");
        append_string(s, k + 1, s->names[k]);
        append(s, ", \"to\": ");
        append_string(s, k + 2, s->names[k + 1]);
        append(s, line);
    }
    append(s, "]}");
}

static cli_exit run_sequence(blend_stage *stage, const blend_options *opts, lmb_clip **out)
{
    sequence s = {0};
    char *list = cli_resize(NULL, strlen(opts->sequence) + 1, 1);
    cli_exit code = CLI_DONE;
    strcpy(list, opts->sequence);
    append(&s, "{\"limber\": \"state machine\", \"parameters\": {\"part\": 0}, \"states\": {");
    for (char *part = list, *next; part != NULL && code == CLI_DONE; part = next) {
        next = strchr(part, ',');
        if (next != NULL) {
            *next++ = 0;
        }
        code = add_part(stage, opts, part, next == NULL, &s);
    }
    add_transitions(opts, &s);
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (code == CLI_DONE && lmb_graph_read(s.text, s.size, NULL, &graph, &error) != LMB_OK) {
        code = cli_fail(stage->cli, CLI_FAILED, "the sequence: expected %s, found %s",
                        error.expected, error.found);
    }
    if (code == CLI_DONE) {
        code = play_machine(stage, opts, graph, opts->seconds > 0 ? opts->seconds : s.seconds,
                            s.settings, s.count - 1, out);
    }
    lmb_graph_destroy(graph);
    free(s.text);
    free(s.settings);
    free(s.names);
    free(list);
    return code;
}

cli_exit blend_machine_run(blend_stage *stage, const blend_options *opts, lmb_clip **out)
{
    return opts->machine != NULL ? run_file(stage, opts, out) : run_sequence(stage, opts, out);
}
