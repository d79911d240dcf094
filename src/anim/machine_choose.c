// Selects the transition that a layer takes, and the state that it leads to.
#include <math.h>

#include "anim/machine.h"

bool lmbi_state_inside(const lmbi_graph_layer *layer, int32_t state, int32_t machine)
{
    while (state != machine && state != LMB_NONE) {
        state = layer->states[state].parent;
    }
    return state == machine;
}

/// Whether the last step passed the exit time; a clip that plays once stays past it.
static bool has_reached_exit(const lmbi_player *player, float at)
{
    const double exit = (double)at;
    if (player->state->motion_count == 0 || at < 0) {
        return true;
    }
    if (player->state->mode == LMB_PLAY_CLAMP) {
        return player->progress >= exit;
    }
    return player->progress >= exit &&
           floor(player->progress - exit) > floor(player->progress_before - exit);
}

static bool applies_in(const lmbi_graph_layer *layer, const lmbi_graph_transition *t, int32_t state)
{
    if (t->on_exit) {
        return false;
    }
    if (t->from != LMB_NONE) {
        return lmbi_state_inside(layer, state, t->from);
    }
    return lmbi_state_inside(layer, state, t->scope) &&
           (t->exits_machine || !lmbi_state_inside(layer, state, (int32_t)t->to));
}

/// The transition taken when `machine` exits, or NULL.
static const lmbi_graph_transition *find_exit(const lmb_machine *m, const lmbi_graph_layer *layer,
                                              int32_t machine)
{
    for (uint32_t k = 0; k < layer->transition_count; ++k) {
        const lmbi_graph_transition *t = &layer->transitions[k];
        const bool is_from = t->from == machine ||
                             (t->from == LMB_NONE && t->scope == layer->states[machine].parent);
        if (t->on_exit && is_from && lmbi_condition_holds(&t->when, m->parameters)) {
            return t;
        }
    }
    return NULL;
}

/// Follows machine exits outwards. False where an exit has no transition whose condition holds.
static bool follow_exits(const lmb_machine *m, const lmbi_graph_layer *layer,
                         const lmbi_graph_transition *t, lmbi_transition_path *out)
{
    out->count = 0;
    while (t != NULL) {
        out->steps[out->count++] = t;
        if (!t->exits_machine) {
            return true;
        }
        t = find_exit(m, layer, t->scope);
    }
    return false;
}

static bool find_transition_path(const lmb_machine *m, const lmbi_graph_layer *layer,
                                 const lmbi_player *player, lmbi_transition_path *out)
{
    const int32_t here = (int32_t)(player->state - layer->states);
    for (uint32_t k = 0; k < layer->transition_count; ++k) {
        const lmbi_graph_transition *t = &layer->transitions[k];
        if (applies_in(layer, t, here) && has_reached_exit(player, t->exit_at) &&
            lmbi_condition_holds(&t->when, m->parameters) && follow_exits(m, layer, t, out)) {
            return true;
        }
    }
    return false;
}

bool lmbi_transition_choose(const lmb_machine *m, const lmbi_graph_layer *graph,
                            const lmbi_layer *layer, lmbi_transition_path *out)
{
    if (!layer->is_crossfading) {
        return find_transition_path(m, graph, &layer->current, out);
    }
    const int32_t next = (int32_t)(layer->next.state - graph->states);
    if ((layer->taken->interrupt & LMBI_INTERRUPT_SOURCE) &&
        find_transition_path(m, graph, &layer->current, out) &&
        !lmbi_state_inside(graph, next, (int32_t)out->steps[out->count - 1]->to)) {
        return true;
    }
    return (layer->taken->interrupt & LMBI_INTERRUPT_TARGET) &&
           find_transition_path(m, graph, &layer->next, out);
}

static void consume_triggers(lmb_machine *m, const lmbi_condition *when)
{
    for (uint32_t i = 0; i < when->count; ++i) {
        const lmbi_operation *o = &when->operations[i];
        if (o->op == LMBI_OP_PARAMETER &&
            m->graph->parameters[o->parameter].kind == LMBI_PARAMETER_TRIGGER) {
            m->parameters[o->parameter] = m->targets[o->parameter] = 0;
        }
    }
}

const lmbi_state *lmbi_transition_enter(lmb_machine *m, const lmbi_graph_layer *graph,
                                        const lmbi_transition_path *path, uint32_t to)
{
    const lmbi_condition *entry_conditions[LMBI_MAX_MACHINE_DEPTH + 1];
    uint32_t entry_condition_count = 0;
    while (graph->states[to].is_machine) { // its entries lead to states inside it
        const lmbi_state *machine = &graph->states[to];
        to = machine->start;
        for (uint32_t e = 0; e < machine->entry_count; ++e) {
            if (lmbi_condition_holds(&machine->entries[e].when, m->parameters)) {
                entry_conditions[entry_condition_count++] = &machine->entries[e].when;
                to = machine->entries[e].to;
                break;
            }
        }
    }
    // Triggers are consumed last, since several conditions of the path may test the same one.
    for (uint32_t k = 0; path != NULL && k < path->count; ++k) {
        consume_triggers(m, &path->steps[k]->when);
    }
    for (uint32_t k = 0; k < entry_condition_count; ++k) {
        consume_triggers(m, entry_conditions[k]);
    }
    return &graph->states[to];
}
