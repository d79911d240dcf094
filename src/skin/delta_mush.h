/// Delta mush: what is kept of the surface, and how it is smoothed.
#ifndef SKIN_DELTA_MUSH_H
#define SKIN_DELTA_MUSH_H

#include "limber/skin.h"
#include "simd/four.h"

/// A triangle as one of its corners sees it: the other two, counter-clockwise.
typedef struct lmbi_delta_corner {
    uint32_t next, last;
} lmbi_delta_corner;

/// What lies between a point and its smoothed place, in the frame of the smoothed surface there.
typedef struct lmbi_delta_detail {
    lmbi_four delta;           ///< along tangent, bitangent, normal
    lmbi_four tangent, normal; ///< of the frame at rest
} lmbi_delta_detail;

struct lmb_delta_mush {
    uint32_t vertex_count, point_count, passes;
    float share;
    uint32_t *member_first; ///< [point_count + 1] in members
    uint32_t *members;      ///< [vertex_count] vertices of each point
    uint32_t *first;        ///< [point_count + 1] in neighbors; none where a point is held
    uint32_t *neighbors;
    uint32_t *corner_first; ///< [point_count + 1] in corners
    lmbi_delta_corner *corners;
    uint32_t *toward;           ///< [point_count] the neighbour that the tangent points to
    lmbi_delta_detail *details; ///< [point_count] of the mesh at rest
    lmb_vec3 *normals;          ///< [vertex_count] at rest, or NULL
    lmb_vec4 *tangents;
    lmb_allocator allocator;
};

/// The smoothed places of the points, in one of the two arrays of [point_count].
lmbi_four *lmbi_delta_smooth(const lmb_delta_mush *mush, const lmb_vec3 *positions, lmbi_four *one,
                             lmbi_four *other, const lmb_jobs *jobs);
/// The details of `positions` above their smoothed places.
void lmbi_delta_details(const lmb_delta_mush *mush, const lmb_vec3 *positions,
                        const lmbi_four *smoothed, lmbi_delta_detail *out, const lmb_jobs *jobs);

#endif
