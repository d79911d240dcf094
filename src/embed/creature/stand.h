/// Hypotheses of how a body stands: up axis, mirror plane, and the pairs of legs that carry it.
#ifndef EMBED_CREATURE_STAND_H
#define EMBED_CREATURE_STAND_H

#include "embed/creature/body_shape.h"

typedef struct lmbi_leg_pair {
    lmb_vec3 foot[2]; ///< lowest points; [0] is on the side that `left` points to
    float height;     ///< of the higher foot above the ground
    float length;     ///< free length of the shorter leg
    float free;       ///< height where the first of the two joins another branch
    float along;      ///< mean coordinate along `forward`
    float miss;       ///< how far one foot is from the other's mirror image
} lmbi_leg_pair;

enum { LMBI_MAX_PAIRS = 12 };

typedef struct lmbi_stand_hypothesis {
    lmb_vec3 left, up, forward;          ///< unit, in the frame of the shape
    float offset;                        ///< of the mirror plane, along left
    float asymmetry;                     ///< 0 to 1
    float low, high;                     ///< of the solid along up
    lmbi_leg_pair pairs[LMBI_MAX_PAIRS]; ///< rising along forward
    uint32_t pair_count;
    uint32_t foot_count; ///< lowest points near the ground, paired or not
} lmbi_stand_hypothesis;

/// The best mirror planes with `up` (unit, in the frame of the shape) as up, and the pairs of legs
/// on both sides of each. `out` has room for LMBI_MAX_STAND_HYPOTHESES. Errors: MEMORY.
enum { LMBI_MAX_STAND_HYPOTHESES = 6 };
lmb_result lmbi_stand_hypotheses_find(const lmbi_body_shape *shape, lmb_vec3 up,
                                      lmbi_stand_hypothesis *out, uint32_t *out_count,
                                      lmb_error *error);
/// Swaps front and back.
void lmbi_stand_reverse(lmbi_stand_hypothesis *stand);
/// The same hypothesis in another frame, which must be the one that lmbi_body_shape_create_rotated
/// makes of its axes.
lmbi_stand_hypothesis lmbi_stand_in_frame(const lmbi_stand_hypothesis *stand,
                                          const lmbi_frame *from, const lmbi_frame *to);

#endif
