#include "skin/center_cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
    /// Influences of a corner that are used, strongest first.
    CORNER_JOINTS = 12,
    TRIANGLE_JOINTS = 3 * CORNER_JOINTS,
    /// Cells along one weight: for sigma 0.1 a sixteenth of the similarity kernel's width.
    STEPS = 160,
    /// Maximum bisections of a triangle: an edge between two joints takes four, three edges twelve.
    DEPTH = 12,
};
/// Edges with a larger weight difference are bisected (Le and Hodgins, 4.3).
static const float LARGEST_CHANGE = 0.1f;
/// Smaller products of two weights are ignored.
static const float LEAST_PRODUCT = 1e-5f;

typedef struct cell {
    uint64_t key; ///< 0: free. Joints are below 65536, so key plus 1 does not wrap
    double area, low, high, x, y, z;
} cell;

typedef struct table {
    const lmb_allocator *alloc;
    cell *cells;
    size_t capacity; ///< a power of two
    size_t count;
    bool failed;
} table;

/// A part of a triangle: its corners, and their weights for the triangle's joints.
typedef struct piece {
    double corner[3][3];
    float weights[3][TRIANGLE_JOINTS];
} piece;

typedef struct gathering {
    table cells;
    uint32_t joint_count; ///< of this triangle
    uint32_t joints[TRIANGLE_JOINTS];
} gathering;

// ------------------------------------------------------------------------------------------ table

static cell *find_slot(cell *cells, size_t capacity, uint64_t key)
{
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (capacity - 1);
    while (cells[at].key != 0 && cells[at].key != key) {
        at = (at + 1) & (capacity - 1);
    }
    return &cells[at];
}

static bool grow_table(table *t)
{
    const size_t capacity = t->capacity > 0 ? 2 * t->capacity : 4096;
    cell *cells = lmbi_alloc_array(t->alloc, capacity, sizeof(*cells));
    if (cells == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->capacity; ++i) {
        if (t->cells[i].key != 0) {
            *find_slot(cells, capacity, t->cells[i].key) = t->cells[i];
        }
    }
    lmbi_free(t->alloc, t->cells);
    t->cells = cells;
    t->capacity = capacity;
    return true;
}

static cell *find_or_add(table *t, uint64_t key)
{
    if (2 * (t->count + 1) > t->capacity && !grow_table(t)) {
        t->failed = true;
        return NULL;
    }
    cell *found = find_slot(t->cells, t->capacity, key);
    t->count += found->key == 0;
    found->key = key;
    return found;
}

static uint64_t step_of(float weight)
{
    const int step = (int)(weight * (float)STEPS);
    return (uint64_t)(step < 0 ? 0 : (step >= STEPS ? STEPS - 1 : step));
}

static void add_to_cell(table *t, const uint32_t joints[2], const float weights[2], double area,
                        const double centroid[3])
{
    const int low = joints[0] < joints[1] ? 0 : 1;
    const uint64_t key = ((uint64_t)joints[low] << 32 | (uint64_t)joints[1 - low] << 16 |
                          step_of(weights[low]) << 8 | step_of(weights[1 - low])) +
                         1;
    cell *c = find_or_add(t, key);
    if (c != NULL) {
        c->area += area;
        c->low += area * (double)weights[low];
        c->high += area * (double)weights[1 - low];
        c->x += area * centroid[0];
        c->y += area * centroid[1];
        c->z += area * centroid[2];
    }
}

// -------------------------------------------------------------------------------------- triangles

/// Index of `joint` in the triangle's list; appended if new.
static uint32_t local_joint(gathering *g, uint32_t joint, piece *whole)
{
    uint32_t k = 0;
    while (k < g->joint_count && g->joints[k] != joint) {
        ++k;
    }
    if (k == g->joint_count) {
        g->joints[g->joint_count++] = joint;
        whole->weights[0][k] = whole->weights[1][k] = whole->weights[2][k] = 0;
    }
    return k;
}

static void read_triangle(gathering *g, const lmb_mesh *mesh, const uint32_t *corners, piece *whole)
{
    g->joint_count = 0;
    for (int c = 0; c < 3; ++c) {
        const lmb_vec3 p = mesh->positions[corners[c]];
        whole->corner[c][0] = (double)p.x;
        whole->corner[c][1] = (double)p.y;
        whole->corner[c][2] = (double)p.z;
        const uint32_t first = mesh->influences.first[corners[c]];
        const uint32_t size = mesh->influences.first[corners[c] + 1] - first;
        for (uint32_t i = first; i < first + (size < CORNER_JOINTS ? size : CORNER_JOINTS); ++i) {
            const lmb_influence item = mesh->influences.items[i];
            const uint32_t joint = local_joint(g, item.joint, whole);
            whole->weights[c][joint] += item.weight;
        }
        if (size == 0) { // empty rows follow joint 0
            const uint32_t joint = local_joint(g, 0, whole);
            whole->weights[c][joint] = 1;
        }
    }
}

static double area_of(const piece *p)
{
    double u[3], v[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = p->corner[1][i] - p->corner[0][i];
        v[i] = p->corner[2][i] - p->corner[0][i];
    }
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                 z = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

static void add_piece(gathering *g, const piece *p)
{
    const double area = area_of(p);
    double centroid[3];
    float weights[TRIANGLE_JOINTS];
    for (int i = 0; i < 3; ++i) {
        centroid[i] = (p->corner[0][i] + p->corner[1][i] + p->corner[2][i]) / 3;
    }
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        weights[k] = (p->weights[0][k] + p->weights[1][k] + p->weights[2][k]) / 3;
    }
    for (uint32_t a = 0; area > 0 && a < g->joint_count; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            if (weights[a] * weights[b] >= LEAST_PRODUCT) {
                add_to_cell(&g->cells, (const uint32_t[2]){g->joints[a], g->joints[b]},
                            (const float[2]){weights[a], weights[b]}, area, centroid);
            }
        }
    }
}

/// The edge, by its first corner, with the largest weight difference; -1 if none exceeds the limit.
static int edge_to_halve(const gathering *g, const piece *p)
{
    float largest = LARGEST_CHANGE * LARGEST_CHANGE;
    int edge = -1;
    for (int c = 0; c < 3; ++c) {
        float square = 0;
        for (uint32_t k = 0; k < g->joint_count; ++k) {
            const float change = p->weights[(c + 1) % 3][k] - p->weights[c][k];
            square += change * change;
        }
        if (square > largest) {
            largest = square;
            edge = c;
        }
    }
    return edge;
}

static void replace_corner(const gathering *g, piece *p, int corner, int a, int b)
{
    for (int i = 0; i < 3; ++i) {
        p->corner[corner][i] = 0.5 * (p->corner[a][i] + p->corner[b][i]);
    }
    for (uint32_t k = 0; k < g->joint_count; ++k) {
        p->weights[corner][k] = 0.5f * (p->weights[a][k] + p->weights[b][k]);
    }
}

// NOLINTNEXTLINE(misc-no-recursion): at most DEPTH deep
static void gather_piece(gathering *g, const piece *p, int depth)
{
    const int edge = depth < DEPTH ? edge_to_halve(g, p) : -1;
    if (edge < 0) {
        add_piece(g, p);
        return;
    }
    const int next = (edge + 1) % 3;
    piece half = *p;
    replace_corner(g, &half, next, edge, next);
    gather_piece(g, &half, depth + 1);
    half = *p;
    replace_corner(g, &half, edge, edge, next);
    gather_piece(g, &half, depth + 1);
}

static void gather_mesh(gathering *g, const lmb_mesh *mesh)
{
    piece whole;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        const uint32_t *indices = mesh->indices + primitive->first_index;
        const uint32_t count =
            primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 : 0;
        for (uint32_t t = 0; t < count && !g->cells.failed; ++t) {
            read_triangle(g, mesh, indices + 3 * (size_t)t, &whole);
            gather_piece(g, &whole, 0);
        }
    }
}

// ----------------------------------------------------------------------------------------- layout

/// A total order: keys are unique.
static int by_key(const void *a, const void *b)
{
    const uint64_t x = ((const cell *)a)->key, y = ((const cell *)b)->key;
    return x < y ? -1 : x > y;
}

static void sort_cells(table *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->capacity; ++i) {
        if (t->cells[i].key != 0) {
            t->cells[kept++] = t->cells[i];
        }
    }
    if (kept > 0) {
        qsort(t->cells, kept, sizeof(*t->cells), by_key);
    }
}

static void fill_lane(lmbi_center_group *group, int lane, const cell *c)
{
    const double low = c->low / c->area, high = c->high / c->area, product = low * high;
    group->low[lane] = (float)low;
    group->high[lane] = (float)high;
    group->area[lane] = (float)(c->area * product);
    group->x[lane] = (float)(c->x * product);
    group->y[lane] = (float)(c->y * product);
    group->z[lane] = (float)(c->z * product);
}

/// Counts pairs and groups; fills the arrays of `out` if they are allocated.
static void lay_out_groups(const table *t, lmbi_center_cells *out, uint32_t *pair_count,
                           size_t *group_count)
{
    *pair_count = 0;
    *group_count = 0;
    for (size_t i = 0; i < t->count;) {
        const uint64_t joints = (t->cells[i].key - 1) >> 16;
        const size_t first = *group_count;
        size_t lanes = 0;
        for (; i < t->count && (t->cells[i].key - 1) >> 16 == joints; ++i, ++lanes) {
            if (out->groups != NULL) {
                fill_lane(&out->groups[first + lanes / 4], (int)(lanes % 4), &t->cells[i]);
            }
        }
        *group_count += (lanes + 3) / 4;
        if (out->pairs != NULL) {
            out->pairs[*pair_count] =
                (lmbi_center_pair){(uint32_t)(joints >> 16), (uint32_t)(joints & 0xFFFF),
                                   (uint32_t)first, (uint32_t)(*group_count - first)};
        }
        ++*pair_count;
    }
}

bool lmbi_center_cells_gather(const lmb_mesh *mesh, const lmb_allocator *alloc,
                              lmbi_center_cells *out)
{
    gathering g = {.cells = {.alloc = alloc}};
    *out = (lmbi_center_cells){0};
    gather_mesh(&g, mesh);
    if (!g.cells.failed) {
        sort_cells(&g.cells);
        size_t group_count = 0;
        lay_out_groups(&g.cells, out, &out->pair_count, &group_count);
        out->pairs = lmbi_alloc_array(alloc, out->pair_count, sizeof(*out->pairs));
        out->groups = lmbi_alloc_array(alloc, group_count, sizeof(*out->groups));
        g.cells.failed = out->pairs == NULL || out->groups == NULL;
        if (!g.cells.failed) {
            lay_out_groups(&g.cells, out, &out->pair_count, &group_count);
        }
    }
    lmbi_free(alloc, g.cells.cells);
    return !g.cells.failed;
}

void lmbi_center_cells_free(lmbi_center_cells *cells, const lmb_allocator *alloc)
{
    lmbi_free(alloc, cells->pairs);
    lmbi_free(alloc, cells->groups);
    *cells = (lmbi_center_cells){0};
}
