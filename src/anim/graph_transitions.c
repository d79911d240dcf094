// Reads the transitions of a graph.
#include <string.h>

#include "anim/graph_read.h"
#include "base/error.h"

lmb_result lmbi_graph_state_index(lmbi_graph_reader *r, const lmbi_json *value,
                                  const lmbi_graph_layer *layer, int32_t machine, uint32_t *out)
{
    const char *inside = machine != LMB_NONE ? layer->states[machine].name : "";
    const size_t length = strlen(inside);
    if (value->type != LMBI_JSON_STRING) {
        return lmbi_graph_fail(r, value, "the name of a state", NULL);
    }
    const char *text = lmbi_json_string(&r->graph->arena, value);
    if (text == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (uint32_t s = 0; s < layer->state_count; ++s) {
        const char *name = layer->states[s].name;
        const bool is_inside =
            length == 0 || (strncmp(name, inside, length) == 0 && name[length] == '/');
        if (is_inside && strcmp(name + (length > 0 ? length + 1 : 0), text) == 0) {
            *out = s;
            return LMB_OK;
        }
    }
    return lmbi_graph_fail(r, value, "the name of a state", NULL);
}

lmb_result lmbi_graph_condition(lmbi_graph_reader *r, const lmbi_json *when, lmbi_condition *out)
{
    if (when == NULL) {
        return LMB_OK;
    }
    if (when->type != LMBI_JSON_STRING) {
        return lmbi_graph_fail(r, when, "a condition as text", NULL);
    }
    char found[160] = "";
    const char *text = lmbi_json_string(&r->graph->arena, when);
    const lmb_result result =
        text != NULL ? lmbi_condition_read(r->graph, text, out, found) : LMB_ERROR_MEMORY;
    if (result == LMB_ERROR_MALFORMED) {
        return lmbi_graph_fail(r, when, "a condition such as \"speed > 0.2 and not armed\"", found);
    }
    return result == LMB_OK ? LMB_OK : lmbi_fail_memory(r->error);
}

static lmb_result read_method(const lmbi_graph_reader *r, const lmbi_json *object,
                              lmbi_graph_transition *t)
{
    static const char *const methods[] = {"crossfade", "spring", "quintic", "dead", "frozen", NULL};
    static const char *const curves[] = {"smooth", "linear", "smoother", NULL};
    static const char *const interrupters[] = {"none", "source", "target", "any", NULL};
    uint32_t method = 0, curve = 0;
    lmb_result result = lmbi_graph_word(r, lmbi_json_find(object, "how"), methods, &method);
    if (result == LMB_OK) {
        result = lmbi_graph_word(r, lmbi_json_find(object, "curve"), curves, &curve);
    }
    if (result == LMB_OK) {
        result =
            lmbi_graph_word(r, lmbi_json_find(object, "interrupt"), interrupters, &t->interrupt);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_bool(r, lmbi_json_find(object, "sync"), &t->sync);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_number(r, lmbi_json_find(object, "seconds"), 0, 60, &t->duration_s);
    }
    t->method = (lmbi_transition_method)method;
    t->curve = (lmbi_curve)curve;
    return result;
}

/// The source: a state, any state ("*"), or a machine that exits ("at": "exit").
static lmb_result read_source(lmbi_graph_reader *r, const lmbi_json *object,
                              const lmbi_graph_layer *layer, lmbi_graph_transition *t)
{
    const lmbi_json *from = lmbi_json_find(object, "from"), *at = lmbi_json_find(object, "at");
    lmb_result result = LMB_OK;
    if (!lmbi_json_string_is(from, "*")) {
        uint32_t index = 0;
        result = lmbi_graph_state_index(r, from, layer, t->scope, &index);
        t->from = (int32_t)index;
    }
    if (result != LMB_OK || at == NULL) {
        return result;
    }
    t->on_exit = lmbi_json_string_is(at, "exit");
    if (!t->on_exit) {
        return lmbi_graph_number(r, at, 0, 1e6f, &t->exit_at);
    }
    return t->from == LMB_NONE || layer->states[t->from].is_machine
               ? LMB_OK
               : lmbi_graph_fail(r, at, "a machine in \"from\" that can be left",
                                 layer->states[t->from].name);
}

static lmb_result read_target(lmbi_graph_reader *r, const lmbi_json *object,
                              const lmbi_graph_layer *layer, lmbi_graph_transition *t)
{
    static const char *const known[] = {"from", "to", "when", "at", NULL};
    const lmbi_json *to = lmbi_json_find(object, "to");
    t->exits_machine = t->scope != LMB_NONE && lmbi_json_string_is(to, "exit");
    // Duration and method come from the outer machine's transition.
    return t->exits_machine ? lmbi_graph_members(r, object, known)
                            : lmbi_graph_state_index(r, to, layer, t->scope, &t->to);
}

static lmb_result read_transition(lmbi_graph_reader *r, const lmbi_json *object,
                                  const lmbi_graph_layer *layer, int32_t machine,
                                  lmbi_graph_transition *t)
{
    static const char *const known[] = {"from", "to",    "when", "at",        "seconds",
                                        "how",  "curve", "sync", "interrupt", NULL};
    *t = (lmbi_graph_transition){
        .scope = machine, .from = LMB_NONE, .exit_at = -1, .duration_s = 0.25f};
    lmb_result result = lmbi_graph_members(r, object, known);
    const bool has_from = lmbi_json_find(object, "from") != NULL;
    if (result == LMB_OK && (!has_from || lmbi_json_find(object, "to") == NULL)) {
        result = lmbi_graph_fail(r, object, "\"from\" and \"to\"",
                                 has_from ? "no \"to\"" : "no \"from\"");
    }
    if (result == LMB_OK) {
        result = read_source(r, object, layer, t);
    }
    if (result == LMB_OK) {
        result = read_target(r, object, layer, t);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_condition(r, lmbi_json_find(object, "when"), &t->when);
    }
    if (result == LMB_OK) {
        result = read_method(r, object, t);
    }
    if (result == LMB_OK && t->when.count == 0 && t->exit_at < 0 && !t->on_exit) {
        result = lmbi_graph_fail(r, object, "\"when\", \"at\" or both", "neither");
    }
    return result;
}

static bool is_from_any(const lmbi_json *transition)
{
    const lmbi_json *from = lmbi_json_find(transition, "from");
    return from != NULL && lmbi_json_string_is(from, "*");
}

lmb_result lmbi_graph_transitions(lmbi_graph_reader *r, const lmbi_json *list,
                                  lmbi_graph_layer *layer, int32_t machine)
{
    lmb_result result = LMB_OK;
    for (int pass = 0; pass < 2; ++pass) { // transitions from any state have priority
        for (const lmbi_json *m = list->child; m != NULL && result == LMB_OK; m = m->next) {
            if (is_from_any(m) == (pass == 0)) {
                result = read_transition(r, m, layer, machine,
                                         &layer->transitions[layer->transition_count++]);
            }
        }
    }
    return result;
}
