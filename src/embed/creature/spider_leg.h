/// A leg of a spider or an insect, from where it leaves the trunk to its foot.
#ifndef EMBED_CREATURE_SPIDER_LEG_H
#define EMBED_CREATURE_SPIDER_LEG_H

#include "embed/creature/chain.h"
#include "embed/creature/slice_profile.h"

enum { LMBI_BUG_JOINTS = 3 };

typedef struct lmbi_bug_leg {
    lmb_vec3 at[LMBI_BUG_JOINTS], tip; ///< root, knee, ankle
} lmbi_bug_leg;

/// The geodesic end of the leg that stands at `foot`: the nearest tip.
const lmbi_tip *lmbi_bug_leg_tip(const lmbi_survey *survey, lmb_vec3 foot);

/// The leg that stands at `foot`; `trunk` is what lies near the plane x = 0.
void lmbi_bug_leg_trace(const lmbi_survey *survey, const lmbi_profile *trunk, lmb_vec3 foot,
                        lmbi_bug_leg *out);

#endif
