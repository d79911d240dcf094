/// A BVH file as it stands: joints in file order, values in file units.
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
    uint32_t first_value; ///< in a row
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
    bool head_only; ///< the rows come later, over a network: their number is not looked at
    lmb_notes *notes;
} lmbi_bvh;

/// Set alloc, decimal_comma, head_only and notes, zero the rest. Free on any result.
lmb_result lmbi_bvh_parse(lmbi_bvh *bvh, const void *bytes, size_t size, lmb_error *error);
void lmbi_bvh_free(lmbi_bvh *bvh);

/// The rows after the header, read by the parser's other half.
lmb_result lmbi_bvh_parse_rows(lmbi_bvh *bvh, lmbi_scan *scan, lmb_error *error);

/// A number that ends where a word may end; on failure nothing is consumed but blanks.
bool lmbi_bvh_number(const lmbi_bvh *bvh, lmbi_scan *scan, double *value);

#endif
