#include "embed/creature/chain.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip)
{
    const bool own = tip->length < 0.8f * tip->geodesic;
    const float most = own ? 1.25f * tip->length : 0.9f * tip->geodesic;
    const uint32_t last = (uint32_t)fminf(most / fmaxf(line->step, 1e-6f), (float)line->count - 1);
    float thick = 0;
    for (uint32_t k = 1; k <= last / 2; ++k) {
        thick += line->depth[k] / (float)(last / 2);
    }
    uint32_t root = last / 2;
    while (root < last && line->depth[root] < 1.7f * thick + 0.5f * shape->body.grid.cell) {
        ++root;
    }
    return (float)root * line->step;
}

float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc)
{
    const lmb_vec3 a = lmbi_limb_point(line, low), b = lmbi_limb_point(line, high);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    float best = 0;
    *out_arc = 0.5f * (low + high);
    const float edge = 0.08f * (high - low);
    for (float arc = low + edge; arc < high - edge; arc += 0.5f * fmaxf(line->step, 1e-5f)) {
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(line, arc), a);
        const float off = lmb_vec3_length(lmb_vec3_mad(d, along, -lmb_vec3_dot(d, along)));
        if (off > best) {
            best = off;
            *out_arc = arc;
        }
    }
    return best;
}

static void insert_arc(float *arcs, uint32_t count, float arc)
{
    uint32_t at = count;
    while (at > 0 && arcs[at - 1] < arc) {
        arcs[at] = arcs[at - 1];
        --at;
    }
    arcs[at] = arc;
}

void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs)
{
    const float straight = 0.035f * (high - low);
    for (uint32_t n = 0; n < count; ++n) {
        float most = straight, at = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            float arc;
            const float off = lmbi_limb_bend(line, end, top, &arc);
            if (off > most) {
                most = off;
                at = arc;
            }
        }
        if (at > 0) {
            insert_arc(out_arcs, n, at);
            continue;
        }
        // Without a bend, halve the longest part.
        float longest = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            if (top - end > longest) {
                longest = top - end;
                at = 0.5f * (top + end);
            }
        }
        insert_arc(out_arcs, n, at);
    }
}

/// Shortest paths from `seed`, weighted by `slowness` unless it is NULL.
static lmb_result paths_from(const lmbi_voxel_body *body, uint32_t seed, const float *slowness,
                             float *distance, uint32_t *previous, lmb_error *error)
{
    const lmbi_geodesic_job job = {.grid = &body->grid,
                                   .cells = body->cells,
                                   .slowness = slowness,
                                   .seeds = &seed,
                                   .seed_count = 1,
                                   .out_distance = distance,
                                   .out_previous = previous};
    return lmbi_geodesic(&job, body->alloc, error);
}

static uint32_t farthest_voxel(const lmbi_voxel_body *body, const float *distance)
{
    uint32_t best = body->solid[0];
    for (uint32_t k = 1; k < body->solid_count; ++k) {
        best = distance[body->solid[k]] > distance[best] ? body->solid[k] : best;
    }
    return best;
}

static float mean_depth(const lmbi_limb_profile *line, float from, float to)
{
    float sum = 0;
    uint32_t count = 0;
    for (uint32_t k = (uint32_t)(from * (float)line->count); (float)k < to * (float)line->count;
         ++k) {
        sum += line->depth[k];
        ++count;
    }
    return sum / (float)count;
}

/// Reverses the line if its other end is thicker, since the head is.
static void begin_at_head(lmbi_spine_line *s)
{
    lmbi_limb_profile *l = &s->line;
    const float first = mean_depth(l, 0.02f, 0.3f), last = mean_depth(l, 0.7f, 0.98f);
    s->head_clear = fabsf(first - last) > 0.12f * (first + last);
    if (first >= last) {
        return;
    }
    for (uint32_t a = 0, b = l->count - 1; a < b; ++a, --b) {
        const lmb_vec3 p = l->at[a];
        const float d = l->depth[a];
        l->at[a] = l->at[b];
        l->depth[a] = l->depth[b];
        l->at[b] = p;
        l->depth[b] = d;
    }
}

lmb_result lmbi_spine_line_find(const lmbi_body_shape *shape, lmbi_spine_line *out,
                                lmb_error *error)
{
    const lmbi_voxel_body *body = &shape->body;
    const size_t voxels = lmbi_grid_count(&body->grid);
    float *distance = lmbi_alloc_array(body->alloc, voxels, sizeof(float));
    float *slowness = lmbi_alloc_array(body->alloc, voxels, sizeof(float));
    uint32_t *previous = lmbi_alloc_array(body->alloc, voxels, sizeof(uint32_t));
    lmb_result result = distance && slowness && previous ? LMB_OK : lmbi_fail_memory(error);
    const uint32_t one = farthest_voxel(body, body->geodesic);
    if (result == LMB_OK) {
        for (uint32_t k = 0; k < body->solid_count; ++k) {
            const uint32_t v = body->solid[k];
            slowness[v] = 100.0f / ((body->depth[v] + 0.3f) * (body->depth[v] + 0.3f));
        }
        result = paths_from(body, one, NULL, distance, previous, error);
    }
    if (result == LMB_OK) {
        const uint32_t other = farthest_voxel(body, distance);
        result = paths_from(body, one, slowness, distance, previous, error);
        if (result == LMB_OK) {
            lmbi_limb_trace(body, previous, other, &out->line);
            out->length = out->line.step * (float)(out->line.count - 1);
            out->thick = 0;
            for (uint32_t k = 0; k < out->line.count; ++k) {
                out->thick = fmaxf(out->thick, out->line.depth[k]);
            }
            begin_at_head(out);
        }
    }
    lmbi_free(body->alloc, distance);
    lmbi_free(body->alloc, slowness);
    lmbi_free(body->alloc, previous);
    return result;
}
