// The binary buffer, its views and accessors, and the GLB container.
#include <string.h>

#include "io/base64.h"
#include "io/gltf/write.h"

bool lmbi_gltf_out_fail(lmbi_gltf_out *o, lmb_result code, const char *expected, const char *found)
{
    o->result = lmbi_fail(o->error, code, expected, "%s", found);
    return false;
}

void *lmbi_gltf_out_array(lmbi_gltf_out *o, size_t count, size_t size)
{
    void *array = lmbi_arena_array(&o->arena, count, size);
    if (array == NULL) {
        o->result = lmbi_fail_memory(o->error);
    }
    return array;
}

// ----------------------------------------------------------------------------------------- numbers

static uint8_t *write_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
    return at + 4;
}

void lmbi_gltf_out_u32(lmbi_gltf_out *o, const uint32_t *values, size_t count)
{
    uint8_t *at = lmbi_text_room(&o->binary, count * 4);
    for (size_t k = 0; at && k < count; ++k) {
        at = write_u32(at, values[k]);
    }
}

void lmbi_gltf_out_u16(lmbi_gltf_out *o, const uint32_t *values, size_t count)
{
    uint8_t *at = lmbi_text_room(&o->binary, count * 2);
    for (size_t k = 0; at && k < count; ++k) {
        *at++ = (uint8_t)values[k];
        *at++ = (uint8_t)(values[k] >> 8);
    }
}

void lmbi_gltf_out_floats(lmbi_gltf_out *o, const float *values, size_t count)
{
    uint8_t *at = lmbi_text_room(&o->binary, count * 4);
    for (size_t k = 0; at && k < count; ++k) {
        uint32_t bits = 0;
        memcpy(&bits, &values[k], sizeof bits);
        at = write_u32(at, bits);
    }
}

// -------------------------------------------------------------------------------- views, accessors

size_t lmbi_gltf_out_begin(lmbi_gltf_out *o)
{
    lmbi_text_room(&o->binary, (4 - o->binary.size % 4) % 4);
    return o->binary.size;
}

uint32_t lmbi_gltf_out_view(lmbi_gltf_out *o, size_t begin, uint32_t stride, uint32_t target)
{
    lmbi_json_open(&o->views, NULL, '{');
    lmbi_json_put_int(&o->views, "buffer", 0);
    if (begin > 0) {
        lmbi_json_put_int(&o->views, "byteOffset", (int64_t)begin);
    }
    lmbi_json_put_int(&o->views, "byteLength", (int64_t)(o->binary.size - begin));
    if (stride) {
        lmbi_json_put_int(&o->views, "byteStride", stride);
    }
    if (target) {
        lmbi_json_put_int(&o->views, "target", target);
    }
    lmbi_json_close(&o->views, '}');
    return o->view_count++;
}

static void write_sparse(lmbi_gltf_out *o, const lmbi_gltf_sparse *sparse)
{
    lmbi_json_out *json = &o->accessors;
    lmbi_json_open(json, "sparse", '{');
    lmbi_json_put_int(json, "count", sparse->count);
    lmbi_json_open(json, "indices", '{');
    lmbi_json_put_int(json, "bufferView", sparse->index_view);
    lmbi_json_put_int(json, "componentType", sparse->index_type);
    lmbi_json_close(json, '}');
    lmbi_json_open(json, "values", '{');
    lmbi_json_put_int(json, "bufferView", sparse->value_view);
    lmbi_json_close(json, '}');
    lmbi_json_close(json, '}');
}

uint32_t lmbi_gltf_out_accessor(lmbi_gltf_out *o, const lmbi_gltf_accessor_def *def)
{
    lmbi_json_out *json = &o->accessors;
    lmbi_json_open(json, NULL, '{');
    if (def->view != LMB_NONE) {
        lmbi_json_put_int(json, "bufferView", def->view);
        if (def->offset > 0) {
            lmbi_json_put_int(json, "byteOffset", (int64_t)def->offset);
        }
    }
    lmbi_json_put_int(json, "componentType", def->component_type);
    if (def->normalized) {
        lmbi_json_put_bool(json, "normalized", true);
    }
    lmbi_json_put_int(json, "count", def->count);
    lmbi_json_put_string(json, "type", def->type);
    if (def->bound_count) {
        lmbi_json_put_floats(json, "min", def->low, def->bound_count);
        lmbi_json_put_floats(json, "max", def->high, def->bound_count);
    }
    if (def->sparse.count) {
        write_sparse(o, &def->sparse);
    }
    lmbi_json_close(json, '}');
    return o->accessor_count++;
}

void lmbi_gltf_out_bounds(lmbi_gltf_accessor_def *def, const float *values, uint32_t components,
                          size_t count)
{
    def->bound_count = components;
    for (uint32_t c = 0; c < components; ++c) {
        float low = count ? values[c] : 0, high = low;
        for (size_t k = 1; k < count; ++k) {
            const float value = values[k * components + c];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        def->low[c] = low;
        def->high[c] = high;
    }
}

// --------------------------------------------------------------------------------------- container

static void write_buffer(lmbi_gltf_out *o)
{
    if (o->accessor_count) {
        lmbi_json_open(&o->json, "accessors", '[');
        lmbi_json_put_raw(&o->json, NULL, (const char *)o->accessor_text.data,
                          o->accessor_text.size);
        lmbi_json_close(&o->json, ']');
    }
    if (o->view_count) {
        lmbi_json_open(&o->json, "bufferViews", '[');
        lmbi_json_put_raw(&o->json, NULL, (const char *)o->view_text.data, o->view_text.size);
        lmbi_json_close(&o->json, ']');
    }
    if (o->binary.size == 0) {
        return;
    }
    lmbi_json_open(&o->json, "buffers", '[');
    lmbi_json_open(&o->json, NULL, '{');
    lmbi_json_put_int(&o->json, "byteLength", (int64_t)o->binary.size);
    if (o->opts->text) {
        lmbi_json_put_raw(&o->json, "uri", NULL, 0);
        lmbi_text_add(&o->text, "\"data:application/octet-stream;base64,");
        lmbi_base64_encode(&o->text, o->binary.data, o->binary.size);
        lmbi_text_add(&o->text, "\"");
    }
    lmbi_json_close(&o->json, '}');
    lmbi_json_close(&o->json, ']');
}

static void write_chunk(lmbi_text *file, const char type[4], const lmbi_text *bytes, char pad)
{
    const size_t padding = (4 - bytes->size % 4) % 4;
    uint8_t *head = lmbi_text_room(file, 8);
    if (head) {
        write_u32(head, (uint32_t)(bytes->size + padding));
        memcpy(head + 4, type, 4);
    }
    lmbi_text_bytes(file, bytes->data, bytes->size);
    for (size_t k = 0; k < padding; ++k) {
        lmbi_text_bytes(file, &pad, 1);
    }
}

static bool write_glb(lmbi_gltf_out *o, lmbi_text *file)
{
    // Room for the header, two chunk heads and the padding of both.
    if (o->text.size > UINT32_MAX - 64 || o->binary.size > UINT32_MAX - 64 - o->text.size) {
        return lmbi_gltf_out_fail(o, LMB_ERROR_UNSUPPORTED, "a GLB below 4 GiB", "more");
    }
    uint8_t *head = lmbi_text_room(file, 12);
    if (head) {
        memcpy(head, "glTF", 4);
        write_u32(head + 4, 2);
    }
    write_chunk(file, "JSON", &o->text, ' ');
    if (o->binary.size) {
        write_chunk(file, "BIN\0", &o->binary, '\0');
    }
    if (!file->failed) {
        write_u32(file->data + 8, (uint32_t)file->size);
    }
    return true;
}

bool lmbi_gltf_out_finish(lmbi_gltf_out *o, lmb_buffer *out)
{
    lmbi_text file;
    write_buffer(o);
    lmbi_json_close(&o->json, '}');
    if (o->text.failed || o->binary.failed || o->view_text.failed || o->accessor_text.failed) {
        o->result = lmbi_fail_memory(o->error);
        return false;
    }
    if (o->opts->text) {
        lmbi_text_add(&o->text, "\n");
        file = o->text;
        lmbi_text_init(&o->text, o->alloc);
    } else {
        lmbi_text_init(&file, o->alloc);
        if (!write_glb(o, &file)) {
            lmbi_text_free(&file);
            return false;
        }
    }
    o->result = lmbi_buffer_take(&file, out, o->error);
    return o->result == LMB_OK;
}
