/// Tails of leaf bones, from the skeleton alone.
#include "rig/bone_ends.h"

#include <math.h>

/// Least cosine for a joint to lie ahead: 30 degrees.
static const float AHEAD = 0.866f;
/// Least cosine for the next joint along an axis of a flat skeleton: 15 degrees.
static const float ALONG = 0.966f;
/// Least cosine for a non-deforming child to end its parent's bone: 60 degrees. Prop sockets point
/// sideways.
static const float BELOW = 0.5f;
/// Fraction of a flat skeleton's joints that must find a next joint along the axis.
static const float AGREED = 0.6f;

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

/// The straightest child. Children of a leaf do not deform.
static bool end_at_child(const lmbi_joints *j, uint32_t leaf, lmb_vec3 *out)
{
    const lmb_vec3 on = incoming_direction(j, leaf);
    float best = BELOW;
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
    return best > BELOW;
}

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

int lmbi_flat_axis(const lmbi_joints *j)
{
    enum { FEWEST = 4 };
    uint32_t leaves = 0, best = 0;
    for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
        if (lmbi_joint_deforms(j, k) && j->above[k] != LMB_NONE) {
            return -1;
        }
        leaves += lmbi_joint_deforms(j, k) ? 1 : 0;
    }
    int axis = -1;
    for (int a = 0; leaves >= FEWEST && a < 6; ++a) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < j->skeleton->joint_count; ++k) {
            found += lmbi_joint_deforms(j, k) &&
                             next_ahead(j, k, axis_of(j, k, a), ALONG, false) != LMB_NONE
                         ? 1
                         : 0;
        }
        if (found > best && (float)found >= AGREED * (float)leaves) {
            best = found;
            axis = a;
        }
    }
    return axis;
}

bool lmbi_leaf_end(const lmbi_joints *j, uint32_t leaf, int flat_axis, lmb_vec3 *out)
{
    if (stated(j, leaf, out) || end_at_child(j, leaf, out)) {
        return true;
    }
    const int32_t next = flat_axis >= 0
                             ? next_ahead(j, leaf, axis_of(j, leaf, flat_axis), ALONG, false)
                             : next_ahead(j, leaf, incoming_direction(j, leaf), AHEAD, true);
    if (next != LMB_NONE) {
        *out = j->at[next];
    }
    return next != LMB_NONE;
}
