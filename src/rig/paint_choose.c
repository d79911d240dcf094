/// Chosen vertices of a painter: loops of edges, grown and shrunk, and the brush on all of them.
#include "rig/paint.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static lmb_result make_ready(lmb_painter *p, lmb_error *error)
{
    const uint32_t n = p->surface->vertex_count;
    if (!p->chosen) {
        p->chosen = lmbi_arena_array(&p->arena, n, 1);
        if (!p->chosen) {
            return lmbi_fail_memory(error);
        }
        memset(p->chosen, 0, n);
    }
    return p->faces ? LMB_OK : lmbi_faces_create(p->surface, &p->allocator, &p->faces, error);
}

lmb_result lmb_painter_choose_loop(lmb_painter *painter, lmb_vec3 at, lmb_error *error)
{
    const lmb_result result = make_ready(painter, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_closest hit = lmbi_tree_closest(painter->tree, at, INFINITY);
    if (hit.triangle == UINT32_MAX) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a finite point of a mesh with triangles",
                         "%g %g %g", (double)at.x, (double)at.y, (double)at.z);
    }
    const uint32_t edge = lmbi_faces_edge_at(painter->faces, hit.triangle, hit.point);
    lmbi_faces_mark_loop(painter->faces, edge, painter->chosen);
    return LMB_OK;
}

/// Takes the neighbours of what is chosen in, or puts what has others beside it out.
static void change_rim(lmb_painter *p, bool grows)
{
    enum { OUT, IN, COMES, GOES };
    const lmbi_adjacency *a = p->faces->adjacency;
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        for (int k = 0; k < 2 && !p->faces->inner[e]; ++k) {
            uint8_t *own = &p->chosen[a->edges[2 * (size_t)e + (uint32_t)k]];
            const uint8_t other = p->chosen[a->edges[2 * (size_t)e + 1 - (uint32_t)k]];
            if (grows && *own == OUT && other == IN) {
                *own = COMES;
            } else if (!grows && *own == IN && other == OUT) {
                *own = GOES;
            }
        }
    }
    for (uint32_t v = 0; v < p->surface->vertex_count; ++v) {
        p->chosen[v] = p->chosen[v] == IN || p->chosen[v] == COMES;
    }
}

void lmb_painter_choose_more(lmb_painter *painter, int32_t rings)
{
    const bool grows = rings > 0;
    for (int32_t left = grows ? rings : -rings; painter->faces && left > 0; --left) {
        change_rim(painter, grows);
    }
}

void lmb_painter_choose_none(lmb_painter *painter)
{
    if (painter->chosen) {
        memset(painter->chosen, 0, painter->surface->vertex_count);
    }
}

const uint8_t *lmb_painter_chosen(const lmb_painter *painter)
{
    return painter->chosen;
}

/// The vertex next to the mirror image of one.
static uint32_t image_vertex(const lmb_painter *p, uint32_t v)
{
    const lmb_vec3 image = lmbi_plane_image(p->plane, p->surface->positions[v]);
    const lmbi_closest c = lmbi_tree_closest(p->tree, image, 1e30f);
    if (c.triangle == UINT32_MAX) {
        return v;
    }
    int most = 0;
    for (int k = 1; k < 3; ++k) {
        most = c.barycentric[k] > c.barycentric[most] ? k : most;
    }
    return p->surface->triangles[3 * (size_t)c.triangle + (size_t)most];
}

void lmbi_paint_reach_chosen(lmb_painter *p, const lmb_brush *brush, bool mirrored)
{
    p->dab_count = 0;
    for (uint32_t v = 0; p->chosen && v < p->surface->vertex_count; ++v) {
        if (p->chosen[mirrored ? image_vertex(p, v) : v]) {
            p->dab[p->dab_count++] = (lmbi_dab_vertex){v, brush->strength};
        }
    }
}
