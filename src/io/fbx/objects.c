/// Adding objects and connections, whatever the version, and properties of objects.
#include "io/fbx/scene.h"

#include "base/alloc.h"
#include "base/hash.h"

int64_t lmbi_fbx_name_id(lmbi_word name)
{
    const uint64_t hash = lmbi_hash(LMBI_HASH_SEED, name.at, name.size);
    return (int64_t)(hash | 1); // 0 is the root
}

static size_t slot_of(const lmbi_fbx_scene *scene, int64_t id)
{
    size_t slot = (size_t)lmbi_hash(LMBI_HASH_SEED, &id, sizeof id) & (scene->slot_count - 1);
    while (scene->slots[slot] && scene->objects[scene->slots[slot] - 1].id != id) {
        slot = (slot + 1) & (scene->slot_count - 1);
    }
    return slot;
}

static bool rehash(lmbi_fbx_scene *scene)
{
    const size_t count = scene->slot_count ? scene->slot_count * 2 : 256;
    uint32_t *slots = lmbi_alloc_array(scene->fbx->alloc, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    lmbi_free(scene->fbx->alloc, scene->slots);
    scene->slots = slots;
    scene->slot_count = count;
    for (size_t i = 0; i < scene->count; ++i) {
        const size_t slot = slot_of(scene, scene->objects[i].id);
        scene->slots[slot] = scene->slots[slot] ? scene->slots[slot] : (uint32_t)i + 1;
    }
    return true;
}

int32_t lmbi_fbx_scene_find(const lmbi_fbx_scene *scene, int64_t id)
{
    return (int32_t)scene->slots[slot_of(scene, id)] - 1;
}

/// "Model::name" in ascii files, "name\0\1Model" in binary ones.
static lmbi_word bare_name(const lmbi_fbx *fbx, lmbi_word name)
{
    for (size_t i = 0; i + 1 < name.size; ++i) {
        if (fbx->ascii && name.at[i] == ':' && name.at[i + 1] == ':') {
            return (lmbi_word){name.at + i + 2, name.size - i - 2};
        }
        if (!fbx->ascii && name.at[i] == '\0' && name.at[i + 1] == '\1') {
            return (lmbi_word){name.at, i};
        }
    }
    return name;
}

lmb_result lmbi_fbx_scene_add(lmbi_fbx_scene *scene, int64_t id, lmbi_fbx_kind kind, lmbi_word name,
                              const lmbi_fbx_node *node, uint32_t *index)
{
    lmbi_fbx *fbx = scene->fbx;
    void *objects = scene->objects;
    if (!lmbi_grow(fbx->alloc, &objects, &scene->capacity, scene->count + 1,
                   sizeof *scene->objects)) {
        return lmbi_fail_memory(fbx->error);
    }
    scene->objects = objects;
    const lmbi_word bare = bare_name(fbx, name);
    const char *text = lmbi_arena_string(&fbx->arena, bare.at ? bare.at : "", bare.size);
    if (text == NULL || (scene->count * 2 >= scene->slot_count && !rehash(scene))) {
        return lmbi_fail_memory(fbx->error);
    }
    const lmbi_fbx_node *properties = lmbi_fbx_child(node, "Properties70");
    scene->objects[scene->count] = (lmbi_fbx_object){
        .id = id,
        .kind = kind,
        .name = text,
        .node = node,
        .properties = properties ? properties : lmbi_fbx_child(node, "Properties60"),
    };
    // Connections refer to the first of two objects with one identifier.
    const size_t slot = slot_of(scene, id);
    if (scene->slots[slot] == 0) {
        scene->slots[slot] = (uint32_t)scene->count + 1;
    }
    if (index) {
        *index = (uint32_t)scene->count;
    }
    ++scene->count;
    return LMB_OK;
}

lmb_result lmbi_fbx_scene_link(lmbi_fbx_scene *scene, uint32_t from, uint32_t to,
                               lmbi_word property)
{
    void *links = scene->links;
    if (!lmbi_grow(scene->fbx->alloc, &links, &scene->link_capacity, scene->link_count + 1,
                   sizeof *scene->links)) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    scene->links = links;
    scene->links[scene->link_count++] = (lmbi_fbx_link){from, to, property};
    return LMB_OK;
}

lmb_result lmbi_fbx_scene_add_shapes(lmbi_fbx_scene *scene, uint32_t mesh,
                                     const lmbi_fbx_node *node)
{
    const lmbi_word no_property = {NULL, 0};
    uint64_t id = (uint64_t)scene->objects[mesh].id * 31;
    for (const lmbi_fbx_node *child = node->child; child; child = child->next) {
        if (!lmbi_fbx_is(child, "Shape")) {
            continue;
        }
        uint32_t channel, shape;
        const lmbi_word name = lmbi_fbx_text(child, 0);
        lmb_result result = lmbi_fbx_scene_add(scene, (int64_t)(id += 2), LMBI_FBX_BLEND_CHANNEL,
                                               name, child, &channel);
        if (result == LMB_OK) {
            result = lmbi_fbx_scene_link(scene, channel, mesh, no_property);
        }
        if (result == LMB_OK) {
            result =
                lmbi_fbx_scene_add(scene, (int64_t)(id += 2), LMBI_FBX_SHAPE, name, child, &shape);
        }
        if (result == LMB_OK) {
            result = lmbi_fbx_scene_link(scene, shape, channel, no_property);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

// -------------------------------------------------------------------------------------- properties

static const lmbi_fbx_node *find_property(const lmbi_fbx_node *list, const char *name)
{
    for (const lmbi_fbx_node *p = list ? list->child : NULL; p; p = p->next) {
        if (lmbi_word_is_exact(lmbi_fbx_text(p, 0), name)) {
            return p;
        }
    }
    return NULL;
}

/// P: name, type, label, flags, values in 7000; Property: name, type, flags, values before.
static uint32_t first_value(const lmbi_fbx_node *property)
{
    return lmbi_fbx_is(property, "P") ? 4 : 3;
}

bool lmbi_fbx_list_property(const lmbi_fbx_node *list, const char *name, double *out,
                            uint32_t count)
{
    const lmbi_fbx_node *property = find_property(list, name);
    for (uint32_t i = 0; property && i < count; ++i) {
        out[i] = lmbi_fbx_number(property, first_value(property) + i, out[i]);
    }
    return property != NULL;
}

bool lmbi_fbx_property(const lmbi_fbx_object *object, const char *name, double *out, uint32_t count)
{
    return lmbi_fbx_list_property(object->properties, name, out, count) ||
           lmbi_fbx_list_property(object->defaults, name, out, count);
}

double lmbi_fbx_property_number(const lmbi_fbx_object *object, const char *name, double missing)
{
    lmbi_fbx_property(object, name, &missing, 1);
    return missing;
}
