/// Bodies that consist of one line: snakes, worms, eels, tentacles.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/kinds.h"
#include "geometry/volume.h"

#include <math.h>

enum { SPINE_JOINTS = 12 };

/// Positions of head and first joint from the snout, as fractions of the length.
static const float HEAD = 0.075f, FIRST = 0.10f;

/// The longest medial path through the solid.
typedef struct spine_line {
    lmbi_limb_profile line; ///< from the end with the head to the other
    float length;
    float thick;     ///< largest depth along it
    bool head_clear; ///< one end is thicker than the other
} spine_line;

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
static void begin_at_head(spine_line *s)
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

/// The path from the tip farthest from the center to the tip farthest from that one.
static lmb_result find_spine(const lmbi_body_shape *shape, spine_line *out, lmb_error *error)
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

lmb_result lmbi_snake_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error)
{
    spine_line spine;
    const lmb_result result = find_spine(shape, &spine, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_SNAKE, &shape->frame, shape->box.high.y, out);
    const float sure = spine.head_clear ? 0.85f : 0.5f;
    int32_t parent = LMB_NONE, first = 0;
    for (uint32_t k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = FIRST + (1 - FIRST) * (float)k / SPINE_JOINTS;
        parent = lmbi_embedding_add_numbered(
            &c, "spine", k + 1, parent, lmbi_limb_point(&spine.line, fraction * spine.length), sure,
            spine.head_clear ? "at equal steps along the body" : "head and tail are alike");
        first = k == 0 ? parent : first;
    }
    lmbi_embedding_set_tip(&c, parent, spine.line.at[spine.line.count - 1]);
    const int32_t head = lmbi_embedding_add_joint(&c, "head", first,
                                                  lmbi_limb_point(&spine.line, HEAD * spine.length),
                                                  sure, "a fraction of the body");
    lmbi_embedding_set_tip(&c, head, spine.line.at[0]);
    return LMB_OK;
}
