/// A parsed BVH file: joints in file order, values in file units.
#ifndef IO_BVH_BVH_H
#define IO_BVH_BVH_H

#include "base/arena.h"
#include "io/common.h"
#include "limber/io.h"

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
    uint32_t channel_count;
    double frame_time_s;
    float *values; ///< [frame_count][channel_count]
    size_t value_count, value_capacity;
    uint32_t frame_count;
    bool decimal_comma;
    bool
        header_only; ///< only the header is here, the rows follow over a network: the frame count is not checked
    lmb_bvh_info info; ///< notes, and what the text alone has
} lmbi_bvh;

/// Set alloc, decimal_comma, header_only, zero the rest. Free on any result.
lmb_result lmbi_bvh_parse(lmbi_bvh *bvh, const void *bytes, size_t size, lmb_error *error);
void lmbi_bvh_free(lmbi_bvh *bvh);

/// Reads the rows after the header.
lmb_result lmbi_bvh_parse_rows(lmbi_bvh *bvh, lmbi_scan *scan, lmb_error *error);

/// Reads a number that a blank, a brace or the end follows. A comma counts as decimal point where
/// `decimal_comma` says so. On failure only blanks are consumed.
bool lmbi_bvh_number(const lmbi_bvh *bvh, lmbi_scan *scan, double *value);

typedef struct lmbi_bvh_read_opts {
    float unit_m;       ///< metres a unit of the file; 0: guessed from the size of the body
    lmb_axis up;        ///< of the motion in the file; AUTO: guessed from where feet and head are
    bool decimal_comma; ///< numbers are written 1,5
    /// a translation channel for every joint that has position channels, even where they repeat the
    /// offset in every frame; else only for joints that move
    bool keep_channels;
    struct lmb_bvh_info *info; ///< filled when not NULL
} lmbi_bvh_read_opts;

/// Reads a Biovision hierarchy and its motion into a character without a mesh: a skeleton whose
/// rest pose is the offsets without rotation (tips from End Sites), and one clip, "motion", of
/// linear keys: a rotation channel for every joint that has rotation channels and a translation
/// channel for roots and for joints whose position channels say something.
/// Ticks are frames. No clip when there is no frame.
///
/// A joint's local matrix is T * R(c1) * R(c2) * R(c3) in the order its CHANNELS line lists them.
/// Channel order, unit and axes are kept as glTF extras (skeleton->carried, clip->carried), so that
/// lmbi_bvh_write can give the numbers back, also by way of a glTF file.
/// Errors: MALFORMED with line and column; MEMORY. `opts`, `alloc` and `error` may be NULL.
lmb_result lmbi_bvh_read(const void *bytes, size_t size, const lmbi_bvh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

typedef struct lmbi_bvh_write_opts {
    uint32_t clip;     ///< which clip of the character
    float frame_rate;  ///< Hz; 0: the clip's own, or 30
    float unit_m;      ///< metres a unit of the file; 0: what was read, or 0.01
    lmb_axis up;       ///< AUTO: what was read, or +Y
    const char *order; ///< three different letters of "xyz" for joints that carry none; NULL: "zxy"
} lmbi_bvh_write_opts;

/// Writes the skeleton and one clip, or one frame of the rest pose when there is no clip. For a
/// skinned character, only the joints that skins or the clip use are written, and their ancestors.
/// Joints' frames are rotated to the model's axes at rest, so that the rest pose keeps its shape
/// without rotations; scale goes into the rest offsets and is not animated. Angles are continuous
/// from frame to frame, or in the principal range for joints that were read so. Errors: INVALID
/// when the clip does not exist, or is longer than 100 million frames; MEMORY.
lmb_result lmbi_bvh_write(const lmb_character *character, const lmbi_bvh_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

#endif
