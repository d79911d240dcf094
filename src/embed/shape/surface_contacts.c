/// Parts limbs from what they only touch. Neighbouring voxels belong to one piece of flesh if the
/// surface between them is short. Distances along the surface from a few landmarks bound that
/// length from below: where those of two neighbours differ by more than a limit, two sheets touch,
/// and the one that is nearer to the center along the surface gives way.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

enum { FIELDS = LMBI_SURFACE_FIELDS };

/// Voxels this far from the air, in cells, see nothing of the surface.
static const float DEEP = 2;
/// Half the circumference of a circle over its diameter. Points nearer than NEAR cells count as one
/// place: flesh that touches also overlaps. BACKS: how far normals turn away, of 2 at most.
static const float ROUND = 1.5708f, NEAR = 2.5f, BACKS = 1.2f;

/// A point of the surface near a voxel and its distances; the first one is negative if there is
/// none.
typedef struct label {
    float to[FIELDS];
    lmb_vec3 at, normal;
} label;

typedef struct contacts {
    const lmbi_voxel_body *body;
    const lmbi_surface_graph *graph;
    uint32_t *number;        ///< [voxels] index in body->solid, UINT32_MAX in the air
    label *labels;           ///< [solid_count]
    uint32_t *queue;         ///< [solid_count]
    const lmbi_frame *frame; ///< of the body; labels are in that of the graph
    float limit, cell;       ///< in units of the graph
    ptrdiff_t near[LMBI_NEIGHBOURS];
} contacts;

/// Whether two points are of sheets that touch. The surface between the two sides of a thick part is
/// long too, but about as long as the part is round, or the sides turn their backs on each other.
static bool touch(const contacts *c, const label *a, const label *b)
{
    float apart = 0;
    for (int k = 0; k < FIELDS; ++k) {
        const float gap = fabsf(a->to[k] - b->to[k]);
        apart = gap > apart ? gap : apart;
    }
    if (!(apart > c->limit)) { // as nearly all are not
        return false;
    }
    const lmb_vec3 d = lmb_vec3_sub(a->at, b->at);
    const float far = lmb_vec3_length(d);
    const bool backs =
        far > NEAR * c->cell && lmb_vec3_dot(d, lmb_vec3_sub(a->normal, b->normal)) > BACKS * far;
    return apart > c->limit + ROUND * far && !backs;
}

/// Labels the voxel of a point, unless it is deep inside, as the ends of pieces within others are.
/// Of two sheets in one voxel the one farther along the surface stays.
static void label_point(void *user, uint32_t triangle, const float barycentric[3], lmb_vec3 at)
{
    contacts *c = user;
    const lmb_vec3 own = lmbi_frame_to(c->frame, lmbi_frame_from(&c->graph->frame, at));
    const size_t voxel = lmbi_grid_voxel_at(&c->body->grid, own);
    const uint32_t number = c->body->depth[voxel] > DEEP ? UINT32_MAX : c->number[voxel];
    const uint32_t *corner = &c->graph->surface->triangles[3 * (size_t)triangle];
    label made;
    for (int k = 0; k < FIELDS; ++k) {
        const float *to = c->graph->distance[k];
        made.to[k] = barycentric[0] * to[corner[0]] + barycentric[1] * to[corner[1]] +
                     barycentric[2] * to[corner[2]];
    }
    if (number == UINT32_MAX || !isfinite(made.to[0])) {
        return;
    }
    const lmb_vec3 *p = c->graph->surface->positions, a = p[corner[0]];
    made.at = at;
    made.normal = lmb_vec3_normalize_or(
        lmb_vec3_cross(lmb_vec3_sub(p[corner[1]], a), lmb_vec3_sub(p[corner[2]], a)),
        lmb_vec3_make(0, 0, 0));
    label *now = &c->labels[number];
    if (now->to[0] < 0 || (made.to[0] > now->to[0] && touch(c, now, &made))) {
        *now = made;
    }
}

/// Labels the inside as the surface nearest to it, in steps of one voxel.
static void label_inside(contacts *c)
{
    const lmbi_voxel_body *body = c->body;
    uint32_t count = 0;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        if (!(c->labels[s].to[0] < 0)) {
            c->queue[count++] = s;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t s = c->queue[k];
        for (int n = 0; n < LMBI_NEIGHBOURS; ++n) {
            const uint32_t t = c->number[(size_t)((ptrdiff_t)body->solid[s] + c->near[n])];
            if (t != UINT32_MAX && c->labels[t].to[0] < 0) {
                c->labels[t] = c->labels[s];
                c->queue[count++] = t;
            }
        }
    }
}

/// Whether a neighbour that is farther along the surface only touches this voxel.
static bool gives_way(const contacts *c, uint32_t s)
{
    const label *own = &c->labels[s];
    bool gives = false;
    for (int n = 0; n < LMBI_NEIGHBOURS && !gives && !(own->to[0] < 0); ++n) {
        const uint32_t t = c->number[(size_t)((ptrdiff_t)c->body->solid[s] + c->near[n])];
        const label *other = t == UINT32_MAX ? own : &c->labels[t];
        const bool nearer = own->to[0] < other->to[0] || (!(other->to[0] < own->to[0]) && s < t);
        gives = nearer && !(other->to[0] < 0) && touch(c, own, other);
    }
    return gives;
}

/// A copy of the cells without the voxels that give way, whose number goes to *out.
static uint8_t *cut_contacts(const contacts *c, uint32_t *out)
{
    const lmbi_voxel_body *body = c->body;
    const size_t voxels = lmbi_grid_count(&body->grid);
    uint8_t *cells = lmbi_alloc_array(body->alloc, voxels, 1);
    *out = 0;
    if (!cells) {
        return NULL;
    }
    memcpy(cells, body->cells, voxels);
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        if (gives_way(c, s)) {
            cells[body->solid[s]] = 0;
            ++*out;
        }
    }
    return cells;
}

static lmb_result find_contacts(contacts *c, lmbi_arena *arena, lmb_error *error)
{
    const lmbi_voxel_body *body = c->body;
    const size_t voxels = lmbi_grid_count(&body->grid);
    c->number = lmbi_arena_array(arena, voxels, sizeof *c->number);
    c->labels = lmbi_arena_array(arena, body->solid_count, sizeof *c->labels);
    c->queue = lmbi_arena_array(arena, body->solid_count, sizeof *c->queue);
    if (!c->number || !c->labels || !c->queue) {
        return lmbi_fail_memory(error);
    }
    memset(c->number, 0xff, voxels * sizeof *c->number);
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        c->number[body->solid[s]] = s;
        c->labels[s].to[0] = -1;
    }
    lmbi_grid_neighbours(&body->grid, c->near);
    lmbi_surface_visit(c->graph->surface, 0.5f * c->cell, label_point, c);
    label_inside(c);
    return LMB_OK;
}

lmb_result lmbi_body_part_contacts(const lmbi_voxel_body *body, const lmbi_frame *frame,
                                   const lmbi_surface_graph *graph, float limit, float least,
                                   bool *out_parted, lmbi_voxel_body *out, lmb_error *error)
{
    *out_parted = false;
    const float unit = frame->size / graph->frame.size;
    lmbi_arena arena;
    lmbi_arena_init(&arena, body->alloc);
    contacts c = {.body = body,
                  .graph = graph,
                  .frame = frame,
                  .limit = limit * unit,
                  .cell = body->grid.cell * unit};
    uint8_t *cells = NULL;
    uint32_t count = 0;
    lmb_result result = find_contacts(&c, &arena, error);
    if (result == LMB_OK) {
        cells = cut_contacts(&c, &count);
        result = cells ? LMB_OK : lmbi_fail_memory(error);
    }
    lmbi_arena_free(&arena);
    const bool parted = result == LMB_OK && (float)count > least * (float)body->solid_count;
    if (parted && out) {
        result = lmbi_body_create_from_cells(&body->grid, cells, body->alloc, out, error);
        result = result == LMB_OK ? lmbi_body_find_center(out, error) : result;
    } else {
        lmbi_free(body->alloc, cells);
    }
    *out_parted = parted && result == LMB_OK;
    return result;
}
