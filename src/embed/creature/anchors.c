#include "embed/creature/creature.h"

#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// Half the width of the slab of voxels that counts as on the mirror plane.
static const float ON_PLANE = 0.025f;

/// The longest unbroken run of solid voxels above (0, ., z). Without any, the height of the centroid.
static void trunk_span(const lmbi_body_shape *shape, float z, lmb_vec3 *out_low, lmb_vec3 *out_high)
{
    const lmbi_grid *g = &shape->body.grid;
    const int32_t i = (int32_t)fminf(fmaxf(-g->low.x / g->cell, 0), (float)g->nx - 1),
                  k = (int32_t)fminf(fmaxf((z - g->low.z) / g->cell, 0), (float)g->nz - 1);
    int32_t best = 0, run = 0, end = 0;
    for (int32_t j = 0; j < g->ny; ++j) {
        run = shape->body.cells[lmbi_grid_index(g, i, j, k)] ? run + 1 : 0;
        if (run > best) {
            best = run;
            end = j + 1;
        }
    }
    const float middle = shape->body.centroid.y;
    *out_low = lmb_vec3_make(0, best > 0 ? g->low.y + g->cell * (float)(end - best) : middle, z);
    *out_high = lmb_vec3_make(0, best > 0 ? g->low.y + g->cell * (float)end : middle, z);
}

/// The solid voxel near the plane that is farthest along z in a direction (-1 or 1), above `low`.
static lmbi_tip end_of_solid(const lmbi_body_shape *v, float direction, float low)
{
    lmbi_tip tip = {.voxel = v->body.center};
    float farthest = -1e30f;
    for (uint32_t s = 0; s < v->body.solid_count; ++s) {
        const lmb_vec3 p = v->body.at[s];
        if (direction * p.z > farthest && p.y > low && fabsf(p.x) < ON_PLANE) {
            farthest = direction * p.z;
            tip.voxel = v->body.solid[s];
        }
    }
    tip.position = lmbi_grid_center(&v->body.grid, tip.voxel);
    tip.geodesic = tip.length = v->body.geodesic[tip.voxel] * v->body.grid.cell;
    return tip;
}

/// Ears and horns come in pairs, a muzzle does not. The other ear may be no limb tip, but there is
/// solid at its place.
static bool has_twin(const lmbi_body_shape *v, const lmbi_tip *tip)
{
    const float beside = 0.015f, near = 0.05f;
    const lmb_vec3 image = lmbi_mirrored(tip->position);
    bool found = fabsf(image.x) > 2 * ON_PLANE && lmbi_body_is_near(&v->body, image);
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        found = found || (fabsf(image.x) > beside && v->tips[t].voxel != tip->voxel &&
                          lmb_vec3_distance(v->tips[t].position, image) < near);
    }
    return found;
}

/// The fin on a fish's back: the longest branch near the plane above the middle that no chain has.
static const lmbi_tip *back_fin(const lmbi_body_shape *v, const lmbi_anchors *a)
{
    const float far = 0.05f, end = 0.15f * (v->box.high.z - v->box.low.z);
    const lmbi_tip *best = NULL;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const lmb_vec3 p = v->tips[t].position;
        bool fits = fabsf(p.x) < ON_PLANE && p.y > v->body.centroid.y && p.z > v->box.low.z + end &&
                    p.z < v->box.high.z - end && (!best || v->tips[t].length > best->length);
        for (int c = 0; c < LMBI_CHAINS && fits; ++c) {
            fits =
                !a->seen[c] || lmb_vec3_distance(p, a->line[c][0].anchors[LMBI_ANCHOR_TIP]) > far;
        }
        best = fits ? &v->tips[t] : best;
    }
    return best;
}

/// The arc where the line is least deep, between its outer sixth and its root; *out_clear if both
/// ends of that part are deeper.
static float narrowest(const lmbi_limb_profile *line, float root, bool *out_clear)
{
    const uint32_t last = (uint32_t)(root / fmaxf(line->step, 1e-6f)), first = last / 6;
    uint32_t best = first;
    for (uint32_t k = best; k <= last && k < line->count; ++k) {
        best = line->depth[k] < line->depth[best] ? k : best;
    }
    *out_clear = best > first && best < last;
    return (float)best * line->step;
}

/// Appends a line to points, without what lies about the center as near as twice its depth: lines
/// bend towards the center there, off the middle of the body.
static uint32_t add_line(const lmbi_body_shape *v, const lmbi_limb_profile *line, bool inward,
                         lmb_vec3 *points, uint32_t count)
{
    const lmb_vec3 center = lmbi_grid_center(&v->body.grid, v->body.center);
    const float near = 2 * v->body.depth[v->body.center] * v->body.grid.cell;
    for (uint32_t n = 0; n < line->count; ++n) {
        const uint32_t k = inward ? n : line->count - 1 - n;
        if (lmb_vec3_distance(line->at[k], center) > near || k == 0) {
            points[count++] = line->at[k];
        }
    }
    return count;
}

/// The medial line from one tip past the center to another.
static void trace_through(const lmbi_body_shape *v, const lmbi_tip *from, const lmbi_tip *to,
                          lmbi_limb_profile *out)
{
    lmb_vec3 points[2 * LMBI_LIMB_SAMPLES];
    lmbi_limb_trace(&v->body, v->paths, from->voxel, out);
    uint32_t count = add_line(v, out, true, points, 0);
    lmbi_limb_trace(&v->body, v->paths, to->voxel, out);
    count = add_line(v, out, false, points, count);
    lmbi_limb_from_points(&v->body, points, count, out);
}

/// Points along a line up to the arc `root`.
static void measure_line(const lmbi_body_shape *v, const lmbi_limb_profile *line, float root,
                         lmbi_chain_line *out)
{
    const float straight = 0.035f * root;
    lmb_vec3 *at = out->anchors;
    for (int k = 0; k <= 6; ++k) {
        at[LMBI_ANCHOR_TIP + k] = lmbi_limb_point(line, (float)k / 6 * root);
    }
    for (int k = 0; k <= LMBI_PATH_STEPS; ++k) {
        out->path[k] = lmbi_limb_point(line, (float)k / LMBI_PATH_STEPS * root);
    }
    float bend, outer, inner;
    bool clear;
    const float off = lmbi_limb_bend(line, 0, root, &bend), narrow = narrowest(line, root, &clear);
    lmbi_limb_bend(line, 0, bend, &outer);
    lmbi_limb_bend(line, bend, root, &inner);
    out->bend = off > straight ? 1 - bend / fmaxf(root, 1e-6f) : -1;
    out->narrow = clear ? 1 - narrow / fmaxf(root, 1e-6f) : -1;
    at[LMBI_ANCHOR_BEYOND] = lmbi_limb_point(line, 1.3f * root);
    at[LMBI_ANCHOR_BEND] = lmbi_limb_point(line, bend);
    at[LMBI_ANCHOR_OUTER] = lmbi_limb_point(line, outer);
    at[LMBI_ANCHOR_INNER] = lmbi_limb_point(line, inner);
    at[LMBI_ANCHOR_NARROW] = lmbi_limb_point(line, narrow);
    trunk_span(v, at[LMBI_ANCHOR_ROOT].z, &at[LMBI_ANCHOR_LOW], &at[LMBI_ANCHOR_HIGH]);
}

/// The line of a tip up to where the limb becomes thick.
static void measure_limb(const lmbi_body_shape *v, const lmbi_tip *tip, lmbi_chain_line *out)
{
    lmbi_limb_profile line;
    lmbi_limb_trace(&v->body, v->paths, tip->voxel, &line);
    measure_line(v, &line, lmbi_limb_root(&v->body, &line, tip), out);
}

static void mirror_line(const lmbi_chain_line *from, lmbi_chain_line *out)
{
    *out = *from;
    for (int k = 0; k < LMBI_LINE_ANCHORS; ++k) {
        out->anchors[k] = lmbi_mirrored(from->anchors[k]);
    }
    for (int k = 0; k <= LMBI_PATH_STEPS; ++k) {
        out->path[k] = lmbi_mirrored(from->path[k]);
    }
}

static void measure_chain(const lmbi_body_shape *v, lmbi_chain chain, const lmbi_tip *tips[2],
                          lmbi_anchors *out)
{
    const bool on_plane = chain == LMBI_CHAIN_HEAD || chain == LMBI_CHAIN_TAIL;
    lmbi_chain_line *line = out->line[chain];
    for (int side = 0; side < 2; ++side) {
        if (tips[side]) {
            measure_limb(v, tips[side], &line[side]);
        }
    }
    out->seen[chain] = tips[0] || tips[1];
    for (int side = 0; side < 2 && !on_plane && out->seen[chain]; ++side) {
        if (!tips[side]) {
            mirror_line(&line[1 - side], &line[side]);
        }
    }
}

/// The z of the roots of the first of two chains that is seen; a share of the length without either.
static float root_z(const lmbi_anchors *a, lmbi_chain first, lmbi_chain second, lmb_box box,
                    float share)
{
    const lmbi_chain c = a->seen[first] ? first : second;
    return a->seen[c] ? 0.5f * (a->line[c][0].anchors[LMBI_ANCHOR_ROOT].z +
                                a->line[c][1].anchors[LMBI_ANCHOR_ROOT].z)
                      : box.low.z + share * (box.high.z - box.low.z);
}

static void measure_trunk(const lmbi_body_shape *v, lmbi_anchors *a)
{
    const lmb_vec3 centroid = v->body.centroid;
    const float hind = root_z(a, LMBI_CHAIN_LEGS, LMBI_CHAIN_THIRD, v->box, 0.35f),
                fore = root_z(a, LMBI_CHAIN_FORE, LMBI_CHAIN_UPPER, v->box, 0.65f);
    lmb_vec3 *t = a->trunk;
    t[LMBI_TRUNK_CENTROID] = lmb_vec3_make(0, centroid.y, centroid.z);
    t[LMBI_TRUNK_CENTER] = lmbi_grid_center(&v->body.grid, v->body.center);
    trunk_span(v, hind, &t[LMBI_TRUNK_HIND_LOW], &t[LMBI_TRUNK_HIND_HIGH]);
    trunk_span(v, 0.5f * (hind + fore), &t[LMBI_TRUNK_MIDDLE_LOW], &t[LMBI_TRUNK_MIDDLE_HIGH]);
    trunk_span(v, fore, &t[LMBI_TRUNK_FORE_LOW], &t[LMBI_TRUNK_FORE_HIGH]);
    t[LMBI_TRUNK_BACK] = lmb_vec3_make(0, centroid.y, v->box.low.z);
    t[LMBI_TRUNK_FRONT] = lmb_vec3_make(0, centroid.y, v->box.high.z);
    t[LMBI_TRUNK_TAIL_TIP] = a->line[LMBI_CHAIN_TAIL][0].anchors[LMBI_ANCHOR_TIP];
    t[LMBI_TRUNK_TAIL_ROOT] = a->line[LMBI_CHAIN_TAIL][0].anchors[LMBI_ANCHOR_ROOT];
    t[LMBI_TRUNK_HEAD_TIP] = a->line[LMBI_CHAIN_HEAD][0].anchors[LMBI_ANCHOR_TIP];
    t[LMBI_TRUNK_HEAD_ROOT] = a->line[LMBI_CHAIN_HEAD][0].anchors[LMBI_ANCHOR_ROOT];
}

/// The tips of a chain in the reading, in the shape.
static void tips_of(const lmbi_body_shape *shape, const lmbi_reading *reading, int chain,
                    const lmbi_body_shape *coarse, const lmbi_tip *out[2])
{
    for (int side = 0; side < 2; ++side) {
        const int32_t t = reading->tips[chain][side];
        out[side] = NULL;
        if (t != LMB_NONE) {
            const lmb_vec3 at = lmbi_frame_from(&coarse->frame, coarse->tips[t].position);
            out[side] = lmbi_nearest_tip(shape, lmbi_frame_to(&shape->frame, at));
        }
    }
}

/// The line of a slender body. An end that is not seen is that of the longest branch that does not
/// end at the other.
static void measure_body_line(const lmbi_body_shape *v, lmbi_tip ends[2], lmbi_anchors *out)
{
    for (int k = 0; k < 2; ++k) {
        const bool seen = out->seen[k == 0 ? LMBI_CHAIN_HEAD : LMBI_CHAIN_TAIL];
        for (uint32_t t = v->tip_count; t-- > 0 && !seen;) {
            ends[k] = v->tips[t].voxel != ends[1 - k].voxel ? v->tips[t] : ends[k];
        }
    }
    lmbi_limb_profile line;
    trace_through(v, &ends[0], &ends[1], &line);
    measure_line(v, &line, line.step * (float)(line.count - 1), &out->line[LMBI_CHAIN_HEAD][0]);
}

void lmbi_anchors_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                       const lmbi_line_plan *plan, const lmbi_body_shape *coarse, lmbi_anchors *out)
{
    memset(out, 0, sizeof *out);
    const float belly = 0.6f * shape->body.centroid.y;
    lmbi_tip ends[2]; // of head and tail
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        const lmbi_tip *tips[2];
        tips_of(shape, reading, c, coarse, tips);
        const bool ear =
            c == LMBI_CHAIN_HEAD && !plan->through && tips[0] && has_twin(shape, tips[0]);
        tips[0] = ear ? NULL : tips[0];
        measure_chain(shape, (lmbi_chain)c, tips, out);
        if (c == LMBI_CHAIN_HEAD || c == LMBI_CHAIN_TAIL) {
            lmbi_tip *end = &ends[c == LMBI_CHAIN_TAIL];
            *end = tips[0] ? *tips[0]
                           : end_of_solid(shape, c == LMBI_CHAIN_HEAD ? 1.0f : -1.0f, belly);
            if (!out->seen[c]) {
                measure_limb(shape, end, &out->line[c][0]);
            }
        }
    }
    if (plan->through) {
        measure_body_line(shape, ends, out);
    }
    const lmbi_tip *fin[2] = {plan->back_fin ? back_fin(shape, out) : NULL, NULL};
    if (fin[0]) {
        measure_chain(shape, LMBI_CHAIN_UPPER, fin, out);
    }
    measure_trunk(shape, out);
}

void lmbi_anchors_look(const lmbi_anchors *anchors, lmbi_chain chain, int side,
                       lmb_vec3 out[LMBI_LOOK])
{
    const lmb_vec3 *line = anchors->line[chain][side].anchors;
    for (int k = 0; k < LMBI_LOOK; ++k) {
        const lmb_vec3 p = k < LMBI_LINE_ANCHORS ? line[k] : anchors->trunk[k - LMBI_LINE_ANCHORS];
        out[k] = lmb_vec3_sub(p, line[LMBI_ANCHOR_TIP]);
        out[k] = side == 1 ? lmbi_mirrored(out[k]) : out[k];
    }
}
