/// From a parsed BVH to assets: first in the file's units and axes, so that these can be guessed,
/// then converted in place.
#ifndef IO_BVH_BUILD_H
#define IO_BVH_BUILD_H

#include <string.h>

#include "io/bvh/bvh.h"

typedef struct lmbi_bvh_builder {
    const lmbi_bvh *bvh;
    lmbi_bvh_read_opts opts;
    lmb_bvh_info info;
    const char *name;       ///< of the clip; NULL: "motion"
    const uint32_t *frames; ///< the frame number of every row, rising; NULL: 0, 1, 2 …
    lmbi_arena arena;
    lmb_skeleton skeleton;
    lmb_clip clip;
    float *ticks; ///< shared by all channels
    bool *adds;   ///< [joint_count] position channels add to the offset
    lmb_error *error;
} lmbi_bvh_builder;

/// Set bvh, opts, frames and error, zero the rest, and initialise the arena; free it on any result.
/// On success `info` says what was guessed, and `adds` is filled.
lmb_result lmbi_bvh_build(lmbi_bvh_builder *b, lmb_character **out);

/// Stores what assets cannot represent in `carried` of joints and clip. False: out of memory.
bool lmbi_bvh_carry_build(lmbi_bvh_builder *b);

static inline bool lmbi_bvh_is_position(char channel)
{
    return channel >= 'X' && channel <= 'Z';
}

static inline const float *lmbi_bvh_row(const lmbi_bvh *bvh, uint32_t frame,
                                        const lmbi_bvh_joint *joint)
{
    return bvh->values + (size_t)frame * bvh->channel_count + joint->first_value;
}

/// The joint's translation from the values of its channels; an axis without a channel keeps the
/// offset's component.
lmb_vec3 lmbi_bvh_translation(const lmbi_bvh_joint *joint, const float *values, bool adds);
/// The joint's rotation from the values of its channels.
lmb_quat lmbi_bvh_rotation(const lmbi_bvh_joint *joint, const float *values);

#endif
