// Normals for meshes, and primitives of them, that have none.
#include "cli/rig/rigging.h"

#include <stdlib.h>

/// One normal a vertex, the mean of its corners', so that none is split.
static void join_corners(const lmb_mesh *m, lmb_vec3 *corners)
{
    lmb_vec3 *sums = cli_resize(NULL, (size_t)m->vertex_count + 1, sizeof *sums);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        sums[v] = lmb_vec3_make(0, 0, 0);
    }
    for (uint32_t i = 0; i < m->index_count; ++i) {
        sums[m->indices[i]] = lmb_vec3_add(sums[m->indices[i]], corners[i]);
    }
    for (uint32_t i = 0; i < m->index_count; ++i) {
        corners[i] = lmb_vec3_normalize_or(sums[m->indices[i]], lmb_vec3_make(0, 1, 0));
    }
    free(sums);
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

static lmb_result fill_mesh(lmb_mesh **mesh, float crease_rad, bool splits, lmb_error *error)
{
    const lmb_mesh *m = *mesh;
    lmb_vec3 *corners = cli_resize(NULL, (size_t)m->index_count + 1, sizeof *corners);
    lmb_mesh *made = NULL;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < m->index_count; ++i) {
        corners[i] = lmb_vec3_make(0, 0, 0);
    }
    // All primitives together: their indices are of one pool, and one after another.
    result = lmb_corner_normals(&(lmb_corner_normals_job){.positions = m->positions,
                                                          .vertex_count = m->vertex_count,
                                                          .indices = m->indices,
                                                          .index_count = m->index_count,
                                                          .crease_rad = crease_rad,
                                                          .out_normals = corners},
                                NULL, error);
    if (result == LMB_OK && !splits) {
        join_corners(m, corners);
    }
    keep_own(m, corners);
    if (result == LMB_OK) {
        result = lmb_mesh_with_normals(m, corners, NULL, &made, error);
    }
    free(corners);
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

cli_exit cli_crease_check(const cli_run *cli, double crease_deg)
{
    return crease_deg >= 0 && crease_deg <= 180
               ? CLI_DONE
               : cli_fail(cli, CLI_USAGE, "--crease takes 0 to 180 degrees, not %g", crease_deg);
}

cli_exit cli_normals_fill(const cli_run *cli, double crease_deg, lmb_character *character)
{
    // The vertices of a file stay as they are, unless edges are asked for.
    const bool splits = cli_given(cli, "crease");
    uint32_t filled = 0;
    for (uint32_t k = 0; k < character->mesh_count; ++k) {
        lmb_error error = {0};
        const lmb_mesh *mesh = character->meshes[k];
        if (!lacks_normals(mesh) || !is_all_triangles(mesh)) {
            continue;
        }
        const lmb_result result =
            fill_mesh(&character->meshes[k], (float)crease_deg * LMB_PI / 180, splits, &error);
        if (result != LMB_OK) {
            return cli_fail_call(cli, "the normals", result, &error);
        }
        ++filled;
    }
    if (filled > 0) {
        cli_detail(cli, "normals", "made for %u mesh%s%s", filled, filled == 1 ? "" : "es",
                   splits ? ", with edges at creases" : "");
    }
    return CLI_DONE;
}
