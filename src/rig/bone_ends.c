/// Tails of leaf bones, from the skeleton alone.
#include "rig/bone_ends.h"

#include <math.h>

/// Least cosine for a joint to lie ahead: 30 degrees.
static const float AHEAD = 0.866f;
/// Least cosine for a joint to lie along an axis: 15 degrees. A joint of another chain must lie on it, within 2.5
/// degrees, unless the skeleton is flat.
static const float ALONG = 0.966f, ON_AXIS = 0.999f;
/// Least cosine for a non-deforming child to end its parent's bone: 60 degrees. Prop sockets point
/// sideways.
static const float BELOW = 0.5f;
/// Fraction of the joints with one child that must have it along the axis, and of a flat skeleton's joints that must
/// find a next joint along it.
static const float AGREED = 0.8f, AGREED_FLAT = 0.6f;
/// Length of the mean of directions above which they are one.
static const float ONE_WAY = 0.95f;

static bool stated(const lmbi_joints *j, uint32_t leaf, lmb_vec3 *out)
{
    if (!j->skeleton->tips) {
        return false;
    }
    *out = lmb_mat4_point(j->model[leaf], j->skeleton->tips[leaf]);
    return lmb_vec3_distance(*out, j->at[leaf]) > j->zero;
}

static lmb_vec3 toward(lmb_vec3 from, lmb_vec3 to)
{
    return lmb_vec3_normalize_or(lmb_vec3_sub(to, from), (lmb_vec3){0, 0, 0});
}

/// Direction of the bone above a leaf; zero without one.
static lmb_vec3 incoming_direction(const lmbi_joints *j, uint32_t leaf)
{
    const int32_t above = j->above[leaf];
    return above == LMB_NONE ? (lmb_vec3){0, 0, 0} : toward(j->at[above], j->at[leaf]);
}

/// The child most nearly in a direction. Children of a leaf do not deform.
static bool end_at_child(const lmbi_joints *j, uint32_t leaf, lmb_vec3 on, float least,
                         lmb_vec3 *out)
{
    float best = least;
    for (uint32_t c = leaf + 1; c < j->skeleton->joint_count; ++c) {
        if (j->skeleton->parents[c] != (int32_t)leaf ||
            lmb_vec3_distance(j->at[c], j->at[leaf]) <= j->zero) {
            continue;
        }
        const float straight = lmb_vec3_dot(on, toward(j->at[leaf], j->at[c]));
        if (straight > best) {
            best = straight;
            *out = j->at[c];
        }
    }
    return best > least;
}

enum { AXES = 6 };

static lmb_vec3 axis_of(const lmbi_joints *j, uint32_t joint, int axis)
{
    const float *m = j->model[joint].m + 4 * (axis % 3);
    const lmb_vec3 unit = lmb_vec3_normalize_or((lmb_vec3){m[0], m[1], m[2]}, (lmb_vec3){0, 0, 0});
    return lmb_vec3_scale(unit, axis < 3 ? 1.0f : -1.0f);
}

/// The nearest joint ahead of `joint`: among all joints, or only among the roots of other chains.
static int32_t next_ahead(const lmbi_joints *j, uint32_t joint, lmb_vec3 direction, float cosine,
                          bool tops)
{
    int32_t next = LMB_NONE;
    float nearest = INFINITY;
    for (uint32_t o = 0; o < j->skeleton->joint_count; ++o) {
        const float far = lmb_vec3_distance(j->at[o], j->at[joint]);
        if ((tops && (!lmbi_joint_deforms(j, o) || j->above[o] != LMB_NONE)) || !(far > j->zero) ||
            !(far < nearest) || lmb_vec3_dot(direction, toward(j->at[joint], j->at[o])) < cosine) {
            continue;
        }
        nearest = far;
        next = (int32_t)o;
    }
    return next;
}

/// The axis along which most of a flat skeleton's joints find a next joint.
static lmbi_bone_axis find_flat_axis(const lmbi_joints *j)
{
    enum { FEWEST = 4 };
    lmbi_bone_axis out = {.axis = -1, .cosine = ALONG};
    uint32_t joints = 0, best = 0;
    for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
        joints += lmbi_joint_deforms(j, k) ? 1 : 0;
    }
    for (int a = 0; joints >= FEWEST && a < AXES; ++a) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
            found += lmbi_joint_deforms(j, k) &&
                             next_ahead(j, k, axis_of(j, k, a), ALONG, false) != LMB_NONE
                         ? 1
                         : 0;
        }
        if (found > best && (float)found >= AGREED_FLAT * (float)joints) {
            best = found;
            out.axis = a;
        }
    }
    return out;
}

static bool is_flat(const lmbi_joints *j)
{
    bool flat = true;
    for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
        flat = flat && !(lmbi_joint_deforms(j, k) && j->above[k] != LMB_NONE);
    }
    return flat;
}

/// Counts the children of a joint that are not in its place. *out is the last of them.
static uint32_t count_children(const lmbi_joints *j, uint32_t joint, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t c = joint + 1; c < j->skeleton->joint_count; ++c) {
        if (j->skeleton->parents[c] == (int32_t)joint &&
            lmb_vec3_distance(j->at[c], j->at[joint]) > j->zero) {
            ++count;
            *out = c;
        }
    }
    return count;
}

/// The joints with one child that have it along an axis.
typedef struct axis_votes {
    uint32_t count;
    lmb_vec3 sum; ///< of the axis at those joints, in model space
} axis_votes;

static void vote(const lmbi_joints *j, uint32_t joint, uint32_t child, axis_votes *votes)
{
    for (int a = 0; a < AXES; ++a) {
        const lmb_vec3 along = axis_of(j, joint, a);
        if (lmb_vec3_dot(along, toward(j->at[joint], j->at[child])) > ALONG) {
            ++votes[a].count;
            votes[a].sum = lmb_vec3_add(votes[a].sum, along);
        }
    }
}

/// Where joints are not turned at all, the four legs of an animal agree on the axis that points down.
static bool all_point_one_way(const axis_votes *votes)
{
    return lmb_vec3_length(votes->sum) > ONE_WAY * (float)votes->count;
}

lmbi_bone_axis lmbi_find_bone_axis(const lmbi_joints *j)
{
    enum { FEWEST = 3 };
    lmbi_bone_axis out = {.axis = -1, .cosine = ON_AXIS};
    axis_votes votes[AXES] = {{0}};
    uint32_t joints = 0, child;
    if (is_flat(j)) {
        return find_flat_axis(j);
    }
    for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
        if (count_children(j, k, &child) == 1) {
            ++joints;
            vote(j, k, child, votes);
        }
    }
    for (int a = 0; joints >= FEWEST && a < AXES; ++a) {
        if ((float)votes[a].count >= AGREED * (float)joints && !all_point_one_way(&votes[a])) {
            out.axis = a;
        }
    }
    return out;
}

lmb_vec3 lmbi_joint_axis(const lmbi_joints *j, uint32_t joint, lmbi_bone_axis axis)
{
    return axis.axis >= 0 ? axis_of(j, joint, axis.axis) : (lmb_vec3){0, 0, 0};
}

bool lmbi_is_along_bone(const lmbi_joints *j, uint32_t joint, uint32_t other, lmbi_bone_axis axis)
{
    return lmb_vec3_dot(lmbi_joint_axis(j, joint, axis), toward(j->at[joint], j->at[other])) >
           ALONG;
}

bool lmbi_leaf_end(const lmbi_joints *j, uint32_t leaf, lmbi_bone_axis axis, lmb_vec3 *out)
{
    const lmb_vec3 along = lmbi_joint_axis(j, leaf, axis), on = incoming_direction(j, leaf);
    if (stated(j, leaf, out) || end_at_child(j, leaf, along, ALONG, out)) {
        return true;
    }
    int32_t next = axis.axis >= 0 ? next_ahead(j, leaf, along, axis.cosine, false) : LMB_NONE;
    if (next == LMB_NONE && end_at_child(j, leaf, on, BELOW, out)) {
        return true;
    }
    next = next == LMB_NONE ? next_ahead(j, leaf, on, AHEAD, true) : next;
    if (next != LMB_NONE) {
        *out = j->at[next];
    }
    return next != LMB_NONE;
}
