/// Lookup in the tree, and its numbers as arrays, whatever the encoding.
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "base/inflate.h"
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
    if (element == 'd') {
        double real;
        memcpy(&real, p, sizeof real);
        return real;
    }
    if (element == 'f') {
        float single;
        memcpy(&single, p, sizeof single);
        return (double)single;
    }
    if (element == 'l') {
        int64_t whole;
        memcpy(&whole, p, sizeof whole);
        return (double)whole;
    }
    if (element == 'i') {
        int32_t whole;
        memcpy(&whole, p, sizeof whole);
        return whole;
    }
    return *p;
}

static int64_t whole_at(const uint8_t *p, char element)
{
    if (element == 'l') {
        int64_t whole;
        memcpy(&whole, p, sizeof whole);
        return whole;
    }
    if (element == 'i') {
        int32_t whole;
        memcpy(&whole, p, sizeof whole);
        return whole;
    }
    return element == 'b' ? *p : integer_of(real_at(p, element));
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

lmb_result lmbi_fbx_reals(lmbi_fbx *fbx, const lmbi_fbx_node *node, const double **out,
                          size_t *count)
{
    *out = NULL;
    *count = 0;
    if (node == NULL) {
        return LMB_OK;
    }
    const lmbi_fbx_node *list = array_node(node);
    const lmbi_fbx_value *array = packed_array(list);
    const uint8_t *bytes = NULL;
    if (array) {
        const lmb_result result = array_bytes(fbx, node, array, &bytes);
        if (result != LMB_OK) {
            return result;
        }
    }
    const size_t n = array ? array->count : list->value_count;
    if (array && array->deflated && array->element == 'd') {
        *out = (const double *)(const void *)bytes; // the arena aligns
        *count = n;
        return LMB_OK;
    }
    double *reals = lmbi_arena_array(&fbx->arena, n, sizeof *reals);
    if (reals == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    for (size_t i = 0; i < n; ++i) {
        reals[i] = array
                       ? real_at(bytes + i * lmbi_fbx_element_size(array->element), array->element)
                       : letter_or_number(list, (uint32_t)i);
    }
    *out = reals;
    *count = n;
    return LMB_OK;
}

lmb_result lmbi_fbx_integers(lmbi_fbx *fbx, const lmbi_fbx_node *node, const int64_t **out,
                             size_t *count)
{
    *out = NULL;
    *count = 0;
    if (node == NULL) {
        return LMB_OK;
    }
    const lmbi_fbx_node *list = array_node(node);
    const lmbi_fbx_value *array = packed_array(list);
    const uint8_t *bytes = NULL;
    if (array) {
        const lmb_result result = array_bytes(fbx, node, array, &bytes);
        if (result != LMB_OK) {
            return result;
        }
    }
    const size_t n = array ? array->count : list->value_count;
    int64_t *wholes = lmbi_arena_array(&fbx->arena, n, sizeof *wholes);
    if (wholes == NULL) {
        return lmbi_fail_memory(fbx->error);
    }
    for (size_t i = 0; i < n; ++i) {
        wholes[i] =
            array ? whole_at(bytes + i * lmbi_fbx_element_size(array->element), array->element)
                  : lmbi_fbx_integer(list, (uint32_t)i, 0);
    }
    *out = wholes;
    *count = n;
    return LMB_OK;
}
