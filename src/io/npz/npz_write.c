/// Archives of stored arrays: ZIP (APPNOTE 6.3) around .npy of version 1.
#include "io/npz/npz_write.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/inflate.h"
#include "io/bytes.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22 };

typedef lmbi_npz_member member;
typedef lmbi_npz_writer archive;

/// The part common to local headers and the directory, from the version on: no flags, stored,
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

void lmbi_npz_write_array(lmbi_npz_writer *a, const char *name, const char *type, const char *shape,
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

void lmbi_npz_write_end(lmbi_npz_writer *a)
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

void lmbi_npz_write_words(lmbi_npz_writer *a, const char *name, const char *type, const char *shape,
                          const void *words, size_t count)
{
    uint8_t *bytes = lmbi_alloc_array(a->alloc, count, 4);
    if (bytes == NULL && count > 0) {
        a->text.failed = true;
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, (const uint8_t *)words + 4 * k, sizeof bits);
        lmbi_store_bytes(bytes + 4 * k, bits, 4);
    }
    lmbi_npz_write_array(a, name, type, shape, bytes, 4 * count);
    lmbi_free(a->alloc, bytes);
}

void lmbi_npz_write_start(lmbi_npz_writer *a, const lmb_allocator *alloc)
{
    *a = (lmbi_npz_writer){.alloc = alloc};
    lmbi_text_init(&a->text, alloc);
}
