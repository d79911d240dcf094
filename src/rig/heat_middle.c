/// Distance from each vertex to the medial surface, along the inward normal (shrinking ball, Ma et
/// al. 2012).
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"
#include "rig/heat_near.h"

/// Surface nearer than this fraction of the size is ignored.
static const float IGNORED_FRACTION = 1e-3f;
/// Squared sine of the least angle at which surface stops the ball. At flatter angles it is the
/// bent or rough skin around the vertex, not the opposite side.
static const float LEAST_SINE_SQUARED = 0.1f;
/// How far surface may reach into a ball, as a fraction of its radius.
static const float SLACK = 0.02f, ROUGH = 0.2f;
/// Below SMALL vertices the depth is measured at every one; above, only at vertices without a
/// measured neighbour; from LARGE on, without a measured vertex within two edges. Depth varies
/// slowly, and these queries cost as much as the rest of the solver.
enum { SMALL = 4096, LARGE = 32768 };

enum { UNKNOWN = 0, WANTED, KNOWN };

typedef struct middles {
    lmbi_heat *heat;
    const lmbi_adjacency *around;
    uint8_t *state; ///< [vertex_count]
} middles;

/// Distance to the medial surface under a vertex, 0 for open sheets. Bones are compared from there:
/// artists weight a flank to the spine, which it surrounds, although the arm is nearer.
static float measure_medial_depth(const lmbi_heat *heat, uint32_t v)
{
    const lmb_vec3 p = heat->surface->positions[v], inward = lmb_vec3_scale(heat->normals[v], -1);
    if (!(lmb_vec3_dot(inward, inward) > 0.5f)) { // no triangles, or only degenerate ones
        return 0;
    }
    const lmbi_ray ray = {.origin = p,
                          .direction = inward,
                          .t_min = IGNORED_FRACTION * heat->size,
                          .t_max = heat->size,
                          .groups = heat->piece_count > 1 ? heat->piece_of_triangle : NULL,
                          .group = heat->piece_of_vertex[v]};
    const lmbi_hit hit = lmbi_tree_hit_first(heat->tree, &ray);
    if (hit.triangle == UINT32_MAX) {
        return 0;
    }
    const lmbi_inner_ball_job ball = {.point = p,
                                      .inward = inward,
                                      .radius = 0.5f * hit.t,
                                      .nothing = ray.t_min,
                                      .slack = heat->surface->vertex_count < SMALL ? SLACK : ROUGH,
                                      .flat = LEAST_SINE_SQUARED,
                                      .groups = ray.groups,
                                      .group = ray.group};
    return lmbi_tree_inner_ball(heat->tree, &ball);
}

static void measure_depths(void *context, size_t begin, size_t end)
{
    middles *m = context;
    for (size_t v = begin; v < end; ++v) {
        if (m->state[v] == WANTED) {
            m->heat->depths[v] = measure_medial_depth(m->heat, (uint32_t)v);
            m->state[v] = KNOWN;
        }
    }
}

/// Corners of the triangles around a vertex, itself included.
static uint32_t list_ring(const middles *m, uint32_t v, const uint32_t **out_triangles)
{
    *out_triangles = m->around->vertex_triangles + m->around->vertex_first[v];
    return m->around->vertex_first[v + 1] - m->around->vertex_first[v];
}

static void cover(const middles *m, uint32_t v, int rings, uint8_t *covered)
{
    const uint32_t *triangles, *corners = m->heat->surface->triangles;
    const uint32_t count = list_ring(m, v, &triangles);
    covered[v] = 1;
    for (uint32_t k = 0; k < 3 * count; ++k) {
        const uint32_t other = corners[3 * (size_t)triangles[k / 3] + k % 3];
        if (rings > 1 && other != v) {
            cover(m, other, rings - 1, covered);
        }
        covered[other] = 1;
    }
}

/// Chooses each vertex that no earlier choice covers. Serial, so the result does not depend on the
/// worker count.
static void choose_samples(middles *m, int rings, uint8_t *covered)
{
    for (uint32_t v = 0; v < m->heat->surface->vertex_count; ++v) {
        if (!covered[v]) {
            m->state[v] = WANTED;
            cover(m, v, rings, covered);
        }
    }
}

/// Vertices next to known ones get their mean, and count as known from the next round on.
static void spread_depths(middles *m, uint8_t *fresh)
{
    const uint32_t n = m->heat->surface->vertex_count, *corners = m->heat->surface->triangles;
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t *triangles;
        const uint32_t count = m->state[v] == KNOWN ? 0 : list_ring(m, v, &triangles);
        float sum = 0, known = 0;
        for (uint32_t k = 0; k < 3 * count; ++k) {
            const uint32_t other = corners[3 * (size_t)triangles[k / 3] + k % 3];
            sum += m->state[other] == KNOWN ? m->heat->depths[other] : 0;
            known += m->state[other] == KNOWN ? 1 : 0;
        }
        fresh[v] = known > 0;
        m->heat->depths[v] = known > 0 ? sum / known : m->heat->depths[v];
    }
    for (uint32_t v = 0; v < n; ++v) {
        m->state[v] = fresh[v] ? KNOWN : m->state[v];
    }
}

/// Mean over the corners around a vertex; its own values where there are none.
static void mean_around(const middles *m, uint32_t v, lmb_vec3 *normal, float *depth)
{
    const lmbi_heat *heat = m->heat;
    const uint32_t *triangles, *corners = heat->surface->triangles;
    const uint32_t count = list_ring(m, v, &triangles);
    float deep = 0, others = 0;
    lmb_vec3 out = {0, 0, 0};
    for (uint32_t k = 0; k < 3 * count; ++k) {
        const uint32_t other = corners[3 * (size_t)triangles[k / 3] + k % 3];
        if (other != v) {
            out = lmb_vec3_add(out, heat->normals[other]);
            deep += heat->depths[other];
            others += 1;
        }
    }
    *normal = others > 0 ? lmb_vec3_scale(out, 1 / others) : heat->normals[v];
    *depth = others > 0 ? deep / others : heat->depths[v];
}

/// Averages normals and depths half with their neighbours': the normal of one vertex of rough or
/// coarse skin is unreliable.
static bool smooth_depths(middles *m)
{
    lmbi_heat *heat = m->heat;
    const uint32_t n = heat->surface->triangle_count ? heat->surface->vertex_count : 0;
    if (n == 0) {
        return true;
    }
    lmb_vec3 *normals = lmbi_arena_array(&heat->arena, n, sizeof *normals);
    float *depths = lmbi_arena_array(&heat->arena, n, sizeof *depths);
    if (!normals || !depths) {
        return false;
    }
    for (uint32_t v = 0; v < n; ++v) {
        mean_around(m, v, &normals[v], &depths[v]);
        normals[v] =
            lmb_vec3_normalize_or(lmb_vec3_add(heat->normals[v], normals[v]), heat->normals[v]);
        depths[v] = 0.5f * (heat->depths[v] + depths[v]);
    }
    heat->normals = normals;
    heat->depths = depths;
    return true;
}

lmb_result lmbi_heat_middles(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error)
{
    const uint32_t n = heat->surface->vertex_count;
    const int rings = n < SMALL ? 0 : n < LARGE ? 1 : 2;
    middles m = {heat, around, lmbi_alloc_array(heat->alloc, n, 1)};
    uint8_t *marks = lmbi_alloc_array(heat->alloc, n, 1);
    heat->depths = lmbi_arena_array(&heat->arena, n, sizeof *heat->depths);
    bool room = m.state && marks && heat->depths;
    if (room) {
        for (uint32_t v = 0; v < n; ++v) {
            m.state[v] = rings > 0 ? UNKNOWN : WANTED;
        }
        if (rings > 0) {
            choose_samples(&m, rings, marks);
        }
        lmb_parallel_for(heat->opts.jobs, n, 256, measure_depths, &m);
        for (int ring = 0; ring < rings; ++ring) {
            spread_depths(&m, marks);
        }
        room = smooth_depths(&m);
    }
    lmbi_free(heat->alloc, marks);
    lmbi_free(heat->alloc, m.state);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
