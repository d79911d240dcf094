/// Finds the chains of any body: limbs are pairs that branch off the trunk; the trunk runs from
/// tail to head.
#include "mapping/chains.h"

#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "base/error.h"
#include "mapping/mapper.h"

#define LEG_LOW 0.14f  ///< highest end of a leg above the ground, as a fraction of the height
#define LEG_DROP 0.3f  ///< least vertical extent of a leg, as a fraction of the trunk's height
#define LEG_LEAST 0.1f ///< least length of a leg, as a fraction of the extent
#define ARM_LEAST 0.15f
#define BEHIND 0.05f ///< least distance of a tail's end behind the hips, of the extent
#define FAR_FACE 0.06f
#define PAIRS_MAX 10

/// The limb of a pair with the lower joint index, and its twin.
typedef struct limb {
    int32_t top, twin; ///< their first joints
    int32_t from;      ///< the joint of the trunk that both branch off
    bool leg;
    lmb_vec3 end;
} limb;

typedef struct finder {
    lmbi_skeleton_shape shape;
    limb limbs[PAIRS_MAX];
    uint32_t count;
    lmb_vec3 front;
    int32_t head, tail; ///< ends of the trunk, or LMB_NONE
    int32_t tail_top;   ///< first joint of the tail, if a name says so
} finder;

static bool in_trunk(const finder *f, uint32_t j)
{
    return f->shape.joints[j].twin == (int32_t)j;
}

// --------------------------------------------------------------------------------------- the limbs

static uint32_t joints_down(const lmbi_skeleton_shape *s, int32_t j)
{
    uint32_t count = 0;
    for (; j >= 0; j = lmbi_shape_down(s, j)) {
        ++count;
    }
    return count;
}

static int32_t last_joint(const lmbi_skeleton_shape *s, int32_t j)
{
    for (int32_t next = j; next >= 0; next = lmbi_shape_down(s, next)) {
        j = next;
    }
    return j;
}

/// The lower of a limb's last joint and its tip.
static lmb_vec3 lower_end(const lmbi_skeleton_shape *s, int32_t j)
{
    const int32_t end = last_joint(s, j);
    return s->joints[end].tip.y < s->at[end].y ? s->joints[end].tip : s->at[end];
}

static float highest(const lmbi_skeleton_shape *s, int32_t j)
{
    float y = s->at[j].y;
    for (; j >= 0; j = lmbi_shape_down(s, j)) {
        y = fmaxf(y, s->at[j].y);
    }
    return y;
}

static void find_limbs(finder *f)
{
    const lmbi_skeleton_shape *s = &f->shape;
    for (uint32_t j = 0; j < s->count && f->count < PAIRS_MAX; ++j) {
        const int32_t from = s->skeleton->parents[j], twin = s->joints[j].twin;
        if (twin <= (int32_t)j || from < 0 || !in_trunk(f, (uint32_t)from) ||
            joints_down(s, (int32_t)j) < 3 || joints_down(s, twin) < 3) {
            continue;
        }
        const lmb_vec3 a = lower_end(s, (int32_t)j), b = lower_end(s, twin);
        const float low = fmaxf(a.y, b.y) - s->ground;
        const bool leg =
            low < LEG_LOW * s->height && s->joints[j].below > LEG_LEAST * s->extent &&
            highest(s, (int32_t)j) - fmaxf(a.y, b.y) > LEG_DROP * (s->at[from].y - s->ground);
        const lmbi_name_part part = s->joints[from].name.part;
        const bool face = part == PART_HEAD || part == PART_JAW;
        if (leg || (s->joints[j].below > ARM_LEAST * s->extent && !face)) {
            f->limbs[f->count++] = (limb){(int32_t)j, twin, from, leg, lmb_vec3_lerp(a, b, 0.5f)};
        }
    }
}

/// Whether most joints of a limb that have a part's name are an arm's.
static bool is_named_arm(const lmbi_skeleton_shape *s, int32_t j)
{
    int arm = 0;
    for (; j >= 0; j = lmbi_shape_down(s, j)) {
        const lmbi_name_part part = s->joints[j].name.part;
        arm += part >= PART_CLAVICLE && part <= PART_HAND;
        arm -= part >= PART_SIDE_HIP && part <= PART_TOE;
    }
    return arm > 0;
}

static uint32_t leg_count(const finder *f)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < f->count; ++k) {
        count += f->limbs[k].leg ? 1 : 0;
    }
    return count;
}

/// Forelegs may be named as arms, but nothing stands on those alone: where a rig has no legs, the
/// hands are its lowest joints.
static void lift_arms(finder *f)
{
    for (uint32_t k = 0; k < f->count && leg_count(f) == 1; ++k) {
        f->limbs[k].leg = f->limbs[k].leg && !is_named_arm(&f->shape, f->limbs[k].top);
    }
}

// --------------------------------------------------------------------------------- front and ends

/// The topmost joints of the trunk named head and tail.
static void find_named(finder *f)
{
    const lmbi_skeleton_shape *s = &f->shape;
    f->head = f->tail = f->tail_top = LMB_NONE;
    for (uint32_t j = 0; j < s->count; ++j) {
        if (!in_trunk(f, j) || s->joints[j].name.end) {
            continue;
        }
        if (f->head < 0 && s->joints[j].name.part == PART_HEAD) {
            f->head = (int32_t)j;
        }
        if (f->tail_top < 0 && s->joints[j].name.tail) {
            f->tail_top = (int32_t)j;
        }
    }
}

static lmb_vec3 trunk_middle(const finder *f)
{
    lmb_vec3 sum = {0, 0, 0};
    float count = 0.0f;
    for (uint32_t j = 0; j < f->shape.count; ++j) {
        if (in_trunk(f, j) && (int32_t)j != f->shape.root) {
            sum = lmb_vec3_add(sum, f->shape.at[j]);
            count += 1.0f;
        }
    }
    return lmb_vec3_scale(sum, 1.0f / fmaxf(count, 1.0f));
}

/// Positive if joints named left lie to the left of the direction `ahead`.
static float side_vote(const finder *f, lmb_vec3 ahead)
{
    const lmbi_skeleton_shape *s = &f->shape;
    const lmb_vec3 up = {0, 1, 0}, left = lmb_vec3_cross(up, ahead);
    float vote = 0.0f;
    for (uint32_t k = 0; k < f->count; ++k) {
        const lmb_vec3 apart =
            lmb_vec3_sub(s->joints[f->limbs[k].top].middle, s->joints[f->limbs[k].twin].middle);
        for (int32_t j = f->limbs[k].top; j >= 0; j = lmbi_shape_down(s, j)) {
            vote += (float)s->joints[j].name.side * lmb_vec3_dot(apart, left);
        }
    }
    return vote;
}

/// Finds the front from the names of head and tail, else from limbs named left and right, else from
/// toes.
static void find_front(finder *f)
{
    const lmbi_skeleton_shape *s = &f->shape;
    const lmb_vec3 ahead = s->aside.x > 0.5f ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(1, 0, 0);
    const lmb_vec3 middle = trunk_middle(f);
    float vote = 0.0f;
    if (f->head >= 0) {
        vote = lmb_vec3_dot(lmb_vec3_sub(s->at[f->head], middle), ahead);
    }
    if (f->tail_top >= 0) {
        const lmb_vec3 end = s->joints[last_joint(s, f->tail_top)].tip;
        vote -= lmb_vec3_dot(lmb_vec3_sub(end, middle), ahead);
    }
    if (fabsf(vote) < FAR_FACE * s->extent) {
        vote = side_vote(f, ahead);
    }
    if (vote == 0.0f) {
        for (uint32_t k = 0; k < f->count; ++k) {
            const int32_t end = last_joint(s, f->limbs[k].top), above = s->skeleton->parents[end];
            const lmb_vec3 toe = lmb_vec3_sub(s->joints[end].tip, s->at[above]);
            vote += f->limbs[k].leg ? lmb_vec3_dot(toe, ahead) : 0.0f;
        }
    }
    f->front = vote < 0.0f ? lmb_vec3_neg(ahead) : ahead;
}

static bool is_trunk_end(const finder *f, uint32_t j)
{
    const lmbi_skeleton_shape *s = &f->shape;
    bool last = in_trunk(f, j) && s->skeleton->parents[j] >= 0;
    for (uint32_t k = s->joints[j].child; k != 0 && last; k = s->joints[k].sibling) {
        last = !in_trunk(f, k);
    }
    // A leaf node at its parent's position, such as a mesh node, is no end of the body.
    return last && (s->joints[j].children > 0 || lmbi_shape_is_end(s, j));
}

/// The end of the trunk with the greatest weighted sum of forward distance and height.
static int32_t farthest_end(const finder *f, float ahead, float up, int32_t but)
{
    int32_t best = LMB_NONE;
    float most = -INFINITY;
    for (uint32_t j = 0; j < f->shape.count; ++j) {
        const lmb_vec3 p = f->shape.joints[j].tip;
        const float score = ahead * lmb_vec3_dot(p, f->front) + up * p.y;
        if (is_trunk_end(f, j) && score > most &&
            (but < 0 || !lmbi_is_under(f->shape.skeleton, but, (int32_t)j))) {
            most = score;
            best = (int32_t)j;
        }
    }
    return best;
}

static void find_ends(finder *f)
{
    const lmbi_skeleton_shape *s = &f->shape;
    if (f->head < 0) {
        // A biped's head is its topmost end.
        f->head = farthest_end(f, leg_count(f) == 1 ? 0.3f : 1.0f, leg_count(f) == 1 ? 1.0f : 0.5f,
                               LMB_NONE);
    }
    if (f->tail_top >= 0 && (f->head < 0 || !lmbi_is_under(s->skeleton, f->head, f->tail_top))) {
        f->tail = last_joint(s, f->tail_top);
        return;
    }
    const int32_t end = farthest_end(f, -1.0f, 0.0f, f->head);
    const int32_t fork = end >= 0 ? lmbi_common_ancestor(s->skeleton, f->head, end) : LMB_NONE;
    float behind = fork >= 0 && fork != end
                       ? lmb_vec3_dot(lmb_vec3_sub(s->at[fork], s->joints[end].tip), f->front)
                       : 0.0f;
    for (uint32_t k = 0; k < f->count && behind > 0.0f; ++k) {
        const lmb_vec3 hip = s->at[f->limbs[k].top];
        behind = f->limbs[k].leg
                     ? fminf(behind, lmb_vec3_dot(lmb_vec3_sub(hip, s->joints[end].tip), f->front))
                     : behind;
    }
    f->tail = behind > BEHIND * s->extent ? end : LMB_NONE;
}

// -------------------------------------------------------------------------------------- the chains

/// Adds the path from a joint up to `over` and down to `to`, cut after LMB_CHAIN_JOINTS joints.
static void add_chain(lmb_chain_map *map, const lmb_skeleton *skeleton, lmb_body_chain_kind kind,
                      int32_t from, int32_t over, int32_t to)
{
    if (map->count == LMB_CHAIN_MAX) {
        return;
    }
    lmb_body_chain *chain = &map->chains[map->count++];
    *chain = (lmb_body_chain){.kind = kind};
    for (int32_t j = from; j != over && chain->count < LMB_CHAIN_JOINTS; j = skeleton->parents[j]) {
        chain->joints[chain->count++] = j;
    }
    uint32_t down = 1;
    for (int32_t j = to; j != over; j = skeleton->parents[j]) {
        ++down;
    }
    const uint32_t begin = chain->count;
    for (int32_t j = to; down > 0; j = skeleton->parents[j]) {
        --down;
        if (begin + down < LMB_CHAIN_JOINTS) {
            chain->joints[begin + down] = j;
            chain->count = chain->count > begin + down + 1 ? chain->count : begin + down + 1;
        }
    }
}

/// The child of `above` on the path to `joint`.
static int32_t child_toward(const lmb_skeleton *skeleton, int32_t above, int32_t joint)
{
    while (skeleton->parents[joint] != above) {
        joint = skeleton->parents[joint];
    }
    return joint;
}

/// The common ancestor of head, tail and limbs.
static int32_t find_hips(const finder *f)
{
    const lmb_skeleton *skeleton = f->shape.skeleton;
    int32_t hips = f->count == 0 && f->tail < 0 ? f->shape.root : f->head;
    if (f->tail >= 0) {
        hips = lmbi_common_ancestor(skeleton, hips, f->tail);
    }
    for (uint32_t k = 0; k < f->count; ++k) {
        hips = lmbi_common_ancestor(skeleton, hips, f->limbs[k].from);
    }
    return hips;
}

/// The joint on the path to the head that the foremost or highest limbs branch off; LMB_NONE if all
/// branch off the hips.
static int32_t find_chest(const finder *f, int32_t hips)
{
    const lmbi_skeleton_shape *s = &f->shape;
    int32_t chest = LMB_NONE;
    float most = -INFINITY;
    for (uint32_t k = 0; k < f->count; ++k) {
        const int32_t from = f->limbs[k].from;
        const lmb_vec3 top = s->at[f->limbs[k].top];
        const float score = lmb_vec3_dot(top, f->front) + top.y;
        if (from != hips && lmbi_is_under(s->skeleton, f->head, from) && score > most) {
            most = score;
            chest = from;
        }
    }
    return chest;
}

static void add_trunk(const finder *f, lmb_chain_map *map)
{
    const lmb_skeleton *skeleton = f->shape.skeleton;
    const int32_t hips = find_hips(f), chest = find_chest(f, hips);
    if (f->count == 0) {
        add_chain(map, skeleton, LMB_CHAIN_SPINE, f->tail >= 0 ? f->tail : hips, hips, f->head);
        return;
    }
    const int32_t top = chest >= 0 ? chest : (f->head != hips ? skeleton->parents[f->head] : hips);
    add_chain(map, skeleton, LMB_CHAIN_SPINE, hips, hips, top);
    if (f->head != top) {
        const int32_t neck = child_toward(skeleton, top, f->head);
        add_chain(map, skeleton, LMB_CHAIN_NECK, neck, neck, f->head);
    }
    if (f->tail >= 0 && f->tail != hips) {
        const int32_t tail = child_toward(skeleton, hips, f->tail);
        add_chain(map, skeleton, LMB_CHAIN_TAIL, tail, tail, f->tail);
    }
}

/// Adds limbs of one kind from back to front, left before right.
static void add_limbs(finder *f, bool leg, lmb_chain_map *map)
{
    const lmbi_skeleton_shape *s = &f->shape;
    const lmb_vec3 up = {0, 1, 0}, left = lmb_vec3_cross(up, f->front);
    bool added[PAIRS_MAX] = {false};
    for (uint32_t pair = 0;; ++pair) {
        uint32_t next = f->count;
        for (uint32_t k = 0; k < f->count; ++k) {
            if (f->limbs[k].leg == leg && !added[k] &&
                (next == f->count || lmb_vec3_dot(f->limbs[k].end, f->front) <
                                         lmb_vec3_dot(f->limbs[next].end, f->front))) {
                next = k;
            }
        }
        if (next == f->count || map->count + 2 > LMB_CHAIN_MAX) {
            return;
        }
        added[next] = true;
        const limb *l = &f->limbs[next];
        const lmb_vec3 apart = lmb_vec3_sub(s->joints[l->top].middle, s->joints[l->twin].middle);
        const bool first = lmb_vec3_dot(apart, left) > 0.0f;
        for (int side = 1; side >= -1; side -= 2) {
            const int32_t top = first == (side > 0) ? l->top : l->twin;
            add_chain(map, s->skeleton, leg ? LMB_CHAIN_LEG : LMB_CHAIN_ARM, top, top,
                      last_joint(s, top));
            map->chains[map->count - 1].side = side;
            map->chains[map->count - 1].pair = pair;
        }
    }
}

/// Takes as thigh and shin the two consecutive bones whose shorter one is longest. A shoulder blade
/// may come before them, feet and toes after.
static void find_long_bones(lmb_body_chain *c, const lmb_vec3 *at)
{
    float most = -1.0f;
    for (uint32_t k = 0; k + 2 < c->count; ++k) {
        const lmb_vec3 a = at[c->joints[k]], b = at[c->joints[k + 1]], e = at[c->joints[k + 2]];
        const float shorter = fminf(lmb_vec3_distance(a, b), lmb_vec3_distance(b, e));
        if (shorter > most) {
            most = shorter;
            c->upper = k;
        }
    }
    c->lower = c->upper + 1 < c->count ? c->upper + 1 : c->upper;
    c->end = c->upper + 2 < c->count ? c->upper + 2 : c->lower;
}

/// The common ancestor of all chains; limbs, necks and tails count from the parent of their first
/// joint.
static int32_t find_root(const lmb_chain_map *map, const lmb_skeleton *skeleton)
{
    int32_t root = LMB_NONE;
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *chain = &map->chains[i];
        const int32_t first = chain->joints[0], last = chain->joints[chain->count - 1],
                      above = skeleton->parents[first];
        const int32_t top = chain->kind == LMB_CHAIN_SPINE || above < 0
                                ? lmbi_common_ancestor(skeleton, first, last)
                                : above;
        const int32_t common =
            root < 0 || top < 0 ? LMB_NONE : lmbi_common_ancestor(skeleton, root, top);
        root = i == 0 ? top : (common >= 0 ? common : root);
    }
    return root;
}

void lmbi_chains_complete(lmb_chain_map *map, const lmb_skeleton *skeleton, const lmb_vec3 *at)
{
    map->root = find_root(map, skeleton);
    for (uint32_t i = 0; i < map->count; ++i) {
        if (map->chains[i].kind >= LMB_CHAIN_LEG) {
            find_long_bones(&map->chains[i], at);
        }
    }
}

const lmb_body_chain *lmbi_chain_get(const lmb_chain_map *map, lmb_body_chain_kind kind, int side,
                                     uint32_t pair)
{
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *c = &map->chains[i];
        if (c->kind == kind && c->side == side && c->pair == pair) {
            return c;
        }
    }
    return NULL;
}

uint32_t lmbi_chain_pairs(const lmb_chain_map *map, lmb_body_chain_kind kind)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < map->count; ++i) {
        if (map->chains[i].kind == kind && map->chains[i].pair + 1 > pairs) {
            pairs = map->chains[i].pair + 1;
        }
    }
    return pairs;
}

static lmb_result find_chains(finder *f, lmb_chain_map *map, lmb_error *error)
{
    find_limbs(f);
    lift_arms(f);
    find_named(f);
    find_front(f);
    find_ends(f);
    if (f->head >= 0) {
        map->front = f->front;
        add_trunk(f, map);
        add_limbs(f, true, map);
        add_limbs(f, false, map);
    }
    if (f->head < 0 || (f->count == 0 && map->chains[0].count < 3)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a skeleton with limbs or a spine",
                         "%u joints without either", (unsigned)f->shape.count);
    }
    lmbi_chains_complete(map, f->shape.skeleton, f->shape.at);
    return LMB_OK;
}

lmb_result lmb_chain_map_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                              lmb_chain_map *out, lmb_error *error)
{
    lmb_chain_map map;
    finder f;
    lmbi_arena arena;
    memset(&map, 0, sizeof map);
    memset(&f, 0, sizeof f);
    lmbi_arena_init(&arena, alloc);
    const lmb_result result = lmbi_shape_make(skeleton, &arena, &f.shape)
                                  ? find_chains(&f, &map, error)
                                  : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    if (result == LMB_OK) {
        *out = map;
    }
    return result;
}
