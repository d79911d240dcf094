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
typedef struct part {
    int from, to;   ///< slots; `to` at the left of two means the middle of both
    float radius_m; ///< on a body of common size
    girth girth;
    int side; ///< of an arm: 0 left, 1 right; its own hand does not touch it. -1: neither
} part;

extern const part lmbi_hand_parts[PARTS];

typedef struct line {
    lmb_vec3 from, to;
} line;

/// One body's measures.
typedef struct figure {
    const lmbi_body *body;
    float hips, shoulders, head, forearm;
    lmb_vec3 palm[SIDES]; ///< in the frame of the hand, model lengths
    lmbi_girth girths[PARTS];
} figure;

/// False when something is missing that hands are measured by.
bool lmbi_figure_is_whole(const lmbi_body *body);
/// Measures both, so that what one does not tell is guessed of both alike. False when out of
/// memory.
bool lmbi_figures_measure(const lmbi_body *from, const lmbi_body *to, lmbi_arena *arena,
                          figure out[2]);
int lmbi_hand_slot(int side);
lmb_vec3 lmbi_palm_of(const figure *g, const lmb_transform *pose, int side);
line lmbi_line_of(const figure *g, const lmb_transform *pose, const part *p);
/// The girth of a part in a direction; `guess` where the skin does not tell.
float lmbi_girth_of(const figure *g, const lmb_transform *pose, int index, line l, lmb_vec3 aside,
                    float along, float guess);

#endif
