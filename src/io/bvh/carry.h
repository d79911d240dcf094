/// What a BVH file says that assets cannot represent, kept as glTF extras: {"extras":{"bvh":{…}}}.
/// With it the file's numbers are written back unchanged, even after a detour through glTF.
#ifndef IO_BVH_CARRY_H
#define IO_BVH_CARRY_H

#include "base/text.h"
#include "io/bvh/bvh.h"

typedef struct lmbi_bvh_joint_carry {
    char channels[LMBI_BVH_CHANNELS + 1];
    bool known;         ///< the joint carried BVH data
    bool positions_add; ///< position channels add to the offset
    bool continuous;    ///< angles leave the principal range: follow them from `start`
    float start[3];     ///< degrees, of the rotation channels in the first frame
    const char *fixes;  ///< the list that lmbi_bvh_carry_angles wrote, or NULL
} lmbi_bvh_joint_carry;

typedef struct lmbi_bvh_clip_carry {
    float unit_m; ///< 0: unknown
    lmb_axis up, rest_up;
    double frame_time_s; ///< 0: unknown
} lmbi_bvh_clip_carry;

/// Write a joint's text: begin, then the angles of single frames in rising order, then end.
void lmbi_bvh_joint_carry_begin(lmbi_text *text, const lmbi_bvh_joint_carry *carry);
void lmbi_bvh_carry_angles(lmbi_text *text, uint32_t frame, const float degrees[3]);
void lmbi_bvh_joint_carry_end(lmbi_text *text);
/// Reads the next frame of the list and its angles; false at the end, or where the text is not as
/// written.
bool lmbi_bvh_next_angles(const char **fixes, uint32_t *frame, float degrees[3]);
/// Writes the shortest decimal of 15 to 17 digits that reads back as the same double, so that a
/// frame time of .0083333 is written back as such.
void lmbi_bvh_double_write(char out[40], double value);
/// The rotation letters of the channels, followed by the missing ones. Returns how many are
/// channels.
int lmbi_bvh_order(const char *channels, char order[3]);
void lmbi_bvh_clip_carry_write(lmbi_text *text, const lmbi_bvh_clip_carry *carry);
/// `carried` may be NULL or hold anything.
lmbi_bvh_joint_carry lmbi_bvh_joint_carry_read(const char *carried);
lmbi_bvh_clip_carry lmbi_bvh_clip_carry_read(const char *carried);

#endif
