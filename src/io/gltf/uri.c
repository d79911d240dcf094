// URIs of buffers and pictures: data URIs (RFC 2397) decoded here, names of files beside for the
// caller's loader.
#include <string.h>

#include "base/hex.h"

#include "io/base64.h"
#include "io/external.h"
#include "io/gltf/gltf.h"

/// Resolves %XX in place; returns the new length. Bytes that would end the string stay as they are.
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
