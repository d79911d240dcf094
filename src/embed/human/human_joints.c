#include "embed/human/human_joints.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

const char lmbi_arm_hidden[] = "the arm is one with the body; a usual length along its side";
const char lmbi_arm_missing[] = "this arm is missing; in its stump";

static lmb_vec3 mirrored(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}

/// Where both sides are in the same pose, each helps the other: joints become mirror images, nearer
/// to the surer side.
static void symmetrise(lmbi_placed_joints *p, int left, int right, int count)
{
    float worst = 0;
    for (int k = 0; k < count; ++k) {
        worst = fmaxf(worst, lmb_vec3_distance(p->at[left + k], mirrored(p->at[right + k])));
    }
    // Far apart they are in different poses; in between, part of the way.
    const float share = fminf(1, fmaxf(0, 2 - worst / 0.05f));
    for (int k = 0; k < count && share > 0; ++k) {
        const float a = p->confidence[left + k], b = p->confidence[right + k];
        const float to_right = b * b / fmaxf(a * a + b * b, 1e-6f);
        const lmb_vec3 mean = lmb_vec3_lerp(p->at[left + k], mirrored(p->at[right + k]), to_right);
        p->at[left + k] = lmb_vec3_lerp(p->at[left + k], mean, share);
        p->at[right + k] = lmb_vec3_lerp(p->at[right + k], mirrored(mean), share);
    }
}

/// Of two arms in the same pose, the one that touches the trunk takes the root of the one that does
/// not.
static void match_roots(lmbi_work *w)
{
    lmbi_arm *a = &w->arms[0], *b = &w->arms[1];
    const bool same_pose = lmb_vec3_distance(lmbi_limb_point(&a->line, 0.1f),
                                             mirrored(lmbi_limb_point(&b->line, 0.1f))) < 0.08f;
    if (!same_pose || fabsf(a->root_arc - b->root_arc) < 0.02f) {
        return;
    }
    lmbi_arm *touching = a->root_arc < b->root_arc ? a : b, *free = touching == a ? b : a;
    if (free->clear) {
        touching->line = free->line;
        for (uint32_t n = 0; n < free->line.count; ++n) {
            touching->line.at[n] = mirrored(free->line.at[n]);
        }
        touching->root = mirrored(free->root);
        touching->root_arc = free->root_arc;
        touching->radius = free->radius;
        touching->clear = true;
    }
}

/// A straight limb gets a trace of bend, so that solvers know which way it folds: knees forward,
/// elbows back.
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

/// A joint in the air, between the parts of a robot or beside a bent spine, moves to the nearest
/// flesh.
static void settle_inside(const lmbi_voxel_body *body, lmb_vec3 *joint)
{
    if (body->depth[lmb_grid_voxel_at(&body->grid, *joint)] >= 1.5f) {
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

/// Marked joints stay where they were marked.
static void keep_marks(const lmbi_work *w, lmbi_placed_joints *out)
{
    for (uint32_t j = 0; j < LMB_BODY_JOINTS; ++j) {
        if (w->marks.joint[j].set) {
            out->at[j] = w->marks.joint[j].at;
            out->confidence[j] = 1;
            out->reason[j] = "a marker, or the mirror image of one";
        }
    }
    for (int side = 0; side < 2; ++side) {
        const lmbi_guess *guess = &w->f->guess[side];
        for (int k = 0; k < LMBI_ARM_JOINTS && guess->made; ++k) {
            const int j = LMB_LEFT_SHOULDER + side * LMBI_ARM_JOINTS + k;
            out->confidence[j] = guess->missing ? 0.3f : 0.5f;
            out->reason[j] = guess->missing ? lmbi_arm_missing : lmbi_arm_hidden;
        }
    }
}

static void finish(const lmbi_work *w, lmbi_placed_joints *out)
{
    for (int side = 0; side < 2; ++side) {
        pre_bend(out->at + LMB_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS, -1);
        pre_bend(out->at + LMB_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS, 1);
    }
    for (int j = 0; j < LMB_BODY_JOINTS; ++j) {
        settle_inside(&w->f->body, &out->at[j]);
    }
    keep_marks(w, out);
}

/// The middle of an arm that is marked runs through its marks, whatever the solid does there.
static void lead_through_marks(const lmbi_work *w, const uint32_t *ways, int side,
                               lmbi_limb_profile *line)
{
    const lmbi_mark *marks = w->marks.joint + LMB_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
    const lmbi_guess *guess = &w->f->guess[side];
    lmb_vec3 through[3] = {guess->made ? guess->hand_tip : line->at[0]};
    uint32_t count = 1;
    for (int k = 3; k >= 2; --k) { // wrist, elbow
        if (marks[k].set) {
            through[count++] = marks[k].at;
        }
    }
    if (count > 1) {
        lmbi_limb_lead(&w->f->body, ways, through, count, line);
    }
}

/// Both sides' limbs end in mirror images.
static bool alike(const lmbi_figure *f, const uint32_t tips[2])
{
    return lmb_vec3_distance(f->tips[tips[0]].position, mirrored(f->tips[tips[1]].position)) <
           0.05f;
}

static void measure(lmbi_work *w, const uint32_t *ways)
{
    const lmbi_figure *f = w->f;
    const bool same[2] = {alike(f, f->stance.hand), alike(f, f->stance.foot)};
    w->marks = f->marks;
    lmbi_marks_mirror(&w->marks, same);
    for (int side = 0; side < 2; ++side) {
        lmbi_limb_trace(&f->body, ways, f->tips[f->stance.hand[side]].voxel, &w->arms[side].line);
        lmbi_limb_trace(&f->body, ways, f->tips[f->stance.foot[side]].voxel, &w->legs[side].line);
        lead_through_marks(w, ways, side, &w->arms[side].line);
        lmbi_find_arm_root(&f->body, &w->arms[side]);
        if (f->marks.count == 0) {
            lmbi_drop_held(&w->arms[side]);
        }
        w->arms[side].clear = w->arms[side].clear && !f->guess[side].made;
        for (uint32_t n = 0; n < w->legs[side].line.count; ++n) {
            w->legs[side].splay = fmaxf(w->legs[side].splay, fabsf(w->legs[side].line.at[n].x));
        }
    }
    match_roots(w);
}

lmb_result lmbi_place(const lmbi_figure *figure, lmbi_placed_joints *out, lmb_error *error)
{
    const lmb_allocator *alloc = figure->alloc;
    lmbi_work *w = lmbi_alloc(alloc, sizeof *w);
    uint32_t *ways = lmbi_alloc_array(alloc, lmb_grid_count(&figure->body.grid), sizeof *ways);
    lmb_result result =
        w && ways ? lmbi_limb_ways(&figure->body, ways, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        w->f = figure;
        measure(w, ways);
        lmbi_place_arm(w, 0, out);
        lmbi_place_arm(w, 1, out);
        lmbi_match_arms(w, out);
        symmetrise(out, LMB_LEFT_UPPER_ARM, LMB_RIGHT_UPPER_ARM, LMBI_ARM_JOINTS - 1);
        const float shoulder =
            0.5f * (out->at[LMB_LEFT_UPPER_ARM].y + out->at[LMB_RIGHT_UPPER_ARM].y);
        lmbi_find_neck(w, shoulder);
        lmbi_find_crotch(w, shoulder);
        lmbi_place_leg(w, 0, out);
        lmbi_place_leg(w, 1, out);
        symmetrise(out, LMB_LEFT_UPPER_LEG, LMB_RIGHT_UPPER_LEG, LMBI_LEG_JOINTS);
        lmbi_place_trunk(w, out);
        out->facing = lmbi_facing(w, out);
        finish(w, out);
        out->crotch_clear = w->crotch_clear;
        out->crotch = w->crotch;
        out->neck_clear = w->neck_clear;
        out->arm_clear[0] = w->arms[0].clear;
        out->arm_clear[1] = w->arms[1].clear;
    }
    lmbi_free(alloc, w);
    lmbi_free(alloc, ways);
    return result;
}
