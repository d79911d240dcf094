/// Balls, collars and sockets: small rigid pieces at the joints of machines and dolls.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/rig.h"
#include "rig/rigid.h"
#include "rig/touching_parts.h"

/// A joint is at the centre of a piece if it is nearer to the centre of its box than this fraction
/// of the diagonal.
static const float CENTRED = 0.25f;
/// Least fraction of such a piece's weight that the joint and its parent have together.
static const double THEIRS = 0.8;
static const float LONG = 2;
/// Least ratio of the sizes of a part and its socket.
static const float LARGER = 3;
/// A socket touches the part with this fraction of its vertices, within NEAR times the socket's
/// diagonal.
static const float TOUCHING = 1.0f / 3, NEAR = 0.15f;
/// Largest ratio of the distance along the skeleton to the straight one: excludes a fist on a hip.
static const float PATH_RATIO = 3;

static float diagonal(const lmb_box *box)
{
    return lmb_vec3_distance(box->low, box->high);
}

static lmb_vec3 middle(const lmb_box *box)
{
    return lmb_vec3_lerp(box->low, box->high, 0.5f);
}

/// Whether the piece is a rod or an arm: its longest side is more than twice the next.
static bool is_long(const lmb_box *box)
{
    const lmb_vec3 d = lmb_vec3_sub(box->high, box->low);
    const float longest = fmaxf(d.x, fmaxf(d.y, d.z)), least = fminf(d.x, fminf(d.y, d.z));
    return longest > LONG * (d.x + d.y + d.z - longest - least);
}

static lmb_vec3 place_of(const lmbi_rigid *r, uint32_t slot)
{
    return r->heat->bones->positions[r->heat->joint_of_slot[slot]];
}

/// The slot of the nearest ancestor with bones, or UINT32_MAX.
static uint32_t slot_above(const lmbi_rigid *r, uint32_t slot)
{
    const lmbi_heat *heat = r->heat;
    for (int32_t j = heat->bones->parents[heat->joint_of_slot[slot]]; j != LMB_NONE;
         j = heat->bones->parents[j]) {
        for (uint32_t s = 0; s < heat->slot_count; ++s) {
            if (heat->joint_of_slot[s] == (uint32_t)j) {
                return s;
            }
        }
    }
    return UINT32_MAX;
}

bool lmbi_joint_in_middle(const lmbi_rigid *r, uint32_t piece, uint32_t slot)
{
    return lmb_vec3_distance(place_of(r, slot), middle(&r->boxes[piece])) <
           CENTRED * diagonal(&r->boxes[piece]);
}

/// The joint at the centre of a ball or disk no larger than its bones, if the piece belongs to the
/// joint and its parent. Of several, the one the piece already follows, else the nearest.
static uint32_t centred_joint(const lmbi_rigid *r, uint32_t piece)
{
    const double *sums = r->sums + (size_t)piece * r->heat->slot_count;
    const float size = diagonal(&r->boxes[piece]);
    const lmb_vec3 at = middle(&r->boxes[piece]);
    float best = INFINITY;
    uint32_t found = UINT32_MAX;
    if (is_long(&r->boxes[piece])) {
        return UINT32_MAX;
    }
    for (uint32_t s = 0; s < r->heat->slot_count; ++s) {
        const float far = lmb_vec3_distance(place_of(r, s), at);
        if (!lmbi_joint_in_middle(r, piece, s)) {
            continue;
        }
        if (s == r->slots[piece]) {
            return s;
        }
        const uint32_t above = slot_above(r, s);
        if (far < best && above != UINT32_MAX &&
            sums[s] + sums[above] >= THEIRS * r->totals[piece] &&
            size <= fmaxf(lmbi_longest_bone(r->heat, s), lmbi_longest_bone(r->heat, above))) {
            best = far;
            found = s;
        }
    }
    return found;
}

/// Whether the limb that the piece follows starts in the piece or beside it.
static bool begins_at(const lmbi_rigid *r, uint32_t piece)
{
    const lmb_vec3 p = place_of(r, r->most[piece]);
    const lmb_box *box = &r->boxes[piece], point = {p, p};
    return lmbi_boxes_meet(box, &point, NEAR * diagonal(box));
}

/// Whether the distance of two pieces' joints along the skeleton is close to the straight one.
static bool is_near_in_skeleton(const lmbi_rigid *r, uint32_t piece, uint32_t other)
{
    const lmbi_heat *heat = r->heat;
    const lmb_vec3 from = place_of(r, r->most[piece]), to = place_of(r, r->slots[other]);
    const float path_length =
        lmbi_skeleton_distance(heat->bones, heat->joint_of_slot[r->most[piece]], from,
                               heat->joint_of_slot[r->slots[other]], to);
    return path_length <= PATH_RATIO * lmb_vec3_distance(from, to);
}

typedef struct touch {
    lmbi_tree *tree; ///< of the larger piece
    uint32_t *triangles;
} touch;

static lmb_result build_piece_tree(const lmbi_rigid *r, uint32_t piece, touch *t, lmb_error *error)
{
    const lmb_surface *s = r->heat->surface;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const uint32_t *c = s->triangles + 3 * (size_t)i;
        for (int k = 0; r->piece_of[c[0]] == piece && k < 3; ++k) {
            t->triangles[count++] = c[k];
        }
    }
    const lmb_surface part = {.vertex_count = s->vertex_count,
                              .positions = s->positions,
                              .triangle_count = count / 3,
                              .triangles = t->triangles};
    return lmbi_tree_create(&part, r->heat->alloc, &t->tree, error);
}

static bool touches(const lmbi_rigid *r, uint32_t piece, const touch *t)
{
    const float near = NEAR * diagonal(&r->boxes[piece]);
    uint32_t count = 0, close = 0;
    for (uint32_t v = 0; v < r->heat->surface->vertex_count; ++v) {
        if (r->piece_of[v] == piece) {
            ++count;
            close += lmbi_tree_closest(t->tree, r->heat->surface->positions[v], near).triangle !=
                             UINT32_MAX
                         ? 1
                         : 0;
        }
    }
    return (float)close >= TOUCHING * (float)count;
}

/// Binds the small sockets of a large rigid piece to it.
static lmb_result bind_sockets(const lmbi_rigid *r, uint32_t large, uint32_t *taken, touch *t,
                               lmb_error *error)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        const float size = diagonal(&r->boxes[p]);
        if (r->most[p] == UINT32_MAX || r->most[p] == r->slots[large] || taken[p] != UINT32_MAX ||
            size * LARGER > diagonal(&r->boxes[large]) ||
            !lmbi_boxes_meet(&r->boxes[p], &r->boxes[large], NEAR * size) || !begins_at(r, p) ||
            !is_near_in_skeleton(r, p, large)) {
            continue;
        }
        const lmb_result result = t->tree ? LMB_OK : build_piece_tree(r, large, t, error);
        if (result != LMB_OK) {
            return result;
        }
        taken[p] = touches(r, p, t) ? r->slots[large] : UINT32_MAX;
    }
    lmbi_tree_destroy(t->tree);
    t->tree = NULL;
    return LMB_OK;
}

/// Whether the piece touches only rigid pieces that follow `slot`: an ear, a hat, a hilt.
static bool touches_only(const lmbi_rigid *r, uint32_t piece, uint32_t slot)
{
    const float near = NEAR * diagonal(&r->boxes[piece]);
    bool sits = false;
    for (uint32_t q = 0; q < r->piece_count; ++q) {
        if (q != piece && lmbi_boxes_meet(&r->boxes[piece], &r->boxes[q], near)) {
            if (r->slots[q] != slot) {
                return false;
            }
            sits = true;
        }
    }
    return sits;
}

static bool has_any_bone(const lmbi_rigid *r, uint32_t piece)
{
    bool found = false;
    for (uint32_t s = 0; s < r->heat->slot_count && !found; ++s) {
        found = lmbi_has_bone_in_piece(r, piece, s);
    }
    return found;
}

/// The slot of a rigid piece at least LARGER times the size of this one, which no bone meets and
/// which touches nothing that follows another; UINT32_MAX if there is none. The joints that heat
/// such a piece are near it through air.
static uint32_t find_support(const lmbi_rigid *r, uint32_t piece)
{
    const float size = diagonal(&r->boxes[piece]), near = NEAR * size;
    for (uint32_t q = 0; q < r->piece_count; ++q) {
        if (r->slots[q] != UINT32_MAX && diagonal(&r->boxes[q]) >= LARGER * size &&
            lmbi_boxes_meet(&r->boxes[piece], &r->boxes[q], near)) {
            const bool sits = touches_only(r, piece, r->slots[q]) && !has_any_bone(r, piece);
            return sits ? r->slots[q] : UINT32_MAX;
        }
    }
    return UINT32_MAX;
}

/// The slot of what the piece sits on, if it sits on one thing alone; else the slot it has.
static uint32_t find_seat(const lmbi_rigid *r, uint32_t piece)
{
    const uint32_t slot = r->slots[piece], most = r->most[piece];
    const uint32_t support = find_support(r, piece);
    if (support != UINT32_MAX) {
        return support;
    }
    return slot == UINT32_MAX && most != UINT32_MAX && touches_only(r, piece, most) ? most : slot;
}

/// Releases a socket that is its limb's only piece: it is the first segment.
static void release_first_segments(const lmbi_rigid *r, uint32_t *taken)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        bool rest = taken[p] == UINT32_MAX;
        for (uint32_t q = 0; !rest && q < r->piece_count; ++q) {
            rest = r->slots[q] == r->most[p] && taken[q] == UINT32_MAX;
        }
        taken[p] = rest ? taken[p] : UINT32_MAX;
    }
}

lmb_result lmbi_rigid_sockets(lmbi_rigid *rigid, lmb_error *error)
{
    const lmbi_heat *heat = rigid->heat;
    if (!heat->bones->parents) {
        return LMB_OK;
    }
    touch t = {0};
    uint32_t *taken = lmbi_alloc_array(heat->alloc, rigid->piece_count, sizeof *taken);
    t.triangles =
        lmbi_alloc_array(heat->alloc, heat->surface->triangle_count, 3 * sizeof *t.triangles);
    lmb_result result = taken && t.triangles ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t p = 0; result == LMB_OK && p < rigid->piece_count; ++p) {
        taken[p] = UINT32_MAX;
    }
    for (uint32_t p = 0; result == LMB_OK && p < rigid->piece_count; ++p) {
        if (rigid->slots[p] != UINT32_MAX) {
            result = bind_sockets(rigid, p, taken, &t, error);
        }
    }
    if (result == LMB_OK) {
        release_first_segments(rigid, taken);
    }
    for (uint32_t p = 0; result == LMB_OK && p < rigid->piece_count; ++p) {
        const uint32_t joint = taken[p] == UINT32_MAX ? centred_joint(rigid, p) : taken[p];
        rigid->slots[p] = joint == UINT32_MAX ? rigid->slots[p] : joint;
    }
    for (uint32_t p = 0; result == LMB_OK && p < rigid->piece_count; ++p) {
        if (heat->piece_kinds[p] != LMBI_PIECE_SMALL) {
            rigid->slots[p] = find_seat(rigid, p);
        }
    }
    lmbi_tree_destroy(t.tree);
    lmbi_free(heat->alloc, t.triangles);
    lmbi_free(heat->alloc, taken);
    return result;
}

float lmbi_longest_bone(const lmbi_heat *heat, uint32_t slot)
{
    float longest = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const lmbi_bone_segment *bone = &heat->bones->items[b];
        const float length = lmb_vec3_distance(bone->head, bone->tail);
        longest = heat->slot_of_bone[b] == slot && length > longest ? length : longest;
    }
    return longest;
}
