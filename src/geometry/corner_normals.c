/// Normals of triangle corners, smooth except across creases.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/geometry.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"

/// With more corners at one position, they are a fan around a pole, and all are averaged without a
/// crease test.
enum { LARGEST_FAN = 512 };

typedef struct fans {
    const lmb_vec3 *positions;
    const uint32_t *indices;
    uint32_t corner_count;
    uint32_t *position_of; ///< [vertex_count]
    uint32_t *first;       ///< [place_count + 2] first corner of each position
    uint32_t *corners;     ///< [corner_count]
    lmb_vec3 *faces;       ///< [corner_count / 3] unit, zero without an area
    float least_cosine;
} fans;

static lmb_vec3 corner_at(const fans *f, uint32_t corner)
{
    return f->positions[f->indices[corner]];
}

static lmb_vec3 unit_or(lmb_vec3 v, lmb_vec3 otherwise)
{
    const double square =
        (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
    if (!(square > 0) || !(square < 1e300)) {
        return otherwise;
    }
    const double length = sqrt(square);
    return lmb_vec3_make((float)((double)v.x / length), (float)((double)v.y / length),
                         (float)((double)v.z / length));
}

static void find_faces(const fans *f)
{
    for (uint32_t t = 0; t < f->corner_count / 3; ++t) {
        const lmb_vec3 a = corner_at(f, 3 * t);
        const lmb_vec3 none = {0, 0, 0},
                       b = unit_or(lmb_vec3_sub(corner_at(f, 3 * t + 1), a), none),
                       c = unit_or(lmb_vec3_sub(corner_at(f, 3 * t + 2), a), none);
        f->faces[t] = unit_or(lmb_vec3_cross(b, c), none);
    }
}

static void list_corners(const fans *f, uint32_t place_count)
{
    for (uint32_t c = 0; c < f->corner_count; ++c) {
        ++f->first[f->position_of[f->indices[c]] + 2];
    }
    for (uint32_t p = 0; p < place_count; ++p) {
        f->first[p + 2] += f->first[p + 1];
    }
    for (uint32_t c = 0; c < f->corner_count; ++c) {
        f->corners[f->first[f->position_of[f->indices[c]] + 1]++] = c;
    }
}

/// The angle of the triangle at the corner.
static float angle_at(const fans *f, uint32_t corner)
{
    const uint32_t t = corner / 3 * 3, k = corner % 3;
    const lmb_vec3 at = corner_at(f, corner), none = {0, 0, 0},
                   a = unit_or(lmb_vec3_sub(corner_at(f, t + (k + 1) % 3), at), none),
                   b = unit_or(lmb_vec3_sub(corner_at(f, t + (k + 2) % 3), at), none);
    return lmb_atan2(lmb_vec3_length(lmb_vec3_cross(a, b)), lmb_vec3_dot(a, b));
}

/// Mean of the faces at a position within the crease angle of the corner's face, weighted by their
/// angles there.
static lmb_vec3 normal_at(const fans *f, uint32_t position, uint32_t corner, bool any)
{
    const lmb_vec3 own = f->faces[corner / 3];
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t k = f->first[position]; k < f->first[position + 1]; ++k) {
        const lmb_vec3 face = f->faces[f->corners[k] / 3];
        if (any || lmb_vec3_dot(own, face) >= f->least_cosine) {
            sum = lmb_vec3_mad(sum, face, angle_at(f, f->corners[k]));
        }
    }
    return unit_or(sum, own);
}

static void fill(const fans *f, uint32_t place_count, lmb_vec3 *out)
{
    for (uint32_t p = 0; p < place_count; ++p) {
        const bool is_fan = f->first[p + 1] - f->first[p] > LARGEST_FAN;
        lmb_vec3 all = {0, 0, 0};
        if (is_fan) {
            all = normal_at(f, p, f->corners[f->first[p]], true);
        }
        for (uint32_t k = f->first[p]; k < f->first[p + 1]; ++k) {
            const uint32_t c = f->corners[k];
            const bool has_area = lmb_vec3_dot(f->faces[c / 3], f->faces[c / 3]) > 0;
            out[c] = is_fan ? all : normal_at(f, p, c, !has_area);
        }
    }
}

lmb_result lmbi_corner_normals(const lmbi_corner_normals_job *job, const lmb_allocator *alloc,
                               lmb_error *error)
{
    const uint32_t corners = job->index_count / 3 * 3;
    fans f = {.positions = job->positions, .indices = job->indices, .corner_count = corners};
    f.least_cosine = lmb_cos(fminf(fmaxf(job->crease_rad, 0), LMB_PI)) - 1e-4f;
    f.position_of = lmbi_alloc_array(alloc, job->vertex_count, sizeof *f.position_of);
    f.first = lmbi_alloc_array(alloc, (size_t)job->vertex_count + 2, sizeof *f.first);
    f.corners = lmbi_alloc_array(alloc, corners, sizeof *f.corners);
    f.faces = lmbi_alloc_array(alloc, corners / 3, sizeof *f.faces);
    uint32_t position_count = 0;
    lmb_result result = f.position_of && f.first && f.corners && f.faces
                            ? lmbi_weld(job->positions, job->vertex_count, 0, alloc, f.position_of,
                                        &position_count, error)
                            : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        find_faces(&f);
        list_corners(&f, position_count);
        fill(&f, position_count, job->out_normals);
    }
    lmbi_free(alloc, f.faces);
    lmbi_free(alloc, f.corners);
    lmbi_free(alloc, f.first);
    lmbi_free(alloc, f.position_of);
    return result;
}
