/// Legs of any skeleton: what ends near the ground and has nothing that does not, in pairs left and
/// right; and the trunk that joins them.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "limber/procedural.h"

enum { MOST_PATH = 24, MOST_LEGS = 8 };

typedef struct tree {
    const lmb_skeleton *skeleton;
    lmb_vec3 *at;       ///< [joint_count] at rest
    uint8_t *low;       ///< [joint_count] every end below is near the ground
    float *below;       ///< [joint_count] length of the longest chain below
    float *top;         ///< [joint_count] the highest end below
    uint32_t *children; ///< [joint_count] how many
    float ground, height;
} tree;

typedef struct path {
    uint32_t count, joints[MOST_PATH];
} path;

static bool measure(tree *t, const lmb_character *character, lmbi_arena *arena)
{
    const lmb_skeleton *s = character->skeleton;
    const uint32_t n = s->joint_count;
    lmb_mat4 *model = lmbi_arena_array(arena, n, sizeof *model);
    t->skeleton = s;
    t->at = lmbi_arena_array(arena, n, sizeof *t->at);
    t->low = lmbi_arena_array(arena, n, 1);
    t->below = lmbi_arena_array(arena, n, sizeof *t->below);
    t->top = lmbi_arena_array(arena, n, sizeof *t->top);
    t->children = lmbi_arena_array(arena, n, sizeof *t->children);
    if (model == NULL || t->at == NULL || t->low == NULL || t->below == NULL || t->top == NULL ||
        t->children == NULL) {
        return false;
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = s, .model_from_joint = model});
    float high = -INFINITY;
    t->ground = INFINITY;
    for (uint32_t j = 0; j < n; ++j) {
        t->at[j] = lmb_mat4_translation(model[j]);
        if (s->parents[j] >= 0) {
            ++t->children[s->parents[j]];
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        // Ends alone: a root on the ground, or far from everything, says nothing.
        if (t->children[j] == 0 && s->parents[j] >= 0) {
            const lmb_vec3 tip = s->tips != NULL ? lmb_mat4_point(model[j], s->tips[j]) : t->at[j];
            t->ground = fminf(t->ground, fminf(tip.y, t->at[j].y));
            high = fmaxf(high, t->at[j].y);
        }
    }
    t->height = high - t->ground;
    return true;
}

/// From the ends up: children come after their parents.
static void climb(tree *t)
{
    const uint32_t n = t->skeleton->joint_count;
    memset(t->low, 1, n);
    for (uint32_t j = 0; j < n; ++j) {
        t->top[j] = t->at[j].y;
    }
    for (uint32_t j = n; j-- > 0;) {
        const int32_t parent = t->skeleton->parents[j];
        if (t->children[j] == 0) {
            t->low[j] = t->at[j].y - t->ground < 0.14f * t->height;
        }
        if (parent >= 0) {
            const float reach = t->below[j] + lmb_vec3_distance(t->at[j], t->at[parent]);
            t->low[parent] = t->low[parent] && t->low[j];
            t->below[parent] = fmaxf(t->below[parent], reach);
            t->top[parent] = fmaxf(t->top[parent], t->top[j]);
        }
    }
}

/// Down the longest chain.
static path chain_below(const tree *t, uint32_t root)
{
    path p = {.count = 1, .joints = {root}};
    for (uint32_t j = root; t->children[j] > 0 && p.count < MOST_PATH;) {
        uint32_t next = 0;
        float best = -1.0f;
        for (uint32_t k = j + 1; k < t->skeleton->joint_count; ++k) {
            if (t->skeleton->parents[k] == (int32_t)j) {
                const float reach = t->below[k] + lmb_vec3_distance(t->at[k], t->at[j]);
                if (reach > best) {
                    best = reach;
                    next = k;
                }
            }
        }
        p.joints[p.count++] = j = next;
    }
    return p;
}

/// Thigh and shin are the two bones in a row whose shorter one is longest: above may be a shoulder
/// blade, below feet and toes.
static bool leg_of(const tree *t, uint32_t root, lmb_gait_leg *leg)
{
    const path p = chain_below(t, root);
    float best = 0.0f;
    uint32_t at = 0;
    for (uint32_t k = 0; k + 2 < p.count; ++k) {
        const float upper = lmb_vec3_distance(t->at[p.joints[k]], t->at[p.joints[k + 1]]),
                    lower = lmb_vec3_distance(t->at[p.joints[k + 1]], t->at[p.joints[k + 2]]);
        if (fminf(upper, lower) > best) {
            best = fminf(upper, lower);
            at = k;
        }
    }
    if (!(best > 0.08f * t->height)) {
        return false;
    }
    leg->hip = p.joints[at];
    leg->knee = p.joints[at + 1];
    leg->ankle = p.joints[at + 2];
    leg->blade = at > 0 ? (int32_t)p.joints[at - 1] : LMB_NONE;
    leg->toes = at + 3 < p.count ? (int32_t)p.joints[at + 3] : LMB_NONE;
    return true;
}

typedef struct found {
    lmb_gait_leg leg;
    uint32_t root;
    bool taken;
} found;

static uint32_t find_legs(const tree *t, found *out)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < t->skeleton->joint_count && count < MOST_LEGS; ++j) {
        const int32_t parent = t->skeleton->parents[j];
        const bool top = t->low[j] && parent >= 0 && !t->low[parent];
        const lmb_vec3 at = t->at[j];
        // A tail hangs in the middle; what begins near the ground carries nothing.
        if (top && at.y - t->ground > 0.2f * t->height && leg_of(t, j, &out[count].leg) &&
            fabsf(t->at[out[count].leg.ankle].x) > 0.01f * t->height) {
            out[count].root = j;
            out[count++].taken = false;
        }
    }
    return count;
}

/// Pairs of legs whose ankles mirror each other, from behind to the front.
static uint32_t pair_legs(const tree *t, found *legs, uint32_t count, found *out)
{
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const lmb_vec3 a = t->at[legs[k].leg.ankle];
        uint32_t best = count;
        float nearest = 0.12f * t->height;
        for (uint32_t i = 0; i < count && a.x > 0.0f; ++i) {
            const lmb_vec3 b = t->at[legs[i].leg.ankle];
            const float off = lmb_vec3_distance(a, lmb_vec3_make(-b.x, b.y, b.z));
            if (b.x < 0.0f && !legs[i].taken && off < nearest) {
                nearest = off;
                best = i;
            }
        }
        if (best < count && pairs < 4) {
            legs[best].taken = true;
            uint32_t place = pairs++;
            while (place > 0 && t->at[out[2 * place - 2].leg.ankle].z > a.z) {
                out[2 * place] = out[2 * place - 2];
                out[2 * place + 1] = out[2 * place - 1];
                --place;
            }
            out[2 * place] = legs[k];
            out[2 * place + 1] = legs[best];
        }
    }
    return pairs;
}

static uint32_t common(const lmb_skeleton *s, uint32_t a, uint32_t b)
{
    int32_t i = (int32_t)a, j = (int32_t)b;
    while (i != j && i >= 0 && j >= 0) {
        if (i > j) {
            i = s->parents[i];
        } else {
            j = s->parents[j];
        }
    }
    return i == j && i >= 0 ? (uint32_t)i : 0;
}

/// The joints from below `above` down to `joint`, in that order; no more than fit.
static uint32_t between(const lmb_skeleton *s, uint32_t above, uint32_t joint,
                        uint32_t out[LMB_GAIT_CHAIN])
{
    uint32_t count = 0;
    for (int32_t j = (int32_t)joint; j >= 0 && j != (int32_t)above; j = s->parents[j]) {
        ++count;
    }
    uint32_t at = count;
    for (int32_t j = (int32_t)joint; at > 0; j = s->parents[j]) {
        if (--at < LMB_GAIT_CHAIN) {
            out[at] = (uint32_t)j;
        }
    }
    return count < LMB_GAIT_CHAIN ? count : LMB_GAIT_CHAIN;
}

/// From a joint up to the head: the child with the highest end, until there is a choice to make or
/// nothing more.
static uint32_t neck_of(const tree *t, uint32_t from, uint32_t out[LMB_GAIT_CHAIN])
{
    uint32_t count = 0;
    for (uint32_t j = from; count < LMB_GAIT_CHAIN;) {
        uint32_t next = 0;
        float best = -INFINITY;
        for (uint32_t k = j + 1; k < t->skeleton->joint_count; ++k) {
            if (t->skeleton->parents[k] == (int32_t)j && !t->low[k] && t->top[k] > best) {
                best = t->top[k];
                next = k;
            }
        }
        if (next == 0 || (count > 0 && t->children[j] > 1)) {
            break;
        }
        out[count++] = j = next;
    }
    return count;
}

static void join(const tree *t, const found *legs, lmb_gait_body *body)
{
    const lmb_skeleton *s = t->skeleton;
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        body->legs[k] = legs[k].leg;
    }
    const uint32_t behind = common(s, legs[0].root, legs[1].root);
    if (body->leg_count == 4) {
        const uint32_t chest = common(s, legs[2].root, legs[3].root);
        body->hips = common(s, behind, chest);
        body->trunk_count = between(s, body->hips, chest, body->trunk);
        body->neck_count = neck_of(t, chest, body->neck);
        return;
    }
    // Two legs: the first half of what rises from the hips is trunk.
    uint32_t up[LMB_GAIT_CHAIN];
    const uint32_t count = neck_of(t, behind, up);
    body->hips = behind;
    body->trunk_count = count / 2;
    body->neck_count = count - count / 2;
    memcpy(body->trunk, up, body->trunk_count * sizeof *up);
    memcpy(body->neck, up + body->trunk_count, body->neck_count * sizeof *up);
}

lmb_result lmb_gait_body_find(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_gait_body *out, lmb_error *error)
{
    found legs[MOST_LEGS], pairs[MOST_LEGS];
    lmbi_arena arena;
    tree t;
    lmb_gait_body body;
    memset(&body, 0, sizeof body);
    lmbi_arena_init(&arena, alloc);
    lmb_result result = measure(&t, character, &arena) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        climb(&t);
        const uint32_t count = find_legs(&t, legs);
        const uint32_t paired = pair_legs(&t, legs, count, pairs);
        body.leg_count = 2 * paired;
        result = paired == 1 || paired == 2
                     ? LMB_OK
                     : lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                                 "two or four legs that stand on the ground in pairs",
                                 "%u legs, %u of them in pairs", (unsigned)count,
                                 (unsigned)(2 * paired));
    }
    if (result == LMB_OK) {
        for (int side = 0; side < 2; ++side) {
            body.arms[side] = (lmb_gait_arm){LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
        }
        join(&t, pairs, &body);
        result = lmb_gait_body_fit(character, alloc, &body, error);
    }
    lmbi_arena_free(&arena);
    if (result == LMB_OK) {
        *out = body;
    }
    return result;
}
