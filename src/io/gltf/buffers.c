// Buffers and their views: every view is checked to lie in its buffer.
#include <string.h>

#include "io/external.h"
#include "io/gltf/gltf.h"

static bool load_file(lmbi_gltf *g, const lmbi_json *uri_value, const lmbi_gltf_uri *uri,
                      uint32_t index)
{
    if (!uri->is_loadable) {
        return lmbi_gltf_fail(g, uri_value, "a data URI or a relative path below the file's folder",
                              NULL);
    }
    const lmb_loader *loader = g->opts->loader;
    lmb_bytes bytes = {0};
    if (lmbi_external_load(loader, uri->name, &bytes) != LMBI_EXTERNAL_FOUND) {
        return lmbi_gltf_fail(g, uri_value, "a file that can be opened", uri->name);
    }
    g->buffer_bytes[index] = bytes;
    g->buffer_loaded[index] = true;
    lmbi_gltf_budget_add(g, bytes.size);
    return true;
}

static bool read_buffer(lmbi_gltf *g, uint32_t index)
{
    const lmbi_json *json = g->buffers.items[index];
    const lmbi_json *uri_value = NULL;
    lmb_bytes *bytes = &g->buffer_bytes[index];
    uint32_t length = 0;
    if (!lmbi_gltf_required_u32(g, json, "byteLength", &length) ||
        !lmbi_gltf_member(g, json, "uri", LMBI_JSON_STRING, &uri_value)) {
        return false;
    }
    if (length == 0 && !g->binary) {
        return lmbi_gltf_fail(g, json, "a byteLength of at least 1", "0");
    }
    if (uri_value) {
        lmbi_gltf_uri uri;
        if (!lmbi_gltf_uri_read(g, uri_value, &uri) ||
            (!uri.is_data && !load_file(g, uri_value, &uri, index))) {
            return false;
        }
        if (uri.is_data) {
            bytes->data = uri.bytes;
            bytes->size = uri.size;
        }
    } else if (index == 0 && g->binary) {
        *bytes = g->chunk;
    } else {
        bytes->size = length; // without bytes: an error only where an accessor reads them
        return true;
    }
    if (bytes->size < length) {
        return lmbi_gltf_fail(g, json, "a buffer of byteLength bytes", "fewer");
    }
    bytes->size = length;
    return true;
}

static bool read_view(lmbi_gltf *g, uint32_t index)
{
    const lmbi_json *json = g->views.items[index];
    uint32_t buffer = 0, offset = 0, length = 0, stride = 0;
    if (!lmbi_gltf_required_index(g, json, "buffer", g->buffers.count, &buffer) ||
        !lmbi_gltf_required_u32(g, json, "byteLength", &length) ||
        !lmbi_gltf_u32(g, json, "byteOffset", 0, &offset) ||
        !lmbi_gltf_u32(g, json, "byteStride", 0, &stride)) {
        return false;
    }
    const lmb_bytes bytes = g->buffer_bytes[buffer];
    if (offset > bytes.size || length > bytes.size - offset) {
        return lmbi_gltf_fail(g, json, "a view inside its buffer", "one that ends beyond");
    }
    if (stride > 252) {
        return lmbi_gltf_fail(g, lmbi_json_find(json, "byteStride"), "a stride of at most 252",
                              NULL);
    }
    lmbi_gltf_view *view = &g->view_items[index];
    view->data = bytes.data ? bytes.data + offset : NULL;
    view->size = length;
    view->stride = stride;
    return true;
}

bool lmbi_gltf_buffers_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "buffers", LMBI_JSON_OBJECT, &g->buffers) ||
        !lmbi_gltf_table_read(g, g->root, "bufferViews", LMBI_JSON_OBJECT, &g->views)) {
        return false;
    }
    g->buffer_bytes = lmbi_gltf_array(g, g->buffers.count, sizeof *g->buffer_bytes);
    g->buffer_loaded = lmbi_gltf_array(g, g->buffers.count, sizeof *g->buffer_loaded);
    g->view_items = lmbi_gltf_array(g, g->views.count, sizeof *g->view_items);
    if (g->buffer_bytes == NULL || g->buffer_loaded == NULL || g->view_items == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < g->buffers.count; ++k) {
        if (!read_buffer(g, k)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < g->views.count; ++k) {
        if (!read_view(g, k)) {
            return false;
        }
    }
    return true;
}

void lmbi_gltf_buffers_release(lmbi_gltf *g)
{
    const lmb_loader *loader = g->opts->loader;
    for (uint32_t k = 0; g->buffer_loaded && k < g->buffers.count; ++k) {
        if (g->buffer_loaded[k]) {
            lmbi_external_release(loader, g->buffer_bytes[k]);
        }
    }
}
