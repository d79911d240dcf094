#include <math.h>
#include <string.h>

#include "io/bytes.h"
#include "io/surface/ply.h"

static const struct {
    const char *name;
    lmbi_ply_type type;
} type_names[] = {
    {"char", LMBI_PLY_I8},     {"int8", LMBI_PLY_I8},     {"uchar", LMBI_PLY_U8},
    {"uint8", LMBI_PLY_U8},    {"short", LMBI_PLY_I16},   {"int16", LMBI_PLY_I16},
    {"ushort", LMBI_PLY_U16},  {"uint16", LMBI_PLY_U16},  {"int", LMBI_PLY_I32},
    {"int32", LMBI_PLY_I32},   {"uint", LMBI_PLY_U32},    {"uint32", LMBI_PLY_U32},
    {"float", LMBI_PLY_F32},   {"float32", LMBI_PLY_F32}, {"double", LMBI_PLY_F64},
    {"float64", LMBI_PLY_F64},
};

static const size_t type_sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

static lmbi_ply_type type_of(lmbi_word word)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; ++i) {
        if (lmbi_word_is_exact(word, type_names[i].name)) {
            return type_names[i].type;
        }
    }
    return LMBI_PLY_NONE;
}

static bool read_type(lmbi_scan *scan, lmbi_ply_type *type)
{
    const lmbi_scan before = *scan;
    *type = type_of(lmbi_scan_word(scan));
    if (*type == LMBI_PLY_NONE) {
        *scan = before;
    }
    return *type != LMBI_PLY_NONE;
}

static lmb_result read_property(lmbi_ply *ply, lmbi_ply_property ***tail)
{
    lmbi_ply_property *property = lmbi_arena_array(ply->arena, 1, sizeof *property);
    lmbi_scan peek = ply->scan;
    if (property == NULL) {
        return lmbi_fail_memory(ply->error);
    }
    if (lmbi_word_is_exact(lmbi_scan_word(&peek), "list")) {
        ply->scan = peek;
        if (!read_type(&peek, &property->count_type) || property->count_type >= LMBI_PLY_F32) {
            return lmbi_scan_fail(&ply->scan, ply->error, "an integer type for the list's count");
        }
        ply->scan = peek;
    }
    if (!read_type(&ply->scan, &property->type)) {
        return lmbi_scan_fail(&ply->scan, ply->error, "a property type: char … double, or list");
    }
    property->name = lmbi_scan_rest(&ply->scan);
    property->field = -1;
    if (property->name.size == 0) {
        return lmbi_scan_fail(&ply->scan, ply->error, "the property's name");
    }
    **tail = property;
    *tail = &property->next;
    return LMB_OK;
}

static lmb_result read_element(lmbi_ply *ply, lmbi_ply_element **out)
{
    lmbi_ply_element *element = lmbi_arena_array(ply->arena, 1, sizeof *element);
    double count = 0;
    if (element == NULL) {
        return lmbi_fail_memory(ply->error);
    }
    element->name = lmbi_scan_word(&ply->scan);
    lmbi_scan before = ply->scan;
    if (!lmbi_scan_number(&ply->scan, &count) || !(count >= 0) || count > floor(count) ||
        count > 9e15) {
        return lmbi_scan_fail(&before, ply->error, "the element's count");
    }
    element->count = (uint64_t)count;
    *out = element;
    return LMB_OK;
}

static lmb_result read_format(lmbi_ply *ply)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const lmbi_scan before = ply->scan;
    const lmbi_word word = lmbi_scan_word(&ply->scan);
    for (int i = 0; i < 3; ++i) {
        if (lmbi_word_is_exact(word, names[i])) {
            ply->encoding = (lmbi_ply_encoding)i;
            return LMB_OK;
        }
    }
    ply->scan = before;
    return lmbi_scan_fail(&ply->scan, ply->error,
                          "ascii, binary_little_endian or binary_big_endian");
}

/// Checks counts against the bytes that follow: a value takes at least one byte in binary, two in
/// text (the last one of the file one).
static lmb_result check_counts(lmbi_ply *ply)
{
    uint64_t left =
        (uint64_t)(ply->encoding == LMBI_PLY_ASCII ? (size_t)(ply->scan.end - ply->scan.at) + 1
                                                   : ply->size - ply->at);
    for (const lmbi_ply_element *e = ply->elements; e; e = e->next) {
        uint64_t least = 0;
        for (const lmbi_ply_property *p = e->properties; p; p = p->next) {
            least += ply->encoding == LMBI_PLY_ASCII
                         ? 2
                         : type_sizes[p->count_type ? p->count_type : p->type];
        }
        if (least && e->count > left / least) {
            lmbi_scan start;
            lmbi_scan_init(&start, ply->bytes, ply->size);
            return lmbi_fail_at(&start, e->name.at, ply->error,
                                "no more elements than the file holds");
        }
        left -= least * e->count;
    }
    return LMB_OK;
}

/// Moves past the line end. Binary data begins right after it, and its first bytes may look like
/// blanks.
static void end_header(lmbi_ply *ply, bool crlf)
{
    const char *at = ply->scan.at;
    while (at < ply->scan.end && *at != '\n' && *at != '\r') {
        ++at;
    }
    at += at < ply->scan.end;
    if (crlf && at < ply->scan.end && at[-1] == '\r' && *at == '\n') {
        ++at;
    }
    ply->at = (size_t)(at - (const char *)ply->bytes);
    lmbi_scan_next_line(&ply->scan);
}

/// Rows may go over several lines, or share one. Where there is a line for each, a row ends with it.
static bool has_line_for_each(const lmbi_ply *ply)
{
    uint64_t rows = 0, lines = 0;
    for (const lmbi_ply_element *e = ply->elements; e; e = e->next) {
        rows += e->properties ? e->count : 0;
    }
    lmbi_scan scan = ply->scan;
    while (lmbi_scan_space(&scan), !lmbi_scan_done(&scan)) {
        ++lines;
        lmbi_scan_next_line(&scan);
    }
    return lines == rows;
}

lmb_result lmbi_ply_header(lmbi_ply *ply, const void *bytes, size_t size)
{
    lmbi_ply_element *element = NULL;
    lmbi_ply_property **tail = NULL;
    ply->bytes = bytes;
    ply->size = size;
    lmbi_scan_init(&ply->scan, bytes, size);
    lmb_result result = lmbi_text_check(bytes, size, ply->error);
    if (result != LMB_OK) {
        return result;
    }
    if (size < 4 || memcmp(bytes, "ply", 3) != 0 ||
        (ply->bytes[3] != '\n' && ply->bytes[3] != '\r')) {
        return lmbi_scan_fail(&ply->scan, ply->error, "ply");
    }
    const bool crlf = ply->bytes[3] == '\r' && size > 4 && ply->bytes[4] == '\n';
    bool has_format = false;
    lmbi_scan_next_line(&ply->scan);
    while (result == LMB_OK) {
        lmbi_scan_space(&ply->scan);
        const lmbi_scan before = ply->scan;
        const lmbi_word word = lmbi_scan_word(&ply->scan);
        if (lmbi_word_is_exact(word, "format")) {
            result = read_format(ply);
            has_format = true;
        } else if (lmbi_word_is_exact(word, "element") && has_format) {
            lmbi_ply_element *next = NULL;
            result = read_element(ply, &next);
            *(element ? &element->next : &ply->elements) = next;
            element = next;
            tail = next ? &next->properties : NULL;
        } else if (lmbi_word_is_exact(word, "property") && element) {
            result = read_property(ply, &tail);
        } else if (lmbi_word_is_exact(word, "end_header") && has_format) {
            end_header(ply, crlf);
            ply->row_is_line = ply->encoding == LMBI_PLY_ASCII && has_line_for_each(ply);
            return check_counts(ply);
        } else if (!lmbi_word_is_exact(word, "comment") && !lmbi_word_is_exact(word, "obj_info")) {
            ply->scan = before;
            return lmbi_scan_fail(&ply->scan, ply->error,
                                  has_format ? "element, property, comment or end_header"
                                             : "format");
        }
        lmbi_scan_next_line(&ply->scan);
    }
    return result;
}

static double from_bits(uint64_t bits, lmbi_ply_type type)
{
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case LMBI_PLY_I8:
        return (double)(int8_t)low;
    case LMBI_PLY_I16:
        return (double)(int16_t)low;
    case LMBI_PLY_I32:
        return (double)(int32_t)low;
    case LMBI_PLY_F32:
        return (double)lmbi_float_of_bits(low);
    case LMBI_PLY_F64:
        return lmbi_double_of_bits(bits);
    case LMBI_PLY_U8:
    case LMBI_PLY_U16:
    case LMBI_PLY_U32:
    case LMBI_PLY_NONE:
        break;
    }
    return (double)low;
}

bool lmbi_ply_value(lmbi_ply *ply, lmbi_ply_type type, double *value)
{
    if (ply->encoding == LMBI_PLY_ASCII) {
        lmbi_scan_space(&ply->scan);
        return lmbi_scan_number(&ply->scan, value);
    }
    const size_t size = type_sizes[type];
    if (ply->size - ply->at < size) {
        return false;
    }
    *value =
        from_bits(lmbi_load_bytes(ply->bytes + ply->at, size, ply->encoding == LMBI_PLY_BIG), type);
    ply->at += size;
    return true;
}

bool lmbi_ply_end_row(lmbi_ply *ply)
{
    if (!ply->row_is_line || lmbi_scan_line_end(&ply->scan)) {
        return false;
    }
    lmbi_scan_next_line(&ply->scan);
    return true;
}

lmb_result lmbi_ply_fail(lmbi_ply *ply, const char *expected)
{
    if (ply->encoding == LMBI_PLY_ASCII) {
        lmbi_scan_space(&ply->scan);
        return lmbi_scan_fail(&ply->scan, ply->error, expected);
    }
    return lmbi_fail_byte(ply->error, LMB_ERROR_MALFORMED, ply->at, expected,
                          "%zu bytes to the end of the file", ply->size - ply->at);
}
