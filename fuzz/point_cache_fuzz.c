// Point caches: PC2, MDD and NumPy arrays. Whatever reads has finite positions.
#include <stdlib.h>

#include "limber/io.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_point_cache *cache = NULL;
    lmb_error error;
    const lmb_point_cache_opts opts = {.unit_m = 0.01f, .up = LMB_AXIS_Z};
    const bool is_one = lmb_content_is(LMB_CONTENT_POINT_CACHE, data, size);
    if (lmb_point_cache_read(data, size, &opts, NULL, &cache, &error) != LMB_OK) {
        return 0;
    }
    if (!is_one || cache->frame_count == 0 || cache->point_count == 0) {
        abort();
    }
    for (size_t k = 0; k < (size_t)cache->frame_count * cache->point_count; ++k) {
        if (!lmb_vec3_is_finite(cache->positions[k])) {
            abort();
        }
    }
    lmb_point_cache_destroy(cache);
    return 0;
}
