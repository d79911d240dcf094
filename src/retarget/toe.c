/// The toe point of a foot, with or without a toe joint.
#include "retarget/feet.h"

#include <math.h>

#define TOE_LEAST 0.08f ///< least length of a foot, as a fraction of the leg
#define TOE_AHEAD 0.15f ///< length of an estimated foot, as a fraction of the leg

lmb_vec3 lmbi_toe_of(const lmbi_humanoid *body, int foot)
{
    const lmb_transform ankle = body->reference[lmbi_joint(body, foot)];
    const lmb_vec3 front = {0, 0, 1};
    const float least = TOE_LEAST * body->leg_length;
    lmb_vec3 direction, toe = {0, 0, 0};
    if (lmbi_joint(body, foot + 1) >= 0) {
        toe = lmb_vec3_sub(lmbi_reference_at(body, foot + 1), ankle.translation);
    } else if (lmbi_bone_direction(body, foot, &direction) && fabsf(direction.y) < 0.9f) {
        toe = lmb_vec3_scale(direction, 0.17f * body->leg_length);
    } else {
        // Only the ground tells the ankle's height, if the body stands on it.
        const float high =
            body->lifted ? 0.06f * body->leg_length : fmaxf(0.0f, ankle.translation.y);
        toe.y = -fminf(high, 0.06f * body->leg_length);
    }
    const float along = lmb_sqrt(toe.x * toe.x + toe.z * toe.z);
    if (along < least) {
        // A joint straight below the ankle is no pivot for the foot.
        const lmb_vec3 way =
            along > 0.25f * least ? lmb_vec3_make(toe.x / along, 0, toe.z / along) : front;
        toe = lmb_vec3_make(TOE_AHEAD * body->leg_length * way.x, toe.y,
                            TOE_AHEAD * body->leg_length * way.z);
    }
    return lmb_quat_rotate(lmb_quat_conjugate(ankle.rotation), toe);
}
