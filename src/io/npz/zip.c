// PKWARE's APPNOTE 6.3: 4.3.7 local header, 4.3.12 central directory, 4.3.14 to 4.3.16 its ends,
// 4.5.3 ZIP64.
#include "io/npz/zip.h"

#include <string.h>

#include "base/error.h"
#include "base/inflate.h"
#include "io/bytes.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END64 = 0x06064b50,
    LOCATOR64 = 0x07064b50,
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR64_SIZE = 20,
    COMMENT_MOST = 65535,
    /// DEFLATE expands two bits to at most 258 bytes.
    MOST_PER_BYTE = 1032,
};

/// Position of the end record of the central directory, which a comment may follow; SIZE_MAX when
/// there is none.
static size_t find_end(const uint8_t *bytes, size_t size)
{
    if (size < END_SIZE) {
        return SIZE_MAX;
    }
    const size_t least = size - END_SIZE > COMMENT_MOST ? size - END_SIZE - COMMENT_MOST : 0;
    for (size_t at = size - END_SIZE + 1; at-- > least;) {
        if (lmbi_load_u32(bytes + at) == END &&
            lmbi_load_u16(bytes + at + 20) <= size - END_SIZE - at) {
            return at;
        }
    }
    return SIZE_MAX;
}

typedef struct directory {
    uint64_t count, size, offset;
    size_t end; ///< where the directory must end
} directory;

/// Reads ZIP64's second end record, just before the first one, which holds the values that do not
/// fit there. A locator points to it.
static lmb_result read_end64(const uint8_t *bytes, size_t end, directory *d, lmb_error *error)
{
    if (end < LOCATOR64_SIZE || lmbi_load_u32(bytes + end - LOCATOR64_SIZE) != LOCATOR64) {
        return LMB_OK; // not ZIP64: an archive of exactly 65535 members
    }
    const size_t locator = end - LOCATOR64_SIZE;
    uint64_t at = lmbi_load_u64(bytes + locator + 8);
    if (locator >= END64_SIZE && lmbi_load_u32(bytes + locator - END64_SIZE) == END64) {
        // its position without extensions, whatever precedes the archive in the file
        at = locator - END64_SIZE;
    }
    if (locator < END64_SIZE || at > locator - END64_SIZE || lmbi_load_u32(bytes + at) != END64) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, locator, "the ZIP64 end of the directory",
                              "offset %llu, where there is none", (unsigned long long)at);
    }
    *d = (directory){lmbi_load_u64(bytes + at + 32), lmbi_load_u64(bytes + at + 40),
                     lmbi_load_u64(bytes + at + 48), (size_t)at};
    return LMB_OK;
}

lmb_result lmbi_zip_open(const void *data, size_t size, lmbi_zip *out, lmb_error *error)
{
    const uint8_t *bytes = data;
    const size_t end = find_end(bytes, size);
    if (end == SIZE_MAX) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, size,
                              "the end of a ZIP archive's directory", "the end of the file");
    }
    directory d = {lmbi_load_u16(bytes + end + 10), lmbi_load_u32(bytes + end + 12),
                   lmbi_load_u32(bytes + end + 16), end};
    if (d.count == 0xffff || d.size == 0xffffffff || d.offset == 0xffffffff) {
        const lmb_result result = read_end64(bytes, end, &d, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    if (d.size > d.end || d.offset > d.end - d.size || d.count > d.size / CENTRAL_SIZE) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, end, "a directory inside the file",
                              "%llu members in %llu bytes at %llu", (unsigned long long)d.count,
                              (unsigned long long)d.size, (unsigned long long)d.offset);
    }
    // The difference between the directory's position and its stated offset is the size of what was
    // put before the archive later.
    const size_t begin = d.end - (size_t)d.size;
    *out = (lmbi_zip){bytes, size, begin, d.end, d.count, begin - (size_t)d.offset, size};
    return LMB_OK;
}

/// Reads sizes of 0xffffffff from the extra field 1, which has them in this order.
static bool read_zip64(const uint8_t *extra, size_t size, lmbi_zip_member *m, uint64_t *header)
{
    uint64_t *const wanted[] = {&m->size, &m->packed_size, header};
    while (size >= 4) {
        const size_t length = lmbi_load_u16(extra + 2);
        if (length > size - 4) {
            return false;
        }
        if (lmbi_load_u16(extra) == 1) {
            size_t at = 0;
            for (int k = 0; k < 3; ++k) {
                if (*wanted[k] == 0xffffffff) {
                    if (length - at < 8) {
                        return false;
                    }
                    *wanted[k] = lmbi_load_u64(extra + 4 + at);
                    at += 8;
                }
            }
            return true;
        }
        extra += 4 + length;
        size -= 4 + length;
    }
    return m->size != 0xffffffff && m->packed_size != 0xffffffff && *header != 0xffffffff;
}

lmb_result lmbi_zip_next(lmbi_zip *zip, lmbi_zip_member *out, bool *more, lmb_error *error)
{
    *more = zip->left > 0;
    if (!*more) {
        return LMB_OK;
    }
    const uint8_t *at = zip->bytes + zip->at;
    const size_t room = zip->end - zip->at;
    if (room < CENTRAL_SIZE || lmbi_load_u32(at) != CENTRAL) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, zip->at, "an entry of the directory",
                              "%zu bytes that begin with 0x%08x", room,
                              room < 4 ? 0u : (unsigned)lmbi_load_u32(at));
    }
    const size_t name = lmbi_load_u16(at + 28), extra = lmbi_load_u16(at + 30),
                 comment = lmbi_load_u16(at + 32);
    if (name + extra + comment > room - CENTRAL_SIZE) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, zip->at,
                              "an entry that ends in the directory", "one that ends behind");
    }
    uint64_t header = lmbi_load_u32(at + 42);
    *out = (lmbi_zip_member){
        .name = {(const char *)at + CENTRAL_SIZE, name},
        .method = lmbi_load_u16(at + 10),
        .crc = lmbi_load_u32(at + 16),
        .packed_size = lmbi_load_u32(at + 20),
        .size = lmbi_load_u32(at + 24),
        .encrypted = (lmbi_load_u16(at + 8) & 1) != 0,
    };
    if (!read_zip64(at + CENTRAL_SIZE + name, extra, out, &header) ||
        header > zip->size - zip->base) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, zip->at, "a member inside the file",
                              "one outside");
    }
    if (out->packed_size > zip->unclaimed) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, zip->at, "members that lie side by side",
                              "more packed bytes than the file has");
    }
    zip->unclaimed -= (size_t)out->packed_size;
    out->header = zip->base + (size_t)header;
    zip->at += CENTRAL_SIZE + name + extra + comment;
    --zip->left;
    return LMB_OK;
}

lmb_result lmbi_zip_packed(const lmbi_zip *zip, const lmbi_zip_member *m, lmb_bytes *out,
                           lmb_error *error)
{
    const uint8_t *at = zip->bytes + m->header;
    const size_t room = zip->size - m->header;
    if (m->encrypted || (m->method != 0 && m->method != 8)) {
        return lmbi_fail_byte(error, LMB_ERROR_UNSUPPORTED, m->header,
                              "members that are stored or deflated",
                              m->encrypted ? "%.*s, encrypted" : "%.*s, packed otherwise",
                              m->name.size > 100 ? 100 : (int)m->name.size, m->name.at);
    }
    if (room < LOCAL_SIZE || lmbi_load_u32(at) != LOCAL ||
        room - LOCAL_SIZE < (size_t)lmbi_load_u16(at + 26) + lmbi_load_u16(at + 28)) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, m->header, "the header of a member",
                              "%zu bytes that begin with 0x%08x", room,
                              room < 4 ? 0u : (unsigned)lmbi_load_u32(at));
    }
    const size_t head = LOCAL_SIZE + (size_t)lmbi_load_u16(at + 26) + lmbi_load_u16(at + 28);
    const bool fits =
        m->method == 0 ? m->size == m->packed_size : m->size / MOST_PER_BYTE <= m->packed_size;
    if (m->packed_size > room - head || !fits) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, m->header,
                              "as many bytes as the directory says", "%zu for %llu that make %llu",
                              room - head, (unsigned long long)m->packed_size,
                              (unsigned long long)m->size);
    }
    *out = (lmb_bytes){at + head, (size_t)m->packed_size};
    return LMB_OK;
}

lmb_result lmbi_zip_unpack(const lmbi_zip *zip, const lmbi_zip_member *m, uint8_t *out,
                           lmb_error *error)
{
    lmb_bytes packed = {0};
    lmb_result result = lmbi_zip_packed(zip, m, &packed, error);
    if (result != LMB_OK) {
        return result;
    }
    const size_t size = (size_t)m->size, begin = (size_t)(packed.data - zip->bytes);
    if (m->method == 0 && size > 0 && packed.data != NULL) {
        memcpy(out, packed.data, size);
    } else if (m->method != 0) {
        lmbi_inflated done = {0};
        result = lmbi_inflate(packed.data, packed.size, out, size, &done, error);
        if (result != LMB_OK) {
            if (error != NULL) {
                error->offset += begin;
            }
            return result;
        }
        if (done.out_size != size) {
            return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, begin, "as many bytes as declared",
                                  "%zu instead of %zu", done.out_size, size);
        }
    }
    const uint32_t crc = lmbi_crc32(0, out, size);
    if (crc != m->crc) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, begin, "the CRC-32 of the data",
                              "%08x for data of %08x", m->crc, crc);
    }
    return LMB_OK;
}
