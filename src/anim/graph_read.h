/// Shared by the files that read a graph.
#ifndef ANIM_GRAPH_READ_H
#define ANIM_GRAPH_READ_H

#include "anim/machine.h"
#include "base/alloc.h"

typedef struct lmbi_graph_reader {
    lmb_graph *graph;
    const void *bytes; ///< the file, for line numbers in errors
    lmb_error *error;
    uint32_t clip_capacity;
} lmbi_graph_reader;

/// MALFORMED at the line and column of a value. `found` NULL: quotes the value.
lmb_result lmbi_graph_fail(const lmbi_graph_reader *r, const lmbi_json *at, const char *expected,
                           const char *found);
/// Checks that `object` is an object with no members but `known`, a list that ends with NULL.
lmb_result lmbi_graph_members(const lmbi_graph_reader *r, const lmbi_json *object,
                              const char *const *known);

// In all of these a NULL value, a missing member, leaves `out` unchanged.

bool lmbi_graph_float(const lmbi_json *value, float *out);
lmb_result lmbi_graph_number(const lmbi_graph_reader *r, const lmbi_json *value, float low,
                             float high, float *out);
lmb_result lmbi_graph_bool(const lmbi_graph_reader *r, const lmbi_json *value, bool *out);
lmb_result lmbi_graph_word(const lmbi_graph_reader *r, const lmbi_json *value,
                           const char *const *words, uint32_t *out);
/// Index of the parameter that a string names.
lmb_result lmbi_graph_parameter(const lmbi_graph_reader *r, const lmbi_json *value, int32_t *out);
/// A number, or the name of a parameter.
lmb_result lmbi_graph_factor(const lmbi_graph_reader *r, const lmbi_json *value, float *number,
                             int32_t *parameter);
/// Index of the clip called `name`, added if it is new. The graph keeps the pointer.
lmb_result lmbi_graph_clip_index(lmbi_graph_reader *r, const char *name, uint32_t *out);

/// Index of the item that the string `value` names, or LMB_NONE. An item's first field is its name.
int32_t lmbi_graph_find_name(const void *items, uint32_t count, size_t size,
                             const lmbi_json *value);
/// A member's key as text.
char *lmbi_graph_key(const lmbi_graph_reader *r, const lmbi_json *member);
/// Allocates an array of items of `size` bytes, one per member, whose first field is set to the
/// member's name. Names must be unique.
lmb_result lmbi_graph_names(lmbi_graph_reader *r, const lmbi_json *object, size_t size, void *out);

/// Reads the states, start and transitions of a layer and its sub-machines.
lmb_result lmbi_graph_tree(lmbi_graph_reader *r, const lmbi_json *object, lmbi_graph_layer *layer);
/// Reads what a state plays. Its name is set already.
lmb_result lmbi_graph_state(lmbi_graph_reader *r, const lmbi_json *member, lmbi_state *out);
/// Appends a machine's transitions to the layer's, which are allocated already. `machine` is a
/// state of the layer or LMB_NONE.
lmb_result lmbi_graph_transitions(lmbi_graph_reader *r, const lmbi_json *list,
                                  lmbi_graph_layer *layer, int32_t machine);
/// Index of the state that a string names, relative to `machine`.
lmb_result lmbi_graph_state_index(lmbi_graph_reader *r, const lmbi_json *value,
                                  const lmbi_graph_layer *layer, int32_t machine, uint32_t *out);
lmb_result lmbi_graph_condition(lmbi_graph_reader *r, const lmbi_json *when, lmbi_condition *out);

#endif
