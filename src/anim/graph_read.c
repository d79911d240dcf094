// Reads a graph from JSON (members: docs/blending.md).
#include <string.h>

#include "anim/anim.h"
#include "anim/graph_read.h"
#include "base/error.h"

// ------------------------------------------------------------------------------------- parameters

static lmb_result read_parameter(lmbi_graph_reader *r, const lmbi_json *value, lmbi_parameter *p)
{
    if (value->type == LMBI_JSON_OBJECT) {
        static const char *const known[] = {"start", "smooth", NULL};
        lmb_result result = lmbi_graph_members(r, value, known);
        if (result == LMB_OK) {
            result = lmbi_graph_number(r, lmbi_json_find(value, "start"), -1e9f, 1e9f, &p->start);
        }
        return result == LMB_OK
                   ? lmbi_graph_number(r, lmbi_json_find(value, "smooth"), 0, 60, &p->smooth_s)
                   : result;
    }
    if (value->type == LMBI_JSON_TRUE || value->type == LMBI_JSON_FALSE) {
        p->kind = LMBI_PARAMETER_BOOL;
        p->start = value->type == LMBI_JSON_TRUE ? 1.0f : 0.0f;
        return LMB_OK;
    }
    if (lmbi_json_string_is(value, "trigger")) {
        p->kind = LMBI_PARAMETER_TRIGGER;
        return LMB_OK;
    }
    return lmbi_graph_float(value, &p->start)
               ? LMB_OK
               : lmbi_graph_fail(r, value,
                                 "a number, true, false, \"trigger\" or {\"start\", \"smooth\"}",
                                 NULL);
}

static lmb_result read_parameters(lmbi_graph_reader *r, const lmbi_json *object)
{
    if (object == NULL) {
        return LMB_OK;
    }
    if (object->type != LMBI_JSON_OBJECT) {
        return lmbi_graph_fail(r, object, "an object of parameters", NULL);
    }
    lmb_result result = lmbi_graph_names(r, object, sizeof(lmbi_parameter), &r->graph->parameters);
    if (result != LMB_OK) {
        return result;
    }
    for (const lmbi_json *m = object->child; m != NULL && result == LMB_OK; m = m->next) {
        result = read_parameter(r, m, &r->graph->parameters[r->graph->parameter_count++]);
    }
    return result;
}

// ------------------------------------------------------------------------------------------ clips

static lmb_result read_times(lmbi_graph_reader *r, const lmbi_json *member, const char *name,
                             lmbi_graph_clip *clip)
{
    const bool is_list = member->type == LMBI_JSON_ARRAY;
    for (const lmbi_json *at = is_list ? member->child : member; at != NULL;
         at = is_list ? at->next : NULL) {
        float time_s = 0;
        if (!lmbi_graph_float(at, &time_s) || time_s < 0) {
            return lmbi_graph_fail(r, at, "seconds from the beginning of the clip", NULL);
        }
        uint32_t index = clip->event_count++;
        for (; index > 0 && clip->event_times_s[index - 1] > (double)time_s; --index) {
            clip->event_times_s[index] = clip->event_times_s[index - 1];
            clip->event_names[index] = clip->event_names[index - 1];
        }
        clip->event_times_s[index] = (double)time_s;
        clip->event_names[index] = name;
    }
    return LMB_OK;
}

static lmb_result read_clip_events(lmbi_graph_reader *r, const lmbi_json *object)
{
    if (object->type != LMBI_JSON_OBJECT) {
        return lmbi_graph_fail(r, object, "an object of times by event", NULL);
    }
    uint32_t total = 0, index = 0;
    for (const lmbi_json *m = object->child; m != NULL; m = m->next) {
        total += m->type == LMBI_JSON_ARRAY ? m->count : 1;
    }
    const char *name = lmbi_graph_key(r, object);
    lmbi_graph_clip clip = {0};
    clip.event_times_s = lmbi_arena_array(&r->graph->arena, total, sizeof(*clip.event_times_s));
    clip.event_names = lmbi_arena_array(&r->graph->arena, total, sizeof(*clip.event_names));
    if (name == NULL || clip.event_times_s == NULL || clip.event_names == NULL) {
        return lmbi_fail_memory(r->error);
    }
    lmb_result result = lmbi_graph_clip_index(r, name, &index);
    for (const lmbi_json *m = object->child; m != NULL && result == LMB_OK; m = m->next) {
        const char *event = lmbi_graph_key(r, m);
        result = event != NULL ? read_times(r, m, event, &clip) : lmbi_fail_memory(r->error);
    }
    if (result == LMB_OK) {
        clip.name = r->graph->clips[index].name;
        r->graph->clips[index] = clip;
    }
    return result;
}

static lmb_result read_events(lmbi_graph_reader *r, const lmbi_json *object)
{
    if (object == NULL) {
        return LMB_OK;
    }
    if (object->type != LMBI_JSON_OBJECT) {
        return lmbi_graph_fail(r, object, "an object of events by clip", NULL);
    }
    lmb_result result = LMB_OK;
    for (const lmbi_json *m = object->child; m != NULL && result == LMB_OK; m = m->next) {
        result = read_clip_events(r, m);
    }
    return result;
}

// ----------------------------------------------------------------------------------------- layers

static lmb_result read_mask(lmbi_graph_reader *r, const lmbi_json *object, lmbi_graph_layer *layer)
{
    if (object == NULL) {
        return LMB_OK;
    }
    if (object->type != LMBI_JSON_OBJECT) {
        return lmbi_graph_fail(r, object, "an object of weights by joint", NULL);
    }
    lmb_result result = lmbi_graph_names(r, object, sizeof(lmbi_mask_entry), &layer->mask);
    for (const lmbi_json *m = object->child; m != NULL && result == LMB_OK; m = m->next) {
        result = lmbi_graph_number(r, m, 0, 1, &layer->mask[layer->mask_count++].weight);
    }
    return result;
}

static lmb_result read_layer_members(lmbi_graph_reader *r, const lmbi_json *object,
                                     lmbi_graph_layer *layer)
{
    float feather = 0;
    layer->weight = 1;
    layer->weight_parameter = layer->reference = LMB_NONE;
    lmb_result result = read_mask(r, lmbi_json_find(object, "mask"), layer);
    if (result == LMB_OK) {
        result = lmbi_graph_number(r, lmbi_json_find(object, "feather"), 0, 100, &feather);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_bool(r, lmbi_json_find(object, "additive"), &layer->additive);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_bool(r, lmbi_json_find(object, "model_space"), &layer->model_space);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_factor(r, lmbi_json_find(object, "weight"), &layer->weight,
                                   &layer->weight_parameter);
    }
    const lmbi_json *reference = lmbi_json_find(object, "reference");
    if (result == LMB_OK && reference != NULL) {
        char *name = lmbi_json_string(&r->graph->arena, reference);
        uint32_t clip = 0;
        result = name != NULL ? lmbi_graph_clip_index(r, name, &clip)
                              : lmbi_graph_fail(r, reference, "the name of a clip", NULL);
        layer->reference = (int32_t)clip;
    }
    layer->feather = (uint32_t)feather;
    return result;
}

static lmb_result read_layers(lmbi_graph_reader *r, const lmbi_json *list)
{
    static const char *const known[] = {"name",        "states",    "start",  "transitions",
                                        "mask",        "feather",   "weight", "additive",
                                        "model_space", "reference", NULL};
    if (list == NULL) {
        return LMB_OK;
    }
    if (list->type != LMBI_JSON_ARRAY || list->count >= LMB_MACHINE_LAYERS) {
        return lmbi_graph_fail(r, list, "a list of at most 7 layers", NULL);
    }
    lmb_result result = LMB_OK;
    for (const lmbi_json *m = list->child; m != NULL && result == LMB_OK; m = m->next) {
        lmbi_graph_layer *layer = &r->graph->layers[r->graph->layer_count++];
        result = lmbi_graph_members(r, m, known);
        if (result == LMB_OK) {
            result = read_layer_members(r, m, layer);
        }
        if (result == LMB_OK) {
            result = lmbi_graph_tree(r, m, layer);
        }
    }
    return result;
}

static lmb_result read_graph(lmbi_graph_reader *r, const lmbi_json *root)
{
    static const char *const known[] = {"limber", "parameters",  "events", "states",
                                        "start",  "transitions", "layers", NULL};
    lmb_result result = lmbi_graph_members(r, root, known);
    const lmbi_json *kind = lmbi_json_find(root, "limber");
    if (result == LMB_OK && (kind == NULL || !lmbi_json_string_is(kind, "state machine"))) {
        result =
            lmbi_graph_fail(r, kind != NULL ? kind : root, "\"limber\": \"state machine\"", NULL);
    }
    if (result == LMB_OK) {
        result = read_parameters(r, lmbi_json_find(root, "parameters"));
    }
    if (result == LMB_OK) {
        result = read_events(r, lmbi_json_find(root, "events"));
    }
    if (result == LMB_OK) {
        lmbi_graph_layer *base = &r->graph->layers[r->graph->layer_count++];
        base->weight = 1;
        base->weight_parameter = base->reference = LMB_NONE;
        result = lmbi_graph_tree(r, root, base);
    }
    return result == LMB_OK ? read_layers(r, lmbi_json_find(root, "layers")) : result;
}

lmb_result lmb_graph_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                          lmb_graph **out, lmb_error *error)
{
    lmb_graph *graph = lmbi_alloc(alloc, sizeof(*graph));
    if (graph == NULL) {
        return lmbi_fail_memory(error);
    }
    if (alloc != NULL) {
        graph->allocator = *alloc;
    }
    lmbi_arena_init(&graph->arena, &graph->allocator);
    lmbi_arena text;
    lmbi_arena_init(&text, alloc);
    lmbi_json *root = NULL;
    lmbi_graph_reader reader = {.graph = graph, .bytes = bytes, .error = error};
    lmb_result result = lmbi_json_read(&text, bytes, size, &root, error);
    if (result == LMB_OK) {
        result = read_graph(&reader, root);
    }
    lmbi_arena_free(&text);
    if (result != LMB_OK) {
        lmb_graph_destroy(graph);
        return result;
    }
    *out = graph;
    return LMB_OK;
}

void lmb_graph_destroy(lmb_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (uint32_t l = 0; l < graph->layer_count; ++l) {
        for (uint32_t s = 0; s < graph->layers[l].state_count; ++s) {
            lmbi_blend_space_destroy(graph->layers[l].states[s].space);
        }
    }
    const lmb_allocator alloc = graph->allocator;
    lmbi_arena_free(&graph->arena);
    lmbi_free(&alloc, graph);
}

uint32_t lmbi_graph_parameter_count(const lmb_graph *graph)
{
    return graph->parameter_count;
}

int32_t lmb_graph_parameter_find(const lmb_graph *graph, const char *name)
{
    for (uint32_t k = 0; k < graph->parameter_count; ++k) {
        if (strcmp(graph->parameters[k].name, name) == 0) {
            return (int32_t)k;
        }
    }
    return LMB_NONE;
}

const char *lmb_graph_clip(const lmb_graph *graph, uint32_t index)
{
    return index < graph->clip_count ? graph->clips[index].name : NULL;
}
