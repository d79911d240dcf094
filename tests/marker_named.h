#ifndef TESTS_MARKER_NAMED_H
#define TESTS_MARKER_NAMED_H

#include "limber/asset.h"

#include <string.h>

/// Index of the first marker of that name, or LMB_NONE.
static inline int32_t marker_named(const lmb_markers *markers, const char *name)
{
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        if (strcmp(markers->names[m], name) == 0) {
            return (int32_t)m;
        }
    }
    return LMB_NONE;
}

#endif
