/// Normals for meshes, and primitives of them, that have none.
#include "asset/asset.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/geometry.h"
#include "limber/author.h"

/// One normal a vertex, the mean of its corners', so that none is split. False without memory.
static bool join_corners(const lmb_mesh *m, const lmb_allocator *alloc, lmb_vec3 *corners)
{
    lmb_vec3 *sums = lmbi_alloc_array(alloc, m->vertex_count, sizeof *sums);
    for (uint32_t i = 0; sums != NULL && i < m->index_count; ++i) {
        sums[m->indices[i]] = lmb_vec3_add(sums[m->indices[i]], corners[i]);
    }
    for (uint32_t i = 0; sums != NULL && i < m->index_count; ++i) {
        corners[i] = lmb_vec3_normalize_or(sums[m->indices[i]], lmb_vec3_make(0, 1, 0));
    }
    const bool joined = sums != NULL;
    lmbi_free(alloc, sums);
    return joined;
}

/// Primitives that came with normals keep them.
static void keep_own(const lmb_mesh *m, lmb_vec3 *corners)
{
    for (uint32_t p = 0; m->normals != NULL && p < m->primitive_count; ++p) {
        const lmb_primitive *run = &m->primitives[p];
        const uint32_t end = run->first_index + run->index_count;
        for (uint32_t i = run->first_index; run->attributes & LMB_HAS_NORMALS && i < end; ++i) {
            const lmb_vec3 own = m->normals[m->indices[i]];
            corners[i] = lmb_vec3_is_finite(own) ? own : corners[i];
        }
    }
}

static lmb_result fill_mesh(lmb_mesh **mesh, bool splits, float crease_rad,
                            const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_mesh *m = *mesh;
    lmb_vec3 *corners = lmbi_alloc_array(alloc, m->index_count, sizeof *corners);
    lmb_mesh *made = NULL;
    if (corners == NULL) {
        return lmbi_fail_memory(error);
    }
    // All primitives together: their indices are of one pool, and one after another.
    lmb_result result =
        lmbi_corner_normals(&(lmbi_corner_normals_job){.positions = m->positions,
                                                       .vertex_count = m->vertex_count,
                                                       .indices = m->indices,
                                                       .index_count = m->index_count,
                                                       .crease_rad = crease_rad,
                                                       .out_normals = corners},
                            alloc, error);
    if (result == LMB_OK && !splits && !join_corners(m, alloc, corners)) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        keep_own(m, corners);
        result = lmbi_mesh_with_normals(m, corners, alloc, &made, error);
    }
    lmbi_free(alloc, corners);
    if (result == LMB_OK) {
        lmb_mesh_destroy(*mesh);
        *mesh = made;
    }
    return result;
}

/// Lines and points among the primitives would be read as triangles.
static bool is_all_triangles(const lmb_mesh *mesh)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        if (mesh->primitives[p].topology != LMB_TRIANGLES) {
            return false;
        }
    }
    return mesh->index_count > 0;
}

static bool lacks_normals(const lmb_mesh *mesh)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        if (mesh->normals == NULL || !(mesh->primitives[p].attributes & LMB_HAS_NORMALS)) {
            return true;
        }
    }
    return false;
}

lmb_result lmb_character_fill_normals(lmb_character *character, bool splits, float crease_rad,
                                      const lmb_allocator *alloc, uint32_t *filled,
                                      lmb_error *error)
{
    *filled = 0;
    for (uint32_t k = 0; k < character->mesh_count; ++k) {
        const lmb_mesh *mesh = character->meshes[k];
        if (!lacks_normals(mesh) || !is_all_triangles(mesh)) {
            continue;
        }
        const lmb_result result =
            fill_mesh(&character->meshes[k], splits, crease_rad, alloc, error);
        if (result != LMB_OK) {
            return result;
        }
        ++*filled;
    }
    return LMB_OK;
}
