// Rows for tools/fit-rings.mjs: what the lines of limbs through rings of the surface look like, and where the true joints
// lie on them. Included by embed_fit.c.
#ifndef BENCH_RING_ROWS_H
#define BENCH_RING_ROWS_H

#include "embed/human/human.h"

/// Fractions of a line between which shoulder, elbow and wrist may lie, or hip, knee and ankle: the line of a folded limb
/// comes near a joint more than once.
static const float RING_FROM[2][3] = {{0.35f, 0.15f, 0.03f}, {0.35f, 0.15f, 0.01f}},
                   RING_TO[2][3] = {{1, 0.8f, 0.5f}, {1, 0.8f, 0.4f}};

/// The fraction of the line that is nearest to a point.
static float nearest_fraction(const lmbi_tip_line *line, lmb_vec3 p, float from, float to)
{
    enum { STEPS = 400 };
    const float total = line->step * (LMBI_TIP_LINE - 1);
    float best = from, least = 1e30f;
    for (int k = 0; k <= STEPS; ++k) {
        const float at = from + (to - from) * (float)k / STEPS;
        const float d = lmb_vec3_distance(lmbi_tip_line_point(line, at * total), p);
        best = d < least ? at : best;
        least = fminf(least, d);
    }
    return best;
}

static void write_ring_limb(const labelled *b, const lmbi_figure *f, int limb, int side)
{
    const lmbi_tip_line *line = limb == 0 ? &f->hand_line[side] : &f->foot_line[side];
    const float sign = side == 0 ? 1.0f : -1.0f, total = line->step * (LMBI_TIP_LINE - 1);
    float look[LMBI_RING_LOOK];
    lmbi_ring_look(f, limb, side, look);
    fprintf(limb_rows, "%s\t%s\t%d\t%d", b->family, b->name, b->pose, limb);
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 p = lmbi_frame_to(&f->frame, b->limbs[6 * limb + 3 * side + k]);
        const float at = nearest_fraction(line, p, RING_FROM[limb][k], RING_TO[limb][k]);
        const lmb_vec3 off = lmb_vec3_sub(p, lmbi_tip_line_point(line, at * total));
        fprintf(limb_rows, "\t%.4f\t%.4f\t%.4f\t%.4f", (double)at, (double)(sign * off.x),
                (double)off.y, (double)off.z);
    }
    for (int k = 0; k < LMBI_RING_LOOK; ++k) {
        fprintf(limb_rows, "\t%.4g", (double)look[k]);
    }
    fprintf(limb_rows, "\n");
}

/// How far the line of a tip misses the middle and the end joint of a limb, in heights.
static float line_miss(const labelled *b, const lmbi_tip *tip, int limb, int side)
{
    const lmbi_frame *frame = &b->cache->frame;
    const float total = tip->line->step * (LMBI_TIP_LINE - 1);
    float miss = 0;
    for (int k = 1; k < 3; ++k) {
        const lmb_vec3 p = lmbi_frame_to(frame, b->limbs[6 * limb + 3 * side + k]);
        const float at = nearest_fraction(tip->line, p, RING_FROM[limb][k], RING_TO[limb][k]);
        miss = fmaxf(miss, lmb_vec3_distance(lmbi_tip_line_point(tip->line, at * total), p));
    }
    return miss * frame->size / b->height;
}

/// The longest branch whose line runs through a limb, or LMB_NONE.
static int32_t tip_of_limb(const labelled *b, const lmbi_voxelisation *x, int limb, int side)
{
    const float near = 0.04f;
    for (uint32_t t = 0; t < x->tip_count; ++t) {
        if (line_miss(b, &x->tips[t], limb, side) < near) {
            return (int32_t)t;
        }
    }
    return LMB_NONE;
}

/// Writes the limbs of a human whose ends are tips of the surface.
static void write_rings(labelled *b)
{
    bool whole = b->is_human;
    for (int k = 0; k < 12; ++k) {
        whole = whole && b->has_limb[k];
    }
    const lmbi_voxelisation *x;
    if (!whole || lmbi_voxel_cache_get(b->cache, LMBI_VOXELS_SURFACE, &x, NULL) != LMB_OK || !x) {
        return;
    }
    lmbi_reading reading = {.plan = LMBI_PLAN_HUMAN,
                            .left = b->view.left,
                            .up = b->up,
                            .forward = b->view.forward,
                            .offset = b->view.offset};
    for (int side = 0; side < 2; ++side) {
        reading.tips[LMBI_CHAIN_FORE][side] = tip_of_limb(b, x, 0, side);
        reading.tips[LMBI_CHAIN_LEGS][side] = tip_of_limb(b, x, 1, side);
    }
    static lmbi_figure figure;
    lmbi_figure_trace(b->cache, LMBI_VOXELS_SURFACE, &reading, &figure);
    if (!figure.traced) {
        fprintf(stderr, "ends not found: %s %s\n", b->family, b->name);
    }
    for (int limb = 0; limb < 4 && figure.traced; ++limb) {
        write_ring_limb(b, &figure, limb / 2, limb % 2);
    }
}

#endif
