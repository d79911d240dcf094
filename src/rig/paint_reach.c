/// The vertices under a brush, and their distances along the surface.
#include <math.h>

#include "geometry/tree.h"
#include "rig/paint.h"

static float falloff(lmb_brush_falloff kind, float t)
{
    switch (kind) {
    case LMB_FALLOFF_CONSTANT:
        return 1;
    case LMB_FALLOFF_LINEAR:
        return 1 - t;
    case LMB_FALLOFF_GAUSSIAN: // the radius is three standard deviations
        return lmb_exp(-4.5f * t * t);
    default:
        return 1 - t * t * (3 - 2 * t);
    }
}

static bool nearer(const lmb_painter *p, uint32_t a, uint32_t b)
{
    return p->distance[a] < p->distance[b] || (!(p->distance[b] < p->distance[a]) && a < b);
}

static void set_heap_item(lmb_painter *p, uint32_t at, uint32_t v)
{
    p->heap[at] = v;
    p->heap_index[v] = at;
}

static void sift_up(lmb_painter *p, uint32_t at)
{
    const uint32_t v = p->heap[at];
    for (; at > 0 && nearer(p, v, p->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        set_heap_item(p, at, p->heap[(at - 1) / 2]);
    }
    set_heap_item(p, at, v);
}

static void sift_down(lmb_painter *p, uint32_t count)
{
    const uint32_t v = p->heap[0];
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && nearer(p, p->heap[child + 1], p->heap[child]) ? 1 : 0;
        if (!nearer(p, p->heap[child], v)) {
            break;
        }
        set_heap_item(p, at, p->heap[child]);
        at = child;
    }
    set_heap_item(p, at, v);
}

/// Inserts a vertex into the heap, or lowers its distance. A vertex is in the heap at most once.
static uint32_t relax_vertex(lmb_painter *p, uint32_t v, float distance, uint32_t count)
{
    if (p->distance[v] >= 0 && !(distance < p->distance[v])) {
        return count;
    }
    const bool is_new = p->distance[v] < 0;
    p->distance[v] = distance;
    if (is_new) {
        set_heap_item(p, count, v);
    }
    sift_up(p, p->heap_index[v]);
    return is_new ? count + 1 : count;
}

/// Distance to the next vertex: along the edges, or straight from the brush point while normals
/// agree with the one there.
static float distance_to(const lmb_painter *p, const lmb_brush *brush, lmb_vec3 at, lmb_vec3 normal,
                         uint32_t from, uint32_t to)
{
    const lmb_vec3 *x = p->surface->positions;
    if (!brush->straight) {
        return p->distance[from] + lmb_vec3_distance(x[from], x[to]);
    }
    return lmb_vec3_dot(p->normals[to], normal) < 0 ? INFINITY : lmb_vec3_distance(at, x[to]);
}

void lmbi_paint_reach(lmb_painter *p, const lmb_brush *brush, lmb_vec3 at)
{
    p->dab_count = 0;
    const lmbi_closest start = lmbi_tree_closest(p->tree, at, INFINITY);
    if (start.triangle == UINT32_MAX) {
        return;
    }
    const uint32_t *corner = p->surface->triangles + 3 * (size_t)start.triangle;
    lmb_vec3 normal = {0, 0, 0};
    uint32_t count = 0;
    for (int k = 0; k < 3; ++k) {
        const float d = lmb_vec3_distance(start.point, p->surface->positions[corner[k]]);
        normal = lmb_vec3_mad(normal, p->normals[corner[k]], start.barycentric[k]);
        count = d <= brush->radius ? relax_vertex(p, corner[k], d, count) : count;
    }
    while (count > 0) {
        const uint32_t v = p->heap[0];
        p->dab[p->dab_count++] = (lmbi_dab_vertex){
            v, brush->strength * falloff(brush->falloff, p->distance[v] / brush->radius)};
        set_heap_item(p, 0, p->heap[--count]);
        sift_down(p, count);
        for (uint32_t k = p->rings.first[v]; k < p->rings.first[v + 1]; ++k) {
            const float d = distance_to(p, brush, start.point, normal, v, p->rings.around[k]);
            count = d <= brush->radius ? relax_vertex(p, p->rings.around[k], d, count) : count;
        }
    }
    for (uint32_t k = 0; k < p->dab_count; ++k) {
        p->distance[p->dab[k].vertex] = -1;
    }
}
