/// Builds one closed triangle mesh with materials from a posed plan.
#ifndef BODIES_MESH_H
#define BODIES_MESH_H

#include "bodies/body.h"
#include "limber/geometry.h"

enum { LMBI_EYE_SHELL = 128 }; ///< shells from here on are the plan's eyes

typedef struct lmbi_body_mesh {
    const lmb_allocator *alloc;
    lmb_surface surface; ///< its arrays are the mesh's own
    lmb_vec3 *normals;   ///< [vertex_count] unit, outward; NULL before lmbi_body_mesh_normals
    uint8_t *shell;      ///< [vertex_count] shell of the plan, or LMBI_EYE_SHELL + eye, ascending
    uint16_t *materials; ///< [triangle_count]
} lmbi_body_mesh;

/// Extracts every shell, simplifies to `triangle_count` triangles and projects the vertices onto
/// the fields.
lmb_result lmbi_body_mesh_make(lmbi_plan *plan, uint32_t triangle_count, const lmb_jobs *jobs,
                               lmbi_body_mesh *mesh, lmb_error *error);
void lmbi_body_mesh_free(lmbi_body_mesh *mesh);

/// Resizes the mesh's arrays and keeps their contents. False when out of memory.
bool lmbi_body_mesh_room(lmbi_body_mesh *mesh, uint32_t vertex_count, uint32_t triangle_count);
/// Projects every vertex onto its field, by steps of at most `step`.
void lmbi_body_mesh_project(const lmbi_plan *plan, const lmbi_body_mesh *mesh, float step,
                            const lmb_jobs *jobs);
/// Computes `normals` from the fields and the eyes.
lmb_result lmbi_body_mesh_normals(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                  lmb_error *error);
/// Gives every triangle of a field its material and smooths the borders between materials.
lmb_result lmbi_body_mesh_paint(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                lmb_error *error);
/// Appends the plan's eyeballs, with `segments` around each.
lmb_result lmbi_body_mesh_eyes(const lmbi_plan *plan, lmbi_body_mesh *mesh, uint32_t segments,
                               lmb_error *error);
/// Mean edge length.
float lmbi_body_mesh_edge(const lmb_surface *surface);

#endif
