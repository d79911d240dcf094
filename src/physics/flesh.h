/// Soft tissue: particles of a skin, its edges and its regions.
#ifndef PHYSICS_FLESH_H
#define PHYSICS_FLESH_H

#include "limber/physics.h"

typedef struct lmbi_flesh_edge {
    uint32_t a, b;
    float length, lambda;
} lmbi_flesh_edge;

/// Boundary edge of a region, from a to b as in the region's own triangle.
typedef struct lmbi_flesh_boundary_edge {
    uint32_t a, b, loop;
} lmbi_flesh_boundary_edge;

typedef struct lmbi_flesh_region {
    uint32_t first_triangle, triangle_count; ///< in `triangles`, in threes
    uint32_t first_boundary_edge, boundary_edge_count;
    uint32_t first_member, member_count; ///< in `members`: its particles
    uint32_t first_loop, loop_count;
    double volume; ///< at rest
    float size;    ///< 2% of its diagonal: the most a sub-step moves a particle for its volume
} lmbi_flesh_region;

struct lmb_soft_tissue {
    uint32_t vertex_count, particle_count, edge_count, region_count, triangle_count,
        boundary_edge_count, member_count, loop_count;
    float frequency_hz, damping, stretch_hz;
    uint32_t *particle_of;  ///< [vertex_count]
    uint32_t *vertex_of;    ///< [particle_count] one of its vertices
    float *hz;              ///< [particle_count] of the spring to its target
    float *volume_weight;   ///< [particle_count]
    lmbi_flesh_edge *edges; ///< sorted by colour: no shared particle within one, but for the last
    lmbi_flesh_region *regions;
    uint32_t *triangles, *members;
    uint32_t *surface_triangles; ///< [3 * surface_triangle_count] particles
    uint32_t surface_triangle_count;
    lmbi_flesh_boundary_edge *boundary_edges;
    uint32_t *loop_sides; ///< [loop_count]
    // state of the motion
    lmb_vec3 *position, *previous, *velocity, *target, *target_before, *gradient;
    float *spring_weight, *damping_weight; ///< [particle_count] of the current sub-step length
    lmb_vec3 *normals[2];                  ///< [particle_count] of the targets and of the particles
    lmb_vec3 *loop_center;                 ///< [loop_count]
    lmb_vec3 *loop_gradient;               ///< [loop_count]
    bool started, fresh;                   ///< fresh: no time has passed since the start
    lmb_allocator allocator;
};

/// Current volume of a region. Sets its gradient per particle, times 6, in flesh->gradient.
double lmbi_flesh_volume(lmb_soft_tissue *flesh, const lmbi_flesh_region *region);

#endif
