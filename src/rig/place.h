/// The joints of a humanoid inside a figure.
#ifndef RIG_PLACE_H
#define RIG_PLACE_H

#include "limber/rig.h"
#include "rig/limb.h"

enum { LMBI_ARM_JOINTS = 4, LMBI_LEG_JOINTS = 4 }; ///< a right joint comes so many after its left twin

typedef struct lmbi_placed {
    lmb_vec3 at[LMB_BODY_JOINTS];         ///< in the figure's space
    float confidence[LMB_BODY_JOINTS];    ///< 0 to 1
    const char *reason[LMB_BODY_JOINTS];  ///< a static phrase: what the place rests on
    lmb_vec3 head_top, hand_tip[2], toe_tip[2];
} lmbi_placed;

/// Errors: MEMORY.
lmb_result lmbi_place(const lmbi_figure *figure, lmbi_placed *out, lmb_error *error);

#endif
