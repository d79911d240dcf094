/// Separates limbs from the body parts that they touch. The solid is flooded from its center,
/// deepest voxels first: the flood descends an arm from the shoulder before it crosses over at a
/// hip that the hand only touches. Neighbouring voxels whose flood paths differ much in length mark
/// such a contact.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/voxel_body.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 512 };
/// Priority levels per cell of depth.
static const float FINE = 3;

typedef struct flood {
    const lmbi_voxel_body *body;
    /// [voxels] length of the flood path from the center, in cells; -1 before it arrives
    float *length;
    uint32_t *next; ///< [voxels] next in the queue of its level
    uint32_t first[LEVELS], last[LEVELS];
    ptrdiff_t near[26];
    float step[26];
} flood;

static void list_offsets(flood *f)
{
    const lmbi_grid *g = &f->body->grid;
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            for (int di = -1; di <= 1; ++di) {
                if (di || dj || dk) {
                    f->step[n] = lmb_sqrt((float)(di * di + dj * dj + dk * dk));
                    f->near[n++] = ((ptrdiff_t)dk * g->ny + dj) * g->nx + di;
                }
            }
        }
    }
}

static int level_of(const flood *f, uint32_t voxel)
{
    const float level = FINE * f->body->depth[voxel];
    return level < LEVELS - 1 ? (int)level : LEVELS - 1;
}

static void push_voxel(flood *f, int level, uint32_t voxel)
{
    f->next[voxel] = UINT32_MAX;
    if (f->first[level] == UINT32_MAX) {
        f->first[level] = voxel;
    } else {
        f->next[f->last[level]] = voxel;
    }
    f->last[level] = voxel;
}

/// Floods in order of depth: each path keeps its shallowest voxel as deep as possible. Within one
/// level, first come first served.
static void flood_by_depth(flood *f)
{
    memset(f->first, 0xff, sizeof f->first);
    f->length[f->body->center] = 0;
    int level = level_of(f, f->body->center);
    push_voxel(f, level, f->body->center);
    for (; level >= 0; --level) {
        while (f->first[level] != UINT32_MAX) {
            const uint32_t v = f->first[level];
            f->first[level] = f->next[v];
            for (int n = 0; n < 26; ++n) {
                // Safe without a test of bounds: the outermost layer of the grid is air.
                const uint32_t w = (uint32_t)((ptrdiff_t)v + f->near[n]);
                if (f->body->cells[w] && f->length[w] < 0) {
                    const int own = level_of(f, w);
                    f->length[w] = f->length[v] + f->step[n];
                    push_voxel(f, own < level ? own : level, w);
                }
            }
        }
    }
}

/// A copy of the cells without the voxels where fronts meet, whose number goes to *out.
static uint8_t *cut_meetings(const flood *f, float limit, uint32_t *out)
{
    const lmbi_voxel_body *body = f->body;
    uint8_t *cells = lmbi_alloc_array(body->alloc, lmbi_grid_count(&body->grid), 1);
    if (!cells) {
        return NULL;
    }
    memcpy(cells, body->cells, lmbi_grid_count(&body->grid));
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const uint32_t v = body->solid[s];
        bool meet = false;
        for (int n = 0; n < 26 && !meet; ++n) {
            const uint32_t w = (uint32_t)((ptrdiff_t)v + f->near[n]);
            meet = body->cells[w] && fabsf(f->length[v] - f->length[w]) > limit;
        }
        cells[v] = meet ? 0 : cells[v];
        *out += meet;
    }
    return cells;
}

lmb_result lmbi_body_split_limbs(const lmbi_voxel_body *body, float limit, bool *out_parted,
                                 lmbi_voxel_body *out, lmb_error *error)
{
    *out_parted = false;
    const size_t voxels = lmbi_grid_count(&body->grid);
    flood *f = lmbi_alloc(body->alloc, sizeof *f);
    float *length = lmbi_alloc_array(body->alloc, voxels, sizeof(float));
    uint32_t *next = lmbi_alloc_array(body->alloc, voxels, sizeof(uint32_t));
    lmb_result result = f && length && next ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        f->body = body;
        f->length = length;
        f->next = next;
        for (size_t v = 0; v < voxels; ++v) {
            length[v] = -1;
        }
        list_offsets(f);
        flood_by_depth(f);
        uint32_t count = 0;
        uint8_t *cells = cut_meetings(f, limit / body->grid.cell, &count);
        if (count > 0) {
            result = lmbi_body_create_from_cells(&body->grid, cells, body->alloc, out, error);
            result = result == LMB_OK ? lmbi_body_find_center(out, error) : result;
            *out_parted = result == LMB_OK;
        } else {
            result = cells ? LMB_OK : lmbi_fail_memory(error);
            lmbi_free(body->alloc, cells);
        }
    }
    lmbi_free(body->alloc, f);
    lmbi_free(body->alloc, length);
    lmbi_free(body->alloc, next);
    return result;
}
