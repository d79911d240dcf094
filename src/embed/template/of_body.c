/// The template of a body at hand: chains are the limbs of its skeleton that end at tips of the solid, with their own
/// measurements as means; joints lie where the skeleton has them on the lines of these, or between.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/kinds.h"
#include "embed/template/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Pairs of shorter branches, in gyration radii, may be no tips of another body of the kind.
static const float LONG = 0.5f;
/// A joint of a pair below this fraction of the way from the center to where the limb leaves the trunk is not on the limb.
static const float IN_TRUNK = 0.6f;
/// A bend this near to a joint draws the joint, with this spread, in lengths of the line.
static const float AT_BEND = 0.08f, BEND_SPREAD = 0.1f;

typedef struct maker {
    const lmb_embedding *e;
    const lmbi_body_shape *coarse;
    lmbi_body_shape shape; ///< in the axes of the view
    lmbi_body_view view;
    lmbi_reading reading;
    lmbi_template_lines lines;
    lmbi_joint_relations of;
    int8_t chain[LMB_EMBEDDING_JOINTS]; ///< or LMB_NONE
    int32_t row[LMB_EMBEDDING_JOINTS];  ///< or LMB_NONE
    lmb_body_template *t;
} maker;

// ---- chains

/// Copies a joint's name without its side; what may not stand in a text becomes a line.
static void copy_name(const maker *m, int32_t joint, char out[LMBI_TEMPLATE_NAME])
{
    const char *name = m->e->names[joint];
    name += m->of.twin[joint] == LMB_NONE ? 0 : m->of.is_right[joint] ? 5 : 4;
    (void)snprintf(out, LMBI_TEMPLATE_NAME - 1, "%s", name);
    for (char *c = out; *c; ++c) {
        *c = lmbi_template_is_name(c, 1) ? *c : '_';
    }
}

/// The mean of a chain's measurements: of both tips of a pair.
static void measure_tips(const maker *m, const lmbi_limb *from, lmbi_template_chain *out)
{
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f) {
        float sum = 0, count = 0;
        for (int side = 0; side < 2; ++side) {
            sum += from->tips[side] == LMB_NONE ? 0 : m->view.tips[from->tips[side]][f];
            count += from->tips[side] != LMB_NONE;
        }
        if (count > 0) {
            out->tip[f] = (lmbi_spread){sum / count, lmbi_template_standard.tip[f]};
        }
    }
    if (from->tips[0] != LMB_NONE && from->tips[1] != LMB_NONE) {
        float pair[LMBI_PAIR_FEATURES];
        lmbi_body_view_pair(&m->view, (uint32_t)from->tips[0], (uint32_t)from->tips[1], pair);
        for (int f = 0; f < LMBI_PAIR_FEATURES; ++f) {
            out->pair[f] = (lmbi_spread){pair[f], lmbi_template_standard.pair[f]};
        }
    }
}

/// Joints from the last one of a limb up to where others hang too belong to its chain.
static void claim_joints(maker *m, const lmbi_limb *from, int8_t chain)
{
    for (int side = 0; side < 2; ++side) {
        int32_t j = from->leaves[side];
        while (j > 0 && m->of.children[j] < 2) {
            m->chain[j] = chain;
            j = m->e->parents[j];
        }
    }
}

static void add_chain(maker *m, const lmbi_limb *from)
{
    const int8_t at = (int8_t)m->t->chain_count++;
    lmbi_template_chain *out = &m->t->chains[at];
    copy_name(m, from->leaves[0], out->name);
    out->paired = from->leaves[1] != LMB_NONE;
    out->needed = from->tips[0] != LMB_NONE && from->tips[1] != LMB_NONE &&
                  from->length > LONG * m->view.radius;
    out->through = m->e->kind == LMB_SKELETON_SNAKE && m->e->parents[from->leaves[0]] == 0;
    out->end = out->through ? 1 : from->end;
    measure_tips(m, from, out);
    memcpy(m->reading.tips[at], from->tips, sizeof from->tips);
    claim_joints(m, from, at);
    for (uint32_t j = 0; j < m->e->joint_count && out->through; ++j) {
        m->chain[j] = at;
    }
}

// ---- joints

/// Fraction and place beside the line of a chain, the mean of both sides.
static void measure_on_line(const maker *m, const int32_t joints[2], lmbi_template_joint *row)
{
    float count = 0, bends = 0;
    for (int side = 0; side < 2 && joints[side] != LMB_NONE; ++side) {
        const lmbi_chain_line *line = &m->lines.line[row->chain][side];
        const lmb_vec3 p = lmbi_frame_to(&m->shape.frame, m->e->joints[joints[side]]);
        const float at = lmbi_chain_fraction(line, p);
        const lmb_vec3 d = lmb_vec3_sub(p, lmbi_chain_point(line, at));
        row->at += at;
        row->aside = lmb_vec3_add(row->aside, side == 1 ? lmbi_mirrored(d) : d);
        bends += line->bend >= 0 && fabsf(line->bend - at) < AT_BEND;
        count += 1;
    }
    row->at /= count;
    row->aside = lmb_vec3_scale(row->aside, 1 / (count * m->lines.radius));
    row->bend = bends > 0 && bends >= count ? BEND_SPREAD : 0;
}

/// Weights of the anchors that any body of the kind has, the more the nearer they are, and how far the joint lies beside
/// their mean.
static void measure_between(const maker *m, const int32_t joints[2], lmbi_template_joint *row)
{
    const float least = 0.05f, close = 0.03f;
    lmb_vec3 p = lmbi_frame_to(&m->shape.frame, m->e->joints[joints[0]]);
    if (joints[1] != LMB_NONE) {
        const lmb_vec3 q = lmbi_frame_to(&m->shape.frame, m->e->joints[joints[1]]);
        p = lmb_vec3_lerp(p, lmbi_mirrored(q), 0.5f);
    }
    float sum = 0;
    for (int k = 0; k < LMBI_TEMPLATE_ANCHORS; ++k) {
        const lmbi_template_chain *chain = k == 0 ? NULL : &m->t->chains[k - 1];
        const lmb_vec3 d = lmb_vec3_sub(lmb_vec3_make(0, p.y, p.z), m->lines.anchors[k]);
        const bool has = m->lines.has_anchor[k] && (!chain || chain->needed || chain->end != 0);
        row->anchors[k] = has ? 1 / (lmb_vec3_dot(d, d) + close * close) : 0;
        sum += row->anchors[k];
    }
    for (int k = 0; k < LMBI_TEMPLATE_ANCHORS; ++k) {
        const float w = row->anchors[k] / sum;
        row->anchors[k] = w < least ? 0 : w;
    }
    row->aside = lmb_vec3_scale(lmb_vec3_sub(p, lmbi_template_anchor_mean(&m->lines, row->anchors)),
                                1 / m->lines.radius);
}

/// The row of the nearest joint above that is there whenever one on a chain is, on its side.
static int16_t find_parent(const maker *m, int32_t joint, const lmbi_template_joint *row)
{
    int32_t j = m->e->parents[joint];
    while (j > 0) {
        const int32_t at = m->row[j];
        const lmbi_template_joint *above = at == LMB_NONE ? NULL : &m->t->joints[at];
        if (above && (row->paired || !above->paired) &&
            (above->chain == LMB_NONE || above->chain == row->chain ||
             m->t->chains[above->chain].end != 0)) {
            return (int16_t)at;
        }
        j = m->e->parents[j];
    }
    return joint == 0 ? LMB_NONE : 0;
}

static bool is_in_trunk(const maker *m, const lmbi_template_joint *row)
{
    const lmbi_chain_line *line = m->lines.line[row->chain];
    return row->at <= (row->paired ? IN_TRUNK * lmbi_chain_fraction(line, line->root) : 0);
}

/// A number of `aside` that the text can hold.
static float written(float x)
{
    const float most = 100, step = 1e-4f;
    return lmbi_clampf(step * floorf(x / step + 0.5f), -most, most);
}

static void add_joint(maker *m, int32_t joint)
{
    const lmb_vec3 hinge = m->e->hinges[joint];
    const int32_t joints[2] = {joint, m->of.twin[joint]}, at = (int32_t)m->t->joint_count++;
    lmbi_template_joint *row = &m->t->joints[at];
    copy_name(m, joint, row->name);
    row->paired = joints[1] != LMB_NONE;
    row->chain = m->chain[joint];
    row->hinge = lmb_vec3_dot(hinge, hinge) > 0;
    row->confidence = lmbi_saturatef(m->e->confidence[joint]);
    if (row->chain != LMB_NONE) {
        measure_on_line(m, joints, row);
    }
    if (row->chain == LMB_NONE || is_in_trunk(m, row)) {
        *row = (lmbi_template_joint){.chain = LMB_NONE,
                                     .paired = row->paired,
                                     .hinge = row->hinge,
                                     .confidence = row->confidence};
        copy_name(m, joint, row->name);
        measure_between(m, joints, row);
    }
    row->aside = lmb_vec3_make(written(row->aside.x), written(row->aside.y), written(row->aside.z));
    row->parent = find_parent(m, joint, row);
    m->row[joint] = at;
    if (joints[1] != LMB_NONE) {
        m->row[joints[1]] = at;
    }
}

// ---- the whole

/// The plane that mirrors the body and is nearest to that of the embedding.
static lmbi_mirror find_plane(const lmbi_body_shape *coarse, const lmb_embedding *e)
{
    const float same = 0.9f;
    lmbi_mirror planes[LMBI_MIRRORS];
    lmbi_mirror best = {e->left, lmb_vec3_dot(lmbi_frame_to(&coarse->frame, e->joints[0]), e->left),
                        0};
    const uint32_t count = lmbi_mirror_scan(&coarse->body, e->up, lmb_vec3_make(0, 0, 0), planes);
    float nearest = same;
    for (uint32_t k = 0; k < count; ++k) {
        const float along = lmb_vec3_dot(planes[k].normal, e->left),
                    sign = along < 0 ? -1.0f : 1.0f;
        if (fabsf(along) > nearest) {
            nearest = fabsf(along);
            best = (lmbi_mirror){lmb_vec3_scale(planes[k].normal, sign), sign * planes[k].offset,
                                 planes[k].miss};
        }
    }
    return best;
}

static lmb_result fill(maker *m, lmb_error *error)
{
    lmbi_limb limbs[LMBI_TEMPLATE_CHAINS];
    for (uint32_t j = 0; j < m->e->joint_count; ++j) {
        m->row[j] = LMB_NONE;
        m->chain[j] = LMB_NONE;
    }
    lmbi_find_joint_relations(m->e, &m->of);
    const uint32_t count =
        lmbi_find_limbs(m->e, &m->of, m->coarse, m->view.tip_count, &m->shape, limbs);
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f) {
        m->t->body[f] = (lmbi_spread){m->view.body[f], lmbi_template_standard.body[f]};
    }
    for (uint32_t k = 0; k < count; ++k) {
        add_chain(m, &limbs[k]);
    }
    if (count == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a body with limbs, for a template",
                         "a body without limbs that end at its surface");
    }
    const lmb_result result =
        lmbi_template_find_lines(&m->shape, m->t, &m->reading, m->coarse, &m->lines, error);
    for (int32_t j = 0; j < (int32_t)m->e->joint_count && result == LMB_OK; ++j) {
        if (m->t->joint_count < LMBI_TEMPLATE_JOINTS && m->row[j] == LMB_NONE) {
            add_joint(m, m->of.is_right[j] ? m->of.twin[j] : j);
        }
    }
    return result;
}

static lmb_result make(lmbi_voxel_cache *cache, const lmb_embedding *e, lmb_body_template *t,
                       lmb_error *error)
{
    maker *m = lmbi_alloc(cache->alloc, sizeof *m);
    if (!m) {
        return lmbi_fail_memory(error);
    }
    m->e = e;
    m->t = t;
    lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &m->coarse, error);
    if (result == LMB_OK) {
        const lmbi_mirror plane = find_plane(m->coarse, e);
        lmbi_body_view_measure(&m->coarse->body, m->coarse->tips, m->coarse->tip_count, &plane,
                               e->up, &m->view);
        result = lmbi_body_shape_create_rotated(cache, plane.normal, e->up, plane.offset, &m->shape,
                                                error);
    }
    if (result == LMB_OK) {
        result = fill(m, error);
        lmbi_body_shape_destroy(&m->shape);
    }
    lmbi_free(cache->alloc, m);
    return result;
}

lmb_result lmb_body_template_of_body(const lmb_vec3 *positions, uint32_t position_count,
                                     const uint32_t *triangles, uint32_t triangle_count,
                                     const lmb_embedding *embedding, const lmb_allocator *alloc,
                                     lmb_body_template **out, lmb_error *error)
{
    const lmbi_triangle_soup soup = {positions, position_count, triangles, triangle_count, false};
    if (embedding->kind == LMB_SKELETON_HUMAN || embedding->kind == LMB_SKELETON_HAND) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "a kind that a template describes: quadruped, bird, fish, snake, spider, "
                         "biped or generic",
                         "a %s", lmb_skeleton_kind_name(embedding->kind));
    }
    lmb_body_template *t = lmbi_template_create(embedding->kind, alloc);
    if (!t) {
        return lmbi_fail_memory(error);
    }
    (void)snprintf(t->name, sizeof t->name, "%s", lmb_skeleton_kind_name(embedding->kind));
    lmbi_embed_input input;
    lmb_result result = lmbi_embed_input_create(&soup, alloc, &input, error);
    if (result == LMB_OK) {
        result = make(&input.whole, embedding, t, error);
    }
    lmbi_embed_input_destroy(&input);
    if (result != LMB_OK) {
        lmb_body_template_destroy(t);
        return result;
    }
    *out = t;
    return LMB_OK;
}
