/// A body as hands touch it: parts with lines and girths, palms.
#ifndef RETARGET_HANDS_FIGURE_H
#define RETARGET_HANDS_FIGURE_H

#include "retarget/girth.h"

enum { SIDES = 2, PARTS = 8 };

typedef enum girth {
    GIRTH_TRUNK,
    GIRTH_HEAD,
    GIRTH_THIGH,
    GIRTH_ARM,
} girth;

/// A part of the body that hands touch.
typedef struct lmbi_hand_part {
    int from, to;   ///< slots; `to` at the left of two means the middle of both
    float radius_m; ///< on a body of common size
    girth girth;
    int side; ///< of an arm: 0 left, 1 right; its own hand does not touch it. -1: neither
} lmbi_hand_part;

extern const lmbi_hand_part lmbi_hand_parts[PARTS];

typedef struct lmbi_hand_line {
    lmb_vec3 from, to;
} lmbi_hand_line;

/// One body's measures.
typedef struct lmbi_hand_figure {
    const lmbi_humanoid *body;
    float hips, shoulders, head, forearm;
    lmb_vec3 palm[SIDES]; ///< in the frame of the hand, model lengths
    lmbi_girth girths[PARTS];
} lmbi_hand_figure;

/// False when something is missing that hands are measured by.
bool lmbi_figure_is_whole(const lmbi_humanoid *body);
/// Measures both, so that what one does not tell is guessed of both alike. False when out of
/// memory.
bool lmbi_figures_measure(const lmbi_humanoid *from, const lmbi_humanoid *to, lmbi_arena *arena,
                          lmbi_hand_figure out[2]);
int lmbi_hand_slot(int side);
lmb_vec3 lmbi_palm_of(const lmbi_hand_figure *g, const lmb_transform *pose, int side);
lmbi_hand_line lmbi_line_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                            const lmbi_hand_part *p);
/// The girth of a part in a direction; `guess` where the skin does not tell.
float lmbi_girth_of(const lmbi_hand_figure *g, const lmb_transform *pose, int index,
                    lmbi_hand_line l, lmb_vec3 aside, float along, float guess);

#endif
