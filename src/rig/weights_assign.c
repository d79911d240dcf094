/// Gives one joint a weight, or what another joint has, where an edit is for.
#include <string.h>

#include "base/error.h"
#include "rig/heat.h"
#include "rig/weights_edit.h"

static bool has_joint(const lmb_skin *skin, uint32_t joint)
{
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        if (skin->joints[k] == joint) {
            return true;
        }
    }
    return false;
}

/// The nearest ancestor of the joint that the skin has, or LMB_NONE.
static int32_t find_heir(const lmb_skeleton *skeleton, const lmb_skin *skin, uint32_t joint)
{
    int32_t j = skeleton->parents[joint];
    while (j != LMB_NONE && !has_joint(skin, (uint32_t)j)) {
        j = skeleton->parents[j];
    }
    return j;
}

static float clamp_weight(float weight)
{
    return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

/// The row with the joint's weight as the edit says; `heir` takes what no other joint is there for.
static void assign_row(const lmb_weights_edit *edit, int32_t heir,
                       lmb_influence row[LMBI_ROW_WIDTH])
{
    const uint32_t count = lmbi_row_count(row);
    uint32_t other_count = 0;
    float now = 0, others = 0, all = 0;
    lmb_influence out[LMBI_ROW_WIDTH] = {{0, 0}};
    for (uint32_t k = 0; k < count; ++k) { // descending
        all += row[k].weight;
        if (row[k].joint == edit->joint) {
            now = row[k].weight;
        } else if (++other_count < edit->influences) {
            others += row[k].weight;
        }
    }
    now /= all;
    const float to = clamp_weight(edit->assign == LMB_ASSIGN_SET   ? edit->value
                                  : edit->assign == LMB_ASSIGN_ADD ? now + edit->value
                                                                   : now * edit->value);
    const bool alone = !(others > 0) && heir == LMB_NONE;
    lmbi_row_insert(out, LMBI_ROW_WIDTH, edit->joint, alone ? 1 : to);
    if (!alone && !(others > 0)) {
        lmbi_row_insert(out, LMBI_ROW_WIDTH, (uint32_t)heir, 1 - to);
    }
    other_count = 0;
    for (uint32_t k = 0; k < count && others > 0; ++k) {
        if (row[k].joint != edit->joint && ++other_count < edit->influences) {
            lmbi_row_insert(out, LMBI_ROW_WIDTH, row[k].joint, row[k].weight * (1 - to) / others);
        }
    }
    for (uint32_t k = edit->influences; k < LMBI_ROW_WIDTH; ++k) {
        out[k] = (lmb_influence){0, 0}; // one influence: the larger of the two
    }
    lmbi_edit_scale(out);
    memcpy(row, out, sizeof out);
}

/// Moves the fraction of one joint's weight to another.
static void move_row(const lmb_weights_edit *edit, lmb_influence row[LMBI_ROW_WIDTH])
{
    lmb_influence out[LMBI_ROW_WIDTH] = {{0, 0}};
    const uint32_t count = lmbi_row_count(row);
    float target = 0;
    for (uint32_t k = 0; k < count; ++k) {
        target += row[k].joint == edit->from    ? row[k].weight * edit->value
                  : row[k].joint == edit->joint ? row[k].weight
                                                : 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const float kept = row[k].joint == edit->from ? 1 - edit->value : 1;
        if (row[k].joint != edit->joint) {
            lmbi_row_insert(out, LMBI_ROW_WIDTH, row[k].joint, row[k].weight * kept);
        }
    }
    lmbi_row_insert(out, LMBI_ROW_WIDTH, edit->joint, target);
    for (uint32_t k = edit->influences; k < LMBI_ROW_WIDTH; ++k) {
        out[k] = (lmb_influence){0, 0};
    }
    lmbi_edit_scale(out);
    memcpy(row, out, sizeof out);
}

/// Whether the row has any weight to move.
static bool has_weight(const lmb_influence row[LMBI_ROW_WIDTH], uint32_t joint)
{
    const uint32_t count = lmbi_row_count(row);
    for (uint32_t k = 0; k < count; ++k) {
        if (row[k].joint == joint) {
            return true;
        }
    }
    return false;
}

static lmb_result check_joints(const lmb_weights_edit *edit, const lmb_skeleton *skeleton,
                               lmb_error *error)
{
    const bool moves = edit->op == LMB_WEIGHTS_MOVE;
    const uint32_t last = moves && edit->from > edit->joint ? edit->from : edit->joint;
    if (last >= skeleton->joint_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of the skeleton", "%u of %u", last,
                         skeleton->joint_count);
    }
    if (moves && edit->from == edit->joint) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "two joints", "twice %s",
                         skeleton->names[edit->joint]);
    }
    if (moves && !(edit->value >= 0 && edit->value <= 1)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a fraction of the weight, 0 to 1", "%g",
                         (double)edit->value);
    }
    return LMB_OK;
}

lmb_result lmbi_edit_assign(lmbi_editor *e, lmb_error *error)
{
    const lmb_character *c = e->table.character;
    const bool moves = e->edit.op == LMB_WEIGHTS_MOVE;
    const lmb_result result = check_joints(&e->edit, c->skeleton, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_skin *skin = lmbi_is_skinned(c, i) ? c->skins[c->instances[i].skin] : NULL;
        const bool has = skin && has_joint(skin, e->edit.joint);
        const int32_t heir = has ? find_heir(c->skeleton, skin, e->edit.joint) : LMB_NONE;
        for (uint32_t v = e->table.first_vertex[i]; v < e->table.first_vertex[i + 1]; ++v) {
            lmb_influence *row = lmbi_edit_row(e, v);
            if (!lmbi_edit_is_for(e, v) || (moves && !has_weight(row, e->edit.from))) {
                continue;
            }
            if (!has) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of every selected mesh's skin",
                                 "%s, which the skin of instance %u lacks",
                                 c->skeleton->names[e->edit.joint], i);
            }
            if (moves) {
                move_row(&e->edit, row);
            } else {
                assign_row(&e->edit, heir, row);
            }
        }
    }
    return LMB_OK;
}
