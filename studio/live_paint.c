/// Skin weights under a brush.
#include "live.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void live_paint_free(live_character *live)
{
    lmb_painter_destroy(live->paint.painter);
    free(live->paint.shown);
    free(live->paint.row);
    live->paint = (live_paint){0};
}

/// NULL, with an error, when this character is not being painted.
static live_character *find_painted(int handle)
{
    live_character *live = live_find(handle);
    if (live != NULL && live->paint.painter == NULL) {
        (void)live_fail("limber_paint_begin comes first");
        return NULL;
    }
    return live;
}

EXPORT(limber_paint_begin) int limber_paint_begin(int handle)
{
    // Characters face +Z: their middle is the plane x = 0.
    static const lmb_painter_opts opts = {.normal = {1, 0, 0}};
    live_character *live = live_find(handle);
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    if (live->paint.painter == NULL &&
        lmb_painter_create(live->character, &opts, NULL, &live->paint.painter, &error) != LMB_OK) {
        return live_fail_call("painting", &error);
    }
    return 1;
}

static const lmb_brush_op ops[] = {[LIMBER_BRUSH_ADD] = LMB_BRUSH_ADD,
                                   [LIMBER_BRUSH_REPLACE] = LMB_BRUSH_REPLACE,
                                   [LIMBER_BRUSH_SCALE] = LMB_BRUSH_SCALE,
                                   [LIMBER_BRUSH_SMOOTH] = LMB_BRUSH_SMOOTH,
                                   [LIMBER_BRUSH_MIRROR] = LMB_BRUSH_MIRROR};

/// The painted character, if it has the joint and there is such a brush; else NULL, with an error.
static live_character *find_brushed(int handle, int op, uint32_t joint)
{
    live_character *live = find_painted(handle);
    if (live == NULL || live_find_joint(handle, joint) == NULL) {
        return NULL;
    }
    if (op < 0 || (size_t)op >= sizeof ops / sizeof *ops) {
        live_fail("there is no brush %d", op);
        return NULL;
    }
    return live;
}

EXPORT(limber_paint_stroke)
int limber_paint_stroke(int handle, int op, uint32_t joint, float x, float y, float z, float radius,
                        float strength, float value, int flags)
{
    live_character *live = find_brushed(handle, op, joint);
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    if (!isfinite(x) || !isfinite(y) || !isfinite(z) || !isfinite(radius) || !isfinite(strength) ||
        !isfinite(value)) {
        return live_fail("expected finite numbers of a brush");
    }
    const lmb_brush brush = {.op = ops[op],
                             .joint = joint,
                             .at = {x, y, z},
                             .radius = radius,
                             .strength = strength,
                             .value = value,
                             .falloff = live->paint.falloff,
                             .straight = (flags & LIMBER_BRUSH_STRAIGHT) != 0,
                             .both_sides = (flags & LIMBER_BRUSH_BOTH_SIDES) != 0};
    const lmb_result result = lmb_painter_dab(live->paint.painter, &brush, &error);
    // The stroke has begun even when out of memory.
    live->paint.open = live->paint.open || result != LMB_ERROR_INVALID;
    return result == LMB_OK ? 1 : live_fail_call("painting", &error);
}

EXPORT(limber_paint_falloff) int limber_paint_falloff(int handle, int falloff)
{
    static const lmb_brush_falloff falloffs[] = {[LIMBER_FALLOFF_SMOOTH] = LMB_FALLOFF_SMOOTH,
                                                 [LIMBER_FALLOFF_LINEAR] = LMB_FALLOFF_LINEAR,
                                                 [LIMBER_FALLOFF_CONSTANT] = LMB_FALLOFF_CONSTANT,
                                                 [LIMBER_FALLOFF_GAUSSIAN] = LMB_FALLOFF_GAUSSIAN};
    live_character *live = find_painted(handle);
    if (live == NULL) {
        return 0;
    }
    if (falloff < 0 || (size_t)falloff >= sizeof falloffs / sizeof *falloffs) {
        return live_fail("there is no falloff %d", falloff);
    }
    live->paint.falloff = falloffs[falloff];
    return 1;
}

/// The skin no longer follows the weights that the character has.
static void note_change(live_character *live)
{
    live->paint.open = false;
    live->paint.changed = true;
    live->skin_due = true;
}

EXPORT(limber_paint_end) int32_t limber_paint_end(int handle)
{
    live_character *live = find_painted(handle);
    if (live == NULL) {
        return -1;
    }
    const uint32_t count = lmb_painter_end_stroke(live->paint.painter);
    live->paint.open = false;
    if (count > 0) {
        note_change(live);
    }
    return (int32_t)count;
}

// ---------------------------------------------------------------------------------- chosen vertices

EXPORT(limber_paint_loop) int limber_paint_loop(int handle, float x, float y, float z)
{
    live_character *live = find_painted(handle);
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    const lmb_vec3 at = {x, y, z};
    return lmb_painter_choose_loop(live->paint.painter, at, &error) == LMB_OK
               ? 1
               : live_fail_call("choosing", &error);
}

EXPORT(limber_paint_grow) int limber_paint_grow(int handle, int rings)
{
    live_character *live = find_painted(handle);
    if (live == NULL) {
        return 0;
    }
    lmb_painter_choose_more(live->paint.painter, rings);
    return 1;
}

EXPORT(limber_paint_none) int limber_paint_none(int handle)
{
    live_character *live = find_painted(handle);
    if (live == NULL) {
        return 0;
    }
    lmb_painter_choose_none(live->paint.painter);
    return 1;
}

EXPORT(limber_paint_fill)
int limber_paint_fill(int handle, int op, uint32_t joint, float strength, float value, int flags)
{
    live_character *live = find_brushed(handle, op, joint);
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    const lmb_brush brush = {.op = ops[op],
                             .joint = joint,
                             .strength = strength,
                             .value = value,
                             .both_sides = (flags & LIMBER_BRUSH_BOTH_SIDES) != 0};
    const lmb_result result = lmb_painter_fill(live->paint.painter, &brush, &error);
    live->paint.open = live->paint.open || result != LMB_ERROR_INVALID;
    return result == LMB_OK ? 1 : live_fail_call("painting", &error);
}

EXPORT(limber_paint_undo) int limber_paint_undo(int handle)
{
    live_character *live = find_painted(handle);
    if (live == NULL || !lmb_painter_undo(live->paint.painter)) {
        return 0;
    }
    note_change(live);
    return 1;
}

EXPORT(limber_paint_redo) int limber_paint_redo(int handle)
{
    live_character *live = find_painted(handle);
    if (live == NULL || !lmb_painter_redo(live->paint.painter)) {
        return 0;
    }
    note_change(live);
    return 1;
}

EXPORT(limber_paint_lock) int limber_paint_lock(int handle, uint32_t joint, int on)
{
    live_character *live = find_painted(handle);
    if (live == NULL || live_find_joint(handle, joint) == NULL) {
        return 0;
    }
    lmb_painter_lock(live->paint.painter, joint, on != 0);
    return 1;
}

int live_paint_store(live_character *live)
{
    lmb_error error = {0};
    if (live->paint.open) {
        (void)limber_paint_end(live->handle);
    }
    if (!live->paint.changed) {
        return 1;
    }
    live_forget_skin(live);
    if (lmb_painter_store(live->paint.painter, &live->character, &error) != LMB_OK) {
        return live_fail_call("painting", &error);
    }
    live->paint.changed = false;
    return 1;
}

// ------------------------------------------------------------------------------------ for display

/// The first vertex of a mesh among those of all meshes, as the painter's surface counts them.
static size_t first_vertex(const lmb_character *character, uint32_t mesh)
{
    size_t first = 0;
    for (uint32_t i = 0; i < mesh; ++i) {
        first += character->meshes[character->instances[i].mesh]->vertex_count;
    }
    return first;
}

static void weights_painted(const live_character *live, uint32_t mesh, uint32_t count,
                            uint32_t joint)
{
    const lmb_surface *surface = lmb_painter_surface(live->paint.painter);
    const size_t first = first_vertex(live->character, mesh);
    for (uint32_t v = 0; v < count; ++v) {
        const lmb_influence *row;
        const uint32_t length =
            lmb_painter_row(live->paint.painter, surface->vertex_of[first + v], &row);
        for (uint32_t k = 0; k < length; ++k) {
            live->paint.shown[v] += row[k].joint == joint ? row[k].weight : 0;
        }
    }
}

static void weights_of_file(const live_character *live, uint32_t mesh, uint32_t count,
                            uint32_t joint)
{
    const lmb_instance *instance = &live->character->instances[mesh];
    const lmb_influences *rows = &live->character->meshes[instance->mesh]->influences;
    if (rows->first == NULL || instance->skin == LMB_NONE) {
        return;
    }
    const uint32_t *joints = live->character->skins[instance->skin]->joints;
    for (uint32_t v = 0; v < count; ++v) {
        for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
            live->paint.shown[v] +=
                joints[rows->items[k].joint] == joint ? rows->items[k].weight : 0;
        }
    }
}

/// A number for each of so many vertices, 0 now.
static bool begin_shown(live_paint *paint, uint32_t count)
{
    if (paint->shown == NULL || count > paint->shown_count) {
        free(paint->shown);
        paint->shown = live_room(count, sizeof(float));
        paint->shown_count = paint->shown != NULL ? count : 0;
    }
    for (uint32_t v = 0; paint->shown != NULL && v < count; ++v) {
        paint->shown[v] = 0;
    }
    return paint->shown != NULL;
}

EXPORT(limber_paint_chosen) const float *limber_paint_chosen(int handle, uint32_t mesh)
{
    live_character *live = find_painted(handle);
    if (live == NULL || limber_mesh_node(handle, mesh) < 0) {
        return NULL;
    }
    const uint32_t count = limber_mesh_vertex_count(handle, mesh);
    const uint8_t *chosen = lmb_painter_chosen(live->paint.painter);
    const uint32_t *vertex_of =
        lmb_painter_surface(live->paint.painter)->vertex_of + first_vertex(live->character, mesh);
    if (!begin_shown(&live->paint, count)) {
        return NULL;
    }
    for (uint32_t v = 0; chosen != NULL && v < count; ++v) {
        live->paint.shown[v] = (float)chosen[vertex_of[v]];
    }
    return live->paint.shown;
}

EXPORT(limber_joint_weights)
const float *limber_joint_weights(int handle, uint32_t mesh, uint32_t joint)
{
    live_character *live = live_find_joint(handle, joint);
    if (live == NULL || limber_mesh_node(handle, mesh) < 0) {
        return NULL;
    }
    const uint32_t count = limber_mesh_vertex_count(handle, mesh);
    if (!begin_shown(&live->paint, count)) {
        return NULL;
    }
    // Meshes without a skin are part of the painter's surface, and have no weights.
    if (live->paint.painter != NULL && live->character->instances[mesh].skin != LMB_NONE) {
        weights_painted(live, mesh, count, joint);
    } else {
        weights_of_file(live, mesh, count, joint);
    }
    return live->paint.shown;
}

/// The row of a vertex, as painted or else as the file has it. Joints are the skeleton's.
static uint32_t find_row(const live_character *live, uint32_t mesh, uint32_t vertex,
                         const lmb_influence **row, const uint32_t **joints)
{
    const lmb_instance *instance = &live->character->instances[mesh];
    *joints = NULL;
    if (instance->skin == LMB_NONE) {
        return 0;
    }
    if (live->paint.painter != NULL) {
        const lmb_surface *surface = lmb_painter_surface(live->paint.painter);
        const size_t first = first_vertex(live->character, mesh);
        return lmb_painter_row(live->paint.painter, surface->vertex_of[first + vertex], row);
    }
    const lmb_influences *rows = &live->character->meshes[instance->mesh]->influences;
    if (rows->first == NULL) {
        return 0;
    }
    *joints = live->character->skins[instance->skin]->joints;
    *row = &rows->items[rows->first[vertex]];
    return rows->first[vertex + 1] - rows->first[vertex];
}

static bool grow_row(live_paint *paint, uint32_t count)
{
    if (paint->row != NULL && count <= paint->row_room) {
        return true;
    }
    free(paint->row);
    paint->row = live_room(1 + 2 * (size_t)count, sizeof(float));
    paint->row_room = paint->row != NULL ? count : 0;
    return paint->row != NULL;
}

EXPORT(limber_vertex_row)
const float *limber_vertex_row(int handle, uint32_t mesh, uint32_t vertex)
{
    live_character *live = live_find_mesh(handle, mesh);
    if (live == NULL) {
        return NULL;
    }
    if (vertex >= limber_mesh_vertex_count(handle, mesh)) {
        (void)live_fail("mesh %u has no vertex %u", mesh, vertex);
        return NULL;
    }
    const lmb_influence *row = NULL;
    const uint32_t *joints = NULL;
    const uint32_t count = find_row(live, mesh, vertex, &row, &joints);
    if (!grow_row(&live->paint, count)) {
        return NULL;
    }
    live->paint.row[0] = (float)count;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t joint = joints != NULL ? joints[row[k].joint] : row[k].joint;
        live->paint.row[1 + 2 * k] = (float)joint;
        live->paint.row[2 + 2 * k] = row[k].weight;
    }
    return live->paint.row;
}
