/// A parsed BVH file: joints in file order, values in file units.
#ifndef IO_BVH_BVH_H
#define IO_BVH_BVH_H

#include "base/arena.h"
#include "io/common.h"

/// A channel is a letter: X Y Z are positions, x y z rotations.
#define LMBI_BVH_CHANNELS 6

typedef struct lmbi_bvh_joint {
    const char *name;
    int32_t parent;
    lmb_vec3 offset, tip;
    bool has_offset, has_channels, has_tip;
    char channels[LMBI_BVH_CHANNELS + 1];
    uint32_t first_value; ///< index of its first channel in a row
} lmbi_bvh_joint;

typedef struct lmbi_bvh {
    const lmb_allocator *alloc;
    lmbi_arena arena; ///< names
    lmbi_bvh_joint *joints;
    size_t joint_count, joint_capacity;
    uint32_t channel_count, root_count, end_site_count;
    uint64_t declared_frames;
    double frame_time_s;
    float *values; ///< [frame_count][channel_count]
    size_t value_count, value_capacity;
    uint32_t frame_count;
    bool decimal_comma;
    bool
        header_only; ///< only the header is here, the rows follow over a network: the frame count is not checked
    lmb_notes *notes;
} lmbi_bvh;

/// Set alloc, decimal_comma, head_only and notes, zero the rest. Free on any result.
lmb_result lmbi_bvh_parse(lmbi_bvh *bvh, const void *bytes, size_t size, lmb_error *error);
void lmbi_bvh_free(lmbi_bvh *bvh);

/// Reads the rows after the header.
lmb_result lmbi_bvh_parse_rows(lmbi_bvh *bvh, lmbi_scan *scan, lmb_error *error);

/// Reads a number that a blank, a brace or the end follows. A comma counts as decimal point where
/// `decimal_comma` says so. On failure only blanks are consumed.
bool lmbi_bvh_number(const lmbi_bvh *bvh, lmbi_scan *scan, double *value);

#endif
