#include "embed/creature/anchors.h"

#include "embed/creature/chain.h"
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

/// The tip of the shape nearest to a tip of the coarse voxels.
static const lmbi_tip *nearest_tip(const lmbi_body_shape *v, lmb_vec3 p)
{
    const lmbi_tip *best = NULL;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        best = !best || lmb_vec3_distance(v->tips[t].position, p) <
                            lmb_vec3_distance(best->position, p)
                   ? &v->tips[t]
                   : best;
    }
    return best;
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

/// Whether a voxel at p or next to it is solid.
static bool is_solid_near(const lmbi_voxel_body *body, lmb_vec3 p)
{
    bool found = false;
    for (int k = 0; k < 27 && !found; ++k) {
        const lmb_vec3 step = {(float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1)};
        const lmb_vec3 at = lmb_vec3_mad(p, step, body->grid.cell);
        found = body->cells[lmbi_grid_voxel_at(&body->grid, at)] != 0;
    }
    return found;
}

/// Ears and horns come in pairs, a muzzle does not. The other ear may be no limb tip, but there is
/// solid at its place.
static bool has_twin(const lmbi_body_shape *v, const lmbi_tip *tip)
{
    const float beside = 0.015f, near = 0.05f;
    const lmb_vec3 image = lmb_vec3_make(-tip->position.x, tip->position.y, tip->position.z);
    bool found = fabsf(image.x) > 2 * ON_PLANE && is_solid_near(&v->body, image);
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
            fits = !a->seen[c] || lmb_vec3_distance(p, a->line[c][0][LMBI_ANCHOR_TIP]) > far;
        }
        best = fits ? &v->tips[t] : best;
    }
    return best;
}

/// The arc where the line is least deep, between its outer sixth and its root.
static float narrowest(const lmbi_limb_profile *line, float root)
{
    const uint32_t last = (uint32_t)(root / fmaxf(line->step, 1e-6f));
    uint32_t best = last / 6;
    for (uint32_t k = best; k <= last && k < line->count; ++k) {
        best = line->depth[k] < line->depth[best] ? k : best;
    }
    return (float)best * line->step;
}

static void measure_line(const lmbi_body_shape *v, const lmbi_tip *tip,
                         lmb_vec3 out[LMBI_LINE_ANCHORS])
{
    lmbi_limb_profile line;
    lmbi_body_shape_trace_limb(v, tip->voxel, &line);
    const float root = lmbi_limb_root(v, &line, tip);
    for (int k = 0; k <= 6; ++k) {
        out[LMBI_ANCHOR_TIP + k] = lmbi_limb_point(&line, (float)k / 6 * root);
    }
    out[LMBI_ANCHOR_BEYOND] = lmbi_limb_point(&line, 1.3f * root);
    float bend, outer, inner;
    lmbi_limb_bend(&line, 0, root, &bend);
    lmbi_limb_bend(&line, 0, bend, &outer);
    lmbi_limb_bend(&line, bend, root, &inner);
    out[LMBI_ANCHOR_BEND] = lmbi_limb_point(&line, bend);
    out[LMBI_ANCHOR_OUTER] = lmbi_limb_point(&line, outer);
    out[LMBI_ANCHOR_INNER] = lmbi_limb_point(&line, inner);
    out[LMBI_ANCHOR_NARROW] = lmbi_limb_point(&line, narrowest(&line, root));
    trunk_span(v, out[LMBI_ANCHOR_ROOT].z, &out[LMBI_ANCHOR_LOW], &out[LMBI_ANCHOR_HIGH]);
}

static lmb_vec3 mirrored(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}

static void measure_chain(const lmbi_body_shape *v, lmbi_chain chain, const lmbi_tip *tips[2],
                          lmbi_anchors *out)
{
    const bool paired = chain != LMBI_CHAIN_HEAD && chain != LMBI_CHAIN_TAIL;
    lmb_vec3(*line)[LMBI_LINE_ANCHORS] = out->line[chain];
    for (int side = 0; side < 2; ++side) {
        if (tips[side]) {
            measure_line(v, tips[side], line[side]);
        }
    }
    out->seen[chain] = tips[0] || tips[1];
    for (int side = 0; side < 2 && paired && out->seen[chain]; ++side) {
        for (int k = 0; k < LMBI_LINE_ANCHORS && !tips[side]; ++k) {
            line[side][k] = mirrored(line[1 - side][k]);
        }
    }
}

/// The z of the roots of the first of two chains that is seen; a share of the length without either.
static float root_z(const lmbi_anchors *a, lmbi_chain first, lmbi_chain second, lmb_box box,
                    float share)
{
    const lmbi_chain c = a->seen[first] ? first : second;
    return a->seen[c]
               ? 0.5f * (a->line[c][0][LMBI_ANCHOR_ROOT].z + a->line[c][1][LMBI_ANCHOR_ROOT].z)
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
    t[LMBI_TRUNK_TAIL_TIP] = a->line[LMBI_CHAIN_TAIL][0][LMBI_ANCHOR_TIP];
    t[LMBI_TRUNK_TAIL_ROOT] = a->line[LMBI_CHAIN_TAIL][0][LMBI_ANCHOR_ROOT];
    t[LMBI_TRUNK_HEAD_TIP] = a->line[LMBI_CHAIN_HEAD][0][LMBI_ANCHOR_TIP];
    t[LMBI_TRUNK_HEAD_ROOT] = a->line[LMBI_CHAIN_HEAD][0][LMBI_ANCHOR_ROOT];
}

void lmbi_anchors_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                       const lmbi_voxelisation *coarse, const lmbi_frame *frame, lmbi_anchors *out)
{
    memset(out, 0, sizeof *out);
    const float belly = 0.6f * shape->body.centroid.y;
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        const lmbi_tip *tips[2] = {NULL, NULL};
        for (int side = 0; side < 2; ++side) {
            const int32_t t = reading->tips[c][side];
            const lmb_vec3 at = t == LMB_NONE ? (lmb_vec3){0, 0, 0}
                                              : lmbi_frame_from(frame, coarse->tips[t].position);
            tips[side] =
                t == LMB_NONE ? NULL : nearest_tip(shape, lmbi_frame_to(&shape->frame, at));
        }
        tips[0] = c == LMBI_CHAIN_HEAD && tips[0] && has_twin(shape, tips[0]) ? NULL : tips[0];
        measure_chain(shape, (lmbi_chain)c, tips, out);
        if ((c == LMBI_CHAIN_HEAD || c == LMBI_CHAIN_TAIL) && !out->seen[c]) {
            const lmbi_tip end = end_of_solid(shape, c == LMBI_CHAIN_HEAD ? 1.0f : -1.0f, belly);
            measure_line(shape, &end, out->line[c][0]);
        }
    }
    const lmbi_tip *fin[2] = {reading->plan == LMBI_PLAN_FISH ? back_fin(shape, out) : NULL, NULL};
    if (fin[0]) {
        measure_chain(shape, LMBI_CHAIN_UPPER, fin, out);
    }
    measure_trunk(shape, out);
}

void lmbi_anchors_look(const lmbi_anchors *anchors, lmbi_chain chain, int side,
                       lmb_vec3 out[LMBI_LOOK])
{
    const lmb_vec3 *line = anchors->line[chain][side];
    for (int k = 0; k < LMBI_LOOK; ++k) {
        const lmb_vec3 p = k < LMBI_LINE_ANCHORS ? line[k] : anchors->trunk[k - LMBI_LINE_ANCHORS];
        out[k] = lmb_vec3_sub(p, line[LMBI_ANCHOR_TIP]);
        out[k] = side == 1 ? mirrored(out[k]) : out[k];
    }
}
