/// Normals of a mesh whose vertices have moved: each turns with the surface around its position, so that
/// edges that were sharp stay so.
#include "learn/rest_normals.h"

#include <string.h>

/// The rotation from a mean normal before to that after; identity where either is none.
static lmb_quat turn_of(lmb_vec3 before, lmb_vec3 after)
{
    const lmb_vec3 none = lmb_vec3_make(0, 0, 0);
    const lmb_vec3 a = lmb_vec3_normalize_or(before, none), b = lmb_vec3_normalize_or(after, none);
    return lmb_vec3_dot(a, a) > 0 && lmb_vec3_dot(b, b) > 0 ? lmb_quat_between(a, b)
                                                            : lmb_quat_identity();
}

/// Adds the triangles' areas times normals to their corners' points.
static void sum_normals(const lmb_mesh *mesh, const lmb_vec3 *positions, const uint32_t *point_of,
                        lmb_vec3 *sums)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *part = &mesh->primitives[p];
        for (uint32_t k = 0; part->topology == LMB_TRIANGLES && k + 2 < part->index_count; k += 3) {
            const uint32_t *corner = mesh->indices + part->first_index + k;
            const lmb_vec3 a = positions[corner[0]];
            const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(positions[corner[1]], a),
                                              lmb_vec3_sub(positions[corner[2]], a));
            for (int c = 0; c < 3; ++c) {
                lmb_vec3 *to = &sums[point_of ? point_of[corner[c]] : corner[c]];
                *to = lmb_vec3_add(*to, n);
            }
        }
    }
}

bool lmbi_learn_turn_normals(lmb_mesh *mesh, const lmb_vec3 *before, const uint32_t *point_of,
                             uint32_t point_count, lmbi_arena *arena)
{
    const size_t count = mesh->vertex_count;
    lmb_vec3 *old = lmbi_arena_array(arena, point_count, sizeof *old);
    lmb_vec3 *now = lmbi_arena_array(arena, point_count, sizeof *now);
    lmb_vec3 *normals = mesh->normals ? lmbi_arena_array(arena, count, sizeof *normals) : NULL;
    lmb_vec4 *tangents = mesh->tangents ? lmbi_arena_array(arena, count, sizeof *tangents) : NULL;
    if (!old || !now || (mesh->normals && !normals) || (mesh->tangents && !tangents)) {
        return false;
    }
    sum_normals(mesh, before, point_of, old);
    sum_normals(mesh, mesh->positions, point_of, now);
    for (size_t v = 0; v < count; ++v) {
        const size_t point = point_of ? point_of[v] : v;
        const lmb_quat turn = turn_of(old[point], now[point]);
        if (normals) {
            normals[v] = lmb_quat_rotate(turn, mesh->normals[v]);
        }
        if (tangents) {
            const lmb_vec4 t = mesh->tangents[v];
            const lmb_vec3 at = lmb_quat_rotate(turn, lmb_vec3_make(t.x, t.y, t.z));
            tangents[v] = (lmb_vec4){at.x, at.y, at.z, t.w};
        }
    }
    mesh->normals = normals;
    mesh->tangents = tangents;
    return true;
}
