#include "embed/creature/leg_line.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct slicer {
    const lmbi_voxel_body *body;
    uint8_t *before, *now; ///< [nx * nz] cells of the leg in the slice below, and in this slice
    uint32_t *stack;       ///< [nx * nz]
} slicer;

static bool solid_at(const slicer *s, int32_t i, int32_t j, int32_t k)
{
    return s->body->cells[lmbi_grid_index(&s->body->grid, i, j, k)] != 0;
}

/// Fills `now` with the cells of layer j that touch `before`, and those connected to them within
/// `reach` of `near`. Returns their number and centroid.
static uint32_t fill_slice(slicer *s, int32_t j, lmb_vec3 near, float reach, lmb_vec3 *out_middle)
{
    const lmbi_grid *g = &s->body->grid;
    uint32_t top = 0, count = 0;
    memset(s->now, 0, (size_t)g->nx * (size_t)g->nz);
    for (int32_t k = 0; k < g->nz; ++k) {
        for (int32_t i = 0; i < g->nx; ++i) {
            const uint32_t c = (uint32_t)(k * g->nx + i);
            if (s->before[c] && solid_at(s, i, j, k)) {
                s->now[c] = 1;
                s->stack[top++] = c;
            }
        }
    }
    double sum_x = 0, sum_z = 0;
    while (top > 0) {
        const uint32_t c = s->stack[--top];
        const int32_t i = (int32_t)(c % (uint32_t)g->nx), k = (int32_t)(c / (uint32_t)g->nx);
        const lmb_vec3 p = lmbi_grid_center(g, lmbi_grid_index(g, i, j, k));
        ++count;
        sum_x += (double)p.x;
        sum_z += (double)p.z;
        const int32_t next[4][2] = {{i - 1, k}, {i + 1, k}, {i, k - 1}, {i, k + 1}};
        for (int n = 0; n < 4; ++n) {
            const int32_t a = next[n][0], b = next[n][1];
            if (a < 0 || b < 0 || a >= g->nx || b >= g->nz || s->now[b * g->nx + a] ||
                !solid_at(s, a, j, b)) {
                continue;
            }
            const lmb_vec3 q = lmbi_grid_center(g, lmbi_grid_index(g, a, j, b));
            if (fabsf(q.x - near.x) < reach && fabsf(q.z - near.z) < reach) {
                s->now[b * g->nx + a] = 1;
                s->stack[top++] = (uint32_t)(b * g->nx + a);
            }
        }
    }
    if (count > 0) {
        *out_middle = lmb_vec3_make((float)(sum_x / count), 0, (float)(sum_z / count));
    }
    return count;
}

static int32_t layer_of(const lmbi_grid *g, float y)
{
    const int32_t j = (int32_t)((y - g->low.y) / g->cell);
    return j < 0 ? 0 : j >= g->ny ? g->ny - 1 : j;
}

static void follow_leg(slicer *s, lmb_vec3 foot, float top, lmbi_leg_line *out)
{
    const lmbi_grid *g = &s->body->grid;
    const float reach = 0.11f, near = 0.035f;
    const int32_t first = layer_of(g, foot.y), last = layer_of(g, top);
    for (int32_t k = 0; k < g->nz; ++k) {
        for (int32_t i = 0; i < g->nx; ++i) {
            const lmb_vec3 p = lmbi_grid_center(g, lmbi_grid_index(g, i, first, k));
            s->before[k * g->nx + i] = fabsf(p.x - foot.x) < near && fabsf(p.z - foot.z) < near;
        }
    }
    lmb_vec3 middle = foot;
    for (int32_t j = first; j <= last && out->count < LMBI_LEG_SLICES; ++j) {
        const uint32_t cells = fill_slice(s, j, middle, reach, &middle);
        if (cells == 0) {
            break;
        }
        middle.y = g->low.y + g->cell * ((float)j + 0.5f);
        out->area[out->count] = (float)cells * g->cell * g->cell;
        out->at[out->count++] = middle;
        uint8_t *t = s->before;
        s->before = s->now;
        s->now = t;
    }
    if (out->count == 0) {
        out->at[out->count++] = foot;
    }
    out->top = out->at[out->count - 1].y;
}

lmb_result lmbi_leg_line_trace(const lmbi_body_shape *shape, lmb_vec3 foot, float top,
                               lmbi_leg_line *out, lmb_error *error)
{
    const lmbi_grid *g = &shape->body.grid;
    const size_t cells = (size_t)g->nx * (size_t)g->nz;
    uint8_t *slices = lmbi_alloc_array(shape->alloc, 2 * cells, 1);
    uint32_t *stack = lmbi_alloc_array(shape->alloc, cells, sizeof *stack);
    memset(out, 0, sizeof *out);
    lmb_result result = LMB_OK;
    if (slices && stack) {
        slicer s = {&shape->body, slices, slices + cells, stack};
        follow_leg(&s, foot, top, out);
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(shape->alloc, slices);
    lmbi_free(shape->alloc, stack);
    return result;
}

lmb_vec3 lmbi_leg_line_at(const lmbi_leg_line *line, float y)
{
    const uint32_t last = line->count - 1;
    if (y <= line->at[0].y) {
        return lmb_vec3_make(line->at[0].x, y, line->at[0].z);
    }
    if (y >= line->at[last].y) {
        return lmb_vec3_make(line->at[last].x, y, line->at[last].z);
    }
    uint32_t k = 0;
    while (line->at[k + 1].y < y) {
        ++k;
    }
    return lmb_vec3_lerp(line->at[k], line->at[k + 1],
                         (y - line->at[k].y) / (line->at[k + 1].y - line->at[k].y));
}
