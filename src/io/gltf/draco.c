// Meshes that Draco compressed (KHR_draco_mesh_compression): the program's decoder fills the accessors
// that have no bytes of their own.
#include <string.h>

#include "io/gltf/gltf.h"

enum { MOST_ATTRIBUTES = 64 };

/// A primitive that is compressed, and what is wanted of it.
typedef struct compressed {
    const lmbi_json *json; ///< the extension
    lmb_bytes bytes;
    uint32_t vertex_count;
    lmb_draco_array arrays[MOST_ATTRIBUTES];
    lmbi_gltf_accessor *accessors[MOST_ATTRIBUTES];
    uint32_t array_count;
    lmbi_gltf_accessor *indices;
} compressed;

static const lmbi_json *object_in(const lmbi_json *parent, const char *key)
{
    const lmbi_json *found =
        parent && parent->type == LMBI_JSON_OBJECT ? lmbi_json_find(parent, key) : NULL;
    return found && found->type == LMBI_JSON_OBJECT ? found : NULL;
}

static bool is_empty(const lmbi_gltf_accessor *a)
{
    return a->data == NULL && !a->is_missing && a->sparse_count == 0;
}

/// One of the attributes that the extension names.
static bool read_attribute(lmbi_gltf *g, const lmbi_json *member, const lmbi_json *attributes,
                           compressed *out)
{
    const lmbi_json *plain = attributes ? attributes->child : NULL;
    while (plain && (plain->key_size != member->key_size ||
                     memcmp(plain->key, member->key, member->key_size) != 0)) {
        plain = plain->next;
    }
    uint32_t index = 0, id = 0;
    if (plain == NULL) {
        return lmbi_gltf_fail(g, member, "an attribute that the primitive has too", NULL);
    }
    if (!lmbi_gltf_index_value(g, plain, g->accessors.count, &index) ||
        !lmbi_gltf_index_value(g, member, UINT32_MAX, &id)) {
        return false;
    }
    lmbi_gltf_accessor *a = &g->accessor_items[index];
    if (!is_empty(a)) {
        return true; // it has bytes, perhaps of the same mesh in another primitive
    }
    if (a->is_matrix || a->component_type == LMBI_GLTF_U32 || out->array_count == MOST_ATTRIBUTES) {
        return lmbi_gltf_fail_accessor(g, plain, "an attribute of at most 4 components", a);
    }
    if (out->array_count > 0 && a->count != out->vertex_count) {
        return lmbi_gltf_fail_found(g, plain, "as many of every attribute", "%u, %u before",
                                    a->count, out->vertex_count);
    }
    out->vertex_count = a->count;
    out->accessors[out->array_count] = a;
    out->arrays[out->array_count++] =
        (lmb_draco_array){id, a->components, (lmb_draco_type)a->component_type, NULL};
    return true;
}

/// Finds the bytes and what is wanted of them; nothing where all accessors have bytes.
static bool read_compressed(lmbi_gltf *g, const lmbi_json *primitive, compressed *out)
{
    const lmbi_json *named = object_in(out->json, "attributes");
    uint32_t view = 0;
    int32_t index = LMB_NONE;
    if (!lmbi_gltf_required_index(g, out->json, "bufferView", g->views.count, &view) ||
        !lmbi_gltf_index(g, primitive, "indices", g->accessors.count, &index)) {
        return false;
    }
    for (const lmbi_json *member = named ? named->child : NULL; member; member = member->next) {
        if (!read_attribute(g, member, object_in(primitive, "attributes"), out)) {
            return false;
        }
    }
    if (out->array_count == 0) {
        return true;
    }
    if (index == LMB_NONE) {
        return lmbi_gltf_fail(g, primitive, "indices of the compressed triangles", "none");
    }
    out->indices = &g->accessor_items[index];
    const lmbi_gltf_view *bytes = &g->view_items[view];
    out->bytes = (lmb_bytes){bytes->data, bytes->size};
    return bytes->data != NULL || lmbi_gltf_fail(g, out->json, "a buffer with bytes", "none");
}

static void set_data(lmbi_gltf_accessor *a, const void *data, uint32_t component_size)
{
    a->data = data;
    a->is_lossy = true;
    a->component_size = component_size;
    a->stride = (size_t)a->components * component_size;
}

static bool decode(lmbi_gltf *g, compressed *c)
{
    const uint32_t index_count = c->indices->count;
    for (uint32_t k = 0; k < c->array_count; ++k) {
        const size_t size = (size_t)c->arrays[k].components * c->accessors[k]->component_size;
        c->arrays[k].out = lmbi_gltf_spend(g, c->json, c->vertex_count, size)
                               ? lmbi_gltf_array(g, c->vertex_count, size)
                               : NULL;
        if (c->arrays[k].out == NULL) {
            return false;
        }
    }
    uint32_t *indices = lmbi_gltf_spend(g, c->json, index_count, sizeof *indices)
                            ? lmbi_gltf_array(g, index_count, sizeof *indices)
                            : NULL;
    if (indices == NULL) {
        return false;
    }
    const lmb_draco_decoder *draco = g->opts->draco;
    const char *found = draco->decode(draco->user, c->bytes.data, c->bytes.size, c->vertex_count,
                                      indices, index_count, c->arrays, c->array_count);
    if (found != NULL) {
        return lmbi_gltf_fail(g, c->json, "what the accessors say", found);
    }
    for (uint32_t k = 0; k < c->array_count; ++k) {
        set_data(c->accessors[k], c->arrays[k].out, c->accessors[k]->component_size);
    }
    if (is_empty(c->indices)) {
        c->indices->component_type = LMBI_GLTF_U32;
        set_data(c->indices, indices, sizeof *indices);
    }
    return true;
}

static bool read_primitive(lmbi_gltf *g, const lmbi_json *primitive)
{
    compressed c = {
        .json = object_in(object_in(primitive, "extensions"), "KHR_draco_mesh_compression")};
    return c.json == NULL ||
           (read_compressed(g, primitive, &c) && (c.array_count == 0 || decode(g, &c)));
}

bool lmbi_gltf_draco_read(lmbi_gltf *g)
{
    lmbi_gltf_table meshes;
    if (!lmbi_gltf_table_read(g, g->root, "meshes", LMBI_JSON_OBJECT, &meshes)) {
        return false;
    }
    for (uint32_t k = 0; g->opts->draco && k < meshes.count; ++k) {
        const lmbi_json *primitives = lmbi_json_find(meshes.items[k], "primitives");
        for (const lmbi_json *one = primitives ? primitives->child : NULL; one; one = one->next) {
            if (!read_primitive(g, one)) {
                return false;
            }
        }
    }
    return true;
}
