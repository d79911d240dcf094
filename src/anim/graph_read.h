/// What the files that read a graph share.
#ifndef ANIM_GRAPH_READ_H
#define ANIM_GRAPH_READ_H

#include "anim/machine.h"
#include "base/alloc.h"

typedef struct lmbi_graph_reader {
    lmb_graph *graph;
    const void *bytes; ///< of the file, for places
    lmb_error *error;
    uint32_t clip_capacity;
} lmbi_graph_reader;

/// MALFORMED at the place of a value.
lmb_result lmbi_graph_fail(const lmbi_graph_reader *r, const lmbi_json *at, const char *expected,
                           const char *found);
/// Checks that it is an object with no other members than these; the list ends with NULL.
lmb_result lmbi_graph_members(const lmbi_graph_reader *r, const lmbi_json *object,
                              const char *const *known);

// A value of NULL, a member that is not there, leaves `out` as it was, in all of these.

bool lmbi_graph_float(const lmbi_json *value, float *out);
lmb_result lmbi_graph_number(const lmbi_graph_reader *r, const lmbi_json *value, float low,
                             float high, float *out);
lmb_result lmbi_graph_bool(const lmbi_graph_reader *r, const lmbi_json *value, bool *out);
lmb_result lmbi_graph_word(const lmbi_graph_reader *r, const lmbi_json *value,
                           const char *const *words, uint32_t *out);
/// The parameter that a string names.
lmb_result lmbi_graph_parameter(const lmbi_graph_reader *r, const lmbi_json *value, int32_t *out);
/// A number, or the name of a parameter.
lmb_result lmbi_graph_factor(const lmbi_graph_reader *r, const lmbi_json *value, float *number,
                             int32_t *parameter);
/// The index of a clip's name, which stays with the graph.
lmb_result lmbi_graph_clip_index(lmbi_graph_reader *r, const char *name, uint32_t *out);

/// The first of `items`, whose first field is a name, that a string names; LMB_NONE.
int32_t lmbi_graph_find_name(const void *items, uint32_t count, size_t size,
                             const lmbi_json *value);
/// A member's key as text.
char *lmbi_graph_key(const lmbi_graph_reader *r, const lmbi_json *member);
/// Members of an object as an array of `size` bytes each, whose first field is the name. No name
/// twice.
lmb_result lmbi_graph_names(lmbi_graph_reader *r, const lmbi_json *object, size_t size, void *out);

/// States, start and transitions of a layer, with the machines in it.
lmb_result lmbi_graph_tree(lmbi_graph_reader *r, const lmbi_json *object, lmbi_graph_layer *layer);
/// What a state plays; its name is set already.
lmb_result lmbi_graph_state(lmbi_graph_reader *r, const lmbi_json *member, lmbi_state *out);
/// Appends a machine's transitions to the layer's, which has room for them. `machine` is a state of
/// the layer or LMB_NONE.
lmb_result lmbi_graph_transitions(lmbi_graph_reader *r, const lmbi_json *list,
                                  lmbi_graph_layer *layer, int32_t machine);
/// The state that a string names as seen from a machine.
lmb_result lmbi_graph_state_index(lmbi_graph_reader *r, const lmbi_json *value,
                                  const lmbi_graph_layer *layer, int32_t machine, uint32_t *out);
lmb_result lmbi_graph_condition(lmbi_graph_reader *r, const lmbi_json *when, lmbi_condition *out);

#endif
