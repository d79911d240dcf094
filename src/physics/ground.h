/// What bodies meet of a ground: triangles, and past which of their edges the next one bends away.
#ifndef PHYSICS_GROUND_H
#define PHYSICS_GROUND_H

#include "limber/physics.h"
#include "physics/real.h"

/// A triangle of the ground.
typedef struct lmbi_facet {
    lmbi_v3 p[3];
    lmbi_v3 n;      ///< unit, to the free side
    lmbi_v3 out[3]; ///< unit, in the plane, out of the triangle past the edge from p[k] to p[k + 1]
    /// The next triangle's normal is cos n + sin out: a contact may lean out over the edge as far
    /// as that. An edge that is flat or hollow has 1 and 0; one without a next triangle -1 and 0.
    double cos[3], sin[3];
} lmbi_facet;

/// Numbers of the triangles whose boxes meet `box`, in the ground's frame, until a visit is false.
bool lmbi_ground_visit(const lmb_ground *ground, lmb_box box,
                       bool (*visit)(void *user, uint32_t triangle), void *user);
/// In the ground's frame. False for one without area.
bool lmbi_ground_facet(const lmb_ground *ground, uint32_t triangle, lmbi_facet *out);
lmb_box lmbi_ground_box(const lmb_ground *ground);
/// Whether all below it is solid: true for a field of heights.
bool lmbi_ground_is_solid(const lmb_ground *ground);

#endif
