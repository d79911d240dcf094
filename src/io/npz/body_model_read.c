// Readers of SMPL's and STAR's files: the arrays of the released models, as NumPy saves them.
#include <stdio.h>
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/common.h"
#include "io/npz.h"
#include "io/npz/smpl_names.h"
#include "limber/io.h"

typedef struct model_reader {
    const lmbi_npz *npz;
    lmbi_arena arena;
    lmb_body_model def;
    lmb_error *error;
} model_reader;

// ----------------------------------------------------------------------------------------- arrays

/// The array of that name with `dimensions` dimensions. NULL, with the error set, when it is
/// missing or not numeric.
static const lmbi_npz_array *find_array(model_reader *r, const char *name, uint32_t dimensions,
                                        lmb_result *result)
{
    const lmbi_npz_array *array = lmbi_npz_find(r->npz, name);
    char expected[80];
    *result = LMB_OK;
    if (array == NULL) {
        snprintf(expected, sizeof expected, "an array %s", name);
        *result = lmbi_fail(r->error, LMB_ERROR_MALFORMED, expected, "none");
    } else if (array->type == LMBI_NUMBER_OBJECT) {
        snprintf(expected, sizeof expected, "%s as plain numbers", name);
        *result = lmbi_fail(r->error, LMB_ERROR_UNSUPPORTED, expected,
                            "pickled Python objects in %s; save it again as plain numbers "
                            "(numpy.asarray, or .toarray() of a sparse one)",
                            name);
    } else if (!lmbi_npz_is_numeric(array) || array->dimension_count != dimensions) {
        snprintf(expected, sizeof expected, "%s as numbers in %u dimensions", name, dimensions);
        *result = lmbi_fail(r->error, LMB_ERROR_MALFORMED, expected,
                            "%u dimensions of another kind", array->dimension_count);
    }
    return *result == LMB_OK ? array : NULL;
}

static lmb_result fail_shape(model_reader *r, const char *name, const lmbi_npz_array *array)
{
    char expected[80], found[160] = "";
    snprintf(expected, sizeof expected, "%s of a shape that fits the other arrays", name);
    for (uint32_t d = 0; d < array->dimension_count; ++d) {
        const size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%llu", d ? " x " : "",
                 (unsigned long long)array->shape[d]);
    }
    return lmbi_fail(r->error, LMB_ERROR_MALFORMED, expected, "%s", found);
}

/// The array of that name with two dimensions of these sizes. NULL, with the result, for another.
static const lmbi_npz_array *find_matrix(model_reader *r, const char *name, uint32_t rows,
                                         uint32_t columns, lmb_result *result)
{
    const lmbi_npz_array *array = find_array(r, name, 2, result);
    if (array != NULL && (array->shape[0] != rows || array->shape[1] != columns)) {
        *result = fail_shape(r, name, array);
        return NULL;
    }
    return array;
}

/// Whether an entry of a matrix is kept: zeros are not.
static bool is_kept(double entry)
{
    return entry < 0 || entry > 0 || entry != entry;
}

/// Number of entries that are kept; SIZE_MAX where 32 bits do not hold it.
static size_t count_kept(const lmbi_npz_array *array)
{
    size_t total = 0;
    for (size_t k = 0; k < array->count; ++k) {
        total += is_kept(lmbi_npz_number(array, k));
    }
    return total > UINT32_MAX ? SIZE_MAX : total;
}

static void *arena_array(model_reader *r, size_t count, size_t size)
{
    return lmbi_arena_array(&r->arena, count, size);
}

static lmb_result read_vertices(model_reader *r)
{
    lmb_result result;
    const lmbi_npz_array *array = find_array(r, "v_template", 2, &result);
    if (array == NULL) {
        return result;
    }
    if (array->shape[1] != 3 || array->shape[0] == 0 || array->shape[0] > UINT32_MAX / 3) {
        return fail_shape(r, "v_template", array);
    }
    r->def.vertex_count = (uint32_t)array->shape[0];
    r->def.positions = arena_array(r, r->def.vertex_count, sizeof(lmb_vec3));
    if (r->def.positions == NULL) {
        return lmbi_fail_memory(r->error);
    }
    lmbi_npz_floats(array, &r->def.positions->x);
    return LMB_OK;
}

static lmb_result read_triangles(model_reader *r)
{
    lmb_result result;
    const lmbi_npz_array *array = find_array(r, "f", 2, &result);
    if (array == NULL) {
        return result;
    }
    if (array->shape[1] != 3 || array->count > UINT32_MAX) {
        return fail_shape(r, "f", array);
    }
    r->def.index_count = (uint32_t)array->count;
    r->def.indices = arena_array(r, array->count, sizeof(uint32_t));
    if (r->def.indices == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (size_t k = 0; k < array->count; ++k) {
        const double index = lmbi_npz_number(array, k);
        // The check of all indices below also finds values that are not indices.
        r->def.indices[k] = index >= 0 && index < (double)UINT32_MAX ? (uint32_t)index : UINT32_MAX;
    }
    return LMB_OK;
}

/// Reads blend shape directions. Files store them with the coefficient running fastest, as
/// (vertices, 3, count) or (3 vertices, count); here every coefficient has an array of its own.
static lmb_result read_directions(model_reader *r, const char *name, lmb_vec3 **out,
                                  uint32_t *out_count)
{
    const lmbi_npz_array *array = lmbi_npz_find(r->npz, name);
    const uint32_t n = r->def.vertex_count;
    lmb_result result = LMB_OK;
    if (array == NULL) {
        return LMB_OK;
    }
    array = find_array(r, name, array->dimension_count == 2 ? 2 : 3, &result);
    if (array == NULL) {
        return result;
    }
    const bool flat = array->dimension_count == 2;
    const uint64_t stated = array->shape[flat ? 1 : 2];
    const size_t count = stated > 100000 ? 0 : (size_t)stated;
    if ((flat ? array->shape[0] != (uint64_t)n * 3
              : array->shape[0] != n || array->shape[1] != 3) ||
        stated > 100000) {
        return fail_shape(r, name, array);
    }
    float *directions = arena_array(r, lmbi_size_mul((size_t)n * 3, count), sizeof *directions);
    if (directions == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (size_t row = 0; row < (size_t)n * 3; ++row) {
        for (size_t k = 0; k < count; ++k) {
            directions[k * n * 3 + row] = (float)lmbi_npz_number(array, row * count + k);
        }
    }
    *out = (lmb_vec3 *)directions;
    *out_count = (uint32_t)count;
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- joints

/// Reads the tree. Row 0 gives each joint's parent by the numbers of row 1; a number that row 1
/// does not have (2^32 - 1, -1) means no parent.
static lmb_result read_tree(model_reader *r)
{
    lmb_result result;
    const lmbi_npz_array *array = find_array(r, "kintree_table", 2, &result);
    if (array == NULL) {
        return result;
    }
    const size_t count = array->shape[1] > 65536 ? 0 : (size_t)array->shape[1];
    if (array->shape[0] != 2 || count == 0) {
        return fail_shape(r, "kintree_table", array);
    }
    r->def.joint_count = (uint32_t)count;
    r->def.parents = arena_array(r, count, sizeof(int32_t));
    if (r->def.parents == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (size_t j = 0; j < count; ++j) {
        const double parent = lmbi_npz_number(array, j);
        r->def.parents[j] = LMB_NONE;
        for (size_t k = 0; k < count; ++k) {
            const double number = lmbi_npz_number(array, count + k);
            if (number >= parent && number <= parent) {
                r->def.parents[j] = (int32_t)k;
            }
        }
    }
    // Some files give the root itself as its parent.
    r->def.parents[0] = r->def.parents[0] == 0 ? LMB_NONE : r->def.parents[0];
    return LMB_OK;
}

static const char *joint_name(model_reader *r, uint32_t j)
{
    const uint32_t count = r->def.joint_count;
    lmbi_smpl_joint joint;
    if (count >= LMBI_SMPL && lmbi_smpl_is_known(count)) {
        lmbi_smpl_joint_of(count, j, &joint);
    } else {
        snprintf(joint.name, sizeof joint.name, "joint%u", j);
    }
    return lmbi_arena_string(&r->arena, joint.name, strlen(joint.name));
}

/// Name j of an array of text, of which what is not ASCII is a question mark. NULL where there is none or no memory.
static const char *given_name(model_reader *r, const lmbi_npz_array *names, uint32_t j)
{
    char text[65] = "";
    const size_t width = names->type == LMBI_NUMBER_TEXT ? 4 : 1;
    const size_t length = names->item_size / width;
    const uint8_t *at = names->data + (size_t)j * names->item_size;
    for (size_t k = 0; k < length && k + 1 < sizeof text; ++k, at += width) {
        const uint8_t *low = names->big_endian ? at + width - 1 : at;
        bool ascii = *low < 128;
        for (size_t b = 0; b < width; ++b) {
            ascii = ascii && (at + b == low || at[b] == 0);
        }
        text[k] = ascii ? (char)*low : '?';
    }
    return text[0] != 0 ? lmbi_arena_string(&r->arena, text, strlen(text)) : NULL;
}

/// The names that the file gives, where they are as many as the joints.
static const lmbi_npz_array *find_names(const model_reader *r)
{
    const lmbi_npz_array *names = lmbi_npz_find(r->npz, "joint_names");
    const bool fits = names != NULL && names->dimension_count == 1 &&
                      (names->type == LMBI_NUMBER_TEXT || names->type == LMBI_NUMBER_BYTES) &&
                      names->shape[0] == r->def.joint_count && names->data != NULL;
    return fits ? names : NULL;
}

static lmb_result name_joints(model_reader *r)
{
    const lmbi_npz_array *given = find_names(r);
    r->def.names = arena_array(r, r->def.joint_count, sizeof(char *));
    for (uint32_t j = 0; r->def.names != NULL && j < r->def.joint_count; ++j) {
        r->def.names[j] = given != NULL ? given_name(r, given, j) : NULL;
        r->def.names[j] = r->def.names[j] != NULL ? r->def.names[j] : joint_name(r, j);
        if (r->def.names[j] == NULL) {
            return lmbi_fail_memory(r->error);
        }
    }
    return r->def.names != NULL ? LMB_OK : lmbi_fail_memory(r->error);
}

static lmb_result read_weights(model_reader *r)
{
    lmb_result result;
    const uint32_t n = r->def.vertex_count, joints = r->def.joint_count;
    const lmbi_npz_array *array = find_matrix(r, "weights", n, joints, &result);
    if (array == NULL) {
        return result;
    }
    lmb_influences *rows = &r->def.influences;
    rows->first = arena_array(r, (size_t)n + 1, sizeof(uint32_t));
    rows->items = arena_array(r, count_kept(array), sizeof(lmb_influence));
    if (rows->first == NULL || rows->items == NULL) {
        return lmbi_fail_memory(r->error);
    }
    uint32_t at = 0;
    for (uint32_t v = 0; v < n; ++v) {
        rows->first[v] = at;
        for (uint32_t j = 0; j < joints; ++j) {
            const double weight = lmbi_npz_number(array, (size_t)v * joints + j);
            if (is_kept(weight)) {
                rows->items[at++] = (lmb_influence){j, (float)weight};
            }
        }
        lmbi_influences_sort(rows->items + rows->first[v], at - rows->first[v]);
    }
    rows->first[n] = at;
    return LMB_OK;
}

static lmb_result read_regressor(model_reader *r)
{
    lmb_result result;
    const uint32_t n = r->def.vertex_count, joints = r->def.joint_count;
    const lmbi_npz_array *array = find_matrix(r, "J_regressor", joints, n, &result);
    if (array == NULL) {
        return result;
    }
    const size_t total = count_kept(array);
    lmb_body_model *def = &r->def;
    def->regressor_first = arena_array(r, (size_t)joints + 1, sizeof(uint32_t));
    def->regressor_vertices = arena_array(r, total, sizeof(uint32_t));
    def->regressor_weights = arena_array(r, total, sizeof(float));
    if (!def->regressor_first || !def->regressor_vertices || !def->regressor_weights) {
        return lmbi_fail_memory(r->error);
    }
    uint32_t at = 0;
    for (size_t k = 0; k < array->count; ++k) {
        const double weight = lmbi_npz_number(array, k);
        if (is_kept(weight)) {
            def->regressor_vertices[at] = (uint32_t)(k % n);
            def->regressor_weights[at++] = (float)weight;
        }
        def->regressor_first[k / n + 1] = at;
    }
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- models

static lmb_result read_features(model_reader *r)
{
    lmb_body_model *def = &r->def;
    lmb_result result = read_directions(r, "posedirs", &def->pose_directions, &def->feature_count);
    const uint32_t others = def->joint_count - 1;
    if (result != LMB_OK || def->feature_count == 0) {
        return result;
    }
    def->feature_of_shape = def->feature_count == 4 * others + 1;
    def->features =
        def->feature_count == 9 * others ? LMB_FEATURES_MATRIX : LMB_FEATURES_QUATERNION;
    if (def->features == LMB_FEATURES_QUATERNION &&
        def->feature_count != 4 * others + def->feature_of_shape) {
        return fail_shape(r, "posedirs", lmbi_npz_find(r->npz, "posedirs"));
    }
    return LMB_OK;
}

static lmb_result read_all(model_reader *r)
{
    static lmb_result (*const steps[])(model_reader *) = {
        read_vertices, read_triangles, read_tree, name_joints, read_weights, read_regressor};
    lmb_result result = LMB_OK;
    for (size_t k = 0; result == LMB_OK && k < sizeof steps / sizeof *steps; ++k) {
        result = steps[k](r);
    }
    if (result == LMB_OK) {
        result = read_directions(r, "shapedirs", &r->def.shape_directions, &r->def.shape_count);
    }
    return result == LMB_OK ? read_features(r) : result;
}

bool lmbi_body_model_is(const void *bytes, size_t size)
{
    static const char *const names[] = {"v_template", "kintree_table"};
    lmbi_npz *npz = NULL;
    const bool is = lmbi_npz_read_named(bytes, size, names, 2, NULL, &npz, NULL) == LMB_OK &&
                    lmbi_npz_find(npz, names[0]) != NULL && lmbi_npz_find(npz, names[1]) != NULL;
    lmbi_npz_destroy(npz);
    return is;
}

lmb_result lmb_body_model_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                               lmb_body_model **out, lmb_error *error)
{
    static const char *const names[] = {"v_template",  "f",         "weights",  "kintree_table",
                                        "J_regressor", "shapedirs", "posedirs", "joint_names"};
    lmbi_npz *npz = NULL;
    lmb_result result =
        lmbi_npz_read_named(bytes, size, names, sizeof names / sizeof *names, alloc, &npz, error);
    if (result != LMB_OK) {
        return result;
    }
    model_reader r = {.npz = npz, .error = error};
    lmbi_arena_init(&r.arena, alloc);
    result = read_all(&r);
    if (result == LMB_OK) {
        result = lmbi_body_model_create(&r.def, alloc, out, error);
    }
    lmbi_arena_free(&r.arena);
    lmbi_npz_destroy(npz);
    return result;
}
