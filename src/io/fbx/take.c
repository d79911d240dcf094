/// Animation of version 7000 and later, where stacks, layers, curve nodes and curves are connected
/// objects.
#include "io/fbx/take.h"

#include <string.h>

/// Which curve of a curve node: d|X, d|Y, d|Z, else the first.
static int axis_of(lmbi_word property)
{
    const char last = property.size > 0 ? property.at[property.size - 1] : 'X';
    return last == 'Y' ? 1 : last == 'Z' ? 2 : 0;
}

static int path_of(lmbi_word property, lmbi_fbx_kind kind)
{
    if (kind == LMBI_FBX_MODEL) {
        return lmbi_word_is_exact(property, "Lcl Translation") ? LMBI_FBX_TRANSLATION
               : lmbi_word_is_exact(property, "Lcl Rotation")  ? LMBI_FBX_ROTATION
               : lmbi_word_is_exact(property, "Lcl Scaling")   ? LMBI_FBX_SCALE
                                                               : -1;
    }
    return kind == LMBI_FBX_BLEND_CHANNEL && lmbi_word_is_exact(property, "DeformPercent")
               ? LMBI_FBX_PERCENT
           : kind == LMBI_FBX_LAYER && lmbi_word_is_exact(property, "Weight")
               ? LMBI_FBX_LAYER_WEIGHT
               : -1;
}

static void read_constants(const lmbi_fbx_object *node, lmbi_fbx_track *track)
{
    static const char *const axes[3] = {"d|X", "d|Y", "d|Z"};
    for (int i = 0; i < 3; ++i) {
        lmbi_fbx_list_property(node->properties, axes[i], &track->constant[i], 1);
    }
    lmbi_fbx_list_property(node->properties, "d|DeformPercent", &track->constant[0], 1);
}

/// A curve that several nodes share is read once for each, since that is rare.
static lmb_result read_curves(lmbi_fbx_scene *scene, uint32_t node, lmbi_fbx_track *track)
{
    for (uint32_t i = scene->link_first[node]; i < scene->link_first[node + 1]; ++i) {
        const lmbi_fbx_link *link = &scene->links[i];
        if (scene->objects[link->from].kind != LMBI_FBX_CURVE || link->property.size == 0) {
            continue;
        }
        const int axis = axis_of(link->property);
        const lmb_result result =
            lmbi_fbx_curve_read(scene->fbx, scene->objects[link->from].node, &track->curves[axis]);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

/// The tracks of one curve node: one for each property that it drives.
static lmb_result read_node(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes, uint32_t node,
                            uint32_t layer)
{
    lmbi_fbx_track track = {.layer = layer, .below = LMB_NONE};
    bool have_curves = false;
    for (uint32_t i = scene->upward_first[node]; i < scene->upward_first[node + 1]; ++i) {
        const lmbi_fbx_link *link = &scene->links[scene->upward[i]];
        const int path = path_of(link->property, scene->objects[link->to].kind);
        if (path < 0) {
            continue;
        }
        if (!have_curves) {
            read_constants(&scene->objects[node], &track);
            const lmb_result result = read_curves(scene, node, &track);
            if (result != LMB_OK) {
                return result;
            }
            have_curves = true;
        }
        track.object = link->to;
        track.path = (lmbi_fbx_path)path;
        const lmb_result result = lmbi_fbx_takes_add_track(scene, takes, track);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static lmbi_fbx_layer describe_layer(const lmbi_fbx_scene *scene, uint32_t index, uint32_t stack,
                                     bool lowest)
{
    const lmbi_fbx_object *object = &scene->objects[index];
    const double weight = lmbi_fbx_property_number(object, "Weight", 100) / 100;
    const double mode =
        lmbi_fbx_property_number(object, "BlendMode", 0); // additive, override, pass through
    return (lmbi_fbx_layer){
        .stack = stack,
        .object = index,
        .lowest = lowest,
        .weight = weight > 0 ? weight < 1 ? weight : 1 : 0,
        .additive = mode < 0.5,
        .blended = mode < 0.5 || mode > 1.5,
        .rotations_multiply = lmbi_fbx_property_number(object, "RotationAccumulationMode", 0) < 0.5,
        .scales_multiply = lmbi_fbx_property_number(object, "ScaleAccumulationMode", 0) < 0.5,
        .weight_track = LMB_NONE,
    };
}

static lmb_result read_layer(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes, uint32_t object,
                             bool lowest)
{
    const uint32_t index = (uint32_t)takes->layer_count;
    lmb_result result = lmbi_fbx_takes_add_layer(
        scene, takes, describe_layer(scene, object, (uint32_t)takes->stack_count - 1, lowest));
    for (uint32_t i = scene->link_first[object];
         i < scene->link_first[object + 1] && result == LMB_OK; ++i) {
        const uint32_t node = scene->links[i].from;
        if (scene->objects[node].kind == LMBI_FBX_CURVE_NODE &&
            scene->links[i].property.size == 0) {
            result = read_node(scene, takes, node, index);
        }
    }
    return result;
}

static lmb_result read_stack(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes, uint32_t object)
{
    const lmbi_fbx_object *o = &scene->objects[object];
    lmb_result result = lmbi_fbx_takes_add_stack(
        scene, takes,
        (lmbi_fbx_stack){
            .name = o->name,
            .start_s = lmbi_fbx_property_number(o, "LocalStart", 0) / LMBI_FBX_TICKS_PER_S,
            .stop_s = lmbi_fbx_property_number(o, "LocalStop", 0) / LMBI_FBX_TICKS_PER_S});
    bool lowest = true;
    for (uint32_t i = scene->link_first[object];
         i < scene->link_first[object + 1] && result == LMB_OK; ++i) {
        if (scene->objects[scene->links[i].from].kind == LMBI_FBX_LAYER) {
            result = read_layer(scene, takes, scene->links[i].from, lowest);
            lowest = false;
        }
    }
    return result;
}

static lmb_result read_stacks(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    for (size_t i = 1; i < scene->count; ++i) {
        if (scene->objects[i].kind == LMBI_FBX_STACK) {
            const lmb_result result = read_stack(scene, takes, (uint32_t)i);
            if (result != LMB_OK) {
                return result;
            }
        }
    }
    return LMB_OK;
}

// ---------------------------------------------------------------------------------------- sorting

static bool comes_before(const lmbi_fbx_takes *takes, const lmbi_fbx_track *a,
                         const lmbi_fbx_track *b)
{
    const uint32_t stack_a = takes->layers[a->layer].stack, stack_b = takes->layers[b->layer].stack;
    if (stack_a != stack_b) {
        return stack_a < stack_b;
    }
    if (a->object != b->object) {
        return a->object < b->object;
    }
    return a->path != b->path ? a->path < b->path : a->layer < b->layer;
}

/// Merge sort, which is stable: of two nodes that drive one property in one layer, the first in the
/// file stays first.
static void sort_tracks(const lmbi_fbx_takes *takes, lmbi_fbx_track *items, lmbi_fbx_track *room,
                        size_t count)
{
    if (count < 2) {
        return;
    }
    const size_t half = count / 2;
    sort_tracks(takes, items, room, half);
    sort_tracks(takes, items + half, room, count - half);
    memcpy(room, items, count * sizeof *items);
    size_t i = 0, j = half;
    for (size_t k = 0; k < count; ++k) {
        const bool second = i >= half || (j < count && comes_before(takes, &room[j], &room[i]));
        items[k] = second ? room[j++] : room[i++];
    }
}

static bool same_target(const lmbi_fbx_track *a, const lmbi_fbx_track *b)
{
    return a->object == b->object && a->path == b->path;
}

static lmb_result index_tracks(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    lmbi_fbx_track *room = lmbi_arena_array(&scene->fbx->arena, takes->track_count, sizeof *room);
    if (room == NULL) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    sort_tracks(takes, takes->tracks, room, takes->track_count);
    for (size_t i = 0; i < takes->track_count; ++i) {
        lmbi_fbx_track *track = &takes->tracks[i];
        lmbi_fbx_stack *stack = &takes->stacks[takes->layers[track->layer].stack];
        stack->first_track = stack->track_count ? stack->first_track : (uint32_t)i;
        ++stack->track_count;
        if (stack->track_count > 1 && same_target(track, track - 1)) {
            track->below = (int32_t)i - 1;
        }
    }
    return LMB_OK;
}

/// Finds the tracks that animate layers' weights.
static lmb_result find_layer_weights(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    uint32_t *layer_of = lmbi_arena_array(&scene->fbx->arena, scene->count, sizeof *layer_of);
    if (layer_of == NULL) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    for (size_t i = 0; i < takes->layer_count; ++i) {
        layer_of[takes->layers[i].object] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < takes->track_count; ++i) {
        const lmbi_fbx_track *track = &takes->tracks[i];
        if (track->path == LMBI_FBX_LAYER_WEIGHT && layer_of[track->object]) {
            takes->layers[layer_of[track->object] - 1].weight_track = (int32_t)i;
        }
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_takes_read(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    const bool modern = scene->fbx->version >= 7000;
    lmb_result result = modern ? read_stacks(scene, takes) : lmbi_fbx_takes_read_old(scene, takes);
    if (result == LMB_OK) {
        result = index_tracks(scene, takes);
    }
    return result == LMB_OK && modern ? find_layer_weights(scene, takes) : result;
}
