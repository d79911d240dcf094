/// Heat sources: the bones that heat each vertex.
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/heat_near.h"
#include "rig/triangle_soup.h"

/// Bones within this factor of the nearest distance tie with it (Pinocchio's 1e-4), and bones
/// within this fraction of the size: a medial point may lie on several.
static const float TIE = 1.0001f, TIE_FRACTION = 1e-5f;
/// A visibility ray starts this fraction of the size off its vertex and ends as far short of the
/// bone.
static const float RAY_MARGIN = 1e-4f;
/// Triangles met at a smaller sine do not occlude, so that bones in the plane of a flat figure are
/// visible.
static const float LEAST_SINE = 0.01f;
/// A bone in front of the skin within this many medial depths lies in the gap of a joint or beyond
/// the inner layer of a garment, and counts as visible.
static const float GAP = 2;
/// A piece is hidden if less than this fraction of its vertices sees a bone.
static const float SEEN_FRACTION = 0.5f;
/// Largest size of a small attached piece, as a fraction of the surface's.
static const float SMALL_FRACTION = 0.1f;
/// A bone passes through a piece if it is nearer to the centre of its box than this fraction of its
/// diagonal.
static const float CENTRE_FRACTION = 0.2f;

static void add_tie(lmbi_heat_source *source, uint32_t slot)
{
    for (uint32_t i = 0; i < source->tie_count; ++i) {
        if (source->joints[i] == slot) {
            return;
        }
    }
    if (source->tie_count < LMBI_TIES) {
        source->joints[source->tie_count++] = (uint16_t)slot;
    }
}

/// A piece tested for visibility without the others.
typedef struct layer {
    uint32_t piece;
    bool inverted; ///< its normals point inward
} layer;

/// Whether no surface lies between p and the bone. With `group`, only triangles of that piece
/// occlude.
static bool sees(const lmbi_heat *heat, lmb_vec3 p, lmb_vec3 to, const uint32_t *group)
{
    lmb_vec3 d = lmb_vec3_sub(to, p);
    float length = lmb_vec3_length(d), margin = RAY_MARGIN * heat->size;
    if (length <= 2 * margin) {
        return true;
    }
    lmbi_ray ray = {.origin = p,
                    .direction = d,
                    .t_min = margin / length,
                    .t_max = 1 - margin / length,
                    .least_sine = LEAST_SINE};
    if (group) {
        ray.groups = heat->piece_of_triangle;
        ray.group = *group;
    }
    return !lmbi_tree_hit_any(heat->tree, &ray);
}

/// Whether the bone lies behind the skin, by the vertex normal.
static bool is_behind(const lmbi_heat *heat, uint32_t v, const lmbi_near *bone)
{
    return lmb_vec3_dot(lmb_vec3_sub(bone->point, heat->surface->positions[v]), heat->normals[v]) <
           0;
}

/// Whether the bone is outside the skin: a hand beside an ear sees the ear, but does not move it.
static bool is_in_front(const lmbi_heat *heat, uint32_t v, const lmbi_near *bone)
{
    const lmb_vec3 to = lmb_vec3_sub(bone->point, heat->surface->positions[v]);
    return bone->distance > GAP * heat->depths[v] &&
           lmb_vec3_dot(to, heat->normals[v]) > LEAST_SINE * lmb_vec3_length(to);
}

/// Symmetric, so that rounding does not decide which of two equal bones came first.
static bool is_tie(const lmbi_heat *heat, float a, float b)
{
    const float close = TIE_FRACTION * heat->size;
    return a <= b * TIE + close && b <= a * TIE + close;
}

/// Takes the nearest visible one of the tested bones as heat source, or the nearest if none is
/// visible. A layer ignores other pieces, and sees only bones on its own inner side, so as not to
/// follow the arm beside it.
static void find_vertex_source(lmbi_heat *heat, uint32_t v, const layer *own)
{
    lmb_vec3 p = heat->surface->positions[v];
    lmbi_near near[LMBI_NEAR_BONES] = {{0}};
    uint32_t count = lmbi_nearest_bones(heat, v, near), chosen = 0;
    bool seen = false, open = false;
    for (uint32_t k = 0; k < count && !seen; ++k) {
        const bool fits =
            own ? is_behind(heat, v, &near[k]) != own->inverted : !is_in_front(heat, v, &near[k]);
        if (fits || (!own && !open)) {
            const bool sight = sees(heat, p, near[k].point, own ? &own->piece : NULL);
            open = open || sight;
            seen = sight && fits;
        }
        chosen = seen ? k : 0;
    }
    lmbi_heat_source *source = &heat->sources[v];
    *source = (lmbi_heat_source){.distance = near[chosen].distance,
                                 .seen = seen,
                                 .open = open,
                                 .behind = is_behind(heat, v, &near[0])};
    for (uint32_t k = 0; k < count; ++k) {
        if (is_tie(heat, near[k].counted, near[chosen].counted)) {
            add_tie(source, heat->slot_of_bone[near[k].bone]);
        }
    }
}

static void find_sources(void *context, size_t begin, size_t end)
{
    for (size_t v = begin; v < end; ++v) {
        find_vertex_source(context, (uint32_t)v, NULL);
    }
}

/// Tests the vertices of hidden pieces again without the other pieces.
static void find_layer_sources(void *context, size_t begin, size_t end)
{
    lmbi_heat *heat = context;
    for (size_t i = begin; i < end; ++i) {
        uint32_t v = (uint32_t)i, piece = heat->piece_of_vertex[v];
        if (heat->piece_kinds[piece] == LMBI_PIECE_LAYER && !heat->sources[v].seen) {
            find_vertex_source(heat, v, &(layer){piece, heat->piece_inverted[piece]});
        }
    }
}

typedef struct tally {
    uint32_t vertices, seen, open, behind;
    lmb_box box;
} tally;

static void count_pieces(const lmbi_heat *heat, tally *tallies)
{
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        tallies[p] = (tally){.box = lmb_box_empty()};
    }
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        tally *t = &tallies[heat->piece_of_vertex[v]];
        ++t->vertices;
        t->seen += heat->sources[v].seen ? 1 : 0;
        t->open += heat->sources[v].open ? 1 : 0;
        t->behind += heat->sources[v].behind ? 1 : 0;
        t->box = lmb_box_add(t->box, heat->surface->positions[v]);
    }
}

/// Whether a piece is hidden by others. The inner layer of a garment or a strand of hair whose normals point away from
/// the bones is not.
static bool is_hidden(const tally *t)
{
    return (float)t->open < SEEN_FRACTION * (float)t->vertices;
}

static bool is_small(const lmbi_heat *heat, const tally *t)
{
    return lmb_vec3_distance(t->box.low, t->box.high) < SMALL_FRACTION * heat->size;
}

/// Whether a bone passes through the piece: a finger segment sunk into the next one, however small.
static bool contains_bone(const lmbi_heat *heat, const tally *t)
{
    const lmb_vec3 middle = lmb_vec3_lerp(t->box.low, t->box.high, 0.5f);
    const float near = CENTRE_FRACTION * lmb_vec3_distance(t->box.low, t->box.high);
    lmb_vec3 at;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        if (lmbi_bone_distance(&heat->bones->items[b], middle, &at) < near) {
            return true;
        }
    }
    return false;
}

static bool is_attached(const lmbi_heat *heat, const tally *t)
{
    return is_hidden(t) && is_small(heat, t) && !contains_bone(heat, t);
}

static bool is_fragment(const lmbi_heat *heat, const tally *t)
{
    return heat->triangle_soup && t->vertices < LMBI_FRAGMENT_VERTICES;
}

/// After the first test: hidden pieces become layers, or small pieces if there are others to
/// follow. Fragments of a triangle soup become small too.
static void classify_pieces(lmbi_heat *heat, const tally *tallies)
{
    bool leaders = false;
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        leaders = leaders || (!is_fragment(heat, &tallies[p]) && !is_attached(heat, &tallies[p]));
    }
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        const tally *t = &tallies[p];
        heat->piece_inverted[p] = 2 * t->behind < t->vertices;
        if (leaders && (is_fragment(heat, t) || is_attached(heat, t))) {
            heat->piece_kinds[p] = LMBI_PIECE_SMALL;
        } else if (is_hidden(t)) {
            heat->piece_kinds[p] = LMBI_PIECE_LAYER;
        }
    }
}

/// After the second test: pieces that still see no bone are heated regardless.
static void finish_pieces(lmbi_heat *heat, const tally *tallies)
{
    lmb_weights_report *report = &heat->report;
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        uint8_t *kind = &heat->piece_kinds[p];
        if (*kind != LMBI_PIECE_SMALL && tallies[p].seen == 0) {
            *kind = LMBI_PIECE_UNSEEN;
        }
        report->layer_count += *kind == LMBI_PIECE_LAYER ? 1 : 0;
        report->unseen_count += *kind == LMBI_PIECE_UNSEEN ? 1 : 0;
        report->inherited_count += *kind == LMBI_PIECE_SMALL ? 1 : 0;
    }
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        uint8_t kind = heat->piece_kinds[heat->piece_of_vertex[v]];
        if (kind == LMBI_PIECE_UNSEEN) {
            heat->sources[v].seen = true;
        } else if (kind != LMBI_PIECE_SMALL && !heat->sources[v].seen) {
            ++report->hidden_count;
        }
    }
}

lmb_result lmbi_heat_sources(lmbi_heat *heat, lmb_error *error)
{
    tally *tallies = lmbi_alloc_array(heat->alloc, heat->piece_count, sizeof *tallies);
    if (!tallies) {
        return lmbi_fail_memory(error);
    }
    uint32_t n = heat->surface->vertex_count;
    lmb_parallel_for(heat->opts.jobs, n, 256, find_sources, heat);
    count_pieces(heat, tallies);
    classify_pieces(heat, tallies);
    lmb_parallel_for(heat->opts.jobs, n, 256, find_layer_sources, heat);
    count_pieces(heat, tallies);
    finish_pieces(heat, tallies);
    lmbi_free(heat->alloc, tallies);
    return LMB_OK;
}
