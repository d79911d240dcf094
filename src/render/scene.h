/// All surfaces of a job as one list of vertices and triangles, with shading attributes.
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include "limber/render.h"

typedef struct lmbi_scene {
    uint32_t vertex_count, triangle_count;
    lmb_vec3 *positions, *normals, *colors; ///< [vertex_count]
    lmb_vec2 *uvs;                          ///< [vertex_count]
    uint32_t *indices;                      ///< [3 * triangle_count]
    const lmb_picture **textures;           ///< [triangle_count], entries may be NULL
    lmb_box box;
} lmbi_scene;

lmb_result lmbi_scene_build(const lmb_render_job *job, lmbi_scene *scene, lmb_error *error);
void lmbi_scene_free(lmbi_scene *scene, const lmb_allocator *alloc);

#endif
