/// Skeletons as they are embedded: names, parents and limits of joints, how one is written, and what of
/// the surface it leaves uncovered.
#include "base/format.h"
#include "embed/creature/creature.h"
#include "embed/kinds.h"
#include "mapping/body_joint.h"
#include "mapping/mapping.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lmb_skeleton_kind_name(lmb_skeleton_kind kind)
{
    static const char *const names[LMB_SKELETON_KINDS] = {"auto",  "human",  "quadruped", "bird",
                                                          "hand",  "fish",   "snake",     "spider",
                                                          "biped", "generic"};
    return names[kind];
}

void lmbi_embedding_begin(lmbi_embedding_writer *c, lmb_skeleton_kind kind, const lmbi_frame *frame,
                          float height, lmb_embedding *out)
{
    const lmb_vec3 zero = {0, 0, 0}; // -0 + 0 is 0, so no negative zeros are written
    memset(out, 0, sizeof *out);
    *c = (lmbi_embedding_writer){frame, out};
    out->kind = kind;
    out->left = lmb_vec3_add(frame->axes[0], zero);
    out->up = lmb_vec3_add(frame->axes[1], zero);
    out->forward = lmb_vec3_add(frame->axes[2], zero);
    out->ground = frame->origin;
    out->height = height * frame->size;
}

int32_t lmbi_embedding_add_joint(lmbi_embedding_writer *c, const char *name, int32_t parent,
                                 lmb_vec3 at, float confidence, const char *reason)
{
    lmb_embedding *e = c->out;
    if (e->joint_count == LMB_EMBEDDING_JOINTS) {
        return LMB_EMBEDDING_JOINTS - 1;
    }
    const uint32_t j = e->joint_count++;
    snprintf(e->names[j], sizeof e->names[j], "%s", name);
    e->parents[j] = parent;
    e->joints[j] = e->tips[j] = lmbi_frame_from(c->frame, at);
    e->confidence[j] = confidence;
    e->reason[j] = reason;
    return (int32_t)j;
}

void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at)
{
    c->out->tips[joint] = lmbi_frame_from(c->frame, at);
}

void lmbi_embedding_rate(lmb_embedding *e, float sure, const char *what)
{
    uint32_t weakest = 0;
    for (uint32_t j = 1; j < e->joint_count; ++j) {
        weakest = e->confidence[j] < e->confidence[weakest] ? j : weakest;
    }
    const float lowest = e->confidence[weakest];
    const float guess = 0.1f, doubtful = 0.45f;
    const float fraction = sure * (0.5f + 0.5f * lowest);
    const float all = lowest < guess ? fminf(fraction, doubtful) : fraction;
    e->overall = lmbi_saturatef(all);
    snprintf(e->summary, sizeof e->summary, "%s; least sure of %s: %s", what, e->names[weakest],
             e->reason[weakest]);
}

void lmbi_symmetrise(lmb_vec3 *at, int left, int right, int count)
{
    const float alike = 0.05f;
    float worst = 0;
    for (int k = 0; k < count; ++k) {
        worst = fmaxf(worst, lmb_vec3_distance(at[left + k], lmbi_mirrored(at[right + k])));
    }
    // If they are in different poses nothing changes; in between, joints move part of the way.
    const float fraction = 0.5f * lmbi_saturatef(2 - worst / alike);
    for (int k = 0; k < count; ++k) {
        const lmb_vec3 l = at[left + k], r = at[right + k];
        at[left + k] = lmb_vec3_lerp(l, lmbi_mirrored(r), fraction);
        at[right + k] = lmb_vec3_lerp(r, lmbi_mirrored(l), fraction);
    }
}

// ---- limits

/// Where the bone of a joint ends: at its first child, or at its tip. Fingers do not continue a hand.
static lmb_vec3 bone_end(const lmb_embedding *e, uint32_t joint)
{
    const bool body = e->kind == LMB_SKELETON_HUMAN && joint < LMBI_BODY_JOINTS;
    const uint32_t count = body ? LMBI_BODY_JOINTS : e->joint_count;
    for (uint32_t k = joint + 1; k < count; ++k) {
        if (e->parents[k] == (int32_t)joint) {
            return e->joints[k];
        }
    }
    return e->tips[joint];
}

/// How far a joint turns, in degrees: a ball swings and twists either way; a hinge bends.
typedef struct range {
    float swing, twist, back, bend;
} range;

static range range_of(const lmb_embedding *e, uint32_t joint)
{
    static const range animal = {60, 40, 60, 100}, human = {40, 30, 5, 150},
                       body[LMBI_BODY_JOINTS] = {
                           [LMBI_NECK] = {50, 60},
                           [LMBI_HEAD] = {50, 60},
                           [LMBI_LEFT_UPPER_ARM] = {120, 90},
                           [LMBI_RIGHT_UPPER_ARM] = {120, 90},
                           [LMBI_LEFT_HAND] = {80, 90},
                           [LMBI_RIGHT_HAND] = {80, 90},
                           [LMBI_LEFT_UPPER_LEG] = {120, 60},
                           [LMBI_RIGHT_UPPER_LEG] = {120, 60},
                       };
    return e->kind != LMB_SKELETON_HUMAN                       ? animal
           : joint < LMBI_BODY_JOINTS && body[joint].swing > 0 ? body[joint]
                                                               : human;
}

/// The axis of a hinge whose positive rotation flexes the joint, or zero: knees of humans bend
/// backward, their elbows forward.
static lmb_vec3 hinge_axis(const lmb_embedding *e, uint32_t joint, lmb_vec3 along)
{
    const lmb_vec3 none = {0, 0, 0};
    if (e->kind != LMB_SKELETON_HUMAN) {
        return lmb_vec3_normalize_or(e->hinges[joint], none);
    }
    if (joint == LMBI_LEFT_LOWER_ARM || joint == LMBI_RIGHT_LOWER_ARM) {
        return lmb_vec3_normalize_or(lmb_vec3_cross(along, e->forward), e->up);
    }
    if (joint == LMBI_LEFT_LOWER_LEG || joint == LMBI_RIGHT_LOWER_LEG) {
        const lmb_vec3 axis = lmb_vec3_cross(e->forward, along);
        return lmb_vec3_normalize_or(lmb_vec3_dot(axis, e->left) < 0 ? lmb_vec3_neg(axis) : axis,
                                     e->left);
    }
    return none;
}

lmb_joint_limit lmbi_embedded_limit(const lmb_embedding *e, uint32_t joint)
{
    const float degree = LMB_PI / 180;
    const lmb_vec3 along =
        lmb_vec3_normalize_or(lmb_vec3_sub(bone_end(e, joint), e->joints[joint]), e->up);
    const lmb_vec3 hinge = hinge_axis(e, joint, along);
    const range r = range_of(e, joint);
    if (e->parents[joint] == LMB_NONE) {
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE, .axis = along};
    }
    if (lmb_vec3_dot(hinge, hinge) > 0) {
        return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                 .axis = hinge,
                                 .twist_min_rad = -r.back * degree,
                                 .twist_max_rad = r.bend * degree};
    }
    return (lmb_joint_limit){.kind = LMB_JOINT_BALL,
                             .axis = along,
                             .swing_rad = r.swing * degree,
                             .twist_min_rad = -r.twist * degree,
                             .twist_max_rad = r.twist * degree};
}

// ---- what no bone reaches

/// As a fraction of the longest side: bodies are thinner than this around their bones, except the
/// stoutest animals.
static const float REACH = 0.2f;
/// At most about this many triangles are tested.
enum { SAMPLES = 20000 };

static bool is_reached(const lmb_embedding *e, lmb_vec3 p, float reach)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const lmb_vec3 from = e->joints[e->parents[j] == LMB_NONE ? (int32_t)j : e->parents[j]];
        if (lmbi_segment_distance(p, from, e->joints[j]) <= reach ||
            lmbi_segment_distance(p, e->joints[j], e->tips[j]) <= reach) {
            return true;
        }
    }
    return false;
}

float lmbi_uncovered_fraction(const lmbi_triangle_soup *soup, const lmb_embedding *e)
{
    const lmb_box box = lmbi_soup_bounds(soup);
    const float size = lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
    const uint32_t stride = 1 + soup->triangle_count / SAMPLES;
    double all = 0, beyond = 0;
    for (uint32_t t = 0; t < soup->triangle_count; t += stride) {
        const uint32_t *corner = &soup->triangles[3 * t];
        const lmb_vec3 a = soup->positions[corner[0]], b = soup->positions[corner[1]],
                       c = soup->positions[corner[2]];
        const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(a, lmb_vec3_add(b, c)), 1.0f / 3);
        const lmb_vec3 ab = lmb_vec3_scale(lmb_vec3_sub(b, a), 1 / size);
        const lmb_vec3 ac = lmb_vec3_scale(lmb_vec3_sub(c, a), 1 / size);
        const double area = (double)lmb_vec3_length(lmb_vec3_cross(ab, ac));
        all += area;
        beyond += is_reached(e, middle, REACH * size) ? 0 : area;
    }
    return all > 0 ? (float)(beyond / all) : 0;
}

/// Fractions of the surface that embeddings of a kind leave uncovered and are right: wide tails of birds, bellies and horns of
/// cattle, fins of fish. A generic skeleton is in doubt anyway.
static const float USUALLY_UNCOVERED[LMB_SKELETON_KINDS] = {
    [LMB_SKELETON_HUMAN] = 0.015f, [LMB_SKELETON_QUADRUPED] = 0.16f, [LMB_SKELETON_BIRD] = 0.11f,
    [LMB_SKELETON_HAND] = 0.05f,   [LMB_SKELETON_FISH] = 0.5f,       [LMB_SKELETON_SNAKE] = 0.02f,
    [LMB_SKELETON_SPIDER] = 0.05f, [LMB_SKELETON_BIPED] = 0.16f,     [LMB_SKELETON_GENERIC] = 1,
};
/// What the logarithm of the odds that an embedding is right loses if all of the surface is uncovered that usually is not
/// (tools/fit-uncovered.py).
static const float PER_UNCOVERED = 9;

void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e)
{
    const float told = 0.1f; // lowered by more, the summary says why
    const float fraction = lmbi_uncovered_fraction(soup, e),
                more = fmaxf(fraction - USUALLY_UNCOVERED[e->kind], 0), before = e->overall;
    e->overall = before / (before + (1 - before) * lmb_exp(PER_UNCOVERED * more));
    if (before - e->overall > told) {
        lmbi_format(
            e->summary, sizeof e->summary,
            "%.0f%% of the surface is far from every bone, as a limb without joints or a body "
            "beside this one is",
            100 * (double)fraction);
    }
}
