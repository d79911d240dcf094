#include <string.h>

#include "io/skinned/iqm.h"

enum { HEADER = 124, MESH = 24, ARRAY = 20, TRIANGLE = 12, JOINT = 48, POSE = 88, ANIM = 20 };

/// Finds the table whose count and offset are at these bytes of the header.
static lmb_result find_table(lmbi_iqm *q, size_t count_at, size_t offset_at, size_t record,
                             lmbi_iqm_table *out)
{
    const uint32_t count = lmbi_load_u32(q->bytes + count_at);
    const uint32_t offset = lmbi_load_u32(q->bytes + offset_at);
    if (count > 0 && (offset > q->size || (q->size - offset) / record < count)) {
        return lmbi_iqm_fail(q, q->bytes + count_at, "a table inside the file", count);
    }
    *out = (lmbi_iqm_table){count, count > 0 ? q->bytes + offset : q->bytes};
    return LMB_OK;
}

static lmb_result read_header(lmbi_iqm *q)
{
    if (q->size < HEADER || memcmp(q->bytes, "INTERQUAKEMODEL", 16) != 0) {
        return lmbi_fail_byte(q->error, LMB_ERROR_MALFORMED, q->size < HEADER ? q->size : 0,
                              "an IQM file, which begins with INTERQUAKEMODEL", "%zu bytes%s",
                              q->size, q->size < HEADER ? "" : " that begin otherwise");
    }
    const uint32_t version = lmbi_load_u32(q->bytes + 16);
    if (version != 2) {
        return lmbi_fail_byte(q->error, LMB_ERROR_UNSUPPORTED, 16, "version 2", "version %u of IQM",
                              version);
    }
    const struct {
        size_t count_at, offset_at, record;
        lmbi_iqm_table *table;
    } tables[] = {
        {28, 32, 1, &q->text},       {36, 40, MESH, &q->meshes},
        {44, 52, ARRAY, &q->arrays}, {56, 60, TRIANGLE, &q->triangles},
        {68, 72, JOINT, &q->joints}, {76, 80, POSE, &q->poses},
        {84, 88, ANIM, &q->anims},
    };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; ++k) {
        const lmb_result result = find_table(q, tables[k].count_at, tables[k].offset_at,
                                             tables[k].record, tables[k].table);
        if (result != LMB_OK) {
            return result;
        }
    }
    q->vertex_count = lmbi_load_u32(q->bytes + 48);
    q->frame_count = lmbi_load_u32(q->bytes + 92);
    q->channel_count = lmbi_load_u32(q->bytes + 96);
    const uint32_t offset = lmbi_load_u32(q->bytes + 100);
    const uint64_t numbers = (uint64_t)q->frame_count * q->channel_count;
    if (numbers > 0 && (offset > q->size || numbers > (q->size - offset) / 2)) {
        return lmbi_iqm_fail(q, q->bytes + 92, "frames inside the file", q->frame_count);
    }
    q->frames = q->bytes + (numbers > 0 ? offset : 0);
    return LMB_OK;
}

lmb_result lmbi_iqm_read(const void *bytes, size_t size, const lmbi_iqm_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    const lmbi_iqm_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    lmbi_iqm q = {.bytes = bytes, .size = size, .notes = opts->notes, .error = error};
    q.model.loader = opts->loader;
    q.model.notes = opts->notes;
    lmbi_arena_init(&q.model.arena, alloc);
    lmb_result result = read_header(&q);
    if (result == LMB_OK) {
        result = lmbi_iqm_read_motion(&q);
    }
    if (result == LMB_OK) {
        result = lmbi_iqm_read_meshes(&q);
    }
    if (result == LMB_OK) {
        const float unit_m = opts->unit_m > 0 ? opts->unit_m : 1;
        const lmb_axis up = opts->up != LMB_AXIS_AUTO ? opts->up : LMB_AXIS_Z;
        result = lmbi_skinned_build(&q.model, unit_m, up, alloc, out, error);
    }
    lmbi_arena_free(&q.model.arena);
    return result;
}
