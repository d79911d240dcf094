// What the joints of animals are placed by, and where they are: included by embed_fit.c after creature_fit.h.
// embed_fit DATA --joints ROWS [COUNT] writes a row a joint: plan, row of weights, family, name of the body, side, the anchors
// relative to the tip of the chain, and the true joint. Rigs of artists have other joints than the rows: of these all joints
// of the same chain are written, and the nearest one counts. tools/fit-creatures.mjs fits
// src/embed/creature/joint_weights.inl on them.
#ifndef BENCH_CREATURE_JOINTS_H
#define BENCH_CREATURE_JOINTS_H

#include "embed/creature/creature.h"

static FILE *joint_rows;

/// Whether joints of an artist's chain may be those of a row.
static bool is_chain_of(const lmb_body_chain *ch, const lmbi_joint_row *row, int side)
{
    const bool limb = ch->kind == LMB_CHAIN_LEG || ch->kind == LMB_CHAIN_ARM,
               arm = ch->kind == LMB_CHAIN_ARM;
    if (row->flags & LMBI_JOINT_PAIRED)
        return limb && ch->side == (side ? -1 : 1) &&
               (row->chain == LMBI_CHAIN_LEGS ? !arm && ch->pair == 0 : arm || ch->pair == 1);
    return row->chain == LMBI_CHAIN_TAIL
               ? ch->kind == LMB_CHAIN_TAIL
               : ch->kind == LMB_CHAIN_SPINE || ch->kind == LMB_CHAIN_NECK;
}

/// The joints of the source that a row may stand for.
static uint32_t true_joints(const lmbi_anchors *a, const lmbi_joint_row *row, int side,
                            int32_t out[LMB_CHAIN_JOINTS])
{
    const lmb_skeleton *s = body_source->c->skeleton;
    char name[LMB_EMBEDDING_NAME];
    lmbi_joint_name(a, row, side, name, sizeof name);
    out[0] = lmb_skeleton_find(s, name);
    lmb_chain_map map;
    if (strncmp(body_source->family, "made", 4) == 0 ||
        lmb_chain_map_find(s, NULL, &map, NULL) != LMB_OK)
        return out[0] >= 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < map.count; ++k)
        for (uint32_t j = 0; j < map.chains[k].count && n < LMB_CHAIN_JOINTS &&
                             is_chain_of(&map.chains[k], row, side);
             ++j)
            out[n++] = map.chains[k].joints[j];
    return n;
}

static void write_point(lmb_vec3 p)
{
    fprintf(joint_rows, "\t%.5f\t%.5f\t%.5f", (double)p.x, (double)p.y, (double)p.z);
}

static void write_joint(const labelled *b, const lmbi_body_shape *shape, const lmbi_anchors *a,
                        const lmbi_joint_row *row, int side)
{
    int32_t joints[LMB_CHAIN_JOINTS];
    lmb_vec3 look[LMBI_LOOK];
    const uint32_t count = true_joints(a, row, side, joints);
    if (count == 0)
        return;
    lmbi_anchors_look(a, (lmbi_chain)row->chain, side, look);
    fprintf(joint_rows, "%d\t%d\t%s\t%s\t%d", b->plan, row->weights, b->family, b->name, side);
    for (int k = 0; k < LMBI_LOOK; ++k)
        write_point(look[k]);
    for (uint32_t k = 0; k < count; ++k) {
        const lmb_vec3 p =
            lmbi_frame_to(&shape->frame, lmb_mat4_translation(body_source->m[joints[k]]));
        const lmb_vec3 d = lmb_vec3_sub(p, a->line[row->chain][side].anchors[LMBI_ANCHOR_TIP]);
        write_point(lmb_vec3_make(side ? -d.x : d.x, d.y, d.z));
    }
    fprintf(joint_rows, "\n");
}

/// Anchors by the true axes and the true ends.
static void write_joints(labelled *b)
{
    lmbi_body_shape shape;
    lmbi_reading r = {.plan = b->plan,
                      .left = b->view.left,
                      .up = b->view.up,
                      .forward = b->view.forward,
                      .offset = b->view.offset};
    memcpy(r.tips, b->role, sizeof r.tips);
    if (lmbi_body_shape_create_rotated(b->cache, r.left, r.up, r.offset, &shape, NULL) == LMB_OK) {
        const lmbi_joint_rows *plan = lmbi_plan_rows(b->plan);
        const lmbi_joint_row *rows = plan->rows;
        const uint32_t count = rows && rows[0].weights == LMB_NONE ? 0 : plan->count;
        lmbi_anchors a;
        lmbi_anchors_find(&shape, &r, &plan->lines, b->voxels, &a);
        for (uint32_t k = 0; k < count; ++k)
            for (int side = 0; side < (rows[k].flags & LMBI_JOINT_PAIRED ? 2 : 1); ++side)
                if (a.seen[rows[k].chain] || (rows[k].flags & LMBI_JOINT_ALWAYS))
                    write_joint(b, &shape, &a, &rows[k], side);
        lmbi_body_shape_destroy(&shape);
    }
}

static int fit_joints(const char *data, const char *path, uint32_t count)
{
    joint_rows = fopen(path, "w");
    on_body = write_joints;
    add_made_creatures(count);
    add_made(LMB_MADE_QUADRUPED, LMBI_PLAN_QUADRUPED, "made quadruped", 2 * count, 1000,
             LMB_MADE_POSE_ANY);
    add_files(data, 0);
    fclose(joint_rows);
    return 0;
}

#endif
