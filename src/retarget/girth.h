/// Girth of body parts, measured on the skin.
#ifndef RETARGET_GIRTH_H
#define RETARGET_GIRTH_H

#include "retarget/body.h"

enum { LMBI_GIRTH_ALONG = 5, LMBI_GIRTH_ROUND = 12 };

/// A part of a body: a line in the reference pose, and the joints that its skin follows.
typedef struct lmbi_girth_line {
    lmb_vec3 from, to;
    lmb_vec3 front;        ///< unit, perpendicular to the line: angle 0
    const int32_t *joints; ///< [joint_count]
    uint32_t joint_count;
} lmbi_girth_line;

/// Distance of the skin from the line, in bins along and around it, model lengths.
typedef struct lmbi_girth {
    bool known;
    float radius[LMBI_GIRTH_ALONG][LMBI_GIRTH_ROUND];
} lmbi_girth;

/// `points` and `joints` come from lmbi_girth_skin. Not known if too few vertices lie on the part.
void lmbi_girth_measure(const lmbi_girth_line *line, const lmb_vec3 *points, const int32_t *joints,
                        uint32_t count, lmbi_girth *out);
/// Interpolated girth at `along` in [0, 1] in the direction `aside`.
float lmbi_girth_at(const lmbi_girth *girth, lmb_vec3 axis, lmb_vec3 front, lmb_vec3 aside,
                    float along);
/// The skin's vertices in the reference pose, each with the joint of its greatest weight; `count` 0
/// for a body without a skin. False when out of memory.
bool lmbi_girth_skin(const lmbi_humanoid *body, lmbi_arena *arena, lmb_vec3 **points,
                     int32_t **joints, uint32_t *count);

#endif
