#include "author/author.h"

#include <string.h>

#include "base/error.h"

/// A trailing * stands for any end.
static bool matches(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern);
    return length > 0 && pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0
                                                    : strcmp(pattern, name) == 0;
}

static bool names_joint(const char *pattern, const lmb_embedding *e, uint32_t joint)
{
    if (matches(pattern, e->names[joint])) {
        return true;
    }
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        if (e->human[b] == (int32_t)joint) {
            return matches(pattern, lmb_human_bone_name((lmb_human_bone)b));
        }
    }
    return false;
}

/// Whether some humans have a joint of that name.
static bool names_human_bone(const char *pattern, lmb_joint_names scheme)
{
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        char name[LMB_EMBEDDING_NAME];
        if (lmbi_humanoid_name(scheme, (lmb_human_bone)b, name) &&
            (matches(pattern, name) || matches(pattern, lmb_human_bone_name((lmb_human_bone)b)))) {
            return true;
        }
    }
    return false;
}

/// Sets marks[j] for every joint that the pattern names. False where there is none.
static bool mark_joints(const char *pattern, const lmb_embedding *e, bool *marks)
{
    bool found = false;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const bool named = names_joint(pattern, e, j);
        marks[j] = marks[j] || named;
        found = found || named;
    }
    return found;
}

static lmb_result mark_all(const lmb_rig_opts *opts, const lmb_embedding *e, bool *kept,
                           bool *dropped, lmb_error *error)
{
    const char *unknown = NULL;
    for (uint32_t k = 0; k < opts->keep_count; ++k) {
        unknown = mark_joints(opts->keep[k], e, kept) ? unknown : opts->keep[k];
    }
    for (uint32_t k = 0; k < opts->drop_count; ++k) {
        const bool known =
            mark_joints(opts->drop[k], e, dropped) ||
            (e->kind == LMB_SKELETON_HUMAN && names_human_bone(opts->drop[k], opts->names));
        unknown = known ? unknown : opts->drop[k];
    }
    return unknown == NULL
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "joints of the skeleton to keep or drop",
                           "\"%.40s\", which this %s does not have", unknown,
                           lmb_skeleton_kind_name(e->kind));
}

lmb_result lmbi_keep_find(const lmb_rig_opts *opts, const lmb_embedding *e,
                          uint16_t out[LMB_EMBEDDING_JOINTS], lmb_error *error)
{
    bool kept[LMB_EMBEDDING_JOINTS] = {false}, dropped[LMB_EMBEDDING_JOINTS] = {false};
    const lmb_result result = mark_all(opts, e, kept, dropped, error);
    uint16_t count = 0;
    for (uint32_t j = 0; j < e->joint_count && result == LMB_OK; ++j) {
        const bool stays =
            e->parents[j] == LMB_NONE || (!dropped[j] && (kept[j] || opts->keep_count == 0));
        out[j] = stays ? count++ : out[e->parents[j]];
    }
    return result;
}

/// Joints that lost their children end where those ended.
static void move_tips(const uint16_t *joints, const bool *kept, lmb_embedding *e)
{
    bool parent[LMB_EMBEDDING_JOINTS] = {false};
    for (uint32_t j = 1; j < e->joint_count; ++j) {
        if (kept[j]) {
            parent[joints[e->parents[j]]] = true;
        }
    }
    for (uint32_t j = 1, holder = 0; j < e->joint_count; ++j) {
        for (holder = j; !kept[holder]; holder = (uint32_t)e->parents[holder]) {
        }
        if (holder != j && !parent[joints[j]]) {
            e->tips[holder] = e->tips[j];
        }
    }
}

void lmbi_keep_joints(const uint16_t joints[LMB_EMBEDDING_JOINTS], lmb_embedding *e)
{
    bool kept[LMB_EMBEDDING_JOINTS];
    uint32_t count = 0;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        kept[j] = joints[j] == count; // a joint that another stands for has an earlier index
        count += kept[j];
    }
    move_tips(joints, kept, e);
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const uint32_t k = joints[j];
        if (!kept[j]) {
            continue;
        }
        e->parents[k] = e->parents[j] == LMB_NONE ? LMB_NONE : joints[e->parents[j]];
        memmove(e->names[k], e->names[j], sizeof e->names[j]);
        e->joints[k] = e->joints[j];
        e->tips[k] = e->tips[j];
        e->hinges[k] = e->hinges[j];
        e->confidence[k] = e->confidence[j];
        e->reason[k] = e->reason[j];
    }
    for (uint32_t b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        const int32_t j = e->human[b];
        e->human[b] = j != LMB_NONE && kept[j] ? joints[j] : LMB_NONE;
    }
    e->joint_count = count;
}

/// Largest weight first, as rows are.
static void sort_row(lmb_influence *row, uint32_t count)
{
    for (uint32_t k = 1; k < count; ++k) {
        const lmb_influence in = row[k];
        uint32_t at = k;
        for (; at > 0 && row[at - 1].weight < in.weight; --at) {
            row[at] = row[at - 1];
        }
        row[at] = in;
    }
}

void lmbi_keep_weights(const uint16_t joints[LMB_EMBEDDING_JOINTS], uint32_t vertex_count,
                       lmb_influences *weights)
{
    uint32_t at = 0, begin = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        const uint32_t row = at, end = weights->first[v + 1];
        for (uint32_t k = begin; k < end; ++k) {
            const lmb_influence in = {joints[weights->items[k].joint], weights->items[k].weight};
            uint32_t same = row;
            while (same < at && weights->items[same].joint != in.joint) {
                ++same;
            }
            if (same < at) {
                weights->items[same].weight += in.weight;
            } else {
                weights->items[at++] = in;
            }
        }
        sort_row(weights->items + row, at - row);
        begin = end;
        weights->first[v] = row;
        weights->first[v + 1] = at;
    }
}
