/// The skin of a foot or a hand that may touch the ground first.
#ifndef RETARGET_SOLE_H
#define RETARGET_SOLE_H

#include "retarget/body.h"

enum { LMBI_SOLE_POINTS = 40 };

/// Vertices in a joint's local space.
typedef struct lmbi_sole {
    lmb_vec3 points[LMBI_SOLE_POINTS];
    uint32_t count;
} lmbi_sole;

/// The vertices that are farthest down or aside, of those that follow `joint` and what hangs on it but
/// not `without`, which may be LMB_NONE; all as they are in the reference pose. `points` and `joints`
/// come from lmbi_girth_skin. `out` is empty if there are none.
void lmbi_sole_find(const lmbi_humanoid *body, const lmb_vec3 *points, const int32_t *joints,
                    uint32_t count, int32_t joint, int32_t without, lmbi_sole *out);
/// Height of the lowest point over the joint, whose model-space rotation is given; INFINITY if empty.
float lmbi_sole_lowest(const lmbi_sole *sole, lmb_quat rotation);

#endif
