#include <math.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

/// Index of the first inf or nan; `count` without any.
static size_t find_not_finite(const float *numbers, size_t count)
{
    size_t k = 0;
    while (k < count && isfinite(numbers[k])) {
        ++k;
    }
    return k;
}

static lmb_result check_numbers(const lmb_body_model *def, lmb_error *error)
{
    const size_t n = (size_t)def->vertex_count * 3;
    const struct {
        const char *name;
        const void *numbers;
        size_t count;
    } arrays[] = {
        {"finite positions", def->positions, n},
        {"finite shape directions", def->shape_directions, n * def->shape_count},
        {"finite pose directions", def->pose_directions, n * def->feature_count},
        {"finite regressor weights", def->regressor_weights,
         def->regressor_first[def->joint_count]},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        const float *numbers = arrays[k].numbers;
        const size_t at = find_not_finite(numbers, arrays[k].count);
        if (at < arrays[k].count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, arrays[k].name, "%g as number %zu",
                             (double)numbers[at], at);
        }
    }
    return LMB_OK;
}

static lmb_result check_tree(const lmb_body_model *def, lmb_error *error)
{
    for (uint32_t j = 0; j < def->joint_count; ++j) {
        const int32_t parent = def->parents[j];
        if (j == 0 ? parent != LMB_NONE : parent < 0 || (uint32_t)parent >= j) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "one root, and parents before children",
                             "joint %u below %d", j, parent);
        }
        if (def->regressor_first[j + 1] < def->regressor_first[j] || def->regressor_first[0] != 0) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "rows of the regressor in order",
                             "row %u from entry %u to %u", j, def->regressor_first[j],
                             def->regressor_first[j + 1]);
        }
    }
    for (uint32_t k = 0; k < def->regressor_first[def->joint_count]; ++k) {
        if (def->regressor_vertices[k] >= def->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a vertex of the body", "vertex %u of %u",
                             def->regressor_vertices[k], def->vertex_count);
        }
    }
    return LMB_OK;
}

static lmb_result check_skin(const lmb_body_model *def, lmb_error *error)
{
    const uint32_t *first = def->influences.first;
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        if (first[v + 1] < first[v] || first[0] != 0) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "rows of influences in order",
                             "row %u from entry %u to %u", v, first[v], first[v + 1]);
        }
    }
    for (uint32_t k = 0; k < first[def->vertex_count]; ++k) {
        const lmb_influence *item = &def->influences.items[k];
        if (item->joint >= def->joint_count || !(item->weight >= 0) || !isfinite(item->weight)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "weights of 0 or more for joints there are",
                             "%g for joint %u of %u", (double)item->weight, item->joint,
                             def->joint_count);
        }
    }
    for (uint32_t k = 0; k < def->index_count; ++k) {
        if (def->indices[k] >= def->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a vertex of the body", "vertex %u of %u",
                             def->indices[k], def->vertex_count);
        }
    }
    return LMB_OK;
}

static lmb_result check_counts(const lmb_body_model *def, lmb_error *error)
{
    if (def->vertex_count == 0 || def->joint_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "vertices and joints", "%u and %u",
                         def->vertex_count, def->joint_count);
    }
    static const uint32_t per_joint[] = {0, 9, 4};
    const uint64_t features =
        (uint64_t)per_joint[def->features] * (def->joint_count - 1) + def->feature_of_shape;
    if (features != def->feature_count || (def->feature_of_shape && def->shape_count < 2)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "as many pose directions as features",
                         "%u for %u joints", def->feature_count, def->joint_count);
    }
    return LMB_OK;
}

static void *copy_model(lmbi_block *block, const void *definition)
{
    const lmb_body_model *def = definition;
    const size_t n = def->vertex_count;
    lmb_body_model copy = *def;
    lmb_body_model *model = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.positions = lmbi_block_array(block, def->positions, n, sizeof(lmb_vec3));
    copy.shape_directions = lmbi_block_array(block, def->shape_directions,
                                             lmbi_size_mul(n, def->shape_count), sizeof(lmb_vec3));
    copy.pose_directions = lmbi_block_array(block, def->pose_directions,
                                            lmbi_size_mul(n, def->feature_count), sizeof(lmb_vec3));
    copy.parents = lmbi_block_array(block, def->parents, def->joint_count, sizeof(int32_t));
    copy.names = lmbi_block_array(block, def->names, def->joint_count, sizeof(char *));
    for (uint32_t j = 0; j < def->joint_count; ++j) {
        const char *name = lmbi_block_string(block, def->names[j]);
        if (copy.names != NULL) {
            copy.names[j] = name;
        }
    }
    const lmb_influences *rows = &def->influences;
    copy.influences.first = lmbi_block_array(block, rows->first, n + 1, sizeof(uint32_t));
    copy.influences.items =
        lmbi_block_array(block, rows->items, rows->first[n], sizeof(lmb_influence));
    const size_t terms = def->regressor_first[def->joint_count];
    copy.regressor_first = lmbi_block_array(block, def->regressor_first,
                                            (size_t)def->joint_count + 1, sizeof(uint32_t));
    copy.regressor_vertices =
        lmbi_block_array(block, def->regressor_vertices, terms, sizeof(uint32_t));
    copy.regressor_weights = lmbi_block_array(block, def->regressor_weights, terms, sizeof(float));
    copy.indices = lmbi_block_array(block, def->indices, def->index_count, sizeof(uint32_t));
    if (model != NULL) {
        *model = copy;
    }
    return model;
}

lmb_result lmbi_body_model_check(const lmb_body_model *def, lmb_error *error)
{
    lmb_result result = check_counts(def, error);
    if (result == LMB_OK) {
        result = check_tree(def, error);
    }
    if (result == LMB_OK) {
        result = check_skin(def, error);
    }
    if (result == LMB_OK) {
        result = check_numbers(def, error);
    }
    return result;
}

lmb_result lmbi_body_model_create(const lmb_body_model *def, const lmb_allocator *alloc,
                                  lmb_body_model **out, lmb_error *error)
{
    const lmb_result result = lmbi_body_model_check(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_body_model *model = lmbi_block_build(copy_model, def, alloc);
    if (model == NULL) {
        return lmbi_fail_memory(error);
    }
    model->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = model;
    return LMB_OK;
}

void lmb_body_model_destroy(lmb_body_model *model)
{
    if (model != NULL) {
        lmbi_free_own(&model->allocator, model);
    }
}

void lmb_body_motion_destroy(lmb_body_motion *motion)
{
    if (motion != NULL) {
        const lmb_allocator alloc = motion->allocator;
        lmbi_free(&alloc, motion->rotations);
        lmbi_free(&alloc, motion->translations);
        lmbi_free(&alloc, motion->shape);
        lmbi_free(&alloc, motion);
    }
}
