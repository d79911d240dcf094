// Reads the states of a layer and its nested machines.
#include <string.h>

#include "anim/graph_read.h"
#include "base/error.h"

static bool is_machine(const lmbi_json *state)
{
    return lmbi_json_find(state, "states") != NULL;
}

/// States and transitions of a machine, nested ones included.
typedef struct state_counts {
    uint32_t states, transitions;
} state_counts;

static lmb_result count_states(const lmbi_graph_reader *r, const lmbi_json *machine, uint32_t depth,
                               state_counts *out)
{
    const lmbi_json *states = lmbi_json_find(machine, "states"),
                    *transitions = lmbi_json_find(machine, "transitions");
    if (states == NULL || states->type != LMBI_JSON_OBJECT || states->count == 0) {
        return lmbi_graph_fail(r, states != NULL ? states : machine,
                               "\"states\", an object with at least one", NULL);
    }
    if (transitions != NULL && transitions->type != LMBI_JSON_ARRAY) {
        return lmbi_graph_fail(r, transitions, "a list of transitions", NULL);
    }
    if (depth > LMBI_MAX_MACHINE_DEPTH) {
        return lmbi_graph_fail(r, states, "machines at most 8 deep in each other", "9 levels");
    }
    out->states += states->count;
    out->transitions += transitions != NULL ? transitions->count : 0;
    lmb_result result = LMB_OK;
    for (const lmbi_json *m = states->child; m != NULL && result == LMB_OK; m = m->next) {
        result = is_machine(m) ? count_states(r, m, depth + 1, out) : LMB_OK;
    }
    return result;
}

/// The state's path, such as "air/fall".
static char *full_name(lmbi_graph_reader *r, const lmbi_json *member, const lmbi_state *machine)
{
    char *name = lmbi_graph_key(r, member);
    if (machine == NULL || name == NULL) {
        return name;
    }
    const size_t outer = strlen(machine->name), inner = strlen(name);
    char *full = lmbi_arena_array(&r->graph->arena, outer + inner + 2, 1);
    if (full != NULL) {
        memcpy(full, machine->name, outer);
        full[outer] = '/';
        memcpy(full + outer + 1, name, inner + 1);
    }
    return full;
}

static lmb_result name_state(lmbi_graph_reader *r, const lmbi_json *member,
                             const lmbi_graph_layer *layer, lmbi_state *state)
{
    const lmbi_state *machine = state->parent != LMB_NONE ? &layer->states[state->parent] : NULL;
    if (machine != NULL && lmbi_json_key_is(member, "exit")) {
        return lmbi_graph_fail(r, member, "another name: \"exit\" is where a machine is left",
                               "a state of that name");
    }
    state->name = full_name(r, member, machine);
    if (state->name == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (const lmbi_state *other = layer->states; other < state; ++other) {
        if (strcmp(other->name, state->name) == 0) {
            return lmbi_graph_fail(r, member, "names that are all different", state->name);
        }
    }
    return LMB_OK;
}

static lmb_result read_states(lmbi_graph_reader *r, const lmbi_json *machine,
                              lmbi_graph_layer *layer, int32_t parent)
{
    static const char *const known[] = {"states", "start", "entry", "transitions", NULL};
    const lmbi_json *states = lmbi_json_find(machine, "states");
    lmb_result result = LMB_OK;
    for (const lmbi_json *m = states->child; m != NULL && result == LMB_OK; m = m->next) {
        const uint32_t index = layer->state_count++;
        lmbi_state *state = &layer->states[index];
        state->parent = parent;
        state->is_machine = is_machine(m);
        result = name_state(r, m, layer, state);
        if (result == LMB_OK) {
            result =
                state->is_machine ? lmbi_graph_members(r, m, known) : lmbi_graph_state(r, m, state);
        }
        if (result == LMB_OK && state->is_machine) {
            result = read_states(r, m, layer, (int32_t)index);
        }
    }
    return result;
}

static lmb_result read_entries(lmbi_graph_reader *r, const lmbi_json *list, lmbi_graph_layer *layer,
                               int32_t machine)
{
    static const char *const known[] = {"to", "when", NULL};
    lmbi_state *state = &layer->states[machine];
    if (list->type != LMBI_JSON_ARRAY) {
        return lmbi_graph_fail(r, list, "a list of entries", NULL);
    }
    state->entries = lmbi_arena_array(&r->graph->arena, list->count, sizeof(*state->entries));
    if (state->entries == NULL) {
        return lmbi_fail_memory(r->error);
    }
    lmb_result result = LMB_OK;
    for (const lmbi_json *m = list->child; m != NULL && result == LMB_OK; m = m->next) {
        lmbi_entry *entry = &state->entries[state->entry_count++];
        const lmbi_json *to = lmbi_json_find(m, "to"), *when = lmbi_json_find(m, "when");
        result = lmbi_graph_members(r, m, known);
        if (result == LMB_OK && (to == NULL || when == NULL)) {
            result = lmbi_graph_fail(r, m, "\"to\" and \"when\"",
                                     to == NULL ? "no \"to\"" : "no \"when\"");
        }
        if (result == LMB_OK) {
            result = lmbi_graph_state_index(r, to, layer, machine, &entry->to);
        }
        if (result == LMB_OK) {
            result = lmbi_graph_condition(r, when, &entry->when);
        }
    }
    return result;
}

/// Resolves what refers to states by name: starts, entries and transitions. `next` is the index of
/// this machine's first state, and on return of the first one after the machine.
static lmb_result resolve_references(lmbi_graph_reader *r, const lmbi_json *machine,
                                     lmbi_graph_layer *layer, int32_t parent, uint32_t *next)
{
    const lmbi_json *start = lmbi_json_find(machine, "start"),
                    *entry = lmbi_json_find(machine, "entry"),
                    *transitions = lmbi_json_find(machine, "transitions");
    uint32_t *begins = parent != LMB_NONE ? &layer->states[parent].start : &layer->start;
    *begins = *next;
    lmb_result result =
        start != NULL ? lmbi_graph_state_index(r, start, layer, parent, begins) : LMB_OK;
    if (result == LMB_OK && entry != NULL && parent != LMB_NONE) {
        result = read_entries(r, entry, layer, parent);
    }
    if (result == LMB_OK && transitions != NULL) {
        result = lmbi_graph_transitions(r, transitions, layer, parent);
    }
    const lmbi_json *states = lmbi_json_find(machine, "states");
    for (const lmbi_json *m = states->child; m != NULL && result == LMB_OK; m = m->next) {
        const uint32_t index = (*next)++;
        result = is_machine(m) ? resolve_references(r, m, layer, (int32_t)index, next) : LMB_OK;
    }
    return result;
}

lmb_result lmbi_graph_tree(lmbi_graph_reader *r, const lmbi_json *object, lmbi_graph_layer *layer)
{
    state_counts found = {0};
    uint32_t next = 0;
    lmb_result result = count_states(r, object, 0, &found);
    if (result != LMB_OK) {
        return result;
    }
    layer->states = lmbi_arena_array(&r->graph->arena, found.states, sizeof(*layer->states));
    layer->transitions =
        lmbi_arena_array(&r->graph->arena, found.transitions, sizeof(*layer->transitions));
    if (layer->states == NULL || layer->transitions == NULL) {
        return lmbi_fail_memory(r->error);
    }
    result = read_states(r, object, layer, LMB_NONE);
    return result == LMB_OK ? resolve_references(r, object, layer, LMB_NONE, &next) : result;
}
