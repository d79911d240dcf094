/// Normals of soft tissue: the skin's normals, rotated as the surface is.
#include <string.h>

#include "physics/flesh.h"

/// Area-weighted particle normals, not normalised.
static void sum_faces(const lmb_soft_tissue *f, const lmb_vec3 *positions, lmb_vec3 *normals)
{
    memset(normals, 0, f->particle_count * sizeof *normals);
    for (uint32_t t = 0; t < f->surface_triangle_count; ++t) {
        const uint32_t *c = f->surface_triangles + 3 * (size_t)t;
        const lmb_vec3 a = positions[f->vertex_of[c[0]]], b = positions[f->vertex_of[c[1]]],
                       d = positions[f->vertex_of[c[2]]];
        const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(d, a));
        for (int k = 0; k < 3; ++k) {
            normals[c[k]] = lmb_vec3_add(normals[c[k]], n);
        }
    }
}

static bool is_zero(lmb_vec3 v)
{
    return !(lmb_vec3_dot(v, v) > 0);
}

void lmb_soft_tissue_normals(const lmb_soft_tissue_normals_job *job)
{
    lmb_soft_tissue *f = job->flesh;
    sum_faces(f, job->targets, f->normals[0]);
    sum_faces(f, job->positions, f->normals[1]);
    for (uint32_t v = 0; v < f->vertex_count; ++v) {
        const lmb_vec3 from = f->normals[0][f->particle_of[v]],
                       to = f->normals[1][f->particle_of[v]];
        const lmb_vec3 difference = lmb_vec3_sub(from, to);
        if (is_zero(from) || is_zero(to) || is_zero(difference)) {
            job->out[v] = job->normals[v];
            continue;
        }
        const lmb_quat rotation =
            lmb_quat_between(lmb_vec3_normalize_or(from, lmb_vec3_make(0, 1, 0)),
                             lmb_vec3_normalize_or(to, lmb_vec3_make(0, 1, 0)));
        job->out[v] =
            lmb_vec3_normalize_or(lmb_quat_rotate(rotation, job->normals[v]), job->normals[v]);
    }
}
