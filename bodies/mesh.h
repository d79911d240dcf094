/// From a posed plan to one closed triangle mesh with its materials and truth weights.
#ifndef BODIES_MESH_H
#define BODIES_MESH_H

#include "bodies/body.h"
#include "limber/geometry.h"

enum { LMBI_EYE_SHELL = 128 }; ///< shells from here on are the plan's eyes

typedef struct lmbi_body_mesh {
    const lmb_allocator *alloc;
    lmb_surface surface; ///< its arrays are the mesh's own
    lmb_vec3 *normals;   ///< [vertex_count] unit, outward; NULL before lmbi_body_mesh_normals
    uint8_t *shell; ///< [vertex_count] which shell of the plan, or LMBI_EYE_SHELL + eye, rising
    uint16_t *materials; ///< [triangle_count]
} lmbi_body_mesh;

/// Extracts every shell, leaves `triangle_count` triangles, and settles them on the flesh.
lmb_result lmbi_body_mesh_make(lmbi_plan *plan, uint32_t triangle_count, const lmb_jobs *jobs,
                               lmbi_body_mesh *mesh, lmb_error *error);
void lmbi_body_mesh_free(lmbi_body_mesh *mesh);

/// Resizes the mesh's arrays, what they hold stays. False when out of memory.
bool lmbi_body_mesh_room(lmbi_body_mesh *mesh, uint32_t vertex_count, uint32_t triangle_count);
/// Moves every vertex of flesh back onto it, by steps of at most `step`.
void lmbi_body_mesh_project(const lmbi_plan *plan, const lmbi_body_mesh *mesh, float step,
                            const lmb_jobs *jobs);
/// Fills `normals` from the flesh and the eyes.
lmb_result lmbi_body_mesh_normals(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                  lmb_error *error);
/// Gives every triangle of flesh its material and evens out the lines between materials.
lmb_result lmbi_body_mesh_paint(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                lmb_error *error);
/// Appends the plan's eyeballs. `segments` round each.
lmb_result lmbi_body_mesh_eyes(const lmbi_plan *plan, lmbi_body_mesh *mesh, uint32_t segments,
                               lmb_error *error);
/// Mean edge length.
float lmbi_body_mesh_edge(const lmb_surface *surface);

#endif
