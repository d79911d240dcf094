/// The text encoding: `Name: value, value, … { children }`, comments from a semicolon to the end of
/// the line.
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/fbx/fbx.h"

typedef struct ascii {
    lmbi_fbx *fbx;
    lmbi_scan scan;
    lmbi_fbx_value *values; ///< of the node that is being read
    size_t value_count, value_capacity;
} ascii;

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '|' || c == '+' || (unsigned char)c >= 0x80;
}

static bool starts_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

static void skip_blanks(ascii *a)
{
    for (;;) {
        lmbi_scan_space(&a->scan);
        if (a->scan.at >= a->scan.end || *a->scan.at != ';') {
            return;
        }
        lmbi_scan_next_line(&a->scan);
    }
}

static bool at_byte(const ascii *a, char c)
{
    return a->scan.at < a->scan.end && *a->scan.at == c;
}

static void skip_word(ascii *a)
{
    while (a->scan.at < a->scan.end && is_word_byte(*a->scan.at)) {
        ++a->scan.at;
    }
}

static lmb_result add_value(ascii *a, lmbi_fbx_value value)
{
    void *values = a->values;
    if (!lmbi_grow(a->fbx->alloc, &values, &a->value_capacity, a->value_count + 1, sizeof value)) {
        return lmbi_fail_memory(a->fbx->error);
    }
    a->values = values;
    a->values[a->value_count++] = value;
    return LMB_OK;
}

/// Quotes cannot be escaped. Exporters write &quot; instead, which is kept, as in other readers.
static lmb_result read_string(ascii *a)
{
    const char *from = ++a->scan.at;
    const char *close = memchr(from, '"', (size_t)(a->scan.end - from));
    if (close == NULL) {
        a->scan.at = from - 1;
        return lmbi_scan_fail(&a->scan, a->fbx->error, "a closing quotation mark");
    }
    while (a->scan.at < close) { // a string may run over lines, which must be counted
        if (*a->scan.at++ == '\n') {
            ++a->scan.line;
            a->scan.line_start = a->scan.at;
        }
    }
    a->scan.at = close + 1;
    return add_value(a, (lmbi_fbx_value){.type = LMBI_FBX_TEXT,
                                         .as.bytes = (const uint8_t *)from,
                                         .size = (size_t)(close - from)});
}

/// Integers are read with all 64 bits, which identifiers need.
static bool read_integer(const char *at, const char *end, int64_t *value, const char **after)
{
    const bool negative = at < end && *at == '-';
    const char *p = negative || (at < end && *at == '+') ? at + 1 : at;
    const char *digits = p;
    uint64_t sum = 0;
    while (p < end && *p >= '0' && *p <= '9') {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
        ++p;
    }
    if (p == digits || (p < end && (*p == '.' || *p == 'e' || *p == 'E'))) {
        return false;
    }
    *value = (int64_t)(negative ? 0 - sum : sum);
    *after = p;
    return true;
}

static lmb_result read_number(ascii *a, bool *found)
{
    int64_t integer;
    double real;
    const char *after;
    *found = true;
    if (read_integer(a->scan.at, a->scan.end, &integer, &after)) {
        a->scan.at = after;
        return add_value(a, (lmbi_fbx_value){.type = LMBI_FBX_INTEGER, .as.integer = integer});
    }
    after = lmbi_number_read(a->scan.at, a->scan.end, &real);
    if (after != a->scan.at) {
        a->scan.at = after;
        if (at_byte(a, '#')) { // NaN as old Microsoft printf writes it: -1.#IND, 1.#QNAN
            ++a->scan.at;
            skip_word(a);
            real = 0;
        }
        return add_value(a, (lmbi_fbx_value){.type = LMBI_FBX_REAL, .as.real = real});
    }
    *found = false;
    return LMB_OK;
}

static lmb_result read_bare_word(ascii *a)
{
    const char *from = a->scan.at;
    skip_word(a);
    if (a->scan.at == from) {
        return lmbi_scan_fail(&a->scan, a->fbx->error, "a value");
    }
    return add_value(a, (lmbi_fbx_value){.type = LMBI_FBX_TEXT,
                                         .as.bytes = (const uint8_t *)from,
                                         .size = (size_t)(a->scan.at - from)});
}

static lmb_result read_value(ascii *a)
{
    const char c = *a->scan.at;
    if (c == '"') {
        return read_string(a);
    }
    if (c == '*') { // the announced length of an array, whose numbers are in a child
        ++a->scan.at;
    }
    if (a->scan.at < a->scan.end && starts_number(*a->scan.at)) {
        bool found;
        const lmb_result result = read_number(a, &found);
        if (result != LMB_OK || found) {
            return result;
        }
    }
    return read_bare_word(a);
}

/// Values are separated by commas, which may begin or end a line. `Content: ,` has one before its
/// first value.
static lmb_result read_values(ascii *a, lmbi_fbx_node *node)
{
    a->value_count = 0;
    lmbi_scan_blanks(&a->scan);
    if (at_byte(a, ',')) {
        ++a->scan.at;
        skip_blanks(a);
    }
    bool more;
    if (lmbi_scan_line_end(&a->scan) || at_byte(a, ';')) {
        skip_blanks(a); // Key: lists begin on a line of their own
        more = a->scan.at < a->scan.end && (starts_number(*a->scan.at) || at_byte(a, '"'));
    } else {
        more = !at_byte(a, '{') && !at_byte(a, '}');
    }
    while (more) {
        lmb_result result = read_value(a);
        if (result != LMB_OK) {
            return result;
        }
        skip_blanks(a);
        more = at_byte(a, ',');
        if (more) {
            ++a->scan.at;
            skip_blanks(a);
            // A trailing comma ends some lists.
            more = a->scan.at < a->scan.end && !at_byte(a, '}') && !at_byte(a, '{');
        }
    }
    if (a->value_count > UINT32_MAX) {
        return lmbi_scan_fail(&a->scan, a->fbx->error, "at most 2^32 - 1 values");
    }
    lmbi_fbx_value *values = lmbi_arena_array(&a->fbx->arena, a->value_count, sizeof *values);
    if (values == NULL) {
        return lmbi_fail_memory(a->fbx->error);
    }
    if (a->value_count > 0) {
        memcpy(values, a->values, a->value_count * sizeof *values);
    }
    node->values = values;
    node->value_count = (uint32_t)a->value_count;
    return LMB_OK;
}

static lmb_result read_children(ascii *a, int depth, lmbi_fbx_node *parent);

static lmb_result read_node(ascii *a, int depth, lmbi_fbx_node **out)
{
    lmbi_fbx *fbx = a->fbx;
    const char *from = a->scan.at;
    skip_word(a);
    const lmbi_word name = {from, (size_t)(a->scan.at - from)};
    lmbi_scan_blanks(&a->scan);
    if (name.size == 0 || !at_byte(a, ':')) {
        a->scan.at = from;
        return lmbi_scan_fail(&a->scan, fbx->error, "a node's name and a colon");
    }
    ++a->scan.at;
    lmbi_fbx_node *node = lmbi_arena_array(&fbx->arena, 1, sizeof *node);
    if (node == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    node->name = name;
    node->offset = (size_t)(from - (const char *)fbx->bytes);
    *out = node;
    lmb_result result = read_values(a, node);
    skip_blanks(a);
    if (result != LMB_OK || !at_byte(a, '{')) {
        return result;
    }
    ++a->scan.at;
    if (depth >= LMBI_FBX_DEPTH_MAX) {
        return lmbi_scan_fail(&a->scan, fbx->error, "at most 64 levels of nodes");
    }
    result = read_children(a, depth + 1, node);
    if (result == LMB_OK && !at_byte(a, '}')) {
        return lmbi_scan_fail(&a->scan, fbx->error, "a closing brace");
    }
    ++a->scan.at;
    return result;
}

/// Until a closing brace or the end of the file.
static lmb_result read_children(ascii *a, int depth, lmbi_fbx_node *parent)
{
    lmbi_fbx_node **tail = &parent->child;
    for (;;) {
        skip_blanks(a);
        if (a->scan.at >= a->scan.end || at_byte(a, '}')) {
            return LMB_OK;
        }
        const lmb_result result = read_node(a, depth, tail);
        if (result != LMB_OK) {
            return result;
        }
        tail = &(*tail)->next;
    }
}

/// The version is in FBXHeaderExtension from 6000 on. Before that it is only in the comment of the
/// first line: "; FBX 5.0.0 project file".
static uint32_t find_version(const lmbi_fbx *fbx)
{
    const lmbi_fbx_node *header = lmbi_fbx_child(&fbx->root, "FBXHeaderExtension");
    const int64_t version = lmbi_fbx_integer(lmbi_fbx_child(header, "FBXVersion"), 0, 0);
    if (version >= 5000 && version < 8000) {
        return (uint32_t)version;
    }
    static const char mark[] = "; FBX ";
    const char *text = (const char *)fbx->bytes;
    if (fbx->size > sizeof mark + 3 && memcmp(text, mark, sizeof mark - 1) == 0 && text[6] >= '5' &&
        text[6] <= '7' && text[7] == '.') {
        const uint32_t minor = text[8] >= '0' && text[8] <= '9' ? (uint32_t)(text[8] - '0') : 0;
        return (uint32_t)(text[6] - '0') * 1000 + minor * 100;
    }
    return 0;
}

lmb_result lmbi_fbx_parse_ascii(lmbi_fbx *fbx)
{
    ascii a = {.fbx = fbx};
    lmbi_scan_init(&a.scan, fbx->bytes, fbx->size);
    lmb_result result = read_children(&a, 1, &fbx->root);
    if (result == LMB_OK && a.scan.at < a.scan.end) {
        result = lmbi_scan_fail(&a.scan, fbx->error, "a node, or the end of the file");
    }
    lmbi_free(fbx->alloc, a.values);
    if (result != LMB_OK) {
        return result;
    }
    fbx->version = find_version(fbx);
    if (fbx->version == 0) {
        return lmbi_fail_text(fbx->error, LMB_ERROR_MALFORMED, 1, 1,
                              "an FBX file of version 5000 to 7700",
                              "no such version in its header");
    }
    return LMB_OK;
}
