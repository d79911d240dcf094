/// Places the joints of a template in a body that was read by it.
#include "embed/creature/creature.h"
#include "embed/template/template.h"
#include "math/math.h"

#include <stdio.h>

/// The fraction of a joint that a bend draws to it: the bend is the joint with a spread about `at`,
/// or it lies anywhere on the line. The mean of both, by their probabilities.
static float drawn(const lmbi_template_joint *row, float bend)
{
    if (bend < 0 || !(row->bend > 0)) {
        return row->at;
    }
    const float d = (bend - row->at) / row->bend,
                joint = lmb_exp(-0.5f * d * d) / (row->bend * lmb_sqrt(2 * LMB_PI));
    return row->at + joint / (joint + 1) * (bend - row->at);
}

static lmb_vec3 place_one(const lmbi_template_lines *lines, const lmbi_template_joint *row,
                          int side)
{
    const float sign = side == 1 ? -1.0f : 1.0f;
    const lmb_vec3 aside = lmb_vec3_make(sign * row->aside.x, row->aside.y, row->aside.z);
    const lmbi_chain_line *line = row->chain == LMB_NONE ? NULL : &lines->line[row->chain][side];
    const lmb_vec3 p = line ? lmbi_chain_point(line, drawn(row, line->bend))
                            : lmbi_template_anchor_mean(lines, row->anchors);
    return lmb_vec3_mad(p, aside, lines->radius);
}

/// Two that nearly are mirror images become such.
static lmb_vec3 place(const lmbi_template_lines *lines, const lmbi_template_joint *row, int side)
{
    const float alike = 0.03f;
    const lmb_vec3 own = place_one(lines, row, side);
    if (!row->paired) {
        return own;
    }
    const lmb_vec3 image = lmbi_mirrored(place_one(lines, row, 1 - side));
    return lmb_vec3_distance(own, image) < alike ? lmb_vec3_lerp(own, image, 0.5f) : own;
}

/// Whether no joint hangs on one, which then ends at the tip of its chain.
static bool is_last(const lmb_body_template *t, uint32_t row)
{
    bool last = t->joints[row].chain != LMB_NONE;
    for (uint32_t k = row + 1; k < t->joint_count; ++k) {
        last = last && t->joints[k].parent != (int16_t)row;
    }
    return last;
}

/// The tip of a joint's line, or its nearer end where that is a whole body.
static lmb_vec3 end_of(const lmb_body_template *t, const lmbi_template_lines *lines,
                       const lmbi_template_joint *row, int side)
{
    const bool far = t->chains[row->chain].through && row->at < 0.5f;
    return lines->line[row->chain][side].path[far ? LMBI_PATH_STEPS : 0];
}

static int32_t add_joint(lmbi_embedding_writer *w, const lmb_body_template *t,
                         const lmbi_template_lines *lines, uint32_t row, int side, int32_t parent)
{
    static const char *const sides[2] = {"left", "right"};
    const lmbi_template_joint *joint = &t->joints[row];
    char name[LMB_EMBEDDING_NAME];
    snprintf(name, sizeof name, "%s%s", joint->paired ? sides[side] : "", joint->name);
    const int32_t made = lmbi_embedding_add_joint(
        w, name, parent, place(lines, joint, side), joint->confidence,
        joint->chain == LMB_NONE ? "between chains of the template" : "along the template's chain");
    if (joint->hinge) {
        w->out->hinges[made] = w->out->left;
    }
    if (is_last(t, row)) {
        lmbi_embedding_set_tip(w, made, end_of(t, lines, joint, side));
    }
    return made;
}

void lmbi_template_place(const lmbi_body_shape *shape, const lmb_body_template *t,
                         const lmbi_template_lines *lines, lmb_embedding *out)
{
    int32_t made[LMBI_TEMPLATE_JOINTS][2];
    lmbi_embedding_writer w;
    lmbi_embedding_begin(&w, t->kind, &shape->frame, shape->box.high.y, out);
    for (int side = -1; side < 2; ++side) {
        for (uint32_t r = 0; r < t->joint_count; ++r) {
            const lmbi_template_joint *row = &t->joints[r];
            const bool seen = row->chain == LMB_NONE || lines->seen[row->chain];
            if (row->paired != (side >= 0) || !seen) {
                continue;
            }
            const int own = row->paired ? side : 0;
            const int32_t parent = row->parent == LMB_NONE ? LMB_NONE : made[row->parent][own];
            made[r][own] = add_joint(&w, t, lines, r, own, parent);
            made[r][1] = row->paired ? made[r][1] : made[r][0];
        }
    }
}
