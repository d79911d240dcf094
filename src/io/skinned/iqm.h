/// IQM (Inter-Quake Model, version 2): little-endian tables that a header of 27 words points to.
#ifndef IO_SKINNED_IQM_H
#define IO_SKINNED_IQM_H

#include "io/bytes.h"
#include "io/skinned/skinned.h"

/// A table of the file: `count` records of `size` bytes each.
typedef struct lmbi_iqm_table {
    uint32_t count;
    const uint8_t *at;
} lmbi_iqm_table;

typedef struct lmbi_iqm {
    const uint8_t *bytes;
    size_t size;
    lmbi_iqm_table text, meshes, arrays, triangles, joints, poses, anims;
    uint32_t vertex_count, frame_count, channel_count; ///< channels a frame
    const uint8_t *frames;                             ///< [frame_count][channel_count] 16 bits
    lmbi_skinned model;
    lmb_notes *notes;
    lmb_error *error;
} lmbi_iqm;

/// The text at an offset of the table of texts, copied to the arena; "" where the offset is
/// outside. NULL when memory runs out.
static inline const char *lmbi_iqm_text(lmbi_iqm *q, uint32_t offset)
{
    const uint8_t *end =
        offset < q->text.count ? memchr(q->text.at + offset, 0, q->text.count - offset) : NULL;
    return end != NULL ? lmbi_arena_string(&q->model.arena, q->text.at + offset,
                                           (size_t)(end - q->text.at) - offset)
                       : "";
}

/// Fails MALFORMED at a byte of the file.
static inline lmb_result lmbi_iqm_fail(const lmbi_iqm *q, const uint8_t *at, const char *expected,
                                       long long found)
{
    return lmbi_fail_byte(q->error, LMB_ERROR_MALFORMED, (size_t)(at - q->bytes), expected, "%lld",
                          found);
}

lmb_result lmbi_iqm_read_meshes(lmbi_iqm *q);
/// Reads the joints, or poses in their stead, and the clips.
lmb_result lmbi_iqm_read_motion(lmbi_iqm *q);

typedef struct lmbi_iqm_read_opts {
    const lmb_loader *loader; ///< for pictures, as lmb_md5_read_opts has it
    float unit_m;             ///< metres a unit of the file; 0 counts as 1
    lmb_axis up;              ///< of the file; AUTO: +Z
    lmb_notes *notes;         ///< filled when not NULL
} lmbi_iqm_read_opts;

/// Reads an Inter-Quake Model of version 2: meshes as primitives of one mesh, joints, and every
/// animation as a clip. A file of poses without joints gets joints that are named by number and
/// rest in the first frame. Adjacency, bounds, comments, extensions and custom vertex arrays are
/// skipped. Errors: MALFORMED with the byte; UNSUPPORTED for version 1; MEMORY.
lmb_result lmbi_iqm_read(const void *bytes, size_t size, const lmbi_iqm_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

#endif
