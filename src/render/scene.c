#include "render/scene.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static lmb_result check_surfaces(const lmb_render_job *job, uint64_t *vertices, uint64_t *indices,
                                 lmb_error *error)
{
    for (uint32_t s = 0; s < job->surface_count; ++s) {
        const lmb_render_surface *surface = &job->surfaces[s];
        for (uint32_t i = 0; i < surface->index_count; ++i) {
            if (surface->indices[i] >= surface->vertex_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "indices of vertices that exist",
                                 "surface %u: index %u is %u", s, i, surface->indices[i]);
            }
        }
        *vertices += surface->vertex_count;
        *indices += surface->index_count - surface->index_count % 3;
    }
    if (*vertices > UINT32_MAX / 4 || *indices > UINT32_MAX / 4) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "fewer than 2^30 vertices", "%llu",
                         (unsigned long long)*vertices);
    }
    return LMB_OK;
}

/// Area-weighted: the length of the cross product is twice the area.
static void average_normals(lmbi_scene *scene, uint32_t first_vertex, uint32_t vertex_count,
                            uint32_t first_index, uint32_t index_count)
{
    for (uint32_t i = first_index; i + 2 < first_index + index_count; i += 3) {
        const uint32_t *t = &scene->indices[i];
        const lmb_vec3 a = scene->positions[t[0]];
        const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(scene->positions[t[1]], a),
                                          lmb_vec3_sub(scene->positions[t[2]], a));
        for (int k = 0; k < 3; ++k) {
            scene->normals[t[k]] = lmb_vec3_add(scene->normals[t[k]], n);
        }
    }
    for (uint32_t v = first_vertex; v < first_vertex + vertex_count; ++v) {
        scene->normals[v] = lmb_vec3_normalize_or(scene->normals[v], lmb_vec3_make(0, 1, 0));
    }
}

static lmb_vec3 surface_color(const lmb_render_surface *surface, uint32_t v)
{
    lmb_vec4 c = surface->color;
    if (!(c.x > 0) && !(c.y > 0) && !(c.z > 0) && !(c.w > 0)) { // not given: opaque black has w > 0
        c = (lmb_vec4){0.55f, 0.50f, 0.46f, 1};
    }
    const lmb_vec3 base = lmb_vec3_make(c.x, c.y, c.z);
    return surface->colors
               ? lmb_vec3_mul(base, lmb_vec3_make(surface->colors[v].x, surface->colors[v].y,
                                                  surface->colors[v].z))
               : base;
}

static void append_surface(lmbi_scene *scene, const lmb_render_surface *surface)
{
    const uint32_t first_vertex = scene->vertex_count, first_index = 3 * scene->triangle_count;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        scene->positions[first_vertex + v] = surface->positions[v];
        scene->colors[first_vertex + v] = surface_color(surface, v);
        scene->normals[first_vertex + v] =
            surface->normals ? surface->normals[v] : lmb_vec3_make(0, 0, 0);
        scene->uvs[first_vertex + v] = surface->uvs ? surface->uvs[v] : (lmb_vec2){0, 0};
    }
    const uint32_t index_count = surface->index_count - surface->index_count % 3;
    for (uint32_t i = 0; i < index_count; ++i) {
        scene->indices[first_index + i] = first_vertex + surface->indices[i];
        scene->box = lmb_box_add(scene->box, surface->positions[surface->indices[i]]);
    }
    for (uint32_t t = 0; t < index_count / 3; ++t) {
        scene->textures[scene->triangle_count + t] = surface->uvs ? surface->texture : NULL;
    }
    scene->vertex_count += surface->vertex_count;
    scene->triangle_count += index_count / 3;
    if (surface->normals == NULL) {
        average_normals(scene, first_vertex, surface->vertex_count, first_index, index_count);
    }
}

lmb_result lmbi_scene_build(const lmb_render_job *job, lmbi_scene *scene, lmb_error *error)
{
    memset(scene, 0, sizeof *scene);
    scene->box = lmb_box_empty();
    lmbi_arena_init(&scene->arena, job->alloc);
    uint64_t vertices = 0, indices = 0;
    const lmb_result result = check_surfaces(job, &vertices, &indices, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena *arena = &scene->arena;
    scene->positions = lmbi_arena_array(arena, (size_t)vertices, sizeof(lmb_vec3));
    scene->normals = lmbi_arena_array(arena, (size_t)vertices, sizeof(lmb_vec3));
    scene->colors = lmbi_arena_array(arena, (size_t)vertices, sizeof(lmb_vec3));
    scene->indices = lmbi_arena_array(arena, (size_t)indices, sizeof(uint32_t));
    scene->uvs = lmbi_arena_array(arena, (size_t)vertices, sizeof(lmb_vec2));
    scene->textures = lmbi_arena_array(arena, (size_t)(indices / 3), sizeof *scene->textures);
    if (arena->failed) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t s = 0; s < job->surface_count; ++s) {
        append_surface(scene, &job->surfaces[s]);
    }
    for (uint32_t b = 0; b < job->bone_count; ++b) {
        scene->box = lmb_box_add(lmb_box_add(scene->box, job->bones[b].head), job->bones[b].tail);
    }
    return LMB_OK;
}

void lmbi_scene_free(lmbi_scene *scene)
{
    lmbi_arena_free(&scene->arena);
}
