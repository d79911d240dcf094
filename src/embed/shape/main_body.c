/// The main body of a mesh: of its connected pieces the largest and the long ones that come in pairs, and
/// what touches these, without floors, loose props and what is held in one hand.
#include "base/arena.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/surface_math.h"
#include "geometry/tree.h"

#include <math.h>
#include <string.h>

/// Fractions of the size of the whole: a flat piece is thinner than FLAT, a floor wider than WIDE,
/// and pieces nearer than TOUCHES count as touching.
static const float FLAT = 0.01f, WIDE = 0.25f, TOUCHES = 0.012f;
/// Pieces that are shorter, in sizes of the whole, are not taken for limbs: who wears badges and
/// pouches alone holds nothing.
static const float SHORT = 0.1f;
/// The logarithms of area and size of twins differ by less. A piece is aside if its middle is farther
/// from the plane than ASIDE of its width: props move the plane that is found.
static const float TWINS = 0.3f, ASIDE = 0.25f;
enum { PROBES = 400, ROUNDS = 4 };
/// Of more pieces, as leaves and cards of hair are, none counts as held: each is compared with all.
enum { MOST_COMPARED = 4096 };

typedef struct piece {
    lmb_box box;
    float area, spread; ///< spread: root of the mean square of the area's distance from `middle`
    lmb_vec3 middle;    ///< of the area
    float low, high;    ///< reach along the normal of the mirror plane
    int side;           ///< of the mirror plane: -1, 1, or 0 across it
    uint32_t vertex_count, probed;   ///< probed: vertices that were met in this round
    bool held, left_out, limb, kept; ///< limb: long, and one of two twins
} piece;

typedef struct pieces {
    lmb_surface *surface;
    float *areas;        ///< [triangle_count]
    uint32_t *of_vertex; ///< [vertex_count]
    uint32_t count;
    piece *items;
    float size;
    const lmbi_mirror *plane; ///< of the body, or NULL
} pieces;

/// A corner of a triangle.
static lmb_vec3 corner_at(const pieces *p, uint32_t triangle, int k)
{
    return p->surface->positions[p->surface->triangles[3 * (size_t)triangle + (size_t)k]];
}

static piece *piece_of(const pieces *p, uint32_t triangle)
{
    return &p->items[p->of_vertex[p->surface->triangles[3 * (size_t)triangle]]];
}

/// Distance from the mirror plane, along its normal; 0 without one.
static float offset_of(const pieces *p, lmb_vec3 at)
{
    return p->plane ? lmb_vec3_dot(at, p->plane->normal) - p->plane->offset : 0;
}

/// Measures where each piece lies, and the size of the whole.
static void measure_pieces(pieces *p)
{
    lmb_box all = lmb_box_empty();
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k] = (piece){.box = lmb_box_empty(), .low = 1e30f, .high = -1e30f};
    }
    for (uint32_t t = 0; t < p->surface->triangle_count; ++t) {
        piece *item = piece_of(p, t);
        item->area += p->areas[t];
        for (int c = 0; c < 3; ++c) {
            const lmb_vec3 at = corner_at(p, t, c);
            const float off = offset_of(p, at);
            item->box = lmb_box_add(item->box, at);
            item->middle = lmb_vec3_mad(item->middle, at, p->areas[t] / 3);
            item->low = fminf(item->low, off);
            item->high = fmaxf(item->high, off);
            all = lmb_box_add(all, at);
        }
    }
    for (uint32_t v = 0; v < p->surface->vertex_count; ++v) {
        ++p->items[p->of_vertex[v]].vertex_count;
    }
    p->size = lmbi_longest_side(lmb_vec3_sub(all.high, all.low));
    for (uint32_t k = 0; k < p->count; ++k) {
        piece *item = &p->items[k];
        item->middle = lmb_vec3_scale(item->middle, item->area > 0 ? 1 / item->area : 0);
        const float off = offset_of(p, item->middle);
        const bool aside = fabsf(off) > ASIDE * (item->high - item->low);
        item->side = aside && item->area > 0 ? (off > 0 ? 1 : -1) : 0;
    }
}

static void measure_spread(pieces *p)
{
    for (uint32_t t = 0; t < p->surface->triangle_count; ++t) {
        piece *item = piece_of(p, t);
        for (int c = 0; c < 3; ++c) {
            const float d = lmb_vec3_distance(corner_at(p, t, c), item->middle);
            item->spread += item->area > 0 ? p->areas[t] / 3 / item->area * d * d : 0;
        }
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].spread = sqrtf(p->items[k].spread);
    }
}

static bool is_floor(const piece *p, float size)
{
    const lmb_vec3 e = lmb_vec3_sub(p->box.high, p->box.low);
    const float thin = fminf(e.x, fminf(e.y, e.z)), wide = lmbi_longest_side(e);
    const float middle = e.x + e.y + e.z - thin - wide;
    return thin < FLAT * size && middle > WIDE * size;
}

/// How unlike its mirror image a piece is: in area, in size, and a little in place, which a pose
/// changes.
static float unlikeness(const pieces *p, const piece *a, const piece *b)
{
    const lmb_vec3 image = lmb_vec3_mad(a->middle, p->plane->normal, -2 * offset_of(p, a->middle));
    const float area = fabsf(lmb_log(a->area / b->area)),
                size = fabsf(lmb_log(a->spread / b->spread)),
                apart = lmb_vec3_distance(image, b->middle) / p->size;
    return fmaxf(area, size) < TWINS ? area + size + 0.1f * apart : 1e30f;
}

/// The piece on the other side of the plane that is most like a piece's mirror image, or the piece
/// itself.
static uint32_t twin_of(const pieces *p, uint32_t k)
{
    const piece *own = &p->items[k];
    float least = 1e30f;
    uint32_t twin = k;
    for (uint32_t m = 0; m < p->count; ++m) {
        const piece *other = &p->items[m];
        const float now = other->side == -own->side ? unlikeness(p, own, other) : 1e30f;
        twin = now < least ? m : twin;
        least = fminf(now, least);
    }
    return twin;
}

/// Of the pieces on one side of the mirror plane, tells those that have a twin on the other, as limbs
/// do, from those that have none, as what one hand holds. Leaves out floors and, if one of them is
/// long, all that is held. Returns whether something is.
static bool leave_out(pieces *p)
{
    bool holds = false;
    for (uint32_t k = 0; k < p->count && p->count <= MOST_COMPARED; ++k) {
        piece *item = &p->items[k];
        const uint32_t twin = item->side == 0 ? k : twin_of(p, k);
        const bool paired = twin != k && twin_of(p, twin) == k;
        const lmb_vec3 size = lmb_vec3_sub(item->box.high, item->box.low);
        const bool is_long = lmbi_longest_side(size) > SHORT * p->size;
        item->held = item->side != 0 && !paired;
        item->limb = paired && is_long;
        holds = holds || (item->held && is_long);
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        piece *item = &p->items[k];
        item->left_out = is_floor(item, p->size) || (holds && item->held);
    }
    return holds;
}

/// A triangle tree over the pieces that are kept so far.
static lmb_result tree_of_kept(const pieces *p, const lmb_allocator *alloc, uint32_t *scratch,
                               lmbi_tree **out, lmb_error *error)
{
    lmb_surface kept = *p->surface;
    kept.triangles = scratch;
    kept.triangle_count = 0;
    for (uint32_t t = 0; t < p->surface->triangle_count; ++t) {
        if (piece_of(p, t)->kept) {
            memcpy(&scratch[3 * (size_t)kept.triangle_count++],
                   &p->surface->triangles[3 * (size_t)t], 3 * sizeof *scratch);
        }
    }
    return lmbi_tree_create(&kept, alloc, out, error);
}

/// Keeps the pieces within TOUCHES of the tree, testing at most about PROBES vertices of each. Returns
/// whether there are some.
static bool keep_near(const pieces *p, const lmbi_tree *tree)
{
    const float reach = TOUCHES * p->size;
    bool grew = false;
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].probed = 0;
    }
    for (uint32_t v = 0; v < p->surface->vertex_count; ++v) {
        piece *item = &p->items[p->of_vertex[v]];
        const uint32_t stride = 1 + item->vertex_count / PROBES;
        if (!item->kept && !item->left_out && item->probed++ % stride == 0) {
            item->kept =
                lmbi_tree_closest(tree, p->surface->positions[v], reach).triangle != UINT32_MAX;
            grew = grew || item->kept;
        }
    }
    return grew;
}

/// Keeps the piece of the largest area and limbs, which may hang from nothing as those of toys and
/// robots do, and repeatedly what touches a kept piece.
static lmb_result keep_body(pieces *p, const lmb_allocator *alloc, lmbi_arena *arena,
                            lmb_error *error)
{
    uint32_t largest = 0;
    for (uint32_t k = 1; k < p->count; ++k) {
        const piece *item = &p->items[k], *now = &p->items[largest];
        largest = !item->left_out && (now->left_out || item->area > now->area) ? k : largest;
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].kept = k == largest || (p->items[k].limb && !p->items[k].left_out);
    }
    uint32_t *scratch = lmbi_arena_array(arena, p->surface->triangle_count, 3 * sizeof *scratch);
    if (!scratch) {
        return lmbi_fail_memory(error);
    }
    bool grew = true;
    for (int round = 0; grew && round < ROUNDS; ++round) {
        lmbi_tree *tree = NULL;
        const lmb_result result = tree_of_kept(p, alloc, scratch, &tree, error);
        if (result != LMB_OK) {
            return result;
        }
        grew = keep_near(p, tree);
        lmbi_tree_destroy(tree);
    }
    return LMB_OK;
}

static lmb_result find_pieces(pieces *p, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmb_error *error)
{
    p->of_vertex = lmbi_arena_array(arena, p->surface->vertex_count, sizeof *p->of_vertex);
    p->areas = lmbi_arena_array(arena, p->surface->triangle_count, sizeof *p->areas);
    lmb_result result =
        arena->failed ? lmbi_fail_memory(error)
                      : lmb_surface_components(p->surface, alloc, p->of_vertex, &p->count, error);
    p->items = lmbi_arena_array(arena, p->count, sizeof *p->items);
    if (result == LMB_OK && arena->failed) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        lmbi_surface_areas(p->surface, p->areas);
        measure_pieces(p);
        measure_spread(p);
    }
    return result;
}

lmb_result lmbi_main_body_find(const lmbi_triangle_soup *soup, const lmbi_mirror *plane,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, bool *out_holds, lmb_error *error)
{
    pieces p = {.plane = plane};
    lmb_result result = lmbi_soup_surface(soup, true, alloc, &p.surface, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    result = find_pieces(&p, alloc, &arena, error);
    *out_count = 0;
    *out_holds = result == LMB_OK && p.count > 1 && leave_out(&p);
    if (result == LMB_OK && p.count > 1) {
        result = keep_body(&p, alloc, &arena, error);
    } else if (result == LMB_OK && p.count == 1) {
        p.items[0].kept = true;
    }
    for (uint32_t t = 0; result == LMB_OK && t < soup->triangle_count; ++t) {
        const uint32_t *corner = &soup->triangles[3 * t];
        if (p.items[p.of_vertex[p.surface->vertex_of[corner[0]]]].kept) {
            memcpy(&out_triangles[3 * (size_t)(*out_count)++], corner, 3 * sizeof *corner);
        }
    }
    lmbi_arena_free(&arena);
    lmb_surface_destroy(p.surface);
    return result;
}
