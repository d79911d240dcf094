/// Steps of a changing tree: kept, taken back, settled.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree_connect.h"

enum { CHANGED_STEPS = 30 /* of the fit to a changed tree, whose bones may start far away */ };

static bool make_room(lmbi_tree_snapshot *s, const lmbi_learn *p, lmbi_arena *arena)
{
    const size_t rows = (size_t)p->point_count * p->influences, bones = p->opts.bone_count;
    s->bones = lmbi_arena_array(arena, bones * 12, p->frame_count * sizeof *s->bones);
    s->row_weights = lmbi_arena_array(arena, rows, sizeof *s->row_weights);
    s->row_bones = lmbi_arena_array(arena, rows, sizeof *s->row_bones);
    s->tree.parents = lmbi_arena_array(arena, bones, sizeof *s->tree.parents);
    s->tree.joints = lmbi_arena_array(arena, bones, 3 * sizeof *s->tree.joints);
    s->tree.anchors = lmbi_arena_array(arena, bones, 3 * sizeof *s->tree.anchors);
    s->tree.anchor_weights = lmbi_arena_array(arena, bones, sizeof *s->tree.anchor_weights);
    s->tree.slides = lmbi_arena_array(arena, bones, sizeof *s->tree.slides);
    return s->bones && s->row_weights && s->row_bones && s->tree.parents && s->tree.joints &&
           s->tree.anchors && s->tree.anchor_weights && s->tree.slides;
}

static void copy_tree(lmbi_learn_tree *to, const lmbi_learn_tree *from, size_t count)
{
    memcpy(to->parents, from->parents, count * sizeof *to->parents);
    memcpy(to->joints, from->joints, 3 * count * sizeof *to->joints);
    memcpy(to->anchors, from->anchors, 3 * count * sizeof *to->anchors);
    memcpy(to->anchor_weights, from->anchor_weights, count * sizeof *to->anchor_weights);
    memcpy(to->slides, from->slides, count * sizeof *to->slides);
}

void lmbi_tree_keep(lmbi_tree_connector *c)
{
    const lmbi_learn *p = c->p;
    const size_t rows = (size_t)p->point_count * p->influences, count = p->bone_count;
    c->kept.bone_count = p->bone_count;
    memcpy(c->kept.bones, p->bones, count * 12 * p->frame_count * sizeof *p->bones);
    memcpy(c->kept.row_weights, p->row_weights, rows * sizeof *p->row_weights);
    memcpy(c->kept.row_bones, p->row_bones, rows * sizeof *p->row_bones);
    copy_tree(&c->kept.tree, c->tree, count);
}

void lmbi_tree_take_back(lmbi_tree_connector *c)
{
    lmbi_learn *p = c->p;
    const size_t rows = (size_t)p->point_count * p->influences, count = c->kept.bone_count;
    p->bone_count = c->kept.bone_count;
    memcpy(p->bones, c->kept.bones, count * 12 * p->frame_count * sizeof *p->bones);
    memcpy(p->row_weights, c->kept.row_weights, rows * sizeof *p->row_weights);
    memcpy(p->row_bones, c->kept.row_bones, rows * sizeof *p->row_bones);
    copy_tree(c->tree, &c->kept.tree, count);
    lmbi_learn_index_rows(p);
}

lmb_result lmbi_tree_connect_begin(lmbi_tree_connector *c, lmb_error *error)
{
    return make_room(&c->kept, c->p, &c->p->arena) ? LMB_OK : lmbi_fail_memory(error);
}

lmb_result lmbi_tree_settle(lmbi_tree_connector *c, uint32_t most, lmb_error *error)
{
    c->error_now = (double)INFINITY; // a changed tree may raise the error
    const lmb_result result = lmbi_learn_fit_tree(c->p, c->tree, CHANGED_STEPS, error);
    return result == LMB_OK
               ? lmbi_learn_alternate(c->p, c->tree, most, c->report, &c->error_now, error)
               : result;
}
