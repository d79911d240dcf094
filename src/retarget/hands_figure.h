/// Measurements for hand contacts: lines and girths of body parts, and palms.
#ifndef RETARGET_HANDS_FIGURE_H
#define RETARGET_HANDS_FIGURE_H

#include "retarget/body.h"

// ---- girths, measured on the skin

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
/// The skin's vertices in the reference pose, each with the joint of its greatest weight, and those
/// of meshes that hang from limbs without skin, as a robot's do; `count` 0 for a body without
/// either. False when out of memory.
bool lmbi_girth_skin(const lmbi_humanoid *body, lmbi_arena *arena, lmb_vec3 **points,
                     int32_t **joints, uint32_t *count);

// ---- parts

enum { SIDES = 2, PARTS = 8 };

typedef enum girth {
    GIRTH_TRUNK,
    GIRTH_HEAD,
    GIRTH_THIGH,
    GIRTH_ARM,
} girth;

/// A body part that hands can touch.
typedef struct lmbi_hand_part {
    int from, to;   ///< human bones at the ends of the line
    float radius_m; ///< on a body of common size
    girth girth;
    int side; ///< 0 left arm, 1 right arm, never touched by its own hand; -1 for other parts
} lmbi_hand_part;

extern const lmbi_hand_part lmbi_hand_parts[PARTS];

typedef struct lmbi_hand_line {
    lmb_vec3 from, to;
} lmbi_hand_line;

/// Measurements of one body.
typedef struct lmbi_hand_figure {
    const lmbi_humanoid *body;
    float hips, shoulders, head, forearm;
    lmb_vec3 palm[SIDES]; ///< in the hand's local space, model lengths
    lmbi_girth girths[PARTS];
} lmbi_hand_figure;

/// False if the body lacks joints that the measurements need.
bool lmbi_hand_figure_is_whole(const lmbi_humanoid *body);
/// Measures both bodies, with the same defaults for what one of them lacks. False when out of
/// memory.
bool lmbi_hand_figures_measure(const lmbi_humanoid *from, const lmbi_humanoid *to,
                               lmbi_arena *arena, lmbi_hand_figure out[2]);
int lmbi_hand_bone(int side);
lmb_vec3 lmbi_palm_of(const lmbi_hand_figure *g, const lmb_transform *pose, int side);
lmbi_hand_line lmbi_line_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                            const lmbi_hand_part *p);
/// Girth of a part in a direction; `guess` if its skin is unknown.
float lmbi_girth_of(const lmbi_hand_figure *g, const lmb_transform *pose, int index,
                    lmbi_hand_line l, lmb_vec3 aside, float along, float guess);

#endif
