/// Skeletons as they are embedded: names, parents and limits of joints, how one is written, and what of
/// the surface it leaves uncovered.
#include "base/format.h"
#include "embed/body_joint.h"
#include "embed/creature/creature.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the human

typedef struct bone {
    const char *name;
    int8_t parent, next; ///< next: the child at the end of the bone, or -1
} bone;

static const bone bones[LMBI_BODY_JOINTS] = {
    [LMBI_HIPS] = {"hips", -1, LMBI_SPINE},
    [LMBI_SPINE] = {"spine", LMBI_HIPS, LMBI_CHEST},
    [LMBI_CHEST] = {"chest", LMBI_SPINE, LMBI_UPPER_CHEST},
    [LMBI_UPPER_CHEST] = {"upperChest", LMBI_CHEST, LMBI_NECK},
    [LMBI_NECK] = {"neck", LMBI_UPPER_CHEST, LMBI_HEAD},
    [LMBI_HEAD] = {"head", LMBI_NECK, -1},
    [LMBI_LEFT_SHOULDER] = {"leftShoulder", LMBI_UPPER_CHEST, LMBI_LEFT_UPPER_ARM},
    [LMBI_LEFT_UPPER_ARM] = {"leftUpperArm", LMBI_LEFT_SHOULDER, LMBI_LEFT_LOWER_ARM},
    [LMBI_LEFT_LOWER_ARM] = {"leftLowerArm", LMBI_LEFT_UPPER_ARM, LMBI_LEFT_HAND},
    [LMBI_LEFT_HAND] = {"leftHand", LMBI_LEFT_LOWER_ARM, -1},
    [LMBI_RIGHT_SHOULDER] = {"rightShoulder", LMBI_UPPER_CHEST, LMBI_RIGHT_UPPER_ARM},
    [LMBI_RIGHT_UPPER_ARM] = {"rightUpperArm", LMBI_RIGHT_SHOULDER, LMBI_RIGHT_LOWER_ARM},
    [LMBI_RIGHT_LOWER_ARM] = {"rightLowerArm", LMBI_RIGHT_UPPER_ARM, LMBI_RIGHT_HAND},
    [LMBI_RIGHT_HAND] = {"rightHand", LMBI_RIGHT_LOWER_ARM, -1},
    [LMBI_LEFT_UPPER_LEG] = {"leftUpperLeg", LMBI_HIPS, LMBI_LEFT_LOWER_LEG},
    [LMBI_LEFT_LOWER_LEG] = {"leftLowerLeg", LMBI_LEFT_UPPER_LEG, LMBI_LEFT_FOOT},
    [LMBI_LEFT_FOOT] = {"leftFoot", LMBI_LEFT_LOWER_LEG, LMBI_LEFT_TOES},
    [LMBI_LEFT_TOES] = {"leftToes", LMBI_LEFT_FOOT, -1},
    [LMBI_RIGHT_UPPER_LEG] = {"rightUpperLeg", LMBI_HIPS, LMBI_RIGHT_LOWER_LEG},
    [LMBI_RIGHT_LOWER_LEG] = {"rightLowerLeg", LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_FOOT},
    [LMBI_RIGHT_FOOT] = {"rightFoot", LMBI_RIGHT_LOWER_LEG, LMBI_RIGHT_TOES},
    [LMBI_RIGHT_TOES] = {"rightToes", LMBI_RIGHT_FOOT, -1},
};

static const char *const finger_names[LMBI_FINGER_JOINTS] = {
    "leftThumbMetacarpal",  "leftThumbProximal",       "leftThumbDistal",
    "leftIndexProximal",    "leftIndexIntermediate",   "leftIndexDistal",
    "leftMiddleProximal",   "leftMiddleIntermediate",  "leftMiddleDistal",
    "leftRingProximal",     "leftRingIntermediate",    "leftRingDistal",
    "leftLittleProximal",   "leftLittleIntermediate",  "leftLittleDistal",
    "rightThumbMetacarpal", "rightThumbProximal",      "rightThumbDistal",
    "rightIndexProximal",   "rightIndexIntermediate",  "rightIndexDistal",
    "rightMiddleProximal",  "rightMiddleIntermediate", "rightMiddleDistal",
    "rightRingProximal",    "rightRingIntermediate",   "rightRingDistal",
    "rightLittleProximal",  "rightLittleIntermediate", "rightLittleDistal",
};

const char *lmbi_body_joint_name(uint32_t joint)
{
    return joint < LMBI_BODY_JOINTS ? bones[joint].name
                                    : finger_names[(joint - LMBI_BODY_JOINTS) % LMBI_FINGER_JOINTS];
}

int32_t lmbi_body_joint_parent(uint32_t joint)
{
    if (joint < LMBI_BODY_JOINTS) {
        return bones[joint].parent;
    }
    const uint32_t finger = joint - LMBI_BODY_JOINTS;
    if (finger % 3 != 0) {
        return (int32_t)joint - 1;
    }
    return finger < LMBI_FINGER_JOINTS / 2 ? LMBI_LEFT_HAND : LMBI_RIGHT_HAND;
}

lmb_vec3 lmbi_bone_end(const lmb_embedding *e, uint32_t joint)
{
    if (joint < LMBI_BODY_JOINTS) {
        return bones[joint].next >= 0 ? e->joints[bones[joint].next] : e->tips[joint];
    }
    return (joint - LMBI_BODY_JOINTS) % 3 < 2 ? e->joints[joint + 1] : e->tips[joint];
}

/// The axis of a hinge whose positive rotation flexes the joint: knees backward, elbows and fingers
/// forward or inward.
static lmb_vec3 hinge_axis(const lmb_embedding *e, uint32_t joint, lmb_vec3 along)
{
    if (joint == LMBI_LEFT_LOWER_LEG || joint == LMBI_RIGHT_LOWER_LEG) {
        const lmb_vec3 axis = lmb_vec3_cross(e->forward, along);
        return lmb_vec3_normalize_or(lmb_vec3_dot(axis, e->left) < 0 ? lmb_vec3_neg(axis) : axis,
                                     e->left);
    }
    return lmb_vec3_normalize_or(lmb_vec3_cross(along, e->forward), e->up);
}

lmb_joint_limit lmbi_humanoid_limit(const lmb_embedding *e, uint32_t joint)
{
    const float degree = LMB_PI / 180;
    const lmb_vec3 along =
        lmb_vec3_normalize_or(lmb_vec3_sub(lmbi_bone_end(e, joint), e->joints[joint]), e->up);
    lmb_joint_limit limit = {.kind = LMB_JOINT_BALL,
                             .axis = along,
                             .swing_rad = 40 * degree,
                             .twist_min_rad = -30 * degree,
                             .twist_max_rad = 30 * degree};
    switch (joint) {
    case LMBI_HIPS:
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE, .axis = along};
    case LMBI_LEFT_LOWER_LEG:
    case LMBI_RIGHT_LOWER_LEG:
    case LMBI_LEFT_LOWER_ARM:
    case LMBI_RIGHT_LOWER_ARM:
        return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                 .axis = hinge_axis(e, joint, along),
                                 .twist_min_rad = -5 * degree,
                                 .twist_max_rad = 150 * degree};
    case LMBI_LEFT_UPPER_ARM:
    case LMBI_RIGHT_UPPER_ARM:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMBI_LEFT_UPPER_LEG:
    case LMBI_RIGHT_UPPER_LEG:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    case LMBI_LEFT_HAND:
    case LMBI_RIGHT_HAND:
        limit.swing_rad = 80 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMBI_NECK:
    case LMBI_HEAD:
        limit.swing_rad = 50 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    default:
        return limit;
    }
}

// ---- other bodies

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

int32_t lmbi_embedding_add_numbered(lmbi_embedding_writer *c, const char *stem, uint32_t number,
                                    int32_t parent, lmb_vec3 at, float confidence,
                                    const char *reason)
{
    char name[LMB_EMBEDDING_NAME];
    snprintf(name, sizeof name, "%.20s%u", stem, number);
    return lmbi_embedding_add_joint(c, name, parent, at, confidence, reason);
}

void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at)
{
    c->out->tips[joint] = lmbi_frame_from(c->frame, at);
}

void lmbi_embedding_set_hinge(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 axis)
{
    const lmb_vec3 *a = c->frame->axes;
    c->out->hinges[joint] =
        lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(a[0], axis.x), a[1], axis.y), a[2], axis.z);
}

void lmbi_embedding_rate(lmbi_embedding_writer *c, float sure, const char *what)
{
    lmb_embedding *e = c->out;
    uint32_t weakest = 0;
    for (uint32_t j = 1; j < e->joint_count; ++j) {
        weakest = e->confidence[j] < e->confidence[weakest] ? j : weakest;
    }
    const float lowest = e->confidence[weakest];
    const float guess = 0.1f, doubtful = 0.45f;
    const float fraction = sure * (0.5f + 0.5f * lowest);
    const float all = lowest < guess ? fminf(fraction, doubtful) : fraction;
    e->overall = all < 0 ? 0 : all > 1 ? 1 : all;
    snprintf(e->summary, sizeof e->summary, "%s; least sure of %s: %s", what, e->names[weakest],
             e->reason[weakest]);
}

/// Where the bone of a joint ends: at its first child, or at its tip.
static lmb_vec3 bone_end(const lmb_embedding *e, uint32_t joint)
{
    for (uint32_t k = joint + 1; k < e->joint_count; ++k) {
        if (e->parents[k] == (int32_t)joint) {
            return e->joints[k];
        }
    }
    return e->tips[joint];
}

lmb_joint_limit lmbi_creature_limit(const lmb_embedding *e, uint32_t joint)
{
    const float degree = LMB_PI / 180;
    const lmb_vec3 along =
        lmb_vec3_normalize_or(lmb_vec3_sub(bone_end(e, joint), e->joints[joint]), e->up);
    if (e->parents[joint] == LMB_NONE) {
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE, .axis = along};
    }
    if (lmb_vec3_dot(e->hinges[joint], e->hinges[joint]) > 0) {
        return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                 .axis = lmb_vec3_normalize_or(e->hinges[joint], e->left),
                                 .twist_min_rad = -60 * degree,
                                 .twist_max_rad = 100 * degree};
    }
    return (lmb_joint_limit){.kind = LMB_JOINT_BALL,
                             .axis = along,
                             .swing_rad = 60 * degree,
                             .twist_min_rad = -40 * degree,
                             .twist_max_rad = 40 * degree};
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

void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e)
{
    // Uncovered fractions that occur in correct embeddings: wide tails of birds, bellies and horns
    // of cattle. Some stout figures have as much as wrong embeddings, and keep a medium confidence.
    static const struct {
        float usual, too_much, least;
    } fractions[LMB_SKELETON_KINDS] = {
        [LMB_SKELETON_HUMAN] = {0.015f, 0.04f, 0.5f},
        [LMB_SKELETON_QUADRUPED] = {0.16f, 0.3f, 0.5f},
        [LMB_SKELETON_BIRD] = {0.11f, 0.19f, 0.45f},
        [LMB_SKELETON_HAND] = {0.05f, 0.15f, 0.45f},
        [LMB_SKELETON_FISH] = {0.02f, 0.04f, 0.45f},
        [LMB_SKELETON_SNAKE] = {0.02f, 0.1f, 0.4f},
        [LMB_SKELETON_SPIDER] = {0.05f, 0.15f, 0.45f},
        [LMB_SKELETON_BIPED] = {0.16f, 0.3f, 0.5f},
        [LMB_SKELETON_GENERIC] = {0.16f, 0.3f, 0.5f},
    };
    const float usual = fractions[e->kind].usual, too_much = fractions[e->kind].too_much;
    const float fraction = lmbi_uncovered_fraction(soup, e);
    const float doubt = fminf(1, fmaxf(0, (fraction - usual) / (too_much - usual)));
    const float most = 1 - (1 - fractions[e->kind].least) * doubt;
    if (e->overall > most) {
        e->overall = most;
        lmbi_format(
            e->summary, sizeof e->summary,
            "%.0f%% of the surface is far from every bone, as a limb without joints or a body "
            "beside this one is",
            100 * (double)fraction);
    }
}
