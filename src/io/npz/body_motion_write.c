/// Archives of stored arrays: ZIP (APPNOTE 6.3) around .npy of version 1.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/inflate.h"
#include "base/text.h"
#include "io/bytes.h"
#include "limber/io.h"

enum { ARRAYS_MAX = 8, LOCAL = 30, CENTRAL = 46, END = 22 };

/// One array of the archive, as its directory lists it.
typedef struct member {
    char name[32];
    uint32_t crc, size, offset;
} member;

typedef struct archive {
    lmbi_text text;
    member members[ARRAYS_MAX];
    uint32_t count;
} archive;

/// The part that local headers and the directory share, from the version on: no flags, stored,
/// dated with the format's first day, so that the same motion gives the same bytes.
static void fill_head(uint8_t *at, const member *m)
{
    lmbi_store_bytes(at, 20, 2);
    lmbi_store_bytes(at + 8, 1u << 5 | 1, 2); // the first of January 1980
    lmbi_store_bytes(at + 10, m->crc, 4);
    lmbi_store_bytes(at + 14, m->size, 4);
    lmbi_store_bytes(at + 18, m->size, 4);
    lmbi_store_bytes(at + 22, strlen(m->name), 2);
}

/// `shape` as Python writes tuples: "(3,)", "(3, 4)".
static void add_array(archive *a, const char *name, const char *type, const char *shape,
                      const void *data, size_t size)
{
    member *m = &a->members[a->count++];
    snprintf(m->name, sizeof m->name, "%s.npy", name);
    m->offset = (uint32_t)a->text.size;
    uint8_t *head = lmbi_text_room(&a->text, LOCAL);
    if (head != NULL) {
        lmbi_store_bytes(head, 0x04034b50, 4);
    }
    lmbi_text_add(&a->text, m->name);
    const size_t begin = a->text.size;
    char npy[128];
    const int length = snprintf(
        npy, sizeof npy, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    // The header is padded with blanks so that the numbers begin at a multiple of 64.
    const size_t padded = (10 + (size_t)length + 1 + 63) / 64 * 64;
    uint8_t size_bytes[2];
    lmbi_store_bytes(size_bytes, padded - 10, 2);
    lmbi_text_bytes(&a->text, "\x93NUMPY\x01\x00", 8);
    lmbi_text_bytes(&a->text, size_bytes, 2);
    lmbi_text_add(&a->text, npy);
    for (size_t k = 10 + (size_t)length + 1; k < padded; ++k) {
        lmbi_text_add(&a->text, " ");
    }
    lmbi_text_add(&a->text, "\n");
    lmbi_text_bytes(&a->text, data, size);
    if (!a->text.failed) {
        m->size = (uint32_t)(a->text.size - begin);
        m->crc = lmbi_crc32(0, a->text.data + begin, m->size);
        fill_head(a->text.data + m->offset + 4, m);
    }
}

static void add_directory(archive *a)
{
    const size_t begin = a->text.size;
    for (uint32_t k = 0; k < a->count; ++k) {
        const member *m = &a->members[k];
        uint8_t *at = lmbi_text_room(&a->text, CENTRAL);
        if (at != NULL) {
            lmbi_store_bytes(at, 0x02014b50, 4);
            lmbi_store_bytes(at + 4, 20, 2);
            fill_head(at + 6, m);
            lmbi_store_bytes(at + 42, m->offset, 4);
        }
        lmbi_text_add(&a->text, m->name);
    }
    const size_t size = a->text.size - begin;
    uint8_t *at = lmbi_text_room(&a->text, END);
    if (at != NULL) {
        lmbi_store_bytes(at, 0x06054b50, 4);
        lmbi_store_bytes(at + 8, a->count, 2);
        lmbi_store_bytes(at + 10, a->count, 2);
        lmbi_store_bytes(at + 12, size, 4);
        lmbi_store_bytes(at + 16, begin, 4);
    }
}

/// Little-endian floats, whatever the machine.
static void add_floats(archive *a, lmbi_arena *arena, const char *name, const char *shape,
                       const float *values, size_t count)
{
    uint8_t *bytes = lmbi_arena_array(arena, count, 4);
    if (bytes == NULL) {
        a->text.failed = true;
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        lmbi_store_bytes(bytes + 4 * k, bits, 4);
    }
    add_array(a, name, "<f4", shape, bytes, 4 * count);
}

static void add_all(archive *a, lmbi_arena *arena, const lmb_body_motion *m)
{
    char shape[48];
    const size_t rows = m->frame_count;
    static const uint8_t neutral[28] = {'n', 0, 0,   0, 'e', 0, 0,   0, 'u', 0, 0,   0, 't', 0,
                                        0,   0, 'r', 0, 0,   0, 'a', 0, 0,   0, 'l', 0, 0,   0};
    snprintf(shape, sizeof shape, "(%u, %u)", m->frame_count, 3 * m->joint_count);
    add_floats(a, arena, "poses", shape, &m->rotations->x, rows * m->joint_count * 3);
    snprintf(shape, sizeof shape, "(%u, 3)", m->frame_count);
    add_floats(a, arena, "trans", shape, &m->translations->x, rows * 3);
    snprintf(shape, sizeof shape, "(%u,)", m->shape_count);
    add_floats(a, arena, "betas", shape, m->shape, m->shape_count);
    add_floats(a, arena, "mocap_framerate", "()", &m->frame_rate, 1);
    add_array(a, "gender", "<U7", "()", neutral, sizeof neutral);
    add_directory(a);
}

lmb_result lmb_body_motion_write(const lmb_body_motion *motion, const lmb_allocator *alloc,
                                 lmb_buffer *out, lmb_error *error)
{
    if ((uint64_t)motion->frame_count * (motion->joint_count + 1) > UINT32_C(1) << 28) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "archives of less than 4 GiB",
                         "one of %u frames of %u joints", motion->frame_count, motion->joint_count);
    }
    archive a = {.count = 0};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_text_init(&a.text, alloc);
    add_all(&a, &arena, motion);
    lmbi_arena_free(&arena);
    return lmbi_buffer_take(&a.text, out, error);
}
