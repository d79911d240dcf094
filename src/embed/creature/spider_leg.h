/// A leg of a spider or an insect, from where it leaves the trunk to its foot.
#ifndef EMBED_CREATURE_SPIDER_LEG_H
#define EMBED_CREATURE_SPIDER_LEG_H

#include "embed/creature/chain.h"
#include "embed/creature/slice_profile.h"

enum { LMBI_SPIDER_LEG_JOINTS = 3 };

typedef struct lmbi_spider_leg {
    lmb_vec3 at[LMBI_SPIDER_LEG_JOINTS], tip; ///< root, knee, ankle
} lmbi_spider_leg;

/// The geodesic end of the leg that stands at `foot`: the nearest tip.
const lmbi_tip *lmbi_spider_leg_tip(const lmbi_body_shape *shape, lmb_vec3 foot);

/// The leg that stands at `foot`; `trunk` is what lies near the plane x = 0.
void lmbi_spider_leg_trace(const lmbi_body_shape *shape, const lmbi_slice_profile *trunk,
                           lmb_vec3 foot, lmbi_spider_leg *out);

#endif
