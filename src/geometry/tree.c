/// Builds the triangle tree top down, by the binned surface area heuristic.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"

#define BIN_COUNT 12
#define LEAF_SIZE 4

/// A triangle during the build. The centre is that of its box.
typedef struct item {
    lmb_vec3 low, high;
    uint32_t id;
} item;

typedef struct bin {
    lmb_box box;
    uint32_t count;
} bin;

typedef struct split {
    int axis;    ///< -1: none found
    float from;  ///< coordinate of the first bin's lower bound
    float scale; ///< bins per unit
    int last;    ///< last bin of the left side
} split;

/// A pending split: items [begin, end) belong to nodes[node].
typedef struct task {
    uint32_t node, begin, end, depth;
} task;

static float axis_of(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static float low_of(float a, float b)
{
    return a < b ? a : b;
}

static float high_of(float a, float b)
{
    return a > b ? a : b;
}

static void grow(lmb_box *box, lmb_vec3 low, lmb_vec3 high)
{
    box->low = lmb_vec3_make(low_of(box->low.x, low.x), low_of(box->low.y, low.y),
                             low_of(box->low.z, low.z));
    box->high = lmb_vec3_make(high_of(box->high.x, high.x), high_of(box->high.y, high.y),
                              high_of(box->high.z, high.z));
}

static lmb_vec3 centre_of(const item *i)
{
    return lmb_vec3_make(0.5f * i->low.x + 0.5f * i->high.x, 0.5f * i->low.y + 0.5f * i->high.y,
                         0.5f * i->low.z + 0.5f * i->high.z);
}

static float half_area(const lmb_box *box)
{
    lmb_vec3 d = lmb_vec3_sub(box->high, box->low);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static int bin_of(const item *i, const split *s)
{
    int b = (int)((axis_of(centre_of(i), s->axis) - s->from) * s->scale);
    return b < 0 ? 0 : b >= BIN_COUNT ? BIN_COUNT - 1 : b;
}

/// Finds the cheapest split between bins along one axis. Returns its cost: the sum of area times
/// count of both sides.
static float best_wall(const bin *bins, int *last)
{
    float right_cost[BIN_COUNT], best = INFINITY;
    lmb_box box = lmb_box_empty();
    uint32_t count = 0;
    for (int b = BIN_COUNT - 1; b > 0; --b) {
        if (bins[b].count) {
            grow(&box, bins[b].box.low, bins[b].box.high);
        }
        count += bins[b].count;
        right_cost[b] = count ? half_area(&box) * (float)count : INFINITY;
    }
    box = lmb_box_empty();
    count = 0;
    for (int b = 0; b < BIN_COUNT - 1; ++b) {
        if (bins[b].count) {
            grow(&box, bins[b].box.low, bins[b].box.high);
        }
        count += bins[b].count;
        float cost = count ? half_area(&box) * (float)count + right_cost[b + 1] : INFINITY;
        if (cost < best) {
            best = cost;
            *last = b;
        }
    }
    return best;
}

/// Bins along the longest axis of the centres.
static split find_split(const item *items, uint32_t begin, uint32_t end)
{
    lmb_box centres = lmb_box_empty();
    for (uint32_t i = begin; i < end; ++i) {
        lmb_vec3 c = centre_of(&items[i]);
        grow(&centres, c, c);
    }
    lmb_vec3 d = lmb_vec3_sub(centres.high, centres.low);
    split s = {.axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2, .last = -1};
    float width = axis_of(d, s.axis);
    s.from = axis_of(centres.low, s.axis);
    s.scale = (float)BIN_COUNT / width;
    if (!(width > 0) || !(s.scale < INFINITY)) {
        s.axis = -1;
        return s;
    }
    bin bins[BIN_COUNT];
    for (int b = 0; b < BIN_COUNT; ++b) {
        bins[b] = (bin){lmb_box_empty(), 0};
    }
    for (uint32_t i = begin; i < end; ++i) {
        bin *b = &bins[bin_of(&items[i], &s)];
        grow(&b->box, items[i].low, items[i].high);
        ++b->count;
    }
    if (!(best_wall(bins, &s.last) < INFINITY)) {
        s.axis = -1;
    }
    return s;
}

/// Moves the left side's items to the front; returns where the right side begins. Not stable, but
/// deterministic.
static uint32_t partition(item *items, uint32_t begin, uint32_t end, const split *s)
{
    while (begin < end) {
        if (bin_of(&items[begin], s) <= s->last) {
            ++begin;
        } else {
            --end;
            item moved = items[begin];
            items[begin] = items[end];
            items[end] = moved;
        }
    }
    return begin;
}

static void fit(lmbi_tree_node *node, const item *items, uint32_t begin, uint32_t end)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t i = begin; i < end; ++i) {
        grow(&box, items[i].low, items[i].high);
    }
    node->low = box.low;
    node->high = box.high;
}

static uint32_t divide(item *items, task t)
{
    uint32_t middle = t.begin + (t.end - t.begin) / 2;
    if (t.depth >= LMBI_TREE_FAIR_DEPTH) {
        return middle;
    }
    split s = find_split(items, t.begin, t.end);
    if (s.axis < 0) {
        return middle;
    }
    uint32_t at = partition(items, t.begin, t.end, &s);
    return at > t.begin && at < t.end ? at : middle;
}

static void build(lmbi_tree *tree, item *items)
{
    task stack[LMBI_TREE_STACK];
    int height = 0;
    stack[height++] = (task){0, 0, tree->triangle_count, 0};
    tree->node_count = 2;
    while (height) {
        task t = stack[--height];
        lmbi_tree_node *node = &tree->nodes[t.node];
        fit(node, items, t.begin, t.end);
        if (t.end - t.begin <= LEAF_SIZE) {
            node->first = t.begin;
            node->count = t.end - t.begin;
            continue;
        }
        uint32_t at = divide(items, t);
        node->first = tree->node_count;
        tree->node_count += 2;
        stack[height++] = (task){node->first + 1, at, t.end, t.depth + 1};
        stack[height++] = (task){node->first, t.begin, at, t.depth + 1};
    }
}

static void load_items(const lmb_surface *surface, item *items)
{
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *corner = surface->triangles + 3 * (size_t)t;
        lmb_box box = lmb_box_empty();
        for (int k = 0; k < 3; ++k) {
            box = lmb_box_add(box, surface->positions[corner[k]]);
        }
        items[t] = (item){box.low, box.high, t};
    }
}

static void store_triangles(const lmb_surface *surface, const item *items, lmbi_tree *tree)
{
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *corner = surface->triangles + 3 * (size_t)items[t].id;
        tree->triangles[t] =
            (lmbi_tree_triangle){surface->positions[corner[0]], surface->positions[corner[1]],
                                 surface->positions[corner[2]], items[t].id};
    }
}

/// Upper bound of a tree's nodes: every split leaves at least one triangle on each side.
static size_t node_bound(uint32_t triangle_count)
{
    return 2 + 2 * (size_t)triangle_count;
}

lmb_result lmbi_tree_create(const lmb_surface *surface, const lmb_allocator *alloc, lmbi_tree **out,
                            lmb_error *error)
{
    uint32_t count = surface->triangle_count;
    lmbi_tree *tree = lmbi_alloc(alloc, sizeof *tree);
    lmbi_tree_node *nodes = lmbi_alloc_array(alloc, node_bound(count), sizeof *nodes);
    lmbi_tree_triangle *triangles = lmbi_alloc_array(alloc, count, sizeof *triangles);
    item *items = lmbi_alloc_array(alloc, count, sizeof *items);
    if (!tree || !nodes || !triangles || !items) {
        lmbi_free(alloc, items);
        lmbi_free(alloc, triangles);
        lmbi_free(alloc, nodes);
        lmbi_free(alloc, tree);
        return lmbi_fail_memory(error);
    }
    *tree = (lmbi_tree){.triangle_count = count, .nodes = nodes, .triangles = triangles};
    if (alloc) {
        tree->allocator = *alloc;
    }
    load_items(surface, items);
    build(tree, items);
    store_triangles(surface, items, tree);
    lmbi_free(alloc, items);
    lmbi_tree_node *fitted = lmbi_resize(alloc, tree->nodes, tree->node_count * sizeof *fitted);
    tree->nodes = fitted ? fitted : tree->nodes;
    *out = tree;
    return LMB_OK;
}

void lmbi_tree_destroy(lmbi_tree *tree)
{
    if (tree) {
        lmb_allocator alloc = tree->allocator;
        lmbi_free(&alloc, tree->triangles);
        lmbi_free(&alloc, tree->nodes);
        lmbi_free(&alloc, tree);
    }
}
