/// Places the joints of bodies of every kind by rows: each joint is a sum of weighted anchors, or
/// lies at a fraction of a line.
#ifndef EMBED_CREATURE_PLACE_H
#define EMBED_CREATURE_PLACE_H

#include "embed/creature/anchors.h"
#include "limber/embed.h"

/// A joint of a kind of body.
typedef struct lmbi_joint_row {
    const char *name; ///< "Foot" on a paired chain becomes "leftFoot" and "rightFoot"
    int8_t parent;    ///< row of the same plan, or LMB_NONE
    int8_t chain;     ///< lmbi_chain: its line and side
    int16_t weights;  ///< row of the weights of anchors, or LMB_NONE: `at` places it
    uint8_t flags;
    float confidence;
    const char *reason;
    /// fraction of its line from the root (0) to the tip (1), and the spread of the place that
    /// decides it: lmbi_joint_mark
    float at, spread;
    uint8_t mark;
} lmbi_joint_row;

enum {
    LMBI_JOINT_PAIRED = 1, ///< on both sides
    LMBI_JOINT_HINGE = 2,  ///< bends about the axis from side to side
    LMBI_JOINT_NUMBERED =
        4,                 ///< "Lower" is "leftLeg2Lower" on the second pair of legs from the front
    LMBI_JOINT_ALWAYS = 8, ///< also where the end of its chain is not seen
};

/// A place on a line that draws a joint to it.
typedef enum lmbi_joint_mark {
    LMBI_MARK_NONE,
    LMBI_MARK_BEND,
    LMBI_MARK_NARROW,
} lmbi_joint_mark;

/// The joints of a kind of body, parents before children.
typedef struct lmbi_joint_rows {
    const lmbi_joint_row *rows;
    uint32_t count; ///< at most LMBI_MOST_ROWS
    const float (*weights)[3][LMBI_LOOK];
    lmbi_line_plan lines;
} lmbi_joint_rows;

enum { LMBI_MOST_ROWS = 48 };

/// Those of a built-in plan; none of a human.
const lmbi_joint_rows *lmbi_plan_rows(lmbi_body_plan plan);

/// Writes the name of a joint on one side.
void lmbi_joint_name(const lmbi_anchors *anchors, const lmbi_joint_row *row, int side, char *out,
                     size_t size);

/// Places the joints of a reading.
void lmbi_animal_place(const lmbi_body_shape *shape, const lmbi_joint_rows *plan,
                       lmb_skeleton_kind kind, const lmbi_anchors *anchors, lmb_embedding *out);

#endif
