// Views whose bytes meshoptimizer packed: EXT_meshopt_compression, KHR_meshopt_compression.
#include "io/gltf/gltf.h"
#include "io/meshopt.h"

static const char *const extension_names[] = {"KHR_meshopt_compression", "EXT_meshopt_compression"};

/// What the extension says of a buffer or a view; NULL where it says nothing.
static const lmbi_json *packing_of(const lmbi_json *object)
{
    const lmbi_json *extensions = lmbi_json_find(object, "extensions"), *found = NULL;
    for (size_t k = 0; extensions && extensions->type == LMBI_JSON_OBJECT && k < 2 && !found; ++k) {
        found = lmbi_json_find(extensions, extension_names[k]);
    }
    return found && found->type == LMBI_JSON_OBJECT ? found : NULL;
}

bool lmbi_gltf_is_fallback(lmbi_gltf *g, const lmbi_json *buffer, bool *out)
{
    const lmbi_json *packing = packing_of(buffer);
    *out = false;
    return packing == NULL || lmbi_gltf_bool(g, packing, "fallback", out);
}

/// The index of a member's text in a list of names that ends with NULL; the first one when absent.
static bool read_name(lmbi_gltf *g, const lmbi_json *packing, const char *key,
                      const char *const *names, const char *expected, uint32_t *out)
{
    const lmbi_json *value = NULL;
    *out = 0;
    if (!lmbi_gltf_member(g, packing, key, LMBI_JSON_STRING, &value) || value == NULL) {
        return g->result == LMB_OK;
    }
    while (names[*out] != NULL && !lmbi_json_string_is(value, names[*out])) {
        ++*out;
    }
    return names[*out] != NULL || lmbi_gltf_fail(g, value, expected, NULL);
}

static bool read_array(lmbi_gltf *g, const lmbi_json *packing, lmbi_meshopt_array *out)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES", NULL};
    static const char *const filters[] = {"NONE",        "OCTAHEDRAL", "QUATERNION",
                                          "EXPONENTIAL", "COLOR",      NULL};
    uint32_t mode = 0, filter = 0;
    if (!read_name(g, packing, "mode", modes, "ATTRIBUTES, TRIANGLES or INDICES", &mode) ||
        !read_name(g, packing, "filter", filters,
                   "NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR", &filter) ||
        !lmbi_gltf_required_u32(g, packing, "count", &out->count) ||
        !lmbi_gltf_required_u32(g, packing, "byteStride", &out->stride)) {
        return false;
    }
    out->mode = (lmbi_meshopt_mode)mode;
    out->filter = (lmbi_meshopt_filter)filter;
    return lmbi_meshopt_is_valid(out) ||
           lmbi_gltf_fail_found(g, packing, "a count and stride that the mode and filter can have",
                                "%u elements of %u bytes", out->count, out->stride);
}

bool lmbi_gltf_view_unpack(lmbi_gltf *g, const lmbi_json *json, lmbi_gltf_view *view)
{
    const lmbi_json *packing = view->data == NULL ? packing_of(json) : NULL;
    lmbi_meshopt_array array = {0};
    uint32_t buffer = 0, offset = 0, length = 0;
    if (packing == NULL) {
        return true;
    }
    if (!lmbi_gltf_required_index(g, packing, "buffer", g->buffers.count, &buffer) ||
        !lmbi_gltf_required_u32(g, packing, "byteLength", &length) ||
        !lmbi_gltf_u32(g, packing, "byteOffset", 0, &offset) || !read_array(g, packing, &array)) {
        return false;
    }
    const lmb_bytes bytes = g->buffer_bytes[buffer];
    if (offset > bytes.size || length > bytes.size - offset) {
        return lmbi_gltf_fail_found(g, packing, "packed bytes inside their buffer",
                                    "%u bytes at byte %u of a buffer of %zu", length, offset,
                                    bytes.size);
    }
    if ((uint64_t)array.count * array.stride != view->size) {
        return lmbi_gltf_fail_found(g, packing, "as many bytes as the view has",
                                    "%u elements of %u bytes for %zu", array.count, array.stride,
                                    view->size);
    }
    if (bytes.data == NULL || view->size == 0) {
        return true; // an error only when an accessor reads it
    }
    if (!lmbi_gltf_spend(g, packing, array.count, array.stride)) {
        return false;
    }
    uint8_t *out = lmbi_gltf_array(g, array.count, array.stride);
    view->data = out;
    return out != NULL && (lmbi_meshopt_unpack(&array, bytes.data + offset, length, out) ||
                           lmbi_gltf_fail(g, packing, "bytes that unpack to the whole view",
                                          "a stream that does not"));
}
