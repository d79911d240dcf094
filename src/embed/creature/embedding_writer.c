#include "embed/creature/creature.h"

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
