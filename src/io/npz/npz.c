#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/bytes.h"
#include "io/npz.h"
#include "io/npz/zip.h"

/// The archive and its memory; the public part comes first, so that one pointer frees all.
typedef struct npz_memory {
    lmbi_npz visible;
    size_t capacity;
    lmbi_arena arena; ///< names, and the bytes of the members
} npz_memory;

/// Names of the arrays to read; `names` NULL means all.
typedef struct name_filter {
    const char *const *names;
    size_t count;
} name_filter;

/// The array's name: "poses" of "poses.npy". False for a member that is not an array.
static bool array_name(lmbi_word member, lmbi_word *out)
{
    *out = (lmbi_word){member.at, member.size - 4};
    return member.size >= 4 && memcmp(member.at + member.size - 4, ".npy", 4) == 0;
}

static bool is_wanted(const npz_memory *npz, const name_filter *filter, lmbi_word name)
{
    bool wanted = filter->names == NULL;
    for (size_t k = 0; k < filter->count && !wanted; ++k) {
        wanted = lmbi_word_is_exact(name, filter->names[k]);
    }
    // Of two members of one name only the first is found later
    for (uint32_t k = 0; k < npz->visible.array_count && wanted && filter->names != NULL; ++k) {
        wanted = !lmbi_word_is_exact(name, npz->visible.arrays[k].name);
    }
    return wanted;
}

static lmbi_npz_array *add_array(npz_memory *npz, const lmb_allocator *alloc, lmbi_word name)
{
    void *items = npz->visible.arrays;
    if (!lmbi_grow(alloc, &items, &npz->capacity, (size_t)npz->visible.array_count + 1,
                   sizeof(lmbi_npz_array))) {
        return NULL;
    }
    npz->visible.arrays = items;
    lmbi_npz_array *array = &npz->visible.arrays[npz->visible.array_count];
    *array = (lmbi_npz_array){.name = lmbi_arena_string(&npz->arena, name.at, name.size)};
    npz->visible.array_count += array->name != NULL;
    return array->name != NULL ? array : NULL;
}

/// Adds the member's name to an error in its header, whose byte position is one of the unpacked
/// data.
static lmb_result fail_member(lmb_error *error, lmb_result result, lmbi_word name, size_t at)
{
    if (error == NULL) {
        return result;
    }
    const lmb_error inner = *error;
    return lmbi_fail_byte(error, result, at, inner.expected, "in %.*s, %s",
                          name.size > 60 ? 60 : (int)name.size, name.at, inner.found);
}

static lmb_result read_member(npz_memory *npz, const lmb_allocator *alloc, const lmbi_zip *zip,
                              const lmbi_zip_member *member, lmb_error *error)
{
    lmb_bytes packed = {0};
    lmb_result result = lmbi_zip_packed(zip, member, &packed, error);
    if (result != LMB_OK) {
        return result;
    }
    if (member->size > SIZE_MAX / 2) {
        return lmbi_fail_memory(error);
    }
    uint8_t *bytes = lmbi_arena_array(&npz->arena, (size_t)member->size, 1);
    lmbi_npz_array *array =
        add_array(npz, alloc, (lmbi_word){member->name.at, member->name.size - 4});
    if (bytes == NULL || array == NULL) {
        return lmbi_fail_memory(error);
    }
    result = lmbi_zip_unpack(zip, member, bytes, error);
    if (result == LMB_OK) {
        result = lmbi_npy_read(bytes, (size_t)member->size, array, error);
        if (result != LMB_OK) {
            result = fail_member(error, result, member->name, member->header);
        }
    }
    return result;
}

static lmb_result read_archive(npz_memory *npz, const lmb_allocator *alloc, const void *bytes,
                               size_t size, const name_filter *filter, lmb_error *error)
{
    lmbi_zip zip;
    lmbi_word name;
    lmbi_zip_member member;
    bool more = true;
    lmb_result result = lmbi_zip_open(bytes, size, &zip, error);
    while (result == LMB_OK && more) {
        result = lmbi_zip_next(&zip, &member, &more, error);
        if (result == LMB_OK && more && array_name(member.name, &name) &&
            is_wanted(npz, filter, name)) {
            result = read_member(npz, alloc, &zip, &member, error);
        }
    }
    return result;
}

static lmb_result read_single(npz_memory *npz, const lmb_allocator *alloc, const void *bytes,
                              size_t size, lmb_error *error)
{
    uint8_t *copy = lmbi_arena_array(&npz->arena, size, 1);
    lmbi_npz_array *array = add_array(npz, alloc, (lmbi_word){"", 0});
    if (copy == NULL || array == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(copy, bytes, size);
    return lmbi_npy_read(copy, size, array, error);
}

lmb_result lmbi_npz_read(const void *bytes, size_t size, const lmb_allocator *alloc, lmbi_npz **out,
                         lmb_error *error)
{
    return lmbi_npz_read_named(bytes, size, NULL, 0, alloc, out, error);
}

lmb_result lmbi_npz_read_named(const void *bytes, size_t size, const char *const *names,
                               size_t name_count, const lmb_allocator *alloc, lmbi_npz **out,
                               lmb_error *error)
{
    const name_filter filter = {names, name_count};
    npz_memory *npz = lmbi_alloc(alloc, sizeof *npz);
    if (npz == NULL) {
        return lmbi_fail_memory(error);
    }
    npz->visible.allocator = alloc ? *alloc : (lmb_allocator){0};
    lmbi_arena_init(&npz->arena, &npz->visible.allocator);
    const lmb_result result = lmbi_npy_is(bytes, size)
                                  ? read_single(npz, alloc, bytes, size, error)
                                  : read_archive(npz, alloc, bytes, size, &filter, error);
    if (result != LMB_OK) {
        lmbi_npz_destroy(&npz->visible);
        return result;
    }
    *out = &npz->visible;
    return LMB_OK;
}

void lmbi_npz_destroy(lmbi_npz *visible)
{
    if (visible != NULL) {
        npz_memory *npz = (npz_memory *)visible;
        const lmb_allocator alloc = visible->allocator;
        lmbi_arena_free(&npz->arena);
        lmbi_free(&alloc, visible->arrays);
        lmbi_free(&alloc, npz);
    }
}

const lmbi_npz_array *lmbi_npz_find(const lmbi_npz *npz, const char *name)
{
    for (uint32_t k = 0; k < npz->array_count; ++k) {
        if (strcmp(npz->arrays[k].name, name) == 0) {
            return &npz->arrays[k];
        }
    }
    return NULL;
}

bool lmbi_npz_is_numeric(const lmbi_npz_array *array)
{
    return array->type <= LMBI_NUMBER_BOOL;
}

// ---------------------------------------------------------------------------------------- numbers

static double half_value(uint32_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) {
        return sign * (double)lmbi_float_of_bits(0x7f800000u | fraction << 13);
    }
    // 2^(exponent - 25) times the 11-bit significand; subnormals have exponent 1 and no leading
    // bit.
    const uint32_t whole = exponent ? fraction | 1024 : fraction;
    return sign * (double)whole * (double)(1u << (exponent ? exponent : 1)) * (1.0 / (1u << 25));
}

static double float_value(uint64_t bits, uint32_t size)
{
    if (size == 8) {
        return lmbi_double_of_bits(bits);
    }
    if (size == 4) {
        return (double)lmbi_float_of_bits((uint32_t)bits);
    }
    return half_value((uint32_t)bits);
}

static double item_value(const lmbi_npz_array *array, const uint8_t *at)
{
    const uint32_t size = array->item_size;
    const uint64_t bits = lmbi_load_bytes(at, size, array->big_endian);
    if (array->type == LMBI_NUMBER_FLOAT) {
        return float_value(bits, size);
    }
    if (array->type == LMBI_NUMBER_SIGNED && size > 0 && bits >> (8 * size - 1) & 1) {
        const uint64_t ones = size == 8 ? 0 : UINT64_MAX << 8 * size;
        return -(double)(~(bits | ones)) - 1.0;
    }
    return (double)bits;
}

/// Index in memory of item k in C order.
static size_t item_offset(const lmbi_npz_array *array, size_t k)
{
    if (!array->column_major) {
        return k;
    }
    size_t offset = 0, stride = array->count;
    for (uint32_t d = array->dimension_count; d-- > 0;) {
        const size_t extent = (size_t)array->shape[d];
        stride /= extent;
        offset += k % extent * stride;
        k /= extent;
    }
    return offset;
}

double lmbi_npz_number(const lmbi_npz_array *array, size_t k)
{
    return item_value(array, array->data + item_offset(array, k) * array->item_size);
}

void lmbi_npz_floats(const lmbi_npz_array *array, float *out)
{
    for (size_t k = 0; k < array->count; ++k) {
        out[k] = (float)lmbi_npz_number(array, k);
    }
}
