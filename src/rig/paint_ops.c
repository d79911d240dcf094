/// Brush operations on one row, with locked joints.
#include <string.h>

#include "geometry/tree.h"
#include "rig/heat.h"
#include "rig/paint.h"

static float weight_in(const lmb_influence *row, uint32_t joint)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        if (row[k].joint == joint) {
            return row[k].weight;
        }
    }
    return 0;
}

static float locked_sum(const lmb_painter *p, const lmb_influence *row)
{
    float sum = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        sum += p->locked[row[k].joint] ? row[k].weight : 0;
    }
    return sum < 1 ? sum : 1;
}

/// Stores the sums as a row, without limiting or scaling it.
static void store_sums(lmbi_row_sum *s, lmb_influence row[LMBI_ROW_WIDTH])
{
    memset(row, 0, LMBI_ROW_WIDTH * sizeof *row);
    for (uint32_t k = 0; k < s->count; ++k) {
        lmbi_row_insert(row, LMBI_ROW_WIDTH, s->touched[k], s->sums[s->touched[k]]);
        s->sums[s->touched[k]] = 0;
    }
    s->count = 0;
}

/// The nearest unlocked ancestor, or LMB_NONE.
static int32_t nearest_unlocked_ancestor(const lmb_painter *p, uint32_t joint)
{
    int32_t j = p->parents[joint];
    while (j != LMB_NONE && p->locked[j]) {
        j = p->parents[j];
    }
    return j;
}

/// Sets the joint's weight to `weight`, at most what locked joints leave. The other unlocked joints
/// are scaled to the rest; without any, the nearest unlocked ancestor takes it.
static void set_weight(lmb_painter *p, const lmb_influence *row, uint32_t joint, float weight,
                       lmb_influence *out)
{
    const float room = 1 - locked_sum(p, row);
    const float mine = weight < 0 ? 0 : weight > room ? room : weight;
    float others = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        others += !p->locked[row[k].joint] && row[k].joint != joint ? row[k].weight : 0;
    }
    const int32_t heir = others > 0 ? LMB_NONE : nearest_unlocked_ancestor(p, joint);
    const bool alone = !(others > 0) && heir == LMB_NONE;
    lmbi_row_sum_add(&p->sum, joint, alone ? room : mine);
    if (!alone && heir != LMB_NONE) {
        lmbi_row_sum_add(&p->sum, (uint32_t)heir, room - mine);
    }
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        if (p->locked[row[k].joint]) {
            lmbi_row_sum_add(&p->sum, row[k].joint, row[k].weight);
        } else if (row[k].joint != joint) {
            lmbi_row_sum_add(&p->sum, row[k].joint, row[k].weight * (room - mine) / others);
        }
    }
    store_sums(&p->sum, out);
}

/// Interpolates by `fraction` from a row to painter->sum, except for locked joints.
static void blend_rows(lmb_painter *p, const lmb_influence *row, float fraction, lmb_influence *out)
{
    lmb_influence target[LMBI_ROW_WIDTH];
    float to_sum = 0;
    store_sums(&p->sum, target);
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && target[k].weight > 0; ++k) {
        to_sum += p->locked[target[k].joint] ? 0 : target[k].weight;
    }
    const float room = 1 - locked_sum(p, row);
    if (!(to_sum > 0)) {
        memcpy(out, row, LMBI_ROW_WIDTH * sizeof *out);
        return;
    }
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        const bool locked = p->locked[row[k].joint];
        lmbi_row_sum_add(&p->sum, row[k].joint,
                         locked ? row[k].weight : (1 - fraction) * row[k].weight);
    }
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && target[k].weight > 0; ++k) {
        lmbi_row_sum_add(&p->sum, target[k].joint,
                         p->locked[target[k].joint] ? 0
                                                    : fraction * room * target[k].weight / to_sum);
    }
    store_sums(&p->sum, out);
}

/// Sums the rows of the neighbours along edges.
static void gather_ring(lmb_painter *p, uint32_t v)
{
    const uint32_t begin = p->rings.first[v], end = p->rings.first[v + 1];
    for (uint32_t k = begin; k < end; ++k) {
        const lmb_influence *row = lmbi_paint_row_of(p, p->rings.around[k]);
        for (uint32_t i = 0; i < LMBI_ROW_WIDTH && row[i].weight > 0; ++i) {
            lmbi_row_sum_add(&p->sum, row[i].joint, row[i].weight / (float)(end - begin));
        }
    }
}

/// Sums the row at the mirror image, with joints swapped to this side.
static void gather_image(lmb_painter *p, uint32_t v)
{
    const lmb_vec3 image = lmbi_plane_image(p->plane, p->surface->positions[v]);
    const lmbi_closest c = lmbi_tree_closest(p->tree, image, 1e30f);
    for (int k = 0; c.triangle != UINT32_MAX && k < 3; ++k) {
        const lmb_influence *row =
            lmbi_paint_row_of(p, p->surface->triangles[3 * (size_t)c.triangle + (size_t)k]);
        for (uint32_t i = 0; i < LMBI_ROW_WIDTH && row[i].weight > 0; ++i) {
            const int32_t partner = p->partner[row[i].joint];
            lmbi_row_sum_add(&p->sum, partner == LMB_NONE ? row[i].joint : (uint32_t)partner,
                             c.barycentric[k] * row[i].weight);
        }
    }
}

static float gradient_at(const lmb_brush *brush, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(brush->to, brush->at);
    const float square = lmb_vec3_dot(d, d),
                t = square > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, brush->at), d) / square : 0;
    return t <= 0   ? brush->value
           : t >= 1 ? brush->to_value
                    : brush->value + t * (brush->to_value - brush->value);
}

void lmbi_paint_row(lmb_painter *p, const lmb_brush *brush, uint32_t joint,
                    const lmbi_dab_vertex *v, lmb_influence out[LMBI_ROW_WIDTH])
{
    const lmb_influence *row = lmbi_paint_row_of(p, v->vertex);
    const float now = weight_in(row, joint), b = v->fraction;
    if (brush->op == LMB_BRUSH_SMOOTH || brush->op == LMB_BRUSH_MIRROR) {
        if (brush->op == LMB_BRUSH_SMOOTH) {
            gather_ring(p, v->vertex);
        } else {
            gather_image(p, v->vertex);
        }
        blend_rows(p, row, b, out);
        return;
    }
    if (p->locked[joint]) {
        memcpy(out, row, LMBI_ROW_WIDTH * sizeof *out);
        return;
    }
    const float to = brush->op == LMB_BRUSH_ADD     ? now + b * brush->value
                     : brush->op == LMB_BRUSH_SCALE ? now * (1 + b * (brush->value - 1))
                     : brush->op == LMB_BRUSH_REPLACE
                         ? now + b * (brush->value - now)
                         : now + b * (gradient_at(brush, p->surface->positions[v->vertex]) - now);
    set_weight(p, row, joint, to, out);
}

void lmbi_paint_limit(const lmb_painter *p, lmb_influence row[LMBI_ROW_WIDTH])
{
    lmb_influence kept[LMBI_ROW_WIDTH];
    uint32_t count = 0, locked = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        locked += p->locked[row[k].joint];
    }
    uint32_t free = p->influences > locked ? p->influences - locked : 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        if (p->locked[row[k].joint] || free > 0) {
            free -= p->locked[row[k].joint] ? 0 : 1;
            kept[count++] = row[k];
        }
    }
    float fixed = 0, loose = 0;
    for (uint32_t k = 0; k < count; ++k) {
        *(p->locked[kept[k].joint] ? &fixed : &loose) += kept[k].weight;
    }
    memset(row, 0, LMBI_ROW_WIDTH * sizeof *row);
    for (uint32_t k = 0; k < count; ++k) {
        const bool scaled = !(loose > 0) || !p->locked[kept[k].joint];
        const float by = !scaled        ? 1
                         : !(loose > 0) ? 1 / fixed
                         : fixed < 1    ? (1 - fixed) / loose
                                        : 0;
        lmbi_row_insert(row, LMBI_ROW_WIDTH, kept[k].joint, by * kept[k].weight);
    }
}
