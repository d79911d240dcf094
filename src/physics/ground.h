/// Triangles of a ground with their neighbours' normals, for collision tests.
#ifndef PHYSICS_GROUND_H
#define PHYSICS_GROUND_H

#include "limber/physics.h"
#include "math/double.h"

/// A triangle of the ground.
typedef struct lmbi_facet {
    lmbi_v3 p[3];
    lmbi_v3 n;      ///< unit, to the free side
    lmbi_v3 out[3]; ///< unit, in the plane, outward across the edge p[k] p[k + 1]
    /// The neighbour's normal is cos n + sin out: contact normals may lean out over the edge as far
    /// as that. Flat and concave edges have 1 and 0; border edges -1 and 0.
    double cos[3], sin[3];
} lmbi_facet;

/// Visits the triangles whose boxes overlap `box`, in the ground's frame, until a visit returns
/// false.
bool lmbi_ground_visit(const lmb_ground *ground, lmb_box box,
                       bool (*visit)(void *user, uint32_t triangle), void *user);
/// Facet in the ground's frame. False if it has no area.
bool lmbi_ground_facet(const lmb_ground *ground, uint32_t triangle, lmbi_facet *out);
lmb_box lmbi_ground_box(const lmb_ground *ground);
/// Whether all below is solid: true for height fields.
bool lmbi_ground_is_solid(const lmb_ground *ground);

#endif
