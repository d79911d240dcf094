// The GLB container (glTF 2.0, chapter 4.4): a header and chunks, the first of them JSON.
#include <string.h>

#include "io/bytes.h"
#include "io/gltf/gltf.h"

enum {
    HEADER_SIZE = 12,
    CHUNK_HEAD_SIZE = 8,
    MAGIC = 0x46546C67,      // "glTF"
    CHUNK_JSON = 0x4E4F534A, // "JSON"
    CHUNK_BIN = 0x004E4942,  // "BIN\0"
};

static bool fail_byte(lmbi_gltf *g, lmb_result code, size_t offset, const char *expected,
                      const char *what, unsigned long value)
{
    g->result = lmbi_fail_byte(g->error, code, offset, expected, what, value);
    return false;
}

/// Reads the chunk at `offset`; the caller has checked that its 8-byte header is inside the file.
static bool read_chunk(lmbi_gltf *g, const uint8_t *file, size_t end, size_t offset, uint32_t *type,
                       lmb_bytes *chunk)
{
    if (end - offset < CHUNK_HEAD_SIZE) {
        return fail_byte(g, LMB_ERROR_MALFORMED, offset, "a chunk header of 8 bytes", "%lu bytes",
                         (unsigned long)(end - offset));
    }
    const uint32_t size = lmbi_load_u32(file + offset);
    *type = lmbi_load_u32(file + offset + 4);
    const size_t left = end - offset - CHUNK_HEAD_SIZE;
    if (size > left) {
        return fail_byte(g, LMB_ERROR_MALFORMED, offset, "a chunk that ends in the file",
                         "a chunk of %lu bytes", size);
    }
    if (size % 4 != 0) {
        lmbi_note(g->opts->notes, 0, "the length of the chunk at byte %zu is no multiple of 4",
                  offset);
    }
    chunk->data = file + offset + CHUNK_HEAD_SIZE;
    chunk->size = size;
    return true;
}

static bool read_header(lmbi_gltf *g, const uint8_t *file, size_t size, size_t *end)
{
    if (size < HEADER_SIZE) {
        return fail_byte(g, LMB_ERROR_MALFORMED, size, "a GLB header of 12 bytes", "%lu bytes",
                         (unsigned long)size);
    }
    const uint32_t version = lmbi_load_u32(file + 4);
    if (version != 2) {
        return fail_byte(g, LMB_ERROR_UNSUPPORTED, 4, "GLB version 2", "GLB version %lu", version);
    }
    const uint32_t length = lmbi_load_u32(file + 8);
    if (length > size || length < HEADER_SIZE + CHUNK_HEAD_SIZE) {
        return fail_byte(g, LMB_ERROR_MALFORMED, 8, "the file's length", "%lu", length);
    }
    *end = length;
    return true;
}

static bool read_glb(lmbi_gltf *g, const uint8_t *file, size_t size)
{
    size_t end = 0;
    uint32_t type = 0;
    lmb_bytes chunk = {0};
    if (!read_header(g, file, size, &end) ||
        !read_chunk(g, file, end, HEADER_SIZE, &type, &chunk)) {
        return false;
    }
    if (type != CHUNK_JSON) {
        return fail_byte(g, LMB_ERROR_MALFORMED, HEADER_SIZE + 4, "a JSON chunk first",
                         "chunk type 0x%08lx", type);
    }
    g->text = (const char *)chunk.data;
    g->text_size = chunk.size;
    g->text_offset = HEADER_SIZE + CHUNK_HEAD_SIZE;
    if (chunk.size >= 3 && memcmp(chunk.data, "\xEF\xBB\xBF", 3) == 0) {
        return fail_byte(g, LMB_ERROR_MALFORMED, g->text_offset, "JSON", "a byte order mark", 0);
    }
    size_t offset = g->text_offset + chunk.size;
    if (offset < end) {
        if (!read_chunk(g, file, end, offset, &type, &chunk)) {
            return false;
        }
        if (type == CHUNK_BIN) {
            g->chunk = chunk;
        }
        offset += CHUNK_HEAD_SIZE + chunk.size;
    }
    // Chunks of unknown types are skipped, but must be complete.
    while (offset < end) {
        if (!read_chunk(g, file, end, offset, &type, &chunk)) {
            return false;
        }
        if (type == CHUNK_BIN || type == CHUNK_JSON) {
            return fail_byte(g, LMB_ERROR_MALFORMED, offset + 4,
                             "one JSON and one binary chunk, in that order", "chunk type 0x%08lx",
                             type);
        }
        offset += CHUNK_HEAD_SIZE + chunk.size;
    }
    return true;
}

static bool check_asset(lmbi_gltf *g)
{
    const lmbi_json *asset = NULL, *version = NULL, *least = NULL;
    if (!lmbi_gltf_member(g, g->root, "asset", LMBI_JSON_OBJECT, &asset)) {
        return false;
    }
    if (asset == NULL) {
        return lmbi_gltf_fail(g, g->root, "an asset object", "none");
    }
    if (!lmbi_gltf_member(g, asset, "version", LMBI_JSON_STRING, &version) ||
        !lmbi_gltf_member(g, asset, "minVersion", LMBI_JSON_STRING, &least)) {
        return false;
    }
    if (version == NULL) {
        return lmbi_gltf_fail(g, asset, "a version", "none");
    }
    if (version->size < 4 || memcmp(version->at, "\"2.", 3) != 0) {
        return lmbi_gltf_unsupported(g, version, "glTF version 2", NULL);
    }
    if (least && !lmbi_json_string_is(least, "2.0")) {
        return lmbi_gltf_unsupported(g, least, "a file that needs no more than glTF 2.0", NULL);
    }
    return true;
}

bool lmbi_gltf_open(lmbi_gltf *g, const void *bytes, size_t size)
{
    const uint8_t *file = bytes;
    g->binary = size >= 4 && lmbi_load_u32(file) == MAGIC;
    if (g->binary) {
        if (!read_glb(g, file, size)) {
            return false;
        }
    } else {
        g->text = bytes;
        g->text_size = size;
    }
    // Accessors may decode the same bytes repeatedly; the budget bounds the total.
    lmbi_gltf_budget_add(g, size);
    lmbi_json *root = NULL;
    g->result = lmbi_json_read(&g->arena, g->text, g->text_size, &root, g->error);
    if (g->result != LMB_OK) {
        if (g->binary && g->error && g->result == LMB_ERROR_MALFORMED) {
            g->error->offset += g->text_offset;
            g->error->line = g->error->column = 0;
        }
        return false;
    }
    g->root = root;
    if (root->type != LMBI_JSON_OBJECT) {
        return lmbi_gltf_fail(g, root, "a JSON object", NULL);
    }
    return check_asset(g) && lmbi_gltf_extensions_check(g);
}
