/// What a BVH file says that assets have no place for, kept as glTF extras: {"extras":{"bvh":{…}}}. So the numbers come
/// back when written, also after a detour through a glTF file.
#ifndef IO_BVH_CARRY_H
#define IO_BVH_CARRY_H

#include "base/text.h"
#include "io/bvh.h"

typedef struct lmbi_bvh_joint_carry {
    char channels[LMBI_BVH_CHANNELS + 1];
    bool known;      ///< there was something
    bool continuous; ///< angles leave the principal range somewhere: follow them from `start`
    float start[3];  ///< degrees, of the rotation channels in the first frame
} lmbi_bvh_joint_carry;

typedef struct lmbi_bvh_clip_carry {
    float unit_m; ///< 0: unknown
    lmb_axis up, rest_up;
    bool positions_add;
    double frame_time_s; ///< 0: unknown
} lmbi_bvh_clip_carry;

void lmbi_bvh_joint_carry_write(lmbi_text *text, const lmbi_bvh_joint_carry *carry);
void lmbi_bvh_clip_carry_write(lmbi_text *text, const lmbi_bvh_clip_carry *carry);
/// `carried` may be NULL or hold anything.
lmbi_bvh_joint_carry lmbi_bvh_joint_carry_read(const char *carried);
lmbi_bvh_clip_carry lmbi_bvh_clip_carry_read(const char *carried);

#endif
