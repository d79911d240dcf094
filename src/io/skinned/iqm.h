/// IQM (Inter-Quake Model, version 2): little-endian tables that a header of 27 words points to.
#ifndef IO_SKINNED_IQM_H
#define IO_SKINNED_IQM_H

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

uint32_t lmbi_iqm_u32(const uint8_t *at);
float lmbi_iqm_float(const uint8_t *at);
/// The text at an offset of the table of texts, in the arena; "" where there is none. NULL when
/// memory runs out.
const char *lmbi_iqm_text(lmbi_iqm *q, uint32_t offset);
/// Fails MALFORMED at a byte of the file.
lmb_result lmbi_iqm_fail(const lmbi_iqm *q, const uint8_t *at, const char *expected,
                         long long found);

lmb_result lmbi_iqm_read_meshes(lmbi_iqm *q);
/// Joints, or what stands for them, and the clips.
lmb_result lmbi_iqm_read_motion(lmbi_iqm *q);

#endif
