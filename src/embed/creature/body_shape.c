#include "embed/creature/creature.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/// Branches shorter than this, in units, are no limbs.
static const float SHORTEST = 0.02f;
/// Cell size of a rotated shape, in units, and the most voxels.
static const float CELL = 1.0f / 144, MOST_VOXELS = 1.2e6f;

void lmbi_body_shape_destroy(lmbi_body_shape *shape)
{
    if (!shape->shares_body) {
        lmbi_body_destroy(&shape->body);
    }
    lmbi_free(shape->alloc, shape->positions);
    lmbi_free(shape->alloc, shape->paths);
    *shape = (lmbi_body_shape){.alloc = shape->alloc};
}

static lmb_result find_paths(lmbi_body_shape *s, lmb_error *error)
{
    s->paths = lmbi_alloc_array(s->alloc, lmbi_grid_count(&s->body.grid), sizeof(uint32_t));
    return s->paths ? lmbi_medial_paths(&s->body, s->paths, error) : lmbi_fail_memory(error);
}

static void measure_bounds(lmbi_body_shape *s)
{
    s->box = lmb_box_empty();
    for (uint32_t k = 0; k < s->body.solid_count; ++k) {
        s->box = lmb_box_add(s->box, s->body.at[k]);
    }
}

lmb_result lmbi_body_shape_create(lmbi_voxel_cache *cache, lmbi_body_shape *out, lmb_error *error)
{
    const lmbi_voxelisation *voxels;
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_CREATURE, &voxels, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_body_shape s = {.frame = cache->frame,
                         .soup = cache->soup,
                         .body = voxels->body,
                         .volume = cache->volume,
                         .shares_body = true,
                         .alloc = cache->alloc};
    s.tip_count = voxels->tip_count;
    memcpy(s.tips, voxels->tips, voxels->tip_count * sizeof *s.tips);
    measure_bounds(&s);
    *out = s;
    return LMB_OK;
}

static lmb_result create_trimmed_body(lmbi_body_shape *s, float cell, lmb_error *error)
{
    const lmb_result result = lmbi_body_create_trimmed(&s->soup, lmbi_soup_bounds(&s->soup), cell,
                                                       0, s->alloc, &s->body, error);
    return result == LMB_OK ? lmbi_body_find_center(&s->body, error) : result;
}

/// Voxelises in the frame and finds tips and paths. `extent` in units.
static lmb_result measure_in_frame(const lmbi_triangle_soup *soup, lmb_vec3 extent, bool trimmed,
                                   lmbi_body_shape *s, lmb_error *error)
{
    s->positions = lmbi_alloc_array(s->alloc, soup->position_count, sizeof(lmb_vec3));
    if (!s->positions) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < soup->position_count; ++p) {
        s->positions[p] = lmbi_frame_to(&s->frame, soup->positions[p]);
    }
    s->soup = *soup;
    s->soup.positions = s->positions;
    const float cell = lmbi_choose_cell_size(extent, s->volume, CELL, MOST_VOXELS);
    lmb_result result = trimmed ? create_trimmed_body(s, cell, error)
                                : lmbi_body_create(&s->soup, cell, lmbi_open_axis_below(&s->soup),
                                                   s->alloc, &s->body, error);
    if (result != LMB_OK) {
        return result;
    }
    measure_bounds(s);
    result = find_paths(s, error);
    return result == LMB_OK ? lmbi_body_find_tips(&s->body, SHORTEST, s->tips, &s->tip_count, error)
                            : result;
}

static lmb_vec3 in_mesh(const lmbi_frame *f, lmb_vec3 v)
{
    return lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f->axes[0], v.x), f->axes[1], v.y), f->axes[2],
                        v.z);
}

lmb_result lmbi_body_shape_create_rotated(const lmbi_body_shape *from,
                                          const lmbi_triangle_soup *soup, lmb_vec3 left,
                                          lmb_vec3 up, float offset, lmbi_body_shape *out,
                                          lmb_error *error)
{
    lmbi_body_shape s = {.alloc = from->alloc, .body.alloc = from->alloc, .volume = from->volume};
    s.frame.axes[0] = in_mesh(&from->frame, left);
    s.frame.axes[1] = in_mesh(&from->frame, up);
    s.frame.axes[2] = lmb_vec3_cross(s.frame.axes[0], s.frame.axes[1]);
    const lmb_box box = lmbi_soup_bounds_along(soup, s.frame.axes);
    const lmb_vec3 extent = lmb_vec3_sub(box.high, box.low);
    s.frame.size = from->frame.size;
    const float x = lmb_vec3_dot(from->frame.origin, s.frame.axes[0]) + from->frame.size * offset;
    s.frame.origin =
        lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(s.frame.axes[0], x), s.frame.axes[1], box.low.y),
                     s.frame.axes[2], 0.5f * (box.low.z + box.high.z));
    const lmb_result result =
        measure_in_frame(soup, lmb_vec3_scale(extent, 1 / s.frame.size), false, &s, error);
    if (result != LMB_OK) {
        lmbi_body_shape_destroy(&s);
        return result;
    }
    *out = s;
    return LMB_OK;
}

/// Second moments of the surface about its centroid, each triangle weighted by its area.
static void find_moments(const lmbi_triangle_soup *soup, double out[3][3])
{
    // Integral of x_i x_j over a triangle: its corners plus nine times its centroid, over 12.
    static const double share[4] = {1, 1, 1, 9};
    double area = 0, middle[3] = {0, 0, 0}, square[3][3] = {{0}};
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        double p[4][3];
        lmb_vec3 corner[3];
        for (size_t k = 0; k < 3; ++k) {
            corner[k] = soup->positions[soup->triangles[3 * (size_t)t + k]];
            p[k][0] = (double)corner[k].x;
            p[k][1] = (double)corner[k].y;
            p[k][2] = (double)corner[k].z;
        }
        const double w =
            0.5 * (double)lmb_vec3_length(lmb_vec3_cross(lmb_vec3_sub(corner[1], corner[0]),
                                                         lmb_vec3_sub(corner[2], corner[0])));
        area += w;
        for (int i = 0; i < 3; ++i) {
            p[3][i] = (p[0][i] + p[1][i] + p[2][i]) / 3;
            middle[i] += w * p[3][i];
            for (int j = 0; j <= i; ++j) {
                double sum = 0;
                for (int k = 0; k < 4; ++k) {
                    sum += share[k] * p[k][i] * p[k][j];
                }
                square[i][j] += w / 12 * sum;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            out[i][j] = area > 0 ? square[i][j] / area - middle[i] / area * (middle[j] / area) : 0;
        }
    }
}

lmb_result lmbi_body_shape_create_principal(const lmbi_body_shape *from,
                                            const lmbi_triangle_soup *soup, lmbi_body_shape *out,
                                            lmb_error *error)
{
    double moments[3][3] = {{0}}, values[3], vectors[3][3];
    find_moments(soup, moments);
    lmbi_eigen3((const double(*)[3])moments, values, vectors);
    lmbi_body_shape s = {.alloc = from->alloc, .body.alloc = from->alloc};
    for (int k = 0; k < 3; ++k) {
        s.frame.axes[k] =
            lmb_vec3_make((float)vectors[k][0], (float)vectors[k][1], (float)vectors[k][2]);
    }
    const lmb_box box = lmbi_soup_bounds_along(soup, s.frame.axes);
    const lmb_vec3 extent = lmb_vec3_sub(box.high, box.low);
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    s.frame.size = lmbi_longest_side(extent);
    s.frame.origin = lmb_vec3_mad(
        lmb_vec3_mad(lmb_vec3_scale(s.frame.axes[0], middle.x), s.frame.axes[1], middle.y),
        s.frame.axes[2], middle.z);
    const float grown = from->frame.size / s.frame.size;
    s.volume = from->volume * grown * grown * grown;
    const lmb_result result =
        measure_in_frame(soup, lmb_vec3_scale(extent, 1 / s.frame.size), true, &s, error);
    if (result != LMB_OK) {
        lmbi_body_shape_destroy(&s);
        return result;
    }
    *out = s;
    return LMB_OK;
}

void lmbi_body_shape_trace_limb(const lmbi_body_shape *shape, uint32_t voxel,
                                lmbi_limb_profile *out)
{
    lmbi_limb_trace(&shape->body, shape->paths, voxel, out);
}

// ---- where limbs end and bend

float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip)
{
    const bool own = tip->length < 0.8f * tip->geodesic;
    const float most = own ? 1.25f * tip->length : 0.9f * tip->geodesic;
    const uint32_t last = (uint32_t)fminf(most / fmaxf(line->step, 1e-6f), (float)line->count - 1);
    float thick = 0;
    for (uint32_t k = 1; k <= last / 2; ++k) {
        thick += line->depth[k] / (float)(last / 2);
    }
    uint32_t root = last / 2;
    while (root < last && line->depth[root] < 1.7f * thick + 0.5f * shape->body.grid.cell) {
        ++root;
    }
    return (float)root * line->step;
}

float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc)
{
    const lmb_vec3 a = lmbi_limb_point(line, low), b = lmbi_limb_point(line, high);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    float best = 0;
    *out_arc = 0.5f * (low + high);
    const float edge = 0.08f * (high - low);
    for (float arc = low + edge; arc < high - edge; arc += 0.5f * fmaxf(line->step, 1e-5f)) {
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(line, arc), a);
        const float off = lmb_vec3_length(lmb_vec3_mad(d, along, -lmb_vec3_dot(d, along)));
        if (off > best) {
            best = off;
            *out_arc = arc;
        }
    }
    return best;
}

static void insert_arc(float *arcs, uint32_t count, float arc)
{
    uint32_t at = count;
    while (at > 0 && arcs[at - 1] < arc) {
        arcs[at] = arcs[at - 1];
        --at;
    }
    arcs[at] = arc;
}

void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs)
{
    const float straight = 0.035f * (high - low);
    for (uint32_t n = 0; n < count; ++n) {
        float most = straight, longest = 0, at = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            float arc;
            const float off = lmbi_limb_bend(line, end, top, &arc);
            if (off > most) {
                most = off;
                at = arc;
            } else if (!(most > straight) && top - end > longest) {
                longest = top - end;
                at = 0.5f * (top + end);
            }
        }
        insert_arc(out_arcs, n, at);
    }
}
