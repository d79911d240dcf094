/// Walking and running by rule.
#ifndef PROCEDURAL_GAIT_H
#define PROCEDURAL_GAIT_H

#include "procedural/figure.h"

typedef struct lmbi_gait {
    const struct lmbi_gait_style *style;
    uint32_t frame_count; ///< of a cycle: two steps
    float stride;         ///< way of a cycle
    float duty;           ///< share of the cycle that a foot is on the ground
    float reach;          ///< how far before the hips the heel strikes
    float height;         ///< of the hips, without their bob
} lmbi_gait;

void lmbi_gait_begin(lmbi_gait *gait, bool run, float speed, float rate);
lmbi_figure lmbi_gait_frame(const lmbi_gait *gait, uint32_t frame, bool in_place);

#endif
