/// The binary encoding: a header of 27 bytes, then nested records. Offsets are 32 bits wide up to
/// version 7400, 64 bits from 7500 on.
#include <string.h>

#include "io/bytes.h"
#include "io/fbx/fbx.h"

#define HEADER_SIZE 27
#define MAGIC "Kaydara FBX Binary  "

typedef struct record {
    uint64_t end;
    uint64_t value_count;
    uint64_t values_size;
    size_t name_at, name_size;
    size_t values_at;
} record;

bool lmbi_fbx_is_binary(const uint8_t *bytes, size_t size)
{
    return size >= sizeof MAGIC - 1 && memcmp(bytes, MAGIC, sizeof MAGIC - 1) == 0;
}

static lmb_result fail_at(const lmbi_fbx *fbx, size_t at, const char *expected, const char *found)
{
    return lmbi_fail_byte(fbx->error, LMB_ERROR_MALFORMED, at, expected, "%s", found);
}

static lmb_result read_record(const lmbi_fbx *fbx, size_t at, size_t limit, record *r)
{
    const size_t word = fbx->version >= 7500 ? 8 : 4;
    if (limit - at < 3 * word + 1) {
        return fail_at(fbx, at, "the head of a node record", "the end of its parent");
    }
    const uint8_t *p = fbx->bytes + at;
    r->end = word == 8 ? lmbi_load_u64(p) : lmbi_load_u32(p);
    r->value_count = word == 8 ? lmbi_load_u64(p + 8) : lmbi_load_u32(p + 4);
    r->values_size = word == 8 ? lmbi_load_u64(p + 16) : lmbi_load_u32(p + 8);
    r->name_size = p[3 * word];
    r->name_at = at + 3 * word + 1;
    r->values_at = r->name_at + r->name_size;
    if (r->end == 0) {
        return LMB_OK;
    }
    if (r->end > limit || r->values_at > r->end || r->values_size > r->end - r->values_at) {
        return fail_at(fbx, at, "a node record inside its parent", "an end, or values, beyond it");
    }
    if (r->value_count > r->values_size) {
        return fail_at(fbx, at, "at least a byte for every value", "more values than bytes");
    }
    return LMB_OK;
}

static bool read_array(const uint8_t *p, size_t left, char code, lmbi_fbx_value *value,
                       size_t *taken)
{
    if (left < 12) {
        return false;
    }
    const uint32_t count = lmbi_load_u32(p), encoding = lmbi_load_u32(p + 4),
                   size = lmbi_load_u32(p + 8);
    const char element = code == 'c' ? 'b' : code;
    if (encoding > 1 || size > left - 12 ||
        (encoding == 0 && (uint64_t)count * lmbi_fbx_element_size(element) > size)) {
        return false;
    }
    *value = (lmbi_fbx_value){.type = LMBI_FBX_ARRAY,
                              .element = element,
                              .deflated = encoding == 1,
                              .count = count,
                              .as.bytes = p + 12,
                              .size = size};
    *taken = 12 + (size_t)size;
    return true;
}

static bool read_text(const uint8_t *p, size_t left, lmbi_fbx_value *value, size_t *taken)
{
    if (left < 4 || lmbi_load_u32(p) > left - 4) {
        return false;
    }
    *value = (lmbi_fbx_value){.type = LMBI_FBX_TEXT, .as.bytes = p + 4, .size = lmbi_load_u32(p)};
    *taken = 4 + value->size;
    return true;
}

static void read_scalar(const uint8_t *p, char code, lmbi_fbx_value *value)
{
    *value = (lmbi_fbx_value){.type = LMBI_FBX_INTEGER};
    if (code == 'Y') {
        value->as.integer = (int16_t)lmbi_load_u16(p);
    } else if (code == 'I') {
        value->as.integer = (int32_t)lmbi_load_u32(p);
    } else if (code == 'L') {
        value->as.integer = (int64_t)lmbi_load_u64(p);
    } else if (code == 'F') {
        value->type = LMBI_FBX_REAL;
        value->as.real = (double)lmbi_load_f32(p);
    } else if (code == 'D') {
        value->type = LMBI_FBX_REAL;
        value->as.real = lmbi_load_f64(p);
    } else {
        value->as.integer = p[0];
    }
}

static size_t scalar_size(char code)
{
    switch (code) {
    case 'C':
    case 'B':
        return 1;
    case 'Y':
        return 2;
    case 'I':
    case 'F':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static lmb_result read_values(lmbi_fbx *fbx, const record *r, lmbi_fbx_node *node)
{
    lmbi_fbx_value *values = lmbi_arena_array(&fbx->arena, (size_t)r->value_count, sizeof *values);
    if (values == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    size_t at = r->values_at;
    const size_t end = r->values_at + (size_t)r->values_size;
    for (size_t i = 0; i < r->value_count; ++i) {
        if (at >= end) {
            return fail_at(fbx, at, "a value", "the end of the node's values");
        }
        const char code = (char)fbx->bytes[at];
        const uint8_t *p = fbx->bytes + at + 1;
        const size_t left = end - at - 1;
        size_t taken = scalar_size(code);
        bool ok = true;
        if (taken > 0) {
            ok = taken <= left;
            if (ok) {
                read_scalar(p, code, &values[i]);
            }
        } else if (code == 'S' || code == 'R') {
            ok = read_text(p, left, &values[i], &taken);
        } else if (code != '\0' && strchr("bcfdil", code)) {
            ok = read_array(p, left, code, &values[i], &taken);
        } else {
            return lmbi_fail_byte(fbx->error, LMB_ERROR_MALFORMED, at,
                                  "a value's type letter, of CBYIFLDSRbcfdil", "byte 0x%02x",
                                  (unsigned char)code);
        }
        if (!ok) {
            return fail_at(fbx, at, "a value inside its node", "one that is longer than the node");
        }
        at += 1 + taken;
    }
    node->values = values;
    node->value_count = (uint32_t)r->value_count;
    return LMB_OK;
}

static lmb_result read_children(lmbi_fbx *fbx, size_t at, size_t limit, int depth,
                                lmbi_fbx_node *parent);

static lmb_result read_node(lmbi_fbx *fbx, const record *r, size_t at, int depth,
                            lmbi_fbx_node **out)
{
    lmbi_fbx_node *node = lmbi_arena_array(&fbx->arena, 1, sizeof *node);
    if (node == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    if (r->value_count > UINT32_MAX) {
        return lmbi_fail_byte(fbx->error, LMB_ERROR_MALFORMED, at, "at most 2^32 - 1 values",
                              "%llu", (unsigned long long)r->value_count);
    }
    node->name = (lmbi_word){(const char *)fbx->bytes + r->name_at, r->name_size};
    node->offset = at;
    lmb_result result = read_values(fbx, r, node);
    const size_t inside = r->values_at + (size_t)r->values_size;
    if (result == LMB_OK && inside < r->end) {
        if (depth >= LMBI_FBX_DEPTH_MAX) {
            return fail_at(fbx, at, "at most 64 levels of nodes", "a deeper one");
        }
        result = read_children(fbx, inside, (size_t)r->end, depth + 1, node);
    }
    *out = node;
    return result;
}

/// A list of records ends with a record of zeros, the top level also with the end of the file.
static lmb_result read_children(lmbi_fbx *fbx, size_t at, size_t limit, int depth,
                                lmbi_fbx_node *parent)
{
    lmbi_fbx_node **tail = &parent->child;
    while (at < limit) {
        record r = {0};
        lmb_result result = read_record(fbx, at, limit, &r);
        if (result != LMB_OK) {
            return result;
        }
        if (r.end == 0) {
            return LMB_OK;
        }
        result = read_node(fbx, &r, at, depth, tail);
        if (result != LMB_OK) {
            return result;
        }
        tail = &(*tail)->next;
        at = (size_t)r.end;
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_parse_binary(lmbi_fbx *fbx)
{
    if (fbx->size < HEADER_SIZE) {
        return fail_at(fbx, 0, "an FBX header of 27 bytes", "the end of the file");
    }
    if (fbx->bytes[22] != 0) {
        return lmbi_fail_byte(fbx->error, LMB_ERROR_UNSUPPORTED, 22, "a little-endian FBX file",
                              "a big-endian one");
    }
    fbx->version = lmbi_load_u32(fbx->bytes + 23);
    if (fbx->version < 5000 || fbx->version >= 8000) {
        return lmbi_fail_byte(fbx->error, LMB_ERROR_UNSUPPORTED, 23,
                              "an FBX version from 5000 to 7700", "version %u",
                              (unsigned)fbx->version);
    }
    return read_children(fbx, HEADER_SIZE, fbx->size, 1, &fbx->root);
}
