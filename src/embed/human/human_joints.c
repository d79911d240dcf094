#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

/// If both limbs are in the same pose, makes their joints mirror images, weighted by confidence.
static void symmetrise(lmbi_human_joints *p, int left, int right, int count)
{
    float worst = 0;
    for (int k = 0; k < count; ++k) {
        worst = fmaxf(worst, lmb_vec3_distance(p->at[left + k], lmbi_mirrored(p->at[right + k])));
    }
    // If they are in different poses nothing changes; in between, joints move part of the way.
    const float fraction = fminf(1, fmaxf(0, 2 - worst / 0.05f));
    for (int k = 0; k < count && fraction > 0; ++k) {
        const float a = p->confidence[left + k], b = p->confidence[right + k];
        const float to_right = b * b / fmaxf(a * a + b * b, 1e-6f);
        const lmb_vec3 mean =
            lmb_vec3_lerp(p->at[left + k], lmbi_mirrored(p->at[right + k]), to_right);
        p->at[left + k] = lmb_vec3_lerp(p->at[left + k], mean, fraction);
        p->at[right + k] = lmb_vec3_lerp(p->at[right + k], lmbi_mirrored(mean), fraction);
    }
}

/// Bends a straight limb slightly, so that solvers know in which direction it folds: knees forward,
/// elbows backward.
static void pre_bend(lmb_vec3 *chain, float sign)
{
    const float least = 0.004f, straight = 0.02f;
    const lmb_vec3 axis = lmb_vec3_sub(chain[2], chain[0]);
    const float t = lmb_vec3_dot(lmb_vec3_sub(chain[1], chain[0]), axis) /
                    fmaxf(lmb_vec3_dot(axis, axis), 1e-9f);
    const lmb_vec3 off = lmb_vec3_sub(chain[1], lmb_vec3_mad(chain[0], axis, t));
    const float bend = sign * off.z;
    if (bend < least && lmb_vec3_length(off) < straight) {
        chain[1].z += sign * (least - bend);
    }
}

/// Moves a joint in the air, as between the parts of a robot, to the nearest deep voxel.
static void move_inside(const lmbi_voxel_body *body, lmb_vec3 *joint)
{
    if (body->depth[lmbi_grid_voxel_at(&body->grid, *joint)] >= 1.5f) {
        return;
    }
    float best = 0.08f;
    lmb_vec3 nearest = *joint;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        if (body->depth[body->solid[s]] < 1.5f) {
            continue;
        }
        const lmb_vec3 p = body->at[s];
        const float d = lmb_vec3_distance(p, *joint);
        if (d < best) {
            best = d;
            nearest = p;
        }
    }
    *joint = nearest;
}

/// Moves joints to their landmarks.
static void keep_landmarks(const lmbi_figure_parts *w, lmbi_human_joints *out)
{
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        if (w->landmarks.joint[j].set) {
            out->at[j] = w->landmarks.joint[j].at;
            out->confidence[j] = 1;
            out->reason[j] = "a marker, or the mirror image of one";
        }
    }
}

static void finish_joints(const lmbi_figure_parts *w, lmbi_human_joints *out)
{
    for (int side = 0; side < 2; ++side) {
        pre_bend(out->at + LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS, -1);
        pre_bend(out->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS, 1);
    }
    for (int j = 0; j < LMBI_BODY_JOINTS; ++j) {
        move_inside(&w->f->body, &out->at[j]);
    }
    keep_landmarks(w, out);
}

/// Traces a marked arm through its landmarks instead of along the solid.
static void trace_through_landmarks(const lmbi_figure_parts *w, const uint32_t *paths, int side,
                                    lmbi_limb_profile *line)
{
    const lmbi_landmark_point *landmarks =
        w->landmarks.joint + LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
    lmb_vec3 through[3] = {line->at[0]};
    uint32_t count = 1;
    for (int k = 3; k >= 2; --k) { // wrist, elbow
        if (landmarks[k].set) {
            through[count++] = landmarks[k].at;
        }
    }
    if (count > 1) {
        lmbi_limb_trace_through(&w->f->body, paths, through, count, line);
    }
}

/// Whether the tips of a pair of limbs are mirror images.
static bool are_mirrored(const lmbi_figure *f, const uint32_t tips[2])
{
    return lmb_vec3_distance(f->tips[tips[0]].position, lmbi_mirrored(f->tips[tips[1]].position)) <
           0.05f;
}

static void measure_limbs(lmbi_figure_parts *w, const uint32_t *paths)
{
    const lmbi_figure *f = w->f;
    const bool same[2] = {are_mirrored(f, f->pose.hand), are_mirrored(f, f->pose.foot)};
    w->landmarks = f->landmarks;
    lmbi_landmarks_mirror(&w->landmarks, same);
    for (int side = 0; side < 2; ++side) {
        lmbi_limb_trace(&f->body, paths, f->tips[f->pose.hand[side]].voxel, &w->arms[side].line);
        lmbi_limb_trace(&f->body, paths, f->tips[f->pose.foot[side]].voxel, &w->legs[side].line);
        trace_through_landmarks(w, paths, side, &w->arms[side].line);
        lmbi_find_arm_root(&f->body, &w->arms[side]);
        if (f->landmarks.count == 0) {
            lmbi_drop_held_object(&w->arms[side]);
        }
        for (uint32_t n = 0; n < w->legs[side].line.count; ++n) {
            w->legs[side].splay = fmaxf(w->legs[side].splay, fabsf(w->legs[side].line.at[n].x));
        }
    }
}

/// Joints by what the voxels of limbs and trunk look like.
static void place_in_voxels(lmbi_figure_parts *w, lmbi_human_joints *out)
{
    measure_limbs(w, w->f->voxels->paths);
    lmbi_place_arm(w, 0, out);
    lmbi_place_arm(w, 1, out);
    const float shoulder =
        0.5f * (out->at[LMBI_LEFT_UPPER_ARM].y + out->at[LMBI_RIGHT_UPPER_ARM].y);
    lmbi_find_neck(w, shoulder);
    lmbi_find_crotch(w, shoulder);
    lmbi_place_leg(w, 0, out);
    lmbi_place_leg(w, 1, out);
    lmbi_place_trunk(w, out);
    out->facing = lmbi_facing_of_joints(w, out);
    lmbi_refine_limbs(w, out);
}

lmb_result lmbi_place_human_joints(lmbi_figure *figure, lmbi_human_joints *out, lmb_error *error)
{
    const lmb_allocator *alloc = figure->alloc;
    lmb_result result = lmbi_voxelisation_paths(figure->voxels, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_figure_parts *w = lmbi_alloc(alloc, sizeof *w);
    result = w ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        *w = (lmbi_figure_parts){.f = figure};
        place_in_voxels(w, out);
        symmetrise(out, LMBI_LEFT_UPPER_ARM, LMBI_RIGHT_UPPER_ARM, LMBI_ARM_JOINTS - 1);
        symmetrise(out, LMBI_LEFT_UPPER_LEG, LMBI_RIGHT_UPPER_LEG, LMBI_LEG_JOINTS - 1);
        lmbi_place_trunk(w, out);
        finish_joints(w, out);
        out->crotch_clear = w->crotch_clear;
        out->crotch = w->crotch;
        out->neck_clear = w->neck_clear;
        out->arm_clear[0] = w->arms[0].clear;
        out->arm_clear[1] = w->arms[1].clear;
    }
    lmbi_free(alloc, w);
    return result;
}
