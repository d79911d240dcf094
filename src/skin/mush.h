/// Direct delta mush: what is kept of the rest pose.
#ifndef SKIN_MUSH_H
#define SKIN_MUSH_H

#include "limber/skin.h"

/// A joint's part in the transform of a point, the 4x4 Omega_ij of Le and Lewis 2019 with its moments taken about the point's own
/// smoothed place p_i instead of the origin, which costs nothing and loses no digits far from it.
typedef struct lmbi_mush_item {
    float weight;    ///< of the moving: (1 - alpha) * sum of B_ki w_kj + alpha * sum of C_ki w_kj
    float mean[3];   ///< (1 - alpha) * sum of B_ki w_kj (u_k - p_i); over a row it sums to zero
    float spread[6]; ///< the second moment, xx yy zz xy yz zx
} lmbi_mush_item;

struct lmb_mush {
    uint32_t vertex_count, point_count;
    uint32_t *point_of; ///< [vertex_count]
    lmb_vec3 *places;   ///< [point_count] p_i
    uint32_t *first;    ///< [point_count + 1]
    uint16_t *joints;   ///< by falling weight
    lmbi_mush_item *items;
    lmb_allocator allocator;
};

/// The Chebyshev series of (1 + strength * (1 - x))^-passes on [-1, 1], which is one implicit smoothing as a function of the
/// walk: coefficients until they fall below 1e-8 of the sum. Returns how many; at most `most`.
uint32_t lmbi_smoother_series(double strength, uint32_t passes, double *coefficients,
                              uint32_t most);

#endif
