/// How plausible placed joints are as those of a human in this solid.
#ifndef EMBED_HUMAN_PLAUSIBILITY_H
#define EMBED_HUMAN_PLAUSIBILITY_H

#include "embed/human/human_joints.h"
#include "embed/match/search.h"

typedef enum lmbi_clue {
    LMBI_CLUE_PLAN,      ///< score of the best human reading less that of the best other one
    LMBI_CLUE_AXES,      ///< score of the best reading with these axes less that of the best human
    LMBI_CLUE_OUTSIDE,   ///< fraction of the bones' length that is outside the solid
    LMBI_CLUE_CROSSED,   ///< how far limbs' roots reach across the mirror plane, in heights
    LMBI_CLUE_UNEVEN,    ///< mean distance of left joints from mirror images of right ones
    LMBI_CLUE_UNCOVERED, ///< fraction of the solid far from every bone
    LMBI_CLUE_NO_CROTCH, ///< the legs do not part
    LMBI_CLUE_NO_NECK,   ///< no narrow place below the head
    LMBI_CLUE_NO_ARMPIT, ///< number of arms without a clear root
    LMBI_CLUE_BACKWARD,  ///< hints that the figure faces the other way, 0 to 1
    LMBI_CLUE_FACING,    ///< hints that it faces this way, 0 to 1
    LMBI_CLUE_GUESSED,   ///< number of arms and pairs of legs that were guessed
    LMBI_CLUE_LEAN,      ///< how far the neck lies before or behind the hips, in heights
    LMBI_CLUE_ARM,       ///< unlikeliness of the arms' length over the trunk's
    LMBI_CLUE_LEG,       ///< the same of the legs
    LMBI_CLUE_SHOULDER,  ///< the same of the shoulders' width
    LMBI_CLUE_HIP,       ///< the same of the width between the hips over the shoulders'
    LMBI_CLUE_NECK,      ///< the same of the neck's height over the shoulders, per trunk
    LMBI_CLUE_BONES,     ///< the same of the forearm over the upper arm, and the shank over the thigh
    LMBI_CLUE_UPRIGHT,   ///< how far knees or ankles are above hips, or hips above shoulders
    LMBI_CLUES,
} lmbi_clue;

/// Measures the joints. `readings` are those of the body in its own frame, the best first.
void lmbi_human_clues(const lmbi_figure *figure, const lmbi_human_joints *joints,
                      const lmbi_reading *readings, uint32_t reading_count, float out[LMBI_CLUES]);
/// The probability that every limb joint is right, 0 to 1.
float lmbi_human_chance(const float clues[LMBI_CLUES]);

#endif
