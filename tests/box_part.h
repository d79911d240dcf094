#ifndef TESTS_BOX_PART_H
#define TESTS_BOX_PART_H

#include "limber/geometry.h"

enum { BOX_POINTS = 24, BOX_INDICES = 36 };

/// A box from `low` to `high` with corners of its own for each face, as exporters write it.
static inline lmb_surface_part box_part(lmb_vec3 low, lmb_vec3 high, lmb_vec3 points[BOX_POINTS],
                                        uint32_t indices[BOX_INDICES])
{
    for (uint32_t face = 0; face < 6; ++face) {
        const uint32_t axis = face / 2, first = 4 * face;
        static const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t c = 0; c < 4; ++c) {
            float t[3];
            t[axis] = (float)(face % 2);
            t[(axis + 1) % 3] = (float)(c == 1 || c == 2);
            t[(axis + 2) % 3] = (float)(c >= 2);
            points[first + c] =
                lmb_vec3_make(low.x + t[0] * (high.x - low.x), low.y + t[1] * (high.y - low.y),
                              low.z + t[2] * (high.z - low.z));
        }
        for (uint32_t i = 0; i < 6; ++i) {
            indices[6 * face + i] = first + quad[face % 2 == 1 ? i : 5 - i]; // outward
        }
    }
    return (lmb_surface_part){.positions = points,
                              .vertex_count = BOX_POINTS,
                              .indices = indices,
                              .index_count = BOX_INDICES};
}

#endif
