/// Blocks: pieces around one chain of bones, whose vertices lie at both ends alone. They have no
/// ring to bend at and would shear, so they follow the topmost joint: arms and legs of toys.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"
#include "rig/rigid.h"

/// Least fraction of a piece's weight that a joint of its chain has.
static const double SHARE = 0.05;
/// Fraction of the length, from either end, that counts as the end.
static const float END = 0.2f;

/// The chain of joints that a piece lies around, and how far along it the vertices reach.
typedef struct block {
    uint32_t top; ///< slot, or UINT32_MAX: no block
    uint32_t last;
    lmb_vec3 axis;
    float low, high;
} block;

bool lmbi_boxes_meet(const lmb_box *a, const lmb_box *b, float margin)
{
    return a->low.x <= b->high.x + margin && b->low.x <= a->high.x + margin &&
           a->low.y <= b->high.y + margin && b->low.y <= a->high.y + margin &&
           a->low.z <= b->high.z + margin && b->low.z <= a->high.z + margin;
}

/// Narrows [near, far] to where a line from `from` along `step` is between low and high.
static bool clip_axis(float from, float step, float low, float high, float *near, float *far)
{
    if (step == 0) {
        return from >= low && from <= high;
    }
    const float a = (low - from) / step, b = (high - from) / step;
    *near = fmaxf(*near, fminf(a, b));
    *far = fminf(*far, fmaxf(a, b));
    return *near <= *far;
}

static bool bone_meets_box(const lmbi_bone_segment *bone, const lmb_box *box)
{
    const lmb_vec3 from = bone->head, step = lmb_vec3_sub(bone->tail, bone->head);
    float near = 0, far = 1;
    return clip_axis(from.x, step.x, box->low.x, box->high.x, &near, &far) &&
           clip_axis(from.y, step.y, box->low.y, box->high.y, &near, &far) &&
           clip_axis(from.z, step.z, box->low.z, box->high.z, &near, &far);
}

bool lmbi_has_bone_in_piece(const lmbi_rigid *r, uint32_t piece, uint32_t slot)
{
    const lmbi_heat *heat = r->heat;
    bool found = false;
    for (uint32_t b = 0; b < heat->bones->count && !found; ++b) {
        found = heat->slot_of_bone[b] == slot &&
                bone_meets_box(&heat->bones->items[b], &r->boxes[piece]);
    }
    return found;
}

static bool is_below(const lmbi_bones *bones, int32_t joint, int32_t above)
{
    while (joint > above) {
        joint = bones->parents[joint];
    }
    return joint == above;
}

/// Where the bones of a slot end, in the mean; where they begin if `heads`.
static lmb_vec3 mean_end(const lmbi_heat *heat, uint32_t slot, bool heads)
{
    lmb_vec3 sum = {0, 0, 0};
    float count = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        if (heat->slot_of_bone[b] == slot) {
            const lmbi_bone_segment *bone = &heat->bones->items[b];
            sum = lmb_vec3_add(sum, heads ? bone->head : bone->tail);
            count += 1;
        }
    }
    return lmb_vec3_scale(sum, count > 0 ? 1 / count : 0);
}

static bool is_inside(const lmb_box *box, lmb_vec3 p)
{
    return p.x >= box->low.x && p.x <= box->high.x && p.y >= box->low.y && p.y <= box->high.y &&
           p.z >= box->low.z && p.z <= box->high.z;
}

/// Whether a bone of the slot ends in the piece, in which its last part lies, from `from` of its length on: bones of thighs
/// only begin in a trunk.
static bool ends_inside(const lmbi_rigid *r, uint32_t piece, uint32_t slot, float from)
{
    const lmbi_heat *heat = r->heat;
    bool found = false;
    for (uint32_t b = 0; b < heat->bones->count && !found; ++b) {
        const lmbi_bone_segment *bone = &heat->bones->items[b];
        found = heat->slot_of_bone[b] == slot && is_inside(&r->boxes[piece], bone->tail) &&
                is_inside(&r->boxes[piece], lmb_vec3_lerp(bone->head, bone->tail, from));
    }
    return found;
}

/// The slot above in the chain of joints while all but the first third of its bone lies in the piece, whatever share it
/// has: what lies around a thigh and a shin follows the thigh.
static uint32_t topmost(const lmbi_rigid *r, uint32_t piece, uint32_t slot)
{
    const float from = 1.0f / 3;
    const lmbi_heat *heat = r->heat;
    for (uint32_t s = slot; s-- > 0;) {
        const int32_t above = heat->bones->parents[heat->joint_of_slot[slot]];
        if ((int32_t)heat->joint_of_slot[s] == above && ends_inside(r, piece, s, from)) {
            slot = s;
        }
    }
    return slot;
}

/// Finds the ends of the chain of slots that have a share of the piece and bones that end in it.
/// False if they lie on several limbs. Joints come before what hangs from them, and slots are in the
/// order of joints.
static bool find_chain(const lmbi_rigid *r, uint32_t piece, uint32_t *top, uint32_t *last)
{
    const lmbi_heat *heat = r->heat;
    const double *sums = r->sums + (size_t)piece * heat->slot_count;
    *top = *last = UINT32_MAX;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        if (sums[s] < SHARE * r->totals[piece] || !ends_inside(r, piece, s, 1)) {
            continue;
        }
        if (*last != UINT32_MAX && !is_below(heat->bones, (int32_t)heat->joint_of_slot[s],
                                             (int32_t)heat->joint_of_slot[*last])) {
            return false;
        }
        *top = *top == UINT32_MAX ? s : *top;
        *last = s;
    }
    return *top != UINT32_MAX;
}

static bool slot_is_below(const lmbi_heat *heat, uint32_t slot, uint32_t above)
{
    return is_below(heat->bones, (int32_t)heat->joint_of_slot[slot],
                    (int32_t)heat->joint_of_slot[above]);
}

/// The first slot of a chain whose bones are no short part of it: a head follows the head, not the neck.
static uint32_t first_long(const lmbi_heat *heat, uint32_t top, uint32_t last)
{
    const float part = 0.25f;
    const float whole = lmb_vec3_distance(mean_end(heat, top, true), mean_end(heat, last, false));
    uint32_t slot = top;
    for (uint32_t s = top; s < last; ++s) {
        const bool in_chain =
            s == slot || (slot_is_below(heat, s, slot) && slot_is_below(heat, last, s));
        const float length = lmb_vec3_distance(mean_end(heat, s, true), mean_end(heat, s, false));
        if (in_chain && length >= part * whole) {
            return s;
        }
        slot = in_chain ? s : slot;
    }
    return last;
}

static block begin_block(const lmbi_rigid *r, uint32_t piece)
{
    block b = {.top = UINT32_MAX, .low = INFINITY, .high = -INFINITY};
    uint32_t top, last;
    if (r->heat->piece_kinds[piece] == LMBI_PIECE_SMALL || !(r->totals[piece] > 0) ||
        !find_chain(r, piece, &top, &last) || !lmbi_has_bone_in_piece(r, piece, top)) {
        return b;
    }
    b.axis = lmb_vec3_normalize_or(
        lmb_vec3_sub(mean_end(r->heat, last, false), mean_end(r->heat, top, true)),
        lmb_vec3_make(0, 0, 0));
    b.top = lmb_vec3_length(b.axis) > 0 ? first_long(r->heat, top, last) : UINT32_MAX;
    b.last = last;
    return b;
}

static void find_ends(const lmbi_rigid *r, block *blocks)
{
    const lmb_surface *s = r->heat->surface;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        block *b = &blocks[r->piece_of[v]];
        const float at = lmb_vec3_dot(s->positions[v], b->axis);
        b->low = fminf(b->low, at);
        b->high = fmaxf(b->high, at);
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        block *b = &blocks[r->piece_of[v]];
        const float at = lmb_vec3_dot(s->positions[v], b->axis), end = END * (b->high - b->low);
        if (at > b->low + end && at < b->high - end) {
            b->top = UINT32_MAX;
        }
    }
}

/// The next slot after `from` whose joint hangs on that of a slot, or the number of slots.
static uint32_t next_child(const lmbi_heat *heat, uint32_t slot, uint32_t from)
{
    uint32_t s = from + 1;
    while (s < heat->slot_count &&
           heat->bones->parents[heat->joint_of_slot[s]] != (int32_t)heat->joint_of_slot[slot]) {
        ++s;
    }
    return s;
}

/// Whether two slots go apart from the end of the one that they hang on, as arms do from a trunk; fingers do not.
static bool go_apart(const lmbi_heat *heat, uint32_t a, uint32_t b)
{
    const float opposite = -0.3f;
    const lmb_vec3 zero = {0, 0, 0},
                   p = lmb_vec3_sub(mean_end(heat, a, false), mean_end(heat, a, true)),
                   q = lmb_vec3_sub(mean_end(heat, b, false), mean_end(heat, b, true));
    return lmb_vec3_dot(lmb_vec3_normalize_or(p, zero), lmb_vec3_normalize_or(q, zero)) < opposite;
}

/// Whether one limb at most goes on past the slot, with fingers or toes at its end: a trunk has several.
static bool is_limb(const lmbi_heat *heat, uint32_t slot)
{
    uint32_t end = slot, child = next_child(heat, slot, slot);
    while (child < heat->slot_count && next_child(heat, end, child) == heat->slot_count) {
        end = child;
        child = next_child(heat, end, end);
    }
    bool limb = child == heat->slot_count || end != slot;
    for (uint32_t a = child; a < heat->slot_count && limb; a = next_child(heat, end, a)) {
        for (uint32_t b = next_child(heat, end, a); b < heat->slot_count && limb;
             b = next_child(heat, end, b)) {
            limb = !go_apart(heat, a, b);
        }
    }
    return limb;
}

/// Binds pieces at the end of a block to its joint: it does not bend with the joints that they
/// follow, and they would part. `blocks[p]` goes past the joint it follows.
static void hold_ends(const lmbi_rigid *r, const block *blocks, uint32_t p)
{
    const lmb_box *box = &r->boxes[p];
    const float near = END * lmb_vec3_distance(box->low, box->high);
    for (uint32_t q = 0; q < r->piece_count; ++q) {
        const lmb_box *other = &r->boxes[q];
        if (q != p && r->slots[q] != UINT32_MAX &&
            slot_is_below(r->heat, r->slots[q], blocks[p].last) &&
            lmbi_boxes_meet(box, other, near)) {
            r->slots[q] = r->slots[p];
        }
    }
}

lmb_result lmbi_rigid_blocks(lmbi_rigid *r, lmb_error *error)
{
    if (r->heat->bones->parents == NULL) {
        return LMB_OK;
    }
    block *blocks = lmbi_alloc_array(r->heat->alloc, r->piece_count, sizeof *blocks);
    if (blocks == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        blocks[p] = begin_block(r, p);
    }
    find_ends(r, blocks);
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        r->heat->piece_block[p] = blocks[p].top != UINT32_MAX;
        if (r->slots[p] == UINT32_MAX) {
            r->slots[p] = blocks[p].top;
        } else if (blocks[p].top != UINT32_MAX) {
            r->slots[p] = topmost(r, p, r->slots[p]);
        }
    }
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        const block *b = &blocks[p];
        if (b->top != UINT32_MAX && b->last != r->slots[p] && is_limb(r->heat, b->last)) {
            hold_ends(r, blocks, p);
        }
    }
    lmbi_free(r->heat->alloc, blocks);
    return LMB_OK;
}
