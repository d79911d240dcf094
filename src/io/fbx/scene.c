#include "io/fbx/scene.h"

#include <string.h>

#include "base/alloc.h"

// ---------------------------------------------------------------------------------------- objects

typedef struct kind_name {
    const char *node, *type;
    lmbi_fbx_kind kind;
} kind_name;

/// `type` is the object's third value; NULL for any. Some writers put Fbx before it.
static const kind_name kind_names[] = {
    {"Model", NULL, LMBI_FBX_MODEL},
    {"Geometry", "Mesh", LMBI_FBX_MESH},
    {"Geometry", "Shape", LMBI_FBX_SHAPE},
    {"Deformer", "Skin", LMBI_FBX_SKIN},
    {"Deformer", "Cluster", LMBI_FBX_CLUSTER},
    {"Deformer", "BlendShape", LMBI_FBX_BLEND},
    {"Deformer", "BlendShapeChannel", LMBI_FBX_BLEND_CHANNEL},
    {"Material", NULL, LMBI_FBX_MATERIAL},
    {"Texture", NULL, LMBI_FBX_TEXTURE},
    {"Video", NULL, LMBI_FBX_VIDEO},
    {"AnimationStack", NULL, LMBI_FBX_STACK},
    {"AnimationLayer", NULL, LMBI_FBX_LAYER},
    {"AnimationCurveNode", NULL, LMBI_FBX_CURVE_NODE},
    {"AnimationCurve", NULL, LMBI_FBX_CURVE},
};

static lmbi_fbx_kind kind_of(const lmbi_fbx_node *node, lmbi_word type)
{
    if (type.size > 3 && memcmp(type.at, "Fbx", 3) == 0) {
        type = (lmbi_word){type.at + 3, type.size - 3};
    }
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; ++i) {
        const kind_name *k = &kind_names[i];
        if (lmbi_fbx_is(node, k->node) && (k->type == NULL || lmbi_word_is_exact(type, k->type))) {
            return k->kind;
        }
    }
    return LMBI_FBX_OTHER;
}

/// Before 7000 a mesh is inside its model. It becomes an object with an identifier and a connection.
static lmb_result split_mesh(lmbi_fbx_scene *scene, const lmbi_fbx_node *node, uint32_t model,
                             lmbi_word name)
{
    if (lmbi_fbx_child(node, "Vertices") == NULL ||
        lmbi_fbx_child(node, "PolygonVertexIndex") == NULL) {
        return LMB_OK;
    }
    uint32_t mesh;
    const int64_t id = (int64_t)((uint64_t)scene->objects[model].id * 31 + 2);
    lmb_result result = lmbi_fbx_scene_add(scene, id, LMBI_FBX_MESH, name, node, &mesh);
    if (result == LMB_OK) {
        result = lmbi_fbx_scene_link(scene, mesh, model, (lmbi_word){NULL, 0});
    }
    return result == LMB_OK ? lmbi_fbx_scene_add_shapes(scene, mesh, node) : result;
}

static lmb_result add_object(lmbi_fbx_scene *scene, const lmbi_fbx_node *node)
{
    const bool numbered = scene->fbx->version >= 7000;
    const lmbi_word name = lmbi_fbx_text(node, numbered ? 1 : 0);
    const lmbi_word type = lmbi_fbx_text(node, numbered ? 2 : 1);
    const int64_t id = numbered ? lmbi_fbx_integer(node, 0, 0) : lmbi_fbx_name_id(name);
    const lmbi_fbx_kind kind = kind_of(node, type);
    uint32_t index;
    lmb_result result = lmbi_fbx_scene_add(scene, id, kind, name, node, &index);
    if (result == LMB_OK && kind == LMBI_FBX_MODEL && !numbered) {
        result = split_mesh(scene, node, index, name);
    }
    return result;
}

static lmb_result add_objects(lmbi_fbx_scene *scene)
{
    const lmbi_fbx_node *objects = lmbi_fbx_child(&scene->fbx->root, "Objects");
    if (objects == NULL) {
        return lmbi_fbx_fail(scene->fbx, &scene->fbx->root, "an Objects section", "none");
    }
    for (const lmbi_fbx_node *node = objects->child; node; node = node->next) {
        if (lmbi_fbx_is(node, "GlobalSettings")) {
            scene->settings = lmbi_fbx_child(node, "Properties60");
            continue;
        }
        const lmb_result result = add_object(scene, node);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static bool same_word(lmbi_word a, lmbi_word b)
{
    return a.size == b.size && a.size > 0 && memcmp(a.at, b.at, a.size) == 0;
}

/// Finds the classes' default properties, for objects that leave some out.
static void add_defaults(lmbi_fbx_scene *scene)
{
    const lmbi_fbx_node *definitions = lmbi_fbx_child(&scene->fbx->root, "Definitions");
    for (size_t i = 0; i < scene->count; ++i) {
        lmbi_fbx_object *object = &scene->objects[i];
        const lmbi_fbx_node *type = definitions && object->node ? definitions->child : NULL;
        while (type && !same_word(lmbi_fbx_text(type, 0), object->node->name)) {
            type = type->next;
        }
        object->defaults = lmbi_fbx_child(lmbi_fbx_child(type, "PropertyTemplate"), "Properties70");
    }
}

// ------------------------------------------------------------------------------------ connections

static int32_t end_of(const lmbi_fbx_scene *scene, const lmbi_fbx_node *node, uint32_t index)
{
    if (scene->fbx->version >= 7000) {
        return lmbi_fbx_scene_find(scene, lmbi_fbx_integer(node, index, -1));
    }
    const lmbi_word name = lmbi_fbx_text(node, index);
    if (lmbi_word_is_exact(name, "Model::Scene") ||
        (name.size == 12 && memcmp(name.at, "Scene\0\1Model", 12) == 0)) {
        return (int32_t)LMBI_FBX_ROOT;
    }
    return lmbi_fbx_scene_find(scene, lmbi_fbx_name_id(name));
}

/// OO connects object to object, OP object to property. PO and PP begin at a property and are
/// skipped.
static lmb_result add_connections(lmbi_fbx_scene *scene)
{
    const lmbi_fbx_node *list = lmbi_fbx_child(&scene->fbx->root, "Connections");
    for (const lmbi_fbx_node *node = list ? list->child : NULL; node; node = node->next) {
        const lmbi_word type = lmbi_fbx_text(node, 0);
        const bool to_property = lmbi_word_is_exact(type, "OP");
        if (!to_property && !lmbi_word_is_exact(type, "OO")) {
            continue;
        }
        const int32_t from = end_of(scene, node, 1), to = end_of(scene, node, 2);
        if (from <= (int32_t)LMBI_FBX_ROOT || to < 0 || from == to) {
            continue; // the exporter did not write that object
        }
        const lmbi_word property = to_property ? lmbi_fbx_text(node, 3) : (lmbi_word){NULL, 0};
        const lmb_result result =
            lmbi_fbx_scene_link(scene, (uint32_t)from, (uint32_t)to, property);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

/// Sorts the links by target, and `upward` by origin, both stable in file order.
static lmb_result index_links(lmbi_fbx_scene *scene)
{
    lmbi_fbx *fbx = scene->fbx;
    const size_t n = scene->count, m = scene->link_count;
    if (m >= UINT32_MAX) {
        return lmbi_fbx_fail(fbx, &fbx->root, "at most 2^32 - 2 connections", "%zu", m);
    }
    lmbi_fbx_link *sorted = lmbi_arena_array(&fbx->arena, m, sizeof *sorted);
    scene->link_first = lmbi_arena_array(&fbx->arena, n + 2, sizeof *scene->link_first);
    scene->upward_first = lmbi_arena_array(&fbx->arena, n + 2, sizeof *scene->upward_first);
    scene->upward = lmbi_arena_array(&fbx->arena, m, sizeof *scene->upward);
    if (!sorted || !scene->link_first || !scene->upward_first || !scene->upward) {
        return lmbi_fail_memory(fbx->error);
    }
    for (size_t i = 0; i < m; ++i) {
        ++scene->link_first[scene->links[i].to + 2];
        ++scene->upward_first[scene->links[i].from + 2];
    }
    for (size_t i = 2; i < n + 2; ++i) {
        scene->link_first[i] += scene->link_first[i - 1];
        scene->upward_first[i] += scene->upward_first[i - 1];
    }
    for (size_t i = 0; i < m; ++i) {
        const uint32_t at = scene->link_first[scene->links[i].to + 1]++;
        sorted[at] = scene->links[i];
        scene->upward[scene->upward_first[scene->links[i].from + 1]++] = at;
    }
    if (m > 0) {
        memcpy(scene->links, sorted, m * sizeof *sorted);
    }
    return LMB_OK;
}

int32_t lmbi_fbx_scene_source(const lmbi_fbx_scene *scene, uint32_t to, lmbi_fbx_kind kind,
                              uint32_t k)
{
    for (uint32_t i = scene->link_first[to]; i < scene->link_first[to + 1]; ++i) {
        if (scene->objects[scene->links[i].from].kind == kind && k-- == 0) {
            return (int32_t)scene->links[i].from;
        }
    }
    return LMB_NONE;
}

int32_t lmbi_fbx_scene_target(const lmbi_fbx_scene *scene, uint32_t from, lmbi_fbx_kind kind)
{
    for (uint32_t i = scene->upward_first[from]; i < scene->upward_first[from + 1]; ++i) {
        const lmbi_fbx_link *link = &scene->links[scene->upward[i]];
        if (scene->objects[link->to].kind == kind) {
            return (int32_t)link->to;
        }
    }
    return LMB_NONE;
}

// -------------------------------------------------------------------------------------------- all

lmb_result lmbi_fbx_scene_make(lmbi_fbx *fbx, lmbi_fbx_scene *scene)
{
    *scene = (lmbi_fbx_scene){.fbx = fbx};
    lmb_result result =
        lmbi_fbx_scene_add(scene, 0, LMBI_FBX_MODEL, (lmbi_word){NULL, 0}, NULL, NULL);
    if (result != LMB_OK) {
        return result;
    }
    if (fbx->version < 6000) {
        result = lmbi_fbx_scene_legacy(scene);
    } else {
        result = add_objects(scene);
        if (result == LMB_OK) {
            add_defaults(scene);
            result = add_connections(scene);
        }
    }
    const lmbi_fbx_node *settings = lmbi_fbx_child(&fbx->root, "GlobalSettings");
    const lmbi_fbx_node *modern = lmbi_fbx_child(settings, "Properties70");
    scene->settings = modern            ? modern
                      : scene->settings ? scene->settings
                                        : lmbi_fbx_child(settings, "Properties60");
    return result == LMB_OK ? index_links(scene) : result;
}

void lmbi_fbx_scene_free(lmbi_fbx_scene *scene)
{
    lmbi_free(scene->fbx->alloc, scene->objects);
    lmbi_free(scene->fbx->alloc, scene->links);
    lmbi_free(scene->fbx->alloc, scene->slots);
}
