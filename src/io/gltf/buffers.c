// Buffers, their views and the URIs that name them (also those of images): data URIs (RFC 2397) are
// decoded here, other files come from the caller's loader. Every view is checked to lie in its buffer.
#include <string.h>

#include "base/hex.h"

#include "io/base64.h"
#include "io/external.h"
#include "io/gltf/gltf.h"

// -------------------------------------------------------------------------------------------- URIs

/// Resolves %XX in place; returns the new length. %00 stays as it is, since it would end the string.
static size_t decode_percent(char *text, size_t size)
{
    if (memchr(text, '%', size) == NULL) {
        return size;
    }
    size_t out = 0;
    for (size_t k = 0; k < size; ++k) {
        const int high = text[k] == '%' && k + 2 < size ? lmbi_hex_value(text[k + 1]) : -1;
        const int low = high >= 0 ? lmbi_hex_value(text[k + 2]) : -1;
        if (low >= 0 && (high || low)) {
            text[out++] = (char)(high << 4 | low);
            k += 2;
        } else {
            text[out++] = text[k];
        }
    }
    text[out] = '\0';
    return out;
}

static bool has_scheme(const char *uri)
{
    const size_t length = strcspn(uri, ":/?#");
    return length > 0 && uri[length] == ':';
}

static bool read_data(lmbi_gltf *g, const lmbi_json *value, char *rest, lmbi_gltf_uri *out)
{
    char *comma = strchr(rest, ',');
    if (comma == NULL) {
        return lmbi_gltf_fail(g, value, "a data URI with a comma", "none");
    }
    *comma = '\0';
    const char *options = strchr(rest, ';');
    const char *base64 = options ? strstr(options, ";base64") : NULL;
    rest[strcspn(rest, ";")] = '\0';
    out->mime = rest;
    const size_t size = decode_percent(comma + 1, strlen(comma + 1));
    if (base64 == NULL) {
        out->bytes = (uint8_t *)comma + 1;
        out->size = size;
        return true;
    }
    out->bytes = lmbi_gltf_array(g, lmbi_base64_bound(size), 1);
    if (out->bytes == NULL) {
        return false;
    }
    size_t bad = 0;
    return lmbi_base64_decode(comma + 1, size, out->bytes, &out->size, &bad) ||
           lmbi_gltf_fail_found(g, value, "base64", "byte 0x%02x at %zu",
                                (unsigned char)comma[1 + bad], bad);
}

bool lmbi_gltf_uri_read(lmbi_gltf *g, const lmbi_json *value, lmbi_gltf_uri *out)
{
    memset(out, 0, sizeof *out);
    char *uri = lmbi_json_string(&g->arena, value);
    if (uri == NULL) {
        return lmbi_gltf_fail_memory(g);
    }
    if (strncmp(uri, "data:", 5) == 0) {
        out->is_data = true;
        return read_data(g, value, uri + 5, out);
    }
    const size_t size = strlen(uri);
    char *decoded = lmbi_arena_string(&g->arena, uri, size);
    if (decoded == NULL) {
        return lmbi_gltf_fail_memory(g);
    }
    decode_percent(decoded, size);
    out->name = decoded;
    out->is_loadable = !has_scheme(uri) && lmbi_external_is_below(decoded);
    return true;
}

// --------------------------------------------------------------------------------------- buffers

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
    bool is_fallback = false;
    if (!lmbi_gltf_required_u32(g, json, "byteLength", &length) ||
        !lmbi_gltf_member(g, json, "uri", LMBI_JSON_STRING, &uri_value) ||
        !lmbi_gltf_is_fallback(g, json, &is_fallback)) {
        return false;
    }
    if (length == 0 && !g->binary) {
        return lmbi_gltf_fail(g, json, "a byteLength of at least 1", "0");
    }
    if (uri_value && !is_fallback) {
        lmbi_gltf_uri uri;
        if (!lmbi_gltf_uri_read(g, uri_value, &uri) ||
            (!uri.is_data && !load_file(g, uri_value, &uri, index))) {
            return false;
        }
        if (uri.is_data) {
            bytes->data = uri.bytes;
            bytes->size = uri.size;
        }
    } else if (index == 0 && g->binary && !is_fallback) {
        *bytes = g->chunk;
    } else {
        bytes->size = length; // a missing file is an error only when an accessor reads it
        return true;
    }
    if (bytes->size < length) {
        return lmbi_gltf_fail_found(g, json, "a buffer of byteLength bytes", "%zu of %u",
                                    bytes->size, length);
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
        return lmbi_gltf_fail_found(g, json, "a view inside its buffer",
                                    "%u bytes at byte %u of a buffer of %zu", length, offset,
                                    bytes.size);
    }
    if (stride > 252) {
        return lmbi_gltf_fail(g, lmbi_json_find(json, "byteStride"), "a stride of at most 252",
                              NULL);
    }
    lmbi_gltf_view *view = &g->view_items[index];
    view->data = bytes.data ? bytes.data + offset : NULL;
    view->size = length;
    view->stride = stride;
    return lmbi_gltf_view_unpack(g, json, view);
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
