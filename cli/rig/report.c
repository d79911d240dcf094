/// The JSON report of rig beside the skeleton: findings, influence counts, seconds by stage.
#include "cli/rig/rigging.h"

#include <string.h>

#include "limber/os.h"

// ----------------------------------------------------------------------------------- seconds

static void close_stage(cli_stopwatch *watch)
{
    const double now = lmb_clock_s();
    if (watch->count > 0) {
        watch->stages[watch->count - 1].seconds += now - watch->since;
    }
    watch->since = now;
}

static bool note(void *user, const char *stage, float fraction)
{
    cli_stopwatch *watch = user;
    const bool same = watch->count > 0 && strcmp(watch->stages[watch->count - 1].name, stage) == 0;
    if (!same && watch->count < CLI_STAGES) {
        close_stage(watch);
        watch->stages[watch->count].name = stage;
        watch->stages[watch->count++].seconds = 0;
    }
    return !watch->next || watch->next->report(watch->next->user, stage, fraction);
}

void cli_stopwatch_start(cli_stopwatch *watch, const lmb_progress *next)
{
    *watch = (cli_stopwatch){.next = next};
    watch->progress = (lmb_progress){note, watch};
}

void cli_stopwatch_stop(cli_stopwatch *watch)
{
    close_stage(watch);
}

void cli_stopwatch_json(cli_json *json, const cli_stopwatch *watch)
{
    cli_json_begin(json, "timings", '[');
    for (int k = 0; k < watch->count; ++k) {
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "stage", watch->stages[k].name);
        cli_json_number(json, "seconds", (float)watch->stages[k].seconds);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

// -------------------------------------------------------------------------------------- rows

static const lmb_influences *rows_of(const lmb_character *c, uint32_t instance)
{
    const lmb_influences *rows = &c->meshes[c->instances[instance].mesh]->influences;
    return c->instances[instance].skin != LMB_NONE && rows->first ? rows : NULL;
}

void cli_json_rows(cli_json *json, const lmb_character *character)
{
    enum { MOST = 64 };
    uint32_t counts[MOST + 1] = {0}, longest = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_influences *rows = rows_of(character, i);
        const uint32_t n = character->meshes[character->instances[i].mesh]->vertex_count;
        for (uint32_t v = 0; rows && v < n; ++v) {
            uint32_t count = rows->first[v + 1] - rows->first[v];
            count = count < MOST ? count : MOST;
            longest = count > longest ? count : longest;
            ++counts[count];
        }
    }
    cli_json_begin(json, "rows", '[');
    for (uint32_t k = 1; k <= longest; ++k) {
        cli_json_begin(json, NULL, '{');
        cli_json_integer(json, "joints", k);
        cli_json_integer(json, "vertices", counts[k]);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

void cli_count_pulled(const lmb_character *character, uint32_t *vertices, double *weights)
{
    memset(vertices, 0, character->skeleton->joint_count * sizeof *vertices);
    memset(weights, 0, character->skeleton->joint_count * sizeof *weights);
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_influences *rows = rows_of(character, i);
        const uint32_t n = character->meshes[character->instances[i].mesh]->vertex_count;
        for (uint32_t k = 0; rows && k < rows->first[n]; ++k) {
            const uint32_t joint =
                character->skins[character->instances[i].skin]->joints[rows->items[k].joint];
            ++vertices[joint];
            weights[joint] += (double)rows->items[k].weight;
        }
    }
}

// ---------------------------------------------------------------------------------- findings

void cli_json_findings(cli_json *json, const lmb_findings *findings)
{
    cli_json_begin(json, "findings", '[');
    for (uint32_t k = 0; k < findings->count; ++k) {
        const lmb_finding *f = &findings->items[k];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "code", f->code);
        cli_json_text(json, "place", f->location);
        cli_json_text(json, "text", f->text);
        cli_json_integer(json, "count", f->count);
        cli_json_text(json, "done", f->repair ? f->repair : "nothing");
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}
