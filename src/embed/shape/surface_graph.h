/// Distances along the surface of a mesh, over its edges and over bridges between its pieces.
#ifndef EMBED_SHAPE_SURFACE_GRAPH_H
#define EMBED_SHAPE_SURFACE_GRAPH_H

#include "embed/shape/frame.h"
#include "embed/shape/voxel_body.h"
#include "geometry/adjacency.h"

enum { LMBI_SURFACE_FIELDS = 6 };

typedef struct lmbi_surface_graph {
    lmbi_frame frame; ///< of the surface's positions
    lmb_surface *surface;
    /// neighbours of vertex v along edges and bridges: to[first[v]] up to to[first[v + 1] - 1]
    uint32_t *first, *to;
    /// [surface vertex_count] distances from the center of the body, then from the farthest vertex,
    /// from the one farthest from both, and so on; infinite where no path leads
    float *distance[LMBI_SURFACE_FIELDS];
    /// [surface vertex_count] distances from the middle of the surface, which is the same in every
    /// pose: where the mean of the fields of far vertices is least
    float *middle;
    const lmb_allocator *alloc;
} lmbi_surface_graph;

/// `soup` is in the frame of the body, which is `frame`. Pieces are joined where they meet most, as a tree. Errors:
/// INVALID, MEMORY.
lmb_result lmbi_surface_graph_create(const lmbi_triangle_soup *soup, const lmbi_voxel_body *body,
                                     const lmbi_frame *frame, lmbi_surface_graph *out,
                                     lmb_error *error);
void lmbi_surface_graph_destroy(lmbi_surface_graph *graph);

/// Lowers the distances of vertices to those of the shortest paths from the seeds, whose distances
/// are set. Paths longer than `most` are not followed. False without memory.
bool lmbi_surface_distances(const lmbi_surface_graph *graph, const uint32_t *seeds,
                            uint32_t seed_count, float most, float *distance);

/// A copy of the body in which limbs are separated from what they touch, by the surface of `graph`:
/// neighbouring voxels are parted if the surface between them is longer than `limit`. `frame` is
/// that of the body, and `limit` in its units. *out_parted is false, and nothing is created, if no
/// more than the share `least` of the solid lies between touching sheets; `out` may be NULL to learn
/// that. The body needs no center. Errors: INVALID, MEMORY.
lmb_result lmbi_body_part_contacts(const lmbi_voxel_body *body, const lmbi_frame *frame,
                                   const lmbi_surface_graph *graph, float limit, float least,
                                   bool *out_parted, lmbi_voxel_body *out, lmb_error *error);

// ---- the parts of the work

/// Fills `first` and `to` anew. `bridges` are pairs of vertices. False without memory.
bool lmbi_surface_graph_connect(lmbi_surface_graph *graph, const lmbi_adjacency *edges,
                                const uint32_t *bridges, uint32_t bridge_count);
/// Fills the distances. False without memory.
bool lmbi_surface_graph_measure(const lmbi_surface_graph *graph, lmb_vec3 center);

typedef void lmbi_surface_visitor(void *user, uint32_t triangle, const float barycentric[3],
                                  lmb_vec3 at);
/// Visits points of every triangle that are at most `step` apart, and its corners; farther apart where that were many
/// millions.
void lmbi_surface_visit(const lmb_surface *surface, float step, lmbi_surface_visitor *visit,
                        void *user);

// ---- ends of limbs, which are found even where a limb has sunk into the body

/// The tips with the longest branches of the distance from the center, longest first: at most
/// LMBI_TIP_LINES, none shorter than `shortest`. out[k].line is &lines[k]. Errors: MEMORY.
lmb_result lmbi_surface_find_tips(const lmbi_surface_graph *graph, const lmbi_voxel_body *body,
                                  float shortest, lmbi_tip *out, uint32_t *out_count,
                                  lmbi_tip_line *lines, lmb_error *error);

#endif
