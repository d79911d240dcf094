/// Places the joints of animals of every kind by rows: each joint is a sum of weighted anchors.
#ifndef EMBED_CREATURE_PLACE_H
#define EMBED_CREATURE_PLACE_H

#include "embed/creature/anchors.h"
#include "limber/embed.h"

/// A joint of a kind of animal.
typedef struct lmbi_joint_row {
    const char *name; ///< "Foot" on a paired chain becomes "leftFoot" and "rightFoot"
    int8_t parent;    ///< row of the same plan, or LMB_NONE
    int8_t chain;     ///< lmbi_chain: its line and side
    uint8_t weights;  ///< row of the fitted weights
    uint8_t flags;
    float confidence;
    const char *reason;
} lmbi_joint_row;

enum {
    LMBI_JOINT_PAIRED = 1, ///< on both sides
    LMBI_JOINT_HINGE = 2,  ///< bends about the axis from side to side
    LMBI_JOINT_NUMBERED =
        4,                 ///< "Lower" is "leftLeg2Lower" on the second pair of legs from the front
    LMBI_JOINT_ALWAYS = 8, ///< also where the end of its chain is not seen
};

/// The rows of a plan, parents before children; 0 for a human and a snake.
uint32_t lmbi_joint_rows(lmbi_body_plan plan, const lmbi_joint_row **out);

/// Writes the name of a joint on one side.
void lmbi_joint_name(const lmbi_anchors *anchors, const lmbi_joint_row *row, int side, char *out,
                     size_t size);

/// Places the joints of a reading as an animal but a snake.
void lmbi_animal_place(const lmbi_body_shape *shape, const lmbi_reading *reading,
                       const lmbi_anchors *anchors, lmb_embedding *out);

#endif
