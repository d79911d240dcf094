/// Painting weights: the painter's data and its strokes.
#include "rig/paint.h"
#include "geometry/surface_math.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/symmetry.h"

/// Largest distance from a joint's mirror image to its partner, as a fraction of the diagonal.
static const float JOINT_FRACTION = 0.02f;

// -------------------------------------------------------------------------------------- creation

static bool make_room(lmb_painter *p)
{
    const size_t n = p->surface->vertex_count;
    p->distance = lmbi_arena_array(&p->arena, n, sizeof *p->distance);
    p->heap = lmbi_arena_array(&p->arena, n, sizeof *p->heap);
    p->heap_index = lmbi_arena_array(&p->arena, n, sizeof *p->heap_index);
    p->dab = lmbi_arena_array(&p->arena, n, sizeof *p->dab);
    p->fresh = lmbi_arena_array(&p->arena, n, LMBI_ROW_WIDTH * sizeof *p->fresh);
    p->stamp = lmbi_arena_array(&p->arena, n, sizeof *p->stamp);
    p->normals = lmbi_arena_array(&p->arena, n, sizeof *p->normals);
    p->locked = lmbi_arena_array(&p->arena, p->joint_count, 1);
    p->parents = lmbi_arena_array(&p->arena, p->joint_count, sizeof *p->parents);
    if (!p->distance || !p->heap || !p->heap_index || !p->dab || !p->fresh || !p->stamp ||
        !p->normals || !p->locked || !p->parents ||
        !lmbi_row_sum_init(&p->sum, p->joint_count, &p->arena)) {
        return false;
    }
    for (size_t v = 0; v < n; ++v) {
        p->distance[v] = -1;
    }
    lmbi_surface_vertex_normals(p->surface, p->normals);
    return true;
}

/// Sets the mirror plane and pairs the joints: by `right_of`, then names, then positions.
static lmb_result set_mirror_plane(lmb_painter *p, const lmb_skeleton *skeleton,
                                   const lmb_painter_opts *opts, lmb_error *error)
{
    const float length = lmb_vec3_length(opts->normal);
    if (!(length > 0)) {
        return LMB_OK;
    }
    int32_t *right_of = lmbi_arena_array(&p->arena, p->joint_count, sizeof *right_of);
    lmb_vec3 *positions = lmbi_arena_array(&p->arena, p->joint_count, sizeof *positions);
    lmb_mat4 *model = lmbi_arena_array(&p->arena, p->joint_count, sizeof *model);
    int32_t *partner = lmbi_arena_array(&p->arena, p->joint_count, sizeof *partner);
    if (!right_of || !positions || !model || !partner) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < p->joint_count; ++j) {
        const int32_t right = opts->right_of ? opts->right_of[j] : LMB_NONE;
        if (right != LMB_NONE && (right < 0 || (uint32_t)right >= p->joint_count)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of the skeleton",
                             "partner %d of joint %u", right, j);
        }
        right_of[j] = right;
        positions[j] = lmb_mat4_translation(model[j]);
    }
    const lmb_result result = lmbi_pair_by_name(skeleton, right_of, &p->arena, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_box box = lmb_box_of(p->surface->positions, p->surface->vertex_count);
    p->plane = (lmbi_mirror_plane){lmb_vec3_scale(opts->normal, 1 / length), opts->offset / length};
    p->partner = partner;
    lmbi_pair_both_ways(right_of, p->joint_count, partner);
    lmbi_pair_by_position(positions, p->joint_count, p->plane.normal, p->plane.offset,
                          JOINT_FRACTION * lmb_vec3_distance(box.low, box.high), partner);
    return LMB_OK;
}

static lmb_result build_painter(lmb_painter *p, const lmb_character *character,
                                const lmb_painter_opts *opts, lmb_error *error)
{
    lmb_result result = lmbi_table_create(character, &p->arena, &p->table, error);
    if (result == LMB_OK) {
        result = lmb_character_surface(character, &p->allocator, &p->surface, error);
    }
    if (result == LMB_OK) {
        result = lmbi_tree_create(p->surface, &p->allocator, &p->tree, error);
    }
    if (result == LMB_OK) {
        result = lmbi_rings_find(p->surface, &p->arena, &p->rings, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    uint32_t longest = 1;
    p->rows = lmbi_table_gather(&p->table, p->surface->vertex_of, p->surface->vertex_count,
                                &p->arena, &longest);
    p->influences = opts->influences ? opts->influences : longest > 4 ? longest : 4;
    p->influences = p->influences < LMBI_ROW_WIDTH ? p->influences : LMBI_ROW_WIDTH;
    if (!p->rows || !make_room(p)) {
        return lmbi_fail_memory(error);
    }
    memcpy(p->parents, character->skeleton->parents, p->joint_count * sizeof *p->parents);
    return set_mirror_plane(p, character->skeleton, opts, error);
}

lmb_result lmb_painter_create(const lmb_character *character, const lmb_painter_opts *opts,
                              const lmb_allocator *alloc, lmb_painter **out, lmb_error *error)
{
    static const lmb_painter_opts defaults;
    lmb_painter *p = lmbi_alloc(alloc, sizeof *p);
    if (!p) {
        return lmbi_fail_memory(error);
    }
    p->joint_count = character->skeleton->joint_count;
    if (alloc) {
        p->allocator = *alloc;
    }
    lmbi_arena_init(&p->arena, &p->allocator);
    const lmb_result result = build_painter(p, character, opts ? opts : &defaults, error);
    if (result != LMB_OK) {
        lmb_painter_destroy(p);
        return result;
    }
    *out = p;
    return LMB_OK;
}

void lmb_painter_destroy(lmb_painter *painter)
{
    if (painter) {
        lmb_allocator alloc = painter->allocator;
        painter->arena.alloc = &alloc; // painter->alloc is freed with the arena
        lmbi_faces_destroy(painter->faces);
        lmbi_tree_destroy(painter->tree);
        lmb_surface_destroy(painter->surface);
        lmbi_free(&alloc, painter->records);
        lmbi_free(&alloc, painter->stroke_first);
        lmbi_arena_free(&painter->arena);
        lmbi_free(&alloc, painter);
    }
}

const lmb_surface *lmb_painter_surface(const lmb_painter *painter)
{
    return painter->surface;
}

uint32_t lmb_painter_row(const lmb_painter *painter, uint32_t vertex, const lmb_influence **out)
{
    *out = lmbi_paint_row_of(painter, vertex);
    return lmbi_row_count(*out);
}

void lmb_painter_lock(lmb_painter *painter, uint32_t joint, bool locked)
{
    painter->locked[joint] = locked;
}

// --------------------------------------------------------------------------------------- strokes

static size_t end_of(const lmb_painter *p, size_t stroke)
{
    return stroke + 1 < p->stroke_count + p->redo_count ? p->stroke_first[stroke + 1]
                                                        : p->record_count;
}

static void drop_redo(lmb_painter *p)
{
    if (p->redo_count > 0) {
        p->record_count = p->stroke_first[p->stroke_count];
        p->redo_count = 0;
    }
}

static lmb_result open_stroke(lmb_painter *p, lmb_error *error)
{
    void *items = p->stroke_first;
    const bool room = lmbi_grow(&p->allocator, &items, &p->stroke_capacity, p->stroke_count + 1,
                                sizeof *p->stroke_first);
    p->stroke_first = items;
    if (!room) {
        return lmbi_fail_memory(error);
    }
    drop_redo(p);
    p->stroke_first[p->stroke_count++] = p->record_count;
    ++p->stroke_stamp;
    p->open = true;
    return LMB_OK;
}

/// Records the old rows of a dab before any row changes.
static lmb_result record_rows(lmb_painter *p, lmb_error *error)
{
    void *items = p->records;
    const bool room = lmbi_grow(&p->allocator, &items, &p->record_capacity,
                                p->record_count + p->dab_count, sizeof *p->records);
    p->records = items;
    if (!room) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < p->dab_count; ++k) {
        const uint32_t v = p->dab[k].vertex;
        if (p->stamp[v] != p->stroke_stamp) {
            p->stamp[v] = p->stroke_stamp;
            lmbi_paint_record *r = &p->records[p->record_count++];
            r->vertex = v;
            memcpy(r->row, lmbi_paint_row_of(p, v), sizeof r->row);
        }
    }
    return LMB_OK;
}

/// The brush on the vertices that were reached.
static lmb_result apply_dab(lmb_painter *p, const lmb_brush *brush, uint32_t joint,
                            lmb_error *error)
{
    uint32_t kept = 0; // vertices without weights belong to no skin
    for (uint32_t k = 0; k < p->dab_count; ++k) {
        if (lmbi_paint_row_of(p, p->dab[k].vertex)[0].weight > 0) {
            p->dab[kept++] = p->dab[k];
        }
    }
    p->dab_count = kept;
    const lmb_result result = record_rows(p, error);
    for (uint32_t k = 0; result == LMB_OK && k < p->dab_count; ++k) {
        lmbi_paint_row(p, brush, joint, &p->dab[k], p->fresh + (size_t)k * LMBI_ROW_WIDTH);
    }
    for (uint32_t k = 0; result == LMB_OK && k < p->dab_count; ++k) {
        memcpy(lmbi_paint_row_of(p, p->dab[k].vertex), p->fresh + (size_t)k * LMBI_ROW_WIDTH,
               LMBI_ROW_WIDTH * sizeof *p->fresh);
    }
    return result;
}

static lmb_result check_brush(const lmb_painter *p, const lmb_brush *brush, lmb_error *error)
{
    if (brush->joint >= p->joint_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of the skeleton", "%u of %u",
                         brush->joint, p->joint_count);
    }
    if (!(brush->radius > 0) || !(brush->strength >= 0 && brush->strength <= 1) ||
        !isfinite(brush->value) || !isfinite(brush->to_value) ||
        !isfinite(lmb_vec3_dot(brush->at, brush->at)) ||
        !isfinite(lmb_vec3_dot(brush->to, brush->to))) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a positive radius, a strength from 0 to 1 and finite values",
                         "radius %g, strength %g, value %g", (double)brush->radius,
                         (double)brush->strength, (double)brush->value);
    }
    if ((brush->op == LMB_BRUSH_MIRROR || brush->both_sides) && !p->partner) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a painter with a plane to mirror at",
                         "none was given");
    }
    return LMB_OK;
}

/// The brush with its strength, and a stroke that is open.
static lmb_result begin_dab(lmb_painter *p, const lmb_brush *brush, lmb_brush *out,
                            lmb_error *error)
{
    *out = *brush;
    out->strength = brush->strength > 0   ? brush->strength
                    : brush->strength < 0 ? brush->strength
                                          : 1;
    const lmb_result result = check_brush(p, out, error);
    return result == LMB_OK && !p->open ? open_stroke(p, error) : result;
}

/// The joint that a brush on both sides is for on the other one.
static uint32_t partner_of(const lmb_painter *p, uint32_t joint)
{
    return p->partner[joint] == LMB_NONE ? joint : (uint32_t)p->partner[joint];
}

lmb_result lmb_painter_dab(lmb_painter *painter, const lmb_brush *brush, lmb_error *error)
{
    lmb_brush b;
    lmb_result result = begin_dab(painter, brush, &b, error);
    if (result == LMB_OK) {
        lmbi_paint_reach(painter, &b, b.at);
        result = apply_dab(painter, &b, b.joint, error);
    }
    if (result == LMB_OK && b.both_sides && b.op != LMB_BRUSH_MIRROR) {
        b.at = lmbi_plane_image(painter->plane, b.at);
        b.to = lmbi_plane_image(painter->plane, b.to);
        lmbi_paint_reach(painter, &b, b.at);
        result = apply_dab(painter, &b, partner_of(painter, b.joint), error);
    }
    return result;
}

lmb_result lmb_painter_fill(lmb_painter *painter, const lmb_brush *brush, lmb_error *error)
{
    lmb_brush b = *brush;
    b.radius = 1;
    lmb_result result = begin_dab(painter, &b, &b, error);
    if (result == LMB_OK) {
        lmbi_paint_reach_chosen(painter, &b, false);
        result = apply_dab(painter, &b, b.joint, error);
    }
    if (result == LMB_OK && b.both_sides && b.op != LMB_BRUSH_MIRROR) {
        lmbi_paint_reach_chosen(painter, &b, true);
        result = apply_dab(painter, &b, partner_of(painter, b.joint), error);
    }
    return result;
}

uint32_t lmb_painter_end_stroke(lmb_painter *painter)
{
    if (!painter->open) {
        return 0;
    }
    const size_t begin = painter->stroke_first[painter->stroke_count - 1];
    uint32_t changed = 0;
    for (size_t k = begin; k < painter->record_count; ++k) {
        lmb_influence *row = lmbi_paint_row_of(painter, painter->records[k].vertex);
        lmbi_paint_limit(painter, row);
        changed += memcmp(row, painter->records[k].row, sizeof painter->records[k].row) != 0;
    }
    painter->open = false;
    return changed;
}

/// Swaps a stroke's rows with the recorded ones: undo and redo alike.
static void swap_rows(lmb_painter *p, size_t stroke)
{
    for (size_t k = p->stroke_first[stroke]; k < end_of(p, stroke); ++k) {
        lmb_influence row[LMBI_ROW_WIDTH], *now = lmbi_paint_row_of(p, p->records[k].vertex);
        memcpy(row, now, sizeof row);
        memcpy(now, p->records[k].row, sizeof row);
        memcpy(p->records[k].row, row, sizeof row);
    }
}

bool lmb_painter_undo(lmb_painter *painter)
{
    (void)lmb_painter_end_stroke(painter);
    if (painter->stroke_count == 0) {
        return false;
    }
    swap_rows(painter, painter->stroke_count - 1);
    --painter->stroke_count;
    ++painter->redo_count;
    return true;
}

bool lmb_painter_redo(lmb_painter *painter)
{
    if (painter->open || painter->redo_count == 0) {
        return false;
    }
    swap_rows(painter, painter->stroke_count);
    ++painter->stroke_count;
    --painter->redo_count;
    return true;
}

lmb_result lmb_painter_store(lmb_painter *painter, lmb_character **character, lmb_error *error)
{
    (void)lmb_painter_end_stroke(painter);
    lmb_character *c = *character;
    bool same = c->skeleton->joint_count == painter->joint_count;
    size_t count = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        count += c->meshes[c->instances[i].mesh]->vertex_count;
    }
    same = same && count == painter->table.count;
    if (!same) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "the character that is painted",
                         "%zu vertices and %u joints, not %u and %u", count,
                         c->skeleton->joint_count, painter->table.count, painter->joint_count);
    }
    for (uint32_t v = 0; v < painter->table.count; ++v) {
        lmb_influence *row = painter->table.rows + (size_t)v * LMBI_ROW_WIDTH;
        if (row[0].weight > 0) {
            memcpy(row, lmbi_paint_row_of(painter, painter->surface->vertex_of[v]),
                   LMBI_ROW_WIDTH * sizeof *row);
        }
    }
    painter->table.character = c;
    return lmbi_table_store(&painter->table, character, &painter->allocator, error);
}
