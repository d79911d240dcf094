/// Legs of any skeleton: what ends near the ground and has nothing that does not, in pairs left and
/// right; and the trunk that joins them.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "limber/procedural.h"

enum { MOST_PATH = 24, MOST_LEGS = 16 };

typedef struct tree {
    const lmb_skeleton *skeleton;
    lmb_mat4 *model;    ///< [joint_count] model_from_joint at rest
    lmb_vec3 *at;       ///< [joint_count] at rest
    uint8_t *low;       ///< [joint_count] every end below is near the ground
    float *end;         ///< [joint_count] of joints without children: height of the end, or the tip
    float *below;       ///< [joint_count] length of the longest chain below
    float *top;         ///< [joint_count] the highest end below
    uint32_t *children; ///< [joint_count] how many
    float ground, height;
} tree;

typedef struct path {
    uint32_t count, joints[MOST_PATH];
} path;

static bool allocate(tree *t, const lmb_character *character, lmbi_arena *arena)
{
    const uint32_t n = character->skeleton->joint_count;
    t->skeleton = character->skeleton;
    t->model = lmbi_arena_array(arena, n, sizeof *t->model);
    t->at = lmbi_arena_array(arena, n, sizeof *t->at);
    t->low = lmbi_arena_array(arena, n, 1);
    t->end = lmbi_arena_array(arena, n, sizeof *t->end);
    t->below = lmbi_arena_array(arena, n, sizeof *t->below);
    t->top = lmbi_arena_array(arena, n, sizeof *t->top);
    t->children = lmbi_arena_array(arena, n, sizeof *t->children);
    return t->model != NULL && t->at != NULL && t->low != NULL && t->end != NULL &&
           t->below != NULL && t->top != NULL && t->children != NULL;
}

/// The rest pose, turned so that what is seen as the front is at +Z.
static void measure(tree *t, float facing_rad)
{
    const lmb_skeleton *s = t->skeleton;
    const uint32_t n = s->joint_count;
    const lmb_mat4 *model = t->model;
    lmb_transform home = lmb_transform_identity();
    home.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -facing_rad);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s, .root = lmb_mat4_from_transform(home), .model_from_joint = t->model});
    memset(t->children, 0, n * sizeof *t->children);
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
            t->end[j] = fminf(tip.y, t->at[j].y);
            t->ground = fminf(t->ground, t->end[j]);
            high = fmaxf(high, t->at[j].y);
        }
    }
    t->height = high - t->ground;
}

/// From the ends up: children come after their parents.
static void climb(tree *t)
{
    const uint32_t n = t->skeleton->joint_count;
    memset(t->low, 1, n);
    memset(t->below, 0, n * sizeof *t->below);
    for (uint32_t j = 0; j < n; ++j) {
        t->top[j] = t->at[j].y;
    }
    for (uint32_t j = n; j-- > 0;) {
        const int32_t parent = t->skeleton->parents[j];
        if (t->children[j] == 0) {
            t->low[j] = t->end[j] - t->ground < 0.14f * t->height;
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

typedef struct found {
    path path; ///< of the whole leg, from its first low joint to its end
    bool taken;
} found;

static float bone(const tree *t, const path *p, uint32_t k)
{
    return lmb_vec3_distance(t->at[p->joints[k]], t->at[p->joints[k + 1]]);
}

/// The shorter of the two bones from joint k of the way on; 0 where there are none.
static float shorter(const tree *t, const path *p, uint32_t k)
{
    return k + 2 < p->count ? fminf(bone(t, p, k), bone(t, p, k + 1)) : 0.0f;
}

/// Thigh and shin are the two bones in a row whose shorter one is longest, on both sides together:
/// above may be a shoulder blade, below feet and toes. Where the thigh begins.
static uint32_t thigh_of(const tree *t, const path *a, const path *b)
{
    float best = 0.0f;
    uint32_t at = 0;
    for (uint32_t k = 0; k + 2 < a->count && k + 2 < b->count; ++k) {
        const float size = shorter(t, a, k) + shorter(t, b, k);
        if (size > best) {
            best = size;
            at = k;
        }
    }
    return at;
}

static lmb_gait_leg leg_from(const path *p, uint32_t thigh)
{
    return (lmb_gait_leg){
        .hip = p->joints[thigh],
        .knee = p->joints[thigh + 1],
        .ankle = p->joints[thigh + 2],
        .blade = thigh > 0 ? (int32_t)p->joints[thigh - 1] : LMB_NONE,
        .toes = thigh + 3 < p->count ? (int32_t)p->joints[thigh + 3] : LMB_NONE,
    };
}

static uint32_t find_legs(const tree *t, found *out)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < t->skeleton->joint_count && count < MOST_LEGS; ++j) {
        const int32_t parent = t->skeleton->parents[j];
        const bool top = t->low[j] && parent >= 0 && !t->low[parent];
        // What begins near the ground carries nothing.
        if (top && t->at[j].y - t->ground > 0.2f * t->height) {
            const path p = chain_below(t, j);
            if (shorter(t, &p, thigh_of(t, &p, &p)) > 0.08f * t->height) {
                out[count++] = (found){.path = p};
            }
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------- the pairs

static lmb_vec3 top_of(const tree *t, const found *leg)
{
    return t->at[leg->path.joints[0]];
}

static lmb_vec3 end_of(const tree *t, const found *leg)
{
    return t->at[leg->path.joints[leg->path.count - 1]];
}

/// The plane x = this lies in the middle of the legs: not every body stands over the origin.
static float middle_of(const tree *t, const found *legs, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t k = 0; k < count; ++k) {
        sum += top_of(t, &legs[k]).x;
    }
    return count > 0 ? sum / (float)count : 0.0f;
}

/// How far b is from the mirror image of a, over the plane x = middle.
static float off_mirror(lmb_vec3 a, lmb_vec3 b, float middle)
{
    return lmb_vec3_distance(a, lmb_vec3_make(2.0f * middle - b.x, b.y, b.z));
}

/// The leg on the right that mirrors leg k on the left; `count` for none. A body may stand in
/// mid-stride, or lift a leg on one side alone: where legs begin counts more than where they end, and
/// legs that begin in mirrored places are a pair wherever they end. In a long stride shoulders come
/// along: they may be further off where no other leg is half as near.
static uint32_t mirror_of(const tree *t, const found *legs, uint32_t count, uint32_t k,
                          float middle)
{
    uint32_t best = count;
    float nearest = INFINITY, next = INFINITY;
    const lmb_vec3 top = top_of(t, &legs[k]), end = end_of(t, &legs[k]);
    for (uint32_t i = 0; i < count && end.x > middle; ++i) {
        if (end_of(t, &legs[i]).x >= middle || legs[i].taken) {
            continue;
        }
        const float apart = 0.5f * off_mirror(end, end_of(t, &legs[i]), middle);
        const float off =
            off_mirror(top, top_of(t, &legs[i]), middle) + fminf(apart, 0.12f * t->height);
        next = off < nearest ? nearest : fminf(next, off);
        best = off < nearest ? i : best;
        nearest = fminf(nearest, off);
    }
    const float most = nearest < 0.5f * next ? 0.35f : 0.2f;
    return nearest < most * t->height ? best : count;
}

/// Pairs of legs, left and right in turn, from behind to the front. Returns how many pairs.
static uint32_t pair_legs(const tree *t, found *legs, uint32_t count, float middle, found *out)
{
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t other = mirror_of(t, legs, count, k, middle);
        if (other == count || pairs == LMB_GAIT_LEGS / 2) {
            continue;
        }
        legs[k].taken = legs[other].taken = true;
        uint32_t place = pairs++;
        while (place > 0 && end_of(t, &out[2 * place - 2]).z > end_of(t, &legs[k]).z) {
            out[2 * place] = out[2 * place - 2];
            out[2 * place + 1] = out[2 * place - 1];
            --place;
        }
        out[2 * place] = legs[k];
        out[2 * place + 1] = legs[other];
    }
    return pairs;
}

/// Legs without another; a tail, which hangs in the middle, is none.
static uint32_t count_odd(const tree *t, const found *legs, uint32_t count, float middle)
{
    uint32_t odd = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const float off = fabsf(end_of(t, &legs[k]).x - middle);
        odd += !legs[k].taken && off > 0.05f * t->height;
    }
    return odd;
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
    for (uint32_t k = 0; k < body->leg_count; k += 2) {
        const uint32_t thigh = thigh_of(t, &legs[k].path, &legs[k + 1].path);
        body->legs[k] = leg_from(&legs[k].path, thigh);
        body->legs[k + 1] = leg_from(&legs[k + 1].path, thigh);
    }
    const uint32_t behind = common(s, legs[0].path.joints[0], legs[1].path.joints[0]);
    if (body->leg_count == 4) {
        const uint32_t chest = common(s, legs[2].path.joints[0], legs[3].path.joints[0]);
        body->hips = common(s, behind, chest);
        body->trunk_count = between(s, body->hips, chest, body->trunk);
        body->neck_count = neck_of(t, chest, body->neck);
        return;
    }
    if (body->leg_count > 4) {
        body->hips = behind;
        for (uint32_t k = 2; k < body->leg_count; ++k) {
            body->hips = common(s, body->hips, legs[k].path.joints[0]);
        }
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

// ------------------------------------------------------------------------------------- the front

/// Of the height: a head less far ahead of the tail, or of the legs, says nothing; nor do toes less
/// far ahead of their ankles. (Of 5 made and 20 drawn animals heads were ahead by 0.25 to 3, of
/// people up to 0.06 behind.)
#define CLEAR_HEAD 0.12f
#define CLEAR_TOES 0.01f
/// A body faces X rather than Z only where that makes it so much more symmetric: many stand with
/// one leg ahead.
#define MORE_SYMMETRIC 0.5f

/// How far joints are from mirror images of joints, on the mean, over the middle plane across x, or
/// across z. Of large skeletons so many joints are looked at.
static float asymmetry(const tree *t, bool across_x)
{
    enum { LOOKED_AT = 256 };
    const uint32_t n = t->skeleton->joint_count, step = (n + LOOKED_AT - 1) / LOOKED_AT;
    lmb_vec3 middle = {0, 0, 0};
    for (uint32_t j = 0; j < n; ++j) {
        middle = lmb_vec3_mad(middle, t->at[j], 1.0f / (float)n);
    }
    float sum = 0.0f;
    for (uint32_t j = 0; j < n; j += step) {
        lmb_vec3 image = t->at[j];
        image.x = across_x ? 2.0f * middle.x - image.x : image.x;
        image.z = across_x ? image.z : 2.0f * middle.z - image.z;
        float nearest = INFINITY;
        for (uint32_t k = 0; k < n; k += step) {
            nearest = fminf(nearest, lmb_vec3_distance(image, t->at[k]));
        }
        sum += nearest;
    }
    return sum;
}

/// Whether a name has the word in it, whatever the case of its letters.
static bool has_word(const char *name, const char *word)
{
    for (; *name != 0; ++name) {
        size_t k = 0;
        while (word[k] != 0 && (name[k] | 0x20) == word[k]) {
            ++k;
        }
        if (word[k] == 0) {
            return true;
        }
    }
    return false;
}

/// How far toward +Z the joints of that word lie, on the mean; 0 for none.
static float ahead_of(const tree *t, const char *word, float middle)
{
    float sum = 0.0f;
    uint32_t count = 0;
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        if (!t->low[j] && has_word(t->skeleton->names[j], word)) {
            sum += t->at[j].z - middle;
            ++count;
        }
    }
    return count > 0 ? sum / (float)count : 0.0f;
}

/// Above 0 when heads lie ahead of tails toward +Z, by their names, or else toes ahead of ankles.
/// (Shape tells less: tails have as many joints as necks, and are as often higher.)
static float front_vote(const tree *t, const found *legs, uint32_t count)
{
    float toes = 0.0f, middle = 0.0f;
    for (uint32_t k = 0; k < count; ++k) {
        const path *p = &legs[k].path;
        const uint32_t ankle = p->joints[thigh_of(t, p, p) + 2];
        toes += (end_of(t, &legs[k]).z - t->at[ankle].z) / (float)count;
        middle += top_of(t, &legs[k]).z / (float)count;
    }
    const float head = ahead_of(t, "head", middle) - ahead_of(t, "tail", middle);
    if (fabsf(head) > CLEAR_HEAD * t->height) {
        return head;
    }
    return fabsf(toes) > CLEAR_TOES * t->height ? toes : 0.0f;
}

static lmb_result refuse_legs(uint32_t count, uint32_t paired, lmb_error *error)
{
    static const char expected[] = "two to eight legs that stand on the ground in pairs";
    return count == 0
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "no legs")
               : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "%u legs, %u of them in pairs",
                           (unsigned)count, (unsigned)paired);
}

/// Turns the body to face +Z and finds its legs. +Z is the front unless shape says clearly another
/// axis. Returns how many legs there are.
static uint32_t face(tree *t, found *legs, float *facing_rad)
{
    *facing_rad = 0.0f;
    measure(t, 0.0f);
    if (asymmetry(t, false) < MORE_SYMMETRIC * asymmetry(t, true)) {
        *facing_rad = 0.5f * LMB_PI;
        measure(t, *facing_rad);
    }
    climb(t);
    uint32_t count = find_legs(t, legs);
    if (count > 0 && front_vote(t, legs, count) < 0.0f) {
        *facing_rad -= LMB_PI;
        measure(t, *facing_rad);
        climb(t);
        count = find_legs(t, legs);
    }
    return count;
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
    lmb_result result = allocate(&t, character, &arena) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        const uint32_t count = face(&t, legs, &body.facing_rad);
        const float middle = middle_of(&t, legs, count);
        const uint32_t paired = pair_legs(&t, legs, count, middle, pairs);
        const uint32_t odd = count_odd(&t, legs, count, middle);
        body.leg_count = 2 * paired;
        result = paired > 0 && odd == 0 ? LMB_OK : refuse_legs(count, 2 * paired, error);
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
