// Accessors: typed arrays over views, dense, sparse or both, decoded to floats or to unsigned
// integers.
#include <math.h>
#include <string.h>

#include "io/bytes.h"
#include "io/gltf/gltf.h"

// ---------------------------------------------------------------------------------------- checking

static uint32_t component_size(uint32_t type)
{
    switch (type) {
    case LMBI_GLTF_I8:
    case LMBI_GLTF_U8:
        return 1;
    case LMBI_GLTF_I16:
    case LMBI_GLTF_U16:
        return 2;
    case LMBI_GLTF_U32:
    case LMBI_GLTF_F32:
        return 4;
    default:
        return 0;
    }
}

typedef struct element_type {
    const char *name;
    uint32_t components, columns;
} element_type;

static const element_type element_types[] = {
    {"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1},  {"VEC4", 4, 1},
    {"MAT2", 4, 2},   {"MAT3", 9, 3}, {"MAT4", 16, 4},
};

static bool read_element_type(lmbi_gltf *g, const lmbi_json *json, lmbi_gltf_accessor *out,
                              size_t *element_size)
{
    const lmbi_json *type = NULL;
    if (!lmbi_gltf_member(g, json, "type", LMBI_JSON_STRING, &type) ||
        !lmbi_gltf_required_u32(g, json, "componentType", &out->component_type) ||
        !lmbi_gltf_bool(g, json, "normalized", &out->normalized)) {
        return false;
    }
    out->component_size = component_size(out->component_type);
    if (out->component_size == 0) {
        return lmbi_gltf_fail(g, lmbi_json_find(json, "componentType"),
                              "a component type (5120 to 5123, 5125 or 5126)", NULL);
    }
    for (size_t k = 0; type && k < sizeof element_types / sizeof *element_types; ++k) {
        const element_type *t = &element_types[k];
        if (lmbi_json_string_is(type, t->name)) {
            out->components = t->components;
            out->is_matrix = t->columns > 1;
            // Columns of matrices start at multiples of 4 bytes.
            const size_t column = (size_t)(t->components / t->columns) * out->component_size;
            *element_size = t->columns * (out->is_matrix ? (column + 3) & ~(size_t)3 : column);
            return true;
        }
    }
    return lmbi_gltf_fail(g, type ? type : json, "a type from SCALAR to MAT4",
                          type ? NULL : "none");
}

/// `count` elements of a view.
typedef struct element_range {
    uint32_t view, offset, count;
    size_t size, stride; ///< of an element
} element_range;

/// Checks that the range lies in its view and finds its bytes.
static bool find_range(lmbi_gltf *g, const lmbi_json *json, const element_range *r,
                       lmbi_gltf_accessor *accessor, const uint8_t **out)
{
    const lmbi_gltf_view *view = &g->view_items[r->view];
    const uint64_t needed = (uint64_t)r->offset + (uint64_t)(r->count - 1) * r->stride + r->size;
    if (needed > view->size) {
        return lmbi_gltf_fail_found(g, json, "elements inside the buffer view",
                                    "%llu bytes needed of %zu", (unsigned long long)needed,
                                    view->size);
    }
    *out = view->data ? view->data + r->offset : NULL;
    accessor->is_missing = accessor->is_missing || view->data == NULL;
    return true;
}

static bool read_sparse(lmbi_gltf *g, lmbi_gltf_accessor *out, const lmbi_json *sparse,
                        size_t element_size)
{
    const lmbi_json *indices = NULL, *values = NULL;
    uint32_t index_view = 0, index_offset = 0, value_view = 0, value_offset = 0;
    if (!lmbi_gltf_required_u32(g, sparse, "count", &out->sparse_count) ||
        !lmbi_gltf_member(g, sparse, "indices", LMBI_JSON_OBJECT, &indices) ||
        !lmbi_gltf_member(g, sparse, "values", LMBI_JSON_OBJECT, &values)) {
        return false;
    }
    if (indices == NULL || values == NULL || out->sparse_count == 0 ||
        out->sparse_count > out->count) {
        return lmbi_gltf_fail_found(
            g, sparse, "indices, values and a count from 1 to the accessor's", "%s%u of %u",
            indices == NULL  ? "no indices, "
            : values == NULL ? "no values, "
                             : "",
            out->sparse_count, out->count);
    }
    if (!lmbi_gltf_required_index(g, indices, "bufferView", g->views.count, &index_view) ||
        !lmbi_gltf_u32(g, indices, "byteOffset", 0, &index_offset) ||
        !lmbi_gltf_required_u32(g, indices, "componentType", &out->sparse_index_type) ||
        !lmbi_gltf_required_index(g, values, "bufferView", g->views.count, &value_view) ||
        !lmbi_gltf_u32(g, values, "byteOffset", 0, &value_offset)) {
        return false;
    }
    const uint32_t type = out->sparse_index_type;
    if (type != LMBI_GLTF_U8 && type != LMBI_GLTF_U16 && type != LMBI_GLTF_U32) {
        return lmbi_gltf_fail_found(g, indices, "unsigned integers as indices", "component type %u",
                                    type);
    }
    const size_t index_size = component_size(type);
    const element_range index_range = {index_view, index_offset, out->sparse_count, index_size,
                                       index_size};
    const element_range value_range = {value_view, value_offset, out->sparse_count, element_size,
                                       element_size};
    return find_range(g, indices, &index_range, out, &out->sparse_indices) &&
           find_range(g, values, &value_range, out, &out->sparse_values);
}

static bool read_accessor(lmbi_gltf *g, const lmbi_json *json, lmbi_gltf_accessor *out)
{
    const lmbi_json *sparse = NULL;
    size_t element_size = 0;
    int32_t view = 0;
    uint32_t offset = 0;
    out->json = json;
    if (!read_element_type(g, json, out, &element_size) ||
        !lmbi_gltf_required_u32(g, json, "count", &out->count) ||
        !lmbi_gltf_index(g, json, "bufferView", g->views.count, &view) ||
        !lmbi_gltf_u32(g, json, "byteOffset", 0, &offset) ||
        !lmbi_gltf_member(g, json, "sparse", LMBI_JSON_OBJECT, &sparse)) {
        return false;
    }
    if (out->count == 0) {
        return lmbi_gltf_fail(g, lmbi_json_find(json, "count"), "a count of at least 1", NULL);
    }
    out->stride = element_size;
    if (view != LMB_NONE) {
        const uint32_t stride = g->view_items[view].stride;
        if (stride && stride < element_size) {
            return lmbi_gltf_fail(g, json, "elements no longer than the view's stride",
                                  "longer ones");
        }
        out->stride = stride ? stride : element_size;
        const element_range whole = {(uint32_t)view, offset, out->count, element_size, out->stride};
        if (!find_range(g, json, &whole, out, &out->data)) {
            return false;
        }
    } else if (offset > 0) {
        return lmbi_gltf_fail(g, json, "a bufferView for the byteOffset", "none");
    }
    return sparse == NULL || read_sparse(g, out, sparse, element_size);
}

bool lmbi_gltf_accessors_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "accessors", LMBI_JSON_OBJECT, &g->accessors)) {
        return false;
    }
    g->accessor_items = lmbi_gltf_array(g, g->accessors.count, sizeof *g->accessor_items);
    if (g->accessor_items == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < g->accessors.count; ++k) {
        if (!read_accessor(g, g->accessors.items[k], &g->accessor_items[k])) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------- decoding

static float signed_unit(int32_t value, float most)
{
    const float unit = (float)value / most;
    return unit < -1.0f ? -1.0f : unit; // -128 and -32768 have no positive partner
}

/// One element; matrices are read as floats only, so no column padding occurs here.
static void load_floats(const lmbi_gltf_accessor *a, const uint8_t *at, float *out)
{
    const uint32_t n = a->components;
    const bool unit = a->normalized;
    switch (a->component_type) {
    case LMBI_GLTF_I8:
        for (uint32_t k = 0; k < n; ++k) {
            out[k] = unit ? signed_unit((int8_t)at[k], 127.0f) : (float)(int8_t)at[k];
        }
        break;
    case LMBI_GLTF_U8:
        for (uint32_t k = 0; k < n; ++k) {
            out[k] = unit ? (float)at[k] / 255.0f : (float)at[k];
        }
        break;
    case LMBI_GLTF_I16:
        for (uint32_t k = 0; k < n; ++k) {
            const int16_t value = (int16_t)lmbi_load_u16(at + 2 * k);
            out[k] = unit ? signed_unit(value, 32767.0f) : (float)value;
        }
        break;
    case LMBI_GLTF_U16:
        for (uint32_t k = 0; k < n; ++k) {
            out[k] = unit ? (float)lmbi_load_u16(at + 2 * k) / 65535.0f
                          : (float)lmbi_load_u16(at + 2 * k);
        }
        break;
    case LMBI_GLTF_U32:
        for (uint32_t k = 0; k < n; ++k) {
            out[k] = unit ? (float)((double)lmbi_load_u32(at + 4 * k) / 4294967295.0)
                          : (float)lmbi_load_u32(at + 4 * k);
        }
        break;
    default:
        for (uint32_t k = 0; k < n; ++k) {
            out[k] = lmbi_load_f32(at + 4 * k);
        }
        break;
    }
}

static uint32_t load_unsigned(uint32_t type, const uint8_t *at)
{
    return type == LMBI_GLTF_U8    ? at[0]
           : type == LMBI_GLTF_U16 ? lmbi_load_u16(at)
                                   : lmbi_load_u32(at);
}

/// The index of sparse entry k. Fails unless indices rise and are below the count.
static bool sparse_index(lmbi_gltf *g, const lmbi_gltf_accessor *a, uint32_t k, uint32_t *out)
{
    const size_t size = component_size(a->sparse_index_type);
    *out = load_unsigned(a->sparse_index_type, a->sparse_indices + k * size);
    const bool rises =
        k == 0 || load_unsigned(a->sparse_index_type, a->sparse_indices + (k - 1) * size) < *out;
    return (rises && *out < a->count) ||
           lmbi_gltf_fail_found(g, a->json, "sparse indices that rise and stay below the count",
                                "index %u at %u", *out, k);
}

/// Whether no value is infinite or NaN (exponent bits all ones). Eight independent maxima, so that
/// the compiler vectorises the loop.
static bool dense_finite(const float *values, size_t count)
{
    uint32_t worst[8] = {0};
    size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        uint32_t bits[8];
        memcpy(bits, values + k, sizeof bits);
        for (int i = 0; i < 8; ++i) {
            const uint32_t size = bits[i] & 0x7fffffff;
            worst[i] = size > worst[i] ? size : worst[i];
        }
    }
    bool finite = true;
    for (; k < count; ++k) {
        finite = finite && isfinite(values[k]);
    }
    for (int i = 0; i < 8; ++i) {
        finite = finite && worst[i] < 0x7f800000;
    }
    return finite;
}

static bool all_finite(const float *values, uint32_t components, size_t count, size_t stride)
{
    if (components == stride) {
        return dense_finite(values, count * components);
    }
    // x - x is 0 for finite x and NaN otherwise; the sum keeps the NaN.
    float sum = 0;
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < components; ++k) {
            const float value = values[i * stride + k];
            sum += value - value;
        }
    }
    return sum == 0;
}

/// Copies floats whose layout in the file is that of the output; false for any other accessor.
static bool copy_dense(const lmbi_gltf_accessor *a, float *out, size_t stride)
{
    const size_t size = a->components * sizeof *out;
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (!little || a->data == NULL || a->component_type != LMBI_GLTF_F32 ||
        stride != a->components) {
        return false;
    }
    if (a->stride == size) {
        memcpy(out, a->data, a->count * size);
        return true;
    }
    for (size_t i = 0; i < a->count; ++i) {
        memcpy(out + i * stride, a->data + i * a->stride, size);
    }
    return true;
}

static bool check_bytes(lmbi_gltf *g, const lmbi_gltf_accessor *a)
{
    return !a->is_missing || lmbi_gltf_fail(g, a->json, "a buffer with bytes", "none");
}

static bool fail_finite(lmbi_gltf *g, const lmbi_gltf_accessor *a)
{
    return lmbi_gltf_fail(g, a->json, "finite numbers", "inf or nan in the data");
}

/// Decodes without checking that the values are finite.
static bool decode_unchecked(lmbi_gltf *g, const lmbi_gltf_accessor *a, float *out, size_t stride)
{
    if (!check_bytes(g, a)) {
        return false;
    }
    const uint8_t *at = a->data;
    const size_t left = copy_dense(a, out, stride) ? 0 : a->count;
    for (size_t i = 0; i < left; ++i) {
        if (at) {
            load_floats(a, at, out + i * stride);
            at += a->stride;
        } else {
            memset(out + i * stride, 0, a->components * sizeof *out);
        }
    }
    const size_t element_size = (size_t)a->components * a->component_size;
    for (uint32_t k = 0; k < a->sparse_count; ++k) {
        uint32_t index = 0;
        if (!sparse_index(g, a, k, &index)) {
            return false;
        }
        load_floats(a, a->sparse_values + k * element_size, out + index * stride);
    }
    return true;
}

bool lmbi_gltf_decode_floats(lmbi_gltf *g, const lmbi_gltf_accessor *a, float *out, size_t stride)
{
    return decode_unchecked(g, a, out, stride) &&
           (all_finite(out, a->components, a->count, stride) || fail_finite(g, a));
}

bool lmbi_gltf_decode_weights(lmbi_gltf *g, const lmbi_gltf_accessor *a, float *out, size_t stride)
{
    if (!decode_unchecked(g, a, out, stride)) {
        return false;
    }
    if (all_finite(out, a->components, a->count, stride)) {
        return true;
    }
    for (size_t i = 0; i < a->count; ++i) {
        for (uint32_t k = 0; k < a->components; ++k) {
            float *value = &out[i * stride + k];
            *value = isfinite(*value) ? *value : 0;
        }
    }
    lmbi_gltf_note(g, a->json, "weights that are no numbers were taken for none");
    return true;
}

/// Whether the file's bytes can be used as a float array: dense, aligned, little-endian host.
static bool is_dense_f32(const lmbi_gltf_accessor *a)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && a->data != NULL && !a->is_missing &&
           a->component_type == LMBI_GLTF_F32 && a->sparse_count == 0 &&
           a->stride == a->components * sizeof(float) && (uintptr_t)a->data % _Alignof(float) == 0;
}

const float *lmbi_gltf_view_floats(lmbi_gltf *g, const lmbi_gltf_accessor *a, bool *finite)
{
    const size_t count = (size_t)a->count * a->components;
    if (is_dense_f32(a)) {
        const float *values = (const float *)(const void *)a->data;
        *finite = dense_finite(values, count);
        return values;
    }
    float *values = lmbi_gltf_array(g, count, sizeof *values);
    if (values == NULL || !decode_unchecked(g, a, values, a->components)) {
        return NULL;
    }
    *finite = dense_finite(values, count);
    return values;
}

/// `width` numbers a row; inlined with constant type and width, so that the compiler specialises it.
static inline void load_rows(const lmbi_gltf_accessor *a, uint32_t type, uint32_t width,
                             uint32_t *out, size_t stride)
{
    const size_t size = type == LMBI_GLTF_U8 ? 1 : type == LMBI_GLTF_U16 ? 2 : 4;
    const uint8_t *at = a->data;
    for (size_t i = 0; i < a->count; ++i, at += a->stride, out += stride) {
        for (uint32_t k = 0; k < width; ++k) {
            out[k] = load_unsigned(type, at + k * size);
        }
    }
}

/// The common layouts of joints (four a row) and indices (one a row); false for any other.
static bool load_common(const lmbi_gltf_accessor *a, uint32_t *out, size_t stride)
{
    const uint32_t type = a->component_type, width = a->components;
    if (a->data == NULL || (width != 4 && width != 1)) {
        return false;
    }
    if (type == LMBI_GLTF_U8 && width == 4) {
        load_rows(a, LMBI_GLTF_U8, 4, out, stride);
    } else if (type == LMBI_GLTF_U16 && width == 4) {
        load_rows(a, LMBI_GLTF_U16, 4, out, stride);
    } else if (type == LMBI_GLTF_U16) {
        load_rows(a, LMBI_GLTF_U16, 1, out, stride);
    } else if (type == LMBI_GLTF_U32 && width == 1) {
        load_rows(a, LMBI_GLTF_U32, 1, out, stride);
    } else {
        return false;
    }
    return true;
}

bool lmbi_gltf_decode_u32(lmbi_gltf *g, const lmbi_gltf_accessor *a, uint32_t *out, size_t stride)
{
    if (!check_bytes(g, a)) {
        return false;
    }
    const size_t left = load_common(a, out, stride) ? 0 : a->count;
    for (size_t i = 0; i < left; ++i) {
        for (uint32_t k = 0; k < a->components; ++k) {
            out[i * stride + k] =
                a->data ? load_unsigned(a->component_type,
                                        a->data + i * a->stride + (size_t)k * a->component_size)
                        : 0;
        }
    }
    const size_t element_size = (size_t)a->components * a->component_size;
    for (uint32_t j = 0; j < a->sparse_count; ++j) {
        uint32_t index = 0;
        if (!sparse_index(g, a, j, &index)) {
            return false;
        }
        for (uint32_t k = 0; k < a->components; ++k) {
            out[index * stride + k] =
                load_unsigned(a->component_type,
                              a->sparse_values + j * element_size + (size_t)k * a->component_size);
        }
    }
    return true;
}
