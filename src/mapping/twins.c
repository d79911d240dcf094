/// A k-d tree over the children of each joint (Bentley 1975), split at the median of its widest
/// dimension and stored as a complete binary tree. Nodes keep bounds, which shrink as joints are
/// removed. A bound is computed like the distance itself, so the result equals that of a linear
/// search.
#include "mapping/twins.h"

#include <math.h>

#include "math/scalar.h"

#define SIBLINGS_APART 0.15f ///< greatest distance from a sibling's mirror image, of the extent
#define BELOW_APART 0.2f     ///< and from that of a joint below its parent's twin
#define ON_PLANE 0.02f       ///< closer joints have no side
#define ALIKE 0.6f           ///< least ratio of the lengths of twins

enum { STACK = 64, DIMENSIONS = 4 };

typedef struct range {
    uint32_t begin, end, width;
} range;

static float coordinate(const lmbi_skeleton_shape *s, uint32_t j, int dimension)
{
    const lmb_vec3 p = s->joints[j].middle;
    return dimension == 0 ? p.x : dimension == 1 ? p.y : dimension == 2 ? p.z : s->joints[j].below;
}

// ------------------------------------------------------------------------------------------- build

static int widest_dimension(const lmbi_skeleton_shape *s, const uint32_t *joints, uint32_t count)
{
    int best = 0;
    float most = -1.0f;
    for (int d = 0; d < DIMENSIONS; ++d) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t k = 0; k < count; ++k) {
            const float at = coordinate(s, joints[k], d);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > most) {
            most = high - low;
            best = d;
        }
    }
    return best;
}

static bool precedes(const lmbi_skeleton_shape *s, int dimension, uint32_t a, uint32_t b)
{
    const float x = coordinate(s, a, dimension), y = coordinate(s, b, dimension);
    return x < y || (!(y < x) && a < b);
}

/// Hoare's selection: moves the `nth` lowest to its index, and lower ones before it.
static void select_nth(const lmbi_skeleton_shape *s, int dimension, uint32_t *joints,
                       uint32_t count, uint32_t nth)
{
    uint32_t begin = 0, end = count;
    while (end - begin > 1) {
        const uint32_t pivot = joints[begin + (end - begin) / 2];
        uint32_t i = begin, k = end - 1;
        for (;;) {
            while (precedes(s, dimension, joints[i], pivot)) {
                ++i;
            }
            while (precedes(s, dimension, pivot, joints[k])) {
                --k;
            }
            if (i >= k) {
                break;
            }
            const uint32_t moved = joints[i];
            joints[i] = joints[k];
            joints[k] = moved;
        }
        // Ranks are unique, so both scans stop at the pivot.
        begin = i < nth ? i + 1 : begin;
        end = i > nth ? i : end;
        if (i == nth) {
            return;
        }
    }
}

/// Sorts a family into the order of the tree's leaves: each node's halves left and right of a
/// median.
static void sort_family(const lmbi_skeleton_shape *s, uint32_t *joints, uint32_t count,
                        uint32_t width)
{
    range stack[STACK];
    int height = 0;
    stack[height++] = (range){0, count, width};
    while (height > 0) {
        const range r = stack[--height];
        const uint32_t half = r.width / 2, middle = r.begin + half;
        if (r.end - r.begin <= 1) {
            continue;
        }
        if (middle < r.end) {
            const int dimension = widest_dimension(s, joints + r.begin, r.end - r.begin);
            select_nth(s, dimension, joints + r.begin, r.end - r.begin, half);
            stack[height++] = (range){middle, r.end, half};
        }
        stack[height++] = (range){r.begin, middle < r.end ? middle : r.end, half};
    }
}

bool lmbi_twins_make(const lmbi_skeleton_shape *s, lmbi_arena *arena, lmbi_twins *out)
{
    lmbi_twins t = {.shape = s,
                    .family = lmbi_arena_array(arena, s->count, sizeof *t.family),
                    .width = lmbi_arena_array(arena, s->count, sizeof *t.width),
                    .leaf = lmbi_arena_array(arena, s->count, sizeof *t.leaf)};
    uint32_t *joints = lmbi_arena_array(arena, s->count, sizeof *joints);
    if (t.family == NULL || t.width == NULL || t.leaf == NULL || joints == NULL) {
        return false;
    }
    size_t node_count = 0;
    for (uint32_t p = 0; p < s->count; ++p) {
        uint32_t count = 0, width = 1;
        for (uint32_t j = s->joints[p].child; j != 0; j = s->joints[j].sibling) {
            joints[count++] = j;
        }
        while (width < count) {
            width *= 2;
        }
        t.width[p] = count > 0 ? width : 0;
        t.family[p] = (uint32_t)node_count;
        node_count += 2 * (size_t)t.width[p];
        sort_family(s, joints, count, width);
        for (uint32_t k = 0; k < count; ++k) {
            t.leaf[joints[k]] = width + k;
        }
    }
    t.nodes = lmbi_arena_array(arena, node_count, sizeof *t.nodes);
    *out = t;
    return t.nodes != NULL;
}

// ------------------------------------------------------------------------------------------ bounds

static lmbi_twin_node empty_node(void)
{
    lmbi_twin_node node = {.first = UINT32_MAX};
    for (int d = 0; d < DIMENSIONS; ++d) {
        node.low[d] = INFINITY;
        node.high[d] = -INFINITY;
    }
    return node;
}

static void join_children(lmbi_twin_node *family, uint32_t n)
{
    const lmbi_twin_node *a = &family[2 * (size_t)n], *b = a + 1;
    for (int d = 0; d < DIMENSIONS; ++d) {
        family[n].low[d] = a->low[d] < b->low[d] ? a->low[d] : b->low[d];
        family[n].high[d] = a->high[d] > b->high[d] ? a->high[d] : b->high[d];
    }
    family[n].first = a->first < b->first ? a->first : b->first;
}

void lmbi_twins_reset(lmbi_twins *t, const uint32_t *named)
{
    const lmbi_skeleton_shape *s = t->shape;
    for (uint32_t p = 0; p < s->count; ++p) {
        lmbi_twin_node *family = t->nodes + t->family[p];
        for (uint32_t k = 0; k < t->width[p]; ++k) {
            family[t->width[p] + k] = empty_node();
        }
        for (uint32_t j = s->joints[p].child; j != 0; j = s->joints[j].sibling) {
            lmbi_twin_node *leaf = &family[t->leaf[j]];
            for (int d = 0; d < DIMENSIONS && s->joints[j].twin >= 0 && named[j] == j; ++d) {
                leaf->low[d] = leaf->high[d] = coordinate(s, j, d);
                leaf->first = j;
            }
        }
        for (uint32_t n = t->width[p]; n-- > 1;) {
            join_children(family, n);
        }
    }
}

void lmbi_twins_remove(lmbi_twins *t, uint32_t joint)
{
    const int32_t parent = t->shape->skeleton->parents[joint];
    if (parent < 0) {
        return;
    }
    lmbi_twin_node *family = t->nodes + t->family[parent];
    uint32_t n = t->leaf[joint];
    family[n] = empty_node();
    while (n > 1) {
        n /= 2;
        join_children(family, n);
    }
}

// ------------------------------------------------------------------------------------------ search

/// A query: a centroid at `image`, a length like `below`, on the other side than `side` unless that
/// is 0.
typedef struct query {
    const lmbi_skeleton_shape *shape;
    lmb_vec3 image;
    float below, side;
} query;

static bool similar(float x, float y)
{
    return fminf(x, y) >= ALIKE * fmaxf(x, y);
}

/// Lower bound on the distance of the image to a node's joints; infinite if none can be a twin.
static float least_distance(const query *w, const lmbi_twin_node *n)
{
    const lmb_vec3 image = w->image, low = {n->low[0], n->low[1], n->low[2]},
                   high = {n->high[0], n->high[1], n->high[2]};
    const lmb_vec3 at = {lmbi_clampf(image.x, low.x, high.x), lmbi_clampf(image.y, low.y, high.y),
                         lmbi_clampf(image.z, low.z, high.z)};
    if (n->first == UINT32_MAX ||
        !similar(w->below, lmbi_clampf(w->below, n->low[3], n->high[3])) ||
        (w->side > 0.0f && !(lmbi_off_plane(w->shape, low) < 0.0f)) ||
        (w->side < 0.0f && !(lmbi_off_plane(w->shape, high) > 0.0f))) {
        return INFINITY;
    }
    return lmb_vec3_distance(image, at);
}

int32_t lmbi_twins_nearest(const lmbi_twins *t, uint32_t joint, uint32_t parent, bool siblings)
{
    const lmbi_skeleton_shape *s = t->shape;
    const lmb_vec3 middle = s->joints[joint].middle;
    const float side = lmbi_off_plane(s, middle);
    if (t->width[parent] == 0 || (siblings && !(fabsf(side) > ON_PLANE * s->extent))) {
        return LMB_NONE;
    }
    const query w = {s, lmb_vec3_mad(middle, s->aside, -2.0f * side), s->joints[joint].below,
                     siblings ? side : 0.0f};
    const lmbi_twin_node *family = t->nodes + t->family[parent];
    float nearest = (siblings ? SIBLINGS_APART : BELOW_APART) * s->extent;
    uint32_t best = 0, stack[STACK]; // best 0: an equal distance is not accepted before a first hit
    int height = 0;
    stack[height++] = 1;
    while (height > 0) {
        const uint32_t n = stack[--height];
        const float d = least_distance(&w, &family[n]);
        if (!(d < nearest || (d == nearest && family[n].first < best))) {
            continue;
        }
        if (n >= t->width[parent]) {
            nearest = d;
            best = family[n].first;
            continue;
        }
        const bool second =
            least_distance(&w, &family[2 * n + 1]) < least_distance(&w, &family[2 * n]);
        stack[height++] = 2 * n + !second;
        stack[height++] = 2 * n + second;
    }
    return best > 0 ? (int32_t)best : LMB_NONE;
}
