#include "rig/place.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

static lmb_vec3 mirrored(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}

/// Where both sides are in the same pose, each helps the other: joints become mirror images, nearer to the surer side.
static void symmetrise(lmbi_placed *p, int left, int right, int count)
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

/// Of two arms in the same pose, the one that touches the trunk takes the root of the one that does not.
static void match_roots(lmbi_work *w)
{
    lmbi_arm *a = &w->arms[0], *b = &w->arms[1];
    const bool same_pose = lmb_vec3_distance(lmbi_limb_point(&a->line, 0.1f), mirrored(lmbi_limb_point(&b->line, 0.1f))) < 0.08f;
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

static void measure(lmbi_work *w, const uint32_t *ways)
{
    const lmbi_figure *f = w->f;
    for (int side = 0; side < 2; ++side) {
        lmbi_limb_trace(&f->body, ways, f->tips[f->stance.hand[side]].voxel, &w->arms[side].line);
        lmbi_limb_trace(&f->body, ways, f->tips[f->stance.foot[side]].voxel, &w->legs[side].line);
        lmbi_find_arm_root(&f->body, &w->arms[side]);
        for (uint32_t n = 0; n < w->legs[side].line.count; ++n) {
            w->legs[side].splay = fmaxf(w->legs[side].splay, fabsf(w->legs[side].line.at[n].x));
        }
    }
    match_roots(w);
}

lmb_result lmbi_place(const lmbi_figure *figure, lmbi_placed *out, lmb_error *error)
{
    const lmb_allocator *alloc = figure->alloc;
    lmbi_work *w = lmbi_alloc(alloc, sizeof *w);
    uint32_t *ways = lmbi_alloc_array(alloc, lmb_grid_count(&figure->body.grid), sizeof *ways);
    lmb_result result = w && ways ? lmbi_limb_ways(&figure->body, ways, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        w->f = figure;
        measure(w, ways);
        lmbi_place_arm(w, 0, out);
        lmbi_place_arm(w, 1, out);
        lmbi_match_arms(w, out);
        symmetrise(out, LMB_LEFT_UPPER_ARM, LMB_RIGHT_UPPER_ARM, LMBI_ARM_JOINTS - 1);
        const float shoulder = 0.5f * (out->at[LMB_LEFT_UPPER_ARM].y + out->at[LMB_RIGHT_UPPER_ARM].y);
        lmbi_find_neck(w, shoulder);
        lmbi_find_crotch(w, shoulder);
        lmbi_place_leg(w, 0, out);
        lmbi_place_leg(w, 1, out);
        symmetrise(out, LMB_LEFT_UPPER_LEG, LMB_RIGHT_UPPER_LEG, LMBI_LEG_JOINTS);
        lmbi_place_trunk(w, out);
        out->facing = lmbi_facing(w, out);
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
