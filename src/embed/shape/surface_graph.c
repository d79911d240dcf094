/// The graph is that of the welded edges. Pieces of the surface that meet in voxels are joined by
/// bridges: of the places where two pieces meet the largest one, and of the pairs of pieces those
/// of a maximum spanning tree (Kruskal 1956), so that a hand of its own that touches a hip hangs on
/// its arm.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/adjacency.h"
#include "geometry/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- distances

static const uint32_t NONE = UINT32_MAX;

bool lmbi_surface_graph_connect(lmbi_surface_graph *graph, const lmbi_adjacency *edges,
                                const uint32_t *bridges, uint32_t bridge_count)
{
    const uint32_t n = graph->surface->vertex_count;
    const size_t all = 2 * ((size_t)edges->edge_count + bridge_count);
    lmbi_free(graph->alloc, graph->first);
    lmbi_free(graph->alloc, graph->to);
    graph->first = lmbi_alloc_array(graph->alloc, (size_t)n + 1, sizeof *graph->first);
    graph->to = lmbi_alloc_array(graph->alloc, all + 1, sizeof *graph->to);
    uint32_t *fill = lmbi_alloc_array(graph->alloc, (size_t)n + 1, sizeof *fill);
    const bool made = graph->first && graph->to && fill && all < NONE;
    if (made) {
        memset(graph->first, 0, ((size_t)n + 1) * sizeof *graph->first);
    }
    for (int pass = 0; made && pass < 2; ++pass) {
        for (size_t e = 0; e < all; ++e) {
            const size_t own = edges->edge_count;
            const uint32_t *pair =
                e / 2 < own ? &edges->edges[2 * (e / 2)] : &bridges[2 * (e / 2 - own)];
            const uint32_t from = pair[e % 2], to = pair[1 - e % 2];
            if (pass == 0) {
                ++graph->first[from + 1];
            } else {
                graph->to[fill[from]++] = to;
            }
        }
        for (uint32_t v = 0; pass == 0 && v < n; ++v) {
            graph->first[v + 1] += graph->first[v];
            fill[v] = graph->first[v];
        }
    }
    lmbi_free(graph->alloc, fill);
    return made;
}

/// A binary heap of vertices by distance; entries whose distance has fallen since are stale.
typedef struct entry {
    float distance;
    uint32_t vertex;
} entry;

typedef struct heap {
    entry *items;
    size_t count, capacity;
    const lmb_allocator *alloc;
} heap;

static bool is_before(entry a, entry b)
{
    return a.distance < b.distance || (!(b.distance < a.distance) && a.vertex < b.vertex);
}

static bool heap_push(heap *h, entry e)
{
    void *items = h->items;
    if (!lmbi_grow(h->alloc, &items, &h->capacity, h->count + 1, sizeof e)) {
        return false;
    }
    h->items = items;
    size_t at = h->count++;
    for (; at > 0 && is_before(e, h->items[(at - 1) / 2]); at = (at - 1) / 2) {
        h->items[at] = h->items[(at - 1) / 2];
    }
    h->items[at] = e;
    return true;
}

static entry heap_pop(heap *h)
{
    const entry top = h->items[0], e = h->items[--h->count];
    size_t at = 0;
    for (size_t child = 1; child < h->count; child = 2 * at + 1) {
        child += child + 1 < h->count && is_before(h->items[child + 1], h->items[child]);
        if (!is_before(h->items[child], e)) {
            break;
        }
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = e;
    return top;
}

bool lmbi_surface_distances(const lmbi_surface_graph *graph, const uint32_t *seeds,
                            uint32_t seed_count, float most, float *distance)
{
    const lmb_vec3 *positions = graph->surface->positions;
    heap h = {.alloc = graph->alloc};
    bool done = true;
    for (uint32_t k = 0; k < seed_count && done; ++k) {
        done = heap_push(&h, (entry){distance[seeds[k]], seeds[k]});
    }
    while (done && h.count > 0) {
        const entry e = heap_pop(&h);
        if (e.distance > distance[e.vertex]) {
            continue;
        }
        for (uint32_t k = graph->first[e.vertex]; done && k < graph->first[e.vertex + 1]; ++k) {
            const uint32_t to = graph->to[k];
            const float d = e.distance + lmb_vec3_distance(positions[e.vertex], positions[to]);
            if (d < distance[to] && d <= most) {
                distance[to] = d;
                done = heap_push(&h, (entry){d, to});
            }
        }
    }
    lmbi_free(h.alloc, h.items);
    return done;
}

/// The vertices around the center, with their distances from it; returns their number.
static uint32_t seed_center(const lmbi_surface_graph *graph, lmb_vec3 center, uint32_t *seeds)
{
    const float around = 1.3f;
    const lmb_surface *surface = graph->surface;
    uint32_t count = 0;
    float nearest = 1e30f;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        nearest = fminf(nearest, lmb_vec3_distance(surface->positions[v], center));
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const float d = lmb_vec3_distance(surface->positions[v], center);
        if (d <= around * nearest) {
            graph->distance[0][v] = d;
            seeds[count++] = v;
        }
    }
    return count;
}

/// The vertex farthest from all that the first `count` fields start from. The center counts only if
/// nothing else does: a hand may have sunk into the body there.
static uint32_t farthest(const lmbi_surface_graph *graph, int count)
{
    uint32_t best = 0;
    float most = -1;
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        float least = INFINITY;
        for (int m = count > 1 ? 1 : 0; m < count; ++m) {
            least = fminf(least, graph->distance[m][v]);
        }
        if (isfinite(least) && least > most) {
            most = least;
            best = v;
        }
    }
    return best;
}

/// The mean distance of a vertex from the far ends; infinite where no path leads.
static float mean_distance(const lmbi_surface_graph *graph, uint32_t v)
{
    float sum = 0;
    for (int k = 1; k < LMBI_SURFACE_FIELDS; ++k) {
        sum += graph->distance[k][v];
    }
    return sum / (LMBI_SURFACE_FIELDS - 1);
}

/// The vertices of the middle, where the mean distance from the far ends is least (Hilaga et al.
/// 2001). Returns their number.
static uint32_t seed_middle(const lmbi_surface_graph *graph, uint32_t *seeds)
{
    const float near = 0.02f; // in units
    float least = INFINITY;
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        least = fminf(least, mean_distance(graph, v));
        graph->middle[v] = INFINITY;
    }
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        const float beyond = mean_distance(graph, v) - least;
        if (beyond < near) {
            graph->middle[v] = beyond;
            seeds[count++] = v;
        }
    }
    return count;
}

bool lmbi_surface_graph_measure(const lmbi_surface_graph *graph, lmb_vec3 center)
{
    const uint32_t vertices = graph->surface->vertex_count;
    uint32_t *seeds = lmbi_alloc_array(graph->alloc, (size_t)vertices + 1, sizeof *seeds);
    bool done = seeds != NULL;
    for (int k = 0; k < LMBI_SURFACE_FIELDS && done; ++k) {
        float *distance = graph->distance[k];
        uint32_t count = 1;
        for (uint32_t v = 0; v < vertices; ++v) {
            distance[v] = INFINITY;
        }
        if (k == 0) {
            count = seed_center(graph, center, seeds);
        } else {
            seeds[0] = farthest(graph, k);
            distance[seeds[0]] = 0;
        }
        done = lmbi_surface_distances(graph, seeds, count, INFINITY, distance);
    }
    const uint32_t middle = done ? seed_middle(graph, seeds) : 0;
    done = done && lmbi_surface_distances(graph, seeds, middle, INFINITY, graph->middle);
    lmbi_free(graph->alloc, seeds);
    return done;
}

// ---- the graph

/// Most steps along or across a triangle that is visited.
static const float MOST_STEPS = 1024;
/// Points visited of a surface, about; each triangle has its corners.
static const double MOST_VISITS = 4e6;

/// The corner opposite the longest edge.
static int tip_of(const lmb_vec3 p[3])
{
    float longest = -1;
    int tip = 0;
    for (int k = 0; k < 3; ++k) {
        const float length = lmb_vec3_distance(p[(k + 1) % 3], p[(k + 2) % 3]);
        tip = length > longest ? k : tip;
        longest = fmaxf(longest, length);
    }
    return tip;
}

/// Rows along the longest edge, shorter ones toward the tip: long thin triangles take few.
static void visit_triangle(const lmb_surface *surface, uint32_t t, float step,
                           lmbi_surface_visitor *visit, void *user)
{
    const uint32_t *corner = &surface->triangles[3 * (size_t)t];
    const lmb_vec3 p[3] = {surface->positions[corner[0]], surface->positions[corner[1]],
                           surface->positions[corner[2]]};
    const int tip = tip_of(p), a = (tip + 1) % 3, b = (tip + 2) % 3;
    const float base = lmb_vec3_distance(p[a], p[b]);
    const float area =
        lmb_vec3_length(lmb_vec3_cross(lmb_vec3_sub(p[b], p[a]), lmb_vec3_sub(p[tip], p[a])));
    const int rows = 1 + (int)fminf(area / fmaxf(base * step, 1e-12f), MOST_STEPS);
    for (int row = 0; row <= rows; ++row) {
        const float up = (float)row / (float)rows;
        const int steps = 1 + (int)fminf((1 - up) * base / step, MOST_STEPS);
        for (int k = 0; k <= steps; ++k) {
            const float along = (float)k / (float)steps;
            float w[3];
            w[tip] = up;
            w[a] = (1 - up) * (1 - along);
            w[b] = (1 - up) * along;
            visit(user, t, w,
                  lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(p[0], w[0]), p[1], w[1]), p[2], w[2]));
        }
    }
}

/// The step at which about MOST_VISITS points are visited. A body has a hundred thousand; twenty thousand triangles
/// across the whole of it, a hundred million.
static float least_step(const lmb_surface *surface)
{
    double area = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *corner = &surface->triangles[3 * (size_t)t];
        const lmb_vec3 a = surface->positions[corner[0]];
        area += 0.5 * (double)lmb_vec3_length(
                          lmb_vec3_cross(lmb_vec3_sub(surface->positions[corner[1]], a),
                                         lmb_vec3_sub(surface->positions[corner[2]], a)));
    }
    return (float)sqrt(area / MOST_VISITS);
}

void lmbi_surface_visit(const lmb_surface *surface, float step, lmbi_surface_visitor *visit,
                        void *user)
{
    step = fmaxf(step, least_step(surface));
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        visit_triangle(surface, t, step, visit, user);
    }
}

// ---- triangles small enough for paths over edges

/// Edges longer than this, in units of the frame, are halved.
static const float LONG = 0.04f;
/// Triangles of which more would be made stay as they are, and all once there are so many points.
enum { MOST_HALVES = 12, MOST_POINTS = 3000000 };

typedef struct fine_soup {
    lmb_vec3 *points; ///< three a triangle
    size_t count, capacity;
    const lmb_allocator *alloc;
} fine_soup;

/// Halves the longest edge as long as it is long. Triangles that share an edge halve it alike, at
/// the same point to the bit, so that welding joins them.
static bool add_fine(fine_soup *s, lmb_vec3 a, lmb_vec3 b, lmb_vec3 c, int halves)
{
    const float ab = lmb_vec3_distance(a, b), bc = lmb_vec3_distance(b, c),
                ca = lmb_vec3_distance(c, a);
    if (ab < bc || ab < ca) {
        return bc < ca || bc < ab ? add_fine(s, c, a, b, halves) : add_fine(s, b, c, a, halves);
    }
    if (ab > LONG && halves < MOST_HALVES && s->count < MOST_POINTS) {
        const lmb_vec3 m = lmb_vec3_scale(lmb_vec3_add(a, b), 0.5f);
        return add_fine(s, a, m, c, halves + 1) && add_fine(s, m, b, c, halves + 1);
    }
    void *items = s->points;
    if (!lmbi_grow(s->alloc, &items, &s->capacity, s->count + 3, sizeof *s->points)) {
        return false;
    }
    s->points = items;
    s->points[s->count++] = a;
    s->points[s->count++] = b;
    s->points[s->count++] = c;
    return true;
}

/// The welded surface of the soup with small triangles, and its edges.
static lmb_result create_fine_surface(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                      lmb_surface **out, lmbi_adjacency **out_edges,
                                      lmb_error *error)
{
    fine_soup fine = {.alloc = alloc};
    bool made = true;
    *out_edges = NULL;
    for (uint32_t t = 0; t < soup->triangle_count && made; ++t) {
        const uint32_t *c = &soup->triangles[3 * (size_t)t];
        made =
            add_fine(&fine, soup->positions[c[0]], soup->positions[c[1]], soup->positions[c[2]], 0);
    }
    uint32_t *corners = lmbi_alloc_array(alloc, fine.count + 1, sizeof *corners);
    lmb_result result =
        made && corners && fine.count < UINT32_MAX ? LMB_OK : lmbi_fail_memory(error);
    for (size_t k = 0; k < fine.count && result == LMB_OK; ++k) {
        corners[k] = (uint32_t)k;
    }
    if (result == LMB_OK) {
        const lmbi_triangle_soup all = {fine.points, (uint32_t)fine.count, corners,
                                        (uint32_t)fine.count / 3, false};
        result = lmbi_soup_edges(&all, alloc, out, out_edges, error);
    }
    lmbi_free(alloc, corners);
    lmbi_free(alloc, fine.points);
    return result;
}

// ---- where pieces meet

/// Two pieces in one voxel or in neighbouring ones, the lower piece first.
typedef struct meeting {
    uint32_t piece[2], voxel, vertex[2];
} meeting;

typedef struct join {
    uint32_t first, count; ///< the largest place, in the list of meetings
    uint32_t size;         ///< its number of meetings, those at borders counted BORDER times
} join;

/// A piece that continues another one ends there with an open border, as a sleeve at a wrist does.
enum { BORDER = 10 };

typedef struct builder {
    const lmbi_voxel_body *body;
    lmbi_surface_graph *graph;
    uint32_t *piece;        ///< [vertex_count]
    bool *border;           ///< [vertex_count] at an edge with one triangle
    uint32_t *vertex_in;    ///< [voxels] a vertex of the first piece in the voxel, or NONE
    uint32_t *last;         ///< [voxels] the last other piece that was met there
    uint32_t *walked, walk; ///< [vertex_count] the last walk that came there; number of walks
    meeting *meetings;
    size_t meeting_count, meeting_capacity;
    bool failed;
} builder;

static void add_meeting(builder *b, uint32_t voxel, uint32_t p, uint32_t q)
{
    void *items = b->meetings;
    if (!lmbi_grow(b->graph->alloc, &items, &b->meeting_capacity, b->meeting_count + 1,
                   sizeof *b->meetings)) {
        b->failed = true;
        return;
    }
    b->meetings = items;
    const bool ordered = b->piece[p] < b->piece[q];
    const uint32_t low = ordered ? p : q, high = ordered ? q : p;
    b->meetings[b->meeting_count++] =
        (meeting){{b->piece[low], b->piece[high]}, voxel, {low, high}};
}

static void visit_point(void *user, uint32_t triangle, const float w[3], lmb_vec3 at)
{
    builder *b = user;
    const int k = w[0] >= w[1] && w[0] >= w[2] ? 0 : w[1] >= w[2] ? 1 : 2;
    const uint32_t vertex = b->graph->surface->triangles[3 * (size_t)triangle + (uint32_t)k];
    const size_t voxel = lmbi_grid_voxel_at(&b->body->grid, at);
    if (b->vertex_in[voxel] == NONE) {
        b->vertex_in[voxel] = vertex;
    } else if (b->piece[b->vertex_in[voxel]] != b->piece[vertex] &&
               b->last[voxel] != b->piece[vertex]) {
        b->last[voxel] = b->piece[vertex];
        add_meeting(b, (uint32_t)voxel, b->vertex_in[voxel], vertex);
    }
}

/// Pieces that are one voxel apart meet too.
static void meet_neighbours(builder *b)
{
    const lmbi_grid *g = &b->body->grid;
    const ptrdiff_t ahead[3] = {1, g->nx, (ptrdiff_t)g->nx * g->ny};
    for (uint32_t s = 0; s < b->body->solid_count; ++s) {
        const uint32_t voxel = b->body->solid[s], own = b->vertex_in[voxel];
        for (int a = 0; a < 3 && own != NONE; ++a) {
            const uint32_t other = b->vertex_in[(ptrdiff_t)voxel + ahead[a]];
            if (other != NONE && b->piece[other] != b->piece[own]) {
                add_meeting(b, voxel, own, other);
            }
        }
    }
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_pieces(const void *left, const void *right)
{
    const meeting *a = left, *b = right;
    int order = compare(a->piece[0], b->piece[0]);
    order = order ? order : compare(a->piece[1], b->piece[1]);
    order = order ? order : compare(a->voxel, b->voxel);
    order = order ? order : compare(a->vertex[0], b->vertex[0]);
    return order ? order : compare(a->vertex[1], b->vertex[1]);
}

static bool same_pair(const meeting *a, const meeting *b)
{
    return a->piece[0] == b->piece[0] && a->piece[1] == b->piece[1];
}

static uint32_t find_voxel(const meeting *list, uint32_t count, uint32_t voxel)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list[middle].voxel < voxel) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && list[low].voxel == voxel ? low : NONE;
}

/// Whether edges lead from one vertex to another within a few voxels.
static bool are_near(builder *b, uint32_t u, uint32_t v)
{
    enum { MOST = 256 };
    const float reach = 5 * b->body->grid.cell;
    const lmbi_surface_graph *g = b->graph;
    const lmb_vec3 *p = g->surface->positions;
    uint32_t queue[MOST], count = 1;
    ++b->walk;
    queue[0] = u;
    b->walked[u] = b->walk;
    for (uint32_t k = 0; k < count && b->walked[v] != b->walk; ++k) {
        for (uint32_t e = g->first[queue[k]]; e < g->first[queue[k] + 1] && count < MOST; ++e) {
            const uint32_t to = g->to[e];
            if (b->walked[to] != b->walk && lmb_vec3_distance(p[to], p[u]) < reach) {
                b->walked[to] = b->walk;
                queue[count++] = to;
            }
        }
    }
    return b->walked[v] == b->walk;
}

/// Places of the meetings of one pair that are connected, on both surfaces too: a hand beside the
/// hem of a shirt is not the hem. root[k] is the lowest of the place of k. `list` is sorted by
/// voxel.
static void find_places(builder *b, const meeting *list, uint32_t count, uint32_t *root)
{
    const lmbi_grid *g = &b->body->grid;
    for (uint32_t k = 0; k < count; ++k) {
        root[k] = k;
    }
    for (uint32_t k = 0; k < count; ++k) {
        for (int d = 0; d < 14; ++d) {
            const ptrdiff_t to = (ptrdiff_t)list[k].voxel +
                                 ((ptrdiff_t)(d / 9 - 1) * g->ny + (d / 3 % 3 - 1)) * g->nx +
                                 d % 3 - 1;
            const uint32_t other = to < 0 ? NONE : find_voxel(list, count, (uint32_t)to);
            if (other == NONE || !are_near(b, list[k].vertex[0], list[other].vertex[0]) ||
                !are_near(b, list[k].vertex[1], list[other].vertex[1])) {
                continue;
            }
            const uint32_t p = lmbi_union_root(root, k), q = lmbi_union_root(root, other);
            root[p > q ? p : q] = p > q ? q : p;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        root[k] = lmbi_union_root(root, k);
    }
}

/// Keeps the meetings of the largest place of a pair, in front. `root` and `size` are scratch.
static join keep_largest_place(builder *b, uint32_t first, uint32_t count, uint32_t *root,
                               uint32_t *size)
{
    meeting *list = b->meetings + first;
    find_places(b, list, count, root);
    memset(size, 0, count * sizeof *size);
    uint32_t best = 0, kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const bool border = b->border[list[k].vertex[0]] || b->border[list[k].vertex[1]];
        size[root[k]] += border ? BORDER : 1;
    }
    for (uint32_t k = 1; k < count; ++k) {
        best = size[k] > size[best] ? k : best;
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (root[k] == best) {
            list[kept++] = list[k];
        }
    }
    return (join){first, kept, size[best]};
}

static int by_size(const void *left, const void *right)
{
    const join *a = left, *b = right;
    const int order = compare(b->size, a->size);
    return order ? order : compare(a->first, b->first);
}

/// Chooses the pairs of pieces that are joined; moves their meetings to the front of the list and
/// returns their number, NONE without memory.
static uint32_t choose_bridges(builder *b, uint32_t pieces, lmbi_arena *arena)
{
    const uint32_t count = (uint32_t)b->meeting_count;
    join *joins = lmbi_arena_array(arena, (size_t)count + 1, sizeof *joins);
    uint32_t *root = lmbi_arena_array(arena, (size_t)count + 1, sizeof *root),
             *size = lmbi_arena_array(arena, (size_t)count + 1, sizeof *size),
             *set = lmbi_arena_array(arena, pieces, sizeof *set);
    meeting *kept = lmbi_arena_array(arena, (size_t)count + 1, sizeof *kept);
    if (!joins || !root || !size || !set || !kept) {
        return NONE;
    }
    uint32_t join_count = 0, bridges = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && same_pair(&b->meetings[from], &b->meetings[to]); ++to) {
        }
        joins[join_count++] = keep_largest_place(b, from, to - from, root, size);
    }
    qsort(joins, join_count, sizeof *joins, by_size);
    for (uint32_t p = 0; p < pieces; ++p) {
        set[p] = p;
    }
    for (uint32_t k = 0; k < join_count; ++k) {
        const meeting *m = &b->meetings[joins[k].first];
        const uint32_t p = lmbi_union_root(set, m->piece[0]), q = lmbi_union_root(set, m->piece[1]);
        if (p != q) {
            set[p] = q;
            memcpy(kept + bridges, m, joins[k].count * sizeof *m);
            bridges += joins[k].count;
        }
    }
    if (bridges > 0) {
        memcpy(b->meetings, kept, bridges * sizeof *kept);
    }
    return bridges;
}

static lmb_result build(builder *b, const lmbi_adjacency *edges, lmbi_arena *arena,
                        lmb_error *error)
{
    const lmb_surface *surface = b->graph->surface;
    const size_t voxels = lmbi_grid_count(&b->body->grid);
    uint32_t pieces = 0;
    b->piece = lmbi_arena_array(arena, surface->vertex_count, sizeof *b->piece);
    b->border = lmbi_arena_array(arena, surface->vertex_count, sizeof *b->border);
    b->walked = lmbi_arena_array(arena, surface->vertex_count, sizeof *b->walked);
    b->vertex_in = lmbi_arena_array(arena, voxels, sizeof *b->vertex_in);
    b->last = lmbi_arena_array(arena, voxels, sizeof *b->last);
    if (!b->piece || !b->border || !b->walked || !b->vertex_in || !b->last) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmb_surface_components(surface, b->graph->alloc, b->piece, &pieces, error);
    if (result != LMB_OK || !lmbi_surface_graph_connect(b->graph, edges, NULL, 0)) {
        return result != LMB_OK ? result : lmbi_fail_memory(error);
    }
    memset(b->border, 0, surface->vertex_count * sizeof *b->border);
    memset(b->walked, 0, surface->vertex_count * sizeof *b->walked);
    for (uint32_t e = 0; e < edges->edge_count; ++e) {
        if (edges->edge_first[e + 1] - edges->edge_first[e] == 1) {
            b->border[edges->edges[2 * e]] = b->border[edges->edges[2 * e + 1]] = true;
        }
    }
    memset(b->vertex_in, 0xff, voxels * sizeof *b->vertex_in);
    memset(b->last, 0xff, voxels * sizeof *b->last);
    lmbi_surface_visit(surface, 0.5f * b->body->grid.cell, visit_point, b);
    meet_neighbours(b);
    if (b->meeting_count > 0) {
        qsort(b->meetings, b->meeting_count, sizeof *b->meetings, by_pieces);
    }
    const uint32_t bridges = choose_bridges(b, pieces, arena);
    uint32_t *ends = NULL;
    bool made = !b->failed && bridges != NONE;
    if (made) {
        ends = lmbi_arena_array(arena, 2 * (size_t)bridges + 1, sizeof *ends);
        made = ends != NULL;
    }
    for (uint32_t k = 0; made && k < bridges; ++k) {
        memcpy(ends + 2 * (size_t)k, b->meetings[k].vertex, 2 * sizeof *ends);
    }
    made = made && lmbi_surface_graph_connect(b->graph, edges, ends, bridges) &&
           lmbi_surface_graph_measure(b->graph, lmbi_grid_center(&b->body->grid, b->body->center));
    return made ? LMB_OK : lmbi_fail_memory(error);
}

void lmbi_surface_graph_destroy(lmbi_surface_graph *graph)
{
    lmb_surface_destroy(graph->surface);
    for (int k = 0; k < LMBI_SURFACE_FIELDS; ++k) {
        lmbi_free(graph->alloc, graph->distance[k]);
    }
    lmbi_free(graph->alloc, graph->middle);
    lmbi_free(graph->alloc, graph->first);
    lmbi_free(graph->alloc, graph->to);
    *graph = (lmbi_surface_graph){.alloc = graph->alloc};
}

lmb_result lmbi_surface_graph_create(const lmbi_triangle_soup *soup, const lmbi_voxel_body *body,
                                     const lmbi_frame *frame, lmbi_surface_graph *out,
                                     lmb_error *error)
{
    lmbi_surface_graph graph = {.frame = *frame, .alloc = body->alloc};
    lmbi_adjacency *edges = NULL;
    lmb_result result = create_fine_surface(soup, body->alloc, &graph.surface, &edges, error);
    if (result == LMB_OK && !edges) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "triangles with an area", "none");
    }
    for (int k = 0; k < LMBI_SURFACE_FIELDS && result == LMB_OK; ++k) {
        graph.distance[k] =
            lmbi_alloc_array(body->alloc, graph.surface->vertex_count, sizeof(float));
        result = graph.distance[k] ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        graph.middle = lmbi_alloc_array(body->alloc, graph.surface->vertex_count, sizeof(float));
        result = graph.middle ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        builder b = {.body = body, .graph = &graph};
        lmbi_arena arena;
        lmbi_arena_init(&arena, body->alloc);
        result = build(&b, edges, &arena, error);
        lmbi_arena_free(&arena);
        lmbi_free(body->alloc, b.meetings);
    }
    lmbi_adjacency_destroy(edges);
    if (result != LMB_OK) {
        lmbi_surface_graph_destroy(&graph);
        return result;
    }
    *out = graph;
    return LMB_OK;
}
