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
    LMBI_CLUE_UNEVEN,    ///< mean distance of left shoulder and hip from images of the right ones
    LMBI_CLUE_UNCOVERED, ///< fraction of the solid far from every bone
    LMBI_CLUE_NO_CROTCH, ///< the legs do not part
    LMBI_CLUE_NO_NECK,   ///< no narrow place below the head
    LMBI_CLUE_NO_ARMPIT, ///< number of arms without a clear root
    LMBI_CLUE_BACKWARD,  ///< hints that the figure faces the other way, 0 to 1
    LMBI_CLUE_FACING,    ///< hints that it faces this way, 0 to 1
    LMBI_CLUE_GUESSED,   ///< number of arms and pairs of legs that were guessed
    LMBI_CLUE_LEAN,      ///< how far the neck lies before or behind the hips, in heights
    LMBI_CLUE_UPRIGHT,   ///< how far knees or ankles are above hips, or hips above shoulders
    LMBI_CLUE_SCORE,     ///< score of the best reading as a human
    LMBI_CLUE_OWN,       ///< score of the own reading less that
    LMBI_CLUE_LENGTHS,   ///< mean difference of the logarithms of left and right bones' lengths
    LMBI_CLUE_MOVED,     ///< farthest that the network of limbs wants to move a joint, in heights
    LMBI_CLUE_RINGS,     ///< limbs were placed on rings of the surface
    LMBI_CLUE_STRANGE,   ///< then, how far they look from limbs of known bodies
    /// Logarithms of lengths over that of the trunk. From here on a clue tells by how far it is from
    /// its usual value.
    LMBI_CLUE_ARM,
    LMBI_CLUE_LEG,
    LMBI_CLUE_SHOULDER, ///< half the distance between the shoulders
    LMBI_CLUE_HIP,      ///< half the distance between the hips, over that between the shoulders
    LMBI_CLUE_FOREARM,  ///< over the upper arm
    LMBI_CLUE_SHANK,    ///< over the thigh
    LMBI_CLUE_NECK,     ///< height of the neck above the shoulders; no logarithm
    LMBI_CLUE_HEAD,     ///< height of the crown above the neck
    LMBI_CLUES,
    LMBI_CLUE_PROPORTIONS = LMBI_CLUE_ARM,
} lmbi_clue;

/// Measures the joints. `readings` are those of the body in its own frame, the best first; `own` is
/// the score of the reading that they were placed by, in whatever voxels.
void lmbi_human_clues(const lmbi_figure *figure, const lmbi_human_joints *joints,
                      const lmbi_reading *readings, uint32_t reading_count, float own,
                      float out[LMBI_CLUES]);
/// The logarithm of the odds that every limb joint is right.
float lmbi_human_odds(const float clues[LMBI_CLUES]);

#endif
