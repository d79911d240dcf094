/// The medial lines of the chains of a reading, and the anchors between them.
#include "embed/template/template.h"

#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// Half the width of the slab of voxels that counts as on the mirror plane; and of that in which the ends of a body lie,
/// which may turn its head or its tail.
static const float ON_PLANE = 0.025f, NEAR_PLANE = 0.12f;

/// The solid voxel near the plane that is farthest along z in a direction (-1 or 1), above `low`.
static lmbi_tip end_of_solid(const lmbi_body_shape *v, float direction, float low)
{
    lmbi_tip tip = {.voxel = v->body.center};
    float farthest = -1e30f;
    for (uint32_t s = 0; s < v->body.solid_count; ++s) {
        const lmb_vec3 p = v->body.at[s];
        if (direction * p.z > farthest && p.y > low && fabsf(p.x) < NEAR_PLANE) {
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

/// Points along a line, and its bend.
static void measure_line(const lmbi_limb_profile *line, lmbi_chain_line *out)
{
    const float length = line->step * (float)(line->count - 1), straight = 0.035f * length;
    for (int k = 0; k <= LMBI_PATH_STEPS; ++k) {
        out->path[k] = lmbi_limb_point(line, (float)k / LMBI_PATH_STEPS * length);
    }
    float bend;
    const float off = lmbi_limb_bend(line, 0, length, &bend);
    out->bend = off > straight ? 1 - bend / fmaxf(length, 1e-6f) : -1;
}

/// The line of a tip to the center of the body.
static void measure_limb(const lmbi_body_shape *v, const lmbi_tip *tip, lmbi_chain_line *out)
{
    lmbi_limb_profile line;
    lmbi_limb_trace(&v->body, v->paths, tip->voxel, &line);
    measure_line(&line, out);
    out->root = lmbi_limb_point(&line, lmbi_limb_root(&v->body, &line, tip));
}

/// The line of a slender body, which begins at the end that is nearer to that of its chain.
static lmb_result measure_through(lmbi_body_shape *v, const lmbi_chain_line *begun,
                                  lmbi_chain_line *out, lmb_error *error)
{
    lmbi_limb_profile line;
    const lmb_vec3 first = begun->path[0];
    const lmb_result result = lmbi_body_line(v, &line, error);
    if (result == LMB_OK) {
        measure_line(&line, out);
        const bool turned = lmb_vec3_distance(out->path[0], first) >
                            lmb_vec3_distance(out->path[LMBI_PATH_STEPS], first);
        for (int k = 0; k < LMBI_PATH_STEPS - k && turned; ++k) {
            const lmb_vec3 p = out->path[k];
            out->path[k] = out->path[LMBI_PATH_STEPS - k];
            out->path[LMBI_PATH_STEPS - k] = p;
        }
        out->bend = -1;
    }
    return result;
}

static void mirror_line(const lmbi_chain_line *from, lmbi_chain_line *out)
{
    *out = *from;
    out->root = lmbi_mirrored(from->root);
    for (int k = 0; k <= LMBI_PATH_STEPS; ++k) {
        out->path[k] = lmbi_mirrored(from->path[k]);
    }
}

/// The tip of a chain in the reading, in the shape; NULL where none is seen.
static const lmbi_tip *tip_of(const lmbi_body_shape *shape, int32_t tip,
                              const lmbi_body_shape *coarse)
{
    if (tip == LMB_NONE) {
        return NULL;
    }
    const lmb_vec3 at = lmbi_frame_from(&coarse->frame, coarse->tips[tip].position);
    return lmbi_nearest_tip(shape, lmbi_frame_to(&shape->frame, at));
}

static void measure_chain(const lmbi_body_shape *v, const lmbi_template_chain *chain,
                          const lmbi_tip *tips[2], lmbi_chain_line line[2], bool *out_seen)
{
    const float belly = 0.6f * v->body.centroid.y;
    lmbi_tip end;
    if (chain->end != 0 && (!tips[0] || (!chain->through && has_twin(v, tips[0])))) {
        end = end_of_solid(v, (float)chain->end, belly);
        tips[0] = &end;
    }
    for (int side = 0; side < 2; ++side) {
        if (tips[side]) {
            measure_limb(v, tips[side], &line[side]);
        }
    }
    *out_seen = tips[0] || tips[1];
    for (int side = 0; side < 2 && chain->paired && *out_seen; ++side) {
        if (!tips[side]) {
            mirror_line(&line[1 - side], &line[side]);
        }
    }
}

/// The middle of the longest unbroken run of solid voxels above (0, ., z), or `y` without any.
static float trunk_height(const lmbi_body_shape *shape, float y, float z)
{
    const lmbi_grid *g = &shape->body.grid;
    const int32_t i = (int32_t)lmbi_clampf(-g->low.x / g->cell, 0, (float)g->nx - 1),
                  k = (int32_t)lmbi_clampf((z - g->low.z) / g->cell, 0, (float)g->nz - 1);
    int32_t best = 0, run = 0, end = 0;
    for (int32_t j = 0; j < g->ny; ++j) {
        run = shape->body.cells[lmbi_grid_index(g, i, j, k)] ? run + 1 : 0;
        if (run > best) {
            best = run;
            end = j + 1;
        }
    }
    return best > 0 ? g->low.y + g->cell * ((float)end - 0.5f * (float)best) : y;
}

static lmb_vec3 anchor_of(const lmbi_body_shape *v, const lmbi_chain_line line[2], bool paired)
{
    if (!paired) {
        return line[0].path[0];
    }
    const lmb_vec3 middle = lmb_vec3_lerp(line[0].root, line[1].root, 0.5f);
    return lmb_vec3_make(0, trunk_height(v, middle.y, middle.z), middle.z);
}

static void find_anchors(const lmbi_body_shape *v, const lmb_body_template *t,
                         lmbi_template_lines *out)
{
    double square = 0;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(v->body.at[k], v->body.centroid);
        square += (double)lmb_vec3_dot(d, d);
    }
    out->radius = lmb_sqrt((float)(square / fmax(v->body.solid_count, 1)));
    const lmb_vec3 middle = v->body.centroid;
    out->anchors[0] = lmb_vec3_make(0, trunk_height(v, middle.y, middle.z), middle.z);
    out->has_anchor[0] = true;
    for (uint32_t c = 0; c < t->chain_count; ++c) {
        out->has_anchor[1 + c] = out->seen[c];
        out->anchors[1 + c] = anchor_of(v, out->line[c], t->chains[c].paired);
    }
}

lmb_result lmbi_template_find_lines(lmbi_body_shape *shape, const lmb_body_template *t,
                                    const lmbi_reading *reading, const lmbi_body_shape *coarse,
                                    lmbi_template_lines *out, lmb_error *error)
{
    lmb_result result = LMB_OK;
    memset(out, 0, sizeof *out);
    for (uint32_t c = 0; c < t->chain_count; ++c) {
        const lmbi_tip *tips[2] = {tip_of(shape, reading->tips[c][0], coarse),
                                   tip_of(shape, reading->tips[c][1], coarse)};
        measure_chain(shape, &t->chains[c], tips, out->line[c], &out->seen[c]);
    }
    for (uint32_t c = 0; c < t->chain_count && result == LMB_OK; ++c) {
        if (t->chains[c].through && out->seen[c]) {
            result = measure_through(shape, out->line[c], out->line[c], error);
        }
    }
    find_anchors(shape, t, out);
    return result;
}

lmb_vec3 lmbi_chain_point(const lmbi_chain_line *line, float at)
{
    const float step = (1 - at) * LMBI_PATH_STEPS;
    const int k = step > 0 ? step < LMBI_PATH_STEPS - 1 ? (int)step : LMBI_PATH_STEPS - 1 : 0;
    return lmb_vec3_lerp(line->path[k], line->path[k + 1], step - (float)k);
}

float lmbi_chain_fraction(const lmbi_chain_line *line, lmb_vec3 p)
{
    float best = 0, least = 1e30f;
    for (int k = 0; k < LMBI_PATH_STEPS; ++k) {
        const lmb_vec3 a = line->path[k], along = lmb_vec3_sub(line->path[k + 1], a);
        const float square = lmb_vec3_dot(along, along);
        const float s =
            square > 0 ? lmbi_saturatef(lmb_vec3_dot(lmb_vec3_sub(p, a), along) / square) : 0;
        const float far = lmb_vec3_distance(p, lmb_vec3_mad(a, along, s));
        if (far < least) {
            least = far;
            best = 1 - ((float)k + s) / LMBI_PATH_STEPS;
        }
    }
    return best;
}

lmb_vec3 lmbi_template_anchor_mean(const lmbi_template_lines *lines,
                                   const float weights[LMBI_TEMPLATE_ANCHORS])
{
    lmb_vec3 sum = {0, 0, 0};
    float all = 0;
    for (int k = 0; k < LMBI_TEMPLATE_ANCHORS; ++k) {
        const float w = lines->has_anchor[k] ? weights[k] : 0;
        sum = lmb_vec3_mad(sum, lines->anchors[k], w);
        all += w;
    }
    return all > 0 ? lmb_vec3_scale(sum, 1 / all) : lines->anchors[0];
}
