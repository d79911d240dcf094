/// Lookup in the tree, and its numbers as arrays, whatever the encoding.
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "base/inflate.h"
#include "io/bytes.h"
#include "io/fbx/fbx.h"

/// No DEFLATE stream makes more than 1032 bytes of one.
#define DEFLATE_RATIO_MAX 1032u

bool lmbi_fbx_is(const lmbi_fbx_node *node, const char *name)
{
    return lmbi_word_is_exact(node->name, name);
}

const lmbi_fbx_node *lmbi_fbx_child(const lmbi_fbx_node *node, const char *name)
{
    const lmbi_fbx_node *child = node ? node->child : NULL;
    while (child && !lmbi_fbx_is(child, name)) {
        child = child->next;
    }
    return child;
}

double lmbi_fbx_number(const lmbi_fbx_node *node, uint32_t index, double missing)
{
    if (node == NULL || index >= node->value_count) {
        return missing;
    }
    const lmbi_fbx_value *value = &node->values[index];
    return value->type == LMBI_FBX_REAL      ? value->as.real
           : value->type == LMBI_FBX_INTEGER ? (double)value->as.integer
                                             : missing;
}

/// Clamps to the range of 64 bits; NaN becomes 0. A plain cast would be undefined.
static int64_t integer_of(double real)
{
    if (real >= 9.2e18) {
        return INT64_MAX;
    }
    if (real <= -9.2e18) {
        return INT64_MIN;
    }
    return real >= 0 || real < 0 ? (int64_t)real : 0;
}

int64_t lmbi_fbx_integer(const lmbi_fbx_node *node, uint32_t index, int64_t missing)
{
    if (node == NULL || index >= node->value_count) {
        return missing;
    }
    const lmbi_fbx_value *value = &node->values[index];
    return value->type == LMBI_FBX_INTEGER ? value->as.integer
           : value->type == LMBI_FBX_REAL  ? integer_of(value->as.real)
                                           : missing;
}

lmbi_word lmbi_fbx_text(const lmbi_fbx_node *node, uint32_t index)
{
    if (node == NULL || index >= node->value_count || node->values[index].type != LMBI_FBX_TEXT) {
        return (lmbi_word){NULL, 0};
    }
    return (lmbi_word){(const char *)node->values[index].as.bytes, node->values[index].size};
}

lmb_result lmbi_fbx_fail(const lmbi_fbx *fbx, const lmbi_fbx_node *node, const char *expected,
                         const char *found, ...)
{
    char text[64];
    va_list args;
    va_start(args, found);
    lmbi_format_list(text, sizeof text, found, args);
    va_end(args);
    if (!fbx->ascii) {
        return lmbi_fail_byte(fbx->error, LMB_ERROR_MALFORMED, node->offset, expected, "%s", text);
    }
    unsigned line = 1;
    for (size_t i = 0; i < node->offset; ++i) {
        line += fbx->bytes[i] == '\n';
    }
    return lmbi_fail_text(fbx->error, LMB_ERROR_MALFORMED, line, 1, expected, "%s", text);
}

size_t lmbi_fbx_element_size(char element)
{
    return element == 'd' || element == 'l' ? 8 : element == 'f' || element == 'i' ? 4 : 1;
}

/// The array's bytes, inflated where they are deflated.
static lmb_result array_bytes(lmbi_fbx *fbx, const lmbi_fbx_node *node, const lmbi_fbx_value *value,
                              const uint8_t **out)
{
    const size_t size = (size_t)value->count * lmbi_fbx_element_size(value->element);
    if (!value->deflated) {
        *out = value->as.bytes;
        return LMB_OK;
    }
    if (size / DEFLATE_RATIO_MAX > value->size) {
        return lmbi_fbx_fail(fbx, node, "an array that its bytes can hold",
                             "%u numbers in %zu bytes", value->count, value->size);
    }
    uint8_t *bytes = lmbi_arena_array(&fbx->arena, size, 1);
    if (bytes == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    lmbi_inflated done = {0};
    if (lmbi_inflate_zlib(value->as.bytes, value->size, bytes, size, &done, NULL) != LMB_OK ||
        done.out_size != size) {
        return lmbi_fbx_fail(fbx, node, "an array as a zlib stream of its size", "a broken one");
    }
    *out = bytes;
    return LMB_OK;
}

static double real_at(const uint8_t *p, char element)
{
    switch (element) {
    case 'd':
        return lmbi_load_f64(p);
    case 'f':
        return (double)lmbi_load_f32(p);
    case 'l':
        return (double)(int64_t)lmbi_load_u64(p);
    case 'i':
        return (int32_t)lmbi_load_u32(p);
    default:
        return *p;
    }
}

static int64_t whole_at(const uint8_t *p, char element)
{
    switch (element) {
    case 'l':
        return (int64_t)lmbi_load_u64(p);
    case 'i':
        return (int32_t)lmbi_load_u32(p);
    case 'b':
        return *p;
    default:
        return integer_of(real_at(p, element));
    }
}

/// The node with the numbers: the child `a` of an ASCII array, else the node itself.
static const lmbi_fbx_node *array_node(const lmbi_fbx_node *node)
{
    const lmbi_fbx_node *list = lmbi_fbx_child(node, "a");
    return list ? list : node;
}

static const lmbi_fbx_value *packed_array(const lmbi_fbx_node *node)
{
    return node->value_count == 1 && node->values[0].type == LMBI_FBX_ARRAY ? node->values : NULL;
}

static double letter_or_number(const lmbi_fbx_node *node, uint32_t index)
{
    const lmbi_fbx_value *value = &node->values[index];
    if (value->type == LMBI_FBX_TEXT) {
        return value->size > 0 ? value->as.bytes[0] : 0;
    }
    return lmbi_fbx_number(node, index, 0);
}

/// Where the numbers of a node are: in the bytes of an array, or as the values of a list.
typedef struct numbers {
    const lmbi_fbx_node *list;
    const lmbi_fbx_value *array; ///< NULL: `list` has them
    const uint8_t *bytes;
    size_t count;
} numbers;

static lmb_result find_numbers(lmbi_fbx *fbx, const lmbi_fbx_node *node, numbers *out)
{
    out->list = array_node(node);
    out->array = packed_array(out->list);
    out->count = out->array ? out->array->count : out->list->value_count;
    return out->array ? array_bytes(fbx, node, out->array, &out->bytes) : LMB_OK;
}

static double real_of(const numbers *n, size_t i)
{
    return n->array
               ? real_at(n->bytes + i * lmbi_fbx_element_size(n->array->element), n->array->element)
               : letter_or_number(n->list, (uint32_t)i);
}

static int64_t whole_of(const numbers *n, size_t i)
{
    return n->array ? whole_at(n->bytes + i * lmbi_fbx_element_size(n->array->element),
                               n->array->element)
                    : lmbi_fbx_integer(n->list, (uint32_t)i, 0);
}

/// A node's numbers as doubles or as 64-bit integers. NULL without a node, and on failure.
static const void *read_numbers(lmbi_fbx *fbx, const lmbi_fbx_node *node, bool as_reals,
                                size_t *count, lmb_result *result)
{
    numbers n = {0};
    *count = 0;
    *result = node != NULL ? find_numbers(fbx, node, &n) : LMB_OK;
    if (node == NULL || *result != LMB_OK) {
        return NULL;
    }
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (as_reals && little && n.array && n.array->deflated && n.array->element == 'd') {
        *count = n.count;
        return n.bytes; // the arena aligns
    }
    void *items = lmbi_arena_array(&fbx->arena, n.count, 8);
    if (items == NULL) {
        *result = lmbi_fail_memory(fbx->error);
        return NULL;
    }
    double *reals = items;
    int64_t *wholes = items;
    for (size_t i = 0; i < n.count; ++i) {
        if (as_reals) {
            reals[i] = real_of(&n, i);
        } else {
            wholes[i] = whole_of(&n, i);
        }
    }
    *count = n.count;
    return items;
}

lmb_result lmbi_fbx_reals(lmbi_fbx *fbx, const lmbi_fbx_node *node, const double **out,
                          size_t *count)
{
    lmb_result result;
    *out = read_numbers(fbx, node, true, count, &result);
    return result;
}

lmb_result lmbi_fbx_integers(lmbi_fbx *fbx, const lmbi_fbx_node *node, const int64_t **out,
                             size_t *count)
{
    lmb_result result;
    *out = read_numbers(fbx, node, false, count, &result);
    return result;
}
