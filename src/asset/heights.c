#include <math.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static lmb_result check_heights(const lmb_height_field *def, lmb_error *error)
{
    const uint64_t count = (uint64_t)def->columns * def->rows;
    if (def->columns < 2 || def->rows < 2 || count > UINT32_C(1) << 28) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "2 x 2 to 2^28 heights", "%u x %u",
                         (unsigned)def->columns, (unsigned)def->rows);
    }
    for (int k = 0; k < 2; ++k) {
        if (!(def->spacing[k] > 0.0f && isfinite(def->spacing[k]))) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a spacing above 0", "%g",
                             (double)def->spacing[k]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        if (isinf(def->heights[i])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a height or NaN",
                             "infinity in column %u of row %u", (unsigned)(i % def->columns),
                             (unsigned)(i / def->columns));
        }
    }
    return LMB_OK;
}

static void *copy_heights(lmbi_block *block, const void *definition)
{
    const lmb_height_field *def = definition;
    lmb_height_field *heights = lmbi_block_array(block, def, 1, sizeof *def);
    float *values = lmbi_block_array(block, def->heights, (size_t)def->columns * def->rows,
                                     sizeof *def->heights);
    if (heights != NULL) {
        heights->heights = values;
    }
    return heights;
}

lmb_result lmb_height_field_create(const lmb_height_field *def, const lmb_allocator *alloc,
                                   lmb_height_field **out, lmb_error *error)
{
    const lmb_result result = check_heights(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_height_field *heights = lmbi_block_build(copy_heights, def, alloc);
    if (heights == NULL) {
        return lmbi_fail_memory(error);
    }
    heights->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = heights;
    return LMB_OK;
}

void lmb_height_field_destroy(lmb_height_field *heights)
{
    if (heights != NULL) {
        lmbi_free_own(&heights->allocator, heights);
    }
}
