/// What an archive of arrays holds.
#include "io/common.h"

bool lmb_content_is(lmb_content content, const void *bytes, size_t size)
{
    switch (content) {
    case LMB_CONTENT_BODY_MODEL:
        return lmbi_body_model_is(bytes, size);
    case LMB_CONTENT_MARKERS:
        return lmbi_marker_npz_is(bytes, size);
    case LMB_CONTENT_POINT_CACHE:
        return lmbi_point_cache_is(bytes, size);
    }
    return false;
}
