/// Topological sort of statements: a statement comes after those that store what it reads.
#include <stdio.h>

#include "base/error.h"
#include "procedural/driver_source.h"

enum { NEW = 0, OPEN, DONE };

typedef struct search {
    uint32_t *writer;     ///< [slot_count] 1 + the statement that stores it; 0: none
    uint8_t *state;       ///< [statement_count]
    uint32_t *stack, *at; ///< open statements, and the next instruction to look at in each
} search;

static bool search_begin(search *w, const lmbi_driver_source *source, lmbi_arena *arena)
{
    w->writer = lmbi_arena_array(arena, source->slot_count, sizeof *w->writer);
    w->state = lmbi_arena_array(arena, source->statement_count + 1, sizeof *w->state);
    w->stack = lmbi_arena_array(arena, source->statement_count + 1, sizeof *w->stack);
    w->at = lmbi_arena_array(arena, source->statement_count + 1, sizeof *w->at);
    if (w->writer == NULL || w->state == NULL || w->stack == NULL || w->at == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < source->statement_count; ++s) {
        w->writer[source->statements[s].slot] = s + 1;
    }
    return true;
}

/// Text of a statement's left side.
static int left_side(const lmbi_driver_source *source, uint32_t statement, const char **at)
{
    const char *c = source->statements[statement].at, *from = c;
    while (c < source->end && *c != '=' && c - from < 40) {
        ++c;
    }
    while (c > from && (c[-1] == ' ' || c[-1] == '\t')) {
        --c;
    }
    *at = from;
    return (int)(c - from);
}

static lmb_result fail_cycle(const lmbi_driver_source *source, const search *w, uint32_t depth,
                             uint32_t repeated, lmb_error *error)
{
    char cycle[120];
    int used = 0;
    uint32_t k = 0;
    while (w->stack[k] != repeated) {
        ++k;
    }
    for (; k <= depth && used < 80; ++k) {
        const char *at;
        const int size = left_side(source, k < depth ? w->stack[k] : repeated, &at);
        used += snprintf(cycle + used, sizeof cycle - (size_t)used, "%s%.*s", used ? " < " : "",
                         size < 30 ? size : 30, at);
    }
    return lmbi_driver_fail(source, source->statements[repeated].at, error,
                            "channels that do not need themselves", "%s", cycle);
}

/// The next unfinished statement that `open` reads from; statement_count: none.
static uint32_t find_next_dependency(const lmbi_driver_source *source, search *w, uint32_t open,
                                     uint32_t *at)
{
    const lmbi_driver_statement *s = &source->statements[open];
    while (*at < s->count) {
        const lmbi_driver_instruction *i = &source->code[s->first + (*at)++];
        if (i->op == OP_LOAD && w->writer[i->slot] > 0 &&
            w->state[w->writer[i->slot] - 1] != DONE) {
            return w->writer[i->slot] - 1;
        }
    }
    return (uint32_t)source->statement_count;
}

lmb_result lmbi_driver_order(const lmbi_driver_source *source, lmbi_arena *arena, uint32_t *order,
                             lmb_error *error)
{
    search w;
    uint32_t done = 0;
    if (!search_begin(&w, source, arena)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t first = 0; first < source->statement_count; ++first) {
        uint32_t depth = 0;
        if (w.state[first] == NEW) {
            w.state[first] = OPEN;
            w.stack[depth] = first;
            w.at[depth++] = 0;
        }
        while (depth > 0) {
            const uint32_t open = w.stack[depth - 1];
            const uint32_t dependency = find_next_dependency(source, &w, open, &w.at[depth - 1]);
            if (dependency == source->statement_count) {
                w.state[open] = DONE;
                order[done++] = open;
                --depth;
            } else if (w.state[dependency] == OPEN) {
                return fail_cycle(source, &w, depth, dependency, error);
            } else {
                w.state[dependency] = OPEN;
                w.stack[depth] = dependency;
                w.at[depth++] = 0;
            }
        }
    }
    return LMB_OK;
}
