/// Finds legs of any skeleton: subtrees whose ends are all near the ground, in left and right
/// pairs; and the trunk that joins them.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "limber/procedural.h"
#include "procedural/procedural.h"

enum { MOST_PATH = 24, MOST_LEGS = 16 };

typedef struct tree {
    const lmb_skeleton *skeleton;
    lmb_mat4 *model;     ///< [joint_count] model_from_joint at rest
    lmb_vec3 *positions; ///< [joint_count] positions at rest
    uint8_t *low;        ///< [joint_count] every leaf below is near the ground
    /// [joint_count] of leaves: height of the joint or its tip, whichever is lower
    float *end;
    float *chain_length; ///< [joint_count] length of the longest chain below
    float *highest;      ///< [joint_count] height of the highest joint below
    uint32_t *children;  ///< [joint_count] number of children
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
    t->positions = lmbi_arena_array(arena, n, sizeof *t->positions);
    t->low = lmbi_arena_array(arena, n, 1);
    t->end = lmbi_arena_array(arena, n, sizeof *t->end);
    t->chain_length = lmbi_arena_array(arena, n, sizeof *t->chain_length);
    t->highest = lmbi_arena_array(arena, n, sizeof *t->highest);
    t->children = lmbi_arena_array(arena, n, sizeof *t->children);
    return t->model != NULL && t->positions != NULL && t->low != NULL && t->end != NULL &&
           t->chain_length != NULL && t->highest != NULL && t->children != NULL;
}

/// Measures the rest pose, rotated by -facing_rad about the vertical.
static void measure_rest(tree *t, float facing_rad)
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
        t->positions[j] = lmb_mat4_translation(model[j]);
        if (s->parents[j] >= 0) {
            ++t->children[s->parents[j]];
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        // Leaves only: a root on the ground, or far from everything, does not define the body's
        // extent.
        if (t->children[j] == 0 && s->parents[j] >= 0) {
            const lmb_vec3 tip =
                s->tips != NULL ? lmb_mat4_point(model[j], s->tips[j]) : t->positions[j];
            t->end[j] = fminf(tip.y, t->positions[j].y);
            t->ground = fminf(t->ground, t->end[j]);
            high = fmaxf(high, t->positions[j].y);
        }
    }
    t->height = high - t->ground;
}

/// Accumulates properties of subtrees from the leaves up: children come after their parents.
static void accumulate_subtrees(tree *t)
{
    const uint32_t n = t->skeleton->joint_count;
    memset(t->low, 1, n);
    memset(t->chain_length, 0, n * sizeof *t->chain_length);
    for (uint32_t j = 0; j < n; ++j) {
        t->highest[j] = t->positions[j].y;
    }
    for (uint32_t j = n; j-- > 0;) {
        const int32_t parent = t->skeleton->parents[j];
        if (t->children[j] == 0) {
            t->low[j] = t->end[j] - t->ground < 0.14f * t->height;
        }
        if (parent >= 0) {
            const float reach =
                t->chain_length[j] + lmb_vec3_distance(t->positions[j], t->positions[parent]);
            t->low[parent] = t->low[parent] && t->low[j];
            t->chain_length[parent] = fmaxf(t->chain_length[parent], reach);
            t->highest[parent] = fmaxf(t->highest[parent], t->highest[j]);
        }
    }
}

/// Follows the longest chain down.
static path chain_below(const tree *t, uint32_t root)
{
    path p = {.count = 1, .joints = {root}};
    for (uint32_t j = root; t->children[j] > 0 && p.count < MOST_PATH;) {
        uint32_t next = 0;
        float best = -1.0f;
        for (uint32_t k = j + 1; k < t->skeleton->joint_count; ++k) {
            if (t->skeleton->parents[k] == (int32_t)j) {
                const float reach =
                    t->chain_length[k] + lmb_vec3_distance(t->positions[k], t->positions[j]);
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

typedef struct leg_chain {
    path path; ///< the whole leg, from its first low joint to its end
    bool paired;
} leg_chain;

static float bone_length(const tree *t, const path *p, uint32_t k)
{
    return lmb_vec3_distance(t->positions[p->joints[k]], t->positions[p->joints[k + 1]]);
}

/// Length of the shorter of the two bones after joint k; 0 without two bones.
static float shorter_bone(const tree *t, const path *p, uint32_t k)
{
    return k + 2 < p->count ? fminf(bone_length(t, p, k), bone_length(t, p, k + 1)) : 0.0f;
}

/// Index at which the thigh begins. Thigh and shin are the two consecutive bones whose shorter one
/// is longest, summed over both sides: a shoulder blade may come before them, feet and toes after.
static uint32_t find_thigh(const tree *t, const path *a, const path *b)
{
    float best = 0.0f;
    uint32_t thigh = 0;
    for (uint32_t k = 0; k + 2 < a->count && k + 2 < b->count; ++k) {
        const float size = shorter_bone(t, a, k) + shorter_bone(t, b, k);
        if (size > best) {
            best = size;
            thigh = k;
        }
    }
    return thigh;
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

static uint32_t find_legs(const tree *t, leg_chain *out)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < t->skeleton->joint_count && count < MOST_LEGS; ++j) {
        const int32_t parent = t->skeleton->parents[j];
        const bool top = t->low[j] && parent >= 0 && !t->low[parent];
        // A chain that begins near the ground carries nothing.
        if (top && t->positions[j].y - t->ground > 0.2f * t->height) {
            const path p = chain_below(t, j);
            if (shorter_bone(t, &p, find_thigh(t, &p, &p)) > 0.08f * t->height) {
                out[count++] = (leg_chain){.path = p};
            }
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------- pairs

static lmb_vec3 top_of(const tree *t, const leg_chain *leg)
{
    return t->positions[leg->path.joints[0]];
}

static lmb_vec3 end_of(const tree *t, const leg_chain *leg)
{
    return t->positions[leg->path.joints[leg->path.count - 1]];
}

/// Mean x of the legs: not every body stands over the origin.
static float mean_x(const tree *t, const leg_chain *legs, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t k = 0; k < count; ++k) {
        sum += top_of(t, &legs[k]).x;
    }
    return count > 0 ? sum / (float)count : 0.0f;
}

/// Distance of b from the mirror image of a in the plane x = middle.
static float mirror_distance(lmb_vec3 a, lmb_vec3 b, float middle)
{
    return lmb_vec3_distance(a, lmb_vec3_make(2.0f * middle - b.x, b.y, b.z));
}

/// The right leg that mirrors leg k on the left; `count` for none. Legs may be in mid-stride or
/// raised, so the distance of their tops counts more than that of their ends, which is bounded. In
/// a long stride the tops differ too: a larger distance is accepted where no other leg is half as
/// near.
static uint32_t find_mirrored_leg(const tree *t, const leg_chain *legs, uint32_t count, uint32_t k,
                                  float middle)
{
    uint32_t best = count;
    float nearest = INFINITY, next = INFINITY;
    const lmb_vec3 top = top_of(t, &legs[k]), end = end_of(t, &legs[k]);
    for (uint32_t i = 0; i < count && end.x > middle; ++i) {
        if (end_of(t, &legs[i]).x >= middle || legs[i].paired) {
            continue;
        }
        const float end_distance = 0.5f * mirror_distance(end, end_of(t, &legs[i]), middle);
        const float offset = mirror_distance(top, top_of(t, &legs[i]), middle) +
                             fminf(end_distance, 0.12f * t->height);
        next = offset < nearest ? nearest : fminf(next, offset);
        best = offset < nearest ? i : best;
        nearest = fminf(nearest, offset);
    }
    const float most = nearest < 0.5f * next ? 0.35f : 0.2f;
    return nearest < most * t->height ? best : count;
}

/// Pairs the legs, alternating left and right, from behind to the front. Returns the number of
/// pairs.
static uint32_t pair_legs(const tree *t, leg_chain *legs, uint32_t count, float middle,
                          leg_chain *out)
{
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t other = find_mirrored_leg(t, legs, count, k, middle);
        if (other == count || pairs == LMB_GAIT_LEGS / 2) {
            continue;
        }
        legs[k].paired = legs[other].paired = true;
        uint32_t index = pairs++;
        while (index > 0 && end_of(t, &out[2 * index - 2]).z > end_of(t, &legs[k]).z) {
            out[2 * index] = out[2 * index - 2];
            out[2 * index + 1] = out[2 * index - 1];
            --index;
        }
        out[2 * index] = legs[k];
        out[2 * index + 1] = legs[other];
    }
    return pairs;
}

/// Number of unpaired legs. A tail in the middle does not count.
static uint32_t count_odd(const tree *t, const leg_chain *legs, uint32_t count, float middle)
{
    uint32_t unpaired = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const float offset = fabsf(end_of(t, &legs[k]).x - middle);
        unpaired += !legs[k].paired && offset > 0.05f * t->height;
    }
    return unpaired;
}

static uint32_t common_ancestor(const lmb_skeleton *s, uint32_t a, uint32_t b)
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

/// Joints from below `above` down to `joint`, at most LMB_GAIT_CHAIN.
static uint32_t list_chain(const lmb_skeleton *s, uint32_t above, uint32_t joint,
                           uint32_t out[LMB_GAIT_CHAIN])
{
    uint32_t count = 0;
    for (int32_t j = (int32_t)joint; j >= 0 && j != (int32_t)above; j = s->parents[j]) {
        ++count;
    }
    uint32_t slot = count;
    for (int32_t j = (int32_t)joint; slot > 0; j = s->parents[j]) {
        if (--slot < LMB_GAIT_CHAIN) {
            out[slot] = (uint32_t)j;
        }
    }
    return count < LMB_GAIT_CHAIN ? count : LMB_GAIT_CHAIN;
}

/// From a joint up to the head: follows the child with the highest leaf until the chain ends or
/// branches.
static uint32_t list_neck(const tree *t, uint32_t from, uint32_t out[LMB_GAIT_CHAIN])
{
    uint32_t count = 0;
    for (uint32_t j = from; count < LMB_GAIT_CHAIN;) {
        uint32_t next = 0;
        float best = -INFINITY;
        for (uint32_t k = j + 1; k < t->skeleton->joint_count; ++k) {
            if (t->skeleton->parents[k] == (int32_t)j && !t->low[k] && t->highest[k] > best) {
                best = t->highest[k];
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

static void build_body(const tree *t, const leg_chain *legs, lmb_gait_body *body)
{
    const lmb_skeleton *s = t->skeleton;
    for (uint32_t k = 0; k < body->leg_count; k += 2) {
        const uint32_t thigh = find_thigh(t, &legs[k].path, &legs[k + 1].path);
        body->legs[k] = leg_from(&legs[k].path, thigh);
        body->legs[k + 1] = leg_from(&legs[k + 1].path, thigh);
    }
    const uint32_t behind = common_ancestor(s, legs[0].path.joints[0], legs[1].path.joints[0]);
    if (body->leg_count == 4) {
        const uint32_t chest = common_ancestor(s, legs[2].path.joints[0], legs[3].path.joints[0]);
        body->hips = common_ancestor(s, behind, chest);
        body->trunk_count = list_chain(s, body->hips, chest, body->trunk);
        body->neck_count = list_neck(t, chest, body->neck);
        return;
    }
    if (body->leg_count > 4) {
        body->hips = behind;
        for (uint32_t k = 2; k < body->leg_count; ++k) {
            body->hips = common_ancestor(s, body->hips, legs[k].path.joints[0]);
        }
        return;
    }
    // Two legs: the lower half of the chain above the hips is trunk.
    uint32_t up[LMB_GAIT_CHAIN];
    const uint32_t count = list_neck(t, behind, up);
    body->hips = behind;
    body->trunk_count = count / 2;
    body->neck_count = count - count / 2;
    memcpy(body->trunk, up, body->trunk_count * sizeof *up);
    memcpy(body->neck, up + body->trunk_count, body->neck_count * sizeof *up);
}

// ------------------------------------------------------------------------------------------- front

/// Fractions of the height by which a head must be ahead of the tail or the legs, and toes ahead of
/// their ankles, to decide the front. (Of 5 modelled and 20 drawn animals heads were ahead by 0.25
/// to 3, of people up to 0.06 behind.)
#define CLEAR_HEAD 0.12f
#define CLEAR_TOES 0.01f
/// A body faces X rather than Z only if the asymmetry across its middle plane is at most this times
/// as large: many rest poses have one leg ahead.
#define ASYMMETRY_RATIO 0.5f

/// Sum of distances of joints to the nearest mirror image of a joint, for the middle plane across x
/// or across z. Samples at most 256 joints.
static float asymmetry(const tree *t, bool across_x)
{
    enum { SAMPLES = 256 };
    const uint32_t n = t->skeleton->joint_count, step = (n + SAMPLES - 1) / SAMPLES;
    lmb_vec3 middle = {0, 0, 0};
    for (uint32_t j = 0; j < n; ++j) {
        middle = lmb_vec3_mad(middle, t->positions[j], 1.0f / (float)n);
    }
    float sum = 0.0f;
    for (uint32_t j = 0; j < n; j += step) {
        lmb_vec3 image = t->positions[j];
        image.x = across_x ? 2.0f * middle.x - image.x : image.x;
        image.z = across_x ? image.z : 2.0f * middle.z - image.z;
        float nearest = INFINITY;
        for (uint32_t k = 0; k < n; k += step) {
            nearest = fminf(nearest, lmb_vec3_distance(image, t->positions[k]));
        }
        sum += nearest;
    }
    return sum;
}

/// Whether a name contains the word, ignoring case.
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

/// Mean z, relative to `middle`, of joints whose names contain the word; 0 for none.
static float mean_ahead(const tree *t, const char *word, float middle)
{
    float sum = 0.0f;
    uint32_t count = 0;
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        if (!t->low[j] && has_word(t->skeleton->names[j], word)) {
            sum += t->positions[j].z - middle;
            ++count;
        }
    }
    return count > 0 ? sum / (float)count : 0.0f;
}

/// Positive when joints named head are ahead of those named tail, or else toes ahead of ankles.
/// (Shape says less: tails have as many joints as necks, and are as often higher.)
static float front_vote(const tree *t, const leg_chain *legs, uint32_t count)
{
    float toes = 0.0f, middle = 0.0f;
    for (uint32_t k = 0; k < count; ++k) {
        const path *p = &legs[k].path;
        const uint32_t ankle = p->joints[find_thigh(t, p, p) + 2];
        toes += (end_of(t, &legs[k]).z - t->positions[ankle].z) / (float)count;
        middle += top_of(t, &legs[k]).z / (float)count;
    }
    const float head = mean_ahead(t, "head", middle) - mean_ahead(t, "tail", middle);
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

/// Rotates the body to face +Z and finds its legs. +Z is the front unless the shape clearly shows
/// another axis. Returns the number of legs.
static uint32_t find_facing(tree *t, leg_chain *legs, float *facing_rad)
{
    *facing_rad = 0.0f;
    measure_rest(t, 0.0f);
    if (asymmetry(t, false) < ASYMMETRY_RATIO * asymmetry(t, true)) {
        *facing_rad = 0.5f * LMB_PI;
        measure_rest(t, *facing_rad);
    }
    accumulate_subtrees(t);
    uint32_t count = find_legs(t, legs);
    if (count > 0 && front_vote(t, legs, count) < 0.0f) {
        *facing_rad -= LMB_PI;
        measure_rest(t, *facing_rad);
        accumulate_subtrees(t);
        count = find_legs(t, legs);
    }
    return count;
}

lmb_result lmb_gait_body_find(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_gait_body *out, lmb_error *error)
{
    leg_chain legs[MOST_LEGS], pairs[MOST_LEGS];
    lmbi_arena arena;
    tree t;
    lmb_gait_body body;
    memset(&body, 0, sizeof body);
    lmbi_arena_init(&arena, alloc);
    lmb_result result = allocate(&t, character, &arena) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        const uint32_t count = find_facing(&t, legs, &body.facing_rad);
        const float middle = mean_x(&t, legs, count);
        const uint32_t paired = pair_legs(&t, legs, count, middle, pairs);
        const uint32_t unpaired = count_odd(&t, legs, count, middle);
        body.leg_count = 2 * paired;
        result = paired > 0 && unpaired == 0 ? LMB_OK : refuse_legs(count, 2 * paired, error);
    }
    if (result == LMB_OK) {
        for (int side = 0; side < 2; ++side) {
            body.arms[side] = (lmb_gait_arm){LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
        }
        build_body(&t, pairs, &body);
        result = lmbi_gait_body_fit(character, alloc, &body, error);
    }
    lmbi_arena_free(&arena);
    if (result == LMB_OK) {
        *out = body;
    }
    return result;
}
