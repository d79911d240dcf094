/// Delta mush: the compiled surface, and its smoothing.
#ifndef SKIN_DELTA_MUSH_H
#define SKIN_DELTA_MUSH_H

#include "limber/skin.h"
#include "simd/four.h"

/// A triangle seen from one of its corners: the other two corners, counter-clockwise.
typedef struct lmbi_delta_corner {
    uint32_t next, last;
} lmbi_delta_corner;

/// Offset of a point from its smoothed position, in the local frame of the smoothed surface.
typedef struct lmbi_delta_detail {
    lmbi_four delta;           ///< along tangent, bitangent, normal
    lmbi_four tangent, normal; ///< of the rest frame
} lmbi_delta_detail;

struct lmb_delta_mush {
    uint32_t vertex_count, point_count, passes;
    float fraction;
    uint32_t *member_first; ///< [point_count + 1] in members
    uint32_t *members;      ///< [vertex_count] vertices of each point
    uint32_t *first;        ///< [point_count + 1] in neighbors; empty rows for pinned points
    uint32_t *neighbors;
    uint32_t *corner_first; ///< [point_count + 1] in corners
    lmbi_delta_corner *corners;
    uint32_t *tangent_neighbor; ///< [point_count] the neighbour that defines the tangent direction
    lmbi_delta_detail *details; ///< [point_count] of the rest mesh
    lmb_vec3 *normals;          ///< [vertex_count] at rest, or NULL
    lmb_vec4 *tangents;
    lmb_allocator allocator;
};

/// Smooths the positions of the points. `one` and `other` are buffers [point_count]; returns the
/// one that holds the result.
lmbi_four *lmbi_delta_smooth(const lmb_delta_mush *mush, const lmb_vec3 *positions, lmbi_four *one,
                             lmbi_four *other, const lmb_jobs *jobs);
/// Offsets of `positions` from their smoothed positions.
void lmbi_delta_details(const lmb_delta_mush *mush, const lmb_vec3 *positions,
                        const lmbi_four *smoothed, lmbi_delta_detail *out, const lmb_jobs *jobs);

#endif
